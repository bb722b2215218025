"""Coordinates that are points of a sphere: rotations, by unit quaternions, and directions, by unit vectors.

``R = "rotation"`` declares the components ``R.q0`` to ``R.q3``, scalar first, body to space, and names for what they
make: the entries ``R.m11`` to ``R.m33`` of the matrix, its columns ``R.e1x`` to ``R.e3z``, the angular velocities
``R.w1`` to ``R.w3`` in the body and ``R.s1`` to ``R.s3`` in space. ``n = "direction"`` declares ``n.x``, ``n.y`` and
``n.z``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from dalembert.bodies.vectors import cross, dot
from dalembert.errors import EvaluationError
from dalembert.expr.calculus import time_derivative
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.geometry import quaternions
from dalembert.geometry.quaternions import quaternion_rates
from dalembert.model.parts import Equation
from dalembert.records import dataclass

KINDS: Final[Mapping[str, tuple[str, ...]]] = {"rotation": ("q0", "q1", "q2", "q3"), "direction": ("x", "y", "z")}
"""The components of each kind."""
_ROUNDING: Final = 1e-6
"""What a length may differ from 1 by: digits that somebody typed."""


@dataclass(frozen=True)
class Point:
    """A coordinate that is a point of a sphere.

    >>> body = Point("R", "rotation")
    >>> body.components
    (R.q0, R.q1, R.q2, R.q3)
    >>> body.entries["R.m12"], list(body.speeds)
    (2*R.q1*R.q2 - 2*R.q0*R.q3, [R.w1, R.w2, R.w3, R.s1, R.s2, R.s3])
    """

    name: str
    kind: str

    @cached_property
    def components(self) -> tuple[Expr, ...]:
        """The coordinates whose squares add up to 1."""
        return tuple(self._named(part) for part in KINDS[self.kind])

    @property
    def is_rotation(self) -> bool:
        """Whether it is a rotation, and not a direction."""
        return self.kind == "rotation"

    @property
    def relation(self) -> str:
        """The name of the constraint that its length is 1."""
        return f"unit {self.name}"

    @cached_property
    def unit(self) -> Equation:
        """That its length is 1."""
        return Equation(total([(1, q**2) for q in self.components]), ONE)

    @cached_property
    def rows(self) -> list[list[Expr]]:
        """The matrix of a rotation."""
        return quaternions.matrix(self.components)

    @cached_property
    def entries(self) -> dict[str, Expr]:
        """The entries of the matrix of a rotation by name; a direction has none."""
        if not self.is_rotation:
            return {}
        return {f"{self.name}.m{i}{j}": e for i, row in enumerate(self.rows, 1) for j, e in enumerate(row, 1)}

    @cached_property
    def columns(self) -> dict[str, Expr]:
        """The same entries as components of the axes of the body."""
        return {f"{self.name}.e{key[-1]}{'xyz'[int(key[-2]) - 1]}": e for key, e in self.entries.items()}

    @cached_property
    def speeds(self) -> dict[Expr, Expr]:
        """The angular velocities of a rotation in the body, then in space: what each is; a direction has none."""
        return {**self.body, **self.space}

    @cached_property
    def body(self) -> dict[Expr, Expr]:
        """The angular velocities in the body."""
        return self._rates("w", quaternions.body_rates)

    @cached_property
    def space(self) -> dict[Expr, Expr]:
        """The angular velocities in space."""
        return self._rates("s", quaternions.space_rates)

    def rates_by(self, rows: Sequence[Sequence[Expr]], body: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return what the velocities of a rotation, each as a whole, are by the angular velocities in the body.

        ``rows`` is what the matrix is called; the angular velocities in space and the rates of entries are by these.
        """
        found = dict(zip((q.dot for q in self.components), quaternion_rates(self.components, body), strict=True))
        found |= zip(self.body.values(), body, strict=True)
        found |= zip(self.space.values(), [dot(row, body) for row in rows], strict=True)
        for row, moved in zip(rows, self._entry_rates, strict=True):
            found |= zip(moved, cross((row[0], row[1], row[2]), (body[0], body[1], body[2])), strict=True)
        return found

    @cached_property
    def _entry_rates(self) -> list[list[Expr]]:
        """The rates of the entries, by components and their velocities."""
        return [[time_derivative(e) for e in row] for row in self.rows]

    @property
    def pole(self) -> Expr:
        """The component that is 1 where nothing is said: no rotation, or the direction z."""
        return self.components[0 if self.is_rotation else -1]

    def completed(self, given: Mapping[Expr, float]) -> dict[Expr, float]:
        """Return values of all components, of which some are given: others are zero, but for what length 1 asks for.

        >>> body = Point("R", "rotation")
        >>> body.completed({}), body.completed({body.components[1]: 0.6})
        ({R.q0: 1.0, R.q1: 0.0, R.q2: 0.0, R.q3: 0.0}, {R.q0: 0.8, R.q1: 0.6, R.q2: 0.0, R.q3: 0.0})
        """
        rest = 1.0 - sum(value**2 for value in given.values())
        found = {q: given.get(q, 0.0) for q in self.components}
        if self.pole not in given and rest >= -_ROUNDING:
            return found | {self.pole: math.sqrt(max(rest, 0.0))}
        if abs(rest) > _ROUNDING:
            names = ", ".join(q.data.name for q in self.components)
            what = f"the squares of {names} add up to {1.0 - rest:.9g} and not to 1, as those of a {self.kind} do"
            raise EvaluationError(f"{what}; give all of them, or none that are not known.")
        length = math.sqrt(1.0 - rest)
        return {q: value / length for q, value in found.items()}

    def _rates(self, letter: str, rule: quaternions.Rates) -> dict[Expr, Expr]:
        if not self.is_rotation:
            return {}
        rates = rule(self.components, [q.dot for q in self.components])
        return {self._named(f"{letter}{a}"): rate for a, rate in enumerate(rates, 1)}

    def _named(self, part: str) -> Expr:
        return symbol(Symbol(f"{self.name}.{part}"))

    @property
    def words(self) -> dict[str, Expr]:
        """All that its names stand for, but for the components themselves."""
        speeds = {one.data.name: rate for one, rate in self.speeds.items()}
        return {**self.entries, **self.columns, **speeds}
