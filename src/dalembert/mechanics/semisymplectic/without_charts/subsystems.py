"""Subsystems of systems with rotations: submanifolds of C by equations between its functions (Patrick, Theorem 5.2).

M is where functions f on C vanish that are independent there, df of full rank on TC. Nothing is solved for: TM cap K is
spanned by combinations k of the fields of K with df(k) = 0, which are known on M and are continued anyhow; brackets of
fields that are tangent to M depend on what they are on M alone, and are decided where f = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.graph import Expr
from dalembert.expr.linear import generic_kernel
from dalembert.expr.truth import Fact, Verdict, Where, generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import symbols
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.forms import d
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.semisymplectic.subsystems import place_claims, read_equations
from dalembert.mechanics.semisymplectic.without_charts.phase_space import PhaseSpace
from dalembert.model.claim import Claim
from dalembert.model.system import System

_LEAVES = "the motion does not stay on it, so that nothing is asked of its flow."


def faults_of_subsystems(system: System) -> list[Fault]:
    """Return what is stated in ``[subsystem]`` that is not for rotations, or cannot be read."""
    faults = []
    for name, stated in system.subsystem.items():
        where = f"[subsystem] {name}"
        if not isinstance(stated, Mapping) or set(stated) != {"at"}:
            what = "fields and reduction data are stated by coordinates of a chart"
            faults.append(Fault(where, what, "state equations under at, or rotations by angles", kind="subsystem"))
            continue
        try:
            equations_of(system, stated["at"])
        except ExpressionError as error:
            remedy = "state equations between coordinates, entries and velocities"
            faults.append(Fault(where, str(error).removesuffix("."), remedy, kind="subsystem"))
    return faults


def equations_of(system: System, stated: Any) -> list[Expr]:
    """Return what equations set to zero, by coordinates and their velocities; refuse other variables."""
    state = {x.data for x in (*system.q, *system.v)}
    found = {text: left - right for text, (left, right) in read_equations(system, stated).items()}
    for text, zero in found.items():
        if any(s.role == "variable" and s not in state for s in symbols([zero])):
            raise ExpressionError(f"'{text}' is not an equation of the state.")
    return list(found.values())


def claims_without_charts(space: PhaseSpace) -> list[Claim]:
    """Decide the conditions of Theorem 5.2 on each stated submanifold, one by one, and what follows."""
    found = []
    for name, stated in space.system.subsystem.items():
        assert isinstance(stated, Mapping)
        place = PlaceWithoutCharts(space, equations_of(space.system, stated["at"]))
        answers = place_claims(place) if place.is_regular else [place.not_regular()]
        found += [Claim(f"subsystem {name}: {c.name}", c.statement, "question", c.verdict) for c in answers]
    return found


class PlaceWithoutCharts:
    """A submanifold of C with what it inherits: the motion, the form, and K."""

    def __init__(self, space: PhaseSpace, stated: Sequence[Expr]) -> None:
        self.space = space
        self.functions = space.speeds.by_speeds(space.frame.put(list(stated)))
        self.facts: tuple[Fact, ...] = (*space.facts, *map(Where, self.functions))

    @cached_property
    def is_regular(self) -> bool:
        """Whether the functions are independent on C where they vanish."""
        rows = [[x(f) for x in self.space.tangent] for f in self.functions]
        return generic_rank(rows, self.facts).rank == len(rows)

    def not_regular(self) -> Claim:
        """Say that they are not."""
        why = "the differentials of what the equations set to zero are not independent there."
        return Claim("regular", "it is a submanifold of C", "question", Verdict("undecided", why))

    def _along(self, fields: Sequence[VectorField]) -> list[VectorField]:
        """Return combinations of fields that are tangent to M, on M."""
        rows = [[x(f) for x in fields] for f in self.functions]
        return [combination(zip(k, fields, strict=True)) for k in generic_kernel(rows, len(fields), self.facts)]

    @cached_property
    def _bundle(self) -> list[VectorField]:
        """TM cap K."""
        return self._along(self.space.manifold.basis)

    def _lie_in_k(self, fields: Mapping[str, VectorField]) -> Verdict:
        """Decide whether fields lie in K, on M."""
        forms = {name: self.space.one_form(row) for name, row in self.space.annihilator.items()}
        parts = {f"{key} along {n}": dot(form, x.components) for key, x in fields.items() for n, form in forms.items()}
        return all_vanish(parts, self.facts)

    @cached_property
    def _stays(self) -> Verdict:
        rates = [self.space.field(f) for f in self.functions]
        return all_vanish({f"rate {n}": e for n, e in enumerate(rates, 1)}, self.facts)

    def invariant(self) -> Verdict:
        """Decide whether the motion stays on M."""
        return self._stays

    def bundle_invariant(self) -> Verdict:
        """Decide whether the flow preserves TM cap K."""
        if not self._stays.holds:
            return Verdict("undecided", _LEAVES)
        moved = {f"[X, k{n}]": bracket(self.space.field, k) for n, k in enumerate(self._bundle, 1)}
        return self._lie_in_k(moved)

    def flat(self) -> Verdict:
        """Decide whether brackets of TM cap K stay in K."""
        pairs = combinations(enumerate(self._bundle, 1), 2)
        return self._lie_in_k({f"[k{i}, k{j}]": bracket(a, b) for (i, a), (j, b) in pairs})

    def closed(self) -> Verdict:
        """Decide whether d omega = 0 on TM cap K."""
        three = d(self.space.manifold.form)
        triples = combinations(enumerate(self._bundle, 1), 3)
        return all_vanish({f"on k{i}, k{j}, k{k}": three(a, b, c) for (i, a), (j, b), (k, c) in triples}, self.facts)

    def inside(self) -> Verdict:
        """Decide whether TM lies in K."""
        return self._lie_in_k({f"field {n}": x for n, x in enumerate(self._along(self.space.tangent), 1)})
