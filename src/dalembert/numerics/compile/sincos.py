"""Sine and cosine together, without a branch: reduction by pi/2 in three parts, then two short polynomials.

With n the nearest whole number to 2x/pi, r = x - n (P1 + P2 + P3), where P1 is pi/2 rounded to a double, P2 the rest
rounded again, and so on. A fused multiply-add makes x - n P1 exact, so r is right to its last bit or two for every
|x| < 2^40; beyond, neighbouring doubles lie further apart than 1e-4 and an angle says nothing any more: not a number.
Without fused operations the C library is faster.
"""

from __future__ import annotations

from dalembert.numerics.compile.lanes import Lanes

__all__ = ["sincos"]

_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
_TWO_OVER_PI = 0.6366197723675814
_SHIFT = 1.5 * 2.0**52
"""Adding it rounds to a whole number and leaves that number in the lowest bits."""
_LARGEST = 2.0**40

# minimax on |r| <= pi/4: sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2); constants of fdlibm (Sun, 1993)
_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(lanes: Lanes, angle: str) -> tuple[str, str]:
    """Return sine and cosine of an angle."""
    if not lanes.writer.fused:
        return lanes.library("sin", angle), lanes.library("cos", angle)
    const = lanes.constant
    shifted = lanes.exactly("fadd", lanes.mul(angle, const(_TWO_OVER_PI)), const(_SHIFT))
    minus_n = lanes.exactly("fsub", const(_SHIFT), shifted)
    rest = angle
    for part in _HALF_PI:
        rest = lanes.fma(minus_n, const(part), rest)
    fits = lanes.compare("olt", lanes.magnitude(angle), const(_LARGEST))
    rest = lanes.select(fits, rest, const(float("nan")))
    sine, cosine = _near_zero(lanes, rest)

    quarter = lanes.bits(shifted)
    swapped = lanes.bits_differ(lanes.on_bits("and", quarter, lanes.whole(1)), lanes.whole(0))
    sign = lanes.whole(-(2**63))
    turn = lanes.on_bits("shl", quarter, lanes.whole(62))  # the second bit moves to the sign
    next_turn = lanes.on_bits("shl", lanes.on_bits("add", quarter, lanes.whole(1)), lanes.whole(62))
    pair = (lanes.select(swapped, cosine, sine), turn), (lanes.select(swapped, sine, cosine), next_turn)
    first, second = (
        lanes.from_bits(lanes.on_bits("xor", lanes.bits(value), lanes.on_bits("and", flip, sign)))
        for value, flip in pair
    )
    return first, second


def _near_zero(lanes: Lanes, r: str) -> tuple[str, str]:
    """Return sine and cosine of an angle between -pi/4 and pi/4."""
    const = lanes.constant
    z = lanes.mul(r, r)
    sine = lanes.fma(lanes.mul(z, r), _polynomial(lanes, z, _SINE), r)
    half = lanes.mul(z, const(0.5))
    leading = lanes.exactly("fsub", const(1), half)
    lost = lanes.exactly("fsub", lanes.exactly("fsub", const(1), leading), half)
    tail = lanes.fma(lanes.mul(z, z), _polynomial(lanes, z, _COSINE), lost)
    return sine, lanes.add(leading, tail)


def _polynomial(lanes: Lanes, z: str, coefficients: tuple[float, ...]) -> str:
    """Return a polynomial of degree five by pairs: a chain of four operations instead of six."""
    c0, c1, c2, c3, c4, c5 = map(lanes.constant, coefficients)
    square = lanes.mul(z, z)
    high = lanes.fma(square, lanes.fma(z, c5, c4), lanes.fma(z, c3, c2))
    return lanes.fma(square, high, lanes.fma(z, c1, c0))
