"""Section 4 and the appendix: affine connections on Q and on the base, and metric connections by their torsion."""

from itertools import combinations, product

import pytest

from dalembert.expr import ZERO, substitute, symbol
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.truth import is_zero
from dalembert.geometry.connections import AffineConnection, levi_civita, metric_connection, torsion
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.mechanics.chaplygin.connections.base import AffineBase, cube_difference, transposed
from dalembert.mechanics.chaplygin.connections.propositions import contorsion_from_torsion
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from papers.cantrijn_cortes_de_leon_martin_de_diego_2002.systems import (
    ANY,
    DRAWN,
    FIXED,
    FREE,
    LINE,
    ROBOT,
    SKEW,
    SPINS,
    TURNS,
    accelerations,
    bar,
    base,
    flat,
    mean_of_hamels,
    on_q,
    reduction,
)
from papers.exact import differ, dot, same, unknown

X, Y = symbol("x"), symbol("y")
PLANE = Chart.of(X, Y)
SIZE = range(2)
THOROUGH = pytest.param(SPINS, marks=pytest.mark.thorough)
NAMES = pytest.mark.parametrize("name", [LINE, TURNS, THOROUGH])
FREELY = pytest.mark.parametrize("name", [FREE, TURNS, THOROUGH])


def basis(chart):
    return [coordinate_field(chart, q) for q in chart.coordinates]


def gone(*fields):
    """Say whether fields vanish."""
    parts = [c for field in fields for c in field.components]
    return same(parts, [ZERO] * len(parts))


# -- on Q --------------------------------------------------------------------------------------------------------------
def gradient_field(name):
    """grad V on Q."""
    found = on_q(name)
    slopes = gradient(found.potential, list(found.chart.coordinates))
    return VectorField(found.chart, tuple(solve(found.metric, slopes)))


@FREELY
def test_free_motions_are_those_of_the_metric(name):
    found = on_q(name)
    q, v = list(found.chart.coordinates), [q.dot for q in found.chart.coordinates]
    L = dot([dot(row, v) for row in found.metric], v) / 2 - found.potential
    free = solve(hessian(L, v), [s - t for s, t in zip(gradient(L, q), _bias(L, q, v), strict=True)])
    plain = bar(name).levi_civita.geodesic_accelerations()
    pull = gradient_field(name).components
    assert same(free, [a - p for a, p in zip(plain, pull, strict=True)])
    assert differ(free, [a + p for a, p in zip(plain, pull, strict=True)])


def _bias(L, q, v):
    return tangent(gradient(L, v), dict(zip(q, v, strict=True)))


@FREELY
def test_constrained_motions_are_geodesics_but_for_the_constraint_forces(name):
    found, here = on_q(name), bar(name)
    chart = here.chart
    put = dict(zip((q.dot for q in chart.coordinates), found.velocities, strict=True))
    moved = substitute(by_multipliers(found.system)[0], put)
    plain = substitute(here.levi_civita.geodesic_accelerations(), put)
    pull = gradient_field(name)
    # nabla^g_c' c' + grad V, as the rate of the velocity less what a geodesic would do
    rest = VectorField(chart, tuple(m - a + g for m, a, g in zip(moved, plain, pull.components, strict=True)))
    assert same([here.dot(rest, x) for x in here.fields], [ZERO] * len(here.fields))
    assert not gone(rest)


@FREELY
def test_constrained_motions_by_the_nonholonomic_connection(name):
    found, here = on_q(name), bar(name)
    put = dict(zip((q.dot for q in here.chart.coordinates), found.velocities, strict=True))
    moved = substitute(by_multipliers(found.system)[0], put)
    own = substitute(here.connection.geodesic_accelerations(), put)
    pull = here.along(gradient_field(name)).components
    assert same(moved, [a - p for a, p in zip(own, pull, strict=True)])
    plain = substitute(here.levi_civita.geodesic_accelerations(), put)
    assert differ(moved, [a - p for a, p in zip(plain, pull, strict=True)])


