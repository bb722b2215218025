"""Section 5 and the examples of section 7: two robots on wheels, and two particles."""

from itertools import product

from dalembert.expr import ZERO, cos, diff, sin, substitute, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.geometry.tangent_bundle import energy, second_order_field
from dalembert.mechanics.chaplygin.connections.base import transposed
from papers.cantrijn_cortes_de_leon_martin_de_diego_2002.systems import (
    FIXED,
    PARTICLE,
    ROBOT,
    XY,
    accelerations,
    base,
    flat,
    measure,
    read,
    reduction,
    system,
)
from papers.exact import differ, dot, same


def entries(rows):
    return [entry for row in rows for entry in row]


def spans_d(name, fields):
    """Say whether fields, by components, span the constraint distribution."""
    rows = system(name).constraint_matrix().rows
    inside = [dot(mu, read(name, *field)) for mu in rows for field in fields]
    rank = generic_rank([read(name, *field) for field in fields]).rank
    return same(inside, [ZERO] * len(inside)) and rank == len(fields) == len(system(name).q) - len(rows)


def connection(name):
    """The components of gamma, by rows, in the order of the coordinates of the bundle."""
    return [[form.component(i) for i in range(form.chart.dimension)] for form in reduction(name).connection.forms]


def order(name):
    return [q.data.name for q in reduction(name).bundle.chart.coordinates]


# -- 5.1 ---------------------------------------------------------------------------------------------------------------
def test_fixed_robot_constraint_distribution():
    assert [q.data.name for q in system(FIXED).q] == ["theta", "psi", "x", "y"]
    assert spans_d(FIXED, [["1", "0", "0", "0"], ["0", "1", "R*cos(theta)", "R*sin(theta)"]])
    assert not spans_d(FIXED, [["1", "0", "0", "0"], ["0", "1", "R*sin(theta)", "R*cos(theta)"]])


def test_fixed_robot_connection():
    assert order(FIXED) == ["theta", "psi", "x", "y"]
    stated = read(FIXED, "0", "-R*cos(theta)", "1", "0", "0", "-R*sin(theta)", "0", "1")
    assert same(entries(connection(FIXED)), stated)


def test_fixed_robot_metric():
    assert same(entries(reduction(FIXED).reduced_metric), read(FIXED, "J", "0", "0", "3*Jw + m*R^2"))


def test_fixed_robot_moves_as_a_lagrangian_system():
    assert same(reduction(FIXED).gyroscopic, [ZERO, ZERO])
    assert same(accelerations(FIXED), [ZERO, ZERO])
    assert differ(accelerations(ROBOT), [ZERO, ZERO])  # unlike the other robot


def test_fixed_robot_has_one_connection():
    here = base(FIXED)
    assert same(flat(here.tensor), [ZERO] * 8)
    assert any(is_zero(c).holds is False for c in reduction(FIXED).curvature[0][1])  # though gamma is curved
    for one in (here.reduced, here.hamel_1, here.hamel_2):
        assert same(flat(one.symbols), flat(here.levi_civita.symbols))


# -- 5.2 ---------------------------------------------------------------------------------------------------------------
def test_robot_constraint_distribution():
    assert [q.data.name for q in system(ROBOT).q] == ["psi1", "psi2", "x", "y", "theta"]
    across = ["-R*cos(theta)/2", "-R*sin(theta)/2"]
    assert spans_d(ROBOT, [["1", "0", *across, "-R/(2*c)"], ["0", "1", *across, "R/(2*c)"]])
    assert not spans_d(ROBOT, [["1", "0", *across, "R/(2*c)"], ["0", "1", *across, "-R/(2*c)"]])


def test_robot_connection():
    assert order(ROBOT) == ["psi1", "psi2", "x", "y", "theta"]
    turn = "R/(2*c)"
    stated = [
        *read(ROBOT, f"R*cos(theta)/2 + y*{turn}", f"R*cos(theta)/2 - y*{turn}", "1", "0", "y"),
        *read(ROBOT, f"R*sin(theta)/2 - x*{turn}", f"R*sin(theta)/2 + x*{turn}", "0", "1", "-x"),
        *read(ROBOT, turn, f"-{turn}", "0", "0", "1"),
    ]
    assert same(entries(connection(ROBOT)), stated)


