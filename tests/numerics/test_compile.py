"""Machine code against exact arithmetic: elementary functions, linear systems, sharing."""

import ctypes
import math
import random
import re
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import EvaluationError
from dalembert.expr import symbol
from dalembert.expr.calculus import define, diff
from dalembert.expr.elementary import acos, asin, atan, basic, cos, exp, jet, log, power, sin, solve, sqrt, tan
from dalembert.expr.graph import ONE, PI, ZERO, number, product, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Function
from dalembert.expr.walk import evaluate
from dalembert.model.equations import Equations
from dalembert.numerics.compile import cutting, elimination, linear, observer, reader
from dalembert.numerics.compile import values as compile_values
from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.machine import Machine, quickly
from dalembert.numerics.compile.observe import Observer, observe_function
from dalembert.numerics.compile.rates import hoist, prepare, rates_function
from dalembert.numerics.compile.reader import sincos
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.late import Part, late_last

X, Y = symbol("x"), symbol("y")
PLAIN = Equations("plain", "", kinematics={X: Y, Y: -X})


def values(expressions, x, y=None):
    x = np.asarray(x, dtype=float)
    y = np.ones_like(x) if y is None else np.asarray(y, dtype=float)
    return observer(PLAIN, expressions)(np.zeros(len(x)), np.array([x, y]), np.zeros(0))


def ulps(found, exact):
    """How many units in the last place a value is off, against a ball of 200 bits."""
    middle = float(exact.mid())
    return float(abs(arb(float(found)) - exact).mid()) / math.ulp(middle) if middle else abs(found) / 5e-324


@pytest.fixture(autouse=True)
def _precise():
    """Balls of 200 bits here, and as before elsewhere."""
    before = ctx.prec
    ctx.prec = 200
    yield
    ctx.prec = before


def angles():
    chance = random.Random(7)
    near = [k * math.pi / 2 + chance.choice([-1, 0, 1]) * math.ulp(k) for k in range(-400, 400)]
    small = [chance.uniform(-10, 10) for _ in range(1500)] + [chance.uniform(-1, 1) * 10.0**-k for k in range(300)]
    large = [chance.uniform(-1, 1) * 10.0**k for k in range(2, 12) for _ in range(100)]
    return [*near, *small, *large, 0.0, -0.0]


def test_sine_and_cosine_are_right_to_their_last_bit_or_two():
    points = angles()
    sines, cosines = values([sin(X), cos(X)], points)
    worst = max(
        max(ulps(s, arb(p).sin()), ulps(c, arb(p).cos())) for p, s, c in zip(points, sines, cosines, strict=True)
    )
    assert worst < 1.5
    assert sines[-2] == 0.0
    assert cosines[-1] == 1.0


def test_an_angle_without_meaning_is_not_a_number():
    found = values([sin(X), cos(X)], [2.0**41, math.inf, math.nan])
    assert np.isnan(found).all()


@pytest.mark.parametrize(
    ("expression", "exact", "low", "high", "allowed"),
    [
        (exp(X), arb.exp, -20, 20, 1),
        (log(X), arb.log, 0.01, 100, 1),
        (sqrt(X), arb.sqrt, 0, 100, 0.51),
        (power(X, Fraction(-3, 2)), lambda x: 1 / (x.sqrt() * x), 0.1, 50, 2.5),
        (power(X, Fraction(2, 3)), lambda x: x ** (arb(2) / 3), 0.1, 50, 2),
        (power(X, 7), lambda x: x**7, -3, 3, 4),
        (power(X, -5), lambda x: x**-5, 0.5, 3, 4),
        (atan(X), arb.atan, -30, 30, 1),
        (asin(X), arb.asin, -1, 1, 1),
        (acos(X), arb.acos, -1, 1, 1),
        (tan(X), arb.tan, -1.5, 1.5, 3),
        (power(X, Y) + 0 * X, lambda x: x ** arb(1), 0.1, 9, 1),
        (X * PI, lambda x: x * arb.pi(), -3, 3, 1.5),
        ((X**2 + 1) / (X - 40), lambda x: (x * x + 1) / (x - 40), -3, 3, 3),
    ],
)
def test_values_of_every_operation(expression, exact, low, high, allowed):
    chance = random.Random(5)
    points = [chance.uniform(low, high) for _ in range(200)]
    found = values([expression], points)[0]
    assert max(ulps(f, exact(arb(p))) for p, f in zip(points, found, strict=True)) <= allowed


