"""Chaplygin systems with rotations that nobody tuned: two derivations meet, and volumes change as beta says."""

from random import Random

import pytest
from rotating_systems import CHARTS, STATED, answered_apart, reduced, with_angles

from dalembert import System, claims, derive
from dalembert.expr.truth import vanish
from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts
from dalembert.mechanics.chaplygin.without_charts.rows import LAWS

_PAIRS = [(i, j) for i in (1, 2, 3) for j in (1, 2, 3) if i <= j]


def _inertia(draw: Random) -> str:
    whole = [
        f"{draw.randint(4, 9)}*R.w{i}^2" if i == j else f"({draw.randint(-2, 2)})*R.w{i}*R.w{j}" for i, j in _PAIRS
    ]
    return f"({' + '.join(whole)})/2"


def _potential(draw: Random) -> str:
    return f"({draw.randint(-2, 2)})*R.m31 + ({draw.randint(-2, 2)})*R.m32*R.m33"


def drawn(seed: int) -> System:
    """Return a rolling body (translations), a body held back in a direction, or both together."""
    draw = Random(seed)
    kind = seed % 3
    held = " + ".join(f"({draw.randint(-3, 3)} + {draw.randint(1, 3)}*R.m3{k})*R.w{k}" for k in (1, 2, 3))
    space = [" + ".join(f"({draw.randint(-2, 2)})*R.s{k}" for k in (1, 2)) for _ in range(2)]
    rolling = {"a": f"x' = {space[0]} + R.s1", "b": f"y' = {space[1]} - R.s2"}
    turn = {"R": "left 3"} if kind == 1 else {"R": "left 3", "x": "-y", "y": "x"}
    if kind == 2:
        rolling = {"a": "x' = 2*R.s2 + R.s1", "b": "y' = R.s2 - 2*R.s1"}
    shifts = {"e1": {"x": 1}, "e2": {"y": 1}}
    moving = "" if kind == 1 else "(x'^2 + y'^2)/2 + "
    return System.of(
        name=f"drawn {seed}",
        coordinates={"R": "rotation"} if kind == 1 else {"x": "real", "y": "real", "R": "rotation"},
        lagrangian=f"{moving}{_inertia(draw)} - ({_potential(draw)})",
        constraints={0: rolling, 1: {"held": f"{held} = 0"}, 2: {**rolling, "held": f"{held} = 0"}}[kind],
        symmetry={0: shifts, 1: {"turn": turn}, 2: {**shifts, "turn": turn}}[kind],
    )


@pytest.mark.parametrize("seed", range(6))
def test_two_derivations_meet(seed: int) -> None:
    found = derive(drawn(seed), "chaplygin")
    assert isinstance(found, ChaplyginWithoutCharts)
    for name in ("multipliers", "reduced equation", "energy conserved"):
        assert [c.verdict.holds for c in claims(found, only=name)] == [True], name
    for law in LAWS:
        assert all(c.verdict.holds for c in law.claims(found)), law.name
    r = found.reduction
    assert not vanish(r.on_states([d + a for d, a in zip(r.defects(), r.gyroscopic, strict=True)]), r.facts)


def test_the_ball_is_answered_as_with_angles() -> None:
    assert answered_apart(reduced("ball"), with_angles("ball")) == {}


@pytest.mark.parametrize("name", CHARTS)
def test_bodies_with_equal_moments_are_answered_as_with_angles(name: str) -> None:
    rolling = "m*(x'^2 + y'^2)/2 + " if name == "ball" else ""
    here = STATED[name].but(lagrangian=f"{rolling}I1*(R.w1^2 + R.w2^2 + R.w3^2)/2")
    there = CHARTS[name].but(lagrangian=f"{rolling}I1*(W1^2 + W2^2 + W3^2)/2")
    assert answered_apart(derive(here, "chaplygin"), derive(there, "chaplygin")) == {}
