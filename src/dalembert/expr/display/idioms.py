"""What formulas on a page consist of: idioms for what the graph has no node for, and sums and products that are opened.

The graph is poor in kinds of nodes on purpose. ``sin(x)/cos(x)`` is a tangent, ``exp(x)^-2`` is the exponential of
``-2*x``, ``(x + y) - y`` is ``x``. Products are opened here too, so that like terms are found to be alike.

Nested sums and products are opened, and what meets there is collected: ``a + (b + c)`` is one sum, ``a/(b/c)`` one
fraction, ``x*(y*z) - (x*y)*z`` nothing, and minus signs are merged. Nothing else is worked out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from dalembert.expr.display.angle_sums import paired
from dalembert.expr.elementary import exp, jet
from dalembert.expr.exact import exact_power
from dalembert.expr.graph import Expr, Number, make, product, total
from dalembert.expr.symbols import Function
from dalembert.expr.text.order import Factor, Order, roots_joined
from dalembert.expr.text.printer import without_solves
from dalembert.expr.walk import Rebuild, evaluate
from dalembert.records import dataclass

_MOST_FACTORS: Final = 12
_SEVERAL: Final = 2
"""Terms that must be fractions before one is put in front of their sum."""
_DIGITS: Final = 6
"""Of the number in front."""
TANGENT: Final = Function("tan", 1)
"""The tangent as a function of its own, for display only; the word is taken, so no function of a user is called so."""


def for_the_page(roots: Sequence[Expr]) -> list[Expr]:
    """Return expressions of the same values as they are best shown: solves written out, tangents by their name."""
    plain = without_solves(roots)
    return evaluate(plain, _Idioms(plain))


def _is_exponential(base: Expr, powers: Mapping[Expr, Number]) -> bool:
    return base.op == "call" and base.data == "exp" and powers[base] != 1


def _is_tangent(base: Expr, powers: Mapping[Expr, Number]) -> bool:
    """Say whether a sine among factors meets the same power of its cosine below the bar."""
    if base.op != "pick" or base.data != 0 or powers[base] < 0 or powers[base].denominator != 1:
        return False
    return powers.get(_cosine_beside(base)) == -powers[base]


def _cosine_beside(sine: Expr) -> Expr:
    return make("pick", 1, sine.args)


def _factors(node: Expr) -> Iterable[tuple[Expr, Number]]:
    """Return the factors of a product, if there are not too many; else the node itself."""
    if node.op == "product" and len(node.args) <= _MOST_FACTORS:
        return zip(node.args, node.data, strict=True)
    return [(node, 1)]


def _without_fractions(base: Expr, exponent: int) -> tuple[Number, Expr]:
    """Return a factor as a number times what is left: minus signs, and the fractions that terms of a sum share.

    Of a high power, before which the number would be long, the fractions stay in it.
    """
    if base.op != "sum":
        return 1, base
    constant, coefficients = base.data
    if constant == 0 and coefficients == (-1,):
        return -1, base.args[0]
    below = [c.denominator for c in (constant, *coefficients) if c.denominator > 1]
    if len(below) < _SEVERAL:
        return 1, base
    least = math.lcm(*below)
    if abs(exponent) * math.log10(least) > _DIGITS:
        return 1, base
    whole = total(((c * least, a) for c, a in zip(coefficients, base.args, strict=True)), constant * least)
    return Fraction(1, least), whole


class _Idioms(Rebuild):
    """Rebuilds a graph with these idioms; the roots are recognised where one is used in another."""

    def __init__(self, roots: Sequence[Expr]) -> None:
        super().__init__()
        self._roots = frozenset(roots)
        self._sums: set[Expr] = set()

    def sum(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        found = paired(self._opened(node, terms))
        if found.op != "sum" or len(found.args) == 1:
            return found
        constant, coefficients = found.data
        opposite = total(((-c, a) for c, a in zip(coefficients, found.args, strict=True)), -constant)
        if opposite in self._sums:  # b - a where a - b is there: a name for one serves both
            return total(((-1, opposite),))
        self._sums.add(found)
        return found

    def _opened(self, node: Expr, terms: Sequence[Expr]) -> Expr:
        plain = total(zip(node.data[1], terms, strict=True), node.data[0])
        if plain.op != "sum":
            return plain
        constant, coefficients = plain.data
        parts: list[tuple[Number, Expr]] = []
        for coefficient, term in zip(coefficients, plain.args, strict=True):
            if term.op == "sum" and (coefficient in {1, -1} or (len(term.args) == 1 and not term.data[0])):
                constant += coefficient * term.data[0]
                parts += [(coefficient * c, a) for c, a in zip(term.data[1], term.args, strict=True)]
            else:
                parts.append((coefficient, term))
        opened = total(parts, constant)
        return opened if opened.op != "sum" or len(opened.args) <= len(plain.args) else plain

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        powers: dict[Expr, Number] = {}
        factor: Number = 1
        for old, base, exponent in zip(node.args, bases, node.data, strict=True):
            if exponent.denominator == 1:
                number, base = _without_fractions(base, int(exponent))
                factor *= exact_power(number, int(exponent))
            opens = exponent.denominator == 1 and old not in self._roots  # the root of a square is no product
            for inner, times in _factors(base) if opens else [(base, 1)]:
                powers[inner] = powers.get(inner, 0) + exponent * times
        for base in list(powers):
            if _is_exponential(base, powers):
                power = exp(total(((powers.pop(base), base.args[0]),)))
                powers[power] = powers.get(power, 0) + 1
            elif _is_tangent(base, powers):
                del powers[_cosine_beside(base)]
                powers[jet(TANGENT, (base.args[0].args[0],))] = powers.pop(base)
        return total(((factor, product(powers.items())),))


_MOST_OPENED: Final = 9
"""A product to a whole power up to this is opened."""


@dataclass(frozen=True, slots=True)
class Power:
    """A base to an exponent, as a factor; if ``negated``, the base is a sum, or has an angle, with all signs turned."""

    base: Expr
    exponent: Number
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Monomial:
    """A number times powers."""

    coefficient: Number
    powers: tuple[Power, ...] = ()

    @property
    def factors(self) -> list[Factor]:
        """The powers as bases and exponents."""
        return [(power.base, power.exponent) for power in self.powers]


class Opening:
    """Opens sums and products, except those that are called by a name."""

    def __init__(self, named: Container[Expr], order: Order) -> None:
        self._named = named
        self._order = order
        self._found: dict[tuple[Expr, int], list[Monomial]] = {}
        self._negative: dict[Expr, bool] = {}
        self._turned: dict[Expr, bool] = {}

    def monomials(self, root: Expr, sign: int = 1) -> list[Monomial]:
        """Return what a node, or its negative, is the sum of, in order; there is at least one term."""
        found = self._found.get((root, sign))  # it is asked for where it is measured, looked through and written
        if found is None:
            found = self._found[root, sign] = self._monomials(root, sign)
        return found

    def _monomials(self, root: Expr, sign: int) -> list[Monomial]:
        constant, weights = self._opened_sum(root)
        collected: dict[tuple[Power, ...], Number] = {}
        for node, weight in weights.items():
            term = self._monomial(sign * weight, node, node is root)
            if term.powers:
                collected[term.powers] = collected.get(term.powers, 0) + term.coefficient
            else:
                constant += sign * term.coefficient
        found = [Monomial(coefficient, powers) for powers, coefficient in collected.items() if coefficient]
        found.sort(key=lambda term: self._order.term_key(term.factors))
        if constant or not found:
            found.append(Monomial(sign * constant))
        first = next((i for i, term in enumerate(found) if term.coefficient > 0), 0)
        found.insert(0, found.pop(first))
        return found

    def is_call(self, power: Power) -> bool:
        """Say whether a factor is shown as a named function, such as a sine, to a whole power."""
        base = power.base
        if base in self._named or power.exponent < 0 or power.exponent.denominator != 1:
            return False
        return is_trigonometric(base) or (base.op == "call" and base.data != "exp")

    # -- sums ------------------------------------------------------------------------------------------------
    def _opened_sum(self, root: Expr) -> tuple[Number, dict[Expr, Number]]:
        """Return the constant and the weights of the terms; a sum in a sum is opened if only a sign is before it."""
        constant: Number = 0
        weights: dict[Expr, Number] = {root: 1}
        if root.op != "sum":
            return (root.data, {}) if root.op == "number" else (0, weights)
        for node in _from_above(root, self._sums_inside):
            if weights.get(node) not in {1, -1}:
                continue
            weight = weights.pop(node)
            constant += weight * node.data[0]
            for coefficient, term in zip(node.data[1], node.args, strict=True):
                weights[term] = weights.get(term, 0) + weight * coefficient
        return constant, {node: weight for node, weight in weights.items() if weight}

    def _sums_inside(self, node: Expr) -> list[Expr]:
        terms = zip(node.data[1], node.args, strict=True)
        return [a for c, a in terms if a.op == "sum" and c in {1, -1} and a not in self._named]

    def _is_negative(self, node: Expr) -> bool:
        """Say whether a sum in brackets has only minus signs, so that one in front is better."""
        if node.op != "sum" or node in self._named:
            return False
        known = self._negative.get(node)
        if known is None:
            constant, weights = self._opened_sum(node)
            known = self._negative[node] = constant <= 0 and all(weight < 0 for weight in weights.values())
        return known

    def is_turned(self, node: Expr) -> bool:
        """Say whether a sine or cosine has an angle like ``b - a``, which is better the other way round."""
        if not is_trigonometric(node) or node in self._named:
            return False
        known = self._turned.get(node)
        if known is None:
            known = self._turned[node] = self._is_turned(node)
        return known

    def _is_turned(self, node: Expr) -> bool:
        angle = node.args[0].args[0] if node.op == "pick" else node.args[0]
        if angle.op != "sum" or angle in self._named:
            return False
        _, weights = self._opened_sum(angle)
        if not weights or any(term.args for term in weights):
            return False
        return weights[min(weights, key=lambda term: self._order.factor_key((term, 1)))] < 0

    # -- products --------------------------------------------------------------------------------------------
    def _monomial(self, coefficient: Number, node: Expr, is_root: bool) -> Monomial:
        """Return a multiple of a node as a number and the powers it is multiplied by, in order."""
        factors: Sequence[Factor] = [(node, 1)]
        if node.op == "product" and (is_root or node not in self._named):
            factors = roots_joined(self._opened_product(node))
        powers = []
        for base, exponent in sorted(factors, key=self._order.factor_key):
            if base.op == "number":
                whole = math.floor(exponent)
                coefficient *= exact_power(base.data, whole)
                exponent -= whole
            negated = exponent.denominator == 1 and (self._is_negative(base) or self.is_turned(base))
            if negated and exponent % 2 and not is_cosine(base):
                coefficient = -coefficient
            if exponent:
                powers.append(Power(base, exponent, negated))
        return Monomial(coefficient, tuple(sorted(powers, key=self._place)))

    def _place(self, power: Power) -> int:
        """Return 0, or more for what reaches for all that follows it: cos x (a + b) is not what is meant."""
        base, exponent = power.base, power.exponent
        if base.op == "jet" and len(base.args) > 1 and base not in self._named and exponent in {1, -1}:
            return 2 if any(base.data[1]) else 0
        return 1 if self.is_call(Power(base, exponent if exponent > 0 else -exponent)) else 0

    def _opened_product(self, root: Expr) -> list[Factor]:
        """Return bases with exponents; products in a product are opened if their exponent is whole and small."""
        exponents: dict[Expr, Number] = {root: 1}
        for node in _from_above(root, self._products_inside):
            exponent = exponents.get(node, 0)
            if exponent.denominator != 1 or not -_MOST_OPENED <= exponent <= _MOST_OPENED:
                continue
            exponents.pop(node, None)
            for base, inner in zip(node.args, node.data, strict=True):
                exponents[base] = exponents.get(base, 0) + exponent * inner
        return list(exponents.items())

    def _products_inside(self, node: Expr) -> list[Expr]:
        factors = zip(node.args, node.data, strict=True)
        return [a for a, e in factors if a.op == "product" and e.denominator == 1 and a not in self._named]


def is_trigonometric(node: Expr) -> bool:
    """Say whether a node is a sine, a cosine or a tangent."""
    return node.op == "pick" or (node.op == "jet" and node.data[0] == TANGENT)


def is_cosine(node: Expr) -> bool:
    """Say whether a node is a cosine, which does not change with the sign of its angle."""
    return node.op == "pick" and node.data == 1


def _from_above(root: Expr, inside: Callable[[Expr], list[Expr]]) -> list[Expr]:
    """Return the root and the nodes inside it, inside these, and so on; each before what is inside it."""
    if not inside(root):  # most have nothing to open
        return [root]
    order: list[Expr] = []
    seen: set[Expr] = set()
    stack = [root]
    while stack:
        node = stack[-1]
        waiting = [] if node in seen else [a for a in inside(node) if a not in seen]
        if waiting:
            stack += waiting
        else:
            stack.pop()
            if node not in seen:
                seen.add(node)
                order.append(node)
    return order[::-1]
