"""All that a search found of a system: what a page, a notebook and the lines of a terminal are made of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.present.discovered_dynamics import (
    hamiltonian_blocks,
    integrability_blocks,
    lagrangian_blocks,
    measure_blocks,
    searched,
    torus_blocks,
)
from dalembert.present.html_writer import document
from dalembert.present.integrals import speeds_told_of
from dalembert.present.page import (
    Basis,
    Block,
    Code,
    Combination,
    Listing,
    Section,
    Table,
    Words,
    formula_by_parts,
    formula_or_size,
)
from dalembert.present.results import statement_blocks

_MOST_SHOWN = 12
"""So many fields of one part of the statement are written down."""
_PARTS, _HAS = {"L": "L", "constraints": "The constraints"}, {"L": "has", "constraints": "have"}


def discovered_page(system: System, found: Any, torus: Any = None, no_torus: str = "", along: str = "") -> str:
    """Return the page as one HTML file that opens offline; for the rest see ``discovered_blocks``.

    >>> from dalembert import discover
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> "Invariant measure" in discovered_page(fall, discover(fall))
    True
    """
    stated = Section("The system", tuple(statement_blocks(system)), anchor="system")
    said, *sections = discovered_blocks(found, torus, no_torus, along)
    return document(Section(found.system, (said, stated, *sections), level=1))


def discovered_blocks(found: Any, torus: Any = None, no_torus: str = "", along: str = "") -> tuple[Block, ...]:
    """Return a sentence on a discovery, and a section for each kind of thing that is known of it now.

    ``torus`` is that of the motion of [start], ``no_torus`` why there is none; ``along`` are the values of gauge
    momenta along that motion.
    """
    said = f"{found.formalism}: {found.variables} state variables. {found.values}".strip()
    sections = (
        Section("Symmetries", tuple(_symmetries(found)), anchor="symmetries"),
        Section("Symmetries of the equations", tuple(_more(found)), anchor="equations"),
        Section("First integrals", tuple(_integrals(found, along)), anchor="integrals"),
        Section("Invariant measure", tuple(measure_blocks(found.measures)), anchor="measure"),
        Section("Integrability", tuple(integrability_blocks(found.integrability)), anchor="integrability"),
        *hamiltonian_blocks(found.poisson, found.gauged),
        *lagrangian_blocks(found.variational),
        Section("Torus of the motion of [start]", tuple(torus_blocks(torus, no_torus)), anchor="torus"),
        Section("What was not searched", tuple(map(Words, found.notes)), anchor="searched"),
    )
    return (Words(said), *(one for one in sections if one.blocks))


# -- symmetries ----------------------------------------------------------------------------------------------------
def _fields(fields: Any, letter: str = "") -> Table:
    rows: list[tuple[Block, ...]] = []
    for k, one in enumerate(fields, 1):
        more = "" if one.gauge is ZERO else f"L changes by the rate of {text(one.gauge)}"
        more = more if one.factor is ZERO else f"multiplies the action, at the rate {text(one.factor)}"
        name = [Words(f"{letter}{k}")] if letter else []
        rows.append((*name, Words("", one.verdict.kind), field_block(one.generator), Words(more, quiet=True)))
    return Table(tuple(rows))


def field_block(generator: Generator) -> Combination:
    """Return a field as a sum over coordinate fields; a turn of a rotation is named."""
    turned = generator.turns
    parts = [(e, q) for q, e in generator.components.items() if q.data.name.partition(".")[0] not in turned]
    parts += [] if generator.time is ZERO else [(generator.time, symbol(TIME))]
    terms: list[tuple[Expr | str, Basis]] = [(e, Basis("partial", (q,))) for e, q in parts]
    named = [(ONE, Basis("name", name=f"{name} {side} {axis}")) for name, (side, axis) in turned.items()]
    return Combination((*terms, *named))


def _symmetries(found: Any) -> Iterator[Block]:
    algebra = found.noether
    if algebra is None:
        return
    yield Words(f"Of what is stated: {algebra.name if algebra.basis else 'none was found'}.")
    if algebra.basis:
        yield _fields(algebra.basis, "X")
    if algebra.structure is not None:
        yield from (Words(sentence) for sentence in algebra.structure.said)
    if found.orbits is not None:
        yield Words(_orbits(found.orbits))
    for part, fields in found.alone.items():
        if fields:
            several = ", ".join(one.written for one in fields[:_MOST_SHOWN])
            rest = f" and {len(fields) - _MOST_SHOWN} more" if len(fields) > _MOST_SHOWN else ""
            yield Words(f"{_PARTS[part]} alone {_HAS[part]} besides: {several}{rest}.")
    yield searched(algebra.space)
    if found.stated:
        yield Words("In a model:")
        yield Code("\n".join(["[symmetry]", *(f"{name} = {parts}" for name, parts in found.stated.items())]))


def _orbits(orbits: Any) -> str:
    free, spanning = orbits.free, orbits.spanning
    count = f"{free.rank} of {orbits.velocities} dimensions"
    if free.rank < free.wanted:
        said = f"Without time they act nowhere freely: orbits have {count}, with {free.wanted} fields"
    else:
        said = f"Without time they act locally freely at {free.where}: orbits have {count}"
    if spanning is not None:
        said += f"; orbits and constraints span all directions at {spanning.where}, with {orbits.common} in common"
    return f"{said}."


def _more(found: Any) -> Iterator[Block]:
    if found.more:
        yield from [Words("Besides those of what is stated:")] * (found.noether is not None)
        yield _fields(found.more)
        yield searched(found.equations_space)


# -- integrals -----------------------------------------------------------------------------------------------------
def _integrals(found: Any, along: str) -> Iterator[Block]:
    every = (*found.known, *found.found)
    lettered = any(map(found.called, every))
    rows, long = [], []
    for one in every:
        formula = formula_by_parts(one.shown)
        if formula != formula_or_size(one.shown):  # one that is read by its parts stands by itself
            name = f"{found.called(one)}, {one.name or 'new'}".removeprefix(", ")
            long += [Words(f"{name[0].upper()}{name[1:]}:", one.verdict.kind), formula]
            formula = Words("below", quiet=True)
        letter = [Words(found.called(one))] if lettered else []
        rows.append((*letter, Words("", one.verdict.kind), formula, Words(f"({one.name or 'new'})", quiet=True)))
    if not rows:
        yield Words("None was found." if found.searches else "They were not searched.")
    else:
        yield Table(tuple(rows))
        yield from long
        if where := speeds_told_of(found.speeds, [one.shown for one in every]):
            yield Words(f"Here {where}.")
        yield Words(f"Independent as functions: {len(found.independent)}.")
        yield from _brackets(found.brackets)
    if found.gauge is not None:
        one = found.gauge
        yield Words(f"Gauge momenta: {one.written} is kept ({one.integral.verdict.kind}) for every solution of")
        yield Listing(tuple(Words(equation) for equation in one.equations), "plain")
        if along:
            said = "Along the motion of [start] the solutions that are unit vectors at its least shape keep"
            yield Words(f"{said} {along}.")
    yield from (searched(search.space) for search in found.searches)
    if found.searches and not found.deep:
        yield Words("Larger spaces, of degree 3 and 4 among them: dalembert discover MODEL --deep.", quiet=True)


def _brackets(algebra: Any) -> Iterator[Block]:
    if algebra is None:
        return
    said = ", ".join(algebra.said)
    if not algebra.closes:
        open_ = [f"{{J{a + 1}, J{b + 1}}}" for (a, b), terms in algebra.brackets.items() if terms is None]
        are = "are no combinations" if len(open_) > 1 else "is no combination"
        yield Words(f"Poisson brackets: {said}{'; ' * bool(said)}{', '.join(open_)} {are} of these.")
    else:
        yield Words(f"Poisson brackets: {said}; all others vanish." if said else "All Poisson brackets vanish.")
    for level, structure in algebra.algebras.items():
        where = f" where {level}" if level else ""
        bases = [sentence.removesuffix(".") for sentence in structure.said if " by " in sentence]
        yield Words(f"{algebra.up_to} {structure.name}{where}{': ' if bases else ''}{'; '.join(bases)}.")
