"""Section 4: the action along flows.

What is said of flows is shown three times: by its rate, for any L and any field of second order under any constraint;
in closed form, for the oscillator and for the skate on a level plane; and measured, on machines with drawn numbers.
"""

from functools import cache

from dalembert.expr import ZERO, cos, diff, gradient, hessian, jacobian, sin, solve, substitute, symbol
from dalembert.expr.symbols import Symbol
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, bracket, coordinate_field
from dalembert.geometry.forms import Form, d, interior, lie_derivative, one_form, pull_back
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

from .flows import arm, direction, measure, trailer
from .systems import absorbs, charged, product

X, Y = symbol("x"), symbol("y")
Q, V = (X, Y), (X.dot, Y.dot)
PHASE = Chart((*Q, *V))
LAGRANGIAN = unknown("L", *Q, *V)
MOMENTA = gradient(LAGRANGIAN, V)
THETA = one_form(PHASE, [*MOMENTA, ZERO, ZERO])
OMEGA = -d(THETA)
ENERGY = dot(MOMENTA, V) - LAGRANGIAN
TIME = symbol(Symbol("time of the flow", role="parameter"))


def vanishes(form):
    return form.is_zero().holds is True


def second_order(accelerations):
    return VectorField.of(PHASE, [*V, *accelerations])


def delta_L(field):
    """Return delta L at a second-order field, as a 1-form that is blind to velocities."""
    cross, inertia = jacobian(MOMENTA, Q), hessian(LAGRANGIAN, V)
    pushed = field.components[2:]
    slopes = gradient(LAGRANGIAN, Q)
    parts = [s - dot(c, V) - dot(m, pushed) for s, c, m in zip(slopes, cross, inertia, strict=True)]
    return one_form(PHASE, [*parts, ZERO, ZERO])


ANY = second_order([unknown("f", *Q, *V), unknown("g", *Q, *V)])


# -- identities --------------------------------------------------------------------------------------------------
def test_the_two_form_of_a_lagrangian():
    cross, inertia = jacobian(MOMENTA, Q), hessian(LAGRANGIAN, V)
    terms = {(i, 2 + j): inertia[i][j] for i in range(2) for j in range(2)}
    stated = Form.of(PHASE, 2, terms) + Form.of(PHASE, 2, {(0, 1): cross[0][1] - cross[1][0]})
    assert vanishes(OMEGA - stated)


def test_the_action_moved_by_any_second_order_field():
    moved = lie_derivative(ANY, THETA)
    assert vanishes(d(LAGRANGIAN, PHASE) - moved - delta_L(ANY))
    assert vanishes(moved - interior(ANY, d(THETA)) - d(THETA(ANY), PHASE))
    assert vanishes(moved + interior(ANY, OMEGA) - d(ENERGY + LAGRANGIAN, PHASE))
    assert same([THETA(ANY) - LAGRANGIAN], [ENERGY])


def test_omega_energy_and_delta_L():
    left = interior(ANY, OMEGA) - d(ENERGY, PHASE)
    assert vanishes(left - delta_L(ANY))
    assert not vanishes(left + delta_L(ANY))


def test_the_lagrangian_field():
    cross = jacobian(MOMENTA, Q)
    right = [s - dot(c, V) for s, c in zip(gradient(LAGRANGIAN, Q), cross, strict=True)]
    field = second_order(solve(hessian(LAGRANGIAN, V), right))
    assert vanishes(d(LAGRANGIAN, PHASE) - lie_derivative(field, THETA))
    assert vanishes(interior(field, OMEGA) - d(ENERGY, PHASE))


# -- any constraint, by rates ------------------------------------------------------------------------------------
@cache
def any_motion(*cyclic):
    """Return L, theta_L, delta L and a field of second order on z' = G(q, x', y'): all unspecified.

    None of them depends on the coordinates that are named, so that these can be shifted.
    """
    q = [symbol(n) for n in "xyz"]
    chart = Chart.of(*q, q[0].dot, q[1].dot)
    here = [c for c in chart.coordinates if c not in cyclic]
    z_dot = unknown("G", *here)
    lagrangian = unknown("L", *(c for c in q if c not in cyclic), *(c.dot for c in q))
    momenta = substitute(gradient(lagrangian, [c.dot for c in q]), {q[2].dot: z_dot})
    field = VectorField.of(chart, [q[0].dot, q[1].dot, z_dot, unknown("f", *here), unknown("g", *here)])
    slopes = substitute(gradient(lagrangian, q), {q[2].dot: z_dot})
    theta = one_form(chart, [*momenta, ZERO, ZERO])
    force = one_form(chart, [*(s - field(p) for s, p in zip(slopes, momenta, strict=True)), ZERO, ZERO])
    (on,) = substitute([lagrangian], {q[2].dot: z_dot})
    return on, theta, force, field


