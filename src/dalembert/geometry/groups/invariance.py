"""What an action leaves as it is: functions, Lagrangians, vector fields, forms, endomorphisms."""

from __future__ import annotations

from typing import assert_never

from dalembert.expr.calculus import tangent, time_derivative
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import symbols
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.forms import Form, lie_derivative
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.deciding import all_zero
from dalembert.geometry.tensors import Endomorphism, lie_derivative_of_endomorphism

__all__ = ["is_invariant", "prolonged"]


def is_invariant(action: Action, thing: Expr | VectorField | Form | Endomorphism, *, effort: float = 0.0) -> Verdict:
    """Decide whether something is invariant; the evidence of a no begins with the generator at fault.

    An expression may contain velocities of the coordinates (a Lagrangian) or higher derivatives: generators are
    prolonged to them.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.groups import action_from_generators, rotation
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> turning = action_from_generators({"turn": rotation(plane, x, y)})
    >>> is_invariant(turning, x.dot**2 + y.dot**2 - x**2 - y**2).holds
    True
    >>> is_invariant(turning, x.dot**2 + 2*y.dot**2).evidence[:15]
    'generator turn:'
    """
    parts = [
        (f"generator {name}", part)
        for name, field in zip(action.names, action.generators, strict=True)
        for part in _change(field, thing)
    ]
    return all_zero(parts, effort=effort)


def _change(field: VectorField, thing: Expr | VectorField | Form | Endomorphism) -> list[Expr]:
    """Return the components of the Lie derivative."""
    match thing:
        case Expr():
            return [prolonged(field, thing)]
        case VectorField():
            return list(bracket(field, thing).components)
        case Form():
            return list(lie_derivative(field, thing).terms.values())
        case Endomorphism():
            return [entry for row in lie_derivative_of_endomorphism(field, thing).matrix for entry in row]
        case _:
            assert_never(thing)


def prolonged(field: VectorField, function: Expr) -> Expr:
    """Return the derivative of a function of coordinates, velocities, accelerations, ... along the prolonged field.

    On functions of coordinates and velocities this is the complete lift: X^i d_i + (X^i)' d/dq'^i. Where time is a
    coordinate too, and X^t its component, a velocity changes by (X^i)' - q'^i (X^t)'.
    """
    seed = dict(zip(field.chart.coordinates, field.components, strict=True))
    clock = time_derivative(seed.get(symbol(TIME), ZERO))
    highest = max((s.order for s in symbols([function])), default=0)
    for q, component in list(seed.items()):
        node = q
        for _ in range(highest - q.data.order if q.data.role == "variable" else 0):
            node = node.dot
            component = time_derivative(component) - node * clock
            seed.setdefault(node, component)
    return tangent([function], seed)[0]
