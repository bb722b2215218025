"""Abnormal extremals: admissible curves that carry a multiplier without the Lagrangian (Garcia, Rodrigo; section 2).

Along them lambda_a E_f^a - lambda_a' Omega_f^a = 0 for a lambda that is not zero: they are critical for every L as far
as the constraints can tell. On a given curve that is a linear system for lambda: k equations give lambda' = lambda A,
the others lambda K = 0, and with these lambda (A K + K') = 0, and so on. It has a solution that is not zero if and only
if the first k of these conditions have a rank below k.

Only such curves can be locally shortest that are abnormal with a lambda that obeys Goh's condition too,
lambda_a omega^a([X, Y]) = 0 for all fields X, Y of the distribution (of rank 2 it holds along every abnormal extremal),
and the generalised Legendre condition: the quadratic form v -> lambda_a omega^a([X_v, [X_u, X_v]]) keeps one sign, X_u
being the velocity (Agrachev, Sarychev).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, jacobian, partial_time
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import divisors, substitute, symbols
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.vakonomic.densities import density, on_curve
from dalembert.mechanics.vakonomic.legendre_condition import keeps_sign
from dalembert.mechanics.vakonomic.legendre_of_several import some_keeps_sign
from dalembert.model.claim import Claim
from dalembert.model.kinds import Point
from dalembert.model.system import System
from dalembert.records import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Abnormal:
    """Whether a curve is an abnormal extremal."""

    system: System
    dimension: int
    """Of the multipliers that the curve carries without the Lagrangian."""
    verdict: Verdict
    goh_dimension: int | None = None
    """Of those that obey Goh's condition; None where constraints are not linear in the velocities."""
    goh: Verdict = field(default_factory=lambda: Verdict("undecided", "constraints are not linear in the velocities."))
    """Whether there are some."""
    legendre: tuple[tuple[Expr, ...], ...] | None = None
    """The quadratic form of the generalised Legendre condition along the curve, by the velocities that stay free; of
    the multiplier with Goh's condition, up to a factor; where there are several, of one for which it keeps one sign."""
    one_sign: Verdict | None = None
    """Whether it keeps one sign."""

    @property
    def claim(self) -> Claim:
        """The answer as a claim."""
        return Claim("abnormal", "the curve is an abnormal extremal", "question", self.verdict)

    @property
    def claims(self) -> list[Claim]:
        """The answer, and what is known of the conditions of second order."""
        if self.verdict.holds is False:
            return [self.claim]
        said = "it is one with a multiplier that obeys Goh's condition, as every shortest curve does that is not normal"
        found = [self.claim, Claim("Goh", said, "question", self.goh)]
        if self.one_sign is None:
            return found
        which = "the quadratic form" if self.goh_dimension == 1 else "the quadratic form of one of its multipliers"
        said = f"the generalised Legendre condition holds: {which} keeps one sign"
        return [*found, Claim("Legendre", said, "question", self.one_sign)]


def abnormal(
    system: System, curve: Mapping[str, Operand], *, during: tuple[Operand, Operand] | None = None
) -> Abnormal:
    """Decide whether a curve, its coordinates given as functions of t, is an abnormal extremal of the constraints.

    The generalised Legendre condition is decided for all times, or for those ``during`` an interval.

    >>> from dalembert.expr import TIME, symbol
    >>> t = symbol(TIME)
    >>> martinet = System.of(name="martinet", coordinates="x y z", lagrangian="(x'^2 + y'^2)/2",
    ...                      constraints={"flat": "z' = x^2*y'"})
    >>> abnormal(martinet, {"x": 0, "y": t, "z": 0}).verdict.holds
    True
    >>> abnormal(martinet, {"x": 1, "y": t, "z": t}).verdict.holds
    False
    """
    path, span = _path(system, curve), _span(during)
    stated = [c.expression for name, c in system.constraints.items() if name not in system.units]
    densities = [density(f, system.q, 1) for f in stated]
    fields = _tangents(system, path)
    n, k = len(system.q) if fields is None else len(fields), len(densities)
    forms = _rows(on_curve([p for f in densities for p in f.momenta[0]], path), len(system.q), fields)
    pulls = _rows(on_curve([e for f in densities for e in f.euler], path), len(system.q), fields)
    rank = generic_rank(forms)
    if rank.rank < k:
        what = f"the momentum forms of the constraints have rank {rank.rank} of {k} along this curve"
        raise refusal("abnormal extremals", [Fault("the curve", what, "take another curve")])
    square = [[forms[a][j] for a in range(k)] for j in rank.columns]  # Omega^T on the pivots: lambda' = lambda A
    columns = [solve(square, [row[j] for j in rank.columns]) for row in pulls]
    others = [i for i in range(n) if i not in rank.columns]
    conditions = [
        [pulls[a][i] - total([(1, columns[a][b] * forms[b][i]) for b in range(k)]) for a in range(k)] for i in others
    ]
    whole = _closed(conditions, columns)
    answer = _answer(system, whole, k)
    if not answer.dimension or not all(_is_linear(f.function, system) for f in densities):
        return answer
    return _with_goh(answer, path, forms, whole, columns, fields, span)


