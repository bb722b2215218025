"""What the linearised flow along a motion tells: whether a measure is kept, and how far it is from symplectic.

The linearised flow around a closed orbit, once around, is its monodromy. A flow that keeps a smooth positive density
near the orbit comes back to the same density, so that the determinant is 1. Where it is not, there is no such density:
that is seen without knowing anything of the 1-form beta. By Liouville's formula the determinant is exp of the integral
of the divergence along the orbit, which is integrated beside it as a second method.

A constrained flow need not be symplectic (Patrick, section 4.2):
F_t^* omega - omega = d alpha_t, where alpha_t gathers the work of the constraint force on variations that leave the
constraints. Two ways to it: the matrix of the flow from the variational equations, and the integral of the rate
d beta with beta = i_X omega - dE, pulled back by the flow. On pairs of directions where it vanishes for all t the flow
is symplectic; by Proposition 4.1 that is so on a holonomic subsystem.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, expect
from dalembert.expr.calculus import define, jacobian
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.forms import Form, d, interior
from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.kinds import Point
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.linearise import flow
from dalembert.numerics.simulate import simulate
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_CLOSED = 1e-6
_STRETCH = "stretch"
"""The variable that collects the divergence."""


@dataclass(frozen=True, slots=True, eq=False)
class VolumeChange(Shown):
    """The linearised flow once around a closed orbit."""

    period: float
    matrix: Array
    determinant: float
    by_divergence: float
    """exp of the integral of the divergence, the same number by Liouville's formula."""
    gap: float
    """How far from its start the orbit ends, angles counted modulo a full turn, quaternions up to their sign."""

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
    signs = _signs(equations, ends)
    gap = max(_apart(q, first, signs[q] * last) for q, (first, last) in ends.items())
    if gap > _CLOSED:
        raise ExpressionError(f"the orbit does not close after this time: it ends {gap:.3g} away from its start.")
    matrix = np.array(
        [[signs[q] * float(run[_tangent(i, k).data.label][-1]) for k in range(size)] for i, q in enumerate(state)]
    )
    return VolumeChange(
        float(run.t[-1] - run.t[0]),
        matrix,
        float(np.linalg.det(matrix)),
        math.exp(float(run[_STRETCH][-1])),
        gap,
    )


def _signs(equations: Equations, ends: Mapping[Expr, tuple[float, float]]) -> dict[Expr, int]:
    """Return -1 for quaternions that end nearer to the other sign of their begin: q and -q are one rotation.

    That is so where the equations do not know the sign: where rates have none of their own.
    """
    signs = dict.fromkeys(ends, 1)
    rates = equations.rates()
    for name in dict.fromkeys(w.data.name.rpartition(".")[0] for w in equations.turning):
        whole = Point(name, "rotation").components
        if not ends.keys() >= set(whole) or sum(ends[q][0] * ends[q][1] for q in whole) >= 0:
            continue
        turned = substitute(list(rates.values()), {q: -q for q in whole})
        gaps = [a - (-b if v in whole else b) for (v, b), a in zip(rates.items(), turned, strict=True)]
        if vanish(gaps):
            signs |= dict.fromkeys(whole, -1)
    return signs


def _apart(coordinate: Expr, begin: float, end: float) -> float:
    """Return the distance of two values, of an angle modulo a full turn."""
    step = end - begin
    return abs(math.remainder(step, 2 * math.pi)) if coordinate.data.domain == "angle" else abs(step)


