"""Equations are followed only where they hold: declared ranges, in every engine, ensembles, sweeps, code and pages."""

import json
from fractions import Fraction

import numpy as np
import pytest
from test_code_js import MOVES, NODE, node

from dalembert import System, load, simulate
from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import exp, symbol
from dalembert.expr.graph import ONE
from dalembert.mechanics.lagrangian.euler_lagrange import derive
from dalembert.model.equations import Equations
from dalembert.model.stored_form import written
from dalembert.numerics.codegen import code
from dalembert.numerics.engines import integrate
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.simulate import prepare
from dalembert.present.living import living_of
from dalembert.present.scripts import integrator

ENGINES = ["native", "scipy", "stiff", "taylor"]
RANGE_LEFT, POLE, HIT = -9, -10, np.sqrt(2)


def fall(domain, potential="abs(r)"):
    """Return a point under abs(r), which is r where that is declared positive."""
    return System.of(name="fall", coordinates={"r": domain}, lagrangian=f"r'^2/2 - ({potential})")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("domain", "potential", "side"), [("positive", "abs(r)", 1), ("negative", "-r", -1)])
def test_a_motion_ends_where_a_coordinate_leaves_its_declared_range(engine, domain, potential, side):
    """From r = 1 at rest, r = 1 - t^2/2 until it vanishes: beyond, the simplified force has the wrong sign."""
    run = simulate(derive(fall(domain, potential)), {"r": side, "r'": 0}, 6, engine=engine)
    assert run.status == RANGE_LEFT
    assert abs(run.t[-1] - HIT) < 1e-10
    assert "r leaves its declared range at t = 1.414" in run.message
    assert "The motion itself may go on" in run.message
    assert not run.events  # a condition of the equations is no event that anybody asked for
    back = simulate(derive(fall(domain, potential)), {"r": side, "r'": 0}, -6, engine=engine)
    assert (back.status, abs(back.t[-1] + HIT) < 1e-10) == (RANGE_LEFT, True)


def test_where_no_range_is_declared_the_motion_goes_on():
    """The twin: abs(r) of a real r stays as it is, and r is periodic."""
    run = simulate(derive(fall("real")), {"r": 1, "r'": 0}, 4 * HIT)
    assert run.status == 0
    assert abs(run["r"][-1] - 1) < 1e-3


@pytest.mark.parametrize("engine", ENGINES)
def test_a_range_that_is_only_touched_is_left(engine):
    """A free r = (t - 1)^2 - c has an even zero for c = 0, and is far from the end for c = -0.01."""
    touching = System.of(name="touch", coordinates={"r": "positive"}, lagrangian="r'^2/2 + 2*r")
    run = simulate(derive(touching), {"r": 1, "r'": -2}, 3, engine=engine)
    assert (run.status, abs(run.t[-1] - 1) < 1e-4) == (RANGE_LEFT, True)
    assert simulate(derive(touching), {"r": 1.01, "r'": -2}, 3, engine=engine).status == 0


def test_a_coordinate_declared_nonzero_keeps_the_sign_it_begins_with():
    free = System.of(name="free", coordinates={"r": "nonzero", "x": "real"}, lagrangian="(r'^2 + x'^2)/2")
    run = simulate(derive(free), {"r": -1, "r'": 1, "x": 1, "x'": -1}, 3)
    assert (run.status, abs(run.t[-1] - 1) < 1e-10) == (RANGE_LEFT, True)
    assert "r != 0" in run.message


@pytest.mark.parametrize("start", [-1, 0])
def test_a_start_outside_a_declared_range_is_refused(start):
    with pytest.raises(EvaluationError, match="the start violates r > 0"):
        simulate(derive(fall("positive")), {"r": start, "r'": 0}, 6)


def test_members_of_an_ensemble_end_as_single_motions_do():
    result = derive(fall("positive"))
    runs = simulate_ensemble(result, {"r": [1.0, 30.0, -1.0, 2.0], "r'": 0.0}, 6, samples=5)
    assert runs.status.tolist() == [RANGE_LEFT, 0, -7, RANGE_LEFT]
    assert runs.messages[3] == simulate(result, {"r": 2, "r'": 0}, 6).message
    assert "the start violates r > 0" in runs.messages[2]
    assert abs(runs.t[0] - HIT) < 1e-10


