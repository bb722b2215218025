"""All that a search found of a system: ``dalembert discover SYSTEM -o FILE.html``, and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dalembert.expr.graph import ZERO
from dalembert.expr.text import text
from dalembert.model.system import System
from dalembert.present.html_writer import document
from dalembert.present.page import Block, Code, Listing, Section, Table, Words, formula_or_size
from dalembert.present.results import statement_blocks

_ANSWERS = {"found": "found", "exists": "there is one", "absent": "there is none", "undecided": "undecided"}


def discovered_page(system: System, found: Any) -> str:
    """Return the page as one HTML file that opens offline.

    >>> from dalembert import discover
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> "Invariant measure" in discovered_page(fall, discover(fall))
    True
    """
    stated = Section("The system", tuple(statement_blocks(system)), anchor="system")
    said, *sections = discovered_blocks(found)
    return document(Section(found.system, (said, stated, *sections), level=1))


def discovered_blocks(found: Any) -> tuple[Block, ...]:
    """Return a sentence on a discovery, and a section for each kind of thing that is known of it now."""
    said = f"{found.formalism}: {found.variables} state variables. {found.values}".strip()
    sections = (
        Section("Symmetries", tuple(_symmetries(found)), anchor="symmetries"),
        Section("First integrals", tuple(_integrals(found)), anchor="integrals"),
        Section("Invariant measure", tuple(_measures(found)), anchor="measure"),
        Section("Integrability", tuple(_integrability(found)), anchor="integrability"),
        Section("What was searched", tuple(_searched(found)), anchor="searched"),
    )
    return (Words(said), *(one for one in sections if one.blocks))


def _fields(fields: Any) -> Table:
    rows = []
    for one in fields:
        more = "" if one.gauge is ZERO else f"L changes by the rate of {text(one.gauge)}"
        more = more if one.factor is ZERO else f"multiplies the action: its rate is {text(one.factor)} times itself"
        rows.append((Words("", one.verdict.kind), Words(one.written), Words(more, quiet=True)))
    return Table(tuple(rows))


def _symmetries(found: Any) -> Iterator[Block]:
    algebra = found.noether
    if algebra is not None and algebra.basis:
        yield Words(f"Of what is stated: {algebra.name}.")
        yield _fields(algebra.basis)
        if algebra.structure is not None:
            yield Listing(tuple(Words(sentence) for sentence in algebra.structure.said), "plain")
    if found.more:
        yield Words("Of the equations besides:")
        yield _fields(found.more)
    if found.stated:
        lines = [f"{name} = {components}" for name, components in found.stated.items()]
        yield Words("In a model:")
        yield Code("\n".join(["[symmetry]", *lines]))


def _integrals(found: Any) -> Iterator[Block]:
    rows = [
        (
            Words(found.called(one), one.verdict.kind),
            formula_or_size(one.shown),
            Words(f"({one.name or 'new'})", quiet=True),
        )
        for one in (*found.known, *found.found)
    ]
    if not rows:
        yield Words("None was found." if found.searches else "They were not searched.")
    else:
        yield Table(tuple(rows))
        yield Words(f"Independent as functions: {len(found.independent)}.")
    if found.brackets is not None and found.brackets.closes:
        said = ", ".join(found.brackets.said)
        yield Words(f"Poisson brackets: {said or 'all vanish'}. {found.brackets.up_to} {found.brackets.name}.")
    if found.gauge is not None:
        yield Words(f"Gauge momenta: {found.gauge.written} is constant for every solution of")
        yield Listing(tuple(Words(equation) for equation in found.gauge.equations), "plain")


def _measures(found: Any) -> Iterator[Block]:
    parts: list[tuple[str, Any]] = [("of the states", found.measures.full)]
    if found.measures.reduced is not None:
        parts.append((f"modulo {', '.join(found.measures.group)}", found.measures.reduced))
    for where, measure in parts:
        kind = "" if measure.verdict.kind == "undecided" else measure.verdict.kind
        if measure.density is not None:
            density = (Words("", kind), formula_or_size(measure.density), Words(where, quiet=True))
            yield Table((density,))
        else:
            yield Words(f"{where}: {_ANSWERS[measure.answer]}; {measure.verdict.evidence}", kind)


def _integrability(found: Any) -> Iterator[Block]:
    if found.integrability is None:
        return
    asked, brackets = found.integrability.quadratures, found.integrability.involution
    if asked is not None:
        where = f"modulo {', '.join(asked.modulo)}" if asked.modulo else "of the states"
        told = f"{asked.missing} missing" if asked.missing else "by quadratures"
        kind = "" if asked.verdict.kind == "undecided" else asked.verdict.kind
        yield Words(f"Euler and Jacobi, {where}: {told}; {asked.verdict.evidence}", kind)
    if brackets is not None:
        kind = "" if brackets.verdict.kind == "undecided" else brackets.verdict.kind
        yield Words(f"Liouville, Mishchenko and Fomenko: {brackets.verdict.evidence}", kind)


def _searched(found: Any) -> Iterator[Block]:
    spaces = [] if found.noether is None else [found.noether.space]
    spaces += [found.equations_space] if found.equations_space else []
    spaces += [search.space for search in found.searches]
    spaces += [] if found.measures.volume is None else [found.measures.volume.space]
    yield Listing(tuple(Words(f"{space}.", quiet=True) for space in spaces), "plain")
    yield from (Words(note) for note in found.notes)
