"""The inverse problem: Lagrangians found again, textbook equations that have none, multipliers against Hessians."""

import pytest

from dalembert import System, is_zero
from dalembert.analysis.discovery.variational import variational
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import hessian
from dalembert.expr.graph import total
from dalembert.mechanics.lagrangian.euler_lagrange import derive
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.inverse_problem import Multipliers, associated_field, find_lagrangian


def equations(**rates: str) -> SecondOrderField:
    stated = {f"{name}''": rate for name, rate in rates.items()}
    return SecondOrderField.from_equations(System.of(name="stated", coordinates=list(rates), equations=stated))


@pytest.mark.parametrize(
    ("rates", "answer", "case"),
    [
        ({"x": "x^2 + y^2", "y": "0"}, "none", "III"),  # Douglas
        ({"x": "y'", "y": "y"}, "none", "III"),
        ({"x": "-x - x' + y", "y": "-2*y - 3*y' + x"}, "none", "IV"),
        ({"x": "-x", "y": "-4*y"}, "found", "II"),
        ({"x": "y'", "y": "0"}, "found", "I"),
        ({"x": "-x - x'", "y": "-y - y'"}, "exists", "I"),  # exp(t) times a square
        ({"x": "-x - x'", "y": "-2*y - 3*y'"}, "exists", "II"),
        ({"x": "-x'"}, "exists", ""),
    ],
)
def test_answers(rates, answer, case):
    found = find_lagrangian(equations(**rates))
    assert (found.answer, found.case) == (answer, case)
    assert found.verdict.holds is True


def test_a_lagrangian_that_is_found_gives_the_equations():
    """By the library's own derivation, which knows nothing of multipliers."""
    field = equations(x="y'*(1 + x^2) - x", y="-x'*(1 + x^2) - y^3")
    found = find_lagrangian(field).lagrangian
    again = field_of(derive(System.of(name="again", coordinates="x y", lagrangian=repr(found))).equations)
    assert all(is_zero(a - b).holds for a, b in zip(field.acceleration, again.acceleration, strict=True))
    assert repr(found) != repr(find_lagrangian(equations(x="y'*(1 + x^2)", y="-x'*(1 + x^2) - y^3")).lagrangian)


LAGRANGIANS = {
    "x y": "((1 + y^2)*x'^2 + y'^2)/2 + x*y' - x^3*y",
    "x y z": "(1 + z'^2)*x'^2 + exp(y)*y'^2 + z'^2*(2 + x^2) + x*y*z' - x*z",
}


@pytest.mark.parametrize("names", LAGRANGIANS)
def test_the_hessian_obeys_the_linear_equations(names):
    """g by the Lagrangian, the equations by the field alone; those of other forces do not know it."""
    system = System.of(name="L", coordinates=names, lagrangian=LAGRANGIANS[names])
    field = field_of(derive(system).equations)
    other = SecondOrderField(
        field.independent, (), (), (), (field.acceleration[0] + system.q[1] * system.v[1], *field.acceleration[1:])
    )
    g = hessian(system.lagrangian, system.v)

    def defects(conditions: Multipliers) -> list:
        rows = [*conditions._symmetric(conditions.phi), *conditions._cyclic()]
        rows += conditions._symmetric(conditions.nabla(conditions.phi))
        return [total([(1, e * g[i][j]) for e, (i, j) in zip(row, conditions.pairs, strict=True)]) for row in rows]

    assert all(is_zero(e).holds for e in defects(Multipliers(field)))
    assert not all(is_zero(e).holds for e in defects(Multipliers(other)))


@pytest.mark.thorough
def test_a_multiplier_without_a_lagrangian_in_what_is_searched():
    system = System.of(name="L", coordinates="x y", lagrangian="exp(x*y)*(x'^2 + 2*y'^2)/2 + y^2*x")
    found = find_lagrangian(field_of(derive(system).equations))
    assert found.answer == "exists"
    g = hessian(system.lagrangian, system.v)
    assert is_zero(found.multiplier[0][0] * g[1][1] - found.multiplier[1][1] * g[0][0]).holds
    broken = field_of(derive(system).equations)
    broken = SecondOrderField(
        broken.independent, (), (), (), (broken.acceleration[0] - broken.velocities[0], broken.acceleration[1])
    )
    assert find_lagrangian(broken).answer == "none"


def test_a_cart_that_rolls_and_one_that_is_rubbed():
    disc = System.of(
        name="disc",
        coordinates={"phi": "angle", "th": "angle", "x": "real", "y": "real"},
        lagrangian="(x'^2 + y'^2 + th'^2 + phi'^2)/2",
        constraints={"a": "x' = cos(phi)*th'", "b": "y' = sin(phi)*th'"},
    )
    found = variational(Motions(disc))
    assert found.associated
    assert found.problem.answer == "none"
    assert variational(Motions(disc.but(constraints={}))) is None  # it has its Lagrangian
    rows = associated_field(equations(x="-x"))
    assert rows.acceleration == equations(x="-x").acceleration
