"""A level set N_mu of momentum inside the tangent bundle: the fields that span it.

Everything is written on TM, in coordinates (q, q') and not in the quasi-velocities of ``routh.level_set``, so that what
follows is a second derivation of it; it is restricted to p_a = mu_a at the end (``sample_points``), for derivatives
along fields that are tangent to N_mu may be taken before. The basis E_a of the Lie algebra begins with one of g_mu
(index A; the others al). Crampin and Mestdag, sections II, III and V.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr.calculus import gradient, hessian, partial_time
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Fact
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, in_basis
from dalembert.geometry.lifts import complete_lift, tangent_chart, vertical_lift
from dalembert.mechanics.routh.frame import SymmetricFrame

__all__ = [
    "LevelFrame", "MomentumLevel", "curvature", "level_frame", "level_of", "lowered", "pairing", "routh_accelerations",
    "sum_of",
]  # fmt: skip

Rows = tuple[tuple[Expr, ...], ...]


@dataclass(frozen=True, slots=True)
class MomentumLevel:
    """An invariant Lagrangian, its symmetry in a basis adapted to mu, and a standard basis {X_i, E~_a}."""

    chart: Chart
    lagrangian: Expr
    generators: tuple[VectorField, ...]
    """E~_a: first those of g_mu, then the others."""
    constants: tuple[Rows, ...]
    """C_ab^c of the Lie algebra of the group: [E~_a, E~_b] = -C_ab^c E~_c."""
    momentum: tuple[Expr, ...]
    """mu_a in the same basis."""
    isotropy: int
    """The dimension of g_mu."""
    horizontal: tuple[VectorField, ...]
    """X_i: invariant, and horizontal for the principal connection that was chosen."""
    facts: tuple[Fact, ...] = ()

    @property
    def inner(self) -> range:
        """The indices A of g_mu."""
        return range(self.isotropy)

    @property
    def outer(self) -> range:
        """The indices al of the complement."""
        return range(self.isotropy, len(self.generators))

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """The velocities q'."""
        return tuple(q.dot for q in self.chart.coordinates)


@dataclass(frozen=True, slots=True)
class LevelFrame:
    """What section III makes of a level set: quasi-velocities, momenta, Hessian, and the fields tangent to N_mu."""

    level: MomentumLevel
    base_velocities: tuple[Expr, ...]
    """v^i."""
    group_velocities: tuple[Expr, ...]
    """v^a; iota^a on N_mu."""
    momenta: tuple[Expr, ...]
    """p_a."""
    hessian: Rows
    """d^2 L/dq'^2; on the standard basis it has the components that follow."""
    group_part: Rows
    """g_ab."""
    mixed_part: Rows
    """g_ia."""
    base_part: Rows
    """g_ij."""
    shift: Rows
    """B_i^a = -g^ab g_ib."""
    group_fields: tuple[VectorField, ...]
    """bE_a^C = E~_a^C + C_a^b E~_b^V."""
    base_fields: tuple[VectorField, ...]
    """bX_i^C = X_i^C + A_i^b E~_b^V."""
    vertical_fields: tuple[VectorField, ...]
    """bX_i^V = X_i^V + B_i^b E~_b^V."""
    time_field: VectorField
    """D^b E~_b^V with (d_t + D^b E~_b^V)(p_a) = 0: zero where L does not depend on time."""

    @property
    def orthogonal_fields(self) -> tuple[VectorField, ...]:
        """hatX_i^C = bX_i^C + B_i^a bE_a^C, with S(hatX_i^C) = bX_i^V."""
        return tuple(
            sum_of([(1, field), *zip(row, self.group_fields, strict=True)], field.chart)
            for field, row in zip(self.base_fields, self.shift, strict=True)
        )


def sum_of(terms: Sequence[tuple[Expr | int, VectorField]], chart: Chart) -> VectorField:
    """Return a sum of functions times fields, which may have no terms at all."""
    return combination(terms) if terms else VectorField(chart, (ZERO,) * chart.dimension)


def lowered(matrix: Sequence[Sequence[Expr]], vector: Sequence[Expr]) -> list[Expr]:
    """Return the one-form g(X, .)."""
    size = range(len(vector))
    return [total([(1, matrix[i][j] * vector[i]) for i in size if vector[i] is not ZERO]) for j in size]


