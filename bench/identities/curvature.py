"""Metrics and connections: compatibility, torsion, curvature and its identities."""

from __future__ import annotations

from collections.abc import Sequence

from bench.identities.nonholonomic import robot
from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import (
    Matrix,
    add,
    angles,
    christoffel,
    determinant,
    each,
    identity_matrix,
    parameters,
    reals,
    riemann,
)
from dalembert.expr import ONE, ZERO, Expr, Function, diff, exp, gradient, hessian, jet, sin

pair = theme("curvature")


def _diagonal(entries: Sequence[Expr]) -> tuple[Matrix, Matrix]:
    """Return a diagonal matrix and its inverse."""
    unit = identity_matrix(len(entries))
    size = range(len(entries))
    return [[entries[i] * unit[i][j] for j in size] for i in size], [
        [unit[i][j] / entries[i] for j in size] for i in size
    ]


def _any_metric(on: Sequence[Expr]) -> Matrix:
    size = range(len(on))
    names = [[f"g{min(i, j) + 1}{max(i, j) + 1}" for j in size] for i in size]
    return [[jet(Function(name, len(on)), on) for name in row] for row in names]


def _compatibility(metric: Matrix, connection: list[Matrix], on: Sequence[Expr]) -> list[Expr]:
    """Return the components of the covariant derivative of the metric."""
    size = range(len(on))

    def component(a: int, b: int, c: int) -> Expr:
        turn = add(connection[e][a][b] * metric[e][c] + connection[e][a][c] * metric[b][e] for e in size)
        return diff(metric[b][c], on[a]) - turn

    return [component(a, b, c) for a in size for b in size for c in size]


def _gauss(metric: Matrix, on: Sequence[Expr], dual: Matrix | None = None) -> Expr:
    """Return the Gauss curvature R_1212 / det g."""
    curved = riemann(christoffel(metric, on, dual), on)
    return add(metric[0][d] * curved[d][1][0][1] for d in (0, 1)) / determinant(metric)


@pair("Levi-Civita connection of any metric in the plane is metric", "two indices exchanged")
def metric_plane(wrong: bool) -> Expr:
    on = reals("x y")
    metric = _any_metric(on)
    connection = christoffel(metric, on)
    if wrong:
        connection[0][0][1], connection[1][0][0] = connection[1][0][0], connection[0][0][1]
    return each(_compatibility(metric, connection, on))


@pair("Levi-Civita connection of any metric in space is metric", "a multiple of 2^61 - 1")
def metric_space(wrong: bool) -> Expr:
    on = reals("x y z")
    metric = _any_metric(on)
    connection = christoffel(metric, on)
    parts = _compatibility(metric, connection, on)
    return each(parts) + (MERSENNE_61 * connection[2][0][1] if wrong else 0)


def _reduced_particle(on: Sequence[Expr]) -> tuple[Matrix, Matrix, list[Matrix]]:
    """Return metric, inverse and connection of the particle with z' = f(x, y) x', reduced to the plane."""
    f = jet(Function("f", 2), on)
    metric, dual = _diagonal([1 + f**2, ONE])
    connection = [[[ZERO, ZERO], [ZERO, ZERO]], [[ZERO, ZERO], [ZERO, ZERO]]]
    connection[0][0][0] = f * diff(f, on[0]) / (1 + f**2)
    connection[0][1][0] = f * diff(f, on[1]) / (1 + f**2)
    return metric, dual, connection


@pair("reduced connection of z' = f(x, y) x' is metric", "the two directions exchanged")
def reduced_particle(wrong: bool) -> Expr:
    on = reals("x y")
    metric, _, connection = _reduced_particle(on)
    if wrong:
        connection[0][1][0], connection[0][0][0] = connection[0][0][0], connection[0][1][0]
    return each(_compatibility(metric, connection, on))


