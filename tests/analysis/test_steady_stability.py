"""Stability of steady motions by name: energy-momentum, its nonholonomic form, Lyapunov and Malkin."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpz_poly

from dalembert import System, Vocabulary, derive, gallery, parse, steady
from dalembert.analysis.steady.conditions import Condition, conditions, long_conditions, told
from dalembert.analysis.steady.exact_thresholds import stable_ranges
from dalembert.analysis.steady.existence import existence, fold_existence
from dalembert.analysis.steady.search import Held, Label, Point
from dalembert.analysis.steady.steady_field import steady_field
from dalembert.expr.graph import ONE, ZERO, number, symbol
from dalembert.expr.readers import Floats, Rationals
from dalembert.expr.walk import evaluate

CART = {
    "name": "cart and pendulum",
    "coordinates": {"x": "real", "q": "angle"},
    "parameters": {"M": 2, "m": 1, "l": 0.5, "g": 9.81, "c": 0.4},
    "lagrangian": "M*x'^2/2 + m*((x' + l*q'*cos(q))^2 + (l*q'*sin(q))^2)/2 + m*g*l*cos(q)",
}


def _only(result, **more):
    (one,) = steady(result, **more).families
    return one


def test_a_disc_is_stable_where_its_eigenvalues_say_so():
    """Zenkov, Bloch and Marsden: momenta are transported with the lean, by no formula that is elementary."""
    disc = derive(gallery.load("falling-rolling-disc"), "nonholonomic")
    for one in steady(disc, at={"theta": 0}).families:
        assert one.nonlinear.method == "nonholonomic energy-momentum"
        assert one.nonlinear.answer == "conditions"
        (asked,) = [c.said for c in one.nonlinear.conditions if c.sign is None]
        assert [c.said for c in one.stability.conditions] == [asked]
        assert one.dimension == one.stability.zeros == 2
        assert one.stability.is_linear


def test_work_on_the_disc_takes_the_theorem_away():
    """A moment that lets it spin faster the more it leans: energy is not kept, and nothing is said."""
    spoiled = gallery.load("falling-rolling-disc").but(forces={"psi": "theta'*theta"})
    found = steady(derive(spoiled, "nonholonomic"), at={"theta": 0})
    assert all(one.nonlinear is None for one in found.families or ())


def test_a_sleeping_top_is_stable_above_its_threshold():
    """At a point where the action is not free: one multiplier is open, and chosen."""
    top = derive(gallery.load("heavy-top"), "euler-lagrange")
    one = _only(top, at={"R.q0": 1})
    assert one.nonlinear.method == "energy-momentum"
    assert [c.said for c in one.nonlinear.conditions if c.sign is None] == ["R.w3^2 > 4*g*I1*l*m/I3^2"]
    assert one.nonlinear.modulo == ("vertical", "spin")
    assert one.ranges.holds == (True, False, True)
    for root in one.ranges.thresholds:
        assert fmpz_poly(list(root.polynomial))(arb(root.ball)).contains(0)
        assert root.ball.rad() < 1e-20
    assert one.ranges.thresholds[1].polynomial == (-5886, 0, 125)  # 4 g I1 l m / I3^2 at the stated values


def test_ranges_follow_the_values_of_the_parameters():
    w, k = symbol("w"), symbol("k", role="parameter", domain="positive")
    asked = conditions([w**2 - k, w * (w - 3) ** 2])
    near, far = (stable_ranges(asked, w, {k: value}) for value in (number(2), number(16)))
    assert near.holds == (False, True, True)  # 3 is left out
    assert [root.polynomial for root in near.thresholds] == [(-2, 0, 1), (-3, 1)]
    assert far.holds == (False, True)
    assert [root.polynomial for root in far.thresholds] == [(-4, 1)]


@pytest.mark.parametrize(
    ("positive", "said"),
    {
        "cos(a)": ["cos(a) > 0"],
        "w*cos(a)": ["w*cos(a) > 0"],
        "sin(a)*cos(a)": ["cos(a)*sin(a) > 0"],
        "1 + cos(a)": ["cos(a) + 1 != 0"],
        "1 - cos(a)": ["1 - cos(a) != 0"],
        "cos(a)^2": ["cos(a) != 0"],
        "1 + sin(a)": ["sin(a) + 1 != 0"],
        "sin(a)*(1 + cos(a))": ["sin(a) > 0"],
        "cos(a)*cos(b)": ["cos(a)*cos(b) > 0"],
        "2 + cos(a)": ["cos(a) + 2 > 0"],
    }.items(),
)
def test_conditions_on_angles_hold_at_straight_angles_too(positive, said):
    """The tangent of the half angle has no value there: -1 was excluded where the cosine is not to be positive."""
    words = Vocabulary.of(coordinates={"a": "angle", "w": "real"}, parameters={"b": "real"})
    asked = conditions([parse(positive, words)])
    assert [one.said for one in asked] == said
    assert [one.sign for one in asked] == [1 if positive == "2 + cos(a)" else None]


@pytest.mark.parametrize(
    "text", ["cos(a) + w", "sin(a)*(w + cos(a))^2", "(1 + cos(a))*(w*sin(a) - 1)", "cos(a)*cos(2*a)"]
)
def test_conditions_are_met_exactly_where_all_is_positive(text):
    words = Vocabulary.of(coordinates={"a": "angle", "w": "real"})
    asked = parse(text, words)
    found = conditions([asked])
    for turn in np.arange(-8, 9) / 8:
        for w in (-1.0, 0.0, 0.5, 2.0):
            value = Floats({words["a"]: turn * np.pi, words["w"]: w})
            wanted, *met = evaluate([asked, *(one.expression for one in found)], value)
            if abs(wanted) > 1e-9:
                assert (wanted > 0) == all(m > 1e-12 for m in met), (turn, w)
            else:
                assert not all(m > 1e-9 for m in met), (turn, w)


def test_a_free_body_is_stable_about_two_of_its_axes():
    """Modulo the rotations about its angular momentum, which are those that the momentum allows."""
    body = derive(gallery.load("free-rigid-body"), "euler-lagrange")
    one = _only(body, at={"R.q0": 1, "R.w2": 0, "R.w3": 0})
    assert one.nonlinear.modulo == ("e1",)
    sets = [{c.said for c in way if c.sign is None} for way in (one.nonlinear.conditions, one.nonlinear.otherwise)]
    assert sets == [{"R.w1 != 0", "I1 - I3 > 0", "I1 - I2 > 0"}, {"R.w1 != 0", "I3 - I1 > 0", "I2 - I1 > 0"}]


def test_a_sleigh_tends_to_a_straight_line_at_a_known_rate():
    sleigh = derive(gallery.load("chaplygin-sleigh"), "nonholonomic")
    one = _only(sleigh)
    assert one.nonlinear.method == "Lyapunov-Malkin"
    assert one.dimension == one.stability.zeros == 1
    motion = steady(sleigh, exact=False, at={"u": 0.7, "theta'": 0}).motions[0]
    put = {**sleigh.system.defaults, one.family.free[0]: Fraction(7, 10)}
    (rate,) = evaluate([one.stability.rate], Floats({v: float(x) for v, x in put.items()}))
    assert rate > 0.01
    assert min(motion.linear.eigenvalues.real) == pytest.approx(-rate)


def test_what_is_damped_is_asymptotically_stable_and_what_is_pushed_is_not():
    damped = derive(System.of(**CART, forces={"q": "-c*q'"}), "euler-lagrange")
    hanging, upright = sorted(steady(damped, at={"q'": 0}).families, key=lambda one: repr(one.family.values))
    assert hanging.nonlinear.method == "Lyapunov-Malkin"  # the cart keeps its momentum
    assert hanging.nonlinear.answer == "yes"
    assert upright.stability.answer == "no"
    assert upright.stability.sentence == "unstable for all parameter values."
    pushed = derive(System.of(**CART, forces={"q": "c*q'"}), "euler-lagrange")
    assert all(one.nonlinear is None for one in steady(pushed, at={"q'": 0}).families)


def test_a_flat_bottom_has_a_jordan_block_and_is_left_undecided():
    flat = System.of(name="flat", coordinates="x", lagrangian="x'^2/2 - x^4")
    one = _only(derive(flat, "euler-lagrange"))
    assert one.stability.blocks
    assert not one.stability.is_linear
    assert one.nonlinear.answer == "no"
    assert "undecided" in one.nonlinear.sentence


def test_no_sentence_calls_stable_what_only_eigenvalues_say():
    """A particle on a saddle that a magnetic field holds: spectrally stable, and by no theorem here stable."""
    saddle = System.of(
        name="saddle",
        coordinates="x y",
        parameters={"B": 5, "k": 1},
        lagrangian="(x'^2 + y'^2)/2 + B*(x*y' - y*x')/2 + k*(x^2 + y^2)/2",
    )
    one = _only(derive(saddle, "euler-lagrange"), at={"x": 0, "y": 0})
    assert one.stability.sentence.startswith("spectrally stable")
    assert one.nonlinear is None or one.nonlinear.answer != "yes"


def test_forms_are_definite_where_their_numbers_are():
    """Conditions against eigenvalues, at matrices drawn with all signs."""
    from dalembert.analysis.steady.definite import definite

    a, b, c = (symbol(name) for name in "abc")
    form = [[a, b, ZERO], [b, c, b], [ZERO, b, a + c]]
    ways = definite(form)
    seen = set()
    draw = np.random.default_rng(3)
    for _ in range(60):
        put = {v: int(x) for v, x in zip((a, b, c), draw.integers(-4, 5, 3), strict=True)}
        values = np.linalg.eigvalsh([[float(evaluate([e], Rationals(put))[0]) for e in row] for row in form])
        if min(abs(values)) < 1e-9:
            continue
        is_definite = bool((values > 0).all() or (values < 0).all())
        try:
            told = any(all(v > 0 for v in evaluate([o.expression for o in way], Rationals(put))) for way in ways)
        except ZeroDivisionError:
            continue
        assert told is is_definite
        seen.add(told)
    assert seen == {True, False}


# -- examples ------------------------------------------------------------------------------------------------------
TIPPE = System.of(
    name="tippe top",
    coordinates={"R": "rotation", "x": "real", "y": "real"},
    parameters={"m": 1, "r": 1, "h": "1/5", "A": "2/5", "C": "7/20", "g": 1, "c": "3/10"},
    lagrangian="m*(x'^2 + y'^2 + h^2*(R.m31*R.w2 - R.m32*R.w1)^2)/2 + (A*(R.w1^2 + R.w2^2) + C*R.w3^2)/2 + m*g*h*R.m33",
    let={
        "u": "x' + h*(R.w2*R.m11 - R.w1*R.m12) - r*(R.m21*R.w1 + R.m22*R.w2 + R.m23*R.w3)",
        "v": "y' + h*(R.w2*R.m21 - R.w1*R.m22) + r*(R.m11*R.w1 + R.m12*R.w2 + R.m13*R.w3)",
        "jellett": "A*r*(R.m31*R.w1 + R.m32*R.w2) + C*R.w3*(r*R.m33 - h)",
    },
    forces={
        "x": "-c*u",
        "y": "-c*v",
        "R.w1": "-c*(u*(-h*R.m12 - r*R.m21) + v*(-h*R.m22 + r*R.m11))",
        "R.w2": "-c*(u*(h*R.m11 - r*R.m22) + v*(h*R.m21 + r*R.m12))",
        "R.w3": "-c*(-u*r*R.m23 + v*r*R.m13)",
    },
)
"""A ball whose middle is off its centre of mass; it slides with viscous friction at its point of contact."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("held", "square", "inside"), [("R.q0", Fraction(16, 15), True), ("R.q1", Fraction(72, 5), False)]
)
def test_a_tippe_top_turns_over(held, square, inside):
    """Standing it is stable below r w^2 (C h + r (A - C)) = g h m (h - r)^2, on its head above the same with -h."""
    one = _only(derive(TIPPE, "euler-lagrange"), at={held: 1, "R.w1": 0, "R.w2": 0})
    m, r, h, a, c, g = 1, 1, Fraction(1, 5) * (1 if inside else -1), Fraction(2, 5), Fraction(7, 20), 1
    assert square == g * h * m * (h - r) ** 2 / (r * (c * h + r * (a - c)))
    assert one.nonlinear.method == "Lyapunov-Malkin"
    low, high = one.ranges.thresholds
    assert one.ranges.holds == ((False, True, False) if inside else (True, False, True))
    assert low.polynomial == high.polynomial == (-square.numerator, 0, square.denominator)


