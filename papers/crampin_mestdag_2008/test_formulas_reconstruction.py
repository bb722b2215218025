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
    FLAT,
    LINES,
    MORE,
    PLANE,
    QUARTIC,
    SE2,
    SPACE,
    STILL,
    result,
    same_on_level,
    split,
    system,
)
from papers.exact import differ, dot, same, unknown

BASE, GROUP = range(2), range(3)
THOROUGH = [pytest.param(name, marks=pytest.mark.thorough) for name in (FLAT, PLANE, MORE, LINES, BENT)]
NOT_ALL = [SPACE, *THOROUGH[1:-1]]
GROUPS = pytest.mark.parametrize("name", [SPACE, *THOROUGH[:-1]])


def none(*parts):
    return same(parts, [ZERO] * len(parts))


def none_on_level(name, *parts):
    return same_on_level(name, parts, [ZERO] * len(parts))


def gone_on_level(name, *fields):
    return none_on_level(name, *(c for field in fields for c in field.components))


def lifts_of(found):
    """E~_A^C."""
    return [complete_lift(found.level.generators[a]) for a in found.level.inner]


def parts_of(found):
    """The indices A and al."""
    return found.level.inner, found.level.outer


# -- IV ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("by", ["mechanical", "vertical lift"])
@pytest.mark.parametrize("name", [SE2, FLAT, *NOT_ALL])
def test_a_lift_moved_by_the_development_is_a_motion(name, by):
    # g^-1 g' = Omega(Gamma), v = g v^H: put into the Euler-Lagrange equations of the stated Lagrangian
    equations, given = reconstruction_equations(result(name), by), system(name)
    assert moves_by(equations, equations.reconstruction, given)
    held = dict.fromkeys(equations.reconstruction, ZERO)  # the twin: a lift that is not moved
    assert not moves_by(equations, held, given)
    assert len(equations.reconstruction) == 2 * split(name).level.isotropy  # the lift, and the development


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


@GROUPS
def test_the_mechanical_connection_is_principal(name):
    found = split(name)
    flat = (*found.horizontal.outer_fields, *found.horizontal.base_fields, *found.frame.vertical_fields)
    for lift in lifts_of(found):
        assert none_on_level(name, *(value for w in flat for value in found.mechanical.components(bracket(lift, w))))
    bent = [bracket(lift, w) for lift in lifts_of(found) for w in found.frame.group_fields]  # not horizontal
    if name != FLAT:  # where nothing turns
        assert not none_on_level(name, *(value for w in bent for value in found.mechanical.components(w)))


@GROUPS
def test_generators_of_the_isotropy_group_are_tangent(name):
    found = split(name)
    apart = [e - complete_lift(x) for e, x in zip(found.frame.group_fields, found.level.generators, strict=True)]
    assert gone_on_level(name, *(apart[a] for a in found.level.inner))
    assert not any(gone_on_level(name, apart[al]) for al in found.level.outer)


@GROUPS
def test_horizontal_fields_of_the_mechanical_connection(name):
    found = split(name)
    frame, omega, lifts = found.frame, found.mechanical, lifts_of(found)
    for al, field in zip(found.level.outer, found.horizontal.outer_fields, strict=True):
        stated = [(1, frame.group_fields[al]), *zip(raised(found, frame.group_part[al]), lifts, strict=True)]
        assert gone_on_level(name, field - combination(stated))
    for i, field in enumerate(found.horizontal.base_fields):
        stated = [(1, frame.base_fields[i]), *zip(raised(found, frame.mixed_part[i]), lifts, strict=True)]
        assert gone_on_level(name, field - combination(stated))
    flat = (*found.horizontal.outer_fields, *found.horizontal.base_fields, *frame.vertical_fields)
    assert none_on_level(name, *(value for field in flat for value in omega.components(field)))
    units = [ONE if a == b else ZERO for a in found.level.inner for b in found.level.inner]
    assert same_on_level(name, [value for lift in lifts for value in omega.components(lift)], units)
    assert not none_on_level(name, *(value for field in frame.base_fields for value in omega.components(field)))


