"""What a short look found beyond what was stated, as a section of a page and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dalembert.analysis.discovery.glance import Glance
from dalembert.expr.field.normal import tidy
from dalembert.expr.graph import ZERO
from dalembert.expr.text import text
from dalembert.present.discovered_page import field_block
from dalembert.present.integrals import speeds_told_of, without_constant_factor
from dalembert.present.page import Block, Section, Table, Words, formula_by_parts
from dalembert.present.typeset import spoken_turns

TITLE = "What a short search finds"
_MORE = "dalembert discover MODEL searches more, with --deep larger spaces."


def discovery_section(look: Glance, level: int = 2) -> Section:
    """Return symmetries and integrals, those that are new told from energy and momenta, and what was searched.

    >>> from dalembert.analysis.discovery.glance import glance
    >>> from dalembert.model.system import System
    >>> look = glance(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"))
    >>> [type(block).__name__ for block in discovery_section(look).blocks]
    ['Words', 'Table', 'Words', 'Table', 'Words', 'Words', 'Words', 'Words']
    """
    blocks: list[Block] = []
    if look.symmetries:
        blocks += [Words("Symmetries of the Lagrangian, the constraints and the forces:"), Table(tuple(_fields(look)))]
    if look.integrals:
        rows = tuple(
            (
                Words("", one.verdict.kind),
                formula_by_parts(one.shown if one.name else without_constant_factor(one.shown)),
                Words(f"({one.name})" if one.name else "(new)", quiet=True),
            )
            for one in look.integrals
        )
        blocks += [Words("Constant along the motions:"), Table(rows)]
        speeds = {} if look.motions is None else look.motions.names.equations.speeds
        if where := speeds_told_of(speeds, [one.shown for one in look.integrals]):
            blocks.append(Words(f"Here {where}."))
    if not blocks and not look.note:
        blocks = [Words("Nothing was found.")]
    if look.note:
        blocks.append(Words(f"{'No more' if blocks else 'Nothing'} was searched: {look.note}."))
    blocks += [Words(f"Searched: {space}.", quiet=True) for space in look.searched]
    return Section(TITLE, (*blocks, Words(_MORE, quiet=True)), level=level, anchor="discovery")


def searched_section(look: Glance) -> Section:
    """Return symmetries and what was searched, beside a page that has the integrals already."""
    fields = ", ".join(spoken_turns(one.written) for one in look.symmetries)
    said = [f"Symmetries of the Lagrangian, the constraints and the forces: {fields}."] if fields else []
    said += [f"Integrals were not searched: {look.note}."] if look.note else []
    searched = (Words(f"Searched: {space}.", quiet=True) for space in look.searched)
    return Section(TITLE, (*map(Words, said), *searched, Words(_MORE, quiet=True)))


def _fields(look: Glance) -> Iterator[tuple[Block, ...]]:
    for one in look.symmetries:
        changes = one.gauge is not ZERO
        gauge = Words("L changes by the rate of", formulas=(tidy(one.gauge),), quiet=True) if changes else Words("")
        yield Words("", one.verdict.kind), field_block(one.generator), gauge


def discovery_json(look: Glance) -> dict[str, Any]:
    """Return the same for programs."""
    return {
        "symmetries": [
            {"field": one.written, "gauge": text(one.gauge), "verdict": one.verdict.kind} for one in look.symmetries
        ],
        "integrals": [
            {"name": one.name, "expression": text(one.shown), "verdict": one.verdict.kind} for one in look.integrals
        ],
        "searched": list(look.searched),
        **({"note": look.note} if look.note else {}),
    }
