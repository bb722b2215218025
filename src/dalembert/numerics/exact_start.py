"""Whether equations are regular where a motion begins, decided from the exact values that the user gives.

Double precision cannot decide it: the sine of the number next to 2 pi is not zero. So what equations divide by, and
the mass matrix, are enclosed at balls around the values of the start. A ball that excludes zero is a proof. Otherwise
the exact values decide, by ``is_zero``; if they are not known, or the value is not zero but below rounding, the start
is refused as undecided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb, arb_mat

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr import truth
from dalembert.expr.calculus import define, jacobian
from dalembert.expr.graph import ZERO, Expr, as_expr, symbol
from dalembert.expr.linear.exact import determinant
from dalembert.expr.readers import Balls, Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import parse, text
from dalembert.expr.walk import divisors, evaluate, substitute, symbols
from dalembert.model.faults import quoted
from dalembert.model.least import kinetic_matrix, nullspace
from dalembert.model.system import System
from dalembert.numerics.problem import Problem
from dalembert.numerics.start_values import stated_values
from dalembert.numerics.wording import NameResolver

_ULP, _FOUND = 2.3e-16, 1e-14
"""Half-widths of the balls, relative to 1 and to themselves: of a value that is given, and of one that was found."""
_ZERO = 1e-9
_SHOWN = 60


class _Near(Balls):
    """Reads at balls."""

    def _look_up(self, node: Expr) -> Any:
        return self.values[node]


class ExactStart:
    """A start, exactly as far as that is known, and as balls."""

    def __init__(
        self, problem: Problem, words: NameResolver, numbers: Mapping[Expr, float], start: Mapping[Any, Any]
    ) -> None:
        self.problem, self.words, self.numbers = problem, words, numbers
        self.exact = self._exact(start)

    def _exact(self, start: Mapping[Any, Any]) -> dict[Expr, Expr]:
        """Return the values that are known exactly: those given, zeros that are not, and those of parameters."""
        words, system = self.words, self.words.system
        found = {p: as_expr(Fraction(self.numbers[p])) for p in self.problem.equations.parameters}
        defaults = {} if system is None else system.defaults
        for p, value in defaults.items():
            if p in found and float(value) == self.numbers[p]:
                found[p] = as_expr(value)
        stated = dict(stated_values(start, words))
        for v in words.variables:
            if v in stated:
                value = stated[v]
                value = parse(value, words.vocabulary) if isinstance(value, str) else value
                value = as_expr(Fraction(value)) if isinstance(value, float) else as_expr(value)
                found[v] = substitute(define([value], dict(words.definitions)), found)[0]
            elif not self.numbers[v]:
                found[v] = ZERO
        return {symbol(TIME): as_expr(Fraction(self.problem.span[0])), **found}

    def _balls(self) -> dict[Expr, Any]:
        found = {}
        for one, x in self.numbers.items():
            known = self.exact.get(one)
            width = 0.0 if known is ZERO else _ULP if known is not None else _FOUND
            found[one] = arb(x, width * (abs(x) if known is not None else 1 + abs(x)))
        return found

    def _at(self, several: Sequence[Expr]) -> list[Expr] | None:
        """Return expressions at the exact start, None if that is not known."""
        found = substitute(list(several), self.exact)
        return found if all(s.role != "variable" for s in symbols(found)) and not symbols(found) else None

    def judged(self, one: Expr) -> str:
        """Return what is wrong with an expression that must not be zero; nothing if it is not."""
        try:
            if not _Near(self._balls()).read([one])[0].contains(0):
                return ""
        except EvaluationError:  # it has no value there, which the motion says
            return ""
        there, written = self._at([one]), _short(one)
        return self._said(
            f"they divide by {written}, which is 0",
            f"{written} is 0",
            there is not None and truth.is_zero(there[0]).holds is True,
        )

    def judged_matrix(self, entries: Sequence[Expr], size: int) -> str:
        """Return what is wrong with a mass matrix that must be regular; nothing if it is."""
        try:
            if not arb_mat(size, size, _Near(self._balls()).read(entries)).det().contains(0):
                return ""
        except EvaluationError:
            return ""
        there = self._at(entries)
        is_singular = there is not None and _is_singular([there[i : i + size] for i in range(0, size**2, size)])
        return self._said("their mass matrix is singular", "the determinant of the mass matrix is 0", is_singular)

    def _said(self, singular: str, small: str, decided: bool) -> str:
        at = self._shown()
        if not decided:
            return (
                f"the start cannot be told from a singular point of the {self.words.equations.formalism} equations: "
                f"{small} within rounding at {at}; give exact values as text, such as 'pi/3', or begin elsewhere."
            )
        return (
            f"the {self.words.equations.formalism} equations are singular at the start, {at}: {singular}. "
            f"{_who_is_singular(self.words, self.numbers)}"
        )

    def _shown(self) -> str:
        state = self.words.variables[: len(self.problem.start)]
        pairs = [f"{v.data.label} = {self._written(v)}" for v in state if not v.data.order]
        return ", ".join(pairs[:6]) + (", ..." if len(pairs) > 6 else "")

    def _written(self, one: Expr) -> str:
        known = self.exact.get(one)
        written = "" if known is None else text(known)
        return written if 0 < len(written) < 12 else f"{self.numbers[one]:.6g}"


def _is_singular(rows: list[list[Expr]]) -> bool:
    try:
        return truth.is_zero(determinant(rows)).holds is True
    except DalembertError:
        return False


def _short(one: Expr) -> str:
    written = text(one)
    return written if len(written) <= _SHOWN else "a longer expression"


def _who_is_singular(words: NameResolver, numbers: Mapping[Expr, float]) -> str:
    """Return whether the system is singular at a start, or its coordinates, or the variables of these equations."""
    system = words.system
    own = f"Only the variables of the {words.equations.formalism} equations are singular there; use another formalism."
    if system is None or system.lagrangian is None or system.order > 1:
        return "Begin elsewhere."
    try:
        q = dict(zip((*system.q, *system.v), words.all_translated([*system.q, *system.v]), strict=True))
        point = dict(zip(q, evaluate(list(q.values()), Floats(dict(numbers))), strict=True))
    except DalembertError:
        return own
    point |= {p: float(value) for p, value in system.defaults.items()} | dict(numbers)
    stated = [system.lagrangian, *system.forces.values(), *(c.expression for c in system.constraints.values())]
    stated = define(stated, dict(words.definitions))
    try:
        for one in divisors(stated):
            if abs(evaluate([one], Floats(point))[0]) < _ZERO:
                return f"The system is singular there: its statement divides by {_short(one)}. Begin elsewhere."
        idle = _without_inertia(system, words, point)
    except DalembertError:
        return "Begin elsewhere."
    if idle is None:
        return own
    names = ", ".join(
        quoted(v.data.label) for v, x in zip(system.v, np.abs(idle).max(axis=1), strict=True) if x > _ZERO
    )
    if _is_one_position(system, words, point, idle):
        remedy = "use other coordinates, or one of the kind 'direction' or 'rotation'"
        return (
            f"The coordinates are singular there (nothing moves along {names}), and the system need not be; {remedy}."
        )
    return f"The system is singular there: {names} has no inertia. Begin elsewhere."


def _without_inertia(system: System, words: NameResolver, point: Mapping[Expr, float]) -> Any:
    """Return the allowed velocities, as columns, that have no kinetic energy at a point; None if there are none."""
    matrix = kinetic_matrix(system)
    assert matrix is not None
    rows = jacobian([c.expression for c in system.constraints.values()], system.v) if system.constraints else []
    flat = define([e for row in (*matrix, *rows) for e in row], dict(words.definitions))
    found = np.array(evaluate(flat, Floats(point)), float).reshape(-1, len(system.q))
    metric, slopes = found[: len(system.q)], found[len(system.q) :]
    free = nullspace(slopes) if len(slopes) else np.eye(len(system.q))
    values, vectors = np.linalg.eigh(free.T @ metric @ free)
    idle = free @ vectors[:, np.abs(values) < _ZERO * max(1.0, np.abs(values).max(initial=0.0))]
    return idle if idle.shape[1] else None


def _is_one_position(system: System, words: NameResolver, point: Mapping[Expr, float], idle: Any) -> bool:
    """Say whether moving along some directions changes nothing: then they are of the coordinates alone."""
    draw = np.random.default_rng(20)
    assert system.lagrangian is not None
    (plain,) = define([system.lagrangian], dict(words.definitions))
    for _ in range(3):
        speed, moved = draw.uniform(-1, 1, len(system.q)), idle @ draw.uniform(-1, 1, idle.shape[1])
        there = {**point, **dict(zip(system.v, speed.tolist(), strict=True))}
        other = {
            **there,
            **{q: point[q] + x for q, x in zip(system.q, moved.tolist(), strict=True)},
            **dict(zip(system.v, (speed + moved).tolist(), strict=True)),
        }
        one, two = (float(evaluate([plain], Floats(values))[0]) for values in (there, other))
        if not abs(one - two) <= _ZERO * (1 + abs(one)):
            return False
    return True
