"""Polynomials over FLINT, and their factors, whose operations are paid for in work, before they begin.

A call into FLINT can be neither interrupted nor timed in a way that is the same twice, so each has a price: a function
of the terms, variables, degrees and bits of what it is given, settled afterwards by the terms of what came out. A
budget in work ends a computation at the same place at any load and on any machine. The unit is one nominal microsecond;
the prices were fitted to millions of calls of real derivations, and ``bench/work.py`` compares them with the time that
calls take.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import comb, prod
from operator import add, mul
from typing import Any

from flint import fmpq_mpoly_ctx, fmpz_mpoly_ctx

from dalembert.expr.field.images import image_degrees
from dalembert.expr.field.meter import Meter, OutOfWork
from dalembert.expr.field.reach import TOO_HIGH, divisor, expect_factors


def factored(polynomial: Any, *, fully: bool = True) -> tuple[int, list[tuple[Any, int]]]:
    """Return a number and the irreducible factors, each with its power, of a polynomial with whole coefficients.

    Unless it is to be done ``fully``, only what occurs to different powers is told apart, which has a price.

    python-flint sorts factors by differences of coefficients that have to fit into a machine integer, and raises where
    they do not. Over the rationals it sorts by other means; the factors are the same, primitive and with whole
    coefficients.

    >>> from flint import fmpz_mpoly_ctx
    >>> x, _ = fmpz_mpoly_ctx.get(("x", "y"), "lex").gens()
    >>> factored((2**70 * x + 1) * (x + 1)**2)
    (1, [(1180591620717411303424*x + 1, 1), (x + 1, 2)])
    """
    if not isinstance(polynomial, Polynomial):
        expect_factors(polynomial)
    try:
        content, factors = polynomial.factor() if fully else polynomial.factor_squarefree()
    except OverflowError:
        ring = polynomial.context()
        rationals = fmpq_mpoly_ctx.get(ring.names(), ring.ordering())
        there = rationals.from_dict({m: int(c) for m, c in polynomial.to_dict().items()})
        content, factors = there.factor() if fully else there.factor_squarefree()
        factors = [(ring.from_dict({m: int(c) for m, c in f.to_dict().items()}), power) for f, power in factors]
    return int(content), [(factor, int(power)) for factor, power in factors]


_CALL = 2.0
"""What any call costs beside its own work."""
_FEW = 32
"""Up to so many products of terms the length of coefficients makes no difference."""
_DEGREES_THAT_COUNT = 8
_FACTORED = 60
"""Beyond so many terms, with no variable of degree 1, only repeated factors are looked for: a full factorisation has no
upper price."""
_HIGH, _DEGREE, _DEGREE_FACTORED = 100, 0.1, 0.2
"""Units of work for each degree, and its square, of what is divided and of what is factored, where it is high."""
_HAZARD = 10.0
"""A common divisor is not begun where it may cost so many times what is left."""
_MOST_MONOMIALS = 20_000
"""So many are remembered of rings with the same variables."""
_MOST_DIVISORS = 20_000
"""So many common divisors and factorisations are remembered of them."""
_MOST_ALIKE = 50
"""So many are remembered of polynomials of the same sizes."""
_WORTH = 12
"""Up to so many terms in all a common divisor is found as fast as remembered."""


@lru_cache(maxsize=64)
def _monomials_of(_names: tuple[str, ...]) -> tuple[dict[str, tuple[int, ...]], dict[tuple[int, ...], Any]]:
    """Return what is known of monomials in some variables: exponents by their text, and they by their exponents."""
    return {}, {}


@lru_cache(maxsize=64)
def _divisors_of(_names: tuple[str, ...]) -> dict[Any, Any]:
    """Return what is known of divisors of polynomials in some variables, by sizes and degrees.

    Components of one object have denominators in common, and are asked for one after the other: half of all divisors
    were found before. What FLINT does is remembered, not what it costs, so that memory changes no answer.
    """
    return {}


def _looked_up(known: dict[Any, Any], key: Any, values: Sequence[Any], compute: Callable[..., Any], **how: Any) -> Any:
    """Return what FLINT made of some polynomials before, among those with a key, or makes of them now."""
    alike = known.get(key)
    if alike is None:
        if len(known) >= _MOST_DIVISORS:
            known.clear()
        alike = known[key] = []
    for before, made in alike:
        if before == values:
            return made
    made = compute(*values, **how)
    if len(alike) >= _MOST_ALIKE:  # to compare with more would take as long
        alike.clear()
    alike.append((values, made))
    return made


def common_divisor(left: Any, right: Any) -> Any:
    """Return the greatest common divisor of two polynomials of FLINT's own or two priced ones; none is found twice.

    >>> x, y = fmpz_mpoly_ctx.get(("x", "y"), "lex").gens()
    >>> both = [(x + y) ** 7 * x, (x + y) ** 6 * y]
    >>> common_divisor(*both) == common_divisor(*both) == (x + y) ** 6
    True
    """
    if isinstance(left, Polynomial):
        return left.gcd(right)
    if len(left) + len(right) <= _WORTH:
        return divisor(left, right)
    key = (len(left), len(right), int(left.leading_coefficient()), int(right.leading_coefficient()))
    return _looked_up(_divisors_of(left.context().names()), key, [left, right], divisor)


class Ring:
    """A ring of polynomials with whole coefficients, in the words of ``fmpz_mpoly_ctx``, that charges a meter."""

    __slots__ = ("_divisors", "_exponents", "_gens", "_monomials", "_places", "inner", "meter", "size")

    def __init__(self, names: Sequence[str], meter: Meter) -> None:
        self.inner, self.meter, self.size = fmpz_mpoly_ctx.get(tuple(names), "lex"), meter, len(names)
        self._gens = tuple(Polynomial(self, g) for g in self.inner.gens())
        self._places = {name: place for place, name in enumerate(names)}
        self._exponents, self._monomials = _monomials_of(tuple(names))
        self._divisors = _divisors_of(tuple(names))

    def gens(self) -> tuple[Polynomial, ...]:
        """Return the variables."""
        return self._gens

    def nvars(self) -> int:
        """Return how many variables there are."""
        return self.size

    def constant(self, value: int) -> Polynomial:
        """Return a number."""
        return Polynomial(self, self.inner.constant(value))

    def from_dict(self, terms: Mapping[Any, Any]) -> Polynomial:
        """Return the polynomial with given {exponents: coefficient}."""
        self.meter.charge(_CALL + 1 + len(terms) * (1 + 0.15 * self.size))
        made = Polynomial(self, self._added_up(terms))
        made.given = terms
        return made

    def known(self, compute: Callable[..., Any], *of: Polynomial, **how: Any) -> Any:
        """Return what FLINT makes of some polynomials: looked up by their sizes and degrees, and compared."""
        key = (*(part for one in of for part in (len(one.value), one.degrees())), *how.values())
        return _looked_up(self._divisors, key, [one.value for one in of], compute, **how)

    # FLINT's own way from and to dictionaries makes an object of every exponent, and takes a hundred times as long as
    # its arithmetic: monomials met before are added up instead, and read by their text
    def _added_up(self, terms: Mapping[Any, Any]) -> Any:
        parts, known = [], self._monomials
        for exponents, coefficient in terms.items():
            monomial = known.get(exponents)
            if monomial is None:
                if len(known) >= _MOST_MONOMIALS:
                    known.clear()
                monomial = known[exponents] = self.inner.from_dict({exponents: 1})
            parts.append(monomial if coefficient == 1 else monomial * coefficient)
        while len(parts) > 1:  # those of like length, so that no term is moved often
            parts = [*map(add, parts[::2], parts[1::2]), *parts[len(parts) & ~1 :]]
        return parts[0] if parts else self.inner.constant(0)

    def terms(self, value: Any, text: str) -> dict[tuple[int, ...], int]:
        """Return {exponents: coefficient} of a polynomial of FLINT's, and of its text."""
        if not value:
            return {}
        known, found = self._exponents, []
        for term in text.replace(" - ", " + ").split(" + "):
            monomial = term.lstrip("-0123456789*")  # names begin with a letter
            exponents = known.get(monomial)
            if exponents is None:
                if len(known) >= _MOST_MONOMIALS:
                    known.clear()
                exponents = known[monomial] = self._read(monomial)
            found.append(exponents)
        return dict(zip(found, map(int, value.coeffs()), strict=True))

    def _read(self, monomial: str) -> tuple[int, ...]:
        exponents = [0] * self.size
        for factor in monomial.split("*") if monomial else ():
            name, _, power = factor.partition("^")
            exponents[self._places[name]] = int(power or 1)
        return tuple(exponents)


