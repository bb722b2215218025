"""Nonholonomic against vakonomic: both sets of equations, both motions from one start, and when they coincide.

With the velocities of the dependent coordinates q'^a = g^a(t, q, u) and lambda_a the multipliers of q'^a - g^a, motions
differ by the curvature C^a_alpha of the constraints:

    Hess(Lbar) (u'_vakonomic - u'_nonholonomic) = C^a_alpha lambda_a.

So a motion is both if and only if C^a_alpha lambda_a = 0 along it. Under the Main Hypothesis that is so only where it
is a motion of L without any constraint (Garcia, Rodrigo; Remark 1); where the constraints are involutive C vanishes,
and every motion of one is a motion of the other. For constraints of any kind the same is said by lambda_a E_f^a(w) on
the directions w that df/dq' annihilates: E_L(w) = -lambda_a E_f^a(w) along vakonomic motions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert.analysis.agreement import explained, grown
from dalembert.errors import EvaluationError, Fault, expect
from dalembert.expr.calculus import define, hessian, jacobian
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import evaluate, substitute
from dalembert.geometry.distributions import involutive
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.nonholonomic import general_constraints, linear_constraints
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.mechanics.vakonomic import restricted_variations, vakonomic
from dalembert.mechanics.vakonomic.initial_data import initial_jets
from dalembert.mechanics.vakonomic.restricted_variations import HigherOrderMotion
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic
from dalembert.model.claim import Claim
from dalembert.model.parts import NO_TIME
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.simulate import simulate
from dalembert.records import dataclass
from dalembert.shown import Shown


@dataclass(frozen=True, slots=True, eq=False)
class Motions(Shown):
    """Both motions from the same start, sampled at the same times."""

    t: Array
    nonholonomic: Trajectory
    vakonomic: Trajectory
    distance: Array
    """Of the coordinates, as numbers, at each time."""
    by_coordinate: Mapping[str, Array]
    """Vakonomic less nonholonomic."""
    force: Array
    """The largest of C^a_alpha lambda_a along the vakonomic motion: where it is zero, both are one."""
    same: bool | None
    """Whether they stay as close as errors explain; None where one of them ended before."""
    claim: Claim
    """What was measured: that they are the same, or that they are not."""


@dataclass(frozen=True, slots=True)
class Comparison(Shown):
    """Both formalisms on one system."""

    system: System
    nonholonomic: Nonholonomic | ConstrainedMotion | HigherOrderMotion
    vakonomic: Vakonomic
    force: tuple[Expr, ...]
    """C^a_alpha lambda_a by independent coordinate, in the vakonomic state; lambda_a E_f^a(w) in general."""
    claims: tuple[Claim, ...]

    def side_by_side(self) -> dict[str, dict[str, Expr]]:
        """Return the equations of both, by coordinate: each expression, set to zero, with the constraints.

        Multipliers have the same names on both sides and do not mean the same: minus the rate of the vakonomic one
        plays the part of the nonholonomic one.
        """
        several = self.vakonomic.formulations
        names = [q.data.name for q in self.system.q]
        forced = []
        for i, e in enumerate(several.lagrangian.euler):
            terms = [
                (1, one * f.momenta[0][i]) for one, f in zip(several.multipliers, several.constraints, strict=True)
            ]
            forced.append(total([(1, e), *terms]))
        return {
            "nonholonomic": dict(zip(names, forced, strict=True)),
            "vakonomic": dict(zip(names, several.equations(), strict=True)),
        }

    def motions(
        self,
        start: Mapping[str, Any] | None = None,
        time: float | None = None,
        *,
        values: Mapping[str, float] | None = None,
        samples: int = 201,
        engine: str = "native",
        tolerance: float = 1e-12,
    ) -> Motions:
        """Return both motions from one start; multipliers that are not given are zero, in the vakonomic one only.

        ``start`` has coordinates, velocities, and multipliers by constraint or costates ``p.x``, as in [start].
        """
        told = dict(start or {})
        found = self.vakonomic.initial_state(told, values, stated=True)
        here = {v: found[v] for v in (*self.vakonomic.equations.state, *self.vakonomic.equations.implicit)}
        end = _time(self.system, time)
        options: dict[str, Any] = {"values": values, "samples": samples, "engine": engine, "tolerance": tolerance}
        mine = simulate(self.vakonomic.equations, here, end, **options)
        jets = initial_jets(self.vakonomic.formulations, told, values, stated=True)
        source: Any = self.nonholonomic
        if self.system.order > 1:
            source = source.equations
            jets = {v: jets[v] for v in (*source.state, *source.implicit)}
        other = simulate(source, jets, end, **options)
        sources = (self.vakonomic.equations, source)
        return _measured(self, sources, mine, other, dict(values or {}))


def compare(system: System) -> Comparison:
    """Return both formalisms on a system, and what ties them.

    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "x'*sin(phi) = y'*cos(phi)"})
    >>> [(claim.name, claim.verdict.holds) for claim in compare(skate).claims]
    [('difference', True), ('remark 1', True), ('involutive', False), ('every motion', False)]
    """
    expect(system, System, "compare takes a system")
    if system.points:
        what = (
            f"'{system.points[0].name}' is a {system.points[0].kind}, and both are compared in coordinates of a chart"
        )
        raise refusal("compare", [Fault("[coordinates]", what, "state it by angles")])
    if system.lagrangian is not None and system.order > 1 and system.constraints:
        return _compare_any(system, restricted_variations.derive(system.but(virtual=None)))
    if any(system.kind_of(name) == "nonlinear" for name in system.constraints):
        return _compare_any(system, general_constraints.derive(system))
    dalembert, variational = linear_constraints.derive(system), vakonomic.derive(system)
    force = _force(dalembert, variational)
    shown = tuple(variational.form.state(force))
    claims = (
        _difference(dalembert, variational, force),
        _remark_1(variational),
        Claim("involutive", "the constraints are involutive", "question", _involutive(dalembert)),
        Claim(
            "every motion",
            "every vakonomic motion is nonholonomic: C^a_alpha lambda_a = 0 for all states and multipliers",
            "question",
            all_vanish({f"along {q.data.name}": f for q, f in zip(_free(dalembert), shown, strict=True)}, system.facts),
        ),
    )
    return Comparison(system, dalembert, variational, shown, claims)


def _compare_any(system: System, dalembert: ConstrainedMotion | HigherOrderMotion) -> Comparison:
    """Return the same for constraints and orders of any kind: by lambda_a E_f^a on the directions that they leave."""
    variational = vakonomic.derive(system)
    form, several = variational.form, variational.formulations
    multipliers = dict(zip(several.multipliers, form.multipliers, strict=True))
    force, work = [], []
    for w in dalembert.virtual:
        pulls = [
            (1, m * e * x)
            for m, f in zip(multipliers, several.constraints, strict=True)
            for e, x in zip(f.euler, w, strict=True)
        ]
        force.append(total(pulls))
        work.append(dot(several.lagrangian.euler, w))
    here = substitute([*force, *work], {**form.jets, **multipliers})
    shown = form.on_motions(here)
    pairs = list(zip(shown[: len(force)], shown[len(force) :], strict=True))
    law = all_vanish({f"the direction {k + 1}": a + b for k, (a, b) in enumerate(pairs)}, system.facts)
    said = "E_L(w) = -lambda_a E_f^a(w) along vakonomic motions, for all w that df/dq' annihilates"
    always = all_vanish({f"the direction {k + 1}": a for k, (a, _) in enumerate(pairs)}, system.facts)
    every = "every vakonomic motion is nonholonomic: lambda_a E_f^a(w) = 0 for all states and multipliers"
    claims = (
        Claim("difference", said, "check", law),
        _remark_1(variational),
        Claim("every motion", every, "question", always),
    )
    return Comparison(system, dalembert, variational, tuple(form.state(here[: len(force)])), claims)


def _free(result: Nonholonomic) -> list[Expr]:
    return [result.system.q[i] for i in result.distribution.independent]


def _force(left: Nonholonomic, right: Vakonomic) -> list[Expr]:
    """Return C^a_alpha lambda_a, lambda_a = lambda_f df/dq'^a, in state and unknowns of the Hamiltonian form."""
    dependent = [left.system.v[a] for a in left.distribution.dependent]
    slopes = jacobian([f.function for f in right.formulations.constraints], dependent)
    single = [
        total([(1, one * row[k]) for one, row in zip(right.form.multiplier_names, slopes, strict=True)])
        for k in range(len(dependent))
    ]
    columns = zip(*left.constraint_curvature, strict=True)
    return [dot(column, single) for column in columns]


