"""Fractions of polynomials whose variables are related: other fractions that are equal where the relations hold.

A relation such as x^2 + y^2 + z^2 = 1 says what one of its monomials is by the others. First its multiples are taken
off wherever that leaves fewer terms. Then each replacement of a monomial is tried, those again that leave few terms,
and whoever asked takes the way that is shortest once it is written down.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from operator import add
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field.meter import Meter
from dalembert.expr.field.priced import Polynomial, Ring
from dalembert.expr.field.quotients import Field, Quotient
from dalembert.records import dataclass

_DEPTH = 8
"""How often replacements follow each other,"""
_WIDTH = 4
"""how many polynomials are replaced in again, and how many are compared,"""
_STEPS = 40
"""and how often one monomial is replaced."""
_TERM = 0.3
"""Units of work for a look at one term."""


def equal_fractions(
    field: Field, value: Quotient, relations: Sequence[Relation], meter: Meter, most: float
) -> Iterator[Quotient]:
    """Yield a fraction, and fractions that equal it where polynomials of the field are zero, short ones first.

    None are looked for once the meter has spent ``most``.
    """
    yield value
    heads = [head for relation in relations for head in relation.heads(field.ring)]
    if not value.below.is_constant() or len(value.above) > 1:
        value = field.make(_with_fewer_terms(value.above, heads, meter), _with_fewer_terms(value.below, heads, meter))
        yield value
    above = _equal(value.above, heads, meter, most)
    below = [value.below] if value.below.is_constant() else _equal(value.below, heads, meter, most)
    pairs = sorted(((a, b) for a in above for b in below), key=lambda pair: len(pair[0]) + len(pair[1]))
    for a, b in pairs:
        if b.is_zero():
            raise ExpressionError("a denominator is zero.")
        yield field.make(a, b)


def _with_fewer_terms(polynomial: Any, heads: Sequence[_Head], meter: Meter) -> Any:
    """Return a polynomial less multiples of relations, each of which leaves fewer terms than before."""
    if len(polynomial) <= 1:
        return polynomial
    terms, count = dict(polynomial.to_dict()), -1
    while len(terms) != count:
        count = len(terms)
        for head in heads:
            meter.charge(_TERM * len(terms))
            head.take_off(terms)
    return polynomial.context().from_dict(terms)


def _equal(polynomial: Any, heads: Sequence[_Head], meter: Meter, most: float) -> list[Any]:
    """Return some of the shortest polynomials that equal a given one, itself among them."""
    found = Distinct([polynomial])
    newest = [polynomial]
    for _ in range(_DEPTH):
        grown = Distinct()
        for old in newest:
            if meter.spent > most:
                return _shortest(found)
            for head in heads:
                new = head.replaced(old)
                if new is not None and new not in found:
                    grown.add(new)
        for new in grown:
            found.add(new)
        newest = _shortest(grown)
        if not newest or len(newest[0]) > 2 * min(map(len, found)):
            break
    return _shortest(found)


class Distinct:
    """Polynomials of a priced ring, each once, in the order in which they came.

    FLINT compares them in a fiftieth of the time that it takes to write them down.

    >>> from dalembert.expr.field.priced import Ring
    >>> x, y = Ring(("x", "y"), Meter(1e6)).gens()
    >>> several = Distinct([x + y])
    >>> several.add(y + x), several.add(x - y), [str(one) for one in several]
    (False, True, ['x + y', 'x - y'])
    """

    __slots__ = ("_alike", "_all")

    def __init__(self, polynomials: Iterable[Polynomial] = ()) -> None:
        self._all: list[Polynomial] = []
        self._alike: dict[tuple[int, int, int], list[Any]] = {}
        for polynomial in polynomials:
            self.add(polynomial)

    def __iter__(self) -> Iterator[Polynomial]:
        return iter(self._all)

    def __contains__(self, polynomial: Polynomial) -> bool:
        polynomial.pay_text()
        return polynomial.value in self._alike.get(_glimpse(polynomial.value), ())

    def add(self, polynomial: Polynomial) -> bool:
        """Have a polynomial among them; say whether it is new."""
        if polynomial in self:
            return False
        self._all.append(polynomial)
        self._alike.setdefault(_glimpse(polynomial.value), []).append(polynomial.value)
        return True


def _glimpse(value: Any) -> tuple[int, int, int]:
    """Return what tells most polynomials of FLINT's apart, and is known at once."""
    return len(value), int(value.total_degree()), int(value.leading_coefficient()) if value else 0


