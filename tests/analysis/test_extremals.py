"""Conjugate points and the index by two methods, Maxwell times and wave fronts, against what is known of them."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import dalembert
from dalembert import HypothesisError, System, gallery, simulate
from dalembert.analysis.extremals import extremals, family_through, maxwell_time, wave_front
from dalembert.analysis.extremals.conjugate_points import second_variation
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


def test_a_point_that_is_conjugate_just_before_the_end_is_found():
    circle = derive(gallery.load("heisenberg"))
    found = second_variation(circle, {"x'": 1, "multiplier area": 1}, 12.57)
    times = [one.time for one in found.points]
    assert times == pytest.approx([2 * math.pi, 8.98681891, 4 * math.pi], abs=1e-6)
    assert found.index == 3


def test_eigenvalues_are_counted_again_on_finer_intervals_where_the_first_were_too_few():
    """The last point is conjugate shortly before the end: its variations are wrong on 120 intervals."""
    circle = derive(gallery.load("heisenberg"))
    found = second_variation(circle, {"x'": 1, "multiplier area": 1}, 18.87)
    assert (len(found.points), found.intervals) == (found.index, 240)
    assert found.claims[0].verdict.kind == "measured"
    assert "on 240 intervals" in found.claims[0].verdict.evidence


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


def quarter_period(k):
    """K(k) by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def test_extremals_of_martinet_meet_their_mirror_images_where_they_come_back(martinet):
    """x'' = -h x y' is a pendulum: x is 0 again after half of its period, 2 K/sqrt(h)."""
    family = extremals(martinet)
    front = wave_front(family, 2.5, vary=("slope", 1.5, 6), grid=(7, 3))
    cuts = front.measured_cuts
    for k, m in enumerate(front.multipliers):
        for j, a in enumerate(front.angles):
            half = 2 * quarter_period(math.sqrt((1 - math.sin(a)) / 2)) / math.sqrt(m)
            assert cuts[j, k] == (pytest.approx(half, abs=1e-7) if half < 2.5 else math.inf), (a, m)
    locus = front.cut_locus()
    assert locus.shape[1] > 10
    assert np.max(abs(locus[0])) < 1e-8
    assert "met by another one" in front.count_claim().statement


def engel():
    held = {"first": "z' = x*y'", "second": "w' = x^2*y'/2"}
    return System.of(name="engel", coordinates="x y z w", lagrangian="(x'^2 + y'^2)/2", constraints=held)


@pytest.mark.thorough
def test_extremals_of_engel_meet_after_a_period_of_their_pendulum():
    """a'' = -h cos(a), of energy a'^2/2 + h sin(a); Ardentov and Sachkov: the first meeting is after 4 K/sqrt(h)."""
    family = extremals(derive(engel()))
    met = maxwell_time(family, 0.4, [0.7, 1.0], 9.0)
    assert met is not None
    energy = 0.7**2 / 2 - math.sin(0.4)
    assert met.time == pytest.approx(4 * quarter_period(math.sqrt((1 + energy) / 2)), abs=1e-8)
    assert maxwell_time(family, 0.4, [0.7, 1.0], 7.0) is None
    # the same meeting by another integrator, in the equations with multipliers
    ends = []
    for angle, held in ((0.4, (0.7, 1.0)), (met.angle, met.multipliers)):
        start = {"x'": math.cos(angle), "y'": math.sin(angle), "first": held[0], "second": held[1]}
        run = simulate(derive(engel()), start, time=met.time, engine="scipy", tolerance=1e-11, samples=3)
        ends.append([run[name][-1] for name in "xyzw"])
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)


