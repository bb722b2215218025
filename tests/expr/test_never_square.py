"""That something is shown to be no square: never said of a square, and said of most others."""

import random

from dalembert.expr import cos, sin, sqrt, symbol
from dalembert.expr.graph import ONE, Expr
from dalembert.expr.truth import never_square

_ANGLES = [symbol(name, domain="angle") for name in ("a", "b", "c")]
_NUMBERS = [symbol("x"), symbol("m", role="parameter", domain="positive")]


def _drawn(draw: random.Random) -> Expr:
    """Return a rational expression in sines, cosines, their half and double angles, and numbers."""
    angles = [draw.choice(_ANGLES) * draw.choice([1, 2]) / draw.choice([1, 2]) + draw.choice(_ANGLES) for _ in range(3)]
    parts = [f(angle) for f in (sin, cos) for angle in angles] + _NUMBERS
    terms = [draw.choice([-2, -1, 1, 3]) * draw.choice(parts) * draw.choice(parts) for _ in range(3)]
    return sum(terms, ONE) / (2 + draw.choice(_NUMBERS) ** 2)


def test_squares_are_never_said_to_be_none():
    draw = random.Random(4)
    for _ in range(60):
        assert not never_square(_drawn(draw) ** 2, points=8)


def test_a_square_in_disguise_is_none_of_those_that_are_no_square():
    a, b, _ = _ANGLES
    hidden = 1 - (cos(a) * cos(b) + sin(a) * sin(b)) ** 2  # sin(a - b)^2
    assert not never_square(hidden)
    assert never_square(hidden + cos(a) ** 2)


def test_what_is_no_square_is_seen():
    draw = random.Random(5)
    assert sum(never_square(_drawn(draw), points=8) for _ in range(60)) >= 55


def test_nothing_is_said_of_roots():
    x = _NUMBERS[0]
    assert not never_square(sqrt(x) + 1)
