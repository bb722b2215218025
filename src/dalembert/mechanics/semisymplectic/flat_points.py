"""Where the curvature Delta_D vanishes, told from where a chart or the constraints fail (Patrick, section 5).

Submanifolds on which Delta_D = 0 are candidates for holonomic subsystems. Delta_D is read by the stated one-forms nu on
fields Z that span D, nu^a([Z_i, Z_j]); both have no poles where the frame is a certified one. Its zeros are

    flat points               the constraints keep their rank there, and the fields span D,
    singularities             they do not: nothing is said of Delta_D there, which has no value.

Zeros are looked for where one or two coordinates have a special value: 0, for angles quarters of a turn, and the roots
of a component that is of first or second degree in a coordinate with numbers and positive parameters for coefficients.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import PI, ZERO, Expr, total
from dalembert.expr.truth import Fact, Verdict, excludes_zero, generic_rank, is_zero, vanish
from dalembert.expr.truth.signs import ranges
from dalembert.expr.truth.verdict import Kind
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.groups.matrices import dot
from dalembert.model.claim import Claim

_NAME = "flat points"
_LONG, _MANY = 80, 4
_QUARTERS = tuple(Fraction(k, 2) * PI for k in (0, 1, 2, -1))


def flat_points(
    forms: Sequence[Sequence[Expr]], fields: Sequence[VectorField], facts: Sequence[Fact] = ()
) -> list[Claim]:
    """Say whether Delta_D vanishes somewhere: forms annihilate D, fields span it.

    >>> from dalembert.expr import ONE, symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> martinet = [VectorField.of(space, [1, 0, y**2]), VectorField.of(space, [0, 1, 0])]
    >>> flat_points([(-(y**2), ZERO, ONE)], martinet)[0].verdict.evidence
    'it does where y = 0, and the constraints keep their rank there.'
    """
    entries = [dot(nu, bracket(a, b).components) for a, b in combinations(fields, 2) for nu in forms]
    parts = [tidy(e) for e in dict.fromkeys(entries) if is_zero(e, facts).holds is not True]
    if not parts:
        return []
    together = tidy(total([(1, e**2) for e in parts]))
    if any(excludes_zero(e) is not None for e in (*parts, together)):
        return [_claim("refuted", "its components have no common zeros where they are defined.")]
    lost = []
    for place in _places(parts, fields[0].chart.coordinates):
        answer = _there(place, parts, forms, fields, facts)
        said = " and ".join(f"{x!r} = {value!r}" for x, value in place.items())
        if answer == "flat":
            return [_claim("proved", f"it does where {said}, and the constraints keep their rank there.")]
        if answer == "singular":
            lost.append(said)
    shown = ", ".join(text if len(text) < _LONG else "..." for text in map(repr, parts[:_MANY]))
    why = f"it does where all of these vanish, which makes candidates for [subsystem] and no more: {shown}."
    if lost:
        why += f" Where {lost[0]} they do, but that is no flat point: the constraints, or the frame, lose rank there."
    return [_claim("undecided", why)]


def _claim(kind: Kind, why: str) -> Claim:
    return Claim(_NAME, "Delta_D vanishes somewhere", "question", Verdict(kind, why))


def _places(parts: Sequence[Expr], coordinates: Sequence[Expr]) -> Iterator[dict[Expr, Expr]]:
    """Yield special values of one and of two coordinates on which the curvature depends."""
    seen = symbols(list(parts))
    some = [x for x in coordinates if x.data in seen]
    for size in (1, 2):
        for chosen in combinations(some, size):
            values = [_QUARTERS if x.data.domain == "angle" else (ZERO,) for x in chosen]
            for one in product(*values):
                yield dict(zip(chosen, one, strict=True))
    for x in some:
        yield from ({x: root} for part in parts[:_MANY] for root in _roots(part, x, some))


def _roots(part: Expr, x: Expr, coordinates: Sequence[Expr]) -> Iterator[Expr]:
    """Yield the real roots of a component in one coordinate, where they follow at a glance."""
    (slope,) = gradient(part, [x])
    (bend,) = gradient(slope, [x])
    if not vanish(gradient(bend, [x])):
        return
    a, b, c = (tidy(e) for e in substitute([bend / 2, slope, part], {x: ZERO}))
    if symbols([a, b, c]) & {q.data for q in coordinates}:
        return
    if is_zero(a).holds:
        if excludes_zero(b) is not None:
            yield tidy(-c / b)
    elif excludes_zero(a) is not None and ranges([under := tidy(b**2 - 4 * a * c)])[0].sign == 1:
        yield tidy((sqrt(under) - b) / (2 * a))


def _there(
    place: Mapping[Expr, Expr],
    parts: Sequence[Expr],
    forms: Sequence[Sequence[Expr]],
    fields: Sequence[VectorField],
    facts: Sequence[Fact],
) -> str:
    """Return ``flat``, ``singular``, or nothing where the curvature does not vanish or has no value."""
    put = dict(place)
    try:
        if not vanish(substitute(list(parts), put), facts):
            return ""
        rows = [substitute(list(row), put) for row in forms]
        spanning = [substitute(list(z.components), put) for z in fields]
    except ExpressionError:
        return ""
    whole = generic_rank(rows).rank == len(rows) and generic_rank(spanning).rank == len(spanning)
    return "flat" if whole else "singular"
