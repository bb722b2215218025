"""An object that a system does not have is left out with its reason, and takes no other with it."""

from itertools import product

import pytest

from dalembert import System, claims, derive
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr.truth import Verdict
from dalembert.mechanics.lagrangian.kinetic_metric import KineticGeometry
from dalembert.mechanics.registry import formalism, formalism_names
from dalembert.mechanics.theorem import Theorem, about
from dalembert.studies.parts import part_of

DEGENERATE = [
    "(x'^2 + y'^2)/2 - z",
    "y^2*x'^2/2 + y'^2/2 - cos(x)",
    "x'*y'",
    "(x' + z')^2/2 + y'^2/2 - x*z",
]
"""Lagrangians that are regular on the constraints alone."""
CONSTRAINTS = ["z' = y^2*x'/2", "x' = y*z'"]


@pytest.mark.parametrize(("lagrangian", "constraint"), [*product(DEGENERATE, CONSTRAINTS)])
def test_a_lagrangian_that_is_degenerate_off_the_constraints(lagrangian, constraint):
    system = System.of(name="martinet", coordinates="x y z", lagrangian=lagrangian, constraints={"c": constraint})
    applied = 0
    for name in formalism_names():
        try:
            result = derive(system, name)
        except HypothesisError:
            continue
        applied += 1
        assert "energy" in result.objects() or name == "chaplygin"
        assert not [claim for claim in claims(result, verify=True) if "division by zero" in claim.verdict.evidence]
        formalism(name).integrals(result)
    assert applied


def test_a_part_is_whole_where_an_object_cannot_be_written(monkeypatch):
    """The wrong twin: the object is there where nothing stands in its way."""
    ball = System.of(name="ball", coordinates={"a": "angle", "b": "angle"}, lagrangian="(a'^2 + sin(a)^2*b'^2)/2")
    assert "ricci_tensor" in derive(ball, "euler-lagrange").objects()

    def fail(_):
        raise ExpressionError("this is too large.")

    monkeypatch.setattr(KineticGeometry, "objects", fail)
    objects = derive(ball, "euler-lagrange").objects()
    assert objects["kinetic_geometry"] == "left out: this is too large"
    assert {"momenta", "energy", "hessian"} <= set(objects)
    part = part_of(ball, "euler-lagrange")
    assert part.answer["objects"]["kinetic_geometry"] == "left out: this is too large"
    assert part.claims


def test_a_claim_that_cannot_be_decided_says_why_and_stops_no_other():
    def fail(*_):
        raise ExpressionError("a matrix is singular.")

    one = Theorem("one", "", "it is so", "check", fail)
    needy = Theorem("needy", "", "it is so", "check", lambda *_: Verdict("proved", ""), needs=fail)
    sound = Theorem("sound", "", "it is so", "check", lambda *_: Verdict("proved", ""))
    rows = (one, needy, *about(fail, [sound]), sound)
    found = [claim.verdict for row in rows for claim in row.claims(None)]
    assert [verdict.kind for verdict in found] == ["undecided"] * 3 + ["proved"]
    assert {verdict.evidence for verdict in found[:3]} == {"a matrix is singular."}
