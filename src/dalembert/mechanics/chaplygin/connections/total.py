"""The nonholonomic connection on the whole configuration space, and its projection to the base (003, section 4).

Under nabla-bar (``geometry.connections.nonholonomic``) motions obey nabla-bar_{c'} c' = -P(grad V) with c' in D. On the
horizontal lifts X_a of the coordinate fields of the base it projects to the reduced connection nabla~. That is the
definition of nabla~, and the derivation that knows nothing of B and C.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, combinations_with_replacement, product

from dalembert.expr.graph import Expr
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.affine import Cube
from dalembert.geometry.connections.nonholonomic import NonholonomicConnection
from dalembert.geometry.fields import VectorField, bracket, coordinate_field
from dalembert.mechanics.chaplygin.connections.base import AffineBase, Matrix
from dalembert.mechanics.chaplygin.rows import question, vanishing
from dalembert.records import dataclass

_SMALL = 8
"""The most coordinates of Q for which a question on Q is asked of every system."""


def _parts(name: str, field: VectorField) -> dict[str, Expr]:
    pairs = zip(field.chart.coordinates, field.components, strict=True)
    return {f"{name}, along {q!r}": value for q, value in pairs}


# -- on Q ------------------------------------------------------------------------------------------------------
def _leaving(bar: NonholonomicConnection) -> dict[str, Expr]:
    """Return nabla-bar_Z Y - P(nabla_Z Y) for Y in D."""
    return {
        where: value
        for q in bar.chart.coordinates
        for a, y in enumerate(bar.fields)
        for z in [coordinate_field(bar.chart, q)]
        for where, value in _parts(
            f"the derivative of field {a + 1} in the direction {q!r}", bar.derivative(z, y) - bar.within(z, y)
        ).items()
    }


def _metric(bar: NonholonomicConnection) -> dict[str, Expr]:
    """Return Z(g(X, Y)) - g(nabla-bar_Z X, Y) - g(X, nabla-bar_Z Y) for X, Y in D."""
    x, found = bar.fields, {}
    for q in bar.chart.coordinates:
        z = coordinate_field(bar.chart, q)
        moved = [bar.within(z, y) for y in x]
        for a, b in combinations_with_replacement(range(len(x)), 2):
            kept = bar.dot(moved[a], x[b]) + bar.dot(x[a], moved[b])
            found[f"fields {a + 1}, {b + 1} in the direction {q!r}"] = z(bar.dot(x[a], x[b])) - kept
    return found


def _twist(bar: NonholonomicConnection) -> dict[str, Expr]:
    """Return the part of the torsion in D."""
    found: dict[str, Expr] = {}
    for a, b in combinations(range(len(bar.fields)), 2):
        found |= _parts(f"the torsion on fields {a + 1}, {b + 1}", bar.along(bar.torsion_on_basis(a, b)))
    return found


def _across(bar: NonholonomicConnection, moved: Callable[[int, int], VectorField]) -> dict[str, Expr]:
    """Return the part of the symmetric products that leaves D."""
    found: dict[str, Expr] = {}
    for a, b in combinations_with_replacement(range(len(bar.fields)), 2):
        name = f"the symmetric product of fields {a + 1}, {b + 1}"
        found |= _parts(name, bar.across(moved(a, b) + moved(b, a)))
    return found


def _free(bar: NonholonomicConnection, _: ProofBudget) -> Verdict:
    if bar.chart.dimension > _SMALL:
        why = f"it is decided up to {_SMALL} coordinates; beyond, it costs more than the motion itself."
        return Verdict("undecided", why)
    plain, x = bar.levi_civita, bar.fields
    return all_vanish(_across(bar, lambda a, b: plain.derivative(x[a], x[b])), bar.facts)


FREE_MOTIONS = question(
    "free motions obey the constraints",
    "section 4",
    "geodesics of Levi-Civita's connection that start in D stay in it: no constraint forces are needed",
    _free,
)
"""A question on a ``NonholonomicConnection``."""

LAWS = (
    vanishing(
        "nonholonomic connection restricts to D",
        "section 4",
        "nabla-bar_X Y = P(nabla_X Y), in D, for Y in D and any X",
        _leaving,
    ),
    vanishing(
        "nonholonomic connection has D geodesically invariant",
        "section 4",
        "<X : Y> lies in D for X, Y in D",
        lambda bar: _across(bar, lambda a, b: bar.on_basis[a, b]),
    ),
    vanishing(
        "nonholonomic connection is metric on D",
        "Proposition 4.1",
        "Z(g(X, Y)) = g(nabla-bar_Z X, Y) + g(X, nabla-bar_Z Y) for X, Y in D",
        _metric,
    ),
    vanishing(
        "torsion of the nonholonomic connection", "section 4", "for X, Y in D the torsion is orthogonal to D", _twist
    ),
)
"""Identities of every ``NonholonomicConnection``."""


# -- from Q to the base ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Projection:
    """How nabla-bar goes down to the base: ``bar.fields`` are the horizontal lifts of its coordinate fields."""

    bar: NonholonomicConnection
    base: AffineBase
    projection: Sequence[Expr]
    """The base coordinates as functions on Q."""
    generators: Mapping[str, VectorField]

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What the user assumes."""
        return self.bar.facts

    @cached_property
    def above(self) -> _PulledBack:
        """The objects of the base as functions on Q."""
        return _PulledBack.of(self.base, self.projection)

    @property
    def q(self) -> tuple[Expr, ...]:
        """The base coordinates."""
        return self.base.chart.coordinates


