"""The nonholonomic motion in a frame that fails only where the constraints lose rank.

The frame Z of the allowed directions is searched for (``geometry/adapted_frames``); its quasi-velocities u, q' = Z u +
Z_0, are what moves. Where the kinetic energy is definite so is their mass matrix Z^T M Z, so that nothing has to be
pivoted, and no frame changed on the way. Velocities of coordinates that are a good frame already are left as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Protocol

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Verdict, Where, is_constant, vanish, vanishing
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import divisors, substitute, tree_size, unroll
from dalembert.geometry.adapted_frames import (
    CertifiedFrame,
    Dual,
    certified,
    certified_drift,
    certified_frames,
    costs,
    invariant_basis,
    remainder,
    scaled_with_duals,
)
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.fields import VectorField
from dalembert.geometry.frames import Frame, FrameEquations, projected_equations
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import equations_of, points_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_rates
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.lagrangian.regularity import never_vanishes, vanishes_nowhere
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.table import changed
from dalembert.records import dataclass, replace

FAILS = "frame fails only where the constraints lose rank"
KEEPS = "statement loses rank, the motion does not"

_TRIED = 3
"""Certified frames whose equations are written down."""
_NEARLY = 1.05
"""Costs that differ by less are equal: then the shorter formulas win."""
_MARKEDLY = 0.8
"""Velocities of coordinates that fail nowhere are what a user knows; to replace them a frame has to cost less."""
_MANY = 16
"""With more constraints than this, velocities of coordinates that fail nowhere are kept without a search: these motions
are followed without a linear system, so that what one costs says nothing."""
_LETTERS = "uvwsr"


@dataclass(frozen=True, slots=True)
class MovingFrame:
    """A frame with its quasi-velocities, and what these are."""

    frame: Frame
    """The fields Z, then fields across the constraints, whose quasi-velocities are zero."""
    rank: int
    """How many fields obey the constraints."""
    stated: Mapping[Expr, Expr]
    """What each quasi-velocity that has a name of its own is, by coordinates and velocities."""
    found: CertifiedFrame
    """The frame before its fields were scaled."""
    duals: tuple[Dual, ...]
    """The fields Z, each with the row of W that reads its quasi-velocity off velocities: W Z = 1."""
    kinematics: tuple[Expr, ...]
    """The velocities q' = Z u + Z_0."""
    dynamics: FrameEquations
    """The equations for the rates of the quasi-velocities."""

    @property
    def certified(self) -> CertifiedFrame:
        """The frame with its certificate, the fields scaled."""
        return self.found.scaled(self.duals)

    @property
    def rows(self) -> tuple[tuple[Expr, ...], ...]:
        """W with W Z = 1."""
        return tuple(dual.row for dual in self.duals)

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The quasi-velocities that move."""
        return self.frame.quasi_velocities[: self.rank]

    def put(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and velocities by coordinates and quasi-velocities."""
        return substitute(expressions, dict(zip(self.frame.velocities, self.kinematics, strict=True)))


def chosen_frame(system: System, determinant: Expr, plain: Equations) -> tuple[MovingFrame | None, Equations]:
    """Return the certified frame that is cheapest; None where velocities of coordinates are as good, or none is found.

    ``plain`` are the equations by these velocities, which fail where ``determinant`` vanishes; they come back, without
    pivots where it was shown that it does not.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + th'^2)/2", constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> plain = derive_in_coordinates(sleigh)
    >>> found, _ = chosen_frame(sleigh, plain.distribution.determinant, plain.equations)
    >>> found.kinematics, found.stated
    ((u*cos(th), u*sin(th), th'), {u: x'*cos(th) + y'*sin(th)})
    """
    at_once = not system.holonomic  # with these, where a determinant vanishes takes a search
    if at_once and len(system.constraints) > _MANY and not _fails(system, determinant):
        return None, replace(plain, pivots=())
    found = _searched(system)
    if not found:
        return None, plain
    if at_once and _fails(system, determinant):
        return (found[0] if len(found) == 1 else _cheapest(found, costs(list(map(_rates, found))))[0]), plain
    *expenses, as_stated = costs([*map(_rates, found), [*plain.kinematics.values(), *solve(plain.mass, plain.force)]])
    best, expense = _cheapest(found, expenses)
    if expense < _MARKEDLY * as_stated or (not at_once and _fails(system, determinant)):
        return best, plain
    return None, replace(plain, pivots=()) if plain.pivots else plain


