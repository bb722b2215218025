"""How far a constrained flow is from being symplectic, along one motion (Patrick, section 4.2).

F_t^* omega - omega = d alpha_t, where alpha_t gathers the work of the constraint force on variations that leave the
constraints. Two ways to it: the matrix of the flow from the variational equations, and the integral of the rate
d beta with beta = i_X omega - dE, pulled back by the flow. On pairs of directions where it vanishes for all t the flow
is symplectic; by Proposition 4.1 that is so on a holonomic subsystem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.errors import expect
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr
from dalembert.expr.readers import Floats
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import evaluate
from dalembert.geometry.forms import Form, d, interior
from dalembert.mechanics.semisymplectic.semisymplectic import SemiHamiltonian
from dalembert.model.claim import Claim
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.linearise import flow

__all__ = ["SymplecticDefect", "symplectic_defect"]


@dataclass(frozen=True, slots=True, eq=False)
class SymplecticDefect:
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
