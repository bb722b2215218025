"""First integrals, invariant measures, and the identities behind adjoint symmetries."""

from __future__ import annotations

from fractions import Fraction

from bench.identities.nonholonomic import particle, robot, vertical_disc
from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import System, add, dot, each, matrix_product, parameters, reals
from dalembert.expr import ONE, ZERO, Expr, Function, cos, diff, exp, jet, sin, sqrt, symbol, tangent

pair = theme("integrals")


@pair("disc: psi' x - R sin(psi) phi'", "cos for sin")
def disc_five(wrong: bool) -> Expr:
    system = vertical_disc()
    (radius,) = parameters("R")
    phi, psi, x, _ = system.coordinates
    return system.rate(psi.dot * x - radius * (cos(psi) if wrong else sin(psi)) * phi.dot)


@pair("disc: (x^2 + y^2) psi' - 2R phi' (x sin - y cos)", "R for 2R")
def disc_seven(wrong: bool) -> Expr:
    system = vertical_disc()
    (radius,) = parameters("R")
    phi, psi, x, y = system.coordinates
    turn = radius * phi.dot * (x * sin(psi) - y * cos(psi))
    return system.rate((x**2 + y**2) * psi.dot - (1 if wrong else 2) * turn)


@pair("disc: psi' I7 = I5^2 + I6^2 - R^2 phi'^2", "sign of the last square")
def disc_relation(wrong: bool) -> Expr:
    (radius,) = parameters("R")
    phi, psi, x, y = vertical_disc().coordinates
    five = psi.dot * x - radius * sin(psi) * phi.dot
    six = psi.dot * y + radius * cos(psi) * phi.dot
    seven = (x**2 + y**2) * psi.dot - 2 * radius * phi.dot * (x * sin(psi) - y * cos(psi))
    last = (radius * phi.dot) ** 2
    return psi.dot * seven - five**2 - six**2 + (-last if wrong else last)


@pair("particle z' = y x': x' sqrt(1 + y^2)", "x' (1 + y^2)")
def particle_root(wrong: bool) -> Expr:
    x, y, _ = reals("x y z")
    system = particle(y, ZERO)
    return system.rate(x.dot * ((1 + y**2) if wrong else sqrt(1 + y**2)))


@pair("particle z' = f(x, y) x': x' sqrt(1 + f^2)", "f at (y, x)")
def particle_any(wrong: bool) -> Expr:
    x, y, _ = reals("x y z")
    f = Function("f", 2)
    slope = jet(f, (y, x) if wrong else (x, y))
    return particle(jet(f, (x, y)), ZERO).rate(x.dot * sqrt(1 + slope**2))


@pair("robot: difference of rates times an exponential", "sign in the exponent")
def robot_exponential(wrong: bool) -> Expr:
    system = robot()
    m0, length, big, wheel, radius, c = parameters("m0 l J J2 R c")
    kappa = m0 * length * radius**3 / (2 * (2 * wheel * c**2 + big * radius**2))
    psi1, psi2 = system.coordinates[3:]
    weight = exp(kappa * (psi1 + psi2) * (1 if wrong else -1))
    return system.rate((psi1.dot - psi2.dot) * weight)


@pair("time-dependent constraint z' = t x' + 1: x' sqrt(1 + t^2)", "x' (1 + t^2)")
def affine_in_time(wrong: bool) -> Expr:
    x, z = reals("x z")
    t = symbol("t", role="time")
    system = System((x.dot**2 + z.dot**2) / 2, [x, z], [[-t, ONE]], dependent=(1,), affine=[-ONE])
    seed = {x: x.dot, t: ONE, x.dot: -t * x.dot / (1 + t**2)}
    first = x.dot * ((1 + t**2) if wrong else sqrt(1 + t**2))
    second = z - t - (1 + t**2) * x.dot
    moved = tangent([first, second], {**seed, z: z.dot})
    return each(system.admissible(moved))


@pair("ball on a rotating table: energy and moment", "twice the weight of the square")
def rotating_table(wrong: bool) -> Expr:
    m, inertia, radius, spin = parameters("m I r Om")
    x, y, vx, vy = reals("x y vx vy")
    below = inertia + m * radius**2
    rate = spin * inertia / below
    field = {x: vx, y: vy, vx: -rate * vy, vy: rate * vx}
    energy = m * (vx**2 + vy**2) / 2
    momentum = x * vy - y * vx - rate * (x**2 + y**2) * Fraction(2 if wrong else 1, 2)
    return each(tangent([energy, momentum], field))


@pair("invariant measure of the particle z' = y x'", "density 1 + y^2")
def measure(wrong: bool) -> Expr:
    x, y, vx, vy = reals("x y vx vy")
    field = [vx, vy, -y * vx * vy / (1 + y**2), ZERO]
    density = (1 + y**2) if wrong else sqrt(1 + y**2)
    return add(diff(density * c, v) for c, v in zip(field, (x, y, vx, vy), strict=True))


