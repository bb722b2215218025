"""Roots: what is positive, which branch, what may be pulled out."""

from __future__ import annotations

from fractions import Fraction

from bench.identities.record import MERSENNE_127, theme
from bench.mechanics import angles, dot, parameters, reals
from dalembert.expr import Expr, absolute, cos, diff, exp, power, sin, sqrt

pair = theme("roots")


@pair("root of a square that is never negative", "of one that may be")
def squared(wrong: bool) -> Expr:
    (x,) = reals("x")
    inside = 1 - x**2 if wrong else 1 + x**2
    return sqrt(inside**2) - inside


@pair("root of x^2 y^4 is x y^2 for positive x, y", "for real x")
def positivity(wrong: bool) -> Expr:
    x, y = reals("x y", domain="real" if wrong else "positive")
    return sqrt(x**2 * y**4) - x * y**2


@pair("root of x^2 is -x for negative x", "for real x")
def negativity(wrong: bool) -> Expr:
    (x,) = reals("x", domain="real" if wrong else "negative")
    return sqrt(x**2) + x


@pair("roots of positive numbers multiply", "of real numbers, squared inside")
def multiply(wrong: bool) -> Expr:
    a, b = parameters("a b", domain="real" if wrong else "positive")
    return sqrt(a**2 * b) * sqrt(b) - a * b if not wrong else sqrt(a**2 * b**2) - a * b


@pair("root of 3 + 2 sqrt(2)", "branch: root of 3 - 2 sqrt(2) is 1 - sqrt(2)")
def surds(wrong: bool) -> Expr:
    if wrong:
        return sqrt(3 - 2 * sqrt(2)) - (1 - sqrt(2))
    return sqrt(3 + 2 * sqrt(2)) - (1 + sqrt(2))


@pair("root of a + b + 2 sqrt(ab)", "branch: minus inside and outside")
def nested(wrong: bool) -> Expr:
    a, b = parameters("a b")
    sign = -1 if wrong else 1
    return sqrt(a + b + sign * 2 * sqrt(a * b)) - (sqrt(a) + sign * sqrt(b))


@pair("nested root of 1 + x^2", "branch: minus inside")
def deeper(wrong: bool) -> Expr:
    (x,) = reals("x")
    r = sqrt(1 + x**2)
    if wrong:
        return sqrt((r - 2) ** 2) - (r - 2)
    return sqrt((r + 2) ** 2) - (r + 2)


@pair("difference of roots below a fraction", "sum of roots below")
def rationalise(wrong: bool) -> Expr:
    (x,) = reals("x", domain="positive")
    up, down = sqrt(x + 1), sqrt(x)
    return 1 / (up + down if wrong else up - down) - (up + down)


@pair("root of 1 - cos^2 is |sin|", "branch: sin itself")
def sine(wrong: bool) -> Expr:
    (q,) = angles("q")
    return sqrt(1 - cos(q) ** 2) - (sin(q) if wrong else absolute(sin(q)))


@pair("absolute value of a product", "absolute value forgotten once")
def moduli(wrong: bool) -> Expr:
    x, y = reals("x y")
    return absolute(x * y) - (x * absolute(y) if wrong else absolute(x) * absolute(y))


@pair("distance satisfies r r' = x x' + y y' + z z'", "a multiple of 2^127 - 1")
def distance(wrong: bool) -> Expr:
    q = reals("x y z")
    r = sqrt(dot(q, q))
    return r * r.dot - dot(q, [v.dot for v in q]) + (MERSENNE_127 * r if wrong else 0)


@pair("1/r is harmonic in space", "in the plane")
def harmonic(wrong: bool) -> Expr:
    q = reals("x y" if wrong else "x y z")
    well = 1 / sqrt(dot(q, q))
    result = diff(well, q[0], q[0])
    for v in q[1:]:
        result = result + diff(well, v, v)
    return result


@pair("Lorentz factors compose", "product for sum of the velocities")
def lorentz(wrong: bool) -> Expr:
    """gamma(w) = gamma(u) gamma(v) (1 + u v) for w = (u + v)/(1 + u v)."""
    a, b = reals("a b")
    u, v = a / sqrt(1 + a**2), b / sqrt(1 + b**2)
    w = (u + v) / (1 + (-u * v if wrong else u * v))
    return 1 / sqrt(1 - w**2) - (1 + u * v) / (sqrt(1 - u**2) * sqrt(1 - v**2))


@pair("frequency sqrt(k/m) of the oscillator", "sqrt(k m)")
def frequency(wrong: bool) -> Expr:
    (k, m), (s,) = parameters("k m"), reals("s")
    w = sqrt(k * m) if wrong else sqrt(k / m)
    x = cos(w * s) + sin(w * s) / w
    return m * diff(x, s, s) + k * x


@pair("cube root of a cube, for positive x", "sixth root of a sixth power, for real x")
def cubes(wrong: bool) -> Expr:
    (x,) = reals("x", domain="real" if wrong else "positive")
    return power(x**6, Fraction(1, 6)) - x if wrong else power((1 + x) ** 3, Fraction(1, 3)) - (1 + x)


@pair("fourth root twice", "once, positivity forgotten")
def fourth(wrong: bool) -> Expr:
    x, y = reals("x y")
    quarter = power(x**2 + 2 * x * y + y**2, Fraction(1, 4))
    return quarter**2 - (x + y if wrong else absolute(x + y))


@pair("the roots of z^2 - 2 b z - c multiply to -c", "to c")
def quadratic(wrong: bool) -> Expr:
    b, c = reals("b c", domain="positive")
    spread = sqrt(b**2 + c)
    one, two = b + spread, b - spread
    return one * two + (-c if wrong else c)


@pair("root of exp(2x)", "root of exp(2x) - 1")
def exponential(wrong: bool) -> Expr:
    (x,) = reals("x")
    return sqrt(exp(2 * x) - (1 if wrong else 0)) - exp(x)


@pair("length of the gradient of c times the distance is c", "for a parameter of either sign")
def eikonal(wrong: bool) -> Expr:
    q = reals("x y z")
    (c,) = parameters("c", domain="nonzero" if wrong else "positive")
    phase = c * sqrt(dot(q, q))
    slopes = [diff(phase, v) for v in q]
    return sqrt(dot(slopes, slopes)) - c


@pair("four signs: product of a +- sqrt(b) +- sqrt(c)", "one sign repeated")
def conjugates(wrong: bool) -> Expr:
    a, b, c = parameters("a b c")
    r, s = sqrt(b), sqrt(c)
    last = a - r + s if wrong else a - r - s
    quartic = (a**2 + b - c) ** 2 - 4 * a**2 * b
    return (a + r + s) * (a + r - s) * (a - r + s) * last - quartic
