"""The native engine: its method, its steps, its dense output, its events."""

import math
import threading
from fractions import Fraction

import numpy as np
import pytest

from dalembert.expr import symbol
from dalembert.expr.elementary import cos, exp, sin, sqrt
from dalembert.expr.graph import ONE
from dalembert.expr.symbols import TIME
from dalembert.model.equations import Equations
from dalembert.numerics.compile.machine import quickly
from dalembert.numerics.dop853 import compiled
from dalembert.numerics.dop853.coefficients import EXTRA, STAGES, A, B, C, D
from dalembert.numerics.engines import integrate
from dalembert.numerics.engines.native import TIGHTEST
from dalembert.numerics.problem import Event, Problem

X, T = symbol("x"), symbol(TIME)
V = X.dot
W = symbol("w", role="parameter")
PENDULUM = Equations("pendulum", "", kinematics={X: V, V: -(W**2) * sin(X)}, parameters={W: 1})


def problem(equations=PENDULUM, start=(1.0, 0.0), span=(0.0, 20.0), parameters=(1.0,), **more):
    return Problem(equations, np.array(start, dtype=float), span, np.array(parameters, dtype=float), **more)


def scipy_motion(start, span, tolerance, w=1.0, **more):
    from scipy.integrate import solve_ivp

    def rates(_, y):
        return [y[1], -(w**2) * math.sin(y[0])]

    return solve_ivp(rates, span, start, method="DOP853", rtol=tolerance, atol=tolerance, **more)


# -- the numbers -------------------------------------------------------------------------------------------------
def close(left, right):
    return abs(left - right) < Fraction(1, 10**27)


def test_order_conditions_of_quadrature():
    for power in range(8):
        assert close(sum(b * C[j] ** power for j, b in B.items()), Fraction(1, power + 1))
    assert not close(sum(b * C[j] ** 8 for j, b in B.items()), Fraction(1, 9))


def test_each_stage_is_at_its_node():
    for i, row in A.items():
        assert close(sum(row.values()), C[i])


def test_order_conditions_of_tall_trees():
    weights = dict(B)
    chain = {j: Fraction(1) for j in range(STAGES)}
    for height in range(1, 9):  # b A^(k-1) 1 = 1/k!
        assert close(sum(b * chain[j] for j, b in weights.items()), Fraction(1, math.factorial(height)))
        chain = {
            i: sum((a * chain[j] for j, a in A[i].items()), Fraction(0)) if i else Fraction(0) for i in range(STAGES)
        }


def test_dense_weights_are_for_stages_that_exist():
    assert all(set(row) <= {*range(STAGES + 1), *EXTRA} for row in D)


# -- order, measured -----------------------------------------------------------------------------------------------
def fixed_step_error(steps, part=None):
    """The error of steps of one size, at the end or at a part of a step."""
    h = 2.0 / steps
    motion = integrate(problem(span=(0.0, 2.0), tolerance=1.0, largest_step=h))
    assert motion.steps == steps
    exact = scipy_motion([1.0, 0.0], (0, 2), 3e-14, dense_output=True)
    if part is None:
        return np.abs(motion.y[:, -1] - exact.y[:, -1]).max()
    times = (np.arange(steps) + part) * h
    return np.abs(motion.dense(times) - exact.sol(times)).max()


def test_the_method_has_order_eight():
    ends = [fixed_step_error(n) for n in (4, 8)]
    assert math.log2(ends[0] / ends[1]) > 7.5


def test_the_dense_output_has_order_seven():
    slopes = math.log2(fixed_step_error(4, 0.37) / fixed_step_error(8, 0.37))
    assert 6.8 < slopes < 8.6


def test_dense_output_joins_the_steps_exactly():
    motion = integrate(problem())
    assert motion.dense(motion.t).tobytes() == motion.y.tobytes()


def test_the_derivative_of_the_dense_output_obeys_the_equations():
    motion = integrate(problem(tolerance=1e-13))
    times, h = np.linspace(0.5, 19.5, 200), 1e-4
    slope = motion.dense.slope(times)
    assert np.abs(slope - (motion.dense(times + h) - motion.dense(times - h)) / (2 * h)).max() < 1e-7
    state = motion.dense(times)
    assert np.abs(slope - [state[1], -np.sin(state[0])]).max() < 1e-10


# -- agreement -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("tolerance", [1e-4, 1e-7, 1e-10])
def test_it_takes_the_steps_of_the_reference(tolerance):
    ours = integrate(problem(tolerance=tolerance))
    theirs = scipy_motion([1.0, 0.0], (0, 20), tolerance)
    assert abs(ours.steps - len(theirs.t) + 1) <= 0.1 * ours.steps + 2
    assert np.abs(ours.y[:, -1] - theirs.y[:, -1]).max() < 100 * tolerance
    assert ours.status == 0
    assert "reached t = " in ours.message


