"""Momenta, Euler operators and energy of Lagrangians of any order, by jets.

For L(t, q, q', ..., q_(r)) Ostrogradsky's momenta are p_(r) = dL/dq_(r) and, downwards, p_(k) = dL/dq_(k) - D p_(k+1),
with D the total time derivative. One step further stands the Euler operator dL/dq - D p_(1), which vanishes along the
motions. The energy is the sum of p_(k) q_(k), less L.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME


def derivative(coordinate: Expr, order: int) -> Expr:
    """Return the symbol of a derivative of a coordinate.

    >>> derivative(symbol("x"), 2)
    x''
    """
    for _ in range(order):
        coordinate = coordinate.dot
    return coordinate


def total_derivative(functions: Sequence[Expr], coordinates: Sequence[Expr], highest: int) -> list[Expr]:
    """Return D of some functions of t, q, ..., q_(highest); what is higher is held still."""
    seed = {derivative(q, k): derivative(q, k + 1) for q in coordinates for k in range(highest + 1)}
    return tangent(functions, {**seed, symbol(TIME): ONE})


def momenta(lagrangian: Expr, coordinates: Sequence[Expr], order: int) -> list[list[Expr]]:
    """Return Ostrogradsky's momenta p_(1), ..., p_(r), each for all coordinates.

    >>> x = symbol("x")
    >>> momenta(x.dot.dot**2 / 2 - x.dot**2 / 2, [x], 2)
    [[-x' - x'''], [x'']]
    """
    found: list[list[Expr]] = []
    for k in range(order, 0, -1):
        slopes = gradient(lagrangian, [derivative(q, k) for q in coordinates])
        if found:
            moved = total_derivative(found[0], coordinates, 2 * order)
            slopes = [slope - rate for slope, rate in zip(slopes, moved, strict=True)]
        found.insert(0, slopes)
    return found


def euler_operators(
    lagrangian: Expr, coordinates: Sequence[Expr], order: int, highest: int | None = None
) -> list[Expr]:
    """Return dL/dq - D p_(1) for each coordinate; derivatives above ``highest`` are put to zero.

    >>> x = symbol("x")
    >>> euler_operators(x.dot**2 / 2 - x**2 / 2, [x], 1)
    [-x - x'']
    """
    first = momenta(lagrangian, coordinates, order)[0]
    moved = total_derivative(first, coordinates, (2 * order if highest is None else highest) - 1)
    return [slope - rate for slope, rate in zip(gradient(lagrangian, coordinates), moved, strict=True)]


def energy(lagrangian: Expr, coordinates: Sequence[Expr], order: int) -> Expr:
    """Return the sum of p_(k) q_(k), less L.

    >>> x = symbol("x")
    >>> energy(x.dot**2 / 2 - x**2 / 2, [x], 1)
    x'^2 - (x'^2/2 - x^2/2)
    """
    terms = [(-1, lagrangian)]
    for k, several in enumerate(momenta(lagrangian, coordinates, order), 1):
        terms += [(1, p * derivative(q, k)) for p, q in zip(several, coordinates, strict=True)]
    return total(terms)
