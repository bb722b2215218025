"""Systems that state speeds, and the same systems without: what is derived in two ways has to meet."""

from __future__ import annotations

from random import Random
from typing import Any

from dalembert.model.system import System

__all__ = ["PAIRS", "body", "car", "drawn_with_speeds", "sleigh"]

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
