"""Steady motions: exact formulas, numbers that were published, and the flow as a second derivation of linear parts."""

import math

import numpy as np
import pytest
from steady_flow import by_the_flow

from dalembert import System, derive, equal, gallery, parse, simulate, steady
from dalembert.analysis.relative_equilibria import relative_equilibria
from dalembert.analysis.steady.search import Held, Label, Point, follow, solve_from
from dalembert.analysis.steady.steady_field import steady_field
from dalembert.analysis.steady.symmetries import state_symmetries
from dalembert.expr.graph import symbol
from dalembert.numerics.wording import NameResolver

SKATEBOARD = System.of(
    name="cart on a slope with a caster",
    coordinates={"x": "real", "y": "real", "h": "angle", "c": "angle"},
    parameters={"m": 2, "J": 0.3, "I": 0.05, "b": 0.7, "k": 0.4},
    lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + I*(h' + c')^2/2 - k*c^2/2",
    speeds={"v": "x'*cos(h) + y'*sin(h)"},
    constraints={"rear": "x'*sin(h) = y'*cos(h)", "front": "x'*sin(h + c) - y'*cos(h + c) = b*h'*cos(c)"},
)
"""A cart with a steered wheel that a spring holds straight."""


CRANE = System.of(
    name="crane with a damped load",
    coordinates={"x": "real", "q": "angle"},
    parameters={"M": 2, "m": 1, "l": 0.5, "g": 9.81, "c": 0.4},
    lagrangian="M*x'^2/2 + m*((x' + l*q'*cos(q))^2 + (l*q'*sin(q))^2)/2 + m*g*l*cos(q)",
    forces={"q": "-c*q'"},
)


def test_the_upright_disc_has_the_thresholds_of_the_textbooks():
    disc = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    straight, spinning = steady(disc, at={"theta": 0}).families
    words = disc.system.vocabulary
    for family, free, bound in (
        (straight, "phi'", "I*m*g*R/(J*(J + m*R^2))"),
        (spinning, "psi'", "m*g*R/(I + m*R^2)"),
    ):
        assert [repr(v) for v in family.family.free] == [free]
        assert family.family.verdict.kind == "proved"
        (condition,) = family.stability.conditions
        left, _, right = condition.said.partition(" > ")
        assert left == f"{free}^2"
        assert equal(parse(right, words), parse(bound, words)).holds is True
        assert family.stability.kind == "conservative"
        assert family.stability.zeros == 2
        assert not family.stability.blocks


def test_a_sleigh_is_stable_forwards_only():
    (found,) = steady(derive(gallery.load("chaplygin-sleigh"), "nonholonomic")).families
    assert found.stability.sentence.endswith("if and only if u > 0.")
    assert found.stability.zeros == 1 == found.linear.kernel


@pytest.mark.thorough
def test_a_sleeping_top_needs_its_spin():
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    (asleep,) = steady(top, at={"R.q0": 1}).families
    assert any(c.said == "R.w3^2 > 4*g*I1*l*m/I3^2" or "4*g*I1*l*m" in c.said for c in asleep.stability.conditions)
    fast = steady(top, at={"R.q0": 1, "R.w3": 40.0}, exact=False).motions[0]
    slow = steady(top, at={"R.q0": 1, "R.w3": 0.1}, exact=False).motions[0]
    assert not fast.grows
    assert slow.grows


@pytest.mark.thorough
def test_the_eigenvalues_of_the_bicycle_are_the_published_ones():
    """Meijaard, Papadopoulos, Ruina and Schwab (2007), table 2, at 5 m/s; weave and capsize speeds of section 6."""
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    speeds = [4.0, 5.0, 6.5]
    found = steady(bicycle, at={"phi": 0}, over=("chiR'", [-v / 0.3 for v in speeds]))
    known = [-0.32286642900409, -0.775341882195845 + 4.46486771378823j, -14.0783896927982]
    values = found.motions[1].linear.eigenvalues
    for one in known:
        assert np.abs(values - one).min() < 1e-11
    crossed = sorted(-t.value * 0.3 for t in found.thresholds)
    assert crossed == pytest.approx([4.29238253634111, 6.02426201538837], rel=2e-13)
    assert [m.grows for m in found.motions] == [True, False, True]


