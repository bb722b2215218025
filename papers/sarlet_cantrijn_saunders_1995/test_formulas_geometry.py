"""Sections 2 and 3: the tensors of a second-order field, lifts, curvature and the dynamical covariant derivative.

All of it for the field with unspecified coefficients: two independent and two dependent coordinates, and time.
"""

from fractions import Fraction
from itertools import combinations, product

from dalembert.expr import ONE, ZERO, jacobian, total
from dalembert.expr.calculus import gradient
from dalembert.geometry.fields import VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form, wedge
from dalembert.geometry.tensors import identity, nijenhuis, outer
from dalembert.mechanics.second_order.calculus_along import (
    Along,
    adjoint_lifts,
    curvature_of_field,
    decompose,
    horizontal_lift,
    jacobi,
    nabla,
    nabla_form,
    pairing,
    vertical_lift,
)
from dalembert.mechanics.second_order.identities import any_along
from dalembert.mechanics.second_order.tensors import SecondOrderTensors, contracted
from papers.exact import differ, dot, same, unknown

from .general import T, X, Y, any_field, equal, summed

S = any_field()
TENSORS = SecondOrderTensors(S)
HALF = Fraction(1, 2)
BOTH = range(2)
FREE, GIVEN = S.independent, S.dependent
GAM = S.connection
PULL, LEAK = jacobian(S.acceleration, S.velocities), jacobian(S.acceleration, GIVEN)
STEEP = jacobian(S.dependent_velocities, GIVEN)
"""dg^b/dq^a, rows by b."""
NONE = (ZERO, ZERO)


def unit(n):
    return tuple(ONE if k == n else ZERO for k in BOTH)


def zero(chart):
    return summed(chart, [])


def pairings(forms, fields):
    return [[form(field) for field in fields] for form in forms]


def is_unit_matrix(rows):
    wanted = [ONE if i == j else ZERO for i in range(len(rows)) for j in range(len(rows))]
    return same([entry for row in rows for entry in row], wanted)


def along(left, right):
    return same((left.tau, *left.across, *left.fibre), (right.tau, *right.across, *right.fibre))


# -- section 2 ---------------------------------------------------------------------------------------------------
def test_the_frame_of_E_and_its_dual():
    base = S.base
    clock = VectorField.of(base, {T: ONE, **dict(zip(GIVEN, S.drift, strict=True))})
    across = [
        VectorField.of(base, {q: ONE, **{a: S.coefficients[k][n] for k, a in enumerate(GIVEN)}})
        for n, q in enumerate(FREE)
    ]
    fields = [clock, *across, *(coordinate_field(base, q) for q in GIVEN)]
    forms = [coordinate_form(base, q) for q in (T, *FREE)]
    assert is_unit_matrix(pairings([*forms, *S.constraint_forms_on(base)], fields))
    turned = [f - 2 * b * forms[0] for f, b in zip(S.constraint_forms_on(base), S.drift, strict=True)]
    assert not is_unit_matrix(pairings([*forms, *turned], fields))


def test_constraint_forms_by_contact_forms():
    for a, (q, g) in enumerate(zip(GIVEN, S.dependent_velocities, strict=True)):
        stated = coordinate_form(S.chart, q) - g * S.clock
        for b, theta in zip(S.coefficients[a], S.contact, strict=True):
            stated = stated - b * theta
        assert (S.constraint_forms[a] - stated).is_zero().holds is True


def test_the_frame_of_the_field_and_its_dual():
    fields = [S.field, *S.horizontal, *S.fibre, *S.vertical]
    forms = [S.clock, *S.contact, *S.constraint_forms, *S.force_forms]
    assert is_unit_matrix(pairings(forms, fields))


def test_second_order_fields():
    free = VectorField(S.chart, (ONE, *S.velocities, *(unknown(f"c{k}", T, X, Y) for k in range(4))))
    assert same([S.clock(S.field)], [ONE])
    assert same([form(S.field) for form in (*S.contact, *S.constraint_forms)], [ZERO] * 4)
    assert differ([form(free) for form in S.constraint_forms], [ZERO] * 2)
    assert same(S.field.components, (ONE, *S.velocities, *S.dependent_velocities, *S.acceleration))


