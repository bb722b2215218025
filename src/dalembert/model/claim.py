"""A claim: a statement about a system, the part it plays, and the verdict on it."""

from __future__ import annotations

from typing import Literal

from dalembert.expr.truth.verdict import Verdict
from dalembert.records import dataclass

ClaimRole = Literal["hypothesis", "check", "question"]


@dataclass(frozen=True, slots=True)
class Claim:
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
