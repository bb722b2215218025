"""Bringing the end of a step back to where the constraints hold, before its rates are taken.

Corrections are expressions of the state; they are orthogonal in the kinetic metric, and each group (positions, then
velocities) is added until what is left of it is the square of something small. The dense output is made of the state
that is recorded, so it ends where the next step begins. A step that would have to be moved by far more than its
tolerance is refused: its end belongs to another branch, or to none.
"""

from __future__ import annotations

from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.rates import Prepared
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.memory import Memory
from dalembert.numerics.dop853.stages import two_sum

__all__ = ["ITERATIONS", "SETTLED", "TOO_FAR", "project", "projection_functions"]

TOO_FAR = 8
"""What ``TROUBLE`` is where the projection would move a step too far, or finds no end."""
_PROJECT = "@project"
ITERATIONS = 4
SETTLED = 1e-9
"""A correction smaller than this leaves nothing to correct: Newton's method squares it."""
_ALLOWED, _LEAST = 100, 1e-12
"""A step may be moved by so many tolerances, and a tolerance counts as at least so much here."""


def projection_functions(prepared: Prepared) -> list[Writer]:
    """Return ``project.k(t, y, p, u, out) -> status`` for every group: what is to be added to its variables."""
    return [
        observe_function(f"{_PROJECT}.{k}", list(table.values()), prepared.inputs)
        for k, table in enumerate(prepared.projection)
    ]


def project(w: Writer, memory: Memory) -> str:
    """Move the next state to where the constraints hold; return whether that failed. The time is that of a stage."""
    one, layout = w.one, memory.layout
    most = one.mul(one.largest(memory.number(layout.TOLERANCE), one.constant(_LEAST)), one.constant(_ALLOWED))
    failed = w.reserve("i1")
    w.line(f"store i1 false, ptr {failed}")
    for k, places in enumerate(layout.projected):
        moved, last = w.reserve("double"), w.reserve("double")
        one.store(one.constant(0), moved)
        one.store(one.constant(1), last)
        with w.loop(ITERATIONS), w.when(one.compare("ugt", one.load(last), one.constant(SETTLED))):
            status = _call(w, memory, k)
            size = _add(w, memory, places)
            one.store(size, last)
            one.store(one.add(one.load(moved), size), moved)
            _note(w, failed, w.fresh(f"icmp ne i32 {status}, 0"))
        far = one.compare("ugt", one.load(moved), most)
        _note(w, failed, one.either(far, one.compare("ugt", one.load(last), one.constant(SETTLED))))
        largest = memory.number(layout.corrections + k)
        memory.put(one.largest(largest, one.load(moved)), layout.corrected + k)
    return w.fresh(f"load i1, ptr {failed}")


def _call(w: Writer, memory: Memory, group: int) -> str:
    """Compute corrections; they go where the state of a stage stood."""
    layout = memory.layout
    places = (layout.STAGE_TIME, layout.next, layout.parameter, layout.unknown, layout.stage)
    return w.call("i32", f"{_PROJECT}.{group}", [("ptr", memory.at(place)) for place in places])


def _add(w: Writer, memory: Memory, places: tuple[int, ...]) -> str:
    """Add corrections to the next state; return the largest, relative to its variable and to 1."""
    one, layout = w.one, memory.layout
    sizes = []
    for j, index in enumerate(places):
        value, step = memory.number(layout.next + index), memory.number(layout.stage + j)
        new, rest = two_sum(one, value, step)
        memory.put(new, layout.next + index)
        memory.put(one.add(memory.number(layout.next_low + index), rest), layout.next_low + index)
        sizes.append(one.div(one.magnitude(step), one.add(one.constant(1), one.magnitude(value))))
    total = one.constant(0)
    for size in sizes:  # what is not a number must stay so
        total = one.select(one.compare("ult", total, size), size, total)
    return total


def _note(w: Writer, failed: str, truth: str) -> None:
    before = w.fresh(f"load i1, ptr {failed}")
    w.line(f"store i1 {w.fresh(f'or i1 {before}, {truth}')}, ptr {failed}")
