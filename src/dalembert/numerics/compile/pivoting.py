"""Gaussian elimination with row exchanges as two compiled functions, for matrices that are too large to be written out
and for points where the natural order fails.

Memory of a matrix of n rows with stride s: n rows of U (each stays where its equation stood), then n rows with the
columns of L, then the order in which the rows were taken, as whole numbers. Rows are taken whole chunks at a time.
"""

from __future__ import annotations

from dalembert.numerics.compile.lanes import CHUNK
from dalembert.numerics.compile.writer import Writer

__all__ = ["FACTORISE", "SUBSTITUTE", "factorise_function", "substitute_function"]

FACTORISE = "@pivoting.factorise"
SUBSTITUTE = "@pivoting.substitute"

_DEGENERATE = 1e-14
"""What is left of a row, relative to what it was, when nothing is left but rounding."""


def _offset(w: Writer, row: str, stride: str) -> str:
    return w.fresh(f"mul i64 {row}, {stride}")


def factorise_function() -> Writer:
    """Return ``(memory, n, stride) -> 1 where the matrix is singular, else 0``."""
    w = Writer(FACTORISE, "i32", [("ptr", "%a"), ("i64", "%n"), ("i64", "%s")], linkage="internal")
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


def substitute_function() -> Writer:
    """Return ``(memory, right-hand side, answer, n, stride)``, all padded; the right-hand side is used up."""
    parameters = [("ptr", "%a"), ("ptr", "%b"), ("ptr", "%x"), ("i64", "%n"), ("i64", "%s")]
    w = Writer(SUBSTITUTE, "void", parameters, linkage="internal")
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