def _robot_connection() -> tuple[Matrix, list[Matrix]]:
    """Return the reduced metric and connection of the two-wheeled robot, by their closed forms."""
    m, m0, length, big, wheel, radius, c = parameters("m m0 l J J2 R c")
    a = wheel + m * radius**2 / 4 + big * radius**2 / (4 * c**2)
    b = m * radius**2 / 4 - big * radius**2 / (4 * c**2)
    below = 4 * c**2 * (2 * wheel * c**2 + big * radius**2) * (2 * wheel + m * radius**2)
    k1 = m0 * length * radius**5 * (big - m * c**2) / below
    k2 = m0 * length * radius**3 * (4 * wheel * c**2 + (big + m * c**2) * radius**2) / below
    return [[a, b], [b, a]], [[[k1, -k2], [-k1, k2]], [[k2, -k1], [-k2, k1]]]


@pair("reduced connection of the robot is metric", "K1 and K2 exchanged in one entry")
def robot_metric(wrong: bool) -> Expr:
    metric, connection = _robot_connection()
    if wrong:
        connection[0][0][0] = connection[1][0][0]
    return each(_compatibility(metric, connection, angles("psi1 psi2")))


@pair("torsion of the reduced connection of the robot", "sign of the torsion")
def robot_torsion(wrong: bool) -> Expr:
    """g(T(d1, d2), d_c) = -K(d_c, d1, d2) with K_112 = A and K_212 = -A."""
    m0, length, radius, c = parameters("m0 l R c")
    gyro = m0 * length * radius**3 / (4 * c**2)
    metric, connection = _robot_connection()
    torsion = [connection[e][0][1] - connection[e][1][0] for e in (0, 1)]
    lowered = [add(metric[c_][e] * torsion[e] for e in (0, 1)) for c_ in (0, 1)]
    sign = -1 if wrong else 1
    return each([lowered[0] + sign * gyro, lowered[1] - sign * gyro])


@pair("geodesics of the reduced connection are the motions of the robot", "J for J2")
def robot_geodesics(wrong: bool) -> Expr:
    system = robot()
    _, connection = _robot_connection()
    rates = system.velocities[3:]
    bent = [add(connection[e][a][b] * rates[a] * rates[b] for a in (0, 1) for b in (0, 1)) for e in (0, 1)]
    if wrong:
        big, wheel, radius, c = parameters("J J2 R c")
        bent[0] = bent[0] * (2 * big * c**2 + big * radius**2) / (2 * wheel * c**2 + big * radius**2)
    return each(system.admissible([a + b for a, b in zip(system.accelerations[3:], bent, strict=True)]))


@pair("curvature of the sphere is 1/R^2", "1/R")
def sphere(wrong: bool) -> Expr:
    (radius,) = parameters("R")
    theta, phi = angles("theta phi")
    metric, dual = _diagonal([radius**2, (radius * sin(theta)) ** 2])
    return _gauss(metric, [theta, phi], dual) - (1 / radius if wrong else radius**-2)


@pair("curvature of the hyperbolic plane, as a disc, is -1", "+1")
def hyperbolic(wrong: bool) -> Expr:
    x, y = reals("x y")
    stretch = 4 / (1 - x**2 - y**2) ** 2
    metric, dual = _diagonal([stretch, stretch])
    return _gauss(metric, [x, y], dual) + (-1 if wrong else 1)


@pair("curvature of a surface of revolution, any profile", "f'' at 2u")
def revolution(wrong: bool) -> Expr:
    u, v = reals("u v")
    profile = Function("f", 1)
    f = jet(profile, (u,))
    metric, dual = _diagonal([ONE, f**2])
    bent = jet(profile, (2 * u,), slots=(1, 1)) if wrong else diff(f, u, u)
    return _gauss(metric, [u, v], dual) + bent / f


@pair("curvature of any conformal metric", "e^-s for e^-2s")
def conformal(wrong: bool) -> Expr:
    on = reals("x y")
    s = jet(Function("s", 2), on)
    metric, dual = _diagonal([exp(2 * s), exp(2 * s)])
    laplacian = add(diff(s, v, v) for v in on)
    return _gauss(metric, on, dual) + laplacian * exp(-s if wrong else -2 * s)