def test_what_does_not_exist_is_not_a_number():
    logarithm, root, pole = values([log(X), sqrt(X), 1 / (X + 1)], [-1.0])[:, 0]
    assert math.isnan(logarithm)
    assert math.isnan(root)
    assert math.isinf(pole)


def test_unspecified_functions_must_be_defined_first():
    V, u = Function("V", 1), symbol("u")
    with pytest.raises(EvaluationError, match="'V' has no value"):
        observer(PLAIN, [jet(V, (X,))])
    (slope,) = define([jet(V, (X,), slots=(1,))], {V: ([u], u**3)})
    assert values([slope], [2.0])[0, 0] == 12.0


def test_a_symbol_without_a_value_is_named():
    with pytest.raises(EvaluationError, match="'z' has no value"):
        observer(PLAIN, [X + symbol("z")])


def exact_matrix(rows):
    return [[number(Fraction(entry)) + 0 * X for entry in row] for row in rows]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 11, 17, 26])
@pytest.mark.parametrize("kind", ["positive", "indefinite", "general", "sparse"])
@pytest.mark.thorough("general-26", "indefinite-26", "sparse-26")
@pytest.mark.thorough("positive-26", "general-11", "general-17")
def test_solves(size, kind):
    rng = np.random.default_rng(size)
    matrix = rng.normal(size=(size, size))
    if kind == "positive":
        matrix = matrix @ matrix.T + np.eye(size)
    if kind == "indefinite":
        matrix = matrix + matrix.T
    if kind == "sparse":
        matrix = np.triu(np.tril(matrix, 2), -1) + 3 * np.eye(size)
    if kind != "general":
        matrix = np.round(matrix * 2**40) / 2**40
    right = rng.normal(size=size)
    table = [[number(Fraction(entry)) * X for entry in row] for row in matrix.tolist()]
    found = values(solve(table, [number(Fraction(b)) for b in right.tolist()]), [2.0])[:, 0]
    wanted = np.linalg.solve(2 * matrix, right)
    assert np.abs(found - wanted).max() <= 1e-13 * np.linalg.cond(matrix) * np.abs(wanted).max()


def test_a_dead_pivot_in_the_natural_order_is_no_harm():
    found = values(solve([[X - 2, 1, 0], [1, X, Y], [0, Y, 3]], [1, 2, 3]), [2.0, 2.0 + 1e-13, 5.0])
    for x, column in zip([2.0, 2.0 + 1e-13, 5.0], found.T, strict=True):
        wanted = np.linalg.solve([[x - 2, 1, 0], [1, x, 1], [0, 1, 3]], [1, 2, 3])
        assert np.abs(column - wanted).max() < 1e-14


def test_a_pivot_that_is_zero_for_ever_is_no_harm_either():
    found = values(solve([[0, X], [X, 0]], [1, Y]), [4.0], [3.0])
    assert found[:, 0].tolist() == [0.75, 0.25]


def test_large_systems_are_not_written_out():
    entries = ["%a"] * 900
    assert elimination.products(entries, 30) > linear.MOST_WRITTEN_OUT
    triangular = ["%a" if i >= j else None for i in range(30) for j in range(30)]
    assert elimination.products(triangular, 30) == 0


def test_equal_operations_are_written_once():
    w = Writer("@f", "double", [("double", "%x")])
    assert w.one.mul("%x", "%x") == w.one.mul("%x", "%x")
    assert w.text.count("fmul") == 1


