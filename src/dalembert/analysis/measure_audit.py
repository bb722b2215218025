"""An invariant measure put to the test along a closed orbit: the determinant of the monodromy.

The linearised flow around a closed orbit, once around, is its monodromy. A flow that keeps a smooth positive density
near the orbit comes back to the same density, so that the determinant is 1. Where it is not, there is no such density:
that is seen without knowing anything of the 1-form beta. By Liouville's formula the determinant is exp of the integral
of the divergence along the orbit, which is integrated beside it as a second method.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, depends_on
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.trajectory import Array
from dalembert.numerics.simulate import simulate

__all__ = ["VolumeChange", "variational_equations", "volume_change"]

_CLOSED = 1e-6
_STRETCH = "stretch"
"""The variable that collects the divergence."""


@dataclass(frozen=True, slots=True, eq=False)
class VolumeChange:
    """The linearised flow once around a closed orbit."""

    period: float
    matrix: Array
    determinant: float
    by_divergence: float
    """exp of the integral of the divergence, the same number by Liouville's formula."""
    gap: float
    """How far from its start the orbit ends, angles counted modulo a full turn."""

    @property
    def error(self) -> float:
        """The relative difference of the two methods."""
        return abs(self.determinant - self.by_divergence) / max(abs(self.by_divergence), 1e-300)

    @property
    def claims(self) -> list[Claim]:
        """Return what was measured."""
        run = f"once around, for a time {self.period:.12g}, from start to end {self.gap:.1e}"
        meet = f"determinant {self.determinant:.10g}, by the divergence {self.by_divergence:.10g}; {run}."
        away = abs(self.determinant - 1)
        found = f"the determinant is {self.determinant:.10g}, with an error of about {self.error:.1e}; {run}."
        doubt = max(1e-8, 100 * self.error)
        if away > doubt:
            said, verdict = "no smooth positive density near the orbit is invariant", Verdict("measured", found)
        else:
            said, verdict = (
                "the volume is kept around the orbit, as an invariant density demands",
                Verdict("measured", found),
            )
        liouville = Verdict("measured", meet) if self.error < 1e-6 else Verdict("undecided", meet)
        return [
            Claim(
                "Liouville's formula", "the determinant is exp of the integral of the divergence", "check", liouville
            ),
            Claim("monodromy", said, "question", verdict),
        ]


def variational_equations(equations: Equations) -> Equations:
    """Return equations for a motion, its linearised flow and the integral of its divergence.

    The linearised flow has a variable for each pair of state variables, ``tangent_i_k``, rows first.
    """
    expect(equations, Equations, "variational_equations takes equations")
    if equations.implicit:
        raise ExpressionError(
            f"the equations of '{equations.system}' have implicit unknowns, and cannot be linearised here."
        )
    rates = equations.rates()
    state = list(rates)
    slopes = jacobian(list(rates.values()), state)
    size = range(len(state))
    moved = {
        _tangent(i, k): total([(1, slopes[i][j] * _tangent(j, k)) for j in size if slopes[i][j] is not ZERO])
        for i in size
        for k in size
    }
    spread = {symbol(Symbol(_STRETCH)): total([(1, slopes[i][i]) for i in size])}
    return Equations(
        system=equations.system,
        formalism=equations.formalism,
        kinematics={**rates, **moved, **spread},
        parameters=equations.parameters,
        functions=equations.functions,
    )


def _tangent(i: int, k: int) -> Expr:
    return symbol(Symbol(f"tangent_{i + 1}_{k + 1}"))


def volume_change(
    equations: Equations,
    start: Mapping[Expr, Any],
    period: Any,
    *,
    values: Mapping[Any, Any] | None = None,
    engine: str | None = None,
    tolerance: float = 1e-12,
) -> VolumeChange:
    """Return the monodromy of the closed orbit through a start, or refuse an orbit that does not close.

    Equations must not depend on time. ``values`` are for parameters, as in ``simulate``.

    >>> x, a = symbol("x"), symbol(Symbol("a", domain="angle"))
    >>> shrinking = Equations("shrinking", "by hand", {x: -x, a: ONE})
    >>> once = volume_change(shrinking, {x: 0, a: 0}, 2 * math.pi)
    >>> round(once.determinant, 9) == round(math.exp(-2 * math.pi), 9)
    True
    """
    expect(equations, Equations, "volume_change takes equations")
    whole = variational_equations(equations)
    if depends_on(list(whole.kinematics.values()), [symbol(TIME)]):
        raise ExpressionError(
            f"the equations of '{equations.system}' depend on time; a monodromy needs autonomous equations."
        )
    state = equations.state
    size = len(state)
    missing = [q.data.label for q in state if q not in start]
    if missing:
        raise ExpressionError(f"the start of a closed orbit must give all state variables; {missing[0]} is missing.")
    begin: dict[Expr, Any] = {q: start[q] for q in state}
    begin |= {_tangent(i, k): ONE if i == k else ZERO for i in range(size) for k in range(size)}
    begin[symbol(Symbol(_STRETCH))] = ZERO
    run = simulate(whole, begin, period, values=values, engine=engine, tolerance=tolerance)
    ends = {q: (float(run[q.data.label][0]), float(run[q.data.label][-1])) for q in state}
    gap = max(_apart(q, *pair) for q, pair in ends.items())
    if gap > _CLOSED:
        raise ExpressionError(f"the orbit does not close after this time: it ends {gap:.3g} away from its start.")
    matrix = np.array([[float(run[_tangent(i, k).data.label][-1]) for k in range(size)] for i in range(size)])
    return VolumeChange(
        float(run.t[-1] - run.t[0]),
        matrix,
        float(np.linalg.det(matrix)),
        math.exp(float(run[_STRETCH][-1])),
        gap,
    )


def _apart(coordinate: Expr, begin: float, end: float) -> float:
    """Return the distance of two values, of an angle modulo a full turn."""
    step = end - begin
    return abs(math.remainder(step, 2 * math.pi)) if coordinate.data.domain == "angle" else abs(step)
