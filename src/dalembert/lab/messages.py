"""What a browser may say: a few words with a few values, each within its size; anything else is refused in a sentence.

========  =======================================  =============================================================
``do``    with                                     what
========  =======================================  =============================================================
look      ``turn``, ``text``                       say what is wrong with a model
derive    ``text``, ``formalism``                  make the page
check     ``text``, ``that``, ``formalism``        decide a claim
discover  ``text``, ``deep``                       search for symmetries and integrals
insert    ``text``, ``kind``, ``entries``, ``of``  put what was found in a model into it
example   ``name``                                 a system of the gallery
stop                                               stop what was asked for
========  =======================================  =============================================================
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from dalembert.errors import DalembertError
from dalembert.lab.inserting import INTEGRALS
from dalembert.lab.limits import MODEL_BYTES, PHRASE_LETTERS
from dalembert.lab.looking import SYMMETRY

_WORD_LETTERS: Final = 60
_MOST_ENTRIES: Final = 40
_MOST_TURNS: Final = 2**52


def _is_model(value: Any) -> bool:
    return isinstance(value, str) and len(value.encode(errors="replace")) <= MODEL_BYTES


def _is_phrase(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= PHRASE_LETTERS


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _WORD_LETTERS


def _is_turn(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_TURNS


def _is_entries(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and len(value) <= _MOST_ENTRIES
        and all(_is_word(name) and _is_phrase(one) for name, one in value.items())
    )


_KINDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "text": (_is_model, f"text of at most {MODEL_BYTES} bytes"),
    "that": (_is_phrase, f"text of at most {PHRASE_LETTERS} letters"),
    "formalism": (_is_word, "a name"),
    "name": (_is_word, "a name"),
    "of": (_is_word, "the key of a model"),
    "turn": (_is_turn, "a whole number"),
    "deep": (lambda value: isinstance(value, bool), "true or false"),
    "kind": (lambda value: value in (SYMMETRY, INTEGRALS), f"{SYMMETRY} or {INTEGRALS}"),
    "entries": (_is_entries, f"at most {_MOST_ENTRIES} names, each with a text"),
}
WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "look": ("turn", "text"),
    "derive": ("text", "formalism"),
    "check": ("text", "that", "formalism"),
    "discover": ("text", "deep"),
    "insert": ("text", "kind", "entries", "of"),
    "example": ("name",),
    "stop": (),
}
"""What each of them takes; all of it has to be there, and nothing else."""


def understood(said: str) -> tuple[str, dict[str, Any]]:
    """Return what a browser wants, and the values it gives; refuse everything else.

    >>> understood('{"do": "example", "name": "kepler"}')
    ('example', {'name': 'kepler'})
    >>> understood('["open", "/etc/passwd"]')
    Traceback (most recent call last):
    dalembert.errors.DalembertError: a message is an object of JSON.
    """
    try:
        told = json.loads(said)
    except (ValueError, RecursionError):
        raise DalembertError("a message is JSON, and this is none.") from None
    if not isinstance(told, dict):
        raise DalembertError("a message is an object of JSON.")
    do = told.pop("do", None)
    if not isinstance(do, str) or do not in WORDS:
        raise DalembertError(f"there is no such thing to do; there are {', '.join(WORDS)}.")
    if set(told) != set(WORDS[do]):
        raise DalembertError(f"'{do}' takes {', '.join(WORDS[do]) or 'nothing'}, all of it and nothing else.")
    for name, value in told.items():
        fits, kind = _KINDS[name]
        if not fits(value):
            raise DalembertError(f"'{name}' of '{do}' is {kind}.")
    return do, told
