"""Momenta of symmetries of Noether's kind: those that the motions keep, and all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dalembert.analysis.discovery.first_integrals import Integral, shorter
from dalembert.analysis.discovery.point_symmetries import PointSymmetry, SymmetryAlgebra
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.noether import momentum_of, noether_on_spheres
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.reduced.on_algebra import derive_on_algebra
from dalembert.mechanics.theorem import EFFORT
from dalembert.model.table import Table


def momenta_of(motions: Motions, algebra: SymmetryAlgebra) -> list[tuple[str, Expr, Expr, Verdict]]:
    """Return the momenta of symmetries of Noether's kind that the motions keep, each with the field it comes from.

    Each is given as it reads best, beside rotations by velocities of tangent spaces and entries, and by the state.
    """
    found = []
    for one, shown, value in zip(algebra.basis, *momenta_by(motions, algebra.basis), strict=True):
        verdict = motions.keep(value, ProofBudget(EFFORT))  # with the effort of a theorem, which says the same
        if verdict.holds is True:
            found.append((one.written, shown, value, verdict))
    return found


def momenta_by(motions: Motions, basis: Sequence[PointSymmetry]) -> tuple[list[Expr], list[Expr]]:
    """Return the momenta of fields, kept or not: as they read best, and by the state."""
    system = motions.system
    if not system.points:
        momenta = [momentum_of(system, one.generator, one.gauge) for one in basis]
        values = [motions.names.expression(momentum) for momentum in momenta]
        return values, values
    frame = TangentFrame(replace(system, symmetry=Table({f"X{k}": one.generator for k, one in enumerate(basis)})))
    given = noether_on_spheres(frame)  # with an F of their own, where one is found
    less = frame.put([field.gauge - one.gauge for one, field in zip(given, basis, strict=True)])
    shown = [one.momentum - gauge for one, gauge in zip(given, less, strict=True)]
    values = [motions.names.expression(e) for e in frame.opened([*shown, *frame.velocities])]
    kept = zip(frame.velocities, values[len(shown) :], strict=True)
    still = {w: ZERO for w, e in kept if vanish([e], facts_of(system))}  # a formula does not show what is 0
    return substitute(shown, still), values[: len(shown)]


def known_integrals(motions: Motions, algebra: SymmetryAlgebra) -> tuple[Integral, ...]:
    """Return the momenta that are kept, the energy in the place of minus itself."""
    found = []
    for name, shown, value, verdict in momenta_of(motions, algebra):
        sign, called = (-1, "energy") if name == "d/dt" else (1, f"momentum of {name}")
        if vanish([value], facts_of(motions.system)):  # on the constraints: it says nothing of the motion
            continue
        found.append(Integral(sign * value, verdict, shorter(sign * shown), called))
    return tuple(found)


def known_by_derivation(motions: Motions, known: Sequence[Integral]) -> tuple[Integral, ...]:
    """Return the energy, if no symmetry gave it, and the Casimirs of a Lie algebra, as far as the motions keep them.

    >>> from dalembert.model.system import System
    >>> body = System.of(name="body", lagrangian="(w1^2 + 2*w2^2 + 3*w3^2)/2",
    ...     algebra={"name": "so(3)", "velocities": ["w1", "w2", "w3"]})
    >>> [(one.name, one.shown) for one in known_by_derivation(Motions(body), ())]
    [('energy', w2^2 + (w1^2 + 3*w3^2)/2), ('Casimir', w1^2 + 4*w2^2 + 9*w3^2)]
    """
    system, equations = motions.system, motions.names.equations
    candidates = [("energy", equations.monitors[name]) for name in ("energy",) if name in equations.monitors]
    if any(one.name == "energy" for one in known):
        candidates = []
    if system.algebra is not None and equations.formalism == "reduced":
        group = derive_on_algebra(system)
        momenta = dict(zip(group.momenta, gradient(group.invariant.lagrangian, group.invariant.xi), strict=True))
        values = motions.names.all_translated(substitute(list(group.casimirs), momenta))
        candidates += [("Casimir", one) for one in values]
    decided = [Integral(e, motions.keep(e, ProofBudget(EFFORT)), shorter(e), name) for name, e in candidates]
    return tuple(one for one in decided if one.verdict.holds is True)
