"""Evident symmetries: fields on the configuration space that leave all of a statement as it is.

Candidates are a shift of each coordinate, rotations of pairs of lengths, left and right rotations of each rotation and
rotations of each direction. Of their combinations with constant coefficients those are taken whose complete lift X
satisfies

    X(L) = 0,    X(Q_i) + Q_j dX^j/dq^i = 0 of the forces,
    X(f) = 0 of each constraint on velocities, where all f = 0 and h' = 0,
    X(h_a) = c_ab h_b of the constraints on positions, with constants c: the gap of a loop turns as a vector.

All of it is linear in X and c, so that one null space, found modulo primes and checked, answers for all combinations: a
turn of the ground is found together with the headings and the rotations that turn with it. That L, Q and f are left as
they are where loops are open too is more than is needed, and no less than sufficient.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.text.printer import signed_sum
from dalembert.expr.truth import Fact, Sphere, generic_rank
from dalembert.expr.truth.facts import Facts
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.quaternions import left_field, right_field, turned_vector
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.model.table import Table

EVIDENT: Final = "evident"
"""What stands for [symmetry] where these are to be taken."""
_MOST_PLANES: Final = 28
"""How many pairs of lengths are tried."""
_MOST_GAPS: Final = 12
"""Of so many constraints on positions combinations may make up for each other; more are left as they are one by one."""


def evident_symmetries(system: System) -> Table[str, Generator]:
    """Return the evident symmetries of a system as generators ``e1``, ``e2``, ..., shifts first.

    Each leaves the Lagrangian, the constraints and the forces as they are, for all values of the parameters.

    >>> skate = System.of(
    ...     name="skate", coordinates={"x": "real", "y": "real", "heading": "angle"}, parameters=["m", "J"],
    ...     lagrangian="m*(x'^2 + y'^2)/2 + J*heading'^2/2", constraints={"edge": "x'*sin(heading) = y'*cos(heading)"})
    >>> [dict(one.components) for one in evident_symmetries(skate).values()]
    [{x: 1}, {y: 1}, {x: -y, y: x, heading: 1}]

    On a slope it does not turn.

    >>> slope = skate.but(lagrangian="m*(x'^2 + y'^2)/2 + J*heading'^2/2 - m*y")
    >>> [dict(one.components) for one in evident_symmetries(slope).values()]
    [{x: 1}]
    """
    refuse_unsearched(system)
    fields = candidates(system)
    if not fields:
        return Table()
    relations = constant_null_space(defects(system, list(fields.values())))
    rows = zip(relations.basis, relations.verdicts, strict=True)
    held = [dict(zip(fields, row[-len(fields) :], strict=True)) for row, sure in rows if sure.holds is True]
    found = [_scaled(factors) for factors in held if any(factors.values())]
    return Table({f"e{k}": combined_generator(system, parts, fields) for k, parts in enumerate(found, 1)})


def refuse_unsearched(system: System) -> None:
    """Refuse a statement of which symmetries are not found."""
    if system.algebra is not None:
        raise ExpressionError("of a system with [algebra] no symmetries are found: its group is divided out already.")
    if system.lagrangian is None or system.equations or system.order > 1 or system.virtual or system.balances:
        what = "a Lagrangian of order 1, without [equations], [virtual] and forces not linear in constraint forces"
        raise ExpressionError(f"symmetries are found of {what}; state generators by their components.")


def lift(field: Mapping[Expr, Expr], chart: Chart) -> dict[Expr, Expr]:
    """Return what the complete lift of a field on the configuration space does to coordinates and velocities."""
    whole = complete_lift(VectorField.of(chart, field))
    return {x: e for x, e in zip(whole.chart.coordinates, whole.components, strict=True) if e is not ZERO}


# -- candidates ------------------------------------------------------------------------------------------------
def candidates(system: System) -> dict[str, dict[Expr, Expr]]:
    """Return fields on the configuration space that may be symmetries, by name: shifts, then rotations."""
    found: dict[str, dict[Expr, Expr]] = {}
    round_ = {q for point in system.points for q in point.components}
    plain = [q for q in system.q if q not in round_]
    for q in plain:
        if q.data.domain != "positive":
            found[f"d/d{q.data.name}"] = {q: ONE}
    lengths = [q for q in plain if q.data.domain == "real"]
    for x, y in list(combinations(lengths, 2))[:_MOST_PLANES]:
        found[f"{x.data.name} d/d{y.data.name} - {y.data.name} d/d{x.data.name}"] = {x: -y, y: x}
    for point in system.points:
        parts = point.components
        for axis in (1, 2, 3):
            if point.is_rotation:
                found[f"{point.name} left {axis}"] = dict(zip(parts, left_field(parts, axis), strict=True))
                found[f"{point.name} right {axis}"] = dict(zip(parts, right_field(parts, axis), strict=True))
            else:
                found[f"{point.name} left {axis}"] = dict(zip(parts, turned_vector(parts, axis), strict=True))
    return found


# -- what they change ------------------------------------------------------------------------------------------
def defects(system: System, fields: Sequence[Mapping[Expr, Expr]]) -> list[list[Expr]]:
    """Return how each field changes the statement, in one list of components, which a symmetry leaves zero.

    Before the fields come changes that constraints on positions may make up for: h_b in the place of h_a.
    """
    facts: list[Fact] = [*system.facts, *map(Sphere, system.spheres)]
    known = {u: value for u, value in system.controls.items() if value is not None}
    forces = substitute([system.forces.get(q, ZERO) for q in system.q], known)
    positions = [h.expression for name, h in system.holonomic.items() if name not in system.units]
    velocities = [c.expression for c in system.constraints.values() if c.origin != "holonomic"]
    size, energy = len(system.q), [] if system.lagrangian is None else [system.lagrangian]
    stated = define([*forces, *velocities, *energy, *positions], system.definitions)
    ends, loops = size + len(velocities), stated[len(stated) - len(positions) :]
    allowed = _allowed(system, facts) if velocities else {}
    changes: list[Expr] = []
    if len(loops) <= _MOST_GAPS:
        for a in range(len(stated) - len(loops), len(stated)):
            for h in loops:
                changes += [h if k == a else ZERO for k in range(len(stated))]
    for field in fields:
        moved = tangent(stated, lift(field, system.chart))
        changes += [a + b for a, b in zip(moved[:size], _dragged(stated[:size], field, system.q), strict=True)]
        changes += [*substitute(moved[size:ends], allowed), *moved[ends:]]
    changes = Facts.of(facts).apply(changes)
    return [changes[k : k + len(stated)] for k in range(0, len(changes), len(stated))]


def _dragged(forces: Sequence[Expr], field: Mapping[Expr, Expr], q: Sequence[Expr]) -> list[Expr]:
    """Return Q_j dX^j/dq^i: how a one-form is changed by what a field does to its argument."""
    slopes = {p: gradient(component, q) for p, component in field.items()}
    push = dict(zip(q, forces, strict=True))
    return [total([(1, push[p] * row[i]) for p, row in slopes.items()]) for i in range(len(q))]


def _allowed(system: System, facts: Sequence[Fact]) -> dict[Expr, Expr]:
    """Return some velocities by the others, as the linear and affine constraints have it."""
    held = [c for name, c in system.constraints.items() if system.kind_of(name) != "nonlinear"]
    functions = define([c.expression for c in held], system.definitions)
    rows = [gradient(f, system.v) for f in functions]
    if not rows:  # all are nonlinear
        return {}
    flat = Facts.of(facts).apply([e for row in rows for e in row])
    width = len(system.v)
    plain = [flat[k : k + width] for k in range(0, len(flat), width)]
    chosen = generic_rank(list(zip(*plain, strict=True))).columns  # rows that repeat no others
    columns = generic_rank([plain[i] for i in chosen]).columns
    dependent = [system.v[j] for j in columns]
    still = substitute([functions[i] for i in chosen], dict.fromkeys(dependent, ZERO))
    square = [[rows[i][j] for j in columns] for i in chosen]
    return dict(zip(dependent, solve(square, [-f for f in still]), strict=True))


# -- what is found ---------------------------------------------------------------------------------------------
def _scaled(factors: Mapping[str, int]) -> dict[str, Expr]:
    """Return the factors of candidates that are not zero, the last of them 1."""
    used = {name: factor for name, factor in factors.items() if factor}
    scale = ONE * list(used.values())[-1]
    return {name: factor / scale for name, factor in used.items()}


def written(generator: Generator) -> str:
    """Return a generator in words.

    >>> from dalembert.expr.graph import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> written(Generator(Table({x: -y, y: x / 2}), turns=Table({"R": ("left", 3)})))
    '-y d/dx + x/2 d/dy + R about z of space'
    """
    sides = {"left": "space", "right": "the body"}
    turned = [f"{name} about {'xyz'[axis - 1]} of {sides[side]}" for name, (side, axis) in generator.turns.items()]
    parts = [(f"d/d{q.data.name}", e) for q, e in generator.components.items() if _whole(q) not in generator.turns]
    parts += [("d/dt", generator.time)] if generator.time is not ZERO else []
    return signed_sum((factor, name) for name, factor in [*parts, *((words, ONE) for words in turned)])


def _whole(q: Expr) -> str:
    """Return the name of the rotation or direction that a component belongs to."""
    return str(q.data.name).partition(".")[0]


def combined_generator(
    system: System, parts: Mapping[str, Expr], fields: Mapping[str, Mapping[Expr, Expr]]
) -> Generator:
    """Return a combination of candidates."""
    sums = {q: total([(1, c * fields[name].get(q, ZERO)) for name, c in parts.items()]) for q in system.q}
    turns = {}
    for point in system.points:
        about = [name for name in parts if not fields[name].keys().isdisjoint(point.components)]
        if len(about) == 1 and parts[about[0]] is ONE:
            side, axis = about[0].split()[-2:]
            turns[point.name] = (side, int(axis))
    return Generator(Table({q: e for q, e in sums.items() if e is not ZERO}), turns=Table(turns))
