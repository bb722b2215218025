"""Sections 2 and 3: distributions, their curvature, variations, and the restricted Lagrangian.

D has corank one in four dimensions, with unspecified slopes and an unspecified complement, unless said otherwise.
"""

from itertools import combinations, product

import pytest

from dalembert.expr import ONE, ZERO, gradient, hessian, jacobian, substitute, symbol, tangent, time_derivative, total
from dalembert.expr.truth import generic_rank
from dalembert.geometry.connections.ehresmann import Splitting
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.forms import Form, d, interior, lie_derivative, one_form
from dalembert.geometry.tangent_bundle import complete_lift, tangent_distribution, within_tangent_bundle
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.semisymplectic.restricted_lagrangian import restricted_lagrangian
from dalembert.model.system import System
from papers.exact import columns, differ, dot, same, unknown

Q = tuple(symbol(n) for n in "xyzw")
SPACE = Chart(Q)
SIZE = range(4)
ZEROS = [ZERO] * 4
FIELDS = tuple(VectorField.of(SPACE, {Q[i]: 1, Q[3]: unknown(f"a{i}", *Q)}) for i in range(3))
"""X_alpha, a basis of D."""
SPLIT = Splitting(FIELDS, (VectorField.of(SPACE, {Q[0]: unknown("c", *Q), Q[3]: 1}),))
LAGRANGIAN = unknown("L", *Q, *(q.dot for q in Q))
V = [q.dot for q in Q]


def any_vector(name):
    return VectorField.of(SPACE, [unknown(f"{name}{i}", *Q) for i in SIZE])


def in_D(name):
    return combination([(unknown(f"{name}{n}", *Q), x) for n, x in enumerate(FIELDS)])


def equal(left, right):
    return same(left.components, right.components)


def speeds(letter):
    return [symbol(f"{letter}{n}") for n in range(3)]


def mixed(f, g, fields=FIELDS):
    """Return f^a g^b X_b(X_a), by components."""
    pairs = list(product(range(len(fields)), repeat=2))
    return [total([(1, f[a] * g[b] * fields[b](fields[a].components[i])) for a, b in pairs]) for i in SIZE]


def spread(f):
    """Return f^a X_a, by components."""
    return [dot(f, [x.components[i] for x in FIELDS]) for i in SIZE]


# -- section 2: D-hat --------------------------------------------------------------------------------------------
def test_curves_in_the_distribution():
    f = speeds("f")
    rates = [s.dot for s in f]
    moved = [dot(rates, [x.components[i] for x in FIELDS]) for i in SIZE]
    slopes = [
        total([(1, s * dot(gradient(x.components[i], Q), V)) for s, x in zip(f, FIELDS, strict=True)]) for i in SIZE
    ]
    found = [time_derivative(e) for e in spread(f)]
    assert same(found, [a + b for a, b in zip(moved, slopes, strict=True)])
    # so TD and, with x' = g X in D, D-hat
    g = speeds("g")
    put = dict(zip(V, spread(g), strict=True))
    assert same(substitute(slopes, put), mixed(f, g))


def on_D(fields, f):
    """Return what the fields on TM leave of the constraint w' = a_i q'^i, at v = f X."""
    constraint = V[3] - dot([x.components[3] for x in FIELDS], V[:3])
    return substitute([k(constraint) for k in fields], dict(zip(V, spread(f), strict=True)))


def test_the_basis_of_D_hat():
    distribution = Distribution.from_forms(SPACE, [[*(-x.components[3] for x in FIELDS), 1]])
    f = [symbol(f"f {n}") for n in "xyz"]
    basis = within_tangent_bundle(distribution)
    right = [VectorField.of(basis[0].chart, [*ZEROS, *x.components]) for x in FIELDS]
    right += [VectorField.of(basis[0].chart, [*x.components, *x.apply(spread(f))]) for x in FIELDS]
    assert all(equal(a, b) for a, b in zip(basis, right, strict=True))
    assert same(on_D(basis, f), [ZERO] * 6)
    # printed: f^beta X_beta^j dX_alpha/dx^j along d/dv, which is not tangent to D
    velocity = combination(list(zip(f, FIELDS, strict=True)))
    printed = [VectorField.of(basis[0].chart, [*x.components, *velocity.apply(x.components)]) for x in FIELDS]
    assert differ(on_D(printed, f), [ZERO] * 3)


