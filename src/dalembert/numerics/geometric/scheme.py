"""One step of fixed length as expressions, and compositions of such steps.

Every integrator of this package is a :class:`Scheme`: where the state goes, in terms of unknowns that make residuals
vanish. The residuals are solved by Newton's method with their exact Jacobian; the derivative of the step itself follows
from the same graph, so that what is claimed of it (it is symplectic, say) can be measured to rounding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import Symbol

__all__ = ["STEP", "Scheme", "composed", "refuse_odd", "step_jacobian"]

STEP = symbol(Symbol("length of a step", role="parameter"))
"""The length of a step; no name in a text has blanks, so it is nobody else's."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A map from the state before a step to the state after it.

    Expressions are in time, ``state``, ``unknowns``, ``parameters`` and ``STEP``.
    """

    name: str
    order: int
    """The error at a fixed time falls as this power of the step."""
    state: tuple[Expr, ...]
    after: tuple[Expr, ...]
    residuals: Mapping[Expr, Expr] = field(default_factory=dict)
    """For each unknown a function that vanishes."""
    begin: Mapping[Expr, Expr] = field(default_factory=dict)
    """Where the unknowns are sought in the first step, in terms of the equations that move; later ones begin where the
    one before ended."""
    parameters: tuple[Expr, ...] = ()
    fractions: tuple[float, ...] = (1.0,)
    """The parts that a step is made of, in terms of its length."""


def refuse_odd(method: str, order: int) -> None:
    """Raise unless an order is one of 2, 4, 6, ..."""
    if order < 2 or order % 2:
        raise HypothesisError(method, [Fault("order", f"there is no scheme of order {order}", "use 2, 4, 6, ...")])


def composed(scheme: Scheme, order: int) -> Scheme:
    """Return a symmetric scheme of order 2 composed with itself to any even order, as Suzuki does.

    Five steps of order 2k, with the parts s, s, 1 - 4s, s, s for s = 1/(4 - 4^(1/(2k+1))), make one of order 2k+2.
    Source: M. Suzuki, Phys. Lett. A 146 (1990) 319.

    >>> x = symbol("x")
    >>> [round(part, 6) for part in composed(Scheme("", 2, (x,), (x,)), 4).fractions]
    [0.414491, 0.414491, -0.657963, 0.414491, 0.414491]
    """
    if order < scheme.order or (order - scheme.order) % 2 or scheme.order % 2:
        raise ExpressionError(f"a scheme of order {scheme.order} can be composed to even orders above, not to {order}.")
    made = scheme
    while made.order < order:
        part = 1 / (4 - 4 ** (1 / (made.order + 1)))
        parts = (part, part, 1 - 4 * part, part, part)
        fractions = tuple(outer * inner for outer in parts for inner in made.fractions)
        made = replace(made, order=made.order + 2, fractions=fractions)
    return made


def step_jacobian(scheme: Scheme) -> list[list[Expr]]:
    """Return d(state after)/d(state before) of one part of a step, exact, unknowns taken along.

    >>> x, u = symbol("x"), symbol("u")
    >>> implicit = Scheme("backward Euler", 1, (x,), (x + STEP * u,), {u: u + (x + STEP * u)})
    >>> [[entry]] = step_jacobian(implicit)
    >>> from dalembert.expr.truth import is_zero
    >>> is_zero(entry - 1 / (1 + STEP)).holds
    True
    """
    unknowns, residuals = list(scheme.residuals), list(scheme.residuals.values())
    slopes = jacobian(residuals, unknowns) if unknowns else []
    columns = []
    for variable in scheme.state:
        moved = tangent(residuals, {variable: ONE})
        answer = solve(slopes, [-m for m in moved])
        columns.append(tangent(scheme.after, {variable: ONE, **dict(zip(unknowns, answer, strict=True))}))
    return [[column[i] for column in columns] for i in range(len(scheme.state))]
