"""The tangent bundle of a chart: lifts of fields, the vertical endomorphism, and what a Lagrangian makes of it.

Coordinates on it are (q, q'), the velocities being the symbols with one more prime.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.tensors import Endomorphism

__all__ = [
    "cartan_one_form",
    "complete_lift",
    "energy",
    "liouville_field",
    "second_order_field",
    "tangent_chart",
    "vertical_endomorphism",
    "vertical_lift",
]


def tangent_chart(chart: Chart) -> Chart:
    """Return the chart (q, q') of the tangent bundle."""
    return Chart((*chart.coordinates, *(q.dot for q in chart.coordinates)))


def vertical_lift(field: VectorField) -> VectorField:
    """Return X^V = X^i d/dq'^i."""
    return VectorField(tangent_chart(field.chart), (*[ZERO] * field.chart.dimension, *field.components))


def complete_lift(field: VectorField) -> VectorField:
    """Return X^C = X^i d/dq^i + (dX^i/dq^j) q'^j d/dq'^i.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> complete_lift(VectorField.of(Chart.of(x), [x**2])).components
    (x^2, 2*x*x')
    """
    velocities = [q.dot for q in field.chart.coordinates]
    motion = VectorField(field.chart, tuple(velocities))
    return VectorField(tangent_chart(field.chart), (*field.components, *motion.apply(field.components)))


def vertical_endomorphism(chart: Chart) -> Endomorphism:
    """Return S with S(d/dq^i) = d/dq'^i and S(d/dq'^i) = 0."""
    size = chart.dimension
    rows = [[ONE if i - size == j else ZERO for j in range(2 * size)] for i in range(2 * size)]
    return Endomorphism.of(tangent_chart(chart), rows)


def liouville_field(chart: Chart) -> VectorField:
    """Return q'^i d/dq'^i, the generator of dilations of velocities."""
    return VectorField(tangent_chart(chart), (*[ZERO] * chart.dimension, *(q.dot for q in chart.coordinates)))


def second_order_field(chart: Chart, accelerations: Sequence[Expr]) -> VectorField:
    """Return q'^i d/dq^i + f^i d/dq'^i."""
    return VectorField(tangent_chart(chart), (*(q.dot for q in chart.coordinates), *accelerations))


def cartan_one_form(chart: Chart, lagrangian: Expr) -> Form:
    """Return theta_L = (dL/dq'^i) dq^i, the form dL o S, on the tangent bundle; omega_L = -d theta_L."""
    momenta = gradient(lagrangian, [q.dot for q in chart.coordinates])
    return one_form(tangent_chart(chart), [*momenta, *[ZERO] * chart.dimension])


def energy(chart: Chart, lagrangian: Expr) -> Expr:
    """Return E = q'^i dL/dq'^i - L."""
    velocities = [q.dot for q in chart.coordinates]
    momenta = gradient(lagrangian, velocities)
    return total([*((1, v * p) for v, p in zip(velocities, momenta, strict=True)), (-1, lagrangian)])