def _lifted(one: Projection) -> dict[str, Expr]:
    return {
        f"lift {a + 1} of {one.q[b]!r}": field(f) - (1 if a == b else 0)
        for a, field in enumerate(one.bar.fields)
        for b, f in enumerate(one.projection)
    }


def _carried(one: Projection) -> dict[str, Expr]:
    found: dict[str, Expr] = {}
    for name, generator in one.generators.items():
        for (a, b), value in one.bar.on_basis.items():
            found |= _parts(f"{name} on the directions {one.q[a]!r}, {one.q[b]!r}", bracket(generator, value))
    return found


def _lowered(one: Projection) -> dict[str, Expr]:
    x, q = one.bar.fields, one.q
    return {
        f"g~ on {q[a]!r}, {q[b]!r}": one.bar.dot(x[a], x[b]) - one.above.metric[a][b]
        for a, b in product(range(len(q)), repeat=2)
    }


def _curved(one: Projection) -> dict[str, Expr]:
    own, q = one.bar.metric_connection_tensor, one.q
    return {
        f"K~ on {q[a]!r}, {q[b]!r}, {q[c]!r}": own[a][b][c] - one.above.tensor[a][b][c]
        for a, b, c in product(range(len(q)), repeat=3)
    }


def _down(one: Projection) -> dict[str, Expr]:
    q = one.q
    return {
        f"nabla~ in direction {q[a]!r} of {q[b]!r}, along {q[c]!r}": moved - one.above.reduced[c][a][b]
        for (a, b), value in one.bar.on_basis.items()
        for c, moved in enumerate(value.apply(list(one.projection)))
    }


def _twisted(one: Projection) -> dict[str, Expr]:
    q = one.q
    return {
        f"the torsion on {q[a]!r}, {q[b]!r}, along {q[c]!r}": moved - one.above.torsion[c][a][b]
        for a, b in combinations(range(len(q)), 2)
        for c, moved in enumerate(one.bar.torsion_on_basis(a, b).apply(list(one.projection)))
    }


PROJECTION_LAWS = (
    vanishing(
        "horizontal lifts project", "section 4", "the lifts project to the coordinate fields of the base", _lifted
    ),
    vanishing("reduced metric", "section 4", "g~ is g on horizontal lifts", _lowered),
    vanishing(
        "metric connection tensor", "section 4.1", "K~(X, Y, Z) = -g(X^h, [Y^h, Z^h]) on coordinate fields", _curved
    ),
    vanishing(
        "nonholonomic connection is invariant",
        "Proposition 4.2",
        "nabla-bar_{X^h} Y^h is invariant under the group",
        _carried,
    ),
    vanishing("reduced connection by its definition", "section 4.1", "nabla~_X Y = pi_*(nabla-bar_{X^h} Y^h)", _down),
    vanishing(
        "torsion projects to the base",
        "section 4.1",
        "the torsion of nabla~ is the projection of that of nabla-bar",
        _twisted,
    ),
)
"""Identities of every ``Projection``."""


@dataclass(frozen=True, slots=True)
class _PulledBack:
    """Objects of the base as functions on Q."""

    metric: Matrix
    tensor: Cube
    reduced: Cube
    torsion: Cube

    @classmethod
    def of(cls, base: AffineBase, projection: Sequence[Expr]) -> _PulledBack:
        put = dict(zip(base.chart.coordinates, projection, strict=True))
        cubes = (base.tensor, base.reduced.symbols, base.torsion)
        flat = [e for row in base.metric for e in row] + [
            e for cube in cubes for square in cube for row in square for e in row
        ]
        entries = iter(substitute(flat, put))
        size = range(base.dimension)

        def matrix() -> Matrix:
            return tuple(tuple(next(entries) for _ in size) for _ in size)

        return cls(matrix(), *(tuple(matrix() for _ in size) for _ in cubes))
