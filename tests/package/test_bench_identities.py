"""The identities of the truth benchmark are what they say, seen by ball arithmetic and not by the truth module."""

import random
import time
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice

import pytest
from flint import arb

from bench import truth
from bench.identities import IDENTITIES, PAIRS
from bench.identities.record import MERSENNE_61, MERSENNE_127, WELL_KNOWN_PRIMES
from bench.mechanics import System, bracket, christoffel, determinant, inverse, matrix_product, parameters, reals
from bench.tables import Ours, Peer, Row, report
from bench.worker import Fault, Worker
from dalembert.errors import EvaluationError
from dalembert.expr import ONE, ZERO, Expr, define, evaluate, functions, product, symbol, total
from dalembert.expr.readers import Balls, Rationals
from dalembert.expr.walk import postorder

BITS = 400
"""Precision of the balls: a true identity must vanish to far more digits than any false twin is off by."""


def concrete(expression: Expr) -> Expr:
    """Put a fixed polynomial for every unspecified function, positive nowhere by accident."""
    bodies = {}
    for function in functions([expression]):
        draw = random.Random(function.name)
        formal = [symbol(f"formal{k}") for k in range(function.arity)]
        line = total([(Fraction(draw.randint(1, 9), 10), v) for v in formal], 2)
        bodies[function] = formal, line**4 + line + product(((v, 1) for v in formal), Fraction(1, 3))
    return define([expression], bodies)[0]


def values(expression: Expr) -> Iterator[arb]:
    """Yield balls of the expression at random points of its domain, the same ones every time."""
    draw = random.Random(7)
    leaves = [n for n in postorder([expression]) if n.op == "symbol"]
    signs = {"positive": (1,), "negative": (-1,)}
    for _ in range(100):
        point = {}
        for leaf in leaves:
            size = Fraction(draw.randint(1, 4000), draw.choice((801, 4001)))
            point[leaf] = draw.choice(signs.get(leaf.data.domain, (-1, 1))) * size
        try:
            (value,) = Balls(point, bits=BITS).read([expression])
        except EvaluationError:  # outside the domain: a root of a negative number, a pole
            continue
        yield value


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
@pytest.mark.thorough(
    "snake of 15 links, joint angles", "snake of 15 links, absolute angles", "snake of 10 links, joint angles"
)
def test_the_true_one_vanishes_and_its_twin_does_not(pair):
    true, false = (concrete(identity.build()) for identity in pair.identities)
    seen = list(islice(values(true), 3))
    assert len(seen) == 3
    assert all(v.contains(0) and v.rad() < arb(2) ** -150 for v in seen)
    assert any(not v.contains(0) for v in values(false))


def test_there_are_enough_and_their_names_are_distinct():
    assert len(PAIRS) >= 60
    assert len({identity.name for identity in IDENTITIES}) == 2 * len(PAIRS)
    assert sum(not pair.supported for pair in PAIRS) <= 5


def test_none_is_decided_by_construction_alone():
    trivial = [pair.name for pair in PAIRS if pair.identities[0].build() is ZERO]
    assert trivial == []


def test_a_twin_by_primes_is_a_multiple_of_the_prime():
    """Its difference from the true one vanishes modulo the prime, so a test in that field cannot tell them apart."""
    twins = {"triple pendulum": MERSENNE_61, "mu dF is integrable: w ^ dw = 0": MERSENNE_127}
    twins["determinant of the Euler rotation is 1"] = WELL_KNOWN_PRIMES
    for pair in PAIRS:
        if pair.name in twins:
            true, false = (concrete(identity.build()) for identity in pair.identities)
            quotient = next(values((false - true) / twins.pop(pair.name)))
            assert not quotient.contains(0)
            assert abs(quotient) < arb(10) ** 6
    assert not twins


