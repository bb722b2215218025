"""Small linear systems eliminated in an order that is fixed once, written out with their zeros left out.

A = L D U, where A is symmetric L D L^T with half the work. A pivot much smaller than what it was made of says that this
order is a bad one at this point: then somebody else has to choose pivots by size (``linear``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from dalembert.numerics.compile.lanes import Lanes

_DROWNED = 1e4
"""Where so many times a diagonal entry is taken from it, its own digits are lost; never where a matrix is positive."""

Entry = str | None
"""A value, or None for a zero that is known to be one."""


def order_of(
    entries: Sequence[Entry], size: int, still: AbstractSet[int], *, symmetric: bool
) -> tuple[list[int], list[int]]:
    """Return in which order rows and columns are taken: constant pivots first, then the natural ones, zeros never.

    In a symmetric matrix a constant beside a zero on the diagonal, such as a constraint has that gives a velocity, is
    taken together with its mirror image: two pivots that nothing waits for, and what is left is symmetric again.
    """
    filled = [[entries[i * size + j] is not None for j in range(size)] for i in range(size)]
    left_rows, left_columns = list(range(size)), list(range(size))
    rows: list[int] = []
    columns: list[int] = []
    quiet = set(still)

    def take(i: int, j: int) -> None:
        rows.append(i)
        columns.append(j)
        left_rows.remove(i)
        left_columns.remove(j)
        for k in left_rows:
            for m in left_columns:
                if filled[k][j] and filled[i][m]:
                    filled[k][m] = True
                    quiet.discard(k * size + m)

    while symmetric and (pair := _pair(filled, left_rows, quiet)):
        i, j = pair
        take(i, j)
        take(j, i)
    while left_rows:
        natural = [(i, i) for i in left_rows if i in left_columns]
        anywhere = natural if symmetric else [(i, j) for i in left_rows for j in left_columns]
        places = [(i, j) for i, j in anywhere if filled[i][j] and i * size + j in quiet]
        places = places or [(i, j) for i, j in natural if filled[i][j]]
        places = places or [(i, j) for i, j in anywhere if filled[i][j]]
        take(*(places[0] if places else (left_rows[0], left_rows[0] if symmetric else left_columns[0])))
    return rows, columns


def _pair(filled: Sequence[Sequence[bool]], left: Sequence[int], quiet: AbstractSet[int]) -> tuple[int, int] | None:
    """Return the place of a constant in a column with a zero on the diagonal: that with the fewest entries around."""
    size = len(filled)
    places = [(i, j) for j in left if not filled[j][j] for i in left if filled[i][j] and i * size + j in quiet]
    return min(places, key=lambda place: sum(filled[k][m] for k in place for m in left), default=None)


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


def minus(lanes: Lanes, start: Entry, terms: Sequence[str]) -> Entry:
    """Return ``start`` minus all terms."""
    if not terms:
        return start
    return lanes.neg(lanes.sum(terms)) if start is None else lanes.sub(start, lanes.sum(terms))


def _squares(lanes: Lanes, values: Sequence[str]) -> str:
    """Return the sum of the squares."""
    first, *others = values
    found = lanes.mul(first, first)
    for value in others:
        found = lanes.fma(value, value, found)
    return found


class Elimination:
    """The factorisation of a table of entries, in its natural order.

    What is left after the first ``apart`` pivots is symmetric. A pivot smaller than the part ``least`` of what it was
    made of is not trusted. ``inverses`` has one over those entries of which it is known.
    """

    def __init__(
        self, lanes: Lanes, table: list[list[Entry]], apart: int, least: float, inverses: Mapping[str, str]
    ) -> None:
        """Eliminate, one by one; the last two rows are left to their determinant."""
        self.lanes, self.table, self.size, self.least, self.apart = lanes, table, len(table), least, apart
        alone = self.size < 2 or self.size - 1 <= apart < self.size
        self.many = self.size if alone else self.size - 2
        """How many pivots are taken one by one."""
        self.lower: list[list[Entry]] = [[None] * self.size for _ in table]
        """Below the diagonal: L, with ones on the diagonal that are not written."""
        self.upper: list[list[Entry]] = [[None] * self.size for _ in table]
        """Above the diagonal: L^T, or U divided by its diagonal."""
        self.work: list[list[Entry]] = [[None] * self.size for _ in table]
        """L D below the diagonal, D U above it."""
        self.inverses: list[str] = []
        """One over each pivot."""
        self.weak = "false" if lanes.width == 1 else "zeroinitializer"
        """Whether a pivot must not be trusted."""
        for k in range(self.many):
            self._column(k, inverses)
        self.tail = self._tail() if self.many < self.size else ()
        """What is left of the last two rows, by rows; then one over their determinant."""

    def _before(self, i: int, j: int) -> list[str]:
        """Return the products that are to be taken from the entry (i, j)."""
        pairs = [(self.lower[i][k], self.work[k][j]) for k in range(min(i, j, self.many))]
        return [self.lanes.mul(a, b) for a, b in pairs if a is not None and b is not None]

    def _reduced(self, i: int, j: int) -> Entry:
        """Return what is left of the entry (i, j)."""
        return minus(self.lanes, self.table[i][j], self._before(i, j))

    def _column(self, k: int, inverses: Mapping[str, str]) -> None:
        """Take the k-th pivot, and what stands below and right of it."""
        lanes = self.lanes
        value = self._reduced(k, k) or lanes.constant(0)
        self._look(k, value)
        inverse = inverses.get(value) or lanes.div(lanes.constant(1), value)
        self.inverses.append(inverse)
        for i in range(k + 1, self.size):
            if (below := self._reduced(i, k)) is not None:
                self.work[i][k], self.lower[i][k] = below, lanes.mul(below, inverse)
            right = below if k >= self.apart else self._reduced(k, i)
            if right is not None:
                self.work[k][i], self.upper[k][i] = right, lanes.mul(right, inverse)
        self._compare(k, range(k + 1, self.size))

    def _tail(self) -> tuple[Entry, ...]:
        lanes, m = self.lanes, self.many
        a, b, d = self._reduced(m, m), self._reduced(m, m + 1), self._reduced(m + 1, m + 1)
        c = b if m >= self.apart else self._reduced(m + 1, m)
        entries = [entry or lanes.constant(0) for entry in (a, b, c, d)]
        first, second = lanes.mul(entries[0], entries[3]), lanes.mul(entries[1], entries[2])
        determinant = lanes.sub(first, second)
        self._look_at_tail(entries, (first, second), determinant)
        return (a, b, c, d, lanes.div(lanes.constant(1), determinant))

    # -- what must not be trusted ----------------------------------------------------------------------------
    def _distrust(self, truth: str) -> None:
        self.weak = self.lanes.either(self.weak, truth)

    def _look(self, k: int, pivot: str) -> None:
        """Note where a pivot is no more than rounding, or has been drowned by a tiny one before it."""
        self._look_at(pivot, [(k, k)])

    def _look_at(self, left: str, places: Sequence[tuple[int, int]]) -> None:
        lanes = self.lanes
        taken = [lanes.magnitude(term) for i, j in places for term in self._before(i, j)]
        own = [lanes.magnitude(e) for e in (self.table[i][j] for i, j in places) if e is not None]
        if not taken and self.many < self.size and places[0][0] >= self.many:
            return  # nothing was taken away, so nothing is lost; the determinant is looked at
        bound = lanes.mul(lanes.sum([*taken, *own]), lanes.constant(self.least)) if taken or own else lanes.constant(0)
        self._distrust(lanes.compare("ole", lanes.magnitude(left), bound))
        if taken and own:
            most = lanes.mul(lanes.sum(own), lanes.constant(_DROWNED))
            self._distrust(lanes.compare("ogt", lanes.sum(taken), most))

    def _compare(self, k: int, later: Sequence[int]) -> None:
        """Note where a pivot is tiny beside its row and beside its column: what it is divided into drowns both."""
        lanes, most = self.lanes, self.lanes.constant(_DROWNED**2)
        row = [e for e in (self.upper[k][i] for i in later) if e is not None]
        column = [e for e in (self.lower[i][k] for i in later) if e is not None]
        if row and column:
            tests = [lanes.compare("ogt", _squares(lanes, several), most) for several in (row, column)]
            self._distrust(tests[0] if row == column else lanes.both(*tests))

    def _look_at_tail(self, entries: Sequence[str], products: Sequence[str], determinant: str) -> None:
        """Note where what is left of the last two rows, or their determinant, is no more than rounding."""
        lanes, m = self.lanes, self.many
        size = lanes.sum([lanes.magnitude(one) for one in products])
        self._distrust(lanes.compare("ole", lanes.magnitude(determinant), lanes.mul(size, lanes.constant(self.least))))
        for i, pair in ((m, entries[:2]), (m + 1, entries[2:])):
            self._look_at(lanes.sum([lanes.magnitude(one) for one in pair]), [(i, m), (i, m + 1)])


class SaddleElimination(Elimination):
    """The elimination of a symmetric matrix [M A^T; A 0] with M positive: its pivots have signs that are known.

    What is taken from a diagonal entry has the sign of the pivot that it is taken for, so that the entry before and
    after says what it was made of, and that need not be added up. Where M is not positive a pivot has the wrong sign,
    and is not trusted.
    """

    def __init__(
        self, lanes: Lanes, table: list[list[Entry]], apart: int, least: float, inverses: Mapping[str, str]
    ) -> None:
        """Eliminate, as for other matrices."""
        self.signs: list[int] = []
        """Of the pivots; 0 where it is not known."""
        super().__init__(lanes, table, apart, least, inverses)

    def _made_of(self, i: int, left: str) -> tuple[int, str]:
        """Return the sign of a diagonal entry, and at least half the size of all that it was made of, but for itself.

        With P what pushes it to its sign, and N what pushes the other way, it is P - N: so P + N is at most 2 P, or
        itself and 2 N. A mass has P as its own entry, but for what constraints add that were eliminated before it; a
        constraint has none, and N from other constraints only. What was eliminated first says which of them it is.
        """
        lanes, own = self.lanes, self.table[i][i]
        pairs = [(self.signs[k], self.lower[i][k], self.work[k][i]) for k in range(min(i, self.many))]
        taken = [(sign, lanes.mul(a, b)) for sign, a, b in pairs if a is not None and b is not None]
        sign = 1 if own is not None or not taken or taken[0][0] <= 0 else -1
        counted = sign if own is None else -1
        same = [term for one, term in taken if one == counted]
        parts = [own or left, *([lanes.sum(same)] if same else []), *(term for one, term in taken if one == 0)]
        return sign, lanes.sum([lanes.magnitude(part) for part in parts])

    def _look(self, k: int, pivot: str) -> None:
        if k < self.apart:
            self.signs.append(0)
            super()._look(k, pivot)
            return
        lanes = self.lanes
        sign, size = self._made_of(k, pivot)
        self.signs.append(sign)
        bound = lanes.mul(size, lanes.constant(2 * sign * self.least))
        self._distrust(lanes.compare("ole" if sign > 0 else "oge", pivot, bound))

    def _compare(self, k: int, later: Sequence[int]) -> None:
        """Masses do not drown masses: what is taken from them is less than they are."""
        super()._compare(k, later if k < self.apart else [i for i in later if self.table[i][i] is None])

    def _look_at_tail(self, entries: Sequence[str], products: Sequence[str], determinant: str) -> None:
        """Note where the determinant a d - b^2 is no more than what rounding does to a, b and d.

        That is S |d| + T |a| + 2 |b| U, made of S, T and U. What was taken from b is at most sqrt(S T), and b^2 at most
        |a d| and the determinant: so a few times S |d| + T |a| bound it, unless the determinant is below least^2 S T.
        """
        lanes, m, least = self.lanes, self.many, self.lanes.constant(4 * self.least)
        if m < self.apart:
            super()._look_at_tail(entries, products, determinant)
            return
        a, d = (lanes.magnitude(entries[k]) for k in (0, 3))
        first, second = (lanes.add(self._made_of(m + k, entries[3 * k])[1], size) for k, size in enumerate((a, d)))
        bound = lanes.add(lanes.mul(first, lanes.add(d, lanes.mul(second, least))), lanes.mul(second, a))
        self._distrust(lanes.compare("ole", lanes.magnitude(determinant), lanes.mul(bound, least)))