def test_the_flip_of_D_hat():
    # s exchanges (x, gX, fX, w) with (x, fX, gX, w): w has g^a f^b X_b(X_a) in the image, f^a g^b X_b(X_a) in D-hat
    f, g = speeds("f"), speeds("g")
    flipped, stays = mixed(g, f), mixed(f, g)
    turn = bracket(combination(list(zip(g, FIELDS, strict=True))), combination(list(zip(f, FIELDS, strict=True))))
    assert same([a - b for a, b in zip(stays, flipped, strict=True)], turn.components)
    assert differ(flipped, stays)  # printed: they are the same, so that s D-hat = D-hat for every D


@pytest.mark.parametrize("rank", [2, 3])
def test_four_ways_to_be_involutive(rank):
    """Of any D of rank 2 or 3 in four dimensions: each of the four fails by R^a_ij = [X_i, X_j]^a alone."""
    slopes = [[unknown(f"b{a}{i}", *Q) for i in range(rank)] for a in range(4 - rank)]
    fields = [VectorField.of(SPACE, [*units(rank)[i], *(row[i] for row in slopes)]) for i in range(rank)]
    forms = [[*(-b for b in row), *unit] for row, unit in zip(slopes, units(4 - rank), strict=True)]
    hat = tangent_distribution(Distribution.from_forms(SPACE, forms, range(rank, 4)))
    upright = [VectorField.of(hat.chart, [*ZEROS, *unit]) for unit in units(rank)]
    across = [VectorField.of(hat.chart, [*x.components, *[ZERO] * rank]) for x in fields]
    assert generic_rank([x.components for x in (*upright, *across)]).rank == hat.rank == 2 * rank
    assert same(
        [dot(row, x.components) for row in hat.forms for x in (*upright, *across)], [ZERO] * 2 * (4 - rank) * rank
    )
    pairs = list(combinations(range(rank), 2))
    bent = {(i, j): [fields[i](row[j]) - fields[j](row[i]) for row in slopes] for i, j in pairs}
    assert all(differ(value, [ZERO] * len(value)) for value in bent.values())
    for i, j in pairs:  # 1 and 2: D, and D-hat, close where R vanishes
        assert same(bracket(fields[i], fields[j]).components, [*[ZERO] * rank, *bent[i, j]])
        assert same(bracket(across[i], across[j]).components, [*[ZERO] * rank, *bent[i, j], *[ZERO] * rank])
    for one, two in product(upright, (*upright, *across)):
        assert same(bracket(one, two).components, [ZERO] * (4 + rank))
    # 3 and 4: s takes (fX, gX, f' X + f^a g^b X_b(X_a)) to (gX, fX, the same), and TD has g' X + g^a f^b X_b(X_a) there
    f, g = speeds("f")[:rank], speeds("g")[:rank]
    apart = [a - b for a, b in zip(mixed(f, g, fields), mixed(g, f, fields), strict=True)]
    assert same(apart[:rank], [ZERO] * rank)  # so that g' = f', and the rest has to vanish for all f and g
    assert same(
        apart[rank:], [dot([g[i] * f[j] - f[i] * g[j] for i, j in pairs], row) for row in columns(bent.values())]
    )


def units(size):
    return [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]


def test_flows_that_keep_a_distribution():
    drive, field = any_vector("X"), any_vector("V")
    moved = complete_lift(drive)
    at = dict(zip(V, field.components, strict=True))
    # d/dt TF_t v less d/dt V(F_t), both in TTM over v = V(p)
    lifted = substitute(list(moved.components), at)
    carried = [*drive.components, *drive.apply(field.components)]
    turned = bracket(drive, field).components
    assert same([a - b for a, b in zip(lifted, carried, strict=True)], [*ZEROS, *(-c for c in turned)])
    # z' = y x': the flow of d_y + x d_z, whose brackets with D lie in D, takes D to D, and that of d_y does not
    x, y, z, w = Q
    t = symbol("t")
    basis = [VectorField.of(SPACE, row) for row in ([1, 0, y, 0], [0, 1, 0, 0], [0, 0, 0, 1])]
    for drift, stays in ((x, True), (ZERO, False)):
        turned = [bracket(VectorField.of(SPACE, [0, 1, drift, 0]), one).components for one in basis]
        assert same([c[0] for c in turned], [ZERO] * 3)
        assert same([c[2] for c in turned], [ZERO] * 3) is stays
        there = [x, y + t, z + t * drift, w]
        pushed = [one.apply(there) for one in basis]
        assert same([c[2] - there[1] * c[0] for c in pushed], [ZERO] * 3) is stays


