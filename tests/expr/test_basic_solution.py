"""Basic solutions of systems that may lack rank: numbers of all kinds agree, and derivatives are right."""

import numpy as np
import pytest

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import evaluate, symbol
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import basic, solve
from dalembert.expr.graph import ONE
from dalembert.expr.readers import Floats
from dalembert.expr.readers.floats import Arrays, basic_solution
from dalembert.expr.text import text
from dalembert.expr.truth import Where, is_zero
from dalembert.expr.walk import postorder, substitute, unroll
from dalembert.numerics.compile.observe import Observer
from dalembert.numerics.field import Tape

X, Y = symbol("x"), symbol("y")
DEFICIENT = basic([[X, Y, X + Y], [Y, X, X + Y], [X + Y, X + Y, 2 * (X + Y)]], [X, Y, X + Y], 2)


@pytest.mark.parametrize(("size", "rank"), [(1, 1), (3, 2), (6, 6), (8, 5)])
def test_compiled_and_read_it_is_the_same(size, rank):
    draw = np.random.default_rng(size)
    names = [symbol(f"a{i}") for i in range(size * size + size)]
    nodes = basic([names[i * size : (i + 1) * size] for i in range(size)], names[size * size :], rank)
    compiled, tape = Observer(nodes, {s: ("%y", i) for i, s in enumerate(names)}), Tape(nodes, names)
    for _ in range(5):
        matrix = draw.normal(size=(size, rank)) @ draw.normal(size=(rank, size))
        matrix *= 10.0 ** draw.uniform(-3, 3, (size, 1)) * 10.0 ** draw.uniform(-3, 3, (1, size))
        right = matrix @ draw.normal(size=size)
        values = np.concatenate([matrix.ravel(), right])
        found = basic_solution(matrix, right, rank)
        assert np.count_nonzero(found) <= rank
        np.testing.assert_allclose(matrix @ found, right, rtol=0, atol=1e-8 * np.abs(right).max())
        np.testing.assert_allclose(compiled(np.zeros(1), values[:, None], np.zeros(0))[:, 0], found, rtol=1e-5)
        assert tape(values.tolist()) == found.tolist()
        assert evaluate(nodes, Floats(dict(zip(names, values.tolist(), strict=True)))) == found.tolist()


def test_at_many_points_each_has_its_own_pivots():
    points = {X: np.array([1.0, 3.0]), Y: np.array([2.0, -1.0])}
    many = evaluate(DEFICIENT, Arrays(points))
    for k in range(2):
        alone = evaluate(DEFICIENT, Floats({s: float(v[k]) for s, v in points.items()}))
        assert [float(row[k]) for row in many] == alone


def test_what_is_not_a_number_stays_so():
    assert np.isnan(basic_solution(np.array([[np.nan, 1.0], [1.0, 1.0]]), np.ones(2), 2)).all()
    compiled = Observer(basic([[X, 1], [1, 1]], [1, Y], 2), {X: ("%y", 0), Y: ("%y", 1)})
    for place in (0, 1):
        state = np.ones((2, 1))
        state[place] = np.nan
        assert np.isnan(compiled(np.zeros(1), state, np.zeros(0))).all()


def test_of_full_rank_it_is_the_solution_for_every_reader():
    full, plain = basic([[X, 1], [1, Y]], [1, X], 2), solve([[X, 1], [1, Y]], [1, X])
    assert all(is_zero(a - b).holds for a, b in zip(full, plain, strict=True))
    assert text(full[0]) == text(plain[0])
    assert not any(node.op == "basic" for node in unroll(full))
    with pytest.raises(EvaluationError, match="only where constraints hold"):
        unroll(basic([[X, 1], [1, Y]], [1, Y], 1))
    with pytest.raises(ExpressionError, match="a rank that is no larger"):
        basic([[X]], [Y], 2)


def test_of_lower_rank_it_is_a_solution_for_every_reader():
    matrix, right = [[X, Y, X + Y], [Y, X, X + Y], [X + Y, X + Y, 2 * (X + Y)]], [X, Y, X + Y]
    for found in (DEFICIENT, unroll(DEFICIENT)):
        for row, b in zip(matrix, right, strict=True):
            parts = [a * x for a, x in zip(row, found, strict=True)]
            assert is_zero(sum(parts[1:], parts[0]) - b).holds
        assert is_zero(found[0] + found[1] + 2 * found[2] - 1).holds  # what all solutions agree on
        assert not is_zero(found[0] - found[1]).holds
    assert not any(node.op == "basic" for node in postorder(unroll(DEFICIENT)))


def test_derivatives_keep_the_pivots():
    at, step = {X: 0.7, Y: 0.2}, 1e-6
    (forward,) = tangent([DEFICIENT[0] + 2 * DEFICIENT[1]], {X: ONE})
    backward = gradient(DEFICIENT[0] + 2 * DEFICIENT[1], [X])[0]

    def value(x):
        a, b, _ = evaluate(DEFICIENT, Floats({X: x, Y: 0.2}))
        return a + 2 * b

    slope = (value(0.7 + step) - value(0.7 - step)) / (2 * step)
    assert evaluate([forward, backward], Floats(at)) == pytest.approx([slope, slope], abs=1e-6)
    assert substitute(DEFICIENT, {X: X}) == DEFICIENT


def test_a_factor_that_is_not_zero_says_nothing_about_itself():
    """From r u = 0 with r positive follows u = 0; it was taken for r = 0, which makes all that has a factor r zero."""
    r = symbol("r", role="parameter", domain="positive")
    facts = [Where(r * (X - Y))]
    assert is_zero(r * X * Y, facts).holds is False
    assert is_zero(r * (X - Y) ** 2, facts).holds is True
