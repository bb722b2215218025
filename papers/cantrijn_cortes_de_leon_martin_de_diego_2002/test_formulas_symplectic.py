"""Sections 2, 3 and 6: principal connections, the symplectic side, and its relation with the affine side."""

from itertools import combinations, product

import pytest

from dalembert.expr import ZERO, substitute
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.geometry.connections.principal import curvature_by_bracket, curvature_form
from dalembert.geometry.fields import VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import d, interior, lie_derivative, one_form
from dalembert.geometry.tangent_bundle import cartan_one_form, complete_lift, energy, second_order_field
from dalembert.geometry.tensors import Endomorphism, nijenhuis_on
from dalembert.mechanics.chaplygin.chaplygin import motion_of
from dalembert.mechanics.chaplygin.connections.base import cube_difference, transposed
from dalembert.mechanics.chaplygin.gyroscopic import (
    by_curvature,
    by_definition,
    constraint_chart,
    lifted_to_constraint,
    reaction_forms,
    reduced_equations,
    semi_basic_form,
    upsilon,
)
from dalembert.mechanics.chaplygin.local_data import LocalData, local_data
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from papers.cantrijn_cortes_de_leon_martin_de_diego_2002.systems import (
    LINE,
    SKEW,
    SPINS,
    TURNS,
    accelerations,
    base,
    flat,
    mean_of_hamels,
    reduction,
    system,
)
from papers.exact import differ, dot, same, unknown

BOTH = pytest.mark.parametrize("name", [TURNS, pytest.param(SPINS, marks=pytest.mark.thorough)])


# -- section 2 ---------------------------------------------------------------------------------------------------------
def test_a_principal_connection_on_generators_and_under_the_group():
    for name in (LINE, TURNS):
        found = reduction(name)
        gamma, C, E = found.connection.forms, found.structure_constants, found.generators
        size = range(len(E))
        assert same([form(e) for form in gamma for e in E], [1 + ZERO if a == b else ZERO for a in size for b in size])
        for a, q in product(size, found.connection.chart.coordinates):
            field = coordinate_field(found.connection.chart, q)
            moved = [lie_derivative(E[a], form)(field) for form in gamma]
            assert same(moved, [dot([C[a][c][b] for c in size], [form(field) for form in gamma]) for b in size])


def test_curvature_by_the_differential_and_by_the_bracket():
    found = reduction(TURNS)
    fields = [coordinate_field(found.connection.chart, q) for q in found.connection.chart.coordinates]
    for x, y in combinations(fields, 2):
        assert same(curvature_form(found.connection, x, y), curvature_by_bracket(found.connection, x, y))
    left, right = found.horizontal
    minus = [-c for c in curvature_by_bracket(found.connection, left, right)]
    assert differ(curvature_form(found.connection, left, right), minus)


# -- section 3: any nonholonomic system --------------------------------------------------------------------------------
def on_q(name):
    """The accelerations of X, as the formula in coordinates has them."""
    given = system(name)
    q, v, L = given.q, given.v, given.lagrangian
    mu = given.constraint_matrix().rows
    size, count = range(len(q)), range(len(mu))
    W = _inverse(hessian(L, v))
    p, slope = gradient(L, v), gradient(L, q)
    high = _inverse([[-dot(mu[i], [dot(W[a], mu[j]) for a in size]) for j in count] for i in count])  # C^ij
    pull = [slope[b] - dot(gradient(p[b], q), v) for b in size]
    bent = [dot([dot(gradient(mu[i][e], q), v) for e in size], v) for i in count]
    stopped = [dot([dot(W[c], pull) for c in size], mu[i]) for i in count]
    columns = [[dot(high[i], [mu[j][b] for j in count]) for i in count] for b in size]  # C^ij mu_jB
    inner = [pull[b] + dot(columns[b], bent) + dot(columns[b], stopped) for b in size]
    return [dot(W[a], inner) for a in size]


def _inverse(rows):
    size = range(len(rows))
    columns = [solve(rows, [1 + ZERO if a == b else ZERO for a in size]) for b in size]
    return [[columns[b][a] for b in size] for a in size]


