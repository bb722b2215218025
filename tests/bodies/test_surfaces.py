"""Bodies that roll and slide on each other: motions against Newton's and Euler's equations, from positions by hand.

Each body is written down by where it is; its point of contact is found by numbers alone, as the lowest or the nearest
point of a surface. What Newton and Euler leave over of the accelerations of a motion does no work on what rolling
allows, energy is kept, and the multiplier of the distance is the force that lifts the centre of mass.
"""

import numpy as np
import pytest
from newton_euler import Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector

from dalembert import System, audit, derive, gallery, simulate
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


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.parametrize("name", BOWLS)
def test_a_ball_rolls_in_a_bowl(name):
    """A ball whose moments of inertia differ, on a surface of revolution."""
    system = machine("ball", BALL, {"ball": "ball", "radius": "r", "surface": BOWLS[name]})
    start = {"x": 0.8, "y": 0.1, "x'": 0.3, "y'": 0.5, "b": 0.7, "a'": 1.0}
    run = simulate(derive(system, "nonholonomic"), start, 0.8, samples=9)
    obeys(run, ball, rolls(ball, to_the_bowl))
    apart = [np.linalg.norm(to_the_bowl([run[n][k] for n in SIX])) for k in range(9)]
    assert np.abs(np.array(apart) - 0.2).max() < 1e-8


@pytest.mark.thorough
def test_energy_is_decided_where_conditions_of_rolling_repeat_and_contact_points_have_no_mass():
    """Of three conditions of rolling one repeats others: forces are numbers only, and nothing is claimed of them."""
    system = machine("ball", BALL, {"ball": "ball", "radius": "r", "surface": BOWLS["equation"]})
    motion = derive(system, "nonholonomic")
    run = simulate(motion, {"x": 0.8, "y": 0.1, "x'": 0.3, "y'": 0.5, "b": 0.7, "a'": 1.0}, 0.1)
    x, y = (q.dot for q in system.q[:2])
    measured = audit(run, motion, {"twin": motion.equations.monitors["energy"] + x * y})
    told = {drift.name: drift.conserved for drift in measured.drifts}
    assert told.pop("energy").holds is True
    assert told.pop("twin").holds is not True
    assert {verdict.kind for verdict in told.values()} == {"undecided"}
    assert all("by numbers only" in verdict.evidence for verdict in told.values())


@pytest.mark.thorough
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


def by_angles(*components):
    """An ellipsoid by two angles about one of its axes."""
    parts = {"x": "0.3*{}", "y": "0.4*{}", "z": "0.5*{}"}
    shape = [parts[name].format(one) for name, one in zip("xyz", components, strict=True)]
    return derive(machine("egg", BALL, {"convex": "egg", "parametrisation": shape}), "nonholonomic")


@pytest.mark.thorough
def test_a_body_on_a_pole_of_its_coordinates_is_told_to_use_others():
    """Upright the third axis is down, and no value of v would help."""
    motion = by_angles("sin(u)*cos(v)", "sin(u)*sin(v)", "cos(u)")
    for given in ({}, {"road_u": np.pi, "road_v": 0.3}, {"road_u": np.pi, "road_v": 0.3, "road_v'": 0}):
        with pytest.raises(EvaluationError, match=r"'road: u and v fail, as at a pole .*' holds at the start already"):
            simulate(motion, {"b": 0, "c": 0, **given}, 0.01)


@pytest.mark.thorough
def test_the_same_body_moves_by_angles_about_another_axis():
    start = {"b": 0, "c": 0, "b'": 0.2, "road_u": np.pi / 2}
    run = simulate(by_angles("cos(u)", "sin(u)*cos(v)", "sin(u)*sin(v)"), start, 0.01)
    assert run.success
    assert run["z"][0] == pytest.approx(0.5)


# -- lift-off --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("kind", "height"), [("sliding", 2 / 3), ("rolling", 10 / 17)])
@pytest.mark.thorough("sliding-0.6666666666666666")
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


@pytest.mark.thorough
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


@pytest.mark.thorough
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


