"""What is kept of a motion: ``energy``, ``max(x)``, ``mean(x'^2)``, ``along(y)``, ``at(x, top)``; or ``name: text``.

========================  ======================================================================
``e``, ``last(e)``        the value of an expression at the end
``first(e)``              at the begin
``max(e)``, ``min(e)``    its largest and least value over the motion
``mean(e)``               its average over time
``along(e)``              its values at evenly spaced times; needs ``samples``
``at(e, event)``          its value where an event happens first
``time(event)``           when an event happens first
``count(event)``          how often it happens
========================  ======================================================================

The last two are kept of every event that is given. Where there are ``samples`` the largest, least and average values
are those over these times; else they are those of the motion itself, from its dense output.

The largest and least value are looked for between the steps in the dense output, down to rounding; the average is the
integral over it by the rule of Gauss, step by step, divided by the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr
from dalembert.model.faults import suggestion
from dalembert.model.trajectory import Array
from dalembert.numerics.problem import Motion, Problem
from dalembert.numerics.quadrature import collocation, gauss_nodes
from dalembert.numerics.recorded import Watch
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, field, replace

_MEANING: Final = {
    "last": "{e} at the end",
    "first": "{e} at the start",
    "max": "largest value of {e} over the motion",
    "min": "least value of {e} over the motion",
    "mean": "average of {e} over the time of the motion",
    "along": "{e} at evenly spaced times",
    "at": "{e} where the event '{event}' happens first",
    "time": "time at which the event '{event}' happens first",
    "count": "how often the event '{event}' happens",
}
OVER_TIME: Final = frozenset({"max", "min", "mean"})
OF_EVENTS: Final = ("time", "count")


@dataclass(frozen=True, slots=True)
class Observable:
    """One number, or one row of numbers, that is kept of each motion."""

    name: str
    reduction: str
    expression: str = ""
    event: str = ""

    @property
    def meaning(self) -> str:
        """What it is, in words."""
        return _MEANING[self.reduction].format(e=self.expression, event=self.event)

    @property
    def text(self) -> str:
        """What states it, without its name."""
        inside = ", ".join(part for part in (self.expression, self.event) if part)
        return f"{self.reduction}({inside})"


def read_observable(text: str, events: Iterable[str] = ()) -> Observable:
    """Return the observable that a text states; ``events`` are the names of those that may be meant.

    >>> read_observable("height: max(x)")
    Observable(name='height', reduction='max', expression='x', event='')
    >>> read_observable("x^2 + 1").text
    'last(x^2 + 1)'
    """
    name, colon, rest = text.partition(":")
    stated = rest.strip() if colon else text.strip()
    name = name.strip() if colon else stated.replace("/", "|")  # in a store a stroke would begin a folder
    if not stated or not name:
        raise ExpressionError(f"'{text}' has no expression to observe; write an expression, or name: expression.")
    if "/" in name or name.startswith((".", "__")) or name == "zarr.json":
        raise ExpressionError(f"'{name}' cannot be a name in a store; begin with a letter, and leave out '/'.")
    word, inside = _taken_apart(stated)
    if word not in {"at", *OF_EVENTS}:
        return Observable(name, word, inside)
    expression, event = ("", inside) if word in OF_EVENTS else _split(inside, stated)
    if event not in (known := list(events)):
        raise ExpressionError(f"'{text}' is of the event '{event}', which is not given; {suggestion(event, known)}")
    return Observable(name, word, expression, event)


def read_observables(given: Any, events: Mapping[str, str]) -> tuple[Observable, ...]:
    """Return observables from texts, or from texts by name; count and time of each event come of themselves."""
    if isinstance(given, str):
        given = [given]
    texts = [f"{name}: {text}" for name, text in given.items()] if isinstance(given, Mapping) else list(given or ())
    stated = [read_observable(str(text), events) for text in texts]
    told = {one.text for one in stated}
    own = [Observable(f"{word}({event})".replace("/", "|"), word, "", event) for event in events for word in OF_EVENTS]
    return (*stated, *(one for one in own if one.text not in told))


def _taken_apart(stated: str) -> tuple[str, str]:
    """Return the reduction and what is in its parentheses; a bare expression is wanted at the end."""
    word, opened, rest = stated.partition("(")
    word = word.strip()
    if word not in _MEANING or not opened:
        return "last", stated
    depth = 1
    for place, sign in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth == 0:
            if rest[place + 1 :].strip():
                break
            if not rest[:place].strip():
                raise ExpressionError(f"'{stated}' has empty parentheses.")
            return word, rest[:place].strip()
    raise ExpressionError(f"in '{stated}' the reduction {word}(...) must stand alone, around the whole expression.")


def _split(inside: str, stated: str) -> tuple[str, str]:
    """Return expression and event of ``at``."""
    expression, comma, event = inside.rpartition(",")
    if not comma or not expression.strip() or not event.strip():
        raise ExpressionError(f"'{stated}' must have the form at(expression, event).")
    return expression.strip(), event.strip()


# -- motions made into numbers -------------------------------------------------------------------------------
_NODES: Final = gauss_nodes(5)
_WEIGHTS: Final = collocation(_NODES)[1]
_ROUNDS, _PLACES = 5, 129
"""Each round leaves 1/64 of where the largest value can be; after five the value is known to rounding."""


def over_times(reduction: str, values: Array) -> Array:
    """Return what a reduction makes of values at even times, times last; averages are by the trapezoidal rule.

    >>> over_times("max", np.array([[1.0, 3.0, 2.0]]))
    array([3.])
    """
    reduced: Array
    match reduction:
        case "first":
            reduced = values[..., 0]
        case "last":
            reduced = values[..., -1]
        case "max":
            reduced = values.max(axis=-1)
        case "min":
            reduced = values.min(axis=-1)
        case "mean":
            inner = values[..., 1:-1].sum(axis=-1) + (values[..., 0] + values[..., -1]) / 2
            reduced = inner / (values.shape[-1] - 1) if values.shape[-1] > 1 else values[..., 0]
        case _:
            reduced = values
    return reduced


def of_event(reduction: str, times: Array) -> float:
    """Return when an event happened first, or how often it did."""
    if reduction == "count":
        return float(len(times))
    return float(times[0]) if len(times) else float("nan")


@dataclass(frozen=True, eq=False)
class Sight:
    """One motion, and the values of expressions along it."""

    problem: Problem
    motion: Motion
    _watches: dict[Expr, Watch] = field(default_factory=dict, init=False, repr=False)
    """Made once for each expression: to locate a value it is asked for many times."""

    def __call__(self, expression: Expr, times: Array) -> Array:
        """Return the values of an expression, in the variables of the equations, at times that were reached."""
        assert self.motion.dense is not None
        if expression not in self._watches:
            equations = replace(self.problem.equations, monitors={"it": expression}, configuration={})
            problem = replace(self.problem, equations=equations)
            self._watches[expression] = Watch(problem, NameResolver(equations), self.motion)
        at = np.atleast_1d(np.asarray(times, dtype=np.float64))
        return next(reversed(list(self._watches[expression](at, self.motion.dense(at))[1].values())))

    def sampled(self, expression: Expr, times: Array) -> Array:
        """Return the values at times, not a number where the motion had ended."""
        begin, end = self.motion.t[0], self.motion.t[-1]
        found = np.full(times.shape, np.nan)
        reached = (times >= min(begin, end)) & (times <= max(begin, end))
        if reached.any():
            found[reached] = self(expression, times[reached])
        return found

    def reduced(self, reduction: str, expression: Expr) -> float:
        """Return what a reduction makes of the whole motion."""
        knots = self.motion.t
        if reduction in {"first", "last"} or len(knots) < 2:
            return float(self(expression, knots[:1] if reduction == "first" else knots[-1:])[0])
        lengths = np.diff(knots)
        inner = knots[:-1, None] + lengths[:, None] * _NODES
        if reduction == "mean":
            values = self(expression, inner.ravel()).reshape(inner.shape)
            return float((values @ _WEIGHTS) @ lengths / (knots[-1] - knots[0]))
        times = np.append(np.column_stack([knots[:-1], inner]).ravel(), knots[-1])
        sign = 1.0 if reduction == "max" else -1.0
        return sign * self._largest(expression, sign, times)

    def _largest(self, expression: Expr, sign: float, times: Array) -> float:
        values = sign * self(expression, times)
        best = float(values.max())
        for _ in range(_ROUNDS):
            k = int(values.argmax())
            low, high = times[max(k - 1, 0)], times[min(k + 1, len(times) - 1)]
            times = np.linspace(low, high, _PLACES)
            values = sign * self(expression, times)
            best = max(best, float(values.max()))
        return best

    def at_event(self, expression: Expr, event: int) -> float:
        """Return the value where an event happens first, not a number where it does not."""
        times = self.motion.event_times[event]
        return float(self(expression, times[:1])[0]) if len(times) else float("nan")
