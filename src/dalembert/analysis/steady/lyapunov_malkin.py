"""The theorem of Lyapunov and Malkin: eigenvalue 0 as often as the family has dimensions, all others decaying.

Then a motion that begins near a member of the family tends to another member near it, exponentially; so each member is
stable. The dimension is bounded from below: by the free variables of a family in closed form that no symmetry moves; or
by forms that annihilate the motion - differentials of what it conserves, transported momenta -, since where as many of
them are independent as 0 has eigenvectors the equations of steady motions are regular beside them.
"""

from __future__ import annotations

from dalembert.analysis.steady.conditions import Known, conditions
from dalembert.analysis.steady.conserved import invariant
from dalembert.analysis.steady.energy_momentum import NonlinearStability, at_family, reduced_rows
from dalembert.analysis.steady.exact_linear_part import ExactLinearPart
from dalembert.analysis.steady.families import SteadyFamily
from dalembert.analysis.steady.stability import SpectralStability
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import generic_rank, vanish


def family_dimension(
    field: SteadyField, family: SteadyFamily, linear: ExactLinearPart
) -> tuple[int, tuple[Expr, ...]] | None:
    """Return the dimension of the family through a member, modulo the symmetry, and what must not vanish for it.

    What ``at`` holds is let go: it is the family of all steady motions that is counted. None where it is not decided.
    """
    if not linear.kernel:
        return 0, ()
    rows = [[one.components.get(v, ZERO) for v in family.free] for one in field.symmetries]
    moved = [v for k, v in enumerate(family.free) if not vanish([row[k] for row in at_family(family, rows)])]
    if not family.relations and len(family.free) - len(moved) == linear.kernel:
        return linear.kernel, ()
    facts = [(r, ZERO) for r in family.relations]
    orbit = at_family(family, [[one.components.get(v, ZERO) for v in field.state] for one in field.symmetries])
    if orbit and generic_rank(orbit, facts).rank < len(orbit):
        return None
    forms = at_family(family, [*map(list, _annihilating(field))])
    assumed: list[Expr] = []
    solved = reduced_rows([*forms], [ZERO] * len(field.state), family, Known(), assumed)
    if solved is None or len(solved[0]) != linear.kernel:
        return None
    return linear.kernel, tuple(assumed)


def _annihilating(field: SteadyField) -> list[list[Expr]]:
    """Return forms on the quotient by the symmetry that annihilate the motion."""
    state = list(field.state)
    rows = [gradient(one, state) for one in field.conserved.values() if invariant(field, one)]
    moving = field.transport
    if moving is None or field.manifold.relations:
        return rows
    put = dict(zip(moving.momenta, moving.by_state, strict=True))
    from dalembert.expr.walk import substitute

    for momentum, rates in zip(moving.by_state, moving.rates, strict=True):
        row = gradient(momentum, state)
        for q, rate in zip(moving.shape, substitute(list(rates), put), strict=True):
            row[state.index(q)] = total([(1, row[state.index(q)]), (-1, rate)])
        rows.append(row)
    return rows


def lyapunov_malkin(
    field: SteadyField,
    spectral: SpectralStability,
    dimension: tuple[int, tuple[Expr, ...]] | None,
    label: Expr | None,
    known: Known,
) -> NonlinearStability | None:
    """Return what the theorem says, given what was decided of the eigenvalues; None where it does not apply."""
    if spectral.kind != "dissipative" or dimension is None or dimension[0] != spectral.zeros or spectral.answer == "no":
        return None
    asked = (*spectral.conditions, *conditions([e**2 for e in dimension[1]], label, known))
    names = tuple(one.name for one in field.symmetries)
    return NonlinearStability("Lyapunov-Malkin" if spectral.zeros else "Lyapunov", asked, names)