def test_lanes_of_a_vector_agree_with_single_numbers_to_the_bit():
    def function(width):
        w = Writer("@f", "void", [("ptr", "%x"), ("ptr", "%s"), ("ptr", "%c")], width=width, fused=True)
        lanes: Lanes = w.lanes
        sine, cosine = sincos(lanes, lanes.load("%x"))
        lanes.store(sine, "%s")
        lanes.store(lanes.library("exp", cosine), "%c")
        w.give("void", "")
        return Machine([w]).function("f", None, [ctypes.c_void_p] * 3)

    points = np.array([0.3, -7.0, 1e6, 4.0])
    wide, single = np.zeros((2, 4)), np.zeros((2, 4))
    function(4)(points.ctypes.data, wide[0].ctypes.data, wide[1].ctypes.data)
    one = function(1)
    for i in range(4):
        one(*(a + 8 * i for a in (points.ctypes.data, single[0].ctypes.data, single[1].ctypes.data)))
    assert wide.tobytes() == single.tobytes()


def test_a_machine_without_fused_operations_uses_the_library():
    w = Writer("@f", "double", [("double", "%x")], fused=False)
    sine, cosine = sincos(w.one, "%x")
    w.give("double", w.one.fma(sine, cosine, "%x"))
    assert "@sin(" in w.text
    assert "llvm.fma" not in w.text


def test_a_whole_expression_agrees_with_the_reader_of_floats():
    chance = random.Random(3)
    deep = X
    for _ in range(40):
        deep = chance.choice([sin(deep) + X * Y, deep / (2 + cos(deep)), sqrt(1 + deep**2) - Y, deep * Y - X])
    expressions = [deep, diff(deep, X)]
    points = [(chance.uniform(-1, 1), chance.uniform(-1, 1)) for _ in range(20)]
    found = values(expressions, *zip(*points, strict=True))
    for column, (x, y) in zip(found.T, points, strict=True):
        wanted = evaluate(expressions, Floats({X: x, Y: y}))
        assert column == pytest.approx(wanted, rel=1e-11)


def test_depth_is_no_limit():
    deep = X
    for _ in range(3000):
        deep = sqrt(1 + deep)
    assert values([deep], [1.0])[0, 0] == pytest.approx((1 + math.sqrt(5)) / 2, abs=1e-15)


def test_what_was_compiled_is_not_compiled_again():
    assert observer(PLAIN, [X * Y]) is observer(PLAIN, [Y * X])
    assert observer(PLAIN, [X * Y]) is not observer(PLAIN, [X + Y])


def test_rates_of_four_states_side_by_side_agree_with_single_ones_to_the_bit():
    V, W, M = X.dot, Y.dot, symbol("m", role="parameter")
    U = symbol("u")
    equations = Equations(
        "two masses",
        "",
        kinematics={X: V, Y: W},
        velocities=(V, W, symbol("z").dot),
        mass=((1 + M, M * cos(X - Y), X), (M * cos(X - Y), M, ONE), (X, ONE, 3 * ONE)),
        force=(-sin(X) * M * U, -sin(Y) - V * W, exp(-(X**2))),
        implicit={U: U + U**3 / 5 - X},
        parameters={M: 2},
    )
    prepared = prepare(equations)

    def made(width):
        machine = Machine([rates_function(prepared, width)])
        return machine.function("rates", ctypes.c_int32, [ctypes.c_void_p] * 5)

    states = np.array(
        [[0.3, 0.1, -2.0, 1.0, 0.0], [1.0, 4.0, 0.0, 0.2, 0.0], [math.sqrt(3), 0, 1, 1, 1], [-3, 2, 1, 0, 0]]
    )
    given = np.concatenate([[2.0], *(observer_of_still(prepared, 2.0))])
    wide_p, wide_y = np.repeat(given[:, None], 4, axis=1).copy(), states.T.copy()
    wide_t, wide_u, wide = np.zeros(4), np.zeros((1, 4)), np.zeros((5, 4))
    made(4)(*(a.ctypes.data for a in (wide_t, wide_y, wide_p, wide_u, wide)))
    one = made(1)
    for k, state in enumerate(states):
        u, out, row = np.zeros(1), np.zeros(8), np.array([*state, 0.0, 0.0, 0.0])
        one(*(a.ctypes.data for a in (np.zeros(1), row, given, u, out)))
        assert out[:5].tobytes() == wide[:, k].copy().tobytes()
        assert u[0] == wide_u[0, k]


