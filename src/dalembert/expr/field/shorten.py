"""The shortest way to write a polynomial in sines, cosines and other things that a search finds.

Short means few operations. Tried are: factors, also those that sin^2 + cos^2 = 1 hides, and products of them that are
shorter than the factors; each angle with its squared sine written by the cosine or the other way round; common factors
taken out of some of the terms, among them sums of sines and cosines; completed squares; sums of angles for products.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from heapq import nsmallest
from itertools import chain, combinations, islice
from itertools import product as cartesian
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar, get_args

from dalembert.expr.exact import exact_power
from dalembert.expr.field.memory import Memory
from dalembert.expr.field.meter import Meter
from dalembert.expr.field.priced import factored
from dalembert.expr.field.trigonometry import Circle, Style, is_double, spectrum, waves
from dalembert.expr.graph import ZERO, Expr, Number, product, total
from dalembert.expr.walk import below, own_operations, postorder

T = TypeVar("T")
Factor: TypeAlias = "tuple[Any, int]"
"""A polynomial and its power."""

MOST_TERMS = 60
"""Longer sums are written term by term."""
_MOST_TERMS_FACTORED = 200
"""Up to here hidden factors are looked for."""
_FEW = 8
"""Up to here sums of angles are tried early."""
_WIDTH = 1
"""How many of the ways that look best at first are worked out,"""
_HOPE = 1.2
"""unless they are longer than the best by this factor."""

_READING = 5.0
"""Units of work for each node of a candidate whose length is measured."""

_MOST_KNOWN = 10_000
"""Terms of sums that are remembered as they are written: the candidates of a search have most of them in common."""

_BEYOND = 10**9
"""What is longer on a page is not told apart; a tree may double with every node."""


class Lengths:
    """How long expressions are on a page; what is known of a node is kept, since candidates share most of theirs.

    What occurs twice is one operation for a machine but is read twice, so every name on the page counts a little, and
    every number before a term; so does a sum in brackets, more when it has brackets inside. Signs only break ties. All
    is counted in hundredths, so that equal lengths are equal numbers.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._own: dict[Expr, int] = {}
        self._names: dict[Expr, int] = {}
        self._depth: dict[Expr, int] = {}

    def __call__(self, expression: Expr, nodes: Sequence[Expr] | None = None) -> int:
        """Return the length of an expression; ``nodes`` are its own in postorder, if they are at hand."""
        own, nodes = self._own, postorder([expression]) if nodes is None else nodes
        for node in nodes:
            if node not in own:
                self._read(node)
        return sum([own[node] for node in nodes]) + 20 * self._names[expression]

    def _read(self, node: Expr) -> None:
        """Note what a node adds to the length, whose arguments are known."""
        names, depth = self._names, self._depth
        seen = min(sum([names[a] for a in node.args]), _BEYOND) if node.args and node.op != "jet" else 1
        deep = max([depth[a] for a in node.args], default=0)
        own = 100 * sum(own_operations(node)[:4])  # sines are among the calls
        if node.op in {"sum", "product"}:
            inside = [depth[a] + 1 for a in node.args if _has_terms(a)]
            own += 15 * sum(inside)
            deep = max([deep, *inside])
        if node.op == "sum":
            seen += sum([(abs(c.numerator) != 1) + (c.denominator != 1) for c in node.data[1]])
            own += sum([1 for c in node.data[1] if c < 0])
        self._own[node], names[node], depth[node] = own, seen, deep


def _has_terms(node: Expr) -> bool:
    return node.op == "sum" and len(node.args) + bool(node.data[0]) > 1


def _scaled(node: Expr) -> tuple[Number, Expr]:
    """Split a number off."""
    if node.op == "sum" and len(node.args) == 1 and not node.data[0]:
        return node.data[1][0], node.args[0]
    return 1, node


def opened(factors: Iterable[tuple[Expr, Number]], coefficient: Number = 1) -> Expr:
    """Return a product with products among its factors opened, one denominator, and its sign where it shows least."""
    scale, pairs = _opened(factors, coefficient)
    below = [(base, -exponent) for base, exponent in pairs if exponent < 0]
    if len(below) > 1:
        pairs = [*((base, exponent) for base, exponent in pairs if exponent > 0), (product(below), -1)]
    return product(pairs, scale)


