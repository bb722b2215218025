"""What was stated, and the page of a derivation: equations, what is constant, the claims, a motion, the objects.

Accelerations are shown where they are short, else the linear equations for them as they are derived:
mass * acceleration = force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any, Final, TypeAlias

from dalembert.expr.elementary import jet
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.truth import vanish, vanishing
from dalembert.expr.truth.spheres import RotationMatrix
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import substitute, tree_size, unroll
from dalembert.geometry.fields import Chart
from dalembert.mechanics.found_symmetries import symmetry_lines
from dalembert.mechanics.registry import Result, formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model import equations as model
from dalembert.model.claim import Claim
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.present.combinations import field_combination
from dalembert.present.main_objects import growth_told, main_groups, spoken, symmetries_told
from dalembert.present.page import (
    SYSTEM,
    Block,
    Claims,
    Code,
    Components,
    Equations,
    Formula,
    Group,
    Pair,
    Section,
    Shortening,
    Table,
    Words,
    component_by_parts,
    formula_by_parts,
    size_written,
)  # fmt: skip

Short: TypeAlias = Callable[[Expr], Expr]
"""What makes a formula shorter where it can."""

_SHORT: Final = 250
"""Nodes of an acceleration, as a tree, that is shown solved."""
_EVIDENT: Final = 40
"""Nodes of an acceleration, as a tree, that is shown without a look at the linear equations for it."""
_HOPELESS: Final = 20_000
"""Nodes, as a tree, that are not worth trying."""
_EQUATIONS: Final = 4
"""Work for making the equations of a formalism short, which are what is read first, in efforts,"""
_OBJECTS: Final = 1
"""and for all its objects."""
_LINE: Final = 30
"""Nodes of a constraint, as trees, that stands in a table."""
IN_A_MODEL: Final = " In a model:"
"""So ends the sentence on symmetries that were found."""
_LEFT, _RIGHT = 48, 60
"""Nodes of the sides of an equation, as trees, that have room beside each other."""


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
    short = _shortening(equations, effort)
    blocks = [
        *found_blocks(result.system),
        *_with_objects(result, objects or {}, short, effort),
        _constant(integrals, short),
        Claims(tuple(decided)) if decided else None,
    ]
    return Section(f"{equations.system}, {equations.formalism}", tuple(b for b in blocks if b is not None), level=1)


def section_of(
    result: Result,
    decided: Sequence[Claim] = (),
    integrals: Sequence[FirstIntegral] = (),
    motion: Block | None = None,
    objects: Mapping[str, object] | None = None,
    effort: float = 8.0,
) -> Section:
    """Return what a study says of a formalism: its equations, what is constant, claims, a motion, its objects."""
    short = _by_name(result.equations, _shortening(result.equations, _EQUATIONS * effort))
    name = result.equations.formalism
    about = formalism(name)
    objects = result.objects() if objects is None else objects
    blocks = [
        Words(about.sentence) if about.sentence else None,
        *found_blocks(result.system),
        *_with_objects(result, objects, short, effort),
        _constant(integrals, short),
        Claims(tuple(decided), tuple(checked_again(claim, name) for claim in decided)) if decided else None,
        motion,
        _objects(objects, result.equations, effort),
    ]
    return Section(about.title, tuple(block for block in blocks if block is not None), anchor=name)


def _with_objects(result: Result, objects: Mapping[str, object], short: Short, effort: float) -> Iterator[Block | None]:
    """Yield the equations of motion and the main objects, which share the names of their parts, and words on them."""
    state, motion = equations_blocks(result.equations, short)
    named = _by_name(result.equations, _shortening(result.equations, effort))
    told = list(main_groups(objects, formalism(result.equations.formalism).main, named))
    yield state
    yield Equations((*motion.groups, *(one for one in told if isinstance(one, Group))))
    yield speeds_told(result)
    yield from (one for one in told if isinstance(one, Words))
    yield growth_told(objects)
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
    short: Short = Shortening() if system.mechanism is not None else lambda e: e  # nobody wrote it like that
    stated = [(left, short(by_parts(system, [right])[0])) for left, right in stated]
    sides = {
        name: [short(side) for side in by_parts(system, [c.left, c.right])]
        for name, c in system.constraints.items()
        if name not in system.units
    }
    titles = {name: f"{name} ({system.kind_of(name)})" for name in sides}
    long = {name for name, both in sides.items() if sum(map(tree_size, both)) > _LINE}
    held = tuple((Words(titles[name]), Formula(b, a)) for name, (a, b) in sides.items() if name not in long)
    held_long = [Group(titles[name], (_balance(a, b),)) for name, (a, b) in sides.items() if name in long]
    pushed = tuple(
        (Words(one.data.label), formula_by_parts(*by_parts(system, [force])))
        for one, force in system.stated_forces.items()
    )
    said = {
        "coordinates": ", ".join(_declared(system)),
        "parameters": ", ".join(f"{p.data.label}{_valued(v)}" for p, v in system.parameters.items()),
        "start": ", ".join(f"{s.data.label}{_valued(v)}" for s, v in system.start.values.items()),
        "start near": ", ".join(f"{s.data.label}{_valued(v)}" for s, v in system.start.near.items()),
    }
    rows: list[tuple[Block, ...]] = [(Words(key), Words(text)) for key, text in said.items() if text]
    if system.mechanism is not None:
        rows.append((Words("mobility"), Words(str(system.mobility))))
    chart = Chart.of(*system.q)
    rows += [(Words(f"symmetry {name}"), _generator(g, chart)) for name, g in system.symmetry.items()]
    rows += [
        (Words(f"{name} along time"), formula_by_parts(g.time))
        for name, g in system.symmetry.items()
        if not vanish([g.time])
    ]
    blocks = [
        Equations((*([Group("", tuple(stated))] if stated else []), *held_long)) if stated or held_long else None,
        Table(held, ("constraint", "equation")) if held else None,
        Table(pushed, ("force along", "is")) if pushed else None,
        Table(tuple(rows)),
    ]
    return [block for block in blocks if block is not None]


def _generator(generator: Generator, chart: Chart) -> Block:
    """Return the field of a generator; one that turns rotations is said in words."""
    if not generator.turns:
        return field_combination(generator.on(chart))
    of = {"left": "space", "right": "the body"}
    told = [f"{name} about axis {axis} of {of[side]}" for name, (side, axis) in generator.turns.items()]
    rest = {q: e for q, e in generator.components.items() if q.data.name.partition(".")[0] not in generator.turns}
    return Words(", ".join([*told, *(f"{q.data.label} by {e!r}" for q, e in rest.items())]))


def by_parts(system: System, expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions with entries and angular velocities of rotations by their names."""
    return substitute(expressions, system.named_parts) if system.points else list(expressions)


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


