"""Sections 2, 5 and 7: changes of coordinates and of the fibration, and any nonlinear constraint."""

from dalembert.expr import ONE, ZERO, diff, jacobian, substitute, time_derivative, total
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import VectorField, bracket
from dalembert.mechanics.second_order.calculus_along import Along, horizontal_lift, jacobi, nabla, vertical_lift
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.identities import any_along
from papers.exact import columns, differ, dot, same, unknown

from .general import T, X, Y, Z, any_field

S = any_field()
BOTH = range(2)
GIVEN = S.dependent


def test_velocities_under_an_admissible_change():
    free, given = unknown("Qx", T, X, Y), unknown("Qz", T, X, Y, *GIVEN)
    slopes = gradient(free, [X, Y])
    assert same(
        [time_derivative(free)], [total([(1, slopes[0] * X.dot), (1, slopes[1] * Y.dot)]) + gradient(free, [T])[0]]
    )
    q = [*GIVEN, X, Y]
    terms = [(1, slope * x.dot) for slope, x in zip(gradient(given, q), q, strict=True)]
    assert same([time_derivative(given)], [total([*terms, (1, gradient(given, [T])[0])])])
    assert differ([time_derivative(given)], [total(terms)])


def test_the_connection_changes_as_it_should():
    # any change at all: Q^alpha(t, x, y) and Q^a(t, x, y, z, w), whose inverse is known by its slopes
    new_free, new_given = [unknown(f"Q{n}", T, X, Y) for n in "xy"], [unknown(f"Q{n}", T, X, Y, *GIVEN) for n in "zw"]
    turned = jacobian(new_free, [X, Y])
    back = columns([solve(turned, unit) for unit in ((ONE, ZERO), (ZERO, ONE))])  # dq^beta/dQ^alpha
    clock = solve(turned, [-gradient(one, [T])[0] for one in new_free])  # dq^beta/dt of the inverse
    fibre = jacobian(new_given, GIVEN)
    start = VectorField.of(S.chart, {T: ONE, **dict(zip(GIVEN, S.drift, strict=True))})
    across = [x.apply(new_given) for x in S.horizontal]
    slopes = [[dot([across[be][a] for be in BOTH], [back[be][al] for be in BOTH]) for al in BOTH] for a in BOTH]
    drift = [start(one) + dot(clock, [across[be][a] for be in BOTH]) for a, one in enumerate(new_given)]
    # the velocities of the new coordinates along curves that obey the constraints obey the new ones
    rates, speeds = S.field.apply(new_given), S.field.apply(new_free)
    assert same(rates, [dot(row, speeds) + rest for row, rest in zip(slopes, drift, strict=True)])
    bare = [start(one) for one in new_given]  # without dq/dt of the inverse map
    assert differ(rates, [dot(row, speeds) + rest for row, rest in zip(slopes, bare, strict=True)])
    # C^a_alpha of the new connection, by its definition: X_alpha at fixed new velocities
    curved = [
        [
            S.field(slopes[a][al])
            - dot(columns(back)[al], [dot(x.apply(slopes[a]), speeds) + x(drift[a]) for x in S.horizontal])
            for al in BOTH
        ]
        for a in BOTH
    ]
    carried = [[dot([dot(fibre[a], c) for c in columns(S.curvature)], columns(back)[al]) for al in BOTH] for a in BOTH]
    assert same([e for row in curved for e in row], [e for row in carried for e in row])
    plain = [[dot([c[a] for c in columns(S.curvature)], columns(back)[al]) for al in BOTH] for a in BOTH]
    assert differ([e for row in curved for e in row], [e for row in plain for e in row])


# -- 7 -----------------------------------------------------------------------------------------------------------------
PLACE = (T, X, Y, Z)
FORCES = tuple(unknown(f"f{n}", *PLACE, X.dot, Y.dot) for n in "xy")


def test_another_fibration_of_any_field():
    """With x dependent in the place of z, for any z' = a x' + b y' + c and any forces: carried over by hand."""
    a, b, c = (unknown(n, *PLACE) for n in "abc")
    one = SecondOrderField((X, Y), (Z,), ((a, b),), (c,), FORCES)
    speed = (Z.dot - b * Y.dot - c) / a
    rates = substitute([FORCES[1], one.field(one.dependent_velocities[0])], {X.dot: speed})
    other = SecondOrderField.solved({X: speed, Y: Y.dot, Z: Z.dot}, tuple(rates))
    here = {Z.dot: a * X.dot + b * Y.dot + c}
    assert other.independent == (Y, Z)
    assert same(substitute([other.field(speed)], here), [FORCES[0]])  # the motion is the same
    assert same([*other.coefficients[0], *other.drift], [-b / a, 1 / a, -c / a])
    # X'_y = X_y - (b/a) X_x and X'_z = X_x/a; d_z = X'_z - (1/a) d_x
    along, bent = ((-b / a, ONE), (1 / a, ZERO)), one.curvature[0]
    curved = [dot(bent, parts) for parts in along]
    assert same(substitute(other.curvature[0], here), [-e / a for e in curved])
    # lifts differ by half of what the curvature has along X'_z: by their values on x' and y'
    slopes = [[-diff(f, v) / 2 for v in (X.dot, Y.dot)] for f in FORCES]
    new = [[-diff(f, v) / 2 for v in (Y.dot, Z.dot)] for f in rates]
    for n, parts in enumerate(along):
        turned = [new[k][n] for k in BOTH]
        lifted = [other.horizontal[n](f) - dot(turned, [diff(f, v) for v in (Y.dot, Z.dot)]) for f in (speed, Y.dot)]
        plain = [-dot(row, parts) for row in slopes]
        assert same(substitute(lifted, here), [plain[0] + curved[n] / (2 * a), plain[1]])
        assert differ(substitute(lifted, here), plain)


def test_the_calculus_under_any_nonlinear_constraint():
    """For z' = g(t, q, x', y'): [Gamma, X^V] = (nabla X)^V - X^H, [Gamma, X^H] = (nabla X + Psi(X))^H + Phi(X)^V."""
    steep = unknown("g", *PLACE, X.dot, Y.dot)
    one = SecondOrderField.solved({X: X.dot, Y: Y.dot, Z: steep}, FORCES)
    assert not one.is_affine
    field, J = any_along(one, "xi"), jacobi(one)
    moved, plain = nabla(one, field), Along(ZERO, field.across, (ZERO,))
    upright = bracket(one.field, vertical_lift(one, field))
    assert (upright - vertical_lift(one, moved) + horizontal_lift(one, plain)).is_zero().holds is True
    assert (upright - vertical_lift(one, moved) - horizontal_lift(one, plain)).is_zero().holds is False
    level = bracket(one.field, horizontal_lift(one, field)) - horizontal_lift(one, moved)
    rest = horizontal_lift(one, J.Psi(field)) + vertical_lift(one, J.Phi(field))
    assert (level - rest).is_zero().holds is True
    twin = jacobi(SecondOrderField.solved({X: X.dot, Y: Y.dot, Z: -steep}, FORCES))
    wrong = horizontal_lift(one, twin.Psi(field)) + vertical_lift(one, J.Phi(field))
    assert (level - wrong).is_zero().holds is False
