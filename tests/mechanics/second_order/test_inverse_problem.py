"""The inverse problem: Lagrangians found again, textbook equations that have none, multipliers against Hessians."""

import pytest

from dalembert import System, is_zero
from dalembert.analysis.discovery.variational import variational
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import hessian
from dalembert.expr.graph import total
from dalembert.mechanics.lagrangian.euler_lagrange import derive
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.inverse_problem import associated_field, find_lagrangian
from dalembert.mechanics.second_order.multipliers import Multipliers


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


@pytest.mark.parametrize(
    ("rates", "answer", "freedom"),
    [
        (
            {"x": "-x - x' + y/2", "y": "-4*y - y' + x/2"},
            "exists",
            "2 functions of 2 variables",
        ),  # exp(t) times a square
        ({"x": "x*y'", "y": "0"}, "exists", "1 function of 2 variables"),
        ({"x": "x*y'", "y": "x*x'"}, "found", "2 functions of 1 variable"),
        ({"x": "y'", "y": "0"}, "found", "2 functions of 3 variables"),  # case I
    ],
)
@pytest.mark.thorough("rates2-found-2 functions of 1 variable")
def test_the_cases_that_leave_several_multipliers(rates, answer, freedom):
    """Douglas' case II falls apart by what the multipliers depend on; in case I two functions of three variables."""
    found = find_lagrangian(equations(**rates))
    assert (found.answer, found.freedom, found.verdict.holds) == (answer, freedom, True)


PLANTED = {
    "two springs in bent coordinates": ("x y", "(x' + 2*y*y')^2/2 - (x + y^2)^4 + (y' + 3*x^2*x')^2/2 - 5*(y + x^3)^2"),
    "three springs": ("x y z", "(x'^2 + y'^2 + z'^2)/2 - x^2 - 2*y^4 - 3*z^2"),
}


@pytest.mark.parametrize("name", PLANTED)
@pytest.mark.thorough("two springs in bent coordinates")
def test_planted_lagrangians_are_not_excluded_and_their_twins_are(name):
    """A Lagrangian in coordinates in which nothing falls apart; with drag on one coordinate the equations have none."""
    names, lagrangian = PLANTED[name]
    field = field_of(derive(System.of(name="L", coordinates=names, lagrangian=lagrangian)).equations)
    assert Multipliers(field).completed().answer == "exists"
    x, *rest = field.acceleration
    u, w = field.velocities[:2]
    twin = SecondOrderField(field.independent, (), (), (), (x - u * w**2, *rest))
    assert Multipliers(twin).completed().answer == "none"
    assert find_lagrangian(twin).answer == "none"


@pytest.mark.parametrize(("drag", "answer"), [("0", "exists"), ("x'", "none")])
def test_involution_and_the_closed_factor_of_a_unique_multiplier_agree(drag, answer):
    """Two methods that share nothing but the Jacobi endomorphism."""
    conditions = Multipliers(equations(x=f"-x - y - {drag}*(1 + y^2)", y="-3*y - x - y^3"))
    assert conditions.unknowns - conditions.rank.rank <= 1
    unique = conditions.unknowns - conditions.rank.rank == 1
    by_factor = unique and conditions.factor().holds
    assert by_factor is (answer == "exists")
    assert conditions.completed().answer == answer
