"""Principal connections of left actions: from a constraint, from a metric, trivial; curvature by several methods."""

from collections.abc import Sequence
from itertools import combinations, product

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ONE, ZERO, Expr, cos, sin, solve, symbol, total
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry import (
    Chart,
    Distribution,
    VectorField,
    bracket,
    combination,
    coordinate_field,
    d,
    lie_derivative,
    nijenhuis,
    one_form,
    wedge,
)
from dalembert.geometry.connections import principal
from dalembert.geometry.connections.principal import PrincipalConnection
from dalembert.geometry.groups import se2
from dalembert.testing.objects import PLANE, Objects, U, V

x, y = symbol("x"), symbol("y")
theta, psi = symbol("theta", domain="angle"), symbol("psi", domain="angle")
R = symbol("R", role="parameter", domain="positive")
BASE = (U, V)
GROUP = se2()
BUNDLE = Chart.of(*BASE, *GROUP.chart.coordinates)


def vanish(expressions: Sequence[Expr]) -> bool | None:
    return all_vanish({f"{k}": e for k, e in enumerate(expressions)}).holds


def on_bundle(field: VectorField) -> VectorField:
    return VectorField.of(BUNDLE, dict(zip(GROUP.chart.coordinates, field.components, strict=True)))


GENERATORS = [on_bundle(e) for e in GROUP.spatial]
INVARIANT = [on_bundle(e) for e in GROUP.body]
CONSTANTS = GROUP.algebra.constants


def horizontal_fields(seed: int) -> list[VectorField]:
    """Invariant horizontal fields d_a - Gam_a^i(q) E^_i with random coefficients on the base."""
    some = Objects(seed, PLANE)
    return [
        coordinate_field(BUNDLE, q) - combination((some.function(), e) for e in INVARIANT) for q in PLANE.coordinates
    ]


def curved(seed: int) -> PrincipalConnection:
    return principal.from_forms(GENERATORS, Distribution.from_fields(horizontal_fields(seed)).forms)


def test_a_principal_connection_from_a_constraint() -> None:
    for seed in (1, 2):
        connection = curved(seed)
        assert connection.reproduces_generators().holds is True
        assert principal.equivariance(connection, CONSTANTS).holds is True
        for field in horizontal_fields(seed):
            assert (connection.horizontal_part(field) - field).is_zero().holds is True
            assert connection.vertical_part(field).is_zero().holds is True
            assert all(bracket(field, e).is_zero().holds for e in GENERATORS)
        lift = connection.horizontal_lift({U: ONE})
        assert (lift - horizontal_fields(seed)[0]).is_zero().holds is True
        h = connection.horizontal()
        assert (h @ h - h).is_zero().holds is True


def test_equivariance_knows_the_sign_of_the_constants() -> None:
    connection = curved(1)
    opposite = [[[-c for c in row] for row in square] for square in CONSTANTS]
    assert principal.equivariance(connection, opposite).holds is False
    bumpy = principal.given(
        GENERATORS, [connection.forms[0] + one_form(BUNDLE, [x, 0, 0, 0, 0]), *connection.forms[1:]]
    )
    assert bumpy.reproduces_generators().holds is True
    refuted = principal.equivariance(bumpy, CONSTANTS)
    assert refuted.holds is False
    assert refuted.evidence.startswith("form 1 moved by generator 1")
    double = principal.given(GENERATORS, [2 * connection.forms[0], *connection.forms[1:]])
    assert double.reproduces_generators().evidence.startswith("form 1 on generator 1")


def test_curvature_by_two_roads_and_the_bracket_of_lifts() -> None:
    connection = curved(2)
    some = Objects(9, BUNDLE)
    left, right = some.field(), some.field()
    ours, theirs = (f(connection, left, right) for f in (principal.curvature_form, principal.curvature_by_bracket))
    assert vanish([a - b for a, b in zip(ours, theirs, strict=True)]) is True
    assert vanish([a + b for a, b in zip(ours, theirs, strict=True)]) is False
    forms = principal.curvature_forms(connection)
    assert vanish([form(left, right) - value for form, value in zip(forms, ours, strict=True)]) is True
    # [X^h, Y^h] = [X, Y]^h - Omega(X, Y)_Q, and 1/2 [h, h] = -Omega_Q
    plane = Objects(3, PLANE)
    a, b = plane.field(), plane.field()
    lifts = [connection.horizontal_lift(dict(zip(BASE, f.components, strict=True))) for f in (a, b, bracket(a, b))]
    omega = combination(zip(principal.curvature_form(connection, *lifts[:2]), GENERATORS, strict=True))
    assert (bracket(lifts[0], lifts[1]) - lifts[2] + omega).is_zero().holds is True
    assert (bracket(lifts[0], lifts[1]) - lifts[2] - omega).is_zero().holds is False
    table = nijenhuis(connection.horizontal())
    for i, j in combinations(range(BUNDLE.dimension), 2):
        value = combination(zip((form.component(i, j) for form in forms), GENERATORS, strict=True))
        assert (table[i, j] + value).is_zero().holds is True


