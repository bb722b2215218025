"""Evident symmetries of machines: the ground's, and spins of bodies; what breaks them; motions carried along."""

from dataclasses import replace

import numpy as np
import pytest
from commanding import command
from scipy.integrate import solve_ivp

from dalembert import System, claims, derive, evident_symmetries, gallery, simulate
from dalembert.analysis.steady.symmetries import state_symmetries
from dalembert.errors import ExpressionError, HypothesisError, ModelError
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import dumps, loads
from dalembert.model.symmetries import lift
from dalembert.model.writing import tables_in_text
from dalembert.numerics.wording import NameResolver


def found(system):
    """The evident symmetries as they are written."""
    stated = replace(system, symmetry=evident_symmetries(system))
    return list(tables_in_text(stated).get("symmetry", {}).values())


def sledges(**tables):
    """Two sledges on the ice with a pin between them: a loop."""
    return System.of(
        name="two sledges",
        parameters={"m": 2, "M": 3, "l": 1, "k": 4, "F": 1},
        bodies={
            "front": {"shape": "box", "mass": "m", "sides": [1, 2, 1], "centre": [0.1, 0.2, 0]},
            "rear": {"shape": "box", "mass": "M", "sides": [1, 1, 1]},
        },
        joints={
            "ice": {"type": "planar", "child": "front", "coordinate": ["x", "y", "h"]},
            "snow": {"type": "planar", "child": "rear", "coordinate": ["u", "w", "p"]},
            "pin": {"type": "revolute", "parent": "front", "child": "rear", "axis": "z",
                    "at": ["l", 0, 0], "child_at": ["-l", 0, 0]},
        },
        **tables,
    )  # fmt: skip


ALONG, ACROSS = {"x": "1", "u": "1"}, {"y": "1", "w": "1"}
AROUND = {"x": "-y", "y": "x", "h": "1", "u": "-w", "w": "u", "p": "1"}
AROUND_HOOK = {**AROUND, "y": "x - 2", "w": "u - 2"}
SPRING = {"stiffness": "k", "length": "l"}
SLEDGES = {
    "left alone": ({}, [ALONG, ACROSS, AROUND]),
    "on a slope": ({"forces": {"weight": {"gravity": ["F", 0, 0]}}}, [ACROSS]),
    "a spring to the ground": ({"forces": {"rope": {"spring": ["front", "ground"], **SPRING}}}, [AROUND]),
    "a spring to a hook": (
        {"points": {"hook": [2, 0, 0]}, "forces": {"rope": {"spring": ["front", "hook"], **SPRING}}},
        [AROUND_HOOK],
    ),
    "a spring between them": ({"forces": {"rope": {"spring": ["front", "rear"], **SPRING}}}, [ALONG, ACROSS, AROUND]),
    "thrust": ({"forces": {"jet": {"force": ["F", 0, 0], "at": "front", "in": "front"}}}, [ALONG, ACROSS, AROUND]),
    "wind": ({"forces": {"wind": {"force": ["F", 0, 0], "at": "front"}}}, [ALONG, ACROSS]),
    "a pilot who looks at x": (
        {"controls": {"f": "-x"}, "forces": {"jet": {"force": ["f", 0, 0], "at": "front", "in": "front"}}},
        [ACROSS],
    ),
    "drag": ({"forces": {"drag": {"rayleigh": "k*(x'^2 + y'^2)/2"}}}, [ALONG, ACROSS, AROUND]),
    "runners that drag more one way": ({"forces": {"drag": {"rayleigh": "k*(x'^2 + 2*y'^2)/2"}}}, [ALONG, ACROSS]),
    "a blade": (
        {"contacts": {"edge": {"blade": "rear", "at": "rear", "along": "x"}}},
        [ALONG, ACROSS, AROUND],
    ),
    "a round rail": ({"holonomic": {"rail": "x^2 + y^2 = 4"}}, [AROUND]),
    "a bent rail": ({"holonomic": {"rail": "y = x^2"}}, []),
    "a wall": ({"constraints": {"wall": "x' = y*y'"}}, [ALONG]),
}  # fmt: skip


