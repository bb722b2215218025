"""Laws of frames and affine connections, each a function that may be given something false to see it caught."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from dalembert.expr import ZERO, Expr, diff, gradient, substitute, time_derivative, total
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.forms import d, from_frame, on_frame
from dalembert.geometry.frames import (
    Frame,
    FrameEquations,
    change_frame,
    coframe_forms,
    d_on_frame,
    hamel_equations,
    projected_equations,
    quasi_velocities,
    structure_functions,
)
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import complete_lift, vertical_lift
from dalembert.testing.law import Law
from dalembert.testing.objects import PLANE, SPACE, ObjectLaw, Objects, Thing, W, X, Y, Z, delta, row

__all__ = [
    "FRAME_LAWS",
    "connection_axioms",
    "d_by_brackets",
    "first_bianchi",
    "forms_in_frames",
    "frame_changed",
    "hamel_meets_projection",
    "is_euler_lagrange",
    "quasi_velocities_moved",
    "second_bianchi",
    "structure_equation",
    "structure_jacobi",
]


# -- frames ------------------------------------------------------------------------------------------------------
def forms_in_frames(shift: int) -> ObjectLaw:
    """The coframe is dual to the frame, and a form is what its components in a frame say."""

    def law(some: Objects) -> Iterator[Thing]:
        frame = some.frame()
        forms = coframe_forms(frame)
        for a, b in product(range(3), repeat=2):
            yield forms[a](frame.fields[b]) - delta(a, b)
        for degree in (0, 1, 2, 3):
            form = some.form(degree)
            terms = on_frame(form, frame.fields)
            moved = {tuple((i + shift) % 3 for i in indices): value for indices, value in terms.items()}
            yield from_frame(some.chart, degree, moved, forms) - form

    return law


def structure_equation(sign: int) -> ObjectLaw:
    """The structure equation: d theta^g = -1/2 c_ab^g theta^a ^ theta^b."""

    def law(some: Objects) -> Iterator[Thing]:
        frame = some.frame()
        c, theta = structure_functions(frame), coframe_forms(frame)
        for g in range(3):
            right = from_frame(some.chart, 2, {(a, b): c[a][b][g] for a, b in combinations(range(3), 2)}, theta)
            yield d(theta[g]) - sign * right

    return law


def d_by_brackets(sign: int) -> ObjectLaw:
    """In a frame, d of a form has the same components whether it is taken in coordinates or by brackets."""

    def law(some: Objects) -> Iterator[Thing]:
        frame = some.frame()
        c = [[[sign * e for e in row] for row in square] for square in structure_functions(frame)]
        for degree in (0, 1, 2):
            form = some.form(degree)
            plain = on_frame(d(form), frame.fields)
            ours = d_on_frame(frame, degree, on_frame(form, frame.fields), c)
            yield from (ours.get(i, ZERO) - plain.get(i, ZERO) for i in ours.keys() | plain.keys())

    return law


def structure_jacobi(sign: int) -> ObjectLaw:
    """c_ab^g = -c_ba^g, and the cyclic sum of Z_a(c_bc^g) + c_ae^g c_bc^e vanishes."""

    def law(some: Objects) -> Iterator[Thing]:
        frame = some.frame()
        c = structure_functions(frame)
        for a, b, g in product(range(3), repeat=3):
            yield c[a][b][g] + c[b][a][g]
        for g in range(3):
            yield total(
                [
                    (1, frame.fields[p](c[q][r][g]) + sign * total([(1, c[p][e][g] * c[q][r][e]) for e in range(3)]))
                    for p, q, r in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
                ]
            )

    return law


def frame_changed(sign: int) -> ObjectLaw:
    """With Z'_a = A_a^b Z_b: c'_ab^g A_g^e = A_a^p A_b^q c_pq^e + Z'_a(A_b^e) - Z'_b(A_a^e), and w^b = w'^a A_a^b."""

    def law(some: Objects) -> Iterator[Thing]:
        frame, matrix = some.frame(), some.matrix()
        other = change_frame(frame, matrix, W)
        c, k = structure_functions(frame), structure_functions(other)
        size = range(3)
        for (a, b), e in product(combinations(size, 2), size):
            old = total([(1, matrix[a][p] * matrix[b][q] * c[p][q][e]) for p in size for q in size])
            moved = other.fields[a](matrix[b][e]) - other.fields[b](matrix[a][e])
            yield total([(1, k[a][b][g] * matrix[g][e]) for g in size]) - old - sign * moved
        old_w, new_w = quasi_velocities(frame), quasi_velocities(other)
        for b in size:
            yield old_w[b] - total([(1, new_w[a] * matrix[a][b]) for a in size])

    return law


