"""The loop of one thread: lanes step side by side, and a lane whose member is done takes the next one.

``run(memory, shared)`` returns when there are no members left. Which member a lane works on is decided by one number
that all threads count up; what a lane computes depends on its own member alone, so neither the number of threads nor
the order of the members changes a bit of any result.
"""

from __future__ import annotations

from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.coefficients import STAGES
from dalembert.numerics.dop853.stages import divisor_of, doubtful, fitted, following, time_after
from dalembert.numerics.dop853.stepping import LESS
from dalembert.numerics.ensemble.crossings import look_at_start, look_within
from dalembert.numerics.ensemble.layout import (
    ARGUMENTS,
    ATTEMPT,
    COLLAPSED,
    COMMENCE,
    DENSE,
    ENDED,
    RUNNING,
    STOPPED,
    TOO_MANY,
    WAITING,
    Lane,
    Layout,
    Memory,
    Shared,
    finite,
    function,
    mark_unsolved,
)  # fmt: skip

REFILL, SAMPLE = "@refill", "@sample"


def run_function(layout: Layout) -> Writer:
    """Return ``run(memory, shared)``."""
    w, memory = function("@run", layout)
    lanes = w.lanes
    with w.forever() as (_, out):
        idle = lanes.compare("one", memory.load(layout.CODE), lanes.constant(RUNNING))
        with w.when(lanes.any(idle)):
            left = w.call("i1", REFILL, ARGUMENTS)
            w.leave_to(out, w.fresh(f"xor i1 {left}, true"))
            w.call("void", COMMENCE, ARGUMENTS)
            if layout.sampled:
                look_at_start(memory, memory.true(layout.FRESH))
            memory.store(lanes.constant(0), layout.FRESH)
        last, lost = fitted(memory)
        w.call("void", ATTEMPT, ARGUMENTS)
        _move(memory, last, lost)
        stop = w.fresh(f"icmp ne i64 {memory.shared('i64', Shared.STOP)}, 0")
        with w.when(stop):
            running = lanes.compare("oeq", memory.load(layout.CODE), lanes.constant(RUNNING))
            memory.choose(running, lanes.constant(STOPPED), layout.CODE)
    w.give("void", "")
    return w


