"""Linearisation: equilibria, the exact Jacobian of equations, its eigenvalues, and the flow along a motion.

Derivatives come from the graph, through linear solves and implicit unknowns; numbers are put in afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import EvaluationError, expect
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on
from dalembert.model.equations import Equations, equations_and_system, equations_in
from dalembert.model.faults import quoted
from dalembert.model.parts import State
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.field import Tape, Unsolved, all_rates, inputs_of
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import prepare, simulate
from dalembert.numerics.state_manifold import StateManifold, state_manifold
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_SMALL = 1e-8
"""Rates below this vanish, and so do real parts of eigenvalues beside the largest."""
_ITERATIONS = 100


def rates_jacobian(equations: Equations, variables: Sequence[Expr] | None = None) -> list[list[Expr]]:
    """Return d(rates)/d(variables), exact, rows by rates; variables are those of the state unless others are named.

    >>> x, y = symbol("x"), symbol("y")
    >>> rates_jacobian(Equations("saddle", "by hand", {x: y, y: x**2}))
    [[0, 1], [2*x, 0]]
    """
    expect(equations, Equations, "rates_jacobian takes equations")
    wanted = list(equations.state if variables is None else variables)
    rates = all_rates(equations)
    columns = [_along(equations, [rates[v] for v in wanted], {variable: ONE}) for variable in wanted]
    return [[column[i] for column in columns] for i in range(len(wanted))]


def _along(equations: Equations, roots: Sequence[Expr], seed: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the derivative of expressions in a direction, implicit unknowns taken along."""
    unknowns, residuals = list(equations.implicit), list(equations.implicit.values())
    if not unknowns:
        return tangent(roots, seed)
    moved = tangent(residuals, seed)
    answer = solve(jacobian(residuals, unknowns), [-m for m in moved])
    return tangent(roots, {**seed, **dict(zip(unknowns, answer, strict=True))})


@dataclass(frozen=True, slots=True, eq=False)
class Linearisation(Shown):
    """Equations near a point where nothing moves: x' = A x.

    Where state variables obey relations (holonomic constraints, the unit of a rotation), x is along these: some of the
    variables, and for a rotation R the angles ``R.theta1`` to ``R.theta3`` of a small turn about the axes of the body.
    """

    names: tuple[str, ...]
    point: Mapping[str, float]
    matrix: Array
    eigenvalues: NDArray[np.complex128]
    """Those with the largest real part first."""
    symbolic: tuple[tuple[Expr, ...], ...]
    """The Jacobian of all state variables, in the names of the equations."""
    directions: Array
    """What each of the names moves, rows by state variables: more of these than names where there are relations."""

    @property
    def stability(self) -> str:
        """What the eigenvalues say, in a sentence."""
        scale = _SMALL * max(1.0, float(np.abs(self.matrix).max(initial=0.0)))
        growth = float(self.eigenvalues.real.max(initial=-math.inf))
        if growth > scale:
            return f"unstable: something grows as exp({growth:.6g} t)."
        if growth < -scale:
            return f"asymptotically stable: everything decays at least as exp({growth:.6g} t)."
        return "not decided by the linear part: no eigenvalue has a positive real part, and not all are negative."

    @property
    def frequencies(self) -> list[float]:
        """The angular frequencies of oscillations, each once."""
        found: list[float] = []
        for value in sorted(abs(e.imag) for e in self.eigenvalues):
            if value > _SMALL and (not found or value - found[-1] > _SMALL * value):
                found.append(float(value))
        return found


def equilibrium(equations: Any, guess: Mapping[Any, Any] | None = None, **more: Any) -> dict[str, float]:
    """Return a state where no state variable moves, by Newton's method from a guess; names as in ``simulate``.

    >>> x, y = symbol("x"), symbol("y")
    >>> found = equilibrium(Equations("saddle", "by hand", {x: y, y: x**2 - 4}), {"x": 1, "y": 0.1})
    >>> {name: round(value, 9) for name, value in found.items()}
    {'x': 2.0, 'y': 0.0}

    Where equilibria are not isolated the one found is near the guess. Of a reduced system they are relative equilibria.
    """
    problem, manifold = _problem(equations, guess, more)
    _refuse_time(problem.equations)
    look = _Look(problem, manifold)
    state = problem.start[: look.size].copy()
    for _ in range(_ITERATIONS):
        rates, slopes = look.with_relations(state)
        if not (np.isfinite(rates).all() and np.isfinite(slopes).all()):
            break
        norm = float(np.linalg.norm(rates))
        step = np.linalg.lstsq(slopes, -rates, rcond=1e-11)[0]
        if np.abs(step).max(initial=0.0) <= 1e-14 * (1 + np.abs(state).max(initial=0.0)):
            if norm > _SMALL:
                break
            return {name: float(v) + 0.0 for name, v in zip(look.names, state + step, strict=True)}
        part = 1.0
        while part > 1e-6 and not float(np.linalg.norm(look.with_relations(state + part * step)[0])) < norm:
            part /= 2
        if part <= 1e-6 and norm <= 1e-13 * (1 + np.abs(slopes).max(initial=0.0)):
            return {name: float(v) + 0.0 for name, v in zip(look.names, state, strict=True)}
        state = state + part * step
    rates, _ = look(state)
    worst = int(np.argmax(np.abs(np.nan_to_num(rates, nan=np.inf))))
    raise EvaluationError(
        f"no equilibrium was found from this guess: the rate of {quoted(look.names[worst])} stays at "
        f"{rates[worst]:.3g}; guess elsewhere."
    )