# -- section 2: forms --------------------------------------------------------------------------------------------
def any_form(degree):
    if degree == 1:
        return one_form(SPACE, [unknown(f"w{i}", *Q) for i in SIZE])
    return Form.of(SPACE, 2, {(i, j): unknown(f"w{i}{j}", *Q) for i in SIZE for j in range(i)})


def test_the_lie_derivative_of_forms():
    drive, one, two = any_vector("X"), any_vector("A"), any_vector("B")
    alpha, beta = any_form(1), any_form(2)
    assert same([lie_derivative(drive, alpha)(one)], [drive(alpha(one)) - alpha(bracket(drive, one))])
    right = drive(beta(one, two)) - beta(bracket(drive, one), two) - beta(one, bracket(drive, two))
    assert same([lie_derivative(drive, beta)(one, two)], [right])


def test_the_exterior_derivative_needs_its_signs():
    one, two, three = any_vector("A"), any_vector("B"), any_vector("C")
    alpha, beta = any_form(1), any_form(2)
    right = one(alpha(two)) - two(alpha(one)) - alpha(bracket(one, two))
    printed = one(alpha(two)) + two(alpha(one)) + alpha(bracket(one, two))
    assert same([d(alpha)(one, two)], [right])
    assert differ([d(alpha)(one, two)], [printed])
    right = one(beta(two, three)) - two(beta(one, three)) + three(beta(one, two))
    right = right - beta(bracket(one, two), three) + beta(bracket(one, three), two) - beta(bracket(two, three), one)
    assert same([d(beta)(one, two, three)], [right])


def test_cartan_formula():
    drive, one, two = any_vector("X"), any_vector("A"), any_vector("B")
    beta = any_form(2)
    right = d(interior(drive, beta)) + interior(drive, d(beta))
    assert same([lie_derivative(drive, beta)(one, two)], [right(one, two)])


# -- section 2: curvature ----------------------------------------------------------------------------------------
NU = [*(-x.components[3] for x in FIELDS), VectorField.of(SPACE, {Q[3]: 1}).components[3]]
"""A form that annihilates D, so with values in the quotient."""


def test_the_bracket_of_fields_in_D():
    left, right = in_D("X"), in_D("Y")
    inner = [left(b) - right(a) for a, b in zip(left.components, right.components, strict=True)]
    assert same([dot(NU, bracket(left, right).components)], [dot(NU, inner)])
    slopes = jacobian(NU, Q)
    for field in (left, right):
        moved = jacobian(field.components, Q)
        assert same(
            [dot(NU, column) for column in columns(moved)], [-dot(field.components, c) for c in columns(slopes)]
        )
    pairs = [(i, j) for i in SIZE for j in SIZE]
    x, y = left.components, right.components
    curl = [(1, (slopes[i][j] - slopes[j][i]) * x[i] * y[j]) for i, j in pairs]
    assert same([dot(NU, inner)], [total(curl)])
    assert differ([dot(NU, inner)], [-total(curl)])


def test_the_curvature_of_a_distribution():
    left, right = in_D("X"), in_D("Y")
    slopes = jacobian(NU, Q)
    delta = Form.of(SPACE, 2, {(i, j): -(slopes[i][j] - slopes[j][i]) for i in SIZE for j in range(i + 1, 4)})
    assert same([delta(left, right)], [-dot(NU, bracket(left, right).components)])
    assert (delta - d(one_form(SPACE, NU))).is_zero().holds is True


