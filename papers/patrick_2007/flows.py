"""Flows that nobody chose: machines with drawn numbers, moved by d'Alembert's principle as plain linear algebra.

Nothing of the formalisms is used. A motion is followed together with neighbours at the places of a difference quotient,
so that what a flow does to a tangent vector is measured along with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

import numpy as np
from scipy.integrate import solve_ivp

from dalembert.expr import ONE, ZERO, Expr, cos, gradient, hessian, jacobian, sin, sqrt, substitute, symbol, tangent
from dalembert.numerics.field import Tape

STENCIL = np.array([-2.0, -1.0, 1.0, 2.0])
WEIGHTS = np.array([1.0, -8.0, 8.0, -1.0]) / 12
STEP = 2e-3


@dataclass(frozen=True)
class Machine:
    """A Lagrangian, velocities by speeds u, and directions of virtual displacements (else those of the speeds)."""

    lagrangian: Expr
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    virtual: tuple[tuple[Expr, ...], ...] = ()
    start: tuple[float, ...] = ()

    def tape(self) -> Tape:
        """Return what the equations are made of, at (q, u)."""
        v = [x.dot for x in self.q]
        momenta = gradient(self.lagrangian, v)
        drift = tangent(momenta, dict(zip(self.q, v, strict=True)))
        force = [a - b for a, b in zip(gradient(self.lagrangian, list(self.q)), drift, strict=True)]
        mass = [e for row in hessian(self.lagrangian, v) for e in row]
        on = dict(zip(v, self.velocities, strict=True))
        slopes = jacobian(list(self.velocities), list(self.u))
        bend = tangent(list(self.velocities), dict(zip(self.q, self.velocities, strict=True)))
        ways = self.virtual or tuple(zip(*slopes, strict=True))
        parts = [
            *substitute([*mass, *force, *momenta, self.lagrangian], on),
            *self.velocities,
            *(e for row in slopes for e in row),
            *bend,
            *substitute([e for way in ways for e in way], on),
        ]
        return Tape(parts, [*self.q, *self.u])


@dataclass(frozen=True)
class Measured:
    """One flow from 0 to t: values of 1-forms on a tangent vector w, by difference quotients."""

    action: float  # dS_t(w)
    carried: float  # theta(TF_t w)
    stated: float  # theta(w)
    work: float  # alpha_t(w)
    forms: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # dq, dp of w, and of TF_t w


def measure(machine: Machine, direction: Sequence[float], time: float) -> Measured:
    """Follow a motion and its neighbours along a direction in the coordinates (q, u)."""
    n, m, tape = len(machine.q), len(machine.u), machine.tape()
    cuts = np.cumsum([n * n, n, n, 1, n, n * m, n])

    def at(place):
        mass, force, momenta, value, v, slopes, bend, ways = np.split(np.array(tape(place)), cuts)
        mass, slopes, ways = mass.reshape(n, n), slopes.reshape(n, m), ways.reshape(m, n)
        pushed = np.linalg.solve(ways @ mass @ slopes, ways @ (force - mass @ bend))
        return v, pushed, momenta, value[0], force - mass @ (slopes @ pushed + bend)

    def rates(_, state):
        copies = state[: 5 * (n + m)].reshape(5, n + m)
        found = [at(copy) for copy in copies]
        shift = WEIGHTS @ copies[:4, :n] / STEP
        worth = [one[3] for one in found[:4]]
        moved = [np.concatenate(one[:2]) for one in found]
        return np.concatenate([*moved, worth, [found[4][4] @ shift]])

    places = np.array(machine.start) + STEP * np.outer([*STENCIL, 0.0], direction)
    first = np.concatenate([places.ravel(), np.zeros(5)])
    last = solve_ivp(rates, (0, time), first, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]

    def pair(state):
        copies = state[: 5 * (n + m)].reshape(5, n + m)
        momenta = np.array([at(copy)[2] for copy in copies])
        return momenta[4], WEIGHTS @ copies[:4, :n] / STEP, WEIGHTS @ momenta[:4] / STEP

    (p0, dq0, dp0), (p1, dq1, dp1) = pair(first), pair(last)
    action = WEIGHTS @ last[-5:-1] / STEP
    return Measured(action, p1 @ dq1, p0 @ dq0, last[-1], (dq0, dp0, dq1, dp1))


def _numbers(seed: int):
    """Return what draws the numbers of a machine, in thousandths."""
    draw = Random(seed)
    return lambda low=400, high=1600: Fraction(draw.randint(low, high), 1000)


def arm(seed: int) -> Machine:
    """Return two bars on a sprung hinge, in weight."""
    number = _numbers(seed)
    a, b = symbol("a"), symbol("b")
    turn = number() * a.dot**2 + number() * b.dot**2 + number(100, 400) * a.dot * b.dot * cos(a - b)
    rest = number() * cos(a) + number() * cos(b) - number() * (a - b - number()) ** 2
    return Machine(
        turn + rest, (a, b), (a.dot, b.dot), (a.dot, b.dot), (), tuple(float(number(-999, 999)) for _ in range(4))
    )


def trailer(seed: int) -> Machine:
    """Return a tractor whose centre of mass is off its axle, with a trailer on a sprung hitch, on a slope."""
    number = _numbers(seed)
    x, y, a, b, u, w = (symbol(name) for name in "xyabuw")
    off, bar = number(), number()
    flat = number() * (x.dot**2 + y.dot**2) + number() * a.dot**2 + number() * b.dot**2
    bent = off * a.dot * (y.dot * cos(a) - x.dot * sin(a)) + number(100, 300) * a.dot * b.dot * cos(a - b)
    rest = number() * y + number() * x - number() * (a - b - number()) ** 2
    velocities = (u * cos(a), u * sin(a), w, u * sin(a - b) / bar)
    start = tuple(float(number(-999, 999)) for _ in range(6))
    return Machine(flat + bent - rest, (x, y, a, b), (u, w), velocities, (), start)


def hoist(seed: int) -> Machine:
    """Return a load whose rope is wound as fast as it goes, with virtual displacements by a rule of its own."""
    number = _numbers(seed)
    x, y, z, u, w = (symbol(name) for name in "xyzuw")
    kinetic = number() * x.dot**2 + number() * y.dot**2 + (number() + x**2 / 5) * z.dot**2
    pull = kinetic + number(100, 300) * x.dot * y.dot + number() * y * x.dot - number() * z - number() * x * y
    rope = number() * sqrt(u**2 + w**2 + number()) + number(100, 300) * x * u
    rule = ((number() * ONE, ZERO, number(100, 300) * y), (ZERO, number() * ONE, number(100, 300) + x * y.dot / 9))
    start = tuple(float(number(-999, 999)) for _ in range(5))
    return Machine(pull, (x, y, z), (u, w), (u, w, rope), rule, start)


def direction(machine: Machine, seed: int) -> list[float]:
    """Return a drawn tangent vector of the phase space."""
    draw = Random(f"way {seed}")
    return [draw.uniform(-1, 1) for _ in machine.start]


__all__ = ["Machine", "Measured", "arm", "direction", "hoist", "measure", "trailer"]
