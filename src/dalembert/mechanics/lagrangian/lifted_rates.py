"""Rates of the state of a system without a linear system, by its lifted motion: in coordinates, speeds, with rotations,
and in saddle form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.sharing import shared
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth.decide import sample
from dalembert.expr.truth.facts import Facts
from dalembert.expr.truth.pivots import of_one_sign_somewhere
from dalembert.expr.walk import count, substitute
from dalembert.mechanics.common import facts_of, points_of
from dalembert.mechanics.lagrangian.jets import energy
from dalembert.mechanics.lagrangian.lifted_motion import LiftedMotion, lifted_motion
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.equations import Equations, Straight
from dalembert.model.kept import Kept, Shelf
from dalembert.model.system import System
from dalembert.model.table import waits

_KEPT = Kept()
_RECENT = Shelf(6)
"""Motions under constraints that are all kept, by what was given: a motion and its page ask for the same one."""
_SHARED = 0.6
"""What is left at least of the operations of a motion when products share their factors; measured: 0.65 to 0.95."""


def lifted_rates(system: System, equations: Equations, most: int | None = None) -> Straight | None:
    """Return the rates of the state of equations in first order, without a linear system; None where that is not found.

    It is not looked for further where the rates take more operations than the ``most`` that are worth anything.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> two = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + (x' + y')^2)/2 - y^2/2")
    >>> lifted_rates(two, derive(two).equations).rates
    {x: x', y: y', x': y, y': -2*y}
    """
    assert system.lagrangian is not None
    velocities = dict(zip(system.q, system.v, strict=True))
    free = equations.velocities
    if set(equations.kinematics) != set(system.q):  # a part of the motion has been divided out
        return None
    in_velocities = set(free) <= set(system.v)
    if in_velocities:
        found = motion_under_constraints(system, free) if system.constraints else free_motion(system)
    else:  # in speeds: the velocities of coordinates are given by these
        given = [velocities[q] - rate for q, rate in equations.kinematics.items() if velocities[q] is not rate]
        ways = [system.lagrangian] if system.constraints else lagrangians(system)
        found = _definite(lifted_motion(one, velocities, system.forces, given, free) for one in ways)
    if found is None or _is_dear(found, most):
        return None
    watched = reactions(system, found) if system.constraints and in_velocities else {}
    if waits(equations.mass) and not watched and not _vanish(balances(system, found, {}), system):
        return None
    rates = [*(found.velocities.get(v, v) for v in system.v), *(found.accelerations[v] for v in free)]
    by_name = dict(zip((*system.q, *free), shared(rates, equations.parameters), strict=True))
    monitors = {name: e for name, e in watched.items() if name in equations.monitors}
    return Straight({one: by_name[one] for one in equations.state}, monitors=monitors)


def free_motion(system: System) -> LiftedMotion | None:
    """Return the lifted motion of a system without constraints, in coordinates; None where it is not definite anywhere.

    It is looked for once.
    """

    def look() -> LiftedMotion | None:
        velocities = dict(zip(system.q, system.v, strict=True))
        return _definite(lifted_motion(one, velocities, system.forces) for one in lagrangians(system))

    found: LiftedMotion | None = _KEPT(system)("free", look)
    return found


def motion_under_constraints(system: System, free: Sequence[Expr]) -> LiftedMotion | None:
    """Return the lifted motion by some velocities, the others given by the constraints; None where it is not definite.

    It is looked for once.
    """

    def look() -> LiftedMotion | None:
        assert system.lagrangian is not None
        velocities = dict(zip(system.q, system.v, strict=True))
        constraints = [c.expression for c in system.constraints.values()]
        return _definite([lifted_motion(system.lagrangian, velocities, system.forces, constraints, free)])

    found: LiftedMotion | None = _KEPT(system)(("under constraints", tuple(free)), look)
    return found


def _definite(ways: Iterable[LiftedMotion | None]) -> LiftedMotion | None:
    """Return the first motion that was found, unless its kinetic energy is not shown to be definite anywhere."""
    found = next(filter(None, ways), None)
    return found if found is not None and of_one_sign_somewhere(found.pivots) else None


def _is_dear(found: LiftedMotion, most: int | None) -> bool:
    """Say whether a motion takes more operations than are worth anything, however much of it is shared."""
    return most is not None and _SHARED * count(list(found.accelerations.values())).total > most


def balances(system: System, found: LiftedMotion, pulls: Mapping[Expr, Expr]) -> list[Expr]:
    """Return d/dt dL/dv - dL/dq - Q - pull along a motion, by coordinate: Lagrange's equations, nothing eliminated."""
    assert system.lagrangian is not None
    slopes = gradient(system.lagrangian, (*system.v, *system.q))
    rates = tangent(slopes[: len(system.v)], _along(system, found))
    left = [
        total([(1, rate), (-1, slope), (-1, system.forces.get(q, ZERO)), (-1, pulls.get(q, ZERO))])
        for rate, slope, q in zip(rates, slopes[len(system.v) :], system.q, strict=True)
    ]
    return substitute(left, found.velocities)


