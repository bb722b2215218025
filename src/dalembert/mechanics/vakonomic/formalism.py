"""The formalism ``vakonomic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dalembert.errors import expect
from dalembert.mechanics import asked
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.noether import invariances
from dalembert.mechanics.registry import Formalism, MainObject
from dalembert.mechanics.theorem import Theorem, about
from dalembert.mechanics.vakonomic import noether
from dalembert.mechanics.vakonomic.densities import first_variation_law
from dalembert.mechanics.vakonomic.formulations import meets_hamiltonian_form
from dalembert.mechanics.vakonomic.on_algebra import VakonomicOnAlgebra, derive_on_algebra
from dalembert.mechanics.vakonomic.symmetry_algebra import closes
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic, check, derive, no_abnormal_extremals
from dalembert.mechanics.vakonomic.without_charts import VakonomicWithoutCharts, derive_without_charts
from dalembert.model.system import System

_SECTION = "Garcia-Rodrigo, section 2"
_MOMENTA = "Garcia-Rodrigo, section 3"


def _derive(system: System) -> Vakonomic | VakonomicWithoutCharts | VakonomicOnAlgebra:
    expect(system, System, "a formalism takes a system")
    if not system.points and system.algebra is None:
        return derive(system)
    faults = check(system)
    if faults:
        raise refusal("vakonomic", faults)
    return derive_without_charts(system) if system.algebra is None else derive_on_algebra(system)


def _in_chart(result: Any) -> bool:
    return not result.system.points and result.system.algebra is None


def _on_manifold(result: Any) -> bool:
    return result.system.algebra is None


def _on_algebra(result: Any) -> bool:
    return result.system.algebra is not None


def _has_projector(result: Any) -> bool:
    return _in_chart(result) and result.find_projector() is not None


def _has_algebra(result: Any) -> bool:
    return _in_chart(result) and result.symmetry_algebra is not None and len(result.symmetry_algebra.momenta) > 1


LEFT_INVARIANT = (
    Theorem(
        "invariant Hamiltonian",
        "Lie; Poisson",
        "the Hamiltonian is a function of the momenta mu of an invariant frame alone",
        "check",
        lambda one, proofs: one.invariant(proofs),
    ),
    Theorem(
        "Lie-Poisson reduction",
        "Lie; Poisson",
        "the motion moves the mu by the Lie-Poisson bracket with the Hamiltonian",
        "check",
        lambda one, proofs: one.moves(proofs),
        yes="The problem is left-invariant: its momenta move by a Lie-Poisson bracket, wherever the motion is.",
        topic="reduction",
    ),
)


_ON_ALGEBRA = (
    Theorem(
        "on the group",
        "Lie; Poisson",
        "the motion solves the equations of l + lambda phi on the group, in coordinates of the second kind",
        "check",
        lambda result, proofs: result.on_group(proofs),
    ),
    Theorem(
        "Lie-Poisson",
        "Lie; Poisson",
        "mu and a move by the Lie-Poisson bracket with the Hamiltonian",
        "check",
        lambda result, proofs: result.lie_poisson(proofs),
        yes="The motion is Hamiltonian for a Lie-Poisson bracket.",
        topic="reduction",
    ),
    Theorem(
        "Casimir",
        "Lie; Poisson",
        "a function that commutes with all others is conserved",
        "check",
        lambda result, proofs: result.casimirs_conserved(proofs),
    ),
    Theorem(
        "energy conserved",
        _MOMENTA,
        "the energy is conserved",
        "question",
        lambda result, proofs: result.energy_conserved(proofs),
    ),
)

_ON_MANIFOLDS = (
    Theorem(
        "main hypothesis",
        _SECTION,
        "Main Hypothesis, at generic points: there are N_a with Omega_f^a(N_b) = 0 and E_f^a(N_b) = delta^a_b",
        "question",
        lambda result, _: result.decide_main_hypothesis().verdict,
        yes="Vakonomic motions can be described without multipliers, at generic points of the constraint.",
        no="The Main Hypothesis fails, so that vakonomic motions are described with multipliers.",
    ),
    Theorem(
        "multipliers",
        _SECTION,
        "the Hamiltonian motions solve E_L + lambda E_f - lambda' Omega_f = 0",
        "check",
        lambda result, proofs: result.formulations.by_multipliers(proofs),
    ),
    Theorem(
        "energy conserved",
        _MOMENTA,
        "the energy is conserved",
        "question",
        lambda result, proofs: noether.energy_conserved(result.form, proofs),
    ),
    Theorem(
        "invariance",
        _MOMENTA,
        "L is invariant under each generator, strictly or up to a total derivative",
        "question",
        lambda result, proofs: invariances(result.system, proofs),
    ),
    Theorem(
        "tangent",
        _MOMENTA,
        "each generator is tangent to the constraint",
        "question",
        lambda result, proofs: noether.tangencies(result.form, proofs),
    ),
    Theorem(
        "momentum",
        _MOMENTA,
        "the momentum of each symmetry of (L, S) is conserved",
        "check",
        lambda result, proofs: [noether.conservation(result.form, one, proofs) for one in result.momenta],
    ),
    Theorem(
        "symmetry algebra",
        _MOMENTA,
        "the symmetries of (L, S) form a Lie algebra",
        "question",
        lambda result, _: closes(result.form, result.momenta),
        needs=lambda result: _in_chart(result) and any(one.is_symmetry for one in result.momenta),
    ),
    Theorem(
        "equivariance",
        _MOMENTA,
        "the momentum map is equivariant",
        "check",
        lambda result, proofs: result.symmetry_algebra.equivariance(proofs),
        needs=_has_algebra,
    ),
    Theorem(
        "Casimir",
        "Lie; Poisson",
        "a Casimir of the symmetry algebra commutes with all momenta",
        "check",
        lambda result, proofs: result.symmetry_algebra.casimirs_commute(proofs),
        needs=lambda result: _has_algebra(result) and result.symmetry_algebra.has_casimirs,
    ),
    *about(lambda result: result.left_invariant, LEFT_INVARIANT, _in_chart),
    Theorem(
        "abnormal extremals",
        _SECTION,
        "no curve along which the N_a exist is an abnormal extremal: lambda E_f = lambda' Omega_f only for lambda = 0",
        "question",
        no_abnormal_extremals,
    ),
    Theorem(
        "abnormal extremals of rank 2",
        "Liu and Sussmann",
        "abnormal extremals are the curves of a field",
        "check",
        lambda result, proofs: result.abnormal_field.claims(proofs),
        needs=lambda result: _in_chart(result) and result.abnormal_field is not None,
    ),
)

PROJECTOR_LAWS = (
    Theorem(
        "projector",
        _SECTION,
        "P^2 = P on every field along a curve",
        "check",
        lambda one, proofs: one.is_idempotent(proofs),
    ),
    Theorem(
        "image of P",
        _SECTION,
        "P(D) is an admissible variation",
        "check",
        lambda one, proofs: one.is_admissible(proofs),
    ),
    Theorem(
        "commutation rule",
        _SECTION,
        "<P(D), E> = <D, P+(E)> + d/dt(lambda_a Omega_f^a(D))",
        "check",
        lambda one, proofs: one.commutes(proofs),
    ),
    Theorem(
        "first variation with constraints",
        "Garcia-Rodrigo, Theorem 2.1",
        "P(D)^(r)(L) = <D, P+(E_L)> + d/dt(i_P(D) Theta_L + lambda_a Omega_f^a(D))",
        "check",
        lambda one, proofs: one.varies(proofs),
    ),
    Theorem(
        "both kinds of variation span all",
        "Garcia-Rodrigo, Remark 1",
        "Omega_f(D - P(D)) = 0, so that vakonomic and nonholonomic variations together are all fields along a curve",
        "check",
        lambda one, proofs: one.completes(proofs),
    ),
)

_LAWS = (
    Theorem(
        "first variation formula",
        "Garcia-Rodrigo, section 1",
        "the first variation formula of L",
        "check",
        lambda result, proofs: first_variation_law(result.formulations.lagrangian, result.system.facts, proofs),
        needs=_in_chart,
    ),
    *about(lambda result: result.find_projector(), PROJECTOR_LAWS, _has_projector),
    Theorem(
        "Legendre transformation",
        _SECTION,
        "the highest derivatives and multipliers solve p = dL/dw + mu dg/dw, g = 0",
        "check",
        lambda result, proofs: result.formulations.legendre(proofs),
        needs=lambda result: result.form.solved is not None,
    ),
    Theorem(
        "Cartan equations",
        _SECTION,
        "the Hamiltonian motions solve the Cartan equations i_X d(Theta~) = 0 on S",
        "check",
        lambda result, proofs: result.formulations.cartan(proofs),
        needs=_in_chart,
    ),
    Theorem(
        "without multipliers",
        _SECTION,
        "along the motions lambda_a = -E_L(N_a) and P+(E_L) = 0",
        "check",
        lambda result, proofs: result.formulations.without_multipliers(proofs),
        needs=_has_projector,
    ),
    Theorem(
        "independent of the choice of N",
        _SECTION,
        "E_L vanishes along the motions on ker(Omega_f, E_f), so any choice of N gives the same",
        "check",
        lambda result, proofs: result.formulations.vanishes_on_kernel(result.find_projector(), proofs),
        needs=lambda result: _has_projector(result) and bool(result.find_projector().kernel),
    ),
    Theorem(
        "velocities and multipliers",
        _SECTION,
        "the motions in velocities and multipliers are those of the Hamiltonian form",
        "check",
        lambda result, proofs: meets_hamiltonian_form(result.form, proofs),
        needs=lambda result: _in_chart(result) and result.form.explicit,
    ),
    Theorem(
        "energy balance",
        _MOMENTA,
        "the energy changes by explicit time in L and in the constraints, and by nothing else",
        "check",
        lambda result, proofs: noether.energy_balance(result.form, proofs),
    ),
)


def _where(needs: Callable[[Any], bool], rows: Sequence[Theorem]) -> tuple[Theorem, ...]:
    """Return theorems that speak of some results only."""

    def narrowed(row: Theorem) -> Theorem:
        return replace(row, needs=lambda result: needs(result) and row.needs(result))

    return tuple(map(narrowed, rows))


FORMALISM = Formalism(
    name="vakonomic",
    title="Vakonomic equations",
    sentence="The action is stationary among the curves that obey the constraints: where these are not integrable, not "
    "d'Alembert's motion.",
    asks=asked.VAKONOMIC,
    cites=("garcia-rodrigo-2004",),
    derive=_derive,
    theorems=(*_where(_on_algebra, _ON_ALGEBRA), *_where(_on_manifold, _ON_MANIFOLDS)),
    laws=_where(_on_manifold, _LAWS),
    chart_free=True,
    symmetry="all",
    variational=True,
    main=(
        MainObject("hamiltonian", "H"),
        MainObject("multipliers", "lambda", "_"),
        MainObject("noether_momenta", "J", "_"),
        MainObject("symmetry_algebra momentum_brackets", "{J}", title="brackets of the Noether momenta"),
        MainObject("symmetry_algebra casimirs", "C", "_", "Casimirs of the Noether momenta"),
        MainObject("lie_poisson hamiltonian", "H", title="left-invariant Hamiltonian"),
        MainObject("lie_poisson equations", "'", title="Lie-Poisson equations"),
        MainObject("abnormal_extremals field", "'", title="abnormal extremals, up to speed"),
        MainObject("abnormal_extremals where_zero", "H12", title="abnormal extremals lie where this vanishes"),
    ),
)