def linearise(equations: Any, at: Mapping[Any, Any] | None = None, **more: Any) -> Linearisation:
    """Return the linear part of equations at an equilibrium; refused where something moves.

    >>> x, y = symbol("x"), symbol("y")
    >>> found = linearise(Equations("saddle", "by hand", {x: y, y: x**2 - 4}), {"x": 2, "y": 0})
    >>> found.eigenvalues.real.round(9), found.stability
    (array([ 2., -2.]), 'unstable: something grows as exp(2 t).')
    """
    problem, manifold = _problem(equations, at, more)
    _refuse_time(problem.equations)
    look = _Look(problem, manifold)
    state = problem.start[: look.size]
    rates, matrix = look(state)
    scale = 1 + float(np.abs(state).max(initial=0.0))
    if not (np.isfinite(matrix).all() and np.isfinite(rates).all()):
        raise EvaluationError("the equations do not exist at this point.")
    moving = [f"{quoted(n)} at {r:.3g}" for n, r in zip(look.names, rates, strict=True) if abs(r) > _SMALL * scale]
    if moving:
        raise EvaluationError(
            f"this point is not an equilibrium: {', '.join(moving)} moves; find one with equilibrium(...)."
        )
    names, columns, inverse = manifold.tangent(state)
    matrix = inverse @ matrix @ columns
    values = np.linalg.eigvals(matrix).astype(np.complex128)
    order = np.lexsort((values.imag, -values.real))
    point = dict(zip(look.names, state.tolist(), strict=True))
    return Linearisation(names, point, matrix, values[order], look.symbolic, columns)


def _problem(equations: Any, start: Mapping[Any, Any] | None, more: Mapping[str, Any]) -> tuple[Problem, StateManifold]:
    """Return the equations at a point; what is not said of it is zero, whatever [start] of the model says."""
    options = dict(more)
    plain, system = equations_and_system(equations, "linearise", options.pop("system", None))
    problem, words, _ = prepare(plain, start, 1.0, system=system and replace(system, start=State()), **options)
    return problem, state_manifold(problem, words)


def _refuse_time(equations: Equations) -> None:
    if depends_on([equations.rates()[v] for v in equations.state], [symbol(TIME)]):
        raise EvaluationError(
            "the equations contain time, so they have no equilibria; linearise along a motion instead."
        )


class _Look:
    """Rates of the state and their Jacobian at a state, the unknowns found on the way."""

    def __init__(self, problem: Problem, manifold: StateManifold) -> None:
        from dalembert.numerics.field import Field

        equations = problem.equations
        self.names = tuple(v.data.label for v in equations.state)
        self.size = len(self.names)
        slopes = rates_jacobian(equations)
        self.symbolic = tuple(map(tuple, slopes))
        roots = [equations.rates()[v] for v in equations.state]
        self._tape = Tape([*roots, *(entry for row in slopes for entry in row)], inputs_of(equations))
        self._problem, self._field, self._manifold = problem, Field(problem), manifold

    def __call__(self, state: Array) -> tuple[Array, Array]:
        """Return both; what does not exist is not a number."""
        problem = self._problem
        full = np.concatenate([state, problem.start[self.size :]])
        begin = problem.span[0]
        try:
            found = self._field.unknowns(begin, full)
        except Unsolved:
            return np.full(self.size, math.nan), np.full((self.size, self.size), math.nan)
        values = np.array(self._tape([begin, *full.tolist(), *found.tolist(), *problem.parameters.tolist()]))
        return values[: self.size], values[self.size :].reshape(self.size, self.size)

    def with_relations(self, state: Array) -> tuple[Array, Array]:
        """Return the same with the relations between state variables below the rates, which are to vanish too."""
        (rates, slopes), (values, rows) = self(state), self._manifold.look(state)
        return np.concatenate([rates, values]), np.concatenate([slopes, rows])


# -- along a motion --------------------------------------------------------------------------------------------
def flow_names(size: int) -> list[list[Expr]]:
    """Return the symbols of the matrix of the flow, by rows."""
    return [[symbol(f"flow_{i}_{j}") for j in range(1, size + 1)] for i in range(1, size + 1)]


