"""Machines drawn at random from what engineers state: model files with wheels, blades, rods, gears, roads and floors.

A seed draws a kind of constraints (``KINDS``), then parts that have such, what they stand on, what pulls at them and in
which speeds they are stated. Nothing here knows how equations are derived.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

__all__ = ["KINDS", "Machine", "drawn", "written"]

KINDS = ("linear", "affine", "nonlinear", "holonomic", "redundant")


@dataclass
class Machine:
    """The tables of a model file, filled part by part."""

    name: str
    draw: Random
    coordinates: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    functions: dict[str, dict[str, object]] = field(default_factory=dict)
    let: dict[str, str] = field(default_factory=dict)
    speeds: dict[str, str] = field(default_factory=dict)
    energies: list[str] = field(default_factory=list)
    constraints: dict[str, str] = field(default_factory=dict)
    holonomic: dict[str, str] = field(default_factory=dict)
    forces: dict[str, str] = field(default_factory=dict)

    def parameter(self, name: str, low: float = 0.3, high: float = 2.0) -> str:
        """Return the name of a positive parameter with a value of two digits."""
        self.parameters.setdefault(name, round(self.draw.uniform(low, high), 2))
        return name

    def push(self, coordinate: str, force: str) -> None:
        """Add to the force on a coordinate."""
        old = self.forces.get(coordinate)
        self.forces[coordinate] = force if old is None else f"{old} + {force}"

    def chance(self, part: float = 0.5) -> bool:
        """Say yes in some part of all cases."""
        return self.draw.random() < part


# -- parts ----------------------------------------------------------------------------------------------------
def floor(machine: Machine, x: str, y: str) -> tuple[str, str]:
    """Return the velocity at (x, y) of what is stood on: a belt, a shaking plate, a turntable, a turntable in gusts."""
    b, w = machine.parameter("b", 0.1, 0.8), machine.parameter("w", 0.5, 2.0)
    return machine.draw.choice(
        [
            (f"{b}", "0"),
            (f"{b}*sin({w}*t)", f"{b}*cos({w}*t)/2"),
            (f"(-{w}*{y})", f"{w}*{x}"),
            (f"(-{w}*sin(t)*{y})", f"{w}*sin(t)*{x}"),
        ]
    )


def cart(machine: Machine, tag: str = "", *, moving: bool = False) -> tuple[str, str, str]:
    """Add a body on a blade or an axle, its mass ahead of it; return the two velocities relative to the floor."""
    x, y, th = f"x{tag}", f"y{tag}", f"th{tag}"
    machine.coordinates |= {x: "real", y: "real", th: "angle"}
    m, inertia = machine.parameter(f"m{tag}"), machine.parameter(f"J{tag}")
    vx, vy = f"{x}'", f"{y}'"
    if moving:
        fx, fy = floor(machine, x, y)
        vx, vy = f"({vx} - {fx})", f"({vy} - {fy})"
    if machine.chance():
        a = machine.parameter(f"a{tag}", 0.1, 0.6)
        machine.let |= {f"X{tag}": f"{x} + {a}*cos({th})", f"Y{tag}": f"{y} + {a}*sin({th})"}
        machine.energies.append(f"{m}*(X{tag}'^2 + Y{tag}'^2)/2 + {inertia}*{th}'^2/2")
    else:
        machine.energies.append(f"{m}*({x}'^2 + {y}'^2)/2 + {inertia}*{th}'^2/2")
    machine.constraints[f"blade{tag}"] = f"{vy}*cos({th}) - {vx}*sin({th}) = 0"
    return vx, vy, th


def along(vx: str, vy: str, th: str) -> str:
    """Return the velocity along a heading."""
    return f"({vx}*cos({th}) + {vy}*sin({th}))"


def rolling_wheel(machine: Machine, vx: str, vy: str, th: str) -> None:
    """Add a wheel that rolls along the heading of a cart, perhaps slowed by a gear or wound up by a spring."""
    radius, inertia = machine.parameter("R", 0.2, 0.8), machine.parameter("I")
    machine.coordinates["psi"] = "angle"
    machine.energies.append(f"{inertia}*psi'^2/2")
    machine.constraints["rolling"] = f"{along(vx, vy, th)} = {radius}*psi'"
    machine.push("psi", f"-{machine.parameter('c', 0.05, 0.4)}*psi'")


def pair_of_wheels(machine: Machine, vx: str, vy: str, th: str) -> None:
    """Add two wheels on one axle, each with its own angle."""
    radius, inertia, d = machine.parameter("R", 0.2, 0.8), machine.parameter("I"), machine.parameter("d", 0.2, 0.7)
    machine.coordinates |= {"left": "angle", "right": "angle"}
    machine.energies.append(f"{inertia}*(left'^2 + right'^2)/2")
    machine.constraints["left wheel"] = f"{along(vx, vy, th)} - {d}*{th}' = {radius}*left'"
    machine.constraints["right wheel"] = f"{along(vx, vy, th)} + {d}*{th}' = {radius}*right'"
    machine.push("left", f"{machine.parameter('F')}*cos(t)")


def trailer(machine: Machine, vx: str, vy: str, _: str) -> None:
    """Add a trailer hitched to the axle of a cart."""
    length, inertia = machine.parameter("l", 0.6, 1.5), machine.parameter("K")
    machine.coordinates["ph"] = "angle"
    machine.energies.append(f"{inertia}*ph'^2/2")
    machine.constraints["hitch"] = f"{length}*ph' = {vy}*cos(ph) - {vx}*sin(ph)"


def steered_axle(machine: Machine, vx: str, vy: str, th: str) -> None:
    """Add a steered axle ahead, held by a spring."""
    length, inertia = machine.parameter("l", 0.6, 1.5), machine.parameter("S", 0.1, 0.5)
    machine.coordinates["de"] = "angle"
    machine.energies.append(f"{inertia}*(de' + {th}')^2/2 - {machine.parameter('k')}*de^2/2")
    machine.constraints["front"] = f"{vy}*cos({th} + de) - {vx}*sin({th} + de) + {length}*{th}'*cos(de) = 0"
    machine.push("de", f"{machine.parameter('F')}*sin(2*t)")


def rider(machine: Machine, x: str, y: str) -> None:
    """Add a pendulum hung on a body, swinging over the plane in x and upwards."""
    mass, length = machine.parameter("M"), machine.parameter("p", 0.3, 1.0)
    machine.coordinates["al"] = "angle"
    machine.let |= {"Px": f"{x} + {length}*sin(al)", "Py": y, "Pz": f"-{length}*cos(al)"}
    machine.energies.append(f"{mass}*(Px'^2 + Py'^2 + Pz'^2)/2 - {mass}*{machine.parameter('g', 1, 9.81)}*Pz")


def points(machine: Machine, size: int) -> list[tuple[str, str]]:
    """Add point masses in the plane."""
    found = [(f"x{i}", f"y{i}") for i in range(1, size + 1)]
    for i, (x, y) in enumerate(found, 1):
        machine.coordinates |= {x: "real", y: "real"}
        machine.energies.append(f"{machine.parameter(f'm{i}')}*({x}'^2 + {y}'^2)/2")
    return found


def environment(machine: Machine) -> None:
    """Add slopes, springs and friction: a potential that may be an unspecified function, forces that may know time."""
    lengths = [q for q, kind in machine.coordinates.items() if kind == "real"]
    one = machine.draw.choice(lengths)
    match machine.draw.randrange(4):
        case 0:
            machine.energies.append(f"-{machine.parameter('k')}*{one}^2/2")
        case 1:
            machine.functions["V"] = {"of": ["s"], "value": "s^2/2 + cos(s)"}
            machine.energies.append(f"-V({one})")
        case 2:
            machine.energies.append(f"-{machine.parameter('h')}*sin({one})")
        case 3:
            machine.functions["stiffness"] = {"of": ["s"], "value": "1 + sin(s)/2"}
            machine.energies.append(f"-stiffness(t)*{one}^2/2")
    if machine.chance():
        machine.push(machine.draw.choice(lengths), f"-{machine.parameter('f', 0.05, 0.4)}*{one}'")
    if machine.chance():
        machine.push(machine.draw.choice(list(machine.coordinates)), f"{machine.parameter('A')}*cos(2*t)")


# -- kinds ----------------------------------------------------------------------------------------------------
FITTINGS: tuple[Callable[[Machine, str, str, str], None], ...] = (rolling_wheel, pair_of_wheels, trailer, steered_axle)


def vehicle(machine: Machine, *, moving: bool) -> None:
    """A cart with a fitting or two, a rider, perhaps stated in its own speeds."""
    vx, vy, th = cart(machine, moving=moving)
    for fit in machine.draw.sample(FITTINGS, machine.draw.choice((0, 1, 1, 2))):
        fit(machine, vx, vy, th)
    if machine.chance(0.25):
        rider(machine, "x", "y")
    if machine.chance(0.3):
        turning = machine.chance() and "front" not in machine.constraints  # which would give how fast it turns
        machine.speeds |= {"v": along("x'", "y'", th)} | ({"om": f"{th}'"} if turning else {})
        if machine.chance():
            machine.forces["v"] = f"{machine.parameter('D')} - {machine.parameter('f', 0.05, 0.4)}*v"


def _linear(machine: Machine) -> None:
    vehicle(machine, moving=False)


def _affine(machine: Machine) -> None:
    if machine.chance(0.7):
        vehicle(machine, moving=True)
        return
    # a ball that rolls on a turning floor, by its angular velocity's integrals as in a chart of the centre
    machine.coordinates |= {"x": "real", "y": "real", "sx": "real", "sy": "real"}
    m, inertia, radius = machine.parameter("m"), machine.parameter("J"), machine.parameter("R", 0.3, 1.0)
    machine.energies.append(f"{m}*(x'^2 + y'^2)/2 + {inertia}*(sx'^2 + sy'^2)/2")
    fx, fy = floor(machine, "x", "y")
    machine.constraints |= {"along x": f"x' - {radius}*sy' = {fx}", "along y": f"y' + {radius}*sx' = {fy}"}


def _nonlinear(machine: Machine) -> None:
    match machine.draw.randrange(4):
        case 0:  # speeds of two points that are kept in proportion
            (x, y), (u, v) = points(machine, 2)
            ratio = machine.parameter("r")
            machine.constraints["speeds"] = f"{x}'^2 + {y}'^2 = {ratio}^2*({u}'^2 + {v}'^2)"
        case 1:  # parallel, or perpendicular, velocities
            (x, y), (u, v) = points(machine, 2)
            machine.constraints["directions"] = machine.draw.choice(
                [f"{x}'*{v}' = {y}'*{u}'", f"{x}'*{u}' + {y}'*{v}' = 0"]
            )
        case 2:  # Appell and Hamel: what falls is drawn by how far something turns
            machine.coordinates |= {"x": "real", "y": "real", "z": "real"}
            m, a = machine.parameter("m"), machine.parameter("a")
            machine.energies.append(f"{m}*(x'^2 + y'^2 + z'^2)/2 - {m}*{machine.parameter('g', 1, 9.81)}*z")
            machine.constraints["thread"] = f"z'^2 = {a}^2*(x'^2 + y'^2)"
        case 3:  # a slope that grows with the speed
            machine.coordinates |= {"x": "real", "y": "real", "z": "real"}
            m, k = machine.parameter("m"), machine.parameter("k")
            machine.energies.append(f"{m}*(x'^2 + y'^2 + z'^2)/2")
            machine.constraints["drag"] = f"z' = {k}*x'*y' + {machine.parameter('b', 0.1, 0.8)}*sin(t)"


def _holonomic(machine: Machine) -> None:
    match machine.draw.randrange(4):
        case 0:  # two points on a rod, with a blade in its middle or free
            (x, y), (u, v) = points(machine, 2)
            machine.holonomic["rod"] = f"({x} - {u})^2 + ({y} - {v})^2 = {machine.parameter('l', 0.6, 1.5)}^2"
            if machine.chance():
                machine.constraints["blade"] = f"({x}' + {u}')*({y} - {v}) = ({y}' + {v}')*({x} - {u})"
        case 1:  # a cart on a road, which may shake
            machine.coordinates |= {"x": "real", "z": "real", "th": "angle"}
            m, inertia = machine.parameter("m"), machine.parameter("J")
            machine.energies.append(
                f"{m}*(x'^2 + z'^2)/2 + {inertia}*th'^2/2 - {m}*{machine.parameter('g', 1, 9.81)}*z"
            )
            machine.functions["road"] = {"of": ["s"], "value": "sin(s)/3 + s^2/5"}
            shake = f" + {machine.parameter('b', 0.1, 0.5)}*sin(t)" if machine.chance() else ""
            machine.holonomic["road"] = f"z = road(x){shake}"
            if machine.chance():
                machine.constraints["rolling"] = f"{machine.parameter('R', 0.2, 0.8)}*th' = x'*cos(th) + z'*sin(th)"
        case 2:  # two links that carry a slider
            machine.coordinates |= {"al": "angle", "be": "angle", "x": "real"}
            r, length = machine.parameter("r", 0.4, 0.7), machine.parameter("l", 1.2, 1.8)
            machine.let["Px"], machine.let["Py"] = f"{r}*cos(al) + {length}*cos(be)/2", f"{r}*sin(al)/2"
            machine.energies.append(f"{machine.parameter('I')}*al'^2/2 + {machine.parameter('m')}*(Px'^2 + Py'^2)/2")
            machine.energies.append(f"{machine.parameter('M')}*x'^2/2 + {machine.parameter('K')}*be'^2/2")
            machine.holonomic["along"] = f"{r}*cos(al) + {length}*cos(be) = x"
            machine.holonomic["across"] = f"{r}*sin(al) = {length}*sin(be)"
        case 3:  # two drums in gear, a mass on a rope around the second
            machine.coordinates |= {"al": "angle", "be": "angle", "z": "real"}
            n, radius = machine.parameter("n", 1.5, 4.0), machine.parameter("R", 0.2, 0.8)
            machine.energies.append(f"{machine.parameter('I')}*al'^2/2 + {machine.parameter('K')}*be'^2/2")
            machine.energies.append(f"{machine.parameter('m')}*z'^2/2 - {machine.parameter('m')}*9.81*z")
            machine.holonomic["gear"] = f"al = {n}*be + 0.3"
            machine.holonomic["rope"] = f"z = {radius}*be"


def _redundant(machine: Machine) -> None:
    """Any of the others, with one of its constraints said again, alone or together with another."""
    machine.draw.choice((_linear, _affine, _holonomic))(machine)
    table = machine.holonomic or machine.constraints
    lefts = [f"({left}) - ({right})" for left, _, right in (c.partition(" = ") for c in table.values())]
    some = machine.draw.sample(lefts, min(len(lefts), machine.draw.choice((1, 2))))
    table["again"] = " + ".join(f"{machine.draw.randint(2, 4)}*({one})" for one in some) + " = 0"


def drawn(seed: int, kind: str | None = None) -> Machine:
    """Return the machine of a seed; kinds take turns unless one is asked for."""
    chosen = KINDS[seed % len(KINDS)] if kind is None else kind
    machine = Machine(f"machine {seed}", Random(f"{chosen} {seed}"))
    {"linear": _linear, "affine": _affine, "nonlinear": _nonlinear, "holonomic": _holonomic, "redundant": _redundant}[
        chosen
    ](machine)
    environment(machine)
    return machine


def written(machine: Machine) -> str:
    """Return the model file."""
    lines = [f"name = {json.dumps(machine.name)}", f"lagrangian = {json.dumps(' + '.join(machine.energies))}"]
    for table in ("coordinates", "parameters", "functions", "let", "speeds", "constraints", "holonomic", "forces"):
        rows = getattr(machine, table)
        lines += ["", f"[{table}]", *(f"{json.dumps(key)} = {_value(value)}" for key, value in rows.items())] * bool(
            rows
        )
    return "\n".join(lines) + "\n"


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    return json.dumps(value)
