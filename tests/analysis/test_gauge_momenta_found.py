"""Gauge momenta: a disc that falls, Routh's ball on a surface of revolution of any profile."""

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, derive, discover, gallery, simulate
from dalembert.analysis.discovery.gauge_momenta import GaugeMomenta, gauge_momenta
from dalembert.analysis.discovery.point_symmetries import noether_symmetries
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import tangent
from dalembert.expr.truth import vanish
from dalembert.mechanics.common import facts_of
from dalembert.model.writing import tables_of


def ball() -> System:
    """The centre is on z = h(r); it rolls, so that its velocity is the angular velocity times a times the normal."""
    slope, sign = "D(h, 1)(r)", {"sign": "positive"}
    return System.of(
        name="Routh's ball",
        coordinates={"r": "positive", "phi": "angle", "R": "rotation"},
        parameters=dict.fromkeys(("m", "a", "I", "g"), sign),
        functions={"h": {"of": ["r"]}},
        lagrangian=f"m*(r'^2*(1 + {slope}^2) + r^2*phi'^2)/2 + I*(R.s1^2 + R.s2^2 + R.s3^2)/2 - m*g*h(r)",
        constraints={
            "along": f"r'*sqrt(1 + {slope}^2) = a*(R.s2*cos(phi) - R.s1*sin(phi))",
            "across": f"r*phi'*sqrt(1 + {slope}^2) = -a*(R.s3*{slope} + R.s1*cos(phi) + R.s2*sin(phi))",
        },
    )


@pytest.mark.parametrize("system", [gallery.load("falling-rolling-disc"), ball()], ids=["disc", "ball"])
@pytest.mark.thorough("ball")
def test_gauge_momenta(system):
    """As many as there are speeds beside the rate of the shape; with an equation of the wrong sign there are none."""
    motions = Motions(system)
    found = gauge_momenta(motions, [one.generator for one in noether_symmetries(motions).lasting])
    assert len(found.functions) == 2
    assert found.integral.verdict.holds is True
    stated, tables = tables_of(system), found.stated
    functions = {**dict(stated.get("functions", {})), **tables["functions"]}
    for wrong in (False, True):
        assume = dict(tables["assume"])
        if wrong:
            left, _, right = assume["df1"].partition(" = ")
            assume["df1"] = f"{left} = -({right})"
        again = Motions(system.but(functions=functions, assume=assume))
        rate = tangent([again.names.expression(found.written)], again.names.drive)
        assert vanish(rate, facts_of(again.system)) is (not wrong)


def momenta(system: System) -> GaugeMomenta:
    motions = Motions(system)
    return gauge_momenta(motions, [one.generator for one in noether_symmetries(motions).lasting])


def test_numbers_along_a_motion():
    """What is proved modulo a differential equation is constant along a motion, by numbers; another solution is not."""
    disc = gallery.load("falling-rolling-disc")
    found = momenta(disc)
    run = simulate(derive(disc, "nonholonomic"), tolerance=1e-12, samples=20)
    values = found.along(run)
    assert np.ptp(values, axis=0).max() < 1e-10
    assert np.ptp(run["psi'"]) > 0.1
    wrong = replace(found, matrix=tuple(tuple(-e for e in row) for row in found.matrix))
    assert np.ptp(wrong.along(run), axis=0).max() > 1e-2


@pytest.mark.thorough
def test_numbers_for_a_profile():
    """Routh's ball: the equation is stated for any profile, its numbers are had for one."""
    given = {"values": {"m": 1, "a": 0.5, "I": 0.3, "g": 1}, "functions": {"h": "r^2/2 + r^4/10"}}
    start = {"r": 1, "r'": 0.3, "phi'": 0.9, "R.s3": 0.7}
    run = simulate(derive(ball(), "nonholonomic"), start, 10, tolerance=1e-12, samples=60, **given)
    assert np.ptp(momenta(ball()).along(run, **given), axis=0).max() < 1e-9
    flat = {**given, "functions": {"h": "r^2/2"}}
    assert np.ptp(momenta(ball()).along(run, **flat), axis=0).max() > 1e-3


@pytest.mark.thorough
def test_they_make_the_disc_integrable():
    found = discover(gallery.load("falling-rolling-disc")).integrability.quadratures
    assert found.missing == 0
    assert "(2 of them gauge momenta)" in found.verdict.evidence


def test_a_disc_that_stays_upright_has_none():
    motions = Motions(gallery.load("vertical-rolling-disc"))
    assert gauge_momenta(motions, [one.generator for one in noether_symmetries(motions).lasting]) is None
