"""The tangent bundle of a chart: lifts of fields, the vertical endomorphism, and what a Lagrangian makes of it.

Coordinates on it are (q, q'), the velocities being the symbols with one more prime.

The distribution D-hat on D has the accelerations that a curve in D may have (Patrick, Lemmas 2.1 and 2.2):
D-hat = (T tau)^-1 D cap TD. In coordinates (x, f) of D, v = f^a X_a, it is spanned by X_a and d/df^a; in those of TM by
X_a^V and X_a^i d/dx^i + f^b X_a^j (dX_b^i/dx^j) d/dv^i. These are equivalent: D is involutive; D-hat is; D-hat is
invariant under the canonical flip s of TTM; D-hat lies in s TD.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.flows import flow
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism


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


# -- the distribution D-hat on D -------------------------------------------------------------------------------
def tangent_distribution(distribution: Distribution) -> Distribution:
    """Return D-hat on D, in the coordinates (x, f).

    >>> from dalembert.geometry.distributions import involutive
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> D = Distribution.from_forms(Chart.of(x, y, z), [[-y, 0, 1]])
    >>> tangent_distribution(D).rank, involutive(tangent_distribution(D)).holds
    (4, False)
    """
    q = distribution.chart.coordinates
    speeds = _speeds(distribution, "f")
    chart = Chart((*q, *speeds))
    rows = [[*row, *[ZERO] * len(speeds)] for row in distribution.forms]
    return Distribution.from_forms(chart, rows, distribution.dependent)


def within_tangent_bundle(distribution: Distribution) -> list[VectorField]:
    """Return the basis (3) of D-hat in the coordinates of TM, at v = f^a X_a: vertical lifts first."""
    chart = tangent_chart(distribution.chart)
    fields = distribution.fields
    speeds = _speeds(distribution, "f")
    size = distribution.chart.dimension
    vertical = [VectorField.of(chart, [*[ZERO] * size, *x.components]) for x in fields]
    point = [total([(1, f * x.components[i]) for f, x in zip(speeds, fields, strict=True)]) for i in range(size)]
    # d/dx^i of v = f X at fixed f
    across = [VectorField.of(chart, [*x.components, *x.apply(point)]) for x in fields]
    return [*vertical, *across]


def flip_invariant(distribution: Distribution) -> Verdict:
    """Decide s D-hat = D-hat: f^a g^b (X_b(X_a) - X_a(X_b)), by components, lies in D for all f and g."""
    return _swapped(distribution, "s D-hat = D-hat")


def lies_in_flipped(distribution: Distribution) -> Verdict:
    """Decide D-hat in s TD, by solving for the missing velocity: is v' = g' X + g^a f^b X_b(X_a) for some g'?"""
    fields = distribution.fields
    f, g = _speeds(distribution, "f"), _speeds(distribution, "g")
    size = distribution.chart.dimension
    given = _second(fields, f, g, size)
    wanted = [a - b for a, b in zip(given, _second(fields, g, f, size), strict=True)]
    free = distribution.independent
    square = [[x.components[i] for x in fields] for i in free]
    rates = solve(square, [wanted[i] for i in free])
    rest = {
        f"the component {i}": wanted[i] - total([(1, r * x.components[i]) for r, x in zip(rates, fields, strict=True)])
        for i in distribution.dependent
    }
    return all_hold({name: is_zero(part) for name, part in rest.items()})


def _swapped(distribution: Distribution, name: str) -> Verdict:
    fields = distribution.fields
    f, g = _speeds(distribution, "f"), _speeds(distribution, "g")
    size = distribution.chart.dimension
    difference = [a - b for a, b in zip(_second(fields, f, g, size), _second(fields, g, f, size), strict=True)]
    left = distribution.leaving(VectorField.of(distribution.chart, difference))
    return all_hold({f"{name}, along {k}": is_zero(part) for k, part in enumerate(left)})


def _second(fields: Sequence[VectorField], f: Sequence[Expr], g: Sequence[Expr], size: int) -> list[Expr]:
    """Return f^a g^b X_b(X_a^i)."""
    return [
        total(
            [
                (1, fa * gb * moved)
                for fa, xa in zip(f, fields, strict=True)
                for gb, xb in zip(g, fields, strict=True)
                for moved in xb.apply([xa.components[i]])
            ]
        )
        for i in range(size)
    ]


def keeps(field: VectorField, distribution: Distribution) -> Verdict:
    """Decide [X, Y] in D for all Y in D; then the flow of X preserves D (Lemma 2.2)."""
    parts: dict[str, Verdict] = {}
    for n, y in enumerate(distribution.fields, 1):
        left = distribution.leaving(bracket(field, y))
        parts |= {f"[X, Y_{n}], along {k}": is_zero(part) for k, part in enumerate(left)}
    return all_hold(parts)


def flow_keeps(field: VectorField, distribution: Distribution) -> Verdict | None:
    """Decide TF_t(D) in D from the flow itself, where it has a closed form; else None."""
    time = symbol(Symbol("time of the flow", role="parameter"))
    images = flow(field, time)
    if images is None:
        return None
    chart = distribution.chart
    parts: dict[str, Verdict] = {}
    there = dict(zip(chart.coordinates, images, strict=True))
    for n, y in enumerate(distribution.fields, 1):
        pushed = y.apply(images)
        for k, form in enumerate(distribution.forms):
            moved = substitute(list(form), there)
            parts[f"TF Y_{n}, along {k}"] = is_zero(dot(moved, pushed))
    return all_hold(parts)


def _speeds(distribution: Distribution, letter: str) -> list[Expr]:
    names = [repr(distribution.chart.coordinates[i]) for i in distribution.independent]
    return [symbol(Symbol(f"{letter} {name}")) for name in names]
