"""Phases after a closed reduced motion: the dynamic and the geometric part, and the whole against the full motion."""

from __future__ import annotations

import numpy as np
import pytest
from reconstruction_systems import circling, reduced, se2_system

from dalembert.analysis.phases import Phase, carried, phases
from dalembert.errors import EvaluationError
from dalembert.expr import evaluate
from dalembert.expr.readers import Floats
from dalembert.mechanics.routh import routh
from dalembert.numerics.simulate import simulate

ENGINE = "native"


def checked(phase: Phase) -> Phase:
    assert {c.name: str(c.verdict) for c in phase.claims if c.verdict.kind != "measured"} == {}
    assert len(phase.claims) == 4
    return phase


def test_a_wheel_turned_by_going_round() -> None:
    """The geometric phase of the mechanical connection is minus b times the area; that of the trivial one is zero."""
    result = reduced("circling")
    b, mu, radius = 0.3, 0.5, 0.8
    # the reduced motion has a magnetic term: w^2 + mu b w = 1 on a circle
    speed = (np.sqrt((mu * b) ** 2 + 4) - mu * b) / 2
    there, back = (checked(_circle(result, radius, turn)) for turn in (speed, -1 / speed))
    for phase, turn, sign in ((there, speed, 1), (back, 1 / speed, -1)):
        assert phase.period == pytest.approx(2 * np.pi / turn, abs=1e-9)
        assert phase.geometric == pytest.approx((-sign * b * np.pi * radius**2,), abs=1e-10)
        assert phase.dynamic == pytest.approx((mu * phase.period,), abs=1e-10)
    other = checked(_circle(result, radius, speed, by="vertical lift"))
    assert other.geometric == pytest.approx((0,), abs=1e-12)
    assert other.total == pytest.approx(there.total, abs=1e-10)
    assert other.dynamic == pytest.approx(other.total, abs=1e-10)


def _circle(result: routh.Routh, radius: float, turn: float, **how) -> Phase:
    start = {"x": radius, "y": 0, "x'": 0, "y'": radius * turn, "phi": 0.2}
    return phases(result, start, engine=ENGINE, longest=20, **how)


@pytest.mark.thorough
def test_a_level_set_without_closed_form() -> None:
    """With the fourth power of the velocity u along the group, u^3 + u = 2 gives u = 1; the area is a circle's."""
    turn = "phi' + (x*y' - y*x')/2"
    system = circling().but(
        lagrangian=f"(x'^2 + y'^2 - x^2 - y^2)/2 + ({turn})^4/4 + ({turn})^2/2", parameters=None, momentum=[2]
    )
    result = routh.derive(system)
    assert result.equations.implicit
    speed = np.sqrt(2) - 1  # w^2 + 2 w = 1
    start = {"x": 1, "y": 0, "x'": 0, "y'": speed}
    phase = checked(phases(result, start, engine=ENGINE, longest=20))
    assert phase.period == pytest.approx(2 * np.pi / speed, abs=1e-9)
    assert phase.geometric == pytest.approx((-np.pi,), abs=1e-10)
    assert phase.dynamic == pytest.approx((phase.period,), abs=1e-10)


@pytest.mark.thorough
def test_the_free_rigid_body_by_the_solid_angle() -> None:
    """Montgomery: the whole phase is 2 E T/|mu| less the solid angle that the momentum sweeps in the body."""
    result = reduced("body")
    start = {"theta": 1.0, "psi": 0.4}
    phase = checked(phases(result, start, engine=ENGINE, longest=40))
    run = simulate(result, start, phase.period, engine=ENGINE, tolerance=1e-13, samples=4001)
    theta, psi = run["theta"], run["psi"]
    height = (1 - np.cos(theta[1:]) + 1 - np.cos(theta[:-1])) / 2
    solid = float(
        np.sum(height * np.diff(psi))
    )  # momentum in the body: mu (sin sin, cos sin, cos); psi turns clockwise
    energy = float(run["energy"][0])
    rest = phase.total[0] - 2 * energy * phase.period / 2 - solid
    assert np.cos(rest) == pytest.approx(1, abs=1e-9)
    assert abs(phase.geometric[0]) > 0.1
    assert phase.total[0] == pytest.approx(phase.dynamic[0] + phase.geometric[0], abs=1e-10)


@pytest.mark.thorough
def test_a_cat_turns_without_momentum() -> None:
    """At mu = 0 the phase is an element of SO(3): all geometric for Omega^m, all dynamic for the flat Omega^N_mu."""
    result = reduced("cat")
    start = {"x1": 0.8, "x2": 0.1, "x1'": 0.2, "x2'": 0.9, "theta": 1.0, "psi": 0.4}
    first = checked(phases(result, start, engine=ENGINE, longest=10))
    assert first.generators == ("e1", "e2", "e3")
    assert first.period == pytest.approx(2 * np.pi, abs=1e-10)
    assert first.dynamic == pytest.approx((0, 0, 0), abs=1e-12)
    assert np.linalg.norm(first.geometric) > 0.3
    second = checked(phases(result, start, by="vertical lift", period=first.period, engine=ENGINE))
    assert second.geometric == pytest.approx((0, 0, 0), abs=1e-12)
    assert second.dynamic == pytest.approx(first.geometric, abs=1e-10)
    assert second.total == pytest.approx(first.total, abs=1e-10)


@pytest.mark.thorough
def test_the_example_of_section_eight_goes_on_by_its_period() -> None:
    """theta winds round the circle: the reduced motion is closed for all that, and y has gone on by T."""
    A, mu, w, y0 = 0.5, 0.6, 0.9, 0.3
    start = {"y": y0, "z": mu * y0 + A * (1 - A * w) + w, "th": 0}
    phase = checked(phases(reduced("se2"), start, engine=ENGINE, longest=20))
    assert phase.period == pytest.approx(2 * np.pi / w, abs=1e-10)
    assert phase.dynamic == pytest.approx((phase.period,), abs=1e-12)
    assert phase.geometric == pytest.approx((0,), abs=1e-10)


def test_order_of_factors() -> None:
    """exp(s1 E1) exp(s2 E2) acts with its last factor first."""
    result = routh.derive(se2_system().but(momentum={"e1": 0, "e2": 0, "e3": 1}))
    names = result.frame.action.names
    element = [{"e1": 0.5, "e2": 0.0, "e3": np.pi / 2}[name] for name in names]
    fixed = {p: float(v) for p, v in result.system.defaults.items()}
    chart = result.frame.chart.coordinates
    moved = carried(result, element, np.zeros(len(chart)), fixed)
    table = dict(zip(chart, moved, strict=True))
    y, z = (evaluate([result.frame.coordinates.inverse[q]], Floats(table))[0] for q in result.system.q[1:3])
    wanted = (0.5, 0.0) if names.index("e1") < names.index("e3") else (0.0, 0.5)
    assert (y, z) == pytest.approx(wanted, abs=1e-10)


def test_motions_that_do_not_close_are_refused() -> None:
    result = reduced("circling")
    with pytest.raises(EvaluationError, match="does not return"):
        phases(result, {"x": 0.8, "y": 0.1, "x'": 0.3, "y'": 0.2}, engine=ENGINE, longest=7)
    with pytest.raises(EvaluationError, match="stands still"):
        phases(result, {"x": 0, "y": 0, "x'": 0, "y'": 0}, engine=ENGINE, longest=7)
    wrong = phases(result, {"x": 0.8, "y": 0.1, "x'": 0.3, "y'": 0.2}, period=3.0, engine=ENGINE)
    assert {c.name for c in wrong.claims if c.verdict.holds is not True} >= {"closed"}
