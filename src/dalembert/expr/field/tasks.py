"""What the worker can be asked to do.

Every task takes a list of expressions, a meter that is charged for the work, and options. A fraction is written in the
shortest way that a search finds: as one, or with parts of it apart from the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from math import gcd
from typing import Any, TypeAlias

from flint.utils.flint_exceptions import DomainError

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import exp
from dalembert.expr.field.meter import Meter, OutOfWork, TooLarge, refused_once
from dalembert.expr.field.modulo import Relation, equal_fractions
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field, Quotient
from dalembert.expr.field.shorten import MOST_TERMS, Shortener, length_of, ratios
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.graph import Expr, make, product, total
from dalembert.expr.truth.radicals import take_squares_out
from dalembert.expr.walk import Rebuild, evaluate, pack, unroll
from dalembert.records import dataclass

Ratio: TypeAlias = "tuple[Any, Any]"
"""Numerator and denominator, polynomials in sines and cosines."""

_DEPTH = 2
"""How often the parts are taken apart again."""
_WIDTH = 2
"""How many of the ways that look best are taken apart again."""
_HOPE = 1.5
"""What is not taken apart, and with its factors taken out longer than what was given by this, does not become short."""
_HOPE_MODULO = 4.0
"""The same beside relations: the squares of two rows of a rotation become short that are 1.8 times as long at first."""
_WRITING = 4.0
"""So many times what it may search for a fraction may take in all, with writing down what was found."""
_LOOKING = 1 / 3
"""Which part of a search by relations is for finding fractions that are equal, before they are worked out,"""
_EQUAL = 6
"""and how many of them are, if they look best."""


class Fractions:
    """Writes elements of a field as fractions, or sums of fractions, of polynomials in sines and cosines."""

    def __init__(self, short: Shortener) -> None:
        self.short, self.circle = short, short.circle
        self._memo: dict[tuple[str, str, bool], Expr] = {}

    def shortest(self, values: Iterable[Quotient], given: int) -> Expr | None:
        """Return a short expression for one of several elements that stand for the same: those that look best.

        None if even these are too long to become as short as what is ``given``, or if nothing is left for the search.
        """
        wholes = ([self.circle.quotient(value)] for value in values)
        best = [whole for (whole,) in self.short.promising(wholes, self._one, _EQUAL)]
        if not best or self.short.price(self.rough(best[0])) > _HOPE_MODULO * given:  # none if it is late already
            meter, until = self.short.meter, self.short.search  # a budget is for as many formulas as if it were made
            meter.charge(min(max(until - meter.spent, 0.0), meter.left))
            return None
        return self.short.best(map(self.write, best))

    def write(self, whole: Ratio) -> Expr:
        """Return a short expression for a fraction."""
        ways: list[list[Ratio]] = [[whole]]
        level = ways
        for _ in range(_DEPTH):
            best = self.short.promising(level, self._one, _WIDTH)
            level = [parts for way in best for parts in self._taken_apart(way)]
            ways = ways + level
        return self.short.best(chain([self.rough(whole)], self.short.apart(ways, self._one)))

    def rough(self, whole: Ratio) -> Expr:
        """Return a fraction with factors taken out, and little else tried."""
        return self._one(whole, rough=True)

    def _one(self, fraction: Ratio, *, rough: bool = False) -> Expr:
        """Write one fraction."""
        key = (str(fraction[0]), str(fraction[1]), rough)
        if key not in self._memo:
            above, below = (self.short.polynomial(part, rough=rough) for part in fraction)
            self._memo[key] = self.short.best(ratios(above, below))
        return self._memo[key]

    def _taken_apart(self, fractions: Sequence[Ratio]) -> Iterator[list[Ratio]]:
        """Yield sums with one of the fractions split."""
        for i, (above, below) in enumerate(fractions):
            if 1 < len(above) <= MOST_TERMS:
                for parts in self._splits(above, below):
                    if self.short.late():
                        return
                    values = [self.circle.fraction(a, b) for a, b in parts]
                    new = [self.circle.quotient(v) for v in values if not v.above.is_zero()]
                    yield [*fractions[:i], *new, *fractions[i + 1 :]]

    def _splits(self, above: Any, below: Any) -> Iterator[list[Ratio]]:
        """Yield lists of fractions that add up to the given one."""
        number = self.circle.ring.constant(int(below.content()))
        primitive = below if number.is_one() else below / number
        for divisor in (below,) if primitive is below else (primitive, below):
            groups = self._by_denominator(above, divisor)
            if len(groups) > 1:
                yield [(group, below) for group in groups]
        for whole in self._wholes(above, primitive):
            yield [(whole, number), (above - whole * primitive, below)]
        for square, rest, scale in self._squares(above):
            yield [(square, below * scale), (rest, below * scale)]

    def _by_denominator(self, above: Any, below: Any) -> list[Any]:
        """Return the terms of a numerator in groups that have the same factor in common with the denominator.

        For a single term that is the part of each power, and of the number, that all terms of the denominator have.
        """
        number, ring = int(below.content()), self.circle.ring
        least = [min(powers) for powers in zip(*below.to_dict(), strict=True)]
        if number == 1 and not any(least):
            return [above]
        groups: dict[tuple[int, ...], dict[Any, Any]] = {}
        for monomial, coefficient in above.to_dict().items():
            common = (gcd(coefficient, number), *map(min, monomial, least))
            groups.setdefault(common, {})[monomial] = coefficient
        return [ring.from_dict(group) for group in groups.values()]

    def _wholes(self, above: Any, below: Any) -> Iterator[Any]:
        """Yield what a division gives as a polynomial, in each variable, and the terms of that one by one."""
        seen = set()
        for place, degree in enumerate(below.degrees()[: self.circle.plain]):
            if not degree:
                continue
            whole = self._divided(above, below, place)
            ones = [self.circle.ring.from_dict({m: c}) for m, c in whole.to_dict().items()]
            for candidate in [whole, *(ones if 1 < len(ones) < 5 else ())]:
                if not candidate.is_zero() and str(candidate) not in seen:
                    seen.add(str(candidate))
                    yield candidate

    def _divided(self, above: Any, below: Any, place: int) -> Any:
        """Divide in one variable as long as the leading coefficients divide; return the quotient."""
        variable = self.circle.gens[place]
        whole = self.circle.ring.constant(0)
        lower = _coefficients(below, place)
        degree = max(lower)
        while not above.is_zero():
            upper = _coefficients(above, place)
            top = max(upper)
            if top < degree:
                break
            try:
                step = upper[top] / lower[degree] * variable ** (top - degree)
            except DomainError:
                break
            whole, above = whole + step, above - step * below
        return whole

    def _squares(self, above: Any) -> Iterator[tuple[Any, Any, int]]:
        """Yield (s, r, k) with the numerator equal to (s + r)/k and s a square times what is no square.

        a v^2 + b v + c with a = k n h^2 and b = n h q is n (2 k h v + q)^2/(4k) + c - n q^2/(4k).
        """
        for place, degree in enumerate(above.degrees()[: self.circle.plain]):
            if degree != 2:
                continue
            parts = _coefficients(above, place)
            if 1 not in parts:
                continue
            content, factors = factored(parts[2])
            n = h = self.circle.ring.constant(1)
            for factor, power in factors:
                n, h = n * factor ** (power % 2), h * factor ** (power // 2)
            try:
                q = parts[1] / (n * h)
            except DomainError:
                continue
            scale = 4 * content
            square = n * (2 * content * h * self.circle.gens[place] + q) ** 2
            yield square, scale * parts.get(0, 0) - n * q**2, scale


def _coefficients(polynomial: Any, place: int) -> dict[int, Any]:
    """Return the coefficients of a polynomial that is not zero by the powers of one variable."""
    ring = polynomial.context()
    groups: dict[int, dict[tuple[int, ...], Any]] = {}
    for monomial, coefficient in polynomial.to_dict().items():
        exponents = list(monomial)
        power, exponents[place] = exponents[place], 0
        groups.setdefault(power, {})[tuple(exponents)] = coefficient
    return {power: ring.from_dict(group) for power, group in groups.items()}


_MOST_DEGREE = 1_000
"""Powers beyond it are not for people, and FLINT may fail to factor them."""


def vanishes(roots: Sequence[Expr], meter: Meter, most_terms: int) -> list[bool]:
    """Say of each expression whether its numerator is zero: a proof that it is, or that it is not as a formula."""
    prepared = take_squares_out(roots).roots
    field = Field(prepared, most_terms, meter=meter)
    return [field.read(root).above.is_zero() for root in prepared]


def normal(roots: Sequence[Expr], meter: Meter, most_terms: int) -> Any:
    """Return each expression as a reduced fraction in sines and cosines, packed."""
    prepared = take_squares_out(roots, careful=True).roots
    field = Field(prepared, most_terms, careful=True, meter=meter)
    circle = Circle(field)
    everywhere = ["cosine"] * len(circle.angles)
    short = Shortener(circle, meter, 0.0)
    answers = []
    for root in prepared:
        above, below = (circle.reduce(part, everywhere) for part in circle.quotient(field.read(root)))
        order = short.monomials(below)  # that of a sum is always the same, that of the ring is not
        if order.op == "sum" and order.data[1][0] < 0:
            above, below = -above, -below
        answers.append(product(((short.monomials(above), 1), (short.monomials(below), -1))))
    return pack(answers)


def shortest(roots: Sequence[Expr], meter: Meter, most_terms: int, search: float, reading: float) -> tuple[Any, bool]:
    """Return the shortest form found of each expression, packed; what is in functions and roots is shortened too.

    The search ends when ``search`` units of the meter are spent after reading; what is then left is for writing down
    what was found.
    An expression whose fraction takes more than ``reading`` units, or too many terms, stays; whether one did is told.
    """
    limits = _Limits(most_terms, meter, search, reading, _WRITING * search)
    inside = evaluate(take_squares_out(roots, careful=True).roots, _Inside(limits))
    found = [_shortest(root, limits) for root in inside]
    short = [inside[k] if e is None else e for k, e in enumerate(found)]
    return pack(evaluate(short, _OneExponential())), None in found


def shortest_modulo(roots: Sequence[Expr], meter: Meter, most_terms: int, search: float) -> Any:
    """Return the shortest form found of the first expression where all others are zero, packed."""
    root, *zero = roots
    try:
        field = Field([root, *zero], most_terms, careful=True, meter=meter)
        value, variables = field.read(root), (field.most_terms, *field.generators.nodes())
        relations = [_relation(field, relation, variables, meter) for relation in zero]
        circle = Circle(field)
        short = Shortener(circle, meter, meter.spent + search)
        if max(*value.above.degrees(), *value.below.degrees()) > _MOST_DEGREE:
            return pack([root])
        given = short.price(unroll([root])[0])
        equal = equal_fractions(field, value, relations, meter, meter.spent + _LOOKING * search)
        found = Fractions(short).shortest(equal, given)
    except ExpressionError:
        return pack([root])
    return pack([root if found is None or short.price(found) > given else found])


def _relation(field: Field, relation: Expr, variables: tuple[Any, ...], meter: Meter) -> Relation:
    """Return the numerator of a relation, without a number that divides it: others divide by its leading term.

    The same ones are asked of every part of a derivation, in the same parts.
    """
    key = relation, variables
    if key not in _relations:
        with meter.afresh():  # by itself: what it takes must not depend on what was read before
            (read,) = evaluate([relation], field, {})
            above = read.above / field.ring.constant(int(read.above.content() or 1))
            _remember(_relations, key, (Relation(above.value), meter.spent))
        return _relations[key][0]
    found, cost = _relations[key]
    meter.charge(cost)
    return found


@dataclass(slots=True)
class _Limits:
    """What a search for a short form may take."""

    most_terms: int
    meter: Meter
    search: float
    """What is left for searching, in all parts of an expression."""
    reading: float
    writing: float
    """What a fraction may take once it is read, however much more is left."""


class _Inside(Rebuild):
    """Shortens the arguments of functions and what stands under roots; arithmetic is left to the whole."""

    def __init__(self, limits: _Limits) -> None:
        super().__init__()
        self.limits = limits

    def _short(self, node: Expr) -> Expr:
        if all(n.op in {"symbol", "number", "pi"} for n in (node.args if node.op == "sum" else [node])):
            return node
        found = _shortest(node, self.limits)
        return node if found is None else found

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = zip(bases, node.data, strict=True)
        return product([(self._short(b) if e.denominator != 1 else b, e) for b, e in pairs])

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        return super().power(node, self._short(base), self._short(exponent))

    def call(self, node: Expr, value: Expr) -> Expr:
        return super().call(node, self._short(value))

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        return super().sincos(node, self._short(angle))

    def jet(self, node: Expr, arguments: Sequence[Expr]) -> Expr:
        return make("jet", node.data, tuple(self._short(a) for a in arguments))


class _OneExponential(Rebuild):
    """Writes a product of exponentials as one: the field knows them by the parts of their exponents."""

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = list(zip(bases, node.data, strict=True))
        growing = [(b, e) for b, e in pairs if b.op == "call" and b.data == "exp" and e.denominator == 1]
        if len(growing) < 2:
            return super().product(node, bases)
        exponent = total([(e, b.args[0]) for b, e in growing])
        return product([*(pair for pair in pairs if pair not in growing), (exp(exponent), 1)])


_known: dict[tuple[Expr, int, float, float, float], tuple[Expr | None, float, float]] = {}
"""Short forms of what stands in functions and under roots, which many expressions share, by what they may take."""
_written: dict[tuple[Any, ...], _Written] = {}
"""How fractions were written: many components of a vector are the same number in different words."""
_relations: dict[tuple[Any, ...], tuple[Relation, float]] = {}
"""Numerators of relations as polynomials of FLINT's, and what they took."""
_MOST_KNOWN = 2_000