# -- the flow as a second derivation ------------------------------------------------------------------------------
CASES = {
    "disc": (lambda: derive(gallery.load("falling-rolling-disc"), "nonholonomic"), {"theta": 0.3, "psi'": 1.4}),
    "sleigh": (
        lambda: derive(gallery.load("chaplygin-sleigh").but(start=None), "nonholonomic"),
        {"u": 0.8, "theta'": 0},
    ),
    "caster": (lambda: derive(SKATEBOARD, "nonholonomic"), {"v": 1.1, "c": 0}),
    "pendulum": (lambda: derive(gallery.load("spherical-pendulum"), "euler-lagrange"), {"theta": 0.7}),
    "robot": (lambda: derive(gallery.load("two-wheeled-robot"), "chaplygin"), {"psi1'": -1.2, "psi2'": -1.2}),
    "crane": (lambda: derive(CRANE, "euler-lagrange"), {"x'": 1.5, "q": 0}),
}


@pytest.mark.thorough("robot", "crane")
@pytest.mark.parametrize("case", CASES)
@pytest.mark.thorough("disc")
@pytest.mark.thorough("pendulum")
def test_linear_parts_are_those_of_the_flow(case):
    result, at = CASES[case][0](), CASES[case][1]
    motion = steady(result, at=at, exact=False).motions[0]
    time = 0.6
    flow, own = by_the_flow(result, motion.state, motion.turning, time)
    for value in np.exp(own * time):
        assert np.abs(flow - value).min() < 2e-6


def test_a_start_that_contradicts_the_model_says_so_in_a_frame():
    from dalembert import EvaluationError

    sleigh = derive(gallery.load("chaplygin-sleigh"), "nonholonomic")
    with pytest.raises(EvaluationError, match="contradicts the constraints"):
        simulate(sleigh, {"theta": 0, "u": 0.8}, 1)


def test_a_wrong_rate_along_the_symmetry_is_seen():
    result = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    field = steady_field(result)
    motion = steady(result, at={"theta": 0.3, "psi'": 1.4}, exact=False).motions[0]
    y = np.array([*motion.state.values(), *motion.turning.values()])
    assert np.abs(field.look(y, field.problem.parameters)[0]).max() < 1e-9
    y[-1] += 0.1
    assert np.abs(field.look(y, field.problem.parameters)[0]).max() > 0.09


