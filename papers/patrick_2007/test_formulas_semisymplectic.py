"""Sections 5, 5.1 and 5.2: semi-symplectic manifolds, symmetry and reduction; for any functions f, g, h."""

from itertools import combinations

import pytest

from dalembert.expr import ONE, ZERO, diff, gradient, substitute, symbol, tangent, total
from dalembert.expr.linear import null_space
from dalembert.expr.text import parse
from dalembert.expr.truth import generic_rank, never_zero
from dalembert.gallery import load
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, d, interior, lie_derivative, one_form, wedge
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.mechanics.semisymplectic.canonical_projection import (
    CanonicalProjection,
    any_functions,
    contracted,
    schouten,
)
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.principal_case import principal_reduction
from dalembert.mechanics.semisymplectic.reduction.reduced import semisymplectic_reduction
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

from .systems import (
    BRACKET,
    absorbs,
    almost_symplectic,
    any_rotor,
    carries,
    charged,
    free,
    product,
    read,
    rotor,
    rotor_system,
    tilted,
)

HALF = charged().manifold
F, G, H = any_functions(HALF)
YF, YG, YH = HALF.field_of(F, G, H)
KAPPA = CanonicalProjection(HALF)


def equal(left, right):
    return same(left.components, right.components)


def vanishes(form):
    return form.is_zero().holds is True


def jacobiator(fields, functions):
    """Return {{f, g}, h} + cyclic."""
    (yf, yg, yh), (f, g, h) = fields, functions
    return total([(1, yh(yg(f))), (1, yf(yh(g))), (1, yg(yf(h)))])


# -- section 5 ---------------------------------------------------------------------------------------------------
def test_fields_of_sums_and_products():
    a, b = symbol("a"), symbol("b")
    both, whole = HALF.field_of(a * F + b * G, F * G)
    assert equal(both, combination([(a, YF), (b, YG)]))
    assert equal(whole, combination([(F, YG), (G, YF)]))
    assert same([HALF.bracket(a * F + b * G, H)], [a * HALF.bracket(F, H) + b * HALF.bracket(G, H)])
    assert same([HALF.bracket(F, G)], [-HALF.bracket(G, F)])
    assert same([HALF.bracket(F * G, H)], [F * HALF.bracket(G, H) + G * HALF.bracket(F, H)])


def test_fields_under_maps_need_that_K_is_carried_onto_K():
    x, y, z, w = (symbol(n) for n in "xyzw")
    plane, space = Chart.of(x, y), Chart.of(x, y, z, w)
    small = SemiSymplectic(plane, Form.of(plane, 2, {(0, 1): 1}), tuple(coordinate_field(plane, q) for q in (x, y)))
    large = SemiSymplectic(
        space, Form.of(space, 2, {(0, 1): 1, (2, 3): 1}), tuple(coordinate_field(space, q) for q in (x, y, z, w))
    )
    inclusion = [x, y, ZERO, ZERO]
    assert carries(small, large, inclusion) == (True, True)
    pushed = small.field_of(ZERO)[0].apply(inclusion)  # f = z, so f o psi = 0
    assert differ(large.field_of(z)[0].components, pushed)
    # onto K it holds: the mirror image of a particle
    manifold = semisymplectic.derive(tilted("V(y)")).manifold
    x, y, z, vx, vy = manifold.chart.coordinates
    images = [-x, y, -z, -vx, vy]
    assert carries(manifold, manifold, images) == (True, True)
    assert carries(manifold, manifold, [x, y, z, -vx, vy]) == (False, True)
    f = x * vx + y**2 * z * vy
    mirrored = (-x) * (-vx) + y**2 * (-z) * vy
    moved = manifold.field_of(mirrored)[0].apply(images)
    put = dict(zip(manifold.chart.coordinates, images, strict=True))
    assert same(moved, substitute(list(manifold.field_of(f)[0].components), put))


def test_the_bracket_and_the_motion():
    assert same([YF(G)], [HALF.form(YG, YF)])
    assert same([YF(G)], [HALF.bracket(G, F)])
    found = charged()
    assert same([found.field(F)], [HALF.bracket(F, found.energy)])
    assert same([HALF.bracket(found.energy, found.energy)], [ZERO])
    assert differ([found.field(F)], [HALF.bracket(found.energy, F)])


