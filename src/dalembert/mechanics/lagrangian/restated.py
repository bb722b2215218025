"""Equations of any formalism, said anew in the speeds that a user states, as far as these are functions of the state.

Along the motions a speed is w = W v + w_0, with v the velocities of the state: velocities that the constraints or the
momenta give are put in. Where it depends on what was divided out (it is not invariant), or is not linear or affine in
v, it stays a name. The others are the new velocities, completed by some of the old: v = Z w + Z_0, and with M v' = F

    Z^T M Z w' = Z^T (F - M D(Z w + Z_0)),        D the rate along the motions at fixed w.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, depends_on, full_rank, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.truth.residues import freed_from
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import choose_dependent
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import Derived, divided_by
from dalembert.mechanics.lagrangian.speeds import EFFORT, everywhere, has_speeds, solved
from dalembert.mechanics.theorem import Theorem, always
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.ranks import independent
from dalembert.model.system import System
from dalembert.records import dataclass, replace


class Restated(Derived):
    """A result whose equations may be in another frame than the one that its geometry speaks of."""

    __slots__ = ()
    equations: Equations
    plain: Equations | None
    """The equations by velocities of coordinates, where ``equations`` are in others."""

    @property
    def in_coordinates(self) -> Equations:
        """The same motion by velocities of coordinates, of which theorems speak."""
        return self.equations if self.plain is None else self.plain


def in_stated_speeds(equations: Equations, system: System) -> Equations | None:
    """Return equations with stated speeds as velocities; None where no speed is one of the state.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import motion
    >>> polar = System.of(name="polar", coordinates={"r": "positive", "phi": "angle"}, speeds={"v": "r*phi'"},
    ...     lagrangian="(r'^2 + r^2*phi'^2)/2")
    >>> found = in_stated_speeds(motion(polar), polar)
    >>> found.kinematics, found.velocities, found.mass, found.force
    ({r: r', phi: v/r}, (v, r'), ((1, 0), (0, 1)), (-r'*v/r, v^2/r))
    """
    if equations.saddle is not None or equations.initial_state is not None:
        return None
    frame = speeds_of(speeds_on_state(equations, system), equations.velocities)
    return None if frame is None else in_frame(equations, system, frame)


def speeds_on_state(equations: Equations, system: System) -> dict[Expr, Expr]:
    """Return those of the stated speeds that are functions of the state, as such."""
    others = [*equations.reconstruction, *equations.implicit]
    told = _along_motions(equations, system)
    freed = {speed: freed_from([value], others, system.facts) for speed, value in told.items()}
    return {speed: value[0] for speed, value in freed.items() if value is not None}


def _along_motions(equations: Equations, system: System) -> dict[Expr, Expr]:
    """Return the stated speeds by state, lift and unknowns."""
    rates = {**equations.kinematics, **equations.reconstruction, symbol(TIME): ONE}
    positions = [equations.configuration.get(q, q) for q in system.q]
    put = dict(zip((*system.q, *system.v), (*positions, *tangent(positions, rates)), strict=True))
    return dict(zip(system.speeds, substitute(list(system.speeds.values()), put), strict=True))


@dataclass(frozen=True, slots=True)
class SpeedsOfState:
    """Names w for velocities v of a state: v = Z w + Z_0."""

    names: tuple[Expr, ...]
    """The speeds, then the velocities that complete them."""
    fields: tuple[tuple[Expr, ...], ...]
    drift: tuple[Expr, ...]

    @property
    def velocities(self) -> list[Expr]:
        """V = Z w + Z_0."""
        columns = zip(*self.fields, strict=True)
        return [total([(1, dot(column, self.names)), (1, z)]) for column, z in zip(columns, self.drift, strict=True)]


def speeds_of(told: Mapping[Expr, Expr], old: Sequence[Expr]) -> SpeedsOfState | None:
    """Return the frame of those speeds that are linear or affine in velocities and independent, the first ones first.

    >>> from dalembert.expr import symbol
    >>> x, y, s = symbol("x"), symbol("y"), symbol("s")
    >>> speeds_of({s: x.dot + y * y.dot}, [x.dot, y.dot]).velocities
    [s - y*y', y']
    """
    rows = {speed: gradient(value, old) for speed, value in told.items()}
    rows = {speed: row for speed, row in rows.items() if not depends_on(row, old)}
    kept = independent(list(rows.values()))
    if not kept:
        return None
    names = [list(rows)[k] for k in kept]
    rest = dict.fromkeys(old, ZERO)
    matrix = [substitute(rows[name], rest) for name in names]
    given = choose_dependent(matrix)
    added = [k for k in range(len(old)) if k not in given]
    matrix += [[ONE if i == k else ZERO for i in range(len(old))] for k in added]
    offsets = [*substitute([told[name] for name in names], rest), *[ZERO] * len(added)]
    fields, drift = solved(matrix, offsets, len(matrix))
    return SpeedsOfState((*names, *(old[k] for k in added)), tuple(map(tuple, fields)), tuple(drift))


def in_frame(equations: Equations, system: System, frame: SpeedsOfState) -> Equations:
    """Return equations with names w as velocities: as many as before, or fewer where motions keep to v = Z w + Z_0."""
    velocities, short = frame.velocities, SimplificationBudget(EFFORT)
    put = dict(zip(equations.velocities, velocities, strict=True))

    def here(table: Mapping[Any, Expr]) -> dict[Any, Expr]:
        return dict(zip(table, substitute(list(table.values()), put), strict=True))

    def shorter(table: Mapping[Expr, Expr]) -> dict[Expr, Expr]:  # so that what cancels is not divided by
        return dict(zip(table, short.all(list(here(table).values())), strict=True))

    kinematics, lift = shorter(equations.kinematics), shorter(equations.reconstruction)
    flat = substitute([*(e for row in equations.mass for e in row), *equations.force], put)
    mass, force = _projected(flat, frame, tangent(velocities, {**kinematics, symbol(TIME): ONE}))
    mass, force = [short.all(row) for row in mass], short.all(force)
    told = {p: tuple(short.all(substitute(both, put))) for p, both in equations.momenta.items()}
    return replace(
        equations,
        momenta={p: (momentum, rate) for p, (momentum, rate) in told.items()},
        kinematics=kinematics,
        velocities=frame.names,
        mass=tuple(map(tuple, mass)),
        force=tuple(force),
        implicit=here(equations.implicit),
        reconstruction=lift,
        monitors=here(equations.monitors),
        speeds={one: system.speeds[one] for one in frame.names if one in system.speeds},
        projection=tuple(map(here, equations.projection)),
        pivots=divided_by(
            [*kinematics.values(), *lift.values(), *(e for row in mass for e in row), *force],
            substitute(list(equations.pivots), put),
        ),
    )


def _projected(
    flat: Sequence[Expr], frame: SpeedsOfState, moved: Sequence[Expr]
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return Z^T M Z and Z^T (F - M D v) from the entries of M, row by row, and of F."""
    size = len(frame.drift)
    rows, force = [flat[i * size : (i + 1) * size] for i in range(size)], flat[size * size :]
    rest = [total([(1, f), (-1, dot(row, moved))]) for f, row in zip(force, rows, strict=True)]
    lowered = [[dot(row, field) for row in rows] for field in frame.fields]
    return [[dot(z, m) for m in lowered] for z in frame.fields], [dot(z, rest) for z in frame.fields]


# -- theorems ------------------------------------------------------------------------------------------------
def velocities_by_speeds(plain: Equations, found: Equations) -> list[Expr]:
    """Return the velocities of the state of plain equations that speeds took the place of, by these."""
    return [found.kinematics[place] for place, rate in plain.kinematics.items() if rate in plain.velocities]


def same_rates(result: Restated, system: System, proofs: ProofBudget) -> Verdict:
    """Decide whether the speeds change as their meaning does, and so do all others, along the motions without them."""
    plain, found = result.in_coordinates, result.equations
    told = speeds_on_state(plain, system)
    put = {one: told[one] for one in found.velocities if one in told}
    names = [*plain.kinematics, *found.velocities, *plain.reconstruction]
    wanted = tangent([put.get(one, one) for one in names], {**plain.rates(), **plain.reconstruction, symbol(TIME): ONE})
    rates = {**found.rates(), **found.reconstruction}
    here = substitute([rates[one] for one in names], put)
    parts = {f"the rate of {one!r}": a - b for one, a, b in zip(names, here, wanted, strict=True)}
    return proofs.all_vanish(parts, system.facts)


def _names(result: Any, proofs: ProofBudget) -> list[Claim]:
    """Say of each speed that is no variable of the equations why it is none."""
    told = _along_motions(result.in_coordinates, result.system)
    return [_why_a_name(result, one, told, proofs) for one in told if one not in result.equations.velocities]


def _why_a_name(result: Any, speed: Expr, told: Mapping[Expr, Expr], proofs: ProofBudget) -> Claim:
    plain, facts, name = result.in_coordinates, result.system.facts, text(speed)
    others = [*plain.reconstruction, *plain.implicit]
    slopes = dict(zip(map(text, others), gradient(told[speed], others), strict=True))
    if not vanish(list(slopes.values()), facts):
        parts = {f"its slope along {z}": slope for z, slope in slopes.items()}
        said = f"{name} is a function of the state, which is asked of a variable of the equations"
        return Claim(f"speed {name}", said, "question", proofs.all_vanish(parts, facts))
    row = gradient(told[speed], plain.velocities)
    if depends_on(row, plain.velocities, facts):
        bent = {f"a slope along {text(v)}": diff(e, v) for e in row for v in plain.velocities}
        said = (
            f"{name} is linear or affine in the velocities of the state, which is asked of a variable of the equations"
        )
        return Claim(f"speed {name}", said, "question", proofs.all_vanish(bent, facts))
    before = [gradient(told[one], plain.velocities) for one in result.equations.velocities if one in told]
    said = f"{name} is independent of the other speeds, which is asked of a variable of the equations"
    verdict = full_rank(generic_rank([*before, row]), len(before) + 1, f"the matrix of the speeds and {name}")
    return Claim(f"speed {name}", said, "question", verdict)


def _give_all(result: Any) -> Claim:
    velocities = velocities_by_speeds(result.in_coordinates, result.equations)
    return everywhere(velocities, result.system, "all velocities of the state")


def restated_theorems(needs: Callable[[Any], bool] = always) -> Sequence[Theorem]:
    """Return the theorems on equations that were said anew in stated speeds."""
    return (
        Theorem(
            "speeds",
            "Hamel",
            "in the stated speeds, all that moves has the rates that it has without them",
            "check",
            lambda result, proofs: same_rates(result, result.system, proofs),
            needs=lambda result: needs(result) and has_speeds(result),
        ),
        Theorem(
            "speeds give all velocities everywhere",
            "Hamel",
            "the stated speeds give all velocities of the state everywhere",
            "question",
            lambda result, _: [_give_all(result)],
            needs=lambda result: needs(result) and has_speeds(result),
        ),
        Theorem(
            "speed",
            "Hamel",
            "what is asked of a speed that is a variable of the equations",
            "question",
            _names,
            needs=lambda result: needs(result) and bool(result.system.speeds),
        ),
    )
