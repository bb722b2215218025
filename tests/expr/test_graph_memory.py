"""Depth, other processes, threads and memory: what the graph must bear."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from fractions import Fraction

import pytest

from dalembert.expr import (
    ONE,
    ZERO,
    Expr,
    count,
    diff,
    evaluate,
    exp,
    gradient,
    graph,
    jet,
    sin,
    solve,
    substitute,
    symbols,
    time_derivative,
    tree_size,
)
from dalembert.expr.readers import Floats
from dalembert.expr.walk import pack, postorder, unpack
from dalembert.testing.random_expressions import F, M, T, X, Y


# -- depth ---------------------------------------------------------------------------------------------------
def deep(levels: int) -> Expr:
    e = X
    for _ in range(levels):
        e = 1 + Y * e
    return e


def test_depth_far_beyond_the_stack_is_no_limit():
    levels = 8_000  # a sum and a product each; Python's stack has a thousand
    e = deep(levels)
    half = {X: Fraction(1, 2), Y: Fraction(1, 2)}
    assert evaluate([e], Floats(half)) == [pytest.approx(2.0)]
    assert diff(e, X) is not ZERO
    slope_x, slope_y = evaluate(gradient(e, [X, Y]), Floats(half))
    assert slope_x == 0.5**levels
    assert slope_y == pytest.approx(4.0)  # the derivative of 1/(1 - y)
    assert substitute([e], {Y: ZERO}) == [ONE]
    assert count([e]).total == 2 * levels
    assert tree_size(e) == 1 + 3 * levels
    assert symbols([e]) == {X.data, Y.data}
    assert pickle.loads(pickle.dumps(e)) is e  # noqa: S301
    assert copy.deepcopy(e) is e


def test_deep_things_are_let_go_without_a_crash():
    program = (
        "from dalembert.expr import symbol, sin\n"
        "x = symbol('x')\n"
        "e = x\n"
        "for k in range(20_000):\n"
        "    e = sin(e) + x\n"
        "del e\n"
        "for k in range(60_000):\n"
        "    e = (x + k) * x\n"
        "print('done')\n"
    )
    assert run(program) == "done"


# -- other processes and threads -----------------------------------------------------------------------------
def run(program: str, hash_seed: str = "0", stdin: bytes = b"") -> str:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, input=stdin, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().strip()


ORDERED = """
from dalembert.expr import *
x, y, f = symbol("x"), symbol("y", domain="angle"), Function("f", 2)
m = symbol("m", role="parameter", domain="positive")
parts = [x, y, m, 1/x, 1/x**2, -y, 3*(x - y), sqrt(m), sqrt(number(2)), exp(x), log(m), jet(f, (x, y), (1,)), sin(x),
         cos(y), PI, symbol(TIME), x**m, *solve([[x, y], [m, x]], [y, m]), x.dot]
print([part.stamp for part in parts])
print([[p.stamp for p in whole.args] for whole in (total([(1, p) for p in parts]), product([(p, 1) for p in parts]))])
"""


def test_the_order_of_terms_is_the_same_in_every_process():
    first = run(ORDERED, "1")
    assert first.count("\n") == 1
    assert run(ORDERED, "2") == first
    assert run(ORDERED, "random") == first


def test_an_order_by_pythons_hash_of_names_would_be_seen():
    program = "print(sorted('abcdefghij', key=hash))"
    assert run(program, "1") != run(program, "2")


def test_pickles_arrive_whole_in_another_process():
    e = sin(X) * T**2 + X.dot * jet(F, (X, Y), (1,)) + solve([[X, Y], [Y, M]], [ONE, X])[1]
    program = (
        "import pickle, sys\n"
        "e = pickle.loads(sys.stdin.buffer.read())\n"
        "from dalembert.expr import time_derivative, substitute\n"
        "assert substitute([e], {})[0] is e\n"
        "print(e.stamp, time_derivative(e).stamp)\n"
    )
    assert run(program, "7", pickle.dumps(e)) == f"{e.stamp} {time_derivative(e).stamp}"


def test_packed_roots_come_back_as_the_same_nodes():
    roots = [X + Y, sin(X + Y), X + Y]
    assert unpack(pack(roots)) == roots
    assert len(pack(roots)[0]) == len(postorder(roots))
    assert copy.copy(roots[1]) is roots[1]


# -- memory --------------------------------------------------------------------------------------------------
@pytest.fixture
def small_table(monkeypatch):
    """Sweep early, so that the test need not build hundreds of thousands of nodes."""
    graph._sweep()
    monkeypatch.setattr(graph._sweep, "due", len(graph._table) + 2_000)
    real = graph._Sweep.__call__

    def sweep_and_stay_small(self):
        real(self)
        self.due = len(graph._table) + 2_000

    monkeypatch.setattr(graph._Sweep, "__call__", sweep_and_stay_small)


def throw_away(times: int, seed: int = 0) -> None:
    for k in range(times):
        sin((X + k + 1) * (Y - seed - 2)) ** 3 + exp(Y / (k + 2))


@pytest.mark.thorough
@pytest.mark.usefixtures("small_table")
def test_what_is_thrown_away_is_forgotten():
    before = len(graph._table)
    kept = sin(X + 77) * exp(Y)
    throw_away(5_000)
    assert len(graph._table) < before + 3_000
    assert sin(X + 77) * exp(Y) is kept


@pytest.mark.usefixtures("small_table")
def test_a_table_that_is_never_swept_would_be_seen(monkeypatch):
    before = len(graph._table)
    monkeypatch.setattr(graph._sweep, "due", 10**9)
    throw_away(2_000)
    assert len(graph._table) > before + 10_000


@pytest.mark.usefixtures("small_table")
@pytest.mark.thorough
def test_a_sweep_keeps_whatever_is_in_use():
    held = [sin(X + k) * Y for k in range(500)]
    parts = {node: (node.op, node.data, node.args) for node in postorder(held)}
    throw_away(5_000)
    for node, content in parts.items():
        assert graph.make(*content) is node


@pytest.mark.usefixtures("small_table")
def test_threads_share_one_table():
    found: list[list[Expr]] = []
    faults: list[Exception] = []

    def work(seed: int) -> None:
        try:
            mine = []
            for k in range(250):
                throw_away(3, seed)
                mine.append(sin(X + k) * (Y + k) + diff(exp(X * k + Y), X))
            found.append(mine)
        except Exception as fault:  # noqa: BLE001 - any fault in a thread must reach the test
            faults.append(fault)

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert not faults
    assert len(found) == 4
    assert all(a is b for mine in found[1:] for a, b in zip(found[0], mine, strict=True))
