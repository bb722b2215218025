"""Bodies that motions of space move together, and whether reduced motions are whole ones: as fields, and by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from dalembert import derive, simulate
from dalembert.analysis.fields import meetings
from dalembert.model.equations import Equations
from dalembert.model.system import System

MOTIONS: dict[str, dict[str, Any]] = {
    "px": {"x": 1},
    "py": {"y": 1},
    "pz": {"z": 1},
    "e1": {"R": "left 1", "S": "left 1", "y": "-z", "z": "y"},
    "e2": {"R": "left 2", "S": "left 2", "x": "z", "z": "-x"},
    "e3": {"R": "left 3", "S": "left 3", "x": "-y", "y": "x"},
}


def turned(*names: str) -> dict[str, dict[str, str]]:
    """Return generators that turn some rotations and directions together about all axes of space."""
    return {f"e{k}": dict.fromkeys(names, f"left {k}") for k in (1, 2, 3)}


BEGIN = {
    "R": {"axis": [1, 2, 0], "angle": 0.5, "w1": 0.3, "w2": -0.2, "w3": 0.5},
    "S": {"axis": [0, 1, 2], "angle": 1.1, "w1": 0.1, "w2": 0.4, "w3": -0.6},
}
SPIN = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2 + D*S.w1^2 + E*S.w2^2 + F*S.w3^2)/2"
INERTIA = {"A": 1.5, "B": 2, "C": 2.5, "D": 0.3, "E": 0.35, "F": 0.1, "k": 0.8, "c": 0.05}
GIMBAL = System.of(
    name="satellite with an instrument on a sprung and damped gimbal",
    coordinates={"R": "rotation", "S": "rotation"},
    parameters=INERTIA,
    lagrangian=f"{SPIN} + k*(R.e3x*S.e3x + R.e3y*S.e3y + R.e3z*S.e3z)",
    forces={f"{one}.s{k}": f"{sign}c*(R.s{k} - S.s{k})" for k in (1, 2, 3) for one, sign in (("R", "-"), ("S", ""))},
    symmetry=turned("R", "S"),
    start=BEGIN,
)
ARM = System.of(
    name="spacecraft with an arm on a ball joint",
    coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation", "S": "rotation"},
    parameters={**INERTIA, "M": 4, "m": 1, "l": 0.7, "b": 0.5},
    let={axis.upper(): f"{axis} + b*R.e1{axis} + l*S.e3{axis}" for axis in "xyz"},
    lagrangian=f"M*(x'^2 + y'^2 + z'^2)/2 + m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN}"
    " + k*(R.e3x*S.e3x + R.e3y*S.e3y + R.e3z*S.e3z)",
    symmetry=MOTIONS,
    start={**BEGIN, "x'": 0.2, "y'": -0.1, "z'": 0.3},
)
TETHERED = System.of(
    name="two free bodies with a spring between them",
    coordinates={
        "R": "rotation",
        "S": "rotation",
        "x": "real",
        "y": "real",
        "z": "real",
        "X": "real",
        "Y": "real",
        "Z": "real",
    },
    parameters={**INERTIA, "M": 4, "m": 1, "b": 0.5},
    let={f"d{axis}": f"{axis.upper()} - {axis} - b*R.e1{axis}" for axis in "xyz"},
    lagrangian=f"M*(x'^2 + y'^2 + z'^2)/2 + m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN} - k*(dx^2 + dy^2 + dz^2)/2",
    symmetry={
        "px": {"x": 1, "X": 1},
        "py": {"y": 1, "Y": 1},
        "pz": {"z": 1, "Z": 1},
        "e1": {**MOTIONS["e1"], "Y": "-Z", "Z": "Y"},
        "e2": {**MOTIONS["e2"], "X": "Z", "Z": "-X"},
        "e3": {**MOTIONS["e3"], "X": "-Y", "Y": "X"},
    },
    start={**BEGIN, "x'": 0.2, "X": 0.7, "Y": 0.2, "Z": -0.3},
)
JOINED = TETHERED.but(
    name="two free bodies on a ball joint",
    let=None,
    parameters={**INERTIA, "M": 4, "m": 1, "b": 0.5, "l": 0.7},
    lagrangian=f"M*(x'^2 + y'^2 + z'^2)/2 + m*(X'^2 + Y'^2 + Z'^2)/2 + {SPIN}",
    holonomic={f"joint_{axis}": f"{axis} + b*R.e1{axis} = {axis.upper()} - l*S.e3{axis}" for axis in "xyz"},
    start={**BEGIN, "x": 0, "y": 0, "z": 0, "x'": 0.1, "y'": 0, "z'": 0},
)
SLIDING = System.of(
    name="a body that slides on a plane, tied to a post",
    coordinates={"x": "real", "y": "real", "R": "rotation"},
    parameters={"m": 1.2, "k": 1.5, "h": 0.4},
    lagrangian="m*(x'^2 + y'^2)/2 + R.w1^2/4 + R.w2^2/3 + R.w3^2/2 - k*(x^2 + y^2)/2 - h*(x*R.m13 + y*R.m23)",
    symmetry={"e3": {"x": "-y", "y": "x", "R": "left 3"}},
    start={"R": BEGIN["R"], "x": 0.5, "y'": 0.4, "x'": 0},
)


def _whole(system: System) -> str:
    return "nonholonomic" if system.stated_constraints else "euler-lagrange"


@cache
def _whole_equations(system: System) -> Equations:
    return derive(system, _whole(system)).equations


def meets_whole(system: System, part: Equations) -> bool | None:
    """Decide whether reduced equations with their reconstruction are the whole field."""
    [claim] = meetings(system, {_whole(system): _whole_equations(system), "reduced": part})
    return claim.verdict.holds


def pushed(equations: Equations) -> Equations:
    """Return a wrong twin of equations: with one more force."""
    return replace(equations, force=(equations.force[0] + equations.velocities[-1], *equations.force[1:]))


def reduced_wholly(system: System, functions: Sequence[str]) -> Any:
    """Return a system reduced by all generators to some functions; it is the whole field, and not so with a push."""
    found = derive(system, "reduced")
    assert found.group == tuple(system.symmetry), found.group
    assert [f.data.name for f in found.functions] == list(functions), found.functions
    assert meets_whole(system, found.equations) is True
    assert meets_whole(system, pushed(found.equations)) is False
    return found


def apart(system: System, names: tuple[str, ...], time: float = 1.0) -> float:
    """Return how far the reduced motion with its reconstruction is from the whole one."""
    part, whole = (simulate(derive(system, name), time=time, tolerance=1e-12) for name in ("reduced", _whole(system)))
    return max(float(abs(part.at(time)[name] - whole.at(time)[name])[0]) for name in names)


HOVERING = System.of(
    name="a body under a thrust of its own, its centre beside the point that is followed",
    coordinates={"s": "real", "x": "real", "y": "real", "z": "real", "R": "rotation"},
    parameters={"m": 1.2, "A": 0.02, "B": 0.03, "C": 0.04, "h": 0.1, "g": 9.81, "k": 2},
    lagrangian="m*((x' + h*(R.m12*R.w3 - R.m13*R.w2))^2 + (y' + h*(R.m22*R.w3 - R.m23*R.w2))^2"
    " + (z' + h*(R.m32*R.w3 - R.m33*R.w2))^2)/2 + (A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"
    " + (s' + R.w1)^2/2 - k*s^2/2 - m*g*(z + h*R.m31)",
    forces={"x": "T*R.m13", "y": "T*R.m23", "z": "T*R.m33"},
    controls={"T": "12 + sin(t)"},
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "R": "left 3"}},
    start={"R.w1": 0.3, "R.w2": -0.2, "x'": 0.4, "y'": 0.1, "s": 0.2},
)
"""Weight leaves a turn about the vertical; the height goes with the position, and what slides in the body does not."""

TOWED = System.of(
    name="a ball that rolls without spin, on a spring from a trolley",
    coordinates={"x": "real", "y": "real", "u": "real", "v": "real", "R": "rotation"},
    parameters={"m": 1.1, "J": 0.4, "M": 2, "k": 3},
    lagrangian="m*(x'^2 + y'^2)/2 + J*(R.w1^2 + R.w2^2 + R.w3^2)/2 + M*(u'^2 + v'^2)/2 - k*((x - u)^2 + (y - v)^2)/2",
    constraints={"a": "x' = R.s2", "b": "y' = -R.s1", "c": "R.s3 = 0"},
    symmetry={
        "e1": {"x": 1, "u": 1},
        "e2": {"y": 1, "v": 1},
        "e3": {"x": "-y", "y": "x", "u": "-v", "v": "u", "R": "left 3"},
    },
    start={"u": 0.5, "v'": 0.4, "R.w1": 0.3},
)
"""Two pairs are shifted alike, and nothing is a height over their plane."""

CLIMBING = System.of(
    name="a craft that is drawn to an axis, and climbs along it",
    coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
    parameters={"m": 2, "A": 0.2, "B": 0.3, "C": 0.4, "k": 0.7},
    lagrangian="m*(x'^2 + y'^2 + z'^2)/2 + (A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + k*(x*R.m13 + y*R.m23)",
    symmetry={"e1": {"z": 1}, "e2": {"x": "-y", "y": "x", "R": "left 3"}},
    start={"x'": 1, "R.w1": 0.5, "z'": 0.3},
)
"""Shifts along the axis of the turn leave places across it, which are seen as a pair."""