# -- plates, balls and discs -----------------------------------------------------------------------------------
@pytest.mark.thorough
def test_a_plate_rides_on_a_ball():
    """A ball whose moments differ rolls on the floor, and a level plate on the ball, drawn by a spring."""
    system = machine(
        "ball", BALL, {"ball": "ball", "radius": "r"},
        coordinates={"u": "real", "v": "real"},
        points={"plate": ["u", "v", "2*r"]},
        frames={"plate": {"turn": 0, "about": "z"}},
        bodies={"plate": {"mass": 0.7, "inertia": [0.1, 0.1, 0.2], "centre": "plate"}},
        contacts={"top": {"ball": "ball", "radius": "r", "on": "plate", "normal": "-z"}},
        forces={"pull": {"spring": ["plate", "ground"], "stiffness": "k"}},
    )  # fmt: skip
    names = (*SIX, "u", "v")

    def where(q):
        one, two = q[6].c[0], q[7].c[0]
        pull = np.array([-0.5 * one, -0.5 * two, -0.7 * G])
        plate = Solid(0.7, np.diag([0.1, 0.1, 0.2]), turn("z", 0.0), vector(q[6], q[7], 0.4), lambda: pull)
        return [*ball(q), plate]

    def rows(q, v):
        one, plate = where(path(q, v))
        spin, speed = angular_velocity(one.turned), order(one.centre, 1)
        below = speed + np.cross(spin, [0, 0, -0.2])
        above = speed + np.cross(spin, [0, 0, 0.2]) - order(plate.centre, 1)
        return np.array([*below, *above[:2]])

    start = {"b": 0.7, "a'": 1.0, "x'": 0.4, "y'": -0.3, "u": 0.5, "v": -0.2}
    run = simulate(derive(system, "nonholonomic"), start, 0.8, samples=9)
    obeys(run, where, rows, names)


def disc(q):
    return [solid(np.diag([0.25, 0.5, 0.25]) * 1.3 * 0.04, q)]


def to_the_rim(q):
    """From the hub to the lowest point of the rim, as the lowest of its points: r (cos, 0, sin) in the body."""
    turned = order(turn("z", q[3]) @ turn("x", q[4]) @ turn("y", q[5]), 0)
    return -0.2 * (turned[:, [0, 2]] @ turned[2, [0, 2]]) / np.linalg.norm(turned[2, [0, 2]])


@pytest.mark.parametrize("lean", [0.3, 2.6])
@pytest.mark.thorough("0.3")
def test_a_disc_falls_and_rolls_at_every_lean(lean):
    system = machine(
        "disc", {"shape": "disc", "radius": "r", "axis": "y"}, {"disc": "disc", "radius": "r", "axis": "y"}
    )
    run = simulate(derive(system, "nonholonomic"), {"b": lean, "c'": 8.0, "a'": 0.4, "b'": 0.1}, 0.8, samples=9)
    obeys(run, disc, rolls(disc, to_the_rim))
    assert np.abs(run["z"] - 0.2 * np.abs(np.cos(run["b"]))).max() < 1e-9


@pytest.mark.thorough
def test_chaplygins_ball_by_a_rotation_is_that_of_angles():
    """A ball with its centre of mass in the middle and moments that differ; the rotation goes where angles fail."""
    contact = {"ball": "ball", "radius": "r"}
    angles = machine("ball", BALL, contact)
    turned = angles_free(contact)
    run = simulate(derive(angles, "nonholonomic"), {"b": 0.7, "a'": 1.0, "x'": 0.4, "y'": -0.3}, 0.8, samples=9)
    obeys(run, ball, rolls(ball, lambda _: np.array([0, 0, -0.2])))
    body = [float(run.value(f"ball.w{k}")[0]) for k in (1, 2, 3)]
    matrix = order(ball(path(np.array([float(run[n][0]) for n in SIX]), np.zeros(6)))[0].turned, 0)
    start = {"R": {"matrix": matrix.tolist()}, **{f"R.w{k}": body[k - 1] for k in (1, 2, 3)}}
    other = simulate(derive(turned, "nonholonomic"), start, 0.8, samples=9)
    assert other["x"][-1] - other["x"][0] == pytest.approx(run["x"][-1] - run["x"][0], abs=1e-8)
    assert other["y"][-1] - other["y"][0] == pytest.approx(run["y"][-1] - run["y"][0], abs=1e-8)


def angles_free(contact, **more):
    return System.of(
        name="ball", coordinates={**PLACE, "R": "rotation"}, frames={"ball": {"rotation": "R"}},
        parameters={"g": G, "m": 1.3, "r": 0.2, "mu": 0.3, "eps": 1e-3, "k": 0.5}, points={"middle": ["x", "y", "z"]},
        bodies={"ball": {"mass": "m", "centre": "middle", **BALL}}, contacts={"road": contact},
        forces={**WEIGHT, **more.pop("forces", {})}, **more,
    )  # fmt: skip