# -- equations -----------------------------------------------------------------------------------------------
def equations_blocks(equations: model.Equations, short: Short) -> tuple[Words, Equations]:
    """Return the state, and the equations of motion, what is found from them, and what holds besides."""
    short = _by_name(equations, short)
    turning = _turning(equations, short)
    rates = [
        (q.dot, short(rate)) for q, rate in equations.kinematics.items() if q.data.name.partition(".")[0] not in turning
    ]
    motion: list[Pair] = [(left, right) for left, right in rates if left is not right]  # x' = x' says nothing
    lifted = {q.data.name.partition(".")[0] for q in equations.reconstruction}.intersection(turning)
    motion += [pair for name, pairs in turning.items() if name not in lifted for pair in pairs]
    beside = [pair for name, pairs in turning.items() if name in lifted for pair in pairs]
    beside += [
        (q.dot, short(rate))
        for q, rate in equations.reconstruction.items()
        if q.data.name.partition(".")[0] not in lifted and rate is not q.dot
    ]
    unknowns = ", ".join(str(s.data.label) for s in equations.implicit)
    changing = [(p.dot, short(rate)) for p, (_, rate) in equations.momenta.items()]
    solved = _accelerations(equations, short)
    wide = any(isinstance(left, Expr) and left.op not in {"symbol", "number"} for left, _ in solved)
    solved, balances = ([], solved) if wide else (solved, [])
    groups: list[tuple[str, list[Pair]]] = [
        ("momentum equation", [*changing, *((p, short(one)) for p, (one, _) in equations.momenta.items())]),
        ("motion" if changing else "", [*motion, *solved]),
        ("motion" if changing and not motion else "", balances),  # aligned by themselves: their left sides are wide
        ("with the speeds", [(one, short(e)) for one, e in equations.speeds.items() if not is_part(one.data.name)]),
        (f"with {unknowns} from", [(ZERO, short(residual)) for residual in equations.implicit.values()]),
        ("reconstruction", beside),
        ("in the stated coordinates", [(q, short(e)) for q, e in equations.configuration.items() if q is not e]),
    ]
    state = Words("state:", formulas=equations.state, quiet=True)
    return state, Equations(tuple(Group(title, tuple(pairs)) for title, pairs in groups if pairs))


