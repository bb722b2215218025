"""Whether equations may be singular where a motion begins, by numbers; if so, :mod:`exact_start` decides it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import divisors, evaluate, symbols
from dalembert.model.table import waits
from dalembert.numerics.field import Tape
from dalembert.numerics.problem import Problem
from dalembert.numerics.specialise import expressions_of
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass

_LOOKED_AT = 1e-6
"""What is larger than this is not zero for rounding."""
_MANY = 24
"""Larger mass matrices are not looked at."""


def singular_at_start(problem: Problem, words: NameResolver, start: Mapping[Any, Any] | None) -> str:
    """Return a sentence if equations are singular at the start, or cannot be told from that; else nothing."""
    equations = problem.equations
    if equations.atlas is not None:  # others are chosen where these end
        return ""
    divided = _divided(words, problem)
    values = [problem.span[0], *problem.start.tolist(), *problem.guess.tolist(), *problem.parameters.tolist()]
    numbers = np.array(divided.tape(values), dtype=np.float64)
    small = [d for d, x in zip(divided.by, numbers, strict=False) if not abs(x) > _LOOKED_AT]
    weak = _is_weak(numbers[len(divided.by) :], divided.size)
    if not (small or weak):
        return ""
    from dalembert.numerics.exact_start import ExactStart

    here = ExactStart(problem, words, dict(zip(divided.inputs, values, strict=True)), start or {})
    several = (here.judged(one) for one in small)
    return next(filter(None, several), "") or (here.judged_matrix(divided.entries, divided.size) if weak else "")


def suspects(problem: Problem, words: NameResolver, points: Any, parameters: Any) -> list[int]:
    """Return the members of an ensemble whose start is near a singular point of the equations."""
    if problem.equations.atlas is not None:
        return []
    divided = _divided(words, problem)
    rows = [np.full(len(points), problem.span[0]), *points.T, *parameters.T]
    with np.errstate(all="ignore"):
        found = evaluate(divided.tape.roots, Arrays(dict(zip(divided.inputs, rows, strict=True))))
    numbers = np.array([np.broadcast_to(one, len(points)) for one in found], float).reshape(len(found), len(points))
    small = ~(np.abs(numbers[: len(divided.by)]) > _LOOKED_AT).all(axis=0)
    there = np.isfinite(points).all(axis=1)
    weak = [bool(_is_weak(one, divided.size)) for one in numbers[len(divided.by) :].T]
    return np.flatnonzero((small | weak) & there).tolist()


@dataclass(frozen=True, eq=False)
class _Divided:
    """What equations divide by, and their mass matrix, as numbers."""

    by: list[Expr]
    entries: list[Expr]
    size: int
    inputs: list[Expr]
    tape: Tape


def _divided(words: NameResolver, problem: Problem) -> _Divided:
    """Return what equations divide by; it is made once."""
    found: _Divided = words.kept(("divided by",), lambda: _made(words, problem))
    return found


def _made(words: NameResolver, problem: Problem) -> _Divided:
    plain = problem.equations
    waiting = waits(plain.mass) or plain.saddle is not None or len(plain.mass) > _MANY
    entries = [] if waiting else [entry for row in plain.mass for entry in row]
    size = 0 if waiting or not symbols(entries) else len(plain.mass)
    entries = entries if size else []
    skipped = set() if waits(plain.monitors) else set(plain.monitors.values())
    roots = [one for one in expressions_of(plain) if one not in skipped]
    moving = {v.data for v in (*words.variables, symbol(TIME))}
    by = [one for one in divisors(roots) if not moving.isdisjoint(symbols([one]))]
    inputs = [symbol(TIME), *words.variables, *plain.parameters]
    return _Divided(by, entries, size, inputs, Tape([*by, *entries], inputs))


def _is_weak(entries: Any, size: int) -> bool:
    """Say whether a mass matrix is nearly singular; there may be none."""
    if not size or not np.isfinite(entries).all():
        return False
    sizes = np.linalg.svd(entries.reshape(size, size), compute_uv=False)
    return bool(sizes[-1] < _LOOKED_AT * max(1.0, sizes[0]))