def raised(found, row):
    """-G^AB g_B., for the row g_.b of the Hessian."""
    inner, g = found.level.inner, found.frame.group_part
    return [-e for e in solve([[g[a][b] for b in inner] for a in inner], [row[a] for a in inner])]


@GROUPS
def test_the_new_fields_are_horizontal(name):
    found = split(name)
    frame = found.frame
    for i, (field, flat) in enumerate(zip(frame.orthogonal_fields, found.horizontal.base_fields, strict=True)):
        shift = solve(frame.group_part, frame.mixed_part[i])  # g^ab g_bi
        steps = [(-shift[al], h) for al, h in zip(found.level.outer, found.horizontal.outer_fields, strict=True)]
        assert gone_on_level(name, field - combination([(1, flat), *steps]))
        assert none_on_level(name, *found.mechanical.components(field))


@GROUPS
def test_the_vertical_lift_connection(name):
    found = split(name)
    frame, omega, group = found.frame, found.vertical_lift, range(len(found.level.generators))
    for a, field in enumerate(frame.group_fields):
        assert same_on_level(name, omega.components(field), [ONE if a == b else ZERO for b in group])
    flat = (*frame.base_fields, *frame.vertical_fields)
    assert none_on_level(name, *(value for field in flat for value in omega.components(field)))
    # its forms are those of the connection on M, along the projection
    on_m = result(name).frame.connection.forms
    size = range(found.level.chart.dimension)
    assert same([e for row in omega.forms for e in row], [form.component(i) for form in on_m for i in size])


@GROUPS
def test_the_vertical_lift_connection_is_invariant(name):
    found = split(name)
    C, E = found.level.constants, found.frame.group_fields
    for A, lift in enumerate(lifts_of(found)):
        for a, field in enumerate(E):
            turned = combination([(-c, e) for c, e in zip(C[A][a], E, strict=True)])
            assert gone_on_level(name, bracket(lift, field) - turned)
        across = (*found.frame.base_fields, *found.frame.vertical_fields)
        assert gone_on_level(name, *(bracket(lift, x) for x in across))


@GROUPS
def test_both_connections_after_each_other(name):
    found = split(name)
    lifts, frame, inner = lifts_of(found), found.frame, found.level.inner
    omega = after(found.mechanical, found.vertical_lift)
    units = [ONE if a == b else ZERO for a in inner for b in inner]
    assert same_on_level(name, [value for lift in lifts for value in omega.components(lift)], units)
    flat = (*found.horizontal.outer_fields, *frame.base_fields, *frame.vertical_fields)
    assert none_on_level(name, *(value for field in flat for value in omega.components(field)))
    # the other way round it is Omega^m itself, not Omega^N_mu
    for w in frame.base_fields:
        twice = found.vertical_lift.vertical_part(found.mechanical.vertical_part(w))
        assert gone_on_level(name, twice - found.mechanical.vertical_part(w))
        assert not gone_on_level(name, twice - omega.vertical_part(w))


@GROUPS
def test_the_orthogonal_connection(name):
    found = split(name)
    frame, omega, group = found.frame, found.orthogonal, range(len(found.level.generators))
    for a, field in enumerate(frame.group_fields):
        assert same_on_level(name, omega.components(field), [ONE if a == b else ZERO for b in group])
    flat = (*frame.orthogonal_fields, *frame.vertical_fields)
    assert none_on_level(name, *(value for field in flat for value in omega.components(field)))
    assert not none_on_level(name, *(value for field in frame.base_fields for value in omega.components(field)))


