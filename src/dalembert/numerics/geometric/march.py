"""Fixed steps from a start to an end, as a trajectory with names."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError, Fault, HypothesisError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.model.equations import equations_and_system
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import inputs_of
from dalembert.numerics.geometric import (
    discrete_routh,
    energy_preserving,
    lagrange_dalembert,
    lie_midpoint,
    variational,
)
from dalembert.numerics.geometric.scheme import March, Scheme, stepper
from dalembert.numerics.losses import Loss, Way
from dalembert.numerics.outcome import END, NOT_FINITE, UNSOLVED, end_reached
from dalembert.numerics.problem import Problem
from dalembert.numerics.rank import rank_watch
from dalembert.numerics.recorded import Watch
from dalembert.numerics.simulate import prepare
from dalembert.numerics.wording import NameResolver

METHODS: Mapping[str, ModuleType] = {
    module.NAME: module for module in (variational, discrete_routh, lagrange_dalembert, energy_preserving, lie_midpoint)
}
"""The integrators by name."""
_MOST = 1_000_000_000
"""Steps of a march."""


def march(
    of: Any,
    start: Mapping[Any, Any] | None = None,
    time: Any = None,
    *,
    step: float,
    method: str = variational.NAME,
    order: int = 2,
    every: int = 1,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Trajectory:
    """Return a motion in steps of fixed length.

    >>> pendulum = System.of(name="pendulum", coordinates={"a": "angle"}, lagrangian="a'^2/2 + cos(a)")
    >>> run = march(pendulum, {"a": 1}, 1000, step=0.1, every=10)
    >>> bool(np.ptp(run["energy"]) < 1e-3)
    True

    Parameters
    ----------
    of
        A system, or what was derived of it. ``energy-preserving`` and ``lie-midpoint`` take derived equations, of any
        formalism, ``discrete-routh`` those of ``routh``.
    start, time, values, functions
        As for ``simulate``.
    step
        The length of a step; it is made a little shorter or longer so that a whole number of them fits.
    method, order
        ``variational``, ``discrete-routh``, ``lagrange-dalembert``, ``energy-preserving`` or ``lie-midpoint``, of any
        even order.
    every
        How many steps lie between those that are kept.
    progress
        Called with the part that is done, between 0 and 1.
    options
        ``keeps``: for ``energy-preserving``, the name of the monitor to be kept.
    """
    problem, words, scheme = prepared(of, start, time, method, order, values=values, functions=functions, **options)
    run, steps = begin_march(problem, scheme, step)
    if every < 1:
        raise ExpressionError(f"every must be at least 1, not {every}.")
    compiled = stepper(scheme)
    times, states, ended = [run.time], [run.state.copy()], end_reached(problem.span[1])
    while run.done < steps:
        failed = compiled.march(run, min(every, steps - run.done))
        if failed:
            said = f"Newton's method did not find the step from t = {run.time:.9g}; take shorter steps."
            ended = (UNSOLVED, said)
            break
        if not np.isfinite(run.state).all():
            ended = (NOT_FINITE, f"the state is not finite at t = {run.time:.9g}; take shorter steps.")
            break
        times.append(run.time)
        states.append(run.state.copy())
        if progress is not None:
            progress(run.done / steps)
    if ended[0] == END:
        times[-1] = problem.span[1]
    t, y = np.array(times), np.array(states).T
    loss = _loss(problem, words, t, y)
    if loss is not None:
        kept = t <= loss.stop if t[-1] >= t[0] else t >= loss.stop
        t, y, ended = t[kept], y[:, kept], (loss.status, loss.message)
    return _trajectory(problem, words, scheme, t, y, ended, float(run.clock[2]))


def _loss(problem: Problem, words: NameResolver, t: Array, y: Array) -> Loss | None:
    """Return where the constraints lose rank along the states that were kept, seen on the cubics between them."""
    watch = rank_watch(words, problem.parameters, problem.tolerance)
    if watch is None or len(t) < 2:
        return None
    both = _watched(watch.meanings, problem, t, y)
    size = len(both) // 2
    return watch.look(Way(t, both[:size], both[size:]))


def prepared(
    of: Any,
    start: Mapping[Any, Any] | None,
    time: Any,
    method: str = variational.NAME,
    order: int = 2,
    **more: Any,
) -> tuple[Problem, NameResolver, Scheme]:
    """Return the problem that a method is given, what names mean in it, and the scheme."""
    if method not in METHODS:
        raise ExpressionError(f"there is no integrator '{method}'; use one of {', '.join(METHODS)}.")
    module = METHODS[method]
    options = {key: more.pop(key) for key in list(more) if key not in {"values", "functions", "tolerance"}}
    if set(options) - ({"keeps"} if module is energy_preserving else set()):
        raise ExpressionError(f"the integrator {method} has no option '{next(iter(options))}'.")
    given, system = (None, of) if isinstance(of, System) else equations_and_system(of, "march")
    derived = module in (energy_preserving, lie_midpoint, discrete_routh)
    if derived:
        if given is None:
            said = "it needs equations, with rates for all state variables"
            how = "by routh" if module is discrete_routh else "by any formalism"
            raise HypothesisError(method, [Fault(of.name, said, f"derive them, {how}")])
        equations = given
    elif system is None:
        said = "it needs a system with its Lagrangian, not equations alone"
        raise HypothesisError(method, [Fault("equations", said, "give the system, or what was derived of it")])
    else:
        equations = module.equations_of(system)
    problem, words, _ = prepare(equations, start, time, system=system, **more)
    if module is discrete_routh:
        options["system"] = system
    elif derived:
        options |= _spheres(problem, system, method)
    return problem, words, module.scheme_of(problem.equations, order, **options)


def _spheres(problem: Problem, system: System | None, method: str) -> dict[str, Any]:
    """Return the unit vectors among the variables, and what keeps velocities of directions tangent.

    The latter is known where no constraints are kept besides.
    """
    points = () if system is None else system.points
    there = [point for point in points if set(problem.variables).issuperset(point.components)]
    there.sort(key=lambda point: not point.is_rotation)
    spheres = [point.components for point in there]
    directions = [point for point in there if not point.is_rotation]
    if not directions:
        return {"spheres": spheres}
    tangents = {v: e for table in problem.equations.projection[1:] for v, e in table.items()}
    unknown = method != lie_midpoint.NAME and len(tangents) != 3 * len(directions)
    if unknown or problem.equations.saddle is not None:
        said = "it is a direction, whose unit this integrator does not keep beside what else is held"
        asked = "nothing that fails here; it is this program that asks for coordinates of a chart, or rotations"
        faults = [
            Fault(f"[coordinates] {point.name}", said, "use variational", hypothesis=asked) for point in directions
        ]
        raise HypothesisError(method, faults)
    return {"spheres": spheres, "tangents": tangents}


def begin_march(problem: Problem, scheme: Scheme, step: float) -> tuple[March, int]:
    """Return the memory of a motion at its begin, and how many steps there are."""
    begin, end = problem.span
    if not (math.isfinite(step) and step > 0):
        raise ExpressionError(f"the step must be positive, not {step}.")
    if abs(end - begin) / step > _MOST:
        said = f"steps of {step:g} from t = {begin:g} to {end:g} are {abs(end - begin) / step:.3g}"
        raise ExpressionError(f"{said}, and no more than {_MOST} are taken; take longer steps.")
    steps = max(1, round(abs(end - begin) / step)) if end != begin else 0
    length = (end - begin) / steps if steps else step
    known = _values(problem)
    sought = evaluate(list(scheme.begin.values()), Floats(known)) if scheme.begin else []
    unknowns = dict(zip(scheme.begin, sought, strict=True))
    first = np.array([float(unknowns[u]) for u in scheme.residuals])
    if scheme.name == energy_preserving.NAME and not first[: len(scheme.state)].any():
        raise EvaluationError(
            "all rates vanish at the start, where a discrete gradient does not exist; start elsewhere."
        )
    return stepper(scheme).begin(begin, problem.start, problem.parameters, first, length), steps


def _values(problem: Problem) -> dict[Expr, float]:
    """Return the value of everything at the begin."""
    equations = problem.equations
    values = {symbol(TIME): problem.span[0]}
    values |= dict(zip(problem.variables, map(float, problem.start), strict=True))
    values |= dict(zip(equations.parameters, map(float, problem.parameters), strict=True))
    return values | dict(zip(equations.implicit, map(float, problem.guess), strict=True))


def _trajectory(
    problem: Problem, words: NameResolver, scheme: Scheme, t: Array, y: Array, ended: tuple[int, str], length: float
) -> Trajectory:
    """Return states as a trajectory, with all that can be watched in them."""
    equations = problem.equations
    names = tuple(v.data.label for v in problem.variables)
    watch = _Stepped(problem, words)
    stated, monitors = watch(t, y)
    provenance = {
        "system": equations.system,
        "formalism": equations.formalism,
        "integrator": scheme.name,
        "order": scheme.order,
        "step": length,
        "span": list(problem.span),
        "start": dict(zip(names, problem.start.tolist(), strict=True)),
        "values": {p.data.name: float(v) for p, v in zip(equations.parameters, problem.parameters, strict=True)},
        "cites": list(METHODS[scheme.name].CITES),
    }
    return Trajectory(
        t,
        y,
        names,
        *ended,
        monitors=monitors,
        provenance=provenance,
        stated=stated,
        watch=watch,
    )


class _Stepped(Watch):
    """What is watched along fixed steps: implicit unknowns are found from one state to the next."""

    def __init__(self, problem: Problem, words: NameResolver) -> None:
        super().__init__(problem, words, None)

    def _found(self, t: Array, y: Array) -> Array:
        return _watched(list(self.unknowns.values()), self.problem, t, y)


def _watched(roots: list[Expr], problem: Problem, t: Array, y: Array) -> Array:
    """Return the values of expressions along a motion, implicit unknowns found from one state to the next."""
    equations = problem.equations
    function = observe_function("@watch", roots, inputs_of(equations), equations.implicit)
    watch = Machine([function]).function("watch", ctypes.c_int32, [ctypes.c_void_p] * 5)
    unknowns, parameters = np.array(problem.guess, dtype=np.float64), np.array(problem.parameters, dtype=np.float64)
    values = np.zeros((len(t), len(roots)))
    times, states = np.ascontiguousarray(t), np.ascontiguousarray(y.T)
    for k in range(len(t)):
        places = (times[k:].ctypes, states[k].ctypes, parameters.ctypes, unknowns.ctypes, values[k].ctypes)
        watch(*(place.data for place in places))
    return values.T
