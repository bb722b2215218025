"""Are several expressions all zero? Asked once: a sum with fresh unknowns as factors vanishes only where all do."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Facts, Verdict, all_hold, is_zero
from dalembert.expr.truth.decide import at_one_point, sample, seems_zero
from dalembert.expr.walk import postorder

Key = TypeVar("Key")

_MOST_NODES = 400
"""Larger expressions are not given to a proof that shares its effort with others,"""
_LEAST = 0.02
"""and nothing is tried with less effort than this."""


class ProofBudget:
    """Effort for proofs, shared by all claims of a derivation: what is small is proved, the rest stays certain.

    >>> x = symbol("x")
    >>> ProofBudget(5.0).is_zero((x + 1)**2 - x**2 - 2*x - 1).kind
    'proved'
    >>> ProofBudget(0.0).is_zero((x + 1)**2 - x**2 - 2*x - 1).kind
    'certain'
    """

    __slots__ = ("left",)

    def __init__(self, effort: float) -> None:
        self.left = effort

    def is_zero(self, expression: Expr, facts: Sequence[Fact] = ()) -> Verdict:
        """Decide whether an expression is zero; a proof may take half of the effort that is left."""
        if not self._pays([expression]):
            return is_zero(expression, facts)
        wake()
        began = work.done()
        verdict = is_zero(expression, facts, effort=self.left / 2)
        self.left -= work.done() - began
        return verdict

    def all_vanish(self, parts: Mapping[str, Expr], facts: Sequence[Fact] = ()) -> Verdict:
        """Decide whether all expressions are zero; a first part without a proof ends the attempt to prove them all."""
        verdict = all_vanish(parts, facts)
        if verdict.kind != "certain" or not self._pays(list(parts.values())):
            return verdict
        proofs = []
        for part in parts.values():
            proofs.append(self.is_zero(part, facts))
            if proofs[-1].kind != "proved":
                return verdict
        return proofs[0] if len(proofs) == 1 else Verdict("proved", f"each of {len(parts)} parts is proved.")

    def _pays(self, expressions: Sequence[Expr]) -> bool:
        return self.left > _LEAST and len(postorder(expressions)) <= _MOST_NODES


def all_vanish(parts: Mapping[str, Expr], facts: Sequence[Fact] = ()) -> Verdict:
    """Return the verdict on "all of these are zero"; where one is not, it is named.

    >>> x = symbol("x")
    >>> all_vanish({"first": x - x, "second": (x + 1)**2 - x**2 - 2*x - 1}).holds
    True
    >>> all_vanish({"first": x - x, "second": x}).evidence.partition(":")[0]
    'second'
    """
    left = {name: part for name, part in parts.items() if part is not ZERO}
    if parts and not left:
        return Verdict("proved", "each is the number 0." if len(parts) > 1 else "it is the number 0.")
    if len(left) > 1:
        marked = total([(1, symbol(Symbol(f"mark {k}")) * part) for k, part in enumerate(left.values())])
        together = seems_zero(marked, facts)  # a witness is only worth its time for one of the parts
        if together is not None and together.holds:
            return together
    verdicts = {}
    for name, part in left.items():
        verdicts[name] = is_zero(part, facts)
        if verdicts[name].holds is False:  # one is enough, and a witness for each would take long
            break
    return all_hold(verdicts)


def components_of(values: Sequence[Expr], names: Sequence[Expr], what: str = "the component along") -> dict[str, Expr]:
    """Return components by name, as ``all_vanish`` takes them."""
    return {f"{what} {name!r}": value for name, value in zip(names, values, strict=True)}


def surviving(parts: Mapping[Key, Expr], facts: Sequence[Fact] = ()) -> dict[Key, Expr]:
    """Return the expressions that do not vanish: those that are not zero at a random point, all read in one pass.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> surviving({"a": (x + 1)**2 - x**2 - 2*x - 1, "b": x})
    {'b': x}
    """
    left = {key: part for key, part in parts.items() if part is not ZERO}
    alive = nonzero_at_a_point(left, facts)
    zero = survivors({key: part for key, part in left.items() if key not in alive}, facts)[0]
    return {key: part for key, part in left.items() if key in alive or key in zero}


def nonzero_at_a_point(parts: Mapping[Key, Expr], facts: Sequence[Fact] = ()) -> dict[Key, Expr]:
    """Return expressions that one random point shows not to be zero; others may be so too.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> nonzero_at_a_point({"a": (x + 1)**2 - x**2 - 2*x - 1, "b": x})
    {'b': x}
    """
    found = at_one_point(Facts.of(facts).apply(list(parts.values())))
    values = [0] * len(parts) if found is None else found[1]
    return {key: part for (key, part), value in zip(parts.items(), values, strict=True) if value}


def survivors(parts: Mapping[Key, Expr], facts: Sequence[Fact] = ()) -> tuple[dict[Key, Expr], Verdict]:
    """Return the expressions that do not vanish, and the verdict that all others do."""
    left = {key: part for key, part in parts.items() if part is not ZERO}
    if not left:
        return {}, Verdict("proved", "each is the number 0.")
    try:
        samples = sample(Facts.of(facts).apply(list(left.values())))
    except ExpressionError:  # no point to be had modulo a prime: one by one, and what is open stays
        verdicts = {key: is_zero(part, facts) for key, part in left.items()}
        yes = {str(key): verdict for key, verdict in verdicts.items() if verdict.holds is True}
        return {key: left[key] for key, verdict in verdicts.items() if verdict.holds is not True}, all_hold(yes)
    bits = samples.error_bits + math.log2(len(left))
    said = f"zero at random points modulo random primes; the probability of error is below 2^{math.ceil(bits)}."
    alive = {key: part for n, (key, part) in enumerate(left.items()) if any(point[n] for point in samples.values)}
    return alive, Verdict("certain", said, bits)