def long_roots():
    """Return expressions with calls, a power, both parts of a sine, a shared denominator and a linear system."""
    parts = [X, Y]
    for k in range(1, 9):
        a, b = parts[-2:]
        parts += [sin(a + k) * b + cos(a + k) / (3 + b**2), exp(-(a**2)) / (3 + b**2) + power(2 + a**2, Y) / 9]
    matrix = [[4 + parts[i] * parts[j] if i == j else parts[i] * parts[j] for j in range(3, 6)] for i in range(3, 6)]
    return [*parts[-3:], X, ONE, *solve(matrix, parts[6:9]), parts[4] + parts[-1]]


STATES = np.array([[0.3, -0.7], [1.1, 0.2], [2.0, 0.9], [-0.4, 0.5]])


def observed(roots, width=1):
    """Return the values of expressions at four states, and the text they are computed by."""
    w = observe_function("@observe", roots, {X: ("%y", 0), Y: ("%y", 1)}, width=width)
    run = Machine([w]).function("observe", ctypes.c_int32, [ctypes.c_void_p] * 5)
    found, columns = np.zeros((4, len(roots))), np.zeros((len(roots), 4))
    if width == 4:
        run(0, STATES.T.copy().ctypes.data, 0, 0, columns.ctypes.data)
        return columns.T.copy(), w.text
    for state, values in zip(STATES, found, strict=True):
        run(0, state.copy().ctypes.data, 0, 0, values.ctypes.data)
    return found, w.text


def test_bits_do_not_depend_on_how_code_is_cut_and_compiled(monkeypatch):
    roots = long_roots()
    whole, _ = observed(roots)
    for values, (x, y) in zip(whole, STATES, strict=True):
        assert values == pytest.approx(evaluate(roots, Floats({X: x, Y: y})), rel=1e-12)
    with quickly():
        assert observed(roots)[0].tobytes() == whole.tobytes()
    for size, least in ((7, 40), (30, 10), (200, 1)):
        monkeypatch.setattr(cutting, "_BLOCK", size)
        for width in (1, 4):
            found, parts = observed(roots, width)
            assert found.tobytes() == whole.tobytes()
            assert parts.count("callbr") >= least
        with quickly():
            assert observed(roots)[0].tobytes() == whole.tobytes()


def test_what_was_come_from_is_the_last_part_of_a_block(monkeypatch):
    """A loop and a choice within it, each of which comes from blocks that are cut."""
    monkeypatch.setattr(cutting, "_BLOCK", 3)
    w = Writer("@f", "double", [("double", "%x")])
    one, total = w.one, w.reserve("double")
    one.store("%x", total)
    for k in range(8):
        one.store(one.add(one.load(total), one.constant(k)), total)
    with w.loop(3):
        value = one.load(total)
        for k in range(8):
            value = one.add(value, one.constant(k))

        def otherwise(value=value):
            for k in range(8):
                value = one.sub(value, one.constant(k))
            return [value]

        (chosen,) = w.unless(one.compare("ogt", value, one.constant(100)), "double", [value], otherwise)
        one.store(chosen, total)
    w.give("double", one.load(total))
    assert w.text.count("callbr") > 6
    assert Machine([w]).function("f", ctypes.c_double, [ctypes.c_double])(5.0) == 5 + 28 + 28 + 28


