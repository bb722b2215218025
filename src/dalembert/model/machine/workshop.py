"""What has been built of a machine so far, and how its entries are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dalembert.bodies.inertia import Body
from dalembert.bodies.kinematics import GROUND, SPACE, Frame, Point
from dalembert.bodies.vectors import AXES, Vector, dot
from dalembert.errors import DalembertError, kind_of
from dalembert.expr.graph import ONE, ZERO, Constant, Expr, number
from dalembert.expr.readers import Floats
from dalembert.expr.truth import vanish
from dalembert.expr.vocabulary import fault_of_name
from dalembert.expr.walk import evaluate, substitute
from dalembert.model.faults import Path, quoted, suggestion
from dalembert.model.mechanism import Joint
from dalembert.model.parts import Equation
from dalembert.model.reading import Place, Reader
from dalembert.records import dataclass, field

_POSITION: Final = Place("a position", 0, remedy="positions are given by coordinates, parameters and time")
_LOAD: Final = Place("a force", 1, controls=True, multipliers=True)
_ANGLE: Final = Place("an angle", 0)
_SIZE: Final = Place("a mass, a moment of inertia or a length", -1, time=False)
_AXIS: Final = Place("an axis", -1, time=False, remedy="an axis stands still in its frame; turn the frame")
_WHOLE_TURN: Final = 6.2832
_TABLES: Final = {"point": "points", "frame": "frames", "body": "bodies"}
"""Where a part of each kind is stated."""


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact as forces know it."""

    push: Expr | None
    """The normal force, where it has a multiplier."""
    normal: Vector
    """From the support to the body."""
    slip: Vector
    """The velocity of the body where it touches, as seen by the support, along the surface."""
    place: Vector
    kind: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """A part that is built when what it needs has a place."""

    path: Path
    needs: tuple[Any, ...]
    build: Callable[[], None]
    gives: str = ""
    """What has a place when it is built."""


