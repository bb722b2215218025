"""What is varied: a grid ``m=1:2:50``, a list ``x'=0.1,0.2``, or a seeded sample ``J~uniform(0.1, 1)``."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from dalembert.errors import DalembertError, ExpressionError
from dalembert.model.trajectory import Array
from dalembert.numerics.specialise import number_of
from dalembert.records import dataclass

Kind: TypeAlias = Literal["grid", "list", "uniform", "normal"]

_BLOCK = 1024
"""Samples are drawn in blocks of this many, each from a counter of its own: any of them without those before it."""
_MOST = 10_000_000
"""Values of one grid, which are kept together; members of a sweep are not."""
_HOW = "write name=first:last:count, name=1,2,5 or name~uniform(a, b) or name~normal(mean, deviation)"


@dataclass(frozen=True, slots=True)
class Axis:
    """One thing that is varied, and the values that it takes."""

    name: str
    kind: Kind
    numbers: tuple[float, ...]
    """First, last and count of a grid; the values of a list; the two numbers of a distribution."""

    @property
    def sampled(self) -> bool:
        """Whether its values are drawn."""
        return self.kind in {"uniform", "normal"}

    @property
    def text(self) -> str:
        """What states it, one text for each meaning.

        >>> read_axis("m = 1 : 2 : 3").text
        'm=1.0:2.0:3'
        """
        if self.kind == "grid":
            first, last, count = self.numbers
            return f"{self.name}={first!r}:{last!r}:{int(count)}"
        listed = ",".join(repr(number) for number in self.numbers)
        return f"{self.name}~{self.kind}({listed})" if self.sampled else f"{self.name}={listed}"

    @property
    def values(self) -> Array:
        """The values of a grid or a list.

        >>> read_axis("m=1:2:3").values
        array([1. , 1.5, 2. ])
        """
        if self.kind == "grid":
            first, last, count = self.numbers
            return np.linspace(first, last, int(count))
        return np.array(self.numbers)

    def draw(self, seed: int, first: int, last: int) -> Array:
        """Return the samples from ``first`` up to ``last``: each depends on seed, name and place alone.

        >>> axis = read_axis("J~uniform(0, 1)")
        >>> bool((axis.draw(7, 1000, 1100) == axis.draw(7, 0, 5000)[1000:1100]).all())
        True
        """
        key = int.from_bytes(hashlib.sha256(f"{seed} {self.name}".encode()).digest()[:16], "big")
        blocks = range(first // _BLOCK, -(-last // _BLOCK))
        parts = [self._block(np.random.Generator(np.random.Philox(key=key, counter=[0, 0, 0, k]))) for k in blocks]
        drawn = np.concatenate([np.zeros(0), *parts])
        offset = blocks.start * _BLOCK
        return drawn[first - offset : last - offset]

    def _block(self, random: np.random.Generator) -> Array:
        low, high = self.numbers
        return random.uniform(low, high, _BLOCK) if self.kind == "uniform" else random.normal(low, high, _BLOCK)


def read_axis(text: str) -> Axis:
    """Return the axis that a text states.

    >>> read_axis("x'=0.1, 0.2")
    Axis(name="x'", kind='list', numbers=(0.1, 0.2))
    >>> read_axis("m=1:2")
    Traceback (most recent call last):
    dalembert.errors.ExpressionError: a grid is written first:last:count, not 'm=1:2'.
    """
    match = re.fullmatch(r"\s*([^=~]+?)\s*([=~])\s*(.+?)\s*", text)
    if match is None:
        raise ExpressionError(f"'{text}' does not say what is varied; {_HOW}.")
    name, sign, values = match.groups()
    return _sampled(name, values, text) if sign == "~" else _fixed(name, values, text)


def read_axes(given: Mapping[str, Any] | Iterable[str | Axis]) -> tuple[Axis, ...]:
    """Return axes from texts, or from a table by name of texts and of sequences of numbers; no name twice.

    >>> [axis.text for axis in read_axes({"m": [1, 2], "J": "~uniform(0, 1)", "x": "0:1:5"})]
    ['m=1.0,2.0', 'J~uniform(0.0,1.0)', 'x=0.0:1.0:5']
    """
    if isinstance(given, Mapping):
        axes = tuple(_from_table(str(name), what) for name, what in given.items())
    else:
        axes = tuple(a if isinstance(a, Axis) else read_axis(a) for a in ([given] if isinstance(given, str) else given))
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ExpressionError(f"{twice} is varied twice; give it one axis.")
    return axes


def _from_table(name: str, what: Any) -> Axis:
    if isinstance(what, str):
        return read_axis(f"{name}{what}" if what.lstrip().startswith("~") else f"{name}={what}")
    if isinstance(what, Sequence | np.ndarray) and len(what):
        return _checked(Axis(name, "list", tuple(number_of(number) for number in what)))
    raise ExpressionError(f"the values of {name} must be a text or a list of numbers, not {what!r}.")


def _fixed(name: str, values: str, text: str) -> Axis:
    if ":" not in values:
        return _checked(Axis(name, "list", tuple(_number(part, text) for part in values.split(","))))
    parts = values.split(":")
    if len(parts) != 3:
        raise ExpressionError(f"a grid is written first:last:count, not '{text}'.")
    first, last, count = (_number(part, text) for part in parts)
    if not (1 <= count < math.inf and count == int(count)):
        raise ExpressionError(f"the count of the grid '{text}' must be a whole number of at least 1.")
    if count > _MOST:
        raise ExpressionError(f"the grid '{text}' has more than {_MOST} values; vary more names, or draw samples.")
    if count == 1 and first != last:
        raise ExpressionError(f"the grid '{text}' has two ends, so its count must be at least 2; or give one number.")
    return _checked(Axis(name, "grid", (first, last, count)))


def _sampled(name: str, values: str, text: str) -> Axis:
    match = re.fullmatch(r"(uniform|normal)\s*\(([^,]+),([^,]+)\)", values)
    if match is None:
        raise ExpressionError(f"'{text}' is not a distribution; write {name}~uniform(a, b) or {name}~normal(m, s).")
    kind: Kind = "uniform" if match[1] == "uniform" else "normal"
    low, high = _number(match[2], text), _number(match[3], text)
    if kind == "uniform" and not low < high:
        raise ExpressionError(f"in '{text}' the first number must be less than the second.")
    if kind == "normal" and not high > 0:
        raise ExpressionError(f"in '{text}' the deviation must be positive.")
    return _checked(Axis(name, kind, (low, high)))


def _number(part: str, text: str) -> float:
    try:
        return number_of(part.strip())
    except DalembertError:
        raise ExpressionError(f"'{part.strip()}' in '{text}' is not a number; {_HOW}.") from None


def _checked(axis: Axis) -> Axis:
    if not all(math.isfinite(number) for number in axis.numbers):
        raise ExpressionError(f"the values of {axis.name} are not all finite.")
    if not axis.sampled and len(np.unique(axis.values)) < len(axis.values):
        raise ExpressionError(f"{axis.name} takes the same value twice in '{axis.text}'.")
    return axis
