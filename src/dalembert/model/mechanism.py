"""What a system that is stated by its parts knows of them: its joints, and which part each constraint comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dalembert.expr.graph import Expr
from dalembert.model.faults import Path
from dalembert.model.table import Table


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


@dataclass(frozen=True, slots=True)
class Mechanism:
    """The parts that a system was made of."""

    bodies: tuple[str, ...] = ()
    joints: Mapping[str, Joint] = field(default_factory=Table)
    owners: Mapping[str, Path] = field(default_factory=Table)
    """The part that each constraint comes from: its table and its name."""

    def said(self, constraint: str) -> str:
        """Return the part that a constraint comes from, in words; nothing where it comes from none.

        >>> Mechanism(owners={"knee closes 1": ("joints", "knee")}).said("knee closes 1")
        "joint 'knee'"
        """
        owner = self.owners.get(constraint)
        return "" if owner is None else f"{owner[0].removesuffix('s')} '{owner[1]}'"
