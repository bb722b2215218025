"""Systems with rotations and directions: some of the books, and made-up ones that nobody tuned."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
from judging import reference

from dalembert.expr import ONE, evaluate, symbol, tangent
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.model.system import System

INERTIA = {"A": 1, "B": 2, "C": 3}
SPIN = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"


def body(**more: object) -> System:
    """Return a free rigid body, or one with something more."""
    return System.of(
        **{"name": "body", "coordinates": {"R": "rotation"}, "parameters": INERTIA, "lagrangian": SPIN, **more}
    )


def top(**more: object) -> System:
    """Return a heavy body with a fixed point."""
    return body(name="top", lagrangian=f"{SPIN} - R.m33 - R.m31/3", **more)


def suslov() -> System:
    """Return Suslov's problem."""
    return body(name="Suslov", lagrangian=f"{SPIN} + R.w1*R.w3/3 - R.m33", constraints={"skate": "R.w3 = 0"})


def veselova() -> System:
    """Return Veselova's problem."""
    return body(name="Veselova", lagrangian=f"{SPIN} - R.m33*R.m31", constraints={"level": "R.s3 = 0"})


def chaplygin_ball() -> System:
    """Return a ball that rolls on a plane, its centre of mass in the middle."""
    return body(
        name="Chaplygin's ball",
        coordinates={"R": "rotation", "x": "real", "y": "real"},
        lagrangian=f"{SPIN} + m*(x'^2 + y'^2)/2",
        parameters={**INERTIA, "m": 1, "r": 1},
        constraints={"rolls_x": "x' = r*R.s2", "rolls_y": "y' = -r*R.s1"},
    )


_PLACES = ("R.m12", "R.m33", "R.e3x", "R.q0", "x", "sin(x)", "R.m21*x", "R.q1*R.q2")
_MORE = {"S": ("S.m11", "S.m23", "S.q3"), "n": ("n.x", "n.z", "n.y*x")}
_RATES = ("R.w1", "R.w2", "R.w3", "R.s1", "R.s3", "x'")


def made_up(seed: int, constraints: int = 0) -> System:
    """Return a random system: a rotation, perhaps another, perhaps a direction, a coordinate, forces, constraints."""
    draw = Random(seed)
    coordinates, places, rates = {"R": "rotation", "x": "real"}, list(_PLACES), list(_RATES)
    kinetic = [f"{draw.randint(2, 5)}*{rate}^2/2" for rate in ("R.w1", "R.w2", "R.w3", "x'")]
    if seed % 2:
        coordinates["S"] = "rotation"
        places, rates = [*places, *_MORE["S"]], [*rates, "S.w1", "S.s2"]
        kinetic += [f"{draw.randint(2, 5)}*S.w{a}^2/2" for a in (1, 2, 3)]
    if seed % 3:
        coordinates["n"] = "direction"
        places, rates = [*places, *_MORE["n"]], [*rates, "n.y'", "n.z'"]
        heavy = ("J + x^2" if seed % 5 else "J", "J", "J")
        kinetic += [f"({m})*n.{c}'^2/2" for m, c in zip(heavy, "xyz", strict=True)]

    def term() -> str:
        return f"{draw.choice((-2, -1, 1, 2))}*{draw.choice(places)}/{draw.randint(2, 5)}"

    mixed = [f"{draw.choice(rates)}*{draw.choice(rates)}*({term()})/8" for _ in range(2)]
    gyroscopic = f"({term()})*{draw.choice(rates)}"
    held = {f"c{i}": f"{draw.choice(rates)} = ({term()})*{draw.choice(rates)} + {term()}" for i in range(constraints)}
    pushed = {one: f"-({term()})*{draw.choice(rates)}" for one in draw.sample(["R.w1", "R.s2", "x", "R.q2"], 2)}
    return System.of(
        name=f"made up {seed}",
        coordinates=coordinates,
        parameters={"J": 2},
        lagrangian=" + ".join([*kinetic, *mixed, gyroscopic]) + f" - {term()} - {term()}",
        constraints=held,
        forces=pushed,
    )


def drawn_state(system: System, names: list[str], draw: Random) -> dict[str, float]:
    """Return a state with unit lengths, and velocities of directions that are tangent."""
    state = {name: draw.uniform(0.2, 0.9) * draw.choice((-1, 1)) for name in names}
    for point in system.points:
        labels = [q.data.name for q in point.components]
        place = np.array([state[label] for label in labels])
        place /= np.linalg.norm(place)
        state |= dict(zip(labels, place.tolist(), strict=True))
        moving = [f"{label}'" for label in labels]
        if all(label in state for label in moving):
            rate = np.array([state[label] for label in moving])
            state |= dict(zip(moving, (rate - place * (place @ rate)).tolist(), strict=True))
    return state


def rates_at(result: Any, state: dict[str, float]) -> tuple[np.ndarray, ...]:
    """Return (q, q', q'') of the coordinates at a state of what was derived."""
    system, equations = result.system, result.equations
    q = list(system.q)
    v = [equations.kinematics[one] for one in q]
    a = tangent(v, {**equations.rates(), symbol(TIME): ONE})
    values = {one: state[one.data.label] for one in equations.state}
    values |= {p: float(value) for p, value in system.defaults.items()}
    found = evaluate([*q, *v, *a], Floats({**values, symbol(TIME): 0.3}))
    return tuple(np.array(part, float) for part in np.array_split(found, 3))


def error_at(result: Any, state: dict[str, float]) -> float:
    """Return how far accelerations are from those of multipliers in plain floats, relative to 1 and to these."""
    parameters = {p: float(value) for p, value in result.system.defaults.items()}
    q, v, a = rates_at(result, state)
    wanted = reference(result.system, q, v, 0.3, parameters)
    return float(np.max(np.abs(a - wanted)) / (1 + np.max(np.abs(wanted))))