def test_brackets_of_fields_and_of_functions():
    (of_bracket,) = HALF.field_of(HALF.bracket(F, G))
    left = -(bracket(YF, YG) + of_bracket)(H)
    middle = -YF(YG(H)) + YG(YF(H)) - of_bracket(H)
    nested = -HALF.bracket(HALF.bracket(H, G), F) + HALF.bracket(HALF.bracket(H, F), G)
    nested = nested - HALF.bracket(H, HALF.bracket(F, G))
    assert same([left, middle], [middle, nested])
    assert same([nested], [jacobiator((YF, YG, YH), (F, G, H))])


def test_the_lie_derivative_of_the_bivector():
    size = range(HALF.chart.dimension)
    dg, dh = d(G, HALF.chart), d(H, HALF.chart)

    def bivector(left, right):
        return total([(1, HALF.tensor[i][j] * left.component(i) * right.component(j)) for i in size for j in size])

    moved = YF(bivector(dg, dh)) - bivector(lie_derivative(YF, dg), dh) - bivector(dg, lie_derivative(YF, dh))
    jacobi = jacobiator((YF, YG, YH), (F, G, H))
    assert same([bivector(dg, dh)], [HALF.bracket(G, H)])
    assert same([moved], [jacobi])
    assert differ([moved], [-jacobi])
    # in the middle: [B, B] from brackets of fields, and its components from derivatives of those of B
    trivector = schouten(HALF)
    middle = contracted(trivector, (F, G, H), HALF)
    assert same([middle / 2], [moved])
    assert differ([middle], [moved])
    slopes = [[gradient(entry, HALF.chart.coordinates) for entry in row] for row in HALF.tensor]
    for (i, j, k), value in trivector.items():
        turns = ((i, j, k), (j, k, i), (k, i, j))
        parts = [(-2, slopes[a][b][m] * HALF.tensor[m][c]) for a, b, c in turns for m in size]
        assert same([value], [total(parts)])


def test_semi_poisson_manifolds_are_semi_symplectic():
    # a bracket that is stated alone: the form on its image gives it back
    stated = System.of(name="stated", coordinates="x y z u p", bracket={**BRACKET, "hamiltonian": "u^2 + p^2"})
    found = semisymplectic.derive(stated)
    half, q = found.manifold, {x.data.name: x for x in stated.q}
    for left, right in combinations(q, 2):
        (value,) = read(stated, BRACKET.get(f"{left}, {right}", "0"))
        assert same([half.bracket(q[left], q[right])], [value])
        assert differ([half.bracket(q[left], q[right]) + 1], [value])
    assert len(half.basis) == half.regular().rank == 4
    assert half.jacobi().holds is False
    # and back: of a semi-symplectic manifold the image of its bivector is K, and the form is that on it
    assert HALF.characteristic().holds
    rows = list(zip(*HALF.tensor, strict=True))
    fields = [VectorField.of(HALF.chart, row) for row in rows]
    coordinates = range(HALF.chart.dimension)
    values = [HALF.form(fields[i], fields[j]) for i in coordinates for j in coordinates]
    assert same(values, [HALF.tensor[i][j] for i in coordinates for j in coordinates])


def test_jacobi_where_K_is_involutive():
    manifold = almost_symplectic()
    f, g, h = any_functions(manifold)
    fields = yf, yg, yh = manifold.field_of(f, g, h)
    three = d(manifold.form)(yf, yg, yh)
    jacobi = jacobiator(fields, (f, g, h))
    assert same([lie_derivative(yf, manifold.form)(yg, yh)], [three])
    terms = []
    for a, b, c in ((yf, yg, yh), (yg, yh, yf), (yh, yf, yg)):
        terms += [(1, a(manifold.form(b, c))), (-1, manifold.form(bracket(a, b), c))]
    assert same([three], [total(terms)])
    assert same([-three], [jacobi])
    assert differ([three], [-2 * jacobi])  # as printed


