"""The reduced field on N_mu/G_mu and the rates that bring the rest back (Crampin and Mestdag, section VI).

Reduced variables are (x^i, v^i, theta^alpha), with the Lagrange-Routh equations for x^i and

    theta^alpha' = iota^b K_b^alpha - v^i Lam_i^alpha.

None of these depends on theta^A, so they are written at one value of theta^A (a reference) where the group acts freely.
The rates of theta^A are the lift. Where G_mu could not be made straight, all of N_mu is the state.

Where the invariant fields are known, the motion on N_mu has short formulas in the moving frame. With velocities w^a
along the invariant fields, theta' = w^a E^_a, an invariant Lagrangian is a function l(x, x', w) without theta, and p_a
= mu_a says dl/dw^a = Pi_a with Pi_a = A_a^b mu_b, the momentum in the moving frame. So on N_mu

    d/dt (dl/dx^i') = dl/dx^i,        d/dt (dl/dw^a) = Pi_a',

in which theta occurs in Pi alone. No connection is needed, and the mass matrix is that of Routh's equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, PI, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, depends_on, generic_rank, is_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.groups.invariant_frame import InvariantFields
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh
from dalembert.mechanics.common import along, divided_by, equations_of
from dalembert.mechanics.routh.frame import SymmetricFrame
from dalembert.mechanics.routh.level_set import LevelMotion, LevelSet, routh_form
from dalembert.mechanics.routh.moving_frame import frame_motion
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations

if TYPE_CHECKING:
    from dalembert.mechanics.routh.routh import Routh


def reduce(level: LevelSet, form: LevelMotion, shorten: SimplificationBudget) -> tuple[Equations, dict[Expr, Expr]]:
    """Return the reduced equations of a motion on a level set, and the value of each theta^A that they are written at.

    There are none such where the equations do not contain theta^A.
    """
    frame = level.frame
    moved = frame.fibre[: frame.isotropy_dimension] if frame.coordinates.straight else ()
    reference = _reference(level, form, moved)
    if reference is None:
        moved, reference = (), {}
    kept = frame.fibre[len(moved) :]
    size = len(frame.v_base)
    written = shorten.all(substitute(form.flat(kept), reference))
    lift, unknowns = _lift(level, form, moved, reference, shorten)
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
        velocities=frame.v_base,
        mass=tuple(map(tuple, mass)),
        force=tuple(force),
        implicit=implicit,
        reconstruction=lift,
        configuration={q: image for q, image in frame.coordinates.inverse.items() if image is not q},
        monitors={"energy": written[-1], **momenta},
        pivots=divided_by([*written, *lift.values()], shorten.all(_solved(frame, reference)), [frame.lagrangian]),
    )
    return equations, reference


def _solved(frame: SymmetricFrame, reference: dict[Expr, Expr]) -> list[Expr]:
    """Return what is divided by to solve for velocities along the group: det g_ab, and det K of the generators."""
    squares = [[substitute(row, reference) for row in rows] for rows in (frame.g_ab, frame.moves)]
    return [expanded_determinant(rows) for rows in squares]


def _reference(level: LevelSet, form: LevelMotion, moved: Sequence[Expr]) -> dict[Expr, Expr] | None:
    """Return values of theta^A at which the generators are independent and everything has a value; None if not found.

    Zero where that will do, a right angle or one elsewhere.
    """
    frame = level.frame
    functions = [*form.flat(frame.fibre), *level.residuals]
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
    form: LevelMotion,
    moved: Sequence[Expr],
    reference: dict[Expr, Expr],
    shorten: SimplificationBudget,
) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
    """Return the rates of theta^A, and the unknowns in them where they need some of their own.

    Of an Abelian G_mu with straight orbits these rates do not depend on theta^A, and are written at the reference too.
    """
    frame = level.frame
    rates = [frame.velocities[theta.dot] for theta in moved]
    slopes = [e(rate) for e in frame.e_complete[: frame.isotropy_dimension] for rate in rates]
    free = vanish(slopes, frame.system.facts)
    put = reference if free else {}
    own: dict[Expr, Expr] = {}
    if level.iota is None and not free and reference:
        taken = {q.data.name for q in frame.quasi_chart.coordinates}
        own = {v: symbol(Symbol(fresh(f"{v.data.name}_lift", taken))) for v in frame.v_fibre}
    written = shorten.all(substitute(substitute([form.rates[theta] for theta in moved], put), own))
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


# -- theorems ------------------------------------------------------------------------------------------------
def isotropy(result: Routh, proofs: ProofBudget) -> list[Claim]:
    """Decide C_Ab^c mu_c = 0."""
    frame = result.frame
    names, mu = frame.action.names, frame.momentum
    parts = {
        f"{names[a]} with {names[b]}": dot(row, mu)
        for a, rows in enumerate(frame.constants[: frame.isotropy_dimension])
        for b, row in enumerate(rows)
    }
    said = f"C_Ab^c mu_c = 0: g_mu is spanned by {', '.join(names[: frame.isotropy_dimension]) or 'nothing'}"
    return [Claim("isotropy", said, "check", proofs.all_vanish(parts, frame.system.facts))]


def straight(result: Routh, _: ProofBudget) -> Verdict:
    """Say whether G_mu moves the coordinates of the lift alone."""
    if result.orbit is not None:
        return Verdict(
            "undecided", "none were found in closed form: Pi on the coadjoint orbit of mu is in their place."
        )
    if len(result.lifted) == result.frame.isotropy_dimension:
        return Verdict("proved", "by the components of its generators.")
    why = "none were found in closed form: the state is all of N_mu; give others in [bundle] adapted and inverse."
    return Verdict("undecided", why)


def energy_balance(result: Routh, proofs: ProofBudget) -> Verdict:
    """Decide E' = -dL/dt: along the reduced motion, or where iota is not known on the tangent bundle.

    There each point lies on the level set of its own momentum.
    """
    frame, level = result.frame, result.level
    lagrangian = frame.quasi_lagrangian
    (power,) = level.restricted([diff(lagrangian, symbol(TIME))])
    if level.iota is not None:
        (rate,) = along(result.equations, [result.equations.monitors["energy"]])
    else:
        velocities = (*frame.v_base, *frame.v_fibre)
        energy = total([*((1, v * diff(lagrangian, v)) for v in velocities), (-1, lagrangian)])
        (rate,) = tangent([energy], result.motion.seed(frame))
    return proofs.is_zero(rate + power, frame.system.facts)


# -- identities ----------------------------------------------------------------------------------------------
def invariance_defects(result: Routh) -> dict[str, Expr]:
    """Return how the generators of g_mu move the reduced field."""
    frame = result.frame
    rates, _ = result.motion.accelerations(frame)
    kept = [*rates, *(frame.velocities[theta.dot] for theta in frame.fibre if theta not in result.lifted)]
    fields = frame.e_complete[: frame.isotropy_dimension]
    return {f"{k + 1}": moved for k, moved in enumerate(e(f) for e in fields for f in kept)}


def representative_defects(result: Routh) -> dict[str, Expr]:
    """Return what the motion on N_mu differs by from that at the reference, and how it depends on theta^A without."""
    form = body_form(result.level, result.invariant) or routh_form(result.level, result.motion)
    parts = form.flat([theta for theta in result.frame.fibre if theta not in result.lifted])
    if not result.reference:
        return {f"{k + 1} by {q!r}": diff(e, q) for k, e in enumerate(parts) for q in result.lifted}
    there = substitute(parts, result.reference)
    return {f"{k + 1}": one - other for k, (one, other) in enumerate(zip(parts, there, strict=True))}


def moving_frame_defects(result: Routh) -> dict[str, Expr]:
    """Return what the motion in the moving frame differs by from Routh's; nothing where there is no such frame."""
    body, fibre = body_form(result.level, result.invariant), result.frame.fibre
    pairs = (
        () if body is None else zip(body.flat(fibre), routh_form(result.level, result.motion).flat(fibre), strict=True)
    )
    return {f"{k + 1}": one - other for k, (one, other) in enumerate(pairs)}