def test_a_product_is_fused_with_the_one_sum_that_uses_it():
    w = Writer("@f", "double", [("double", "%x"), ("double", "%y")], fused=True)
    one = w.one
    alone, shared, rounded = one.mul("%x", "%x"), one.mul("%x", "%y"), one.exactly("fmul", "%y", "%y")
    parts = [one.sub("%x", alone), one.add(shared, "%x"), one.sub(shared, "%y"), one.add(rounded, "%x")]
    w.give("double", one.sum(parts))
    assert w.text.count("llvm.fma") == 1
    assert w.text.count("fmul") == 2
    x, y = 1 + 2.0**-30, 1 - 2.0**-29
    found = Machine([w]).function("f", ctypes.c_double, [ctypes.c_double] * 2)(x, y)
    assert found == (float(Fraction(x) - Fraction(x) ** 2) + (x * y + x)) + ((x * y - y) + (y * y + x))


def links_in_a_row():
    """Return the last of thirty values, each by a sum and a product of the one before it and of what is known."""
    value = sin(X)
    for k in range(1, 31):
        known = [cos(X + j) * (Y + k) ** 2 / (j + 1) for j in range(1, 7)]
        beside = product([(value, 1), (known[0], 1), (cos(Y * k), 1), (known[3], 1)])
        value = total([*((1, one) for one in known), (-1, beside)])
    return value


def longest_chain(text):
    """Return how many operations of a function have to wait for one another."""
    chain = {}
    for line in text.splitlines():
        name, is_, rest = line.strip().partition(" = ")
        if is_:
            behind = (chain.get(one, 0) for one in re.findall(r"%v[0-9]+(?:\.minus)?", rest))
            chain[name] = max(behind, default=0) + (" fneg " not in f" {rest}")
    return max(chain.values())


def operations(text):
    """Return how many sums and products there are, those that are one operation as well."""
    return sum(text.count(f" {word} ") for word in ("fadd", "fsub", "fmul")) + 2 * text.count(
        "= call double @llvm.fma.f64("
    )


def test_what_is_known_last_is_waited_for_once_a_link(monkeypatch):
    root = links_in_a_row()
    found, text = observed([root])
    assert observed([root], 4)[0].tobytes() == found.tobytes()

    def late_first(parts, plus, less=None):
        whole, *others = sorted(parts, key=lambda part: -part.known)
        for part in others:
            one, two = (part, whole) if whole.minus and not part.minus else (whole, part)
            value = (plus if less is None or one.minus == two.minus else less)(one.value, two.value)
            whole = Part(whole.known + 4, value, one.minus and two.minus)
        return whole

    monkeypatch.setattr(reader, "late_last", late_first)
    others, slow = observed([root])
    assert others == pytest.approx(found, rel=1e-12)
    assert longest_chain(text) < 30 + 60  # an operation for each link, and the sine it begins with
    assert longest_chain(slow) > 30 * 7
    assert operations(text) == operations(slow)


def test_a_power_is_one_value_for_all_products_it_stands_in():
    others = [cos(Y + k) for k in range(5)]
    text = observed([X**7 * one for one in others])[1]
    alone = observed(others)[1]
    assert operations(text) == operations(alone) + 4 + 5


@given(st.data())
@settings(deadline=None)
def test_parts_add_up_whenever_they_are_known(data):
    sizes = data.draw(
        st.lists(st.tuples(st.integers(0, 60), st.integers(-9, 9), st.booleans()), min_size=1, max_size=9)
    )
    names = {str(k): value for k, (_, value, _) in enumerate(sizes)}
    parts = [Part(known, str(k), minus=minus) for k, (known, _, minus) in enumerate(sizes)]

    def noted(sign):
        def made(a, b):
            name = f"({a}{sign}{b})"
            names[name] = names[a] + names[b] if sign == "+" else names[a] - names[b]
            return name

        return made

    whole = late_last(parts, noted("+"), noted("-"))
    exact = sum(-value if minus else value for _, value, minus in sizes)
    assert (-names[whole.value] if whole.minus else names[whole.value]) == exact
    assert whole.known <= max(known for known, _, _ in sizes) + 4 * math.ceil(math.log2(len(sizes)))


