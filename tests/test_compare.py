"""Nonholonomic against vakonomic: the law that ties them, when they coincide, motions side by side."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import gallery
from dalembert.analysis.compare import Comparison, compare
from dalembert.expr.truth import is_zero
from dalembert.model.system import System

FLAT = System.of(
    name="holonomic in disguise",
    coordinates="x y z",
    parameters={"m": 1},
    lagrangian="m*(x'^2 + y'^2 + z'^2)/2 - x*y - z^2",
    constraints={"surface": "z' = x*x' + y*y'"},
    start={"x": 0.4, "y": -0.2, "x'": 0.3, "y'": 0.5},
    run={"time": 2},
)


@pytest.fixture(scope="module")
def skate() -> Comparison:
    return compare(gallery.load("skateboard"))


@pytest.fixture(scope="module")
def disc() -> Comparison:
    return compare(gallery.load("vertical-rolling-disc").but(parameters={"m": 1, "R": 0.8, "I1": 0.6, "I2": 0.4}))


def verdicts(comparison: Comparison) -> dict[str, bool | None]:
    return {claim.name: claim.verdict.holds for claim in comparison.claims}


@pytest.mark.parametrize("name", ["affine-time", "general-particle"])
def test_the_difference_is_the_curvature_times_lambda(name: str) -> None:
    found = verdicts(compare(gallery.load(name)))
    assert found["difference"] is True
    assert found["every motion"] is False


def test_involutive_constraints_give_the_same_motions() -> None:
    both = compare(FLAT)
    assert verdicts(both) == {"difference": True, "remark 1": None, "involutive": True, "every motion": True}
    motions = both.motions({"surface": 0.7})
    assert motions.claim.verdict.kind == "measured"
    assert np.max(motions.distance) < 1e-9


def test_skate(skate: Comparison) -> None:
    found = verdicts(skate)
    assert found == {"difference": True, "remark 1": True, "involutive": False, "every motion": False}
    motions = skate.motions({"blade": 0.4}, 4.0, samples=9)
    plane = np.hypot(motions.by_coordinate["x"], motions.by_coordinate["y"])
    wanted = {0.5: 7.98e-2, 1.0: 0.5594, 2.0: 0.5412, 4.0: 5.069}
    for t, apart in wanted.items():
        assert abs(plane[int(2 * t)] - apart) < 6e-4
    assert motions.claim.verdict.kind == "refuted"
    assert motions.distance[0] == 0


def test_skate_leaves_slowly(skate: Comparison) -> None:
    """From lambda = 0: the angle by l v t^3 / (6 I), with l = g cos(phi) + m v w."""
    motions = skate.motions(time=0.02, samples=3)
    rate = 2 * np.cos(0.3) + 1.2 * 0.5
    assert abs(motions.by_coordinate["phi"][-1] / (rate * 1.2 * 0.02**3 / (6 * 0.7)) - 1) < 0.02


def test_disc_moves_alike_for_vanishing_momenta(disc: Comparison) -> None:
    """Remark 1 fails without the Main Hypothesis: with mu = 0 the motion is both, and turns."""
    start = {"psi": 0.5, "phi'": 1.1, "psi'": 0.9}
    same = disc.motions({**start, "p.x": 0.0, "p.y": 0.0}, 4.0)
    assert same.claim.verdict.kind == "measured"
    assert np.max(same.force) < 1e-12
    assert abs(same.vakonomic["x"][-1] + 1.26886481) < 1e-7
    other = disc.motions({**start, "p.x": 0.7, "p.y": -0.3}, 4.0)
    assert other.claim.verdict.kind == "refuted"
    assert abs(other.vakonomic["x"][-1] - 0.59054039) < 1e-7
    assert np.max(other.force) > 0.1
    assert verdicts(disc)["remark 1"] is None


def test_particle_in_its_potential() -> None:
    both = compare(gallery.load("particle-in-potential"))
    motions = both.motions({"slope": 0.25}, 2.0, samples=3)
    for name, mine, other in (
        ("x", 1.15145807, 1.10813526), ("y", -1.84835513, -1.84126567), ("z", 0.08587385, 0.13799866),
    ):  # fmt: skip
        assert abs(motions.vakonomic[name][-1] - mine) < 1e-7
        assert abs(motions.nonholonomic[name][-1] - other) < 1e-7


def test_equations_side_by_side(skate: Comparison) -> None:
    both = skate.side_by_side()
    assert list(both["nonholonomic"]) == list(both["vakonomic"]) == ["x", "y", "phi"]
    phi = skate.system.v[2].dot
    inertia = skate.system.vocabulary["I"]
    assert is_zero(both["nonholonomic"]["phi"] + inertia * phi).holds is True
    assert is_zero(both["vakonomic"]["phi"] + inertia * phi).holds is False


def test_a_nonlinear_constraint() -> None:
    """Appell and Hamel's: with the same start both fall along a line, and by different laws unless lambda is right."""
    pulley = System.of(
        name="pulley",
        coordinates="x y z",
        parameters={"a": 0.5, "g": 3},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z + x*y/4",
        constraints={"rope": "z' = a*sqrt(x'^2 + y'^2)"},
        start={"x'": 3, "y'": 4, "z'": 2.5},
        run={"time": 0.3},
    )
    both = compare(pulley)
    assert verdicts(both)["difference"] is True
    assert verdicts(both)["every motion"] is False
    motions = both.motions({"rope": 0.6})
    assert motions.claim.verdict.kind == "refuted"
    assert motions.distance[0] < 1e-12
    assert motions.distance[-1] > 1e-5