def _difference(left: Nonholonomic, right: Vakonomic, force: list[Expr]) -> Claim:
    """Check the law: the Hessian of Lbar on the difference of accelerations is C^a_alpha lambda_a."""
    system, form = left.system, right.form
    u = [q.dot for q in _free(left)]
    put = {system.v[a]: left.in_coordinates.kinematics[system.q[a]] for a in left.distribution.dependent}
    moved = [form.flow[v] - a for v, a in zip(u, left.acceleration, strict=True)]
    mass = hessian(left.constrained_lagrangian, u)
    defects = {
        f"the acceleration of {v.data.name}": total([(-1, f), *((1, h * m) for h, m in zip(row, moved, strict=True))])
        for v, row, f in zip(u, mass, force, strict=True)
    }
    given = dict(zip(form.last, form.momenta, strict=True))
    values = substitute(substitute(list(defects.values()), given), put)
    verdict = all_vanish(dict(zip(defects, values, strict=True)), system.facts)
    said = "Hess(Lbar) (u'_vakonomic - u'_nonholonomic) = C^a_alpha lambda_a: a motion is both where this is zero"
    return Claim("difference", said, "check", verdict)


def _remark_1(result: Vakonomic) -> Claim:
    """Remark 1 rests on the Main Hypothesis, and is as sure as that is."""
    said = "a curve is critical for both problems only where it is critical for L alone (Remark 1)"
    hypothesis = result.decide_main_hypothesis().verdict
    if hypothesis.holds is True:
        why = f"the variations of both problems together are all variations, as the Main Hypothesis holds: {hypothesis}"
        return Claim("remark 1", said, "question", Verdict(hypothesis.kind, why, hypothesis.error_bits))
    why = f"the Main Hypothesis fails, and Remark 1 with it, in general: {hypothesis.evidence}"
    return Claim("remark 1", said, "question", Verdict("undecided", why))


