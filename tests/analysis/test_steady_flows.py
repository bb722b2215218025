"""Linear parts of systems in no gallery against the derivative of g(T)^-1 o flow_T, by differences of motions."""

import numpy as np
import pytest
from steady_flow import by_the_flow

from dalembert import System, derive, steady

OWN = {
    "governor with a loaded sleeve": (
        {
            "coordinates": {"s": "angle", "a": "angle"},
            "parameters": {"m": 0.4, "M": 1.1, "l": 0.3, "I": 0.02, "g": 9.81, "c": 0.05},
            "lagrangian": "I*s'^2/2 + m*l^2*(a'^2 + sin(a)^2*s'^2) + 2*M*l^2*sin(a)^2*a'^2 + 2*(m + M)*g*l*cos(a)",
            "forces": {"a": "-c*a'"},
        },
        "euler-lagrange",
        {"a": 0.8},
    ),
    "dumbbell in orbit": (
        {
            "coordinates": {"r": "positive", "f": "angle", "b": "angle"},
            "parameters": {"k": 4, "m": 1, "I": 0.3},
            "lagrangian": "m*(r'^2 + r^2*f'^2)/2 + I*(f' + b')^2/2 + k*m/r - k*I/(2*r^3)*(1 - 3*cos(b)^2)",
        },
        "euler-lagrange",
        {"r": 1.3, "b": 0},
    ),
    "tractor with a dragged plough": (
        {
            "coordinates": {"x": "real", "y": "real", "h": "angle", "b": "angle"},
            "parameters": {"m": 3, "J": 0.5, "M": 1, "I": 0.1, "d": 0.4, "e": 0.6, "k": 0.3},
            "lagrangian": "m*(x'^2+y'^2)/2 + J*h'^2/2"
            " + M*((x' + d*h'*sin(h) + e*(h'+b')*sin(h+b))^2"
            " + (y' - d*h'*cos(h) - e*(h'+b')*cos(h+b))^2)/2 + I*(h'+b')^2/2 - k*b^2/2",
            "speeds": {"v": "x'*cos(h)+y'*sin(h)"},
            "constraints": {"axle": "x'*sin(h) = y'*cos(h)"},
            "forces": {"b": "-0.2*b'"},
        },
        "nonholonomic",
        {"v": 1.2, "b": 0},
    ),
    "ball in a bowl that turns": (
        {
            "coordinates": {"x": "real", "y": "real"},
            "parameters": {"w": 1.4, "k": 3, "c": 0.3, "e": 0.1},
            "lagrangian": "(x'^2+y'^2)/2 - k*(x^2+y^2)/2 - e*(x^2+y^2)^2",
            "forces": {"x": "-c*(x' + w*y)", "y": "-c*(y' - w*x)"},
        },
        "euler-lagrange",
        {"x": 0, "y": 0},
    ),
    "drum with a rocking weight": (
        {
            "coordinates": {"x": "real", "f": "angle", "q": "angle"},
            "parameters": {"m": 2, "I": 0.1, "R": 0.3, "M": 0.5, "l": 0.15, "g": 9.81, "s": "1/10"},
            "lagrangian": "m*x'^2/2 + I*f'^2/2 + M*((x' + l*q'*cos(q))^2 + (l*q'*sin(q))^2)/2 + M*g*l*cos(q)",
            "constraints": {"rolls": "x' = R*f'"},
        },
        "nonholonomic",
        {"f'": 2, "q": 0},
    ),
    "blade on a turning table": (
        {
            "coordinates": {"x": "real", "y": "real", "h": "angle"},
            "parameters": {"m": 1, "J": 0.2, "k": 2, "W": 0.6},
            "lagrangian": "m*(x'^2+y'^2)/2 + J*h'^2/2 - k*(x^2+y^2)/2",
            "constraints": {"blade": "(x' + W*y)*sin(h) = (y' - W*x)*cos(h)"},
        },
        "nonholonomic",
        {},
    ),
}
"""Tables, formalism, and what is held."""


@pytest.mark.thorough
@pytest.mark.parametrize("name", OWN)
def test_linear_parts_of_other_systems_are_those_of_the_flow(name):
    tables, formalism, at = OWN[name]
    result = derive(System.of(name=name, **tables), formalism)
    motion = steady(result, at=at, exact=False).motions[0]
    flow, own = by_the_flow(result, motion.state, motion.turning, 0.5)
    for value in np.exp(own * 0.5):
        assert np.abs(flow - value).min() < 2e-6
    assert any(np.abs(flow - value).min() > 1e-3 for value in np.exp(own * 0.55))  # the wrong twin


def test_what_rests_where_nothing_turns_it_is_found_once():
    """At the middle of a bowl a turn moves nothing: how fast the motion goes along it says nothing."""
    tables, formalism, at = OWN["ball in a bowl that turns"]
    found = steady(derive(System.of(name="bowl", **tables), formalism), at=at, exact=False)
    assert len(found.motions) == 1