# -- forces in contacts and joints -----------------------------------------------------------------------------
LOADS = {
    "oil": {"damper": "road", "coefficient": 0.2},
    "rub": FRICTION,
    "air": {"rayleigh": "0.1*(x'^2 + y'^2)/2"},
    "motor": {"torque": [0, 0, "0.01*cos(t)"], "on": "ball", "in": "ball"},
}


@pytest.mark.parametrize("name", LOADS)
@pytest.mark.thorough("oil", "air", "motor")
def test_forces_do_their_work_on_a_ball_with_a_rotation(name):
    """The rate of the energy is the power of the force, worked out from velocities by hand."""
    contact = {"ball": "ball", "radius": "r", "kind": "sliding" if name in {"oil", "rub"} else "rolling"}
    system = angles_free(contact, forces={name: LOADS[name]})
    moving = {"x'": 0.8, "y'": -0.3} if name in {"oil", "rub"} else {}
    start = {"R.w1": 1.0, "R.w2": 2.0, "R.w3": -1.0, **moving}
    run = simulate(derive(system, "nonholonomic"), start, 0.1, samples=101)
    x, y = run["x'"], run["y'"]
    matrix = np.array([[run.value(f"R.m{i}{j}") for j in (1, 2, 3)] for i in (1, 2, 3)])
    spin = np.einsum("ijt,jt->it", matrix, np.array([run.value(f"R.w{k}") for k in (1, 2, 3)]))
    slip = np.array([x - 0.2 * spin[1], y + 0.2 * spin[0]])
    square = (slip**2).sum(axis=0)
    power = {
        "oil": -0.2 * square,
        "rub": -0.3 * 1.3 * G * square / np.sqrt(square + 1e-6),
        "air": -0.1 * (x**2 + y**2),
        "motor": 0.01 * np.cos(run.t) * run.value("R.w3"),
    }[name]
    energy = run.value("energy")
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    assert np.abs(work).max() > 1e-4
    assert np.abs(energy - energy[0] - work).max() < 1e-3 * np.abs(work).max()
    assert np.abs(energy - energy[0] - 1.05 * work).max() > 1e-2 * np.abs(work).max()  # the twin


def test_a_block_slides_down_and_comes_to_rest():
    """On an incline of 0.3 with friction 0.6: it slides v^2 / (2 g (mu cos - sin)) and then creeps."""
    system = System.of(
        name="block", coordinates={"s": "real", "h": "real"},
        parameters={"g": G, "mu": 0.6, "eps": 1e-3, "tilt": 0.3},
        frames={"slope": {"turn": "tilt", "about": "y"}, "block": {"in": "slope", "turn": 0, "about": "x"}},
        points={"block": {"from": "ground", "at": ["s", 0, "h"], "in": "slope"}},
        bodies={"block": {"mass": 2, "inertia": [1, 1, 1], "centre": "block"}},
        contacts={"ramp": {"ball": "block", "radius": 0.1, "on": "slope", "kind": "sliding"}},
        forces={**WEIGHT, "rub": {"friction": "mu", "at": "ramp", "regularisation": "eps"}},
    )  # fmt: skip
    run = simulate(derive(system, "nonholonomic"), {"s'": 1.0}, 1.5)
    assert run["s"][-1] == pytest.approx(1 / (2 * G * (0.6 * np.cos(0.3) - np.sin(0.3))), abs=2e-3)
    assert 0 < run["s'"][-1] < 1e-3  # a smooth law creeps, and does not stick
    assert run.value("ramp.normal") == pytest.approx(2 * G * np.cos(0.3))


def test_only_a_wheel_that_can_fall_is_watched_for_lying_flat():
    """An upright wheel has no lean that could become a quarter turn: nothing is said of it."""
    upright = System.of(
        name="unicycle", coordinates={"x": "real", "y": "real", "psi": "angle", "roll": "angle"},
        frames={"fork": {"turn": "psi", "about": "z"}, "wheel": {"in": "fork", "turn": "roll", "about": "y"}},
        points={"hub": ["x", "y", 0.3]},
        bodies={"wheel": {"shape": "disc", "mass": 1, "radius": 0.3, "axis": "y", "centre": "hub"}},
        contacts={"road": {"wheel": "wheel", "radius": 0.3, "axis": "y"}},
    )  # fmt: skip
    assert not upright.stops
    assert "road: it lies flat" in gallery.load("wheel").stops


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_mechanisms_of_the_gallery_can_be_started_as_they_stand(name):
    assert simulate(derive(gallery.load(name), "nonholonomic"), time=0.01).t[-1] == 0.01