def _along(system: System, found: LiftedMotion) -> dict[Expr, Expr]:
    """Return how fast coordinates, velocities and time change."""
    return {**dict(zip(system.q, system.v, strict=True)), **found.accelerations, symbol(TIME): ONE}


def _vanish(expressions: Sequence[Expr], system: System) -> bool:
    """Decide at a random point modulo a random prime whether expressions vanish where a system moves."""
    try:
        points = sample(Facts.of(points_of(system)).apply(expressions), 1, bounded=False).values
    except ExpressionError:  # nothing was found out
        return False
    return not any(map(any, points))


def reactions(system: System, found: LiftedMotion) -> dict[str, Expr]:
    """Return energy, multipliers and constraint forces by name; none where these are not what moves the system.

    That is decided at a random point modulo a prime, by d/dt dL/dv - dL/dq = Q + C^T lambda, with nothing eliminated,
    and by the constraints and their rates.
    """
    assert system.lagrangian is not None
    names = [symbol(Symbol(f"multiplier {name}")) for name in system.constraints]
    held = dict(zip(names, (-one for one in found.multipliers), strict=True))
    power = total([(1, m * c.expression) for m, c in zip(names, system.constraints.values(), strict=True)])
    whole = energy(system.lagrangian, system.q, 1)
    whole, *forces = substitute([whole, *gradient(power, system.v)], {**found.velocities, **held})
    kept = [c.expression for c in system.constraints.values()]
    kept += tangent(kept, _along(system, found))
    moved = balances(system, found, dict(zip(system.q, forces, strict=True)))
    if not _vanish([*moved, *substitute(kept, found.velocities)], system):
        return {}
    told = {f"multiplier {name}": one for name, one in zip(system.constraints, held.values(), strict=True)}
    return (
        {"energy": whole}
        | told
        | {f"constraint force {q.data.name}": one for q, one in zip(system.q, forces, strict=True)}
    )


def lagrangians(system: System) -> list[Expr]:
    """Return the ways in which a Lagrangian is stated, the one first in which each part knows its neighbours only."""
    assert system.lagrangian is not None
    known = None if system.mechanism is None else system.mechanism.by_neighbours
    return [system.lagrangian] if known is None else [known, system.lagrangian]


