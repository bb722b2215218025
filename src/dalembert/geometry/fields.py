"""Charts, functions on them, vector fields and their brackets.

A chart is an ordered list of coordinates; functions are expressions. Nothing here knows of time or velocities: the
tangent bundle is a chart of its own (``lifts``), and so is configuration space with time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr import truth
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth.verdict import Verdict, all_hold
from dalembert.expr.walk import substitute
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Chart:
    """An ordered list of coordinates.

    >>> from dalembert.expr import symbol
    >>> plane = Chart.of(symbol("x"), symbol("y"))
    >>> plane.dimension
    2
    """

    coordinates: tuple[Expr, ...]
    brackets: tuple[tuple[tuple[Expr, ...], ...], ...] = ()
    """Of the left-invariant fields E_i on a group: [E_i, E_j] = brackets[i][j][k] E_k. The last coordinates then only
    name these fields, and are no functions."""
    carried: tuple[tuple[Expr, tuple[Expr, ...]], ...] = ()
    """Functions on the group, each with its derivatives along the E_i."""

    @classmethod
    def of(cls, *coordinates: Expr) -> Chart:
        """Return the chart with these coordinates."""
        return cls(tuple(coordinates))

    def __post_init__(self) -> None:
        """Refuse what is not a list of different symbols."""
        for coordinate in self.coordinates:
            if coordinate.op != "symbol":
                raise ExpressionError(f"a chart is made of symbols; '{coordinate!r}' is not one.")
        if len(set(self.coordinates)) != len(self.coordinates):
            raise ExpressionError("a coordinate occurs twice in a chart.")

    @property
    def dimension(self) -> int:
        """How many coordinates there are."""
        return len(self.coordinates)

    @property
    def functions(self) -> tuple[Expr, ...]:
        """The coordinates that are functions, and what is carried along."""
        return (*self.coordinates[: self.dimension - len(self.brackets)], *(f for f, _ in self.carried))

    def rates(self, components: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return the derivatives of the functions along the field with these components, those that are zero left out.

        >>> from dalembert.expr import symbol
        >>> a, s = symbol("a"), symbol("s")
        >>> Chart((s,), (((ZERO,),),), ((a, (2 * a,)),)).rates([ONE])
        {a: 2*a}
        """
        size = self.dimension - len(self.brackets)
        own = dict(zip(self.coordinates[:size], components, strict=False))
        own |= {f: total([(1, r * c) for r, c in zip(row, components[size:], strict=True)]) for f, row in self.carried}
        return {q: c for q, c in own.items() if c is not ZERO}

    def differential(self, function: Expr) -> list[Expr]:
        """Return the derivatives of a function along the fields that components belong to."""
        return [coordinate_field(self, q)(function) for q in self.coordinates]

    def place(self, coordinate: Expr) -> int:
        """Return the position of a coordinate."""
        if coordinate not in self.coordinates:
            raise ExpressionError(f"'{coordinate!r}' is not a coordinate of this chart; it has {self!s}.")
        return self.coordinates.index(coordinate)

    def __str__(self) -> str:
        """Return the names of the coordinates."""
        return ", ".join(map(repr, self.coordinates))


