"""No two sentences of one report contradict each other: a slice of the sweep in ``long``, and wrong twins."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from contradictions import Says, clashes, contradictions, follows, meanings, sentence_says, told

from dalembert.expr.truth import Verdict
from dalembert.mechanics.registry import formalism, formalism_names
from dalembert.model.system import System
from dalembert.present.conserved import Sentence
from dalembert.present.report import Part
from dalembert.testing import random_nonholonomic_system

PARTICLE = System.of(
    name="particle with a second constraint that follows a curve",
    coordinates="x y z w",
    lagrangian="(x'^2 + y'^2 + z'^2 + w'^2)/2",
    constraints={"tilt": "z' = y*x'", "wrapped": "w' - y*y' + z' - y*x' = 0"},
    symmetry={"tz": {"z": 1}, "tw": {"w": 1}},
)
SAID = ("nonholonomic", "reduced", "chaplygin", "semisymplectic")


@cache
def parts() -> tuple[Part, ...]:
    return tuple(told(PARTICLE, SAID))


def test_a_system_with_all_formalisms() -> None:
    assert contradictions(PARTICLE, parts()) == []
    assert len(meanings(parts())) > 40  # so something is said


def test_a_drawn_system() -> None:
    system = random_nonholonomic_system(1)
    assert contradictions(system, told(system, ("vakonomic", "semisymplectic"))) == []


FLIPPED = [
    ("nonholonomic", "energy conserved"),
    ("nonholonomic", "constrained Lagrangian suffices"),
    ("chaplygin", "gyroscopic force vanishes"),
    ("chaplygin", "beta is exact"),
    ("chaplygin", "invariant measure exists"),
    ("chaplygin", "L invariant"),
    ("chaplygin", "Stanchenko's condition"),
    ("semisymplectic", "jacobi"),
    ("semisymplectic", "involutive"),
    ("semisymplectic", "semi-Hamiltonian"),
]


@pytest.mark.parametrize(("formalism", "name"), FLIPPED, ids=lambda value: value)
def test_a_claim_with_the_opposite_verdict_is_seen(formalism: str, name: str) -> None:
    found = contradictions(PARTICLE, flipped(formalism, name))
    assert found
    assert any(formalism in line for line in found)


def flipped(formalism: str, name: str) -> list[Part]:
    """Return the parts with one claim answered the other way, its sentences left as they were."""
    changed = []
    for part in parts():
        claims = [
            replace(c, verdict=Verdict("refuted" if c.verdict.holds else "proved", "flipped."))
            if (part.formalism, c.name) == (formalism, name)
            else c
            for c in part.claims
        ]
        changed.append(replace(part, claims=tuple(claims)))
    return changed


def test_every_sentence_of_a_theorem_has_a_meaning() -> None:
    """Also of those that no system of the gate makes true."""
    for name in formalism_names():
        told = [s.words for row in formalism(name).theorems for holds in (True, False) for s in row.sentences(holds)]
        for words in told:
            if isinstance(words, str) and words:
                assert sentence_says(name, words)


INJECTED = [
    (
        "reduced",
        "The symmetry reduces the motion from 6 variables to 5, with no momenta along the orbits.",
    ),
    (
        "reduced",
        "The symmetry (algebra R^2) leaves 4 variables, with 1 momentum along the orbits.",
    ),
    ("nonholonomic", "The energy is not conserved."),
    ("chaplygin", "The reduced motion has no smooth positive invariant volume on T(Q/G)."),
    ("chaplygin", "The reduced motion feels no gyroscopic force: it is that of L*, and Hamiltonian as it stands."),
    (
        "semisymplectic",
        "Its almost-Poisson bracket satisfies Jacobi's identity and gives the motion, which so is Hamiltonian.",
    ),
    ("semisymplectic", "All 2 constraints are integrable (z is constant)."),
    ("semisymplectic", "No combination of the constraints is integrable: at generic points brackets reach all others."),
]


@pytest.mark.parametrize(("formalism", "text"), INJECTED, ids=lambda value: value[:30])
def test_an_injected_sentence_is_seen(formalism: str, text: str) -> None:
    more = [replace(p, sentences=(*p.sentences, Sentence(text))) if p.formalism == formalism else p for p in parts()]
    assert contradictions(PARTICLE, more)


def test_two_formalisms_of_one_motion_may_not_differ_and_those_of_two_may() -> None:
    here = Says("motion", "energy conserved", True, "nonholonomic")
    assert clashes([here, replace(here, value=False, source="semisymplectic")])
    assert not clashes([here, replace(here, of="vakonomic motion", value=False, source="vakonomic")])


def test_what_follows_is_used() -> None:
    rules = follows(PARTICLE)
    said = [Says("reduced motion", "Stanchenko", True, "a"), Says("beta", "closed", False, "b")]
    assert not clashes(said)
    assert clashes(said, rules)


def test_more_integrals_than_dimensions_are_seen() -> None:
    (first, *others) = parts()
    listed = [{"name": "", "expression": f"f{k}", "verdict": "proved"} for k in range(99)]
    assert contradictions(PARTICLE, [replace(first, integrals=tuple(listed)), *others])


def test_a_sentence_without_a_meaning_is_an_error() -> None:
    with pytest.raises(AssertionError, match="0 meanings of a sentence: The moon is made of cheese"):
        sentence_says("nonholonomic", "The moon is made of cheese.")