@GROUPS
def test_the_field_by_both_connections(name):
    found = split(name)
    frame, lifts, iota, inner, outer = found.frame, lifts_of(found), found.frame.group_velocities, *parts_of(found)
    flat, v, A = found.horizontal, found.frame.base_velocities, found.adjoint
    phi = [iota[a] + dot([row[a] for row in flat.outer_coefficients], [iota[al] for al in outer]) for a in inner]
    phi_m = [p + dot([row[a] for row in flat.base_coefficients], v) for a, p in enumerate(phi)]
    assert same_on_level(name, [*phi, *phi_m], [*found.phi, *found.phi_mechanical])
    turned = [dot(found.psi, [A[al][be] for al in outer]) for be in outer]
    assert same_on_level(name, [iota[al] for al in outer], turned)
    hats = [combination(zip([A[al][be] for be in outer], flat.outer_fields, strict=True)) for al in outer]
    pushed = [*zip(found.accelerations, frame.vertical_fields, strict=True)]
    for weights, fields in (([iota[al] for al in outer], flat.outer_fields), (found.psi, hats)):
        rest = [*zip(weights, fields, strict=True), *pushed]
        for part, across in ((phi, frame.base_fields), (phi_m, flat.base_fields)):
            whole = combination([*zip(part, lifts, strict=True), *zip(v, across, strict=True), *rest])
            assert gone_on_level(name, whole - found.gamma)
    assert same_on_level(name, found.mechanical.components(found.gamma), phi_m)
    assert same_on_level(name, found.combined.components(found.gamma), phi)
    assert not same_on_level(name, phi, phi_m)


@GROUPS
def test_the_field_by_the_orthogonal_connection(name):
    found = split(name)
    frame = found.frame
    rest = [*zip(frame.base_velocities, frame.orthogonal_fields, strict=True)]
    rest += [*zip(found.accelerations, frame.vertical_fields, strict=True)]
    for sign, right in ((-1, True), (1, False)):  # printed with plus
        group = range(len(frame.group_fields))
        dragged = [dot([row[a] for row in frame.shift], frame.base_velocities) for a in group]
        drag = [v + sign * b for v, b in zip(frame.group_velocities, dragged, strict=True)]
        whole = combination([*zip(drag, frame.group_fields, strict=True), *rest])
        assert gone_on_level(name, whole - found.gamma) is right


# -- VI ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [STILL, SPACE, *THOROUGH])
def test_how_the_coefficients_turn(name):
    found = split(name)
    C, along, across, inner, outer = *coefficients(found), *parts_of(found)
    for A, lift in enumerate(lifts_of(found)):
        moved = [lift(row[b]) for row in across for b in inner]
        assert same_on_level(name, moved, [dot([C[A][c][b] for c in inner], row) for row in across for b in inner])
        moved = [lift(row[b]) for row in along for b in inner]
        stated = [
            dot([C[A][c][b] for c in inner], row)
            - dot([C[A][al][be] for be in outer], [other[b] for other in along])
            - C[A][al][b]
            for al, row in zip(outer, along, strict=True)
            for b in inner
        ]
        assert same_on_level(name, moved, stated)
    if name not in (FLAT, STILL):
        assert not none_on_level(name, *(lift(row[b]) for lift in lifts_of(found) for row in along for b in inner))


def coefficients(found):
    """C_ab^c, Y_al^A and Y_i^A."""
    return found.level.constants, found.horizontal.outer_coefficients, found.horizontal.base_coefficients


@GROUPS
def test_invariant_horizontal_fields(name):
    found = split(name)
    C, hats, outer = found.level.constants, invariant_horizontals(found), found.level.outer
    for A, lift in enumerate(lifts_of(found)):
        for al, field in zip(outer, found.horizontal.outer_fields, strict=True):
            turned = [(-C[A][al][be], h) for be, h in zip(outer, found.horizontal.outer_fields, strict=True)]
            assert gone_on_level(name, bracket(lift, field) - combination(turned))
        assert gone_on_level(name, *(bracket(lift, field) for field in hats))
    assert none_on_level(name, *(value for field in hats for value in found.mechanical.components(field)))
    assert none_on_level(name, *(field(p) for field in hats for p in found.frame.momenta))


