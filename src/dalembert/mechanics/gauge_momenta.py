"""Horizontal gauge momenta: conserved functions linear in velocities that come from a section of the algebra.

For a section xi(q) that lies in W, d/dt J_xi = <J, xi'> (Patrick, Theorem 5.3). Where that is J_xi times a 1-form on
the velocities, d/dt J_xi = beta(q') J_xi, and beta = dF along the motions, exp(-F) J_xi is conserved: the momentum of
the section exp(-F) xi, which is no element of the algebra.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import exp
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import one_form
from dalembert.geometry.potentials import potential
from dalembert.mechanics.nonlinear import ConstrainedMotion
from dalembert.mechanics.semisymplectic_symmetry import SemiSymplecticSymmetry
from dalembert.model.claim import Claim

__all__ = ["GaugeMomentum", "gauge_momenta"]


@dataclass(frozen=True, slots=True)
class GaugeMomentum:
    """exp(-F) J_xi, its section, and the check that it is conserved."""

    coefficients: tuple[Expr, ...]
    """The section exp(-F) xi, by generators."""
    momentum: Expr
    claim: Claim


def gauge_momenta(
    motion: ConstrainedMotion, symmetry: SemiSymplecticSymmetry, field: VectorField
) -> list[GaugeMomentum]:
    """Return the gauge momenta of single sections that lie in W, where the exponent integrates in closed form.

    >>> from dalembert.mechanics import semisymplectic
    >>> from dalembert.model.system import System
    >>> particle = System.of(name="particle", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"tilt": "z' = y*x'"}, symmetry={"e1": {"x": 1}, "e2": {"z": 1}})
    >>> half = semisymplectic.derive(particle)
    >>> [found.momentum for found in gauge_momenta(half.motion, half.symmetry, half.field)]
    [x'*sqrt(y^2 + 1)]
    """
    found = []
    for section in symmetry.sections:
        exponent = _exponent(motion, section.momentum, section.rate)
        if exponent is None:
            continue
        factor = exp(-exponent)
        momentum = tidy(factor * section.momentum)
        verdict = is_zero(field(factor * section.momentum), motion.system.facts)
        claim = Claim("gauge momentum", f"{momentum!r} is conserved", "check", verdict)
        found.append(GaugeMomentum(tuple(factor * c for c in section.coefficients), momentum, claim))
    return found


def _exponent(motion: ConstrainedMotion, momentum: Expr, rate: Expr) -> Expr | None:
    """Return F with rate = dF(q') momentum, where there is one."""
    if is_zero(momentum).holds is not False:
        return None
    speeds = list(motion.manifold.u)
    ratio = rate / momentum
    slopes = [tidy(slope) for slope in gradient(ratio, speeds)]
    if not _vanish([e for row in hessian(ratio, speeds) for e in row]):
        return None
    try:
        (rest,) = substitute([rate], dict.fromkeys(speeds, ZERO))
    except ExpressionError:
        return None
    if is_zero(rest).holds is not True:
        return None
    system = motion.system
    beta = [ZERO] * len(system.q)
    for i, slope in zip(motion.manifold.independent, slopes, strict=True):
        beta[i] = slope
    return potential(one_form(system.chart, beta))


def _vanish(parts: Sequence[Expr]) -> bool:
    return all(is_zero(part).holds is True for part in parts)
