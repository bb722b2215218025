"""The page of anything that a user has in hand: of known types in a way of their own, of other records by their fields.

A page is for looking, so it always comes back soon and is never long: what is too large says how large it is, and what
no longer fits is counted. Types are known by their names, so that nothing is loaded for being able to show it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from types import FunctionType
from typing import Any

import numpy as np

from dalembert.expr.display.names import LETTERS as GREEK
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import postorder
from dalembert.mechanics.common import Derived
from dalembert.model.claim import Claim
from dalembert.present import page
from dalembert.present.known_types import LOOKS, PRINTED, result_look
from dalembert.present.page import (
    Block,
    Claims,
    Equations,
    Formula,
    Group,
    Listing,
    Matrix,
    Pair,
    Picture,
    Section,
    Table,
    Words,
    formula_or_size,
    is_within,
    readable,
)  # fmt: skip
from dalembert.present.text_writer import brief, cut, in_text
from dalembert.records import replace
from dalembert.shown import Shown, in_words

_LINE = 40
"""Shared nodes of formulas that stand in one line, one after the other."""
_LETTER = re.compile(rf"((?:[A-Za-z]|{'|'.join(GREEK)})(?:_?[0-9]+)?)('*)")
"""Names that are a letter, Greek ones too, with or without an index, and primes."""
_SILENT: object = object.__repr__
"""What Python says of a thing that says nothing of itself: where it is in memory."""


def page_of(thing: Any) -> Block:
    """Return what is shown of a thing.

    >>> from dalembert.model.system import System
    >>> from dalembert.present.text_writer import brief
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> print(brief(page_of(fall)))
    fall
      L = z'^2/2 - g*z
      coordinates: z
      parameters: g = 9.81
    """
    return Sheet().block(thing)


def printed(thing: Any) -> str:
    """Return what ``str`` and the command of a thing print.

    >>> from dalembert.expr.truth import generic_rank
    >>> print(printed(generic_rank([[symbol("x")]])))
    The rank is 1 (proved): a minor of size 1, the largest there is, does not vanish.
    """
    return in_text(printed_page(thing))


def in_brief(thing: Any) -> str:
    """Return a few lines on a thing; of claims each, which are few enough."""
    return printed(thing) if isinstance(thing, tuple | dict) else brief(page_of(thing))


def printed_page(thing: Any) -> Block:
    """Return the page that is printed of a thing, without the plots and folds that a notebook has."""
    if _type_of(thing) in PRINTED:
        return PRINTED[_type_of(thing)](thing)
    page = page_of(thing)
    if not isinstance(page, Section):
        return page
    return replace(page, blocks=tuple(b for b in page.blocks if not isinstance(b, Picture)), level=1)


def is_ours(thing: object) -> bool:
    """Say whether the type of a thing belongs to this package.

    >>> is_ours(Expr), is_ours(7)
    (False, False)
    """
    return type(thing).__module__.partition(".")[0] == "dalembert"


class Sheet:
    """Paper for showing one thing, and effort for making its formulas short."""

    def __init__(self) -> None:
        self.letters = page.LETTERS
        self._budget = SimplificationBudget(1.2, each=0.8, largest=page.SYSTEM)
        self._short: dict[Expr, Expr] = {}

    @property
    def full(self) -> bool:
        """Whether nothing more should be put on it."""
        return self.letters <= 0

    def spent(self, block: Block) -> Block:
        """Return a block that was put on the sheet."""
        if isinstance(block, Words):
            self.letters -= len(block.text)
        else:
            formulas = [right for _, right in page.formulas_in(block)]
            self.letters -= page.NODE * len(postorder(formulas))
        return block

    def short(self, expression: Expr) -> Expr:
        """Return an expression in a shorter form, while there is effort left for it; the same one at every call."""
        if expression not in self._short:
            if not self._short:
                wake()  # starting the other process takes nothing of its time
            self._short[expression] = self._budget(expression)
        return self._short[expression]

    def _shorter(self, value: Any) -> Any:
        """Return the formulas of a field, in lists and tables too, in shorter form; records are left alone."""
        match value:
            case Expr():
                return self.short(value) if readable(value) is not None else value
            case list() | tuple():
                return [self._shorter(part) for part in value[: page.ROWS]] + list(value[page.ROWS :])
            case Mapping():
                return {key: self._shorter(part) for key, part in value.items()}
        return value

    # -- anything --------------------------------------------------------------------------------------------
    def block(self, value: Any, depth: int = 0) -> Block:
        """Return any value as a block."""
        if self.full:
            return Words("…")
        if isinstance(value, Expr):
            alone = not depth and readable(value) is None
            return self.equations([Group("", ((None, value),))]) if alone else self.spent(formula_or_size(value))
        look = LOOKS.get(_type_of(value)) or (result_look if isinstance(value, Derived) else None)
        if look is not None:
            shown = look(value, self)
            return Section(shown.title, shown.blocks, 4, folded=depth > 0) if isinstance(shown, Section) else shown
        match value:
            case Verdict():
                return self.spent(Table(((Words("", answer=value.answer), Words(value.evidence, value.basis)),)))
            case Mapping():
                return self.table(value, depth)
            case list() | tuple() | frozenset() | set():
                return self.listed(list(value), depth)
            case np.ndarray():
                return self.spent(Words(_array(value)))
            case _ if is_dataclass(value) and is_ours(value) and not _speaks(value):
                return self.record(value, depth)
        return self.spent(Words(cut(" ".join(_line(value).split()))))

    def record(self, thing: Any, depth: int = 0) -> Block:
        """Return a record by its fields, those within it folded."""
        if depth >= page.DEEP:
            return Words(_line(thing))
        parts = {f.name: getattr(thing, f.name) for f in fields(thing) if f.repr and not f.name.startswith("_")}
        table = self.table({name: self._shorter(value) for name, value in parts.items()}, depth)
        about = (type(thing).__doc__ or "").partition("\n")[0]
        plain = depth or not about or about.startswith(f"{type(thing).__name__}(")  # Python's own, of no docstring
        blocks = (table,) if plain else (Words(about, quiet=True), table)
        return Section(_line(thing), blocks, level=4, folded=depth > 0)

    def table(self, entries: Mapping[Any, Any], depth: int = 0) -> Table:
        """Return a row for each entry that says something."""
        said = [(key, value) for key, value in entries.items() if not _empty(value)]
        rows: list[tuple[Block, ...]] = []
        for key, value in said[: page.ROWS]:
            if self.full:
                break
            rows.append((_name(key), self.block(value, depth + 1)))
        return Table(tuple(rows), more=len(said) - len(rows))

    def listed(self, values: Sequence[Any], depth: int = 0) -> Block:
        """Return claims together, rows of formulas as a matrix, everything else one below the other."""
        if not values:
            return Words("none", quiet=True)
        if all(isinstance(v, Claim) for v in values):
            return self.claims(values, fold="open")
        if all(isinstance(v, str | int | float | Fraction) for v in values):
            return self.spent(Words(cut(", ".join(map(str, values[: page.ROWS])))))
        if all(isinstance(v, Expr) for v in values) and is_within(values, _LINE):
            return self.spent(Listing(tuple(formula_or_size(v) for v in values), form="inline"))
        matrix = _matrix(values)
        if matrix is not None:
            return self.spent(matrix)
        items: list[Block] = []
        for value in values[: page.ROWS]:
            if self.full:
                break
            items.append(self.block(value, depth + 1))
        return Listing(tuple(items), more=len(values) - len(items))

    def claims(self, claims: Sequence[Claim], fold: Any = "closed") -> Claims:
        """Return as many claims as are read."""
        shown = tuple(claims[: page.CLAIMS])
        self.letters -= sum(len(c.statement) + len(c.verdict.evidence) for c in shown)
        return Claims(shown, fold=fold, more=len(claims) - len(shown))

    def equations(self, groups: Iterable[Group]) -> Block:
        """Return equations, or how many there are where they are too long."""
        there = tuple(group for group in groups if group.pairs)
        pairs: list[Pair] = [pair for group in there for pair in group.pairs]
        if not pairs or (not self.full and is_within([right for _, right in pairs], page.SYSTEM)):
            return self.spent(Equations(there))
        names = ", ".join(str(left) for left, _ in pairs[: page.ROWS] if left is not None)
        return Words(
            f"{len(pairs)} formulas that are too long to be read{f', for {names}' if names else ''}", quiet=True
        )


def _name(key: Any) -> Block:
    """Return what stands before a row: a formula for a formula or a letter, else words."""
    if isinstance(key, Expr):
        return formula_or_size(key)
    if isinstance(key, str) and (found := _LETTER.fullmatch(key)):
        return Formula(symbol(Symbol(found[1], order=len(found[2]))))
    return Words(str(key).replace("_", " "))


def _empty(value: Any) -> bool:
    """Say whether there is nothing to show: nothing was stated, nothing was found."""
    return value is None or (isinstance(value, str | Sequence | Mapping) and not len(value))


def _matrix(values: Sequence[Any]) -> Matrix | None:
    """Return a matrix, or None where it is none or too large to be read."""
    rows = [tuple(v) for v in values if isinstance(v, list | tuple)]
    width = len(rows[0]) if len(rows) == len(values) else 0
    if not width or any(len(row) != width or not all(isinstance(e, Expr) for e in row) for row in rows):
        return None
    if width * len(rows) > page.CLAIMS or not is_within([e for row in rows for e in row], page.MATRIX):
        return None
    plain = [tuple(p for e in row if (p := readable(e)) is not None) for row in rows]
    return Matrix(tuple(plain)) if all(len(row) == width for row in plain) else None


def _array(values: np.ndarray[Any, Any]) -> str:
    """Return a few numbers, or say how many there are and between what."""
    if values.size <= 16 and values.ndim <= 2:
        return np.array2string(values, precision=6, suppress_small=True)
    size = " by ".join(map(str, values.shape))
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        return f"{size} values"
    there = values[np.isfinite(values)]
    between = f", from {there.min():.4g} to {there.max():.4g}" if there.size else ", none of them finite"
    return f"{size} numbers{between}"


def _speaks(thing: Any) -> bool:
    """Say whether a type has a text of its own, and not the one that Python writes for records."""
    if isinstance(thing, Shown):
        return False
    own = type(thing).__dict__
    line = own.get("__repr__")
    return "__str__" in own or not (line is None or hasattr(line, "__wrapped__") or hasattr(line, "unwritten"))


def _line(value: Any) -> str:
    """Return what a thing is called: its type and its name where it has one, a function by its name."""
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    if isinstance(value, Shown):
        return value.summary()
    if not is_ours(value) or (_speaks(value) and type(value).__repr__ is not _SILENT):
        return str(value)
    name = getattr(value, "name", "")
    return f"{in_words(type(value))} {name}" if isinstance(name, str) and name else in_words(type(value))


def _type_of(value: Any) -> tuple[str, str]:
    return type(value).__module__, type(value).__name__
