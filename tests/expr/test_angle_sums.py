"""Sums of sines and cosines of sums and differences are products on a page: the same, and shorter."""

from fractions import Fraction

import pytest

from dalembert.expr import cos, sin, symbol, total
from dalembert.expr.display import latex
from dalembert.expr.display.angle_sums import paired
from dalembert.expr.truth import vanish
from dalembert.expr.walk import tree_size

a, b, c, m, x = (symbol(name) for name in "abcmx")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("turn", [sin, cos])
@pytest.mark.parametrize("other", [a - b, b - a, a - b + 2 * c])
def test_a_pair_is_the_same_as_its_product(turn, sign, other):
    third = Fraction(1, 3)
    given = total([(third, x * turn(a + b)), (sign * third, x * turn(other)), (1, m * cos(c))])
    found = paired(given)
    assert vanish([found - given])
    assert not vanish([found + given])
    assert tree_size(found) < tree_size(given)


def test_it_is_seen_on_a_page():
    assert latex(m * (sin(a + b) / 2 + sin(a - b) / 2)) == r"m \cos b \sin a"
    assert latex(cos(a - b) / 2 - cos(a + b) / 2 + c) == r"c + \sin a \sin b"
    assert latex(sin(a + b) + sin(a - c)) == r"\sin(a + b) + \sin(a - c)"  # halves would be longer
    assert latex(2 * sin(a + b) + sin(a - b)) == r"2 \sin(a + b) + \sin(a - b)"