@FREELY
def test_the_connection_restricts_to_d_and_is_metric_there(name):
    here, rows = bar(name), on_q(name).forms
    q = here.chart.coordinates
    any_, one, two = (
        combination((unknown(f"{n}{k}", *q[:2]), x) for k, x in enumerate(fields))
        for n, fields in (("z", basis(here.chart)), ("x", here.fields), ("y", here.fields))
    )
    moved = here.derivative(any_, one)
    assert same([dot(mu, moved.components) for mu in rows], [ZERO] * len(rows))
    plain = here.levi_civita.derivative(any_, one)
    assert differ([dot(mu, plain.components) for mu in rows], [ZERO] * len(rows))
    rate = any_(here.dot(one, two))
    assert same([rate], [here.dot(moved, two) + here.dot(one, here.derivative(any_, two))])
    skew = basis(here.chart)[-1]  # beyond D it is not metric
    assert differ([any_(here.dot(one, skew))], [here.dot(moved, skew) + here.dot(one, here.derivative(any_, skew))])
    turned = [here.turning(z, x) for z in basis(here.chart) for x in here.fields]
    parts = [here.dot(t, y) for t in turned for y in here.fields]
    assert same(parts, [ZERO] * len(parts))


@FREELY
def test_torsion_of_the_nonholonomic_connection(name):
    here = bar(name)
    pairs = combinations(basis(here.chart), 2)
    assert gone(*(here.torsion_of(x, y) - here.turning(x, y) + here.turning(y, x) for x, y in pairs))


# -- to the base -------------------------------------------------------------------------------------------------------
@NAMES
def test_derivatives_of_lifts_are_invariant(name):
    here, found = bar(name), reduction(name)
    plain = [here.levi_civita.derivative(x, y) for x, y in product(here.fields, repeat=2)]
    turned = [here.turning(x, y) for x, y in product(here.fields, repeat=2)]
    for e in found.generators:
        assert gone(*(bracket(e, x) for x in here.fields))
        assert gone(*(bracket(e, x) for x in plain))
        assert gone(*(bracket(e, x) for x in turned))
        assert gone(*(bracket(e, here.across(x)) for x in plain))
    if name != LINE:  # unlike the fields of coordinates
        assert not gone(*(bracket(e, x) for e in found.generators for x in basis(here.chart)))


@NAMES
def test_geodesics_of_the_reduced_connection_are_the_reduced_motions(name):
    assert same(base(name).accelerations(), accelerations(name))


@NAMES
def test_the_metric_connection_tensor_goes_down(name):
    here, found = bar(name), reduction(name)
    tensor = flat(here.metric_connection_tensor)
    assert same([e(k) for e in found.generators for k in tensor], [ZERO] * 8 * len(found.generators))
    if name != LINE:  # unlike the metric on Q
        assert differ([e(g) for e in found.generators for row in found.metric for g in row], [ZERO] * 75)
    # on lifts it is their metric with the curvature, -gamma([X, Y]) as a vertical field
    fields, gamma = here.fields, found.connection.forms
    curved = [
        combination([(-form(bracket(y, z)), e) for form, e in zip(gamma, found.generators, strict=True)])
        for y, z in product(fields, repeat=2)
    ]
    assert same(tensor, [here.dot(x, w) for x in fields for w in curved])


@pytest.mark.parametrize("name", [ROBOT, ANY, DRAWN])
def test_hamels_connections_have_the_same_motions(name):
    here, K = base(name), base(name).tensor
    for connection in (here.hamel_1, here.hamel_2):
        assert same(here.accelerations(connection), accelerations(name))
    assert differ(here.accelerations(here.levi_civita), accelerations(name))
    three = list(product(range(here.dimension), repeat=3))
    assert same(beyond(here, here.hamel_1), [K[a][b][c] for a, b, c in three])
    assert same(beyond(here, here.hamel_2), [K[b][a][c] for a, b, c in three])


