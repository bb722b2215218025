"""Critical curves of Lagrangians of order r > 1 for a bundle of variations (Garcia, Rodrigo; Definition 2, (7)).

The Euler operator E_L(q, ..., q_(2r)) vanishes on the variations, which one-forms annihilate: df/dq' of the constraints
(nonholonomic), or others. With the constraint differentiated 2r - 1 times these are n linear equations for q_(2r),

    E_L(w) = 0 for w in W,    D^(2r-1) f = 0,        or, by multipliers,    E_L + lambda_a nu^a = 0 with the forms nu.

The state is (q, ..., q_(2r-1)); it carries f, Df, ..., D^(2r-2) f, which stay zero. The equations by multipliers are
integrated, as they ask for no basis of W that would exist everywhere; the others are the check.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import jacobian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.lagrangian.jets import derivative, energy
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.theorem import Theorem
from dalembert.mechanics.vakonomic.densities import density
from dalembert.mechanics.vakonomic.hamiltonian import hamiltonian_form
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["HIGHER_ORDER", "HigherOrderMotion", "derive"]


@dataclass(frozen=True, slots=True)
class HigherOrderMotion:
    """The critical curves for a bundle of variations, of a Lagrangian of any order."""

    system: System
    virtual: tuple[tuple[Expr, ...], ...]
    """A basis of the variations, by components."""
    highest: tuple[Expr, ...]
    """q_(2r), as functions of t, q, ..., q_(2r-1)."""
    multipliers: tuple[Expr, ...]
    energy: Expr
    projected: tuple[Expr, ...]
    """q_(2r) by E_L(w) = 0 for w in W, without multipliers."""
    admissible: dict[Expr, Expr]
    """What the constraints give of q', ..., q_(2r-1)."""
    equations: Equations

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by name."""
        names = [q.data.name for q in self.system.q]
        return {
            "virtual_displacements": [dict(zip(names, w, strict=True)) for w in self.virtual],
            "multipliers": dict(zip(self.system.constraints, self.multipliers, strict=True)),
            "energy": self.energy,
        }


def derive(system: System) -> HigherOrderMotion:
    """Return the motion for the variations that [virtual], or else df/dq', annihilates.

    >>> line = System.of(name="line", coordinates="x y", lagrangian="(x''^2 + y''^2)/2", constraints={"c": "y' = x*x'"})
    >>> derive(line).equations.state
    (x, y, x', y', x'', y'', x''', y''')
    """
    assert system.lagrangian is not None
    q, r = list(system.q), system.order
    operator = density(system.lagrangian, q, r).euler
    forms = [list(row) for row in system.virtual_matrix()]
    basis = [x.components for x in Distribution.from_forms(system.chart, forms).fields]
    prolonged = [c.expression for c in system.constraints.values()]
    for _ in range(2 * r - 1):
        prolonged = [time_derivative(f) for f in prolonged]
    top = [derivative(x, 2 * r) for x in q]
    mass, rest = _linear([*(dot(operator, w) for w in basis), *prolonged], top)
    admissible = hamiltonian_form(system, constraint_manifold(system)).admissible(2 * r - 1)
    _require_regular(mass, admissible)
    whole, right = _linear([*operator, *prolonged], top)
    k = len(forms)
    bordered = [[*row, *((form[i] for form in forms) if i < len(q) else [ZERO] * k)] for i, row in enumerate(whole)]
    found = solve(bordered, [-e for e in right])
    highest, multipliers = found[: len(q)], found[len(q) :]
    jets = [derivative(x, j) for j in range(2 * r - 1) for x in q]
    rates = {x: x.dot for x in jets} | {derivative(x, 2 * r - 1): e for x, e in zip(q, highest, strict=True)}
    total_energy = energy(system.lagrangian, q, r)
    equations = equations_of(
        system,
        "variations",
        kinematics=rates,
        monitors={"energy": total_energy, **{n: c.expression for n, c in system.constraints.items()}},
    )
    return HigherOrderMotion(
        system,
        tuple(basis),
        tuple(highest),
        tuple(multipliers),
        total_energy,
        tuple(solve(mass, [-e for e in rest])),
        admissible,
        equations,
    )


def _agree(motion: HigherOrderMotion, proofs: ProofBudget) -> Verdict:
    """Decide whether both give the same q_(2r) on the constraints."""
    met = [a - b for a, b in zip(motion.highest, motion.projected, strict=True)]
    labels = [f"the derivative of order {2 * motion.system.order} of {q.data.name}" for q in motion.system.q]
    return proofs.all_vanish(dict(zip(labels, substitute(met, motion.admissible), strict=True)), motion.system.facts)


HIGHER_ORDER = Theorem(
    "critical",
    "Garcia-Rodrigo, section 2",
    "E_L = 0 on the bundle of variations gives the motions of E_L + lambda_a nu^a = 0",
    "check",
    _agree,
)


def _linear(expressions: Sequence[Expr], unknowns: Sequence[Expr]) -> tuple[list[list[Expr]], list[Expr]]:
    """Return matrix and rest of expressions that are affine in the unknowns."""
    still = dict.fromkeys(unknowns, ZERO)
    matrix = [substitute(row, still) for row in jacobian(expressions, unknowns)]
    return matrix, substitute(expressions, still)


def _require_regular(mass: Sequence[Sequence[Expr]], admissible: dict[Expr, Expr]) -> None:
    rank = generic_rank([substitute(list(row), admissible) for row in mass])
    if rank.rank < len(mass):
        what = f"with the constraints and these variations it determines {rank.rank} of {len(mass)} highest derivatives"
        remedy = "L has to be regular on the variations; see whether a coordinate is missing in it"
        raise HypothesisError("variations", [Fault("lagrangian", what, remedy)])
