"""The level set N_mu of momentum p_a = mu_a and what is tangent to it (Crampin and Mestdag, section III).

Barred fields are tangent to all level sets: with (X_i^C + A_i^b E~_b^V)(p_a) = 0 and so on,

    bX_i^C = X_i^C + A_i^b E~_b^V,   bX_i^V = X_i^V + B_i^b E~_b^V,   bE_a^C = E~_a^C + C_a^b E~_b^V,

B_i^a = -g^ab g_ib and C_a^b = g^bc C_ac^d p_d. On N_mu the velocities along the group are v^a = iota^a(x, theta, v^i):
in closed form where p_a is linear in them, else they stay unknowns, and what is differentiated is so implicitly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, combination
from dalembert.mechanics.routh.frame import Rows, SymmetricFrame

__all__ = ["LevelSet", "Motion", "level_set", "motion_on_level_sets"]


@dataclass(frozen=True, slots=True)
class LevelSet:
    """N_mu, its injection iota into the tangent bundle, and the barred fields, on the quasi-chart of the frame."""

    frame: SymmetricFrame
    iota: tuple[Expr, ...] | None
    """iota^a on (x, theta, v^i), or None where p_a = mu_a has no closed solution."""
    routhian: Expr
    """R = L - v^a p_a on the tangent bundle."""
    a_coefficients: Rows
    """A_i^b."""
    b_coefficients: Rows
    """B_i^b = -g^ab g_ia."""
    c_coefficients: Rows
    """C_a^b = g^bc C_ac^d p_d."""
    x_complete: tuple[VectorField, ...]
    """bX_i^C."""
    x_vertical: tuple[VectorField, ...]
    """bX_i^V."""
    e_complete: tuple[VectorField, ...]
    """bE_a^C."""

    @property
    def residuals(self) -> list[Expr]:
        """The functions p_a - mu_a, which vanish on N_mu."""
        return [p - mu for p, mu in zip(self.frame.p, self.frame.momentum, strict=True)]

    def restricted(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return functions on the tangent bundle at v^a = iota^a; where this has no closed form, as they are."""
        if self.iota is None:
            return list(functions)
        return substitute(list(functions), dict(zip(self.frame.v_fibre, self.iota, strict=True)))

    def restricted_routhian(self) -> Expr:
        """Return R^mu = L - v^a mu_a on N_mu."""
        frame = self.frame
        paid = [(-1, v * mu) for v, mu in zip(frame.v_fibre, frame.momentum, strict=True)]
        return self.restricted([total([(1, frame.quasi_lagrangian), *paid])])[0]


def level_set(frame: SymmetricFrame, shorten: Shortening) -> LevelSet:
    """Return the level set of the momentum of a frame."""
    group, base = range(len(frame.v_fibre)), range(len(frame.v_base))
    complete = [field.apply(frame.p) for field in frame.x_complete]
    a = tuple(tuple(solve(frame.g_ab, [-moved for moved in row])) for row in complete)
    b = tuple(tuple(solve(frame.g_ab, [-frame.g_ai[c][i] for c in group])) for i in base)
    constants = frame.action.algebra.constants
    turned = [[total([(1, constants[e][c][d] * frame.p[d]) for d in group]) for c in group] for e in group]
    c = tuple(tuple(solve(frame.g_ab, row)) for row in turned)
    paid = [(-1, v * p) for v, p in zip(frame.v_fibre, frame.p, strict=True)]
    return LevelSet(
        frame,
        _iota(frame, shorten),
        total([(1, frame.quasi_lagrangian), *paid]),
        a,
        b,
        c,
        _barred(frame, frame.x_complete, a),
        _barred(frame, frame.x_vertical, b),
        _barred(frame, frame.e_complete, c),
    )


def _barred(frame: SymmetricFrame, fields: Sequence[VectorField], coefficients: Rows) -> tuple[VectorField, ...]:
    return tuple(
        combination([(ONE, field), *zip(row, frame.e_vertical, strict=True)])
        for field, row in zip(fields, coefficients, strict=True)
    )


