"""Laws of expressions: of the ring, of derivations, of substitution and of linear solves.

Each is a function of the operation it speaks of, so that it may be given one of one's own, and something false to see
it caught. All comparisons are made in ball arithmetic at a rational point: a ball that excludes zero proves a law
broken, and a ball that is small is as good a confirmation as a point can give.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from random import Random

from dalembert.expr.calculus import diff, gradient, tangent, time_derivative
from dalembert.expr.elementary import sin, solve, sqrt
from dalembert.expr.graph import ZERO, Expr, number, total
from dalembert.expr.readers import Balls
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import substitute
from dalembert.testing.law import Law
from dalembert.testing.random_expressions import M, T, X, Y, random_expression, random_values, with_definitions

__all__ = [
    "EXPRESSION_LAWS",
    "Broken",
    "chain",
    "derivation",
    "forward_is_reverse",
    "mixed_partials",
    "moves_with_time",
    "rebuilding",
    "ring",
    "same_node",
    "same_value",
    "solves_the_system",
    "substitution",
    "tried",
]

Derivation = Callable[[Expr], Expr]


class Broken(AssertionError):
    """A law does not hold; the words say of what."""


# -- how a law is tried --------------------------------------------------------------------------------------
def same_value(left: Expr, right: Expr, point: Mapping[Expr, Fraction], bits: int = 400) -> None:
    """Both sides have one value: the difference is a tiny ball around zero."""
    plain = with_definitions([left, right])
    ours, theirs, difference = Balls(point, bits).read([*plain, plain[0] - plain[1]])
    if not difference.contains(0):
        raise Broken(f"{left!r} is not {right!r}")
    scale = 1 + abs(ours) + abs(theirs)
    if not difference.rad() < scale * 2.0**-100:
        raise ValueError("the ball is too large to tell")  # not Broken: nothing is known


def same_node(left: Expr, right: Expr) -> None:
    """Both sides are one node."""
    if left is not right:
        raise Broken(f"{left!r} is not the node {right!r}")


def tried(law: Callable[..., None], inputs: int, *, point: bool = True, examples: int = 25) -> Callable[[int], Verdict]:
    """Return how a law is decided on random expressions, so many at once, and points: by the seed of all of them."""

    def decide(seed: int) -> Verdict:
        draw = Random(seed)
        for _ in range(examples):
            given = [random_expression(draw, jets=True, solves=True) for _ in range(inputs)]
            try:
                law(*given, *([random_values(draw)] if point else []))
            except Broken as fault:
                return Verdict("refuted", f"{fault}.")
        return Verdict("measured", f"in balls, on {examples} random examples.")

    return decide


# -- laws of the ring ----------------------------------------------------------------------------------------
def ring(add: Callable[[Expr, Expr], Expr], times: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """Both operations commute as nodes, associate and distribute as values, and know their neutral elements."""

    def law(a: Expr, b: Expr, c: Expr, point: Mapping[Expr, Fraction]) -> None:
        same_node(add(a, b), add(b, a))
        same_node(times(a, b), times(b, a))
        same_node(add(a, ZERO), a)
        same_node(times(a, number(1)), a)
        same_node(times(a, ZERO), ZERO)
        same_node(add(a, times(number(-1), a)), ZERO)
        same_value(add(add(a, b), c), add(a, add(b, c)), point)
        same_value(times(times(a, b), c), times(a, times(b, c)), point)
        same_value(times(a, add(b, c)), add(times(a, b), times(a, c)), point)

    return law


# -- laws of derivations -------------------------------------------------------------------------------------
def derivation(d: Derivation) -> Callable[..., None]:
    """Linear, and Leibniz' rule for products, quotients and powers."""

    def law(a: Expr, b: Expr, point: Mapping[Expr, Fraction]) -> None:
        same_value(d(3 * a - b / 2), 3 * d(a) - d(b) / 2, point)
        same_value(d(a * b), d(a) * b + a * d(b), point)
        below = 2 + b**2
        same_value(d(a / below), (d(a) * below - a * d(below)) / below**2, point)
        same_value(d(a**3), 3 * a**2 * d(a), point)
        same_value(d(sqrt(below)), d(below) / (2 * sqrt(below)), point)

    return law


