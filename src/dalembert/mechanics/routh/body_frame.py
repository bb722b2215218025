"""The same motion on N_mu in the moving frame: short formulas where the invariant fields are known.

With velocities w^a along the invariant fields, theta' = w^a E^_a, an invariant Lagrangian is a function l(x, x', w)
without theta, and p_a = mu_a says dl/dw^a = Pi_a with Pi_a = A_a^b mu_b, the momentum in the moving frame. So on N_mu

    d/dt (dl/dx^i') = dl/dx^i,        d/dt (dl/dw^a) = Pi_a',

in which theta occurs in Pi alone. No connection is needed, and the mass matrix is that of Routh's equations.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.graph import ONE, PI, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import depends_on, generic_rank, is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.invariant_fields import InvariantFields
from dalembert.mechanics.routh.frame import SymmetricFrame
from dalembert.mechanics.routh.level_set import LevelMotion, LevelSet

__all__ = ["body_form"]


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
    lagrangian = _body_lagrangian(frame, moving, w)
    if lagrangian is None:
        return None
    shorten = shorten or SimplificationBudget(0.0)
    return _motion(frame, invariant, moving, w, shorten(lagrangian), shorten)


def _carried(moving: Sequence[Sequence[Expr]], w: Sequence[Expr]) -> list[Expr]:
    """Return theta' = w^a E^_a."""
    return [total([(1, v * c) for v, c in zip(w, column, strict=True)]) for column in zip(*moving, strict=True)]


def _body_lagrangian(frame: SymmetricFrame, moving: Sequence[Sequence[Expr]], w: Sequence[Expr]) -> Expr | None:
    """Return l(x, x', w): L at one element of the group, if it is the same at all of them."""
    rates = dict(zip((theta.dot for theta in frame.fibre), _carried(moving, w), strict=True))
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
    base, group = range(len(frame.base)), range(len(w))
    rest = dict.fromkeys(w, ZERO)
    spin = [total([(1, c * mu) for c, mu in zip(row, frame.momentum, strict=True)]) for row in invariant.matrix]
    spin = shorten.all(spin)
    momenta = gradient(lagrangian, [*w, *frame.v_base])
    whole = hessian(lagrangian, [*w, *frame.v_base])
    inner = [shorten.all(substitute(row[: len(w)], rest)) for row in whole[: len(w)]]
    offset = substitute(momenta[: len(w)], rest)
    solved = shorten.all(solve(inner, [s - o for s, o in zip(spin, offset, strict=True)]))
    rates = dict(zip(frame.fibre, _carried(moving, w), strict=True))
    turned = tangent(spin, rates)
    drift = tangent(momenta, {**dict(zip(frame.base, frame.v_base, strict=True)), symbol(TIME): ONE})
    pulled = solve(inner, [t - d for t, d in zip(turned, drift[: len(w)], strict=True)])
    mixed = [[whole[len(w) + i][a] for a in group] for i in base]
    columns = [solve(inner, mixed[j]) for j in base]
    mass = [
        [total([(1, whole[len(w) + i][len(w) + j]), *((-1, mixed[i][a] * columns[j][a]) for a in group)]) for j in base]
        for i in base
    ]
    slopes = gradient(lagrangian, frame.base)
    force = [
        total([(1, slopes[i]), (-1, drift[len(w) + i]), *((-1, mixed[i][a] * pulled[a]) for a in group)]) for i in base
    ]
    paid = zip((*w, *frame.v_base), momenta, strict=True)
    energy = total([*((1, v * p) for v, p in paid), (-1, lagrangian)])
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
