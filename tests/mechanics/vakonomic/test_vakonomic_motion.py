"""Vakonomic motions: the numbers of the literature, initial data, criticality of the action, all formulations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from vakonomic_results import derived

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.mechanics.nonholonomic import linear_constraints
from dalembert.mechanics.vakonomic.initial_data import data_count
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic, derive
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate

SKATE_START = {"phi": 0.3, "x'": 1.2 * np.cos(0.3), "y'": 1.2 * np.sin(0.3), "phi'": 0.5, "blade": 0.4}


def run(result: Vakonomic, values: dict[str, Any] | None, time: float, **options: Any) -> Trajectory:
    found = result.initial_state(values)
    own = {v: found[v] for v in (*result.equations.state, *result.equations.implicit)}
    return simulate(result.equations, own, time, tolerance=1e-13, **options)


@pytest.fixture(scope="module")
def skate() -> Vakonomic:
    return derived("skateboard")


SKATE_STATES = {
    0.5: (0.386310253631, 0.179666815247, 0.68678843945, 0.326406919482, 1.062202067088, 1.596395696006),
    1.0: (0.264227996808, -0.043941621839, 1.136362905647, -1.306901456933, 0.343875121066, 2.000512427478),
    2.0: (0.290349423836, -0.771734920539, -0.234458657829, 2.165669461604, -0.129920114083, 3.623528468817),
    4.0: (0.883568096924, -1.830017107848, 0.098398106295, 0.469876916482, 3.528310829105, 8.112914472978),
}


@pytest.mark.parametrize("time", SKATE_STATES)
def test_skate_states(skate: Vakonomic, time: float) -> None:
    """Through t = 0.6, where the speed is zero and N is not defined."""
    motion = run(skate, SKATE_START, time)
    x, y, phi, p_x, p_y, p_phi = (motion[n][-1] for n in ("x", "y", "phi", "p_x", "p_y", "p_phi"))
    speed = p_x * np.cos(phi) + p_y * np.sin(phi)
    found = (x, y, phi, speed, p_phi / 0.7, motion["multiplier blade"][-1])
    assert np.max(np.abs(np.array(found) - SKATE_STATES[time])) < 1e-9
    assert abs(motion["energy"][-1] - 0.8075) < 1e-11
    assert abs(motion["momentum across"][-1] - 1.26461186961526) < 1e-11
    assert abs(motion["momentum up"][-1] + 0.027510347657) < 1e-11


def test_skate_reduced_to_second_order_meets_the_others() -> None:
    """x'' and y'' from E and mu_x alone, with the sign of phi'; as long as phi' and y' are not zero."""
    m, inertia, g, energy, momentum = 1.0, 0.7, 2.0, 0.8075, 1.26461186961526

    def rates(_: float, z: np.ndarray) -> list[float]:
        _x, y, u, v = z
        square = u * u + v * v
        turning = np.sqrt(2 * (energy - m * square / 2 - g * y) / inertia)
        matrix = [[-v, u], [m * u, m * v]]
        right = [turning * square, (m * u - momentum) * turning * square / v - g * v]
        return [u, v, *np.linalg.solve(matrix, right)]

    begin = [0.0, 0.0, SKATE_START["x'"], SKATE_START["y'"]]
    end = solve_ivp(rates, (0, 0.5), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]
    assert np.max(np.abs(end[:2] - SKATE_STATES[0.5][:2])) < 1e-9


def test_separation_from_the_nonholonomic_motion(skate: Vakonomic) -> None:
    other = linear_constraints.derive(skate.system)
    plain = simulate(other, {}, 1, tolerance=1e-13)
    assert abs(plain["x"][-1] - 0.6583066804) < 1e-9
    assert abs(plain["y"][-1] - 0.3531540195) < 1e-9
    for start, apart in ((0.0, 0.3397), (0.4, 0.5594)):
        motion = run(skate, {**SKATE_START, "blade": start}, 1)
        distance = np.hypot(motion["x"][-1] - plain["x"][-1], motion["y"][-1] - plain["y"][-1])
        assert abs(distance - apart) < 1e-4


