"""Moving frames and their quasi-velocities: the kernel that every formalism is a choice of.

A frame is a basis of vector fields Z_a on configuration space, with a drift Z_0 where constraints are affine or depend
on time. Velocities are q' = Z_a w^a + Z_0. Brackets [Z_a, Z_b] = c_ab^g Z_g and [Z_a, d_t + Z_0] = c_a0^g Z_g define
the structure functions, and Hamel's equations are

    d/dt (dl/dw^a) = Z_a(l) - (c_ab^g w^b + c_a0^g) dl/dw^g + Q_a,        l(t, q, w) = L(t, q, Z w + Z_0),

with g over the whole frame. Velocities held at zero (a constraint) are held only after differentiating.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field, in_basis
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.records import dataclass

Structure = Sequence[Sequence[Sequence[Expr]]]
"""Structure functions c[a][b][g]."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A basis of vector fields, the names of its quasi-velocities, and a drift where there is one."""

    chart: Chart
    fields: tuple[VectorField, ...]
    quasi_velocities: tuple[Expr, ...]
    drift: VectorField | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be a basis."""
        if len(self.fields) != self.chart.dimension or len(self.quasi_velocities) != self.chart.dimension:
            raise ExpressionError(
                f"a frame on {self.chart.dimension} coordinates needs as many fields and quasi-velocities; "
                f"there are {len(self.fields)} and {len(self.quasi_velocities)}."
            )
        for field in (*self.fields, *([self.drift] if self.drift else [])):
            if field.chart != self.chart:
                raise ExpressionError("a field of a frame lives on another chart.")
        names = set(self.quasi_velocities)
        if len(names) < self.chart.dimension or any(w.op != "symbol" for w in names):
            raise ExpressionError("the quasi-velocities of a frame are different symbols.")
        if not names.isdisjoint(self.chart.coordinates):
            raise ExpressionError("a quasi-velocity has the name of a coordinate; give it one of its own.")

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The symbols of the velocities q'."""
        return tuple(q.dot for q in self.chart.coordinates)

    @property
    def kinematics(self) -> list[Expr]:
        """The velocities as functions of the quasi-velocities: q' = Z_a w^a + Z_0."""
        start = self.drift.components if self.drift else [ZERO] * self.chart.dimension
        return [
            total(
                [
                    (1, start[i]),
                    *((1, z.components[i] * w) for z, w in zip(self.fields, self.quasi_velocities, strict=True)),
                ]
            )
            for i in range(self.chart.dimension)
        ]


def coordinate_frame(chart: Chart) -> Frame:
    """Return the frame of the coordinate fields, with the velocities themselves as quasi-velocities."""
    fields = tuple(coordinate_field(chart, q) for q in chart.coordinates)
    return Frame(chart, fields, tuple(q.dot for q in chart.coordinates))


def coframe(frame: Frame) -> list[list[Expr]]:
    """Return the dual one-forms by rows: theta^a(Z_b) is 1 where a = b, else 0."""
    size = frame.chart.dimension
    matrix = [[frame.fields[a].components[i] for i in range(size)] for a in range(size)]
    # Z is the matrix with the fields as columns; its inverse has the coframe as rows, so solve with the transpose
    return [solve(matrix, [ONE if b == a else ZERO for b in range(size)]) for a in range(size)]


def coframe_forms(frame: Frame) -> list[Form]:
    """Return the dual one-forms as forms; they obey d theta^g = -1/2 c_ab^g theta^a ^ theta^b."""
    return [one_form(frame.chart, row) for row in coframe(frame)]


def quasi_velocities(frame: Frame) -> list[Expr]:
    """Return the quasi-velocities as functions of the velocities: w = Z^-1 (q' - Z_0)."""
    start = frame.drift.components if frame.drift else [ZERO] * frame.chart.dimension
    return in_basis([v - z for v, z in zip(frame.velocities, start, strict=True)], frame.fields)


def structure_functions(frame: Frame, among: Sequence[int] | None = None) -> list[list[list[Expr]]]:
    """Return c[a][b][g] with [Z_a, Z_b] = c_ab^g Z_g; for a and b among some fields only, the others left at zero.

    >>> from dalembert.expr import symbol
    >>> x, y, u, w = (symbol(n) for n in "xyuw")
    >>> plane = Chart.of(x, y)
    >>> c = structure_functions(Frame(plane, (VectorField.of(plane, [1, 0]), VectorField.of(plane, [0, x])), (u, w)))
    >>> c[0][1]
    [0, 1/x]
    """
    size = frame.chart.dimension
    table = [[[ZERO] * size for _ in range(size)] for _ in range(size)]
    for a, b in combinations(range(size) if among is None else sorted(among), 2):
        table[a][b] = in_basis(bracket(frame.fields[a], frame.fields[b]).components, frame.fields)
        table[b][a] = [-c for c in table[a][b]]
    return table


