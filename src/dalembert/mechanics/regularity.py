"""Whether a Lagrangian determines the accelerations: its Hessian is regular, and where it fails to be."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr
from dalembert.expr.linear import determinant
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, generic_rank, never_zero
from dalembert.expr.walk import postorder, tree_size
from dalembert.model.claim import Claim

__all__ = ["regularity_claim", "require_regular"]

_MOST_NODES = 600
_MOST_TERMS = 2_000
"""The determinant of a larger Hessian, or one that has more terms, is not written down."""
_READABLE = 150
"""Nodes of a determinant that still stands in a sentence."""
_TIDYING = 0.3


def require_regular(hessian: Sequence[Sequence[Expr]], formalism: str, what: str) -> Verdict:
    """Return the verdict that a Hessian is regular at a generic point, or raise ``HypothesisError``."""
    rank = generic_rank(hessian)
    if rank.rank < len(hessian):
        fault = Fault(
            "lagrangian",
            f"{what} is not regular: its Hessian has rank {rank.rank} of {len(hessian)}",
            "the constraints and L do not determine the motion",
        )
        raise HypothesisError(formalism, [fault])
    return rank.verdict


def regularity_claim(hessian: Sequence[Sequence[Expr]], generic: Verdict, what: str) -> Claim:
    """Say that a Lagrangian is regular everywhere, or only at a generic point, and then where it is not.

    >>> from dalembert.expr.graph import ONE, symbol
    >>> x = symbol("x")
    >>> regularity_claim([[1 + x**2]], Verdict("proved", ""), "it").statement
    'it is regular everywhere'
    >>> regularity_claim([[x]], Verdict("proved", ""), "it").statement
    'it is regular at a generic point (it fails where x = 0)'
    """
    value = _short_determinant(hessian)
    if value is None:
        said = f"{what} is regular at a generic point (where it may fail was not asked: its Hessian is large)"
        return Claim("regular", said, "hypothesis", generic)
    everywhere = never_zero(value)
    if everywhere.holds:
        return Claim("regular", f"{what} is regular everywhere", "hypothesis", everywhere)
    return Claim("regular", f"{what} is regular at a generic point ({_locus(value)})", "hypothesis", generic)


def _short_determinant(hessian: Sequence[Sequence[Expr]]) -> Expr | None:
    """Return the determinant, or None where it is too large to be looked at."""
    if len(postorder([e for row in hessian for e in row])) > _MOST_NODES:
        return None
    try:
        return determinant(hessian, most_terms=_MOST_TERMS)
    except ExpressionError:
        return None


def _locus(value: Expr) -> str:
    """Say where a determinant vanishes: where one of its factors does that has, or may have, a zero."""
    short = tidy(value, _TIDYING)
    factors = [short]
    if short.op == "product":
        factors = [base for base, power in zip(short.args, short.data, strict=True) if power > 0]
    verdicts = [(factor, never_zero(factor)) for factor in factors]
    left = [(factor, verdict) for factor, verdict in verdicts if verdict.holds is not True]
    fails = "it fails" if any(verdict.holds is False for _, verdict in left) else "it could fail only"
    if not left or sum(tree_size(factor) for factor, _ in left) > _READABLE:
        return "it could fail only where the determinant of its Hessian vanishes"
    return f"{fails} where {' or '.join(f'{text(factor)} = 0' for factor, _ in left)}"
