"""Reconstruction after Routh's reduction: how the motion on N_mu comes back from that on N_mu/G_mu.

A principal connection on N_mu -> N_mu/G_mu takes Gamma apart into a vertical part and the horizontal lift of the
reduced field; with a horizontal lift of the reduced motion, the curve g(t) in G_mu with g^-1 g' = Omega(Gamma) carries
it to a motion. There are two connections to do it with, Omega^m and Omega^N_mu, and Gamma is

    Gamma = Phi^A   E~_A^C + Psi^al hatE_al^H + v^i bX_i^C + Gamma^i bX_i^V        Phi^A   = iota^A + Y_al^A iota^al
          = Phi_m^A E~_A^C + Psi^al hatE_al^H + v^i bX_i^H + Gamma^i bX_i^V        Phi_m^A = Phi^A + Y_i^A v^i
          = (v^a - B_i^a v^i) bE_a^C + Gamma_0,        Gamma_0 = v^i hatX_i^C + Gamma^i bX_i^V

(Crampin and Mestdag, sections IV to VI, with the sign of B in the last line as it must be.) The first two take the
Hessian of L to be regular on g_mu, which does not follow from its being regular on g where it is indefinite.

What sections V and VI of Crampin and Mestdag claim of the connections on N_mu, decided on N_mu.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import partial_time
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, total
from dalembert.expr.truth import Facts, Verdict, generic_rank
from dalembert.expr.truth.many import components_of
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.frames import coordinate_frame, projected_equations
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import complete_lift, second_order_field
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.routh.reconstruction.connections import (
    Horizontals,
    LevelConnection,
    LevelFrame,
    MomentumLevel,
    Rows,
    after,
    equivariance_defects,
    horizontals,
    level_frame,
    mechanical,
    orthogonal,
    projection_defects,
    routh_accelerations,
    sum_of,
    vertical_lift_connection,
)
from dalembert.mechanics.routh.reconstruction.sample_points import all_on_level, level_point
from dalembert.model.claim import Claim
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class IsotropyParts:
    """What is orthogonal to the orbits of G_mu: there where the Hessian of L is regular on g_mu."""

    horizontal: Horizontals
    mechanical: LevelConnection
    """Omega^m."""
    combined: LevelConnection
    """Omega^N_mu = Omega^m o Omega^V."""
    phi: tuple[Expr, ...]
    """Phi^A: the vertical part of Gamma for Omega^N_mu."""
    phi_mechanical: tuple[Expr, ...]
    """Phi_m^A: that for Omega^m."""


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A level set with its connections, and the Euler-Lagrange field as each of them sees it."""

    frame: LevelFrame
    isotropy_rank: int
    """The rank of (g_AB), the Hessian of L on g_mu, at a generic point."""
    isotropy: IsotropyParts | None
    """None where that is less than the dimension of g_mu."""
    vertical_lift: LevelConnection
    """Omega^V."""
    orthogonal: LevelConnection
    """Omega_0^V."""
    gamma: VectorField
    """The Euler-Lagrange field on TM."""
    accelerations: tuple[Expr, ...]
    """Gamma^i, from the generalized Routh equations."""
    adjoint: Rows | None
    """A_a^b with hatE_a = A_a^b E~_b invariant, where it is known."""
    psi: tuple[Expr, ...] | None
    """Psi^al: the part of the reduced field along G/G_mu, in the basis hatE_al^H."""

    @property
    def level(self) -> MomentumLevel:
        """The level set."""
        return self.frame.level

    @property
    def singular(self) -> str:
        """Why there is no mechanical connection; empty where there is one."""
        if self.isotropy is not None:
            return ""
        rank = f"{self.isotropy_rank} of {self.level.isotropy}"
        return f"the Hessian of L is singular on g_mu: the matrix g_AB has rank {rank} at generic points"

    def _inner(self) -> IsotropyParts:
        if self.isotropy is None:
            raise refusal("reconstruction", [Fault("mechanical connection", self.singular)])
        return self.isotropy

    @property
    def horizontal(self) -> Horizontals:
        """The fields that are horizontal for Omega^m."""
        return self._inner().horizontal

    @property
    def mechanical(self) -> LevelConnection:
        """Omega^m."""
        return self._inner().mechanical

    @property
    def combined(self) -> LevelConnection:
        """Omega^N_mu = Omega^m o Omega^V."""
        return self._inner().combined

    @property
    def phi(self) -> tuple[Expr, ...]:
        """Phi^A."""
        return self._inner().phi

    @property
    def phi_mechanical(self) -> tuple[Expr, ...]:
        """Phi_m^A."""
        return self._inner().phi_mechanical


