"""A sweep from a system: its equations are derived, then followed for every member, and kept in a store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dalembert.errors import expect
from dalembert.mechanics.derivation import derive
from dalembert.model.system import System
from dalembert.numerics.sweep.planning import plan_of
from dalembert.numerics.sweep.runner import Progress, Swept, run

__all__ = ["sweep"]


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
    made = plan_of(derive(system, formalism), over, observables, **plan)
    return run(made, store, workers=workers, scheduler=scheduler, progress=progress)
