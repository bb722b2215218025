"""Every type of joint, where it places a body and where it closes a loop, against gaps written down by hand.

A box B hangs on a link A that swings. Either the joint places it, or B flies freely and the joint closes a loop: then
the gap between the two halves of the joint, followed to second order along the motion, stays shut, and what Newton and
Euler leave over does no work in any displacement that keeps it shut.
"""

from functools import partial

import numpy as np
import pytest
from judging import reference
from newton_euler import Jet, Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector
from scipy.optimize import least_squares

from dalembert import System
from dalembert.errors import ModelError

G = 9.81
AT, ARM, PITCH = (0.3, 0.1, 0.0), (-0.2, 0.0, 0.05), 0.7
BOX = np.diag([0.13, 0.1, 0.05]) * 1.5 / 12
KINDS = ("revolute", "prismatic", "screw", "cylindrical", "universal", "spherical", "planar", "rigid")


def machine(kind, *, closes):
    """The link and the box, with a joint of some type between them."""
    more = {"screw": {"pitch": "p"}, "universal": {"second": "x"}}.get(kind, {})
    joint = {"type": kind, "parent": "A", "child": "B", "at": AT, "child_at": ARM, "turns": [[0.4, "x"]], **more}
    flies = {"fly": {"type": "free", "child": "B"}} if closes else {}
    return System.of(
        name=f"{kind} joint",
        parameters={"g": G, "p": PITCH},
        bodies={
            "A": {"shape": "rod", "mass": 2, "length": 0.8, "axis": "x", "centre": [0.4, 0, 0]},
            "B": {"shape": "box", "mass": 1.5, "sides": [0.1, 0.2, 0.3], "centre": [0.02, 0.03, -0.1]},
        },
        joints={"swing": {"type": "revolute", "child": "A", "axis": "y", "at": [0.1, 0, 0.2]}, **flies, "joint": joint},
        forces={"weight": {"gravity": "g"}},
    )


# -- by hand --------------------------------------------------------------------------------------------------
def link(angle):
    turned = turn("y", angle)
    start = vector(0.1, 0, 0.2)
    rod = 2 * 0.64 / 12 * np.diag([0.0, 1.0, 1.0])
    weight = np.array([0, 0, -2 * G])
    return turned, start, Solid(2.0, rod, turned, start + turned @ vector(0.4, 0, 0), lambda: weight)


def box(turned, start):
    weight = np.array([0, 0, -1.5 * G])
    return Solid(1.5, BOX, turned, start + turned @ vector(0.02, 0.03, -0.1), lambda: weight)


def attitude(a, b, c, d):
    """The rotation of a unit quaternion."""
    two = 2.0
    return np.array([
        [a * a + b * b - c * c - d * d, two * (b * c - a * d), two * (b * d + a * c)],
        [two * (b * c + a * d), a * a - b * b + c * c - d * d, two * (c * d - a * b)],
        [two * (b * d - a * c), two * (c * d + a * b), a * a - b * b - c * c + d * d],
    ], dtype=object)  # fmt: skip


def moved(kind, s):
    """By how much the joint turns and shifts B, in the axes of the joint."""
    match kind:
        case "revolute":
            return turn("z", s[0]), vector(0, 0, 0)
        case "prismatic":
            return turn("z", 0.0), vector(0, 0, s[0])
        case "screw":
            return turn("z", s[0]), vector(0, 0, s[0] * (PITCH / (2 * np.pi)))
        case "cylindrical":
            return turn("z", s[1]), vector(0, 0, s[0])
        case "universal":
            return turn("z", s[0]) @ turn("x", s[1]), vector(0, 0, 0)
        case "spherical":
            return attitude(*s), vector(0, 0, 0)
        case "planar":
            return turn("z", s[2]), vector(s[0], s[1], 0)
    return turn("z", 0.0), vector(0, 0, 0)


def placed(kind, q):
    """Both bodies where the joint places B."""
    turned, start, body = link(q[0])
    held = turned @ turn("x", 0.4)
    more, shift = moved(kind, q[1:])
    whole = held @ more
    return [body, box(whole, start + turned @ vector(*AT) + held @ shift - whole @ vector(*ARM))]


def flying(q):
    """Both bodies where B flies: three ways and a quaternion."""
    return [link(q[0])[2], box(attitude(*q[4:8]), vector(*q[1:4]))]


