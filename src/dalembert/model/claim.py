"""A claim: a statement about a system, the part it plays, and the verdict on it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final, Literal

from dalembert.expr.truth.verdict import Verdict
from dalembert.records import dataclass
from dalembert.shown import Shown

ClaimRole = Literal["hypothesis", "check", "question"]
Answer = Literal["yes", "no", "open", "FAILS"]
"""What stands before a statement; ``FAILS`` before a check or a hypothesis that is refuted."""
_FIRST_WORD: Final = re.compile(r"(?:a|[a-z]{2,})(?=[,: -](?![-+*/=^<>] ))")
"""A word that begins a sentence, and no letter of a formula."""


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

    @property
    def answer(self) -> Answer:
        """What stands before the statement: a question whose answer is no does not fail."""
        return "FAILS" if self.failed else self.verdict.answer

    @property
    def sentence(self) -> str:
        """The statement with a capital and a full stop."""
        return sentence(self.statement)

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


def answers_of(claims: Iterable[Claim]) -> str:
    """Return how many claims have which answer.

    >>> answers_of([Claim("", "", "question", Verdict("refuted", "")), Claim("", "", "check", Verdict("proved", ""))])
    '1 yes, 1 no'
    """
    answers = Counter(claim.answer for claim in claims)
    return ", ".join(f"{answers[one]} {one}" for one in ("yes", "no", "open", "FAILS") if answers[one])


class Decided(tuple[Claim, ...], Shown):
    """Claims that were decided together: a tuple that prints as a table of answers.

    >>> Decided([Claim("energy", "the energy is conserved", "check", Verdict("proved", "its rate is the number 0."))])
    <1 claim: 1 yes>
    """

    __slots__ = ()
    __str__, __repr__, _repr_pretty_ = Shown.__str__, Shown.__repr__, Shown._repr_pretty_  # a tuple has its own

    def summary(self) -> str:
        """Return how many claims have which answer."""
        told = answers_of(self)
        return f"{len(self)} claim{'s' * (len(self) != 1)}{': ' * bool(told)}{told}"


def sentence(statement: str) -> str:
    """Return a statement as a sentence; a formula that begins it keeps its letters.

    >>> sentence("the energy is conserved"), sentence("theta' is constant"), sentence("a = 0")
    ('The energy is conserved.', "theta' is constant.", 'a = 0.')
    """
    from dalembert.expr.display.names import LETTERS  # loaded when something is shown

    word = _FIRST_WORD.match(statement)
    capital = word is not None and word[0] not in LETTERS
    said = statement[:1].upper() + statement[1:] if capital else statement
    return said if said.endswith((".", "?", ":")) else f"{said}."
