"""Steps of a motion as polynomials, and bounds of an expression along parts of them."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate, postorder
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.bounds import POWERS
from dalembert.numerics.jets import MORE, ULP, ArrayNumbers, Ball, Jet, Jets
from dalembert.records import dataclass

ALLOWANCE = 10
"""The dense output is taken to be right within so many tolerances: steps add up, and between them it is less exact."""
POLE = 1e8
"""What is larger than this is no zero, however little is known of it: it has a pole nearby."""
_SHIFT_ERROR = 16 * ULP


@dataclass(frozen=True, eq=False)
class Polynomials:
    """Steps one after the other, on each of which every variable is a polynomial in the part of the step."""

    coefficients: Array
    """By variable, power from 0, step."""
    begins: Array
    lengths: Array
    slack: float = 1.0
    """How many times less exact the coefficients are than rounding makes them."""


@dataclass(frozen=True, eq=False)
class Pieces:
    """Such steps, and what their rows are."""

    variables: tuple[Expr, ...]
    steps: Polynomials
    parameters: dict[Expr, float]


def sign_of(value: float) -> int:
    """Return the sign of a number, 0 of what is none."""
    return int(value > 0) - int(value < 0)


def from_nested(begin: Array, nested: Array) -> Array:
    """Return the polynomials of the dense output of DOP853 by powers, from its values at the begin and its F_i.

    Of one step, or of several: these come first.
    """
    powers: Array = np.einsum("ik,...in->...nk", np.array(POWERS, dtype=np.float64), nested)
    powers[..., 0] = begin
    return powers


class Along:
    """An expression along some pieces."""

    def __init__(self, expression: Expr, pieces: Pieces, tolerance: float) -> None:
        self.expression, self.pieces, self.tolerance = expression, pieces, ALLOWANCE * tolerance
        used = set(postorder([expression]))
        self._rows = [i for i, v in enumerate(pieces.variables) if v in used]
        self._numbers = ArrayNumbers()
        self._still: dict[Expr, Jet] = {p: [Ball(np.float64(v))] for p, v in pieces.parameters.items()}

    def _shifted(self, step: Any, left: Any, right: Any, most: int) -> tuple[Array, Array]:
        """Return the first coefficients around the middle in units of half the width, and bounds of their errors."""
        chosen = self.pieces.steps.coefficients[self._rows][:, :, step]
        size = chosen.shape[1]
        middle, radius = (left + right) / 2, (right - left) / 2
        powers = middle ** np.arange(size)[:, None]
        widths = radius ** np.arange(most)[:, None]
        found, errors = np.zeros((2, len(chosen), most, len(step)))
        for j in range(most):
            for k in range(j, size):
                part = chosen[:, k] * (comb(k, j) * powers[k - j])
                found[:, j] += part
                errors[:, j] += np.abs(part)
        return found * widths, errors * widths * (_SHIFT_ERROR * self.pieces.steps.slack)

    def jets(
        self, step: Any, left: Any, right: Any, order: int, *, wide: bool, swollen: float = 0.0
    ) -> tuple[Array, Array]:
        """Return centres and radii of Taylor coefficients, over the whole width or at the middle.

        The states are ``swollen`` by a relative error.
        """
        known = dict(self._still)
        size = self.pieces.steps.coefficients.shape[1]
        found, errors = self._shifted(step, left, right, size if wide else min(order + 1, size))
        if swollen:
            errors[:, 0] += swollen * (1 + np.abs(found[:, 0]))
        for row, centre, error in zip(self._rows, found, errors, strict=True):
            known[self.pieces.variables[row]] = _jet(centre, error, order, wide=wide)
        begin, length = self.pieces.steps.begins[step], self.pieces.steps.lengths[step]
        time = begin + (left + right) / 2 * length
        rounding = ULP * (np.abs(begin) + np.abs(length))
        clock = np.array([time, (right - left) / 2 * length])
        known[symbol(TIME)] = _jet(clock, np.array([rounding, 0 * rounding]), order, wide=wide)
        result = evaluate([self.expression], Jets(self._numbers, order, known))[0]
        shape = np.shape(step)
        centres, radii = np.zeros((order + 1, *shape)), np.zeros((order + 1, *shape))
        for k, ball in enumerate(result):
            if ball is not None:
                centres[k] = ball.centre
                radii[k] = 0 if ball.radius is None else ball.radius
        return centres, radii

    def signs(self, step: Any, part: Any) -> Any:
        """Return the signs at places, 0 where rounding hides them."""
        centres, radii = self.jets(step, part, part, 0, wide=False)
        plain = excludes(centres[0], radii[0]) | (np.abs(centres[0]) > POLE)
        return np.where(plain, np.sign(centres[0]), 0).astype(int)


def _jet(centres: Array, errors: Array, order: int, *, wide: bool) -> Jet:
    """Return the Taylor coefficients of a polynomial at the middle, or over the whole width."""
    result: Jet = []
    for k in range(min(order + 1, len(centres))):
        radius = errors[k]
        if wide:
            for j in range(k + 1, len(centres)):
                radius = radius + comb(j, k) * (np.abs(centres[j]) + errors[j])
        result.append(Ball(centres[k], radius))
    return result


def excludes(centre: Array, radius: Array) -> Any:
    """Say where a ball does not hold zero; one that is not a number holds everything."""
    return np.abs(centre) > radius * MORE + 1e-300
