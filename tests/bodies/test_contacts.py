"""Contacts: balls on surfaces that are not plane, convex bodies, blades, against rolling written down by hand."""

import numpy as np
import pytest
from newton_euler import Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector

from dalembert import System, derive
from dalembert.errors import ModelError
from dalembert.expr.readers import Floats
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import evaluate, postorder, substitute

G = 9.81
ANGLES = {"a": "angle", "b": "angle", "c": "angle"}
PLACE = {"x": "real", "y": "real", "z": "real"}


def ball_in(surface, **more):
    return System.of(
        name="ball",
        coordinates={**PLACE, **ANGLES},
        parameters={"R": 1, "r": 0.2, "g": G, "m": 1.5},
        frames={"ball": {"euler": "zxz", "angles": ["a", "b", "c"]}},
        points={"middle": ["x", "y", "z"]},
        bodies={"ball": {"shape": "sphere", "mass": "m", "radius": "r", "centre": "middle"}},
        contacts={"wall": {"ball": "ball", "radius": "r", "surface": surface, **more}},
        forces={"weight": {"gravity": "g"}},
    )


def ball(q):
    turned = turn("z", q[3]) @ turn("x", q[4]) @ turn("z", q[5])
    inertia = 0.4 * 1.5 * 0.04 * np.eye(3)
    return [Solid(1.5, inertia, turned, vector(*q[:3]), lambda: np.array([0, 0, -1.5 * G]))]


def slip(normal, arm):
    """The velocity of the ball where it touches: zero along the surface, and no motion of the centre across it."""

    def rows(q, v):
        solid = ball(path(q, v))[0]
        n = normal(q)
        return order(solid.centre, 1) + np.cross(angular_velocity(solid.turned), arm * n)

    return rows


def outwards(q):
    return np.array([q[0], q[1], 0]) / np.hypot(q[0], q[1])


def radial(q):
    return np.array(q[:3]) / np.linalg.norm(q[:3])


SURFACES = {
    "in a cylinder": ({"cylinder": "R", "side": "inside"}, outwards, 0.2, [0.8 * 0.6, 0.8 * 0.8, 0.3]),
    "on a cylinder": ({"cylinder": "R"}, outwards, -0.2, [1.2 * 0.6, 1.2 * 0.8, 0.3]),
    "on a sphere": ({"sphere": "R"}, radial, -0.2, [1.2 * 2 / 7, 1.2 * 3 / 7, 1.2 * 6 / 7]),
    "in a bowl": ({"sphere": "R", "side": "inside"}, radial, 0.2, [0.8 * 2 / 7, 0.8 * 3 / 7, -0.8 * 6 / 7]),
}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.thorough] * (n in {"on a cylinder", "in a bowl"})) for n in SURFACES]
)
@pytest.mark.thorough("in a cylinder")
def test_balls_roll_on_round_surfaces(name):
    surface, normal, arm, place = SURFACES[name]
    rows = slip(normal, arm)
    q = np.array([*place, 0.4, 0.9, -0.3])
    directions = allowed(rows, q)
    assert directions.shape[1] == 3
    v = directions @ np.array([0.7, -0.4, 0.5])
    equations = derive(ball_in(surface), "nonholonomic").saddle_form().equations
    system = ball_in(surface)
    point = dict(zip((*system.q, *system.v), (*q, *v), strict=True)) | {
        p: float(x) for p, x in system.parameters.items()
    }
    held = evaluate([c.expression for c in system.constraints.values()], Floats(point))
    assert np.abs(held).max() < 1e-12
    rates = equations.rates()
    a = np.array(evaluate([rates[one] for one in equations.velocities], Floats(point)))
    assert np.abs(unbalanced(ball, q, v, a, directions)).max() < 1e-9
    step = 1e-5
    ahead, behind = (rows(q + s * v + s * s * a / 2, v + s * a) for s in (step, -step))
    assert np.abs(ahead - behind).max() / (2 * step) < 1e-6  # it goes on rolling
    assert np.abs(unbalanced(ball, q, v, 1.1 * a, directions)).max() > 1e-3  # the twin


def egg(contact):
    return System.of(
        name="egg",
        coordinates={**PLACE, **ANGLES},
        parameters={"A": 0.3, "B": 0.4, "C": 0.5},
        frames={"egg": {"euler": "zxy", "angles": ["a", "b", "c"]}},
        points={"middle": ["x", "y", "z"]},
        bodies={"egg": {"shape": "ellipsoid", "mass": 1, "axes": ["A", "B", "C"], "centre": "middle"}},
        contacts={"floor": contact},
    )


def test_a_support_function_says_what_the_shape_says():
    shape = egg({"ellipsoid": "egg", "axes": ["A", "B", "C"]})
    support = "sqrt(A^2*n1^2 + B^2*n2^2 + C^2*n3^2)"
    convex = egg({"convex": "egg", "support": support})
    other = egg({"convex": "egg", "support": support.replace("C", "B")})  # the twin
    for name, constraint in shape.constraints.items():
        assert is_zero(constraint.expression - convex.constraints[name].expression).holds
        assert not is_zero(constraint.expression - other.constraints[name].expression).holds


