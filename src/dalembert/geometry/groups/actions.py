"""Actions of Lie groups, given by their generators: structure constants, freeness, and what they leave as it is.

A left action is known here by its generators E~_a (fundamental fields), with [E~_a, E~_b] = -C_ab^c E~_c where C_ab^c
are the structure constants of the group's Lie algebra. The constants are found from the fields themselves.

The generators of the usual actions (translations, rotations, scalings, linear and affine maps) are tables of vector
fields by name, ready for :func:`action_from_generators`. The generator of x -> A x + b is the field with those
components; then [X_A, X_B] = -X_[A, B], as for every left action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, islice
from typing import assert_never

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import tangent, time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.linear.exact import determinant, rank
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, generic_rank, never_zero, vanish
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import symbols
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, lie_derivative
from dalembert.geometry.groups.algebra import LieAlgebra, lie_algebra
from dalembert.geometry.tensors import Endomorphism, lie_derivative_of_endomorphism
from dalembert.records import dataclass

ASSUMED = (
    "the generators are complete, and the action of the group they generate is proper",
    "only the neutral element has fixed points: generators decide no more than that stabilisers are discrete",
)
"""What generators on a chart cannot decide, and what quotients need."""


@dataclass(frozen=True, slots=True)
class Action:
    """A left action by its generators. Make one with :func:`action_from_generators`."""

    chart: Chart
    generators: tuple[VectorField, ...]
    algebra: LieAlgebra
    closure: Verdict
    """Whether the generators close with the constants of ``algebra``."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the generators."""
        return self.algebra.names

    @property
    def dimension(self) -> int:
        """The dimension of the group."""
        return self.algebra.dimension

    def field(self, element: Sequence[Operand]) -> VectorField:
        """Return the generator xi_Q of an element xi of the Lie algebra."""
        return combination(zip(self.algebra.element(element), self.generators, strict=True))

    def change_basis(self, matrix: Sequence[Sequence[Operand]], names: Sequence[str] | None = None) -> Action:
        """Return the same action with the generators matrix[a][b] E~_b."""
        algebra = self.algebra.change_basis(matrix, names)
        return Action(self.chart, tuple(self.field(row) for row in matrix), algebra, self.closure)

    def restricted(self, vectors: Sequence[Sequence[Operand]], names: Sequence[str] | None = None) -> Action:
        """Return the action of the subgroup whose Lie algebra has these vectors as basis."""
        algebra = self.algebra.restricted(vectors, names)
        return Action(self.chart, tuple(self.field(v) for v in vectors), algebra, self.closure)


# -- structure constants from generators ---------------------------------------------------------------------
def action_from_generators(fields: Mapping[str, VectorField], *, effort: float = 0.0) -> Action:
    """Return the action with these generators, its structure constants found by solving [X_a, X_b] = -C_ab^c X_c.

    Refused, with the names at fault: generators that depend on each other (with constant coefficients), and brackets
    that are not combinations of generators with constant coefficients. Coefficients may contain parameters.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.groups import rotation, translations
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> motions = action_from_generators({**translations(plane), "turn": rotation(plane, x, y)})
    >>> motions.algebra.name()
    'se(2)'
    >>> motions.algebra.bracket([0, 0, 1], [1, 0, 0])
    (0, 1, 0)
    """
    names, generators = tuple(fields), tuple(fields.values())
    chart = _common_chart(names, generators)
    _refuse_dependent(names, generators)
    brackets: dict[tuple[str, str], dict[str, Expr]] = {}
    for (a, left), (b, right) in combinations(fields.items(), 2):
        crossed = bracket(left, right)
        found = _constant_combination(crossed, generators)
        if found is None:
            raise ExpressionError(_not_closed(a, b, crossed, fields))
        brackets[a, b] = {name: -c for name, c in zip(names, found, strict=True)}
    algebra = lie_algebra(names, brackets)
    return Action(chart, generators, algebra, _closure(algebra, generators, effort))


