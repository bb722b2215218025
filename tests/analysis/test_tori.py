"""Theorem 7.1 of 003: tori by quadrature, met by long motions, by separated variables, and by dE = Omega dJ."""

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, discover, gallery
from dalembert.analysis.discovery import invariant_torus
from dalembert.analysis.discovery.tori import level_surface, torus_on
from dalembert.errors import DalembertError

SPRINGS = System.of(
    name="a mass on two hard springs",
    coordinates="x y",
    lagrangian="(x'^2 + y'^2)/2 - x^4 - 3*y^6",
    start={"x": 1, "y": 0.7, "x'": 0.3},
)
RUBBER = System.of(
    name="rubber",
    coordinates={"x": "real", "y": "real", "R": "rotation"},
    parameters={"m": 1.1, "b": 0.6, "I1": 0.5, "I2": 0.7, "I3": 0.9},
    lagrangian="m*(x'^2 + y'^2)/2 + (I1*R.w1^2 + I2*R.w2^2 + I3*R.w3^2)/2",
    constraints={"a": "x' = b*R.s2", "b": "y' = -b*R.s1", "c": "R.s3 = 0"},
    start={"R": {"euler": "ZXZ", "angles": [0, 1, 0], "s1": 0.5, "s2": -0.8}},
)


def period(energy: float, factor: float, power: int) -> float:
    """Return the period of x'^2/2 + factor x^power = energy, with x = a sin(angle): 4 times a quarter of it."""
    top = (energy / factor) ** (1 / power)
    angle = (np.arange(4000) + 0.5) * np.pi / 8000
    x = top * np.sin(angle)
    whole = sum((x / top) ** (2 * k) for k in range(power // 2))  # (1 - s^power)/(1 - s^2), s = x/top
    return float(4 * top * (np.pi / 8000) * (1 / np.sqrt(2 * energy * whole)).sum())


@pytest.fixture(scope="module")
def found():
    return discover(SPRINGS)


@pytest.fixture(scope="module")
def torus(found):
    return invariant_torus(SPRINGS, found=found, returns=300)


@pytest.mark.thorough
def test_separated(found, torus):
    """The ratio of frequencies is that of the periods of the two springs; a density that is none shows."""
    along, across = period(1 + 0.09 / 2, 1, 4), period(3 * 0.7**6, 3, 6)
    ratios = {abs(k - (along / across) % 1) for k in (torus.rotation, 1 - torus.rotation)}
    assert min(ratios) < 1e-11
    assert abs(torus.mean_return - along) < 1e-11
    assert torus.verdict.kind == "measured"
    assert abs(torus.measured_rotation - torus.rotation) < 1e-10
    surface, called, modulo = level_surface(SPRINGS, found)
    wrong = replace(surface, density=surface.density * (3 + surface.functions[1]))
    failed = torus_on(wrong, called, ["E", "F"], modulo, 20, {})
    assert failed.verdict.kind == "undecided"
    assert failed.rotation_error > 1e-3


@pytest.mark.thorough
def test_actions(found, torus):
    """dE = Omega_1 dJ_1 + Omega_2 dJ_2, which ties the actions to frequencies that were found without them."""
    step = 1e-4
    more, less = (invariant_torus(SPRINGS, {"y": 0.7 + h}, found=found, returns=4) for h in (step, -step))
    raised = next(iter(more.levels.values())) - next(iter(less.levels.values()))
    moved = np.subtract(more.actions, less.actions)
    assert abs(raised / (torus.frequencies @ moved) - 1) < 1e-6
    assert abs(raised / (torus.frequencies @ (moved * [1, -1])) - 1) > 1e-3


def test_phi(torus):
    """Phi is smooth and periodic, and its integral over one turn of phi_1 is the time between two crossings."""
    torus = replace(torus, coefficients=np.array([3.0, 0.2 + 0.1j, 0.0]))
    s = np.arange(200) / 200
    for u in (0.0, 0.3):
        swept = torus.phi(2 * np.pi * s, 2 * np.pi * (u + torus.rotation * s)).mean()
        assert abs(swept - torus.return_time(u)) < 1e-6
    assert abs(torus.phi(1.0, 2.0) - torus.phi(1.0 - 2 * np.pi, 2.0 + 2 * np.pi)) < 1e-12


def test_none():
    rough = System.of(name="rough", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - x^4 - x^3*y - 5*x*y^3 - y^4")
    with pytest.raises(DalembertError, match="1 more integral"):
        invariant_torus(rough, {"x": 1})
    with pytest.raises(DalembertError, match="stands still"):
        invariant_torus(SPRINGS, {"x": 0, "y": 0, "x'": 0})


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["veselova", "chaplygin-ball", "rubber"])
def test_rolling_bodies(name):
    """Quadrature and long motion meet for bodies that no chart was made for; another density does not."""
    system = RUBBER if name == "rubber" else gallery.load(name)
    found = discover(system)
    torus = invariant_torus(system, found=found, returns=1000)
    assert torus.modulo
    assert torus.verdict.kind == "measured"
    assert abs(torus.measured_rotation - torus.rotation) < 1e-8
    assert abs(torus.measured_return / torus.mean_return - 1) < 1e-8
    surface, called, modulo = level_surface(system, found)
    failed = torus_on(replace(surface, density=surface.density**2), called, list(torus.levels), modulo, 20, {})
    assert failed.verdict.kind == "undecided"
