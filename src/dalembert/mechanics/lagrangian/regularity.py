"""Whether a Lagrangian determines the accelerations: its Hessian is regular, and where it fails to be.

A formula that has no zero may still have poles: a determinant 1/cos(theta)^2 never vanishes, and says nothing of the
points with cos(theta) = 0, where these coordinates or velocities fail. So "everywhere" is said only where nothing is
divided by what may vanish.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, as_expr, total
from dalembert.expr.linear import constant_null_space, determinant, null_space
from dalembert.expr.text import text
from dalembert.expr.text.opened import opened
from dalembert.expr.truth import Fact, Facts, Verdict, all_hold, excludes_zero, generic_rank, never_zero, vanish
from dalembert.expr.truth.enclosures import enclosed
from dalembert.expr.truth.points import relevant, settled, touching
from dalembert.expr.truth.signs import never_zero_on_sphere
from dalembert.expr.walk import divisors, postorder, substitute, tree_size
from dalembert.mechanics.asked import refusal
from dalembert.model.claim import Claim

__all__ = [
    "DIVIDES",
    "divided_claims",
    "divisors",
    "failing",
    "idle",
    "idle_by",
    "never_vanishes",
    "poles",
    "regularity_claim",
    "require_regular",
    "vanishes_nowhere",
]

DIVIDES = "equations divide by nothing that vanishes"
_MOST_NODES = 600
_MOST_TERMS = 2_000
"""The determinant of a larger Hessian, or one that has more terms, is not written down."""
_READABLE = 150
"""Nodes of a determinant, or letters, that still stand in a sentence."""
_FEW_TERMS = 100
"""So many terms may what is said to have no inertia take on the way."""
_TIDYING = 0.3
_ONLY_PATHS = (
    "a change of speed along the path has no inertia (L is of degree 1 in velocities and leaves open how fast a path "
    "is run through: let one of the coordinates be the time)"
)
"""Said of lengths and times of travel, as those of geodesics, light and the brachistochrone."""


def require_regular(
    hessian: Sequence[Sequence[Expr]],
    formalism: str,
    what: str,
    facts: Sequence[Fact] = (),
    velocities: Sequence[Expr] = (),
) -> Verdict:
    """Return the verdict that a Hessian by velocities is regular at a generic point, or raise ``HypothesisError``."""
    rank = generic_rank(hessian, facts)
    if rank.rank < len(hessian):
        said = f"{what} is not regular: {idle_by(rank.rank, hessian, velocities)}"
        fault = Fault("lagrangian", said, "the constraints and L do not determine the motion", kind="regular")
        raise refusal(formalism, [fault])
    return rank.verdict


def idle_by(rank: int, hessian: Sequence[Sequence[Expr]], velocities: Sequence[Expr]) -> str:
    """Say of a Hessian of less than full rank what has no inertia, if that is known, and which rank it has."""
    why = idle(hessian, velocities)
    return f"{why}{', for ' if why else ''}its Hessian has rank {rank} of {len(hessian)}"


def idle(hessian: Sequence[Sequence[Expr]], velocities: Sequence[Expr]) -> str:
    """Say which velocities, or combinations of them, a singular Hessian gives no inertia; "" where that is long.

    >>> from dalembert.expr.graph import ZERO, symbol
    >>> x, y, m = (symbol(n) for n in "xym")
    >>> idle([[m, ZERO], [ZERO, ZERO]], [x.dot, y.dot])
    "y' has no inertia"
    >>> idle([[m, 2 * m], [2 * m, 4 * m]], [x.dot, y.dot])
    "a motion with x' = -2, y' = 1 has no inertia"
    >>> idle([[1 / x, x / x], [x / x, x]], [x.dot, y.dot])
    "a motion with x' = -x, y' = 1 has no inertia"
    >>> idle([[y.dot**2, -x.dot * y.dot], [-x.dot * y.dot, x.dot**2]], [x.dot, y.dot]) == _ONLY_PATHS
    True
    """
    if len(velocities) != len(hessian):
        return ""
    try:
        found = constant_null_space([list(column) for column in zip(*hessian, strict=True)])
        held = [row for row, verdict in zip(found.basis, found.verdicts, strict=True) if verdict.holds]
        rows = [list(map(as_expr, row)) for row in held] or null_space(hessian, most_terms=_FEW_TERMS)
    except ExpressionError:
        return ""
    if len(rows) == 1 and all(v.data.order == 1 for v in velocities) and len(velocities) > 1:
        along = [total((1, entry * v) for entry, v in zip(row, velocities, strict=True)) for row in hessian]
        if vanish(along):  # by Euler's theorem
            return _ONLY_PATHS
    said = " and ".join(_direction(row, velocities) for row in rows)
    return f"{said} {'have' if len(rows) > 1 else 'has'} no inertia" if 0 < len(said) <= _READABLE else ""


def _direction(row: Sequence[Expr], velocities: Sequence[Expr]) -> str:
    """Return a velocity by its name, or the values of those that are not zero."""
    parts = {str(v.data.label): text(c) for v, c in zip(velocities, row, strict=True) if c is not ZERO}
    return (
        next(iter(parts)) if len(parts) == 1 else f"a motion with {', '.join(f'{v} = {c}' for v, c in parts.items())}"
    )


def poles(expressions: Iterable[Expr]) -> list[Expr]:
    """Return what expressions divide by that is not shown never to vanish."""
    return [base for base in divisors(expressions) if excludes_zero(base) is None]


def never_vanishes(value: Expr, facts: Sequence[Fact]) -> Verdict:
    """Decide whether a value has no zero where some facts hold; a zero that is named obeys them.

    >>> from dalembert.expr.graph import symbol
    >>> from dalembert.expr.truth import Where
    >>> x, y = symbol("x"), symbol("y")
    >>> sheet = [Where(y - x**2 - 1)]
    >>> never_vanishes(y, sheet).holds, never_vanishes(y - 2, sheet).holds, never_zero(y).holds
    (True, False, False)
    """
    shown = vanishes_nowhere(value, facts)
    if shown is not None:
        return shown
    verdict = Verdict("undecided", "no zero was found where the constraints hold, and none could be excluded.")
    for known in Facts.covering(facts):
        (there,) = known.apply([value])
        found = _zero_in(there, known) if known.where or known.inside else never_zero(there)
        if found.holds is False:
            return found
        verdict = verdict if found.holds else found
    return verdict


def _zero_in(value: Expr, known: Facts) -> Verdict:
    """Look for a zero where facts hold."""
    where = relevant(known.where, value)
    real = [e for e, _ in known.inside]
    there = touching(total([(1, e**2) for e in (value, *where)]), real)  # where ranks are lost nothing is enclosed
    if there:
        return Verdict("refuted", f"it vanishes at {there}.")
    zero, _ = enclosed(ONE, [*where, value], known.conditions())
    if zero is not None:
        at = ", ".join(f"{name} = {float(number):.4g}" for name, number in zero.point.items())
        return Verdict("refuted", f"it vanishes near {at}.", witness=zero)
    return Verdict("undecided", "no zero was found where the constraints hold, and none could be excluded.")


def vanishes_nowhere(value: Expr, facts: Sequence[Fact]) -> Verdict | None:
    """Return the verdict of :func:`never_vanishes` where that is a yes, else None: no zero is looked for in vain.

    >>> from dalembert.expr.graph import symbol
    >>> x = symbol("x")
    >>> vanishes_nowhere(x**2 + 1, []).kind, vanishes_nowhere(x, [])
    ('proved', None)
    """
    charts = Facts.covering(facts)
    vectors = [vector for fact in charts[0].embedded for vector in fact.unit_vectors]
    if vectors and value.op != "number" and never_zero_on_sphere(charts[0].apply_rules([value])[0], vectors):
        return Verdict("proved", "its numerator keeps its sign on the sphere.")
    verdicts: dict[str, Verdict] = {}
    same: dict[tuple[Expr, ...], Verdict | None] = {}  # of two rotations most values know one
    for number, known in enumerate(charts, 1):
        (there,) = known.apply([value])
        key = there, *relevant(known.where, there)
        if key not in same:
            same[key] = _excluded_at(*key)
        shown = same[key]
        if shown is None:
            return None
        verdicts[f"chart {number}"] = shown
    return all_hold(verdicts) if len(verdicts) > 1 else verdicts["chart 1"]


def _excluded_at(value: Expr, *where: Expr) -> Verdict | None:
    """Return that a value has no zero where others are zero, by one choice of independent values on spheres."""
    shown = excludes_zero(value)
    if shown is not None or not where:
        return shown
    each = {}
    for number, rules in enumerate(settled(where, value, away=True) or (), 1):
        try:
            (there,) = substitute([value], rules)
        except ExpressionError:  # it has no value there
            return None
        found = excludes_zero(there)
        if found is None:
            return None
        each[f"choice {number}"] = found
    return all_hold(each) if each else None


def failing(never: Verdict, value: Expr) -> str:
    """Say in brackets where something fails that needs a value never to be zero, as far as the verdict on that goes.

    >>> from dalembert.expr.graph import symbol
    >>> failing(never_zero(symbol("x")), symbol("x"))
    ' (it fails where x = 0)'
    """
    if never.holds:
        return ""
    return f" (it {'fails' if never.holds is False else 'could fail only'} where {_readable(value)} = 0)"


def regularity_claim(
    hessian: Sequence[Sequence[Expr]],
    generic: Verdict,
    what: str,
    facts: Sequence[Fact] = (),
    *,
    pivots: Sequence[Expr] = (),
    said: str = "regular",
    definite: Verdict | None = None,
) -> Claim:
    """Say that a Lagrangian is regular everywhere, or only at a generic point, and then where it is not.

    ``pivots`` are what was divided by on the way to the Hessian; ``definite`` is how it is known to be definite.

    >>> from dalembert.expr.graph import ONE, symbol
    >>> x = symbol("x")
    >>> regularity_claim([[1 + x**2]], Verdict("proved", ""), "it").statement
    'it is regular everywhere'
    >>> regularity_claim([[x]], Verdict("proved", ""), "it").statement
    'it is regular at a generic point (it fails where x = 0)'
    >>> regularity_claim([[1/x**2]], Verdict("proved", ""), "it").statement
    'it is regular wherever it is defined (it has no value where x = 0)'
    """
    never = definite
    if never is None:
        value = _short_determinant(hessian, facts)
        if value is None:
            unasked = f"{what} is {said} at a generic point (where it may fail was not asked: its Hessian is large)"
            return Claim("regular", unasked, "hypothesis", generic)
        never = never_vanishes(value, facts)
        if never.holds is not True:
            where = f"at a generic point ({_locus(value, facts)})"
            return Claim("regular", f"{what} is {said} {where}", "hypothesis", generic)
    undefined = _undefined([*(e for row in hessian for e in row), *(1 / p for p in pivots)])
    where = f"wherever it is defined ({undefined})" if undefined else "everywhere"
    return Claim("regular", f"{what} is {said} {where}", "hypothesis", never)


def divided_claims(pivots: Sequence[Expr], facts: Sequence[Fact], whose: str) -> list[Claim]:
    """Say whether something that equations divide by vanishes somewhere: they say nothing there.

    >>> from dalembert.expr.graph import symbol
    >>> [claim.statement for claim in divided_claims([symbol("x")], [], "the reduced equations")]
    ['the reduced equations divide by nothing that vanishes (they fail where x = 0)']
    """
    if not pivots:
        return []
    verdicts = {pivot: never_vanishes(pivot, facts) for pivot in pivots}
    does = [pivot for pivot, verdict in verdicts.items() if verdict.holds is False]
    may = [pivot for pivot, verdict in verdicts.items() if verdict.holds is None]
    said = f"{whose} divide by nothing that vanishes"
    if does:
        said += f" (they fail where {_zeros_told(does)})"
    elif may:
        said += f" (they could fail only where {_zeros_told(may)})"
    return [Claim(DIVIDES, said, "question", all_hold({_told(pivot): one for pivot, one in verdicts.items()}))]


def _told(pivot: Expr) -> str:
    return text(_with_the_same_zeros(pivot)) if tree_size(pivot) <= _READABLE else "a long expression"


def _zeros_told(pivots: Sequence[Expr]) -> str:
    """Tell where pivots vanish, of opposite ones once.

    >>> from dalembert.expr.graph import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> _zeros_told([x - y, y - x, x])
    'x - y = 0 or x = 0'
    """
    told: dict[str, Expr] = {}
    for pivot in pivots:
        name = f"{_told(pivot)} = 0"
        short = tree_size(pivot) <= _READABLE
        if name not in told and not (short and any(vanish([pivot + other]) for other in told.values())):
            told[name] = pivot
    return " or ".join(told)


def _short_determinant(hessian: Sequence[Sequence[Expr]], facts: Sequence[Fact] = ()) -> Expr | None:
    """Return the determinant, or None where it is too large to be looked at."""
    if len(postorder([e for row in hessian for e in row])) > _MOST_NODES:
        return None
    known = Facts.of(facts)
    try:
        value = determinant([known.apply_rules(row) for row in hessian], most_terms=_MOST_TERMS)
    except ExpressionError:
        return None
    relations = [relation for fact in known.embedded for relation in fact.relations]
    return tidy(value, _TIDYING, modulo=relations) if relations else value


def _undefined(expressions: Sequence[Expr]) -> str:
    """Say where a Hessian has no value; nothing where it has one everywhere."""
    found = poles(expressions)
    if not found:
        return ""
    if sum(tree_size(base) for base in found) > _READABLE:
        return "it has no value where something that it divides by vanishes"
    return f"it has no value where {' or '.join(dict.fromkeys(f'{_readable(base)} = 0' for base in found))}"


def _readable(base: Expr) -> str:
    """Return the text of something whose zeros are meant: short, opened, without a leading number.

    >>> from dalembert.expr.graph import symbol
    >>> _readable(-2 * symbol("x") ** 3 * symbol("l", role="parameter", domain="positive") / symbol("y"))
    'x'
    """
    (short,) = opened([tidy(base, _TIDYING)])
    return text(_with_the_same_zeros(short))


def _with_the_same_zeros(short: Expr) -> Expr:
    """Return the product of the factors that may vanish, each once: no numbers, lengths and divisors."""
    if short.op == "sum" and not short.data[0] and len(short.args) == 1:
        short = short.args[0]
    if short.op != "product":
        return short
    bases = [base for base, power in zip(short.args, short.data, strict=True) if power > 0]
    left = [base for base in bases if excludes_zero(base) is None]
    return prod(left, start=ONE) if left else short


def _locus(value: Expr, facts: Sequence[Fact]) -> str:
    """Say where a determinant vanishes: where one of its factors does that has, or may have, a zero."""
    short = tidy(value, _TIDYING)
    factors = [short]
    if short.op == "product":
        factors = [base for base, power in zip(short.args, short.data, strict=True) if power > 0]
    verdicts = [(factor, never_vanishes(factor, facts)) for factor in factors]
    left = [(factor, verdict) for factor, verdict in verdicts if verdict.holds is not True]
    if not left or sum(tree_size(factor) for factor, _ in left) > _READABLE:
        return "it could fail only where the determinant of its Hessian vanishes"
    does = [factor for factor, verdict in left if verdict.holds is False]
    may = [factor for factor, verdict in left if verdict.holds is None]
    parts = [f"it fails where {_zeros(does)}"] if does else []
    parts += [f"it could fail {'else ' if does else ''}only where {_zeros(may)}"] if may else []
    return "; ".join(parts)


def _zeros(factors: Sequence[Expr]) -> str:
    return " or ".join(f"{text(factor)} = 0" for factor in factors)
