"""Bodies that roll and slide on each other: motions against Newton's and Euler's equations, from positions by hand.

Each body is written down by where it is; its point of contact is found by numbers alone, as the lowest or the nearest
point of a surface. What Newton and Euler leave over of the accelerations of a motion does no work on what rolling
allows, energy is kept, and the multiplier of the distance is the force that lifts the centre of mass.
"""

import numpy as np
import pytest
from newton_euler import Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector

from dalembert import System, derive, simulate
from dalembert.analysis.facts import check_facts
from dalembert.errors import EvaluationError, ModelError
from dalembert.model.files import dumps, loads

G = 9.81
PLACE = {"x": "real", "y": "real", "z": "real"}
ANGLES = {"a": "angle", "b": "angle", "c": "angle"}
SIX = (*PLACE, *ANGLES)
WEIGHT = {"weight": {"gravity": "g"}}
STONE = [[0.02, 0.004, 0.0], [0.004, 0.05, 0.0], [0.0, 0.0, 0.06]]


def machine(name, body, contact, *, coordinates=(), forces=None, **more):
    """Return a free body, at (x, y, z) and turned by a about z, b about x, c about y, that touches something."""
    return System.of(
        name=name,
        coordinates={**PLACE, **ANGLES, **dict(coordinates)},
        parameters={"g": G, "m": 1.3, "r": 0.2, "mu": 0.3, "eps": 1e-3, "k": 0.5, **more.pop("parameters", {})},
        frames={name: {"turns": [["a", "z"], ["b", "x"], ["c", "y"]]}, **more.pop("frames", {})},
        points={"middle": ["x", "y", "z"], **more.pop("points", {})},
        bodies={name: {"mass": "m", "centre": "middle", **body}, **more.pop("bodies", {})},
        contacts={"road": contact, **more.pop("contacts", {})},
        forces={**WEIGHT, **(forces or {})},
        **more,
    )


def solid(inertia, q, mass=1.3):
    x, y, z, a, b, c = q[:6]
    turned = turn("z", a) @ turn("x", b) @ turn("y", c)
    return Solid(mass, inertia, turned, vector(x, y, z), lambda: np.array([0, 0, -mass * G]))


def at(run, k, names=SIX):
    """Return positions, velocities and accelerations of a motion at one of its times."""
    return (np.array([float(run.value(f"{n}{primes}")[k]) for n in names]) for primes in ("", "'", "''"))


def left_over(run, where, rows, names=SIX, factor=1.0):
    """Return what Newton and Euler leave over at some times, and how far the motion is from what the rows allow."""
    worst, off = 0.0, 0.0
    for k in (0, 4, 8):
        q, v, a = at(run, k, names)
        worst = max(worst, np.abs(unbalanced(where, q, v, factor * a, allowed(rows, q))).max())
        off = max(off, np.abs(rows(q, v)).max())
    return worst, off


def obeys(run, where, rows, names=SIX):
    worst, off = left_over(run, where, rows, names)
    assert worst < 2e-6
    assert off < 1e-6
    assert left_over(run, where, rows, names, 1.02)[0] > 1e-3  # the twin: accelerations 2 % larger
    energy = run.value("energy")
    assert np.abs(energy - energy[0]).max() < 1e-7 * (1 + abs(energy[0]))


def rolls(where, arm):
    """Return the velocity of a body where it touches; an arm from its centre is found at each place."""

    def rows(q, v):
        one = where(path(q, v))[0]
        return order(one.centre, 1) + np.cross(angular_velocity(one.turned), arm(q))

    return rows


# -- a stone by its equation -----------------------------------------------------------------------------------
def shape(p):
    return (p[0] / 0.5) ** 2 + (p[1] / 0.3) ** 2 + (p[2] / 0.25) ** 2 + 6 * p[0] ** 4 - 1


def stone(q):
    return [solid(STONE, q)]