def checked_action(algebra: LieAlgebra, generators: Sequence[VectorField], *, effort: float = 0.0) -> Action:
    """Return the action of a known Lie algebra by given generators; refused where a bracket does not fit."""
    if len(generators) != algebra.dimension:
        raise ExpressionError(f"{algebra.dimension} generators are needed, not {len(generators)}.")
    chart = _common_chart(algebra.names, generators)
    closure = _closure(algebra, generators, effort)
    if closure.holds is False:
        raise ExpressionError(
            f"the generators do not obey [X_a, X_b] = -C_ab^c X_c, as those of a left action do: {closure.evidence}"
        )
    return Action(chart, tuple(generators), algebra, closure)


def _common_chart(names: Sequence[str], generators: Sequence[VectorField]) -> Chart:
    if not generators:
        raise ExpressionError("an action needs at least one generator.")
    for name, field in zip(names, generators, strict=True):
        if field.chart != generators[0].chart:
            raise ExpressionError(f"the generator {name} lives on another chart than {names[0]}.")
    return generators[0].chart


def _closure(algebra: LieAlgebra, generators: Sequence[VectorField], effort: float) -> Verdict:
    """Decide [X_a, X_b] + C_ab^c X_c = 0."""
    parts: dict[str, Expr] = {}
    for (a, left), (b, right) in combinations(enumerate(generators), 2):
        rest = bracket(left, right) + combination(zip(algebra.constants[a][b], generators, strict=True))
        along = f"[{algebra.names[a]}, {algebra.names[b]}] along"
        parts |= components_of(rest.components, rest.chart.coordinates, along)
    return ProofBudget(effort).all_vanish(parts)


def _constant_combination(field: VectorField, basis: Sequence[VectorField]) -> list[Expr] | None:
    """Return the constants that make a field a combination of others, or None."""
    if all(c is ZERO for c in field.components):
        return [ZERO] * len(basis)
    vector = _relation([*basis, field])
    return None if vector is None else [-c / vector[-1] for c in vector[:-1]]


def _relation(fields: Sequence[VectorField]) -> list[Expr] | None:
    """Return constants with which a combination of fields vanishes: numbers if possible, else with parameters."""
    columns = [field.components for field in fields]
    parameters = {symbol(s) for s in symbols(c for field in fields for c in field.components) if s.role == "parameter"}
    found: Sequence[Sequence[Operand]] = constant_null_space(columns).basis
    if not found and parameters:
        found = constant_null_space(columns, sorted(parameters, key=text)).basis
    return [as_expr(c) for c in found[0]] if found else None


def _refuse_dependent(names: Sequence[str], generators: Sequence[VectorField]) -> None:
    for name, field in zip(names, generators, strict=True):
        if vanish(field.components):
            raise ExpressionError(f"the generator {name} is zero everywhere; leave it out.")
    found = _relation(generators)
    if found is not None:
        terms = [(name, c) for name, c in zip(names, found, strict=True) if c is not ZERO]
        *others, (last, scale) = terms
        said = " + ".join(f"({text(-c / scale)})*{name}" for name, c in others)
        raise ExpressionError(f"the generator {last} is {said}, so it adds nothing; leave it out.")


def _not_closed(a: str, b: str, crossed: VectorField, fields: Mapping[str, VectorField]) -> str:
    rows = [field.components for field in fields.values()]
    written = ", ".join(text(c) for c in crossed.components)
    said = f"the bracket [{a}, {b}] = ({written}) is no combination of {', '.join(fields)} with constant coefficients"
    if generic_rank([*rows, crossed.components]).rank == generic_rank(rows).rank:
        said += " (it is one with functions as coefficients, but a group needs constants)"
    return f"{said}; add it as a generator, or leave one of {a} and {b} out."


# -- freeness ------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Freeness:
    """Whether generators are independent at a generic point, and where they are not."""

    verdict: Verdict
    orbit_dimension: int
    singular: tuple[Expr, ...] | None
    """The action fails to be locally free where all of these vanish; () means nowhere, None that it was not found."""
    assumed: tuple[str, ...] = ASSUMED
    """What generators on a chart cannot decide."""


