"""Chain rules and differential identities with functions of which nothing is known."""

from __future__ import annotations

from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import add, angles, dot, each, parameters, reals
from dalembert.expr import Expr, Function, cos, diff, gradient, jet, sin, substitute, symbol, time_derivative

pair = theme("functions")


def _euler(lagrangian: Expr, q: Expr) -> Expr:
    return time_derivative(diff(lagrangian, q.dot)) - diff(lagrangian, q)


@pair("mixed partial derivatives agree", "f_xx for f_xy")
def mixed(wrong: bool) -> Expr:
    x, y, z = reals("x y z")
    f = jet(Function("f", 3), (x * y, y + z, sin(x)))
    return diff(f, x, y) - (diff(f, x, x) if wrong else diff(f, y, x))


@pair("slope in the first slot, put on the diagonal", "taken for the slope along the diagonal")
def diagonal(wrong: bool) -> Expr:
    x, y = reals("x y")
    f = Function("f", 2)
    first, second = substitute([diff(jet(f, (x, y)), x), diff(jet(f, (x, y)), y)], {y: x})
    along = diff(jet(f, (x, x)), x)
    return along - first if wrong else along - first - second


@pair("second slope along the diagonal", "mixed slope counted once")
def diagonal_twice(wrong: bool) -> Expr:
    (x,) = reals("x")
    f = Function("f", 2)
    parts = [jet(f, (x, x), slots=s) for s in ((1, 1), (1, 2), (2, 2))]
    return diff(jet(f, (x, x)), x, x) - parts[0] - (1 if wrong else 2) * parts[1] - parts[2]


@pair("a total time derivative is a null Lagrangian, any F(x, y, t)", "F multiplied by x'")
def null_lagrangian(wrong: bool) -> Expr:
    x, y = reals("x y")
    f = jet(Function("F", 3), (x * cos(y), y**2, symbol("t", role="time")))
    lagrangian = time_derivative(f) * (x.dot if wrong else 1)
    return each([_euler(lagrangian, x), _euler(lagrangian, y)])


@pair("gauge change of the vector potential, any gauge", "sign in one component")
def gauge(wrong: bool) -> Expr:
    q = reals("x y z")
    shift = gradient(jet(Function("chi", 2), (q[0] * q[1], q[1] * q[2] ** 2)), q)
    if wrong:
        shift[2] = -shift[2]
    magnetic = dot(shift, [v.dot for v in q])
    return each(_euler(magnetic, v) for v in q)


@pair("d'Alembert: f(x - ct) + g(x + ct) solves the wave equation", "c for c^2")
def wave(wrong: bool) -> Expr:
    x, s = reals("x s")
    (c,) = parameters("c")
    u = jet(Function("f", 1), (x - c * s,)) + jet(Function("g", 1), (x + c * s,))
    return diff(u, s, s) - (c if wrong else c**2) * diff(u, x, x)


@pair("divergence of a curl, any field", "one derivative in the wrong slot")
def div_curl(wrong: bool) -> Expr:
    x, y, z = q = reals("x y z")
    a, b, c = (jet(Function(name, 3), q) for name in "ABC")
    curl = [diff(c, y) - diff(b, z), diff(a, z) - diff(c, x), diff(b, x) - diff(a, x if wrong else y)]
    return add(diff(part, v) for part, v in zip(curl, q, strict=True))


@pair("Laplacian in polar coordinates, any function", "first-order term forgotten")
def laplacian(wrong: bool) -> Expr:
    (r,), (phi,) = reals("r", domain="positive"), angles("phi")
    f = Function("f", 2)
    at = (r * cos(phi), r * sin(phi))
    u = jet(f, at)
    flat = jet(f, at, slots=(1, 1)) + jet(f, at, slots=(2, 2))
    first = diff(u, r) / r
    return diff(u, r, r) + diff(u, phi, phi) / r**2 + (0 if wrong else first) - flat


@pair("Lagrange's equations in other coordinates, any Lagrangian and any change", "one slope of the change forgotten")
def covariance(wrong: bool) -> Expr:
    """E_s = (dx/ds) E_x + (dy/ds) E_y for x = X(s), y = Y(s), L = L(x, y, x', y')."""
    (s,) = reals("s")
    x, y = jet(Function("X", 1), (s,)), jet(Function("Y", 1), (s,))
    names = u, w = reals("x y")
    lagrangian = jet(Function("L", 4), [u, w, u.dot, w.dot])
    put = {u: x, w: y, u.dot: x.dot, w.dot: y.dot, u.dot.dot: x.dot.dot, w.dot.dot: y.dot.dot}
    new = substitute([lagrangian], put)[0]
    old = substitute([_euler(lagrangian, v) for v in names], put)
    return _euler(new, s) - diff(x, s) * old[0] - (old[1] if wrong else diff(y, s) * old[1])


@pair("derivative of an inverse square, any composite", "a multiple of 2^61 - 1")
def composite(wrong: bool) -> Expr:
    x, y = reals("x y")
    inner = jet(Function("g", 2), (x, y))
    outer = Function("f", 1)
    f = jet(outer, (inner,))
    slope = jet(outer, (inner,), slots=(1,))
    return diff(f**-2, x) * f**3 + 2 * slope * diff(inner, x) + (MERSENNE_61 * diff(inner, y) if wrong else 0)


@pair("Euler-Lagrange expression of any F(x') f(x)", "acceleration without its factor")
def separated(wrong: bool) -> Expr:
    (x,) = reals("x")
    outer, inner = Function("F", 1), Function("f", 1)
    kinetic, weight = jet(outer, (x.dot,)), jet(inner, (x,))
    slope, bend = jet(outer, (x.dot,), slots=(1,)), jet(outer, (x.dot,), slots=(1, 1))
    change = jet(inner, (x,), slots=(1,))
    claimed = bend * x.dot.dot * (1 if wrong else weight) + slope * change * x.dot - kinetic * change
    return _euler(kinetic * weight, x) - claimed


@pair("Wronskian of two solutions of u'' + p(s) u' + q(s) u = 0", "sign of p")
def wronskian(wrong: bool) -> Expr:
    (s,) = reals("s")
    p, q = jet(Function("p", 1), (s,)), jet(Function("q", 1), (s,))
    u, v = (jet(Function(name, 1), (s,)) for name in "uv")
    du, dv = diff(u, s), diff(v, s)
    equation = {diff(du, s): -p * du - q * u, diff(dv, s): -p * dv - q * v}
    rate = substitute([diff(u * dv - v * du, s)], equation)[0]
    return rate + (-p if wrong else p) * (u * dv - v * du)
