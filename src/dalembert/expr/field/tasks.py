"""What the worker can be asked to do.

Every task takes a list of expressions, a meter that is charged for the work, and options.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field.apart import Fractions
from dalembert.expr.field.priced import Meter
from dalembert.expr.field.quotients import Field
from dalembert.expr.field.shorten import Shortener
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.graph import Expr, make, product
from dalembert.expr.truth.radicals import take_squares_out
from dalembert.expr.walk import Rebuild, evaluate, pack

__all__ = ["normal", "shortest", "vanishes"]

_MOST_DEGREE = 1_000
"""Powers beyond it are not for people, and FLINT may fail to factor them."""


def vanishes(roots: Sequence[Expr], meter: Meter, most_terms: int) -> list[bool]:
    """Say of each expression whether its numerator is zero: a proof that it is, or that it is not as a formula."""
    prepared = take_squares_out(roots).roots
    field = Field(prepared, most_terms, meter=meter)
    return [field.read(root).above.is_zero() for root in prepared]


def normal(roots: Sequence[Expr], meter: Meter, most_terms: int) -> Any:
    """Return each expression as a reduced fraction in sines and cosines, packed."""
    prepared = take_squares_out(roots, careful=True).roots
    field = Field(prepared, most_terms, careful=True, meter=meter)
    circle = Circle(field)
    everywhere = ["cosine"] * len(circle.angles)
    short = Shortener(circle, meter, 0.0)
    answers = []
    for root in prepared:
        above, below = (circle.reduce(part, everywhere) for part in circle.quotient(field.read(root)))
        order = short.monomials(below)  # that of a sum is always the same, that of the ring is not
        if order.op == "sum" and order.data[1][0] < 0:
            above, below = -above, -below
        answers.append(product(((short.monomials(above), 1), (short.monomials(below), -1))))
    return pack(answers)


def shortest(roots: Sequence[Expr], meter: Meter, most_terms: int, search: float) -> Any:
    """Return the shortest form found of each expression, packed; what is in functions and roots is shortened too.

    The search ends when ``search`` units of the meter are spent; what is then left is for writing down what was found.
    """
    inside = evaluate(take_squares_out(roots, careful=True).roots, _Inside(most_terms, meter, search))
    return pack([_shortest(root, most_terms, meter, search) for root in inside])


class _Inside(Rebuild):
    """Shortens the arguments of functions and what stands under roots; arithmetic is left to the whole."""

    def __init__(self, most_terms: int, meter: Meter, search: float) -> None:
        super().__init__()
        self.most_terms, self.meter, self.search = most_terms, meter, search

    def _short(self, node: Expr) -> Expr:
        if all(n.op in {"symbol", "number", "pi"} for n in (node.args if node.op == "sum" else [node])):
            return node
        return _shortest(node, self.most_terms, self.meter, self.search)

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = zip(bases, node.data, strict=True)
        return product([(self._short(b) if e.denominator != 1 else b, e) for b, e in pairs])

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        return super().power(node, self._short(base), self._short(exponent))

    def call(self, node: Expr, value: Expr) -> Expr:
        return super().call(node, self._short(value))

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        return super().sincos(node, self._short(angle))

    def jet(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
        return make("jet", node.data, tuple(self._short(a) for a in arguments))


def _shortest(root: Expr, most_terms: int, meter: Meter, search: float) -> Expr:
    """Return the shortest form found of an expression whose functions and roots are left as they are."""
    try:
        field = Field([root], most_terms, careful=True, meter=meter)
        value = field.read(root)
        if max(*value.above.degrees(), *value.below.degrees()) > _MOST_DEGREE:
            return root
        short = Shortener(Circle(field), meter, search)
        found = Fractions(short).write(value)
    except ExpressionError:
        return root
    return found if short.price(found) <= short.price(root) else root