def test_vertical_endomorphism_and_projector():
    assert equal(TENSORS.S, summed(S.chart, [(1, v, c) for v, c in zip(S.vertical, S.contact, strict=True)]))
    assert equal(TENSORS.N, summed(S.chart, [(1, d, e) for d, e in zip(S.fibre, S.constraint_forms, strict=True)]))
    assert equal(TENSORS.S @ TENSORS.S, zero(S.chart))
    assert equal(TENSORS.N @ TENSORS.N, TENSORS.N)


def test_lie_derivative_of_S():
    terms = [(-1, x, c) for x, c in zip(S.horizontal, S.contact, strict=True)]
    terms += [(-PULL[be][al], S.vertical[be], S.contact[al]) for be in BOTH for al in BOTH]
    terms += [(1, v, w) for v, w in zip(S.vertical, S.force_forms, strict=True)]
    assert equal(TENSORS.moved_S, summed(S.chart, terms))
    square = identity(S.chart) - outer(S.field, S.clock) - TENSORS.N
    assert equal(TENSORS.moved_S @ TENSORS.moved_S, square)
    assert not equal(TENSORS.moved_S @ TENSORS.moved_S, square + TENSORS.N)


def test_the_projectors_of_the_field():
    whole, drive = identity(S.chart), outer(S.field, S.clock)
    P_H = HALF * (whole - TENSORS.moved_S + drive + TENSORS.N)
    P_V = HALF * (whole + TENSORS.moved_S - drive - TENSORS.N)
    assert equal(P_H, TENSORS.P_H)
    assert equal(P_V, TENSORS.P_V)
    assert equal(P_H @ P_H, P_H)
    assert equal(P_V @ P_V, P_V)
    assert equal(P_H @ P_V, zero(S.chart))
    assert equal(P_V @ P_H, zero(S.chart))


def projector(clock, across, fibre):
    """Return dt x (d_t + c d_v) + dq^al x (d_al + ..) + dq^a x (d_a + ..) by what stands along d/dv."""
    terms = []
    for q, row in zip((T, *FREE, *GIVEN), (clock, *across, *fibre), strict=True):
        field = combination([(1, coordinate_field(S.chart, q)), *zip(row, S.vertical, strict=True)])
        terms.append((1, field, coordinate_form(S.chart, q)))
    return summed(S.chart, terms)


def test_the_horizontal_projector_in_coordinates():
    clock = [
        f + total([(1, v * g) for v, g in zip(S.velocities, GAM[al], strict=True)])
        for al, f in enumerate(S.acceleration)
    ]
    across = [[-GAM[be][al] for be in BOTH] for al in BOTH]
    assert equal(TENSORS.P_H, projector(clock, across, (NONE, NONE)))
    transposed = [[-GAM[al][be] for be in BOTH] for al in BOTH]
    assert not equal(TENSORS.P_H, projector(clock, transposed, (NONE, NONE)))


def test_products_of_the_tensors():
    s, n, ls, ln = TENSORS.S, TENSORS.N, TENSORS.moved_S, TENSORS.moved_N
    for left, right in ((s, n), (n, s), (ls, n), (n, ls), (s, ln), (ln, s)):
        assert equal(left @ right, zero(S.chart))
    assert equal(ls @ ln, ln @ n)
    assert equal(ln @ ls, -1 * (n @ ln))
    assert not equal(ln @ ls, n @ ln)


def test_lie_derivative_of_N():
    terms = [(-S.curvature[a][al], S.fibre[a], S.contact[al]) for a in BOTH for al in BOTH]
    terms += [(-LEAK[al][a], S.vertical[al], S.constraint_forms[a]) for a in BOTH for al in BOTH]
    assert equal(TENSORS.moved_N, summed(S.chart, terms))


