"""Section VIII.A: Wong's equations."""

from itertools import product

import pytest

from dalembert.expr import ONE, ZERO, diff, substitute
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.linear import inverse
from dalembert.geometry.connections import levi_civita
from dalembert.geometry.fields import Chart, bracket, combination
from papers.crampin_mestdag_2008.systems import (
    EVEN,
    LINES,
    MORE,
    PLANE,
    SIMPLE,
    SPACE,
    WONG,
    adjoint,
    gamma,
    invariant_fields,
    result,
    simple,
    wongs,
)
from papers.exact import columns, differ, dot, same

BASE, GROUP = range(2), range(3)
EVENS = [SPACE + EVEN, *(pytest.param(one + EVEN, marks=pytest.mark.thorough) for one in (PLANE, MORE, LINES))]
"""Any L = T - V with the mechanical connection."""


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def turned_back(rows):
    """The inverse of a matrix, by linear systems that are not written out."""
    size = range(len(rows))
    return columns([solve(rows, [ONE if i == j else ZERO for j in size]) for i in size])


def spins():
    """w^a with A_b^a w^b = v^a."""
    found = result(WONG)
    return solve(columns(found.invariant.matrix), list(found.frame.v_fibre))


def moved(expressions):
    """Rates along the Euler-Lagrange field."""
    G = gamma(WONG)
    return tangent(list(expressions), dict(zip(G.chart.coordinates, G.components, strict=True)))


def test_wong_fibre_metric():
    found, h = result(WONG), wongs().fibre_metric
    A, g, C = found.invariant.matrix, found.frame.g_ab, found.frame.constants
    pairs = list(product(GROUP, repeat=2))
    stated = [dot([A[a][c] * A[b][d] for c, d in pairs], [g[c][d] for c, d in pairs]) for a, b in pairs]
    assert same([e for row in h for e in row], stated)
    assert none(*(diff(e, q) for row in h for e in row for q in found.frame.chart.coordinates))
    assert none(*(dot(h[a], C[b][c]) + dot(h[b], C[a][c]) for a, b, c in product(GROUP, repeat=3)))


def test_wong_connection_coefficients():
    frame, E = result(WONG).frame, result(WONG).invariant.fields
    coefficients, C = wongs().coefficients, frame.constants
    for i, x in enumerate(frame.horizontal):
        flat = combination([(-g, e) for g, e in zip(coefficients[i], E, strict=True)])
        plain = [ONE if q is frame.base[i] else ZERO for q in frame.chart.coordinates]
        assert same(x.components, [p + c for p, c in zip(plain, flat.components, strict=True)])
        for a, e in enumerate(E):
            turned = [dot(coefficients[i], [C[a][c][b] for c in GROUP]) for b in GROUP]
            assert same(bracket(x, e).components, combination(zip(turned, E, strict=True)).components)


def test_wong_lagrangian_and_routhian():
    frame, level, w = result(WONG).frame, result(WONG).level, spins()
    v, h = frame.v_base, wongs().fibre_metric
    kinetic = dot([dot(row, v) for row in frame.g_ij], v) / 2
    inner = dot([dot(row, frame.v_fibre) for row in frame.g_ab], frame.v_fibre) / 2
    assert same([frame.quasi_lagrangian], [kinetic + inner])
    assert same([frame.quasi_lagrangian], [kinetic + dot([dot(row, w) for row in h], w) / 2])
    assert same([level.routhian], [kinetic - dot(frame.p, solve(frame.g_ab, frame.p)) / 2])
    back = inverse(result(WONG).invariant.matrix)
    assert same(frame.p, [dot(back[a], [dot(row, w) for row in h]) for a in GROUP])