@pytest.mark.thorough
def test_a_ball_that_does_not_spin_meets_others_sooner_than_its_quaternion():
    """Boscain and Rossi: on SU(2) at 2 pi/w, w^2 = 1 + c^2; on SO(3) also where the scalar part of exp exp is zero.

    SU(2) is stated in four coordinates; that their length is constant is an integrable constraint, whose multiplier
    changes labels and no curve: a search that compares labels would find a meeting at every time.
    """
    turning = System.of(
        name="turning",
        coordinates={"R": "rotation"},
        lagrangian="(R.w1^2 + R.w2^2 + R.w3^2)/2",
        constraints={"spin": "R.w3 = 0"},
    )
    c = 0.5
    w = math.sqrt(1 + c * c)
    met = maxwell_time(extremals(dalembert.derive(turning, "vakonomic")), 0.4, [c], 5.0)
    assert met is not None
    s = met.time / 2
    assert math.cos(w * s) * math.cos(c * s) + c / w * math.sin(w * s) * math.sin(c * s) == pytest.approx(0, abs=1e-8)
    assert met.time < 4 < 2 * math.pi / w
    sphere = System.of(
        name="su(2)",
        coordinates="a b c d",
        lagrangian="2*((a*b' - b*a' - c*d' + d*c')^2 + (a*c' - c*a' + b*d' - d*b')^2)",
        constraints={"length": "a*a' + b*b' + c*c' + d*d' = 0", "spin": "2*(a*d' - d*a' - b*c' + c*b') = 0"},
    )
    family = extremals(derive(sphere), {"a": 1})
    met = maxwell_time(family, 0.4, [0.0, c], 7.0)
    assert met is not None
    assert met.time == pytest.approx(2 * math.pi / w, abs=1e-7)
    end = family.ends(family.labels([[0.4]], [[0.0], [c]]), np.array([met.time]))
    assert abs(end[1:3]).max() < 1e-8  # the cut locus is the circle of exp(k)
    assert maxwell_time(family, 0.4, [0.0, c], 5.0) is None


@pytest.mark.thorough
def test_a_ball_between_plates_meets_its_mirror_image_in_the_chord():
    """With p_x = p_y = 0 it rolls around a circle; the one behind the chord ends alike where the k part is zero."""
    result = dalembert.derive(gallery.load("plate-and-ball"), "vakonomic")
    family = extremals(result, energy=0.7)
    curvature = 0.2 / 1.4
    w = math.sqrt(1 + curvature**2)
    met = maxwell_time(family, 0.0, [-1, 0, 0.2], 9.5)
    assert met is not None
    a, b = curvature * met.time / 2, w * met.time / 2
    assert math.sin(a) * math.cos(b) == pytest.approx(curvature / w * math.cos(a) * math.sin(b), abs=1e-8)
    assert met.multipliers[2] == pytest.approx(-0.2)
    start = {"multiplier rolls_in_x": 0.3, "multiplier rolls_in_y": 0.5, "multiplier no_spin": -3}
    free = second_variation(result, start, 8)
    chart = second_variation(derive(gallery.load("plate-and-ball-chart")), start, 8)
    assert [p.time for p in free.points] == pytest.approx([p.time for p in chart.points], abs=1e-7)
    assert len(free.points) == chart.index == 3
    assert [claim.name for claim in free.claims] == ["minimum"]


@pytest.mark.thorough
def test_extremals_in_the_plane_with_a_direction_meet_at_the_roots_of_sachkov():
    """Sachkov, ESAIM: COCV 17 (2011): 2 k p with cn p (E(p) - p) = dn p sn p; the mirror image meets them later."""
    slides = {"no slip": "x'*sin(a) = y'*cos(a)"}
    plane = {"x": "real", "y": "real", "a": "angle"}
    family = extremals(
        derive(System.of(name="robot", coordinates=plane, lagrangian="(x'^2 + y'^2 + a'^2)/2", constraints=slides))
    )
    assert maxwell_time(family, 0.2, [-2.0], 12).time == pytest.approx(2.682285613358, abs=1e-8)
    # a neighbour across the cuspidal edge of the front comes within 7e-10 at t = 3.4028, and does not meet it
    near = maxwell_time(family, 0.914, [-1.593], 3.41)
    assert near is None or near.time == pytest.approx(3.399258612, abs=1e-8)


@pytest.mark.thorough
def test_three_free_velocities_and_what_has_no_lengths():
    upright = System.of(
        name="lifted",
        coordinates="x y z w",
        lagrangian="(x'^2 + y'^2 + w'^2)/2",
        constraints={"area": "z' = (x*y' - y*x')/2"},
    )
    front = wave_front(extremals(derive(upright)), 2.0, vary=("area", 4, 6), grid=(3, 2))
    assert front.points.shape == (4, 15, 2)
    assert front.measured_cuts == pytest.approx(np.tile(2 * math.pi / front.multipliers, (15, 1)), abs=1e-7)
    tilt = np.sin(front.angles[1])[:, None]
    assert front.of("w") == pytest.approx(np.broadcast_to(2 * tilt, (15, 2)), abs=1e-10)
    with pytest.raises(HypothesisError, match="beside those of second degree"):
        maxwell_time(extremals(derive(gallery.load("skateboard"))), 0.3, [1.0], 1.0)


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
