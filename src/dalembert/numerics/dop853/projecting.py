"""Bringing the end of a step back to where the constraints hold, before its rates are taken.

Corrections are expressions of the state; they are orthogonal in the kinetic metric, and each group (positions, then
velocities) is added until what is left of it is the square of something small. The dense output is made of the state
that is recorded, so it ends where the next step begins. A step that would have to be moved by far more than its
tolerance is refused: its end belongs to another branch, or to none.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import Prepared
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.memory import Motions
from dalembert.numerics.dop853.stages import two_sum

TOO_FAR = 8
"""What ``TROUBLE`` is where the projection would move a step too far, or finds no end."""
_PROJECT = "@project"
ITERATIONS = 4
SETTLED = 1e-9
"""A correction smaller than this leaves nothing to correct: Newton's method squares it."""
_ALLOWED, _LEAST = 100, 1e-12
"""A step may be moved by so many tolerances, and a tolerance counts as at least so much here."""


def projection_functions(prepared: Prepared, width: int = 1) -> list[Writer]:
    """Return ``project.k(t, y, p, u, out) -> status`` for every group: what is to be added to its variables."""
    return [
        observe_function(f"{_PROJECT}.{k}", list(table.values()), prepared.inputs, width=width)
        for k, table in enumerate(prepared.projection)
    ]


def project(memory: Motions, projected: Sequence[Sequence[int]], corrections: int | None = None) -> str:
    """Move the next state to where the constraints hold; return whether that failed, motion by motion.

    The time is that of a stage. With ``corrections`` the largest of each group is put behind those so far. A motion
    side by side with others stops when it has arrived itself, so that it does not depend on its neighbours.
    """
    w, lanes, layout = memory.writer, memory.clock, memory.layout
    least = lanes.largest(memory.number(layout.TOLERANCE), lanes.constant(_LEAST))
    most, settled = lanes.mul(least, lanes.constant(_ALLOWED)), lanes.constant(SETTLED)
    verdicts = []
    for k, places in enumerate(projected):
        moved, last = w.reserve(lanes.type), w.reserve(lanes.type)
        lanes.store(lanes.constant(0), moved)
        lanes.store(lanes.constant(1), last)
        with w.loop(ITERATIONS):
            going = lanes.compare("ugt", lanes.load(last), settled)
            with w.when(lanes.any(going)):
                lost = _call(memory, k)
                size = _add(memory, places, going)
                if lanes.width == 1:
                    size = lanes.select(lost, lanes.constant(float("nan")), size)
                lanes.store(lanes.select(going, size, lanes.load(last)), last)
                lanes.store(lanes.add(lanes.load(moved), lanes.select(going, size, lanes.constant(0))), moved)
        far = lanes.compare("ugt", lanes.load(moved), most)
        verdicts.append(lanes.either(far, lanes.compare("ugt", lanes.load(last), settled)))
        if corrections is not None:
            largest = lanes.largest(memory.number(corrections + k), lanes.load(moved))
            memory.put(largest, corrections + len(projected) + k)
    failed = verdicts[0]
    for verdict in verdicts[1:]:
        failed = lanes.either(failed, verdict)
    return failed


def _call(memory: Motions, group: int) -> str:
    """Compute corrections, which go where the state of a stage stood; return whether there are none."""
    layout, w = memory.layout, memory.writer
    places = (layout.STAGE_TIME, layout.next, layout.parameter, layout.unknown, layout.stage)
    status = w.call("i32", f"{_PROJECT}.{group}", [("ptr", memory.at(place)) for place in places])
    return w.fresh(f"icmp ne i32 {status}, 0")


def _add(memory: Motions, places: Sequence[int], going: str) -> str:
    """Add corrections to the next state; return the largest, relative to its variable and to 1."""
    lanes, layout = memory.clock, memory.layout
    largest = lanes.constant(0)
    for j, index in enumerate(places):
        value, low = memory.number(layout.next + index), memory.number(layout.next_low + index)
        step = memory.number(layout.stage + j)
        new, rest = two_sum(lanes, value, step)
        memory.put(lanes.select(going, new, value), layout.next + index)
        memory.put(lanes.select(going, lanes.add(low, rest), low), layout.next_low + index)
        size = lanes.div(lanes.magnitude(step), lanes.add(lanes.constant(1), lanes.magnitude(value)))
        largest = lanes.select(lanes.compare("ult", largest, size), size, largest)  # what is not a number stays so
    return largest
