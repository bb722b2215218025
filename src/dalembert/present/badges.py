"""A verdict as a coloured badge, and claims as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from dalembert.expr.truth import Verdict
from dalembert.model.claim import Claim

__all__ = ["badge", "claims_table", "verdict_html"]


def badge(kind: str) -> str:
    """Return the badge of a kind of verdict, or nothing where there is none.

    >>> badge("proved")
    '<span class="verdict proved">proved</span>'
    """
    return f'<span class="verdict {kind.rpartition(" ")[2]}">{kind}</span>' if kind else ""


def verdict_html(verdict: Verdict) -> str:
    """Return a verdict with its evidence."""
    return f'{badge(verdict.kind)} <span class="evidence">{escape(verdict.evidence)}</span>'


def claims_table(claims: Sequence[Claim]) -> str:
    """Return claims with their verdicts and evidence, or nothing where there are none."""
    rows = "".join(
        f"<tr><td>{badge(c.verdict.kind)}</td><td>{escape(c.statement)}<br>"
        f'<span class="evidence">{escape(c.verdict.evidence)}</span></td></tr>'
        for c in claims
    )
    return f"<table>{rows}</table>" if rows else ""
