"""Invariant measures of the reduced motion of a Chaplygin system (003, section 7).

With respect to omega^n the reduced field has the divergence -h, h = beta_e q'^e. A positive function k is the density
of an invariant volume k omega^n where X(ln k) = h (21). Theorem 7.5: for pure kinetic energy a smooth positive density
on all of T(Q/G) exists if and only if the 1-form beta is exact on the base; then k = exp(f) with beta = df. With a
potential the same holds for densities that depend on the base only, and nothing more is claimed. With respect to dq dq'
the density is k det(g~).

Invariant measures of a reduced Chaplygin system, by the names of the JSON, with what is decided (003, section 7).

``divergence_form`` has the 1-form beta and its periods, ``density`` the record of densities, ``integrability``
integrals and the last multiplier, ``hamiltonisation`` the new time, ``theorems`` the theorems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

from dalembert.errors import DalembertError, ExpressionError, Fault
from dalembert.expr.field import tidy
from dalembert.expr.graph import Constant, Expr, symbol
from dalembert.expr.linear import determinant
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, is_zero, vanish
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.constants import written_out
from dalembert.geometry.potentials import exponential
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.connections.propositions import LARGEST_BASE
from dalembert.mechanics.chaplygin.hamiltonisation import (
    ConformalFactor,
    Hamiltonisation,
    conformal_factor,
    hamiltonise,
    reduced_field,
)
from dalembert.mechanics.chaplygin.measure.divergence_form import Loop, MeasureForm, expanded_determinant, measure_form
from dalembert.mechanics.chaplygin.measure.integrability import (
    LastIntegral,
    find_integrals,
    independent_integrals,
    last_integral,
)
from dalembert.mechanics.chaplygin.measure.integrals_above import integrals_above
from dalembert.mechanics.chaplygin.reduction import ChaplyginReduction
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.system import System
from dalembert.records import dataclass


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
    above: Callable[[], Sequence[Expr]] = tuple
    """What is known of the full motion on the reduced space; asked where too few integrals are found here."""

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
        known = [*given, *(i for i in found if i.expression not in self.integrals)]
        if len(independent_integrals(known, self.base)) < 2 * self.base.dimension - 2:
            more = [FirstIntegral(f, is_zero(field(f), self.base.facts), "of the full motion") for f in self.above()]
            fresh = independent_integrals([*known, *(i for i in more if i.verdict.holds)], self.base)
            known += [i for i in fresh if i not in known]
        return tuple(known)

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


# -- of a reduced system, by the names of the JSON -------------------------------------------------------------
_SECONDS = 0.3


def measure_of(reduction: ChaplyginReduction, loops: Sequence[Loop] = ()) -> Measure | None:
    """Return the measure side of a reduction, or None where the theory does not apply; ``why_no_measure`` says why.

    Beside ``loops`` those of ``[bundle]`` go around holes of the domain.
    """
    base = reduction.affine_base
    if base is None or why_no_measure(reduction):
        return None
    around = (*stated_loops(reduction.system), *loops)
    return Measure(base, around, reduction.system.defaults, above=partial(integrals_above, reduction))


def stated_loops(system: System) -> list[Loop]:
    """Return the loops of ``[bundle]``; ``ExpressionError`` where one does not close."""
    now, along = symbol(TIME), symbol(Symbol("time of a loop"))
    stated = system.bundle.loops if system.bundle is not None else {}
    return [
        Loop(name, along, dict(zip(curve, substitute(list(curve.values()), {now: along}), strict=True)))
        for name, curve in stated.items()
    ]


def loop_faults(system: System, base: Sequence[Expr]) -> list[Fault]:
    """Return what is wrong with the loops of ``[bundle]``: they lie in the base and close."""
    names = ", ".join(r.data.label for r in base)
    faults = [
        Fault(f"[bundle] loops {name}", f"'{q.data.label}' is not a base coordinate", f"they are {names}")
        for name, curve in (system.bundle.loops if system.bundle is not None else {}).items()
        for q in curve
        if q not in base
    ]
    try:
        stated_loops(system)
    except ExpressionError as error:
        faults.append(Fault("[bundle] loops", str(error).removesuffix("."), "t runs from 0 to 2*pi"))
    return faults


def why_no_measure(reduction: ChaplyginReduction) -> str:
    """Say why nothing is decided on measures of a reduced system; nothing where something is."""
    if reduction.metric is None or not vanish(reduction.forces):
        return "the theorem is for L = T - V without other forces."
    if reduction.base.dimension > LARGEST_BASE:
        return f"it is looked at up to {LARGEST_BASE} base coordinates; there are {reduction.base.dimension}."
    return ""


def measure_objects(reduction: ChaplyginReduction, known: Measure | None = None) -> dict[str, object]:
    """Return the objects of section 7 by the names of the JSON: nothing where the theory does not apply.

    What lives on the cover of the base only is said to: by ``periods`` that are not zero, and by the claims.
    """
    measure = known or measure_of(reduction)
    if measure is None:
        return {}
    try:
        return _objects(measure)
    except ExpressionError:  # the theorems say why
        return {}


def _objects(measure: Measure) -> dict[str, object]:
    beta, base = measure.beta, measure.base
    names = [q.data.label for q in base.chart.coordinates]
    last = measure.find_last_integral()
    integrals = [i.expression for i in measure.find_integrals()]
    if last is not None and last.independent.holds:
        integrals.append(last.expression)
    return {
        "log_density_rate": beta.rate,
        "measure_form": {name: beta.form.component(e) for e, name in enumerate(names)},
        "periods": {period.loop.name: period.value for period in beta.periods if period.value is not None},
        "density": measure.density,
        "liouville_density": measure.liouville_density,
        "conformal_factor": measure.conformal.function,
        "hamiltonisation": None if measure.hamiltonisation is None else _shown(measure.hamiltonisation),
        "first_integrals": integrals,
    }


def _shown(found: Hamiltonisation) -> dict[str, object]:
    """Return the new time, momenta, Hamiltonian and bracket; ``time_factor`` is N in d tau = N dt."""
    names = [z.data.label for z in (*found.base.chart.coordinates, *found.base.velocities)]
    momenta = [p.data.label for p in found.momenta]
    return {
        "time_factor": found.factor,
        "momenta": dict(zip(momenta, found.momentum_values, strict=True)),
        "hamiltonian": tidy(found.hamiltonian, _SECONDS),
        "bracket": {
            name: {other: written_out(entry) for other, entry in zip(names, row, strict=True)}
            for name, row in zip(names, found.bracket, strict=True)
        },
        "on_cover": found.on_cover,
    }