def local_freeness(action: Action, *, most_minors: int = 40) -> Freeness:
    """Decide whether an action is locally free at generic points, and find the points where it is not.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.groups import rotations
    >>> x, y, z = space = [symbol(n) for n in "xyz"]
    >>> found = local_freeness(action_from_generators(rotations(Chart.of(*space), space)))
    >>> found.verdict.holds, found.orbit_dimension
    (False, 2)
    """
    rows = [field.components for field in action.generators]
    found = rank(rows)
    if found.rank < action.dimension:
        said = f"the generators span only {found.rank} directions at a generic point, not {action.dimension}"
        sure = found.verdict.kind == "proved"
        verdict = Verdict("refuted" if sure else "undecided", f"{said}: {found.verdict.evidence}")
        return Freeness(verdict, found.rank, None)
    choices = list(islice(combinations(range(action.chart.dimension), action.dimension), most_minors + 1))
    singular, verdict = None, found.verdict
    if len(choices) <= most_minors:
        minors = dict.fromkeys(determinant([[row[i] for i in places] for row in rows]) for places in choices)
        minors.pop(ZERO, None)
        minors = dict.fromkeys(map(_without_number, minors))
        shown = next((one for one in map(never_zero, minors) if one.kind == "proved"), None)
        singular = tuple(minors) if shown is None else ()
        if shown is not None:
            verdict = Verdict("proved", f"a minor of size {action.dimension} vanishes nowhere: {shown.evidence}")
    return Freeness(verdict, found.rank, singular)


def _without_number(expression: Expr) -> Expr:
    """Return an expression without its numeric factor: it vanishes where the other does."""
    alone = expression.op == "sum" and len(expression.args) == 1 and not expression.data[0]
    return expression.args[0] if alone else expression


# -- generators of the usual actions ---------------------------------------------------------------------------
def extended(field: VectorField, chart: Chart) -> VectorField:
    """Return a field on a larger chart, not moving the coordinates that are new.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> extended(VectorField.of(Chart.of(y), [1]), Chart.of(x, y)).components
    (0, 1)
    """
    return VectorField.of(chart, dict(zip(field.chart.coordinates, field.components, strict=True)))


def translations(chart: Chart, coordinates: Sequence[Expr] | None = None) -> dict[str, VectorField]:
    """Return d/dq for some coordinates (all, if not said), by the name of the coordinate; of an angle it is a rotation.

    >>> from dalembert.expr import symbol
    >>> x, phi = symbol("x"), symbol("phi", domain="angle")
    >>> list(translations(Chart.of(x, phi), [phi]))
    ['phi']
    """
    chosen = chart.coordinates if coordinates is None else coordinates
    return {q.data.name: coordinate_field(chart, q) for q in chosen}


def affine_field(
    chart: Chart,
    coordinates: Sequence[Expr],
    matrix: Sequence[Sequence[Operand]],
    offset: Sequence[Operand] | None = None,
) -> VectorField:
    """Return the field A x + b on some coordinates x."""
    size = len(coordinates)
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    shift = [ZERO] * size if offset is None else [as_expr(b) for b in offset]
    if len(rows) != size or len(shift) != size or any(len(row) != size for row in rows):
        raise ExpressionError(f"an affine map of {size} coordinates has a square matrix and an offset of that size.")
    values = [
        total([(1, b), *((1, a * x) for a, x in zip(row, coordinates, strict=True))])
        for row, b in zip(rows, shift, strict=True)
    ]
    return VectorField.of(chart, dict(zip(coordinates, values, strict=True)))


def linear_fields(
    chart: Chart, coordinates: Sequence[Expr], matrices: Mapping[str, Sequence[Sequence[Operand]]]
) -> dict[str, VectorField]:
    """Return the generators of a group of matrices that acts on some coordinates, by name."""
    return {name: affine_field(chart, coordinates, matrix) for name, matrix in matrices.items()}


