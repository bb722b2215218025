"""Symplectic maps, Legendre transformations, canonical coordinates."""

from __future__ import annotations

from bench.identities.record import MERSENNE_127, theme
from bench.mechanics import (
    Matrix,
    System,
    add,
    angles,
    determinant,
    dot,
    each,
    identity_matrix,
    matrix_product,
    parameters,
    poisson,
    reals,
    transpose,
)  # fmt: skip
from dalembert.expr import (
    ZERO,
    Expr,
    Function,
    cos,
    diff,
    gradient,
    jacobian,
    jet,
    sin,
    solve,
    sqrt,
    substitute,
    tangent,
)

pair = theme("symplectic")


def _form(size: int) -> Matrix:
    """Return the canonical matrix of 2 * size variables, positions first."""
    unit, zero = identity_matrix(size), [[ZERO] * size for _ in range(size)]
    upper = [[*a, *b] for a, b in zip(zero, unit, strict=True)]
    return upper + [[*(-e for e in a), *b] for a, b in zip(unit, zero, strict=True)]


def _symplectic(slope: Matrix) -> Expr:
    """State S^T J S = J."""
    form = _form(len(slope) // 2)
    pulled = matrix_product(transpose(slope), form, slope)
    return each(a - b for left, right in zip(pulled, form, strict=True) for a, b in zip(left, right, strict=True))


@pair("leapfrog is symplectic, any potential of two variables", "second half kick from the first position")
def leapfrog(wrong: bool) -> Expr:
    (h,) = parameters("h")
    x, y, px, py = on = reals("x y px py")
    well = jet(Function("V", 2), (x, y))
    kick = gradient(well, [x, y])
    half = [px - h * kick[0] / 2, py - h * kick[1] / 2]
    moved = [x + h * half[0], y + h * half[1]]
    at = {x: x, y: y} if wrong else {x: moved[0], y: moved[1]}
    again = substitute(kick, at)
    after = [moved[0], moved[1], half[0] - h * again[0] / 2, half[1] - h * again[1] / 2]
    return _symplectic(jacobian(after, on))


@pair("implicit midpoint of a linear system is symplectic", "step h for h/2 on one side")
def midpoint(wrong: bool) -> Expr:
    (h,) = parameters("h")
    size = range(4)
    entries = [[parameters(f"s{min(i, j)}{max(i, j)}", domain="real")[0] for j in size] for i in size]
    flow = matrix_product(_form(2), entries)
    unit = identity_matrix(4)
    left = [[unit[i][j] - h * flow[i][j] / 2 for j in size] for i in size]
    right = [[unit[i][j] + h * flow[i][j] / (1 if wrong else 2) for j in size] for i in size]
    return _symplectic(transpose([solve(left, column) for column in transpose(right)]))


@pair("Legendre transformation of any mass matrix and magnetic term", "sign of the magnetic term")
def legendre(wrong: bool) -> Expr:
    """dH/dp = v and dH/dq = -dL/dq, with v solved for inside."""
    x, y, px, py = reals("x y px py")
    mass = [[jet(Function(f"m{min(i, j)}{max(i, j)}", 2), (x, y)) for j in (1, 2)] for i in (1, 2)]
    magnetic = [jet(Function(f"A{i}", 2), (x, y)) for i in (1, 2)]
    well = jet(Function("V", 2), (x, y))
    v = reals("u w")
    lagrangian = dot(v, [dot(row, v) for row in mass]) / 2 + dot(magnetic, v) - well
    speeds = solve(mass, [px - magnetic[0], py - magnetic[1]])
    if wrong:
        speeds = solve(mass, [px - magnetic[0], py + magnetic[1]])
    at = dict(zip(v, speeds, strict=True))
    hamiltonian = dot([px, py], speeds) - substitute([lagrangian], at)[0]
    slopes = substitute(gradient(lagrangian, [x, y]), at)
    return each(
        [diff(hamiltonian, px) - speeds[0], diff(hamiltonian, py) - speeds[1]]
        + [diff(hamiltonian, c) + s for c, s in zip((x, y), slopes, strict=True)]
    )


@pair("Hamilton's equations give back the accelerations of Lagrange's", "Coriolis term halved")
def hamilton(wrong: bool) -> Expr:
    (m, w, k), (x, y) = parameters("m w k"), reals("x y")
    system = System(m * ((x.dot - w * y) ** 2 + (y.dot + w * x) ** 2) / 2 - k * (x**2 + y**2) / 2, [x, y])
    px, py = system.momenta
    force = [m * w * (y.dot + w * x) - k * x, -m * w * (x.dot - w * y) - k * y]  # -dH/dq at these momenta
    if wrong:
        force[0] = m * w * (y.dot / 2 + w * x) - k * x
    return each([system.rate(px) - force[0], system.rate(py) - force[1]])


@pair("action and angle of the oscillator are canonical", "root of I for root of 2I")
def action_angle(wrong: bool) -> Expr:
    (m, w), (action,), (phase,) = parameters("m w"), reals("I", domain="positive"), angles("phi")
    x = sqrt((1 if wrong else 2) * action / (m * w)) * sin(phase)
    p = sqrt(2 * m * w * action) * cos(phase)
    return poisson(x, p, [phase, action], _form(1)) - 1


@pair("energy of the oscillator in action and angle is w I", "branch of a root")
def action_energy(wrong: bool) -> Expr:
    m, w = parameters("m w") if not wrong else parameters("m w", domain="nonzero")
    (action,), (phase,) = reals("I", domain="positive"), angles("phi")
    x = sqrt(2 * action / sqrt((m * w) ** 2)) * sin(phase)
    p = sqrt(2 * sqrt((m * w) ** 2) * action) * cos(phase)
    return (p**2 / (m * w) + m * w * x**2) / 2 - action


@pair("cotangent lift of polar coordinates is canonical", "r for 1/r")
def polar(wrong: bool) -> Expr:
    (r,), (phi,), (pr, pphi) = reals("r", domain="positive"), angles("phi"), reals("pr pphi")
    on = [r, phi, pr, pphi]
    around = pphi * r if wrong else pphi / r
    after = [r * cos(phi), r * sin(phi), pr * cos(phi) - around * sin(phi), pr * sin(phi) + around * cos(phi)]
    return _symplectic(jacobian(after, on))


@pair("Poisson's theorem: the bracket of two integrals is an integral", "a multiple of 2^127 - 1")
def poisson_theorem(wrong: bool) -> Expr:
    q, p = reals("x y z"), reals("px py pz")
    (m,) = parameters("m")
    on = [*q, *p]
    form = _form(3)
    hamiltonian = dot(p, p) / (2 * m) + jet(Function("V", 1), (dot(q, q),))
    one, two = q[1] * p[2] - q[2] * p[1], q[2] * p[0] - q[0] * p[2]
    third = poisson(one, two, on, form)
    return poisson(third + (MERSENNE_127 * p[0] if wrong else 0), hamiltonian, on, form)


@pair("Cayley's map takes skew matrices to rotations", "one sign of the skew matrix")
def cayley(wrong: bool) -> Expr:
    a, b, c = reals("a b c")
    skew = [[ZERO, -c, b], [c, ZERO, -a], [-b, a, ZERO]]
    if wrong:
        skew[2][1] = -a
    unit = identity_matrix(3)
    minus = [[unit[i][j] - skew[i][j] for j in range(3)] for i in range(3)]
    plus = [[unit[i][j] + skew[i][j] for j in range(3)] for i in range(3)]
    turn = transpose([solve(minus, column) for column in transpose(plus)])
    square = matrix_product(transpose(turn), turn)
    parts = [square[i][j] - unit[i][j] for i in range(3) for j in range(i + 1)]
    return each([*parts, determinant(turn) - 1])


@pair("moment of inertia about a moved axis", "distance without its square")
def steiner(wrong: bool) -> Expr:
    masses = parameters("m1 m2 m3")
    points = [reals(f"x{i} y{i}") for i in (1, 2, 3)]
    a, b = reals("a b")
    heavy = add(masses)
    centre = [add(m * p[k] for m, p in zip(masses, points, strict=True)) / heavy for k in (0, 1)]

    def moment(at: list[Expr]) -> Expr:
        return add(m * ((p[0] - at[0]) ** 2 + (p[1] - at[1]) ** 2) for m, p in zip(masses, points, strict=True))

    gap = (a - centre[0]) ** 2 + (b - centre[1]) ** 2
    return moment([a, b]) - moment(centre) - heavy * (sqrt(gap) if wrong else gap)


@pair("virial of a homogeneous potential of degree -1", "degree -2")
def virial(wrong: bool) -> Expr:
    q = reals("x y z")
    well = 1 / sqrt(dot(q, q))
    scaled = tangent([well], {v: v for v in q})[0]
    return scaled + (2 if wrong else 1) * well
