"""Momenta in no special position, coordinates by their inverse alone, and bodies in a plane through syzygies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import System, claims, derive, simulate
from dalembert.errors import HypothesisError
from dalembert.mechanics.chaplygin import chaplygin
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic import linear_constraints
from dalembert.mechanics.routh import routh
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.files import dumps, loads

SPIN = {
    "e1": {"th": "cos(ph)", "ph": "-sin(ph)*cos(th)/sin(th)", "ps": "sin(ph)/sin(th)"},
    "e2": {"th": "sin(ph)", "ph": "cos(ph)*cos(th)/sin(th)", "ps": "-cos(ph)/sin(th)"},
    "e3": {"ph": 1},
}


def body(**more: object) -> System:
    """A body with a slider in it, by Euler's angles."""
    told: dict[str, object] = {
        "name": "body with a slider",
        "coordinates": {"ph": "angle", "th": "angle", "ps": "angle", "s": "real"},
        "parameters": {"A": 1, "B": 2, "C": 3},
        "let": {"a": "ph'*sin(th)*sin(ps) + th'*cos(ps)", "b": "ph'*sin(th)*cos(ps) - th'*sin(ps)",
                "c": "ps' + ph'*cos(th)"},
        "lagrangian": "((A + s^2)*a^2 + B*b^2 + (C + s^2)*c^2 + s'^2)/2 + s'*b - s^2",
        "symmetry": SPIN,
        "momentum": {"e1": "3/10", "e2": "2/5", "e3": "1/2"},
    }  # fmt: skip
    return System.of(**{**told, **more})  # type: ignore[arg-type]


def test_a_body_in_angles_moves_on_the_orbit_of_its_momentum() -> None:
    plain = body(coordinates={"ph": "angle", "th": "angle", "ps": "angle"}, lagrangian="(A*a^2 + B*b^2 + C*c^2)/2 + b")
    result = derive(plain, "routh")
    assert [s.data.label for s in result.equations.state] == ["Pi_e1", "Pi_e2", "Pi_e3"]
    told = {claim.name: claim for claim in claims(result)}
    assert all(one.verdict.holds for one in told.values() if one.role in ("check", "hypothesis"))
    assert "of dimension 2" in told["coadjoint orbit"].statement
    orbit = result.orbit
    assert orbit is not None
    turned = (*(-f for f in orbit.equations.force[:3]), *orbit.equations.force[3:])
    wrong = replace(result, orbit=replace(orbit, equations=replace(orbit.equations, force=turned)))
    assert [claim.verdict.holds for claim in claims(wrong, only="coadjoint orbit")] == [False]


@pytest.mark.thorough
def test_the_motion_of_that_body_is_the_full_one() -> None:
    start = {"ph": 0.3, "th": 1.0, "ps": 0.2, "s": 0.1, "ph'": 0.4, "th'": 0.3, "ps'": -0.5, "s'": 0.2}
    free = body(start=start, momentum=None, run={"time": 3})
    one, two = (simulate(derive(free, name), samples=21, tolerance=1e-13) for name in ("routh", "euler-lagrange"))
    assert max(float(np.max(np.abs(one[q.data.name] - two[q.data.name]))) for q in free.q) < 1e-10


def test_coordinates_may_be_given_by_their_inverse_alone() -> None:
    told = {"name": "planet", "coordinates": "x y", "parameters": {"m": 1}, "momentum": {"turn": "9/10"},
            "lagrangian": "m*(x'^2 + y'^2)/2 - (x^2 + y^2)^2", "symmetry": {"turn": {"x": "-y", "y": "x"}}}  # fmt: skip
    new = {"u": {"domain": "real"}, "p": {"domain": "angle"}}
    back = {"x": "exp(u)*cos(p)", "y": "exp(u)*sin(p)"}
    planet = System.of(**told, bundle={"adapted": new, "inverse": back})
    result = derive(planet, "routh")
    assert [s.data.label for s in result.equations.state] == ["u", "u'"]
    assert all(claim.verdict.holds for claim in claims(result, only="full equations"))
    assert "u" not in result.objects()["adapted_coordinates"]["by_stated"]
    assert loads(dumps(planet)).bundle == planet.bundle
    with pytest.raises(Exception, match="not independent"):
        System.of(**told, bundle={"adapted": new, "inverse": {"x": "u + p", "y": "2*u + 2*p"}})


@pytest.mark.parametrize("theory", [euler_lagrange, linear_constraints, chaplygin, routh, semisymplectic])
def test_no_theory_in_coordinates_takes_velocities_of_an_algebra(theory: object) -> None:
    top = System.of(name="suslov", parameters={"A": 1}, lagrangian="(A*w1^2 + w2^2 + w3^2 + w1*w3)/2",
        algebra={"name": "so(3)", "velocities": ["w1", "w2", "w3"]}, constraints={"held": "w3 = 0"})  # fmt: skip
    with pytest.raises(HypothesisError, match="belong to no coordinates"):
        theory.derive(top)  # type: ignore[attr-defined]


def bodies_in_a_plane() -> System:
    apart = {(i, j): f"sqrt((x{i} - x{j})^2 + (y{i} - y{j})^2)" for i, j in ((1, 2), (1, 3), (2, 3))}
    energy = " + ".join(f"m{i}*(x{i}'^2 + y{i}'^2)/2" for i in (1, 2, 3))
    places = {"x1": 0, "y1": 0, "x2": 1, "y2": 0.1, "x3": -0.4, "y3": 1.1}
    speeds = {"x1'": 0.1, "y1'": -0.7, "x2'": -0.1, "y2'": 0.9, "x3'": 0.5, "y3'": -0.6}
    return System.of(
        name="three bodies in a plane", coordinates=[f"{a}{i}" for i in (1, 2, 3) for a in "xy"],
        parameters={"m1": 1, "m2": 1.2, "m3": 0.8},
        lagrangian=f"{energy} + " + " + ".join(f"m{i}*m{j}/{d}" for (i, j), d in apart.items()),
        symmetry={"tx": {f"x{i}": 1 for i in (1, 2, 3)}, "ty": {f"y{i}": 1 for i in (1, 2, 3)},
                  "turn": {f"x{i}": f"-y{i}" for i in (1, 2, 3)} | {f"y{i}": f"x{i}" for i in (1, 2, 3)}},
        start=places | speeds, run={"time": 4},
    )  # fmt: skip


@pytest.mark.thorough
def test_three_bodies_pass_through_syzygies() -> None:
    system = bodies_in_a_plane()
    one, two = (simulate(derive(system, name), samples=401, tolerance=1e-13) for name in ("routh", "euler-lagrange"))
    area = (two["x2"] - two["x1"]) * (two["y3"] - two["y1"]) - (two["x3"] - two["x1"]) * (two["y2"] - two["y1"])
    assert np.sum(np.diff(np.sign(area)) != 0) >= 1
    assert max(float(np.max(np.abs(one[q.data.name] - two[q.data.name]))) for q in system.q) < 1e-10
