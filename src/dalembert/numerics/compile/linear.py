"""Linear systems inside compiled functions.

Small ones are written out in an order fixed once (``elimination``). Where a pivot is not trusted, and for large systems
always, a loop with row exchanges takes over (``pivoting``), and only what defeats that is singular.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from dalembert.numerics.compile.elimination import (
    Elimination,
    Entry,
    SaddleElimination,
    minus,
    order_of,
    products,
)
from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.pivoting import FACTORISE, SUBSTITUTE
from dalembert.numerics.compile.writer import Writer
from dalembert.records import dataclass

MOST_WRITTEN_OUT = 600
"""Beyond so many products a loop costs less: it compiles at once, and takes whole rows.

Measured on chains of pendulums (full matrices): with 14 links 0.5 s to compile written out and 0.3 s as a loop, 1.9 and
2.7 microseconds to run; with 28 links 3.0 s and 2.0 s, 9.3 and 12.5 microseconds. A long motion is 50,000 evaluations.
"""
_WEAK = 1e-9
"""A pivot smaller than this part of what it was made of is not trusted."""
WEAK_SADDLE = 1e-4
"""A saddle matrix is eliminated masses first, which squares the rows of its constraints: a pivot that has lost so many
digits costs twice as many as the constraints are short of being dependent."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A matrix made ready for solves: written out, or in memory.

    Written out, its rows and columns are taken in an order of their own; the last two are solved by their determinant,
    since two divisions that wait for each other cost more than all the products.
    """

    entries: tuple[Entry, ...]
    size: int
    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    lower: tuple[tuple[Entry, ...], ...] = ()
    """Below the diagonal: L, with ones on the diagonal that are not written."""
    upper: tuple[tuple[Entry, ...], ...] = ()
    """Above the diagonal: L^T, or U divided by its diagonal."""
    inverses: tuple[str, ...] = ()
    """One over each pivot."""
    tail: tuple[Entry, ...] = ()
    """The last two rows, by rows, when all others are eliminated; then one over their determinant."""
    weak: str = "false"
    """Whether a pivot must not be trusted."""
    memory: str = ""
    """Where the loop has left its factors."""


def padded(size: int) -> int:
    """Return the size of an array in whole chunks."""
    return -(-size // CHUNK) * CHUNK


def factorise(
    lanes: Lanes,
    entries: Sequence[Entry],
    size: int,
    status: str,
    still: AbstractSet[int] = frozenset(),
    inverses: Mapping[str, str] | None = None,
    *,
    saddle: bool = False,
) -> Factor:
    """Prepare a matrix, given by rows. ``status`` is the address of what the function returns.

    The entries at the places ``still`` are constant along a motion; they make the best pivots, and one over them may
    be known from ``inverses``. In a ``saddle`` matrix masses are positive.
    """
    if lanes.width == 1 and products(entries, size) > MOST_WRITTEN_OUT:
        return Factor(tuple(entries), size, memory=_by_loop(lanes.writer, entries, size, status))
    symmetric = all(entries[i * size + j] == entries[j * size + i] for i in range(size) for j in range(i))
    rows, columns = order_of(entries, size, still, symmetric=symmetric)
    table = [[entries[i * size + j] for j in columns] for i in rows]
    apart = sum(i != j for i, j in zip(rows, columns, strict=True)) if symmetric else size
    kind = SaddleElimination if saddle and symmetric else Elimination
    made = kind(lanes, table, apart, WEAK_SADDLE if saddle else _WEAK, inverses or {})
    triangles = tuple(map(tuple, made.lower)), tuple(map(tuple, made.upper))
    return Factor(
        tuple(entries), size, tuple(rows), tuple(columns), *triangles, tuple(made.inverses), made.tail, made.weak
    )


def solve(
    lanes: Lanes,
    factor: Factor,
    rhs: Sequence[Entry],
    status: str,
    rescue: Callable[[], Sequence[str]] | None = None,
) -> list[str]:
    """Return the solution for a right-hand side; ``rescue`` finds it where a pivot is weak, else row exchanges do."""
    zero = lanes.constant(0)
    if factor.memory:
        return _substitute(lanes.writer, factor.memory, [b or zero for b in rhs], factor.size)
    size, many = factor.size, len(factor.inverses)
    x: list[Entry] = [rhs[i] for i in factor.rows]
    for i in range(size):
        x[i] = minus(lanes, x[i], _products(lanes, [(factor.lower[i][j], x[j]) for j in range(min(i, many))]))
    for i in range(many):
        x[i] = None if x[i] is None else lanes.mul(x[i] or zero, factor.inverses[i])
    if factor.tail:
        a, b, c, d, inverse = factor.tail
        p, q = x[-2:]
        first = minus(lanes, _times(lanes, p, d), _products(lanes, [(q, b)]))
        second = minus(lanes, _times(lanes, q, a), _products(lanes, [(p, c)]))
        x[-2:] = [_times(lanes, first, inverse), _times(lanes, second, inverse)]
    for i in reversed(range(many)):
        x[i] = minus(lanes, x[i], _products(lanes, [(factor.upper[i][j], x[j]) for j in range(i + 1, size)]))
    answer = [zero] * size
    for place, value in zip(factor.columns, x, strict=True):
        answer[place] = value or zero
    return _rescued(lanes, factor, [b or zero for b in rhs], answer, status, rescue)


def _times(lanes: Lanes, a: Entry, b: Entry) -> Entry:
    return None if a is None or b is None else lanes.mul(a, b)


def _products(lanes: Lanes, pairs: Sequence[tuple[Entry, Entry]]) -> list[str]:
    return [lanes.mul(a, b) for a, b in pairs if a is not None and b is not None]


def _rescued(
    lanes: Lanes,
    factor: Factor,
    rhs: list[str],
    quick: list[str],
    status: str,
    rescue: Callable[[], Sequence[str]] | None,
) -> list[str]:
    """Return the quick solution, or where a pivot was weak that of the rescue or of the loop with row exchanges.

    Side by side a lane takes the second only if it needs it itself, and is not a number where it is singular.
    """
    writer, size = lanes.writer, factor.size
    zero, nothing = lanes.constant(0), writer.one.constant(float("nan"))

    def alone(lane: int) -> list[str]:
        entries = [lanes.lane(entry or zero, lane) for entry in factor.entries]
        known = [lanes.lane(b, lane) for b in rhs]
        if lanes.width == 1:
            return _substitute(writer, _by_loop(writer, entries, size, status), known, size)
        singular = writer.reserve("i32")
        writer.line(f"store i32 0, ptr {singular}")
        answer = _substitute(writer, _by_loop(writer, entries, size, singular), known, size)
        lost = writer.fresh(f"icmp ne i32 {writer.fresh(f'load i32, ptr {singular}')}, 0")
        return [writer.one.select(lost, nothing, value) for value in answer]

    def with_exchanges() -> list[str]:
        if rescue is None:
            answers = [alone(lane) for lane in range(lanes.width)]
            rows = [lanes.together([answer[i] for answer in answers]) for i in range(size)]
        else:
            rows = list(rescue())
        if lanes.width == 1:
            return rows
        return [lanes.select(factor.weak, row, value) for row, value in zip(rows, quick, strict=True)]

    return writer.unless(lanes.any(factor.weak), lanes.type, quick, with_exchanges)


def _by_loop(writer: Writer, entries: Sequence[Entry], size: int, status: str) -> str:
    """Write a matrix into memory and have it factorised there: rows of U, columns of L, the order of the rows."""
    one, stride = writer.one, padded(size)
    memory = writer.reserve("double", (2 * size + 1) * stride)
    writer.call(
        "void", "@llvm.memset.p0.i64", [("ptr", memory), ("i8", "0"), ("i64", str(16 * size * stride)), ("i1", "false")]
    )
    for place, entry in enumerate(entries):
        if entry is not None:
            row, column = divmod(place, size)
            one.store(entry, memory, row * stride + column)
    singular = writer.call("i32", FACTORISE, [("ptr", memory), ("i64", str(size)), ("i64", str(stride))])
    before = writer.fresh(f"load i32, ptr {status}")
    writer.line(f"store i32 {writer.fresh(f'or i32 {before}, {singular}')}, ptr {status}")
    return memory


def _substitute(writer: Writer, memory: str, rhs: Sequence[str], size: int) -> list[str]:
    """Solve with factors in memory."""
    one, stride = writer.one, padded(size)
    right, answer = writer.reserve("double", stride), writer.reserve("double", stride)
    for i in range(stride):
        one.store(rhs[i] if i < size else one.constant(0), right, i)
    sizes = [("i64", str(size)), ("i64", str(stride))]
    writer.call("void", SUBSTITUTE, [("ptr", memory), ("ptr", right), ("ptr", answer), *sizes])
    return [one.load(answer, i) for i in range(size)]
