"""Momenta: their equivariance under the group, and their conservation."""

from __future__ import annotations

from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import System, add, angles, bracket, cross, determinant, dot, each, lift, parameters, reals
from dalembert.expr import ONE, ZERO, Expr, Function, cos, jet, sin, sqrt, symbol, tangent

pair = theme("momentum")


def se2() -> tuple[System, list[list[Expr]]]:
    """Return a Lagrangian on the plane with a heading and a line, and the generators of the motions of the plane."""
    (x, y, z), (theta,) = reals("x y z"), angles("theta")
    (a,) = parameters("A")
    kinetic = (x.dot**2 + y.dot**2 + z.dot**2 + theta.dot**2) / 2
    mixed = a * theta.dot * (sin(theta) * z.dot + cos(theta) * y.dot)
    fields = [[ZERO, ONE, ZERO, ZERO], [ZERO, ZERO, ONE, ZERO], [ZERO, -z, y, ONE]]
    return System(kinetic + mixed, [x, y, z, theta]), fields


def _structure(name: str) -> list[list[list[int]]]:
    """Return the structure constants C_ab^c of the Lie algebra, [e_a, e_b] = C_ab^c e_c by matrix commutators."""
    rules = {"se2": {(0, 2): {1: -1}, (1, 2): {0: 1}}, "so3": {(0, 1): {2: 1}, (1, 2): {0: 1}, (0, 2): {1: -1}}}
    table = [[[0] * 3 for _ in range(3)] for _ in range(3)]
    for (a, b), values in rules[name].items():
        for c, value in values.items():
            table[a][b][c], table[b][a][c] = value, -value
    return table


def _equivariance(system: System, fields: list[list[Expr]], name: str, sign: int) -> Expr:
    """State E_a^C(p_b) = -C_ab^c p_c for all a and b (``sign`` +1)."""
    momenta = [dot(field, system.momenta) for field in fields]
    constants = _structure(name)
    parts: list[Expr] = []
    for a, field in enumerate(fields):
        turned = tangent(momenta, lift(field, system.coordinates))
        parts += [turned[b] + add(sign * constants[a][b][c] * momenta[c] for c in range(3)) for b in range(3)]
    return each(parts)


@pair("momenta of SE(2) under the group", "brackets of the fields taken for structure constants")
def se2_equivariance(wrong: bool) -> Expr:
    system, fields = se2()
    return _equivariance(system, fields, "se2", -1 if wrong else 1)


@pair("momenta of SE(2) along the motion", "y for -z in the rotation")
def se2_conserved(wrong: bool) -> Expr:
    system, fields = se2()
    if wrong:
        fields[2][1] = system.coordinates[1]
    return each(system.rate(dot(field, system.momenta)) for field in fields)


def _rotations() -> tuple[list[Expr], list[list[Expr]]]:
    q = reals("x y z")
    axes = [[ONE if i == j else ZERO for j in range(3)] for i in range(3)]
    return q, [cross(axis, q) for axis in axes]


@pair("momenta of SO(3) under the group", "structure constants of the wrong sign")
def so3_equivariance(wrong: bool) -> Expr:
    q, fields = _rotations()
    m, e = parameters("m e")
    distance = dot(q, q)
    radial = e * jet(Function("h", 1), (distance,)) * dot(q, [v.dot for v in q])
    system = System(m * add(v.dot**2 for v in q) / 2 + radial - jet(Function("V", 1), (distance,)), q)
    return _equivariance(system, fields, "so3", -1 if wrong else 1)


@pair("bracket of rotations about any two axes", "[L_a, L_b] = L_(a x b) instead of -L_(a x b)")
def so3_fields(wrong: bool) -> Expr:
    q, one, two = reals("x y z"), reals("a1 a2 a3"), reals("b1 b2 b3")
    sign = 1 if wrong else -1
    left, right = bracket(cross(one, q), cross(two, q), q), cross(cross(one, two), q)
    return each(a - sign * b for a, b in zip(left, right, strict=True))


