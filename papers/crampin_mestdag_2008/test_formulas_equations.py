"""Section III: the generalised Routh equations."""

from itertools import product

import pytest

from dalembert.expr import ONE, ZERO, diff, substitute
from dalembert.expr.calculus import hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import bracket, combination
from dalembert.geometry.tangent_bundle import complete_lift, vertical_endomorphism, vertical_lift
from dalembert.mechanics.routh.identities import first_form, gamma_zero, second_form
from papers.crampin_mestdag_2008.systems import (
    ANY,
    OTHERS,
    SPACE,
    commutes,
    gamma,
    group,
    result,
    split,
)
from papers.exact import differ, dot, same, unknown

BASE = range(2)
LEVEL = pytest.mark.parametrize("name", [SPACE, *OTHERS])


def none(*parts):
    """Say whether all parts vanish."""
    return same(parts, [ZERO] * len(parts))


def gone(*fields):
    return none(*(c for field in fields for c in field.components))


# -- III ---------------------------------------------------------------------------------------------------------------
@ANY
def test_euler_lagrange_equations_in_any_basis(name):
    frame, found = result(name).frame, split(name)
    for z in (*frame.horizontal, *frame.action.generators):
        L = frame.lagrangian
        assert none(found.gamma(vertical_lift(z)(L)) - complete_lift(z)(L))
    G, L = gamma(name), frame.quasi_lagrangian
    assert none(*(G(v(L)) - c(L) for v, c in zip(frame.x_vertical, frame.x_complete, strict=True)))
    assert none(*(G(v(L)) - c(L) for v, c in zip(frame.e_vertical, frame.e_complete, strict=True)))
    assert none(*(e(L) for e in frame.e_complete))
    assert none(*(G(p) for p in frame.p))
    assert gone(*(bracket(e, G) for e in frame.e_complete))


@ANY
def test_the_field_by_lifts(name):
    frame, G = result(name).frame, gamma(name)
    w = [*frame.v_base, *frame.v_fibre]
    rates = [G.components[frame.quasi_chart.place(v)] for v in w]
    up, across = (*frame.x_complete, *frame.e_complete), (*frame.x_vertical, *frame.e_vertical)
    whole = combination([*zip(w, up, strict=True), *zip(rates, across, strict=True)])
    assert gone(whole - G)


@ANY
def test_momenta_turn_with_the_group(name):
    GROUP = group(name)
    frame, C = result(name).frame, result(name).frame.constants
    left = [frame.e_complete[a](frame.p[b]) for a, b in product(GROUP, repeat=2)]
    right = [-dot(C[a][b], frame.p) for a, b in product(GROUP, repeat=2)]
    assert same(left, right)
    assert commutes(name) or differ(left, [-r for r in right])
    brackets = [
        bracket(frame.e_complete[a], frame.e_vertical[b])(frame.quasi_lagrangian) for a, b in product(GROUP, repeat=2)
    ]
    assert same(left, brackets)


@ANY
def test_components_of_the_hessian(name):
    frame = result(name).frame
    # the second derivatives by q', on the fields of the basis, against those by quasi-velocities
    there = dict(zip(frame.v_fibre, frame.quasi_velocities(), strict=True))
    rows = hessian(frame.lagrangian, [q.dot for q in frame.chart.coordinates])
    E, X = ([field.components for field in fields] for fields in (frame.action.generators, frame.horizontal))

    def on(left, right):
        return [dot(one, [dot(row, other) for row in rows]) for one in left for other in right]

    assert same(substitute([e for row in frame.g_ab for e in row], there), on(E, E))
    assert same(substitute([e for row in frame.g_ai for e in row], there), on(E, X))
    assert same(substitute([e for row in frame.g_ij for e in row], there), on(X, X))


@ANY
def test_the_routhian_is_invariant(name):
    frame, level = result(name).frame, result(name).level
    assert same([level.routhian], [frame.quasi_lagrangian - dot(frame.v_fibre, frame.p)])
    assert none(*(e(dot(frame.v_fibre, frame.p)) for e in frame.e_complete))
    assert none(*(e(level.routhian) for e in frame.e_complete))