def test_parameters_change_without_compiling_again():
    first, method = integrate(problem(parameters=[1.0])), compiled(PENDULUM)
    second = integrate(problem(parameters=[2.0], tolerance=1e-11))
    assert compiled(PENDULUM) is method
    exact = scipy_motion([1.0, 0.0], (0, 20), 1e-12, w=2.0).y[:, -1]
    assert np.abs(second.y[:, -1] - exact).max() < 1e-8
    assert np.abs(first.y[:, -1] - exact).max() > 0.1


def test_equal_equations_share_their_code_and_others_do_not():
    again = Equations("another name", "else", kinematics=dict(PENDULUM.kinematics), parameters={W: 7})
    assert compiled(again) is compiled(PENDULUM)
    twin = Equations("twin", "", kinematics={X: V, V: W**2 * sin(X)}, parameters={W: 1})
    assert compiled(twin) is not compiled(PENDULUM)


def test_a_run_repeats_to_the_bit():
    runs = [integrate(problem(tolerance=1e-9)) for _ in range(3)]
    assert len({run.y.tobytes() for run in runs}) == 1
    assert len({run.dense(np.linspace(0, 20, 77)).tobytes() for run in runs}) == 1


def test_a_motion_is_not_touched_by_those_after_it():
    times = np.linspace(0, 20, 77)
    first = integrate(problem())
    seen = [first.y.tobytes(), first.t.tobytes(), first.dense(times).tobytes(), np.array(first.last()).tobytes()]
    for w in (2.0, 3.0):
        integrate(problem(parameters=[w], span=(0.0, 40.0)))
    after = [first.y.tobytes(), first.t.tobytes(), first.dense(times).tobytes(), np.array(first.last()).tobytes()]
    assert after == seen


def test_the_method_stays_with_its_equations_for_each_level():
    again = Equations("again", "", kinematics=dict(PENDULUM.kinematics), parameters={W: 7})
    with quickly():
        quick = compiled(again)
        assert compiled(again) is quick
    assert compiled(again) is compiled(PENDULUM)
    assert compiled(again) is not quick
    assert compiled(again, [X]) is not compiled(again)


def test_threads_share_the_code():
    alone = integrate(problem(tolerance=1e-12, span=(0.0, 400.0)))
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(integrate(problem(tolerance=1e-12, span=(0.0, 400.0)))))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.y.tobytes() for run in found] == [alone.y.tobytes()] * 4


def test_backwards_undoes_forwards():
    there = integrate(problem(tolerance=1e-13))
    back = integrate(problem(start=there.y[:, -1], span=(20.0, 0.0), tolerance=1e-13))
    assert np.abs(back.y[:, -1] - [1.0, 0.0]).max() < 1e-11
    assert np.all(np.diff(back.t) < 0)
    middle = np.array([3.0, 17.0, 11.0])
    assert np.abs(back.dense(middle) - there.dense(middle)).max() < 1e-11


def test_samples_are_the_dense_output_at_the_times_asked_for():
    times = np.linspace(0.0, 20.0, 41)
    sampled, free = integrate(problem(samples=times)), integrate(problem())
    assert sampled.t.tolist() == times.tolist()
    assert sampled.y.tobytes() == free.dense(times).tobytes()


def test_energy_stays_at_rounding_with_compensation():
    motion = integrate(problem(span=(0.0, 1000.0), tolerance=TIGHTEST))
    energy = motion.y[1] ** 2 / 2 - np.cos(motion.y[0])
    assert np.abs(energy - energy[0]).max() < 1e-13


def test_a_tolerance_beyond_rounding_is_said_to_be_cut():
    motion = integrate(problem(tolerance=1e-30, span=(0.0, 1.0)))
    assert motion.status == 0
    assert "tightest" in motion.message


def test_time_and_lift_and_many_variables():
    names = [symbol(f"z{k}") for k in range(21)]
    rates = {z: -(k + 1) * z + cos(T) for k, z in enumerate(names)}
    lifted = symbol("lifted")
    motion = integrate(
        problem(Equations("", "", rates, reconstruction={lifted: names[0] ** 2}), [1.0] * 22, (0.0, 3.0), [])
    )
    for k in (0, 7, 20):
        a = k + 1
        t = motion.t
        particular = (a * np.cos(t) + np.sin(t)) / (1 + a * a)
        exact = particular + (1 - a / (1 + a * a)) * np.exp(-a * t)
        assert np.abs(motion.y[k] - exact).max() < 1e-8
    assert motion.y[21, -1] > motion.y[21, 0]


def test_largest_step_is_kept():
    motion = integrate(problem(largest_step=0.05))
    assert np.diff(motion.t).max() <= 0.05 * (1 + 1e-2) + 1e-12


def test_no_time_at_all():
    motion = integrate(problem(span=(2.0, 2.0)))
    assert motion.status == 0
    assert motion.t.tolist() == [2.0]
    assert motion.dense(np.array([2.0]))[:, 0].tolist() == [1.0, 0.0]


