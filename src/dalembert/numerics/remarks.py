"""What the times of events do not say by themselves: which only touch, which stay zero, which were only sampled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.jets import reached
from dalembert.numerics.outcome import only_sampled, partly_sampled, sampled_too_much, touched, zero_since
from dalembert.numerics.problem import Event

__all__ = ["Remarks", "merged", "without_bounds"]


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
        stated = range(len(events))
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
            touches.setdefault(k, []).extend(place for place in places if place[0] in times[k])
        zero = {**remarks.zero, **zero}
    blind, unsettled, crowded = (
        {k for remarks, _ in stretches for k in getattr(remarks, name)} for name in ("blind", "unsettled", "crowded")
    )
    return Remarks(touches, zero, blind, unsettled, crowded)
