"""First integrals of any system, polynomial in the speeds, with coefficients made of the letters of its equations.

A product of letters is one unknown constant. The space that is searched has for each degree in the speeds a bound on
the degree in all else, which grows as that in the speeds falls: forces are traded for speeds. Reversible motions are
searched for even and for odd degrees apart. Parameters are given numbers for the search; the few products that take
part in an integral are then solved for again with the parameters as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb
from random import Random

from dalembert.analysis.discovery.letters import Letters, as_power, exponents, in_words
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import normal, tidy
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, Expr, Number, number, product, symbol, total
from dalembert.expr.linear.products import Products, constant_products, independent_products
from dalembert.expr.truth import Verdict, generic_rank, vanish
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.second_order.search.linear_search import combined, relations
from dalembert.records import dataclass, replace

_SHORT = 200
"""Integrals up to so many nodes are written shorter, if that takes no longer than this:"""
_TIDY = 0.5
_NORMAL = 2.0
"""The work for the normal form of a coefficient in the parameters."""
_MOST_DEGREE = 12
_MOST_POLYNOMIALS = 300
"""So many products of known integrals are told from new ones."""
_PRIMES = [n for n in range(31, 600) if all(n % k for k in range(2, 25))]


@dataclass(frozen=True, slots=True)
class Integral:
    """A function that every motion keeps."""

    expression: Expr
    """By the variables of the equations."""
    verdict: Verdict
    shown: Expr
    """As it reads best, with names for entries of rotations and angular velocities."""
    name: str = ""
    """What it is called where it is a known one: energy, momentum of a symmetry."""


@dataclass(frozen=True, slots=True)
class IntegralSearch:
    """What one search found, and where."""

    found: tuple[Integral, ...]
    """Those that are no polynomials in the ones known before."""
    degree: int
    bounds: tuple[tuple[int, int], ...]
    """For each degree in the speeds, the bound on that in all else."""
    letters: Letters
    unknowns: int
    missed: int = 0
    """How many were seen for numbers in place of the parameters, but could not be solved for these."""

    @property
    def space(self) -> str:
        """What was searched, in words."""
        made, meant = self.alphabet()
        return f"{made}: {self.terms}{meant}"

    @property
    def terms(self) -> str:
        """Of which degrees the terms and their coefficients are, and how many constants are solved for."""
        constants = f"({self.unknowns} unknown constant{'s' * (self.unknowns != 1)})"
        degrees = f"terms of degree {_listed([k for k, _ in self.bounds])}"
        if not self.letters.positions and not self.letters.special:
            return f"{degrees} with constant coefficients {constants}"
        # without positions there is one function at most in each coefficient, whatever the bound is
        most = [others if self.letters.positions else min(others, 1) for _, others in self.bounds]
        return f"{degrees} with coefficients of degree at most {_listed(most)} {constants}"

    def alphabet(self, most: int | None = None) -> tuple[str, str]:
        """Say what the terms are made of, and what names mean; functions longer than ``most`` are only described."""
        called = self.letters.called
        speeds, positions = (
            ", ".join(repr(called(one)) for one in some) for some in (self.letters.speeds, self.letters.positions)
        )
        names = dict(self.letters.names)
        special, meant = in_words([_shorter_base(one) for one in substitute(list(self.letters.special), names)], most)
        single = f"{'at most one of ' * (len(special) > 1)}{', '.join(special)}{' at most once' * (len(special) == 1)}"
        several = [*([positions] if positions and speeds else []), *([single] if special else [])]
        made = f" with coefficients made of {' and '.join(several)}" if several else ""
        return f"polynomials in {speeds or positions}{made}", meant


def _listed(numbers: Sequence[int]) -> str:
    """Return numbers as an enumeration, one where all are the same."""
    *first, last = map(str, numbers if len(set(numbers)) > 1 else numbers[:1])
    return f"{', '.join(first)} and {last}" if first else last


def _shorter_base(function: Expr) -> Expr:
    """Return a function up to a number, with what it is a power of written shorter."""
    base, exponent = as_power(function)
    return product([(shorter(base), exponent)])


def search_integrals(
    motions: Motions, letters: Letters, degree: int, most: int, known: Sequence[Integral] = ()
) -> IntegralSearch:
    """Return the first integrals of a degree in the speeds in the largest space of at most so many constants.

    >>> from dalembert.model.system import System
    >>> from dalembert.analysis.discovery.letters import letters_of
    >>> both = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2")
    >>> m = Motions(both)
    >>> found = search_integrals(m, letters_of(both, m.names.equations), 1, 100)
    >>> [one.expression for one in found.found]
    [x'*y - x*y']
    """
    field = _Field.of(motions, letters)
    bounds = _bounds(motions, letters, degree, most)
    if bounds is None:
        return IntegralSearch((), degree, (), letters, 0)
    some = Products(field.letters, field.rates, tuple(letters.exponents(bounds)))
    places = independent_products(some)
    searched = some.restricted(places)
    stated = [searched.exponents[k] for k in range(len(places))]
    parts = [[(stated[k], c) for k, c in enumerate(row) if c] for row in constant_products(searched)]
    # what was not solved is taken for all values of what is zero on the states, which then are known too
    before = [*(one.expression for one in known), *motions.unsolved_relations]
    # what is a polynomial in known ones for numbers in place of the parameters need not be solved for these
    seen = new_ones(motions, [_with_numbers(letters, some) for some in parts], before, field.values)
    found: list[Integral] = []
    missed = 0
    for k in seen:
        exact = list(_exact(motions, letters, parts[k], field))
        found += [one for one in exact if not _of_one(motions, one.expression, before)]
        missed += not exact and not _follows(motions, _with_numbers(letters, parts[k]), before, field.values)
    fresh = one_by_one(motions, [one.expression for one in found], before, field.values)
    short = tuple(replace(found[k], shown=shorter(found[k].shown)) for k in fresh)
    return IntegralSearch(short, degree, tuple(bounds), letters, len(places), missed)


def _follows(motions: Motions, function: Expr, known: Sequence[Expr], values: Mapping[Expr, Expr]) -> bool:
    """Say whether a function depends on known ones, near generic states and for numbers in place of parameters."""
    written = _written(motions, [*known, function], values)
    variables = [symbol(s) for s in symbols(written) if s.role == "variable"]
    slopes = [gradient(e, variables) for e in written]
    return generic_rank(slopes).rank == generic_rank(slopes[:-1]).rank


def _of_one(motions: Motions, function: Expr, known: Sequence[Expr]) -> bool:
    """Say whether a function is a number on the states, or there a function of a single known one."""
    try:
        written = _written(motions, [function, *known], {})
    except ExpressionError:  # it divides by what is zero on the states
        return True
    variables = [symbol(s) for s in symbols(written) if s.role != "parameter"]
    slopes = [gradient(e, variables) for e in written]
    if vanish(slopes[0]):
        return True
    return any(generic_rank([slopes[0], row]).rank == 1 for row in slopes[1:] if not vanish(row))


def new_ones(
    motions: Motions, found: Sequence[Expr], known: Sequence[Expr], values: Mapping[Expr, Expr] | None = None
) -> list[int]:
    """Return the places of those functions that are no polynomials of low degree in known ones.

    >>> from dalembert.expr import symbol
    >>> from dalembert.model.system import System
    >>> x = symbol("x")
    >>> new_ones(Motions(System.of(name="x", coordinates="x", lagrangian="x'^2")), [x**2 + x, x**13], [x])
    [1]
    """
    if not found:
        return []
    count = len(known)
    degree = next(d for d in range(_MOST_DEGREE, 0, -1) if comb(count + d, d) <= _MOST_POLYNOMIALS or d == 1)
    rows = [e for d in range(1, degree + 1) for e in exponents(count, d)]
    several = [(*row, *(0,) * len(found)) for row in rows]
    several += [(0,) * count + tuple(int(k == j) for k in range(len(found))) for j in range(len(found))]
    letters = _written(motions, [*known, *found], values or _values(motions))
    places = independent_products(Products(tuple(letters), tuple(letters), tuple(several)))
    return [place - len(rows) for place in places if place >= len(rows)]


def one_by_one(
    motions: Motions, found: Sequence[Expr], known: Sequence[Expr], values: Mapping[Expr, Expr] | None = None
) -> list[int]:
    """Return the places of those functions that are no polynomials of low degree in known ones and those before them.

    >>> from dalembert.expr import symbol
    >>> from dalembert.model.system import System
    >>> x = symbol("x")
    >>> one_by_one(Motions(System.of(name="x", coordinates="x", lagrangian="x'^2")), [x, x**2, x**3], [])
    [0]
    """
    places = new_ones(motions, found, known, values)
    kept: list[int] = []
    while len(places) > 1:
        kept.append(places.pop(0))
        left = new_ones(motions, [found[k] for k in places], [*known, *(found[k] for k in kept)], values)
        places = [places[k] for k in left]
    return [*kept, *places]


# -- the field ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Field:
    """Letters and their rates with numbers for the parameters, on charts of spheres."""

    letters: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    values: Mapping[Expr, Expr]

    @classmethod
    def of(cls, motions: Motions, letters: Letters) -> _Field:
        drive = motions.names.drive
        values = _values(motions)
        rates = tangent(list(letters.all), drive)
        read = _written(motions, [*letters.all, *rates], values)
        size = len(letters.all)
        return cls(tuple(read[:size]), tuple(read[size:]), values)


def _values(motions: Motions) -> dict[Expr, Expr]:
    """Return a prime for each parameter."""
    names = {s for s in symbols(motions.names.drive.values()) if s.role == "parameter"}
    found: dict[Expr, Expr] = {}
    for p in motions.names.equations.parameters.keys() | motions.system.parameters.keys():
        if p.data in names or p in motions.system.parameters:
            found[p] = number(0)
    ordered = sorted(found, key=lambda p: str(p.data.name))
    below = 64 if motions.closing else 1  # links of about one length close
    return {
        p: number(Fraction(-prime if p.data.domain == "negative" else prime, below))
        for p, prime in zip(ordered, _PRIMES[7:], strict=False)
    }


def _written(motions: Motions, expressions: Sequence[Expr], values: Mapping[Expr, Expr]) -> list[Expr]:
    """Return expressions with numbers for parameters, and all that states obey put in as far as it was solved."""
    return substitute(motions.on_states(expressions), dict(values))


# -- the space ---------------------------------------------------------------------------------------------------
def _bounds(motions: Motions, letters: Letters, degree: int, most: int) -> list[tuple[int, int]] | None:
    """Return the largest space with at most so many products: for each degree in speeds the bound on all else.

    Of motions without forces the parts of an integral of each degree are integrals.
    """
    steps = range(degree, degree - 1 if motions.kinetic else -1, -2 if motions.reversible else -1)
    for top in range(degree + 8, -1, -1):
        bounds = [(k, top + (3 * (degree - k) + 1) // 2) for k in steps]
        if sum(letters.count(k, others) for k, others in bounds) <= most:
            return bounds
    bounds = [(k, degree - k) for k in steps]
    return bounds if sum(letters.count(k, others) for k, others in bounds) <= most else None


def _with_numbers(letters: Letters, parts: Sequence[tuple[tuple[int, ...], int]]) -> Expr:
    return total([(c, product(list(zip(letters.all, several, strict=True)))) for several, c in parts])


# -- with parameters as they are -----------------------------------------------------------------------------------
def _exact(
    motions: Motions, letters: Letters, parts: Sequence[tuple[tuple[int, ...], int]], field: _Field
) -> Iterator[Integral]:
    """Yield the integral between the products that take part, decided."""
    few = Products(letters.all, letters.all, tuple(several for several, _ in parts))
    products = [few.expression(k) for k in range(len(parts))]
    called = replace(few, letters=tuple(map(letters.called, letters.all)))
    if field.values:
        rates = tangent(products, motions.names.drive)
        rows = (
            _related(motions, rates) if motions.closing else []
        )  # for all values of what closes loops, if that will do
        rows = rows or _related(motions, _written(motions, rates, {}))
    else:
        rows = [[number(c) for _, c in parts]]
    for weights in rows:
        function = combined(weights, products)
        verdict = motions.keep(function)
        if verdict.holds is True:
            shown = combined(weights, [called.expression(k) for k in range(len(parts))])
            yield Integral(function, verdict, shown)


def _related(motions: Motions, rates: Sequence[Expr]) -> list[list[Expr]]:
    try:
        return relations([[rate] for rate in rates], facts_of(motions.system)).basis
    except ExpressionError:  # the rates are too large as functions of the state and the parameters
        return _from_points(rates, len(rates))


def _from_points(rates: Sequence[Expr], count: int) -> list[list[Expr]]:
    """Return the relation between rates from rational points, where they are functions of the parameters alone."""
    variables = sorted({s for s in symbols(rates) if s.role == "variable"}, key=str)
    if any(s.domain == "angle" for s in variables):
        return []
    draw = Random(count)
    rows = []
    for _ in range(count - 1):
        point = {symbol(s): number(Fraction(draw.randint(1, 9), draw.randint(1, 4))) for s in variables}
        rows.append(substitute(rates, point))
    try:
        solved = solve([row[:-1] for row in rows], [-row[-1] for row in rows])
        weights = [*(normal(weight, _NORMAL) for weight in solved), ONE]
        below = {
            base: -e for w in weights if w.op == "product" for base, e in zip(w.args, w.data, strict=True) if e < 0
        }
        return [[normal(weight * product(list(below.items())), _NORMAL) for weight in weights]]
    except DalembertError:  # it is too large
        return []


def shorter(function: Expr) -> Expr:
    """Return a function written shorter, where that is quick; at least as one sum.

    >>> x, y = symbol("x"), symbol("y")
    >>> shorter(-(((x**2 + y) / 2 - y) - x**2))
    (x^2 + y)/2
    """
    function = one_sum(function)
    if len(postorder([function])) > _SHORT:
        return function
    try:
        whole = tidy(function, _TIDY)
        if whole.op != "sum":
            return whole
        short = SimplificationBudget(_TIDY, _TIDY, _SHORT, reading=1.0)  # all terms have what the whole had
        terms = total([(c, short(a)) for c, a in zip(whole.data[1], whole.args, strict=True)], whole.data[0])
    except ExpressionError:
        return function
    return min(whole, terms, key=lambda e: len(postorder([e])))  # fractions that have little in common


def one_sum(function: Expr) -> Expr:
    """Return a sum with the sums among its terms opened, so that like terms meet.

    >>> x, y = symbol("x"), symbol("y")
    >>> one_sum(-(x - 2 * (y + x)))
    x + 2*y
    """
    terms: list[tuple[Number, Expr]] = []
    pending: list[tuple[Number, Expr]] = [(1, function)]
    constant: Number = 0
    while pending:
        times, one = pending.pop()
        if one.op == "sum":
            constant += times * one.data[0]
            pending += [(times * c, a) for c, a in zip(one.data[1], one.args, strict=True)]
        else:
            terms.append((times, one))
    return total(terms, constant)
