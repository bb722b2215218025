"""Chaplygin systems with a rotation, each by its entries and by Euler angles."""

from functools import cache

from dalembert import System, claims, derive
from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts

INERTIA = "(I1*R.w1^2 + I2*R.w2^2 + I3*R.w3^2)/2"
BODY = {"I1": 0.5, "I2": 0.7, "I3": 0.8}
ROLLING = {"rolls_in_x": "x' = r*R.s2", "rolls_in_y": "y' = -r*R.s1"}
SHIFTS = {"e1": {"x": 1}, "e2": {"y": 1}}
PLANE = {"x": "real", "y": "real", "R": "rotation"}
STATED = {
    "ball": System.of(
        name="ball",
        coordinates=PLANE,
        lagrangian=f"m*(x'^2 + y'^2)/2 + {INERTIA}",
        parameters={**BODY, "m": 1, "r": 1},
        constraints=ROLLING,
        symmetry=SHIFTS,
    ),
    "veselova": System.of(
        name="veselova",
        coordinates={"R": "rotation"},
        lagrangian=INERTIA,
        parameters=BODY,
        constraints={"no_turn": "R.s3 = 0"},
        symmetry={"turn": {"R": "left 3"}},
    ),
    "suslov": System.of(
        name="suslov",
        coordinates={"R": "rotation"},
        lagrangian=f"{INERTIA} + J*R.w1*R.w3 - k*R.m33",
        parameters={**BODY, "J": 0.3, "k": 1},
        constraints={"suslov": "R.w3 = 0"},
        symmetry={"turn": {"R": "left 3"}},
    ),
}
ANGLES = {"phi": "angle", "theta": "angle", "psi": "angle"}
TURNING = {
    "W1": "theta'*cos(psi) + phi'*sin(theta)*sin(psi)",
    "W2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
    "W3": "phi'*cos(theta) + psi'",
}
WITH_ANGLES = "(I1*W1^2 + I2*W2^2 + I3*W3^2)/2"
CHARTS = {  # R = R_z(phi) R_x(theta) R_z(psi)
    "ball": System.of(
        name="ball",
        coordinates={"x": "real", "y": "real", **ANGLES},
        lagrangian=f"m*(x'^2 + y'^2)/2 + {WITH_ANGLES}",
        parameters={**BODY, "m": 1, "r": 1},
        let=TURNING,
        constraints={
            "rolls_in_x": "x' = r*(theta'*sin(phi) - psi'*sin(theta)*cos(phi))",
            "rolls_in_y": "y' = -r*(theta'*cos(phi) + psi'*sin(theta)*sin(phi))",
        },
        symmetry=SHIFTS,
    ),
    "veselova": System.of(
        name="veselova",
        coordinates=ANGLES,
        lagrangian=WITH_ANGLES,
        parameters=BODY,
        let=TURNING,
        constraints={"no_turn": "phi' + psi'*cos(theta) = 0"},
        symmetry={"turn": {"phi": 1}},
    ),
}


@cache
def reduced(name: str) -> ChaplyginWithoutCharts:
    found = derive(STATED[name], "chaplygin")
    assert isinstance(found, ChaplyginWithoutCharts)
    return found


@cache
def with_angles(name: str) -> Chaplygin:
    found = derive(CHARTS[name], "chaplygin")
    assert isinstance(found, Chaplygin)
    return found


def verdicts(result: object) -> dict[str, bool | None]:
    """Return what is decided, but for integrals and periods, of which there may be different numbers."""
    return {c.name: c.verdict.holds for c in claims(result) if not c.name.startswith(("integral ", "period"))}


def answered_apart(one: object, other: object) -> dict[str, tuple[bool | None, bool | None]]:
    """Return what two results say differently; what one leaves open, the other may decide."""
    left, right = verdicts(one), verdicts(other)
    both = {name: (left[name], right[name]) for name in left.keys() & right.keys()}
    assert len(both) > 15
    return {name: pair for name, pair in both.items() if None not in pair and pair[0] is not pair[1]}