def lowest(q):
    """The lowest point of the stone, seen from its centre: by Newton's method on where the gradient points down."""
    turned = order(turn("z", q[3]) @ turn("x", q[4]) @ turn("y", q[5]), 0)
    up, p, size = turned[2], -0.2 * turned[2], 5.0
    for _ in range(30):
        slope = np.array([8 * p[0] + 24 * p[0] ** 3, p[1] / 0.045, p[2] / 0.03125])
        bends = np.diag([8 + 72 * p[0] ** 2, 1 / 0.045, 1 / 0.03125])
        matrix = np.block([[bends, up[:, None]], [slope[None], np.zeros((1, 1))]])
        step = np.linalg.solve(matrix, -np.array([*(slope + size * up), shape(p)]))
        p, size = p + step[:3], size + step[3]
    assert size > 0
    return turned @ p


def test_a_stone_by_its_equation_rattles():
    """A convex body whose axes of inertia are not those of its shape."""
    system = machine(
        "stone",
        {"inertia": STONE},
        {"convex": "stone", "equation": "x^2/0.25 + y^2/0.09 + z^2/0.0625 + 6*x^4 = 1"},
    )
    motion = derive(system, "nonholonomic")
    start = {"a": 0.3, "b": 0.2, "c": 0.1, "a'": 1.0, "b'": 0.5, "c'": 2.0, "x": 0.1, "y": 0.0}
    run = simulate(motion, start, 0.8, samples=9)
    obeys(run, stone, rolls(stone, lowest))
    assert run.value("road.normal") == pytest.approx(1.3 * (G + run.value("z''")), rel=1e-9)
    assert loads(dumps(system)) == system


# -- a ball in a bowl ------------------------------------------------------------------------------------------
BALL = {"inertia": ["0.4*m*r^2", "0.3*m*r^2", "0.35*m*r^2"]}


def ball(q):
    return [solid(np.diag([0.4, 0.3, 0.35]) * 1.3 * 0.04, q)]


def to_the_bowl(q):
    """From a ball to the nearest point of z = k (x^2 + y^2), which is above it or below: by Newton's method."""
    out = np.hypot(q[0], q[1])
    s = out
    for _ in range(40):
        gap = (s - out) + (0.5 * s * s - q[2]) * s
        s -= gap / (1 + 1.5 * s * s - q[2])
    return np.array([(s - out) * q[0] / out, (s - out) * q[1] / out, 0.5 * s * s - q[2]])


BOWLS = {
    "meridian": {"meridian": ["s", "k*s^2"]},
    "parametrisation": {"parametrisation": ["u", "v", "k*(u^2 + v^2)"]},
    "equation": {"equation": "k*(x^2 + y^2) = z", "side": "inside"},
}


@pytest.mark.parametrize("name", BOWLS)
@pytest.mark.thorough("parametrisation", "equation")
def test_a_ball_rolls_in_a_bowl(name):
    """A ball whose moments of inertia differ, on a surface of revolution."""
    system = machine("ball", BALL, {"ball": "ball", "radius": "r", "surface": BOWLS[name]})
    start = {"x": 0.8, "y": 0.1, "x'": 0.3, "y'": 0.5, "b": 0.7, "a'": 1.0}
    run = simulate(derive(system, "nonholonomic"), start, 0.8, samples=9)
    obeys(run, ball, rolls(ball, to_the_bowl))
    apart = [np.linalg.norm(to_the_bowl([run[n][k] for n in SIX])) for k in range(9)]
    assert np.abs(np.array(apart) - 0.2).max() < 1e-8