def d_on_frame(
    frame: Frame, degree: int, terms: Mapping[tuple[int, ...], Operand], brackets: Structure | None = None
) -> dict[tuple[int, ...], Expr]:
    """Return d of a form by its components in the frame (increasing indices), from components there and brackets.

    d a(Z_0, .., Z_k) = sum (-1)^i Z_i(a(.. without Z_i ..)) + sum_(i<j) (-1)^(i+j) a([Z_i, Z_j], .. without both ..).
    No coframe is needed, and with structure functions that are known no inverse either.
    """
    c = structure_functions(frame) if brackets is None else brackets
    components = Form.of(frame.chart, degree, terms).component  # any order of indices, with its sign
    size = range(frame.chart.dimension)
    result = {}
    for indices in combinations(size, degree + 1):
        parts: list[tuple[int, Expr]] = []
        for i, a in enumerate(indices):
            parts.append(((-1) ** i, frame.fields[a](components(*indices[:i], *indices[i + 1 :]))))
            for j, b in enumerate(indices[i + 1 :], i + 1):
                rest = (*indices[:i], *indices[i + 1 : j], *indices[j + 1 :])
                parts += [((-1) ** (i + j), c[a][b][g] * components(g, *rest)) for g in size]
        result[indices] = total(parts)
    return result


def drift_functions(frame: Frame) -> list[list[Expr]]:
    """Return c_0[a][g] with [Z_a, d_t + Z_0] = c_a0^g Z_g: the drift, and explicit time in the frame."""
    result = []
    now = symbol(TIME)
    for field in frame.fields:
        vector = [-diff(c, now) for c in field.components]
        if frame.drift is not None:
            moved = bracket(field, frame.drift).components
            vector = [v + m for v, m in zip(vector, moved, strict=True)]
        result.append(in_basis(vector, frame.fields))
    return result


def change_frame(frame: Frame, matrix: Sequence[Sequence[Operand]], names: Sequence[Expr]) -> Frame:
    """Return the frame Z'_a = matrix[a][b] Z_b with the given quasi-velocities, the drift unchanged."""
    size = frame.chart.dimension
    if len(matrix) != size or any(len(row) != size for row in matrix):
        raise ExpressionError(f"a change of a frame of {size} fields needs a square matrix of that size.")
    fields = tuple(combination(zip(row, frame.fields, strict=True)) for row in matrix)
    return Frame(frame.chart, fields, tuple(names), frame.drift)


@dataclass(frozen=True, slots=True)
class FrameEquations:
    """The equations mass * w' = force for the active quasi-velocities; the others are zero."""

    frame: Frame
    active: tuple[int, ...]
    stated: Expr
    """The Lagrangian by coordinates and velocities."""
    mass: Sequence[tuple[Expr, ...]]
    force: Sequence[Expr]

    @property
    def lagrangian(self) -> Expr:
        """The Lagrangian l(t, q, w), all quasi-velocities free."""
        return substitute([self.stated], dict(zip(self.frame.velocities, self.frame.kinematics, strict=True)))[0]

    @property
    def momenta(self) -> tuple[Expr, ...]:
        """The momenta dl/dw of the whole frame, at the motions allowed."""
        slopes = gradient(self.lagrangian, list(self.frame.quasi_velocities))
        return tuple(substitute(slopes, _held(self.frame, self.active)))

    def accelerations(self) -> list[Expr]:
        """Return w' as values of one solve node."""
        return solve(self.mass, self.force)


def _held(frame: Frame, active: Sequence[int]) -> dict[Expr, Expr]:
    return {w: ZERO for a, w in enumerate(frame.quasi_velocities) if a not in active}


