"""Hamilton's equations: the Legendre transformation in closed form and implicit, and both meet Lagrange's side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dalembert import gallery, simulate
from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, diff, gradient, jacobian, substitute, symbol, tangent, time_derivative
from dalembert.expr.field import tidy
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.vocabulary import Vocabulary
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.rotations import from_euler
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian import euler_lagrange, hamilton
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame, cross
from dalembert.model.system import System
from dalembert.numerics.wording import NameResolver


def words(result: hamilton.Hamilton) -> Vocabulary:
    """The names of the system and those of the costates."""
    stated = result.system.vocabulary
    extra = {p.data.name: "real" for p in result.costates}
    return Vocabulary(stated.coordinates, stated.parameters, stated.functions, stated.let, extra)


@pytest.mark.parametrize(
    ("name", "hamiltonian"),
    [
        ("spherical-pendulum", "(p_theta^2 + p_phi^2/sin(theta)^2)/(2*m*l^2) - m*g*l*cos(theta)"),
        ("kepler", "(p_x^2 + p_y^2 + p_z^2)/(2*m) - k/r"),
        ("magnetic", "((p_x + b*y/2)^2 + (p_y - b*x/2)^2 + p_z^2)/(2*m)"),
        (
            "heavy-top-chart",
            "p_theta^2/(2*I1) + (p_phi - p_psi*cos(theta))^2/(2*I1*sin(theta)^2) + p_psi^2/(2*I3) + m*g*l*cos(theta)",
        ),
    ],
)
def test_known_hamiltonians(name: str, hamiltonian: str) -> None:
    result = hamilton.derive(gallery.load(name))
    assert not result.equations.implicit
    assert is_zero(result.hamiltonian - parse(hamiltonian, words(result))).holds
    assert is_zero(result.hamiltonian - parse(hamiltonian, words(result)) + result.costates[0]).holds is False
    assert result.claims[0].verdict.holds
    assert result.equations.monitors["energy"] is result.hamiltonian


def test_the_equations_are_canonical() -> None:
    result = hamilton.derive(gallery.load("free-rigid-body-chart"))
    q, p, H = result.system.q, result.costates, result.hamiltonian
    for x, y, speed, pull in zip(q, p, gradient(H, p), gradient(H, q), strict=True):
        assert is_zero(result.equations.kinematics[x] - speed).holds
        assert is_zero(result.equations.kinematics[y] + pull).holds
    field = list(result.equations.kinematics.values())
    divergence = sum((row[i] for i, row in enumerate(jacobian(field, result.equations.state))), ZERO)
    assert is_zero(divergence).holds  # Liouville


def test_a_quartic_lagrangian_stays_implicit() -> None:
    result = hamilton.derive(gallery.load("quartic"))
    system = result.system
    assert set(result.equations.implicit) == set(system.v)
    assert result.velocities == system.v
    assert result.claims[0].verdict.holds
    assert "implicit" in result.claims[0].statement
    momenta = dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True))
    for residual in substitute(list(result.equations.implicit.values()), momenta):
        assert is_zero(residual).holds
    (energy,) = substitute([result.hamiltonian], momenta)
    assert is_zero(energy - euler_lagrange.derive(system).energy).holds
    x = system.q[0]
    assert is_zero(result.equations.kinematics[result.costates[0]] - diff(system.lagrangian, x)).holds


def test_a_wrong_field_does_not_meet_lagrange() -> None:
    system = gallery.load("quartic")
    result = hamilton.derive(system)
    momenta = dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True))
    right = hamilton._meets_lagrange(system, momenta, result.equations)
    assert right.verdict.holds
    for variable in result.equations.kinematics:
        wrong = {q: rate * 2 if q is variable else rate for q, rate in result.equations.kinematics.items()}
        claim = hamilton._meets_lagrange(system, momenta, replace(result.equations, kinematics=wrong))
        assert claim.failed
        assert f"the rate of {variable.data.name}:" in claim.verdict.evidence


def test_forces_time_and_affine_momenta() -> None:
    system = System.of(
        name="driven",
        coordinates="x y",
        parameters={"c": 1},
        lagrangian="(1 + y^2)*x'^2/2 + y'^2/2 + x'*y' /3 + t*x*y' - x^2*cos(t)",
        forces={"x": "-c*x'", "y": "sin(t)*x'"},
    )
    result = hamilton.derive(system)
    assert result.claims[0].verdict.holds
    x_force = result.equations.kinematics[result.costates[0]] + diff(result.hamiltonian, system.q[0])
    (back,) = substitute([x_force], dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True)))
    assert is_zero(back - parse("-c*x'", system.vocabulary)).holds
    free = hamilton.derive(system.but(forces=None))
    assert is_zero(free.hamiltonian - result.hamiltonian).holds


def test_velocities_that_only_seem_to_be_nonlinear() -> None:
    system = System.of(name="seems", coordinates="x", lagrangian="((x' + 1)^3 - x'^3 - 3*x')/6 + x")
    result = hamilton.derive(system)
    assert not result.equations.implicit
    assert tidy(result.velocities[0], 5) is result.costates[0]


def test_names_of_costates_avoid_those_taken() -> None:
    system = System.of(
        name="taken", coordinates="x p_x", parameters={"p_x_": 1}, lagrangian="(x'^2 + p_x'^2)/2 - p_x_*x"
    )
    names: list[str] = [p.data.name for p in hamilton.derive(system).costates]
    assert names == ["p_x__", "p_p_x"]


def test_functions_keep_their_values() -> None:
    system = System.of(
        name="well",
        coordinates="x",
        functions={"V": {"of": ["u"], "value": "u^4"}, "W": {"of": ["u"]}},
        lagrangian="x'^2/2 - V(x) - W(x)",
    )
    functions = {f.name: body for f, body in hamilton.derive(system).equations.functions.items()}
    assert functions["W"] is None
    assert functions["V"] is not None
    assert functions["V"][1] is functions["V"][0][0] ** 4


def test_what_is_refused() -> None:
    with pytest.raises(HypothesisError, match="hamilton: lagrangian: it is of order 2"):
        hamilton.derive(System.of(name="beam", coordinates="x", lagrangian="x''^2/2"))
    with pytest.raises(HypothesisError, match="equations do not take constraints"):
        hamilton.derive(gallery.load("skateboard"))
    with pytest.raises(HypothesisError, match="it does not contain 'y'"):
        hamilton.derive(System.of(name="flat", coordinates="x y", lagrangian="x'^2/2 - y^2"))


# -- rotations -----------------------------------------------------------------------------------------------
def satellite(**more: object) -> System:
    """A body in space with a wheel on a tilted axis and a spring-borne mass, which nothing was tuned for."""
    given: dict[str, object] = {
        "name": "satellite",
        "coordinates": {"R": "rotation", "a": "angle", "x": "real"},
        "parameters": {"A": 2, "B": 3, "C": 4, "J": 0.5, "m": 1, "k": 5},
        "lagrangian": "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + J*(a' + (3*R.w1 + 4*R.w3)/5)^2/2"
        " + m*((x' + R.w2)^2 + x^2*R.w3^2)/2 - k*x^2/2",
        "symmetry": {"e1": {"R": "left 1"}, "e2": {"R": "left 2"}, "e3": {"R": "left 3"}, "wheel": {"a": 1}},
    }
    return System.of(**{**given, **more})


def test_momenta_of_a_rotation_are_those_of_its_angular_velocity() -> None:
    result = hamilton.derive(gallery.load("heavy-top"))
    wanted = parse("(p_R_w1^2 + p_R_w2^2)/(2*I1) + p_R_w3^2/(2*I3) + m*g*l*R.m33", words(result))
    assert is_zero(result.hamiltonian - wanted, facts_of(result.system)).holds
    assert is_zero(result.hamiltonian - wanted + result.costates[0], facts_of(result.system)).holds is False
    assert result.claims[0].verdict.holds


@pytest.mark.parametrize("name", ["heavy-top", "free-rigid-body"])
def test_without_a_chart_and_in_one_hamiltons_equations_are_the_same(name: str) -> None:
    free, chart = (hamilton.derive(gallery.load(one)) for one in (name, f"{name}-chart"))
    resolver = NameResolver(chart.equations, chart.system)
    turned = from_euler("ZXZ", [chart.system.vocabulary[angle] for angle in ("phi", "theta", "psi")])
    frame = TangentFrame(free.system)
    (body,) = free.system.points
    places = dict(zip(body.components, turned, strict=True))
    moving = places | {q.dot: time_derivative(e) for q, e in places.items()}
    spun = dict(zip(body.body, substitute(list(body.body.values()), moving), strict=True))
    p = substitute(substitute(frame.opened(gradient(frame.lagrangian, frame.velocities)), spun), places)
    state = {**places, **dict(zip(free.costates, p, strict=True))}
    known = dict(zip(state, resolver.all_translated(list(state.values())), strict=True))
    here = substitute(list(free.equations.kinematics.values()), known)
    there = tangent(list(known.values()), resolver.drive)
    assert all(is_zero(a - b).holds for a, b in zip(here, there, strict=True))
    wrong = substitute([-rate for rate in list(free.equations.kinematics.values())[4:]], known)
    assert any(is_zero(a - b).holds is False for a, b in zip(wrong, there[4:], strict=True))


def test_the_bracket_obeys_jacobi_and_its_twin_does_not() -> None:
    result = hamilton.derive(satellite())
    facts, H = facts_of(result.system), result.hamiltonian
    entry = TangentFrame(result.system).opened([symbol("R.m13")])[0]
    p = result.costates
    triples = [(p[0], p[1], entry * p[2]), (p[0] * p[3], entry, p[1]), (p[4] * p[1], H, entry)]

    def cyclic(bracket, f, g, h):
        return bracket(bracket(f, g), h) + bracket(bracket(g, h), f) + bracket(bracket(h, f), g)

    def twin(f, g):  # the sign of the part of Lie and Poisson is that of rotations from the right
        slopes = [gradient(one, p[:3]) for one in (f, g)]
        return result.bracket(f, g) + 2 * dot(p[:3], cross(*slopes))

    assert all(is_zero(cyclic(result.bracket, *three), facts).holds for three in triples)
    assert any(is_zero(cyclic(twin, *three), facts).holds is False for three in triples)
    for q, rate in result.equations.kinematics.items():
        assert is_zero(result.bracket(q, H) - rate, facts).holds


def test_momenta_of_a_symmetry_commute_with_the_hamiltonian_and_span_its_algebra() -> None:
    result = hamilton.derive(satellite())
    facts, J = facts_of(result.system), result.momentum_map()
    assert list(J) == ["e1", "e2", "e3", "wheel"]
    assert all(is_zero(result.bracket(one, result.hamiltonian), facts).holds for one in J.values())
    assert is_zero(result.bracket(result.costates[0], result.hamiltonian), facts).holds is False
    assert is_zero(result.bracket(J["e1"], J["e2"]) - J["e3"], facts).holds
    assert is_zero(result.bracket(J["e1"], J["e2"]) + J["e3"], facts).holds is False
    assert is_zero(result.bracket(J["e1"], J["wheel"]), facts).holds


def test_torques_and_a_wrong_field_on_rotations() -> None:
    system = satellite(forces={"R.w3": "-R.w3/10", "x": "-x'/5", "R.s1": "R.m13"})
    result = hamilton.derive(system)
    assert result.claims[0].verdict.holds
    frame = TangentFrame(system)
    momenta = dict(zip(result.costates, frame.opened(gradient(frame.lagrangian, frame.velocities)), strict=True))
    for variable in (result.costates[1], result.costates[4], system.q[0]):
        wrong = {q: rate * 2 if q is variable else rate for q, rate in result.equations.kinematics.items()}
        assert hamilton._meets_lagrange(system, momenta, replace(result.equations, kinematics=wrong)).failed


def test_a_motion_in_momenta_of_rotations_is_lagranges() -> None:
    start = {"R.w1": 1, "R.w2": 0.2, "R.w3": -0.5, "a'": 3, "x": 0.3}
    one = simulate(hamilton.derive(satellite()), start, time=2, tolerance=1e-12, samples=3)
    other = simulate(euler_lagrange.derive(satellite()), start, time=2, tolerance=1e-12, samples=3)
    for name in ("R.q0", "R.q2", "a", "x"):
        assert one[name] == pytest.approx(other[name], abs=1e-9)
    assert abs(one["p_R_w1"][-1] - one["p_R_w1"][0]) > 1e-3


# -- directions ----------------------------------------------------------------------------------------------
SQUARE = "(n.x'^2 + n.y'^2 + n.z'^2)"


def antenna(**more: object) -> System:
    """A needle that is heavier one way than another, drawn by a slider and by a body."""
    given: dict[str, object] = {
        "name": "antenna",
        "coordinates": {"n": "direction", "R": "rotation", "x": "real"},
        "parameters": {"m": 2, "k": 1.5},
        "lagrangian": f"m*{SQUARE}/2 + n.x'*n.y'/3 + x'*n.x'/4 + x'^2 + R.w1^2/2 + R.w2^2 + R.w3^2 + n.x*n.y' + "
        "R.w1*n.z'/3 - k*n.z*R.m31 - x^2",
    }
    return System.of(**{**given, **more})


def test_a_spherical_pendulum_on_the_cotangent_bundle_of_a_sphere() -> None:
    system = System.of(
        name="pendulum",
        coordinates={"n": "direction"},
        parameters="m g",
        lagrangian=f"m*{SQUARE}/2 - m*g*n.z",
        symmetry={"turn": {"n": "left 3"}, "tilt": {"n": "left 1"}},
    )
    result = hamilton.derive(system)
    wanted = parse("(p_n_x^2 + p_n_y^2 + p_n_z^2)/(2*m) + m*g*n.z", words(result))
    assert is_zero(result.hamiltonian - wanted).holds
    (momentum,) = result.momentum_map().values()
    assert is_zero(result.bracket(momentum, result.hamiltonian), facts_of(system)).holds
    assert result.claims[0].verdict.holds


def test_the_bracket_of_directions_is_diracs() -> None:
    result = hamilton.derive(
        antenna(
            coordinates={"n": "direction", "x": "real"},
            lagrangian=f"m*{SQUARE}/2 + n.x'*n.y'/3 + x'*n.x'/4 + x'^2 + n.x*n.y' - k*n.z - x^2",
        )
    )
    facts, H, p, n = facts_of(result.system), result.hamiltonian, result.costates, result.system.q[:3]
    tangents = dict(zip(p, TangentFrame(result.system).on_tangents(p), strict=True))

    def holds(expression):  # where n p = 0
        return is_zero(substitute([expression], tangents)[0], facts).holds

    def cyclic(bracket, f, g, h):
        return bracket(bracket(f, g), h) + bracket(bracket(g, h), f) + bracket(bracket(h, f), g)

    def twin(f, g):  # without what p turns by as n does
        slopes = [gradient(one, p[:3]) for one in (f, g)]
        parts = [(dot(n, one), dot(p[:3], one)) for one in slopes]
        return result.bracket(f, g) + parts[0][0] * parts[1][1] - parts[0][1] * parts[1][0]

    triples = [(p[0], p[1], n[2] * p[2]), (p[0] * p[3], n[1], p[1])]
    assert all(holds(cyclic(result.bracket, *three)) for three in triples)
    assert any(holds(cyclic(twin, *three)) is False for three in triples)
    for variable, rate in result.equations.kinematics.items():
        assert holds(result.bracket(variable, H) - rate)
    assert holds(result.bracket(dot(n, p[:3]), H))
    assert holds(twin(p[0], H) - result.equations.kinematics[p[0]]) is False


@pytest.mark.thorough("implicit")
@pytest.mark.parametrize("more", ["t*n.y/2", f"{SQUARE}^2/4 + n.x'^2*n.z'^2"], ids=["explicit", "implicit"])
def test_directions_with_forces_meet_lagrange_and_wrong_twins_do_not(more: str) -> None:
    plain = antenna()
    system = System.of(
        name="drawn",
        coordinates={"n": "direction", "x": "real"},
        lagrangian=f"{SQUARE}/2 + n.x'*n.y'/3 + x'*n.x'/4 + x'^2 + n.z*x' - n.z + {more}",
        forces={"n.x": "-n.x'", "x": "n.z"},
        start={"n.x": 0.6, "n.x'": 0.4, "n.y'": 1, "n.z'": -0.3, "x'": 0.2},
    )
    assert hamilton.derive(plain).claims[0].verdict.holds
    result = hamilton.derive(system)
    assert bool(result.equations.implicit) is ("^2/4" in more)
    assert result.claims[0].verdict.holds
    frame = TangentFrame(system)
    slopes = frame.on_tangents(gradient(frame.lagrangian, frame.velocities))
    momenta = dict(zip(result.costates, slopes, strict=True))
    n, u = system.q[0], system.v[0]
    for variable, change in ((result.costates[0], n * u), (result.costates[3], n), (n, n * u)):
        rates = dict(result.equations.kinematics)
        rates[variable] = rates[variable] + change
        assert hamilton._meets_lagrange(system, momenta, replace(result.equations, kinematics=rates)).failed
    one = simulate(result, time=1, tolerance=1e-12, samples=3)
    other = simulate(euler_lagrange.derive(system), time=1, tolerance=1e-12, samples=3)
    for q in system.q:
        assert one[q.data.name] == pytest.approx(other[q.data.name], abs=1e-9)
