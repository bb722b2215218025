"""Small sparse polynomials in parts of expressions, multiplied out as far as that helps and named where it does not.

What an elimination of mechanics multiplies is short: l*cos(q), m, an entry with a name. Multiplied out, sums of
squares of sines and cosines become 1, and terms cancel; a polynomial of several terms that becomes a factor gets a
name, which is a node of the graph, so that nothing is multiplied out twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import TypeAlias

from dalembert.expr.field.meter import TooLarge
from dalembert.expr.graph import Expr, Number, make, number, product, total
from dalembert.expr.walk import postorder

Monomial: TypeAlias = tuple[tuple[int, int], ...]
"""Parts by their places, each with its exponent, which may be negative; in the order of the places."""
Polynomial: TypeAlias = dict[Monomial, Number]
"""Coefficients of monomials, none of them zero."""

_ONE: Monomial = ()
_MULTIPLIED_OUT = 6
"""The most terms that a product of two sums is multiplied out to."""
_KEPT = 2
"""The most terms of an entry of a matrix that is left as it is."""
_OPENED = 8
"""The most terms of a part that is written out; a longer one is a part as it is."""


class Ring:
    """The parts that polynomials are made of, numbered as they come."""

    def __init__(self, whole: Callable[[Expr], bool] = lambda _: False) -> None:
        """Nodes that are ``whole`` are parts, whatever they are made of."""
        self.parts: list[Expr] = []
        self._places: dict[Expr, int] = {}
        self._circles: dict[int, tuple[int, int]] = {}
        """The places of a sine and its cosine, for each of them."""
        self._open: set[int] = set()
        """Places of what must be seen wherever it stands: the unknowns of a linear system."""
        self._made: set[int] = set()
        """Places of sums that have got a name."""
        self._known: dict[Expr, Polynomial] = {}
        self._whole = whole
        self._work = 0
        self.most_work: int | None = None
        """After so many products of terms ``TooLarge`` is raised."""

    # -- parts -------------------------------------------------------------------------------------------------
    def place(self, node: Expr) -> int:
        """Return the place of a part."""
        found = self._places.get(node)
        if found is None:
            found = self._places[node] = len(self.parts)
            self.parts.append(node)
            if node.op == "pick" and node.args[0].op == "sincos":
                other = self.place(make("pick", 1 - node.data, node.args))
                self._circles[found] = (found, other) if node.data == 0 else (other, found)
        return found

    def part(self, node: Expr) -> Polynomial:
        """Return a part as a polynomial."""
        return {((self.place(node), 1),): 1}

    def keep_open(self, nodes: Iterable[Expr]) -> None:
        """Never hide these parts within others."""
        self._open.update(map(self.place, nodes))

    # -- arithmetic --------------------------------------------------------------------------------------------
    def add(self, *several: Polynomial) -> Polynomial:
        """Return a sum, with squares of sines and cosines put together where that is shorter."""
        result: Polynomial = dict(several[0])
        for one in several[1:]:
            for monomial, coefficient in one.items():
                whole = result.get(monomial, 0) + coefficient
                if whole:
                    result[monomial] = whole
                else:
                    del result[monomial]
        return self._with_unit_circles(result)

    def times(self, one: Polynomial, other: Polynomial, scale: Number = 1) -> Polynomial:
        """Return a product; a sum with many terms is named first."""
        if not one or not other:
            return {}
        while len(one) > 1 and len(other) > 1 and len(one) * len(other) > _MULTIPLIED_OUT:
            if len(one) >= len(other):
                one = self.named(one)
            else:
                other = self.named(other)
        return self._multiplied(one, other, scale)

    def _multiplied(self, one: Polynomial, other: Polynomial, scale: Number = 1) -> Polynomial:
        """Return a product, multiplied out."""
        self._spend(len(one) * len(other))
        result: Polynomial = {}
        for left, a in one.items():
            for right, b in other.items():
                monomial = _together(left, right)
                whole = result.get(monomial, 0) + scale * a * b
                if whole:
                    result[monomial] = whole
                else:
                    del result[monomial]
        return self._with_unit_circles(result)

    def _spend(self, products: int) -> None:
        self._work += products
        if self.most_work is not None and self._work > self.most_work:
            raise TooLarge("an elimination would multiply out too many terms.")

    def inverse(self, one: Polynomial) -> Polynomial:
        """Return one over a polynomial."""
        (monomial, coefficient), *more = self.named(one).items()
        assert not more
        return {tuple((place, -exponent) for place, exponent in monomial): Fraction(1) / coefficient}

    def _with_unit_circles(self, one: Polynomial) -> Polynomial:
        """Use cos^2 + sin^2 = 1 wherever that leaves fewer terms."""
        again = len(one) > 1 and bool(self._circles)
        while again:
            again = False
            for monomial in list(one):
                for place, exponent in monomial:
                    if exponent >= 2 and place in self._circles and monomial in one:
                        again = self._shorter(one, _together(monomial, ((place, -2),)), *self._circles[place]) or again
        return one

    @staticmethod
    def _shorter(one: Polynomial, rest: Monomial, sine: int, cosine: int) -> bool:
        """Put X cos^2 + X sin^2 = X to use where a term less is left; say whether there was one.

        Of two ways that with the smaller coefficients: 1000 cos^2 + sin^2 + 1 is 999 cos^2 + 2, as right as it was
        where the cosine is zero, and not 1001 - 999 sin^2.
        """
        three = [_together(rest, ((cosine, 2),)), _together(rest, ((sine, 2),)), rest]
        a, b, c = (one.get(monomial, 0) for monomial in three)
        ways = [(a - t, b - t, c + t) for t in (a, b, -c)]
        best = min(ways, key=lambda way: (sum(map(bool, way)), max(*way, -min(way))))
        if sum(map(bool, best)) >= sum(map(bool, (a, b, c))):
            return False
        for monomial, value in zip(three, best, strict=True):
            one.pop(monomial, None)
            if value:
                one[monomial] = value
        return True

    # -- names -------------------------------------------------------------------------------------------------
    def named(self, one: Polynomial) -> Polynomial:
        """Return a single term: the common factor, times a part that stands for the rest."""
        if len(one) <= 1:
            return one
        common = _common(one)
        rest = {_together(m, tuple((p, -e) for p, e in common)): c for m, c in one.items()} if common else one
        sign = 1 if rest[min(rest)] > 0 else -1
        node = self.expression(rest if sign == 1 else {m: -c for m, c in rest.items()})
        self._made.add(self.place(node))
        return {_together(((self.place(node), 1),), common): sign}

    def short(self, one: Polynomial) -> Polynomial:
        """Return a polynomial, as one part where it is long or made of parts that have got names."""
        if len(one) <= 1 or (len(one) <= _KEPT and all(self._is_plain(p) for monomial in one for p, _ in monomial)):
            return one
        return self.named(one)

    def _is_plain(self, place: int) -> bool:
        return place not in self._made

    def by_names(self, one: Polynomial, sums: Iterable[Polynomial]) -> Polynomial:
        """Return a polynomial by the names of sums, as far as it has their terms."""
        rest: Polynomial = one
        found: Polynomial = {}
        for several in sums:
            if len(several) < 2 or len(rest) < 2:
                continue
            (first, scale), *_ = several.items()
            for monomial, coefficient in rest.items():
                factor = _together(monomial, tuple((p, -e) for p, e in first))
                part = {_together(m, factor): c * coefficient / Fraction(scale) for m, c in several.items()}
                left = self.add(rest, {m: -c for m, c in part.items()})
                if len(left) <= len(rest) - len(several) + 1:
                    name: Polynomial = {
                        _together(m, factor): c * coefficient / Fraction(scale) for m, c in self.named(several).items()
                    }
                    rest, found = left, self.add(found, name)
                    break
        return self.add(found, rest) if found else one

    def one_part(self, one: Polynomial) -> Polynomial:
        """Return a polynomial as a part of its own, also where it is a single product."""
        if len(one) == 1 and sum(abs(e) for monomial in one for _, e in monomial) <= 1:
            return one
        if len(one) == 1:
            ((monomial, coefficient),) = one.items()
            return {((self.place(self._product(monomial, 1)), 1),): coefficient}
        return self.named(one)

    def without_common(self, several: Sequence[Polynomial]) -> tuple[Polynomial, list[Polynomial]]:
        """Return the factors that all terms of several polynomials have, and the polynomials without them."""
        common = _common([monomial for one in several for monomial in one])
        back = tuple((p, -e) for p, e in common)
        return {common: 1}, [{_together(m, back): c for m, c in one.items()} for one in several]

    # -- to and from expressions ---------------------------------------------------------------------------------
    def expression(self, one: Polynomial) -> Expr:
        """Return a polynomial as an expression, the most frequent factors taken out (Horner)."""
        if not one:
            return number(0)
        if len(one) == 1:
            ((monomial, coefficient),) = one.items()
            return self._product(monomial, coefficient)
        common = _common(one)
        if common:
            inner = {_together(m, tuple((p, -e) for p, e in common)): c for m, c in one.items()}
            return self._times(common, self.expression(inner))
        counts = Counter(place for monomial in one for place, exponent in monomial if exponent > 0)
        best = max(counts, key=lambda place: (counts[place], -place), default=None)
        if best is None or counts[best] < 2:
            return total([(c, self._product(m, 1)) for m, c in one.items()])
        inside = {_together(m, ((best, -1),)): c for m, c in one.items() if any(p == best and e > 0 for p, e in m)}
        outside = {m: c for m, c in one.items() if _together(m, ((best, -1),)) not in inside}
        terms = [(1, self._times(((best, 1),), self.expression(inside)))]
        left = self.expression(outside)
        if left.op == "sum":
            return total([*terms, *zip(left.data[1], left.args, strict=True)], left.data[0])
        return total([*terms, (1, left)])

    def _times(self, monomial: Monomial, inner: Expr) -> Expr:
        return product([(inner, 1), *((self.parts[p], e) for p, e in monomial)])

    def _product(self, monomial: Monomial, coefficient: Number) -> Expr:
        return product(((self.parts[p], e) for p, e in monomial), coefficient)

    def read(self, roots: Sequence[Expr]) -> list[Polynomial]:
        """Return expressions as polynomials; long sums without open parts stay as they are."""
        known = self._known
        for node in postorder(roots, known):
            known[node] = self._opened(node)
        return [dict(known[root]) for root in roots]

    def _opened(self, node: Expr) -> Polynomial:
        if node.op == "number":
            return {_ONE: node.data} if node.data else {}
        if node.op == "sum" and not self._whole(node):
            constant, coefficients = node.data
            scaled = [
                {m: c * k for m, c in self._known[a].items()} for k, a in zip(coefficients, node.args, strict=True)
            ]
            return self._bounded(node, self.add({_ONE: constant} if constant else {}, *scaled))
        if node.op == "product" and not self._whole(node) and all(e.denominator == 1 for e in node.data):
            result: Polynomial = {_ONE: 1}
            for argument, exponent in zip(node.args, node.data, strict=True):
                base = self._known[argument]
                if exponent < 0:
                    base = self.inverse(base) if base else self.part(node)
                for _ in range(abs(int(exponent))):
                    result = self._opened_product(result, base)
            return self._bounded(node, result)
        return self.part(node)

    def _opened_product(self, one: Polynomial, other: Polynomial) -> Polynomial:
        """Return a product in which no open part is hidden."""
        if not self._shows_open(one) and not self._shows_open(other):
            return self.times(one, other)
        return self._multiplied(one, other)

    def _shows_open(self, one: Polynomial) -> bool:
        return any(place in self._open for monomial in one for place, _ in monomial)

    def _bounded(self, node: Expr, one: Polynomial) -> Polynomial:
        return one if len(one) <= _OPENED or self._shows_open(one) else self.part(node)


def _together(one: Monomial, other: Monomial) -> Monomial:
    """Return the product of two monomials."""
    if not one:
        return other
    if not other:
        return one
    exponents = dict(one)
    for place, exponent in other:
        whole = exponents.get(place, 0) + exponent
        if whole:
            exponents[place] = whole
        else:
            del exponents[place]
    return tuple(sorted(exponents.items()))


def _common(one: Iterable[Monomial]) -> Monomial:
    """Return the factors that all terms have."""
    monomials = iter(one)
    common = dict(next(monomials, ()))
    for monomial in monomials:
        here = dict(monomial)
        common = {p: min(e, here[p], key=abs) for p, e in common.items() if p in here and (e > 0) == (here[p] > 0)}
        if not common:
            return ()
    return tuple(sorted(common.items()))
