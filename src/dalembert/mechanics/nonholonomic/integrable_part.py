"""How many of the constraints are integrable, and what they keep constant.

The functions that are constant along all motions which the constraints allow are those of the involutive distribution
that brackets of allowed directions reach: its annihilator is the largest integrable part of the constraints. It is
that of the last step of the derived flag at generic points; at special points it may be larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Verdict, all_hold, generic_rank
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.distributions import Distribution, derived_flag
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.integrals import Integrals, integrals
from dalembert.model.claim import Claim
from dalembert.model.system import System

_LONGEST = 120
"""A function with more letters than this is not put into a sentence."""


def allowed_directions(system: System, places: Sequence[int] | None = None) -> Distribution:
    """Return the directions that the constraints allow, on a group in the basis of its algebra."""
    columns = [system.q.index(q) for q in system.chart.coordinates]
    rows = [[row[k] for k in columns] for row in system.constraint_matrix().rows]
    return Distribution.from_forms(system.chart, rows, places)


def integrability_claim(
    distribution: Distribution, facts: Sequence[Fact] = (), known: Integrals | None = None
) -> Claim:
    """Say how many constraints are integrable, and show what they keep constant as far as it was found.

    >>> from dalembert.expr.graph import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z, w = (symbol(n) for n in "xyzw")
    >>> rows = [[-y, 0, 1, 0], [-y, -y, 1, 1]]  # dz = y dx, and with it dw = y dy
    >>> integrability_claim(Distribution.from_forms(Chart.of(x, y, z, w), rows)).statement
    '1 of the 2 constraints is integrable, as a combination of them (2*w - y^2 is constant), and no other'
    """
    try:
        found = integrals(distribution) if known is None else known
        verdict = _verdict(distribution, found, facts)
    except ExpressionError as fault:
        said = "some of the constraints are integrable"
        return Claim("integrable constraints", said, "question", Verdict("undecided", str(fault)))
    return Claim("integrable constraints", _said(found), "question", verdict)


def _said(found: Integrals) -> str:
    total = found.codimension
    if not found.count:
        only = "the constraint is not" if total == 1 else "no combination of the constraints is"
        return f"{only} integrable: at generic points brackets of the allowed directions reach all others"
    shown = [text(f) for f in found.functions]
    short = [f for f in shown if len(f) <= _LONGEST]
    kept = f"{', '.join(short)} {'is' if len(short) == 1 else 'are'} constant" if short else ""
    hidden = found.count - len(short)
    more = f"{hidden} function{'s' * (hidden > 1)} not shown in closed form" if hidden else ""
    what = f" ({'; '.join(part for part in (kept, more) if part)})"
    if found.count == total:
        return f"{'the constraint is' if total == 1 else f'all {total} constraints are'} integrable{what}"
    some = f"{found.count} of the {total} constraints {'is' if found.count == 1 else 'are'} integrable"
    return f"{some}, as {'a combination' if found.count == 1 else 'combinations'} of them{what}, and no other"


def _verdict(distribution: Distribution, found: Integrals, facts: Sequence[Fact]) -> Verdict:
    """Put together that no more are integrable, by the rank of brackets, and that so many are."""
    reached = derived_flag(distribution.fields)[-1]
    rank = generic_rank([f.components for f in reached])
    parts = {"the directions that brackets reach": rank.verdict}
    if found.count and len(found.functions) == found.count:
        rates = {f"{f!r} along field {k}": z(f) for f in found.functions for k, z in enumerate(reached, 1)}
        parts["the constant functions"] = all_vanish(rates, facts)
    elif found.count:
        parts["brackets of these"] = _closed(reached, rank.rank)
    return all_hold(parts)


def _closed(reached: Sequence[VectorField], rank: int) -> Verdict:
    """Return the verdict that brackets reach nothing more."""
    rows: list[Sequence[Expr]] = [f.components for f in reached]
    rows += [bracket(a, b).components for a, b in combinations(reached, 2)]
    return generic_rank(rows).verdict if len(rows) > rank else Verdict("proved", "there are none.")
