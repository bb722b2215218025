"""What a short search finds stands on the page, in text and JSON, and costs nothing where it is not asked for."""

import json
from dataclasses import replace

import pytest
from commanding import command

from dalembert import System, claims, derive, gallery
from dalembert.analysis.discovery.glance import glance
from dalembert.analysis.motions import Motions
from dalembert.expr import cos
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.files import dumps
from dalembert.present.conserved import Sentence
from dalembert.present.report import Part, summary_page
from dalembert.present.study_page import report_page
from dalembert.present.text_writer import in_text
from dalembert.studies.discovery_page import discovery_json
from dalembert.studies.known_integrals import _proved, _surest
from dalembert.studies.parts import part_of

SPRINGS = System.of(
    name="two springs",
    coordinates="x y",
    parameters={"k": 2},
    lagrangian="(x'^2 + y'^2 - k*x^2 - k*y^2)/2",
)


def test_new_integrals_are_told_from_energy_and_momenta_and_are_kept():
    look, motions = glance(SPRINGS), Motions(SPRINGS)
    assert [one.name for one in look.integrals] == ["momentum of -y d/dx + x d/dy", "energy", "", ""]
    assert all(motions.keep(one.expression).holds for one in look.integrals)
    assert motions.keep("x'*y' - k*x*y").holds is False  # a wrong sign is seen


@pytest.mark.parametrize("name", ["euler-lagrange", "routh"])
def test_the_page_of_a_study_has_the_section_once(name):
    part = part_of(SPRINGS, name)
    page = in_text(report_page(SPRINGS, [part]), 100, lambda _, text: text)
    assert ("What a short search finds" in page) is (name == "euler-lagrange")
    assert ("Constant along every motion" in page) is (name == "euler-lagrange")