@dataclass
class Workshop:
    """The parts so far, by name; entries are read here, and what is wrong with them is noted."""

    reader: Reader
    values: Mapping[Expr, Constant | None] = field(default_factory=dict)
    """Of parameters, where they have some."""
    frames: dict[str, Frame] = field(default_factory=lambda: {"ground": SPACE})
    points: dict[str, Point] = field(default_factory=lambda: {"ground": GROUND})
    bodies: dict[str, Body] = field(default_factory=dict)
    unplaced: set[Any] = field(default_factory=set)
    """Bodies that have no place, which was told."""
    joints: dict[str, Joint] = field(default_factory=dict)
    contacts: dict[str, Contact] = field(default_factory=dict)
    pivots: list[tuple[str, Vector]] = field(default_factory=list)
    """Places of joints, each on a part."""
    hinges: list[tuple[str, Vector, Vector]] = field(default_factory=list)
    """Places and axes of revolute joints, in space, each on a part."""
    constraints: dict[str, Equation] = field(default_factory=dict)
    holonomic: dict[str, Equation] = field(default_factory=dict)
    stops: dict[str, Expr] = field(default_factory=dict)
    """Functions at whose zeros the motion ends, by what happens there."""
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
                self._tell_waiting(waiting)
                return

    def _tell_waiting(self, waiting: list[Waiting]) -> None:
        """Say what parts wait for that never comes: nothing of that name, or parts that stand on each other."""
        missing = {one.gives: str(next(name for name in one.needs if not self.has(name))) for one in waiting}
        told: set[str] = set()
        for one in waiting:
            name = missing[one.gives]
            circle = [one.gives]
            while name in missing and name not in circle:
                circle.append(name)
                name = missing[name]
            if name == one.gives and not told.intersection(circle):
                told.update(circle)
                chain = " on ".join(quoted(part) for part in (*circle, name))
                self.fault(one.path, f"these stand on each other in a circle: {chain}", "begin one of them elsewhere")
            elif missing[one.gives] not in {*missing, *self.unplaced}:  # else what it waits for is told there
                self._tell_missing(one.path, missing[one.gives])
        self.unplaced.update(missing)

    def _tell_missing(self, path: Path, name: str) -> None:
        joint = name.removeprefix("joint ")
        if joint != name:
            self.fault(path, f"there is no joint {quoted(joint)} that moves", suggestion(joint, self.joints))
            return
        near = suggestion(name, [*self.frames, *self.points])
        remedy = near if near.startswith("did") else "state a joint, a frame or a point of that name"
        self.fault(path, f"{quoted(name)} has no place", remedy)

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
        read = self.expression(value, path, _ANGLE)
        found = self.number(read)
        if found is not None and abs(found) > _WHOLE_TURN:
            self.fault(path, f"an angle of {found:.6g} is more than a full turn", "angles are in radians: pi/2, not 90")
        return read

    def number(self, expression: Expr) -> float | None:
        """Return the value of an expression in parameters, where these have values."""
        known = {p: v if isinstance(v, Expr) else number(v) for p, v in self.values.items() if v is not None}
        try:
            return float(evaluate(substitute([expression], known), Floats({}))[0])
        except DalembertError:  # of what has no value, or does not exist
            return None

    def size(self, value: Any, path: Path, what: str, *, zero: bool = False) -> Expr:
        """Return a mass or a length; one that is negative is a fault, and so is 0 unless that is allowed.

        In the place of a faulty one stands 1, by which what comes after may be divided.
        """
        read = self.reader.expression(value, path, _SIZE)
        found = None if read is None else self.number(read)
        if found is not None and (found < 0 or (found == 0 and not zero)):
            self.fault(path, f"a {what} is {'not negative' if zero else 'positive'}, and this is {found:.6g}")
            return ONE
        return ONE if read is None else read

    def vector(self, value: Any, path: Path, place: Place = _POSITION) -> Vector:
        """Return a vector of three expressions."""
        if isinstance(value, str | Mapping) or not isinstance(value, Sequence):
            self.fault(path, f"{kind_of(value)} stands where a vector is expected", "write [x, y, z]")
            return ZERO, ZERO, ZERO
        parts = self.reader.sequence(value, path)
        if len(parts) != 3:
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
        found = len(self.reader.faults)
        read = self.vector(value, path, _AXIS)
        if len(self.reader.faults) == found and not vanish([dot(read, read)]):
            return read
        if len(self.reader.faults) == found:
            self.fault(path, "an axis of length 0 has no direction", f"write one of {', '.join(AXES)}, or a vector")
        return AXES["z"]

    def lengths(self, value: Any, path: Path) -> Vector:
        """Return three lengths, or three moments of inertia: they stand still."""
        return self.vector(value, path, _SIZE)

    def names(self, value: Any, path: Path) -> Sequence[Any]:
        """Return names: one, or a list of them."""
        return [value] if isinstance(value, str) else self.reader.sequence(value, path)

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
        if not isinstance(name, str):
            remedy = f"state a {what} of its own in [{_TABLES[what]}], and write its name here"
            self.fault(path, f"{kind_of(name)} stands where the name of a {what} is expected", remedy)
            return otherwise
        if name in parts:
            return parts[name]
        if name in self.unplaced:  # which was told there
            self.reader.faults.doubt(*path[:1])
            return otherwise
        if what == "point" and name in self.frames:
            self.fault(
                path, f"{quoted(name)} is a frame, and where it begins is not said", "state a point of that name"
            )
            return otherwise
        near = suggestion(name, parts) or f"state a {what} of that name"
        self.fault(path, f"{quoted(name)} is not a {what} that is known here", near)
        return otherwise

    def lifts_off(self, name: str, path: Path) -> None:
        """Let the motion end where the normal force of a contact, which must be known, falls to zero."""
        push = self.contacts[name].push
        if push is None:
            what = f"the normal force of '{name}' is not known: the coordinates keep the body on its support"
            self.fault(path, what, "give its centre, or its point of contact, a height of its own")
            return
        self.stops[f"{name}: it lifts off"] = push

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
        found = self.reader.entries(told, (name,), name)
        return [one for one in found if self._is_named(one[0], one[2])]

    def _is_named(self, name: str, path: Path) -> bool:
        """Note a name that cannot be one; a contact may be called anything, for nothing is named after it."""
        fault = "" if path[0] == "contacts" else fault_of_name(name)
        if fault:
            self.fault(path, fault)
        return not fault
