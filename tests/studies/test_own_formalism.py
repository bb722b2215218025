"""A formalism in one file of somebody's own goes everywhere the others do, and no other file is touched."""

import json
import sys
from dataclasses import replace
from importlib import import_module

import pytest
from commanding import command

from dalembert import System, cache, claims, derive, simulate
from dalembert.cli import complete
from dalembert.errors import DalembertError, HypothesisError
from dalembert.mechanics import registry
from dalembert.mechanics.derivation import refusals
from dalembert.mechanics.registry import formalism, formalism_names, home_of, register
from dalembert.model.files import dumps
from dalembert.present.bibliography import bibtex
from dalembert.studies.parts import part_of
from dalembert.studies.studying import study

FALL = System.of(
    name="fall",
    coordinates="x z",
    lagrangian="(x'^2 + z'^2)/2 - x^2 - z",
    start={"x": 1, "z'": 2},
    run={"time": 1, "formalism": "newton"},
)
HEAVY = FALL.but(lagrangian="x'^2 + z'^2/2 - z")


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    """Read the file of the formalism, and forget it afterwards."""
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.delitem(sys.modules, "toy_formalism", raising=False)
    return import_module("toy_formalism").FORMALISM


def test_it_is_derived_moved_and_decided():
    result = derive(FALL, "newton")
    assert repr(result).startswith("<newton equations of fall: ")
    assert [(c.name, c.verdict.kind, c.place) for c in claims(result)] == [("vis viva", "proved", "Newton, book I")]
    ours, theirs = (simulate(derive(FALL, how), tolerance=1e-12) for how in ("newton", "euler-lagrange"))
    assert ours["z"][-1] == pytest.approx(theirs["z"][-1], abs=1e-10)
    with pytest.raises(HypothesisError, match="the mass is not 1"):
        derive(HEAVY, "newton")
    assert refusals(HEAVY, "newton")
    assert not refusals(FALL, "newton")


def test_a_theorem_that_does_not_hold_is_refuted():
    """The wrong twin: with a force that is not that of the potential."""
    result = derive(FALL, "newton")
    wrong = replace(result, equations=replace(result.equations, force=tuple(-f for f in result.equations.force)))
    (claim,) = claims(wrong)
    assert claim.failed


def test_a_study_runs_it_in_a_process_and_reports_it():
    done = study(FALL, formalisms=["euler-lagrange", "newton"])
    ours = done.parts[1]
    assert ours.applies, ours.stopped
    assert [s.text for s in ours.sentences] == ["Vis viva is conserved."]
    page = done.to_html()
    assert "Newton&#x27;s second law" in page
    assert "Force is mass times acceleration." in page
    assert {c.name for c in done.crossed} >= {"euler-lagrange and newton as fields"}
    assert all(c.verdict.holds for c in done.crossed)
    assert not part_of(HEAVY, "newton").applies


def test_the_command_line_knows_it(tmp_path):
    model = tmp_path / "fall.toml"
    model.write_text(dumps(FALL))
    assert "newton" in complete.formalisms("n")
    shown = command("derive", str(model), "--as", "newton", "--json")
    assert shown.status == 0
    assert [c["name"] for c in json.loads(shown.out)["claims"]] == ["vis viva"]
    assert json.loads(command("derive", str(model), "--json", "--equations").out)["claims"] == []
    assert "proved" in command("check", str(model), "vis viva").out
    assert "newton-1687" in command("cite", str(model), "--as", "newton").out
    assert "newton-1687" in bibtex(FALL)
    assert command("derive", str(model), "--as", "aristotle").status == 2


def test_what_it_says_is_not_kept(toy, tmp_path, monkeypatch):
    """Its file may be changed any time, and nothing tells us."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    model = tmp_path / "fall.toml"
    model.write_text(dumps(FALL))
    words = ("derive", str(model), "--as", "newton", "--json")
    assert json.loads(command(*words).out)["claims"]
    monkeypatch.setattr(registry, "_REGISTERED", {"newton": replace(toy, theorems=())})
    assert not json.loads(command(*words).out)["claims"]


def test_a_name_is_given_once(toy):
    assert register(toy) is toy  # the same again is the same
    assert formalism("newton") is toy
    assert formalism_names().count("newton") == 1
    assert home_of("newton")[1].endswith("toy_formalism.py")
    assert home_of("routh") is None
    for taken in ("newton", "routh"):
        with pytest.raises(DalembertError, match="already"):
            register(replace(toy, name=taken, title="another"))
