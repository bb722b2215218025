"""Sums and products put together so that what is known last is waited for least.

Along a chain of links one value is made from the one before it. If that is added first, all that is added behind it is
waited for once more for every link; added last, the rest is done while it is still on its way. A sum or product takes
as many operations in any order. When values are known is told by the expressions of a function alone, so that an
evaluation has the same bits in one lane and in eight. Machine code and source code are both put together so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heapreplace
from typing import Final, Generic, NamedTuple, TypeVar

from dalembert.expr.graph import Expr

OPERATION: Final = 4
"""Cycles of a sum or a product,"""
DIVISION: Final = 14
"""of a division or a root,"""
FUNCTION: Final = 40
"""and of a sine with its cosine, or another function."""


Value = TypeVar("Value")
"""What a value is called: by LLVM, or as source text."""


class Part(NamedTuple, Generic[Value]):
    """A term or factor, and when it is known if nothing but its own chain is waited for."""

    known: int
    value: Value
    minus: bool = False
    """Whether it is taken away."""
    fused: bool = False
    """Whether it is a product that becomes one operation with the sum: that takes no longer than the product alone."""


class Known(dict[Expr, int]):
    """When the values of a graph are known, in cycles, where that is not at once."""

    def of(self, node: Expr) -> int:
        """Return when a value is known, if nothing but its own chain is waited for."""
        return self.get(node.args[0] if node.op == "pick" else node, 0)

    def slow(self, node: Expr) -> None:
        """Note when a function is known, or the solution of a linear system."""
        self[node] = FUNCTION + max(map(self.of, node.args), default=0)


def late_last(
    parts: Sequence[Part[Value]],
    plus: Callable[[Value, Value], Value],
    less: Callable[[Value, Value], Value] | None = None,
) -> Part[Value]:
    """Return what two operations make of some parts, those first that are known first; what is taken away may remain.

    The later of two that are added is named first: of two products it becomes one operation with the sum.

    >>> texts = {"plus": lambda a, b: f"({a} + {b})", "less": lambda a, b: f"({a} - {b})"}
    >>> late_last([Part(40, "late"), Part(0, "a"), Part(0, "b", minus=True), Part(8, "c")], **texts)
    Part(known=44, value='(late + (c + (a - b)))', minus=False, fused=False)
    """
    row = [(part.known, place, part) for place, part in enumerate(parts)]
    heapify(row)
    for place in range(len(row), 2 * len(row) - 1):
        _, _, early = heappop(row)
        _, _, late = row[0]
        if early.minus == late.minus or less is None:
            value = plus(late.value, early.value)
        elif late.minus:
            value = less(early.value, late.value)
        else:
            value = less(late.value, early.value)
        known = max(early.known, late.known - OPERATION * late.fused) + OPERATION
        heapreplace(row, (known, place, Part(known, value, early.minus and late.minus)))
    return row[0][2]
