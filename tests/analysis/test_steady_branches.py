"""Branch points of families of steady motions: found where formulas have them, told from folds, and followed."""

import numpy as np
import pytest

from dalembert import System, derive, gallery, steady
from dalembert.analysis.steady.branch_points import branch_points
from dalembert.analysis.steady.guesses import label_of
from dalembert.analysis.steady.search import Held, Label, Point, follow
from dalembert.analysis.steady.steady_field import steady_field

G = 9.81


def _hoop(beside):
    """Return a bead on a hoop that turns about an axis through its middle, or beside it."""
    return System.of(
        name="hoop",
        coordinates={"q": "angle"},
        parameters={"W": 3, "g": G, "e": {"value": beside, "sign": "any"}},
        lagrangian="q'^2/2 + W^2*(sin(q) + e)^2/2 + g*cos(q)",
    )


def test_a_bead_leaves_the_bottom_of_a_hoop_that_turns_fast():
    """cos(q) = g/W^2 on the other branch: a pitchfork, whose sides are both found."""
    found = steady(
        derive(_hoop(0), "euler-lagrange"), at={"q": 0}, over=("W", np.linspace(2, 5, 7)), exact=False, branches=True
    )
    (fork,) = found.branches
    assert fork.value == pytest.approx(np.sqrt(G), rel=1e-12)
    assert (fork.names, fork.verdict.kind) == (("q",), "measured")
    ends = []
    for side in fork.branches:
        for motion in side:
            assert np.cos(motion.state["q"]) == pytest.approx(G / motion.label**2, rel=1e-10)
            assert not motion.grows  # what branches off is stable, and the bottom is not
        ends.append(side[-1].state["q"])
    assert ends[0] == pytest.approx(-ends[1], rel=1e-6)
    assert [one.grows for one in found.motions] == [one.label > np.sqrt(G) for one in found.motions]


def test_beside_the_middle_the_fork_breaks_into_a_fold_which_is_no_branch_point():
    """The wrong twin: slopes without the label lose rank at a fold as well, those with it do not."""
    field = steady_field(derive(_hoop("1/5"), "euler-lagrange"))
    label = label_of(field, "W")
    begin = Point(np.array([_left(5.0), 0.0]), np.array([5.0, G, 0.2]))
    points, folds = follow(field, begin, Held(), Label(place=0), 2.0, 5.5, 0.1)
    assert len(folds) == 1
    assert branch_points(field, Held(), label, points) == ()
    slopes = [np.linalg.det(field.look(p.y, p.parameters)[1]) for p in points]
    assert min(slopes) < 0 < max(slopes)


def _left(w):
    """Return the place of the bead on the side away from the axis, by halving."""
    low, high = -np.pi / 2, -0.7
    for _ in range(80):
        q = (low + high) / 2
        low, high = (q, high) if w**2 * (np.sin(q) + 0.2) * np.cos(q) - G * np.sin(q) > 0 else (low, q)
    return low


def test_a_mass_between_springs_begins_to_circle_in_any_direction():
    """W^2 = k + c r^2 on the circles; two directions at once lose rank at rest, and no determinant changes its sign."""
    mass = System.of(
        name="mass between springs",
        coordinates={"x": "real", "y": "real"},
        parameters={"k": 2, "c": 0.5},
        lagrangian="(x'^2 + y'^2)/2 - k*(x^2 + y^2)/2 - c*(x^2 + y^2)^2/4",
    )
    motion = derive(mass, "euler-lagrange")
    (turn,) = [one.name for one in steady_field(motion).symmetries]
    found = steady(motion, at={"x": 0, "y": 0}, over=(turn, [1.0, 1.3, 1.9, 2.2]), exact=False, branches=True)
    (fork,) = found.branches
    assert fork.value == pytest.approx(np.sqrt(2), rel=1e-9)
    (circles,) = fork.branches
    assert circles[-1].label > 2
    for one in circles:
        assert one.label**2 == pytest.approx(2 + 0.5 * (one.state["x"] ** 2 + one.state["y"] ** 2), rel=1e-9)


@pytest.mark.thorough
def test_a_top_that_sleeps_begins_to_lean_at_two_rates_of_precession():
    """I1 W^2 cos(theta) - I3 w3 W + m g l = 0: two directions at once lose rank, for it may lean any way."""
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    over = ("vertical", np.linspace(0.3, 4, 9))
    found = steady(top, at={"R.q0": 1, "R.w3": 8}, over=over, exact=False, branches=True)
    rates = np.roots([1, -4, G * 0.3])
    assert [fork.value for fork in found.branches] == pytest.approx(sorted(rates), rel=1e-9)
    for fork in found.branches:
        assert len(fork.branches) == 1  # the others are the same but for the symmetry
        for motion in fork.branches[0][:10]:
            q = motion.state
            upright = q["R.q0"] ** 2 - q["R.q1"] ** 2 - q["R.q2"] ** 2 + q["R.q3"] ** 2
            assert motion.label**2 * upright - 4 * motion.label + G * 0.3 == pytest.approx(0, abs=1e-9)
    slow = steady(top, at={"R.q0": 1, "R.w3": 6}, over=over, exact=False)
    assert slow.branches == ()  # below 6.86 it can lean at no rate


def test_a_disc_may_begin_to_spin_where_it_stands():
    """Upright, rolling and spinning exclude each other: their families cross at rest, at a value that was asked for."""
    disc = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    found = steady(disc, at={"theta": 0}, over=("phi'", [-1.0, 0.0, 1.0]), exact=False)
    (fork,) = found.branches
    assert abs(fork.value) < 1e-12
    assert fork.names == ("psi'",)


@pytest.mark.thorough
def test_a_bicycle_begins_to_circle_where_it_capsizes():
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    found = steady(bicycle, at={"phi": 0}, over=("v", np.linspace(5, 7, 5)), exact=False, branches=True)
    (fork,) = found.branches
    assert fork.value == pytest.approx(6.02426201538837, rel=1e-11)
    left, right = fork.branches
    assert left[-1].state["phi"] == pytest.approx(-right[-1].state["phi"], rel=1e-6)
    assert all(motion.grows for motion in left)