def test_poisson_exactly_if_symplectic():
    """For z' = a x' + b y' with any a, b of x, y, z and any metric: every Jacobiator is a multiple of the curvature."""
    system = System.of(
        name="any constraint on three coordinates",
        coordinates="x y z",
        functions={"a": {"of": ["x", "y", "z"]}, "b": {"of": ["x", "y", "z"]}, "m": {"of": ["x", "y", "z"]}},
        lagrangian="((1 + m(x, y, z)^2)*x'^2 + y'^2 + z'^2)/2 + x*y' - x*z",
        constraints={"c": "z' = a(x, y, z)*x' + b(x, y, z)*y'"},
    )
    manifold = semisymplectic.derive(system).manifold
    x, y, z = system.q
    a, b, m = (parse(f"{name}(x, y, z)", system.vocabulary) for name in "abm")
    slope = diff(b, x)
    bent = diff(a, y) + b * diff(a, z) - slope - a * diff(b, z)  # K is involutive where this vanishes
    turns, product = manifold.chart.coordinates, manifold.bracket
    triples = list(combinations(turns, 3))
    found = [product(product(f, g), h) + product(product(g, h), f) + product(product(h, f), g) for f, g, h in triples]
    # affine in db/dx, which stands in the curvature with the sign -1
    weights = [substitute([e], {slope: ZERO})[0] - substitute([e], {slope: ONE})[0] for e in found]
    assert same(found, [w * bent for w in weights])
    assert manifold.jacobi().holds is manifold.involutive().holds is False
    # and that of z with both velocities vanishes nowhere: it is a sum of squares over one
    (upright,) = (w for w, (f, _, h) in zip(weights, triples, strict=True) if f is z and h is y.dot)
    size = (1 + m**2) * (1 + b**2) + a**2
    assert same([upright * size**2], [1 + m**2]) or same([upright * size**2], [-1 - m**2])
    assert never_zero(size).holds
    assert differ([upright * size], [1 + m**2])
    assert vanishes(d(manifold.form))
    # a form that is not closed is not Poisson, although K is all of TP
    assert almost_symplectic().jacobi().holds is False


def test_an_ideal_is_moved_symplectically():
    found = product()
    chart = found.manifold.chart
    s, vs, x = found.system.q[3], found.system.v[3], found.system.q[0]
    ds, dvs = (d(e, chart) for e in (s, vs))
    manifold = SemiSymplectic(chart, found.manifold.form + x * wedge(ds, dvs), found.manifold.basis)  # either way
    pair = [coordinate_field(chart, c) for c in (s, vs)]
    assert absorbs(manifold, pair)
    one, two = (
        combination([(unknown(f"{n}{i}", *chart.coordinates), k) for i, k in enumerate(pair)]) for n in ("a", "b")
    )
    (field,) = manifold.field_of(any_functions(manifold, ["f"])[0])
    form, moved = interior(field, manifold.form), lie_derivative(field, manifold.form)
    assert same([one(form(two)) - two(form(one)) - form(bracket(one, two))], [ZERO])
    assert same([d(form)(one, two)], [ZERO])
    assert same([moved(one, two)], [d(manifold.form)(field, one, two)])
    assert differ([moved(one, two)], [ZERO])
    k1, k2 = manifold.basis[:2]
    assert differ([d(form)(k1, k2)], [ZERO])  # off the ideal it fails


def test_the_interior_product_with_a_bracket():
    q = HALF.chart.coordinates
    closed = d(one_form(HALF.chart, [unknown(f"w{i}", *q) for i in range(5)]))
    x, y = (VectorField.of(HALF.chart, [unknown(f"{n}{i}", *q) for i in range(5)]) for n in "XY")
    left = interior(bracket(x, y), closed)
    assert vanishes(left - lie_derivative(x, interior(y, closed)) + interior(y, lie_derivative(x, closed)))
    right = d(closed(y, x), HALF.chart) + interior(x, d(interior(y, closed))) - interior(y, d(interior(x, closed)))
    assert vanishes(left - right)


def test_the_canonical_projection():
    square = KAPPA.tensor()
    assert same([e for row in (square @ square - square).matrix for e in row], [ZERO] * 25)
    assert vanishes(interior(YF, HALF.form) - KAPPA.differential(F))
    assert not vanishes(interior(YF, HALF.form) - d(F, HALF.chart))


PAIRS = list(combinations(range(4), 2))


