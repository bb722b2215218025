"""Machines stated by their parts against Newton's and Euler's equations, with positions written down by hand."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from judging import reference
from newton_euler import Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector
from scipy.optimize import fsolve
from stated_machines import ELLIPSOID

from dalembert import System, derive, gallery, simulate
from dalembert.errors import ModelError
from dalembert.expr import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import evaluate, substitute
from dalembert.model.files import dumps, load, loads

G = 9.81
EYE = turn("z", 0.0)


def rod(mass, length):
    return np.diag([0.0, mass * length**2 / 12, mass * length**2 / 12])


def free(_q, _v):
    """No constraint."""
    return np.zeros(0)


def left_over(system, where, q, v, rows=free, t=0.0):
    """Return what Newton and Euler leave over of the accelerations that a system has by multipliers."""
    values = {p: float(x) for p, x in system.parameters.items()}
    a = reference(system, q, v, t, values)
    return np.abs(unbalanced(where, q, v, a, allowed(rows, q))).max()


def state(system, rows=free, gap=None, seed=1):
    """Return positions that close all gaps, and velocities that the rows allow."""
    draw = np.random.default_rng(seed)
    n = len(system.q)
    q = draw.uniform(-0.6, 0.6, n)
    if gap is not None:
        q[-1] += 2.2  # where the loop can be closed
        k = len(gap(q))
        q = np.array([*fsolve(lambda tail: gap(np.array([*tail, *q[k:]])), q[:k] + 0.1), *q[k:]])
    directions = allowed(rows, q)
    return q, directions @ draw.uniform(-1, 1, directions.shape[1])


# -- the machines, as somebody would write them down who does not trust the library ---------------------------
def wheel(q):
    x, y, heading, lean, spin = q
    carrier = turn("z", heading) @ turn("x", lean)
    centre = vector(x, y, 0) + carrier @ vector(0, 0, 0.5)
    inertia = np.diag([0.25, 0.5, 0.25]) * 0.25
    return [Solid(1.0, inertia, carrier @ turn("y", spin), centre, lambda: np.array([0, 0, -G]))]


def rim_at_rest(q, v):
    """The velocity of the lowest point of the rim, along the ground."""
    solid = wheel(path(q, v))[0]
    arm = np.array([q[0], q[1], 0.0]) - order(solid.centre, 0)
    return (order(solid.centre, 1) + np.cross(angular_velocity(solid.turned), arm))[:2]


def four_bar(q):
    a, b, d = q
    bars = []
    for angle, mass, length, start in (
        (a, 1.0, 0.3, vector(0, 0, 0)),
        (a + b, 2.0, 0.7, turn("y", a) @ vector(0.3, 0, 0)),
        (d, 1.5, 0.6, vector(0.8, 0, 0)),
    ):
        turned = turn("y", angle)
        weight = np.array([0, 0, -G * mass])
        bars.append(
            Solid(mass, rod(mass, length), turned, start + turned @ vector(length / 2, 0, 0), lambda w=weight: w)
        )
    return bars


def driven(q):
    crank, coupler, rocker = four_bar(q)
    rate = angular_velocity(rocker.turned)[1] - angular_velocity(coupler.turned)[1]
    torques = ([0, 8.0, 0], [0, 0.1 * rate, 0], [0, -0.1 * rate, 0])
    bars = zip((crank, coupler, rocker), torques, strict=True)
    return [replace(bar, torque=lambda told=told: np.array(told)) for bar, told in bars]


def pin(q):
    a, b, d = (float(x) for x in q)
    return np.array([
        0.3 * np.cos(a) + 0.7 * np.cos(a + b) - 0.8 - 0.6 * np.cos(d),
        -0.3 * np.sin(a) - 0.7 * np.sin(a + b) + 0.6 * np.sin(d),
    ])  # fmt: skip


def pin_rate(q, v):
    step = 1e-6
    return (pin(q + step * v) - pin(q - step * v)) / (2 * step)


def gyroscope(q):
    yaw, tilt, spin = q
    outer = turn("z", yaw)
    inner = outer @ turn("x", tilt)
    rotor = inner @ turn("z", spin)
    disc = 0.4 * np.diag([0.0025, 0.0025, 0.005])
    return [
        Solid(0.1, 0.002 * np.eye(3), outer, vector(0, 0, 0)),
        Solid(0.1, 0.001 * np.eye(3), inner, vector(0, 0, 0)),
        Solid(0.4, disc, rotor, rotor @ vector(0, 0, 0.01), lambda: np.array([0, 0, -0.4 * G])),
    ]


ARM = System.of(
    name="arm",
    parameters={"g": G, "k": 40, "c": 0.3},
    bodies={
        "base": {"shape": "cylinder", "mass": 5, "radius": 0.2, "length": 0.3, "axis": "z"},
        "upper": {"shape": "rod", "mass": 2, "length": 0.8, "axis": "x", "centre": [0.4, 0, 0]},
        "hand": {"shape": "box", "mass": 1, "sides": [0.1, 0.2, 0.3], "centre": [0.1, 0, 0]},
        "load": {"shape": "sphere", "mass": 0.7, "radius": 0.05, "centre": [0, 0, 0.02]},
    },
    joints={
        "turn": {"type": "revolute", "child": "base", "axis": "z"},
        "lift": {"type": "revolute", "parent": "base", "child": "upper", "at": [0, 0, 0.3], "axis": "y"},
        "wrist": {
            "type": "universal", "parent": "upper", "child": "hand", "at": [0.8, 0, 0], "axis": "y", "second": "x",
            "child_at": [-0.05, 0, 0],
        },
        "slide": {"type": "prismatic", "parent": "hand", "child": "load", "axis": "x"},
    },
    forces={
        "weight": {"gravity": "g"},
        "motor": {"torque": "3*cos(lift)", "joint": "turn"},
        "grip": {"spring": "slide", "stiffness": "k", "length": 0.2},
        "oil": {"damper": "slide", "coefficient": "c"},
        "push": {"force": [0.5, 0, 1], "at": "load", "in": "hand"},
        "twist": {"torque": [0, 0.2, 0], "on": "hand", "in": "upper", "against": "base"},
    },
)  # fmt: skip


def arm(q):
    a, b, w1, w2, s = q
    base = turn("z", a)
    upper = base @ turn("y", b)
    hand = upper @ turn("y", w1) @ turn("x", w2)
    elbow = vector(0, 0, 0.3)
    wrist = elbow + upper @ vector(0.8, 0, 0)
    held = wrist + hand @ vector(0.05, 0, 0)  # where the hand begins
    slid = held + hand @ vector(s, 0, 0)
    load_at = slid + hand @ vector(0, 0, 0.02)
    weights = {m: np.array([0, 0, -m * G]) for m in (5, 2, 1, 0.7)}
    axis = order(hand, 0) @ np.array([1.0, 0, 0])
    inner = -40 * (s.c[0] - 0.2) - 0.3 * s.c[1]  # spring and oil along the slide, at its origin
    push = order(hand, 0) @ np.array([0.5, 0, 1])
    at_load = inner * axis + push
    lever = order(slid, 0) - order(load_at, 0)
    twist = order(upper, 0) @ np.array([0, 0.2, 0])
    to_hand = order(slid, 0) - order(held + hand @ vector(0.1, 0, 0), 0)
    box = np.diag([0.13, 0.1, 0.05]) / 12
    drum = 5 * np.diag([(3 * 0.04 + 0.09) / 12] * 2 + [0.02])
    return [
        Solid(5, drum, base, vector(0, 0, 0), lambda: weights[5], lambda: np.array([0, 0, 3 * np.cos(b.c[0])]) - twist),
        Solid(2, rod(2, 0.8), upper, elbow + upper @ vector(0.4, 0, 0), lambda: weights[2]),
        Solid(
            1, box, hand, held + hand @ vector(0.1, 0, 0), lambda: weights[1] - inner * axis,
            lambda: twist - np.cross(to_hand, inner * axis),
        ),
        Solid(
            0.7, 0.4 * 0.7 * 0.0025 * np.eye(3), hand, load_at, lambda: weights[0.7] + at_load,
            lambda: np.cross(lever, at_load),
        ),
    ]  # fmt: skip


def egg(q):
    x, y, z, a, b, c = q
    turned = turn("z", a) @ turn("x", b) @ turn("y", c)
    inertia = 1.3 / 5 * np.diag([0.41, 0.34, 0.25])
    return [Solid(1.3, inertia, turned, vector(x, y, z), lambda: np.array([0, 0, -1.3 * G]))]


def lowest(q):
    """The lowest point of the ellipsoid, by its implicit equation: where the gradient is along the vertical."""
    turned = order(egg(path(q, 0 * q))[0].turned, 0)
    shape = turned @ np.diag([0.09, 0.16, 0.25]) @ turned.T
    return -shape[:, 2] / np.sqrt(shape[2, 2])


def egg_height(q):
    return np.array([q[2] + lowest(q)[2]])


def egg_slip(q, v):
    """Linear in the velocities; the motion of the table is no virtual displacement."""
    solid = egg(path(q, v))[0]
    step = 1e-6
    slip = order(solid.centre, 1) + np.cross(angular_velocity(solid.turned), lowest(q))
    rate = (egg_height(q + step * v) - egg_height(q - step * v)) / (2 * step)
    return np.array([*slip[:2], *rate])


CASES = {
    "wheel": (gallery.load("wheel"), wheel, rim_at_rest, None),
    "four-bar": (gallery.load("four-bar"), driven, pin_rate, pin),
    "gyroscope": (gallery.load("gyroscope"), gyroscope, free, None),
    "arm": (ARM, arm, free, None),
}


@pytest.mark.parametrize("name", CASES)
def test_machines_obey_newton_and_euler(name):
    system, where, rows, gap = CASES[name]
    q, v = state(system, rows, gap)
    assert left_over(system, where, q, v, rows) < 1e-7
    assert left_over(system, partial(heavier, where), q, v, rows) > 1e-5  # the twin


def heavier(where, q):
    """The same bodies, a tenth heavier than stated."""
    return [replace(body, mass=1.1 * body.mass) for body in where(q)]


def test_an_ellipsoid_rolls_on_a_turning_table():
    draw = np.random.default_rng(4)
    q = np.array([0.1, 0.2, 0.0, *draw.uniform(-1, 1, 3)])
    q[2] = -lowest(q)[2]
    rolling = allowed(egg_slip, q) @ draw.uniform(-1, 1, 3)
    t = 0.3
    contact = np.array([q[0], q[1], 0.0]) + lowest(q) * np.array([1, 1, 0])
    carried = np.cross([0, 0, 0.7], contact)  # the table takes the point of contact along
    drag = np.linalg.lstsq(np.array([egg_slip(q, e) for e in np.eye(6)]).T, [*carried[:2], 0.0], rcond=None)[0]
    v = rolling + drag
    assert left_over(ELLIPSOID, egg, q, v, egg_slip, t) < 1e-6
    values = {p: float(x) for p, x in ELLIPSOID.parameters.items()}
    point = {**dict(zip((*ELLIPSOID.q, *ELLIPSOID.v), (*q, *v), strict=True)), **values, symbol(TIME): t}
    held = evaluate([c.expression for c in ELLIPSOID.constraints.values()], Floats(point))
    assert np.abs(held).max() < 1e-9


def test_the_wheel_is_the_falling_disc_of_the_gallery():
    """The same field, exactly: one is stated by its parts, the other by its Lagrangian."""
    wheel, disc = (derive(gallery.load(name), "nonholonomic") for name in ("wheel", "falling-rolling-disc"))
    words, names = disc.system.vocabulary, wheel.system.vocabulary
    same = dict(zip(disc.system.q, wheel.system.q, strict=True)) | dict(zip(disc.system.v, wheel.system.v, strict=True))
    m, r = names["m"], names["r"]
    moments = {words["R"]: r, words["I"]: m * r**2 / 4, words["J"]: m * r**2 / 2, words["m"]: m, words["g"]: names["g"]}
    wrong = moments | {words["J"]: m * r**2}

    def differences(values):
        told = disc.equations.rates()
        moved = {same[q]: rate for q, rate in zip(told, substitute(list(told.values()), same | values), strict=True)}
        return [is_zero(rate - moved[q]).holds for q, rate in wheel.equations.rates().items()]

    assert all(differences(moments))
    assert not all(differences(wrong))  # the twin: a ring instead of a disc


@pytest.mark.parametrize("name", ["wheel", "four-bar", "gyroscope"])
def test_a_machine_written_out_is_the_same_system(name):
    system = gallery.load(name)
    assert loads(dumps(system)) == system


@pytest.mark.thorough
def test_a_bicycle_by_its_parts_rides_as_the_one_by_hand():
    """129 lines of rotation matrices written by hand against 27 lines of parts."""
    other = load(Path(__file__).parents[1] / "linkages" / "whipple_bicycle.toml")
    by_parts, by_hand = (simulate(derive(one, "nonholonomic"), time=3) for one in (gallery.load("bicycle"), other))
    for name in ("x", "y", "psi", "phi", "delta", "chiF"):
        assert by_parts[name][-1] == pytest.approx(by_hand[name][-1], abs=1e-8)
    assert abs(by_parts["phi"][-1]) > 1e-3  # it leans


def test_a_body_without_a_place_is_told_so_once():
    rod = {"shape": "rod", "mass": 1, "length": 1}
    pin = {"type": "revolute", "child": "rod", "axis": "y"}
    with pytest.raises(ModelError) as refused:
        System.of(name="loose", coordinates="x", bodies={"rod": rod})
    assert [str(fault) for fault in refused.value.faults] == [
        "[bodies] rod: the body 'rod' has no place; state a joint whose child it is, or name its centre."
    ]
    with pytest.raises(ModelError, match=r"\[joints\] pin: 'wall' has no place"):
        System.of(name="held by nothing", bodies={"rod": rod}, joints={"pin": {**pin, "parent": "wall"}})
    assert System.of(name="held", bodies={"rod": rod}, joints={"pin": pin}).lagrangian is not None  # the twin


def test_forces_on_a_body_that_turns_freely_are_torques_about_its_axes():
    """By components of the quaternion they are no functions of the rotation, and no group could be divided out."""
    pushes = {
        "thrust": {"force": [0, 0, "T"], "at": "nozzle", "in": "hull"},
        "wheel": {"torque": ["u", 0, 0], "on": "hull", "in": "hull"},
        "drag": {"rayleigh": "c*(hull.w1^2 + hull.w2^2 + hull.w3^2)/2"},
    }
    rocket = System.of(
        name="rocket",
        coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
        parameters="T u c",
        frames={"hull": {"rotation": "R"}},
        points={"middle": ["x", "y", "z"], "nozzle": {"from": "middle", "at": [1, 0, 1], "in": "hull"}},
        bodies={"hull": {"mass": 1, "inertia": [1, 2, "5/2"], "centre": "middle"}},
        forces=pushes,
    )
    assert [one.data.name for one in rocket.stated_forces] == ["x", "y", "z", "R.w1", "R.w2", "R.w3"]
    stated = {
        "x": "T*R.m13",
        "y": "T*R.m23",
        "z": "T*R.m33",
        "R.w1": "u - c*R.w1",
        "R.w2": "-T - c*R.w2",
        "R.w3": "-c*R.w3",
    }
    by_hand = System.of(
        name="rocket",
        coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
        parameters="T u c",
        lagrangian="(x'^2 + y'^2 + z'^2 + R.w1^2 + 2*R.w2^2 + 5/2*R.w3^2)/2",
        forces=stated,
    )
    reduced, motion = derive(rocket, "reduced").equations, derive(by_hand, "reduced").equations
    assert len(reduced.state) == 6  # all motions of space are divided out
    assert all(is_zero(reduced.rates()[one] - rate).holds for one, rate in motion.rates().items())


def test_forces_on_parts_may_be_given_by_what_parts_are_called_and_by_lets():
    """As in what is said of the whole; energies of forces are known to lets behind them."""
    told = {
        "coordinates": {"x": "real", "z": "real"},
        "parameters": "m g c",
        "points": {"middle": ["x", 0, "z"]},
        "bodies": {"ball": {"mass": "m", "centre": "middle"}},
        "let": {"fast": "middle.vx^2 + middle.vz^2", "lost": "c*fast", "high": "weight.U/(m*g)", "twice": "2*high"},
    }
    drag = {"force": ["-lost*middle.vx", 0, "-c*fast*middle.vz"], "at": "middle"}
    ball = System.of(name="ball", forces={"weight": {"gravity": "g"}, "drag": drag}, **told)
    words = ball.vocabulary
    x, z, c = words["x"], words["z"], words["c"]
    fast = x.dot**2 + z.dot**2
    assert is_zero(ball.forces[x] + c * fast * x.dot).holds
    assert is_zero(ball.forces[z] + c * fast * z.dot).holds
    assert is_zero(ball.let["twice"] - 2 * z).holds
    with pytest.raises(ModelError, match="unknown name 'high'"):
        System.of(name="ball", forces={"weight": {"gravity": "g"}, "drag": drag | {"force": ["high", 0, 0]}}, **told)
