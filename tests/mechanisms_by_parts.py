"""Mechanisms stated by their parts, and where their bodies are, written down by hand: for Newton and Euler.

Each is a system, the bodies as functions of its coordinates, and the gaps that vanish where it is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from newton_euler import Jet, Solid, angular_velocity, order, turn, vector

from dalembert import System, gallery

G = 9.81


@dataclass(frozen=True)
class Case:
    """A machine twice: as the library has it, and by hand."""

    system: System
    bodies: Callable[[Sequence[Jet]], list[Solid]]
    gaps: Callable[[Sequence[Jet]], Any] = lambda _: np.zeros(0, dtype=object)
    """What is zero where the machine is closed."""
    slips: Callable[[Sequence[Jet]], Any] = lambda _: np.zeros(0, dtype=object)
    """Velocities that vanish, linear in those of the coordinates: as numbers, of what moves."""
    start: tuple[float, ...] = ()
    """Near where it is closed."""


def bar(mass: float, length: float) -> np.ndarray:
    """A thin rod along x."""
    return np.diag([0.0, mass * length**2 / 12, mass * length**2 / 12])


def pulled(mass: float) -> Callable[[], np.ndarray]:
    return lambda: np.array([0, 0, -G * mass])


# -- a car with three trailers -------------------------------------------------------------------------------
def _car(q: Sequence[Jet]) -> tuple[list[Solid], list[np.ndarray]]:
    x, y, heading, steer, *hitches = q
    car, origin = turn("z", heading), vector(x, y, 0)

    def box(mass: float, a: float, b: float, c: float) -> np.ndarray:
        return mass / 12 * np.diag([b**2 + c**2, a**2 + c**2, a**2 + b**2])

    drive = order(car, 0) @ np.array([500.0, 0, 0])
    drag = -50 * order(origin, 1)
    lever = order(car @ vector(-1.25, 0, 0), 0)
    twist = np.array([0, 0, -400 * steer.c[0] - 200 * steer.c[1]])
    front = car @ turn("z", steer)
    solids = [
        Solid(
            900, box(900, 3.5, 1.6, 0.5), car, origin + car @ vector(1.25, 0, 0), lambda: drive + drag,
            lambda: np.cross(lever, drive + drag) - twist,
        ),
        Solid(40, np.diag([7.5, 0, 7.5]), front, origin + car @ vector(2.5, 0, 0), torque=lambda: twist),
    ]  # fmt: skip
    axles = [origin, origin + car @ vector(2.5, 0, 0)]
    turned = [car, front]
    behind = car
    for hitch in hitches:
        behind = behind @ turn("z", hitch)
        origin = origin - behind @ vector(3, 0, 0)
        solids.append(Solid(300, box(300, 2, 1.4, 0.5), behind, origin))
        axles.append(origin)
        turned.append(behind)
    slips = [order(one, 1) @ order(axes @ vector(0, 1, 0), 0) for one, axes in zip(axles, turned, strict=True)]
    return solids, slips


def car() -> Case:
    return Case(gallery.load("car-with-trailers:3"), lambda q: _car(q)[0], slips=lambda q: np.array(_car(q)[1]))


# -- a crank, a rod and a piston -----------------------------------------------------------------------------
def slider_crank() -> Case:
    def bodies(q: Sequence[Jet]) -> list[Solid]:
        a, b, s = q
        wheel, rod = turn("y", a), turn("y", a + b)
        pin = wheel @ vector(0.1, 0, 0)
        torque = np.array([0, 2 * np.sin(a.c[0]) ** 2, 0])
        return [
            Solid(3, 3 * np.diag([0.0025, 0.005, 0.0025]), wheel, vector(0, 0, 0), pulled(3), lambda: torque),
            Solid(1, bar(1, 0.3), rod, pin + rod @ vector(0.15, 0, 0), pulled(1)),
            Solid(
                0.5, np.zeros((3, 3)), turn("y", 0.0), vector(s, 0, 0),
                lambda: pulled(0.5)() - np.array([0.5 * s.c[1], 0, 0]),
            ),
        ]  # fmt: skip

    def gaps(q: Sequence[Jet]) -> np.ndarray:
        a, b, s = q
        end = turn("y", a) @ vector(0.1, 0, 0) + turn("y", a + b) @ vector(0.3, 0, 0)
        return (end - vector(s, 0, 0))[[0, 2]]

    return Case(gallery.load("slider-crank"), bodies, gaps, start=(0.5, -0.7, 0.38))


# -- a governor ----------------------------------------------------------------------------------------------
GOVERNOR = System.of(
    name="governor",
    parameters={"g": G},
    bodies={
        "spindle": {"shape": "cylinder", "mass": 2, "radius": 0.02, "length": 1},
        "sleeve": {"shape": "cylinder", "mass": 0.6, "radius": 0.05, "length": 0.1},
    }
    | {
        f"{part}{k}": one
        for k in (1, 2)
        for part, one in {
            "arm": {"shape": "rod", "mass": 0.2, "length": 0.4, "axis": "z", "centre": [0, 0, -0.2]},
            "ball": {"shape": "sphere", "mass": 1, "radius": 0.06},
            "link": {"shape": "rod", "mass": 0.1, "length": 0.3, "axis": "z", "centre": [0, 0, -0.15]},
        }.items()
    },
    joints={
        "spin": {"type": "revolute", "child": "spindle", "axis": "z"},
        "slide": {"type": "prismatic", "parent": "spindle", "child": "sleeve", "axis": "z"},
    }
    | {
        f"{part}{k}": one
        for k, side, axis in ((1, 0.05, "-y"), (2, -0.05, "y"))
        for part, one in {
            "lift": {"type": "revolute", "parent": "spindle", "child": f"arm{k}", "at": [side, 0, 0.5], "axis": axis},
            "tip": {"type": "rigid", "parent": f"arm{k}", "child": f"ball{k}", "at": [0, 0, -0.4]},
            "fold": {"type": "revolute", "parent": f"arm{k}", "child": f"link{k}", "at": [0, 0, -0.25], "axis": axis},
            "eye": {
                "type": "revolute", "parent": f"link{k}", "child": "sleeve", "at": [0, 0, -0.3],
                "child_at": [side, 0, 0], "axis": axis,
            },
        }.items()
    },
    forces={
        "weight": {"gravity": "g"},
        "spring": {"spring": "slide", "stiffness": 40, "length": 0.1},
        "engine": {"torque": 0.3, "joint": "spin"},
    },
    start={"lift1": 0.6, "lift2": 0.6, "fold1": -1.0, "fold2": -1.0, "slide": 0.05, "spin'": 8},
)  # fmt: skip


def governor() -> Case:
    names = [q.data.name for q in GOVERNOR.q]

    def parts(q: Sequence[Jet]) -> tuple[list[Solid], list[np.ndarray]]:
        at = dict(zip(names, q, strict=True))
        spindle = turn("z", at["spin"])
        sleeve = spindle @ vector(0, 0, at["slide"])
        push = order(spindle, 0) @ np.array([0, 0, -40 * (at["slide"].c[0] - 0.1)])
        thick = [(3 * r**2 + h**2) / 12 for r, h in ((0.02, 1), (0.05, 0.1))]
        solids = [
            Solid(
                2, 2 * np.diag([thick[0], thick[0], 0.0002]), spindle, vector(0, 0, 0), pulled(2),
                lambda: np.array([0, 0, 0.3]),
            ),
            Solid(0.6, 0.6 * np.diag([thick[1], thick[1], 0.00125]), spindle, sleeve, lambda: pulled(0.6)() + push),
        ]  # fmt: skip
        gaps = []
        for k, side, sign in ((1, 0.05, -1.0), (2, -0.05, 1.0)):
            arm = spindle @ turn("y", at[f"lift{k}"] * sign)
            link = spindle @ turn("y", (at[f"lift{k}"] + at[f"fold{k}"]) * sign)
            top = spindle @ vector(side, 0, 0.5)
            elbow = top + arm @ vector(0, 0, -0.25)
            rod, short = 0.2 * 0.16 / 12, 0.1 * 0.09 / 12
            solids += [
                Solid(0.2, np.diag([rod, rod, 0]), arm, top + arm @ vector(0, 0, -0.2), pulled(0.2)),
                Solid(1, 0.4 * 0.0036 * np.eye(3), arm, top + arm @ vector(0, 0, -0.4), pulled(1)),
                Solid(0.1, np.diag([short, short, 0]), link, elbow + link @ vector(0, 0, -0.15), pulled(0.1)),
            ]
            miss = elbow + link @ vector(0, 0, -0.3) - sleeve - spindle @ vector(side, 0, 0)
            gaps += list((spindle.T @ miss)[[0, 2]])
        return solids, gaps

    return Case(
        GOVERNOR, lambda q: parts(q)[0], lambda q: np.array(parts(q)[1], dtype=object),
        start=tuple({"lift": 0.6, "fold": -1.0, "slid": 0.05}.get(name[:4], 0.0) for name in names),
    )  # fmt: skip


# -- Andrews' squeezing mechanism ----------------------------------------------------------------------------
ANDREWS_START = {
    "beta": -0.0617138900142764496358948458001, "theta": 0.0, "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609, "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609, "epsilon": 1.23054744454982119249735015568,
}  # fmt: skip
"""The start of the benchmark: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section VII.7."""
ANDREWS_AT_REST = {"beta": 14222.4439199541138705911625887, "theta": -10666.8329399655854029433719415}
"""The accelerations there; those of the other angles are zero."""
ANDREWS_END = {
    "beta": 15.81077119629904, "theta": -15.75637105984298, "gamma": 0.04082224013073101, "phi": -0.5347301163226948,
    "delta": 0.5244099658805304, "omega": 0.5347301163226948, "epsilon": 1.048080741042263,
}  # fmt: skip
"""The angles after 0.03 s."""


def _flat(mass: float, moment: float, x: float, y: float) -> dict[str, Any]:
    return {"mass": mass, "inertia": [0, 0, moment], "centre": [x, y, 0]}


def _pin(parent: str, child: str, at: Sequence[float], **more: Any) -> dict[str, Any]:
    told = {"type": "revolute", "child": child, "at": [*at, 0], "axis": "z", **more}
    return told | ({"parent": parent} if parent else {})


A, B = (-0.06934, -0.00227), (-0.03635, 0.03273)
ANDREWS = System.of(
    name="squeezer",
    bodies={
        "K1": _flat(0.04325, 2.194e-6, 0.00092, 0),
        "K2": _flat(0.00365, 4.410e-7, -0.0115, 0),
        "K3": _flat(0.02373, 5.255e-6, 0.01043, -0.01874),
        "K4": _flat(0.00706, 5.667e-7, 0, -(0.02 - 0.01421)),
        "K5": _flat(0.07050, 1.169e-5, 0.02308, 0.00916),
        "K6": _flat(0.00706, 5.667e-7, 0.02 - 0.01421, 0),
        "K7": _flat(0.05498, 1.912e-5, -0.00449, -0.01228),
    },
    joints={
        "beta": _pin("", "K1", (0, 0)),
        "theta": _pin("K1", "K2", (0.007, 0)),
        "gamma": _pin("", "K3", B),
        "delta": _pin("", "K5", A),
        "phi": _pin("K5", "K4", (0.04, 0)),
        "epsilon": _pin("", "K7", A),
        "omega": _pin("K7", "K6", (0, -0.04)),
        "E1": _pin("K2", "K3", (-0.028, 0), child_at=[0, -0.035, 0]),
        "E2": _pin("K2", "K4", (-0.028, 0), child_at=[0, -0.02, 0]),
        "E3": _pin("K2", "K6", (-0.028, 0), child_at=[0.02, 0, 0]),
    },
    points={"C": [0.014, 0.072, 0], "D": {"from": "K3", "at": [0.02, -0.018, 0]}},
    forces={
        "motor": {"torque": 0.033, "joint": "beta"},
        "spring": {"spring": ["C", "D"], "stiffness": 4530, "length": 0.07785},
    },
    start=ANDREWS_START,
)


def andrews() -> Case:
    names = [q.data.name for q in ANDREWS.q]

    def parts(q: Sequence[Jet]) -> tuple[list[Solid], np.ndarray]:
        at = dict(zip(names, q, strict=True))
        k1, k2 = turn("z", at["beta"]), turn("z", at["beta"] + at["theta"])
        k3, k5, k7 = (turn("z", at[name]) for name in ("gamma", "delta", "epsilon"))
        k4, k6 = turn("z", at["phi"] + at["delta"]), turn("z", at["omega"] + at["epsilon"])
        a, b = vector(*A, 0), vector(*B, 0)
        f = k1 @ vector(0.007, 0, 0)
        g, h = a + k5 @ vector(0.04, 0, 0), a + k7 @ vector(0, -0.04, 0)
        e = f - k2 @ vector(0.028, 0, 0)
        d = order(b + k3 @ vector(0.02, -0.018, 0), 0)
        way = np.array([0.014, 0.072, 0]) - d
        length = np.linalg.norm(way)
        pull = 4530 * (length - 0.07785) * way / length
        c3 = b + k3 @ vector(0.01043, -0.01874, 0)

        def flat(moment: float) -> np.ndarray:
            return np.diag([0.0, 0.0, moment])

        solids = [
            Solid(0.04325, flat(2.194e-6), k1, k1 @ vector(0.00092, 0, 0), torque=lambda: np.array([0, 0, 0.033])),
            Solid(0.00365, flat(4.410e-7), k2, f - k2 @ vector(0.0115, 0, 0)),
            Solid(0.02373, flat(5.255e-6), k3, c3, lambda: pull, lambda: np.cross(d - order(c3, 0), pull)),
            Solid(0.00706, flat(5.667e-7), k4, g + k4 @ vector(0, 0.01421 - 0.02, 0)),
            Solid(0.07050, flat(1.169e-5), k5, a + k5 @ vector(0.02308, 0.00916, 0)),
            Solid(0.00706, flat(5.667e-7), k6, h + k6 @ vector(0.02 - 0.01421, 0, 0)),
            Solid(0.05498, flat(1.912e-5), k7, a + k7 @ vector(-0.00449, -0.01228, 0)),
        ]
        others = (b - k3 @ vector(0, 0.035, 0), g - k4 @ vector(0, 0.02, 0), h + k6 @ vector(0.02, 0, 0))
        return solids, np.concatenate([(e - other)[:2] for other in others])

    return Case(
        ANDREWS, lambda q: parts(q)[0], lambda q: parts(q)[1], start=tuple(ANDREWS_START[name] for name in names)
    )


# -- Bricard's mechanism -------------------------------------------------------------------------------------
_BRICARD = (("y", (1, 0, 0)), ("z", (0, 1, 0)), ("x", (0, 0, 1)), ("y", (-1, 0, 0)), ("z", (0, -1, 0)))
BRICARD = System.of(
    name="Bricard",
    parameters={"g": G},
    bodies={
        f"bar{k}": {"shape": "rod", "mass": 1, "length": 1, "axis": list(way), "centre": [x / 2 for x in way]}
        for k, (_, way) in enumerate(_BRICARD)
    },
    joints={
        f"q{k}": {"type": "revolute", "child": f"bar{k}", "axis": axis}
        | ({"parent": f"bar{k - 1}", "at": list(_BRICARD[k - 1][1])} if k else {})
        for k, (axis, _) in enumerate(_BRICARD)
    }
    | {"last": {"type": "revolute", "child": "bar4", "at": [0, 0, 1], "child_at": [0, -1, 0], "axis": "x"}},
    forces={"weight": {"gravity": [0, "-g", 0]}},
)


def bricard() -> Case:
    def parts(q: Sequence[Jet]) -> tuple[list[Solid], np.ndarray]:
        turned, place, solids = turn("z", 0.0), vector(0, 0, 0), []
        for (axis, way), angle in zip(_BRICARD, q, strict=True):
            turned = turned @ turn(axis, angle)
            along = np.array(way, float)
            rod = (np.eye(3) - np.outer(along, along)) / 12
            solids.append(Solid(1, rod, turned, place + turned @ vector(*along / 2), lambda: np.array([0, -G, 0])))
            place = place + turned @ vector(*along)
        gap = place - vector(0, 0, 1)
        held = turned @ vector(1, 0, 0)
        return solids, np.array([*gap, held[1], held[2]], dtype=object)

    return Case(BRICARD, lambda q: parts(q)[0], lambda q: parts(q)[1], start=(0.0,) * 5)


# -- the bicycle of Whipple ----------------------------------------------------------------------------------
def _bicycle(q: Sequence[Jet]) -> tuple[list[Solid], np.ndarray, np.ndarray]:
    x, y, psi, phi, theta, delta, rear, front = q
    lean = turn("z", psi) @ turn("x", phi)
    frame = lean @ turn("y", theta)
    fork = frame @ turn("y", np.pi / 10) @ turn("z", delta) @ turn("y", -np.pi / 10)
    hub = vector(x, y, 0) + lean @ vector(0, 0, -0.3)
    crown = hub + frame @ vector(1.1, 0, 0.3)

    def part(mass: float, a: float, b: float, c: float, d: float, turned: np.ndarray, centre: np.ndarray) -> Solid:
        return Solid(mass, [[a, 0, d], [0, b, 0], [d, 0, c]], turned, centre, lambda: np.array([0, 0, G * mass]))

    solids = [
        part(2, 0.0603, 0.12, 0.0603, 0, frame @ turn("y", rear), hub),
        part(85, 9.2, 11, 2.8, 2.4, frame, hub + frame @ vector(0.3, 0, -0.6)),
        part(4, 0.05892, 0.06, 0.00708, -0.00756, fork, crown + fork @ vector(-0.2, 0, -0.7)),
        part(3, 0.1405, 0.28, 0.1405, 0, fork @ turn("y", front), crown + fork @ vector(-0.08, 0, -0.35)),
    ]
    across = fork @ vector(0, 1, 0)
    level = (1 - across[2] * across[2]).root()
    down = np.array(
        [(Jet(float(k == 2)) - across[2] * across[k]) * level.inverse() * 0.35 for k in range(3)], dtype=object
    )
    return solids, lean @ vector(0, 0, 0.3), down


def bicycle() -> Case:
    def gaps(q: Sequence[Jet]) -> np.ndarray:
        solids, _, down = _bicycle(q)
        return (solids[3].centre + down)[2:]

    def slips(q: Sequence[Jet]) -> np.ndarray:
        solids, *arms = _bicycle(q)
        wheels = zip((solids[0], solids[3]), arms, strict=True)
        rims = [order(s.centre, 1) + np.cross(angular_velocity(s.turned), order(arm, 0)) for s, arm in wheels]
        return np.array([*rims[0][:2], *rims[1][:2]])

    start = (0.1, -0.2, 0.3, 0.1, 0.0, 0.15, 0.4, -0.3)
    return Case(gallery.load("bicycle"), lambda q: _bicycle(q)[0], gaps, slips, start)


@cache
def cases() -> dict[str, Case]:
    """Return all mechanisms by name."""
    made = (car, slider_crank, governor, andrews, bricard, bicycle)
    return {one.__name__: one() for one in made}
