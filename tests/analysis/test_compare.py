"""Nonholonomic against vakonomic: the law that ties them, when they coincide, motions side by side."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from dalembert import gallery, simulate
from dalembert.analysis.compare import Comparison, compare
from dalembert.expr import symbol
from dalembert.expr.calculus import define
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import substitute
from dalembert.mechanics.vakonomic.restricted_variations import critical
from dalembert.mechanics.vakonomic.restricted_variations import derive as derive_higher
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
@pytest.mark.thorough("affine-time")
def test_the_difference_is_the_curvature_times_lambda(name: str) -> None:
    found = verdicts(compare(gallery.load(name)))
    assert found["difference"] is True
    assert found["every motion"] is False


def test_involutive_constraints_give_the_same_motions() -> None:
    both = compare(FLAT)
    assert verdicts(both) == {"difference": True, "remark 1": None, "involutive": True, "every motion": True}
    motions = both.motions({"surface": 0.7})
    assert motions.same is True
    assert motions.claim.verdict.kind == "measured"
    assert motions.claim.statement == "both motions from this start are the same"
    assert np.max(motions.distance) < 1e-9


@pytest.mark.parametrize(("rate", "holds"), [("t*x'", False), ("t^2*x'", False), ("x + t*x'", True), ("2*x'", True)])
def test_constraints_that_move_are_involutive_in_space_and_time(rate: str, holds: bool) -> None:
    """At each time y' = t*x' leaves one direction, which is involutive; it is none on positions and time."""
    flat = System.of(name="flat", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", constraints={"c": f"y' = {rate}"})
    found = verdicts(compare(flat))
    assert found["involutive"] is holds
    assert found["every motion"] is holds


def test_skate(skate: Comparison) -> None:
    found = verdicts(skate)
    assert found == {"difference": True, "remark 1": True, "involutive": False, "every motion": False}
    motions = skate.motions({"blade": 0.4}, 4.0, samples=9)
    plane = np.hypot(motions.by_coordinate["x"], motions.by_coordinate["y"])
    wanted = {0.5: 7.98e-2, 1.0: 0.5594, 2.0: 0.5412, 4.0: 5.069}
    for t, apart in wanted.items():
        assert abs(plane[int(2 * t)] - apart) < 6e-4
    assert motions.same is False
    assert motions.claim.statement == "the motions from this start are different"
    assert motions.claim.verdict.kind == "measured"  # a number refutes nothing: what it shows is what is said
    assert motions.distance[0] == 0


def test_skate_leaves_slowly(skate: Comparison) -> None:
    """From lambda = 0: the angle by l v t^3 / (6 I), with l = g cos(phi) + m v w."""
    motions = skate.motions(time=0.02, samples=3)
    rate = 2 * np.cos(0.3) + 1.2 * 0.5
    assert abs(motions.by_coordinate["phi"][-1] / (rate * 1.2 * 0.02**3 / (6 * 0.7)) - 1) < 0.02
    assert motions.same is False  # they are 5e-6 apart, which is little, but no error


def test_disc_moves_alike_for_vanishing_momenta(disc: Comparison) -> None:
    """Remark 1 fails without the Main Hypothesis: with mu = 0 the motion is both, and turns."""
    start = {"psi": 0.5, "phi'": 1.1, "psi'": 0.9}
    same = disc.motions({**start, "p.x": 0.0, "p.y": 0.0}, 4.0)
    assert same.same is True
    assert np.max(same.force) < 1e-12
    assert abs(same.vakonomic["x"][-1] + 1.26886481) < 1e-7
    other = disc.motions({**start, "p.x": 0.7, "p.y": -0.3}, 4.0)
    assert other.same is False
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
    assert motions.same is False
    assert motions.distance[0] < 1e-12
    assert motions.distance[-1] > 1e-5


def test_order_two_against_equations_written_by_hand() -> None:
    """The ends are those of E_L + lambda nu = 0, D^3 f = 0 and E_L + lambda E_f = lambda' Omega_f, integrated apart."""
    system = System.of(
        name="a Lagrangian of order two",
        coordinates="x y z",
        parameters={"k": 0.1},
        lagrangian="(x''^2 + y''^2 + z''^2)/2 + x*y'^2",
        constraints={"slope": "z' = y*x' + k"},
    )
    both = compare(system)
    assert verdicts(both) == {"difference": True, "remark 1": True, "every motion": False}
    start = {"y": 0.2, "x'": 1, "y'": 0.5, "x''": 0.3, "y''": -0.2, "x'''": 0.1, "y'''": 0.4}
    motions = both.motions({**start, "slope": 0.3}, 1.0)
    ends = [[run[name][-1] for name in "xyz"] for run in (motions.nonholonomic, motions.vakonomic)]
    assert np.max(np.abs(np.array(ends[0]) - [1.15069822, 0.70907273, 0.62011064])) < 1e-7
    assert np.max(np.abs(np.array(ends[1]) - [1.14298866, 0.72701724, 0.61957909])) < 1e-7
    own = critical(system, {"slope": {"z": 1, "y": "x'"}})
    jets = {**start, "x": 0, "z": 0, "z'": 0.3, "z''": 0.56, "z'''": 0.12}
    run = simulate(own, jets, 1.0)
    assert np.max(np.abs(np.array([run[n][-1] for n in "xyz"]) - [1.15702380, 0.74490057, 0.63155929])) < 1e-7


def test_nonholonomic_elastica_has_the_curvature_of_the_paper() -> None:
    """For F = kappa^2 the nonholonomic equation is kappa'' = -kappa^3/2; with + it is another curve."""
    bent = gallery.load("elastica").but(functions={"F": {"of": ["k"], "value": "k^2"}})
    motion = derive_higher(bent)
    a, b = symbol("a"), symbol("b")
    x, y = bent.q
    values = {x.dot: 1 + 0 * a, y.dot: 0 * a, x.dot.dot: 0 * a, y.dot.dot: a, x.dot.dot.dot: -(a**2), y.dot.dot.dot: b}
    fourth = define(motion.highest, bent.definitions)
    across = substitute([fourth[1]], values)[0]  # y'''' = kappa'' - kappa^3 where the curve runs along x
    assert is_zero(across + a**3 * Fraction(3, 2)).holds is True
    assert is_zero(across + a**3 / 2).holds is False


def test_a_start_where_the_first_chart_of_the_constraint_ends() -> None:
    """x x' + y y' = 0 gives no y' at y = 0: the nonholonomic motion begins in another chart. Both are the same."""
    pendulum = System.of(
        name="pendulum", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - y", holonomic={"rod": "x^2 + y^2 = 1"}
    )
    motions = compare(pendulum).motions({"x": 1, "y": 0, "y'": 0.3}, 2.0)
    assert len(motions.t) == 201
    assert motions.claim.verdict.kind == "measured"
    assert abs(motions.nonholonomic["x"][-1] - 0.247381785) < 1e-7
