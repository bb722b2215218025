"""Other frames for a constrained motion: other choices of the velocities that the constraints give.

A choice of dependent coordinates works where the determinant of its columns of the constraint matrix C is not zero. Its
conditioning is the square of that determinant over the sum of the squares for all choices, which by Cauchy and Binet is
det(C C^T): the conditionings of all choices add up to 1, so that somewhere among them there is always a good one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations

from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import constant, generic_rank, never_zero
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.common import HasEquations
from dalembert.model.alternative import Alternative, Frames
from dalembert.model.system import System

__all__ = ["second_charts"]

_MOST_CHOICES = 100
"""Beyond so many choices only those are offered that differ from the first in one coordinate."""


def second_charts(system: System, dependent: Sequence[int], derive: Callable[[System], HasEquations]) -> Frames | None:
    """Return the conditioning of a choice of dependent coordinates and the other choices; None where it never fails.

    The motion in another frame is derived by ``derive``, when it is needed.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive
    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> [other.name for other in second_charts(skate, [1], derive).others()]
    ["y', phi'"]
    """
    rows = system.constraint_matrix().rows
    size, count = len(system.q), len(rows)
    first = tuple(sorted(dependent))
    choices = list(combinations(range(size), count))
    few = len(choices) <= _MOST_CHOICES
    if not few:
        choices = [choice for choice in choices if len({*first, *choice}) <= count + 1]
    determinant = Distribution.from_forms(system.chart, rows, first).determinant
    # one that is the same everywhere does not fail on the way, and is decided at any size
    if constant(determinant).holds is True or never_zero(determinant).holds is True:
        return None
    minors = {choice: _minor(system, choice) for choice in choices}
    # with a part of all choices only, Hadamard's bound stands in for the sum
    whole = total((1, minor**2) for minor in minors.values()) if few else _hadamard(rows)

    def others() -> list[Alternative]:
        found = [(choice, minor) for choice, minor in minors.items() if choice != first and minor is not ZERO]
        return [_alternative(system, choice, minor, minor**2 / whole, derive) for choice, minor in found]

    return Frames(minors[first] ** 2 / whole, others, minors[first])


def _minor(system: System, choice: tuple[int, ...]) -> Expr:
    """Return the determinant of some columns of the constraint matrix, zero where it is so everywhere."""
    rows = system.constraint_matrix().rows
    if generic_rank([[row[a] for a in choice] for row in rows]).rank < len(rows):
        return ZERO
    return Distribution.from_forms(system.chart, rows, choice).determinant


def _hadamard(rows: Sequence[Sequence[Expr]]) -> Expr:
    """Return the product of the squared lengths of the rows, which no squared determinant exceeds."""
    bound = ONE
    for row in rows:
        bound *= total((1, entry**2) for entry in row)
    return bound


def _alternative(
    system: System, choice: Sequence[int], pivot: Expr, health: Expr, derive: Callable[[System], HasEquations]
) -> Alternative:
    free = [repr(v) for i, v in enumerate(system.v) if i not in choice]
    again = partial(_derived, derive, replace(system, dependent=tuple(system.q[a] for a in choice)))
    return Alternative(", ".join(free), health, lambda: again().equations, again, pivot)


@lru_cache(maxsize=64)
def _derived(derive: Callable[[System], HasEquations], system: System) -> HasEquations:
    return derive(system)
