"""Functions of sums inside sums, wherever a statement can have them: nothing but a refusal comes of them."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalembert import System, derive
from dalembert.errors import DalembertError
from dalembert.mechanics import registry

NAMES = ("q1", "q2", "q3")
FUNCTIONS = ("sin({})", "cos({})", "exp({})", "sqrt(4 + ({})^2)", "({})^3", "atan({})", "tanh({})", "log(5 + ({})^2)")


def nested(draw: Random, depth: int = 0) -> str:
    """Return a sum with sums inside, as text, so that the brackets stay."""
    if depth > 2 or draw.random() < 0.3:
        return draw.choice(NAMES)
    left, right = nested(draw, depth + 1), nested(draw, depth + 1)
    ways = (
        "({0} + {1})",
        "({0} - {1})",
        "(2*({0}) + {1})",
        "({0} + 0.3)",
        "(1.57079 - {0})",
        "(1.2345678*({0}) + {1})",
    )
    return draw.choice(ways).format(left, right)


def formula(draw: Random) -> str:
    """Return a sum of functions of such sums."""
    return " + ".join(draw.choice(FUNCTIONS).format(nested(draw)) for _ in range(draw.randint(1, 3)))


def statement(draw: Random, place: str) -> System:
    """Return a system that has one in a constraint, in L or in a force."""
    kinetic = "(q1'^2 + q2'^2 + 2*q3'^2)/2"
    parts = {
        "holonomic": {"holonomic": [f"{formula(draw)} - 1"], "lagrangian": kinetic},
        "constraint": {"constraints": [f"({formula(draw)})*q1' + q2' = {formula(draw)}*q3'"], "lagrangian": kinetic},
        "lagrangian": {"lagrangian": f"{kinetic} - ({formula(draw)})"},
        "metric": {"lagrangian": f"{kinetic} + ({formula(draw)})^2*q1'^2"},
        "force": {"lagrangian": kinetic, "forces": {"q2": formula(draw)}},
    }[place]
    return System.of(name="nested", coordinates=dict.fromkeys(NAMES, "real"), **parts)


PLACES = ("holonomic", "constraint", "lagrangian", "metric", "force")


def test_an_angle_is_the_same_however_its_sum_is_written():
    """The cosines of (a + b) + c and of a + b + c stand in a frame that was found, and in the matrix that it spans."""
    system = System.of(
        name="loop",
        coordinates=dict.fromkeys(NAMES, "angle"),
        lagrangian="(q1'^2 + q2'^2 + q3'^2)/2",
        holonomic=["cos(q1) + cos((q1 + q2) + q3) - 1"],
    )
    assert len(derive(system, "nonholonomic").equations.state) == 5


def test_exponents_with_decimals_are_derived():
    """They have no small common ratio: as powers of one exponential they would have degrees of millions."""
    system = System.of(
        name="decimals",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - 1.7*(1 - exp(-1.2345678*(x - 0.74)))^2"
        " - 0.31*(1 - exp(-0.7071*((x - y) - 1.1)))^2 - sqrt(1 + exp(-1.2345678*x))*cos(0.333333*(x + y) + 1.57079)",
        constraints=["x'*exp(-1.2345678*(x + y)) + y'*sqrt(1 + exp(0.5*x)) = 0"],
    )
    assert derive(system, "nonholonomic").equations.state


@pytest.mark.parametrize("place", PLACES)
@given(draw=st.randoms(use_true_random=False))
def test_functions_of_sums_inside_sums_are_derived_or_refused(place, draw):
    try:
        system = statement(draw, place)
    except DalembertError:  # a constraint without a solution
        return
    for name in draw.sample(list(registry.formalism_names()), 2):
        with suppress(DalembertError):  # a refusal is an answer
            assert derive(system, name).equations.formalism == name