def lifted_saddle(system: System, equations: Equations, most: int | None = None) -> Straight | None:
    """Return the same for the saddle form: with the multipliers, and what brings a state back to its constraints."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    rows = {name: c.expression for name, c in system.constraints.items()}
    places = {name: equation.expression for name, equation in system.holonomic.items()}
    own = dict(zip(system.q, system.v, strict=True))

    def moved_by(
        forces: Mapping[Expr, Expr], held: Sequence[Expr], free: Sequence[Expr], residuals: Sequence[Expr] | None = None
    ) -> LiftedMotion | None:
        given = tuple(forces.items()), tuple(held), tuple(free), None if residuals is None else tuple(residuals)
        found: LiftedMotion | None = _RECENT(
            (lagrangian, system.q, *given), lambda: lifted_motion(lagrangian, own, forces, held, free, residuals)
        )
        return found

    found = _with_multipliers(moved_by, system.forces, rows, places, equations, system, most=most)
    return None if found is None else replace(found, monitors=constraint_forces(system, equations, found))


def constraint_forces(system: System, equations: Equations, found: Straight) -> dict[str, Expr]:
    """Return the constraint forces by name, as the slopes of lambda.c: shorter than by the rows of constraints.

    That they are the same is decided at a random point modulo a prime; else there are none.
    """
    saddle, held = equations.saddle, found.multipliers if found.sure else found.by_size[len(system.v) :]
    if saddle is None or equations.velocities != system.v or not held:
        return {}
    names = [symbol(Symbol(f"multiplier {name}")) for name in system.constraints]
    power = total([(1, m * c.expression) for m, c in zip(names, system.constraints.values(), strict=True)])
    forces = gradient(power, system.v)
    columns = zip(forces, zip(*saddle.virtual, strict=True), strict=True)
    if not _vanish(
        [force - total([(1, m * e) for m, e in zip(names, column, strict=True)]) for force, column in columns], system
    ):
        return {}
    told = substitute(forces, {name: -m for name, m in zip(names, held, strict=True)})
    by_name = {f"constraint force {q.data.name}": force for q, force in zip(system.q, told, strict=True)}
    return {name: force for name, force in by_name.items() if name in equations.monitors}


def lifted_saddle_on_rotations(
    frame: TangentFrame, places: Mapping[str, Expr], equations: Equations, most: int | None = None
) -> Straight | None:
    """Return the same for rotations; the residuals ``places`` of positions are by coordinates and entries."""
    system = frame.system
    if frame.directions:
        return None
    named, own = system.stated_constraints, _places(frame)
    rows = dict(zip(named, frame.put([c.expression for c in named.values()]), strict=True))
    forces = dict(zip(own, frame.forces, strict=True))
    for lagrangian in frame.put(lagrangians(system)):
        moved_by = partial(lifted_motion, lagrangian, own, frame=frame)
        found = _with_multipliers(moved_by, forces, rows, places, equations, system, frame.opened, most)
        if found is not None:
            return replace(found, facts=facts_of(system))
    return None


def _with_multipliers(
    moved_by: Callable[..., LiftedMotion | None],
    forces: Mapping[Expr, Expr],
    rows: Mapping[str, Expr],
    places: Mapping[str, Expr],
    equations: Equations,
    system: System,
    opened: Callable[[Sequence[Expr]], list[Expr]] = list,
    most: int | None = None,
) -> Straight | None:
    """Return the rates under constraints that are all kept; the residuals ``places`` are those of positions.

    ``opened`` says expressions in the variables of the equations.
    """
    saddle, free = equations.saddle, equations.velocities
    assert saddle is not None
    linear = all(system.kind_of(name) != "nonlinear" for name in rows)
    full = saddle.rank == len(rows) and saddle.position_rank == len(system.holonomic)
    if not full or saddle.rows != saddle.virtual or not linear:
        return None
    found = moved_by(forces, list(rows.values()), free)
    if found is None or _is_dear(found, most) or not of_one_sign_somewhere(found.pivots):
        return None
    corrections = []
    for residuals in [places, rows] if places else [rows]:
        back = moved_by({}, [rows[name] for name in residuals], free, list(residuals.values()))
        if back is None:
            return None
        steps = opened([*(back.accelerations[u] for u in free), *back.multipliers])
        corrections.append(tuple(shared(steps, equations.parameters)))
    pairs = [one for pair in found.guards for one in pair]
    unknowns = opened([*(found.accelerations[u] for u in free), *found.multipliers, *pairs])
    moved = iter(shared([*equations.kinematics.values(), *unknowns], equations.parameters))
    rates = dict(zip(equations.state, moved, strict=False))
    held = tuple(islice(moved, len(rows)))
    guards = tuple(zip(moved, moved, strict=True))
    picked = dict(zip(found.accelerations, found.by_size, strict=False))
    by_size = tuple(opened([*(picked[u] for u in free), *found.by_size[len(picked) :]])) if picked else ()
    return Straight(rates, held, tuple(corrections), guards, found.sure, by_size=by_size)


def lifted_on_rotations(frame: TangentFrame, equations: Equations, most: int | None = None) -> Straight | None:
    """Return the same for rotations: angular velocities are what moves, by Hamel's equations."""
    found = None if frame.directions else free_motion_on_rotations(frame)
    if (
        found is None
        or _is_dear(found, most)
        or (waits(equations.mass) and not _vanish(_hamel(frame, found), frame.system))
    ):
        return None
    moved = frame.opened([found.accelerations[u] for u in equations.velocities])
    rates = shared([*equations.kinematics.values(), *moved], equations.parameters)
    return Straight(dict(zip(equations.state, rates, strict=True)), facts=points_of(frame.system))


def lifted_in_speeds_on_rotations(
    frame: TangentFrame,
    speeds: Sequence[Expr],
    velocities: Mapping[Expr, Expr],
    equations: Equations,
    most: int | None = None,
) -> Straight | None:
    """Return the same in speeds; ``velocities`` are those of the frame by them."""
    if frame.directions:
        return None
    own = _places(frame)
    forces = dict(zip(own, frame.forces, strict=True))
    given = [u - e for u, e in velocities.items() if u is not e]
    ways = frame.put(lagrangians(frame.system))
    found = _definite(lifted_motion(one, own, forces, given, speeds, frame=frame) for one in ways)
    if found is None or _is_dear(found, most):
        return None
    moved = frame.opened([found.accelerations[v] for v in speeds])
    rates = shared([*equations.kinematics.values(), *moved], equations.parameters)
    return Straight(dict(zip(equations.state, rates, strict=True)), facts=points_of(frame.system))


def free_motion_on_rotations(frame: TangentFrame) -> LiftedMotion | None:
    """Return the lifted motion of rotations without constraints; None where it is not definite anywhere."""

    def look() -> LiftedMotion | None:
        own = _places(frame)
        forces = dict(zip(own, frame.forces, strict=True))
        return _definite(lifted_motion(one, own, forces, frame=frame) for one in frame.put(lagrangians(frame.system)))

    found: LiftedMotion | None = _KEPT(frame.system)(("free on rotations", tuple(frame.in_space)), look)
    return found


def _places(frame: TangentFrame) -> dict[Expr, Expr]:
    """Return the velocities of a frame by their coordinates; what belongs to none gets a name for it."""
    return {frame.positions.get(u, symbol(Symbol(f"position of {u.data.label}"))): u for u in frame.velocities}


def _hamel(frame: TangentFrame, found: LiftedMotion) -> list[Expr]:
    """Return dp/dt - X(L) - Q and what turns with the body, along a motion: Hamel's equations, nothing eliminated."""
    rates = tangent(frame.free.momenta, {**frame.drive, **found.accelerations})
    return frame.opened([total([(1, rate), (-1, pull)]) for rate, pull in zip(rates, frame.free.pulls, strict=True)])
