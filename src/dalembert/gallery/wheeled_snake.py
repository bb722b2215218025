"""The snake on wheels with any number of links."""

from __future__ import annotations

from dalembert.model.system import System

SIZE = 3
NOTES = """\
A snake on wheels: n links in a chain on a plane, with wheels under the middle of each that do not slip sideways.

(x, y) is the free end of the first link and q1, ..., qn are the headings. The k-th link is 2 lk long, mk and Jk are its
mass and its inertia, and (uk, vk) is the velocity of its middle:

    L = sum of mk (uk^2 + vk^2)/2 + Jk qk'^2/2,    cos(qk) vk = sin(qk) uk

Velocities and joints (xk, yk) are named one after the other, so L and the drawing have size n. With the free end as
coordinates the wheels give all angular velocities from x' and y', wherever the snake is: the matrix is triangular with
l1, ..., ln on its diagonal.
Source: S. Hirose, Biologically Inspired Robots, Oxford University Press (1993).
"""


def system(n: int = SIZE) -> System:
    """Return the snake with n links.

    >>> system(2).q
    (x, y, q1, q2)
    """
    links = range(1, n + 1)
    let = {}
    for k in links:  # from the middle of one link to its end, and on to the middle of the next
        u, v = (_onwards(f"u{k - 1}", f"v{k - 1}", k - 1)) if k > 1 else ("x'", "y'")
        let[f"u{k}"], let[f"v{k}"] = _onwards(u, v, k)
    headings = [f"q{k}" for k in links]
    joints = [["x", "y"]]
    for k in links:
        let[f"x{k}"] = f"{joints[-1][0]} + 2*l{k}*cos(q{k})"
        let[f"y{k}"] = f"{joints[-1][1]} + 2*l{k}*sin(q{k})"
        joints.append([f"x{k}", f"y{k}"])
    constants = {"m": 1, "J": 0.1, "l": 0.5}
    return System.of(
        name=f"wheeled snake with {n} link{'s' * (n > 1)}",
        source="S. Hirose, Biologically Inspired Robots (1993)",
        coordinates={"x": "real", "y": "real"} | dict.fromkeys(headings, "angle"),
        parameters={f"{name}{k}": value for name, value in constants.items() for k in links},
        let=let,
        lagrangian=" + ".join(f"(m{k}*(u{k}^2 + v{k}^2) + J{k}*q{k}'^2)/2" for k in links),
        constraints={f"wheel{k}": f"cos(q{k})*v{k} = sin(q{k})*u{k}" for k in links},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x"} | dict.fromkeys(headings, 1)},
        start={f"q{k}": f"1.35*(1-3^{1 - k})" for k in links} | {"x'": -1, "y'": 0.6},  # a spiral
        drawing={"shapes": [{"trace": ["x", "y"]}, {"line": joints}, *_wheels(joints), {"point": ["x", "y"]}]},
        run={"time": 8},
        notes=NOTES,
        facts={
            "dimension": n + 2,
            "energy_conserved": True,
            "regular": True,
            "symmetries": {"e1": "symmetry", "e2": "symmetry", "e3": "symmetry"},
            "algebra": "se(2)",
            "constraints": {f"wheel{k}": "linear" for k in links},
            "growth": {1: (2, 3), 2: (2, 3, 4), 3: (2, 3, 5)}.get(n, ()),
            "holonomic": False,
            "varying": {"momentum of the end": "x'"},
        },
    )


def _wheels(joints: list[list[str]]) -> list[dict[str, object]]:
    """Return the drawing of two wheels and their axle at the middle of each link."""
    shapes: list[dict[str, object]] = []
    for k, (x, y) in enumerate(joints[:-1], 1):
        ends = [
            [f"{x} + l{k}*(cos(q{k}) {side} sin(q{k})/3)", f"{y} + l{k}*(sin(q{k}) {other} cos(q{k})/3)"]
            for side, other in (("-", "+"), ("+", "-"))
        ]
        shapes.append({"line": ends})
        shapes += [{"wheel": end, "heading": f"q{k}", "length": f"l{k}/2"} for end in ends]
    return shapes


def _onwards(u: str, v: str, k: int) -> tuple[str, str]:
    """Return the velocity of a point half the k-th link further on; a model has a bound on letters, so no blanks."""
    return f"{u}-l{k}*sin(q{k})*q{k}'", f"{v}+l{k}*cos(q{k})*q{k}'"