def lagrange_routh_defects(result: Routh) -> dict[str, Expr]:
    """Return d/dt(dR^mu/dv^i) - dR^mu/dx^i + mu_a R_ij^a v^j + Lam_i^a dR^mu/dtheta^a, on R^mu itself."""
    frame, level = result.frame, result.level
    routhian = level.restricted_routhian()
    base, _ = result.motion.accelerations(frame)
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
    return parts


# -- in the moving frame ---------------------------------------------------------------------------------------
def body_form(
    level: LevelSet, invariant: InvariantFields | None, shorten: SimplificationBudget | None = None
) -> LevelMotion | None:
    """Return the motion in the moving frame, or None: the group commutes, no invariant fields, or iota not closed."""
    frame = level.frame
    if invariant is None or level.iota is None or frame.action.algebra.is_abelian:
        return None
    moving = [[e.components[frame.chart.place(theta)] for theta in frame.fibre] for e in invariant.fields]
    if depends_on([c for row in moving for c in row], frame.base):
        return None
    w = [symbol(Symbol(f"w of {name}")) for name in frame.action.names]
    lagrangian = body_lagrangian(frame, moving, w)
    if lagrangian is None:
        return None
    shorten = shorten or SimplificationBudget(0.0)
    return _motion(frame, invariant, moving, w, shorten(lagrangian), shorten)


