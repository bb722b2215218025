"""One generator that turns two bodies on different sides, or about different axes: they are seen from each other."""

import pytest

from dalembert import System, claims, derive, refusals, simulate

SPIN = "(R.{u}1^2 + 2*R.{u}2^2 + 3*R.{u}3^2)/2 + (S.{v}1^2 + 2*S.{v}2^2 + 3*S.{v}3^2)/2"
PAIRS = {
    "sides": ("w", "s", "R.m11*S.m11 - R.m21*S.m12", {"R": "left 3", "S": "right 3"}),
    "sides and axes": ("w", "s", "R.m11*S.m12 - R.m21*S.m13", {"R": "left 3", "S": "right 1"}),
    "axes of space": ("w", "w", "R.m11*S.m21 + R.m21*S.m31", {"R": "left 3", "S": "left 1"}),
    "own axes": ("s", "s", "R.m12*S.m13 + R.m13*S.m11", {"R": "right 1", "S": "right 2"}),
}
START = {"R.w1": 0.3, "R.w2": 0.8, "S": {"euler": "ZXZ", "angles": [0.3, 0.9, 0.2], "w1": -0.3, "w2": 0.5, "w3": 0.7}}


def pair(which):
    u, v, coupling, turns = PAIRS[which]
    return System.of(name=which, coordinates={"R": "rotation", "S": "rotation"}, symmetry={"gear": turns}, start=START,
                     lagrangian=f"{SPIN.format(u=u, v=v)} - ({coupling})")  # fmt: skip


def test_the_gear_is_divided_out():
    found = derive(pair("sides"), "reduced")
    assert found.group == ("gear",)
    assert [q.data.name for q in found.equations.velocities][3:] == [f"S_aligned_in_R.w{k}" for k in (1, 2, 3)]


@pytest.mark.thorough
@pytest.mark.parametrize("which", PAIRS)
def test_reduced_it_is_the_whole_motion(which):
    found = derive(pair(which), "reduced")
    assert all(claim.verdict.holds for claim in claims(found))


@pytest.mark.thorough
@pytest.mark.parametrize("which", PAIRS)
def test_on_a_level_of_its_momentum_velocities_of_the_quotient_are_known(which):
    found = derive(pair(which), "routh")
    assert not found.undivided
    assert all(claim.verdict.holds for claim in claims(found))


@pytest.mark.thorough
@pytest.mark.parametrize("formalism", ["reduced", "routh"])
def test_reconstructed_it_is_the_whole_motion(formalism):
    system = pair("sides and axes")
    found, whole = (simulate(derive(system, f), time=2, samples=5) for f in (formalism, "euler-lagrange"))
    for name in "RS":
        assert found.rotation(name).matrix == pytest.approx(whole.rotation(name).matrix, abs=1e-9)


def test_a_coupling_that_the_gear_does_not_keep_is_refused():
    broken = pair("sides").but(lagrangian=pair("axes of space").lagrangian)
    assert any("invariant" in fault.what for fault in refusals(broken, "reduced"))
