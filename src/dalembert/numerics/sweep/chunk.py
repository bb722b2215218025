"""The members of a chunk, computed: a function of the plan and of which members they are, and of nothing else.

In lanes (:mod:`dalembert.numerics.ensemble`) where only given times, ends, and times of events are looked at; one by
one where a value is wanted at a time that must be found: at an event, at a maximum.

How each member ended is a small number in its store: -1 says that it is still to be computed.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.numerics import outcome
from dalembert.numerics.ensemble import Ensemble, simulate_ensemble
from dalembert.numerics.events import events_of, without_bounds
from dalembert.numerics.forms import of_rank
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.simulate import in_other_charts, motion_of, prepare, wording_of
from dalembert.numerics.sweep.observables import OF_EVENTS, OVER_TIME, Observable, Sight, of_event, over_times
from dalembert.numerics.sweep.plan import Plan, versions
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace

# -- how members end -----------------------------------------------------------------------------------------
NOT_COMPUTED: Final = -1
NO_START: Final = 8

MEANINGS: Final = {
    NOT_COMPUTED: "not computed yet",
    0: "reached the end",
    1: "an event ended the motion",
    2: "a variable grows without bound",
    3: "the steps became too small to go on",
    4: "a rate does not exist",
    5: "too many steps were taken",
    6: "implicit unknowns were not found",
    7: "the mass matrix becomes singular",
    NO_START: "there is no such start, or no such value of a parameter",
    9: "the constraints lose rank",
    10: "a coordinate leaves its declared range",
    11: "a pole of the rates is not excluded",
    12: "the motion may not be the only one from its start",
}
"""The sentence for each code."""


def code_of(status: int) -> int:
    """Return the code of the status of a motion: failures, which are negative there, follow on the good ends.

    >>> MEANINGS[code_of(outcome.SINGULAR)]
    'the mass matrix becomes singular'
    """
    return status if status in {outcome.END, outcome.EVENT} else 1 - status


# -- chunks --------------------------------------------------------------------------------------------------
Arrays = dict[str, Any]
"""What is kept of some members, by name: ``status``, ``reached``, and the observables; members first."""


@dataclass(frozen=True, eq=False)
class Ready:
    """What all members of a plan share."""

    words: NameResolver
    expressions: dict[str, Expr]
    """In the variables of the equations, by the text of each observable."""
    parameters: frozenset[str]
    """Names that are varied as parameters; the others belong to the start."""
    lanes: bool
    stops: bool
    """Whether an event may end a motion before its time."""


@lru_cache(maxsize=4)
def ready(plan: Plan) -> Ready:
    """Return what all members share; texts that cannot be read are refused here."""
    if (theirs := json.loads(plan.told["versions"])) != (mine := versions()):
        raise DalembertError(f"a worker has other versions ({_listed(mine)}) than the sweep ({_listed(theirs)}).")
    source = plan.source
    usual = {p.data.name: p.data.domain for p in source.equations.parameters}
    if source.system is not None:
        usual |= {p.data.name: p.data.domain for p in source.system.parameters}
    varied = frozenset(axis.name for axis in plan.axes if axis.name in usual)
    # a value that any parameter of its kind may have: members have their own, and those of some may be refused
    values = {**plan.values, **{name: -1.0 if usual[name] == "negative" else 1.0 for name in varied}}
    words = wording_of(source.equations, source.system, values, plan.functions)[0]
    expressions = _expressions(plan, words)
    reductions = {one.reduction for one in plan.observables}
    stops = any(event.terminal for event in events_of(dict(plan.events), words))
    located = "at" in reductions or (plan.samples is None and bool(reductions & OVER_TIME))
    located = located or (stops and plan.samples is not None)
    return Ready(words, expressions, varied, plan.engine == "native" and not located, stops)


def remarks_on(plan: Plan) -> str:
    """Return what is to be said of the events of all members: which are only sampled."""
    if not plan.events:
        return ""
    words = ready(plan).words
    events = events_of(dict(plan.events), words)
    return without_bounds(events, words.equations).sentences(events).strip()


def _listed(packages: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in packages.items())


@np.errstate(all="ignore")  # the status of a member says what became of it
def compute_chunk(plan: Plan, members: range) -> Arrays:
    """Return status, time reached and observables of some members; of what failed, the status says why."""
    shared = ready(plan)
    if not shared.lanes:
        return _one_by_one(plan, shared, members)
    starts, values = tables(plan, shared, members)
    samples = None if shared.stops else plan.samples or 2  # two: the begin and the end
    try:
        run = _ensemble(plan, starts, values, plan.time, samples)
    except EvaluationError:  # not one of the first has a start; perhaps one of the others
        return _one_by_one(plan, shared, members)
    ends = {"last": run}
    if shared.stops and any(one.reduction == "first" for one in plan.observables):
        ends["first"] = _ensemble(plan, starts, values, (plan.time[0],) * 2, None)
    found = _empty(plan, len(members))
    found["status"][:] = [code_of(int(status)) for status in run.status]
    found["reached"][:] = np.where(found["status"] == NO_START, np.nan, run.t)
    good = np.asarray(run.success)
    for one in plan.observables:
        if one.reduction in OF_EVENTS:
            row = np.array([of_event(one.reduction, times) for times in run.events[one.event]])
        elif shared.stops:
            row = ends[one.reduction].value(one.expression)
        else:
            row = over_times(one.reduction, run.value(one.expression))
        found[one.name][good] = row[good]
    return found


def tables(plan: Plan, shared: Ready, members: range) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return starts and values of parameters by name: arrays where they are varied."""
    varied = plan.varied(members)
    starts = {**plan.start, **{name: row for name, row in varied.items() if name not in shared.parameters}}
    values = {**plan.values, **{name: row for name, row in varied.items() if name in shared.parameters}}
    return starts, values


