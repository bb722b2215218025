"""The display tree written out: as LaTeX, for amsmath or MathJax, and as MathML Core.

Browsers show the latter without script or font of their own. Both writers go through the tree with a stack.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import ClassVar, Final, TypeAlias

from dalembert.expr.display.layout import Layout
from dalembert.expr.display.names import LETTERS
from dalembert.expr.display.records import (
    Call,
    Dotted,
    Fenced,
    Formula,
    FunctionName,
    Hatted,
    Identifier,
    Number,
    Operator,
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
from dalembert.expr.graph import Expr

Piece: TypeAlias = "str | Part"


class Writer(ABC):
    """Writes parts of a page: each becomes strings, with the parts inside it between them."""

    signs: ClassVar[Mapping[Sign, str]]

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._letters: dict[Expr, str] = {}

    def write(self, part: Part) -> str:
        """Return the source of a part."""
        out: list[str] = []
        stack: list[Piece] = [part]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                out.append(piece)
            elif isinstance(piece, Operator):
                out.append(self.signs[piece.sign])
            elif not isinstance(piece, Formula):
                stack += self.pieces(piece)[::-1]
            elif self._layout.is_letter(piece):
                out.append(self._letter(piece))
            else:
                stack += self.pieces(self.opened(piece))[::-1]
        return self.joined(out)

    def _letter(self, formula: Formula) -> str:
        """Return the source of a symbol, or of what has a name: formulas consist of them, so each is written once."""
        found = self._letters.get(formula.node)
        if found is None:
            found = self._letters[formula.node] = self.write(self._layout.record(formula))
        return found

    def opened(self, part: Part) -> Part:
        """Return a part that is not a formula any more."""
        while isinstance(part, Formula):
            part = self._layout.record(part)
        return part

    @abstractmethod
    def pieces(self, part: Part) -> Sequence[Piece]:
        """Return the strings of a part and the parts between them."""

    def joined(self, strings: Sequence[str]) -> str:
        """Return the strings as one."""
        return "".join(strings)


_LETTERS: Final = {
    **{letter: f"\\{name}" for name, letter in LETTERS.items() if name != "lamda"}, "∂": r"\partial", "ς": r"\varsigma",
}  # fmt: skip
_SPECIAL: Final = {character: f"\\{character}" for character in "#$%&_{} "} | {
    "\\": r"\backslash{}", "^": r"\hat{}", "~": r"\sim{}", "'": r"\prime{}",
}  # fmt: skip
_LATEX_SIGNS: Final[dict[Sign, str]] = {
    "plus": " + ", "minus": " - ", "negative": "-", "equals": "= ", "comma": ", ", "slash": "/", "dot": r" \cdot ",
    "times": " ", "times between words": r" \, ", "times by a call": " ", "of": " ",
    "open": "(", "close": ")",
}  # fmt: skip
_DOTS: Final = {1: r"\dot", 2: r"\ddot", 3: r"\dddot"}
_BEGIN_END: Final = {
    "matrix": (r"\begin{pmatrix} ", r" \end{pmatrix}", r" \\ ", " & "),
    "equations": ("\\begin{aligned}\n", "\n\\end{aligned}", " \\\\\n", " &"),
}
_COMMAND: Final = re.compile(r"\\[A-Za-z]+\Z")


class LatexWriter(Writer):
    """Writes LaTeX, one line for a formula, one line each for the rows of aligned equations."""

    signs = _LATEX_SIGNS

    def pieces(self, part: Part) -> Sequence[Piece]:
        match part:
            case Identifier(text):
                return [_letters(text)]
            case Number(digits):
                return [digits]
            case FunctionName(name):
                return [f"\\{name}"]
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
            case Hatted(base):
                return [r"\hat{", base, "}"]
            case Call(head, argument):
                return [head, argument]
            case Fenced(body, braces=True):
                return [r"\{", body, r"\}"]
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
    if text == "*" or (len(text) == 1 and text.isascii() and text.isalpha()):
        return text
    return rf"\mathrm{{{''.join(_SPECIAL.get(character, character) for character in text)}}}"


_TIMES: Final = "\N{INVISIBLE TIMES}"
_APPLY: Final = "<mo>\N{FUNCTION APPLICATION}</mo>"
_THIN: Final = '<mspace width="0.17em"/>'
_MATHML_SIGNS: Final[dict[Sign, str]] = {
    "plus": "<mo>+</mo>", "minus": "<mo>\N{MINUS SIGN}</mo>", "negative": "<mo>\N{MINUS SIGN}</mo>",
    "equals": "<mo>=</mo>", "comma": "<mo>,</mo>", "slash": '<mo lspace="0" rspace="0">/</mo>',
    "dot": "<mo>\N{DOT OPERATOR}</mo>",
    "times": f"<mo>{_TIMES}</mo>", "times between words": f"<mo>{_TIMES}</mo>{_THIN}",
    "times by a call": f"<mo>{_TIMES}</mo>{_THIN}", "of": _APPLY,
    "open": '<mo form="prefix" stretchy="false">(</mo>', "close": '<mo form="postfix" stretchy="false">)</mo>',
}  # fmt: skip
_CAPITALS: Final = frozenset("ΓΔΘΛΞΠΣΥΦΨΩ")
"""Greek capitals stand upright, as in TeX."""
_PRIMES: Final = {1: "\N{PRIME}", 2: "\N{DOUBLE PRIME}", 3: "\N{TRIPLE PRIME}"}
# the first is the standard, the second what Chromium listens to
LEFT_CELL: Final = '<mtd style="text-align: right; text-align: -webkit-right; padding: 0.25em 0">'
RIGHT_CELL: Final = '<mtd style="text-align: left; text-align: -webkit-left; padding: 0.25em 0 0.25em 0.28em">'


class MathmlWriter(Writer):
    """Writes MathML; every part is one element."""

    signs = _MATHML_SIGNS

    def pieces(self, part: Part) -> Sequence[Piece]:
        match part:  # what there is most of comes first
            case Row(items):
                return ["<mrow>", *items, "</mrow>"]
            case Number(digits):
                return [f"<mn>{digits}</mn>"]
            case Scripts(base, below, above):
                return _scripts(base, below, above)
            case Call(head, argument):
                # TeX sets a thin space by itself where there is no bracket
                return ["<mrow>", head, _APPLY, "" if isinstance(argument, Fenced) else _THIN, argument, "</mrow>"]
            case FunctionName(name):
                return [f"<mi>{name}</mi>"]
            case Identifier(text):
                upright = ' mathvariant="normal"' if text in _CAPITALS else ""
                return [f"<mi{upright}>{escape(text)}</mi>"]
            case Fenced(body, braces=True):
                return ['<mrow><mo stretchy="false">{</mo>', body, '<mo stretchy="false">}</mo></mrow>']
            case Fenced(body, tall, bars):
                left, right = "||" if bars else "()"
                mo = "<mo>" if tall or bars else '<mo stretchy="false">'
                return [f"<mrow>{mo}{left}</mo>", body, f"{mo}{right}</mo></mrow>"]
            case Quotient(above, below):
                return ["<mfrac>", above, below, "</mfrac>"]
            case Root(body, degree):
                if degree == 2:
                    return ["<msqrt>", body, "</msqrt>"]
                return ["<mroot>", body, f"<mn>{degree}</mn>", "</mroot>"]
            case Dotted(base, dots):
                # no accent: Chromium sets accents into the letter when its font has no table for mathematics
                large = ' mathsize="150%"' if isinstance(base, Identifier) and len(base.text) > 1 else ""  # on words
                return ["<mover>", base, f"<mo{large}>{'.' * dots}</mo>", "</mover>"]
            case Hatted(base):
                return ["<mover>", base, '<mo stretchy="false">^</mo>', "</mover>"]
            case Primes(count):
                return [f"<mo>{_PRIMES[count]}</mo>"]
            case Text(words):
                return [f"<mtext>{escape(words)}</mtext>"]
            case Space():
                return ['<mspace width="2em"/>']
            case Table(rows, kind):
                return _matrix(rows) if kind == "matrix" else _equations(rows)
            case _:
                raise AssertionError(part)


def _scripts(base: Part, below: Part | None, above: Part | None) -> list[Piece]:
    if isinstance(above, Primes):  # they are high by themselves
        return ["<mrow>", base if below is None else Scripts(base, below), above, "</mrow>"]
    if below is None:
        return ["<msup>", base, above or "", "</msup>"]
    if above is None:
        return ["<msub>", base, below, "</msub>"]
    return ["<msubsup>", base, below, above, "</msubsup>"]


def _matrix(rows: Sequence[Sequence[Part]]) -> list[Piece]:
    pieces: list[Piece] = ["<mrow><mo>(</mo><mtable>"]
    for cells in rows:
        pieces.append("<mtr>")
        for cell in cells:
            pieces += ["<mtd>", cell, "</mtd>"]
        pieces.append("</mtr>")
    return [*pieces, "</mtable><mo>)</mo></mrow>"]


def _equations(rows: Sequence[Sequence[Part]]) -> list[Piece]:
    """MathML Core leaves alignment to style sheets; set at each cell, it needs none."""
    pieces: list[Piece] = ['<mtable displaystyle="true">']
    for left, right in rows:
        pieces += ["<mtr>", LEFT_CELL, left, "</mtd>", RIGHT_CELL, right, "</mtd></mtr>"]
    return [*pieces, "</mtable>"]