# -- symplecticity ---------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False)
class SymplecticDefect(Shown):
    """d alpha_t = F_t^* omega - omega along a motion, as matrices in the coordinates (q, u)."""

    run: Trajectory
    matrices: Array
    """Rows, columns, times."""
    disagreement: float
    """The largest difference of the two methods, beside the largest entry of omega."""

    def on(self, left: Sequence[float], right: Sequence[float]) -> Array:
        """Return d alpha_t on two directions at the start, over time."""
        found: Array = np.einsum("i,ijt,j->t", np.array(left, float), self.matrices, np.array(right, float))
        return found

    def claims(self, tolerance: float = 1e-6) -> list[Claim]:
        """Return what was measured: that both methods agree, and whether the flow is symplectic along this motion.

        Numbers refute nothing: where the flow is not symplectic, that is what is stated.
        """
        size = float(np.max(np.abs(self.matrices)))
        said = f"the largest entry of F_t^* omega - omega is {size:.1e} up to t = {self.run.t[-1]:g}."
        apart = f"they differ by {self.disagreement:.1e} of the largest entry of omega."
        sign = "=" if size < tolerance else "!="
        meet = Verdict("measured" if self.disagreement < tolerance else "undecided", apart)
        return [
            Claim(
                f"flow is {'not ' * (sign != '=')}symplectic",
                f"F_t^* omega {sign} omega along this motion",
                "question",
                Verdict("measured", said),
            ),
            Claim("defect by two methods", "F_t^* omega - omega is the integral of F_s^* d beta", "check", meet),
        ]


def symplectic_defect(
    result: SemiHamiltonian, start: Mapping[Any, Any] | None = None, time: Any = None, samples: int = 801, **more: Any
) -> SymplecticDefect:
    """Return F_t^* omega - omega along a motion, by both methods.

    >>> from dalembert import System, derive
    >>> ramp = System.of(name="ramp", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z",
    ...     constraints={"c": "z' = x*x'"})
    >>> found = symplectic_defect(derive(ramp, "semisymplectic"), {"x": 1, "z": 0.5}, time=1, samples=101)
    >>> [claim.verdict.kind for claim in found.claims()]
    ['measured', 'measured']
    """
    expect(result, SemiHamiltonian, "symplectic_defect takes what 'semisymplectic' derived")
    odd = samples + 1 - samples % 2
    plain = replace(result, equations=result.motion.in_coordinates)  # the form is by these velocities
    run, matrices = flow(plain, start, time, samples=odd, **more)
    manifold, energy = result.manifold, result.energy
    beta = interior(result.field, manifold.form) - d(energy, manifold.chart)
    omega, rate = (_along(form, result, run, more) for form in (manifold.form, d(beta)))
    pulled = np.einsum("kit,klt,ljt->ijt", matrices, omega, matrices)
    defect = pulled - omega[:, :, :1]
    steady = np.einsum("kit,klt,ljt->ijt", matrices, rate, matrices)
    total = _integrated(steady, run.t)
    scale = float(np.max(np.abs(omega)))
    apart = float(np.max(np.abs(defect[:, :, ::2] - total))) / scale
    return SymplecticDefect(run, defect, apart)


def _along(form: Form, result: SemiHamiltonian, run: Trajectory, more: Mapping[str, Any]) -> Array:
    """Return the matrix of a 2-form at the times of a run."""
    chart = form.chart
    parameters = {p: float(v) for p, v in result.system.defaults.items()}
    given = more.get("values") or {}
    parameters |= {p: float(given[p.data.label]) for p in parameters if p.data.label in given}
    point: dict[Expr, Any] = {**parameters, **{x: run[x.data.label] for x in chart.coordinates}}
    found = np.zeros((chart.dimension, chart.dimension, len(run)))
    pairs = list(form.terms)
    bodies = define([form.terms[pair] for pair in pairs], result.system.definitions)
    for (i, j), value in zip(pairs, evaluate(bodies, Floats(point)), strict=True):
        found[i, j] = value
        found[j, i] = -np.asarray(value)
    return found


def _integrated(values: Array, t: Array) -> Array:
    """Return the integral up to every second time, by Simpson's rule on equal steps."""
    step = (t[-1] - t[0]) / (len(t) - 1)
    panels = (values[:, :, :-2:2] + 4 * values[:, :, 1:-1:2] + values[:, :, 2::2]) * step / 3
    begin = np.zeros((*values.shape[:2], 1))
    found: Array = np.concatenate([begin, np.cumsum(panels, axis=2)], axis=2)
    return found
