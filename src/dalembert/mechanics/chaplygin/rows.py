"""Rows of theorems that say that something vanishes, with their place in the paper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.mechanics.theorem import Decision, Theorem
from dalembert.model.claim import ClaimRole

Decide = Callable[[Any, ProofBudget], Decision]
Defects = Callable[[Any], dict[str, Expr]]
"""What has to vanish, by name, of a record that has ``facts``."""


def place(section: str) -> str:
    """Return a place in the paper.

    >>> place("Theorem 7.5")
    'Cantrijn-Cortes-de Leon-Martin de Diego, Theorem 7.5'
    """
    return f"Cantrijn-Cortes-de Leon-Martin de Diego, {section}"


def vanishing(name: str, section: str, statement: str, defects: Defects, role: ClaimRole = "check") -> Theorem:
    """Return the row of a theorem that says that something vanishes."""
    return Theorem(name, place(section), statement, role, lambda one, _: all_vanish(defects(one), one.facts))


def check(name: str, section: str, statement: str, decide: Decide, **more: Any) -> Theorem:
    """Return the row of a theorem that has to hold."""
    return Theorem(name, place(section), statement, "check", decide, **more)


def question(name: str, section: str, statement: str, decide: Decide, **more: Any) -> Theorem:
    """Return the row of what may be true or not."""
    return Theorem(name, place(section), statement, "question", decide, **more)