@pytest.mark.parametrize("name", SLEDGES)
def test_a_machine_has_the_symmetries_of_its_ground_until_something_breaks_them(name):
    tables, expected = SLEDGES[name]
    assert found(sledges(**tables)) == expected


def rolling(shape, **tables):
    return System.of(
        name="rolling body",
        coordinates={"x": "real", "y": "real", "R": "rotation"},
        parameters={"m": 1, "r": 0.2, "W": 1, "s": 0.3},
        frames={"body": {"rotation": "R"}, "table": {"turn": "W*t", "about": "z"}, "ramp": {"turn": "s", "about": "y"}},
        points={"middle": ["x", "y", "r"], "table": [0, 0, 0], "ramp": [0, 0, 0]},
        bodies={"body": {"mass": "m", "centre": "middle", **shape}},
        contacts={"road": {"ball": "body", "radius": "r", **tables}},
    )


SPHERE, EGG = {"shape": "sphere", "radius": "r"}, {"inertia": [1, 1, 2]}
AXES = [{"R": "right 1"}, {"R": "right 2"}, {"R": "right 3"}]
GROUND = [{"x": "1"}, {"y": "1"}]
TURN = {"R": "left 3", "x": "-y", "y": "x"}


def test_spins_of_bodies_are_symmetries_where_their_inertia_has_them():
    same = [*GROUND, AXES[0], AXES[1], TURN, AXES[2]]
    assert found(rolling(SPHERE)) == found(rolling(SPHERE, kind="rubber")) == same
    assert found(rolling(EGG)) == [*GROUND, TURN, AXES[2]]
    assert found(rolling({"inertia": [1, 2, 3]})) == [*GROUND, TURN]
    assert found(rolling(SPHERE, on="table")) == [AXES[0], AXES[1], TURN, AXES[2]]


def test_the_stated_groups_of_machines_in_the_gallery_are_among_those_found():
    for name in ("differential-drive", "cart", "axle", "top", "gyroscope", "arm:3", "car-with-trailers:2"):
        system = gallery.load(name)
        stated = list(tables_in_text(system)["symmetry"].values())
        evident = found(system)
        plain = [one for one in stated if one != {"left": "1", "right": "1"}]  # here both are symmetries alone
        assert all(one in evident for one in plain), name
    assert found(gallery.load("four-bar")) == found(gallery.load("slider-crank")) == []


# -- another derivation: the motions -------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["wheel", "differential-drive", "ball", "top"])
@pytest.mark.thorough("ball", "top")
def test_each_commutes_with_the_motion(name):
    system = gallery.load(name)
    known = evident_symmetries(system)
    wrong = replace(system, symmetry=known).but(
        symmetry={**tables_in_text(replace(system, symmetry=known))["symmetry"], "wrong": BROKEN[name]}
    )
    motion = derive(wrong, "nonholonomic" if wrong.stated_constraints else "euler-lagrange").equations
    names = {one.name for one in state_symmetries(motion, NameResolver(motion, wrong))}
    assert names.issuperset(known)
    assert "wrong" not in names


BROKEN = {"wheel": {"lean": 1}, "differential-drive": {"heading": 1, "x": "y"}, "ball": {"R": "left 1"},
          "top": {"R": "left 1"}}  # fmt: skip


def carried(system, field, state):
    """A state moved along the flow of a field for a while."""
    moving, names = lift(field, system.chart), [*system.q, *system.v]
    rates = [moving.get(n, ZERO) for n in names]

    def rate(_, values):
        return evaluate(rates, Floats(dict(zip(names, values, strict=True))))

    return solve_ivp(rate, (0, 0.7), state, rtol=1e-11, atol=1e-11).y[:, -1]


