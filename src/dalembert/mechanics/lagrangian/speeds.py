"""Equations in speeds that a user states: w = W q' + w_0 are quasi-velocities, and q' = Z w + Z_0 on the constraints.

With the constraints A q' + b = 0 the frame solves [W; A] Z = [I; 0], and the drift [W; A] Z_0 = [-w_0; -b]. Where fewer
speeds are stated than there are directions, velocities of coordinates complete them. The frame is what has to exist: a
determinant of [W; A] that vanishes somewhere may well cancel in Z, so that what Z divides by is judged, not that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

from dalembert.errors import Fault
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import TooLarge
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import inverse
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, depends_on_velocities, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.distributions import choose_dependent
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.geometry.frames import Frame, projected_equations
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import equations_of, points_of
from dalembert.mechanics.lagrangian.lifted_rates import lifted_rates
from dalembert.mechanics.lagrangian.regularity import divisors, never_vanishes
from dalembert.mechanics.theorem import Theorem, always
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.speeds import speed_rows
from dalembert.model.system import System
from dalembert.model.table import changed
from dalembert.records import dataclass

EFFORT = 0.5
"""The work that goes into short formulas of the frame and of the equations."""


@dataclass(frozen=True, slots=True)
class SpeedFrame:
    """The frame in which stated speeds are the quasi-velocities."""

    frame: Frame
    """The fields Z, then fields across the constraints, whose quasi-velocities are zero."""
    rank: int
    """How many fields obey the constraints."""
    stated: Mapping[Expr, Expr]
    """What each speed is, by coordinates and velocities."""

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The speeds, then the velocities that complete them."""
        return self.frame.quasi_velocities[: self.rank]

    @property
    def kinematics(self) -> list[Expr]:
        """The velocities q' = Z w + Z_0."""
        return substitute(self.frame.kinematics, dict.fromkeys(self.frame.quasi_velocities[self.rank :], ZERO))

    @property
    def named(self) -> dict[Expr, Expr]:
        """The speeds by what they are: where a statement uses one, its equations have it by name."""
        return {expression: speed for speed, expression in self.stated.items() if expression.args}

    def put(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in coordinates and velocities by coordinates and speeds."""
        velocities = dict(zip(self.frame.velocities, self.kinematics, strict=True))
        return substitute(expressions, {**self.named, **velocities})


def speed_frame(system: System, formalism: str) -> SpeedFrame | None:
    """Return the frame of the speeds that a system states; None where it states none.

    The constraints are linear or affine.

    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + th'^2)/2", speeds={"v": "x'*cos(th) + y'*sin(th)"},
    ...     constraints={"blade": "x'*sin(th) = y'*cos(th)"})
    >>> found = speed_frame(sleigh, "nonholonomic")
    >>> found.speeds, found.kinematics
    ((v, th'), [v*cos(th), v*sin(th), th'])
    """
    if not system.speeds:
        return None
    matrix = system.constraint_matrix()
    across = choose_dependent(matrix.rows) if matrix.rows else ()
    rows, rest = _stated_rows(system, formalism)
    added = completed([*matrix.rows, *rows], formalism)
    rows += [[ONE if i == k else ZERO for i in range(len(system.q))] for k in added]
    fields, drift = solved([*rows, *matrix.rows], [*rest, *[ZERO] * len(added), *matrix.remainder], len(rows))
    chart = system.chart
    still = vanish(drift)
    names = [*system.speeds, *(system.v[k] for k in added)]
    frame = Frame(
        chart,
        (*(VectorField.of(chart, z) for z in fields), *(coordinate_field(chart, system.q[a]) for a in across)),
        (*names, *(symbol(Symbol(f"held {system.q[a].data.name}")) for a in across)),
        None if still else VectorField.of(chart, drift),
    )
    return SpeedFrame(frame, len(rows), dict(system.speeds))


def _stated_rows(system: System, formalism: str) -> tuple[list[list[Expr]], list[Expr]]:
    """Return W and w_0."""
    rest = dict.fromkeys(system.v, ZERO)
    rows = speed_rows(system)
    if depends_on_velocities([entry for row in rows for entry in row]):  # a statement is not asked what takes long
        fault = Fault("[speeds]", "they are not linear or affine in the velocities", "state others")
        raise refusal(formalism, [fault])
    return [substitute(row, rest) for row in rows], substitute(list(system.speeds.values()), rest)


def completed(rows: Sequence[Sequence[Expr]], formalism: str) -> list[int]:
    """Return the coordinates whose velocities complete some rows to a basis, of those that do the best."""
    if generic_rank(rows).rank < len(rows):
        fault = Fault("[speeds]", "with the constraints they are not independent", "state others, or fewer")
        raise refusal(formalism, [fault])
    given = choose_dependent(rows)
    return [k for k in range(len(rows[0])) if k not in given]


def solved(
    matrix: Sequence[Sequence[Expr]], rest: Sequence[Expr], count: int, modulo: Sequence[Expr] = ()
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return the first columns of the inverse of a matrix, and minus the inverse on a vector.

    They are short where what is in ``modulo`` vanishes.
    """
    size = len(matrix)
    try:
        columns = [list(column) for column in zip(*inverse(matrix), strict=True)]
    except TooLarge:
        columns = [solve(matrix, [ONE if i == k else ZERO for i in range(size)]) for k in range(size)]
    short = SimplificationBudget(EFFORT, modulo=modulo)
    drift = [total((-1, column[i] * r) for column, r in zip(columns, rest, strict=True)) for i in range(size)]
    return [short.all(column) for column in columns[:count]], short.all(drift)