def _by_name(equations: model.Equations, short: Short) -> Short:
    """Return what makes a formula shorter once the parts that have a name are called by it."""
    names = {whole: name for name, whole in equations.named.items()}
    return (lambda expression: short(substitute([expression], names)[0])) if names else short


def _shortening(equations: model.Equations, effort: float, each: float = 1.0) -> Shortening:
    """Return what makes formulas short in which the entries of rotations have names: their matrices are orthogonal."""
    entries: dict[str, list[Expr]] = {}
    for name in equations.named:
        whole, _, part = name.data.name.partition(".")
        if part.startswith("m"):
            entries.setdefault(whole, []).append(name)
    return Shortening(effort, each, [e for nine in entries.values() for e in RotationMatrix(tuple(nine)).relations])


def _turning(equations: model.Equations, short: Short) -> dict[str, list[Pair]]:
    """Return the kinematics of each rotation, R' = R hat(w), and those of the w that are no variables themselves."""
    found: dict[str, list[Pair]] = {}
    for one, rate in equations.turning.items():
        name = one.data.name.partition(".")[0]
        if name not in found:
            hat = jet(Function("hat", 1), [symbol(Symbol(f"{name}.w"))])
            found[name] = [(f"{name}'", symbol(Symbol(name)) * hat)]
        found[name] += [] if one in equations.velocities else [(one, short(rate))]
    return found


def _accelerations(equations: model.Equations, short: Short) -> list[Pair]:
    """Return the accelerations, or the linear equations for them where these are much shorter."""
    if equations.saddle is not None:
        return _bordered(equations, equations.saddle, short)
    rates = [(w, rate) for w, rate in equations.rates().items() if w in equations.velocities]
    solved, sizes = list[Pair](), list[int]()
    if all(tree_size(rate) < _HOPELESS for _, rate in rates):
        for w, rate in rates:  # no further one is worth its work where one stays long
            solved.append((w.dot, short(rate)))
            sizes.append(tree_size(unroll([solved[-1][1]])[0]))
            if sizes[-1] > _SHORT:
                break
    if sizes and max(sizes) <= _EVIDENT:
        return solved
    mass = [[short(m) for m in row] for row in equations.mass]  # before the forces: they are short, and take little
    lefts = [total((1, m * w.dot) for m, w in zip(row, equations.velocities, strict=True)) for row in mass]
    balances = [_balance(left, short(force)) for left, force in zip(lefts, equations.force, strict=True)]
    ink = sum(tree_size(side) for pair in balances for side in pair if isinstance(side, Expr))
    return solved if sizes and max(sizes) <= _SHORT and sum(sizes) <= 2 * ink else balances


