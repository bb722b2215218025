"""Systems without drift, x' = u^i f_i(x): where brackets span all directions every point nearby can be reached (Chow).

For analytic fields this is necessary too: where brackets span fewer directions at generic points, motions stay on
surfaces of that dimension (Nagano, Sussmann).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.analysis.control.formal_brackets import Fields, TooLong, lyndon_brackets, said
from dalembert.analysis.control.spans import Span
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Fact, Verdict, generic_rank
from dalembert.geometry.fields import VectorField
from dalembert.geometry.growth import derived_flag

_LONGEST = 9
_ASKED = 2
"""After brackets of this length it is asked whether all brackets together can span enough."""
_MOST = 250
"""How many brackets are looked at."""


def chow(
    fields: Sequence[VectorField],
    names: Sequence[str],
    point: Mapping[Expr, Expr],
    dimension: int,
    facts: Sequence[Fact] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """Return whether brackets span all directions at a point, and brackets that are independent there.

    >>> from dalembert.expr import cos, sin, symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, h = (symbol(n) for n in "xyh")
    >>> plane = Chart.of(x, y, h)
    >>> drive, turn = VectorField.of(plane, [cos(h), sin(h), 0]), VectorField.of(plane, [0, 0, 1])
    >>> verdict, found = chow([drive, turn], ["drive", "turn"], {}, 3)
    >>> verdict.kind, found
    ('proved', ('drive', 'turn', '[drive, turn]'))
    """
    span = Span(point, facts)
    made = Fields(fields)
    looked = 0
    reason = f"brackets up to length {_LONGEST}"
    try:
        for length in range(1, _LONGEST + 1):
            for tree in lyndon_brackets(len(fields), length):
                looked += 1
                if looked > _MOST:
                    reason = f"{_MOST} brackets"
                    break
                span.add(said(tree, names), made[tree].components)
                if span.rank == dimension:
                    return Verdict(span.verdict.kind, f"{', '.join(span.names)} are independent."), tuple(span.names)
            if length == _ASKED and (less := closed(fields, dimension, facts)) is not None:
                return less, tuple(span.names)
            if looked > _MOST:
                break
    except TooLong as fault:
        reason = f"the brackets that were looked at ({fault})"
    found = f"{reason} span {span.rank} of {dimension} directions there"
    return Verdict("undecided", f"{found}, and longer ones may span more."), tuple(span.names)


def closed(fields: Sequence[VectorField], dimension: int, facts: Sequence[Fact]) -> Verdict | None:
    """Return that brackets span fewer directions at generic points, and so everywhere; None where that is not so."""
    rank = generic_rank([f.components for f in derived_flag(fields, None, facts, dimension)[-1]], facts)
    if rank.rank >= dimension or rank.verdict.holds is None:
        return None
    return Verdict("refuted", f"all brackets together span at most {rank.rank} of {dimension} directions at any point.")
