"""Routh's procedure with rotations: the field of Euler's angles and of Euler and Lagrange, and wrong twins of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from routh_systems import followed_beside_euler_lagrange
from seen_in_charts import apart

from dalembert import System, claims, derive, gallery, refusals, simulate
from dalembert.analysis.fields import meetings, pairs
from dalembert.errors import DalembertError
from dalembert.expr import ZERO, symbol, tangent
from dalembert.expr.readers import Floats
from dalembert.expr.truth import is_zero, vanish
from dalembert.expr.walk import evaluate, substitute, symbols
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.found_symmetries import with_symmetry
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.without_charts.rows import THEOREMS

ROWS = {row.name: row for row in THEOREMS}
START = {"R": {"euler": "ZXZ", "angles": [0.2, 0.6, 0.3], "w1": 0.2, "w2": -0.5, "w3": 2}}


def top(symmetry, lagrangian="A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 - k*R.m33", **more):
    """A symmetric body with a fixed point."""
    given = {
        "name": "top",
        "coordinates": {"R": "rotation"},
        "parameters": {"A": 1, "B": 1.5, "C": 2, "k": 3},
        "start": START,
        "lagrangian": lagrangian,
        "symmetry": symmetry,
    }
    return System.of(**{**given, **more})


def satellite():
    """A body with a wheel on a tilted axis and a mass on a spring."""
    return top(
        {"e1": {"R": "left 1"}, "e2": {"R": "left 2"}, "e3": {"R": "left 3"}, "wheel": {"a": 1}},
        "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 + (a' + (3*R.w1 + 4*R.w3)/5)^2/4 + (x' + R.w2)^2/2 + x^2*(R.w3^2 - k)/2",
        name="satellite",
        coordinates={"R": "rotation", "a": "angle", "x": "real"},
        start={**START, "a'": 3, "x": 0.3, "x'": 0.1},
    )


CASES = {
    "spin": lambda: top({"spin": {"R": "right 3"}}),
    "turn": lambda: top({"turn": {"R": "left 3"}}, "A*R.w1^2/2 + B*R.w2^2/2 + C*R.w3^2/2 - k*R.m33 - R.m31"),
    "all from the right": lambda: top(
        {f"f{k}": {"R": f"right {k}"} for k in (1, 2, 3)}, "A*(R.w1^2 + R.w2^2 + R.w3^2)/2 + R.s1*R.s3/3 + R.s2/2"
    ),
    "satellite": satellite,
    "free body": lambda: gallery.load("free-rigid-body"),
    "heavy top": lambda: gallery.load("heavy-top"),
}


@cache
def derived(name):
    return derive(CASES[name](), "routh")


@pytest.mark.thorough("turn", "all from the right")
@pytest.mark.parametrize("name", CASES)
@pytest.mark.thorough("spin", "satellite")
@pytest.mark.thorough("free body")
def test_it_is_the_field_of_euler_and_lagrange_on_its_level_set(name):
    result = derived(name)
    found = {claim.name: claim for claim in claims(result, verify=True)}
    assert [claim.name for claim in found.values() if claim.failed] == []
    assert found["full equations"].verdict.holds
    assert found["level set"].verdict.holds
    system = result.system
    (claim,) = meetings(
        system, {"euler-lagrange": derive(system, "euler-lagrange").equations, "routh": result.equations}
    )
    assert claim.verdict.holds


@pytest.mark.thorough("spin")
@pytest.mark.parametrize("name", ["spin", "satellite", "heavy top"])
@pytest.mark.thorough("satellite")
def test_its_motion_is_that_of_euler_and_lagrange(name):
    followed_beside_euler_lagrange(derived(name))


@pytest.mark.thorough
def test_states_are_small():
    assert [v.data.label for v in derived("spin").equations.velocities] == ["R.m13'", "R.m23'", "R.m33'"]
    assert [v.data.label for v in derived("heavy top").equations.velocities] == ["R.m33'"]
    assert [v.data.label for v in derived("free body").equations.state] == ["Pi_e1", "Pi_e2", "Pi_e3"]


@pytest.mark.thorough
def test_a_wheel_leaves_the_state_and_is_reconstructed():
    satellite = derived("satellite").equations
    assert [v.data.label for v in satellite.velocities] == ["Pi_e1", "Pi_e2", "Pi_e3", "x'"]
    assert [q.data.name for q in satellite.reconstruction] == ["R.q0", "R.q1", "R.q2", "R.q3", "a"]


@pytest.mark.thorough
def test_a_spinning_top_is_a_charge_on_a_sphere():
    """A e'' = mu e x e' + the weight, at right angles to e: its spin acts as the field of a monopole."""
    level = derived("spin").level
    mass, force = level.equations
    e, v = level.base.functions, level.base.names
    A, k = (level.frame.system.vocabulary[name] for name in "Ak")
    (mu,) = level.momentum
    square = sum(x**2 for x in v)
    weight = [k * e[2] * x for x in e]
    weight[2] = weight[2] - k
    bent = [e[i - 2] * v[i - 1] - e[i - 1] * v[i - 2] for i in range(3)]
    wanted = [mu * b + w - A * square * x for b, w, x in zip(bent, weight, e, strict=True)]
    at = level._states
    assert vanish(substitute([f - w for f, w in zip(force, wanted, strict=True)], at), level.frame.facts)
    assert not vanish(substitute([f - w - 2 * mu * b for f, w, b in zip(force, wanted, bent, strict=True)], at))
    assert all(mass[i][j] is (A if i == j else ZERO) for i in range(3) for j in range(3))