@dataclass(frozen=True, slots=True)
class VectorField:
    """A vector field by its components; called on a function it differentiates it.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> rotation = VectorField(Chart.of(x, y), (-y, x))
    >>> rotation(x**2 + y**2)
    0
    """

    chart: Chart
    components: tuple[Expr, ...]

    def __post_init__(self) -> None:
        """Refuse the wrong number of components."""
        if len(self.components) != self.chart.dimension:
            raise ExpressionError(
                f"a vector field on {self.chart.dimension} coordinates needs as many components, "
                f"not {len(self.components)}."
            )

    @classmethod
    def of(cls, chart: Chart, components: Mapping[Expr, Operand] | Sequence[Operand]) -> VectorField:
        """Return the field with components in order, or by coordinate (those left out are zero)."""
        if isinstance(components, Mapping):
            for coordinate in components:
                chart.place(coordinate)  # refuses what is none
            return cls(chart, tuple(as_expr(components.get(q, ZERO)) for q in chart.coordinates))
        return cls(chart, tuple(as_expr(c) for c in components))

    def __call__(self, function: Operand) -> Expr:
        """Return the derivative of a function along the field."""
        return self.apply([as_expr(function)])[0]

    def apply(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return the derivatives of several functions, in one pass."""
        return tangent(functions, self.chart.rates(self.components))

    def __add__(self, other: VectorField) -> VectorField:
        """Return the sum."""
        return combination([(ONE, self), (ONE, other)])

    def __sub__(self, other: VectorField) -> VectorField:
        """Return the difference."""
        return combination([(ONE, self), (-ONE, other)])

    def __neg__(self) -> VectorField:
        """Return the opposite field."""
        return VectorField(self.chart, tuple(-c for c in self.components))

    def __rmul__(self, factor: Operand) -> VectorField:
        """Return a function times the field."""
        factor = as_expr(factor)
        return VectorField(self.chart, tuple(factor * c for c in self.components))

    def is_zero(self, *, effort: float = 0.0) -> Verdict:
        """Decide whether all components vanish; the first that does not is named."""
        parts = zip(self.chart.coordinates, self.components, strict=True)
        return all_hold({f"the component along {q!r}": truth.is_zero(c, effort=effort) for q, c in parts})


def coordinate_field(chart: Chart, coordinate: Expr) -> VectorField:
    """Return the field d/dq of a coordinate."""
    return VectorField.of(chart, {coordinate: ONE})


def combination(terms: Iterable[tuple[Operand, VectorField]]) -> VectorField:
    """Return a sum of functions times fields."""
    pairs = [(as_expr(f), field) for f, field in terms]
    if not pairs:
        raise ExpressionError("a combination needs at least one field.")
    chart = pairs[0][1].chart
    for _, field in pairs:
        if field.chart != chart:
            raise ExpressionError("fields on different charts cannot be added.")
    return VectorField(
        chart, tuple(total([(1, f * v.components[i]) for f, v in pairs]) for i in range(chart.dimension))
    )


def bracket(left: VectorField, right: VectorField) -> VectorField:
    """Return the Lie bracket: [X, Y](f) = X(Y(f)) - Y(X(f)).

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> bracket(VectorField.of(plane, {x: 1}), VectorField.of(plane, {y: x})).components
    (0, 1)
    """
    if left.chart != right.chart:
        raise ExpressionError("fields on different charts have no bracket.")
    there, back = left.apply(right.components), right.apply(left.components)
    found = [a - b for a, b in zip(there, back, strict=True)]
    C = left.chart.brackets
    size = left.chart.dimension - len(C)
    for i, x in enumerate(left.components[size:]):
        for j, y in enumerate(right.components[size:]):
            found[size:] = [a + c * x * y for a, c in zip(found[size:], C[i][j], strict=True)]
    return VectorField(left.chart, tuple(found))


def push_forward(
    field: VectorField, chart: Chart, mapping: Sequence[Operand], inverse: Sequence[Operand]
) -> VectorField:
    """Return the field in other coordinates.

    ``mapping`` gives the coordinates of the new chart as functions of the old ones, ``inverse`` the old ones as
    functions of the new.

    >>> from dalembert.expr import exp, log, symbol
    >>> x, u = symbol("x"), symbol("u", domain="positive")
    >>> push_forward(VectorField.of(Chart.of(x), [1]), Chart.of(u), [exp(x)], [log(u)]).components
    (u,)
    """
    if len(mapping) != chart.dimension or len(inverse) != field.chart.dimension:
        raise ExpressionError("a change of coordinates needs a function for each new and for each old coordinate.")
    moved = field.apply([as_expr(m) for m in mapping])
    put = dict(zip(field.chart.coordinates, map(as_expr, inverse), strict=True))
    return VectorField(chart, tuple(substitute(moved, put)))


def in_basis(vector: Sequence[Expr], basis: Sequence[VectorField]) -> list[Expr]:
    """Return the coefficients of a vector in a basis of fields, as values of one solve node."""
    size = len(basis)
    return solve([[field.components[i] for field in basis] for i in range(size)], list(vector))
