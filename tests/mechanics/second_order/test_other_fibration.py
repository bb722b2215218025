"""The same motion with other coordinates dependent: rules against a new derivation, and rules that are wrong."""

from dataclasses import replace

import pytest

from dalembert import System, claims, derive
from dalembert.errors import ModelError
from dalembert.expr.truth.many import all_vanish
from dalembert.gallery import load
from dalembert.mechanics.nonholonomic.other_fibration import in_other_fibration
from dalembert.mechanics.second_order import changes
from dalembert.mechanics.second_order.changes import fibration_laws

NAME = "change of fibration"
LIFTS = "X^H' = X^H + (kappa Psi(X))^V/2"


def cart():
    """A cart with a blade, and a rack on it: two constraints, four coordinates."""
    return System.of(
        name="cart",
        coordinates={"x": "real", "y": "real", "th": "angle", "s": "real"},
        lagrangian="(x'^2 + y'^2 + 2*th'^2 + s'^2)/2 - x*s",
        constraints={"blade": "y'*cos(th) = x'*sin(th)", "rack": "s' = x*th'"},
        fibration={"dependent": ["y", "s"], "other": ["x", "th"]},
    )


def parallel():
    return System.of(
        name="parallel velocities",
        coordinates="x y u v",
        lagrangian="(x'^2 + y'^2 + u'^2 + v'^2)/2 - x*u^2",
        constraints={"c": "x'*v' = y'*u'"},
        fibration={"other": ["x"]},
    )


def by_equations():
    table = {"x''": "-x*z", "y''": "x'*y'", "z'": "x'^2*y' + z*t"}
    return System.of(name="stated", coordinates="x y z", equations=table, fibration={"other": ["y"]})


def with_time():
    return load("affine-time").but(fibration={"other": ["x"]})


@pytest.mark.parametrize(("system", "count"), [(cart, 5), (parallel, 5), (by_equations, 4), (with_time, 5)])
def test_the_rules_of_change_hold(system, count):
    found = derive(system(), "nonholonomic")
    told = claims(found, only=NAME)
    assert len(told) == count
    assert {claim.verdict.holds for claim in told} == {True}


def holding(sode, other):
    return {said: all_vanish(parts, sode.facts).holds for said, parts in fibration_laws(sode, other).items()}


def test_a_wrong_field_and_wrong_rules_are_seen(monkeypatch):
    found = derive(parallel(), "nonholonomic")
    sode, other = found.sode, in_other_fibration(found)
    bent = holding(sode, replace(other, coefficients=(tuple(b + 1 for b in other.coefficients[0]),)))
    assert bent["B' = X(q) P"] is bent["the constraints are the same"] is False
    pushed = replace(other, acceleration=tuple(f + other.velocities[0] for f in other.acceleration))
    wrong = holding(sode, pushed)
    assert wrong["B' = X(q) P"]
    assert wrong["the motion is the same"] is wrong[LIFTS] is False
    for factor in (0, 1, -changes._HALF):  # the connection stays; all of the curvature; the wrong sign
        monkeypatch.setattr(changes, "_HALF", factor)
        assert holding(sode, other)[LIFTS] is False


def test_roots_of_two_charts_are_not_taken_for_one():
    fast = System.of(
        name="isokinetic",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2*y",
        constraints={"speed": "x'^2 + y'^2 + z'^2 = 1"},
        fibration={"dependent": ["z"], "other": ["y"]},
        start={"z'": 0.5, "y'": 0.5},
    )
    (said,) = claims(derive(fast, "nonholonomic"), only=NAME)
    assert said.verdict.kind == "undecided"
    assert "roots" in said.verdict.evidence


def test_what_the_constraints_do_not_give_is_refused():
    with pytest.raises(ModelError, match="do not give the velocities of y"):
        System.of(
            name="s",
            coordinates="x y z",
            lagrangian="(x'^2 + y'^2 + z'^2)/2",
            constraints={"c": "z' = y*x'"},
            fibration={"other": ["y"]},
        )


def test_both_choices_are_written_and_read_back():
    stated = cart()
    again = stated.but(notes="the same")
    assert (again.dependent, again.other_dependent) == (stated.dependent, stated.other_dependent)
    assert derive(again, "nonholonomic").objects()["change_of_fibration"]["dependent"] == ["x", "th"]