def gap(kind, q):
    """What the joint forbids of a flying B, as numbers that move, and that its quaternion has unit length."""
    turned, start, _ = link(q[0])
    held, other = turned @ turn("x", 0.4), attitude(*q[4:8])
    g = held.T @ (vector(*q[1:4]) + other @ vector(*ARM) - start - turned @ vector(*AT))
    m = held.T @ other
    tilted = [m[0, 2], m[1, 2]]
    rows = {
        "revolute": [*g, *tilted],
        "prismatic": [g[0], g[1], *tilted, m[1, 0]],
        "screw": [g[0], g[1], *tilted, g[2] - turned_by(m[0, 0], m[1, 0]) * (PITCH / (2 * np.pi))],
        "cylindrical": [g[0], g[1], *tilted],
        "universal": [*g, m[2, 0]],
        "spherical": [*g],
        "planar": [g[2], *tilted],
        "rigid": [*g, *tilted, m[1, 0]],
    }[kind]
    return [*rows, sum(part * part for part in q[4:8]) - 1.0]


def turned_by(cosine, sine):
    """The angle whose cosine and sine move, near zero."""
    (c, c1, c2), (s, s1, s2) = cosine.c, sine.c
    return Jet(np.arctan2(s, c), c * s1 - s * c1, c * s2 - s * c2)


def rows_of(gap):
    return lambda q, v: order(np.array(gap(path(q, v)), dtype=object), 1)


def of_unit_length(q, v):
    return np.array([q[1:] @ v[1:]])


# -- the tests ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_places_a_body(kind):
    system = machine(kind, closes=False)
    draw = np.random.default_rng(3)
    q, v = draw.uniform(-0.8, 0.8, (2, len(system.q)))
    rows = None
    if kind == "spherical":
        q[1:] /= np.linalg.norm(q[1:])
        v[1:] -= (q[1:] @ v[1:]) * q[1:]
        rows = of_unit_length
    ways = np.eye(len(q)) if rows is None else allowed(rows, q)
    a = reference(system, q, v, 0.0, {p: float(x) for p, x in system.parameters.items()})
    assert np.abs(unbalanced(partial(placed, kind), q, v, a, ways)).max() < 1e-7

    def askew(q):  # the twin: the half of the joint on the link is not turned
        turned, start, body = link(q[0])
        more, shift = moved(kind, q[1:])
        return [body, box(turned @ more, start + turned @ (vector(*AT) + shift) - turned @ more @ vector(*ARM))]

    assert np.abs(unbalanced(askew, q, v, a, ways)).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_closes_a_loop(kind):
    system = machine(kind, closes=True)
    shut = partial(gap, kind)
    draw = np.random.default_rng(5)
    first = np.array([0.3, *draw.uniform(-0.3, 0.3, 3), 1.0, *draw.uniform(-0.3, 0.3, 3)])
    q = least_squares(lambda x: order(np.array(shut(path(x, 0 * x)), object), 0), first, xtol=1e-15, ftol=1e-15).x
    ways = allowed(rows_of(shut), q)
    assert len(system.holonomic) == len(shut(path(q, 0 * q)))
    v = ways @ draw.uniform(-1, 1, ways.shape[1])
    a = reference(system, q, v, 0.0, {p: float(x) for p, x in system.parameters.items()})
    assert np.abs(order(np.array(shut(path(q, v, a)), object), 2)).max() < 1e-6  # it stays shut
    assert np.abs(unbalanced(flying, q, v, a, ways)).max() < 1e-6
    wider = allowed(rows_of(lambda x: [*shut(x)[:-2], shut(x)[-1]]), q)  # the twin: one thing less forbidden
    assert np.abs(unbalanced(flying, q, v, a, wider)).max() > 1e-2


# -- gears and belts ------------------------------------------------------------------------------------------
def train(coupling):
    """Two wheels on an arm that turns, coupled; the arm stands for the carrier of a planetary gear."""
    wheel = {"shape": "disc", "axis": "y"}
    return System.of(
        name="train",
        parameters={"r": 0.2, "s": 0.3},
        bodies={
            "arm": {"shape": "rod", "mass": 1, "length": 0.5, "axis": "x", "centre": [0.25, 0, 0]},
            "sun": {**wheel, "mass": 2, "radius": "r", "centre": [0.01, 0, 0.02]},
            "planet": {**wheel, "mass": 3, "radius": "s", "centre": [0, 0, -0.03]},
        },
        joints={
            "carry": {"type": "revolute", "child": "arm", "axis": "y"},
            "first": {"type": "revolute", "parent": "arm", "child": "sun", "axis": "y"},
            "second": {"type": "revolute", "parent": "arm", "child": "planet", "axis": "y", "at": [0.5, 0, 0]},
            "mesh": coupling,
        },
        forces={"weight": {"gravity": G}, "motor": {"torque": 1.3, "joint": "first"}},
    )


