"""The study: parts that fail or take too long lose nothing of the others; motions are compared; sentences are right."""

import numpy as np
import pytest

from dalembert import gallery
from dalembert.model.system import System
from dalembert.present.part import Part
from dalembert.present.summary import kind_of_system, sentences
from dalembert.study import Study, _crossed, study
from dalembert.study.worker import Worker

SKATE = gallery.load("skateboard")


def test_a_part_that_takes_too_long_is_stopped_and_says_so():
    shown = study(SKATE, formalisms=["nonholonomic"], seconds=0.01)
    (part,) = shown.parts
    assert part.stopped.startswith("it was stopped after 0.01 s")
    assert "it was stopped" in shown.to_html()
    assert shown.to_json()["stopped"].keys() == {"nonholonomic"}


def test_a_worker_goes_on_after_a_part_was_stopped():
    with Worker() as worker:
        assert worker.ask(SKATE, "nonholonomic", 0.01).stopped
        assert worker.ask(SKATE, "euler-lagrange", 60).faults
        assert worker.ask(SKATE, "no such formalism", 60).stopped.startswith("there is no formalism")


def test_progress_is_told_for_every_part():
    told = []
    study(SKATE, told.append, formalisms=["euler-lagrange", "routh"])
    assert sorted(line.partition(":")[0] for line in told) == ["euler-lagrange", "routh"]


def moved(formalism, x):
    t = np.linspace(0, 1, 5)
    return Part(formalism, times=t, path={"x": np.asarray(x(t))})


def test_motions_that_should_agree_are_compared():
    parts = [
        moved("nonholonomic", lambda t: t),
        moved("chaplygin", lambda t: t + 1e-12),
        moved("semisymplectic", lambda t: 2 * t),
    ]
    same, *others = _crossed(parts)
    assert same.verdict.kind == "measured"
    assert [other.name for other in others] == ["nonholonomic and semisymplectic", "chaplygin and semisymplectic"]
    assert {other.verdict.kind for other in others} == {"undecided"}
    assert "of x" in others[0].verdict.evidence


def test_vakonomic_motions_are_not_expected_to_agree():
    assert _crossed([moved("nonholonomic", lambda t: t), moved("vakonomic", lambda t: 2 * t)]) == []


def test_the_report_draws_both_paths():
    t = np.linspace(0, 1, 5)
    parts = tuple(
        Part(name, times=t, path={"x": t, "y": k * t**2}, animation="<p>film</p>")
        for k, name in enumerate(("nonholonomic", "vakonomic"), 1)
    )
    body = Study(SKATE, parts, ()).to_html()
    assert body.count("Nonholonomic against vakonomic") == 1
    assert body.count("<p>film</p>") == 1
    assert "Nonholonomic against vakonomic" not in Study(SKATE, parts[:1], ()).to_html()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("kepler", "A system with 3 coordinates and no constraints; 3 generators of symmetry are stated."),
        (
            "appell-hamel",
            "A system with 3 coordinates and 1 nonlinear constraint; 3 generators of symmetry are stated.",
        ),
    ],
)
def test_what_was_stated_is_said_in_words(name, words):
    assert kind_of_system(gallery.load(name)).text == words


def test_sentences_rest_on_claims():
    from dalembert.mechanics import nonholonomic

    said = {s.text: s.verdict for s in sentences("nonholonomic", nonholonomic.derive(SKATE))}
    assert said["The energy is conserved."] in {"proved", "certain"}
    assert said["Putting the constraints into the Lagrangian first would give wrong equations."] == "by a witness"
    driven = SKATE.but(forces={"phi": "1"})
    said = {s.text: s.verdict for s in sentences("nonholonomic", nonholonomic.derive(driven))}
    assert said["The energy is not conserved."] == "by a witness"


def test_a_system_that_fails_every_formalism_still_gets_a_report():
    odd = System.of(name="odd", coordinates="x", lagrangian="x*x'")
    shown = study(odd)
    assert not any(part.applies for part in shown.parts)
    assert shown.to_html().count("does not apply") == len(shown.parts)
