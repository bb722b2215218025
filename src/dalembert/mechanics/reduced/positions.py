"""Constraints on positions that a group moves among each other, as functions on Q/G.

A loop of links that floats in a plane closes in two directions of space, which turns exchange: no generator keeps
cos(a) + cos(b) + ... = 0 alone, but all of them the points where both hold. What the constraints are at one point of
each orbit are functions on Q/G, h~(q) = h(g^-1 q), which the group leaves alone. Where it moves h by X(h) = A h with
constants A they vanish at the same points. There both give the same motion; elsewhere they need not.
"""

from __future__ import annotations

from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.reduced.body_velocities import BodyVelocities
from dalembert.model.system import System


def with_positions_on_base(body: BodyVelocities) -> System | None:
    """Return a system whose constraints on positions are functions on Q/G; None where they are, or are not known so.

    >>> from dalembert.mechanics.reduced.body_velocities import body_velocities
    >>> from dalembert.mechanics.reduced.invariance import symmetry_of
    >>> loop = System.of(name="loop", coordinates=dict.fromkeys("abc", "angle"), lagrangian="(a'^2 + b'^2 + c'^2)/2",
    ...     holonomic={"across": "3*cos(a) + 4*cos(b) + 5*cos(c) = 0", "up": "3*sin(a) + 4*sin(b) + 5*sin(c) = 0"},
    ...     symmetry={"turn": {"a": 1, "b": 1, "c": 1}})
    >>> seen = with_positions_on_base(body_velocities(loop, symmetry_of(loop).action))
    >>> [one.expression for one in seen.holonomic.values()]
    [4*cos(a - b) + 5*cos(a - c) + 3, -4*sin(a - b) - 5*sin(a - c)]
    """
    system, bundle = body.system, body.bundle
    fields = [system.symmetry[name].on(system.chart) for name in body.action.names]
    places = [one.expression for one in system.holonomic.values()]
    if vanish([field(place) for field in fields for place in places], system.facts):
        return None
    back = {r: bundle.projection[r] for r in bundle.base if r in bundle.projection}
    there = substitute(bundle.on_base(bundle.carry(places)), back)
    if not vanish([field(place) for field in fields for place in there], system.facts):
        return None
    return system.but(holonomic=dict(zip(system.holonomic, there, strict=True)))
