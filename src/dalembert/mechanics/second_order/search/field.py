"""Second-order fields for long searches: what has been computed of one is kept, and its formulas are short.

The determining equations of symmetries are written down a thousand times, once for each unknown constant, with the same
derivatives of f and g in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.field import normal
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import postorder
from dalembert.expr.work import Budget
from dalembert.mechanics.second_order.field import Constrained, Row, Sode
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["Matrix", "SecondOrderField", "contract", "field_of"]

Matrix = tuple[Row, ...]
_MOST_NODES = 200
"""Formulas up to this size are brought to a normal form, in which what cancels is gone,"""
_SECONDS = 1.2
"""if all of it takes no longer than this."""


def contract(left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    """Return the sum of products."""
    return total([(1, x * y) for x, y in zip(left, right, strict=True) if x is not ZERO and y is not ZERO])


class SecondOrderField(Sode):
    """A second-order field that keeps what has been computed of it.

    >>> x = symbol("x")
    >>> oscillator = SecondOrderField((x,), (), (), (), (-x,))
    >>> oscillator.rates([x * x.dot])
    [x'^2 - x^2]
    """

    @property
    def coordinates(self) -> Row:
        """All coordinates, independent ones first."""
        return self.independent + self.dependent

    @cached_property
    def dependent_velocities(self) -> Row:
        """The velocities g^a that the constraints give."""
        return super().dependent_velocities

    @cached_property
    def curvature(self) -> Matrix:
        """C^a_alpha, rows by dependent coordinates."""
        return super().curvature

    @cached_property
    def connection(self) -> Matrix:
        """Gamma^alpha_beta, rows by alpha."""
        return super().connection

    # -- derivatives -----------------------------------------------------------------------------------------
    @cached_property
    def _motion(self) -> dict[Expr, Expr]:
        variables = (*self.coordinates, *self.velocities)
        speeds = (*self.velocities, *self.dependent_velocities, *self.acceleration)
        return {symbol(TIME): ONE, **dict(zip(variables, speeds, strict=True))}

    def rates(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return Gamma of functions."""
        return tangent(functions, self._motion)

    def across(self, alpha: int, functions: Sequence[Expr]) -> list[Expr]:
        """Return X_alpha of functions."""
        return self.horizontal[alpha].apply(functions)

    @cached_property
    def connection_rates(self) -> Matrix:
        """Gamma(Gamma^alpha_beta), rows by alpha."""
        return tuple(tuple(self.rates(row)) for row in self.connection)

    @cached_property
    def horizontal_derivatives(self) -> Matrix:
        """X_beta(f^alpha), rows by alpha."""
        columns = [self.across(beta, self.acceleration) for beta in range(len(self.independent))]
        return tuple(zip(*columns, strict=True))

    @cached_property
    def fibre_derivatives(self) -> Matrix:
        """df^alpha/dq^a, rows by alpha."""
        return tuple(map(tuple, jacobian(self.acceleration, self.dependent)))

    @cached_property
    def given_slopes(self) -> Matrix:
        """dg^b/dq^a, rows by b."""
        return tuple(map(tuple, jacobian(self.dependent_velocities, self.dependent)))


# -- where fields come from ----------------------------------------------------------------------------------
def field_of(source: Constrained | System | Equations) -> SecondOrderField:
    """Return the field of a nonholonomic motion, of a system stated by [equations], or of unconstrained equations.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive
    >>> skate = System.of(name="skate", coordinates={"phi": "angle", "x": "real", "y": "real"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> field_of(derive(skate)).coefficients
    ((0, sin(phi)/cos(phi)),)
    """
    if isinstance(source, System):
        return _short(Sode.from_equations(source))
    if not isinstance(source, Equations):
        return _short(Sode.of(source))
    free = tuple(q for q, speed in source.kinematics.items() if q.dot in source.velocities and speed is q.dot)
    if len(free) < len(source.kinematics) or source.implicit:
        raise ExpressionError(
            f"the {source.formalism} equations of '{source.system}' are not second-order equations in coordinates."
        )
    rates = source.rates()
    return _short(Sode(free, (), (), (), tuple(rates[q.dot] for q in free)))


def _short(sode: Sode) -> SecondOrderField:
    """Return a field with its formulas in normal form where that is quick: what cancels is the number 0 then."""
    wake()
    budget = Budget(_SECONDS)
    rows = [tuple(_normal(e, budget) for e in row) for row in (*sode.coefficients, sode.drift, sode.acceleration)]
    return SecondOrderField(sode.independent, sode.dependent, tuple(rows[:-2]), rows[-2], rows[-1], sode.facts)


def _normal(expression: Expr, budget: Budget) -> Expr:
    """Return the normal form of a formula of middle size, if the budget allows it and it is no longer."""
    size, left = len(postorder([expression])), budget.left
    if size < 6 or size > _MOST_NODES or left <= 0.0:
        return expression
    try:
        short = normal(expression, left)
    except DalembertError:
        return expression
    return short if len(postorder([short])) <= size else expression