def test_a_ball_that_does_not_fit_says_so():
    """Around its axis the bowl has the radius of curvature sqrt(1 + (2 k s)^2)/(2 k): too little at the bottom."""
    system = machine(
        "ball", BALL, {"ball": "ball", "radius": "r", "surface": BOWLS["parametrisation"], "kind": "sliding"}
    )
    motion = derive(system, "nonholonomic")
    wide = {"k": 1.25, "r": 0.5}
    start = {"x": 0.9, "y": 0.0, "x'": 0, "y'": 0, "a'": 0, "b'": 0, "c'": 0}
    run = simulate(motion, start, 3, values=wide)
    assert run.message.startswith("the event 'road: it does not fit the surface (3)' ended the motion")
    s = float(run["road_u"][-1])
    assert np.sqrt(1 + (2.5 * s) ** 2) / 2.5 == pytest.approx(0.5, abs=1e-6)
    assert simulate(motion, start, 3, values={**wide, "r": 0.3}).t[-1] == 3  # the twin
    narrow = machine("ball", BALL, {"ball": "ball", "radius": "r", "surface": {"cylinder": 0.15, "side": "inside"}})
    with pytest.raises(EvaluationError, match="'road: it does not fit the surface' holds at the start already"):
        simulate(derive(narrow, "nonholonomic"), {"x": -0.05}, 1)


# -- lift-off --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "height"), [("sliding", 2 / 3), ("rolling", 10 / 17)])
def test_a_ball_leaves_a_dome(kind, height):
    """From rest at the top a ball leaves where cos is 2/3 if it slides, and 10/17 if it rolls."""
    body = {"inertia": ["0.4*m*r^2", "0.4*m*r^2", "0.4*m*r^2"]}
    contact = {"ball": "ball", "radius": "r", "surface": {"sphere": 1}, "kind": kind, "one_sided": True}
    system = machine("ball", body, contact)
    still = {"y'": 0, "a'": 0, "b'": 0, "c'": 0} if kind == "sliding" else {"y'": 0, "a'": 0}
    start = {"x": 1e-3, "y": 0, "z": np.sqrt(1.44 - 1e-6), "x'": 0, "b": 0.5, **still}
    run = simulate(derive(system, "nonholonomic"), start, 9)
    assert run.message.startswith("the event 'road: it lifts off' ended the motion at t = ")
    assert run["z"][-1] / 1.2 == pytest.approx(height, abs=1e-6)


def test_what_is_kept_on_its_support_has_no_normal_force():
    disc = {"shape": "disc", "mass": 1, "radius": 0.5, "axis": "y", "centre": "hub"}
    tables = {
        "name": "wheel", "coordinates": {"x": "real", "y": "real", **ANGLES},
        "frames": {"lean": {"turns": [["a", "z"], ["b", "x"]]}, "wheel": {"in": "lean", "turn": "c", "about": "y"}},
        "points": {"hub": {"from": "P", "at": [0, 0, 0.5], "in": "lean"}, "P": ["x", "y", 0]},
        "bodies": {"wheel": disc}, "parameters": {"g": G}, "forces": {"weight": {"gravity": "g"}},
    }  # fmt: skip
    road = {"wheel": "wheel", "radius": 0.5, "axis": "y", "one_sided": True}
    with pytest.raises(ModelError, match="the normal force of 'road' is not known: the coordinates keep the body"):
        System.of(**tables, contacts={"road": road})
    free = {**tables, "coordinates": {**PLACE, **ANGLES}, "points": {"hub": ["x", "y", "z"]}}
    assert list(System.of(**free, contacts={"road": road}).stops) == ["road: it lifts off", "road: it lies flat"]
    motion = derive(System.of(**free, contacts={"road": {**road, "one_sided": False}}), "nonholonomic")
    times = []
    for lean in (0.3, np.pi - 0.3, -np.pi - 0.3):  # the same wheel, as far from lying flat
        run = simulate(motion, {"b": lean, "c'": 0, "a'": 0, "b'": 0}, 4)
        assert run.message.startswith("the event 'road: it lies flat' ended the motion"), run.message
        assert run["z"][0] == pytest.approx(0.5 * np.cos(0.3))
        times.append(run.t[-1])
    assert times == pytest.approx(times[:1] * 3, rel=1e-6)


