"""Systems with few entries, of which the first unknowns are given: every reader finds the same, and code is short."""

from ctypes import CDLL, c_double, c_void_p

import numpy as np
import pytest

from dalembert import code, simulate, simulate_ensemble
from dalembert.errors import ExpressionError
from dalembert.expr import evaluate, symbol
from dalembert.expr.assembled import assembled, defects, entries_of
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, number
from dalembert.expr.readers import Floats
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.truth import vanish
from dalembert.expr.walk import count, postorder, substitute, unroll
from dalembert.model.equations import Equations
from dalembert.numerics.compile.observe import Observer
from dalembert.numerics.engines.taylor import unroll_at
from dalembert.numerics.field import Tape
from dalembert.testing.values import compiled

X, Y = symbol("x"), symbol("y")
SMALL = assembled([(0, 3, X), (1, 0, Y), (1, 2, ONE), (2, 1, X), (2, 2, Y), (3, 0, X), (3, 2, ONE)], [ONE, X, Y, X], 2)


def random_system(size, first):
    """Return entries by names, their places, a right-hand side, and the names."""
    draw = np.random.default_rng(size)
    places = [(i, j) for i in range(size) for j in range(size) if (j < i or j >= first) and draw.uniform() < 0.6]
    places += [(i, i) for i in range(first, size) if (i, i) not in places]
    names = [symbol(f"a{k}") for k in range(len(places) + size)]
    return places, names, assembled([(*p, a) for p, a in zip(places, names, strict=False)], names[len(places) :], first)


@pytest.mark.parametrize(("size", "first"), [(1, 0), (3, 2), (7, 4), (12, 7)])
def test_compiled_and_read_it_is_what_the_whole_matrix_gives(size, first):
    places, names, nodes = random_system(size, first)
    draw = np.random.default_rng(1)
    machine, tape = Observer(nodes, {s: ("%y", i) for i, s in enumerate(names)}), Tape(nodes, names)
    points = draw.normal(size=(len(names), 5))
    many = evaluate(nodes, Arrays(dict(zip(names, points, strict=True))))
    for k, values in enumerate(points.T):
        whole = np.zeros((size, size))
        for (i, j), value in zip(places, values, strict=False):
            whole[i, j] = value
        whole[:first] = np.eye(size)[:first] - whole[:first]
        wanted = np.linalg.solve(whole, values[len(places) :])
        written = evaluate(unroll(nodes), Floats(dict(zip(names, values.tolist(), strict=True))))
        for found in (
            tape(values.tolist()),
            [row[k] for row in many],
            machine(np.zeros(1), values[:, None], np.zeros(0))[:, 0],
            written,
        ):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * np.abs(wanted).max())


def test_its_defects_vanish_for_its_values_and_for_no_others():
    last = unroll(SMALL[2:])
    assert vanish(defects(SMALL[2:], last))
    assert not vanish(defects(SMALL[2:], [last[0], last[1] + X / 10**9]))
    wrong = substitute(SMALL, {X: X * (1 + Y / 10**9)})  # an entry is another one
    assert not vanish(defects(wrong[2:], last))


def test_its_derivatives_are_those_of_what_is_written_out():
    at = Floats({X: 0.7, Y: 1.3})
    for one, written in zip(SMALL, unroll(SMALL), strict=True):
        wanted = evaluate(tangent([written], {X: ONE}), at)[0]
        assert evaluate([*tangent([one], {X: ONE}), *gradient(one, [X])], at) == pytest.approx([wanted, wanted])
    assert tangent(SMALL, {symbol("z"): ONE}) == [ZERO] * 4
    plain, orders = unroll_at(SMALL, {X: 0.7, Y: 1.3})
    assert len(orders) == 1
    assert evaluate(plain, at) == pytest.approx(evaluate(SMALL, at))


def test_what_is_not_given_by_those_before_is_refused_and_zeros_are_left_out():
    with pytest.raises(ExpressionError, match="those before them"):
        assembled([(0, 1, X), (1, 0, X)], [ONE, ONE], 2)
    (one,) = assembled([(0, 0, X)], [ONE], 0)
    assert [*entries_of(one.args[0])] == [(0, 0, X)]
    assert [*entries_of(substitute(SMALL, {Y: ZERO})[0].args[0])] == [
        (0, 3, X), (1, 2, ONE), (2, 1, X), (3, 0, X), (3, 2, ONE),
    ]  # fmt: skip


def test_generated_code_solves_it():
    names = [symbol(f"x{k}") for k in range(4)]
    rates = dict(zip(names, substitute(SMALL, {X: names[0], Y: names[1]}), strict=True))
    equations = Equations("few", "by hand", rates)
    text = code(equations, "c")
    library: CDLL = compiled(text, "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-unused-variable")
    y, out = np.array([0.7, 1.3, 0.0, 0.0]), np.zeros(4)
    library.few_field(c_double(0), *(c_void_p(a.ctypes.data) for a in (y, y, out)))
    wanted = evaluate(SMALL, Floats({X: 0.7, Y: 1.3}))
    assert out.tolist() == pytest.approx(wanted)
    module: dict[str, object] = {}
    pytest.importorskip("casadi")
    exec(code(equations, "casadi"), module)  # noqa: S102 (it is the code under test)
    assert np.array(module["field"](0.0, y, [])).ravel().tolist() == pytest.approx(wanted)
    assert "assembled(4, 2, [" in code(equations, "julia")


def test_a_chain_of_given_unknowns_takes_as_much_code_for_each():
    sizes = []
    for n in (10, 20, 40):
        chain = [(i, i - 1, X + number(i)) for i in range(1, n)] + [(n, n - 1, Y), (n, n, X)]
        found = assembled(chain, [ONE] * (n + 1), n)
        sizes.append(len(code(Equations("chain", "by hand", {X: found[n], Y: X}), "julia")))
        assert count(list(found[n].args[0].args)).total == n - 1
        assert len(postorder(found)) < 5 * n
    assert sizes[2] - sizes[1] < 2.2 * (sizes[1] - sizes[0])


def test_side_by_side_each_motion_has_its_own_pivots():
    x, y = symbol("x"), symbol("y")
    found = assembled([(0, 2, ONE), (1, 1, y), (1, 2, x), (2, 0, ONE), (2, 1, x)], [y, ONE, -x], 1)
    equations = Equations("few", "by hand", {x: found[1], y: found[2]})
    starts = [(0.3, -0.2), (0.0, 1.0), (1.0, 0.0), (0.7, 0.4), (-0.5, 0.9)]  # at the third another row is needed
    many = simulate_ensemble(equations, {"x": [a for a, _ in starts], "y": [b for _, b in starts]}, 0.2)
    for k, (a, b) in enumerate(starts):
        assert many.y[:, k] == pytest.approx(simulate(equations, {"x": a, "y": b}, 0.2).y[:, -1], rel=1e-7)