@pytest.mark.parametrize("name", [WONG, *EVENS])
@pytest.mark.thorough(SPACE + EVEN)
def test_wong_derivative_of_the_routhian(name):
    # of any L = T - V: the inertia depends on x^i too, there is a potential, and the last term is not zero
    frame, level, fields = result(name).frame, result(name).level, invariant_fields(name)
    v, p, back = frame.v_base, frame.p, turned_back(frame.g_ab)
    group = range(len(fields))
    pairs = list(product(group, repeat=2))
    assert none(*(entry for row in frame.g_ai for entry in row))
    kinetic = dot([dot(row, v) for row in frame.g_ij], v) / 2
    (potential,) = substitute([-frame.quasi_lagrangian], dict.fromkeys((*v, *frame.v_fibre), ZERO))
    assert same([level.routhian], [kinetic - dot([dot(row, p) for row in back], p) / 2 - potential])
    whole, places = columns([field.components for field in fields]), [*map(frame.chart.place, frame.fibre)]
    for i, x in enumerate(frame.base):
        along = dot([dot([diff(g, x) for g in row], v) for row in frame.g_ij], v) / 2 - diff(potential, x)
        gamma_i = solve([whole[k] for k in places], [-frame.horizontal[i].components[k] for k in places])
        turned = [dot(gamma_i, [e(back[a][b]) for e in fields]) for a, b in pairs]
        slopes = [diff(back[a][b], x) for a, b in pairs]
        squares = [p[a] * p[b] for a, b in pairs]
        left = [level.x_complete[i](level.routhian)]
        assert same(left, [along - dot(slopes, squares) / 2 + dot(turned, squares) / 2])
        if name == WONG:
            assert same(gamma_i, wongs().coefficients[i])
            assert none(*slopes, *turned)
        else:
            assert differ(left, [along - dot(slopes, squares) / 2 - dot(turned, squares) / 2])  # as printed


@pytest.mark.parametrize("name", [SIMPLE, *EVENS])
def test_how_the_inverse_inertia_turns(name):
    # on systems whose inertia is not bi-invariant, so that the sides are not both zero
    parts = simple(name)
    g, C = turned_back(parts.locked_inertia), parts.frame.level.constants
    A, fields = adjoint(name), invariant_fields(name)
    group = range(len(fields))
    three = list(product(group, repeat=3))
    left = [fields[c](g[a][b]) for c, a, b in three]

    def killing(metric, d, a, b):
        """g^ae C_de^b + g^be C_de^a."""
        return dot(metric[a], [C[d][e][b] for e in group]) + dot(metric[b], [C[d][e][a] for e in group])

    right = [dot(A[c], [killing(g, d, a, b) for d in group]) for c, a, b in three]
    assert same(left, right)
    assert differ(left, [-r for r in right])  # as printed
    pairs = list(product(group, repeat=2))
    back = turned_back(A)
    h = [[dot([back[c][d] * back[e][f] for c, e in pairs], [g[c][e] for c, e in pairs]) for f in group] for d in group]
    turned = [dot([A[d][a] * A[e][b] for d, e in pairs], [killing(h, c, d, e) for d, e in pairs]) for c, a, b in three]
    assert same(left, turned)
    assert differ(left, [-t for t in turned])  # as printed


def curved_accelerations():
    """g_ij (v^j' + Gam^j_kl v^k v^l) along the motions."""
    frame = result(WONG).frame
    plain = levi_civita(Chart(frame.base), wongs().metric).geodesic_accelerations()
    rates = [gamma(WONG).components[frame.quasi_chart.place(v)] for v in frame.v_base]
    return [dot(row, [r - p for r, p in zip(rates, plain, strict=True)]) for row in frame.g_ij]


def test_wong_routh_equation():
    frame, v = result(WONG).frame, result(WONG).frame.v_base
    push = [-dot([dot(frame.curvature[i][j], frame.p) for j in BASE], v) for i in BASE]
    assert same(curved_accelerations(), push)
    moving = moved([dot(row, v) for row in frame.g_ij])
    along = [dot([dot([diff(g, x) for g in row], v) for row in frame.g_ij], v) / 2 for x in frame.base]
    assert same([m - a for m, a in zip(moving, along, strict=True)], push)


