"""Potentials of closed 1-forms, where they can be written down by elementary functions.

The search makes a list of functions that could occur in the potential and solves for constant coefficients (numbers, or
rational functions of parameters). For each term of a component these are: the term times its coordinate, all that comes
out of that by differentiating, and what denominators suggest (logarithms, arc tangents, lower powers). What is returned
has been checked: its differential is the form. None means "not found", never "there is none". A potential may be
defined on a part of the chart only, as logarithms, roots and arc tangents are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from random import Random

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.elementary import absolute, asin, atan, exp, log, opposite, power, sincos, sqrt
from dalembert.expr.field import Field, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr, Number, make, number, product, symbol, total
from dalembert.expr.phases import factors, phases
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.geometry.constants import constant_combination, irrational, written_out
from dalembert.geometry.forms import Form, d

_ROUNDS = (40, 160)
"""How many candidates are tried: a few first, as most potentials are simple."""
_DEEPEST = 6


def closed(form: Form, *, effort: float = 0.0) -> Verdict:
    """Decide whether d of a form vanishes."""
    return d(form).is_zero(effort=effort)


def potential(form: Form) -> Expr | None:
    """Return a function whose differential is the given 1-form, or None where none was found.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.forms import one_form
    >>> x, y = symbol("x"), symbol("y")
    >>> potential(one_form(Chart.of(x, y), [2 * x * y, x**2]))
    x^2*y
    """
    if form.degree != 1:
        raise ExpressionError(f"a form of degree {form.degree} is not the differential of a function.")
    if closed(form).holds is False:
        return None
    candidates = _different(_candidates(form))
    tried: list[Expr] = []
    for most in _ROUNDS[:1] if irrational(form.terms.values()) else _ROUNDS:
        more = list(islice(candidates, most - len(tried)))
        tried = sorted([*tried, *more], key=_length)  # of several ways to write it, the first candidates win
        for some in _with_values_together(tried) if more else ():
            found = _fit(form, some)
            if found is not None and (d(found, form.chart) - form).is_zero().holds:
                return found
    return None if form.terms else ZERO


def _with_values_together(candidates: Sequence[Expr]) -> Iterator[Sequence[Expr]]:
    """Yield all candidates, then those without roots of what may have any sign.

    Beside a parameter b some have sqrt(b) and others sqrt(-b): no point has values of both, and none can be fitted.
    """
    yield candidates
    products = {c: [n for n in postorder([c]) if n.op == "product"] for c in candidates}
    pairs = [(c, b, e) for c in candidates for n in products[c] for b, e in zip(n.args, n.data, strict=True)]
    rooted = [(c, base) for c, base, e in pairs if Fraction(e).denominator != 1]
    left_out = {c for c, base in rooted if ranges([base])[0].sign != 1}
    if left_out:
        yield [c for c in candidates if c not in left_out]


def _length(expression: Expr) -> float:
    nodes = postorder([expression])
    return len(nodes) + sum(abs(float(e)) for node in nodes if node.op == "product" for e in node.data)


def _different(expressions: Iterable[Expr]) -> Iterator[Expr]:
    """Yield each expression once, numbers never."""
    seen = set()
    for expression in expressions:
        if expression.op != "number" and expression not in seen:
            seen.add(expression)
            yield expression


def _fit(form: Form, candidates: Sequence[Expr]) -> Expr | None:
    """Return the combination of candidates, with constant coefficients, whose differential is the form."""
    size = form.chart.dimension
    columns = [[d(c, form.chart).component(i) for i in range(size)] for c in candidates]
    target = [form.component(i) for i in range(size)]
    weights = constant_combination(target, columns, form.chart.coordinates)
    return None if weights is None else total([(1, _flat(w * c)) for w, c in zip(weights, candidates, strict=True)])


def _flat(term: Expr) -> Expr:
    """Return a product with the products inside it opened."""
    coefficient, parts = factors(term)
    return product(parts.items(), coefficient)


# -- what could occur ------------------------------------------------------------------------------------------
def _candidates(form: Form) -> Iterator[Expr]:
    """Yield candidates for all components in turn, the simplest of each first."""
    coordinates = form.chart.coordinates
    searches = [
        _integrals(term, coordinates[i], coordinates)
        for (i,), value in form.terms.items()
        for term in {**phases(value), **phases(written_out(value))}
    ]
    while searches:
        for search in list(searches):
            batch = list(islice(search, 8))
            yield from batch
            if not batch:
                searches.remove(search)


def _integrals(term: Expr, q: Expr, coordinates: Sequence[Expr]) -> Iterator[Expr]:
    """Yield functions whose derivatives by a coordinate could add up to a term."""
    _, parts = factors(term)
    scale = product([(n, e) for n, e in parts.items() if not _occurs(n, coordinates)])
    start = product([(n, e) for n, e in parts.items() if _occurs(n, coordinates)])
    for function in (*_by_inner_slopes(start, q), start * q):
        yield _flat(scale * function)
    for function in _closure(_flat(start * q), q, coordinates):
        for more in (function, function * q, *_suggested(_flat(function / q), q), *_suggested(function, q)):
            yield _flat(scale * more)


def _by_inner_slopes(term: Expr, q: Expr) -> Iterator[Expr]:
    """Yield a term divided by the slope of what stands inside its waves and exponentials."""
    _, parts = factors(term)
    for node in parts:
        if node.op == "call" and node.data == "exp":
            inner, turned = node.args[0], [node]
        elif node.op == "pick" and node.args[0].op == "sincos":
            inner, turned = node.args[0].args[0], list(sincos(node.args[0].args[0]))
        else:
            continue
        slope = diff(inner, q)
        if not vanish([slope]):
            yield from (_flat(term / node * wave / slope) for wave in turned)


def _occurs(node: Expr, leaves: Sequence[Expr]) -> bool:
    return not set(postorder([node])).isdisjoint(leaves)


def _closure(start: Expr, q: Expr, coordinates: Sequence[Expr]) -> Iterator[Expr]:
    """Yield the terms that come out of a term by differentiating again and again, constant factors left out."""
    seen, newest = {start}, [start]
    yield start
    for _ in range(_DEEPEST):
        terms = [term for node in newest for term in phases(diff(node, q))]
        bare = [product([(n, e) for n, e in factors(t)[1].items() if _occurs(n, coordinates)]) for t in terms]
        newest = [t for t in dict.fromkeys(bare) if t not in seen]
        seen.update(newest)
        yield from newest


def _suggested(term: Expr, q: Expr) -> Iterator[Expr]:
    """Yield what the powers and derivatives in a term suggest for its integral."""
    _, parts = factors(term)
    for base, exponent in parts.items():
        if q not in postorder([base]):
            continue
        rest = product([(n, e) for n, e in parts.items() if n is not base and q not in postorder([n])])
        if base.op == "jet":
            others = product([(n, e - (n is base)) for n, e in parts.items()])
            yield from (lower * others for lower in _lowered(base))
        elif exponent < 0 or exponent.denominator != 1:
            for function in _of_power(base, exponent, q):
                yield function
                yield rest * function
            for k in range(1, min(int(parts.get(q, 0)), _DEEPEST) + 1):  # what a division leaves
                yield rest * q**k


def _lowered(node: Expr) -> Iterator[Expr]:
    """Yield the functions of which a derivative of an unspecified function is one."""
    function, orders = node.data
    for slot, order in enumerate(orders):
        if order:
            yield make("jet", (function, (*orders[:slot], order - 1, *orders[slot + 1 :])), node.args)


def _of_power(base: Expr, exponent: Number, q: Expr) -> Iterator[Expr]:
    """Yield what a negative or broken power of a base suggests."""
    if exponent.denominator == 1:
        for factor in _factors_of(base):
            yield log(-factor if ranges([factor])[0].sign == -1 else factor)
        yield from _arcs(base, q)
        if base.op == "pick" and base.args[0].op == "sincos":
            for wave in sincos(base.args[0].args[0]):
                yield wave * product([(base, exponent + 1)])
                yield log(1 + wave)
        yield from (q**k * product([(base, e)]) for e in range(int(exponent) + 1, 0) for k in range(3))
    else:
        yield from (q**k * product([(base, exponent + 1)]) for k in range(3))
        yield from _inverse_of_root(base, q)
    yield q


def _factors_of(base: Expr) -> list[Expr]:
    """Return the factors of a polynomial; of anything else the thing itself."""
    if any(node.op not in {"symbol", "number", "sum", "product"} for node in postorder([base])):
        return [base]
    field = Field([base])
    return [field.to_expr(factor) for factor, _ in factored(field.read(base).above)[1]]


def _quadratic(base: Expr, q: Expr) -> tuple[Expr, Expr, Expr] | None:
    """Return (c, b, a) where the base is a q^2 + b q + c and a is not zero."""
    powers: dict[int, list[tuple[Number, Expr]]] = {}
    for part, coefficient in phases(base).items():
        inner = dict(factors(part)[1])
        power = inner.pop(q, 0)
        if power not in {0, 1, 2} or any(q in postorder([n]) for n in inner):
            return None
        powers.setdefault(int(power), []).append((coefficient, product(inner.items())))
    c, b, a = (total(powers.get(k, [])) for k in range(3))
    return None if vanish([a]) else (c, b, a)


def _arcs(base: Expr, q: Expr) -> Iterator[Expr]:
    """Yield arc tangents for a denominator that is a quadratic polynomial in q, or a sum of two squares.

    Where the polynomial has real roots, logarithms take their place. What is not rational is divided out.
    """
    for factor in _factors_of(base):
        found = _quadratic(factor, q)
        if found is not None:
            c, b, a = found
            inner, under = 2 * a * q + b, written_out(4 * a * c - b**2)
            turns, meets = _root(under), _root(-under)
            if turns is not None:
                yield atan(_flat(inner / turns)) / turns
            if meets is not None:
                yield (log(inner - meets) - log(inner + meets)) / meets
    pieces = phases(base)
    if len(pieces) == 2:
        (one, m), (two, n) = sorted(pieces.items(), key=lambda piece: piece[0] is ONE)
        above, below = _root(number(m) * one), _root(number(n) * two)
        if above is not None and below is not None:
            yield atan(_flat(above / below))


def _inverse_of_root(base: Expr, q: Expr) -> Iterator[Expr]:
    """Yield the arc sine or the logarithm that the root of a quadratic polynomial in q leads to."""
    found = _quadratic(base, q)
    if found is not None:
        c, b, a = found
        steep, width = _root(a), _root(written_out(b**2 - 4 * a * c))
        if steep is not None:
            yield log(2 * steep * sqrt(base) + 2 * a * q + b)
        elif width is not None:
            yield asin((2 * a * q + b) / width)


def _root(expression: Expr) -> Expr | None:
    """Return a root, without a root sign where the parts of a product are squares; None of what is never positive."""
    if ranges([expression])[0].sign == -1 or vanish([expression]):
        return None
    coefficient, parts = factors(expression)
    if coefficient < 0:
        return sqrt(expression)
    even = [(n, e) for n, e in parts.items() if not e % 2]
    odd = [(n, e) for n, e in parts.items() if e % 2]
    return product([(n, Fraction(e) / 2) for n, e in even]) * sqrt(product(odd, coefficient))


# -- exponentials of potentials ------------------------------------------------------------------------------
# Exponentials of potentials, as one writes them: powers where the potential has logarithms.
_LOOKS = 24
"""At so many points the sign of a function is looked at."""
_SECONDS = 0.3


def exponential(function: Expr, *, locally: bool = False) -> Expr:
    """Return exp of a function, with logarithms times constants opened to powers.

    What stands in a logarithm is taken by its absolute value, or ``locally`` with the sign that it has at most points.

    >>> y = symbol("y")
    >>> exponential(-log(1 + y**2) / 2 + 3 * y)
    exp(3*y)/sqrt(y^2 + 1)
    """
    powers: list[Expr] = []
    rest = []
    for term, coefficient in phases(function).items():
        scale, parts = factors(term)
        logs = [n for n, e in parts.items() if n.op == "call" and n.data == "log" and e == 1]
        if len(logs) != 1:
            rest.append((coefficient, term))
            continue
        (inner,) = logs[0].args
        base = _positive(inner, locally=locally)
        exponent = product([(n, e) for n, e in parts.items() if n is not logs[0]], coefficient * scale)
        powers.append(power(base, exponent))
    return product([(p, 1) for p in powers]) * exp(total(rest))


def merged(left: Expr, right: Expr) -> Expr:
    """Return a product with powers of equal sums collected.

    >>> y = symbol("y")
    >>> merged(y * (1 + y**2), 1 / (1 + y**2))
    y
    """
    parts: list[tuple[Expr, Number]] = []
    for node in (left, right):
        parts += zip(node.args, node.data, strict=True) if node.op == "product" else [(node, 1)]
    return product(parts)


def with_positive_logarithms(function: Expr) -> Expr:
    """Return a function whose differential is the same, with what stands in logarithms short and not negative.

    >>> y = symbol("y")
    >>> with_positive_logarithms(log(-1 - y**2))
    log(y^2 + 1)
    """
    logs = [node for node in postorder([function]) if node.op == "call" and node.data == "log"]
    put = {node: log(_shorter(_positive(node.args[0], locally=True))) for node in logs}
    return substitute([function], put)[0]


def _shorter(inner: Expr) -> Expr:
    return inner if inner.op == "symbol" else tidy(inner, _SECONDS)


def _positive(inner: Expr, *, locally: bool) -> Expr:
    """Return a function that is not zero where beta is defined with the sign that makes it positive.

    Where the sign is not known for sure but is the same at some points, that one is taken; else the absolute value.
    """
    if ranges([inner])[0].sign == 1:
        return inner
    plus = 0
    for seed in range(_LOOKS):
        draw = Random(seed)
        values = {symbol(s): _value(s, draw) for s in sorted(symbols([inner]), key=lambda s: s.label)}
        try:
            plus += bool(evaluate([inner], Floats(values))[0] > 0)
        except DalembertError:  # an unspecified function
            return inner if locally else absolute(inner)
    if locally or plus in {0, _LOOKS}:
        return inner if 2 * plus > _LOOKS else opposite(inner)
    return absolute(inner)


def _value(name: Symbol, draw: Random) -> float:
    size = draw.uniform(0.1, 3.0)
    return size * {"positive": 1, "negative": -1}.get(name.domain, draw.choice([-1, 1]))
