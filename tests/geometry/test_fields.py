"""Charts, vector fields, brackets, changes of coordinates."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, cos, sin
from dalembert.geometry import Chart, VectorField, bracket, combination, coordinate_field, push_forward
from dalembert.geometry.fields import in_basis
from dalembert.testing.objects import PLANE, SPACE, Objects, U, V, X, Y, Z


def test_a_field_differentiates() -> None:
    turn = VectorField.of(SPACE, {X: -Y, Y: X})
    assert turn(X**2 + Y**2) is ZERO
    assert turn(X * Z) is -Y * Z
    assert turn.components == (-Y, X, ZERO)
    assert (2 * turn - turn).components == turn.components
    assert (-turn).components == (Y, -X, ZERO)
    assert (sin(Z) * turn).components[1] is X * sin(Z)
    assert (turn + coordinate_field(SPACE, Z)).components == (-Y, X, ZERO + 1)


def test_whether_a_field_vanishes_is_decided_and_the_component_named() -> None:
    hidden = VectorField.of(PLANE, [sin(U) ** 2 + cos(U) ** 2 - 1, 0])
    assert hidden.is_zero().holds is True
    assert hidden.is_zero(effort=5).kind == "proved"
    shown = VectorField.of(PLANE, [0, U - V])
    assert shown.is_zero().holds is False
    assert shown.is_zero().evidence.startswith("the component along v")


def test_a_field_in_other_coordinates() -> None:
    turn = VectorField.of(Chart.of(X, Y), [-Y, X])
    moved = push_forward(turn, PLANE, [X + Y, X - Y], [(U + V) / 2, (U - V) / 2])
    assert (moved - VectorField.of(PLANE, [V, -U])).is_zero().holds is True
    assert (moved - VectorField.of(PLANE, [-V, U])).is_zero().holds is False


def test_changing_coordinates_commutes_with_the_bracket() -> None:
    new, old = [X + Y**2, Y, Z + X], [X - Y**2, Y, Z - X + Y**2]
    for seed in (1, 2):
        some = Objects(seed)
        left, right = some.field(), some.field()
        moved = [push_forward(f, SPACE, new, old) for f in (left, right, bracket(left, right))]
        assert (bracket(moved[0], moved[1]) - moved[2]).is_zero().holds is True
        assert (bracket(moved[1], moved[0]) - moved[2]).is_zero().holds is False


def test_coefficients_in_a_basis() -> None:
    some = Objects(4)
    basis = [VectorField.of(SPACE, row) for row in some.matrix()]
    field = some.field()
    back = combination(zip(in_basis(field.components, basis), basis, strict=True))
    assert (back - field).is_zero().holds is True


def test_what_does_not_fit_is_refused_in_words() -> None:
    with pytest.raises(ExpressionError, match="made of symbols"):
        Chart.of(X, X * Y)
    with pytest.raises(ExpressionError, match="occurs twice"):
        Chart.of(X, Y, X)
    with pytest.raises(ExpressionError, match=r"'u' is not a coordinate of this chart; it has x, y, z"):
        SPACE.place(U)
    with pytest.raises(ExpressionError, match="not a coordinate"):
        VectorField.of(PLANE, {X: 1})
    with pytest.raises(ExpressionError, match="2 coordinates needs as many components, not 3"):
        VectorField.of(PLANE, [1, 2, 3])
    with pytest.raises(ExpressionError, match="have no bracket"):
        bracket(coordinate_field(PLANE, U), coordinate_field(SPACE, X))
    with pytest.raises(ExpressionError, match="different charts"):
        combination([(1, coordinate_field(PLANE, U)), (1, coordinate_field(SPACE, X))])
    with pytest.raises(ExpressionError, match="at least one"):
        combination([])
    with pytest.raises(ExpressionError, match="each new and for each old"):
        push_forward(coordinate_field(PLANE, U), SPACE, [U, V], [X, Y])
