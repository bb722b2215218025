"""Chains, trees and trains of any size, as a user would state them: for the lifted motion and its measurements."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb_mat, ctx
from numpy.typing import NDArray

from dalembert import System
from dalembert.expr.graph import Expr
from dalembert.expr.readers import Balls
from dalembert.model.equations import Equations

__all__ = [
    "ball_joints",
    "ball_with_chain",
    "cart_with_relative_angles",
    "chain_between_supports",
    "driven_chain",
    "hanging_chain",
    "jointed_arm",
    "ladder",
    "mobile",
    "road_train",
    "rolling_at_its_end",
    "spatial_chain",
    "spatial_four_bar",
    "tractor_with_trailers",
]


def driven_chain(n: int) -> System:
    """Rods on a support that is shaken, damped in the joints, the last of them turned by a motor."""
    let: dict[str, str] = {}
    for k in range(1, n + 1):
        u, v, h = (
            f"{name}{k - 1} +" if k > 1 else start
            for name, start in zip("uvh", ("w*sin(w*t)/9 +", "", ""), strict=True)
        )
        let |= {
            f"u{k}": f"{u} l{k}*cos(q{k})*q{k}'",
            f"v{k}": f"{v} l{k}*sin(q{k})*q{k}'",
            f"h{k}": f"{h} -l{k}*cos(q{k})",
        }
    bend = {k: f"q{k}' - q{k - 1}'" if k > 1 else "q1'" for k in range(1, n + 1)}
    forces = {f"q{k}": f"-d*({bend[k]})" + (f" + d*({bend[k + 1]})" if k < n else " + torque") for k in range(1, n + 1)}
    return System.of(
        name=f"driven chain {n}",
        coordinates={f"q{k}": "angle" for k in range(1, n + 1)},
        parameters={"g": 9.81, "d": 0.1, "w": 2} | {f"{name}{k}": 1 for name in "ml" for k in range(1, n + 1)},
        controls={"torque": "sin(t)"},
        let=let,
        lagrangian=" + ".join(f"m{k}*((u{k}^2 + v{k}^2)/2 - g*h{k})" for k in range(1, n + 1)),
        forces=forces,
        start={f"q{k}": f"{k}/5" for k in range(1, n + 1)},
    )


def cart_with_relative_angles(n: int) -> System:
    """Rods in a row on a cart, each by its angle to the one before; bars with inertia."""
    let: dict[str, str] = {}
    for k in range(1, n + 1):
        a, w, u, v, h = (
            f"{name}{k - 1} +" if k > 1 else s for name, s in zip("awuvh", ("", "", "x' +", "", ""), strict=True)
        )
        let |= {f"a{k}": f"{a} q{k}", f"w{k}": f"{w} q{k}'", f"u{k}": f"{u} l{k}*cos(a{k})*w{k}"}
        let |= {f"v{k}": f"{v} l{k}*sin(a{k})*w{k}", f"h{k}": f"{h} -l{k}*cos(a{k})"}
    links = range(1, n + 1)
    return System.of(
        name=f"cart {n}",
        coordinates={"x": "real"} | {f"q{k}": "angle" for k in links},
        parameters={"g": 9.81, "M": 3} | {f"{name}{k}": 1 for name in "mlJ" for k in links},
        let=let,
        lagrangian="M*x'^2/2 + " + " + ".join(f"m{k}*((u{k}^2 + v{k}^2)/2 - g*h{k}) + J{k}*w{k}^2/2" for k in links),
    )


def mobile(n: int) -> System:
    """A binary tree of rods that hang from each other, one at the top."""
    let: dict[str, str] = {}
    parts: list[str] = []
    for k in range(1, n + 1):
        u, v, h = (f"{name}{k // 2} +" if k > 1 else "" for name in "uvh")
        let |= {
            f"u{k}": f"{u} l{k}*cos(q{k})*q{k}'",
            f"v{k}": f"{v} l{k}*sin(q{k})*q{k}'",
            f"h{k}": f"{h} -l{k}*cos(q{k})",
        }
        parts.append(f"m{k}*((u{k}^2 + v{k}^2)/2 - g*h{k})")
    return System.of(
        name=f"mobile {n}",
        coordinates={f"q{k}": "angle" for k in range(1, n + 1)},
        parameters={"g": 9.81} | {f"{name}{k}": 1 for name in "ml" for k in range(1, n + 1)},
        let=let,
        lagrangian=" + ".join(parts),
    )


def spatial_chain(n: int) -> System:
    """Point masses on rods in space, each rod by two angles."""
    let: dict[str, str] = {}
    parts: list[str] = []
    for k in range(1, n + 1):
        x, y, z, h = (f"{name}{k - 1} +" if k > 1 else "" for name in "xyzh")
        let |= {
            f"x{k}": f"{x} l{k}*(cos(a{k})*cos(b{k})*a{k}' - sin(a{k})*sin(b{k})*b{k}')",
            f"y{k}": f"{y} l{k}*(cos(a{k})*sin(b{k})*a{k}' + sin(a{k})*cos(b{k})*b{k}')",
            f"z{k}": f"{z} l{k}*sin(a{k})*a{k}'",
            f"h{k}": f"{h} -l{k}*cos(a{k})",
        }
        parts.append(f"m{k}*((x{k}^2 + y{k}^2 + z{k}^2)/2 - g*h{k}) + J{k}*(a{k}'^2 + b{k}'^2)/2")
    return System.of(
        name=f"spatial chain {n}",
        coordinates={f"{name}{k}": "angle" for k in range(1, n + 1) for name in "ab"},
        parameters={"g": 9.81} | {f"{name}{k}": 1 for name in "mlJ" for k in range(1, n + 1)},
        let=let,
        lagrangian=" + ".join(parts),
    )


def hanging_chain(n: int) -> System:
    """Rods in a row between two supports: one closed loop."""
    let: dict[str, str] = {}
    for k in range(1, n + 1):
        u, v, x, h = (f"{name}{k - 1} +" if k > 1 else "" for name in "uvxh")
        let |= {f"u{k}": f"{u} l{k}*cos(q{k})*q{k}'", f"v{k}": f"{v} l{k}*sin(q{k})*q{k}'"}
        let |= {f"x{k}": f"{x} l{k}*sin(q{k})", f"h{k}": f"{h} -l{k}*cos(q{k})"}
    links = range(1, n + 1)
    return System.of(
        name=f"hanging chain {n}",
        coordinates={f"q{k}": "angle" for k in links},
        parameters={"g": 9.81, "width": n / 2} | {f"{name}{k}": 1 for name in "ml" for k in links},
        let=let,
        lagrangian=" + ".join(f"m{k}*((u{k}^2 + v{k}^2)/2 - g*h{k})" for k in links),
        holonomic={"across": f"x{n} = width", "down": f"h{n} = 0"},
        start={f"q{k}": f"{0.6 if 2 * k <= n else 2.5} + {k % 3}/100" for k in range(2, n)}
        | {"near": {"q1": 0.6, f"q{n}": 2.5}},
    )


def ladder(m: int) -> System:
    """Two chains of rods that hang side by side, with a rung between them at every joint: m loops in a row."""
    let: dict[str, str] = {}
    parts: list[str] = []
    rungs: dict[str, str] = {}
    for k in range(1, m + 1):
        for side, support in (("a", "0"), ("b", "width")):
            u, v, h = (f"{name}{side}{k - 1} +" if k > 1 else "" for name in "uvh")
            let |= {
                f"u{side}{k}": f"{u} l*cos({side}{k})*{side}{k}'",
                f"v{side}{k}": f"{v} l*sin({side}{k})*{side}{k}'",
            }
            let[f"x{side}{k}"] = f"{f'x{side}{k - 1}' if k > 1 else support} + l*sin({side}{k})"
            let[f"h{side}{k}"] = f"{h} -l*cos({side}{k})"
            parts.append(f"m*((u{side}{k}^2 + v{side}{k}^2)/2 - g*h{side}{k})")
        rungs[f"across{k}"] = f"xa{k} + r{k}*cos(c{k}) = xb{k}"
        rungs[f"down{k}"] = f"ha{k} + r{k}*sin(c{k}) = hb{k}"
        parts.append(f"J*c{k}'^2/2")
    return System.of(
        name=f"ladder {m}",
        coordinates={f"{name}{k}": "angle" for k in range(1, m + 1) for name in "abc"},
        parameters={"g": 9.81, "width": 1, "m": 1, "l": 1, "J": 0.1} | {f"r{k}": 1 for k in range(1, m + 1)},
        let=let,
        lagrangian=" + ".join(parts),
        holonomic=rungs,
        start={f"a{k}": f"3/10 + {k}/50" for k in range(1, m + 1)},
    )


def ball_joints(n: int) -> System:
    """Heavy bodies in space, each hung by a ball joint from the one before."""
    let: dict[str, str] = {}
    parts: list[str] = []
    for k in range(1, n + 1):
        for i in (1, 2, 3):
            before = f"v{k - 1}{i}" if k > 1 else "0"
            let[f"v{k}{i}"] = f"{before} - l*(R{k}.m{i}1*R{k}.w2 - R{k}.m{i}2*R{k}.w1)"
        let[f"h{k}"] = f"{f'h{k - 1}' if k > 1 else '0'} - l*R{k}.m33"
        parts.append(f"m*((v{k}1^2 + v{k}2^2 + v{k}3^2)/2 - g*h{k})")
        parts.append(f"(A*R{k}.w1^2 + B*R{k}.w2^2 + C*R{k}.w3^2)/2")
    return System.of(
        name=f"ball joints {n}",
        coordinates={f"R{k}": "rotation" for k in range(1, n + 1)},
        parameters={"g": 9.81, "m": 1, "l": 1, "A": 0.2, "B": 0.3, "C": 0.1},
        let=let,
        lagrangian=" + ".join(parts),
    )


def chain_between_supports(n: int) -> System:
    """Heavy bodies on ball joints between two supports: a closed loop in space."""
    chain = ball_joints(n)
    let: dict[str, Any] = dict(chain.let)
    for k in range(1, n + 1):
        for i in (1, 2, 3):
            let[f"p{k}{i}"] = f"{f'p{k - 1}{i}' if k > 1 else '0'} - l*R{k}.m{i}3"
    start: dict[str, Any] = {"R1.w1": 0.3, "R1.w2": 0.4, f"R{n}.w3": 0.2}
    for k in range(1, n + 1):  # down at a slant, and up again
        half = (-np.pi / 6 if 2 * k <= n else 7 * np.pi / 6) / 2
        start |= {f"R{k}.q0": np.cos(half), f"R{k}.q1": 0, f"R{k}.q2": np.sin(half), f"R{k}.q3": 0}
    return System.of(
        name=f"chain between supports {n}",
        coordinates={f"R{k}": "rotation" for k in range(1, n + 1)},
        parameters=dict(chain.parameters) | {"width": n / 2},
        let=let,
        lagrangian=chain.lagrangian,
        holonomic={"across": f"p{n}1 = width", "aside": f"p{n}2 = 0", "level": f"p{n}3 = 0"},
        start=start,
    )


def ball_with_chain(n: int) -> System:
    """A ball that rolls on a table, with bodies hung from its centre, by ball joints, one from the other."""
    let: dict[str, str] = {"v01": "x'", "v02": "y'", "v03": "0", "h0": "0"}
    parts = ["M*(x'^2 + y'^2)/2 + J*(S.w1^2 + S.w2^2 + S.w3^2)/2"]
    for k in range(1, n + 1):
        for i in (1, 2, 3):
            let[f"v{k}{i}"] = f"v{k - 1}{i} - l*(R{k}.m{i}1*R{k}.w2 - R{k}.m{i}2*R{k}.w1)"
        let[f"h{k}"] = f"h{k - 1} - l*R{k}.m33"
        parts.append(f"m*((v{k}1^2 + v{k}2^2 + v{k}3^2)/2 - g*h{k})")
        parts.append(f"(A*R{k}.w1^2 + B*R{k}.w2^2 + C*R{k}.w3^2)/2")
    return System.of(
        name=f"ball with chain {n}",
        coordinates={"x": "real", "y": "real", "S": "rotation"} | {f"R{k}": "rotation" for k in range(1, n + 1)},
        parameters={"g": 9.81, "m": 1, "l": 1, "A": 0.2, "B": 0.3, "C": 0.1, "M": 2, "J": 0.3, "r": 0.5},
        let=let,
        lagrangian=" + ".join(parts),
        constraints={"along x": "x' = r*S.s2", "along y": "y' = -r*S.s1"},
    )


def spatial_four_bar() -> System:
    """A crank and a rocker with axes at a right angle, and a coupler on ball joints between them."""
    weight: dict[str, Any] = {"weight": {"gravity": "g"}}
    return System.of(
        name="spatial four-bar",
        parameters={"m": 1, "g": 9.81},
        bodies={
            "crank": {"mass": "m", "inertia": [0.01, 0.02, 0.02], "centre": [0.15, 0, 0]},
            "coupler": {"mass": "m", "inertia": [0.01, 0.1, 0.1], "centre": [0.5, 0, 0]},
            "rocker": {"mass": "m", "inertia": [0.01, 0.05, 0.05], "centre": [0, 0, 0.3]},
        },
        joints={
            "a": {"type": "revolute", "child": "crank", "axis": "z"},
            "R": {"type": "spherical", "parent": "crank", "child": "coupler", "at": [0.3, 0, 0]},
            "b": {"type": "revolute", "child": "rocker", "axis": "x", "at": [1, 0.2, -0.6]},
            "pin": {
                "type": "spherical",
                "parent": "coupler",
                "child": "rocker",
                "at": [1, 0, 0],
                "child_at": [0, 0, 0.6],
            },
        },
        forces=weight,
    )


def rolling_at_its_end(n: int) -> System:
    """Links on ball joints one behind the other, held at one end; the last is a ball that rolls on a table."""
    weight: dict[str, Any] = {"weight": {"gravity": "g"}}
    joints: dict[str, Any] = {}
    bodies: dict[str, Any] = {}
    for k in range(1, n + 1):
        joints[f"q{k}"] = {"type": "spherical", "child": f"link{k}", "at": [0.4, 0, 0] if k > 1 else [0, 0, 0.3]}
        joints[f"q{k}"] |= {"parent": f"link{k - 1}"} if k > 1 else {}
        bodies[f"link{k}"] = {"mass": "m", "inertia": [0.01, 0.03, 0.03], "centre": [0.2, 0, 0]}
    bodies[f"link{n}"] = {"mass": "m", "inertia": [0.02, 0.02, 0.02]}
    return System.of(
        name=f"rolling at its end {n}",
        parameters={"m": 1, "g": 9.81, "r": 0.2},
        bodies=bodies,
        joints=joints,
        contacts={"table": {"ball": f"link{n}", "radius": "r"}},
        forces=weight,
    )


def jointed_arm(n: int, kinds: str = "xyp") -> System:
    """Links in space on joints in turn: hinges about x, y or z, telescopes (p), ball joints (b); wind on the last."""
    axes = {"x": "x", "y": "y", "z": "z", "p": [0, 0.6, 0.8]}
    types = {"p": "prismatic", "b": "spherical"}
    joints: dict[str, Any] = {}
    for k in range(1, n + 1):
        kind = kinds[(k - 1) % len(kinds)]
        joints[f"q{k}"] = {"type": types.get(kind, "revolute"), "child": f"link{k}", "at": [0, 0, "l"]}
        joints[f"q{k}"] |= {"axis": axes[kind]} if kind in axes else {}
        joints[f"q{k}"] |= {"parent": f"link{k - 1}"} if k > 1 else {}
    loads: dict[str, Any] = {"weight": {"gravity": "g"}, "wind": {"force": ["F", 0, 0], "at": f"link{n}_centre"}}
    turned = [name for name, joint in joints.items() if joint["type"] == "revolute"]
    return System.of(
        name=f"jointed arm {n}",
        parameters={"m": 2, "l": 0.4, "g": 9.81, "d": 0.3, "F": 1},
        bodies={
            f"link{k}": {"mass": "m", "inertia": [0.04, 0.05, 0.02], "centre": [0.1, 0, "l/2"]} for k in range(1, n + 1)
        },
        joints=joints,
        forces=loads | {f"friction {name}": {"damper": name, "coefficient": "d"} for name in turned},
    )


def tractor_with_trailers(n: int) -> System:
    """A tractor and n trailers hitched behind each other, every axle without slip; a motor pushes the tractor.

    The speeds are those of a driver: along the tractor, and how fast it turns.
    """
    let: dict[str, str] = {"u0": "x'", "v0": "y'"}
    rows: dict[str, str] = {}
    parts: list[str] = []
    for k in range(n + 1):
        if k:
            let[f"u{k}"] = f"u{k - 1} + l{k}*sin(q{k})*q{k}'"
            let[f"v{k}"] = f"v{k - 1} - l{k}*cos(q{k})*q{k}'"
        rows[f"axle{k}"] = f"cos(q{k})*v{k} = sin(q{k})*u{k}"
        parts.append(f"m{k}*(u{k}^2 + v{k}^2)/2 + J{k}*q{k}'^2/2")
    return System.of(
        name=f"tractor {n}",
        coordinates={"x": "real", "y": "real"} | {f"q{k}": "angle" for k in range(n + 1)},
        parameters={"F": 1} | {f"{name}{k}": 1 for name in "mlJ" for k in range(n + 1)},
        let=let,
        lagrangian=" + ".join(parts),
        forces={"x": "F*cos(q0)", "y": "F*sin(q0)"},
        constraints=rows,
        speeds={"u": "cos(q0)*x' + sin(q0)*y'", "turn": "q0'"},
    )


def road_train(n: int) -> System:
    """A truck that pulls trailers, every axle without slip, with drag at the last end and a motor on the first axle.

    The coordinates are those of the last end and the headings, so that axles give all angular velocities.
    """
    let: dict[str, str] = {}
    for k in range(1, n + 1):  # from the end of a trailer to its axle, and on to the hitch of the one before it
        u, v = (f"u{k - 1} - a{k - 1}*sin(q{k - 1})*q{k - 1}'", f"v{k - 1} + a{k - 1}*cos(q{k - 1})*q{k - 1}'")
        u, v = (u, v) if k > 1 else ("x'", "y'")
        let |= {f"u{k}": f"{u} - b{k}*sin(q{k})*q{k}'", f"v{k}": f"{v} + b{k}*cos(q{k})*q{k}'"}
    links = range(1, n + 1)
    return System.of(
        name=f"road train {n}",
        coordinates={"x": "real", "y": "real"} | {f"q{k}": "angle" for k in links},
        parameters={"d": 0.2, "F": 3} | {f"{name}{k}": 1 + k / 7 for name in "mabJ" for k in links},
        let=let,
        lagrangian=" + ".join(f"(m{k}*(u{k}^2 + v{k}^2) + J{k}*q{k}'^2)/2" for k in links),
        constraints={f"axle{k}": f"cos(q{k})*v{k} = sin(q{k})*u{k}" for k in links},
        forces={"x": "F*cos(q1) - d*x'", "y": "F*sin(q1) - d*y'", f"q{n}": f"-d*q{n}'"},
        start={f"q{k}": f"{k}/9" for k in links} | {"x'": 1, "y'": 0.1},
    )


def dense_in_many_digits(equations: Equations, at: Mapping[Expr, float]) -> NDArray[np.float64]:
    """Return the accelerations by a solve in 120 digits."""
    size, before = len(equations.velocities), ctx.prec
    ctx.prec = 400
    try:
        exact = {name: Fraction(value) for name, value in at.items()}
        values = Balls(exact, 400).read([*(e for row in equations.mass for e in row), *equations.force])
        found = arb_mat(size, size, values[: size**2]).solve(arb_mat(size, 1, values[size**2 :]))
        return np.array([float(found[i, 0].mid()) for i in range(size)])
    finally:
        ctx.prec = before


def saddle_in_many_digits(equations: Equations, at: Mapping[Expr, float]) -> NDArray[np.float64]:
    """Return the accelerations of a saddle form by a solve in 120 digits."""
    assert equations.saddle is not None
    node = equations.saddle.solution(equations.mass, equations.force)[0].args[0]
    size = node.data[0]
    before, ctx.prec = ctx.prec, 400
    try:
        values = Balls({name: Fraction(float(value)) for name, value in at.items()}, 400).read(list(node.args))
        found = arb_mat(size, size, values[: size**2]).solve(arb_mat(size, 1, values[size**2 :]))
        return np.array([float(found[i, 0].mid()) for i in range(len(equations.velocities))])
    finally:
        ctx.prec = before