@pytest.mark.parametrize("name", [STILL, SPACE, *THOROUGH[:-1]])
def test_the_reduced_field_is_invariant(name):
    found = split(name)
    C, iota, group = found.level.constants, found.frame.group_velocities, range(len(found.level.generators))
    inner, outer = parts_of(found)
    for A, lift in enumerate(lifts_of(found)):
        kept = (*found.psi, *found.accelerations, *found.frame.base_velocities)
        assert none_on_level(name, *(lift(f) for f in kept))
        assert same_on_level(name, [lift(i) for i in iota], [dot([C[A][c][b] for c in group], iota) for b in group])
        for parts in (found.phi, found.phi_mechanical):
            turned = [dot([C[A][c][b] for c in inner], parts) for b in inner]
            assert same_on_level(name, [lift(part) for part in parts], turned)
    if name not in (STILL, FLAT, LINES):
        aside = [complete_lift(found.level.generators[al])(f) for al in outer for f in found.psi]
        assert not none_on_level(name, *aside)


@pytest.mark.parametrize("name", NOT_ALL)
def test_reduced_fields_in_coordinates(name):
    found, frame = split(name), result(name).frame
    place, (_, outer) = found.gamma.chart.place, parts_of(found)
    angles = [frame.fibre[al] for al in outer]
    seen = [*frame.base, *angles, *frame.v_base]
    units = [[ONE if i == j else ZERO for j in BASE] for i in BASE]
    for i in BASE:
        slopes = [-frame.coefficients[i][a] for a in outer]
        up = found.frame.base_fields[i].components
        assert same_on_level(name, [up[place(q)] for q in seen], [*units[i], *slopes, ZERO, ZERO])
        across = found.frame.vertical_fields[i].components
        assert same_on_level(name, [across[place(q)] for q in seen], [*[ZERO] * (2 + len(outer)), *units[i]])
    A, K = found.adjoint, frame.moves
    for al, field in zip(outer, invariant_horizontals(found), strict=True):
        turned = [dot([A[al][c] for c in outer], [K[c][be] for c in outer]) for be in outer]
        assert same_on_level(name, [field.components[place(q)] for q in seen], [ZERO, ZERO, *turned, ZERO, ZERO])
    # and the field itself; it does not depend on the coordinates of G_mu
    rates, iota = result(name).equations.rates(), [result(name).level.iota[al] for al in outer]
    dragged = [dot(frame.v_base, [frame.coefficients[i][al] for i in BASE]) for al in outer]
    turned = [dot(iota, [K[be][al] for be in outer]) for al in outer]
    assert same([rates[q] for q in angles], [t - s for t, s in zip(turned, dragged, strict=True)])
    assert none(*(diff(rate, frame.fibre[a]) for rate in rates.values() for a in found.level.inner))


@pytest.mark.parametrize("name", NOT_ALL)
def test_curvature_turns_with_the_group(name):
    frame, (inner, outer) = result(name).frame, parts_of(split(name))
    group = [*inner, *outer]
    C, E, R = frame.constants, frame.action.generators, frame.curvature[0][1]  # either way
    left = [E[a](R[b]) for a, b in product(group, repeat=2)]
    right = [dot(R, [C[a][c][b] for c in group]) for a, b in product(group, repeat=2)]
    assert same(left, right)
    assert differ(left, [-r for r in right])
    turned = [dot([e(r) for r in R], frame.momentum) for e in E]
    assert none(*(turned[a] for a in inner))
    assert not none(*(turned[al] for al in outer))


@GROUPS
def test_the_lagrange_routh_equations(name):
    found = result(name)
    frame, level, rates = found.frame, found.level, found.equations.rates()
    inner, outer = parts_of(split(name))
    R, v = level.restricted_routhian(), frame.v_base
    assert none(*(diff(R, frame.fibre[a]) for a in inner))
    left = [tangent([diff(R, w)], rates)[0] - diff(R, x) for w, x in zip(v, frame.base, strict=True)]
    bent = [-dot([dot(frame.curvature[i][j], frame.momentum) for j in BASE], v) for i in BASE]
    slopes = [diff(R, frame.fibre[al]) for al in outer]
    turned = [-dot([frame.coefficients[i][al] for al in outer], slopes) for i in BASE]
    assert same(left, [b + t for b, t in zip(bent, turned, strict=True)])
    assert differ(left, turned)
