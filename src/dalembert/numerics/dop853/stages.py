"""One step: the stages, the increment, and how wrong it is.

``step(memory) -> status`` leaves the increment, the next state (with what rounding took from it) and the error,
relative to the tolerance, in the block of memory; it does not move on. Chunks are trajectories side by side or parts of
one state: only ``spread`` and the sum over variables know which.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.rates import RATES
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import E3, E5, STAGES, A, B, C
from dalembert.numerics.dop853.layout import Layout

__all__ = ["STEP", "Memory", "combination", "step_function"]

STEP = "@step"


class Memory:
    """The block of memory as seen from inside a function."""

    def __init__(self, writer: Writer, layout: Layout, base: str = "%m") -> None:
        """Look at the block that begins at ``base``."""
        self.writer, self.layout, self.base = writer, layout, base

    def at(self, offset: int) -> str:
        """Return an address."""
        return self.writer.value(f"getelementptr double, ptr {self.base}, i64 {offset}")

    def number(self, offset: int) -> str:
        return self.writer.one.load(self.at(offset))

    def put(self, offset: int, value: str) -> None:
        self.writer.one.store(value, self.at(offset))

    def whole(self, offset: int) -> str:
        return self.writer.fresh(f"load i64, ptr {self.at(offset)}")

    def put_whole(self, offset: int, value: str) -> None:
        self.writer.line(f"store i64 {value}, ptr {self.at(offset)}")

    def count(self, offset: int, by: int = 1) -> None:
        """Add to a whole number."""
        self.put_whole(offset, self.writer.fresh(f"add i64 {self.whole(offset)}, {by}"))

    def copy(self, target: str, source: str, doubles: int) -> None:
        """Copy doubles from one address to another."""
        if doubles:
            parts = [("ptr", target), ("ptr", source), ("i64", str(8 * doubles)), ("i1", "false")]
            self.writer.call("void", "@llvm.memcpy.p0.p0.i64", parts)

    def rates(self, time: int, state: int, result: int) -> str:
        """Evaluate the right-hand side; return its status."""
        layout = self.layout
        places = (time, state, layout.parameter, layout.unknown, result)
        return self.writer.call("i32", RATES, [("ptr", self.at(place)) for place in places])


def combination(chunks: Lanes, memory: Memory, weights: Mapping[int, Fraction], c: int | str) -> str:
    """Return the combination of stages for one chunk."""
    layout = memory.layout
    terms = [(chunks.constant(w), chunks.load(memory.at(layout.k(j)), c)) for j, w in weights.items() if w]
    total = chunks.mul(*terms[0])
    for weight, stage in terms[1:]:
        total = chunks.add(chunks.mul(weight, stage), total)
    return total


def stage(w: Writer, memory: Memory, index: int, begin: str, h: str) -> str:
    """Evaluate one stage; return its status."""
    chunks, layout = w.chunks, memory.layout
    many = chunks.spread(h)
    for c in w.for_chunks(layout.chunks):
        moved = chunks.mul(many, combination(chunks, memory, A[index], c))
        chunks.store(chunks.add(chunks.load(memory.at(layout.state), c), moved), memory.at(layout.stage), c)
    memory.put(layout.STAGE_TIME, w.one.fma(w.one.constant(C[index]), h, begin))
    return memory.rates(layout.STAGE_TIME, layout.stage, layout.k(index))


def step_function(layout: Layout) -> Writer:
    """Return ``step(memory) -> status``."""
    w = Writer(STEP, "i32", [("ptr", "%m")], fused=fused())
    chunks, memory = w.chunks, Memory(w, layout)
    begin, h = memory.number(layout.TIME), memory.number(layout.STEP)
    for index in range(1, STAGES):
        status = stage(w, memory, index, begin, h)
        with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
            w.give("i32", status)
    fifth, third = w.reserve(chunks.type), w.reserve(chunks.type)
    for place in (fifth, third):
        chunks.store(chunks.constant(0), place)
    many, tolerance = chunks.spread(h), chunks.spread(memory.number(layout.TOLERANCE))
    for c in w.for_chunks(layout.chunks):
        old = chunks.load(memory.at(layout.state), c)
        increment = chunks.mul(many, combination(chunks, memory, B, c))
        chunks.store(increment, memory.at(layout.increment), c)
        new, rest = two_sum(chunks, old, chunks.add(increment, chunks.load(memory.at(layout.low), c)))
        chunks.store(new, memory.at(layout.next), c)
        chunks.store(rest, memory.at(layout.next_low), c)
        size = chunks.largest(chunks.magnitude(old), chunks.magnitude(new))
        inverse = chunks.div(chunks.constant(1), chunks.add(tolerance, chunks.mul(tolerance, size)))
        for weights, place in ((E5, fifth), (E3, third)):
            part = chunks.mul(combination(chunks, memory, weights, c), inverse)
            chunks.store(chunks.add(chunks.mul(part, part), chunks.load(place)), place)
    memory.put(layout.ERROR, _error(w, layout, h, over_variables(w, fifth), over_variables(w, third)))
    w.give("i32", "0")
    return w


def two_sum(lanes: Lanes, a: str, b: str) -> tuple[str, str]:
    """Return a + b and exactly what rounding took from it (Knuth)."""
    total = lanes.exactly("fadd", a, b)
    shadow = lanes.exactly("fsub", total, a)
    first = lanes.exactly("fsub", a, lanes.exactly("fsub", total, shadow))
    return total, lanes.exactly("fadd", first, lanes.exactly("fsub", b, shadow))


def over_variables(w: Writer, place: str) -> str:
    """Return the sum over the variables of one trajectory; the padding contributes nothing."""
    parts = w.chunks.load(place)
    return w.one.sum([w.chunks.lane(parts, i) for i in range(w.chunks.width)])


def _error(w: Writer, layout: Layout, h: str, fifth: str, third: str) -> str:
    """Return |h| e5 / sqrt(n (e5 + e3/100)), which is 0 where both are."""
    one = w.one
    under = one.add(fifth, one.mul(third, one.constant(Fraction(1, 100))))
    nothing = one.compare("oeq", under, one.constant(0))
    under = one.select(nothing, one.constant(1), one.mul(under, one.constant(layout.size)))
    return one.div(one.mul(one.magnitude(h), fifth), one.sqrt(under))