def chain(d: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """The derivative of ``outer(x -> inner)`` is the outer derivative there times the inner one."""

    def law(outer: Expr, inner: Expr, point: Mapping[Expr, Fraction]) -> None:
        composed, slope = substitute([outer, d(outer, X)], {X: inner})
        same_value(d(composed, Y), slope * d(inner, Y) + _held(outer, inner, d), point)

    return law


def _held(outer: Expr, inner: Expr, d: Callable[[Expr, Expr], Expr]) -> Expr:
    return substitute([d(outer, Y)], {X: inner})[0]


def mixed_partials(d: Callable[[Expr, Expr], Expr]) -> Callable[..., None]:
    """The order of two partial derivatives does not matter."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        same_value(d(d(a, X), Y), d(d(a, Y), X), point)

    return law


def forward_is_reverse(gradient: Callable[[Expr, Sequence[Expr]], list[Expr]]) -> Callable[..., None]:
    """One reverse pass gives what one forward pass for each variable gives."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        variables = [X, Y, M, X.dot]
        for slope, variable in zip(gradient(a, variables), variables, strict=True):
            same_value(slope, diff(a, variable), point)

    return law


def moves_with_time(d: Derivation) -> Callable[..., None]:
    """The time derivative is that along a curve: x and y are put in as functions of time, and t is differentiated."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        curve = {X: sin(T) + T**2, Y: 1 / (2 + T**2)}
        path = dict(curve)
        for variable, place in curve.items():
            path[variable.dot] = diff(place, T)
            path[variable.dot.dot] = diff(place, T, T)
        moved, direct = substitute([d(a), a], path)
        same_value(moved, diff(direct, T), point)

    return law


# -- laws of substitution ------------------------------------------------------------------------------------
def substitution(put_in: Callable[[Sequence[Expr], Mapping[Expr, Expr]], list[Expr]]) -> Callable[..., None]:
    """Putting a number in and then reading is reading at that number, for all at once."""

    def law(a: Expr, point: Mapping[Expr, Fraction]) -> None:
        swapped = {**point, X: point[Y], Y: point[X]}
        there, here = put_in([a], {X: Y, Y: X})[0], a
        left = Balls(point, 400).read(with_definitions([there]))[0]
        right = Balls(swapped, 400).read(with_definitions([here]))[0]
        if not left.overlaps(right):
            raise Broken(f"{a!r} with x and y exchanged has another value than at the point with x and y exchanged")
        numbers = {node: number(value) for node, value in point.items()}
        same_value(put_in([a], numbers)[0], a, point)

    return law


def rebuilding(put_in: Callable[[Sequence[Expr], Mapping[Expr, Expr]], list[Expr]]) -> Callable[..., None]:
    """Building an expression again from its parts gives the same node: the form is canonical."""

    def law(a: Expr) -> None:
        same_node(put_in([a], {})[0], a)

    return law


# -- laws of linear solves -----------------------------------------------------------------------------------
def solves_the_system(solver: Callable[[list[list[Expr]], list[Expr]], list[Expr]]) -> Callable[..., None]:
    """The matrix times the solution is the right-hand side."""

    def law(a: Expr, b: Expr, c: Expr, point: Mapping[Expr, Fraction]) -> None:
        matrix = [[9 + a**2, b, number(1)], [-b, 9 + c**2, ZERO], [number(-1), ZERO, 9 + a**2 * c**2]]
        right = [c, a, number(1)]
        answer = solver(matrix, right)
        for row, value in zip(matrix, right, strict=True):
            same_value(sum((e * x for e, x in zip(row, answer, strict=True)), ZERO), value, point)

    return law


# -- rows ----------------------------------------------------------------------------------------------------
def _by_x(a: Expr) -> Expr:
    return diff(a, X)


def _one_by_one(roots: Sequence[Expr], replacements: Mapping[Expr, Expr]) -> list[Expr]:
    """A careless substitution: one after the other, so that what was put in is replaced again."""
    found = list(roots)
    for old, new in replacements.items():
        found = substitute(found, {old: new})
    return found


def _first_term(roots: Sequence[Expr], _: Mapping[Expr, Expr]) -> list[Expr]:
    """A careless rebuilding: sums lose their coefficients."""
    return [total((1, part) for part in root.args) if root.op == "sum" else root for root in roots]


def _jacobi_step(matrix: list[list[Expr]], right: list[Expr]) -> list[Expr]:
    """A careless solve: only the diagonal is taken."""
    return [b / row[i] for i, (row, b) in enumerate(zip(matrix, right, strict=True))]


EXPRESSION_LAWS: tuple[Law[int], ...] = (
    Law(
        "ring",
        "sums and products commute, associate and distribute, and know their neutral elements",
        tried(ring(lambda a, b: a + b, lambda a, b: a * b), 3),
        tried(ring(lambda a, b: a + b, lambda a, b: a * b + b * sin(a)), 3),
        "a product with one more term",
    ),
    Law(
        "derivation",
        "a partial derivative is linear and obeys Leibniz' rule",
        tried(derivation(_by_x), 2),
        tried(derivation(lambda a: diff(a, X) + a), 2),
        "a derivative to which the function itself is added",
    ),
    Law(
        "time derivative",
        "the time derivative is that along a curve",
        tried(moves_with_time(time_derivative), 1),
        tried(moves_with_time(lambda a: time_derivative(a, rules={T: ZERO})), 1, examples=100),
        "a time derivative that forgets explicit time",
    ),
    Law(
        "chain rule",
        "the derivative of a composition is the outer one there, times the inner one",
        tried(chain(diff), 2),
        tried(chain(lambda a, v: diff(a, v) + (diff(a, X) if v is Y else ZERO)), 2, examples=100),
        "a derivative with another mixed in",
    ),
    Law(
        "mixed partials",
        "the order of two partial derivatives does not matter",
        tried(mixed_partials(diff), 1),
        tried(mixed_partials(lambda a, v: tangent([a], {v: X})[0]), 1, examples=100),
        "derivatives along fields that do not commute",
    ),
    Law(
        "gradient",
        "one reverse pass gives what a forward pass for each variable gives",
        tried(forward_is_reverse(gradient), 1),
        tried(forward_is_reverse(lambda a, variables: gradient(a, list(reversed(variables)))), 1, examples=100),
        "the slopes in the wrong order",
    ),
    Law(
        "substitution",
        "putting values in is reading at those values, for all at once",
        tried(substitution(substitute), 1),
        tried(substitution(_one_by_one), 1, examples=100),
        "one is put in after the other",
    ),
    Law(
        "rebuilding",
        "building an expression again from its parts gives the same node",
        tried(rebuilding(substitute), 1, point=False),
        tried(rebuilding(_first_term), 1, point=False, examples=100),
        "sums lose their coefficients",
    ),
    Law(
        "linear solves",
        "the matrix times the solution is the right-hand side",
        tried(solves_the_system(solve), 3),
        tried(solves_the_system(_jacobi_step), 3),
        "only the diagonal of the matrix is taken",
    ),
)
"""Laws of expressions, for random ones by their seed."""
