"""From half-angle tangents back to sines and cosines, and products of these as sums, of sums of angles.

A polynomial of degree d in t = tan(x/2), over (1 + t^2)^k with 2k >= d, is a polynomial in sin x and cos x:
t^e / (1 + t^2)^k = (sin x)^(e mod 2) (1 - cos x)^(e div 2) (1 + cos x)^(k - (e+1) div 2) / 2^k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from dalembert.expr.elementary import sincos
from dalembert.expr.field.memory import Memory
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field, Quotient, written
from dalembert.expr.graph import ONE, Expr, Number, total
from dalembert.expr.phases import phases

Frequency: TypeAlias = "tuple[int, ...]"
"""A whole combination of angles."""
Spectrum: TypeAlias = "dict[Frequency, tuple[int, int]]"
"""Real and imaginary part of the amplitude of each frequency."""
Amplitude: TypeAlias = "tuple[Fraction, Fraction]"
"""That of the cosine and that of the sine."""
Style = Literal["double", "sine", "cosine"]
"""How a double angle is written: as such, or by the square of the sine or the cosine of the simple one."""
_MOVING, _MOVING_TERM, _MOVING_EXPONENT = 12.0, 2.04, 0.3
"""Units of work to take a polynomial to another ring: for itself, for each term and for each exponent."""


def waves(
    amplitudes: Mapping[Frequency, Amplitude], sincos: Callable[[Frequency], tuple[Expr, Expr]], style: Style = "double"
) -> list[tuple[Number, Expr]]:
    """Return a sum of waves as (coefficient, sine or cosine of a whole combination of angles).

    >>> from dalembert.expr import sincos, symbol
    >>> a, b = symbol("a"), symbol("b")
    >>> waves(spectrum({(1, 0, 0, 1): 1, (0, 1, 1, 0): 1}), lambda k: sincos(k[0] * a + k[1] * b))
    [(Fraction(1, 1), sin(a + b))]
    """
    result: list[tuple[Number, Expr]] = []
    for frequency, (re, im) in amplitudes.items():
        if style != "double" and is_double(frequency):
            sine, cosine = sincos(tuple(k // 2 for k in frequency))
            if style == "sine":  # cos 2x = 1 - 2 sin^2 x
                result += [(re, ONE), (-2 * re, sine**2), (2 * im, sine * cosine)]
            else:  # cos 2x = 2 cos^2 x - 1
                result += [(-re, ONE), (2 * re, cosine**2), (2 * im, sine * cosine)]
        elif any(frequency):
            sine, cosine = sincos(frequency)
            result += [(re, cosine), (im, sine)]
        else:
            result.append((re, ONE))
    return [(c, n) for c, n in result if c]


def is_double(frequency: Frequency) -> bool:
    """Say whether an angle is twice a whole combination of angles."""
    return any(frequency) and not any(k % 2 for k in frequency)


def spectrum(terms: Mapping[tuple[int, ...], int]) -> dict[Frequency, Amplitude]:
    """Return {frequency: (amplitude of the cosine, amplitude of the sine)}, of each pair of opposite ones the first.

    A term is given by its exponents: those of sine and cosine of the first angle, of the second, and so on.

    >>> spectrum({(2, 0): 1})
    {(2,): (Fraction(-1, 2), Fraction(0, 1)), (0,): (Fraction(1, 2), Fraction(0, 1))}
    """
    most = max(map(sum, terms))
    spectrum: Spectrum = {}  # of complex exponentials, times 2^most so that they are whole
    for exponents, coefficient in terms.items():
        scale = coefficient << most - sum(exponents)
        for frequency, (re, im) in _wave(exponents).items():
            old = spectrum.get(frequency, (0, 0))
            spectrum[frequency] = (old[0] + scale * re, old[1] + scale * im)
    result = {}
    for frequency, (re, im) in spectrum.items():
        first = next((k for k in frequency if k), 0)
        if first >= 0 and (re or im):
            twice = 2 if first else 1
            result[frequency] = (Fraction(twice * re, 1 << most), Fraction(-twice * im, 1 << most))
    return result


@lru_cache(maxsize=1 << 12)
def _wave(exponents: tuple[int, ...]) -> Spectrum:
    """Return a product of twice the sines and cosines."""
    wave: Spectrum = {(0,) * (len(exponents) // 2): (1, 0)}
    for place, power in enumerate(exponents):
        for _ in range(power):
            wave = _beat(wave, *divmod(place, 2))
    return wave


def _beat(wave: Spectrum, j: int, kind: int) -> Spectrum:
    """Multiply by twice the cosine (kind 1) or sine (kind 0) of an angle, in complex exponentials."""
    result: Spectrum = {}
    for frequency, (re, im) in wave.items():
        for step in (1, -1):
            shifted = (*frequency[:j], frequency[j] + step, *frequency[j + 1 :])
            # 2 cos = z + 1/z, 2 sin = (z - 1/z)/i
            part = (re, im) if kind else (step * im, -step * re)
            old = result.get(shifted, (0, 0))
            result[shifted] = (old[0] + part[0], old[1] + part[1])
    return result


class Circle:
    """The ring in which each half-angle tangent of a field is replaced by a sine and a cosine.

    ``nodes`` has the expression of each variable: first those of the field that are no tangents, then sine and cosine
    of each angle in turn. ``sines`` and ``cosines`` are the places of these.
    """

    def __init__(self, field: Field) -> None:
        self.field = field
        angles = field.generators.basis
        self.plain = field.generators.size - len(angles)
        self.nodes: list[Expr] = field.generators.nodes()[: self.plain]
        for angle in angles:
            self.nodes += sincos(angle)
        self.angles = angles
        self.sines = [self.plain + 2 * j for j in range(len(angles))]
        self.cosines = [self.plain + 2 * j + 1 for j in range(len(angles))]
        # without angles nothing is replaced, and polynomials are what they are
        self.ring = field.make_ring([f"y{k}" for k in range(len(self.nodes))]) if angles else field.ring
        self.gens = self.ring.gens()
        self._parts = [phases(angle) for angle in angles]
        self._monomials: dict[Any, Expr] = {}
        self._written: dict[str, Expr] = {}
        self._sincos: dict[Frequency, tuple[Expr, Expr]] = {}
        self._remembered = Memory(field.meter)

    def sincos(self, turns: Frequency) -> tuple[Expr, Expr]:
        """Return sine and cosine of a whole combination of the angles."""
        if turns not in self._sincos:
            parts = zip(turns, self._parts, strict=True)
            self._sincos[turns] = sincos(total([(k * c, n) for k, part in parts for n, c in part.items()]))
        return self._sincos[turns]

    def to_expr(self, polynomial: Any) -> Expr:
        """Return a polynomial in sines and cosines as an expression."""
        text = str(polynomial)
        if text not in self._written:
            self._written[text] = written(polynomial, self.nodes, self._monomials)
        return self._written[text]

    # -- from the field --------------------------------------------------------------------------------------
    def quotient(self, value: Quotient) -> tuple[Any, Any]:
        """Return numerator and denominator as polynomials in sines and cosines, common factors removed."""
        value = self._even(value)
        above, above_degrees = self._turn(value.above)
        below, below_degrees = self._turn(value.below)
        for j, (a, b) in enumerate(zip(above_degrees, below_degrees, strict=True)):
            factor = 1 + self.gens[self.cosines[j]]
            if b > a:
                above = above * factor ** (b - a)
            elif a > b:
                below = below * factor ** (a - b)
        for written_by in ("cosine", "sine") if self.angles else ():
            everywhere = [written_by] * len(self.angles)
            a, b = self.reduce(above, everywhere), self.reduce(below, everywhere)
            common = a.gcd(b)
            if not common.is_one():
                above, below = a / common, b / common
        return above, below

    def _even(self, value: Quotient) -> Quotient:
        """Return a fraction that is not 0/0 in sine and cosine at half a turn, where t is infinite.

        It is where the larger degree is odd. If it has a value there, it has a pole at a zero of a factor of odd
        degree, and by this factor both parts are multiplied: 1/t is (1 + cos)/sin, but better sin/(1 - cos).
        """
        above, below = value.above, value.below
        for place in range(self.plain, self.plain + len(self.angles)):
            degree = int(below.degrees()[place])
            if degree % 2 and not above.is_zero() and int(above.degrees()[place]) <= degree:
                odd = [factor for factor, _ in factored(below)[1] if int(factor.degrees()[place]) % 2]
                factor = min(odd, key=self._disturbance)
                above, below = above * factor, below * factor
        return Quotient(above, below)

    def _disturbance(self, factor: Any) -> tuple[int, int, int]:
        """Return how many angles a factor has to an odd degree, and how large it is."""
        degrees = [int(d) for d in factor.degrees()]
        return sum(d % 2 for d in degrees[self.plain : self.plain + len(self.angles)]), sum(degrees), len(factor)

    def _turn(self, polynomial: Any) -> tuple[Any, list[int]]:
        """Return Q and the k of each angle, such that the polynomial is Q / (1 + cos)^k (for 1 + t^2 = 2/(1 + cos))."""
        if polynomial.is_one():  # most denominators
            return self.ring.constant(1), [0] * len(self.angles)
        if not self.angles:
            self._charge_as_if_moved(polynomial)
            return polynomial, []
        degrees = [int(d) for d in polynomial.degrees()] if not polynomial.is_zero() else [0] * self.ring.nvars()
        halves = [-(-degrees[self.plain + j] // 2) for j in range(len(self.angles))]
        groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        room = [0] * (self.ring.nvars() - self.plain)
        for exponents, coefficient in polynomial.to_dict().items():
            exponents = tuple(map(int, exponents))
            tangents = exponents[self.plain : self.plain + len(self.angles)]
            groups.setdefault(tangents, {})[(*exponents[: self.plain], *room)] = int(coefficient)
        result = self.ring.constant(0)
        for tangents, terms in groups.items():
            monomial = self._remembered(("turned", tangents, *halves), self._turned, tangents, halves)
            result = result + self.ring.from_dict(terms) * monomial
        return result, halves

    def _charge_as_if_moved(self, polynomial: Any) -> None:
        """Charge what it takes to move a polynomial to another ring: budgets were fitted to that."""
        if self.field.meter is not None:
            self.field.meter.charge(_MOVING + len(polynomial) * (_MOVING_TERM + _MOVING_EXPONENT * self.ring.nvars()))

    def _turned(self, tangents: Sequence[int], halves: Sequence[int]) -> Any:
        """Return a monomial in the tangents times (1 + cos)^k / 2^k of each angle, in sines and cosines."""
        whole = self.ring.constant(1)
        for j, (e, k) in enumerate(zip(tangents, halves, strict=True)):
            if k:  # else the angle does not occur
                sine, cosine = self.gens[self.sines[j]], self.gens[self.cosines[j]]
                whole = whole * (1 - cosine) ** (e // 2) * (1 + cosine) ** (k - (e + 1) // 2)
                whole = whole * sine if e % 2 else whole
        return whole

    # -- and back --------------------------------------------------------------------------------------------
    def fraction(self, above: Any, below: Any) -> Quotient:
        """Return a fraction of polynomials in sines and cosines as an element of the field."""
        (a, a_degrees), (b, b_degrees) = self._lift(above), self._lift(below)
        for tangent, d, e in zip(self.field.tangents, a_degrees, b_degrees, strict=True):
            if e > d:
                a = a * (1 + tangent * tangent) ** (e - d)
            elif d > e:
                b = b * (1 + tangent * tangent) ** (d - e)
        return self.field.make(a, b)

    def _lift(self, polynomial: Any) -> tuple[Any, list[int]]:
        """Return N and the d of each angle, such that the polynomial is N / (1 + t^2)^d."""
        if not self.angles:
            self._charge_as_if_moved(polynomial)
            return polynomial, []
        ring, count = self.field.ring, len(self.angles)
        groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        room = [0] * (ring.nvars() - self.plain)
        for exponents, coefficient in polynomial.to_dict().items():
            exponents = tuple(map(int, exponents))
            groups.setdefault(exponents[self.plain :], {})[(*exponents[: self.plain], *room)] = int(coefficient)
        degrees = [max((turn[2 * j] + turn[2 * j + 1] for turn in groups), default=0) for j in range(count)]
        result = ring.constant(0)
        for turn, terms in groups.items():
            monomial = self._remembered(("lifted", turn, *degrees), self._lifted, turn, degrees)
            result = result + ring.from_dict(terms) * monomial
        return result, degrees

    def _lifted(self, turn: Sequence[int], degrees: Sequence[int]) -> Any:
        """Return a monomial in sines and cosines times (1 + t^2)^d of each angle, in the tangents."""
        whole = self.field.one
        for j, (t, d) in enumerate(zip(self.field.tangents, degrees, strict=True)):
            s, c = turn[2 * j], turn[2 * j + 1]
            whole = whole * (2 * t) ** s * (1 - t * t) ** c * (1 + t * t) ** (d - s - c)
        return whole

    def factor(self, polynomial: Any) -> tuple[Fraction, list[tuple[Any, int]]] | None:
        """Return a number and factors as functions on the circle, where sin^2 + cos^2 = 1 hides none; None for one.

        Factors are found by the half-angle tangents. Each of even degree is a polynomial in sine and cosine by itself,
        the others only together: those of one power if they can, so that sin(x - y)^3 is not opened, else all of them.
        """
        lifted, spare = self._lift(polynomial)
        content, factors = factored(lifted)
        if len(factors) == 1 and factors[0][1] == 1:
            return None
        number = Fraction(content, 2 ** sum(spare))
        alone = [(factor, power) for factor, power in factors if self._even_degrees(factor)]
        odd: dict[int, Any] = {}
        for factor, power in factors:
            if not self._even_degrees(factor):
                odd[power] = odd.get(power, self.field.one) * factor
        together = self.field.one
        for power, several in odd.items():
            if self._even_degrees(several):
                alone.append((several, power))
            else:
                together = together * several**power
        found: list[tuple[Any, int]] = []
        for factor, power in [*alone, (together, 1)]:
            turned, halves = self._turn(factor)
            spare = [d - power * k for d, k in zip(spare, halves, strict=True)]
            forms = [factored(self.reduce(turned, [way] * len(self.angles))) for way in ("cosine", "sine")]
            content, parts = max(forms, key=lambda form: len(form[1]))
            number *= Fraction(content) ** power
            found += [(part, power * times) for part, times in parts]
        found += [(1 + self.gens[self.cosines[j]], d) for j, d in enumerate(spare) if d]
        return number, found

    def _even_degrees(self, factor: Any) -> bool:
        """Say whether a polynomial has an even degree in every half-angle tangent."""
        return all(d % 2 == 0 for d in factor.degrees()[self.plain : self.plain + len(self.angles)])

    # -- squares ---------------------------------------------------------------------------------------------
    def turning(self, polynomial: Any) -> list[int]:
        """Return which angles occur in a polynomial with a square or a product of their sine and cosine."""
        degrees = polynomial.degrees()
        return [j for j in range(len(self.angles)) if degrees[self.sines[j]] + degrees[self.cosines[j]] > 1]

    def homogeneous(self, polynomial: Any) -> Any:
        """Bring all terms to one degree in sine and cosine, angle by angle where it can be: a + b sin^2 has a cos^2."""
        result = polynomial
        for j in self.turning(polynomial):
            sine, cosine = self.sines[j], self.cosines[j]
            groups: dict[int, dict[Any, Any]] = {}
            for exponents, coefficient in result.to_dict().items():
                groups.setdefault(int(exponents[sine] + exponents[cosine]), {})[exponents] = coefficient
            top = max(groups)
            if all((top - degree) % 2 == 0 for degree in groups):
                one = self.gens[sine] ** 2 + self.gens[cosine] ** 2
                parts = [self.ring.from_dict(terms) * one ** ((top - d) // 2) for d, terms in groups.items()]
                result = sum(parts, self.ring.constant(0))
        return result

    def reduce(self, polynomial: Any, written_by: Sequence[str]) -> Any:
        """Write squares of sines by cosines, or the other way round, angle by angle."""
        for j, choice in enumerate(written_by):
            sine, cosine = self.gens[self.sines[j]], self.gens[self.cosines[j]]
            kept, place = (cosine, self.sines[j]) if choice == "cosine" else (sine, self.cosines[j])
            if polynomial.is_zero() or polynomial.degrees()[place] < 2:
                continue
            result = self.ring.constant(0)
            by_power: dict[int, dict[tuple[int, ...], int]] = {}
            for exponents, coefficient in polynomial.to_dict().items():
                exponents = [int(e) for e in exponents]
                power, exponents[place] = divmod(exponents[place], 2)
                by_power.setdefault(power, {})[tuple(exponents)] = int(coefficient)
            for power, terms in by_power.items():
                square = self._remembered((place, power), lambda v, k: (1 - v * v) ** k, kept, power)
                result = result + self.ring.from_dict(terms) * square
            polynomial = result
        return polynomial
