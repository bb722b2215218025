"""A level set N_mu of momentum inside the tangent bundle: the fields that span it, and how to restrict to it.

Everything is written on TM, in coordinates (q, q') and not in the quasi-velocities of ``routh_level``, so that what
follows is a second road to it; it is restricted to p_a = mu_a at the end, for derivatives along fields that are tangent
to N_mu may be taken before. The basis E_a of the Lie algebra begins with one of g_mu (index A; the others al). Crampin
and Mestdag, sections II, III and V.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dalembert.expr.calculus import gradient, hessian, partial_time, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Verdict, generic_rank, is_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, in_basis
from dalembert.geometry.lifts import complete_lift, tangent_chart, vertical_lift
from dalembert.mechanics.routh_frame import SymmetricFrame
from dalembert.mechanics.vanishing import all_vanish

__all__ = [
    "LevelFrame", "MomentumLevel", "all_on_level", "curvature", "level_frame", "level_of", "level_point", "lowered",
    "on_level", "pairing", "routh_accelerations", "sum_of",
]  # fmt: skip

Rows = tuple[tuple[Expr, ...], ...]

_MOST_CHOICES = 400
"""So many choices of symbols are tried before a level set counts as not solvable."""


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

    No Euler-Lagrange equation is used, so Gamma put together from these is a second road to it.
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


# -- restriction ---------------------------------------------------------------------------------------------
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


def level_point(level: MomentumLevel) -> dict[Expr, Expr] | None:
    """Return what to put for velocities (and, where need be, parameters) so that p_a = mu_a; None where nothing does.

    Quasi-velocities are free symbols but for as many as there are momenta. Those are solved for in which the momenta
    are linear: the v^a if possible, else others, else parameters: what holds for all of these holds on N_mu.
    """
    names = [symbol(Symbol(f"v{i + 1}")) for i in range(len(level.horizontal))]
    group = [symbol(Symbol(f"w{a + 1}")) for a in range(len(level.generators))]
    pairs = [*zip(names, level.horizontal, strict=True), *zip(group, level.generators, strict=True)]
    moving = combination(pairs).components
    put = dict(zip(level.velocities, moving, strict=True))
    slopes = substitute(gradient(level.lagrangian, list(level.velocities)), put)
    defects = [pairing(slopes, e.components) - mu for e, mu in zip(level.generators, level.momentum, strict=True)]
    solved = _solved(defects, group, names)
    if solved is None:
        return None
    return {**dict(zip(put, substitute(list(moving), solved), strict=True)), **_only_parameters(solved)}


def _only_parameters(solved: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    return {s: value for s, value in solved.items() if s.data.role == "parameter"}


def _solved(defects: Sequence[Expr], group: Sequence[Expr], base: Sequence[Expr]) -> dict[Expr, Expr] | None:
    """Solve the equations for as many symbols in which they are linear, preferring the group's quasi-velocities."""
    present = symbols(defects)
    parameters = sorted((symbol(s) for s in present if s.role == "parameter"), key=lambda p: str(p.data.label))
    slopes: dict[Expr, list[Expr]] = {}
    bent: dict[Expr, bool] = {}
    for count, chosen in enumerate(combinations([*group, *base, *parameters], len(defects))):
        if count >= _MOST_CHOICES:
            return None
        for c in chosen:
            if c not in bent:
                slopes[c] = tangent(list(defects), {c: ONE})
                bent[c] = _depend(slopes[c], [c])
        if any(bent[c] for c in chosen) or _depend([entry for c in chosen for entry in slopes[c]], chosen):
            continue
        flat = dict.fromkeys(chosen, ZERO)
        columns = [substitute(slopes[c], flat) for c in chosen]
        matrix = [[column[k] for column in columns] for k in range(len(defects))]
        if generic_rank(matrix).rank == len(chosen):
            answer = solve(matrix, [-rest for rest in substitute(list(defects), flat)])
            return dict(zip(chosen, answer, strict=True))
    return None


def _depend(functions: Sequence[Expr], variables: Sequence[Expr]) -> bool:
    """Say whether functions depend on variables, or may do so."""
    names = {v.data for v in variables}
    there = [f for f in functions if not names.isdisjoint(symbols([f]))]
    return any(is_zero(slope).holds is not True for f in there for slope in gradient(f, list(variables)))


def on_level(level: MomentumLevel, point: Mapping[Expr, Expr] | None, parts: Mapping[str, Expr]) -> Verdict:
    """Decide whether functions on TM vanish on N_mu, at the points that :func:`level_point` gives."""
    return all_on_level(level, point, {"": parts})[""]


def all_on_level(
    level: MomentumLevel, point: Mapping[Expr, Expr] | None, groups: Mapping[str, Mapping[str, Expr]]
) -> dict[str, Verdict]:
    """Decide it for several groups of functions: all together first, for they share most of what they are made of."""
    if point is None:
        said = "the momenta are linear in no choice of velocities and parameters, so N_mu has no points in closed form"
        return dict.fromkeys(groups, Verdict("undecided", said))
    names = [(group, name) for group, parts in groups.items() for name in parts]
    values = substitute([groups[group][name] for group, name in names], dict(point))
    whole = all_vanish({f"{k}": value for k, value in enumerate(values)}, level.facts) if len(groups) > 1 else None
    if whole is not None and whole.holds:
        return dict.fromkeys(groups, whole)
    restricted: dict[str, dict[str, Expr]] = {group: {} for group in groups}
    for (group, name), value in zip(names, values, strict=True):
        restricted[group][name] = value
    return {group: all_vanish(parts, level.facts) for group, parts in restricted.items()}
