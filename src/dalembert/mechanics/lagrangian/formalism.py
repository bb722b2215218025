"""The formalism ``euler-lagrange``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics import asked
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.lagrangian.kinetic_metric import kinetic_geometry
from dalembert.mechanics.lagrangian.noether import conservation, invariances
from dalembert.mechanics.lagrangian.speeds import speed_theorems
from dalembert.mechanics.registry import Formalism, MainObject
from dalembert.mechanics.theorem import Theorem, about

_CURVATURE = (
    Theorem(
        "curvature",
        "Riemann; Jacobi",
        "the Jacobi endomorphism of the motion is R(., q') q' + nabla grad V, with the curvature of the kinetic metric",
        "check",
        lambda geometry, proofs: geometry.curvature_is_jacobi(proofs),
        needs=lambda geometry: geometry.is_small and not geometry.system.forces,
    ),
)

_THEOREMS = (
    Theorem("regular", "Legendre", "the Lagrangian is regular", "hypothesis", euler_lagrange.regular),
    Theorem(
        "energy balance",
        "Lagrange",
        "the energy changes by explicit time in L and by the power of the forces, and by nothing else",
        "check",
        euler_lagrange.energy_balance,
    ),
    Theorem(
        "energy conserved",
        "Lagrange",
        "the energy is conserved",
        "question",
        euler_lagrange.energy_conserved,
        yes="The energy is conserved.",
        no="The energy is not conserved.",
        topic="conserved",
    ),
    Theorem(
        "invariance",
        "Noether",
        "L is invariant under each generator, strictly or up to a total derivative",
        "question",
        lambda result, proofs: invariances(result.system, proofs),
    ),
    Theorem(
        "momentum",
        "Noether",
        "the momentum of each symmetry changes by the work of the forces only",
        "check",
        lambda result, proofs: [conservation(result.system, result.in_coordinates, n, proofs) for n in result.noether],
    ),
    Theorem(
        "symplectic",
        "Cantrijn-Cortes-de Leon-Martin de Diego, section 3",
        "the field solves i_X omega_L = dE - Q",
        "check",
        euler_lagrange.solves_symplectic_equation,
        needs=euler_lagrange.is_autonomous,
    ),
    Theorem(
        "multipliers",
        "Lagrange",
        "the motion without a chart is that of multipliers which keep rotations and directions at unit length",
        "check",
        euler_lagrange.agrees_with_multipliers,
        needs=euler_lagrange.is_chart_free,
    ),
    *speed_theorems(euler_lagrange.accelerations, lambda result: not euler_lagrange.is_chart_free(result)),
)

FORMALISM = Formalism(
    name="euler-lagrange",
    title="Euler-Lagrange equations",
    sentence="Where no forces act, the action is stationary at the motion.",
    asks=asked.EULER_LAGRANGE,
    cites=(),
    derive=euler_lagrange.derive,
    theorems=_THEOREMS,
    laws=about(lambda result: kinetic_geometry(result.system), _CURVATURE),
    chart_free=True,
    main=(
        MainObject("momenta", "p", "_"),
        MainObject("hessian", "g", "__"),
        MainObject("noether_momenta", "J", "_"),
    ),
)
