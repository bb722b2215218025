"""Sections IV to VI: reconstruction, connections on level sets, and the reduced field."""

from itertools import product

import pytest

from dalembert.expr import ONE, TIME, ZERO, diff, substitute, symbol
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.tangent_bundle import complete_lift, tangent_chart
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.mechanics.routh.reconstruction.connections import after
from dalembert.mechanics.routh.reconstruction.decomposition import invariant_horizontals
from dalembert.mechanics.routh.reconstruction.summary import reconstruction_equations
from papers.crampin_mestdag_2008.systems import (
    BENT,
    QUARTIC,
    SE2,
    SIMPLE,
    STILL,
    result,
    same_on_level,
    split,
    system,
)
from papers.exact import differ, dot, same, unknown

BASE, GROUP, OUTER = range(2), range(3), range(1, 3)


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def none_on_level(name, *parts):
    return same_on_level(name, parts, [ZERO] * len(parts))


def gone_on_level(name, *fields):
    return none_on_level(name, *(c for field in fields for c in field.components))


# -- IV ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "by"),
    [
        (SE2, "mechanical"),
        (SE2, "vertical lift"),
        (SIMPLE, "mechanical"),
        (SIMPLE, "vertical lift"),
        (BENT, "mechanical"),
    ],
)
def test_a_lift_moved_by_the_development_is_a_motion(name, by):
    # g^-1 g' = Omega(Gamma), v = g v^H: put into the Euler-Lagrange equations of the stated Lagrangian
    equations, given = reconstruction_equations(result(name), by), system(name)
    assert moves_by(equations, equations.reconstruction, given)
    held = dict.fromkeys(equations.reconstruction, ZERO)  # the twin: a lift that is not moved
    assert not moves_by(equations, held, given)
    assert [s.data.name for s in equations.reconstruction] == ["y_h", "s_E1"]


def moves_by(equations, reconstruction, given):
    """Say whether positions that move so obey the Euler-Lagrange equations."""
    seed = {**equations.rates(), **reconstruction, symbol(TIME): ONE}
    positions = [equations.configuration.get(q, q) for q in given.q]
    velocities = tangent(positions, seed)
    put = dict(zip((*given.q, *given.v), (*positions, *velocities), strict=True))
    put |= dict(zip((v.dot for v in given.v), tangent(velocities, seed), strict=True))
    return none(*substitute(euler_operators(given.lagrangian, given.q, 1), put))


# -- V -----------------------------------------------------------------------------------------------------------------
def test_the_hessian_is_invariant():
    frame = result(QUARTIC).frame  # its Hessian depends on the velocities
    C, g, E = frame.constants, frame.g_ab, frame.e_complete
    assert none(*(e(entry) for e in E for row in frame.g_ij for entry in row))
    three = list(product(GROUP, repeat=3))
    turned = [dot(C[a][b], g[c]) + dot(C[a][c], g[b]) for a, b, c in three]
    assert none(*(E[a](g[b][c]) + t for (a, b, c), t in zip(three, turned, strict=True)))
    columns = [[row[i] for row in frame.g_ai] for i in BASE]
    pairs = list(product(GROUP, repeat=2))
    assert none(*(E[a](g_i[b]) + dot(C[a][b], g_i) for a, b in pairs for g_i in columns))


def test_lie_derivatives_along_the_projection():
    x, y = symbol("x"), symbol("y")
    plane = Chart.of(x, y)
    up = tangent_chart(plane)
    Z = VectorField(plane, (unknown("Z1", x, y), unknown("Z2", x, y)))
    W = VectorField(up, tuple(unknown(f"W{k}", *up.coordinates) for k in range(4)))
    shadow, u = W.components[:2], (x.dot, y.dot)
    stated = [
        Z(shadow[a])
        + dot([dot([diff(Z.components[b], q) for q in (x, y)], u) for b in BASE], [diff(shadow[a], w) for w in u])
        - dot(shadow, [diff(Z.components[a], q) for q in (x, y)])
        for a in BASE
    ]
    assert same(bracket(complete_lift(Z), W).components[:2], stated)


