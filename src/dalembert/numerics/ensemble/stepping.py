"""The loop of one thread: lanes step side by side, and a lane whose member is done takes the next one.

``run(memory, shared)`` returns when there are no members left. Which member a lane works on is decided by one number
that all threads count up; what a lane computes depends on its own member alone, so neither the number of threads nor
the order of the members changes a bit of any result.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.stages import two_sum
from dalembert.numerics.ensemble.crossings import look_at_start, look_within
from dalembert.numerics.ensemble.layout import (
    COLLAPSED,
    ENDED,
    LEFT,
    RUNNING,
    STOPPED,
    TOO_MANY,
    WAITING,
    Layout,
    Memory,
    Shared,
    both,
    no,
)  # fmt: skip
from dalembert.numerics.ensemble.stages import (
    ARGUMENTS,
    ATTEMPT,
    COMMENCE,
    DENSE,
    between_in_lane,
    eighth_root,
    finite,
    function,
    mark_unsolved,
)  # fmt: skip

__all__ = ["refill_function", "run_function", "sample_function"]

REFILL, SAMPLE = "@refill", "@sample"

_SAFETY = Fraction(9, 10)
_SMALLEST, _GREATEST = Fraction(1, 6), Fraction(3)
"""Bounds of what the step is divided by."""
_SMALL = 4 * 2.0**-52
"""A step smaller than this part of the time is lost in rounding."""
_POINTERS = [("ptr", "%m"), ("ptr", "%s")]


def run_function(layout: Layout, *, guarded: bool) -> Writer:
    """Return ``run(memory, shared)``; a member that is ``guarded`` is given up where the equations are not good."""
    w, memory = function("@run", layout)
    lanes = w.lanes
    with w.forever() as (_, out):
        idle = lanes.compare("one", memory.load(layout.CODE), lanes.constant(RUNNING))
        with w.when(lanes.any(idle)):
            left = w.call("i1", REFILL, _POINTERS)
            w.leave_to(out, w.fresh(f"xor i1 {left}, true"))
            w.call("void", COMMENCE, _POINTERS)
            if layout.sampled:
                look_at_start(memory, memory.true(layout.FRESH))
            memory.store(lanes.constant(0), layout.FRESH)
        last, lost = _fit(memory)
        w.call("void", ATTEMPT, _POINTERS)
        _move(memory, last, lost)
        if guarded:
            _give_up(memory)
        stop = w.fresh(f"icmp ne i64 {memory.shared('i64', Shared.STOP)}, 0")
        with w.when(stop):
            running = lanes.compare("oeq", memory.load(layout.CODE), lanes.constant(RUNNING))
            code = lanes.select(running, lanes.constant(STOPPED), memory.load(layout.CODE))
            memory.store(code, layout.CODE)
    w.give("void", "")
    return w


def _fit(memory: Memory) -> tuple[str, str]:
    """Cut the steps to what is allowed and to what is left; return which are the last, and which are lost."""
    lanes, layout = memory.lanes, memory.layout
    h, largest = memory.load(layout.STEP), memory.common(Shared.LARGEST)
    large = lanes.compare("ogt", lanes.magnitude(h), largest)
    h = lanes.select(large, lanes.intrinsic("copysign", largest, h), h)
    time = memory.load(layout.TIME)
    left = lanes.sub(lanes.sub(memory.common(Shared.END), time), memory.load(layout.TIME_LOW))
    reach = lanes.mul(lanes.magnitude(h), lanes.constant(Fraction(101, 100)))
    last = lanes.compare("oge", reach, lanes.magnitude(left))
    h = lanes.select(last, left, h)
    memory.store(h, layout.STEP)
    small = lanes.largest(lanes.mul(lanes.magnitude(time), lanes.constant(_SMALL)), lanes.constant(1e-300))
    lost = both(lanes, lanes.compare("ole", lanes.magnitude(h), small), no(lanes, last))
    return last, lost


def _give_up(memory: Memory) -> None:
    """Let go of members whose equations say little where they are."""
    lanes, layout = memory.lanes, memory.layout
    code = memory.load(layout.CODE)
    busy = lanes.compare("oeq", code, lanes.constant(RUNNING))
    memory.store(lanes.select(both(lanes, busy, memory.guard()), lanes.constant(LEFT), code), layout.CODE)


def _move(memory: Memory, last: str, lost: str) -> None:
    """Take the steps that are good, refuse the others, choose the next ones."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    const = lanes.constant
    h, error = memory.load(layout.STEP), memory.load(layout.dense(0))
    divisor = lanes.mul(eighth_root(lanes, error), const(1 / _SAFETY))
    divisor = lanes.largest(const(_SMALLEST), lanes.intrinsic("minnum", divisor, const(_GREATEST)))
    good = lanes.compare("ole", error, const(1))
    running = lanes.compare("oeq", memory.load(layout.CODE), const(RUNNING))
    exists = finite(memory, layout.k(STAGES))
    taken = both(lanes, both(lanes, running, no(lanes, lost)), both(lanes, good, exists))
    reckless = lanes.either(lanes.compare("uno", error, error), both(lanes, good, no(lanes, exists)))
    memory.store(lanes.select(taken, const(0), memory.load(layout.UNSOLVED)), layout.UNSOLVED)
    mark_unsolved(memory, both(lanes, running, reckless))

    time, rest = two_sum(lanes, memory.load(layout.TIME), lanes.add(h, memory.load(layout.TIME_LOW)))
    time = lanes.select(last, memory.common(Shared.END), time)
    rest = lanes.select(last, const(0), rest)
    memory.store(time, layout.NEW_TIME)
    if layout.events:
        look_within(memory, taken)
        time = memory.load(layout.NEW_TIME)
    _sample_where_due(memory, taken, time)
    grown = lanes.div(h, divisor)
    larger = lanes.compare("ogt", lanes.magnitude(grown), lanes.magnitude(h))
    held = both(lanes, memory.true(layout.AFTER_REFUSAL), larger)
    following = lanes.select(
        taken, lanes.select(held, h, grown), lanes.div(h, lanes.select(reckless, const(10), divisor))
    )
    memory.store(following, layout.STEP)
    memory.store(lanes.select(taken, const(0), const(1)), layout.AFTER_REFUSAL)
    for new, place in ((time, layout.TIME), (rest, layout.TIME_LOW)):
        memory.store(lanes.select(taken, new, memory.load(place)), place)
    for target, source in ((layout.state, layout.next), (layout.low, layout.next_low), (layout.k(0), layout.k(STAGES))):
        for i in memory.variables():
            memory.store(lanes.select(taken, memory.load(source, i), memory.load(target, i)), target, i)
    for i in memory.unknowns():
        known = lanes.select(taken, memory.load(layout.unknown, i), memory.load(layout.unknown_kept, i))
        memory.store(known, layout.unknown, i)
        memory.store(known, layout.unknown_kept, i)
    one = const(1)
    steps = lanes.add(memory.load(layout.STEPS), lanes.select(taken, one, const(0)))
    memory.store(steps, layout.STEPS)
    memory.store(lanes.add(memory.load(layout.REFUSED), lanes.select(taken, const(0), one)), layout.REFUSED)
    code = known = memory.load(layout.CODE)
    most = lanes.spread(w.fresh(f"sitofp i64 {memory.shared('i64', Shared.MOST_STEPS)} to double"))
    for truth, meaning in (
        (both(lanes, running, lanes.compare("oge", steps, most)), TOO_MANY),
        (both(lanes, running, lost), COLLAPSED),
        (both(lanes, taken, last), ENDED),
    ):
        code = lanes.select(truth, const(meaning), code)
    found = lanes.compare("one", known, const(RUNNING))  # by an event, meanwhile
    memory.store(lanes.select(found, known, code), layout.CODE)


