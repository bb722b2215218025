"""Conjugate points and the index by two methods, Maxwell times and wave fronts, against what is known of them."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from dalembert import HypothesisError, System, gallery
from dalembert.analysis.extremals.conjugate_points import second_variation
from dalembert.analysis.extremals.wave_fronts import extremals, family_through, maxwell_time, wave_front
from dalembert.mechanics.vakonomic import derive


@pytest.fixture(scope="module")
def martinet():
    slope = {"slope": "z' = x^2*y'/2"}
    return derive(System.of(name="martinet", coordinates="x y z", lagrangian="(x'^2 + y'^2)/2", constraints=slope))


def test_a_skate_on_a_slope_has_as_many_conjugate_points_as_negative_eigenvalues():
    start = {"phi": 0.3, "x'": "1.2*cos(0.3)", "phi'": 0.5, "multiplier blade": 0.4}
    found = second_variation(derive(gallery.load("skateboard")), start, 4, values={"I": 0.7, "g": 2, "m": 1})
    assert found.convex
    assert len(found.points) == found.index == 5
    assert [claim.verdict.kind for claim in found.claims] == ["measured", "measured"]
    twin = replace(found, points=found.points[1:])
    assert [claim.verdict.kind for claim in twin.claims] == ["undecided"]


def test_a_circle_of_heisenberg_closes_where_it_is_conjugate_and_where_others_meet_it():
    result = derive(gallery.load("heisenberg"))
    found = second_variation(result, {"x'": 2, "multiplier area": 0.8}, 12)
    first, second = (one.time for one in found.points)
    assert first == pytest.approx(2 * math.pi / 0.8, abs=1e-8)
    half = 0.8 * second / 2
    assert math.tan(half) == pytest.approx(half, abs=1e-6)  # of the exponential map in closed form
    family, angle, multipliers = family_through(result, found.run)
    assert family.energy == pytest.approx(2.0)
    assert (angle, *multipliers) == pytest.approx((0.0, 0.8))
    met = maxwell_time(family, angle, multipliers, 9.0)
    assert met is not None
    assert met.time == pytest.approx(2 * math.pi / 0.8, abs=1e-7)
    front = wave_front(family, 1.5, vary=("area", -4, 4), grid=(7, 5))
    for k, m in enumerate(front.multipliers):
        chord = 2 * 1.5 if m == 0 else abs(4 / m * math.sin(m * 1.5 / 2))
        assert np.allclose(np.hypot(front.of("x")[:, k], front.of("y")[:, k]), chord, atol=1e-9)


@pytest.mark.thorough
def test_extremals_of_martinet_meet_their_mirror_images_where_they_come_back(martinet):
    family = extremals(martinet)
    met = maxwell_time(family, 0.8, [1.5], 5.0)
    assert met is not None
    (there,) = family.follow(np.array([0.8]), np.array([[1.5]]), np.array([0.0, met.time]))[0]
    assert there[-1] == pytest.approx(0.0, abs=1e-8)
    assert math.cos(met.angle) == pytest.approx(-math.cos(0.8))
    assert maxwell_time(family, 0.8, [1.5], 0.9 * met.time) is None


def test_a_motion_that_is_abnormal_too_is_told_so(martinet):
    with pytest.raises(HypothesisError, match="abnormal"):
        second_variation(martinet, {"y'": 1, "multiplier slope": 0}, 2)


@pytest.mark.thorough
def test_a_sphere_is_what_extremals_reach_before_their_cut_time():
    """On the Heisenberg group that is 2 pi/|h|; the wrong twin has another factor."""
    front = wave_front(extremals(derive(gallery.load("heisenberg"))), 1.0, vary=("area", -12, 12), grid=(7, 13))

    def cut(_, h, turn=2 * math.pi):
        return turn / abs(h) if h else math.inf

    ball = front.sphere(cut)
    assert np.array_equal(np.isnan(ball.of("z")[0]), abs(front.multipliers) > 2 * math.pi)
    assert abs(front.cut_locus(cut)[:2]).max() < 1e-9  # x = y = 0
    h = front.multipliers[9]
    assert ball.of("z")[2, 9] == pytest.approx((h - math.sin(h)) / (2 * h**2), abs=1e-10)
    assert np.nanmax(abs(ball.of("z"))) < 1 / (2 * math.pi)  # no more area than a half circle's
    members = [13 + 1]  # the second direction, the second multiplier
    assert front.check_cut(cut, members).verdict.kind == "measured"
    assert front.check_cut(partial(cut, turn=5), members).verdict.kind == "undecided"
