"""First integrals: functions F(t, q, v) with Gamma(F) = 0, given or searched for; and moving energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField, coordinate_field
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.integrals import independent
from dalembert.mechanics.second_order.field import Constrained, SecondOrderField, field_of
from dalembert.mechanics.second_order.search.linear_search import (
    Ansatz,
    LinearSearch,
    combined,
    linear_search,
    relations,
)
from dalembert.records import dataclass

_QUICK = 400
"""So many unknown constants are a matter of a second."""


class WithEnergy(Constrained, Protocol):
    """A motion on the constraint, with its energy."""

    @property
    def energy(self) -> Expr: ...


@dataclass(frozen=True, slots=True)
class FirstIntegral:
    """A function that the motion keeps, with the verdict on that."""

    expression: Expr
    verdict: Verdict
    name: str = ""
    """``energy``, ``moving energy``, or ``constraint`` where it is one stated on positions; else empty."""


class FirstIntegralSearch(LinearSearch[FirstIntegral]):
    """All first integrals in an ansatz, but for constants."""

    __slots__ = ()

    def independent(self, field: SecondOrderField) -> tuple[FirstIntegral, ...]:
        """Return some, simple ones first, on which all others depend as functions."""
        variables = (symbol(TIME), *field.coordinates, *field.velocities)
        return tuple(self.basis[k] for k in independent([one.expression for one in self.basis], variables))


def is_first_integral(field: SecondOrderField, function: Expr, *, effort: float = 0.0) -> Verdict:
    """Decide whether Gamma(F) = 0; a constant is one."""
    return is_zero(field.rates([function])[0], field.facts, effort=effort)


def find_first_integrals(field: SecondOrderField, ansatz: Ansatz) -> FirstIntegralSearch:
    """Return all first integrals in an ansatz, in echelon form, simple ones first.

    >>> x = symbol("x")
    >>> found = find_first_integrals(SecondOrderField((x,), (), (), (), (-x,)), Ansatz(2, 2))
    >>> [integral.expression for integral in found.basis]
    [x^2 + x'^2]
    """

    def made(values: Sequence[Expr], verdict: Verdict) -> FirstIntegral:
        return FirstIntegral(values[0], verdict)

    return linear_search(FirstIntegralSearch, field, ansatz, [0], field.rates, made, trivial=[ONE])


def search_quickly(field: SecondOrderField, most: int = _QUICK) -> FirstIntegralSearch:
    """Return all first integrals in the largest of a few ansatzes that needs a second or so, or say that all are large.

    >>> x = symbol("x")
    >>> [i.expression for i in search_quickly(SecondOrderField((x,), (), (), (), (ONE,))).basis]
    [x'^2 - 2*x]
    """
    quick = quick_ansatz(field, most)
    if quick is None:
        raise ExpressionError(
            f"even functions of degree 1 in velocities alone, with harmonics of the angles, are more than {most}."
        )
    return find_first_integrals(field, quick)


def quick_ansatz(field: SecondOrderField, most: int = _QUICK) -> Ansatz | None:
    """Return the first of a few ansatzes, large ones first, that has no more unknown constants than ``most``."""
    degrees = ((2, 3, 2), (2, 2, 2), (2, 1, 2), (2, 2, 1), (2, 1, 1), (1, 2, 1), (1, 1, 1), (1, 1, 0), (1, 0, 0))
    tried = (Ansatz(speed, place, harmonics=waves) for speed, place, waves in degrees)
    return next((ansatz for ansatz in tried if ansatz.size(field) <= most), None)


def is_proportional(left: Expr, right: Expr) -> bool:
    """Say whether two functions are seen to be proportional."""
    try:
        return bool(relations([[left], [right]], effort=0.0).basis)
    except ExpressionError:
        return False


def moving_energies(result: WithEnergy, generators: Sequence[VectorField] | None = None) -> list[FirstIntegral]:
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
    put = {q.dot: g for q, g in zip(field.dependent, field.dependent_velocities, strict=True)}
    momenta = substitute([dot(slopes, generator.components) for generator in generators], put)
    functions = [*momenta, result.energy]
    found = relations([[rate] for rate in field.rates(functions)], field.facts, of_last=True)
    if not found.basis:
        return []
    weights = [w / found.basis[0][-1] for w in found.basis[0]]
    plain = all(w.value == 0 for w in weights[:-1])
    return [FirstIntegral(combined(weights, functions), found.verdicts[0], "energy" if plain else "moving energy")]
