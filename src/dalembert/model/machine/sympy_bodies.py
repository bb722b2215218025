"""Machines made of SymPy's bodies and joints: a Lagrangian, generalised forces and constraints of them.

SymPy's velocities are in speeds u, which its kinematic equations tie to the rates of coordinates; here these are put
in, and every u is a speed or, where it is the rate of a coordinate, a name for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.sympy_border import Names, from_sympy
from dalembert.expr.truth import depends_on
from dalembert.expr.walk import substitute, symbols
from dalembert.records import dataclass


def tables_of_sympy(machine: Any, values: Mapping[Any, Any] | None = None) -> dict[str, Any]:
    """Return the tables of a machine of SymPy's, a ``System`` or a ``JointsMethod``, with values of parameters.

    Angles of joints have the domain ``angle``. Functions of time that are neither coordinates nor speeds are controls.

    >>> from sympy import Symbol
    >>> from sympy.physics.mechanics import PinJoint, RigidBody, System
    >>> wall, rod = RigidBody("wall"), RigidBody("rod")
    >>> machine = System.from_newtonian(wall)
    >>> machine.add_joints(PinJoint("pin", wall, rod, child_point=Symbol("l") * rod.y, joint_axis=wall.z))
    >>> machine.apply_uniform_gravity(-Symbol("g") * wall.y)
    >>> tables = tables_of_sympy(machine)
    >>> tables["coordinates"], tables["lagrangian"]
    ({'q_pin': 'angle'}, l^2*rod_mass*q_pin'^2/2 + rod_izz*q_pin'^2/2)
    """
    read = _Reading.of(machine)
    energy = [read.scalar(body.kinetic_energy(machine.frame) - body.potential_energy) for body in machine.bodies]
    lagrangian = total((1, one) for one in energy)
    forces = _forces(machine, read)
    rolling, positions = _constraints(machine, read)
    everything = [lagrangian, *forces.values(), *rolling.values(), *positions.values(), *read.speeds.values()]
    own = {one.data.name for one in (*read.coordinates, *read.speeds)}
    found = sorted(symbols(everything), key=lambda one: one.name)
    inputs = dict.fromkeys(one.name for one in found if one.role == "variable" and one.name not in own)
    rates = {q.dot for q in read.coordinates}
    parameters: dict[str, dict[str, Any]] = {
        one.name: {"sign": _SIGNS.get(one.domain, "any")} for one in found if one.role == "parameter"
    }
    for key, value in (values or {}).items():
        if str(key) not in parameters:
            known = ", ".join(parameters) or "none"
            raise ExpressionError(f"'{key}' is no parameter of this machine; it has {known}.")
        parameters[str(key)]["value"] = value
    tables = {
        "coordinates": {q.data.name: domain for q, domain in read.coordinates.items()},
        "parameters": parameters,
        "let": {u.data.name: e for u, e in read.speeds.items() if e in rates},
        "speeds": {u.data.name: e for u, e in read.speeds.items() if e not in rates and e is not ZERO},
        "lagrangian": lagrangian,
        "constraints": {name: (e, ZERO) for name, e in rolling.items()},
        "holonomic": {name: (e, ZERO) for name, e in positions.items()},
        "forces": {q.data.name: force for q, force in forces.items()},
        "controls": {name: {} for name in inputs},
    }
    return {key: value for key, value in tables.items() if value != {}}


_SIGNS: Mapping[str, str] = {"positive": "positive", "negative": "negative", "nonzero": "nonzero"}


@dataclass(frozen=True)
class _Reading:
    """What SymPy's symbols mean, with what each speed is put in."""

    names: Names
    coordinates: Mapping[Expr, str]
    speeds: Mapping[Expr, Expr]

    @staticmethod
    def of(machine: Any) -> _Reading:
        """Return how a machine is read: its speeds by the rates of coordinates, from the kinematic equations."""
        if any(not hasattr(machine, name) for name in ("q", "u", "kdes", "bodies", "loads", "frame")):
            what = f"a System or a JointsMethod of SymPy is expected here, not {type(machine).__name__}"
            raise ExpressionError(f"{what}; add bodies and joints to one.")
        angles = _angles(getattr(machine, "joints", getattr(machine, "_joints", ())))
        q, u = list(machine.q), list(machine.u)
        auxiliary = list(getattr(machine, "u_aux", ()))  # which vanish, and serve to find forces
        names = Names.of([*q, *u, *auxiliary])
        domains = {from_sympy(one, names): "angle" if one in angles else "real" for one in q}
        plain = [from_sympy(one, names) for one in u]
        kinematic = [from_sympy(one, names) for one in machine.kdes]
        if len(kinematic) != len(plain):
            said = f"there are {len(plain)} speeds and {len(kinematic)} kinematic equations"
            raise ExpressionError(f"{said}; add_kdes takes one for each.")
        rows = jacobian(kinematic, plain)
        if depends_on([entry for row in rows for entry in row], plain):
            raise ExpressionError("the kinematic equations are not linear in the speeds.")
        rest = substitute(kinematic, dict.fromkeys(plain, ZERO))
        found = solve(rows, [-one for one in rest]) if plain else []
        speeds = dict(zip(plain, map(tidy, found), strict=True))
        return _Reading(names, domains, speeds | {from_sympy(one, names): ZERO for one in auxiliary})

    def scalar(self, expression: Any) -> Expr:
        """Return an expression, with speeds put in."""
        read = from_sympy(expression, self.names)
        return substitute([read], self.speeds)[0]

    def vector(self, vector: Any, frame: Any) -> list[Expr]:
        """Return the components of a vector in the axes of a frame."""
        return [self.scalar(one) for one in vector.to_matrix(frame)]