def test_the_mechanical_connection_is_principal():
    found = split(BENT)
    flat = (*found.horizontal.outer_fields, *found.horizontal.base_fields, *found.frame.vertical_fields)
    lift = complete_lift(found.level.generators[0])
    assert none_on_level(BENT, *(value for w in flat for value in found.mechanical.components(bracket(lift, w))))
    bent = [bracket(lift, found.frame.base_velocities[0] * w) for w in found.frame.group_fields[1:]]  # not horizontal
    assert not none_on_level(BENT, *(value for w in bent for value in found.mechanical.components(w)))


def test_generators_of_the_isotropy_group_are_tangent():
    found = split(BENT)
    assert gone_on_level(BENT, found.frame.group_fields[0] - complete_lift(found.level.generators[0]))
    assert not gone_on_level(BENT, found.frame.group_fields[1] - complete_lift(found.level.generators[1]))


def test_horizontal_fields_of_the_mechanical_connection():
    found = split(BENT)
    frame, omega = found.frame, found.mechanical
    g = frame.group_part
    lift = complete_lift(found.level.generators[0])
    for al, field in zip(OUTER, found.horizontal.outer_fields, strict=True):
        stated = combination([(1, frame.group_fields[al]), (-g[0][al] / g[0][0], lift)])
        assert gone_on_level(BENT, field - stated)
    for i, field in enumerate(found.horizontal.base_fields):
        stated = combination([(1, frame.base_fields[i]), (-frame.mixed_part[i][0] / g[0][0], lift)])
        assert gone_on_level(BENT, field - stated)
    flat = (*found.horizontal.outer_fields, *found.horizontal.base_fields, *frame.vertical_fields)
    assert none_on_level(BENT, *(value for field in flat for value in omega.components(field)))
    assert same_on_level(BENT, omega.components(lift), [ONE])
    assert not none_on_level(BENT, *(value for field in frame.base_fields for value in omega.components(field)))


def test_the_new_fields_are_horizontal():
    found = split(BENT)
    frame = found.frame
    for i, (field, flat) in enumerate(zip(frame.orthogonal_fields, found.horizontal.base_fields, strict=True)):
        shift = solve(frame.group_part, frame.mixed_part[i])  # g^ab g_bi
        steps = [(-shift[al], h) for al, h in zip(OUTER, found.horizontal.outer_fields, strict=True)]
        assert gone_on_level(BENT, field - combination([(1, flat), *steps]))
        assert none_on_level(BENT, *found.mechanical.components(field))


def test_the_vertical_lift_connection():
    found = split(BENT)
    frame, omega = found.frame, found.vertical_lift
    for a, field in enumerate(frame.group_fields):
        assert same_on_level(BENT, omega.components(field), [ONE if a == b else ZERO for b in GROUP])
    flat = (*frame.base_fields, *frame.vertical_fields)
    assert none_on_level(BENT, *(value for field in flat for value in omega.components(field)))
    # its forms are those of the connection on M, along the projection
    on_m = result(BENT).frame.connection.forms
    size = range(found.level.chart.dimension)
    assert same([e for row in omega.forms for e in row], [form.component(i) for form in on_m for i in size])


def test_the_vertical_lift_connection_is_invariant():
    found = split(BENT)
    C, E = found.level.constants, found.frame.group_fields
    lift = complete_lift(found.level.generators[0])
    for a in GROUP:
        turned = combination([(-c, e) for c, e in zip(C[0][a], E, strict=True)])
        assert gone_on_level(BENT, bracket(lift, E[a]) - turned)
    assert gone_on_level(BENT, *(bracket(lift, x) for x in (*found.frame.base_fields, *found.frame.vertical_fields)))


def test_both_connections_after_each_other():
    found = split(BENT)
    lift, frame = complete_lift(found.level.generators[0]), found.frame
    omega = after(found.mechanical, found.vertical_lift)
    assert same_on_level(BENT, omega.components(lift), [ONE])
    flat = (*found.horizontal.outer_fields, *frame.base_fields, *frame.vertical_fields)
    assert none_on_level(BENT, *(value for field in flat for value in omega.components(field)))
    # the other way round it is Omega^m itself, not Omega^N_mu
    for w in frame.base_fields:
        twice = found.vertical_lift.vertical_part(found.mechanical.vertical_part(w))
        assert gone_on_level(BENT, twice - found.mechanical.vertical_part(w))
        assert not gone_on_level(BENT, twice - omega.vertical_part(w))