def test_the_alternative_connection():
    whole, drive = identity(S.chart), outer(S.field, S.clock)
    s, n, ls, ln = TENSORS.S, TENSORS.N, TENSORS.moved_S, TENSORS.moved_N
    U = ls + ln @ n
    assert equal(s @ s, zero(S.chart))
    assert equal(U, ls @ (whole + ln))
    assert equal(U @ U, whole - drive - n + ln @ n)
    P_HU, P_VU = TENSORS.P_H - HALF * (ln @ n), TENSORS.P_V + HALF * (ln @ n)
    assert equal(P_HU @ P_HU, P_HU)
    assert equal(P_VU @ P_VU, P_VU)
    assert equal(P_HU @ P_VU, zero(S.chart))
    assert equal(P_VU @ P_HU, zero(S.chart))
    clock = [S.acceleration[al] + dot(S.velocities, GAM[al]) - HALF * dot(LEAK[al], S.drift) for al in BOTH]
    across = [
        [-(GAM[be][al] + HALF * total([(1, LEAK[be][a] * S.coefficients[a][al]) for a in BOTH])) for be in BOTH]
        for al in BOTH
    ]
    fibre = [[HALF * LEAK[al][a] for al in BOTH] for a in BOTH]
    assert equal(P_HU, projector(clock, across, fibre))


# -- section 3 ---------------------------------------------------------------------------------------------------
CANONICAL = Along(ONE, NONE, NONE)
"""T."""


def test_horizontal_and_vertical_lifts():
    assert same(horizontal_lift(S, CANONICAL).components, S.field.components)
    assert same(vertical_lift(S, CANONICAL).components, [ZERO] * 7)
    for n in BOTH:
        one, other = Along(ZERO, unit(n), NONE), Along(ZERO, NONE, unit(n))
        lifted = combination([(1, S.horizontal[n]), *((-GAM[be][n], S.vertical[be]) for be in BOTH)])
        assert same(horizontal_lift(S, one).components, lifted.components)
        assert same(horizontal_lift(S, other).components, S.fibre[n].components)
        assert same(vertical_lift(S, one).components, S.vertical[n].components)
        assert same(vertical_lift(S, other).components, [ZERO] * 7)


def test_every_field_and_every_form_is_decomposed():
    field = VectorField(S.chart, tuple(unknown(f"z{k}", *S.chart.coordinates) for k in range(7)))
    first, second = decompose(S, field)
    assert (field - horizontal_lift(S, first) - vertical_lift(S, second)).is_zero().holds is True
    assert same([second.tau, *second.fibre], [ZERO] * 3)
    assert same([first.tau], [S.clock(field)])
    a = any_along(S, "a")
    level, _ = adjoint_lifts(S, a)
    assert same([level(S.field), *(level(x) for x in S.horizontal)], [a.tau, *a.across])
    assert same([level(x) for x in S.fibre], a.fibre)


def curvature_forms(forms, clock, rates):
    """(1/2)(X_al(B^a_be) - X_be(B^a_al)) w^al ^ w^be + rate^a_be dt ^ w^be for each a, as the paper has them."""
    found = []
    for a in BOTH:
        moved = [[S.horizontal[al](S.coefficients[a][be]) for be in BOTH] for al in BOTH]
        form = Form(clock.chart, 2, {})
        for al, be in product(BOTH, BOTH):
            form = form + (HALF * (moved[al][be] - moved[be][al])) * wedge(forms[al], forms[be])
        for be in BOTH:
            form = form + rates[a][be] * wedge(clock, forms[be])
        found.append(form)
    return found


def agrees(torsion, forms):
    left, right = [], []
    for (i, j), field in torsion.items():
        left += field.components
        right += [ZERO if q not in GIVEN else forms[GIVEN.index(q)].component(i, j) for q in field.chart.coordinates]
    return same(left, right)


def drift_rates():
    """X_t(B^a_be) - X_be(B^a)."""
    start = VectorField.of(S.chart, {T: ONE, **dict(zip(GIVEN, S.drift, strict=True))})
    return [[start(S.coefficients[a][be]) - S.horizontal[be](S.drift[a]) for be in BOTH] for a in BOTH]


