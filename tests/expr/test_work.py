"""Work, not the clock: the same question costs the same and is answered in the same bytes, whatever else goes on."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from flint import fmpz_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from dalembert import gallery
from dalembert.expr import Expr, cos, sin, sqrt, symbol, work
from dalembert.expr.field import Field, OutOfWork, normal, tasks, tidy
from dalembert.expr.field.images import image_degrees
from dalembert.expr.field.meter import Meter, TooLarge
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.field.priced import Polynomial, Ring, common_divisor, factored
from dalembert.expr.field.shorten import Shortener
from dalembert.expr.field.tasks import Fractions
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.truth import equal, is_zero
from dalembert.expr.walk import unpack
from dalembert.mechanics.derivation import derive
from dalembert.present.json_export import answer

X, Y = symbol("x", domain="angle"), symbol("y")
terms = st.dictionaries(st.tuples(*[st.integers(0, 2)] * 3), st.integers(-6, 6).filter(bool), min_size=1, max_size=4)


def ring(limit: float = math.inf) -> Ring:
    return Ring(["a", "b", "c"], Meter(limit))


def multiplied(there: Ring, content: object, factors: list[tuple[Polynomial, int]]) -> Polynomial:
    result = there.constant(int(str(content)))
    for factor, power in factors:
        result = result * factor**power
    return result


# -- prices --------------------------------------------------------------------------------------------------
def test_high_powers_of_a_root_are_put_in_as_a_remainder_is_but_within_the_limit():
    root = sqrt(1 + X + Y)
    field = Field([root], 20_000)
    variable = field.composite[1 + X + Y]
    ((_, _, relation),) = field.relations
    for polynomial in (variable**41, variable**60 * field.read(X).above + variable**3):
        assert field.reduced(polynomial) == polynomial % relation
    stops = len(work.stops())
    with pytest.raises(OutOfWork):
        normal(sqrt(1 + X + Y + symbol("z")) ** 999 - X)
    assert len(work.stops()) == stops  # it ended by itself: no process had to be stopped


@pytest.mark.parametrize("divide", [common_divisor, lambda one, _: factored(one)])
def test_degrees_beyond_reach_are_refused_before_flint_is_called(divide):
    (x,) = fmpz_mpoly_ctx.get(("x",), "lex").gens()
    with pytest.raises(TooLarge, match="too high"):
        divide(x ** (10**9) + x + 1, x ** (10**9) + 2)
    with pytest.raises(TooLarge, match="too high"):
        divide(x ** (10**30) + x + 1, x ** (10**30) + 2)
    assert divide(x**1_000 - 1, x**500 - 1)


@given(terms, terms, terms)
def test_priced_polynomials_are_those_of_flint(p, q, r):
    there = ring()
    a, b, c = map(there.from_dict, (p, q, r))
    x, y, z = a.value, b.value, c.value
    assert (a * b - c) * 2 + 1 - a**2 == (x * y - z) * 2 + 1 - x**2
    assert (a * b) / b == x
    assert (a * c).gcd(b * c) == (x * z).gcd(y * z)
    content, factors = (a * b * c).factor()
    assert multiplied(there, content, factors) == x * y * z
    known = (x * y * z).factor()
    assert sorted((str(f), k) for f, k in factors) == sorted((str(f), int(k)) for f, k in known[1])
    assert content == known[0]


@given(terms, terms)
def test_terms_of_priced_polynomials_are_those_that_flint_tells(p, q):
    there = Ring(["y1", "y", "y10"], Meter(math.inf))
    a, b = there.from_dict(p), there.from_dict(q)
    for one in (a, a - b, a * b * 10**60 - 1, a - a):
        told = {tuple(map(int, m)): int(c) for m, c in one.value.to_dict().items()}
        assert list(one.to_dict().items()) == list(told.items())
        assert there.from_dict(told) == one.value == there.inner.from_dict(told)
        assert there.from_dict({**told, (3, 3, 3): 1}) != one.value


@given(terms, terms)
def test_terms_are_grouped_by_their_divisor_with_the_denominator(p, q):
    circle = Circle(Field([symbol(name) for name in "abc"], 1_000, meter=Meter(math.inf)))
    above, below = (circle.ring.from_dict(one) for one in (p, q))
    groups = Fractions(Shortener(circle, circle.ring.meter, math.inf))._by_denominator(above, below)
    divisors = [{str(circle.ring.from_dict({m: c}).gcd(below)) for m, c in g.to_dict().items()} for g in groups]
    assert all(len(one) == 1 for one in divisors)
    assert len(set().union(*divisors)) == len(groups)
    assert sum(groups, circle.ring.constant(0)) == above


@given(terms, terms, terms)
def test_degrees_of_images_bound_those_of_the_divisor(p, q, r):
    there = ring()
    a, b, c = map(there.from_dict, (p, q, r))
    found = image_degrees(a * c, b * c)
    assert all(one >= other for one, other in zip(found, (a * c).gcd(b * c).degrees(), strict=True))


def test_what_exceeds_the_budget_is_not_begun():
    there = ring(100.0)
    a, b, c = there.gens()
    large = (a + b + c + 1) ** 3
    with pytest.raises(OutOfWork, match="limit of work"):
        large**40
    assert there.meter.spent == there.meter.limit


def test_a_hazardous_divisor_is_refused_and_found_with_enough_to_spend():
    a, b, c = (g.value for g in ring().gens())
    shared = (a + b + c + 1) ** 18
    for limit, found in ((16_000.0, False), (math.inf, True)):
        there = ring(limit)
        one, other = Polynomial(there, shared * (a + 2)), Polynomial(there, shared * (b + 3))
        if found:
            assert one.gcd(other) == shared
        else:
            with pytest.raises(OutOfWork, match="would cost more"):
                one.gcd(other)


# -- the same again ------------------------------------------------------------------------------------------
def test_a_remembered_form_costs_what_it_first_did():
    formula = (sin(X) ** 3 * Y + cos(X) ** 2 * sin(X) * Y) / (1 + Y)
    costs = []
    for _ in range(3):
        before = work.done()
        found = tidy(formula, 1.25)
        costs.append(work.done() - before)
    assert costs[0] > 0
    assert costs == [costs[0]] * 3
    before = work.done()
    assert tidy(formula, 0.00001) is formula  # less effort does not profit from what was found with more
    assert work.done() - before < costs[0]
    assert tidy(formula, 1.25) is found


def written(name: str, how: str) -> str:
    return json.dumps(answer(derive(gallery.load(name), how)))


CASES = [("chaplygin-sleigh", "chaplygin"), ("heavy-top-chart", "routh")]


def _asked(expression: Expr) -> tuple[object, float]:
    meter = Meter(1e6)
    form, unread = tasks.shortest([expression], meter, most_terms=1_000, search=1e5, reading=5e5)
    assert not unread
    return form, meter.spent


def test_a_fraction_in_other_words_is_written_from_memory_and_costs_what_it_does_alone():
    p, q = symbol("p"), symbol("q")
    first = (p + q) ** 2 / (1 + cos(X)) + sin(X) ** 2 * p / (1 + cos(X))
    other = (p**2 + 2 * p * q + q**2 + p - p * cos(X) ** 2) / (1 + cos(X))
    tasks._written.clear()
    alone = _asked(other)
    tasks._written.clear()
    form, _ = _asked(first)
    written = len(tasks._written)
    assert _asked(other) == alone == (form, alone[1])
    assert len(tasks._written) == written  # it was not written again
    _asked(first + p)
    assert len(tasks._written) > written


@pytest.mark.parametrize(("seed", "order"), [pytest.param("1", 1, marks=pytest.mark.thorough), ("4242", -1)])
def test_the_same_bytes_in_a_process_that_did_other_things_and_under_any_hash_seed(seed, order):
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_work import CASES, written; "
        "print('\\n'.join(written(*case) for case in CASES[::int(sys.argv[1])]))"
    )
    here = [written(*case) for case in CASES]  # after all that this process has done
    done = subprocess.run(
        [sys.executable, "-c", code, str(order)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[::order] == here


# -- words that have changed ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("verb", "old"),
    [(lambda **more: tidy(X + X, **more), "seconds"), (lambda **more: normal(X + X, **more), "seconds"),
     (lambda **more: is_zero(X - X, **more), "proof"), (lambda **more: equal(X, X, **more), "proof")],
    ids=["tidy", "normal", "is_zero", "equal"],
)  # fmt: skip
def test_old_words_work_and_warn(verb, old):
    with pytest.warns(DeprecationWarning, match=f"takes 'effort' now: .* '{old}' will go"):
        assert verb(**{old: 1.0}) == verb(effort=1.0)


def test_nothing_larger_is_tried_than_what_could_not_be_read() -> None:
    names = [symbol(f"x{k}") for k in range(12)]
    fractions = [sum(names[k + 1 :], names[k]) / (1 + names[k] * names[k - 1]) for k in range(9)]
    large = sum(fractions, names[0]) ** 3
    budget = SimplificationBudget(10.0, 1.0, 600, reading=0.1)
    assert budget(large) is large
    assert budget.unread == [large]
    before = work.done()
    larger = (large + names[1]) / names[2]
    assert budget(larger) is larger
    assert work.done() == before
    assert budget((names[0] ** 2 - 1) / (names[0] - 1)) is names[0] + 1
    assert SimplificationBudget(10.0, 1.0, 600, reading=0.1, unread=budget.unread)(larger) is larger
    assert work.done() - before < 0.1


def test_a_part_of_the_work_has_a_limit_of_its_own() -> None:
    meter = Meter(10.0)
    with pytest.raises(OutOfWork), meter.at_most(4.0):
        meter.charge(5.0)
    assert (meter.spent, meter.left) == (4.0, 6.0)
    meter.charge(6.0)


def test_what_is_hopeless_beside_relations_is_not_written_down_and_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    x, y, z = (symbol(name) for name in "xyz")
    hopeless, sphere = (x + y) ** 7 * (x + 2 * z) ** 7 + 1, x**2 + y**2 + z**2 - 1
    tried: list[object] = []
    monkeypatch.setattr(Fractions, "write", lambda self, whole: tried.append(whole) or self.rough(whole))
    meter = Meter(1e6)
    assert unpack(tasks.shortest_modulo([hopeless, sphere], meter, 4_000, 5e5)) == [hopeless]
    assert (tried, meter.spent > 5e5) == ([], True)
    shorter = tasks.shortest_modulo([x**2 + y**2 + z**2 + x, sphere], Meter(1e6), 4_000, 5e5)
    assert (unpack(shorter), bool(tried)) == ([x + 1], True)


def test_without_work_left_for_a_search_an_expression_stays() -> None:
    x, y, z = (symbol(name) for name in "xyz")
    several = [x**2 + y**2 + z**2 + x, x**2 + y**2 + z**2 - 1]
    assert unpack(tasks.shortest_modulo(several, Meter(1e6), 4_000, 0.0)) == several[:1]
