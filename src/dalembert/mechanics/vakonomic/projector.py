"""The Main Hypothesis, the fields N_a, the projector on admissible variations and its adjoint (Garcia, Rodrigo; 2).

With the momentum forms Omega_f = df/dq' and Euler operators E_f of the constraints, N_a on admissible curves obey

    Omega_f^a(N_b) = 0,    E_f^a(N_b) = delta^a_b                                        (8)
    P(D) = D - D^(1)(f^a) N_a                                                            (9)
    P+(E) = E + lambda_a E_f^a - lambda_a' Omega_f^a,    lambda_a = -E(N_a)              (11)
    <P(D), E> = <D, P+(E)> + d/dt (lambda_a Omega_f^a(D))                                (12)

Theorem 2.1 is the first variation formula (6) with (12) for E = E_L; Remark 1 says that D - P(D) lies in ker Omega_f.

The 2k rows of (8) have to be independent. That needs dim Q >= 2k, and one more where all constraints are linear and
homogeneous, and the same at all times: then Omega_f(q') = f = 0 and E_f(q') = 0 on the constraint. With time in f
E_f(q') = -df/dt there, which need not vanish. N is free up to ker(Omega_f, E_f), and singular where all minors of size
2k vanish.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import jacobian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import determinant, solve_exactly
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Facts, Verdict, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.expr.work import Budget
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.nonholonomic.constraint_manifold import ConstraintManifold
from dalembert.mechanics.vakonomic.densities import Density, any_field, density
from dalembert.model.system import System
from dalembert.records import dataclass

_MOST_NODES = 200
"""Larger matrices are not solved in written-out form,"""
_MOST_WRITTEN = 400
"""and larger solutions are not kept in it: solve nodes are shorter then."""
_MOST_MINORS = 60
_ATTEMPTS = 20
_SMALL = 1e-9
_LEAST = 0.02
_SECONDS = 0.6
"""For writing the minors short."""


@dataclass(frozen=True, slots=True)
class MainHypothesis:
    """Whether fields N_a exist, at a generic point of the constraint."""

    rank: int | None
    """Of the 2k rows Omega_f, E_f; None where the count alone decides."""
    verdict: Verdict
    densities: tuple[Density, ...]
    """The constraints as densities."""


def rows_of(densities: Sequence[Density]) -> list[list[Expr]]:
    """Return the rows of (8): the momentum forms, then the Euler operators."""
    return [*(list(f.momenta[0]) for f in densities), *(list(f.euler) for f in densities)]


def main_hypothesis(system: System, manifold: ConstraintManifold) -> MainHypothesis:
    """Decide the Main Hypothesis by the rank of (8) on admissible curves, or by the count alone.

    >>> from dalembert.mechanics.nonholonomic.constraint_manifold import constraint_manifold
    >>> plane = System.of(name="plane", coordinates="x y", lagrangian="x'^2 + y'^2", constraints={"c": "y' = x*x'"})
    >>> print(main_hypothesis(plane, constraint_manifold(plane)).verdict)
    refuted: 1 constraint, linear and homogeneous, needs dim Q >= 2*1 + 1 = 3, and dim Q is 2.
    """
    densities = tuple(density(c.expression, system.q, 1) for c in system.constraints.values())
    n, k = len(system.q), len(densities)
    kinds = {system.kind_of(name) for name in system.constraints}
    stated = [f.function for f in densities]
    linear = kinds <= {"linear", "holonomic"} and not depends_on(stated, [symbol(TIME)])
    linear = linear and vanish(substitute(stated, dict.fromkeys(system.v, ZERO)))
    short_of = _too_few(n, k, linear=linear)
    if short_of is not None:
        return MainHypothesis(None, short_of, densities)
    flat = [entry for row in rows_of(densities) for entry in row]
    flat = Facts.of(system.facts).apply(_on_constraint(manifold, flat))
    rank, verdict, count = _by_rank([flat[i : i + n] for i in range(0, len(flat), n)], n, k)
    if verdict.holds and manifold.unknowns:
        verdict = _measured(manifold, flat, count)
    return MainHypothesis(rank, verdict, densities)


def main_hypothesis_by_rows(rows: Sequence[Sequence[Expr]], *, linear: bool, facts: Sequence[Fact]) -> MainHypothesis:
    """Decide the same of rows Omega_f, then E_f, by velocities that need not be those of coordinates."""
    n, k = len(rows[0]), len(rows) // 2
    short_of = _too_few(n, k, linear=linear)
    if short_of is not None:
        return MainHypothesis(None, short_of, ())
    rank, verdict, _ = _by_rank(rows, n, k, facts)
    return MainHypothesis(rank, verdict, ())


def _too_few(n: int, k: int, *, linear: bool) -> Verdict | None:
    """Return why there is no room for the fields N, if there is none."""
    needed, sort = (2 * k + 1, ", linear and homogeneous,") if linear else (2 * k, "")
    if n >= needed:
        return None
    who = f"{k} constraints{sort} need" if k > 1 else f"1 constraint{sort} needs"
    least = f"2*{k}{' + 1' if linear else ''} = {needed}"
    return Verdict("refuted", f"{who} dim Q >= {least}, and dim Q is {n}.")


def _by_rank(
    rows: Sequence[Sequence[Expr]], n: int, k: int, facts: Sequence[Fact] = ()
) -> tuple[int | None, Verdict, str]:
    """Return the rank of (8), what it says, and its beginning in words."""
    try:
        found = generic_rank(rows, facts)
    except ExpressionError as error:
        return None, Verdict("undecided", f"the rank of (8) was not found: {error}"), ""
    count = f"the {2 * k} rows Omega_f, E_f have rank {found.rank} in dim Q = {n} at a generic point"
    if found.rank < 2 * k:
        why = f"{count} of the constraint: {found.verdict.evidence}"
        return found.rank, Verdict("refuted", why, found.verdict.error_bits), count
    verdict = Verdict(found.verdict.kind, f"{count} of the constraint.", found.verdict.error_bits)
    return found.rank, verdict, count


def _measured(manifold: ConstraintManifold, flat: Sequence[Expr], count: str) -> Verdict:
    """Look at the rows at one point of a constraint that is not solved for velocities, by Newton's method."""
    system, n = manifold.system, len(manifold.system.q)
    residuals = [c.expression for c in system.constraints.values()]
    residuals += [time_derivative(f) for f in residuals]
    loose = [*manifold.unknowns, *(v.dot for v in manifold.unknowns)]
    others = sorted(symbols([*flat, *residuals]) - {v.data for v in loose}, key=lambda s: s.label)
    slopes = [entry for row in jacobian(residuals, loose) for entry in row]
    draw = np.random.default_rng(2004)
    for _ in range(_ATTEMPTS):
        point = {symbol(s): float(draw.uniform(0.2, 0.9)) for s in others} | dict.fromkeys(loose, 0.5)
        try:
            for _ in range(_ATTEMPTS):
                values, lines = (np.array(evaluate(e, Floats(point)), float) for e in (residuals, slopes))
                step = np.linalg.solve(lines.reshape(len(loose), -1), values)
                point |= {v: point[v] - s for v, s in zip(loose, step, strict=True)}
            rows = np.array(evaluate(flat, Floats(point)), float).reshape(-1, n)
            sizes = np.linalg.svd(rows, compute_uv=False)
        except (EvaluationError, np.linalg.LinAlgError):
            continue
        if np.max(np.abs(values)) < _SMALL and np.min(sizes) > _SMALL * np.max(sizes) > 0:
            ratio = np.min(sizes) / np.max(sizes)
            return Verdict(
                "measured", f"{count}; at a point of the constraint, least to largest singular value {ratio:.1g}."
            )
    return Verdict("undecided", f"{count} of the velocities, but no point of the constraint was found that shows it.")


