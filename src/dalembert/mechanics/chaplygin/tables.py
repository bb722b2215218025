"""Matrices and structure constants as tables by names, for the JSON."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Expr
from dalembert.geometry.groups.actions import Action

__all__ = ["constants_table", "table"]


def table(rows: Sequence[Sequence[Expr]], down: Sequence[str], across: Sequence[str]) -> dict[str, dict[str, Expr]]:
    """Return a matrix as a table by names."""
    return {a: dict(zip(across, row, strict=True)) for a, row in zip(down, rows, strict=True)}


def constants_table(action: Action) -> dict[str, dict[str, dict[str, Expr]]]:
    """Return the structure constants: the brackets [e_i, e_j] of the Lie algebra, by components."""
    names = action.names
    return {a: table(part, names, names) for a, part in zip(names, action.algebra.constants, strict=True)}
