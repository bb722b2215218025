"""A store read back: the plan that filled it, and the whole motion of one of its members."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import DalembertError
from dalembert.model.faults import suggestion
from dalembert.model.stored_form import is_graph, read_back
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep.axes import read_axis
from dalembert.numerics.sweep.chunk import member_of, ready, tables
from dalembert.numerics.sweep.equations_json import equations_from_text
from dalembert.numerics.sweep.observables import read_observable
from dalembert.numerics.sweep.plan import Plan, Source
from dalembert.numerics.sweep.store import attributes_of

__all__ = ["plan_from", "retrace"]


def plan_from(path: str | Path) -> Plan:
    """Return the plan of a store. The frames that a formalism could change to are not in it."""
    told = attributes_of(Path(path))
    read = {key: json.loads(told[key]) for key in told if key not in _TEXTS}
    model = told["model"]  # or the equations once more, where there was no system
    system = read_back(model) if is_graph(model) or not model.startswith("{") else None
    events = dict(read["events"])
    return Plan(
        Source(equations_from_text(told["equations"]), system),
        tuple(read_axis(text) for text in read["axes"]),
        tuple(read_observable(f"{name}: {text}", events) for name, text in read["observables"]),
        events,
        time=tuple(read["time"]),
        start=read["start"],
        values=read["values"],
        functions=read["functions"],
        engine=told["engine"],
        tolerance=read["tolerance"],
        samples=read["samples"],
        count=read["count"],
        seed=read["seed"],
        most_steps=read["steps"],
        size=math.prod(read["chunk"]),
    )


_TEXTS = ("dalembert", "system", "formalism", "model", "engine", "equations", "coordinates")


def retrace(path: str | Path, **where: int) -> Trajectory:
    """Return the whole motion of one member, followed again: its message says why it failed, if it did.

    ``where`` counts along the dimensions of the store from 0; those with a prime in their name go by
    ``**{"x'": 3}``.

    >>> from tempfile import mkdtemp
    >>> from dalembert import System, sweep
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 10}, lagrangian="z'^2/2 - g*z")
    >>> store = Path(mkdtemp()) / "fall.zarr"
    >>> _ = sweep(fall, "euler-lagrange", over=["g=1,2,3", "z=0,1"], observables="end: z", time=1, store=store)
    >>> round(float(retrace(store, g=1, z=0)["z"][-1]), 9)
    -1.0
    """
    plan = plan_from(path)
    unknown = next((name for name in where if name not in plan.dimensions), None)
    if unknown is not None:
        raise DalembertError(f"the sweep has no dimension '{unknown}'; {suggestion(unknown, plan.dimensions)}")
    index = [where.get(name, 0) for name in plan.dimensions]
    for name, place, length in zip(plan.dimensions, index, plan.shape, strict=True):
        if not 0 <= place < length:
            raise DalembertError(f"the index along {name} must be from 0 to {length - 1}, not {place}.")
    member = int(np.ravel_multi_index(index, plan.shape))
    start, values = (member_of(table, 0) for table in tables(plan, ready(plan), range(member, member + 1)))
    more: dict[str, Any] = {"functions": plan.functions, "events": dict(plan.events), "most_steps": plan.most_steps}
    return simulate(plan.source, start, plan.time, values=values, engine=plan.engine, tolerance=plan.tolerance, **more)
