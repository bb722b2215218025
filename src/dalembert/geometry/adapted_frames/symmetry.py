"""The basis of velocities that commute with the generators of a symmetry: in it invariant constraints are short.

Invariant constraints have, on fields Y with [E_a, Y] = 0, coefficients that the group does not move: where it acts on
several bodies at once, all are turned together. Such fields are sought by an ansatz: components that are sines and
cosines of the angles that are moved, and then also linear in the lengths that are. What comes out is one more basis to
look at; whether a frame is good is decided as ever, by its certificate and its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product as choices

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import sincos
from dalembert.expr.field import Field
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.linear.ring import Writer
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import symbols
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.adapted_frames.turning import Basis
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.fields import VectorField
from dalembert.geometry.groups.matrices import dot

_MOST_ANGLES = 2
_PAIR = 2
"""Lengths that are turned by one angle are looked at anyway."""
_MOST_UNKNOWNS = 120
"""Constants of an ansatz; a larger one is not tried."""


def invariant_basis(rows: Sequence[Sequence[Expr]], generators: Sequence[VectorField]) -> Basis | None:
    """Return a constraint matrix in fields that commute with generators; None where it says nothing new.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z = symbol("x"), symbol("y"), symbol("z")
    >>> space = Chart.of(x, y, z)
    >>> moves = [VectorField.of(space, parts) for parts in ([1, 0, 0], [0, 1, x], [0, 0, 1])]
    >>> invariant_basis([[-y, ONE, ONE]], moves).fields
    ((1, 0, y), (0, 1, 0), (0, 0, 1))
    """
    if not generators:
        return None
    q = generators[0].chart.coordinates
    moved = [x for i, x in enumerate(q) if not vanish([e.components[i] for e in generators])]
    if not _is_worthwhile(generators, moved) or not depends_on([entry for row in rows for entry in row], moved):
        return None
    fields = commuting_fields(generators, moved)
    if fields is None or not depends_on([c for field in fields for c in field], q):
        return None
    volume = expanded_determinant(fields)
    field = Field([volume])
    matrix = tuple(tuple(dot(row, z) for z in fields) for row in rows)
    return Basis(matrix, fields=fields, volume=Writer(field).quotient(field.read(volume)))


def _is_worthwhile(generators: Sequence[VectorField], moved: Sequence[Expr]) -> bool:
    """Say whether the stated basis and those with two lengths turned by an angle are not all that there will be."""
    parts = [component for e in generators for component in e.components]
    bent = [x for x in moved if depends_on(parts, [x])]
    angles = [x for x in moved if x.data.domain == "angle"]
    return bool(bent) and not (angles and len(bent) <= _PAIR and not set(bent) & set(angles))


def commuting_fields(generators: Sequence[VectorField], moved: Sequence[Expr]) -> tuple[tuple[Expr, ...], ...] | None:
    """Return a basis of fields that commute with generators, by components, of the shortest that an ansatz finds."""
    size = generators[0].chart.dimension
    for functions in _ansatz(moved):
        if len(functions) * size > _MOST_UNKNOWNS:
            return None
        try:
            found = sorted(_solutions(generators, functions), key=cost)
            kept = generic_rank(list(zip(*found, strict=True))).columns if found else ()
        except ExpressionError:
            return None
        if len(kept) == size:
            return tuple(found[k] for k in sorted(kept, key=lambda k: _first(found[k])))
    return None


def _first(field: Sequence[Expr]) -> int:
    """Return which coordinate a field moves first, so that a basis is in the order of the coordinates."""
    return next(i for i, component in enumerate(field) if not vanish([component]))


def _ansatz(moved: Sequence[Expr]) -> Iterator[list[Expr]]:
    """Yield lists of functions, longer and longer, in which components are sought."""
    angles = [x for x in moved if x.data.domain == "angle"]
    lengths = [x for x in moved if x.data.domain != "angle"]
    if len(angles) > _MOST_ANGLES:
        return
    turns = [product((f, 1) for f in several) for several in choices(*((ONE, *sincos(x)) for x in angles))]
    if angles:
        yield turns
    yield [turn * f for f in (ONE, *lengths) for turn in turns]


def _solutions(generators: Sequence[VectorField], functions: Sequence[Expr]) -> list[tuple[Expr, ...]]:
    """Return all fields with components among combinations of functions that commute with the generators."""
    q = generators[0].chart.coordinates
    size = range(len(q))
    slopes = [[gradient(component, q) for component in e.components] for e in generators]
    rates = [e.apply(list(functions)) for e in generators]
    columns = [
        [
            total([(1, rates[a][j]) if i == k else (0, ZERO), (-1, f * slopes[a][k][i])])
            for a in range(len(generators))
            for k in size
        ]
        for i in size
        for j, f in enumerate(functions)
    ]
    parameters = [symbol(s) for s in symbols(e for column in columns for e in column) if s.role == "parameter"]
    found = constant_null_space(columns, sorted(parameters, key=repr)).basis
    count = len(functions)
    return [tuple(dot(vector[i * count : (i + 1) * count], functions) for i in size) for vector in found]
