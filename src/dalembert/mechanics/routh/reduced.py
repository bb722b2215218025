"""The reduced field on N_mu/G_mu and the rates that bring the rest back (Crampin and Mestdag, section VI).

Reduced variables are (x^i, v^i, theta^alpha), with the Lagrange-Routh equations for x^i and

    theta^alpha' = iota^b K_b^alpha - v^i Lam_i^alpha.

None of these depends on theta^A, so they are written at one value of theta^A (a reference) where the group acts freely.
The rates of theta^A are the lift. Where G_mu could not be made straight, all of N_mu is the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, tangent
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ONE, PI, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, generic_rank, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.invariant_fields import InvariantFields
from dalembert.geometry.straighten import fresh
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.routh.body_frame import BodyForm, body_form
from dalembert.mechanics.routh.level_set import LevelSet, Motion
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations

__all__ = ["Reduced", "reduce"]


@dataclass(frozen=True, slots=True)
class Reduced:
    """The equations on N_mu/G_mu with their reconstruction, and what was found on the way."""

    level: LevelSet
    equations: Equations
    reference: dict[Expr, Expr]
    """The value of each theta^A at which the reduced equations are written; empty where they do not contain them."""
    energy: Expr
    """E on N_mu, at the reference."""
    claims: tuple[Claim, ...]

    @property
    def lifted(self) -> tuple[Expr, ...]:
        """The coordinates theta^A."""
        return tuple(self.equations.lift)


def reduce(level: LevelSet, motion: Motion, shorten: Shortening, invariant: InvariantFields | None = None) -> Reduced:
    """Return the reduced equations of a level set; with invariant fields they are written in the moving frame."""
    frame = level.frame
    straight = frame.coordinates.straight
    moved = frame.fibre[: frame.isotropy_dimension] if straight else ()
    body = body_form(level, invariant, shorten)
    reference = _reference(level, motion, body, moved)
    if reference is None:
        moved, reference = (), {}
    kept = frame.fibre[len(moved) :]
    size = len(frame.v_base)
    slopes = [diff(frame.quasi_lagrangian, v) for v in frame.v_base]
    paid = zip((*frame.v_base, *frame.v_fibre), (*slopes, *frame.momentum), strict=True)
    energy = total([*((1, v * p) for v, p in paid), (-1, frame.quasi_lagrangian)])
    whole = [
        *(entry for row in motion.mass for entry in row),
        *(_with_momentum(level, motion, i) for i in range(size)),
        *(frame.velocities[theta.dot] for theta in kept),
        energy,
    ]
    plain = level.restricted(whole)
    actual = plain if body is None else _of_body(body, kept)
    written = shorten.all(substitute(actual, reference))
    lift, unknowns = _lift(level, body, moved, reference, shorten)
    mass = [written[i * size : (i + 1) * size] for i in range(size)]
    force, rates = written[size * size : size * size + size], written[size * size + size : -1]
    implicit, momenta = _implicit(level, reference, unknowns)
    equations = equations_of(
        frame.system,
        "routh",
        kinematics={
            **dict(zip(frame.base, frame.v_base, strict=True)),
            **dict(zip(kept, rates, strict=True)),
        },
        moving=frame.v_base,
        mass=tuple(map(tuple, mass)),
        force=tuple(force),
        implicit=implicit,
        lift=lift,
        configuration={q: image for q, image in frame.coordinates.inverse.items() if image is not q},
        monitors={"energy": written[-1], **momenta},
    )
    claims = _claims(level, motion, moved, kept, actual, reference, equations, written[-1])
    if body is not None:
        parts = {f"{k + 1}": one - other for k, (one, other) in enumerate(zip(actual, plain, strict=True))}
        said = "the equations written in the moving frame are Routh's"
        claims.append(Claim("moving frame", said, "check", all_vanish(parts, frame.system.facts)))
    return Reduced(level, equations, reference, written[-1], tuple(claims))


def _of_body(body: BodyForm, kept: Sequence[Expr]) -> list[Expr]:
    """Return mass, force, rates of theta^alpha and energy, in this order."""
    return [*(e for row in body.mass for e in row), *body.force, *(body.rates[theta] for theta in kept), body.energy]


def _with_momentum(level: LevelSet, motion: Motion, i: int) -> Expr:
    """Return the force with mu_a for p_a in front of the curvature: the same on N_mu, and shorter."""
    frame = level.frame
    pairs = product(range(len(frame.p)), range(len(frame.v_base)))
    change = [(1, (frame.p[a] - frame.momentum[a]) * frame.curvature[i][j][a] * frame.v_base[j]) for a, j in pairs]
    return total([(1, motion.force[i]), *change])


# -- the reference -------------------------------------------------------------------------------------------
def _reference(
    level: LevelSet, motion: Motion, body: BodyForm | None, moved: Sequence[Expr]
) -> dict[Expr, Expr] | None:
    """Return values of theta^A at which the generators are independent and everything has a value; None if not found.

    Zero where that will do, a right angle or one elsewhere.
    """
    frame = level.frame
    entries = [*(e for row in motion.mass for e in row), *motion.force, *frame.velocities.values()]
    functions = [*level.restricted([*entries, frame.quasi_lagrangian]), *level.residuals]
    if body is not None:
        functions += _of_body(body, frame.fibre)
    seen = symbols(functions)
    written = [theta for theta in moved if theta.data in seen]
    choices = [(ZERO, PI / 2) if theta.data.domain == "angle" else (ZERO, ONE) for theta in written]
    for values in product(*choices):
        put = dict(zip(written, values, strict=True))
        try:
            moves = [substitute(row, put) for row in frame.moves]
            inner = [substitute(row, put) for row in frame.g_ab]
            substitute(functions, put)
            if all(generic_rank(rows).rank == len(rows) for rows in (moves, inner)):
                return put
        except ExpressionError:  # a pole
            continue
    return None


def _lift(
    level: LevelSet,
    body: BodyForm | None,
    moved: Sequence[Expr],
    reference: dict[Expr, Expr],
    shorten: Shortening,
) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
    """Return the rates of theta^A, and the unknowns in them where they need some of their own.

    Of an Abelian G_mu with straight orbits these rates do not depend on theta^A, and are written at the reference too.
    """
    frame = level.frame
    rates = [frame.velocities[theta.dot] for theta in moved]
    slopes = [e(rate) for e in frame.e_complete[: frame.isotropy_dimension] for rate in rates]
    free = all(is_zero(slope, frame.system.facts).holds is True for slope in slopes)
    put = reference if free else {}
    own: dict[Expr, Expr] = {}
    if level.iota is None and not free and reference:
        taken = {q.data.name for q in frame.quasi_chart.coordinates}
        own = {v: symbol(Symbol(fresh(f"{v.data.name}_lift", taken))) for v in frame.v_fibre}
    here = level.restricted(rates) if body is None else [body.rates[theta] for theta in moved]
    written = shorten.all(substitute(substitute(here, put), own))
    return dict(zip(moved, written, strict=True)), own


def _implicit(
    level: LevelSet, reference: dict[Expr, Expr], own: dict[Expr, Expr]
) -> tuple[dict[Expr, Expr], dict[str, Expr]]:
    """Return unknowns with their residuals, and the momenta as monitors, where iota is not known."""
    if level.iota is not None:
        return {}, {}
    frame = level.frame
    here = substitute(level.residuals, reference)
    there = substitute(level.residuals, own) if own else []
    unknowns = dict(zip((*frame.v_fibre, *own.values()), (*here, *there), strict=True))
    names = [f"momentum {a}" for a in frame.action.names]
    return unknowns, dict(zip(names, substitute(list(frame.p), reference), strict=True))


# -- claims --------------------------------------------------------------------------------------------------
def _claims(
    level: LevelSet,
    motion: Motion,
    moved: Sequence[Expr],
    kept: Sequence[Expr],
    actual: Sequence[Expr],
    reference: dict[Expr, Expr],
    equations: Equations,
    energy: Expr,
) -> list[Claim]:
    frame = level.frame
    facts = frame.system.facts
    claims = [_isotropy_claim(level), _straight_claim(level, moved)]
    if moved:
        rates, _ = motion.accelerations(frame)
        dropped = [*rates, *(frame.velocities[theta.dot] for theta in kept)]
        fields = frame.e_complete[: frame.isotropy_dimension]
        parts = {f"{k + 1}": moved for k, moved in enumerate(e(f) for e in fields for f in dropped)}
        names = ", ".join(repr(theta) for theta in moved)
        said = f"the reduced field does not depend on {names}"
        claims.append(Claim("theta^A dropped out", said, "check", all_vanish(parts, facts)))
        if level.iota is not None:
            parts = {
                f"{k + 1}": one - other
                for k, (one, other) in enumerate(zip(actual, substitute(list(actual), reference), strict=True))
            }
            parts |= {f"{k + 1} by {q!r}": diff(e, q) for k, e in enumerate(actual) for q in moved if not reference}
            claims.append(
                Claim("reference", f"it is the same at every value of {names}", "check", all_vanish(parts, facts))
            )
    if level.iota is None:
        claims.append(_energy_kept(level, motion))
    else:
        claims += [_level_claim(level), _before_claim(level, motion), _energy_claim(level, equations, energy)]
    return claims


def _isotropy_claim(level: LevelSet) -> Claim:
    frame = level.frame
    group = range(len(frame.p))
    constants, mu = frame.action.algebra.constants, frame.momentum
    parts = {
        f"{frame.action.names[a]} with {frame.action.names[b]}": total([(1, constants[a][b][c] * mu[c]) for c in group])
        for a in range(frame.isotropy_dimension)
        for b in group
    }
    names = ", ".join(frame.action.names[: frame.isotropy_dimension]) or "nothing"
    said = f"C_Ab^c mu_c = 0: g_mu is spanned by {names}"
    return Claim("isotropy", said, "check", all_vanish(parts, frame.system.facts))


def _straight_claim(level: LevelSet, moved: Sequence[Expr]) -> Claim:
    said = "coordinates are known in which G_mu moves theta^A alone, and a value of these at which it acts freely"
    if len(moved) == level.frame.isotropy_dimension:
        return Claim("adapted coordinates", said, "question", Verdict("proved", "by the components of its generators."))
    why = "none were found in closed form: the state is all of N_mu; give others in [bundle] adapted and inverse."
    return Claim("adapted coordinates", said, "question", Verdict("undecided", why))


def _level_claim(level: LevelSet) -> Claim:
    parts = {
        f"the momentum of {a}": r
        for a, r in zip(level.frame.action.names, level.restricted(level.residuals), strict=True)
    }
    return Claim("level set", "p_a = mu_a at v^a = iota^a", "check", all_vanish(parts, level.frame.system.facts))


def _before_claim(level: LevelSet, motion: Motion) -> Claim:
    """The coordinate form d/dt(dR^mu/dv^i) - dR^mu/dx^i = -mu_a R_ij^a v^j - Lam_i^a dR^mu/dtheta^a on R^mu itself."""
    frame = level.frame
    routhian = level.restricted_routhian()
    base, _ = motion.accelerations(frame)
    angles = [frame.velocities[theta.dot] for theta in frame.fibre]
    rates = level.restricted([*base, *angles])
    seed = {
        symbol(TIME): ONE,
        **dict(zip(frame.base, frame.v_base, strict=True)),
        **dict(zip((*frame.v_base, *frame.fibre), rates, strict=True)),
    }
    moved = tangent([diff(routhian, v) for v in frame.v_base], seed)
    parts = {}
    for i, x in enumerate(frame.base):
        pairs = product(range(len(frame.p)), range(len(frame.v_base)))
        bent = [(1, frame.momentum[a] * frame.curvature[i][j][a] * frame.v_base[j]) for a, j in pairs]
        parts[f"the equation of {x!r}"] = total([(1, moved[i]), (-1, frame.horizontal[i](routhian)), *bent])
    said = "the equations with iota put into R^mu before differentiating are the same"
    return Claim("Lagrange-Routh equations", said, "check", all_vanish(parts, frame.system.facts))


def _energy_claim(level: LevelSet, equations: Equations, energy: Expr) -> Claim:
    (rate,) = tangent([energy], {**equations.rates(), symbol(TIME): ONE})
    timed = diff(level.frame.quasi_lagrangian, symbol(TIME))
    (power,) = level.restricted([timed])
    said = "the energy changes along the reduced motion by explicit time in L only"
    return Claim("energy balance", said, "check", is_zero(rate + power, level.frame.system.facts))


def _energy_kept(level: LevelSet, motion: Motion) -> Claim:
    """The same on the tangent bundle, where each point lies on the level set of its own momentum."""
    frame = level.frame
    velocities = (*frame.v_base, *frame.v_fibre)
    lagrangian = frame.quasi_lagrangian
    energy = total([*((1, v * diff(lagrangian, v)) for v in velocities), (-1, lagrangian)])
    (rate,) = tangent([energy], motion.seed(frame))
    said = "the energy changes by explicit time in L only"
    verdict = is_zero(rate + diff(lagrangian, symbol(TIME)), frame.system.facts)
    return Claim("energy balance", said, "check", verdict)
