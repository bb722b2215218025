"""Linkages, and a reference for their motions that knows no frames: the multiplier equations of index 1, by SciPy."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from dalembert import System
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.graph import ZERO, symbol
from dalembert.expr.walk import substitute
from dalembert.numerics.field import Tape

LOST = 0.02
"""The reference ends where the measure of the rank falls below this part of its first value."""


def four_bars(loops: int = 1) -> System:
    """Return loops of four bars side by side: cranks of length r on pivots 1 apart, couplers of length c, gravity g."""
    cranks, couplers = range(loops + 1), range(loops)
    lets, closed = {}, {}
    for i in couplers:
        lets |= {f"x{i}": f"r*cos(a{i}) + c*cos(b{i})/2", f"y{i}": f"r*sin(a{i}) + c*sin(b{i})/2"}
        closed |= {
            f"h{i}": f"r*cos(a{i}) + c*cos(b{i}) - r*cos(a{i + 1}) = 1",
            f"v{i}": f"r*sin(a{i}) + c*sin(b{i}) - r*sin(a{i + 1}) = 0",
        }
    terms = [f"r^2*a{i}'^2/6 - g*r*sin(a{i})/2" for i in cranks]
    terms += [f"(x{i}'^2 + y{i}'^2)/2 + c^2*b{i}'^2/24 - g*y{i}" for i in couplers]
    return System.of(
        name="four bars",
        coordinates={f"{letter}{i}": "angle" for letter, several in (("a", cranks), ("b", couplers)) for i in several},
        parameters={"r": 1, "c": 1, "g": 9.81},
        let=lets,
        lagrangian=" + ".join(terms),
        holonomic=closed,
    )


def slider_crank() -> System:
    """Return a crank of length 1, a rod of length l and a slider."""
    return System.of(
        name="slider-crank",
        coordinates={"a": "angle", "b": "angle", "x": "real"},
        parameters={"l": 1, "g": 9.81},
        let={"X": "l*cos(b)/2 + cos(a)", "Y": "l*sin(b)/2 + sin(a)"},
        lagrangian="l^2*b'^2/24 - g*(sin(a)/2 + Y) + a'^2/6 + (X'^2 + Y'^2)/2 + x'^2/2",
        holonomic={"along": "l*cos(b) + cos(a) = x", "across": "l*sin(b) + sin(a) = 0"},
    )


def scotch_yoke() -> System:
    """Return a crank whose pin slides in a yoke, stated by squares, so that two branches cross at a = pi/2."""
    return System.of(
        name="yoke",
        coordinates={"a": "angle", "x": "real"},
        parameters={"g": 9.81},
        lagrangian="a'^2/2 + x'^2/2 - g*sin(a) - 2*x^2",
        holonomic={"yoke": "x^2 = cos(a)^2"},
    )


def five_bar() -> System:
    """Return two cranks joined by two couplers: two degrees of freedom."""
    return System.of(
        name="five-bar",
        coordinates=dict.fromkeys("abcd", "angle"),
        parameters={"g": 3},
        let={
            "x1": "cos(a) + 1.3*cos(b)/2",
            "y1": "sin(a) + 1.3*sin(b)/2",
            "x2": "2 + 0.9*cos(d) + 1.2*cos(c)/2",
            "y2": "0.9*sin(d) + 1.2*sin(c)/2",
        },
        lagrangian="a'^2/6 + d'^2/6 + (x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 + b'^2/12 + c'^2/12"
        " - g*(sin(a)/2 + 9*sin(d)/20 + y1 + y2)",
        holonomic={
            "h": "cos(a) + 1.3*cos(b) = 2 + 0.9*cos(d) + 1.2*cos(c)",
            "v": "sin(a) + 1.3*sin(b) = 0.9*sin(d) + 1.2*sin(c)",
        },
    )


def bricard(*, bars: bool = False) -> System:
    """Return the trihedral six-bar of Bricard: joints about the axes in turn, closed by five equations of rank 4.

    Its joints have inertia; or its ``bars`` have a mass m, the first is fixed, and y points up against gravity g.
    """
    lets: dict[str, str] = {}
    turn = [["1" if i == j else "0" for j in range(3)] for i in range(3)]
    place = ["0", "0", "0"]

    def product(rows: list[list[str]], axis: int, angle: str) -> list[list[str]]:
        j, k = (axis + 1) % 3, (axis + 2) % 3
        new = [row[:] for row in rows]
        for row, old in zip(new, rows, strict=True):
            row[j] = f"({old[j]})*cos({angle}) + ({old[k]})*sin({angle})"
            row[k] = f"({old[k]})*cos({angle}) - ({old[j]})*sin({angle})"
        return new

    ends = [place]
    for n, (axis, along, sign) in enumerate(((1, 0, "+"), (2, 1, "+"), (0, 2, "+"), (1, 0, "-"), (2, 1, "-"))):
        turn = product(turn, axis, f"q{n}")
        for i in range(3):
            lets |= {f"r{n}{i}{j}": turn[i][j] for j in range(3)}
            turn[i] = [f"r{n}{i}{j}" for j in range(3)]
        lets |= {f"p{n}{i}": f"{place[i]} {sign} r{n}{i}{along}" for i in range(3)}
        place = [f"p{n}{i}" for i in range(3)]
        ends.append(place)
    kinetic = " + ".join(f"q{n}'^2" for n in range(5))
    lagrangian = f"({kinetic})/2 + r111"
    if bars:
        pairs = list(pairwise([[_rate(p) for p in end] for end in ends]))
        moved = " + ".join(f"{a}^2 + {a}*{b} + {b}^2" for one, two in pairs for a, b in zip(one, two, strict=True))
        lifted = " + ".join(f"{one[1]} + {two[1]}" for one, two in pairwise(ends))
        lagrangian = f"m*({moved})/6 - m*g*({lifted})/2"
    return System.of(
        name="Bricard",
        coordinates={f"q{n}": "angle" for n in range(5)},
        parameters={"m": 1, "g": 9.81} if bars else {},
        let=lets,
        lagrangian=lagrangian,
        holonomic={
            "cx": f"{place[0]} = 0",
            "cy": f"{place[1]} = 0",
            "cz": f"{place[2]} = 1",
            "ay": "r410 = 0",
            "az": "r420 = 0",
        },
    )


def _rate(place: str) -> str:
    """Return the rate of a place; that of the origin is zero."""
    return "0" if place == "0" else f"{place}'"


def bricard_reference(system: System, time: float) -> np.ndarray:
    """Return where the linkage is after a while, from rest with all angles zero, by its two-sheeted symmetry.

    With q2 = -q0, q3 = -q1 and q4 = -q0 the five equations say one thing about q0 and q1; which they say best is taken
    by singular values. SciPy follows the multiplier equations of what is left: two angles and one constraint.
    """
    a, b = symbol("a"), symbol("b")
    signs = (a, b, -a, -b, -a)
    put = {**dict(zip(system.q, signs, strict=True))}
    put |= dict(zip(system.v, (a.dot, b.dot, -a.dot, -b.dot, -a.dot), strict=True))
    lagrangian, *relations = substitute([system.lagrangian, *(e.expression for e in system.holonomic.values())], put)
    rows, drive = jacobian(relations, [a, b]), {a: a.dot, b: b.dot}
    rates = [x * a.dot + y * b.dot for x, y in rows]
    pull = zip(gradient(lagrangian, [a, b]), tangent(gradient(lagrangian, [a.dot, b.dot]), drive), strict=True)
    flat = [e for row in hessian(lagrangian, [a.dot, b.dot]) for e in row] + [p - c for p, c in pull]
    flat += [e for row in rows for e in row] + tangent(rates, drive)
    tape, known = Tape(flat, [a, b, a.dot, b.dot, *system.parameters]), _known(system, {})

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        mass, force, slopes, bias = np.split(np.array(tape([*y, *known])), [4, 6, 16])
        left = np.linalg.svd(slopes.reshape(5, 2))[0][:, 0]
        row = left @ slopes.reshape(5, 2)
        saddle = np.block([[mass.reshape(2, 2), -row[:, None]], [row[None], np.zeros((1, 1))]])
        return np.concatenate([y[2:], np.linalg.solve(saddle, [*force, -left @ bias])[:2]])

    end = solve_ivp(rhs, (0, time), np.zeros(4), method="DOP853", rtol=3e-14, atol=1e-14, max_step=0.02).y[:, -1]
    return np.array([end[0], end[1], -end[0], -end[1], -end[0]])


@dataclass(frozen=True)
class Reference:
    """A motion as far as the constraints keep their rank, and how near they come to losing it."""

    motion: Any
    sizes: np.ndarray
    """sqrt(det A A^T) at even times, in terms of the largest before."""

    @property
    def lost(self) -> bool:
        return self.motion.status == 1

    @property
    def end(self) -> float:
        return float(self.motion.t[-1])


def closed(system: System, guess: Any, wish: Any, values: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """Return a position where the constraints hold, near a guess, and a velocity that they allow, near a wish."""
    relations = [e.expression for e in system.holonomic.values()]
    rows, k = jacobian(relations, system.q), len(relations)
    tape = Tape([*relations, *(e for row in rows for e in row)], [*system.q, *system.parameters])
    q, known = np.array(guess, dtype=float), _known(system, values)
    for _ in range(50):
        found = np.array(tape([*q, *known]))
        slopes = found[k:].reshape(k, -1)
        q = q - np.linalg.pinv(slopes) @ found[:k]
    v = np.array(wish, dtype=float)
    return q, v - np.linalg.pinv(slopes) @ (slopes @ v)


def reference(system: System, q: Any, v: Any, time: float, values: dict[str, float]) -> Reference:
    """Integrate M q'' = Q + A^T lambda, A q'' = -A' q' until the rank is nearly lost.

    SciPy looks for events at the ends of its steps, so these are short beside the time that a passage takes.
    """
    names, speeds, lagrangian = list(system.q), list(system.v), system.lagrangian
    assert lagrangian is not None
    n, k = len(names), len(system.holonomic)
    rows = jacobian([e.expression for e in system.holonomic.values()], names)
    drive = dict(zip(names, speeds, strict=True))
    rates = [sum((a * b for a, b in zip(row, speeds, strict=True)), ZERO) for row in rows]
    pull = zip(gradient(lagrangian, names), tangent(gradient(lagrangian, speeds), drive), strict=True)
    flat = [entry for row in hessian(lagrangian, speeds) for entry in row]
    flat += [p - b for p, b in pull] + [entry for row in rows for entry in row] + tangent(rates, drive)
    tape, known = Tape(flat, [*names, *speeds, *system.parameters]), _known(system, values)

    def parts(y: np.ndarray) -> tuple[np.ndarray, ...]:
        found = np.array(tape([*y, *known]))
        mass, force, slopes, bias = np.split(found, np.cumsum([n * n, n, k * n]))
        return mass.reshape(n, n), force, slopes.reshape(k, n), bias

    def rhs(_: float, y: np.ndarray) -> np.ndarray:
        mass, force, slopes, bias = parts(y)
        saddle = np.block([[mass, -slopes.T], [slopes, np.zeros((k, k))]])
        return np.concatenate([y[n:], np.linalg.solve(saddle, np.concatenate([force, -bias]))[:n]])

    def size(y: np.ndarray) -> float:
        slopes = parts(y)[2]
        return float(np.sqrt(max(np.linalg.det(slopes @ slopes.T), 0.0)))

    start = np.concatenate([q, v])
    first = size(start)

    def near(_: float, y: np.ndarray) -> float:
        return size(y) / first - LOST

    near.terminal = True  # type: ignore[attr-defined]
    steps = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-12, "max_step": 0.003}
    motion = solve_ivp(rhs, (0, time), start, dense_output=True, events=near, **steps)
    sizes = np.array([size(motion.sol(t)) for t in np.linspace(0, motion.t[-1], 401)])
    return Reference(motion, sizes / np.maximum.accumulate(sizes))


def _known(system: System, values: dict[str, float]) -> list[float]:
    return [float(values.get(p.data.name, default)) for p, default in system.parameters.items()]


def coupled(count, last):
    """Return coordinates that all follow the first one, but for the last, of which one more constraint speaks."""
    follow = {f"c{i}": f"x{i} = x0*{i}/{count} + sin(x0)/{i + 1}" for i in range(1, count)}
    names = [f"x{i}" for i in range(count + 1)]
    kinetic = " + ".join(f"{x}'^2/2" for x in names)
    return System.of(
        name="coupled", coordinates=" ".join(names), lagrangian=kinetic, holonomic={**follow, "cross": last}
    )
