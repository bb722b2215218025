"""What a start has to meet, as numbers: values of expressions and their Jacobians by what is free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.numerics.tape import Tape

__all__ = ["Rows", "Wish"]


@dataclass(frozen=True, slots=True)
class Wish:
    """Something that should have the value given under its key, or be zero where it has none."""

    label: str
    expression: Expr
    key: Expr | str | None = None
    residual: bool = False
    """Whether it is the residual of an implicit unknown."""


class Rows:
    """Groups of wishes, read together: what they share is computed once."""

    def __init__(self, groups: Sequence[Sequence[Wish]], free: Sequence[Expr], inputs: Sequence[Expr]) -> None:
        roots = [wish.expression for group in groups for wish in group]
        slopes = jacobian(roots, free) if roots and free else []
        self._tape = Tape([*roots, *(entry for row in slopes for entry in row)], inputs)
        self._shape = (len(roots), len(free))
        ends = [0, *np.cumsum([len(group) for group in groups]).tolist()]
        self._parts = [slice(a, b) for a, b in pairwise(ends)]

    def __call__(self, point: Sequence[float]) -> list[tuple[Array, Array]]:
        """Return values and Jacobian of each group; what does not exist is not a number."""
        found = np.array(self._tape(point), dtype=np.float64)
        rows = self._shape[0]
        values, slopes = found[:rows], found[rows:].reshape(self._shape)
        return [(values[part], slopes[part]) for part in self._parts]
