"""Reduced Lagrange-d'Alembert equations: shape equations, momentum equation, reconstruction.

A group G acts freely on Q and keeps L, the constraints and the forces. In body velocities xi and velocities r' of Q/G

    p_b = <dl/dw, Z_b>,    p_b' = Z_b F + Z_b' p                    momentum equation, Z_b a basis of S = D cap V
    W (dp/dt - F) = 0                                               the others: shape equations
    s' = E^_i(s) xi^i                                               reconstruction

wherever D meets the orbits in constant rank: S = 0 is Chaplygin's case, D = TQ Lagrange and Poincare's, G = Q that of
Euler, Poincare and Suslov. D and the orbits need not span TQ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from dalembert.errors import Fault, expect
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.field import TooLarge
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Fact, Verdict, generic_rank, vanishing
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import postorder, substitute, tree_size
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.reduction import constants_table
from dalembert.mechanics.common import divided_by, equations_of
from dalembert.mechanics.lagrangian.linear_terms import invariantly_stated
from dalembert.mechanics.lagrangian.restated import Restated, in_stated_speeds
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.mechanics.reduced.allowed_velocities import Allowed, allowed
from dalembert.mechanics.reduced.body_velocities import BodyVelocities, base_coordinates, body_velocities
from dalembert.mechanics.reduced.by_less import by_less
from dalembert.mechanics.reduced.invariance import FreeStart, is_free_at_start, symmetry_of
from dalembert.mechanics.reduced.level_set import Level, level_of, not_kept
from dalembert.mechanics.reduced.motion import ReducedMotion, motion_of
from dalembert.mechanics.reduced.positions import with_positions_on_base
from dalembert.mechanics.reduced.powers import by_powers
from dalembert.mechanics.reduced.saddle_form import base_projection, equations_with_all, is_better
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

_SHORTENING = 1.0
"""Work for short formulas of the equations."""


@dataclass(frozen=True, repr=False)
class InvariantMotion(Restated):
    """What an invariant system becomes, on TQ/G or on an algebra: its velocities that are free, and how they move."""

    system: System
    invariant: InvariantSystem
    free: Allowed
    motion: ReducedMotion
    equations: Equations
    hypotheses: tuple[Claim, ...] = field(default=(), kw_only=True)
    plain: Equations | None = field(default=None, kw_only=True)

    @property
    def energy(self) -> Expr:
        """E(r, u)."""
        return self.motion.energy


@dataclass(frozen=True, repr=False)
class Reduced(InvariantMotion):
    """The motion on TQ/G, with the momenta along the orbits."""

    body: BodyVelocities
    level: Level | None = field(default=None, kw_only=True)
    """The motion with momenta of horizontal symmetries put in, where [momentum] states their values."""

    @property
    def action(self) -> Action:
        """The group by which it is reduced, in the chart of base and fibre."""
        return self.body.action

    @property
    def group(self) -> tuple[str, ...]:
        """Its generators."""
        return tuple(self.body.action.names)

    @property
    def momenta(self) -> tuple[Expr, ...]:
        """P_b(r, u)."""
        return self.motion.momenta

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        short = SimplificationBudget(_SHORTENING)
        base = [r.data.label for r in self.invariant.base]
        names = [*(f"{r}'" for r in base), *self.group]
        rates, across = self.in_coordinates.rates(), {r.dot for r in self.invariant.base}
        pairs = zip(self.free.u, self.free.directions, strict=True)
        meaning = self.body.meaning()
        along = [] if meaning is None else list(zip(self.body.xi, meaning[len(base) :], strict=True))
        return {
            "structure_constants": constants_table(self.body.action),
            "base": base,
            "fibre": [s.data.label for s in self.body.bundle.fibre],
            **({"body_velocities": {xi.data.label: short(e) for xi, e in along}} if along else {}),
            "reduced_lagrangian": short(self.invariant.lagrangian),
            "adapted_frame": {
                u.data.label: {n: c for n, c in zip(names, z, strict=True) if c is not ZERO} for u, z in pairs
            },
            "momenta": list(self.motion.momenta),
            "momentum_equation": list(self.motion.momentum_rates),
            "shape_equations": {u.data.label: rates[u] for u in self.free.u if u in across},
            "reconstruction": {s.data.label: e for s, e in self.in_coordinates.reconstruction.items()},
            "energy": self.motion.energy,
        }


def derive_on_chart(system: System) -> Reduced:
    """Return the reduced motion, or raise ``HypothesisError`` with every reason why there is none.

    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     parameters={"m": 1, "a": 0.2, "J": 1}, lagrangian="m*((x' - a*th'*sin(th))^2"
    ...     " + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2", constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    ...     symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "th": 1}})
    >>> found = derive_on_chart(sleigh)
    >>> found.objects()["momentum_equation"]
    [a*m*xi_2^2, -a*m*xi_1*xi_2]
    """
    expect(system, System, "a formalism takes a system")
    system, restated = invariantly_stated(system)
    symmetry = symmetry_of(system)
    body = body_velocities(system, symmetry.action)
    seen = with_positions_on_base(body)
    if seen is not None:
        found = derive_on_chart(seen)
        return replace(found, hypotheses=(*restated, *found.hypotheses, _positions(symmetry.claims)))
    invariant = body.invariant_system()
    taken = [s.data.name for s in (*system.parameters, *system.speeds, *body.bundle.chart.coordinates)]
    try:
        free = allowed(invariant, "reduced", taken)
    except TooLarge:
        what = "a frame of the directions that they allow, adapted to the orbits, is too large to be written out"
        raise refusal("reduced", [Fault("[constraints]", what, "use nonholonomic", kind="written")]) from None
    moving = motion_of(invariant, free)
    require_regular(moving)
    moving = shortened(moving, free, (*system.facts, *free.facts))
    equations = quotient_equations("reduced", body, free, moving)
    if not is_free_at_start(system, symmetry.action):
        equations = replace(equations, initial_state=FreeStart(system, symmetry.action))
        if not system.momentum and len(symmetry.action.names) > 1:
            less = partial(by_less, system, tuple(symmetry.action.names), derive_on_chart)
            equations = replace(equations, elsewhere=less)
    elif is_better(body, invariant):
        equations = replace(equations, saddle_form=partial(equations_with_all, body, invariant))
    claims = (*restated, *symmetry.claims, base_coordinates(body), _meeting(invariant, free))
    found = Reduced(system, invariant, free, moving, equations, body, hypotheses=claims)
    stated = in_stated_speeds(equations, system)
    found = found if stated is None else replace(found, equations=stated, plain=equations)
    return _on_level(found) if system.momentum else found


def _positions(told: Sequence[Claim]) -> Claim:
    """Say what constraints on positions are taken for."""
    (invariant,) = (claim for claim in told if claim.name == "invariant")
    said = "constraints on positions, which the group moves among each other, are taken by functions on Q/G"
    return Claim("positions on Q/G", said, "hypothesis", invariant.verdict)


def _on_level(found: Reduced) -> Reduced:
    """Return the motion with the momenta that [momentum] states put in, as far as the constraints keep them."""
    system, whole = found.system, found.equations
    assert system.lagrangian is not None
    rates = {**whole.kinematics, **whole.reconstruction, symbol(TIME): ONE}
    places = [whole.configuration.get(q, q) for q in system.q]
    put = dict(zip((*system.q, *system.v), (*places, *tangent(places, rates)), strict=True))
    slopes, rows = gradient(system.lagrangian, system.v), system.virtual_matrix() if system.constraints else []
    forces = [system.forces.get(q, ZERO) for q in system.q]
    momenta: dict[str, Expr | str] = {}
    for name in (name for name in found.group if name in system.momentum):
        along = system.symmetry[name].on(system.chart).components
        momenta[name] = (
            not_kept([dot(row, along) for row in rows], dot(forces, along), system.facts)
            or substitute([dot(slopes, along)], put)[0]
        )
    level, claims = level_of(system, whole, momenta, (*system.facts, *found.free.facts))
    hypotheses = (*found.hypotheses, *claims, *(() if level is None else level.claims))
    if level is None:
        return replace(found, hypotheses=hypotheses)
    return replace(found, equations=level.equations, plain=found.in_coordinates, level=level, hypotheses=hypotheses)


def shortened(moving: ReducedMotion, free: Allowed, facts: Sequence[Fact]) -> ReducedMotion:
    """Return a motion in short formulas; what vanishes is zero."""
    short = SimplificationBudget(_SHORTENING, largest=400)
    return replace(
        moving,
        mass=short_matrix(moving.mass, short, facts),
        force=tuple(by_powers(moving.force, free.u, short, facts)),
        momenta=tuple(by_powers(moving.momenta, free.u, short, facts)),
        momentum_rates=tuple(by_powers(moving.momentum_rates, free.u, short, facts)),
        energy=by_powers([moving.energy], free.u, short, facts)[0],
    )


def short_matrix(
    matrix: Sequence[Sequence[Expr]], short: Callable[[Expr], Expr], facts: Sequence[Fact]
) -> tuple[tuple[Expr, ...], ...]:
    """Return a matrix in short formulas; of entries that are equal across the diagonal one is searched."""
    size = range(len(matrix))
    entries: dict[tuple[int, ...], Expr] = {(i, j): matrix[i][j] for i in size for j in size}
    gaps: dict[tuple[int, ...], Expr] = {(i, j, 0): entries[i, j] - entries[j, i] for i in size for j in size if i < j}
    alive = surviving({**entries, **gaps}, facts)
    found: dict[tuple[int, int], Expr] = {}
    for i in size:
        for j in size:
            if (i, j) not in alive:
                found[i, j] = ZERO
            elif j < i and (j, i, 0) not in alive:
                found[i, j] = found[j, i]
            elif i < j and (i, j, 0) not in alive:
                found[i, j] = short(min(entries[i, j], entries[j, i], key=_length))
            else:
                found[i, j] = short(entries[i, j])
    return tuple(tuple(found[i, j] for j in size) for i in size)


def _length(expression: Expr) -> tuple[int, int]:
    return len(postorder([expression])), tree_size(expression)


def named_momenta(
    moving: ReducedMotion, taken: Collection[str], facts: Sequence[Fact]
) -> dict[Expr, tuple[Expr, Expr]]:
    """Return momenta by names p_1, ... that are not taken, each with its rate; those that vanish say nothing.

    Those that do not keep the numbers of their places, by which theorems speak of them.
    """
    zero = vanishing(moving.momenta, facts)
    places = [k for k, gone in enumerate(zero) if not gone]
    names = fresh_names([f"p_{k + 1}" for k in places], taken)
    return {
        symbol(Symbol(name)): (moving.momenta[k], moving.momentum_rates[k])
        for name, k in zip(names, places, strict=True)
    }


def quotient_equations(formalism: str, body: BodyVelocities, free: Allowed, moving: ReducedMotion) -> Equations:
    """Return the equations on TQ/G with their reconstruction."""
    system, bundle = body.system, body.bundle
    put = dict(zip((*(r.dot for r in bundle.base), *body.xi), free.velocities, strict=True))
    lift = dict(zip(bundle.chart.coordinates, substitute(body.kinematics(), put), strict=True))
    rates = [*(lift[r] for r in bundle.base), *(lift[s] for s in bundle.fibre)]
    taken = {s.data.name for s in (*system.q, *system.parameters, *system.speeds, *bundle.chart.coordinates)}
    return equations_of(
        system,
        formalism,
        kinematics={r: lift[r] for r in bundle.base},
        velocities=free.u,
        mass=moving.mass,
        force=moving.force,
        implicit=dict(free.unknowns),
        reconstruction={s: lift[s] for s in bundle.fibre},
        configuration=dict(bundle.configuration),
        monitors={"energy": moving.energy} | {f"momentum {k}": p for k, p in enumerate(moving.momenta, 1)},
        speeds=_speeds(body, free),
        projection=base_projection(body),
        momenta=named_momenta(moving, taken, (*system.facts, *free.facts)),
        pivots=divided_by([*(e for row in moving.mass for e in row), *moving.force, *rates], list(free.pivots)),
    )


def _speeds(body: BodyVelocities, free: Allowed) -> Mapping[Expr, Expr]:
    """Return what the quasi-velocities along the orbits are, by stated coordinates and velocities."""
    named = [u for u in free.u if u not in {r.dot for r in body.bundle.base}]
    meaning = body.meaning() if named else None
    if meaning is None:
        return {}
    bundle = body.bundle
    put = {r: bundle.projection[r] for r in bundle.base if r in bundle.projection}
    offset = substitute(list(free.velocities), dict.fromkeys(free.u, ZERO)) if free.linear else [ZERO] * len(meaning)
    parts = [v - o for v, o in zip(meaning, substitute(offset, put), strict=True)]
    short = SimplificationBudget(_SHORTENING)
    return {u: short(dot(substitute(row, put), parts)) for u, row in zip(named, free.forms, strict=False)}


def _meeting(invariant: InvariantSystem, free: Allowed) -> Claim:
    """Say how D meets the orbits."""
    width, size = len(invariant.velocities), len(invariant.xi)
    across = generic_rank([row[: width - size] for row in free.directions])
    count = len(free.u) - across.rank  # more than are known where some are too large to be written out
    spanned = len(free.u) + size - count
    said = (
        f"the allowed directions meet the orbits, of dimension {size}, in dimension {count} at generic points; "
        f"together they span {spanned} of {width} dimensions"
    )
    if not count:
        verdict = Verdict("proved", "no direction along the orbits is allowed.")
    else:
        verdict = (generic_rank([*free.vertical]) if len(free.vertical) == count else across).verdict
    return Claim("D meets the orbits", said, "hypothesis", verdict)


def require_regular(moving: ReducedMotion) -> None:
    """Refuse a Lagrangian that does not determine the motion."""
    rank = generic_rank(moving.mass)
    if rank.rank < len(moving.mass):
        what = f"the kinetic energy on the allowed directions has rank {rank.rank} of {len(moving.mass)}"
        raise refusal("reduced", [Fault("lagrangian", what, "it does not determine the motion", kind="regular")])