@dataclass(frozen=True, slots=True)
class _Written:
    """How a fraction is written, and what it took; first with its factors taken out, where more is not always tried."""

    rough_length: float
    rough_cost: float
    form: Expr | None = None
    length: int = 0
    cost: float = 0.0


def _shortest(root: Expr, limits: _Limits) -> Expr | None:
    """Return the shortest form found of an expression whose functions and roots are left as they are.

    None where it cannot be read. One that was found before costs what it did.
    """
    meter = limits.meter
    key = root, limits.most_terms, limits.search, limits.reading, meter.left
    if key in _known:
        form, spent, limits.search = _known[key]
        meter.charge(spent)
        return form
    with meter.afresh():
        form = _searched(root, limits)
        _remember(_known, key, (form, meter.spent, limits.search))
    return form


def _searched(root: Expr, limits: _Limits) -> Expr | None:
    meter = limits.meter
    try:
        with meter.at_most(limits.reading), refused_once((root, limits.most_terms), meter):
            field = Field([root], limits.most_terms, careful=True, meter=meter)
            value = field.read(root)
    except (TooLarge, OutOfWork):
        return None
    except ExpressionError:
        return root
    began = meter.spent
    try:
        if max(*value.above.degrees(), *value.below.degrees()) > _MOST_DEGREE:
            return root
        given, words = length_of(unroll([root])[0], meter), (str(value.above), str(value.below))
        with meter.afresh(limits.writing):
            found = _write(field, value, words, limits, given)
    except OutOfWork:
        return None
    except ExpressionError:
        return root
    finally:
        limits.search = max(limits.search - (meter.spent - began), 0.0)
    return root if found is None else found


