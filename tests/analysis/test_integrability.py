"""Integrability: Euler and Jacobi against Theorem 7.1 of the reduction, Liouville with and without enough integrals."""

import pytest

from dalembert import System, claims, discover, gallery
from dalembert.analysis.discovery.integrability import integrability
from dalembert.analysis.motions import Motions
from dalembert.mechanics.chaplygin.chaplygin import derive as chaplygin


def plane(potential: str) -> System:
    return System.of(name="plane", coordinates="x y", lagrangian=f"(x'^2 + y'^2)/2 - ({potential})")


def test_liouville():
    split = discover(plane("x^4 + 3*y^6"))
    assert split.integrability.involution.verdict.holds is True
    assert (split.integrability.involution.rank, split.integrability.involution.torus) == (0, 2)
    assert split.integrability.quadratures.missing == 0
    rough = discover(plane("x^4 + 2*x^3*y + 5*x*y^3 + y^4/7")).integrability
    assert rough.involution.verdict.holds is None
    assert (rough.quadratures.dimension, rough.quadratures.needed, rough.quadratures.missing) == (4, 2, 1)


def test_more_integrals_than_degrees():
    """Of a central force in space three momenta do not commute; the energy alone is not enough."""
    system = System.of(
        name="space",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2 + z^2)^2 - (x^2 + y^2 + z^2)^3",
    )
    found = discover(system)
    answer = found.integrability.involution
    assert (answer.integrals, answer.rank, answer.torus) == (4, 2, 2)
    assert answer.verdict.holds is True
    energy = [one for one in found.known if one.name == "energy"]
    few = integrability(Motions(system), [], energy, found.measures).involution
    assert few.verdict.holds is None


@pytest.mark.thorough("vertical-rolling-disc")
@pytest.mark.parametrize("name", ["nonholonomic-particle", "vertical-rolling-disc"])
def test_theorem_7_1(name):
    """What the reduced formalism claims, by its form beta and its own integrals, is what is found without it."""
    system = gallery.load(name)
    said = {claim.name: claim.verdict.holds for claim in claims(chaplygin(system))}
    found = discover(system).integrability.quadratures
    assert found.modulo
    assert found.verdict.holds is said["integrable by quadratures"] is True


@pytest.mark.thorough
def test_bodies():
    """Veselova's body and Chaplygin's ball; a ball of rubber, which neither slips nor spins."""
    rubber = System.of(
        name="rubber",
        coordinates={"x": "real", "y": "real", "R": "rotation"},
        parameters={"m": 1, "b": 1, "I1": 1, "I2": 2, "I3": 3},
        lagrangian="m*(x'^2 + y'^2)/2 + (I1*R.w1^2 + I2*R.w2^2 + I3*R.w3^2)/2",
        constraints={"a": "x' = b*R.s2", "b": "y' = -b*R.s1", "c": "R.s3 = 0"},
    )
    for system in (rubber, gallery.load("veselova"), gallery.load("chaplygin-ball")):
        found = discover(system).integrability.quadratures
        assert found.missing == 0
        assert found.verdict.holds is True
