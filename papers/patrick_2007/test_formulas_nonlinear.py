"""Section 6: constraints of any kind, with any rule for virtual displacements."""

from functools import cache

import pytest

from dalembert.errors import HypothesisError
from dalembert.expr import ONE, ZERO, diff, gradient, substitute, symbol, time_derivative
from dalembert.expr.linear import determinant
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.geometry.forms import d, interior, one_form, pull_back
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.bracket_on_cotangent import conservation_set
from dalembert.mechanics.semisymplectic.canonical_projection import any_functions
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

from .flows import hoist
from .systems import read
from .test_formulas_development import along_drawn_flows, assert_by_rates

STATED = {
    "linear": ("z' = y*x'", "x*z", {}),
    "affine": ("z' = y*x' + b", "x*z", {}),
    "pulley": ("z' = k*sqrt(x'^2 + y'^2)", "g*z", {}),
    "pulley, level": ("z' = k*sqrt(x'^2 + y'^2)", "g*z", {"c": {"z": 1}}),
    "linear, other rule": ("z' = y*x'", "x*z", {"c": {"z": 1, "x": "-sigma"}}),
    "product": ("z' = x'*y'", "x*y*z", {}),
}


@cache
def system(name):
    constraint, potential, virtual = STATED[name]
    return System.of(
        name=name,
        coordinates="x y z",
        parameters={"b": 0.4, "k": 0.7, "g": 2, "sigma": {"value": 0.3, "sign": "any"}},
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - {potential}",
        constraints={"c": constraint},
        virtual=virtual,
    )


@cache
def half(name):
    return semisymplectic.derive(system(name))


NAMES = ["linear", "affine", "pulley", "pulley, level", "linear, other rule", "product"]
FORCED = ["affine", "pulley, level", "linear, other rule", "product"]
"""Those whose W does not contain the velocity."""


def expression(stated):
    """Return what the constraint says is zero."""
    (constraint,) = stated.constraints.values()
    return constraint.expression


def accelerations(found):
    """Return q'' on C."""
    rates = dict(zip(found.manifold.chart.coordinates, found.field.components, strict=True))
    return [VectorField.of(found.manifold.chart, rates)(v) for v in found.motion.manifold.velocities]


def delta_L(found):
    """Return delta L along the motion, by components."""
    stated = found.system
    left = [
        slope - time_derivative(p)
        for slope, p in zip(gradient(stated.lagrangian, stated.q), gradient(stated.lagrangian, stated.v), strict=True)
    ]
    put = dict(zip([q.dot.dot for q in stated.q], accelerations(found), strict=True))
    return found.motion.manifold.on(substitute(left, put))


def force(found):
    """Return lambda, by components."""
    rows = found.motion.annihilator
    return [dot(found.motion.multipliers, [row[i] for row in rows]) for i in range(3)]


# -- the motion --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_the_principle(name):
    found = half(name)
    assert same([dot(delta_L(found), w) for w in found.motion.virtual], [ZERO] * 2)
    assert same(delta_L(found), [-e for e in force(found)])
    assert differ(delta_L(found), [ZERO] * 3)
    # q' stays in C
    f = expression(found.system)
    slopes = found.motion.manifold.on(gradient(f, found.system.v))
    rest = found.motion.manifold.on([dot(gradient(f, found.system.q), found.system.v)])
    assert same([dot(slopes, accelerations(found)) + rest[0]], [ZERO])
    assert same(found.field.components[:3], found.motion.manifold.velocities)


def test_virtual_displacements_of_chetaev():
    # printed: w in C; but for an affine C the directions tangent to its fibres do not lie in C
    found = half("affine").motion
    f, v = expression(found.system), found.system.v
    slopes = found.manifold.on(gradient(f, v))
    for w in found.virtual:
        assert same([dot(slopes, w)], [ZERO])
    inside = [substitute([f], dict(zip(v, w, strict=True)))[0] for w in found.virtual]
    assert differ(inside, [ZERO] * 2)
    straight = half("linear").motion
    f, v = expression(straight.system), straight.system.v
    inside = [substitute([f], dict(zip(v, w, strict=True)))[0] for w in straight.virtual]
    assert same(inside, [ZERO] * 2)


def test_only_differences_of_accelerations_are_tangent():
    # printed: q'' lies in C-dot; for z' = y x' it has z'' = y x'' + y' x'
    found = half("linear")
    x, y, _ = found.system.q
    ax, _, az = accelerations(found)
    assert differ([az], [y * ax])
    assert same([az], [y * ax + y.dot * x.dot])
    # two second-order fields on C differ by a vertical one with values in C-dot
    more = [gradient(e, found.motion.manifold.u) for e in found.motion.manifold.velocities]
    slopes = gradient(expression(found.system), found.system.v)
    for k in range(2):
        assert same([dot(slopes, [row[k] for row in more])], [ZERO])