def test_sines_of_many_angles_are_those_of_single_ones_to_the_bit(monkeypatch):
    """Sums of symbols are computed side by side, a product is not; the last chunk is not full."""
    angles = [X + k for k in range(9)] + [X - 2 * Y, Y, X * Y]
    roots = [part * Y for angle in angles for part in (sin(angle), cos(angle))]
    inputs = {X: ("%y", 0), Y: ("%y", 1)}
    y, texts, found = np.array([0.3, 41.7]), [], []
    for many in (8, 10**6):
        monkeypatch.setattr(compile_values, "_MANY_SINES", many)
        written, out = observe_function("@observe", roots, inputs), np.zeros(len(roots))
        texts.append(written.text)
        run = Machine([written]).function("observe", ctypes.c_int32, [ctypes.c_void_p] * 5)
        run(0, y.ctypes.data, 0, 0, out.ctypes.data)
        found.append(out)
    assert found[0] == pytest.approx(evaluate(roots, Floats({X: 0.3, Y: 41.7})), rel=1e-13)
    assert found[1].tobytes() == found[0].tobytes()
    assert len(texts[0]) < len(texts[1]) / 2


def observer_of_still(prepared, m):
    """The values of what depends on parameters alone."""
    symbols = {node: m for node, place in prepared.inputs.items() if place == ("%p", 0)}
    return [evaluate(list(prepared.still.values()), Floats(symbols))]


def test_what_stands_still_is_computed_once():
    m, g = (symbol(name, role="parameter") for name in "mg")
    (moved,), still = hoist([sqrt(m * g) * X + (sin(m) / g) * Y + X * Y], [m, g])
    assert set(still.values()) == {sqrt(m * g), sin(m) / g}
    values = {X: 0.3, Y: 0.4, m: 2.0, g: 3.0}
    slots = dict(zip(still, evaluate(list(still.values()), Floats(values)), strict=True))
    wanted = evaluate([sqrt(m * g) * X + sin(m) * Y / g + X * Y], Floats(values))[0]
    assert evaluate([moved], Floats(values | slots))[0] == pytest.approx(wanted, rel=1e-15)


def test_constant_pivots_are_taken_first():
    entries = ["%s", "%c", None, "%c", "%s", "%p", "%c", "%s", "%q"]
    rows, columns = elimination.order_of(entries, 3, {5, 8}, symmetric=False)
    assert (rows[0], columns[0]) == (1, 2)
    assert sorted(rows) == sorted(columns) == [0, 1, 2]
    kept = elimination.order_of([None, "%a", "%a", "%b"], 2, set(), symmetric=True)
    assert kept == ([1, 0], [1, 0])


def test_a_constraint_that_gives_a_velocity_is_taken_with_its_multiplier():
    """[m k 1; k n c; 1 c 0]: the constants beside the zero come first, and what is left is symmetric."""
    entries = ["%m", "%k", "%e", "%k", "%n", "%c", "%e", "%c", None]
    rows, columns = elimination.order_of(entries, 3, {2, 6}, symmetric=True)
    assert {(rows[0], columns[0]), (rows[1], columns[1])} == {(0, 2), (2, 0)}
    assert (rows[2], columns[2]) == (1, 1)
    assert elimination.order_of(entries, 3, set(), symmetric=True) == ([0, 1, 2], [0, 1, 2])


def saddle(mass, rows, right):
    """Return how far accelerations by [M A^T; A 0] in machine code are off; ones in A are constant, all else moves."""
    size, count = len(mass), len(rows)
    whole = [[*row, *(r[i] for r in rows)] for i, row in enumerate(mass)] + [[*row, *[0] * count] for row in rows]

    def moving(i, j):
        entry = whole[i][j]
        return number(entry) if entry in (0, 1) and max(i, j) >= size else number(entry) * X

    matrix = [[moving(i, j) for j in range(size + count)] for i in range(size + count)]
    found = values(basic(matrix, [number(b) * X for b in right], size + count), [1.0])[:, 0]
    exact = fmpq_mat([[fmpq(e.numerator, e.denominator) for e in map(Fraction, row)] for row in whole]).solve(
        fmpq_mat([[fmpq(b)] for b in right])
    )
    wanted = np.array([float(exact[i, 0].p) / float(exact[i, 0].q) for i in range(size + count)])
    return np.abs(found - wanted)[:size].max() / np.abs(wanted[:size]).max()


