"""Vakonomic mechanics: critical curves of the action among those that obey the constraints (Garcia, Rodrigo).

Variations are tangent to the constraint, not only annihilated by df/dq' as in d'Alembert's principle. The equations are
those of L + lambda f with lambda as part of the state; they come here in their Hamiltonian form, which is regular where
the bordered Hessian is. Every other formulation is a check (``formulations``): lambda as a state, the Cartan equations,
and where the Main Hypothesis holds the equations P+(E_L) = 0 without multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any

from dalembert.errors import ExpressionError, Fault, expect
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.forms import Form
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, equations_of, optional
from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
from dalembert.mechanics.vakonomic import abnormal_fields
from dalembert.mechanics.vakonomic.abnormal_fields import AbnormalField, abnormal_field
from dalembert.mechanics.vakonomic.densities import any_field
from dalembert.mechanics.vakonomic.formulations import (
    SMALL,
    Formulations,
    constrained_cartan_form,
    formulations,
    velocity_form,
)
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm, hamiltonian_form
from dalembert.mechanics.vakonomic.initial_data import initial_state
from dalembert.mechanics.vakonomic.left_invariant import LeftInvariant, left_invariant
from dalembert.mechanics.vakonomic.noether import ConstrainedMomentum, momentum_map
from dalembert.mechanics.vakonomic.projector import (
    MainHypothesis,
    Projector,
    main_hypothesis,
    projector,
    singular_set,
)
from dalembert.mechanics.vakonomic.symmetry_algebra import SymmetryAlgebra, symmetry_algebra
from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass

CITES = ("garcia-rodrigo-2004",)

_SHORT = 400
"""Objects up to so many nodes are written short,"""
_EFFORT = 0.6
"""as long as all of them together take no more work than this,"""
_SHORT_ALREADY = frozenset({"singular_where_all_vanish"})
"""but for what is made short where it is found."""


@dataclass(frozen=True, repr=False)
class Vakonomic(Derived):
    """The variational problem with constraints: its equations, its geometry, its momenta."""

    system: System
    form: HamiltonianForm
    momenta: tuple[ConstrainedMomentum, ...]
    equations: Equations

    @cached_property
    def formulations(self) -> Formulations:
        """The Lagrangian and the constraints as densities, and the other formulations that they make."""
        return formulations(self.form)

    @cached_property
    def _hypothesis(self) -> MainHypothesis:
        return main_hypothesis(self.system, self.form.manifold)

    @cached_property
    def _projector(self) -> Projector | None:
        return projector(self.system, self._hypothesis) if len(self.system.q) <= SMALL else None

    def decide_main_hypothesis(self) -> MainHypothesis:
        """Decide whether there are fields N_a; once, as all that follows from them."""
        return self._hypothesis

    def find_projector(self) -> Projector | None:
        """Return P and P+, where the Main Hypothesis holds and coordinates are not too many."""
        return self._projector

    @cached_property
    def symmetry_algebra(self) -> SymmetryAlgebra | None:
        """The Lie algebra of the stated symmetries of (L, S), where these are a basis of one."""
        if not any(one.is_symmetry for one in self.momenta):
            return None
        try:
            return symmetry_algebra(self.form, self.momenta)
        except ExpressionError:
            return None

    @cached_property
    def left_invariant(self) -> LeftInvariant | None:
        """The problem in momenta of an invariant frame, where a stated group acts simply transitively."""
        return left_invariant(self.form, self.momenta)

    @cached_property
    def abnormal_field(self) -> AbnormalField | None:
        """The field of the abnormal extremals, where linear constraints leave two velocities free."""
        small = len(self.system.q) <= SMALL
        return abnormal_field(self.system) if small and not abnormal_fields.check(self.system) else None

    @property
    def hamiltonian(self) -> Expr:
        """H in the state (and in the unknowns, where these stay implicit)."""
        return self.form.state([self.form.hamiltonian])[0]

    @property
    def multipliers(self) -> dict[str, Expr]:
        """The lambda of each constraint, in the same."""
        return dict(zip(self.system.constraints, self.form.state(self.form.multipliers), strict=True))

    @property
    def cartan_form(self) -> Form:
        """Theta~ on (t, q, ..., q_(2r-1), lambda)."""
        several = self.formulations
        return constrained_cartan_form(several.lagrangian, several.constraints, several.multipliers)

    def initial_state(
        self,
        values: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        *,
        stated: bool = False,
    ) -> dict[Expr, float]:
        """Return state and unknowns from initial data in the user's terms; see ``initial_data``."""
        return initial_state(self.formulations, values, parameters, stated=stated)

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        names = [q.data.name for q in self.system.q]
        held = list(self.system.constraints)
        several, form = self.formulations, self.form
        constraints = dict(zip(held, several.constraints, strict=True))
        theta = self.cartan_form
        labels = [c.data.label for c in theta.chart.coordinates]
        noether = form.state([m.momentum for m in self.momenta])
        found: dict[str, Any] = {
            "euler_operator": dict(zip(names, several.lagrangian.euler, strict=True)),
            "momentum_forms": {
                "lagrangian": [dict(zip(names, p, strict=True)) for p in several.lagrangian.momenta],
                **{
                    n: dict(zip(names, f.momenta[0], strict=True))
                    for n, f in zip(held, several.constraints, strict=True)
                },
            },
            "constraint_euler_operators": {n: dict(zip(names, f.euler, strict=True)) for n, f in constraints.items()},
            "equations": dict(zip(names, several.equations(), strict=True)),
            "multipliers": self.multipliers,
            "cartan_form": {labels[i]: v for (i,), v in theta.terms.items()},
            "hamiltonian": self.hamiltonian,
            "costates": {p.data.name: v for p, v in zip(form.costates, several.costates(), strict=True)},
            "energy": self.hamiltonian,
            "noether_momenta": {m.name: v for m, v in zip(self.momenta, noether, strict=True)},
        }
        one = self.find_projector()
        if one is not None:
            found |= _projector_objects(one, names, held)
        if self.abnormal_field is not None and self.abnormal_field.exists:
            abnormal = self.abnormal_field
            found |= optional("abnormal_extremals", lambda: {"abnormal_extremals": abnormal.objects()})
        if self.symmetry_algebra is not None:
            algebra = self.symmetry_algebra
            found |= optional("symmetry_algebra", lambda: {"symmetry_algebra": algebra.objects()})
        if self.left_invariant is not None:
            reduced = self.left_invariant
            found |= optional("lie_poisson", lambda: {"lie_poisson": reduced.objects()})
        short = SimplificationBudget(_EFFORT, largest=_SHORT)
        return {name: value if name in _SHORT_ALREADY else _shortened(value, short) for name, value in found.items()}


