"""The display tree: what stands on a page, before it is LaTeX or MathML.

A :class:`Formula` is a place where an expression is still to be laid out. Writers open it when they come to it, so
the tree is never there as a whole, and neither depth nor sharing is a problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from dalembert.expr.graph import Expr

Sign: TypeAlias = Literal[
    "plus",
    "minus",
    "negative",
    "equals",
    "comma",
    "slash",
    "dot",
    "times",
    "times between words",
    "times by a call",
    "of",
    "open",
    "close",
]
"""``negative`` is the minus in front of one term. Products are mostly silent: a space, if anything, between factors.
``of`` stands between a derivative sign and its function. ``open`` and ``close`` are brackets between which a line can
be broken; others are :class:`Fenced`."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """One letter, slanted, or a word, upright."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number that is not negative."""

    digits: str


@dataclass(frozen=True, slots=True)
class FunctionName:
    """The name of an elementary function."""

    name: str


@dataclass(frozen=True, slots=True)
class Operator:
    """A sign between parts of a row, or in front of one."""

    sign: Sign


@dataclass(frozen=True, slots=True)
class Primes:
    """The primes of a derivative, above a function of one argument."""

    count: int


@dataclass(frozen=True, slots=True)
class Text:
    """Plain words."""

    words: str


@dataclass(frozen=True, slots=True)
class Space:
    """A wide space; what follows it goes on with a line above."""


@dataclass(frozen=True, slots=True)
class Row:
    """Parts one after the other."""

    items: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Quotient:
    """A fraction with a bar."""

    above: Part
    below: Part


@dataclass(frozen=True, slots=True)
class Root:
    """A root; ``degree`` 2 is not shown."""

    body: Part
    degree: int = 2


@dataclass(frozen=True, slots=True)
class Scripts:
    """A base with a subscript, a superscript, or both."""

    base: Part
    below: Part | None = None
    above: Part | None = None


@dataclass(frozen=True, slots=True)
class Dotted:
    """A letter with one to three dots: a time derivative."""

    base: Part
    dots: int


@dataclass(frozen=True, slots=True)
class Hatted:
    """A letter with a hat: the matrix of a vector, that takes the vector product with it."""

    base: Part


@dataclass(frozen=True, slots=True)
class Call:
    """A named function, with its exponent if it has one, at an argument that is in brackets or a single letter."""

    head: Part
    argument: Part


@dataclass(frozen=True, slots=True)
class Fenced:
    """Something in brackets, in braces or between bars; ``tall`` says that they must grow."""

    body: Part
    tall: bool = False
    bars: bool = False
    braces: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A matrix in brackets, or equations aligned where their second column begins."""

    rows: tuple[tuple[Part, ...], ...]
    kind: Literal["matrix", "equations"]


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression that is still to be laid out.

    If ``negated``, it is a sum, or a function of a sum, with all signs in that turned; if ``inline``, its fractions
    are written with a slash; if ``spelled_out``, it is shown itself although it has a name.
    """

    node: Expr
    negated: bool = False
    inline: bool = False
    spelled_out: bool = False


Part: TypeAlias = (
    Identifier | Number | FunctionName | Operator | Primes | Text | Space | Row | Quotient | Root | Scripts | Dotted
    | Hatted | Call | Fenced | Table | Formula
)  # fmt: skip


def row(*items: Part) -> Part:
    """Return parts one after the other; one alone is itself."""
    return items[0] if len(items) == 1 else Row(items)


def raised(base: Part, above: Part) -> Part:
    """Return a base with a superscript, beside its subscript if it has one; in brackets where it has one above."""
    if isinstance(base, Scripts) and base.above is None:
        return Scripts(base.base, base.below, above)
    return Scripts(Fenced(base) if isinstance(base, Scripts) else base, None, above)
