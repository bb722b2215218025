"""The study: parts that fail or take too long lose nothing of the others; motions are compared; sentences are right."""

from dataclasses import replace

import numpy as np
import pytest

from dalembert import gallery
from dalembert.analysis.agreement import compare_tracks
from dalembert.errors import DalembertError
from dalembert.model.system import System
from dalembert.model.trajectory import Track
from dalembert.present.report import Part, kind_of_system, sentences, summary_page
from dalembert.present.text_writer import in_text
from dalembert.studies import parts
from dalembert.studies.parts import part_of
from dalembert.studies.studying import Study, _crossed, asked_part, crossed, part_worker, study

SKATE = gallery.load("skateboard")


def test_a_part_that_takes_too_long_is_stopped_and_says_so():
    shown = study(SKATE, formalisms=["nonholonomic"], seconds=0.01)
    (part,) = shown.parts
    assert part.stopped.startswith("it was stopped after 0.01 s")
    assert "it was stopped" in shown.to_html()
    assert shown.to_json()["stopped"].keys() == {"nonholonomic"}


@pytest.mark.thorough
def test_a_worker_goes_on_after_a_part_was_stopped():
    with part_worker() as worker:
        assert asked_part(worker, SKATE, "nonholonomic", seconds=0.01).stopped
        assert asked_part(worker, SKATE, "euler-lagrange").faults
        assert asked_part(worker, SKATE, "no such formalism").stopped.startswith("there is no formalism")


def test_progress_is_told_for_every_part():
    told = []
    study(SKATE, told.append, formalisms=["euler-lagrange", "routh"])
    assert sorted(line.partition(":")[0] for line in told) == ["euler-lagrange", "routh"]


def moved(formalism, x, growth=1.0, until=5):
    t = np.linspace(0, 1, 5)[:until]
    track = Track(t, {"x": np.asarray(x(t))}, {"x": float(x(t)[0])}, 1e-10, np.full(t.shape, growth), 0 * t)
    return Part(formalism, track=track)


def test_motions_that_should_agree_are_compared():
    parts = [
        moved("nonholonomic", lambda t: t),
        moved("chaplygin", lambda t: t + 1e-12 * t),
        moved("semisymplectic", lambda t: 2 * t),
    ]
    same, *others = _crossed(SKATE, parts)
    assert same.verdict.kind == "measured"
    assert [other.name for other in others] == ["nonholonomic and semisymplectic", "chaplygin and semisymplectic"]
    assert {other.verdict.kind for other in others} == {"undecided"}
    assert "of x" in others[0].verdict.evidence


def test_agreement_is_judged_by_how_errors_grow():
    def apart(size, growth):
        pair = [moved("nonholonomic", lambda t: t, growth), moved("chaplygin", lambda t: t + size * t, growth)]
        return _crossed(SKATE, pair)[0].verdict

    assert apart(5e-6, 1e5).kind == "measured"
    assert apart(5e-6, 3).kind == "undecided"
    assert "grew by a factor of 1e+05" in apart(5e-6, 1e5).evidence


def test_a_motion_that_ended_before_is_compared_as_far_as_it_went():
    parts = [moved("nonholonomic", lambda t: t), moved("chaplygin", lambda t: t, until=3)]
    (claim,) = _crossed(SKATE, parts)
    assert claim.verdict.kind == "measured"
    assert "to t = 0.5 they" in claim.verdict.evidence


SPINNING = System.of(
    name="spinning",
    coordinates={"r": "positive", "phi": "angle"},
    lagrangian="(r'^2 + r^2*phi'^2)/2 - r^2/2",
    symmetry={"turn": {"phi": 1}},
    momentum={"turn": "3/2"},
    start={"r": 1},
    run={"time": 3},
)


def test_formalisms_that_begin_differently_say_so_and_are_compared_from_one_start():
    """A start of another momentum is none of Routh's equations; one that leaves phi' open is the same for both."""
    (claim,) = _crossed(SPINNING, [part_of(SPINNING, name) for name in ("euler-lagrange", "routh")])
    assert "begin differently" not in claim.verdict.evidence
    parts = [part_of(SPINNING.but(start={"r": 1, "phi'": 0}), "euler-lagrange"), part_of(SPINNING, "routh")]
    (claim,) = _crossed(SPINNING, parts)
    assert "they begin differently: phi' is 0 in euler-lagrange and 1.5 in routh" in claim.verdict.evidence
    assert "from the start of routh, followed by both" in claim.verdict.evidence
    assert claim.verdict.kind == "measured"
    assert claim.statement.endswith("from one start")
    body = Study(SPINNING, tuple(parts), (claim,)).to_html()
    assert "The motions shown of euler-lagrange and routh begin differently" in body
    assert "begin differently" not in Study(SPINNING, tuple(parts), ()).to_html()
    apart = compare_tracks(parts[0].track, parts[1].track, ("one", "other"))
    assert apart.verdict.kind == "undecided"
    assert apart.verdict.evidence.startswith("they begin differently")
    said = SPINNING.but(start={"r": 1, "phi'": 1.5})
    (claim,) = _crossed(said, [part_of(said, name) for name in ("euler-lagrange", "routh")])
    assert claim.verdict.kind == "measured"
    assert "begin differently" not in claim.verdict.evidence
    part = part_of(SPINNING.but(start={"r": 1, "phi'": 1}), "routh")  # here [start] contradicts [momentum]
    assert "phi' is 1.5 instead of 1" in part.motion["why"]


