"""The equations that stand in front of a report, and the facts beside them."""

from dataclasses import replace

import pytest

from dalembert import System
from dalembert.expr.graph import symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import symbols
from dalembert.mechanics.found_symmetries import with_symmetry
from dalembert.model.claim import Claim
from dalembert.present import report
from dalembert.present.conserved import Sentence
from dalembert.present.page import Columns, Equations, Group, Section
from dalembert.present.report import Part
from dalembert.present.study_page import report_page
from dalembert.present.text_writer import in_text
from dalembert.studies.parts import part_of

PROVED = Verdict("proved", "")
PLAIN = System.of(name="plain", coordinates="x y", lagrangian="(x'^2 + y'^2)/2")


CART = System.of(
    name="cart with a pendulum",
    coordinates={"x": "real", "a": "angle"},
    parameters={"M": 2, "m": 1, "l": 1, "g": 9.81},
    lagrangian="M*x'^2/2 + m*(x'^2 + 2*l*x'*a'*cos(a) + l^2*a'^2)/2 + m*g*l*cos(a)",
)
SLEIGH = System.of(
    name="sleigh",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    lagrangian="(x'^2 + y'^2 + th'^2)/2",
    symmetry={"e1": {"x": 1}},
)
ENERGY = "The energy is conserved."


def bare(name, *said):
    """Return a part that applies, with sentences on what is conserved."""
    page = Section(name, (Equations((Group("", ((symbol("x").dot, symbol("x")),)),)),), anchor=name)
    return Part(name, page=page, sentences=tuple(Sentence(text, kind, "conserved") for text, kind in said))


def first_screen(page):
    return next(block for block in page.blocks if isinstance(block, Columns)).left


def test_the_equations_in_front_are_those_of_the_statement_in_its_coordinates():
    """The reduced equations are shorter and by momenta; they come first here, and stand below all the same."""
    parts = [part_of(CART, name, answers=False, film=False) for name in ("reduced", "routh", "euler-lagrange")]
    assert all(part.applies for part in parts)
    equations, *_ = (block for block in first_screen(report_page(CART, parts)) if block.title == "Equations of motion")
    pairs = [pair for group in equations.blocks[0].groups for pair in group.pairs]
    held = symbols([side for pair in pairs for side in pair])
    assert len(pairs) == 2
    assert {one.name for one in held if one.role != "parameter"} == {"x", "a"}


@pytest.mark.parametrize(
    ("names", "front"),
    [
        (("reduced", "nonholonomic", "vakonomic"), "nonholonomic"),
        (("reduced", "vakonomic"), "reduced"),
        (("vakonomic",), "vakonomic"),
        ((), ""),
    ],
)
def test_in_front_is_what_the_statement_means_or_the_first_that_applies(names, front):
    parts = [Part("routh", faults=("no",)), *map(bare, names)]
    assert report.front_of(SLEIGH, parts) == front


def test_facts_about_another_motion_stand_with_its_formalism():
    momenta = "The momenta of e1, e2, e3 are conserved."
    parts = [bare("nonholonomic", (ENERGY, "certain")), bare("vakonomic", (ENERGY, "proved"), (momenta, "proved"))]
    page = report_page(SLEIGH, parts)
    above = in_text(Section("", first_screen(page)), 200)
    assert momenta not in above
    assert (above.count(ENERGY), "certain" in above, "vakonomic" in above) == (1, True, False)
    below = {one.anchor: in_text(one, 200) for one in page.blocks if isinstance(one, Section)}
    assert momenta in below["vakonomic"]
    assert momenta not in below["nonholonomic"]
    alone = in_text(Section("", first_screen(report_page(SLEIGH, parts[1:]))), 200)  # it is the motion shown
    assert momenta in alone


def test_a_fact_stands_once_with_its_surest_verdict():
    parts = [bare("nonholonomic", (ENERGY, "certain")), bare("reduced", (ENERGY, "proved"))]
    (section,) = (block for block in first_screen(report_page(SLEIGH, parts)) if block.title == "What is conserved")
    (said,) = section.blocks
    assert (said.text, said.verdict, said.source) == (ENERGY, "proved", "nonholonomic, reduced")


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
