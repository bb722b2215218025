"""Expressions that are others with the names exchanged, as components of a vector are: what one is short by all are.

Names are told apart by what is done with them (colours, refined until no more are told apart; Weisfeiler and Leman).
That only proposes which name stands for which: it counts if the exchange makes one expression of the other, node by
node, and keeps the relations between the names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias
from zlib import crc32

from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder, substitute

Colours: TypeAlias = "dict[Expr, int]"

_ROUNDS = 40
"""How often colours are refined at most; names that are not told apart by then are taken in alphabetical order."""


class Alike:
    """Short forms of expressions, for others that are the same but for their names.

    >>> from dalembert.expr import symbol
    >>> a, b, x, y = map(symbol, "abxy")
    >>> known = Alike([x**2 + y**2 - 1])
    >>> known.remember((a + x)**2 * (a + 1) * (x + 3) - a, a * x, 0.5)
    >>> known.form((b + y)**2 * (b + 1) * (y + 3) - b)
    (b*y, 0.5)
    >>> known.form((y + a)**2 * (y + 1) * (a + 3) - y) is None  # no relation makes a of x
    True
    """

    __slots__ = ("_known", "_relations")

    def __init__(self, relations: Sequence[Expr] = ()) -> None:
        """Know nothing yet; an exchange of names has to keep the relations."""
        self._relations = tuple(relations)
        self._known: dict[int, list[tuple[Expr, Expr, float]]] = {}

    def remember(self, expression: Expr, form: Expr, cost: float) -> None:
        """Keep the short form of an expression, and the work that it took."""
        self._known.setdefault(_shape(expression), []).append((expression, form, cost))

    def form(self, expression: Expr) -> tuple[Expr, float] | None:
        """Return the form of an expression that is one of those before with other names, and its cost; or None."""
        before = self._known.get(_shape(expression)) if self._known else None
        if not before:
            return None
        names = _names(expression, self._relations)
        for other, form, cost in before:
            others = _names(other, self._relations)
            if len(others) != len(names):
                continue
            exchanged = dict(zip(others, names, strict=True))
            there, *kept = substitute([other, *self._relations], exchanged)
            if there is expression and set(kept) == set(self._relations):
                return substitute([form], exchanged)[0], cost
        return None


def _first(nodes: Sequence[Expr]) -> Colours:
    """Return colours of leaves: names by what is assumed of them."""
    return {
        node: crc32(f"{node.data.role} {node.data.domain}".encode()) if node.op == "symbol" else _label(node)
        for node in nodes
        if not node.args
    }


def _label(node: Expr) -> int:
    return crc32(f"{node.op} {'' if node.op in {'sum', 'product'} else node.data}".encode())


def _upwards(nodes: Sequence[Expr], leaves: Mapping[Expr, int]) -> Colours:
    """Return the colour of each node by those of what is below it; terms and factors have no order."""
    colours = dict(leaves)
    for node in nodes:
        if node.args:
            marks = _marks(node)
            parts = [hash((mark, colours[a])) for mark, a in zip(marks, node.args, strict=True)]
            if node.op in {"sum", "product"}:
                parts.sort()
            colours[node] = hash((_label(node), _whole(node.data[0]) if node.op == "sum" else 0, *parts))
    return colours


def _marks(node: Expr) -> Sequence[int]:
    """Return what distinguishes the arguments of a node: a coefficient, an exponent, or the place."""
    if node.op == "sum":
        return [_whole(c) for c in node.data[1]]
    return [_whole(e) for e in node.data] if node.op == "product" else range(len(node.args))


def _whole(value: object) -> int:
    """Return a number that stands for a coefficient and is the same in every process; -1 and -2 have the same hash."""
    return crc32(str(value).encode())


def _shape(expression: Expr) -> int:
    """Return what expressions that are alike have in common."""
    nodes = postorder([expression])
    return _upwards(nodes, _first(nodes))[expression]


def _names(expression: Expr, relations: Sequence[Expr]) -> list[Expr]:
    """Return the names in an expression and its relations, in an order that does not depend on what they are."""
    nodes = postorder([expression, *relations])
    leaves = _first(nodes)
    names = sorted((node for node in leaves if node.op == "symbol"), key=lambda node: str(node.data.label))
    roots = Counter([expression])
    apart = 0
    for turn in range(1, _ROUNDS):
        above = _downwards(nodes, _upwards(nodes, leaves), roots)
        leaves |= {name: hash((leaves[name], above[name])) for name in names}
        count = Counter(leaves[name] for name in names)
        if len(count) == len(names):
            break
        if len(count) == apart:  # nothing more is told apart: one of those that are alike is taken before the others
            first = min(colour for colour, several in count.items() if several > 1)
            one = next(name for name in names if leaves[name] == first)
            leaves[one] = hash((first, turn))
        apart = len(count)
    return sorted(names, key=lambda name: leaves[name])  # sorted keeps the alphabet among equals


def _downwards(nodes: Sequence[Expr], colours: Mapping[Expr, int], roots: Mapping[Expr, int]) -> Colours:
    """Return the colour of each node by all that is above it."""
    above = dict.fromkeys(nodes, 0)
    for node in reversed(nodes):
        here = hash((colours[node], above[node], roots[node]))
        for mark, argument in zip(_marks(node), node.args, strict=True):
            above[argument] = (above[argument] + hash((here, mark))) & 0xFFFF_FFFF_FFFF
    return above
