"""Angles: sums, fractions and multiples of them, rotations, quaternions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bench.identities.record import MERSENNE_61, WELL_KNOWN_PRIMES, theme
from bench.mechanics import (
    Matrix,
    add,
    angles,
    cross,
    determinant,
    dot,
    each,
    identity_matrix,
    matrix_product,
    reals,
    transpose,
)  # fmt: skip
from dalembert.expr import ONE, PI, ZERO, Expr, absolute, cos, number, product, sin, sqrt, tan, time_derivative

pair = theme("angles")


def _planar(turn: Expr) -> Matrix:
    return [[cos(turn), -sin(turn)], [sin(turn), cos(turn)]]


def _about(axis: int, turn: Expr) -> Matrix:
    """Return the rotation about a coordinate axis."""
    matrix = identity_matrix(3)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i][i] = matrix[j][j] = cos(turn)
    matrix[i][j], matrix[j][i] = -sin(turn), sin(turn)
    return matrix


def _euler() -> Matrix:
    phi, theta, psi = angles("phi theta psi")
    return matrix_product(_about(2, phi), _about(0, theta), _about(2, psi))


def _difference(left: Matrix, right: Matrix) -> list[Expr]:
    return [a - b for x, y in zip(left, right, strict=True) for a, b in zip(x, y, strict=True)]


@pair("ten joints turn by the sum of their angles", "one joint turned back")
def ten_joints(wrong: bool) -> Expr:
    q = angles(" ".join(f"q{i}" for i in range(1, 11)))
    whole = add(q) - (2 * q[6] if wrong else 0)
    return each(_difference(matrix_product(*map(_planar, q)), _planar(whole)))


@pair("forward kinematics of a six-joint arm: speed of the tip", "one length forgotten deep inside")
def arm(wrong: bool) -> Expr:
    q = angles("q1 q2 q3 q4 q5 q6")
    turns = [add(q[: i + 1]) for i in range(6)]
    lengths = [number(i + 1) for i in range(6)]
    x = add(a * cos(s) for a, s in zip(lengths, turns, strict=True))
    y = add(a * sin(s) for a, s in zip(lengths, turns, strict=True))
    speed = time_derivative(x) ** 2 + time_derivative(y) ** 2
    rates = [time_derivative(s) for s in turns]
    if wrong:
        lengths[3] = number(Fraction(4001, 1000))
    claimed = add(
        a * b * u * v * cos(add(q[min(i, j) + 1 : max(i, j) + 1]))
        for i, (a, u) in enumerate(zip(lengths, rates, strict=True))
        for j, (b, v) in enumerate(zip(lengths, rates, strict=True))
    )
    return speed - claimed


@pair("Euler angles give an orthogonal matrix", "one sine for a cosine")
def orthogonal(wrong: bool) -> Expr:
    matrix = _euler()
    if wrong:
        matrix[2][2] = sin(angles("theta")[0])
    return each(_difference(matrix_product(transpose(matrix), matrix), identity_matrix(3)))


@pair("determinant of the Euler rotation is 1", "a multiple of seven well-known primes")
def turn_determinant(wrong: bool) -> Expr:
    return determinant(_euler()) - 1 + (WELL_KNOWN_PRIMES if wrong else 0)


@pair("angular velocity of Euler angles: R^T R' is skew with the known entries", "space taken for body")
def angular_velocity(wrong: bool) -> Expr:
    phi, theta, psi = angles("phi theta psi")
    matrix = _euler()
    moved = [[time_derivative(e) for e in row] for row in matrix]
    omega = matrix_product(moved, transpose(matrix)) if wrong else matrix_product(transpose(matrix), moved)
    body = [
        phi.dot * sin(theta) * sin(psi) + theta.dot * cos(psi),
        phi.dot * sin(theta) * cos(psi) - theta.dot * sin(psi),
        phi.dot * cos(theta) + psi.dot,
    ]
    return each([omega[2][1] - body[0], omega[0][2] - body[1], omega[1][0] - body[2], omega[0][1] + body[2]])


@pair("half angles: tan(q/2) = sin q / (1 + cos q)", "1 - cos q")
def half_angle(wrong: bool) -> Expr:
    (q,) = angles("q")
    return tan(q / 2) - sin(q) / (1 + (-cos(q) if wrong else cos(q)))


@pair("root of (1 + cos q)/2 is |cos(q/2)|", "branch: cos(q/2) itself")
def half_angle_root(wrong: bool) -> Expr:
    (q,) = angles("q")
    half = cos(q / 2)
    return sqrt((1 + cos(q)) / 2) - (half if wrong else absolute(half))


@pair("third of an angle: cos q = 4 c^3 - 3 c", "sin for cos")
def third_angle(wrong: bool) -> Expr:
    (q,) = angles("q")
    c = sin(q / 3) if wrong else cos(q / 3)
    return cos(q) - 4 * c**3 + 3 * c


@pair("sine of x/2 + 2y/3 - 5z/7 opened", "sign of one fraction")
def fractions_of_angles(wrong: bool) -> Expr:
    x, y, z = angles("x y z")
    a, b, c = x / 2, 2 * y / 3, 5 * z / 7
    last = b + c if wrong else b - c
    return sin(a + b - c) - sin(a) * cos(last) - cos(a) * sin(b) * cos(c) + cos(a) * cos(b) * sin(c)


@pair("product of cosines of doubled angles", "32 for 64")
def morrie(wrong: bool) -> Expr:
    (x,) = angles("x")
    doubled = product((cos(2**k * x), 1) for k in range(6))
    return doubled * sin(x) * (32 if wrong else 64) - sin(64 * x)


@pair("sum of cosines of twelve multiples", "12 x for 25 x / 2")
def dirichlet(wrong: bool) -> Expr:
    (x,) = angles("x")
    turn = 12 * x if wrong else Fraction(25, 2) * x
    return (1 + 2 * add(cos(k * x) for k in range(1, 13))) * sin(x / 2) - sin(turn)


@pair("tangent of a sum of three", "sign of the triple product")
def tangents(wrong: bool) -> Expr:
    x, y, z = angles("x y z")
    a, b, c = tan(x), tan(y), tan(z)
    triple = -a * b * c if wrong else a * b * c
    return tan(x + y + z) - (a + b + c - triple) / (1 - a * b - b * c - c * a)


@pair("quarter turns and thirds of a turn", "pi/3 for 2 pi/3")
def shifted(wrong: bool) -> Expr:
    (x,) = angles("x")
    third = PI / 3 if wrong else 2 * PI / 3
    return sin(x) + sin(x + third) + sin(x + 2 * third)


@pair("angular frequency: motion of the oscillator", "cos(t) for cos(w t)")
def oscillator(wrong: bool) -> Expr:
    w, s, a, b = reals("w s a b")
    turn = s if wrong else w * s
    pendulum = a * cos(turn) + b * sin(w * s)
    velocity = w * (b * cos(w * s) - a * sin(turn))
    return velocity**2 + (w * pendulum) ** 2 - w**2 * (a**2 + b**2)


def _quaternion_matrix(q: Sequence[Expr]) -> Matrix:
    """Return the rotation of a quaternion, divided by its square: no unit length is assumed."""
    w, *v = q
    size = dot(q, q)
    x, y, z = v
    hat = [[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]]
    unit = identity_matrix(3)
    span = range(3)
    plain = w**2 - dot(v, v)
    return [[(plain * unit[i][j] + 2 * v[i] * v[j] + 2 * w * hat[i][j]) / size for j in span] for i in span]


def _quaternion_product(p: Sequence[Expr], q: Sequence[Expr]) -> list[Expr]:
    across = cross(p[1:], q[1:])
    return [p[0] * q[0] - dot(p[1:], q[1:]), *(p[0] * q[i] + q[0] * p[i] + across[i - 1] for i in (1, 2, 3))]


@pair("quaternions compose as rotations do", "in the other order")
def composition(wrong: bool) -> Expr:
    p, q = reals("p0 p1 p2 p3"), reals("q0 q1 q2 q3")
    both = _quaternion_matrix(_quaternion_product(p, q))
    one, two = _quaternion_matrix(p), _quaternion_matrix(q)
    return each(_difference(both, matrix_product(two, one) if wrong else matrix_product(one, two)))


@pair("length of a product of normalised quaternions", "a multiple of 2^61 - 1")
def unit_quaternions(wrong: bool) -> Expr:
    p, q = reals("p0 p1 p2 p3"), reals("q0 q1 q2 q3")
    p_unit, q_unit = ([c / sqrt(dot(v, v)) for c in v] for v in (p, q))
    both = _quaternion_product(p_unit, q_unit)
    return sqrt(dot(both, both)) - 1 + (MERSENNE_61 * both[0] if wrong else 0)


@pair("Rodrigues: half-angle quaternion and axis-angle rotation agree", "full angle for half")
def rodrigues(wrong: bool) -> Expr:
    (turn,), axis = angles("q"), reals("a b c")
    length = sqrt(dot(axis, axis))
    n = [c / length for c in axis]
    at = turn if wrong else turn / 2
    quaternion = [cos(at), *(sin(at) * c for c in n)]
    hat = [[ZERO, -n[2], n[1]], [n[2], ZERO, -n[0]], [-n[1], n[0], ZERO]]
    square = matrix_product(hat, hat)
    unit = identity_matrix(3)
    span = range(3)
    claimed = [[unit[i][j] + sin(turn) * hat[i][j] + (1 - cos(turn)) * square[i][j] for j in span] for i in span]
    return each(_difference(_quaternion_matrix(quaternion), claimed))


@pair("cosine of a fifth of pi", "a fifth of 2 pi", supported=False)
def pentagon(wrong: bool) -> Expr:
    return cos((2 if wrong else 1) * PI / 5) - (1 + sqrt(5)) / 4


@pair("spherical and Cartesian: the chord of two directions", "sum for difference of longitudes")
def chord(wrong: bool) -> Expr:
    a, b, u, v = angles("a b u v")
    one = [sin(a) * cos(u), sin(a) * sin(u), cos(a)]
    two = [sin(b) * cos(v), sin(b) * sin(v), cos(b)]
    gap = [x - y for x, y in zip(one, two, strict=True)]
    between = u + v if wrong else u - v
    return dot(gap, gap) - 2 * (ONE - cos(a) * cos(b) - sin(a) * sin(b) * cos(between))