def test_the_curvature_of_a_projection():
    left, right = any_vector("X"), any_vector("Y")
    flat = bracket(SPLIT.kappa(left), SPLIT.kappa(right))
    assert equal(SPLIT.curvature(left, right), SPLIT.kappa(flat) - flat)
    assert same(SPLIT.kappa(SPLIT.curvature(left, right)).components, ZEROS)


def test_the_second_derivative_of_a_function():
    left, right = SPLIT.kappa(any_vector("X")), SPLIT.kappa(any_vector("Y"))
    f = unknown("f", *Q)
    twice = left(right(f)) - right(left(f)) - SPLIT.kappa(bracket(left, right))(f)
    assert same([twice], [-SPLIT.curvature(left, right)(f)])
    assert differ([twice], [SPLIT.curvature(left, right)(f)])


def test_the_covariant_exterior_derivative():
    left, right = any_vector("X"), any_vector("Y")
    kx, ky = SPLIT.kappa(left), SPLIT.kappa(right)
    first = SPLIT.nu(bracket(kx, SPLIT.nu(ky))) - SPLIT.nu(bracket(ky, SPLIT.nu(kx)))  # either way: nu kappa = 0
    middle = first - SPLIT.nu(bracket(kx, ky))
    assert equal(SPLIT.derivative(SPLIT.nu, left, right), middle)
    assert equal(middle, SPLIT.curvature(left, right))


def test_bianchi():
    one, two, three = FIELDS[0], Q[0] * FIELDS[1], FIELDS[2]
    assert same(SPLIT.derivative(SPLIT.curvature, one, two, three).components, ZEROS)
    terms = []
    for x, y, z in ((one, two, three), (two, three, one), (three, one, two)):
        terms.append((1, SPLIT.nu(bracket(x, SPLIT.curvature(y, z)))))
        terms.append((-1, SPLIT.curvature(bracket(x, y), z)))
    assert same(combination(terms).components, ZEROS)
    assert differ(combination([(abs(c), x) for c, x in terms]).components, ZEROS)


def test_mixed_second_derivatives_after_projection():
    left, right = in_D("X"), in_D("Y")
    x, y = left.components, right.components
    kappa = SPLIT.matrix()
    size = [(j, k) for j in SIZE for k in SIZE]
    twist, other = [], []
    for i, row in enumerate(kappa):
        slopes = jacobian(row, Q)
        twist.append(total([(1, slopes[j][k] * (x[k] * y[j] - x[j] * y[k])) for j, k in size]))
        nu = [(1 if i == j else 0) - e for j, e in enumerate(row)]
        bent = jacobian(nu, Q)
        other.append(total([(1, (bent[j][k] - bent[k][j]) * x[j] * y[k]) for j, k in size]))
    delta = SPLIT.curvature(left, right).components
    assert same(SPLIT.twist(x, y), twist)
    assert same(twist, other)
    assert same(twist, [-c for c in delta])
    assert differ(twist, delta)


# -- sections 1 and 3 --------------------------------------------------------------------------------------------
def delta_L(lagrangian=LAGRANGIAN):
    momenta = gradient(lagrangian, V)
    return [slope - time_derivative(p) for slope, p in zip(gradient(lagrangian, Q), momenta, strict=True)]


def test_the_first_variation():
    moved = [symbol(f"delta {q!r}") for q in Q]
    rate = dot(gradient(LAGRANGIAN, Q), moved) + dot(gradient(LAGRANGIAN, V), [m.dot for m in moved])
    edge = time_derivative(dot(gradient(LAGRANGIAN, V), moved))
    assert same([rate], [dot(delta_L(), moved) + edge])


def test_delta_L_in_coordinates():
    momenta = gradient(LAGRANGIAN, V)
    cross, inertia = jacobian(momenta, Q), hessian(LAGRANGIAN, V)
    slopes, pushed = gradient(LAGRANGIAN, Q), [q.dot.dot for q in Q]
    stated = [s - dot(c, V) - dot(m, pushed) for s, c, m in zip(slopes, cross, inertia, strict=True)]
    assert same(delta_L(), stated)


