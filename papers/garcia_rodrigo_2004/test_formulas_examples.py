"""Section 4: the skateboard on an inclined plane, and the generalized elastica."""

from functools import cache

import pytest

from dalembert import gallery
from dalembert.expr import ONE, TIME, ZERO, cos, sin, substitute, symbol
from dalembert.expr.calculus import jacobian, tangent, time_derivative
from dalembert.expr.linear import null_space
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.nonholonomic import linear_constraints
from dalembert.mechanics.vakonomic.densities import any_field, density
from dalembert.mechanics.vakonomic.restricted_variations import critical
from dalembert.mechanics.vakonomic.vakonomic import derive
from papers.exact import differ, dot, same

from .test_formulas import ANY, TWO

T = symbol(TIME)


@cache
def skate():
    return derive(gallery.load("skateboard"))


@cache
def elastica():
    return derive(gallery.load("elastica"))


def read(found, *texts):
    return [parse(text, found.system.vocabulary) for text in texts]


def none(*parts):
    return same(parts, [ZERO] * len(parts))


# -- 4.1 ---------------------------------------------------------------------------------------------------------------
SPEED = "(x'*cos(phi) + y'*sin(phi))"


def test_skate_normal_field():
    one = skate().find_projector()
    (f,), (normal,) = one.densities, one.normal_fields
    assert same(f.momenta[0], read(skate(), "sin(phi)", "-cos(phi)", "0"))
    assert same(f.euler, read(skate(), "-phi'*cos(phi)", "-phi'*sin(phi)", SPEED))
    # two rows, so that two numbers stand on the right
    assert same([dot(f.momenta[0], normal), dot(f.euler, normal)], [ZERO, ONE])
    assert same(normal, read(skate(), "0", "0", f"1/{SPEED}"))


def test_skate_projector():
    a, b, c = any_field(skate().system.q)
    phi, v = read(skate(), "phi", SPEED)
    found = skate().find_projector().apply([a, b, c])
    assert same(found, [a, b, (b.dot * cos(phi) - a.dot * sin(phi)) / v])
    assert differ(found, [a, b, (b.dot * cos(phi) + a.dot * sin(phi)) / v])


def test_skate_vakonomic_equations():
    one, L = skate().find_projector(), skate().formulations.lagrangian
    assert same(L.euler, read(skate(), "-m*x''", "-(g + m*y'')", "-I*phi''"))
    phi, push = read(skate(), "phi", f"I*phi''/{SPEED}")
    left = [
        read(skate(), "m*x''")[0] + time_derivative(push * sin(phi)),
        read(skate(), "g + m*y''")[0] - time_derivative(push * cos(phi)),
        ZERO,
    ]
    assert same(one.adjoint(L.euler), [-e for e in left])


def test_skate_nonholonomic_equations():
    # E_L vanishes on ker Omega_f along d'Alembert's motions; they are not critical
    given, L = skate().system, skate().formulations.lagrangian
    rates = linear_constraints.derive(given).equations.rates()
    moved = [rates[q] for q in given.q]
    jets = dict(zip(given.v, moved, strict=True))
    for k in (2, 3):
        moved = tangent(moved, {**rates, T: ONE})
        jets |= {derivative(q, k): m for q, m in zip(given.q, moved, strict=True)}
    stated = read(skate(), "m*x''*cos(phi) + (g + m*y'')*sin(phi)", "I*phi''", "x'*sin(phi) - y'*cos(phi)")
    assert none(*substitute(stated, jets))
    kernel = [read(skate(), "cos(phi)", "sin(phi)", "0"), [ZERO, ZERO, ONE]]
    assert none(*substitute([dot(L.euler, field) for field in kernel], jets))
    assert not none(*substitute(skate().find_projector().adjoint(L.euler), jets))


def euler_along(motion):
    """Return E_L along the motions of d'Alembert's principle, and the rows df/dv, on the constraints."""
    given, manifold = motion.system, motion.manifold
    drive = {**manifold.at_rest(), **dict(zip(manifold.u, motion.acceleration, strict=True)), T: ONE}
    put = dict(zip([v.dot for v in given.v], manifold.along(manifold.velocities, drive), strict=True))
    rows = jacobian([c.expression for c in given.constraints.values()], given.v)
    operators = density(given.lagrangian, given.q).euler
    return manifold.on(substitute(operators, put)), [manifold.on(row) for row in rows]


