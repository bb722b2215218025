"""What was stated, and the page of a derivation: equations, what is constant, the claims, a motion, the objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from shlex import quote
from typing import Any, Final

from dalembert.expr.elementary import jet
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute, tree_size
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.found_symmetries import symmetry_lines
from dalembert.mechanics.registry import Result, formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.present.alike import written_alike
from dalembert.present.all_objects import objects_section
from dalembert.present.combinations import field_combination
from dalembert.present.entries import orthogonal
from dalembert.present.integrals import by_state, shown_of
from dalembert.present.main_objects import growth_told, main_groups, named_once, symmetries_told
from dalembert.present.motion_equations import (
    Short,
    balance,
    by_name,
    cut_to_size,
    equations_blocks,
    shortening,
)
from dalembert.present.naming import names_used
from dalembert.present.page import (
    Block,
    Claims,
    Code,
    Equations,
    Formula,
    Group,
    Pair,
    Section,
    Table,
    Words,
    formula_by_parts,
)  # fmt: skip
from dalembert.present.shortening import Shortening, Tried
from dalembert.present.typeset import spoken_turns

_SECTION: Final = 1.2
"""Work for making all formulas of a formalism short, in efforts: the equations, which are read first, have it first,"""
_MAIN: Final = 0.5
"""then, so much of what they leave, the main objects."""
_LINE: Final = 30
"""Nodes of a constraint, as trees, that stands in a table."""
IN_A_MODEL: Final = " In a model:"
"""So ends the sentence on symmetries that were found."""


def result_page(
    result: Result,
    decided: Sequence[Claim] = (),
    integrals: Sequence[FirstIntegral] = (),
    objects: Mapping[str, object] | None = None,
    effort: float = 3.0,
) -> Section:
    """Return the equations of a result with its main objects, what is constant, and the claims that were decided of it.

    >>> from dalembert.mechanics.lagrangian import euler_lagrange
    >>> from dalembert.model.system import System
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> [type(block).__name__ for block in result_page(euler_lagrange.derive(fall)).blocks]
    ['Words', 'Equations']
    """
    equations = result.equations
    tried = Tried(effort)
    short = shortening(equations, effort, tried=tried)
    blocks = [
        *found_blocks(result.system),
        *_with_objects(result, objects or {}, short, effort, tried),
        _constant(integrals, by_state(equations, short)),
        Claims(tuple(decided)) if decided else None,
    ]
    names = names_used(result.system, [equations])
    title = f"{equations.system}, {equations.formalism}"
    return Section(title, tuple(b for b in blocks if b is not None), level=1, names=names)


def section_of(
    result: Result,
    decided: Sequence[Claim] = (),
    integrals: Sequence[FirstIntegral] = (),
    motion: Block | None = None,
    objects: Mapping[str, object] | None = None,
    effort: float = 8.0,
) -> Section:
    """Return what a study says of a formalism: its equations, what is constant, claims, a motion, its objects."""
    tried = Tried(_SECTION * effort)
    short = by_name(result.equations, shortening(result.equations, _SECTION * effort, tried=tried))
    name = result.equations.formalism
    about = formalism(name)
    objects = result.objects() if objects is None else objects
    blocks = [
        Words(about.sentence) if about.sentence else None,
        *found_blocks(result.system),
        *_with_objects(result, objects, short, _MAIN * effort, tried),
        _constant(integrals, by_state(result.equations, short)),
        Claims(tuple(decided), tuple(checked_again(claim, name) for claim in decided)) if decided else None,
        motion,
        objects_section(objects, result.equations, effort, tried),
    ]
    names = names_used(result.system, [result.equations])
    return Section(about.title, tuple(block for block in blocks if block is not None), anchor=name, names=names)


def _with_objects(
    result: Result, objects: Mapping[str, object], short: Short, effort: float, tried: Tried
) -> Iterator[Block | None]:
    """Yield the equations of motion and the main objects, which share the names of their parts, and words on them."""
    name = result.equations.formalism
    state, motion = equations_blocks(result.equations, short, result.system.named_parts)
    named = by_state(result.equations, by_name(result.equations, shortening(result.equations, effort, tried=tried)))
    told = named_once(main_groups(objects, formalism(name).main, named, name), motion)
    yield state
    groups = written_alike([*motion.groups, *(one for one in told if isinstance(one, Group))])
    shown, left_out = cut_to_size(groups, whose=name)
    yield shown
    yield left_out
    yield speeds_told(result)
    yield from (one for one in told if isinstance(one, Words))
    yield growth_told(objects) if result.system.stated_constraints else None
    yield symmetries_told(objects, result.system)


def found_blocks(system: System) -> list[Block]:
    """Return what is said of symmetries that were found, and the table that a model could state; nothing of others.

    >>> from dalembert.mechanics.found_symmetries import with_symmetry
    >>> plane = System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2 - (x^2 + y^2)^2")
    >>> [type(block).__name__ for block in found_blocks(with_symmetry(plane, "e1"))], found_blocks(plane)
    (['Words', 'Code'], [])
    """
    if system.found is None or not system.symmetry:
        return []
    said = f"{system.found.statement[0].upper()}{system.found.statement[1:]}.{IN_A_MODEL}"
    return [Words(said, system.found.verdict.kind), Code(symmetry_lines(system))]


def speeds_told(result: Result) -> Words | None:
    """Return that stated speeds are names only, where no variable of the equations is one of them."""
    stated, equations = result.system.stated_speeds, result.equations
    if not stated or not stated.keys().isdisjoint(equations.state):
        return None
    names = ", ".join(one.data.name for one in stated)
    several, what = ("speeds", "stand for what they say") if len(stated) > 1 else ("speed", "stands for what it says")
    where = "in starts, forces, events and outputs"
    return Words(
        f"The stated {several} {names} {what} here, {where}; the equations are in other velocities.", quiet=True
    )


def checked_again(claim: Claim, formalism: str = "") -> str:
    """Return the command that decides a claim of a formalism, or between formalisms, anew.

    >>> from dalembert.expr.truth import Verdict
    >>> checked_again(Claim("the energy", "it is kept", "check", Verdict("proved", "")), "routh")
    "dalembert check MODEL 'the energy' --as routh"
    """
    return f"dalembert check MODEL {quote(claim.name)}{f' --as {formalism}' if formalism else ''}"


# -- what was stated -----------------------------------------------------------------------------------------
def statement_blocks(system: System) -> list[Block]:
    """Return the Lagrangian or the equations of a system, its speeds, constraints and forces, and what its letters are.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> [type(block).__name__ for block in statement_blocks(fall)]
    ['Equations', 'Table']
    """
    stated: list[Pair] = [("L", system.lagrangian)] if system.lagrangian is not None else []
    stated += [*system.equations.items(), *system.stated_speeds.items()]
    entries = [symbol(Symbol(name)) for point in system.points if point.is_rotation for name in point.entries]
    # of a mechanism nobody wrote it like that
    short: Short = Shortening(modulo=orthogonal(entries)) if system.mechanism is not None else lambda e: e
    stated = [(left, short(by_parts(system, [right])[0])) for left, right in stated]
    sides = {
        name: [short(side) for side in by_parts(system, [c.left, c.right])]
        for name, rate in system.constraints.items()
        if name not in system.units
        for c in (system.holonomic.get(name, rate),)  # of what is stated on positions, that, not its rate
    }
    titles = {name: f"{name} ({system.kind_of(name)})" for name in sides}
    long = any(sum(map(tree_size, both)) > _LINE for both in sides.values())  # then none of them is in a table
    held = () if long else tuple((Words(titles[name]), Formula(b, a)) for name, (a, b) in sides.items())
    held_long = [Group(f"constraint {titles[n]}", (balance(a, b),)) for n, (a, b) in sides.items() if long]
    pushed = tuple(
        (Words("force along", formulas=(one,)), formula_by_parts(*by_parts(system, [force])))
        for one, force in system.stated_forces.items()
    )
    said = {
        "coordinates": ", ".join(_declared(system)),
        "turning": _SPEEDS_OF_TURNING if "rotation" in system.kinds.values() else "",
        "parameters": ", ".join(f"{p.data.label}{_valued(v)}" for p, v in system.parameters.items()),
        "start": ", ".join(f"{s.data.label}{_valued(v)}" for s, v in system.start.values.items()),
        "start near": ", ".join(f"{s.data.label}{_valued(v)}" for s, v in system.start.near.items()),
    }
    given = [(u, value) for u, value in system.controls.items() if value is not None]
    given += [(jet(f, spec.formal), spec.value) for f, spec in system.functions.items() if spec.value is not None]
    letters = tuple(one.data.name for one in (*system.q, *system.parameters, *system.speeds))
    rows: list[tuple[Block, ...]] = [(Words(key), Words(text, letters=letters)) for key, text in said.items() if text]
    if system.mechanism is not None:
        rows.append((Words("mobility"), Words(str(system.mobility))))
    chart = Chart.of(*system.q)
    rows += [(Words(f"symmetry {name}"), _generator(g, chart)) for name, g in system.symmetry.items()]
    rows += [
        (Words(f"{name} along time"), formula_by_parts(g.time))
        for name, g in system.symmetry.items()
        if g.turns and not vanish([g.time])
    ]
    blocks = [
        Equations((*([Group("", tuple(stated))] if stated else []), *held_long)) if stated or held_long else None,
        Table(held, ("constraint", "equation")) if held else None,
        Table(pushed) if pushed else None,
        Table(tuple((Formula(one), formula_by_parts(value)) for one, value in given), ("function", "in motions"))
        if given
        else None,
        Table(tuple(rows)),
    ]
    return [block for block in blocks if block is not None]


def _generator(generator: Generator, chart: Chart) -> Block:
    """Return the field of a generator, with its part along time; one that turns rotations is said in words."""
    if not generator.turns:
        field = generator.on(chart)
        if vanish([generator.time]):
            return field_combination(field)
        along = Chart.of(*chart.coordinates, symbol(TIME))
        return field_combination(VectorField(along, (*field.components, generator.time)))
    told = [spoken_turns(f"{name} {side} {axis}") for name, (side, axis) in generator.turns.items()]
    rest = {q: e for q, e in generator.components.items() if q.data.name.partition(".")[0] not in generator.turns}
    return Words(", ".join([*told, *(f"{q.data.label} by {e!r}" for q, e in rest.items())]))


def by_parts(system: System, expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions with entries and angular velocities of rotations by their names."""
    return substitute(expressions, system.named_parts) if system.points else list(expressions)


