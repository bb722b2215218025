"""What people write out of habit from books and other languages, and what is meant by it here.

It is looked at only where something is wrong already, to say what to do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_FUNCTIONS: Final = {
    "ln": "log(...)", "e": "exp(...)", "tg": "tan(...)", "sec": "1/cos(...)", "csc": "1/sin(...)", "cot": "1/tan(...)",
    "coth": "1/tanh(...)", "sech": "1/cosh(...)", "csch": "1/sinh(...)", "cbrt": "(...)^(1/3)",
}  # fmt: skip
_DEGREES: Final = {"deg", "degree", "degrees", "grad", "radians"}
_RADIANS: Final = "angles are in radians: 30 degrees are 30*pi/180"
ENTRIES: Final = "state each equation as an entry of its own"
_DOTS: Final = {"\u0307": "'", "\u0308": "''"}
_BEFORE: Final = re.compile(r"(?:d_?|v_?|dot_?|D)(?P<name>\w+)")
_BEHIND: Final = re.compile(r"(?P<name>\w+?)_?(?P<dots>d*)dot")
_STRAY: Final = {
    "°": _RADIANS,
    "\\": "LaTeX is not read: write a/b, sqrt(a), theta, x'",
    ";": f"arguments have commas between them; {ENTRIES}",
    **dict.fromkeys("<>≤≥≠!", "what is stated are equations, written with one ="),
    **dict.fromkeys("&", ENTRIES),
}


def advice_about_a_name(name: str, known: Callable[[str], bool], variable: Callable[[str], bool]) -> str:
    """Return what to do about an unknown name, where it is a habit; nothing otherwise.

    >>> advice_about_a_name("xdot", "x".__eq__, "x".__eq__)
    "did you mean x'?"
    >>> advice_about_a_name("θ", "theta".__eq__, "theta".__eq__)
    "did you mean 'theta'?"
    >>> advice_about_a_name("deg", "x".__eq__, "x".__eq__)
    'angles are in radians: 30 degrees are 30*pi/180.'
    """
    if name in {"and", "or"}:
        return f"{ENTRIES}."
    if name in _DEGREES:
        return f"{_RADIANS}."
    other = next((k for k in (_in_latin(name), _in_greek(name)) if k and known(k)), None)
    if other is not None:
        return f"did you mean '{other}'?"
    meant = velocity_meant(name, variable) or _FUNCTIONS.get(name)
    return f"did you mean {meant}?" if meant else ""


def advice_about_a_character(character: str) -> str:
    """Return what to do about a character that means nothing, where it is a habit; nothing otherwise.

    >>> advice_about_a_character("₁"), advice_about_a_character("\u00a0"), advice_about_a_character("$")
    ('write 1', 'write an ordinary space', '')
    """
    called = unicodedata.name(character, "")
    digit = unicodedata.digit(character, None)
    if character in _STRAY:
        return _STRAY[character]
    if unicodedata.category(character) == "Zs":
        return "write an ordinary space"
    if character in _DOTS:
        return f"a dot above is a prime behind the name, as in x{_DOTS[character]}"
    if digit is not None and called.startswith(("SUBSCRIPT", "SUPERSCRIPT")):
        return f"write {'^' * called.startswith('SUPER')}{digit}"
    return ""


def velocity_meant(name: str, variable: Callable[[str], bool]) -> str:
    """Return the velocity or acceleration that a name stands for in other notations; nothing for other names.

    >>> velocity_meant("vx", "x".__eq__), velocity_meant("x_ddot", "x".__eq__), velocity_meant("vy", "x".__eq__)
    ("x'", "x''", '')
    """
    parts = unicodedata.normalize("NFD", name)
    if len(parts) > 1 and parts[-1] in _DOTS and variable(parts[:-1]):
        return parts[:-1] + _DOTS[parts[-1]]
    behind, before = _BEHIND.fullmatch(name), _BEFORE.fullmatch(name)
    if behind and variable(behind["name"]):
        return behind["name"] + "'" * (1 + len(behind["dots"]))
    return f"{before['name']}'" if before and variable(before["name"]) else ""


def _in_latin(letter: str) -> str:
    """Return the name of a Greek letter, as theta or Omega."""
    called = unicodedata.name(letter, "").replace("LAMDA", "LAMBDA").split() if len(letter) == 1 else []
    if called[:1] != ["GREEK"] or called[2:3] != ["LETTER"] or len(called) != 4:
        return ""
    return called[3].lower() if called[1] == "SMALL" else called[3].capitalize()


def _in_greek(name: str) -> str:
    """Return the Greek letter of a name, as θ for theta."""
    if not (name.isascii() and name.isalpha()):
        return ""
    size = "SMALL" if name.islower() else "CAPITAL"
    try:
        return unicodedata.lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return ""