@pytest.mark.thorough
def test_jelletts_integral_is_kept_by_sliding_and_orders_its_steady_motions():
    from dalembert.expr.calculus import tangent
    from dalembert.expr.truth import Sphere, vanish

    field = steady_field(derive(TIPPE, "euler-lagrange"))
    facts = [Sphere(q) for q in TIPPE.spheres]
    rates = field.problem.equations.rates()
    assert vanish(tangent([field.label("jellett")], rates), facts)
    assert not vanish(tangent([field.label("jellett + R.w3/100")], rates), facts)
    found = steady(derive(TIPPE, "euler-lagrange"), at={"R.q0": 1, "R.w1": 0, "R.w2": 0}, over=("jellett", [0.2, 0.4]))
    assert [motion.grows for motion in found.motions] == [False, True]
    assert [motion.state["R.w3"] for motion in found.motions] == pytest.approx([0.2 / 0.28, 0.4 / 0.28])


@pytest.mark.thorough
def test_a_satellite_is_stable_in_the_regions_of_lagrange_and_of_debra_and_delp():
    """In the plane of Smelt: k1 = (I2 - I3)/I1, k3 = (I2 - I1)/I3; axes along velocity, across the orbit, to Earth."""
    kinetic = "(A*(R.w1 - n*R.m21)^2 + B*(R.w2 - n*R.m22)^2 + C*(R.w3 - n*R.m23)^2)/2"
    satellite = System.of(
        name="satellite",
        coordinates={"R": "rotation"},
        parameters={"A": 2, "B": 3, "C": "3/2", "n": 1},
        lagrangian=f"{kinetic} - 3*n^2*(A*R.m31^2 + B*R.m32^2 + C*R.m33^2)/2",
    )
    one = _only(derive(satellite, "euler-lagrange"), at={"R.q0": 1, "R.w1": 0, "R.w3": 0})
    assert {c.said for c in one.nonlinear.conditions if c.sign is None} == {"B - C > 0", "A - C > 0", "B - A > 0"}
    words = {p.data.name: p for p in satellite.parameters}
    seen = set()
    draw = np.random.default_rng(5)
    for _ in range(400):
        k1, k3 = (Fraction(int(x), 100) for x in draw.integers(-99, 100, 2))
        put = {words["A"]: 1 - k3, words["B"]: 1 - k1 * k3, words["C"]: 1 - k1, words["n"]: Fraction(1)}
        spectral = all(v > 0 for v in evaluate([c.expression for c in one.stability.conditions], Rationals(put)))
        lagrange = all(v > 0 for v in evaluate([c.expression for c in one.nonlinear.conditions], Rationals(put)))
        roll = 1 + 3 * k1 + k1 * k3
        assert spectral is (k1 > k3 and k1 * k3 > 0 and roll > 0 and roll**2 > 16 * k1 * k3)
        assert lagrange is (k1 > k3 > 0)
        seen.add((spectral, lagrange))
    assert seen == {(True, True), (True, False), (False, False)}


