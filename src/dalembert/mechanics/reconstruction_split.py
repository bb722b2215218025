"""Reconstruction after Routh's reduction: how the motion on N_mu comes back from that on N_mu/G_mu.

A principal connection on N_mu -> N_mu/G_mu takes Gamma apart into a vertical part and the horizontal lift of the
reduced field; with a horizontal lift of the reduced motion, the curve g(t) in G_mu with g^-1 g' = Omega(Gamma) carries
it to a motion. There are two connections to do it with, Omega^m and Omega^N_mu, and Gamma is

    Gamma = Phi^A   E~_A^C + Psi^al hatE_al^H + v^i bX_i^C + Gamma^i bX_i^V        Phi^A   = iota^A + Y_al^A iota^al
          = Phi_m^A E~_A^C + Psi^al hatE_al^H + v^i bX_i^H + Gamma^i bX_i^V        Phi_m^A = Phi^A + Y_i^A v^i
          = (v^a - B_i^a v^i) bE_a^C + Gamma_0,        Gamma_0 = v^i hatX_i^C + Gamma^i bX_i^V

(Crampin and Mestdag, sections IV to VI, with the sign of B in the last line as it must be.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, total
from dalembert.geometry.fields import VectorField
from dalembert.geometry.frames import coordinate_frame, projected_equations
from dalembert.geometry.lifts import complete_lift, second_order_field
from dalembert.mechanics.reconstruction_connections import (
    Horizontals,
    LevelConnection,
    after,
    horizontals,
    mechanical,
    orthogonal,
    vertical_lift_connection,
)
from dalembert.mechanics.reconstruction_level import (
    LevelFrame,
    MomentumLevel,
    Rows,
    level_frame,
    pairing,
    routh_accelerations,
    sum_of,
)

__all__ = ["Reconstruction", "decompositions", "euler_lagrange_field", "invariant_horizontals", "reconstruct"]


@dataclass(frozen=True, slots=True)
class Reconstruction:
    """A level set with its connections, and the Euler-Lagrange field as each of them sees it."""

    frame: LevelFrame
    horizontal: Horizontals
    mechanical: LevelConnection
    """Omega^m."""
    vertical_lift: LevelConnection
    """Omega^V."""
    orthogonal: LevelConnection
    """Omega_0^V."""
    combined: LevelConnection
    """Omega^N_mu = Omega^m o Omega^V."""
    gamma: VectorField
    """The Euler-Lagrange field on TM."""
    accelerations: tuple[Expr, ...]
    """Gamma^i, from the generalized Routh equations."""
    phi: tuple[Expr, ...]
    """Phi^A: the vertical part of Gamma for Omega^N_mu."""
    phi_mechanical: tuple[Expr, ...]
    """Phi_m^A: that for Omega^m."""
    adjoint: Rows | None
    """A_a^b with hatE_a = A_a^b E~_b invariant, where it is known."""
    psi: tuple[Expr, ...] | None
    """Psi^al: the part of the reduced field along G/G_mu, in the basis hatE_al^H."""

    @property
    def level(self) -> MomentumLevel:
        """The level set."""
        return self.frame.level


def euler_lagrange_field(level: MomentumLevel) -> VectorField:
    """Return Gamma on TM, from the Euler-Lagrange equations in coordinates."""
    equations = projected_equations(level.lagrangian, coordinate_frame(level.chart))
    return second_order_field(level.chart, equations.accelerations())


def reconstruct(level: MomentumLevel, adjoint: Rows | None = None) -> Reconstruction:
    """Return the connections on a level set and what they make of Gamma.

    ``adjoint`` is the matrix A_a^b of the invariant fields in the adapted basis, where it is known.
    """
    frame = level_frame(level)
    found = horizontals(frame)
    first, second = mechanical(frame), vertical_lift_connection(frame)
    iota, inner, outer = frame.group_velocities, level.inner, level.outer
    turned = [iota[al] for al in outer]
    phi = [total([(1, iota[a]), (1, pairing([row[a] for row in found.outer_coefficients], turned))]) for a in inner]
    dragged = [pairing([row[a] for row in found.base_coefficients], frame.base_velocities) for a in inner]
    psi = None
    if adjoint is not None:
        psi = tuple(solve([[adjoint[al][be] for al in outer] for be in outer], turned))
    return Reconstruction(
        frame,
        found,
        first,
        second,
        orthogonal(frame),
        after(first, second),
        euler_lagrange_field(level),
        tuple(routh_accelerations(frame)),
        tuple(phi),
        tuple(p + d for p, d in zip(phi, dragged, strict=True)),
        adjoint,
        psi,
    )


# -- Gamma put together again --------------------------------------------------------------------------------
def decompositions(found: Reconstruction) -> dict[str, VectorField]:
    """Return the Euler-Lagrange field on N_mu as each connection puts it together, by name of the connection."""
    frame, level = found.frame, found.level
    chart = found.gamma.chart
    inner = [complete_lift(level.generators[a]) for a in level.inner]
    outer = [(frame.group_velocities[al], h) for al, h in zip(level.outer, found.horizontal.outer_fields, strict=True)]
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
        "vertical lift": [*zip(found.phi, inner, strict=True), *outer, *along(frame.base_fields)],
        "mechanical": [
            *zip(found.phi_mechanical, inner, strict=True),
            *outer,
            *along(found.horizontal.base_fields),
        ],
        "orthogonal": [*zip(drag, frame.group_fields, strict=True), *along(frame.orthogonal_fields)],
    }
    if found.psi is not None:
        invariant = [*zip(found.psi, invariant_horizontals(found), strict=True)]
        parts["invariant basis"] = [
            *zip(found.phi_mechanical, inner, strict=True),
            *invariant,
            *along(found.horizontal.base_fields),
        ]
    return {name: sum_of([(ONE, frame.time_field), *terms], chart) for name, terms in parts.items()}


def invariant_horizontals(found: Reconstruction) -> list[VectorField]:
    """Return hatE_al^H = A_al^be bE_be^H: horizontal for Omega^m and G_mu-invariant."""
    assert found.adjoint is not None
    rows = [[found.adjoint[al][be] for be in found.level.outer] for al in found.level.outer]
    fields = found.horizontal.outer_fields
    return [sum_of(list(zip(row, fields, strict=True)), found.gamma.chart) for row in rows]
