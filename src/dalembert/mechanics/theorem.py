"""A theorem as a row: what it says, where it stands in the papers, how it is decided, what a report says of the answer.

To derive a system is to decide hypotheses and to write down equations and geometry. What is true of them beyond that
stands in a list beside each derivation, a row for each theorem, and is decided when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from dalembert.errors import ExpressionError
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget
from dalembert.model.claim import Claim, ClaimRole
from dalembert.records import dataclass, replace
from dalembert.shown import Shown

Topic = Literal["constraints", "kind", "conserved", "reduction"]
"""What a sentence of a report is about."""
Decision = Verdict | Sequence[Claim]
"""The verdict on the statement of a row; or, where it speaks of each generator, pivot or density, a claim for each."""

EFFORT = 0.1
"""The work that is done to prove a theorem of which random points have made certain. Each has its own, so that one that
is asked alone gets the answer that it gets among all the others."""


def always(_: Any) -> bool:
    """Say that a theorem speaks of every result."""
    return True


@dataclass(frozen=True, slots=True)
class Sentence(Shown):
    """What a report says where a theorem holds, or where it is refuted.

    ``given`` are theorems that have to hold, and ``without`` ones that have to be refuted, for it to be said.
    """

    words: str | Callable[[Any, Claim], str]
    """The sentence, or how it is made of the result and of the claim; nothing is said where it is empty."""
    given: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Theorem(Shown):
    """A statement about what a formalism derives, and how it is decided.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> square = Theorem("square", "Euclid II.4", "(x + 1)^2 = x^2 + 2x + 1", "check",
    ...                  lambda result, proofs: proofs.is_zero((x + 1)**2 - result))
    >>> [claim.verdict.holds for claim in square.claims(x**2 + 2*x + 1) + square.claims(x**2 + 1)]
    [True, False]
    """

    name: str
    place: str
    """The paper and the section, or whose theorem it is."""
    statement: str
    role: ClaimRole
    decide: Callable[[Any, ProofBudget], Decision]
    yes: str | tuple[Sentence, ...] = ""
    """What a report says where it holds;"""
    no: str | tuple[Sentence, ...] = ""
    """and where it is refuted. Nothing where empty."""
    topic: Topic = "kind"
    needs: Callable[[Any], bool] = always
    """Whether it speaks of a result at all."""

    def claims(self, result: Any, effort: float = EFFORT) -> tuple[Claim, ...]:
        """Decide the theorem for a result: one claim, one for each of its parts, or none where it does not speak.

        If it needs an object that does not exist or is too large, it is undecided; that stops no other.
        """
        found: Decision
        try:
            if not self.needs(result):
                return ()
            found = self.decide(result, ProofBudget(effort))
        except ExpressionError as fault:
            found = Verdict("undecided", str(fault))
        if isinstance(found, Verdict):
            found = (Claim(self.name, self.statement, self.role, found),)
        return tuple(replace(claim, place=self.place) for claim in found)

    def sentences(self, holds: bool | None) -> tuple[Sentence, ...]:
        """Return what a report may say of an answer; of what is undecided it says nothing."""
        said = self.yes if holds else self.no if holds is False else ()
        return (Sentence(said),) if isinstance(said, str) else said


def decided_by(
    rows: Sequence[Theorem],
    decisions: Mapping[str, Callable[[Any, ProofBudget], Decision]],
    needs: Mapping[str, Callable[[Any], bool]] | None = None,
) -> tuple[Theorem, ...]:
    """Return theorems by their names, each decided in another way: they say the same of a result of another kind.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> first = Theorem("zero", "Euclid", "it is zero", "check", lambda result, proofs: proofs.is_zero(result))
    >>> (second,) = decided_by([first], {"zero": lambda result, proofs: proofs.is_zero(result[0])})
    >>> second.statement, second.claims([x - x])[0].verdict.holds
    ('it is zero', True)
    """
    known, speaks = {row.name: row for row in rows}, needs or {}
    return tuple(
        replace(known[name], decide=decide, needs=speaks.get(name, always)) for name, decide in decisions.items()
    )


def about(
    part: Callable[[Any], Any], rows: Sequence[Theorem], needs: Callable[[Any], bool] = always
) -> tuple[Theorem, ...]:
    """Return theorems about a part of a result as theorems about the result; nothing is said where there is no part.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> zero = Theorem("zero", "", "it is zero", "check", lambda part, proofs: proofs.is_zero(part))
    >>> (first,) = about(lambda result: result[0], [zero], needs=bool)
    >>> [claim.verdict.holds for claim in first.claims([x - x]) + first.claims([x]) + first.claims([])]
    [True, False]
    """

    def moved(row: Theorem) -> Theorem:
        def speaks(result: Any) -> bool:
            return needs(result) and (one := part(result)) is not None and row.needs(one)

        return replace(row, decide=lambda result, proofs: row.decide(part(result), proofs), needs=speaks)

    return tuple(map(moved, rows))
