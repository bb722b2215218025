"""What a search for linear relations found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict

__all__ = ["Relations"]


T = TypeVar("T", int, Expr)


@dataclass(frozen=True, slots=True)
class Relations(Generic[T]):
    """A basis of the relations between some expressions, with a verdict on each, and one on there being no others."""

    basis: list[list[T]]
    """Each relation by its coefficients, without common factors: whole numbers, or polynomials in parameters."""
    verdicts: list[Verdict]
    complete: Verdict
    """Whether these are all of them."""
    samples: int
    """At how many points the expressions were read, or how many coefficients were compared."""
    primes: int
    """How many primes it took to find the coefficients."""

    @property
    def dimension(self) -> int:
        """How many independent relations there are."""
        return len(self.basis)

    @property
    def error_bits(self) -> float | None:
        """The probability that a relation is wrong is at most two to this; None where all of them are proved."""
        return max((v.error_bits for v in self.verdicts if v.error_bits is not None), default=None)
