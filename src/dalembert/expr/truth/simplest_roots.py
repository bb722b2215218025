"""A root in simplest form: what is a square leaves it, with the sign that is proved, or as an absolute value.

What stands under a root is factored over FLINT. A factor whose sign is known leaves the root; of one whose sign is
not, an even power does, and is counted as an open sign (``radicals`` says what that means).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from threading import RLock
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import elementary, work
from dalembert.expr.field.generators import angle_basis
from dalembert.expr.field.meter import TooLarge
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field
from dalembert.expr.field.trigonometry import Circle
from dalembert.expr.graph import ONE, Expr, Number, number, product
from dalembert.expr.phases import phases
from dalembert.expr.truth.root_factors import factors_of, with_relations
from dalembert.expr.truth.roots import denested, has_root, hides_root, joined
from dalembert.expr.truth.signs import Range, never_zero_polynomial, ranges, sign_of_polynomial
from dalembert.expr.walk import Rebuild, evaluate, postorder, symbols
from dalembert.records import dataclass

MOST_TERMS = 400
_MOST_NODES = 400
_LARGEST_SOLVE = 4
_MADE = frozenset({"number", "sum", "product", "sincos", "pick"})
"""What is made of other parts, and no part itself."""
_MOST_CONTEXTS, _MOST_KNOWN = 8, 50_000
"""How many contexts of roots are remembered, and nodes of each."""


@dataclass(frozen=True, slots=True)
class _Letter:
    """A factor of what stands under a root."""

    node: Expr
    power: int
    sign: int | None
    """What is known of its sign; where it is never positive, ``node`` is its negative."""
    rooted: tuple[tuple[Expr, Number], ...]
    """The root of the power in closed form, if there is one."""
    solid: bool
    """Whether it is known not to be zero."""


class TakeOut(Rebuild):
    """Builds expressions again with every root in simplest form, and notes what remains.

    ``turning`` are all sines and cosines of the expressions: a square may be one only in terms of half of an angle that
    occurs elsewhere. ``real`` stands under even roots, and is not negative wherever the statement makes sense.
    """

    def __init__(
        self, turning: tuple[Expr, ...], real: tuple[Expr, ...], bounds: tuple[tuple[Expr, Range], ...], careful: bool
    ) -> None:
        super().__init__()
        self.turning, self.real, self.careful = turning, real, careful
        self.told = bounds
        self.bounds = dict(bounds)
        self.absolute: set[Expr] = set()
        self.whole: set[Expr] = set()
        self.known: dict[tuple[Expr, Number], list[tuple[Expr, Number]]] = {}
        self.written: dict[Expr, Expr] | None = None
        """How what stays under a root was first written, where that is kept."""

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        if not has_root(node):
            return super().product(node, bases)
        factors: list[tuple[Expr, Number]] = []
        for base, exponent in joined(list(zip(bases, node.data, strict=True)), MOST_TERMS):
            factors += [(base, exponent)] if exponent.denominator == 1 else self.simplest(base, exponent)
        return product(factors)

    def power(self, node: Expr, base: Expr, exponent: Expr) -> Expr:
        """Write ``b^(n + 1/2)`` as ``b^n sqrt(b)``, so that its root is seen."""
        if base.op == "power":  # what has a symbol in its exponent is positive
            base, exponent = base.args[0], base.args[1] * exponent
        elif base.op == "call" and base.data == "exp":
            return self.call(node, base.args[0] * exponent, "exp")
        times = phases(exponent).get(ONE, 0)
        if not times:
            return elementary.power(base, exponent)
        root = [(base, times)] if times.denominator == 1 else self.simplest(base, times)
        return product([(elementary.power(base, exponent - times), 1), *root])

    def sincos(self, node: Expr, angle: Expr) -> Sequence[Expr]:
        """Write ``sin(|u|)`` as ``|u|/u sin(u)``, for u may be a sum that has to be opened."""
        inner = unscaled(angle)
        scale = 1 if inner is angle else angle.data[1][0]
        if inner.op != "product":
            return super().sincos(node, angle)
        plain_angle: list[tuple[Expr, Number]] = []
        sign: list[tuple[Expr, Number]] = []
        for base, exponent in zip(inner.args, inner.data, strict=True):
            if base in self.absolute and base.op == "product" and base.data == (2,) and exponent.denominator == 2:
                plain_angle.append((base.args[0], 2 * exponent))
                sign += [(base, Fraction(1, 2)), (base.args[0], -1)]
            else:
                plain_angle.append((base, exponent))
        sine, cosine = elementary.sincos(scale * product(plain_angle))
        if sign and self.careful:  # u may be zero
            return elementary.sin(angle), cosine
        return product([(sine, 1), *sign]), cosine

    def call(self, node: Expr, value: Expr, name: str = "") -> Expr:
        """Write ``exp(log(b)/2 + x)`` as ``sqrt(b) exp(x)``, so that its root is seen."""
        if (name or node.data) != "exp":
            return super().call(node, value)
        found: list[tuple[Expr, Number]] = []
        for part, times in phases(value).items():
            if part.op == "call" and part.data == "log":
                value -= times * part
                base = part.args[0]
                found += [(base, times)] if times.denominator == 1 else self.simplest(base, times)
        return product([*found, (elementary.exp(value), 1)])

    def simplest(self, base: Expr, exponent: Number) -> list[tuple[Expr, Number]]:
        """Return factors whose product is ``base**exponent``, complete powers taken out of the root; factored once."""
        if (base, exponent) not in self.known:
            known = angles_that_matter(base, self.turning, self.real), self.real, self.told, self.careful
            factors, absolute, whole = simplest_root(base, exponent, known)
            self.absolute |= absolute
            self.whole |= whole
            self.known[base, exponent] = (
                list(factors) if self.written is None else self._as_given(base, exponent, factors)
            )
        return self.known[base, exponent]

    def _as_given(
        self, base: Expr, exponent: Number, factors: Sequence[tuple[Expr, Number]]
    ) -> list[tuple[Expr, Number]]:
        """Return factors with what stays under a root as it was first written: multiplied out it is longer."""
        if self.written is None:
            return list(factors)
        there = [factor for factor in factors if factor[0] is not ONE]
        for one, power in there:
            if power.denominator != 1 and one.op != "number":
                self.written.setdefault(one, base if there == [(one, exponent)] else one)
        return [(self.written.get(one, one), power) for one, power in there]

    def worked_out(self, base: Expr, exponent: Number) -> list[tuple[Expr, Number]]:
        if base.op == "number" or (base.op == "symbol" and exponent.denominator == 2):
            return [(base, exponent)]
        if base.op == "product" and all(e.denominator == 1 for e in base.data):
            found = ranges(base.args, dict(self.bounds))
            signs = [None if self.careful and not r.nonzero else r.sign for r in found]
            pairs = list(zip(base.args, base.data, strict=True))
            ready = [(a, e * exponent) for (a, e), sign in zip(pairs, signs, strict=True) if sign == 1]
            if ready:  # what is not negative leaves the root at once, as it is written
                rest = product([pair for pair, sign in zip(pairs, signs, strict=True) if sign != 1])
                simple = [f for a, e in ready for f in ([(a, e)] if e.denominator == 1 else self.simplest(a, e))]
                return simple + ([] if rest is ONE else self.simplest(rest, exponent))
        nodes = postorder([base])
        try:
            if len(nodes) > _MOST_NODES or any(n.op == "factor" and n.data > _LARGEST_SOLVE for n in nodes):
                raise TooLarge("too large to factor.")
            # without relations: (1 + r)^2 is a square only as long as r^2 is not replaced
            field = Field([base, *self.turning, *self.real], MOST_TERMS, relations=False)
            quotient = field.read(base)
            parts = with_relations(field, factors_of(quotient.above, 1) + factors_of(quotient.below, -1))
        except (ExpressionError, OverflowError):  # the latter where an exponent is beyond FLINT's reach
            self.whole.add(base)
            return [(base, exponent)]
        return self._arranged(base, exponent, field, parts)

    def _arranged(
        self, base: Expr, exponent: Number, field: Field, parts: Sequence[tuple[Any, int]]
    ) -> list[tuple[Expr, Number]]:
        """Sort factors into those that leave the root and those that stay under it."""
        degree, times = exponent.denominator, exponent.numerator
        coefficient = math.prod((Fraction(n) ** power for n, power in parts if isinstance(n, int)), start=Fraction(1))
        factors = [(factor, power) for factor, power in parts if not isinstance(factor, int)]
        if self.careful and field.generators.basis:
            scale, letters = self._turned(field, factors, exponent)
            coefficient *= scale
        else:
            letters = [self._letter(field, factor, power, exponent) for factor, power in factors]
        coefficient *= math.prod(letter.sign or 1 for letter in letters if letter.power % 2)
        unknown = [letter for letter in letters if letter.sign is None]
        odd = [letter for letter in unknown if letter.power % 2]
        held = [letter for letter in letters if letter not in odd and not letter.solid] if odd and self.careful else []
        outside: list[tuple[Expr, Number]] = [(number(abs(coefficient)), exponent)]
        for letter in letters:
            if letter.sign is not None and letter not in held:
                outside += letter.rooted or ((letter.node, Fraction(letter.power * times, degree)),)
        if len(odd) == 1 and not held:  # where the root is real, this has the sign of the coefficient, or is zero
            sign = 1 if coefficient > 0 else -1
            outside.append((sign * odd[0].node, Fraction(odd[0].power * times, degree)))
            unknown.remove(odd[0])
            coefficient = Fraction(1)
        inside: list[tuple[Expr, Number]] = [(number(-1), 1)] if coefficient < 0 else []
        inside += [(letter.node, letter.power) for letter in held]
        step = 1 if degree % 2 == 0 else 2  # what stays inside keeps its sign, also under a cube root
        for letter in unknown:
            if letter not in held:
                whole = step * int(Fraction(letter.power, step * degree))  # towards zero
                outside += self._magnitude(letter.node, whole * times) if whole else []
                inside.append((letter.node, letter.power - whole * degree))
        rest = product(inside)
        if rest.op == "number" and rest.data < 0:
            raise ExpressionError(f"a root is nowhere real: that of '{base!r}', which is never positive.")
        return [*outside, (rest, exponent)] if rest is not ONE else outside

    def _letter(self, field: Field, factor: Any, power: int, exponent: Number, node: Expr | None = None) -> _Letter:
        """Return what is known of a factor of what stands under a root; ``node`` if it is written in its own way."""
        root = denested(field, factor) if node is None and exponent.denominator == 2 and power % 2 else None
        node = field.to_expr(factor) if node is None else node
        rooted: list[tuple[Expr, Number]] = []
        if root is not None:
            sign: int | None = root[0]
            rooted = self._positive_part(root[1], power * exponent.numerator)
        else:
            sign = sign_of_polynomial(field, factor) or ranges([node], dict(self.bounds))[0].sign
            if sign is None and power not in {1, -1}:
                sign = sign_of_polynomial(field, factor, self._not_negative(field))
        # what is divided by is not zero where the root is defined
        solid = power * exponent.numerator < 0 or (self.careful and self._never_zero(field, factor, node))
        return _Letter(-node if sign == -1 else node, power, sign, tuple(rooted), solid)

    def _never_zero(self, field: Field, factor: Any, node: Expr) -> bool:
        return ranges([node], dict(self.bounds))[0].nonzero or never_zero_polynomial(field, factor)

    def _turned(
        self, field: Field, factors: Sequence[tuple[Any, int]], exponent: Number
    ) -> tuple[Fraction, list[_Letter]]:
        """Return a number and factors in sines and cosines: half-angle tangents have no value at half a turn."""
        circle = Circle(field)
        whole = {1: field.one, -1: field.one}
        letters = []
        for factor, power in factors:
            if any(int(d) for d in factor.degrees()[circle.plain :]):
                sign = 1 if power > 0 else -1
                whole[sign] = whole[sign] * factor ** abs(power)
            else:
                letters.append(self._letter(field, factor, power, exponent))
        scale = Fraction(1)
        for polynomial, sign in zip(circle.quotient(field.make(whole[1], whole[-1])), (1, -1), strict=True):
            content, parts = factored(polynomial)
            scale *= Fraction(content) ** sign
            for part, power in parts:
                value = circle.fraction(part, circle.ring.constant(1))
                node = circle.to_expr(part)
                letters.append(self._letter(field, value.above * value.below, sign * power, exponent, node))
        return scale, letters

    def _not_negative(self, field: Field) -> list[Any]:
        """Return polynomials that are not negative because their roots occur."""
        found = []
        for node in self.real:
            try:
                value = field.read(node)
            except ExpressionError:
                continue
            found.append(value.above * value.below)
        return found

    def _positive_part(self, root: Expr, power: int) -> list[tuple[Expr, Number]]:
        """Return ``|root|**power`` for a root that was found in closed form, its own roots made simple first."""
        (simple,) = evaluate([root], self)
        sign = ranges([simple], dict(self.bounds))[0].sign
        if sign is None and self.real:
            with contextlib.suppress(ExpressionError, OverflowError):
                field = Field([simple, *self.real], MOST_TERMS, relations=False)
                value = field.read(simple)
                sign = sign_of_polynomial(field, value.above * value.below, self._not_negative(field))
        return self._magnitude(simple, power) if sign is None else [(sign * simple, power)]

    def _magnitude(self, node: Expr, power: int) -> list[tuple[Expr, Number]]:
        """Return ``|node|**power``."""
        if power % 2 == 0:
            return [(node, power)]
        square = product(((node, 2),))
        self.absolute.add(square)
        return [(square, Fraction(power, 2))]


class _Known:
    """What nodes become in a context, and what each root leaves: questions about one system share most of them."""

    def __init__(self, reader: TakeOut) -> None:
        self.reader, self.lock = reader, RLock()
        self.values: dict[Expr, Any] = {}
        self.notes: dict[Expr, tuple[set[Expr], set[Expr]]] = {}

    def apply(self, roots: Sequence[Expr], nodes: Sequence[Expr]) -> tuple[list[Expr], set[Expr], set[Expr]]:
        """Return expressions with roots in simplest form, and what of these, not of others, is absolute or whole."""
        if len(self.values) > _MOST_KNOWN:
            self.values, self.notes = {}, {}
        absolute, whole, same = set[Expr](), set[Expr](), True
        for node in nodes:
            if has_root(node) or hides_root(node):
                if node not in self.notes:
                    reader = self.reader
                    reader.absolute, reader.whole, reader.known = set(), set(), {}
                    evaluate([node], reader, self.values)
                    self.notes[node] = reader.absolute, reader.whole
                absolute |= self.notes[node][0]
                whole |= self.notes[node][1]
                same = same and self.values[node] is node
        # angles have no roots here: where the roots stay as they are, so does all that is made of them
        return list(roots) if same else evaluate(roots, self.reader, self.values), absolute, whole


@lru_cache(maxsize=_MOST_CONTEXTS)
def known_in(turning: tuple[Expr, ...], real: tuple[Expr, ...], bounds: tuple[tuple[Expr, Range], ...]) -> _Known:
    """Return what is known of roots in a context: all angles, what stands under even roots, and bounds of symbols."""
    return _Known(TakeOut(turning, real, bounds, careful=False))


@work.remembered(512)  # questions about one system share their roots
def simplest_root(
    base: Expr, exponent: Number, known: tuple[Any, ...]
) -> tuple[tuple[tuple[Expr, Number], ...], frozenset[Expr], frozenset[Expr]]:
    """Return the factors of a root in simplest form, and what of it is absolute or was not factored."""
    reader = TakeOut(*known)
    factors = tuple(reader.worked_out(base, exponent))
    return factors, frozenset(reader.absolute), frozenset(reader.whole)


@lru_cache(maxsize=512)
def angles_that_matter(base: Expr, turning: tuple[Expr, ...], real: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Return those of all sines and cosines that can matter to a root of ``base``.

    A question about one expression has other angles beside those of the root than one about another. Left out are sums
    of symbols that neither the root, nor what is not negative, nor any angle that is kept has, if the others have the
    same basis without them: then each is a variable that nothing has which is read. So are those beside a basis, if it
    is a basis without them too, and nothing but the root gives variables an order. That there are some matters, for
    where there are none a polynomial can be shown to stay away from zero.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y, z = symbol("x"), symbol("y"), symbol("z")
    >>> turning = tuple(f(angle).args[0] for f, angle in [(cos, x), (sin, x + y), (sin, 2*x), (cos, y), (sin, z)])
    >>> [node.args[0] for node in angles_that_matter(1 + cos(x), turning, ())]
    [y, x]
    """
    if len(turning) < 2:
        return turning
    apart = {node: symbols([node]) for node in turning if _is_sum_of_symbols(node.args[0])}
    plain = len(apart) == len(turning)
    near = symbols([base, *real, *(node for node in turning if node not in apart)])
    while joining := [node for node, own in apart.items() if not near.isdisjoint(own)]:
        for node in joining:
            near |= apart.pop(node)
    kept = tuple(node for node in turning if node not in apart)
    if not kept:
        return turning
    there = _angles([base, *real, *kept])
    basis, _ = angle_basis(there)
    if apart:
        far = {symbol for own in apart.values() for symbol in own}
        beside, _ = angle_basis([*there, *(node.args[0] for node in apart)])
        if basis != [angle for angle in beside if far.isdisjoint(symbols([angle]))]:
            return turning
    if not plain or not _has_no_other_part(real, base):
        return kept
    least = tuple(sorted((n for n in kept if n.args[0] in basis), key=lambda node: basis.index(node.args[0])))
    return least if least and angle_basis(_angles([base, *real, *least]))[0] == basis else kept


def _angles(roots: Sequence[Expr]) -> list[Expr]:
    return [node.args[0] for node in postorder(roots) if node.op == "sincos"]


def _is_sum_of_symbols(angle: Expr) -> bool:
    """Say whether an angle is a multiple of a symbol, or a sum of such without a constant."""
    return angle.op == "symbol" or (
        angle.op == "sum" and not angle.data[0] and all(part.op == "symbol" for part in angle.args)
    )


def _has_no_other_part(others: Sequence[Expr], base: Expr) -> bool:
    """Say whether all that others are made of occurs in an expression: its variables come first, in its own order."""
    own = set(postorder([base]))
    return all(node in own or node.op in _MADE for node in postorder(others))


def unscaled(node: Expr) -> Expr:
    """Return x of ``c*x`` with a number c, and what is no such multiple as it is."""
    return node.args[0] if node.op == "sum" and len(node.args) == 1 and not node.data[0] else node
