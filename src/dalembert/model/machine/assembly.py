"""A machine from its tables: all parts in turn, and what comes out of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Final

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import Constant, Expr, total
from dalembert.expr.truth import vanishing
from dalembert.expr.vocabulary import Vocabulary, fault_of_name, is_part
from dalembert.expr.walk import postorder, substitute
from dalembert.model.faults import Path
from dalembert.model.kinds import Point
from dalembert.model.machine.contacts import build_contacts
from dalembert.model.machine.drawing import floor_of, shapes_of
from dalembert.model.machine.frames import frames_to_build, points_to_build
from dalembert.model.machine.joints import coordinates_of_joints, joints_to_build
from dalembert.model.machine.loads import add_loads
from dalembert.model.machine.solids import build_bodies
from dalembert.model.machine.surfaces import coordinates_of_contacts
from dalembert.model.machine.workshop import Workshop
from dalembert.model.mechanism import Mechanism
from dalembert.model.parts import Equation
from dalembert.model.reactions import multiplier_names
from dalembert.model.reading import Reader
from dalembert.model.table import Table
from dalembert.records import dataclass, replace

_NORMAL: Final = ".normal"


@dataclass(frozen=True, slots=True)
class Machine:
    """What comes out of the parts of a machine."""

    lagrangian: Expr
    constraints: Mapping[str, Equation]
    holonomic: Mapping[str, Equation]
    forces: Mapping[Expr, Expr]
    stops: Mapping[str, Expr]
    """Where the motion of the machine ends: a contact that lifts off, a disc that lies flat."""
    names: Mapping[str, Expr]
    """The positions of its points, axes and angular velocities of its frames, by name."""
    mechanism: Mechanism

    @property
    def used(self) -> dict[str, Expr]:
        """Those names that stand for something long which occurs in what comes out, and normal forces."""
        equations = [*self.constraints.values(), *self.holonomic.values()]
        told = [self.lagrangian, *self.forces.values(), *self.stops.values(), *(e.expression for e in equations)]
        inside = set(postorder(told))
        found: dict[Expr, str] = {}
        for name, expression in self.names.items():
            if expression in inside and expression.args:
                found.setdefault(expression, name)
        normals = {name: push for name, push in self.names.items() if name.endswith(_NORMAL)}
        return {name: expression for expression, name in found.items()} | normals


def with_coordinates(tables: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a statement with the coordinates that its joints bring along, behind those that are stated."""
    stated = tables.get("coordinates", {})
    if isinstance(stated, str):
        stated = stated.split()
    if not isinstance(stated, Mapping):
        if not isinstance(stated, Sequence) or not all(isinstance(one, Hashable) for one in stated):
            return tables  # what is wrong with them is said where they are read
        stated = dict.fromkeys(stated, "real")
    brought = coordinates_of_joints(tables) | coordinates_of_contacts(tables)
    new = {name: domain for name, domain in brought.items() if name not in stated}
    return {**tables, "coordinates": {**stated, **new}} if new else tables


def assemble(
    tables: Mapping[str, Any],
    reader: Reader,
    coordinates: Sequence[Expr],
    values: Mapping[Expr, Constant | None],
    points: Sequence[Point] = (),
    before_loads: Callable[[], None] = lambda: None,
) -> Machine:
    """Return what comes out of the parts; what is wrong with them is noted. Parameters may have values.

    ``points`` are the coordinates that are points of a sphere. ``before_loads`` is called when the parts have names,
    and before forces on them are read.
    """
    shop = Workshop(reader, values)
    shop.build([*frames_to_build(shop, tables), *points_to_build(shop, tables), *joints_to_build(shop, tables)])
    build_bodies(shop, tables)
    build_contacts(shop, tables)
    words, held = reader.words, (*shop.constraints, *shop.holonomic)
    reader.words = replace(words, extra={**words.extra, **dict.fromkeys(multiplier_names(held), "real")})
    names = _names(shop)
    reader.words = reader.words.with_lets(_new(names, reader.words))  # forces may be given by these
    before_loads()
    add_loads(shop, tables)
    names |= {f"{name}.U": energy for name, energy in shop.potential.items() if is_part(f"{name}.U")}
    reader.words = reader.words.with_lets(_new(names, reader.words))
    bodies, potential = shop.bodies.values(), [(-1, one) for one in shop.potential.values()]
    lagrangian = total([*((1, body.kinetic_energy) for body in bodies), *potential])
    twin = None
    if any(body.frame.before is not None and body.frame.before.before is not None for body in bodies):
        twin = total([*((1, body.kinetic_energy_by_neighbours) for body in bodies), *potential])
    constraints = _that_forbid(shop.constraints)
    owners = _owners(tables, [*constraints, *shop.holonomic])
    for path in {*_owners(tables, list(shop.constraints)).values()} - {*owners.values()}:
        shop.fault(path, "it forbids nothing: the machine cannot move so anyway", "remove it, or see to its directions")
    shapes = () if reader.faults else shapes_of(shop, tables)
    floor = floor_of(tables)
    mechanism = Mechanism(tuple(shop.bodies), Table(shop.joints), Table(owners), shapes, floor, Table(names), twin)
    forces = _forces(shop, coordinates, points)
    return Machine(lagrangian, constraints, shop.holonomic, forces, shop.stops, names, mechanism)


