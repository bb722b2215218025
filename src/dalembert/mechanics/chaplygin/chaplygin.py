"""Generalized Chaplygin systems, reduced (Cantrijn, Cortes, de Leon, Martin de Diego; sections 2, 3 and 6).

A group G acts on Q, the constraints are the horizontal distribution D of a principal connection gamma on Q -> Q/G = M,
and L is invariant. Then the motion reduces to TM, where it is that of the Lagrangian L* under a gyroscopic force,

    d/dt dL*/dr'^b - dL*/dr^b = -alpha_b + Q_b,        i_X omega_L* = dE + alpha,                              (8), (9)

and Q is found again by the horizontal lift of the motion on M. Where no coordinates on M are known, the equations stay
in a frame on Q (``in_frame``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dalembert.errors import ExpressionError, Fault, HypothesisError, expect
from dalembert.expr.calculus import gradient
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.linear import determinant
from dalembert.expr.truth import generic_rank
from dalembert.expr.truth.many import all_vanish, surviving
from dalembert.expr.walk import symbols
from dalembert.geometry.connections.principal import PrincipalConnection, curvature_forms, from_forms
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.tangent_bundle import energy
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.connections.propositions import affine_objects
from dalembert.mechanics.chaplygin.gyroscopic import reduced_equations
from dalembert.mechanics.chaplygin.hypotheses import complement_determinant, examine
from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame, derive_in_frame
from dalembert.mechanics.chaplygin.measure.density import Measure, loop_faults, measure_objects, measure_of
from dalembert.mechanics.chaplygin.measure.in_speeds import density_in_speeds
from dalembert.mechanics.chaplygin.reduction import (
    ChaplyginReduction,
    carried_forms,
    constants_table,
    kinetic_energy,
    reduction_of,
    table,
)
from dalembert.mechanics.chaplygin.without_charts.derived import ChaplyginWithoutCharts, derive_without_charts
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.mechanics.chaplygin.without_charts.hypotheses import examine as examine_without_charts
from dalembert.mechanics.common import equations_of, faults_of_algebra
from dalembert.mechanics.lagrangian.linear_terms import invariantly_stated
from dalembert.mechanics.lagrangian.regularity import idle_by
from dalembert.mechanics.lagrangian.restated import Restated, in_stated_speeds
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
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
from dalembert.records import dataclass, replace

_SHORTENING = 1.0
"""Work for short formulas."""


@dataclass(frozen=True, repr=False)
class Chaplygin(Restated):
    """The reduced motion, and the geometry that makes it."""

    system: System
    reduction: ChaplyginReduction
    equations: Equations
    """In the speeds that are stated, as far as they are functions on TM."""
    hypotheses: tuple[Claim, ...] = ()
    """What makes it a generalized Chaplygin system."""
    plain: Equations | None = None

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.reduction.action.names)

    @property
    def energy(self) -> Expr:
        """E(r, r') on TM."""
        return self.in_coordinates.monitors["energy"]

    @property
    def acceleration(self) -> tuple[Expr, ...]:
        """R'' as values of one solve node."""
        rates = self.in_coordinates.rates()
        return tuple(rates[v] for v in self.reduction.velocities)

    @cached_property
    def measure(self) -> Measure | None:
        """The record of invariant measures, where the theory of section 7 applies; nothing is decided yet."""
        return measure_of(self.reduction)

    def stated_connection(self) -> PrincipalConnection:
        """Return gamma in the stated coordinates."""
        if not self.reduction.bundle.configuration:
            return self.reduction.connection
        generators = tuple(self.system.symmetry[name].on(self.system.chart) for name in self.group)
        return from_forms(generators, self.system.constraint_matrix().rows, SimplificationBudget(_SHORTENING))

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        return dict(self._objects)

    @cached_property
    def _objects(self) -> dict[str, object]:
        reduction, short = self.reduction, SimplificationBudget(_SHORTENING)
        base = [r.data.label for r in reduction.bundle.base]
        names = list(reduction.action.names)
        stated = [q.data.label for q in self.system.q]
        labels = [q.data.label for q in reduction.bundle.chart.coordinates]
        gamma, lifts, curvature = reduction.shortened(short)
        if reduction.bundle.configuration:
            gamma = self.stated_connection()
        found: dict[str, object] = {
            "structure_constants": constants_table(reduction.action),
            "connection": {
                name: {q: form.component(A) for A, q in enumerate(stated)}
                for name, form in zip(names, gamma.forms, strict=True)
            },
            "curvature": {
                name: table([[entry[i] for entry in row] for row in curvature], base, base)
                for i, name in enumerate(names)
            },
            "horizontal_lift": table([x.components for x in lifts], base, labels),
            "reduced_lagrangian": short(reduction.reduced_lagrangian),
            "energy": self.energy,
            "gyroscopic_form": dict(zip(base, short.all(reduction.gyroscopic), strict=True)),
            "gyroscopic_two_form": table([short.all(row) for row in reduction.two_form], base, base),
        }
        if reduction.bundle.configuration:  # those above are in new coordinates, these in the user's own
            pairs, short = range(len(stated)), SimplificationBudget(_SHORTENING)
            found["curvature_form"] = {
                name: table([[short(form.component(i, j)) for j in pairs] for i in pairs], stated, stated)
                for name, form in zip(names, curvature_forms(gamma), strict=True)
            }
        if reduction.reduced_metric is not None and reduction.metric_connection is not None:
            found["reduced_metric"] = table(reduction.reduced_metric, base, base)
            found["metric_connection_tensor"] = {
                a: table(part, base, base) for a, part in zip(base, reduction.metric_connection, strict=True)
            }
        in_speeds = density_in_speeds(self)
        told = {} if in_speeds is None else {"speed_density": in_speeds}
        return {**found, **affine_objects(reduction), **measure_objects(reduction, self.measure), **told}


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the reduction of a system."""
    expect(system, System, "a formalism takes a system")
    if system.points:
        return examine_without_charts(Framed(TangentFrame(system))).faults
    system, _ = invariantly_stated(system)
    examination = examine(system)
    if examination.action is None or system.bundle is None or not (system.bundle.base or system.bundle.loops):
        return examination.faults
    try:
        _bundle(system, examination.action)
    except HypothesisError as error:
        return error.faults
    return ()


def derive(system: System) -> Chaplygin | ChaplyginInFrame | ChaplyginWithoutCharts:
    """Return the reduced dynamics, or raise ``HypothesisError`` with every reason why there is none.

    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"}, symmetry={"e1": {"z": 1}})
    >>> found = derive(particle)
    >>> found.reduction.two_form[0][1]
    x'*y
    >>> [claim.name for claim in found.hypotheses]
    ['algebra', 'complement', 'D invariant', 'L invariant', 'base coordinates']
    """
    expect(system, System, "a formalism takes a system")
    if faults := faults_of_algebra(system):
        raise refusal("chaplygin", faults)
    if system.points:
        return derive_without_charts(system)
    system, restated = invariantly_stated(system)
    examination = examine(system)
    if examination.faults or examination.action is None:
        raise refusal("chaplygin", examination.faults)
    claims = (*restated, *examination.claims)
    reduction = reduce(system, examination.action)
    if reduction is None:
        return derive_in_frame(system, examination.action, claims)
    equations = motion_of(reduction, shortening=_SHORTENING)
    found = Chaplygin(system, reduction, equations, (*claims, base_coordinates(reduction.bundle)))
    stated = in_stated_speeds(equations, system)
    return found if stated is None else replace(found, equations=stated, plain=equations)


def motion_of(reduction: ChaplyginReduction, *, shortening: float = 0.0) -> Equations:
    """Return the equations of motion on M with the horizontal lift to Q: all that is needed to move.

    Forces are made shorter within ``shortening`` seconds.
    """
    mass, force = reduced_equations(reduction)
    _require_regular(mass, reduction.velocities)
    bundle, speeds, short = reduction.bundle, reduction.velocities, SimplificationBudget(shortening)
    moving = {r.data for r in bundle.base}
    alive = surviving(dict(enumerate(force)), reduction.facts)  # the parts of alpha may cancel each other
    return equations_of(
        reduction.system,
        "chaplygin",
        kinematics=dict(zip(bundle.base, speeds, strict=True)),
        velocities=speeds,
        mass=tuple(map(tuple, mass)),
        force=tuple(ZERO if n not in alive else short(f) if symbols([f]) & moving else f for n, f in enumerate(force)),
        reconstruction=dict(zip(bundle.fibre, reduction.fibre_velocities(), strict=True)),
        configuration=dict(bundle.configuration),
        monitors={"energy": energy_of(reduction)},
        pivots=_pivots(reduction),
    )


def _pivots(reduction: ChaplyginReduction) -> tuple[Expr, ...]:
    """Return the determinant that vanishes where D does not complement the orbits, where it is not a constant."""
    system, names = reduction.system, reduction.action.names
    if not all(name in system.symmetry for name in names):
        return ()
    fields = [system.symmetry[name].on(system.chart) for name in names]
    try:
        found = determinant(complement_determinant(system.constraint_matrix().rows, fields))
    except ExpressionError:  # too large to be written out
        return ()
    return (found,) if symbols([found]) & {q.data for q in system.q} else ()


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
    short = SimplificationBudget(shortening)
    if system.points:
        what = f"'{system.points[0].name}' is a {system.points[0].kind}, and Q/G has no chart then"
        raise refusal("chaplygin", [Fault("[coordinates]", what, "use derive, which needs none", kind="chart")])
    if action is None:
        examination = examine(system)
        if examination.faults or examination.action is None:
            raise refusal("chaplygin", examination.faults)
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
            raise refusal("chaplygin", found)
        bundle: PrincipalBundle | None = found
    else:
        words = system.vocabulary
        taken = [*words.parameters, *words.functions, *words.let, *words.extra]
        bundle = evident_bundle(system.chart, action.generators) or straightened_bundle(
            system.chart, action.generators, action.names, taken
        )
    faults = [] if bundle is None else loop_faults(system, bundle.base)
    if faults:
        raise refusal("chaplygin", faults)
    return bundle


def _require_regular(mass: Sequence[Sequence[Expr]], velocities: Sequence[Expr]) -> None:
    rank = generic_rank(mass)
    if rank.rank < len(mass):
        what = f"the reduced Lagrangian L* is not regular: {idle_by(rank.rank, mass, velocities)}"
        raise refusal(
            "chaplygin", [Fault("lagrangian", what, "it does not determine the motion on Q/G", kind="regular")]
        )


def base_coordinates(bundle: PrincipalBundle) -> Claim:
    """Say that no generator moves the coordinates on Q/G, how these were found, and where they are coordinates."""
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