@pytest.mark.parametrize("target", ["jax", "casadi", "c", "julia", "js"])
def test_code_says_where_its_equations_hold(target):
    written = code(derive(fall("positive")), target)
    assert "hold only while r > 0" in " ".join(written.replace("//", "").replace("#", "").replace("*", "").split())
    assert "holds" not in code(derive(fall("real")), target)


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_a_page_stops_there_and_its_sliders_stay_in_the_range(tmp_path):
    result, path = derive(fall("positive")), tmp_path / "integrator.js"
    path.write_text(integrator())
    text = code(result, "js")
    (tmp_path / "fall.js").write_text(text)
    (tmp_path / "twin.js").write_text(text.replace("holds: function", "other: function"))
    runs = [{"path": str(tmp_path / f"{name}.js"), "start": [1.0, 0.0], "end": 3, "tolerance": 1e-11, "times": [0.5]}
            for name in ("fall", "twin")]  # fmt: skip
    stops, twin = node(MOVES, {"integrator": str(path), "runs": runs}, tmp_path)
    assert stops["ended"]
    assert abs(stops["last"] - HIT) < 1e-9
    assert "the equations hold only while r > 0" in stops["message"]
    assert (twin["ended"], twin["last"]) == (False, 3)
    living = living_of(result, simulate(result, {"r": 1, "r'": 0}, 1))
    assert living is not None
    assert json.loads(json.dumps(living.data["domains"]))["r"] == "positive"


# -- poles of the rates --------------------------------------------------------------------------------------
def beside_a_pole(lagrangian):
    return derive(System.of(name="pole", coordinates="x", lagrangian=lagrangian))


@pytest.mark.parametrize("engine", ENGINES)
def test_no_step_passes_over_a_pole(engine):
    """x'' = 2e-14/x^3 turns x back at 1.4e-7: x^2 = 2 E (t - 1)^2 + 1e-14/E; a step from 0.1 sees none of it."""
    run = simulate(beside_a_pole("x'^2/2 - 1e-14/x^2"), {"x": 1, "x'": -1}, 3, engine=engine)
    assert run.status == 0
    energy = 0.5 + 1e-14
    np.testing.assert_allclose(run["x"], np.sqrt(2 * energy * (run.t - 1) ** 2 + 1e-14 / energy), rtol=1e-6, atol=1e-8)
    assert min(abs(run["x"])) < 1e-5
    even = simulate(beside_a_pole("x'^2/2 - 1e-14/x^2"), {"x": 1, "x'": -1}, 3, engine=engine, samples=7)
    assert (len(even), abs(even["x"][-1] - 2) < 1e-6) == (7, True)


def test_far_from_a_pole_nothing_changes():
    """The twin: steps over the same pole, were it not there, and a motion that turns before it."""
    assert simulate(beside_a_pole("x'^2/2 - 1e-14*x^2"), {"x": 1, "x'": -1}, 3)["x"][-1] < -1.9
    run = simulate(beside_a_pole("x'^2/2 - 1/x^2"), {"x": 1, "x'": -1}, 3)
    assert (run.status, len(run) < 60, run["x"].min() > 0.1) == (0, True, True)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pole_that_is_reached_ends_the_motion(engine):
    """A pull towards x = 0, and a pole so weak that only its denominator says that it is there."""
    pulled = simulate(beside_a_pole("x'^2/2 + 1e-14/x^2"), {"x": 1, "x'": -1}, 3, engine=engine)
    assert pulled.status < 0
    assert abs(pulled.t[-1] - 1) < 1e-5
    weak = simulate(beside_a_pole("x'^2/2 - 1e-40*log(x^2)"), {"x": 1, "x'": -1}, 3, engine=engine)
    assert weak.status < 0
    assert abs(weak.t[-1] - 1) < 1e-9


def test_a_pole_of_even_order_is_found_without_a_change_of_sign():
    """The weak pole at x = y is met along x - y = (t - 1)^2 + c: touched for c = 0, and far away for c = 0.01."""
    lagrangian = "(x'^2 + y'^2)/2 + x - y - 1e-100/(x - y)^2"
    result = derive(System.of(name="even", coordinates="x y", lagrangian=lagrangian))
    run = simulate(result, {"x": 1, "y": 0, "x'": -2, "y'": 0}, 3)
    assert (run.status, abs(run.t[-1] - 1) < 1e-3) == (POLE, True)
    assert "no step past that excludes it" in run.message
    assert simulate(result, {"x": 1.01, "y": 0, "x'": -2, "y'": 0}, 3).status == 0


