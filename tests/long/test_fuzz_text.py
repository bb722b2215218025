"""A hundred thousand random texts and a thousand hostile ones: only ``TextError``, quick, and memory stays flat."""

import gc
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hostile import FAMILIES, WORDS

from dalembert.errors import TextError
from dalembert.expr import Expr, graph, tree_size
from dalembert.expr.text import Limits, parse, text
from dalembert.expr.vocabulary import Vocabulary
from dalembert.testing.strategies import VOCABULARY

pytestmark = pytest.mark.long

NAMES = ["x", "q2", "q10", "phi", "r", "m", "M", "k", "θ", "w", "t", "pi", "x'", "phi''"]
CALLS = ["sin", "cos", "tan", "exp", "log", "sqrt", "abs", "atan", "asin", "acos", "sinh", "cosh", "tanh"]
NUMBERS = ["0", "1", "2", "3", "0.5", "1e-3", "12", "7.25", "1000", "999999999999999999999", "1e300"]
SOUP = [*NAMES, *CALLS, *NUMBERS, *"+-*/^(),='()()", "**", "D", "diff", "V", "f", "D(f,1)(", "diff(", "zz", " ", "."]
ALPHABET = "xyzmkrtDfVw0123456789.eE+-*/^(),=' \t\n_$#@!?[]{}\\\"`~;:<>|&%θφ²½−′×√\0\x7f\u0301\u202e\ud800😀"  # noqa: RUF001
GENEROUS = Limits(length=10**7, depth=10**4, digits=4300, exponent=10**300, bits=10**6, work=10**9)


def characters(random: Random) -> str:
    return "".join(random.choices(ALPHABET, k=random.randrange(1, 60)))


def soup(random: Random) -> str:
    return "".join(random.choices(SOUP, k=random.randrange(1, 40)))


def sentence(random: Random, budget: int = 30) -> str:
    """Return a text of the grammar (though perhaps a division by zero)."""
    if budget <= 1:
        return random.choice(NAMES + NUMBERS[:8])
    left, right = sentence(random, budget // 2 - 1), sentence(random, budget // 2 - 1)
    match random.randrange(9):
        case 0 | 1:
            return f"{left} {random.choice('+-')} {right}"
        case 2 | 3:
            return f"{left}{random.choice('*/')}{right}"
        case 4:
            exponent = random.choice(["2", "3", "-1", "(1/2)", "(-3/2)", f"({right})"])
            return f"({left}){random.choice(['^', '**'])}{exponent}"
        case 5:
            return f"{random.choice(CALLS)}({left})"
        case 6:
            return f"{random.choice(['V', 'D(V, 1)', 'D(V, 2, 1)'])}({left}, {right})"
        case 7:
            return f"diff({left}, {random.choice(NAMES[:11])})"
        case _:
            return f"-({left})"


def mutant(random: Random) -> str:
    """Return a text of the grammar with a few accidents."""
    letters = list(sentence(random))
    for _ in range(random.randrange(1, 4)):
        at, to = random.randrange(len(letters) + 1), random.randrange(len(letters) + 1)
        match random.randrange(4):
            case 0:
                del letters[min(at, to) : min(at, to) + 2]
            case 1:
                letters[at:at] = random.choice(ALPHABET)
            case 2:
                letters[at : at + 1] = random.choice(SOUP)
            case _:
                letters[at:at] = letters[min(at, to) : max(at, to)]
    return "".join(letters)


GENERATORS: dict[Callable[[Random], str], float] = {characters: 0, soup: 0.001, sentence: 0.5, mutant: 0.02}
"""Each generator with the share of its texts that must be readable, lest it test nothing."""


def peak() -> float:
    """Return the most memory this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def outcome(source: str, words: Vocabulary) -> tuple[Expr | TextError, float]:
    """Return what became of a text and the seconds it took; anything but a ``TextError`` passes through."""
    started = time.process_time()
    result: Expr | TextError
    try:
        result = parse(source, words)
    except TextError as error:
        result = error
    return result, time.process_time() - started


def check(source: str, words: Vocabulary, result: Expr | TextError) -> str:
    """Return whether a text was read (then it is read back from its own text) or refused (then by a sentence)."""
    if isinstance(result, TextError):
        assert "\n" not in str(result), source
        assert str(result)[-1] in ".?", source
        assert result.column is None or 1 <= result.column <= len(source) + 1, source
        return "refused"
    if tree_size(result) < 2000:
        assert parse(text(result), words, GENEROUS) is result, source
    return "read"


def fill_the_table() -> None:
    """Read texts until the table of nodes has been swept once: before that, memory grows as it is meant to."""
    random, before = Random(1), 0
    while len(graph._table) >= before:
        before = len(graph._table)
        outcome(sentence(random), VOCABULARY)


def nodes_in_use() -> int:
    """Return how many nodes there are that somebody still refers to."""
    gc.collect()
    graph._sweep()
    return len(graph._table)


def test_random_texts():
    random = Random(20_240_101)
    tally: dict[str, Counter[str]] = {generator.__name__: Counter() for generator in GENERATORS}
    fill_the_table()
    slowest, warm, used = 0.0, peak(), nodes_in_use()
    for _ in range(100_000):
        generator = random.choice(list(GENERATORS))
        source = generator(random)
        result, took = outcome(source, VOCABULARY)
        tally[generator.__name__][check(source, VOCABULARY, result)] += 1
        slowest = max(slowest, took)
    growth, left = peak() - warm, nodes_in_use() - used
    print(f"\n{tally}\nslowest {slowest:.3f} s, {warm:.0f} MB + {growth:.1f} MB, {left} nodes left")  # noqa: T201 (-s)
    assert slowest < 1
    assert growth < 10
    assert left < 1000
    for generator, share in GENERATORS.items():
        counted = tally[generator.__name__]
        assert counted["read"] >= share * counted.total()
        assert counted["refused"] > 0


def test_hostile_texts():
    random = Random(20_240_102)
    tally: Counter[str] = Counter()
    fill_the_table()
    for family in FAMILIES.values():  # the texts themselves are large, whatever becomes of them
        outcome(family(10**6), WORDS)
    slowest, warm, used = 0.0, peak(), nodes_in_use()
    for _ in range(1_000):
        family = random.choice(list(FAMILIES.values()))
        source = family(int(10 ** random.uniform(0, 6)))
        result, took = outcome(source, WORDS)
        tally[check(source, WORDS, result)] += 1
        slowest = max(slowest, took)
    growth, left = peak() - warm, nodes_in_use() - used
    print(f"\n{tally}\nslowest {slowest:.3f} s, {warm:.0f} MB + {growth:.1f} MB, {left} nodes left")  # noqa: T201 (-s)
    assert slowest < 1
    assert growth < 50
    assert left < 50_000  # of some texts something is remembered: at most 32,000 nodes in 2,400 texts, and fewer again
    assert tally["refused"] > 500
    assert tally["read"] > 50