@pair("angular momentum of three bodies", "one mass in place of another")
def three_bodies(wrong: bool) -> Expr:
    masses = parameters("m1 m2 m3")
    points = [reals(f"x{i} y{i} z{i}") for i in (1, 2, 3)]
    potential = ZERO
    for i, j in ((0, 1), (0, 2), (1, 2)):
        gap = [a - b for a, b in zip(points[i], points[j], strict=True)]
        potential = potential - masses[i] * masses[j] / sqrt(dot(gap, gap))
    q = [c for point in points for c in point]
    kinetic = add(m * add(c.dot**2 for c in p) / 2 for m, p in zip(masses, points, strict=True))
    system = System(kinetic - potential, q)
    counted = [masses[0], masses[1], masses[1] if wrong else masses[2]]
    spins = [[m * c for c in cross(p, [v.dot for v in p])] for m, p in zip(counted, points, strict=True)]
    return each(system.rate(add(parts)) for parts in zip(*spins, strict=True))


@pair("Laplace-Runge-Lenz vector", "factor 2 on the radial part")
def runge_lenz(wrong: bool) -> Expr:
    m, k = parameters("m k")
    q = reals("x y z")
    r = sqrt(dot(q, q))
    system = System(m * add(v.dot**2 for v in q) / 2 + k / r, q)
    p = system.momenta
    turned = cross(p, cross(q, p))
    factor = 2 if wrong else 1
    return each(system.rate(a - factor * m * k * x / r) for a, x in zip(turned, q, strict=True))


@pair("momenta of the heavy top", "a multiple of 2^61 - 1")
def top_momenta(wrong: bool) -> Expr:
    i1, i3, m, g, h = parameters("I1 I3 m g h")
    phi, theta, psi = angles("phi theta psi")
    spin = psi.dot + phi.dot * cos(theta)
    kinetic = i1 * (theta.dot**2 + (phi.dot * sin(theta)) ** 2) / 2 + i3 * spin**2 / 2
    system = System(kinetic - m * g * h * cos(theta), [phi, theta, psi])
    p_phi, _, p_psi = system.momenta
    return each([system.rate(p_phi + (MERSENNE_61 * cos(theta) if wrong else 0)), system.rate(p_psi)])


@pair("Galilean boost of two bodies", "time with the wrong sign")
def boost(wrong: bool) -> Expr:
    m1, m2 = parameters("m1 m2")
    x1, x2 = reals("x1 x2")
    t = symbol("t", role="time")
    system = System((m1 * x1.dot**2 + m2 * x2.dot**2) / 2 - jet(Function("V", 1), (x1 - x2,)), [x1, x2])
    moved = t * add(system.momenta)
    return system.rate(m1 * x1 + m2 * x2 - (-moved if wrong else moved))


@pair("free rigid body: energy and square of the momentum", "sign in one of Euler's equations")
def rigid_body(wrong: bool) -> Expr:
    inertias = parameters("I1 I2 I3")
    pi = reals("p1 p2 p3")
    omega = [p / i for p, i in zip(pi, inertias, strict=True)]
    field = cross(pi, omega)
    if wrong:
        field[2] = -field[2]
    seed = dict(zip(pi, field, strict=True))
    return each(tangent([dot(pi, pi), dot(pi, omega)], seed))


@pair("volume spanned by three rotated vectors", "one vector sheared instead")
def triple_product(wrong: bool) -> Expr:
    """The triple product does not change along a rotation by a flow: its derivative along L3 is zero."""
    points = [reals(f"x{i} y{i} z{i}") for i in (1, 2, 3)]
    seed: dict[Expr, Expr] = {}
    for k, (x, y, z) in enumerate(points):
        flipped = wrong and k == 2
        seed |= {x: y if flipped else -y, y: x, z: ZERO}
    return tangent([determinant([list(p) for p in points])], seed)[0]
