"""Whose equations stand in front of a report."""

from dataclasses import replace

import pytest

from dalembert import System
from dalembert.expr.elementary import sin
from dalembert.expr.graph import number, symbol
from dalembert.expr.truth import Verdict
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.found_symmetries import with_symmetry
from dalembert.model.claim import Claim
from dalembert.present import report, study_page
from dalembert.present.page import Equations, Group, Section
from dalembert.present.report import Part

PROVED = Verdict("proved", "")
PLAIN = System.of(name="plain", coordinates="x y", lagrangian="(x'^2 + y'^2)/2")


@pytest.mark.parametrize(
    ("divided", "left_out", "front"),
    [
        (sin(symbol("x")), "reduced", "reduced"),
        (sin(symbol("x")), "", "reduced"),
        (sin(symbol("x")), "chaplygin", "chaplygin"),
        (number(2) + sin(symbol("x")), "reduced", "chaplygin"),
    ],
)
def test_equations_that_fail_somewhere_give_way_to_others_in_no_more_variables(divided, left_out, front):
    x = symbol("x")
    whole = derive(PLAIN, "euler-lagrange").equations
    short, long = x + 1, (x + 1) ** 3 * (x + 2) ** 5 * (x + 3) + x**7
    fewer = dict(list(whole.kinematics.items())[:1])
    own = {
        "chaplygin": replace(whole, pivots=(divided,)),
        "reduced": replace(whole, reconstruction={symbol("s"): x}),
    }
    own |= {name: replace(one, kinematics=fewer) for name, one in own.items() if name == left_out}
    pages = {"chaplygin": short, "reduced": long}
    parts = [
        Part(name, page=Section(name, (Equations((Group("", ((x.dot, right),)),)),)), equations=own[name])
        for name, right in pages.items()
    ]
    assert study_page._front(parts) == front


@pytest.mark.parametrize("many", [2, 40])
def test_long_symmetries_that_were_found_are_told_by_name(many):
    said = ", ".join(f"e{k} = d/dx + {k}*d/dy" for k in range(many))
    found = Claim("found symmetries", f"no symmetry is stated; dalembert found and uses {said}", "hypothesis", PROVED)
    system = replace(with_symmetry(PLAIN, "e1"), found=found)
    (told,) = report._found(system)
    assert (said in told.text) is (many == 2)
    assert told.text.startswith("No symmetry is stated; dalembert found and uses e")


@pytest.mark.parametrize(
    ("claims", "told"),
    [
        ((), "Nothing was decided."),
        ((PROVED,), "1 hypothesis or check was decided: it holds."),
        ((PROVED, PROVED), "2 hypotheses and checks were decided: all hold."),
        ((Verdict("undecided", ""),), "0 of 1 hypotheses and checks hold; 1 undecided."),
    ],
)
def test_one_claim_is_told_as_one(claims, told):
    made = tuple(Claim(f"c{k}", "so it is", "check", verdict) for k, verdict in enumerate(claims))
    (said,) = report._checked([Part(formalism="euler-lagrange", claims=made)], (), PLAIN)
    assert said.text == told