def test_the_orthogonal_connection():
    found = split(BENT)
    frame, omega = found.frame, found.orthogonal
    for a, field in enumerate(frame.group_fields):
        assert same_on_level(BENT, omega.components(field), [ONE if a == b else ZERO for b in GROUP])
    flat = (*frame.orthogonal_fields, *frame.vertical_fields)
    assert none_on_level(BENT, *(value for field in flat for value in omega.components(field)))
    assert not none_on_level(BENT, *(value for field in frame.base_fields for value in omega.components(field)))


def test_the_field_by_both_connections():
    found = split(BENT)
    frame, lift, iota = found.frame, complete_lift(found.level.generators[0]), found.frame.group_velocities
    flat, v, A = found.horizontal, found.frame.base_velocities, found.adjoint
    phi = iota[0] + dot([row[0] for row in flat.outer_coefficients], iota[1:])
    phi_m = phi + dot([row[0] for row in flat.base_coefficients], v)
    assert same_on_level(BENT, [phi, phi_m], [*found.phi, *found.phi_mechanical])
    assert same_on_level(BENT, iota[1:], [dot(found.psi, [A[al][be] for al in OUTER]) for be in OUTER])
    hats = [combination(zip(A[al][1:], flat.outer_fields, strict=True)) for al in OUTER]
    pushed = [*zip(found.accelerations, frame.vertical_fields, strict=True)]
    for weights, fields in ((iota[1:], flat.outer_fields), (found.psi, hats)):
        rest = [*zip(weights, fields, strict=True), *pushed]
        for part, across in ((phi, frame.base_fields), (phi_m, flat.base_fields)):
            whole = combination([(part, lift), *zip(v, across, strict=True), *rest])
            assert gone_on_level(BENT, whole - found.gamma)
    assert same_on_level(BENT, found.mechanical.components(found.gamma), [phi_m])
    assert same_on_level(BENT, found.combined.components(found.gamma), [phi])
    assert not same_on_level(BENT, [phi], [phi_m])


def test_the_field_by_the_orthogonal_connection():
    found = split(BENT)
    frame = found.frame
    rest = [*zip(frame.base_velocities, frame.orthogonal_fields, strict=True)]
    rest += [*zip(found.accelerations, frame.vertical_fields, strict=True)]
    for sign, right in ((-1, True), (1, False)):  # printed with plus
        dragged = [dot([row[a] for row in frame.shift], frame.base_velocities) for a in GROUP]
        drag = [v + sign * b for v, b in zip(frame.group_velocities, dragged, strict=True)]
        whole = combination([*zip(drag, frame.group_fields, strict=True), *rest])
        assert gone_on_level(BENT, whole - found.gamma) is right


# -- VI ----------------------------------------------------------------------------------------------------------------
def test_how_the_coefficients_turn():
    # Y_i^B where G_mu does not commute, as all of SE(2) at momentum zero; Y_al^B where G_mu is less than G
    found, pairs = split(STILL), list(product(GROUP, repeat=2))
    C, lifts = found.level.constants, [complete_lift(e) for e in found.level.generators]
    for row in found.horizontal.base_coefficients:
        turned = [dot([C[a][c][b] for c in GROUP], row) for a, b in pairs]
        assert same_on_level(STILL, [lifts[a](row[b]) for a, b in pairs], turned)
    found = split(BENT)
    C, lift, along = (
        found.level.constants,
        complete_lift(found.level.generators[0]),
        found.horizontal.outer_coefficients,
    )
    assert none(C[0][0][0])
    assert none_on_level(BENT, *(lift(row[0]) for row in found.horizontal.base_coefficients))
    for al, row in zip(OUTER, along, strict=True):
        mixed = dot([C[0][al][be] for be in OUTER], [other[0] for other in along])
        assert same_on_level(BENT, [lift(row[0])], [-mixed - C[0][al][0]])
    signs = [lift(row[0]) - C[0][al][0] for al, row in zip(OUTER, along, strict=True)]
    assert not none_on_level(BENT, *signs)


def test_invariant_horizontal_fields():
    found = split(BENT)
    lift, C = complete_lift(found.level.generators[0]), found.level.constants
    for al, field in zip(OUTER, found.horizontal.outer_fields, strict=True):
        turned = combination([(-C[0][al][be], h) for be, h in zip(OUTER, found.horizontal.outer_fields, strict=True)])
        assert gone_on_level(BENT, bracket(lift, field) - turned)
    hats = invariant_horizontals(found)
    assert gone_on_level(BENT, *(bracket(lift, field) for field in hats))
    assert none_on_level(BENT, *(value for field in hats for value in found.mechanical.components(field)))
    assert none_on_level(BENT, *(field(p) for field in hats for p in found.frame.momenta))