def quasi_velocities_moved(sign: int) -> ObjectLaw:
    """Z_a^C(w^g) = -c_ab^g w^b and Z_a^V(w^g) = 1 where a = g, else 0."""

    def law(some: Objects) -> Iterator[Thing]:
        frame = some.frame()
        w, c = quasi_velocities(frame), structure_functions(frame)
        for a, g in product(range(3), repeat=2):
            turned = total([(1, c[a][b][g] * w[b]) for b in range(3)])
            yield complete_lift(frame.fields[a])(w[g]) - sign * turned
            yield vertical_lift(frame.fields[a])(w[g]) - delta(a, g)

    return law


Derives = Callable[[Expr, Frame, Sequence[Expr], Sequence[int] | None], FrameEquations]


def hamel_meets_projection(active: Sequence[int] | None, hamel: Derives = hamel_equations) -> ObjectLaw:
    """Hamel's equations by structure functions are those of Euler and Lagrange projected on the frame.

    With a drift, explicit time in frame, drift and Lagrangian, and forces that depend on velocities.
    """

    def law(some: Objects) -> Iterator[Thing]:
        moving = some.on(SPACE, time=True)
        frame, lagrangian = moving.frame(drift=True), moving.lagrangian()
        forces = [X.dot * Y, moving.function() - Z.dot, ZERO]
        ours, theirs = (f(lagrangian, frame, forces, active) for f in (hamel, projected_equations))
        yield from (a - b for a, b in zip(ours.force, theirs.force, strict=True))
        yield from (a - b for r, s in zip(ours.mass, theirs.mass, strict=True) for a, b in zip(r, s, strict=True))
        held = {w: ZERO for a, w in enumerate(W) if active is not None and a not in active}
        put = dict(zip(frame.velocities, substitute(frame.kinematics, held), strict=True))
        slopes = substitute(gradient(lagrangian, frame.velocities), put)
        yield from (p - dot(z.components, slopes) for p, z in zip(ours.momenta, frame.fields, strict=True))

    return law


def is_euler_lagrange(equations: Callable[[Expr, Frame, Sequence[Expr]], FrameEquations]) -> ObjectLaw:
    """The motion in quasi-velocities, carried back to coordinates, obeys d/dt(dL/dq') - dL/dq = Q."""

    def law(some: Objects) -> Iterator[Thing]:
        moving = some.on(SPACE, time=True)
        frame, lagrangian = moving.frame(drift=True), moving.lagrangian()
        forces = [X.dot * Y, moving.function() - Z.dot, ZERO]
        found = equations(lagrangian, frame, forces)
        rules = dict(zip(W, found.accelerations(), strict=True))
        rules |= dict(zip(SPACE.coordinates, frame.kinematics, strict=True))
        second = [time_derivative(k, rules=rules) for k in frame.kinematics]
        put = dict(zip(frame.velocities, frame.kinematics, strict=True))
        put |= {v.dot: s for v, s in zip(frame.velocities, second, strict=True)}
        for q, force in zip(SPACE.coordinates, forces, strict=True):
            yield substitute([time_derivative(diff(lagrangian, q.dot)) - diff(lagrangian, q) - force], put)[0]

    return law


# -- affine connections ------------------------------------------------------------------------------------------
def _cyclic(x: VectorField, y: VectorField, z: VectorField) -> tuple[tuple[VectorField, VectorField, VectorField], ...]:
    return (x, y, z), (y, z, x), (z, x, y)