def test_motion_in_coordinates_is_that_of_the_multipliers():
    for name in (LINE, TURNS):
        given, found = system(name), reduction(name)
        X = on_q(name)
        wanted, _ = by_multipliers(given)
        allowed = dict(zip((q.dot for q in found.bundle.chart.coordinates), found.horizontal_velocities, strict=True))
        assert same(substitute(X, allowed), substitute(wanted, allowed))
        free = solve(hessian(given.lagrangian, given.v), gradient(given.lagrangian, given.q))
        assert differ(substitute(X, allowed), substitute(free, allowed))


def test_reaction_forces_and_tangency():
    for name in (LINE, TURNS):
        given, found = system(name), reduction(name)
        X, multipliers = by_multipliers(given)
        chart = found.bundle.chart
        motion = second_order_field(chart, X)
        L = given.lagrangian
        rest = interior(motion, -d(cartan_one_form(chart, L))) - d(energy(chart, L), motion.chart)
        rows = given.constraint_matrix().rows
        pushed = [-dot(multipliers, column) for column in zip(*rows, strict=True)]
        assert same([rest.component(i) for i in range(2 * chart.dimension)], [*pushed, *[ZERO] * chart.dimension])
        assert same([motion(dot(mu, given.v)) for mu in rows], [ZERO] * len(rows))


def test_constraints_are_admissible():
    for name in (TURNS, SPINS):
        found = reduction(name)
        forms = reaction_forms(found)
        rows = [[form.component(i) for i in range(form.chart.dimension)] for form in forms]
        v = [q.dot for q in found.bundle.chart.coordinates]
        slopes = [gradient(dot(mu, v), [*found.bundle.chart.coordinates, *v]) for mu in found.forms]
        assert generic_rank(rows).rank == generic_rank(slopes).rank == len(found.forms)
        assert generic_rank([*rows[:-1], rows[0]]).rank < len(found.forms)


def test_lifted_generators_project_to_generators():
    for e in reduction(TURNS).generators:
        lifted = complete_lift(e)
        assert same(lifted.components[: e.chart.dimension], e.components)
        assert is_zero(lifted(reduction(TURNS).lagrangian)).holds is True  # L is invariant


@BOTH
def test_the_constraint_manifold_splits_and_upsilon_is_gamma_lifted(name):
    found = reduction(name)
    chart, size = constraint_chart(found), found.bundle.chart.dimension
    for form, gamma in zip(upsilon(found), found.connection.forms, strict=True):  # Upsilon comes from reaction forces
        lifted = [gamma.component(i) if i < size else ZERO for i in range(chart.dimension)]
        assert same([form.component(i) for i in range(chart.dimension)], lifted)
    generators = [lifted_to_constraint(found, e) for e in found.generators]
    assert generic_rank([[form(e) for e in generators] for form in upsilon(found)]).rank == len(generators)
    assert same(
        [form(motion_on_d(found)) for form in upsilon(found)], [ZERO] * len(generators)
    )  # the dynamics is horizontal


@BOTH
def test_projectors_and_curvatures_of_upsilon_and_gamma(name):
    found, forms = reduction(name), upsilon(reduction(name))  # from the reaction forces alone
    chart, size = constraint_chart(found), found.bundle.chart.dimension
    generators = [lifted_to_constraint(found, e) for e in found.generators]
    below = [coordinate_field(found.bundle.chart, q) for q in found.bundle.chart.coordinates]
    any_field = [
        VectorField(chart, tuple(unknown(f"{n}{k}", *chart.coordinates[-3:]) for k in range(size + 2))) for n in "XY"
    ]
    flat_fields = []
    for field in any_field:  # tau_* h_Upsilon = h_gamma tau_*
        across = [(-form(field), e) for form, e in zip(forms, generators, strict=True)]
        flat_fields.append(combination([(1, field), *across]))
        parts = [(c, found.connection.horizontal_part(b)) for c, b in zip(field.components[:size], below, strict=True)]
        assert same(flat_fields[-1].components[:size], combination(parts).components)
        assert differ(
            combination([(1, field), *((-c, e) for c, e in across)]).components[:size], combination(parts).components
        )
    # Omega_Upsilon(X, Y) = -Upsilon([hX, hY]) against d gamma on the horizontal parts of what is below
    above = [-form(bracket(*flat_fields)) for form in forms]
    left, right = (field.components[:size] for field in any_field)
    pairs = list(combinations(range(size), 2))
    weights = [left[a] * right[b] - left[b] * right[a] for a, b in pairs]
    values = [curvature_form(found.connection, below[a], below[b]) for a, b in pairs]
    stated = [dot(weights, [value[i] for value in values]) for i in range(len(forms))]
    assert same(above, stated)
    assert differ(above, [-value for value in stated])


