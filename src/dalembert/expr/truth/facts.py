"""Assumed facts: equations that may be used while something is decided.

A fact such as ``D(V, 2)(x, y0, z) = 0`` holds for all values of the coordinates in it (x and z) and for the one value
of each parameter (y0), so it may be differentiated by x and z but not by y0. It is used from left to right: what
it gives is put in wherever it matches. Coordinates of spheres and rotations are put in by independent values
(``spheres``), after all else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import product as cartesian
from random import Random
from typing import TypeAlias

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import work
from dalembert.expr.calculus import define, diff, time_derivative
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ONE, ZERO, Expr, make, symbol, total
from dalembert.expr.readers import Rationals
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.points import Inside, Where
from dalembert.expr.truth.signs import ranges
from dalembert.expr.truth.spheres import Embedded, told
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.truth.witness import Chosen, formal_arguments, jet_order, monomials
from dalembert.expr.walk import Rebuild, evaluate, functions, map_leaves, postorder, rebuild, substitute
from dalembert.records import dataclass, field, replace

Fact: TypeAlias = "Expr | tuple[Expr, Expr] | Where | Inside | Embedded"
"""An equation (left, right), or an expression that is zero; what holds only at the points asked about; spheres."""


_MOST_STEPS = 40
_MOST_TERMS = 400


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as rules: each gives one function value or one symbol in terms of other things."""

    rules: tuple[tuple[Expr, Expr], ...]
    equations: tuple[Expr, ...]
    where: tuple[Expr, ...] = ()
    """What is zero at the points asked about, and not identically."""
    inside: tuple[tuple[Expr, str], ...] = ()
    """What has to lie in a domain there."""
    chart: Mapping[Expr, Expr] = field(default_factory=dict)
    """The coordinates of spheres by independent values."""
    embedded: tuple[Embedded, ...] = ()

    @classmethod
    def of(cls, facts: Sequence[Fact], chart: Mapping[Expr, Expr] | None = None) -> Facts:
        """Solve each fact for something that it gives; a chart of spheres is their first one if none is given.

        >>> from dalembert.expr import symbol
        >>> a, b = symbol("a", role="parameter"), symbol("b", role="parameter")
        >>> Facts.of([(b, 2*a)]).apply([b**2])
        [4*a^2]
        """
        return _of(tuple(facts)) if chart is None else cls.solved(facts, chart)

    @classmethod
    def solved(cls, facts: Sequence[Fact], chart: Mapping[Expr, Expr] | None) -> Facts:
        """Do what ``of`` does, whether it was done before or not."""
        rules: list[tuple[Expr, Expr]] = []
        always = [fact for fact in facts if not isinstance(fact, Where | Inside | Embedded)]
        round_ = tuple(dict.fromkeys(fact for fact in facts if isinstance(fact, Embedded)))
        waiting = [fact if isinstance(fact, tuple) else (fact, ZERO) for fact in always]
        for _ in range(_MOST_STEPS):
            if not waiting:
                break
            left, right = cls(tuple(rules), ()).apply(waiting.pop(0))
            equation = total(((1, left), (-1, right)))
            if _vanishes(equation):
                continue
            new = _solved(left, right, equation)
            # x' was given and now x is: what x' was said to be has to agree with the derivative of x
            overtaken = [rule for rule in rules if _use(new, [rule[0]])[0] is not rule[0]]
            rules = [*(rule for rule in rules if rule not in overtaken), new]
            waiting = [*overtaken, *waiting]
        else:
            raise ExpressionError("the assumptions give each other in circles; state them with less overlap.")
        about = [total(((1, left), (-1, right))) for left, right in rules if left.op == "jet"]
        symbols_only = cls(tuple(rule for rule in rules if rule[0].op == "symbol"), ())
        if chart is None:
            chart = {x: value for fact in round_ for x, value in fact.charts()[0].items()}
        for left, _ in rules:
            if left.op == "symbol" and any(x.data.name == left.data.name for x in chart):
                what = f"the assumption about '{left.data.label}', a coordinate of a sphere or a rotation,"
                raise ExpressionError(f"{what} would leave the sphere; state it as a constraint.")
        known = cls(tuple(rules), tuple(symbols_only.apply(about)), chart=chart, embedded=round_)
        where = known.apply([fact.equation for fact in facts if isinstance(fact, Where)])
        where = list(map(_numerator, where)) if chart else where
        inside = [fact for fact in facts if isinstance(fact, Inside)]
        values = known.apply([fact.value for fact in inside])
        return replace(
            known,
            where=tuple(where),
            inside=tuple((value, fact.domain) for value, fact in zip(values, inside, strict=True)),
        )

    @classmethod
    def covering(cls, facts: Sequence[Fact]) -> list[Facts]:
        """Return facts by one choice of independent values after another: together they leave out no point."""
        return list(_covering(tuple(facts)))

    def apply(self, roots: Sequence[Expr]) -> list[Expr]:
        """Return expressions with the facts put in, again and again until nothing changes; then points of spheres."""
        return _use_chart(self.chart, self.apply_rules(roots))

    def apply_rules(self, roots: Sequence[Expr]) -> list[Expr]:
        """Return expressions with the equations put in, the coordinates of spheres left as they are."""
        current = list(roots)
        for _ in range(_MOST_STEPS if self.rules else 1):
            before = current
            for rule in self.rules:
                current = _use(rule, current)
            if all(a is b for a, b in zip(before, current, strict=True)):
                return current
        raise ExpressionError("the assumptions give each other in circles, so putting them in does not end.")

    def told(self, witness: Witness | None) -> Witness | None:
        """Return a witness by the coordinates that were asked about."""
        return witness if witness is None or not self.chart else told(witness, self.chart)

    def conditions(self) -> list[tuple[Expr, str]]:
        """Return what has to lie in a domain: by itself, or in place of a symbol for which one was declared."""
        given = [(left, left.data.domain) for left, _ in self.rules if left.op == "symbol"]
        kept = [(left, domain) for left, domain in given if domain in {"positive", "negative", "nonzero"}]
        replaced = zip(self.apply([left for left, _ in kept]), [domain for _, domain in kept], strict=True)
        return [*replaced, *self.inside]

    def chooser(self, expression: Expr) -> Callable[[Random, int], Chosen | None] | None:
        """Return a way to choose polynomials that obey the facts, or None when any polynomials will do."""
        about = functions(self.equations)
        if not about:
            return None
        wanted = sorted(about | functions([expression]), key=lambda f: f.name)

        def choose(draw: Random, attempt: int) -> Chosen | None:
            unknowns: list[Expr] = []
            bodies = {}
            for function in wanted:
                order = max(jet_order(e, function) for e in (expression, *self.equations))
                formal = formal_arguments(function)
                terms = monomials(formal, order + 1 + attempt // 8)
                fresh = [symbol(Symbol(f"?{len(unknowns) + k}", role="parameter")) for k in range(len(terms))]
                unknowns += fresh
                bodies[function] = (formal, total([(1, c * m) for c, m in zip(fresh, terms, strict=True)]))
            fixed = {
                node: Fraction(draw.randint(1, 3) * (-1 if node.data.domain == "negative" else 1))
                for node in postorder(self.equations)
                if node.op == "symbol" and node.data.role == "parameter"
            }
            solution = _solve_conditions(define(list(self.equations), bodies), unknowns, fixed, draw)
            if solution is None:
                return None
            return {f: (formal, substitute([body], solution)[0]) for f, (formal, body) in bodies.items()}, fixed

        return choose


@work.remembered(32)
def _of(facts: tuple[Fact, ...]) -> Facts:
    """Solve facts in their first chart: hundreds of questions about one system begin with the same ones."""
    return Facts.solved(facts, None)


@work.remembered(8)
def _covering(facts: tuple[Fact, ...]) -> tuple[Facts, ...]:
    """Solve facts in every choice of charts: two rotations have 64, and several pivots are asked about in each."""
    charts = [fact.charts() for fact in dict.fromkeys(f for f in facts if isinstance(f, Embedded))]
    return tuple(Facts.solved(facts, {x: e for one in choice for x, e in one.items()}) for choice in cartesian(*charts))


def _use(rule: tuple[Expr, Expr], roots: Sequence[Expr]) -> list[Expr]:
    """Return expressions with one fact put in."""
    left, right = rule
    return _use_symbol(left, right, roots) if left.op == "symbol" else _use_jet(left, right, roots)


def _solved(left: Expr, right: Expr, equation: Expr) -> tuple[Expr, Expr]:
    """Return (what, its value): a function value if there is one, else a symbol, in which the equation is linear."""
    nodes = postorder([equation])
    jets = sorted((n for n in nodes if n.op == "jet"), key=lambda n: (-sum(n.data[1]), n.stamp))
    leaves = sorted((n for n in nodes if n.op == "symbol"), key=lambda n: (n.data.role != "parameter", n.data.label))
    first = [left] if left.op in {"jet", "symbol"} else []
    for what in dict.fromkeys([*first, *jets, *leaves]):
        place = symbol(Symbol("?", role="parameter"))
        (opened,) = substitute([equation], {what: place})
        slope = diff(opened, place)
        if _vanishes(slope) or not _vanishes(diff(slope, place)):
            continue
        (slope,) = substitute([slope], {place: ZERO})  # on which it does not depend
        if what in postorder([slope]):
            continue
        (rest,) = substitute([opened], {place: ZERO})
        value = right if what is left and what not in postorder([right]) else -rest / slope
        if not _gives_itself(what, value) and not _may_be_the_factor(what, slope, rest):
            return what, value
    raise ExpressionError(
        f"the assumption '{left!r} = {right!r}' is not linear in any function or symbol; solve it for one by hand."
    )


def _numerator(equation: Expr) -> Expr:
    """Return what is zero where an equation holds, without the denominators that points of spheres bring in."""
    try:
        field = Field([equation], _MOST_TERMS)
        return field.to_expr(field.read(equation).above) if not field.generators.basis else equation
    except (ExpressionError, OverflowError):
        return equation


def _vanishes(expression: Expr) -> bool:
    """Say whether an expression is zero, by itself: nothing is assumed yet."""
    from dalembert.expr.truth.residues import vanish

    return vanish([expression])


def _gives_itself(what: Expr, value: Expr) -> bool:
    """Say whether a value contains what it is the value of, or a derivative of that by time."""
    nodes = postorder([value])
    if what in nodes or what.op != "symbol" or what.data.role != "variable":
        return what in nodes
    name, order = what.data.name, what.data.order
    return any(
        n.op == "symbol" and n.data.role == "variable" and n.data.name == name and n.data.order >= order for n in nodes
    )


def _may_be_the_factor(what: Expr, slope: Expr, rest: Expr) -> bool:
    """Say whether ``slope * what + rest`` has a factor without ``what`` that may be the one that is zero.

    x y = 0 does not give x = 0. A fact about a function holds for all coordinates, so it may be divided by those.
    """
    if slope.op == "number":
        return False
    try:
        field = Field([slope, rest], _MOST_TERMS)
        common = field.read(slope).above.gcd(field.read(rest).above)
        factors = [field.to_expr(factor) for factor, _ in factored(common)[1]]
    except (ExpressionError, OverflowError):  # too large to see
        return False
    for factor, bounds in zip(factors, ranges(factors), strict=True):
        leaves = [n.data for n in postorder([factor]) if n.op == "symbol"]
        for_all = what.op == "jet" and any(s.role != "parameter" for s in leaves) and not functions([factor])
        if not (bounds.nonzero or for_all):
            return True
    return False


def _use_symbol(left: Expr, right: Expr, roots: Sequence[Expr]) -> list[Expr]:
    """Put a value in for a symbol, and its time derivatives for the derivatives of a variable."""
    name, order, role = left.data.name, left.data.order, left.data.role

    def leaf(node: Expr) -> Expr:
        if node is left:
            return right
        if node.op == "symbol" and role == "variable" and node.data.name == name and node.data.order > order:
            return time_derivative(right, node.data.order - order)
        return node

    return map_leaves(list(roots), leaf)


_put: dict[tuple[tuple[Expr, Expr], ...], dict[Expr, Expr]] = {}
"""What became of expressions by values for coordinates of spheres: questions about one system share most of theirs."""
_MOST_PUT, _MOST_CHARTS = 50_000, 8
"""Expressions that are kept for one choice of values, and such choices."""


def _use_chart(chart: Mapping[Expr, Expr], roots: Sequence[Expr]) -> list[Expr]:
    """Put values in for coordinates of spheres, and their derivatives for velocities."""
    if not chart:
        return list(roots)
    key = tuple(chart.items())
    known = _put.get(key)
    if known is None or len(known) > _MOST_PUT:
        if len(_put) >= _MOST_CHARTS:
            _put.clear()
        known = _put[key] = {}
    values = {x.data.name: value for x, value in chart.items()}

    def leaf(node: Expr) -> Expr:
        if node.op != "symbol" or node.data.role != "variable" or node.data.name not in values:
            return node
        return time_derivative(values[node.data.name], node.data.order)

    return evaluate(roots, Rebuild(leaf), known)


def _use_jet(left: Expr, right: Expr, roots: Sequence[Expr]) -> list[Expr]:
    """Put a value in for a function value, and its derivatives in the slots where the fact holds for all values."""
    function, orders = left.data
    named = [a.op == "symbol" and a.data.role != "parameter" for a in left.args]
    # only a coordinate that stands in one slot and nowhere else may be differentiated by
    alone = [
        is_name and sum(a in postorder([other]) for other in left.args) == 1
        for is_name, a in zip(named, left.args, strict=True)
    ]

    def replace(node: Expr, arguments: Sequence[Expr]) -> Expr:
        new = make("jet", node.data, tuple(arguments))
        if node.data[0] != function:
            return new
        more = [have - given for have, given in zip(node.data[1], orders, strict=True)]
        if any(extra < 0 or (extra > 0 and not single) for extra, single in zip(more, alone, strict=True)):
            return new
        put = {p: a for p, a, is_name in zip(left.args, arguments, named, strict=True) if is_name}
        if any(a is not p for a, p in zip(arguments, substitute(left.args, put), strict=True)):
            return new
        value = right
        for extra, pattern in zip(more, left.args, strict=True):
            value = diff(value, *[pattern] * extra) if extra else value
        return substitute([value], put)[0]

    return rebuild(list(roots), replace)


def _solve_conditions(
    conditions: Sequence[Expr], unknowns: Sequence[Expr], fixed: dict[Expr, Fraction], draw: Random
) -> dict[Expr, Expr] | None:
    """Return random whole-ish coefficients for which the conditions hold for all values of their coordinates."""
    from flint import fmpq, fmpq_mat

    rows = []
    leaves = [n for n in postorder(conditions) if n.op == "symbol" and n not in fixed and n not in set(unknowns)]
    for condition in conditions:
        slopes = [diff(condition, c) for c in unknowns]
        if not set(unknowns).isdisjoint(postorder(slopes)):  # not linear
            return None
        for _ in range(2 * len(unknowns) + 4):
            point = (
                fixed
                | {n: Fraction(draw.randint(-10_000, 10_000)) for n in leaves}
                | dict.fromkeys(unknowns, Fraction(0))
            )
            try:
                values = evaluate([*slopes, condition], Rationals(point))
            except DalembertError:
                return None
            rows.append([fmpq(v.numerator, v.denominator) for v in (*values[:-1], -values[-1])])
    reduced, rank = fmpq_mat(rows).rref()
    width = len(unknowns)
    pivots = [next(j for j in range(width + 1) if reduced[i, j] != 0) for i in range(rank)]
    if width in pivots:
        return None
    chosen = {j: Fraction(draw.choice((-2, -1, 1, 2, 3))) for j in range(width) if j not in pivots}
    for i, j in enumerate(pivots):
        value = reduced[i, width] - sum(
            (reduced[i, k] * fmpq(c.numerator, c.denominator) for k, c in chosen.items()), fmpq(0)
        )
        chosen[j] = Fraction(int(value.p), int(value.q))
    return {c: ONE * chosen[j] for j, c in enumerate(unknowns)}
