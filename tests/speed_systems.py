"""Systems that state speeds, and the same systems without: what is derived in two ways has to meet."""

from __future__ import annotations

from random import Random
from typing import Any

from dalembert.model.system import System

__all__ = ["EVERY", "PAIRS", "body", "car", "drawn_with_speeds", "drawn_with_symmetry", "sleigh"]

_PLANE = {"x": "real", "y": "real", "th": "angle"}
_ALONG = "(x'*cos(th) + y'*sin(th))"
_ACROSS = "(y'*cos(th) - x'*sin(th))"


def sleigh(**more: Any) -> System:
    """Return a sleigh whose mass is ahead of its blade, pushed along it and with friction, in its own speeds."""
    return System.of(
        **{
            "name": "sleigh",
            "coordinates": _PLANE,
            "parameters": {"m": 2, "J": 1.5, "a": 0.3, "c": 0.2},
            "let": {"u": _ACROSS[1:-1]},
            "speeds": {"v": _ALONG[1:-1], "w": "th'"},
            "lagrangian": "m*(v^2 + u^2)/2 + a*m*u*w + (J + m*a^2)*w^2/2",
            "constraints": {"blade": "u = 0"},
            "forces": {"v": "F - c*v", "th": "-c*w/2"},
            "controls": {"F": "3*cos(t)"},
            "start": {"v": 0.9, "w": 0.4},
            "run": {"time": 3},
        }
        | more
    )


def _plain_sleigh() -> System:
    push = f"(F - c*{_ALONG})"
    return System.of(
        name="sleigh",
        coordinates=_PLANE,
        parameters={"m": 2, "J": 1.5, "a": 0.3, "c": 0.2},
        lagrangian="m*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2)/2 + J*th'^2/2",
        constraints={"blade": f"{_ACROSS} = 0"},
        forces={"x": f"{push}*cos(th)", "y": f"{push}*sin(th)", "th": "-c*th'/2"},
        controls={"F": "3*cos(t)"},
        start={"x'": 0.9, "th'": 0.4},
        run={"time": 3},
    )


_CAR = {
    "name": "car with a trailer",
    "coordinates": {**_PLANE, "ph": "angle"},
    "parameters": {"m": 2, "J": 1.5, "K": 0.7, "M": 1, "l": 1.2},
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*th'^2/2 + K*ph'^2/2 + M*((x' + l*ph'*sin(ph))^2 + (y' - l*ph'*cos(ph))^2)/2",
    "run": {"time": 3},
}


def car() -> System:
    """Return a car with a trailer: one speed is stated, the rate of turning completes it."""
    return System.of(
        **_CAR,
        speeds={"v": _ALONG},
        constraints={"car": f"{_ACROSS} = 0", "hitch": "l*ph' = v*sin(th - ph)"},
        start={"v": 1, "th'": 0.3, "ph": 0.2},
    )


def _plain_car() -> System:
    return System.of(
        **_CAR,
        constraints={"car": f"{_ACROSS} = 0", "hitch": f"l*ph' = {_ALONG}*sin(th - ph)"},
        start={"x'": 1, "th'": 0.3, "ph": 0.2},
    )


_BELT = {
    "name": "sleigh on a belt",
    "coordinates": _PLANE,
    "parameters": {"m": 2, "J": 1.5, "b": 0.3},
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*th'^2/2",
    "constraints": {"blade": "y'*cos(th) = (x' - b*sin(t))*sin(th)"},
    "run": {"time": 3},
}


def _belt(*, speeds: bool) -> System:
    """Return a sleigh on a belt that moves to and fro; its speeds are affine, and depend on time."""
    if not speeds:
        return System.of(**_BELT, start={"x'": 0.9, "th'": 0.4})
    told = {"v": "(x' - b*sin(t))*cos(th) + y'*sin(th) + x", "w": "th' + 2*t"}
    return System.of(**_BELT, speeds=told, start={"v": 0.9, "w": 0.4})


_BODY = {
    "coordinates": _PLANE,
    "parameters": {"m": 2, "J": 1.5, "g": 9.81, "c": 0.1},
    "run": {"time": 1},
}


def body() -> System:
    """Return a plate that falls through air, in the velocities that it feels itself: there are no constraints."""
    return System.of(
        **_BODY,
        name="plate",
        speeds={"u": _ALONG, "v": _ACROSS, "w": "th'"},
        lagrangian="m*(u^2 + v^2)/2 + J*w^2/2 - m*g*y",
        forces={"u": "-c*u", "v": "-7*c*v"},
        start={"u": 1, "w": 0.5},
    )