def test_robot_generators_are_those_of_the_action():
    a, b, s = symbol("a"), symbol("b"), symbol("s")
    x, y, theta = read(ROBOT, "x", "y", "theta")
    moved = [a + x * cos(s) - y * sin(s), b + x * sin(s) + y * cos(s), s + theta]
    unit = {a: ZERO, b: ZERO, s: ZERO}
    assert same(substitute(moved, unit), [x, y, theta])
    for parameter, field in zip((a, b, s), reduction(ROBOT).generators, strict=True):
        speed = substitute([diff(m, parameter) for m in moved], unit)
        assert same(field.components, [ZERO, ZERO, *speed])
    assert same(reduction(ROBOT).generators[2].components, read(ROBOT, "0", "0", "-y", "x", "1"))


def test_robot_curvature():
    stated = read(ROBOT, "R^2*sin(theta)/(2*c)", "-R^2*cos(theta)/(2*c)", "0")
    assert same(reduction(ROBOT).curvature[0][1], stated)
    assert differ(reduction(ROBOT).curvature[0][1], [-s for s in stated])


def test_robot_metric():
    a, b = read(ROBOT, "J2 + m*R^2/4 + J*R^2/(4*c^2)", "m*R^2/4 - J*R^2/(4*c^2)")
    assert same(entries(reduction(ROBOT).reduced_metric), [a, b, b, a])


def test_robot_gyroscopic_form():
    A, v1, v2 = read(ROBOT, "m0*l*R^3/(4*c^2)", "psi1'", "psi2'")
    right = [-A * (v1 - v2) * v2, A * (v1 - v2) * v1]
    assert same(reduction(ROBOT).gyroscopic, right)
    assert differ(reduction(ROBOT).gyroscopic, [-r for r in right])  # as printed


def test_robot_reduced_equation():
    # i_X omega = dE + alpha by components, with the metric as printed and the right alpha
    a, b = read(ROBOT, "J2 + m*R^2/4 + J*R^2/(4*c^2)", "m*R^2/4 - J*R^2/(4*c^2)")
    A, v1, v2 = read(ROBOT, "m0*l*R^3/(4*c^2)", "psi1'", "psi2'")
    one, two = accelerations(ROBOT)
    assert same([a * one + b * two, b * one + a * two], [A * (v1 - v2) * v2, -A * (v1 - v2) * v1])


def test_robot_metric_connection_tensor():
    (A,) = read(ROBOT, "m0*l*R^3/(4*c^2)")
    stated = {(0, 0, 1): A, (0, 1, 0): -A, (1, 0, 1): -A, (1, 1, 0): A}
    assert same(flat(base(ROBOT).tensor), [stated.get(at, ZERO) for at in product(range(2), repeat=3)])
    B = base(ROBOT).contorsion_hamel
    assert differ(flat(B), [-b for b in flat(transposed(B))])


def test_robot_christoffel_symbols():
    G = base(ROBOT).reduced.symbols
    K1, K2 = G[0][0][0], G[1][0][0]
    assert same(flat(G), [K1, -K2, -K1, K2, K2, -K1, -K2, K1])
    assert differ([G[0][0][1]], [G[0][1][0]])  # the first lower index is the direction


def test_robot_constants_of_the_connection():
    G = base(ROBOT).reduced.symbols
    found = [G[0][0][0], G[1][0][0]]
    below = "(4*c^2*(2*J2*c^2 + J*R^2)*(2*J2 + m*R^2))"
    K1 = f"m0*l*R^5*(J - m*c^2)/{below}"
    K2 = f"m0*l*R^3*(4*J2*c^2 + (J + m*c^2)*R^2)/{below}"
    assert same(found, read(ROBOT, K1, K2))
    under = "(4*c^2*(2*J*c^2 + J2*R^2)*(2*J + m*c^2))"
    printed = read(ROBOT, f"m0*R^5*l*(J2 - m*c^2)/{under}", f"R^3*l*(4*J*c^2 + (J2 + m*c^2)*R^2*m0)/{under}")
    assert all(is_zero(f - p).holds is False for f, p in zip(found, printed, strict=True))
    # exchanging J and J2 alone does not mend it
    swapped = read(ROBOT, "m0*R^5*l*(J - m*c^2)/(4*c^2*(2*J2*c^2 + J*R^2)*(2*J2 + m*c^2))")
    assert differ(found[:1], swapped)


