"""Fields on unit quaternions as turns about axes of space and of the body: what is decided about them.

It is beside ``quaternions``, which motions load: what decides takes longer to load than a small motion to compute.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import depends_on, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.quaternions import left_field, right_field

__all__ = ["as_turns"]


def as_turns(q: Sequence[Expr], components: Sequence[Expr]) -> dict[tuple[str, int], Expr] | None:
    """Return a field on quaternions as a sum of turns about axes of space (left) and of the body, if it is one.

    As such it is known by entries of the rotation, whose rates are known; of products of quaternions they are not.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.quaternions import quaternion_rates_in_space
    >>> q = [symbol(f"q{k}") for k in range(4)]
    >>> as_turns(q, quaternion_rates_in_space(q, [0 * q[0], 3 + 0 * q[0], 4 + 0 * q[0]]))
    {('left', 2): 3, ('left', 3): 4}
    >>> as_turns(q, [q[0], q[1], q[2], q[3]]) is None
    True
    """
    slopes = [slope for row in jacobian(list(components), list(q)) for slope in row]
    if vanish(slopes) or depends_on(slopes, q):
        return None
    found: dict[tuple[str, int], Expr] = {}
    for side, field in (("left", left_field), ("right", right_field)):
        for axis in (1, 2, 3):
            unit = [slope for row in jacobian(list(field(q, axis)), list(q)) for slope in row]
            weight = total([(1, a * b) for a, b in zip(unit, slopes, strict=True)])  # they are orthonormal
            slopes = [total([(1, a), (-1, weight * b)]) for a, b in zip(slopes, unit, strict=True)]
            found[side, axis] = weight
    at_rest = substitute(list(components), dict.fromkeys(q, ZERO))
    return {turn: w for turn, w in found.items() if not vanish([w])} if vanish([*slopes, *at_rest]) else None