def _ensemble(plan: Plan, starts: Any, values: Any, time: tuple[float, float], samples: int | None) -> Ensemble:
    """Follow members in lanes; where the time is none at all, only as far as to their starts."""
    return simulate_ensemble(
        plan.source,
        starts,
        time,
        values=values,
        functions=plan.functions,
        tolerance=plan.tolerance,
        samples=samples,
        events=None if time[0] == time[1] else dict(plan.events),
        most_steps=plan.most_steps,
        threads=1,  # chunks run beside each other already
    )


def _empty(plan: Plan, members: int) -> Arrays:
    found: Arrays = {"status": np.full(members, NO_START, dtype=np.int8), "reached": np.full(members, np.nan)}
    for one in plan.observables:
        shape = (members, plan.samples) if one.reduction == "along" else (members,)
        found[one.name] = np.full(shape, np.nan)
    return found


# -- one by one ----------------------------------------------------------------------------------------------
def _one_by_one(plan: Plan, shared: Ready, members: range) -> Arrays:
    found = _empty(plan, len(members))
    starts, values = tables(plan, shared, members)
    source, more = plan.source, {**_more(plan), "events": dict(plan.events), "system": plan.source.system}
    for k, problem in enumerate(_problems(plan, starts, values, len(members))):
        if problem is None:
            continue
        problem, expressions = _in_rank(plan, shared, problem, member_of(starts, k), member_of(values, k))
        motion = motion_of(problem, shared.words, plan.engine)
        if expressions is shared.expressions and source.system is not None:
            try:
                other = in_other_charts(source.equations, problem, shared.words, motion, plan.engine, more)
            except EvaluationError:  # its variables end where it begins, and there are no others
                found["status"][k], found["reached"][k] = code_of(outcome.SINGULAR), motion.t[0]
                continue
            if other is not None:
                problem, motion, words, _ = other
                expressions = _expressions(plan, words)
        found["status"][k], found["reached"][k] = code_of(motion.status), motion.t[-1]
        if motion.status >= 0:
            for one in plan.observables:
                found[one.name][k] = _measured(plan, expressions, one, Sight(problem, motion))
    return found


def _more(plan: Plan) -> dict[str, Any]:
    return {"functions": plan.functions, "tolerance": plan.tolerance, "most_steps": plan.most_steps}


def _in_rank(
    plan: Plan, shared: Ready, problem: Problem, start: dict[str, Any], values: dict[str, Any]
) -> tuple[Problem, dict[str, Expr]]:
    """Return the problem of a member in the ranks that its constraints have around its start, and its observables."""
    equations = of_rank(plan.source.equations, problem, shared.words)
    if equations is plan.source.equations:
        return problem, shared.expressions
    source = replace(plan.source, equations=equations)
    problem, words, _ = prepare(source, start, plan.time, values=values, events=dict(plan.events), **_more(plan))
    return problem, _expressions(plan, words)


def _expressions(plan: Plan, words: NameResolver) -> dict[str, Expr]:
    return {one.text: words.observed(one.expression) for one in plan.observables if one.expression}


def _problems(plan: Plan, starts: dict[str, Any], values: dict[str, Any], members: int) -> list[Problem | None]:
    """Return the problem of each member, None where it has no start: starts found together, the rest as the first."""

    def alone(k: int) -> Problem | None:
        start, own = member_of(starts, k), member_of(values, k)
        try:
            return prepare(plan.source, start, plan.time, values=own, events=dict(plan.events), **_more(plan))[0]
        except EvaluationError:
            return None

    first = next((found for k in range(members) if (found := alone(k)) is not None), None)
    if first is None:
        return [None] * members
    try:
        begin = _ensemble(plan, starts, values, (plan.time[0],) * 2, None)
    except EvaluationError:
        return [alone(k) for k in range(members)]
    columns = [np.broadcast_to(begin.values[p.data.name], members) for p in first.equations.parameters]
    rows = np.array(columns).reshape(-1, members)
    guesses = np.array([begin.value(u) for u in first.equations.implicit]).reshape(-1, members)
    return [
        replace(first, start=begin.start[:, k].copy(), parameters=rows[:, k].copy(), guess=guesses[:, k].copy())
        if begin.success[k]
        else None
        for k in range(members)
    ]


def member_of(table: dict[str, Any], k: int) -> dict[str, Any]:
    """Return what a table of arrays says of one member."""
    return {name: float(value[k]) if isinstance(value, np.ndarray) else value for name, value in table.items()}


def _measured(plan: Plan, expressions: dict[str, Expr], one: Observable, sight: Sight) -> float | Array:
    """Return one observable of one motion."""
    event = list(plan.events).index(one.event) if one.event else 0
    if one.reduction in OF_EVENTS:
        return of_event(one.reduction, sight.motion.event_times[event])
    expression = expressions[one.text]
    if one.reduction == "at":
        return sight.at_event(expression, event)
    if plan.samples is None or one.reduction in {"first", "last"}:
        return sight.reduced(one.reduction, expression)
    span = sight.problem.span
    times = np.linspace(*span, plan.samples)
    values = sight.sampled(expression, times)
    if one.reduction == "along":
        return values
    return float(over_times(one.reduction, values[: np.count_nonzero(_reached(times, sight.motion))]))


def _reached(times: Array, motion: Motion) -> Any:
    begin, end = motion.t[0], motion.t[-1]
    return (times >= min(begin, end)) & (times <= max(begin, end))
