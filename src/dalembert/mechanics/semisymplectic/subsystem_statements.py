"""What a model states in ``[subsystem]``, each entry decided by the theorem it is for (Patrick).

    waist  = { at = ["y = y0", "y' = 0"] }                            a submanifold of C: Theorem 5.2, Corollary 5.1
    ideal  = { fields = [{ s = 1 }] }                                 a subbundle K_0 of K: Theorem 5.1
    pair   = { fields = [{ s = 1 }, { "s'" = 1 }], over = [{ s = 1 }] }   (D_0', D_0), on C and on Q: Proposition 4.1
    datum  = { group = ["e1", "rotor"], momenta = { rotor = "c" } }   (H, n, mu): Definition 5.7, and its reduction
    mirror = { group = ["e1"], discrete = { flip = { y = "-y" } } }   with discrete elements, as maps of configurations

Fields are written by the coordinates of C, which are those of Q and the independent velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr.graph import Expr, as_expr
from dalembert.expr.text import parse
from dalembert.expr.truth import Verdict
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.conditions import datum_claims, lifted_map
from dalembert.mechanics.semisymplectic.reduction.data import SymmetricManifold, reduction_datum
from dalembert.mechanics.semisymplectic.reduction.reduced import reduced
from dalembert.mechanics.semisymplectic.subsystems import ideal, submanifold_of, subsystem_claims, symplecticity_pair
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = ["stated_claims"]

_DATUM = {"group", "momenta", "discrete"}


def stated_claims(
    statements: Mapping[str, Any],
    motion: ConstrainedMotion,
    manifold: SemiSymplectic,
    field: VectorField,
    symmetric: Callable[[], SymmetricManifold],
) -> list[Claim]:
    """Return what is decided of each entry of a table ``[subsystem]``; an entry that says nothing known is an error."""
    reader = _Reader(motion.system, manifold.chart)
    found: list[Claim] = []
    for name, stated in statements.items():
        keys = set(stated) if isinstance(stated, Mapping) else set()
        if keys == {"at"}:
            place = submanifold_of(motion.system, manifold.chart, name, stated["at"])
            found += subsystem_claims(motion, manifold, field, place)
        elif keys == {"fields"}:
            found += _named(name, ideal(manifold, reader.fields(name, stated["fields"], manifold.chart)))
        elif keys == {"fields", "over"}:
            upper = reader.fields(name, stated["fields"], manifold.chart)
            lower = reader.fields(name, stated["over"], motion.system.chart)
            found += _named(name, symplecticity_pair(motion, field, upper, lower))
        elif keys and keys <= _DATUM:
            found += _named(name, _datum(motion, reader, name, stated, symmetric()))
        else:
            told = ", ".join(sorted(keys)) or "nothing"
            raise ExpressionError(
                f"[subsystem] {name}: it states {told}; state at, fields, fields and over, or group, momenta, discrete."
            )
    return found


def _named(name: str, claims: Sequence[Claim]) -> list[Claim]:
    """Return claims about something that was asked for: all are questions, and carry its name."""
    return [Claim(f"{name}: {c.name.removeprefix('datum: ')}", c.statement, "question", c.verdict) for c in claims]


def _datum(
    motion: ConstrainedMotion, reader: _Reader, name: str, stated: Mapping[str, Any], space: SymmetricManifold
) -> list[Claim]:
    """Decide Definition 5.7, and reduce where it holds."""
    values = {str(k): reader.value(name, v) for k, v in dict(stated.get("momenta", {})).items()}
    group = [str(n) for n in stated.get("group", ())]
    maps = {
        str(k): lifted_map(motion.manifold, reader.components(name, v, motion.system.chart))
        for k, v in dict(stated.get("discrete", {})).items()
    }
    datum = reduction_datum(space, group, values)
    claims = datum_claims(space, datum, maps)
    if not all(c.verdict.holds for c in claims):
        return claims
    try:
        return [*claims, *reduced(space, datum, checked=True).claims]
    except (HypothesisError, ExpressionError) as fault:
        why = Verdict("undecided", str(fault))
        return [*claims, Claim("reduction", "the motion is reduced by this datum", "question", why)]


class _Reader:
    """Reads fields and values as they are stated."""

    def __init__(self, system: System, chart: Chart) -> None:
        self.words = system.vocabulary
        self.chart = chart

    def value(self, name: str, stated: Any) -> Expr:
        """Return a number or a text as an expression."""
        if isinstance(stated, str):
            return parse(stated, self.words)
        try:
            return as_expr(stated)
        except (TypeError, ExpressionError):
            raise ExpressionError(f"[subsystem] {name}: {stated!r} is neither a number nor a text.") from None

    def components(self, name: str, stated: Any, chart: Chart) -> dict[Expr, Expr]:
        """Return components by coordinate."""
        known = {x.data.label: x for x in chart.coordinates}
        if not isinstance(stated, Mapping) or any(key not in known for key in stated):
            raise ExpressionError(f"[subsystem] {name}: {stated!r} must be written by {', '.join(known)}.")
        return {known[key]: self.value(name, value) for key, value in stated.items()}

    def fields(self, name: str, stated: Any, chart: Chart) -> list[VectorField]:
        """Return several fields."""
        several = [stated] if isinstance(stated, Mapping) else list(stated)
        if not several:
            raise ExpressionError(f"[subsystem] {name}: there are no fields.")
        return [VectorField.of(chart, self.components(name, one, chart)) for one in several]
