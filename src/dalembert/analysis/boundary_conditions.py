"""What holds at the ends of a critical curve: given values, and natural conditions for what is free.

The positions x = (q, ..., q_(r-1)) at an end obey the constraint and its derivatives c = (f, Df, ..., D^(r-2) f) = 0;
for r = 1 there are none. Some of them are given. The curve is critical only if its costates vanish on all changes of
the others that c allows: p v = 0 for dc v = 0 with v = 0 on what is given (transversality). A costate is known up to
combinations of dc, which such v do not feel. Where c gives a value that is stated as well, the value is not asked for
twice: it is compared afterwards.

Guesses are curves through the values at both ends, and multipliers that fit them. The first is the plainest polynomial
through what is given, the next ones have loops. Multipliers enter the equations E_L + lambda_a E_f^a - lambda_a'
Omega_f^a = 0 linearly, so for a curve those that fit best, as polynomials of time, are found by least squares; wilder
guesses draw them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import perm
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import define, jacobian, tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, as_expr, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME, Function
from dalembert.expr.truth import vanish
from dalembert.expr.walk import evaluate
from dalembert.mechanics.lagrangian.jets import derivative, momenta
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

_INDEPENDENT = 1e-7
_OBEYED = 1e-9


@dataclass(frozen=True, slots=True)
class EndConditions:
    """Functions of the state that vanish at one end."""

    asked: tuple[Expr, ...]
    """As many as are needed, and no more."""
    compared: Mapping[Expr, float]
    """Values that are given although the constraints give them: a solution has them, or there is none."""


def end_conditions(
    form: HamiltonianForm,
    given: Mapping[Expr, float],
    near: Mapping[Expr, float],
    definitions: Mapping[Function, tuple[Sequence[Expr], Expr]],
    which: str,
) -> EndConditions:
    """Return the conditions at an end (``begin`` or ``end``) where some positions are given.

    ``near`` has a point close to that end, by which independent columns of dc are told. At the begin the constraint is
    asked for, and the multipliers mu, mu', ... of the prolonged constraint are put to zero, where no motion feels them;
    both are kept along the motion.
    """
    functions = define(_prolonged(form), definitions)
    _require_obeyed(form, functions, given, near, which)
    slopes = jacobian(functions, form.positions)
    size = len(form.positions)
    matrix = np.array(evaluate([e for row in slopes for e in row], Floats(near)), float).reshape(-1, size)
    free = [j for j, x in enumerate(form.positions) if x not in given]
    pivots = _pivots(matrix, free, [j for j in reversed(range(size)) if j not in free])
    costates = form.state(form.momenta) if form.explicit else list(form.costates)
    square = [[row[j] for j in pivots] for row in slopes]
    asked, compared = [], {}
    for j, x in enumerate(form.positions):
        if x in given and j in pivots:
            compared[x] = given[x]
        elif x in given:
            asked.append(x - as_expr(Fraction(given[x])))
        elif j not in pivots:
            follow = solve(square, [row[j] for row in slopes]) if pivots else []
            carried = [(-1, part * costates[i]) for part, i in zip(follow, pivots, strict=True) if i in free]
            asked.append(total([(1, costates[j]), *carried]))
    if which == "begin":
        asked += [*functions, *_gauge(form)]
    return EndConditions(tuple(define(asked, definitions)), compared)


def _prolonged(form: HamiltonianForm) -> list[Expr]:
    """Return f, Df, ..., D^(r-2) f, functions of the positions."""
    found: list[Expr] = []
    newest = [c.expression for c in form.system.constraints.values()]
    for _ in range(form.order - 1):
        found += newest
        newest = [time_derivative(f) for f in newest]
    return found


def _gauge(form: HamiltonianForm) -> list[Expr]:
    found: list[Expr] = []
    newest: Sequence[Expr] = form.multiplier_names
    for _ in range(form.order - 1):
        found += form.state(newest)
        newest = tangent(newest, form.flow)
    return found


def _pivots(matrix: Array, first: Sequence[int], then: Sequence[int]) -> list[int]:
    """Return columns that span the image of a matrix: as many as can be of the first ones, the longest each time."""
    rest, chosen = np.array(matrix), list[int]()
    scale = float(np.max(np.abs(matrix), initial=1e-300))
    for columns in (first, then):
        while len(chosen) < len(matrix):
            lengths = {j: float(np.linalg.norm(rest[:, j])) for j in columns if j not in chosen}
            best = max(lengths, key=lambda j: lengths[j], default=None)
            if best is None or lengths[best] < _INDEPENDENT * scale:
                break
            unit = rest[:, best] / lengths[best]
            rest = rest - np.outer(unit, unit @ rest)
            chosen.append(best)
    return chosen


def _require_obeyed(
    form: HamiltonianForm,
    functions: Sequence[Expr],
    given: Mapping[Expr, float],
    near: Mapping[Expr, float],
    which: str,
) -> None:
    """Refuse values at an end that contradict the constraints."""
    slopes = jacobian(functions, [x for x in form.positions if x not in given])
    names = list(form.system.constraints)
    values = evaluate(list(functions), Floats({**near, **given}))
    faults = []
    for k, (value, row) in enumerate(zip(values, slopes, strict=True)):
        known = vanish(row)
        if known and not abs(float(value)) < _OBEYED * (1 + max(map(abs, given.values()), default=0.0)):
            what = f"the values given do not obey the constraint '{names[k % len(names)]}': it is {float(value):.3g}"
            asked = "an admissible curve, whose ends obey what the constraints say of them (Garcia-Rodrigo, section 2)"
            faults.append(Fault(which, what, "correct a value, or leave out one that follows", hypothesis=asked))
    if faults:
        raise HypothesisError("boundary", faults)


# -- guesses --------------------------------------------------------------------------------------------------
_SIZES = (0.0, 0.2)
"""The loops of the first guesses, whose multipliers are fitted."""
_DEGREE = 2

Ends = Sequence[Mapping[Expr, float]]


class Guesses:
    """Guesses at the states along a curve between two ends."""

    def __init__(
        self,
        result: Vakonomic,
        variables: Sequence[Expr],
        ends: Ends,
        span: tuple[float, float],
        parameters: Mapping[Expr, float],
        concrete: Callable[[list[Expr]], list[Expr]],
    ) -> None:
        self.result, self.ends, self.span = result, ends, span
        self.variables, self.parameters = list(variables), dict(parameters)
        form, held = result.form, result.formulations
        n, mu = len(result.system.q), form.multiplier_names
        costates = momenta(form.joined, [*result.system.q, *mu], form.order)
        known = dict(zip(form.costates, (p for several in costates for p in several[:n]), strict=True))
        self._wanted = concrete([known.get(v, v) for v in variables])
        several = (held.lagrangian.euler, *(f.euler for f in held.constraints))
        slopes = (f.momenta[0] for f in held.constraints)
        self._operators = concrete([e for part in (*several, *slopes) for e in part])

    def __call__(self, draw: np.random.Generator, attempt: int, intervals: int) -> tuple[Array, Array]:
        """Return times, and the variables at these times."""
        t = np.linspace(*self.span, intervals + 1)
        tame = attempt < len(_SIZES)
        size = _SIZES[attempt] if tame else 0.1 + attempt / 2
        table = self.curve(t, {q: size * draw.normal(size=2) for q in self.result.system.q})
        drawn = [Polynomial([size * draw.normal()]) for _ in self.result.formulations.multipliers]
        for mu, one in zip(self.result.form.multiplier_names, self._fitted(table, t) if tame else drawn, strict=True):
            table |= self._multiplier(mu, one, t)
        return t, self._read(self._wanted, table, t)

    def curve(self, t: Array, loops: Mapping[Expr, Array] | None = None) -> dict[Expr, Any]:
        """Return times, parameters, coordinates and their derivatives along a polynomial curve."""
        long = self.span[1] - self.span[0]
        s = (t - self.span[0]) / long
        table: dict[Expr, Any] = {symbol(TIME): t, **self.parameters}
        for q in self.result.system.q:
            path = self._path(q, None if loops is None else loops[q])
            for k in range(2 * self.result.system.order + 1):
                table[derivative(q, k)] = path.deriv(k)(s) / long**k if k else path(s)
        return table

    def _path(self, q: Expr, loops: Array | None) -> Polynomial:
        """Return a polynomial on (0, 1) with the values and derivatives that are given, the shortest, and loops."""
        r, long = self.result.system.order, self.span[1] - self.span[0]
        rows, right = [], []
        for side, given in enumerate(self.ends):
            for k in range(r):
                value = given.get(derivative(q, k))
                if value is not None:
                    rows.append([perm(j, k) * float(side) ** max(j - k, 0) if j >= k else 0.0 for j in range(2 * r)])
                    right.append(value * long**k)
        plain = np.linalg.lstsq(np.array(rows), np.array(right), rcond=None)[0] if rows else np.zeros(2 * r)
        path = Polynomial(plain)
        if loops is None:
            return path
        s = Polynomial([0.0, 1.0])
        bump = 4.0**r * (s * (1 - s)) ** r
        looped: Polynomial = path + bump * (loops[0] + 2 * loops[1] * (1 - 2 * s))
        return looped

    def _multiplier(self, mu: Expr, one: Polynomial, t: Array) -> dict[Expr, Array]:
        """Return mu, mu' from lambda = (-1)^(r-1) mu_(r-1), a polynomial on (0, 1); for r > 1 they begin at zero."""
        r, long = self.result.form.order, self.span[1] - self.span[0]
        whole = (-1) ** (r - 1) * one
        for _ in range(r - 1):
            whole = whole.integ() * long
        s = (t - self.span[0]) / long
        return {derivative(mu, k): whole.deriv(k)(s) / long**k if k else whole(s) for k in range(r + 1)}

    def _fitted(self, table: Mapping[Expr, Any], t: Array) -> list[Polynomial]:
        """Return the multipliers, as polynomials on (0, 1), that fit the equations best along a curve."""
        n, k = len(self.result.system.q), len(self.result.formulations.constraints)
        values = self._read(self._operators, table, t).reshape(1 + 2 * k, n, t.size)
        if not np.all(np.isfinite(values)):
            return [Polynomial([0.0]) for _ in range(k)]
        s, long = (t - t[0]) / (t[-1] - t[0]), t[-1] - t[0]
        powers = [(s**j, j * s ** max(j - 1, 0) / long) for j in range(_DEGREE + 1)]
        columns = [
            (power * values[1 + a] - rate * values[1 + k + a]).ravel() for a in range(k) for power, rate in powers
        ]
        found = np.linalg.lstsq(np.array(columns).T, -values[0].ravel(), rcond=1e-6)[0].reshape(k, len(powers))
        return [Polynomial(row) for row in found]

    def _read(self, expressions: list[Expr], table: Mapping[Expr, Any], t: Array) -> Array:
        values = evaluate(expressions, Arrays(dict(table)))
        return np.array([np.broadcast_to(np.asarray(v, dtype=np.float64), t.shape) for v in values])