def _shortest(polynomials: Iterable[Any]) -> list[Any]:
    return nsmallest(_WIDTH, polynomials, key=lambda p: (len(p), sum(p.degrees())))


@dataclass(frozen=True, slots=True)
class _Head:
    """A monomial, by the places and powers of its variables, and the relation, in which it stands with factor 1."""

    powers: tuple[tuple[int, int], ...]
    monomial: Any
    relation: Any
    relation_terms: dict[tuple[int, ...], int]

    def replaced(self, polynomial: Any) -> Any | None:
        """Return a polynomial with all multiples of the monomial written by the rest; None if it has none."""
        inside = polynomial // self.monomial  # the terms that it divides
        if inside.is_zero():
            return None
        for _ in range(_STEPS):
            polynomial = polynomial - inside * self.relation
            inside = polynomial // self.monomial
            if inside.is_zero():
                return polynomial
        return None

    def take_off(self, terms: dict[tuple[int, ...], int]) -> None:
        """Take multiples of the relation off a polynomial where the monomial goes and fewer terms are left."""
        powers = self.powers
        for exponents, coefficient in list(terms.items()):
            for place, power in powers:
                if exponents[place] < power:
                    break
            else:
                self._take_off(terms, exponents, coefficient)

    def _take_off(self, terms: dict[tuple[int, ...], int], exponents: tuple[int, ...], coefficient: int) -> None:
        if terms.get(exponents) != coefficient:
            return
        rest = list(exponents)
        for place, power in self.powers:
            rest[place] -= power
        places, strange = [], 0
        for monomial in self.relation_terms:
            there = (*map(add, rest, monomial),)
            places.append(there)
            if there not in terms:
                strange += 1
                if 2 * strange >= len(self.relation_terms):  # more come than can go
                    return
        new = {
            there: terms.get(there, 0) - coefficient * factor
            for there, factor in zip(places, self.relation_terms.values(), strict=True)
        }
        if sum(map(bool, new.values())) < len(new) - strange:
            for there, value in new.items():
                if value:
                    terms[there] = value
                else:
                    del terms[there]


class Relation:
    """A polynomial of FLINT's that is zero, with the monomials that it gives: they are found once for all meters.

    The same relations are asked of every part of a derivation, most of which are short.

    >>> from dalembert.expr.field.priced import Ring
    >>> ring = Ring(("x", "y"), Meter(1e6))
    >>> x, y = ring.gens()
    >>> circle = Relation((x**2 + y**2 - 1).value)
    >>> before = ring.meter.spent
    >>> first, once = circle.heads(ring), ring.meter.spent
    >>> again, twice = circle.heads(ring), ring.meter.spent
    >>> round(twice - once, 6) == round(once - before, 6) > 0  # what is remembered costs what it did
    True
    >>> [str(head.monomial) for head in first], [str(head.monomial) for head in again]
    (['x^2', 'y^2'], ['x^2', 'y^2'])
    """

    __slots__ = ("_cost", "_known", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._known: list[tuple[Any, ...]] = []
        self._cost = -1.0

    def heads(self, ring: Ring) -> list[_Head]:
        """Return what it gives, in a ring; what was found before costs what it did."""
        if self._cost < 0:
            with ring.meter.afresh():
                found = _heads(Polynomial(ring, self.value))
                self._cost = ring.meter.spent
            self._known = [(one.powers, one.monomial.value, one.relation.value, one.relation_terms) for one in found]
            return found
        ring.meter.charge(self._cost)
        return [
            _Head(powers, Polynomial(ring, monomial), Polynomial(ring, whole), terms)
            for powers, monomial, whole, terms in self._known
        ]


def _heads(relation: Any) -> list[_Head]:
    """Return the monomials of highest degree that a relation gives by the others."""
    terms = relation.to_dict()
    top = max(map(sum, terms))
    return [
        _Head(
            tuple((place, power) for place, power in enumerate(m) if power),
            relation.context().from_dict({m: 1}),
            c * relation,
            {n: c * factor for n, factor in terms.items()},
        )
        for m, c in terms.items()
        if sum(m) == top and abs(c) == 1
    ]
