"""L invariant up to total derivatives: momenta with F in them, a cocycle, and G_mu of the affine action."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, claims, derive, is_zero, simulate
from dalembert.analysis.fields import meetings
from dalembert.errors import HypothesisError
from dalembert.expr.graph import ZERO
from dalembert.geometry.groups.matrices import identity
from dalembert.mechanics.routh.without_charts.derived import _motion

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


def charged_body(**more: object) -> System:
    """A body whose charge sits on its axis, ahead of the mass centre by 2, in a uniform field."""
    told: dict[str, object] = {
        "name": "charged body", "coordinates": {"x": "real", "y": "real", "R": "rotation"},
        "let": {"X": "x + 2*R.m13", "Y": "y + 2*R.m23",
            "VX": "x' + 2*(R.m11*R.w2 - R.m12*R.w1)", "VY": "y' + 2*(R.m21*R.w2 - R.m22*R.w1)"},
        "lagrangian": "(x'^2 + y'^2)/2 + 3*(X*VY - Y*VX)/2 + R.w1^2 + R.w2^2 + 3*R.w3^2",
        "symmetry": {"across": {"x": 1}, "up": {"y": 1}},
    }  # fmt: skip
    return System.of(**{**told, **more})  # type: ignore[arg-type]


def test_beside_a_rotation() -> None:
    """F has entries of the rotation in it; without F the motion is another."""
    system = charged_body()
    result = derive(system, "routh")
    assert [repr(e) for row in result.cocycle for e in row] == ["0", "3", "-3", "0"]
    assert not result.isotropy
    for name in ("full equations", "level set", "cocycle", "isotropy"):
        assert all(claim.verdict.holds for claim in claims(result, only=name))
    wrong = replace(result, equations=_motion(replace(result.level, gauges=(ZERO, ZERO)), system))
    assert [claim.verdict.holds for claim in claims(wrong, only="full equations")] == [False]


@pytest.mark.thorough
def test_reductions_with_constraints_beside_a_rotation() -> None:
    """``reduced`` has linear terms as forces; ``semisymplectic`` subtracts F, and divides by symmetries of L alone."""
    system = charged_body(constraints={"c": "R.w3 = 0"})
    reduced = derive(system, "reduced")
    held = {name: claims(reduced, only=name)[0].verdict.holds for name in ("linear terms as forces", "multipliers")}
    assert set(held.values()) == {True}
    assert system.q[0] not in reduced.equations.state
    semi = derive(system, "semisymplectic")
    assert all(claims(semi, only=f"momentum of {name}")[0].verdict.holds for name in system.symmetry)
    group = semi.find_group()
    wrong = replace(group, gauges={})
    assert [is_zero(rate, group.facts).holds for rate in (*group.rates, *wrong.rates)] == [True, True, False, False]
    with pytest.raises(HypothesisError, match="L changes under it by the rate of") as refused:
        semi.reduce()
    assert "R.m23" in str(refused.value)


def test_a_function_that_was_not_found_is_a_part_of_the_momentum() -> None:
    """L changes by the rate of the integral of exp(x^2): the momentum without it is not kept."""
    system = System.of(
        name="drag", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + y*exp(x^2)*x'", symmetry={"a": {"y": 1}}
    )
    with pytest.raises(HypothesisError, match="F that was not found"):
        derive(system, "routh")