# -- 7.2 ---------------------------------------------------------------------------------------------------------------
def test_counter_example_distribution_and_connection():
    assert spans_d(XY, [["1", "0", "y*x"], ["0", "1", "0"]])
    assert same(entries(connection(XY)), read(XY, "-y*x", "0", "1"))


def test_counter_example_curvature():
    assert same(reduction(XY).curvature[0][1], read(XY, "x"))


def test_counter_example_metric():
    assert same(entries(reduction(XY).reduced_metric), read(XY, "1 + x^2*y^2", "0", "0", "1"))


def test_counter_example_metric_connection_tensor():
    K = base(XY).tensor
    (value,) = read(XY, "x^2*y")
    stated = {(0, 0, 1): value, (0, 1, 0): -value}
    assert same(flat(K), [stated.get(at, ZERO) for at in product(range(2), repeat=3)])


def test_counter_example_contorsion():
    up, across = read(XY, "x^2*y", "-x^2*y/(1 + x^2*y^2)")
    stated = {(1, 0, 0): up, (0, 0, 1): across}  # upper index first
    assert same(flat(base(XY).contorsion_hamel), [stated.get(at, ZERO) for at in product(range(2), repeat=3)])


def test_counter_example_has_no_invariant_volume():
    beta, (x, y) = measure(XY).beta, base(XY).chart.coordinates
    parts = read(XY, "0", "-x^2*y/(1 + x^2*y^2)")
    assert same([beta.form.component(i) for i in range(2)], parts)
    assert differ([diff(parts[1], x)], [diff(parts[0], y)])  # so that it is the differential of no function


def test_classical_particle_has_an_invariant_volume():
    found = measure(PARTICLE)
    assert same([found.beta.form.component(i) for i in range(2)], read(PARTICLE, "0", "-y/(1 + y^2)"))
    assert same([found.beta.potential], read(PARTICLE, "log(1/(1 + y^2))/2"))
    (density,) = read(PARTICLE, "1/sqrt(1 + y^2)")
    assert same([found.density], [density])
    # with respect to det(g~) dq dq' it is kept, by plain derivatives
    x, y = base(PARTICLE).chart.coordinates
    weight = density * determinant(base(PARTICLE).metric)
    speeds = base(PARTICLE).velocities
    flow = zip((x, y, *speeds), (*speeds, *accelerations(PARTICLE)), strict=True)
    lost = [(1, diff(weight * rate, q)) for q, rate in flow]  # either way
    assert same([total(lost)], [ZERO])
    assert differ([total(lost[:2])], [ZERO])


def test_classical_particle_has_one_more_integral():
    (phi,) = read(PARTICLE, "x'*sqrt(1 + y^2)")
    last = measure(PARTICLE).find_last_integral()
    assert last is not None
    X = second_order_field(reduction(PARTICLE).base, accelerations(PARTICLE))
    assert is_zero(X(phi)).holds is True
    assert is_zero(X(energy(reduction(PARTICLE).base, reduction(PARTICLE).reduced_lagrangian))).holds is True
    assert is_zero(X(read(PARTICLE, "x'/sqrt(1 + y^2)")[0])).holds is False
    # the last multiplier gives a function of phi and of what was known before
    z = list(X.chart.coordinates)
    assert same([X(f) for f in (*last.used, last.expression)], [ZERO] * (1 + len(last.used)))
    rows = [[diff(f, q) for q in z] for f in (phi, *last.used, last.expression)]
    assert generic_rank(rows).rank == 1 + len(last.used)
