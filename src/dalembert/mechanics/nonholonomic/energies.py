"""The energy that a nonholonomic motion keeps, or a moving energy; and its first integrals, with those of a search.

Affine constraints do work, so the energy may change, but the energy in a moving frame may be kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.mechanics.second_order.search.ansatz import Ansatz, relations
from dalembert.mechanics.second_order.search.field import contract, field_of
from dalembert.mechanics.second_order.search.first_integrals import (
    FirstIntegral,
    combined,
    find_first_integrals,
    is_proportional,
)

__all__ = ["first_integrals_of", "kept_energy", "known_integrals", "moving_energies"]


def first_integrals_of(result: Nonholonomic, ansatz: Ansatz | None = None) -> list[FirstIntegral]:
    """Return the energy and moving energies where they are kept, and what a search finds.

    What the search finds is reduced to functions that do not depend on each other; that the energy may depend on
    them, or they on it, is left as it is. Without an ansatz these are the first integrals among the findings of the
    result, whose claims say what was searched and what was not.
    """
    if ansatz is None:
        return list(result.findings.first_integrals)
    field, known = field_of(result), known_integrals(result)
    found = find_first_integrals(field, ansatz).independent(field)
    return [*known, *(i for i in found if not any(is_proportional(i.expression, k.expression) for k in known))]


def known_integrals(result: Nonholonomic) -> list[FirstIntegral]:
    """Return the energy if the motion keeps it, else a moving energy if there is one."""
    return kept_energy(result) or moving_energies(result)


def kept_energy(result: Nonholonomic) -> list[FirstIntegral]:
    """Return the energy if it is conserved."""
    verdict = next(claim.verdict for claim in result.checks if claim.name == "energy conserved")
    return [FirstIntegral(result.energy, verdict, "energy")] if verdict.holds else []


def moving_energies(result: Nonholonomic, generators: Sequence[VectorField] | None = None) -> list[FirstIntegral]:
    """Return the energy minus the momentum of a generator, E - p_i xi^i, where the motion keeps such a thing.

    Affine constraints do work, so the energy may change; but the energy in a moving frame may be kept. Where no
    generators are given, xi is a combination of those that the system states and of all fields whose components are of
    degree 1 in the coordinates that are no angles. Of several answers, which differ by kept momenta, one is returned.
    """
    system = result.system
    lagrangian = system.lagrangian
    assert lagrangian is not None
    field = field_of(result)
    if generators is None:
        stated = [g.on(system.chart) for g in system.symmetry.values()]
        scales = Ansatz(0, 1, harmonics=0).functions(field)
        generators = stated + [scale * coordinate_field(system.chart, q) for scale in scales for q in system.q]
    slopes = gradient(lagrangian, system.v)
    put = {q.dot: g for q, g in zip(field.dependent, field.given, strict=True)}
    momenta = substitute([contract(slopes, generator.components) for generator in generators], put)
    functions = [*momenta, result.energy]  # last, so that no more than one vector of the echelon form contains it
    found = relations([[rate] for rate in field.rates(functions)], field.facts)
    for weights, verdict in zip(found.basis, found.verdicts, strict=True):
        if weights[-1].value != 0:
            scaled = [w / weights[-1] for w in weights]
            plain = all(w.value == 0 for w in weights[:-1])
            return [FirstIntegral(combined(scaled, functions), verdict, "energy" if plain else "moving energy")]
    return []
