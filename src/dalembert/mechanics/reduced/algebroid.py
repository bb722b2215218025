"""The equations of (r', xi) under constraints of any kind: what is left of a system once its group is divided out.

Velocities are w = (r'^a, xi^i) with brackets C_ij^k of the xi alone, and l(t, r, a, w) may depend on parameters a that
are moved by the xi, a'^m = rho_i^m(a) xi^i (they are advected). The principle of Lagrange and d'Alembert is

    W (dp/dt - F) = 0,    p = dl/dw,    F_a = dl/dr^a + Q_a,    F_i = C_ji^k xi^j p_k + rho_i^m dl/da^m + Q_i

at the velocities w = V(t, r, a, u) that are allowed, with W = dV/du (Chetaev) or displacements of [virtual]: Hamel's
equations, Euler and Poincare's where there is no r, Lagrange and Poincare's where there are no constraints, Suslov's
where these are linear in xi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import dot
from dalembert.model.system import System
from dalembert.records import dataclass, field


@dataclass(frozen=True, slots=True)
class InvariantSystem:
    """Lagrangian, constraints and forces by (t, r, r', xi), and the brackets of the xi."""

    system: System
    base: tuple[Expr, ...]
    """R."""
    algebra: LieAlgebra
    xi: tuple[Expr, ...]
    lagrangian: Expr
    """L(t, r, a, r', xi)."""
    constraints: Mapping[str, Expr]
    forces: tuple[Expr, ...]
    """Along r and xi."""
    keeps_names: bool = False
    """Whether the xi have names of the user's, to be kept where they are free."""
    advected: Mapping[Expr, tuple[Expr, ...]] = field(default_factory=dict)
    """Rho^m_i(a): how each advected parameter is moved by the xi."""
    virtual: tuple[Expr, ...] = ()
    """Functions linear in r' and xi whose zeros are the virtual displacements, where these are not Chetaev's."""

    @property
    def velocities(self) -> tuple[Expr, ...]:
        """W = (r', xi)."""
        return (*(r.dot for r in self.base), *self.xi)

    def pulls(self, momenta: Sequence[Expr]) -> list[Expr]:
        """Return F by (t, r, a, w), given p."""
        size = len(self.base)
        turned = [dot(row, momenta[size:]) for row in self.algebra.coad(self.xi)]
        slopes = gradient(self.lagrangian, list(self.advected))
        moved = [
            total([(1, rho[i] * slope) for rho, slope in zip(self.advected.values(), slopes, strict=True)])
            for i in range(len(self.xi))
        ]
        along = [*gradient(self.lagrangian, list(self.base)), *(t + m for t, m in zip(turned, moved, strict=True))]
        return [pull + push for pull, push in zip(along, self.forces, strict=True)]

    def carried(self, velocities: Sequence[Expr]) -> dict[Expr, Expr]:
        """Return the rates of time, r and a at velocities w."""
        size = len(self.base)
        moved = {a: dot(rho, velocities[size:]) for a, rho in self.advected.items()}
        return {**dict(zip(self.base, velocities[:size], strict=True)), **moved, symbol(TIME): ONE}
