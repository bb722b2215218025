"""Nonholonomic systems with symmetry, the general principal case: D meets the orbits (Patrick 5.1; Bloch and others).

On Q -> Q/G take an invariant frame of D: fields Z_b along the orbits, spanning S = D cap V, and horizontal ones
Z_a that project to d/dr^a and are orthogonal to S in the kinetic energy (the nonholonomic connection). Their
quasi-velocities (r', xi) are invariant, so the equations of motion close on (r, r', xi): shape equations and reduced
momentum equation for p_b = <FL(v), Z_b>. The rest is reconstruction, s' = Z(s) w. Chaplygin's case is S = 0; where D is
all of TQ this is Lagrange and Poincare's. Section 5.2 asks for distributions of constant rank, not for D + V = TQ:
where that is less the shapes obey constraints, and the Z_a project to what these leave of d/dr^a.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField, combination, coordinate_field
from dalembert.geometry.forms import d, one_form
from dalembert.geometry.frames import Frame, FrameEquations, projected_equations
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.principal_bundle import PrincipalBundle
from dalembert.mechanics.reduced.allowed_velocities import Allowed, adapted
from dalembert.mechanics.reduced.body_velocities import BodyVelocities, body_velocities
from dalembert.mechanics.reduced.motion import ReducedMotion, motion_of
from dalembert.mechanics.reduced.reduced import quotient_equations, shortened
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True)
class PrincipalReduction:
    """The motion of a symmetric constrained system on its shape space, with the momenta along the orbits."""

    system: System
    body: BodyVelocities
    free: Allowed
    """D in an invariant frame: Z_b along the orbits, then the horizontal Z_a."""
    motion: ReducedMotion
    equations: Equations

    @property
    def bundle(self) -> PrincipalBundle:
        """Q -> Q/G."""
        return self.body.bundle

    @property
    def action(self) -> Action:
        """The group, in the chart of the bundle."""
        return self.body.action

    @property
    def vertical(self) -> int:
        """How many fields span S = D cap V."""
        return len(self.free.vertical)

    @property
    def momenta(self) -> tuple[Expr, ...]:
        """p_b(r, r', xi)."""
        return self.motion.momenta

    @property
    def momentum_rates(self) -> tuple[Expr, ...]:
        """The reduced momentum equation: p_b' as a function of (r, r', xi)."""
        return self.motion.momentum_rates

    @property
    def energy(self) -> Expr:
        """E(r, r', xi)."""
        return self.motion.energy

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The quasi-velocities w = (xi, r')."""
        return self.free.u

    def velocities(self) -> list[Expr]:
        """Return the velocities along the chart of the bundle, by the quasi-velocities w."""
        return [dot(column, self.speeds) for column in zip(*(z.components for z in self.fields), strict=True)]

    @cached_property
    def fields(self) -> tuple[VectorField, ...]:
        """The frame of D on the chart of the bundle."""
        return tuple(combination(zip(row, self._basis, strict=True)) for row in self.free.directions)

    @property
    def _basis(self) -> list[VectorField]:
        """d/dr^a and the invariant fields E^_i: what every invariant field is a combination of, over the base."""
        return [*(coordinate_field(self.bundle.chart, r) for r in self.bundle.base), *self.body.fields]

    @cached_property
    def slopes(self) -> list[Expr]:
        """FL along the chart of the bundle, at the velocities in D."""
        v = [q.dot for q in self.bundle.chart.coordinates]
        return substitute(gradient(self._lagrangian, v), dict(zip(v, self.velocities(), strict=True)))

    @property
    def _lagrangian(self) -> Expr:
        assert self.system.lagrangian is not None
        return self.bundle.carry([self.system.lagrangian])[0]

    @cached_property
    def unreduced(self) -> FrameEquations:
        """The motion in the frame, on Q: another derivation, which knows nothing of body velocities."""
        rest: list[VectorField] = []
        for z in self._basis:
            if generic_rank([f.components for f in (*self.fields, *rest, z)]).rank > len(self.fields) + len(rest):
                rest.append(z)
        held = [symbol(Symbol(f"held {i}")) for i in range(len(rest))]
        frame = Frame(self.bundle.chart, (*self.fields, *rest), (*self.speeds, *held))
        return projected_equations(self._lagrangian, frame, None, range(len(self.fields)))

    @cached_property
    def manifold(self) -> SemiSymplectic:
        """(D, omega_L, K) in the coordinates (r, s, w), in which the group moves s only."""
        still = [ZERO] * len(self.speeds)
        chart = Chart((*self.bundle.chart.coordinates, *self.speeds))
        across = [VectorField.of(chart, [*z.components, *still]) for z in self.fields]
        basis = (*across, *(coordinate_field(chart, w) for w in self.speeds))
        return SemiSymplectic(chart, -d(one_form(chart, [*self.slopes, *still])), basis, tuple(self.system.facts))

    def objects(self) -> dict[str, object]:
        """Return the objects of the reduction, for the JSON."""
        base = [r.data.label for r in self.bundle.base]
        chart = [q.data.label for q in self.bundle.chart.coordinates]
        rates = self.equations.rates()
        return {
            "base": base,
            "fibre": [s.data.label for s in self.bundle.fibre],
            "frame": {
                w.data.label: {q: c for q, c in zip(chart, z.components, strict=True) if c is not ZERO}
                for w, z in zip(self.speeds, self.fields, strict=True)
            },
            "momenta": list(self.momenta),
            "momentum_equation": list(self.momentum_rates),
            "shape_equations": {r.data.label: rates[r.dot] for r in self.bundle.base if r.dot in self.speeds},
            "reconstruction": {s.data.label: e for s, e in self.equations.reconstruction.items()},
        }


def principal_reduction(system: System, names: Sequence[str] | None = None) -> PrincipalReduction:
    """Return the reduction of a system with linear constraints by (some of) its generators.

    >>> sleigh = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "theta": "angle"},
    ...     parameters={"a": 0.2, "J": 1}, lagrangian="((x' - a*theta'*sin(theta))^2"
    ...     " + (y' + a*theta'*cos(theta))^2 + J*theta'^2)/2", constraints={"blade": "y'*cos(theta) = x'*sin(theta)"},
    ...     symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}})
    >>> len(principal_reduction(sleigh).momenta)
    2
    """
    chosen = list(system.symmetry) if names is None else list(names)
    _require(system, chosen)
    try:
        action = action_from_generators({name: system.symmetry[name].on(system.chart) for name in chosen})
    except ExpressionError as error:
        raise refusal("reduction", [Fault("[symmetry]", str(error).removesuffix("."), kind="closure")]) from None
    body = body_velocities(system, action, "reduction")
    invariant = body.invariant_system()
    taken = [s.data.name for s in (*system.parameters, *body.bundle.chart.coordinates)]
    free = adapted(invariant, "reduction", taken)
    motion = shortened(motion_of(invariant, free), free, system.facts)
    return PrincipalReduction(system, body, free, motion, quotient_equations("principal", body, free, motion))


def _require(system: System, names: Sequence[str]) -> None:
    """Refuse what the general principal case is not for, in words."""
    faults = [
        Fault(
            system.constraints[name].place,
            f"it is {system.kind_of(name)}",
            "the reduction is for linear constraints",
            kind="linear",
        )
        for name in system.constraints
        if system.kind_of(name) not in {"linear", "holonomic"}
    ]
    if system.virtual:
        faults.append(Fault("[virtual]", "the reduction is for Chetaev's virtual displacements", "leave the table out"))
    if system.lagrangian is None or system.order > 1:
        faults.append(Fault("lagrangian", "a Lagrangian of order 1 is needed", kind="order"))
    if system.forces:
        faults.append(Fault("[forces]", "the reduction is for conservative systems", "use reduced, which takes them"))
    if not names:
        faults.append(Fault("[symmetry]", "there are no generators", "state some", kind="group"))
    if not vanish([system.symmetry[name].time for name in names]):
        faults.append(Fault("[symmetry]", "a generator moves time", "leave it out", kind="action"))
    if faults:
        raise refusal("reduction", faults)