@pytest.mark.parametrize("engine", ENGINES[:2])
@pytest.mark.parametrize(
    ("lagrangian", "alike"),
    [
        ("x'^2/2 - sin(x)/x", "x'^2/2 - (1 - x^2/6 + x^4/120 - x^6/5040 + x^8/362880 - x^10/39916800)"),
        ("x'^2/2 - (1 - cos(x))/x^2", "x'^2/2 - (1/2 - x^2/24 + x^4/720 - x^6/40320 + x^8/3628800 - x^10/479001600)"),
    ],
)
def test_a_zero_beside_which_the_rates_stay_bounded_is_no_pole(engine, lagrangian, alike):
    """The same motion as by a series without a divisor; the wrong twin has cos(x), which does not vanish there."""
    start = {"x": 0.5, "x'": -1}
    run = simulate(beside_a_pole(lagrangian), start, 1, engine=engine)
    assert (run.status, run["x"][-1] < -0.4) == (0, True)
    assert abs(run["x"][-1] - simulate(beside_a_pole(alike), start, 1)["x"][-1]) < 1e-8
    twin = simulate(beside_a_pole("x'^2/2 - 1e-60*cos(x)/x"), start, 1, engine=engine)
    assert twin.status < 0


def test_what_goes_away_in_lowest_terms_is_no_condition():
    """The slope of sqrt(x^2) is x/sqrt(x^2), whose square is 1."""
    kept = [len(beside_a_pole(f"x'^2/2 - {one}").equations.holds_where) for one in ("sqrt(x^2)", "1/x", "1/(1 + x^2)")]
    assert kept == [0, 1, 0]


def test_members_of_an_ensemble_do_not_pass_over_poles():
    runs = simulate_ensemble(beside_a_pole("x'^2/2 - 1e-14/x^2"), {"x": [1.0, 1.5, 5.0], "x'": -1.0}, 3)
    assert runs.status.tolist() == [0, 0, 0]
    np.testing.assert_allclose(runs["x"], [2, 1.5, 2], atol=1e-6)


# -- what lies between the stages of a step ----------------------------------------------------------------------
def drawn_place(t, h, end):
    """Return the part of a step at which it is looked at besides, as the stepper draws it."""
    draw = (t + end * 0.7548776662466927) / h * 0.6180339887498949
    return 0.02 + 0.96 * (draw - np.floor(draw))


@pytest.mark.parametrize("together", [False, True])
def test_a_step_that_misses_the_equations_between_its_stages_is_refused(together):
    """A spike of width 1e-7 at the drawn place of the first step refuses it; the twin, elsewhere, is not seen.

    It depends on two variables, so that nobody can look for it beforehand.
    """
    s, y = symbol("s"), symbol("y")
    at = symbol("at", role="parameter")
    clock = Equations("spike", "", {s: ONE, y: exp(-((s - at + y**3) ** 2) * 10**14)}, parameters={at: 9})

    def knots(place):
        if together:
            run = simulate_ensemble(clock, {"s": 0.0, "y": 0.0}, 1, values={"at": np.array([place, place])})
            return int(run.steps[0])
        return simulate(clock, {"s": 0, "y": 0}, 1, values={"at": place}).t

    single = simulate(clock, {"s": 0, "y": 0}, 1, values={"at": 9}).t
    seen = single[1] * drawn_place(0.0, single[1], 1.0)
    quiet, hit, beside = knots(9.0), knots(seen), knots(seen + 0.02 * single[1])
    if together:
        assert (hit > quiet, beside == quiet) == (True, True)
    else:
        assert (hit[1] < quiet[1], beside[1] == quiet[1]) == (True, True)


def test_smooth_motions_take_the_steps_that_they_took():
    """No step of these is refused for what lies between its stages."""
    for lagrangian, start in (("x'^2/2 + cos(x)", {"x": 3, "x'": 0}), ("x'^2/2 - x^4", {"x": 1, "x'": 0})):
        result = beside_a_pole(lagrangian)
        for tolerance in (1e-5, 1e-10):
            run = simulate(result, start, 20, tolerance=tolerance)
            problem = prepare(result, start, 20, tolerance=tolerance)[0]
            assert run.provenance["steps"] == len(plain_steps(problem)) - 1


