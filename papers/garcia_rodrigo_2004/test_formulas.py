"""Sections 1 to 3: densities of any order, constraints and their projector, and Noether's theorem."""

from functools import cache

import pytest

from dalembert.expr import ONE, TIME, ZERO, diff, substitute, symbol
from dalembert.expr.calculus import time_derivative
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import coordinate_form, d, interior, lie_derivative, wedge
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.vakonomic.densities import any_field, density, first_variation_law, prolong
from dalembert.mechanics.vakonomic.formulations import constrained_cartan_form
from dalembert.mechanics.vakonomic.projector import main_hypothesis, projector
from dalembert.model.system import System
from papers.exact import differ, dot, same, unknown

T, X, Y = symbol(TIME), symbol("x"), symbol("y")
Q = (X, Y)
ORDERS = pytest.mark.parametrize("order", [1, 2])


def none(*parts):
    return same(parts, [ZERO] * len(parts))


@cache
def any_density(order):
    """An unspecified function of time, two coordinates and their derivatives."""
    return density(unknown("L", T, *(derivative(q, k) for k in range(order + 1) for q in Q)), Q)


# -- 1 -----------------------------------------------------------------------------------------------------------------
def test_prolonged_fields_keep_contact_forms():
    chart = Chart.of(T, X, X.dot, X.dot.dot)
    f, g = unknown("f", T, X), unknown("g", T, X)
    (_, first, second) = ([one[0]] for one in prolong([g], f, [X], 2))
    field = VectorField(chart, (f, g, first[0], second[0]))
    theta = [coordinate_form(chart, q) - q.dot * coordinate_form(chart, T) for q in (X, X.dot)]
    slope = diff(g, X) - X.dot * diff(f, X)
    assert (lie_derivative(field, theta[0]) - slope * theta[0]).is_zero().holds is True
    along = VectorField(chart, (ONE, X.dot, X.dot.dot, ZERO))
    assert none(lie_derivative(field, theta[1])(along))  # in the ideal of contact forms
    wrong = VectorField(chart, (f, g, time_derivative(g), ZERO))
    assert not none(lie_derivative(wrong, theta[0])(along))


@pytest.mark.parametrize("order", [1, 2, 3])
def test_momenta_and_euler_operators(order):
    one = any_density(order)

    def moved(expression, times):
        for _ in range(times):
            expression = time_derivative(expression)
        return expression

    for i, q in enumerate(Q):
        for j in range(1, order + 1):
            parts = [(-1) ** h * moved(diff(one.function, derivative(q, j + h)), h) for h in range(order - j + 1)]
            assert same([one.momenta[j - 1][i]], [sum(parts, ZERO)])
        parts = [(-1) ** h * moved(diff(one.function, derivative(q, h)), h) for h in range(order + 1)]
        assert same([one.euler[i]], [sum(parts, ZERO)])


def contact(chart, k):
    return [coordinate_form(chart, derivative(q, k)) - derivative(q, k + 1) * coordinate_form(chart, T) for q in Q]


def euler_forms(one, chart):
    """The 1-forms dL/dq^i dt - d(momentum along dq^i)."""
    return [
        diff(one.function, q) * coordinate_form(chart, T) - d(p, chart) for q, p in zip(Q, one.momenta[0], strict=True)
    ]


def products(left, right):
    return sum((wedge(a, b) for a, b in zip(left[1:], right[1:], strict=True)), start=wedge(left[0], right[0]))


@ORDERS
def test_the_differential_of_a_cartan_form(order):
    one = any_density(order)
    chart, size = one.chart, len(Q)
    rest = d(one.cartan_form) - products(contact(chart, 0), euler_forms(one, chart))
    # what remains is made of contact forms of order up to r - 1 times such up to 2 r - 2; for r = 1 it is zero
    along = VectorField(chart, (ONE, *(c.dot for c in chart.coordinates[1:-size]), *[ZERO] * size))
    fields = {k: [coordinate_field(chart, derivative(q, k)) for q in Q] for k in range(2 * order)}
    parts = [rest(along, f) for several in fields.values() for f in several]
    highest = fields[2 * order - 1]
    parts += [rest(f, g) for several in fields.values() for f in several for g in highest]
    upper = [f for k in range(order, 2 * order) for f in fields[k]]
    parts += [rest(f, g) for f in upper for g in upper]
    assert none(*parts)
    assert (rest.is_zero().holds is True) is (order == 1)
    turned = d(one.cartan_form) + products(contact(chart, 0), euler_forms(one, chart))
    assert not none(*(turned(along, f) for f in fields[0]))


@ORDERS
def test_the_euler_form_along_a_curve(order):
    one = any_density(order)
    along = [form.component(0) + dot([form.component(i) for i in range(1, one.chart.dimension)],
                                     [c.dot for c in one.chart.coordinates[1:]])
             for form in euler_forms(one, one.chart)]  # fmt: skip
    assert same(along, one.euler)


