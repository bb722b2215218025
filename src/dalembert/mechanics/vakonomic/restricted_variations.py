"""Critical curves for a bundle of variations of one's own choice (Garcia, Rodrigo; Definition 2).

An admissible curve is critical for (M, L, S, A) where the first variation of the action vanishes on the variations A
with compact support. Two choices have names: variations tangent to S (vakonomic), and those that the momentum forms
df/dq' of the constraints annihilate (nonholonomic). Where A is any bundle, the directions that some one-forms
annihilate, A is a module over functions of time, and the curve is critical where E_L vanishes on A (7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.registry import claims as decided
from dalembert.mechanics.theorem import Theorem
from dalembert.mechanics.vakonomic import higher_order_variations, vakonomic
from dalembert.mechanics.vakonomic.densities import density
from dalembert.mechanics.vakonomic.higher_order_variations import HIGHER_ORDER, HigherOrderMotion
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["CITES", "Critical", "critical"]

CITES = ("garcia-rodrigo-2004",)


@dataclass(frozen=True, slots=True)
class Critical:
    """The critical curves for a bundle of variations."""

    system: System
    variations: str
    motion: Vakonomic | ConstrainedMotion | HigherOrderMotion

    @property
    def equations(self) -> Equations:
        """The equations of the critical curves."""
        return self.motion.equations

    def decide(self) -> tuple[Claim, ...]:
        """Decide what is true of the motion, and that its curves are critical."""
        if isinstance(self.motion, Vakonomic):
            return decided(self.motion)
        critical = HIGHER_ORDER if isinstance(self.motion, HigherOrderMotion) else _CRITICAL
        return (*_of_constrained_motion(self.motion), *critical.claims(self.motion))

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects of the formalism that the variations lead to."""
        return self.motion.objects()


def critical(system: System, variations: str | Mapping[str, Any] = "vakonomic") -> Critical:
    """Return the critical curves of L among those that obey the constraints, for a choice of variations.

    ``variations`` is ``vakonomic``, ``nonholonomic``, or one-forms by name that annihilate the bundle, written as in
    [virtual]: as many as there are constraints.

    >>> sledge = System.of(name="sledge", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...                    constraints={"slope": "z' = y*x'"})
    >>> own = critical(sledge, {"slope": {"z": 1}})
    >>> [claim.name for claim in own.decide() if claim.failed]
    []
    """
    if variations == "vakonomic":
        return Critical(system, "vakonomic", vakonomic.derive(system))
    if isinstance(variations, str):
        if variations != "nonholonomic":
            what = f"'{variations}' is not a choice of variations"
            remedy = "use vakonomic, nonholonomic, or one-forms that annihilate them"
            raise HypothesisError("variations", [Fault("variations", what, remedy)])
        chosen = system.but(virtual=None)
    else:
        chosen = system.but(virtual=variations)
    if chosen.forces:
        fault = Fault("[forces]", "forces have no place in a variational principle", "use nonholonomic")
        raise HypothesisError("variations", [fault])
    name = variations if isinstance(variations, str) else "a bundle of one's own"
    if chosen.lagrangian is not None and chosen.order > 1 and chosen.constraints:
        return Critical(chosen, name, higher_order_variations.derive(chosen))
    return Critical(chosen, name, general_constraints.derive(chosen))


def _of_constrained_motion(motion: ConstrainedMotion | HigherOrderMotion) -> tuple[Claim, ...]:
    """Return what d'Alembert's principle has to say of its own motion; of higher orders it says nothing."""
    return decided(motion) if isinstance(motion, ConstrainedMotion) else ()


def _vanishes_on(motion: ConstrainedMotion, proofs: ProofBudget) -> Verdict:
    """Decide (7): the Euler operator of L vanishes, along the motions, on a basis of the bundle."""
    system = motion.system
    assert system.lagrangian is not None
    manifold = motion.manifold
    rates: dict[Expr, Expr] = dict(zip(manifold.u, motion.acceleration, strict=True))
    drive = {**manifold.at_rest(), **rates, symbol(TIME): ONE}
    accelerations = manifold.along(manifold.velocities, drive)
    operator = density(system.lagrangian, system.q, 1).euler
    put = {v.dot: a for v, a in zip(system.v, accelerations, strict=True)}
    pulled = manifold.on(substitute(operator, put))
    named = {
        f"the variation {k + 1}": total([(1, e * x) for e, x in zip(pulled, w, strict=True)])
        for k, w in enumerate(motion.virtual)
    }
    return proofs.all_vanish(named, system.facts)


_CRITICAL = Theorem(
    "critical",
    "Garcia-Rodrigo, section 2",
    "E_L vanishes on the bundle of variations along the motions",
    "check",
    _vanishes_on,
)