def first_variation(at: dict[str, np.ndarray], push: Any, weights: np.ndarray) -> float:
    """The derivative of the action on P of a field that vanishes at both ends, by Gauss' rule on (0, 1/2).

    P(a, b, .) = (a, b, (b' cos - a' sin)/v), here with a = 0.7 s^3, b = -1.1 s^3 and s = t (1 - 2 t).
    """
    t, phi, v, w = at["t"], at["phi"], at["v"], at["w"]
    s, s1, s2 = t * (1 - 2 * t), 1 - 4 * t, -4.0
    value, first, second = s**3, 3 * s**2 * s1, 6 * s * s1**2 + 3 * s**2 * s2
    a, b = 0.7, -1.1
    across, along = b * np.cos(phi) - a * np.sin(phi), b * np.sin(phi) + a * np.cos(phi)
    v_rate = -2 * np.sin(phi) - push * w
    c = first * across / v
    c_rate = (second * across - first * w * along - c * v_rate) / v
    return float(0.25 * np.sum(weights * (v * along * first + 0.7 * w * c_rate - 2.0 * b * value)))


def test_the_action_is_critical_and_the_twin_is_not(skate: Vakonomic) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(60)
    t = 0.25 * (nodes + 1)
    motion = run(skate, SKATE_START, 0.5, samples=t)
    phi, p_x, p_y = (motion[n] for n in ("phi", "p_x", "p_y"))
    critical = {"t": t, "phi": phi, "v": p_x * np.cos(phi) + p_y * np.sin(phi), "w": motion["p_phi"] / 0.7}
    assert abs(first_variation(critical, motion["multiplier blade"], weights)) < 1e-9
    phi = 0.3 + 0.5 * t  # the nonholonomic motion: w' = 0, v' = -2 sin(phi)
    twin = {"t": t, "phi": phi, "v": 1.2 + 4 * (np.cos(phi) - np.cos(0.3)), "w": 0.5 + 0 * t}
    assert abs(first_variation(twin, 0.0, weights)) > 1e-3


# -- elastica ------------------------------------------------------------------------------------------------
def curve_start(kappa: float, slope: float, multiplier: float) -> dict[str, float]:
    c, s = np.cos(0.4), np.sin(0.4)
    return {
        "x": 0.2, "y": -0.1, "x'": c, "y'": s, "x''": -kappa * s, "y''": kappa * c,
        "x'''": -slope * s - kappa**2 * c, "y'''": slope * c - kappa**2 * s, "length": multiplier,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "start", "length", "momenta", "end"),
    [
        ("k^2", (1, 0.3, 0.5), 6.0, (-0.22687949, -0.74734577, 1.8278428973),
         (-3.47079345, 0.9350906, 3.18729305, -0.48909639)),
        ("k^4", (1, 0.2, 0.8), 1.5, (-1.09173017, -3.06726674, 3.2773736357),
         (0.70139545, 1.1488578, 1.98175176, 1.01433501)),
    ],
)  # fmt: skip
def test_elastica(value: str, start: Any, length: float, momenta: Any, end: Any) -> None:
    system = gallery.load("elastica").but(functions={"F": {"of": ["k"], "value": value}})
    result = derived("elastica") if value == "k^2" else derive(system)
    motion = run(result, curve_start(*start), length)
    for name, wanted in zip(("momentum e1", "momentum e2", "momentum turn"), momenta, strict=True):
        assert abs(motion[name][0] - wanted) < 1e-8
        assert np.ptp(motion[name]) < 1e-10
    assert np.ptp(motion["multiplier length"]) < 1e-10
    assert np.max(np.abs(motion["length"])) < 1e-11
    x, y = motion["x"][-1], motion["y"][-1]
    turned = np.arctan2(motion["y'"][-1], motion["x'"][-1]) - end[2]
    assert np.max(np.abs(np.array([x, y]) - end[:2])) < 1e-7
    assert abs(np.sin(turned)) < 1e-7
    # F'(kappa) is an affine function of the position
    affine = momenta[2] - momenta[1] * x + momenta[0] * y
    slope = {"k^2": lambda k: 2 * k, "k^4": lambda k: 4 * k**3}[value](end[3])
    assert abs(affine - slope) < 1e-6


# -- others --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("rate", "height"), [(1.0, 1.429439995970), (2.0, 0.784926937275)])
def test_heisenberg_geodesics_are_circles(rate: float, height: float) -> None:
    result = derived("heisenberg")
    motion = run(result, {"x'": 1, "area": rate}, 3)
    t = motion["t"]
    assert np.max(np.abs(motion["x"] - np.sin(rate * t) / rate)) < 1e-11
    assert np.max(np.abs(motion["y"] - (1 - np.cos(rate * t)) / rate)) < 1e-11
    assert np.max(np.abs(motion["z"] - (rate * t - np.sin(rate * t)) / (2 * rate**2))) < 1e-11
    assert abs(motion["z"][-1] - height) < 1e-11
    cut = run(result, {"x'": 1, "area": rate}, 7, events={"over the start": "x = 0 rising"})
    later = cut.events["over the start"]
    assert abs(later[later > 0.1][0] - 2 * np.pi / rate) < 1e-9


