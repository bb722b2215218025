"""Curvature of the kinetic metric, and of the nonholonomic connection of linear constraints, of systems of any size.

What formalisms show of it without being asked is limited by size; here it is what somebody asked for.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from dalembert.errors import Fault, expect
from dalembert.expr.calculus import jacobian
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.adapted_frames import certified_frames
from dalembert.geometry.connections.in_frame import DistributionInFrame
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.kinetic_in_frame import KineticGeometryInFrame, kinetic_geometry_in_frame
from dalembert.mechanics.lagrangian.kinetic_metric import KineticGeometry, kinetic_geometry
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.nonholonomic.on_spheres import certified_speeds, constraint_rows
from dalembert.model.repeated import repeated
from dalembert.model.system import System

_EFFORT = 0.6


def kinetic_objects(system: System) -> dict[str, object]:
    """Return Christoffel's symbols, curvatures, Ricci's tensor, and what the constraints make of the connection.

    With linear constraints also the fields X_1, X_2, ... that span the allowed velocities, and by their numbers the
    nonholonomic connection, nabla-bar_{X_a} X_b = Gamma_ab^c X_c under "c: a, b", its torsion and its curvature. With
    others there is none, and a sentence says so in its place. With rotations all this is in the frame of their angular
    velocities in the body, of which nabla_{R.w1} R.w2 and nabla_{R.w2} R.w1 are not the same. A direction n has the
    components n.x, n.y, n.z: tensors are those of its sphere on velocities with n n' = 0, and zero along n.

    >>> cone = System.of(name="cone", coordinates={"r": "positive", "a": "angle"}, lagrangian="r'^2 + r^2*a'^2/2")
    >>> kinetic_objects(cone)["scalar_curvature"], kinetic_objects(cone)["sectional_curvature"]
    (0, {})
    """
    expect(system, System, "the geometry of the kinetic energy is that of a system")
    whole, within = _in_frame(system) if system.points else _geometries(system)
    if isinstance(within, str):
        return {**whole.objects(), "nonholonomic_connection": within}
    if isinstance(within, KineticGeometryInFrame):
        return within.objects()
    if within is None:
        return whole.objects()
    names = [q.data.name for q in system.q]
    fields = {str(k): dict(zip(names, x.components, strict=True)) for k, x in enumerate(within.fields, 1)}
    return {**whole.objects(), "allowed_fields": fields, **within.objects()}


def _geometries(system: System) -> tuple[KineticGeometry, KineticGeometry | str | None]:
    """Return the geometry of the metric, and that of the allowed velocities where there are constraints, or why not."""
    faults = []
    whole = kinetic_geometry(system)
    if whole is None:
        what = "it is not T - V with T quadratic in the velocities and without time"
        faults.append(Fault("lagrangian", what, "only that has a kinetic metric"))
    if whole is not None and whole.is_degenerate:
        what = "the kinetic metric is degenerate"
        faults.append(
            Fault("lagrangian", what, "a connection needs one that is not; see whether a velocity is missing")
        )
    if faults or whole is None:
        raise refusal("geometry", faults)
    if not system.constraints:
        return whole, None
    for name in system.constraints:
        if name not in system.units and system.kind_of(name) not in {"linear", "holonomic"}:
            return whole, f"for linear constraints, and '{name}' is {system.kind_of(name)}"
    manifold = constraint_manifold(system)
    rest = substitute(list(manifold.velocities), dict.fromkeys(manifold.u, ZERO))
    if manifold.unknowns or not vanish(rest, system.facts):
        return whole, "for linear constraints, and these are not solved for velocities, or have a drift"
    rows = [list(row) for row in zip(*jacobian(list(manifold.velocities), list(manifold.u)), strict=True)]
    return whole, kinetic_geometry(system, rows)


def _in_frame(system: System) -> tuple[KineticGeometryInFrame, KineticGeometryInFrame | str | None]:
    """Return the same in the frame of velocities, for systems with rotations."""
    whole = kinetic_geometry_in_frame(system)
    if not system.stated_constraints:
        return whole, None
    for name in system.stated_constraints:
        if system.kind_of(name) not in {"linear", "holonomic"}:
            return whole, f"for linear constraints, and '{name}' is {system.kind_of(name)}"
    if whole.tangent.directions:
        return whole, replace(whole, within=DistributionInFrame(whole.metric, _beside_directions(whole)))
    chosen = next(certified_speeds(whole.tangent), None)
    if chosen is None:
        return (
            whole,
            "for linear constraints that leave a frame of velocities, and none was found that holds everywhere",
        )
    rows = tuple(tuple(row) for row in chosen[0].fields)
    return whole, replace(whole, within=DistributionInFrame(whole.metric, rows))


def _beside_directions(whole: KineticGeometryInFrame) -> tuple[tuple[Expr, ...], ...]:
    """Return fields that are allowed, with those along the lines of directions; at generic points if need be."""
    tangent = whole.tangent
    saddle, left_out = constraint_rows(tangent), {point.relation for point in tangent.directions}
    left_out |= set(repeated(tangent.system))
    stated = [row for name, row in zip(saddle.names, saddle.rows, strict=True) if name not in left_out]
    short = SimplificationBudget(_EFFORT, modulo=tangent.relations)
    rows = [short.all(tangent.on_tangents(row)) for row in stated]
    columns = [tangent.positions.get(u, u) for u in tangent.velocities]
    never = partial(vanishes_nowhere, facts=tangent.facts)
    certified = next(iter(certified_frames(rows, columns, tangent.relations, never)), None)
    found = generic_kernel(rows, len(columns), tangent.facts) if certified is None else certified.fields
    return tuple(tuple(short.all(row)) for row in found)