def _sample_where_due(memory: Memory, taken: str, time: str) -> None:
    """Have samples written where a step that is taken passes a time at which the state is wanted."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    span = lanes.sub(memory.common(Shared.END), memory.common(Shared.BEGIN))
    ahead = lanes.mul(
        lanes.sub(memory.load(layout.NEXT_SAMPLE), time), lanes.intrinsic("copysign", lanes.constant(1), span)
    )
    due = both(lanes, taken, lanes.compare("ole", ahead, lanes.constant(0)))
    with w.when(lanes.any(due)):
        if not layout.events:  # who looks for events has made the coefficients, and may have moved the end
            w.call("void", DENSE, _POINTERS)
        for lane in range(layout.width):
            wanted = due if layout.width == 1 else w.fresh(f"extractelement {lanes.truth} {due}, i64 {lane}")
            with w.when(wanted):
                w.call("void", SAMPLE, [*_POINTERS, ("i64", str(lane))])


def sample_function(layout: Layout) -> Writer:
    """Return ``sample(memory, shared, lane)``: writes all samples of a lane that lie within its step."""
    w = Writer(SAMPLE, "void", [*ARGUMENTS, ("i64", "%lane")])
    one, memory = w.one, Memory(w, layout)
    begin, h, end = (memory.number(place, "%lane") for place in (layout.TIME, layout.STEP, layout.NEW_TIME))
    times, count = memory.shared("ptr", Shared.SAMPLE_TIMES), memory.shared("i64", Shared.SAMPLE_COUNT)
    first = w.fresh(f"mul i64 {memory.whole(layout.MEMBER, '%lane')}, {count}")
    with w.forever() as (_, out):
        index = memory.whole(layout.SAMPLED, "%lane")
        time = memory.number(layout.NEXT_SAMPLE, "%lane")
        beyond = one.mul(one.sub(time, end), one.intrinsic("copysign", one.constant(1), h))
        w.leave_to(out, one.compare("ugt", beyond, one.constant(0)))
        part = one.div(one.sub(time, begin), h)
        row = w.fresh(f"mul i64 {w.fresh(f'add i64 {first}, {index}')}, {layout.point}")
        target = one.place(memory.shared("ptr", Shared.SAMPLES), row)
        with w.loop(layout.size) as i:
            one.store(between_in_lane(memory, "%lane", part, i), target, i)
        for k in range(layout.unknowns):  # where Newton's method may begin, for whoever wants them exactly
            one.store(memory.number(layout.unknown, "%lane", k), target, layout.size + k)
        following = w.fresh(f"add i64 {index}, 1")
        memory.put_whole(following, layout.SAMPLED, "%lane")
        memory.put(_sample_time(w, times, count, following), layout.NEXT_SAMPLE, "%lane")
    w.give("void", "")
    return w


def _sample_time(w: Writer, times: str, count: str, index: str) -> str:
    """Return a time at which the state is wanted; the row of times ends with one that is never reached."""
    capped = w.fresh(f"call i64 @llvm.smin.i64(i64 {index}, i64 {count})")
    w.declared["@llvm.smin.i64"] = "declare i64 @llvm.smin.i64(i64, i64)"
    return w.one.load(times, capped)


def refill_function(layout: Layout) -> Writer:
    """Return ``refill(memory, shared) -> whether any lane has work``: results are written out, members taken."""
    w = Writer(REFILL, "i1", ARGUMENTS)
    memory = Memory(w, layout)
    busy = w.reserve("i1")
    w.line(f"store i1 false, ptr {busy}")
    with w.loop(layout.width) as lane:
        code = memory.number(layout.CODE, lane)
        with w.when(w.one.compare("one", code, w.one.constant(RUNNING))):
            with w.when(w.one.compare("one", code, w.one.constant(WAITING))):
                _write_out(memory, lane)
            memory.put(w.one.constant(WAITING), layout.CODE, lane)
            _take_next(memory, lane)
        now = memory.number(layout.CODE, lane)
        with w.when(w.one.compare("oeq", now, w.one.constant(RUNNING))):
            w.line(f"store i1 true, ptr {busy}")
    w.give("i1", w.fresh(f"load i1, ptr {busy}"))
    return w


def _write_out(memory: Memory, lane: str) -> None:
    """Write what became of a member."""
    w, layout = memory.writer, memory.layout
    row = w.fresh(f"mul i64 {memory.whole(layout.MEMBER, lane)}, {layout.row}")
    target = w.one.place(memory.shared("ptr", Shared.RESULTS), row)
    with w.loop(layout.size) as i:
        w.one.store(memory.number(layout.state, lane, i), target, i)
    for k in range(layout.unknowns):
        w.one.store(memory.number(layout.unknown_kept, lane, k), target, layout.size + k)
    for k, place in enumerate((layout.TIME, layout.CODE, layout.UNSOLVED, layout.STEPS, layout.REFUSED)):
        w.one.store(memory.number(place, lane), target, layout.point + k)


def _take_next(memory: Memory, lane: str) -> None:
    """Give a lane the next member, if there is one; else it goes on idly where it is."""
    w, layout = memory.writer, memory.layout
    zero = w.one.constant(0)
    member = w.fresh("atomicrmw add ptr %s, i64 1 monotonic")
    with w.when(w.fresh(f"icmp slt i64 {member}, {memory.shared('i64', Shared.MEMBERS)}")):
        memory.put_whole(member, layout.MEMBER, lane)
        start = w.one.place(memory.shared("ptr", Shared.STARTS), w.fresh(f"mul i64 {member}, {layout.point}"))
        with w.loop(layout.size) as i:
            memory.put(w.one.load(start, i), layout.state, lane, i)
            memory.put(zero, layout.low, lane, i)
        for k in range(layout.unknowns):
            memory.put(w.one.load(start, layout.size + k), layout.unknown, lane, k)
        stride = memory.shared("i64", Shared.PARAMETER_STRIDE)
        given = w.one.place(memory.shared("ptr", Shared.PARAMETERS), w.fresh(f"mul i64 {member}, {stride}"))
        with w.loop(layout.parameters) as i:
            memory.put(w.one.load(given, i), layout.parameter, lane, i)
        memory.put(w.one.load(memory.shared("ptr", Shared.BEGINS), member), layout.TIME, lane)
        for place in (layout.TIME_LOW, layout.STEP, layout.CODE, layout.AFTER_REFUSAL, layout.STEPS):
            memory.put(zero, place, lane)
        for place in (layout.REFUSED, layout.UNSOLVED):
            memory.put(zero, place, lane)
        memory.put(w.one.constant(1), layout.FRESH, lane)
        memory.put_whole("0", layout.CROSSED, lane)
        passed = w.one.place(memory.shared("ptr", Shared.SKIPPED), member)
        skipped = w.fresh(f"load i64, ptr {passed}")
        memory.put_whole(skipped, layout.SAMPLED, lane)
        times, count = memory.shared("ptr", Shared.SAMPLE_TIMES), memory.shared("i64", Shared.SAMPLE_COUNT)
        memory.put(_sample_time(w, times, count, skipped), layout.NEXT_SAMPLE, lane)
