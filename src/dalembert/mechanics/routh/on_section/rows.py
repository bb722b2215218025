"""The theorems on Routh's procedure by a section through the orbits."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.expr.calculus import diff, gradient, hessian, tangent
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, all_hold, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot, sign, signature
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.routh import hypotheses
from dalembert.mechanics.routh.hypotheses import momenta_of
from dalembert.mechanics.routh.on_section.derived import RouthOnSection
from dalembert.mechanics.routh.without_charts import rows as without_charts
from dalembert.mechanics.theorem import Theorem, decided_by
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.claim import Claim

_PAPER = "Crampin-Mestdag, section"


def _accelerations(result: RouthOnSection) -> tuple[list[Expr], list[Expr]]:
    """Return g^-1 q' and g^-1 q'' = A(w) V + V', by (x, x', Pi, w), from the equations and the lift alone."""
    velocity = result.moving_velocity
    bent = tangent(velocity, result.seed())
    linear = result.section.affine.linear
    size = range(len(velocity))
    turned = [
        total([(1, w * rows[i][j] * velocity[j]) for w, rows in zip(result.w, linear, strict=True) for j in size])
        for i in size
    ]
    return velocity, [a + b for a, b in zip(turned, bent, strict=True)]


def motion_defects(result: RouthOnSection) -> dict[str, Expr]:
    """Return the Euler-Lagrange expressions of the stated L at g^-1 (q, q', q''), which are those at q moved by g."""
    system = result.system
    assert system.lagrangian is not None
    velocity, acceleration = _accelerations(result)
    put = dict(zip(system.q, result.section.point, strict=True)) | dict(zip(system.v, velocity, strict=True))
    put |= {q.dot.dot: a for q, a in zip(system.q, acceleration, strict=True)}
    expressions = substitute(euler_operators(system.lagrangian, system.q, 1), put)
    return {f"the equation of {q!r}": e for q, e in zip(system.q, result.restricted(expressions), strict=True)}


def _all_vanish(result: RouthOnSection, parts: Mapping[str, Expr], proofs: ProofBudget) -> Verdict:
    """Decide that functions of (x, x', Pi, w) vanish where dl/dw = Pi."""
    facts = result.system.facts
    if result.velocities is not None:
        return proofs.all_vanish(parts, facts)
    pairs = list(zip(result.momenta, gradient(result.lagrangian, result.w), strict=True))
    named = {pi: slope for pi, slope in pairs if pi in result.equations.kinematics}
    told = dict(zip(parts, substitute(list(parts.values()), named), strict=True))
    fixed = tuple(slope - pi for pi, slope in pairs if pi not in named)
    if not fixed:
        return proofs.all_vanish(told, facts)
    held = Held(fixed, (*result.equations.velocities, *result.section.base, *result.w), tuple(facts))
    return all_hold({name: held.vanishes(part) for name, part in told.items()})


def _full_equations(result: RouthOnSection, proofs: ProofBudget) -> Verdict:
    return _all_vanish(result, motion_defects(result), proofs)


def _level_set(result: RouthOnSection, proofs: ProofBudget) -> Verdict:
    """Decide that the momentum of the stated L on the section is Pi."""
    system = result.system
    put = dict(zip(system.q, result.section.point, strict=True))
    put |= dict(zip(system.v, result.moving_velocity, strict=True))
    found = result.restricted(substitute(momenta_of(system, result.action), put))
    pairs = zip(result.action.names, found, result.momenta, strict=True)
    return _all_vanish(result, {f"the momentum {name}": p - pi for name, p, pi in pairs}, proofs)


def _energy_balance(result: RouthOnSection, proofs: ProofBudget) -> Verdict:
    lagrangian, seed = result.lagrangian, result.seed()
    velocities = (*result.w, *(x.dot for x in result.section.base))
    energy = total([*((1, v * diff(lagrangian, v)) for v in velocities), (-1, lagrangian)])
    (rate,) = tangent([energy], seed)
    (whole,) = result.restricted([rate + diff(lagrangian, symbol(TIME))])
    return _all_vanish(result, {"the rate of the energy": whole}, proofs)


def _isotropy(result: RouthOnSection, proofs: ProofBudget) -> list[Claim]:
    algebra, mu = result.algebra, result.symmetry.values
    inside = result.adapted.matrix[: result.adapted.isotropy_dimension]
    parts = {
        f"vector {k} with {name}": total([(1, c * dot(algebra.constants[a][b], mu)) for a, c in enumerate(row)])
        for k, row in enumerate(inside, 1)
        for b, name in enumerate(result.action.names)
    }
    said = f"C_Ab^c mu_c = 0: g_mu, of dimension {len(inside)}, leaves mu alone"
    return [Claim("isotropy", said, "check", proofs.all_vanish(parts, result.system.facts))]


def _casimirs(result: RouthOnSection, proofs: ProofBudget) -> list[Claim]:
    """Say which functions of Pi are constant, and what they make of the orbit of mu."""
    known = [(c, value) for c, value in zip(result.casimirs, result.casimir_values(), strict=True) if c is not value]
    seed = result.seed()
    claims = []
    for k, (casimir, value) in enumerate(known, 1):
        (rate,) = result.restricted(tangent([casimir], seed))
        said = f"{text(casimir)} = {text(value)} along the motions{_shape(result, casimir, value)}"
        kept = _all_vanish(result, {"its rate": rate}, proofs)
        claims.append(Claim(f"Casimir {k}", said, "check", kept))
    return claims


def _shape(result: RouthOnSection, casimir: Expr, value: Expr) -> str:
    """Return what a quadric in three momenta is, by the signs of its squares and of the Casimir at mu."""
    free = [pi for pi in result.momenta if pi.op == "symbol"]
    squares = signature(hessian(casimir, free)) if len(free) == 3 else None
    side = sign(value)
    if squares is None or squares[2] or side is None:
        return ""
    if min(squares[:2]) == 0:
        return ": a sphere, or an ellipsoid" if side else ": the point 0"
    if side == 0:
        return ": half of a cone without its tip"
    one_sheet = (squares[0] == 2) == (side > 0)
    return ": a hyperboloid of one sheet" if one_sheet else ": a sheet of a hyperboloid of two sheets"


def _dimension(result: RouthOnSection, _: ProofBudget) -> list[Claim]:
    """Say how many dimensions N_mu/G_mu has, and how many relations hold between the variables."""
    rank = result.algebra.dimension - result.adapted.isotropy_dimension
    free = [pi for pi in result.momenta if pi in result.equations.kinematics]
    base = len(result.section.base)
    said = (
        f"N_mu/G_mu has dimension {2 * base + rank}: {base} coordinates of Q/G, their velocities, and a coadjoint "
        f"orbit of dimension {rank}"
    )
    said += f" in the space of {', '.join(map(text, free))}" if free else ""
    counted = generic_rank(result.algebra.coadjoint_matrix(result.symmetry.values))
    verdict = (
        counted.verdict if counted.rank == rank else Verdict("refuted", f"the orbit has dimension {counted.rank}.")
    )
    return [Claim("coadjoint orbit", said, "check", verdict)]


THEOREMS = (
    *decided_by(without_charts.THEOREMS, {
        "full equations": _full_equations, "level set": _level_set, "energy balance": _energy_balance,
        "isotropy": _isotropy,
    }),
    Theorem("coadjoint orbit", f"{_PAPER} VI", "Pi moves on the coadjoint orbit of mu", "check", _dimension),
    Theorem("Casimir", "Lie; Poisson", "functions of Pi that are constant on coadjoint orbits", "check", _casimirs),
    Theorem("regular", "Legendre", "L is regular", "hypothesis", lambda result, _: [hypotheses.regular(result.system)]),
    Theorem(DIVIDES, f"{_PAPER} III", "the reduced equations divide by nothing that vanishes", "question",
        lambda result, _: divided_claims(result.equations.pivots, result.system.facts, "the reduced equations")),
    Theorem("free action", f"{_PAPER} II", "the generators are independent", "hypothesis",
        lambda result, _: [hypotheses.free_action(result.action)]),
)  # fmt: skip
"""What is decided of a reduction by a section."""