@ANY
def test_barred_fields_are_tangent_to_level_sets(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    barred = (*level.x_complete, *level.x_vertical, *level.e_complete)
    assert none(*(field(p) for field in barred for p in frame.p))
    assert not none(*(field(p) for field in frame.x_complete for p in frame.p))
    # the coefficients, as they are said to be
    assert same([dot(row, level.b_coefficients[i]) for i in BASE for row in frame.g_ab],
                [-frame.g_ai[a][i] for i in BASE for a in GROUP])  # fmt: skip
    turned = [dot(frame.constants[a][c], frame.p) for a, c in product(GROUP, repeat=2)]
    assert same([dot(frame.g_ab[c], level.c_coefficients[a]) for a, c in product(GROUP, repeat=2)], turned)


@ANY
def test_brackets_of_barred_fields(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    E, X, up, C = level.e_complete, level.x_complete, level.x_vertical, frame.constants
    assert gone(bracket(X[0], X[1]) - combination(zip(frame.curvature[0][1], E, strict=True)))
    assert gone(bracket(up[0], up[1]), *(bracket(x, y) for x in X for y in up))
    assert gone(*(bracket(e, x) for e in E for x in (*X, *up)))
    for a, b in product(GROUP, repeat=2):
        assert gone(bracket(E[a], E[b]) + combination(zip(C[a][b], E, strict=True)))
    assert not gone(*(bracket(x, y) for x in level.frame.x_complete for y in level.x_vertical))


@ANY
def test_barred_fields_on_quasi_velocities(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    for i in BASE:
        bent = [-dot([frame.curvature[i][j][a] for j in BASE], frame.v_base) for a in GROUP]
        assert same(
            level.x_complete[i].apply(list(frame.v_fibre)),
            [b + a for b, a in zip(bent, level.a_coefficients[i], strict=True)],
        )
        assert same(level.x_vertical[i].apply(list(frame.v_fibre)), level.b_coefficients[i])
    assert none(*(field(v) for field in (*level.x_complete, *level.e_complete) for v in frame.v_base))
    assert same([x(v) for x in level.x_vertical for v in frame.v_base], [ONE, ZERO, ZERO, ONE])


@ANY
def test_derivatives_of_the_lagrangian_by_the_routhian(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    L, R = frame.quasi_lagrangian, level.routhian
    for i in BASE:
        pushed = dot(frame.p, [dot([frame.curvature[i][j][a] for j in BASE], frame.v_base) for a in GROUP])
        assert same([frame.x_complete[i](L)], [level.x_complete[i](R) - pushed])
        assert differ([frame.x_complete[i](L)], [level.x_complete[i](R) + pushed])
        assert same([frame.x_vertical[i](L)], [level.x_vertical[i](R)])


@ANY
def test_the_generalised_routh_equations(name):
    frame, level, G = result(name).frame, result(name).level, gamma(name)
    R, v = level.routhian, frame.v_base
    left = [G(level.x_vertical[i](R)) - level.x_complete[i](R) for i in BASE]
    assert same(left, [-dot([dot(frame.curvature[i][j], frame.p) for j in BASE], v) for i in BASE])
    assert none(*first_form(level, G))


@ANY
def test_the_field_by_barred_fields(name):
    frame, level, G = result(name).frame, result(name).level, gamma(name)
    rates = [G.components[frame.quasi_chart.place(v)] for v in frame.v_base]
    parts = [(frame.v_base, level.x_complete), (rates, level.x_vertical), (frame.v_fibre, level.e_complete)]
    assert gone(combination([pair for left, right in parts for pair in zip(left, right, strict=True)]) - G)


@ANY
def test_the_hessian_of_the_routhian(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    B, ij = level.b_coefficients, list(product(BASE, repeat=2))
    inner = [[frame.g_ai[a][i] + dot(B[i], [frame.g_ab[b][a] for b in GROUP]) for a in GROUP] for i in BASE]
    assert none(*(e for row in inner for e in row))  # g(bX_i, E~_a)
    stated = [
        frame.g_ij[i][j] - dot([row[i] for row in frame.g_ai], solve(frame.g_ab, [row[j] for row in frame.g_ai]))
        for i, j in ij
    ]
    long = [
        frame.g_ij[i][j]
        + dot(B[i], [row[j] for row in frame.g_ai])
        + dot(B[j], [row[i] for row in frame.g_ai])
        + dot([dot(row, B[j]) for row in frame.g_ab], B[i])
        for i, j in ij
    ]
    assert same(long, stated)
    assert same([level.x_vertical[i](level.x_vertical[j](level.routhian)) for i, j in ij], stated)
    assert differ(stated, [frame.g_ij[i][j] for i, j in ij])


def hats(level):
    return [
        combination([(ONE, x), *zip(row, level.e_complete, strict=True)])
        for x, row in zip(level.x_complete, level.b_coefficients, strict=True)
    ]


@ANY
def test_what_the_vertical_endomorphism_makes_of_the_new_fields(name):
    frame = split(name).frame
    S = vertical_endomorphism(frame.level.chart)
    assert gone(*(S(x) - y for x, y in zip(frame.orthogonal_fields, frame.vertical_fields, strict=True)))
    assert not gone(*(S(x) - y for x, y in zip(frame.base_fields, frame.vertical_fields, strict=True)))


@ANY
def test_the_field_with_gamma_zero(name):
    GROUP = group(name)
    frame, level, G = result(name).frame, result(name).level, gamma(name)

    def rest(sign):
        moved = [[level.b_coefficients[i][a] for i in BASE] for a in GROUP]
        drag = [v + sign * dot(moved[a], frame.v_base) for a, v in enumerate(frame.v_fibre)]
        return combination([(ONE, gamma_zero(level, G)), *zip(drag, level.e_complete, strict=True)]) - G

    assert gone(rest(-1))
    assert not gone(rest(1))  # as printed


@ANY
def test_barred_generators_on_the_routhian(name):
    GROUP = group(name)
    frame, level, C = result(name).frame, result(name).level, result(name).frame.constants
    left = [e(level.routhian) for e in level.e_complete]
    turned = [[dot(C[a][c], frame.p) for c in GROUP] for a in GROUP]  # C_ac^b p_b
    assert same(left, [-dot(row, frame.v_fibre) for row in turned])
    slopes = [x(level.routhian) for x in level.x_vertical]
    moved = [level.e_complete[a](slopes[i]) for a in GROUP for i in BASE]
    assert same(moved, [-dot(turned[a], level.b_coefficients[i]) for a in GROUP for i in BASE])
    assert same(moved, [level.x_vertical[i](left[a]) for a in GROUP for i in BASE])


@ANY
def test_the_second_form(name):
    GROUP = group(name)
    frame, level, G = result(name).frame, result(name).level, gamma(name)
    assert none(*second_form(level, G))
    C, B, p, R = frame.constants, level.b_coefficients, frame.p, level.routhian
    slopes = [x(R) for x in level.x_vertical]
    zero = gamma_zero(level, G)
    left = [zero(slopes[i]) - hat(R) for i, hat in enumerate(hats(level))]
    pairs = list(product(GROUP, repeat=2))
    crossed = [
        [dot([B[i][b] * B[j][c] for b, c in pairs], [dot(C[b][c], p) for b, c in pairs]) for j in BASE] for i in BASE
    ]
    bent = [[dot(frame.curvature[i][j], p) for j in BASE] for i in BASE]
    v = frame.v_base
    assert same(left, [-dot([r - x for r, x in zip(bent[i], crossed[i], strict=True)], v) for i in BASE])
    if not commutes(name):  # as printed
        assert differ(left, [-dot([r + x for r, x in zip(bent[i], crossed[i], strict=True)], v) for i in BASE])
    # on the way: the first form by Gamma_0, with v^j B_j^a B_i^c C_ac^b p_b as printed last
    first = [G(slopes[i]) - level.x_complete[i](R) for i in BASE]
    assert same(first, [x + dot([crossed[j][i] for j in BASE], v) for i, x in enumerate(left)])
    turned = [[dot(C[a][c], p) for c in GROUP] for a in GROUP]
    middle = {
        sign: [
            left[i]
            - dot([dot([sign * B[j][a] for j in BASE], v) + frame.v_fibre[a] for a in GROUP],
                  [dot(turned[a], B[i]) for a in GROUP])
            - dot(B[i], [dot(turned[a], frame.v_fibre) for a in GROUP])
            for i in BASE
        ]
        for sign in (-1, 1)
    }  # fmt: skip
    assert same(first, middle[-1])
    assert commutes(name) or differ(first, middle[1])  # as printed in the members before


# -- in coordinates ----------------------------------------------------------------------------------------------------
@LEVEL
def test_barred_fields_in_coordinates_of_the_level_set(name):
    # a function of (x, theta, v^i) on N_mu, extended to the tangent bundle by any function of the momenta
    frame, level = result(name).frame, result(name).level
    q = (*frame.chart.coordinates, *frame.v_base)
    f = unknown("f", *q)
    for i, x in enumerate(frame.horizontal):
        assert same([level.x_complete[i](f)], [x(f)])
        assert same([level.x_vertical[i](f)], [diff(f, frame.v_base[i])])
    for e, field in zip(frame.action.generators, level.e_complete, strict=True):
        assert same([field(f)], [e(f)])
    whole = unknown("f", *q, *frame.p)
    assert same(level.restricted([level.x_vertical[0](whole)]), [diff(level.restricted([whole])[0], frame.v_base[0])])
    plain = [-s for s in frame.coefficients[0]]
    assert same(frame.horizontal[0].components, [ONE, ZERO, *plain])


def rates_on_level(name):
    found = result(name)
    frame, level = found.frame, found.level
    accelerations, _ = found.motion.accelerations(frame)
    angles = [frame.velocities[theta.dot] for theta in frame.fibre]
    return level.restricted(accelerations), level.restricted(angles)


@LEVEL
def test_the_field_on_the_level_set(name):
    GROUP = group(name)
    frame, level = result(name).frame, result(name).level
    accelerations, angles = rates_on_level(name)
    G = gamma(name)
    found = level.restricted(list(G.components))
    place = frame.quasi_chart.place
    assert same([found[place(x)] for x in frame.base], frame.v_base)
    assert same([found[place(v)] for v in frame.v_base], accelerations)
    stated = [
        dot(level.iota, [row[a] for row in frame.moves]) - dot(frame.v_base, [row[a] for row in frame.coefficients])
        for a in GROUP
    ]
    assert same([found[place(q)] for q in frame.fibre], stated)
    assert same(angles, stated)


@LEVEL
def test_the_routh_equations_in_coordinates(name):
    frame, level = result(name).frame, result(name).level
    accelerations, angles = rates_on_level(name)
    R, v, mu = level.restricted_routhian(), frame.v_base, frame.momentum
    seed = dict(zip((*frame.base, *v, *frame.fibre), (*v, *accelerations, *angles), strict=True))
    left = [tangent([diff(R, w)], seed)[0] - diff(R, x) for w, x in zip(v, frame.base, strict=True)]
    turned = [-dot(frame.coefficients[i], [diff(R, q) for q in frame.fibre]) for i in BASE]

    def bent(speeds):
        return [-dot([dot(frame.curvature[i][j], mu) for j in BASE], speeds) for i in BASE]

    assert same(left, [b + t for b, t in zip(bent(v), turned, strict=True)])
    assert differ(left, [b + t for b, t in zip(bent([ONE, ONE]), turned, strict=True)])  # as printed, without v^j
    # iota goes in before the derivatives are taken
    late = level.restricted([diff(level.routhian, w) for w in v])
    assert differ(late, [diff(R, w) for w in v])
