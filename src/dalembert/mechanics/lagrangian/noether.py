"""Noether's theorem: the momentum of a generator, and whether it is conserved.

A generator xi = xi^i d/dq^i + tau d/dt with its prolongation pr xi is a symmetry if pr xi(L) + L D tau = 0, and one up
to a total derivative if this is DF for some F: then, and only then, all Euler operators of it vanish. With the
characteristic u = xi - q' tau the momentum is p_(1) u + p_(2) Du + ... + L tau - F, and its rate is the work Q u of the
forces. For order 1 this is p (xi - q' tau) + L tau - F; the generator d/dt gives minus the energy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Facts, Verdict, is_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.embedded import euclidean_space, potential_on, product_manifold, rotation_group, sphere
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import one_form
from dalembert.geometry.groups.actions import prolonged
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.potentials import potential
from dalembert.mechanics.common import along, facts_of
from dalembert.mechanics.lagrangian.jets import derivative, euler_operators, momenta
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass

Kind = Literal["symmetry", "up to a total derivative", "up to a total derivative not found", "none"]


@dataclass(frozen=True, slots=True)
class NoetherMomentum:
    """The momentum of a generator; of one that is no symmetry, the momentum all the same, and a verdict against it."""

    name: str
    kind: Kind
    momentum: Expr
    gauge: Expr
    """The function F whose total derivative L changes by; zero for a strict symmetry, and where it was not found."""
    characteristic: tuple[Expr, ...]
    """u = xi - q' tau."""

    @property
    def is_symmetry(self) -> bool:
        """Whether the momentum is conserved, but for the work of forces."""
        return self.kind in {"symmetry", "up to a total derivative"}


def noether_momenta(system: System) -> tuple[NoetherMomentum, ...]:
    """Return the momenta of all generators that a system states."""
    return tuple(_momentum(system, name, generator) for name, generator in system.symmetry.items())


def invariance(system: System, name: str, proofs: ProofBudget | None = None) -> tuple[Kind, Expr, list[Claim]]:
    """Return what a stated generator is to the Lagrangian alone, the function F, and the claims that say it."""
    assert system.lagrangian is not None
    change = _change(system, system.lagrangian, system.symmetry[name])
    return _sort(system, name, change, proofs or ProofBudget(0.0))


def action_factor(system: System, generator: Generator) -> Expr | None:
    """Return the constant c with pr xi(L) + L D tau = c L, where there is one that is not zero: that of a scaling.

    >>> fall = System.of(name="free", coordinates="x", lagrangian="x'^2/2", symmetry={"scale": {"x": "x"}})
    >>> action_factor(fall, fall.symmetry["scale"])
    2
    """
    assert system.lagrangian is not None
    change, lagrangian = Facts.of(facts_of(system)).apply(
        [_change(system, system.lagrangian, generator), system.lagrangian]
    )
    if vanish([change]):
        return None
    both = [change, lagrangian]

    def combinations() -> Iterator[list[Expr]]:  # a number most often, which is found of large Lagrangians too
        yield from ([ONE * c for c in row] for row in constant_null_space(both).basis)
        yield from constant_null_space(both, list(system.parameters)).basis

    try:
        row = next((row for row in combinations() if row[0] is not ZERO), None)
    except ExpressionError:
        return None
    return None if row is None else -row[1] / row[0]


def noether_on_spheres(frame: TangentFrame) -> tuple[NoetherMomentum, ...]:
    """Return the same where there are rotations or directions, momenta by the velocities of their tangent spaces."""
    found = []
    for name, generator in frame.system.symmetry.items():
        kind, gauge, _ = invariance(frame.system, name)
        moved = [e - u * generator.time for e, u in zip(frame.along(generator), frame.velocities, strict=True)]
        parts = [(1, p * u) for p, u in zip(frame.free.momenta, moved, strict=True)]
        (less,) = frame.put([gauge])
        momentum = total([*parts, (1, frame.free.lagrangian * generator.time), (-1, less)])
        found.append(NoetherMomentum(name, kind, momentum, gauge, tuple(frame.opened(moved))))
    return tuple(found)


def _momentum(system: System, name: str, generator: Generator) -> NoetherMomentum:
    kind, gauge, _ = invariance(system, name)
    characteristic = tuple(generator.components.get(q, ZERO) - q.dot * generator.time for q in system.q)
    return NoetherMomentum(name, kind, momentum_of(system, generator, gauge), gauge, characteristic)


def momentum_of(system: System, generator: Generator, gauge: Expr = ZERO) -> Expr:
    """Return p_(1) u + p_(2) Du + ... + L tau - F of a generator.

    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z", symmetry={"up": {"z": 1}})
    >>> momentum_of(fall, fall.symmetry["up"], -symbol(TIME))
    t + z'
    """
    lagrangian = system.lagrangian
    assert lagrangian is not None
    moved = [generator.components.get(q, ZERO) - q.dot * generator.time for q in system.q]
    terms = [(1, lagrangian * generator.time), (-1, gauge)]
    for several in momenta(lagrangian, system.q, system.order):
        terms += [(1, p * u) for p, u in zip(several, moved, strict=True)]
        moved = [time_derivative(u) for u in moved]
    return total(terms)


def _sort(system: System, name: str, change: Expr, proofs: ProofBudget) -> tuple[Kind, Expr, list[Claim]]:
    """Return what kind of symmetry it is by which L changes so, the function F, and the claims that say it."""
    strict = proofs.is_zero(change, facts_of(system))
    said = f"L is invariant under {name}"
    claims = [Claim(f"invariance {name}", said, "question", strict)]
    if strict.holds is True:
        return "symmetry", ZERO, claims
    loose = _is_total_derivative(system, change, proofs)
    claims.append(
        Claim(f"invariance {name} up to a total derivative", f"{said} up to a total derivative", "question", loose)
    )
    if loose.holds is not True:
        return "none", ZERO, claims
    gauge = _primitive_on_spheres(system, change) if system.points else _primitive(system, change)
    if gauge is None:
        return "up to a total derivative not found", ZERO, claims
    return "up to a total derivative", gauge, claims


