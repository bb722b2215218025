"""Moving energies: E - p_Z, the energy less the momentum of a symmetry Z of the Lagrangian (Fasso, Sansonetto).

Constraints that are affine in the velocities do work, so that the energy is not kept; seen from a frame that moves with
Z it may be. The rates of the energy and of the momenta of all symmetries of L are compared: one null space answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.analysis.discovery.first_integrals import Integral, shorter
from dalembert.analysis.discovery.momenta import momenta_by
from dalembert.analysis.discovery.point_symmetries import PointSymmetry
from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE
from dalembert.expr.text.printer import signed_sum
from dalembert.expr.truth import Verdict
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.second_order.search.linear_search import combined, relations
from dalembert.model.parts import Generator
from dalembert.model.table import Table

_MOST = 12


def moving_energies(motions: Motions, fields: Sequence[PointSymmetry]) -> tuple[Integral, ...]:
    """Return combinations of the energy and the momenta of symmetries of L that motions keep, those with the energy.

    >>> from dalembert.analysis.discovery.point_symmetries import noether_symmetries
    >>> from dalembert.model.system import System
    >>> wire = System.of(name="wire", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2",
    ...     constraints={"turning": "x*y' - y*x' = 3*(x^2 + y^2)"})
    >>> m = Motions(wire)
    >>> [(one.name, one.shown) for one in moving_energies(m, noether_symmetries(m, of="L").basis)]
    [('moving energy, less 3 times the momentum of -y d/dx + x d/dy', (u^2 - 8)*(x^2 + y^2)/2)]
    """
    system = motions.system
    chosen = [one for one in fields if not one.generator.moves_time and not one.generator.depends_on_time][:_MOST]
    if system.lagrangian is None or system.order > 1 or not chosen or motions.names.equations.implicit:
        return ()
    later = PointSymmetry(Generator(Table(), time=ONE), Verdict("proved", ""))  # its momentum is minus the energy
    try:
        (*shown, seen), (*values, minus) = momenta_by(motions, [*chosen, later])
        whole = -minus
        columns = tangent([*values, whole], motions.names.drive)
        rows = relations([[rate] for rate in columns], facts_of(system)).basis
    except ExpressionError:
        return ()
    row = next((row for row in rows if row[-1].value != 0), None)
    if row is None or all(w.value == 0 for w in row[:-1]):
        return ()
    weights = [w / row[-1] for w in row]
    function = combined(weights, [*values, whole])
    verdict = motions.keep(function)
    if verdict.holds is not True:
        return ()
    taken = [(-w, f"momentum of {one.written}") for w, one in zip(weights, chosen, strict=False) if w.value != 0]
    said = signed_sum(taken).replace(" momentum of", " times the momentum of")
    written = shorter(combined(weights, [*shown, -seen]))
    return (Integral(function, verdict, written, f"moving energy, less {said}"),)
