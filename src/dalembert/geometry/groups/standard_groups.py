"""Ready groups, each in its usual coordinates: R^n, SO(2), SE(2), SO(3), SE(3), unit quaternions, Heisenberg.

Coordinates are symbols that may be given; those of the same name that are not given are made.

SO(3) has three angles about coordinate axes, in any order:
R = R_i(alpha) R_j(beta) R_k(gamma). The spatial angular velocity is u = R_i(alpha) (alpha' e_i + beta' e_j +
gamma' R_j(beta) e_k), which is solved for the rates in closed form; the body fields follow from the same formula, since
the inverse of R is the product in the opposite order with opposite angles.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.groups.actions import extended, rotation, rotations
from dalembert.geometry.groups.lie_group import Law, LieGroup, algebra_of_matrices, law_in
from dalembert.geometry.groups.matrices import Matrix, Vector, as_matrix, identity, multiply, transpose


def axes_of(sequence: str) -> tuple[int, int, int]:
    """Return the numbers of three axes, such as ``zxz`` or ``zyx``; neighbours must differ."""
    axes = tuple("xyz".find(letter) for letter in sequence)
    if len(axes) != 3 or -1 in axes or axes[1] in {axes[0], axes[2]}:
        raise ExpressionError(
            f"'{sequence}' is not a sequence of rotations; write three of x, y, z, neighbours distinct, as in zxz."
        )
    return axes[0], axes[1], axes[2]


def generator(axis: int) -> Matrix:
    """Return the matrix of v -> e_axis x v."""
    rows = [[0] * 3 for _ in range(3)]
    following, last = (axis + 1) % 3, (axis + 2) % 3
    rows[last][following], rows[following][last] = 1, -1
    return as_matrix(rows)


def axis_rotation(axis: int, angle: Expr) -> Matrix:
    """Return the matrix of the rotation about a coordinate axis."""
    sine, cosine = sincos(angle)
    rows = [[ZERO] * 3 for _ in range(3)]
    following, last = (axis + 1) % 3, (axis + 2) % 3
    rows[axis][axis] = ONE
    rows[following][following] = rows[last][last] = cosine
    rows[last][following], rows[following][last] = sine, -sine
    return as_matrix(rows)


def product_of_rotations(axes: Sequence[int], angles: Sequence[Expr]) -> Matrix:
    """Return the matrix of three rotations, the last one done first."""
    first, second, third = (axis_rotation(axis, angle) for axis, angle in zip(axes, angles, strict=True))
    return multiply(multiply(first, second), third)


def singular_function(axes: Sequence[int], angles: Sequence[Expr]) -> Expr:
    """Return what vanishes where the angles fail: a sine or a cosine of the middle one."""
    sine, cosine = sincos(angles[1])
    return sine if axes[0] == axes[2] else cosine


def spatial_rates(axes: Sequence[int], angles: Sequence[Expr], turn: int) -> Vector:
    """Return the rates of the angles that turn the body about a fixed axis of space at unit speed."""
    i, j, k = axes
    other = 3 - i - j
    handed = 1 if (j - i) % 3 == 1 else -1  # e_i x e_j = handed * e_other
    u = axis_rotation(i, angles[0])[turn]  # the axis of the turn, seen after the first rotation is undone
    sine, cosine = sincos(angles[1])
    if k == i:  # R_j e_i = cosine * e_i - handed * sine * e_other
        last = -handed * u[other] / sine
        return u[i] - cosine * last, u[j], last
    last = u[other] / cosine  # R_j e_other = cosine * e_other + handed * sine * e_i
    return u[i] - handed * sine * last, u[j], last


def body_rates(axes: Sequence[int], angles: Sequence[Expr], turn: int) -> Vector:
    """Return the rates of the angles that turn the body about an axis of its own at unit speed."""
    first, second, third = spatial_rates(axes[::-1], [-angle for angle in reversed(angles)], turn)
    return third, second, first


# -- ready groups ----------------------------------------------------------------------------------------------
Coordinates = Sequence[Expr]


def _chart(given: Coordinates | None, usual: str, angles: str = "") -> Chart:
    """Return the chart of the coordinates given, or of the usual ones."""
    names = usual.split()
    if given is None:
        turning = angles.split()
        given = [symbol(name, domain="angle" if name in turning else "real") for name in names]
    if len(given) != len(names):
        raise ExpressionError(f"this group has {len(names)} coordinates ({', '.join(names)}), not {len(given)}.")
    return Chart(tuple(given))


def _names(names: Sequence[str] | None, size: int) -> tuple[str, ...]:
    if names is not None and len(names) != size:
        raise ExpressionError(f"this group has {size} generators, not {len(names)}.")
    return tuple(f"e{a + 1}" for a in range(size)) if names is None else tuple(names)


def _elementary(size: int, *places: tuple[int, int, Operand]) -> Matrix:
    rows: list[list[Operand]] = [[0] * size for _ in range(size)]
    for i, j, value in places:
        rows[i][j] = value
    return as_matrix(rows)


def _bordered(block: Matrix, column: Sequence[Expr], corner: Expr) -> Matrix:
    """Return the matrix [[block, column], [0, corner]]."""
    upper = tuple((*row, entry) for row, entry in zip(block, column, strict=True))
    return (*upper, (*[ZERO] * len(block), corner))


# -- Abelian -------------------------------------------------------------------------------------------------
def translation_group(coordinates: Coordinates, names: Sequence[str] | None = None) -> LieGroup:
    """Return R^n.

    >>> translation_group([symbol("x"), symbol("y")]).algebra.name()
    'R^2'
    """
    chart = Chart(tuple(coordinates))
    size = chart.dimension
    left, right = law_in(chart)
    fields = tuple(coordinate_field(chart, q) for q in coordinates)
    basis = tuple(_elementary(size + 1, (i, size, 1)) for i in range(size))
    return LieGroup(
        name=f"R^{size}" if size > 1 else "R",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, size), basis),
        basis=basis,
        matrix=_bordered(identity(size), chart.coordinates, ONE),
        spatial=fields,
        body=fields,
        adjoint=identity(size),
        neutral=(ZERO,) * size,
        law=Law(left, right, tuple(a + b for a, b in zip(left, right, strict=True))),
        inverse=tuple(-q for q in coordinates),
    )


def so2(theta: Expr | None = None, name: str = "e1") -> LieGroup:
    """Return the rotations of a plane."""
    chart = _chart(None if theta is None else [theta], "theta", "theta")
    (angle,) = chart.coordinates
    (left,), (right,) = law_in(chart)
    sine, cosine = sincos(angle)
    basis = (as_matrix([[0, -1], [1, 0]]),)
    return LieGroup(
        name="SO(2)",
        chart=chart,
        algebra=algebra_of_matrices([name], basis),
        basis=basis,
        matrix=((cosine, -sine), (sine, cosine)),
        spatial=(coordinate_field(chart, angle),),
        body=(coordinate_field(chart, angle),),
        adjoint=identity(1),
        neutral=(ZERO,),
        law=Law((left,), (right,), (left + right,)),
        inverse=(-angle,),
    )


# -- the plane -----------------------------------------------------------------------------------------------
def se2(coordinates: Coordinates | None = None, names: Sequence[str] | None = None) -> LieGroup:
    """Return the motions of a plane, with coordinates (x, y, theta): two translations, then the rotation.

    >>> [field.components for field in se2().spatial]
    [(1, 0, 0), (0, 1, 0), (-y, x, 1)]
    >>> [field.components for field in se2().body]
    [(cos(theta), sin(theta), 0), (-sin(theta), cos(theta), 0), (0, 0, 1)]
    """
    chart = _chart(coordinates, "x y theta", "theta")
    x, y, theta = chart.coordinates
    left, right = law_in(chart)
    s, c = sincos(theta)
    sine, cosine = sincos(left[2])
    basis = (_elementary(3, (0, 2, 1)), _elementary(3, (1, 2, 1)), _elementary(3, (0, 1, -1), (1, 0, 1)))
    return LieGroup(
        name="SE(2)",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, 3), basis),
        basis=basis,
        matrix=_bordered(((c, -s), (s, c)), (x, y), ONE),
        spatial=(coordinate_field(chart, x), coordinate_field(chart, y), rotation(chart, x, y, [theta])),
        body=(
            VectorField.of(chart, {x: c, y: s}),
            VectorField.of(chart, {x: -s, y: c}),
            coordinate_field(chart, theta),
        ),
        adjoint=((c, s, ZERO), (-s, c, ZERO), (y, -x, ONE)),
        neutral=(ZERO,) * 3,
        law=Law(
            left,
            right,
            (
                left[0] + cosine * right[0] - sine * right[1],
                left[1] + sine * right[0] + cosine * right[1],
                left[2] + right[2],
            ),
        ),
        inverse=(-(c * x) - s * y, s * x - c * y, -theta),
    )


# -- space ---------------------------------------------------------------------------------------------------
def so3(coordinates: Coordinates | None = None, names: Sequence[str] | None = None, sequence: str = "zxz") -> LieGroup:
    """Return the rotations of space by three angles (phi, theta, psi) about the axes of ``sequence``.

    The last rotation is done first. ``zxz`` are Euler's angles, ``zyx`` yaw, pitch and roll. The generators e1, e2, e3
    turn about x, y, z. The angles fail where ``singular`` vanishes.

    >>> so3().spatial[2].components, so3().body[2].components
    ((1, 0, 0), (0, 0, 1))
    """
    chart = _chart(coordinates, "phi theta psi", "phi theta psi")
    axes, angles = axes_of(sequence), chart.coordinates
    matrix = product_of_rotations(axes, angles)
    basis = tuple(generator(axis) for axis in range(3))
    back = tuple(-angle for angle in reversed(angles))
    return LieGroup(
        name="SO(3)",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, 3), basis),
        basis=basis,
        matrix=matrix,
        spatial=tuple(VectorField(chart, spatial_rates(axes, angles, a)) for a in range(3)),
        body=tuple(VectorField(chart, body_rates(axes, angles, a)) for a in range(3)),
        adjoint=transpose(matrix),
        neutral=(ZERO,) * 3,
        inverse=back if axes[0] == axes[2] else None,
        singular=(singular_function(axes, angles),),
    )


def se3(coordinates: Coordinates | None = None, names: Sequence[str] | None = None, sequence: str = "zxz") -> LieGroup:
    """Return the motions of space: three translations, then rotations about x, y, z through the origin.

    The coordinates are (x, y, z) and three angles, as in :func:`so3`.
    """
    chart = _chart(coordinates, "x y z phi theta psi", "phi theta psi")
    point, angles = chart.coordinates[:3], chart.coordinates[3:]
    turns = so3(angles, sequence=sequence)
    R = turns.matrix
    carried = rotations(chart, point).values()
    moment = [multiply(generator(axis), [(q,) for q in point]) for axis in range(3)]  # e_axis x p
    lever = tuple(zip(*([-e for (e,) in m] for m in moment), strict=True))  # w -> p x w
    corner = multiply(lever, R)
    basis = (
        *(_elementary(4, (i, 3, 1)) for i in range(3)),
        *(_bordered(e, (ZERO,) * 3, ZERO) for e in turns.basis),
    )
    inverse = None
    if turns.inverse is not None:
        inverse = (*(-row[0] for row in multiply(transpose(R), [(q,) for q in point])), *turns.inverse)
    return LieGroup(
        name="SE(3)",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, 6), basis),
        basis=basis,
        matrix=_bordered(R, point, ONE),
        spatial=(
            *(coordinate_field(chart, q) for q in point),
            *(move + extended(turn, chart) for move, turn in zip(carried, turns.spatial, strict=True)),
        ),
        body=(
            *(VectorField.of(chart, dict(zip(point, column, strict=True))) for column in transpose(R)),
            *(extended(turn, chart) for turn in turns.body),
        ),
        adjoint=(
            *((*row, *[ZERO] * 3) for row in transpose(R)),
            *((*upper, *lower) for upper, lower in zip(transpose(corner), transpose(R), strict=True)),
        ),
        neutral=(ZERO,) * 6,
        inverse=inverse,
        singular=turns.singular,
    )


def quaternions(coordinates: Coordinates | None = None, names: Sequence[str] | None = None) -> LieGroup:
    """Return SU(2), the unit quaternions q0 + q1 i + q2 j + q3 k, in four coordinates with one relation.

    They carry SO(3) without a singular point: body angular velocities w are quasi-velocities, q' = q w / 2. The
    matrices are those of left multiplication; the generators i/2, j/2, k/2 have the brackets of e1, e2, e3 of SO(3).
    All formulas hold for quaternions of any length but zero, and the fields keep the length.

    >>> quaternions().body[0].components
    (-q1/2, q0/2, q3/2, -q2/2)
    """
    chart = _chart(coordinates, "q0 q1 q2 q3")
    q = chart.coordinates
    half = Fraction(1, 2)
    units = [tuple(as_expr(half if i == a + 1 else 0) for i in range(4)) for a in range(3)]
    left, right = law_in(chart)
    square = total([(1, e**2) for e in q])
    return LieGroup(
        name="SU(2)",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, 3), basis := tuple(_left_matrix(u) for u in units)),
        basis=basis,
        matrix=_left_matrix(q),
        spatial=tuple(VectorField(chart, _hamilton(u, q)) for u in units),
        body=tuple(VectorField(chart, _hamilton(q, u)) for u in units),
        adjoint=tuple(tuple(e / square for e in row) for row in transpose(_rotation_of(q))),
        neutral=(ONE, ZERO, ZERO, ZERO),
        law=Law(left, right, _hamilton(left, right)),
        inverse=tuple((e if i == 0 else -e) / square for i, e in enumerate(q)),
        relations=(square - 1,),
    )


def _hamilton(p: Vector, q: Vector) -> Vector:
    """Return the product of two quaternions."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def _left_matrix(p: Vector) -> Matrix:
    """Return the matrix of q -> p q."""
    return transpose([_hamilton(p, column) for column in identity(4)])


