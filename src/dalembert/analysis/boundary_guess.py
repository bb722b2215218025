"""Guesses for boundary problems: curves through the values at both ends, and multipliers that fit them.

The first guess is the plainest polynomial through what is given, the next ones have loops. Multipliers enter the
equations E_L + lambda_a E_f^a - lambda_a' Omega_f^a = 0 linearly, so for a curve those that fit best, as polynomials of
time, are found by least squares; wilder guesses draw them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import perm
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers.arrays import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.mechanics.lagrangian.jets import derivative, momenta
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.trajectory import Array

__all__ = ["Guesses"]

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
