"""Coordinates that a group shifts together: combinations of them are left that it does not move.

Of the angles of several wheels on one axle, of a platform and what turns with it, or of carts on one rail a generator
moves all by constants c. One of them is what the others are seen from,

    q = q~ + (c_q/c_0) q_0,        so that q~ is a function on Q/G.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on, vanish
from dalembert.mechanics.lagrangian.body_axes import Body, Three
from dalembert.model.parts import Generator
from dalembert.model.system import System

Shift = tuple[Expr, ...]


def shifted_together(system: System, fields: Sequence[Generator], bodies: Sequence[Body]) -> dict[Expr, Expr]:
    """Return coordinates that are shifted along with another one, and the multiple of that which is in each.

    >>> wheels = System.of(name="wheels", coordinates={"a": "angle", "b": "angle", "x": "real"},
    ...     lagrangian="a'^2 + b'^2 + x'^2", symmetry={"turn": {"a": 2, "b": -1, "x": 1}})
    >>> shifted_together(wheels, list(wheels.symmetry.values()), [])
    {b: -a/2, x: a/2}
    """
    known = _known(bodies, fields)
    bound = {q for one in bodies for three in _places(one) for q in three}
    round_ = {q for point in system.points for q in point.components}
    found: dict[Expr, Expr] = {}
    for q in system.q:
        by = tuple(one.components.get(q, ZERO) for one in fields)
        if q in bound or q in round_ or q in known or vanish(by) or depends_on(by, system.q):
            continue
        along = next((e for e in (_times(q0, c, by) for q0, c in known.items()) if e is not None), None)
        if along is None:
            known[q] = by
        else:
            found[q] = along
    return found


def _known(bodies: Sequence[Body], fields: Sequence[Generator]) -> dict[Expr, Shift]:
    """Return the angles of bodies about axes of their own, and those from which things are seen, by their shifts."""
    spins = {symbol(Symbol(name, domain="angle")): by for body in bodies for name, by in body.spins.items()}
    known = {angle: by for angle, by in spins.items() if not vanish(by)}
    for body in bodies:
        if body.axes.plane and not body.fresh:
            (angle,) = body.axes.unturned
            known[angle] = tuple(one.components.get(angle, ZERO) for one in fields)
    return known


def _places(body: Body) -> list[Three]:
    return [*(three for three, _ in (*body.company.vectors, *body.made)), *body.company.origins]


def _times(q: Expr, shift: Shift, wanted: Shift) -> Expr | None:
    """Return the multiple of a coordinate that is shifted as wanted, if there is one."""
    k = next(k for k, c in enumerate(shift) if not vanish([c]))
    ratio = wanted[k] / shift[k]
    same = vanish([total([(1, w), (-1, ratio * c)]) for w, c in zip(wanted, shift, strict=True)])
    return ratio * q if same else None
