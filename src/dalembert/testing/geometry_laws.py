"""Laws of fields, forms, lifts and tensors.

Each is a function of the operation, or of the sign, that it speaks of: it may be given one of one's own, and something
false to see it caught.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dalembert.expr import ZERO, Expr, diff, substitute, symbol, time_derivative
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.forms import Form, d, interior, lie_derivative, pull_back, wedge
from dalembert.geometry.tangent_bundle import complete_lift, vertical_endomorphism, vertical_lift
from dalembert.geometry.tensors import Endomorphism, lie_derivative_of_endomorphism, nijenhuis, nijenhuis_on
from dalembert.testing.law import Law
from dalembert.testing.objects import PLANE, SPACE, ObjectLaw, Objects, Thing, X, row

__all__ = [
    "GEOMETRY_LAWS",
    "bracket_differentiates",
    "cartan",
    "d_on_fields",
    "d_twice",
    "half_cartan",
    "interior_is_antiderivation",
    "jacobi",
    "leibniz",
    "lie_and_interior",
    "lie_is_derivation",
    "lie_of_bracket",
    "lie_of_endomorphisms",
    "lifted_brackets",
    "lifts_of_products",
    "one_way",
    "pulled_back",
    "scaled_structure",
    "substituted_only",
    "swapped",
    "tensorial",
    "torn",
    "transpose_of_endomorphism",
    "vertical_structure",
    "wedge_of_values",
    "without_signs",
]


# -- fields ------------------------------------------------------------------------------------------------------
Bracket = Callable[[VectorField, VectorField], VectorField]


def jacobi(crossed: Bracket) -> ObjectLaw:
    """[[X, Y], Z] and its cyclic companions add up to nothing."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y, z = (some.field() for _ in range(3))
        yield crossed(crossed(x, y), z) + crossed(crossed(y, z), x) + crossed(crossed(z, x), y)

    return law


def bracket_differentiates(crossed: Bracket) -> ObjectLaw:
    """[X, Y](f) = X(Y(f)) - Y(X(f)), and [X, f Y] = f [X, Y] + X(f) Y."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y, f = some.field(), some.field(), some.function()
        yield crossed(x, y)(f) - x(y(f)) + y(x(f))
        yield crossed(x, f * y) - f * crossed(x, y) - x(f) * y

    return law


# -- forms -------------------------------------------------------------------------------------------------------
def without_signs(form: Form) -> Form:
    """A careless d: every derivative added where its indices belong, whatever the order they came in."""
    terms: dict[tuple[int, ...], Expr] = {}
    for indices, value in form.terms.items():
        for i, q in enumerate(form.chart.coordinates):
            if i not in indices:
                key = tuple(sorted((i, *indices)))
                terms[key] = terms.get(key, ZERO) + diff(value, q)
    return Form.of(form.chart, form.degree + 1, terms)


def d_twice(slope: Callable[[Form], Form]) -> ObjectLaw:
    """Twice is nothing: d d = 0."""

    def law(some: Objects) -> Iterator[Thing]:
        for degree in (0, 1):
            yield slope(slope(some.form(degree)))

    return law


def leibniz(sign: int) -> ObjectLaw:
    """d(a ^ b) = da ^ b + (-1)^p a ^ db, with p the degree of a."""

    def law(some: Objects) -> Iterator[Thing]:
        for p, q in ((0, 1), (1, 0), (1, 1), (0, 2)):
            a, b = some.form(p), some.form(q)
            yield d(wedge(a, b)) - wedge(d(a), b) - sign**p * wedge(a, d(b))

    return law


def wedge_of_values(sign: int) -> ObjectLaw:
    """(a ^ b)(X, Y) = a(X) b(Y) - a(Y) b(X), and a ^ b = (-1)^pq b ^ a."""

    def law(some: Objects) -> Iterator[Thing]:
        a, b, c, x, y = some.form(1), some.form(1), some.form(2), some.field(), some.field()
        yield wedge(a, b)(x, y) - a(x) * b(y) - sign * a(y) * b(x)
        yield wedge(a, b) - sign * wedge(b, a)
        yield wedge(a, c) - wedge(c, a)

    return law


def interior_is_antiderivation(sign: int) -> ObjectLaw:
    """i_X (a ^ b) = i_X a ^ b + (-1)^p a ^ i_X b, and i_X i_Y = -i_Y i_X."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y = some.field(), some.field()
        for p, q in ((1, 1), (2, 1), (1, 2)):
            a, b = some.form(p), some.form(q)
            yield interior(x, wedge(a, b)) - wedge(interior(x, a), b) - sign**p * wedge(a, interior(x, b))
        c = some.form(2)
        yield interior(x, interior(y, c)) - sign * interior(y, interior(x, c))

    return law


def cartan(sign: int) -> ObjectLaw:
    """L_X = i_X d + d i_X, on functions too."""

    def law(some: Objects) -> Iterator[Thing]:
        x = some.field()
        for degree in range(4):
            a = some.form(degree)
            yield lie_derivative(x, a) - interior(x, d(a)) - sign * d(interior(x, a))

    return law


