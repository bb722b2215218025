"""The connections on a level set N_mu of momentum (Crampin and Mestdag, section V).

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
from dataclasses import dataclass

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import VectorField, bracket, in_basis
from dalembert.geometry.forms import Form, one_form
from dalembert.geometry.lifts import complete_lift
from dalembert.mechanics.routh.reconstruction.level import LevelFrame, Rows, lowered, pairing, sum_of

__all__ = [
    "Horizontals",
    "LevelConnection",
    "after",
    "equivariance_defects",
    "horizontals",
    "isotropy_form",
    "mechanical",
    "orthogonal",
    "projection_defects",
    "sees_no_velocity",
    "vertical_lift_connection",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class LevelConnection:
    """A connection on N_mu: fundamental fields on TM, and one-forms along tau by their coefficients."""

    name: str
    fields: tuple[VectorField, ...]
    forms: Rows

    def components(self, field: VectorField) -> list[Expr]:
        """Return Omega^a(Z)."""
        size = len(self.forms[0]) if self.forms else 0
        return [pairing(form, field.components[:size]) for form in self.forms]

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
                turned = pairing(connection.forms[b], slopes[j])
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
