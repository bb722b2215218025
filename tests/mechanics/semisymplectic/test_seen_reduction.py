"""The bracket on C/G where positions are turned with bodies: decided on C, and followed beside the whole motion."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from drawn_reductions import drawn
from scipy.integrate import solve_ivp

from dalembert import claims, derive, simulate
from dalembert.errors import HypothesisError
from dalembert.expr import evaluate
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.readers import Floats
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.forms import Form
from dalembert.mechanics.semisymplectic.without_charts.seen import SeenBase
from dalembert.model.system import System

TURNS = {
    "r1": {"R": "left 1", "y": "-z", "z": "y"},
    "r2": {"R": "left 2", "x": "z", "z": "-x"},
    "r3": {"R": "left 3", "x": "-y", "y": "x"},
}
SHIFTS = {f"e{q}": {q: 1} for q in "xyz"}
FREE = "m*(x'^2 + y'^2 + z'^2)/2 + (A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2"
FLYING = System.of(
    name="a body with a fin",
    coordinates={"R": "rotation", "x": "real", "y": "real", "z": "real"},
    parameters={"m": 2, "A": 1, "B": 2, "C": 2.5, "g": 0.7},
    lagrangian=FREE,
    constraints={"fin": "x'*R.m13 + y'*R.m23 + z'*R.m33 = R.w1/4"},
    symmetry={**SHIFTS, **TURNS},
)
TIED = FLYING.but(symmetry=TURNS)
SYSTEMS = {
    "by SE(3)": FLYING,
    "by SE(2), under weight": FLYING.but(
        lagrangian=f"{FREE} - g*z", symmetry={n: {**SHIFTS, **TURNS}[n] for n in ("ex", "ey", "r3")}
    ),
    "by SO(3), tied": TIED.but(lagrangian=f"{FREE} - g*(x^2 + y^2 + z^2)^2"),
    "by another rule, tied": TIED.but(
        lagrangian=f"{FREE} - g*(x^2 + y^2 + z^2)",
        constraints={"c": "R.w3 = R.w1/3"},
        virtual={"c": {"R.w3": 1, "R.w1": "1/2"}},
    ),
    "on a sphere": TIED.but(lagrangian=FREE, holonomic={"rod": "x^2 + y^2 + z^2 = 1"}),
    "seen from a sleigh": System.of(
        name="a body on a sleigh",
        coordinates={"x": "real", "y": "real", "th": "angle", "R": "rotation"},
        parameters={"m": 2, "A": 1, "B": 2, "C": 2.5, "J": 1.5, "a": 0.4},
        lagrangian="m*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2 + (A*R.w1^2 + B*R.w2^2 "
        "+ C*R.w3^2)/2 + R.m13*cos(th) + R.m23*sin(th) - R.m33",
        constraints={"blade": "x'*sin(th) = y'*cos(th)"},
        symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "th": 1, "R": "left 3"}},
    ),
    "two bodies": System.of(
        name="two bodies on a pivot, geared",
        coordinates={"R": "rotation", "S": "rotation"},
        parameters={"A": 1, "B": 2, "C": 2.5, "a": 0.4},
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2 + S.w1^2 + 2*S.w2^2 + 3*S.w3^2)/2 "
        "- a*(R.m13*S.m13 + R.m23*S.m23 + R.m33*S.m33)",
        constraints={"gear": "R.w3 = S.w3"},
        symmetry={f"t{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)},
    ),
}
NONE = ProofBudget(0.0)
CHECKS = ("closes", "is_that_of_the_form", "moves")


@cache
def reduced(name):
    return derive(SYSTEMS[name], "semisymplectic").reduce()


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough(
    "on a sphere", "two bodies", "by SE(2), under weight", "by another rule, tied", "seen from a sleigh"
)
def test_bracket_and_motion_are_those_on_c(name):
    found = reduced(name)
    assert isinstance(found.base, SeenBase)
    assert [getattr(found, check)(NONE).holds for check in CHECKS] == [True] * 3
    assert found.base.is_the_stated(NONE).holds


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.thorough
def test_nothing_that_has_to_hold_fails(name):
    assert not [claim for claim in claims(derive(SYSTEMS[name], "semisymplectic")) if claim.failed]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.thorough
def test_rolling_bodies_put_together_by_lot_are_reduced(seed):
    found = derive(drawn("rolling", seed).but(forces={}), "semisymplectic").reduce()
    assert [getattr(found, check)(NONE).holds for check in CHECKS] == [True] * 3


@pytest.mark.parametrize("name", ["by SO(3), tied", "by another rule, tied", "seen from a sleigh"])
def test_what_is_wrong_is_seen(name):
    found = reduced(name)
    pair = next(iter(found.bracket))
    for key in (pair, (0, 1)):
        wrong = replace(found)
        object.__setattr__(wrong, "bracket", {**found.bracket, key: found.bracket.get(key, ZERO) + ONE})
        assert wrong.is_that_of_the_form(NONE).holds is False
    twisted = replace(found)
    object.__setattr__(twisted, "shown_rates", [*found.shown_rates[:-1], -found.shown_rates[-1]])
    assert twisted.moves(NONE).holds is False
    space = replace(found.space)
    more = Form.of(space.chart, 2, {(len(space.chart.coordinates) - 2, len(space.chart.coordinates) - 1): ONE})
    object.__setattr__(space, "manifold", replace(found.space.manifold, form=found.space.manifold.form + more))
    assert replace(found, space=space).is_that_of_the_form(NONE).holds is False
    seen = found.base.configuration
    bent = {**seen, next(iter(seen)): 2 * next(iter(seen.values()))}
    assert replace(found.base, configuration=bent).is_the_stated(NONE).holds is False


@pytest.mark.thorough
def test_constraints_that_are_moved_among_each_other_are_the_stated_ones_together():
    """A ball on a table that turns: seen from the table each of its two constraints is a mixture of the stated ones."""
    ball = System.of(
        name="a ball on a turning table", coordinates={"x": "real", "y": "real", "R": "rotation", "al": "angle"},
        lagrangian="(x'^2 + y'^2)/2 + (R.w1^2 + R.w2^2 + R.w3^2)/5 + al'^2/2",
        constraints={"a": "x' - R.s2 = -al'*y", "b": "y' + R.s1 = al'*x"},
        symmetry={
            "turn": {"x": "-y", "y": "x", "al": 1, "R": "left 3"}, **{f"e{k}": {"R": f"right {k}"} for k in (1, 2, 3)},
        },
    )  # fmt: skip
    base = derive(ball, "semisymplectic").reduce().base
    assert base.is_the_stated(NONE).holds
    bent = {**base.configuration, ball.q[0]: 2 * base.configuration[ball.q[0]]}
    assert replace(base, configuration=bent).is_the_stated(NONE).holds is False


# -- along motions -----------------------------------------------------------------------------------------------
def in_body(vector, k):
    return " + ".join(f"({e})*R.m{i}{k}" for i, e in enumerate(vector, 1))


PLACE = {f"{q}_in_R": in_body("xyz", k) for k, q in enumerate("xyz", 1)}
RATES = {f"v_{q}": in_body(("x'", "y'", "z'"), k) for k, q in enumerate("xyz", 1)}
TURNED = {
    f"{q}_in_R'": f"{RATES[f'v_{q}']} - (R.w{j}*({PLACE[f'{b}_in_R']}) - R.w{k}*({PLACE[f'{a}_in_R']}))"
    for q, (j, a, k, b) in zip("xyz", ((2, "y", 3, "z"), (3, "z", 1, "x"), (1, "x", 2, "y")), strict=True)
}
FROM_TH = {
    **{f"R_in_th.m1{k}": f"cos(th)*R.m1{k} + sin(th)*R.m2{k}" for k in (1, 2, 3)},
    **{f"R_in_th.m2{k}": f"cos(th)*R.m2{k} - sin(th)*R.m1{k}" for k in (1, 2, 3)},
    **{f"R_in_th.m3{k}": f"R.m3{k}" for k in (1, 2, 3)},
    **{f"R_in_th.w{k}": f"R.w{k} - R.m3{k}*th'" for k in (1, 2, 3)},
    "v_x": "x'*cos(th) + y'*sin(th)",
}
BEGIN = {"R": {"axis": [1, 2, 0], "angle": 0.5, "w1": 0.6, "w2": -0.4, "w3": 0.2}}
MEANT = {
    "by SE(3)": (RATES, {"x'": 0.3, "y'": -0.2}),
    "by SE(2), under weight": (RATES, {"x'": 0.3, "y'": -0.2, "z": 0.4}),
    "by SO(3), tied": (PLACE | TURNED, {"x": 0.5, "y": 0.3, "z": -0.4, "x'": 0.3, "y'": -0.2}),
    "by another rule, tied": (PLACE | TURNED, {"x": 0.5, "y": 0.3, "z": -0.4, "x'": 0.3, "y'": -0.2, "z'": 0.5}),
    "seen from a sleigh": (FROM_TH, {"x": 0.5, "th": 0.3, "th'": 0.8, "x'": 0.4, "y'": 0.4 * np.tan(0.3)}),
}


def followed(found, begin, time, sign=1):
    """Return functions and momenta after a time, by the motion that is shown, and what gives these by speeds."""
    parameters = {p: float(v) for p, v in found.space.motion.system.parameters.items()}
    size, formulas = len(found.functions), [*found.shown_momenta, *found.held]
    width = len(found.speeds)

    def values(expressions, functions, speeds):
        known = dict(zip((*found.functions, *found.speeds), (*functions, *speeds), strict=True))
        return np.array(evaluate(expressions, Floats({**parameters, **known})), float)

    def speeds_of(functions, momenta):
        still = values(formulas, functions, [0.0] * width)
        slopes = np.array([values(formulas, functions, row) - still for row in np.eye(width)]).T
        return np.linalg.lstsq(slopes, np.append(momenta, np.zeros(len(found.held))) - still, rcond=None)[0]

    def moving(_, state):
        functions, momenta = state[:size], state[size:]
        rates = values(found.shown_rates, functions, speeds_of(functions, momenta))
        return np.append(rates[:size], sign * rates[size:])

    first = values(formulas, begin[:size], begin[size:])[: len(found.fields)]
    done = solve_ivp(moving, (0, time), [*begin[:size], *first], method="DOP853", rtol=1e-12, atol=1e-13)
    return done.y[:, -1], lambda end: [*end[:size], *values(formulas, end[:size], end[size:])[: len(found.fields)]]


@pytest.mark.parametrize("name", MEANT)
@pytest.mark.thorough("by another rule, tied", "by SE(2), under weight", "seen from a sleigh")
def test_the_motion_on_the_quotient_is_that_of_the_whole(name):
    found, (meant, start) = reduced(name), MEANT[name]
    system = SYSTEMS[name].but(start={**BEGIN, **start})
    run = simulate(derive(system, "nonholonomic"), time=0.8, tolerance=1e-13)
    labels = [x.data.label for x in (*found.functions, *found.speeds)]
    there = np.array([run.value(meant.get(label, label)) for label in labels])
    end, at = followed(found, there[:, 0], run.t[-1])
    assert np.abs(end - at(there[:, -1])).max() < 1e-10
    wrong, at = followed(found, there[:, 0], run.t[-1], sign=-1)
    assert np.abs(wrong - at(there[:, -1])).max() > 1e-3


@pytest.mark.thorough
def test_two_coordinates_that_are_turned_with_a_body_about_one_axis_are_refused():
    bowl = FLYING.but(lagrangian=f"{FREE} - (x^2 + y^2)/2 - g*z", symmetry={"r3": TURNS["r3"]})
    with pytest.raises(HypothesisError, match="closed form"):
        derive(bowl, "semisymplectic").reduce()
