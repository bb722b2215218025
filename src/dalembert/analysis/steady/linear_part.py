"""The linear part of a steady motion modulo the symmetry: A, with B for controls and C for what is observed.

F - xi^a X_a vanishes at the state z of a steady motion. Its derivative keeps the tangent space of the manifold of
states and, in that, the tangent space of the orbit through z; A is what it does between the two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert.analysis.steady.search import Point, orbit
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape
from dalembert.records import dataclass
from dalembert.shown import Shown

_RANK = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """An eigenvalue with what moves most in its mode."""

    value: complex
    parts: Mapping[str, complex]
    """The components of the mode by name, the largest being 1."""

    @property
    def name(self) -> str:
        """The largest components by name."""
        large = sorted(((abs(part), name) for name, part in self.parts.items() if abs(part) > 0.3), reverse=True)
        return ", ".join(name for _, name in large[:3])


@dataclass(frozen=True, slots=True, eq=False)
class LinearPart(Shown):
    """x' = A x + B u, y = C x near a steady motion, x being directions across the orbit of the symmetry."""

    names: tuple[str, ...]
    matrix: Array
    directions: Array
    """What each of the names moves, rows by state variables."""
    inputs: tuple[str, ...] = ()
    control: Array | None = None
    outputs: tuple[str, ...] = ()
    observed: Array | None = None

    @property
    def eigenvalues(self) -> NDArray[np.complex128]:
        """Those with the largest real part first."""
        return np.array([mode.value for mode in self.modes], dtype=np.complex128)

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The eigenvalues with their modes, those with the largest real part first."""
        values, vectors = np.linalg.eig(self.matrix) if self.matrix.size else (np.zeros(0), np.zeros((0, 0)))
        order = np.lexsort((values.imag, -np.round(values.real, 12)))
        found = []
        for k in order:
            vector = vectors[:, k] / vectors[int(np.argmax(np.abs(vectors[:, k]))), k]
            found.append(Mode(complex(values[k]), dict(zip(self.names, map(complex, vector), strict=True))))
        return tuple(found)


def linear_part(
    field: SteadyField,
    point: Point,
    inputs: Mapping[str, Sequence[Expr]] | None = None,
    outputs: Mapping[str, Expr] | None = None,
) -> LinearPart:
    """Return the linear part modulo the symmetry; ``inputs`` are derivatives of the rates by controls."""
    size, unknown = len(field.state), len(field.problem.equations.implicit)
    _, slopes, _ = field.look(point.y, point.parameters)
    whole: Array = slopes[:size, :size]
    known: Array = np.zeros((0, size))
    if unknown:
        inner = slopes[size : size + unknown]
        known = np.asarray(np.linalg.solve(inner[:, size : size + unknown], -inner[:, :size]), dtype=np.float64)
        whole = whole + slopes[:size, size : size + unknown] @ known
    names, columns, inverse = field.manifold.tangent(point.y[:size], parameters=point.parameters)
    along = inverse @ whole @ columns
    names, chosen, modulo = across(names, inverse @ orbit(field, point))
    matrix = modulo @ along[:, chosen]
    directions = columns[:, chosen]
    control = observed = None
    if inputs:
        tape = Tape([e for column in inputs.values() for e in column], field.inputs)
        values = np.array(tape(field.full(point.y, point.parameters))).reshape(len(inputs), size).T
        control = modulo @ inverse @ values
    if outputs:
        slopes_of = jacobian(list(outputs.values()), [*field.state, *field.problem.equations.implicit])
        tape = Tape([e for row in slopes_of for e in row], field.inputs)
        values = np.array(tape(field.full(point.y, point.parameters))).reshape(len(outputs), size + unknown)
        plain = values[:, :size] + (values[:, size:] @ known if unknown else 0.0)
        observed = plain @ directions
    return LinearPart(names, matrix, directions, tuple(inputs or ()), control, tuple(outputs or ()), observed)


def spectrum_mark(field: SteadyField, point: Point) -> Array:
    """Return numbers that the symmetry leaves alone: the characteristic polynomial, also where eigenvalues repeat."""
    matrix = linear_part(field, point).matrix
    return np.asarray(np.poly(matrix), dtype=np.float64) if matrix.size else np.ones(1)


def across(names: Sequence[str], around: Array) -> tuple[tuple[str, ...], list[int], Array]:
    """Return the names that are kept, their places, and what makes their components of a vector, modulo the orbit.

    Of each direction of the orbit the largest component goes, of those alike the first.
    """
    left = around.T.copy()
    gone: list[int] = []
    rows = np.eye(len(names))
    while left.size:
        sizes = np.abs(left)
        largest = float(sizes.max(initial=0.0))
        if largest <= _RANK * max(1.0, float(np.abs(around).max(initial=0.0))):
            break
        k, place = divmod(int(np.argmax(sizes > (1 - _RANK) * largest)), left.shape[1])
        pivot = left[k] / left[k, place]
        rows = rows - np.outer(pivot, rows[place])
        left = np.delete(left, k, axis=0)
        left = left - np.outer(left[:, place], pivot)
        gone.append(place)
    kept = [k for k in range(len(names)) if k not in gone]
    return tuple(names[k] for k in kept), kept, rows[kept]
