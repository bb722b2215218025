"""The objects of a formalism, folded under their names: what is not zero as formulas, the zeros counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from dalembert.expr.display import mathml, mathml_equations
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.walk import count, tree_size, unroll
from dalembert.present.symbol_text import words_lettered

__all__ = ["formula", "objects_html"]

_LONG = 500
"""Nodes of a tree that still make a line."""
_WIDE = 45
"""With more nodes a formula gets a line of its own, or several,"""
_LINE = 80.0
"""as long as this, in letters."""


def objects_html(objects: Mapping[str, object], short: Callable[[Expr], Expr]) -> str:
    """Return all objects of a formalism behind one heading, each behind its own."""
    folded = [_object(name, value, short) for name, value in objects.items()]
    there = [fold for fold in folded if fold]
    if not there:
        return ""
    names = f"{len(there)} object{'s' * (len(there) != 1)}"
    return f'<details class="objects"><summary>{names} of this formalism</summary>{"".join(there)}</details>'


def _object(name: str, value: object, short: Callable[[Expr], Expr]) -> str:
    parts = _flat(value)
    plain = unroll([short(expression) for _, expression in parts])  # all at once: what they share is written out once
    entries = [(label, expression) for (label, _), expression in zip(parts, plain, strict=True)]
    title = escape(name.replace("_", " "))
    seen = [(label, expression) for label, expression in entries if expression is not ZERO]
    zeros = len(entries) - len(seen)
    if not entries:
        return ""
    if not seen:
        said = "it vanishes" if zeros == 1 else f"all {zeros} components vanish"
        return f"<details><summary>{title}</summary><p>{said}</p></details>"
    rows = "".join(_entry(label, expression) for label, expression in seen)
    rest = f'<p class="evidence">{zeros} further component{"s" * (zeros != 1)}: zero</p>' if zeros else ""
    return f'<details><summary>{title}</summary><div class="entries">{rows}</div>{rest}</details>'


def _entry(label: str, expression: Expr) -> str:
    wide = ' class="long"' if tree_size(expression) > _WIDE else ""
    key = f'<span class="key">{escape(words_lettered(label))}</span>' if label else ""
    return f"<div{wide}>{key}{formula(expression)}</div>"


def formula(expression: Expr) -> str:
    """Return a formula in the text, or say that it is too long to be read.

    >>> from dalembert.expr import symbol
    >>> "<mi>x</mi>" in formula(symbol("x"))
    True
    """
    (plain,) = unroll([expression])
    if tree_size(plain) > _LONG:
        return f'<span class="evidence">{count([plain]).total} operations; the JSON of derive has it</span>'
    if tree_size(plain) > _WIDE:  # it may have to be broken
        return mathml_equations([(None, plain)], longest=_LINE).replace(' display="block"', "")
    return mathml(plain, block=False)


def _flat(value: Any, label: str = "") -> list[tuple[str, Expr]]:
    if isinstance(value, Expr):
        return [(label, value)]
    if isinstance(value, Mapping):
        return [row for key, part in value.items() for row in _flat(part, f"{label} {key}".strip())]
    if isinstance(value, list | tuple):
        return [row for k, part in enumerate(value, 1) for row in _flat(part, f"{label} {k}".strip())]
    return []
