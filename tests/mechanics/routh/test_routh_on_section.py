"""Routh's procedure by a section: at every mu, and at every element of the group, the field is the full one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from section_systems import SYSTEMS, bodies, two_springs

from dalembert import claims, derive, simulate
from dalembert.analysis.fields import in_stated_coordinates
from dalembert.errors import EvaluationError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, as_expr
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.routh.on_section.derived import RouthOnSection
from dalembert.model.equations import Equations

DIMENSIONS = {
    "springs": 8, "quaternion": 4, "unitary": 10, "one sheet": 4, "two sheets": 4, "cone": 4, "bodies": 10,
    "still bodies": 8, "slider": 8, "driven": 8, "fast": 8, "vectors": 12,
}  # fmt: skip
ORBITS = {"one sheet": "of one sheet", "two sheets": "of two sheets", "cone": "cone", "springs": "sphere"}


def element(result: RouthOnSection) -> dict[Expr, Expr]:
    """A group element with rational entries, by Cayley: (1 - A)^-1 (1 + A) for A in the algebra, on (q, 1)."""
    weights = [as_expr(Fraction(k + 2, 7 + 2 * k)) for k in range(result.action.dimension)]
    found: dict[Expr, Expr] = {}
    for block, rows, shift in result.element.parts:
        linear, shifts = result.section.affine.on(block)
        size = range(len(block))
        whole = [[dot(weights, [part[i][j] for part in linear]) for j in size] for i in size]
        push = [dot(weights, [part[i] for part in shifts]) for i in size]
        minus = [[(ONE if i == j else ZERO) - whole[i][j] for j in size] for i in size]
        for j in size:
            column = solve(minus, [(ONE if i == j else ZERO) + whole[i][j] for i in size])
            found |= {row[j]: c for row, c in zip(rows, column, strict=True)}
        found |= dict(zip(shift, solve(minus, [2 * p for p in push]), strict=True))
    return {name: value for name, value in found.items() if name.op == "symbol"}


def defects(result: RouthOnSection, equations: Equations) -> list[Expr]:
    """Accelerations of the stated coordinates, at that element, less those of Euler and Lagrange."""
    system = result.system
    places, velocities, accelerations = in_stated_coordinates(equations, system.q)
    *_, expected = in_stated_coordinates(derive(system, "euler-lagrange").equations, system.q)
    put = dict(zip((*system.q, *system.v), (*places, *velocities), strict=True))
    gaps = [a - b for a, b in zip(accelerations, substitute(expected, put), strict=True)]
    return substitute(gaps, element(result))


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("springs", "bodies", "still bodies", "unitary", "driven", "slider", "fast", "vectors")
def test_reduced_and_reconstructed_is_the_full_field(name: str) -> None:
    result = derive(SYSTEMS[name](), "routh")
    assert result.form == "section"
    if not result.equations.implicit:
        assert vanish(defects(result, result.equations))
        turned = {p: -rate if p in result.momenta else rate for p, rate in result.equations.kinematics.items()}
        if any(turned[p] is not rate for p, rate in result.equations.kinematics.items()):
            assert not vanish(defects(result, replace(result.equations, kinematics=turned)))
    decided = {claim.name: claim for claim in claims(result)}
    checks = [claim for claim in decided.values() if claim.role in ("check", "hypothesis")]
    assert all(claim.verdict.holds for claim in checks), [c.name for c in checks if not c.verdict.holds]
    assert f"dimension {DIMENSIONS[name]}:" in decided["coadjoint orbit"].statement
    assert ORBITS.get(name, "") in getattr(decided.get("Casimir 1"), "statement", "")


def test_a_wrong_momentum_equation_is_refuted() -> None:
    result = derive(SYSTEMS["one sheet"](), "routh")
    turned = {p: -rate if p in result.momenta else rate for p, rate in result.equations.kinematics.items()}
    wrong = replace(result, equations=replace(result.equations, kinematics=turned))
    told = {claim.name: claim.verdict.holds for claim in claims(wrong)}
    assert told["full equations"] is False


def apart(system: object, time: float) -> float:
    free = system.but(momentum=None, run={"time": time})  # type: ignore[attr-defined]
    reduced = simulate(derive(free, "routh"), samples=21, tolerance=1e-13)
    full = simulate(derive(free, "euler-lagrange"), samples=21, tolerance=1e-13)
    return max(float(np.max(np.abs(reduced[q.data.name] - full[q.data.name]))) for q in free.q)


@pytest.mark.parametrize("name", ["springs", "bodies"])
@pytest.mark.thorough("bodies")
def test_the_motion_is_the_full_one(name: str) -> None:
    assert apart(SYSTEMS[name](), 2.0) < 1e-10


@pytest.mark.thorough
def test_a_start_at_the_edge_of_one_section_has_another() -> None:
    places = {"a1": 1, "b1": 2, "c1": 0.3, "c2": 1}  # the first two vectors are parallel
    speeds = {"a2'": 0.3, "b3'": 0.4, "c1'": -0.2, "c3'": 0.5}
    system = SYSTEMS["vectors"]().but(start=places | speeds)
    assert [x.data.name for x in derive(system, "routh").section.base][-2:] == ["c2_base", "c3_base"]
    assert apart(system, 1.0) < 1e-10


def test_what_a_start_may_not_be() -> None:
    result = derive(two_springs(), "routh")
    begin = result.equations.initial_state
    assert begin is not None
    with pytest.raises(EvaluationError, match="action is not free"):
        begin({"b1": 2, "b2": "2/5", "b3": 0}, None)
    speeds = dict.fromkeys(["a1'", "a2'", "a3'", "b1'", "b2'", "b3'"], 0)
    with pytest.raises(EvaluationError, match="momentum e3 = 0"):
        begin(speeds, None)
    with pytest.raises(EvaluationError, match="gives a value to 'Pi_e1'"):
        begin({"Pi_e1": 1}, None)


@pytest.mark.thorough
def test_no_momentum_of_translation_leaves_no_variable() -> None:
    still = bodies({"tx": "0", "ty": "0", "tz": "0", "e1": "3/10", "e2": "1/5", "e3": "7/10"})
    state = {s.data.name for s in derive(still, "routh").equations.state}
    assert "Pi_e1" in state
    assert "Pi_tx" not in state
