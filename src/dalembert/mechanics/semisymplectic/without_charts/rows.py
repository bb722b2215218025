"""The theorems on semi-symplectic systems with rotations that speak of frames; the others are those of all systems."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, agreement, generic_rank
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.geometry.distributions import derived_flag
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.semisymplectic.generators import symmetry_claims
from dalembert.mechanics.semisymplectic.without_charts.derived import SemiHamiltonianWithoutCharts
from dalembert.mechanics.semisymplectic.without_charts.reduction import BracketOnQuotient, is_plain
from dalembert.mechanics.semisymplectic.without_charts.seen import SeenBase
from dalembert.mechanics.semisymplectic.without_charts.symmetry import is_symmetry
from dalembert.mechanics.theorem import Sentence, Theorem, about
from dalembert.model.claim import Claim

_REDUCED = "Patrick, section 5.2"


def involutive(result: SemiHamiltonianWithoutCharts, _: ProofBudget) -> Verdict:
    """Decide whether D is involutive: its brackets obey the constraints."""
    names = list(result.phase_space.annihilator)
    parts = {
        f"{name} on the bracket of fields {a + 1}, {b + 1}": e
        for (a, b), row in result.curvature.items()
        for name, e in zip(names, row, strict=True)
    }
    return all_vanish(parts, result.manifold.facts)


def _on_velocities(result: SemiHamiltonianWithoutCharts) -> list[str]:
    """Return the constraints that are not on positions."""
    return [name for name in result.system.stated_constraints if name not in result.system.holonomic]


def integrable(result: SemiHamiltonianWithoutCharts, _: ProofBudget) -> list[Claim]:
    """Say how many constraints are integrable: by how much brackets miss all directions of Q."""
    space = result.phase_space
    kinds, whole = result.manifold.kinds, space.dimension - len(space.v)
    flag = derived_flag([space.across(w) for w in space.virtual], facts=kinds, dimension=whole)
    rank = generic_rank([x.components for x in flag[-1]], kinds)
    missing, count = whole - rank.rank, len([name for name in space.rows if name in _on_velocities(result)])
    positions = set(result.system.holonomic) - result.system.units
    which = " on velocities" if positions else ""
    if not missing:
        only = f"the constraint{which} is not" if count == 1 else f"no combination of the constraints{which} is"
        said = f"{only} integrable: at generic points brackets of the allowed directions reach all others"
    elif missing == count:
        said = f"the constraint{which} is" if count == 1 else f"all {count} constraints{which} are"
        said += " integrable"
    else:
        are = "is" if missing == 1 else "are"
        said = f"{missing} of the {count} constraints{which} {are} integrable, in combinations"
    return [Claim("integrable constraints", said, "question", rank.verdict)]


def cotangent_bracket(result: SemiHamiltonianWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide {f, pi_a} = Z_a(f) and {pi_a, pi_b} = -<p, [Z_a, Z_b]> for pi_a = <p, Z_a>, with brackets in the frame."""
    space = result.phase_space
    momenta = [dot(space.momenta, z) for z in space.virtual]
    functions = space.on_q.chart.coordinates
    parts: dict[str, Expr] = {}
    for a, y in enumerate(result.manifold.field_of(*momenta)):
        stated = space.across(space.virtual[a]).apply(list(functions))
        parts |= {
            f"{{{x!r}, pi_{a + 1}}}": found - known
            for x, found, known in zip(functions, y.apply(list(functions)), stated, strict=True)
        }
        for b in range(a):
            crossed = space.on_q.bracket(space.virtual[b], space.virtual[a])
            parts[f"{{pi_{b + 1}, pi_{a + 1}}}"] = y(momenta[b]) + dot(space.momenta, crossed)
    return proofs.all_vanish(parts, result.manifold.facts)


