"""Gaussian elimination with row exchanges as two compiled functions, for matrices that are too large to be written out
and for points where the natural order fails.

Memory of a matrix of n rows with stride s: n rows of U (each stays where its equation stood), then n rows with the
columns of L, then the order in which the rows were taken, as whole numbers. Rows are taken whole chunks at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.readers.floats import NULL_PIVOT, SWEEPS
from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.writer import Writer

FACTORISE = "@pivoting.factorise"
SUBSTITUTE = "@pivoting.substitute"

_DEGENERATE = 1e-14
"""What is left of a row, relative to what it was, when nothing is left but rounding."""


def _offset(w: Writer, row: str, stride: str) -> str:
    return w.fresh(f"mul i64 {row}, {stride}")


def factorise_function(*, fused: bool) -> Writer:
    """Return ``(memory, n, stride) -> 1 where the matrix is singular, else 0``."""
    w = Writer(FACTORISE, "i32", [("ptr", "%a"), ("i64", "%n"), ("i64", "%s")], fused=fused, linkage="internal")
    one, chunks = w.one, w.chunks
    zero = one.constant(0)
    square = _offset(w, "%n", "%s")
    lower = one.place("%a", square)
    order = w.value(f"getelementptr double, ptr {lower}, i64 {square}")
    scale = w.fresh("alloca double, i64 %n")
    taken = w.fresh("alloca i8, i64 %n")
    best, at, singular = w.reserve("double"), w.reserve("i64"), w.reserve("i32")
    w.line(f"store i32 0, ptr {singular}")
    with w.loop("%n") as i:
        w.line(f"store i8 0, ptr {w.fresh(f'getelementptr i8, ptr {taken}, i64 {i}')}")
        row = one.place("%a", _offset(w, i, "%s"))
        one.store(zero, best)
        with w.loop("%n") as j:
            one.store(one.largest(one.load(best), one.magnitude(one.load(row, j))), best)
        one.store(one.load(best), scale, i)
    with w.loop("%n") as k:
        one.store(one.constant(-1), best)
        w.line(f"store i64 0, ptr {at}")
        with w.loop("%n") as i:  # the row that keeps most of itself in this column
            row = one.place("%a", _offset(w, i, "%s"))
            part = one.div(one.magnitude(one.load(row, k)), one.load(scale, i))
            used = w.fresh(f"load i8, ptr {w.fresh(f'getelementptr i8, ptr {taken}, i64 {i}')}")
            free = w.fresh(f"icmp eq i8 {used}, 0")
            more = w.fresh(f"and i1 {free}, {one.compare('ogt', part, one.load(best))}")
            with w.when(more):
                one.store(part, best)
                w.line(f"store i64 {i}, ptr {at}")
        pivot_row = w.fresh(f"load i64, ptr {at}")
        w.line(f"store i8 1, ptr {w.fresh(f'getelementptr i8, ptr {taken}, i64 {pivot_row}')}")
        w.line(f"store i64 {pivot_row}, ptr {w.fresh(f'getelementptr i64, ptr {order}, i64 {k}')}")
        with w.when(one.compare("olt", one.load(best), one.constant(_DEGENERATE))):
            w.line(f"store i32 1, ptr {singular}")
        pivot = one.place("%a", _offset(w, pivot_row, "%s"))
        inverse = one.div(one.constant(1), one.load(pivot, k))
        column = one.place(lower, _offset(w, k, "%s"))
        first = w.fresh(f"udiv i64 {k}, {CHUNK}")
        last = w.fresh(f"udiv i64 %s, {CHUNK}")
        with w.loop("%n") as i:
            used = w.fresh(f"load i8, ptr {w.fresh(f'getelementptr i8, ptr {taken}, i64 {i}')}")
            with w.when(w.fresh(f"icmp eq i8 {used}, 0")):
                row = one.place("%a", _offset(w, i, "%s"))
                ratio = one.mul(one.load(row, k), inverse)
                one.store(ratio, column, i)
                many = chunks.spread(one.neg(ratio))
                with w.loop(last, first) as c:
                    chunks.store(chunks.add(chunks.mul(many, chunks.load(pivot, c)), chunks.load(row, c)), row, c)
    w.give("i32", w.fresh(f"load i32, ptr {singular}"))
    return w


def substitute_function(*, fused: bool) -> Writer:
    """Return ``(memory, right-hand side, answer, n, stride)``, all padded; the right-hand side is used up."""
    parameters = [("ptr", "%a"), ("ptr", "%b"), ("ptr", "%x"), ("i64", "%n"), ("i64", "%s")]
    w = Writer(SUBSTITUTE, "void", parameters, fused=fused, linkage="internal")
    one, chunks = w.one, w.chunks
    square = _offset(w, "%n", "%s")
    lower = one.place("%a", square)
    order = w.value(f"getelementptr double, ptr {lower}, i64 {square}")
    last = w.fresh(f"udiv i64 %s, {CHUNK}")
    total = w.reserve(chunks.type)
    with w.loop(last) as c:
        chunks.store(chunks.constant(0), "%x", c)
    with w.loop("%n") as k:
        row = w.fresh(f"load i64, ptr {w.fresh(f'getelementptr i64, ptr {order}, i64 {k}')}")
        many = chunks.spread(one.neg(one.load("%b", row)))
        column = one.place(lower, _offset(w, k, "%s"))
        with w.loop(last) as c:
            chunks.store(chunks.add(chunks.mul(many, chunks.load(column, c)), chunks.load("%b", c)), "%b", c)
    with w.loop("%n") as back:
        k = w.fresh(f"sub i64 {w.fresh(f'sub i64 %n, {back}')}, 1")
        row = w.fresh(f"load i64, ptr {w.fresh(f'getelementptr i64, ptr {order}, i64 {k}')}")
        line = one.place("%a", _offset(w, row, "%s"))
        chunks.store(chunks.constant(0), total)
        first = w.fresh(f"udiv i64 {k}, {CHUNK}")
        with w.loop(last, first) as c:
            chunks.store(chunks.add(chunks.mul(chunks.load(line, c), chunks.load("%x", c)), chunks.load(total)), total)
        parts = chunks.load(total)
        known = one.sum([chunks.lane(parts, i) for i in range(CHUNK)])
        one.store(one.div(one.sub(one.load("%b", row), known), one.load(line, k)), "%x", k)
    w.give("void", "")
    return w


# -- systems whose rank may fall -----------------------------------------------------------------------------
# The basic solution of a linear system whose rank may be less than its size, as a compiled function.
#
# It is what :mod:`dalembert.expr.readers.floats` does: rows and columns scaled, pivots by size in both, no more than
# the rank. Memory: n rows of stride s, each with its right-hand side behind it; the matrix is used up. Where fewer
# pivots than the rank are found, what is left of the right-hand side must be nothing but rounding: else there is no
# solution.
BASIC = "@basic.solve"
_CONSISTENT = 1e-6
"""So much of the right-hand side may be left in rows without a pivot."""


def solve_basic(lanes: Lanes, entries: Sequence[str | None], size: int, rank: int, status: str) -> list[str]:
    """Return the basic solution; entries are those of the matrix, by rows, then the right-hand side, None for zeros."""
    answers = [_alone(lanes, entries, size, rank, status, lane) for lane in range(lanes.width)]
    if lanes.width == 1:
        return answers[0]
    return [lanes.together([answer[i] for answer in answers]) for i in range(size)]


def _alone(lanes: Lanes, entries: Sequence[str | None], size: int, rank: int, status: str, lane: int) -> list[str]:
    """Return the solution of one lane; side by side it is not a number where there is none."""
    w, one = lanes.writer, lanes.writer.one
    stride = size + 1
    memory, answer = w.reserve("double", size * stride), w.reserve("double", size)
    for place, entry in enumerate(entries):
        row, column = divmod(place, size) if place < size * size else (place - size * size, size)
        one.store(one.constant(0) if entry is None else lanes.lane(entry, lane), memory, row * stride + column)
    given = [("ptr", memory), ("ptr", answer), *(("i64", str(n)) for n in (size, stride, rank))]
    unsolved = w.call("i32", BASIC, given)
    values = [one.load(answer, i) for i in range(size)]
    if lanes.width > 1:
        lost, nothing = w.fresh(f"icmp ne i32 {unsolved}, 0"), one.constant(float("nan"))
        return [one.select(lost, nothing, value) for value in values]
    before = w.fresh(f"load i32, ptr {status}")
    w.line(f"store i32 {w.fresh(f'or i32 {before}, {unsolved}')}, ptr {status}")
    return values


class _Elimination:
    """The function on its way."""

    def __init__(self, *, fused: bool) -> None:
        given = [("ptr", "%a"), ("ptr", "%x"), ("i64", "%n"), ("i64", "%s"), ("i64", "%rank")]
        self.w = w = Writer(BASIC, "i32", given, fused=fused, linkage="internal")
        self.one = w.one
        self.widths = w.fresh("alloca double, i64 %n")
        self.order = w.fresh("alloca i64, i64 %n")
        self.best, self.wrong = w.reserve("double"), w.reserve("double")
        self.row, self.column, self.found = (w.reserve("i64") for _ in range(3))

    def place(self, i: str, j: str) -> str:
        """Return the address of an entry."""
        w = self.w
        row = w.fresh(f"mul i64 {i}, %s")
        return w.fresh(f"getelementptr double, ptr %a, i64 {w.fresh(f'add i64 {row}, {j}')}")

    def entry(self, i: str, j: str) -> str:
        return self.one.load(self.place(i, j))

    def order_of(self, k: str) -> str:
        return self.w.fresh(f"getelementptr i64, ptr {self.order}, i64 {k}")

    def whole(self, place: str) -> str:
        return self.w.fresh(f"load i64, ptr {place}")

    def write(self) -> Writer:
        """Return the whole function."""
        w, one = self.w, self.one
        self._begin()
        with w.loop(SWEEPS):
            self._scale(by_rows=True)
            self._scale(by_rows=False)
        w.line(f"store i64 0, ptr {self.found}")
        with w.loop("%rank") as k, w.when(w.fresh(f"icmp eq i64 {self.whole(self.found)}, {k}")):
            self._search(k)
            with w.when(one.compare("ogt", one.load(self.best), one.constant(NULL_PIVOT))):
                self._exchange(k)
                self._eliminate(k)
                w.line(f"store i64 {w.fresh(f'add i64 {k}, 1')}, ptr {self.found}")
        self._substitute()
        w.give("i32", w.fresh(f"zext i1 {self._contradicts()} to i32"))
        return w

    def _begin(self) -> None:
        """Note the order of the unknowns, and whether an entry is not finite: x - x is 0 for numbers only."""
        w, one = self.w, self.one
        one.store(one.constant(0), self.wrong)
        behind = w.fresh("add i64 %n, 1")
        with w.loop("%n") as i:
            w.line(f"store i64 {i}, ptr {self.order_of(i)}")
            one.store(one.constant(1), self.widths, i)
            with w.loop(behind) as j:
                value = self.entry(i, j)
                one.store(one.add(one.load(self.wrong), one.sub(value, value)), self.wrong)

    def _scale(self, *, by_rows: bool) -> None:
        """Divide every row, or column, by about the root of its largest entry."""
        w, one = self.w, self.one
        with w.loop("%n") as i:
            one.store(one.constant(0), self.best)
            with w.loop("%n") as j:
                size = one.magnitude(self.entry(i, j) if by_rows else self.entry(j, i))
                one.store(one.largest(one.load(self.best), size), self.best)
            largest = one.load(self.best)
            some = one.compare("ogt", largest, one.constant(0))
            factor = self._one_over_root(one.select(some, largest, one.constant(1)))
            with w.loop(w.fresh("add i64 %n, 1") if by_rows else "%n") as j:
                place = self.place(i, j) if by_rows else self.place(j, i)
                one.store(one.mul(one.load(place), factor), place)
            if not by_rows:
                one.store(one.mul(one.load(self.widths, i), factor), self.widths, i)

    def _one_over_root(self, size: str) -> str:
        """Return one over the root of a size, to the next power of two, from its exponent: then scaling is exact."""
        w, one = self.w, self.one
        exponent = w.fresh(f"sub i64 {w.fresh(f'lshr i64 {one.bits(size)}, 52')}, 1023")
        half = w.fresh(f"ashr i64 {exponent}, 1")
        return one.from_bits(w.fresh(f"shl i64 {w.fresh(f'sub i64 1023, {half}')}, 52"))

    def _search(self, k: str) -> None:
        """Find the largest entry that is left."""
        w, one = self.w, self.one
        one.store(one.constant(0), self.best)
        with w.loop("%n", k) as i, w.loop("%n", k) as j:
            size = one.magnitude(self.entry(i, j))
            with w.when(one.compare("ogt", size, one.load(self.best))):
                one.store(size, self.best)
                w.line(f"store i64 {i}, ptr {self.row}")
                w.line(f"store i64 {j}, ptr {self.column}")

    def _exchange(self, k: str) -> None:
        """Bring the pivot to its place."""
        w = self.w
        row, column = self.whole(self.row), self.whole(self.column)
        with w.loop(w.fresh("add i64 %n, 1"), k) as j:
            self._swap(self.place(k, j), self.place(row, j))
        with w.loop("%n") as i:
            self._swap(self.place(i, k), self.place(i, column))
        here, there = self.order_of(k), self.order_of(column)
        first, second = self.whole(here), self.whole(there)
        w.line(f"store i64 {second}, ptr {here}")
        w.line(f"store i64 {first}, ptr {there}")

    def _swap(self, here: str, there: str) -> None:
        one = self.one
        first, second = one.load(here), one.load(there)
        one.store(second, here)
        one.store(first, there)

    def _eliminate(self, k: str) -> None:
        """Take the pivot's row from those below it."""
        w, one = self.w, self.one
        inverse = one.div(one.constant(1), self.entry(k, k))
        after = w.fresh(f"add i64 {k}, 1")
        with w.loop("%n", after) as i:
            ratio = one.neg(one.mul(self.entry(i, k), inverse))
            with w.loop(w.fresh("add i64 %n, 1"), after) as j:
                place = self.place(i, j)
                one.store(one.add(one.mul(ratio, self.entry(k, j)), one.load(place)), place)

    def _substitute(self) -> None:
        """Solve for the unknowns that have a pivot; the others are zero, or not numbers where an entry is none."""
        w, one = self.w, self.one
        found, wrong = self.whole(self.found), one.load(self.wrong)
        scratch = w.fresh("alloca double, i64 %n")
        with w.loop("%n") as i:
            one.store(wrong, scratch, i)
        with w.loop(found) as back:
            k = w.fresh(f"sub i64 {w.fresh(f'sub i64 {found}, {back}')}, 1")
            one.store(one.add(self.entry(k, "%n"), wrong), self.best)
            with w.loop(found, w.fresh(f"add i64 {k}, 1")) as j:
                taken = one.mul(self.entry(k, j), one.load(scratch, j))
                one.store(one.sub(one.load(self.best), taken), self.best)
            one.store(one.div(one.load(self.best), self.entry(k, k)), scratch, k)
        with w.loop("%n") as k:
            place = self.whole(self.order_of(k))
            one.store(one.mul(one.load(scratch, k), one.load(self.widths, place)), "%x", place)

    def _contradicts(self) -> str:
        """Return whether pivots are missing and the rows without one do not agree with the others."""
        w, one = self.w, self.one
        found = self.whole(self.found)
        largest, left = w.reserve("double"), w.reserve("double")
        for place in (largest, left):
            one.store(one.constant(0), place)
        with w.loop("%n") as i:
            size = one.magnitude(self.entry(i, "%n"))
            one.store(one.largest(one.load(largest), size), largest)
            with w.when(w.fresh(f"icmp sge i64 {i}, {found}")):
                one.store(one.largest(one.load(left), size), left)
        missing = w.fresh(f"icmp slt i64 {found}, %rank")
        most = one.mul(one.load(largest), one.constant(_CONSISTENT))
        return w.fresh(f"and i1 {missing}, {one.compare('ogt', one.load(left), most)}")


def basic_function(*, fused: bool) -> Writer:
    """Return ``(memory, answer, n, stride, rank) -> 1 where there is no solution, else 0``."""
    return _Elimination(fused=fused).write()
