"""Adjoint symmetries that come from a function give first integrals, Lagrangians, or less."""

import pytest
from second_order_fields import DISC, disc, field

from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.search.alternative_lagrangians import consequence
from dalembert.mechanics.second_order.search.linear_search import Ansatz
from dalembert.mechanics.second_order.search.symmetries import (
    AdjointSymmetry,
    adjoint_of,
    find_adjoint_symmetries,
)
from dalembert.model.system import System


@pytest.mark.parametrize(
    ("text", "outcome", "lagrangian"),
    [
        ("psi*phi'", "lagrangian", "phi'*psi'"),
        ("(phi*phi' + psi*psi')/2", "lagrangian", "(phi'^2 + psi'^2)/2"),
        ("t*(phi'^2 + psi'^2)/2", "lagrangian", "(phi'^2 + psi'^2)/2"),
        ("phi*phi'^2/2", "degenerate", "phi'^3/2"),
        ("R*(cos(psi) - sin(psi))*phi' + (x + y)*psi'", "first integral", "0"),
        ("t*phi'", "first integral", "0"),
    ],
)
def test_what_a_function_gives(text: str, outcome: str, lagrangian: str) -> None:
    f = field(DISC)
    (function,) = disc(text)
    found = consequence(f, adjoint_of(f, function))
    assert found.outcome == outcome
    assert found.lagrangian is not None
    assert found.function is not None
    assert is_zero(found.lagrangian - disc(lagrangian)[0]).holds
    if outcome == "first integral":
        assert is_zero(f.rates([found.function])[0]).holds
    assert not any(claim.failed for claim in found.claims)


def test_what_comes_from_no_function() -> None:
    f = field(DISC)
    assert consequence(f, adjoint_of(f, *disc("x*phi'"))).outcome == "not adjoint"
    values = disc("-R*sin(psi)*psi'", "R*sin(psi)*phi'", "psi'^2", "0")
    assert consequence(f, AdjointSymmetry.of(values[:2], values[2:])).outcome == "not closed"


def test_a_lagrangian_of_equations_without_one() -> None:
    stated = System.of(name="springs", coordinates="x y z", equations={"x''": "-x", "y''": "-y", "z'": "y*x'"})
    f = field_of(stated)
    (function, expected, forced) = (
        parse(e, stated.vocabulary) for e in ("(x*x' + y*y')/2", "(x'^2 + y'^2 - x^2 - y^2)/2", "z*x'")
    )
    found = consequence(f, adjoint_of(f, function))
    assert found.outcome == "lagrangian"
    assert is_zero(found.lagrangian - expected).holds
    assert consequence(f, adjoint_of(f, forced)).outcome == "not adjoint"


def test_a_field_with_time() -> None:
    """z' = t x' + 1: the known first integrals, one of which is not polynomial and is judged all the same."""
    stated = System.of(
        name="ramp", coordinates="x z", lagrangian="(x'^2 + z'^2)/2", constraints={"ramp": "z' = t*x' + 1"}
    )
    f = field_of(derive(stated))
    root, long, wrong = (
        parse(e, stated.vocabulary) for e in ("x'*sqrt(1 + t^2)", "z - t - (1 + t^2)*x'", "x'*(1 + t^2)")
    )
    for function in (root, long):
        assert consequence(f, adjoint_of(f, function)).outcome == "first integral"
    assert consequence(f, adjoint_of(f, wrong)).outcome == "not adjoint"
    assert find_adjoint_symmetries(f, Ansatz(0, 0, 2)).coordinates_of(adjoint_of(f, long)) is not None