def test_what_is_no_support_function_is_refused():
    with pytest.raises(ModelError, match="homogeneous of degree 1, and this is not"):
        egg({"convex": "egg", "support": "1 + n1^2"})


def test_rubber_does_not_spin_and_a_blade_does_not_slip():
    rubber = ball_in({"cylinder": "R", "side": "inside"}, kind="rubber")
    assert [name for name in rubber.constraints if "spin" in name] == ["wall does not spin"]
    sled = System.of(
        name="sled",
        coordinates={"x": "real", "y": "real", "th": "angle"},
        frames={"sled": {"turn": "th", "about": "z"}},
        points={"middle": ["x", "y", 0], "edge": {"from": "middle", "at": ["d", 0, 0], "in": "sled"}},
        parameters={"m": 1, "J": 1, "d": 0.2},
        bodies={"sled": {"mass": "m", "inertia": [0, 0, "J"], "centre": "middle"}},
        contacts={"knife": {"blade": "sled", "at": "edge", "along": "x"}},
    )
    words = sled.vocabulary
    row = sled.constraints["knife does not slip"].expression
    by_hand = System.of(
        name="by hand", coordinates={"x": "real", "y": "real", "th": "angle"}, parameters={"m": 1, "J": 1, "d": 0.2},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2", constraints={"blade": "y'*cos(th) - x'*sin(th) + d*th' = 0"},
    )  # fmt: skip
    assert is_zero(row - by_hand.constraints["blade"].expression).holds
    size = len(postorder([by_hand.constraints["blade"].expression]))
    assert len(postorder([row])) <= 2 * size  # by the velocity of the point, which is one of the body
    assert is_zero(sled.lagrangian - by_hand.lagrangian).holds
    assert not is_zero(substitute([row], {words["d"]: 2 * words["d"]})[0] - row).holds


def test_a_wheel_finds_its_lowest_point():
    """Without a point of contact the rim is asked; where it is known the rows are the same."""

    def wheel(**more):
        return System.of(
            name="wheel",
            coordinates={"x": "real", "y": "real", "a": "angle", "b": "angle", "c": "angle"},
            parameters={"r": 0.5},
            frames={
                "carrier": {"turns": [["a", "z"], ["b", "x"]]},
                "wheel": {"in": "carrier", "turn": "c", "about": "y"},
            },
            points={"P": ["x", "y", 0], "hub": {"from": "P", "at": [0, 0, "r"], "in": "carrier"}},
            bodies={"wheel": {"shape": "ring", "mass": 1, "radius": "r", "axis": "y", "centre": "hub"}},
            contacts={"road": {"wheel": "wheel", "radius": "r", "axis": "y", **more}},
        )

    known, found = wheel(at="P"), wheel()
    values = {"x": 0.1, "y": 0.2, "a": 0.5, "b": 0.4, "c": 1.0, "x'": 0.3, "y'": -0.2, "a'": 0.7, "b'": 0.3, "c'": 2.0}
    point = {found.vocabulary.symbol(n): v for n, v in values.items()} | {found.vocabulary["r"]: 0.5}
    for name, constraint in known.constraints.items():
        one, other = evaluate([constraint.expression, found.constraints[name].expression], Floats(point))
        assert one == pytest.approx(other, abs=1e-12)
    with pytest.raises(ModelError, match="it is not at the radius"):
        System.of(
            name="wrong",
            coordinates={"x": "real", "y": "real", "c": "angle"},
            frames={"wheel": {"turn": "c", "about": "y"}},
            points={"P": ["x", "y", 0], "hub": {"from": "P", "at": [0, 0, 1]}},
            bodies={"wheel": {"shape": "ring", "mass": 1, "radius": 0.5, "axis": "y", "centre": "hub"}},
            contacts={"road": {"wheel": "wheel", "radius": 0.5, "axis": "y", "at": "P"}},
        )


def test_a_wheel_that_stands_upright_on_a_slope_has_no_roots_in_it():
    """That its axis is across the normal is so by sines and cosines of two angles; no formula need show it."""
    wheel = System.of(
        name="unicycle on a slope",
        parameters={"r": 0.3, "s": 0.2},
        points={"slope": [0, 0, 0]},
        frames={"slope": {"turn": "s", "about": "y"}},
        bodies={
            "fork": {"mass": 1, "inertia": [1, 1, 1]},
            "wheel": {"shape": "disc", "mass": 1, "radius": "r", "axis": "y"},
        },
        joints={
            "way": {"type": "planar", "parent": "slope", "child": "fork", "at": [0, 0, "r"]},
            "spin": {"type": "revolute", "parent": "fork", "child": "wheel", "axis": "y"},
        },
        contacts={"road": {"wheel": "wheel", "radius": "r", "axis": "y", "on": "slope"}},
    )
    assert not wheel.stops  # it cannot fall
    rows = [one.expression for one in wheel.constraints.values()]
    powers = [k for node in postorder(rows) if node.op == "product" for k in node.data]
    assert powers
    assert all(k.denominator == 1 for k in powers)
