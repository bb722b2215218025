"""Random statements that are true, or true only for some signs, against values at many real points.

A statement is said to be false by its values when a ball at a real point excludes zero; a decision must then never say
yes, whatever the seed. What is zero wherever it could be looked at should be decided, most of the time.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from random import Random

import pytest

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import (
    PI,
    TIME,
    Expr,
    Function,
    Symbol,
    absolute,
    acos,
    asin,
    atan,
    cos,
    define,
    diff,
    exp,
    jet,
    log,
    number,
    power,
    product,
    sin,
    solve,
    sqrt,
    symbol,
    tan,
    tanh,
    total,
)
from dalembert.expr.readers import Balls
from dalembert.expr.truth import Verdict, Witness, constant, generic_rank, is_zero, never_zero
from dalembert.expr.walk import functions, postorder
from dalembert.expr.work import Budget

pytestmark = pytest.mark.long

x, y, z = symbol("x"), symbol("y"), symbol("z")
a, w = symbol("a", domain="angle"), symbol("w", domain="nonzero")
m, k, n = (
    symbol(Symbol(s, role="parameter", domain=d)) for s, d in (("m", "positive"), ("k", "negative"), ("n", "real"))
)
f, V = Function("f", 1), Function("V", 2)
SYMBOLS = [x, y, z, m, k, w]
ROOTS = [Fraction(t) for t in ("1/2", "1/2", "1/2", "-1/2", "3/2", "1/3", "2/3", "1/4", "-3/4", "1/6")]
SEEDS = 5
"""Errors are a matter of luck, so that every statement is decided several times."""


def atom(random: Random) -> Expr:
    return random.choice([
        *SYMBOLS, *SYMBOLS, x + 1, x - y, 1 + x**2, sin(a), cos(a), jet(f, (x,)), jet(f, ((x + 1) ** 2,)),
        jet(f, (x**2 + 2 * x + 1,)), exp(x), exp(x + y), power(m, n), log(m), log(2 * m), x**2 - y**2, number(2),
        number(3), 1 - cos(a), sqrt(1 + x**2), sqrt(m), x + sqrt(1 + x**2), absolute(x), absolute(y) - 2, 1 - sqrt(m),
    ])  # fmt: skip


def monomials(random: Random) -> Expr:
    """Return a product of roots of monomials less what it is when everything is positive."""
    pool = [atom(random) for _ in range(random.randint(1, 3))]
    roots: list[tuple[Expr, Fraction]] = []
    plain: dict[Expr, Fraction] = {}
    for _ in range(random.randint(1, 4)):
        powers = {
            base: random.choice([-1, 1, 1, 2, 3, 4]) for base in random.sample(pool, random.randint(1, len(pool)))
        }
        exponent = random.choice(ROOTS)
        sign = random.choice([1, 1, 1, -1])
        inside = product(list(powers.items()), sign)
        if random.random() < 0.2:
            inside = inside ** random.choice([n + Fraction(1, 2), Fraction(1, 2)])
            if any(node.op == "power" for node in postorder([inside])):
                continue
        roots.append((inside, exponent))
        for base, times in powers.items():
            plain[base] = plain.get(base, Fraction(0)) + times * exponent
    value = product([(power(inside, exponent), 1) for inside, exponent in roots])
    # back to whole powers, where the sign is lost
    fill = [(base, -(times % 1)) for base, times in plain.items() if times % 1]
    rest = [(absolute(base) if random.random() < 0.5 else base, t) for base, t in fill]
    whole = product([(base, times - times % 1) for base, times in plain.items()])
    return product([(value, 1), *rest]) - random.choice([1, 1, -1]) * whole


def squares(random: Random) -> Expr:
    """Return the root of a square that was multiplied out less what was squared."""
    u, v = (atom(random) * random.choice([1, 1, -1, 2]) for _ in range(2))
    if random.random() < 0.5:
        u, v = sqrt(absolute(u)), v * random.choice([x, number(1), sqrt(m)])
    inside = total([(1, u**2), (2, u * v), (1, v**2)])
    if random.random() < 0.3:
        inside, more = inside * atom(random) ** 2, 1
        return sqrt(inside) ** more - sqrt(inside / 4) * 2 - random.choice([0, 1]) * (sqrt(inside**2) - inside)
    left = sqrt(inside)
    if random.random() < 0.3:
        other = atom(random)
        left = left * sqrt(other) - sqrt(inside * other) + (u + v)
    return left - random.choice([u + v, absolute(u + v), v - u, -u - v])


def exponents(random: Random) -> Expr:
    """Return an identity of exponentials, powers and logarithms for positive parts, put on parts of any sign."""
    p, q = atom(random), atom(random)
    e = random.choice([n, n + 1, 2 * n, n / 2, n + Fraction(1, 2), x, x * n])
    return random.choice([
        lambda: power(p * q, e) - power(p, e) * power(q, e),
        lambda: power(p**2, e) - power(p, 2 * e),
        lambda: power(p**2, e / 2) - power(p, e),
        lambda: power(p**2, e + Fraction(1, 2)) - power(p**2, e) * p,
        lambda: exp(e * log(p)) - power(p, e),
        lambda: exp(log(p**2) / 2) - p,
        lambda: log(p**2) - 2 * log(absolute(p)),
        lambda: log(p**2 * q) - 2 * log(p) - log(q),
        lambda: log(sqrt(p * q)) - log(p * q) / 2,
        lambda: log(sqrt(p**2)) * (p - absolute(p)),
        lambda: power(power(m, n), e) - power(m, n * e),
        lambda: power(exp(p), e) - exp(p * e),
        lambda: sqrt(exp(p * 2 + log(absolute(q)))) - exp(p) * sqrt(absolute(q)),
        lambda: sqrt(power(p**2, e) * q**2) - power(p, e) * q,
        lambda: power(p, e) * sqrt(q**2) - power(p, e) * q,
    ])()  # fmt: skip


def angles(random: Random) -> Expr:
    """Return an identity of angles, most of them with something in the angle that is equal in disguise."""
    p, q = atom(random), atom(random)
    same = [
        ((p + q) ** 2, p**2 + 2 * p * q + q**2),
        (sqrt(p**2), p),
        (sqrt(p * q) * sqrt(p / q), p),
        (p * (q + 1), p * q + p),
        (absolute(p * q), absolute(p) * absolute(q)),
        (p, -p),
    ]
    u, v = random.choice(same)
    return random.choice([
        lambda: sin(u) - sin(v),
        lambda: cos(u) - cos(v),
        lambda: sin(u + a) - sin(v) * cos(a) - cos(v) * sin(a),
        lambda: sqrt((1 + cos(u)) / 2) - random.choice([cos(v / 2), absolute(cos(v / 2))]),
        lambda: sqrt(1 - sin(u) ** 2) - random.choice([cos(v), absolute(cos(v))]),
        lambda: jet(f, (u,)) - jet(f, (v,)),
        lambda: sqrt(jet(f, (u,)) * jet(f, (v,))) - jet(f, (v,)),
        lambda: sqrt(jet(f, (u,)) ** 2 * sin(v) ** 2) - random.choice([1, -1]) * absolute(jet(f, (v,)) * sin(u)),
    ])()  # fmt: skip


def systems(random: Random) -> Expr:
    """Return what a linear system says of its solution, or a root of a solution."""
    rows = [[random.choice([atom(random), number(0), number(1)]) for _ in range(2)] for _ in range(2)]
    right = [atom(random), random.choice([atom(random), number(0)])]
    u, v = solve(rows, right)
    determinant = rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    top = right[0] * rows[1][1] - right[1] * rows[0][1]
    return random.choice([
        lambda: rows[1][0] * u + rows[1][1] * v - right[1],
        lambda: u - top / determinant,
        lambda: sqrt(u**2) - random.choice([u, absolute(top) / absolute(determinant)]),
        lambda: sqrt(u) * sqrt(determinant) - sqrt(top),
        lambda: sqrt(u * determinant * top) - random.choice([top, absolute(top)]),
        lambda: diff(u, x) - diff(top / determinant, x),
    ])()  # fmt: skip


# -- what is true ------------------------------------------------------------------------------------------------
BODIES = [number(1), -1 - x, x**2 - 2, 3 * x + 1, 2 - x**3, x**4 + x]


def points(expression: Expr) -> Iterator[tuple[Expr, dict[Expr, Fraction]]]:
    random = Random(11)
    leaves = sorted((e for e in postorder([expression]) if e.op == "symbol"), key=lambda e: e.data.label)
    for trial in range(150):
        plain = expression
        if functions([expression]):
            try:
                (plain,) = define([expression], {f: ([x], BODIES[trial % len(BODIES)])})
            except ExpressionError:  # a root of a negative number
                continue
        point = {}
        for leaf in leaves:
            size = Fraction(random.randint(1, 40), random.choice([1, 5, 17, 60]))
            sign = {"positive": 1, "negative": -1}.get(leaf.data.domain) or random.choice([1, -1])
            point[leaf] = sign * size
        yield plain, point


def truth(expression: Expr) -> str:
    """Return "no" where a ball at a real point excludes zero, "yes" where many do not, "?" where there are too few."""
    zeros = 0
    for plain, point in points(expression):
        try:
            (value,) = Balls(point, 400).read([plain])
        except DalembertError:
            continue
        if not value.contains(0):
            return "no"
        zeros += bool(value.rad() < 1e-60)
    return "yes" if zeros > 8 else "?"


def decided(expression: Expr, seed: int) -> Verdict:
    budget = Budget(5.0)
    verdict = is_zero(expression, seed=seed)
    assert not budget.is_spent, expression
    assert isinstance(verdict, Verdict)
    return verdict


def check_witness(expression: Expr, witness: Witness | None) -> None:
    """Compute the value at a witness again, far more precisely, where it is a plain point."""
    if witness is None or witness.functions or any(name.startswith("tan(") for name in witness.point):
        return
    leaves = {s: witness.point[s.data.label] for s in postorder([expression]) if s.op == "symbol"}
    for leaf, value in leaves.items():
        assert value > 0 or leaf.data.domain != "positive"
        assert value < 0 or leaf.data.domain != "negative"
        assert value != 0 or leaf.data.domain != "nonzero"
    (value,) = Balls(leaves, 10_000).read([expression])
    assert not value.contains(0), expression


FAMILIES: dict[Callable[[Random], Expr], tuple[int, float]] = {
    monomials: (600, 0.3),
    squares: (1_000, 0.2),
    exponents: (1_200, 0.15),
    angles: (1_000, 0.25),
    systems: (800, 0.1),
}
"""How many statements of each family, and the share of true ones that may stay undecided."""


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_no_statement_is_decided_wrongly(family: Callable[[Random], Expr]) -> None:
    count, may_be_open = FAMILIES[family]
    random = Random(2026)
    seen: Counter[tuple[str, bool | None]] = Counter()
    for _ in range(count):
        try:
            expression = family(random)
        except ExpressionError:  # a division by zero
            continue
        if expression.op == "number" or len(postorder([expression])) > 200:
            continue
        verdicts = [decided(expression, seed) for seed in range(SEEDS)]
        answers = {verdict.holds for verdict in verdicts}
        real = truth(expression)
        assert not (True in answers and (real == "no" or False in answers)), expression
        check_witness(expression, verdicts[0].witness)
        seen.update((real, verdict.holds) for verdict in verdicts)
    told = seen["yes", True]
    assert told > SEEDS * count / 20, seen
    assert seen["no", False] > SEEDS * count / 20, seen
    assert seen["yes", None] <= may_be_open * (told + seen["yes", None]), seen


# -- anything at all -------------------------------------------------------------------------------------------------
NUMBERS = [0, 1, -1, 2, 3, Fraction(1, 2), Fraction(-2, 3), 10**30, Fraction(1, 10**20), 2**90 + 1]
EXPONENTS = [1, 1, 1, -1, 2, -2, 3, 50, *ROOTS]


def anything(random: Random) -> Expr:
    """Return an expression of any kinds of nodes, of which some have no value anywhere."""
    pool = [*SYMBOLS, a, n, PI, x.dot, symbol(TIME)]
    for _ in range(random.randint(2, 14)):
        p, q, r, s = (random.choice(pool[-4:] if random.random() < 0.6 else pool) for _ in range(4))
        steps: list[Callable[[], Expr]] = [
            lambda p=p, q=q: total([(random.choice(NUMBERS), p), (random.choice(NUMBERS), q)], random.choice(NUMBERS)),
            lambda p=p, q=q: product([(p, random.choice(EXPONENTS)), (q, random.choice(EXPONENTS))]),
            lambda p=p, q=q: product([(p, random.choice(EXPONENTS)), (q, 1)], random.choice(NUMBERS[1:7])),
            lambda p=p, q=q: power(p, q),
            lambda p=p: random.choice([exp, log, atan, asin, acos, tan, tanh, sqrt, absolute, sin, cos])(p),
            lambda p=p, q=q: jet(V, (p, q), [random.randint(1, 2) for _ in range(random.randint(0, 2))]),
            lambda p=p, q=q, r=r, s=s: solve([[p, q], [r, s]], [s, p])[0],
            lambda p=p: diff(p, x),
        ]
        try:
            pool.append(random.choice(steps)())
        except ExpressionError:
            continue
    return pool[-1]


def test_anything_gets_an_answer_in_time() -> None:
    random = Random(77)
    seen: Counter[str] = Counter()
    for _ in range(1_500):
        e = anything(random)
        if len(postorder([e])) > 150:
            continue
        same = e * (sin(y) ** 2 + cos(y) ** 2)
        seen[f"same {decided(e - same, 1).kind}"] += 1
        seen[f"other {decided(e - same - z.dot / 1000, 1).kind}"] += 1
        budget = Budget(12.0)
        seen[f"never {never_zero(e, seed=1).kind}"] += 1
        seen[f"constant {constant(e, seed=1).kind}"] += 1
        with contextlib.suppress(ExpressionError):  # a root that is nowhere real
            seen[f"rank {generic_rank([[e, same], [e * y, same * y]], seed=1).rank}"] += 1
        assert not budget.is_spent, e
    assert not seen["same refuted"], seen
    assert not seen["other certain"] + seen["other proved"], seen
    assert not seen["rank 2"], seen
    assert seen["same certain"] > 800, seen
    assert seen["other refuted"] > 800, seen