@pytest.mark.parametrize("given", [ANY, TWO], ids=["any", "two"])
def test_nonholonomic_critical_curves(given):
    # the motion by multipliers; E_L vanishes on ker(df/dv), and not on all of TM
    operators, rows = euler_along(critical(given, "nonholonomic").motion)
    kernel = null_space(rows)
    assert len(kernel) == len(given.q) - len(rows)
    assert none(*(dot(operators, field) for field in kernel))
    assert not none(*operators)
    # variations in another bundle have other critical curves
    level = {name: {q.data.name: 1} for name, q in zip(given.constraints, reversed(given.q), strict=False)}
    operators, _ = euler_along(critical(given, level).motion)
    assert not none(*(dot(operators, field) for field in kernel))


def test_skate_cartan_form():
    theta = skate().cartan_form
    (one,) = skate().formulations.multipliers
    (push,) = skate().find_projector().multipliers(skate().formulations.lagrangian.euler)
    assert same([push], read(skate(), f"I*phi''/{SPEED}"))
    phi = read(skate(), "phi")[0]
    found = [theta.component(theta.chart.place(q)) for q in (*skate().system.q, T)]
    x, y, turn, energy = read(skate(), "m*x'", "m*y'", "I*phi'", "m*(x'^2 + y'^2)/2 + I*phi'^2/2 + g*y")
    assert same(found, [x + one * sin(phi), y - one * cos(phi), turn, -energy])


def on_motions(*texts):
    """Functions of the jets along the vakonomic motions."""
    form = skate().form
    return form.on_motions(substitute(read(skate(), *texts), form.jets))


ENERGY, MOMENTUM = "m*(x'^2 + y'^2)/2 + I*phi'^2/2 + g*y", f"m*x' + I*phi''/{SPEED}*sin(phi)"


def test_skate_conservation_laws():
    form = skate().form
    assert same(on_motions(ENERGY, MOMENTUM), form.on_motions([form.hamiltonian, form.costates[0]]))
    kept, bare = (
        form.on_motions(form.along(substitute(read(skate(), *texts), form.jets)))
        for texts in ((ENERGY, MOMENTUM), ("m*x'",))
    )
    assert none(*kept)
    assert not none(*bare)


def test_skate_shared_variation():
    one, L = skate().find_projector(), skate().formulations.lagrangian
    bar = read(skate(), f"cos(phi)*{SPEED}", f"sin(phi)*{SPEED}", "phi'")
    (f,) = one.densities
    assert none(dot(f.momenta[0], bar), dot(f.euler, bar))
    stated = f"(m*x''*cos(phi) + (g + m*y'')*sin(phi))*{SPEED} + I*phi''*phi'"
    assert same([-dot(L.euler, bar)], read(skate(), stated))
    assert none(*on_motions(stated))


def test_skate_reduced_system():
    turning = "(y''*x' - x''*y')/(x'^2 + y'^2)"
    energy = f"m*(x'^2 + y'^2)/2 + I*({turning})^2/2 + g*y"
    momentum = "m*x' - y'/(y''*x' - x''*y')*(m*x''*x' + (g + m*y'')*y')"
    assert same(on_motions("phi'", ENERGY, MOMENTUM), on_motions(turning, energy, momentum))
    assert differ(on_motions(MOMENTUM), on_motions(momentum.replace("(g + m*y'')", "(m*y'')")))
    assert none(*on_motions("y'*cos(phi) - x'*sin(phi)"))


# -- 4.2 ---------------------------------------------------------------------------------------------------------------
@cache
def by_length():
    """Jets of a curve by its length and by the angle of its tangent; T, N and the curvature."""
    angle = symbol("angle of the tangent", domain="angle")
    values, put = [cos(angle), sin(angle)], {}
    for k in range(1, 7):
        put |= {derivative(q, k): v for q, v in zip(elastica().system.q, values, strict=True)}
        values = [time_derivative(v) for v in values]
    along = [cos(angle), sin(angle)]
    return put, along, [-along[1], along[0]], angle.dot


def strength():
    """F' and F of the curvature by the length."""
    return substitute(read(elastica(), "D(F, 1)(kappa)", "F(kappa)"), by_length()[0])


def twice(expression):
    return time_derivative(time_derivative(expression))


