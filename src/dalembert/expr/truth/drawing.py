"""Random numbers that are the same for the same question.

Points and primes are drawn by a generator that is seeded with the expressions in question: no two questions share their
primes, as they would with a fixed seed, and the same question is answered alike in every process.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from dalembert.expr.graph import Expr

__all__ = ["draw_for"]


def draw_for(roots: Iterable[Expr], seed: int | None = None) -> Random:
    """Return a generator for points at which some expressions are read; a seed is used as it is.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> draw_for([x + y]).random() == draw_for([y + x]).random(), draw_for([x]).random() == draw_for([y]).random()
    (True, False)
    """
    return Random(" ".join(str(root.stamp) for root in roots) if seed is None else seed)
