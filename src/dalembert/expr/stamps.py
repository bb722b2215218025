"""Numbers that tell what a node holds apart, the same in every process: sums and products are ordered by them."""

from __future__ import annotations

from typing import Any

from dalembert.expr.exact import Number

__all__ = ["stamp_of", "told_apart"]


def stamp_of(op: str, data: Any) -> int:
    """Return a number for the data that does not depend on the process (numbers and tuples of them hash so)."""
    match op:  # what there is most of comes first
        case "product":
            return hash(told_apart(data))
        case "sum":
            return hash((told_apart((data[0],)), told_apart(data[1])))
        case "symbol":
            return int(data.stamp)
        case "jet":
            return hash((data[0].stamp, data[1]))
        case "call":
            return int.from_bytes(data.encode(), "big")
        case "number":
            return hash(told_apart((data,)))
        case _:
            return data or 0


def told_apart(numbers: tuple[Number, ...]) -> tuple[Number, ...]:
    """Return numbers whose hashes differ where the numbers do: Python gives -1 and -2 the same one."""
    return tuple([0x9E3779B97F4A7C1 if n == -1 else n for n in numbers]) if -1 in numbers else numbers
