"""Expressions that are others with the names exchanged, as components of a vector are: what one is short by all are.

Names are told apart by what is done with them (colours, refined until no more are told apart; Weisfeiler and Leman).
That only proposes which name stands for which: it counts if the exchange makes one expression of the other, node by
node, and keeps the relations between the names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from zlib import crc32

from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder, substitute, symbols

_ROUNDS = 30
"""How often colours are refined at most; names that are not told apart by then are taken in alphabetical order."""
_WORTH = 0.02
"""Work (in nominal seconds) below which a search costs no more than a comparison."""
_MASK = (1 << 48) - 1


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

    __slots__ = ("_known", "_relations", "_whole")

    def __init__(self, relations: Sequence[Expr] = (), *, whole: bool = False) -> None:
        """Know nothing yet; an exchange of names has to keep the relations.

        Those that have a name in common with the expression; all of them where a form holds by the ``whole``.
        """
        self._relations = [(relation, frozenset(symbols([relation]))) for relation in relations]
        self._whole = whole
        self._known: dict[int, list[tuple[Expr, Expr, float]]] = {}

    def remember(self, expression: Expr, form: Expr, cost: float) -> None:
        """Keep the short form of an expression, and the work that it took, if that is worth it."""
        if cost > _WORTH:
            self._known.setdefault(_shape(expression), []).append((expression, form, cost))

    def form(self, expression: Expr) -> tuple[Expr, float] | None:
        """Return the form of an expression that is one of those before with other names, and its cost; or None."""
        before = self._known.get(_shape(expression)) if self._known else None
        if not before:
            return None
        relations = self._meeting(expression)
        names = _names(expression, relations)
        for other, form, cost in before:
            there = self._meeting(other)
            others = _names(other, there) if len(there) == len(relations) else []
            if len(others) != len(names):
                continue
            exchanged = dict(zip(others, names, strict=True))
            made, *kept = substitute([other, *there], exchanged)
            if made is expression and set(kept) == set(relations) and _within(form, exchanged):
                return substitute([form], exchanged)[0], cost
        return None

    def _meeting(self, expression: Expr) -> list[Expr]:
        """Return the relations between names of which an expression has some."""
        present = symbols([expression])
        return [one for one, names in self._relations if self._whole or not present.isdisjoint(names)]


def _within(form: Expr, exchanged: Mapping[Expr, Expr]) -> bool:
    """Say whether every name in a form is exchanged: one that stays could be another's new one."""
    return symbols([form]) <= {name.data for name in exchanged}


class _Graph:
    """Expressions as numbers: of every node its own, and what distinguishes its arguments, and where these are."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        self.nodes = postorder(roots)
        places = {node: k for k, node in enumerate(self.nodes)}
        self.own = [_own(node) for node in self.nodes]
        self.below = [
            [(mark, places[a]) for mark, a in zip(_marks(node), node.args, strict=True)] if node.args else []
            for node in self.nodes
        ]
        self.ordered = [node.op not in {"sum", "product"} for node in self.nodes]
        self.first = places[roots[0]]

    def upwards(self, leaves: Mapping[int, int]) -> list[int]:
        """Return the colour of each node by those of what is below it; terms and factors have no order."""
        colours = list(self.own)
        for k, colour in leaves.items():
            colours[k] = colour
        for k, below in enumerate(self.below):
            if below:
                parts = [hash((mark, colours[j])) for mark, j in below]
                if not self.ordered[k]:
                    parts.sort()
                colours[k] = hash((colours[k], *parts))
        return colours

    def downwards(self, colours: Sequence[int]) -> list[int]:
        """Return the colour of each node by all that is above it; the first root is not like the others."""
        above = [0] * len(colours)
        above[self.first] = 1
        for k in range(len(colours) - 1, -1, -1):
            if self.below[k]:
                here = hash((colours[k], above[k]))
                for mark, j in self.below[k]:
                    above[j] = (above[j] + hash((here, mark))) & _MASK
        return above


def _own(node: Expr) -> int:
    """Return what a node is by itself: of a name what is assumed of it, of a sum its constant."""
    match node.op:
        case "symbol":
            return _number(f"{node.data.role} {node.data.domain}")
        case "sum":
            return _number(f"sum {node.data[0]}")
        case "product":
            return _number("product")
        case _:
            return _number(f"{node.op} {node.data}")


def _marks(node: Expr) -> Sequence[int]:
    """Return what distinguishes the arguments of a node: a coefficient, an exponent, or the place."""
    if node.op == "sum":
        return [_number(str(c)) for c in node.data[1]]
    return [_number(str(e)) for e in node.data] if node.op == "product" else range(len(node.args))


@lru_cache(maxsize=1_000)
def _number(word: str) -> int:
    """Return a number that stands for a word in every process."""
    return crc32(word.encode())


def _shape(expression: Expr) -> int:
    """Return what expressions that are alike have in common."""
    graph = _Graph([expression])
    return graph.upwards({})[graph.first]


def _names(expression: Expr, relations: Sequence[Expr]) -> list[Expr]:
    """Return the names in an expression and its relations, in an order that does not depend on what they are."""
    graph = _Graph([expression, *relations])
    names = [k for k, node in enumerate(graph.nodes) if node.op == "symbol"]
    names.sort(key=lambda k: str(graph.nodes[k].data.label))
    leaves = {k: graph.own[k] for k in names}
    apart = 0
    for turn in range(1, _ROUNDS):
        above = graph.downwards(graph.upwards(leaves))
        leaves = {k: hash((colour, above[k])) for k, colour in leaves.items()}
        count = Counter(leaves.values())
        if len(count) == len(names):
            break
        if len(count) == apart:  # nothing more is told apart: one of those that are alike is taken before the others
            first = min(colour for colour, several in count.items() if several > 1)
            one = next(k for k in names if leaves[k] == first)
            leaves[one] = hash((first, turn))
        apart = len(count)
    return [graph.nodes[k] for k in sorted(names, key=lambda k: leaves[k])]  # sorted keeps the alphabet among equals