@NAMES
def test_the_reduced_connection_in_closed_form(name):
    # by its definition, the projection of nabla-bar, on any two fields of the base
    here, up = base(name), bar(name)
    q = here.chart.coordinates
    one, two = (VectorField(here.chart, tuple(unknown(f"{n}{k}", *q) for k in SIZE)) for n in "ab")
    lift_one, lift_two = (combination(zip(f.components, up.fields, strict=True)) for f in (one, two))
    down = up.within(lift_one, lift_two).apply(list(q))
    assert same(down, here.reduced.derivative(one, two).components)
    # and in closed form, with indices down: what it has beyond Levi-Civita's is (B + B^T - C)/2
    K = here.tensor
    stated = [(K[a][b][c] + K[b][a][c] - K[c][a][b]) / 2 for a, b, c in product(SIZE, repeat=3)]
    assert same(beyond(here, here.reduced), stated)


def beyond(here, connection):
    """g~_cd (Gamma - LC)^d_ab, in the order a, b, c."""
    apart = cube_difference(connection.symbols, here.levi_civita.symbols)
    size = range(here.dimension)
    return [dot(here.metric[c], [apart[d][a][b] for d in size]) for a, b, c in product(size, repeat=3)]


def lost(connection, metric):
    """What the metric loses along coordinate fields."""
    size = range(connection.chart.dimension)
    fields, entries = basis(connection.chart), list(product(size, repeat=2))

    def inner(one, two):
        return dot([metric[i][j] for i, j in entries], [one.components[i] * two.components[j] for i, j in entries])

    D = connection.derivative
    return [
        fields[k](metric[i][j]) - inner(D(fields[k], fields[i]), fields[j]) - inner(fields[i], D(fields[k], fields[j]))
        for k, i, j in product(size, repeat=3)
    ]


def keeps(connection, metric):
    gone_ = lost(connection, metric)
    return same(gone_, [ZERO] * len(gone_))


def test_which_connections_are_metric():
    for name, skew in ((ROBOT, False), (TURNS, False), (FIXED, True), (SKEW, True), (ANY, False)):
        here = base(name)
        assert keeps(here.reduced, here.metric)
        assert keeps(here.hamel_1, here.metric)
        mean = mean_of_hamels(here)
        assert keeps(here.hamel_2, here.metric) is keeps(mean, here.metric) is skew
        B = here.contorsion_hamel
        assert same(flat(B), [-b for b in flat(transposed(B))]) is skew
        assert same(beyond(here, mean), [ZERO] * here.dimension**3) is skew
    # of any metric and K~: Hamel's second and the mean lose what B has that is not skew
    here = base(ANY)
    low = beyond(here, here.hamel_1)
    three = list(product(SIZE, repeat=3))
    turn = {at: low[n] for n, at in enumerate(three)}
    assert same(lost(here.hamel_2, here.metric), [-turn[i, k, j] - turn[j, k, i] for k, i, j in three])


def test_the_reduced_connection_is_the_mean_of_hamels_only_where_both_are_levi_civita():
    for name, equal in ((ROBOT, False), (FIXED, True), (SKEW, False), (TURNS, False)):
        here = base(name)
        others = [cube_difference(here.reduced.symbols, c.symbols) for c in (mean_of_hamels(here), here.levi_civita)]
        assert [same(flat(apart), [ZERO] * here.dimension**3) for apart in others] == [equal, equal]
    # for any metric and any K~: what they differ by is K~ with its first index raised, which vanishes with K~ alone
    metric = [[unknown(f"g{min(a, b)}{max(a, b)}", X, Y) for b in SIZE] for a in SIZE]
    k = [unknown(f"K{a}", X, Y) for a in SIZE]
    anywhere = AffineBase.of(PLANE, metric, [[[ZERO, k[a]], [-k[a], ZERO]] for a in SIZE])
    apart = cube_difference(anywhere.reduced.symbols, mean_of_hamels(anywhere).symbols)
    apart = [dot(metric[d], [apart[c][a][b] for c in SIZE]) for d, a, b in product(SIZE, repeat=3)]
    assert same(apart, [-e / 2 for e in flat(anywhere.tensor)])
    assert differ(apart, [e / 2 for e in flat(anywhere.tensor)])