def _fails(system: System, determinant: Expr) -> bool:
    """Say whether a determinant is not shown to vanish nowhere."""
    return not is_constant(determinant) and vanishes_nowhere(determinant, points_of(system)) is None


def _rates(frame: MovingFrame) -> list[Expr]:
    return [*frame.kinematics, *frame.dynamics.accelerations()]


def _length(frame: MovingFrame) -> int:
    """Return how long the equations in a frame are when written out."""
    mass = (entry for row in frame.dynamics.mass for entry in row)
    return sum(map(tree_size, [*frame.kinematics, *mass, *frame.dynamics.force]))


def _cheapest(found: Sequence[MovingFrame], expenses: Sequence[int]) -> tuple[MovingFrame, int]:
    """Return the frame with the least cost, among those that nearly have it the shortest."""
    least = min(expenses)
    near = [(frame, expense) for frame, expense in zip(found, expenses, strict=True) if expense <= _NEARLY * least]
    return min(near, key=lambda one: (_length(one[0]), one[1]))


def _searched(system: System) -> list[MovingFrame]:
    """Return certified frames, with names for their quasi-velocities."""
    never = partial(vanishes_nowhere, facts=points_of(system))
    matrix = system.constraint_matrix()
    relations = _relations(system)
    invariant = invariant_basis(matrix.rows, _generators(system))
    more = [] if invariant is None else [invariant]
    frames = list(islice(certified_frames(matrix.rows, system.q, relations, never, more), _TRIED))
    if not frames:
        return []
    pairs = list(zip(frames, scaled_with_duals([frame.fields for frame in frames]), strict=True))
    kept = [(frame, duals) for frame, duals in pairs if not relations or _is_bounded(system, frame.scaled(duals))]
    drift = certified_drift(matrix.rows, matrix.remainder, system.q, never) if kept else ()
    return [_moving(system, frame, duals, drift) for frame, duals in kept]


def _generators(system: System) -> list[VectorField]:
    """Return the generators of the symmetry that is stated, those without time."""
    stated = system.symmetry.values()
    return [one.on(system.chart) for one in stated if not one.moves_time and not one.depends_on_time]


def _relations(system: System) -> list[Expr]:
    """Return what vanishes wherever the constraints on positions hold."""
    return [equation.left - equation.right for equation in system.holonomic.values()]


def _is_bounded(system: System, frame: CertifiedFrame) -> bool:
    """Say whether fields and statement keep their rank wherever the constraints on positions hold.

    A mechanism meets the places where its constraints lose rank. Fields that vanish there would make quasi-velocities
    grow without bound where the velocities do not; and a branch of positions on which the statement loses rank
    throughout is no limit of others, so that fields that keep theirs do not say how it moves on.
    """
    gram = expanded_determinant([[dot(x, y) for y in frame.fields] for x in frame.fields])
    return all(_vanishes_nowhere(value, system) for value in (gram, frame.locus))


def _vanishes_nowhere(value: Expr, system: System) -> bool:
    """Decide whether a function has no zero where the constraints on positions hold; a constant has none, but for 0."""
    left = remainder(value, _relations(system))
    if is_constant(left):
        return not vanish([left])
    return vanishes_nowhere(value, points_of(system)) is not None


def _moving(system: System, certified: CertifiedFrame, duals: Sequence[Dual], drift: Sequence[Expr]) -> MovingFrame:
    """Name the quasi-velocities of a frame, and complete it by the constraints themselves."""
    assert system.lagrangian is not None
    still = vanishing(drift)
    moved = [v if quiet else v - d for v, d, quiet in zip(system.v, drift, still, strict=True)]
    known = [None if d.place is None or not still[d.place] else system.v[d.place] for d in duals]
    names = iter(fresh_names(system, known.count(None)))
    speeds = [next(names) if one is None else one for one in known]
    stated = {u: dot(d.row, moved) for u, d, one in zip(speeds, duals, known, strict=True) if one is None}
    chart, rows = system.chart, system.constraint_matrix().rows
    held = [symbol(Symbol(f"held {name}")) for name in system.constraints]
    frame = Frame(
        chart,
        (*(VectorField.of(chart, dual.field) for dual in duals), *(VectorField.of(chart, row) for row in rows)),
        (*speeds, *held),
        None if all(still) else VectorField.of(chart, drift),
    )
    forces = [system.forces.get(q, ZERO) for q in system.q]
    return MovingFrame(
        frame,
        len(duals),
        stated,
        certified,
        tuple(duals),
        kinematics=tuple(substitute(frame.kinematics, dict.fromkeys(held, ZERO))),
        dynamics=projected_equations(system.lagrangian, frame, forces, range(len(duals))),
    )