def _rotation_of(q: Vector) -> Matrix:
    """Return the square of its length times the rotation that belongs to a quaternion."""
    a, b, c, d = q
    return (
        (a**2 + b**2 - c**2 - d**2, 2 * (b * c - a * d), 2 * (b * d + a * c)),
        (2 * (b * c + a * d), a**2 - b**2 + c**2 - d**2, 2 * (c * d - a * b)),
        (2 * (b * d - a * c), 2 * (c * d + a * b), a**2 - b**2 - c**2 + d**2),
    )


# -- nilpotent -----------------------------------------------------------------------------------------------
def heisenberg(coordinates: Coordinates | None = None, names: Sequence[str] | None = None) -> LieGroup:
    """Return the Heisenberg group of the matrices [[1, x, z], [0, 1, y], [0, 0, 1]].

    >>> heisenberg().law((1, 0, 0), (0, 1, 0))
    (1, 1, 1)
    """
    chart = _chart(coordinates, "x y z")
    x, y, z = chart.coordinates
    left, right = law_in(chart)
    basis = (_elementary(3, (0, 1, 1)), _elementary(3, (1, 2, 1)), _elementary(3, (0, 2, 1)))
    return LieGroup(
        name="Heisenberg",
        chart=chart,
        algebra=algebra_of_matrices(_names(names, 3), basis),
        basis=basis,
        matrix=((ONE, x, z), (ZERO, ONE, y), (ZERO, ZERO, ONE)),
        spatial=(VectorField.of(chart, {x: 1, z: y}), coordinate_field(chart, y), coordinate_field(chart, z)),
        body=(coordinate_field(chart, x), VectorField.of(chart, {y: 1, z: x}), coordinate_field(chart, z)),
        adjoint=((ONE, ZERO, -y), (ZERO, ONE, x), (ZERO, ZERO, ONE)),
        neutral=(ZERO,) * 3,
        law=Law(left, right, (left[0] + right[0], left[1] + right[1], left[2] + right[2] + left[0] * right[1])),
        inverse=(-x, -y, x * y - z),
    )