def _change(system: System, lagrangian: Expr, generator: Generator) -> Expr:
    """Return pr xi(L) + L D tau."""
    chart = Chart((*system.q, symbol(TIME)))
    field = VectorField.of(chart, {**generator.components, symbol(TIME): generator.time})
    return prolonged(field, lagrangian) + lagrangian * time_derivative(generator.time)


def _is_total_derivative(system: System, change: Expr, proofs: ProofBudget) -> Verdict:
    """Decide by the Euler operators, whose common kernel are the total derivatives (where paths can be contracted)."""
    operators = dict(zip(system.q, euler_operators(change, system.q, system.order), strict=True))
    if system.points:  # of functions on spheres only what is along tangent fields means something
        fields = tangent_fields(TangentFrame(system))
        operators = {u: total([(1, operators[q] * e) for q, e in along.items()]) for u, along in fields.items()}
    parts = {f"the Euler operator of {q.data.name} on the change of L": e for q, e in operators.items()}
    return proofs.all_vanish(parts, facts_of(system))


def tangent_fields(frame: TangentFrame) -> dict[Expr, dict[Expr, Expr]]:
    """Return fields that span the tangent spaces, by velocities: of directions, those that turn them."""
    found = {u: {q: field[q] for q in frame.system.q} for u, field in zip(frame.velocities, frame.fields, strict=True)}
    for point in frame.directions:
        turns = sphere(point.components).fields
        for q, turn in zip(point.components, turns, strict=True):
            found[q.dot] = dict(zip(point.components, turn.components, strict=True))
    return found


def _primitive_on_spheres(system: System, change: Expr) -> Expr | None:
    """Return F with DF equal to the change on the spheres, among functions of low degree; None where there is none."""
    frame = TangentFrame(system)
    (moved,) = frame.put([change])
    slopes = dict(zip(frame.velocities, gradient(moved, frame.velocities), strict=True))
    factors, form = [], []
    for u in frame.velocities:
        point = next((p for p in frame.rotations if u is frame.angular(p)[0]), None)
        round_one = next((p for p in frame.directions if u is p.components[0].dot), None)
        if point is not None:
            factors.append(rotation_group(frame.rows(point)))
            form += [slopes[w] for w in frame.angular(point)]
        elif round_one is not None:
            factors.append(sphere(round_one.components))
            beside = [slopes[q.dot] for q in round_one.components]
            form += [dot(beside, turn.components) for turn in factors[-1].fields]
        elif frame.positions.get(u) is not None and not _is_round(frame, u):
            factors.append(euclidean_space([frame.positions[u]]))
            form.append(slopes[u])
    try:
        found = potential_on(product_manifold(*factors), substitute(form, dict.fromkeys(frame.velocities, ZERO)))
    except ExpressionError:  # a form that has no value at rest
        return None
    if found is None:
        return None
    (gauge,) = frame.opened([found])
    return gauge if is_zero(change - time_derivative(gauge), facts_of(system)).holds else None


def _is_round(frame: TangentFrame, u: Expr) -> bool:
    return any(frame.positions.get(u) in point.components for point in frame.system.points)


def _primitive(system: System, change: Expr) -> Expr | None:
    """Return F with DF equal to the change, or None where it was not found.

    F is found from the highest derivatives downwards: the factors of q_(k) are dF/dq_(k-1), up to what is lower.
    """
    found, rest = ZERO, change
    try:
        for k in range(system.order, 0, -1):
            slopes = gradient(rest, [derivative(q, k) for q in system.q])
            still = dict.fromkeys([derivative(q, k) for q in system.q], ZERO)
            clock = [symbol(TIME)] if k == 1 else []
            chart = Chart((*(derivative(q, k - 1) for q in system.q), *clock))
            part = potential(one_form(chart, substitute([*slopes, *([rest] if clock else [])], still)))
            if part is None:
                return None
            found = found + part
            (rest,) = substitute([rest - time_derivative(part)], still)
    except ExpressionError:  # a form that has no value at rest
        return None
    return found if is_zero(change - time_derivative(found), system.facts).holds else None


# -- theorems ------------------------------------------------------------------------------------------------
def invariances(system: System, proofs: ProofBudget) -> list[Claim]:
    """Say of each generator what it is to the Lagrangian."""
    return [claim for name in system.symmetry for claim in invariance(system, name, proofs)[2]]


def conservation(system: System, equations: Equations, one: NoetherMomentum, proofs: ProofBudget) -> Claim:
    """Say that the momentum of a symmetry changes by the work of forces only; ask it of what is no symmetry."""
    (rate,) = along(equations, [one.momentum])
    forces = [system.forces.get(q, ZERO) for q in system.q]
    if system.points:
        frame = TangentFrame(system)
        forces = frame.opened(frame.forces)
    if not one.is_symmetry:
        said = f"the momentum of {one.name} is conserved"
        return Claim(f"momentum {one.name}", said, "question", proofs.is_zero(rate, facts_of(system)))
    how = "strictly" if one.kind == "symmetry" else one.kind
    work = total([(1, force * u) for force, u in zip(forces, one.characteristic, strict=True)])
    only = "changes by the work of the forces only" if system.forces else "is conserved"
    said = f"L is invariant under {one.name} {how}, so its momentum {only}"
    return Claim(f"momentum {one.name}", said, "check", proofs.is_zero(rate - work, facts_of(system)))