def _involutive(result: Nonholonomic) -> Verdict:
    """Decide it by the curvature, which knows of drifts and of time as well."""
    at_rest = not depends_on([b for row in result.distribution.coefficients for b in row], [symbol(TIME)])
    if at_rest and vanish(result.drift, result.system.facts):
        return involutive(result.distribution)
    names = [q.data.name for q in result.system.q]
    return all_vanish(
        {
            f"C of {names[a]} along {names[i]}": c
            for a, row in zip(result.distribution.dependent, result.constraint_curvature, strict=True)
            for i, c in zip(result.distribution.independent, row, strict=True)
        },
        result.system.facts,
    )


# -- motions -------------------------------------------------------------------------------------------------
def _time(system: System, time: float | None) -> Any:
    if time is not None:
        return time
    if system.run.time is None or system.run.time.value is None:
        raise EvaluationError(NO_TIME)
    return float(system.run.time.value)


def _measured(
    comparison: Comparison, sources: tuple[Any, Any], mine: Trajectory, other: Trajectory, values: dict[str, float]
) -> Motions:
    size = min(len(mine), len(other))  # where one of them came to an end before
    times = mine.t[:size]
    apart = {q.data.name: mine[q.data.name][:size] - other[q.data.name][:size] for q in comparison.system.q}
    distance = np.sqrt(sum(a**2 for a in apart.values()))
    scale = 1 + max(float(np.max(np.abs(other[name][:size]))) for name in apart)
    pairs = [grown(source, run, times, list(apart)) for source, run in zip(sources, (mine, other), strict=True)]
    growth, error = (np.nan_to_num(np.fmax.accumulate(np.fmax(*both)), nan=0.0) for both in zip(*pairs, strict=True))
    allowed = scale * explained(float(mine.provenance["tolerance"]), 1 + growth, error)
    force = _along(comparison, mine, values)[:size]
    where = (
        f"the largest distance that was seen on this run is {float(np.max(distance)):.1e}, and C lambda "
        f"{float(np.nanmax(force)):.1e}; small differences grow {float(growth[-1]):.2g} times, so that errors explain "
        f"a distance of {float(allowed[-1]):.1e}."
    )
    same: bool | None = bool(np.all(distance <= allowed))
    said, verdict = "both motions from this start are the same", Verdict("measured", where)
    if not same:
        said = "the motions from this start are different"
    elif len(mine) != len(other):
        short = min((mine, other), key=len)
        same = None
        verdict = Verdict("undecided", f"{where} But one of them ended at t = {short.t[-1]:g}: {short.message}")
    return Motions(times, other, mine, distance, apart, force, same, Claim("same motion", said, "question", verdict))


def _along(comparison: Comparison, run: Trajectory, values: dict[str, float]) -> Array:
    """Return the largest of C^a_alpha lambda_a at each time."""
    system, equations = comparison.system, comparison.vakonomic.equations
    table: dict[Expr, Any] = {p: values.get(p.data.name, float(v)) for p, v in system.defaults.items()}
    table |= {v: run[v.data.label] for v in (*equations.state, *equations.implicit)}
    table[symbol(TIME)] = run.t
    with np.errstate(divide="ignore", invalid="ignore"):  # where the chart of the constraints ends C is no number
        found = evaluate(define(list(comparison.force), system.definitions), Arrays(table))
    rows = [np.abs(np.broadcast_to(np.asarray(f, dtype=np.float64), run.t.shape)) for f in found]
    return np.asarray(np.max(np.array(rows), axis=0), dtype=np.float64)