def _on_constraint(manifold: ConstraintManifold, expressions: Sequence[Expr]) -> list[Expr]:
    """Put q' and q'' on the constraint, where it is solved for velocities."""
    if manifold.unknowns:
        return list(expressions)
    system = manifold.system
    put = {system.v[a]: manifold.velocities[a] for a in manifold.dependent}
    rates = [time_derivative(manifold.velocities[a]) for a in manifold.dependent]
    put |= {system.v[a].dot: r for a, r in zip(manifold.dependent, substitute(rates, put), strict=True)}
    return substitute(expressions, put)


@dataclass(frozen=True, slots=True)
class Projector:
    """P and P+ as differential operators on fields and covectors along admissible curves."""

    system: System
    densities: tuple[Density, ...]
    normal_fields: tuple[tuple[Expr, ...], ...]
    """N_a, functions of t, q, q', q''."""
    kernel: tuple[tuple[Expr, ...], ...]
    """A basis of ker(Omega_f, E_f): the freedom of N; P is the identity on it (Remark 2)."""

    def rates(self, field: Sequence[Expr]) -> list[Expr]:
        """Return D^(1)(f^a): zero for all a where the field is an admissible variation."""
        return [f.change(field) for f in self.densities]

    def apply(self, field: Sequence[Expr]) -> list[Expr]:
        """Return P(D) = D - D^(1)(f^a) N_a, of components that are any functions along the curve (9)."""
        rates = self.rates(field)
        return [
            total([(1, x), *((-1, r * normal[i]) for r, normal in zip(rates, self.normal_fields, strict=True))])
            for i, x in enumerate(field)
        ]

    def multipliers(self, covector: Sequence[Expr]) -> list[Expr]:
        """Return lambda_a = -E(N_a)."""
        return [-dot(covector, normal) for normal in self.normal_fields]

    def adjoint(self, covector: Sequence[Expr]) -> list[Expr]:
        """Return P+(E) = E + lambda_a E_f^a - lambda_a' Omega_f^a (11)."""
        found = self.multipliers(covector)
        rates = [time_derivative(one) for one in found]
        return joined(covector, self.densities, found, rates)

    # -- theorems: of an arbitrary field and covector along any curve ----------------------------------------------
    def is_idempotent(self, proofs: ProofBudget) -> Verdict:
        """Decide P^2 = P."""
        once = self.apply(self._any_field("D"))
        pairs = zip(self.system.q, self.apply(once), once, strict=True)
        parts = {f"the component along {q.data.name}": a - b for q, a, b in pairs}
        return proofs.all_vanish(parts, self.system.facts)

    def is_admissible(self, proofs: ProofBudget) -> Verdict:
        """Decide whether P(D) is an admissible variation."""
        allowed = self.apply(self._any_field("D"))
        parts = {f"the constraint {n}": f.change(allowed) for n, f in self._stated()}
        return proofs.all_vanish(parts, self.system.facts)

    def commutes(self, proofs: ProofBudget) -> Verdict:
        """Decide <P(D), E> = <D, P+(E)> + d/dt (lambda_a Omega_f^a(D)) (12)."""
        field, covector = self._any_field("D"), self._any_field("E")
        lost = dot(self.apply(field), covector) - dot(field, self.adjoint(covector))
        return proofs.is_zero(lost - time_derivative(self._at_the_ends(field, covector)), self.system.facts)

    def varies(self, proofs: ProofBudget) -> Verdict:
        """Decide the first variation formula of L on P(D), by P+(E_L) and what is left at the ends (Theorem 2.1)."""
        assert self.system.lagrangian is not None
        field, one = self._any_field("D"), density(self.system.lagrangian, self.system.q)
        allowed = self.apply(field)
        ends = one.boundary(allowed) + self._at_the_ends(field, one.euler)
        right = dot(field, self.adjoint(one.euler)) + time_derivative(ends)
        return proofs.is_zero(one.change(allowed) - right, self.system.facts)

    def completes(self, proofs: ProofBudget) -> Verdict:
        """Decide whether D - P(D) is a variation as d'Alembert has it: both kinds together span all (Remark 1)."""
        field = self._any_field("D")
        rest = [x - y for x, y in zip(field, self.apply(field), strict=True)]
        parts = {f"the constraint {n}": dot(f.momenta[0], rest) for n, f in self._stated()}
        return proofs.all_vanish(parts, self.system.facts)

    def _stated(self) -> Iterator[tuple[str, Density]]:
        return zip(self.system.constraints, self.densities, strict=True)

    def _at_the_ends(self, field: Sequence[Expr], covector: Sequence[Expr]) -> Expr:
        """Return lambda_a Omega_f^a(D) with lambda_a = -E(N_a)."""
        return dot(self.multipliers(covector), [dot(f.momenta[0], field) for f in self.densities])

    def _any_field(self, letter: str) -> tuple[Expr, ...]:
        return any_field(self.system.q, letter, self.system.vocabulary)


