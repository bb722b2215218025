"""The audit of a motion: what should be constant, how constant it is; what should vanish, how small it is.

Which monitors are conserved is decided exactly, from the equations. How well a trajectory keeps them is measured, and
said as a ``measured`` claim with its bound and its run; a number is never dressed up as a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from dalembert.analysis.constants import constants
from dalembert.errors import WrongKind, expect
from dalembert.expr import truth
from dalembert.expr.calculus import define, tangent
from dalembert.expr.graph import ONE, Expr, product, symbol, total
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME
from dalembert.expr.truth.verdict import Verdict
from dalembert.expr.walk import evaluate
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations, equations_and_system
from dalembert.model.kinds import Point
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.numerics.field import all_rates
from dalembert.numerics.forms import equations_followed
from dalembert.numerics.simulate import wording_of
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

_MOST_STEPS = 400
"""The dense output is differentiated in at most this many steps, evenly chosen."""
_NODES = {"taylor": 27}
"""How many places within a step determine its polynomial; 11 where nothing else is said."""

_ROUNDING = 1e-9
"""What is this part of its largest term may be 0."""
_NOTHING: Final = 1e-6
"""Terms that are this part of those of other quantities are looked into,"""
_TERMS: Final = 500
"""up to so many."""


@dataclass(frozen=True, slots=True)
class Drift(Shown):
    """How far a quantity moved from its first value."""

    name: str
    first: float
    absolute: float
    """The largest distance from the first value."""
    scale: float
    """The largest term that it is the sum of, anywhere along the motion."""
    conserved: Verdict
    """Whether it is a constant of the motion, decided exactly."""

    @property
    def relative(self) -> float:
        """The drift in terms of the largest term."""
        return self.absolute / self.scale if self.scale else self.absolute

    @property
    def numbers(self) -> dict[str, float]:
        """What was measured, by name; not a number where the quantity has no value."""
        return {"first": self.first, "absolute": self.absolute, "relative": self.relative}

    @property
    def shown(self) -> tuple[str, str, str]:
        """The same in words, for a table."""
        if not math.isfinite(self.first):
            return "no value", "", ""
        return f"{self.first + 0.0:.6g}", f"{self.absolute:.1e}", f"{self.relative:.1e}"


@dataclass(frozen=True, slots=True)
class Audit(Shown):
    """What was measured along a motion."""

    drifts: tuple[Drift, ...]
    residuals: Mapping[str, float]
    """The largest residual of each constraint on the differentiated dense output."""
    defect: float | None
    """How far the differentiated dense output is from obeying the equations, relative to the rates; None without it."""
    claims: tuple[Claim, ...]

    @property
    def conserved(self) -> tuple[Drift, ...]:
        """The drifts of what is a constant of the motion."""
        return tuple(d for d in self.drifts if d.conserved.holds is True)

    @property
    def worst(self) -> float:
        """The largest relative drift of a constant of the motion."""
        return max((drift.relative for drift in self.conserved), default=0.0)

    def to_json(self) -> dict[str, Any]:
        """Return the audit for programs."""
        return {
            "drifts": {
                d.name: {
                    **{key: value if math.isfinite(value) else None for key, value in d.numbers.items()},
                    "conserved": d.conserved.kind,
                    **({"why": d.conserved.evidence} if d.conserved.kind == "undecided" else {}),
                }
                for d in self.drifts
            },
            "constraint_residuals": dict(self.residuals),
            "defect": self.defect,
            "claims": [claim.to_json() for claim in self.claims],
        }


@np.errstate(all="ignore")  # what is not finite is said in the claims
def audit(run: Trajectory, result: Any, integrals: Mapping[str, Expr] | None = None) -> Audit:
    """Return what a trajectory keeps and how well, given the result (or plain equations) it was simulated from.

    ``integrals`` are further functions of t, q, q', known or hoped to be constant.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> from dalembert.model.system import System
    >>> from dalembert.numerics.simulate import simulate
    >>> fall = derive(System.of(name="fall", coordinates="z", parameters={"g": 2}, lagrangian="z'^2/2 - g*z"))
    >>> measured = audit(simulate(fall, {"z": 1}, 3), fall)
    >>> [claim.name for claim in measured.claims], measured.worst < 1e-12
    (['drift of energy', 'equations'], True)
    """
    expect(run, Trajectory, "audit takes a motion")
    first, system = equations_and_system(result, "audit")
    if "values" not in run.provenance:
        raise WrongKind("audit needs a motion with the values of its parameters, as simulate returns.")
    equations = equations_followed(first, run)
    _refuse_other_motion(run, equations, first)
    words = wording_of(equations, system, *_given(run))[0]
    wanted = {name: e for name, e in words.equations.monitors.items() if name in run.monitors}
    general = {name: e for name, e in equations.monitors.items() if name in wanted}
    for name, expression in (integrals or {}).items():
        label = name if name not in wanted else f"{name} (found)"
        wanted[label] = words.translated(expression)
        general[label] = NameResolver(equations, system).translated(expression)
    verdicts = constants(result, first, equations, system, general)
    known, parts = _values_and_scales(run, words, wanted)
    drifts = tuple(_drift(run, name, known[name], parts[name], verdicts[name]) for name in wanted)
    drifts = tuple(_exact(drift, general[drift.name], system) for drift in drifts)
    measured = [_drift_claim(drift, run) for drift in drifts if drift.conserved.holds is True]
    residuals: dict[str, float] = {}
    defect = None
    if run.dense is not None and run.knots.size > 1:
        residuals, defect = _differentiated(run, words)
        kinds = {point.relation: point for point in system.points} if system is not None else {}
        for name, size in residuals.items():
            told = _unit_claim(kinds[name], size, run) if name in kinds else _residual_claim(name, size, run)
            measured.append(told)
        measured.append(_defect_claim(defect, run))
    return Audit(drifts, residuals, defect, tuple(measured))


def run_of(run: Trajectory) -> str:
    """Return in words which run something was measured on."""
    told = run.provenance
    first, last = (run.knots[0], run.knots[-1]) if run.knots.size else (run.t[0], run.t[-1])
    return f"t = {first:g} to {last:g}, engine {told.get('engine', '?')}, tolerance {told.get('tolerance', 0.0):g}"


def _given(run: Trajectory) -> tuple[Any, Any]:
    """Return the values of parameters and functions of a run."""
    return run.provenance["values"], run.provenance["functions"]


def _refuse_other_motion(run: Trajectory, *allowed: Equations) -> None:
    """Refuse a motion of other equations, by the names of its rows."""
    if run.names not in [tuple(v.data.label for v in (*one.state, *one.reconstruction)) for one in allowed]:
        of = " ".join(str(run.provenance.get(key, "?")) for key in ("system", "formalism"))
        own = f"{allowed[0].system} {allowed[0].formalism}"
        raise WrongKind(f"this motion is of '{of}', not of the equations '{own}'.")


def _table(run: Trajectory, words: NameResolver) -> dict[Expr, Any]:
    """Return the values of everything that expressions of the equations may contain."""
    table: dict[Expr, Any] = {symbol(TIME): run.t}
    table |= {v: run[v.data.label] for v in words.variables}
    return table | {p: float(run.provenance["values"][p.data.name]) for p in words.equations.parameters}


def _values(run: Trajectory, words: NameResolver, expressions: list[Expr]) -> list[Array]:
    with np.errstate(all="ignore"):
        values = evaluate(expressions, Arrays(_table(run, words)))
    return [np.broadcast_to(np.asarray(v, dtype=np.float64), run.t.shape) for v in values]


# -- what is constant ------------------------------------------------------------------------------------------
def _drift(run: Trajectory, name: str, values: Array, scale: float, verdict: Verdict) -> Drift:
    """Return how far a monitor moved; what has no value somewhere is no constant, whatever its expression says."""
    if not np.isfinite(values).all():
        where = run.t[np.flatnonzero(~np.isfinite(values))[0]] if len(values) == len(run) else run.t[0]
        reason = f"it has no value on this motion, at t = {where:g} to begin with."
        return Drift(name, math.nan, math.nan, math.nan, Verdict("undecided", reason))
    first = float(values[0]) if values.size else 0.0
    absolute = float(np.max(np.abs(values - first), initial=0.0))
    return Drift(name, first, absolute, max(scale, float(np.max(np.abs(values), initial=0.0))), verdict)


def _exact(drift: Drift, expression: Expr, system: System | None) -> Drift:
    """Return a drift from 0 where that is what a constant is, and not what rounding leaves of it."""
    if drift.conserved.holds is not True or not 0 < abs(drift.first) <= _ROUNDING * drift.scale:
        return drift
    return replace(drift, first=0.0) if truth.vanish([expression], () if system is None else system.facts) else drift


def _values_and_scales(
    run: Trajectory, words: NameResolver, expressions: Mapping[str, Expr]
) -> tuple[dict[str, Array], dict[str, float]]:
    """Return the values of each expression, and the largest of its terms, all read in one pass.

    Where all terms of one are next to nothing beside those of others, as of a momentum that is zero and written as a
    product, products are written out.
    """
    terms = {name: _terms(one) for name, one in expressions.items()}
    several = iter(_values(run, words, [*expressions.values(), *(term for one in terms.values() for term in one)]))
    values = {name: next(several) for name in expressions}
    found = _largest_of(terms, several)
    most = max(found.values(), default=0.0)
    small = {name: _written_out(expressions[name]) for name, scale in found.items() if scale <= _NOTHING * most}
    again = iter(_values(run, words, [term for one in small.values() for term in one]) if small else [])
    return values, found | _largest_of(small, again)


def _largest_of(terms: Mapping[str, list[Expr]], values: Iterator[Array]) -> dict[str, float]:
    """Return the size of the largest of the terms of each name, whose values come one after the other."""
    return {name: max((_largest(next(values)) for _ in one), default=0.0) for name, one in terms.items()}


def _largest(values: Array) -> float:
    """Return the size of the largest of those values that are finite."""
    return float(np.max(np.abs(values[np.isfinite(values)]), initial=0.0))


def _terms(expression: Expr) -> list[Expr]:
    """Return what an expression is the sum of, sums within sums opened."""
    found: list[Expr] = []
    pending = [expression]
    while pending and len(found) < _TERMS:
        node = pending.pop()
        if node.op == "sum":
            pending += [total([(c, a)]) for c, a in zip(node.data[1], node.args, strict=True) if a.op != "sum"]
            pending += [a for a in node.args if a.op == "sum"]
            if len(node.args) == 1 and not node.data[0]:
                found.append(pending.pop())
        else:
            found.append(node)
    return found


def _written_out(expression: Expr) -> list[Expr]:
    """Return what an expression is the sum of when products of sums are written out, as far as these are few.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> sorted(map(str, _written_out(2 * x * (x - y))))
    ['-2*x*y', '2*x^2']
    """
    found: list[Expr] = []
    pending = _terms(expression)
    while pending and len(found) + len(pending) < _TERMS:
        node = pending.pop()
        inner = node.args[0] if node.op == "sum" and len(node.args) == 1 and not node.data[0] else node
        factors = _factors(inner)
        sums = [a for a, e in factors if a.op == "sum" and e == 1]
        if not sums:
            found.append(node)
            continue
        number = node.data[1][0] if inner is not node else 1
        rest = product([(a, e) for a, e in factors if a is not sums[0]])
        constant, numbers = sums[0].data
        pending += [number * constant * rest] if constant else []
        pending += [number * c * rest * a for c, a in zip(numbers, sums[0].args, strict=True)]
    return [*found, *pending]


def _factors(node: Expr) -> list[tuple[Expr, Any]]:
    """Return the factors of a product with their exponents, those of products in it too."""
    found, pending = list[tuple[Expr, Any]](), [(node, 1)] if node.op == "product" else []
    while pending:
        one, exponent = pending.pop()
        if one.op == "product" and exponent == 1:
            pending += zip(one.args, one.data, strict=True)
        else:
            found.append((one, exponent))
    return found


def _drift_claim(drift: Drift, run: Trajectory) -> Claim:
    share, moved = (
        f"to {drift.relative:.1e} of its largest term",
        f"moved by {drift.absolute:.2e} at the worst time looked at, which is",
    )
    moved += f" {drift.relative:.2e} of its largest term,"
    if not drift.absolute:
        share, moved = "to the last digit", "did not move at all"
    evidence = f"it {moved} over {run_of(run)}; that it is constant is {drift.conserved.kind}."
    verdict = _measured(drift.absolute + drift.scale, evidence, run)
    return Claim(f"drift of {drift.name}", f"{drift.name} is kept along this motion, {share}", "check", verdict)


def _measured(size: float, evidence: str, run: Trajectory) -> Verdict:
    """Return that something was measured, unless there were numbers that are not finite: these measure nothing."""
    if math.isfinite(size):
        return Verdict("measured", evidence)
    return Verdict("undecided", f"its values are not all finite over {run_of(run)}, so that nothing was measured.")


# -- the dense output, differentiated --------------------------------------------------------------------------
def _differentiated(run: Trajectory, words: NameResolver) -> tuple[dict[str, float], float]:
    """Return the residual of each constraint, and the defect of the equations, on the differentiated dense output.

    Within a step the dense output is a polynomial; its derivative is taken exactly, from its values at Chebyshev's
    places. In the state the constraints hold by construction, so this is where they could fail.
    """
    assert run.dense is not None
    times, slopes = _slopes(run)
    along = run.at(times)
    equations = words.equations
    variables = (*equations.state, *equations.reconstruction)
    table = _table(along, words)
    names = [symbol(f"rate {i}") for i in range(len(variables))]
    table |= dict(zip(names, slopes, strict=True))
    rates = list(all_rates(equations).values())
    with np.errstate(all="ignore"):
        exact = [np.broadcast_to(v, times.shape) for v in evaluate(rates, Arrays(table))]
    scale = 1 + max((float(np.max(np.abs(e), initial=0.0)) for e in exact), default=0.0)
    gaps = [float(np.max(np.abs(s - e), initial=0.0)) for s, e in zip(slopes, exact, strict=True)]
    defect = max(gaps, default=0.0) / scale
    system = words.system
    if system is None:
        return {}, defect
    meanings = [words.meaning(q.data) for q in system.q]
    known = [meaning for meaning in meanings if meaning is not None]
    if len(known) < len(meanings):
        return {}, defect
    moved = tangent(known, {**dict(zip(variables, names, strict=True)), symbol(TIME): ONE})
    constraints = define([c.expression for c in system.constraints.values()], dict(words.definitions))
    with np.errstate(all="ignore"):
        places = evaluate([*known, *moved], Arrays(table))
        there = table | dict(zip((*system.q, *(q.dot for q in system.q)), places, strict=True))
        values = evaluate(constraints, Arrays(there)) if constraints else []
    return {n: float(np.max(np.abs(v))) for n, v in zip(system.constraints, values, strict=True)}, defect


def _slopes(run: Trajectory) -> tuple[Array, Array]:
    """Return times within the steps, and the exact derivatives of the dense output there."""
    assert run.dense is not None
    knots = run.knots
    steps = np.array(sorted(set(np.linspace(0, knots.size - 2, min(knots.size - 1, _MOST_STEPS)).astype(int).tolist())))
    count = _NODES.get(str(run.provenance.get("engine")), 11)
    nodes = -np.cos(np.pi * (np.arange(count) + 0.5) / count)
    matrix = _differentiation(nodes)
    half = (knots[steps + 1] - knots[steps]) / 2
    times = (knots[steps] + half)[:, None] + half[:, None] * nodes[None, :]
    states = run.dense(times.ravel()).reshape(len(run.names), *times.shape)
    slopes = np.einsum("ij,vsj->vsi", matrix, states - states[:, :, :1]) / half[None, :, None]
    return times.ravel(), slopes.reshape(len(run.names), -1)


def _differentiation(nodes: Array) -> Array:
    """Return the matrix that takes values of a polynomial at places to its derivatives there."""
    gaps = nodes[:, None] - nodes[None, :]
    np.fill_diagonal(gaps, 1.0)
    weights = 1 / np.prod(gaps, axis=1)
    matrix = weights[None, :] / weights[:, None] / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return np.asarray(matrix)


def _residual_claim(name: str, size: float, run: Trajectory) -> Claim:
    evidence = f"the largest residual seen on the differentiated dense output is {size:.2e} over {run_of(run)}."
    verdict = _measured(size, evidence, run)
    return Claim(f"constraint {name}", f"the motion obeys the constraint '{name}', to {size:.1e}", "check", verdict)


def _unit_claim(point: Point, size: float, run: Trajectory) -> Claim:
    """Say how well a rotation or a direction keeps its length, which belongs to its kind and is no constraint."""
    along = run.at(run.knots)
    length = np.sqrt(sum(np.square(along[q.data.name]) for q in point.components))
    off = float(np.max(np.abs(length - 1)))
    evidence = (
        f"at the ends of steps its length differs from 1 by up to {off:.2e}, and the rate of the dense output leaves "
        f"the sphere by {size:.2e} at the worst place looked at, over {run_of(run)}."
    )
    said = f"{point.name} stays a {point.kind} along this motion, to {off:.1e}"
    return Claim(f"constraint {point.relation}", said, "check", _measured(off + size, evidence, run))


def _defect_claim(size: float, run: Trajectory) -> Claim:
    missed = f"the differentiated dense output misses the rates by {size:.2e} of them"
    evidence = f"at the worst place looked at {missed} over {run_of(run)}."
    said = f"the dense output satisfies the equations of motion; the largest sampled residual is {size:.1e} (relative)"
    return Claim("equations", said, "check", _measured(size, evidence, run))