def _opened(factors: Iterable[tuple[Expr, Number]], coefficient: Number) -> tuple[Number, list[tuple[Expr, Number]]]:
    pending, parts = list(factors), []
    while pending:
        base, exponent = pending.pop()
        scale, inner = _scaled(base)
        if inner.op == "product" and exponent.denominator == 1:
            coefficient *= exact_power(scale, int(exponent))
            pending += [(a, e * exponent) for a, e in zip(inner.args, inner.data, strict=True)]
        else:
            parts.append((base, exponent))
    scale, inner = _scaled(product(parts, coefficient))  # equal bases have met: sqrt(a)/a
    pairs: list[tuple[Expr, Number]] = [(inner, 1)]
    if inner.op == "product":
        pairs = list(zip(inner.args, inner.data, strict=True))
    for i, (base, exponent) in enumerate(pairs):
        if _has_terms(base) and exponent.denominator == 1 and exponent % 2:
            numbers = [*base.data[1], base.data[0]]
            if all(c <= 0 for c in numbers) or (scale < 0 and any(c < 0 for c in numbers)):
                pairs[i], scale = (spread(-base), exponent), -scale
                break
    return scale, pairs


def ratios(above: Expr, below: Expr) -> Iterator[Expr]:
    """Yield ways to write a fraction: plainly, a number multiplied into a sum, a power of a fraction of sums."""
    plain = opened(((above, 1), (below, -1)))
    yield plain
    yield spread(plain)
    scale, pairs = _opened([(plain, 1)], 1)
    for k in {e for base, e in pairs if e > 1 and e.denominator == 1 and _has_terms(base)}:
        inside = [(base, e) for base, e in pairs if _has_terms(base) and abs(e) == k]
        if any(e < 0 for _, e in inside):
            ratio = product([(base, 1 if e > 0 else -1) for base, e in inside])
            yield product([*(pair for pair in pairs if pair not in inside), (ratio, k)], scale)


def spread(node: Expr) -> Expr:
    """Return a number times a sum with each term multiplied."""
    scale, inner = _scaled(node)
    if not _has_terms(inner):
        return node
    terms = [_term(a, scale * c) for c, a in zip(inner.data[1], inner.args, strict=True)]
    return total([(1, term) for term in terms], scale * inner.data[0])


@lru_cache(maxsize=_MOST_KNOWN)
def _term(node: Expr, coefficient: Number) -> Expr:
    return opened([(node, 1)], coefficient)


def joined(parts: Iterable[Expr]) -> Expr:
    """Return a sum with the sums among its parts opened, as one writes it on paper."""
    terms: list[tuple[Number, Expr]] = []
    constant: Number = 0
    for part in parts:
        part = spread(part) if abs(_scaled(part)[0]) == 1 else part
        if part.op == "sum":
            constant += part.data[0]
            terms += zip(part.data[1], part.args, strict=True)
        else:
            terms.append((1, part))
    return total(terms, constant)


def _how_many(factors: Iterable[Factor]) -> int:
    return sum(power for _, power in factors)


def length_of(expression: Expr, meter: Meter, lengths: Lengths | None = None) -> int:
    """Return the length of an expression, for the price of reading it."""
    nodes = below([expression])
    meter.charge(_READING * len(nodes))
    return (lengths or Lengths())(expression, nodes)


