"""Virtual displacements other than those of the constraints: the reduced motion is that of Lagrange's multipliers."""

from __future__ import annotations

from dalembert import System, claims, derive, refusals
from dalembert.analysis.fields import same_field

SERVO = System.of(
    name="skate whose force is steered", coordinates={"x": "real", "y": "real", "th": "angle", "a": "angle"},
    lagrangian="(x'^2 + y'^2)/2 + th'^2 + (th' + a')^2/3 + (x'*sin(th) - y'*cos(th))*th'/5 - cos(a)",
    constraints={"blade": "y'*cos(th) = x'*sin(th)"}, virtual={"blade": {"x": "-sin(th + a)", "y": "cos(th + a)"}},
    symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "th": 1}},
)  # fmt: skip


def test_the_motion_is_that_of_the_multipliers_along_the_stated_forms() -> None:
    result = derive(SERVO, "reduced")
    assert result.group == ("ex", "ey", "turn")
    full = derive(SERVO, "nonholonomic").equations
    assert same_field(full, result.equations, SERVO.q).holds
    chetaev = derive(SERVO.but(virtual=None), "reduced").equations
    assert same_field(full, chetaev, SERVO.q).holds is False
    checks = {claim.name: claim.verdict.holds for claim in claims(result) if claim.role == "check"}
    assert checks["multipliers"]
    assert checks["momentum equation"]
    assert all(checks.values())


def test_what_virtual_forms_may_not_be() -> None:
    tilted = SERVO.but(virtual={"blade": {"x": "sin(x)", "y": 1}})
    assert derive(tilted, "reduced").group == ("ey",)
    bent = SERVO.but(constraints={"fast": "x'^2 + y'^2 = 1", "blade": "y'*cos(th) = x'*sin(th)"})
    assert [fault.where for fault in refusals(bent, "reduced")] == ["[virtual]"]