def test_the_form_moved_by_a_semi_hamiltonian_field():
    moved = lie_derivative(YF, HALF.form)
    assert vanishes(moved - d(KAPPA.differential(F)))
    on_K = [moved(HALF.basis[i], HALF.basis[j]) for i, j in PAIRS]
    curved = [KAPPA.curvature(HALF.basis[i], HALF.basis[j])(F) for i, j in PAIRS]
    assert same(on_K, [-c for c in curved])
    assert differ(on_K, curved)  # as printed


def test_the_bracket_of_semi_hamiltonian_fields():
    form = interior(bracket(YF, YG), HALF.form) + d(HALF.bracket(F, G), HALF.chart)
    exact = interior(YF, d(KAPPA.differential(G))) - interior(YG, d(KAPPA.differential(F)))
    assert vanishes(form - exact)
    curved = [KAPPA.curvature(YF, k)(G) - KAPPA.curvature(YG, k)(F) for k in HALF.basis]
    assert same([form(k) for k in HALF.basis], [-c for c in curved])
    assert differ([form(k) for k in HALF.basis], curved)  # as printed


def test_jacobi_by_the_curvature():
    jacobi = jacobiator((YF, YG, YH), (F, G, H))
    triples = ((YF, YG, H), (YG, YH, F), (YH, YF, G))
    curved = total([(1, KAPPA.curvature(a, b)(c)) for a, b, c in triples])
    assert same([jacobi], [curved])  # Delta(Y_f, Y_g) = i_Yg i_Yf Delta
    assert differ([jacobi], [-curved])  # as printed: i_Yf i_Yg Delta


def test_locally_semi_hamiltonian_fields():
    x = combination([(unknown(f"c{i}", *HALF.chart.coordinates), k) for i, k in enumerate(HALF.basis)])
    assert vanishes(lie_derivative(x, HALF.form) - d(interior(x, HALF.form)))


# -- 5.1 symmetry and momentum -----------------------------------------------------------------------------------
def turning():
    found = rotor()
    (momentum,) = read(found.system, "s' + x'/2 + y")
    return found, coordinate_field(found.manifold.chart, found.system.q[3]), momentum


def test_the_momentum_of_a_generator_in_K():
    found, turn, momentum = turning()
    manifold = found.manifold
    assert vanishes(interior(turn, manifold.form) - d(momentum, manifold.chart))
    hamiltonian = any_functions(manifold, ["H"])[0]
    (field,) = manifold.field_of(hamiltonian)
    assert same([field(momentum), -manifold.form(field, turn)], [manifold.form(turn, field)] * 2)
    assert same([field(momentum)], [-turn(hamiltonian)])
    assert differ([field(momentum)], [turn(hamiltonian)])  # the sign as printed, harmless where H is invariant
    assert same([found.field(momentum)], [ZERO])


def test_the_momentum_equation():
    found = free()
    system = found.system
    momenta = read(system, "x'", "a(y)*x'")
    section = read(system, "1", "a(y)")  # e1 + a(y) e2 lies in D
    moved = [found.field(w) for w in section]
    assert same([found.field(dot(section, momenta))], [dot(momenta, moved)])
    assert same([dot(momenta, moved)], read(system, "a(y)*D(a, 1)(y)*x'*y'"))
    assert differ([found.field(momenta[0])], [ZERO])


def test_orphaned_integrals():
    assert same([YH(F)], [-YF(H)])
    system = tilted("V(y)")
    found = semisymplectic.derive(system)
    j, vx = read(system, "x'^2*(1 + a(y)^2)", "x'")
    y, vy = system.q[1], system.v[1]
    (field,) = found.manifold.field_of(j)
    assert equal(field, found.manifold.combine([2 * vx, ZERO, ZERO, ZERO]))
    (other,) = found.manifold.field_of(unknown("H", y, vx, vy))
    assert same([other(j)], [ZERO])
    (tipped,) = found.manifold.field_of(unknown("H", system.q[0], y, vx, vy))
    assert differ([tipped(j)], [ZERO])


# -- 5.2 reduction -----------------------------------------------------------------------------------------------
def components(fields):
    return [field.components for field in fields]


def orthogonal(manifold, fields):
    """Return the omega-orthogonal complement within K."""
    rows = [[manifold.form(field, k) for k in manifold.basis] for field in fields]
    return [manifold.combine(weights) for weights in null_space(rows)]


def spans(left, right):
    """Say whether two lists of fields, each independent, span the same."""
    ranks = {generic_rank(components(part)).rank for part in (left, right, [*left, *right])}
    return ranks == {len(left)} == {len(right)}


