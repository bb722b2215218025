"""Vakonomic mechanics with rotations: the same field as in Euler's angles, and every wrong twin is found out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dalembert import System, claims, derive, gallery, refusals, simulate
from dalembert.analysis.boundary import solve_boundary
from dalembert.analysis.compare import compare
from dalembert.errors import HypothesisError, WrongKind
from dalembert.expr import TIME, ZERO, cos, gradient, sin, symbol, tangent, time_derivative
from dalembert.expr.truth import is_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.rotations import Rotations, from_euler
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.abnormal_extremals import abnormal
from dalembert.numerics.wording import NameResolver

ANGLES = ("phi", "theta", "psi")


@cache
def derived(name):
    return derive(gallery.load(name), "vakonomic")


def platform(**more):
    """A body on a cable: it may not turn about a tilted axis of itself, and a winch turns with the vertical one."""
    given = {
        "name": "platform",
        "coordinates": {"R": "rotation", "a": "angle"},
        "parameters": {"A": 1, "B": 2, "C": 3, "J": 0.5, "k": 0.3},
        "lagrangian": "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + R.w1*R.w3/4 + J*a'^2/2 - R.m33 - R.m31/3",
        "constraints": {"fin": "3*R.w1 + 4*R.w3 = k"},
        "symmetry": {"turn": {"R": "left 3"}, "tilt": {"R": "left 1"}, "winch": {"a": 1}},
    }
    return System.of(**{**given, **more})


def apart(name, sequence="ZXZ"):
    """Return how the rates without a chart differ from those in Euler's angles, the costates carried along."""
    free, chart = derived(name), derived(f"{name}-chart")
    words = NameResolver(chart.equations, chart.system)
    turned = from_euler(sequence, [chart.system.vocabulary[angle] for angle in ANGLES])
    (body,) = free.system.points
    places = dict(zip(body.components, turned, strict=True))
    moving = places | {q.dot: time_derivative(e) for q, e in places.items()}
    form = free.form
    known = dict(zip(body.body, substitute(list(body.body.values()), moving), strict=True))
    held = dict(zip(form.multiplier_names, chart.form.multiplier_names, strict=True))
    p = substitute(substitute(form.frame.opened(form.momenta), known | held), places)
    state = places | {q: q for q in free.system.q if q not in places} | dict(zip(form.costates, p, strict=True))
    solved = chart.form.solved
    there = dict(zip(state, substitute(list(state.values()), solved), strict=True))
    rates = free.equations.rates()
    here = substitute([rates[z] for z in state], there)
    return dict(
        zip(
            [z.data.label for z in state],
            [a - b for a, b in zip(here, tangent(list(there.values()), words.drive), strict=True)],
            strict=True,
        )
    )


@pytest.mark.thorough("veselova")
@pytest.mark.parametrize("name", ["plate-and-ball", "veselova"])
def test_without_a_chart_and_in_one_it_is_the_same_field(name):
    gaps = apart(name)
    assert [label for label, gap in gaps.items() if is_zero(gap).holds is not True] == []
    assert any(is_zero(gap).holds is False for gap in apart(name, "zxz").values())


def test_all_claims_hold_and_say_what_they_should():
    result = derive(platform(), "vakonomic")
    found = {claim.name: claim for claim in claims(result, verify=True)}
    assert [name for name, claim in found.items() if claim.failed] == []
    assert found["multipliers"].verdict.holds
    assert found["main hypothesis"].verdict.holds
    assert found["energy conserved"].verdict.holds
    assert found["momentum turn"].verdict.holds
    assert found["momentum winch"].verdict.holds
    assert found["momentum tilt"].verdict.holds is False
    assert found["tangent tilt"].verdict.holds  # the constraint is one of the body: only the weight is not
    assert "Cartan equations" not in found


def test_the_second_derivation_bites():
    """The Euler operator on tangent fields knows no brackets: with the wrong sign of one the two do not meet."""
    form = derive(platform(), "vakonomic").form
    rates = form.rates
    turned = form.frame.turned(form.costates, form.top)
    wrong = dict(rates) | {p: rates[p] - 2 * turn for p, turn in zip(form.costates, turned, strict=True)}
    twin = replace(form)
    object.__setattr__(twin, "rates", wrong)  # what is worked out once is taken from here
    assert form.by_multipliers(ProofBudget(0.0)).holds
    assert twin.by_multipliers(ProofBudget(0.0)).holds is False


