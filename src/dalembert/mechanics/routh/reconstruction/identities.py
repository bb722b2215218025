"""What sections V and VI of Crampin and Mestdag claim of the connections on N_mu, decided on N_mu."""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.expr.calculus import partial_time
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import components_of
from dalembert.geometry.fields import bracket
from dalembert.geometry.lifts import complete_lift
from dalembert.mechanics.routh.reconstruction.connections import equivariance_defects, projection_defects
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, decompositions, invariant_horizontals
from dalembert.mechanics.routh.reconstruction.level import pairing, sum_of
from dalembert.mechanics.routh.reconstruction.sample_points import all_on_level, level_point
from dalembert.model.claim import Claim

__all__ = ["reconstruction_laws"]


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
            wanted = pairing([constants[a][c][b] for c in range(len(iota))], iota)
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
                turned = pairing([constants[a][c][b] for c in level.inner], parts)
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
