"""The constraint manifold C by speeds that a user states, for constraints of any kind (Patrick, section 6).

Stated speeds, completed by velocities of coordinates, are quasi-velocities w of all of TQ: q' = Z w + Z_0. In them the
constraints are solved for those that complete the speeds, and where these do not suffice for speeds too, the last ones
first. What is left are coordinates u on C, q' = v(t, q, u), and dv/du are the directions of Chetaev's rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import substitute
from dalembert.mechanics.lagrangian.restated import speeds_of
from dalembert.mechanics.lagrangian.speeds import EFFORT
from dalembert.mechanics.nonholonomic.constraint_manifold import solved_for
from dalembert.model.system import System


@dataclass(frozen=True, slots=True)
class SpeedManifold:
    """C, with coordinates (q, u): speeds that are stated, then velocities that complete them."""

    system: System
    u: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    """q' = v(t, q, u) on C, in the order of the coordinates."""
    pivots: tuple[Expr, ...]
    """What was divided by to solve the constraints."""
    branches: tuple[str, ...]
    """Where a root was taken, which one, in words."""

    def on(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of coordinates and velocities by coordinates and speeds."""
        known = dict(zip(self.system.v, self.velocities, strict=True))
        return substitute(expressions, {**_named(self.system, self.u), **known})

    def along(self, expressions: Sequence[Expr], seed: Mapping[Expr, Expr]) -> list[Expr]:
        """Return the derivatives of functions on C along a direction in (t, q, u)."""
        return tangent(expressions, dict(seed))

    def at_rest(self) -> dict[Expr, Expr]:
        """Return the direction of time and of the motion with u held fixed: (1, v, 0)."""
        return {**dict(zip(self.system.q, self.velocities, strict=True)), symbol(TIME): ONE}


def _named(system: System, names: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return speeds by what they are: where a statement uses one as such, nothing else has to be put in."""
    return {meaning: speed for speed, meaning in system.speeds.items() if meaning.args and speed in names}


def speed_manifold(system: System) -> SpeedManifold | None:
    """Return C by the stated speeds; None where there are none, or the constraints have no closed solution in them.

    >>> rope = System.of(name="rope", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2", speeds={"v": "x' + y'"},
    ...     constraints={"rope": "z'^2 = x'^2 + y'^2"})
    >>> found = speed_manifold(rope)
    >>> found.u, found.velocities
    ((v, x'), (x', v - x', sqrt(x'^2 + (x' - v)^2)))
    """
    frame = speeds_of(system.speeds, system.v)
    if frame is None:
        return None
    velocities = frame.velocities
    put = {**_named(system, frame.names), **dict(zip(system.v, velocities, strict=True))}
    short = SimplificationBudget(EFFORT)
    functions = short.all(substitute([c.expression for c in system.constraints.values()], put))
    stated = [one for one in frame.names if one in system.speeds]
    others = [one for one in frame.names if one not in system.speeds]
    solved = solved_for(system, dict(zip(system.constraints, functions, strict=True)), others[::-1], stated[::-1])
    left = tuple(one for one in frame.names if one not in solved.rules)
    if solved.unknowns or not set(left) & set(stated):
        return None
    allowed = tuple(short.all(substitute(velocities, solved.rules)))
    return SpeedManifold(system, left, allowed, solved.pivots, solved.branches)
