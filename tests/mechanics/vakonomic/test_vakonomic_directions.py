"""Vakonomic mechanics with directions: the same field as by angles, and every wrong twin is found out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from dalembert import System, claims, derive, simulate
from dalembert.errors import HypothesisError
from dalembert.expr import TIME, ZERO, cos, sin, symbol, tangent, time_derivative
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.abnormal_extremals import abnormal
from dalembert.numerics.wording import NameResolver

SQUARE = "(n.x'^2 + n.y'^2 + n.z'^2)"


def skate():
    """A point on a sphere that winds a wheel as it turns about the vertical."""
    return System.of(
        name="skate on a sphere",
        coordinates={"n": "direction", "a": "angle"},
        parameters={"m": 1, "J": 0.5},
        lagrangian=f"m*{SQUARE}/2 + J*a'^2/2 - n.z",
        constraints={"edge": "n.x*n.y' - n.y*n.x' = a'"},
        symmetry={"turn": {"n": "left 3"}, "tilt": {"n": "left 1"}, "wheel": {"a": 1}},
    )


def crane():
    """A load whose rope is drawn by a body, on a slider; nothing in it is even."""
    return System.of(
        name="crane",
        coordinates={"n": "direction", "R": "rotation", "x": "real"},
        parameters={"m": 1, "k": 2},
        lagrangian=f"m*{SQUARE}/2 + n.x'*n.y'/3 + x'*n.x'/4 + x'^2 + R.w1^2/2 + R.w2^2 + R.w3^2 + n.x*n.y' - "
        "k*n.z*R.m31",
        constraints={"rope": "3*R.w1 + n.x' = x*n.z'", "slider": "x' = R.m31*n.y' + 1/3"},
    )


@cache
def derived(system):
    return derive(system(), "vakonomic")


@pytest.mark.thorough("crane")
@pytest.mark.parametrize("system", [skate, crane], ids=["skate", "crane"])
def test_all_claims_hold(system):
    found = {claim.name: claim for claim in claims(derived(system), verify=True)}
    assert [name for name, claim in found.items() if claim.failed] == []
    for name in ("multipliers", "energy conserved", "Legendre transformation"):
        assert found[name].verdict.holds
    if system is skate:
        assert found["momentum turn"].verdict.holds
        assert found["momentum wheel"].verdict.holds
        assert found["momentum tilt"].verdict.holds is False


def test_the_second_derivation_bites():
    """The Euler operator on tangent fields knows neither nu nor n P = 0: without them the two do not meet."""
    form = derived(crane).form
    assert form.by_multipliers(ProofBudget(0.0)).holds
    (row,) = form.frame.unit_rows
    along = {one: n for one, n in zip(form.costates, row, strict=True) if n is not ZERO}
    (off,) = form.on_motions(form.along([sum((p * n for p, n in along.items()), ZERO)]))
    assert is_zero(off, points_of(form.system)).holds
    nu = form.multiplier_names[-1]
    twins = [
        {p: form.rates[p] + n * form.rates[n] for p, n in along.items()},  # as if p were pushed along n'
        {p: form.rates[p] - nu * form.rates[n] for p, n in along.items()},  # as if nu were 0
    ]
    for changed in twins:
        twin = replace(form)
        object.__setattr__(twin, "rates", {**form.rates, **changed})  # what is worked out once is taken from here
        assert twin.by_multipliers(ProofBudget(0.0)).holds is False


def apart(sign):
    """Return how the rates by a direction differ from those by angles, the costates carried along."""
    free = derived(skate)
    chart = derive(
        System.of(
            name="by angles",
            coordinates={"theta": "angle", "phi": "angle", "a": "angle"},
            parameters={"m": 1, "J": 0.5},
            lagrangian="m*(theta'^2 + sin(theta)^2*phi'^2)/2 + J*a'^2/2 - cos(theta)",
            constraints={"edge": "sin(theta)^2*phi' = a'"},
        ),
        "vakonomic",
    )
    words = NameResolver(chart.equations, chart.system)
    theta, phi, a = chart.system.q
    n = [sin(theta) * cos(phi), sign * sin(theta) * sin(phi), cos(theta)]
    places = dict(zip(free.system.q, [*n, a], strict=True))
    moving = places | {q.dot: time_derivative(e) for q, e in places.items()}
    form = free.form
    held = dict(zip(form.multipliers, chart.form.multiplier_names, strict=True))
    p = substitute(form.frame.opened(form.by_velocities()), moving | held)
    state = places | dict(zip(form.costates, p, strict=True))
    there = dict(zip(state, substitute(list(state.values()), chart.form.solved), strict=True))
    rates = free.equations.rates()
    here = substitute([rates[z] for z in state], there)
    return [x - y for x, y in zip(here, tangent(list(there.values()), words.drive), strict=True)]


def test_by_a_direction_and_by_angles_it_is_the_same_field():
    assert all(is_zero(gap).holds for gap in apart(1))
    assert any(is_zero(gap).holds is False for gap in apart(-1))


def test_a_motion_stays_on_its_sphere_and_keeps_what_it_should():
    start = {"n.x": 0.6, "n.y'": 1, "edge": 0.3}
    run = simulate(derived(skate), start, time=2, tolerance=1e-12, samples=5)
    assert sum(run[f"n.{c}"] ** 2 for c in "xyz") == pytest.approx(1, abs=1e-11)
    assert run["momentum turn"] == pytest.approx(run["momentum turn"][0], abs=1e-10)
    assert run["energy"] == pytest.approx(run["energy"][0], abs=1e-10)
    assert run["edge"] == pytest.approx(0, abs=1e-12)
    assert sum(run[f"n.{c}"] * run[f"p_n_{c}"] for c in "xyz") == pytest.approx(0, abs=1e-11)


def test_euler_operators_of_constraints_know_nothing_across_the_sphere():
    form = derived(skate).form
    for row in form.rows_of_constraints():
        for normal in form.frame.unit_rows:
            off = sum((a * b for a, b in zip(row, normal, strict=True)), ZERO)
            assert is_zero(off, points_of(form.system)).holds


def test_abnormal_extremals_along_curves_on_a_sphere():
    t = symbol(TIME)
    equator = {"n.x": cos(t), "n.y": sin(t), "n.z": 0, "a": t}
    assert abnormal(skate(), equator).verdict.holds is True  # the constraint bends nowhere there
    circle = {"n.x": 3 * cos(t) / 5, "n.y": 3 * sin(t) / 5, "n.z": cos(ZERO) * 4 / 5, "a": 9 * t / 25}
    assert abnormal(skate(), circle).verdict.holds is False
    with pytest.raises(HypothesisError, match="the direction n has not length 1"):
        abnormal(skate(), equator | {"n.z": 1})