@pytest.mark.thorough
def test_a_motion_of_a_loop_with_a_blade_is_carried_to_a_motion():
    blade = SLEDGES["a blade"][0]
    system = sledges(**SLEDGES["a spring to a hook"][0], **blade)
    motion = derive(system, "nonholonomic")
    labels = [n.data.label for n in (*system.q, *system.v)]

    def ends(start):
        run = simulate(motion, start=start, time=0.5)
        return [np.array([run[label][k] for label in labels]) for k in (0, -1)]

    states = ends({"x": 0.1, "y": 0.2, "h": 0.3, "p": 0.6, "h'": 0.5, "y'": 0.3})
    (generator,) = evident_symmetries(system).values()
    x, _, _, u, _, _ = system.q
    for field, kept in ((generator.components, True), ({x: ONE, u: ONE}, False)):  # a shift is none: the hook stays
        begin, end = (carried(system, field, state) for state in states)
        again = ends(dict(zip(labels, map(float, begin), strict=True)))[-1]
        assert np.allclose(again, end, atol=1e-8) is kept


# -- how they are asked for ----------------------------------------------------------------------------------
def test_a_statement_asks_for_them_and_they_are_written_out():
    text = dumps(gallery.load("wheel").but(symmetry=None))
    wheel = loads(text.replace('name = "wheel"', 'name = "wheel"\nsymmetry = "evident"'))
    assert [*wheel.symmetry] == ["e1", "e2", "e3", "e4"]
    assert loads(dumps(wheel)) == wheel
    assert derive(wheel, "chaplygin").equations.state
    assert gallery.load("wheel").symmetry == {}


def test_their_momenta_are_given_by_name():
    pendulum = {"name": "spherical pendulum", "coordinates": {"a": "angle", "b": "angle"}, "symmetry": "evident",
                "lagrangian": "(a'^2 + sin(a)^2*b'^2)/2 + cos(a)"}  # fmt: skip
    assert dict(System.of(**pendulum, momentum={"e1": "1/2"}).momentum)
    assert derive(System.of(**pendulum, momentum=["1/2"]), "routh").equations.state
    with pytest.raises(ModelError, match="e2"):
        System.of(**pendulum, momentum={"e2": 1})
    assert System.of(**pendulum, facts={"symmetries": {"e1": "symmetry"}}).known.symmetries


def test_what_cannot_be_found_is_said():
    with pytest.raises(ModelError, match='symmetry = "evident"'):
        sledges(symmetry="all")
    plain = System.of(name="p", coordinates="x", equations={"x''": "-x"})
    with pytest.raises(ExpressionError, match="Lagrangian of order 1"):
        evident_symmetries(plain)
    with pytest.raises(ModelError, match="Lagrangian of order 1"):
        plain.but(symmetry="evident")
    with pytest.raises(ModelError, match="nobody"):
        sledges(symmetry="evident", constraints={"c": "nobody' = 0"})


def test_expand_writes_those_of_a_machine_that_states_none():
    wheel, cart, linkage = (command("expand", name).out for name in ("wheel", "cart", "four-bar"))
    assert 'e4 = {x = "-y", y = "x", heading = "1"}' in wheel
    assert "# No symmetry is stated; those in [symmetry] were found." in wheel
    assert "e4" not in cart
    assert "No symmetry" not in cart
    assert "none was found among fields" in linkage
    assert "[symmetry]" not in linkage
    assert [*loads(wheel).symmetry] == ["e1", "e2", "e3", "e4"]


def test_a_formalism_that_needs_a_symmetry_takes_them_and_says_so():
    wheel = gallery.load("wheel")
    found, asked = derive(wheel, "chaplygin"), derive(wheel.but(symmetry="evident"), "chaplygin")
    assert found.equations.rates() == asked.equations.rates()
    first = claims(found, only="found symmetries")[0]
    assert first.statement.startswith(
        "no symmetry is stated; dalembert found and uses e1 = d/dx, e2 = d/dy, e3 = d/dturn, e4 ="
    )
    assert first.verdict.holds is True
    assert found.hypotheses == asked.hypotheses
    with pytest.raises(HypothesisError, match="dalembert found and uses e1 = d/dy \\+ d/dw"):
        derive(sledges(**SLEDGES["on a slope"][0]), "chaplygin")
    with pytest.raises(HypothesisError, match="none was found among fields"):
        derive(gallery.load("slider-crank"), "chaplygin")
