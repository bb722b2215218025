"""What a section has for itself: equations that stand above are told there, an object that is zero is said to be."""

from dataclasses import replace
from functools import cache

import pytest

from dalembert import System
from dalembert.analysis.fields import meetings
from dalembert.expr.graph import symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import symbols
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.semisymplectic.formalism import FORMALISM
from dalembert.present import study_page
from dalembert.present.main_objects import main_groups, named_once
from dalembert.present.page import Equations, Group, Section, Words, blocks_in
from dalembert.present.report import Part
from dalembert.present.results import section_of, statement_blocks
from dalembert.present.text_writer import in_text

FREE = "(x'^2 + y'^2 + z'^2)/2"


@cache
def slope():
    """Return a system with what two formalisms derive of it, and its sections."""
    system = System.of(name="slope", coordinates="x y z", lagrangian=FREE, constraints={"slope": "z' = y*x'"})
    derived = [derive(system, name) for name in ("nonholonomic", "semisymplectic")]
    return system, [Part(one.equations.formalism, page=section_of(one), equations=one.equations) for one in derived]


def titles(section):
    return [group.title for block in blocks_in(section) for group in getattr(block, "groups", ())]


@pytest.mark.parametrize("kind", ["proved", "undecided"])
def test_equations_that_are_decided_to_be_those_above_are_told(kind):
    system, parts = slope()
    (claim,) = meetings(system, {part.formalism: part.equations for part in parts})
    assert claim.verdict.holds
    page = study_page.report_page(system, parts, [replace(claim, verdict=Verdict(kind, ""))])
    above, below = (
        next(one for one in page.blocks if isinstance(one, Section) and one.anchor == part.formalism) for part in parts
    )
    same = kind == "proved"
    assert ("those of 'Nonholonomic equations', above" in in_text(below, 200)) is same
    assert ("" in titles(below)) is not same
    assert "" in titles(above)
    assert {"bracket", "curvature", "two-form on the basis of K"} <= {*titles(below)}


def test_equations_in_other_variables_are_not_those_above():
    system, (one, two) = slope()
    assert study_page._same_fields([one, two], meetings(system, {p.formalism: p.equations for p in (one, two)}))
    moved = replace(two.equations, kinematics=dict(reversed(two.equations.kinematics.items())))
    parts = [one, replace(two, equations=moved)]
    assert not study_page._same_fields(parts, meetings(system, {part.formalism: part.equations for part in parts}))


@pytest.mark.parametrize(
    ("stated", "zero"),
    [
        ({"holonomic": {"bowl": "z = x^2 + y^2"}}, True),
        ({"holonomic": {"bowl": "z = x^2 + y^2", "line": "y = x^3"}}, True),
        ({"constraints": {"a": "z' = x*y*y' + y^2*x'/2"}}, True),
        ({"constraints": {"a": "z' = x*y*y' + y^2*x'"}}, False),
    ],
)
def test_the_curvature_of_what_is_integrable_is_shown_to_be_zero(stated, zero):
    result = derive(System.of(name="drop", coordinates="x y z", lagrangian=FREE, **stated), "semisymplectic")
    shown = [one for one in main_groups(result.objects(), FORMALISM.main, lambda e: e) if one.title == "curvature"]
    assert [[left for left, _ in group.pairs] == ["Delta^a_i_j"] for group in shown] == [zero]


def test_a_letter_that_the_equations_have_gets_no_second_name():
    u, w, again, other = symbol("u"), symbol("w"), symbol("xi_e1"), symbol("xi_e2")
    velocities = Group("body velocities", (("xi_e1", u), ("xi_e2", u + w)))
    told = [velocities, Words("so"), Group("", (("ell", again**2 + other),))]
    first, words, second = named_once(told, Equations(()))
    assert (first, words.text) == (velocities, "so")
    assert second.pairs == (("ell", u**2 + other),)


def test_the_lagrangian_of_a_mechanism_is_stated_without_what_rotations_add_up_to():
    """The squares of the velocity of a stone on a ball joint, of three components, are those of two speeds."""
    sling = System.of(
        name="sling",
        parameters={"m": 2, "l": 3},
        bodies={"stone": {"mass": "m", "centre": [0, 0, "l"]}},
        joints={"hold": {"type": "spherical", "child": "stone", "coordinate": "R"}},
    )
    (_, stated), *_ = statement_blocks(sling)[0].groups[0].pairs
    assert not [s.name for s in symbols([stated]) if s.name.startswith("R.m")]