def d_on_fields(sign: int) -> ObjectLaw:
    """On fields: d a(X, Y) = X(a(Y)) - Y(a(X)) - a([X, Y])."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y, a = some.field(), some.field(), some.form(1)
        yield d(a)(x, y) - x(a(y)) + y(a(x)) - sign * a(bracket(x, y))

    return law


def lie_and_interior(crossed: Bracket) -> ObjectLaw:
    """[L_X, i_Y] = i_[X,Y]."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y = some.field(), some.field()
        for degree in (1, 2):
            a = some.form(degree)
            rest = lie_derivative(x, interior(y, a)) - interior(y, lie_derivative(x, a))
            yield rest - interior(crossed(x, y), a)

    return law


def lie_of_bracket(crossed: Bracket) -> ObjectLaw:
    """L_[X,Y] = L_X L_Y - L_Y L_X."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y = some.field(), some.field()
        for degree in (0, 1, 2):
            a = some.form(degree)
            rest = lie_derivative(x, lie_derivative(y, a)) - lie_derivative(y, lie_derivative(x, a))
            yield rest - lie_derivative(crossed(x, y), a)

    return law


def lie_is_derivation(derivative: Callable[[VectorField, Form], Form]) -> ObjectLaw:
    """L_X(a ^ b) = L_X a ^ b + a ^ L_X b, L_X d = d L_X, L_fX a = f L_X a + df ^ i_X a."""

    def law(some: Objects) -> Iterator[Thing]:
        x, a, b, f = some.field(), some.form(1), some.form(1), some.function()
        yield derivative(x, wedge(a, b)) - wedge(derivative(x, a), b) - wedge(a, derivative(x, b))
        yield derivative(x, d(a)) - d(derivative(x, a))
        yield derivative(f * x, a) - f * derivative(x, a) - wedge(d(f, some.chart), interior(x, a))

    return law


def pulled_back(pull: Callable[[Form, Chart, Sequence[Expr]], Form]) -> ObjectLaw:
    """Pulling back commutes with d and with wedge, and follows compositions backwards."""

    def law(some: Objects) -> Iterator[Thing]:
        plane = some.on(PLANE)
        down = [plane.function() for _ in SPACE.coordinates]
        for p, q in ((0, 1), (1, 1)):
            a, b = some.form(p), some.form(q)
            yield pull(d(a), PLANE, down) - d(pull(a, PLANE, down))
            yield pull(wedge(a, b), PLANE, down) - wedge(pull(a, PLANE, down), pull(b, PLANE, down))
        line = Chart.of(symbol("r"))
        curve = [some.on(line).function() for _ in PLANE.coordinates]
        both = substitute(down, dict(zip(PLANE.coordinates, curve, strict=True)))
        yield pull(a, line, both) - pull(pull(a, PLANE, down), line, curve)

    return law


def substituted_only(form: Form, chart: Chart, mapping: Sequence[Expr]) -> Form:
    """A careless pull-back: new values, but slopes of the first coordinates only."""
    kept = Form.of(form.chart, form.degree, {i: v for i, v in form.terms.items() if 2 not in i})
    return pull_back(kept, chart, mapping)


# -- the tangent bundle ------------------------------------------------------------------------------------------
Lift = Callable[[VectorField], VectorField]


def lifted_brackets(complete: Lift, vertical: Lift) -> ObjectLaw:
    """[X^C, Y^C] = [X, Y]^C, [X^C, Y^V] = [X, Y]^V, [X^V, Y^V] = 0."""

    def law(some: Objects) -> Iterator[Thing]:
        x, y = some.field(), some.field()
        yield bracket(complete(x), complete(y)) - complete(bracket(x, y))
        yield bracket(complete(x), vertical(y)) - vertical(bracket(x, y))
        yield bracket(vertical(x), vertical(y))

    return law


def lifts_of_products(complete: Lift) -> ObjectLaw:
    """(f X)^C = f X^C + f' X^V, (f X)^V = f X^V, X^C(f') = (X f)', X^V(f') = X f."""

    def law(some: Objects) -> Iterator[Thing]:
        x, f = some.field(), some.function()
        speed = time_derivative(f)
        yield complete(f * x) - f * complete(x) - speed * vertical_lift(x)
        yield vertical_lift(f * x) - f * vertical_lift(x)
        yield complete(x)(speed) - time_derivative(x(f))
        yield vertical_lift(x)(speed) - x(f)

    return law


def vertical_structure(tensor: Callable[[Chart], Endomorphism]) -> ObjectLaw:
    """S X^C = X^V, S X^V = 0, S^2 = 0, L_(X^V) S = 0, L_(X^C) S = 0, and the Nijenhuis tensor of S is zero."""

    def law(some: Objects) -> Iterator[Thing]:
        s, x = tensor(some.chart), some.field()
        yield s(complete_lift(x)) - vertical_lift(x)
        yield s(vertical_lift(x))
        yield s @ s
        yield lie_derivative_of_endomorphism(vertical_lift(x), s)
        yield lie_derivative_of_endomorphism(complete_lift(x), s)
        yield from nijenhuis(s).values()

    return law


def scaled_structure(chart: Chart) -> Endomorphism:
    """A false vertical endomorphism: S times a function."""
    return (1 + X**2) * vertical_endomorphism(chart)


# -- tensors -----------------------------------------------------------------------------------------------------
def tensorial(value: Callable[[Endomorphism, VectorField, VectorField], VectorField]) -> ObjectLaw:
    """A vector-valued 2-form is linear over functions, antisymmetric, and known by its values on coordinate fields."""

    def law(some: Objects) -> Iterator[Thing]:
        n, x, y, f = some.endomorphism(), some.field(), some.field(), some.function()
        yield value(n, f * x, y) - f * value(n, x, y)
        yield value(n, x, y) + value(n, y, x)
        table = nijenhuis(n)
        a, b = x.components, y.components
        yield value(n, x, y) - combination([(a[i] * b[j] - a[j] * b[i], v) for (i, j), v in table.items()])

    return law


def torn(n: Endomorphism, x: VectorField, y: VectorField) -> VectorField:
    """Nijenhuis' tensor without its term in N^2."""
    return nijenhuis_on(n, x, y) - (n @ n)(bracket(x, y))


