"""Parts of formulas that are equal are written alike, so that they have one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from dalembert.expr.graph import Expr
from dalembert.expr.truth import vanish
from dalembert.expr.truth.residues import residues
from dalembert.expr.walk import postorder, substitute, tree_size
from dalembert.present.page import Group

_LEAST: Final = 12
"""Nodes, as a tree, of a sum that would have a name,"""
_MOST: Final = 300
"""and sums, beyond which nobody reads whether two of them are equal."""


def written_alike(groups: Sequence[Group]) -> list[Group]:
    """Return equations in which sums that are equal, or opposite, are one: the shortest of them.

    >>> from dalembert.expr import symbol
    >>> a, b, c, x, y = (symbol(name) for name in "abcxy")
    >>> one, other = a * (b + c * x) + b * c * y + x * y, a * b + c * (a * x + b * y) + x * y
    >>> (group,) = written_alike([Group("", ((x, 1 / one), (y, a / (-other))))])
    >>> group.pairs[0][1] is 1 / one, group.pairs[1][1] is -a / one
    (True, True)
    """
    sides = [right for group in groups for _, right in group.pairs]
    told = iter(substitute(sides, _one_of_each(sides)))
    return [replace(group, pairs=tuple((left, next(told)) for left, _ in group.pairs)) for group in groups]


def _one_of_each(formulas: Sequence[Expr]) -> Mapping[Expr, Expr]:
    """Return what takes the place of sums; what has the same values modulo primes is decided to be equal."""
    sums = [node for node in postorder(formulas) if node.op == "sum" and len(node.args) > 1]
    sums = [node for node in sums if tree_size(node) >= _LEAST]
    if not 1 < len(sums) <= _MOST:
        return {}
    (found,) = residues([[sums]])
    if not found.points:
        return {}
    known: dict[tuple[int, ...], Expr] = {}
    instead: dict[Expr, Expr] = {}
    for k in sorted(range(len(sums)), key=lambda k: (tree_size(sums[k]), k)):
        values = tuple(rows[0][k] for _, rows in found.points)
        opposite = tuple(-rows[0][k] % prime for prime, rows in found.points)
        for seen, sign in ((values, 1), (opposite, -1)):
            if seen in known and any(seen) and vanish([sums[k] - sign * known[seen]]):
                instead[sums[k]] = sign * known[seen]
                break
        else:
            known.setdefault(values, sums[k])
    return instead
