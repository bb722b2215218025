"""From half-angle tangents back to sines and cosines, and products of these as sums, of sums of angles.

A polynomial of degree d in t = tan(x/2), over (1 + t^2)^k with 2k >= d, is a polynomial in sin x and cos x:
t^e / (1 + t^2)^k = (sin x)^(e mod 2) (1 - cos x)^(e div 2) (1 + cos x)^(k - (e+1) div 2) / 2^k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from dalembert.expr.elementary import sincos
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field, Quotient, written
from dalembert.expr.graph import ONE, Expr, Number, total
from dalembert.expr.phases import phases

Frequency: TypeAlias = "tuple[int, ...]"
"""A whole combination of angles."""
Spectrum: TypeAlias = "dict[Frequency, tuple[int, int]]"
"""Real and imaginary part of the amplitude of each frequency."""
Style = Literal["double", "sine", "cosine"]
"""How a double angle is written: as such, or by the square of the sine or the cosine of the simple one."""


def waves(
    terms: Mapping[Frequency, int], sincos: Callable[[Frequency], tuple[Expr, Expr]], style: Style = "double"
) -> list[tuple[Number, Expr]]:
    """Return a polynomial in sines and cosines as (coefficient, sine or cosine of a whole combination of angles).

    A term is given by its exponents: those of sine and cosine of the first angle, of the second, and so on.

    >>> from dalembert.expr import sincos, symbol
    >>> a, b = symbol("a"), symbol("b")
    >>> waves({(1, 0, 0, 1): 1, (0, 1, 1, 0): 1}, lambda k: sincos(k[0] * a + k[1] * b))
    [(Fraction(1, 1), sin(a + b))]
    """
    result: list[tuple[Number, Expr]] = []
    for frequency, (re, im) in _spectrum(terms).items():
        if style != "double" and any(frequency) and all(k % 2 == 0 for k in frequency):
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


def _spectrum(terms: Mapping[Frequency, int]) -> dict[Frequency, tuple[Fraction, Fraction]]:
    """Return {frequency: (amplitude of the cosine, amplitude of the sine)}, of each pair of opposite ones the first."""
    most = max(map(sum, terms))
    spectrum: Spectrum = {}  # of complex exponentials, times 2^most so that they are whole
    for exponents, coefficient in terms.items():
        wave: Spectrum = {(0,) * (len(exponents) // 2): (coefficient << most - sum(exponents), 0)}
        for place, power in enumerate(exponents):
            for _ in range(power):
                wave = _beat(wave, *divmod(place, 2))
        for frequency, (re, im) in wave.items():
            old = spectrum.get(frequency, (0, 0))
            spectrum[frequency] = (old[0] + re, old[1] + im)
    result = {}
    for frequency, (re, im) in spectrum.items():
        first = next((k for k in frequency if k), 0)
        if first >= 0 and (re or im):
            twice = 2 if first else 1
            result[frequency] = (Fraction(twice * re, 1 << most), Fraction(-twice * im, 1 << most))
    return result


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
        self.ring = field.make_ring([f"y{k}" for k in range(max(len(self.nodes), 1))])
        self.gens = self.ring.gens()
        self._parts = [phases(angle) for angle in angles]
        self._monomials: dict[Any, Expr] = {}

    def sincos(self, turns: Sequence[int]) -> tuple[Expr, Expr]:
        """Return sine and cosine of a whole combination of the angles."""
        return sincos(total([(k * c, n) for k, part in zip(turns, self._parts, strict=True) for n, c in part.items()]))

    def to_expr(self, polynomial: Any) -> Expr:
        """Return a polynomial in sines and cosines as an expression."""
        return written(polynomial, self.nodes, self._monomials)

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
        for written_by in ("cosine", "sine"):
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
            part = self.ring.from_dict(terms)
            for j, (e, k) in enumerate(zip(tangents, halves, strict=True)):
                if not k:  # an angle that does not occur
                    continue
                sine, cosine = self.gens[self.sines[j]], self.gens[self.cosines[j]]
                part = part * (1 - cosine) ** (e // 2) * (1 + cosine) ** (k - (e + 1) // 2)
                part = part * sine if e % 2 else part
            result = result + part
        return result, halves

    # -- and back --------------------------------------------------------------------------------------------
    def fraction(self, above: Any, below: Any) -> Quotient:
        """Return a fraction of polynomials in sines and cosines as an element of the field."""
        (a, a_degrees), (b, b_degrees) = self._lift(above), self._lift(below)
        for tangent, d, e in zip(self.field.tangents, a_degrees, b_degrees, strict=True):
            a, b = a * (1 + tangent * tangent) ** max(e - d, 0), b * (1 + tangent * tangent) ** max(d - e, 0)
        return self.field.make(a, b)

    def _lift(self, polynomial: Any) -> tuple[Any, list[int]]:
        """Return N and the d of each angle, such that the polynomial is N / (1 + t^2)^d."""
        ring, count = self.field.ring, len(self.angles)
        groups: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        room = [0] * (ring.nvars() - self.plain)
        for exponents, coefficient in polynomial.to_dict().items():
            exponents = tuple(map(int, exponents))
            groups.setdefault(exponents[self.plain :], {})[(*exponents[: self.plain], *room)] = int(coefficient)
        degrees = [max((turn[2 * j] + turn[2 * j + 1] for turn in groups), default=0) for j in range(count)]
        result = ring.constant(0)
        for turn, terms in groups.items():
            part = ring.from_dict(terms)
            for j, t in enumerate(self.field.tangents):
                s, c = turn[2 * j], turn[2 * j + 1]
                part = part * (2 * t) ** s * (1 - t * t) ** c * (1 + t * t) ** (degrees[j] - s - c)
            result = result + part
        return result, degrees

    def factor(self, polynomial: Any) -> tuple[Fraction, list[tuple[Any, int]]]:
        """Return a number and factors as functions on the circle, where sin^2 + cos^2 = 1 hides none of them.

        Factors are found by the half-angle tangents. Each of even degree is a polynomial in sine and cosine by itself,
        the others only together: those of one power if they can, so that sin(x - y)^3 is not opened, else all of them.
        """
        lifted, spare = self._lift(polynomial)
        content, factors = factored(lifted)
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
                result = result + self.ring.from_dict(terms) * (1 - kept * kept) ** power
            polynomial = result
        return polynomial
