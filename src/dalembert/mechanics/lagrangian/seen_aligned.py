"""Systems in which one generator turns bodies on different sides, or about different axes, stated so that it does not.

With a constant rotation P that takes e_b to -e_a, N = P S^T is turned about an axis a of space where S is turned about
its own axis b:

    S -> S exp(t e_b)    is    N -> exp(t e_a) N,        S = N^T P,    S.w = -P^T N.s,

and with one that takes e_b to e_a so is N = P S where S is turned about an axis b of space. A body and a rotor on the
other side of a gear are so turned alike, and one is seen from the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dalembert.expr.graph import ONE, ZERO, Expr, number
from dalembert.expr.walk import substitute
from dalembert.mechanics.lagrangian.body_axes import Axes, axes_of, inverse_of, moved_axis, one_in_other
from dalembert.mechanics.lagrangian.seen_from_body import Restatement, SeenFromBody, seen_from_bodies, taken_names
from dalembert.mechanics.lagrangian.turned_together import Eyes
from dalembert.model.kinds import Point
from dalembert.model.parts import Generator
from dalembert.model.system import System

_Turn = tuple[str, int]


def seen_aligned(
    system: System, generators: Iterable[str], *, pairs: bool = False, eyes: Eyes = "rotations"
) -> SeenFromBody | None:
    """Return a system as bodies see it that a generator turns on different sides; None where there are none.

    >>> pair = System.of(name="pair", coordinates={"R": "rotation", "S": "rotation"},
    ...     lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + S.w1^2 + S.w2^2 + 2*S.w3^2)/2 - R.m33*S.m33",
    ...     symmetry={"gear": {"R": "left 3", "S": "right 3"}})
    >>> seen = seen_aligned(pair, pair.symmetry)
    >>> list(seen.system.kinds), seen.system.symmetry["gear"].turns
    (['R', 'S_aligned_in_R'], {'R': ('left', 3)})
    """
    fields = {name: system.symmetry[name] for name in generators}
    wanted = _to_align(system, fields)
    if not wanted:
        return None
    aligned = _Aligned(system, fields, wanted).found()
    seen = seen_from_bodies(aligned.system, fields, pairs=pairs, eyes=eyes)
    if seen is None:
        return aligned
    told = substitute(list(aligned.configuration.values()), dict(seen.configuration))
    left = {q: e for q, e in seen.configuration.items() if q in system.q}
    return SeenFromBody(seen.system, dict(zip(aligned.configuration, told, strict=True)) | left, seen.carried)


def _to_align(system: System, fields: Mapping[str, Generator]) -> dict[str, tuple[_Turn, int]]:
    """Return rotations that are turned otherwise than the first one with them: how, and about which axis that is."""
    rotations = [point.name for point in system.points if point.is_rotation]
    ways = {name: {one.turns[name] for one in fields.values() if name in one.turns} for name in rotations}
    found: dict[str, tuple[_Turn, int]] = {}
    for one in fields.values():
        turns = {name: one.turns[name] for name in rotations if name in one.turns}
        if len(turns) < 2:
            continue
        # those that are turned about several axes stay as they are, and give the axis; else one of space does
        on_left = {name: axis for name, (side, axis) in turns.items() if side == "left"}
        several = [axis for name, axis in on_left.items() if len(ways[name]) > 1]
        axis = (several or [*on_left.values(), *(axis for _, axis in turns.values())])[0]
        others = {name: turn for name, turn in turns.items() if turn != ("left", axis)}
        if any(len(ways[name]) > 1 or found.get(name, (turn, axis)) != (turn, axis) for name, turn in others.items()):
            return {}
        found |= {name: (turn, axis) for name, turn in others.items()}
    return found


def _constant(own: int, axis: int, *, opposite: bool) -> Axes:
    """Return the rotation P that takes one axis to another, or to its opposite."""
    moved = moved_axis(own, axis)
    if not opposite:
        return moved
    k = axis % 3  # an axis beside it, about which a half turn takes it to its opposite
    rows = tuple(tuple((ONE if i == k else number(-1)) if i == j else ZERO for j in range(3)) for i in range(3))
    quaternion = (ZERO, *(ONE if i == k else ZERO for i in range(3)))
    return one_in_other(Axes("", rows, rows, (ZERO,) * 3, quaternion, {}), moved)


class _Aligned(Restatement):
    """A statement by rotations that are turned alike."""

    def __init__(
        self, system: System, fields: Mapping[str, Generator], wanted: Mapping[str, tuple[_Turn, int]]
    ) -> None:
        self.wanted = wanted
        super().__init__(system, fields, (), taken_names(system), {})

    def _restate(self) -> None:
        for old in self.frame.rotations:
            if old.name not in self.wanted:
                continue
            (side, own), axis = self.wanted[old.name]
            new = Point(self._renamed(old.name, f"{old.name}_aligned"), "rotation")
            self._noted(new)
            turned = _constant(own, axis, opposite=side == "right")
            if side == "right":
                self._attitude(old, one_in_other(inverse_of(axes_of(new)), turned))
            else:
                self._attitude(old, one_in_other(inverse_of(turned), axes_of(new)))

    def _generator(self, place: int, generator: Generator) -> dict[str, Expr | str]:
        found: dict[str, Expr | str] = {}
        for name, (side, axis) in generator.turns.items():
            now = f"left {self.wanted[name][1]}" if name in self.wanted else f"{side} {axis}"
            found[self.names.get(name, name)] = now
        round_ = {q for point in self.system.points for q in point.components}
        return found | {q.data.label: e for q, e in generator.components.items() if q not in round_}
