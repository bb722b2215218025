"""The energy of systems without constraints is constant along their motions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from bench.identities.record import MERSENNE_61, theme
from bench.mechanics import System, add, angles, dot, parameters, reals
from dalembert.expr import ZERO, Expr, Function, cos, diff, exp, jet, sin, sqrt

pair = theme("energy")


def _conserved(system: System, flaw: Expr, wrong: bool) -> Expr:
    """Return the rate of the energy, in the false twin with a flaw added to it."""
    return system.rate(system.energy + flaw if wrong else system.energy)


def _hanging_chain(turns: Sequence[Expr]) -> System:
    """Return a planar pendulum of point masses; ``turns`` are the angles of its rods against the vertical."""
    (g,) = parameters("g")
    numbers = range(1, len(turns) + 1)
    masses, lengths = ([parameters(f"{name}{i}")[0] for i in numbers] for name in "ml")
    coordinates = angles(" ".join(f"q{i}" for i in numbers))
    x, y, kinetic, potential = ZERO, ZERO, ZERO, ZERO
    for m, length, turn in zip(masses, lengths, turns, strict=True):
        x, y = x + length * sin(turn), y - length * cos(turn)
        kinetic = kinetic + m * (x.dot**2 + y.dot**2) / 2
        potential = potential + m * g * y
    return System(kinetic - potential, coordinates)


@pair("double pendulum", "sign of the coupling")
def double_pendulum(wrong: bool) -> Expr:
    m1, m2, l1, l2, g = parameters("m1 m2 l1 l2 g")
    a, b = angles("a b")
    coupling = m2 * l1 * l2 * a.dot * b.dot * cos(a - b)
    kinetic = (m1 + m2) * (l1 * a.dot) ** 2 / 2 + m2 * (l2 * b.dot) ** 2 / 2 + coupling
    weight = (m1 + m2) * g * l1 * cos(a) + m2 * g * l2 * cos(b)
    return _conserved(System(kinetic + weight, [a, b]), -2 * coupling, wrong)


@pair("triple pendulum", "a multiple of 2^61 - 1")
def triple_pendulum(wrong: bool) -> Expr:
    turns = angles("q1 q2 q3")
    return _conserved(_hanging_chain(turns), MERSENNE_61 * cos(turns[2]), wrong)


@pair("pendulum of 5 rods, relative angles", "one factor deep inside")
def relative_pendulum(wrong: bool) -> Expr:
    q = angles("q1 q2 q3 q4 q5")
    turns = [add(q[: i + 1]) for i in range(5)]
    system = _hanging_chain(turns)
    m5, l5 = parameters("m5 l5")
    return _conserved(system, m5 * (l5 * turns[4].dot) ** 2 * Fraction(1, 1000), wrong)


@pair("spherical pendulum", "sin for sin^2")
def spherical_pendulum(wrong: bool) -> Expr:
    m, length, g = parameters("m l g")
    theta, phi = angles("theta phi")
    plane = m * length**2 * phi.dot**2 / 2
    system = System(
        m * length**2 * theta.dot**2 / 2 + plane * sin(theta) ** 2 + m * g * length * cos(theta), [theta, phi]
    )
    return _conserved(system, plane * (sin(theta) - sin(theta) ** 2), wrong)


@pair("Kepler problem in space", "sign of the potential")
def kepler(wrong: bool) -> Expr:
    m, k = parameters("m k")
    q = reals("x y z")
    potential = -k / sqrt(dot(q, q))
    system = System(m * add(v.dot**2 for v in q) / 2 - potential, q)
    return _conserved(system, -2 * potential, wrong)


@pair("heavy symmetric top, Euler angles", "sign of the nutation")
def heavy_top(wrong: bool) -> Expr:
    i1, i3, m, g, h = parameters("I1 I3 m g h")
    phi, theta, psi = angles("phi theta psi")
    spin = psi.dot + phi.dot * cos(theta)
    kinetic = i1 * (theta.dot**2 + (phi.dot * sin(theta)) ** 2) / 2 + i3 * spin**2 / 2
    system = System(kinetic - m * g * h * cos(theta), [phi, theta, psi])
    return _conserved(system, -i1 * theta.dot**2, wrong)


@pair("charge in a magnetic field, any vector potential", "magnetic term counted as energy")
def charge(wrong: bool) -> Expr:
    m, e = parameters("m e")
    q = reals("x y z")
    potential = [jet(Function(f"A{i}", 3), q) for i in "xyz"]
    magnetic = e * dot(potential, [v.dot for v in q])
    system = System(m * add(v.dot**2 for v in q) / 2 + magnetic - e * jet(Function("V", 3), q), q)
    return _conserved(system, magnetic, wrong)


@pair("relativistic particle, any potential", "Lorentz factor to the power 3")
def relativistic(wrong: bool) -> Expr:
    m, c = parameters("m c")
    x, y = reals("x y")
    slow = sqrt(1 - (x.dot**2 + y.dot**2) / c**2)
    system = System(-m * c**2 * slow - jet(Function("V", 2), (x, y)), [x, y])
    return _conserved(system, m * c**2 * (slow**-3 - slow**-1), wrong)


@pair("Henon-Heiles", "1/2 for 1/3")
def henon_heiles(wrong: bool) -> Expr:
    k, lam = parameters("k lam", domain="real")
    x, y = reals("x y")
    cubic = lam * y**3
    potential = k * (x**2 + y**2) / 2 + lam * x**2 * y - cubic / 3
    return _conserved(System((x.dot**2 + y.dot**2) / 2 - potential, [x, y]), -cubic / 6, wrong)


@pair("pendulum on a cart with a spring", "sign of the spring")
def cart(wrong: bool) -> Expr:
    m, big, length, k, g = parameters("m M l k g")
    (x,), (q,) = reals("x"), angles("q")
    kinetic = (m + big) * x.dot**2 / 2 + m * length**2 * q.dot**2 / 2 + m * length * x.dot * q.dot * cos(q)
    return _conserved(System(kinetic + m * g * length * cos(q) - k * x**2 / 2, [x, q]), -k * x**2, wrong)


@pair("Toda chain of 4", "one exponent turned round")
def toda(wrong: bool) -> Expr:
    q = reals("q1 q2 q3 q4")
    bonds = [exp(a - b) for a, b in pairwise(q)]
    system = System(add(v.dot**2 for v in q) / 2 - add(bonds), q)
    return _conserved(system, 1 / bonds[1] - bonds[1], wrong)


@pair("bead on any surface under gravity", "slope in the wrong slot")
def bead(wrong: bool) -> Expr:
    m, g = parameters("m g")
    x, y = reals("x y")
    height = jet(Function("f", 2), (x, y))
    system = System(m * (x.dot**2 + y.dot**2 + height.dot**2) / 2 - m * g * height, [x, y])
    fx, fy = diff(height, x), diff(height, y)
    return _conserved(system, m * x.dot * y.dot * (fx**2 - fx * fy), wrong)


@pair("geodesics of any metric", "half the mixed coefficient")
def geodesics(wrong: bool) -> Expr:
    x, y = reals("x y")
    e, f, g = (jet(Function(name, 2), (x, y)) for name in "EFG")
    mixed = f * x.dot * y.dot
    return _conserved(System(e * x.dot**2 / 2 + mixed + g * y.dot**2 / 2, [x, y]), -mixed / 2, wrong)


@pair("central force r^n", "n for n + 1 below the power")
def central_power(wrong: bool) -> Expr:
    m, k, n = parameters("m k n")
    (r,), (phi,) = reals("r", domain="positive"), angles("phi")
    raised = r ** (n + 1)
    system = System(m * (r.dot**2 + (r * phi.dot) ** 2) / 2 - k * raised / (n + 1), [r, phi])
    return _conserved(system, k * raised / n - k * raised / (n + 1), wrong)
