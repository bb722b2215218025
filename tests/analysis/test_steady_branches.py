"""Along a label: branch points, found where formulas have them and told from folds; thresholds as algebraic numbers."""

import numpy as np
import pytest
from flint import arb, ctx

from dalembert import System, derive, gallery, steady
from dalembert.analysis.steady.branch_points import branch_points, idle_turns
from dalembert.analysis.steady.guesses import found_curve, held_at, label_of
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


@pytest.mark.thorough
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


# -- thresholds ----------------------------------------------------------------------------------------------------
PAIRS = {
    "name": "follower load on two links",
    "coordinates": {"a": "real", "b": "real"},
    "lagrangian": "3*a'^2/2 + a'*b' + b'^2/2 - a^2/2 - (b - a)^2/2",
    "forces": {"a": "P*(a - b)"},
}


@pytest.mark.parametrize("damping", ["0", "1/10"])
def test_a_follower_load_makes_links_flutter_at_an_algebraic_number(damping):
    """Ziegler's column: the polynomials by hand, undamped (a discriminant) and damped (a determinant of Hurwitz)."""
    stated = PAIRS | {"parameters": {"P": 1, "c": {"value": damping, "sign": "any"}}}
    forces = {"a": "P*(a - b) - c*a' - c*(a' - b')", "b": "-c*(b' - a')"}
    found = steady(
        derive(System.of(**stated | {"forces": forces}), "euler-lagrange"),
        at={},
        over=("P", [0.25, 1.0, 1.5, 2.25, 3.0]),
    )
    # M = [[3, 1], [1, 1]], C = c [[2, -1], [-1, 1]], K = [[2 - P, P - 1], [-1, 1]]
    c = 0.1 if damping != "0" else 0.0

    def coefficients(p):
        """Return those of det(M s^2 + C s + K)."""
        m, d, k = (
            np.array(x, dtype=float) for x in ([[3, 1], [1, 1]], [[2 * c, -c], [-c, c]], [[2 - p, p - 1], [-1, 1]])
        )
        poly = np.polynomial.Polynomial
        e = [[poly([k[i, j], d[i, j], m[i, j]]) for j in range(2)] for i in range(2)]
        return (e[0][0] * e[1][1] - e[0][1] * e[1][0]).coef

    (one,) = found.thresholds
    assert one.verdict.kind == "proved"
    a0, a1, a2, a3, a4 = coefficients(one.value)
    deciding = a2**2 - 4 * a0 * a4 if not c else a1 * a2 * a3 - a0 * a3**2 - a1**2 * a4
    assert deciding == pytest.approx(0, abs=1e-12)
    with ctx.workprec(256):
        inside, beside = (
            sum(int(k) * x**j for j, k in enumerate(one.exact.polynomial)) for x in (one.ball, one.ball + arb("1e-40"))
        )
    assert inside.contains(0)
    assert not beside.contains(0)


def test_constants_that_are_algebraic_are_eliminated_and_others_are_not():
    """W^2 cos(a) = g: for a = pi/10 a number of degree 8, as 16 cos(a)^4 - 20 cos(a)^2 + 5 = 0; for a = 1/3 none."""
    hoop = System.of(
        name="hoop",
        coordinates={"q": "angle"},
        parameters={"W": 3, "g": 2, "a": "pi/10"},
        lagrangian="q'^2/2 + cos(a)*W^2*sin(q)^2/2 + g*cos(q)",
    )
    motion = derive(hoop, "euler-lagrange")
    (one,) = steady(motion, at={"q": 0}, over=("W", [1, 2])).thresholds
    w = one.ball
    assert (16 * 16 - 20 * 4 * w**4 + 5 * w**8).contains(0)
    assert one.exact.polynomial == (256, 0, 0, 0, -80, 0, 0, 0, 5)
    (other,) = steady(motion, at={"q": 0}, over=("W", [1, 2]), values={"a": "1/3"}).thresholds
    assert other.exact is None
    assert other.value == pytest.approx(np.sqrt(2 / np.cos(1 / 3)), rel=1e-15)
    assert other.verdict.kind == "proved"


@pytest.mark.thorough
def test_weave_and_capsize_speeds_of_a_bicycle_are_algebraic_numbers():
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    found = steady(bicycle, at={"phi": 0}, over=("v", [4.0, 5.0, 6.5]), exact=False, prove=True)
    weave, capsize = found.thresholds
    assert (weave.value, capsize.value) == pytest.approx((4.29238253634111, 6.02426201538837), rel=1e-14)
    assert (len(weave.exact.polynomial), len(capsize.exact.polynomial)) == (17, 9)
    assert all(one.verdict.holds for one in found.thresholds)


@pytest.mark.thorough
def test_a_bicycle_begins_to_circle_where_it_capsizes():
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    found = steady(bicycle, at={"phi": 0}, over=("v", np.linspace(5, 7, 5)), exact=False, branches=True)
    (fork,) = found.branches
    assert fork.value == pytest.approx(6.02426201538837, rel=1e-11)
    left, right = fork.branches
    assert left[-1].state["phi"] == pytest.approx(-right[-1].state["phi"], rel=1e-6)
    assert all(motion.grows for motion in left)


# -- ranges --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("spins", [[5.0, 6.0, 7.0, 8.0, 12.0], [12.0, 7.5, 6.5, 5.0]])
def test_a_top_begins_to_lean_at_every_spin_above_a_threshold(spins: list[float]):
    """I1 W^2 - I3 w3 W + m g l = 0 has real rates W above 2 sqrt(m g l I1)/I3; below there are none."""
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    found = steady(top, at={"R.q0": 1}, over=("R.w3", spins), exact=False)
    (fork,) = found.branches
    assert fork.value == pytest.approx(found.thresholds[0].value, rel=1e-7)
    assert fork.until == pytest.approx(12)
    assert fork.where("R.w3").startswith("at every R.w3 from 6.862069")
    slow = steady(top, at={"R.q0": 1}, over=("R.w3", [3.0, 4.0, 5.0, 6.0]), exact=False)
    assert slow.branches == ()


@pytest.mark.parametrize("seed", range(6))
def test_no_value_is_a_branch_point_by_a_rate_that_moves_nothing(seed: int):
    """The wrong twin: at an open rate that happens to be one of precession the rank drops, and that says nothing."""
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    found = steady(top, at={"R.q0": 1}, over=("R.w3", np.linspace(5, 11, 7 + seed)), exact=False, seed=seed)
    assert all(one.until is not None for one in found.branches)


def test_a_rate_that_is_held_is_not_open():
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    field = steady_field(top)
    held, _ = held_at(field, {"R.q0": 1, "R.w3": 8})
    label = label_of(field, "vertical")
    (point,) = found_curve(field, top, held, label, [1.0], {"R.q0": 1, "R.w3": 8}, None, None, 20, 1)
    assert point is not None
    assert len(idle_turns(field, held, label, point)) == 0
    free, _ = held_at(field, {"R.q0": 1})
    assert len(idle_turns(field, free, label_of(field, "R.w3"), point)) == 1
