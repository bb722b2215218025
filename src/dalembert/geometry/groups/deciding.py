"""Many named expressions, one verdict: are they all zero, and if not, which is at fault?"""

from __future__ import annotations

import math
from collections.abc import Iterable

from dalembert.errors import ExpressionError
from dalembert.expr.field import proved_zero
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import Verdict, is_zero
from dalembert.expr.truth.decide import sample

__all__ = ["all_zero"]


def all_zero(parts: Iterable[tuple[str, Expr]], *, effort: float = 0.0, seed: int | None = None) -> Verdict:
    """Decide whether all expressions are identically zero; the evidence of a no begins with the name at fault.

    They are read together, so many cost little more than one. ``effort`` is the work that may be spent on
    each to turn a ``certain`` yes into a ``proved`` one.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> all_zero([("first", (x + 1)**2 - x**2 - 2*x - 1), ("second", x)]).evidence[:9]
    'second: n'
    """
    open_parts = [(name, e) for name, e in parts if e is not ZERO]
    if not open_parts:
        return Verdict("proved", "nothing is left that could differ from zero.")
    try:
        samples = sample([e for _, e in open_parts], seed=seed, until_nonzero=True)
    except ExpressionError:  # one of them cannot be read; then each for itself, to see which
        suspects = open_parts
    else:
        suspects = [part for part, value in zip(open_parts, samples.values[-1], strict=True) if value]
        if not suspects:
            if effort and all(proved_zero(e, effort) for _, e in open_parts):
                return Verdict("proved", "all normal forms, fractions of polynomials, have the numerator 0.")
            bits = samples.error_bits + math.log2(len(open_parts))
            said = f"zero at {len(samples.primes)} random points modulo random primes"
            return Verdict(
                "certain", f"{said}; the probability of error is below 2^{math.ceil(bits)}.", error_bits=bits
            )
    verdicts = [(name, is_zero(e, effort=effort, seed=seed)) for name, e in suspects]
    for wanted in (False, None):
        for name, verdict in verdicts:
            if verdict.holds is wanted:
                return Verdict(verdict.kind, f"{name}: {verdict.evidence}", witness=verdict.witness)
    bits = max(v.error_bits if v.error_bits is not None else -1000.0 for _, v in verdicts) + math.log2(len(verdicts))
    return Verdict("certain", f"each is zero; the probability of error is below 2^{math.ceil(bits)}.", error_bits=bits)
