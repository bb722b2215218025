"""C/G beside directions: all their velocities are kept, with what they obey: no frame along a sphere is needed."""

import pytest

from dalembert import System, claims, derive

TURNS = {f"e{k}": {"R": f"left {k}", "n": f"left {k}"} for k in (1, 2, 3)}
SYSTEMS = {
    "pointer on a body": {
        "coordinates": {"R": "rotation", "n": "direction"},
        "lagrangian": "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + (n.x'^2 + n.y'^2 + n.z'^2)/2"
        " - (n.x*R.e3x + n.y*R.e3y + n.z*R.e3z)",
        "parameters": "A B C",
        "constraints": {"blade": "R.w3 = 0"},
        "symmetry": TURNS,
    },
    "needle that drives a dial": {
        "coordinates": {"n": "direction", "a": "angle"},
        "lagrangian": "m*(n.x'^2 + n.y'^2 + n.z'^2)/2 + a'^2/2 - n.z",
        "parameters": "m",
        "constraints": {"drives": "a' = n.z*n.x' - n.x*n.z'"},
        "symmetry": {"dial": {"a": 1}},
    },
    "needle and cart": {
        "coordinates": {"n": "direction", "x": "real"},
        "lagrangian": "(n.x'^2 + n.y'^2 + n.z'^2)/2 + x'^2/2 - n.z",
        "constraints": {"pulls": "x' = n.x*n.y' - n.y*n.x'"},
        "symmetry": {"shift": {"x": 1}, "turn": {"n": "left 3"}},
    },
}


def test_a_pointer_is_seen_from_its_body():
    found = derive(System.of(name="pointer", **SYSTEMS["pointer on a body"]), "semisymplectic").reduce()
    relations = [repr(e) for e in found.relations]
    assert relations[1:] == ["R.w3", "n_in_R.x*n_in_R.x' + n_in_R.y*n_in_R.y' + n_in_R.z*n_in_R.z'"]
    assert repr(found.shown_momenta[3]) == "n_in_R.x' + n_in_R.z*R.w2"


@pytest.mark.thorough
@pytest.mark.parametrize("which", SYSTEMS)
def test_bracket_and_motion_are_those_of_the_form(which):
    result = derive(System.of(name=which, **SYSTEMS[which]), "semisymplectic")
    said = {claim.name: claim.verdict.holds for claim in claims(result) if claim.name.startswith("reduced")}
    assert said.pop("reduced system is symplectic") is (which == "needle and cart")
    assert len(said) >= 3
    assert all(said.values())
