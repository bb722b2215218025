"""Holonomic subsystems: where the constrained flow is symplectic after all (Patrick, 4.2, Theorems 5.1, 5.2, Cor. 5.1).

A submanifold M of C, given by equations that are solved for some of its coordinates, carries K_M = TM cap K. If M is
invariant under the flow, K_M is invariant under its derivative, Delta_K = 0 on K_M (its brackets stay in K) and
d omega = 0 on K_M, the flow is symplectic on K_M (Theorem 5.2, also under a null-forcing). Where TM lies in K, the
invariance of M is enough (Corollary 5.1).

What a model states in ``[subsystem]`` is decided, each entry by the theorem it is for:

    waist  = { at = ["y = y0", "y' = 0"] }                            a submanifold of C: Theorem 5.2, Corollary 5.1
    ideal  = { fields = [{ s = 1 }] }                                 a subbundle K_0 of K: Theorem 5.1
    pair   = { fields = [{ s = 1 }, { "s'" = 1 }], over = [{ s = 1 }] }   (D_0', D_0), on C and on Q: Proposition 4.1
    datum  = { group = ["e1", "rotor"], momenta = { rotor = "c" } }   (H, n, mu): Definition 5.7, and its reduction
    mirror = { group = ["e1"], discrete = { flip = { y = "-y" } } }   with discrete elements, as maps of configurations

Fields are written by the coordinates of C, which are those of Q and the independent velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Protocol

from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr.graph import ZERO, Expr, as_expr
from dalembert.expr.text import parse, parse_equation
from dalembert.expr.truth import Verdict, all_hold, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.distributions import Distribution, involutive
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.forms import d, pull_back
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import carried
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.reduction.data import SymmetricManifold, reduction_datum
from dalembert.mechanics.semisymplectic.reduction.reduced import reduced
from dalembert.mechanics.semisymplectic.reduction.theorems import datum_claims, lifted_map, reduction_claims
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Submanifold:
    """A submanifold by the values of some coordinates of C as functions of the others."""

    name: str
    values: Mapping[Expr, Expr]

    def chart(self, whole: Chart) -> Chart:
        """Return the coordinates that remain."""
        return Chart(tuple(x for x in whole.coordinates if x not in self.values))

    def mapping(self, whole: Chart) -> list[Expr]:
        """Return every coordinate of C on the submanifold."""
        return [self.values.get(x, x) for x in whole.coordinates]


def read_equations(system: System, stated: Any) -> dict[str, tuple[Expr, Expr]]:
    """Return the equations of a submanifold by their texts, or raise ``ExpressionError``."""
    texts = [stated] if isinstance(stated, str) else stated
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise ExpressionError("at is an equation or a list of equations, each a text.")
    return {text: parse_equation(text, system.vocabulary) for text in texts}


def submanifold_of(system: System, chart: Chart, name: str, stated: Any) -> Submanifold:
    """Read a candidate submanifold: equations that give coordinates of C by the others."""
    values: dict[Expr, Expr] = {}
    for text, (left, right) in read_equations(system, stated).items():
        if left not in chart.coordinates or left in values:
            known = ", ".join(map(repr, chart.coordinates))
            raise ExpressionError(f"[subsystem] {name}: '{text}' must give one of {known}, each once.")
        values[left] = right
    if any(x.data in symbols(list(values.values())) for x in values):
        raise ExpressionError(f"[subsystem] {name}: the right sides must not contain what the left sides give.")
    return Submanifold(name, values)


def subsystem_claims(
    motion: ConstrainedMotion, manifold: SemiSymplectic, field: VectorField, submanifold: Submanifold
) -> list[Claim]:
    """Decide the conditions of Theorem 5.2 on a submanifold, one by one, and what follows."""
    return place_claims(_Place(motion, manifold, field, submanifold))


class Place(Protocol):
    """A submanifold M of C, and what is asked of it."""

    def invariant(self) -> Verdict: ...
    def bundle_invariant(self) -> Verdict: ...
    def flat(self) -> Verdict: ...
    def closed(self) -> Verdict: ...
    def inside(self) -> Verdict: ...


def place_claims(place: Place) -> list[Claim]:
    """Return the conditions of Theorem 5.2, and what follows."""
    parts = {
        "invariant": ("the motion stays on it", place.invariant()),
        "K invariant": ("the flow preserves TM cap K", place.bundle_invariant()),
        "curvature": ("Delta_K = 0 on TM cap K", place.flat()),
        "closed": ("d omega = 0 on it", place.closed()),
    }
    claims = [Claim(key, said, "question", verdict) for key, (said, verdict) in parts.items()]
    claims.append(Claim("inside K", "TM lies in K (Corollary 5.1)", "question", place.inside()))
    together = all_hold({key: verdict for key, (_, verdict) in parts.items()})
    if together.holds is True:
        said = f"the four conditions of Theorem 5.2 hold: {together.evidence}"
        verdict = Verdict(together.kind, said, together.error_bits)
    else:
        failing = [key for key, (_, v) in parts.items() if not v.holds]
        verdict = Verdict("undecided", f"Theorem 5.2 does not apply: {', '.join(failing)} fails or is open.")
    claims.append(Claim("symplectic", "the flow is symplectic on TM cap K", "question", verdict))
    return claims


class _Place:
    """A submanifold with what it inherits: the motion, the form, and K."""

    def __init__(
        self, motion: ConstrainedMotion, manifold: SemiSymplectic, field: VectorField, submanifold: Submanifold
    ) -> None:
        self.facts = carried(manifold.facts, submanifold.values)
        self.chart = submanifold.chart(manifold.chart)
        self.mapping = submanifold.mapping(manifold.chart)
        put = dict(submanifold.values)
        moved = dict(zip(manifold.chart.coordinates, substitute(list(field.components), put), strict=True))
        self.field = VectorField.of(self.chart, {x: moved[x] for x in self.chart.coordinates})
        rates = self.field.apply(list(put.values()))
        self.escape = {repr(x): moved[x] - rate for x, rate in zip(put, rates, strict=True)}
        self.form = pull_back(manifold.form, self.chart, self.mapping)
        size = len(motion.system.q)
        self.rows = []
        for row in motion.annihilator:
            on_it = substitute(list(row), put)
            pulled = []
            for x in self.chart.coordinates:
                steps = VectorField.of(self.chart, {x: 1}).apply(self.mapping[:size])
                pulled.append(dot(on_it, steps))
            self.rows.append(pulled)
        self.independent = _independent(self.rows)
        self.distribution = Distribution.from_forms(self.chart, self.independent)

    def invariant(self) -> Verdict:
        return all_vanish(self.escape, self.facts)

    def bundle_invariant(self) -> Verdict:
        parts: dict[str, Expr] = {}
        for i, k in enumerate(self.distribution.fields, 1):
            left = self.distribution.leaving(bracket(self.field, k))
            parts |= {f"[X, k{i}] along {n}": part for n, part in enumerate(left, 1)}
        return all_vanish(parts, self.facts)

    def flat(self) -> Verdict:
        return involutive(self.distribution, self.facts)

    def closed(self) -> Verdict:
        three = d(self.form)
        fields = self.distribution.fields
        parts = {
            f"on k{i}, k{j}, k{k}": three(a, b, c) for (i, a), (j, b), (k, c) in combinations(enumerate(fields), 3)
        }
        return all_vanish(parts, self.facts)

    def inside(self) -> Verdict:
        flat = [entry for row in self.rows for entry in row]
        return all_vanish({f"entry {n}": e for n, e in enumerate(flat)}, self.facts)


def ideal(manifold: SemiSymplectic, fields: Sequence[VectorField]) -> list[Claim]:
    """Decide Theorem 5.1 for a subbundle K_0 of K: is it an ideal, [K, K_0] in K_0, on which d omega = 0?

    Then every semi-Hamiltonian flow is symplectic on it.
    """
    distribution = Distribution.from_fields(fields)
    parts: dict[str, Expr] = {}
    for i, k in enumerate(manifold.basis, 1):
        for j, one in enumerate(fields, 1):
            left = distribution.leaving(bracket(k, one))
            parts |= {f"[K_{i}, k_{j}] along {n}": part for n, part in enumerate(left, 1)}
    three = d(manifold.form)
    closed = {
        f"on k_{i}, k_{j}, k_{k}": three(a, b, c) for (i, a), (j, b), (k, c) in combinations(enumerate(fields, 1), 3)
    }
    return [
        Claim("ideal", "[K, K_0] lies in K_0", "question", all_vanish(parts, manifold.facts)),
        Claim("closed", "d omega = 0 on K_0", "question", all_vanish(closed, manifold.facts)),
    ]


def symplecticity_pair(
    motion: ConstrainedMotion, field: VectorField, upper: Sequence[VectorField], lower: Sequence[VectorField]
) -> list[Claim]:
    """Decide whether (D_0', D_0), by fields on C and on Q, is a symplecticity pair (Proposition 4.1).

    D_0 lies in D with its brackets; D_0' projects into D_0 and is invariant under the flow. Then the flow is symplectic
    on D_0'.
    """
    allowed = Distribution.from_forms(motion.system.chart, motion.annihilator)
    pairs = [bracket(a, b) for a, b in combinations(lower, 2)]
    inside = {f"field {n}, along {k}": e for n, x in enumerate([*lower, *pairs], 1) for k, e in _left(allowed, x)}
    below, above = Distribution.from_fields(lower), Distribution.from_fields(upper)
    size = len(motion.system.q)
    down = {
        f"field {n}, along {k}": e
        for n, x in enumerate(upper, 1)
        for k, e in _left(below, VectorField.of(motion.system.chart, x.components[:size]))
    }
    moved = {f"field {n}, along {k}": e for n, x in enumerate(upper, 1) for k, e in _left(above, bracket(field, x))}
    facts = motion.system.facts
    return [
        Claim("D_0 in D", "D_0 lies in D, and so do its brackets", "question", all_vanish(inside, facts)),
        Claim("D_0' over D_0", "D_0' projects into D_0", "question", all_vanish(down, facts)),
        Claim("D_0' invariant", "the flow preserves D_0'", "question", all_vanish(moved, facts)),
    ]


def _left(distribution: Distribution, field: VectorField) -> list[tuple[int, Expr]]:
    return list(enumerate(distribution.leaving(field), 1))


def suggested(motion: ConstrainedMotion, manifold: SemiSymplectic, field: VectorField) -> Iterator[Submanifold]:
    """Yield invariant submanifolds that are evident: the fixed points of reflections in one or two coordinates.

    Those with room for no motion are left out. This is a heuristic: reflections about zero that the motion does not
    notice, and nothing else.
    """
    q, u = motion.system.q, motion.manifold.u
    needed = [*field.components, *manifold.form.terms.values(), *(c for one in manifold.basis for c in one.components)]
    for size in (1, 2):
        for some in combinations(q, size):
            moved = [*some, *(x.dot for x in some if x.dot in u)]
            mirror = {x: -x for x in moved}
            seen = substitute(list(field.components), mirror)
            back = {
                repr(x): a + b if x in mirror else a - b
                for x, a, b in zip(manifold.chart.coordinates, seen, field.components, strict=True)
            }
            room = len(q) + len(u) - len(moved) > 1
            if not room or _has_pole(needed, moved):
                continue
            if vanish(list(back.values()), manifold.facts):
                names, turned = (", ".join(f"{sign}{x!r}" for x in some) for sign in ("", "-"))
                yield Submanifold(f"fixed points of {names} -> {turned}", dict.fromkeys(moved, ZERO))


def fixed_points(motion: ConstrainedMotion, manifold: SemiSymplectic, field: VectorField) -> list[Claim]:
    """Decide Theorem 5.2 for the submanifolds that are suggested."""
    return [
        replace(claim, name=f"{place.name}: {claim.name}")
        for place in suggested(motion, manifold, field)
        for claim in subsystem_claims(motion, manifold, field, place)
    ]


def _has_pole(needed: Sequence[Expr], moved: Sequence[Expr]) -> bool:
    """Say whether motion, form or K are not defined where these coordinates vanish."""
    try:
        substitute(needed, dict.fromkeys(moved, ZERO))
    except ExpressionError:
        return True
    return False


def _independent(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return rows that span the same forms on the submanifold, where some may vanish or repeat."""
    if not rows:
        return []
    rank = generic_rank(rows)
    return [list(rows[i]) for i in rank.rows]


# -- what a model states ---------------------------------------------------------------------------------------
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
