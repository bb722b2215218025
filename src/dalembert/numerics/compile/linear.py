"""Linear systems inside compiled functions.

Small ones are written out, zeros left out: L D L^T where the matrix is symmetric, L D U else, in an order fixed once. A
pivot much smaller than what it was made of says that this order is a bad one at this point; then, and for large
systems always, a loop with row exchanges takes over (``pivoting``), and only what defeats that is singular.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.pivoting import FACTORISE, SUBSTITUTE
from dalembert.numerics.compile.writer import Writer

MOST_WRITTEN_OUT = 600
"""Beyond so many products a loop costs less: it compiles at once, and takes whole rows.

Measured on chains of pendulums (full matrices): with 14 links 0.5 s to compile written out and 0.3 s as a loop, 1.9 and
2.7 microseconds to run; with 28 links 3.0 s and 2.0 s, 9.3 and 12.5 microseconds. A long motion is 50,000 evaluations.
"""
_WEAK = 1e-9
"""A pivot smaller than this part of what it was made of is not trusted."""

_DROWNED = 1e4
"""Where so many times a diagonal entry is taken from it, its own digits are lost; never where a matrix is positive."""

Entry = str | None
"""A value, or None for a zero that is known to be one."""


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
    weak: float = _WEAK,
) -> Factor:
    """Prepare a matrix, given by rows. ``status`` is the address of what the function returns.

    The entries at the places ``still`` are constant along a motion; they make the best pivots. A pivot that is smaller
    than the part ``weak`` of what it was made of is not trusted.
    """
    if lanes.width == 1 and products(entries, size) > MOST_WRITTEN_OUT:
        return Factor(tuple(entries), size, memory=_by_loop(lanes.writer, entries, size, status))
    symmetric = all(entries[i * size + j] == entries[j * size + i] for i in range(size) for j in range(i))
    rows, columns = order_of(entries, size, still, symmetric=symmetric)
    table = [[entries[i * size + j] for j in columns] for i in rows]
    elimination = _Elimination(lanes, table, weak, symmetric=symmetric)
    return elimination.factor(tuple(entries), tuple(rows), tuple(columns))


def order_of(
    entries: Sequence[Entry], size: int, still: AbstractSet[int], *, symmetric: bool
) -> tuple[list[int], list[int]]:
    """Return in which order rows and columns are taken: constant pivots first, then the natural ones, zeros never."""
    filled = [[entries[i * size + j] is not None for j in range(size)] for i in range(size)]
    left_rows, left_columns = list(range(size)), list(range(size))
    rows: list[int] = []
    columns: list[int] = []
    quiet = set(still)
    while left_rows:
        natural = [(i, i) for i in left_rows if i in left_columns]
        anywhere = natural if symmetric else [(i, j) for i in left_rows for j in left_columns]
        places = [(i, j) for i, j in anywhere if filled[i][j] and i * size + j in quiet]
        places = places or [(i, j) for i, j in natural if filled[i][j]]
        places = places or [(i, j) for i, j in anywhere if filled[i][j]]
        i, j = places[0] if places else (left_rows[0], left_rows[0] if symmetric else left_columns[0])
        rows.append(i)
        columns.append(j)
        left_rows.remove(i)
        left_columns.remove(j)
        for k in left_rows:
            for m in left_columns:
                if filled[k][j] and filled[i][m]:
                    filled[k][m] = True
                    quiet.discard(k * size + m)
    return rows, columns


def products(entries: Sequence[Entry], size: int) -> int:
    """Return how many products the elimination in the natural order takes, zeros left out."""
    rows = [{j for j in range(size) if entries[i * size + j] is not None} for i in range(size)]
    count = 0
    for k in range(size):
        right = {j for j in rows[k] if j > k}
        for i in range(k + 1, size):
            if k in rows[i]:
                count += len(right)
                rows[i] |= right
    return count


class _Elimination:
    """The factorisation written out: A = L D U, where A is symmetric with U = L^T and half the work."""

    def __init__(self, lanes: Lanes, table: list[list[Entry]], least: float, *, symmetric: bool) -> None:
        self.lanes, self.table, self.size, self.least = lanes, table, len(table), least
        self.many = self.size - 2 if self.size > 1 else self.size
        """How many pivots are taken one by one."""
        self.lower: list[list[Entry]] = [[None] * self.size for _ in table]
        self.upper: list[list[Entry]] = [[None] * self.size for _ in table]
        self.work: list[list[Entry]] = [[None] * self.size for _ in table]
        """L D below the diagonal, D U above it."""
        self.inverses: list[str] = []
        self.weak = "false" if lanes.width == 1 else "zeroinitializer"
        for k in range(self.many):
            self._column(k, symmetric=symmetric)
        self.tail = self._tail() if self.many < self.size else ()

    def factor(self, entries: tuple[Entry, ...], rows: tuple[int, ...], columns: tuple[int, ...]) -> Factor:
        triangles = tuple(map(tuple, self.lower)), tuple(map(tuple, self.upper))
        return Factor(entries, self.size, rows, columns, *triangles, tuple(self.inverses), self.tail, self.weak)

    def _before(self, i: int, j: int) -> list[str]:
        """Return the products that are to be taken from the entry (i, j)."""
        pairs = [(self.lower[i][k], self.work[k][j]) for k in range(min(i, j, self.many))]
        return [self.lanes.mul(a, b) for a, b in pairs if a is not None and b is not None]

    def _reduced(self, i: int, j: int) -> Entry:
        """Return what is left of the entry (i, j)."""
        return _minus(self.lanes, self.table[i][j], self._before(i, j))

    def _column(self, k: int, *, symmetric: bool) -> None:
        """Take the k-th pivot, and what stands below and right of it."""
        lanes = self.lanes
        value = self._reduced(k, k) or lanes.constant(0)
        self._distrust(value, [(k, k)])
        inverse = lanes.div(lanes.constant(1), value)
        self.inverses.append(inverse)
        for i in range(k + 1, self.size):
            if (below := self._reduced(i, k)) is not None:
                self.work[i][k], self.lower[i][k] = below, lanes.mul(below, inverse)
            right = below if symmetric else self._reduced(k, i)
            if right is not None:
                self.work[k][i], self.upper[k][i] = right, lanes.mul(right, inverse)
        self._compare(k, value)

    def _compare(self, k: int, pivot: str) -> None:
        """Note where a pivot is tiny beside its row and beside its column: what it is divided into drowns both."""
        lanes, later = self.lanes, range(k + 1, self.size)
        row = [lanes.magnitude(e) for e in (self.work[k][i] for i in later) if e is not None]
        column = [lanes.magnitude(e) for e in (self.work[i][k] for i in later) if e is not None]
        if row and column:
            most = lanes.mul(lanes.magnitude(pivot), lanes.constant(_DROWNED))
            tests = [lanes.compare("ogt", lanes.sum(several), most) for several in (row, column)]
            self.weak = lanes.either(self.weak, lanes.both(*tests))

    def _tail(self) -> tuple[Entry, ...]:
        """Return what is left of the last two rows, and one over its determinant."""
        lanes, m = self.lanes, self.many
        places = [(i, j) for i in (m, m + 1) for j in (m, m + 1)]
        entries = [self._reduced(i, j) for i, j in places]
        a, b, c, d = (entry or lanes.constant(0) for entry in entries)
        first, second = lanes.mul(a, d), lanes.mul(b, c)
        determinant = lanes.sub(first, second)
        size = lanes.add(lanes.magnitude(first), lanes.magnitude(second))
        small = lanes.compare("ole", lanes.magnitude(determinant), lanes.mul(size, lanes.constant(self.least)))
        self.weak = lanes.either(self.weak, small)
        self._distrust(lanes.add(lanes.magnitude(a), lanes.magnitude(b)), places[:2])
        self._distrust(lanes.add(lanes.magnitude(c), lanes.magnitude(d)), places[2:])
        return (*entries, lanes.div(lanes.constant(1), determinant))

    def _distrust(self, left: str, places: Sequence[tuple[int, int]]) -> None:
        """Note where what is left of some entries is no more than rounding, or has been drowned by a tiny pivot."""
        lanes = self.lanes
        taken = [lanes.magnitude(term) for i, j in places for term in self._before(i, j)]
        own = [lanes.magnitude(e) for e in (self.table[i][j] for i, j in places) if e is not None]
        if not taken and self.many < self.size and places[0][0] >= self.many:
            return  # nothing was taken away, so nothing is lost; the determinant is looked at
        bound = lanes.mul(lanes.sum([*taken, *own]), lanes.constant(self.least)) if taken or own else lanes.constant(0)
        self.weak = lanes.either(self.weak, lanes.compare("ole", lanes.magnitude(left), bound))
        if taken and own:
            drowned = lanes.compare("ogt", lanes.sum(taken), lanes.mul(lanes.sum(own), lanes.constant(_DROWNED)))
            self.weak = lanes.either(self.weak, drowned)


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
        x[i] = _minus(lanes, x[i], _products(lanes, [(factor.lower[i][j], x[j]) for j in range(min(i, many))]))
    for i in range(many):
        x[i] = None if x[i] is None else lanes.mul(x[i] or zero, factor.inverses[i])
    if factor.tail:
        a, b, c, d, inverse = factor.tail
        p, q = x[-2:]
        first = _minus(lanes, _times(lanes, p, d), _products(lanes, [(q, b)]))
        second = _minus(lanes, _times(lanes, q, a), _products(lanes, [(p, c)]))
        x[-2:] = [_times(lanes, first, inverse), _times(lanes, second, inverse)]
    for i in reversed(range(many)):
        x[i] = _minus(lanes, x[i], _products(lanes, [(factor.upper[i][j], x[j]) for j in range(i + 1, size)]))
    answer = [zero] * size
    for place, value in zip(factor.columns, x, strict=True):
        answer[place] = value or zero
    return _rescued(lanes, factor, [b or zero for b in rhs], answer, status, rescue)


def _times(lanes: Lanes, a: Entry, b: Entry) -> Entry:
    return None if a is None or b is None else lanes.mul(a, b)


def _products(lanes: Lanes, pairs: Sequence[tuple[Entry, Entry]]) -> list[str]:
    return [lanes.mul(a, b) for a, b in pairs if a is not None and b is not None]


def _minus(lanes: Lanes, start: Entry, terms: Sequence[str]) -> Entry:
    """Return ``start`` minus all terms."""
    if not terms:
        return start
    return lanes.neg(lanes.sum(terms)) if start is None else lanes.sub(start, lanes.sum(terms))


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