def _angles(joints: Iterable[Any]) -> set[Any]:
    """Return the coordinates of joints that are angles."""
    found: set[Any] = set()
    for joint in joints:
        kind = type(joint).__name__
        if kind in {"PinJoint", "SphericalJoint"}:
            found |= set(joint.coordinates)
        elif hasattr(joint, "rotation_coordinate"):
            found.add(joint.rotation_coordinate)
    return found


def _forces(machine: Any, read: _Reading) -> dict[Expr, Expr]:
    """Return the generalised forces: those of a force F at a point of velocity v are F.dv/dq', likewise of a torque."""
    coordinates = list(read.coordinates)
    rates = [q.dot for q in coordinates]
    loads = [*machine.loads, *(load for one in getattr(machine, "actuators", ()) for load in one.to_loads())]
    parts: dict[Expr, list[tuple[int, Expr]]] = {q: [] for q in coordinates}
    for load in loads:
        where, push = load[0], load[1]
        turns = hasattr(where, "ang_vel_in")
        velocity = where.ang_vel_in(machine.frame) if turns else where.vel(machine.frame)
        pairs = zip(read.vector(push, machine.frame), read.vector(velocity, machine.frame), strict=True)
        for force, way in pairs:
            for q, slope in zip(coordinates, gradient(way, rates), strict=True):
                parts[q].append((1, force * slope))
    summed = {q: total(several) for q, several in parts.items()}
    return {q: force for q, force in summed.items() if force.value != 0}


def _constraints(machine: Any, read: _Reading) -> tuple[dict[str, Expr], dict[str, Expr]]:
    """Return the constraints on velocities and on positions, numbered."""
    positions = _numbered("closed", getattr(machine, "holonomic_constraints", ()), read)
    stated = getattr(machine, "nonholonomic_constraints", ())
    if getattr(machine, "_vel_constrs", None) is not None:
        said = "velocity constraints that were set by hand say holonomic ones again"
        raise ExpressionError(f"{said}; add those that are not to nonholonomic_constraints.")
    return _numbered("rolls", stated, read), positions


def _numbered(word: str, stated: Sequence[Any], read: _Reading) -> dict[str, Expr]:
    return {f"{word}_{number}": read.scalar(one) for number, one in enumerate(stated, 1)}