def test_what_is_conserved_has_all_that_was_found_once():
    """Nobody stated the turns about the vertical, nor those of the wheel: their momenta are on the first screen."""
    satellite = System.of(
        name="satellite with a wheel",
        coordinates={"R": "rotation", "phi": "angle"},
        parameters={"A": 2, "B": 3, "C": 4, "J": 1, "k": 2},
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + J*(phi' + R.w3)^2/2 - k*R.m31 - R.m32",
        symmetry={"wheel": {"phi": 1}},
    )
    part = part_of(satellite, "euler-lagrange")
    told = {one.text: one.formulas for one in part.sentences if one.topic == "conserved"}
    (momentum,) = told["The momentum of R left 3 is conserved:"]
    assert list(told) == [
        "The energy is conserved.",
        "The momentum of wheel is conserved.",
        "The momentum of R left 3 is conserved:",
    ]
    assert Motions(satellite).keep(text(momentum)).holds
    assert [one["name"] for one in part.integrals] == ["momentum of R left 3", "energy"]


def test_a_momentum_that_forces_leave_alone_is_conserved_beside_the_claim_on_their_work():
    stone = System.of(
        name="stone",
        coordinates="x z",
        parameters=["m", "c"],
        lagrangian="m*(x'^2 + z'^2)/2 - m*z",
        forces={"z": "-c*z'"},
        symmetry={"along": {"x": 1}},
    )
    part = part_of(stone, "euler-lagrange")
    assert part.integrals[0]["name"] == "momentum of d/dx"
    assert "The momentum of d/dx is conserved:" in [one.text for one in part.sentences]


def test_the_command_shows_it_unless_equations_are_all_that_is_asked(tmp_path, monkeypatch):
    model = tmp_path / "springs.toml"
    model.write_text(dumps(SPRINGS))
    words = ("derive", str(model), "--as", "euler-lagrange")
    shown, full = command(*words).out, command(*words, "--full").out
    assert "yes  Constant along every motion: " in shown
    assert "Searched" not in shown
    assert full.count("What a short search finds") == 1
    assert full.count("(momentum of -y d/dx + x d/dy)") == 1, "what is found is listed once"
    told = json.loads(command(*words, "--json").out)["discovery"]
    assert told == discovery_json(glance(SPRINGS))
    for where in ("analysis.discovery.glance", "studies.known_integrals"):
        monkeypatch.setattr(f"dalembert.{where}.glance", lambda *_, **__: pytest.fail("it was searched"))
    assert "What a short search finds" not in command(*words, "--equations").out


def test_what_is_large_is_not_begun():
    arm = glance(gallery.load("arm"))
    assert "too many for a short look" in arm.note
    assert [one.name for one in arm.integrals] == ["momentum of d/dq1"]  # but what reductions find is used
    assert glance(gallery.load("four-bar")).note.endswith("takes no constraints on positions")


FORKLIFT = System.of(
    name="forklift steered behind",
    coordinates={"x": "real", "y": "real", "h": "angle", "s": "angle"},
    parameters={"m": 2, "J": 1, "K": "1/5", "a": "3/2"},
    lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + K*(h' + s')^2/2",
    constraints={"front": "y'*cos(h) = x'*sin(h)", "rear": "x'*sin(h + s) - y'*cos(h + s) + a*cos(s)*h' = 0"},
)


def test_an_integral_is_shown_once_and_in_letters_that_are_defined():
    """One formalism knows it by u, as s' - u sin(s)/a, another as h' + s': the first screen has the one without u."""
    moving = derive(FORKLIFT, "nonholonomic").equations
    (_, _, h, s), (u,) = FORKLIFT.q, moving.speeds
    kept = Verdict("proved", "")
    by_speed, other, stranger = s.dot + moving.kinematics[h], h.dot + s.dot, u * cos(s)

    def said(name, *formulas):
        told = Sentence("Constant along every motion:", kept.kind, "conserved", formulas)
        equations = derive(FORKLIFT, name).equations if name != "nonholonomic" else moving
        return Part(name, equations=equations, sentences=(told,))

    def page(*parts):
        shown = in_text(summary_page(FORKLIFT, parts), 200, lambda _, text: text)
        return shown.partition("What is conserved")[2].partition("How sure")[0]

    both = page(said("nonholonomic", by_speed), said("chaplygin", other))
    assert "h' + s' (chaplygin)" in both
    assert "u" not in both.replace("Constant along every motion", "")
    alone = page(said("nonholonomic", by_speed, stranger), said("chaplygin", other))  # another one stays, with its u
    assert "u*cos(s) with u = " in alone
    assert "h' + s' (chaplygin)" in alone
    different = page(said("nonholonomic", by_speed), said("chaplygin", h.dot))  # not the same function: both stay
    assert "u*(sin(s)/a) with u = " in different
    assert "h' (chaplygin)" in different
    three = page(said("nonholonomic", h.dot, s.dot), said("chaplygin", h.dot**3 + h.dot * s.dot**2 + s.dot))
    assert "chaplygin" not in three  # a function of two that are told


def test_what_a_claim_proves_a_search_is_not_only_certain_of():
    """One function has one verdict on a page, the surest; another function keeps its own."""
    system = System.of(
        name="bead", coordinates={"r": "real", "a": "angle"}, parameters={"m": 1, "k": 2},
        lagrangian="m*(r'^2 + r^2*a'^2)/2 - k*r^2/2", symmetry={"turn": {"a": 1}},
    )  # fmt: skip
    result = derive(system, "euler-lagrange")
    claim = next(c for c in claims(result) if c.name == "momentum turn")
    momentum, energy = (result.equations.monitors[name] for name in ("momentum turn", "energy"))
    proved = _proved(result, [replace(claim, verdict=Verdict("proved", "by the claim"))])
    unsure = Verdict("certain", "by a search")
    verdicts = [_surest(FirstIntegral(e, unsure), proved, result).verdict for e in (momentum, energy, 2 * momentum)]
    assert [one.evidence for one in verdicts] == ["by the claim", "by a search", "by a search"]
    assert _proved(result, [replace(claim, verdict=unsure)]) == []


@pytest.mark.thorough
def test_more_than_the_state_has_variables_is_told_only_where_it_says_more():
    free = part_of(gallery.load("skew-contorsion"), "nonholonomic", answers=False, film=False)
    unnamed = [one for one in free.integrals if not one["name"]]
    assert len(unnamed) == len(free.equations.state) - 1  # as many as there can be, each told once
    vector = part_of(gallery.load("kepler"), "euler-lagrange", answers=False, film=False)
    assert sum("sqrt" in one["expression"] for one in vector.integrals) == 4  # the energy, and Laplace's vector whole


def test_a_momentum_that_the_constraints_make_zero_is_not_told_however_it_is_written():
    rail = System.of(
        name="rail", coordinates="x y z", constraints={"rail": "x' = y'"},
        lagrangian="(1 + z)^2*x'^2/2 + (1 + 2*z + z^2)*y'^2/2 + z'^2/2 - (x + y)^2",
    )  # fmt: skip
    assert [one.name for one in glance(rail).integrals] == ["energy"]
