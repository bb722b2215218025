"""What a system that is stated by its parts knows of them: its joints, and which part each constraint comes from.

Mobility is what is left to them; ``mobility`` finds it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from dalembert.expr.graph import Expr
from dalembert.model.faults import Path
from dalembert.model.table import Table
from dalembert.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint between two bodies."""

    kind: str
    parent: str
    child: str
    coordinates: tuple[Expr, ...]
    """Those that it brings along, rotations left out; none where it closes a loop."""
    forbids: int = 0
    """How many motions it forbids where it closes a loop."""
    closes: tuple[str, ...] = ()
    """The constraints by which it does so; of what it forbids some may hold by themselves."""
    turning: Expr | None = None
    """How fast it turns about its axis where it closes a loop."""

    @property
    def rate(self) -> Expr | None:
        """How fast it moves, where that is one number: the rate of its coordinate, or of its turning."""
        if self.turning is not None:
            return self.turning
        return self.coordinates[0].dot if len(self.coordinates) == 1 else None


_RATE: Final = "rate of "
_LITTLE: Final = 1e-3
_OPEN: Final = "closes a loop that cannot be assembled at the start: it is open by {:.3g}"
_AWAY: Final = "does not touch at the start: the gap is {:.3g}"
_PULLED: Final = "is pulled apart by the velocities at the start: by {:.3g}"


@dataclass(frozen=True, slots=True)
class Shape:
    """What is drawn of a part."""

    kind: Literal["line", "ellipse", "disc", "sphere", "cylinder", "box", "dot"]
    vectors: tuple[tuple[Expr, Expr, Expr], ...]
    """In space: corners of a line; centre and two half axes, or three of a box, a sphere and a cylinder, whose
    last goes along it; the place of a dot."""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The parts that a system was made of."""

    bodies: tuple[str, ...] = ()
    joints: Mapping[str, Joint] = field(default_factory=Table)
    owners: Mapping[str, Path] = field(default_factory=Table)
    """The part that each constraint comes from: its table and its name."""
    shapes: tuple[Shape, ...] = ()
    floor: int = 0
    """Whether something touches the plane z = 0: 1 from above, -1 from below, where z points down."""
    names: Mapping[str, Expr] = field(default_factory=Table)
    """Places, velocities, axes and energies of parts, each by the name of the part behind a point."""
    by_neighbours: Expr | None = None
    """The Lagrangian with velocities in the axes of bodies, each by the one before it; None where axes of bodies are
    no products of several turns."""

    def said(self, constraint: str) -> str:
        """Return the part that a constraint comes from, in words; nothing where it comes from none.

        >>> Mechanism(owners={"knee closes 1": ("joints", "knee")}).said("knee closes 1")
        "joint 'knee'"
        """
        owner = self.owners.get(constraint.removeprefix(_RATE))
        return "" if owner is None else f"{owner[0].removesuffix('s')} '{owner[1]}'"

    def apart(self, residuals: Mapping[str, float]) -> list[str]:
        """Return what is wrong with a start, part by part, from the residuals of constraints; others are passed over.

        Parts that are apart by very little beside the worst are so because a search for a start stopped before its end.

        >>> Mechanism(owners={"rear touches": ("contacts", "rear")}).apart({"rear touches": -0.03})
        ["contact 'rear' does not touch at the start: the gap is 0.03"]
        """
        largest: dict[tuple[str, str], float] = {}
        for name, residual in residuals.items():
            part = self.said(name)
            if part:
                kind = self._said_of(name)
                largest[part, kind] = max(largest.get((part, kind), 0.0), abs(residual))
        still = {part for part, kind in largest if kind != _PULLED}
        worst = {kind: max(size for (_, k), size in largest.items() if k == kind) for _, kind in largest}
        return [
            f"{part} {kind.format(size)}"
            for (part, kind), size in largest.items()
            if size >= _LITTLE * worst[kind] and (kind != _PULLED or part not in still)
        ]

    def _said_of(self, constraint: str) -> str:
        if constraint.startswith(_RATE):
            return _PULLED
        table, name = self.owners[constraint]
        if table == "joints":
            return _OPEN if name in self.joints else "does not mesh at the start: it is off by {:.3g}"
        ending = constraint.removeprefix(name).strip()
        return _AWAY if ending == "touches" else "slips at the start: by {:.3g}"


@dataclass(frozen=True, slots=True)
class Mobility:
    """The degrees of freedom of a mechanism."""

    placed: int
    """Of its bodies, before loops are closed."""
    forbidden: Mapping[str, int] = field(default_factory=dict)
    """How many each part forbids."""
    idle: Mapping[str, int] = field(default_factory=dict)
    """How much of that holds by itself, as across a plane mechanism."""
    repeated: Mapping[str, int] = field(default_factory=dict)
    """How much of it repeats what other parts forbid."""
    freedoms: int | None = None
    """What is left; None where that was not to be found."""
    points: int = 0
    """At how many positions that was found; 0 where it holds at generic ones."""
    rolling: int = 0
    """How many constraints on velocities there are beside those on positions: rolling, blades."""

    @property
    def gruebler(self) -> int:
        """Gruebler's count."""
        return self.placed - sum(self.forbidden.values())

    def __str__(self) -> str:
        """Say both counts, why they differ, and what holds velocities."""
        if not self.rolling:
            return self._positions
        held = "a constraint" if self.rolling == 1 else f"{self.rolling} constraints"
        return f"{self._positions}; {held} on velocities beside that"

    @property
    def _positions(self) -> str:
        if not self.forbidden:
            return f"{_degrees(self.placed)}, and no loops"
        taken = " - ".join(map(str, (self.placed, *self.forbidden.values())))
        parts = ", ".join(f"{part} forbids {count}" for part, count in self.forbidden.items())
        counted = f"Gruebler counts {taken} = {_degrees(self.gruebler)} ({parts})"
        if self.freedoms is None:
            return f"{counted}; how many there are was not found"
        where = f" at {self.points} positions found" if self.points else ""
        if self.freedoms == self.gruebler:
            return f"{counted}; the mechanism has {self.freedoms}{where}"
        idle = [f"{count} of {part} {_verb(count, 'hold')} by {_own(count)}" for part, count in self.idle.items()]
        again = [f"{count} of {part} {_verb(count, 'repeat')} others" for part, count in self.repeated.items()]
        return f"{counted}; the mechanism has {self.freedoms}{where}: {', '.join([*idle, *again])}"


def _degrees(count: int) -> str:
    return f"{count} degree{'' if count == 1 else 's'} of freedom"


def _verb(count: int, word: str) -> str:
    return f"{word}s" if count == 1 else word


def _own(count: int) -> str:
    return "itself" if count == 1 else "themselves"
