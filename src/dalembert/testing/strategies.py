"""Strategies for Hypothesis: expressions, points, systems, groups, fields and forms, for property tests of one's own.

This is the only file of the package that needs Hypothesis.
"""

from fractions import Fraction
from random import Random
from typing import Any

from dalembert.errors import ExpressionError, MissingExtra
from dalembert.expr.elementary import CALLS, absolute, call, jet, power, sincos, solve, tan, tanh
from dalembert.expr.graph import ONE, PI, Expr, number, product, symbol, total
from dalembert.expr.symbols import TIME, Function
from dalembert.expr.vocabulary import Vocabulary
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.geometry.groups import LieGroup, heisenberg, se2, se3, so2, so3, translation_group
from dalembert.model.system import System
from dalembert.testing import random_expressions, random_systems
from dalembert.testing.objects import SPACE, Objects

try:
    from hypothesis import strategies as st
except ImportError:
    said = "strategies need the package hypothesis, which is not installed; install it with: "
    raise MissingExtra(said + "pip install 'dalembert[testing]'.") from None


def _generators() -> st.SearchStrategy[Random]:
    """Generators that Hypothesis chooses the numbers of, so that it can make what is drawn from them smaller."""
    return st.randoms(use_true_random=False)


# -- what has a value at every point ---------------------------------------------------------------------------
def expressions(**options: Any) -> st.SearchStrategy[Expr]:
    """Return expressions that have a value at every point; options are those of ``random_expression``.

    >>> from hypothesis import given, settings
    >>> from dalembert import equal, symbol
    >>> from dalembert.expr import diff
    >>> x, y = symbol("x"), symbol("y")
    >>> @settings(max_examples=5, database=None)
    ... @given(expressions())
    ... def test_partial_derivatives_commute(e):
    ...     assert equal(diff(e, x, y), diff(e, y, x)).holds is not False
    >>> test_partial_derivatives_commute()
    """
    return _generators().map(lambda draw: random_expressions.random_expression(draw, **options))


def points() -> st.SearchStrategy[dict[Expr, Fraction]]:
    """Return rational points for :func:`expressions`: a value for each symbol in them."""
    return _generators().map(random_expressions.random_values)


# -- mechanics and geometry --------------------------------------------------------------------------------------
def systems() -> st.SearchStrategy[System]:
    """Return small systems without constraints.

    >>> from hypothesis import given, settings
    >>> from dalembert.testing import check_laws
    >>> @settings(max_examples=2, database=None, deadline=None)
    ... @given(systems())
    ... def test_energy(system):
    ...     assert not any(claim.failed for claim in check_laws(system, only="energy"))
    >>> test_energy()
    """
    return _generators().map(random_systems.random_system)


def nonholonomic_systems() -> st.SearchStrategy[System]:
    """Return small systems with linear or affine constraints on velocities, most of them Chaplygin's."""
    return _generators().map(random_systems.random_nonholonomic_system)


def groups() -> st.SearchStrategy[LieGroup]:
    """Return the ready groups: rotations, rigid motions, translations, Heisenberg's."""
    return st.sampled_from([so2(), so3(), se2(), se3(), heisenberg(), translation_group([symbol("a"), symbol("b")])])


def vector_fields(chart: Chart = SPACE) -> st.SearchStrategy[VectorField]:
    """Return vector fields on a chart, with polynomials, sines and cosines as components."""
    return _generators().map(lambda draw: Objects(draw, chart).field())


def forms(degree: int, chart: Chart = SPACE) -> st.SearchStrategy[Form]:
    """Return differential forms of a degree on a chart, no component zero."""
    return _generators().map(lambda draw: Objects(draw, chart).form(degree))


# -- every kind of node, with a value or without ------------------------------------------------------------------
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

fractions: st.SearchStrategy[int | Fraction] = st.one_of(
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
def any_expressions(draw: st.DrawFn, most: int = 12, solves: bool = False) -> Expr:
    """Return expressions of every kind of node in the names of ``VOCABULARY``, whether or not they have a value.

    They are built in up to ``most`` steps, each from what is there already, so that parts are shared.
    """
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
