"""A level set N_mu of momentum inside the tangent bundle: the fields that span it.

Everything is written on TM, in coordinates (q, q') and not in the quasi-velocities of ``routh.level_set``, so that what
follows is a second derivation of it; it is restricted to p_a = mu_a at the end (``sample_points``), for derivatives
along fields that are tangent to N_mu may be taken before. The basis E_a of the Lie algebra begins with one of g_mu
(index A; the others al). Crampin and Mestdag, sections II, III and V.

The connections on a level set N_mu of momentum (Crampin and Mestdag, section V).

Each is a projector on N_mu with values in the fundamental fields, and each sees of a tangent vector Z of N_mu only its
shadow T tau(Z) on M: Omega(Z) = Omega^a(T tau(Z)) bE_a^C, with one-forms Omega^a along tau. So a connection is a list
of fields and a list of one-forms, whose coefficients are functions on TM:

    Omega^m      mechanical             G^AB g(E~_B, .)              on N_mu -> N_mu/G_mu
    Omega^V      vertical lift          omega^a                      on N_mu -> T(M/G)
    Omega_0^V    orthogonal             g^ab g(E~_b, .)              on N_mu -> T(M/G)
    Omega^N_mu   Omega^m o Omega^V      omega^A + Y_al^A omega^al    on N_mu -> N_mu/G_mu

with (G^AB) inverse to (g_AB), Y_al^A = G^AB g_Bal and Y_i^A = G^AB g_Bi. Where the coefficients of Omega^m are
functions on M they are the connection omega^mu on M -> M/G_mu.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient, hessian, partial_time, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, in_basis
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import complete_lift, tangent_chart, vertical_lift
from dalembert.mechanics.routh.frame import SymmetricFrame
from dalembert.records import dataclass

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


def level_frame(level: MomentumLevel) -> LevelFrame:
    """Return quasi-velocities, momenta, Hessian and tangent fields of a level set."""
    lagrangian, velocities = level.lagrangian, list(level.velocities)
    basis = [*level.horizontal, *level.generators]
    quasi = in_basis(velocities, basis)
    base = len(level.horizontal)
    slopes = gradient(lagrangian, velocities)
    momenta = [dot(slopes, e.components) for e in level.generators]
    metric = hessian(lagrangian, velocities)
    forms = [lowered(metric, field.components) for field in basis]
    table = [[dot(form, field.components) for field in basis] for form in forms]
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
    routhian = total([(1, level.lagrangian), (-1, dot(frame.group_velocities, frame.momenta))])
    slopes = [x(routhian) for x in frame.vertical_fields]
    mass = [x.apply(slopes) for x in frame.vertical_fields]
    known: list[tuple[Expr | int, VectorField]] = [(1, frame.time_field)]
    known += [*zip(frame.base_velocities, frame.base_fields, strict=True)]
    known += [*zip(frame.group_velocities, frame.group_fields, strict=True)]
    drift = sum_of(known, tangent_chart(level.chart))
    force = []
    for i, x in enumerate(level.horizontal):
        turned = [dot(curvature(level, x, y), frame.momenta) for y in level.horizontal]
        gyroscopic = dot(turned, frame.base_velocities)
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


# -- connections -----------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class LevelConnection:
    """A connection on N_mu: fundamental fields on TM, and one-forms along tau by their coefficients."""

    name: str
    fields: tuple[VectorField, ...]
    forms: Rows

    def components(self, field: VectorField) -> list[Expr]:
        """Return Omega^a(Z)."""
        size = len(self.forms[0]) if self.forms else 0
        return [dot(form, field.components[:size]) for form in self.forms]

    def vertical_part(self, field: VectorField) -> VectorField:
        """Return Omega(Z)."""
        return sum_of(list(zip(self.components(field), self.fields, strict=True)), field.chart)

    def horizontal_part(self, field: VectorField) -> VectorField:
        """Return Z - Omega(Z)."""
        return field - self.vertical_part(field)


# -- the four ------------------------------------------------------------------------------------------------
def mechanical(frame: LevelFrame) -> LevelConnection:
    """Return Omega^m: horizontal is what is orthogonal to the orbits of G_mu, by the Hessian of L."""
    inner = frame.level.inner
    forms = _orthogonal_forms(frame, inner)
    return LevelConnection("mechanical", tuple(complete_lift(frame.level.generators[a]) for a in inner), forms)


def orthogonal(frame: LevelFrame) -> LevelConnection:
    """Return Omega_0^V: horizontal is what is orthogonal to the orbits of all of G."""
    forms = _orthogonal_forms(frame, range(len(frame.group_fields)))
    return LevelConnection("orthogonal", frame.group_fields, forms)


def _orthogonal_forms(frame: LevelFrame, chosen: Sequence[int]) -> Rows:
    rows = [lowered(frame.hessian, frame.level.generators[a].components) for a in chosen]
    block = [[frame.group_part[a][b] for b in chosen] for a in chosen]
    columns = [solve(block, [row[j] for row in rows]) for j in range(frame.level.chart.dimension)]
    return tuple(tuple(column[k] for column in columns) for k in range(len(rows)))


def vertical_lift_connection(frame: LevelFrame) -> LevelConnection:
    """Return Omega^V, made of the connection omega on M -> M/G that the X_i are horizontal for."""
    level = frame.level
    basis = [*level.horizontal, *level.generators]
    size = level.chart.dimension
    columns = [in_basis([ONE if i == j else ZERO for i in range(size)], basis) for j in range(size)]
    forms = tuple(tuple(column[k] for column in columns) for k in range(len(level.horizontal), size))
    return LevelConnection("vertical lift", frame.group_fields, forms)


def after(first: LevelConnection, second: LevelConnection) -> LevelConnection:
    """Return the composition first o second; Omega^N_mu is that of Omega^m and Omega^V."""
    crossed = [first.components(field) for field in second.fields]
    size = len(second.forms[0])
    forms = tuple(
        tuple(
            total([(1, row[k] * form[j]) for row, form in zip(crossed, second.forms, strict=True)]) for j in range(size)
        )
        for k in range(len(first.forms))
    )
    return LevelConnection(f"{first.name} after {second.name}", first.fields, forms)


# -- horizontal fields ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Horizontals:
    """The fields that are horizontal for Omega^m, and the coefficients in them."""

    outer_coefficients: Rows
    """Y_al^A = G^AB g_Bal."""
    base_coefficients: Rows
    """Y_i^A = G^AB g_Bi."""
    outer_fields: tuple[VectorField, ...]
    """bE_al^H = bE_al^C - Y_al^A E~_A^C."""
    base_fields: tuple[VectorField, ...]
    """bX_i^H = bX_i^C - Y_i^A E~_A^C."""


def horizontals(frame: LevelFrame) -> Horizontals:
    """Return Y_al^A, Y_i^A and the horizontal fields that they make."""
    inner, outer = frame.level.inner, frame.level.outer
    block = [[frame.group_part[a][b] for b in inner] for a in inner]
    lifts = [complete_lift(frame.level.generators[a]) for a in inner]
    along = [solve(block, [frame.group_part[b][al] for b in inner]) for al in outer]
    across = [solve(block, [row[b] for b in inner]) for row in frame.mixed_part]

    def level(field: VectorField, coefficients: Sequence[Expr]) -> VectorField:
        return sum_of([(1, field), *((-y, e) for y, e in zip(coefficients, lifts, strict=True))], field.chart)

    return Horizontals(
        tuple(map(tuple, along)),
        tuple(map(tuple, across)),
        tuple(level(frame.group_fields[al], y) for al, y in zip(outer, along, strict=True)),
        tuple(level(field, y) for field, y in zip(frame.base_fields, across, strict=True)),
    )


# -- what a connection must obey -----------------------------------------------------------------------------
def projection_defects(connection: LevelConnection) -> dict[str, Expr]:
    """Return what must vanish for a connection to reproduce its vertical fields: Omega^a(bE_b^C) - delta^a_b."""
    return {
        f"{connection.name}: form {a + 1} on field {b + 1}": value - (ONE if a == b else ZERO)
        for b, field in enumerate(connection.fields)
        for a, value in enumerate(connection.components(field))
    }


def equivariance_defects(frame: LevelFrame, connection: LevelConnection) -> dict[str, Expr]:
    """Return what must vanish on N_mu for a connection to be G_mu-invariant.

    The forms turn as L_{E~_A} Omega^b = C_Ac^b Omega^c and the fields as [E~_A^C, bE_b^C] = -C_Ab^c bE_c^C.
    """
    level, places = frame.level, range(len(connection.fields))
    coordinates = level.chart.coordinates
    defects: dict[str, Expr] = {}
    for a in level.inner:
        generator, lift = level.generators[a], complete_lift(level.generators[a])
        slopes = [tangent(list(generator.components), {q: ONE}) for q in coordinates]
        for b in places:
            moved = lift.apply(list(connection.forms[b]))
            wanted = [
                [(level.constants[a][c][b], row[j]) for c, row in enumerate(connection.forms)]
                for j in range(len(moved))
            ]
            for j, q in enumerate(coordinates):
                turned = dot(connection.forms[b], slopes[j])
                value = total([(1, moved[j]), (1, turned), *((-1, k * w) for k, w in wanted[j])])
                defects[f"{connection.name}: form {b + 1} on {q!r} moved by generator {a + 1}"] = value
            crossed = bracket(lift, connection.fields[b])
            # g_mu is an algebra of its own, so the constants beyond its fields are zero where there are none
            rest = sum_of([(1, crossed), *zip(level.constants[a][b], connection.fields, strict=False)], crossed.chart)
            for q, value in zip(crossed.chart.coordinates, rest.components, strict=True):
                defects[f"{connection.name}: field {b + 1} along {q!r} moved by generator {a + 1}"] = value
    return defects


def sees_no_velocity(frame: LevelFrame, connection: LevelConnection) -> Verdict:
    """Decide whether the coefficients of a connection are functions on M."""
    entries = [entry for form in connection.forms for entry in form]
    parts = {
        f"the slope of coefficient {k} along {v!r}": tangent([entry], {v: ONE})[0]
        for k, entry in enumerate(entries, 1)
        for v in frame.level.velocities
        if v.data in symbols([entry])
    }
    return all_vanish(parts, frame.level.facts)


def isotropy_form(frame: LevelFrame, connection: LevelConnection) -> list[Form] | None:
    """Return omega^mu on M -> M/G_mu, the mechanical connection of the G_mu-action; None where it is none on M.

    The one-forms of Omega^m are those of omega^mu where their coefficients do not depend on velocities.
    """
    if sees_no_velocity(frame, connection).holds is not True:
        return None
    rest = dict.fromkeys(frame.level.velocities, ZERO)
    return [one_form(frame.level.chart, substitute(list(form), rest)) for form in connection.forms]
