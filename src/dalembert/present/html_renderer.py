"""Anything as a part of a page: formulas, matrices, tables, records within records, as far as work and paper go.

A sheet is for looking, so it always comes back soon and is never long: what is too large says how large it is, and what
no longer fits is left out with three dots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from html import escape
from typing import Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.expr.display import mathml, mathml_equations, mathml_matrix
from dalembert.expr.display.names import LETTERS
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import postorder, tree_size, unroll
from dalembert.model.claim import Claim
from dalembert.present.badges import claims_table, verdict_html
from dalembert.present.plain_repr import counted, is_ours, told, words_of

__all__ = ["Sheet", "Show", "is_within", "readable"]

_READ = 40_000
"""Nodes that are laid out for one sheet; a busy machine takes longer and shows the same."""
_SHORTER = 1.2
"""Effort for making its formulas shorter, which another process does,"""
_EACH = 0.8
"""and for each of them."""
_LETTERS = 200_000
"""On one sheet."""
_NODES = 600
"""Shared nodes of a formula in a table, and"""
_TREE = 500
"""nodes of its tree, that are still read,"""
_LINE = 40
"""shared nodes of formulas that stand in one line, one after the other,"""
_SYSTEM = 6_000
"""and of equations that are still read."""
_ROWS = 60
"""Entries of a list or a table that are shown."""
_SEVERAL = frozenset({"sincos", "factor", "solve", "basic"})
"""Nodes with several values, of which a formula can have one only."""
_MOST = 150
"""Claims that are shown."""
_INSIDE = 2_500
"""Letters of a thing within another one; what is longer is folded."""
_DEEP = 3
"""Records within records within records are shown, no deeper."""

_LETTER = re.compile(rf"((?:[A-Za-z]|{'|'.join(LETTERS)})(?:_?[0-9]+)?)('*)")
"""Names that are a letter, Greek ones too, with or without an index, and primes."""

Show = Callable[[Any, "Sheet"], str]


class Sheet:
    """Work and paper for showing one thing, and how things of known types are shown.

    >>> from dalembert.expr import symbol
    >>> Sheet().html({"x": symbol("x") ** 2}).count("<msup>")
    1
    """

    def __init__(self, shown: Mapping[tuple[str, str], Show] | None = None) -> None:
        self.shown = shown or {}
        self.letters, self.nodes = _LETTERS, _READ
        self._shortening = SimplificationBudget(_SHORTER, each=_EACH, largest=_SYSTEM)
        self._short: dict[Expr, Expr] = {}

    @property
    def full(self) -> bool:
        """Whether nothing more should be put on it."""
        return self.letters <= 0 or self.nodes <= 0

    # -- formulas --------------------------------------------------------------------------------------------
    def short(self, expression: Expr) -> Expr:
        """Return an expression in a shorter form, while there is effort left for it; the same one at every call."""
        if expression not in self._short:
            if not self._short:
                wake()  # starting the other process takes nothing of its time
            self._short[expression] = self._shortening(expression)
        return self._short[expression]

    def _shorter(self, value: Any) -> Any:
        """Return the formulas of a field, in lists and tables too, in shorter form; records are left alone."""
        match value:
            case Expr():
                return self.short(value) if is_within([value], _NODES) else value
            case list() | tuple():
                return [self._shorter(part) for part in value[:_ROWS]] + list(value[_ROWS:])
            case Mapping():
                return {key: self._shorter(part) for key, part in value.items()}
        return value

    def formula(self, expression: Expr) -> str:
        """Return a formula in the text, or say how large it is."""
        if self.full:
            return "…"
        plain = readable(expression)
        if plain is None:
            return f'<span class="evidence">{escape(repr(expression).strip("<>"))}</span>'
        self._read([plain])
        return self._spent(mathml(plain, block=False))

    def formulas(self, pairs: Sequence[tuple[Any, Expr]]) -> str:
        """Return equations on lines of their own, large parts named."""
        if not pairs:
            return ""
        if self.full or not is_within([right for _, right in pairs], _SYSTEM):
            names = ", ".join(str(left) for left, _ in pairs[:_ROWS])
            return f'<p class="evidence">{len(pairs)} formulas that are too long to be read, for {escape(names)}</p>'
        self._read([right for _, right in pairs])
        try:
            return self._spent(f'<div class="formulas">{mathml_equations(list(pairs))}</div>')
        except DalembertError as fault:
            return f'<p class="evidence">{escape(str(fault))}</p>'

    # -- anything --------------------------------------------------------------------------------------------
    def html(self, value: Any, depth: int = 0) -> str:
        """Return any value for the page."""
        if self.full:
            return "…"
        if isinstance(value, Expr):
            return self.formula(value) if depth or readable(value) is not None else self.formulas([(None, value)])
        show = self.shown.get((type(value).__module__, type(value).__name__))
        if show is not None:
            body = self._spent(show(value, self))
            long = depth and len(body) > _INSIDE
            return f"<details><summary>{escape(told(value))}</summary>{body}</details>" if long else body
        match value:
            case Verdict():
                return self._spent(verdict_html(value))
            case Mapping():
                return self.table(value, depth)
            case list() | tuple() | frozenset() | set():
                return self.listed(list(value), depth)
            case np.ndarray():
                return self._spent(_array(value))
            case _ if is_dataclass(value) and is_ours(value):
                return self.record(value, depth)
        return self._spent(escape(told(value)))

    def record(self, thing: Any, depth: int = 0) -> str:
        """Return a record by its fields, those within it folded."""
        if depth >= _DEEP:
            return escape(told(thing))
        parts = {f.name: getattr(thing, f.name) for f in fields(thing) if f.repr and not f.name.startswith("_")}
        table = self.table({name: self._shorter(value) for name, value in parts.items()}, depth)
        if not depth:
            about = (type(thing).__doc__ or "").partition("\n")[0]
            about = "" if about.startswith(f"{type(thing).__name__}(") else about  # Python's own, of no docstring
            return f'<h4>{escape(words_of(thing))}</h4><p class="evidence">{escape(about)}</p>{table}'
        return f"<details><summary>{escape(words_of(thing))}</summary>{table}</details>"

    def table(self, entries: Mapping[Any, Any], depth: int = 0) -> str:
        """Return a row for each entry that says something."""
        said = [(key, value) for key, value in entries.items() if not _empty(value)]
        rows = []
        for key, value in said[:_ROWS]:
            if self.full:
                break
            rows.append(f"<tr><td>{self._name(key)}</td><td>{self.html(value, depth + 1)}</td></tr>")
        if len(rows) < len(said):
            rows.append(f'<tr><td>…</td><td class="evidence">and {len(said) - len(rows)} more</td></tr>')
        return f"<table>{''.join(rows)}</table>" if rows else ""

    def listed(self, values: Sequence[Any], depth: int = 0) -> str:
        """Return claims as their table, rows of formulas as a matrix, everything else one below the other."""
        if not values:
            return '<span class="evidence">none</span>'
        if all(isinstance(v, Claim) for v in values):
            return self.claims(values)
        if all(isinstance(v, str | int | float | Fraction) for v in values):
            return self._spent(escape(told(values)))
        if all(isinstance(v, Expr) for v in values) and is_within(values, _LINE):
            return ", ".join(self.formula(v) for v in values)
        matrix = _matrix(values)
        if matrix is not None and all(readable(e) is not None for row in matrix for e in row):
            self._read([entry for row in matrix for entry in row])
            return self._spent(mathml_matrix(matrix, block=False))
        items = []
        for value in values[:_ROWS]:
            if self.full:
                break
            items.append(f"<li>{self.html(value, depth + 1)}</li>")
        more = f'<p class="evidence">and {len(values) - len(items)} more</p>' if len(items) < len(values) else ""
        return f"<ol>{''.join(items)}</ol>{more}"

    def claims(self, claims: Sequence[Claim], *, folded: bool = False) -> str:
        """Return claims with their verdicts, behind their count where there are many."""
        if not claims:
            return ""
        table = self._spent(claims_table(claims[:_MOST]))
        if len(claims) == 1:
            return table
        if len(claims) > _MOST:
            table += f'<p class="evidence">and {len(claims) - _MOST} more</p>'
        state = "" if folded else " open"
        return f"<details{state}><summary>{len(claims)} claims: {counted(claims)}</summary>{table}</details>"

    def _name(self, key: Any) -> str:
        """Return what stands before a row: a formula for a formula or a letter, else words."""
        if isinstance(key, Expr):
            return self.formula(key)
        if isinstance(key, str) and (found := _LETTER.fullmatch(key)):
            return mathml(symbol(Symbol(found[1], order=len(found[2]))), block=False)
        return escape(str(key).replace("_", " "))

    def _read(self, expressions: Sequence[Expr]) -> None:
        self.nodes -= len(postorder(expressions))

    def _spent(self, body: str) -> str:
        self.letters -= len(body)
        return body


def is_within(expressions: Iterable[Expr], most: int) -> bool:
    """Say whether formulas have no more shared nodes than so many, without going through all of them.

    >>> is_within([symbol("x") + 1], 2), is_within([symbol("x") + 1], 1)
    (True, False)
    """
    seen: set[Expr] = set()
    waiting = list(expressions)
    while waiting and len(seen) <= most:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            waiting += node.args
    return len(seen) <= most


def readable(expression: Expr) -> Expr | None:
    """Return a formula with its linear solves written out, or None where nobody would read it."""
    if expression.op in _SEVERAL or not is_within([expression], _NODES):
        return None
    try:
        (plain,) = unroll([expression])
    except DalembertError:  # a solve of a singular system has no formula
        return None
    return plain if tree_size(plain) <= _TREE else None


def _empty(value: Any) -> bool:
    """Say whether there is nothing to show: nothing was stated, nothing was found."""
    return value is None or (isinstance(value, str | Sequence | Mapping) and not len(value))


def _matrix(values: Sequence[Any]) -> list[list[Expr]] | None:
    """Return the rows of a matrix, or None where it is none or too large to be read."""
    rows = [list(v) for v in values if isinstance(v, list | tuple)]
    width = len(rows[0]) if len(rows) == len(values) else 0
    if not width or any(len(row) != width or not all(isinstance(e, Expr) for e in row) for row in rows):
        return None
    return rows if is_within([e for row in rows for e in row], _TREE) and width * len(rows) <= _MOST else None


def _array(values: np.ndarray[Any, Any]) -> str:
    """Return a few numbers, or say how many there are and between what."""
    if values.size <= 16 and values.ndim <= 2:
        return (
            f'<code style="white-space: pre">{escape(np.array2string(values, precision=6, suppress_small=True))}</code>'
        )
    size = " by ".join(map(str, values.shape))
    if not np.issubdtype(values.dtype, np.number) or np.iscomplexobj(values):
        return f"{size} values"
    there = values[np.isfinite(values)]
    between = f", from {there.min():.4g} to {there.max():.4g}" if there.size else ", none of them finite"
    return f"{size} numbers{between}"
