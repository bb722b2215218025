"""Where there are no bounds: samples that become closer where a zero may hide, against a fixed number of them."""

from fractions import Fraction
from functools import partial
from math import acos, pi, sin

import numpy as np
import pytest
from event_functions import OSCILLATOR, X, near
from sampled_functions import followed, outcome

from dalembert.analysis.sweep import plan_of
from dalembert.expr import solve, symbol
from dalembert.model.equations import Equations
from dalembert.numerics.engines import integrate
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.jets import reached
from dalembert.numerics.problem import Event, Problem
from dalembert.numerics.roots import CROSSING, INTERVAL, TOUCH
from dalembert.numerics.sampling import MOST, Course, End, sampled, suspicious
from dalembert.numerics.sections import section
from dalembert.numerics.simulate import simulate
from dalembert.numerics.sweep.runner import run as run_sweep

Z = symbol("z")
HIDDEN = Equations("hidden", "", kinematics=OSCILLATOR.kinematics, implicit={Z: Z + Z**3 - X - X**3})
"""An oscillator, and its position once more as an unknown that nothing bounds."""
TOP, BESIDE = acos(0.5), acos(0.50001)
SAID = "no bounds and was only sampled: in 4 places of each step, and more closely where these suggest a zero."


def nothing(_):
    return 0.0


def product(first, second, t):
    return (t - first) * (t - second) * (t + 1)


def test_known_functions_as_callables_are_found_and_fixed_samples_miss_most():
    missed = fixed = 0
    for seed in range(40):
        one, crossings, touches, plain = outcome(seed)
        assert len(crossings) + len(touches) <= len(one.times), seed
        found = near(crossings, one.simple) and near(touches, one.double)
        missed, fixed = missed + (not found), fixed + (plain < len(one.times))
    assert missed <= 1  # an arc tangent that is flat in all four places of each step
    assert fixed > 30


@pytest.mark.parametrize("apart", [1e-3, 1e-4, 1e-5, 1e-6])
def test_pairs_between_the_places_and_across_them(apart):
    for place in (0.1, 0.3721, 0.5, 0.99999):
        value = partial(product, place, place + apart)
        found, _ = followed(value, nothing, np.linspace(0, 2, 3))
        assert [kind for kind, _ in found] == [CROSSING, CROSSING]
        assert [t for _, t in found] == pytest.approx([place, place + apart], abs=1e-10)


def test_double_zeros_are_touches_also_where_rounding_is_larger_and_where_two_steps_meet():
    def opened(t):
        return t * t - t + 0.25

    for value in (opened, lambda t: (t - 0.5) ** 2, lambda t: -((t - 0.5) ** 2) * (2 + sin(t))):
        for ends in (np.linspace(0, 1, 2), np.linspace(0, 1, 3), np.linspace(-0.1, 1.2, 4)):
            found, _ = followed(value, lambda _: 1e-16, ends)
            assert [kind for kind, _ in found] == [TOUCH], ends
            assert found[0][1] == pytest.approx(0.5, abs=3e-8)
    missed, _ = followed(lambda t: opened(t) + 1e-9, lambda _: 1e-16, np.linspace(0, 1, 2))
    assert missed == []


def test_where_a_function_is_zero_all_along_it_is_said_once_and_rounding_is_no_crossing():
    def rounding(s):
        return 1e-17 * np.cos(1e5 * s)

    assert [root.kind for root in sampled(Course(rounding, lambda _: 1e-12)).roots] == [INTERVAL]
    assert len(sampled(Course(rounding, nothing)).roots) > 10  # without an allowance these are crossings


def test_many_zeros_are_counted_and_the_limit_is_told():
    wave = Course(lambda s: np.sin(500 * s + 0.5), nothing)
    found = sampled(wave)
    assert found.complete
    assert len(found.roots) == 159
    much = sampled(Course(lambda s: np.sin(10000 * s + 0.5), nothing))
    assert not much.complete
    assert much.looks <= MOST


def test_what_does_not_exist_and_poles_are_no_zeros():
    def root(s):
        return np.sqrt(s - 0.3) - 0.5

    assert [r.part for r in sampled(Course(root, nothing)).roots] == pytest.approx([0.55], abs=1e-12)
    assert sampled(Course(lambda s: 1 / (s - 0.3), nothing)).roots == []


def test_quiet_steps_cost_five_looks_and_the_sign_of_the_step_before_counts():
    quiet = sampled(Course(lambda s: 3 + s, nothing), End(1))
    assert (quiet.looks, quiet.roots) == (5, [])
    assert [r.kind for r in sampled(Course(lambda s: 3 + s, nothing), End(-1)).roots] == [CROSSING]
    assert not suspicious(np.array([3.0, 3.1, 3.3, 3.2, 3.0]))
    assert suspicious(np.array([3.0, 1.1, 0.3, 1.2, 3.0]))