def test_nijenhuis_tensor_on_E():
    forms = [coordinate_form(S.base, q) for q in FREE]
    assert agrees(nijenhuis(TENSORS.N0), curvature_forms(forms, coordinate_form(S.base, T), drift_rates()))
    other = nijenhuis(identity(S.base) - TENSORS.N0)  # either way
    pairs = combinations(range(S.base.dimension), 2)
    assert all((nijenhuis(TENSORS.N0)[p] - other[p]).is_zero().holds is True for p in pairs)


def test_contact_forms_in_place_of_coordinate_forms():
    # the tensor on E, seen along the projection: in contact forms the coefficient of dt is C, not X_t(B) - X_be(B)
    torsion = nijenhuis(TENSORS.N)
    assert agrees(torsion, curvature_forms(S.contact, S.clock, S.curvature))
    assert not agrees(torsion, curvature_forms(S.contact, S.clock, drift_rates()))


def psi():
    return summed(S.chart, [(S.curvature[a][al], S.fibre[a], S.contact[al]) for a in BOTH for al in BOTH])


def test_psi_is_the_curvature_of_the_constraints():
    start = VectorField(S.chart, (ONE, *S.velocities, *S.dependent_velocities, ZERO, ZERO))  # T, on functions of (t, q)
    stated = [[start(S.coefficients[a][be]) - S.horizontal[be](S.dependent_velocities[a]) for be in BOTH] for a in BOTH]
    assert same([c for row in S.curvature for c in row], [c for row in stated for c in row])
    seen = contracted(S.base, S.field.components[: S.base.dimension], nijenhuis(TENSORS.N0))
    size = range(S.base.dimension)
    assert same([seen.matrix[i][j] for i in size for j in size], [psi().matrix[i][j] for i in size for j in size])
    assert equal(contracted(S.chart, S.field.components, nijenhuis(TENSORS.N)), psi())
    assert not equal(contracted(S.chart, S.field.components, nijenhuis(TENSORS.N)), -1 * psi())


def test_nijenhuis_tensor_on_the_constraint_manifold():
    # printed C^a_alpha dt ^ theta^beta, with an index that belongs nowhere; summed over alpha it fails
    torsion = nijenhuis(TENSORS.N)
    assert agrees(torsion, curvature_forms(S.contact, S.clock, S.curvature))
    summed_over = [[total([(1, c) for c in row])] * 2 for row in S.curvature]
    assert not agrees(torsion, curvature_forms(S.contact, S.clock, summed_over))


def test_the_lifted_connection():
    h = [unknown(f"h{a}", T, *FREE) for a in "zw"]
    lifted = [gradient(one, [T, *FREE, *S.velocities]) for one in h]
    slopes = {}
    for one, b, row in zip(h, S.drift, S.coefficients, strict=True):
        slopes |= dict(zip(gradient(one, [T, *FREE]), (b, *row), strict=True))
    for a in BOTH:
        put = [slopes.get(entry, entry) for entry in lifted[a]]
        assert same(put, [S.drift[a], *S.coefficients[a], ZERO, ZERO])
        form = coordinate_form(S.chart, GIVEN[a])
        for value, q in zip(put, (T, *FREE, *S.velocities), strict=True):
            form = form - value * coordinate_form(S.chart, q)
        assert (form - S.constraint_forms[a]).is_zero().holds is True


def test_phi_is_the_curvature_of_the_field():
    field, none = any_along(S, "xi"), NONE
    R = curvature_of_field(S, CANONICAL, field)
    moved = [S.field.apply(row) for row in GAM]
    across = [x.apply(S.acceleration) for x in S.horizontal]
    columns = list(zip(*GAM, strict=True))
    phi = [[-(across[al][be] + dot(columns[al], GAM[be]) + moved[be][al]) for al in BOTH] for be in BOTH]

    def image(rows):
        values = [dot(rows[be], field.across) - dot(LEAK[be], field.fibre) for be in BOTH]
        return Along(ZERO, tuple(values), none)

    assert along(R, image(phi))
    assert not along(R, image(list(zip(*phi, strict=True))))
    assert along(jacobi(S).Phi(field), image(phi))


