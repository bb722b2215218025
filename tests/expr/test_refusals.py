"""A reading that was refused is refused again at the price that it would have, whatever may be spent this time."""

from __future__ import annotations

import itertools

from dalembert.errors import DalembertError
from dalembert.expr import cos, sin, symbol
from dalembert.expr.field import meter as meters
from dalembert.expr.field.meter import Meter, refused_once
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import Expr

X, Y, Z, U = (symbol(name, domain="angle") for name in "xyzu")
SUMS = [
    1 / (cos(X) + sin(Y) ** 2 + Z) + U / (1 + cos(X) * sin(Y)) + 1 / (Z + cos(U) + sin(X + Y)),
    ((X + Y + Z + U + 1) ** 6 - Y) / ((X - Y + 2 * Z) ** 4 + U) + 1 / ((X + Y + Z + U + 1) ** 5 + X * Z),
    1 / (X + Y + Z + U + 1) ** 4 + 1 / (X - Y + 2 * Z * U + 3) ** 4 + 1 / (X * Y + Z - U + 2) ** 4,
    (1 + X * Y) / (X**2 - Y**2) + 1 / (X - Y) + (Z - X) / (Z**2 * U - X**2 * U),
]
LIMITS = [20, 100, 300, 1_000, 2_000, 3_000, 5_000, 8_000, 12_000, 20_000, 40_000, 100_000, 400_000]


def attempt(root: Expr, limit: float, most_terms: int, *, remember: bool) -> tuple[str, float]:
    """Return how a reading ends, and what it takes."""
    meter = Meter(limit)
    if not remember:
        meters._refusals.clear()
    try:
        with refused_once((root, most_terms), meter):
            Field([root], most_terms, careful=True, meter=meter).read(root)
    except DalembertError as fault:
        return type(fault).__name__, meter.spent
    return "read", meter.spent


def differences() -> int:
    """Count the pairs of limits where the second answer depends on the first having been asked."""
    found = 0
    for root, most_terms in itertools.product(SUMS, (30, 150, 400)):
        _, whole = attempt(root, 1e6, most_terms, remember=False)  # about there little is left for a common divisor
        limits = [whole * part for part in (0.3, 0.9, 0.99, 0.999, 1, 1.001, 1.01, 1.03, 1.1, 1.2, 1.5, 2, 5)]
        alone = [attempt(root, limit, most_terms, remember=False) for limit in limits]
        for first, (limit, answer) in itertools.product(limits, zip(limits, alone, strict=True)):
            meters._refusals.clear()
            attempt(root, first, most_terms, remember=True)
            found += attempt(root, limit, most_terms, remember=True) != answer
    return found


def test_what_was_asked_before_changes_no_answer_and_no_price():
    assert differences() == 0


def test_some_are_refused_without_being_read(monkeypatch):
    meters._refusals.clear()
    asked = [attempt(SUMS[1], limit, 30, remember=True) for limit in LIMITS]
    read: list[Expr] = []
    plain = Field.read
    monkeypatch.setattr(Field, "read", lambda self, node: (read.append(node), plain(self, node))[1])
    again = [attempt(SUMS[1], limit, 30, remember=True) for limit in LIMITS[-2:]]
    assert again == asked[-2:]
    assert again[0][0] == "TooLarge"
    assert not read


def test_the_twin_that_forgets_what_was_left_is_seen(monkeypatch):
    def forgetful(self: Meter, units: float, times: float = 1.0) -> bool:
        return units <= times * self.left

    monkeypatch.setattr(Meter, "allows", forgetful)
    assert differences() > 0
