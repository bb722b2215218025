"""The geometry of a nonholonomic result, by the names of the JSON."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, vanish
from dalembert.geometry.distributions import growth_vector, involutive
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.field import Constrained, SecondOrderField

__all__ = ["field_objects"]


def field_objects(result: Constrained) -> dict[str, object]:
    """Return the connection of the field, its Jacobi endomorphism and, for constraints without time or drift, D.

    ``sode_connection`` has Gam^alpha_beta by alpha, then beta; ``jacobi_endomorphism`` has the images of Phi (by their
    part along X_beta, of X_alpha and of d_a) and of Psi (by their part along d_a, of X_alpha).
    """
    sode = SecondOrderField.of(result)
    values = jacobi(sode)
    free, given = _names(sode.independent), _names(sode.dependent)
    rows = zip(free, values.phi, values.phi_fibre, strict=True)
    objects: dict[str, object] = {
        "sode_connection": _table(free, free, sode.connection),
        "jacobi_endomorphism": {
            "phi": {b: _row([*free, *given], [*row, *more]) for b, row, more in rows},
            "psi": _table(given, free, values.psi),
        },
    }
    slopes = [b for row in sode.coefficients for b in row]
    if vanish(sode.drift) and not depends_on(slopes, [symbol(TIME)]):
        objects["involutive"] = involutive(result.distribution).holds
        objects["growth_vector"] = list(growth_vector(result.distribution.fields))
    return objects


def _names(coordinates: Sequence[Expr]) -> list[str]:
    return [q.data.name for q in coordinates]


def _row(names: Sequence[str], values: Sequence[Expr]) -> dict[str, Expr]:
    return dict(zip(names, values, strict=True))


def _table(left: Sequence[str], top: Sequence[str], rows: Sequence[Sequence[Expr]]) -> dict[str, dict[str, Expr]]:
    return {name: _row(top, row) for name, row in zip(left, rows, strict=True)}
