"""Chains, trees and trains of any size, as a user would state them: for the lifted motion and its measurements."""

from dalembert import System

__all__ = ["cart_with_relative_angles", "driven_chain", "mobile", "spatial_chain", "tractor_with_trailers"]


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