def test_a_ball_rolls_along_elasticae():
    """Sub-Riemannian geodesics of the plate and ball: the momenta of rotations from the right are constant."""
    result = derived("plate-and-ball")
    rates = result.equations.kinematics
    assert all(rates[p] is ZERO for p in result.form.costates)  # those of x and y, and of all rotations from the right
    start = {"multiplier rolls_in_x": 0.3, "multiplier rolls_in_y": 0.5, "multiplier no_spin": -0.4}
    run = simulate(result, start, time=3, tolerance=1e-12, samples=7)
    for name in ("rolls_in_x", "rolls_in_y", "no_spin"):
        assert np.max(np.abs(run[name])) < 1e-11
    chart = simulate(derived("plate-and-ball-chart"), start, time=3, tolerance=1e-12, samples=7)
    angles = from_euler("ZXZ", [chart[angle] for angle in ANGLES])
    assert run.rotation("R").matrix == pytest.approx(Rotations(np.array(angles).T).matrix, abs=1e-8)
    assert run["x"] == pytest.approx(chart["x"], abs=1e-9)


def test_the_main_hypothesis_needs_room():
    assert derived("plate-and-ball").decide_main_hypothesis().verdict.holds is False
    assert derived("veselova").decide_main_hypothesis().verdict.holds is True
    fixed = platform(constraints={"fin": "a' = 0"})
    verdict = derive(fixed, "vakonomic").decide_main_hypothesis().verdict
    assert verdict.holds is False  # it is holonomic: E_f vanishes
    assert "rank 1" in verdict.evidence
    both = {"fin": "R.w1 = 0", "vane": "R.w2 = 0"}
    moving = {"fin": "R.w1*cos(t) + R.w2*sin(t) = 0", "vane": "R.w3*cos(t) + a'*sin(t) = 0"}
    assert derive(platform(constraints=both), "vakonomic").decide_main_hypothesis().verdict.holds is False
    assert derive(platform(constraints=moving), "vakonomic").decide_main_hypothesis().verdict.holds is True


def test_euler_operators_of_constraints_are_those_on_tangent_fields():
    form = derived("veselova").form
    (slopes, pulls) = form.rows_of_constraints()
    u = list(form.top)
    (f,) = form.held.values()
    system, frame = form.system, form.frame
    put = {q.dot: rate for q, rate in frame.kinematics.items()}
    drive = {**frame.drive, **{one: one.dot for one in u}}
    rates = tangent(list(frame.kinematics.values()), drive)
    along = {q: q.dot for q in system.q} | dict(zip(system.v, rates, strict=True))
    moved = tangent(gradient(f, system.v), along)
    operator = substitute([a - b for a, b in zip(gradient(f, system.q), moved, strict=True)], put)
    for field, here in zip(frame.fields, frame.opened(pulls), strict=True):
        there = sum((e * field[q] for q, e in zip(system.q, operator, strict=True)), ZERO)
        assert is_zero(here - there, points_of(system)).holds
    assert not vanish(frame.opened(pulls), points_of(system))
    assert not vanish(frame.opened(slopes), points_of(system))


def test_abnormal_extremals_along_curves_of_rotations():
    t = symbol(TIME)
    spin = platform(constraints={"fin": "R.w3 = 0"}, lagrangian="R.w1^2 + R.w2^2 + R.w3^2 + a'^2", symmetry=None)
    turn = {"R.q0": cos(t / 2), "R.q1": sin(t / 2), "R.q2": 0, "R.q3": 0, "a": 0}
    assert abnormal(spin, turn).verdict.holds is False  # a contact structure has none
    flat = spin.but(constraints={"fin": "a' = 0"})
    assert abnormal(flat, turn).verdict.holds is True
    with pytest.raises(HypothesisError, match="the quaternion of R has not length 1"):
        abnormal(spin, turn | {"R.q0": 2 * cos(t / 2), "R.q1": 2 * sin(t / 2)})
    with pytest.raises(HypothesisError, match="does not obey the constraint 'fin'"):
        abnormal(spin, turn | {"R.q1": 0, "R.q3": sin(t / 2)})


def test_what_is_not_taken_is_said():
    (fault,) = refusals(platform(constraints={}), "vakonomic")
    assert fault.what == "there are none"
    with pytest.raises(WrongKind, match="derived in coordinates of a chart, not"):
        solve_boundary(derive(platform(), "vakonomic"), {}, {}, 1.0)
    with pytest.raises(HypothesisError, match="coordinates of a chart"):
        compare(platform())