def rotation(chart: Chart, x: Expr, y: Expr, angles: Sequence[Expr] = ()) -> VectorField:
    """Return the generator of rotations of a plane, which turns the given angles along.

    >>> from dalembert.expr import symbol
    >>> x, y, theta = symbol("x"), symbol("y"), symbol("theta", domain="angle")
    >>> rotation(Chart.of(x, y, theta), x, y, [theta]).components
    (-y, x, 1)
    """
    return VectorField.of(chart, {x: -y, y: x, **dict.fromkeys(angles, ONE)})


def rotations(
    chart: Chart, *points: Sequence[Expr], names: Sequence[str] = ("e1", "e2", "e3")
) -> dict[str, VectorField]:
    """Return the generators of rotations of space, acting alike on any number of points (x, y, z)."""
    fields = {}
    for axis, name in enumerate(names):
        turned: dict[Expr, Expr] = {}
        for point in points:
            if len(point) != 3:
                raise ExpressionError(f"rotations of space act on three coordinates, not on {len(point)}.")
            following, last = point[(axis + 1) % 3], point[(axis + 2) % 3]
            turned |= {following: -last, last: following}
        fields[name] = VectorField.of(chart, turned)
    return fields


def scaling(chart: Chart, weights: Mapping[Expr, Operand]) -> VectorField:
    """Return the generator of q -> exp(weight s) q for some coordinates."""
    return VectorField.of(chart, {q: as_expr(weight) * q for q, weight in weights.items()})


# -- what an action leaves as it is ----------------------------------------------------------------------------
def is_invariant(action: Action, thing: Expr | VectorField | Form | Endomorphism, *, effort: float = 0.0) -> Verdict:
    """Decide whether something is invariant; the evidence of a no begins with the generator at fault.

    An expression may contain velocities of the coordinates (a Lagrangian) or higher derivatives: generators are
    prolonged to them.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.groups import action_from_generators, rotation
    >>> x, y = symbol("x"), symbol("y")
    >>> plane = Chart.of(x, y)
    >>> turning = action_from_generators({"turn": rotation(plane, x, y)})
    >>> is_invariant(turning, x.dot**2 + y.dot**2 - x**2 - y**2).holds
    True
    >>> is_invariant(turning, x.dot**2 + 2*y.dot**2).evidence[:14]
    'generator turn'
    """
    parts = {
        f"generator {name}, component {k}": part
        for name, field in zip(action.names, action.generators, strict=True)
        for k, part in enumerate(_change(field, thing), 1)
    }
    return ProofBudget(effort).all_vanish(parts)


def _change(field: VectorField, thing: Expr | VectorField | Form | Endomorphism) -> list[Expr]:
    """Return the components of the Lie derivative."""
    match thing:
        case Expr():
            return [prolonged(field, thing)]
        case VectorField():
            return list(bracket(field, thing).components)
        case Form():
            return list(lie_derivative(field, thing).terms.values())
        case Endomorphism():
            return [entry for row in lie_derivative_of_endomorphism(field, thing).matrix for entry in row]
        case _:
            assert_never(thing)


def prolonged(field: VectorField, function: Expr) -> Expr:
    """Return the derivative of a function of coordinates, velocities, accelerations, ... along the prolonged field.

    On functions of coordinates and velocities this is the complete lift: X^i d_i + (X^i)' d/dq'^i. Where time is a
    coordinate too, and X^t its component, a velocity changes by (X^i)' - q'^i (X^t)'.
    """
    seed = dict(zip(field.chart.coordinates, field.components, strict=True))
    clock = time_derivative(seed.get(symbol(TIME), ZERO))
    highest = max((s.order for s in symbols([function])), default=0)
    for q, component in list(seed.items()):
        node = q
        for _ in range(highest - q.data.order if q.data.role == "variable" else 0):
            node = node.dot
            component = time_derivative(component) - node * clock
            seed.setdefault(node, component)
    return tangent([function], seed)[0]