def motion_in_D():
    """Return f, f' and what puts a second-order motion in D into functions of q, q', q''."""
    f = speeds("f")
    rates = [s.dot for s in f]
    bent = [a + b for a, b in zip(mixed(f, f), spread(rates), strict=True)]
    return f, rates, dict(zip([*V, *(q.dot.dot for q in Q)], [*spread(f), *bent], strict=True))


def test_the_equations_of_motion_on_D():
    f, rates, put = motion_in_D()
    # the accelerations are those of a curve with q' = f X
    twice = substitute([time_derivative(e) for e in spread(f)], dict(zip(V, spread(f), strict=True)))
    assert same(twice, [put[q.dot.dot] for q in Q])
    left = substitute(delta_L(), put)
    momenta = gradient(LAGRANGIAN, V)
    inertia = substitute([e for row in hessian(LAGRANGIAN, V) for e in row], put)
    inertia = [inertia[4 * i : 4 * i + 4] for i in SIZE]
    cross = [substitute(row, put) for row in jacobian(momenta, Q)]
    slopes, bent = substitute(gradient(LAGRANGIAN, Q), put), mixed(f, f)
    rest = [s - dot(c, spread(f)) - dot(m, bent) for s, c, m in zip(slopes, cross, inertia, strict=True)]
    for x in FIELDS:
        mass = [dot(x.components, [dot(row, y.components) for row in inertia]) for y in FIELDS]
        assert same([dot(left, x.components)], [dot(rest, x.components) - dot(mass, rates)])


def test_the_equations_are_those_of_the_library():
    system = System.of(
        name="bent",
        coordinates="x y z",
        lagrangian="(x'^2 + (1 + x^2)*y'^2 + z'^2)/2 + y*x'*z' - x*y*z",
        constraints={"c": "z' = x*y*x' + sin(z)*y'"},
    )
    found = general_constraints.derive(system)
    kept = dict(zip(system.q, found.manifold.velocities, strict=True))
    kept |= dict(zip(found.manifold.u, found.acceleration, strict=True))
    pushed = tangent(list(found.manifold.velocities), kept)
    left = [
        slope - time_derivative(p)
        for slope, p in zip(gradient(system.lagrangian, system.q), gradient(system.lagrangian, system.v), strict=True)
    ]
    put = dict(zip([q.dot.dot for q in system.q], pushed, strict=True))
    force = found.manifold.on(substitute(left, put))
    assert same([dot(force, w) for w in found.virtual], [ZERO] * 2)
    assert differ(force, [ZERO] * 3)


def test_the_variation_of_the_restricted_action():
    # d/deps L_c(q') = d/deps L(q') + FL Delta(q', dq) for q' and dq in D, before any integration by parts
    f, g = speeds("f"), speeds("g")
    barred = restricted_lagrangian(LAGRANGIAN, SPLIT)
    moved, rate = spread(g), [a + b for a, b in zip(spread([s.dot for s in g]), mixed(g, f), strict=True)]
    put = dict(zip(V, spread(f), strict=True))

    def varied(lagrangian):
        slopes = substitute([*gradient(lagrangian, Q), *gradient(lagrangian, V)], put)
        return dot(slopes, [*moved, *rate])

    velocity, across = (combination(list(zip(s, FIELDS, strict=True))) for s in (f, g))
    curved = dot(substitute(gradient(LAGRANGIAN, V), put), SPLIT.curvature(velocity, across).components)
    assert same([varied(barred)], [varied(LAGRANGIAN) + curved])
    assert differ([varied(barred)], [varied(LAGRANGIAN) - curved])


def test_the_restricted_lagrangian_misses_the_curvature():
    # delta L_c = delta L + FL Delta on D along q' = f X, for any L, D and complement
    f, _, put = motion_in_D()
    velocity = combination(list(zip(f, FIELDS, strict=True)))
    left, plain = (substitute(delta_L(one), put) for one in (restricted_lagrangian(LAGRANGIAN, SPLIT), LAGRANGIAN))
    momenta = substitute(gradient(LAGRANGIAN, V), put)
    for x in FIELDS:
        curved = dot(momenta, SPLIT.curvature(velocity, x).components)
        assert same([dot(left, x.components)], [dot(plain, x.components) + curved])
