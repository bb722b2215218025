"""Invariant measures of the reduced motion of a Chaplygin system (003, section 7).

With respect to omega^n the reduced field has the divergence -h, h = beta_e q'^e. A positive function k is the density
of an invariant volume k omega^n where X(ln k) = h (21). Theorem 7.5: for pure kinetic energy a smooth positive density
on all of T(Q/G) exists if and only if the 1-form beta is exact on the base; then k = exp(f) with beta = df. With a
potential the same holds for densities that depend on the base only, and nothing more is claimed. With respect to dq dq'
the density is k det(g~).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.exponentials import exponential
from dalembert.expr.graph import Constant, Expr
from dalembert.expr.linear import determinant
from dalembert.expr.readers import Floats
from dalembert.expr.truth import Verdict, is_zero
from dalembert.expr.walk import evaluate
from dalembert.geometry.constants import written_out
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import (
    ConformalFactor,
    Hamiltonisation,
    conformal_factor,
    hamiltonise,
    reduced_field,
)
from dalembert.mechanics.chaplygin.measure.divergence_form import Loop, MeasureForm, expanded_determinant, measure_form
from dalembert.mechanics.chaplygin.measure.integrability import LastIntegral, find_integrals, last_integral
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral

__all__ = ["Measure"]


@dataclass(frozen=True)
class Measure:
    """What is known of invariant measures of a reduced motion.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> measure = Measure(base)
    >>> measure.density, measure.liouville_density
    (1/sqrt(y^2 + 1), sqrt(y^2 + 1))
    """

    base: AffineBase
    loops: tuple[Loop, ...] = ()
    """Closed curves around the holes of the domain, beside the circles of the angle coordinates."""
    values: Mapping[Expr, Constant] | None = None
    """Values of parameters and coordinates, for quadratures."""
    integrals: tuple[Expr, ...] = ()
    """Functions that are said to be first integrals; that is decided, and others are searched for."""

    @cached_property
    def beta(self) -> MeasureForm:
        """The 1-form beta with its verdicts."""
        return measure_form(self.base, self.loops, self.values)

    @cached_property
    def pure_kinetic(self) -> Verdict:
        """Whether the potential is constant."""
        return self.base.pure_kinetic()

    @cached_property
    def determinant(self) -> Expr:
        """det(g~): omega^n is a constant times it times dq dq'."""
        try:
            return determinant(self.base.metric)
        except ExpressionError:  # too large to be written in factors
            return expanded_determinant(self.base.metric)

    @cached_property
    def density(self) -> Expr | None:
        """K with respect to omega^n, in closed form; on the cover where beta is not exact."""
        return None if self.beta.potential is None else exponential(self.beta.potential)

    @cached_property
    def liouville_density(self) -> Expr | None:
        """K det(g~), with respect to dq dq'."""
        if self.density is None:
            return None
        return written_out(self.density * self.determinant)

    def log_density_at(self, point: Mapping[Expr, float], origin: Mapping[Expr, float]) -> float:
        """Return ln k at a point of the cover, zero at the origin: by the potential, or by quadrature along a segment.

        Both give values to all symbols that occur; on the cover angles are numbers. That beta is closed makes the way
        from origin to point indifferent.
        """
        if self.beta.potential is not None:
            there, here = (float(evaluate([self.beta.potential], Floats(at))[0]) for at in (point, origin))
            return there - here
        return _along_segment(self.beta, point, origin)

    @cached_property
    def conformal(self) -> ConformalFactor:
        """F of (18) and (19)."""
        return conformal_factor(self.base, self.beta)

    @cached_property
    def hamiltonisation(self) -> Hamiltonisation | None:
        """The motion in Hamiltonian form, where F is known in closed form."""
        try:
            return hamiltonise(self.base, self.conformal)
        except DalembertError:
            return None

    def find_integrals(self) -> tuple[FirstIntegral, ...]:
        """Return the integrals that are given, the energy, and what a quick search finds, which is done once."""
        return self._integrals

    def find_last_integral(self) -> LastIntegral | None:
        """Return one more integral by the last multiplier, where it can be integrated; simple ones are used first."""
        return self._last_integral

    @cached_property
    def _integrals(self) -> tuple[FirstIntegral, ...]:
        try:
            found = find_integrals(self.base, self.beta.rate, self.beta.potential)
        except ExpressionError:  # nobody asked for this search, so it is not an error that it is too large
            found = []
        field = reduced_field(self.base)
        given = [FirstIntegral(f, is_zero(field(f), self.base.facts), "given") for f in self.integrals]
        return (*given, *(i for i in found if i.expression not in self.integrals))

    @cached_property
    def _last_integral(self) -> LastIntegral | None:
        if self.beta.potential is None:
            return None
        kept = [i for i in self._integrals if i.verdict.holds]
        known = [i.expression for i in sorted(kept, key=lambda i: i.name == "energy")]  # it needs a root, so it is last
        density = written_out(exponential(self.beta.potential, locally=True) * self.determinant)
        try:
            return last_integral(self.base, density, known)
        except ExpressionError:  # nobody asked for it, so it is not an error that it is too large
            return None


def _along_segment(beta: MeasureForm, point: Mapping[Expr, float], origin: Mapping[Expr, float]) -> float:
    """Return the integral of beta along a segment, by Gauss and Legendre on ever shorter pieces."""
    import numpy as np

    coordinates = beta.form.chart.coordinates
    nodes, weights = np.polynomial.legendre.leggauss(12)
    steps = [point[q] - origin[q] for q in coordinates]
    fixed = {name: value for name, value in {**origin, **point}.items() if name not in coordinates}
    before, pieces = np.inf, 1
    while pieces <= 4_096:
        cuts = (np.arange(pieces)[:, None] + (nodes[None, :] + 1) / 2) / pieces
        on_way = {q: origin[q] + step * cuts.ravel() for q, step in zip(coordinates, steps, strict=True)}
        entries = evaluate([beta.form.component(e) for e in range(len(coordinates))], Floats({**fixed, **on_way}))
        rate = sum(step * np.broadcast_to(b, cuts.size) for step, b in zip(steps, entries, strict=True))
        value = float(np.dot(np.tile(weights, pieces), rate) / (2 * pieces))
        if abs(value - before) <= 1e-13 * (1 + abs(value)):
            return value
        before, pieces = value, 2 * pieces
    return value
