"""Whose equations stand in front of a report."""

from dataclasses import replace

import pytest

from dalembert import System
from dalembert.expr.elementary import sin
from dalembert.expr.graph import number, symbol
from dalembert.mechanics.derivation import derive
from dalembert.present import study_page
from dalembert.present.page import Equations, Group, Section
from dalembert.present.report import Part

PLAIN = System.of(name="plain", coordinates="x y", lagrangian="(x'^2 + y'^2)/2")


@pytest.mark.parametrize(
    ("divided", "fewer", "front"),
    [
        (sin(symbol("x")), True, "reduced"),
        (sin(symbol("x")), False, "chaplygin"),
        (number(2) + sin(symbol("x")), True, "chaplygin"),
    ],
)
def test_equations_that_fail_somewhere_give_way_to_others_in_fewer_variables(divided, fewer, front):
    x = symbol("x")
    whole = derive(PLAIN, "euler-lagrange").equations
    short, long = x + 1, (x + 1) ** 3 * (x + 2) ** 5 * (x + 3) + x**7
    fewest = dict(list(whole.kinematics.items())[: 1 if fewer else 2])
    own = {
        "chaplygin": replace(whole, pivots=(divided,)),
        "reduced": replace(whole, kinematics=fewest, reconstruction={symbol("s"): x}),
    }
    pages = {"chaplygin": short, "reduced": long}
    parts = [
        Part(name, page=Section(name, (Equations((Group("", ((x.dot, right),)),)),)), equations=own[name])
        for name, right in pages.items()
    ]
    assert study_page._front(parts) == front