@pair("theorema egregium for any graph z = f(x, y)", "power 1 for 2")
def egregium(wrong: bool) -> Expr:
    on = reals("x y")
    f = jet(Function("f", 2), on)
    fx, fy = gradient(f, on)
    metric = [[1 + fx**2, fx * fy], [fx * fy, 1 + fy**2]]
    stretch = 1 + fx**2 + fy**2
    claimed = determinant(hessian(f, on)) / (stretch ** (1 if wrong else 2))
    return _gauss(metric, on) - claimed


@pair("first Bianchi identity of any metric in space", "two slots exchanged")
def first_bianchi(wrong: bool) -> Expr:
    on = reals("x y z")
    curved = riemann(christoffel(_any_metric(on), on), on)
    turned = [curved[d][0][1][2] + curved[d][1][2][0] + curved[d][2][0][1] for d in range(3)]
    if wrong:
        turned[1] = turned[1] + 2 * curved[1][2][1][0]
    return each(turned)


@pair("pair symmetry of the curvature, any diagonal metric in space", "one index off")
def pair_symmetry(wrong: bool) -> Expr:
    on = reals("x y z")
    metric, dual = _diagonal([jet(Function(name, 3), on) for name in "EFG"])
    curved = riemann(christoffel(metric, on, dual), on)

    def lowered(d: int, c: int, a: int, b: int) -> Expr:
        return metric[d][d] * curved[d][c][a][b]

    last = lowered(0, 2, 1, 2) if wrong else lowered(0, 2, 0, 1)
    return each([lowered(0, 1, 1, 2) - lowered(1, 2, 0, 1), lowered(0, 1, 0, 2) - last])


@pair("divergence of the Einstein tensor, any conformal metric in space", "scalar curvature without its half")
def contracted_bianchi(wrong: bool) -> Expr:
    on = reals("x y z")
    s = jet(Function("s", 3), on)
    metric, dual = _diagonal([exp(2 * s)] * 3)
    connection = christoffel(metric, on, dual)
    curved = riemann(connection, on)
    size = range(3)
    ricci = [[add(curved[d][b][d][a] for d in size) for a in size] for b in size]
    scalar = add(dual[a][a] * ricci[a][a] for a in size)
    part = scalar if wrong else scalar / 2
    mixed = [[dual[a][a] * ricci[a][b] - (part if a == b else ZERO) for b in size] for a in size]

    def divergence(b: int) -> Expr:
        flow = add(diff(mixed[a][b], on[a]) for a in size)
        turn = add(connection[a][a][e] * mixed[e][b] - connection[e][a][b] * mixed[a][e] for a in size for e in size)
        return flow + turn

    return divergence(0)


@pair("Schwarzschild metric is Ricci flat", "the mass doubled in one entry")
def schwarzschild(wrong: bool) -> Expr:
    (mass,) = parameters("M")
    (t,), (r,), (theta, phi) = reals("s"), reals("r", domain="positive"), angles("theta phi")
    on = [t, r, theta, phi]
    well = 1 - 2 * mass / r
    other = 1 - 4 * mass / r if wrong else well
    metric, dual = _diagonal([-well, 1 / other, r**2, (r * sin(theta)) ** 2])
    curved = riemann(christoffel(metric, on, dual), on)
    return each(add(curved[d][b][d][b] for d in range(4)) for b in range(4))


@pair("reduced connection of z' = f(x, y) x' is flat", "Levi-Civita connection of the same metric")
def reduced_flat(wrong: bool) -> Expr:
    on = reals("x y")
    metric, dual, connection = _reduced_particle(on)
    curved = riemann(christoffel(metric, on, dual) if wrong else connection, on)
    return each(curved[d][c][0][1] for d in (0, 1) for c in (0, 1))
