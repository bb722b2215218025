"""Brackets of vector fields and of functions: Jacobi identities, Jacobiators, involutivity."""

from __future__ import annotations

from bench.identities.nonholonomic import vertical_disc
from bench.identities.record import MERSENNE_127, theme
from bench.mechanics import Matrix, bracket, cross, determinant, dot, each, parameters, poisson, reals
from dalembert.expr import ONE, ZERO, Expr, Function, cos, diff, gradient, jet, sin

pair = theme("brackets")


def _jacobi(three: tuple[Expr, Expr, Expr], on: list[Expr], tensor: Matrix, last: int = 1) -> Expr:
    """Return {{f, g}, h} + {{g, h}, f} + last {{h, f}, g}."""

    def nested(f: Expr, g: Expr, h: Expr) -> Expr:
        return poisson(poisson(f, g, on, tensor), h, on, tensor)

    f, g, h = three
    return nested(f, g, h) + nested(g, h, f) + last * nested(h, f, g)


def _any_three(on: list[Expr]) -> tuple[Expr, Expr, Expr]:
    f, g, h = (jet(Function(name, len(on)), on) for name in "fgh")
    return f, g, h


def _hat(vector: list[Expr]) -> Matrix:
    """Return the matrix with df . hat(v) . dg = v . (df x dg)."""
    x, y, z = vector
    return [[ZERO, z, -y], [-z, ZERO, x], [y, -x, ZERO]]


@pair("Jacobi identity of any three vector fields in the plane", "sign of the last term")
def jacobi_fields(wrong: bool) -> Expr:
    q = reals("x y")
    fields = [[jet(Function(f"{name}{i}", 2), q) for i in (1, 2)] for name in "XYZ"]
    turns = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    parts = [bracket(bracket(fields[a], fields[b], q), fields[c], q) for a, b, c in turns]
    last = -1 if wrong else 1
    return each(a + b + last * c for a, b, c in zip(*parts, strict=True))


@pair("product rule of the bracket", "f Y(g) for f X(g)")
def leibniz(wrong: bool) -> Expr:
    q = reals("x y z")
    f, g = (jet(Function(name, 3), q) for name in "fg")
    x, y = ([jet(Function(f"{name}{i}", 3), q) for i in (1, 2, 3)] for name in "XY")
    left = bracket([f * c for c in x], [g * c for c in y], q)
    along = dot(y if wrong else x, gradient(g, q))
    back = dot(y, gradient(f, q))
    plain = bracket(x, y, q)
    return each(left[i] - f * g * plain[i] - f * along * y[i] + g * back * x[i] for i in range(3))


@pair("canonical Poisson bracket, any three functions", "sign of the last term")
def canonical(wrong: bool) -> Expr:
    on = reals("q1 q2 p1 p2")
    tensor = [[ZERO, ZERO, ONE, ZERO], [ZERO, ZERO, ZERO, ONE], [-ONE, ZERO, ZERO, ZERO], [ZERO, -ONE, ZERO, ZERO]]
    return _jacobi(_any_three(on), on, tensor, -1 if wrong else 1)


@pair("Lie-Poisson bracket of so(3), any three functions", "one entry of the bracket shifted")
def lie_poisson(wrong: bool) -> Expr:
    on = reals("m1 m2 m3")
    tensor = _hat(on)
    if wrong:
        tensor[0][1], tensor[1][0] = tensor[0][1] + on[0], tensor[1][0] - on[0]
    return _jacobi(_any_three(on), on, tensor)


@pair("Lie-Poisson bracket of se(2)", "a quadratic term in one entry of the bracket")
def se2(wrong: bool) -> Expr:
    on = reals("a b w")
    a, b, _ = on
    off = b if not wrong else b + a * on[2]
    tensor = [[ZERO, ZERO, -off], [ZERO, ZERO, a], [off, -a, ZERO]]
    return _jacobi(_any_three(on), on, tensor)


@pair("Casimir of the heavy top", "m . m for m . g")
def casimir(wrong: bool) -> Expr:
    m, g = reals("m1 m2 m3"), reals("g1 g2 g3")
    empty = [[ZERO] * 3 for _ in range(3)]
    top, side = _hat(m), _hat(g)
    tensor = [[*a, *b] for a, b in zip(top, side, strict=True)] + [[*a, *b] for a, b in zip(side, empty, strict=True)]
    any_function = jet(Function("f", 6), [*m, *g])
    invariant = dot(m, m) if wrong else dot(m, g)
    return poisson(any_function, invariant, [*m, *g], tensor)


