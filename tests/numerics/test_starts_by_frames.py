"""Systems written down with SymPy's frames, started without their zeros, against motions found in other ways."""

from pathlib import Path

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp
from sympy.physics.mechanics import ReferenceFrame, dot, dynamicsymbols

from dalembert import System, derive, simulate
from dalembert.model.files import load

LINKAGES = Path(__file__).parents[1] / "linkages"


def test_a_double_spherical_pendulum():
    """Both bobs hang aslant, and only the first turns about the vertical. Beside it: two points held by two rods."""
    q = a, b, c, d = dynamicsymbols("a b c d")  # angles from the vertical, and about it
    space = ReferenceFrame("N")
    bob, lagrangian = 0 * space.x, 0
    for lean, turn in ((a, b), (c, d)):
        vertical = space.orientnew(f"V{turn.name}", "Axis", (turn, space.z))
        bob = bob - vertical.orientnew(f"R{turn.name}", "Axis", (lean, vertical.y)).z
        moved = bob.dt(space)
        lagrangian += dot(moved, moved) / 2 - 9 * dot(bob, space.z)
    start = {"a": 1, "c": 0.5, "d": 1, "b'": 2}
    system = System.of(
        name="double spherical pendulum",
        coordinates=dict.fromkeys(q, "angle"),
        lagrangian=sympy.trigsimp(lagrangian),
        start=start,
    )
    run = simulate(derive(system, "euler-lagrange"), time=3, samples=31, tolerance=1e-11)
    assert [run[f"{one.name}'"][0] for one in q] == [0, 2, 0, 0]

    def arm(lean, turn):
        return np.array([-np.sin(lean) * np.cos(turn), -np.sin(lean) * np.sin(turn), -np.cos(lean)])

    def rates(_, y):
        places, speeds = y[:6].reshape(2, 3), y[6:]
        gap = places[1] - places[0]
        rows = np.array([np.r_[places[0], 0, 0, 0], np.r_[-gap, gap]])  # of |x1|^2 = 1 and |x2 - x1|^2 = 1
        bend = [speeds[:3] @ speeds[:3], (speeds[3:] - speeds[:3]) @ (speeds[3:] - speeds[:3])]
        pull = np.array([0, 0, -9.0, 0, 0, -9.0])
        tensions = np.linalg.solve(rows @ rows.T, -(rows @ pull) - bend)
        return np.concatenate([speeds, pull + rows.T @ tensions])

    first = arm(1, 0)
    turning = np.cross([0, 0, 2], first)
    begin = np.concatenate([first, first + arm(0.5, 1), turning, turning])
    other = solve_ivp(rates, (0, 3), begin, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=run.t)
    mine = arm(run["a"], run["b"])
    both = np.concatenate([mine, mine + arm(run["c"], run["d"])])
    assert np.abs(both - other.y[:6]).max() < 1e-7


SIZE, ASIDE, WEIGHT, ACROSS, AXIAL, RUB = 0.02, 0.3, 9.81, 131 / 350, 2 / 5, 3.0
"""Radius, how far the centre of mass is aside, gravity, moments of inertia over m R^2, and friction over weight."""