def plain_steps(problem):
    """Return the ends of the steps of SciPy's engine, which refuses none for that."""
    return integrate(problem, "scipy").t


@pytest.mark.parametrize("engine", ENGINES)
def test_no_step_is_larger_than_is_asked_for(engine, tmp_path):
    free = System.of(name="free", coordinates="x", lagrangian="x'^2/2", run={"max_step": 0.25})
    run = simulate(derive(free), {"x": 0, "x'": 1}, 3, engine=engine)
    assert np.diff(run.knots).max() <= 0.25 * (1 + 1e-12)
    assert np.diff(simulate(derive(free), {"x": 0, "x'": 1}, 3, engine=engine, max_step=0.1).knots).max() <= 0.1000001
    (tmp_path / "free.toml").write_text(written(free))
    assert load(tmp_path / "free.toml").run.max_step == Fraction(1, 4)
    without = System.of(name="free", coordinates="x", lagrangian="x'^2/2")
    assert np.diff(simulate(derive(without), {"x": 0, "x'": 1}, 3, engine=engine).knots).max() > 0.5
    with pytest.raises(ExpressionError, match="max_step must be positive"):
        simulate(derive(free), {"x": 0, "x'": 1}, 3, max_step=0)


def test_members_take_no_larger_steps_either():
    free = derive(System.of(name="free", coordinates="x", lagrangian="x'^2/2"))
    few, many = (simulate_ensemble(free, {"x": [0.0, 1.0], "x'": 1.0}, 3, max_step=h).steps for h in (None, 0.1))
    assert few.max() < 30 <= many.min()


# -- where motions may branch ----------------------------------------------------------------------------------
DOME = "x'^2/2 + abs(x)^(4/3)"
NOT_UNIQUE = -11


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("lagrangian", [DOME, "x'^2/2 + x^(4/3)", "x'^2/2 + (x^2)^(2/3)"])
def test_where_rates_have_no_lipschitz_bound_uniqueness_is_not_claimed(engine, lagrangian):
    """With energy 0 the motion reaches the top of the dome at t = 3/sqrt(2) and may leave it at any time, or stay."""
    result = beside_a_pole(lagrangian)
    run = simulate(result, {"x": 1, "x'": -np.sqrt(2)}, 3, engine=engine)
    assert run.status == NOT_UNIQUE
    assert 0 < 3 / np.sqrt(2) - run.t[-1] < 0.1
    assert "that no other motion has this start is not guaranteed" in run.message


def test_who_goes_across_is_followed():
    """Faster, the point crosses the top in one way only; slower, it turns far from it."""
    for engine in ENGINES[:2]:
        across = simulate(beside_a_pole(DOME), {"x": 1, "x'": -2}, 3, engine=engine)
        assert (across.status, across["x"][-1] < -7) == (0, True)
        turned = simulate(beside_a_pole(DOME), {"x": 1, "x'": -1}, 3, engine=engine)
        assert (turned.status, turned["x"].min() > 0.1) == (0, True)
        assert abs(across["energy"] - across["energy"][0]).max() < 1e-6


def test_a_start_on_top_is_not_followed_as_if_it_had_one_motion():
    run = simulate(beside_a_pole("x'^2/2 + x^(4/3)"), {"x": 0, "x'": 0}, 3)
    assert (run.status, len(run)) == (NOT_UNIQUE, 1)


def test_members_stop_there_too():
    runs = simulate_ensemble(beside_a_pole(DOME), {"x": 1.0, "x'": [-np.sqrt(2), -2.0, -1.0]}, 3)
    assert runs.status.tolist() == [NOT_UNIQUE, 0, 0]


def test_the_length_of_a_vector_is_lipschitz():
    """A spring at rest length: sqrt(x^2 + y^2) has a Lipschitz bound at 0, the root of order 3 has none."""
    for lagrangian, count in (("-(sqrt(1 + x^2 + y^2) - 1)^2", 0), ("-(x^2 + y^2)^(4/3)", 1)):
        system = System.of(name="spring", coordinates="x y", lagrangian=f"(x'^2 + y'^2)/2 {lagrangian}")
        assert sum(one.power is not None for one in derive(system).equations.holds_where) == count