def test_structure_equation_of_a_left_action_has_a_minus() -> None:
    connection = curved(1)
    omega = principal.curvature_forms(connection)
    right = principal.structure_equation(connection, CONSTANTS)
    assert all((a - b).is_zero().holds for a, b in zip(omega, right, strict=True))
    opposite = [[[-c for c in row] for row in square] for square in CONSTANTS]
    wrong = principal.structure_equation(connection, opposite)  # the sign of right actions
    assert not all((a - b).is_zero().holds for a, b in zip(omega, wrong, strict=True))


@pytest.mark.parametrize(("sign", "true"), [(1, True), (-1, False)])
@pytest.mark.thorough("-1-False")
def test_bianchi_of_a_principal_connection(sign: int, true: bool) -> None:
    connection = curved(2)
    omega = principal.curvature_forms(connection)
    verdicts = []
    for a in range(3):
        rest = d(omega[a])
        for b, c in product(range(3), repeat=2):
            rest = rest - (sign * CONSTANTS[b][c][a]) * wedge(connection.forms[b], omega[c])
        verdicts.append(rest.is_zero().holds)
    assert all(verdicts) is true
    # and the curvature turns with the group as the form does
    for b, a in product(range(3), repeat=2):
        rest = lie_derivative(GENERATORS[b], omega[a])
        for c in range(3):
            rest = rest - CONSTANTS[b][c][a] * omega[c]
        assert rest.is_zero().holds is True


def test_the_robot_with_fixed_orientation() -> None:
    chart = Chart.of(theta, psi, x, y)
    rolling = Distribution.from_forms(chart, [[0, -R * cos(theta), 1, 0], [0, -R * sin(theta), 0, 1]])
    connection = principal.from_forms([coordinate_field(chart, q) for q in (x, y)], rolling.forms)
    one, two = principal.curvature_forms(connection)
    area = wedge(one_form(chart, [1, 0, 0, 0]), one_form(chart, [0, 1, 0, 0]))
    assert (one - R * sin(theta) * area).is_zero().holds is True
    assert (two + R * cos(theta) * area).is_zero().holds is True


def invariant_metric(connection: PrincipalConnection) -> list[list[Expr]]:
    """du^2 + dv^2 plus the squares of the connection form in the body frame, which makes them invariant."""
    matrix = [[e.components[i] for e in INVARIANT] for i in range(2, 5)]
    turned = [solve(matrix, list(e.components[2:])) for e in GENERATORS]  # E~_b = turned[b][a] E^_a
    size = range(BUNDLE.dimension)
    rows = [
        [total([(1, turned[b][a] * connection.forms[b].component(i)) for b in range(3)]) for i in size]
        for a in range(3)
    ]
    plain = [[ONE if i == j and i < 2 else ZERO for j in size] for i in size]
    return [[plain[i][j] + total([(1, row[i] * row[j]) for row in rows]) for j in size] for i in size]


def test_the_mechanical_connection_is_orthogonal_to_the_orbits() -> None:
    connection = curved(1)
    metric = invariant_metric(connection)
    found = principal.from_metric(metric, GENERATORS)
    assert found.reproduces_generators().holds is True
    assert principal.equivariance(found, CONSTANTS).holds is True
    assert all((a - b).is_zero().holds for a, b in zip(found.forms, connection.forms, strict=True))
    metric[0][0] = metric[0][0] + x**2  # not invariant, but this entry is not asked about
    assert principal.equivariance(principal.from_metric(metric, GENERATORS), CONSTANTS).holds is True
    metric[0][2] = metric[2][0] = metric[0][2] + x
    assert principal.equivariance(principal.from_metric(metric, GENERATORS), CONSTANTS).holds is False


def test_the_trivial_connection_is_flat() -> None:
    flat = principal.trivial(BUNDLE, GENERATORS, BASE)
    assert flat.reproduces_generators().holds is True
    assert principal.equivariance(flat, CONSTANTS).holds is True
    assert all(form.is_zero().holds for form in principal.curvature_forms(flat))
    assert any(form.is_zero().holds is False for form in principal.curvature_forms(curved(1)))
    assert (flat.horizontal_lift({U: V}) - V * coordinate_field(BUNDLE, U)).is_zero().holds is True
    with pytest.raises(ExpressionError, match="3 generators need as many fibre coordinates, not 4"):
        principal.trivial(BUNDLE, GENERATORS, [U])
    with pytest.raises(ExpressionError, match="moves the base coordinate 'x'"):
        principal.trivial(BUNDLE, GENERATORS[:2], [U, V, x])
    with pytest.raises(ExpressionError, match="as many connection forms"):
        principal.given(GENERATORS, flat.forms[:2])
    with pytest.raises(ExpressionError, match="live on one chart"):
        principal.given(GENERATORS[:1], [one_form(PLANE, [1, 0])])
    with pytest.raises(ExpressionError, match="3 forms cannot complement the orbits of 2"):
        principal.from_forms(GENERATORS[:2], Distribution.from_fields(horizontal_fields(1)).forms)
