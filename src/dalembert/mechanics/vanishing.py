"""Are several expressions all zero? Asked once: a sum with fresh unknowns as factors vanishes only where all do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Verdict, all_hold, is_zero

__all__ = ["all_vanish", "components_of"]


def all_vanish(parts: Mapping[str, Expr], facts: Sequence[Fact] = ()) -> Verdict:
    """Return the verdict on "all of these are zero"; where one is not, it is named.

    >>> x = symbol("x")
    >>> all_vanish({"first": x - x, "second": (x + 1)**2 - x**2 - 2*x - 1}).holds
    True
    >>> all_vanish({"first": x - x, "second": x}).evidence.partition(":")[0]
    'second'
    """
    left = {name: part for name, part in parts.items() if part is not ZERO}
    if len(left) > 1:
        marked = total([(1, symbol(Symbol(f"mark {k}")) * part) for k, part in enumerate(left.values())])
        together = is_zero(marked, facts)
        if together.holds:
            return together
    return all_hold({name: is_zero(part, facts) for name, part in left.items()})


def components_of(values: Sequence[Expr], names: Sequence[Expr], what: str = "the component along") -> dict[str, Expr]:
    """Return components by name, as ``all_vanish`` takes them."""
    return {f"{what} {name!r}": value for name, value in zip(names, values, strict=True)}