def carried_by(moving: Sequence[Sequence[Expr]], w: Sequence[Expr]) -> list[Expr]:
    """Return theta' = w^a E^_a."""
    return [dot(w, column) for column in zip(*moving, strict=True)]


def body_lagrangian(frame: SymmetricFrame, moving: Sequence[Sequence[Expr]], w: Sequence[Expr]) -> Expr | None:
    """Return l(x, x', w): L at one element of the group, if it is the same at all of them."""
    rates = dict(zip((theta.dot for theta in frame.fibre), carried_by(moving, w), strict=True))
    (everywhere,) = substitute([frame.lagrangian], rates)
    choices = [(ZERO, PI / 2) if theta.data.domain == "angle" else (ZERO, ONE) for theta in frame.fibre]
    for values in product(*choices):
        put = dict(zip(frame.fibre, values, strict=True))
        try:
            if generic_rank([substitute(row, put) for row in moving]).rank < len(w):
                continue
            (here,) = substitute([everywhere], put)
        except ExpressionError:  # a pole
            continue
        return here if is_zero(everywhere - here, frame.system.facts).holds is True else None
    return None


def _motion(
    frame: SymmetricFrame,
    invariant: InvariantFields,
    moving: Sequence[Sequence[Expr]],
    w: list[Expr],
    lagrangian: Expr,
    shorten: SimplificationBudget,
) -> LevelMotion:
    base = range(len(frame.base))
    rest = dict.fromkeys(w, ZERO)
    spin = [dot(row, frame.momentum) for row in invariant.matrix]
    spin = shorten.all(spin)
    rates = dict(zip(frame.fibre, carried_by(moving, w), strict=True))
    mass, force, energy, inner = frame_motion(lagrangian, frame.base, w, tangent(spin, rates), shorten)
    offset = substitute(gradient(lagrangian, w), rest)
    solved = shorten.all(solve(inner, [s - o for s, o in zip(spin, offset, strict=True)]))
    flat = [*rates.values(), *(e for row in mass for e in row), *force, energy]
    flat = substitute(flat, dict(zip(w, solved, strict=True)))
    thetas, size = len(frame.fibre), len(base)
    rows = [tuple(flat[thetas + i * size : thetas + (i + 1) * size]) for i in base]
    return LevelMotion(
        dict(zip(frame.fibre, flat[:thetas], strict=True)),
        tuple(rows),
        tuple(flat[thetas + size * size : -1]),
        flat[-1],
    )
