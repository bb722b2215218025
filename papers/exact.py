"""What the tests of the papers share: unspecified functions, and lists of expressions that agree or differ."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr import Expr, jet, total
from dalembert.expr.symbols import Function
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import all_vanish

__all__ = ["columns", "differ", "dot", "same", "unknown"]


def unknown(name: str, *arguments: Expr) -> Expr:
    """Return an unspecified function."""
    return jet(Function(name, len(arguments)), arguments)


def same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Say whether two lists agree, entry by entry."""
    return all_vanish({str(n): a - b for n, (a, b) in enumerate(zip(left, right, strict=True))}).holds is True


def differ(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    """Say whether two lists are shown to differ somewhere."""
    return any(is_zero(a - b).holds is False for a, b in zip(left, right, strict=True))


def dot(left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    """Return the sum of products."""
    return total([(1, a * b) for a, b in zip(left, right, strict=True)])


def columns(rows: Sequence[Sequence[Expr]]) -> list[tuple[Expr, ...]]:
    """Return the transpose."""
    return list(zip(*rows, strict=True))