@ORDERS
def test_the_first_variation(order):
    one = any_density(order)
    assert first_variation_law(one).holds is True  # any field along any curve, time moved as well
    field = any_field(Q)
    assert same([one.change(field)], [one.work(field) + time_derivative(one.boundary(field))])
    assert differ([one.change(field)], [one.work(field) - time_derivative(one.boundary(field))])


def test_the_first_variation_at_order_three():
    one = density(unknown("L", T, *(derivative(X, k) for k in range(4))), [X])
    field = any_field([X])
    assert same([one.change(field)], [one.work(field) + time_derivative(one.boundary(field))])


@ORDERS
def test_cartan_equations(order):
    # i_X d Theta = -E_i (dq^i - q'^i dt) for the velocity X of any curve: it vanishes where E does
    one = any_density(order)
    along = VectorField(one.chart, tuple(ONE if c is T else c.dot for c in one.chart.coordinates))
    found = interior(along, d(one.cartan_form))
    stated = sum((-e * t for e, t in zip(one.euler[1:], contact(one.chart, 0)[1:], strict=True)),
                 start=-one.euler[0] * contact(one.chart, 0)[0])  # fmt: skip
    assert (found - stated).is_zero().holds is True


# -- 2 -----------------------------------------------------------------------------------------------------------------
ANY = System.of(
    name="any constraint",
    coordinates="x y z",
    functions={"G": {"of": ["s", "u", "v", "w", "a", "b"]}},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*y*z",
    constraints={"c": "z' = G(t, x, y, z, x', y')"},
)
TWO = System.of(
    name="two constraints",
    coordinates="x y u v w",
    lagrangian="(x'^2 + y'^2 + u'^2 + v'^2 + w'^2)/2 + x*u' - y*w",
    constraints={"c1": "v' = x*y' + t*u", "c2": "w' = u*x' - y*u'"},
)
SECOND = System.of(
    name="any of order two",
    coordinates="x y z",
    functions={"K": {"of": ["a", "b"]}, "G": {"of": ["a", "b", "c"]}},
    lagrangian="K(x, y'') + z*x''*y' + t*z''^2/2 + x''^2*z'/2",
    constraints={"c": "z' = G(t, y, x') + x*y'"},
)
SYSTEMS = pytest.mark.parametrize("given", [ANY, TWO, SECOND], ids=["any", "two", "order two"])


@cache
def projected(name):
    given = {one.name: one for one in (ANY, TWO, SECOND)}[name]
    found = projector(given, main_hypothesis(given, constraint_manifold(given)))
    assert found is not None
    return found


def momentum(f, field):
    return dot(f.momenta[0], field)


@SYSTEMS
def test_normal_fields(given):
    one = projected(given.name)
    for a, normal in enumerate(one.normal_fields):
        assert none(*(momentum(f, normal) for f in one.densities))
        assert same(
            [dot(f.euler, normal) for f in one.densities], [ONE if a == b else ZERO for b in range(len(one.densities))]
        )


@SYSTEMS
def test_change_of_a_constraint(given):
    one, field = projected(given.name), any_field(given.q)
    for f in one.densities:
        assert same([f.change(field)], [dot(f.euler, field) + time_derivative(momentum(f, field))])
        assert differ([f.change(field)], [dot(f.euler, field) - time_derivative(momentum(f, field))])


@SYSTEMS
def test_the_projector(given):
    one, field = projected(given.name), any_field(given.q)
    once = one.apply(field)
    rates = [f.change(field) for f in one.densities]
    stated = [x - dot(rates, [n[i] for n in one.normal_fields]) for i, x in enumerate(field)]
    assert same(once, stated)
    assert none(*one.rates(once))
    assert same(one.apply(once), once)
    h = symbol("h")  # any function along the curve
    for normal in one.normal_fields:
        assert none(*one.apply([h * n for n in normal]))


@SYSTEMS
def test_the_adjoint_and_its_commutation_rule(given):
    one, field, covector = projected(given.name), any_field(given.q), any_field(given.q, "E")
    multipliers = one.multipliers(covector)
    assert same(multipliers, [-dot(covector, n) for n in one.normal_fields])
    left = dot(one.apply(field), covector)
    lost = time_derivative(dot(multipliers, [momentum(f, field) for f in one.densities]))

    def adjoint(sign):
        return [
            e
            + dot(multipliers, [f.euler[i] for f in one.densities])
            + sign * dot([time_derivative(m) for m in multipliers], [f.momenta[0][i] for f in one.densities])
            for i, e in enumerate(covector)
        ]

    assert same(one.adjoint(covector), adjoint(-1))
    assert same([left], [dot(field, adjoint(-1)) + lost])
    assert differ([left], [dot(field, adjoint(1)) + lost])


@SYSTEMS
def test_the_first_variation_with_constraints(given):
    one, field = projected(given.name), any_field(given.q)
    L = density(given.lagrangian, given.q)
    admissible = one.apply(field)
    multipliers = one.multipliers(L.euler)
    ends = L.boundary(admissible) + dot(multipliers, [momentum(f, field) for f in one.densities])
    assert same([L.change(admissible)], [dot(field, one.adjoint(L.euler)) + time_derivative(ends)])