@cache
def assert_by_rates():
    """The rate of dS_t = F_t^* theta - theta + alpha_t is d L = L_Y theta + delta L, that of omega is d(delta L)."""
    lagrangian, theta, force, field = any_motion()
    moved = lie_derivative(field, theta)
    assert vanishes(d(lagrangian, theta.chart) - moved - force)
    assert not vanishes(d(lagrangian, theta.chart) - moved + force)
    assert not vanishes(d(lagrangian, theta.chart) - moved)
    bent = lie_derivative(field, -d(theta))
    assert vanishes(bent - d(force))
    assert not vanishes(bent)


@cache
def assert_symmetry_by_rates():
    """Where nothing depends on x and z, the flow moves their shifts along, and momenta change by delta L alone."""
    x, z = symbol("x"), symbol("z")
    lagrangian, theta, force, field = any_motion(x, z)
    for shift in (coordinate_field(theta.chart, x), coordinate_field(theta.chart, z)):
        assert same(bracket(shift, field).components, [ZERO] * 5)
        assert same([shift(lagrangian), field(theta(shift)) + force(shift)], [ZERO] * 2)
        assert differ([field(theta(shift))], [ZERO])
    held = coordinate_field(theta.chart, symbol("y"))
    assert differ(bracket(held, field).components, [ZERO] * 5)


def along_drawn_flows(machine, seed):
    """Measure dS_t and F_t^* theta - theta + alpha_t on two drawn directions; return both measurements."""
    both = [measure(machine, direction(machine, seed + k), 0.6) for k in range(2)]
    for one in both:
        assert abs(one.action - (one.carried - one.stated + one.work)) < 1e-8
        assert abs(one.action - (one.carried + one.stated)) > 1e-3
    return both


def omega(dq, dp, other_dq, other_dp):
    return dq @ other_dp - other_dq @ dp


# -- a flow without constraints ----------------------------------------------------------------------------------
def test_the_action_along_a_flow():
    c, s = cos(TIME), sin(TIME)
    lagrangian = (V[0] ** 2 + V[1] ** 2 - X**2 - Y**2) / 2
    theta = one_form(PHASE, [*V, ZERO, ZERO])
    flow = [*(c * q + s * v for q, v in zip(Q, V, strict=True)), *(c * v - s * q for q, v in zip(Q, V, strict=True))]
    along = dict(zip(PHASE.coordinates, flow, strict=True))
    action = (dot(flow[:2], flow[2:]) - dot(Q, V)) / 2  # L = (q q')'/2 on motions
    assert same([diff(action, TIME)], substitute([lagrangian], along))
    assert same(substitute([action], {TIME: ZERO}), [ZERO])
    moved = pull_back(theta, PHASE, flow)
    assert vanishes(d(action, PHASE) - moved + theta)
    assert vanishes(pull_back(-d(theta), PHASE, flow) + d(theta))
    turn = VectorField.of(PHASE, [-Y, X, -Y.dot, X.dot])
    assert same([turn(action), moved(turn)], [ZERO, theta(turn)])
    assert differ([moved(coordinate_field(PHASE, X))], [theta(coordinate_field(PHASE, X))])
    # any L: where delta L = 0 the rates of (9), of omega and of a momentum are these
    assert_by_rates()
    assert_symmetry_by_rates()
    one, other = along_drawn_flows(arm(4), 4)
    assert max(abs(one.work), abs(other.work)) < 1e-12
    assert abs(omega(*one.forms[2:], *other.forms[2:]) - omega(*one.forms[:2], *other.forms[:2])) < 1e-8


# -- a flow with a constraint ------------------------------------------------------------------------------------
PHI, SPEED, RATE = symbol("phi"), symbol("u"), symbol("w")
SKATE = Chart.of(X, Y, PHI, SPEED, RATE)
KNIFE = one_form(SKATE, [SPEED * cos(PHI), SPEED * sin(PHI), RATE, ZERO, ZERO])
"""theta_L of L = (x'^2 + y'^2 + phi'^2)/2 on D, x' = u cos(phi), y' = u sin(phi), phi' = w."""


