"""Manifolds without charts: functions on them that obey relations, and fields that span their tangent spaces.

A sphere has no coordinates that cover it, and no frame. It has functions x_i, with x_i x_i = 1, and more fields Y_a
than its dimension: [Y_a, Y_b] = c_ab^g Y_g, and nu^a Y_a = 0 for the ``normals`` nu. Tensors are known by their values
on the fields, where the usual formulas hold,

    df(Y_a) = Y_a(f),    (d beta)(Y_a, Y_b) = Y_a(beta_b) - Y_b(beta_a) - c_ab^g beta_g,

and a metric g_ab, which nu annihilates, is inverted as g + nu nu^T. A group has a frame of invariant fields and no
normals. The fields have no divergence with respect to the invariant volume, so that of v^a Y_a is Y_a(v^a).

What is decided is decided by ``truth``, whose facts on spheres and rotations go with a manifold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, combinations_with_replacement

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import log
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, number, product, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.truth import Embedded, Fact, Facts, RotationMatrix, Sphere, Verdict, constant, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.truth.signs import never_zero_on_sphere
from dalembert.expr.walk import divisors, postorder, symbols
from dalembert.geometry.constants import constant_combination
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.matrices import dot
from dalembert.records import dataclass

Components = Sequence[Expr]
"""Of a field or a 1-form, one for each of the spanning fields."""
Constants = tuple[tuple[tuple[Expr, ...], ...], ...]
_AXES = [(2, 1), (0, 2), (1, 0)]
"""The planes in which the fields x times e_a turn."""
_TIDYING = 0.3
"""Work for a short denominator."""


@dataclass(frozen=True)
class EmbeddedManifold:
    """Functions and spanning fields; see the head of this file.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> ball = sphere((x, y, z))
    >>> ball.dimension, len(ball.fields), ball.differential(z)
    (2, 3, [-y, x, 0])
    """

    chart: Chart
    """The functions that points are known by, which may be more than the dimension."""
    fields: tuple[VectorField, ...]
    constants: Constants
    """c_ab^g by [a][b][g]."""
    dimension: int
    normals: tuple[tuple[Expr, ...], ...] = ()
    facts: tuple[Fact, ...] = ()
    """What the functions obey."""
    circles: tuple[Expr, ...] = ()
    """Angles among the functions: closed forms need not be exact around them."""

    @property
    def relations(self) -> tuple[Expr, ...]:
        """What is zero on the manifold, for short formulas."""
        return tuple(relation for fact in self.facts if isinstance(fact, Embedded) for relation in fact.relations)

    # -- calculus ----------------------------------------------------------------------------------------------
    def differential(self, function: Expr) -> list[Expr]:
        """Return Y_a(f)."""
        return [field(function) for field in self.fields]

    def along(self, components: Components, functions: Sequence[Expr]) -> list[Expr]:
        """Return the derivatives of functions along v^a Y_a."""
        parts = [field.apply(functions) for field in self.fields]
        return [dot(components, [part[k] for part in parts]) for k in range(len(functions))]

    def bracket(self, left: Components, right: Components) -> list[Expr]:
        """Return the components of [v, w] for v = v^a Y_a and w = w^b Y_b."""
        there, back = self.along(left, list(right)), self.along(right, list(left))
        size = range(len(self.fields))
        pairs = [(a, b) for a in size for b in size if left[a] is not ZERO and right[b] is not ZERO]
        return [
            total(
                [(1, there[g]), (-1, back[g]), *((1, self.constants[a][b][g] * left[a] * right[b]) for a, b in pairs)]
            )
            for g in size
        ]

    def exterior(self, form: Components) -> dict[tuple[int, int], Expr]:
        """Return (d beta)(Y_a, Y_b) for a < b."""
        slopes = [field.apply(list(form)) for field in self.fields]
        return {
            (a, b): total([(1, slopes[a][b]), (-1, slopes[b][a]), (-1, dot(self.constants[a][b], form))])
            for a, b in combinations(range(len(self.fields)), 2)
        }

    def divergence(self, components: Components, density: Expr = ONE) -> Expr:
        """Return what density times the invariant volume gains along v^a Y_a, as a multiple of that volume."""
        return total([(1, field(density * v)) for field, v in zip(self.fields, components, strict=True)])

    def completed(self, metric: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
        """Return g + nu nu^T, which is regular where g is on the manifold."""
        size = range(len(self.fields))
        return [[total([(1, metric[a][b]), *((1, nu[a] * nu[b]) for nu in self.normals)]) for b in size] for a in size]

    # -- 1-forms -----------------------------------------------------------------------------------------------
    def is_form(self, form: Components) -> Verdict:
        """Decide whether values on the spanning fields are those of a 1-form: what vanishes has to have value 0."""
        return all_vanish({f"normal {k}": dot(nu, form) for k, nu in enumerate(self.normals, 1)}, self.facts)

    def closed(self, form: Components) -> Verdict:
        """Decide whether d beta = 0.

        >>> x, y, z = (symbol(n) for n in "xyz")
        >>> ball = sphere((x, y, z))
        >>> ball.closed(ball.differential(x*y)).holds, ball.closed([z*f for f in ball.differential(x)]).holds
        (True, False)
        """
        return all_vanish(
            {f"d beta on fields {a + 1}, {b + 1}": e for (a, b), e in self.exterior(form).items()}, self.facts
        )

    def exact(self, form: Components, found: Expr | None = None, *, whole: bool | None = None) -> Verdict:
        """Decide whether a 1-form is a differential: by a function that was found, or since there are no circles.

        For the latter it has to be defined on the ``whole`` manifold: around a pole it may be closed and not exact.
        Where that is not said, it is looked whether what the form divides by is shown to have no zero.
        """
        closed = self.closed(form)
        if closed.holds is not True:
            return closed
        if found is not None and not any(angle.data in symbols([found]) for angle in self.circles):
            slopes = self.differential(found)
            parts = {f"along field {a + 1}": s - b for a, (s, b) in enumerate(zip(slopes, form, strict=True))}
            verdict = all_vanish(parts, self.facts)
            if verdict.holds:
                said = f"it is the differential of a function; {verdict.evidence}"
                return Verdict(verdict.kind, said, verdict.error_bits)
        if self.circles:
            return Verdict("undecided", "it is closed, but its integrals around circles are not known.")
        if not (self._is_defined(form) if whole is None else whole):
            return Verdict(
                "undecided", "it is closed, but its integrals around points where it has no value may not be 0."
            )
        why = "it is closed, and on spheres and rotations closed 1-forms are exact"
        return Verdict(closed.kind, f"{why}; {closed.evidence}", closed.error_bits)

    def _is_defined(self, form: Components) -> bool:
        """Say whether a 1-form is shown to have a value everywhere."""
        if any(node.op not in {"number", "symbol", "sum", "product"} for node in postorder(form)):
            return False
        vectors = [v for fact in self.facts if isinstance(fact, Embedded) for v in fact.unit_vectors]
        return all(never_zero_on_sphere(base, vectors) for base in divisors(form))


# -- the manifolds -------------------------------------------------------------------------------------------------
def sphere(coordinates: Sequence[Expr]) -> EmbeddedManifold:
    """Return the unit sphere, with the fields of rotations: on the ordinary one Y_a(x) = x times e_a.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> sphere((x, y, z)).fields[0].components
    (0, z, -y)
    """
    if len(coordinates) < 3:
        raise ExpressionError("a sphere without charts has at least three coordinates; a circle is an angle.")
    x, size = tuple(coordinates), len(coordinates)
    planes = _AXES if size == 3 else list(combinations(range(size), 2))
    chart = Chart(x)
    fields = tuple(VectorField.of(chart, {x[j]: x[i], x[i]: -x[j]}) for i, j in planes)
    normals = tuple(_normal(x, planes, three) for three in combinations(range(size), 3))
    return EmbeddedManifold(chart, fields, _turning(planes), size - 1, normals, (Sphere(x),))


def _normal(x: Sequence[Expr], planes: Sequence[tuple[int, int]], three: tuple[int, int, int]) -> tuple[Expr, ...]:
    """Return nu with nu^a Y_a = 0 from x_i (x_j d_k - x_k d_j) + (cyclic) = 0."""
    i, j, k = three
    found = [ZERO] * len(planes)
    for one, (a, b) in ((i, (j, k)), (j, (k, i)), (k, (i, j))):
        if (a, b) in planes:
            found[planes.index((a, b))] = x[one]
        else:
            found[planes.index((b, a))] = -x[one]
    return tuple(found)


def _turning(planes: Sequence[tuple[int, int]]) -> Constants:
    """Return the structure constants of the fields x_i d_j - x_j d_i: [L_ij, L_kl] = d_jk L_il + ... ."""

    def plane(i: int, j: int) -> list[int]:
        return [1 if p == (i, j) else -1 if p == (j, i) else 0 for p in planes]

    def entry(one: tuple[int, int], two: tuple[int, int]) -> tuple[Expr, ...]:
        (i, j), (k, m) = one, two
        terms = [(j == k, plane(i, m)), (i == m, plane(j, k)), (-(i == k), plane(j, m)), (-(j == m), plane(i, k))]
        return tuple(number(sum(sign * part[g] for sign, part in terms)) for g in range(len(planes)))

    return tuple(tuple(entry(one, two) for two in planes) for one in planes)


def rotation_group(entries: Sequence[Sequence[Expr]], *, left: bool = True) -> EmbeddedManifold:
    """Return the group of rotations, with the left-invariant fields, R' = R hat(w), or the right-invariant ones.

    >>> m = [[symbol(f"m{i}{j}") for j in "123"] for i in "123"]
    >>> body, space = rotation_group(m), rotation_group(m, left=False)
    >>> body.fields[0](m[2][1]), body.constants[0][1], space.fields[0](m[2][1]), space.constants[0][1]
    (m33, (0, 0, 1), m22, (0, 0, -1))
    """
    flat = tuple(m for row in entries for m in row)
    chart, sign = Chart(flat), 1 if left else -1
    vectors = entries if left else list(zip(*entries, strict=True))
    turns = [sphere(vector).fields for vector in vectors]
    rates = [{m: sign * field[a](m) for v, field in zip(vectors, turns, strict=True) for m in v} for a in range(3)]
    fields = tuple(VectorField.of(chart, rate) for rate in rates)
    constants = tuple(tuple(tuple(sign * c for c in row) for row in part) for part in _turning(_AXES))
    return EmbeddedManifold(chart, fields, constants, 3, (), (RotationMatrix(flat),))


def least_rotation(rows: Sequence[Sequence[Expr]], kept: int) -> dict[Expr, Expr]:
    """Return the other entries of the least rotation that has a given row; of columns, of the matrix transposed.

    It has no value where the entry of the row on the diagonal is -1.

    >>> from dalembert.expr.graph import symbol
    >>> rows = [[symbol(f"m{i}{j}") for j in (1, 2, 3)] for i in (1, 2, 3)]
    >>> least_rotation(rows, 2)[rows[0][1]]
    -m31*m32/(m33 + 1)
    """
    turn = [(kept + k) % 3 for k in (1, 2, 3)]  # the row stands last
    a, b, c = (rows[kept][j] for j in turn)
    below = 1 + c
    values = [
        [1 - product([(a, 2), (below, -1)]), -product([(a, 1), (b, 1), (below, -1)]), -a],
        [-product([(a, 1), (b, 1), (below, -1)]), 1 - product([(b, 2), (below, -1)]), -b],
    ]
    return {rows[turn[i]][turn[j]]: values[i][j] for i in range(2) for j in range(3)}


def euclidean_space(coordinates: Sequence[Expr]) -> EmbeddedManifold:
    """Return real numbers and angles, each with its own field.

    >>> euclidean_space([symbol("s"), symbol("phi", domain="angle")]).circles
    (phi,)
    """
    chart = Chart(tuple(coordinates))
    size = range(chart.dimension)
    fields = tuple(VectorField.of(chart, {q: ONE}) for q in coordinates)
    constants = tuple(tuple((ZERO,) * chart.dimension for _ in size) for _ in size)
    circles = tuple(q for q in coordinates if q.data.domain == "angle")
    return EmbeddedManifold(chart, fields, constants, chart.dimension, circles=circles)


def product_manifold(*factors: EmbeddedManifold) -> EmbeddedManifold:
    """Return the product of manifolds; the fields of each factor stand still on the others.

    >>> x, y, z, s = (symbol(n) for n in "xyzs")
    >>> tube = product_manifold(sphere((x, y, z)), euclidean_space([s]))
    >>> tube.dimension, len(tube.fields), tube.normals
    (3, 4, ((-x, -y, -z, 0),))
    """
    chart = Chart(tuple(q for one in factors for q in one.chart.coordinates))
    fields = [
        VectorField.of(chart, dict(zip(f.chart.coordinates, f.components, strict=True)))
        for m in factors
        for f in m.fields
    ]
    size, at = len(fields), 0
    table = [[[ZERO] * size for _ in range(size)] for _ in range(size)]
    normals = []
    for one in factors:
        inner = range(len(one.fields))
        for a in inner:
            for b in inner:
                table[at + a][at + b][at : at + len(one.fields)] = one.constants[a][b]
        after = [ZERO] * (size - at - len(one.fields))
        normals += [(*[ZERO] * at, *nu, *after) for nu in one.normals]
        at += len(one.fields)
    return EmbeddedManifold(
        chart,
        tuple(fields),
        tuple(tuple(map(tuple, row)) for row in table),
        sum(one.dimension for one in factors),
        tuple(normals),
        tuple(fact for one in factors for fact in one.facts),
        tuple(q for one in factors for q in one.circles),
    )


def area_form(ball: EmbeddedManifold) -> dict[tuple[int, int], Expr]:
    """Return the area form of the ordinary sphere on its spanning fields, sigma(Y_a, Y_b) for a < b.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> area_form(sphere((x, y, z)))[0, 1]
    z
    """
    if len(ball.fields) != 3 or len(ball.normals) != 1:
        raise ExpressionError("the area form is that of the ordinary sphere.")
    x = ball.chart.coordinates
    return {(0, 1): x[2], (0, 2): -x[1], (1, 2): x[0]}


# -- potentials ----------------------------------------------------------------------------------------------------
def potential_on(
    manifold: EmbeddedManifold, form: Components, hints: Sequence[Expr] = (), among: Sequence[Expr] | None = None
) -> Expr | None:
    """Return a function whose differential is a 1-form, or None where none was found.

    It is looked for among logarithms of ``hints`` and of what the form divides by, and polynomials of low degree in the
    functions of the manifold, or some of them.

    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> ball = sphere((x, y, z))
    >>> potential_on(ball, ball.differential(log(2 + x*y) + 3*z))
    3*z + log(x*y + 2)
    """
    if vanish(list(form), manifold.facts):
        return ZERO
    tried: list[Expr] = []
    for more in _candidates(manifold, form, hints, among):
        tried += _new(manifold, tried, more)
        found = _fitted(manifold, form, tried)
        if found is not None:
            return found
    return None


def _candidates(
    manifold: EmbeddedManifold, form: Components, hints: Sequence[Expr], among: Sequence[Expr] | None
) -> Iterator[list[Expr]]:
    x = manifold.chart.coordinates if among is None else among
    present = [q for q in x if q.data in symbols([*form, *hints])]
    yield [log(hint) for hint in hints]
    inside = {q.data for q in manifold.chart.coordinates if q not in x}
    below = dict.fromkeys(tidy(base, _TIDYING, modulo=manifold.relations) for base in divisors(form))
    varying = [base for base in below if constant(base, manifold.facts).holds is False]
    yield [log(base) for base in varying if inside.isdisjoint(symbols([base]))]
    yield list(present)
    yield [a * b for a, b in combinations_with_replacement(present, 2)]
    moved = [k for k, e in enumerate(form) if e is not ZERO]
    rest = [q for q in x if q not in present]  # the differential of z on a sphere is (-y, x, 0): it does not contain z
    yield [q for q in rest if any(manifold.differential(q)[k] is not ZERO for k in moved)]


def _new(manifold: EmbeddedManifold, old: Sequence[Expr], more: Sequence[Expr]) -> list[Expr]:
    """Return functions whose differentials are independent, with numbers, of each other and of those before."""
    found: list[Expr] = []
    for function in more:
        slopes = [_on(manifold, manifold.differential(f)) for f in (*old, *found, function)]
        if not any(relation[-1] for relation in constant_null_space(slopes).basis):
            found.append(function)
    return found


def _fitted(manifold: EmbeddedManifold, form: Components, candidates: Sequence[Expr]) -> Expr | None:
    if not candidates:
        return None
    columns = [_on(manifold, manifold.differential(c)) for c in candidates]
    target = _on(manifold, form)
    names = symbols([*target, *(e for column in columns for e in column)])
    moving = [symbol(s) for s in names if s.role != "parameter"]
    weights = constant_combination(target, columns, moving)
    if weights is None:
        return None
    found = total([(1, w * c) for w, c in zip(weights, candidates, strict=True)])
    parts = [s - b for s, b in zip(manifold.differential(found), form, strict=True)]
    return found if vanish(parts, manifold.facts) else None


def _on(manifold: EmbeddedManifold, values: Components) -> list[Expr]:
    """Return values at the points of a manifold, by independent variables."""
    return Facts.of(manifold.facts).apply(list(values))