DISC = gallery.load("vertical-rolling-disc").but(parameters={"m": 1, "R": 0.8, "I1": 0.6, "I2": 0.4})


def test_vertical_disc() -> None:
    result = derive(DISC)
    start = {"psi": 0.5, "phi'": 1.1, "psi'": 0.9}
    speed = {"x'": 0.88 * np.cos(0.5), "y'": 0.88 * np.sin(0.5)}
    apart = run(result, {**start, "p.x": 0.7, "p.y": -0.3}, 4)
    wanted = (0.59054039, -1.06199082, 3.38831806, 5.19368811)
    assert np.max(np.abs([apart[n][-1] for n in ("x", "y", "phi", "psi")] - np.array(wanted))) < 1e-7
    same = run(result, {**start, **speed, "rolls_in_x": -speed["x'"], "rolls_in_y": -speed["y'"]}, 4)
    plain = (-1.26886481, 1.42013081, 4.4, 4.1)
    assert np.max(np.abs([same[n][-1] for n in ("x", "y", "phi", "psi")] - np.array(plain))) < 1e-7
    other = simulate(linear_constraints.derive(DISC), start, 4, tolerance=1e-13)
    assert np.max(np.abs([other[n][-1] for n in ("x", "y", "phi", "psi")] - np.array(plain))) < 1e-7


def test_particle_with_a_constraint_that_is_not_homogeneous_in_space() -> None:
    system = gallery.load("nonholonomic-particle")
    result = derive(system)
    motion = run(result, {"y": 0.5, "x'": 0.3, "y'": -0.4, "slope": 0.25}, 2)
    assert np.ptp(motion["energy"]) < 1e-11
    assert np.ptp(motion["slope"]) < 1e-12
    assert abs(motion["multiplier slope"][-1] - 0.25) > 1e-3


def test_implicit_and_explicit_forms_of_a_nonlinear_constraint_meet() -> None:
    """Appell and Hamel's constraint, solved for z' (state of velocities) and squared (Newton inside the steps)."""
    common = {
        "name": "pulley", "coordinates": "x y z", "parameters": {"a": 0.5, "g": 3},
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - g*z",
    }  # fmt: skip
    plain = derive(System.of(**common, constraints={"c": "z' = a*sqrt(x'^2 + y'^2)"}))
    bent = derive(System.of(**common, constraints={"c": "z'^2 = a^2*(x'^2 + y'^2)"}, start={"z'": 1}))
    assert plain.equations.velocities
    assert bent.equations.implicit
    start = {"x'": 3.0, "y'": 4.0, "z'": 2.5}
    first = run(plain, {**start, "c": 0.6}, 0.5)
    second = run(bent, {**start, "c": 0.6 / 5.0}, 0.5)  # z'^2 - u^2 = (z' - u)(z' + u), and z' + u = 5
    for name in ("x", "y", "z"):
        assert abs(first[name][-1] - second[name][-1]) < 1e-9
    assert abs(first["energy"][-1] - first["energy"][0]) < 1e-9


# -- order 2 in closed form ----------------------------------------------------------------------------------
SPLINE_START = {
    "x": 0.3, "y": 0.1, "z": -0.2, "x'": 1, "y'": 0.8, "x''": 0.2, "y''": -0.5, "x'''": 0.1, "y'''": 0.4, "held": 0.5,
}  # fmt: skip


@pytest.fixture(scope="module")
def spline() -> Vakonomic:
    return derive(
        System.of(
            name="a spline along a contact structure",
            coordinates="x y z",
            lagrangian="(x''^2 + y''^2 + z''^2)/2",
            constraints={"held": "z' = x*y'"},
            start=SPLINE_START,
            run={"time": 2},
        )
    )


def spline_end(multiplier: float, sign: int = 1) -> np.ndarray:
    """x, y, z and lambda at t = 2 by the equations of L + lambda (z' - x y'), written down by hand.

    x'''' = lambda y', y'''' = -(lambda x)', z'''' = lambda', and (x y')''' for z'''' gives lambda'.
    """

    def rates(_: float, s: np.ndarray) -> list[float]:
        x, x1, x2, x3, _y, y1, y2, y3, _z, push = s
        rate = (x3 * y1 + 3 * x2 * y2 + 3 * x1 * y3 - sign * x * push * x1) / (sign * (1 + x * x))
        return [x1, x2, x3, sign * push * y1, y1, y2, y3, -sign * (rate * x + push * x1), x * y1, rate]

    begin = [0.3, 1, 0.2, 0.1, 0.1, 0.8, -0.5, 0.4, -0.2, multiplier]
    return solve_ivp(rates, (0, 2), begin, method="DOP853", rtol=1e-12, atol=1e-13).y[[0, 4, 8, 9], -1]