def test_long_equations_are_followed_where_they_are_those_that_are_meant(monkeypatch):
    """The size is counted; what is not followed says so and how it can be, and a film that nobody sees is not made."""
    monkeypatch.setattr(parts, "_FOLLOWED", 5)
    long, meant = (part_of(SPINNING, name, 0.1, film=False) for name in ("routh", "euler-lagrange"))
    assert "too many to be followed beside those of euler-lagrange" in long.motion["why"]
    assert "simulate --as routh" in long.motion["why"]
    assert long.track is None
    assert meant.track is not None
    assert meant.animation == ""


def test_another_motion_is_told_apart_though_it_is_close():
    """The wrong twin: the same spring, stiffer by a millionth."""
    said = SPINNING.but(momentum=None, start={"r": 1, "phi'": 1, "r'": 0.2}, run={"time": 10})
    stiff = said.but(lagrangian="(r'^2 + r^2*phi'^2)/2 - (1 + 10^(-6))*r^2/2")
    one, other = part_of(said, "euler-lagrange"), part_of(stiff, "routh")
    (claim,) = _crossed(said, [one, other])
    assert claim.verdict.kind == "undecided"
    assert "different motions" in claim.verdict.evidence
    (claim,) = _crossed(said, [one, part_of(said, "routh")])
    assert claim.verdict.kind == "measured"


def test_vakonomic_motions_are_not_expected_to_agree():
    assert _crossed(SKATE, [moved("nonholonomic", lambda t: t), moved("vakonomic", lambda t: 2 * t)]) == []


def test_the_report_draws_both_paths():
    t = np.linspace(0, 1, 5)
    parts = tuple(
        Part(name, track=Track(t, {"x": t, "y": k * t**2}, {}, 1e-10, t, t), animation="<p>film</p>")
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
    from dalembert.mechanics.nonholonomic import linear_constraints

    said = {s.text: s.verdict for s in sentences(linear_constraints.derive(SKATE))}
    assert said["The energy is conserved."] in {"proved", "certain"}
    (wrong,) = [
        how for what, how in said.items() if what.startswith("Substituting the constraints into the Lagrangian")
    ]
    assert wrong == "counterexample"
    driven = SKATE.but(forces={"phi": "1"})
    said = {s.text: s.verdict for s in sentences(linear_constraints.derive(driven))}
    assert said["The energy is not conserved."] == "counterexample"


@pytest.mark.thorough
def test_a_no_that_special_parameters_turn_into_a_yes_says_so():
    """With b = 0 there is an invariant volume, and the witness against one has another b."""
    slope = System.of(
        name="slope",
        coordinates="x y z",
        parameters={"b": {"value": 0, "sign": "any"}, "c": {"value": 1}},
        lagrangian="x'^2 + b*x'*y' + y'^2 + z'^2/2 - c*0",
        constraints={"slope": "z' = x*y'"},
        symmetry={"up": {"z": 1}},
    )
    no = [part_of(slope, "chaplygin")]
    assert "holds for generic values of b. Special values can behave differently." in in_text(summary_page(slope, no))
    special = slope.but(lagrangian="x'^2 + y'^2 + z'^2/2", parameters=None)
    yes = in_text(summary_page(special, [part_of(special, "chaplygin")]))
    assert "has an invariant volume" in yes
    assert "generic values" not in yes


def test_a_system_that_fails_every_formalism_still_gets_a_report():
    odd = System.of(name="odd", coordinates="x", lagrangian="x*x'")
    shown = study(odd)
    assert not any(part.applies for part in shown.parts)
    page = shown.to_html()
    assert f"Not applicable: {', '.join(part.formalism for part in shown.parts)}. The reasons are below." in page
    assert 'id="apart"' in page


def test_answers_are_written_where_they_are_asked_for():
    ball = System.of(name="ball", coordinates="z", lagrangian="z'^2/2 - 9*z")
    plain, full = (part_of(ball, "euler-lagrange", answers=asked) for asked in (False, True))
    assert plain.page == full.page
    assert plain.answer is None
    assert crossed(ball, [full]).to_json()["sections"]["euler-lagrange"] == full.answer
    with pytest.raises(DalembertError, match="made without answers"):
        crossed(ball, [plain]).to_json()


def test_a_part_may_be_typeset_where_it_is_made():
    ball = System.of(name="ball", coordinates="z", lagrangian="z'^2/2 - 9*z")
    there = part_of(ball, "euler-lagrange", answers=False, html=True)
    page = crossed(ball, [there]).to_html()
    assert page == crossed(ball, [replace(there, typeset=())]).to_html()
    twin = replace(there, typeset=(*there.typeset[:-1], "<p>something else</p>"))
    assert "<p>something else</p>" in crossed(ball, [twin]).to_html(), "what is there is not made again"
