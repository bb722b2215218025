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
from typing import Any, Protocol

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
from dalembert.mechanics.semisymplectic.reduction.theorems import reduction_claims
from dalembert.mechanics.semisymplectic.subsystems import ideal, submanifold_of, subsystem_claims, symplecticity_pair
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = ["stated_subsystems", "subsystem_answers"]

_DATUM = {"group", "momenta", "discrete"}


class Space(Protocol):
    """The constrained system that entries are decided of."""

    @property
    def motion(self) -> ConstrainedMotion: ...
    @property
    def manifold(self) -> SemiSymplectic: ...
    @property
    def field(self) -> VectorField: ...
    def symmetric(self) -> SymmetricManifold: ...


Decide = Callable[[Space], list[Claim]]


def stated_subsystems(system: System, chart: Chart) -> dict[str, Decide]:
    """Read each entry of a table ``[subsystem]`` as what decides it; an entry that says nothing known is an error."""
    reader = _Reader(system, chart)
    return {name: _read(reader, name, stated) for name, stated in system.subsystem.items()}


def subsystem_answers(statements: Mapping[str, Decide], space: Space) -> list[Claim]:
    """Return what is decided of each entry: all are questions, and carry its name."""
    return [
        Claim(f"subsystem {name}: {c.name.removeprefix('datum: ')}", c.statement, "question", c.verdict)
        for name, decide in statements.items()
        for c in decide(space)
    ]


def _read(reader: _Reader, name: str, stated: Any) -> Decide:
    chart, on_q = reader.chart, reader.system.chart
    keys = set(stated) if isinstance(stated, Mapping) else set()
    if keys == {"at"}:
        place = submanifold_of(reader.system, chart, name, stated["at"])
        return lambda space: subsystem_claims(space.motion, space.manifold, space.field, place)
    if keys == {"fields"}:
        fields = reader.fields(name, stated["fields"], chart)
        return lambda space: ideal(space.manifold, fields)
    if keys == {"fields", "over"}:
        upper, lower = (reader.fields(name, stated[key], on) for key, on in (("fields", chart), ("over", on_q)))
        return lambda space: symplecticity_pair(space.motion, space.field, upper, lower)
    if keys and keys <= _DATUM:
        values = {str(k): reader.value(name, v) for k, v in dict(stated.get("momenta", {})).items()}
        group = [str(n) for n in stated.get("group", ())]
        reader.require_generators(name, [*group, *values])
        maps = {str(k): reader.components(name, v, on_q) for k, v in dict(stated.get("discrete", {})).items()}
        return lambda space: _datum(space, group, values, maps)
    told = ", ".join(sorted(keys)) or "nothing"
    raise ExpressionError(
        f"[subsystem] {name}: it states {told}; state at, fields, fields and over, or group, momenta, discrete."
    )


def _datum(
    space: Space, group: Sequence[str], values: Mapping[str, Expr], maps: Mapping[str, Mapping[Expr, Expr]]
) -> list[Claim]:
    """Decide Definition 5.7, and reduce where it holds."""
    try:
        whole = space.symmetric()
        datum = reduction_datum(whole, group, values)
    except HypothesisError as fault:
        said = "(H, n, mu) is a reduction datum"
        return [Claim("datum", said, "question", Verdict("undecided", str(fault)))]
    claims = datum_claims(whole, datum, {n: lifted_map(space.motion.manifold, images) for n, images in maps.items()})
    if not all(c.verdict.holds for c in claims):
        return claims
    try:
        found = reduction_claims(reduced(whole, datum))
    except (HypothesisError, ExpressionError) as fault:
        why = Verdict("undecided", str(fault))
        return [*claims, Claim("reduction", "the motion is reduced by this datum", "question", why)]
    return [*claims, *(c for c in found if not c.name.startswith("datum"))]


class _Reader:
    """Reads fields and values as they are stated."""

    def __init__(self, system: System, chart: Chart) -> None:
        self.system = system
        self.words = system.vocabulary
        self.chart = chart

    def require_generators(self, name: str, stated: Sequence[str]) -> None:
        """Refuse names that are those of no generator."""
        known = self.system.symmetry
        strange = [n for n in stated if n not in known]
        if strange:
            raise ExpressionError(
                f"[subsystem] {name}: '{strange[0]}' is not a symmetry; use {', '.join(known) or 'none; state some'}."
            )

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