@pytest.mark.thorough
def test_a_double_spherical_pendulum_hangs_stably_with_repeated_eigenvalues():
    """Both planes have the same frequencies; the matrix decides that there is no Jordan block."""
    velocities = "({0}.x'*{1}.x' + {0}.y'*{1}.y' + {0}.z'*{1}.z')".format
    pendulum = System.of(
        name="double spherical pendulum",
        coordinates={"a": "direction", "b": "direction"},
        parameters={"m1": 1, "m2": 1, "l1": 1, "l2": 1, "g": 9.81},
        lagrangian=f"(m1 + m2)*l1^2*{velocities('a', 'a')}/2 + m2*l2^2*{velocities('b', 'b')}/2"
        f" + m2*l1*l2*{velocities('a', 'b')} - (m1 + m2)*g*l1*a.z - m2*g*l2*b.z",
    )
    motion = derive(pendulum, "euler-lagrange")
    at = {"a.x": 0, "a.y": 0, "b.x": 0, "b.y": 0}
    hanging = _only(motion, at={**at, "a.z": -1, "b.z": -1})
    assert (hanging.stability.answer, hanging.stability.repeated) == ("yes", "harmless")
    assert hanging.nonlinear.answer == "yes"
    folded = _only(motion, at={**at, "a.z": -1, "b.z": 1})
    assert folded.stability.sentence.startswith("unstable")
    leaning = steady(motion, at={"a.x": 0.5, "a.y": 0}, over=("m2", [0.5, 1, 2]), exact=False, prove=True)
    assert not any(one.grows for one in leaning.motions)
    assert [one.existence.kind for one in leaning.motions] == ["proved"] * 3  # lengths are among what is kept
    field = steady_field(motion)
    held = Held((field.label("a.x"), field.label("a.y")), (0.5, 0.0))
    one = leaning.motions[1]
    y = np.array([*one.state.values(), *one.turning.values()])
    assert existence(field, Point(y, field.problem.parameters), held).kind == "proved"
    assert existence(field, Point(y + 1e-3, field.problem.parameters), held).kind == "measured"