# -- friction --------------------------------------------------------------------------------------------------
FRICTION = {"friction": "mu", "at": "road", "regularisation": "eps"}


def test_a_ball_slides_until_it_rolls():
    """It ends with 5/7 of its velocity, after 2 v / (7 mu g)."""
    body = {"inertia": ["0.4*m*r^2", "0.4*m*r^2", "0.4*m*r^2"]}
    system = machine("ball", body, {"ball": "ball", "radius": "r", "kind": "sliding"}, forces={"rub": FRICTION})
    motion = derive(system, "nonholonomic")
    start = {"b": 0.4, "x'": 2.0, "y'": 0, "a'": 0, "b'": 0, "c'": 0}
    run = simulate(motion, start, 0.5, values={"eps": 1e-4})
    when = 2 * 2.0 / (7 * 0.3 * G)
    before = simulate(motion, start, 0.95 * when, values={"eps": 1e-4})
    assert before["x'"][-1] == pytest.approx(2.0 - 0.3 * G * 0.95 * when, abs=1e-5)
    assert run["x'"][-1] == pytest.approx(10 / 7, abs=1e-4)
    assert run.value("road.normal") == pytest.approx(1.3 * G)


def test_a_tippe_top_obeys_newton_and_euler_and_keeps_jelletts_integral():
    """A ball whose centre of mass is off its middle; friction is where it touches, and only there."""
    off, r = 0.05, 0.2
    system = machine(
        "top", {"inertia": [0.02, 0.02, 0.018]}, {"ball": "top", "radius": "r", "centre": "O", "kind": "sliding"},
        points={"O": {"from": "middle", "at": [0, 0, "h"], "in": "top"}}, parameters={"h": off},
        forces={"rub": FRICTION}, let={"J": "0.02*r*(top.w3*top.e3z - top.s3) + 0.018*top.w3*(h - r*top.e3z)"},
        facts={"integrals": {"Jellett": "J"}, "varying": {"the twin": "J + 0.001*top.w3"}},
    )  # fmt: skip
    motion = derive(system, "nonholonomic")
    assert [claim.verdict.holds for claim in check_facts(system)] == [True, True]
    start = {"b": 0.3, "a'": 0, "b'": 0.1, "c'": 0, "x'": 0.4, "y'": -0.2}
    run = simulate(motion, start, 0.5, samples=9)
    worst = {1.0: 0.0, 1.02: 0.0}
    for k in (0, 4, 8):
        q, v, a = at(run, k)
        one = solid(np.diag([0.02, 0.02, 0.018]), path(q, v, a))
        lift = 1.3 * (G + a[2])  # Newton's third component gives the normal force
        arm = order(one.turned, 0) @ [0, 0, off] - [0, 0, r]
        slip = order(one.centre, 1) + np.cross(angular_velocity(one.turned), arm)
        assert abs(slip[2]) < 1e-9
        for factor, found in worst.items():
            push = -factor * 0.3 * lift * slip / np.sqrt(slip @ slip + 1e-6) + [0, 0, lift]
            worst[factor] = max(found, np.abs(remains(one, push - [0, 0, 1.3 * G], np.cross(arm, push))).max())
    assert worst[1.0] < 1e-8
    assert worst[1.02] > 1e-3  # the twin: friction 2 % larger


def remains(one, force, torque):
    """What Newton's and Euler's equations leave over of one body, all forces on it being known."""
    turned, first, second = order(one.turned, 0), order(one.turned, 1), 2 * order(one.turned, 2)
    spin = first @ turned.T
    omega, alpha = (np.array([m[2, 1], m[0, 2], m[1, 0]]) for m in (spin, second @ turned.T - spin @ spin))
    inertia = turned @ np.array(one.inertia) @ turned.T
    euler = inertia @ alpha + np.cross(omega, inertia @ omega) - torque
    return np.array([*(one.mass * 2 * order(one.centre, 2) - force), *euler])