def test_progress_is_told_on_long_runs():
    told = []
    integrate(problem(span=(0.0, 3000.0), tolerance=1e-13, progress=told.append))
    assert told == sorted(told)
    assert len(told) >= 2


# -- events ----------------------------------------------------------------------------------------------------
OSCILLATOR = Equations("oscillator", "", kinematics={X: V, V: -X})


def oscillator(events, span=(0.0, 20.0), start=(0.0, 1.0), **more):
    return integrate(Problem(OSCILLATOR, np.array(start), span, np.zeros(0), tolerance=1e-14, events=events, **more))


def test_events_are_located_to_twelve_digits():
    up, down, both = (Event(name, 2 * X - 1, direction) for name, direction in (("up", 1), ("down", -1), ("both", 0)))
    motion = oscillator((up, down, both))
    ups = np.pi / 6 + 2 * np.pi * np.arange(4)
    downs = 5 * np.pi / 6 + 2 * np.pi * np.arange(3)
    assert np.abs(motion.event_times[0] - ups).max() < 1e-12
    assert np.abs(motion.event_times[1] - downs).max() < 1e-12
    assert np.abs(motion.event_times[2] - np.sort([*ups, *downs])).max() < 1e-12
    assert np.abs(motion.event_states[0][0] - 0.5).max() < 1e-14


def test_a_terminal_event_ends_the_motion_there():
    motion = oscillator((Event("top", V, -1, terminal=True), Event("half", 2 * X - 1)))
    assert motion.status == 1
    assert "'top'" in motion.message
    assert abs(motion.t[-1] - np.pi / 2) < 1e-12
    assert abs(motion.y[0, -1] - 1) < 1e-13
    assert len(motion.event_times[1]) == 1


def test_leaving_zero_is_no_event_and_arriving_is():
    motion = oscillator((Event("centre", X),), span=(0.0, 7.0))
    assert np.abs(motion.event_times[0] - [np.pi, 2 * np.pi]).max() < 1e-12


def test_two_crossings_within_a_step_are_found():
    motion = integrate(
        Problem(
            Equations("fast clock", "", kinematics={X: ONE}), np.zeros(1), (0.0, 10.0), np.zeros(0),
            events=(Event("window", (X - 5) ** 2 - 4),),
        )
    )  # fmt: skip
    assert motion.event_times[0] == pytest.approx([3.0, 7.0], abs=1e-11)


def test_events_backwards_are_in_the_order_of_the_motion():
    motion = oscillator((Event("centre", X),), span=(0.0, -7.0))
    assert np.abs(motion.event_times[0] - [-np.pi, -2 * np.pi]).max() < 1e-12


def test_samples_end_at_a_terminal_event():
    motion = oscillator((Event("top", V, -1, terminal=True),), samples=np.linspace(0, 20, 201))
    assert motion.t[-1] == pytest.approx(1.5)


# -- unknowns --------------------------------------------------------------------------------------------------
U = symbol("u")
HIDDEN = Equations("hidden", "", kinematics={X: -U}, implicit={U: U + exp(U) - X - 1})
"""x' = -u with u + e^u = x + 1."""


def test_implicit_unknowns_follow_along():
    motion = integrate(Problem(HIDDEN, np.array([2.0]), (0.0, 3.0), np.zeros(0), np.zeros(1), tolerance=1e-12))
    u = motion.unknowns[0]
    assert np.abs(u + np.exp(u) - motion.y[0] - 1).max() < 1e-13
    # by hand: x = u + e^u - 1 gives (1 + e^u) u' = -u
    from scipy.integrate import solve_ivp

    there = solve_ivp(lambda _, z: -z / (1 + np.exp(z)), (0, 3), [u[0]], method="DOP853", rtol=1e-12, atol=1e-13)
    assert abs(there.y[0, -1] - u[-1]) < 1e-11


def test_implicit_unknowns_at_samples_and_in_events():
    times = np.linspace(0, 3, 7)
    motion = integrate(
        Problem(
            HIDDEN, np.array([2.0]), (0.0, 3.0), np.zeros(0), np.zeros(1), 1e-12, (Event("half", 2 * U - 1),), times
        )
    )
    u = motion.unknowns[0]
    assert np.abs(u + np.exp(u) - motion.y[0] - 1).max() < 1e-13
    assert motion.event_states[0][0] == pytest.approx(0.5 + math.exp(0.5) - 1, abs=1e-12)


def test_a_wrong_twin_is_seen():
    twin = Equations("twin", "", kinematics={X: V, V: -(W**2) * X}, parameters={W: 1})
    right, wrong = integrate(problem()), integrate(problem(twin))
    assert np.abs(right.y[:, -1] - wrong.y[:, -1]).max() > 0.1


def test_square_roots_in_the_rates():
    motion = integrate(Problem(Equations("", "", {X: sqrt(X)}), np.array([1.0]), (0.0, 4.0), np.zeros(0)))
    assert motion.y[0, -1] == pytest.approx(9.0, abs=1e-8)
