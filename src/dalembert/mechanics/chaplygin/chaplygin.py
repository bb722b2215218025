"""Generalized Chaplygin systems, reduced (Cantrijn, Cortes, de Leon, Martin de Diego; sections 2, 3 and 6).

A group G acts on Q, the constraints are the horizontal distribution D of a principal connection gamma on Q -> Q/G = M,
and L is invariant. Then the motion reduces to TM, where it is that of the Lagrangian L* under a gyroscopic force,

    d/dt dL*/dr'^b - dL*/dr^b = -alpha_b + Q_b,        i_X omega_L* = dE + alpha,                              (8), (9)

and Q is found again by the horizontal lift of the motion on M. Where no coordinates on M are known, the equations stay
in a frame on Q (``in_frame``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dalembert.errors import ExpressionError, Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.field.simplification_budget import Shortening
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import Verdict, all_hold, generic_rank, vanish
from dalembert.expr.truth.many import Proofs, all_vanish, components_of
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import (
    PrincipalConnection,
    curvature_forms,
    from_metric,
    structure_equation,
    trivial,
)
from dalembert.geometry.forms import lie_derivative, one_form
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.lifts import energy
from dalembert.mechanics.chaplygin.connections.summary import affine_claims, affine_objects
from dalembert.mechanics.chaplygin.gyroscopic import gyroscopic_claims, reduced_equations
from dalembert.mechanics.chaplygin.hypotheses import examine
from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame, derive_in_frame
from dalembert.mechanics.chaplygin.measure.density import Measure
from dalembert.mechanics.chaplygin.measure.summary import loop_faults, measure_claims, measure_objects, measure_of
from dalembert.mechanics.chaplygin.reaction_connection import upsilon_claims
from dalembert.mechanics.chaplygin.reduction import (
    ChaplyginReduction,
    carried_forms,
    connection_of,
    kinetic_energy,
    reduction_of,
)
from dalembert.mechanics.chaplygin.tables import constants_table, table
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.nonholonomic.multipliers import by_multipliers
from dalembert.mechanics.principal_bundle import (
    PrincipalBundle,
    evident_bundle,
    partial_cover,
    stated_bundle,
    straightened_bundle,
    with_section,
)
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["CITES", "Chaplygin", "check", "derive", "motion_of", "reduce"]

CITES = ("cantrijn-cortes-de-leon-martin-de-diego-2002",)

_SHORTENING = 1.0
"""Seconds for short formulas, and"""
_PROOFS = 0.4
"""seconds for proofs of what random points have already made certain, all claims together."""


@dataclass(frozen=True, repr=False)
class Chaplygin(Derived):
    """The reduced motion, and the geometry that makes it."""

    system: System
    reduction: ChaplyginReduction
    connection: PrincipalConnection
    """gamma in the stated coordinates."""
    energy: Expr
    """E(r, r') on TM."""
    acceleration: tuple[Expr, ...]
    """r'' as values of one solve node."""
    measure: Measure | None
    """The invariant measure of section 7, where the theory applies."""
    claims: tuple[Claim, ...]
    equations: Equations

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.reduction.action.names)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        return dict(self._objects)

    @cached_property
    def _objects(self) -> dict[str, object]:
        reduction = self.reduction
        base = [r.data.label for r in reduction.bundle.base]
        names = list(reduction.action.names)
        stated = [q.data.label for q in self.system.q]
        labels = [q.data.label for q in reduction.bundle.chart.coordinates]
        curvature = {
            name: table([[entry[i] for entry in row] for row in reduction.curvature], base, base)
            for i, name in enumerate(names)
        }
        found: dict[str, object] = {
            "structure_constants": constants_table(reduction.action),
            "connection": {
                name: {q: form.component(A) for A, q in enumerate(stated)}
                for name, form in zip(names, self.connection.forms, strict=True)
            },
            "curvature": curvature,
            "horizontal_lift": table([x.components for x in reduction.horizontal], base, labels),
            "reduced_lagrangian": reduction.reduced_lagrangian,
            "energy": self.energy,
            "gyroscopic_form": dict(zip(base, reduction.gyroscopic, strict=True)),
            "gyroscopic_two_form": table(reduction.two_form, base, base),
        }
        if reduction.bundle.configuration:  # those above are in new coordinates, these in the user's own
            short = Shortening(_SHORTENING)
            pairs = range(len(stated))
            found["curvature_form"] = {
                name: table([[short(form.component(i, j)) for j in pairs] for i in pairs], stated, stated)
                for name, form in zip(names, curvature_forms(self.connection), strict=True)
            }
        if reduction.reduced_metric is not None and reduction.metric_connection is not None:
            found["reduced_metric"] = table(reduction.reduced_metric, base, base)
            found["metric_connection_tensor"] = {
                a: table(part, base, base) for a, part in zip(base, reduction.metric_connection, strict=True)
            }
        return {**found, **affine_objects(reduction), **measure_objects(reduction, self.measure)}


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the reduction of a system."""
    expect(system, System, "a formalism takes a system")
    examination = examine(system)
    if examination.action is None or system.bundle is None or not (system.bundle.base or system.bundle.loops):
        return examination.faults
    try:
        _bundle(system, examination.action)
    except HypothesisError as error:
        return error.faults
    return ()


def derive(system: System, *, effort: float = _PROOFS) -> Chaplygin | ChaplyginInFrame:
    """Return the reduced dynamics, or raise ``HypothesisError`` with every reason why there is none.

    ``effort`` is the work for proofs of what random points have already made certain.

    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"e1": {"z": 1}})
    >>> found = derive(particle)
    >>> found.reduction.two_form[0][1]
    x'*y
    >>> [claim.name for claim in found.claims if claim.failed]
    []
    """
    expect(system, System, "a formalism takes a system")
    examination = examine(system)
    if examination.faults or examination.action is None:
        raise HypothesisError("chaplygin", examination.faults)
    reduction = reduce(system, examination.action)
    if reduction is None:
        return derive_in_frame(system, examination.action, examination.claims)
    equations = motion_of(reduction, shortening=_SHORTENING)
    bundle, whole = reduction.bundle, equations.monitors["energy"]
    rates = equations.rates()
    acceleration = tuple(rates[v] for v in reduction.velocities)
    gamma = reduction.connection
    if bundle.configuration:
        stated = PrincipalBundle(system.chart, (), (), examination.action.generators)
        gamma = connection_of(stated, system.constraint_matrix().rows, Shortening(_SHORTENING))
    proofs = Proofs(effort)
    measure = measure_of(reduction)
    claims = (
        *examination.claims,
        _base_claim(bundle),
        *_connection_claims(reduction, proofs),
        *_stated_connection(system, gamma),
        *upsilon_claims(reduction, proofs),
        _function_on_base(reduction, proofs),
        *gyroscopic_claims(reduction, acceleration, proofs),
        multiplier_claim(system, bundle, {**rates, **equations.lift}, proofs),
        *_energy_claims(reduction, whole, rates, proofs),
        *affine_claims(reduction),
        *measure_claims(reduction, measure),
    )
    return Chaplygin(system, reduction, gamma, whole, acceleration, measure, claims, equations)


def motion_of(reduction: ChaplyginReduction, *, shortening: float = 0.0) -> Equations:
    """Return the equations of motion on M with the horizontal lift to Q: all that is needed to move.

    Forces are made shorter within ``shortening`` seconds.
    """
    mass, force = reduced_equations(reduction)
    short = Shortening(shortening)
    _require_regular(mass)
    bundle, speeds = reduction.bundle, reduction.velocities
    motion = dict(zip(bundle.chart.coordinates, reduction.horizontal_velocities, strict=True))
    return equations_of(
        reduction.system,
        "chaplygin",
        kinematics=dict(zip(bundle.base, speeds, strict=True)),
        moving=speeds,
        mass=tuple(map(tuple, mass)),
        force=tuple(map(short, force)),
        lift={s: motion[s] for s in bundle.fibre},
        configuration=dict(bundle.configuration),
        monitors={"energy": energy_of(reduction)},
    )


def energy_of(reduction: ChaplyginReduction) -> Expr:
    """Return E(r, r') on TM: T + V where L = T - V."""
    if reduction.reduced_metric is not None and reduction.potential is not None:
        return kinetic_energy(reduction.reduced_metric, reduction.velocities) + reduction.potential
    return energy(reduction.base, reduction.reduced_lagrangian)


def reduce(
    system: System, action: Action | None = None, *, shortening: float = _SHORTENING
) -> ChaplyginReduction | None:
    """Return the reduction of a system to M, or None where no coordinates on M are known.

    The hypotheses are looked at where no action is given, and ``HypothesisError`` says which of them fail. Formulas are
    made shorter within ``shortening`` seconds.
    """
    short = Shortening(shortening)
    if action is None:
        examination = examine(system)
        if examination.faults or examination.action is None:
            raise HypothesisError("chaplygin", examination.faults)
        action = examination.action
    bundle = _bundle(system, action)
    if bundle is None:
        return None
    assert system.lagrangian is not None
    (lagrangian,) = bundle.carry([system.lagrangian])
    coordinates = list(bundle.chart.coordinates)
    probes = [lagrangian, *gradient(lagrangian, [*coordinates, *(q.dot for q in coordinates)])]
    forms = carried_forms(system, bundle, system.constraint_matrix().rows, short)
    try:
        bundle = with_section(bundle, forms, probes)
    except ExpressionError:
        return None
    moved = Action(bundle.chart, bundle.generators, action.algebra, action.closure)
    return reduction_of(system, bundle, moved, short)


def _bundle(system: System, action: Action) -> PrincipalBundle | None:
    """Return base and fibre coordinates: as stated, at a glance, or by straightening the orbits."""
    if system.bundle is not None and system.bundle.base:
        found = stated_bundle(system.chart, action.generators, action.names, system.bundle)
        if isinstance(found, list):
            raise HypothesisError("chaplygin", found)
        bundle: PrincipalBundle | None = found
    else:
        words = system.vocabulary
        taken = [*words.parameters, *words.functions, *words.let, *words.extra]
        bundle = evident_bundle(system.chart, action.generators) or straightened_bundle(
            system.chart, action.generators, action.names, taken
        )
    faults = [] if bundle is None else loop_faults(system, bundle.base)
    if faults:
        raise HypothesisError("chaplygin", faults)
    return bundle


def _require_regular(mass: Sequence[Sequence[Expr]]) -> None:
    rank = generic_rank(mass)
    if rank.rank < len(mass):
        what = f"the reduced Lagrangian L* is not regular: its Hessian has rank {rank.rank} of {len(mass)}"
        raise HypothesisError("chaplygin", [Fault("lagrangian", what, "it does not determine the motion on Q/G")])


# -- claims --------------------------------------------------------------------------------------------------
def _base_claim(bundle: PrincipalBundle) -> Claim:
    names = ", ".join(r.data.label for r in bundle.base)
    how = {"evident": "no generator moves them", "stated": "as stated", "straightened": "along straightened orbits"}
    parts = {
        f"{r.data.label} under generator {i + 1}": e.components[bundle.chart.place(r)]
        for r in bundle.base
        for i, e in enumerate(bundle.generators)
    }
    where = partial_cover(bundle) if bundle.origin == "straightened" else ""
    said = f"{names} are coordinates on Q/G ({how[bundle.origin]}{', where ' * bool(where)}{where})"
    return Claim("base coordinates", said, "hypothesis", all_vanish(parts))


def _connection_claims(reduction: ChaplyginReduction, proofs: Proofs) -> list[Claim]:
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
        ("gamma on generators", "gamma(xi_Q) = xi", unit),
        ("gamma equivariant", "gamma turns with the group, by Ad", turned),
        ("structure equation", curved, structure),
    ]
    return [Claim(name, words, "check", proofs.all_vanish(parts, reduction.facts)) for name, words, parts in said]