def euler_lagrange_field(level: MomentumLevel) -> VectorField:
    """Return Gamma on TM, from the Euler-Lagrange equations in coordinates."""
    equations = projected_equations(level.lagrangian, coordinate_frame(level.chart))
    return second_order_field(level.chart, equations.accelerations())


def reconstruct(level: MomentumLevel, adjoint: Rows | None = None) -> Reconstruction:
    """Return the connections on a level set and what they make of Gamma.

    ``adjoint`` is the matrix A_a^b of the invariant fields in the adapted basis, where it is known.
    """
    frame = level_frame(level)
    second = vertical_lift_connection(frame)
    rank = _isotropy_rank(frame)
    psi = None
    if adjoint is not None:
        outer = level.outer
        turned = [frame.group_velocities[al] for al in outer]
        psi = tuple(solve([[adjoint[al][be] for al in outer] for be in outer], turned))
    return Reconstruction(
        frame,
        rank,
        _isotropy_parts(frame, second) if rank == level.isotropy else None,
        second,
        orthogonal(frame),
        euler_lagrange_field(level),
        tuple(routh_accelerations(frame)),
        adjoint,
        psi,
    )


def _isotropy_rank(frame: LevelFrame) -> int:
    """Return the rank of (g_AB) at a generic point; where it cannot be found, as if it were full."""
    inner, facts = frame.level.inner, Facts.of(frame.level.facts)
    try:
        return generic_rank([facts.apply([frame.group_part[a][b] for b in inner]) for a in inner]).rank
    except ExpressionError:
        return len(inner)


def _isotropy_parts(frame: LevelFrame, vertical_lift: LevelConnection) -> IsotropyParts:
    """Return what takes (g_AB) to be regular."""
    inner, iota = frame.level.inner, frame.group_velocities
    found, first = horizontals(frame), mechanical(frame)
    turned = [iota[al] for al in frame.level.outer]
    phi = [total([(1, iota[a]), (1, dot([row[a] for row in found.outer_coefficients], turned))]) for a in inner]
    dragged = [dot([row[a] for row in found.base_coefficients], frame.base_velocities) for a in inner]
    return IsotropyParts(
        found,
        first,
        after(first, vertical_lift),
        tuple(phi),
        tuple(p + d for p, d in zip(phi, dragged, strict=True)),
    )


# -- Gamma put together again --------------------------------------------------------------------------------
def decompositions(found: Reconstruction) -> dict[str, VectorField]:
    """Return the Euler-Lagrange field on N_mu as each connection puts it together, by name of the connection."""
    frame = found.frame
    chart = found.gamma.chart
    rise = [*zip(found.accelerations, frame.vertical_fields, strict=True)]
    speed = frame.base_velocities

    def along(fields: Sequence[VectorField]) -> list[tuple[Expr, VectorField]]:
        return [*zip(speed, fields, strict=True), *rise]

    drag = [
        total([(1, v), *((-1, row[a] * s) for row, s in zip(frame.shift, speed, strict=True))])
        for a, v in enumerate(frame.group_velocities)
    ]
    parts = {
        "standard basis": [*zip(frame.group_velocities, frame.group_fields, strict=True), *along(frame.base_fields)],
        "orthogonal": [*zip(drag, frame.group_fields, strict=True), *along(frame.orthogonal_fields)],
    }
    if found.isotropy is not None:
        upright = along(found.horizontal.base_fields)
        lifts = [complete_lift(found.level.generators[a]) for a in found.level.inner]
        turned = [frame.group_velocities[al] for al in found.level.outer]
        outer = [*zip(turned, found.horizontal.outer_fields, strict=True)]
        parts["vertical lift"] = [*zip(found.phi, lifts, strict=True), *outer, *along(frame.base_fields)]
        parts["mechanical"] = [*zip(found.phi_mechanical, lifts, strict=True), *outer, *upright]
        if found.psi is not None:
            invariant = [*zip(found.psi, invariant_horizontals(found), strict=True)]
            parts["invariant basis"] = [*zip(found.phi_mechanical, lifts, strict=True), *invariant, *upright]
    order = ("standard basis", "vertical lift", "mechanical", "orthogonal", "invariant basis")
    return {name: sum_of([(ONE, frame.time_field), *parts[name]], chart) for name in order if name in parts}


