"""Expressions written into a function, with the sines of many angles side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate, postorder
from dalembert.numerics.compile.reader import Code
from dalembert.numerics.compile.writer import Writer

_MANY_SINES = 8
"""From so many angles on, a single motion computes sines side by side: less code, and a quarter of the operations."""


def values_of(
    w: Writer,
    roots: Sequence[Expr],
    inputs: Mapping[Expr, tuple[str, int]],
    status: str,
    known: dict[Expr, Any] | None = None,
) -> list[str]:
    """Write expressions into a function; return their values. ``known`` receives what was read on the way."""
    code, seen = Code(w.lanes, inputs, status, roots), {} if known is None else known
    angles = _angles(roots) if w.lanes.width == 1 and w.fused else []
    if len(angles) >= _MANY_SINES:
        code.sines_together(angles, evaluate(angles, code, seen))
    return evaluate(roots, code, seen)


def _angles(roots: Sequence[Expr]) -> list[Expr]:
    """Return the angles that are sums of symbols and numbers: nothing has to be done before their sines."""
    found = (node.args[0] for node in postorder(roots) if node.op == "sincos")
    return [a for a in found if not any(part.args for part in (a.args if a.op == "sum" else (a,)))]