def _drive(frame: Frame, velocities: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the seed of d/dt at fixed quasi-velocities."""
    return {**dict(zip(frame.chart.coordinates, velocities, strict=True)), symbol(TIME): ONE}


def hamel_equations(
    lagrangian: Expr, frame: Frame, forces: Sequence[Expr] | None = None, active: Sequence[int] | None = None
) -> FrameEquations:
    """Return Hamel's equations, by the structure functions, for the active quasi-velocities (all, if not said).

    ``forces`` are the generalised forces by coordinate; velocities may occur in them.
    """
    size = frame.chart.dimension
    chosen = tuple(range(size)) if active is None else tuple(active)
    w, hold = list(frame.quasi_velocities), _held(frame, chosen)
    kinematics = frame.kinematics
    put = dict(zip(frame.velocities, kinematics, strict=True))
    restricted, *pushes = substitute([lagrangian, *(forces or [ZERO] * size)], put)
    momenta = gradient(restricted, w)
    c, c0 = structure_functions(frame, chosen), drift_functions(frame)
    moved = tangent(momenta, _drive(frame, kinematics))
    force = []
    for a in chosen:
        slots = [total([(1, c0[a][g]), *((1, c[a][b][g] * w[b]) for b in chosen)]) * momenta[g] for g in range(size)]
        push = [(1, q * z) for q, z in zip(pushes, frame.fields[a].components, strict=True)]
        force.append(total([(1, frame.fields[a](restricted)), *((-1, s) for s in slots), *push, (-1, moved[a])]))
    mass = hessian(restricted, [w[a] for a in chosen])
    flat = substitute([*force, *(entry for row in mass for entry in row)], hold)
    k = len(chosen)
    rows = tuple(tuple(flat[i * k : (i + 1) * k]) for i in range(1, k + 1))
    return FrameEquations(frame, chosen, lagrangian, rows, tuple(flat[:k]))


def projected_equations(
    lagrangian: Expr,
    frame: Frame,
    forces: Sequence[Expr] | None = None,
    active: Sequence[int] | None = None,
    known: Mapping[Expr, Expr] | None = None,
) -> FrameEquations:
    """Return the same equations by projecting Euler-Lagrange's on the frame: no bracket, no inverse, so fast.

    Z_a . (d/dt dL/dq' - dL/dq - Q) = 0 at q' = Z w + Z_0. ``known`` are expressions in the velocities, as wholes, that
    are quasi-velocities: where they stand as such, nothing else has to be put in.
    """
    size = frame.chart.dimension
    chosen = tuple(range(size)) if active is None else tuple(active)
    hold = _held(frame, chosen)
    kinematics = substitute(frame.kinematics, hold)
    put = {**(known or {}), **dict(zip(frame.velocities, kinematics, strict=True))}
    slopes = gradient(lagrangian, [*frame.chart.coordinates, *frame.velocities])
    flat = substitute([*slopes, *(forces or [ZERO] * size)], put)
    slopes, momenta, pushes = (flat[k * size : (k + 1) * size] for k in range(3))
    pulls = [total([(1, slope), (1, push)]) for slope, push in zip(slopes, pushes, strict=True)]
    names = [frame.quasi_velocities[a] for a in chosen]
    fields = [frame.fields[a].components for a in chosen]
    mass, force = projected(momenta, pulls, names, fields, _drive(frame, kinematics))
    return FrameEquations(frame, chosen, lagrangian, mass, force)


def projected(
    momenta: Sequence[Expr],
    pulls: Sequence[Expr],
    names: Sequence[Expr],
    directions: Sequence[Sequence[Expr]],
    drive: Mapping[Expr, Expr],
    along: Callable[[Sequence[Expr], Mapping[Expr, Expr]], list[Expr]] = tangent,
) -> tuple[tuple[tuple[Expr, ...], ...], tuple[Expr, ...]]:
    """Return mass and force of W (dp/dt - F) = 0, the principle of Lagrange and d'Alembert, for the rates of names u.

    Momenta p = dL/dq' and pulls F = dL/dq + Q are functions of (t, q, u) at the velocities q' = v(t, q, u) that are
    allowed, linear in u or not; W are the virtual directions, and ``drive`` is (1, v) on (t, q): how they change at
    fixed u. ``along`` differentiates such functions, where more follows than is named.

    >>> from dalembert.expr import symbol
    >>> u, x, y = symbol("u"), symbol("x"), symbol("y")
    >>> projected([u, x * u], [ZERO, -ONE], [u], [[ONE, x]], {x: u, y: x * u})
    (((x^2 + 1,),), (x*(-u^2 - 1),))
    """
    spread = [along(momenta, {u: ONE}) for u in names]
    rest = [total([(1, pull), (-1, rate)]) for pull, rate in zip(pulls, along(momenta, drive), strict=True)]
    mass = tuple(tuple(dot(w, column) for column in spread) for w in directions)
    return mass, tuple(dot(w, rest) for w in directions)