def sloped(name):
    """Return a system with a rotor, the turn of the rotor and the shift along the slope: they span ker T pi_R cap K."""
    if name == "rotor":
        found, turn, momentum = turning()
        slope = "y"
    else:
        found = any_rotor()
        turn = coordinate_field(found.manifold.chart, found.system.q[3])
        (momentum,) = found.motion.manifold.on([diff(found.system.lagrangian, found.system.v[3])])
        slope = "a(y)"
    x, _, z, _ = found.system.q
    return found, turn, VectorField.of(found.manifold.chart, {x: 1, z: read(found.system, slope)[0]}), momentum


SLOPED = pytest.mark.parametrize("name", ["rotor", "any rotor"])


@SLOPED
def test_the_tangent_space_of_the_level_set(name):
    found, turn, slope, momentum = sloped(name)
    manifold = found.manifold
    # with n = 0 nothing is fixed and T P_R cap K = K, while ker T pi_R cap K is spanned by orbits that lie in K
    assert len(manifold.basis) == 6
    assert generic_rank(components([turn, slope])).rank == 2
    assert all(manifold.contains(field).holds for field in (turn, slope))
    assert manifold.contains(coordinate_field(manifold.chart, found.system.q[2])).holds is False
    # with n = span(turn): T P_R cap K = ker dJ cap K = (n p)^perp
    rows = [[k(momentum) for k in manifold.basis]]
    level = [manifold.combine(weights) for weights in null_space(rows)]
    assert same([manifold.form(turn, w) for w in level], [ZERO] * 5)
    assert spans(level, orthogonal(manifold, [turn]))
    assert len(level) != 2  # as printed: ker T pi_R cap K


@SLOPED
def test_the_complement_of_K_R(name):
    found, turn, slope, momentum = sloped(name)
    manifold = found.manifold
    reduced = orthogonal(manifold, [turn, slope])
    assert same([k(momentum) for k in reduced], [ZERO] * 4)  # so it lies in T P_R
    assert spans(orthogonal(manifold, reduced), [turn, slope])
    aside = slope + manifold.basis[1]
    assert not spans(orthogonal(manifold, reduced), [turn, aside])


@SLOPED
def test_the_motion_is_in_K_R(name):
    found, turn, slope, momentum = sloped(name)
    manifold = found.manifold
    assert same([found.field(momentum)], [ZERO])
    assert same([manifold.form(found.field, k) for k in (turn, slope)], [ZERO] * 2)
    assert same(gradient(found.energy, [found.system.q[0], found.system.q[2]]), [ZERO] * 2)


@pytest.mark.parametrize("name", ["rotor", "chaplygin-sleigh", "two-wheeled-robot"])
def test_the_reduced_motion(name):
    system = rotor_system() if name == "rotor" else load(name)
    whole = principal_reduction(system)
    found = semisymplectic_reduction(whole)
    manifold, rates = found.manifold, dict(zip(found.manifold.chart.coordinates, found.field.components, strict=True))
    # semi-Hamilton's equations of the reduced energy, for a field in K_R
    slopes = [k(found.energy) for k in manifold.basis]
    turned = [manifold.form(found.field, k) for k in manifold.basis]
    assert same(turned, slopes)
    assert differ(turned, [-s for s in slopes])
    assert generic_rank([k.components for k in (*manifold.basis, found.field)]).rank == len(manifold.basis)
    # the motion with multipliers on the level set of the momentum, if there is one, projects to it: velocities by the
    # quasi-velocities, these by the reduced field
    level = dict(found.datum.level)
    assert bool(level) is (name == "rotor")
    q = whole.bundle.chart.coordinates
    velocities = dict(zip(q, substitute(whole.velocities(), level), strict=True))
    moved = tangent(list(velocities.values()), {**velocities, **{w: rates[w] for w in whole.speeds if w in rates}})
    put = {q.dot: velocities[q] for q in system.q}
    stated = dict(zip(system.q, substitute(by_multipliers(system)[0], put), strict=True))
    assert same(moved, [stated[x] for x in q])
    still = tangent(list(velocities.values()), velocities)  # with quasi-velocities that do not change
    assert name == "two-wheeled-robot" or differ(still, [stated[x] for x in q])
