"""Thousands of random statements with symbolic powers, roots and absolute values: rewriting keeps value and verdict."""

from collections import Counter
from random import Random

import pytest
from domains import FAMILIES, a, b, broken, statements, w

from dalembert.errors import DalembertError
from dalembert.expr import substitute, symbol
from dalembert.expr.field import normal, tidy
from dalembert.expr.sympy_border import from_sympy, to_sympy
from dalembert.expr.text import text
from dalembert.expr.truth import is_zero

pytestmark = pytest.mark.long

COUNTS = {"products": 2_500, "sums": 800, "vanishing": 2_500, "turns": 300}
SEED = 2026


@pytest.mark.parametrize("family", FAMILIES)
def test_no_value_changes(family: str) -> None:
    seen: Counter[str] = Counter()
    for number, statement in enumerate(statements(SEED, family, COUNTS[family])):
        for rewrite in (tidy, normal):
            try:
                after = rewrite(statement)
            except DalembertError:  # a root that is nowhere real, or too large
                seen["refused"] += 1
                continue
            seen["changed" if after is not statement else "kept"] += 1
            wrong = broken(statement, after, Random(number))
            assert wrong is None, (rewrite.__name__, text(statement), text(after), wrong)
    assert seen["changed"] > COUNTS[family] / 5, seen
    assert seen["refused"] < COUNTS[family] / 10, seen


def test_no_verdict_turns_around() -> None:
    seen: Counter[bool | None] = Counter()
    for statement in statements(SEED + 1, "vanishing", 1_500):
        before = is_zero(statement, seed=1).holds
        seen[before] += 1
        for rewrite in (tidy, normal):
            try:
                after = is_zero(rewrite(statement), seed=1).holds
            except DalembertError:
                continue
            assert {before, after} != {True, False}, (rewrite.__name__, text(statement))
    assert min(seen[True], seen[False]) > 50, seen


@pytest.mark.parametrize("family", FAMILIES)
def test_nothing_changes_across_the_border_to_sympy(family: str) -> None:
    """Points may be lost: SymPy writes |x| sqrt(y) for sqrt(x^2 y), which among complex numbers is right at x = 0."""
    lost = 0
    for number, statement in enumerate(statements(SEED + 2, family, 300)):
        try:
            back = from_sympy(to_sympy(statement))
        except DalembertError:  # a root of something negative, for which SymPy has a name
            continue
        (back,) = substitute([back], {symbol(leaf.data.name): leaf for leaf in (a, b, w)})  # domains it does not keep
        wrong = broken(statement, back, Random(number))
        assert wrong is None or wrong[0] == "no longer defined", (text(statement), text(back), wrong)
        lost += wrong is not None
    assert lost < 30
