"""Connections: Ehresmann's with drift and time, affine ones with torsion."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ONE, ZERO, Expr, cos, diff, number, sin, substitute, symbol, time_derivative, total
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry import (
    AffineConnection,
    Chart,
    EhresmannConnection,
    bracket,
    constraint_connection,
    coordinate_field,
    curvature_forms,
    levi_civita,
    nijenhuis,
)
from dalembert.geometry.connections import metric_connection, metricity, principal, riemann, torsion
from dalembert.geometry.tangent_bundle import second_order_field
from dalembert.geometry.tensors import identity
from dalembert.testing.objects import PLANE, SPACE, Objects, T, U, V

x, y, z = (symbol(n) for n in "xyz")
theta, psi = symbol("theta", domain="angle"), symbol("psi", domain="angle")
R, m, I = (symbol(n, role="parameter", domain="positive") for n in ("R", "m", "I"))  # noqa: E741 (the names of the papers)
ROOM = Chart.of(x, y, z)


def vanish(expressions: Sequence[Expr]) -> bool | None:
    return all_vanish({f"{k}": e for k, e in enumerate(expressions)}).holds


def at(expressions: Sequence[Expr], point: dict[Expr, int | Fraction]) -> list[Expr]:
    return substitute(list(expressions), {q: number(v) for q, v in point.items()})


# -- Ehresmann ---------------------------------------------------------------------------------------------------
def bent(seed: int, *, time: bool) -> EhresmannConnection:
    """A connection with random slopes, and a drift and explicit time if asked for."""
    some = Objects(seed, SPACE, time=time)
    rows = [[some.function(), some.function(), ONE]]
    return constraint_connection(SPACE, rows, [some.function()] if time else None, dependent=[2])


@pytest.mark.parametrize("time", [False, True])
def test_projectors_and_curvature_of_ehresmann_connections(time: bool) -> None:
    for seed in (1, 2):
        connection = bent(seed, time=time)
        assert len(connection.base) == 2 + time
        h, v = connection.horizontal(), connection.vertical()
        for rest in (h @ h - h, v @ v - v, h @ v, h + v - identity(connection.chart)):
            assert rest.is_zero().holds is True
        fields = connection.fields
        for field in fields.values():
            assert (h(field) - field).is_zero().holds is True
        up = coordinate_field(connection.chart, connection.fibre[0])
        assert h(up).is_zero().holds is True
        # R = 1/2 [h, h]: the Nijenhuis tensor, the coordinate formula and the bracket are one
        table = nijenhuis(h)
        flat = True
        for (a, b), (value,) in connection.curvature().items():
            i, j = connection.chart.place(a), connection.chart.place(b)
            assert (table[i, j] - value * up).is_zero().holds is True
            slope = fields[a](connection.slope(connection.fibre[0], b)) - fields[b](
                connection.slope(connection.fibre[0], a)
            )
            assert is_zero(value - slope).holds is True
            assert (bracket(fields[a], fields[b]) - value * up).is_zero().holds is True
            flat = flat and is_zero(value).holds is True
        assert not flat
        k = connection.chart.place(connection.fibre[0])
        assert all(vector.is_zero().holds for pair, vector in table.items() if k in pair)  # it needs two directions


def test_four_dresses_of_one_curvature() -> None:
    """R of the connection = Nijenhuis of h = -Delta of the distribution = -Omega of the principal connection."""
    f, g = x * y + sin(x), x**2 - y
    chart = ROOM
    connection = constraint_connection(chart, [[-f, -g, 1]], dependent=[2])
    (value,) = connection.curvature()[x, y]
    assert is_zero(value - (diff(g, x) - diff(f, y))).holds is True
    along_x, along_y = connection.fields[x], connection.fields[y]
    (delta,) = curvature_forms(connection.distribution)
    assert is_zero(delta(along_x, along_y) + value).holds is True
    lifted = principal.from_forms([coordinate_field(chart, z)], connection.distribution.forms)
    (omega,) = principal.curvature_form(lifted, along_x, along_y)
    assert is_zero(omega + value).holds is True
    assert is_zero(omega - value).holds is False
    assert (lifted.horizontal() - connection.horizontal()).is_zero().holds is True


@pytest.mark.parametrize("seed", [1, 2])
def test_contracted_curvature_is_the_rate_of_the_slopes_less_their_gradient(seed: int) -> None:
    connection = bent(seed, time=True)
    q = connection.fibre[0]
    (rate,) = connection.transport()
    motion = {c: c.dot for c in connection.base if c is not T} | {q: rate}
    found = connection.contracted_curvature()
    assert T not in found
    for c, (value,) in found.items():
        along = connection.fields[c]
        slope = connection.slope(q, c)
        plain = time_derivative(slope, rules=motion) - along(rate)
        assert is_zero(value - plain).holds is True
        assert is_zero(value + plain).holds is False
    # it is the curvature with the motion put in, for every motion that obeys the constraints
    lifted = connection.lift([1 if c is T else c.dot for c in connection.base])
    h = connection.horizontal()
    assert (h(lifted) - lifted).is_zero().holds is True
    assert is_zero(lifted.components[connection.chart.place(q)] - rate).holds is True


def test_contracted_curvature_of_known_systems() -> None:
    particle = constraint_connection(ROOM, [[-x * y, 0, 1]])
    found = particle.contracted_curvature()
    assert vanish([found[x][0] - x * y.dot, found[y][0] + x * x.dot]) is True
    affine = constraint_connection(ROOM, [[-(T * y + z), -x, 1]], [-(x * T + y * z)])
    found = affine.contracted_curvature()
    point: dict[Expr, int | Fraction] = {T: 1, x: 1, y: 2, z: Fraction(1, 2), x.dot: 1, y.dot: -1}
    assert at([*affine.transport(), *found[x], *found[y]], point) == [
        number(Fraction(7, 2)), number(-3), number(Fraction(-7, 2)),
    ]  # fmt: skip
    line = constraint_connection(Chart.of(x, z), [[-T, 1]], [-1])
    assert line.contracted_curvature() == {x: (ONE,)}
    phi = symbol("phi", domain="angle")
    skate = constraint_connection(Chart.of(x, phi, y), [[-sin(phi), 0, cos(phi)]], dependent=[2])
    found = skate.contracted_curvature()
    assert vanish([found[x][0] - phi.dot / cos(phi) ** 2, found[phi][0] + x.dot / cos(phi) ** 2]) is True


def test_constraints_without_time_stay_without_it() -> None:
    plain = constraint_connection(ROOM, [[-y, 0, 1]], [0])
    assert plain.base == (x, y)
    assert plain.transport() == [x.dot * y]
    moving = constraint_connection(ROOM, [[-y * T, 0, 1]])
    assert moving.base == (T, x, y)
    assert moving.slope(z, T) is ZERO
    with pytest.raises(ExpressionError, match="as many parts without velocities, not 2"):
        constraint_connection(ROOM, [[-y, 0, 1]], [0, 0])
    with pytest.raises(ExpressionError, match="base of 2 coordinates"):
        plain.lift([1])
    with pytest.raises(ExpressionError, match="no coefficient of 'z' along 't'"):
        plain.slope(z, T)
    with pytest.raises(ExpressionError, match="at least one"):
        constraint_connection(ROOM, [])


# -- affine ------------------------------------------------------------------------------------------------------
def test_tables_of_torsion_and_curvature() -> None:
    some = Objects(2, PLANE)
    nabla = some.connection()
    fields = [coordinate_field(PLANE, q) for q in PLANE.coordinates]
    T3, R4 = torsion(nabla), riemann(nabla)
    size = range(2)
    for a, b in product(size, repeat=2):
        value = nabla.torsion_of(fields[a], fields[b])
        assert vanish([value.components[c] - T3[c][a][b] for c in size]) is True
        for c in size:
            value = nabla.curvature_of(fields[a], fields[b], fields[c])
            assert vanish([value.components[e] - R4[e][c][a][b] for e in size]) is True


def test_levi_civita_is_metric_and_without_torsion() -> None:
    some = Objects(1)
    metric = some.metric()
    nabla = levi_civita(SPACE, metric)
    assert metricity(nabla, metric).holds is True
    assert vanish([t for square in torsion(nabla) for row in square for t in row]) is True
    bumped = [[list(row) for row in square] for square in nabla.symbols]
    bumped[0][1][1] = bumped[0][1][1] + 1
    assert metricity(AffineConnection.of(SPACE, bumped), metric).holds is False
    # its geodesics are the motions of the kinetic energy
    v = [q.dot for q in SPACE.coordinates]
    kinetic = total([(1, metric[i][j] * v[i] * v[j] / 2) for i in range(3) for j in range(3)])
    put = {q.dot.dot: a for q, a in zip(SPACE.coordinates, nabla.geodesic_accelerations(), strict=True)}
    rest = [time_derivative(diff(kinetic, q.dot)) - diff(kinetic, q) for q in SPACE.coordinates]
    assert vanish(substitute(rest, put)) is True
    spray = second_order_field(SPACE, nabla.geodesic_accelerations())
    assert is_zero(spray(kinetic)).holds is True


def test_the_sphere() -> None:
    sphere = Chart.of(theta, psi)
    metric = [[R**2, 0], [0, (R * sin(theta)) ** 2]]
    nabla = levi_civita(sphere, metric)
    assert is_zero(nabla.symbols[0][1][1] + sin(theta) * cos(theta)).holds is True
    table = riemann(nabla)
    lowered = R**2 * table[0][1][0][1]  # g(R(d_theta, d_psi) d_psi, d_theta)
    assert is_zero(lowered / (R**4 * sin(theta) ** 2) - 1 / R**2).holds is True
    assert is_zero(lowered + R**2 * sin(theta) ** 2).holds is False


def test_the_metric_connection_with_a_given_torsion() -> None:
    some = Objects(4)
    metric = some.metric()
    size = range(3)
    twist = [[[ZERO] * 3 for _ in size] for _ in size]
    for c, (a, b) in product(size, combinations(size, 2)):
        twist[c][a][b] = some.function()
        twist[c][b][a] = -twist[c][a][b]
    nabla = metric_connection(SPACE, metric, twist)
    assert metricity(nabla, metric).holds is True
    found = torsion(nabla)
    pairs = [(found[c][a][b], twist[c][a][b]) for c in size for a in size for b in size]
    assert vanish([t - s for t, s in pairs]) is True
    assert vanish([t + s for t, s in pairs]) is False
    swapped = AffineConnection.of(SPACE, [[[nabla.symbols[c][b][a] for b in size] for a in size] for c in size])
    assert metricity(swapped, metric).holds is False  # which index is the direction matters
    with pytest.raises(ExpressionError, match="torsion is antisymmetric"):
        metric_connection(SPACE, metric, [[[1] * 3] * 3] * 3)


@pytest.mark.parametrize(("swap", "kept"), [(False, True), (True, False)])
def test_parallel_transport_keeps_lengths_and_angles(swap: bool, kept: bool) -> None:
    some = Objects(4, PLANE)
    metric = [[1 + U**2, V], [V, 2 + U**2 + V**2]]
    twist = [[[ZERO, some.function()], [ZERO, ZERO]], [[ZERO, some.function()], [ZERO, ZERO]]]
    for square in twist:
        square[1][0] = -square[0][1]
    nabla = metric_connection(PLANE, metric, twist)
    if swap:
        nabla = AffineConnection.of(PLANE, [[list(r) for r in zip(*square, strict=True)] for square in nabla.symbols])
    a, b = ([symbol(f"{n}{k}") for k in range(2)] for n in "ab")
    inner = total([(1, metric[i][j] * a[i] * b[j]) for i in range(2) for j in range(2)])
    rules = dict(zip([*a, *b], [*nabla.transport(a), *nabla.transport(b)], strict=True))
    assert (is_zero(time_derivative(inner, rules=rules)).holds is True) is kept


def test_affine_connections_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ExpressionError, match="2x2x2 coefficients"):
        AffineConnection.of(PLANE, [[[1]]])
    with pytest.raises(ExpressionError, match="square matrix"):
        levi_civita(PLANE, [[1, 0]])
    with pytest.raises(ExpressionError, match="entries 1,2 and 2,1 differ"):
        levi_civita(PLANE, [[1, U], [0, 1]])