def test_symmetries_of_the_ground_are_found_and_others_are_not():
    motion = derive(SKATEBOARD, "nonholonomic").equations
    names = [one.name for one in state_symmetries(motion, NameResolver(motion, SKATEBOARD))]
    assert names == ["d/dx", "d/dy", "d/dh + x d/dy - y d/dx"]
    leaning = SKATEBOARD.but(lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + I*(h' + c')^2/2 - k*c^2/2 - m*x^2/2")
    tilted = derive(leaning, "nonholonomic").equations
    assert [one.name for one in state_symmetries(tilted, NameResolver(tilted, leaning))] == ["d/dy"]


def test_a_stated_symmetry_may_depend_on_what_it_does_not_move():
    kinetic = "(x'^2 + (y' - x*z')^2 + z'^2)/2"
    symmetry = {"shear": {"x": 1, "y": "z"}, "wrong": {"x": 1, "y": "2*z"}}
    group = System.of(name="Heisenberg group", coordinates="x y z", lagrangian=kinetic, symmetry=symmetry)
    motion = derive(group, "euler-lagrange").equations
    names = {one.name for one in state_symmetries(motion, NameResolver(motion, group))}
    assert "shear" in names
    assert "wrong" not in names


def test_a_family_is_followed_through_its_fold():
    """A bead on a turning hoop with a spring: the label is the rate of the hoop, and angles turn back."""
    x = symbol("x")
    w = symbol("w", role="parameter")
    from dalembert import Equations

    folded = Equations("fold", "by hand", {x: w - x**2}, parameters={w: 1})
    field = steady_field(folded)
    begin = Point(np.array([1.0]), np.array([1.0]))
    points, folds = follow(field, begin, Held(), Label(place=0), -1.0, 4.0, 0.2)
    assert [fold.value for fold in folds] == pytest.approx([0.0], abs=1e-9)
    ends = sorted(float(p.y[0]) for p in points)
    assert ends[0] < -1.5
    assert ends[-1] > 1.5
    assert solve_from(field, np.array([1.0]), np.array([-1.0]), Held()) is None


def test_conditions_of_three_pairs_are_those_of_their_roots():
    """Hermite's minors against the roots themselves, on polynomials drawn by their roots."""
    from dalembert.analysis.steady.stability import _negative_and_simple
    from dalembert.expr.graph import number
    from dalembert.expr.readers import Rationals
    from dalembert.expr.walk import evaluate

    for roots, good in (((-1, -2, -5), True), ((-1, -2, 3), False), ((-2, -2, -1), False)):
        coefficients = [number(round(c)) for c in np.poly(roots)[::-1]]
        values = evaluate(_negative_and_simple(coefficients), Rationals({}))
        assert all(v > 0 for v in values) is good
    complex_pair = [number(c) for c in (5, 7, 3, 1)]  # (s + 1)(s^2 + 2 s + 5)
    assert not all(v > 0 for v in evaluate(_negative_and_simple(complex_pair), Rationals({})))


def test_what_moves_with_time_has_no_steady_motions():
    from dalembert import EvaluationError

    with pytest.raises(EvaluationError, match="contain time"):
        steady(derive(gallery.load("disc-on-moving-plane"), "nonholonomic"))


def test_a_label_must_be_part_of_the_state():
    from dalembert import ExpressionError

    with pytest.raises(ExpressionError, match="unknown name 'lean'"):
        steady(derive(gallery.load("falling-rolling-disc"), "nonholonomic"), at={"lean": 0})


def test_controls_and_outputs_have_matrices():
    cart = System.of(
        name="cart and pendulum",
        coordinates={"x": "real", "q": "angle"},
        parameters={"M": 2, "m": 1, "l": 0.5, "g": 9.81},
        lagrangian="M*x'^2/2 + m*((x' + l*q'*cos(q))^2 + (l*q'*sin(q))^2)/2 - m*g*l*cos(q)",
        controls={"F": 0},
        forces={"x": "F"},
    )
    motion = steady(derive(cart, "euler-lagrange"), at={"q": 0, "x'": 1.5}, observe=["q"], exact=False).motions[0]
    assert motion.linear.names == ("q", "x'", "q'")
    assert motion.linear.control[:, 0] == pytest.approx([0, 0.5, -1.0])
    assert motion.linear.observed == pytest.approx(np.array([[1.0, 0.0, 0.0]]))
    assert motion.growth == pytest.approx(math.sqrt(9.81 * 3 / (0.5 * 2)))
    assert motion.turning == {"d/dx": pytest.approx(1.5)}


def test_a_steady_motion_is_proved_to_exist_and_one_beside_it_is_not():
    from dalembert.analysis.steady.existence import existence

    disc = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    at = {"theta": 0.3, "psi'": 1.4}
    motion = steady(disc, at=at, exact=False, prove=True).motions[0]
    assert motion.existence.kind == "proved"
    field = steady_field(disc)
    held = Held(tuple(map(field.label, at)), tuple(at.values()))
    y = np.array([*motion.state.values(), *motion.turning.values()])
    place = list(motion.state).index("phi'")
    y[place] += 1e-3
    assert existence(field, Point(y, field.problem.parameters), held).kind == "measured"


@pytest.mark.thorough
def test_a_bicycle_turns_steadily_without_hands():
    """Proved, although one equation more than there are unknowns is left: the energy takes care of it."""
    bicycle = derive(gallery.load("bicycle"), "nonholonomic")
    motion = steady(bicycle, at={"phi": 0.1}, exact=False, prove=True).motions[0]
    assert motion.existence.kind == "proved"
    assert "conserved" in motion.existence.evidence
    assert abs(motion.turning["d/dpsi + x d/dy - y d/dx"]) > 0.1


def test_controllability_is_decided():
    """Two pendulums of different lengths on a cart can be controlled by its force, of equal ones they cannot."""
    tables = {
        "coordinates": {"x": "real", "p": "angle", "q": "angle"},
        "lagrangian": "M*x'^2/2 + (x' + a*p'*cos(p))^2/2 + (a*p'*sin(p))^2/2 - g*a*cos(p)"
        " + (x' + b*q'*cos(q))^2/2 + (b*q'*sin(q))^2/2 - g*b*cos(q)",
        "controls": {"F": 0},
        "forces": {"x": "F"},
    }
    for lengths, answer in (({"a": 1, "b": 2}, True), ({"a": 1}, False)):
        text = tables["lagrangian"] if "b" in lengths else tables["lagrangian"].replace("b", "a")
        cart = System.of(name="cart", parameters={"M": 3, "g": 9.81, **lengths}, **{**tables, "lagrangian": text})
        at = {"p": 0, "q": 0, "p'": 0, "q'": 0}
        found = steady(derive(cart, "euler-lagrange"), at=at, observe=["p"]).families
        assert [one.linear.controllable.holds for one in found] == [answer]
        (linear,) = (one.linear for one in found)
        assert [list(map(repr, row)) for row in linear.observed] == [["1", "0", "0", "0", "0"]]
        assert linear.observable.holds is False  # the speed of the cart is not seen by an angle


@pytest.mark.thorough
def test_a_rattleback_is_unstable_in_both_directions_with_very_different_rates():
    """A stone by its parts whose axes of inertia are turned against those of its shape."""
    stone = System.of(
        name="rattleback",
        coordinates={"s": "angle", "p": "angle", "q": "angle", "x": "real", "y": "real", "z": "real"},
        parameters={"m": 1, "a": 0.2, "b": 0.03, "c": 0.02, "A": 2e-4, "B": 16e-4, "C": 17e-4, "g": 9.81},
        frames={"stone": {"turns": [["s", "z"], ["p", "x"], ["q", "y"]]}},
        points={"G": ["x", "y", "z"]},
        bodies={
            "stone": {"mass": "m", "frame": "stone", "centre": "G", "inertia": ["A", "B", "C", "-0.00002", 0, 0]},
        },
        contacts={"table": {"ellipsoid": "stone", "axes": ["a", "b", "c"]}},
        forces={"weight": {"gravity": "g"}},
    )
    derived = derive(stone, "nonholonomic")
    found = steady(derived, at={"p": 0, "q": 0, "z": 0.02}, over=("s'", [-5, 5]), exact=False)
    one, other = (motion.linear.eigenvalues for motion in found.motions)
    for value in one:  # the motion can be reversed
        assert np.abs(other + value).min() < 1e-8
    # mode by mode: what rolls quickly grows in one direction, what pitches slowly in the other, 25 times more slowly
    for values, (quick, slow) in ((one, (1.0, -1.0)), (other, (-1.0, 1.0))):
        rolls, pitches = sorted((v for v in values if v.imag > 1), key=lambda v: -v.imag)
        assert (rolls.real, rolls.imag) == pytest.approx((quick * 1.6977, 101.128), rel=1e-4)
        assert (pitches.real, pitches.imag) == pytest.approx((slow * 0.0680, 20.8259), rel=1e-3)
    motion = found.motions[1]
    by_flow, own = by_the_flow(derived, motion.state, motion.turning, 0.02, follows=("z",))
    for value in by_flow:
        assert np.abs(np.exp(0.02 * own) - value).min() < 2e-6


TOP = {"parameters": {"k": 9.81}, "momentum": {"turn": "3/4"}}
WITHOUT_CHARTS = {
    "pendulum": (
        {"coordinates": {"n": "direction"}, "lagrangian": "(n.x'^2 + n.y'^2 + n.z'^2)/2 - k*n.z", "start": {"n.x": 0.6},
         "symmetry": {"turn": {"n": "left 3"}}},
        {"coordinates": {"theta": "angle", "phi": "angle"}, "symmetry": {"turn": {"phi": 1}},
         "lagrangian": "(theta'^2 + sin(theta)^2*phi'^2)/2 - k*cos(theta)"},
        lambda state: state["n.z"],
    ),
    "top": (
        {"coordinates": {"R": "rotation"}, "lagrangian": "(R.w1^2 + R.w2^2)/2 + R.w3^2 - k*R.m33",
         "momentum": {"turn": 3, "spin": 4}, "symmetry": {"turn": {"R": "left 3"}, "spin": {"R": "right 3"}},
         "start": {"R": {"axis": [1, 0, 0], "angle": 0.9}}},
        {"coordinates": {"theta": "angle", "phi": "angle", "psi": "angle"}, "momentum": {"turn": 3, "spin": 4},
         "symmetry": {"turn": {"phi": 1}, "spin": {"psi": 1}},
         "lagrangian": "(theta'^2 + sin(theta)^2*phi'^2)/2 + (psi' + phi'*cos(theta))^2 - k*cos(theta)"},
        lambda state: 1 - 2 * (state["R.q1"] ** 2 + state["R.q2"] ** 2),
    ),
}  # fmt: skip


@pytest.mark.thorough("top")
@pytest.mark.parametrize("name", WITHOUT_CHARTS)
def test_on_a_level_set_relative_equilibria_are_those_of_the_amended_potential(name):
    """By a direction or a rotation from the field, by angles from V_mu: nothing is shared on the way."""
    free, chart, height = WITHOUT_CHARTS[name]
    by_angles = System.of(**{"name": "by angles", **TOP, **chart})
    (point,) = relative_equilibria(derive(by_angles, "routh"), region={"theta": (0.05, 3.1)}).points
    found = steady(derive(System.of(**{"name": name, **TOP, **free}), "routh"))
    assert found.families is None  # not solved in closed form, which does not mean that there are none
    (motion,) = found.motions
    assert height(motion.state) == pytest.approx(math.cos(point.position[by_angles.q[0]]), abs=1e-9)
