"""Machines that are put together by lot, with the group that leaves them alone: to be reduced and put together again.

Five families: vehicles in the plane (chains of links, some on wheels, with rotors and springs; SE(2) and spins), bodies
in space (satellites with instruments and rotors; SO(3), SO(3) x R and products), bodies that fly beside masses (SE(3)),
bodies that roll on a plane (SE(2) and spins), and screws and rotors on a carriage (products of lines and circles).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from dalembert import System

Generator = dict[str, str | int]


class Lot:
    """Fractions and choices, by a seed."""

    def __init__(self, family: str, seed: int) -> None:
        self.random = Random(f"{family} {seed}")

    def __call__(self) -> str:
        return f"({self.random.randint(1, 9)}/{self.random.randint(2, 7)})"

    def yes(self) -> bool:
        return self.random.random() < 0.5

    def count(self, least: int, most: int) -> int:
        return self.random.randint(least, most)


def _sum(terms: list[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def vehicle(c: Lot) -> System:
    """Links on pins in the plane, by the angles between them: wheels, springs in the pins, rotors on the links."""
    links = c.count(2, 3)
    joints = [f"a{k}" for k in range(1, links)]
    kinds = {"x": "real", "y": "real", "th": "angle"} | dict.fromkeys(joints, "angle")
    angles = [" + ".join(["th", *joints[:k]]) for k in range(links)]
    rates = [" + ".join(f"{q}'" for q in ["th", *joints[:k]]) for k in range(links)]
    ahead = [c() for _ in joints]
    lets, terms, held = {"x0": "x", "y0": "y"}, [], {}
    for k, angle in enumerate(angles):
        if k:
            lets |= {
                f"x{k}": f"x{k - 1} - {ahead[k - 1]}*cos({angle})",
                f"y{k}": f"y{k - 1} - {ahead[k - 1]}*sin({angle})",
            }
        terms.append(f"{c()}*(x{k}'^2 + y{k}'^2) + {c()}*({rates[k]})^2")
        if k == 0 or c.yes():
            held[f"wheel {k}"] = f"y{k}'*cos({angle}) = x{k}'*sin({angle})"
    spins: dict[str, Generator] = {}
    if c.yes():
        kinds["w"] = "angle"
        terms.append(f"{c()}*({rates[-1]} + w')^2")
        spins["spin"] = {"w": 1}
    if c.yes():
        terms.append(f"-{c()}*cos({joints[0]})")
    return System.of(
        name="vehicle", coordinates=kinds, let=lets, lagrangian=_sum(terms), constraints=held,
        symmetry={"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "th": 1}} | spins,
        forces={"th": f"-{c()}*th'"} if c.yes() else {},
    )  # fmt: skip


def satellite(c: Lot) -> System:
    """Two bodies on a pivot with rotors, and a mass that slides: space is the same in all directions."""
    kinds = {"R": "rotation"}
    terms = [f"({c()}*R.w1^2 + {c()}*R.w2^2 + {c()}*R.w3^2)/2"]
    group: dict[str, Generator] = {f"e{k}": {"R": f"left {k}"} for k in (1, 2, 3)}
    held = {}
    if c.yes():
        kinds["S"] = "rotation"
        terms.append(f"{c()}*(S.w1^2 + S.w2^2) + {c()}*S.w3^2 + {c()}*(R.m13*S.m13 + R.m23*S.m23 + R.m33*S.m33)")
        group = {name: one | {"S": one["R"]} for name, one in group.items()}
    if c.yes():
        kinds["a"] = "angle"
        terms.append(f"{c()}*(a' + R.w3)^2")
        group["spin"] = {"a": 1}
    if "S" not in kinds or c.yes():
        kinds["s"] = "real"
        terms.append(f"{c()}*s'^2 + {c()}*s'*R.w1 - {c()}*s^2")
    if "S" not in kinds and c.yes():
        held["bar"] = f"R.w2 = {c()}*R.w1" if c.yes() else f"s' = {c()}*R.w3"
    return System.of(name="satellite", coordinates=kinds, lagrangian=_sum(terms), constraints=held, symmetry=group)


def free_body(c: Lot) -> System:
    """A body in space, with its own attraction to a mass that flies beside it: SE(3)."""
    masses = c.count(0, 1)
    kinds: dict[str, str] = {"x": "real", "y": "real", "z": "real", "R": "rotation"}
    terms = [
        f"{c()}*(x'^2 + y'^2 + z'^2)",
        f"({c()}*R.w1^2 + {c()}*R.w2^2 + {c()}*R.w3^2)/2",
        f"{c()}*R.w1*(R.m11*x' + R.m21*y' + R.m31*z')",
    ]
    axes = [("x", "y", "z")]
    if masses:
        kinds |= {"u": "real", "v": "real", "w": "real"}
        axes.append(("u", "v", "w"))
        terms.append(f"{c()}*(u'^2 + v'^2 + w'^2) - {c()}*((x - u)^2 + (y - v)^2 + (z - w)^2)")
    group: dict[str, Generator] = {f"shift{k}": {one[k]: 1 for one in axes} for k in range(3)}
    for k in range(3):
        turned: Generator = {"R": f"left {k + 1}"}
        for one in axes:
            a, b = one[(k + 1) % 3], one[(k + 2) % 3]
            turned |= {a: f"-{b}", b: a}
        group[f"turn{k}"] = turned
    return System.of(name="free body", coordinates=kinds, lagrangian=_sum(terms), symmetry=group)


def rolling(c: Lot) -> System:
    """A ball that rolls on a plane, perhaps without spin, with a rotor in it or a weight on a slide."""
    radius = c()
    kinds: dict[str, str] = {"x": "real", "y": "real", "R": "rotation"}
    terms = [f"{c()}*(x'^2 + y'^2)", f"({c()}*R.w1^2 + {c()}*R.w2^2 + {c()}*R.w3^2)/2"]
    group: dict[str, Generator] = {"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "R": "left 3"}}
    held = {"a": f"x' = {radius}*R.s2", "b": f"y' = -{radius}*R.s1"}
    if c.yes():
        kinds["w"] = "angle"
        terms.append(f"{c()}*(w' + R.w2)^2")
        group["spin"] = {"w": 1}
    if c.yes():
        held["no spin"] = "R.s3 = 0"
    else:
        terms.append(f"{c()}*R.m33")
    return System.of(name="ball", coordinates=kinds, lagrangian=_sum(terms), constraints=held, symmetry=group)


def carriage(c: Lot) -> System:
    """Screws and rotors on a carriage that slides: a product of lines and circles."""
    kinds = {"s": "real", "h": "real", "p": "angle", "w": "angle"}
    terms = [f"{c()}*s'^2 + {c()}*p'^2 + {c()}*(w' + p')^2 + {c()}*h'^2 - {c()}*h^2"]
    if c.yes():
        terms.append(f"{c()}*h*s'*p'")
    if c.yes():
        terms.append(f"-{c()}*cos(p)")
    group: dict[str, Generator] = {"along": {"s": 1}, "spin": {"w": 1}}
    held = {"screw": f"s' = (1 + {c()}*h^2)*p' + {c()}*h*w'"} if c.yes() else {}
    return System.of(
        name="carriage", coordinates=kinds, lagrangian=_sum(terms), constraints=held,
        symmetry=group, forces={"h": f"-{c()}*h'"} if c.yes() and held else {},
    )  # fmt: skip


FAMILIES: Mapping[str, Callable[[Lot], System]] = {
    make.__name__: make for make in (vehicle, satellite, free_body, rolling, carriage)
}


def drawn(family: str, seed: int) -> System:
    """The machine of a family by a seed."""
    return FAMILIES[family](Lot(family, seed))
