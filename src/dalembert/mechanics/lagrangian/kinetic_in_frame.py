"""Curvature of the kinetic metric of bodies in space, in the frame of their velocities: no angles, no chart.

A rotation has its angular velocities in the body, whose fields obey [X_a, X_b] = e_abc X_c; all other coordinates have
their own. Names of components are those of angular velocities, or of coordinates.

The sphere of a direction n has no frame, but beside a line it has: on all vectors r n with r > 0 there are E_i = r d_i,

    E_i(n_j) = d_ij - n_i n_j,    [E_i, E_j] = n_i E_j - n_j E_i,

in which functions of n are what they are on the sphere. With T u = u - n (n u) and the metric T^T M T + n n^T the line,
log r, is a flat factor: the sphere r = 1 bends as if there were no line, and curvature does not see it. So the symbols
are those of motions on the sphere, and tensors are those of Q on velocities with n n' = 0, zero along n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.in_frame import DistributionInFrame, FrameMetric, MovingFrame
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import points_of
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.system import System
from dalembert.records import dataclass

_EFFORT = 0.6
_NEXT = ((1, 2), (2, 0), (0, 1))


@dataclass(frozen=True)
class KineticGeometryInFrame:
    """A metric and a potential on Q in the frame of velocities, with rows that span the allowed ones."""

    tangent: TangentFrame
    metric: FrameMetric
    potential: Expr
    within: DistributionInFrame | None = None

    @property
    def names(self) -> list[str]:
        """Angular velocities, and coordinates."""
        return [self.tangent.positions.get(u, u).data.label for u in self.tangent.velocities]

    @cached_property
    def steepest(self) -> list[Expr]:
        """Grad V."""
        frame = self.metric.frame
        slopes = [frame.along(frame.unit(i), [self.potential])[0] for i in frame.size]
        return solve([list(row) for row in self.metric.metric], slopes)

    def motions_are_geodesics(self, speeds: Sequence[Expr], rates: Sequence[Expr], proofs: ProofBudget) -> Verdict:
        """Decide u^c' = -Gamma_ab^c u^a u^b - (grad V)^c for velocities that change at given rates, P of it if held.

        Rates may be by coordinates alone, without the names of entries.
        """
        bent, pull = self.metric.symbols, self.steepest
        if self.within is not None:
            bent, pull = self.within.symbols, self.within.parts(self.steepest)
        pairs = [(speeds[a] * speeds[b], bent[a, b]) for a, b in product(range(len(speeds)), repeat=2)]
        own = [total([(1, pull[c]), *((1, w * row[c]) for w, row in pairs)]) for c in range(len(speeds))]
        gaps = self.tangent.opened([a + b for a, b in zip(own, rates, strict=True)])
        parts = {f"the rate of {u.data.label}": gap for u, gap in zip(speeds, gaps, strict=True)}
        return proofs.all_vanish(parts, points_of(self.tangent.system))

    def objects(self) -> dict[str, Any]:
        """Return what there is by the names of the JSON, by entries of rotations; what vanishes is left out."""
        names, size, facts = self.names, self.metric.frame.size, self.tangent.facts
        short = SimplificationBudget(_EFFORT, largest=400, modulo=self.tangent.relations)

        def told(table: Mapping[str, Expr]) -> dict[str, Expr]:
            kept = {name: value for name, value in table.items() if not vanish([value], facts)}
            return dict(zip(kept, short.all(list(kept.values())), strict=True))

        metric, scalar = self.metric, self.metric.scalar
        found: dict[str, Any] = {
            "christoffel_symbols": told(
                {
                    f"{names[c]}: {names[a]}, {names[b]}": value
                    for (a, b), row in metric.symbols.items()
                    for c, value in enumerate(row)
                }
            ),
            "sectional_curvature": told(
                {f"{names[a]}, {names[b]}": metric.sectional(a, b) for a, b in combinations(size, 2)}
            ),
            "ricci_tensor": told({f"{names[a]}, {names[b]}": metric.ricci(a, b) for a in size for b in size if a <= b}),
            "scalar_curvature": ZERO if vanish([scalar], facts) else short.all([scalar])[0],
        }
        if self.within is None:
            return found
        bar, free = self.within, range(len(self.within.rows))
        return {
            **found,
            "allowed_fields": {str(k): dict(zip(names, row, strict=True)) for k, row in enumerate(bar.rows, 1)},
            "nonholonomic_connection": told(
                {
                    f"{c + 1}: {a + 1}, {b + 1}": value
                    for (a, b), row in bar.symbols.items()
                    for c, value in enumerate(row)
                }
            ),
            "nonholonomic_torsion": told(
                {
                    f"{name}: {a + 1}, {b + 1}": value
                    for a, b in combinations(free, 2)
                    for name, value in zip(names, bar.torsion(a, b), strict=True)
                }
            ),
            "nonholonomic_curvature": told(
                {
                    f"{d + 1}: {a + 1}, {b + 1}, {c + 1}": value
                    for a, b in combinations(free, 2)
                    for c in free
                    for d, value in enumerate(bar.curvature(a, b, c))
                }
            ),
        }


def kinetic_geometry_in_frame(system: System) -> KineticGeometryInFrame:
    """Return the geometry of L = T - V of a system with rotations, or raise ``HypothesisError`` with what is missing.

    >>> top = System.of(name="top", coordinates={"R": "rotation"}, lagrangian="(R.w1^2 + R.w2^2 + R.w3^2)/2")
    >>> kinetic_geometry_in_frame(top).objects()["scalar_curvature"]
    3/2
    """
    tangent = TangentFrame(system)
    u, lagrangian = tangent.velocities, tangent.lagrangian
    mass = [tuple(row) for row in hessian(lagrangian, u)]
    slopes = tangent.on_tangents(substitute(gradient(lagrangian, u), dict.fromkeys(u, ZERO)))
    potential = -substitute([lagrangian], dict.fromkeys(u, ZERO))[0]
    bent = depends_on([e for row in mass for e in row], [*u, symbol(TIME)], tangent.facts)
    if bent or depends_on([potential], [symbol(TIME)]) or not vanish(slopes, tangent.facts):
        what = "it is not T - V with T quadratic in the velocities and without time"
        raise refusal("geometry", [Fault("lagrangian", what, "only that has a kinetic metric")])
    short: Callable[[Iterable[Expr]], list[Expr]] = list
    inside: tuple[tuple[Expr, ...], ...] = ()
    if tangent.directions:
        short = SimplificationBudget(_EFFORT, largest=400, modulo=tangent.relations).all
        inside, lines = tuple(tuple(short(row)) for row in _on_spheres(tangent, mass)), tangent.unit_rows
        mass = [
            tuple(short(total([(1, e), *((1, n[a] * n[b]) for n in lines)]) for b, e in enumerate(row)))
            for a, row in enumerate(inside)
        ]
    if generic_rank(mass, tangent.facts).rank < len(mass):
        what, remedy = "the kinetic metric is degenerate", "a connection needs one that is not"
        raise refusal("geometry", [Fault("lagrangian", what, f"{remedy}; see whether a velocity is missing")])
    return KineticGeometryInFrame(tangent, FrameMetric(_moving(tangent), tuple(mass), inside, short), potential)


def _on_spheres(tangent: TangentFrame, mass: Sequence[Sequence[Expr]]) -> tuple[tuple[Expr, ...], ...]:
    """Return T^T M T."""
    half = [tangent.on_tangents(row) for row in mass]
    return tuple(zip(*(tangent.on_tangents(list(column)) for column in zip(*half, strict=True)), strict=True))


def _moving(tangent: TangentFrame) -> MovingFrame:
    """Return the frame of velocities with what its fields do, and their brackets."""
    width = len(tangent.velocities)
    structure: dict[tuple[int, int], tuple[Expr, ...]] = {}
    moves = [dict(one) for one in tangent.fields]
    for point in tangent.directions:
        n = point.components
        places = [tangent.velocities.index(q.dot) for q in n]
        for i, place in enumerate(places):
            along = [total([(1, ONE if i == j else ZERO), (-1, n[i] * q)]) for j, q in enumerate(n)]
            moves[place] = dict(zip(n, along, strict=True))
        for i, j in combinations(range(3), 2):
            parts = {places[j]: n[i], places[i]: -n[j]}
            structure[places[i], places[j]] = tuple(parts.get(k, ZERO) for k in range(width))
    for at in tangent.axes:
        for k, (i, j) in enumerate(_NEXT):
            structure[at[i], at[j]] = tuple(ONE if one == at[k] else ZERO for one in range(width))
    return MovingFrame(tuple(moves), structure)
