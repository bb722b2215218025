"""What has been built of a machine so far, and how its entries are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from dalembert.bodies.inertia import Body
from dalembert.bodies.kinematics import GROUND, SPACE, Frame, Point
from dalembert.bodies.vectors import AXES, Vector
from dalembert.expr.graph import ZERO, Expr
from dalembert.model.faults import Path, quoted, suggestion
from dalembert.model.parts import Equation
from dalembert.model.reading import Place, Reader

_POSITION: Final = Place("a position", 0, remedy="positions are given by coordinates, parameters and time")
_LOAD: Final = Place("a force", 1, controls=True)
_ANGLE: Final = Place("an angle", 0)
_SIZE: Final = Place("a mass, a moment of inertia or a length", -1, time=False)


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
class Waiting:
    """A part that is built when what it needs has a place."""

    path: Path
    needs: tuple[Any, ...]
    build: Callable[[], None]


@dataclass
class Workshop:
    """The parts so far, by name; entries are read here, and what is wrong with them is noted."""

    reader: Reader
    frames: dict[str, Frame] = field(default_factory=lambda: {"ground": SPACE})
    points: dict[str, Point] = field(default_factory=lambda: {"ground": GROUND})
    bodies: dict[str, Body] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    constraints: dict[str, Equation] = field(default_factory=dict)
    holonomic: dict[str, Equation] = field(default_factory=dict)
    potential: dict[str, Expr] = field(default_factory=dict)
    """The potential energy of each force that has one."""
    loads: list[tuple[Expr, Expr]] = field(default_factory=list)
    """Forces with the velocities along which they act: their product is the power."""
    dissipation: list[Expr] = field(default_factory=list)
    """Rayleigh functions."""

    def has(self, name: Any) -> bool:
        """Say whether a part has a place; a joint is asked for as ``joint NAME``."""
        joint = isinstance(name, str) and name.removeprefix("joint ") in self.joints and name.startswith("joint ")
        return joint or name in self.frames or name in self.points

    def build(self, waiting: list[Waiting]) -> None:
        """Build parts, each when what it needs is there."""
        while waiting:
            ready = [one for one in waiting if all(map(self.has, one.needs))]
            for one in ready:
                one.build()
            waiting = [one for one in waiting if one not in ready]
            if not ready:
                for one in waiting:
                    missing = next(str(name) for name in one.needs if not self.has(name))
                    self.fault(one.path, f"'{missing}' has no place", "state a joint, a frame or a point of that name")
                return

    # -- single entries --------------------------------------------------------------------------------------
    def fault(self, path: Path, what: str, remedy: str = "") -> None:
        """Note what is wrong with an entry."""
        self.reader.faults.add(path, what, remedy)

    def expression(self, value: Any, path: Path, place: Place = _SIZE) -> Expr:
        """Return an expression; where it cannot be read, zero, and the fault is noted."""
        read = self.reader.expression(value, path, place)
        return ZERO if read is None else read

    def angle(self, value: Any, path: Path) -> Expr:
        """Return an angle."""
        return self.expression(value, path, _ANGLE)

    def vector(self, value: Any, path: Path, place: Place = _POSITION) -> Vector:
        """Return a vector of three expressions."""
        parts = self.reader.sequence(value, path)
        if len(parts) != 3:
            if parts:
                self.fault(path, f"a vector has 3 components, and this one has {len(parts)}", "write [x, y, z]")
            return ZERO, ZERO, ZERO
        x, y, z = (self.expression(part, path, place) for part in parts)
        return x, y, z

    def load(self, value: Any, path: Path) -> Vector:
        """Return a vector of forces or torques, which may depend on velocities and controls."""
        return self.vector(value, path, _LOAD)

    def scalar_load(self, value: Any, path: Path) -> Expr:
        """Return the size of a force, which may depend on velocities and controls."""
        return self.expression(value, path, _LOAD)

    def axis(self, value: Any, path: Path) -> Vector:
        """Return an axis: x, y or z, one of these with a minus, or a vector."""
        if isinstance(value, str):
            if value in AXES:
                return AXES[value]
            self.fault(path, f"{quoted(value)} is not an axis", f"write one of {', '.join(AXES)}, or a vector")
            return AXES["z"]
        return self.vector(value, path)

    # -- parts by name ---------------------------------------------------------------------------------------
    def frame(self, name: Any, path: Path) -> Frame:
        """Return a frame; that of a body has the name of the body."""
        found: Frame = self._known(name, self.frames, "frame", path, SPACE)
        return found

    def point(self, name: Any, path: Path) -> Point:
        """Return a point; that where a body begins has the name of the body."""
        found: Point = self._known(name, self.points, "point", path, GROUND)
        return found

    def body(self, name: Any, path: Path) -> Body | None:
        """Return a body."""
        found: Body | None = self._known(name, self.bodies, "body", path, None)
        return found

    def _known(self, name: Any, parts: Mapping[str, Any], what: str, path: Path, otherwise: Any) -> Any:
        if isinstance(name, str) and name in parts:
            return parts[name]
        said = quoted(name) if isinstance(name, str) else "this"
        near = suggestion(name, parts) if isinstance(name, str) else ""
        self.fault(path, f"{said} is not a {what} that is known here", near or "state one so")
        return otherwise

    def table(self, value: Any, path: Path, known: Sequence[str], needed: Sequence[str] = ()) -> Mapping[str, Any]:
        """Return a table with known keys, of which some must be there."""
        told = self.reader.table(value, path, known)
        for key in needed:
            if isinstance(value, Mapping) and key not in told:
                self.fault(path, f"'{key}' is missing", f"add {key} = ...")
        return told

    def entries(self, tables: Mapping[str, Any], name: str) -> list[tuple[str, Any, Path]]:
        """Return the named entries of a table."""
        told = tables.get(name, {})
        if not isinstance(told, Mapping):
            self.fault((name,), "entries here have names", f"write [{name}] and name = {{ ... }}")
            return []
        return self.reader.entries(told, (name,), name)
