"""Where stability changes along a family: zeros of what decides it, found as numbers.

With lambda^f split off the characteristic polynomial, f being the dimension of the family, an eigenvalue passes through
0 where the constant coefficient does, and a pair through the imaginary axis where the last but one of Hurwitz'
determinants does; where the polynomial is one in lambda^2, pairs meet where its discriminant vanishes.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.analysis.steady.exact_thresholds import AlgebraicNumber
from dalembert.analysis.steady.linear_part import linear_part
from dalembert.analysis.steady.search import Held, Label, Point, at_value, freedom
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.truth import Verdict
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_EVEN = 1e-7
EVENTS = ("an eigenvalue passes through 0", "a pair of eigenvalues passes through the imaginary axis")


_SEEN = Verdict("measured", "what decides stability changes its sign between neighbouring motions.")


@dataclass(frozen=True, slots=True)
class Threshold:
    """A value of the label at which the number of growing modes changes."""

    value: float
    before: int
    """How many eigenvalues have positive real parts below it."""
    after: int
    kind: int
    """Which of ``EVENTS`` happens there."""
    verdict: Verdict = _SEEN
    ball: Any = None
    """Where it is decided: a ball that holds it."""
    exact: AlgebraicNumber | None = None
    """Where it is shown to be one."""

    @property
    def what(self) -> str:
        """What happens there."""
        return EVENTS[self.kind]


def thresholds(field: SteadyField, held: Held, label: Label, points: Sequence[Point | None]) -> tuple[Threshold, ...]:
    """Return the values between neighbouring points where modes begin or cease to grow."""
    found = []
    known = [p for p in points if p is not None]
    families = [freedom(field, p, Held()) for p in known]
    matrices = [linear_part(field, p).matrix for p in known]
    for k, (one, other) in enumerate(pairwise(known)):
        zeros = min(families[k : k + 2])  # at the threshold itself it may be more
        sides = [_deciding(matrix, zeros) for matrix in matrices[k : k + 2]]
        for index in range(len(EVENTS)):
            ends = [side[index] for side in sides]
            if ends[0] * ends[1] < 0:
                span = label.value(field, one), label.value(field, other)
                value = _root(field, held, label, one, span, ends, (index, zeros))
                counts = _growing(matrices[k]), _growing(matrices[k + 1])
                if value is not None and counts[0] != counts[1]:
                    found.append(Threshold(value, *counts, index))
    return tuple(sorted(found, key=lambda one: one.value))


def _growing(matrix: Array) -> int:
    values = np.linalg.eigvals(matrix) if matrix.size else np.zeros(0)
    return int(np.sum(values.real > 1e-7 * max(1.0, float(np.abs(values).max(initial=0.0)))))


def _deciding(matrix: Array, zeros: int) -> tuple[float, float]:
    """Return the constant coefficient, and what vanishes where a pair leaves the imaginary axis."""
    high: Array = np.asarray(np.poly(matrix), dtype=np.float64) if matrix.size else np.ones(1)
    high = high[: len(high) - zeros] if zeros else high
    degree = len(high) - 1
    if degree < 1:
        return 1.0, 1.0
    scale = max(1.0, float(np.abs(high).max()))
    if degree % 2 == 0 and float(np.abs(high[1::2]).max(initial=0.0)) < _EVEN * scale:
        return float(high[-1]), _discriminant(high[::2])
    return float(high[-1]), _hurwitz(high, degree - 1)


def _hurwitz(high: Array, size: int) -> float:
    degree = len(high) - 1
    rows = [[high[2 * j - i + 1] if 0 <= 2 * j - i + 1 <= degree else 0.0 for j in range(size)] for i in range(size)]
    return float(np.linalg.det(np.array(rows))) if size else 1.0


def _discriminant(high: Array) -> float:
    roots = np.roots(high)
    pairs = [roots[i] - roots[j] for i in range(len(roots)) for j in range(i)]
    return float(np.real(np.prod(np.array(pairs) ** 2))) if pairs else 1.0


def _root(
    field: SteadyField,
    held: Held,
    label: Label,
    near: Point,
    span: tuple[float, float],
    ends: Sequence[float],
    which: tuple[int, int],
) -> float | None:
    """Return the zero between two values of the label, by the method of Illinois."""
    (a, b), (fa, fb) = span, ends
    for _ in range(200):
        value = (a * fb - b * fa) / (fb - fa)
        point = at_value(field, near, held, label, value)
        if point is None:
            return None
        f = _deciding(linear_part(field, point).matrix, which[1])[which[0]]
        if f == 0 or abs(b - a) < 4e-16 * (1 + abs(value)):
            return value
        if f * fb < 0:
            a, fa = b, fb
        else:
            fa /= 2
        if abs(value - b) < 2e-16 * (1 + abs(value)):
            return value
        b, fb = value, f
    return b
