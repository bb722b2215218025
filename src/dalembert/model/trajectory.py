"""A motion: times, states, and whatever was watched on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import ExpressionError, MissingExtra
from dalembert.model.faults import suggestion
from dalembert.model.table import Table

__all__ = ["Array", "Trajectory"]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A motion of a system, shaped as SciPy shapes it, with names.

    >>> run = Trajectory([0, 1], [[2, 3], [4, 5]], ("x", "x'"), monitors={"energy": [8, 8]})
    >>> run["x'"]
    array([4., 5.])
    >>> run["energy"]
    array([8., 8.])

    Parameters
    ----------
    t
        The times.
    y
        The states, a row for each name and a column for each time.
    names
        What each row is, as text has it: ``x``, ``x'``.
    status
        0 where the end was reached, 1 where an event ended it, negative where it failed.
    message
        What happened, in a sentence.
    dense
        The state at any time in between, if it was kept.
    events
        The times at which each event happened.
    monitors
        The values of each monitor at the times.
    provenance
        Where it comes from: system, formalism, engine, tolerances, whom to cite.
    """

    t: Array
    y: Array
    names: tuple[str, ...]
    status: int = 0
    message: str = ""
    dense: Callable[[ArrayLike], Array] | None = None
    events: Mapping[str, Array] = field(default_factory=Table)
    monitors: Mapping[str, Array] = field(default_factory=Table)
    provenance: Mapping[str, Any] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Freeze the arrays, and refuse those that do not fit."""
        for name, value in (("t", _frozen(self.t)), ("y", _frozen(self.y)), ("names", tuple(self.names))):
            object.__setattr__(self, name, value)
        for name in ("events", "monitors"):
            arrays = {key: _frozen(value) for key, value in getattr(self, name).items()}
            object.__setattr__(self, name, Table(arrays))
        object.__setattr__(self, "provenance", Table(self.provenance))
        if self.t.ndim != 1 or self.y.shape != (len(self.names), len(self.t)):
            raise ExpressionError(
                f"{len(self.names)} names and {self.t.size} times need states of that shape, not {self.y.shape}."
            )
        for name, values in self.monitors.items():
            if values.shape != self.t.shape:
                raise ExpressionError(f"the monitor '{name}' has not one value for each of {self.t.size} times.")
        taken = [*self.names, *self.monitors, "t"]
        if len(set(taken)) != len(taken):
            twice = next(name for name in taken if taken.count(name) > 1)
            raise ExpressionError(f"'{twice}' is the name of two things in a trajectory.")

    def __getitem__(self, name: str) -> Array:
        """Return the values of a state variable, of a monitor, or of time ``t``."""
        if name in self.names:
            row: Array = self.y[self.names.index(name)]
            return row
        if name in self.monitors:
            return self.monitors[name]
        if name == "t":
            return self.t
        known = suggestion(name, [*self.names, *self.monitors, "t"])
        raise ExpressionError(f"there is no '{name}' in this trajectory; {known}".removesuffix("; "))

    def __len__(self) -> int:
        """Return how many times there are."""
        return len(self.t)

    @property
    def success(self) -> bool:
        """Whether the motion was followed to its end."""
        return self.status >= 0

    @property
    def sol(self) -> Callable[[ArrayLike], Array] | None:
        """The dense output, as SciPy calls it."""
        return self.dense

    @property
    def t_events(self) -> list[Array]:
        """The times of the events, in their order, as SciPy has them."""
        return list(self.events.values())

    def to_xarray(self) -> Any:
        """Return an ``xarray.Dataset`` over time: states and monitors, with the provenance as attributes."""
        try:
            xarray = import_module("xarray")
        except ImportError:
            raise MissingExtra("to_xarray needs the package xarray, which is not installed; install it.") from None
        variables = {name: ("t", self[name]) for name in (*self.names, *self.monitors)}
        attributes = {**self.provenance, "status": self.status, "message": self.message}
        return xarray.Dataset(variables, coords={"t": self.t}, attrs=attributes)


def _frozen(values: ArrayLike) -> Array:
    """Return a copy that cannot be written to."""
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array
