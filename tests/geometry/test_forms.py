"""Differential forms: the exterior calculus, pull-backs, forms in frames."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, Function, cos, diff, jet, sin, substitute, symbol
from dalembert.geometry import (
    Chart,
    Form,
    VectorField,
    coordinate_form,
    d,
    flow,
    function_form,
    interior,
    lie_derivative,
    one_form,
    pull_back,
    wedge,
)
from dalembert.testing.objects import PLANE, SPACE, Objects, U, V, X, Y, Z


def test_the_lie_derivative_is_the_rate_of_the_pull_back_along_the_flow() -> None:
    s = symbol("s", role="parameter")
    field = VectorField.of(SPACE, [-Y, X, 1])
    moved = flow(field, s)
    assert moved is not None
    for seed, degree in ((1, 0), (2, 1), (3, 2)):
        form = Objects(seed).form(degree)
        pulled = pull_back(form, SPACE, moved)
        rate = Form.of(SPACE, degree, {i: diff(v, s) for i, v in pulled.terms.items()})
        assert (rate - pull_back(lie_derivative(field, form), SPACE, moved)).is_zero().holds is True
        assert (rate + pull_back(lie_derivative(field, form), SPACE, moved)).is_zero().holds is False
        start = Form.of(SPACE, degree, {i: substitute([v], {s: ZERO})[0] for i, v in pulled.terms.items()})
        assert (start - form).is_zero().holds is True


def test_forms_with_unspecified_functions() -> None:
    f, g = jet(Function("f", 2), (U, V)), jet(Function("g", 1), (U,))
    assert d(d(f * g, PLANE)).is_zero(effort=5).kind == "proved"
    assert d(one_form(PLANE, [f, 0])).component(0, 1) is -diff(f, V)
    assert d(one_form(PLANE, [g, 0])).terms == {}


def test_components_know_their_order() -> None:
    form = Form.of(SPACE, 2, {(2, 0): X, (0, 2): Y, (1, 1): Z})
    assert form.terms == {(0, 2): Y - X}
    assert form.component(2, 0) is -(Y - X)
    assert form.component(1, 1) is ZERO
    area = wedge(coordinate_form(SPACE, X), coordinate_form(SPACE, Y))
    assert area.component(0, 1) is ZERO + 1
    assert area.component(1, 0) is ZERO - 1
    volume = wedge(area, coordinate_form(SPACE, Z))
    assert volume.component(2, 0, 1) is ZERO + 1
    assert wedge(volume, area).terms == {}
    assert interior(VectorField.of(SPACE, [1, 0, 0]), function_form(SPACE, X)).degree == -1


def test_whether_a_form_vanishes_is_decided_and_the_component_named() -> None:
    assert one_form(PLANE, [sin(U) ** 2 + cos(U) ** 2 - 1, 0]).is_zero(effort=5).kind == "proved"
    verdict = (one_form(PLANE, [0, U]) - one_form(PLANE, [0, V])).is_zero()
    assert verdict.holds is False
    assert verdict.evidence.startswith("the component of dv")


def test_what_does_not_fit_is_refused_in_words() -> None:
    form = one_form(PLANE, [U, V])
    with pytest.raises(ExpressionError, match="not indices of a form of degree 1"):
        Form.of(PLANE, 1, {(2,): 1})
    with pytest.raises(ExpressionError, match="2 coordinates needs as many components, not 1"):
        one_form(PLANE, [U])
    with pytest.raises(ExpressionError, match="different degree"):
        form + d(form)
    with pytest.raises(ExpressionError, match="have no product"):
        wedge(form, one_form(SPACE, [1, 1, 1]))
    with pytest.raises(ExpressionError, match="degree 1 takes that many fields, not 2"):
        form(VectorField.of(PLANE, [1, 0]), VectorField.of(PLANE, [1, 0]))
    for operation in (interior, lie_derivative):
        with pytest.raises(ExpressionError, match="cannot be combined"):
            operation(VectorField.of(SPACE, [1, 0, 0]), form)
    with pytest.raises(ExpressionError, match="needs the chart"):
        d(U)
    with pytest.raises(ExpressionError, match="2 coordinates needs as many functions, not 3"):
        pull_back(form, Chart.of(X), [X, X, X])