def forms_on_d(found):
    """theta', h* theta', h* d theta' and h on the constraint manifold, by their definitions."""
    chart, size = constraint_chart(found), found.bundle.chart.dimension
    v = [q.dot for q in found.bundle.chart.coordinates]
    momenta = found.on_constraint(gradient(found.lagrangian, v))
    theta = one_form(chart, [*momenta, *[ZERO] * len(found.velocities)])
    generators = [lifted_to_constraint(found, e) for e in found.generators]
    columns = []
    for q in chart.coordinates:
        field = coordinate_field(chart, q)
        parts = [
            (-form.component(chart.place(q)), e)
            for form, e in zip(found.connection.forms, generators, strict=True)
            if chart.place(q) < size
        ]
        columns.append(combination([(1, field), *parts]))
    h = Endomorphism.of(chart, [list(row) for row in zip(*(c.components for c in columns), strict=True)])
    return theta, h, columns, generators


def test_alpha_by_its_definition_is_that_of_the_reduced_motion():
    for name in (TURNS, SKEW):
        found = reduction(name)
        theta, _, columns, _ = forms_on_d(found)
        motion, basis = motion_on_d(found), [coordinate_field(theta.chart, q) for q in theta.chart.coordinates]
        bent, along = d(theta), d(one_form(theta.chart, [theta(x) for x in columns]))
        alpha = [bent(motion, x) - along(motion, b) for x, b in zip(columns, basis, strict=True)]
        pulled = dict(zip(found.bundle.base, found.gyroscopic, strict=True))
        stated = [pulled.get(q, ZERO) for q in theta.chart.coordinates]
        assert same(alpha, stated)
        assert same([dot(alpha, motion.components)], [ZERO])  # it does no work
        if name != SKEW:  # there it vanishes
            assert differ(alpha, [-a for a in stated])
            assert differ([bent(motion, b) - along(motion, b) for b in basis], stated)  # without h


def motion_on_d(found):
    """The motion on the constraint manifold, from the equations with multipliers."""
    allowed = dict(zip((q.dot for q in found.bundle.chart.coordinates), found.horizontal_velocities, strict=True))
    X = substitute(by_multipliers(found.system)[0], allowed)
    return VectorField(constraint_chart(found), (*found.horizontal_velocities, *(X[i] for i in found.bundle.places)))


def test_the_reduced_equation():
    for name in (LINE, TURNS):
        found = reduction(name)
        X = second_order_field(found.base, accelerations(name))
        omega = -d(cartan_one_form(found.base, found.reduced_lagrangian))
        alpha = one_form(X.chart, [*found.gyroscopic, *[ZERO] * found.base.dimension])
        dE = d(energy(found.base, found.reduced_lagrangian), X.chart)
        assert (interior(X, omega) - dE - alpha).is_zero().holds is True
        assert (interior(X, omega) - dE + alpha).is_zero().holds is False
        assert is_zero(alpha(X)).holds is True
        assert same(motion_on_d(found).components[-found.base.dimension :], accelerations(name))


@BOTH
def test_sigma_projects_to_a_two_form_that_gives_alpha(name):
    found = reduction(name)
    sigma, lifts, _, _ = by_definition(found)
    below = semi_basic_form(found)
    pairs = list(combinations(range(len(lifts)), 2))
    assert same([sigma(lifts[a], lifts[b]) for a, b in pairs], [below.component(a, b) for a, b in pairs])
    X = second_order_field(found.base, accelerations(name))
    alpha = interior(X, semi_basic_form(found))
    assert same([alpha.component(b) for b in range(found.base.dimension)], found.gyroscopic)


