"""Holonomic in disguise: the functions that constraints on velocities keep constant.

By Frobenius, the directions that a distribution reaches by brackets form an involutive one, and as many independent
functions are constant along it as it lacks dimensions: all of them where the distribution is involutive itself. How
many there are is decided; what they are is searched for, as a combination with constant coefficients of likely
functions, or as the potential of a constraint form times a simple integrating factor. Whatever is returned has been
checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import lcm

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, as_expr, make, product, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.text import text
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import postorder, symbols, tree_size
from dalembert.geometry.distributions import Distribution, derived_flag
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import one_form
from dalembert.geometry.potentials import closed, potential
from dalembert.records import dataclass

_MOST_CANDIDATES = 150
_MOST_NODES = 10_000
"""Of a form times all factors with which it is tried: of a long form a few are."""
_SHORT = 30
"""A potential with more nodes than this may be written shorter,"""
_SECONDS = 2.0
"""if that takes no longer than this."""


@dataclass(frozen=True, slots=True)
class Integrals:
    """What constraints on velocities keep constant."""

    codimension: int
    """How many independent constraints there are."""
    count: int
    """How many independent functions of the coordinates are constant."""
    functions: tuple[Expr, ...]
    """Those that were found."""

    def __str__(self) -> str:
        """Say it in words."""
        if not self.count:
            return "nonholonomic: no function of the coordinates is constant."
        kind = "holonomic in disguise" if self.count == self.codimension else "partly holonomic"
        names = [text(f) for f in self.functions]
        said = [" and ".join(names) + (" is constant" if len(names) == 1 else " are constant")] if names else []
        missing = self.count - len(names)
        if missing:
            more = " further" if names else ""
            said.append(f"{missing}{more} constant function{'s' * (missing > 1)} not found in closed form")
        return f"{kind}: {', '.join(said)}."


def integrals(distribution: Distribution) -> Integrals:
    """Return the functions that are constant along all curves in a distribution.

    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> print(integrals(Distribution.from_forms(Chart.of(x, y), [[x, y]])))
    holonomic in disguise: x^2 + y^2 is constant.
    >>> print(integrals(Distribution.from_forms(Chart.of(x, y, z), [[-y, 0, 1]])))
    nonholonomic: no function of the coordinates is constant.
    """
    fields = derived_flag(distribution.fields)[-1]
    count = distribution.chart.dimension - len(fields)
    found: list[Expr] = []
    if count:
        for function in _search(distribution, fields):
            if _is_new(function, found, fields):
                found.append(function)
            if len(found) == count:
                break
    return Integrals(len(distribution.dependent), count, tuple(found))


def independent(functions: Sequence[Expr], variables: Sequence[Expr]) -> list[int]:
    """Return the places of those whose differential is no combination, at generic points, of the ones before.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> independent([x + y, (x + y)**2, x * y], [x, y])
    [0, 2]
    """
    chosen: list[int] = []
    rows: list[list[Expr]] = []
    for place, function in enumerate(functions):
        row = gradient(function, variables)
        if generic_rank([*rows, row]).rank > len(rows):
            chosen.append(place)
            rows.append(row)
    return chosen


def _is_new(function: Expr, found: Sequence[Expr], fields: Sequence[VectorField]) -> bool:
    """Say whether a function is constant along the fields, and independent of those found before."""
    if not vanish([field(function) for field in fields]):
        return False
    return generic_rank([fields[0].chart.differential(f) for f in (*found, function)]).rank > len(found)


def _search(distribution: Distribution, fields: Sequence[VectorField]) -> Iterator[Expr]:
    """Yield functions that may be constant, the simplest first."""
    atoms = list(dict.fromkeys([*distribution.chart.functions, *_parts(distribution)]))
    products = [
        [product((a, 1) for a in several) for several in combinations_with_replacement(atoms, k)] for k in (2, 3)
    ]
    quotients = [a / b for a in (ONE, *atoms) for b in atoms if a is not b]
    for candidates in (atoms, [*atoms, *products[0]], [*atoms, *products[0], *products[1]], [*atoms, *quotients]):
        if len(candidates) <= _MOST_CANDIDATES:
            yield from _relations(candidates, fields)
    if distribution.chart.brackets:
        return
    # of an involutive distribution any forms will do; else those of what its brackets reach
    reached = distribution if len(fields) == distribution.rank else Distribution.from_fields(fields)
    for row in reached.forms:
        bases = [base for node in postorder(row) if node.op == "product" for base in node.args]
        simple = list(dict.fromkeys([*atoms, *bases, *products[0]]))[:_MOST_CANDIDATES]
        factors = [ONE, *(each for factor in simple for each in (factor, 1 / factor))]
        yield from _potentials(distribution, row, factors[: 1 + _MOST_NODES // max(len(postorder(row)), 1)])


def _parts(distribution: Distribution) -> Iterator[Expr]:
    """Yield the functions in the constraints, and those whose derivatives occur there."""
    for node in postorder([entry for row in distribution.coefficients for entry in row]):
        if node.op == "jet":
            function, orders = node.data
            for slot, order in enumerate(orders):
                if order:
                    yield make("jet", (function, (*orders[:slot], order - 1, *orders[slot + 1 :])), node.args)
        elif node.op == "sincos":
            yield from (make("pick", k, (node,)) for k in range(2))
        elif node.op == "call":
            yield node


def _relations(candidates: Sequence[Expr], fields: Sequence[VectorField]) -> Iterator[Expr]:
    """Yield combinations of candidates, with numbers or else parameters as coefficients, that are constant."""
    chosen = list(dict.fromkeys(candidates))
    columns = [[field(c) for field in fields] for c in chosen]
    names = {s for s in symbols(e for column in columns for e in column) if s.role == "parameter"}
    parameters = [symbol(s) for s in sorted(names, key=lambda s: s.name)]
    for given in ([], parameters) if parameters else ([],):
        try:
            basis: Iterable[Sequence[int | Expr]] = constant_null_space(columns, given).basis
        except ExpressionError:  # too large, or with parts that have no normal form
            continue
        for row in basis:
            terms = [(as_expr(c), f) for c, f in zip(row, chosen, strict=True) if as_expr(c) is not ZERO]
            sign = -1 if (terms[0][0].value or 0) < 0 else 1
            yield total([(sign, c * f) for c, f in terms])


def _potentials(distribution: Distribution, row: Sequence[Expr], factors: Sequence[Expr]) -> Iterator[Expr]:
    """Yield potentials of a form times each factor that makes it closed."""
    for factor in factors:
        form = one_form(distribution.chart, [factor * entry for entry in row])
        if closed(form).holds:
            found = potential(form)
            if found is not None:
                yield tidy(found, _SECONDS) if tree_size(found) > _SHORT else found


def without_logarithms(function: Expr) -> Expr:
    """Return a product of powers in place of a sum of logarithms, of which it is the exponential of a multiple."""
    if function.op == "sum":
        coefficients = function.data[1]
        if function.data[0] or any(a.op != "call" or a.data != "log" for a in function.args):
            return function
        clear = lcm(*(Fraction(c).denominator for c in coefficients))
        powers = [(a.args[0], int(c * clear)) for a, c in zip(function.args, coefficients, strict=True)]
        return tidy(product(powers))
    return function.args[0] if function.op == "call" and function.data == "log" else function