def joined(
    covector: Sequence[Expr], densities: Sequence[Density], multipliers: Sequence[Expr], rates: Sequence[Expr]
) -> list[Expr]:
    """Return E + lambda_a E_f^a - lambda_a' Omega_f^a."""
    found = []
    for i, e in enumerate(covector):
        terms = [(1, e)]
        for f, one, rate in zip(densities, multipliers, rates, strict=True):
            terms += [(1, one * f.euler[i]), (-1, rate * f.momenta[0][i])]
        found.append(total(terms))
    return found


def projector(system: System, hypothesis: MainHypothesis) -> Projector | None:
    """Return the projector, or None where the Main Hypothesis does not hold."""
    if hypothesis.verdict.holds is not True:
        return None
    rows, k = rows_of(hypothesis.densities), len(hypothesis.densities)
    units = [[ONE if a == b else ZERO for a in range(k)] for b in range(k)]
    small = len(postorder([e for row in rows for e in row])) <= _MOST_NODES
    fields, kernel = (_written_out(rows, units) if small else None) or _by_solving(rows, units)
    return Projector(system, hypothesis.densities, tuple(fields), tuple(kernel))


def _written_out(
    rows: list[list[Expr]], units: list[list[Expr]]
) -> tuple[list[tuple[Expr, ...]], list[tuple[Expr, ...]]] | None:
    """Return N and the kernel as fractions, or None where they would be too large."""
    fields, kernel = [], []
    try:
        for unit in units:
            found = solve_exactly(rows, [*[ZERO] * len(unit), *unit])
            if found.particular is None:
                return None
            fields.append(tuple(found.particular))
            kernel = [tuple(vector) for vector in found.null_space]
    except ExpressionError:
        return None
    return (fields, kernel) if len(postorder([e for one in (*fields, *kernel) for e in one])) <= _MOST_WRITTEN else None