def _stated_connection(system: System, gamma: PrincipalConnection) -> list[Claim]:
    """Say whether the connection of ``[bundle]`` is that of the constraints, which is the one that is used."""
    stated = system.bundle.connection if system.bundle is not None else None
    if stated is None or stated == "constraint":
        return []
    if stated == "trivial" or system.lagrangian is None:
        wanted = trivial(system.chart, gamma.generators, [q for q in system.q if _unmoved(q, gamma)]).forms
    elif stated == "mechanical":
        wanted = from_metric(system.chart, hessian(system.lagrangian, system.v), gamma.generators).forms
    else:
        assert not isinstance(stated, str)
        wanted = tuple(one_form(system.chart, [form.get(q, ZERO) for q in system.q]) for form in stated.values())
    if len(wanted) != len(gamma.forms):
        verdict = Verdict("refuted", f"{len(wanted)} forms are stated for {len(gamma.forms)} generators.")
    else:
        pairs = enumerate(zip(gamma.forms, wanted, strict=True))
        verdict = all_hold({f"form {i + 1}": (mine - theirs).is_zero() for i, (mine, theirs) in pairs})
    said = "the connection stated in [bundle] is that of the constraints, which is the one taken here"
    return [Claim("stated connection", said, "question", verdict)]


def _unmoved(q: Expr, gamma: PrincipalConnection) -> bool:
    return vanish([e.components[e.chart.place(q)] for e in gamma.generators])


