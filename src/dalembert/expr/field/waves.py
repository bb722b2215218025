"""Products of sines and cosines as sums of sines and cosines of sums of angles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

from dalembert.expr.graph import ONE, Expr, Number

__all__ = ["Style", "waves"]

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