def jacobi_iff_involutive(result: SemiHamiltonianWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide that both hold, or none."""
    return agreement({"Jacobi's identity": result.manifold.jacobi(), "D is involutive": involutive(result, proofs)})


def generators(result: SemiHamiltonianWithoutCharts, proofs: ProofBudget) -> list[Claim]:
    """Say of each generator whether it is a symmetry."""
    space = result.phase_space
    return symmetry_claims(space.system, lambda name, gauge: is_symmetry(space, name, proofs, gauge))


def same_motion(result: SemiHamiltonianWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide whether X is the motion of Lagrange's multipliers, in the space around the spheres."""
    space, free = result.phase_space, result.motion.frame.free
    z = space.speeds
    u = z.velocities
    saddle = z.by_speeds([e for row in free.mass for e in row])
    size = len(u)
    mass = [saddle[k : k + size] for k in range(0, size * size, size)]
    moved = result.field.apply(u)
    forces = [dot(space.multipliers, column) for column in zip(*space.annihilator.values(), strict=True)]
    pushed = z.by_speeds([*free.force, *forces])
    parts = {
        repr(one): dot(row, moved) - pushed[k] - pushed[size + k]
        for k, (one, row) in enumerate(zip(space.frame.velocities, mass, strict=True))
    }
    return proofs.all_vanish(parts, result.manifold.facts)


# -- reduction -------------------------------------------------------------------------------------------------
def _casimirs(found: BracketOnQuotient, _: ProofBudget) -> list[Claim]:
    return [
        Claim("Casimir function", f"{text(c)} has zero bracket with all functions", "check", found.casimir_verdict(c))
        for c in found.casimirs
    ]


def _leaves(found: BracketOnQuotient, _: ProofBudget) -> list[Claim]:
    rank = found.rank()
    said = f"the bracket on C/G has rank {rank.rank} at generic points"
    return [Claim("rank of the reduced bracket", said, "question", rank.verdict)]


def _moves(found: BracketOnQuotient, proofs: ProofBudget) -> list[Claim]:
    by_energy = "that of the reduced energy by the reduced bracket"
    said = by_energy if is_plain(found.space.system) else "the projection of the whole motion"
    return [Claim("reduced motion", f"the motion on C/G is {said}", "check", found.moves(proofs))]


def _is_the_stated(found: BracketOnQuotient, proofs: ProofBudget) -> Verdict:
    assert isinstance(found.base, SeenBase)
    return found.base.is_the_stated(proofs)


_OF_THE_BRACKET = (
    Theorem(
        "seen from bodies",
        _REDUCED,
        "Lagrangian and constraints are the stated ones, in coordinates as bodies see them",
        "check",
        _is_the_stated,
        needs=lambda found: bool(found.base.configuration),
    ),
    Theorem(
        "reduced equations close",
        _REDUCED,
        "brackets, energy and motion of the reduced functions are invariant",
        "hypothesis",
        lambda found, proofs: found.closes(proofs),
    ),
    Theorem(
        "reduced bracket",
        _REDUCED,
        "the reduced bracket is that of omega_L: {x, P_a} = B_a(x), {P_a, P_b} = -<p, [B_a, B_b]>",
        "check",
        lambda found, proofs: found.is_that_of_the_form(proofs),
    ),
    Theorem(
        "reduced motion",
        _REDUCED,
        "the motion on C/G is that of the reduced energy by the reduced bracket",
        "check",
        _moves,
    ),
    Theorem(
        "reduced system is symplectic",
        _REDUCED,
        "the reduced bracket satisfies Jacobi's identity: the reduced system is Hamiltonian on its leaves",
        "question",
        lambda found, _: found.jacobi(),
        yes=(
            Sentence(
                "After reduction by its symmetry the bracket obeys Jacobi's identity and the motion is Hamiltonian.",
                given=("reduced motion", "semi-Hamiltonian"),
            ),
        ),
        topic="reduction",
    ),
    Theorem("rank of the reduced bracket", _REDUCED, "the rank of the bracket on C/G", "question", _leaves),
    Theorem("Casimir function", _REDUCED, "what has zero bracket with all functions", "check", _casimirs),
)


def _is_reduced(result: SemiHamiltonianWithoutCharts) -> bool:
    return bool(result.system.symmetry) and bool(result.find_group().names) and not result.find_obstacle()


def _is_plain(result: SemiHamiltonianWithoutCharts) -> bool:
    return is_plain(result.system)


THEOREMS: Sequence[Theorem] = (
    Theorem("involutive", "Frobenius", "D is involutive", "question", involutive, needs=_is_plain),
    Theorem(
        "integrable constraints",
        "Frobenius",
        "some of the constraints are integrable",
        "question",
        integrable,
        needs=lambda result: _is_plain(result) and bool(_on_velocities(result)),
    ),
    Theorem(
        "symmetry",
        "Patrick, section 4.1",
        "each generator leaves L, the constraints and time as they are",
        "question",
        generators,
    ),
    *about(lambda result: result.reduce(), _OF_THE_BRACKET, _is_reduced),
)

LAWS: Sequence[Theorem] = (
    Theorem(
        "bracket on the cotangent bundle",
        "Patrick, section 5",
        "the Legendre map carries the bracket to {q, pi_a} = Z_a, {pi_a, pi_b} = -<p, [Z_a, Z_b]>",
        "check",
        cotangent_bracket,
        needs=lambda result: not result.phase_space.is_bent,
    ),
    Theorem(
        "jacobi iff involutive",
        "Patrick, section 5",
        "Jacobi's identity holds exactly if D is involutive",
        "check",
        jacobi_iff_involutive,
        needs=_is_plain,
    ),
    Theorem(
        "motion by multipliers",
        "Lagrange",
        "the motion on C obeys the balances with the forces of the constraints",
        "check",
        same_motion,
    ),
)