def connection_axioms(symmetric: bool) -> ObjectLaw:
    """A connection is linear over functions in its direction, else a derivation; torsion and curvature are tensors."""

    def law(some: Objects) -> Iterator[Thing]:
        plane = some.on(PLANE)
        nabla, x, y, z, f = plane.connection(), plane.field(), plane.field(), plane.field(), plane.function()
        yield nabla.derivative(f * x, y) - f * nabla.derivative(x, y)
        yield nabla.derivative(x, f * y) - f * nabla.derivative(x, y) - x(f) * y
        yield nabla.torsion_of(f * x, y) - f * nabla.torsion_of(x, y)
        for r in (nabla.curvature_of(x, y, f * z), nabla.curvature_of(f * x, y, z)):
            yield r - f * nabla.curvature_of(x, y, z)
        if symmetric:
            yield nabla.torsion_of(x, y)

    return law


def first_bianchi(sign: int) -> ObjectLaw:
    """The cyclic sum of R(X, Y) Z is that of (nabla_X T)(Y, Z) + T(T(X, Y), Z)."""

    def law(some: Objects) -> Iterator[Thing]:
        nabla, x, y, z = some.connection(), some.field(), some.field(), some.field()
        D, torsion = nabla.derivative, nabla.torsion_of
        yield combination(
            (weight, term)
            for a, b, c in _cyclic(x, y, z)
            for weight, term in (
                (1, nabla.curvature_of(a, b, c)),
                (-1, D(a, torsion(b, c)) - torsion(D(a, b), c) - torsion(b, D(a, c))),
                (sign, torsion(torsion(a, b), c)),
            )
        )

    return law


def second_bianchi(sign: int) -> ObjectLaw:
    """The cyclic sum of (nabla_X R)(Y, Z) + R(T(X, Y), Z) vanishes."""

    def law(some: Objects) -> Iterator[Thing]:
        nabla, x, y, z, u = some.connection(), some.field(), some.field(), some.field(), some.field()
        D, R = nabla.derivative, nabla.curvature_of
        yield combination(
            (weight, term)
            for a, b, c in _cyclic(x, y, z)
            for weight, term in (
                (1, D(a, R(b, c, u)) - R(D(a, b), c, u) - R(b, D(a, c), u) - R(b, c, D(a, u))),
                (sign, R(nabla.torsion_of(a, b), c, u)),
            )
        )

    return law


# -- rows --------------------------------------------------------------------------------------------------------
def _without_forces(
    lagrangian: Expr, frame: Frame, _: Sequence[Expr], active: Sequence[int] | None = None
) -> FrameEquations:
    return hamel_equations(lagrangian, frame, None, active)


FRAME_LAWS: tuple[Law[int], ...] = (
    row("forms in frames", forms_in_frames, [0], [1], "the indices moved on by one"),
    row("structure equation", structure_equation, [-1], [1], "the other sign of the structure functions"),
    row("d by brackets", d_by_brackets, [1], [-1], "the other sign of the structure functions"),
    row("structure functions", structure_jacobi, [1], [-1], "the other sign of their products"),
    row("change of frame", frame_changed, [1], [-1], "the other sign of the derivatives"),
    row("quasi-velocities", quasi_velocities_moved, [-1], [1], "the other sign of the structure functions"),
    row(
        "Hamel's equations",
        hamel_meets_projection,
        [(0, 2)],
        [(0, 2), _without_forces],
        "the forces left out of one of the two derivations",
    ),
    row(
        "Hamel's motion",
        is_euler_lagrange,
        [hamel_equations],
        [_without_forces],
        "the forces left out of the equations in the frame",
    ),
    row("affine connections", connection_axioms, [False], [True], "torsion said to vanish"),
    row("Bianchi's first identity", first_bianchi, [-1], [1], "the other sign of the torsion twice"),
    row("Bianchi's second identity", second_bianchi, [1], [-1], "the other sign of the torsion"),
)
"""Laws of frames and affine connections, for random ones by their seed."""
