"""Reduced and reconstructed motion against the full Euler-Lagrange motion, to 1e-10 over t = 20; momenta stay."""

from __future__ import annotations

import numpy as np
import pytest
from routh_systems import derived

from dalembert.expr import evaluate
from dalembert.expr.readers import Floats
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.routh import Routh
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate

STARTS: dict[str, dict[str, float]] = {
    "se2": {},
    "curved": {},
    "spherical pendulum": {},
    "heavy top": {},
    "kepler": {},
    "magnetic": {},
    "quartic": {},
    "relativistic": {},
    "wong plane": {},
    "wong space": {},
    "rigid body": {},
    "spin": {"r": 0.4, "r'": 0.3, "theta": 1.2, "psi": 0.2, "phi": 0.0},
    "spin at rest": {"r": 0.4, "r'": 0.3, "theta": 1.2, "psi": 0.2, "phi": 0.0},
}


def both(result: Routh, start: dict[str, float], time: float) -> tuple[Trajectory, Trajectory]:
    reduced = simulate(result, start or None, time, samples=41, tolerance=1e-13)
    system = result.system
    names = [q.data.label for q in (*system.q, *system.v)]
    plain = euler_lagrange.motion(system)
    full = simulate(plain, {n: float(reduced[n][0]) for n in names}, time, samples=41, tolerance=1e-13, system=system)
    return reduced, full


def largest(one: Trajectory, other: Trajectory, names: list[str]) -> float:
    return max(float(np.max(np.abs(one[n] - other[n])) / (1 + np.max(np.abs(other[n])))) for n in names)


@pytest.mark.parametrize("name", STARTS)
@pytest.mark.thorough("spin", "wong space", "wong plane")
@pytest.mark.thorough("curved", "rigid body")
def test_reduced_and_reconstructed_motion_is_the_full_one(name: str) -> None:
    result = derived(name)
    reduced, full = both(result, STARTS[name], 20.0)
    assert largest(reduced, full, [q.data.name for q in result.system.q]) < 1e-10
    assert float(np.ptp(reduced["energy"])) < 1e-10 * (1 + abs(float(reduced["energy"][0])))
    momenta = momenta_of(result.system, result.frame.stated)
    values = {q: full[q.data.label] for q in (*result.system.q, *result.system.v)}
    values |= {p: np.full_like(full.t, float(v)) for p, v in result.equations.parameters.items()}
    for p, mu in zip(evaluate(momenta, Floats(values)), result.frame.stated_momentum, strict=True):
        (wanted,) = evaluate([mu], Floats(values))
        assert np.max(np.abs(p - wanted)) < 1e-10 * (1 + np.max(np.abs(p)))


def test_another_momentum_is_another_motion() -> None:
    """The wrong twin: a momentum that is off by a thousandth is seen."""
    result = derived("spherical pendulum")
    (mu,) = result.frame.momentum
    start = {"theta": 1.0, "theta'": 0.0, "phi": 0.0}
    off = float(result.equations.parameters[mu]) * 1.001
    one = simulate(result, start, 5.0, samples=6)
    other = simulate(result.equations, start, 5.0, samples=6, values={"mu_turn": off})
    assert largest(one, other, ["theta"]) > 1e-5


@pytest.mark.thorough
def test_a_whole_level_set_as_state_moves_alike() -> None:
    result = derived("askew")
    reduced, full = both(result, {"r": 0.4, "r'": 0.3, "theta": 1.2, "psi": 0.2, "phi": 0.1}, 5.0)
    assert largest(reduced, full, [q.data.name for q in result.system.q]) < 1e-10


@pytest.mark.parametrize(
    ("start", "state"),
    [({"x'": 0.2}, "r x1 z r'"), ({"y'": 0.2}, "r y1 z r'"), ({"z": 0.2}, "r r'")],
    ids=["mu_e2 = 0", "mu_e1 = 0", "both"],
)
@pytest.mark.thorough("mu_e1 = 0")
def test_a_momentum_at_the_start_that_is_special(start: dict[str, float], state: str) -> None:
    """None is stated: basis and coordinates are those that serve the start, and so is the case of g_mu."""
    system = System.of(
        name="Sol",
        coordinates="r x y z",
        lagrangian="(r'^2 + exp(-2*z)*x'^2 + exp(2*z)*y'^2 + z'^2)/2 + r*r'*z' - r^2/2",
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "x", "y": "-y", "z": 1}},
        start={"r": 0.3, "r'": 0.1, **start},
    )
    result = routh.derive(system)
    assert [q.data.label for q in result.equations.state] == state.split()
    reduced, full = both(result, {}, 2.0)
    assert largest(reduced, full, list("rxyz")) < 1e-10
    special = [claim.verdict.evidence for claim in result.hypotheses if claim.name == "momentum"]
    assert [why.partition(", where")[0] for why in special] == ["at [start] mu_e1 = 0, mu_e2 = 0"] * (len(state) < 5)