class Polynomial:
    """An element of a priced ring; it has the words of ``fmpz_mpoly`` that are used here."""

    __slots__ = ("_degrees", "_terms", "_text", "_told", "given", "ring", "value")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, ring: Ring, value: Any) -> None:
        self.ring, self.value = ring, value
        self._terms: Mapping[tuple[int, ...], int] | None = None
        self._text: str | None = None
        self._told = False
        """Whether its text is paid for."""
        self._degrees: tuple[int, ...] | None = None
        self.given: Mapping[tuple[int, ...], int] | None = None
        """The terms it was made of, in any order."""

    def __len__(self) -> int:
        return len(self.value)

    def __eq__(self, other: object) -> bool:
        return bool(self.value == (other.value if isinstance(other, Polynomial) else other))

    def __str__(self) -> str:
        self.pay_text()
        return self._written()

    def pay_text(self) -> None:
        """Pay for the text, once: whoever tells polynomials apart pays as much, whether by their texts or not."""
        if not self._told:
            self.ring.meter.charge(_CALL + 1 + len(self.value) * (0.3 + 0.06 * self.ring.size))
            self._told = True

    def _written(self) -> str:
        if self._text is None:
            self._text = str(self.value)
        return self._text

    # -- what costs nothing worth counting -------------------------------------------------------------------
    def is_zero(self) -> bool:
        """Say whether it is 0."""
        return bool(self.value.is_zero())

    def is_one(self) -> bool:
        """Say whether it is 1."""
        return bool(self.value.is_one())

    def is_constant(self) -> bool:
        """Say whether it is a number."""
        return bool(self.value.is_constant())

    def leading_coefficient(self) -> Any:
        """Return the coefficient of the first term."""
        return self.value.leading_coefficient()

    def degrees(self) -> tuple[int, ...]:
        """Return the degree in each variable."""
        if self._degrees is None:
            self._degrees = tuple(map(int, self.value.degrees()))
        return self._degrees

    def context(self) -> Ring:
        """Return the ring."""
        return self.ring

    def content(self) -> Any:
        """Return the greatest common divisor of the coefficients."""
        self.ring.meter.charge(_CALL + 1 + 0.02 * len(self.value))
        return self.value.content()

    def to_dict(self) -> Mapping[tuple[int, ...], int]:
        """Return {exponents: coefficient}, written down once."""
        if self._terms is None:
            self.ring.meter.charge(_CALL + 1 + len(self.value) * (1 + 0.15 * self.ring.size))
            if self.given is not None and len(self.given) == len(self.value):
                self._terms = {m: int(self.given[m]) for m in sorted(self.given, reverse=True)}
            else:
                self._terms = self.ring.terms(self.value, self._written())
        return self._terms

    # -- arithmetic ------------------------------------------------------------------------------------------
    def _linear(self, other: Polynomial | int) -> Any:
        right, terms = (other.value, len(other.value)) if isinstance(other, Polynomial) else (other, 0)
        self.ring.meter.charge(_CALL + 1 + 0.02 * (len(self.value) + terms))
        return right

    def __neg__(self) -> Polynomial:
        self._linear(0)
        return Polynomial(self.ring, -self.value)

    def __add__(self, other: Polynomial | int) -> Polynomial:
        return Polynomial(self.ring, self.value + self._linear(other))

    __radd__ = __add__

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return Polynomial(self.ring, self.value - self._linear(other))

    def __rsub__(self, other: int) -> Polynomial:
        return Polynomial(self.ring, self._linear(other) - self.value)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        if not isinstance(other, Polynomial):
            self._linear(other)
            return self if other == 1 else Polynomial(self.ring, self.value * other)
        products = len(self.value) * len(other.value)
        words = 1 + (_bits(self) + _bits(other)) / 64 if products > _FEW else 1.0
        self.ring.meter.charge(_CALL + 1 + 0.02 * products * words)
        return Polynomial(self.ring, self.value * other.value)

    __rmul__ = __mul__

    def __truediv__(self, other: Polynomial) -> Polynomial:
        self.ring.meter.charge(_CALL + 1.5 + 0.15 * (len(self.value) + len(other.value)))
        return self if other.value.is_one() else Polynomial(self.ring, self.value / other.value)

    def __floordiv__(self, other: Polynomial) -> Polynomial:
        self.ring.meter.charge(_CALL + 1.5 + 0.15 * (len(self.value) + len(other.value)))
        return Polynomial(self.ring, self.value // other.value)

    def __mod__(self, other: Polynomial) -> Polynomial:
        self.ring.meter.charge(_CALL + 1.5 + 0.15 * (len(self.value) + len(other.value)))
        return Polynomial(self.ring, self.value % other.value)

    def __pow__(self, exponent: int) -> Polynomial:
        terms = len(self.value)
        self.ring.meter.charge(_CALL + 1 + (0.05 * comb(terms + exponent - 1, exponent) if terms > 1 else 0.0))
        return Polynomial(self.ring, self.value**exponent)

    def compose(self, *values: Polynomial, ctx: Ring) -> Polynomial:
        """Return the polynomial with others put for its variables."""
        self.ring.meter.charge(_CALL + 15 + len(self.value))
        return Polynomial(ctx, self.value.compose(*(v.value for v in values), ctx=ctx.inner))

    # -- divisors --------------------------------------------------------------------------------------------
    def gcd(self, other: Polynomial) -> Polynomial:
        """Return the greatest common divisor; one that may cost far more than is left is not begun."""
        meter, terms = self.ring.meter, len(self.value) + len(other.value)
        if _disjoint(self, other):
            meter.charge(_CALL + 1 + 0.02 * terms)
            if other.value.is_one():
                return other
            return self if self.value.is_one() else Polynomial(self.ring, self.value.gcd(other.value))
        highest = max(*self.degrees(), *other.degrees())
        meter.charge(_CALL + 20 + 1.5 * terms + (_DEGREE * highest if highest > _HIGH else 0.0))
        fewest = min(len(self.value), len(other.value))
        if not meter.allows(0.1 * terms * fewest):
            meter.charge(3 * terms)
            if not meter.allows(0.03 * terms * min(fewest, prod(d + 1 for d in image_degrees(self, other))), _HAZARD):
                raise OutOfWork("a common divisor would cost more than the limit of work.")
        common = self.ring.known(divisor, self, other) if terms > _WORTH else divisor(self.value, other.value)
        if len(common) > 1:
            meter.charge(0.1 * terms * len(common))
        return Polynomial(self.ring, common)

    def factor(self) -> tuple[Any, list[tuple[Polynomial, int]]]:
        """Return a number and factors with their powers: all of them where that has a price, else the repeated ones.

        A polynomial a*v + b of degree 1 in v is gcd(a, b) times what cannot be factored, so most need divisors only.
        """
        value, terms = self.value, len(self.value)
        if terms <= 1:
            self.ring.meter.charge(_CALL + 5)
            return (int(value.leading_coefficient()), []) if value.is_constant() else self._factored(fully=True)
        degrees = self.degrees()
        if 1 in degrees:
            return self._factor_linear(degrees.index(1))
        highest = max(degrees)
        self.ring.meter.charge(_CALL + 20 + 12 * terms * min(highest, _DEGREES_THAT_COUNT))
        if highest > _HIGH:
            self.ring.meter.charge(_DEGREE_FACTORED * highest**2)
        return self._factored(fully=terms <= _FACTORED)

    def _factored(self, *, fully: bool) -> tuple[int, list[tuple[Polynomial, int]]]:
        content, factors = self.ring.known(factored, self, fully=fully)
        return content, [(Polynomial(self.ring, f), k) for f, k in factors]

    def _factor_linear(self, place: int) -> tuple[Any, list[tuple[Polynomial, int]]]:
        slope = Polynomial(self.ring, self.value.derivative(place))
        rest = self - slope * self.ring.gens()[place]
        common = slope if rest.is_zero() else slope.gcd(rest)
        if common.is_zero():
            raise OutOfWork(TOO_HIGH)
        last = self / common
        if last.leading_coefficient() < 0:
            last, common = -last, -common
        content, factors = common.factor()
        return content, [(last, 1), *factors]


def _bits(polynomial: Polynomial) -> int:
    """Return the bits of one coefficient, which stands for all."""
    return int(polynomial.value.leading_coefficient()).bit_length() if len(polynomial.value) else 0


def _disjoint(left: Polynomial, right: Polynomial) -> bool:
    """Say whether a common divisor is plain: of a monomial, or of polynomials without a common variable."""
    if len(left.value) <= 1 or len(right.value) <= 1:
        return True
    return not any(map(mul, left.degrees(), right.degrees()))
