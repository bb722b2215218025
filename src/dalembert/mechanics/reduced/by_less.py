"""The same motion reduced by a smaller group, where the larger one does not act freely or its variables end.

Of a top that stands upright the turn about the vertical and the spin about its axis are one, and the velocities along
both have no values; by the turn alone it is reduced there as everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import Protocol

from dalembert.errors import ExpressionError, HypothesisError
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.regularity import vanishes_nowhere
from dalembert.mechanics.reduced.allowed_velocities import Allowed
from dalembert.mechanics.reduced.invariance import ASKED, MOST_SUBGROUPS
from dalembert.model.equations import Elsewhere, Equations
from dalembert.model.system import System
from dalembert.model.table import Table


class _Found(Protocol):
    @property
    def equations(self) -> Equations: ...

    @property
    def free(self) -> Allowed: ...

    @property
    def group(self) -> tuple[str, ...]: ...


def by_less(system: System, names: Sequence[str], derive: Callable[[System], _Found]) -> Elsewhere | None:
    """Return the motion reduced by the largest group of fewer generators whose variables end nowhere, if any.

    >>> from dalembert.mechanics.reduced.without_charts.derived import derive_without_charts
    >>> top = System.of(name="top", coordinates={"R": "rotation"},
    ...     lagrangian="R.w1^2 + R.w2^2 + 2*R.w3^2 - R.m33",
    ...     symmetry={"turn": {"R": "left 3"}, "spin": {"R": "right 3"}})
    >>> by_less(top, ["turn", "spin"], derive_without_charts).equations.velocities
    (R.w1, R.w2, R.w3)
    """
    for size in range(len(names) - 1, 0, -1):
        for some in islice(combinations(names, size), MOST_SUBGROUPS):
            fewer = {name: system.symmetry[name] for name in some}
            values = {name: value for name, value in system.momentum.items() if name in fewer}
            try:
                found = derive(replace(system, symmetry=Table(fewer), momentum=Table(values)))
            except (HypothesisError, ExpressionError):
                continue
            equations, facts = found.equations, (*facts_of(system), *found.free.facts)
            if equations.initial_state is None and all(
                vanishes_nowhere(e, facts) is not None for e in equations.pivots
            ):
                where = f"There the variables of a reduction by {', '.join(names)} have no values, or soon have none"
                told = f"{where}: {ASKED}. It was reduced by {', '.join(found.group)} alone."
                return Elsewhere(replace(equations, elsewhere=None), told)
    return None