def variational_equations(equations: Equations) -> Equations:
    """Return equations with the matrix of the flow, Phi' = (d rates/d variables) Phi, as further lift variables.

    Rows and columns are by state and lift variables, in this order. It is to begin as the unit matrix.
    """
    expect(equations, Equations, "variational_equations takes equations")
    rates = all_rates(equations)
    variables = list(rates)
    names = flow_names(len(variables))
    lift = dict(equations.reconstruction)
    columns = [
        _along(equations, list(rates.values()), dict(zip(variables, (row[j] for row in names), strict=True)))
        for j in range(len(variables))
    ]
    lift |= {names[i][j]: columns[j][i] for i in range(len(variables)) for j in range(len(variables))}
    # the recipes are of other variables
    return replace(equations, reconstruction=lift, initial_state=None, saddle_form=None, atlas=None, elsewhere=None)


def flow(
    equations: Any, start: Mapping[Any, Any] | None = None, time: Any = None, **more: Any
) -> tuple[Trajectory, Array]:
    """Return a motion and the matrices of its flow, d(variables at t)/d(variables at the begin), times last.

    Where variables obey relations only changes that keep these belong to motions (``state_manifold`` has them).
    """
    return _flow(equations, start, time, more)[:2]


def _flow(
    equations: Any, start: Mapping[Any, Any] | None, time: Any, more: dict[str, Any]
) -> tuple[Trajectory, Array, StateManifold]:
    """Return the same, and where the states lie."""
    plain, system = equations_and_system(equations, "flow", more.pop("system", None))
    options = {key: more[key] for key in ("values", "functions") if key in more}
    problem, words, _ = prepare(plain, start, time, system=system, **options)
    size = len(problem.variables)
    names = flow_names(size)
    begin = {v: float(x) for v, x in zip(problem.variables, problem.start, strict=True)}
    begin |= dict(zip(problem.equations.implicit, map(float, problem.guess), strict=True))
    begin |= {names[i][j]: float(i == j) for i in range(size) for j in range(size)}
    run = simulate(variational_equations(problem.equations), begin, problem.span, **_rest(more))
    matrices = np.array([[run[name.data.label] for name in row] for row in names]).reshape(size, size, len(run))
    return run, matrices, state_manifold(problem, words)


def _rest(more: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in more.items() if key not in {"values", "functions"}}


@dataclass(frozen=True, slots=True, eq=False)
class Monodromy(Shown):
    """The flow after one period of a periodic motion."""

    matrix: Array
    """By directions along the manifold of states, as those of a linearisation: all variables where these are free."""
    multipliers: NDArray[np.complex128]
    """The eigenvalues, the largest first."""
    miss: float
    """How far the motion is from closing; angles count modulo full turns."""

    @property
    def stability(self) -> str:
        """What the multipliers say, in a sentence."""
        largest = float(np.abs(self.multipliers).max(initial=0.0))
        if largest > 1 + 1e-4:  # a multiplier 1 comes in a Jordan block, whose error is the root of that of the matrix
            return f"unstable: something grows by the factor {largest:.6g} in each period."
        inside = int(np.sum(np.abs(self.multipliers) < 1 - 1e-4))
        if inside == len(self.multipliers) - 1:
            return (
                "orbitally asymptotically stable: all multipliers but the one along the motion are inside the circle."
            )
        return "not decided by the linear part: no multiplier is outside the unit circle, and several are on it."


def monodromy(equations: Any, start: Mapping[Any, Any] | None, period: float, **more: Any) -> Monodromy:
    """Return the matrix of the flow over a period, of the state variables; refused where the motion does not close.

    >>> from math import tau
    >>> x, y = symbol("x"), symbol("y")
    >>> turning = Equations("turning", "by hand", {x: y, y: -x})
    >>> monodromy(turning, {"x": 1, "y": 0}, tau).multipliers.round(6) + 0
    array([1.+0.j, 1.+0.j])
    """
    plain = equations_in(equations, "monodromy")
    run, matrices, manifold = _flow(equations, start, period, more)
    if not run.success:
        raise EvaluationError(f"the motion was not followed over a period: {run.message}")
    size = len(plain.state)
    begin, end = run.y[:size, 0], run.y[:size, -1]
    miss = manifold.gap(begin, end)
    if miss > 1e-5 * (1 + float(np.abs(begin).max(initial=0.0))):
        raise EvaluationError(f"the motion does not close after {period:g}: it misses its start by {miss:.3g}.")
    first = manifold.tangent(begin, run.t[0])
    last = manifold.tangent(end, run.t[-1], first.names)
    matrix = last.inverse @ matrices[:size, :size, -1] @ first.columns
    values = np.linalg.eigvals(matrix).astype(np.complex128)
    order = np.lexsort((values.imag, -np.abs(values)))
    return Monodromy(matrix, values[order], miss)