def _bordered(equations: model.Equations, saddle: model.Saddle, short: Short) -> list[Pair]:
    """Return the balances with the forces of the constraints, and the rows that the accelerations obey."""
    rates = [w.dot for w in equations.velocities]
    weights = [symbol(Symbol(f"lambda_{k}")) for k in range(1, len(saddle.rows) + 1)]

    def times(row: Sequence[Expr], others: Sequence[Expr]) -> Expr:
        return total((1, short(a) * b) for a, b in zip(row, others, strict=True))

    columns = list(zip(*saddle.virtual, strict=True))
    balances = zip(equations.mass, equations.force, columns, strict=True)
    told: list[Pair] = [(times(row, rates), short(force) + times(c, weights)) for row, force, c in balances]
    return told + [(times(row, rates), short(b)) for row, b in zip(saddle.rows, saddle.right, strict=True)]


def _balance(left: Expr, right: Expr) -> Pair:
    """Return an equation, all on one side where both sides are wide: a left one would push the right one out."""
    return (left, right) if tree_size(left) <= _LEFT and tree_size(right) <= _RIGHT else (ZERO, left - right)


# -- what is constant, and the objects -----------------------------------------------------------------------
def constant_rows(found: Sequence[FirstIntegral], short: Short) -> Table:
    """Return what is constant along the motions, each with its verdict and its name."""
    return Table(
        tuple(
            (
                Words("", verdict=one.verdict.kind),
                formula_by_parts(short(one.expression)),
                Words(f"({one.name})" if one.name else "", quiet=True),
            )
            for one in found
        )
    )


def _constant(found: Sequence[FirstIntegral], short: Short) -> Section | None:
    return Section("Constant along the motions", (constant_rows(found, short),), level=3) if found else None


def geometry_section(objects: Mapping[str, object], equations: model.Equations, effort: float = 3.0) -> Section:
    """Return connections and curvatures that were asked for, each under its title."""
    there = {one.title: replace(one, folded=False, level=3) for one in _object_sections(objects, equations, effort)}
    none = (Words("all components vanish"),)
    shown = [there.get(spoken(name), Section(spoken(name), none, level=3)) for name in objects]
    return Section("Geometry of the kinetic energy", tuple(shown), level=2)


def _objects(objects: Mapping[str, object], equations: model.Equations, effort: float) -> Section | None:
    """Return all objects of a formalism behind one title, each behind its own; one that is there already is told."""
    shown = _object_sections(objects, equations, effort)
    if not shown:
        return None
    return Section(
        f"{len(shown)} object{'s' * (len(shown) != 1)} of this formalism", tuple(shown), folded=True, look="objects"
    )


def _object_sections(objects: Mapping[str, object], equations: model.Equations, effort: float) -> list[Section]:
    """Return objects, each behind its title.

    Each has an effort of its own: one whose formulas stay long does not take it from the next.
    """
    shown: list[Section] = []
    left = _OBJECTS * effort
    there: dict[tuple[str, ...], list[tuple[str, list[Expr]]]] = {}
    for name, value in objects.items():
        entries = _flat(value)
        if not entries or name == "first_integrals":
            continue
        title = spoken(name)
        if (size := size_written([expression for _, expression in entries])) > SYSTEM:
            told = f"Too long to be shown: {len(entries)} components with some {size} nodes; derive --json has them."
            shown.append(Section(title, (Words(told),), folded=True, look="object"))
            continue
        given = min(left, effort)
        budget = _shortening(equations, given, effort / 4)
        short = _by_name(equations, budget)
        plain = unroll([short(expression) for _, expression in entries])  # all at once: what they share is written once
        left -= budget.used
        labels = tuple(label for label, _ in entries)
        alike = there.setdefault(labels, [])
        same = next((other for other, known in alike if vanish([a - b for a, b in zip(plain, known, strict=True)])), "")
        block = _components(labels, plain)
        if same and isinstance(block, Components):
            block = Words(f"the same components as those of the {same}")
        alike += [] if same else [(title, plain)]
        shown.append(Section(title, (block,), folded=True, look="object"))
    return shown


def _components(labels: Sequence[str], plain: Sequence[Expr]) -> Block:
    there = [(label, e) for label, e, none in zip(labels, plain, vanishing(plain), strict=True) if not none]
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
