"""Curvature of the kinetic metric, and of the nonholonomic connection of linear constraints, of systems of any size.

What formalisms show of it without being asked is limited by size; here it is what somebody asked for.
"""

from __future__ import annotations

from dalembert.errors import Fault, expect
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ZERO
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.kinetic_metric import KineticGeometry, kinetic_geometry
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.model.system import System


def kinetic_objects(system: System) -> dict[str, object]:
    """Return Christoffel's symbols, curvatures, Ricci's tensor, and what the constraints make of the connection.

    With linear constraints also the fields X_1, X_2, ... that span the allowed velocities, and by their numbers the
    nonholonomic connection, nabla-bar_{X_a} X_b = Gamma_ab^c X_c under "c: a, b", its torsion and its curvature. With
    others there is none, and a sentence says so in its place.

    >>> cone = System.of(name="cone", coordinates={"r": "positive", "a": "angle"}, lagrangian="r'^2 + r^2*a'^2/2")
    >>> kinetic_objects(cone)["scalar_curvature"], kinetic_objects(cone)["sectional_curvature"]
    (0, {})
    """
    whole, within = _geometries(system)
    if isinstance(within, str):
        return {**whole.objects(), "nonholonomic_connection": within}
    if within is None:
        return whole.objects()
    names = [q.data.name for q in system.q]
    fields = {str(k): dict(zip(names, x.components, strict=True)) for k, x in enumerate(within.fields, 1)}
    return {**whole.objects(), "allowed_fields": fields, **within.objects()}


def _geometries(system: System) -> tuple[KineticGeometry, KineticGeometry | str | None]:
    """Return the geometry of the metric, and that of the allowed velocities where there are constraints, or why not."""
    expect(system, System, "the geometry of the kinetic energy is that of a system")
    faults = []
    if system.points:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}"
        faults.append(Fault("[coordinates]", what, "the kinetic metric is taken in coordinates of a chart: use angles"))
    whole = kinetic_geometry(system) if not faults else None
    if not faults and whole is None:
        what = "it is not T - V with T quadratic in the velocities and without time"
        faults.append(Fault("lagrangian", what, "only that has a kinetic metric"))
    if whole is not None and generic_rank(whole.metric).rank < len(whole.metric):
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