@cache
def skating():
    """Return the flow, the action and delta L along it."""
    turned = PHI + RATE * TIME
    reach = SPEED / RATE
    flow = [X + reach * (sin(turned) - sin(PHI)), Y - reach * (cos(turned) - cos(PHI)), turned, SPEED, RATE]
    action = TIME * (SPEED**2 + RATE**2) / 2
    # delta L = -q'', so u w (sin dx - cos dy)
    force = one_form(SKATE, [SPEED * RATE * sin(PHI), -SPEED * RATE * cos(PHI), ZERO, ZERO, ZERO])
    return flow, action, force


def rate_of(form):
    return Form.of(SKATE, form.degree, {k: diff(e, TIME) for k, e in form.terms.items()})


def at_start(form):
    return Form.of(
        SKATE, form.degree, dict(zip(form.terms, substitute(list(form.terms.values()), {TIME: ZERO}), strict=True))
    )


def assert_that_the_library_moves_so():
    system = System.of(
        name="level skate",
        coordinates={"x": "real", "y": "real", "phi": "angle"},
        lagrangian="(x'^2 + y'^2 + phi'^2)/2",
        constraints={"blade": "y'*cos(phi) = x'*sin(phi)"},
        fibration={"dependent": ["y"]},
    )
    found = semisymplectic.derive(system)
    phi = system.q[2]
    flow, _, _ = skating()
    at = {PHI: phi, SPEED: system.v[0] / cos(phi), RATE: system.v[2]}
    first = substitute([diff(e, TIME) for e in flow[:3]], {TIME: ZERO})
    assert same(substitute(first, at), found.field.components[:3])
    twice = substitute([diff(diff(e, TIME), TIME) for e in flow[:3]], {TIME: ZERO})
    assert same([substitute(twice, at)[0], substitute(twice, at)[2]], found.field.components[3:])


def test_the_action_along_a_constrained_flow():
    # dS_t = F_t^* theta - theta + alpha_t holds at t = 0, where alpha_t = 0, and its rate is that of dS_t
    assert_that_the_library_moves_so()
    flow, action, force = skating()
    moved, worked = pull_back(KNIFE, SKATE, flow), pull_back(force, SKATE, flow)
    assert vanishes(at_start(moved) - KNIFE)
    assert vanishes(rate_of(d(action, SKATE)) - rate_of(moved) - worked)
    assert not vanishes(rate_of(d(action, SKATE)) - rate_of(moved))
    # and so d alpha_t = F_t^* omega - omega
    bent = pull_back(-d(KNIFE), SKATE, flow)
    assert vanishes(rate_of(bent) - d(worked))
    assert not vanishes(rate_of(bent))
    assert_by_rates()
    one, other = along_drawn_flows(trailer(7), 7)
    assert min(abs(one.work), abs(other.work)) > 1e-3
    assert abs(omega(*one.forms[2:], *other.forms[2:]) - omega(*one.forms[:2], *other.forms[:2])) > 1e-3


GENERATORS = {
    "x": VectorField.of(SKATE, [1, 0, 0, 0, 0]),
    "y": VectorField.of(SKATE, [0, 1, 0, 0, 0]),
    "turn": VectorField.of(SKATE, [-Y, X, 1, 0, 0]),
}


def test_symmetries_move_along_the_flow():
    flow, action, force = skating()
    along = dict(zip(SKATE.coordinates, flow, strict=True))
    moved, worked = pull_back(KNIFE, SKATE, flow), pull_back(force, SKATE, flow)
    for generator in GENERATORS.values():
        assert same(generator.apply(flow), substitute(list(generator.components), along))
        assert same([generator(action)], [ZERO])
        assert same([diff(moved(generator), TIME) + worked(generator)], [ZERO])
    assert differ([worked(GENERATORS["x"])], [ZERO])
    assert_symmetry_by_rates()


