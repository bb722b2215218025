"""The one linear search: determining equations in, all solutions of an ansatz out."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.field import TooLarge
from dalembert.expr.graph import ONE, symbol
from dalembert.expr.linear.parametric import relations_with_parameters
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.linear_search import (
    Ansatz,
    Components,
    LinearSearch,
    linear_search,
    relations,
)

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


def test_who_asks_for_the_last_column_gets_the_relation_that_contains_it_and_no_other():
    k = symbol("k", role="parameter", domain="positive")
    columns = [[x], [k * x], [y], [x**2], [k * y + x]]
    every = relations(columns).basis
    assert len(every) == 2
    assert relations(columns, of_last=True).basis == [row for row in every if row[-1].value != 0]
    assert relations(columns[:-1], of_last=True).basis == []  # the others are related, the last is not


def test_what_has_a_billion_nodes_as_a_tree_is_not_read_as_a_fraction():
    k, long = symbol("k", role="parameter", domain="positive"), x
    for _ in range(40):
        long = (long + k) * (long + y)
    with pytest.raises(TooLarge, match="too large"):
        relations_with_parameters([[long], [k * long]], [k])
    assert relations([[long], [k * long]]).basis == [[-k, ONE]]  # the numbers tell it all the same
    short = (x + k) * (x + y)
    assert relations_with_parameters([[short], [k * short]], [k]).verdicts[0].kind == "proved"
