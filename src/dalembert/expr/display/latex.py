"""The display tree as LaTeX, for amsmath or MathJax."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dalembert.expr.display.names import LETTERS
from dalembert.expr.display.records import (
    Call,
    Dotted,
    Fenced,
    FunctionName,
    Identifier,
    Number,
    Operator,
    Part,
    Primes,
    Quotient,
    Root,
    Row,
    Scripts,
    Space,
    Table,
    Text,
)
from dalembert.expr.display.writer import Piece, Writer

__all__ = ["LatexWriter"]

_LETTERS: Final = {
    **{letter: f"\\{name}" for name, letter in LETTERS.items() if name != "lamda"}, "∂": r"\partial", "ς": r"\varsigma",
}  # fmt: skip
_SPECIAL: Final = {character: f"\\{character}" for character in "#$%&_{} "} | {
    "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\sim{}", "'": r"\prime{}",
}  # fmt: skip
_SIGNS: Final = {
    "plus": " + ", "minus": " - ", "negative": "-", "equals": "= ", "comma": ", ", "slash": "/", "dot": r" \cdot ",
    "times": " ", "times between words": r" \, ", "times by a call": " ", "of": " ",
}  # fmt: skip
_DOTS: Final = {1: r"\dot", 2: r"\ddot", 3: r"\dddot"}
_BEGIN_END: Final = {
    "matrix": (r"\begin{pmatrix} ", r" \end{pmatrix}", r" \\ ", " & "),
    "equations": ("\\begin{aligned}\n", "\n\\end{aligned}", " \\\\\n", " &"),
}
_COMMAND: Final = re.compile(r"\\[A-Za-z]+\Z")


class LatexWriter(Writer):
    """Writes LaTeX, one line for a formula, one line each for the rows of aligned equations."""

    def pieces(self, part: Part) -> Sequence[Piece]:
        match part:
            case Identifier(text):
                return [_letters(text)]
            case Number(digits):
                return [digits]
            case FunctionName(name):
                return [f"\\{name}"]
            case Operator(sign):
                return [_SIGNS[sign]]
            case Primes(count):
                return ["'" * count]
            case Text(words):
                return [rf"\text{{{words}}}"]
            case Space():
                return [r"\quad {}"]
            case Row(items):
                return items
            case Quotient(above, below):
                return [r"\frac{", above, "}{", below, "}"]
            case Root(body, degree):
                return [r"\sqrt{" if degree == 2 else rf"\sqrt[{degree}]{{", body, "}"]
            case Dotted(base, dots):
                return [_DOTS[dots] + "{", base, "}"]
            case Call(head, argument):
                return [head, argument]
            case Fenced(body, tall, bars):
                left, right = "||" if bars else "()"
                return [rf"\left{left}", body, rf"\right{right}"] if tall or bars else [left, body, right]
            case Scripts(base, below, above):
                return self._scripts(base, below, above)
            case Table(rows, kind):
                return _table(rows, kind)
            case _:
                raise AssertionError(part)

    def joined(self, strings: Sequence[str]) -> str:
        """Return the strings as one, with a space where a command would run into a letter."""
        out: list[str] = []
        for string in strings:
            if out and string[:1].isascii() and string[:1].isalpha() and _COMMAND.search(out[-1]):
                out.append(" ")
            if string:
                out.append(string)
        return "".join(out)

    def _scripts(self, base: Part, below: Part | None, above: Part | None) -> list[Piece]:
        pieces: list[Piece] = [base]
        for sign, script in (("_", below), ("^", above)):
            if isinstance(script, Primes):
                pieces.append(script)
            elif script is not None:
                shown = self.opened(script)
                pieces += [sign, shown] if _is_single(shown) else [sign, "{", shown, "}"]
        return pieces


def _table(rows: Sequence[Sequence[Part]], kind: str) -> list[Piece]:
    begin, end, between, apart = _BEGIN_END[kind]
    pieces: list[Piece] = [begin]
    for i, cells in enumerate(rows):
        pieces += [between] if i else []
        for j, cell in enumerate(cells):
            pieces += [apart, cell] if j else [cell]
    return [*pieces, end]


def _is_single(part: Part) -> bool:
    """Say whether a script needs no braces."""
    return (isinstance(part, Number) and len(part.digits) == 1) or (
        isinstance(part, Identifier) and len(part.text) == 1
    )


def _letters(text: str) -> str:
    """Return a letter, or a word set upright."""
    if text in _LETTERS:
        return _LETTERS[text]
    if len(text) == 1 and text.isascii() and text.isalpha():
        return text
    return rf"\mathrm{{{''.join(_SPECIAL.get(character, character) for character in text)}}}"
