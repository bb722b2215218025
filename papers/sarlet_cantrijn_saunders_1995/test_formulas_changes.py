"""Sections 2 and 5: what a change of coordinates does, for any admissible change and any field."""

from dalembert.expr import ONE, ZERO, jacobian, time_derivative, total
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import VectorField
from dalembert.mechanics.second_order.changes import covariance_laws
from papers.exact import columns, differ, dot, same, unknown

from .general import T, X, Y, any_field

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
    assert all(law.verdict.holds for law in covariance_laws(S))
