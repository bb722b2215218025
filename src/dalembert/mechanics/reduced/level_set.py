"""Routh's procedure for horizontal symmetries: the value of a momentum that constraints and forces keep is put in.

Where a generator X of the group is allowed by the constraints at every point and forces do no work along it, its
momentum J = <dL/dq', X> is constant; where it is invariant under the group besides, it is a function J(r, u) of the
reduced state, affine in the velocities u of the state. On the level J = mu some of these are given by the others,

    u = Z w + Z_0(mu),    Z^T M Z w' = Z^T (F - M (Z' w + Z_0')),

and M u' = F is tangent to the level. Without constraints these are Routh's equations.
Source: A. M. Bloch, P. S. Krishnaprasad, J. E. Marsden, R. M. Murray (1996); J. Cortes, Geometric, control
and numerical aspects of nonholonomic systems (2002), 4.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Verdict, depends_on, generic_rank, is_zero, never_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.truth.residues import freed_from
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import choose_dependent, expanded_determinant
from dalembert.mechanics.lagrangian.restated import SpeedsOfState, in_frame
from dalembert.mechanics.lagrangian.speeds import solved
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Level:
    """The motion with momenta put in."""

    momenta: Mapping[str, Expr]
    """J of each generator, by the state before."""
    velocities: tuple[Expr, ...]
    """The velocities u before, by those that are left."""
    whole: Equations
    equations: Equations
    claims: tuple[Claim, ...]


def level_of(
    system: System, whole: Equations, momenta: Mapping[str, Expr | str], facts: tuple[Fact, ...]
) -> tuple[Level | None, tuple[Claim, ...]]:
    """Return the motion on the level that [momentum] states, and claims on generators whose momenta are not put in.

    ``momenta`` are by the state and what is reconstructed, or a sentence why the momentum of a generator is not kept.
    """
    left: dict[str, str] = {}
    rows: dict[str, list[Expr]] = {}
    kept: dict[str, Expr] = {}
    u = list(whole.velocities)
    for name in system.momentum:
        told = momenta.get(name, "the motion is not reduced by it")
        if isinstance(told, str):
            left[name] = told
            continue
        free = freed_from([told], [*whole.reconstruction], facts)
        row = [] if free is None else gradient(free[0], u)
        if free is None:
            left[name] = "its momentum is not invariant: the generator does not commute with the group"
        elif whole.implicit or depends_on(row, u, facts):
            left[name] = "its momentum is not affine in the velocities of the state"
        elif generic_rank([*rows.values(), row], facts).rank == len(rows):
            left[name] = "its momentum does not depend on the velocities otherwise than those before"
        elif (below := _divides([*rows.values(), row], u)) is not None:
            left[name] = f"the velocities that it gives would be divided by {text(below)}, which can vanish"
        else:
            rows[name], kept[name] = row, free[0]
    claims = tuple(
        Claim(f"momentum of {name}", f"the momentum of {name} is put in", "question", Verdict("refuted", f"{why}."))
        for name, why in left.items()
    )
    if not kept:
        return None, claims
    return _level(system, whole, kept, rows, facts), claims


def not_kept(rows: Sequence[Expr], work: Expr, facts: Sequence[Fact]) -> str:
    """Say why the momentum of a generator is not kept, given what constraints and forces are on it; empty if it is."""
    if not vanish(rows, facts):
        return "it is no horizontal symmetry: the constraints do not allow it at every configuration"
    return "" if vanish([work], facts) else "forces do work along it, so that its momentum changes"


def _divides(rows: Sequence[Sequence[Expr]], u: Sequence[Expr]) -> Expr | None:
    """Return what is divided by to solve for some of the velocities, None where it vanishes nowhere."""
    matrix = [substitute(row, dict.fromkeys(u, ZERO)) for row in rows]
    given = choose_dependent(matrix)
    below = expanded_determinant([[row[k] for k in given] for row in matrix])
    return None if never_zero(below).holds else below


def _level(
    system: System, whole: Equations, kept: dict[str, Expr], rows: dict[str, list[Expr]], facts: tuple[Fact, ...]
) -> Level:
    u, still = list(whole.velocities), dict.fromkeys(whole.velocities, ZERO)
    matrix = [substitute(row, still) for row in rows.values()]
    given = choose_dependent(matrix)
    rest = [k for k in range(len(u)) if k not in given]
    offsets = [a - system.momentum[name] for name, a in zip(kept, substitute(list(kept.values()), still), strict=True)]
    units = [[ONE if i == k else ZERO for i in range(len(u))] for k in rest]
    # velocities with J - mu = 0 in the place of the momenta: those that are left, then what is held at zero
    fields, drift = solved([*units, *matrix], [*[ZERO] * len(rest), *offsets], len(rest))
    frame = SpeedsOfState(tuple(u[k] for k in rest), tuple(map(tuple, fields)), tuple(drift))
    found = in_frame(whole, system, frame)
    speeds = {one: e for one, e in whole.speeds.items() if one in frame.names}
    changing = tangent(list(kept.values()), {**whole.rates(), symbol(TIME): ONE})
    why = "is allowed everywhere" if system.constraints else "is a symmetry"
    claims = [
        Claim(
            f"momentum of {name}",
            f"{name} {why}; its momentum is put in: {text(momentum)} = {text(system.momentum[name])}",
            "hypothesis",
            is_zero(rate, facts),
        )
        for (name, momentum), rate in zip(kept.items(), changing, strict=True)
    ]
    return Level(kept, tuple(frame.velocities), whole, replace(found, speeds=speeds, saddle_form=None), tuple(claims))


def tangent_to_level(level: Level, facts: tuple[Fact, ...], proofs: ProofBudget) -> Verdict:
    """Decide whether the motion before keeps to the level, and is there the motion that is left."""
    whole, found = level.whole, level.equations
    put = dict(zip(whole.velocities, level.velocities, strict=True))
    rates = {**whole.rates(), **whole.reconstruction}
    before = dict(zip(rates, substitute(list(rates.values()), put), strict=True))
    moving = {**found.rates(), symbol(TIME): ONE}
    wanted = dict(zip(whole.velocities, tangent(list(level.velocities), moving), strict=True))
    wanted |= {x: {**found.kinematics, **found.reconstruction}[x] for x in (*whole.kinematics, *whole.reconstruction)}
    return proofs.all_vanish({f"the rate of {x!r}": before[x] - wanted[x] for x in before}, facts)
