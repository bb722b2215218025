"""A motion: times, states, and whatever was watched on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import ExpressionError, WrongKind, expect, kind_of
from dalembert.expr.graph import Expr
from dalembert.expr.vocabulary import is_name, is_part
from dalembert.model.faults import quoted, suggestion
from dalembert.model.table import Later, Table
from dalembert.records import dataclass, field, replace
from dalembert.shown import Shown

if TYPE_CHECKING:
    from dalembert.geometry.rotations import Rotations

Array: TypeAlias = NDArray[np.float64]
EVENT_KINDS = ("crossing", "touch", "interval")
"""What an event can do: pass through zero, turn back there, stay there."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Trajectory(Shown):
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
        0 if the end was reached, 1 if an event ended it, negative if it failed.
    message
        What happened, in a sentence.
    dense
        The state at any time in between, if it was kept.
    events
        The times at which each event happened.
    monitors
        The values of each monitor at the times.
    stated
        The coordinates and velocities as the user stated them, where they are not state variables themselves.
    event_states
        The states at each event, rows by names.
    event_kinds, event_values
        What each event did at its times, ``crossing``, ``touch`` (it turns back) or ``interval`` (it stays zero), and
        its value there: 0 for a crossing. Without them all are crossings.
    knots
        The ends of the steps that were taken; between them ``dense`` is smooth.
    watch
        Makes ``stated`` and ``monitors``, as two tables, of times and states; ``Later`` ones when they are read.
    provenance
        Where it comes from: system, formalism, engine, tolerances, versions; a ``Later`` table is made when it is read.
    """

    t: Array
    y: Array
    names: tuple[str, ...]
    status: int = 0
    message: str = ""
    dense: Callable[[Any], Array] | None = None
    events: Mapping[str, Array] = field(default_factory=Table)
    monitors: Mapping[str, Array] = field(default_factory=Table)
    provenance: Mapping[str, Any] = field(default_factory=Table)
    stated: Mapping[str, Array] = field(default_factory=Table)
    event_states: Mapping[str, Array] = field(default_factory=Table)
    knots: Array = field(default_factory=lambda: np.zeros(0))
    watch: Callable[[Array, Array], tuple[Mapping[str, Array], Mapping[str, Array]]] | None = None
    event_kinds: Mapping[str, tuple[str, ...]] = field(default_factory=Table)
    event_values: Mapping[str, Array] = field(default_factory=Table)

    def __post_init__(self) -> None:
        """Freeze the arrays, and refuse those that do not fit."""
        for name, value in (("t", _frozen(self.t)), ("y", _frozen(self.y)), ("names", tuple(self.names))):
            object.__setattr__(self, name, value)
        object.__setattr__(self, "knots", _frozen(self.knots))
        for name in ("events", "monitors", "stated", "event_states"):
            if not isinstance(getattr(self, name), Later):
                object.__setattr__(self, name, frozen(getattr(self, name)))
        kinds = {name: ("crossing",) * times.size for name, times in self.events.items()}
        zeros = {name: np.zeros(times.size) for name, times in self.events.items()}
        object.__setattr__(self, "event_kinds", Table({**kinds, **self.event_kinds}))
        object.__setattr__(self, "event_values", frozen({**zeros, **self.event_values}))
        for name, times in self.events.items():
            fit = len(self.event_kinds[name]) == times.size and self.event_values[name].shape == times.shape
            if not fit or not set(self.event_kinds[name]) <= set(EVENT_KINDS):
                raise ExpressionError(
                    f"the event '{name}' needs for each of its {times.size} times a value and a kind, which is one of "
                    f"{', '.join(EVENT_KINDS)}."
                )
        if not isinstance(self.provenance, Later):
            object.__setattr__(self, "provenance", Table(self.provenance))
        if self.t.ndim != 1 or self.y.shape != (len(self.names), len(self.t)):
            raise ExpressionError(
                f"{len(self.names)} names and {self.t.size} times need states of that shape, not {self.y.shape}."
            )
        for name, values in (*_made(self.monitors), *_made(self.stated)):
            if values.shape != self.t.shape:
                raise ExpressionError(f"the monitor '{name}' needs one value for each of {self.t.size} times.")
        taken = [*self.names, *self.stated, *self.monitors, "t"]
        if len(set(taken)) != len(taken):
            twice = next(name for name in taken if taken.count(name) > 1)
            raise ExpressionError(f"'{twice}' is the name of two things in a trajectory.")

    def __getitem__(self, name: str) -> Array:
        """Return the values of a state variable, a stated coordinate, a monitor, of time, or of another name.

        Other names are accelerations, lets and parameters, as :meth:`value` knows them.
        """
        expect(name, str, "a trajectory is indexed by name")
        if name in self.names:
            row: Array = self.y[self.names.index(name)]
            return row
        if name in self.stated:
            return self.stated[name]
        if name in self.monitors:
            return self.monitors[name]
        if name == "t":
            return self.t
        if is_name(name.rstrip("'")) or is_part(name.rstrip("'")):
            try:
                return self.value(name)
            except ExpressionError:
                if name.rstrip("'") in self:  # its derivative is what there is not
                    raise
        known = suggestion(name, self.labels)
        raise ExpressionError(f"there is no {quoted(name)} in this trajectory; {known}".removesuffix("; "))

    def __contains__(self, name: object) -> bool:
        """Say whether something of that name is there."""
        return name in self.labels

    def summary(self) -> str:
        """Return of what this motion is and how long it is."""
        what = " ".join(str(self.provenance[key]) for key in ("system", "formalism") if key in self.provenance)
        span = f" from t = {self.t[0]:g} to {self.t[-1]:g}" if len(self) else ""
        return f"motion{' of ' if what else ''}{what}: {', '.join(self.names)} at {len(self)} times{span}"

    def __len__(self) -> int:
        """Return how many times there are."""
        return len(self.t)

    @property
    def labels(self) -> tuple[str, ...]:
        """All that can be asked for by name."""
        return (*self.names, *self.stated, *self.monitors, "t")

    @property
    def success(self) -> bool:
        """Whether the motion was followed to its end."""
        return self.status >= 0

    @property
    def sol(self) -> Callable[[Any], Array] | None:
        """The dense output, as SciPy calls it."""
        return self.dense

    @property
    def t_events(self) -> list[Array]:
        """The times of the events, in their order, as SciPy has them."""
        return list(self.events.values())

    @property
    def y_events(self) -> list[Array]:
        """The states at the events, in their order, a row for each time, as SciPy has them."""
        return [states.T for states in self.event_states.values()]

    def value(self, expression: str | Expr) -> Array:
        """Return the values of any expression in the names of the system: accelerations, lets and parameters too.

        A trajectory from a file knows what is there by name, its parameters, and the lets of its model.

        >>> Trajectory([0, 1], [[2, 3], [4, 5]], ("x", "x'"), provenance={"values": {"k": 2}}).value("x'^2 - k*x")
        array([12., 19.])
        """
        from dalembert.model.values_of import values_of

        return values_of(self, expression)

    def rotation(self, name: str) -> Rotations:
        """Return how a body is turned along the motion: ``run.rotation("R").euler("ZXZ")`` gives Euler angles.

        Quaternions are divided by their lengths, which differ from 1 by rounding at the steps of the native engine, and
        by an error within the tolerance elsewhere.

        >>> run = Trajectory([0, 1], [[1, 0], [0, 0], [0, 0], [0, 1]], ("R.q0", "R.q1", "R.q2", "R.q3"))
        >>> run.rotation("R").matrix[-1]
        array([[-1.,  0.,  0.],
               [ 0., -1.,  0.],
               [ 0.,  0.,  1.]])
        """
        from dalembert.geometry.rotations import Rotations

        expect(name, str, "a rotation is asked for by name")
        parts = [f"{name}.q{k}" for k in range(4)]
        if not all(part in self for part in parts):
            known = [label.removesuffix(".q3") for label in self.labels if label.endswith(".q3")]
            hint = suggestion(name, known) or "this motion has none"
            raise ExpressionError(f"there is no rotation {quoted(name)} in this trajectory; {hint}.".replace("?.", "?"))
        q = np.array([self[part] for part in parts]).T
        return Rotations(q / np.linalg.norm(q, axis=1, keepdims=True))

    def at(self, times: ArrayLike) -> Trajectory:
        """Return the motion at other times, from the dense output, with all that was watched."""
        if self.dense is None:
            raise ExpressionError(
                "this trajectory has no dense output (a file does not keep it); simulate again, at the times wanted."
            )
        try:
            wanted = np.atleast_1d(np.asarray(times, dtype=np.float64))
        except (TypeError, ValueError):
            raise WrongKind(f"times must be a number or a list of numbers, not {kind_of(times)}.") from None
        first, last = (min(self._ends), max(self._ends)) if len(self) else (0.0, 0.0)
        if wanted.size and not (first <= wanted.min() and wanted.max() <= last):
            raise ExpressionError(f"the motion is known from t = {first:g} to {last:g} only.")
        y = self.dense(wanted)
        stated, monitors = self.watch(wanted, y) if self.watch is not None else (Table(), Table())
        return replace(self, t=wanted, y=y, stated=stated, monitors=monitors)

    @property
    def _ends(self) -> tuple[float, float]:
        times = self.knots if self.knots.size else self.t
        return float(times[0]), float(times[-1])

    def to_xarray(self) -> Any:
        """Return an ``xarray.Dataset`` over time: states, stated coordinates, monitors, provenance as attributes."""
        from dalembert.model.runs import to_xarray

        return to_xarray(self)

    def save(self, path: str | Path) -> None:
        """Write a file: ``.nc`` (netCDF), ``.zarr`` or ``.csv``. The dense output is not kept."""
        expect(path, str | Path, "save takes the name of a file")
        from dalembert.model.runs import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Trajectory:
        """Return the trajectory of a netCDF or Zarr file, without its dense output."""
        expect(path, str | Path, "load takes the name of a file")
        from dalembert.model.runs import load

        return load(Path(path))


def frozen(arrays: Mapping[str, ArrayLike]) -> Table[str, Array]:
    """Return a table of copies that cannot be written to."""
    return Table({name: _frozen(values) for name, values in arrays.items()})


def _made(table: Mapping[str, Array]) -> list[tuple[str, Array]]:
    """Return the entries of a table, none where they are still to be made."""
    return [] if isinstance(table, Later) else list(table.items())


def _frozen(values: ArrayLike) -> Array:
    """Return what cannot be written to: a copy, unless these are numbers that have no other owner and are frozen."""
    if isinstance(values, np.ndarray) and not (values.base is not None or values.flags.writeable):
        return np.asarray(values, dtype=np.float64)
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A motion in the stated coordinates, with its errors and the growth of small differences along it."""

    times: Array
    """Even ones of the time that was asked for, as far as the motion went."""
    path: Mapping[str, Array]
    """The stated coordinates at the times, by name."""
    begin: Mapping[str, float]
    """The stated coordinates and their velocities at the start."""
    tolerance: float
    """The error allowed per step."""
    growth: Array
    """How many times farther apart than at their start neighbouring motions are at most until each time; not a number
    where that was not measured."""
    error: Array
    """How far it was at most until each time from the same motion, followed with finer steps."""
