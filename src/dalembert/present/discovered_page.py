"""All that a search found of a system: what a page, a notebook and the lines of a terminal are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.model.claim import sentence
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.present.discovered_dynamics import (
    DETAIL,
    LONGEST,
    hamiltonian_blocks,
    integrability_blocks,
    lagrangian_blocks,
    measure_blocks,
    searched,
    torus_blocks,
)
from dalembert.present.integrals import speeds_in, speeds_told_of
from dalembert.present.page import (
    Basis,
    Block,
    Code,
    Combination,
    Equations,
    Group,
    Listing,
    Section,
    Table,
    Words,
    formula_by_parts,
    formula_or_size,
    size_written,
)
from dalembert.present.results import statement_blocks
from dalembert.records import replace

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
    from dalembert.present.html_writer import document  # which a terminal does without

    return document(Section(found.system, (said, stated, *sections), level=1))


def discovered_blocks(
    found: Any, torus: Any = None, no_torus: str = "", along: str = "", *, full: bool = True
) -> tuple[Block, ...]:
    """Return a sentence on a discovery, and a section for each kind of thing that is known of it now.

    ``torus`` is that of the motion of [start], ``no_torus`` why there is none; ``along`` are the values of gauge
    momenta along that motion. Without ``full`` it has the answers and how they are known, and one sentence on what was
    searched.
    """
    basis = found.noether.basis if found.noether is not None else ()
    labels = {one.written: f"X{k}" for k, one in enumerate(basis, 1)}
    sections = (
        Section("Symmetries", tuple(_symmetries(found)), anchor="symmetries"),
        Section("Symmetries of the equations", tuple(_more(found)), anchor="equations"),
        Section("First integrals", tuple(_integrals(found, along, labels, full=full)), anchor="integrals"),
        Section("Invariant measure", tuple(measure_blocks(found.measures, labels, found.speeds)), anchor="measure"),
        Section("Integrability", tuple(integrability_blocks(found.integrability, labels)), anchor="integrability"),
        *hamiltonian_blocks(found.poisson, found.gauged),
        *lagrangian_blocks(found.variational),
        Section("Torus of the motion of [start]", tuple(torus_blocks(torus, no_torus)), anchor="torus"),
        Section("What was not searched", tuple(map(Words, found.notes)), anchor="searched"),
    )
    shown = sections if full else tuple(map(_without_details, sections))
    values = found.values if full or len(found.values) <= LONGEST else "The answer is for generic parameter values."
    said = f"{found.formalism}: {found.variables} state variables. {values}".strip()
    end = () if full else (Section("What was searched", (Words(_in_short(found)),)),)
    return (Words(said), *(one for one in shown if one.blocks), *end)


def _without_details(section: Section) -> Section:
    """Return a section without its small print, what a model could state, and what only few readers ask."""
    kept = [
        replace(one, note="") if isinstance(one, Words) else one
        for one in section.blocks
        if not ((isinstance(one, Words) and one.quiet) or isinstance(one, Code))
        and not (isinstance(one, Section) and one.look == DETAIL)
    ]
    return replace(section, blocks=tuple(kept))


def _in_short(found: Any) -> str:
    """Return in one sentence what was searched, and how to see or search more."""
    spaces = [f"symmetries among {found.noether.space}"] if found.noether is not None else []
    degrees = [k for search in found.searches for k, _ in search.bounds]
    spaces += [f"integrals of degree at most {max(degrees)} in the velocities"] if degrees else []
    said = sentence(f"{'; '.join(spaces)}") + " " if spaces else ""
    deep = "" if found.deep else "; --deep searches larger spaces"
    return f"{said}--full shows the evidence and all spaces{deep}."


# -- symmetries ----------------------------------------------------------------------------------------------------
def _fields(fields: Any, letter: str = "") -> Table:
    rows: list[tuple[Block, ...]] = []
    any_more = any(one.gauge is not ZERO or one.factor is not ZERO for one in fields)
    for k, one in enumerate(fields, 1):
        more = "" if one.gauge is ZERO else f"L changes by the rate of {text(tidy(one.gauge))}"
        more = more if one.factor is ZERO else f"multiplies the action, at the rate {text(one.factor)}"
        name = [Words(f"{letter}{k}")] if letter else []
        known = Words("", one.verdict.basis)
        rows.append((*name, field_block(one.generator), *([Words(more, quiet=True)] if any_more else []), known))
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
    yield Words(f"Of {_stated(algebra.system)}: {algebra.name if algebra.basis else 'none was found'}.")
    if algebra.basis:
        yield _fields(algebra.basis, "X")
    if algebra.structure is not None:
        yield from (Words(told, quiet=k > 0) for k, told in enumerate(algebra.structure.said))
    if found.orbits is not None:
        yield Words(_orbits(found.orbits), quiet=True)
    for part, fields in found.alone.items():
        if fields:
            several = ", ".join(one.written for one in fields[:_MOST_SHOWN])
            rest = f" and {len(fields) - _MOST_SHOWN} more" if len(fields) > _MOST_SHOWN else ""
            yield Words(f"{_PARTS[part]} alone {_HAS[part]} besides: {several}{rest}.", quiet=True)
    yield searched(algebra.space)
    if found.stated:
        yield Words("In a model:", quiet=True)
        yield Code("\n".join(["[symmetry]", *(f"{name} = {parts}" for name, parts in found.stated.items())]))


def _stated(system: System) -> str:
    """Say what it is that symmetries of what is stated leave as it is."""
    bound = bool((system.constraints.keys() | system.holonomic.keys()) - system.units)
    several = ["the Lagrangian", *["the constraints"] * bound, *["the forces"] * bool(system.forces)]
    return " and ".join(filter(None, (", ".join(several[:-1]), several[-1])))


def _orbits(orbits: Any) -> str:
    free, spanning = orbits.free, orbits.spanning
    count = f"{free.rank} of {orbits.velocities} dimensions"
    if free.rank < free.wanted:
        said = f"Without time they act nowhere freely on positions: orbits have {count}, with {free.wanted} fields"
    else:
        said = f"Without time they act locally freely on positions, at {_short(free.where)}: orbits have {count}"
    if spanning is not None:
        where = _short(spanning.where)
        said += f"; orbits and constraints span all directions at {where}, with {orbits.common} in common"
    return f"{said}."


def _short(where: str) -> str:
    """Return where something is so; but for zeros that nobody would read, they are only mentioned."""
    points, _, zeros = where.partition(" but where ")
    return where if len(zeros) <= LONGEST else f"{points} but for zeros of {zeros.count(' = ')} functions at once"


def _more(found: Any) -> Iterator[Block]:
    if not found.equations_space:
        return
    beside = found.noether is not None and bool(found.noether.basis)
    if found.more:
        yield from [Words("Besides those above:")] * beside
        yield _fields(found.more)
    else:
        yield Words("None was found besides those above." if beside else "None was found.")
    yield searched(found.equations_space)


# -- integrals -----------------------------------------------------------------------------------------------------
def _integrals(found: Any, along: str, labels: Mapping[str, str], *, full: bool) -> Iterator[Block]:
    every = (*found.known, *found.found)
    lettered = len(every) > 1
    rows, long = [], []
    for one in every:
        formula = formula_by_parts(one.shown)
        name = _named(one, found, labels)
        if formula != formula_or_size(one.shown):  # one that is read by its parts stands by itself
            long += [Words(f"{found.called(one)}, {name}:", one.verdict.basis), formula] if full else []
            many = f"a formula of {size_written([one.shown]):,} nodes"
            formula = Words("below" if full else many, quiet=True)
        letter = [Words(found.called(one))] if lettered else []
        rows.append((*letter, formula, Words(name, quiet=True), Words("", one.verdict.basis)))
    if not rows:
        yield Words("None was found." if found.searches else "They were not searched.")
    else:
        yield Table(tuple(rows))
        yield from long
        where = speeds_in(found.speeds, [one.shown for one in every])
        told = speeds_told_of(where, where)
        if where and told.count(" = ") == len(where) and len(told) <= LONGEST / 2:
            yield Words(f"Here {told}.")
        elif where and full:
            yield from (Words("Here"), Equations((Group("", tuple(where.items())),)))
        if len(every) > 1:
            all_ = len(found.independent) == len(every)
            yield Words(f"{'All' if all_ else len(found.independent)} are independent as functions.")
        yield from _brackets(found.brackets)
    if found.integrable is not None:
        one = found.integrable
        yield Words(one.sentence, one.verdict.basis)
    if found.gauge is not None:
        one = found.gauge
        yield Words(f"Gauge momenta: {one.written} is kept ({one.integral.verdict.basis}) for every solution of")
        yield Listing(tuple(Words(equation) for equation in one.equations), "plain")
        if along:
            said = "Along the motion of [start] the solutions that are unit vectors at its least shape keep"
            yield Words(f"{said} {along}.")
    by_letters: dict[tuple[str, str], list[str]] = {}
    for search in found.searches:
        by_letters.setdefault(search.alphabet(LONGEST), []).append(search.terms)
    yield from (searched(f"{made}: {'; '.join(terms)}{meant}") for (made, meant), terms in by_letters.items())
    if found.searches and not found.deep:
        yield Words("Larger spaces, of degree 3 and 4 among them: dalembert discover MODEL --deep.", quiet=True)


def _named(integral: Any, found: Any, labels: Mapping[str, str]) -> str:
    """Say what an integral is; a field that it is the momentum of by the name that the field has above."""
    first, momentum, field = integral.name.partition("momentum of ")
    name = f"{first}{momentum}{labels[field]}" if field in labels else integral.name
    others = found.dependent.get(integral)
    if others is None:
        return name or "new"
    return f"{name}{', ' * bool(name)}a function of {', '.join(map(found.called, others))}"


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
        bases = [told.removesuffix(".") for told in structure.said if " by " in told]
        yield Words(f"{algebra.up_to} {structure.name}{where}{': ' if bases else ''}{'; '.join(bases)}.")
