"""Forces beside the semi-Hamiltonian field: X = Y_E + Y_F, a momentum changes by F(xi), and what is not said then."""

from dataclasses import replace

import pytest

from dalembert import System, claims, derive
from dalembert.errors import HypothesisError
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.semisymplectic.momentum_theorems import momentum_equation

SLED = System.of(
    name="sled with a motor and friction",
    coordinates={"x": "real", "y": "real", "theta": "angle"},
    parameters={"m": 1, "J": 1, "a": 0.3, "c": 0.2},
    lagrangian="m*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2)/2 + J*theta'^2/2",
    constraints={"blade": "y'*cos(theta) = x'*sin(theta)"},
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "turn": {"x": "-y", "y": "x", "theta": 1}},
    forces={"x": "-c*x'", "y": "-c*y'*x'", "theta": "-c*theta' + cos(theta)"},
)


@pytest.fixture(scope="module")
def pushed():
    return derive(SLED, "semisymplectic")


def test_the_motion_is_that_of_energy_and_forces(pushed):
    """X comes from d'Alembert's principle, Y_E and Y_F from the form on K alone."""
    manifold = pushed.manifold
    assert all(is_zero(part).holds for part in pushed.null_forcing.components)
    wrong = pushed.field - pushed.semi_hamiltonian_part + pushed.force_part
    assert manifold.is_null_forcing(wrong).holds is False
    assert manifold.is_null_forcing(pushed.field - pushed.semi_hamiltonian_part).holds is False
    free = derive(SLED.but(forces={}), "semisymplectic")
    assert free.force_part is None
    assert free.manifold.gram == manifold.gram  # the form does not know of forces
    said = {claim.name: claim.verdict.holds for claim in claims(pushed, only="semi-Hamiltonian")}
    assert said == {"semi-Hamiltonian beside forces": True}


def test_momenta_of_allowed_sections_change_by_the_work_of_forces(pushed):
    group = pushed.find_group()
    assert momentum_equation(group, ProofBudget(0.0)).holds
    deaf = replace(group, motion=replace(group.motion, system=SLED.but(forces={})))
    assert deaf.sections()
    assert momentum_equation(deaf, ProofBudget(0.0)).holds is False
    held = [claim.verdict.holds for claim in claims(pushed, only="work on", verify=True)]
    assert held == [True, True, True]


def test_what_rests_on_an_energy_is_refused_by_name(pushed):
    with pytest.raises(HypothesisError, match="of the semi-Hamiltonian field of an energy"):
        pushed.reduce()
    with pytest.raises(HypothesisError, match="on one manifold for all times"):
        derive(SLED.but(forces={"theta": "sin(t)"}), "semisymplectic")
