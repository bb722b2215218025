"""The invariant density of a reduced motion with respect to dq dw, where stated speeds w are the velocities.

With v = Z w + Z_0 the volume dq dv is |det Z| dq dw, so that the density is that with respect to dq dq' times |det Z|.
That it is invariant is decided by the equations in speeds alone: the divergence of density * (q', w') by q and w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dalembert.expr.calculus import diff, jacobian
from dalembert.expr.elementary import absolute
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr, total
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.constants import written_out
from dalembert.mechanics.chaplygin.measure.density import Measure
from dalembert.mechanics.chaplygin.measure.divergence_form import expanded_determinant
from dalembert.mechanics.chaplygin.rows import check
from dalembert.mechanics.lagrangian.restated import velocities_by_speeds
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations


class _Moving(Protocol):
    @property
    def equations(self) -> Equations: ...
    @property
    def in_coordinates(self) -> Equations: ...
    @property
    def measure(self) -> Measure | None: ...


def density_in_speeds(result: _Moving) -> Expr | None:
    """Return the density with respect to dq dw; None where the equations are not in speeds, or no density is known.

    >>> from dalembert import System, derive
    >>> slope = System.of(name="slope", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"up": {"z": 1}}, speeds={"s": "x'*(1 + y^2)", "v": "y'"})
    >>> density_in_speeds(derive(slope, "chaplygin"))
    1/sqrt(y^2 + 1)
    """
    if not result.equations.speeds or result.measure is None:
        return None
    density = result.measure.liouville_density
    if density is None:
        return None
    spread = jacobian(velocities_by_speeds(result.in_coordinates, result.equations), list(result.equations.velocities))
    factor = absolute(tidy(expanded_determinant([tuple(row) for row in spread])))
    return tidy(written_out(density * factor))


def is_kept(equations: Equations, density: Expr, facts: Sequence[Fact], proofs: ProofBudget) -> Verdict:
    """Decide whether a density is invariant: d(density z')/dz vanishes, summed over all variables z of the state."""
    return proofs.is_zero(total([(1, diff(density * rate, z)) for z, rate in equations.rates().items()]), facts)


def _claims(result: _Moving, proofs: ProofBudget) -> list[Claim]:
    density, measure = density_in_speeds(result), result.measure
    assert density is not None
    assert measure is not None
    names = ", ".join(map(text, result.equations.state))
    where = "" if measure.beta.exact.holds else " on the cover"
    said = f"the volume with the density {text(density)} in {names} is invariant{where}"
    verdict = is_kept(result.equations, density, measure.base.facts, proofs)
    return [Claim("invariant volume in speeds", said, "check", verdict)]


IN_SPEEDS = check(
    "invariant volume in speeds",
    "(21)",
    "the density with respect to dq dw is invariant",
    _claims,
    needs=lambda result: density_in_speeds(result) is not None,
)
"""That the volume in stated speeds is kept."""
