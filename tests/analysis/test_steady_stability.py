"""Stability of steady motions by name: energy-momentum, its nonholonomic form, Lyapunov and Malkin."""

from fractions import Fraction

import numpy as np
import pytest

from dalembert import System, derive, gallery, steady
from dalembert.expr.graph import ZERO, symbol
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
    one = _only(derive(gallery.load("heavy-top"), "euler-lagrange"), at={"R.q0": 1})
    assert one.nonlinear.method == "energy-momentum"
    assert [c.said for c in one.nonlinear.conditions if c.sign is None] == ["R.w3^2 > 4*g*I1*l*m/I3^2"]
    assert one.nonlinear.modulo == ("vertical", "spin")


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
    assert upright.stability.sentence.startswith("unstable")
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