@pair("magnetic bracket of a field that is a curl", "a field that is not")
def magnetic(wrong: bool) -> Expr:
    q, p = reals("x y z"), reals("px py pz")
    a = [jet(Function(f"A{i}", 3), q) for i in "xyz"]
    field = [
        diff(a[2], q[1]) - diff(a[1], q[2]),
        diff(a[0], q[2]) - diff(a[2], q[0]),
        diff(a[1], q[0]) - diff(a[0], q[1]),
    ]
    if wrong:
        field[2] = diff(a[1], q[0]) + diff(a[0], q[1])
    zero, unit = [[ZERO] * 3 for _ in range(3)], [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]
    turn = _hat(field)
    tensor = [[*x, *y] for x, y in zip(zero, unit, strict=True)]
    tensor += [[*(-e for e in x), *y] for x, y in zip(unit, turn, strict=True)]
    return _jacobi((p[0], p[1], p[2]), [*q, *p], tensor)


@pair("bracket grad C . (grad f x grad g), any C", "one slope of C times y")
def nambu(wrong: bool) -> Expr:
    on = reals("x y z")
    slope = gradient(jet(Function("C", 3), on), on)
    if wrong:
        slope[0] = slope[0] * on[1]
    return _jacobi(_any_three(on), on, _hat(slope))


def _particle_bracket() -> tuple[list[Expr], Matrix, Expr]:
    """Return variables, bracket and slope of the particle with z' = a(y) x' on its constraint."""
    on = reals("x y z vx vy")
    _, y, _, vx, _ = on
    a = jet(Function("a", 1), (y,))
    below = 1 + a**2
    entries = {(0, 3): 1 / below, (2, 3): a / below, (1, 4): ONE, (3, 4): -a * diff(a, y) * vx / below}
    tensor = [[ZERO] * 5 for _ in range(5)]
    for (i, j), value in entries.items():
        tensor[i][j], tensor[j][i] = value, -value
    return on, tensor, a


@pair("Jacobiator of the particle with z' = a(y) x'", "sign of the whole")
def jacobiator(wrong: bool) -> Expr:
    on, tensor, a = _particle_bracket()
    x, y, z, vx, vy = on
    slope = diff(a, y) / (1 + a**2) ** 2
    sign = 1 if wrong else -1
    return each(
        [
            _jacobi((x, vx, vy), on, tensor) - sign * a * slope,
            _jacobi((z, vx, vy), on, tensor) - slope,
            _jacobi((x, y, vx), on, tensor),
        ]
    )


@pair("kernel of dF is involutive, any F", "kernel of dF + y F dx")
def frobenius(wrong: bool) -> Expr:
    q = reals("x y z")
    f = jet(Function("F", 3), q)
    slope = gradient(f, q)
    if wrong:
        slope[0] = slope[0] + q[1] * f
    first, second = [slope[1], -slope[0], ZERO], [slope[2], ZERO, -slope[0]]
    return determinant([first, second, bracket(first, second, q)])


@pair("mu dF is integrable: w ^ dw = 0", "a multiple of 2^127 - 1")
def integrating_factor(wrong: bool) -> Expr:
    q = reals("x y z")
    factor = jet(Function("mu", 3), q)
    w = [factor * c for c in gradient(jet(Function("F", 3), q), q)]
    curl = [
        diff(w[2], q[1]) - diff(w[1], q[2]),
        diff(w[0], q[2]) - diff(w[2], q[0]),
        diff(w[1], q[0]) - diff(w[0], q[1]),
    ]
    return dot(w, curl) + (MERSENNE_127 * factor if wrong else 0)


@pair("growth of the rolling disc: the determinant is R^2", "R for R^2")
def growth(wrong: bool) -> Expr:
    (radius,) = parameters("R")
    q = vertical_disc().coordinates
    psi = q[1]
    roll, turn = [ONE, ZERO, radius * cos(psi), radius * sin(psi)], [ZERO, ONE, ZERO, ZERO]
    first = bracket(turn, roll, q)
    second = bracket(turn, first, q)
    value = determinant([roll, turn, first, second])
    return value - (radius if wrong else radius**2)


@pair("fields tangent to every sphere are involutive", "one field not tangent")
def spheres(wrong: bool) -> Expr:
    q = reals("x y z")
    weight = jet(Function("h", 3), q)
    first = [weight * c for c in cross(q, [ONE, ZERO, ZERO])]
    second = cross(q, [ZERO, ONE, ZERO])
    if wrong:
        second[2] = second[2] + q[0] * q[1]
    return determinant([first, second, bracket(first, second, q)])
