"""What is true of a reduction: of the motion on its shape space, and of the reduced system (Patrick, section 5.2)."""

from __future__ import annotations

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict, full_rank, generic_rank
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.nonholonomic.multipliers import by_multipliers
from dalembert.mechanics.semisymplectic.reduction.conditions import datum_claims
from dalembert.mechanics.semisymplectic.reduction.data import combined
from dalembert.mechanics.semisymplectic.reduction.principal_case import PrincipalReduction
from dalembert.mechanics.semisymplectic.reduction.reduced import SemiReduction, on_level, orbits
from dalembert.mechanics.theorem import Sentence, Theorem
from dalembert.model.claim import Claim, ClaimRole

__all__ = [
    "REDUCTION_LAWS",
    "REDUCTION_THEOREMS",
    "SHAPE_LAWS",
    "SHAPE_THEOREMS",
    "reduction_claims",
    "shape_claims",
]


# -- the motion on the shape space -----------------------------------------------------------------------------
def equations_close(found: PrincipalReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether mass and force of the frame are invariant."""
    entries = [*(e for row in found.unreduced.mass for e in row), *found.unreduced.force]
    closes = {f"entry {n}": e(x) for n, x in enumerate(entries) for e in found.bundle.generators}
    return proofs.all_vanish(closes, found.system.facts)


def meets_multipliers(found: PrincipalReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether the whole field, not yet reduced, is that of Lagrange's multipliers in the stated coordinates."""
    bundle, system = found.bundle, found.system
    rates = found.unreduced.accelerations()
    seed = dict(zip((*bundle.chart.coordinates, *found.speeds), (*found.velocities(), *rates), strict=True))
    images = [bundle.configuration.get(q, q) for q in system.q]
    velocities = tangent(images, seed)
    accelerations = tangent(velocities, seed)
    put = dict(zip((*system.q, *system.v), (*images, *velocities), strict=True))
    wanted = substitute(by_multipliers(system)[0], put)
    parts = {q.data.label: a - w for q, a, w in zip(system.q, accelerations, wanted, strict=True)}
    return proofs.all_vanish(parts, system.facts)


# -- the reduced system ----------------------------------------------------------------------------------------
def assumptions(found: SemiReduction, _: ProofBudget) -> list[Claim]:
    """Decide the four assumptions of section 5.2, as far as generic points of the level set decide them."""
    space, datum = found.space, found.datum
    put = dict(datum.level)
    fixed = [combined(row, space.momenta) for row in datum.momenta]
    slopes = [substitute(gradient(j, list(space.manifold.chart.coordinates)), put) for j in fixed]
    moved = [list(x.components) for x in orbits(space, datum)]

    def full(rows: list[list[Expr]], what: str) -> Verdict:
        return full_rank(generic_rank(rows), len(rows), what)

    named = {
        "regular value": ("mu is a regular value of J on n", full(slopes, "dJ on the level set")),
        "quotient": ("H acts locally freely on P_R; that it acts properly is assumed", full(moved, "h")),
        "K_R": ("K_R is a distribution", _constant(found.rank)),
        "kernel": ("ker T pi cap K_R is a distribution", _constant(found.rank - len(found.manifold.basis))),
    }
    role: ClaimRole = "hypothesis" if found.is_stated else "question"  # a datum that was stated has to fit
    return [Claim(f"assumption: {name}", said, role, answer) for name, (said, answer) in named.items()]


def stays_on_level(found: SemiReduction, proofs: ProofBudget) -> Verdict:
    """Decide whether the motion is tangent to the level set."""
    put, whole = dict(found.datum.level), found.space.motion
    along = on_level(found.space, found.datum, whole)
    escape = {
        repr(x): substitute([c], put)[0] - along(put[x])
        for x, c in zip(whole.chart.coordinates, whole.components, strict=True)
        if x in put
    }
    return proofs.all_vanish(escape, found.manifold.facts)


def reduced_form(found: SemiReduction, _: ProofBudget) -> Verdict:
    """Decide whether omega_R is non-degenerate on the reduced distribution."""
    return full_rank(found.manifold.regular(), len(found.manifold.basis), "omega_R")


def reduced_motion(found: SemiReduction, proofs: ProofBudget) -> list[Claim]:
    """Decide whether the motion projects to Y_E; where it has a null-forcing upstairs, that is a question."""
    manifold, space = found.manifold, found.space
    (hamiltonian,) = manifold.field_of(found.energy)
    apart = {
        repr(x): c for x, c in zip(manifold.chart.coordinates, (hamiltonian - found.field).components, strict=True)
    }
    role: ClaimRole = "check"
    if not space.invariant:
        (plain,) = space.manifold.field_of(space.energy)
        forcing = {str(i): c for i, c in enumerate((space.motion - plain).components)}
        role = "check" if all_vanish(forcing, space.manifold.facts).holds else "question"
    said = "the motion projects to the semi-Hamiltonian field of the reduced energy"
    return [Claim("reduced motion", said, role, proofs.all_vanish(apart, manifold.facts))]


def _constant(rank: int) -> Verdict:
    return Verdict("certain", f"its rank is {rank} at generic points of the level set, and constant around them.")


SHAPE_THEOREMS = (
    Theorem(
        "reduced equations close",
        "Patrick, section 5.1",
        "mass and force of the frame are invariant, so the equations close on (r, r', xi)",
        "hypothesis",
        equations_close,
    ),
)
SHAPE_LAWS = (
    Theorem(
        "multipliers in the frame",
        "Lagrange",
        "the motion in the invariant frame is that of Lagrange's multipliers",
        "check",
        meets_multipliers,
    ),
)

_PLACE = "Patrick, section 5.2"
_HAMILTONIAN = "After reduction by its symmetry the bracket satisfies Jacobi's identity and gives a Hamiltonian motion."
_DATUM = Theorem(
    "datum",
    _PLACE,
    "(H, n, mu) is a reduction datum",
    "hypothesis",
    lambda found, _: datum_claims(found.space, found.datum),
    needs=lambda found: found.is_stated,
)
REDUCTION_THEOREMS = (
    Theorem("assumption", _PLACE, "the assumptions of the reduction hold at generic points", "question", assumptions),
    Theorem(
        "reduced motion",
        _PLACE,
        "the motion projects to the semi-Hamiltonian field of the reduced energy",
        "check",
        reduced_motion,
    ),
    Theorem(
        "reduced system is symplectic",
        _PLACE,
        "the reduced bracket satisfies Jacobi's identity: the reduced system is Hamiltonian on its leaves",
        "question",
        lambda found, _: found.manifold.jacobi(),
        yes=(Sentence(_HAMILTONIAN, given=("reduced motion",)),),
        topic="reduction",
    ),
)
REDUCTION_LAWS = (
    Theorem("level set", _PLACE, "the motion stays on the level set of the momenta", "check", stays_on_level),
    Theorem(
        "reduced form",
        _PLACE,
        "omega_R is non-degenerate on the reduced distribution at generic points",
        "check",
        reduced_form,
    ),
)


def shape_claims(found: PrincipalReduction) -> list[Claim]:
    """Decide what is true of the motion on a shape space."""
    return [claim for row in (*SHAPE_THEOREMS, *SHAPE_LAWS) for claim in row.claims(found)]


def reduction_claims(found: SemiReduction) -> list[Claim]:
    """Decide what is true of a reduced system; first the datum, where it was given."""
    return [claim for row in (_DATUM, *REDUCTION_THEOREMS, *REDUCTION_LAWS) for claim in row.claims(found)]
