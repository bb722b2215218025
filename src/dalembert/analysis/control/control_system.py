"""x' = f_0(x) + u^i f_i(x): what a formalism derived, as a control system at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.analysis.steady.guesses import exact_text
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import diff, jacobian
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Sphere, depends_on, generic_rank, vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.nonholonomic.integrable_part import allowed_directions
from dalembert.model.equations import Equations, equations_and_system
from dalembert.model.faults import quoted
from dalembert.model.system import System
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class ControlSystem:
    """Fields on the state space and a point of it; what is not fixed at the point is generic."""

    equations: Equations
    system: System | None
    words: NameResolver
    drift: VectorField
    inputs: Mapping[str, VectorField]
    point: Mapping[Expr, Expr]
    level: Mapping[str, Expr]
    """The values of the inputs about which they vary."""
    facts: tuple[Fact, ...]
    relations: tuple[Expr, ...]
    """What vanishes on the manifold of states."""

    @property
    def positions(self) -> tuple[Expr, ...]:
        """The variables that are no velocities."""
        return tuple(self.equations.kinematics)

    @property
    def generic(self) -> tuple[str, ...]:
        """The variables that are not fixed at the point."""
        return tuple(v.data.label for v in self.equations.state if v not in self.point)

    @property
    def allowed(self) -> tuple[list[VectorField], list[str]]:
        """Fields whose combinations are the velocities that constraints allow, with names; none where it is all.

        What was divided out belongs to the positions; on a Lie algebra it has no coordinates, and brackets of its own.
        """
        equations, system = self.equations, self.system
        if system is None or not system.stated_constraints:
            lifted, chart = dict(equations.kinematics), Chart(self.positions)
        else:
            lifted = {**equations.kinematics, **equations.reconstruction}
            chart = Chart(tuple(lifted)) if system.algebra is None else system.chart
        w = list(equations.velocities)
        if equations.saddle is not None and system is not None and system.algebra is not None:
            fields = list(allowed_directions(system).fields)
            return fields, [f"direction {k}" for k in range(1, len(fields) + 1)]
        rates = [lifted[q] for q in chart.coordinates]
        columns = jacobian(rates, w)
        straight = not depends_on([e for row in columns for e in row], w)
        if not w or len(w) >= self.dimension(chart.coordinates) or not straight:
            return [], []  # of nonlinear constraints nothing is known
        if not vanish(substitute(rates, dict.fromkeys(w, ZERO)), self.facts):
            return [], []
        fields = [VectorField.of(chart, [row[j] for row in columns]) for j in range(len(w))]
        return fields, [one.data.label for one in w]

    def dimension(self, variables: Sequence[Expr]) -> int:
        """Return how many of some variables are free at the point, relations taken into account."""
        known = {v.data for v in self.equations.state} - {v.data for v in variables}
        own = [r for r in self.relations if not known.intersection(symbols([r]))]
        if not own:
            return len(variables)
        flat = [substitute(row, dict(self.point)) for row in jacobian(own, list(variables))]
        return len(variables) - generic_rank(flat, self.facts).rank


def control_system(
    result: Any,
    at: Mapping[str, Any] | None = None,
    controls: Sequence[str] | None = None,
    values: Mapping[str, Any] | None = None,
) -> ControlSystem:
    """Return the control system of what a formalism derived, or of equations by hand.

    ``controls`` names the inputs: those of [controls], or parameters; all of [controls] unless they are named.
    """
    equations, system = equations_and_system(result, "controllability")
    if equations.implicit:
        raise EvaluationError("these equations have unknowns that are not solved for; controllability is not decided.")
    words = NameResolver(equations, system)
    given = _parameters(words, values or {})
    inputs = _inputs(equations, system, controls)
    rates = equations.rates()
    if depends_on([rates[v] for v in equations.state], [symbol(TIME)]):
        raise EvaluationError("the equations contain time, so they are no control system that stays the same.")
    table = substitute([rates[v] for v in equations.state], given)
    slopes = {name: [diff(e, u) for e in table] for name, (u, _) in inputs.items()}
    for name, column in slopes.items():
        if not vanish([diff(e, u) for e in column for u, _ in inputs.values()]):
            raise EvaluationError(f"the equations are not linear in the control {quoted(name)}.")
    level = {u: substitute([value], given)[0] for u, value in inputs.values()}
    chart = Chart(equations.state)
    point = _point(words, at or {}) | {w: ZERO for w in equations.velocities if w.data.label not in (at or {})}
    point = {v: substitute([e], given)[0] for v, e in point.items()}
    return ControlSystem(
        equations,
        system,
        words,
        VectorField.of(chart, substitute(table, level)),
        {name: VectorField.of(chart, substitute(column, level)) for name, column in slopes.items()},
        point,
        {name: level[u] for name, (u, _) in inputs.items()},
        *_manifold(equations, system, words, given, point),
    )


def _inputs(equations: Equations, system: System | None, wanted: Sequence[str] | None) -> dict[str, tuple[Expr, Expr]]:
    """Return the inputs by name, each with the value about which it varies: its constant value, or 0."""
    known = {} if system is None else {u.data.name: (u, value) for u, value in system.controls.items()}
    for p in equations.parameters:
        known.setdefault(p.data.name, (p, None))
    names = list(wanted) if wanted is not None else [] if system is None else [u.data.name for u in system.controls]
    found = {}
    for name in names:
        if name not in known:
            raise ExpressionError(f"{quoted(name)} is no control; there are {', '.join(sorted(known)) or 'none'}.")
        u, value = known[name]
        steady = value is not None and not symbols([value]) - {p.data for p in equations.parameters}
        found[name] = (u, value if steady and value is not None else ZERO)
    if system is not None:  # the others stay at their values
        for u in system.controls:
            if u.data.name not in found:
                raise ExpressionError(f"the control {quoted(u.data.name)} is left out; state the system without it.")
    return found


def _parameters(words: NameResolver, values: Mapping[str, Any]) -> dict[Expr, Expr]:
    own = {p.data.name: p for p in words.equations.parameters}
    for name in values:
        if name not in own:
            raise ExpressionError(f"{quoted(name)} is no parameter; there are {', '.join(own) or 'none'}.")
    return {own[name]: words.expression(_exact(value)) for name, value in values.items()}


def _point(words: NameResolver, at: Mapping[str, Any]) -> dict[Expr, Expr]:
    own = {v.data.label: v for v in words.equations.state}
    for name in at:
        if name not in own:
            raise ExpressionError(f"{quoted(name)} is no variable of the state; there are {', '.join(own)}.")
    return {own[name]: words.expression(_exact(value)) for name, value in at.items()}


def _exact(value: Any) -> str:
    return value if isinstance(value, str) else exact_text(value)


def _manifold(
    equations: Equations,
    system: System | None,
    words: NameResolver,
    given: Mapping[Expr, Expr],
    point: Mapping[Expr, Expr],
) -> tuple[tuple[Fact, ...], tuple[Expr, ...]]:
    """Return what holds between state variables: unit vectors as facts, and all as relations."""
    if system is None:
        return (), ()
    spheres = [q for q in system.spheres if {*equations.state, *equations.reconstruction}.issuperset(q)]
    fixed = [q for q in spheres if set(q) & set(point)]
    if any(not set(q) <= set(point) for q in fixed):
        raise EvaluationError("a rotation or direction is fixed by at in all of its components, or in none.")
    facts: list[Fact] = [Sphere(q) for q in spheres if q not in fixed]
    stated = [equation.expression for equation in system.holonomic.values()]
    stated += [constraint.expression for constraint in system.constraints.values()]
    known = [f for f in stated if all(words.meaning(one) is not None for one in symbols([f]))]
    own = {*(v.data for v in equations.state), *(p.data for p in equations.parameters)}
    read = [f for f in words.all_translated(known) if own.issuperset(symbols([f]))]
    relations = [f for f in substitute(read, dict(given)) if not vanish([f], [Sphere(q) for q in spheres])]
    relations += [total([(1, e * e) for e in q]) - 1 for q in spheres]
    if not vanish(substitute(relations, dict(point)), facts):
        raise EvaluationError("coordinates obey relations here; fix all of them by at, at a point where these hold.")
    return tuple(facts), tuple(relations)