def equations_in_speeds(system: System, moving: SpeedFrame, formalism: str, monitors: Mapping[str, Expr]) -> Equations:
    """Return the equations for the rates of the speeds; monitors are given by coordinates and velocities."""
    assert system.lagrangian is not None
    forces = [system.forces.get(q, ZERO) for q in system.q]
    found = projected_equations(system.lagrangian, moving.frame, forces, range(moving.rank), moving.named)
    short = SimplificationBudget(EFFORT)
    return equations_of(
        system,
        formalism,
        kinematics=dict(zip(system.q, moving.kinematics, strict=True)),
        velocities=moving.speeds,
        pivots=tuple(divisors(moving.kinematics)),
        speeds={one: system.speeds[one] for one in moving.speeds if one in system.speeds},
        mass=tuple(tuple(short.all(row)) for row in found.mass),
        force=tuple(short.all(found.force)),
        monitors=changed(monitors, moving.put),
        lifting=partial(lifted_rates, system),
    )


# -- theorems ------------------------------------------------------------------------------------------------
class _InSpeeds(Protocol):
    system: System
    equations: Equations


def has_speeds(result: Any) -> bool:
    """Say whether the equations of a result are in speeds that were stated."""
    return any(one in result.system.speeds for one in result.equations.velocities)


def same_accelerations(result: _InSpeeds, accelerations: Sequence[Expr], proofs: ProofBudget) -> Verdict:
    """Decide whether the equations in speeds have the accelerations that another derivation gives by q and q'."""
    system, equations = result.system, result.equations
    velocities = [equations.kinematics[q] for q in system.q]
    found = tangent(velocities, {**equations.rates(), symbol(TIME): ONE})
    wanted = substitute(accelerations, dict(zip(system.v, velocities, strict=True)))
    parts = {q.data.name: a - b for q, a, b in zip(system.q, found, wanted, strict=True)}
    return proofs.all_vanish(parts, points_of(system))


def speed_theorems(accelerations: Any, needs: Callable[[Any], bool] = always) -> tuple[Theorem, ...]:
    """Return the theorems on equations in speeds; ``accelerations`` gives those of a result by another derivation."""
    return (
        Theorem(
            "speeds",
            "Hamel",
            "the equations in the stated speeds give the accelerations that those in coordinates give",
            "check",
            lambda result, proofs: same_accelerations(result, accelerations(result), proofs),
            needs=lambda result: needs(result) and has_speeds(result),
        ),
        Theorem(
            "speeds give all velocities everywhere",
            "Hamel",
            "the stated speeds give the velocities of all coordinates everywhere",
            "question",
            lambda result, _: [everywhere(_solved_by(result.equations), result.system)],
            needs=lambda result: needs(result) and has_speeds(result),
        ),
    )


def _solved_by(equations: Equations) -> list[Expr]:
    """Return the velocities, and the reciprocals of what constraints were divided by to give them."""
    return [*equations.kinematics.values(), *(1 / pivot for pivot in equations.pivots)]


def everywhere(velocities: Sequence[Expr], system: System, which: str = "the velocities of all coordinates") -> Claim:
    """Say where velocities are given by the speeds: where nothing vanishes that they are divided by."""
    facts = points_of(system)
    verdicts = {base: never_vanishes(base, facts) for base in divisors(velocities)}
    doubtful = [text(base) for base, verdict in verdicts.items() if verdict.holds is not True]
    said = f"the stated speeds give {which} everywhere"
    if doubtful:
        said += f" (they need not where {' or '.join(f'{base} = 0' for base in doubtful)})"
    verdict = all_hold({text(base): one for base, one in verdicts.items()}) if verdicts else _WHOLE
    if any(node.op == "solve" for node in postorder(velocities)):
        verdict = Verdict("undecided", "the velocities are given by a linear system that is too large to be solved.")
    return Claim("speeds give all velocities everywhere", said, "question", verdict)


_WHOLE = Verdict("proved", "the velocities are the speeds times functions that divide by nothing that varies.")
