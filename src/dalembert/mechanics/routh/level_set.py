"""The level set N_mu of momentum p_a = mu_a and what is tangent to it (Crampin and Mestdag, section III).

Barred fields are tangent to all level sets: with (X_i^C + A_i^b E~_b^V)(p_a) = 0 and so on,

    bX_i^C = X_i^C + A_i^b E~_b^V,   bX_i^V = X_i^V + B_i^b E~_b^V,   bE_a^C = E~_a^C + C_a^b E~_b^V,

B_i^a = -g^ab g_ib and C_a^b = g^bc C_ac^d p_d. On N_mu the velocities along the group are v^a = iota^a(x, theta, v^i):
in closed form where p_a is linear in them, else they stay unknowns, and what is differentiated is so implicitly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import product

from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, combination
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.routh.frame import Rows, SymmetricFrame
from dalembert.records import dataclass


@dataclass(frozen=True)
class LevelSet:
    """N_mu, its injection iota into the tangent bundle, and the barred fields, on the quasi-chart of the frame."""

    frame: SymmetricFrame
    iota: tuple[Expr, ...] | None
    """iota^a on (x, theta, v^i), or None where p_a = mu_a has no closed solution."""

    @cached_property
    def routhian(self) -> Expr:
        """R = L - v^a p_a on the tangent bundle."""
        return self._less(self.frame.p)

    @cached_property
    def a_coefficients(self) -> Rows:
        """A_i^b."""
        frame = self.frame
        return tuple(tuple(solve(frame.g_ab, [-m for m in x.apply(frame.p)])) for x in frame.x_complete)

    @cached_property
    def b_coefficients(self) -> Rows:
        """B_i^b = -g^ab g_ia."""
        frame = self.frame
        return tuple(tuple(solve(frame.g_ab, [-row[i] for row in frame.g_ai])) for i in range(len(frame.base)))

    @cached_property
    def c_coefficients(self) -> Rows:
        """C_a^b = g^bc C_ac^d p_d."""
        frame = self.frame
        turned = [[dot(row, frame.p) for row in t] for t in frame.constants]
        return tuple(tuple(solve(frame.g_ab, row)) for row in turned)

    @cached_property
    def x_complete(self) -> tuple[VectorField, ...]:
        """bX_i^C."""
        return _barred(self.frame, self.frame.x_complete, self.a_coefficients)

    @cached_property
    def x_vertical(self) -> tuple[VectorField, ...]:
        """bX_i^V."""
        return _barred(self.frame, self.frame.x_vertical, self.b_coefficients)

    @cached_property
    def e_complete(self) -> tuple[VectorField, ...]:
        """bE_a^C."""
        return _barred(self.frame, self.frame.e_complete, self.c_coefficients)

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
        return self.restricted([self._less(self.frame.momentum)])[0]

    def _less(self, momenta: Sequence[Expr]) -> Expr:
        """Return L less the pairing of v^a with momenta."""
        paid = [(-1, v * p) for v, p in zip(self.frame.v_fibre, momenta, strict=True)]
        return total([(1, self.frame.quasi_lagrangian), *paid])

    def shortened(self, shorten: SimplificationBudget) -> LevelSet:
        """Return the same with L in quasi-velocities, the curvature and iota in shorter form."""
        frame = self.frame.shortened(shorten)
        return LevelSet(frame, None if self.iota is None else tuple(shorten.all(_solved(frame))))


def level_set(frame: SymmetricFrame) -> LevelSet:
    """Return the level set of the momentum of a frame; with v^a on it where the momenta are linear in them."""
    bent = [slope for row in frame.g_ab for entry in row for slope in gradient(entry, frame.v_fibre)]
    return LevelSet(frame, tuple(_solved(frame)) if vanish(bent, frame.system.facts) else None)


def _barred(frame: SymmetricFrame, fields: Sequence[VectorField], coefficients: Rows) -> tuple[VectorField, ...]:
    return tuple(
        combination([(ONE, field), *zip(row, frame.e_vertical, strict=True)])
        for field, row in zip(fields, coefficients, strict=True)
    )


def _solved(frame: SymmetricFrame) -> list[Expr]:
    """Return v^a on N_mu where the momenta are linear in them."""
    rest = dict.fromkeys(frame.v_fibre, ZERO)
    matrix = [substitute(row, rest) for row in frame.g_ab]
    offset = substitute(list(frame.p), rest)
    return solve(matrix, [mu - o for mu, o in zip(frame.momentum, offset, strict=True)])


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


@dataclass(frozen=True, slots=True)
class LevelMotion:
    """The motion on one level set N_mu, all by (x, theta, x'), and by v^a where iota is not known."""

    rates: dict[Expr, Expr]
    """theta'."""
    mass: Rows
    force: tuple[Expr, ...]
    energy: Expr

    def flat(self, kept: Sequence[Expr]) -> list[Expr]:
        """Return mass, force, rates of some theta and energy, in this order."""
        rates = [self.rates[theta] for theta in kept]
        return [*(e for row in self.mass for e in row), *self.force, *rates, self.energy]


def routh_form(level: LevelSet, motion: Motion) -> LevelMotion:
    """Return the motion by Routh's equations, with mu_a for p_a in front of the curvature: the same, and shorter."""
    frame, size = level.frame, len(level.frame.v_base)
    pairs = list(product(range(len(frame.p)), range(size)))
    force = []
    for given, bent in zip(motion.force, frame.curvature, strict=True):
        change = [(1, (frame.p[a] - frame.momentum[a]) * bent[j][a] * frame.v_base[j]) for a, j in pairs]
        force.append(total([(1, given), *change]))
    momenta = [*(diff(frame.quasi_lagrangian, v) for v in frame.v_base), *frame.momentum]
    paid = zip((*frame.v_base, *frame.v_fibre), momenta, strict=True)
    energy = total([*((1, v * p) for v, p in paid), (-1, frame.quasi_lagrangian)])
    flat = level.restricted([*frame.velocities.values(), *(e for row in motion.mass for e in row), *force, energy])
    rates = dict(zip(frame.fibre, flat, strict=False))
    rows = [flat[len(rates) + i * size : len(rates) + (i + 1) * size] for i in range(size)]
    return LevelMotion(rates, tuple(map(tuple, rows)), tuple(flat[-1 - size : -1]), flat[-1])
