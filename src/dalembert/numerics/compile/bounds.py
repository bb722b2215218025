"""Zeros of events on one step in machine code: what bounds can settle at once, without a call of Python.

A step is handed over as a block of polynomials: for each variable its coefficients in the part s of the step, then two
bounds of their size, and last the time. ``values`` and ``bounds`` are balls of the events at a place and over a part of
the step, ``search`` cuts the step until an event has no zero on a part or is monotone there. What needs more than that
(an event that touches zero, or that two zeros close together) it leaves to :mod:`dalembert.numerics.roots`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate, postorder
from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.looks import halved
from dalembert.numerics.compile.machine import fused
from dalembert.numerics.compile.reader import sincos
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.jets import MORE, ULP, Ball, Jet, Jets
from dalembert.records import dataclass

DEGREE = 7
BLOCK = DEGREE + 3
"""The length of a polynomial in the block: its coefficients, the sum of their sizes, and of those of its slope."""
VALUES, BOUNDS, SEARCH = "@ball.values", "@ball.bounds", "@ball.search"
ROOM = 8
"""How many crossings of an event ``search`` finds on one step; where there are more it gives up."""
_DEEPEST = 10
"""The step is cut in half so often before ``search`` gives up."""
_MOST_LOOKS = 48
SHIFT_ERROR = 16 * ULP
NESTED = ((1, 0), (1, 1), (2, 1), (2, 2), (3, 2), (3, 3), (4, 3))
"""The dense output is y0 + the sum of F_i s^a (1-s)^b with these (a, b)."""


def _powers() -> tuple[tuple[int, ...], ...]:
    rows = []
    for a, b in NESTED:
        row = [0] * (DEGREE + 1)
        sign, choose = 1, 1
        for k in range(b + 1):
            row[a + k] = sign * choose
            sign, choose = -sign, choose * (b - k) // (k + 1)
        rows.append(tuple(row))
    return tuple(rows)


POWERS = _powers()
"""The coefficients of s^a (1-s)^b by powers of s."""


@dataclass(frozen=True, slots=True)
class Value:
    """A number in machine code, with the operators of one."""

    lanes: Lanes
    text: str

    def _with(self, text: str) -> Value:
        return Value(self.lanes, text)

    def __add__(self, other: Value) -> Value:
        """Add."""
        return self._with(self.lanes.add(self.text, other.text))

    def __sub__(self, other: Value) -> Value:
        """Take away."""
        return self._with(self.lanes.sub(self.text, other.text))

    def __mul__(self, other: Value) -> Value:
        """Multiply."""
        return self._with(self.lanes.mul(self.text, other.text))

    def __truediv__(self, other: Value) -> Value:
        """Divide."""
        return self._with(self.lanes.div(self.text, other.text))

    def __neg__(self) -> Value:
        """Return the negative."""
        return self._with(self.lanes.neg(self.text))

    def __abs__(self) -> Value:
        """Return the size."""
        return self._with(self.lanes.magnitude(self.text))


@dataclass(frozen=True, slots=True)
class CodeNumbers:
    """Numbers in machine code, for the reader of jets."""

    lanes: Lanes

    def constant(self, value: float) -> Value:
        """Return a number."""
        return Value(self.lanes, self.lanes.constant(value))

    def where(self, larger: Value, smaller: Value, value: Value) -> Value:
        """Return the value where ``larger > smaller``, elsewhere what is not a number."""
        lanes = self.lanes
        truth = lanes.compare("ogt", larger.text, smaller.text)
        return Value(lanes, lanes.select(truth, value.text, lanes.constant(float("nan"))))

    def function(self, name: str, value: Value) -> Value:
        """Return sqrt, exp, log, atan, asin or acos."""
        text = self.lanes.sqrt(value.text) if name == "sqrt" else self.lanes.library(name, value.text)
        return Value(self.lanes, text)

    def raised(self, value: Value, exponent: float) -> Value:
        """Return a power."""
        return Value(self.lanes, self.lanes.library("pow", value.text, self.lanes.constant(exponent)))

    def sincos(self, value: Value) -> tuple[Value, Value]:
        """Return sine and cosine."""
        sine, cosine = sincos(self.lanes, value.text)
        return Value(self.lanes, sine), Value(self.lanes, cosine)


def excludes(ball: Ball | None, lanes: Lanes) -> str:
    """Return whether a ball does not hold zero; one that is not a number holds everything."""
    if ball is None:
        return lanes.compare("one", lanes.constant(0), lanes.constant(0))
    radius = lanes.constant(0) if ball.radius is None else ball.radius.text
    reach = lanes.add(lanes.mul(radius, lanes.constant(MORE)), lanes.constant(1e-300))
    return lanes.compare("ogt", lanes.magnitude(ball.centre.text), reach)


def used_of(events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]]) -> list[int]:
    """Return the places of the variables that events depend on."""
    return sorted(inputs[node][1] for node in postorder(events) if inputs.get(node, ("", 0))[0] == "%y")


def pack(lanes: Lanes, begin: str, nested: Sequence[str], target: str) -> None:
    """Write the polynomial of one variable into the block, from its value at the begin and the dense output."""
    number = CodeNumbers(lanes).constant
    parts = [Value(lanes, text) for text in nested]
    sizes, slopes = abs(Value(lanes, begin)), number(0)
    lanes.store(begin, target, 0)
    for power in range(1, DEGREE + 1):
        terms = [number(row[power]) * part for row, part in zip(POWERS, parts, strict=True) if row[power]]
        value = Value(lanes, lanes.sum([term.text for term in terms]))
        size = Value(lanes, lanes.sum([abs(term).text for term in terms]))
        sizes, slopes = sizes + size, slopes + number(power) * size
        lanes.store(value.text, target, power)
    lanes.store(sizes.text, target, DEGREE + 1)
    lanes.store(slopes.text, target, DEGREE + 2)


class _Step:
    """The symbols over a part of a step, from the block of polynomials."""

    def __init__(self, w: Writer, inputs: Mapping[Expr, tuple[str, int]], clock: int) -> None:
        self.one, self.inputs, self.clock = w.one, inputs, clock
        self.numbers = CodeNumbers(w.one)

    def known(self, events: Sequence[Expr], middle: Value, radius: Value | None) -> dict[Expr, Jet]:
        """Return jets of order 1 over a width, or balls at a place where there is none."""
        known: dict[Expr, Jet] = {}
        for node in postorder(events):
            base, index = self.inputs.get(node, ("", 0))
            if base == "%p":
                known[node] = [Ball(Value(self.one, self.one.load("%p", index)))]
            elif base == "%t":
                known[node] = self._time(middle, radius)
            elif base == "%y":
                known[node] = self._variable(index, middle, radius)
        return known

    def _load(self, polynomial: int, index: int) -> Value:
        return Value(self.one, self.one.load("%poly", polynomial * BLOCK + index))

    def _time(self, middle: Value, radius: Value | None) -> Jet:
        begin, length = self._load(self.clock, 0), self._load(self.clock, 1)
        rounding = (abs(begin) + abs(length)) * self.numbers.constant(ULP)
        centre = begin + middle * length
        if radius is None:
            return [Ball(centre, rounding)]
        slope = radius * length
        return [Ball(centre, rounding + abs(slope)), Ball(slope, abs(slope) * self.numbers.constant(ULP))]

    def _variable(self, index: int, middle: Value, radius: Value | None) -> Jet:
        number = self.numbers.constant
        row = [self._load(index, k) for k in range(DEGREE + 1)]
        error = self._load(index, DEGREE + 1) * number(SHIFT_ERROR)
        if radius is None:
            centre = row[-1]
            for coefficient in row[-2::-1]:
                centre = centre * middle + coefficient
            return [Ball(centre, error)]
        for first in range(DEGREE):
            for k in reversed(range(first, DEGREE)):
                row[k] = row[k] + middle * row[k + 1]
        width, spread, bend = radius, number(0), number(0)
        slope = row[1] * radius
        for k in range(1, DEGREE + 1):
            size = abs(row[k]) * width
            spread = spread + size
            if k > 1:
                bend = bend + number(k) * size
            width = width * radius
        beside = self._load(index, DEGREE + 2) * number(SHIFT_ERROR) * radius
        return [Ball(row[0], error + beside + spread), Ball(slope, beside + bend)]


def search_functions(events: Sequence[Expr], inputs: Mapping[Expr, tuple[str, int]], clock: int) -> list[Writer]:
    """Return the functions, three for each event; the time is the polynomial at ``clock`` of the block."""
    made = []
    for k, event in enumerate(events):
        made += [_values(k, event, inputs, clock), _bounds(k, event, inputs, clock), _search(k)]
    return made


def _values(k: int, event: Expr, inputs: Mapping[Expr, tuple[str, int]], clock: int) -> Writer:
    """Return ``values(poly, p, s, out)``: centre and radius of an event at a place."""
    arguments = [("ptr", "%poly"), ("ptr", "%p"), ("double", "%s"), ("ptr", "%out")]
    w = Writer(f"{VALUES}.{k}", "void", arguments, fused=fused())
    known = _Step(w, inputs, clock).known([event], Value(w.one, "%s"), None)
    ball = evaluate([event], Jets(CodeNumbers(w.one), 0, known))[0][0]
    zero = w.one.constant(0)
    w.one.store(zero if ball is None else ball.centre.text, "%out", 0)
    w.one.store(zero if ball is None or ball.radius is None else ball.radius.text, "%out", 1)
    w.give("void", "")
    return w


def _bounds(k: int, event: Expr, inputs: Mapping[Expr, tuple[str, int]], clock: int) -> Writer:
    """Return ``bounds(poly, p, a, b) -> kind``: 1 where an event has no zero, 2 where it is monotone, 0 else."""
    arguments = [("ptr", "%poly"), ("ptr", "%p"), ("double", "%a"), ("double", "%b")]
    w = Writer(f"{BOUNDS}.{k}", "double", arguments, fused=fused())
    one, numbers, step = w.one, CodeNumbers(w.one), _Step(w, inputs, clock)
    half, a, b = numbers.constant(0.5), Value(w.one, "%a"), Value(w.one, "%b")
    middle, radius = (a + b) * half, (b - a) * half
    over = evaluate([event], Jets(numbers, 1, step.known([event], middle, radius)))[0]
    at = evaluate([event], Jets(numbers, 0, step.known([event], middle, None)))[0][0]
    slope = over[1] if len(over) > 1 else None
    quiet = excludes(over[0], one)
    if at is not None:
        reach = _sum(at.radius, None if slope is None else abs(slope.centre), slope and slope.radius)
        quiet = one.either(quiet, excludes(Ball(at.centre, reach), one))
    monotone = one.select(excludes(slope, one), one.constant(2), one.constant(0))
    w.give("double", one.select(quiet, one.constant(1), monotone))
    return w


def _sum(*values: Any) -> Any:
    total = None
    for value in values:
        if value is not None:
            total = value if total is None else total + value
    return total


def _search(k: int) -> Writer:
    """Return ``search(poly, p, fresh, out) -> count``: crossings of an event, or -1 where they are not settled.

    For each crossing the part of the step where it is, and the sign after it; behind them how often it was bounded.
    On a ``fresh`` step, the first of a motion, the event may begin at zero: to leave that is no crossing.
    """
    arguments = [("ptr", "%poly"), ("ptr", "%p"), ("i1", "%fresh"), ("ptr", "%out")]
    w = Writer(f"{SEARCH}.{k}", "i64", arguments, fused=fused())
    one, const = w.one, w.one.constant
    found = w.reserve("i64")
    place, width, looks = (w.reserve("double") for _ in range(3))
    w.line(f"store i64 0, ptr {found}")
    for where, value in ((place, 0), (width, 1), (looks, 0)):
        one.store(const(value), where)
    with w.forever() as (head, done):
        size, left = one.load(width), one.load(place)
        right = one.add(left, size)
        w.leave_to(done, one.compare("oge", left, const(1)))
        one.store(one.add(one.load(looks), const(1)), looks)
        one.store(one.load(looks), "%out", 2 * ROOM)
        given = [("ptr", "%poly"), ("ptr", "%p"), ("double", left), ("double", right)]
        kind = w.call("double", f"{BOUNDS}.{k}", given)
        with w.when(one.compare("oeq", kind, const(0))):
            half = one.mul(size, const(0.5))
            many = one.compare("ogt", one.load(looks), const(_MOST_LOOKS))
            with w.when(one.either(one.compare("olt", half, const(2.0**-_DEEPEST)), many)):
                w.give("i64", "-1")
            one.store(half, width)
            w.line(f"br label %{head}")
        with w.when(one.compare("oeq", kind, const(2))):
            _crossing(w, k, left, right, found)
        one.store(right, place)
        _grow(w, right, width)
    w.give("i64", w.fresh(f"load i64, ptr {found}"))
    return w


def _grow(w: Writer, place: str, width: str) -> None:
    """Take the widest part that may begin at a place: where it stands on a multiple of twice the width, twice that."""
    one, const = w.one, w.one.constant
    with w.forever() as (_, enough):
        size = one.load(width)
        double = one.mul(size, const(2))
        ratio = one.div(place, double)
        w.leave_to(enough, one.compare("one", one.intrinsic("floor", ratio), ratio))
        w.leave_to(enough, one.compare("oge", size, const(0.5)))
        one.store(double, width)


def _value(w: Writer, k: int, part: str) -> Ball:
    """Return the ball of an event at a place."""
    room = w.reserve("double", 2)
    w.call("void", f"{VALUES}.{k}", [("ptr", "%poly"), ("ptr", "%p"), ("double", part), ("ptr", room)])
    return Ball(Value(w.one, w.one.load(room, 0)), Value(w.one, w.one.load(room, 1)))


def _sign(w: Writer, k: int, part: str) -> str:
    """Return the sign of the event at a place: 1, -1, or 0 where rounding hides it."""
    one, const, ball = w.one, w.one.constant, _value(w, k, part)
    return one.select(excludes(ball, one), one.intrinsic("copysign", const(1), ball.centre.text), const(0))


def _crossing(w: Writer, k: int, left: str, right: str, found: str) -> None:
    """Note the crossing on a part where the event is monotone, if its signs differ; give up where they are hidden."""
    one, const = w.one, w.one.constant
    before, after = _sign(w, k, left), _sign(w, k, right)
    product = one.mul(before, after)
    begins = w.fresh(f"and i1 %fresh, {one.compare('oeq', left, const(0))}")
    excused = one.select(begins, const(1), before)
    hidden = one.compare("oeq", one.mul(excused, after), const(0))
    count = w.fresh(f"load i64, ptr {found}")
    full = w.fresh(f"icmp sge i64 {count}, {ROOM}")
    with w.when(one.either(hidden, full)):
        w.give("i64", "-1")
    with w.when(one.compare("olt", product, const(0))):
        zero = halved(w, left, right, after, lambda middle: _value(w, k, middle).centre.text)
        at = w.fresh(f"mul i64 {count}, 2")
        one.store(zero, "%out", at)
        one.store(after, "%out", w.fresh(f"add i64 {at}, 1"))
        w.line(f"store i64 {w.fresh(f'add i64 {count}, 1')}, ptr {found}")
