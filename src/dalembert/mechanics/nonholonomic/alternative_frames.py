"""Other frames for a constrained motion: other choices of the velocities that the constraints give.

A choice of dependent coordinates works where the determinant of its columns of the constraint matrix C is not zero. Its
conditioning is the square of that determinant over the sum of the squares for all choices, which by Cauchy and Binet is
det(C C^T): the conditionings of all choices add up to 1, so that somewhere among them there is always a good one.

Of many choices not all are looked at, and a product of many factors is small where each is a little below 1. There the
measure is 1/(1 + b^2) with b^2 the mean square of the slopes B^a_alpha, by which the frame multiplies errors. It goes
to zero where the determinant does, and depends neither on how many constraints there are nor on how they are scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import combinations
from math import comb

from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import constant, generic_rank, never_zero
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.common import HasEquations
from dalembert.model.equations import Alternative, Frames
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
    few = comb(size, count) <= _MOST_CHOICES
    choices = list(combinations(range(size), count)) if few else _neighbours(first, size)
    determinant = Distribution.from_forms(system.chart, rows, first).determinant
    # one that is the same everywhere does not fail on the way, and is decided at any size
    if constant(determinant).holds is True or never_zero(determinant).holds is True:
        return None
    made = {choice: _distribution(system, choice) for choice in choices}
    minors = {choice: ZERO if one is None else one.determinant for choice, one in made.items()}
    whole = total((1, minor**2) for minor in minors.values())

    def conditioning(choice: tuple[int, ...]) -> Expr:
        one = made[choice]
        return minors[choice] ** 2 / whole if few or one is None else _conditioning(one)

    def others() -> list[Alternative]:
        found = [(choice, minor) for choice, minor in minors.items() if choice != first and minor is not ZERO]
        return [_alternative(system, choice, minor, conditioning(choice), derive) for choice, minor in found]

    return Frames(conditioning(first), others, minors[first])


def _neighbours(first: tuple[int, ...], size: int) -> list[tuple[int, ...]]:
    """Return a choice and those that differ from it in one coordinate, in order.

    >>> _neighbours((1, 2), 4)
    [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    """
    free = [i for i in range(size) if i not in first]
    return sorted({first, *(tuple(sorted({*first, i} - {a})) for a in first for i in free)})


def _distribution(system: System, choice: tuple[int, ...]) -> Distribution | None:
    """Return the frame of some dependent coordinates, None where their determinant is zero everywhere."""
    rows = system.constraint_matrix().rows
    if generic_rank([[row[a] for a in choice] for row in rows]).rank < len(rows):
        return None
    return Distribution.from_forms(system.chart, rows, choice)


def _conditioning(distribution: Distribution) -> Expr:
    """Return 1/(1 + b^2) with b^2 the mean square of the slopes: the sum, by directions or constraints if fewer."""
    slopes = distribution.coefficients
    squares = total((1, slope**2) for row in slopes for slope in row)
    return 1 / (1 + squares / max(1, min(len(slopes), distribution.rank)))


def _alternative(
    system: System, choice: Sequence[int], pivot: Expr, conditioning: Expr, derive: Callable[[System], HasEquations]
) -> Alternative:
    free = [repr(v) for i, v in enumerate(system.v) if i not in choice]
    again = partial(_derived, derive, replace(system, dependent=tuple(system.q[a] for a in choice)))
    return Alternative(", ".join(free), conditioning, lambda: again().equations, pivot)


@lru_cache(maxsize=64)
def _derived(derive: Callable[[System], HasEquations], system: System) -> HasEquations:
    return derive(system)
