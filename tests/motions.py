"""Equations written by hand, whose motions are known in closed form; for the tests of engines and starts."""

from fractions import Fraction

from dalembert.expr import ONE, Expr, cos, log, number, sin, sqrt, symbol
from dalembert.model.equations import Equations
from dalembert.model.system import System

x, y, z, w = symbol("x"), symbol("y"), symbol("z"), symbol("w")
r, theta, u = symbol("r", domain="positive"), symbol("theta", domain="angle"), symbol("u")
k, mu = symbol("k", role="parameter", domain="positive"), symbol("mu", role="parameter")
t = symbol("t", role="time")


def by_hand(kinematics: dict[Expr, Expr], **parts: object) -> Equations:
    return Equations("made up", "by hand", kinematics, **parts)


OSCILLATOR = by_hand(
    {x: y},
    velocities=(y,),
    mass=((ONE,),),
    force=(-k * x,),
    parameters={k: 4},
    monitors={"energy": y**2 / 2 + k * x**2 / 2},
)
"""x = cos(2 t) from x = 1 at rest."""

IMPLICIT = by_hand({x: z}, implicit={z: z**3 + z - x**3 - x})
"""z = x, so x = exp(t)."""

SINGULAR = by_hand({x: ONE}, velocities=(y,), mass=((x - 1,),), force=(ONE,))
BLOW_UP = by_hand({x: x**2})
NOT_A_NUMBER = by_hand({x: -ONE, y: log(x)})
COLLAPSE = by_hand({x: -1 / x})
FORCED = by_hand({x: cos(t)}, reconstruction={y: x})
"""x = sin(t); its integral y is lifted along."""

PLANE = System.of(
    name="free particle",
    coordinates="x y",
    parameters={"m": 2, "mu": {"value": 1.5, "sign": "any"}},
    lagrangian="m*(x'^2 + y'^2)/2",
    start={"x": 1, "x'": 0.2},
    run={"time": 2},
)
m = PLANE.vocabulary["m"]

POLAR = Equations(
    "free particle",
    "polar",
    {r: u, theta: w},
    (u, w),
    ((ONE, number(0)), (number(0), r**2)),
    (r * w**2, -2 * r * u * w),
    configuration={x: r * cos(theta), y: r * sin(theta)},
    monitors={"energy": m * (u**2 + r**2 * w**2) / 2},
    parameters={m: 2},
)
"""The same particle in polar coordinates: stated coordinates are functions of the state."""

REDUCED = Equations(
    "free particle",
    "reduced",
    {r: u},
    (u,),
    ((m,),),
    (mu**2 / (m * r**3),),
    reconstruction={theta: mu / (m * r**2)},
    configuration={x: r * cos(theta), y: r * sin(theta)},
    parameters={m: 2, mu: Fraction(3, 2)},
)
"""The same again with the angular momentum held at mu, the angle lifted."""

ROOT = by_hand({x: sqrt(1 - x)})
