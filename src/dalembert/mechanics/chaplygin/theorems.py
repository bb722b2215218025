"""What is true of a reduced Chaplygin system: its motion, its energy, its connection (sections 2 and 3).

The other sides of it have theorems of their own: ``gyroscopic``, ``connections``, ``measure``.
"""

from __future__ import annotations

from collections.abc import Mapping

from dalembert.expr.calculus import hessian, tangent
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import Verdict, all_hold, vanish
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection, from_metric, structure_equation, trivial
from dalembert.geometry.forms import lie_derivative, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
from dalembert.mechanics.chaplygin.local_data import local_data
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.common import Derived
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.model.claim import Claim
from dalembert.model.system import System


def is_chaplygin(result: Derived) -> Verdict:
    """Put the hypotheses together; the choice of a group among several is none of them."""
    return all_hold({claim.name: claim.verdict for claim in result.hypotheses if claim.name != "group"})


def projects_multipliers(
    system: System, bundle: PrincipalBundle, rates: Mapping[Expr, Expr], proofs: ProofBudget
) -> Verdict:
    """Decide whether the reduced motion, lifted, has the accelerations that Lagrange's multipliers give."""
    accelerations, _ = by_multipliers(system)
    stated = [bundle.configuration.get(q, q) for q in system.q]
    velocities = tangent(stated, rates)
    wanted = substitute(accelerations, dict(zip((*system.q, *system.v), (*stated, *velocities), strict=True)))
    found = tangent(velocities, rates)
    apart = [f - w for f, w in zip(found, wanted, strict=True)]
    if system.facts:  # both fields are invariant, and facts about slopes hold where values are compared: on the section
        apart = bundle.on_base(apart)
    return proofs.all_vanish(components_of(apart, system.q), system.facts)


def energy_conserved(result: Chaplygin, proofs: ProofBudget) -> Verdict:
    """Decide E' = 0."""
    (rate,) = tangent([result.energy], result.in_coordinates.rates())
    return proofs.is_zero(rate, result.reduction.facts)


def energy_balance(result: Chaplygin, proofs: ProofBudget) -> Verdict:
    """Decide E' = Q r'."""
    (rate,) = tangent([result.energy], result.in_coordinates.rates())
    reduction = result.reduction
    power = dot(reduction.forces, reduction.velocities)
    return proofs.is_zero(rate - power, reduction.facts)


def connection_is_stated(result: Chaplygin, _: ProofBudget) -> Verdict:
    """Decide whether the connection of ``[bundle]`` is that of the constraints, which is the one that is used."""
    system, gamma = result.system, result.stated_connection()
    stated = system.bundle.connection if system.bundle is not None else None
    if stated == "trivial" or system.lagrangian is None:
        wanted = trivial(system.chart, gamma.generators, [q for q in system.q if _unmoved(q, gamma)]).forms
    elif stated == "mechanical":
        wanted = from_metric(hessian(system.lagrangian, system.v), gamma.generators).forms
    else:
        assert stated is not None
        assert not isinstance(stated, str)
        wanted = tuple(one_form(system.chart, [form.get(q, ZERO) for q in system.q]) for form in stated.values())
    if len(wanted) != len(gamma.forms):
        return Verdict("refuted", f"{len(wanted)} forms are stated for {len(gamma.forms)} generators.")
    pairs = enumerate(zip(gamma.forms, wanted, strict=True))
    return all_hold({f"form {i + 1}": (mine - theirs).is_zero() for i, (mine, theirs) in pairs})


def _unmoved(q: Expr, gamma: PrincipalConnection) -> bool:
    return vanish([e.components[e.chart.place(q)] for e in gamma.generators])


def states_connection(result: Chaplygin) -> bool:
    """Say whether ``[bundle]`` states a connection other than by the constraints."""
    bundle = result.system.bundle
    return bundle is not None and bundle.connection is not None and bundle.connection != "constraint"


# -- laws ----------------------------------------------------------------------------------------------------
def connection_laws(reduction: ChaplyginReduction, proofs: ProofBudget) -> list[Claim]:
    """Check that gamma is a principal connection, and its curvature by the structure equation."""
    connection, constants = reduction.connection, reduction.structure_constants
    forms, fields = connection.forms, reduction.horizontal
    size = range(len(forms))
    unit = {
        f"form {i + 1} on generator {j + 1}": form(e) - (ONE if i == j else ZERO)
        for i, form in enumerate(forms)
        for j, e in enumerate(connection.generators)
    }
    turned: dict[str, Expr] = {}
    for j, e in enumerate(connection.generators):
        for i, form in enumerate(forms):
            defect = lie_derivative(e, form)
            for k in size:
                defect = defect - constants[j][k][i] * forms[k]
            turned |= {f"form {i + 1} moved by generator {j + 1}, {place}": c for place, c in defect.terms.items()}
    structure = {
        f"Omega on {a + 1}, {b + 1}, component {i + 1}": form(fields[a], fields[b]) - reduction.curvature[a][b][i]
        for i, form in enumerate(structure_equation(connection, constants))
        for b in range(len(fields))
        for a in range(b)
    }
    curved = "-gamma([X^h, Y^h]) is d gamma - [gamma, gamma]/2 on horizontal fields"
    said = [
        ("gives back the generators", "gamma(xi_Q) = xi", unit),
        ("is equivariant", "gamma turns with the group, by Ad", turned),
        ("obeys the structure equation", curved, structure),
    ]
    return [
        Claim(f"principal connection {what}", words, "check", proofs.all_vanish(parts, reduction.facts))
        for what, words, parts in said
    ]


def reduced_lagrangian_laws(reduction: ChaplyginReduction, proofs: ProofBudget) -> list[Claim]:
    """Check that what is read off the section is the same all along the orbits, and what local data give."""
    (whole,) = reduction.on_constraint([reduction.lagrangian])
    apart = {"L*": whole - reduction.reduced_lagrangian}
    if reduction.facts:  # that D(V, 2) = 0 says nothing of V(x, z) - V(x, 0), but of its slope along the orbit
        (here,) = reduction.on_base([whole])
        named = zip(reduction.action.names, reduction.generators, strict=True)
        apart = {"on the section": here - reduction.reduced_lagrangian}
        apart |= {f"slope along {name}": e(whole) for name, e in named}
    local = {"L*": local_data(reduction).reduced_lagrangian() - reduction.reduced_lagrangian}
    said = [
        ("is a function on Q/G", "L on D is L* of the projection, at every point of an orbit", apart),
        ("by local data", "L* is l(r, r', -Gamma r')", local),
    ]
    return [
        Claim(f"reduced Lagrangian {what}", words, "check", proofs.all_vanish(parts, reduction.facts))
        for what, words, parts in said
    ]
