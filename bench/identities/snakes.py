"""Wheeled snakes: n links, n + 2 coordinates, a wheel that does not slip sideways under every link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from bench.identities.record import WELL_KNOWN_PRIMES, Pair
from bench.mechanics import System, add, angles, parameters, reals
from dalembert.expr import Expr, cos, gradient, sin

THEME = "snakes"


def snake(links: int, relative: bool = False) -> System:
    """Return the snake with a mass, an inertia and a half length for every link.

    Coordinates: the centre of the first link, then the angle of every link, ``relative`` to the one before or against
    the axis. The wheels give the velocity of the centre and all but the first two angular velocities.
    """
    x, y = reals("x y")
    q = angles(" ".join(f"q{i}" for i in range(1, links + 1)))
    turns = [add(q[: i + 1]) for i in range(links)] if relative else q
    halves = parameters(" ".join(f"l{i}" for i in range(1, links + 1)))
    masses = parameters(" ".join(f"m{i}" for i in range(1, links + 1)))
    inertias = parameters(" ".join(f"J{i}" for i in range(1, links + 1)))
    coordinates = [x, y, *q]
    kinetic, rows = [], []
    for i, turn in enumerate(turns):
        if i:
            x = x + halves[i - 1] * cos(turns[i - 1]) + halves[i] * cos(turn)
            y = y + halves[i - 1] * sin(turns[i - 1]) + halves[i] * sin(turn)
        kinetic.append(masses[i] * (x.dot**2 + y.dot**2) / 2)
        kinetic.append(inertias[i] * turn.dot**2 / 2)
        rows.append(gradient(cos(turn) * y.dot - sin(turn) * x.dot, [c.dot for c in coordinates]))
    return System(add(kinetic), coordinates, rows, dependent=(0, 1, *range(4, links + 2)))


def last_spin(system: System) -> Expr:
    """Return twice the energy of the last link turning at the rate of its own coordinate."""
    links = len(system.coordinates) - 2
    return parameters(f"J{links}")[0] * system.velocities[-1] ** 2


def _sign(system: System) -> Expr:
    return -last_spin(system)


def _factor(system: System) -> Expr:
    return last_spin(system) * Fraction(1, 10**6)


def _primes(system: System) -> Expr:
    return WELL_KNOWN_PRIMES * last_spin(system)


def _first_mass(system: System) -> Expr:
    """The first link heavier than it is, by a part in seven."""
    x, y = system.velocities[:2]
    return parameters("m1")[0] * (x**2 + y**2) * Fraction(1, 14)


def _pair(links: int, relative: bool, twist: str, flaw: Callable[[System], Expr]) -> Pair:
    def make(wrong: bool) -> Expr:
        system = snake(links, relative)
        return system.rate(system.energy + flaw(system) if wrong else system.energy)

    kind = "joint angles" if relative else "absolute angles"
    return Pair(f"snake of {links} links, {kind}", THEME, twist, make)


_PLAN: Sequence[tuple[int, bool, str, Callable[[System], Expr]]] = (
    (3, False, "sign of one inertia", _sign),
    (6, False, "one factor deep inside", _factor),
    (10, False, "a multiple of seven well-known primes", _primes),
    (15, False, "sign of one inertia", _sign),
    (3, True, "one mass a seventh heavier", _first_mass),
    (6, True, "one mass a seventh heavier", _first_mass),
    (10, True, "one factor deep inside", _factor),
    (15, True, "a multiple of seven well-known primes", _primes),
)
PAIRS = tuple(_pair(*row) for row in _PLAN)
