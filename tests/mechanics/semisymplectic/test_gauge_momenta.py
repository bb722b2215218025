"""Gauge momenta of several sections: solved for, conserved, and not there where they should not be."""

import pytest

from dalembert import gallery, is_zero, parse
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.system import System

THREE = {"e1": {"x": 1}, "e2": {"z": 1}, "e3": {"s": 1}}
PLANE = {"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "phi": 1}}


def rail(slope, **more):
    return System.of(
        name="two ways along",
        coordinates="x y z s",
        functions={"a": {"of": ["y"]}},
        parameters={"m": 2, "k": 3},
        lagrangian="(x'^2 + y'^2 + m*z'^2 + k*s'^2)/2",
        constraints={"slope": f"z' = {slope}"},
        symmetry=THREE,
        **more,
    )


def searched(system):
    found = semisymplectic.derive(system)
    return found.find_symmetry(), list(found.find_gauge_momenta()), found.field


@pytest.mark.thorough
def test_orthogonal_to_a_generator_that_lies_in_the_constraint():
    """d_s - d_x lies in D. What is orthogonal to it has a factor; by hand it is sqrt(k + (k + 1) m a^2) (x' + s')."""
    system = rail("a(y)*(x' + s')")
    symmetry, (found,), whole = searched(system)
    words = system.vocabulary
    square = parse("(x' + s')^2*(k + (k + 1)*m*a(y)^2)", words)
    assert is_zero(found.momentum**2 * parse("(k + 1)^2", words) - square).holds
    assert is_zero(whole(square)).holds
    assert is_zero(whole(parse("(x' + s')^2*(k + m*a(y)^2)", words))).holds is False
    # its field lies in the orbits: it is an orphaned integral that the search for first integrals had missed
    assert symmetry.orphaned == (found.momentum,)
    assert symmetry.missing == 0


def test_a_combination_of_sections_that_is_not_evident():
    """The momenta of a skate are those of moving along the blade, and of turning about the point of contact."""
    skate = gallery.load("skateboard").but(lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2", symmetry=PLANE)
    symmetry, found, whole = searched(skate)
    assert symmetry.semi_hamiltonian == ()
    assert len(found) == 2
    words = skate.vocabulary
    turning = [g for g in found if is_zero(g.momentum - parse("I*phi'", words)).holds]
    assert len(turning) == 1
    assert [is_zero(c - parse(e, words)).holds for c, e in zip(turning[0].coefficients, ("y", "-x", "1"), strict=True)]
    assert all(is_zero(whole(g.momentum)).holds for g in found)
    assert is_zero(whole(skate.v[0])).holds is False


@pytest.mark.parametrize("slope", ["y*x' + y^2*s'", "x'*s'"])
def test_none_is_invented(slope):
    _, found, _ = searched(rail(slope))
    assert found == []


def test_the_sleigh_has_none():
    _, found, _ = searched(gallery.load("chaplygin-sleigh"))
    assert found == []
