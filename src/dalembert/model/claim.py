"""A claim: a statement about a system, the part it plays, and the verdict on it."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from dalembert.expr.truth.verdict import Verdict
from dalembert.records import dataclass
from dalembert.shown import Shown

ClaimRole = Literal["hypothesis", "check", "question"]


@dataclass(frozen=True, slots=True)
class Claim(Shown):
    """A statement with its verdict.

    ``role`` says what a refutation means: a ``hypothesis`` that fails forbids what follows, a ``check`` is another
    derivation that must agree with the first, and a ``question`` may be answered either way.

    >>> Claim("energy", "the energy is conserved", "check", Verdict("proved", "its rate is the number 0.")).failed
    False
    """

    name: str
    statement: str
    role: ClaimRole
    verdict: Verdict
    place: str = ""
    """Where it stands: the paper and its section, or whose theorem it is."""

    def summary(self) -> str:
        """Return the name of this claim and its verdict."""
        return f"claim {self.name}: {self.verdict.kind}"

    @property
    def failed(self) -> bool:
        """Whether this is a hypothesis or a check that was refuted."""
        return self.role != "question" and self.verdict.holds is False

    def to_json(self) -> dict[str, str]:
        """Return the claim as it stands in the JSON of ``derive``."""
        return {
            "name": self.name,
            "statement": self.statement,
            "role": self.role,
            **({"place": self.place} if self.place else {}),
            "verdict": self.verdict.kind,
            "evidence": self.verdict.evidence,
        }


class Decided(tuple[Claim, ...], Shown):
    """Claims that were decided together: a tuple that prints as a table of answers.

    >>> Decided([Claim("energy", "the energy is conserved", "check", Verdict("proved", "its rate is the number 0."))])
    <1 claim: 1 proved>
    """

    __slots__ = ()
    __str__, __repr__ = Shown.__str__, Shown.__repr__  # a tuple has its own

    def summary(self) -> str:
        """Return how many claims have which verdict."""
        kinds = Counter(claim.verdict.kind for claim in self)
        told = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return f"{len(self)} claim{'s' * (len(self) != 1)}{': ' * bool(told)}{told}"
