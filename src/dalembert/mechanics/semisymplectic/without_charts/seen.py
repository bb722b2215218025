"""The constraint manifold C in velocities that a group leaves alone, as the bodies see it that the group turns.

Where positions are turned with a body R they are no functions on Q/G, but what R sees of them are, and so are
velocities in its axes (``lagrangian.seen_from_body``). In the coordinates and velocities of that view

    C is the same, omega_L = -d(<dL/du, theta>) is the same form, and K the same distribution,

so that brackets, fields and what is decided of them are those of C.

Where invariant velocities are found in which the constraints are not solved, formulas are written by all of them. With
the rows A of the one-forms that annihilate W, by these, the fields

    B = (1 - A^T (A A^T)^-1 A) E

span W, and are invariant as E and A are; they are more than its dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field.alike import Alike
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict, all_hold, generic_rank, in_span, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import TangentSpeeds
from dalembert.mechanics.reduced.without_charts.hypotheses import View, invariant_speeds
from dalembert.mechanics.reduced.without_charts.motion import Reduction
from dalembert.mechanics.routh.without_charts.base import functions_of_base
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.model.system import System
from dalembert.records import dataclass

_EFFORT = 1.0
"""Work for short formulas."""
_LONGEST = 200
"""Nodes of all fields that span D; formulas with longer ones are not read on Q/G within the effort."""


@dataclass(frozen=True)
class SeenPhaseSpace(PhaseSpace):
    """C with omega_L and K in other coordinates and speeds."""

    seen: Framed
    chosen: TangentSpeeds | None

    @property
    def system(self) -> System:
        """The system as it is seen."""
        return self.seen.system

    @property
    def frame(self) -> TangentFrame:
        """The velocities u."""
        return self.seen.frame

    @property
    def framed(self) -> Framed:
        """Lagrangian and constraints in the frame."""
        return self.seen

    @cached_property
    def speeds(self) -> TangentSpeeds:
        """Those that are chosen, else as many velocities as are independent."""
        return self.chosen or self._independent()


@dataclass(frozen=True)
class SeenBase:
    """Q/G by what stands still in a view."""

    space: SeenPhaseSpace
    """C."""
    reading: Reduction
    configuration: Mapping[Expr, Expr]
    """The stated coordinates that are not among those of Q here, by these."""

    @property
    def functions(self) -> tuple[Expr, ...]:
        """What Q/G is known by."""
        return self.reading.functions

    @cached_property
    def relations(self) -> tuple[Expr, ...]:
        """What these obey: lengths, and constraints on positions."""
        return (*self.reading.inside, *self.reading.read(list(self.space.places.values())))

    def read(
        self,
        expressions: Sequence[Expr],
        short: Callable[[Expr], Expr],
        glance: Callable[[Expr], Expr] | None = None,
        alike: Alike | None = None,
    ) -> list[Expr]:
        """Return invariant functions on C by functions on Q/G and speeds, decided to be the same everywhere."""
        return self.reading.read(expressions)  # in short forms

    def is_the_stated(self, proofs: ProofBudget) -> Verdict:
        """Decide whether Lagrangian and constraints are, in the coordinates of the view, the stated ones.

        Constraints that the group moves among each other are read off at one point of each orbit: together they say
        the same, each for itself may not.
        """
        stated, seen = self.space.motion.system, self.space.system
        assert stated.lagrangian is not None
        assert seen.lagrangian is not None
        put = {**self.configuration, **{q.dot: time_derivative(e) for q, e in self.configuration.items()}}
        above = {name: c.expression for name, c in stated.stated_constraints.items()} | {"L": stated.lagrangian}
        below = {name: c.expression for name, c in seen.stated_constraints.items()} | {"L": seen.lagrangian}
        moved = dict(zip(above, substitute(list(above.values()), put), strict=True))
        facts = facts_of(seen)
        found = proofs.all_vanish({name: moved[name] - below[name] for name in above}, facts)
        names = list(stated.stated_constraints)
        if found.holds is not False or any(seen.kind_of(name) == "nonlinear" for name in names):
            return found
        rest = dict.fromkeys(seen.v, ZERO)
        here, there = (
            [[*gradient(c, seen.v), substitute([c], rest)[0]] for c in (table[name] for name in names)]
            for table in (below, moved)
        )
        units = [[*gradient(seen.constraints[name].expression, seen.v), ZERO] for name in seen.units]
        same = proofs.all_vanish({"L": moved["L"] - below["L"]}, facts)
        spans = {
            "the Lagrangian": same,
            "the constraints": in_span([*here, *units], there, "the stated ones", facts),
            "the stated constraints": in_span([*there, *units], here, "those of the view", facts),
        }
        return all_hold(spans)


@dataclass(frozen=True)
class UnsolvedBase(SeenBase):
    """Q/G where the constraints are not solved in the velocities that the group leaves alone."""

    around: SeenPhaseSpace
    """The space of all these velocities."""

    def read(
        self,
        expressions: Sequence[Expr],
        short: Callable[[Expr], Expr],
        glance: Callable[[Expr], Expr] | None = None,
        alike: Alike | None = None,
    ) -> list[Expr]:
        """Return them in forms that are short where the velocities obey the constraints."""
        return self._on_c.all(super().read(expressions, short, glance, alike))

    @cached_property
    def _on_c(self) -> SimplificationBudget:
        return SimplificationBudget(_EFFORT, modulo=(*self.reading.inside, *self.held))

    @cached_property
    def _short(self) -> SimplificationBudget:
        return SimplificationBudget(_EFFORT, modulo=self.space.frame.relations)

    @cached_property
    def spanning(self) -> tuple[tuple[Expr, ...], ...]:
        """B, by u; ``ExpressionError`` where they are long, or not invariant after all."""
        fields, short = self.around.speeds.fields, self._short
        every = [[short(dot(row, e)) for e in fields] for row in self.space.annihilator.values()]
        rows = [every[i] for i in generic_rank(every, self.space.facts).rows]  # some may be solved in these velocities
        square = [[short(dot(a, b)) for b in rows] for a in rows]
        columns, lines = list(zip(*rows, strict=True)), list(zip(*fields, strict=True))
        found = []
        for a, own in enumerate(columns):
            part = solve(square, list(own))
            weights = [total([(-1, dot(part, column))], int(a == b)) for b, column in enumerate(columns)]
            found.append(tuple(short(dot(short.all(weights), line)) for line in lines))
        if (size := len(postorder([e for one in found for e in one]))) > _LONGEST:
            raise ExpressionError(f"invariant fields that span D have {size} nodes, too many to be read on Q/G.")
        names = self.reading.action.names
        if not are_invariant(self.space, [self.space.framed.generator(name) for name in names], found):
            raise ExpressionError("no invariant fields that span D were found.")
        return tuple(found)

    @cached_property
    def known(self) -> dict[Expr, Expr]:
        """The values of all velocities on C."""
        fields = self.around.speeds.fields
        rank = generic_rank(fields, self.space.facts)
        square = [[e[k] for e in fields] for k in rank.columns]
        rest = [self.space.speeds.velocities[k] - self.around.speeds.drift[k] for k in rank.columns]
        return dict(zip(self.around.v, map(self._short, solve(square, rest)), strict=True))

    @cached_property
    def held(self) -> tuple[Expr, ...]:
        """What is zero between them on C."""
        system, frame = self.space.system, self.space.frame
        stated = frame.put([c.expression for name, c in system.stated_constraints.items() if name in self.space.rows])
        held = self.around.speeds.by_speeds(stated)
        told = self.reading.read([e for e in held if not vanish([e], self.space.facts)])
        units = [
            dot(row, frame.velocities) for row in frame.unit_rows
        ]  # which vanish of directions wherever they stand
        return (*told, *self.around.speeds.by_speeds(units))


def seen_spaces(space: PhaseSpace, names: Sequence[str], action: Action) -> Iterator[SeenBase]:
    """Yield C in velocities that some generators leave alone, where Q/G is known by functions: solved ones first."""
    kept = []
    for view in _views(space.framed, names):
        framed = view.framed
        rows = [framed.generator(name) for name in names]
        if generic_rank(rows, framed.facts).rank < len(rows):
            return
        base = functions_of_base(framed.frame, rows)
        if base.dimension < framed.dimension - len(rows):
            continue
        speeds, solved = invariant_speeds(view, names) or (None, False)
        if speeds is None:
            continue
        reading = Reduction(space.system, view, speeds, action, base, free=True)
        there = SeenPhaseSpace(space.motion, framed, speeds if solved else None)
        if not solved:
            around = SeenPhaseSpace(space.motion, framed, speeds)
            kept.append(UnsolvedBase(there, reading, view.configuration, around))
        elif are_invariant(there, rows, there.virtual):
            yield SeenBase(there, reading, view.configuration)
    yield from kept


def _views(framed: Framed, names: Sequence[str]) -> Iterator[View]:
    """Yield the statement as it is, then seen from bodies that the group turns, then from axes that are made for it.

    Last come bodies that a generator turns on different sides, or about axes of their own, and axes made of a pair.
    """
    plain = View(framed)
    yield plain
    seen = plain.seen_by_bodies(names)
    if seen is not None:
        yield seen
    other = plain.seen_by_bodies(names, "axes")
    if other is not None and (seen is None or other.framed.system.q != seen.framed.system.q):
        yield other
    for last in (plain.seen_aligned(names), plain.seen_by_bodies(names, "vectors")):
        if last is not None:
            yield last


def are_invariant(space: PhaseSpace, generators: Sequence[Sequence[Expr]], fields: Sequence[Sequence[Expr]]) -> bool:
    """Say whether fields on Q, by u, commute with all generators."""
    crossed = [e for x in generators for z in fields for e in space.on_q.bracket(x, z)]
    return vanish(crossed, space.facts)
