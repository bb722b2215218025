"""One step of DOP853, of one motion or of several: stages, next state, how wrong it is, and the size of the next step.

What is written here is the same for both; only ``Motions`` knows which it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction

from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.dop853.coefficients import E3, E5, EXTRA, STAGES, A, B, C, D
from dalembert.numerics.dop853.memory import Motions, Workspace

_NODES = (0, 6, 9, 10, 11)
"""The stages whose rates make a polynomial; their states are exact to order 5."""
_DOUBT = 32
"""Smooth rates miss it by up to 16 times what is compared, and only where steps are as large as stability allows."""
_SHIFT, _GOLDEN, _EDGE = 0.7548776662466927, 0.6180339887498949, 0.02


def _lagrange(nodes: Sequence[Fraction]) -> list[list[Fraction]]:
    """Return the polynomials that are 1 at one node and 0 at the others, by powers."""
    rows = []
    for own in nodes:
        row = [Fraction(1)]
        for other in nodes:
            if other != own:
                longer = zip([Fraction(0), *row], [*row, Fraction(0)], strict=True)
                row = [(a - other * b) / (own - other) for a, b in longer]
        rows.append(row)
    return rows


_SLOPES = _lagrange([C[j] for j in _NODES])
_AREAS = [[Fraction(0), *(c / (k + 1) for k, c in enumerate(row))] for row in _SLOPES]


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
        inverse = _inverse_scale(parts, tolerance, old, new)
        for weights, place in zip((E5, E3), sums, strict=True):
            part = parts.mul(combination(memory, weights, i), inverse)
            parts.store(parts.add(parts.mul(part, part), parts.load(place)), place)
    fifth, third = map(memory.over_variables, sums)
    memory.put(third, layout.third)
    memory.put(_error(memory.clock, layout.size, h, fifth, third), layout.ERROR)


def _inverse_scale(parts: Lanes, tolerance: str, old: str, new: str) -> str:
    """Return one over the error that is allowed in a part of the state."""
    size = parts.largest(parts.magnitude(old), parts.magnitude(new))
    return parts.div(parts.constant(1), parts.add(tolerance, parts.mul(tolerance, size)))


def doubtful(memory: Motions) -> str:
    """Return whether a step that was attempted misses the equations at a place between its stages.

    The rates of five stages make a polynomial, and its integral a state at that place, both exact to order 5. The rates
    there differ from the polynomial by more than the error estimate of order 3 and the tolerance allow only where a
    feature lies between the stages. The place follows from time, end and step, so that it is another one each time.
    """
    clock, parts, layout = memory.clock, memory.parts, memory.layout
    const = clock.constant
    begin, h, end = (memory.number(place) for place in (layout.TIME, layout.STEP, layout.END))
    draw = clock.mul(clock.div(clock.fma(end, const(_SHIFT), begin), h), const(_GOLDEN))
    share = clock.sub(draw, clock.intrinsic("floor", draw))
    ahead = clock.fma(share, const(1 - 2 * _EDGE), const(_EDGE))
    slopes, areas = ([memory.spread(_horner(clock, row, ahead)) for row in table] for table in (_SLOPES, _AREAS))
    many, tolerance = memory.spread(h), memory.spread(memory.number(layout.TOLERANCE))
    for i in memory.every_part():
        moved = parts.mul(many, _weighted(memory, areas, i))
        memory.store(parts.add(memory.load(layout.state, i), moved), layout.stage, i)
    memory.put(clock.fma(ahead, h, begin), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.stage, layout.dense(0))
    total = memory.writer.reserve(parts.type)
    parts.store(parts.constant(0), total)
    for i in memory.every_part():
        inverse = _inverse_scale(parts, tolerance, memory.load(layout.state, i), memory.load(layout.next, i))
        missed = parts.mul(parts.sub(memory.load(layout.dense(0), i), _weighted(memory, slopes, i)), inverse)
        parts.store(parts.add(parts.mul(missed, missed), parts.load(total)), total)
    square = clock.mul(h, h)
    allowed = clock.fma(square, memory.number(layout.third), const(layout.size))
    missed = clock.mul(square, memory.over_variables(total))
    return clock.compare("ugt", missed, clock.mul(allowed, const(_DOUBT**2)))


def _weighted(memory: Motions, weights: Sequence[str], index: int | str) -> str:
    """Return the combination of the stages that make the polynomial."""
    parts, layout = memory.parts, memory.layout
    total = parts.constant(0)
    for weight, j in zip(weights, _NODES, strict=True):
        total = parts.add(parts.mul(weight, memory.load(layout.k(j), index)), total)
    return total


def _horner(clock: Lanes, coefficients: Sequence[Fraction], x: str) -> str:
    value = clock.constant(coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        value = clock.fma(value, x, clock.constant(coefficient))
    return value


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


# -- how large steps are -------------------------------------------------------------------------------------
# How large steps are, of one motion or of several side by side.
#
# The first follows from the size of the rates and how they bend. The next ones follow Hairer: h / (err^(1/8) / 0.9),
# by a factor between 1/3 and 6, with the eighth root as three square roots. State and time are summed with
# compensation.
_SAFETY = Fraction(9, 10)
_SMALLEST, _GREATEST = Fraction(1, 6), Fraction(3)
"""Bounds of what the step is divided by."""
_SMALL = 4 * 2.0**-52
"""A step smaller than this part of the time is lost in rounding."""


def first_step(memory: Motions) -> str:
    """Return the first step; the rates at the begin are in memory, stages 1 and 2 and the unknowns are used up."""
    clock, parts, layout = memory.clock, memory.parts, memory.layout
    const = clock.constant
    span = clock.sub(memory.number(layout.END), memory.number(layout.TIME))
    state, rate = (_norm(memory, place) for place in (layout.state, layout.k(0)))
    tiny = clock.either(*(clock.compare("olt", norm, const(1e-5)) for norm in (state, rate)))
    trial = clock.select(tiny, const(1e-6), clock.div(clock.mul(const(Fraction(1, 100)), state), rate))
    bound = clock.intrinsic("minnum", memory.number(layout.LARGEST), clock.magnitude(span))
    trial = clock.intrinsic("minnum", trial, bound)
    signed = clock.intrinsic("copysign", trial, span)
    many = memory.spread(signed)
    for i in memory.every_part():
        moved = parts.mul(many, memory.load(layout.k(0), i))
        memory.store(parts.add(memory.load(layout.state, i), moved), layout.stage, i)
    memory.put(clock.add(memory.number(layout.TIME), signed), layout.STAGE_TIME)
    memory.rates(layout.STAGE_TIME, layout.stage, layout.k(1))
    for i in memory.every_part():
        memory.store(parts.sub(memory.load(layout.k(1), i), memory.load(layout.k(0), i)), layout.k(2), i)
    bend = clock.div(_norm(memory, layout.k(2)), trial)
    steepest = clock.largest(bend, rate)  # largest(nan, rate) is the rate: where the trial fails, the guess is cut
    failed = clock.compare("uno", bend, bend)
    root = _eighth_root(clock, clock.div(const(Fraction(1, 100)), steepest))
    flat = clock.compare("ole", steepest, const(1e-15))
    second = clock.select(flat, clock.largest(const(1e-6), clock.mul(trial, const(1e-3))), root)
    second = clock.select(failed, clock.mul(trial, const(1e-3)), second)
    chosen = clock.intrinsic("minnum", clock.mul(trial, const(100)), clock.intrinsic("minnum", second, bound))
    return clock.intrinsic("copysign", chosen, span)


def fitted(memory: Motions) -> tuple[str, str]:
    """Cut the step to what is allowed and to what is left; return whether it is the last, and whether it is lost."""
    clock, layout = memory.clock, memory.layout
    h, largest, time = memory.number(layout.STEP), memory.number(layout.LARGEST), memory.number(layout.TIME)
    h = clock.select(clock.compare("ogt", clock.magnitude(h), largest), clock.intrinsic("copysign", largest, h), h)
    left = clock.sub(clock.sub(memory.number(layout.END), time), memory.number(layout.TIME_LOW))
    reach = clock.mul(clock.magnitude(h), clock.constant(Fraction(101, 100)))
    last = clock.compare("oge", reach, clock.magnitude(left))
    h = clock.select(last, left, h)
    memory.put(h, layout.STEP)
    small = clock.largest(clock.mul(clock.magnitude(time), clock.constant(_SMALL)), clock.constant(1e-300))
    return last, clock.both(clock.compare("ole", clock.magnitude(h), small), clock.opposite(last))


def time_after(memory: Motions, last: str) -> tuple[str, str]:
    """Return the time at the end of the step, and what rounding takes from it; the last step ends at the end."""
    clock, layout = memory.clock, memory.layout
    step = clock.add(memory.number(layout.STEP), memory.number(layout.TIME_LOW))
    time, rest = two_sum(clock, memory.number(layout.TIME), step)
    return clock.select(last, memory.number(layout.END), time), clock.select(last, clock.constant(0), rest)


def divisor_of(clock: Lanes, error: str) -> str:
    """Return what the step is divided by; an error that is not a number becomes a bound."""
    divisor = clock.mul(_eighth_root(clock, error), clock.constant(1 / _SAFETY))
    return clock.largest(clock.constant(_SMALLEST), clock.intrinsic("minnum", divisor, clock.constant(_GREATEST)))


def following(memory: Motions, h: str, divisor: str) -> str:
    """Return the step after one that was taken: it does not grow where another was refused before."""
    clock = memory.clock
    grown = clock.div(h, divisor)
    refused = clock.compare("one", memory.number(memory.layout.AFTER_REFUSAL), clock.constant(0))
    larger = clock.compare("ogt", clock.magnitude(grown), clock.magnitude(h))
    return clock.select(clock.both(refused, larger), h, grown)


def settled(memory: Motions, values: Iterable[str]) -> str:
    """Return whether all parts are finite numbers, motion by motion: x - x is 0 for such numbers only."""
    parts = memory.parts
    total = memory.writer.reserve(parts.type)
    parts.store(parts.constant(0), total)
    for value in values:
        parts.store(parts.add(parts.load(total), parts.sub(value, value)), total)
    return memory.clock.compare("oeq", memory.over_variables(total), memory.clock.constant(0))


def _eighth_root(clock: Lanes, value: str) -> str:
    return clock.sqrt(clock.sqrt(clock.sqrt(value)))


def _norm(memory: Motions, place: int) -> str:
    """Return the root mean square of an array, each variable relative to its tolerance."""
    clock, parts, layout = memory.clock, memory.parts, memory.layout
    total = memory.writer.reserve(parts.type)
    parts.store(parts.constant(0), total)
    tolerance = memory.spread(memory.number(layout.TOLERANCE))
    for i in memory.every_part():
        size = parts.magnitude(memory.load(layout.state, i))
        part = parts.div(memory.load(place, i), parts.add(tolerance, parts.mul(tolerance, size)))
        parts.store(parts.add(parts.mul(part, part), parts.load(total)), total)
    return clock.sqrt(clock.div(memory.over_variables(total), clock.constant(layout.size)))
