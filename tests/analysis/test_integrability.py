"""Integrability: Euler and Jacobi against Theorem 7.1 of the reduction, Liouville with and without enough integrals."""

import pytest

from dalembert import System, claims, discover, gallery
from dalembert.analysis.discovery.integrability import integrability
from dalembert.analysis.discovery.poisson_structures import RankTwo, _verdict
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import gradient
from dalembert.mechanics.chaplygin.chaplygin import derive as chaplygin
from dalembert.mechanics.common import facts_of


def plane(potential: str) -> System:
    return System.of(name="plane", coordinates="x y", lagrangian=f"(x'^2 + y'^2)/2 - ({potential})")


def test_liouville():
    split = discover(plane("x^4 + 3*y^6"))
    assert split.integrability.involution.verdict.holds is True
    assert (split.integrability.involution.rank, split.integrability.involution.torus) == (0, 2)
    assert split.integrability.quadratures.missing == 0
    rough = discover(plane("x^4 + 2*x^3*y + 5*x*y^3 + y^4/7")).integrability
    assert rough.involution.verdict.holds is None
    assert (rough.involution.missing, split.integrability.involution.missing) == (1, 0)
    assert (rough.quadratures.dimension, rough.quadratures.needed, rough.quadratures.missing) == (4, 2, 1)


@pytest.mark.thorough
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
    assert (few.missing, answer.missing) == (2, 0)


def test_functions_of_integrals_that_are_not_written_down():
    """Of two bodies in a plane |p|^2 and a momentum are left by the symmetries, as Mishchenko and Fomenko see too."""
    pair = System.of(
        name="pair",
        coordinates="x y u v",
        lagrangian="(x'^2 + y'^2)/2 + u'^2 + v'^2 - ((x - u)^2 + (y - v)^2)^2",
    )
    found = discover(pair)
    asked = found.integrability.quadratures
    assert (asked.dimension, len(asked.integrals), asked.others, asked.missing) == (4, 1, 2, 0)
    assert asked.verdict.holds is found.integrability.involution.verdict.holds is True
    generators = [one.generator for one in found.noether.lasting]
    energy = [one for one in found.known if one.name == "energy"]
    few = integrability(Motions(pair), generators, energy, found.measures).quadratures
    assert (few.others, few.missing, few.verdict.holds) == (0, 1, None)


@pytest.mark.thorough("3*z-0", "3*z-0")
@pytest.mark.parametrize(("field", "missing"), [("3*z", 0), ("3*z + x*y", 1)])
def test_beside_a_constraint_on_positions(field, missing):
    """A point on a sphere, by three numbers and as a direction: dimensions and integrals are those of the sphere."""
    point = System.of(
        name="point",
        coordinates="x y z",
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - ({field})",
        holonomic={"sphere": "x^2 + y^2 + z^2 = 4"},
    )
    put = field.replace("x", "n.x").replace("y", "n.y").replace("z", "n.z")
    needle = System.of(
        name="needle", coordinates={"n": "direction"}, lagrangian=f"(n.x'^2 + n.y'^2 + n.z'^2)/2 - ({put})"
    )
    for system in (point, needle)[: 2 - missing]:
        found = discover(system)
        asked = found.integrability.quadratures
        assert (asked.dimension + len(asked.modulo), asked.missing) == (4, missing)
        assert len(found.known) + len(found.found) == 2 - missing  # a root of the radius' square is a number


@pytest.mark.thorough
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


# -- Poisson structures of rank 2 --------------------------------------------------------------------------------
def right_and_wrong(system: System, found: RankTwo) -> tuple[bool | None, bool | None]:
    """Return whether a bracket is decided to be right as it stands, and with one entry changed."""
    slope = gradient(found.hamiltonian.expression, found.variables)
    rates = [Motions(system).names.drive[v] for v in found.variables]
    wrong = [list(row) for row in found.bracket]
    wrong[0][1], wrong[1][0] = 2 * wrong[0][1], 2 * wrong[1][0]
    return found.verdict.holds, _verdict(found.variables, wrong, slope, rates, facts_of(system)).holds


@pytest.mark.thorough
def test_the_bracket_of_suslov():
    body = gallery.load("suslov")
    found = discover(body).poisson
    assert [repr(v) for v in found.variables] == ["R.w1", "R.w2"]
    assert right_and_wrong(body, found) == (True, False)


@pytest.mark.thorough
def test_the_bracket_in_kharlamovas_field():
    heavy = System.of(
        name="Suslov's body in Kharlamova's field",
        coordinates={"th": "angle", "ps": "angle", "ph": "angle"},
        let={
            "w1": "ph'*sin(th)*sin(ps) + th'*cos(ps)",
            "w2": "ph'*sin(th)*cos(ps) - th'*sin(ps)",
            "w3": "ps' + ph'*cos(th)",
        },
        lagrangian="(w1^2 + 2*w2^2 + 3*w3^2)/2 - sin(th)*(4*sin(ps) + 5*cos(ps))",
        constraints={"c": "ps' + ph'*cos(th) = 0"},
    )
    found = discover(heavy)
    assert found.integrability.quadratures.missing == 0
    assert len(found.poisson.casimirs) == 2
    assert right_and_wrong(heavy, found.poisson) == (True, False)
