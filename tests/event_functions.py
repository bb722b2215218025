"""Event functions whose zeros are known: products of factors in a quantity that is known in closed form."""

import random
from dataclasses import dataclass
from fractions import Fraction
from math import acos, pi

from dalembert.expr import Expr, atan, cos, exp, sin, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.equations import Equations

X, T = symbol("x"), symbol(TIME)
FREE = Equations("free", "", kinematics={X: X.dot, X.dot: 0 * X})
OSCILLATOR = Equations("oscillator", "", kinematics={X: X.dot, X.dot: -X})
END = 10.0
KINDS = {
    "time": (FREE, (0.0, 1.0), T),
    "free": (FREE, (-1.0, 0.25), X),
    "oscillator": (OSCILLATOR, (1.0, 0.0), X),
}
"""By name: equations, a start, and the quantity whose levels are asked for."""


@dataclass(frozen=True)
class Known:
    """An event function: the motion it belongs to, the times of its simple zeros and of its double ones."""

    motion: str
    expression: Expr
    simple: tuple[float, ...]
    double: tuple[float, ...]

    @property
    def times(self):
        """All of them, in order."""
        return sorted([*self.simple, *self.double])


def _times(motion, level):
    """Return when a quantity has a value, within the motion."""
    if motion == "time":
        return [float(level)]
    if motion == "free":
        return [float((level + 1) * 4)]
    angle = acos(level)
    return [t for k in range(3) for t in (2 * pi * k - angle, 2 * pi * k + angle) if 0 < t < END]


def _levels(draw, motion, count):
    """Return values of the quantity, apart from each other and from where it turns, with times inside the motion."""
    low, high = {"time": (0.1, 9.9), "free": (-0.95, 1.45), "oscillator": (-0.95, 0.95)}[motion]
    found = []
    while len(found) < count:
        level = Fraction(round(draw.uniform(low, high) * 10**6), 10**6)
        inside = all(0.01 < t < END - 0.01 for t in _times(motion, level))
        if inside and all(abs(level - other) > 0.02 for other in found):
            found.append(level)
    return found


def known(seed):
    """Return an event function with known zeros: simple ones, pairs down to 1e-9 apart, double ones."""
    draw = random.Random(seed)
    motion = draw.choice(list(KINDS))
    quantity = KINDS[motion][2]
    expression = Fraction(round(10 ** draw.uniform(0, 6)), 1000) * quantity**0
    simple, double = [], []
    for level in _levels(draw, motion, draw.randint(1, 4)):
        match draw.choice(["simple", "pair", "pair", "double"]):
            case "simple":
                expression *= quantity - level
                simple += _times(motion, level)
            case "double":
                expression *= (quantity - level) ** 2
                double += _times(motion, level)
            case _:
                scale = 0.25 if motion == "free" else 1
                beside = level + Fraction(round(scale * 10 ** draw.uniform(3, 10)), 10**12)
                expression *= (quantity - level) * (quantity - beside)
                simple += [*_times(motion, level), *_times(motion, beside)]
    expression *= draw.choice(
        [X**0, exp(-X / 3), 2 + sin(3 * X), 1 / (1 + X**2), (X + 3) ** Fraction(1, 2), cos(T) + 2]
    )
    if draw.random() < 0.2:
        expression = atan(expression)
    return Known(motion, expression, tuple(sorted(simple)), tuple(sorted(double)))


def near(found, wanted):
    """Say whether times are the wanted ones, one for one; near together in time they are told apart."""
    return len(found) == len(wanted) and all(abs(a - b) < 3e-10 for a, b in zip(found, wanted, strict=True))
