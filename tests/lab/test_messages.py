"""What a browser may say: the seven things there are, and nothing besides."""

import json
from contextlib import suppress

import pytest

from dalembert.errors import DalembertError
from dalembert.lab.limits import MODEL_BYTES, PHRASE_LETTERS
from dalembert.lab.messages import WORDS, understood

GOOD = {
    "look": {"turn": 3, "text": "name = 'x'"},
    "derive": {"text": "", "formalism": "routh"},
    "check": {"text": "", "that": "x' conserved", "formalism": ""},
    "discover": {"text": "", "deep": False},
    "insert": {"text": "", "kind": "symmetry", "entries": {"e1": "{ x = 1 }"}, "of": "a4fd36"},
    "example": {"name": "kepler"},
    "stop": {},
}
WRONG = {
    "text": [None, 3, ["a"], {"a": 1}, True, "x" * (MODEL_BYTES + 1), "é" * (MODEL_BYTES // 2 + 1)],
    "that": [None, 3, "x" * (PHRASE_LETTERS + 1)],
    "formalism": [None, 1.5, "x" * 61, ["routh"]],
    "name": [None, {}, "x" * 61],
    "of": [None, 1, "x" * 61],
    "turn": [None, -1, 1.5, True, "3", 2**60],
    "deep": [None, 0, "false"],
    "kind": [None, "facts", "__class__", 1, [], {}, ["symmetry"]],
    "entries": [None, [], "x", {"e1": 1}, {"e1": {"x": 1}}, {f"e{k}": "1" for k in range(41)}, {"x" * 61: "1"}],
}


@pytest.mark.parametrize("do", WORDS)
def test_what_is_understood(do):
    assert understood(json.dumps({"do": do, **GOOD[do]})) == (do, GOOD[do])
    for name in GOOD[do]:
        less = {key: value for key, value in GOOD[do].items() if key != name}
        refused(json.dumps({"do": do, **less}))
        for value in WRONG[name]:
            refused(json.dumps({"do": do, **GOOD[do], name: value}))
    refused(json.dumps({"do": do, **GOOD[do], "path": "/etc/passwd"}))


OF_EVERY_TYPE = [None, True, 0, -1.5, 2**70, "", "\ud800", [], [[]], {}, {"": []}]


@pytest.mark.parametrize("do", WORDS)
@pytest.mark.parametrize("value", OF_EVERY_TYPE, ids=repr)
def test_a_value_of_any_type_is_understood_or_refused(do, value):
    for name in GOOD[do]:
        with suppress(DalembertError):
            understood(json.dumps({"do": do, **GOOD[do], name: value}))


NONSENSE = ["", "{", "null", "[]", "3", '"derive"', "{}", '{"do": null}', '{"do": ["derive"]}', '{"do": "page"}']
NONSENSE += ["[" * 100_000, '{"do": "look", "turn": NaN, "text": ""}', '{"do": "look", "turn": 1e400, "text": ""}']


@pytest.mark.parametrize("said", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_is_refused_in_a_sentence(said):
    refused(said)


def refused(said):
    with pytest.raises(DalembertError) as error:
        understood(said)
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)
