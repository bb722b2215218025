"""Floquet multipliers of periodic and relatively periodic motions, modulo the symmetry.

A motion is relatively periodic if z(T) = g z(0) for an element g of the symmetry. Then z(0) is a fixed point of
g^-1 o flow_T, and the eigenvalues of its derivative across the orbit are the multipliers: how neighbours come back,
wherever they are carried. Of a steady motion every T is a period, and they are exp(lambda T).

g = exp(s^a X_a) is found by Newton's method on s, and so is its derivative: both are the flow of s^a X_a after time 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.steady.linear_part import across
from dalembert.analysis.steady.symmetries import StateSymmetry, state_symmetries
from dalembert.errors import EvaluationError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ZERO, Expr
from dalembert.model.equations import equations_and_system
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape
from dalembert.numerics.linearise import flow
from dalembert.numerics.problem import Problem
from dalembert.numerics.simulate import prepare
from dalembert.numerics.state_manifold import state_manifold
from dalembert.records import dataclass
from dalembert.shown import Shown

_CLOSED = 1e-5
"""How near, beside its size, a state has to come to one that the symmetry carries the first to."""
_STEPS, _COLUMNS = 4, 8
"""Steps along the symmetry, whose fields are mostly shifts and rotations, and how often each is extrapolated."""


@dataclass(frozen=True, slots=True, eq=False)
class Floquet(Shown):
    """The derivative of g^-1 o flow_T at the begin of a relatively periodic motion, across the orbit."""

    names: tuple[str, ...]
    """The variables that the directions are named after."""
    matrix: Array
    multipliers: NDArray[np.complex128]
    """The eigenvalues, the largest first."""
    shift: Mapping[str, float]
    """s^a by symmetry: g = exp(s^a X_a)."""
    miss: float
    """How far g z(0) is from z(T)."""

    @property
    def stability(self) -> str:
        """What the multipliers say, in a sentence."""
        largest = float(np.abs(self.multipliers).max(initial=0.0))
        if largest > 1 + 1e-4:  # a multiplier 1 may have a Jordan block, whose error is the root of that of the matrix
            return f"unstable: something grows by the factor {largest:.6g} in each period."
        if int(np.sum(np.abs(self.multipliers) < 1 - 1e-4)) == len(self.multipliers) - 1:
            return "everything across the symmetry and the motion decays."
        return "no multiplier is outside the unit circle, and several are on it."


def floquet(
    result: Any,
    start: Mapping[Any, Any] | None,
    period: float,
    *,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
    **more: Any,
) -> Floquet:
    """Return the multipliers of a motion that after a period is where a symmetry carries its begin.

    Of a periodic motion this is ``monodromy`` modulo the symmetry. ``more`` is as in ``simulate``.

    >>> from dalembert import Equations, symbol
    >>> x, y, h = symbol("x"), symbol("y"), symbol("h")
    >>> carried = Equations("a limit circle that drifts", "by hand",
    ...     {x: y + x*(1 - x**2 - y**2), y: -x + y*(1 - x**2 - y**2), h: 3 + x})
    >>> found = floquet(carried, {"x": 1, "y": 0, "h": 0}, 2*np.pi)
    >>> found.names, found.multipliers.real.round(9) + 0, round(found.shift["d/dh"] / np.pi, 9)
    (('x', 'y'), array([1.000e+00, 3.487e-06]), 6.0)
    """
    plain, system = equations_and_system(result, "floquet")
    problem, words, _ = prepare(plain, start, period, system=system, values=values, functions=functions)
    if plain.implicit:
        raise EvaluationError("these equations have unknowns that are not solved for; multipliers are not found.")
    symmetries = state_symmetries(words.equations, words)
    run, matrices = flow(result, start, period, values=values, functions=functions, **more)
    if not run.success:
        raise EvaluationError(f"the motion was not followed over the period: {run.message}")
    size = len(problem.equations.state)
    begin, end, whole = run.y[:size, 0].copy(), run.y[:size, -1].copy(), matrices[:size, :size, -1]
    manifold = state_manifold(problem, words)
    group = _Group(problem, symmetries)
    s = group.between(begin, end)
    there, carried = group.moved(begin, s)
    miss = float(np.abs(group.gaps(there, end)).max(initial=0.0))
    if miss > _CLOSED * (1 + float(np.abs(begin).max(initial=0.0))):
        raise EvaluationError(
            f"after {period:g} the motion is not where a symmetry carries its begin: it misses that by {miss:.3g}."
        )
    names, columns, inverse = manifold.tangent(begin)
    back = np.linalg.solve(carried, whole)
    names, chosen, modulo = across(names, inverse @ group.fields(begin))
    matrix = modulo @ (inverse @ back @ columns)[:, chosen]
    multipliers = np.linalg.eigvals(matrix).astype(np.complex128)
    order = np.lexsort((multipliers.imag, -np.abs(multipliers)))
    shift = {one.name: float(x) + 0.0 for one, x in zip(symmetries, s, strict=True)}
    return Floquet(names, matrix, multipliers[order], shift, miss)


class _Group:
    """The action of exp(s^a X_a) on states, as numbers, with its derivative."""

    def __init__(self, problem: Problem, symmetries: tuple[StateSymmetry, ...]) -> None:
        state = list(problem.equations.state)
        self._count, self._size = len(symmetries), len(state)
        carried = {v for one in symmetries for v in one.components}
        self._turns = np.array([v.data.domain == "angle" and v not in carried for v in state])
        self._parameters = problem.parameters.tolist()
        rows: list[Expr] = [one.components.get(v, ZERO) for one in symmetries for v in state]
        slopes = [e for row in jacobian(rows, state) for e in row] if rows else []
        self._tape = Tape([*rows, *slopes], [*state, *problem.equations.parameters])

    def _look(self, z: Array) -> tuple[Array, Array]:
        values = np.array(self._tape([*z.tolist(), *self._parameters]))
        width = self._count * self._size
        return values[:width].reshape(self._count, self._size), values[width:].reshape(self._count, self._size, -1)

    def fields(self, z: Array) -> Array:
        """Return the symmetries at a state, as columns."""
        return self._look(z)[0].T

    def moved(self, z: Array, s: Array) -> tuple[Array, Array]:
        """Return exp(s^a X_a) z and its derivative by z."""
        unit = np.eye(self._size)
        if not self._count or not s.any():
            return z.copy(), unit

        def rate(at: Array) -> Array:
            rows, slopes = self._look(at[:, 0])
            return np.column_stack([s @ rows, np.tensordot(s, slopes, 1) @ at[:, 1:]])

        here = np.column_stack([z, unit])
        for _ in range(_STEPS):
            here = _step(rate, here, 1.0 / _STEPS)
        return here[:, 0], here[:, 1:]

    def between(self, begin: Array, end: Array) -> Array:
        """Return s for which exp(s^a X_a) carries one state as near to another as it can, by Gauss and Newton."""
        s = np.zeros(self._count)
        for _ in range(30):
            if not self._count:
                break
            there, _ = self.moved(begin, s)
            width = 1e-6
            slopes = np.column_stack(
                [
                    (self.moved(begin, s + width * e)[0] - self.moved(begin, s - width * e)[0]) / (2 * width)
                    for e in np.eye(self._count)
                ]
            )
            step = np.linalg.lstsq(slopes, self.gaps(there, end), rcond=1e-9)[0]
            s = s + step
            if float(np.abs(step).max()) < 1e-13 * (1 + float(np.abs(s).max())):
                break
        return s

    def gaps(self, there: Array, end: Array) -> Array:
        """Return what is left between two states; angles that no symmetry moves count modulo full turns."""
        left = end - there
        return np.where(self._turns, (left + np.pi) % (2 * np.pi) - np.pi, left)


def _step(rate: Callable[[Array], Array], begin: Array, length: float) -> Array:
    """Return where a step leads: midpoint rules extrapolated to vanishing steps, in their squares (Gragg)."""
    rows: list[Array] = []
    counts = [2 * (k + 1) for k in range(_COLUMNS)]
    for k, count in enumerate(counts):
        h = length / count
        before, here = begin, begin + h * rate(begin)
        for _ in range(count - 1):
            before, here = here, before + 2 * h * rate(here)
        found = [(before + here + h * rate(here)) / 2]
        for j in range(1, k + 1):
            ratio = (count / counts[k - j]) ** 2
            found.append(found[-1] + (found[-1] - rows[j - 1]) / (ratio - 1))
        rows = found
    return rows[-1]
