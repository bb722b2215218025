"""What has a shorter name on a page than in the graph, which is poor in kinds of nodes on purpose.

``sin(x)/cos(x)`` is a tangent, ``exp(x)^-2`` is the exponential of ``-2*x``, ``(x + y) - y`` is ``x``.
Products are opened here too, so that like terms are found to be alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from dalembert.expr.elementary import exp, jet
from dalembert.expr.graph import Expr, Number, make, product, total
from dalembert.expr.symbols import Function
from dalembert.expr.text.printer import without_solves
from dalembert.expr.walk import Rebuild, evaluate

__all__ = ["TANGENT", "for_the_page"]

_MOST_FACTORS: Final = 12
TANGENT: Final = Function("tan", 1)
"""The tangent as a function of its own, for display only; the word is taken, so no function of a user is called so."""


def for_the_page(roots: Sequence[Expr]) -> list[Expr]:
    """Return expressions of the same values as they are best shown: solves written out, tangents by their name."""
    plain = without_solves(roots)
    return evaluate(plain, _Idioms(plain))


def _is_exponential(base: Expr, powers: Mapping[Expr, Number]) -> bool:
    return base.op == "call" and base.data == "exp" and powers[base] != 1


def _is_tangent(base: Expr, powers: Mapping[Expr, Number]) -> bool:
    """Say whether a sine among factors meets the same power of its cosine below the bar."""
    if base.op != "pick" or base.data != 0 or powers[base] < 0 or powers[base].denominator != 1:
        return False
    return powers.get(_cosine_beside(base)) == -powers[base]


def _cosine_beside(sine: Expr) -> Expr:
    return make("pick", 1, sine.args)


def _factors(node: Expr) -> Iterable[tuple[Expr, Number]]:
    """Return the factors of a product, if there are not too many; else the node itself."""
    if node.op == "product" and len(node.args) <= _MOST_FACTORS:
        return zip(node.args, node.data, strict=True)
    return [(node, 1)]


class _Idioms(Rebuild):
    """Rebuilds a graph with these idioms; the roots are recognised where one is used in another."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        super().__init__()
        self._roots = frozenset(roots)

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        plain = total(zip(node.data[1], terms, strict=True), node.data[0])
        if plain.op != "sum":
            return plain
        constant, coefficients = plain.data
        parts: list[tuple[Number, Expr]] = []
        for coefficient, term in zip(coefficients, plain.args, strict=True):
            if term.op == "sum" and coefficient in {1, -1}:
                constant += coefficient * term.data[0]
                parts += [(coefficient * c, a) for c, a in zip(term.data[1], term.args, strict=True)]
            else:
                parts.append((coefficient, term))
        opened = total(parts, constant)
        return opened if opened.op != "sum" or len(opened.args) <= len(plain.args) else plain

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        powers: dict[Expr, Number] = {}
        for old, base, exponent in zip(node.args, bases, node.data, strict=True):
            opens = exponent.denominator == 1 and old not in self._roots  # the root of a square is no product
            for inner, times in _factors(base) if opens else [(base, 1)]:
                powers[inner] = powers.get(inner, 0) + exponent * times
        for base in list(powers):
            if _is_exponential(base, powers):
                power = exp(total(((powers.pop(base), base.args[0]),)))
                powers[power] = powers.get(power, 0) + 1
            elif _is_tangent(base, powers):
                del powers[_cosine_beside(base)]
                powers[jet(TANGENT, (base.args[0].args[0],))] = powers.pop(base)
        return product(powers.items())