NEARLY = Fraction(1, 2**14)
SADDLES = {
    "a loop": ([[4, 1, 0], [1, 3, 0], [0, 0, 2]], [[3, -2, 1], [5, 4, 0]]),
    "one equation for two velocities": ([[2, 1], [1, 2]], [[1, 1]]),
    "as many as velocities": ([[2, 1], [1, 2]], [[1, 3], [0, 2]]),
    "a coordinate without inertia": ([[4, 1, 0], [1, 3, 0], [0, 0, 0]], [[3, -2, 7], [5, 4, 0]]),
    "masses of both signs": ([[4, 1, 0], [1, -3, 0], [0, 0, 2]], [[3, -2, 1], [5, 4, 3]]),
    "rows that are nearly the same": ([[7, 1, 0], [1, 3, 0], [0, 0, 11]], [[3, -2, 7], [3, NEARLY / 7 - 2, 7]]),
    "masses that nearly cancel": ([[4, 2, 0], [2, 1 + NEARLY, 0], [0, 0, 2]], [[3, -2, 5]]),
    "a light body": ([[NEARLY**3, 0, 0], [0, 3, 1], [0, 1, 2]], [[3, -2, 5], [2, 7, 3]]),
    "three rows": (
        [[5, 1, 2, 0], [1, 4, 0, 1], [2, 0, 6, 1], [0, 1, 1, 3]],
        [[1, 2, 0, 3], [2, 1, 4, 0], [3, 5, 2, 2]],
    ),
}


@pytest.mark.parametrize("name", SADDLES)
def test_saddle_matrices_are_solved_whatever_their_masses(name):
    mass, rows = SADDLES[name]
    assert saddle(mass, rows, range(1, len(mass) + len(rows) + 1)) < 1e-10


def test_pivots_that_are_trusted_too_much_lose_digits(monkeypatch):
    """The wrong twin: without a look at the pivots the same matrices are solved badly."""
    monkeypatch.setattr(elimination.Elimination, "_distrust", lambda *_: None)
    for name in ("rows that are nearly the same", "a light body"):
        mass, rows = SADDLES[name]
        others = range(2, len(mass) + len(rows) + 2)  # what was compiled before is remembered
        assert saddle(mass, rows, others) > 1e-5, name


@pytest.mark.parametrize("tiny", [1e-100, 1e-20, 1e-17, 1e-10, 1e-3])
def test_a_tiny_pivot_of_its_own_does_not_drown_other_rows(tiny):
    """Loops of four bars in a row, whose couplers are nearly level: from such a pivot nothing was taken before."""
    rows = np.zeros((6, 6))
    for i in range(3):  # the headings of the next crank and of the coupler; that of the crank before
        rows[2 * i : 2 * i + 2, i] = math.sin(1), -math.cos(1)
        rows[2 * i : 2 * i + 2, 3 + i] = -tiny, 1
        if i:
            rows[2 * i : 2 * i + 2, i - 1] = -math.sin(1), math.cos(1)
    right = np.arange(1.0, 7.0)
    filled = [(i, j) for i in range(6) for j in range(6) if rows[i, j]]
    names = {place: symbol("a" + "_".join(map(str, place))) for place in filled}
    square = [[names.get((i, j), ZERO) for j in range(6)] for i in range(6)]
    told = Observer(solve(square, list(map(int, right))), {names[place]: ("%y", k) for k, place in enumerate(filled)})
    found = told(np.zeros(1), np.array([[rows[place]] for place in filled]), np.zeros(0))[:, 0]
    np.testing.assert_allclose(found, np.linalg.solve(rows, right), rtol=1e-9)
