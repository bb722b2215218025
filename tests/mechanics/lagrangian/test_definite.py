"""Kinetic energies that are sums of squares, and what bodies carry."""

import pytest

from dalembert import System, claims, derive, equal, gallery
from dalembert.mechanics.lagrangian.definite import definite
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame

BODY = "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"


def body(lagrangian):
    return System.of(
        name="body", coordinates={"R": "rotation", "x": "real"}, parameters="A B C m a", lagrangian=lagrangian
    )


@pytest.mark.parametrize(
    ("lagrangian", "holds"),
    [
        (f"{BODY} + m*(x' + a*R.m33')^2/2", True),
        (f"{BODY} + m*x'^2/2 - m*a*R.m33 + a*R.m12*x'", True),  # a potential, and a term that is linear in velocities
        ("m*(R.s1^2 + R.s2^2 + R.s3^2 + x'^2)", True),  # the rows are the matrix, which is never singular
        (f"{BODY} + m*(R.m33*x')^2/2", None),  # where the third axis lies down it vanishes
        (f"{BODY} - m*x'^2/2", None),
        ("A*R.w1^2 + B*R.w2^2 + C*(R.w1 + R.w2)^2 + m*x'^2", None),
        (f"{BODY} + m*x'*R.w1", None),
    ],
)
def test_what_is_definite_everywhere(lagrangian, holds):
    frame = TangentFrame(body(lagrangian))
    verdict = definite(frame.stated_lagrangian, frame.velocities, frame.facts)
    assert (None if verdict is None else verdict.holds) is holds


def test_a_mass_on_a_body_adds_to_its_inertia_alone():
    """And nothing of columns that meet themselves is left; the twin has a mass that depends on the direction."""
    carried = body(f"{BODY} + m*a^2*(R.m13'^2 + R.m23'^2 + R.m33'^2)/2 + x'^2/2")
    force = derive(carried, "euler-lagrange").equations.force
    plain = body("((A + m*a^2)*R.w1^2 + (B + m*a^2)*R.w2^2 + C*R.w3^2)/2 + x'^2/2")
    assert len(str(force)) < 120
    wanted = derive(plain, "euler-lagrange").equations.force
    assert all(equal(a, b).holds for a, b in zip(force, wanted, strict=True))
    twin = TangentFrame(body(f"{BODY} + m*a^2*(R.m13'^2 + R.m23'^2 + 2*R.m33'^2)/2 + x'^2/2"))
    assert "R.m31" in str(twin.lagrangian)


def test_two_coupled_bodies_are_regular_everywhere():
    result = derive(gallery.load("coupled-bodies"), "euler-lagrange")
    (claim,) = claims(result, only="regular")
    assert claim.statement == "the Lagrangian is regular everywhere"
    assert claim.verdict.kind == "proved"
    assert max(len(str(entry)) for row in TangentFrame(result.system).free.mass for entry in row) < 60