def _new(names: Mapping[str, Expr], words: Vocabulary) -> dict[str, Expr]:
    """Return the names that are not taken by what is stated."""
    return {name: one for name, one in names.items() if name not in words and not fault_of_name(name.partition(".")[0])}


def _that_forbid(constraints: Mapping[str, Equation]) -> dict[str, Equation]:
    """Return those constraints that forbid something: a wheel that cannot leave its track does not slip sideways."""
    found = vanishing([equation.expression for equation in constraints.values()])
    return {name: equation for (name, equation), none in zip(constraints.items(), found, strict=True) if not none}


def _owners(tables: Mapping[str, Any], constraints: Sequence[str]) -> dict[str, Path]:
    """Return the joint or contact that each constraint comes from: its name begins with that of the part.

    A joint and a contact may share a name: joints close loops or are couplings, all else is of contacts.
    """
    parts = [(table, name) for table in ("joints", "contacts") for name in tables.get(table) or ()]
    found: dict[str, Path] = {}
    for key in constraints:
        several = [part for part in parts if key == part[1] or key.startswith(f"{part[1]} ")]
        if several:
            longest = max(len(name) for _, name in several)
            rest = key[longest:]
            usual = "joints" if not rest or rest.startswith(" closes ") else "contacts"
            found[key] = max(several, key=lambda part: (len(part[1]), part[0] == usual))
    return found


def _forces(shop: Workshop, coordinates: Sequence[Expr], points: Sequence[Point]) -> dict[Expr, Expr]:
    """Return the generalised forces: those of the power F v are F dv/dq', those of a Rayleigh function -dR/dq'.

    Those on a rotation are torques, along its angular velocities in the body: by components of the quaternion they
    would be no functions of the rotation, nor short.
    """
    wholes: dict[Expr, Expr] = {}
    spins: dict[Expr, Expr] = {}
    for point in (one for one in points if one.is_rotation):
        wholes |= point.rates_by(point.rows, list(point.body))
        spins |= point.body
    turning = {q for point in points if point.is_rotation for q in point.components}
    along = {**{q: q.dot for q in coordinates if q not in turning}, **{w: w for w in spins}}
    velocities = list(along.values())
    parts: dict[Expr, list[tuple[int, Expr]]] = {one: [] for one in along}
    rates = substitute([velocity for _, velocity in shop.loads], wholes)
    for (force, _), rate in zip(shop.loads, rates, strict=True):
        for one, slope in zip(along, gradient(rate, velocities), strict=True):
            parts[one].append((1, force * slope))
    for function in substitute(shop.dissipation, wholes):
        slopes = substitute(gradient(function, velocities), spins)
        for one, slope in zip(along, slopes, strict=True):
            parts[one].append((-1, slope))
    summed = {one: total(several) for one, several in parts.items()}
    return {one: force for one, force in summed.items() if force.value != 0}


def _names(shop: Workshop) -> dict[str, Expr]:
    """Return what has a name before forces act: axes and spins of frames, places and velocities of points, energies."""
    found: dict[str, Expr] = {}
    for name, frame in shop.frames.items():
        found |= {
            f"{name}.e{k}{letter}": entry
            for letter, row in zip("xyz", frame.matrix, strict=True)
            for k, entry in enumerate(row, 1)
        }
        found |= {f"{name}.w{k}": entry for k, entry in enumerate(frame.spin, 1)}
        found |= {f"{name}.s{k}": entry for k, entry in enumerate(frame.angular_velocity, 1)}
    for name, point in shop.points.items():
        found |= {f"{name}.{letter}": entry for letter, entry in zip("xyz", point.position, strict=True)}
        found |= {f"{name}.v{letter}": entry for letter, entry in zip("xyz", point.velocity, strict=True)}
    for name, contact in shop.contacts.items():
        own = {f"{name}.{letter}": entry for letter, entry in zip("xyz", contact.place, strict=True)}
        own |= {f"{name}.v{letter}": entry for letter, entry in zip("xyz", contact.slip, strict=True)}
        own |= {} if contact.push is None else {f"{name}{_NORMAL}": contact.push}
        found |= {part: entry for part, entry in own.items() if part not in found}
    rates = {f"{name}.rate": rate for name, joint in shop.joints.items() if (rate := joint.rate) is not None}
    found |= {part: rate for part, rate in rates.items() if part not in found}
    found |= {f"{name}.T": body.kinetic_energy for name, body in shop.bodies.items()}
    return {name: one for name, one in found.items() if not name.startswith("ground.") and is_part(name)}
