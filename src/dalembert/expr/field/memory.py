"""What a task has computed before: it is not computed again, and costs what it did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from dalembert.expr.field.meter import Meter

T = TypeVar("T")


class Memory:
    """What was computed before, by its key; it costs what it first did, so that memory changes no answer.

    >>> meter = Meter(10)
    >>> memory = Memory(meter)
    >>> [memory(5, lambda: meter.charge(3)) for _ in range(2)], meter.spent
    ([None, None], 6.0)
    """

    __slots__ = ("_known", "meter")

    def __init__(self, meter: Meter | None) -> None:
        self.meter = meter
        self._known: dict[Any, tuple[Any, float]] = {}

    def __call__(self, key: Any, compute: Callable[..., T], *arguments: Any) -> T:
        """Return what a function makes of some arguments, for which the key stands."""
        known, meter = self._known.get(key), self.meter
        if known is None:
            began = meter.spent if meter else 0.0
            value = compute(*arguments)
            self._known[key] = value, meter.spent - began if meter else 0.0
            return value
        if meter:
            meter.charge(known[1])
        return cast("T", known[0])
