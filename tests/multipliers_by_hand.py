"""Lagrange's equations with multipliers as plain linear algebra: M a + C^T l = f, C a = -c, read off a system's graph.

Nothing of the formalisms is used: only the Lagrangian, the constraints and NumPy.
"""

import numpy as np

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent, time_derivative
from dalembert.expr.graph import ONE, symbol
from dalembert.expr.symbols import TIME
from dalembert.numerics.field import Tape


class ByMultipliers:
    """Accelerations of a system with constraints on velocities, at numbers."""

    def __init__(self, system):
        self.system = system
        n, k = len(system.q), len(system.constraints)
        self.n, self.k = n, k
        v = list(system.v)
        slopes = gradient(system.lagrangian, v)
        drift = tangent(slopes, {**dict(zip(system.q, v, strict=True)), symbol(TIME): ONE})
        force = [a - b for a, b in zip(gradient(system.lagrangian, list(system.q)), drift, strict=True)]
        rows = [c.expression for c in system.constraints.values()]
        border = jacobian(rows, v)
        rest = tangent(rows, {**dict(zip(system.q, v, strict=True)), symbol(TIME): ONE})
        flat = [e for row in hessian(system.lagrangian, v) for e in row] + [e for row in border for e in row]
        self.parameters = [float(value) for value in system.defaults.values()]
        inputs = [symbol(TIME), *system.q, *v, *system.defaults]
        self._tape = Tape([*flat, *force, *rest, *rows], inputs)

    def __call__(self, t, q, v):
        """Return accelerations, and the residuals of the constraints."""
        n, k = self.n, self.k
        found = np.array(self._tape([t, *q, *v, *self.parameters]))
        mass, border = found[: n * n].reshape(n, n), found[n * n : n * n + k * n].reshape(k, n)
        force, rest, residual = np.split(found[n * n + k * n :], [n, n + k])
        whole = np.block([[mass, border.T], [border, np.zeros((k, k))]])
        return np.linalg.solve(whole, np.concatenate([force, -rest]))[:n], residual


__all__ = ["ByMultipliers", "time_derivative"]