def test_without_a_chart_and_in_one_the_reduced_top_is_the_same():
    free, chart = derived("heavy top"), derive(gallery.load("heavy-top-chart"), "routh")
    assert all(is_zero(gap).holds for gap in apart(free, chart).values())
    assert any(is_zero(gap).holds is False for gap in apart(free, chart, "zxz").values())


@pytest.mark.thorough("spin", "turn")
@pytest.mark.parametrize("name", ["spin", "turn", "free body"])
def test_wrong_twins_are_found_out(name):
    result = derived(name)
    equations = result.equations
    other = tuple(2 * mu for mu in result.symmetry.values)
    twin = replace(result, symmetry=replace(result.symmetry, values=other))
    assert ROWS["level set"].claims(twin)[0].failed
    where = "kinematics" if equations.kinematics else "reconstruction"
    rates = getattr(equations, where)
    turned = next(iter(rates))
    wrong = {q: -rate if q is turned else rate for q, rate in rates.items()}
    assert ROWS["full equations"].claims(replace(result, equations=replace(equations, **{where: wrong})))[0].failed
    if equations.force:
        pushed = replace(equations, force=(equations.force[0] + equations.velocities[1], *equations.force[1:]))
        assert ROWS["full equations"].claims(replace(result, equations=pushed))[0].failed
        assert ROWS["energy balance"].claims(replace(result, equations=pushed))[0].failed


def test_angular_velocities_in_space_give_the_same_equations_as_in_the_body():
    system = CASES["turn"]()
    body, space = TangentFrame(system), TangentFrame(system, frozenset({"R"}))
    (point,) = body.rotations
    put = dict(zip(space.angular(point), body.put(list(point.space.values())), strict=True))
    turned = tangent(list(put.values()), {**body.drive, **{w: w.dot for w in body.velocities}})
    rates = dict(zip(body.velocities, [w.dot for w in body.velocities], strict=True))
    here = [
        sum((m * x for m, x in zip(row, rates.values(), strict=True)), -f)
        for row, f in zip(body.free.mass, body.free.force, strict=True)
    ]
    there = substitute(
        [
            sum((m * x for m, x in zip(row, turned, strict=True)), -f)
            for row, f in zip(space.free.mass, space.free.force, strict=True)
        ],
        put,
    )
    carried = [
        sum((m * e for m, e in zip(column, there, strict=True)), 0 * there[0])
        for column in zip(*body.rows(point), strict=True)
    ]
    assert vanish([a - b for a, b in zip(here, carried, strict=True)], body.facts)
    assert not vanish([a + b for a, b in zip(here, carried, strict=True)], body.facts)


