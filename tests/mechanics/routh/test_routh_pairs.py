"""Two coordinates that are turned with a body about one axis: the body is seen from axes that are made of the pair."""

import pytest

from dalembert import System, claims, derive, simulate

START = {"R": {"axis": [1, 0.3, 0], "angle": 0.8, "w1": 0.3, "w3": 1}, "x": 0.5, "y": -0.2, "x'": 0.1, "y'": 0.6}
CART = System.of(
    name="a body on a cart",
    coordinates={"R": "rotation", "x": "real", "y": "real"},
    lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2)/2 + (x'^2 + y'^2)/2 - R.m33 - (x - R.m13)^2 - (y - R.m23)^2",
    symmetry={"turn": {"R": "left 3", "x": "-y", "y": "x"}},
    start=START,
)


def test_a_body_is_seen_from_the_azimuth_of_its_cart():
    found = derive(CART, "routh")
    assert not found.undivided
    assert len(found.equations.state) == 9  # and nothing of the azimuth
    assert [q.data.name for q in found.equations.reconstruction] == ["x_y_turn"]


@pytest.mark.thorough
@pytest.mark.parametrize("place", [{}, {"x": 0, "y": 0}], ids=["aside", "on the axis"])
def test_reconstructed_it_is_the_whole_motion(place):
    system = CART.but(start=START | place)
    found, whole = (simulate(derive(system, f), time=2, samples=5) for f in ("routh", "euler-lagrange"))
    for q in "xy":
        assert found[q] == pytest.approx(whole[q], abs=1e-9)
    assert found.rotation("R").matrix == pytest.approx(whole.rotation("R").matrix, abs=1e-9)
    assert ("All of N_mu was followed" in found.message) is bool(place)


@pytest.mark.thorough
def test_its_semi_symplectic_system_is_reduced_too():
    result = derive(CART.but(constraints={"blade": "R.w3 = 0"}, start={"x": 1}), "semisymplectic")
    said = {claim.name: claim.verdict.holds for claim in claims(result) if claim.name.startswith("reduced")}
    assert said["reduced bracket"]
    assert said["reduced motion"]