def _move(memory: Memory, last: str, lost: str) -> None:
    """Take the steps that are good, refuse the others, choose the next ones."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    const = lanes.constant
    h, error = memory.load(layout.STEP), memory.load(layout.ERROR)
    divisor = divisor_of(lanes, error)
    good = lanes.compare("ole", error, const(1))
    if not layout.unknowns:
        doubt = lanes.both(good, doubtful(memory))
        good = lanes.both(good, lanes.opposite(doubt))
        divisor = lanes.select(doubt, const(LESS), divisor)
    running = lanes.compare("oeq", memory.load(layout.CODE), const(RUNNING))
    exists = finite(memory, layout.k(STAGES))
    taken = lanes.both(lanes.both(running, lanes.opposite(lost)), lanes.both(good, exists))
    reckless = lanes.either(lanes.compare("uno", error, error), lanes.both(good, lanes.opposite(exists)))
    memory.choose(taken, const(0), layout.UNSOLVED)
    mark_unsolved(memory, lanes.both(running, reckless))

    time, rest = time_after(memory, last)
    memory.store(time, layout.NEW_TIME)
    if layout.events:
        look_within(memory, taken)
        time = memory.load(layout.NEW_TIME)
    _sample_where_due(memory, taken, time)
    smaller = lanes.div(h, lanes.select(reckless, const(10), divisor))
    memory.store(lanes.select(taken, following(memory, h, divisor), smaller), layout.STEP)
    memory.store(lanes.select(taken, const(0), const(1)), layout.AFTER_REFUSAL)
    for new, place in ((time, layout.TIME), (rest, layout.TIME_LOW)):
        memory.choose(taken, new, place)
    for target, source in ((layout.state, layout.next), (layout.low, layout.next_low), (layout.k(0), layout.k(STAGES))):
        for i in memory.every_part():
            memory.choose(taken, memory.load(source, i), target, i)
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
        (lanes.both(running, lanes.compare("oge", steps, most)), TOO_MANY),
        (lanes.both(running, lost), COLLAPSED),
        (lanes.both(taken, last), ENDED),
    ):
        code = lanes.select(truth, const(meaning), code)
    found = lanes.compare("one", known, const(RUNNING))  # by an event, meanwhile
    memory.store(lanes.select(found, known, code), layout.CODE)


def _sample_where_due(memory: Memory, taken: str, time: str) -> None:
    """Have samples written where a step that is taken passes a time at which the state is wanted."""
    w, lanes, layout = memory.writer, memory.lanes, memory.layout
    span = lanes.sub(memory.load(layout.END), lanes.spread(memory.shared("double", Shared.BEGIN)))
    ahead = lanes.mul(
        lanes.sub(memory.load(layout.NEXT_SAMPLE), time), lanes.intrinsic("copysign", lanes.constant(1), span)
    )
    due = lanes.both(taken, lanes.compare("ole", ahead, lanes.constant(0)))
    if not layout.events:  # who looks for events has made the coefficients, and may have moved the end
        with w.when(lanes.any(due)):
            w.call("void", DENSE, ARGUMENTS)
    memory.call_in(due, SAMPLE)


def sample_function(layout: Layout) -> Writer:
    """Return ``sample(memory, shared, lane)``: writes all samples of a lane that lie within its step."""
    w = Writer(SAMPLE, "void", [*ARGUMENTS, ("i64", "%lane")], fused=fused())
    one, lane = w.one, Lane(w, layout)
    begin, h, end = (lane.number(place) for place in (layout.TIME, layout.STEP, layout.NEW_TIME))
    times, count = lane.shared("ptr", Shared.SAMPLE_TIMES), lane.shared("i64", Shared.SAMPLE_COUNT)
    first = w.fresh(f"mul i64 {lane.whole(layout.MEMBER)}, {count}")
    with w.forever() as (_, out):
        index = lane.whole(layout.SAMPLED)
        time = lane.number(layout.NEXT_SAMPLE)
        beyond = one.mul(one.sub(time, end), one.intrinsic("copysign", one.constant(1), h))
        w.leave_to(out, one.compare("ugt", beyond, one.constant(0)))
        part = one.div(one.sub(time, begin), h)
        row = w.fresh(f"mul i64 {w.fresh(f'add i64 {first}, {index}')}, {layout.point}")
        target = one.place(lane.shared("ptr", Shared.SAMPLES), row)
        with w.loop(layout.size) as i:
            one.store(lane.between(part, i), target, i)
        for k in range(layout.unknowns):  # where Newton's method may begin, for whoever wants them exactly
            one.store(lane.number(layout.unknown, k), target, layout.size + k)
        later = w.fresh(f"add i64 {index}, 1")
        lane.put_whole(later, layout.SAMPLED)
        lane.put(_sample_time(w, times, count, later), layout.NEXT_SAMPLE)
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
    busy = w.reserve("i1")
    w.line(f"store i1 false, ptr {busy}")
    with w.loop(layout.width) as index:
        lane = Lane(w, layout, index)
        code = lane.number(layout.CODE)
        with w.when(w.one.compare("one", code, w.one.constant(RUNNING))):
            with w.when(w.one.compare("one", code, w.one.constant(WAITING))):
                _write_out(lane)
            lane.put(w.one.constant(WAITING), layout.CODE)
            _take_next(lane)
        now = lane.number(layout.CODE)
        with w.when(w.one.compare("oeq", now, w.one.constant(RUNNING))):
            w.line(f"store i1 true, ptr {busy}")
    w.give("i1", w.fresh(f"load i1, ptr {busy}"))
    return w


def _write_out(lane: Lane) -> None:
    """Write what became of a member."""
    w, layout = lane.writer, lane.layout
    row = w.fresh(f"mul i64 {lane.whole(layout.MEMBER)}, {layout.row}")
    target = w.one.place(lane.shared("ptr", Shared.RESULTS), row)
    with w.loop(layout.size) as i:
        w.one.store(lane.number(layout.state, i), target, i)
    for k in range(layout.unknowns):
        w.one.store(lane.number(layout.unknown_kept, k), target, layout.size + k)
    for k, place in enumerate((layout.TIME, layout.CODE, layout.UNSOLVED, layout.STEPS, layout.REFUSED)):
        w.one.store(lane.number(place), target, layout.point + k)


def _take_next(lane: Lane) -> None:
    """Give a lane the next member, if there is one; else it goes on idly where it is."""
    w, layout = lane.writer, lane.layout
    zero = w.one.constant(0)
    member = w.fresh("atomicrmw add ptr %s, i64 1 monotonic")
    with w.when(w.fresh(f"icmp slt i64 {member}, {lane.shared('i64', Shared.MEMBERS)}")):
        lane.put_whole(member, layout.MEMBER)
        start = w.one.place(lane.shared("ptr", Shared.STARTS), w.fresh(f"mul i64 {member}, {layout.point}"))
        with w.loop(layout.size) as i:
            lane.put(w.one.load(start, i), layout.state, i)
            lane.put(zero, layout.low, i)
        for k in range(layout.unknowns):
            lane.put(w.one.load(start, layout.size + k), layout.unknown, k)
        stride = lane.shared("i64", Shared.PARAMETER_STRIDE)
        given = w.one.place(lane.shared("ptr", Shared.PARAMETERS), w.fresh(f"mul i64 {member}, {stride}"))
        with w.loop(layout.parameters) as i:
            lane.put(w.one.load(given, i), layout.parameter, i)
        lane.put(lane.shared("double", Shared.BEGIN), layout.TIME)
        for place in (layout.TIME_LOW, layout.STEP, layout.CODE, layout.AFTER_REFUSAL, layout.STEPS):
            lane.put(zero, place)
        for place in (layout.REFUSED, layout.UNSOLVED):
            lane.put(zero, place)
        lane.put(w.one.constant(1), layout.FRESH)
        lane.put_whole("0", layout.CROSSED)
        lane.put_whole("0", layout.SAMPLED)
        times, count = lane.shared("ptr", Shared.SAMPLE_TIMES), lane.shared("i64", Shared.SAMPLE_COUNT)
        lane.put(_sample_time(w, times, count, "0"), layout.NEXT_SAMPLE)
