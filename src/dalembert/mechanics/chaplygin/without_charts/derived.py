"""What the formalism ``chaplygin`` returns for a system with rotations: the reduced motion, without charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.reduction import constants_table, table
from dalembert.mechanics.chaplygin.without_charts.base import base_of
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed, examine
from dalembert.mechanics.chaplygin.without_charts.measure import MeasureWithoutCharts
from dalembert.mechanics.chaplygin.without_charts.reduction import ReductionWithoutCharts, reduce_without_charts
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.lagrangian.linear_terms import invariantly_stated
from dalembert.mechanics.lagrangian.on_spheres import unit_projection
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

_SHORTENING = 1.0
"""Work for the short formulas of what is shown."""


@dataclass(frozen=True, repr=False)
class ChaplyginWithoutCharts(Derived):
    """The reduced motion on rotations, rows of rotations and numbers, and the geometry that makes it.

    >>> body = System.of(name="body", coordinates={"R": "rotation"}, constraints={"no_turn": "R.s3 = 0"},
    ...     parameters="A B C", lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2", symmetry={"turn": {"R": "left 3"}})
    >>> found = derive_without_charts(body)
    >>> found.reduction.manifold.chart.coordinates, found.reduction.manifold.dimension
    ((R.m31, R.m32, R.m33), 2)
    """

    system: System
    reduction: ReductionWithoutCharts
    equations: Equations
    hypotheses: tuple[Claim, ...] = ()

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.reduction.action.names)

    @property
    def energy(self) -> Expr:
        """E, by functions on M and velocities."""
        return self.reduction.energy

    @cached_property
    def measure(self) -> MeasureWithoutCharts | None:
        """The record of invariant measures; nothing is decided yet. None where other forces act."""
        return MeasureWithoutCharts(self.reduction) if not self.system.stated_forces else None

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON: components along the velocities."""
        return dict(self._objects)

    @cached_property
    def _objects(self) -> dict[str, object]:
        r = self.reduction
        short = SimplificationBudget(_SHORTENING, modulo=r.manifold.relations)
        names = [w.data.label for w in r.velocities]
        every = [u.data.label for u in r.framed.velocities]
        found: dict[str, object] = {
            "structure_constants": constants_table(r.action),
            "base": [x.data.label for x in r.manifold.chart.coordinates],
            "connection": table(r.connection, self.group, every),
            "horizontal_lift": table(r.fields, names, every),
            "reduced_lagrangian": short(r.reduced_lagrangian),
            "energy": short(r.energy),
            "reduced_metric": table(r.velocity_metric, names, names),
            "gyroscopic_form": dict(zip(names, short.all(r.gyroscopic), strict=True)),
            "gyroscopic_two_form": table([short.all(row) for row in r.two_form], names, names),
        }
        return {**found, **({} if self.measure is None else self.measure.objects())}


def derive_without_charts(system: System) -> ChaplyginWithoutCharts:
    """Return the reduced dynamics of a system with rotations, or raise ``HypothesisError`` with every reason."""
    system, restated = invariantly_stated(system)
    framed = Framed(TangentFrame(system))
    found = examine(framed)
    if found.action is None:
        raise refusal("chaplygin", found.faults)
    base = base_of(framed, found.action, found.generators)
    if isinstance(base, list):
        raise refusal("chaplygin", base)
    try:
        reduction = reduce_without_charts(framed, found.action, found.generators, base)
        if isinstance(reduction, list):
            raise refusal("chaplygin", reduction)
        equations = _motion(reduction)
    except ExpressionError as error:
        why = Fault(
            "", str(error).removesuffix("."), "use nonholonomic, or state the rotations by angles", kind="written"
        )
        raise refusal("chaplygin", [why]) from error
    return ChaplyginWithoutCharts(system, reduction, equations, (*restated, *found.claims, _base(reduction)))


def _motion(reduction: ReductionWithoutCharts) -> Equations:
    """Return the equations of motion; the rotations themselves are among the state, entries of them in the formulas."""
    framed, w = reduction.framed, reduction.velocities
    frame, system = framed.frame, framed.system
    mass, force = reduction.equations
    rank = generic_rank(mass, reduction.facts)
    if rank.rank < len(mass):
        what = f"the reduced Lagrangian L* is not regular: its Hessian has rank {rank.rank} of {len(mass)}"
        raise refusal(
            "chaplygin", [Fault("lagrangian", what, "it does not determine the motion on Q/G", kind="regular")]
        )
    along = [dot(w, column) for column in zip(*reduction.fields, strict=True)]
    fibre = _lifted(frame, dict(zip(framed.velocities, along, strict=True)), w)
    size, opened = len(w), frame.opened(along)
    turned = {one for point in frame.rotations for one in point.body}
    flat = frame.opened([*(e for row in mass for e in row), *force, reduction.energy, *fibre.values()])
    return equations_of(
        system,
        "chaplygin",
        kinematics={q: rate for q, rate in frame.kinematics.items() if q not in fibre},
        velocities=w,
        speeds={one: system.speeds[one] for one in w if one in system.speeds},
        mass=tuple(tuple(flat[i * size : (i + 1) * size]) for i in range(size)),
        force=tuple(flat[size * size : size * (size + 1)]),
        reconstruction=dict(zip(fibre, flat[size * (size + 1) + 1 :], strict=True)),
        monitors={"energy": flat[size * (size + 1)]},
        projection=_projection(reduction),
        named=frame.entries,
        turning={
            one: one if one in w else rate for one, rate in zip(framed.velocities, opened, strict=True) if one in turned
        },
    )


def _lifted(frame: TangentFrame, along: Mapping[Expr, Expr], moving: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the rates of coordinates that are no part of the base, by entries and the velocities of the base."""
    found = {}
    for q, rate in frame.kinematics.items():
        rates = symbols([rate])
        if not any(u.data in rates for u in moving):
            (found[q],) = substitute([rate], along)
    return found


def _projection(reduction: ReductionWithoutCharts) -> tuple[dict[Expr, Expr], ...]:
    """Return what brings rotations back to unit length, and velocities to kappa w = 0."""
    frame, w = reduction.framed.frame, reduction.velocities
    turned: dict[Expr, Expr] = {}
    for kappa in reduction.multiples:
        off = dot(kappa, w) / reduction.short(dot(kappa, kappa))
        turned |= {v: total([(-1, k * off)]) for v, k in zip(w, kappa, strict=True) if k is not ZERO}
    units = unit_projection(frame)
    if not turned:
        return units
    opened = dict(zip(turned, frame.opened(list(turned.values())), strict=True))
    return (*units, opened)


def _base(reduction: ReductionWithoutCharts) -> Claim:
    """Say what Q/G is known by, and decide that no generator moves it."""
    functions = reduction.manifold.chart.coordinates
    names = ", ".join(x.data.label for x in functions)
    said = f"Q/G, of dimension {reduction.manifold.dimension}, is known by {names}, which no generator moves"
    whole = reduction.framed.manifold
    parts: dict[str, Expr] = {}
    for name, generator in zip(reduction.action.names, reduction.generators, strict=True):
        rates = whole.along(generator, list(functions))
        parts |= {f"{x.data.label} under {name}": rate for x, rate in zip(functions, rates, strict=True)}
    return Claim("base coordinates", said, "hypothesis", all_vanish(parts, reduction.framed.facts))
