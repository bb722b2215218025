"""Nonholonomic reduction of bodies that are turned together and each spun about an axis of its own, or only spun."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reduced_relative import apart, meets_whole, reduced_wholly, turned

from dalembert import System
from dalembert.mechanics.lagrangian.seen_from_body import seen_from_bodies


def _top(name: str, a: str, c: str, own: int = 3) -> str:
    across = " + ".join(f"{name}.w{k}^2" for k in (1, 2, 3) if k != own)
    return f"({a}*({across}) + {c}*{name}.w{own}^2)/2"


def _between(one: str, other: str, i: int = 3, j: int = 3) -> str:
    return "(" + " + ".join(f"{one}.e{i}{k}*{other}.e{j}{k}" for k in "xyz") + ")"


INERTIA = {"A": 1, "C": 0.5, "D": 0.8, "E": 0.3, "k": 0.7}
BEGIN = {
    "R": {"axis": [1, 2, 0], "angle": 0.4, "w1": 0.2, "w3": 1},
    "S": {"axis": [1, 0, 1], "angle": 1.4, "w1": -0.3, "w3": 2},
}
GYROSCOPES = System.of(
    name="two gyroscopes on a ball joint", coordinates={"R": "rotation", "S": "rotation"}, parameters=INERTIA,
    lagrangian=f"{_top('R', 'A', 'C', 1)} + {_top('S', 'D', 'E', 2)} - k*{_between('R', 'S', 1, 2)}",
    forces={"R.w1": "-R.w1/9"}, start=BEGIN,
    symmetry={**turned("R", "S"), "wheel": {"R": "right 1"}, "rotor": {"S": "right 2"}},
)  # fmt: skip
HUNG = System.of(
    name="a gyroscope hung from a gyroscope", coordinates={"R": "rotation", "S": "rotation"},
    parameters={**INERTIA, "l": 0.4, "c": 0.3}, let={c.upper(): f"l*R.e3{c} + c*S.e3{c}" for c in "xyz"},
    lagrangian=f"{_top('R', 'A', 'C')} + {_top('S', 'D', 'E')} + k*(X'^2 + Y'^2 + Z'^2)/2 - 9*k*Z", start=BEGIN,
    symmetry={"turn": {"R": "left 3", "S": "left 3"}, "wheel": {"R": "right 3"}, "rotor": {"S": "right 3"}},
)  # fmt: skip
CAT = System.of(
    name="a cat whose halves do not twist", coordinates={"R": "rotation", "S": "rotation"}, parameters=INERTIA,
    lagrangian=f"{_top('R', 'A', 'C')} + {_top('S', 'A', 'C')} - k*{_between('R', 'S')}",
    constraints={"twist": "R.w3 = S.w3"}, start={**BEGIN, "S": {**BEGIN["S"], "w3": 1}},
    symmetry={**turned("R", "S"), "roll": {"R": "right 3", "S": "right 3"}},
)  # fmt: skip
NEEDLE = System.of(
    name="a needle beside a gyroscope", coordinates={"R": "rotation", "n": "direction"}, parameters=INERTIA,
    lagrangian=f"{_top('R', 'A', 'C')} + (n.x'^2 + n.y'^2 + n.z'^2)/2 - k*(R.e3x*n.x + R.e3y*n.y + R.e3z*n.z)",
    symmetry={**turned("R", "n"), "spin": {"R": "right 3"}},
    start={"R": BEGIN["R"], "n": {"x": 0.6, "y": 0, "z": 0.8}, "n.y'": 0.3},
)  # fmt: skip
PROBE = System.of(
    name="a probe beside a spinning asteroid", coordinates={"R": "rotation", "x": "real", "y": "real", "z": "real"},
    lagrangian=f"{_top('R', '3', '2')} + (x'^2 + y'^2 + z'^2)/2 + 1/sqrt(x^2 + y^2 + z^2)"
    " - (R.e3x*x + R.e3y*y + R.e3z*z)^2",
    symmetry={
        "e1": {"R": "left 1", "y": "-z", "z": "y"}, "e2": {"R": "left 2", "x": "z", "z": "-x"},
        "e3": {"R": "left 3", "x": "-y", "y": "x"}, "spin": {"R": "right 3"},
    },
    start={"R": BEGIN["R"], "x": 1, "y'": 1, "z'": 0.2},
)  # fmt: skip
BALL = System.of(
    name="a gyroscope in a rolling ball",
    coordinates={"x": "real", "y": "real", "R": "rotation", "S": "rotation"}, parameters={**INERTIA, "m": 1, "r": 0.5},
    lagrangian=f"m*(x'^2 + y'^2)/2 + {_top('R', 'A', 'C')} + {_top('S', 'D', 'E')} - k*{_between('R', 'S')}",
    constraints={"a": "x' = r*R.s2", "b": "y' = -r*R.s1"}, start=BEGIN,
    symmetry={
        "ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3", "S": "left 3"},
        "wheel": {"R": "right 3"}, "rotor": {"S": "right 3"},
    },
)  # fmt: skip
GEARED = System.of(
    name="two spindles on a spring that twists, and a third", coordinates=dict.fromkeys("RST", "rotation"),
    lagrangian=f"{_top('R', '3', '2')} + {_top('S', '2', '1')} + {_top('T', '2', '3')} - R.m33 - {_between('R', 'S')}"
    f" - {_between('S', 'T', 1, 1)} - {_between('S', 'T', 2, 2)}",
    symmetry={
        "turn": dict.fromkeys("RST", "left 3"), "spin": {"S": "right 3", "T": "right 3"}, "own": {"R": "right 3"},
    },
    start={**BEGIN, "T": {"axis": [0, 1, 1], "angle": -1, "w3": 1}},
)  # fmt: skip
SPACE = " + ".join(f"({k}*R.s{k}^2 + {4 - k}*S.s{k}^2)/2" for k in (1, 2, 3))
AXES = System.of(
    name="two triads of axes, stated from the stars to the craft", coordinates={"R": "rotation", "S": "rotation"},
    lagrangian=f"{SPACE} - R.m31*S.m31 - R.m32*S.m32 - R.m33*S.m33", start=BEGIN,
    symmetry={f"e{k}": dict.fromkeys("RS", f"right {k}") for k in (1, 2, 3)},
)  # fmt: skip
SCREW = System.of(
    name="two spindles on a screw", coordinates={"R": "rotation", "S": "rotation", "x": "real"}, parameters=INERTIA,
    lagrangian=f"{_top('R', 'A', 'C')} + {_top('S', 'D', 'E')} + x'^2/2 - k*{_between('R', 'S', 1, 1)}"
    f" - k*{_between('R', 'S', 2, 2)} - R.m33 - R.m13*S.m23",
    constraints={"screw": "2*x' = R.w3"}, start=BEGIN,
    symmetry={"spin": {"R": "right 3", "S": "right 3", "x": "1/2"}, "p": {"x": 1}},
)  # fmt: skip
RELATIVE = tuple(f"S_inverse_in_R_inverse.m{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3))
SEEN = {
    AXES: RELATIVE,
    SCREW: ("R_inverse.m31", "R_inverse.m32", "R_inverse.m33", *RELATIVE),
    GYROSCOPES: ("R_to_S",),
    HUNG: ("R_tilt", "S_in_R_turn.m13", "S_in_R_turn.m23", "S_in_R_turn.m33"),
    CAT: ("R_to_S", "S_twist"),
    NEEDLE: ("n_to_R",),
    PROBE: ("x_y_z_length", "x_y_z_to_R"),
    BALL: ("R_tilt", "S_in_R_turn.m13", "S_in_R_turn.m23", "S_in_R_turn.m33"),
    GEARED: (
        "S_tilt", "R_in_S_turn.m13", "R_in_S_turn.m23", "R_in_S_turn.m33",
        *(f"T_in_S_turn.m{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("system", SEEN, ids=lambda system: system.name)
@pytest.mark.thorough(*(system.name for system in SEEN if system is not GYROSCOPES))
def test_reduced_and_reconstructed_is_the_full_field(system: System) -> None:
    equations = reduced_wholly(system, SEEN[system]).equations
    spins = [q for q in equations.reconstruction if "spin" in q.data.name]
    slipped = {q: rate + int(q in spins) for q, rate in equations.reconstruction.items()}
    if spins:
        assert meets_whole(system, replace(equations, reconstruction=slipped)) is not True


@pytest.mark.thorough
@pytest.mark.parametrize("system", SEEN, ids=lambda system: system.name)
def test_reduced_motions_are_those_of_the_whole(system: System) -> None:
    assert apart(system, tuple(q.data.label for q in system.q), 2.0) < 1e-10


def test_the_axis_that_stands_beside_the_vertical_at_the_start_makes_the_axes() -> None:
    upright = HUNG.but(start={"R": {"w3": 3}, "S": BEGIN["S"]})
    seen = seen_from_bodies(upright, upright.symmetry, eyes="axes")
    assert seen is not None
    assert next(iter(seen.system.coordinates)).data.name == "S_turn"