def test_the_steps_of_the_proof_that_sigma_projects():
    found = reduction(TURNS)
    theta, _, columns, generators = forms_on_d(found)
    sigma, lifts, speeds, _ = by_definition(found)
    along = one_form(theta.chart, [theta(x) for x in columns])
    basis = [*lifts, *speeds]
    for e in generators:
        assert (interior(e, sigma) + interior(e, d(along))).is_zero().holds is True  # either way
        assert lie_derivative(e, theta).is_zero().holds is True
        assert lie_derivative(e, d(theta)).is_zero().holds is True
        assert same([interior(e, d(along))(y) for y in [*basis, *generators]], [ZERO] * (len(basis) + len(generators)))
        turned = interior(e, d(sigma))
        assert same([turned(y, z) for y, z in combinations([*basis, *generators], 2)], [ZERO] * 21)


@BOTH
def test_the_reduced_field_in_coordinates(name):
    found = reduction(name)
    mass, force = reduced_equations(found)
    L, q, v = found.reduced_lagrangian, list(found.bundle.base), list(found.velocities)
    p = gradient(L, v)
    stated = [gradient(L, q)[b] - dot(gradient(p[b], q), v) - found.gyroscopic[b] for b in range(len(q))]
    assert same(force, stated)
    assert same(accelerations(name), solve(mass, stated))
    wrong = solve(mass, [s + 2 * a for s, a in zip(stated, found.gyroscopic, strict=True)])
    assert differ(accelerations(name), wrong)


@BOTH
def test_alpha_by_local_data(name):
    found = reduction(name)
    local = local_data(found)
    assert same(local.gyroscopic_form(), found.gyroscopic)
    assert same([local.reduced_lagrangian()], [found.reduced_lagrangian])
    # the curvature in local form is that of gamma on the section
    table = local.curvature()
    for b, c in product(range(2), repeat=2):
        assert same(table[b][c], found.on_base(found.curvature[b][c]))
    turned = LocalData(local.base, local.body_velocities, local.lagrangian, local.connection, opposite(local.algebra))
    assert differ(turned.gyroscopic_form(), found.gyroscopic)


def opposite(algebra):
    return type(algebra)(algebra.names, tuple(tuple(tuple(-c for c in r) for r in s) for s in algebra.constants))


@BOTH
def test_reconstruction_is_the_horizontal_lift(name):
    found = reduction(name)
    equations = motion_of(found)
    velocities = dict(zip(found.bundle.chart.coordinates, found.horizontal_velocities, strict=True))
    assert same(list(equations.reconstruction.values()), [velocities[s] for s in equations.reconstruction])
    # so that the motion with multipliers lies above that of the base
    speeds, seed = list(found.horizontal_velocities), {**equations.rates(), **equations.reconstruction}
    allowed = dict(zip((q.dot for q in found.bundle.chart.coordinates), speeds, strict=True))
    moved = substitute(by_multipliers(found.system)[0], allowed)
    assert same(tangent(speeds, seed), moved)
    assert differ(tangent(speeds, {**seed, **dict.fromkeys(found.velocities, ZERO)}), moved)


# -- section 6 ---------------------------------------------------------------------------------------------------------
def on_d(name):
    found = reduction(name)
    theta, h, columns, generators = forms_on_d(found)
    speeds = accelerations(name)
    X = VectorField(theta.chart, (*found.horizontal_velocities, *speeds))
    sigma, *_ = by_definition(found)
    return found, theta, h, columns, generators, X, interior(X, sigma)


@BOTH
def test_the_nijenhuis_bracket_of_the_horizontal_projector_is_minus_the_curvature(name):
    found, theta, h, columns, generators, _, _ = on_d(name)
    slopes = [d(form) for form in upsilon(found)]
    x, y = (columns[theta.chart.place(q)] for q in found.bundle.base)
    R = nijenhuis_on(h, x, y)  # (1/2)[h, h](x, y)
    omega = combination([(s(x, y), e) for s, e in zip(slopes, generators, strict=True)])
    assert (R + omega).is_zero().holds is True
    assert (R - omega).is_zero().holds is False  # as printed


