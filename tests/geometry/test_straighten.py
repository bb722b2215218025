"""Fields made straight: in the coordinates found a field moves one coordinate at a constant rate, and no other."""

from __future__ import annotations

import pytest

from dalembert.expr import Expr, evaluate, jacobian, sin, symbol
from dalembert.expr.calculus import diff
from dalembert.expr.readers import Floats
from dalembert.expr.truth import generic_rank, is_zero
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.straighten import carried, composed, fresh, straighten

x, y, z = (symbol(n) for n in "xyz")
size, angle = symbol("s", domain="positive"), symbol("phi", domain="angle")
k, m = symbol("k", role="parameter"), symbol("m", role="parameter", domain="positive")
SPACE = Chart.of(x, y, z)

FIELDS = {
    "translation": VectorField.of(SPACE, [1, k, 0]),
    "rotation": VectorField.of(SPACE, [-y, x, 0]),
    "rotation about a point": VectorField.of(SPACE, [1 - y, x - k, 0]),
    "fast rotation": VectorField.of(SPACE, [-m * y, m * x, 0]),
    "backwards": VectorField.of(SPACE, [y, -x, 0]),
    "screw": VectorField.of(SPACE, [-y, x, k]),
    "screw with a number": VectorField.of(SPACE, [-y, x, 2]),
    "two turns": VectorField.of(Chart.of(x, y, z, symbol("w")), [-y, x, -2 * symbol("w"), 2 * z]),
    "shear": VectorField.of(SPACE, [y, 0, 0]),
    "affine": VectorField.of(SPACE, [y, 1, 0]),
    "growth": VectorField.of(Chart.of(size, x), [size, 2 * x]),
    "turning along": VectorField.of(Chart.of(x, y, angle), [-y, x, 1]),
}


@pytest.mark.parametrize("name", FIELDS)
def test_a_straight_field(name: str) -> None:
    field = FIELDS[name]
    found = straighten(field)
    assert found is not None
    moved = carried(field, found.chart, found.inverse)
    rates: dict[Expr, Expr] = dict(zip(found.chart.coordinates, moved.components, strict=True))
    speed = rates.pop(found.along)
    assert all(is_zero(rate).holds for rate in rates.values())
    assert is_zero(speed).holds is False
    assert all(is_zero(diff(speed, q)).holds for q in found.chart.coordinates)
    images = [found.inverse[q] for q in field.chart.coordinates]
    assert generic_rank(jacobian(images, found.chart.coordinates)).rank == field.chart.dimension


@pytest.mark.parametrize("name", FIELDS)
def test_new_coordinates_by_the_old_ones(name: str) -> None:
    """Rates of the new coordinates along the field, by the old ones; and the way there and back."""
    field = FIELDS[name]
    found = straighten(field)
    assert found is not None
    for q, image in found.forward.items():
        rate = field(image)
        assert is_zero(rate).holds is (q is not found.along), q
    there = composed(found.inverse, found.forward)
    point = {q: 0.3 + 0.2 * i for i, q in enumerate(field.chart.coordinates)} | {k: 0.7, m: 1.3}
    assert evaluate(list(there.values()), Floats(point)) == pytest.approx([point[q] for q in there])


def test_what_has_no_closed_form_is_not_found() -> None:
    assert straighten(VectorField.of(Chart.of(x, y), [sin(y) + x**2, x * y + 1])) is None


def test_names_are_new() -> None:
    found = straighten(FIELDS["rotation"], ["r", "phi", "phi1"])
    assert found is not None
    assert [q.data.name for q in found.chart.coordinates] == ["r1", "phi2", "z"]
    assert fresh("a", []) == "a"