# -- through the engines -------------------------------------------------------------------------------------------
def hidden(events, engine="native", end=2 * pi + 0.9, tolerance=1e-12):
    events = tuple(Event(f"e{k}", event) for k, event in enumerate(events))
    start = (np.array([1.0, 0.0]), (0.0, end), np.zeros(0), np.array([1.0]))
    return integrate(Problem(HIDDEN, *start, tolerance=tolerance, events=events), engine)


@pytest.mark.parametrize("engine", ["native", "scipy", "stiff"])
@pytest.mark.thorough("stiff")
def test_engines_find_pairs_and_touches_of_what_has_no_bounds(engine):
    pair = (Z - Fraction(1, 2)) * (Z - Fraction(50001, 100000))
    motion = hidden([pair, (Z - Fraction(1, 2)) ** 2, Z + 1 + Fraction(1, 10**8), Z - X], engine)
    assert motion.event_times[0] == pytest.approx([BESIDE, TOP, 2 * pi - TOP, 2 * pi - BESIDE], abs=1e-8)
    assert motion.event_times[1] == pytest.approx([TOP, 2 * pi - TOP], abs=1e-8)
    assert [len(times) for times in motion.event_times[2:]] == [0, 0]
    assert "The events 'e0', 'e1', 'e2', 'e3' have no bounds and were only sampled" in motion.message
    assert "The event 'e1' touches zero without passing through it 2 times" in motion.message
    assert "The event 'e3' is zero over an interval from t = 0 on" in motion.message


def test_a_linear_system_of_many_rows_is_sampled_and_a_small_one_is_bounded():
    pair = (X - Fraction(1, 2)) * (X - Fraction(50001, 100000))
    events = []
    for rows in (3, 8):
        matrix = [[9 + X if i == j else (X + i) / (i + j + 1) for j in range(rows)] for i in range(rows)]
        events.append(solve(matrix, [row[0] * pair for row in matrix])[0])  # whose answer is the pair
    assert [reached(event) for event in events] == [True, False]
    problem = (OSCILLATOR, np.array([1.0, 0.0]), (0.0, 3.0), np.zeros(0))
    told = tuple(Event(name, event) for name, event in zip(("small", "large"), events, strict=True))
    motion = integrate(Problem(*problem, tolerance=1e-12, events=told))
    for times in motion.event_times:
        assert times == pytest.approx([BESIDE, TOP], abs=1e-8)
    assert f"The event 'large' has {SAID}" in motion.message
    assert "'small'" not in motion.message


@pytest.mark.thorough
def test_members_in_lanes_find_what_a_single_motion_finds_and_say_how():
    events = {"pair": "(z - 1/2)*(z - 0.50001)", "once": "z - 0.2", "far": "z - 3"}
    starts = {"x": [1.0, 0.9, 0.3], "x'": 0.0, "z": [1.0, 0.9, 0.3]}
    run = simulate_ensemble(HIDDEN, starts, 6, events=events, tolerance=1e-12)
    for k, x in enumerate(starts["x"]):
        alone = simulate(HIDDEN, {"x": x, "x'": 0, "z": x}, 6, events=events, tolerance=1e-12)
        for name in events:
            assert run.events[name][k] == pytest.approx(alone.events[name], abs=1e-9), (name, k)
        assert "have no bounds and were only sampled" in run.messages[k]
    assert [len(times) for times in run.events["pair"]] == [4, 4, 0]
    plain = simulate_ensemble(OSCILLATOR, {"x": [1.0], "x'": 0.0}, 1, events={"far": "x - 3"})
    assert "sampled" not in plain.messages[0]


def test_a_section_and_a_sweep_say_that_they_sampled(tmp_path):
    run = simulate(HIDDEN, {"x": 1, "x'": 0, "z": 1}, 2 * pi + 0.9, tolerance=1e-12)
    cut = section(run, "(z - 1/2)*(z - 0.50001)")
    assert cut.t == pytest.approx([BESIDE, TOP, 2 * pi - TOP, 2 * pi - BESIDE], abs=1e-8)
    assert SAID in cut.message
    events = {"pair": "(z - 1/2)*(z - 0.50001)"}
    told = {"start": {"x": 1, "z": 1}, "time": 6, "events": events, "tolerance": 1e-12}
    done = run_sweep(plan_of(HIDDEN, ["x'=0,0.1"], ["count(pair)"], **told), tmp_path / "store")
    assert done.message == f"The event 'pair' has {SAID}"
    assert done.to_xarray()["count(pair)"].values.tolist() == [4, 4]
    plain = {**told, "events": {"far": "x - 3"}, "start": {"x'": 0}}
    assert not run_sweep(plan_of(OSCILLATOR, ["x=1,2"], ["count(far)"], **plain), tmp_path / "plain").message
