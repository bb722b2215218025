"""Lie-Poisson reduction of problems that a group which acts simply transitively leaves as they are.

With the fields E^_a that commute with all generators let mu_a = <p, E^_a>. The Hamiltonian of the problem is a function
h(mu) of these alone, and

    mu_a' = {mu_a, h} = -C_ab^c mu_c dh/dmu_b,

with the structure constants of the group: n equations in place of 2n, the same for every point. That h does not depend
on the point, and that the flow on T*Q moves the mu like this, is decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import casimirs
from dalembert.geometry.groups.invariant_frame import InvariantFields, invariant_fields, usual_origin
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm
from dalembert.mechanics.vakonomic.noether import ConstrainedMomentum
from dalembert.records import dataclass

_MOST_GROUPS = 20
"""So many choices of generators are tried where there are more of them than coordinates."""


@dataclass(frozen=True)
class LeftInvariant:
    """The problem in momenta of an invariant frame."""

    form: HamiltonianForm
    algebra: LieAlgebra
    frame: InvariantFields

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """The symbols mu_a."""
        return tuple(symbol(Symbol(f"mu_{name}")) for name in self.algebra.names)

    @cached_property
    def costates(self) -> dict[Expr, Expr]:
        """The costates p at a point and mu: <p, E^_a> = mu_a."""
        rows = [list(field.components) for field in self.frame.fields]
        return dict(zip(self.form.costates, solve(rows, list(self.momenta)), strict=True))

    @cached_property
    def hamiltonian_at_points(self) -> Expr:
        """H at a point and mu, before it is known that the point does not matter."""
        (energy,) = self.form.state([self.form.hamiltonian])
        return substitute([energy], self.costates)[0]

    @cached_property
    def hamiltonian(self) -> Expr:
        """The h(mu), written at one point."""
        return tidy(substitute([self.hamiltonian_at_points], usual_origin(self.form.system.q))[0])

    @cached_property
    def bracket(self) -> list[list[Expr]]:
        """{mu_a, mu_b} = -C_ab^c mu_c."""
        return [[-entry for entry in row] for row in self.algebra.coadjoint_matrix(self.momenta)]

    @cached_property
    def rates(self) -> dict[Expr, Expr]:
        """{mu_a, h}."""
        slopes = gradient(self.hamiltonian, list(self.momenta))
        return {mu: tidy(dot(row, slopes)) for mu, row in zip(self.momenta, self.bracket, strict=True)}

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of degree at most 2 that commute with all mu."""
        return casimirs(self.bracket, self.momenta)

    def objects(self) -> dict[str, Any]:
        """Return the reduced problem by the names of the JSON."""
        names = [q.data.name for q in self.form.system.q]
        labels = [mu.data.name for mu in self.momenta]
        fields = [dict(zip(names, field.components, strict=True)) for field in self.frame.fields]
        return {
            "frame": dict(zip(labels, fields, strict=True)),
            "hamiltonian": self.hamiltonian,
            "equations": dict(zip(labels, self.rates.values(), strict=True)),
            "casimirs": list(self.casimirs),
        }

    # -- theorems ------------------------------------------------------------------------------------------------
    def invariant(self, proofs: ProofBudget) -> Verdict:
        """Decide that H is a function of the mu alone."""
        q = self.form.system.q
        slopes = gradient(self.hamiltonian_at_points, list(q))
        return proofs.all_vanish({f"dh/d{x.data.name}": s for x, s in zip(q, slopes, strict=True)}, self._facts)

    def moves(self, proofs: ProofBudget) -> Verdict:
        """Decide that the flow on T*Q moves the mu by the Lie-Poisson bracket."""
        functions = [dot(self.form.costates, field.components) for field in self.frame.fields]
        rates = self.form.state(self.form.along(functions))
        wanted = substitute(list(self.rates.values()), dict(zip(self.momenta, functions, strict=True)))
        parts = {mu.data.name: a - b for mu, a, b in zip(self.momenta, rates, wanted, strict=True)}
        return proofs.all_vanish(parts, self._facts)

    @property
    def _facts(self) -> Any:
        return points_of(self.form.system)


def left_invariant(form: HamiltonianForm, momenta: Sequence[ConstrainedMomentum]) -> LeftInvariant | None:
    """Return the reduced problem; None where no stated group acts simply transitively, its invariant fields known."""
    system = form.system
    strict = {one.name for one in momenta if one.kind == "symmetry" and one.is_symmetry}
    chart = Chart(system.q)
    fields = {
        name: VectorField.of(chart, generator.components)
        for name, generator in system.symmetry.items()
        if name in strict and not generator.moves_time
    }
    if form.order > 1 or form.solved is None or len(fields) < len(system.q):
        return None
    for names in islice(combinations(fields, len(system.q)), _MOST_GROUPS):
        found = _frame({name: fields[name] for name in names})
        if found is not None:
            return LeftInvariant(form, *found)
    return None


def _frame(fields: Mapping[str, VectorField]) -> tuple[LieAlgebra, InvariantFields] | None:
    try:
        action = action_from_generators(fields)
        return action.algebra, invariant_fields(action)
    except ExpressionError:  # they do not close, depend on each other, or have no invariant fields of the forms known
        return None
