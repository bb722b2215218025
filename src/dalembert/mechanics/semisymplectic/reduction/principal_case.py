"""Nonholonomic systems with symmetry, the general principal case: D meets the orbits (Patrick 5.1; Bloch and others).

On Q -> Q/G take an invariant frame of D: fields Z_b along the orbits, spanning S = D cap V, and horizontal ones
Z_a that project to d/dr^a and are orthogonal to S in the kinetic energy (the nonholonomic connection). Their
quasi-velocities (r', xi) are invariant, so the equations of motion close on (r, r', xi): shape equations and reduced
momentum equation for p_b = <FL(v), Z_b>. The rest is reconstruction, s' = Z(s) w. Chaplygin's case is S = 0; where D is
all of TQ this is Lagrange and Poincare's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import null_space
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.fields import Chart, VectorField, combination, coordinate_field
from dalembert.geometry.forms import d, one_form
from dalembert.geometry.frames import Frame, FrameEquations, projected_equations
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.invariant_frame import invariant_fields
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.chaplygin.reduction import carried_forms
from dalembert.mechanics.common import divided_by, equations_of
from dalembert.mechanics.principal_bundle import (
    PrincipalBundle,
    evident_bundle,
    stated_bundle,
    straightened_bundle,
    with_section,
)
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.equations import Equations
from dalembert.model.system import System


@dataclass(frozen=True, slots=True)
class PrincipalReduction:
    """The motion of a symmetric constrained system on its shape space, with the momenta along the orbits."""

    system: System
    bundle: PrincipalBundle
    action: Action
    frame: Frame
    """Z_b along the orbits, then the horizontal Z_a, then what completes them, on the chart of the bundle."""
    vertical: int
    """How many fields span S = D cap V."""
    momenta: tuple[Expr, ...]
    """p_b(r, r', xi)."""
    momentum_rates: tuple[Expr, ...]
    """The reduced momentum equation: p_b' as a function of (r, r', xi)."""
    manifold: SemiSymplectic
    """(D, omega_L, K) in the coordinates (r, s, w), in which the group moves s only."""
    energy: Expr
    unreduced: FrameEquations
    """The motion in the frame, before it is read on the base."""
    equations: Equations

    @property
    def speeds(self) -> tuple[Expr, ...]:
        """The quasi-velocities w = (xi, r')."""
        return self.frame.quasi_velocities[: self.vertical + len(self.bundle.base)]

    def velocities(self) -> list[Expr]:
        """Return the velocities along the chart of the bundle, by the quasi-velocities w."""
        return _held_kinematics(self.frame, len(self.speeds))

    def objects(self) -> dict[str, object]:
        """Return the objects of the reduction, for the JSON."""
        base = [r.data.label for r in self.bundle.base]
        fibre = [s.data.label for s in self.bundle.fibre]
        chart = [q.data.label for q in self.bundle.chart.coordinates]
        fields = self.frame.fields[: len(self.speeds)]
        rates = self.equations.rates()
        return {
            "base": base,
            "fibre": fibre,
            "frame": {
                w.data.label: {q: c for q, c in zip(chart, z.components, strict=True) if c is not ZERO}
                for w, z in zip(self.speeds, fields, strict=True)
            },
            "momenta": list(self.momenta),
            "momentum_equation": list(self.momentum_rates),
            "shape_equations": {r: rates[q.dot] for r, q in zip(base, self.bundle.base, strict=True)},
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
    fields = {name: system.symmetry[name].on(system.chart) for name in chosen}
    bundle = _bundle(system, fields)
    short = SimplificationBudget(1.0, largest=150)
    forms = carried_forms(system, bundle, system.constraint_matrix().rows, short)
    bundle = with_section(bundle, (), [e for row in forms for e in row])
    action = action_from_generators(dict(zip(chosen, bundle.generators, strict=True)))
    build = _Build(system, bundle, action, forms, short)
    return build.result()


def _require(system: System, names: Sequence[str]) -> None:
    """Refuse what the general principal case is not for, in words."""
    faults = [
        Fault(
            system.constraints[name].place, f"it is {system.kind_of(name)}", "the reduction is for linear constraints"
        )
        for name in system.constraints
        if system.kind_of(name) not in {"linear", "holonomic"}
    ]
    if system.virtual:
        faults.append(Fault("[virtual]", "the reduction is for Chetaev's virtual displacements", "leave the table out"))
    if system.lagrangian is None or system.order > 1:
        faults.append(Fault("lagrangian", "a Lagrangian of order 1 is needed"))
    if not names:
        faults.append(Fault("[symmetry]", "there are no generators", "state some"))
    if not vanish([system.symmetry[name].time for name in names]):
        faults.append(Fault("[symmetry]", "a generator moves time", "leave it out"))
    if faults:
        raise HypothesisError("reduction", faults)


def _bundle(system: System, fields: dict[str, VectorField]) -> PrincipalBundle:
    generators = list(fields.values())
    found: PrincipalBundle | list[Fault] | None = None
    if system.bundle is not None and system.bundle.base:
        found = stated_bundle(system.chart, generators, list(fields), system.bundle)
    if found is None:
        found = evident_bundle(system.chart, generators) or straightened_bundle(system.chart, generators, list(fields))
    if found is None:
        found = [Fault("[symmetry]", "the orbits could not be straightened", "state base and fibre in [bundle]")]
    if isinstance(found, list):
        raise HypothesisError("reduction", found)
    return found


class _Build:
    """The steps from a bundle to the reduced equations."""

    def __init__(
        self,
        system: System,
        bundle: PrincipalBundle,
        action: Action,
        forms: Sequence[Sequence[Expr]],
        short: SimplificationBudget,
    ) -> None:
        assert system.lagrangian is not None
        self.system, self.bundle, self.action, self.forms = system, bundle, action, forms
        (self.lagrangian,) = bundle.carry([system.lagrangian])
        try:
            along = invariant_fields(action).fields
        except ExpressionError as fault:
            raise HypothesisError("reduction", [Fault("[symmetry]", str(fault).removesuffix("."))]) from None
        self.basis = [*(coordinate_field(bundle.chart, r) for r in bundle.base), *along]
        """d/dr^a and the invariant fields E^_i: what every invariant field is a combination of, over the base."""
        self.size = len(bundle.base)
        self.short = short
        self.solved: list[Expr] = []
        """Determinants of what was solved on the way."""

    def coefficients(self) -> tuple[list[list[Expr]], list[list[Expr]]]:
        """Return S and the horizontal fields in the invariant basis, as functions on the base."""
        rows = [self.bundle.on_base([dot(form, z.components) for z in self.basis]) for form in self.forms]
        vertical_rows = [row[self.size :] for row in rows]
        rank = generic_rank(vertical_rows) if rows else None
        if rank is not None and rank.rank < len(rows):
            what = f"D and the orbits span {len(self.basis) - len(rows) + rank.rank} of {len(self.basis)} dimensions"
            raise HypothesisError(
                "reduction", [Fault("[symmetry]", what, "D + V = TQ is needed; state more symmetry, or use reduced")]
            )
        count = len(self.basis) - self.size
        inside = (
            null_space(vertical_rows)
            if rows
            else [[ONE if i == j else ZERO for j in range(count)] for i in range(count)]
        )
        vertical = [[*[ZERO] * self.size, *map(self.short, part)] for part in inside]
        horizontal = []
        for a in range(self.size):
            vector = [ONE if i == a else ZERO for i in range(len(self.basis))]
            if rank is not None:
                square = [[vertical_rows[i][j] for j in rank.columns] for i in range(len(rows))]
                self.solved = [expanded_determinant(square)]
                for j, value in zip(rank.columns, solve(square, [-row[a] for row in rows]), strict=True):
                    vector[self.size + j] = self.short(value)
            horizontal.append(vector)
        return vertical, self._orthogonal(vertical, horizontal)

    def _orthogonal(self, vertical: list[list[Expr]], horizontal: list[list[Expr]]) -> list[list[Expr]]:
        """Make the horizontal fields orthogonal to S, where the kinetic energy is a metric."""
        v = [q.dot for q in self.bundle.chart.coordinates]
        metric = [self.bundle.on_base(row) for row in hessian(self.lagrangian, v)]
        if not vertical or any(s in v for row in metric for e in row for s in _leaves(e)):
            return horizontal
        fields = [self.bundle.on_base(z.components) for z in self.basis]

        def inner(left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
            one, other = ([dot(c, column) for column in zip(*fields, strict=True)] for c in (left, right))
            return dot(one, [dot(row, other) for row in metric])

        gram = [[inner(b, c) for c in vertical] for b in vertical]
        if generic_rank(gram).rank < len(gram):
            return horizontal
        self.solved.append(expanded_determinant(gram))
        result = []
        for vector in horizontal:
            parts = solve(gram, [inner(b, vector) for b in vertical])
            result.append(
                [
                    self.short(total([(1, vector[i]), *((-1, w * b[i]) for w, b in zip(parts, vertical, strict=True))]))
                    for i in range(len(vector))
                ]
            )
        return result

    def frame(self, vertical: list[list[Expr]], horizontal: list[list[Expr]]) -> Frame:
        """Return the invariant frame of D, completed, with its quasi-velocities named."""
        chart = self.bundle.chart
        chosen = [combination(zip(c, self.basis, strict=True)) for c in (*vertical, *horizontal)]
        taken = {s.data.name for s in (*self.system.q, *self.system.parameters, *chart.coordinates)}
        speeds = [symbol(Symbol(n)) for n in fresh_names([f"xi_{i}" for i in range(1, len(vertical) + 1)], taken)]
        speeds += [r.dot for r in self.bundle.base]
        rest: list[VectorField] = []
        for z in self.basis:
            if generic_rank([f.components for f in (*chosen, *rest, z)]).rank > len(chosen) + len(rest):
                rest.append(z)
        held = [symbol(Symbol(f"held {i}")) for i in range(len(rest))]
        return Frame(chart, (*chosen, *rest), (*speeds, *held))

    def result(self) -> PrincipalReduction:
        vertical, horizontal = self.coefficients()
        frame = self.frame(vertical, horizontal)
        active = range(len(vertical) + len(horizontal))
        bundle, system = self.bundle, self.system
        moving = projected_equations(self.lagrangian, frame, self._forces(), active)
        kinematics = _held_kinematics(frame, len(active))
        speeds = frame.quasi_velocities[: len(active)]
        mass = [bundle.on_base(row) for row in moving.mass]
        force = bundle.on_base(moving.force)
        v = [q.dot for q in bundle.chart.coordinates]
        slopes = gradient(self.lagrangian, v)
        whole = total([*((1, p * w) for p, w in zip(slopes, v, strict=True)), (-1, self.lagrangian)])
        put = dict(zip(v, kinematics, strict=True))
        on_d = substitute([whole, *slopes], put)
        momenta = [self.short(m) for m in bundle.on_base(moving.momenta[: len(vertical)])]
        (energy,) = bundle.on_base(on_d[:1])
        rates = dict(zip(speeds, solve(mass, force), strict=True)) | {r: r.dot for r in bundle.base}
        lift = dict(zip(bundle.chart.coordinates, kinematics, strict=True))
        equations = equations_of(
            system,
            "principal",
            kinematics={r: r.dot for r in bundle.base},
            velocities=tuple(speeds),
            mass=tuple(map(tuple, mass)),
            force=tuple(force),
            reconstruction={s: lift[s] for s in bundle.fibre},
            configuration=bundle.configuration,
            monitors={"energy": energy} | {f"momentum {i}": p for i, p in enumerate(momenta, 1)},
            pivots=divided_by(
                [*(e for row in mass for e in row), *force, *kinematics],
                list(map(self.short, self.solved)),
                [self.lagrangian],
            ),
        )
        manifold = self._manifold(frame, speeds, on_d[1:])
        return PrincipalReduction(
            system,
            bundle,
            self.action,
            frame,
            len(vertical),
            tuple(momenta),
            tuple(tangent(momenta, rates)),
            manifold,
            energy,
            moving,
            equations,
        )

    def _forces(self) -> list[Expr] | None:
        """Return the generalised forces along the coordinates of the bundle."""
        if not self.system.forces:
            return None
        images = [self.bundle.configuration.get(q, q) for q in self.system.q]
        pushed = self.bundle.carry([self.system.forces.get(q, ZERO) for q in self.system.q])
        return [
            dot(pushed, coordinate_field(self.bundle.chart, x).apply(images)) for x in self.bundle.chart.coordinates
        ]

    def _manifold(self, frame: Frame, speeds: Sequence[Expr], slopes: Sequence[Expr]) -> SemiSymplectic:
        """Return (D, omega_L, K) in the coordinates (r, s, w)."""
        chart = Chart((*self.bundle.chart.coordinates, *speeds))
        omega = -d(one_form(chart, [*slopes, *[ZERO] * len(speeds)]))
        across = [VectorField.of(chart, [*z.components, *[ZERO] * len(speeds)]) for z in frame.fields[: len(speeds)]]
        return SemiSymplectic(
            chart, omega, (*across, *(coordinate_field(chart, w) for w in speeds)), tuple(self.system.facts)
        )


def _held_kinematics(frame: Frame, active: int) -> list[Expr]:
    """Return the kinematics of a frame of which the first quasi-velocities are free, and the others held at zero."""
    return substitute(frame.kinematics, dict.fromkeys(frame.quasi_velocities[active:], ZERO))


def _leaves(expression: Expr) -> list[Expr]:
    from dalembert.expr.walk import symbols

    return [symbol(s) for s in symbols([expression])]
