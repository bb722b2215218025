"""Is an expression zero? Decided modulo random primes, refuted at a real point.

Zero at random points modulo random primes is a yes whose probability of error is bounded by degree and size of the
numerator (Schwartz, Zippel; and the primes that could divide all coefficients). A no is only said with a witness: a
rational point where a ball excludes zero, or an exact value; or, where every part is independent, the point modulo the
prime, which is a proof too.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from flint import arb

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.field.normal import proved_zero
from dalembert.expr.graph import ZERO, Expr, Operand, as_expr
from dalembert.expr.phases import phases
from dalembert.expr.readers import Balls
from dalembert.expr.truth.degrees import numerator_sizes
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.modular import Modular, Plan, Unlucky, random_prime
from dalembert.expr.truth.radicals import Roots, take_squares_out
from dalembert.expr.truth.verdict import Verdict
from dalembert.expr.truth.witness import find_witness
from dalembert.expr.walk import functions, postorder, symbols

__all__ = ["Samples", "equal", "is_zero", "sample"]

_PRIME_BITS = 127
_ENOUGH = -80.0
"""A yes is only said when the probability of error is below two to this."""
_MOST_BITS = 4_000


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of some expressions at random points, each modulo its own prime."""

    values: list[list[int]]
    primes: list[int]
    error_bits: float
    """The probability that something non-zero was zero at all points is at most two to this."""
    prepared: Roots
    one_branch_only: bool = False
    """Whether all that is zero is so only for one choice of the signs of roots inside roots."""


def sample(roots: Sequence[Expr], points: int = 2, seed: int | None = None, *, until_nonzero: bool = False) -> Samples:
    """Read expressions at random points modulo random primes; raise ``ExpressionError`` when there is no such point.

    With ``until_nonzero`` the first point where something is not zero is the last.
    """
    prepared = take_squares_out(roots)
    plan = Plan.of(prepared.roots)
    sizes = numerator_sizes(prepared.roots, plan)
    degree = max((s.degree for s in sizes), default=0.0)
    height = max((s.bits for s in sizes), default=0.0)
    # a root multiplies the degree by that of its field (the norm), and the points where it exists are one in two
    field_bits = prepared.radicands * (1.0 + math.log2(max(plan.root, 2)))
    if not (math.isfinite(degree) and math.isfinite(height)):
        raise ExpressionError("the degree is too large for any bound on the error.")
    bits = max(_PRIME_BITS, math.ceil(math.log2(degree + height + 2) + field_bits - _ENOUGH / points + 12))
    if bits > _MOST_BITS:
        raise ExpressionError(
            f"the degree, about 2^{math.log2(degree + 1):.0f}, is too large for a bound on the error."
        )
    # the primes of this size that are 3 modulo 4 number about 2^(bits-1) / (2 bits ln 2)
    primes_bits = bits - 1 - math.log2(2 * bits)
    failure = math.log2(2.0 ** (math.log2(degree + 1) - bits + 1) + 2.0 ** (math.log2(height / bits + 1) - primes_bits))
    points = _points_for(points, prepared.open_signs)
    draw = Random(secrets.randbits(128) if seed is None else seed)
    values: list[list[int]] = []
    primes: list[int] = []
    one_branch_only = False
    for _ in range(points):
        reader, value = _lucky(prepared.roots, plan, draw, bits, prepared.radicands)
        primes.append(reader.prime)
        values.append(value)
        if until_nonzero and any(value):
            break
        if until_nonzero and prepared.suspects:
            one_branch_only = one_branch_only or not _all_branches(reader, prepared)
    error = points * (failure + field_bits)
    if prepared.open_signs:  # each pattern of signs has to have been met
        error = max(error, points * math.log2(1.0 - 0.5**prepared.open_signs))
    return Samples(values, primes, error, prepared, one_branch_only)


def _points_for(points: int, open_signs: int) -> int:
    """Return how many points it takes to meet every pattern of open signs, but for a chance of two to the -40."""
    if not open_signs:
        return points
    if open_signs > 4:
        raise ExpressionError(f"{open_signs} absolute values of unknown sign are too many to try all combinations.")
    return math.ceil(-40.0 / math.log2(1.0 - 0.5**open_signs))


def _all_branches(reader: Modular, prepared: Roots) -> bool:
    """Say whether all is zero at a point for every choice of the signs of the suspicious roots.

    What stands under such a root may be a square in disguise; then the root modulo a prime may be the wrong one of two.
    """
    if len(prepared.suspects) > 4:
        return False
    for count in range(1, len(prepared.suspects) + 1):
        for chosen in combinations(prepared.suspects, count):
            try:
                if any(reader.with_other_signs(chosen).read(prepared.roots)):
                    return False
            except Unlucky:
                return False
    return True


