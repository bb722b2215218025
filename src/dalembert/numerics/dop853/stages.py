"""One step of DOP853, of one motion or of several side by side: the stages, the next state, and how wrong it is.

What is written here is the same for both; only ``Motions`` knows which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.dop853.coefficients import E3, E5, EXTRA, STAGES, A, B, C, D
from dalembert.numerics.dop853.memory import Motions
from dalembert.numerics.dop853.workspace import Workspace

__all__ = ["attempt", "coefficients", "inside", "nested", "two_sum"]


def combination(memory: Motions, weights: Mapping[int, Fraction], index: int | str) -> str:
    """Return the combination of stages for one part of the state."""
    parts, layout = memory.parts, memory.layout
    terms = [(parts.constant(w), memory.load(layout.k(j), index)) for j, w in weights.items() if w]
    total = parts.mul(*terms[0])
    for weight, rates in terms[1:]:
        total = parts.add(parts.mul(weight, rates), total)
    return total


def stage(memory: Motions, index: int) -> None:
    """Evaluate one stage."""
    clock, parts, layout = memory.clock, memory.parts, memory.layout
    begin, h = memory.number(layout.TIME), memory.number(layout.STEP)
    many = memory.spread(h)
    for i in memory.every_part():
        moved = parts.mul(many, combination(memory, A[index], i))
        memory.store(parts.add(memory.load(layout.state, i), moved), layout.stage, i)
    memory.put(clock.fma(clock.constant(C[index]), h, begin), layout.STAGE_TIME)
    memory.leave_unless_found(memory.rates(layout.STAGE_TIME, layout.stage, layout.k(index)))


def attempt(memory: Motions) -> None:
    """Take the stages; leave the next state, with what rounding took from it, and the error; do not move on."""
    w, parts, layout = memory.writer, memory.parts, memory.layout
    for index in range(1, STAGES):
        stage(memory, index)
    sums = [w.reserve(parts.type), w.reserve(parts.type)]
    for place in sums:
        parts.store(parts.constant(0), place)
    h = memory.number(layout.STEP)
    many, tolerance = memory.spread(h), memory.spread(memory.number(layout.TOLERANCE))
    for i in memory.every_part():
        old = memory.load(layout.state, i)
        increment = memory.increment(many, combination(memory, B, i))
        new, rest = two_sum(parts, old, parts.add(increment, memory.load(layout.low, i)))
        memory.store(new, layout.next, i)
        memory.store(rest, layout.next_low, i)
        size = parts.largest(parts.magnitude(old), parts.magnitude(new))
        inverse = parts.div(parts.constant(1), parts.add(tolerance, parts.mul(tolerance, size)))
        for weights, place in zip((E5, E3), sums, strict=True):
            part = parts.mul(combination(memory, weights, i), inverse)
            parts.store(parts.add(parts.mul(part, part), parts.load(place)), place)
    memory.put(_error(memory.clock, layout.size, h, *map(memory.over_variables, sums)), layout.ERROR)


def two_sum(lanes: Lanes, a: str, b: str) -> tuple[str, str]:
    """Return a + b and exactly what rounding took from it (Knuth)."""
    total = lanes.exactly("fadd", a, b)
    shadow = lanes.exactly("fsub", total, a)
    first = lanes.exactly("fsub", a, lanes.exactly("fsub", total, shadow))
    return total, lanes.exactly("fadd", first, lanes.exactly("fsub", b, shadow))


def _error(lanes: Lanes, size: int, h: str, fifth: str, third: str) -> str:
    """Return |h| e5 / sqrt(n (e5 + e3/100)), which is 0 where both are."""
    under = lanes.add(fifth, lanes.mul(third, lanes.constant(Fraction(1, 100))))
    nothing = lanes.compare("oeq", under, lanes.constant(0))
    under = lanes.select(nothing, lanes.constant(1), lanes.mul(under, lanes.constant(size)))
    return lanes.div(lanes.mul(lanes.magnitude(h), fifth), lanes.sqrt(under))


def coefficients(memory: Motions) -> None:
    """Make the F_i of the dense output from stages 0 to 12, the states at both ends, and three more stages."""
    parts, layout = memory.parts, memory.layout
    for index in EXTRA:
        stage(memory, index)
    many = memory.spread(memory.number(layout.STEP))
    for i in memory.every_part():
        jump = parts.sub(memory.load(layout.next, i), memory.load(layout.state, i))
        first = parts.mul(many, memory.load(layout.k(0), i))
        last = parts.mul(many, memory.load(layout.k(STAGES), i))
        lower = parts.sub(first, jump)
        upper = [parts.mul(many, combination(memory, row, i)) for row in D]
        for index, value in enumerate([jump, lower, parts.sub(parts.sub(jump, last), lower), *upper]):
            memory.store(value, layout.dense(index), i)


def inside(memory: Motions, ahead: str, index: int | str) -> str:
    """Return a part of the state within the step, from the coefficients in memory; ``ahead`` is how far."""
    return nested(memory.parts, memory.layout, ahead, lambda place: memory.load(place, index))


def nested(lanes: Lanes, layout: Workspace, ahead: str, load: Callable[[int], str]) -> str:
    """Return y0 + s (F0 + (1-s) (F1 + s (F2 + (1-s) (F3 + s (F4 + (1-s) (F5 + s F6)))))), with s as ``ahead``."""
    behind = lanes.sub(lanes.constant(1), ahead)
    value = load(layout.dense(6))
    for index in reversed(range(6)):
        value = lanes.add(lanes.mul(ahead if index % 2 else behind, value), load(layout.dense(index)))
    return lanes.add(lanes.mul(ahead, value), load(layout.state))
