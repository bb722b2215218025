"""Entries of rotations in formulas, which have names: what is zero of them, and of formulas by that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import vanishing
from dalembert.expr.truth.spheres import RotationMatrix
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import symbols


def orthogonal(formulas: Iterable[Expr]) -> list[Expr]:
    """Return what is zero of the entries of the rotations of which some are in formulas.

    >>> len(orthogonal([symbol(Symbol("R.m12"))])), orthogonal([symbol(Symbol("m12"))])
    (21, [])
    """
    return [e for matrix in matrices(formulas) for e in matrix.relations]


def matrices(formulas: Iterable[Expr]) -> list[RotationMatrix]:
    """Return the rotations of which entries are in formulas, as facts."""
    names = {s.name for s in symbols(list(formulas)) if is_part(s.name)}
    return [_matrix(whole) for whole in sorted({n.partition(".")[0] for n in names if n.partition(".")[2][:1] == "m"})]


@lru_cache(maxsize=64)
def _matrix(name: str) -> RotationMatrix:
    return RotationMatrix(tuple(symbol(Symbol(f"{name}.m{i}{j}")) for i in "123" for j in "123"))


def zeros(formulas: Sequence[Expr]) -> list[bool]:
    """Say of each formula whether it is zero, whatever the rotations in it are.

    >>> from dalembert.expr.graph import total
    >>> row = [symbol(Symbol(f"R.m1{k}")) for k in "123"]
    >>> zeros([total((1, m**2) for m in row) - 1, row[0] - 1])
    [True, False]
    """
    return vanishing(formulas, matrices(formulas))
