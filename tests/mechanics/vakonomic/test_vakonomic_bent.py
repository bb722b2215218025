"""Vakonomic mechanics with nonlinear constraints beside rotations and directions, against angles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, claims, derive, simulate
from dalembert.expr.truth.many import ProofBudget
from dalembert.model.trajectory import Trajectory

CRAFT = System.of(
    name="a craft whose speed is a law of its spin", coordinates={"x": "real", "y": "real", "R": "rotation"},
    lagrangian="(x'^2 + y'^2)/2 + (R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2 - R.m33",
    constraints={"speed": "x'^2 + y'^2 = 1 + R.w3^2"}, symmetry={"ex": {"x": 1}, "turn": {"R": "left 3"}},
    start={
        "x'": 1.25, "y'": 0, "R": {"euler": "ZXZ", "angles": [0.2, 0.7, 0.1], "w1": 0.3, "w2": 0.1, "w3": 0.75},
        "lambda.speed": 0.2,
    },
)  # fmt: skip
RATES = {
    "W1": "ph'*sin(th)*sin(ps) + th'*cos(ps)", "W2": "ph'*sin(th)*cos(ps) - th'*sin(ps)", "W3": "ph'*cos(th) + ps'",
}  # fmt: skip
IN_ANGLES = System.of(
    name="the same by Euler's angles",
    coordinates={"x": "real", "y": "real", "ph": "angle", "th": "angle", "ps": "angle"}, let=RATES,
    lagrangian="(x'^2 + y'^2)/2 + (W1^2 + 2*W2^2 + 3*W3^2)/2 - cos(th)",
    constraints={"speed": "x'^2 + y'^2 = 1 + W3^2"}, symmetry={"ex": {"x": 1}, "turn": {"ph": 1}},
)  # fmt: skip
NEEDLE = System.of(
    name="a puck with a needle at a given speed", coordinates={"x": "real", "y": "real", "n": "direction"},
    lagrangian="(x'^2 + y'^2 + n.x'^2 + n.y'^2 + n.z'^2)/2 + x'*n.x'/3 + y'*n.y'/3 - n.z",
    constraints={"speed": "x'^2 + y'^2 = 1"}, symmetry={"ex": {"x": 1}, "turn": {"x": "-y", "y": "x", "n": "left 3"}},
    start={"x'": 0.6, "y'": 0.8, "n": [0.6, 0, -0.8], "n.x'": 0, "n.z'": 0, "n.y'": 0.3, "lambda.speed": 0.2},
)  # fmt: skip
ON_A_CHART = System.of(
    name="the same by two angles", coordinates={"x": "real", "y": "real", "a": "angle", "b": "angle"},
    let={"X": "sin(a)*cos(b)", "Y": "sin(a)*sin(b)", "Z": "cos(a)"},
    lagrangian="(x'^2 + y'^2 + X'^2 + Y'^2 + Z'^2)/2 + x'*X'/3 + y'*Y'/3 - Z", constraints={"speed": "x'^2 + y'^2 = 1"},
)  # fmt: skip


@pytest.mark.parametrize("system", [CRAFT, NEEDLE], ids=lambda system: system.name)
def test_multipliers_and_momenta_are_decided_on_the_constraint(system: System) -> None:
    found = derive(system, "vakonomic")
    answers = {claim.name: claim.verdict.holds for claim in claims(found)}
    assert answers["multipliers"] is answers["momentum ex"] is answers["momentum turn"] is True
    assert answers["energy conserved"] is True
    wrong = replace(found.form, prolonged=(found.form.prolonged[0] + found.form.top[0], *found.form.prolonged[1:]))
    assert wrong.by_multipliers(ProofBudget(0.0)).holds is False


def _turned(w: list[float], th: float, ps: float) -> tuple[float, float, float]:
    """Return the rates of Euler's angles of an angular velocity in the body."""
    across = (w[0] * np.sin(ps) + w[1] * np.cos(ps)) / np.sin(th)
    return across, w[0] * np.cos(ps) - w[1] * np.sin(ps), w[2] - across * np.cos(th)


def _ends(system: System, other: System, start: dict[str, float]) -> tuple[Trajectory, Trajectory]:
    """Return where a system is at t = 1, and where the same in angles is; x and y are alike."""
    run = simulate(derive(system, "vakonomic"), time=1, tolerance=1e-12)
    one, two = run.at(1.0), simulate(derive(other, "vakonomic"), start, 1, tolerance=1e-12).at(1.0)
    assert max(abs(one[k] - two[k]).max() for k in ("x", "y")) < 1e-10
    return one, two


def test_a_constraint_that_has_no_value_at_rest() -> None:
    held = System.of(name="held", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"c": "1/x' = y'"})
    found = derive(held, "vakonomic")
    assert found.objects()["hamiltonian"] is not None
    assert not [claim for claim in claims(found) if claim.failed]


@pytest.mark.thorough
def test_a_rotation_moves_as_its_angles_do() -> None:
    rates = dict(zip(("ph'", "th'", "ps'"), _turned([0.3, 0.1, 0.75], 0.7, 0.1), strict=True))
    start = {"x'": 1.25, "y'": 0, "ph": 0.2, "th": 0.7, "ps": 0.1, **rates, "lambda.speed": 0.2}
    one, two = _ends(CRAFT, IN_ANGLES, start)
    assert abs(one["R.m33"] - np.cos(two["th"])).max() < 1e-10
    assert abs(one["R.m31"] - np.sin(two["th"]) * np.sin(two["ps"])).max() < 1e-10
    assert abs(two["x"] - 1.25).max() > 1e-3  # it does not go straight on


@pytest.mark.thorough
def test_a_direction_moves_as_its_angles_do() -> None:
    a = np.arctan2(0.6, -0.8)
    start = {"x'": 0.6, "y'": 0.8, "a": a, "b": 0, "a'": 0, "b'": 0.5, "lambda.speed": 0.2}
    one, two = _ends(NEEDLE, ON_A_CHART, start)
    assert abs(one["n.z"] - np.cos(two["a"])).max() < 1e-10
    assert abs(one["n.x"] - np.sin(two["a"]) * np.cos(two["b"])).max() < 1e-10