def pairing(form: Sequence[Expr], vector: Sequence[Expr]) -> Expr:
    """Return the value of a one-form on a vector."""
    return total([(1, a * x) for a, x in zip(form, vector, strict=True)])


def level_frame(level: MomentumLevel) -> LevelFrame:
    """Return quasi-velocities, momenta, Hessian and tangent fields of a level set."""
    lagrangian, velocities = level.lagrangian, list(level.velocities)
    basis = [*level.horizontal, *level.generators]
    quasi = in_basis(velocities, basis)
    base = len(level.horizontal)
    slopes = gradient(lagrangian, velocities)
    momenta = [pairing(slopes, e.components) for e in level.generators]
    metric = hessian(lagrangian, velocities)
    forms = [lowered(metric, field.components) for field in basis]
    table = [[pairing(form, field.components) for field in basis] for form in forms]
    group = [row[base:] for row in table[base:]]
    lifts = [vertical_lift(e) for e in level.generators]

    def kept(field: VectorField) -> VectorField:
        """Return the field with what keeps the momenta added: (Z + D^b E~_b^V)(p_a) = 0."""
        drift = solve(group, [-rate for rate in field.apply(momenta)])
        return sum_of([(1, field), *zip(drift, lifts, strict=True)], field.chart)

    return LevelFrame(
        level,
        tuple(quasi[:base]),
        tuple(quasi[base:]),
        tuple(momenta),
        tuple(map(tuple, metric)),
        tuple(map(tuple, group)),
        tuple(tuple(row[base:]) for row in table[:base]),
        tuple(tuple(row[:base]) for row in table[:base]),
        tuple(tuple(solve(group, [-entry for entry in row[base:]])) for row in table[:base]),
        tuple(kept(complete_lift(e)) for e in level.generators),
        tuple(kept(complete_lift(x)) for x in level.horizontal),
        tuple(kept(vertical_lift(x)) for x in level.horizontal),
        sum_of(list(zip(solve(group, [-partial_time(p) for p in momenta]), lifts, strict=True)), lifts[0].chart),
    )


def routh_accelerations(frame: LevelFrame) -> list[Expr]:
    """Return Gamma^i from the generalized Routh equations: Gamma(bX_i^V R) - bX_i^C(R) = -p_a R_ij^a v^j.

    No Euler-Lagrange equation is used, so Gamma put together from these is a second derivation of it.
    """
    level = frame.level
    if not level.horizontal:
        return []
    routhian = total([(1, level.lagrangian), (-1, pairing(frame.group_velocities, frame.momenta))])
    slopes = [x(routhian) for x in frame.vertical_fields]
    mass = [x.apply(slopes) for x in frame.vertical_fields]
    known: list[tuple[Expr | int, VectorField]] = [(1, frame.time_field)]
    known += [*zip(frame.base_velocities, frame.base_fields, strict=True)]
    known += [*zip(frame.group_velocities, frame.group_fields, strict=True)]
    drift = sum_of(known, tangent_chart(level.chart))
    force = []
    for i, x in enumerate(level.horizontal):
        turned = [pairing(curvature(level, x, y), frame.momenta) for y in level.horizontal]
        gyroscopic = pairing(turned, frame.base_velocities)
        carried = drift(slopes[i]) + partial_time(slopes[i])
        force.append(total([(1, frame.base_fields[i](routhian)), (-1, gyroscopic), (-1, carried)]))
    return solve(mass, force)


def curvature(level: MomentumLevel, left: VectorField, right: VectorField) -> list[Expr]:
    """Return R^a with [X, Y] = R^a E~_a for two invariant horizontal fields that are lifts of coordinate fields."""
    return in_basis(bracket(left, right).components, [*level.horizontal, *level.generators])[len(level.horizontal) :]


def level_of(frame: SymmetricFrame) -> MomentumLevel:
    """Return the level set of the momentum that a standard basis is adapted to."""
    return MomentumLevel(
        frame.chart,
        frame.lagrangian,
        frame.action.generators,
        frame.action.algebra.constants,
        frame.momentum,
        frame.isotropy_dimension,
        frame.horizontal,
        tuple(frame.system.facts),
    )
