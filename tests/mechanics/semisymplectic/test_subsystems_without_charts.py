"""Submanifolds of C with rotations: each condition of Theorem 5.2 is answered as in Euler's angles, and can fail."""

from functools import cache

import numpy as np

from dalembert import claims, derive, simulate
from dalembert.model.system import System

SPIN = "(A*{0}^2 + B*{1}^2 + C*{2}^2)/2"
PARAMETERS = {"A": 1, "B": 2, "C": 2.5, "g": 0.7}
TURNING = System.of(
    name="a heavy body that does not turn about its own third axis",
    coordinates={"R": "rotation"},
    parameters=PARAMETERS,
    lagrangian=SPIN.format("R.w1", "R.w2", "R.w3") + " - g*R.m33",
    constraints={"blade": "R.w3 = 0"},
    subsystem={
        "upright plane": {"at": ["R.m31 = 0", "R.w2 = 0"]},
        "the other plane": {"at": ["R.m32 = 0", "R.w1 = 0"]},
        "left at once": {"at": ["R.m32 = 0", "R.w2 = 0"]},
        "of velocities alone": {"at": "R.w2 = 0"},
    },
)
IN_ANGLES = System.of(
    name="the same, in Euler's angles",
    coordinates={"phi": "angle", "theta": "angle", "psi": "angle"},
    parameters=PARAMETERS,
    let={
        "W1": "phi'*sin(theta)*sin(psi) + theta'*cos(psi)",
        "W2": "phi'*sin(theta)*cos(psi) - theta'*sin(psi)",
        "W3": "phi'*cos(theta) + psi'",
    },
    lagrangian=SPIN.format("W1", "W2", "W3") + " - g*cos(theta)",
    constraints={"blade": "psi' = -phi'*cos(theta)"},
    subsystem={
        "upright plane": {"at": ["psi = 0", "phi' = 0"]},
        "the other plane": {"at": ["psi = pi/2", "phi' = 0"]},
        "left at once": {"at": ["psi = pi/2", "theta' = 0"]},
        "of velocities alone": {"at": ["phi' = theta'*tan(psi)/sin(theta)"]},
    },
)


@cache
def answers(in_angles):
    result = derive(IN_ANGLES if in_angles else TURNING, "semisymplectic")
    return {claim.name: claim.verdict.holds for claim in claims(result, "subsystem")}


def test_they_are_answered_as_in_a_chart():
    mine, theirs = answers(False), answers(True)
    asked = [name for name in mine if mine[name] is not None or name.endswith("symplectic")]
    assert len(asked) >= 22
    assert {name: mine[name] for name in asked} == {name: theirs[name] for name in asked}
    together = {name: held for name, held in mine.items() if name.endswith("symplectic")}
    assert list(together.values()) == [True, True, None, None]
    assert mine["subsystem left at once: invariant"] is False
    assert mine["subsystem of velocities alone: curvature"] is False


def test_a_plane_is_kept_along_the_motion_and_another_is_not():
    start = {"R": {"axis": [1, 0, 0], "angle": 0.8, "w1": 0.5}}
    run = simulate(derive(TURNING.but(start=start), "nonholonomic"), time=3, tolerance=1e-12)
    assert max(np.abs(run.value(one)).max() for one in ("R.m31", "R.w2")) < 1e-10
    assert np.abs(run.value("R.m32")).max() > 0.1


def test_equations_that_are_not_independent_are_told():
    again = TURNING.but(subsystem={"p": {"at": ["R.w2 = 0", "R.w2 = R.w2^3"]}})
    (claim,) = claims(derive(again, "semisymplectic"), "subsystem")
    assert "not independent" in claim.verdict.evidence
