"""Constraints that depend on those before them: which repeat them, which contradict them, which say nothing.

Repeating is no fault: the rows of a closed loop in space may well be one too many. Such a system has a motion, in
saddle form; frames of independent velocities do not fit it, so that everything that chooses one refuses it by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dalembert.errors import Fault
from dalembert.expr import truth
from dalembert.expr.graph import Expr
from dalembert.model.constraint_set import dependent_on_set, missed_on_set
from dalembert.model.ranks import independent
from dalembert.model.system import System
from dalembert.records import dataclass, field


class Repetition(NamedTuple):
    """In which way a constraint repeats others: in words, and whether at generic points or at some that were found."""

    what: str
    generic: bool


@dataclass(frozen=True, slots=True)
class Dependence:
    """Names of constraints by what is the matter with them."""

    empty: tuple[str, ...] = ()
    """All velocities drop out."""
    contradicting: tuple[str, ...] = ()
    flat: tuple[str, ...] = ()
    """All slopes vanish where it holds."""
    repeating: Mapping[str, Repetition] = field(default_factory=dict)
    """What follows from those before it, and in which way."""
    where: str = ""


def dependence(system: System, rows: Sequence[Sequence[Expr]]) -> Dependence:
    """Return which constraints depend on those before them, from the rows of their Jacobian."""
    names, facts = list(system.constraints), truth.Facts.of(system.facts)
    rows = [facts.apply(row) for row in rows]
    kept = independent(rows)
    if kept is None or len(kept) == len(rows):
        return _on_set(system, rows)
    affine = not truth.depends_on_velocities([entry for row in rows for entry in row])
    also: tuple[int, ...] | None = None
    if affine:
        rest = facts.apply(system.constraint_matrix().remainder)
        also = independent([[*row, b] for row, b in zip(rows, rest, strict=True)])
    empty = tuple(n for i, n in enumerate(names) if i not in kept and independent([rows[i]]) == ())
    left = [(i, n) for i, n in enumerate(names) if i not in kept and n not in empty]
    wrong = missed_on_set(system, [names[i] for i in kept], [name for _, name in left])
    contradicting = tuple(n for i, n in left if (also is not None and i in also) or n in wrong)
    what = f"it {'follows from' if affine else 'depends on'} the constraints before it"
    generic = {n: Repetition(what, generic=True) for _, n in left if n not in contradicting}
    further = _on_set(system, rows).repeating if not (empty or contradicting) else {}
    return Dependence(empty, contradicting, repeating={**further, **generic})


def _on_set(system: System, rows: Sequence[Sequence[Expr]]) -> Dependence:
    """Look for constraints that repeat others where the holonomic ones hold, though not elsewhere."""
    found = dependent_on_set(system, rows)
    if found is None:
        return Dependence()
    names, (repeating, vanishing, points) = list(system.constraints), found
    where = f"at {points} points found where the holonomic constraints hold"
    what = f"it repeats the constraints before it: {where} its rate depends on theirs"
    flat = tuple(names[i] for i in vanishing)
    again = {names[i]: Repetition(what, generic=False) for i in repeating if i not in vanishing}
    return Dependence(flat=flat, repeating=again, where=where)


def repeated(system: System) -> Mapping[str, Repetition]:
    """Return the constraints that repeat those before them, and in which way.

    >>> twice = System.of(name="twice", coordinates="x y", lagrangian="x'^2/2 + y'^2/2",
    ...     constraints={"a": "x' = y'", "b": "2*x' = 2*y'"})
    >>> dict(repeated(twice))
    {'b': Repetition(what='it follows from the constraints before it', generic=True)}
    """
    found: Mapping[str, Repetition] = system.repeated
    return found


def faults_of_repetition(system: System) -> list[Fault]:
    """Return why a frame of independent velocities cannot be chosen; nothing where no constraint repeats others."""
    remedy = "remove it, or use nonholonomic, whose saddle form keeps all rows (simulate, derive)"
    places = {name: "holonomic" if name in system.holonomic else "constraints" for name in system.constraints}
    return [
        Fault(f"[{places[name]}] {name}", one.what, remedy, kind="independent")
        for name, one in repeated(system).items()
    ]
