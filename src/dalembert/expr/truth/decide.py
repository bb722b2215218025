"""Is an expression zero? Decided modulo random primes, refuted at a real point.

Zero at random points modulo random primes is a yes whose probability of error is bounded by degree and size of the
numerator (Schwartz, Zippel; and the primes that could divide all coefficients). A no is only said with a witness: a
rational point where a ball excludes zero, or an exact value; or, where every part is independent, the point modulo the
prime, which is a proof too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.field.normal import proved_zero
from dalembert.expr.graph import KIND, ROOT, ZERO, Expr, Operand, as_expr
from dalembert.expr.phases import phases
from dalembert.expr.text.printer import summary
from dalembert.expr.truth.degrees import (
    class_bits,
    coefficients_vanish,
    failure_bits,
    sizes_together,
    vanishes_exactly,
)
from dalembert.expr.truth.drawn import Points, known_prime
from dalembert.expr.truth.enclosures import enclosed, enclosed_together
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.modular import (
    Modular,
    Plan,
    Unlucky,
    draw_for,
)
from dalembert.expr.truth.points import DOMAINS, Inside, relevant, settled
from dalembert.expr.truth.radicals import Roots, take_squares_out
from dalembert.expr.truth.signs import ranges
from dalembert.expr.truth.verdict import Verdict, all_hold
from dalembert.expr.truth.witness import defined_somewhere, find_witness
from dalembert.expr.walk import has_kind, postorder, substitute, symbols
from dalembert.records import dataclass, replace

_PRIME_BITS = 127
_ENOUGH = -80.0
"""A yes is only said when the probability of error is below two to this."""
_MOST_BITS = 4_000
_MOST_UNKNOWN = 6


@dataclass(frozen=True, slots=True)
class Samples:
    """Values of some expressions at random points, each modulo its own prime."""

    values: list[list[int]]
    primes: list[int]
    error_bits: float
    """The probability that something non-zero was zero at all points is at most two to this, if that was asked for."""
    prepared: Roots
    one_branch_only: bool = False
    """Whether all is zero at the last point for one choice of the signs of roots, but not for every one."""


def sample(
    roots: Sequence[Expr],
    points: int = 2,
    seed: int | None = None,
    *,
    until_nonzero: bool = False,
    bounded: bool = True,
) -> Samples:
    """Read expressions at random points modulo random primes; raise ``ExpressionError`` when there is no such point.

    Where what stands under a root may be a square in disguise, the root modulo a prime may be the wrong one of two:
    then every point is read for every choice of such signs. With ``until_nonzero`` the first values that are not all
    zero are the last. What only steers a derivation, and is said to nobody, needs no bound on the error: with primes of
    127 bits it would be beyond reach of all but absurd degrees.
    """
    if points < 1:
        raise ExpressionError(f"points must be at least 1, not {points}.")
    prepared = take_squares_out(roots)
    unknown = len(prepared.suspects) + len(prepared.changes)
    if unknown > _MOST_UNKNOWN:
        raise ExpressionError(
            f"{unknown} signs of roots are unknown, too many to try all combinations; declare signs, or write roots of "
            "roots, of sums of functions and of squares in another way."
        )
    plan = Plan.of(prepared.roots)
    by_luck = 0 if prepared.changes else prepared.open_signs
    least, failure, few = _least_bits(plan), 0.0, points
    points = _points_for(points, by_luck)
    found = None
    if until_nonzero or not bounded:  # what is not zero shows it at the first point, and needs no bound
        drawn = Points(prepared, plan, draw_for(roots, seed), least, steers=not bounded and points == 1)
        found = drawn.read(points, until_nonzero=until_nonzero)
    if bounded and (found is None or not any(found[0][-1])):
        bits, failure = _bits_and_failure(prepared, plan, few)
        if found is None or bits > least:
            found = Points(prepared, plan, draw_for(roots, seed), bits).read(points, until_nonzero=until_nonzero)
    assert found is not None
    values, primes, one_branch_only = found
    error = points * failure
    if by_luck:  # each pattern of signs has to have been met
        missed = points * math.log2(1.0 - 0.5**by_luck)
        error = max(error, missed) + math.log2(1.0 + 2.0 ** -min(abs(error - missed), 1_000.0))
    return Samples(values, primes, error, prepared, one_branch_only)


def _bits_and_failure(prepared: Roots, plan: Plan, points: int) -> tuple[int, float]:
    """Return how long primes have to be, and the logarithm of the probability that one point is misleading."""
    degree, height, field_bits = sizes = sizes_together(prepared, plan)
    wanted = math.log2(degree + height + 2) + field_bits + class_bits(plan) - _ENOUGH / points + 12
    bits = max(_least_bits(plan), math.ceil(wanted))
    if bits > _MOST_BITS:
        raise ExpressionError(
            f"the degree, about 2^{math.log2(degree + 1):.0f}, is too large for a bound on the error."
        )
    return bits, failure_bits(sizes, plan, bits)


def _least_bits(plan: Plan) -> int:
    return _PRIME_BITS + math.ceil(class_bits(plan))


def _points_for(points: int, open_signs: int) -> int:
    """Return how many points it takes to meet every pattern of open signs, but for a chance of two to the -41."""
    if not open_signs:
        return points
    if open_signs > 4:
        raise ExpressionError(f"{open_signs} signs under roots are unknown, too many to try all combinations.")
    return max(points, math.ceil(-41.0 / math.log2(1.0 - 0.5**open_signs)))


@work.formerly(proof="effort")
def is_zero(
    expression: Operand, facts: Sequence[Fact] = (), *, effort: float = 0.0, points: int = 2, seed: int | None = None
) -> Verdict:
    """Decide whether an expression is identically zero, where it is defined.

    ``effort`` is the work that may be spent on turning a ``certain`` yes into a ``proved`` one, by a normal
    form.

    ``facts`` are equations to be used: pairs (left, right) or expressions that are zero. Coordinates in a fact stand
    for any value, parameters for themselves.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> is_zero(sin(2*x) - 2*sin(x)*cos(x)).kind
    'certain'
    >>> is_zero(sin(2*x) - 2*sin(x)*cos(x), effort=5).kind
    'proved'
    >>> print(is_zero(sin(2*x) - sin(x)*cos(x)).witness)
    value 12/25 at tan(x/2) = -2
    """
    known = Facts.of(facts)
    expression = known.apply([as_expr(expression)])[0]
    if expression.op == "number" and expression is not ZERO:
        witness = known.told(find_witness(expression, None, known.inside))
        if witness is None and known.inside:
            return Verdict("undecided", f"it is the number {expression.data}, if there are any points.")
        return Verdict("refuted", f"it is the number {expression.data}.", witness=witness)
    found = _unless_nonzero(expression, known, effort, points, seed)
    if isinstance(found, Verdict):
        return found
    if known.where:
        return _at_points(expression, known)
    witness = known.told(find_witness(expression, known.chooser(expression), known.conditions()))
    if witness is not None:
        return Verdict("refuted", f"not zero: {witness}.", witness=witness)
    if has_kind([expression], KIND["pi"]) and (zero := _by_numbers(expression, found.prepared)) is not None:
        return zero
    if independent(expression) and not facts:
        value, prime = found.values[-1][0], found.primes[-1]
        return Verdict("refuted", f"not zero: it is {value} modulo the prime {prime} at a random point.")
    return Verdict("undecided", _why_not(found))


def _at_points(expression: Expr, known: Facts) -> Verdict:
    """Decide whether an expression that is not identically zero is so where some equations hold."""
    where = relevant(known.where, expression)
    branches = settled(where, expression)
    solved, verdicts = branches or [], {}
    behind = {s.name for s in symbols(known.chart.values())}
    for number, rules in enumerate(solved, 1):
        inside = [Inside(value, _domain(name)) for name, value in rules.items()]
        try:
            inside += [Inside(substitute([value], rules)[0], domain) for value, domain in known.conditions()]
            verdict = is_zero(substitute([expression], rules)[0], [*known.equations, *inside])
        except ExpressionError as fault:
            verdict = Verdict("undecided", f"it has no value there: {fault}")
        roots_there = any(name.data.name in behind for name in rules)  # so that coordinates of spheres are no numbers
        shown = verdict.witness if roots_there else known.told(verdict.witness)
        if verdict.holds is False and shown is not None:
            given = {name.data.label: _given(value) for name, value in rules.items()}
            witness = replace(shown, functions={**shown.functions, **given})
            return Verdict("refuted", f"not zero: {witness}.", witness=witness)
        verdicts[f"choice {number} of the roots" if len(solved) > 1 else "where the constraints hold"] = verdict
    found = _NOT_SHOWN if branches is None else all_hold(verdicts)
    if found.holds is None:  # points that were drawn may all lie where the constraints have no solution
        enclosed_there = known.told(enclosed(expression, where, known.conditions())[0])
        if enclosed_there is not None:
            return Verdict("refuted", f"not zero: {enclosed_there}.", witness=enclosed_there)
    return found


_NOT_SHOWN = Verdict("undecided", "it is not zero everywhere, but no point that obeys the constraints shows that.")


def _given(value: Expr) -> str:
    """Return what a letter is at a point by the constraints, where that can be read."""
    told = summary(value)
    return told if not told.startswith("<") else "what the constraints make it"


def nonzero_at(expression: Expr, facts: Sequence[Fact]) -> tuple[Verdict | None, int]:
    """Return that an expression is not zero at a point where equations hold, or None where no such point was found.

    Beside it stands at how many points before that it may be zero. They are found by Newton's method and enclosed; what
    the equations are like does not matter.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import Where
    >>> x, y = symbol("x"), symbol("y")
    >>> curve = Where(x**5 - x + y**5 - 1)
    >>> nonzero_at(x - y, [curve])[0].kind, nonzero_at((x - y) * curve.equation, [curve])
    ('refuted', (None, 6))
    """
    known = Facts.of(facts)
    (expression,) = known.apply([expression])
    found, zeros = enclosed(expression, relevant(known.where, expression), known.conditions())
    witness = known.told(found)
    return (None if witness is None else Verdict("refuted", f"not zero: {witness}.", witness=witness)), zeros


def nonzero_together(expressions: Sequence[Expr], facts: Sequence[Fact]) -> list[Verdict | None]:
    """Return of each expression that it is not zero at a point where equations hold, if the first point shows that.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.truth import Where
    >>> x, y = symbol("x"), symbol("y")
    >>> there = Where(x**5 - x + y**5 - 1)
    >>> [None if one is None else one.kind for one in nonzero_together([x - y, there.equation, x], [there])]
    ['refuted', None, 'refuted']
    """
    known = Facts.of(facts)
    read = known.apply(list(expressions))
    held = [e for e in dict.fromkeys(read) if relevant(known.where, e) == list(known.where)]
    found = dict(zip(held, enclosed_together(held, known.where, known.conditions()), strict=True)) if held else {}
    witnesses = [known.told(found.get(e)) for e in read]
    return [None if w is None else Verdict("refuted", f"not zero: {w}.", witness=w) for w in witnesses]


def _domain(name: Expr) -> str:
    domain = str(name.data.domain)
    return domain if domain in DOMAINS else "real"


def seems_zero(expression: Expr, facts: Sequence[Fact] = ()) -> Verdict | None:
    """Return the verdict of :func:`is_zero`, or None where a random point says no: a witness is not looked for.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x")
    >>> seems_zero((x + 1)**2 - x**2 - 2*x - 1).kind, seems_zero(x)
    ('certain', None)
    """
    known = Facts.of(facts)
    found = _unless_nonzero(known.apply([expression])[0], known)
    return found if isinstance(found, Verdict) else None


@work.remembered(64)  # what is asked with facts about points was asked without them just before
def _until_nonzero(expression: Expr, points: int, seed: int | None) -> Samples:
    return sample([expression], points, seed, until_nonzero=True)


def _unless_nonzero(
    expression: Expr, known: Facts, effort: float = 0.0, points: int = 2, seed: int | None = None
) -> Verdict | Samples:
    """Return the verdict on an expression that is zero, or undecided; where it is not zero, the values that say so."""
    if expression is ZERO:
        return Verdict("proved", "it is the number 0.")
    try:
        samples = _until_nonzero(expression, points, seed)
    except ExpressionError as fault:
        return Verdict("undecided", str(fault))
    last = samples.values[-1][0]
    if last and samples.one_branch_only and (zero := _by_numbers(expression, samples.prepared)) is not None:
        return zero
    if not last and _may_be_nowhere(expression) and not defined_somewhere(expression, known.chooser(expression)):
        return Verdict("undecided", "no real point was found where all logarithms and powers in it are defined.")
    if not last:
        if effort and proved_zero(expression, effort):
            return Verdict("proved", "its normal form, a fraction of polynomials, has the numerator 0.")
        bits = samples.error_bits
        return Verdict(
            "certain",
            f"zero at {len(set(samples.primes))} random points modulo random primes; "
            f"the probability of error is below 2^{math.ceil(bits)}.",
            error_bits=bits,
        )
    return samples


def _by_numbers(expression: Expr, prepared: Roots) -> Verdict | None:
    """Return that an expression is zero by algebraic numbers in it, or None if that is not shown."""
    if vanishes_exactly(expression):
        return Verdict("proved", "it is an algebraic number, and smaller than any of its kind that is not zero.")
    if coefficients_vanish(prepared.roots[0]):
        why = "every coefficient is an algebraic number, and smaller than any of its kind that is not zero."
        return Verdict("proved", why)
    return None


def independent(*expressions: Expr) -> bool:
    """Say whether all parts are independent for sure, so that a value modulo a prime is a proof by itself."""
    if has_kind(expressions, _DEPENDENT):
        return False
    turning = [node for node in postorder(expressions) if node.op == "sincos"] if has_kind(expressions, _TURNS) else []
    # different monomials are independent angles, but what is divided by a sum need not be
    return not any(has_kind(phases(node.args[0]), _NO_MONOMIAL) for node in turning)


_TURNS = KIND["sincos"]
_DEPENDENT = ROOT | KIND["call"] | KIND["power"] | KIND["pi"]
_NO_MONOMIAL = ROOT | sum(bit for op, bit in KIND.items() if op not in {"symbol", "product", "number"})


def at_one_point(expressions: Sequence[Expr], seed: int | None = None) -> tuple[int, list[int]] | None:
    """Return a prime and values modulo it at a random point, where one that is not zero is a proof; else None.

    No bound on errors is needed for that, so it costs a fraction of :func:`sample`.

    >>> from dalembert.expr import exp, symbol
    >>> x = symbol("x")
    >>> prime, values = at_one_point([x - 1, x - x])
    >>> values[0] > 0, values[1], at_one_point([exp(x)])
    (True, 0, None)
    """
    if not independent(*expressions):
        return None
    draw = draw_for(expressions, seed)
    plan = Plan.of(expressions)
    prime = known_prime(plan, draw, _PRIME_BITS)
    try:
        return prime, Modular(prime, draw, plan).read(expressions)
    except Unlucky:
        return None


def never_square(expression: Expr, points: int = 4) -> bool:
    """Say whether an expression is shown to be no square of a rational expression in what it is made of.

    The square of such an expression is a square at every point modulo every prime, so one value that is none is a
    proof. False says nothing: what has roots or unspecified parts is not looked at, and one in 2^points may be missed.

    >>> from dalembert.expr import cos, symbol
    >>> x, y = symbol("x", domain="angle"), symbol("y", domain="angle")
    >>> never_square(1 - cos(x)**2), never_square(1 - cos(x)**2 * cos(y)**2)
    (False, True)
    """
    read = (at_one_point([expression], seed) for seed in range(points))
    return any(one is not None and pow(one[1][0], one[0] // 2, one[0]) == one[0] - 1 for one in read)


def _may_be_nowhere(expression: Expr) -> bool:
    """Say whether a logarithm or a symbolic power is taken of what may be negative: modulo a prime that is not seen."""
    if not has_kind([expression], KIND["power"] | KIND["call"]):
        return False
    bases = [n.args[0] for n in postorder([expression]) if n.op == "power" or (n.op == "call" and n.data == "log")]
    return any(r.low < 0 for r in ranges(bases))


def _why_not(samples: Samples) -> str:
    if samples.prepared.open_signs:
        return (
            "it is not zero for every sign of what stands squared under a root, but no real point was found "
            "that has such a sign; declare the signs or rewrite the root."
        )
    if samples.one_branch_only:
        return (
            "it is zero for one choice of the signs of roots inside roots and not for another, and no real point was "
            "found that shows which is right; write the roots without roots inside."
        )
    return (
        "it is not zero as a formula in its parts, but no real point was found where that shows; "
        "a relation between logarithms, roots or nested functions may be missing."
    )


@work.formerly(proof="effort")
def equal(
    left: Operand, right: Operand, facts: Sequence[Fact] = (), *, effort: float = 0.0, seed: int | None = None
) -> Verdict:
    """Decide whether two expressions are equal wherever both are defined.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> equal((x + y)**2, x**2 + 2*x*y + y**2).holds
    True
    """
    return is_zero(as_expr(left) - as_expr(right), facts, effort=effort, seed=seed)
