"""What a search finds of the full motion is known of the reduced one: no integral is missed that is known."""

from dataclasses import replace

import pytest

from dalembert import System, claims, derive
from dalembert.analysis.motions import Motions
from dalembert.geometry.integrals import independent
from dalembert.mechanics.registry import formalism
from dalembert.numerics.wording import NameResolver

SKATE = {
    "coordinates": {"y": "real", "z": "real", "h": "angle"},
    "parameters": {"b": 2, "k": 1, "J": 3},
    "constraints": {"edge": "z'*cos(h) = y'*sin(h)"},
}
SPRING = "y'^2/2 + z'^2/2 + h'^2/2 - k*(b*sin(h) - y)^2/2"
EULER = {"w1": "ph'*sin(th)*sin(ps) + th'*cos(ps)", "w2": "ph'*sin(th)*cos(ps) - th'*sin(ps)"}
KHARLAMOVA = {
    "coordinates": {"th": "angle", "ps": "angle", "ph": "angle"},
    "parameters": {"A": 1, "B": 2, "b": 1, "c": 3},
    "let": EULER,
    "constraints": {"no_spin": "ps' + ph'*cos(th) = 0"},
    "lagrangian": "(A*w1^2 + B*w2^2)/2 - sin(th)*(b*sin(ps) + c*cos(ps))",
}
KNOWN = {
    "Suslov's body in Kharlamova's field": (KHARLAMOVA, "A*b*w1 + B*c*w2"),
    "a skate with a spring to its rudder": ({**SKATE, "lagrangian": SPRING}, "h' + b*(y'*cos(h) + z'*sin(h))"),
}


@pytest.mark.thorough("a skate with a spring to its rudder", "Suslov's body in Kharlamova's field")
@pytest.mark.parametrize("name", KNOWN)
def test_integrals_of_the_full_motion_are_known_below(name):
    tables, integral = KNOWN[name]
    system = System.of(name=name, **tables)  # nothing is stated of its symmetry
    result = derive(system, "chaplygin")
    own = replace(result.measure, above=tuple).find_integrals()
    assert [one.name for one in own] == ["energy"]  # a quotient by cosines is not searched below
    (claim,) = claims(result, only="integrable by quadratures")
    assert claim.verdict.holds
    found = result.measure.find_integrals()
    # what theory knows, by the reconstruction, is a function of what was found
    known = NameResolver(result.equations, system).expression(integral)
    places = [*result.measure.base.chart.coordinates, *result.measure.base.velocities]
    functions = [one.expression for one in found]
    assert len(independent([*functions, known], places)) == len(independent(functions, places)) >= 2
    # and what is known below is constant along the full motions
    told = formalism("chaplygin").integrals(result)
    assert [one.name for one in told] == ["energy", *[""] * (len(told) - 1)]
    assert all(Motions(system, "nonholonomic").keep(one.expression).holds for one in told)
    wrong = replace(result.measure, above=lambda: [places[0]])  # what is no integral is not taken
    assert wrong.find_integrals() == own


def test_a_body_by_its_rotation_has_integrals_with_parameters():
    body = System.of(
        name="Suslov's body by its rotation", coordinates={"R": "rotation"}, parameters=["A", "B", "b", "c"],
        lagrangian="(A*R.w1^2 + B*R.w2^2 + R.w3^2)/2 - b*R.m31 - c*R.m32", constraints={"no_spin": "R.w3 = 0"},
    )  # fmt: skip
    (claim,) = claims(derive(body, "chaplygin"), only="integrable by quadratures")
    assert "2 independent ones among" in claim.verdict.evidence
    assert "A*b*R.w1 + B*c*R.w2" in claim.verdict.evidence.replace("b*A", "A*b").replace("c*B", "B*c")
