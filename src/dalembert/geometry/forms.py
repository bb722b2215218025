"""Differential forms of any degree: wedge, d, interior product, Lie derivative, pull-back.

Convention: (a ^ b)(X, Y) = a(X) b(Y) - a(Y) b(X), no factor; a form of degree k is kept by its components on increasing
indices, which are its values on the coordinate fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.records import dataclass

Indices = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Form:
    """A differential form; ``terms`` has the non-zero components on increasing indices.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> area = wedge(coordinate_form(plane, x), coordinate_form(plane, y))
    >>> area(VectorField.of(plane, [1, 0]), VectorField.of(plane, [x, y]))
    y
    """

    chart: Chart
    degree: int
    terms: Mapping[Indices, Expr]

    @classmethod
    def of(cls, chart: Chart, degree: int, terms: Mapping[Indices, Operand]) -> Form:
        """Return a form from components on any indices: they are sorted with their sign and collected."""
        parts: dict[Indices, list[tuple[int, Expr]]] = {}
        for indices, value in terms.items():
            if len(indices) != degree or any(not 0 <= i < chart.dimension for i in indices):
                raise ExpressionError(f"{indices} are not indices of a form of degree {degree} here.")
            sign, ordered = _sorted(indices)
            if sign:
                parts.setdefault(ordered, []).append((sign, as_expr(value)))
        summed = {indices: total(values) for indices, values in sorted(parts.items())}
        return cls(chart, degree, {i: v for i, v in summed.items() if v is not ZERO})

    def component(self, *indices: int) -> Expr:
        """Return the value on coordinate fields, indices in any order."""
        sign, ordered = _sorted(indices)
        return sign * self.terms.get(ordered, ZERO) if sign else ZERO

    def __call__(self, *fields: VectorField) -> Expr:
        """Return the value on vector fields."""
        if len(fields) != self.degree:
            raise ExpressionError(f"a form of degree {self.degree} takes that many fields, not {len(fields)}.")
        value = self
        for field in fields:
            value = interior(field, value)
        return value.terms.get((), ZERO)

    def __add__(self, other: Form) -> Form:
        """Return the sum."""
        self._check(other)
        keys = {**self.terms, **other.terms}
        return Form.of(self.chart, self.degree, {i: self.terms.get(i, ZERO) + other.terms.get(i, ZERO) for i in keys})

    def __sub__(self, other: Form) -> Form:
        """Return the difference."""
        return self + -other

    def __neg__(self) -> Form:
        """Return the opposite form."""
        return (-1) * self

    def __rmul__(self, factor: Operand) -> Form:
        """Return a function times the form."""
        factor = as_expr(factor)
        return Form.of(self.chart, self.degree, {i: factor * v for i, v in self.terms.items()})

    def _check(self, other: Form) -> None:
        if self.chart != other.chart or self.degree != other.degree:
            raise ExpressionError("forms of different degree, or on different charts, cannot be added.")

    def is_zero(self, *, effort: float = 0.0) -> Verdict:
        """Decide whether all components vanish; the first that does not is named."""
        q = self.chart.coordinates
        names = {i: " ^ ".join(f"d{q[k]!r}" for k in i) or "degree 0" for i in self.terms}
        return all_hold({f"the component of {names[i]}": is_zero(v, effort=effort) for i, v in self.terms.items()})


def _sorted(indices: Sequence[int]) -> tuple[int, Indices]:
    """Return (sign of the permutation, indices in order); sign 0 where one occurs twice."""
    if len(set(indices)) != len(indices):
        return 0, ()
    swaps = sum(1 for a, b in combinations(indices, 2) if a > b)
    return (-1) ** swaps, tuple(sorted(indices))


def function_form(chart: Chart, function: Operand) -> Form:
    """Return a function as a form of degree 0."""
    return Form.of(chart, 0, {(): function})


def one_form(chart: Chart, components: Sequence[Operand]) -> Form:
    """Return the 1-form with these components."""
    if len(components) != chart.dimension:
        raise ExpressionError(
            f"a 1-form on {chart.dimension} coordinates needs as many components, not {len(components)}."
        )
    return Form.of(chart, 1, {(i,): c for i, c in enumerate(components)})


def coordinate_form(chart: Chart, coordinate: Expr) -> Form:
    """Return dq of a coordinate."""
    return Form.of(chart, 1, {(chart.place(coordinate),): 1})


def wedge(left: Form, right: Form) -> Form:
    """Return the wedge product."""
    if left.chart != right.chart:
        raise ExpressionError("forms on different charts have no product.")
    parts: dict[Indices, list[tuple[int, Expr]]] = {}
    for i, a in left.terms.items():
        for j, b in right.terms.items():
            sign, ordered = _sorted((*i, *j))
            if sign:
                parts.setdefault(ordered, []).append((sign, a * b))
    return Form.of(left.chart, left.degree + right.degree, {i: total(v) for i, v in parts.items()})


def d(form: Form | Expr, chart: Chart | None = None) -> Form:
    """Return the exterior derivative of a form, or of a function on a chart.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> d(d(x * y**2, plane)).is_zero().kind
    'proved'
    """
    if isinstance(form, Expr):
        if chart is None:
            raise ExpressionError("d of a function needs the chart.")
        form = function_form(chart, form)
    parts: dict[Indices, list[tuple[int, Expr]]] = {}
    for indices, value in form.terms.items():
        for i, slope in enumerate(gradient(value, list(form.chart.coordinates))):
            sign, ordered = _sorted((i, *indices))
            if sign and slope is not ZERO:
                parts.setdefault(ordered, []).append((sign, slope))
    return Form.of(form.chart, form.degree + 1, {i: total(v) for i, v in parts.items()})


def interior(field: VectorField, form: Form) -> Form:
    """Return i_X a: the field in the first slot. Of a function it is the zero of degree -1, so that d of it fits."""
    _check_charts(field, form)
    parts: dict[Indices, list[tuple[int, Expr]]] = {}
    for indices, value in form.terms.items():
        for place, i in enumerate(indices):
            if field.components[i] is not ZERO:
                rest = (*indices[:place], *indices[place + 1 :])
                parts.setdefault(rest, []).append(((-1) ** place, field.components[i] * value))
    return Form.of(form.chart, form.degree - 1, {i: total(v) for i, v in parts.items()})


def _check_charts(field: VectorField, form: Form) -> None:
    if field.chart != form.chart:
        raise ExpressionError("a field and a form on different charts cannot be combined.")


def lie_derivative(field: VectorField, form: Form) -> Form:
    """Return L_X a by its own definition: differentiate the components and drag the slots along.

    (Cartan's formula L_X = i_X d + d i_X is a second derivation; the tests see that they agree.)
    """
    _check_charts(field, form)
    slopes = jacobian(field.components, form.chart.coordinates)
    parts: dict[Indices, list[tuple[int, Expr]]] = {}
    along = field.apply(list(form.terms.values()))  # all at once: what they share is differentiated once
    for (indices, value), rate in zip(form.terms.items(), along, strict=True):
        parts.setdefault(indices, []).append((1, rate))
        for place, i in enumerate(indices):  # dq^i goes to d(X^i)
            for j, slope in enumerate(slopes[i]):
                sign, ordered = _sorted((*indices[:place], j, *indices[place + 1 :]))
                if sign and slope is not ZERO:
                    parts.setdefault(ordered, []).append((sign, slope * value))
    return Form.of(form.chart, form.degree, {i: total(v) for i, v in parts.items()})


def pull_back(form: Form, chart: Chart, mapping: Sequence[Operand]) -> Form:
    """Return the form pulled back along a map: ``mapping`` gives the old coordinates as functions on ``chart``.

    >>> from dalembert.expr import symbol
    >>> x, y, s = symbol("x"), symbol("y"), symbol("s")
    >>> pull_back(one_form(Chart.of(x, y), [0, x]), Chart.of(s), [s**2, s**3]).component(0)
    3*s^4
    """
    images = [as_expr(m) for m in mapping]
    if len(images) != form.chart.dimension:
        raise ExpressionError(
            f"a map into {form.chart.dimension} coordinates needs as many functions, not {len(images)}."
        )
    values = substitute(list(form.terms.values()), dict(zip(form.chart.coordinates, images, strict=True)))
    slopes = [one_form(chart, row) for row in jacobian(images, chart.coordinates)]
    return from_frame(chart, form.degree, dict(zip(form.terms, values, strict=True)), slopes)


def on_frame(form: Form, fields: Sequence[VectorField]) -> dict[Indices, Expr]:
    """Return the components of a form in a frame: its values on the fields, increasing indices."""
    return {i: form(*(fields[a] for a in i)) for i in combinations(range(len(fields)), form.degree)}


def from_frame(chart: Chart, degree: int, terms: Mapping[Indices, Operand], coframe: Sequence[Form]) -> Form:
    """Return the form with given components in a coframe: the sum of f_ab.. theta^a ^ theta^b ^ .. over the terms.

    With the components on increasing indices that ``on_frame`` returns, and the dual coframe, it is the same form.
    """
    result = Form(chart, degree, {})
    for indices, value in terms.items():
        part = function_form(chart, value)
        for i in indices:
            part = wedge(part, coframe[i])
        result = result + part
    return result
