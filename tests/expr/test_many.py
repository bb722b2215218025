"""Many expressions, one verdict: roots whose signs nobody knows must not hide what is at fault."""

from itertools import combinations

import pytest

from dalembert.expr import Expr, sqrt, symbol
from dalembert.expr.graph import number
from dalembert.expr.truth.many import ProofBudget, all_vanish

X, Y = symbol("x"), symbol("y")
P = symbol("p", domain="positive")
ZEROS: dict[str, Expr] = {
    "denested": sqrt(5 + 2 * sqrt(number(6))) - sqrt(number(2)) - sqrt(number(3)),
    "square of a sum of squares": sqrt((1 + X**2) ** 2) - (1 + X**2),
    "product of roots": sqrt(1 + X**2) * sqrt(1 + Y**2) - sqrt((1 + X**2) * (1 + Y**2)),
    "declared positive": sqrt(P**2) - P,
}
OTHERS: dict[str, Expr] = {
    "sign of x": sqrt(X**2) - X,
    "sign of 1 + x": sqrt((1 + X) ** 2) - (1 + X),
    "sign of x + y": sqrt(X**2 + 2 * X * Y + Y**2) - X - Y,
    "no root at all": X * Y,
}


def test_roots_that_cancel_are_zero_together() -> None:
    for pair in combinations(ZEROS.items(), 2):
        assert all_vanish(dict(pair)).holds is True, pair
    assert all_vanish(ZEROS).holds is True


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_zero_for_one_sign_only_is_named(name: str) -> None:
    """Wrong twins: each is zero where its root has the other sign, or nowhere."""
    for kept, zero in ZEROS.items():
        for parts in ({kept: zero, name: OTHERS[name]}, {name: OTHERS[name], kept: zero}):
            verdict = all_vanish(parts)
            assert verdict.kind == "refuted", (kept, name)
            assert verdict.evidence.startswith(f"{name}: ")
            assert verdict.witness is not None


def test_nothing_and_proofs() -> None:
    assert all_vanish({}).kind == "proved"
    assert all_vanish({"one": X - X}).kind == "proved"
    square = {"one": (X + 1) ** 2 - X**2 - 2 * X - 1}
    assert ProofBudget(20.0).all_vanish(square).kind == "proved"
    assert all_vanish(square).kind == "certain"