def _closed(conditions: Sequence[Sequence[Expr]], columns: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return conditions lambda K = 0 with all that follow from them along the curve."""
    rows = [list(row) for row in conditions]
    found = list(rows)
    for _ in range(len(columns) - 1):
        rows = [_derived(row, columns) for row in rows]
        found += rows
    return found


def _is_linear(constraint: Expr, system: System) -> bool:
    return not depends_on(gradient(constraint, list(system.v)), list(system.v))


# -- second order ----------------------------------------------------------------------------------------------
def _with_goh(
    answer: Abnormal,
    path: Mapping[Expr, Expr],
    forms: Sequence[Sequence[Expr]],
    conditions: list[list[Expr]],
    columns: Sequence[Sequence[Expr]],
    tangents: Sequence[Sequence[Expr]] | None,
    during: tuple[Fraction, Fraction] | None,
) -> Abnormal:
    """Add Goh's condition, d omega^a(X, Y) lambda_a = 0 on the distribution, and the form of Legendre's."""
    system, k = answer.system, len(columns)
    stated = [c.expression for name, c in system.constraints.items() if name not in system.units]
    rows = jacobian(stated, list(system.v))
    free = _kernel(forms)
    if tangents is not None:
        free = [[dot(x, column) for column in zip(*tangents, strict=True)] for x in free]
    turned = [_differential(row, system.q) for row in rows]
    on = [[on_curve(line, path) for line in two_form] for two_form in turned]
    crossed = [[dot(x, [dot(line, y) for line in two_form]) for two_form in on] for x, y in combinations(free, 2)]
    held = _answer(system, [*conditions, *_closed(crossed, columns)], k)
    found = replace(answer, goh_dimension=held.dimension, goh=held.verdict)
    if not held.dimension or tangents is not None:
        return found
    multipliers, free_places = _left([*conditions, *_closed(crossed, columns)], k)
    table = [_legendre(system, path, one, rows, forms) for one in multipliers]
    # a multiplier is a solution of its equations divided by a component
    divided = divisors([entry for one in multipliers for entry in one])
    if held.dimension == 1:
        return replace(found, legendre=table[0], one_sign=keeps_sign(table[0], system.defaults, divided, during))
    moves = [[tidy(dot(one, [row[j] for row in columns])) for j in free_places] for one in multipliers]
    verdict, form = some_keeps_sign(table, moves, system.defaults, divided, during)
    return replace(found, legendre=form, one_sign=verdict)


def _left(conditions: Sequence[Sequence[Expr]], k: int) -> tuple[list[list[Expr]], list[int]]:
    """Return the multipliers that conditions leave, each 1 at a place where the others are 0, and these places."""
    kept = _independent([list(row) for row in conditions if not vanish(list(row))])
    pivots = generic_rank(kept).columns if kept else ()
    found = _kernel(kept) if kept else [[ONE if i == j else ZERO for j in range(k)] for i in range(k)]
    return [[tidy(entry) for entry in one] for one in found], [j for j in range(k) if j not in pivots]


def _span(during: tuple[Operand, Operand] | None) -> tuple[Fraction, Fraction] | None:
    """Return an interval of times by its ends, which are rational numbers."""
    if during is None:
        return None
    ends = [as_expr(one) for one in during] if isinstance(during, Sequence) else []
    if [one.op for one in ends] != ["number", "number"] or not ends[0].data < ends[1].data:
        raise ExpressionError("'during' is a pair of rational times, the earlier one first.")
    return Fraction(ends[0].data), Fraction(ends[1].data)


def _differential(form: Sequence[Expr], q: Sequence[Expr]) -> list[list[Expr]]:
    """Return d omega as a matrix: rows d_i omega_j - d_j omega_i."""
    slopes = jacobian(list(form), list(q))
    return [[slopes[j][i] - slopes[i][j] for j in range(len(q))] for i in range(len(q))]


def _kernel(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return fields along a curve that forms of full rank vanish on."""
    columns, n = generic_rank(rows).columns, len(rows[0])
    square = [[row[j] for j in columns] for row in rows]
    found = []
    for free in (j for j in range(n) if j not in columns):
        placed = dict(zip(columns, solve(square, [-row[free] for row in rows]), strict=True)) | {free: ONE}
        found.append([placed.get(j, ZERO) for j in range(n)])
    return found


def _legendre(
    system: System,
    path: Mapping[Expr, Expr],
    multiplier: Sequence[Expr],
    rows: Sequence[Sequence[Expr]],
    forms: Sequence[Sequence[Expr]],
) -> tuple[tuple[Expr, ...], ...]:
    """Return lambda_a omega^a([X_b, [X_u, X_c]]), symmetric in b and c."""
    chart, columns = Chart(system.q), generic_rank(forms).columns
    square = [[row[j] for j in columns] for row in rows]
    free = [j for j in range(len(system.q)) if j not in columns]
    fields = []
    for one in free:
        placed = dict(zip(columns, solve(square, [-row[one] for row in rows]), strict=True)) | {one: ONE}
        fields.append(VectorField(chart, tuple(placed.get(j, ZERO) for j in range(len(system.q)))))
    speeds = on_curve([system.v[j] for j in free], path)
    costate = [dot(multiplier, [form[j] for form in forms]) for j in range(len(system.q))]
    size = range(len(free))
    table = [
        [
            total(
                [
                    (1, u * dot(costate, on_curve(list(bracket(fields[b], bracket(x, fields[c])).components), path)))
                    for u, x in zip(speeds, fields, strict=True)
                ]
            )
            for c in size
        ]
        for b in size
    ]
    return tuple(tuple(tidy((table[b][c] + table[c][b]) / 2) for c in size) for b in size)


def _independent(rows: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return as many rows as are independent."""
    found: list[list[Expr]] = []
    for row in rows:
        if generic_rank([*found, list(row)]).rank > len(found):
            found.append(list(row))
    return found


def _path(system: System, curve: Mapping[str, Operand]) -> dict[Expr, Expr]:
    """Return the curve by coordinate, or raise where one is missing or the constraints are not obeyed."""
    names = {q.data.name: q for q in system.q}
    faults = [Fault("the curve", f"'{n}' is not a coordinate") for n in curve if n not in names]
    faults += [
        Fault("the curve", f"'{n}' is missing", "give every coordinate by time") for n in names if n not in curve
    ]
    if faults:
        raise refusal("abnormal extremals", faults)
    path = {names[n]: as_expr(value) for n, value in curve.items()}
    moving = {s.label for s in symbols(path.values()) if s.role == "variable"}
    if moving:
        raise ExpressionError(f"a curve is given by functions of t and parameters, not by {', '.join(sorted(moving))}.")
    for name, value in zip(
        system.constraints, on_curve([c.expression for c in system.constraints.values()], path), strict=True
    ):
        if all_vanish({name: value}, system.facts).holds is False:
            fault = Fault("the curve", f"it does not obey the constraint '{name}'", "take an admissible curve")
            raise refusal("abnormal extremals", [fault])
    return path


def _tangents(system: System, path: Mapping[Expr, Expr]) -> list[list[Expr]] | None:
    """Return fields that span the tangent spaces along the curve, where there are rotations or directions."""
    if not system.points:
        return None
    lengths = {point: substitute([point.unit.left - ONE], path)[0] for point in system.points}
    faults = [
        Fault("the curve", f"{_called(point)} has not length 1", "divide it by its length")
        for point, rest in lengths.items()
        if all_vanish({point.name: rest}, system.facts).holds is False
    ]
    if faults:
        raise refusal("abnormal extremals", faults)
    frame = TangentFrame(system)
    components = [frame.on_tangents([field[q] for field in frame.fields]) for q in system.q]
    return [on_curve(list(field), path) for field in zip(*components, strict=True)]


def _called(point: Point) -> str:
    return f"the quaternion of {point.name}" if point.is_rotation else f"the direction {point.name}"


def _rows(flat: Sequence[Expr], width: int, fields: Sequence[Sequence[Expr]] | None) -> list[list[Expr]]:
    """Return rows of forms, by their values on fields where some are given."""
    rows = [list(flat[i : i + width]) for i in range(0, len(flat), width)]
    return rows if fields is None else [[dot(row, field) for field in fields] for row in rows]


def _derived(row: Sequence[Expr], columns: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Return A K + K' from a condition lambda K = 0 and lambda' = lambda A."""
    k = len(row)
    return [total([(1, partial_time(row[a])), *((1, columns[a][b] * row[b]) for b in range(k))]) for a in range(k)]


def _answer(system: System, conditions: list[list[Expr]], k: int) -> Abnormal:
    rows = [row for row in conditions if any(e is not ZERO for e in row)]
    rank = generic_rank(rows) if rows else None
    size = k - (rank.rank if rank is not None else 0)
    if rank is None:
        return Abnormal(
            system, size, Verdict("proved", f"every lambda that solves lambda' = lambda A is one: {k} of them.")
        )
    if size == 0:
        why = f"the conditions on lambda have rank {k} of {k}, so that lambda is zero: {rank.verdict.evidence}"
        return Abnormal(system, 0, Verdict("refuted" if rank.verdict.kind == "proved" else "undecided", why))
    why = f"the conditions on lambda have rank {rank.rank} of {k}, which leaves {size}: {rank.verdict.evidence}"
    return Abnormal(system, size, Verdict(rank.verdict.kind, why, rank.verdict.error_bits))