def test_lie_derivative_of_a_vertical_lift():
    field = any_along(S, "xi")
    left = bracket(S.field, vertical_lift(S, field))
    rates = [
        S.field(x) + total([(1, g * y) for g, y in zip(GAM[n], field.across, strict=True)])
        for n, x in enumerate(field.across)
    ]
    right = vertical_lift(S, Along(ZERO, tuple(rates), NONE)) - horizontal_lift(S, Along(ZERO, field.across, NONE))
    assert (left - right).is_zero().holds is True
    moved = vertical_lift(S, nabla(S, field)) - horizontal_lift(S, Along(ZERO, field.across, NONE))
    assert (left - moved).is_zero().holds is True


def test_lie_derivative_of_a_horizontal_lift():
    field, J = any_along(S, "xi"), jacobi(S)
    left = bracket(S.field, horizontal_lift(S, field))

    def right(connection):
        across = [
            S.field(x) + total([(1, connection[n][k] * y) for k, y in enumerate(field.across)])
            for n, x in enumerate(field.across)
        ]
        fibre = [
            S.field(x) - total([(1, s * y) for s, y in zip(STEEP[a], field.fibre, strict=True)])
            for a, x in enumerate(field.fibre)
        ]
        whole = horizontal_lift(S, Along(S.field(field.tau), tuple(across), tuple(fibre)))
        return whole + horizontal_lift(S, J.Psi(field)) + vertical_lift(S, J.Phi(field))

    assert (left - right(GAM)).is_zero().holds is True
    assert (left - right(list(zip(*GAM, strict=True)))).is_zero().holds is False  # as printed: Gam^beta_alpha
    short = horizontal_lift(S, nabla(S, field)) + horizontal_lift(S, J.Psi(field)) + vertical_lift(S, J.Phi(field))
    assert (left - short).is_zero().holds is True


def test_the_dynamical_covariant_derivative():
    assert along(nabla(S, CANONICAL), Along(ZERO, NONE, NONE))
    for n in BOTH:
        assert along(nabla(S, Along(ZERO, unit(n), NONE)), Along(ZERO, tuple(GAM[be][n] for be in BOTH), NONE))
        assert along(nabla(S, Along(ZERO, NONE, unit(n))), Along(ZERO, NONE, tuple(-STEEP[b][n] for b in BOTH)))
    F, field = unknown("F", *S.chart.coordinates), any_along(S, "xi")
    scaled = Along(F * field.tau, tuple(F * x for x in field.across), tuple(F * x for x in field.fibre))
    moved, rate = nabla(S, field), S.field(F)
    pairs = zip((field.tau, *field.across, *field.fibre), (moved.tau, *moved.across, *moved.fibre), strict=True)
    found = nabla(S, scaled)
    assert same((found.tau, *found.across, *found.fibre), [rate * x + F * m for x, m in pairs])


def test_the_covariant_derivative_of_forms():
    assert along(nabla_form(S, Along(ONE, NONE, NONE)), Along(ZERO, NONE, NONE))
    for n in BOTH:
        assert along(nabla_form(S, Along(ZERO, unit(n), NONE)), Along(ZERO, tuple(-g for g in GAM[n]), NONE))
        assert along(nabla_form(S, Along(ZERO, NONE, unit(n))), Along(ZERO, NONE, tuple(STEEP[n])))
    form, field = any_along(S, "a"), any_along(S, "xi")
    rate = S.field(pairing(form, field))
    assert same([rate], [pairing(nabla_form(S, form), field) + pairing(form, nabla(S, field))])


def test_the_covariant_derivative_of_N_vanishes():
    field = any_along(S, "xi")
    inner = nabla(S, Along(ZERO, NONE, field.fibre))
    assert along(inner, Along(ZERO, NONE, nabla(S, field).fibre))
