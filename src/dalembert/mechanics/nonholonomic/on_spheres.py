"""Constrained motion of rotations and directions, without charts.

Constraints are rows on the velocities u of the tangent frame (angular velocities in the body, velocities of the other
coordinates). The motion is written in speeds that are stated, else in a certified frame of what the rows allow, looked
for with angular velocities in the body and then in space; else, and where there are directions, in saddle-point form

    [ M  -W^T ] [ u'     ]   [ F                 ]
    [ A    0  ] [ lambda ] = [ -d/dt (A u + b)|u ],

to which the rows n n' = 0 belong. M and F are those of the motion without constraints, and W = A unless virtual
displacements are stated. Rows may repeat others: what is decided is decided with those that do not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, partial

from dalembert.errors import Fault
from dalembert.expr.calculus import jacobian, partial_time, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import (
    Fact,
    Verdict,
    Where,
    all_hold,
    depends_on,
    generic_rank,
    in_span,
    vanish,
    vanishing,
)
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.adapted_frames import CertifiedFrame, certified_drift, certified_frames, scaled_with_duals
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, along, equations_of, points_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_saddle_on_rotations
from dalembert.mechanics.lagrangian.on_spheres import obeys_multipliers
from dalembert.mechanics.lagrangian.regularity import divisors, regularity_claim, require_regular, vanishes_nowhere
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import Basis, BothWays, Carried, TangentSpeeds, bases, stated_speeds
from dalembert.mechanics.nonholonomic.certified_motion import fresh_names
from dalembert.mechanics.nonholonomic.positions_on_spheres import brought_back, positions_back, residuals
from dalembert.mechanics.nonholonomic.saddle_point_form import (
    least_multipliers,
    nearest,
    repetitions,
)
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations, Saddle
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_EFFORT = 0.5
_FORCE = "constraint force "
_MULTIPLIER = "multiplier "
_NAME = "nonholonomic"


@dataclass(frozen=True, repr=False)
class MotionOnSpheres(Derived):
    """A constrained motion of rotations and directions."""

    system: System
    equations: Equations
    regular: Verdict
    """That the mass matrix is regular at a generic point."""
    speeds: TangentSpeeds | None = None
    """What the equations are in; None for the saddle-point form."""
    certified: CertifiedFrame | None = None
    """That the frame fails only where the constraints lose rank, where that was decided."""

    @cached_property
    def frame(self) -> TangentFrame:
        """The velocities of the tangent spaces."""
        return TangentFrame(self.system)

    @property
    def hypotheses(self) -> tuple[Claim, ...]:  # type: ignore[override]
        """Which constraints repeat others."""
        return repetitions(self.system)

    @cached_property
    def independent(self) -> Equations:
        """The equations without the constraints that repeat others: of the same motions."""
        again, saddle = repeated(self.system), self.equations.saddle
        return replace(self.equations, saddle=_without(saddle, again)) if again and saddle else self.equations

    @cached_property
    def multipliers(self) -> tuple[Expr, ...]:
        """The multipliers of all rows, those of unit lengths among them, by coordinates, entries and u."""
        return tuple(_multipliers(self.frame, constraint_rows(self.frame)))

    @cached_property
    def constraint_forces(self) -> tuple[Expr, ...]:
        """W^T lambda along u, on the motions."""
        saddle, frame = _without(constraint_rows(self.frame), repeated(self.system)), self.frame
        names = [f"multiplier {name}" for name in saddle.names[: len(saddle.names) - len(frame.directions)]]
        found = _monitors(frame, saddle)
        forces = [
            dot([found[name] for name in names], column) for column in zip(*saddle.virtual[: len(names)], strict=True)
        ]
        return tuple(frame.opened(self.speeds.by_speeds(forces) if self.speeds else forces))

    def vanishes(self, function: Expr, proofs: ProofBudget) -> Verdict:
        """Decide whether a function of the state is zero wherever the constraints hold."""
        facts = points_of(self.system)
        if self.speeds is not None:
            return proofs.is_zero(function, facts)
        held = self.frame.opened(self.frame.put(_functions(self.system, repeated(self.system))))
        put = _solved_for_some(self.frame, held)
        if put is None:
            return proofs.is_zero(function, (*facts, *(Where(f) for f in held)))
        return proofs.is_zero(substitute([function], put)[0], facts)

    def objects(self) -> dict[str, object]:
        """Return the objects by the names of the JSON."""
        monitors = self.equations.monitors
        names = [u.data.label for u in self.frame.velocities]
        told = {name.removeprefix(_MULTIPLIER): e for name, e in monitors.items() if name.startswith(_MULTIPLIER)}
        unique = {} if repeated(self.system) else {"multipliers": told}
        found: dict[str, object] = {"energy": monitors["energy"], **unique}
        if self.speeds is not None:
            fields = [self.frame.opened(field) for field in self.speeds.fields]
            found["allowed_directions"] = [dict(zip(names, field, strict=True)) for field in fields]
        return found


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids these equations."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "rotations and directions are moved by a Lagrangian"))
    elif system.order > 1:
        faults.append(
            Fault("lagrangian", f"it is of order {system.order}", "nonholonomic mechanics is for order 1", kind="order")
        )
    if not system.stated_constraints:
        faults.append(Fault("[constraints]", "there are none", "use euler-lagrange", kind="some"))
    return tuple(faults)


def derive(system: System) -> MotionOnSpheres:
    """Return the constrained motion, or raise ``HypothesisError`` with every reason why there is none.

    >>> suslov = System.of(name="Suslov", coordinates={"R": "rotation"}, parameters="A B C",
    ...     lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 - R.m33", constraints={"skate": "R.w3 = 0"})
    >>> found = derive(suslov)
    >>> found.speeds.speeds, found.speeds.velocities
    ((R.w1, R.w2), [R.w1, R.w2, 0])
    """
    faults = check(system)
    if faults:
        raise refusal(_NAME, faults)
    frame = TangentFrame(system)
    linear = all(system.kind_of(name) != "nonlinear" for name in system.stated_constraints)
    if linear and not (frame.directions or system.virtual or repeated(system)):
        if system.stated_speeds:
            return _moving(stated_speeds(frame, _functions(system), _NAME))
        chosen = next(certified_speeds(frame), None)
        if chosen is not None:
            return replace(_moving(chosen[0]), certified=chosen[1])
    return _with_all(frame)


def _solved_for_some(frame: TangentFrame, held: Sequence[Expr]) -> dict[Expr, Expr] | None:
    """Return velocities that linear constraints give by the others; None where those of directions would be needed."""
    free = [u for u in frame.velocities if not any(u is q.dot for point in frame.directions for q in point.components)]
    rows = jacobian(held, free)
    chosen = generic_rank(rows, points_of(frame.system)).columns
    if len(chosen) < len(held) or depends_on([e for row in rows for e in row], frame.velocities):
        return None
    given = [free[k] for k in chosen]
    rest = substitute(held, dict.fromkeys(given, ZERO))
    return dict(zip(given, solve([[row[k] for k in chosen] for row in rows], [-f for f in rest]), strict=True))


def _functions(system: System, without: Collection[str] = ()) -> list[Expr]:
    return [c.expression for name, c in system.stated_constraints.items() if name not in without]


# -- frames --------------------------------------------------------------------------------------------------
def certified_speeds(
    frame: TangentFrame,
    carried: tuple[Carried, ...] = (),
    both_ways: tuple[BothWays, ...] = (),
    without: Collection[str] = (),
) -> Iterator[tuple[TangentSpeeds, CertifiedFrame]]:
    """Yield certified frames of what linear and affine constraints allow, some left out: in the body, then in space."""
    facts = frame.facts
    never = partial(vanishes_nowhere, facts=facts)
    functions = _functions(frame.system, without)
    for basis in bases(frame, carried, functions, both_ways):
        rows, rest = basis.rows(functions)
        columns = [frame.positions.get(u, u) for u in basis.velocities]
        for certified in certified_frames(rows, columns, frame.relations, never):
            if len(frame.system.holonomic) > len(frame.system.points) and not _is_bounded(certified, facts):
                continue
            drift = certified_drift(rows, rest, columns, never)
            yield _named(basis, certified, drift), certified


def _is_bounded(certified: CertifiedFrame, facts: Sequence[Fact]) -> bool:
    """Say whether fields and statement keep their rank everywhere, as positions that are held ask for."""
    gram = expanded_determinant([[dot(x, y) for y in certified.fields] for x in certified.fields])
    return all(vanishes_nowhere(value, facts) is not None for value in (gram, certified.locus))


def _named(basis: Basis, certified: CertifiedFrame, drift: Sequence[Expr]) -> TangentSpeeds:
    """Return quasi-velocities that are velocities where they can be, else have a name that is new."""
    system = basis.frame.system
    (duals,) = scaled_with_duals([certified.fields])
    still = vanishing(drift)
    known = [None if d.place is None or not still[d.place] else basis.velocities[d.place] for d in duals]
    names = iter(fresh_names(system, known.count(None)))
    speeds = [next(names) if one is None else one for one in known]
    rates = [basis.meanings.get(u, u) for u in basis.velocities]
    moved = [v if quiet else v - d for v, d, quiet in zip(rates, drift, still, strict=True)]
    stated = {}
    for speed, dual, one in zip(speeds, duals, known, strict=True):
        if one is None:
            stated[speed] = dot(basis.frame.opened(dual.row), basis.frame.opened(moved))
        elif one in basis.meanings:
            stated[speed] = basis.meanings[one]
    return basis.speeds(speeds, [dual.field for dual in duals], drift, stated)


def _moving(speeds: TangentSpeeds) -> MotionOnSpheres:
    """Return the equations in speeds."""
    frame = speeds.frame
    saddle = constraint_rows(frame)
    equations = speeds.equations(_NAME, _monitors(frame, saddle))
    regular = require_regular(equations.mass, _NAME, "the constrained Lagrangian", points_of(frame.system))
    return MotionOnSpheres(frame.system, replace(equations, projection=positions_back(frame, speeds)), regular, speeds)


# -- the saddle-point form -----------------------------------------------------------------------------------
def constraint_rows(frame: TangentFrame) -> Saddle:
    """Return the rows of all constraints on u, by coordinates, entries and u."""
    system = frame.system
    functions = [*frame.put(_functions(system)), *(dot(row, frame.velocities) for row in frame.unit_rows)]
    rows = tuple(map(tuple, jacobian(functions, frame.velocities)))
    right = tuple(-d for d in tangent(functions, frame.drive))
    names = (*system.stated_constraints, *(point.relation for point in frame.directions))
    given = {name: tuple(frame.form(form)) for name, form in system.virtual_forms.items()}
    virtual = tuple(given.get(name, row) for name, row in zip(names, rows, strict=True)) if given else rows
    again = repeated(system)
    held = [name for name in system.holonomic if name not in again]
    return Saddle(names, rows, virtual, right, len(rows) - len(again), len(held))


def _without(saddle: Saddle, names: Collection[str]) -> Saddle:
    """Return the rows that are left without some that repeat them."""
    kept = [k for k, name in enumerate(saddle.names) if name not in names]
    rows, virtual = (tuple(m[k] for k in kept) for m in (saddle.rows, saddle.virtual))
    right = tuple(saddle.right[k] for k in kept)
    return Saddle(tuple(saddle.names[k] for k in kept), rows, virtual, right, len(kept), saddle.position_rank)


def _multipliers(frame: TangentFrame, saddle: Saddle) -> list[Expr]:
    """Return the multipliers of independent rows."""
    free = frame.free
    return solve(_bordered(free.mass, saddle), [*free.force, *saddle.right])[len(free.force) :]


def _bordered(mass: Sequence[Sequence[Expr]], saddle: Saddle) -> list[list[Expr]]:
    """Return [M -W^T; A 0]."""
    matrix = [[*row, *(-one[i] for one in saddle.virtual)] for i, row in enumerate(mass)]
    return matrix + [[*row, *[ZERO] * len(saddle.rows)] for row in saddle.rows]


def _monitors(frame: TangentFrame, saddle: Saddle) -> dict[str, Expr]:
    """Return the energy, the multipliers of the stated constraints, and their forces along u.

    Where rows repeat others their multipliers are not unique; those of the least norm are told, as of any system.
    """
    free = frame.free
    size, told = len(free.force), [k for k, name in enumerate(saddle.names) if name in frame.system.stated_constraints]
    found = {"energy": free.energy}
    if saddle.rank == len(saddle.rows):
        multipliers, least = _multipliers(frame, saddle), ""
    else:
        some = saddle.solution(free.mass, free.force)[size:]
        multipliers, least = least_multipliers(saddle, free.mass, some), " (least norm)"
    found |= {f"multiplier {saddle.names[k]}{least}": multipliers[k] for k in told}
    for u, *column in zip(frame.velocities, *(saddle.virtual[k] for k in told), strict=True):
        if not vanish(column):
            name = frame.positions[u].data.name if u in frame.positions else u.data.name
            found[f"{_FORCE}{name}"] = dot(column, [multipliers[k] for k in told])
    return found


def _equations_with_all(system: System, rank: int | None = None, position_rank: int | None = None) -> Equations:
    """Return the equations with all rows, of given ranks."""
    return _with_all(TangentFrame(system), rank, position_rank).equations


def _with_all(frame: TangentFrame, rank: int | None = None, position_rank: int | None = None) -> MotionOnSpheres:
    """Return the motion with all velocities and all rows, of ranks that are told or those of the statement."""
    system, free, saddle = frame.system, frame.free, constraint_rows(frame)
    saddle = replace(
        saddle,
        rank=saddle.rank if rank is None else rank,
        position_rank=saddle.position_rank if position_rank is None else position_rank,
    )
    short = SimplificationBudget(_EFFORT, modulo=frame.relations)

    def plain(several: Sequence[Expr]) -> tuple[Expr, ...]:
        return tuple(frame.opened(short.all(several)))

    mass = tuple(map(plain, free.mass))
    rows = tuple(map(plain, saddle.rows))
    virtual = rows if saddle.virtual == saddle.rows else tuple(map(plain, saddle.virtual))
    bordered = replace(saddle, rows=rows, virtual=virtual, right=plain(saddle.right))
    functions = [*_functions(system), *(system.constraints[point.relation].expression for point in frame.directions)]
    held = frame.opened(frame.put(functions))
    slopes = [frame.opened(row) for row in jacobian(frame.put(functions), frame.velocities)]
    monitors, places = _monitors(frame, saddle), residuals(frame)
    equations = equations_of(
        system,
        _NAME,
        kinematics=dict(frame.kinematics),
        velocities=frame.velocities,
        speeds={one: system.speeds[one] for one in frame.velocities if one in system.speeds},
        mass=mass,
        force=plain(free.force),
        saddle=bordered,
        projection=(
            *brought_back(frame, mass, bordered, places),
            nearest(frame.velocities, mass, slopes, held, saddle.rank),
        ),
        monitors=dict(zip(monitors, frame.opened(list(monitors.values())), strict=True)),
        named=frame.entries,
        turning={one: one for point in frame.rotations for one in point.body},
        saddle_form=partial(_equations_with_all, system) if repeated(system) else None,
        lifting=partial(lifted_saddle_on_rotations, frame, places),
    )
    matrix = _bordered(mass, _without(bordered, repeated(system)))
    regular = require_regular(matrix, _NAME, "the constrained Lagrangian", points_of(system))
    return MotionOnSpheres(system, equations, regular)


# -- theorems ------------------------------------------------------------------------------------------------
def regular(result: MotionOnSpheres, _: ProofBudget) -> list[Claim]:
    """Say that the motion is determined, and where it is not."""
    if result.speeds is None:
        saddle = result.independent.saddle
        assert saddle is not None
        rows, facts = result.frame.by_name(_bordered(result.equations.mass, saddle))
        return [regularity_claim(rows, result.regular, "the constrained Lagrangian", facts)]
    below = tuple(divisors(result.equations.kinematics.values()))
    mass, facts = result.frame.by_name(result.equations.mass)
    return [regularity_claim(mass, result.regular, "the constrained Lagrangian", facts, pivots=below)]


def agrees_with_multipliers(result: MotionOnSpheres, proofs: ProofBudget) -> Verdict:
    """Decide whether accelerations are those of multipliers in the space around the spheres."""
    return obeys_multipliers(result.frame, result.independent, proofs)


def energy_conserved(result: MotionOnSpheres, proofs: ProofBudget) -> Verdict:
    """Decide E' = 0."""
    (rate,) = along(result.independent, [result.equations.monitors["energy"]])
    return result.vanishes(rate, proofs)


def energy_balance(result: MotionOnSpheres, proofs: ProofBudget) -> Verdict:
    """Decide E' = lambda W u + Q u - dL/dt."""
    system, frame, equations = result.system, result.frame, result.independent
    assert system.lagrangian is not None
    terms = [dot(frame.forces, frame.velocities), *frame.put([partial_time(system.lagrangian)]), *frame.velocities]
    push, clock, *moving = frame.opened(result.speeds.by_speeds(terms) if result.speeds else terms)
    power = total([(1, dot(result.constraint_forces, moving)), (1, push), (-1, clock)])
    (rate,) = along(equations, [equations.monitors["energy"]])
    return result.vanishes(rate - power, proofs)


def follows_chetaev(result: MotionOnSpheres, _: ProofBudget) -> Verdict:
    """Decide whether the stated forms span what the constraints are on velocities: each is a combination of rows."""
    saddle, facts = constraint_rows(result.frame), result.frame.facts
    return in_span(saddle.rows, saddle.virtual, "the forms of [virtual], for the constraints", facts)


def forces_do_no_work(result: MotionOnSpheres, proofs: ProofBudget) -> Verdict:
    """Decide whether W contains the velocity, wherever the constraints hold."""
    frame = result.frame
    rows = dict(zip(constraint_rows(frame).names, constraint_rows(frame).virtual, strict=True))
    work = frame.opened([dot(row, frame.velocities) for row in rows.values()])
    return all_hold({name: result.vanishes(e, proofs) for name, e in zip(rows, work, strict=True)})