def test_the_motion_satisfies_its_constraints_and_its_equations():
    x, y, z = reals("x y z")
    (m,) = parameters("m")
    kinetic = m * (x.dot**2 + y.dot**2 + z.dot**2) / 2
    system = System(kinetic, [x, y, z], [[-y, ZERO, ONE]], dependent=(2,))
    point = {q: Fraction(value) for q, value in zip((x, y, z, m, x.dot, y.dot), (1, 2, 3, 5, 7, 11), strict=True)}
    ax, ay, az, multiplier = evaluate(system.admissible([*system.accelerations, *system.multipliers]), Rationals(point))
    assert ax == Fraction(-2 * 7 * 11, 1 + 2**2)  # x'' = -y x' y' / (1 + y^2)
    assert ay == 0
    assert az == 2 * ax + 7 * 11
    assert (multiplier, -2 * multiplier) == (5 * az, 5 * ax)


def test_helpers_of_geometry():
    x, y = reals("x y")
    assert bracket([ONE, ZERO], [ZERO, x], [x, y]) == [ZERO, ONE]
    matrix = [[x, ONE], [y, 2 * x]]
    reader = Rationals({x: Fraction(3), y: Fraction(4)})
    assert evaluate([determinant(matrix)], reader) == [14]
    unit = matrix_product(matrix, inverse(matrix))
    assert evaluate([e for row in unit for e in row], reader) == [1, 0, 0, 1]
    polar = christoffel([[ONE, ZERO], [ZERO, x**2]], [x, y])
    assert evaluate([polar[0][1][1], polar[1][0][1], polar[0][0][1]], reader) == [-3, Fraction(1, 3), 0]


def _slow_or_broken(question):
    if question == "slow":
        yield "begun"
        time.sleep(3_600)
    if question == "broken":
        raise ValueError("no")
    yield from ("first", "second")


@pytest.mark.thorough
def test_a_worker_survives_what_is_slow_and_what_breaks():
    worker = Worker(_slow_or_broken)
    assert worker.ask("slow", (600.0, 0.2)) == ["begun"]
    assert worker.ask("quick", (600.0, 600.0)) == ["first", "second"]
    broken = worker.ask("broken", (600.0, 600.0))
    assert broken == ["ValueError: no"]
    assert isinstance(broken[0], Fault)
    worker.close()


def _rows(kind_of_true="certain", kind_of_false="refuted", witness="x = 1", seconds=0.001):
    true, false = next(pair for pair in PAIRS if pair.name == "snakeboard").identities
    return [
        Row(true, Ours(0.0, seconds, kind_of_true, "", None), Peer(0.0, 2.0, "nonzero")),
        Row(false, Ours(0.0, seconds, kind_of_false, "", witness), Peer(0.0, None, "no answer")),
    ]


def test_the_report_counts_both_sides():
    lines = report(_rows(), limit=10.0).splitlines()
    total_line = next(line for line in lines if line.startswith("| **all**"))
    assert [c.strip() for c in total_line.split("|")[2:-1]] == [
        "2", "1 ms", "1 ms", "0", "0", "6 s", "0", "1", "1", "-", "at least 6,000",
    ]  # fmt: skip
    assert any("nonzero 2 s **wrong**" in line and "over 10 s" in line for line in lines)


def test_faults_are_found():
    assert truth._faults(_rows()) == []
    assert truth._faults(_rows(kind_of_true="refuted"))[0].startswith("wrong")
    assert truth._faults(_rows(kind_of_true="undecided"))[0].startswith("missing")
    assert truth._faults(_rows(kind_of_false="certain"))[0].startswith("wrong")
    assert truth._faults(_rows(witness=None))[0].startswith("no witness")
    assert truth._faults(_rows(seconds=0.3))[0].startswith("slow")


def test_the_table_is_written_between_its_marks(tmp_path, monkeypatch):
    page = tmp_path / "truth.md"
    page.write_text(f"before\n{truth.BEGIN}\nold\n{truth.END}\nafter\n")
    monkeypatch.setattr(truth, "PAGE", page)
    truth._write("new")
    assert page.read_text() == f"before\n{truth.BEGIN}\n\nnew\n\n{truth.END}\nafter\n"
