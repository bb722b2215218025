"""Exponentials, hyperbolic functions, powers with a symbol as exponent, logarithms that cancel."""

from __future__ import annotations

from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import System, add, angles, each, parameters, reals
from dalembert.expr import PI, Expr, asin, atan, cos, cosh, diff, exp, log, sin, sinh, sqrt, tangent, tanh

pair = theme("exp and powers")


@pair("cosh^2 - sinh^2 = 1", "cosh^2 + sinh^2")
def hyperbola(wrong: bool) -> Expr:
    (x,) = reals("x")
    return cosh(x) ** 2 - (-1 if wrong else 1) * sinh(x) ** 2 - 1


@pair("sinh of a sum", "sign of the second term")
def hyperbolic_sum(wrong: bool) -> Expr:
    x, y = reals("x y")
    second = cosh(x) * sinh(y)
    return sinh(x + y) - sinh(x) * cosh(y) - (-second if wrong else second)


@pair("tanh of a double argument", "minus for plus below")
def hyperbolic_double(wrong: bool) -> Expr:
    (x,) = reals("x")
    return tanh(2 * x) - 2 * tanh(x) / (1 + (-1 if wrong else 1) * tanh(x) ** 2)


@pair("exp of a sum of fractions", "a multiple of 2^61 - 1")
def exponents(wrong: bool) -> Expr:
    x, y = reals("x y")
    return exp(x / 2 + 2 * y / 3) ** 6 - exp(x) ** 3 * exp(y) ** 4 + (MERSENNE_61 * exp(x) if wrong else 0)


@pair("catenary: y'' = sqrt(1 + y'^2)/a", "a for 1/a")
def catenary(wrong: bool) -> Expr:
    (a,), (x,) = parameters("a"), reals("x")
    y = a * cosh(x / a)
    slope = diff(y, x)
    return diff(y, x, x) - sqrt(1 + slope**2) * (a if wrong else 1 / a)


@pair("damped oscillator solves its equation", "sign of the damping")
def damped(wrong: bool) -> Expr:
    (c, w), (s,) = parameters("c w"), reals("s")
    x = exp(-c * s) * cos(w * s)
    return diff(x, s, s) + (-2 if wrong else 2) * c * diff(x, s) + (c**2 + w**2) * x


@pair("Gauss function solves the heat equation", "4 for 2 in the exponent")
def heat(wrong: bool) -> Expr:
    (x,), (s,) = reals("x"), reals("s", domain="positive")
    u = exp(-(x**2) / ((2 if wrong else 4) * s)) / sqrt(s)
    return diff(u, s) - diff(u, x, x)


@pair("x^n x^m = x^(n + m), slopes included", "n m for n + m")
def powers(wrong: bool) -> Expr:
    n, m = parameters("n m")
    (x,) = reals("x", domain="positive")
    return x * diff(x**n * x**m, x) - (n * m if wrong else n + m) * x**n * x**m


@pair("angular momentum and energy in a force r^n", "areal velocity without its square")
def central(wrong: bool) -> Expr:
    m, k, n = parameters("m k n")
    (r,), (phi,) = reals("r", domain="positive"), angles("phi")
    system = System(m * (r.dot**2 + (r * phi.dot) ** 2) / 2 - k * r**n, [r, phi])
    moment = m * (r if wrong else r**2) * phi.dot
    return each([system.rate(moment), system.rate(system.energy)])


@pair("r^n has the Laplacian n (n + 1) r^(n - 2) in space", "n (n - 1)")
def laplacian(wrong: bool) -> Expr:
    (n,) = parameters("n")
    q = reals("x y z")
    r = sqrt(add(v**2 for v in q))
    flat = add(diff(r**n, v, v) for v in q)
    return flat * r**2 - n * (n + (-1 if wrong else 1)) * r**n


@pair("slope of x log x - x", "minus 1 forgotten")
def logarithm(wrong: bool) -> Expr:
    (x,) = reals("x", domain="positive")
    return diff(x * log(x) - (0 if wrong else 1) * x, x) - log(x)


@pair("slope of x^n (1 + x)^n by n", "log n for log x")
def exponent_slope(wrong: bool) -> Expr:
    x, n = parameters("x n")
    both = x**n * (1 + x) ** n
    return diff(both, n) - both * (log(n if wrong else x) + log(1 + x))


@pair("log r is harmonic in the plane", "in space")
def logarithmic_well(wrong: bool) -> Expr:
    q = reals("x y z" if wrong else "x y")
    r = sqrt(add(v**2 for v in q))
    return add(diff(log(r), v, v) for v in q)


@pair("energy in a logarithmic well", "the well counted twice")
def logarithmic_energy(wrong: bool) -> Expr:
    (k,), (x, y) = parameters("k"), reals("x y")
    well = k * log(x**2 + y**2) / 2
    system = System((x.dot**2 + y.dot**2) / 2 - well, [x, y])
    return system.rate(system.energy + (well if wrong else 0))


@pair("Boltzmann weight of two coupled oscillators is invariant", "temperature in one force")
def boltzmann(wrong: bool) -> Expr:
    (k, m, temperature), (x, y, px, py) = parameters("k m T"), reals("x y px py")
    weight = exp(-((px**2 + py**2) / (2 * m) + k * (x - y) ** 2 / 2) / temperature)
    pull = k * (x - y) * (temperature if wrong else 1)
    return tangent([weight], {x: px / m, y: py / m, px: -pull, py: k * (x - y)})[0]


@pair("polar angle by the arc tangent: its rate", "sum for difference")
def polar_rate(wrong: bool) -> Expr:
    x, y = reals("x y")
    turn = x * y.dot + (1 if wrong else -1) * y * x.dot
    return atan(y / x).dot - turn / (x**2 + y**2)


@pair("arc sine: slope of x asin(x) + sqrt(1 - x^2)", "sign of the root")
def arc_sine(wrong: bool) -> Expr:
    (x,) = reals("x")
    root = sqrt(1 - x**2)
    return diff(x * asin(x) + (-root if wrong else root), x) - asin(x)


@pair("logistic growth solves its equation", "u^2 for u in the brake")
def logistic(wrong: bool) -> Expr:
    (a, c), (s,) = parameters("a c"), reals("s")
    u = 1 / (1 + c * exp(-a * s))
    return diff(u, s) - a * u * (1 - (u**2 if wrong else u))


@pair("sech^2 soliton solves the Korteweg-de Vries equation", "speed 2c for 4c")
def soliton(wrong: bool) -> Expr:
    (k,), (x, s) = parameters("k"), reals("x s")
    u = 2 * k**2 / cosh(k * (x - (2 if wrong else 4) * k**2 * s)) ** 2
    return diff(u, s) + 6 * u * diff(u, x) + diff(u, x, x, x)


@pair("arc tangents of x and 1/x add up to pi/2, for positive x", "for nonzero x", supported=False)
def arc_tangents(wrong: bool) -> Expr:
    (x,) = reals("x", domain="nonzero" if wrong else "positive")
    return atan(x) + atan(1 / x) - PI / 2


@pair("logarithm of a product of positive numbers", "of a sum")
def log_product(wrong: bool) -> Expr:
    a, b = parameters("a b")
    return log(a + b if wrong else a * b) - log(a) - log(b)


@pair("sine of twice the arc tangent", "1 - x^2 below", supported=False)
def sine_of_arc(wrong: bool) -> Expr:
    (x,) = reals("x")
    return sin(2 * atan(x)) - 2 * x / (1 + (-1 if wrong else 1) * x**2)
