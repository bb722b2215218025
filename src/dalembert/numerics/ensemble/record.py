"""What came of many motions at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.model.table import Table
from dalembert.model.trajectory import Array

__all__ = ["Ensemble"]


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Motions of one system from many starts, with many values of its parameters.

    Parameters
    ----------
    names
        What each row of ``y`` is: state variables, then those of the lift.
    t
        The time each member reached.
    y
        The state there, a row for each name and a column for each member.
    status, messages
        How each member ended, as for a single motion, and the sentence for it.
    times, samples
        The times at which states were asked for, and the states: names by members by times; what a member did not
        reach is not a number.
    observables
        The values of each observable: by members, or by members and times where times were asked for.
    events
        For each event a tuple with the times at which it happened to each member.
    event_kinds, event_values
        Likewise what each event did there, as for a single motion, and its value.
    steps
        How many steps each member took.
    start, values
        The states at the begin, shaped as ``y``; the values of parameters, by name.
    observe
        Makes the values of any expression.
    provenance
        Where it comes from.
    """

    names: tuple[str, ...]
    t: Array
    y: Array
    status: Any
    messages: tuple[str, ...]
    times: Array
    samples: Array
    start: Array
    values: Mapping[str, Array]
    steps: Any
    observe: Callable[[str | Expr], Array]
    observables: Mapping[str, Array] = field(default_factory=Table)
    events: Mapping[str, tuple[Array, ...]] = field(default_factory=Table)
    provenance: Mapping[str, Any] = field(default_factory=Table)
    event_kinds: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=Table)
    event_values: Mapping[str, tuple[Array, ...]] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for array in (self.t, self.y, self.status, self.times, self.samples, self.start, self.steps):
            array.setflags(write=False)
        for name in ("values", "observables", "events", "provenance", "event_kinds", "event_values"):
            object.__setattr__(self, name, Table(getattr(self, name)))

    def __len__(self) -> int:
        """Return how many members there are."""
        return len(self.t)

    @property
    def success(self) -> Any:
        """Which members were followed to their end, or to an event that ends them."""
        return self.status >= 0

    def failures(self) -> dict[int, str]:
        """Return the sentence for each member that failed."""
        return {int(i): self.messages[i] for i in np.flatnonzero(~self.success)}

    def __getitem__(self, name: str) -> Array:
        """Return an observable, a variable, or whatever the name means in the model."""
        if name in self.observables:
            return self.observables[name]
        if name in self.names:
            row = self.names.index(name)
            found: Array = self.samples[row] if self.times.size else self.y[row]
            return found
        return self.value(name)

    def value(self, expression: str | Expr) -> Array:
        """Return the values of an expression in the names of the model, where each member ended or at the times."""
        return self.observe(expression)

    def __repr__(self) -> str:
        """Say what it is in a line."""
        failed = int(np.sum(~self.success))
        return f"<{len(self)} motions of {self.provenance.get('system', 'a system')}, {failed} failed>"
