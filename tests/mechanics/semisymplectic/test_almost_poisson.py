"""Brackets that are stated: the form on their image gives them back, and what is no such bracket is refused."""

from dataclasses import replace

import pytest

from dalembert import System, claims, derive
from dalembert.errors import HypothesisError, ModelError
from dalembert.expr import substitute
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.semisymplectic.almost_poisson import gives_the_bracket
from dalembert.mechanics.semisymplectic.canonical_projection import semisymplectic_laws


def body(**more):
    """A free rigid body by its angular momentum."""
    pairs = {"x, y": "-z", "y, z": "-x", "z, x": "-y", "hamiltonian": "(x^2/a + y^2/b + z^2/c)/2"}
    return System.of(name="body", coordinates="x y z", parameters="a b c", bracket={**pairs, **more})


def slope():
    """The particle on z' = y x', by q, p_x + y p_z and p_y: its bracket is no Poisson bracket."""
    pairs = {"x, u": "1", "z, u": "y", "y, p": "1", "u, p": "y*u/(1 + y^2)"}
    energy = "(u^2/(1 + y^2) + p^2)/2"
    return System.of(name="slope", coordinates="x y z u p", bracket={**pairs, "hamiltonian": energy})


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in claims(found)}


def test_a_rigid_body_is_hamiltonian():
    found = derive(body(), "semisymplectic")
    said = verdicts(found)
    assert [said[name] for name in ("bracket", "jacobi", "involutive", "energy conserved")] == [True] * 4
    x, y, z = found.system.q
    assert is_zero(found.field(x**2 + y**2 + z**2)).holds  # the Casimir
    assert found.objects()["jacobiator"] == {}
    wrong = derive(body(**{"x, y": "-2*z"}), "semisymplectic")
    assert verdicts(wrong)["bracket"]
    assert not is_zero(wrong.field(x**2 + y**2 + z**2)).holds


def test_the_bracket_of_a_constrained_particle_is_that_of_its_lagrangian():
    stated = derive(slope(), "semisymplectic")
    said = verdicts(stated)
    assert said["bracket"]
    assert said["jacobi"] is said["involutive"] is False
    particle = System.of(
        name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2", constraints={"slope": "z' = y*x'"}
    )
    derived = derive(particle, "semisymplectic")
    x, y, z, vx, vy = derived.manifold.chart.coordinates
    momenta = {"x": x, "y": y, "z": z, "u": (1 + y**2) * vx, "p": vy}
    images = list(momenta.values())
    names = [q.data.name for q in stated.system.q]
    put = dict(zip(stated.system.q, images, strict=True))
    rows = stated.stated()
    for i, left in enumerate(names):
        for j, right in enumerate(names):
            there = substitute([rows[i][j]], put)[0]
            assert is_zero(derived.manifold.bracket(momenta[left], momenta[right]) - there).holds
    assert all(law.verdict.holds for law in semisymplectic_laws(stated.manifold))


def test_a_form_of_another_bracket_is_seen():
    found, other = derive(body(), "semisymplectic"), derive(body(**{"x, y": "-2*z"}), "semisymplectic")
    assert gives_the_bracket(replace(found, manifold=other.manifold), ProofBudget(0.0)).holds is False


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"x, x": "1", "hamiltonian": "x"}, "no pair of different coordinates"),
        ({"x, y": "1"}, "there is no Hamiltonian"),
        ({"x, y": "1", "y, x": "2", "hamiltonian": "x"}, "the same pair is stated twice"),
        ({"x, y": "x'", "hamiltonian": "x"}, "x' cannot stand in a bracket"),
    ],
)
def test_what_is_no_bracket_is_refused(table, said):
    with pytest.raises(ModelError, match=said):
        System.of(name="b", coordinates="x y", bracket=table)


def test_nothing_is_ignored_beside_a_bracket():
    with pytest.raises(ModelError, match="which gives the motion, this has no meaning"):
        body().but(lagrangian="x'^2/2")
    with pytest.raises(HypothesisError, match="nothing moves"):
        derive(System.of(name="b", coordinates="x y", bracket={"hamiltonian": "x"}), "semisymplectic")
    again = body().but(notes="the same")
    assert again.bracket == body().bracket


def test_stated_generators_of_a_stated_bracket_are_decided():
    spin = {"a, b": "c", "b, c": "a", "a, c": "-b"}
    turns = {"about": {"a": "-b", "b": "a"}, "up": {"c": 1}}

    def said(hamiltonian):
        top = System.of(name="top", coordinates="a b c", bracket={**spin, "hamiltonian": hamiltonian}, symmetry=turns)
        return [claim.verdict.holds for claim in claims(derive(top, "semisymplectic"), only="symmetry")]

    assert said("a^2 + b^2 + c^4") == [True, False]
    assert said("a^2 + 2*b^2") == [False, False]
    with pytest.raises(ModelError, match=r"\[coordinates\]: beside \[bracket\] 'R' has to be numbers"):
        System.of(name="r", coordinates={"R": "rotation"}, bracket={"R.q0, R.q1": "1", "hamiltonian": "R.q0"})
