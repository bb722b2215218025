"""What ``derive`` and ``str`` print of a derivation: equations, results, the next command."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.mechanics.registry import Result, claims
from dalembert.model.claim import Claim
from dalembert.present.overview import derivation_overview
from dalembert.present.page import Section
from dalembert.present.text_writer import in_text
from dalembert.studies.known_integrals import known_integrals


def printed(result: Result) -> str:
    """Return the overview of a derivation as text; its claims are decided now."""
    return in_text(overview(result, claims(result)))


def overview(result: Result, decided: Sequence[Claim], command: str = "", columns: int | None = None) -> Section:
    """Return the equations of a result, what is known of them, and the next command."""
    found, look = known_integrals(result, decided)
    symmetries = [] if look is None else [one.written for one in look.symmetries]
    return derivation_overview(result, decided, found, symmetries, command, columns)
