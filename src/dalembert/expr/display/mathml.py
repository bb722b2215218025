"""The display tree as MathML Core, which browsers show without script or font of their own."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

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

__all__ = ["MathmlWriter"]

_TIMES: Final = "\N{INVISIBLE TIMES}"
_APPLY: Final = "<mo>\N{FUNCTION APPLICATION}</mo>"
_THIN: Final = '<mspace width="0.17em"/>'
_SIGNS: Final = {
    "plus": "<mo>+</mo>", "minus": "<mo>\N{MINUS SIGN}</mo>", "negative": "<mo>\N{MINUS SIGN}</mo>",
    "equals": "<mo>=</mo>", "comma": "<mo>,</mo>", "slash": '<mo lspace="0" rspace="0">/</mo>',
    "dot": "<mo>\N{DOT OPERATOR}</mo>",
    "times": f"<mo>{_TIMES}</mo>", "times between words": f"<mo>{_TIMES}</mo>{_THIN}",
    "times by a call": f"<mo>{_TIMES}</mo>{_THIN}", "of": _APPLY,
}  # fmt: skip
_CAPITALS: Final = frozenset("ΓΔΘΛΞΠΣΥΦΨΩ")
"""Greek capitals stand upright, as in TeX."""
_PRIMES: Final = {1: "\N{PRIME}", 2: "\N{DOUBLE PRIME}", 3: "\N{TRIPLE PRIME}"}
# the first is the standard, the second what Chromium listens to
_LEFT: Final = '<mtd style="text-align: right; text-align: -webkit-right; padding: 0.25em 0">'
_RIGHT: Final = '<mtd style="text-align: left; text-align: -webkit-left; padding: 0.25em 0 0.25em 0.28em">'


class MathmlWriter(Writer):
    """Writes MathML; every part is one element."""

    def pieces(self, part: Part) -> Sequence[Piece]:
        match part:
            case Identifier(text):
                upright = ' mathvariant="normal"' if text in _CAPITALS else ""
                return [f"<mi{upright}>{escape(text)}</mi>"]
            case FunctionName(name):
                return [f"<mi>{name}</mi>"]
            case Number(digits):
                return [f"<mn>{digits}</mn>"]
            case Operator(sign):
                return [_SIGNS[sign]]
            case Primes(count):
                return [f"<mo>{_PRIMES[count]}</mo>"]
            case Text(words):
                return [f"<mtext>{escape(words)}</mtext>"]
            case Space():
                return ['<mspace width="2em"/>']
            case Row(items):
                return ["<mrow>", *items, "</mrow>"]
            case Quotient(above, below):
                return ["<mfrac>", above, below, "</mfrac>"]
            case Root(body, degree):
                if degree == 2:
                    return ["<msqrt>", body, "</msqrt>"]
                return ["<mroot>", body, f"<mn>{degree}</mn>", "</mroot>"]
            case Dotted(base, dots):
                # no accent: Chromium sets accents into the letter when its font has no table for mathematics
                return ["<mover>", base, f"<mo>{'.' * dots}</mo>", "</mover>"]
            case Call(head, argument):
                # TeX sets a thin space by itself where there is no bracket
                return ["<mrow>", head, _APPLY, "" if isinstance(argument, Fenced) else _THIN, argument, "</mrow>"]
            case Fenced(body, tall, bars):
                left, right = "||" if bars else "()"
                mo = "<mo>" if tall or bars else '<mo stretchy="false">'
                return [f"<mrow>{mo}{left}</mo>", body, f"{mo}{right}</mo></mrow>"]
            case Scripts(base, below, above):
                return _scripts(base, below, above)
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
        pieces += ["<mtr>", _LEFT, left, "</mtd>", _RIGHT, right, "</mtd></mtr>"]
    return [*pieces, "</mtable>"]