class Shortener:
    """Writes polynomials of a ring of sines and cosines; results are remembered, and work is counted."""

    def __init__(self, circle: Circle, meter: Meter, search: float) -> None:
        """Search until ``search`` units of the meter are spent, then take what there is."""
        self.circle, self.meter, self.search = circle, meter, search
        self._memo: dict[str, Expr] = {}
        self._remembered = Memory(meter)
        self._prices: dict[Expr, int] = {}
        self._length = Lengths()

    def price(self, expression: Expr) -> int:
        """Return the length of an expression, computed once."""
        if expression not in self._prices:
            self._prices[expression] = length_of(expression, self.meter, self._length)
        return self._prices[expression]

    def late(self) -> bool:
        """Say whether the search has spent its share."""
        return self.meter.spent > self.search

    def best(self, candidates: Iterable[Expr]) -> Expr:
        """Return the cheapest candidate; when it is late, of those seen so far."""
        found: Expr | None = None
        for candidate in candidates:
            if found is None or self.price(candidate) < self.price(found):
                found = candidate
            if self.late():
                break
        assert found is not None
        return found

    # -- polynomials -----------------------------------------------------------------------------------------
    def polynomial(self, value: Any, *, rough: bool = False) -> Expr:
        """Return a short expression for a polynomial; a rough one only has factors taken out."""
        if value.is_zero():
            return ZERO
        key = f"{rough} {value}"
        if key not in self._memo:
            self._memo[key] = self.monomials(value)  # stands in case of a cycle
            self._memo[key] = self.best(self._ways(value, rough))
        return self._memo[key]

    def _ways(self, value: Any, rough: bool) -> Iterator[Expr]:
        """Yield ways to write a polynomial, every choice of squared sines and cosines factored."""
        # what is short is factored on the circle however late it is: an opened power cancels digits near its zeros
        hurried = self.late() and len(value) > _FEW
        products = self._remembered(f"factors {hurried} {value}", self._products, value, hurried)
        written = [self._product(*way, rough=True) for way in products]
        yield from sorted(written, key=self.price)  # of what comes late the first is taken
        if rough or self.late():
            return
        yield from self._by_angles(value) if len(value) <= _FEW else ()
        limit = _HOPE * min(map(self.price, written))
        yield from (self._product(*p) for p, way in zip(products, written, strict=True) if self.price(way) <= limit)

    def _products(self, value: Any, hurried: bool) -> list[tuple[Number, list[Factor]]]:
        """Return the ways to factor a polynomial, only the first if there is little time."""
        return [self._merged(*way) for way in islice(self._factored(value), 1 if hurried else None)]

    def _factored(self, value: Any) -> Iterator[tuple[Number, list[Factor]]]:
        """Yield numbers and factors: those of the polynomial as it stands, and those on the circle if they are more.

        Of a product only the factors in which an angle turns can hide others: most have none, sin(x)*cos(x) say.
        """
        plain = factored(value)
        yield plain
        if len(value) > _MOST_TERMS_FACTORED:
            return
        content: Number
        (content, factors), found, hidden = plain, [], False
        for factor, power in factors:
            inside = self._hidden(factor) if self.circle.turning(factor) else None
            if inside is None:
                found.append((factor, power))
            else:
                hidden, content = True, content * inside[0] ** power
                found += [(part, times * power) for part, times in inside[1]]
        if hidden:
            yield content, found

    def _hidden(self, factor: Any) -> tuple[Number, list[Factor]] | None:
        """Return a number and the factors on the circle of what has no other ones, None where they are no more."""
        found = self._remembered(f"hidden {factor}", self.circle.factor, factor)
        return found if found is not None and _how_many(found[1]) > 1 else None

    def _choices(self, value: Any) -> list[Any]:
        """Return the polynomial itself, then with squares written by the sine of each angle, its cosine, or both."""
        return self._remembered(f"choices {value}", lambda: [value, *self._other_choices(value)])

    def _other_choices(self, value: Any) -> Iterator[Any]:
        if not self.circle.angles:
            return
        size = len(self.circle.angles)
        busy = self.circle.turning(value)
        seen = {str(value)}
        if len(busy) > 4:
            choices: Iterable[Sequence[str]] = [["cosine"] * size, ["sine"] * size]
        else:
            patterns = cartesian(("cosine", "sine"), repeat=len(busy)) if busy else ()
            choices = ([p[busy.index(j)] if j in busy else "cosine" for j in range(size)] for p in patterns)
        reductions = (self.circle.reduce(value, choice) for choice in choices)
        for reduced in chain(reductions, [self.circle.homogeneous(value)]):
            if not reduced.is_zero() and str(reduced) not in seen:
                seen.add(str(reduced))
                yield reduced

    def _merged(self, content: Number, factors: Sequence[Factor]) -> tuple[Number, list[Factor]]:
        """Multiply factors whose product is shorter: (1 - a)(1 + a) is 1 - a^2."""
        for (f, i), (g, j) in combinations(factors, 2):
            if not {len(f), len(g)} <= {2, 3}:
                continue
            whole = min(self._choices(f * g), key=len)
            apart = opened([(self.monomials(f), 1), (self.monomials(g), 1)])
            if len(whole) < len(f) + len(g) and self.price(self.monomials(whole)) < self.price(apart):
                k = min(i, j)
                rest = [p for p in factors if p[0] is not f and p[0] is not g]
                rest += [(f, i - k)] if i > k else [(g, j - k)] if j > k else []
                return self._merged(content, [*rest, (whole, k)])
        return content, list(factors)

    def _product(self, content: Number, factors: Sequence[Factor], *, rough: bool = False) -> Expr:
        return opened([(self._sum(f, rough=rough), k) for f, k in factors], content)

    # -- sums ------------------------------------------------------------------------------------------------
    def _sum(self, value: Any, *, rough: bool) -> Expr:
        """Write a polynomial that has no factors."""
        if not 1 < len(value) <= MOST_TERMS:
            return self.monomials(value)
        key = f"sum {rough} {value}"
        if key not in self._memo:
            forms = sorted(self._choices(value), key=len)[:2]
            ways = [*map(self.monomials, forms)]
            if len(value) <= _FEW or not (rough or self.late()):
                ways += self._by_angles(value)
            if rough and not self.late():
                first = islice(chain(self._turned_alike(forms[0]), self._shared(forms[0])), 1)
                ways += [joined(self.polynomial(part, rough=True) for part in parts) for parts in first]
            elif not self.late():
                ways_apart = (self._squares, self._turned_alike, self._shared)
                splits = (parts for form in forms for apart in ways_apart for parts in apart(form))
                ways += self.apart(splits, self.polynomial)
            self._memo[key] = min(ways, key=self.price)
        return self._memo[key]

    def apart(self, splits: Iterable[Sequence[T]], write: Callable[..., Expr]) -> Iterator[Expr]:
        """Yield sums of parts, for the splits that look best."""
        for parts in self.promising(splits, write, _WIDTH):
            yield joined(write(part, rough=True) for part in parts)
            if self.late():
                return
            written = [write(part) for part in parts]
            yield joined(written)
            yield joined(map(spread, written))

    def promising(self, splits: Iterable[Sequence[T]], write: Callable[..., Expr], width: int) -> list[Sequence[T]]:
        """Return the splits that are shortest when they are written roughly."""
        prices = []
        for parts in splits:
            if self.late():
                break
            prices.append((self.price(joined(write(part, rough=True) for part in parts)), parts))
        best = nsmallest(width, prices, key=itemgetter(0))
        return [parts for price, parts in best if price <= _HOPE * best[0][0]]

    def monomials(self, value: Any) -> Expr:
        """Return a polynomial term by term."""
        return self.circle.to_expr(value)

    def _shared(self, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield (terms that share a factor, the others), the most promising factors first."""
        terms = value.to_dict()
        shared: Counter[tuple[int, int]] = Counter()
        for monomial in terms:
            for place, power in enumerate(monomial):
                for k in range(1, power + 1):
                    shared[place, k] += 1
        useful = [(n * k, place, k) for (place, k), n in shared.items() if 1 < n < len(terms)]
        useful.sort(key=lambda u: (-u[0], u[1], -u[2]))
        for _, place, k in useful[: 8 if len(terms) <= 20 else 2]:
            inside = {m: c for m, c in terms.items() if m[place] >= k}
            outside = {m: c for m, c in terms.items() if m[place] < k}
            yield self.circle.ring.from_dict(inside), self.circle.ring.from_dict(outside)

    def _squares(self, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield (u^2 + 2uv + v^2, the other terms)."""
        terms = value.to_dict()
        squares = [m for m in terms if all(e % 2 == 0 for e in m)]
        for a, b in combinations(squares, 2):
            cross = tuple((x + y) // 2 for x, y in zip(a, b, strict=True))
            if cross in terms and terms[cross] ** 2 == 4 * terms[a] * terms[b]:
                rest = {m: c for m, c in terms.items() if m not in {a, b, cross}}
                if rest:
                    triple = {m: terms[m] for m in (a, b, cross)}
                    yield self.circle.ring.from_dict(triple), self.circle.ring.from_dict(rest)

    def _turned_alike(self, value: Any) -> Iterator[tuple[Any, Any]]:
        """Yield (terms that share a sum of sines and cosines, the others): a cos(x - y)^2, written out, beside c."""
        if not self.circle.angles:
            return
        groups: dict[tuple[tuple[tuple[int, ...], Fraction], ...], dict[tuple[int, ...], int]] = {}
        for outer, inner in self._by_turns(value).items():
            (_, first), *others = turns = sorted(inner.items())
            if others:
                alike = groups.setdefault(tuple((turn, Fraction(c, int(first))) for turn, c in turns), {})
                alike |= {(*outer, *turn): c for turn, c in turns}
        for shape, inside in groups.items():
            if len(shape) < len(inside) < len(value):
                taken = self.circle.ring.from_dict(inside)
                yield taken, value - taken

    def _by_turns(self, value: Any) -> dict[tuple[int, ...], dict[tuple[int, ...], int]]:
        """Return the coefficients of a polynomial as one in sines and cosines."""
        plain = self.circle.plain
        groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        for exponents, coefficient in value.to_dict().items():
            groups.setdefault(exponents[:plain], {})[exponents[plain:]] = coefficient
        return groups

    def _by_angles(self, value: Any) -> list[Expr]:
        """Write each coefficient that is a polynomial in sines and cosines by sines and cosines of sums of angles."""
        return self._remembered(f"angles {value}", lambda: [*self._waves(value)]) if self.circle.angles else []

    def _waves(self, value: Any) -> Iterator[Expr]:
        groups = self._by_turns(value)
        if all(sum(turns) < 2 for inner in groups.values() for turns in inner):
            return
        parts = [(outer, spectrum(inner)) for outer, inner in groups.items()]
        doubled = any(is_double(frequency) for _, amplitudes in parts for frequency in amplitudes)
        for style in get_args(Style) if doubled else ("double",):
            terms: list[tuple[Number, Expr]] = []
            for outer, amplitudes in parts:
                factor = [(n, e) for n, e in zip(self.circle.nodes, outer, strict=False) if e]
                terms += [(c, opened([*factor, (n, 1)])) for c, n in waves(amplitudes, self.circle.sincos, style)]
            yield total(terms)
