"""The same motion with other coordinates dependent, and what that does to its geometry (SCS, section 7).

``[fibration]`` may state another choice, ``other = ["x"]``. The field there is derived anew, from the Lagrangian and
the constraints solved for other velocities; a field that is stated by ``[equations]`` is carried over. How connection,
curvature and the connection of the field have to change is in ``second_order/changes``, and is decided.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.nonholonomic import symmetry_search
from dalembert.mechanics.nonholonomic.constrained_motion import UNSOLVED, UnderConstraints, projected_on
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold, solved_for
from dalembert.mechanics.nonholonomic.symmetry_search import Searched
from dalembert.mechanics.second_order.changes import SAME_CONSTRAINTS, SAME_MOTION, fibration_laws
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.model.claim import Claim
from dalembert.model.system import System

_NAME = "change of fibration"


def in_other_fibration(result: Searched) -> SecondOrderField:
    """Return the field with the coordinates dependent that ``[fibration]`` states as ``other``.

    >>> from dalembert.mechanics.nonholonomic.lagrange_dalembert import derive
    >>> slope = System.of(name="slope", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, fibration={"dependent": ["z"], "other": ["x"]})
    >>> in_other_fibration(derive(slope)).coefficients
    ((0, 1/y),)
    """
    system = replace(result.system, dependent=result.system.other_dependent, other_dependent=())
    return _derived(system) if isinstance(result, UnderConstraints) else _carried(result.second_order_field(), system)


def _derived(system: System) -> SecondOrderField:
    """Return the field by the principle of Lagrange and d'Alembert."""
    manifold = constraint_manifold(system)
    if manifold.unknowns:
        raise ExpressionError(UNSOLVED)
    forms = [manifold.on(row) for row in system.virtual_matrix()]
    directions = [field.components for field in Distribution.from_forms(system.chart, forms).fields]
    velocities = dict(zip(system.q, manifold.velocities, strict=True))
    return SecondOrderField.solved(velocities, tuple(solve(*projected_on(manifold, directions))), manifold.facts)


def _carried(sode: SecondOrderField, system: System) -> SecondOrderField:
    """Return a field by the velocities that constraints leave when they are solved for others."""
    functions = {name: c.expression for name, c in system.constraints.items()}
    solved = solved_for(system, functions, [q.dot for q in system.dependent])
    if solved.unknowns:
        raise ExpressionError(UNSOLVED)
    velocities = {q: solved.rules.get(q.dot, q.dot) for q in system.q}
    seen = dict(zip(sode.coordinates, (*sode.velocities, *sode.dependent_velocities), strict=True))
    free = [q for q in system.q if q not in system.dependent]
    back = {q.dot: velocities[q] for q in sode.independent}
    return SecondOrderField.solved(velocities, tuple(substitute(sode.rates([seen[q] for q in free]), back)), sode.facts)


def geometry_of(result: Searched) -> dict[str, object]:
    """Return the geometry of the field by the names of the JSON, and that in another fibration where one is stated."""
    return {**symmetry_search.geometry_of(result), **_there(result)}


def _there(result: Searched) -> dict[str, object]:
    if not result.system.other_dependent or result.unsearched:
        return {}
    try:
        sode = in_other_fibration(result)
    except ExpressionError:
        return {}
    free, given = ([q.data.name for q in some] for some in (sode.independent, sode.dependent))
    rows = {"connection": (given, sode.coefficients), "constraint_curvature": (given, sode.curvature)}
    rows["sode_connection"] = (free, sode.connection)
    tables = {
        name: {a: dict(zip(free, row, strict=True)) for a, row in zip(left, matrix, strict=True)}
        for name, (left, matrix) in rows.items()
    }
    there = {"dependent": given, "acceleration": dict(zip(free, sode.acceleration, strict=True)), **tables}
    return {_NAME.replace(" ", "_"): there}


# -- theorems ------------------------------------------------------------------------------------------------
def change_of_fibration(result: Searched, proofs: ProofBudget) -> list[Claim]:
    """Decide how the geometry changes with the fibration."""
    given = ", ".join(q.data.name for q in result.system.other_dependent)
    laws, why = _laws(result, proofs)
    if why:
        said = f"with {given} dependent, connections and curvature change by their rules"
        return [Claim(_NAME, said, "question", Verdict("undecided", why))]
    return [Claim(_NAME, f"with {given} dependent: {said}", "check", verdict) for said, verdict in laws.items()]


def _laws(result: Searched, proofs: ProofBudget) -> tuple[dict[str, Verdict], str]:
    """Return what is decided, or why nothing is."""
    if result.unsearched:
        return {}, result.unsearched
    sode = result.second_order_field()
    try:
        laws = fibration_laws(sode, in_other_fibration(result))
    except ExpressionError as why:
        return {}, str(why)
    if not isinstance(result, UnderConstraints):  # the motion there is carried over: that it is the same is no check
        laws.pop(SAME_MOTION)
    if not sode.is_affine and not proofs.all_vanish(laws[SAME_CONSTRAINTS], sode.facts).holds:
        return {}, "the roots that solve the constraints here and there agree for some velocities only."
    return {said: proofs.all_vanish(parts, sode.facts) for said, parts in laws.items()}, ""
