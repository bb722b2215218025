"""The one linear search: determining equations in, all solutions of an ansatz out."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.graph import ONE, symbol
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.linear_search import Ansatz, Components, LinearSearch, linear_search

x, y = symbol("x"), symbol("y")
PLANE = SecondOrderField((x, y), (), (), (), (x, y))


def killing(values, sign=1):
    """What the equations of Killing leave of a field (u, w) in the plane; with another sign they are others."""
    u, w = values
    return [diff(u, x), diff(w, y), diff(u, y) + sign * diff(w, x)]


def found(residuals, degrees=(0, 0), **more):
    return linear_search(LinearSearch, PLANE, Ansatz(0, 1), degrees, residuals, lambda v, _: tuple(v), **more)


def test_the_motions_of_the_plane():
    rigid = found(killing)
    assert rigid.dimension == 3
    assert rigid.unknowns == 6
    assert all(verdict.holds for verdict in (*rigid.verdicts, rigid.complete))
    assert (y, -x) in rigid.basis


def test_other_equations_have_other_solutions():
    twin = found(lambda values: killing(values, sign=-1))
    assert (y, x) in twin.basis
    assert (y, -x) not in twin.basis


def test_a_component_may_have_a_higher_degree_in_the_velocities():
    def residuals(values):
        return [values[0] * x.dot - values[1]]

    assert found(residuals).dimension == 0
    assert found(residuals, degrees=(0, 1)).basis == ((ONE, x.dot), (x, x * x.dot), (y, y * x.dot))


def test_trivial_solutions_take_no_part():
    def constant(values):
        return [diff(values[0], x), diff(values[0], y)]

    assert found(constant, degrees=(0,)).dimension == 1
    assert found(constant, degrees=(0,), trivial=[ONE]).dimension == 0
    alone = linear_search(LinearSearch, PLANE, Ansatz(0, 0), (0,), constant, lambda v, _: v, trivial=[ONE])
    assert (alone.dimension, alone.unknowns, alone.complete.holds) == (0, 0, True)


def test_components_of_the_wrong_shape_are_refused():
    with pytest.raises(ExpressionError, match="has 2 components for the independent coordinates and 0"):
        Components.of([1]).check_shape(PLANE, "a symmetry")