_SPEEDS_OF_TURNING = "\u03a9 is the angular velocity along the axes of the body, \u03c9 along those of space"


def _declared(system: System) -> list[str]:
    whole = {q: point for point in system.points for q in point.components}
    told = [f"{whole[q].name} ({whole[q].kind})" if q in whole else f"{q.data.label}{_domain(q)}" for q in system.q]
    return list(dict.fromkeys(told))


def _domain(q: Expr) -> str:
    return "" if q.data.domain == "real" else f" ({q.data.domain})"


def _valued(value: Any) -> str:
    known = value.value if isinstance(value, Expr) else value
    if known is None:
        return "" if value is None else f" = {value!r}"
    return f" = {float(known):g}"


# -- what is constant, and the objects -----------------------------------------------------------------------
def constant_rows(found: Sequence[FirstIntegral], short: Short) -> Table:
    """Return what is constant along the motions, each with its verdict and its name."""
    return Table(
        tuple(
            (
                Words("", verdict=one.verdict.kind),
                formula_by_parts(shown_of(one, short)),
                Words(f"({one.name})" if one.name else "", quiet=True),
            )
            for one in found
        )
    )


def _constant(found: Sequence[FirstIntegral], short: Short) -> Section | None:
    return Section("Constant along the motions", (constant_rows(found, short),), level=3) if found else None
