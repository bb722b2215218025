"""Texts that ask for too much, in families: each makes a text from a size."""

from collections.abc import Callable, Iterable
from itertools import repeat
from random import Random

from dalembert.expr.vocabulary import Vocabulary

WORDS = Vocabulary.of("x y", "m", functions={"V": 2, "W": 40})
WORDS = WORDS.with_let("big", sum((WORDS["x"] ** n / (n + WORDS["y"]) for n in range(2, 400)), WORDS["x"]))


def _hard_to_factor(n: int) -> list[int]:
    """Return products of two large primes, for roots."""
    from flint import fmpz

    random = Random(n)
    primes: list[int] = []
    while len(primes) < 2 * n:
        candidate = random.getrandbits(39) | (1 << 38) | 1
        if fmpz(candidate).is_prime():
            primes.append(candidate)
    return [p * q for p, q in zip(primes[::2], primes[1::2], strict=True)]


def _joined(sign: str, parts: Iterable[str], most: int = 19_990) -> str:
    """Join as many parts as the length allows; no more of them are made, so that tests measure the parser."""
    taken: list[str] = []
    length = 0
    for part in parts:
        length += len(part) + len(sign)
        if length > most:
            break
        taken.append(part)
    return sign.join(taken)


def _nested(head: str, inner: str, tail: str, n: int) -> str:
    return head * n + inner + tail * n


FAMILIES: dict[str, Callable[[int], str]] = {
    # refused by the scan
    "open brackets": lambda n: "(" * n,
    "brackets": lambda n: _nested("(", "x", ")", n),
    "closed brackets": lambda n: "x" + ")" * n,
    "calls": lambda n: "sin(" * n,
    "nested calls": lambda n: _nested("sin(", "x", ")", n),
    "signs": lambda n: "-" * n + "x",
    "spaced signs": lambda n: "- + " * n + "x",
    "primes": lambda n: "x" + "'" * n,
    "digits": lambda n: "9" * n,
    "decimals": lambda n: "." + "9" * n,
    "points": lambda n: "." * n,
    "large exponent": lambda n: "1e" + "9" * n,
    "small exponent": lambda n: "1e-" + "9" * n,
    "zeros": lambda n: "1e" + "0" * n,
    "name": lambda n: "z" * n,
    "names": lambda n: _joined("+", (f"abcdefghij{k}" for k in range(n))),
    "greek": lambda n: "\N{GREEK SMALL LETTER ALPHA}" * n,
    "ligatures": lambda n: "\ufdfa" * n,  # one character that is spelled as eighteen
    "nul": lambda n: "x" + "\0" * n,
    "spaces": lambda n: " " * n,
    "quotes": lambda n: '"' * n,
    "accents": lambda n: "x" + "\u0301" * n,
    "emoji": lambda n: "\U0001f600" * n,
    "surrogate": lambda n: "x + \ud800" * min(n, 30_000),
    "right to left": lambda n: "x + \u202ey" * min(n, 30_000),
    "import": lambda n: "__import__('os').system('true')" * min(n, 30_000),
    "dunder": lambda n: "().__class__.__bases__[0]" * min(n, 30_000),
    "lambda": lambda n: "(lambda: 0)()" * min(n, 30_000),
    # refused by the grammar, or read
    "stars": lambda n: "x" + "*" * n,
    "operators": lambda n: "+*/^" * n,
    "commas": lambda n: "V(" + "x," * n + "x)",
    "equals": lambda n: "x" + "=x" * n,
    "operands": lambda n: "x " * n,
    "long sum": lambda n: "x+" * n + "x",
    "long product": lambda n: "x*" * n + "x",
    "slots": lambda n: "D(V" + ",1" * n + ")(x,y)",
    "chain of powers": lambda n: "x^" * n + "x",
    # refused, if they are too large, while building
    "tower": lambda n: "^".join("9" * min(n, 5000)),
    "powers of powers": lambda n: _nested("(", "9", "^999)", min(n, 99)),
    "powers of x": lambda n: _nested("(", "x", "^999)", min(n, 99)),
    "powers of fractions": lambda n: _joined("*", (f"({k}/7)^{k}" for k in range(2, n))),
    "sum of powers": lambda n: _joined("+", (f"9^{k % 1000}" for k in range(n))),
    "product of powers": lambda n: _joined("*", (f"9^{k % 1000}" for k in range(n))),
    "harmonic": lambda n: _joined("+", (f"1/{k}" for k in range(1, n))),
    "harmonic in x": lambda n: _joined("+", (f"x/{k}" for k in range(1, n))),
    "small decimals": lambda n: _joined("+", (f"1e-{k % 400}/{k}" for k in range(1, n))),
    "roots": lambda n: _joined("+", (f"sqrt({k})" for k in range(n))),
    "product of roots": lambda n: _joined("*", (f"sqrt({k})" for k in range(2, n))),
    "roots hard to take": lambda n: _joined("+", (f"sqrt({k})" for k in _hard_to_factor(min(n, 600)))),
    "odd roots": lambda n: _joined("+", (f"{k}^(1/{k})" for k in range(1, n))),
    "nested roots": lambda n: _nested("sqrt(2+", "x", ")", min(n, 99)),
    "quarter turns": lambda n: _nested("sin(pi/6+", "x", ")", min(n, 99)),
    "tanh": lambda n: _joined("+", (f"tanh({k}*x)" for k in range(n))),
    "derivative of a product": lambda n: f"diff({_joined('*', (f'sin({k}*x)' for k in range(n)), 19_000)},x)",
    "derivatives of a sum": lambda n: f"diff({_joined('+', (f'x^{k}*sin({k}*x)' for k in range(n)), 19_000)},x,x,x)",
    "derivatives nested": lambda n: _nested("diff(", "exp(sin(x)*cos(x)/(1+x^2))", ",x)", min(n, 99)),
    "derivatives in a row": lambda n: "diff(exp(sin(x))*log(x)/x^5" + ",x" * min(n, 9000) + ")",
    "many derivatives": lambda n: _joined("+", (f"diff(sin(x)^{k}*exp(x),x,x,x)" for k in range(n))),
    "derivative of a chain": lambda n: "diff(" + "x^" * min(n, 9000) + "x,x,x)",
    "derivative of calls": lambda n: "diff(" + _nested("exp(", "x", ")", min(n, 98)) + ",x" * 9 + ")",
    "derivative of a wide function": lambda n: (
        "diff(" + _joined("+", (f"W({','.join([f'x*{k}'] * 40)})" for k in range(n)), 19_000) + ",x,x)"
    ),
    "derivatives of a let": lambda n: _joined("+", repeat("big'''", n)),
    "products of a let": lambda n: _joined("*", repeat("big", n)),
    "nested derivatives of a let": lambda n: _nested("diff(big*", "x", ",x)", min(n, 99)),
}