def test_a_tippe_top_turns_over():
    """A ball with its centre of mass aside slides on a table, given its spin alone. Beside it: Newton and Euler."""
    q = x, y, turn, lean, spin = dynamicsymbols("x y turn lean spin")
    space = ReferenceFrame("N")
    turned = space.orientnew("A", "Axis", (turn, space.z))
    nodes = turned.orientnew("B", "Axis", (lean, turned.x))
    rates = turn.diff() * space.z + lean.diff() * nodes.x
    whole = rates + spin.diff() * nodes.z
    centre = x * space.x + y * space.y
    middle = (centre - ASIDE * SIZE * nodes.z).dt(space)
    turning = ACROSS * (dot(whole, nodes.x) ** 2 + dot(whole, nodes.y) ** 2) + AXIAL * dot(whole, nodes.z) ** 2
    lagrangian = (dot(middle, middle) + SIZE**2 * turning) / 2 + WEIGHT * ASIDE * SIZE * sympy.cos(lean)
    slide = centre.dt(space) + whole.cross(-SIZE * space.z)
    push = -RUB * WEIGHT * slide
    system = System.of(
        name="tippe top",
        coordinates={x: "real", y: "real", turn: "angle", lean: "angle", spin: "angle"},
        lagrangian=sympy.trigsimp(lagrangian),
        forces={one: sympy.trigsimp(dot(push, slide.diff(one.diff(), space))) for one in q},
        start={"lean": 0.1, "spin'": 155},
    )
    run = simulate(derive(system, "euler-lagrange"), time=4, samples=41, tolerance=1e-11)
    assert [run[f"{one.name}'"][0] for one in q] == [0, 0, 0, 0, 155]

    up = np.array([0, 0, 1.0])

    def moved(_, state):
        axis, speed, spun = state[2:5], state[5:7], state[7:10]
        along = spun @ axis
        omega = (spun - along * axis) / (ACROSS * SIZE**2) + along / (AXIAL * SIZE**2) * axis
        tilt = np.cross(omega, axis)
        push = -RUB * WEIGHT * (np.r_[speed, 0] + ASIDE * SIZE * tilt * [1, 1, 0] + np.cross(omega, -SIZE * up))
        arm = ASIDE * SIZE * axis - SIZE * up

        def rises(load):
            """Return the torque, and how fast the centre of mass is lifted less how the load lifts it."""
            torque = np.cross(arm, push * [1, 1, 0] + load * up)
            # the rate of the angular velocity across the axis, for the second rate of the axis
            change = (torque - (torque @ axis) * axis) / (ACROSS * SIZE**2)
            change = change - along * (1 / (ACROSS * SIZE**2) - 1 / (AXIAL * SIZE**2)) * tilt
            bent = np.cross(change, axis) + np.cross(omega, tilt)
            return torque, -ASIDE * SIZE * bent[2] - (load - WEIGHT)

        none, one = rises(0.0)[1], rises(1.0)[1]
        torque, _ = rises(none / (none - one))
        return np.concatenate([speed + ASIDE * SIZE * tilt[:2], tilt, push[:2], torque])

    axis = np.array([0, -np.sin(0.1), np.cos(0.1)])
    begin = np.concatenate([[0, 0], axis, [0, 0], 155 * AXIAL * SIZE**2 * axis])
    other = solve_ivp(moved, (0, 4), begin, method="DOP853", rtol=1e-11, atol=1e-13, t_eval=run.t)
    mine = [np.sin(run["lean"]) * np.sin(run["turn"]), -np.sin(run["lean"]) * np.cos(run["turn"]), np.cos(run["lean"])]
    assert np.abs(np.array(mine) - other.y[2:5]).max() < 1e-6
    assert run["lean"].max() > 2.5


@pytest.mark.thorough
def test_a_bicycle_that_leans():
    """Given the rates of the rear wheel and of the lean, nothing else moves but the front wheel and the contact.

    Beside it: the linear equations of Meijaard, Papadopoulos, Ruina and Schwab (2007), table 1, at 5 m/s.
    """
    bicycle = load(LINKAGES / "whipple_bicycle.toml").but(start={"chiR'": "-5/rR", "phi'": 1e-5})
    result = derive(bicycle, "nonholonomic")
    run = simulate(result, time=1, samples=11, tolerance=1e-12)
    begun = {name: run[f"{name}'"][0] for name in ("x", "y", "psi", "phi", "theta", "delta", "chiF")}
    wanted = {"x": 5, "y": 0, "psi": 0, "phi": 1e-5, "theta": 0, "delta": 0, "chiF": -5 / 0.35}
    assert begun == pytest.approx(wanted, abs=1e-12)
    mass = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
    still = 9.81 * np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
    rolled = 25 * np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
    damped = 5 * np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])

    def rates(_, y):
        return np.concatenate([y[2:], -np.linalg.solve(mass, damped @ y[2:] + (still + rolled) @ y[:2])])

    other = solve_ivp(rates, (0, 1), [0, 0, 1e-5, 0], method="DOP853", rtol=1e-11, atol=1e-18, t_eval=run.t).y
    assert np.abs(np.array([run["phi"], run["delta"]]) - other[:2]).max() < 1e-4 * np.abs(other[:2]).max()
