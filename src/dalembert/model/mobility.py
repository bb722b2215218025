"""How many degrees of freedom a mechanism has, counted after Gruebler and found where its loops are closed.

Gruebler's count takes from the freedoms of the joints that place bodies what each joint that closes a loop forbids (5
for a revolute one in space). Where joints repeat each other, as across a plane mechanism or in Bricard's, it is too
small; so the rank of the constraints on positions is taken at positions where they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr
from dalembert.model.constraint_set import dependent_on_set
from dalembert.model.mechanism import Mechanism, Mobility
from dalembert.model.ranks import independent
from dalembert.model.system import System


def mobility(system: System) -> Mobility:
    """Return the degrees of freedom of the positions of a system.

    >>> kinetic = "x'^2/2 + y'^2/2"
    >>> bead = System.of(name="bead", coordinates="x y", lagrangian=kinetic, holonomic={"ring": "x^2 + y^2 = 1"})
    >>> print(mobility(bead))
    Gruebler counts 2 - 1 = 1 degree of freedom (constraint 'ring' forbids 1); the mechanism has 1 at 16 positions found
    """
    rolling = sum(constraint.origin != "holonomic" for constraint in system.constraints.values())
    return replace(_of_positions(system), rolling=rolling)


def _of_positions(system: System) -> Mobility:
    """Return what is left to the positions."""
    machine = system.mechanism or Mechanism()
    placed = len(system.q) - len(system.units)
    names = [name for name in system.holonomic if name not in system.units]
    forbidden: dict[str, int] = {}
    for name in names:
        part = machine.said(name) or f"constraint '{name}'"
        forbidden[part] = forbidden.get(part, 0) + 1
    stated = {f"joint '{name}'": joint.forbids for name, joint in machine.joints.items() if joint.forbids}
    forbidden = {**forbidden, **stated}
    if not forbidden:
        return Mobility(placed, freedoms=placed)
    kept = [name for name in system.holonomic if name in system.units] + names
    rows = jacobian([system.holonomic[name].expression for name in kept], system.q) if kept else []
    found, points = _repeating(system, rows)
    if found is None:
        return Mobility(placed, forbidden)
    repeated: dict[str, int] = {}
    for i in found:
        part = machine.said(kept[i]) or f"constraint '{kept[i]}'"
        repeated[part] = repeated.get(part, 0) + 1
    loose = {f"joint '{n}'": joint.forbids - len(joint.closes) for n, joint in machine.joints.items()}
    idle = {part: count for part, count in loose.items() if count}
    return Mobility(placed, forbidden, idle, repeated, len(system.q) - len(kept) + len(found), points)


def _repeating(system: System, rows: Sequence[Sequence[Expr]]) -> tuple[tuple[int, ...] | None, int]:
    """Return which rows repeat those before them, and at how many positions that was seen."""
    found = dependent_on_set(system, rows)
    if found is not None:
        return found[0], found[2]
    generic = independent(rows)
    return (None, 0) if generic is None else (tuple(i for i in range(len(rows)) if i not in generic), 0)