@pytest.mark.parametrize("name", ["held", "lambda.held", "multiplier held"])
def test_a_start_of_order_two_in_closed_form(spline: Vakonomic, name: str) -> None:
    """The multiplier is asked for, taken under each of its names, and the motion is that of the equations by hand."""
    motion = simulate(spline, {name: 0.7}, tolerance=1e-12)
    end = np.array([motion[n][-1] for n in ("x", "y", "z", "multiplier held")])
    assert np.max(np.abs(end - spline_end(0.7))) < 1e-8
    assert np.ptp(motion["energy"]) < 1e-11
    assert np.max(np.abs(motion["held"])) < 1e-11
    assert np.max(np.abs(end - spline_end(0.5))) > 1e-3  # another multiplier is another motion,
    assert np.max(np.abs(end - spline_end(0.7, sign=-1))) > 1e-3  # and so is the other sign


def test_a_multiplier_of_order_two_is_zero_if_it_is_not_given(spline: Vakonomic) -> None:
    less = derive(spline.system.but(start={k: v for k, v in SPLINE_START.items() if k != "held"}))
    assert simulate(less).y[:, 0] == pytest.approx(simulate(spline, {"held": 0}).y[:, 0], abs=1e-14)
    with pytest.raises(HypothesisError, match="a list stands where a number is expected"):
        simulate(less, {"held": [1, 2]})


# -- initial data --------------------------------------------------------------------------------------------
def test_the_count(skate: Vakonomic) -> None:
    assert data_count(skate).startswith("6 numbers: 3 coordinates, 2 admissible velocities (3 less 1)")


def test_velocities_that_follow_may_be_left_out(skate: Vakonomic) -> None:
    whole = skate.initial_state(SKATE_START)
    less = skate.initial_state({k: v for k, v in SKATE_START.items() if k != "y'"})
    assert all(abs(whole[k] - less[k]) < 1e-12 for k in whole)


def test_multipliers_that_are_left_out_are_zero(skate: Vakonomic) -> None:
    plain = {k: v for k, v in SKATE_START.items() if k != "blade"}
    zero = skate.initial_state({**plain, "blade": 0})
    assert skate.initial_state(plain) == pytest.approx(zero, abs=1e-14)
    assert skate.initial_state(SKATE_START) != pytest.approx(zero, abs=1e-3)
    run = simulate(skate.equations, plain, 0.1, system=skate.system.but(start=None))
    assert run["multiplier blade"][0] == pytest.approx(0, abs=1e-14)
    assert [run.y[run.names.index(v.data.label), 0] for v in zero] == pytest.approx([*zero.values()], abs=1e-13)


def test_costates_instead_of_multipliers(skate: Vakonomic) -> None:
    whole = skate.initial_state(SKATE_START)
    p_x = whole[skate.form.costates[0]]
    plain = {k: v for k, v in SKATE_START.items() if k != "blade"}
    again = skate.initial_state({**plain, "p.x": p_x})
    assert all(abs(whole[k] - again[k]) < 1e-12 for k in whole)
    only = skate.initial_state(
        {"phi": 0.3} | {f"p.{q.data.name}": whole[p] for q, p in zip(skate.system.q, skate.form.costates, strict=True)},
    )
    assert all(abs(whole[k] - only[k]) < 1e-12 for k in whole)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"y'": 1.0}, "the values do not obey the constraint 'blade'"),
        ({"p.x": 9.0, "p.y": 3.0}, "the costates do not fit the velocities"),
        ({"speed": 1.0}, "'speed' is not a coordinate, derivative, speed, constraint or costate"),
    ],
)
def test_data_that_do_not_fit(skate: Vakonomic, change: dict[str, Any], sentence: str) -> None:
    values = {k: v for k, v in {**SKATE_START, **change}.items() if v is not None}
    with pytest.raises(HypothesisError) as caught:
        skate.initial_state(values)
    assert sentence in str(caught.value)


def test_other_parameters(skate: Vakonomic) -> None:
    heavy = skate.initial_state(SKATE_START, {"I": 1.4})
    assert abs(heavy[skate.form.costates[2]] - 0.7) < 1e-15
    with pytest.raises(HypothesisError, match="'J' is not a parameter"):
        skate.initial_state(SKATE_START, {"J": 1.4})
