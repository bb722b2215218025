"""Discrete Routh reduction: reduced steps with their reconstruction against the whole variational integrator."""

import numpy as np
import pytest
from geometric_systems import AROUND

from dalembert import derive, gallery
from dalembert.errors import HypothesisError
from dalembert.model.system import System
from dalembert.numerics.geometric import march

HELICAL = System.of(
    name="bead in a helical field, with a wheel",
    coordinates={"x": "real", "y": "real", "z": "real", "a": "angle"},
    parameters={"c": 0.5, "J": 0.3},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 + J*(a' + x*y' - y*x')^2/2 - (x^2 + y^2)^2/8 + (x*y' - y*x')*z'/5",
    symmetry={"screw": {"x": "-y", "y": "x", "z": "c"}, "spin": {"a": 1}},
    start={"x": 1, "y": 0.1, "z": 0, "a": 0, "x'": 0.3, "y'": 0.5, "z'": 0.2, "a'": 0.7},
)
HINGED = System.of(
    name="double spherical pendulum",
    coordinates={"a": "angle", "b": "angle", "c": "angle", "d": "angle"},
    parameters={"g": 9.81, "k": 0.7},
    let={
        "X": "sin(a)*cos(b)", "Y": "sin(a)*sin(b)", "Z": "-cos(a)",
        "U": "X + k*sin(c)*cos(b + d)", "V": "Y + k*sin(c)*sin(b + d)", "W": "Z - k*cos(c)",
    },
    lagrangian="(X'^2 + Y'^2 + Z'^2 + U'^2 + V'^2 + W'^2)/2 - g*(Z + W)",
    symmetry={"turn": {"b": 1}},
    start={"a": 0.6, "b": 0.1, "c": 0.9, "d": 0.5, "a'": 0.2, "b'": 1.1, "c'": 0, "d'": -0.3},
)  # fmt: skip


def apart(system, **more):
    """Return how far the reduced motion, reconstructed, is from the whole one in the stated coordinates."""
    part = march(derive(system, "routh"), method="discrete-routh", **more)
    whole = march(system, **more)
    assert part.success
    assert whole.success
    return max(abs(part[q.data.name] - whole[q.data.name]).max() for q in system.q), part


@pytest.mark.parametrize(
    ("system", "order", "time"),
    [(AROUND, 2, 5), (AROUND, 4, 5), (HELICAL, 2, 3), (gallery.load("quartic"), 2, 1), (HINGED, 2, 1.5)],
)
@pytest.mark.thorough("system1-4-5", "system2-2-3", "system4-2-1.5")
def test_reduced_steps_and_their_reconstruction_are_the_whole_integrator(system, order, time):
    distance, part = apart(system, time=time, step=0.025, order=order)
    assert distance < 3e-13
    assert part.names[-1] in ("phi", "a", "b")  # what was divided out comes last, and is reconstructed


def test_the_momentum_is_a_number_and_other_steps_are_not_these():
    run = march(derive(AROUND, "routh"), None, 50, step=0.1, method="discrete-routh")
    momentum = run["x"] * run["y'"] - run["y"] * run["x'"] + (1 + run["z"] ** 2) * (run["x"] ** 2 + run["y"] ** 2) / 3
    assert np.ptp(momentum) < 5e-15
    assert np.ptp(run["energy"]) > 1e-5
    # the wrong twin: Gauss' rule in polar coordinates is another integrator, as near to the motion and not the same
    polar = System.of(
        name="the same in polar coordinates",
        coordinates={"r": "positive", "p": "angle", "z": "real"},
        lagrangian="(r'^2 + r^2*p'^2 + z'^2)/2 + (1 + z^2)*r^2*p'/3 - r^2/2 - (r^2 + z^2)^2/4",
        start={"r": run["r"][0], "r'": run["r'"][0], "p": run["phi"][0], "z": 0.2, "z'": 0.4,
               "p'": (run["x"] * run["y'"] - run["y"] * run["x'"])[0] / run["r"][0] ** 2},
    )  # fmt: skip
    other = march(polar, None, 1, step=0.1)
    assert 1e-5 < abs(other["r"] - run["r"][:11]).max() < 1e-2


def test_what_is_no_hypothesis_of_the_reduction_is_refused_by_name():
    def refusal(of):
        with pytest.raises(HypothesisError) as caught:
            march(of, None, 1, step=0.1, method="discrete-routh")
        assert isinstance(of, System) or "The theorem asks for" in str(caught.value)
        return str(caught.value)

    assert "derive them, by routh" in refusal(AROUND)
    assert "no momentum put in; derive them by routh" in refusal(derive(AROUND, "euler-lagrange"))
    assert "e1 with e3, e2 with e3: they do not commute" in refusal(derive(gallery.load("se2-routh"), "routh"))
    charge = System.of(
        name="charge", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2 + x*y' - z^4",
        symmetry={"px": {"x": 1}, "py": {"y": 1}}, momentum={"px": 0.3, "py": 0.2},
    )  # fmt: skip
    assert "[symmetry] px: L is invariant under it only up to a total derivative" in refusal(derive(charge, "routh"))
    curled = System.of(
        name="curled", coordinates="x y", lagrangian="x'^2/2 + (y' - x^2*x')^2/2 - (y - x^3/3)^2",
        symmetry={"s": {"x": 1, "y": "x^2"}}, start={"x'": 1},
    )  # fmt: skip
    assert "[symmetry] s: it is no affine map" in refusal(derive(curled, "routh"))