def test_regularity():
    degenerate = system("linear").but(virtual={"c": {"x": 1}}, constraints={"c": "z' = 0"})
    with pytest.raises(HypothesisError, match=r"not \(C, W\)-regular"):
        general_constraints.derive(degenerate)
    assert half("linear, other rule").manifold.regular().rank == 4
    # by hand: with L = |v|^2/2 - V the equations are those of the matrix <w_a, c_b>, c along the fibres of C
    for name, virtual in (("linear, other rule", "1, 0, sigma"), ("product", "1, 0, y'")):
        found = half(name).motion
        (row,) = found.annihilator
        f = expression(found.system)
        slopes = [-diff(f, v) / diff(f, found.system.v[2]) for v in found.system.v[:2]]
        along = [[ONE, ZERO, slopes[0]], [ZERO, ONE, slopes[1]]]
        matrix = [[dot(w, c) for c in along] for w in found.virtual]
        stated = read(found.system, *virtual.split(", "))
        assert same([dot(row, stated)], [ZERO])
        assert differ([determinant(matrix)], [ZERO])
    level = [[ONE, ZERO, ZERO], [ZERO, ONE, ZERO]]  # z' = 0, and virtual displacements along y and z
    assert same([determinant([[dot(w, c) for c in level] for w in ([ZERO, ONE, ZERO], [ZERO, ZERO, ONE])])], [ZERO])


def test_directions_that_are_always_virtual():
    rotor = System.of(
        name="pulley with a rotor",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 + x'*s'/2 - z",
        constraints={"rope": "z' = sqrt(x'^2 + y'^2)"},
    )
    found = general_constraints.derive(rotor)
    (kept,) = conservation_set(found)
    assert same(kept, [ZERO, ZERO, ZERO, 1 + ZERO])
    moved = semisymplectic.derive(rotor)
    momentum = rotor.v[3] + rotor.v[0] / 2
    assert same([moved.field(momentum)], [ZERO])
    assert differ([moved.field(rotor.v[0] + rotor.v[3] / 2)], [ZERO])
    assert len(conservation_set(half("linear").motion)) == 2


def test_the_action_along_a_flow_with_a_nonlinear_constraint():
    # the pulley with level displacements moves straight on: a flow in closed form
    found = half("pulley, level")
    chart, t = found.manifold.chart, symbol(Symbol("time of the flow", role="parameter"))
    x, y, z, vx, vy = chart.coordinates
    speed = found.motion.manifold.velocities[2]
    (weight,) = read(found.system, "g")
    flow = [x + t * vx, y + t * vy, z + t * speed, vx, vy]
    along = dict(zip(chart.coordinates, flow, strict=True))
    assert same([diff(e, t) for e in flow], substitute(list(found.field.components), along))
    (lagrangian,) = found.motion.manifold.on([found.system.lagrangian])
    action = t * (vx**2 + vy**2 + speed**2) / 2 - weight * (t * z + t**2 * speed / 2)
    assert same([diff(action, t)], substitute([lagrangian], along))
    theta = one_form(chart, [vx, vy, speed, ZERO, ZERO])
    moved, worked = (pull_back(f, chart, flow) for f in (theta, one_form(chart, [*delta_L(found), ZERO, ZERO])))

    def rates(form):
        return [diff(form.component(i), t) for i in range(5)]

    work = [worked.component(i) for i in range(5)]
    assert same(rates(d(action, chart)), [a + b for a, b in zip(rates(moved), work, strict=True)])
    assert differ(rates(d(action, chart)), rates(moved))
    assert same(substitute([moved.component(i) for i in range(5)], {t: ZERO}), [theta.component(i) for i in range(5)])
    # any constraint, any rule, any L by rates; and a load with a rule of its own, measured
    assert_by_rates()
    one, _ = along_drawn_flows(hoist(2), 2)
    assert abs(one.work) > 1e-3


# -- geometry ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NAMES)
def test_omega_energy_and_the_constraint_force(name):
    found = half(name)
    left = interior(found.field, found.manifold.form) - d(found.energy, found.manifold.chart)
    stated = one_form(found.manifold.chart, [*delta_L(found), ZERO, ZERO])
    assert (left - stated).is_zero().holds is True
    assert same([left(k) for k in found.manifold.basis], [ZERO] * 4)


