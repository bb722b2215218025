"""A law as a row: what it says, how it is decided, and its wrong twin, which shows that it can fail.

A law speaks of a subject of one kind: a system, what a formalism derived, a reader of expressions, random objects by
their seed. Its twin is the same decision on something that is false: a subject with one thing spoilt, or the statement
with one sign changed. A law whose twin is not caught says nothing about the subject.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.truth import Verdict
from dalembert.model.claim import Claim
from dalembert.records import dataclass, field

T = TypeVar("T")


def always(_: object) -> bool:
    """Say that a law speaks of every subject of its kind."""
    return True


@dataclass(frozen=True, slots=True)
class Law(Generic[T]):
    """A statement that holds of every subject of its kind, with a wrong twin that does not.

    >>> from dalembert.expr import cos, diff, sin, symbol
    >>> from dalembert.expr.truth import is_zero
    >>> x = symbol("x")
    >>> circle = Law("circle", "f^2 + f'^2 = 1", lambda f: is_zero(f**2 + diff(f, x)**2 - 1),
    ...              twin=lambda f: is_zero(f**2 - diff(f, x)**2 - 1), wrong="with a minus")
    >>> circle.claim(sin(x)).verdict.holds, circle.twin_is_caught(sin(x))
    (True, True)
    """

    name: str
    statement: str
    decide: Callable[[T], Verdict] = field(repr=False)
    twin: Callable[[T], Verdict] = field(repr=False)
    """Decides the wrong twin of the law for the same subject; the answer has to be no."""
    wrong: str
    """What is wrong with the twin."""
    applies: Callable[[T], bool] = field(default=always, repr=False)
    """Whether the law speaks of a subject at all."""

    def claim(self, subject: T, of: str = "") -> Claim:
        """Return the law as a claim about a subject; ``of`` says in its name which one, where there are several."""
        name = f"{self.name}: {of}" if of else self.name
        return Claim(name, self.statement, "check", _decided(self.decide, subject))

    def twin_is_caught(self, subject: T) -> bool:
        """Say whether the wrong twin is seen to be wrong."""
        return _decided(self.twin, subject).holds is False


def spoilt(decide: Callable[[T], Verdict], spoil: Callable[[T], T]) -> Callable[[T], Verdict]:
    """Return the decision of a law on a subject that was spoilt before: the twin of most laws.

    >>> spoilt(lambda n: Verdict("proved" if n > 0 else "refuted", ""), lambda n: -n)(3).kind
    'refuted'
    """
    return lambda subject: decide(spoil(subject))


def claims_of(laws: Iterable[Law[T]], subject: T, of: str = "") -> tuple[Claim, ...]:
    """Return the claims of the laws that speak of a subject."""
    return tuple(law.claim(subject, of) for law in laws if law.applies(subject))


def _decided(decide: Callable[[T], Verdict], subject: T) -> Verdict:
    """Return a verdict; what cannot be written down or has no value is undecided, and the sentence says why."""
    try:
        return decide(subject)
    except (ExpressionError, EvaluationError) as fault:
        return Verdict("undecided", str(fault))
