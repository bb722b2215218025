"""The cotangent side of a constrained system, and maps between semi-symplectic manifolds (Patrick, section 5).

The Legendre map carries D to D* = FL(D), omega_L to the canonical form and K to K* = TD* cap (T tau)^-1 D. There the
almost-Poisson bracket is known without any inverse: with fields Z_a that span D and the momenta pi_a = <p, Z_a>,

    {q^i, q^j} = 0,      {q^i, pi_a} = Z_a^i,      {pi_a, pi_b} = -<p, [Z_a, Z_b]>,

with p on D*. It is a second derivation of the bracket of the Lagrangian side. A semi-symplectomorphism preserves omega
on K and carries K into K.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import Expr, Operand, as_expr
from dalembert.expr.linear import null_space
from dalembert.expr.truth import Verdict, all_hold, depends_on_velocities, generic_rank, in_span, is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.forms import pull_back
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.claim import Claim


def cotangent_bracket(motion: ConstrainedMotion, manifold: SemiSymplectic, proofs: ProofBudget) -> Verdict:
    """Decide whether the bracket is that of the cotangent side, where virtual displacements are a distribution on Q."""
    fields = on_configurations(motion)
    system = motion.system
    assert system.lagrangian is not None
    assert fields is not None
    p = motion.manifold.on(gradient(system.lagrangian, system.v))
    momenta = [dot(p, z.components) for z in fields]
    of_momenta = manifold.field_of(*momenta)
    parts: dict[str, Expr] = {}
    for a, y in enumerate(of_momenta):
        for i, q in enumerate(system.q):
            parts[f"{{{q!r}, pi_{a + 1}}}"] = y(q) - fields[a].components[i]
        for b in range(a):
            stated = -dot(p, bracket(fields[b], fields[a]).components)
            parts[f"{{pi_{b + 1}, pi_{a + 1}}}"] = y(momenta[b]) - stated
    return proofs.all_vanish(parts, manifold.facts)


def virtual_distribution(motion: ConstrainedMotion) -> Distribution | None:
    """Return W as a distribution on Q, where it does not depend on the velocity."""
    if depends_on_velocities([entry for row in motion.annihilator for entry in row]):
        return None
    return Distribution.from_forms(motion.system.chart, motion.annihilator)


def on_configurations(motion: ConstrainedMotion) -> tuple[VectorField, ...] | None:
    """Return fields on Q that span W, where W does not depend on the velocity."""
    found = virtual_distribution(motion)
    return None if found is None else found.fields


def conservation_set(motion: ConstrainedMotion, most: int = 6) -> list[list[Expr]]:
    """Return a basis of the directions at q that lie in W_v for every v in C, at generic q (section 6).

    A generator that lies in it at all q has a conserved momentum. A direction is in every W_v if the annihilating forms
    and all their derivatives by the velocities vanish on it; derivatives are taken until no new condition comes.
    """
    rows = [list(row) for row in motion.annihilator]
    newest, rank = rows, generic_rank(rows).rank
    for _ in range(most):
        newest = [motion.manifold.along(row, {u: as_expr(1)}) for row in newest for u in motion.manifold.u]
        more = generic_rank([*rows, *newest]).rank if newest else rank
        rows = [*rows, *newest]
        if more == rank:
            break
        rank = more
    chosen = generic_rank(rows).rows
    return null_space([rows[i] for i in chosen])


def semi_symplectic_map(source: SemiSymplectic, target: SemiSymplectic, mapping: Sequence[Operand]) -> list[Claim]:
    """Decide whether a map, given by the target's coordinates as functions of the source's, is semi-symplectic.

    These carry fields along (Proposition 5.1). omega_1 = f^* omega_2 on K_1, and T f carries K_1 into K_2 (and onto it,
    where their ranks agree and T f is injective on K_1); where K-circ is stated, f^* carries K_2-circ into K_1-circ.
    """
    images = [as_expr(m) for m in mapping]
    pulled = pull_back(target.form, source.chart, images)
    parts: dict[str, Expr] = {}
    for i, x in enumerate(source.basis):
        for j in range(i):
            y = source.basis[j]
            parts[f"on K_{j + 1}, K_{i + 1}"] = pulled(y, x) - source.form(y, x)
    there = dict(zip(target.chart.coordinates, images, strict=True))
    forms = [substitute(list(row), there) for row in Distribution.from_fields(target.basis).forms]
    inside = {
        f"T f K_{n}, along {k}": is_zero(dot(form, x.apply(images)))
        for n, x in enumerate(source.basis, 1)
        for k, form in enumerate(forms, 1)
    }
    return [
        Claim("preserves omega", "omega_1 = f^* omega_2 on K_1", "question", all_vanish(parts, source.facts)),
        Claim("carries K", "T f carries K_1 into K_2", "question", all_hold(inside)),
        *_carries_observables(source, target, images),
    ]


def _carries_observables(source: SemiSymplectic, target: SemiSymplectic, images: Sequence[Expr]) -> list[Claim]:
    """Decide f^* alpha in K_1-circ, on K_1, for alpha in K_2-circ; there is nothing to ask where K_1-circ is K_1*."""
    if source.observables is None:
        return []
    there = dict(zip(target.chart.coordinates, images, strict=True))
    wide = target.observables
    if wide is None:
        wide = tuple(tuple(as_expr(int(i == j)) for j in range(len(images))) for i in range(len(images)))
    own = [[dot(row, k.components) for k in source.basis] for row in source.observables]
    moved = [k.apply(list(images)) for k in source.basis]
    pulled = [[dot(substitute(list(row), there), m) for m in moved] for row in wide]
    answer = in_span(own, pulled, "f^* K_2-circ, for K_1-circ")
    return [Claim("carries K-circ", "f^* carries K_2-circ into K_1-circ", "question", answer)]