def invariant_horizontals(found: Reconstruction) -> list[VectorField]:
    """Return hatE_al^H = A_al^be bE_be^H: horizontal for Omega^m and G_mu-invariant."""
    assert found.adjoint is not None
    rows = [[found.adjoint[al][be] for be in found.level.outer] for al in found.level.outer]
    fields = found.horizontal.outer_fields
    return [sum_of(list(zip(row, fields, strict=True)), found.gamma.chart) for row in rows]


# -- identities ------------------------------------------------------------------------------------------------
def reconstruction_laws(found: Reconstruction, point: Mapping[Expr, Expr] | None = None) -> tuple[Claim, ...]:
    """Return what sections V and VI claim, decided on N_mu; ``point`` puts velocities there, where it is known."""
    where = level_point(found.level, found.adjoint) if point is None else point
    said: list[tuple[str, str, dict[str, Expr]]] = [
        ("momenta kept", "Gamma and all barred fields are tangent to N_mu", _tangent_defects(found)),
        *_connection_defects(found),
    ]
    if found.isotropy is None:
        said.append(("equivariance", "E~_A^C moves iota^b as it must", _velocity_defects(found)))
    else:
        said += _isotropy_laws(found)
    if found.psi is not None:
        also = "" if found.isotropy is None else ", hatE_al^H too"
        said.append(("reduced field", f"Psi^al and Gamma^i are G_mu-invariant{also}", _reduced_defects(found)))
    said += [
        (
            f"the motion by the {name}",
            f"Gamma put together by the {name} and Routh's equations is the Euler-Lagrange field on N_mu",
            components_of((field - found.gamma).components, field.chart.coordinates),
        )
        for name, field in decompositions(found).items()
    ]
    verdicts = all_on_level(found.level, where, {name: parts for name, _, parts in said})
    claims = [Claim(f"reconstruction, {name}", text, "check", verdicts[name]) for name, text, _ in said]
    if found.psi is None:
        undecided = Verdict("undecided", "the invariant fields of the action are not known in these coordinates")
        claims.append(Claim("reconstruction, reduced field", "Psi^al is G_mu-invariant", "check", undecided))
    return tuple(claims)


def _isotropy_laws(found: Reconstruction) -> list[tuple[str, str, dict[str, Expr]]]:
    """Return what is claimed of Omega^m and of what it makes horizontal."""
    return [
        (
            "horizontal fields",
            "bE_al^H, bX_i^H, bX_i^V and hatX_i^C are orthogonal to g_mu, and hatX_i^C = bX_i^H + B_i^al bE_al^H",
            _horizontal_defects(found),
        ),
        (
            "equivariance",
            "E~_A^C moves iota^b, Y_al^B and Y_i^B as they must",
            _velocity_defects(found) | _coefficient_defects(found),
        ),
        (
            "vertical parts",
            "Omega^m(Gamma) = Phi_m, Omega^N_mu(Gamma) = Phi, and both turn: E~_A^C(Phi^B) = C_AC^B Phi^C",
            _vertical_defects(found),
        ),
    ]


def _tangent_defects(found: Reconstruction) -> dict[str, Expr]:
    frame = found.frame
    fields = {"Gamma": found.gamma}
    fields |= {f"bE_{a + 1}^C": field for a, field in enumerate(frame.group_fields)}
    fields |= {f"bX_{i + 1}^C": field for i, field in enumerate(frame.base_fields)}
    fields |= {f"bX_{i + 1}^V": field for i, field in enumerate(frame.vertical_fields)}
    return {
        f"{name} on p_{a + 1}": rate + partial_time(p) if name == "Gamma" else rate
        for name, field in fields.items()
        for a, (p, rate) in enumerate(zip(frame.momenta, field.apply(list(frame.momenta)), strict=True))
    }


def _connection_defects(found: Reconstruction) -> list[tuple[str, str, dict[str, Expr]]]:
    connections = [found.vertical_lift, found.orthogonal]
    if found.isotropy is not None:
        connections = [found.mechanical, *connections, found.combined]
    return [
        (
            f"{connection.name} connection",
            f"the {connection.name} connection is a projector on its vertical fields and G_mu-invariant",
            projection_defects(connection) | equivariance_defects(found.frame, connection),
        )
        for connection in connections
    ]