def _plain_body() -> System:
    drag = f"-c*{_ALONG}*{{}} - 7*c*{_ACROSS}*{{}}"
    return System.of(
        **_BODY,
        name="plate",
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 - m*g*y",
        forces={"x": drag.format("cos(th)", "(-sin(th))"), "y": drag.format("sin(th)", "cos(th)")},
        start={"x'": 1, "th'": 0.5},
    )


def _disc(*, speeds: bool) -> System:
    """Return a disc that rolls upright; the constraint is stated by the speed."""
    along = "x'*cos(psi) + y'*sin(psi)"
    return System.of(
        name="disc",
        coordinates={"phi": "angle", "psi": "angle", "x": "real", "y": "real"},
        parameters={"R": 0.8, "I1": 0.5, "I2": 0.25},
        speeds={"v": along} if speeds else None,
        lagrangian="(x'^2 + y'^2)/2 + I1*phi'^2/2 + I2*psi'^2/2",
        constraints={"rolling": f"{'v' if speeds else along} = R*phi'", "across": "y'*cos(psi) = x'*sin(psi)"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        start={"v" if speeds else "x'": 2, "psi'": 0.4},
        run={"time": 2},
    )


PAIRS = {
    "sleigh": (sleigh(), _plain_sleigh(), "nonholonomic"),
    "car": (car(), _plain_car(), "nonholonomic"),
    "belt": (_belt(speeds=True), _belt(speeds=False), "nonholonomic"),
    "disc": (_disc(speeds=True), _disc(speeds=False), "nonholonomic"),
    "plate": (body(), _plain_body(), "euler-lagrange"),
}
"""With speeds, without, and a formalism for both."""


def drawn_with_speeds(seed: int) -> System:
    """Return a system drawn at random with 0 to 3 constraints, and as many speeds as they leave, or fewer.

    Constraints and speeds each begin with a velocity that no later one begins with, so that they are independent.
    """
    draw = Random(seed)
    velocities = ["x'", "y'", "z'", "a'"]
    terms = ("x*y", "sin(a)*x", "cos(a)*y^2", "z*cos(a)", "y*z", "t*y", "sin(x)", "1")

    def slope() -> str:
        return f"{draw.choice((-2, -1, 1, 2))}*{draw.choice(terms)}/{draw.randint(3, 6)}"

    def affine(own: int) -> str:
        others = velocities[own + 1 :]
        parts = [f"({slope()})*{draw.choice(others)}"] if others else []
        return " + ".join([*parts, *([slope()] if draw.random() < 0.4 else [])]) or "0"

    held = seed % 4
    stated = range(held, draw.randint(held + 1, 4))
    speeds = {
        f"w{k}": f"({draw.randint(2, 4)} + sin({draw.choice('xyza')}))*{velocities[k]} + {affine(k)}" for k in stated
    }
    kinetic = " + ".join(f"({draw.randint(2, 5)} + ({slope()})^2)*{v}^2/2" for v in velocities)
    first = next(iter(speeds))
    return System.of(
        name=f"drawn {seed}",
        coordinates={"x": "real", "y": "real", "z": "real", "a": "angle"},
        parameters={"k": 0.7},
        speeds=speeds,
        lagrangian=f"{kinetic} + k*{first}^2/2 + ({slope()})*{draw.choice(velocities)} - {slope()}",
        constraints={f"c{k}": f"{velocities[k]} = {affine(k)}" for k in range(held)},
        forces={first: f"{slope()} - k*{first}", "y": f"-({slope()})*y'"},
    )


# -- one for each formalism --------------------------------------------------------------------------------------
def _with_and_without(formalism: str, speeds: dict[str, str], start: dict[str, Any], **told: Any) -> tuple[Any, ...]:
    return System.of(**told, speeds=speeds, start=start), System.of(**told), formalism


_TOBOGGAN = {
    "name": "toboggan",
    "coordinates": {"r": "real", "a": "angle", "x": "real", "y": "real"},
    "parameters": {"m": 2, "J": 1.5, "k": 0.7},
    "lagrangian": "m*(x'^2 + y'^2)/2 + J*a'^2/2 + (2 + cos(a))*r'^2/2 - k*cos(r)*sin(a)",
    "symmetry": {"e1": {"x": 1}, "e2": {"y": 1}},
    "run": {"time": 2},
}
_SLIDING = {"c1": "x' = r*a'/2 + r'*cos(a)", "c2": "y' = r'*sin(a)"}

EVERY = {
    "chaplygin": _with_and_without(
        "chaplygin",
        {"v": "x'*cos(a) + y'*sin(a) + r'", "w": "(2 + sin(r))*a'"},
        {"v": 0.8, "w": 0.5, "r": 0.2},
        **_TOBOGGAN,
        constraints=_SLIDING,
    ),
    "routh": _with_and_without(
        "routh",
        {"v": "(3 + cos(a))*r' + x'", "w": "a' + r"},
        {"v": 0.8, "w": 0.5, "r": 0.2},
        **_TOBOGGAN,
        momentum=[0.4, -0.3],
    ),
    "semisymplectic": _with_and_without(
        "semisymplectic",
        {"v": "x'*cos(a) + y'*sin(a) + 3*r'"},
        {"v": 0.8, "a'": 0.5, "r": 0.2},
        **_TOBOGGAN,
        constraints=_SLIDING,
    ),
    "nonlinear": _with_and_without(
        "nonholonomic",
        {"v": "x'*cos(th) + y'*sin(th)", "u": "y'*cos(th) - x'*sin(th)", "w": "th'"},
        {"v": 1, "u": 0.5, "w": 0.3, "th": 0.2},
        name="pace",
        coordinates=_PLANE,
        lagrangian="(x'^2 + y'^2)/2 + (2 + sin(x))*th'^2/2 + cos(y)",
        constraints={"pace": "(x'*cos(th) + y'*sin(th))^2 + 4*(y'*cos(th) - x'*sin(th))^2 = 2"},
        run={"time": 0.5},
    ),
    "nonlinear semisymplectic": _with_and_without(
        "semisymplectic",
        {"v": "(2 + cos(x))*x' + y'*sin(x)"},
        {"v": 1, "y'": 0.3, "x": 0.2},
        name="pulley",
        coordinates="x y z",
        parameters={"k": 0.5, "g": 9.81},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
        constraints={"rope": "z' = k*sqrt(1 + x'^2 + y'^2)"},
        run={"time": 1},
    ),
    "virtual": _with_and_without(
        "nonholonomic",
        {"s": "(2 + sin(x))*x' + y' + z'"},
        {"s": 1, "x'": 0.3, "x": 0.2},
        name="servo",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*z",
        constraints={"c": "z' = y*x'"},
        virtual={"w": "dz - x*dx"},
        run={"time": 1},
    ),
    "equations": _with_and_without(
        "nonholonomic",
        {"s": "x' + y*y' + t"},
        {"s": 1, "y'": 0.3, "x": 0.2},
        name="stated",
        coordinates="x y z",
        equations={"x''": "-x", "y''": "-4*y*x'", "z'": "x*y'"},
        run={"time": 1},
    ),
    "vakonomic": _with_and_without(
        "vakonomic",
        {"v": "x'*cos(a) + y'*sin(a) + r'", "w": "(2 + sin(r))*a'"},
        {"v": 0.8, "w": 0.5, "r": 0.2, "c1": 0.1, "c2": 0.2},
        **_TOBOGGAN,
        constraints=_SLIDING,
    ),
}
"""With speeds, without them and without a start, and a formalism for both."""


def drawn_with_symmetry(seed: int) -> System:
    """Return a system drawn at random on which translations act, with speeds on its shapes.

    With constraints they give the velocities along the group; without, its momenta are given: by turns.
    """
    draw = Random(seed)
    terms = ("r*cos(a)", "sin(a)", "cos(a)*r^2", "r", "sin(r)*cos(a)", "1")

    def slope() -> str:
        return f"{draw.choice((-2, -1, 1, 2))}*{draw.choice(terms)}/{draw.randint(3, 6)}"

    def affine() -> str:
        return f"({slope()})*r' + ({slope()})*a'"

    velocities = ["r'", "a'", "x'", "y'"]
    kinetic = " + ".join(f"({draw.randint(2, 5)} + ({slope()})^2)*{v}^2/2" for v in velocities)
    mixed = f"({slope()})*x'*r'/4 + ({slope()})*y'*a'/4"
    own = [("r'", "x'"), ("a'", "y'")][: draw.randint(1, 2)]
    speeds = {
        f"w{k}": f"(4 + sin({draw.choice('ra')}))*{mine} + ({slope()})*{other}/4 + {slope()}"
        for k, (mine, other) in enumerate(own)
    }
    free = seed % 2
    return System.of(
        name=f"drawn with symmetry {seed}",
        coordinates={"r": "real", "a": "angle", "x": "real", "y": "real"},
        parameters={"k": 0.7},
        speeds=speeds,
        lagrangian=f"{kinetic} + {mixed} - k*({slope()})",
        constraints=None if free else {"c1": f"x' = {affine()}", "c2": f"y' = {affine()}"},
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}},
        momentum=[0.4, -0.3] if free else None,
    )
