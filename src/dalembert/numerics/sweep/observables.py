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
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from dalembert.errors import ExpressionError
from dalembert.model.faults import suggestion

__all__ = ["OF_EVENTS", "OVER_TIME", "Observable", "read_observable", "read_observables"]

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