def test_a_fold_is_proved_on_the_extended_system_and_beside_it_nothing_is():
    """A bead on a hoop that turns about an axis beside its middle: two of its places meet as the hoop slows down."""
    hoop = System.of(
        name="hoop",
        coordinates={"q": "angle"},
        parameters={"W": 3, "g": 9.81, "e": "1/5"},
        lagrangian="q'^2/2 + W^2*(sin(q) + e)^2/2 + g*cos(q)",
    )
    motion = derive(hoop, "euler-lagrange")
    found = steady(motion, over=("W", [5.0, 4.5, 4.0, 3.5]), exact=False, prove=True)
    assert [one and one.existence.kind for one in found.motions] == ["proved", "proved", None, None]
    assert [turn.kind for turn in found.turns] == ["proved"]
    # there g tan(q) = W^2 (sin(q) + e) touches: e = -sin(q)^3, W^2 = g/cos(q)^3
    q = -np.arcsin(0.2 ** (1 / 3))
    assert found.folds == (pytest.approx(np.sqrt(9.81 / np.cos(q) ** 3), rel=1e-12),)
    field = steady_field(motion)
    beside = Point(np.array([q + 1e-3, 0.0]), np.array([found.folds[0], 9.81, 0.2]))
    assert fold_existence(field, beside, Held(), Label(place=0)).kind == "measured"


def test_an_energy_that_a_symmetry_of_the_motion_moves_is_no_ground_for_stability():
    """On a slope the shift along it is a symmetry of the motion of a blade, and not of its energy."""
    found = steady(derive(gallery.load("skateboard"), "nonholonomic"))
    assert found.families
    assert all(one.nonlinear is None or one.nonlinear.answer == "no" for one in found.families)
    assert all(one.stability.blocks for one in found.families)


def test_long_conditions_are_counted_in_the_sentence_and_given_in_full():
    asked = [Condition(ONE, None, said) for said in ("a > 0", f"{'b + ' * 200}c > 0")]
    assert told(asked) == "a > 0 and one long condition (--full)"
    assert told([*asked[1:], *asked[1:]]) == "2 long conditions (--full)"
    assert long_conditions(asked) == [asked[1].said]