def wheels(q):
    arm, sun, planet = turn("y", q[0]), turn("y", q[0] + q[1]), turn("y", q[0] + q[2])
    hub = arm @ vector(0.5, 0, 0)

    def down(mass):
        return lambda: np.array([0, 0, -mass * G])

    def disc(mass, radius):
        return mass * radius**2 / 4 * np.diag([1.0, 2.0, 1.0])

    motor = np.array([0, 1.3, 0])
    rod = 0.25 / 12 * np.diag([0.0, 1.0, 1.0])
    return [
        Solid(1.0, rod, arm, arm @ vector(0.25, 0, 0), down(1), lambda: -motor),
        Solid(2.0, disc(2, 0.2), sun, sun @ vector(0.01, 0, 0.02), down(2), lambda: motor),
        Solid(3.0, disc(3, 0.3), planet, hub + planet @ vector(0, 0, -0.03), down(3)),
    ]


def teeth(q, v):
    """How the rims pass each other where they touch, between the hubs."""
    arm, sun, planet = (angular_velocity(one.turned) for one in wheels(path(q, v)))
    here = turn("y", q[0]) @ vector(0.2, 0, 0)
    along, hub = order(here, 0), np.cross(arm, order(turn("y", q[0]) @ vector(0.5, 0, 0), 0))
    passing = np.cross(sun, along) - hub - np.cross(planet, -1.5 * along)
    return np.array([passing @ np.cross([0, 1, 0], along)])


def band(q, v):
    """How fast the belt comes off one wheel more than it goes onto the other, as seen from the arm."""
    arm, sun, planet = (angular_velocity(one.turned)[1] for one in wheels(path(q, v)))
    return np.array([0.2 * (sun - arm) - 0.3 * (planet - arm)])


@pytest.mark.parametrize(
    ("coupling", "rows", "other"),
    [
        ({"type": "gear", "joints": ["first", "second"], "radii": ["r", "s"]}, teeth, band),
        ({"type": "gear", "joints": ["first", "second"], "ratio": "s/r"}, teeth, band),
        ({"type": "belt", "joints": ["first", "second"], "radii": ["r", "s"]}, band, teeth),
    ],
)
def test_gears_and_belts_couple_wheels(coupling, rows, other):
    system = train(coupling)
    sign = -1 if rows is teeth else 1
    q = np.array([0.4, 0.3, sign * 0.2])
    ways = allowed(rows, q)
    v = ways @ np.array([0.7, -0.4])
    a = reference(system, q, v, 0.0, {p: float(x) for p, x in system.parameters.items()})
    assert np.abs(rows(q, a)).max() < 1e-9
    assert np.abs(unbalanced(wheels, q, v, a, ways)).max() < 1e-7
    assert np.abs(unbalanced(wheels, q, v, a, allowed(other, q))).max() > 1e-2  # the twin


def test_a_plane_mechanism_in_a_tilted_plane_has_two_equations_for_its_loop():
    """Along the axes of space there are three, of which one repeats the others."""
    rod = {"shape": "rod", "mass": 1, "axis": "x"}
    tilt = [[0.3, "x"], [0.5, "y"]]
    pin = {"type": "revolute", "axis": "z"}
    system = System.of(
        name="tilted four-bar",
        bodies={
            name: {**rod, "length": size, "centre": [size / 2, 0, 0]}
            for name, size in (("a", 0.3), ("b", 0.7), ("c", 0.6))
        },
        joints={
            "plane": {"type": "rigid", "child": "base", "turns": tilt},
            "crank": {**pin, "parent": "base", "child": "a"},
            "knee": {**pin, "parent": "a", "child": "b", "at": [0.3, 0, 0]},
            "rocker": {**pin, "parent": "base", "child": "c", "at": [0.8, 0, 0]},
            "loop": {**pin, "parent": "c", "child": "b", "at": [0.6, 0, 0], "child_at": [0.7, 0, 0]},
        },
    )
    assert list(system.holonomic) == ["loop closes 1", "loop closes 2"]
    assert not system.repeated


def test_a_joint_that_forbids_nothing_does_not_close_a_loop():
    joints = {"fly": {"type": "free", "child": "B"}, "again": {"type": "free", "child": "B"}}
    with pytest.raises(ModelError, match="a free joint cannot close a loop here; use one of revolute"):
        System.of(name="twice", bodies={"B": {"shape": "sphere", "mass": 1, "radius": 1}}, joints=joints)