@pytest.mark.thorough
def test_two_bodies_on_a_joint_see_the_axis_of_the_one_that_spins():
    result = derive(gallery.load("coupled-bodies"), "routh")
    shape = ["R_in_S.m13'", "R_in_S.m23'", "R_in_S.m33'"]
    assert [v.data.label for v in result.equations.velocities] == ["Pi_e1", "Pi_e2", "Pi_e3", *shape]
    found = {claim.name: claim for claim in claims(result)}
    assert found["full equations"].verdict.holds
    assert found["adapted coordinates"].verdict.holds


@pytest.mark.thorough
def test_a_body_in_a_fluid():
    result = derive(gallery.load("kirchhoff-body"), "routh")
    assert [claim.name for claim in claims(result, verify=True) if claim.failed] == []


@pytest.mark.thorough
def test_near_the_pole_a_spinning_top_takes_no_more_steps():
    spin = derived("spin")
    quick = {"R.w1": 0.3, "R.w2": 0.1, "R.w3": 2}
    at_pole = simulate(spin, {"R": {"axis": [1, 0, 0], "angle": 1e-6}, **quick}, time=2, tolerance=1e-10)
    elsewhere = simulate(spin, {"R": {"axis": [1, 0, 0], "angle": 1.0}, **quick}, time=2, tolerance=1e-10)
    assert len(at_pole.knots) < 1.3 * len(elsewhere.knots)


def test_where_two_axes_are_one_the_height_says_so():
    with pytest.raises(DalembertError, match=r"start|finite|value"):
        simulate(derived("heavy top"), {"R": {"quaternion": [1, 0, 0, 0]}, "R.w1": 0.1}, time=1)


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (lambda: top({"turn": {"R": "left 1"}}), "L is not invariant under it"),
        (lambda: top({"turn": {"R": "left 3"}}, "R.w1^4 + R.w2^4 + R.w3^4"), "it is not quadratic in velocities"),
        (lambda: top({"turn": {"R": "left 3"}}, constraints={"c": "R.w3 = 0"}), "does not take constraints"),
        (lambda: top({"turn": {"R": "left 3"}}, forces={"R.w3": "-R.w3"}), "does not take forces"),
        (lambda: with_symmetry(top({}), "none"), "no generators are stated"),
    ],
)
def test_what_is_not_taken_is_said(system, words):
    assert any(words in fault.what for fault in refusals(system(), "routh"))


def test_a_level_set_is_never_asked_about_states_that_it_has_not():
    """However formalisms come, the one that knows all states is first: on a level set other momenta do not occur."""
    plane = System.of(name="free", coordinates="x y", lagrangian="(x'^2 + y'^2)/2")
    whole = derive(plane, "euler-lagrange").equations
    for names in (("routh", "euler-lagrange"), ("euler-lagrange", "routh")):
        assert pairs(plane, dict.fromkeys(names, whole)) == [("euler-lagrange", "routh")]
    assert pairs(plane, {"routh": whole, "reduced": whole}) == [("reduced", "routh")]


def test_what_a_satellite_sees_of_its_momentum_moves_by_itself():
    """At a momentum in no special position: Euler's equations, the attitude is reconstructed, and twins fail."""
    body = {f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)}
    system = top(body, "(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2", momentum={"e1": 0.3, "e2": -0.7, "e3": 1.2}, start=None)
    found = derive(system, "routh")
    equations = found.equations
    assert [v.data.label for v in equations.state] == ["Pi_e1", "Pi_e2", "Pi_e3"]
    assert [q.data.name for q in equations.reconstruction] == ["R.q0", "R.q1", "R.q2", "R.q3"]
    told = {claim.name: claim for claim in claims(found)}
    assert [name for name, claim in told.items() if claim.failed] == []
    assert told["coadjoint orbit"].verdict.holds
    assert told["Casimir 1"].statement == "Pi_e1^2 + Pi_e2^2 + Pi_e3^2 = 101/50 along the motions"
    run = simulate(found, time=1, tolerance=1e-12)
    begin = {f"R.w{k}": mu / inertia for k, mu, inertia in ((1, 0.3, 1), (2, -0.7, 1.5), (3, 1.2, 2))}
    full = simulate(derive(system, "euler-lagrange"), begin, 1, tolerance=1e-12)
    assert all(abs(run.at(1.0)[f"R.q{k}"] - full.at(1.0)[f"R.q{k}"]) < 1e-10 for k in range(4))
    wrong = replace(equations, force=(-equations.force[0], *equations.force[1:]))
    for name in ("full equations", "coadjoint orbit"):
        assert ROWS[name].claims(replace(found, equations=wrong))[0].failed
    with pytest.raises(DalembertError, match="cannot be reached in the routh equations"):
        simulate(found, {"R.w1": 5, "R.w2": 0, "R.w3": 0}, 1)