def test_wong_force():
    frame, w, h = result(WONG).frame, spins(), wongs().fibre_metric
    K, v = wongs().field_strength, frame.v_base
    assert same(K[0][1], solve(columns(result(WONG).invariant.matrix), frame.curvature[0][1]))
    lowered = [dot([row[c] for row in h], w) for c in GROUP]
    right = [dot([dot(K[j][m], lowered) for j in BASE], v) for m in BASE]  # h_bc K_jm^c x^j' w^b
    assert same(curved_accelerations(), right)
    printed = [dot([dot(K[m][r], lowered) for r in BASE], v) for m in BASE]  # h_bc K_mr^c x^r' w^b
    assert differ(curved_accelerations(), printed)


def test_wong_spin():
    found = result(WONG)
    frame, w, h, C = found.frame, spins(), wongs().fibre_metric, found.frame.constants
    A, v = found.invariant.matrix, frame.v_base
    back, coefficients = inverse(A), wongs().coefficients
    turn = [[[dot(coefficients[i], [C[a][c][b] for c in GROUP]) for b in GROUP] for a in GROUP] for i in BASE]
    pairs = list(product(GROUP, repeat=2))
    # A_a^b'
    stated = [
        dot(v, [dot(turn[i][a], [row[b] for row in A]) for i in BASE])
        + dot(frame.v_fibre, [dot([C[c][d][b] for d in GROUP], A[a]) for c in GROUP])
        for a, b in pairs
    ]
    assert same(moved([A[a][b] for a, b in pairs]), stated)
    # h_bc of the inverse, moved: with gamma_id^c where another index is printed
    total_turn = [
        [dot(v, [turn[i][d][c] for i in BASE]) + dot(w, [C[e][d][c] for e in GROUP]) for c in GROUP] for d in GROUP
    ]
    rates = moved([back[a][c] for a, c in pairs])
    left = [dot(h[b], rates[3 * a : 3 * a + 3]) for a in GROUP for b in GROUP]
    first = [-dot(back[a], [dot(h[b], total_turn[d]) for d in GROUP]) for a in GROUP for b in GROUP]
    assert same(left, first)
    pulled = [[dot(back[a], h[c]) for c in GROUP] for a in GROUP]  # h_cd times the inverse
    second = [dot(pulled[a], total_turn[b]) for a in GROUP for b in GROUP]
    assert same(left, second)
    # constancy of momentum
    assert none(*moved([dot([dot(row, back[a]) for row in h], w) for a in GROUP]))
    spin_rates = moved(w)
    carried = [r + dot([dot(v, [turn[i][b][c] for i in BASE]) for b in GROUP], w) for c, r in enumerate(spin_rates)]
    lowered = [dot(pulled[a], carried) for a in GROUP]
    assert same(moved([dot([dot(row, back[a]) for row in h], w) for a in GROUP]), lowered)


def test_wongs_equations():
    frame, w, h, K = result(WONG).frame, spins(), wongs().fibre_metric, wongs().field_strength
    v = frame.v_base
    C, coefficients = frame.constants, wongs().coefficients
    carried = [
        -dot([g * x for row, x in zip(coefficients, v, strict=True) for g in row],
             [dot(w, [C[b][c][a] for b in GROUP]) for _ in BASE for c in GROUP])
        for a in GROUP
    ]  # fmt: skip
    assert same(moved(w), carried)
    assert differ(moved(w), [-c for c in carried])
    # printed K_im^c x^j', with an index that is free and summed; read as K_ij^c x^j' it has the wrong sign
    lowered = [dot([row[c] for row in h], w) for c in GROUP]
    assert differ(curved_accelerations(), [dot([dot(K[i][j], lowered) for j in BASE], v) for i in BASE])