def _lucky(roots: Sequence[Expr], plan: Plan, draw: Random, bits: int, radicands: int) -> tuple[Modular, list[int]]:
    """Return a reader and the values at its point, where every root exists and no denominator vanishes."""
    for attempt in range(40 + 20 * 2 ** min(radicands, 9)):
        if attempt % 16 == 0:
            prime = random_prime(draw, bits, plan.root, plan.numbers)
        reader = Modular(prime, draw, plan)
        try:
            return reader, reader.read(roots)
        except Unlucky:
            continue
    if radicands:
        raise ExpressionError(
            "no point was found where all roots exist: one may be nowhere real, or they are too many."
        )
    raise ExpressionError("a denominator, or the determinant of a linear system, is identically zero.")


def is_zero(
    expression: Operand, facts: Sequence[Fact] = (), *, proof: float = 0.0, points: int = 2, seed: int | None = None
) -> Verdict:
    """Decide whether an expression is identically zero, where it is defined.

    ``proof`` is the time in seconds that may be spent on turning a ``certain`` yes into a ``proved`` one, by a normal
    form.

    ``facts`` are equations to be used: pairs (left, right) or expressions that are zero. Coordinates in a fact stand
    for any value, parameters for themselves.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> is_zero(sin(2*x) - 2*sin(x)*cos(x)).kind
    'certain'
    >>> is_zero(sin(2*x) - 2*sin(x)*cos(x), proof=5).kind
    'proved'
    >>> print(is_zero(sin(2*x) - sin(x)*cos(x)).witness)
    value 12/25 at tan(x/2) = -2
    """
    expression = as_expr(expression)
    known = Facts.of(facts)
    expression = known.apply([expression])[0]
    if expression.op == "number":
        if expression is ZERO:
            return Verdict("proved", "it is the number 0.")
        witness = find_witness(expression)
        return Verdict("refuted", f"it is the number {expression.data}.", witness=witness)
    try:
        samples = sample([expression], points, seed, until_nonzero=True)
    except ExpressionError as fault:
        return Verdict("undecided", str(fault))
    last = samples.values[-1][0]
    if not last and samples.one_branch_only and not _branch_is_right(expression):
        last = 1  # zero on a branch that need not be the real one: as good as not zero
    if not last:
        if proof and proved_zero(expression, proof):
            return Verdict("proved", "its normal form, a fraction of polynomials, has the numerator 0.")
        bits = samples.error_bits
        return Verdict(
            "certain",
            f"zero at {len(samples.primes)} random points modulo random primes; "
            f"the probability of error is below 2^{math.ceil(bits)}.",
            error_bits=bits,
        )
    witness = find_witness(expression, known.chooser(expression))
    if witness is not None:
        return Verdict("refuted", f"not zero: {witness}.", witness=witness)
    if _independent(expression) and not facts:
        return Verdict("refuted", f"not zero: it is {last} modulo the prime {samples.primes[-1]} at a random point.")
    return Verdict("undecided", _why_not(samples))


def _independent(expression: Expr) -> bool:
    """Say whether all parts are independent for sure, so that a value modulo a prime is a proof by itself."""
    for node in postorder([expression]):
        if node.op in {"call", "power", "pi"}:
            return False
        if node.op == "product" and any(e.denominator != 1 for e in node.data):
            return False
        # different monomials are independent angles, but what is divided by a sum need not be
        if node.op == "sincos" and any(
            n.op not in {"symbol", "product", "number"} for n in postorder(phases(node.args[0]))
        ):
            return False
    return True


def _branch_is_right(expression: Expr) -> bool:
    """Say of a constant whether it is as small as zero must be; of anything else nothing is known."""
    if symbols([expression]) or functions([expression]):
        return False
    try:
        value = Balls({}, 4_000).read([expression])[0]
    except DalembertError:
        return False
    return bool(value.contains(0) and value.rad() < arb(1) / 2**3_000)


def _why_not(samples: Samples) -> str:
    if samples.one_branch_only:
        return (
            "it is zero for one choice of the signs of roots inside roots and not for another, and no real point was "
            "found that shows which is right; write the roots without roots inside."
        )
    if samples.prepared.open_signs:
        return (
            "it is not zero for every sign of what stands squared under a root, but no real point was found "
            "that has such a sign; declare the signs or rewrite the root."
        )
    return (
        "it is not zero as a formula in its parts, but no real point was found where that shows; "
        "a relation between logarithms, roots or nested functions may be missing."
    )


def equal(
    left: Operand, right: Operand, facts: Sequence[Fact] = (), *, proof: float = 0.0, seed: int | None = None
) -> Verdict:
    """Decide whether two expressions are equal wherever both are defined.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> equal((x + y)**2, x**2 + 2*x*y + y**2).holds
    True
    """
    return is_zero(as_expr(left) - as_expr(right), facts, proof=proof, seed=seed)
