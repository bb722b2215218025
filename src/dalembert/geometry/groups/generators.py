"""Generators of the usual actions: translations, rotations, scalings, linear and affine maps.

Each is a table of vector fields by name, ready for :func:`~dalembert.geometry.groups.actions.action_from_generators`.
The generator of x -> A x + b is the field with those components; then [X_A, X_B] = -X_[A, B], as for every left action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, total
from dalembert.geometry.fields import Chart, VectorField, coordinate_field

__all__ = ["affine_field", "extended", "linear_fields", "rotation", "rotations", "scaling", "translations"]


def extended(field: VectorField, chart: Chart) -> VectorField:
    """Return a field on a larger chart, not moving the coordinates that are new.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> extended(VectorField.of(Chart.of(y), [1]), Chart.of(x, y)).components
    (0, 1)
    """
    return VectorField.of(chart, dict(zip(field.chart.coordinates, field.components, strict=True)))


def translations(chart: Chart, coordinates: Sequence[Expr] | None = None) -> dict[str, VectorField]:
    """Return d/dq for some coordinates (all, if not said), by the name of the coordinate; of an angle it is a rotation.

    >>> from dalembert.expr import symbol
    >>> x, phi = symbol("x"), symbol("phi", domain="angle")
    >>> list(translations(Chart.of(x, phi), [phi]))
    ['phi']
    """
    chosen = chart.coordinates if coordinates is None else coordinates
    return {q.data.name: coordinate_field(chart, q) for q in chosen}


def affine_field(
    chart: Chart,
    coordinates: Sequence[Expr],
    matrix: Sequence[Sequence[Operand]],
    offset: Sequence[Operand] | None = None,
) -> VectorField:
    """Return the field A x + b on some coordinates x."""
    size = len(coordinates)
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    shift = [ZERO] * size if offset is None else [as_expr(b) for b in offset]
    if len(rows) != size or len(shift) != size or any(len(row) != size for row in rows):
        raise ExpressionError(f"an affine map of {size} coordinates has a square matrix and an offset of that size.")
    values = [
        total([(1, b), *((1, a * x) for a, x in zip(row, coordinates, strict=True))])
        for row, b in zip(rows, shift, strict=True)
    ]
    return VectorField.of(chart, dict(zip(coordinates, values, strict=True)))


def linear_fields(
    chart: Chart, coordinates: Sequence[Expr], matrices: Mapping[str, Sequence[Sequence[Operand]]]
) -> dict[str, VectorField]:
    """Return the generators of a group of matrices that acts on some coordinates, by name."""
    return {name: affine_field(chart, coordinates, matrix) for name, matrix in matrices.items()}


def rotation(chart: Chart, x: Expr, y: Expr, angles: Sequence[Expr] = ()) -> VectorField:
    """Return the generator of rotations of a plane, which turns the given angles along.

    >>> from dalembert.expr import symbol
    >>> x, y, theta = symbol("x"), symbol("y"), symbol("theta", domain="angle")
    >>> rotation(Chart.of(x, y, theta), x, y, [theta]).components
    (-y, x, 1)
    """
    return VectorField.of(chart, {x: -y, y: x, **dict.fromkeys(angles, ONE)})


def rotations(
    chart: Chart, *points: Sequence[Expr], names: Sequence[str] = ("e1", "e2", "e3")
) -> dict[str, VectorField]:
    """Return the generators of rotations of space, acting alike on any number of points (x, y, z)."""
    fields = {}
    for axis, name in enumerate(names):
        turned: dict[Expr, Expr] = {}
        for point in points:
            if len(point) != 3:
                raise ExpressionError(f"rotations of space act on three coordinates, not on {len(point)}.")
            following, last = point[(axis + 1) % 3], point[(axis + 2) % 3]
            turned |= {following: -last, last: following}
        fields[name] = VectorField.of(chart, turned)
    return fields


def scaling(chart: Chart, weights: Mapping[Expr, Operand]) -> VectorField:
    """Return the generator of q -> exp(weight s) q for some coordinates."""
    return VectorField.of(chart, {q: as_expr(weight) * q for q, weight in weights.items()})