def constrained(given):
    """Theta~ with the multipliers as coordinates, and E~_i."""
    L = density(given.lagrangian, given.q)
    constraints = [density(c.expression, given.q) for c in given.constraints.values()]
    names = [symbol(f"lambda{k}") for k in range(len(constraints))]
    theta = constrained_cartan_form(L, constraints, names)
    chart = theta.chart

    def euler(one, i):
        return diff(one.function, given.q[i]) * coordinate_form(chart, T) - d(one.momenta[0][i], chart)

    forms = []
    for i in range(len(given.q)):
        form = euler(L, i)
        for f, m in zip(constraints, names, strict=True):
            form = form + m * euler(f, i) - f.momenta[0][i] * d(m, chart)
        forms.append(form)
    return L, constraints, names, theta, forms


@SYSTEMS
def test_the_constrained_cartan_form(given):
    _, constraints, names, theta, forms = constrained(given)
    chart = theta.chart
    structure = [coordinate_form(chart, q) - q.dot * coordinate_form(chart, T) for q in given.q]
    # d Theta~ = theta ^ E~ + f d lambda ^ dt: a product of forms, where a circle is printed; f vanishes on S
    rest = d(theta) - products(structure, forms)
    for f, m in zip(constraints, names, strict=True):
        rest = rest - f.function * wedge(d(m, chart), coordinate_form(chart, T))
    assert (rest.is_zero().holds is True) is (given.order == 1)
    # for r = 2 there is theta^(2) ^ theta^(3) besides: it vanishes on the velocity of any curve, and for q'' and above
    names = {k: [derivative(q, k) for q in given.q] for k in range(2 * given.order)}
    along = VectorField(chart, tuple(ONE if c is T else c.dot for c in chart.coordinates))
    plain = [coordinate_field(chart, c) for c in chart.coordinates if c is not T]
    upper = [coordinate_field(chart, c) for k in range(given.order, 2 * given.order) for c in names[k]]
    assert none(*(rest(along, one) for one in plain), *(rest(one, two) for one in upper for two in upper))
    turned = d(theta) + products(structure, forms)
    assert not none(*(turned(along, one) for one in plain))


@SYSTEMS
def test_the_constrained_euler_form_along_a_curve(given):
    L, _, names, theta, forms = constrained(given)
    one = projected(given.name)
    speed = [ONE if c is T else c.dot for c in theta.chart.coordinates]
    along = [dot([form.component(i) for i in range(theta.chart.dimension)], speed) for form in forms]
    multipliers = one.multipliers(L.euler)
    put = dict(zip(names, multipliers, strict=True))
    put |= {m.dot: time_derivative(v) for m, v in zip(names, multipliers, strict=True)}
    assert same(substitute(along, put), one.adjoint(L.euler))


@SYSTEMS
def test_fields_that_both_kinds_of_variation_share(given):
    # P is the identity on ker(Omega_f, E_f), and the rest of any field lies in ker Omega_f
    one, field, h = projected(given.name), any_field(given.q), symbol("h")
    assert len(one.kernel) == 1
    for bar in one.kernel:
        moved = [h * b for b in bar]
        assert same(one.apply(moved), moved)
        L = density(given.lagrangian, given.q)
        assert same([dot(bar, one.adjoint(L.euler))], [dot(bar, L.euler)])
    rest = [x - p for x, p in zip(field, one.apply(field), strict=True)]
    assert none(*(momentum(f, rest) for f in one.densities))


def plain_euler(function, q, order=1):
    """Euler's operators of a function, multipliers in it moving too."""
    found = []
    for x in q:
        value = diff(function, derivative(x, order))
        for k in reversed(range(order)):
            value = diff(function, derivative(x, k)) - time_derivative(value)
        found.append(value)
    return found


@SYSTEMS
def test_critical_curves_in_every_form(given):
    one, L = projected(given.name), density(given.lagrangian, given.q)
    names = [symbol(f"m{k}") for k in range(len(one.densities))]  # functions of time
    whole = plain_euler(given.lagrangian + dot(names, [f.function for f in one.densities]), given.q, given.order)
    values = one.multipliers(L.euler)
    # along the normal fields the equations with multipliers give these, whatever the curve
    assert same([dot(whole, n) for n in one.normal_fields], [m - v for m, v in zip(names, values, strict=True)])
    # and with them they are the equations without
    put = dict(zip(names, values, strict=True))
    put |= {m.dot: time_derivative(v) for m, v in zip(names, values, strict=True)}
    assert same(substitute(whole, put), one.adjoint(L.euler))
    assert differ(substitute(whole, {m: -v for m, v in put.items()}), one.adjoint(L.euler))
    # Cartan's equations are the same: i of the velocity in d Theta vanishes with them
    theta = constrained_cartan_form(density(given.lagrangian, given.q), one.densities, names)
    rest = interior(
        VectorField(theta.chart, tuple(ONE if c is T else c.dot for c in theta.chart.coordinates)), d(theta)
    )
    found = [rest.component(theta.chart.place(q)) for q in given.q]
    assert same(found, [-e for e in whole])