def _projector_objects(one: Projector, names: list[str], held: list[str]) -> dict[str, Any]:
    field = any_field(one.system.q, taken=one.system.vocabulary)
    fields = zip(held, one.normal_fields, strict=True)
    return {
        "normal_fields": {a: dict(zip(names, normal, strict=True)) for a, normal in fields},
        "normal_freedom": [dict(zip(names, vector, strict=True)) for vector in one.kernel],
        "singular_where_all_vanish": singular_set(one),
        "projector": dict(zip(names, one.apply(field), strict=True)),
    }


def _shortened(value: Any, short: SimplificationBudget) -> Any:
    """Return a nested table with its formulas written short where they are small, as far as the budget goes."""
    if isinstance(value, Expr):
        return short(value)
    if isinstance(value, dict):
        return {key: _shortened(part, short) for key, part in value.items()}
    return [_shortened(part, short) for part in value] if isinstance(value, list) else value


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the vakonomic equations of a system."""
    expect(system, System, "a formalism takes a system")
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "a variational principle needs one"))
    held, free = set(system.constraints) - system.units, len(system.q) - len(system.units)
    if not held:
        faults.append(Fault("[constraints]", "there are none", "use euler-lagrange", kind="some"))
    elif len(held) > free:
        faults.append(
            Fault(
                "[constraints]",
                f"there are {len(held)} on {free} velocities, which leaves no curve to be varied",
                kind="directions",
            )
        )
    if not vanish(list(system.forces.values()), system.facts):
        remedy = "put them into the Lagrangian as a potential, or use nonholonomic"
        faults.append(Fault("[forces]", "forces have no place in a variational principle", remedy))
    if system.virtual:
        remedy = "remove the table; for a bundle of variations of your own use variations.critical"
        faults.append(Fault("[virtual]", "vakonomic variations are those tangent to the constraints", remedy))
    return tuple(faults)


def derive(system: System) -> Vakonomic:
    """Return the vakonomic equations, or raise ``HypothesisError`` with every reason why there are none.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "x'*sin(phi) = y'*cos(phi)"})
    >>> derive(skate).objects()["multipliers"]
    {'blade': p_x*sin(phi) - p_y*cos(phi)}
    """
    faults = check(system)
    if system.points:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}"
        faults += (Fault("[coordinates]", what, "use dalembert.derive, which takes it", kind="chart"),)
    if faults:
        raise refusal("vakonomic", faults)
    form = hamiltonian_form(system, constraint_manifold(system))
    momenta = momentum_map(form)
    return Vakonomic(system, form, momenta, _equations(form, momenta))


def _equations(form: HamiltonianForm, momenta: tuple[ConstrainedMomentum, ...]) -> Equations:
    system = form.system
    watched = form.watched({m.name: m.momentum for m in momenta if m.is_symmetry})
    if form.explicit:
        parts = velocity_form(form)
    else:
        rates = form.state(list(form.rates.values()))
        implicit = form.residuals if form.solved is None else {}
        parts = {"kinematics": dict(zip(form.rates, rates, strict=True)), "implicit": implicit}
    # above order 1 higher derivatives are data too, which the state does not name
    begin = partial(_initial_state, form) if form.order > 1 else None
    return equations_of(system, "vakonomic", monitors=watched, initial_state=begin, **parts)


def _initial_state(
    form: HamiltonianForm, values: Mapping[Any, Any] | None, parameters: Mapping[Any, Any] | None
) -> dict[Expr, float]:
    return initial_state(formulations(form), values, parameters, stated=True)


# -- theorems ------------------------------------------------------------------------------------------------
def no_abnormal_extremals(result: Vakonomic | VakonomicWithoutCharts, _: ProofBudget) -> Verdict:
    """Say what is known in general: N_a on lambda_a E_f^a = lambda_a' Omega_f^a gives lambda = 0."""
    verdict = result.decide_main_hypothesis().verdict
    if verdict.holds is True:
        why = (
            f"on the fields N_a it says lambda = 0, where they exist, as at generic points they do: {verdict.evidence}"
        )
        return Verdict(verdict.kind, why, verdict.error_bits)
    why = "there are no fields N_a that would exclude them; ask for a curve with mechanics.vakonomic.abnormal."
    return Verdict("undecided", why)
