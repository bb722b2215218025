"""Reduction of a semi-symplectic system with rotations by its symmetry (Patrick, 5.2): the bracket on C/G.

Functions on C/G are invariant functions on C: rows of rotations, coordinates that the group leaves alone, and speeds.
Y_f of an invariant f is orthogonal to the orbits in K, so that it lies in K_R, and {f, g} of two invariant functions is
the bracket of the reduced system. It is written for functions x on Q/G and for momenta P_a = <p, B_a> of invariant
fields that span D, where nothing has to be inverted:

    {x, y} = 0,      {x, P_a} = B_a(x),      {P_a, P_b} = -<p, [B_a, B_b]>.

Where the fields Z of the speeds are not invariant themselves, those of the velocities w = Z_w v on the base are taken,
B = Z (Z_w^T Z_w)^-1 Z_w^T, which are more than the dimension of D. Momenta of generators that lie in K, and gauge
momenta, have fields Y_J along the orbits: where they are invariant they are Casimir functions, and their level sets are
the reduced spaces of the paper.

Where these are too few, for the group turns positions with bodies, C is taken as the bodies see it (``seen``).

What is decided is decided on C, against the bracket of omega_L; what is shown is read off at one point of each orbit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import combinations
from typing import Protocol

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.elementary import solve
from dalembert.expr.field.alike import Alike
from dalembert.expr.field.normal import Tidying
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Rank, Verdict, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget, all_vanish, survivors
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.without_charts.base import BaseWithoutCharts, base_of
from dalembert.mechanics.semisymplectic.gauge_momenta import gauge_momenta
from dalembert.mechanics.semisymplectic.reduction.data import combined
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.mechanics.semisymplectic.without_charts.seen import SeenBase, UnsolvedBase, are_invariant, seen_spaces
from dalembert.mechanics.semisymplectic.without_charts.symmetry import SymmetryGroupWithoutCharts
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace

_EFFORT, _GLANCE = 1.0, 0.3
"""Work for one short formula on C/G, and for a first look at it."""

Rows = tuple[tuple[Expr, ...], ...]


def is_plain(system: System) -> bool:
    """Say whether W is the distribution D of velocities: then the motion is that of the energy."""
    return not system.virtual and all(system.kind_of(n) in {"linear", "holonomic"} for n in system.stated_constraints)


def bracket_table(space: PhaseSpace, functions: Sequence[Expr], fields: Rows) -> dict[tuple[int, int], Expr]:
    """Return the brackets of functions on Q, then momenta of fields in W, for i < j: by the formulas of the frame."""
    size = len(functions)
    table: dict[tuple[int, int], Expr] = dict.fromkeys(combinations(range(size), 2), ZERO)
    for a, one in enumerate(fields):
        table |= {(i, size + a): e for i, e in enumerate(space.across(one).apply(list(functions)))}
    for (a, left), (b, right) in combinations(enumerate(fields), 2):
        table[size + a, size + b] = -dot(space.momenta, space.on_q.bracket(left, right))
    return dict(sorted(table.items()))


class Base(Protocol):
    """Q/G by functions that no generator moves, and invariant functions by these."""

    @property
    def functions(self) -> tuple[Expr, ...]: ...
    @property
    def relations(self) -> tuple[Expr, ...]: ...
    @property
    def configuration(self) -> Mapping[Expr, Expr]: ...
    def read(
        self,
        expressions: Sequence[Expr],
        short: Callable[[Expr], Expr],
        glance: Callable[[Expr], Expr] | None = None,
        alike: Alike | None = None,
    ) -> list[Expr]: ...


@dataclass(frozen=True)
class BracketOnQuotient:
    """C/G by functions that may obey relations, with the bracket of these."""

    space: PhaseSpace
    group: SymmetryGroupWithoutCharts
    base: Base
    speeds: tuple[Expr, ...]
    """Invariant speeds: those of C, velocities of the base, or some that are more than those of C."""
    fields: Rows
    """B_a, by u."""
    weights: Rows = ()
    """The speeds of C by velocities of the base, where these are taken."""
    known: Mapping[Expr, Expr] = field(default_factory=dict)
    """The values on C of speeds that are not those of C."""
    held: tuple[Expr, ...] = ()
    """What is zero between such speeds on C."""
    around: PhaseSpace | None = None
    """The space in whose speeds formulas are written, where that is not C."""

    @property
    def functions(self) -> tuple[Expr, ...]:
        """The functions on Q/G."""
        return self.base.functions

    @cached_property
    def _momenta(self) -> list[Expr]:
        return [dot(self._around.momenta, b) for b in self.fields]

    @cached_property
    def momenta(self) -> list[Expr]:
        """P_a on C."""
        return self._on_c(self._momenta)

    @property
    def names(self) -> list[str]:
        """What functions and momenta are called."""
        return [*(x.data.label for x in self.functions), *(f"P_{a}" for a in range(1, len(self.fields) + 1))]

    @property
    def _all(self) -> list[Expr]:
        return [*self.functions, *self.momenta]

    @property
    def _around(self) -> PhaseSpace:
        return self.space if self.around is None else self.around

    def put(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions on C/G as functions on C."""
        return substitute(list(expressions), self.known) if self.known else list(expressions)

    def _on_c(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return formulas, as they are written, on C."""
        return list(expressions) if self.around is None else self.put(expressions)

    def read(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant formulas as functions on C/G."""
        pairs = zip(self.space.v, self.weights, strict=True) if self.weights else ()
        given = {v: dot(row, self.speeds) for v, row in pairs}
        return self.base.read(substitute(list(expressions), given), *self._short)

    @cached_property
    def _short(self) -> tuple[Tidying, Tidying, Alike]:
        modulo = (*self.space.frame.relations, *self.relations)
        return Tidying(_EFFORT, modulo), Tidying(_GLANCE, modulo), Alike(modulo, whole=True)

    @property
    def relations(self) -> tuple[Expr, ...]:
        """What functions and speeds obey: lengths, and constraints on velocities."""
        return (*self.base.relations, *self.held)

    # -- the bracket -------------------------------------------------------------------------------------------
    @cached_property
    def _table(self) -> dict[tuple[int, int], Expr]:
        return bracket_table(self._around, self.functions, self.fields)

    @cached_property
    def _above(self) -> dict[tuple[int, int], Expr]:
        return dict(zip(self._table, self._on_c(list(self._table.values())), strict=True))

    @cached_property
    def bracket(self) -> dict[tuple[int, int], Expr]:
        """{f_i, f_j} for i < j, as functions on C/G; those that vanish are left out."""
        left, _ = survivors(self._above, self.space.facts)
        return dict(zip(left, self.read([self._table[pair] for pair in left]), strict=True))

    @cached_property
    def energy(self) -> Expr:
        """E, as a function on C/G."""
        return self.read([self._around.energy])[0]

    @cached_property
    def _rates(self) -> list[Expr]:
        space, framed = self._around, self._around.framed
        there = space.across(space.speeds.velocities).apply(list(self.functions))
        moved = [framed.moved(b, [framed.lagrangian])[0] for b in self.fields]
        return [*there, *space.speeds.by_speeds(moved)]

    @cached_property
    def rates(self) -> tuple[Expr, ...]:
        """The motion on C/G: how functions and momenta change, on C; d/dt <p, B> is what B moves L by."""
        return tuple(self._on_c(self._rates))

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Momenta and gauge momenta that are invariant and have a bracket with nothing, as functions on C/G."""
        if self.around is not None:  # those are known by the speeds of C alone
            return ()
        known = [combined(row, self.group.momenta) for row in self.group.semi_hamiltonian()]
        known += [g.momentum for g in gauge_momenta(self.group)]
        return tuple(self.read([j for j in known if self._is_casimir(j)]))

    def _is_casimir(self, function: Expr) -> bool:
        moved = [x(function) for x in self.group.fields]
        return vanish([*moved, *self._brackets_with(function)], self.space.facts)

    def _brackets_with(self, function: Expr) -> list[Expr]:
        (moving,) = self.space.manifold.field_of(function)
        return moving.apply(self._all)

    # -- what is true of it ------------------------------------------------------------------------------------
    def closes(self, proofs: ProofBudget) -> Verdict:
        """Decide whether functions, momenta, brackets, energy and motion are invariant."""
        parts = [*self._all, *self._above.values(), self.space.energy, *self.rates]
        moved = {
            f"entry {n} along {name}": e
            for name, x in zip(self.group.names, self.group.fields, strict=True)
            for n, e in enumerate(x.apply(parts), 1)
        }
        return proofs.all_vanish(moved, self.space.facts)

    def is_that_of_the_form(self, proofs: ProofBudget) -> Verdict:
        """Decide whether the table that is shown has the brackets of omega_L on C."""
        fields = self.space.manifold.field_of(*self._all)
        pairs = list(combinations(range(len(fields)), 2))
        shown = self.put([self.bracket.get(pair, ZERO) for pair in pairs])
        names = self.names
        parts = {
            f"{{{names[i]}, {names[j]}}}": fields[j](self._all[i]) - e for (i, j), e in zip(pairs, shown, strict=True)
        }
        return proofs.all_vanish(parts, self.space.facts)

    @cached_property
    def shown_momenta(self) -> list[Expr]:
        """P_a, as functions on C/G."""
        return self.read(self._momenta)

    @cached_property
    def shown_rates(self) -> list[Expr]:
        """The motion, as functions on C/G."""
        return self.read(self._rates)

    def moves(self, proofs: ProofBudget) -> Verdict:
        """Decide whether the motion that is shown is that of the energy that is shown, by the bracket of omega_L.

        Where the motion has a null-forcing, it is decided whether it is that of the whole system.
        """
        (moving,) = self.space.manifold.field_of(*self.put([self.energy]))
        if not is_plain(self.space.system):
            moving = self.space.field
        apart = zip(moving.apply(self._all), self.put(self.shown_rates), strict=True)
        return proofs.all_vanish({n: a - b for n, (a, b) in zip(self.names, apart, strict=True)}, self.space.facts)

    def jacobi(self) -> Verdict:
        """Decide Jacobi's identity of the bracket on C/G."""
        fields = self.space.manifold.field_of(*self._all)
        pairs = list(self._above)
        moved = [dict(zip(pairs, one.apply(list(self._above.values())), strict=True)) for one in fields]
        parts = {
            "J({}, {}, {})".format(*(self.names[n] for n in (i, j, k))): total(
                [(1, moved[k][i, j]), (1, moved[i][j, k]), (-1, moved[j][i, k])]
            )
            for i, j, k in combinations(range(len(fields)), 3)
        }
        return all_vanish(parts, self.space.facts)

    def rank(self) -> Rank:
        """Return the rank of the bracket: the dimension of the leaves at generic points."""
        size = range(len(self._all))
        table = {**self._above, **{(j, i): -e for (i, j), e in self._above.items()}}
        return generic_rank([[table.get((i, j), ZERO) for j in size] for i in size], self.space.manifold.kinds)

    def casimir_verdict(self, function: Expr) -> Verdict:
        """Decide whether a function on C/G has a bracket with nothing."""
        brackets = self._brackets_with(self.put([function])[0])
        return all_vanish(dict(zip(self.names, brackets, strict=True)), self.space.facts)

    def objects(self) -> dict[str, object]:
        """Return the objects by name, for the JSON."""
        names = self.names
        return {
            "coordinates": [x.data.label for x in (*self.functions, *self.speeds)],
            "relations": list(self.relations),
            **self._named(),
            "momenta": dict(zip(names[len(self.functions) :], self.shown_momenta, strict=True)),
            "bracket": {f"{names[i]}, {names[j]}": e for (i, j), e in self.bracket.items()},
            "energy": self.energy,
            "motion": dict(zip(names, self.shown_rates, strict=True)),
            "casimirs": list(self.casimirs),
            "rank": self.rank().rank,
        }

    def require_written(self) -> None:
        """Raise ``ExpressionError`` where what is shown is too long to be written by functions on C/G."""
        for shown in ("bracket", "energy", "shown_rates", "shown_momenta"):
            getattr(self, shown)

    def _named(self) -> dict[str, object]:
        """Return what speeds are that have names of their own, and coordinates as bodies see them."""
        stated = self._around.speeds.stated
        speeds = {v.data.label: stated[v] for v in self.speeds if v in stated and not is_part(v.data.name)}
        seen = {q.data.label: e for q, e in self.base.configuration.items()}
        return {name: told for name, told in (("speeds", speeds), ("stated_coordinates", seen)) if told}


def bracket_on_quotient(space: PhaseSpace, group: SymmetryGroupWithoutCharts) -> BracketOnQuotient:
    """Return C/G with its bracket, or raise ``HypothesisError`` with the reason why there is none."""
    system = space.system
    try:
        action = action_from_generators({name: system.symmetry[name].on(system.chart) for name in group.names})
    except ExpressionError as error:
        raise refusal("reduction", [Fault("[symmetry]", str(error).removesuffix("."), kind="closure")]) from None
    found: BracketOnQuotient | list[Fault] = []
    if not space.frame.directions:  # a frame along a sphere fails somewhere: with directions all velocities are kept
        base = base_of(space.framed, action, [list(x.components) for x in group.on_q], point=True)
        found = base if isinstance(base, list) else _written(partial(_on_rows, space, group, base))
    if isinstance(found, BracketOnQuotient):
        return found
    for seen in seen_spaces(space, group.names, action):
        found = _written(partial(_as_seen, group, seen))
        if isinstance(found, BracketOnQuotient):
            return found
    if not found:
        what = "no functions on Q/G, or no velocities that the group leaves alone, were found beside directions"
        found = [Fault("[symmetry]", what, "state fewer generators, or rotations", kind="frame")]
    raise refusal("reduction", found)


def _written(make: Callable[[], BracketOnQuotient | list[Fault]]) -> BracketOnQuotient | list[Fault]:
    """Return a bracket that is written by functions on C/G, or why it is not."""
    try:
        found = make()
        if isinstance(found, BracketOnQuotient):
            found.require_written()
    except ExpressionError as error:
        return [Fault("[symmetry]", str(error).removesuffix("."), "state fewer generators", kind="written")]
    return found


def _as_seen(group: SymmetryGroupWithoutCharts, seen: SeenBase) -> BracketOnQuotient:
    """Return the bracket in a view."""
    there = seen.space
    moved = replace(group, motion=there, manifold=there.manifold, field=there.field)
    found = BracketOnQuotient(there, moved, seen, there.v, there.virtual)
    if not isinstance(seen, UnsolvedBase):
        return found
    around = seen.around
    return replace(found, speeds=around.v, fields=seen.spanning, known=seen.known, held=seen.held, around=around)


def _on_rows(
    space: PhaseSpace, group: SymmetryGroupWithoutCharts, base: BaseWithoutCharts
) -> BracketOnQuotient | list[Fault]:
    """Return the bracket by rows of rotations and coordinates that stand still, or why there is none."""
    generators, own = [list(x.components) for x in group.on_q], space.virtual
    if are_invariant(space, generators, own) and vanish([x(v) for x in group.fields for v in space.v], space.facts):
        return BracketOnQuotient(space, group, base, space.v, own)
    weights = _weights_of(space, base)
    found = () if weights is None else _of_the_base(space, weights)
    if weights is None or not are_invariant(space, generators, found):
        return [
            Fault(
                "[speeds]",
                "no invariant fields that span D were found",
                "state speeds that the group leaves alone",
                kind="frame",
            )
        ]
    others = [j for j in range(len(space.frame.velocities)) if j not in base.places]
    alone = [row for row in space.rows.values() if vanish([row[j] for j in others], space.facts)]
    held = tuple(dot([row[j] for j in base.places], base.velocities) for row in alone)
    on_c = dict(zip(space.frame.velocities, space.speeds.velocities, strict=True))
    known = {u: on_c[u] for u in base.velocities if u not in space.v}
    return BracketOnQuotient(space, group, base, base.velocities, found, weights, known, held)


def _of_the_base(space: PhaseSpace, weights: Rows) -> Rows:
    """Return the fields of the velocities w of the base."""
    lines = list(zip(*space.speeds.fields, strict=True))
    return tuple(tuple(space.short(dot(some, line)) for line in lines) for some in zip(*weights, strict=True))


def _weights_of(space: PhaseSpace, base: BaseWithoutCharts) -> Rows | None:
    """Return (Z_w^T Z_w)^-1 Z_w^T, a row for each speed, where velocities w of the base give v; else None."""
    columns = [[z[j] for j in base.places] for z in space.speeds.fields]
    if space.system.virtual or generic_rank(columns, space.manifold.kinds).rank < len(columns):
        return None
    square = [[space.short(dot(a, b)) for b in columns] for a in columns]
    found = [solve(square, list(line)) for line in zip(*columns, strict=True)]
    return tuple(tuple(space.short(e) for e in row) for row in zip(*found, strict=True))
