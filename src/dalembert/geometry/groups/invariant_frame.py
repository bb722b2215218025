"""Vector fields E^_a that commute with all generators E~_b of a free action, and the matrix in E^_a = A_a^b E~_b.

For the ready groups they are known (:meth:`LieGroup.invariant_fields`). For other generators the matrix is found from

    E~_a(A_b^c) = C_ad^c A_b^d,        A_b^c = 1 where b = c and 0 elsewhere, at the neutral element,

by an ansatz: its entries are those of the adjoint representation, in most coordinates polynomials, sines, cosines or
exponentials, and reciprocals of coordinates that are not zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as choices

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import exp, sincos
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, product, symbol, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.truth.many import all_vanish, components_of
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.groups.actions import Action, local_freeness
from dalembert.geometry.groups.matrices import Matrix, Vector, as_matrix, dot, inverse, rank, transpose
from dalembert.records import dataclass

_MOST_UNKNOWNS = 1_500


@dataclass(frozen=True, slots=True)
class InvariantFields:
    """Invariant fields along the orbits, with [E^_a, E^_b] = +C_ab^c E^_c."""

    fields: tuple[VectorField, ...]
    matrix: Matrix
    """A_a^b: the adjoint representation of the element with these coordinates."""
    verdict: Verdict
    """That they commute with all generators."""


def invariant_fields(action: Action, neutral: Mapping[Expr, Operand] | None = None) -> InvariantFields:
    """Return the invariant fields of an action that is simply transitive on its orbits, where an ansatz finds them.

    The generators must move as many coordinates as they are, and depend on no others: a trivial bundle in a fibre
    chart. ``neutral`` gives the coordinates of the neutral element; those not given are 0, positive ones 1.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.groups import action_from_generators, rotation, translations
    >>> x, y, theta = symbol("x"), symbol("y"), symbol("theta", domain="angle")
    >>> chart = Chart.of(x, y, theta)
    >>> motions = {**translations(chart, [x, y]), "turn": rotation(chart, x, y, [theta])}
    >>> [field.components for field in invariant_fields(action_from_generators(motions)).fields]
    [(cos(theta), sin(theta), 0), (-sin(theta), cos(theta), 0), (0, 0, 1)]
    """
    fibre = _fibre(action)
    origin = usual_origin(fibre) | {q: as_expr(value) for q, value in (neutral or {}).items() if q in fibre}
    for functions in _ansatz(action, fibre):
        if len(functions) * action.dimension > _MOST_UNKNOWNS:
            break
        solutions = _solutions(action, functions)
        if len(solutions) == action.dimension:
            start = tuple(tuple(substitute(solution, origin)) for solution in solutions)
            if rank(start) == action.dimension:
                scaled = inverse(start)
                matrix = tuple(tuple(tidy(dot(row, column)) for column in transpose(solutions)) for row in scaled)
                return checked_fields(action, matrix)
    raise ExpressionError(
        f"the invariant fields of {', '.join(action.names)} are not polynomials, sines, cosines or exponentials of "
        f"{', '.join(map(text, fibre))} in these coordinates; give them."
    )


def usual_origin(coordinates: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return 0 for coordinates, or the number of size 1 that their domain has.

    >>> usual_origin([symbol("x"), symbol("r", domain="positive")])
    {x: 0, r: 1}
    """
    usual = {"positive": 1, "nonzero": 1, "negative": -1}
    return {q: as_expr(usual.get(q.data.domain, 0)) for q in coordinates}


def checked_fields(action: Action, matrix: Matrix, fields: Sequence[VectorField] | None = None) -> InvariantFields:
    """Return the fields A_a^b E~_b (or these, in their given form) with the verdict that they are invariant.

    Refused where they are not, or where matrix and fields do not fit together.
    """
    plain = [combination(zip(row, action.generators, strict=True)) for row in matrix]
    if fields is None:
        fields = [VectorField(action.chart, tuple(tidy(c) for c in field.components)) for field in plain]
    parts: dict[str, Expr] = {}
    q = action.chart.coordinates
    for b, (field, other) in enumerate(zip(fields, plain, strict=True), 1):
        for name, generator in zip(action.names, action.generators, strict=True):
            parts |= components_of(bracket(generator, field).components, q, f"[{name}, invariant field {b}] along")
        parts |= components_of((field - other).components, q, f"invariant field {b} against the matrix, along")
    verdict = all_vanish(parts)
    if verdict.holds is False:
        raise ExpressionError(f"these fields are not invariant: {verdict.evidence}")
    return InvariantFields(tuple(fields), matrix, verdict)


def _fibre(action: Action) -> Vector:
    """Return the coordinates that are moved, after a look whether they are a fibre chart."""
    coordinates = action.chart.coordinates
    moved = [q for i, q in enumerate(coordinates) if not vanish([x.components[i] for x in action.generators])]
    if len(moved) != action.dimension or not local_freeness(action, most_minors=0).verdict.holds:
        raise ExpressionError(
            f"{action.dimension} generators move the {len(moved)} coordinates {', '.join(map(text, moved))}: invariant "
            "fields along the orbits are found where these are as many, and the action is free."
        )
    for name, generator in zip(action.names, action.generators, strict=True):
        for s in sorted(symbols(generator.components), key=lambda s: s.label):
            if s.role != "parameter" and symbol(s) not in moved and depends_on(generator.components, [symbol(s)]):
                raise ExpressionError(
                    f"the generator {name} depends on {s.label}, which it does not move; choose coordinates in which "
                    "the bundle is trivial."
                )
    return tuple(moved)


def _ansatz(action: Action, fibre: Vector) -> Iterator[list[Expr]]:
    """Yield lists of functions, longer and longer, in which the entries of the matrix are sought."""
    turning = {
        q
        for q in fibre
        if q.data.domain == "angle"
        or any(
            n.op == "sincos" and q in postorder([n])
            for n in postorder(c for x in action.generators for c in x.components)
        )
    }
    for degree, growing in ((1, False), (2, False), (1, True), (2, True)):
        single: list[list[tuple[int, Expr]]] = []
        for q in fibre:
            if q in turning:
                single.append([(0, ONE), *((0, e) for e in sincos(q))])
            else:
                powers = [(k, q**k) for k in range(degree + 1)]
                more = [exp(q), exp(-q)] if q.data.domain == "real" else [1 / q]
                single.append([*powers, *((0, f) for f in more if growing)])
        yield [product((f, 1) for _, f in choice) for choice in choices(*single) if sum(k for k, _ in choice) <= degree]


def _solutions(action: Action, functions: list[Expr]) -> list[list[Expr]]:
    """Return all rows (A^1, ..., A^n) of combinations of the functions that satisfy E~_a(A^c) = C_ad^c A^d."""
    size = range(action.dimension)
    slopes = [generator.apply(functions) for generator in action.generators]
    columns = [
        [
            total([(1, slopes[a][j]) if c == d else (0, ZERO), (-1, action.algebra.constants[a][d][c] * f)])
            for a in size
            for c in size
        ]
        for d in size
        for j, f in enumerate(functions)
    ]
    parameters = [symbol(s) for s in symbols(e for column in columns for e in column) if s.role == "parameter"]
    found = constant_null_space(columns, sorted(parameters, key=text)).basis
    count = len(functions)
    return [[dot(as_matrix([v])[0][d * count : (d + 1) * count], functions) for d in size] for v in found]
