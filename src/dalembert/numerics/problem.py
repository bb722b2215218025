"""What an engine is given and what it gives back: arrays and expressions, no names of formalisms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.expr.symbols import Function
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.records import dataclass, field

if TYPE_CHECKING:
    from dalembert.model.holds import Hold
    from dalembert.numerics.events import Remarks

LOOKS = 4
"""Places of a step, besides its begin, at which an event without bounds is looked at first."""
MOST = 1 << 14
"""So often it is evaluated on one step at most, apart from locating what was found."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens where an expression in time, state, lift, unknowns and parameters passes through zero."""

    name: str
    expression: Expr
    direction: int = 0
    """1 where it must rise, -1 where it must fall, 0 for either."""
    terminal: bool = False
    limit: bool = False
    """Whether the motion has no meaning beyond, as where a contact lifts off; it is positive before."""
    hold: Hold | None = None
    """The condition of the equations that fails there."""


@dataclass(frozen=True, slots=True, eq=False)
class Apart:
    """Equations with unspecified functions in them, and the values of these."""

    plain: Equations
    """The equations with the values put in; those of a problem must be these."""
    equations: Equations
    definitions: Mapping[Function, tuple[tuple[Expr, ...], Expr]]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """An initial value problem, with every value a number."""

    equations: Equations
    """Unspecified functions are already replaced by their values; the symbols that remain are listed below."""
    start: Array
    """The values of ``variables`` at the begin."""
    span: tuple[float, float]
    """Begin and end; the end may lie before the begin."""
    parameters: Array
    """In the order of ``equations.parameters``."""
    guess: Array = field(default_factory=lambda: np.zeros(0))
    """Where Newton's method begins for the unknowns of ``equations.implicit``, in their order."""
    tolerance: float = 1e-10
    """Relative, and absolute with respect to 1, per step."""
    events: tuple[Event, ...] = ()
    samples: Array | None = None
    """The times at which the state is wanted; None for the steps that the engine takes."""
    largest_step: float | None = None
    most_steps: int = 10_000_000
    turns: Array | None = None
    """Whole turns to be added to the start, as ``Motion.last`` has them."""
    apart: Apart | None = None
    """The same equations with functions in them, for an engine that can call these."""
    guesses: Mapping[Expr, float] = field(default_factory=dict)
    """Coordinates of which the start had a guess, with it."""
    progress: Callable[[float], None] | None = None
    """Called now and then with the time reached, on anything that takes over a second."""

    @property
    def variables(self) -> tuple[Expr, ...]:
        """The rows of the state: state variables, then those of the lift."""
        return (*self.equations.state, *self.equations.reconstruction)


class Happening(NamedTuple):
    """What an event did at one of its times: ``crossing``, ``touch`` or ``interval``; and its value there."""

    kind: str
    value: float


class Passage(NamedTuple):
    """A place where constraints lost rank and a motion went on: when, which; how far it was moved, energy apart."""

    time: float
    names: tuple[str, ...]
    moved: float
    energy: float


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """What an engine found. ``status``: 0 end reached, 1 ended by an event, negative failed (``message`` says why)."""

    t: Array
    y: Array
    """A row for each variable, a column for each time."""
    status: int
    message: str
    dense: Callable[[Array], Array] | None
    """Rows by variables, columns by times."""
    event_times: tuple[Array, ...] = ()
    event_states: tuple[Array, ...] = ()
    """For each event: rows by variables, columns by its times."""
    event_notes: tuple[tuple[Happening, ...], ...] = ()
    """For each event what it did, by its times."""
    unknowns: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """The implicit unknowns at the times, rows by unknowns."""
    steps: int = 0
    evaluations: int = 0
    last: Callable[[], tuple[Array, Array]] | None = None
    """Gives the state at the end with whole turns of its angles apart, and these turns: more digits than ``y`` has."""
    remarks: Remarks | None = None
    """What the times of events do not say; the message has it in words."""
    corrections: tuple[float, ...] = ()
    """The largest correction of each group of ``equations.projection`` at the end of a step, relative to 1."""
    failed: Hold | None = None
    """The condition of the equations that ended it."""
    passages: tuple[Passage, ...] = ()
    """Where constraints lost rank on the way and the motion was carried on."""
