"""L invariant up to total derivatives: momenta with F in them, a cocycle, and G_mu of the affine action."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, claims, derive, simulate
from dalembert.analysis.fields import meetings
from dalembert.geometry.groups.matrices import identity

SHIFTS = {"tx": {"x1": 1, "x2": 1}, "ty": {"y1": 1, "y2": 1}}
TURN = {"turn": {"x1": "-y1", "y1": "x1", "x2": "-y2", "y2": "x2"}}
FIELD = "B*(x1*y1' - y1*x1')/2"


def charges(second: str = "", **more: object) -> System:
    """Two charges on a spring in a uniform field; ``second`` is how the field holds the second one."""
    told: dict[str, object] = {
        "name": "two charges", "coordinates": "x1 y1 x2 y2", "parameters": {"m": 1, "B": 0.7, "k": 2},
        "lagrangian": f"m*(x1'^2 + y1'^2)/2 + (x2'^2 + y2'^2)/2 + {FIELD} {second} - k*((x1 - x2)^2 + (y1 - y2)^2)",
        "symmetry": SHIFTS, "start": {"x1": 1, "y2": 0.5, "x1'": 0.2, "y2'": 0.3},
    }  # fmt: skip
    return System.of(**{**told, **more})  # type: ignore[arg-type]


def falling() -> System:
    """A weight that falls, beside a wheel: L changes by the derivative of -m g t."""
    return System.of(name="falling", coordinates={"z": "real", "s": "real"}, parameters={"m": 1, "g": 9.81},
        lagrangian="m*z'^2/2 + s'^2/2 - m*g*z - cos(s)", symmetry={"up": {"z": 1}}, momentum={"up": "1/3"})  # fmt: skip


CASES = {
    "one charge": (charges(), 6, 0),
    "opposite charges": (charges("- B*(x2*y2' - y2*x2')/2"), 4, 2),
    "turned": (charges("- B*(x2*y2' - y2*x2')/2", symmetry={**SHIFTS, **TURN}), 4, 1),
    "falling": (falling(), 2, 1),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.thorough("turned")
def test_what_is_left_and_what_is_reconstructed_is_the_full_field(name: str) -> None:
    system, state, lifted = CASES[name]
    result = derive(system, "routh")
    assert result.form == "cocycle"
    assert (len(result.equations.state), len(result.equations.reconstruction)) == (state, lifted)
    told = claims(result)
    assert all(claim.verdict.holds for claim in told if claim.role in ("check", "hypothesis"))
    full = {name: derive(system, name).equations for name in ("routh", "euler-lagrange")}
    assert [claim.verdict.holds for claim in meetings(system, full)] == [True]


def test_wrong_ones_are_refuted() -> None:
    result = derive(CASES["one charge"][0], "routh")
    assert not result.isotropy  # the translations commute, and none keeps the momentum of the other
    wrong = replace(result, isotropy=identity(2))
    assert [claim.verdict.holds for claim in claims(wrong, only="isotropy")] == [False]
    first, *others = result.equations.force
    pushed = replace(result, equations=replace(result.equations, force=(first + 1, *others)))
    assert [claim.verdict.holds for claim in claims(pushed, only="full equations")] == [False]


@pytest.mark.thorough
def test_the_motion_is_the_full_one() -> None:
    system = CASES["turned"][0].but(run={"time": 2})
    one, two = (simulate(derive(system, name), samples=21, tolerance=1e-13) for name in ("routh", "euler-lagrange"))
    assert max(float(np.max(np.abs(one[q.data.name] - two[q.data.name]))) for q in system.q) < 1e-10
