"""One claim by its name, as a verb of the library; the command says the same."""

import pytest
from commanding import command

from dalembert import DalembertError, HypothesisError, System, check
from dalembert.studies import checking

FALL = System.of(
    name="fall", coordinates="z", lagrangian="z'^2/2 - z", facts={"regular": True, "integrals": {"E": "z'^2/2 - z"}}
)


def test_a_part_of_a_name_finds_its_claims_in_all_formalisms_that_apply():
    found = check(FALL, "Energy Conserved")
    assert {name: [one.verdict.kind for one in several] for name, several in found.items()} == {
        "euler-lagrange": ["proved"]
    }
    assert set(check(FALL, "regular")) == {"euler-lagrange", "facts"}


def test_facts_are_decided_without_any_formalism(monkeypatch):
    monkeypatch.setattr(checking, "derive", None)
    assert [(one.name, one.failed) for one in check(FALL, "facts")["facts"]] == [
        ("fact: regular", False),
        ("fact: integral E", True),
    ]


def test_what_is_not_there_is_refused_in_a_sentence():
    with pytest.raises(DalembertError, match=r"no claim has a name like 'magic'; there are: .*energy conserved"):
        check(FALL, "magic", "euler-lagrange")
    with pytest.raises(HypothesisError, match="chaplygin: "):
        check(FALL, "energy", "chaplygin")
    with pytest.raises(DalembertError, match="there is no formalism 'magic'"):
        check(FALL, "energy", "magic")
    with pytest.raises(DalembertError, match="check takes a system"):
        check("fall", "energy")


def test_the_command_calls_it(monkeypatch):
    monkeypatch.setattr(checking, "check", lambda _, *asked, **more: check(FALL, *asked, **more))
    assert "The energy is conserved (euler-lagrange)." in command("check", "kepler", "energy conserved").out
