"""Constraints that are kept beside the velocities of a reduced motion, as rows by functions on Q/G.

Where the velocities that constraints allow have no frame that the group leaves alone (over a sphere there may be none),
and beside directions, constraints on positions, [virtual] and nonlinear constraints, all velocities v of an invariant
frame are kept, or those that some of the constraints allow, and with the others

    M v' = F + W^T lambda,    A v' = -(dc/dt)|v,    A = dc/dv,

with c = 0 the constraints, n n' = 0 for each direction among them, and the rows of W annihilating the virtual
displacements. The group moves what c = 0 says as a whole, so that c may be read off at one point of each orbit; so may
constraints on positions, since every orbit lies in them or beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Fact, Where, depends_on, generic_rank, vanish, vanishing
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.mechanics.lagrangian.on_spheres import unit_projection
from dalembert.mechanics.lagrangian.tangent_speeds import TangentSpeeds
from dalembert.mechanics.nonholonomic.positions_on_spheres import residuals
from dalembert.mechanics.nonholonomic.saddle_point_form import nearest
from dalembert.model.equations import Saddle
from dalembert.model.repeated import repeated
from dalembert.records import dataclass

Rows = Sequence[Sequence[Expr]]
Reader = Callable[[Sequence[Expr]], list[Expr]]


@dataclass(frozen=True)
class KeptRows:
    """Constraints c = 0 by functions on Q/G and v, with their rows."""

    framed: Framed
    functions: tuple[Expr, ...]
    saddle: Saddle
    places: Mapping[str, Expr]
    """What is left of constraints on positions, by functions on Q/G."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """That they hold, by coordinates and v."""
        held = self.framed.frame.opened([*self.functions, *self.places.values()])
        return tuple(map(Where, held))

    def bordered(self, mass: Rows) -> list[list[Expr]]:
        """Return [M -W^T; A 0]."""
        virtual, rows = self.saddle.virtual, self.saddle.rows
        matrix = [[*row, *(-one[i] for one in virtual)] for i, row in enumerate(mass)]
        return matrix + [[*row, *[ZERO] * len(rows)] for row in rows]

    def opened(self) -> Saddle:
        """Return the rows by coordinates and v."""
        one, put = self.saddle, self.framed.frame.opened
        rows = tuple(tuple(put(row)) for row in one.rows)
        virtual = rows if one.virtual == one.rows else tuple(tuple(put(row)) for row in one.virtual)
        return Saddle(one.names, rows, virtual, tuple(put(one.right)), one.rank, one.position_rank)

    def projection(
        self, mass: Rows, kinematics: Mapping[Expr, Expr], v: Sequence[Expr]
    ) -> tuple[dict[Expr, Expr], ...]:
        """Return what brings positions back, along v, and then velocities."""
        moved, saddle = next(iter(unit_projection(self.framed.frame)), {}), self.opened()
        held = self.framed.frame.opened(list(self.functions))
        back = (nearest(v, mass, saddle.rows, held, saddle.rank),)
        if not self.places:
            return (moved, *back) if moved else back
        rows = [saddle.rows[saddle.names.index(name)] for name in self.places]
        left = self.framed.frame.opened(list(self.places.values()))
        step = nearest(v, mass, rows, left, len(rows))
        rates = substitute(list(kinematics.values()), step)
        both = {q: total([(1, rate), (1, moved.get(q, ZERO))]) for q, rate in zip(kinematics, rates, strict=True)}
        return ({**moved, **both}, *back)


def kept_rows(
    framed: Framed, speeds: TangentSpeeds, drive: Mapping[Expr, Expr], there: Reader, read: Reader
) -> KeptRows:
    """Return the constraints as rows; ``there`` is what functions are at one point of each orbit, ``read`` decides."""
    frame, system, v = framed.frame, framed.system, list(speeds.speeds)
    again = repeated(system)
    stated = {name: c for name, c in framed.constraints.items() if name not in again}
    solved = vanishing(speeds.by_speeds(list(stated.values())), framed.facts)  # by the velocities that are taken
    stated = {name: c for (name, c), gone in zip(stated.items(), solved, strict=True) if not gone}
    units = {
        point.relation: dot(row, frame.velocities) for point, row in zip(frame.directions, frame.unit_rows, strict=True)
    }
    names = (*stated, *units)
    functions = _same(speeds.by_speeds([*stated.values(), *units.values()]), v, there, framed.facts)
    rows = jacobian(functions, v)
    right = read([-e for e in tangent(functions, dict(drive))])
    given = {name: frame.form(form) for name, form in system.virtual_forms.items() if name in stated}
    virtual = rows
    if given:
        forms = [given.get(name, gradient(stated[name], frame.velocities)) for name in stated]
        linear = [dot([dot(row, z) for z in speeds.fields], v) for row in map(speeds.by_speeds, forms)]
        virtual = [*jacobian(_same(linear, v, there, framed.facts), v), *rows[len(stated) :]]
    held = [name for name in system.holonomic if name not in again]
    left = {name: e for name, e in residuals(frame).items() if name in held}
    places = dict(zip(left, there(list(left.values())), strict=True))  # zero where they are: no generator leaves that
    saddle = Saddle(names, _tuples(rows), _tuples(virtual), tuple(right), len(rows), len(held))
    return KeptRows(framed, tuple(functions), saddle, places)


def _same(functions: Sequence[Expr], v: Sequence[Expr], there: Reader, facts: Sequence[Fact]) -> list[Expr]:
    """Return functions on Q/G that vanish where some functions do, which the group moves among each other."""
    found = there(functions)
    if vanish([a - b for a, b in zip(functions, found, strict=True)], facts):
        return found
    rest = dict.fromkeys(v, ZERO)
    rows = [[*gradient(c, v), substitute([c], rest)[0]] for c in (*functions, *found)]
    ranks = {generic_rank(some, facts).rank for some in (rows, rows[: len(found)], rows[len(found) :])}
    if depends_on([e for row in rows for e in row], v, facts) or ranks != {len(found)}:
        raise ExpressionError("the constraints were not found by functions on Q/G and velocities.")
    return found


def require_regular(matrix: Rows, facts: Sequence[Fact]) -> None:
    """Refuse a Lagrangian that does not determine the motion."""
    rank = generic_rank(matrix, facts)
    if rank.rank < len(matrix):
        what = f"with the constraints it gives {rank.rank} of {len(matrix)} accelerations and multipliers"
        raise refusal("reduced", [Fault("lagrangian", what, "it does not determine the motion", kind="regular")])


def _tuples(rows: Rows) -> tuple[tuple[Expr, ...], ...]:
    return tuple(map(tuple, rows))
