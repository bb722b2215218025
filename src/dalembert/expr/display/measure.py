"""About how wide a formula is, in letters, whether it is taller than a line, and which parts of long ones get a name.

Nobody counts points here: it decides where lines are broken, what gets a name, and which brackets must grow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from dalembert.expr.display.names import breadth
from dalembert.expr.graph import Expr, Number
from dalembert.expr.text.order import Factor, digits
from dalembert.expr.walk import postorder

_NAME: Final = 1.6
"""The width of ``c_1``."""
_SIGN: Final = 2.2
_BRACKETS: Final = 1.0
_SMALL: Final = 0.7
"""The width of letters in scripts."""


class Measure:
    """Widths and heights of nodes that were added, arguments first; the ``named`` ones are as wide as their name."""

    def __init__(self, named: Container[Expr], *, short: bool = False) -> None:
        self._named = named
        self._short = short
        self._width: dict[Expr, float] = {}
        self._tall: dict[Expr, bool] = {}
        self._bar: dict[Expr, bool] = {}
        self._linear: dict[Expr, bool] = {}

    def add(self, node: Expr) -> None:
        """Measure how wide and how tall a node is."""
        self.widen(node)
        self._tall[node] = self._tall_of(node)

    def widen(self, node: Expr) -> None:
        """Measure how wide a node is, and nothing else."""
        self._linear[node] = not node.args or (node.op == "sum" and all(map(self.is_linear, node.args)))
        self._width[node] = min(self._width_of(node), 1e15)  # widths may double with every node

    def look_for_bars(self, node: Expr) -> None:
        """Note whether a node has a fraction in it that is more than a number."""
        divides = node.op == "product" and True in [e.numerator < 0 for e in node.data]
        self._bar[node] = divides or any(map(self.has_bar, node.args))

    def width(self, node: Expr) -> float:
        """Return the width of a node, or of its name if it has one."""
        return _NAME if node in self._named else self._width[node]

    def tall(self, node: Expr) -> bool:
        """Say whether a node has a fraction in it, and so needs tall brackets."""
        return node not in self._named and self._tall[node]

    def has_bar(self, node: Expr) -> bool:
        """Say whether a node has a fraction in it that is more than a number."""
        return node not in self._named and self._bar.get(node, False)

    def is_linear(self, node: Expr) -> bool:
        """Say whether a node is a sum of multiples of letters, so that it can stand below a short sine."""
        return node in self._named or self._linear[node]

    def monomial(self, coefficient: Number, factors: Iterable[Factor]) -> float:
        """Return the width of a number times powers."""
        over, under = abs(coefficient.numerator), coefficient.denominator
        above = len(digits(over)) if over != 1 else 0.0
        below = len(digits(under)) if under != 1 else 0.0
        for base, exponent in factors:
            width = _SIGN / 2 + len(digits(base.data)) if base.op == "number" else self.width(base)
            if base.op == "sum":
                width += _BRACKETS
            size = exponent.numerator
            if exponent.denominator != 1 or not -1 <= size <= 1:
                width += _SMALL
            if size > 0:
                above += width
            else:
                below += width
        return max(above, below, 1.0)

    def _width_of(self, node: Expr) -> float:
        args = node.args
        match node.op:
            case "number":
                return self.monomial(node.data, ())
            case "symbol":
                return breadth(node.data.name)
            case "sum":
                constant, coefficients = node.data
                widths = [self.monomial(c, ((a, 1),)) for c, a in zip(coefficients, args, strict=True)]
                widths += [self.monomial(constant, ())] if constant else []
                return sum(widths) + _SIGN * (len(widths) - 1)
            case "product":
                return self.monomial(1, zip(args, node.data, strict=True))
            case "power":
                return self.width(args[0]) + self.width(args[1])  # not less, lest a tower of powers have no end
            case "call":
                return 3 + _BRACKETS + self.width(args[0])
            case "pick" if self._short and self.is_linear(args[0].args[0]):
                return 1 + _SMALL * self.width(args[0].args[0])
            case "pick":
                return 3 + self.width(args[0].args[0]) + (0 if args[0].args[0].op == "symbol" else _BRACKETS)
            case "jet":
                function, orders = node.data
                return breadth(function.name) + len(orders) + _BRACKETS + sum(1 + self.width(a) for a in args)
            case _:
                return 1.0

    def _tall_of(self, node: Expr) -> bool:
        args = node.args
        match node.op:
            case "number":
                return bool(node.data.denominator != 1)
            case "sum":
                constant, coefficients = node.data
                fractions = constant.denominator != 1 or True in [c.denominator != 1 for c in coefficients]
                return fractions or any(map(self.tall, args))
            case "product":
                return True in [e.numerator < 0 for e in node.data] or any(map(self.tall, args))
            case "power":
                return self.tall(args[0])
            case "pick":
                return self.tall(args[0].args[0])
            case "sincos":
                return False
            case _:
                return any(map(self.tall, args))


_WORTH: Final = 25.0
"""Letters that a name must save."""
_SHORT: Final = 8.0
"""A part of a fraction up to this width may have fractions in it."""
_PLAIN: Final = 12.0
"""A function up to this width is best repeated."""


def parts_to_name(
    roots: Sequence[Expr], longest: float, *, limits: Mapping[Expr, float], free: Container[Expr], short: bool
) -> set[Expr]:
    """Return the nodes that get a name, so that lines of the given width suffice.

    One pass from below: what is named is as narrow as a name for all that uses it.

    Parameters
    ----------
    roots
        All that is going to be shown.
    longest
        The width of a line.
    limits
        How wide some of the roots may be.
    free
        What has a name already, so that another use of it costs nothing.
    short
        Whether sine and cosine are short.
    """
    named: set[Expr] = set()
    order = [node for node in postorder(roots) if node.op != "sincos"]
    measure = Measure(named, short=short)
    for node in order:
        measure.widen(node)
    is_long = any(measure.width(root) > 2 * longest for root in roots)
    uses = _uses(roots, order)
    for node in order:
        measure.add(node)
        measure.look_for_bars(node)
        wide = _wide_parts(node, measure, longest)
        if wide:
            named.update(wide)
            measure.add(node)
            measure.look_for_bars(node)
        width = measure.width(node)
        saved = (uses[node] - 1) * width
        worth = saved > 0 if node in free else saved > _WORTH and is_long
        if (worth or width > limits.get(node, width)) and not _is_plain(node, measure):
            named.add(node)
    return named


def widths_and_uses(roots: Sequence[Expr], *, short: bool) -> tuple[dict[Expr, float], Counter[Expr]]:
    """Return how wide some expressions are, and how often each part of them is written."""
    order = [node for node in postorder(roots) if node.op != "sincos"]
    measure = Measure((), short=short)
    for node in order:
        measure.widen(node)
    return {root: measure.width(root) for root in roots}, _uses(roots, order)


def _wide_parts(node: Expr, measure: Measure, longest: float) -> list[Expr]:
    """Return what must be named inside a node for it to fit into a line; the terms of a sum are looked at singly."""
    if node.op == "sum":
        terms = zip(node.data[1], node.args, strict=True)
        return [a for c, a in terms if a.op == "sum" and c not in {1, -1} and measure.width(a) > longest]
    if node.op != "product" or all(exponent > 0 for exponent in node.data):
        inside = [a.args[0] if a.op == "sincos" else a for a in node.args]
        return _widest(inside, measure.width(node) - longest, measure)
    wide = [a for a in node.args if a.op != "product" and measure.has_bar(a) and measure.width(a) > _SHORT]
    factors = list(zip(node.args, node.data, strict=True))
    for side in ([one for one in factors if one[1] > 0], [one for one in factors if one[1] < 0]):  # each has its line
        wide += _widest([a for a, _ in side], measure.monomial(1, [(a, abs(e)) for a, e in side]) - longest, measure)
    return wide


def _widest(parts: Sequence[Expr], excess: float, measure: Measure) -> list[Expr]:
    """Return the widest of some parts, so many that naming them makes up for an excess."""
    wide = []
    for part in sorted(parts, key=measure.width, reverse=True):
        if excess > 0 and not _is_plain(part, measure):
            wide.append(part)
            excess -= measure.width(part)
    return wide


def _uses(roots: Iterable[Expr], order: Iterable[Expr]) -> Counter[Expr]:
    """Count where each node is written; sine and cosine are each written with their angle."""
    uses: Counter[Expr] = Counter(roots)
    for node in order:
        uses.update([a.args[0] for a in node.args] if node.op == "pick" else node.args)
    return uses


def _is_plain(node: Expr, measure: Measure) -> bool:
    """Say whether a node is best repeated: a leaf, a function of little, a power or a multiple of these."""
    if node.op == "sum" and len(node.args) == 1 and not node.data[0]:
        node = node.args[0]
    if node.op == "product" and len(node.args) == 1:
        node = node.args[0]
    return not node.args or (node.op in {"pick", "jet", "call"} and measure.width(node) < _PLAIN)
