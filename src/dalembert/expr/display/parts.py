"""Which parts of long formulas are given a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final

from dalembert.expr.display.measure import Measure
from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder

__all__ = ["parts_to_name"]

_WORTH: Final = 25.0
"""Letters that a name must save."""
_SMALL: Final = 8.0
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
        measure.add(node)
    is_long = any(measure.width(root) > 2 * longest for root in roots)
    uses = _uses(roots, order)
    for node in order:
        measure.add(node)
        wide = _wide_parts(node, measure, longest)
        if wide:
            named.update(wide)
            measure.add(node)
        width = measure.width(node)
        saved = (uses[node] - 1) * width
        worth = saved > 0 if node in free else saved > _WORTH and is_long
        if (worth or width > limits.get(node, width)) and not _is_plain(node, measure):
            named.add(node)
    return named


def _wide_parts(node: Expr, measure: Measure, longest: float) -> list[Expr]:
    """Return what must be named inside a node for it to fit into a line; the terms of a sum are looked at singly."""
    if node.op == "sum":
        terms = zip(node.data[1], node.args, strict=True)
        return [a for c, a in terms if a.op == "sum" and c not in {1, -1} and measure.width(a) > longest]
    wide = []
    if node.op == "product" and any(exponent < 0 for exponent in node.data):
        wide = [a for a in node.args if a.op != "product" and measure.has_bar(a) and measure.width(a) > _SMALL]
    inside = [a.args[0] if a.op == "sincos" else a for a in node.args]
    excess = measure.width(node) - longest
    for part in sorted(inside, key=measure.width, reverse=True):
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