def _horizontal_defects(found: Reconstruction) -> dict[str, Expr]:
    frame, horizontal, outer = found.frame, found.horizontal, found.level.outer
    groups = {
        "bE^H": horizontal.outer_fields,
        "bX^H": horizontal.base_fields,
        "bX^V": frame.vertical_fields,
        "hatX^C": frame.orthogonal_fields,
    }
    defects = {
        f"{name} {k + 1} by form {a + 1}": value
        for name, fields in groups.items()
        for k, field in enumerate(fields)
        for a, value in enumerate(found.mechanical.components(field))
    }
    for i, (field, base) in enumerate(zip(frame.orthogonal_fields, horizontal.base_fields, strict=True)):
        steps = [(frame.shift[i][al], h) for al, h in zip(outer, horizontal.outer_fields, strict=True)]
        rest = field - sum_of([(1, base), *steps], field.chart)
        defects |= components_of(rest.components, field.chart.coordinates, f"hatX^C {i + 1} along")
        for a, value in enumerate(found.orthogonal.components(field)):
            defects[f"hatX^C {i + 1} by the orthogonal form {a + 1}"] = value
    return defects


def _velocity_defects(found: Reconstruction) -> dict[str, Expr]:
    """Return how E~_A moves iota^b, less C_Ac^b iota^c."""
    level, constants, iota = found.level, found.level.constants, found.frame.group_velocities
    defects: dict[str, Expr] = {}
    for a in level.inner:
        for b, rate in enumerate(complete_lift(level.generators[a]).apply(list(iota))):
            wanted = dot([constants[a][c][b] for c in range(len(iota))], iota)
            defects[f"iota^{b + 1} moved by generator {a + 1}"] = rate - wanted
    return defects


def _coefficient_defects(found: Reconstruction) -> dict[str, Expr]:
    """Return how E~_A moves Y_al^B and Y_i^B, less C_AC^B Y_al^C - C_Aal^be Y_be^B - C_Aal^B, and C_AC^B Y_i^C."""
    level, constants = found.level, found.level.constants
    along, across = found.horizontal.outer_coefficients, found.horizontal.base_coefficients
    first = level.isotropy
    defects: dict[str, Expr] = {}
    for a in level.inner:
        lift = complete_lift(level.generators[a])
        for al in level.outer:
            for b, rate in enumerate(lift.apply(list(along[al - first]))):
                turned = [(-1, constants[a][c][b] * along[al - first][c]) for c in level.inner]
                mixed = [(1, constants[a][al][be] * along[be - first][b]) for be in level.outer]
                defects[f"Y_{al + 1}^{b + 1} moved by generator {a + 1}"] = total(
                    [(1, rate), *turned, *mixed, (1, constants[a][al][b])]
                )
        for i, row in enumerate(across):
            for b, rate in enumerate(lift.apply(list(row))):
                turned = [(-1, constants[a][c][b] * row[c]) for c in level.inner]
                defects[f"Y_i={i + 1}^{b + 1} moved by generator {a + 1}"] = total([(1, rate), *turned])
    return defects


def _vertical_defects(found: Reconstruction) -> dict[str, Expr]:
    level, constants = found.level, found.level.constants
    defects: dict[str, Expr] = {}
    for name, connection, parts in (
        ("Phi_m", found.mechanical, found.phi_mechanical),
        ("Phi", found.combined, found.phi),
    ):
        for b, value in enumerate(connection.components(found.gamma)):
            defects[f"{name}^{b + 1}"] = value - parts[b]
        for a in level.inner:
            for b, rate in enumerate(complete_lift(level.generators[a]).apply(list(parts))):
                turned = dot([constants[a][c][b] for c in level.inner], parts)
                defects[f"{name}^{b + 1} moved by generator {a + 1}"] = rate - turned
    return defects


def _reduced_defects(found: Reconstruction) -> dict[str, Expr]:
    assert found.psi is not None
    defects: dict[str, Expr] = {}
    fields = [] if found.isotropy is None else invariant_horizontals(found)
    for a in found.level.inner:
        lift = complete_lift(found.level.generators[a])
        for name, values in (("Psi", found.psi), ("Gamma^i", found.accelerations)):
            for k, rate in enumerate(lift.apply(list(values))):
                defects[f"{name} {k + 1} moved by generator {a + 1}"] = rate
        for k, field in enumerate(fields):
            crossed = bracket(lift, field)
            defects |= components_of(crossed.components, field.chart.coordinates, f"hatE^H {k + 1} by {a + 1} along")
    return defects
