"""Twelve machines that stand in no other test: reduced and reconstructed they have the full field, exactly.

Lengths, masses and springs are drawn, so that nothing is symmetric by accident. Full fields are those of Euler and
Lagrange or of multipliers; the reduced motion is put into the stated coordinates by its own configuration and rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from dalembert import System, derive
from dalembert.analysis.fields import meetings, same_field
from dalembert.mechanics.common import points_of

SEED = 20_081


class _Draw:
    """Fractions, each by its own draw."""

    def __init__(self, name: str) -> None:
        self.random = Random(f"{SEED} {name}")

    def __call__(self) -> str:
        return f"({self.random.randint(1, 9)}/{self.random.randint(2, 7)})"


def _plane(*turning: str) -> dict[str, dict[str, str | int]]:
    """SE(2) on x, y and angles that are measured in space."""
    return {"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x"} | dict.fromkeys(turning, 1)}


def satellite_with_rotor(c: _Draw) -> System:
    return System.of(
        name="satellite with a rotor", coordinates={"x": "real", "y": "real", "th": "angle", "a": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*(th' + a')^2 - {c()}*cos(a)", symmetry=_plane("th"),
    )  # fmt: skip


def satellite_with_arm(c: _Draw) -> System:
    arm, mass = c(), c()
    return System.of(
        name="satellite with an arm", coordinates={"x": "real", "y": "real", "th": "angle", "a": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*(th' + a')^2 - {c()}*cos(a)"
        f" + {mass}*((x' - {arm}*(th' + a')*sin(th + a))^2 + (y' + {arm}*(th' + a')*cos(th + a))^2)",
        symmetry=_plane("th"),
    )  # fmt: skip


def tethered_masses(c: _Draw) -> System:
    return System.of(
        name="two masses on a tether", coordinates="x y u v",
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*(u'^2 + v'^2) - {c()}*((x - u)^2 + (y - v)^2)^2",
        symmetry={"ex": {"x": 1, "u": 1}, "ey": {"y": 1, "v": 1}, "turn": {"x": "-y", "y": "x", "u": "-v", "v": "u"}},
    )  # fmt: skip


def arms_on_a_ring(c: _Draw) -> System:
    return System.of(
        name="three arms on a ring", coordinates=dict.fromkeys("abd", "angle"),
        lagrangian=f"{c()}*a'^2 + {c()}*b'^2 + {c()}*d'^2 + {c()}*a'*b'*cos(a - b) + {c()}*b'*d'*cos(b - d)"
        f" - {c()}*cos(a - d)",
        symmetry={"turn": dict.fromkeys("abd", 1)},
    )  # fmt: skip


def gyrostat(c: _Draw) -> System:
    """A symmetric top that carries a rotor along its axis."""
    return System.of(
        name="top with a rotor", coordinates=dict.fromkeys(["psi", "th", "phi", "w"], "angle"),
        lagrangian=f"{c()}*(th'^2 + psi'^2*sin(th)^2) + {c()}*(phi' + psi'*cos(th))^2"
        f" + {c()}*(w' + phi' + psi'*cos(th))^2 - {c()}*cos(th)",
        symmetry={"psi": {"psi": 1}, "phi": {"phi": 1}, "w": {"w": 1}},
    )  # fmt: skip


def crane(c: _Draw) -> System:
    """A trolley with a load on a rope whose length changes."""
    return System.of(
        name="trolley with a load", coordinates={"s": "real", "th": "angle", "r": "positive"},
        lagrangian=f"{c()}*s'^2 + {c()}*(r'^2 + r^2*th'^2 + s'^2 + 2*s'*(r'*sin(th) + r*th'*cos(th)))"
        f" + {c()}*r*cos(th) - {c()}*r^2",
        symmetry={"along": {"s": 1}},
    )  # fmt: skip


def sleigh_with_pendulum(c: _Draw) -> System:
    arm, mass = c(), c()
    return System.of(
        name="sleigh with a pendulum", coordinates={"x": "real", "y": "real", "th": "angle", "a": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*(th' + a')^2 - {c()}*cos(a)"
        f" + {mass}*((x' - {arm}*(th' + a')*sin(th + a))^2 + (y' + {arm}*(th' + a')*cos(th + a))^2)",
        constraints={"blade": "y'*cos(th) = x'*sin(th)"}, symmetry=_plane("th"),
    )  # fmt: skip


def roller_racer(c: _Draw) -> System:
    front, back = c(), c()
    return System.of(
        name="roller racer", coordinates={"x": "real", "y": "real", "th": "angle", "a": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*(th' + a')^2",
        constraints={"rear": "y'*cos(th) = x'*sin(th)",
                     "front": f"y'*cos(th + a) - x'*sin(th + a) + {front}*th'*cos(a) + {back}*(th' + a') = 0"},
        symmetry=_plane("th"),
    )  # fmt: skip


def tractor(c: _Draw) -> System:
    """A trailer on a hitch behind the axle."""
    hitch, length = c(), c()
    return System.of(
        name="tractor with a trailer", coordinates={"x": "real", "y": "real", "th": "angle", "b": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*(th' + b')^2",
        constraints={"axle": "y'*cos(th) = x'*sin(th)",
                     "trailer": f"y'*cos(th + b) - x'*sin(th + b) = {hitch}*th'*cos(b) + {length}*(th' + b')"},
        symmetry=_plane("th"),
    )  # fmt: skip


def unicycle(c: _Draw) -> System:
    """A wheel that rolls and turns, with a flywheel on its axle that a spring holds."""
    radius = c()
    return System.of(
        name="unicycle with a flywheel",
        coordinates={"x": "real", "y": "real"} | dict.fromkeys(["th", "p", "f"], "angle"),
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*p'^2 + {c()}*(p' + f')^2 - {c()}*cos(f)",
        constraints={"along": f"x' = {radius}*p'*cos(th)", "across": f"y' = {radius}*p'*sin(th)"},
        symmetry=_plane("th") | {"roll": {"p": 1}},
    )  # fmt: skip


def slope_car(c: _Draw) -> System:
    """A cart on a slope whose steering is turned by a spring: only shifts across the slope are left."""
    length = c()
    return System.of(
        name="car on a slope", coordinates={"x": "real", "y": "real", "th": "angle", "d": "angle"},
        lagrangian=f"{c()}*(x'^2 + y'^2) + {c()}*th'^2 + {c()}*d'^2 - {c()}*d^2 - {c()}*y",
        constraints={"rear": "y'*cos(th) = x'*sin(th)",
                     "front": f"y'*cos(th + d) - x'*sin(th + d) + {length}*th'*cos(d) = 0"},
        symmetry={"ex": {"x": 1}},
    )  # fmt: skip


def screw_drive(c: _Draw) -> System:
    """Two screws on one carriage, the pitch of one of which depends on a lever."""
    return System.of(
        name="screws on a carriage", coordinates={"s": "real", "p": "angle", "w": "angle", "h": "real"},
        lagrangian=f"{c()}*s'^2 + {c()}*p'^2 + {c()}*w'^2 + {c()}*h'^2 - {c()}*h^2 - {c()}*cos(p)",
        constraints={"first": f"s' = (1 + h^2)*p' + {c()}*h*w'"}, symmetry={"along": {"s": 1}, "w": {"w": 1}},
    )  # fmt: skip


MAKERS: dict[str, Callable[[_Draw], System]] = {
    make.__name__: make
    for make in (
        satellite_with_rotor, satellite_with_arm, tethered_masses, arms_on_a_ring, gyrostat, crane, unicycle,
        sleigh_with_pendulum, roller_racer, tractor, slope_car, screw_drive,
    )
}  # fmt: skip


def _pairs(system: System) -> tuple[str, list[str]]:
    """The full formalism, and those that divide something out."""
    return ("nonholonomic", ["reduced"]) if system.constraints else ("euler-lagrange", ["routh", "reduced"])


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.thorough(*(name for name in MAKERS if name not in {"satellite_with_rotor", "crane", "screw_drive"}))
def test_reduced_and_reconstructed_is_the_full_field(name: str) -> None:
    system = MAKERS[name](_Draw(name))
    whole, parts = _pairs(system)
    full = derive(system, whole).equations
    for one in parts:
        found = derive(system, one).equations
        assert found.reconstruction
        verdict = same_field(full, found, system.q, points_of(system))
        assert verdict.holds is True, (one, verdict)
        shape = found.state[0]
        wrong = replace(found, reconstruction={s: rate + shape**2 for s, rate in found.reconstruction.items()})
        assert same_field(full, wrong, system.q, points_of(system)).holds is not True


def test_an_attitude_as_another_body_sees_it_has_unit_length():
    """Nobody stated S_in_R: that it is a rotation is known from the equations alone."""
    pair = System.of(
        name="two bodies on a torsion spring",
        coordinates={"R": "rotation", "S": "rotation"},
        lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + S.w1^2 + 2*S.w2^2 + 2*S.w3^2)/2"
        " + R.m13*S.m13 + R.m23*S.m23 + R.m33*S.m33",
        symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)},
    )
    derived = {name: derive(pair, name).equations for name in ("euler-lagrange", "reduced")}
    [claim] = meetings(pair, derived)
    assert claim.verdict.holds is True
    right = derived["reduced"]
    wrong = replace(right, force=(right.force[0] + 1, *right.force[1:]))
    [claim] = meetings(pair, derived | {"reduced": wrong})
    assert claim.verdict.holds is False


def test_a_reduced_motion_is_compared_with_that_root_of_a_constraint_by_which_it_goes():
    """Where y' = sqrt(c^2 - x'^2) is negative the formula for it has the other sign, and says nothing of the field."""
    pucks = System.of(
        name="two pucks", coordinates="x y u v", parameters={"m": 1, "c": 1, "k": 2},
        lagrangian="m*(u'^2 + v'^2) - k*((x - u)^2 + (y - v)^2) + m*(x'^2 + y'^2)/2",
        constraints={"speed": "x'^2 + y'^2 = c^2"},
        symmetry={"ex": {"x": 1, "u": 1}, "ey": {"y": 1, "v": 1}, "turn": {"x": "-y", "y": "x", "u": "-v", "v": "u"}},
    )  # fmt: skip
    plain, other = (derive(pucks, name).equations for name in ("nonholonomic", "reduced"))
    assert same_field(plain, other, pucks.q).holds
    assert same_field(replace(plain, force=(-plain.force[0], *plain.force[1:])), other, pucks.q).holds is False
    y = pucks.q[1]
    faster = replace(plain, kinematics={**plain.kinematics, y: 2 * plain.kinematics[y]})
    assert same_field(faster, other, pucks.q).holds is False


JOINED = {
    "two bodies whose axes keep an angle": System.of(
        name="universal joint", coordinates={"R": "rotation", "S": "rotation"},
        lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + S.w1^2 + 2*S.w2^2 + 2*S.w3^2)/2",
        holonomic={"angle": "R.m13*S.m13 + R.m23*S.m23 + R.m33*S.m33 = 1/2"},
        symmetry={f"e{k}": {"R": f"left {k}", "S": f"left {k}"} for k in (1, 2, 3)},
    ),
    "a mass on a tip, which the group turns with the body": System.of(
        name="tip", coordinates={"R": "rotation", "x": "real", "y": "real", "z": "real"},
        lagrangian="(R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + x'^2 + y'^2 + z'^2)/2",
        holonomic={"x": "x = R.m11", "y": "y = R.m21", "z": "z = R.m31"},
        symmetry={"e1": {"R": "left 1", "y": "-z", "z": "y"}, "e2": {"R": "left 2", "z": "-x", "x": "z"},
                  "e3": {"R": "left 3", "x": "-y", "y": "x"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", JOINED)
@pytest.mark.thorough("two bodies whose axes keep an angle")
def test_fields_are_compared_where_constraints_on_positions_hold_as_bodies_see_them(name):
    """Elsewhere they differ, and what a body sees of another was taken for four free numbers: a study refuted them."""
    system = JOINED[name]
    derived = {one: derive(system, one).equations for one in ("nonholonomic", "reduced")}
    [claim] = meetings(system, derived)
    assert claim.verdict.holds is True
    right = derived["reduced"]
    wrong = replace(right, force=(right.force[0] + right.velocities[1], *right.force[1:]))
    [claim] = meetings(system, derived | {"reduced": wrong})
    assert claim.verdict.holds is False