def lie_of_endomorphisms(sign: int) -> ObjectLaw:
    """(L_X N)(Y) = [X, N Y] - N [X, Y]; L_X (N M) = (L_X N) M + N (L_X M)."""

    def law(some: Objects) -> Iterator[Thing]:
        n, m, x, y = some.endomorphism(), some.endomorphism(), some.field(), some.field()
        change = lie_derivative_of_endomorphism
        yield change(x, n)(y) - bracket(x, n(y)) - sign * n(bracket(x, y))
        yield change(x, n @ m) - change(x, n) @ m - n @ change(x, m)

    return law


def transpose_of_endomorphism(compose: Callable[[Endomorphism, Endomorphism], Endomorphism]) -> ObjectLaw:
    """(N* a)(X) = a(N X), and (N M)* = M* N*."""

    def law(some: Objects) -> Iterator[Thing]:
        n, m, a, x = some.endomorphism(), some.endomorphism(), some.form(1), some.field()
        yield n.on_form(a)(x) - a(n(x))
        yield compose(n, m).on_form(a) - m.on_form(n.on_form(a))

    return law


# -- false operations --------------------------------------------------------------------------------------------
def one_way(left: VectorField, right: VectorField) -> VectorField:
    """Half of a bracket: the derivative of the second along the first."""
    return VectorField(left.chart, tuple(left.apply(right.components)))


def swapped(left: VectorField, right: VectorField) -> VectorField:
    """The bracket with the other sign."""
    return bracket(right, left)


def half_cartan(field: VectorField, form: Form) -> Form:
    """Cartan's formula without its second half."""
    return interior(field, d(form))


GEOMETRY_LAWS: tuple[Law[int], ...] = (
    row("Jacobi's identity of brackets", jacobi, [bracket], [one_way], "half of the bracket"),
    row("brackets differentiate", bracket_differentiates, [bracket], [swapped], "the other sign of the bracket"),
    row("d twice", d_twice, [d], [without_signs], "a derivative without signs"),
    row("Leibniz' rule of d", leibniz, [-1], [1], "a plus between the two terms"),
    row("d on fields", d_on_fields, [-1], [1], "the other sign of the bracket"),
    row("wedge", wedge_of_values, [-1], [1], "a product that is symmetric"),
    row("interior product", interior_is_antiderivation, [-1], [1], "a plus between the two terms"),
    row("Cartan's formula", cartan, [1], [-1], "the other sign of the second half"),
    row("Lie derivative and interior product", lie_and_interior, [bracket], [swapped], "the other sign of the bracket"),
    row("Lie derivative along a bracket", lie_of_bracket, [bracket], [swapped], "the other sign of the bracket"),
    row("Lie derivative", lie_is_derivation, [lie_derivative], [half_cartan], "half of Cartan's formula"),
    row("pull-back", pulled_back, [pull_back], [substituted_only], "slopes of the first coordinates only"),
    row(
        "brackets of lifts",
        lifted_brackets,
        [complete_lift, vertical_lift],
        [vertical_lift, complete_lift],
        "the lifts exchanged",
    ),
    row(
        "lifts of products",
        lifts_of_products,
        [complete_lift],
        [lambda x: vertical_lift(x) + complete_lift(x)],
        "the vertical lift added to the complete one",
    ),
    row("vertical endomorphism", vertical_structure, [vertical_endomorphism], [scaled_structure], "S times a function"),
    row("Nijenhuis' tensor", tensorial, [nijenhuis_on], [torn], "Nijenhuis' tensor without its term in N^2"),
    row("Lie derivative of endomorphisms", lie_of_endomorphisms, [-1], [1], "the other sign of the second term"),
    row(
        "transpose",
        transpose_of_endomorphism,
        [lambda n, m: n @ m],
        [lambda n, m: m @ n],
        "the factors exchanged",
    ),
)
"""Laws of fields, forms, lifts and tensors, for random ones by their seed."""