def test_a_range_that_is_left_where_rates_end_is_left():
    """sqrt(r) has no value beyond r = 0: the coordinate leaves its range, and the steps do not merely collapse."""
    dome = derive(System.of(name="dome", coordinates={"r": "positive"}, lagrangian="r'^2/2 + r^(3/2)"))
    assert simulate(dome, {"r": 1, "r'": -2}, 3).status == RANGE_LEFT
    pulled = derive(System.of(name="pull", coordinates={"r": "positive"}, lagrangian="r'^2/2 + 1/r"))
    run = simulate(pulled, {"r": 1, "r'": 0}, 3)
    assert (run.status < 0, run.status != RANGE_LEFT) == (True, True)


# -- features that are narrower than a step ------------------------------------------------------------------------
WIDTHS = (1e-1, 1e-2, 1e-3, 1e-4)
PULSE = {width: derive(System.of(name="pulse", coordinates="x", parameters={"c": 5, "w": width},
                                 lagrangian="x'^2/2 - x^2/2 + x*exp(-((t - c)/w)^2)")) for width in WIDTHS}  # fmt: skip
WELL = {width: derive(System.of(name="well", coordinates="x", parameters={"c": 5, "w": width},
                                lagrangian="x'^2/2 + 50*exp(-((x - c)/w)^2)")) for width in WIDTHS}  # fmt: skip
PLACES = np.random.default_rng(20).uniform(2, 8, 8).tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pulse_of_force_on_a_point_at_rest_is_not_passed(engine):
    """The first example: x(10) is the area of the pulse times 5; a step alone sees nothing at all."""
    result = derive(System.of(name="pulse", coordinates="x", lagrangian="x'^2/2 + x*exp(-((t - 5)*20)^2)"))
    run = simulate(result, {"x": 0, "x'": 0}, 10, engine=engine)
    assert abs(run["x"][-1] - np.sqrt(np.pi) / 4) < 1e-7


@pytest.mark.parametrize("width", WIDTHS)
def test_every_pulse_is_found_wherever_it_is(width):
    """An oscillator at rest is left with the swing that the pulse gives it: 32 pulses of four widths."""
    area = np.sqrt(np.pi) * width * np.exp(-(width**2) / 4)
    for place in PLACES:
        run = simulate(PULSE[width], {"x": 0, "x'": 0}, 10, values={"c": place})
        assert abs(run["x"][-1] - area * np.sin(10 - place)) < 1e-7


@pytest.mark.parametrize("width", WIDTHS)
def test_every_well_is_found_wherever_it_is(width):
    """A point that moves at speed 1 gains what it is faster within: 32 wells of four widths."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    gain = 8 * width * weights @ (1 - 1 / np.sqrt(1 + 100 * np.exp(-((8 * nodes) ** 2))))
    for place in PLACES:
        run = simulate(WELL[width], {"x": 0, "x'": 1}, 10, values={"c": place})
        assert abs(run["x"][-1] - 10 - gain) < 0.02 * gain
    missed = integrate(prepare(WELL[width], {"x": 0, "x'": 1}, 10)[0])
    assert width > 1e-2 or abs(missed.y[0, -1] - 10) < 1e-9, "the twin: steps that nobody looks at see nothing"


def test_members_of_an_ensemble_do_not_pass_pulses():
    runs = simulate_ensemble(PULSE[1e-3], {"x": [0.0, 0.1], "x'": 0.0}, 10)
    area = np.sqrt(np.pi) * 1e-3
    np.testing.assert_allclose(runs["x"], area * np.sin(5) + np.array([0, 0.1]) * np.cos(10), atol=1e-7)


def test_smooth_parts_cost_no_further_steps():
    for part in ("exp(-x^2)", "sqrt(1 + x^2)", "1/(1.1 + cos(x))"):
        result = derive(System.of(name="smooth", coordinates="x", lagrangian=f"x'^2/2 - x^2/2 - {part}"))
        problem = prepare(result, {"x": 2, "x'": 0}, 20)[0]
        assert len(simulate(result, {"x": 2, "x'": 0}, 20).knots) == len(integrate(problem).t)
