"""All objects of a formalism, each behind its title: short, or by lines of text with their parts named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.walk import unroll
from dalembert.model.equations import Equations
from dalembert.present.entries import zeros
from dalembert.present.main_objects import spoken
from dalembert.present.motion_equations import Short, by_name, shortening
from dalembert.present.page import (
    LISTED,
    OBJECT,
    SEVERAL,
    SHOWN,
    Block,
    Components,
    Section,
    Words,
    by_lines,
    component_by_parts,
    size_written,
    written_elsewhere,
)  # fmt: skip
from dalembert.present.shortening import Tried

_OBJECTS: Final = 0.12
"""Work for making objects short, in efforts,"""
_ONE_OF_THEM: Final = 1 / 12
"""of which one formula has so much."""
_LAST, _LONG = 0.3, 200
"""The effort for one formula of an object that would be left out for its length, if it has more nodes than these,"""
_HOPELESS: Final = 3_000
"""and no more than these: of longer ones none was read within such an effort."""
_UNDECIDED: Final = 40_000
"""Nodes of an object, linear systems written out, of which it is not asked which components vanish."""


def geometry_section(objects: Mapping[str, object], equations: Equations, effort: float = 3.0) -> Section:
    """Return connections and curvatures that were asked for, each under its title; of what is a sentence, that."""
    tables = {name: value for name, value in objects.items() if not isinstance(value, str)}
    there = {
        one.title: replace(one, folded=False, level=3) for one in object_sections(tables, equations, effort, Tried())
    }
    there |= {
        spoken(name): Section(spoken(name), (Words(f"It is {value}."),), level=3)
        for name, value in objects.items()
        if isinstance(value, str)
    }
    none = (Words("all components vanish"),)
    shown = [there.get(spoken(name), Section(spoken(name), none, level=3)) for name in objects]
    return Section("Geometry", tuple(shown), level=2)


def objects_section(objects: Mapping[str, object], equations: Equations, effort: float, tried: Tried) -> Section | None:
    """Return all objects of a formalism behind one title, each behind its own; one that is there already is told."""
    shown = object_sections(objects, equations, effort, tried, SHOWN)
    if not shown:
        return None
    return Section(
        f"{len(shown)} object{'s' * (len(shown) != 1)} of this formalism", tuple(shown), folded=True, look="objects"
    )


def object_sections(
    objects: Mapping[str, object], equations: Equations, effort: float, tried: Tried, most: int = OBJECT
) -> list[Section]:
    """Return objects, each behind its title; of one that is longer than so many nodes, who has it.

    They share an effort, and are shown as they are when it is spent. What was ``tried`` above is not tried again.
    """
    shown: list[Section] = []
    left = _OBJECTS * effort
    there: dict[tuple[str, ...], list[tuple[str, list[Expr]]]] = {}
    for name, value in objects.items():
        entries = _flat(value)
        if not entries or name == "first_integrals":
            continue
        title = spoken(name)
        formulas = [expression for _, expression in entries]
        whole = size_written(formulas)
        there_is = [not none for none in zeros(formulas)] if whole <= _UNDECIDED else [True] * len(entries)
        labels = tuple(label for label, _ in entries)
        if told := _too_long(formulas, there_is, whole, equations.formalism, OBJECT):
            shown.append(Section(title, _long(labels, formulas, there_is, told), folded=True, look="object"))
            continue
        budget = shortening(equations, left, _ONE_OF_THEM * effort, tried)
        short = by_name(equations, budget)
        plain = _shorter(formulas, there_is, short, most)
        left -= budget.used
        if size_written(plain) > most:  # it would be left out
            plain = _shorter(plain, there_is, by_name(equations, partial(_at_last, tried)), most)
        if told := _too_long(plain, there_is, size_written(plain), equations.formalism, most):
            shown.append(Section(title, _long(labels, plain, there_is, told), folded=True, look="object"))
            continue
        alike = there.setdefault(labels, [])
        same = next((other for other, known in alike if _are_equal(plain, known)), "")
        block = _components(labels, plain, there_is)
        if same and isinstance(block, Components):
            block = Words(f"the same components as those of the {same}")
        alike += [] if same else [(title, plain)]
        shown.append(Section(title, (block,), folded=True, look="object"))
    return shown


def _are_equal(formulas: Sequence[Expr], others: Sequence[Expr]) -> bool:
    return all(zeros([a - b for a, b in zip(formulas, others, strict=True)]))


def _at_last(tried: Tried, formula: Expr) -> Expr:
    """Return a long formula in a form for which more of the work may go into reading it than on most of a page.

    After one that stayed as long no further one of a section is tried: none of them became short.
    """
    if tried.in_vain or not _LONG < size_written([formula]) <= _HOPELESS:
        return formula
    short = tidy(formula, _LAST)
    tried.in_vain = size_written([short]) >= size_written([formula])
    return short


def _shorter(formulas: Sequence[Expr], there_is: Sequence[bool], short: Short, most: int) -> list[Expr]:
    """Return components in short forms; where the first ones have more nodes than are shown, the others as they are."""
    found: list[Expr] = []
    longer = False
    for formula, some in zip(formulas, there_is, strict=True):
        found.append((formula if longer else short(formula)) if some else ZERO)
        longer = longer or (some and size_written(found) > most)
    return found if longer else unroll(found)  # all at once: what they share is written once


def _too_long(entries: Sequence[Expr], there_is: Sequence[bool], whole: int, name: str, most: int) -> str:
    """Return that components are too long to be shown, and how many do not vanish where that was decided."""
    size, many = whole, len(entries)
    if whole <= _UNDECIDED:
        size, many = size_written([e for e, some in zip(entries, there_is, strict=True) if some]), sum(there_is)
        if size <= most:
            return ""
    said = f"its {many} components" if many > 1 else "it"
    if many < len(entries):
        said = f"{many} of its {len(entries)} components {'do' if many > 1 else 'does'} not vanish, and"
    are, them = ("are", "them") if many > 1 else ("is", "it")
    return f"{said} {are} too long to be shown{written_elsewhere(size, name, them)}."


def _long(labels: Sequence[str], formulas: Sequence[Expr], there_is: Sequence[bool], told: str) -> tuple[Block, ...]:
    """Return long components as lines of text, as far as they can be listed."""
    there = [(label or "it", e) for label, e, some in zip(labels, formulas, there_is, strict=True) if some]
    size = size_written([e for _, e in there])
    if size > LISTED or any(e.op in SEVERAL for _, e in there):
        return (Words(told, unshown=size),)
    return (by_lines(there, told),)


def _components(labels: Sequence[str], plain: Sequence[Expr], there_is: Sequence[bool]) -> Block:
    there = [(label, e) for label, e, some in zip(labels, plain, there_is, strict=True) if some and e is not ZERO]
    if not there:
        return Words("it vanishes" if len(plain) == 1 else f"all {len(plain)} components vanish")
    return Components(tuple((label, component_by_parts(e)) for label, e in there), len(plain) - len(there))


def _flat(value: Any, label: str = "") -> list[tuple[str, Expr]]:
    if isinstance(value, Expr):
        return [(label, value)]
    if isinstance(value, Mapping):
        return [row for key, part in value.items() for row in _flat(part, f"{label} {key}".strip())]
    if isinstance(value, list | tuple):
        return [row for k, part in enumerate(value, 1) for row in _flat(part, f"{label} {k}".strip())]
    return []
