"""Expressions for people who read text: nested sums and products opened, signs merged, what meets there collected.

The graph keeps ``a*(b*c)`` and ``a + (b + c)`` apart on purpose, and ``text`` shows it as it is. A formula in a
terminal is for reading: there the brackets only hide that ``x*(y*z) - (x*y)*z`` is nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from dalembert.expr.graph import Expr, Number, number, product, total
from dalembert.expr.walk import Rebuild, evaluate

_MOST: Final = 9
"""A product to a whole power up to this is opened."""


def opened(roots: Sequence[Expr], named: Collection[Expr] = ()) -> list[Expr]:
    """Return equal expressions without a sum in a sum or a product in a product; below a root, ``named`` nodes stay.

    >>> from dalembert.expr import symbol
    >>> x, y, z = symbol("x"), symbol("y"), symbol("z")
    >>> opened([x*(y*z), -(-x - (y - z)), x*(-y - z)/(x/y), x*(y*z) - (x*y)*z])
    [x*y*z, x + y - z, -y*(y + z), 0]
    """
    reader = _Opened(named)
    return [evaluate([root], reader, {node: node for node in named if node is not root})[0] for root in roots]


class _Opened(Rebuild):
    """Builds sums and products without others of their kind in them."""

    def __init__(self, named: Collection[Expr]) -> None:
        super().__init__()
        self._named = named

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        """Open a sum where only a sign is before it, or where it is a multiple of one term."""
        constant, flat = node.data[0], []
        for weight, term in zip(node.data[1], terms, strict=True):
            if term.op == "sum" and term not in self._named and (weight in {1, -1} or _is_multiple(term)):
                constant += weight * term.data[0]
                flat += [(weight * c, one) for c, one in zip(term.data[1], term.args, strict=True)]
            else:
                flat.append((weight, term))
        return total(flat, constant)

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        """Open products, and take signs and numbers out of sums."""
        return _one_fraction(product(self._factors(zip(bases, node.data, strict=True))))

    def _factors(self, factors: Iterable[tuple[Expr, Number]]) -> list[tuple[Expr, Number]]:
        flat: list[tuple[Expr, Number]] = []
        waiting = list(factors)
        while waiting:
            base, exponent = waiting.pop()
            if base in self._named or exponent.denominator != 1 or not -_MOST <= exponent <= _MOST:
                flat.append((base, exponent))
            elif base.op == "product":
                waiting += [(one, inner * exponent) for one, inner in zip(base.args, base.data, strict=True)]
            elif base.op == "sum" and _is_multiple(base):
                flat.append((number(base.data[1][0]), exponent))
                waiting.append((base.args[0], exponent))
            elif base.op == "sum" and base.data[0] <= 0 and all(weight < 0 for weight in base.data[1]):
                turned = total([(-c, one) for c, one in zip(base.data[1], base.args, strict=True)], -base.data[0])
                flat += [(number(-1), exponent), (turned, exponent)]
            else:
                flat.append((base, exponent))
        return flat


def _one_fraction(node: Expr) -> Expr:
    """Return a product with all that it divides by in one denominator."""
    if node.op == "sum" and _is_multiple(node):
        return total([(node.data[1][0], _one_fraction(node.args[0]))])
    if node.op != "product" or sum(exponent < 0 for exponent in node.data) < 2:
        return node
    factors = list(zip(node.args, node.data, strict=True))
    below = product([(base, -exponent) for base, exponent in factors if exponent < 0])
    return product([*((base, exponent) for base, exponent in factors if exponent > 0), (below, -1)])


def _is_multiple(node: Expr) -> bool:
    """Say whether a sum is a number times one term."""
    return not node.data[0] and len(node.args) == 1
