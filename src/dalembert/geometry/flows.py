"""Flows in closed form, where they exist: of linear, affine, nilpotent and many polynomial fields.

The flow of X moves a function u to the sum of s^k/k! X^k(u). If X^m(u) is a combination of u, X(u), ..., X^(m-1)(u)
with constant coefficients (numbers, or expressions in parameters), u obeys a linear equation with constant coefficients
along the flow, and the sum is known: powers of s, exponentials, sines and cosines. For u = x this covers translations,
rotations, scalings, shears and screws alike; u = 1/x and u = y/x add projective maps.

What is returned has been checked: it obeys the equation of a flow. With parameters it holds at generic values of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, isqrt
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.elementary import cos, exp, sin, sqrt
from dalembert.expr.field import Field
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr, as_expr, product, symbol, total
from dalembert.expr.linear import inverse
from dalembert.expr.truth import is_zero, vanish
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.constants import constant_combination, written_out
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot

_LONGEST = 6
"""The highest order of a linear equation that is looked for."""


def flow(field: VectorField, time: Expr) -> list[Expr] | None:
    """Return where each coordinate is after flowing for the given time, or None where no closed form was found.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, s = symbol("x"), symbol("y"), symbol("s", role="parameter")
    >>> flow(VectorField.of(Chart.of(x, y), [-y, x]), s)
    [x*cos(s) - y*sin(s), x*sin(s) + y*cos(s)]
    """
    if time.op != "symbol" or time in postorder([*field.components, *field.chart.coordinates]):
        raise ExpressionError("the time of a flow is a symbol that does not occur in the field.")
    moved: dict[Expr, Expr] = {}
    for _ in field.chart.coordinates:  # what has been found may help with the others
        for q in field.chart.coordinates:
            if q not in moved:
                image = _moved_coordinate(field, q, time, moved)
                if image is not None:
                    moved[q] = image
        if len(moved) == field.chart.dimension:
            images = [moved[q] for q in field.chart.coordinates]
            return images if _is_flow(field, images, time) else None
    return None


def _is_flow(field: VectorField, moved: Sequence[Expr], time: Expr) -> bool:
    """The second derivation: what was found obeys dx/ds = X(x) and starts where it should."""
    q = field.chart.coordinates
    there = substitute(list(field.components), dict(zip(q, moved, strict=True)))
    start = substitute(list(moved), {time: ZERO})
    rates = [diff(m, time) - t for m, t in zip(moved, there, strict=True)]
    return vanish([*rates, *(s - c for s, c in zip(start, q, strict=True))])


def _moved_coordinate(field: VectorField, q: Expr, time: Expr, known: dict[Expr, Expr]) -> Expr | None:
    """Return a coordinate moved: directly, or by its reciprocal, or by its ratio to another that is known."""
    found = _moved(field, q, time)
    if found is not None:
        return found
    found = _moved(field, 1 / q, time)
    if found is not None:
        return written_out(1 / found)
    for other, image in known.items():
        found = _moved(field, q / other, time)
        if found is not None:
            return written_out(found * image)
    return None


def _moved(field: VectorField, function: Expr, time: Expr) -> Expr | None:
    iterates = [function]
    for _ in range(_LONGEST):
        last = field(iterates[-1])
        if is_zero(last).holds:
            return total([(Fraction(1, factorial(k)), time**k * e) for k, e in enumerate(iterates)])
        relation = constant_combination([last], [[e] for e in iterates], field.chart.coordinates)
        if relation is not None:
            return _sum_series(iterates, relation, time)
        iterates.append(last)
    return None


def _sum_series(iterates: Sequence[Expr], relation: Sequence[Expr], time: Expr) -> Expr | None:
    """Return the solution of u^(m) = sum relation[k] u^(k) with u^(k)(0) = iterates[k]."""
    solutions = _fundamental([*(-c for c in relation), ONE], time)
    if solutions is None:
        return None
    at_start = {time: ZERO}
    rows = [substitute([diff(s, *[time] * k) for s in solutions], at_start) for k in range(len(iterates))]
    sums = [dot(row, iterates) for row in inverse(rows)]
    weights = [written_out(w) for w in sums]
    return dot(weights, solutions)


def _fundamental(coefficients: Sequence[Expr], time: Expr) -> list[Expr] | None:
    """Return a basis of solutions of sum c_k u^(k) = 0, if its polynomial splits into linear and quadratic factors."""
    rate = symbol("the rate of a flow")
    polynomial = total([(1, c * rate**k) for k, c in enumerate(coefficients)])
    field = Field([polynomial])
    basis: list[Expr] = []
    for factor, times in factored(field.read(polynomial).above)[1]:
        base = _solutions(field, factor, rate, time)
        if base is None:
            return None
        basis += [time**k * b for k in range(times) for b in base]
    return basis


def _solutions(field: Field, factor: Any, rate: Expr, time: Expr) -> list[Expr] | None:
    """Return the solutions that belong to an irreducible factor; None where their kind is not known."""
    written = field.to_expr(factor)
    terms = [substitute([diff(written, *[rate] * k)], {rate: ZERO})[0] / factorial(k) for k in range(4)]
    while terms and terms[-1] is ZERO:
        terms.pop()
    if len(terms) == 1:  # a constant, no factor at all
        return []
    if len(terms) == 2:
        return [exp(-terms[0] / terms[1] * time)]
    if len(terms) > 3:
        return None
    middle = -terms[1] / (2 * terms[2])
    under = (4 * terms[0] * terms[2] - terms[1] ** 2) / (4 * terms[2] ** 2)  # the roots are middle +- sqrt(-under)
    grow = exp(middle * time) if middle is not ZERO else ONE
    turn = _whole_root(under)
    sign = 1 if turn is not None else ranges([under])[0].sign
    if sign is None:
        return None
    if sign > 0:
        turn = turn if turn is not None else sqrt(under)
        return [grow * cos(turn * time), grow * sin(turn * time)]
    root = sqrt(-under)
    return [grow * exp(root * time), grow * exp(-root * time)]


def _whole_root(expression: Expr) -> Expr | None:
    """Return a rational function whose square is the expression, if there is one."""
    field = Field([expression])
    value = field.read(expression)
    parts: list[tuple[Expr, int]] = []
    for polynomial, sign in ((value.above, 1), (value.below, -1)):
        content, factors = factored(polynomial)
        if content < 0 or isqrt(content) ** 2 != content or any(times % 2 for _, times in factors):
            return None
        parts += [(as_expr(isqrt(content)), sign)]
        parts += [(field.to_expr(factor), sign * (times // 2)) for factor, times in factors]
    return product(parts)
