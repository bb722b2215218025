"""Events by text: ``"x = 0"``, ``"x' rising"``, ``"r = 1 falling stop"``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from itertools import islice
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr
from dalembert.model.equations import Equations
from dalembert.model.faults import suggestion
from dalembert.model.kept import Kept
from dalembert.model.parts import EVENT_WORDS, told_of_event
from dalembert.model.reactions import multipliers_in
from dalembert.model.sizes import MOST_EVENTS
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.jets import reached
from dalembert.numerics.outcome import only_sampled, partly_sampled, sampled_too_much, touched, zero_since
from dalembert.numerics.problem import Event
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, field

_KEPT = Kept()


def events_of(given: Any, words: NameResolver) -> tuple[Event, ...]:
    """Return events from a table of texts by name, or from a list of texts and records; each text names itself.

    Behind them come the stops of the system.
    """
    asked = _asked(given, words)
    stops = stops_of(words)
    clash = next((event.name for event in stops if any(one.name == event.name for one in asked)), None)
    if clash is not None:
        raise ExpressionError(f"'{clash}' is a stop of the system; rename the event.")
    return (*asked, *stops)


def stops_of(words: NameResolver) -> tuple[Event, ...]:
    """Return what ends a motion of the system: its stops, and a loss of what forces and reactions determine."""
    system = words.system
    if system is None:
        return ()
    told = dict(system.stops)
    if system.jam is not None:
        names = ", ".join(multipliers_in(system, [*system.reactions, *system.balances]).values())
        told[f"friction leaves the force of {names} undetermined (Painleve paradox)"] = system.jam
    return tuple(Event(name, words.translated(one), -1, terminal=True, limit=True) for name, one in told.items())


def guards_of(equations: Equations, tolerance: float) -> tuple[Event, ...]:
    """Return what ends every motion of equations: the failures of the conditions under which they hold.

    Where rates have no Lipschitz bound it is a surrounding of the place, as wide as the root of the tolerance.
    """

    def make() -> tuple[Event, ...]:
        return tuple(
            Event("", one.expression, -one.signed, terminal=True, hold=one)
            if one.power is None
            else Event("", one.expression**2 - Fraction(tolerance), -1, terminal=True, hold=one)
            for one in equations.holds_where
        )

    found: tuple[Event, ...] = _KEPT(equations)(("guards", tolerance), make)
    return found


def _asked(given: Any, words: NameResolver) -> tuple[Event, ...]:
    if given is None:
        return ()
    if isinstance(given, str | Expr | Event):
        given = [given]
    if isinstance(given, Iterable) and not isinstance(given, Mapping):
        given = list(islice(given, MOST_EVENTS + 1))
    if isinstance(given, Mapping | list) and len(given) > MOST_EVENTS:
        raise ExpressionError(f"a motion can be watched for at most {MOST_EVENTS} events.")
    if isinstance(given, Mapping):
        return tuple(_event(str(name), what, words) for name, what in given.items())
    if not isinstance(given, Iterable):
        raise ExpressionError(f"events must be texts, by name or in a list, not {given!r}.")
    events = tuple(_event(_name(what), what, words) for what in given)
    names = [event.name for event in events]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ExpressionError(f"two events are called '{twice}'; rename one of them.")
    return events


def watched(given: Any, system: System | None) -> Any:
    """Return the events that are asked for after those of [run], of which one gives way to another of its name."""
    own = {} if system is None else dict(system.run.events)
    if not own or given is None:
        return own or given
    if isinstance(given, Mapping):
        return {**own, **given}
    several = [given] if isinstance(given, str | Expr | Event) else given
    if not isinstance(several, Iterable):
        return given  # which is then refused
    listed = list(islice(several, MOST_EVENTS + 1))
    asked = {_name(what): what for what in listed}
    return {**own, **asked} if len(asked) == len(listed) else listed


def _name(what: Any) -> str:
    return what.name if isinstance(what, Event) else str(what)


def _event(name: str, what: Any, words: NameResolver) -> Event:
    if isinstance(what, Event):
        return Event(name, words.translated(what.expression), what.direction, what.terminal)
    if isinstance(what, Expr):
        return Event(name, words.translated(what))
    return read_event(name, str(what), words)


def read_event(name: str, text: str, words: NameResolver) -> Event:
    """Return the event of a text: an expression or an equation, then how it is passed, then whether it ends the motion.

    Without ``rising`` or ``falling`` either will do; ``stop`` ends the motion there.
    """
    expression, told = told_of_event(text)
    parts = expression.split()
    if len(set(told)) != len(told) or {"rising", "falling"} <= set(told):
        raise ExpressionError(
            f"the event '{name}' gives its direction or stop twice; give rising or falling, and stop, once."
        )
    last = parts[-1] if parts else ""
    if len(parts) > 1 and last.isalpha() and last not in words.vocabulary and parts[-2][-1:].isalnum():
        hint = suggestion(last, EVENT_WORDS)
        raise ExpressionError(f"the event '{name}' ends in '{last}', which is not rising, falling or stop; {hint}")
    direction = 1 if "rising" in told else -1 if "falling" in told else 0
    try:
        return Event(name, words.difference(expression), direction, "stop" in told)
    except ExpressionError as fault:
        raise ExpressionError(f"event '{name}': {fault}") from None


# -- what the times of events do not say ---------------------------------------------------------------------
# What the times of events do not say by themselves: which only touch, which stay zero, which were only sampled.
@dataclass(frozen=True)
class Remarks:
    """By the place of an event: times and values of touches, since when it is zero; then those without bounds."""

    touches: Mapping[int, Sequence[tuple[float, float]]] = field(default_factory=dict)
    zero: Mapping[int, float] = field(default_factory=dict)
    blind: AbstractSet[int] = frozenset()
    """Those that were sampled on every step."""
    unsettled: AbstractSet[int] = frozenset()
    """Those that were sampled on some steps."""
    crowded: AbstractSet[int] = frozenset()
    """Those that asked for more samples of a step than are taken."""

    def sentences(self, events: Sequence[Event]) -> str:
        """Return what is to be said, each sentence after a blank."""
        stated = [k for k, event in enumerate(events) if event.hold is None]
        parts = [touched(events[k].name, self.touches[k]) for k in stated if self.touches.get(k)]
        parts += [zero_since(events[k].name, self.zero[k]) for k in stated if k in self.zero]
        for which, say in (
            (self.blind, only_sampled),
            (self.unsettled, partly_sampled),
            (self.crowded, sampled_too_much),
        ):
            names = [events[k].name for k in stated if k in which]
            if names:
                parts.append(say(names))
        return "".join(f" {part}" for part in parts)


def without_bounds(events: Sequence[Event], equations: Equations) -> Remarks:
    """Return the remarks that hold before anything has moved: which events are going to be sampled."""
    blind = (k for k, event in enumerate(events) if not reached(event.expression, equations.implicit))
    return Remarks(blind=frozenset(blind))


def merged(stretches: Sequence[tuple[Remarks, Sequence[Array]]]) -> Remarks:
    """Return the remarks on several stretches of a motion as one, with the times of events that were kept of each."""
    touches: dict[int, list[tuple[float, float]]] = {}
    zero: dict[int, float] = {}
    for remarks, times in stretches:
        for k, places in remarks.touches.items():
            if k >= len(times):  # of a condition of the equations, which ended that stretch
                continue
            touches.setdefault(k, []).extend(place for place in places if place[0] in times[k])
        zero = {**remarks.zero, **zero}
    blind, unsettled, crowded = (
        {k for remarks, _ in stretches for k in getattr(remarks, name)} for name in ("blind", "unsettled", "crowded")
    )
    return Remarks(touches, zero, blind, unsettled, crowded)
