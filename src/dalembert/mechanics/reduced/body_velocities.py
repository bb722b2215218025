"""Body velocities: q' = r'^a d_a + xi^i E^_i, with fields E^_i along the orbits that commute with the generators.

In them an invariant Lagrangian, invariant constraints and invariant forces are functions of (t, r, r', xi) alone
(Bloch, Krishnaprasad, Marsden, Murray), and [E^_i, E^_j] = C_ij^k E^_k with the constants of the group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.linear import inverse
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, bracket, coordinate_field
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.invariant_frame import invariant_fields
from dalembert.geometry.groups.matrices import dot, transpose
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.principal_bundle import (
    PrincipalBundle,
    linear_bundle,
    partial_cover,
    stated_bundle,
    straightened_bundle,
    with_section,
)
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.mechanics.reduced.invariance import virtual_functions
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass

_SHORTENING = 0.5
"""Work for short formulas of the invariant fields."""


@dataclass(frozen=True, slots=True)
class BodyVelocities:
    """Base and fibre coordinates, and the invariant fields along the orbits."""

    system: System
    bundle: PrincipalBundle
    action: Action
    """The generators in the chart of the bundle."""
    fields: tuple[VectorField, ...]
    """E^_i."""
    xi: tuple[Expr, ...]
    """The symbols of the body velocities."""

    def kinematics(self) -> list[Expr]:
        """Return the velocities of the chart of the bundle by r' and xi."""
        return [
            total(
                [
                    *([(1, q.dot)] if q in self.bundle.base else []),
                    *((1, w * e.components[i]) for w, e in zip(self.xi, self.fields, strict=True)),
                ]
            )
            for i, q in enumerate(self.bundle.chart.coordinates)
        ]

    def here(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of stated coordinates and velocities by those of the chart, r' and xi."""
        put = dict(zip((q.dot for q in self.bundle.chart.coordinates), self.kinematics(), strict=True))
        return substitute(self.bundle.carry(expressions), put)

    def on_base(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant functions by (t, r, r', xi)."""
        return self.bundle.on_base(self.here(expressions))

    def invariant_system(self) -> InvariantSystem:
        """Return Lagrangian, constraints and forces on TQ/G."""
        system, bundle = self.system, self.bundle
        assert system.lagrangian is not None
        lagrangian, *constraints = self.on_base(
            [system.lagrangian, *(c.expression for c in system.constraints.values())]
        )
        return InvariantSystem(
            system,
            bundle.base,
            self.action.algebra,
            self.xi,
            lagrangian,
            dict(zip(system.constraints, constraints, strict=True)),
            tuple(self._forces()),
            virtual=tuple(self.on_base(virtual_functions(system))) if system.virtual else (),
        )

    def _forces(self) -> list[Expr]:
        """Return the forces along d_a and E^_i, on the base."""
        system, bundle = self.system, self.bundle
        basis = [*(coordinate_field(bundle.chart, r) for r in bundle.base), *self.fields]
        if not system.forces:
            return [ZERO] * len(basis)
        images = [bundle.configuration.get(q, q) for q in system.q]
        pushed = self.here([system.forces.get(q, ZERO) for q in system.q])
        return bundle.on_base([dot(pushed, z.apply(images)) for z in basis])

    def meaning(self) -> list[Expr] | None:
        """Return r' and xi by stated coordinates and velocities; None where base and fibre are not known by these."""
        bundle = self.bundle
        if any(s not in bundle.projection and s not in self.system.q for s in bundle.chart.coordinates):
            return None
        q = [bundle.projection.get(s, s) for s in bundle.chart.coordinates]
        rates = [dot(gradient(value, self.system.q), self.system.v) for value in q]
        places = [bundle.chart.place(s) for s in bundle.fibre]
        rows = [[e.components[i] for e in self.fields] for i in places]
        along = [rates[i] for i in places]
        put = {s: value for s, value in zip(bundle.chart.coordinates, q, strict=True) if s is not value}
        back = [substitute(row, put) for row in inverse(rows)]
        return [*(rates[i] for i in bundle.places), *(dot(row, along) for row in back)]


def body_velocities(system: System, action: Action, formalism: str = "reduced") -> BodyVelocities:
    """Return base, fibre and body velocities of a system, as stated or found; or say why there are none.

    >>> from dalembert.mechanics.reduced.invariance import symmetry_of
    >>> two = System.of(name="two discs", coordinates={"a": "angle", "b": "angle"}, lagrangian="(a'^2 + b'^2)/2",
    ...     symmetry={"turn": {"a": 1, "b": 1}})
    >>> found = body_velocities(two, symmetry_of(two).action)
    >>> found.bundle.base, found.invariant_system().lagrangian
    ((b_base,), (xi_turn^2 + (b_base' + xi_turn)^2)/2)
    """
    why: list[Fault] = []
    for bundle in _bundles(system, action, why):
        moved = Action(bundle.chart, bundle.generators, action.algebra, action.closure)
        try:
            fields = _invariant_fields(moved, bundle)
            probes = [*_statement(system, bundle), *(c for e in fields for c in e.components)]
            bundle = with_section(bundle, (), probes)
        except ExpressionError as error:
            why.append(Fault("[symmetry]", str(error).removesuffix("."), kind="written"))
            continue
        taken = {s.data.name for s in (*system.q, *system.parameters, *system.speeds, *bundle.chart.coordinates)}
        names = [name if name not in taken else f"{name}_" for name in (f"xi_{n}" for n in action.names)]
        return BodyVelocities(system, bundle, moved, fields, tuple(symbol(Symbol(n)) for n in names))
    remedy = Fault("[symmetry]", "no coordinates of base and fibre are known", "state them in [bundle]", kind="base")
    raise refusal(formalism, why or [remedy])


def _bundles(system: System, action: Action, why: list[Fault]) -> Iterator[PrincipalBundle]:
    """Yield base and fibre coordinates: as stated, or sums of stated ones, or along the flows of the generators."""
    if system.bundle is not None and system.bundle.base:
        found = stated_bundle(system.chart, action.generators, action.names, system.bundle)
        if isinstance(found, list):
            why.extend(found)
        else:
            yield found
        return
    words = system.vocabulary
    taken = [*words.parameters, *words.functions, *words.let, *words.extra]
    summed = linear_bundle(system.chart, action.generators, taken)
    if summed is not None:
        yield summed
    straight = straightened_bundle(system.chart, action.generators, action.names, taken)
    if straight is not None:
        yield straight


def _invariant_fields(action: Action, bundle: PrincipalBundle) -> tuple[VectorField, ...]:
    """Return E^_i: by the adjoint action along straightened orbits, else by an ansatz."""
    if bundle.origin != "straightened":
        return invariant_fields(action).fields
    body, _ = second_kind(action.algebra, bundle.fibre)
    short = SimplificationBudget(_SHORTENING)
    rates = [[short(entry) for entry in row] for row in inverse(transpose(body))]
    return tuple(
        VectorField.of(action.chart, dict(zip(bundle.fibre, [row[i] for row in rates], strict=True)))
        for i in range(action.dimension)
    )


def _statement(system: System, bundle: PrincipalBundle) -> list[Expr]:
    assert system.lagrangian is not None
    stated = [system.lagrangian, *(c.expression for c in system.constraints.values()), *system.forces.values()]
    return bundle.carry(stated)


def base_coordinates(body: BodyVelocities) -> Claim:
    """Say what the base coordinates are, how they were found and where they are coordinates."""
    bundle = body.bundle
    how = {"evident": "no generator moves them", "stated": "as stated", "straightened": "along straightened orbits"}
    parts = {
        f"{r.data.label} under {name}": e.components[bundle.chart.place(r)]
        for r in bundle.base
        for name, e in zip(body.action.names, bundle.generators, strict=True)
    }
    parts |= {
        f"E^_{i} against {name}, along {q.data.label}": c
        for i, field in enumerate(body.fields, 1)
        for name, e in zip(body.action.names, bundle.generators, strict=True)
        for q, c in zip(bundle.chart.coordinates, bracket(e, field).components, strict=True)
    }
    where = partial_cover(bundle) if bundle.origin == "straightened" else ""
    names = ", ".join(r.data.label for r in bundle.base)
    told = f"{names} are coordinates on Q/G ({how[bundle.origin]}{', where ' * bool(where)}{where})"
    said = f"{told if names else 'Q/G is a point'}, and the body velocities belong to invariant fields"
    return Claim("base coordinates", said, "hypothesis", all_vanish(parts))