def _function_on_base(reduction: ChaplyginReduction, proofs: Proofs) -> Claim:
    """Check that what is read off the section is the same all along the orbits."""
    (whole,) = reduction.on_constraint([reduction.lagrangian])
    if reduction.facts:  # that D(V, 2) = 0 says nothing of V(x, z) - V(x, 0), but of its slope along the orbit
        (here,) = reduction.on_base([whole])
        parts = {
            f"slope along {n}": e(whole) for n, e in zip(reduction.action.names, reduction.generators, strict=True)
        }
        verdict = proofs.all_vanish({"on the section": here - reduction.reduced_lagrangian, **parts}, reduction.facts)
    else:
        verdict = proofs.is_zero(whole - reduction.reduced_lagrangian, reduction.facts)
    return Claim("L* on Q/G", "L on D is L* of the projection, at every point of an orbit", "check", verdict)


def multiplier_claim(system: System, bundle: PrincipalBundle, rates: Mapping[Expr, Expr], proofs: Proofs) -> Claim:
    """Check that the reduced motion, lifted, has the accelerations that Lagrange's multipliers give."""
    accelerations, _ = by_multipliers(system)
    stated = [bundle.configuration.get(q, q) for q in system.q]
    velocities = tangent(stated, rates)
    wanted = substitute(accelerations, dict(zip((*system.q, *system.v), (*stated, *velocities), strict=True)))
    found = tangent(velocities, rates)
    apart = [f - w for f, w in zip(found, wanted, strict=True)]
    if system.facts:  # both fields are invariant, and facts about slopes hold where values are compared: on the section
        apart = bundle.on_base(apart)
    parts = components_of(apart, system.q)
    said = "the reduced field is the projection of the field of Lagrange's multipliers, and its lift is that field"
    return Claim("multipliers", said, "check", proofs.all_vanish(parts, system.facts))


def _energy_claims(
    reduction: ChaplyginReduction, whole: Expr, rates: Mapping[Expr, Expr], proofs: Proofs
) -> list[Claim]:
    (rate,) = tangent([whole], rates)
    if not reduction.system.forces:
        return [Claim("energy", "the energy E of L* is conserved", "check", proofs.is_zero(rate, reduction.facts))]
    power = sum((f * v for f, v in zip(reduction.forces, reduction.velocities, strict=True)), start=ZERO)
    verdict: Verdict = proofs.is_zero(rate - power, reduction.facts)
    return [
        Claim("energy balance", "E changes by the power of the forces", "check", verdict),
        Claim("energy conserved", "the energy is conserved", "question", proofs.is_zero(rate, reduction.facts)),
    ]
