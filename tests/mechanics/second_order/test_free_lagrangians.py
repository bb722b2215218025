"""Lagrangians without constraints: their own motions that begin where the constraints hold are the constrained ones."""

import pytest

from dalembert import System, is_zero
from dalembert.analysis.discovery.variational import variational
from dalembert.analysis.motions import Motions
from dalembert.expr.walk import substitute
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic.linear_constraints import derive
from dalembert.mechanics.second_order.field import field_of
from dalembert.mechanics.second_order.free_lagrangians import find_free_lagrangian, second_associated_field
from dalembert.mechanics.second_order.inverse_problem import associated_field, find_lagrangian
from dalembert.mechanics.second_order.multipliers import Multipliers

FLAT = "(x'^2 + y'^2 + phi'^2)/2"
SYSTEMS = {
    "rolling disc": System.of(
        name="disc",
        coordinates={"phi": "angle", "th": "angle", "x": "real", "y": "real"},
        parameters=["R"],
        lagrangian=f"{FLAT} + th'^2/2",
        constraints={"a": "x' = R*cos(phi)*th'", "b": "y' = R*sin(phi)*th'"},
    ),
    "particle": System.of(
        name="particle",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"c": "z' = y*x'"},
    ),
    "knife edge": System.of(
        name="edge",
        coordinates={"phi": "angle", "x": "real", "y": "real"},
        lagrangian=FLAT,
        constraints={"c": "y' = x'*tan(phi)"},
    ),
}


def defects(system: System, lagrangian: str) -> list:
    """Accelerations by the library's own Euler-Lagrange equations, on the constraint, less the constrained ones."""
    held = field_of(derive(system))
    free = field_of(euler_lagrange.derive(system.but(constraints={}, lagrangian=lagrangian)).equations)
    put = {q.dot: e for q, e in zip(held.dependent, held.dependent_velocities, strict=True)}
    moved = dict(zip(free.independent, substitute(free.acceleration, put), strict=True))
    rates = [*held.acceleration, *held.rates(held.dependent_velocities)]
    return [moved[q] - e for q, e in zip((*held.independent, *held.dependent), rates, strict=True)]


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough("particle")
def test_motions_on_the_constraint_are_the_constrained_ones(name):
    system = SYSTEMS[name]
    found = find_free_lagrangian(field_of(derive(system)))
    assert found.verdict.holds is True
    assert all(is_zero(e).holds for e in defects(system, repr(found.lagrangian)))
    assert not all(is_zero(e).holds for e in defects(system, repr(system.lagrangian)))  # its own has others


@pytest.mark.thorough
def test_associated_systems_of_both_kinds():
    """The first kind of a knife edge has no Lagrangian, the second has: by two searches that know nothing of it."""
    field = field_of(derive(SYSTEMS["knife edge"]))
    assert Multipliers(second_associated_field(field)).completed().answer == "exists"
    assert find_lagrangian(associated_field(field)).answer == "none"
    sleigh = SYSTEMS["knife edge"].but(lagrangian=f"{FLAT} + phi'*(y'*cos(phi) - x'*sin(phi))/2")
    found = variational(Motions(sleigh))
    assert (found.problem.answer, found.free, found.second.answer) == ("none", None, "none")