def test_momenta_are_stationary_where_a_generator_meets_D():
    _, _, force = skating()
    drive = VectorField.of(SKATE, [SPEED * cos(PHI), SPEED * sin(PHI), RATE, ZERO, ZERO])
    for name, generator in GENERATORS.items():
        momentum = KNIFE(generator)
        outside = generator.components[1] * cos(PHI) - generator.components[0] * sin(PHI)
        assert same([drive(momentum)], [SPEED * RATE * outside]), name
        assert same([drive(momentum)], [-force(generator)])
    # along xi(t) = cos(phi) e_x + sin(phi) e_y + s(t) (e_phi about the blade), which lies in D
    a, b, c = cos(PHI), sin(PHI), unknown("s", PHI, RATE)
    weights = [a + c * Y, b - c * X, c]
    fields = list(GENERATORS.values())
    section = VectorField.of(SKATE, [dot(weights, [g.components[i] for g in fields]) for i in range(5)])
    assert same([section.components[1] * cos(PHI) - section.components[0] * sin(PHI)], [ZERO])
    moved = [drive(w) for w in weights]
    momenta = [KNIFE(g) for g in fields]
    assert same([drive(dot(weights, momenta))], [dot(momenta, moved)])
    assert differ([drive(dot(weights, momenta))], [ZERO])
    # any L and constraint that can be shifted along x and z: d/dt J_xi(t) = J_xi' less delta L on xi, zero in D
    _, theta, push, field = any_motion(X, symbol("z"))
    weights = [unknown(n, *theta.chart.coordinates) for n in "vw"]
    shifts = [coordinate_field(theta.chart, c) for c in (X, symbol("z"))]
    momenta, lost = [theta(shift) for shift in shifts], dot(weights, [push(shift) for shift in shifts])
    assert same([field(dot(weights, momenta))], [dot(momenta, [field(w) for w in weights]) - lost])
    assert differ([field(dot(weights, momenta))], [dot(momenta, [field(w) for w in weights]) + lost])


# -- symplecticity, semi-Hamilton's equations --------------------------------------------------------------------
def test_a_product_is_symplectic_on_its_holonomic_part():
    found = product()
    manifold = found.manifold
    pair = [coordinate_field(manifold.chart, c) for c in (found.system.q[3], found.system.v[3])]
    assert absorbs(manifold, pair)
    assert not absorbs(manifold, manifold.basis[:2])
    moved = lie_derivative(found.field, manifold.form)
    assert same([moved(*pair)], [ZERO])
    assert differ([moved(a, b) for a in manifold.basis for b in manifold.basis], [ZERO] * 36)
    # D_0' projects to D_0, and brackets of D_0 stay in D
    holonomic = VectorField.of(found.system.chart, [0, 0, 0, 1])
    inside = Distribution.from_forms(found.system.chart, [found.system.constraint_matrix().rows[0]])
    assert same(inside.leaving(bracket(holonomic, found.system.q[3] * holonomic)), [ZERO])


def test_the_derivative_of_a_one_form():
    alpha = one_form(PHASE, [unknown(f"a{i}", *PHASE.coordinates) for i in range(4)])
    one, two = (VectorField.of(PHASE, [unknown(f"{n}{i}", *PHASE.coordinates) for i in range(4)]) for n in "bc")
    assert same([d(alpha)(one, two)], [one(alpha(two)) - two(alpha(one)) - alpha(bracket(one, two))])


def test_semi_hamilton_equations():
    found = charged()
    manifold = found.manifold
    left = interior(found.field, manifold.form) - d(found.energy, manifold.chart)
    # delta L = -lambda, with lambda a multiple of the constraint form
    rows = found.motion.annihilator
    force = [-dot(found.motion.multipliers, [row[i] for row in rows]) for i in range(3)]
    assert vanishes(left - one_form(manifold.chart, [*force, ZERO, ZERO]))
    assert not vanishes(left)
    assert same([left(k) for k in manifold.basis], [ZERO] * 4)
    assert same(found.semi_hamiltonian_part.components, found.field.components)


def test_the_block_matrix_of_omega():
    found = charged()
    gram, fields = found.manifold.gram, found.motion.virtual
    inertia = found.motion.manifold.on([e for row in hessian(found.system.lagrangian, found.system.v) for e in row])
    inertia = [inertia[3 * i : 3 * i + 3] for i in range(3)]
    for a, one in enumerate(fields):
        for b, other in enumerate(fields):
            stated = dot(one, [dot(row, other) for row in inertia])
            assert same([gram[a][2 + b], gram[2 + a][b], gram[2 + a][2 + b]], [stated, -stated, ZERO])
    assert found.manifold.regular().rank == 4
