"""Type (1,1) tensors, and the tangent bundle: lifts and the vertical endomorphism."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, cos, sin, total
from dalembert.expr.truth import is_zero
from dalembert.geometry import (
    Endomorphism,
    VectorField,
    complete_lift,
    coordinate_field,
    d,
    interior,
    lie_derivative_of_endomorphism,
    nijenhuis,
    one_form,
    tangent_chart,
    vertical_endomorphism,
    vertical_lift,
)
from dalembert.geometry.tangent_bundle import cartan_one_form, energy, liouville_field, second_order_field
from dalembert.geometry.tensors import identity, outer
from dalembert.testing.objects import PLANE, SPACE, Objects, U, V, X


def test_vertical_endomorphism() -> None:
    dilations = lie_derivative_of_endomorphism(liouville_field(SPACE), vertical_endomorphism(SPACE))
    assert (dilations + vertical_endomorphism(SPACE)).is_zero().holds is True
    assert (dilations - vertical_endomorphism(SPACE)).is_zero().holds is False


def test_what_a_lagrangian_makes_of_the_tangent_bundle() -> None:
    some = Objects(5)
    lagrangian = some.lagrangian()
    bundle = tangent_chart(SPACE)
    theta = cartan_one_form(SPACE, lagrangian)
    assert (vertical_endomorphism(SPACE).on_form(d(lagrangian, bundle)) - theta).is_zero().holds is True
    liouville = liouville_field(SPACE)
    assert is_zero(energy(SPACE, lagrangian) - liouville(lagrangian) + lagrangian).holds is True
    # S of any second-order field is Liouville's field, and theta on it is the momentum times the velocity
    motion = second_order_field(SPACE, [some.function() for _ in range(3)])
    assert (vertical_endomorphism(SPACE)(motion) - liouville).is_zero().holds is True
    assert is_zero(interior(motion, theta).component() - lagrangian - energy(SPACE, lagrangian)).holds is True


def test_nijenhuis() -> None:
    turn = Endomorphism.of(PLANE, [[0, -1], [1, 0]])
    assert all(v.is_zero().holds is True for v in nijenhuis(turn).values())
    crooked = Endomorphism.of(PLANE, [[0, -1 - U**2], [1 / (1 + U**2), 0]])  # every complex structure of a surface
    assert all(v.is_zero().holds is True for v in nijenhuis(crooked).values())
    assert any(v.is_zero().holds is False for v in nijenhuis(U * turn).values())


def test_composition_and_transpose() -> None:
    field, form = VectorField.of(PLANE, [U, V]), one_form(PLANE, [V, 1])
    product = outer(field, form)
    assert product(coordinate_field(PLANE, U)).components == (U * V, V * V)
    assert (product @ product - form(field) * product).is_zero().holds is True
    assert (identity(PLANE) @ product - product).is_zero().holds is True
    assert (product - identity(PLANE)).is_zero().evidence.startswith("the component of the image of d/du along u")


def test_what_a_lift_is_by_hand() -> None:
    field = VectorField.of(PLANE, [U * V, sin(U)])
    speed = total([(1, V * U.dot), (1, U * V.dot)])
    assert complete_lift(field).components == (U * V, sin(U), speed, cos(U) * U.dot)
    assert vertical_lift(field).components == (ZERO, ZERO, U * V, sin(U))


def test_what_does_not_fit_is_refused_in_words() -> None:
    tensor = identity(PLANE)
    with pytest.raises(ExpressionError, match="square matrix"):
        Endomorphism.of(PLANE, [[1, 0]])
    with pytest.raises(ExpressionError, match="cannot be combined"):
        tensor(coordinate_field(SPACE, X))
    with pytest.raises(ExpressionError, match="takes a 1-form"):
        tensor.on_form(d(one_form(PLANE, [V, 0])))
    for combine in (lambda: tensor + identity(SPACE), lambda: tensor @ identity(SPACE)):
        with pytest.raises(ExpressionError, match="different charts"):
            combine()
