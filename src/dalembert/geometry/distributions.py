"""Distributions: subspaces of each tangent space, by the fields that span them or the 1-forms that annihilate them.

Adapted coordinates are dependent (index a) and independent ones (alpha): the distribution is spanned by
Z_alpha = d_alpha + B^a_alpha d_a and annihilated by eta^a = dq^a - B^a_alpha dq^alpha. The curvature is
Delta(X, Y) = -nu[X, Y], the part of the bracket that leaves the distribution; on Z_alpha, Z_beta it is -R^a_alpha,beta
with R^a_alpha,beta = Z_alpha(B^a_beta) - Z_beta(B^a_alpha).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.truth import Fact, Verdict, all_hold, generic_rank, is_constant, is_zero, never_zero, vanishing
from dalembert.expr.walk import evaluate, symbols
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.forms import Form
from dalembert.geometry.growth import derived_flag, growth_vector
from dalembert.records import dataclass

__all__ = [
    "Distribution",
    "choose_dependent",
    "curvature",
    "curvature_forms",
    "derived_flag",
    "expanded_determinant",
    "growth_vector",
    "involutive",
]


_FEW = 220
"""Up to so many choices of columns are all looked at."""
_FIRST_POINTS = 4
"""At so many points first, and at all of them what is not seen to vary and to change its sign there."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution in adapted form.

    ``dependent`` are the positions of the coordinates whose velocities the others give; ``slopes[a][alpha]`` is
    B^a_alpha. Where ``determinant`` vanishes, this choice of dependent coordinates fails.
    """

    chart: Chart
    dependent: tuple[int, ...]
    coefficients: tuple[tuple[Expr, ...], ...]
    determinant: Expr = ONE

    def __post_init__(self) -> None:
        """Refuse slopes that do not fit the coordinates."""
        if any(not 0 <= a < self.chart.dimension for a in self.dependent) or len(set(self.dependent)) < len(
            self.coefficients
        ):
            raise ExpressionError(f"the dependent coordinates are different positions below {self.chart.dimension}.")
        if len(self.coefficients) != len(self.dependent) or any(len(row) != self.rank for row in self.coefficients):
            raise ExpressionError(
                f"the coefficients must be {len(self.dependent)} rows of {self.rank}, one for each direction."
            )

    @classmethod
    def from_forms(
        cls, chart: Chart, rows: Sequence[Sequence[Operand]], dependent: Sequence[int] | None = None
    ) -> Distribution:
        """Return the distribution annihilated by 1-forms, dependent coordinates chosen where they are not given.

        >>> from dalembert.expr import symbol
        >>> x, y, z = (symbol(n) for n in "xyz")
        >>> D = Distribution.from_forms(Chart.of(x, y, z), [[-y, 0, 1]])
        >>> D.dependent, D.coefficients
        ((2,), ((y, 0),))
        """
        forms = [[as_expr(entry) for entry in row] for row in rows]
        if any(len(row) != chart.dimension for row in forms):
            raise ExpressionError(f"a 1-form on {chart.dimension} coordinates needs as many components.")
        if not forms:
            return cls(chart, (), ())
        chosen = choose_dependent(forms) if dependent is None else tuple(dependent)
        if len(chosen) != len(forms):
            raise ExpressionError(f"{len(forms)} constraints give as many velocities, not {len(chosen)}.")
        square = [[row[a] for a in chosen] for row in forms]
        determinant = expanded_determinant(square)
        if dependent is not None and is_zero(determinant).holds:
            names = ", ".join(repr(chart.coordinates[a]) for a in chosen)
            raise ExpressionError(f"the constraints do not give the velocities of {names}; choose other coordinates.")
        independent = [i for i in range(chart.dimension) if i not in chosen]
        columns = [solve(square, [-row[i] for row in forms]) for i in independent]
        slopes = tuple(tuple(column[k] for column in columns) for k in range(len(chosen)))
        return cls(chart, chosen, slopes, determinant)

    @classmethod
    def from_fields(cls, fields: Sequence[VectorField]) -> Distribution:
        """Return the distribution spanned by fields, which must be independent at generic points."""
        if not fields:
            raise ExpressionError("no fields are given to span the distribution; state its 1-forms instead.")
        chart = fields[0].chart
        rows = [field.components for field in fields]
        independent = _best_columns(rows, "fields")
        dependent = tuple(i for i in range(chart.dimension) if i not in independent)
        square = [[row[i] for i in independent] for row in rows]
        # B^a . (components on the independent coordinates) = component a, for every field
        slopes = tuple(tuple(solve(square, [row[a] for row in rows])) for a in dependent)
        return cls(chart, dependent, slopes, expanded_determinant(square))

    @property
    def independent(self) -> tuple[int, ...]:
        """The positions of the independent coordinates."""
        return tuple(i for i in range(self.chart.dimension) if i not in self.dependent)

    @property
    def rank(self) -> int:
        """The dimension of the subspaces."""
        return self.chart.dimension - len(self.dependent)

    @property
    def fields(self) -> tuple[VectorField, ...]:
        """The basis Z_alpha = d_alpha + B^a_alpha d_a."""
        q = self.chart.coordinates
        return tuple(
            VectorField.of(
                self.chart, {q[i]: ONE} | {q[a]: self.coefficients[k][n] for k, a in enumerate(self.dependent)}
            )
            for n, i in enumerate(self.independent)
        )

    @property
    def forms(self) -> tuple[tuple[Expr, ...], ...]:
        """The annihilating forms eta^a = dq^a - B^a_alpha dq^alpha, by components."""
        rows = []
        for k, a in enumerate(self.dependent):
            row = [ZERO] * self.chart.dimension
            row[a] = ONE
            for n, i in enumerate(self.independent):
                row[i] = -self.coefficients[k][n]
            rows.append(tuple(row))
        return tuple(rows)

    def leaving(self, field: VectorField) -> tuple[Expr, ...]:
        """Return nu(X) = eta^a(X): how a field leaves the distribution, zero where it lies in it."""
        x = field.components
        result = []
        for k, a in enumerate(self.dependent):
            part = x[a]
            for n, i in enumerate(self.independent):
                part = part - self.coefficients[k][n] * x[i]
            result.append(part)
        return tuple(result)


def choose_dependent(forms: Sequence[Sequence[Expr]]) -> tuple[int, ...]:
    """Choose dependent coordinates: with a determinant that is constant, else never zero, else only generically so.

    Among equals the last coordinates win, as the habit is to write what is to be eliminated last.
    """
    width = len(forms[0])
    turned = [list(reversed(row)) for row in forms]
    return tuple(sorted(width - 1 - i for i in _best_columns(turned, "constraints")))


def _best_columns(rows: Sequence[Sequence[Expr]], what: str) -> tuple[int, ...]:
    """Return columns whose determinant is constant, else never zero, else only generically so; the first ones win.

    A look at some points in floating point says which determinants are worth a proof: there may be hundreds of them.
    Where columns are many and some make a triangle of constants, there is nothing to look for: their product is it.
    """
    many = comb(len(rows[0]), len(rows)) > _FEW
    greedy, triangle = _greedy(rows) if many else (None, False)
    if greedy is not None and triangle:
        return greedy
    rank = generic_rank(rows)
    if rank.rank < len(rows):
        raise ExpressionError(f"{len(rows)} {what}, but only {rank.rank} of them are independent at a generic point.")
    candidates = ([] if greedy is None else [greedy]) if many else list(combinations(range(len(rows[0])), len(rows)))
    if not candidates:
        return rank.columns
    looks = _looks(rows, candidates)
    for wanted in ("constant", "never zero"):
        for columns, look in zip(candidates, looks, strict=True):
            if wanted in look:
                square = [[row[i] for i in columns] for row in rows]
                proved = _is_constant if wanted == "constant" else _is_never_zero
                if generic_rank(square).rank == len(rows) and proved(expanded_determinant(square)):
                    return columns
    return rank.columns


def _looks(rows: Sequence[Sequence[Expr]], candidates: Sequence[tuple[int, ...]], points: int = 24) -> list[set[str]]:
    """Return what determinants look like at some points: ``constant``, ``never zero``, both, or neither."""
    import numpy as np

    draw = np.random.default_rng(7)
    flat = [entry for row in rows for entry in row]
    values = {}
    for one in sorted(symbols(flat), key=lambda s: s.label):
        sign = -1 if one.domain == "negative" else 1
        free = draw.uniform(0.2, 2.5, 1 if one.role == "parameter" else points) * np.ones(points)
        values[symbol(one)] = sign * free * (draw.choice([-1, 1], points) if one.domain in {"real", "angle"} else 1)
    try:
        found = evaluate(flat, Floats(values))
    except EvaluationError:  # an unspecified function: then nothing can be seen, and anything may be
        return [{"constant", "never zero"}] * len(candidates)
    seen = np.stack([np.broadcast_to(value, points) for value in found], axis=-1).reshape(points, len(rows), -1)
    looks: list[set[str]] = [set() for _ in candidates]
    left, chosen = np.arange(len(candidates)), np.array(candidates)
    open_ = ~np.isfinite(seen).all(axis=(0, 1))[chosen].all(axis=1)  # a root or a pole somewhere: anything may be
    for few in (_FIRST_POINTS, points):  # most are seen to be neither at the first
        with np.errstate(all="ignore"):
            sizes = np.linalg.det(np.moveaxis(seen[:few][:, :, chosen[left]], 2, 0))
            unknown = ~np.all(np.isfinite(sizes), axis=1)
            still = unknown | (np.ptp(sizes, axis=1) < 1e-6 * np.max(np.abs(sizes), axis=1))
            one_sign = unknown | (np.min(sizes, axis=1) > 0) | (np.max(sizes, axis=1) < 0)
        if few == points:
            for k, *pair in zip(left, still, one_sign, strict=True):
                looks[k] = {name for name, yes in zip(("constant", "never zero"), pair, strict=True) if yes}
        left = left[still | one_sign | open_[left]]
    return looks


def _greedy(rows: Sequence[Sequence[Expr]]) -> tuple[tuple[int, ...] | None, bool]:
    """Return columns, one after the other, where a single row is left with an entry that never vanishes, or None.

    With them comes whether all these entries, the diagonal of a triangle, are constants that are not zero.
    """
    left = set(range(len(rows)))
    chosen: dict[int, Expr] = {}
    constants = 0
    for good in (_is_constant, _is_never_zero):
        for i in range(len(rows[0])):
            here = [r for r in left if rows[r][i] is not ZERO]
            if i not in chosen and len(here) == 1 and good(rows[here[0]][i]):
                left.discard(here[0])
                chosen[i] = rows[here[0]][i]
        constants = constants or len(chosen)
    if left:
        return None, False
    return tuple(sorted(chosen)), constants == len(rows) and not any(vanishing(list(chosen.values())))


def _is_constant(entry: Expr) -> bool:
    return entry.op == "number" or is_constant(entry)


def _is_never_zero(entry: Expr) -> bool:
    return never_zero(entry).kind == "proved"


def expanded_determinant(square: Sequence[Sequence[Expr]]) -> Expr:
    """Return a determinant row by row without division, sharing minors; the emptiest rows first, as they make few."""
    size = len(square)
    order = sorted(range(size), key=lambda k: sum(entry is not ZERO for entry in square[k]))
    minors: Mapping[tuple[int, ...], Expr] = {(): ONE}
    for k in order:
        step: dict[tuple[int, ...], list[tuple[int, Expr]]] = {}
        for columns, minor in minors.items():
            for j in range(size):
                if j not in columns and square[k][j] is not ZERO:
                    sign = (-1) ** sum(1 for c in columns if c > j)
                    step.setdefault(tuple(sorted((*columns, j))), []).append((sign, square[k][j] * minor))
        minors = {columns: total(parts) for columns, parts in step.items()}
    swaps = sum(1 for a, b in combinations(order, 2) if a > b)
    determinant = minors.get(tuple(range(size)), ZERO)
    return -determinant if swaps % 2 else determinant


def curvature(distribution: Distribution) -> dict[tuple[int, int], tuple[Expr, ...]]:
    """Return Delta on pairs of basis fields: -nu[Z_alpha, Z_beta], one component for each dependent coordinate."""
    fields = distribution.fields
    result = {}
    for i, j in combinations(range(len(fields)), 2):
        result[i, j] = tuple(-n for n in distribution.leaving(bracket(fields[i], fields[j])))
    return result


def curvature_forms(distribution: Distribution) -> tuple[Form, ...]:
    """Return Delta as a 2-form with values in TQ/D, by its components Delta^a along the classes of d_a.

    On fields X, Y in the distribution Delta(X, Y) = -nu[X, Y]; on others it takes the parts along it first. So it is
    the d of the annihilating forms, restricted: Delta^a = -1/2 R^a_alpha,beta dq^alpha ^ dq^beta.
    """
    places = distribution.independent
    values = curvature(distribution)
    return tuple(
        Form.of(distribution.chart, 2, {(places[i], places[j]): parts[k] for (i, j), parts in values.items()})
        for k in range(len(distribution.dependent))
    )


def involutive(distribution: Distribution, facts: Sequence[Fact] = (), *, effort: float = 0.0) -> Verdict:
    """Decide whether brackets of fields in the distribution stay in it: whether the constraints are holonomic.

    >>> from dalembert.expr import symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> involutive(Distribution.from_forms(Chart.of(x, y, z), [[-y, 0, 1]])).kind
    'refuted'
    >>> involutive(Distribution.from_forms(Chart.of(x, y, z), [[-y, -x, 1]])).holds
    True
    """
    names = [repr(q) for q in distribution.chart.coordinates]
    independent = [names[i] for i in distribution.independent]
    dependent = [names[a] for a in distribution.dependent]
    verdicts = {}
    for (i, j), parts in curvature(distribution).items():
        for name, part in zip(dependent, parts, strict=True):
            said = f"the bracket of the directions {independent[i]} and {independent[j]}, along {name}"
            verdicts[said] = is_zero(part, facts, effort=effort)
            if verdicts[said].holds is False:  # one is enough, and a witness for each would take long
                return all_hold(verdicts)
    return all_hold(verdicts)
