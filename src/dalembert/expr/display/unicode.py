"""Formulas in one line of Unicode, for a terminal: ``theta'^2*a`` is shown as ``θ̇²·a``.

Every token of the text of a formula is replaced by itself, and nothing is moved: brackets and precedence stay.
"""

# ruff: noqa: RUF001  (signs of mathematics are meant)
from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import ClassVar, Final

from dalembert.expr.display.layout import Layout
from dalembert.expr.display.names import identifier, label_part
from dalembert.expr.display.records import (
    Call,
    Dotted,
    Fenced,
    FunctionName,
    Hatted,
    Identifier,
    Number,
    Part,
    Primes,
    Quotient,
    Root,
    Row,
    Scripts,
    Sign,
    Space,
    Table,
    Text,
)
from dalembert.expr.display.writers import Piece, Writer
from dalembert.expr.graph import Expr
from dalembert.expr.text import text

_ABOVE: Final = str.maketrans("0123456789+−()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ")
_BELOW: Final = str.maketrans("0123456789aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
_DOTS: Final = {1: "\u0307", 2: "\u0308", 3: "\u20db"}
_HAT: Final = "\u0302"
_SIGNS: Final[dict[Sign, str]] = {
    "plus": " + ", "minus": " − ", "negative": "−", "equals": " = ", "comma": ", ", "slash": "/", "dot": "·",
    "times": "·", "times between words": "·", "times by a call": "·", "of": "", "open": "(", "close": ")",
}  # fmt: skip
_FUNCTIONS: Final = frozenset(
    "sin cos tan exp log abs atan asin acos sinh cosh tanh".split()  # noqa: SIM905 - a list of words is read at once
)
_TOKENS: Final = re.compile(
    r"(?P<field>\bd/d(?=[^\W\d]))|(?P<power>\^(?P<digits>\d+)(?![\w.]))|(?P<function>[^\W\d]\w*(?=\())"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)?'*)|(?P<number>\d+(?:\.\d+)?)|(?P<sign>[*-])"
)


class UnicodeWriter(Writer):
    """Writes parts in one line: indices are raised and lowered as far as there are such letters."""

    signs: ClassVar[Mapping[Sign, str]] = _SIGNS

    def pieces(self, part: Part) -> Sequence[Piece]:
        match part:
            case Identifier(words) | Number(words) | FunctionName(words) | Text(words):
                return [words]
            case Primes(count):
                return ["′" * count]
            case Space():
                return ["  "]
            case Row(items):
                return items
            case Quotient(above, below):
                return ["(", above, ")/(", below, ")"]
            case Root(body, degree):
                return ["√" if degree == 2 else f"{str(degree).translate(_ABOVE)}√", "(", body, ")"]
            case Dotted(base, dots):
                return [_marked(self.write(base), _DOTS[dots], "'" * dots)]
            case Hatted(base):
                return [_marked(self.write(base), _HAT, "^")]
            case Call(head, argument):
                return [head, argument] if isinstance(argument, Fenced) else [head, "(", argument, ")"]
            case Fenced(body, bars=True):
                return ["|", body, "|"]
            case Fenced(body, braces=True):
                return ["{", body, "}"]
            case Fenced(body):
                return ["(", body, ")"]
            case Scripts(Identifier("∂"), below, None) if below is not None:
                return ["∂/∂", below]
            case Scripts(base, None, Identifier("*" | "~" as mark)):
                return [base, mark]
            case Scripts(base, below, above):
                raised = "" if above is None else _script(self.write(above), "^", _ABOVE)
                lowered = "" if below is None else _script(self.write(below), "_", _BELOW)
                return [base, lowered, raised] if isinstance(above, Number) else [base, raised, lowered]
            case Table(rows):
                return [", ".join(f"({', '.join(map(self.write, row))})" for row in rows)]
            case _:
                raise AssertionError(part)


def _marked(letter: str, mark: str, behind: str) -> str:
    """Return a letter with a mark above it; a word has the mark behind it."""
    return unicodedata.normalize("NFC", letter + mark) if len(letter) == 1 else letter + behind


def _script(words: str, sign: str, letters: Mapping[int, int]) -> str:
    """Return raised or lowered letters, or what is typed for them if one of them has no such letter."""
    several = words.split(", ")
    plain = "".join(several)
    if all(ord(letter) in letters for letter in plain) and (len(several) == 1 or len(plain) == len(several)):
        return plain.translate(letters)
    return f"{sign}{sign.join(several)}" if plain.isalnum() else f"{sign}({words})"


_WRITER: Final = UnicodeWriter(Layout([]))


def unicode_part(part: Part) -> str:
    """Return a laid-out part in one line."""
    return _WRITER.write(part)


@lru_cache(maxsize=4096)
def unicode_name(name: str) -> str:
    """Return a name with its dots, as formulas and left sides of equations have it.

    >>> [unicode_name(name) for name in ("x'", "theta''", "xi_1", "R.w1", "C^y_x", "mass'")]
    ['ẋ', 'θ̈', 'ξ₁', 'Ω₁', 'Cʸₓ', "mass'"]
    """
    return _WRITER.write(label_part(name))


def unicode_formula(formula: str, *, fields: bool = False) -> str:
    """Return the text of a formula, or of an equation, in Unicode; with ``fields``, ``d/dx`` is a coordinate field.

    >>> unicode_formula("-a*theta'^2/(2*sqrt(x1)) - sin(phi)^(3/2)")
    '−a·θ̇²/(2·√(x₁)) − sin(ϕ)^(3/2)'
    >>> unicode_formula("-y d/dx", fields=True), unicode_formula("d/dx")
    ('−y ∂/∂x', 'd/dx')
    """

    def shown(token: re.Match[str]) -> str:
        if token["field"]:
            return "∂/∂" if fields else token[0]
        if token["power"]:
            return token["digits"].translate(_ABOVE)
        if token["function"]:
            return "√" if token[0] == "sqrt" else token[0] if token[0] in _FUNCTIONS else unicode_name(token[0])
        if token["name"]:
            name = token[0].rstrip("'")
            return _WRITER.write(identifier(name, len(token[0]) - len(name)))
        if token["sign"]:
            return "·" if token[0] == "*" else "−"
        return token[0]

    return _TOKENS.sub(shown, formula)


def unicode_text(expression: Expr) -> str:
    """Return an expression in one line of Unicode.

    >>> from dalembert.expr import cos, symbol
    >>> theta = symbol("theta")
    >>> unicode_text(-theta.dot**2 * cos(theta) / 2)
    '−θ̇²·cos(θ)/2'
    """
    return unicode_formula(text(expression))
