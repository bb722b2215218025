"""Random expressions of every kind of node, for property tests."""

from fractions import Fraction

from hypothesis import strategies as st

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    PI,
    TIME,
    Expr,
    Function,
    absolute,
    jet,
    number,
    power,
    product,
    sincos,
    solve,
    symbol,
    tan,
    tanh,
    total,
)
from dalembert.expr.elementary import CALLS, call
from dalembert.expr.vocabulary import Vocabulary

VOCABULARY = Vocabulary.of(
    coordinates={"x": "real", "q2": "real", "q10": "nonzero", "phi": "angle", "r": "positive"},
    parameters={"m": "positive", "M": "positive", "k": "real", "θ": "negative"},
    functions={"V": 2, "f": 1},
    extra="w",
)
"""The names that occur in random expressions."""

LEAVES: list[Expr] = [
    *(VOCABULARY[name] for name in VOCABULARY if name not in VOCABULARY.functions),
    *(VOCABULARY[label] for label in ("x'", "x''", "phi'", "q10'", "w'")),
    symbol(TIME),
    PI,
    ONE,
]
FUNCTIONS: list[Function] = [VOCABULARY.function(name) for name in VOCABULARY.functions]

fractions = st.one_of(
    st.integers(-3, 3),
    st.fractions(min_value=-9, max_value=9, max_denominator=6),
    st.sampled_from([Fraction(1, 1000), 10**30, 2**90 + 1, Fraction(-1, 3**20)]),
)
"""Exact numbers, most of them small."""
exponents = st.one_of(
    st.sampled_from([1, 1, 1, -1, 2, -2, 3]),
    st.sampled_from([Fraction(1, 2), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 3), Fraction(-2, 3)]),
)
KINDS = ["sum", "product", "power", "call", "sincos", "jet", "number", "abs", "tan", "tanh"]


@st.composite
def expressions(draw: st.DrawFn, most: int = 12, solves: bool = False) -> Expr:
    """Draw an expression built in up to ``most`` steps, each from what is there already, so that parts are shared."""
    pool = list(LEAVES)
    last = draw(st.sampled_from(LEAVES))
    kinds = [*KINDS, "solve"] if solves else KINDS
    for kind in draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most)):
        # Recent parts are taken more often, so that expressions grow deep as well as wide.
        old = st.one_of(st.sampled_from(pool[-4:]), st.sampled_from(pool), st.just(last))
        try:
            new = _step(draw, kind, old)
        except ExpressionError:  # a division by zero, a root of a negative number
            continue
        pool.append(new)
        if new.op != "number":
            last = new
    return last


def _step(draw: st.DrawFn, kind: str, old: st.SearchStrategy[Expr]) -> Expr:
    match kind:
        case "sum":
            return total(draw(st.lists(st.tuples(fractions, old), min_size=1, max_size=4)), draw(fractions))
        case "product":
            return product(draw(st.lists(st.tuples(old, exponents), min_size=1, max_size=4)), draw(fractions))
        case "power":
            return power(draw(old), draw(old))
        case "call":
            return call(draw(st.sampled_from(CALLS)), draw(old))
        case "sincos":
            return sincos(draw(old))[draw(st.integers(0, 1))]
        case "jet":
            function = draw(st.sampled_from(FUNCTIONS))
            slots = draw(st.lists(st.integers(1, function.arity), max_size=3))
            return jet(function, [draw(old) for _ in range(function.arity)], slots)
        case "solve":
            a, b, c, d = draw(old), draw(old), draw(old), draw(old)
            return solve([[a, b], [b, c]], [d, ONE])[draw(st.integers(0, 1))]
        case "number":
            return number(Fraction(draw(fractions)))
        case "abs":
            return absolute(draw(old))
        case "tan":
            return tan(draw(old))
        case _:
            return tanh(draw(old))
