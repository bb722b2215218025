"""Rates of momenta in the form of the coadjoint action."""

import pytest

from dalembert import System
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.derivation import derive
from dalembert.present.motion_equations import by_momenta

CRAFT = System.of(
    name="craft with a fin and a tank",
    coordinates={"x": "real", "y": "real", "h": "angle", "a": "angle", "s": "real"},
    parameters={"m": 3, "J": 2, "n": 1, "l": 0.4, "k": 5},
    lagrangian=(
        "m*(x'^2 + y'^2)/2 + J*h'^2/2 + n*((x' - l*(h' + a')*sin(h + a))^2 + (y' + l*(h' + a')*cos(h + a))^2)/2"
        " + n*((x' + s'*cos(h) - s*h'*sin(h))^2 + (y' + s'*sin(h) + s*h'*cos(h))^2)/2 - k*s^2/2 - k*(1 - cos(a))"
    ),
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "h": 1}},
)


@pytest.fixture(scope="module")
def equations():
    return derive(CRAFT, "reduced").equations


def test_rates_of_momenta_are_told_by_momenta_and_velocities_and_are_the_same(equations):
    meanings = {p: meaning for p, (meaning, _) in equations.momenta.items()}
    assert len(meanings) == 3
    for _, rate in equations.momenta.values():
        told = by_momenta(rate, equations)
        assert symbols([told]) & {p.data for p in meanings}
        assert vanish([substitute([told], meanings)[0] - rate])


def test_a_rate_that_is_not_of_this_form_is_left_alone(equations):
    rate = next(rate for _, rate in equations.momenta.values())
    a = next(q for q in equations.kinematics if q.data.name == "a")
    assert by_momenta(rate + a, equations) is None