def _iota(frame: SymmetricFrame, shorten: Shortening) -> tuple[Expr, ...] | None:
    """Return v^a on N_mu where the momenta are linear in them."""
    v = list(frame.v_fibre)
    bent = [slope for row in frame.g_ab for entry in row for slope in gradient(entry, v) if slope is not ZERO]
    if any(is_zero(slope, frame.system.facts).holds is not True for slope in bent):
        return None
    rest = dict.fromkeys(v, ZERO)
    matrix = [substitute(row, rest) for row in frame.g_ab]
    offset = substitute(list(frame.p), rest)
    values = [mu - o for mu, o in zip(frame.momentum, offset, strict=True)]
    return tuple(shorten.all(solve(matrix, values)))


# -- motion --------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Motion:
    """The Euler-Lagrange field Gamma in quasi-velocities, by the generalised Routh equations in coordinates.

    d/dt(dR^mu/dv^i) = (d/dx^i - Lam_i^a d/dtheta^a) R^mu - mu_a R_ij^a v^j, the derivatives taken on N_mu. The first
    ones of R^mu are those of L at fixed v^a (its derivatives by v^a are mu_a); d/dt moves v^a so that p_a stay as they
    are.
    """

    mass: Rows
    """g_ij - g^ab g_ia g_jb, the Hessian of R^mu."""
    force: tuple[Expr, ...]
    """What mass * v^i' is, on all of the tangent bundle: each point lies on the level set of its own momentum."""
    drift: tuple[Expr, ...]
    """The rates of p_a at fixed quasi-velocities."""

    def accelerations(self, frame: SymmetricFrame) -> tuple[list[Expr], list[Expr]]:
        """Return Gamma^i and Gamma^a, the rates of v^i and of v^a."""
        rates = solve(self.mass, self.force) if self.force else []
        pulled = [
            total([(-1, d), *((-1, g * r) for g, r in zip(row, rates, strict=True))])
            for d, row in zip(self.drift, frame.g_ai, strict=True)
        ]
        return rates, solve(frame.g_ab, pulled)

    def seed(self, frame: SymmetricFrame) -> dict[Expr, Expr]:
        """Return the rates of all of (t, x, theta, v^i, v^a) along the motions."""
        base, group = self.accelerations(frame)
        moving = dict(zip((*frame.v_base, *frame.v_fibre), (*base, *group), strict=True))
        return {**fixed_velocity_seed(frame), **moving}


def fixed_velocity_seed(frame: SymmetricFrame) -> dict[Expr, Expr]:
    """Return the rates of t, x and theta."""
    positions = dict(zip(frame.base, frame.v_base, strict=True))
    angles = {theta: frame.velocities[theta.dot] for theta in frame.fibre}
    return {**positions, **angles, symbol(TIME): ONE}


def motion_on_level_sets(frame: SymmetricFrame) -> Motion:
    """Return mass and force of the generalised Routh equations."""
    base, group = range(len(frame.v_base)), range(len(frame.v_fibre))
    slopes = [diff(frame.quasi_lagrangian, v) for v in frame.v_base]
    moved = tangent([*frame.p, *slopes], fixed_velocity_seed(frame))
    drift, carried = moved[: len(group)], moved[len(group) :]
    pulled = solve(frame.g_ab, drift)
    columns = [solve(frame.g_ab, [frame.g_ai[a][j] for a in group]) for j in base]
    mass = [
        [total([(1, frame.g_ij[i][j]), *((-1, frame.g_ai[a][i] * columns[j][a]) for a in group)]) for j in base]
        for i in base
    ]
    force = []
    for i in base:
        bent = [(-1, frame.p[a] * frame.curvature[i][j][a] * frame.v_base[j]) for a in group for j in base]
        along = [(1, frame.g_ai[a][i] * pulled[a]) for a in group]
        force.append(total([(1, frame.horizontal[i](frame.quasi_lagrangian)), *bent, (-1, carried[i]), *along]))
    return Motion(tuple(map(tuple, mass)), tuple(force), tuple(drift))
