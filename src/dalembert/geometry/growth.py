"""Growth of a distribution under brackets: D, D + [D, D], D + [D, D] + [D, [D, D]], ..., and the dimensions of these.

At a generic point a bracket that is a combination of others, with functions as coefficients, adds nothing and neither
do its own brackets, since [X, f Y] = f [X, Y] + X(f) Y. At a given point this holds only if the coefficients exist
there: so a bracket is left out only if it is a combination of fields that are independent *at the point*, or one with
constant coefficients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr, Operand, as_expr
from dalembert.expr.linear import constant_null_space
from dalembert.expr.truth import Fact, generic_rank
from dalembert.expr.truth.decide import sample
from dalembert.expr.truth.facts import Facts
from dalembert.expr.truth.pivots import pivots_modulo
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.fields import VectorField, bracket

_LONGEST = 12
"""So long brackets are tried at a point before giving up."""
_MOST = 200
"""So many fields are kept at a point before giving up."""


def derived_flag(
    fields: Sequence[VectorField],
    steps: int | None = None,
    facts: Sequence[Fact] = (),
    dimension: int | None = None,
    largest: int | None = None,
) -> list[list[VectorField]]:
    """Return fields that span D, D + [D, D], ... at generic points, until nothing is added (or for so many steps).

    Where the chart is that of a space around a manifold, ``facts`` say what is on it, and ``dimension`` is its own.
    Brackets of large fields are several times as large: where it takes those of more than ``largest`` nodes together,
    an ``ExpressionError`` says so.
    """
    most = fields[0].chart.dimension if dimension is None else dimension
    spanning = [fields[k] for k in _independent(fields, facts)]
    flag = [list(fields)]
    newest = list(fields)
    while newest and len(spanning) < most and (steps is None or len(flag) <= steps):
        if largest is not None and len(postorder([part for field in newest for part in field.components])) > largest:
            raise ExpressionError(
                f"whether the distribution grows beyond the dimension {len(spanning)} was not looked for: it takes "
                f"brackets of fields with more than {largest} nodes."
            )
        whole = [*spanning, *_brackets(fields, newest)]
        chosen = _independent(whole, facts)[:most]
        newest = [whole[k] for k in chosen if k >= len(spanning)]
        if newest:
            flag.append([*flag[-1], *newest])
            spanning += newest
    return flag


def _independent(fields: Sequence[VectorField], facts: Sequence[Fact]) -> list[int]:
    """Return the places of fields that are no combinations of those before them at a generic point.

    All of them are read in one pass: fields that come of brackets share most of their parts.
    """
    rows = Facts.of(facts).apply([part for field in fields for part in field.components])
    width = fields[0].chart.dimension
    samples = sample(rows, 2, bounded=False)
    best: list[int] = []
    for values, prime in zip(samples.values, samples.primes, strict=True):
        found = pivots_modulo([values[k::width] for k in range(width)], prime)[1]
        best = max(best, found, key=len)
    return best


def _brackets(fields: Sequence[VectorField], newest: Sequence[VectorField]) -> list[VectorField]:
    """Return the brackets of fields with the newest, once where both are among the fields."""
    place = {id(field): k for k, field in enumerate(fields)}
    return [bracket(a, b) for k, a in enumerate(fields) for b in newest if k < place.get(id(b), len(fields))]


def growth_vector(fields: Sequence[VectorField], point: Mapping[Expr, Operand] | None = None) -> tuple[int, ...]:
    """Return the dimensions of the derived flag, at a generic point or at a given one.

    At a given point it may stand still and grow again. Where it could not be found out whether it would, an
    ``ExpressionError`` is raised.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> growth_vector([VectorField.of(space, [1, 0, -y / 2]), VectorField.of(space, [0, 1, x / 2])])
    (2, 3)
    >>> martinet = [VectorField.of(space, [1, 0, y**2]), VectorField.of(space, [0, 1, 0])]
    >>> growth_vector(martinet), growth_vector(martinet, {x: 1, y: 0, z: 2})
    ((2, 3), (2, 2, 3))
    """
    if not fields:
        raise ExpressionError("a growth vector needs at least one field.")
    if point is None:
        return tuple(generic_rank([f.components for f in step]).rank for step in derived_flag(fields))
    for coordinate in point:
        fields[0].chart.place(coordinate)
    return _Growth(fields, {q: as_expr(v) for q, v in point.items()}).dimensions()


class _Growth:
    """The brackets of some fields that count at a point."""

    def __init__(self, fields: Sequence[VectorField], point: Mapping[Expr, Expr]) -> None:
        self.fields, self.point = list(fields), point
        self.kept: list[VectorField] = []
        self.independent: list[VectorField] = []
        """Those kept that are independent at the point."""
        self.values: list[list[Expr]] = []

    def dimensions(self) -> tuple[int, ...]:
        """Return the growth vector."""
        last = generic_rank([f.components for f in derived_flag(self.fields)[-1]]).rank
        newest = self._keep(self.fields)
        dimensions = [len(self.independent)]
        while newest and len(self.independent) < last:  # at the rank of all brackets together it can grow no more
            if len(dimensions) == _LONGEST or len(self.kept) > _MOST:
                raise ExpressionError(
                    f"brackets up to length {len(dimensions)} do not show whether the distribution grows beyond the "
                    f"dimension {dimensions[-1]} at this point."
                )
            newest = self._keep(_brackets(self.fields, newest))
            dimensions.append(len(self.independent))
        while len(dimensions) > 1 and dimensions[-1] == dimensions[-2]:
            dimensions.pop()
        return tuple(dimensions)

    def _keep(self, candidates: Sequence[VectorField]) -> list[VectorField]:
        """Return those candidates that are no combination of what is kept, and keep them."""
        fresh = []
        for field in candidates:
            value = substitute(list(field.components), self.point)
            if generic_rank([*self.values, value]).rank > len(self.values):
                self.values.append(value)
                self.independent.append(field)
            elif self._is_combination(field):
                continue
            self.kept.append(field)
            fresh.append(field)
        return fresh

    def _is_combination(self, field: VectorField) -> bool:
        rows = [f.components for f in self.independent]
        if generic_rank([*rows, field.components]).rank == len(rows):
            return True  # by Cramer's rule the coefficients exist where the fields are independent
        known = [f.components for f in self.kept]
        return any(vector[-1] for vector in constant_null_space([*known, field.components]).basis)
