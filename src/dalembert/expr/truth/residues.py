"""What vanishes, decided by values modulo random primes, many expressions in one pass.

The shape of an expression says nothing: ``tan(a)*cos(a) - sin(a)`` is a zero in disguise. Whatever steers a result
(which pivot is taken, which coordinate a field moves, what an expression depends on) asks here. The points are drawn by
the expressions themselves, so that the same question gets the same answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.truth.decide import is_zero, sample
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.walk import substitute

__all__ = ["Residues", "depends_on", "residues", "seed_of", "vanish", "vanishing"]


def seed_of(expressions: Sequence[Expr]) -> int:
    """Return a seed that belongs to some expressions, the same in every process."""
    return hash(tuple(e.stamp for e in expressions)) & (2**64 - 1)


def vanishing(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> list[bool]:
    """Say of each expression whether it is identically zero; one about which nothing can be found out is not.

    >>> from dalembert.expr import cos, sin, symbol, tan
    >>> a = symbol("a", domain="angle")
    >>> vanishing([tan(a)*cos(a) - sin(a), sin(a), sin(a) - sin(a)])
    [True, False, True]
    """
    open_ = list(dict.fromkeys(e for e in expressions if e is not ZERO and not _evidently_not_zero(e)))
    if not open_:
        return [e is ZERO for e in expressions]
    seed = seed_of(open_)
    try:
        values = sample(Facts.of(facts).apply(open_), seed=seed).values
        zero = {e for n, e in enumerate(open_) if not any(point[n] for point in values)}
    except ExpressionError:  # no point where all of them have a value: one by one
        zero = {e for e in open_ if is_zero(e, facts, seed=seed).holds is True}
    return [e is ZERO or e in zero for e in expressions]


def vanish(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> bool:
    """Say whether all expressions are identically zero.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> vanish([(x + 1)**2 - x**2 - 2*x - 1]), vanish([ZERO, x])
    (True, False)
    """
    return all(vanishing(expressions, facts))


def _evidently_not_zero(expression: Expr) -> bool:
    """Say whether an expression cannot be a zero in disguise: a number, a symbol, and powers and products of these."""
    if expression.op == "product":
        return all(base.op in {"number", "symbol"} for base in expression.args)
    if expression.op == "sum" and len(expression.args) == 1 and not expression.data[0]:
        return _evidently_not_zero(expression.args[0])
    return expression.op in {"number", "symbol", "pi"}


def depends_on(expressions: Sequence[Expr], places: Sequence[Expr], facts: Sequence[Fact] = ()) -> bool:
    """Say whether one of the expressions depends on one of some symbols; to mention it is not enough.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> depends_on([sin(x)**2 + cos(x)**2 + y], [x]), depends_on([sin(x)**2 + cos(x)**2 + y], [y])
    (False, True)
    """
    elsewhere = {place: symbol(replace(place.data, name=f"{place.data.name} elsewhere")) for place in places}
    moved = substitute(expressions, elsewhere)
    return not vanish(
        [there - here for here, there in zip(expressions, moved, strict=True) if here is not there], facts
    )


# -- matrices ----------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class Residues:
    """A matrix at random points, each modulo a prime of its own, eliminated in step with its expressions."""

    points: list[tuple[int, list[list[int]]]]

    def vanishes(self, i: int, j: int) -> bool:
        """Say whether an entry, as it is by now, is zero; where there is no point nothing is said to be."""
        return bool(self.points) and not any(rows[i][j] for _, rows in self.points)

    def agree(self, i: int, j: int) -> bool:
        """Say whether an entry and its mirror image are equal."""
        return bool(self.points) and all(rows[i][j] == rows[j][i] for _, rows in self.points)

    def stands(self, i: int, j: int) -> bool:
        """Say whether an entry is zero for no choice of the signs of roots that are not known."""
        return all(rows[i][j] for _, rows in self.points)

    def eliminate(self, row: int, column: int, rows: Sequence[int], columns: Sequence[int]) -> None:
        """Take multiples of a row from others, so that a column is left with its pivot alone.

        Points where the pivot is zero are left out: there, a root has the sign that it has not.
        """
        self.points = [(prime, entries) for prime, entries in self.points if entries[row][column]]
        for prime, entries in self.points:
            pivot = entries[row]
            inverse = pow(pivot[column], -1, prime)
            busy = [j for j in columns if pivot[j]]
            for i in rows:
                other = entries[i]
                if other[column]:
                    ratio = other[column] * inverse % prime
                    for j in busy:
                        other[j] = (other[j] - ratio * pivot[j]) % prime


def residues(matrices: Sequence[Sequence[Sequence[Expr]]]) -> list[Residues]:
    """Return matrices at random points, all read in one pass; those that have no value anywhere have no points."""
    entries = [entry for matrix in matrices for row in matrix for entry in row]
    try:
        samples = sample(entries, seed=seed_of(entries))
    except ExpressionError:
        return [Residues([])] if len(matrices) == 1 else [one for m in matrices for one in residues([m])]
    found: list[Residues] = [Residues([]) for _ in matrices]
    for values, prime in zip(samples.values, samples.primes, strict=True):
        rest = iter(values)
        for matrix, one in zip(matrices, found, strict=True):
            one.points.append((prime, [[next(rest) for _ in row] for row in matrix]))
    return found
