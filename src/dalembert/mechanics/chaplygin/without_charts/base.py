"""The base M = Q/G of a system with rotations: rotations, rows of rotations and numbers that no generator moves.

Functions on M are invariant functions on Q. They are read off at one point of each orbit, where numbers that the group
moves are zero and a rotation of which one row is kept is the least one that has this row; one of which nothing is kept
is unturned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr import work
from dalembert.expr.field.alike import Alike
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import vanish
from dalembert.expr.walk import divisors, substitute, symbols
from dalembert.geometry.embedded import (
    EmbeddedManifold,
    euclidean_space,
    least_rotation,
    product_manifold,
    rotation_group,
    sphere,
)
from dalembert.geometry.groups.actions import Action
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.records import dataclass


@dataclass(frozen=True)
class BaseWithoutCharts:
    """M = Q/G, the velocities that move it, and functions of M in place of functions of Q."""

    manifold: EmbeddedManifold
    velocities: tuple[Expr, ...]
    places: tuple[int, ...]
    """Of these among all velocities."""
    section: dict[Expr, Expr]
    """What coordinates and entries that are not functions on M are at one point of each orbit."""

    @property
    def functions(self) -> tuple[Expr, ...]:
        """What M is known by."""
        return self.manifold.chart.coordinates

    @property
    def relations(self) -> tuple[Expr, ...]:
        """What these obey."""
        return self.manifold.relations

    @property
    def configuration(self) -> Mapping[Expr, Expr]:
        """The stated coordinates that are not among those of Q, by these: all are."""
        return {}

    def read(
        self,
        expressions: Sequence[Expr],
        short: Callable[[Expr], Expr],
        glance: Callable[[Expr], Expr] | None = None,
        alike: Alike | None = None,
    ) -> list[Expr]:
        """Return invariant functions on Q as functions on M, or raise ``ExpressionError`` where that is too long.

        A ``glance``, which is cheaper than ``short``, sees whether a function is one on M without a section. At the
        section functions look different that are ``alike`` on Q: it turns two rows of a rotation by the third.
        """
        return [self._read(e, short, glance or short, alike) for e in expressions]

    def _read(
        self, expression: Expr, short: Callable[[Expr], Expr], glance: Callable[[Expr], Expr], alike: Alike | None
    ) -> Expr:
        first, moved = glance(expression), {x.data for x in self.section}
        if symbols([first]).isdisjoint(moved):
            return first
        known = None if alike is None else alike.form(first)
        if known is not None and symbols([known[0]]).isdisjoint(moved):
            work.charge(known[1])
            return known[0]
        began = work.done()
        (there,) = substitute([first], self.section)
        found = short(there)
        if found is not there:  # what a search has made of a long formula it makes shorter when it begins there
            found = short(found)
        poles = set(divisors(self.section.values()))
        if poles.isdisjoint(divisors([found])):
            if alike is not None:
                alike.remember(first, found, work.done() - began)
            return found
        if glance is not short:
            return self._read(expression, short, short, alike)
        # those of the section, which the function does not have
        raise ExpressionError("a function on Q/G was not written by rows of rotations within the limit of work.")


def base_of(
    framed: Framed, action: Action, generators: Sequence[Sequence[Expr]], *, point: bool = False
) -> BaseWithoutCharts | list[Fault]:
    """Return Q/G, or why it is none of the manifolds that are known here; it may be one ``point`` if that is said."""
    whole = framed.manifold
    fixed = {x for x in whole.chart.coordinates if _unmoved(framed, x, generators)}
    factors: list[EmbeddedManifold] = []
    velocities: list[Expr] = []
    section: dict[Expr, Expr] = {}
    starts = {next(iter(point.body)): point for point in framed.frame.rotations}
    for u in framed.velocities:
        if u in starts:
            rows = framed.frame.rows(starts[u])
            kept = [k for k, row in enumerate(rows) if fixed.issuperset(row)]
            if len(kept) == 3:
                factors.append(rotation_group(rows))
            elif len(kept) == 1:
                factors.append(sphere(rows[kept[0]]))
                section |= least_rotation(rows, kept[0])
            elif not kept:  # the group turns it as it likes: it is no part of the base
                section |= {m: ONE if i == j else ZERO for i, row in enumerate(rows) for j, m in enumerate(row)}
                continue
            velocities += starts[u].body
        elif u in framed.frame.positions and framed.frame.positions[u] in fixed:
            factors.append(euclidean_space([framed.frame.positions[u]]))
            velocities.append(u)
        elif u in framed.frame.positions:
            section[framed.frame.positions[u]] = ZERO
    if not factors and not point and whole.dimension == action.dimension:
        return [
            Fault(
                "[symmetry]",
                "nothing is left of Q when the group is divided out",
                "state fewer generators",
                kind="directions",
            )
        ]
    manifold = product_manifold(*factors)
    if manifold.dimension != whole.dimension - action.dimension:
        what = (
            "no coordinates on Q/G are known: it is not made of rows of rotations and of coordinates that stand still"
        )
        return [
            Fault(
                "[symmetry]",
                what,
                "state generators that move single coordinates, or turn about an axis of space",
                kind="base",
            )
        ]
    places = tuple(framed.velocities.index(w) for w in velocities)
    return BaseWithoutCharts(manifold, tuple(velocities), places, section)


def _unmoved(framed: Framed, function: Expr, generators: Sequence[Sequence[Expr]]) -> bool:
    return vanish([framed.manifold.along(e, [function])[0] for e in generators], framed.facts)