# -- the appendix: any metric connection on a plane --------------------------------------------------------------------
G = [[unknown("g11", X, Y), unknown("g12", X, Y)], [unknown("g12", X, Y), unknown("g22", X, Y)]]
T = [[[ZERO, unknown(f"T{c}", X, Y)], [-unknown(f"T{c}", X, Y), ZERO]] for c in SIZE]
METRIC = metric_connection(PLANE, G, T)
LEVI_CIVITA = levi_civita(PLANE, G)
ONE, TWO, THREE = (VectorField(PLANE, tuple(unknown(f"{n}{k}", X, Y) for k in SIZE)) for n in "uvw")


def g(left, right):
    return dot([G[a][b] for a in SIZE for b in SIZE], [p * q for p in left.components for q in right.components])


def twisted(left, right):
    """T(X, Y)."""
    pairs = list(product(SIZE, repeat=2))
    return VectorField(
        PLANE,
        tuple(
            dot([T[c][a][b] for a, b in pairs], [left.components[a] * right.components[b] for a, b in pairs])
            for c in SIZE
        ),
    )


def test_a_metric_connection_with_the_torsion_exists():
    assert keeps(METRIC, G)
    assert same(flat(torsion(METRIC)), flat(T))
    assert same([ONE(g(TWO, THREE))], [g(METRIC.derivative(ONE, TWO), THREE) + g(TWO, METRIC.derivative(ONE, THREE))])


def test_cyclic_sum_of_derivatives_of_the_metric():
    x, y, z, D = ONE, TWO, THREE, METRIC.derivative
    left = z(g(x, y)) + x(g(z, y)) - y(g(x, z))
    first = g(D(x, z) + D(z, x), y) + g(D(z, y) - D(y, z), x) + g(D(x, y) - D(y, x), z)
    assert same([left], [first])
    rest = g(twisted(z, y) + bracket(z, y), x) + g(twisted(x, y) + bracket(x, y), z)
    assert same([left], [g(2 * D(x, z) + twisted(z, x) + bracket(z, x), y) + rest])
    assert same([left], [2 * g(D(x, z), y) + g(twisted(z, x) + bracket(z, x), y) + rest])


def test_a_metric_connection_by_its_torsion():
    x, y, z = ONE, TWO, THREE
    left = g(METRIC.derivative(x, z) - LEVI_CIVITA.derivative(x, z), y)
    rest = g(x, twisted(z, y)) + g(z, twisted(x, y))
    assert same([left], [-(g(y, twisted(z, x)) + rest) / 2])
    assert differ([left], [-(g(y, twisted(x, z)) + rest) / 2])  # as printed


def lowered(d, a, b):
    """g_dc T^c_ab."""
    return dot(G[d], [T[c][a][b] for c in SIZE])


def test_christoffel_symbols_of_a_metric_connection():
    def symbols(lower):
        cube = [[[ZERO] * 2 for _ in SIZE] for _ in SIZE]
        for b, c in product(SIZE, repeat=2):
            shift = solve(G, [lower(k, b, c) / 2 for k in SIZE])
            for a in SIZE:
                cube[a][b][c] = LEVI_CIVITA.symbols[a][b][c] + shift[a]
        return AffineConnection.of(PLANE, cube)

    right = symbols(lambda k, b, c: lowered(k, b, c) - lowered(b, c, k) - lowered(c, b, k))
    assert same(flat(right.symbols), flat(METRIC.symbols))
    printed = symbols(lambda k, b, c: -lowered(k, b, c) - lowered(b, c, k) - lowered(c, b, k))
    assert not keeps(printed, G)
    assert same(flat(torsion(printed)), [-t for t in flat(T)])
    assert same(printed.geodesic_accelerations(), METRIC.geodesic_accelerations())  # its symmetric part is right


