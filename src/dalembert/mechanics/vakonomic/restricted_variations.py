"""Critical curves for a bundle of variations of one's own choice (Garcia, Rodrigo; Definition 2).

An admissible curve is critical for (M, L, S, A) where the first variation of the action vanishes on the variations A
with compact support. Two choices have names: variations tangent to S (vakonomic), and those that the momentum forms
df/dq' of the constraints annihilate (nonholonomic). Where A is any bundle, the directions that some one-forms
annihilate, A is a module over functions of time, and the curve is critical where E_L vanishes on A (7).

For Lagrangians of order r > 1 the Euler operator E_L(q, ..., q_(2r)) vanishes on the variations, which one-forms
annihilate: df/dq' of the constraints (nonholonomic), or others. With the constraint differentiated 2r - 1 times these
are n linear equations for q_(2r),

    E_L(w) = 0 for w in W,    D^(2r-1) f = 0,        or, by multipliers,    E_L + lambda_a nu^a = 0 with the forms nu.

The state is (q, ..., q_(2r-1)); it carries f, Df, ..., D^(2r-2) f, which stay zero. The equations by multipliers are
integrated, as they ask for no basis of W that would exist everywhere; the others are the check.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import jacobian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.lagrangian.jets import derivative, energy
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.registry import claims as decided
from dalembert.mechanics.theorem import Theorem
from dalembert.mechanics.vakonomic import vakonomic
from dalembert.mechanics.vakonomic.densities import density
from dalembert.mechanics.vakonomic.hamiltonian import hamiltonian_form
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

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
    if system.points:
        one = system.points[0]
        what = f"'{one.name}' is a {one.kind}, and variations are chosen in coordinates of a chart"
        raise refusal(
            "variations", [Fault("[coordinates]", what, "derive vakonomic, or state it by angles", kind="chart")]
        )
    if variations == "vakonomic":
        return Critical(system, "vakonomic", vakonomic.derive(system))
    if isinstance(variations, str):
        if variations != "nonholonomic":
            what = f"'{variations}' is not a choice of variations"
            remedy = "use vakonomic, nonholonomic, or one-forms that annihilate them"
            raise refusal("variations", [Fault("variations", what, remedy)])
        chosen = system.but(virtual=None)
    else:
        chosen = system.but(virtual=variations)
    if chosen.forces:
        fault = Fault("[forces]", "forces have no place in a variational principle", "use nonholonomic")
        raise refusal("variations", [fault])
    name = variations if isinstance(variations, str) else "a bundle of one's own"
    if chosen.lagrangian is not None and chosen.order > 1 and chosen.constraints:
        return Critical(chosen, name, derive(chosen))
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
    named = {f"the variation {k + 1}": dot(pulled, w) for k, w in enumerate(motion.virtual)}
    return proofs.all_vanish(named, system.facts)


_CRITICAL = Theorem(
    "critical",
    "Garcia-Rodrigo, section 2",
    "E_L vanishes on the bundle of variations along the motions",
    "check",
    _vanishes_on,
)


# -- Lagrangians of higher order -------------------------------------------------------------------------------
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
        raise refusal("variations", [Fault("lagrangian", what, remedy, kind="regular")])