@pytest.mark.thorough
def test_a_craft_with_a_boom_in_space_is_reduced_at_every_momentum():
    """SE(3), whose general G_mu turns and shifts along a screw: twelve dimensions of the level set less two."""
    tip = ["2/5 + 4*cos(q)/5", "4*sin(q)/5", "1/10"]
    place = {
        c: f"{c} + " + " + ".join(f"R.m{i}{j}*({p})" for j, p in enumerate(tip, 1)) for i, c in enumerate("xyz", 1)
    }
    craft = System.of(
        name="craft", coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation", "q": "angle"},
        let={f"{c}_tip": e for c, e in place.items()},
        lagrangian="2*(x'^2 + y'^2 + z'^2) + (R.w1^2 + 1.4*R.w2^2 + 1.9*R.w3^2)/2 - q^2"
        " + (x_tip'^2 + y_tip'^2 + z_tip'^2)/3",
        symmetry={f"p{c}": {c: 1} for c in "xyz"}
        | {"r1": {"R": "left 1", "y": "-z", "z": "y"}, "r2": {"R": "left 2", "x": "z", "z": "-x"}}
        | {"r3": {"R": "left 3", "x": "-y", "y": "x"}},
        start={"x": 1, "x'": 0.1, "z'": -0.2, "q": 0.6, "q'": 0.4, "R": {"w1": 0.3, "w2": 0.2, "w3": -0.5}},
    )  # fmt: skip
    found = derive(craft, "routh")
    assert len(found.equations.state) == 8
    assert [claim.name for claim in claims(found) if claim.failed] == []
    assert len([claim for claim in claims(found) if claim.name.startswith("Casimir")]) == 2
    followed_beside_euler_lagrange(found)


def test_what_a_body_sees_of_its_momentum_is_told_without_its_attitude():
    """Pi is B mu, and mu the momenta: entries of R in both of them add up to 1 where quaternions have length 1."""
    rotor = System.of(
        name="body with a rotor",
        coordinates={"R": "rotation", "a": "angle"},
        parameters="A B C D",
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2 + D*(a' + R.w3)^2)/2 + R.w1 - cos(a)",
        symmetry={f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)},
    )
    result = derive(rotor, "routh")
    level, (point,) = result.level, rotor.points
    told = [result.equations.speeds[one] for one in level.variables]
    carried = [dot(level.frame.opened(row), momenta_of(rotor, result.action)) for row in level.to_seen]
    assert not {*point.components} & {symbol(s) for s in symbols(substitute(told, rotor.named_parts))}
    q, v = np.array([0.5, 0.1, -0.7, 0.5]), np.array([0.3, 0.4, 0.2, -0.1])
    values = dict(zip([*point.components, *(c.dot for c in point.components)], [*q, *(v - q * (q @ v))], strict=True))
    values |= {p: 1.0 + k for k, p in enumerate(rotor.parameters)}
    values |= {rotor.q[-1]: 0.4, rotor.q[-1].dot: 0.8}
    found, known = (np.array(evaluate(several, Floats(values))) for several in (told, carried))
    assert np.abs(found - known).max() < 1e-14 * np.abs(known).max()
    assert np.abs(found + known).max() > 1
