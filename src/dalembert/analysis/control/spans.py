"""What vectors span at a point, one after the other, with what was decided of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.truth import Fact, Verdict, all_hold, generic_rank, vanish
from dalembert.expr.walk import substitute


class Span:
    """Vectors with names that are independent at a point; what is not fixed there is generic."""

    def __init__(self, point: Mapping[Expr, Expr], facts: Sequence[Fact] = ()) -> None:
        """Begin with nothing."""
        self.point, self.facts = dict(point), tuple(facts)
        self.names: list[str] = []
        self.rows: list[list[Expr]] = []
        self._without: dict[str, Verdict] = {}
        """Why vectors that were found to lie in the span do."""

    @property
    def rank(self) -> int:
        """How many directions are spanned."""
        return len(self.rows)

    def there(self, vector: Sequence[Expr]) -> list[Expr]:
        """Return a vector at the point."""
        return substitute(list(vector), self.point)

    def adds(self, vector: Sequence[Expr]) -> bool:
        """Say whether a vector is outside of the span."""
        value = self.there(vector)
        return not vanish(value, self.facts) and generic_rank([*self.rows, value], self.facts).rank > self.rank

    def add(self, name: str, vector: Sequence[Expr]) -> bool:
        """Take a vector in, if it is outside, and say so."""
        if not self.adds(vector):
            return False
        self.rows.append(self.there(vector))
        self.names.append(name)
        return True

    def holds(self, name: str, vector: Sequence[Expr]) -> bool:
        """Say whether a vector lies in the span; the reason is kept."""
        if self.adds(vector):
            return False
        self._without[name] = generic_rank([*self.rows, self.there(vector)], self.facts).verdict
        return True

    @property
    def verdict(self) -> Verdict:
        """That the vectors are independent, and that others lie in their span, as far as that was asked."""
        return all_hold({"independent": generic_rank(self.rows, self.facts).verdict, **self._without})
