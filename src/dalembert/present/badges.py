"""A verdict as a coloured badge, and claims as rows of a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from html import escape
from shlex import quote

from dalembert.expr.truth import Verdict
from dalembert.model.claim import Claim

__all__ = ["LEGEND", "badge", "checked_again", "claims_fold", "claims_table", "verdict_html"]

_MEANINGS = {
    "proved": "by exact algebra",
    "certain": "zero in exact arithmetic at random points, with a bound for the error",
    "by a witness": "shown by a point where the opposite fails",
    "measured": "along the computed motion",
    "refuted": "wrong at a point that is named; where it answers a question, that is an answer too",
    "undecided": "not known, and why",
}


def badge(kind: str, *, question: bool = False) -> str:
    """Return the badge of a kind of verdict, or nothing where there is none; a no to a question is no alarm.

    >>> badge("proved")
    '<span class="verdict proved">proved</span>'
    """
    look = "no" if question and kind == "refuted" else kind.rpartition(" ")[2]
    return f'<span class="verdict {look}">{kind}</span>' if kind else ""


LEGEND = (
    '<details class="legend"><summary>What the verdicts mean</summary><table>'
    + "".join(f"<tr><td>{badge(kind)}</td><td>{words}</td></tr>" for kind, words in _MEANINGS.items())
    + "</table></details>"
)
"""What the badges say."""


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict with its evidence."""
    return f'{badge(verdict.kind)} <span class="evidence">{escape(verdict.evidence)}</span>'


def claims_table(claims: Sequence[Claim], again: Callable[[Claim], str] | None = None) -> str:
    """Return claims with their verdicts and evidence, or nothing where there are none.

    With ``again``, the line of a shell that decides a claim anew, each has this line and its role.
    """
    rows = "".join(
        f"<tr><td>{badge(c.verdict.kind, question=c.role == 'question')}</td><td>{escape(c.statement)}<br>"
        f'<span class="evidence">{escape(c.verdict.evidence)}'
        + (f"<br><code>{escape(again(c))}</code></span></td><td class='evidence'>{c.role}" if again else "</span>")
        + "</td></tr>"
        for c in claims
    )
    return f"<table>{rows}</table>" if rows else ""


def checked_again(claim: Claim, formalism: str = "") -> str:
    """Return the line of a shell that decides a claim of a formalism, or between formalisms, anew.

    >>> from dalembert.model.claim import Claim
    >>> checked_again(Claim("the energy", "it is kept", "check", Verdict("proved", "")), "routh")
    "dalembert check MODEL 'the energy' --as routh"
    """
    return f"dalembert check MODEL {quote(claim.name)}{f' --as {formalism}' if formalism else ''}"


def claims_fold(claims: Sequence[Claim], formalism: str) -> str:
    """Fold the claims of a formalism behind their count; what failed is not folded."""
    if not claims:
        return ""
    failed = [claim for claim in claims if claim.failed]
    again = partial(checked_again, formalism=formalism)
    alarm = f"<h3>What failed</h3>{claims_table(failed, again)}" if failed else ""
    return f"{alarm}<details><summary>{_counts(claims)}</summary>{claims_table(claims, again)}</details>"


def _counts(claims: Sequence[Claim]) -> str:
    counts = Counter(badge(c.verdict.kind, question=c.role == "question" and not c.verdict.holds) for c in claims)
    shown = [f"{number} {look}" for look, number in counts.most_common()]
    return f"{len(claims)} claim{'s' * (len(claims) != 1)}: {' '.join(shown)}"
