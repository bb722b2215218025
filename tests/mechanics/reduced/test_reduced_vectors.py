"""Nonholonomic reduction seen from angles and from axes that are made of vectors, where no rotation is turned."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reduced_relative import apart, meets_whole, reduced_wholly, turned

from dalembert import System, derive, simulate
from dalembert.errors import EvaluationError
from dalembert.mechanics.lagrangian.seen_from_body import seen_from_bodies


def _dot(a: str, b: str, prime: str = "") -> str:
    return "(" + " + ".join(f"{a}.{k}{prime}*{b}.{k}{prime}" for k in "xyz") + ")"


CRANE = System.of(
    name="a load on the rope of a crane", coordinates={"phi": "angle", "n": "direction"},
    parameters={"J": 3, "m": 1, "a": 2, "l": 1.3, "g": 9.81},
    let={"X": "a*cos(phi) + l*n.x", "Y": "a*sin(phi) + l*n.y", "Z": "l*n.z"},
    lagrangian="J*phi'^2/2 + m*(X'^2 + Y'^2 + Z'^2)/2 - m*g*Z", forces={"phi": "-phi'/5"},
    symmetry={"turn": {"phi": 1, "n": "left 3"}},
    start={"phi'": 0.3, "n": {"x": 0.48, "y": 0.36, "z": -0.8}, "n.x'": 0.2},
)  # fmt: skip
STRING = System.of(
    name="two weights on one string", coordinates={"a": "direction", "b": "direction"},
    parameters={"m": 1, "M": 0.6, "l": 1, "k": 0.7, "g": 9.81},
    let={c.upper(): f"l*a.{c} + k*b.{c}" for c in "xyz"},
    lagrangian=f"m*l^2*{_dot('a', 'a', chr(39))}/2 + M*(X'^2 + Y'^2 + Z'^2)/2 - m*g*l*a.z - M*g*Z",
    symmetry={"turn": {"a": "left 3", "b": "left 3"}},
    start={"a": {"x": 0, "y": 0, "z": -1}, "b": {"x": 0, "y": 0.28, "z": -0.96}, "a.y'": 0.3, "b.x'": -0.2},
)  # fmt: skip
RODS = System.of(
    name="two rods on a ball joint", coordinates={"a": "direction", "b": "direction"},
    parameters={"A": 1, "B": 0.6, "c": 0.3, "k": 0.7},
    lagrangian=f"A*{_dot('a', 'a', chr(39))}/2 + B*{_dot('b', 'b', chr(39))}/2 + c*{_dot('a', 'b', chr(39))}"
    f" - k*{_dot('a', 'b')}",
    symmetry=turned("a", "b"),
    start={"a": {"x": 0.6, "y": 0, "z": -0.8}, "b": {"x": 0, "y": 0.28, "z": -0.96}, "a.y'": 0.3, "b.x'": -0.2},
)  # fmt: skip
TETHER = System.of(
    name="two masses on a tether, and a needle",
    coordinates={**dict.fromkeys("xyzuvw", "real"), "n": "direction"}, parameters={"m": 1, "M": 2, "J": 0.4, "k": 0.7},
    lagrangian=f"m*(x'^2 + y'^2 + z'^2)/2 + M*(u'^2 + v'^2 + w'^2)/2 + J*{_dot('n', 'n', chr(39))}/2"
    " - k*((x - u)^2 + (y - v)^2 + (z - w)^2) - ((x - u)*n.x + (y - v)*n.y + (z - w)*n.z)^2",
    symmetry={
        "px": {"x": 1, "u": 1}, "py": {"y": 1, "v": 1}, "pz": {"z": 1, "w": 1},
        "e1": {"n": "left 1", "y": "-z", "z": "y", "v": "-w", "w": "v"},
        "e2": {"n": "left 2", "x": "z", "z": "-x", "u": "w", "w": "-u"},
        "e3": {"n": "left 3", "x": "-y", "y": "x", "u": "-v", "v": "u"},
    },
    start={"x": 1, "n": {"x": 0, "y": 0.6, "z": -0.8}, "x'": 0.1, "y'": 0.2, "z'": 0.3, "n.x'": -0.2},
)  # fmt: skip
CART = System.of(
    name="a pole on a ball joint on a skate",
    coordinates={"x": "real", "y": "real", "th": "angle", "n": "direction"},
    parameters={"m": 1, "J": 0.4, "M": 0.7, "g": 9.81}, let={"X": "x + n.x", "Y": "y + n.y", "Z": "n.z"},
    lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + M*(X'^2 + Y'^2 + Z'^2)/2 - M*g*Z",
    constraints={"blade": "y'*cos(th) = x'*sin(th)"},
    symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "th": 1, "n": "left 3"}},
    start={"n": {"x": 0, "y": 0.6, "z": -0.8}, "x'": 0.1, "th'": 0.2, "n.x'": -0.2},
)  # fmt: skip
HOOK = System.of(
    name="a hook on a jib that turns the other way", coordinates={"phi": "angle", "R": "rotation"},
    parameters={"A": 1, "B": 0.5, "C": 2, "b": 0.3},
    let={"X": "2*cos(phi) + b*R.e3x", "Y": "-2*sin(phi) + b*R.e3y", "Z": "b*R.e3z"},
    lagrangian="A*R.w1^2/2 + B*R.w2^2/2 + C*R.w3^2/2 + phi'^2 + (X'^2 + Y'^2 + Z'^2)/2 - 9*Z",
    symmetry={"turn": {"phi": -1, "R": "left 3"}},
    start={"phi'": 0.2, "R": {"axis": [1, 2, 0], "angle": 2.4, "w1": 0.3, "w2": 0.2, "w3": 1}},
)  # fmt: skip
FEELER = System.of(
    name="a feeler beside a spinning top", coordinates={"R": "rotation", "n": "direction"},
    parameters={"A": 1, "C": 0.5},
    lagrangian=f"A*(R.w1^2 + R.w2^2)/2 + C*R.w3^2/2 + {_dot('n', 'n', chr(39))}/2 - 2*n.z - R.m33"
    " + R.e3x*n.x + R.e3y*n.y + R.e3z*n.z",
    symmetry={"turn": {"n": "left 3", "R": "left 3"}, "spin": {"R": "right 3"}},
    start={"n": {"x": 0.6, "y": 0, "z": -0.8}, "n.y'": 0.3, "R": {"axis": [1, 2, 0], "angle": 0.4, "w3": 1}},
)  # fmt: skip
BEAD = System.of(
    name="a bead tied to a plumb line", coordinates={"x": "real", "y": "real", "n": "direction"},
    lagrangian=f"{_dot('n', 'n', chr(39))}/2 + (x'^2 + y'^2)/2 - 9*n.z - (x - n.x)^2 - (y - n.y)^2",
    constraints={"c": "x*n.x' + y*n.y' = x*x' + y*y'"}, symmetry={"turn": {"n": "left 3", "x": "-y", "y": "x"}},
    start={"n": {"x": 0.6, "y": 0, "z": -0.8}, "n.y'": 0.3, "x": 1, "y": 0.4, "x'": 0.2},
)  # fmt: skip
SEEN = {
    CRANE: ("n_in_phi.x", "n_in_phi.y", "n_in_phi.z"),
    STRING: ("b_tilt", "a_in_b_turn.x", "a_in_b_turn.y", "a_in_b_turn.z"),
    RODS: ("a_to_b",),
    TETHER: ("u_v_w_across", "u_v_w_along"),
    CART: ("n_in_th.x", "n_in_th.y", "n_in_th.z"),
    HOOK: tuple(f"R_in_phi.m{i}{j}" for i in (1, 2, 3) for j in (1, 2, 3)),
    FEELER: ("n_tilt", "R_in_n_turn.m13", "R_in_n_turn.m23", "R_in_n_turn.m33"),
    BEAD: ("n_tilt", "x_in_n_turn", "y_in_n_turn"),
}


@pytest.mark.parametrize("system", SEEN, ids=lambda system: system.name)
@pytest.mark.thorough(*(system.name for system in SEEN if system not in (CRANE, RODS, CART)))
def test_reduced_and_reconstructed_is_the_full_field(system: System) -> None:
    equations = reduced_wholly(system, SEEN[system]).equations
    (first, rate), *rest = equations.reconstruction.items()
    lost = replace(equations, reconstruction={first: rate + 1, **dict(rest)})
    assert meets_whole(system, lost) is not True


@pytest.mark.thorough
@pytest.mark.parametrize("system", SEEN, ids=lambda system: system.name)
def test_reduced_motions_are_those_of_the_whole(system: System) -> None:
    assert apart(system, tuple(q.data.label for q in system.q), 2.0) < 1e-9


def test_axes_are_made_of_vectors_that_are_apart_at_the_start() -> None:
    """Of three needles two that point along one line make none; and one that hangs straight down has no turn."""
    needles = System.of(
        name="three needles", coordinates=dict.fromkeys("abc", "direction"),
        lagrangian=" + ".join(_dot(n, n, "'") for n in "abc") + f" - {_dot('a', 'b')} - 2*{_dot('b', 'c')}",
        symmetry=turned("a", "b", "c"),
        start={"a": {"x": 0, "y": 0, "z": 1}, "b": {"x": 0, "y": 0, "z": -1}, "c": {"x": 0.6, "y": 0, "z": 0.8}},
    )  # fmt: skip
    seen = seen_from_bodies(needles, needles.symmetry, eyes="axes")
    assert seen is not None
    assert list(seen.system.kinds) == ["a_c", "b_in_a_c"]
    assert seen_from_bodies(needles, needles.symmetry) is None


def test_a_needle_alone_is_not_turned_freely_by_all_rotations() -> None:
    needle = System.of(
        name="needle", coordinates={"n": "direction"}, lagrangian=_dot("n", "n", "'"), symmetry=turned("n"),
        start={"n": {"x": 1, "y": 0, "z": 0}, "n.y'": 1},
    )  # fmt: skip
    found = derive(needle, "reduced")
    assert found.group == ("e1",)
    assert [f.data.name for f in found.functions] == ["n_tilt"]
    with pytest.raises(EvaluationError, match=r"^e1 does not move the start .* a free action"):
        simulate(found, time=1)
