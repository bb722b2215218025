"""A sweep from a system: its equations are derived, then followed for every member, and kept in a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from dalembert.errors import DalembertError, EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.mechanics.derivation import derive, derived_once
from dalembert.model.faults import suggestion
from dalembert.model.sizes import MOST_MEMBERS, MOST_SAMPLES, MOST_STEPS, refuse_more
from dalembert.model.system import System
from dalembert.numerics.engines import ENGINES
from dalembert.numerics.simulate import prepare
from dalembert.numerics.specialise import number_of
from dalembert.numerics.start_values import by_parts, named
from dalembert.numerics.sweep.axes import Axis, read_axes
from dalembert.numerics.sweep.chunk import Ready, member_of, ready, tables
from dalembert.numerics.sweep.observables import read_observables
from dalembert.numerics.sweep.plan import SAMPLE, TIMES, Plan, Source
from dalembert.numerics.sweep.runner import Progress, Swept, run


def sweep(
    system: System,
    formalism: str,
    *,
    over: Any,
    observables: Any = (),
    store: str | Path,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Callable[[Progress], None] | None = None,
    **plan: Any,
) -> Swept:
    """Return what became of a sweep over parameters and starts; one that was interrupted goes on where it was.

    >>> from tempfile import mkdtemp
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 10}, lagrangian="z'^2/2 - g*z")
    >>> done = sweep(fall, "euler-lagrange", over=["g=1,2,3", "z'=0:10:11"], observables=["z", "top: max(z)"],
    ...              time=1, store=Path(mkdtemp()) / "fall.zarr")
    >>> float(done.to_xarray()["top"].sel({"g": 1, "z'": 1}).round(9))
    0.5

    Parameters
    ----------
    system, formalism
        What is derived, as :func:`dalembert.derive` takes them.
    over
        Axes: ``["m=1:2:50", "x'=0.1,0.2", "J~uniform(0.1, 1)"]``, or by name ``{"m": [1, 2], "J": "~normal(1, 1)"}``.
    observables, events
        What is kept, as texts, by name or in a list: see :mod:`dalembert.numerics.sweep.observables`.
    store
        The folder of the Zarr store; it is made, or gone on with where its plan is the same.
    workers, scheduler
        How many threads; or the address of a Dask scheduler, whose workers are used instead.
    progress
        Called at the begin and after each chunk.
    plan
        ``time``, ``start``, ``values``, ``functions``, ``engine``, ``tolerance``, ``most_steps`` as for ``simulate``;
        ``samples`` (even times), ``count`` and ``seed`` of what is sampled, ``size`` of a chunk in members.
    """
    expect(system, System, "sweep takes a system")
    derived = derived_once if scheduler is None else derive  # workers get whole equations, recipes and all
    made = plan_of(derived(system, formalism), over, observables, **plan)
    return run(made, store, workers=workers, scheduler=scheduler, progress=progress)


# -- from what a user says to a plan -------------------------------------------------------------------------
# From what a user says to a plan: texts are read, and what cannot be is refused before anything is computed.
_MOST_DRAWN: Final = 100_000_000
"""Samples, which are drawn and written before anything is followed."""
_TAKEN: Final = ("status", "reached")


def plan_of(
    equations: Any,
    over: Any,
    observables: Any,
    *,
    system: System | None = None,
    events: Any = None,
    start: Mapping[str, Any] | None = None,
    values: Mapping[str, Any] | None = None,
    functions: Mapping[str, Any] | None = None,
    engine: str | None = None,
    tolerance: float | None = None,
    samples: int | None = None,
    time: Any = None,
    **more: Any,
) -> Plan:
    """Return the plan of a sweep; what is not said comes from [run] of the model.

    ``over`` are axes as texts or by name (:mod:`dalembert.numerics.sweep.axes`), ``observables`` and ``events`` texts
    (:mod:`dalembert.numerics.sweep.observables`); ``more`` are count, seed, size and most_steps.
    """
    source = Source.of(equations, system)
    run = source.system.run if source.system is not None else None
    if run is not None:
        engine = engine or run.engine
        tolerance = number_of(run.tolerance) if tolerance is None and run.tolerance is not None else tolerance
    asked = dict(events) if isinstance(events, Mapping) else {one: one for one in _texts(events)}
    watched = {**({} if run is None else run.events), **asked}
    plan = Plan(
        source,
        read_axes(over),
        read_observables(observables, watched),
        watched,
        start=_table(by_parts(start or {}, source.system, number_of)),
        values=_table(values),
        functions=_table(functions),
        engine=engine or "native",
        tolerance=tolerance,
        samples=samples,
        **more,
    )
    _refuse_sizes(plan)
    _refuse_names(plan)
    shared = ready(plan)
    for axis in plan.axes:
        _refuse_axis(axis, plan, shared)
    return replace(plan, time=_span(plan, shared, time))


def _texts(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else [str(one) for one in given or ()]


def _table(given: Mapping[Any, Any] | None) -> dict[str, Any]:
    """Return values as texts and numbers, which a store can tell."""
    return {
        key.data.label if isinstance(key, Expr) else str(key): _plain(value) for key, value in (given or {}).items()
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Expr):
        return text(value)
    if isinstance(value, tuple | list):  # formal arguments and value of a function
        return [_plain(part) for part in value]
    if isinstance(value, str | int | float):
        return value
    try:
        return number_of(value)
    except ExpressionError as fault:
        raise ExpressionError(f"{value!r} is neither a number nor a text: {fault}") from None


def _refuse_sizes(plan: Plan) -> None:
    drawn = [axis.name for axis in plan.axes if axis.sampled]
    if not plan.axes:
        raise DalembertError("no axis given; give at least one, as m=1:2:50 or m~uniform(1, 2).")
    if drawn and plan.count is None:
        raise DalembertError(f"no number of samples given for {', '.join(drawn)}; give a count.")
    if plan.count is not None and not drawn:
        raise DalembertError("a count is given, but nothing is sampled; write an axis as name~uniform(a, b).")
    for name, number, least, most in (
        ("the count of samples that are drawn", plan.count, 1, _MOST_DRAWN),
        ("the size of a chunk", plan.size, 1, MOST_MEMBERS),
        ("the number of samples", plan.samples, 2, MOST_SAMPLES),
        ("most_steps", plan.most_steps, 1, MOST_STEPS),
        ("the number of members, all combinations of what is varied,", plan.members, 1, MOST_MEMBERS),
    ):
        if number is not None:
            refuse_more(name, number, least, most)
    if plan.seed < 0:
        raise DalembertError(f"the seed must not be negative; it is {plan.seed}.")
    if plan.samples is None and (along := [one.name for one in plan.observables if one.reduction == "along"]):
        raise DalembertError(f"'{along[0]}' is kept along the motion; give the number of times as samples.")


def _refuse_names(plan: Plan) -> None:
    if not plan.observables:
        raise DalembertError("no observable given; give at least one expression or event.")
    taken = list(_TAKEN)
    taken += [SAMPLE] if plan.count is not None else []
    taken += [TIMES] if plan.samples is not None else []
    names = [*taken, *(axis.name for axis in plan.axes), *(one.name for one in plan.observables)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ExpressionError(f"'{twice}' would be the name of two things in the store; name one, as 'name: {twice}'.")


def _refuse_axis(axis: Axis, plan: Plan, shared: Ready) -> None:
    """Refuse a name that nothing has, one that is given a value besides, and values that a parameter cannot have."""
    if axis.name in plan.start or axis.name in plan.values:
        raise ExpressionError(f"{axis.name} is given one value and varied as well; leave one of them out.")
    words = shared.words
    if axis.name not in shared.parameters:
        try:
            named(axis.name, words)
        except ExpressionError:
            known = [v.data.label for v in words.variables]
            known += [one.data.label for q in words.coordinates for one in (q, q.dot)]
            known += [] if words.system is None else [speed.data.name for speed in words.system.speeds]
            known += [p.data.name for p in words.equations.parameters]
            hint = suggestion(axis.name, dict.fromkeys(known))
            said = f"{axis.name} is varied, but is neither a parameter nor a start value here; {hint}"
            raise ExpressionError(said.removesuffix("; ")) from None
        return
    domain = next((p.data.domain for p in words.equations.parameters if p.data.name == axis.name), "real")
    least, most = (float(axis.values.min()), float(axis.values.max())) if not axis.sampled else axis.numbers
    if axis.kind == "normal":
        return  # some of its values may not fit; the status of those members says so
    if (domain == "positive" and least <= 0) or (domain == "negative" and most >= 0):
        raise EvaluationError(
            f"'{axis.text}' has values that are not {domain}, as the equations assume of {axis.name}."
        )


def _span(plan: Plan, shared: Ready, time: Any) -> tuple[float, float]:
    """Return begin and end of all motions, by trying some members; what is wrong with all of these is refused."""
    if plan.engine not in ENGINES:
        raise DalembertError(f"there is no engine '{plan.engine}'; use one of {', '.join(ENGINES)}.")
    spans: list[tuple[float, float]] = []
    fault: EvaluationError | None = None
    for k in sorted({0, plan.members // 2, plan.members - 1}):
        starts, values = (member_of(table, 0) for table in tables(plan, shared, range(k, k + 1)))
        told: dict[str, Any] = {"tolerance": plan.tolerance, "events": dict(plan.events), "functions": plan.functions}
        try:
            spans.append(prepare(plan.source, starts, time, values=values, **told)[0].span)
        except EvaluationError as refusal:
            fault = fault or refusal
    if not spans:
        assert fault is not None
        raise fault
    if len(set(spans)) > 1:
        raise DalembertError("the integration time depends on what is varied; give one time for all members.")
    return spans[0]