def fresh_names(system: System, size: int) -> list[Expr]:
    """Return names that mean nothing yet: u, or u1, u2, ...; with the next letter where one of these is taken."""
    places = [""] if size == 1 else [str(k + 1) for k in range(size)]
    letters = (letter for letter in _LETTERS if not any(f"{letter}{k}" in system.vocabulary for k in places))
    letter = next(letters, "quasi_velocity_")
    return [symbol(Symbol(f"{letter}{k}")) for k in places]


def equations_in_frame(system: System, moving: MovingFrame, formalism: str, monitors: Mapping[str, Expr]) -> Equations:
    """Return the equations for the rates of the quasi-velocities; monitors are given by coordinates and velocities."""
    return equations_of(
        system,
        formalism,
        kinematics=dict(zip(system.q, moving.kinematics, strict=True)),
        velocities=moving.speeds,
        mass=moving.dynamics.mass,
        force=moving.dynamics.force,
        monitors=changed(monitors, moving.put),
        speeds=moving.stated,
        lifting=partial(lifted_rates, system),
    )


# -- theorems ------------------------------------------------------------------------------------------------
class _InFrame(Protocol):
    @property
    def system(self) -> System: ...
    @property
    def equations(self) -> Equations: ...
    @property
    def moving(self) -> MovingFrame | None: ...


def agrees_with_multipliers(result: _InFrame, proofs: ProofBudget) -> Verdict:
    """Decide whether the accelerations of all coordinates are those of Lagrange's multipliers."""
    system, equations = result.system, result.equations
    velocities = [equations.kinematics[q] for q in system.q]
    found = tangent(velocities, {**equations.rates(), symbol(TIME): ONE})
    wanted = substitute(by_multipliers(system)[0], dict(zip(system.v, velocities, strict=True)))
    parts = {q.data.name: a - b for q, a, b in zip(system.q, found, wanted, strict=True)}
    return proofs.all_vanish(parts, points_of(system))


def fails_only_with_rank(result: _InFrame, _: ProofBudget) -> list[Claim]:
    """Say that the frame spans the allowed directions wherever the constraints keep their rank."""
    assert result.moving is not None
    return [
        Claim(FAILS, "the frame fails only where the constraints lose rank", "check", result.moving.certified.verdict)
    ]


def keeps_rank(result: _InFrame, proofs: ProofBudget) -> list[Claim]:
    """Say that the frame keeps its rank where the statement loses it, if it loses it somewhere without need."""
    assert result.moving is not None
    locus, facts = result.moving.certified.locus, points_of(result.system)
    if locus is ONE or vanishes_nowhere(locus, facts) is not None:
        return []
    said = f"the statement loses rank where {text(locus)} = 0, the motion does not"
    return [Claim(KEEPS, said, "question", _has_full_rank(result.moving, facts, (*facts, Where(locus)), proofs))]


def _has_full_rank(moving: MovingFrame, facts: Sequence[Fact], there: Sequence[Fact], proofs: ProofBudget) -> Verdict:
    """Decide whether the fields are independent: by W Z = 1, where W has no pole, else by their Gram determinant."""
    fields = moving.certified.fields
    if not any(
        certified(base, partial(vanishes_nowhere, facts=facts)) is None
        for base in divisors(unroll([e for row in moving.rows for e in row]))
    ):
        parts = {
            f"{a + 1}, {b + 1}": total([(1, dot(row, field)), (-1, ONE if a == b else ZERO)])
            for a, row in enumerate(moving.rows)
            for b, field in enumerate(fields)
        }
        verdict = proofs.all_vanish(parts, facts)
        if verdict.holds:
            said = f"the velocities give the quasi-velocities everywhere, by rows without a pole: {verdict.evidence}"
            return replace(verdict, evidence=said)
    return never_vanishes(expanded_determinant([[dot(x, y) for y in fields] for x in fields]), there)
