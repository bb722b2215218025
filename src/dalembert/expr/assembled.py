"""Linear systems with few entries, to be assembled and solved when there are numbers.

The first unknowns are given, each by those before it and by the last ones; these are found from the rows that are left:

    x_i = sum_j a_ij x_j + b_i  (i < first, and j < i or j >= first),    sum_j a_ij x_j = b_i  (i >= first).

To put the first ones in makes the last rows full, which a loop over the entries does, not the text of a program: that
is as long as there are entries. The last rows are then solved with pivots by size.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import basic
from dalembert.expr.graph import ONE, ZERO, Expr, make, total

Entry = tuple[int, int, Expr]
"""Row, column and what stands there."""


def assembled(entries: Iterable[Entry], right: Sequence[Expr], first: int) -> list[Expr]:
    """Return the unknowns of such a system as values of one node; nothing is put in.

    >>> from dalembert.expr import evaluate, symbol
    >>> from dalembert.expr.readers import Floats
    >>> a = symbol("a")
    >>> evaluate(assembled([(0, 1, a), (1, 0, a), (1, 1, a)], [ONE, 4 * a], 1), Floats({a: 2.0}))
    [3.0, 1.0]
    """
    table = sorted(((i, j, e) for i, j, e in entries if e is not ZERO), key=lambda one: one[:2])
    size = len(right)
    if not 0 <= first <= size or any(not (0 <= j < i or first <= j < size) for i, j, _ in table if i < first):
        raise ExpressionError("the first unknowns of a system that is assembled are given by those before them.")
    which = {e: k for k, e in enumerate(dict.fromkeys(e for *_, e in table))}
    places = tuple(number for i, j, e in table for number in (i, j, which[e]))
    node = make("assembled", (size, first, places), (*which, *right))
    return [make("pick", k, (node,)) for k in range(size)]


def entries_of(node: Expr) -> Iterator[Entry]:
    """Return the entries of such a node by rows, those that are zero left out."""
    places = node.data[2]
    return ((i, j, node.args[k]) for i, j, k in zip(places[::3], places[1::3], places[2::3], strict=True))


def right_of(node: Expr) -> tuple[Expr, ...]:
    """Return the right-hand sides."""
    return node.args[len(node.args) - node.data[0] :]


def put_in(node: Expr) -> list[Expr]:
    """Return the same unknowns with the first ones put in, so that a full matrix is solved."""
    size, first, _ = node.data
    terms: list[dict[int, list[tuple[int, Expr]]]] = [{size: [(1, b)]} for b in right_of(node)]
    rows: list[dict[int, Expr]] = []
    waiting = list(entries_of(node))[::-1]
    for i in range(size):
        here = terms[i] if i < first else {size: [(-1, b) for _, b in terms[i][size]]}
        while waiting and waiting[-1][0] == i:
            _, j, e = waiting.pop()
            for column, factor in rows[j].items() if j < first else [(j, ONE)]:
                here.setdefault(column, []).append((1, e * factor))
        rows.append({column: total(parts) for column, parts in here.items()})
    rest = range(first, size)
    matrix = [[row.get(j, ZERO) for j in rest] for row in rows[first:]]
    last = dict(zip(rest, basic(matrix, [-row[size] for row in rows[first:]], len(rest)), strict=True))
    given = [total([(1, last.get(j, ONE) * e) for j, e in row.items()]) for row in rows[:first]]
    return [*given, *last.values()]


def defects(unknowns: Sequence[Expr], values: Sequence[Expr]) -> list[Expr]:
    """Return what is left of the last rows of a system where values are put for unknowns, which are all the last ones.

    >>> from dalembert.expr import symbol
    >>> a = symbol("a")
    >>> x, y = assembled([(0, 1, a), (1, 0, a), (1, 1, a)], [ONE, a], 1)
    >>> defects([y], [ZERO]), defects([y], [ONE])
    ([0], [a*(a + 1)])
    """
    node = unknowns[0].args[0]
    first = node.data[1]
    known = {x.data: value for x, value in zip(unknowns, values, strict=True)}
    waiting = list(entries_of(node))[::-1]
    left = []
    for i, b in enumerate(right_of(node)):
        terms = []
        while waiting and waiting[-1][0] == i:
            _, j, e = waiting.pop()
            terms.append((1, e * known[j]))
        if i < first:
            known[i] = total([(1, b), *terms])
        else:
            left.append(total([(-1, b), *terms]))
    return left


def along(node: Expr, speed: Sequence[Expr]) -> list[Expr]:
    """Return how fast the unknowns change where entries and right-hand sides do: the same entries, other right ones."""
    size, first, places = node.data
    values = [make("pick", k, (node,)) for k in range(size)]
    many = len(node.args) - size
    terms = [[(1, rate)] for rate in speed[many:]]
    for i, j, k in zip(places[::3], places[1::3], places[2::3], strict=True):
        if speed[k] is not ZERO:
            terms[i].append((1 if i < first else -1, speed[k] * values[j]))
    right = [total(parts) for parts in terms]
    return [ZERO] * size if all(b is ZERO for b in right) else assembled(entries_of(node), right, first)


def backwards(node: Expr, weights: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Yield what entries and right-hand sides receive of weights of the unknowns, by the transposed system."""
    size, first, _ = node.data
    place = [*range(first - 1, -1, -1), *range(first, size)]
    """The first ones from the last to the first: so each is given by those before it again."""
    turned = [(place[j], place[i], e if (i < first) is (j < first) else -e) for i, j, e in entries_of(node)]
    found = assembled(turned, [weights[k] for k in place], first)
    adjoint = [found[k] for k in place]
    yield from zip(right_of(node), adjoint, strict=True)
    for i, j, e in entries_of(node):
        yield e, (1 if i < first else -1) * adjoint[i] * make("pick", j, (node,))