def _write(field: Field, value: Quotient, words: tuple[str, str], limits: _Limits, given: int) -> Expr | None:
    """Return a fraction, which has some words, as short as it is found; None if that is longer than what was given.

    What was written before costs what it did. What is left of the meter is a part of the key, for where little is left
    some things are not begun.
    """
    meter = limits.meter
    key = (*field.generators.nodes(), *words, limits.search, meter.left)
    known = _written.get(key)
    if known is None or (known.form is None and known.rough_length <= _HOPE * given):
        short = Shortener(Circle(field), meter, limits.search)
        fractions, whole = Fractions(short), short.circle.quotient(value)
        rough = short.price(fractions.rough(whole)) if len(whole[0]) > MOST_TERMS else 0
        known = _Written(rough, meter.spent)
        if rough <= _HOPE * given:
            form = fractions.write(whole)
            known = _Written(rough, known.rough_cost, form, short.price(form), meter.spent)
        _remember(_written, key, known)
    elif known.rough_length > _HOPE * given:
        meter.charge(known.rough_cost)
    else:
        meter.charge(known.cost)
    hopeful = known.form is not None and known.rough_length <= _HOPE * given
    return known.form if hopeful and known.length <= given else None


def _remember(memory: dict[Any, Any], key: Any, found: Any) -> None:
    if len(memory) >= _MOST_KNOWN:
        memory.clear()
    memory[key] = found