@pair("Kovalevskaya's integral", "one factor 2 in the equations")
def kovalevskaya(wrong: bool) -> Expr:
    """The top with moments 2, 2, 1 and its centre in the equator, in the body's frame."""
    (c,) = parameters("c", domain="real")
    p, q, r, a, b, g = reals("p q r a b g")
    field = {
        p: q * r / 2, q: -p * r / 2 + (c / 2) * g * (2 if wrong else 1), r: -c * b,
        a: b * r - g * q, b: g * p - a * r, g: a * q - b * p,
    }  # fmt: skip
    real, imaginary = p**2 - q**2 - c * a, 2 * p * q - c * b
    return tangent([real**2 + imaginary**2], field)[0]


@pair("Toda chain: trace of the cube of the Lax matrix", "square for cube in one entry")
def toda_trace(wrong: bool) -> Expr:
    on = reals("a1 a2 b1 b2 b3")
    a1, a2, b1, b2, b3 = on
    field = {a1: a1 * (b2 - b1), a2: a2 * (b3 - b2), b1: 2 * a1**2, b2: 2 * (a2**2 - a1**2), b3: -2 * a2**2}
    lax = [[b1, a1, ZERO], [a1, b2, a2], [ZERO, a2, b3]]
    cube = matrix_product(lax, lax, lax)
    trace = cube[0][0] + cube[1][1] + (cube[2][2] if not wrong else cube[2][2] + b3**2)
    return tangent([trace], field)[0]


@pair("Calogero-Moser, three particles: the cubic integral", "a multiple of 2^61 - 1")
def calogero(wrong: bool) -> Expr:
    q, p = reals("q1 q2 q3"), reals("p1 p2 p3")
    (g,) = parameters("g")
    gaps = {(i, j): q[i] - q[j] for i in range(3) for j in range(3) if i != j}
    force = [add(2 * g**2 / gaps[i, j] ** 3 for j in range(3) if j != i) for i in range(3)]
    field = dict(zip(q, p, strict=True)) | dict(zip(p, force, strict=True))
    # the trace of the cube of p_i on the diagonal and i g / (q_i - q_j) off it
    trace = add(v**3 for v in p) + 3 * g**2 * add(p[i] / gap**2 for (i, _), gap in gaps.items())
    return tangent([trace + (MERSENNE_61 * q[0] if wrong else 0)], field)[0]


@pair("adjoint symmetries: the identity for any F(x, y, z, vx, vy)", "transposed connection")
def adjoint(wrong: bool) -> Expr:
    """Gamma(F_z) + F_al df^al/dz + F_z dg/dz = d(Gamma F)/dz for z' = g = x y vx in a potential."""
    x, y, z, vx, vy = on = reals("x y z vx vy")
    slope = x * y
    below = 1 + slope**2
    potential = x**2 * y / 2 + z**2 * x + y * z
    pull = [diff(potential, v) for v in (x, y, z)]
    ax = -(slope * vx * (y * vx + x * vy) + pull[0] + slope * pull[2]) / below
    ay = -pull[1]
    field = {x: vx, y: vy, z: slope * vx, vx: ax, vy: ay}
    f = jet(Function("F", 5), on)
    rate = tangent([f], field)[0]
    left = tangent([diff(f, z)], field)[0] + diff(f, vx) * diff(ax, z) + diff(f, vy) * diff(ay, z)
    extra = diff(f, vy) * diff(ax, z) - diff(f, vx) * diff(ax, z)
    return left - diff(rate, z) + (extra if wrong else 0)


@pair("the force of constraint does no work: lambda . A v = 0 and M a + h = A^T lambda", "one multiplier doubled")
def multipliers(wrong: bool) -> Expr:
    system = vertical_disc()
    x_multiplier, y_multiplier = system.multipliers
    (m,) = parameters("m")
    ax, ay = system.accelerations[2:]
    return each(system.admissible([m * ax - x_multiplier * (2 if wrong else 1), m * ay - y_multiplier]))


@pair("isotropic oscillator: Fradkin's tensor", "square of the frequency forgotten")
def fradkin(wrong: bool) -> Expr:
    (w,) = parameters("w")
    x, y, vx, vy = reals("x y vx vy")
    field = {x: vx, y: vy, vx: -(w**2) * x, vy: -(w**2) * y}
    return tangent([vx * vy + (w if wrong else w**2) * x * y], field)[0]


@pair("the rate of the kinetic energy is the power of the force, any potential", "one force forgotten")
def power(wrong: bool) -> Expr:
    q = reals("x y z")
    (m,) = parameters("m")
    well = jet(Function("V", 3), q)
    system = System(m * add(v.dot**2 for v in q) / 2 - well, q)
    forces = [-diff(well, v) for v in q]
    if wrong:
        forces[1] = ZERO
    return system.rate(m * add(v.dot**2 for v in q) / 2) - dot(forces, [v.dot for v in q])