def test_the_distributions_of_the_constraint():
    for name in NAMES:
        found = half(name)
        base = [k.components[:3] for k in found.manifold.basis]
        assert generic_rank([*base, *found.motion.virtual]).rank == 2  # T tau K = W
        assert generic_rank([k.components for k in found.manifold.basis]).rank == 4
        forced = name in FORCED
        assert found.manifold.contains(found.field).holds is not forced  # the motion is in M_C, not always in K


def does_no_work(found):
    return same([dot(force(found), found.motion.manifold.velocities)], [ZERO])


@pytest.mark.parametrize("name", NAMES)
def test_the_null_forcing(name):
    found = half(name)
    form = interior(found.null_forcing, found.manifold.form)
    assert same([form(k) for k in found.manifold.basis], [ZERO] * 4)
    part = interior(found.semi_hamiltonian_part, found.manifold.form) - d(found.energy, found.manifold.chart)
    assert same([part(k) for k in found.manifold.basis], [ZERO] * 4)
    forced = name in FORCED
    assert same(found.null_forcing.components, [ZERO] * 5) is not forced
    # Z = 0 exactly if W contains the velocity
    assert does_no_work(found) is not forced
    plain = coordinate_field(found.manifold.chart, found.system.q[2])
    assert differ([interior(plain, found.manifold.form)(k) for k in found.manifold.basis], [ZERO] * 4)


@pytest.mark.parametrize("name", FORCED)
def test_a_bracket_that_moves_but_is_no_derivation(name):
    found = half(name)
    f, g, h = any_functions(found.manifold)
    forcing, energy = found.null_forcing, found.energy

    def moves(left, right):
        return found.manifold.bracket(left, right) + forcing(left)

    assert same([moves(f, energy)], [found.field(f)])
    assert same([moves(f * g, h)], [f * moves(g, h) + g * moves(f, h)])
    assert differ([moves(f, g * h)], [g * moves(f, h) + h * moves(f, g)])


@pytest.mark.parametrize("name", FORCED)
def test_a_leibniz_bracket(name):
    """With Z_g = (T(g)/T(H)) Z it is a derivation in both, and moves all the same, whatever the field T."""
    found = half(name)
    f, g, h = any_functions(found.manifold)
    chart, forcing, energy = found.manifold.chart, found.null_forcing, found.energy
    clock = VectorField.of(chart, [unknown(f"T{k}", *chart.coordinates) for k in range(chart.dimension)])

    def leibniz(left, right, weight=ONE):
        return found.manifold.bracket(left, right) + weight * clock(right) / clock(energy) * forcing(left)

    assert same([leibniz(f, energy)], [found.field(f)])
    assert same([leibniz(f, g * h)], [g * leibniz(f, h) + h * leibniz(f, g)])
    assert same([leibniz(f * g, h)], [f * leibniz(g, h) + g * leibniz(f, h)])
    assert differ([leibniz(f, energy, -ONE)], [found.field(f)])


@pytest.mark.parametrize("name", NAMES)
def test_the_power_of_the_constraint_force(name):
    found = half(name)
    rate = found.field(found.energy)
    form = interior(found.field, found.manifold.form) - d(found.energy, found.manifold.chart)
    power = dot(force(found), found.motion.manifold.velocities)
    assert same([rate, -form(found.field), -dot(delta_L(found), found.motion.manifold.velocities)], [power] * 3)
    forced = name in FORCED
    assert differ([power], [ZERO]) is forced


def test_the_liouville_field_and_energy():
    # under Chetaev's rule W contains v exactly if the Liouville field is tangent to C, which the pulley has
    for name, tangent_to in (("linear", True), ("pulley", True), ("affine", False), ("product", False)):
        found = half(name).motion
        assert does_no_work(half(name)) is tangent_to
        v = found.system.v
        stretched = found.manifold.on([dot(gradient(expression(found.system), v), v)])
        assert same(stretched, [ZERO]) is tangent_to


def test_momenta_do_not_see_the_null_forcing():
    stated = System.of(
        name="rotor on an affine constraint",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "angle"},
        parameters={"b": 0.4},
        lagrangian="(x'^2 + y'^2 + z'^2 + s'^2)/2 + x'*s'/2 + y*s'",
        constraints={"slope": "z' = y*x' + b"},
    )
    found = semisymplectic.derive(stated)
    x, y, _, s = stated.q
    momentum = s.dot + x.dot / 2 + y
    turn = coordinate_field(found.manifold.chart, s)
    form = interior(turn, found.manifold.form)
    assert (form - d(momentum, found.manifold.chart)).is_zero().holds is True
    assert differ(found.null_forcing.components, [ZERO] * 7)
    assert same([found.null_forcing(momentum), form(found.null_forcing)], [ZERO] * 2)
    assert same([found.field(momentum)], [ZERO])
    assert differ([found.null_forcing(x)], [ZERO])
