"""What vanishes, decided by values modulo random primes, many expressions in one pass.

The shape of an expression says nothing: ``tan(a)*cos(a) - sin(a)`` is a zero in disguise. Whatever steers a result
(which pivot is taken, which coordinate a field moves, what an expression depends on) asks here. The points are drawn by
the expressions themselves, so that the same question gets the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.graph import ZERO, Expr, number, symbol
from dalembert.expr.truth.decide import is_zero, sample
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.spheres import Embedded, at_point
from dalembert.expr.walk import substitute, symbols
from dalembert.records import dataclass, replace


def vanishing(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> list[bool]:
    """Say of each expression whether it is identically zero; one about which nothing can be found out is not.

    >>> from dalembert.expr import cos, sin, symbol, tan
    >>> a = symbol("a", domain="angle")
    >>> vanishing([tan(a)*cos(a) - sin(a), sin(a), sin(a) - sin(a)])
    [True, False, True]
    """
    open_ = tuple(dict.fromkeys(e for e in expressions if e is not ZERO and not clearly_not_zero(e)))
    zero = _known_zero(open_, tuple(facts)) if open_ else frozenset()
    return [e is ZERO or e in zero for e in expressions]


def _found_zero(open_: Sequence[Expr], facts: Sequence[Fact] = ()) -> frozenset[Expr]:
    """Return those of some expressions that are zero."""
    left = list(open_)
    try:  # what is not zero shows it at one point: a bound on errors is for what is left
        for points, bounded in ((1, False), (2, True)):
            values = sample(Facts.of(facts).apply(left), points, bounded=bounded).values if left else []
            left = [e for n, e in enumerate(left) if not any(point[n] for point in values)]
    except ExpressionError:  # no point where all of them have a value: one by one
        left = [e for e in left if is_zero(e, facts).holds is True]
    return frozenset(left)


_known_zero = work.remembered(128)(_found_zero)
"""The components of an object are asked for where it is made and wherever it is shown."""


def vanish(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> bool:
    """Say whether all expressions are identically zero.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> vanish([(x + 1)**2 - x**2 - 2*x - 1]), vanish([ZERO, x])
    (True, False)
    """
    return all(vanishing(expressions, facts))


def clearly_not_zero(node: Expr) -> bool:
    """Say whether a node is, at a glance, not identically zero: a number, a name, a sine, a product or sum of names.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> clearly_not_zero(3*x*sin(x + y)), clearly_not_zero(x - y), clearly_not_zero(x**2 - x*x + sin(y)*sin(x) - x)
    (True, True, False)
    """
    if node.op == "sum":
        if all(not a.args for a in node.args):  # different names, none with the coefficient 0
            return True
        if len(node.args) == 1 and not node.data[0]:
            node = node.args[0]
    factors = node.args if node.op == "product" else (node,)
    return node is not ZERO and all(not f.args or f.op == "jet" or _is_sine(f) for f in factors)


def _is_sine(node: Expr) -> bool:
    """Say whether a node is the sine or cosine of a sum of names."""
    if node.op != "pick" or node.args[0].op != "sincos":
        return False
    angle = node.args[0].args[0]
    return all(a.op == "symbol" for a in (angle.args if angle.op == "sum" else (angle,)))


def cleared(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> list[Expr]:
    """Return expressions with the number 0 for those that vanish.

    >>> from dalembert.expr import cos, sin, symbol, tan
    >>> a = symbol("a", domain="angle")
    >>> cleared([tan(a)*cos(a) - sin(a), sin(a)])
    [0, sin(a)]
    """
    return [ZERO if zero else e for e, zero in zip(expressions, vanishing(expressions, facts), strict=True)]


def depends_on(expressions: Sequence[Expr], places: Iterable[Expr], facts: Sequence[Fact] = ()) -> bool:
    """Say whether one of the expressions depends on one of some symbols; to mention it is not enough.

    >>> from dalembert.expr import cos, sin, symbol
    >>> from dalembert.expr.truth import Sphere
    >>> x, y = symbol("x"), symbol("y")
    >>> depends_on([sin(x)**2 + cos(x)**2 + y], [x]), depends_on([sin(x)**2 + cos(x)**2 + y], [y])
    (False, True)

    A coordinate of a sphere stands for the point on it.

    >>> depends_on([x**2 + y**2], [x]), depends_on([x**2 + y**2], [x], [Sphere((x, y))])
    (True, False)
    """
    present = symbols(expressions)
    mentioned = [place for place in places if place.data in present]
    if not mentioned:
        return False
    round_ = _spheres_of(mentioned, facts)  # one coordinate of a sphere cannot move alone
    moving = dict.fromkeys([*mentioned, *(x for fact in round_ for x in fact.coordinates)])
    elsewhere = {place: symbol(replace(place.data, name=f"{place.data.name} elsewhere")) for place in moving}
    moved = substitute(expressions, elsewhere)
    return not vanish(
        [there - here for here, there in zip(expressions, moved, strict=True) if here is not there],
        (*facts, *(fact.renamed(elsewhere) for fact in round_)),
    )


def _spheres_of(places: Iterable[Expr], facts: Sequence[Fact]) -> list[Embedded]:
    """Return the spheres and rotations of which some of the places are coordinates."""
    here = set(places)
    return [fact for fact in facts if isinstance(fact, Embedded) and not here.isdisjoint(fact.coordinates)]


def freed_from(expressions: Sequence[Expr], places: Iterable[Expr], facts: Sequence[Fact] = ()) -> list[Expr] | None:
    """Return expressions without symbols that they mention but do not depend on; None where they do.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> freed_from([y*sin(x)**2 + y*cos(x)**2], [x]), freed_from([x], [x])
    ([y], None)
    """
    here = list(places)
    if depends_on(expressions, here, facts):
        return None
    round_ = _spheres_of(here, facts)
    expressions = at_point(round_, expressions) if round_ else expressions
    for value in (0, 1, Fraction(1, 2)):
        with suppress(ExpressionError):  # a pole there
            return substitute(expressions, dict.fromkeys(here, number(value)))
    return list(expressions)


def depends_on_velocities(expressions: Sequence[Expr], facts: Sequence[Fact] = ()) -> bool:
    """Say whether one of the expressions depends on velocities, accelerations and so on.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> depends_on_velocities([(x + x.dot)**2 - x**2 - 2*x*x.dot - x.dot**2 + x]), depends_on_velocities([x.dot])
    (False, True)
    """
    return depends_on(expressions, [symbol(s) for s in symbols(expressions) if s.order], facts)


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


def residues(matrices: Sequence[Sequence[Sequence[Expr]]], facts: Sequence[Fact] = ()) -> list[Residues]:
    """Return matrices at random points, all read in one pass; those that have no value anywhere have no points.

    One point is enough for what only steers: it misleads with a probability near the degree over 2^126.
    """
    entries = [entry for matrix in matrices for row in matrix for entry in row]
    try:
        samples = sample(Facts.of(facts).apply(entries), 1, bounded=False)
    except ExpressionError:
        return [Residues([])] if len(matrices) == 1 else [one for m in matrices for one in residues([m], facts)]
    found: list[Residues] = [Residues([]) for _ in matrices]
    for values, prime in zip(samples.values, samples.primes, strict=True):
        rest = iter(values)
        for matrix, one in zip(matrices, found, strict=True):
            one.points.append((prime, [[next(rest) for _ in row] for row in matrix]))
    return found
