"""Formalisms that describe the same motion are the same field, decided exactly; a wrong twin is refuted."""

from dataclasses import replace

import pytest

from dalembert import System, derive
from dalembert.analysis.fields import in_stated_coordinates, meetings, same_field
from dalembert.expr import ONE

SCOOTER = System.of(
    name="scooter on a slope",
    coordinates={"x": "real", "y": "real", "theta": "angle", "s": "real"},
    parameters={"m": 1, "J": 2, "k": 3, "w": {"value": 0.2, "sign": "any"}},
    functions={"V": {"of": ["theta", "s"]}},
    lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2 + m*(1 + s^2)*s'^2/2 + k*theta'*s' - V(theta, s)",
    constraints={"blade": "y'*cos(theta) = x'*sin(theta) + w*s'*s"},
    symmetry={"along": {"x": "1"}, "across": {"y": "1"}},
)
DRUM = System.of(
    name="drum",
    coordinates={"r": "positive", "phi": "angle", "z": "real"},
    parameters={"g": 1},
    lagrangian="(r'^2 + r^2*phi'^2 + z'^2)/2 + g*r^2*phi'*z' - r^3",
    symmetry={"turn": {"phi": "1"}, "lift": {"z": "1"}},
)


def derived(system: System, *names: str):
    return {name: derive(system, name).equations for name in names}


@pytest.mark.parametrize(
    ("system", "names"),
    [(SCOOTER, ("semisymplectic", "nonholonomic")), (DRUM, ("routh", "euler-lagrange"))],
    ids=lambda value: getattr(value, "name", ""),
)
def test_every_pair_is_the_same_field_and_a_wrong_twin_is_not(system, names):
    found = derived(system, *names)
    (claim,) = meetings(system, found)
    assert claim.verdict.holds is True
    assert claim.name.endswith("as fields")
    last = next(name for name in ("routh", "semisymplectic") if name in found)
    wrong = replace(found[last], force=(found[last].force[0] + ONE / 7, *found[last].force[1:]))
    (twin,) = meetings(system, {**found, last: wrong})
    assert twin.verdict.holds is False
    assert "the difference of" in twin.verdict.evidence


def test_a_wrong_reconstruction_is_found():
    found = derived(DRUM, "routh", "euler-lagrange")
    name, rate = next(iter(found["routh"].reconstruction.items()))
    wrong = replace(found["routh"], reconstruction={**found["routh"].reconstruction, name: 2 * rate})
    assert same_field(found["euler-lagrange"], found["routh"], DRUM.q).holds is True
    assert same_field(found["euler-lagrange"], wrong, DRUM.q).holds is False
    places, _, accelerations = in_stated_coordinates(found["routh"], DRUM.q)
    assert len(places) == len(accelerations) == 3


def test_vakonomic_motions_are_another_matter():
    found = derived(SCOOTER, "nonholonomic", "vakonomic")
    assert meetings(SCOOTER, found) == []