def test_elastica_euler_operator():
    # |q'| (F'_ss + kappa^2 F' - kappa F) N: without the factor only where |q'| = 1
    found = elastica().formulations.lagrangian.euler
    speed, kappa, slope, value = read(elastica(), "speed", "kappa", "D(F, 1)(kappa)", "F(kappa)")
    second = time_derivative(time_derivative(slope) / speed) / speed
    normal = read(elastica(), "-y'/speed", "x'/speed")
    push = second + kappa**2 * slope - kappa * value
    assert same(found, [speed * push * n for n in normal])
    assert differ(found, [push * n for n in normal])
    put, _, across, curvature = by_length()
    F1, F0 = strength()
    here = twice(F1) + curvature**2 * F1 - curvature * F0
    assert same(substitute(list(found), put), [here * n for n in across])


def test_elastica_projector():
    put, along, across, kappa = by_length()
    one = elastica().find_projector()
    (f,) = one.densities
    normal = substitute(list(one.normal_fields[0]), put)
    assert same(substitute(list(f.momenta[0]), put), along)
    assert same(substitute(list(f.euler), put), [-kappa * n for n in across])
    assert same(normal, [-n / kappa for n in across])
    field = any_field(elastica().system.q)
    part = dot(field, along)
    found = substitute(one.apply(field), put)
    stretch = time_derivative(part) / kappa
    assert same(found, [part * t + stretch * n for t, n in zip(along, across, strict=True)])
    assert differ(found, [part * t - stretch * n for t, n in zip(along, across, strict=True)])  # as printed
    # what is printed is no admissible variation: it changes the length
    printed = [part * t - stretch * n for t, n in zip(along, across, strict=True)]
    assert none(dot([time_derivative(x) for x in found], along))
    assert not none(dot([time_derivative(x) for x in printed], along))


def test_elastica_adjoint():
    put, along, across, kappa = by_length()
    covector = any_field(elastica().system.q, "E")
    found = substitute(elastica().find_projector().adjoint(covector), put)
    lost = time_derivative(dot(covector, across) / kappa)
    part = dot(covector, along)
    assert same(found, [(part - lost) * t for t in along])


def multiplier():
    _, _, _, kappa = by_length()
    F1, F0 = strength()
    return twice(F1) / kappa + kappa * F1 - F0


def test_elastica_equations():
    put, along, across, kappa = by_length()
    L = elastica().formulations.lagrangian
    down = substitute(elastica().find_projector().adjoint(L.euler), put)
    assert same([dot(down, along), dot(down, across)], [-time_derivative(multiplier()), ZERO])
    # the non-holonomic one: E_L on ker Omega_f = <N>
    F1, F0 = strength()
    assert same([dot(substitute(list(L.euler), put), across)], [twice(F1) + kappa**2 * F1 - kappa * F0])


def test_elastica_of_euler():
    # F = kappa^2: the multiplier is c where 2 kappa'' + kappa^3 = c kappa
    kappa = by_length()[3]
    F1, F0 = 2 * kappa, kappa**2
    constant = twice(F1) / kappa + kappa * F1 - F0
    assert same([constant * kappa], [2 * twice(kappa) + kappa**3])


def test_elastica_cartan_form():
    put, along, across, kappa = by_length()
    theta = elastica().cartan_form
    (name,) = elastica().formulations.multipliers
    x, y = elastica().system.q
    parts = [theta.component(theta.chart.place(q)) for q in (x, y, x.dot, y.dot, T)]
    found = substitute(parts, {**put, name: multiplier()})
    F1, _ = strength()
    first = [twice(F1) / kappa * t - time_derivative(F1) * n for t, n in zip(along, across, strict=True)]
    assert same(found[:4], [*first, *(F1 * n for n in across)])
    # the printed form has no dt; it is minus the multiplier
    assert same(found[4:], [-multiplier()])
    assert not none(*found[4:])


def test_elastica_conservation_laws():
    _, along, across, kappa = by_length()
    F1, F0 = strength()
    carried = [twice(F1) / kappa * t - time_derivative(F1) * n for t, n in zip(along, across, strict=True)]
    rate = time_derivative(multiplier())
    # the vector is parallel, and the moment of momentum constant, exactly where the multiplier is
    assert same([time_derivative(c) for c in carried], [rate * t for t in along])
    place = elastica().system.q
    turned = [-place[1], place[0]]
    moment = dot(carried, turned) + F1
    speeds = dict(zip((q.dot for q in place), along, strict=True))
    assert same(substitute([time_derivative(moment)], speeds), [rate * dot(along, turned)])
    # so F' is an affine function of the position
    assert same([F1], [moment - carried[1] * place[0] + carried[0] * place[1]])
    without = [(F0 - kappa * F1) * t - time_derivative(F1) * n for t, n in zip(along, across, strict=True)]
    assert is_zero(time_derivative(without[0]) - rate * along[0]).holds is False
