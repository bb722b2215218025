"""Points where functions vanish, and points that obey equations.

A zero lies between two points where a continuous function has opposite signs; some points are often special. A no about
a motion under constraints has to be shown where the constraints hold.

Where the equations give some symbols in closed form, linear ones first and then roots of quadratic ones, these are put
in, and the question is one without equations. Else ``enclosures`` has points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from itertools import product as cartesian
from random import Random
from typing import Any, TypeAlias

from flint import arb

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import work
from dalembert.expr.calculus import diff
from dalembert.expr.elementary import sqrt
from dalembert.expr.graph import ONE, PI, ZERO, Expr
from dalembert.expr.readers import Balls, Rationals
from dalembert.expr.readers.balls import ball
from dalembert.expr.text.printer import text
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.records import dataclass

Point: TypeAlias = "dict[Expr, Fraction]"

_SPECIAL = {
    "real": (ZERO, ONE, -ONE),
    "angle": (ZERO, PI / 2, PI),
    "positive": (ONE, ONE + ONE),
    "negative": (-ONE, -ONE - ONE),
    "nonzero": (ONE, -ONE),
}
_LARGEST = 400
_POINTS = 60
_HALVINGS = 24


class Boxes(Balls):
    """Reads at all points of a box at once; that there is a value shows that the expression is continuous there."""

    def _look_up(self, node: Expr) -> Any:
        value: Any = self.values[node]
        return value


def crossing(expression: Expr) -> tuple[Witness, Witness] | None:
    """Return two points between which the expression has a zero, both in the domains of its symbols, or None.

    The segment between them stays in those domains: a symbol that must not be zero has the same sign at both ends.
    """
    draw = Random(7)
    leaves = sorted((n for n in postorder([expression]) if n.op == "symbol"), key=lambda n: n.data.label)
    nonzero = [n for n in leaves if n.data.domain == "nonzero"]
    found: dict[tuple[bool, ...], dict[bool, tuple[Point, Any]]] = {}
    for _ in range(_POINTS):
        point: Point = {}
        for node in leaves:
            size = Fraction(draw.randint(1, 24), draw.choice((4, 8)))
            domain = node.data.domain
            point[node] = -size if domain == "negative" or (domain != "positive" and draw.random() < 0.5) else size
        value = _value(expression, point)
        if value is None or not (value > 0 or value < 0):
            continue
        ends = found.setdefault(tuple(point[n] > 0 for n in nonzero), {})
        ends[bool(value > 0)] = (point, value)
        if len(ends) == 2 and _vanishes_between(expression, ends[True][0], ends[False][0]):
            above, below = (Witness(_named(p), v.str(10), exact=False) for p, v in (ends[True], ends[False]))
            return above, below
    return None


def touching(expression: Expr, real: Sequence[Expr] = ()) -> str:
    """Say at which point the expression is the number 0, of those with coordinates 0, 1, -1 and half turns; or nothing.

    Other expressions have to be real there.

    >>> from dalembert.expr import symbol
    >>> touching((symbol("x") - 1)**2 + symbol("y")**2)
    'x = 1, y = 0'
    """
    nodes = postorder([expression, *real])
    leaves = sorted((n for n in nodes if n.op == "symbol"), key=lambda n: n.data.label)
    if len(nodes) > _LARGEST:
        return ""
    for values in islice(cartesian(*(_SPECIAL.get(n.data.domain, _SPECIAL["real"]) for n in leaves)), _POINTS):
        try:
            there, *others = substitute([expression, *real], dict(zip(leaves, values, strict=True)))
            (value,) = Rationals({}).read([there])
            Balls({}).read(others)
        except (DalembertError, ZeroDivisionError):  # a pole, or a value that is not rational
            continue
        if value == 0:
            return ", ".join(f"{n.data.label} = {text(v)}" for n, v in zip(leaves, values, strict=True))
    return ""


def _named(point: Point) -> dict[str, Fraction]:
    return {n.data.label: v for n, v in point.items()}


def _value(expression: Expr, point: Point) -> Any | None:
    try:
        return Balls(point).read([expression])[0]
    except DalembertError:
        return None


def _vanishes_between(expression: Expr, above: Point, below: Point) -> bool:
    """Say whether there is a zero on the way from a point with a positive value to one with a negative value."""
    for _ in range(_HALVINGS):
        if _continuous(expression, above, below):
            return True
        middle = {n: (v + below[n]) / 2 for n, v in above.items()}
        value = _value(expression, middle)
        if value is None:
            return False
        if value == 0:
            return True
        if value > 0:
            above = middle
        elif value < 0:
            below = middle
        else:
            return False
    return False


def _continuous(expression: Expr, one: Point, other: Point) -> bool:
    box = {n: arb(ball((v + other[n]) / 2), ball(abs(v - other[n]) / 2).abs_upper()) for n, v in one.items()}
    try:
        value = Boxes(box).read([expression])[0]
    except DalembertError:
        return False
    return bool(value.is_finite())


DOMAINS: dict[str, Callable[[Any], bool]] = {
    "real": lambda value: bool(value.is_finite()),
    "positive": lambda value: bool(value > 0),
    "negative": lambda value: bool(value < 0),
    "nonzero": lambda value: not value.contains(0),
}
"""Whether all of a ball lies in a domain."""

_NOT_ZERO = frozenset({"positive", "negative", "nonzero"})
_MOST_BRANCHES = 4


@dataclass(frozen=True, slots=True)
class Where:
    """A fact about the points that are asked about: there the expression is zero. It is no identity."""

    equation: Expr


@dataclass(frozen=True, slots=True)
class Inside:
    """A fact about the points that are asked about: there the value exists, and lies in a domain."""

    value: Expr
    domain: str = "real"


def relevant(equations: Sequence[Expr], expression: Expr) -> list[Expr]:
    """Return the equations that matter for an expression: those on velocities do not for one without any."""
    if any(s.order for s in symbols([expression])):
        return list(equations)
    return [equation for equation in equations if not any(s.order for s in symbols([equation]))]


# -- by what the equations give ------------------------------------------------------------------------------------
def settled(equations: Sequence[Expr], expression: Expr, *, away: bool = False) -> list[dict[Expr, Expr]] | None:
    """Return the values of symbols that the equations give, for each choice of roots, or None where they give none.

    Symbols that the expression does not contain are solved for first, or last if these are to go away, and parameters
    before others.

    >>> from dalembert.expr.graph import symbol
    >>> x, y, l = symbol("x"), symbol("y"), symbol("l", role="parameter", domain="positive")
    >>> settled([x**2 + y**2 - l**2], x * y)
    [{l: sqrt(x^2 + y^2)}]
    """
    leaves = {node for node in postorder(equations) if node.op == "symbol"}
    present = frozenset(node for node in postorder([expression]) if node in leaves)
    found = _branches(tuple(equations), present, away)
    return None if found is None else [dict(rules) for rules in found]


@work.remembered(32)  # the same equations hold for one monitor after the other
def _branches(equations: tuple[Expr, ...], present: frozenset[Expr], away: bool) -> list[dict[Expr, Expr]] | None:
    found: list[tuple[dict[Expr, Expr], list[tuple[Expr, Expr]]]] = [({}, [])]
    try:
        for equation in equations:
            grown = []
            for rules, divided in found:
                (left,) = substitute([equation], rules)
                if _vanishes(left):  # it follows from the others
                    grown.append((rules, divided))
                    continue
                factors = _factors(left)
                for factor in factors:
                    if len(factors) > 1 and _stays_away(factor):
                        continue
                    given = _solved(factor, present, away)
                    if given is None:
                        return None
                    what, values, slope, rest = given
                    for value in values:
                        put = {what: value}
                        before = dict(zip(rules, substitute(list(rules.values()), put), strict=True))
                        one, other = (substitute([pair[k] for pair in divided], put) for k in (0, 1))
                        grown.append(({**before, **put}, [*zip(one, other, strict=True), (slope, rest)]))
            found = grown
            if len(found) > _MOST_BRANCHES or any(_loses(*pair) for _, divided in found for pair in divided):
                return None
    except ExpressionError:  # a value of one equation is a pole of another
        return None
    return [rules for rules, _ in found]


def _factors(equation: Expr) -> list[Expr]:
    """Return what may be zero where a product is: each factor, but for symbols that are never zero."""
    if equation.op == "sum" and len(equation.args) == 1 and not equation.data[0]:
        return _factors(equation.args[0])
    if equation.op == "product":
        above = [a for a, exponent in zip(equation.args, equation.data, strict=True) if exponent > 0]
        return list(dict.fromkeys(factor for a in above for factor in _factors(a)))
    return [] if equation.op == "symbol" and equation.data.domain in _NOT_ZERO else _numerator(equation)


def _numerator(equation: Expr) -> list[Expr]:
    """Return the factors of a numerator in lowest terms, if there are several, else the equation."""
    from dalembert.expr.field.quotients import Field  # of which signs are asked, and these for points

    if equation.op == "sum" and len(postorder([equation])) <= _LARGEST:
        with suppress(DalembertError):
            field = Field([equation], _LARGEST)
            factors = [field.to_expr(factor) for factor, _ in field.read(equation).above.factor()[1]]
            if len(factors) > 1:
                return [one for one in factors if one.op != "symbol" or one.data.domain not in _NOT_ZERO]
    return [equation]


def _loses(divisor: Expr, divided: Expr) -> bool:
    """Say whether a divisor is seen to vanish with what is divided by it: there a symbol may have any value."""
    if divisor.op == "number":
        return False
    if _vanishes(divided):
        return not _stays_away(divisor)
    for factor in _factors(divisor):
        what, values, *_ = _solved(factor, frozenset(), away=False) or (ZERO, [])
        with suppress(ExpressionError):
            if any(_vanishes(substitute([divided], {what: value})[0]) for value in values):
                return True
    return False


def _stays_away(expression: Expr) -> bool:
    from dalembert.expr.truth.pivots import excludes_zero  # the file of which asks here for points

    return excludes_zero(expression) is not None


def _vanishes(expression: Expr) -> bool:
    from dalembert.expr.truth.decide import seems_zero  # the file of which asks here for points

    verdict = seems_zero(expression)
    return verdict is not None and verdict.holds is True


def _solved(equation: Expr, present: frozenset[Expr], away: bool) -> tuple[Expr, list[Expr], Expr, Expr] | None:
    """Return a symbol, the values that an equation gives it, what that is divided by, and what is divided."""
    leaves = [n for n in postorder([equation]) if n.op == "symbol"]
    leaves.sort(key=lambda n: ((n in present) is not away, n.data.role != "parameter", n.data.label))
    bent = []
    for leaf in leaves:
        slope = diff(equation, leaf)
        twice = diff(slope, leaf)
        if _vanishes(slope):
            continue
        if _vanishes(twice):
            slope, rest = substitute([slope, equation], {leaf: ZERO})
            if leaf.data.domain in _NOT_ZERO and _vanishes(rest):  # what it is a factor of is zero, for it is not
                return _solved(slope, present, away)
            return leaf, [-rest / slope], slope, rest
        if _vanishes(diff(twice, leaf)):
            bent.append((leaf, slope, twice / 2))
    for leaf, slope, square in bent:
        middle, rest, square = substitute([slope, equation, square], {leaf: ZERO})
        return leaf, list(_roots(square, middle, rest, leaf.data.domain)), square, middle**2 + rest**2
    return None


def _roots(square: Expr, middle: Expr, rest: Expr, domain: str) -> Iterator[Expr]:
    if _vanishes(middle):
        root = sqrt(-rest / square)
        yield from [root] if domain == "positive" else [-root] if domain == "negative" else [root, -root]
        return
    root = sqrt(middle**2 - 4 * square * rest)
    yield from ((sign * root - middle) / (2 * square) for sign in (1, -1))