def test_metric_connections_have_a_skew_contorsion():
    S = cube_difference(METRIC.symbols, LEVI_CIVITA.symbols)
    for a, b, c in product(SIZE, repeat=3):
        left = dot(G[c], [S[k][a][b] for k in SIZE])
        right = dot(G[b], [S[k][a][c] for k in SIZE])
        assert same([left], [-right])
    bent = [[[unknown(f"S{c}{a}{b}", X, Y) for b in SIZE] for a in SIZE] for c in SIZE]
    other = AffineConnection.of(PLANE, bent)  # any connection
    assert not keeps(other, G)
    # what the metric loses under any connection is the part of S that is not skew
    D = other.derivative
    lost = ONE(g(TWO, THREE)) - g(D(ONE, TWO), THREE) - g(TWO, D(ONE, THREE))
    value = D(ONE, TWO) - LEVI_CIVITA.derivative(ONE, TWO)
    again = D(ONE, THREE) - LEVI_CIVITA.derivative(ONE, THREE)
    assert same([lost], [-g(value, THREE) - g(TWO, again)])


def test_torsion_and_contorsion_of_a_metric_connection():
    S = cube_difference(METRIC.symbols, LEVI_CIVITA.symbols)
    assert same(flat(cube_difference(S, transposed(S))), flat(T))
    plane = AffineBase.of(PLANE, G, [[[0, 0], [0, 0]], [[0, 0], [0, 0]]])
    assert same(flat(contorsion_from_torsion(plane, T)), flat(S))
    value = METRIC.derivative(ONE, TWO) - LEVI_CIVITA.derivative(ONE, TWO)  # S(x, z)
    x, z, y = ONE, TWO, THREE
    right = (g(y, twisted(x, z)) + g(x, twisted(y, z)) + g(z, twisted(y, x))) / 2
    assert same([g(value, y)], [right])
    printed = -(g(y, twisted(x, z)) + g(x, twisted(y, z)) + g(z, twisted(x, y))) / 2
    assert differ([g(value, y)], [printed])


def test_geodesics_by_the_contorsion():
    v = [q.dot for q in PLANE.coordinates]
    S = cube_difference(METRIC.symbols, LEVI_CIVITA.symbols)
    pairs = list(product(SIZE, repeat=2))
    push = [-dot([S[c][a][b] for a, b in pairs], [v[a] * v[b] for a, b in pairs]) for c in SIZE]  # either way
    plain = LEVI_CIVITA.geodesic_accelerations()
    assert same(METRIC.geodesic_accelerations(), [a + p for a, p in zip(plain, push, strict=True)])


def test_geodesics_by_the_torsion():
    v = [q.dot for q in PLANE.coordinates]
    pairs = list(product(SIZE, repeat=2))
    whole = solve(G, [dot([lowered(b, c, k) for b, c in pairs], [v[b] * v[c] for b, c in pairs]) for k in SIZE])
    plain = LEVI_CIVITA.geodesic_accelerations()
    turn = [a - p for a, p in zip(METRIC.geodesic_accelerations(), plain, strict=True)]
    assert same(turn, whole)
    # as printed, the sum over B < C loses the squares of the velocities
    printed = solve(G, [(lowered(0, 1, k) + lowered(1, 0, k)) * v[0] * v[1] for k in SIZE])
    assert differ(turn, printed)


def test_geodesics_of_a_metric_connection_keep_the_kinetic_energy():
    v = [q.dot for q in PLANE.coordinates]
    kinetic = dot([G[a][b] for a in SIZE for b in SIZE], [p * q for p in v for q in v]) / 2  # either way
    moves = dict(zip((*PLANE.coordinates, *v), (*v, *METRIC.geodesic_accelerations()), strict=True))
    assert is_zero(tangent([kinetic], moves)[0]).holds is True
    S = [[[unknown(f"S{c}{a}{b}", X, Y) for b in SIZE] for a in SIZE] for c in SIZE]
    other = AffineConnection.of(PLANE, S).geodesic_accelerations()
    assert is_zero(tangent([kinetic], {**moves, **dict(zip(v, other, strict=True))})[0]).holds is False
