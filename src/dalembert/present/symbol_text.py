"""Names as they are written beside formulas, where only letters are at hand: in pictures, tables and sentences."""

from __future__ import annotations

import re

from dalembert.expr.display.names import LETTERS

__all__ = ["lettered", "words_lettered"]

_NAME = re.compile(r"([^\W\d_]+)_?(\d*)('*)")
_WORD = re.compile(r"[^\W\d_]+_?\d*'*")
_BELOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_DOTS = {0: "", 1: "\N{COMBINING DOT ABOVE}", 2: "\N{COMBINING DIAERESIS}"}


def lettered(name: str) -> str:
    """Return a name with Greek letters, subscripts and dots, where letters can say it; else the name itself.

    >>> lettered("psi1"), lettered("x_2"), lettered("mass'"), lettered("multiplier blade")
    ('ψ₁', 'x₂', "mass'", 'multiplier blade')
    >>> len(lettered("theta'"))
    2
    """
    found = _NAME.fullmatch(name)
    if found is None:
        return name
    stem, digits, primes = found.groups()
    letter = LETTERS.get(stem, stem)
    if len(primes) > 2 or (len(letter) > 1 and primes):
        return name
    return f"{letter}{_DOTS[len(primes)]}{digits.translate(_BELOW)}"


def words_lettered(text: str) -> str:
    """Return a text in which every name of a letter is that letter.

    >>> words_lettered("path of (psi1, x)")
    'path of (ψ₁, x)'
    """
    return _WORD.sub(lambda found: lettered(found[0]), text)
