"""A look at a model as it is typed: what is wrong with it, and what it states; nothing is derived."""

from __future__ import annotations

import tomllib
from hashlib import sha256
from typing import Any, Final

from dalembert.errors import Fault, ModelError
from dalembert.lab.confined import work
from dalembert.lab.limits import MODEL_BYTES
from dalembert.model.files import loads
from dalembert.model.system import System

SYMMETRY, FACTS = "symmetry", "facts"
_FOUND: Final = {SYMMETRY, FACTS}
"""Tables that say something of a system, and change none of its equations."""


def stated(text: str) -> System:
    """Return the system that a text states; one that is too large for the lab, or empty, is refused.

    >>> stated("")
    Traceback (most recent call last):
    dalembert.errors.ModelError: nothing is stated yet; take a system of the gallery to begin with.
    """
    if len(text.encode(errors="replace")) > MODEL_BYTES:
        told = f"a model in the lab has at most {MODEL_BYTES} bytes"
        raise ModelError([Fault("", told, "the command line takes larger ones")])
    if not text.strip():
        raise ModelError([Fault("", "nothing is stated yet", "take a system of the gallery to begin with")])
    return loads(text)


def model_key(text: str) -> str:
    """Return a hash of what a text states, without what is found and put into it; results are bound to it.

    >>> found = "symmetry.e1 = { z = 1 }"
    >>> model_key(found + "  # a remark") == model_key(""), model_key('lagrangian = "z"') == model_key("")
    (True, False)
    """
    try:
        parts = [part for part in tomllib.loads(text).items() if part[0] not in _FOUND]
    except (ValueError, RecursionError):
        parts = [("", text)]
    return sha256(repr(parts).encode(errors="replace")).hexdigest()[:32]


def look(text: str) -> dict[str, Any]:
    """Return what a text states, in a sentence, and the formalism that it means.

    >>> look('lagrangian = "z^2"' + chr(10) + '[coordinates]' + chr(10) + 'z = "real"')["said"]
    'A system with 1 coordinate and no constraints.'
    """
    from dalembert.mechanics.registry import obvious_formalism
    from dalembert.present.report import kind_of_system

    system = stated(text)
    return {
        "of": model_key(text),
        "name": system.name,
        "said": kind_of_system(system).text,
        "formalism": obvious_formalism(system),
    }


def main() -> None:
    """Answer until the other end is closed; what is needed is there before it says that it listens."""
    look('lagrangian = "z\'^2/2 + cos(z)"\n[coordinates]\nz = "angle"\n[constraints]\nc = "z\' = 0"')
    work({"look": look}, nice=0)