def _by_solving(
    rows: list[list[Expr]], units: list[list[Expr]]
) -> tuple[list[tuple[Expr, ...]], list[tuple[Expr, ...]]]:
    """Return N and the kernel as values of solve nodes, on the columns of a minor that does not vanish."""
    n, columns = len(rows[0]), generic_rank(rows).columns
    square = [[row[j] for j in columns] for row in rows]

    def spread(values: Sequence[Expr], more: dict[int, Expr]) -> tuple[Expr, ...]:
        placed = {**dict(zip(columns, values, strict=True)), **more}
        return tuple(placed.get(j, ZERO) for j in range(n))

    fields = [spread(solve(square, [*[ZERO] * len(unit), *unit]), {}) for unit in units]
    free = [j for j in range(n) if j not in columns]
    kernel = [spread(solve(square, [-row[j] for row in rows]), {j: ONE}) for j in free]
    return fields, kernel


def singular_set(one: Projector) -> list[Expr]:
    """Return functions that all vanish where no N exists: the minors of (8), short; none where they are too many."""
    rows = rows_of(one.densities)
    n, size = len(rows[0]), len(rows)
    if comb(n, size) > _MOST_MINORS or len(postorder([e for row in rows for e in row])) > _MOST_NODES:
        return []
    found: list[Expr] = []
    budget = Budget(_SECONDS)
    try:
        for columns in combinations(range(n), size):
            minor = determinant([[row[j] for j in columns] for row in rows])
            left = budget.left / 2
            minor = tidy(minor, left) if left > _LEAST else minor
            if not vanish([minor]) and minor not in found and -minor not in found:
                found.append(minor)
    except ExpressionError:
        return []
    return found
