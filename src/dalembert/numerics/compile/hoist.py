"""What depends on parameters alone is computed once per motion, not at every step.

Products and sums that mix parameters with what moves are split: in ``m*l^2*sin(x)`` the first two factors become one
value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from dalembert.expr.graph import Expr, product, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.walk import Rebuild, evaluate

__all__ = ["hoist"]


def hoist(roots: Sequence[Expr], parameters: Iterable[Expr]) -> tuple[list[Expr], dict[Expr, Expr]]:
    """Return the roots with new parameters in them, and what each of those is in terms of the old ones.

    >>> m, x = symbol("m", role="parameter"), symbol("x")
    >>> hoist([m**2 * 3 * x + x**2], [m])
    ([3*still0*x + x^2], {still0: m^2})
    """
    reader = _Hoist(parameters)
    known: dict[Expr, Any] = {}
    moved = [reader.fixed(value) for value in evaluate(roots, reader, known)]
    return moved, {slot: node for node, slot in reader.slots.items()}


class _Hoist(Rebuild):
    """Rebuilds a graph and notes which nodes stand still."""

    def __init__(self, parameters: Iterable[Expr]) -> None:
        super().__init__()
        self.still = set(parameters)
        self.slots: dict[Expr, Expr] = {}

    def _stands(self, node: Expr) -> bool:
        return node in self.still or node.op in {"number", "pi"}

    def fixed(self, node: Expr) -> Expr:
        """Return a new parameter for a node that stands still, and any other node as it is."""
        if node not in self.still or not node.args:
            return node
        if node not in self.slots:
            self.slots[node] = symbol(Symbol(f"still{len(self.slots)}", role="parameter"))
        return self.slots[node]

    def _made(self, node: Expr) -> Expr:
        self.still.add(node)
        return node

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        constant, coefficients = node.data
        pairs = list(zip(coefficients, terms, strict=True))
        still = [pair for pair in pairs if self._stands(pair[1])]
        if len(still) == len(pairs):
            return self._made(total(pairs, constant))
        if len(still) + bool(constant) < 2:
            return total([(c, self.fixed(e)) for c, e in pairs], constant)
        part = self.fixed(self._made(total(still, constant)))
        return total([(1, part), *(pair for pair in pairs if not self._stands(pair[1]))])

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = list(zip(bases, node.data, strict=True))
        still = [pair for pair in pairs if self._stands(pair[0])]
        if len(still) == len(pairs):
            return self._made(product(pairs))
        if len(still) == 1 and still[0][1] == 1:
            return product([(self.fixed(b), e) for b, e in pairs])
        part = [(self.fixed(self._made(product(still))), 1)] if still else []
        return product([*part, *(pair for pair in pairs if not self._stands(pair[0]))])

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        if self._stands(base) and self._stands(exponent):
            return self._made(super().power(node, base, exponent))
        return super().power(node, self.fixed(base), self.fixed(exponent))

    def call(self, node: Expr, value: Expr) -> Expr:
        made = super().call(node, value)
        return self._made(made) if self._stands(value) else made

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        made = super().sincos(node, angle)
        return [self._made(part) for part in made] if self._stands(angle) else made

    def factor(self, node: Expr, entries: Sequence[Expr]) -> Any:
        return super().factor(node, [self.fixed(entry) for entry in entries])

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Expr]) -> Sequence[Expr]:
        return super().solve(node, factor, [self.fixed(b) for b in rhs])

    def basic(self, node: Expr, values: Sequence[Expr]) -> Sequence[Expr]:
        return super().basic(node, [self.fixed(value) for value in values])