@BOTH
def test_alpha_by_the_nijenhuis_bracket(name):
    found, theta, h, columns, _, X, alpha = on_d(name)
    for q in theta.chart.coordinates:
        Y = coordinate_field(theta.chart, q)
        v = Y - h(Y)
        right = v(theta(X)) - theta(nijenhuis_on(h, X, Y)) + theta(h(bracket(X, v)))
        assert is_zero(alpha(Y) - right).holds is True
    # as printed, with + theta(R), it fails on horizontal fields already
    lifts = [columns[theta.chart.place(q)] for q in found.bundle.base]
    assert differ([alpha(Z) for Z in lifts], [theta(nijenhuis_on(h, X, Z)) for Z in lifts])


@BOTH
def test_alpha_by_the_curvature(name):
    found = reduction(name)
    assert same(by_curvature(found), found.gyroscopic)
    # alpha(Z) = K~(w, w, Z) = g~(B(w, w), Z)
    here, w, size = base(name), found.velocities, range(2)
    pairs = list(product(size, repeat=2))
    rows = [[here.tensor[a][e][b] for a, e in pairs] for b in size]  # either way
    by_tensor = [dot([w[a] * w[e] for a, e in pairs], row) for row in rows]
    assert same(by_tensor, found.gyroscopic)


@BOTH
def test_alpha_on_the_whole_space(name):
    found, theta, _, columns, generators, X, alpha = on_d(name)
    slopes = [d(form) for form in upsilon(found)]
    for q in found.bundle.base:
        Z = columns[theta.chart.place(q)]
        omega = combination([(s(X, Z), e) for s, e in zip(slopes, generators, strict=True)])
        assert is_zero(alpha(Z) - theta(omega)).holds is True
    for v in found.velocities:  # alpha is semi-basic
        assert is_zero(alpha(coordinate_field(theta.chart, v))).holds is True


def test_alpha_vanishes_where_b_is_skew():
    for name, vanishes in ((SKEW, True), (TURNS, False)):
        here, alpha = base(name), reduction(name).gyroscopic
        B, g, size = here.contorsion_hamel, here.metric, range(here.dimension)
        mean = flat(cube_difference(mean_of_hamels(here).symbols, here.levi_civita.symbols))
        for one in (alpha, mean):
            assert (same if vanishes else differ)(one, [ZERO] * len(one))
        # the coefficients of alpha are those of B, and those of the mean, with the first two slots made symmetric
        coefficients = [e for one in alpha for row in hessian(one, here.velocities) for e in row]
        lowered = [dot(g[b], [B[c][a][e] + B[c][e][a] for c in size]) for b, a, e in product(size, repeat=3)]
        assert same(coefficients, lowered)
        assert same([2 * m for m in mean], [x + y for x, y in zip(flat(B), flat(transposed(B)), strict=True)])


def test_b_may_be_skew_and_not_zero():
    here, B = base(SKEW), base(SKEW).contorsion_hamel
    assert same(flat(B), [-b for b in flat(transposed(B))])
    assert differ(flat(B), [ZERO] * len(flat(B)))
    assert differ(flat(here.reduced.symbols), flat(here.levi_civita.symbols))
    assert same(here.accelerations(), here.accelerations(here.levi_civita))


@pytest.mark.parametrize("name", [TURNS, SKEW])
def test_the_two_form_by_the_contorsion(name):
    here, found = base(name), reduction(name)
    B, g, w, size = here.contorsion_hamel, here.metric, found.velocities, range(here.dimension)
    xi = semi_basic_form(found)  # also what Sigma projects to: see Proposition 3.4
    for a, b in combinations(size, 2):
        stated = dot([w[e] * B[c][e][a] for e in size for c in size], [g[b][c] for e in size for c in size])
        assert is_zero(xi.component(a, b) - stated).holds is True
    terms = list(product(size, repeat=3))
    rows = [[B[c][e][a] * g[b][c] for a, e, c in terms] for b in size]  # either way
    alpha = [dot([w[a] * w[e] for a, e, _ in terms], row) for row in rows]
    assert same(alpha, found.gyroscopic)