def test_the_reduced_field_is_invariant():
    found = split(BENT)
    lift = complete_lift(found.level.generators[0])
    assert none_on_level(BENT, *(lift(f) for f in (*found.psi, *found.accelerations, *found.frame.base_velocities)))
    assert not none_on_level(BENT, *(complete_lift(found.level.generators[2])(f) for f in found.psi))
    C, iota = found.level.constants, found.frame.group_velocities
    assert same_on_level(BENT, [lift(i) for i in iota], [dot([C[0][c][b] for c in GROUP], iota) for b in GROUP])
    # Phi and Phi_m, where G_mu does not commute
    found, pairs = split(STILL), list(product(GROUP, repeat=2))
    C, lifts = found.level.constants, [complete_lift(e) for e in found.level.generators]
    for parts in (found.phi, found.phi_mechanical):
        turned = [dot([C[a][c][b] for c in GROUP], parts) for a, b in pairs]
        assert same_on_level(STILL, [lifts[a](parts[b]) for a, b in pairs], turned)


def test_reduced_fields_in_coordinates():
    found, frame = split(BENT), result(BENT).frame
    place = found.gamma.chart.place
    outer = frame.fibre[1:]
    seen = [*frame.base, *outer, *frame.v_base]
    none_or_one = [[ONE if i == j else ZERO for j in BASE] for i in BASE]
    for i in BASE:
        slopes = [-frame.coefficients[i][a] for a in OUTER]
        up = found.frame.base_fields[i].components
        assert same_on_level(BENT, [up[place(q)] for q in seen], [*none_or_one[i], *slopes, ZERO, ZERO])
        across = found.frame.vertical_fields[i].components
        assert same_on_level(BENT, [across[place(q)] for q in seen], [ZERO] * 4 + none_or_one[i])
    A, K = found.adjoint, frame.moves
    for al, field in zip(OUTER, invariant_horizontals(found), strict=True):
        turned = [dot([A[al][c] for c in OUTER], [K[c][be] for c in OUTER]) for be in OUTER]
        assert same_on_level(BENT, [field.components[place(q)] for q in seen], [ZERO, ZERO, *turned, ZERO, ZERO])
    # and the field itself; it does not depend on the coordinate of G_mu
    equations = result(BENT).equations
    rates = equations.rates()
    iota = result(BENT).level.iota[1:]
    dragged = [dot(frame.v_base, [frame.coefficients[i][al] for i in BASE]) for al in OUTER]
    turned = [dot(iota, [K[be][al] for be in OUTER]) for al in OUTER]
    assert same([rates[q] for q in outer], [t - s for t, s in zip(turned, dragged, strict=True)])
    assert none(*(diff(rate, frame.fibre[0]) for rate in rates.values()))


def test_curvature_turns_with_the_group():
    frame = result(BENT).frame
    C, E, R = frame.constants, frame.action.generators, frame.curvature[0][1]  # either way
    left = [E[a](R[b]) for a, b in product(GROUP, repeat=2)]
    right = [dot(R, [C[a][c][b] for c in GROUP]) for a, b in product(GROUP, repeat=2)]
    assert same(left, right)
    assert differ(left, [-r for r in right])
    assert none(dot([E[0](r) for r in R], frame.momentum))
    assert not none(dot([E[2](r) for r in R], frame.momentum))


def test_the_lagrange_routh_equations():
    found = result(BENT)
    frame, level, rates = found.frame, found.level, found.equations.rates()
    R, v, outer = level.restricted_routhian(), frame.v_base, frame.fibre[1:]
    assert none(diff(R, frame.fibre[0]))
    left = [tangent([diff(R, w)], rates)[0] - diff(R, x) for w, x in zip(v, frame.base, strict=True)]
    bent = [-dot([dot(frame.curvature[i][j], frame.momentum) for j in BASE], v) for i in BASE]
    turned = [-dot(frame.coefficients[i][1:], [diff(R, q) for q in outer]) for i in BASE]
    assert same(left, [b + t for b, t in zip(bent, turned, strict=True)])
    assert differ(left, turned)
