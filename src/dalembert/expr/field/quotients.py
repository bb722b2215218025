"""Expressions as reduced quotients of polynomials over FLINT.

Every independent part of an expression is a variable (see ``generators``); roots of sums obey their relation, and
denominators are freed of square roots. So an expression is zero if its numerator is, and that is a proof.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from math import comb
from typing import Any

from flint import fmpz_mpoly_ctx

from dalembert.errors import ExpressionError
from dalembert.expr.field.generators import Generators
from dalembert.expr.field.meter import Meter, TooLarge
from dalembert.expr.field.priced import Ring, common_divisor
from dalembert.expr.graph import KIND, ONE, Expr, Number, product, total
from dalembert.expr.walk import Reader, evaluate, postorder
from dalembert.records import dataclass

_HIGHEST = 1_000
_CALLING = 3.0
"""Units of work for a call on polynomials. What is left out since its answer is plain is paid for all the same: budgets
were fitted to these prices."""
_FEW_TERMS = 1_000
"""Up to so many terms of a remainder it is left to FLINT, which takes the square of their number and has no limit."""
_REDUCING, _REDUCING_TERM = 23.96, 0.17
"""What it takes to find that a product of polynomials, as a fraction, has nothing to be reduced by."""


@dataclass(frozen=True, slots=True)
class Quotient:
    """A fraction of polynomials with whole coefficients; the leading one of the denominator is positive."""

    above: Any
    below: Any


def _gcd(left: Any, right: Any) -> Any:
    """Return the greatest common divisor; FLINT gives 0 where an exponent is beyond its reach."""
    common = common_divisor(left, right)
    if common.is_zero():
        raise TooLarge("the powers in a normal form are too high.")
    return common


class Field(Reader[Quotient]):
    """The field of rational functions in the independent parts of some expressions.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x = symbol("x", domain="angle")
    >>> identity = sin(x)**2 + cos(x)**2 - 1
    >>> Field([identity]).read(identity).above.is_zero()
    True
    """

    def __init__(
        self,
        roots: Sequence[Expr],
        most_terms: int = 5_000,
        *,
        relations: bool = True,
        careful: bool = False,
        meter: Meter | None = None,
    ) -> None:
        """Choose the generators and find the relations between them; they are used unless they are to be left alone.

        A ``careful`` field frees denominators of roots only where no new zeros come into them. With a meter every
        operation on polynomials is paid for.
        """
        self.most_terms, self.careful, self.meter = most_terms, careful, meter
        self.known: dict[Expr, Any] = {}
        self.generators = Generators(roots)
        g = self.generators
        names = tuple(f"x{k}" for k in range(max(g.size, 1)))
        self.ring = self.make_ring(names)
        self.one = self.ring.constant(1)
        variables = iter(self.ring.gens())
        self.composite = {base: next(variables) for base, _ in reversed(g.composite)}
        self.atoms = {atom: next(variables) for atom in g.atoms}
        self.growth = [next(variables) for _ in g.growth]
        self.tangents = [next(variables) for _ in g.basis]
        self.all_relations: list[tuple[int, int, Any]] = []
        """(variable, degree, polynomial that its power equals), outer roots first."""
        self.relations = self.all_relations if relations else []
        for atom, degree in g.root_of_atom.items():
            if atom.op == "number":
                self._relate(self.atoms[atom], degree, self.ring.constant(int(atom.data)))
        for base, degree in g.composite:
            value = self.read(base)
            if value.below.is_constant() and int(value.below.leading_coefficient()) == 1:
                self._relate(self.composite[base], degree, value.above)
        self._divisors = self._read_divisors(roots) if careful and self.relations else []

    def make_ring(self, names: Sequence[str]) -> Any:
        """Return a ring of polynomials in some variables, priced if there is a meter."""
        return fmpz_mpoly_ctx.get(tuple(names), "lex") if self.meter is None else Ring(names, self.meter)

    def _relate(self, variable: Any, degree: int, value: Any) -> None:
        place = [int(e) for e in variable.degrees()].index(1)
        self.all_relations.insert(0, (place, degree, variable**degree - value))

    # -- arithmetic ------------------------------------------------------------------------------------------
    def read(self, node: Expr) -> Quotient:
        """Return the reduced fraction of an expression whose parts are generators here."""
        if node.kinds & KIND["power"]:  # what is raised, |x| say, need not be in the field
            for inner in postorder([node]):
                if inner.op == "power" and inner not in self.known:
                    self.known[inner] = self._grown(inner)
        return evaluate([node], self, self.known)[0]

    def make(self, above: Any, below: Any) -> Quotient:
        """Return the reduced fraction."""
        if self.relations:
            above, below = self._free_of_roots(self.reduced(above), self.reduced(below))
        if above.is_zero():
            return Quotient(above, self.one)
        if below.is_zero():
            raise ExpressionError("a denominator is zero.")
        if below.is_one():
            self._charge(_CALLING + 0.02 * (len(above) + 1))
            return Quotient(above, below)
        common = _gcd(above, below)
        if not common.is_one():
            above, below = above / common, below / common
        return Quotient(above, below) if below.leading_coefficient() > 0 else Quotient(-above, -below)

    def reduced(self, polynomial: Any) -> Any:
        """Return a polynomial with the powers of roots replaced by what they equal."""
        for place, degree, relation in self.all_relations:
            times = int(polynomial.degrees()[place]) // degree
            if times > 0:  # the number 0 has the degree -1
                few = len(polynomial) * comb(len(relation) - 2 + times, times) <= _FEW_TERMS
                polynomial = polynomial % relation if few else self._put_in(polynomial, place, degree, relation)
        return polynomial

    def _put_in(self, polynomial: Any, place: int, degree: int, relation: Any) -> Any:
        """Replace powers of a root as a remainder does, by products whose terms are counted."""
        value = self.ring.gens()[place] ** degree - relation
        parts: dict[int, dict[tuple[int, ...], int]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            times, rest = divmod(int(exponents[place]), degree)
            parts.setdefault(times, {})[(*exponents[:place], rest, *exponents[place + 1 :])] = int(coefficient)
        result = self.ring.constant(0)
        for times in range(max(parts), -1, -1):
            result = self._times(result, value) + self.ring.from_dict(parts.get(times, {}))
        return result

    def _free_of_roots(self, above: Any, below: Any) -> tuple[Any, Any]:
        """Multiply by conjugates until no square root is left in the denominator.

        The conjugate of 1 + sqrt(1 + x) is zero at x = 0, where the denominator is not.
        """
        for place, degree, _ in self.relations:
            if degree == 2 and below.degrees()[place] == 1:
                variable = self.ring.gens()[place]
                conjugate = below.compose(*[-v if v == variable else v for v in self.ring.gens()], ctx=self.ring)
                norm = self.reduced(self._times(below, conjugate))
                if not self.careful or conjugate == -below or self._is_never_zero(norm):
                    above, below = self.reduced(self._times(above, conjugate)), norm
        return above, below

    def _read_divisors(self, roots: Sequence[Expr]) -> list[Any]:
        """Return the numerators of all that is divided by: where the expressions are defined they are not zero."""
        found = []
        relations, self.relations = self.relations, []
        for node in postorder(roots):
            if node.op == "product":
                for base, exponent in zip(node.args, node.data, strict=True):
                    if exponent < 0 and base.op != "number":
                        with contextlib.suppress(ExpressionError):  # too large to help
                            found.append(self.reduced(self.read(base).above))
        self.relations = relations
        self.known.clear()  # it was read without relations
        return found

    def _is_never_zero(self, polynomial: Any) -> bool:
        """Say whether a polynomial is not zero where the expressions are defined, by its factors."""
        from dalembert.expr.truth.signs import ranges  # which needs the field itself

        if polynomial.is_zero():
            return False
        for divisor in self._divisors:
            while not (common := _gcd(polynomial, divisor)).is_constant():
                polynomial = polynomial / common
        return bool(polynomial.is_constant() or ranges([self.to_expr(polynomial)])[0].nonzero)

    def multiply(self, left: Quotient, right: Quotient) -> Quotient:
        """Return the product, crosswise reduced first so that nothing large is built in vain."""
        if not self.relations and left.below.is_one() and right.below.is_one():  # as most are: nothing to be reduced
            self._charge(_REDUCING + _REDUCING_TERM * (len(left.above) + len(right.above)))
            return Quotient(self._times(left.above, right.above), self.one)
        g, h = _gcd(left.above, right.below), _gcd(right.above, left.below)
        above = self._times(left.above / g, right.above / h)
        below = self._times(left.below / h, right.below / g)
        if self.relations:
            return self.make(above, below)
        return Quotient(above, below) if below.leading_coefficient() > 0 else Quotient(-above, -below)

    def add(self, left: Quotient, right: Quotient) -> Quotient:
        """Return the sum over the least common denominator."""
        if left.above.is_zero():
            return right
        if left.below == right.below:
            return self.make(left.above + right.above, left.below)
        common = _gcd(left.below, right.below)
        rest_left, rest_right = left.below / common, right.below / common
        above = self._times(left.above, rest_right) + self._times(right.above, rest_left)
        if self.relations or above.is_zero():
            return self.make(above, self._times(left.below, rest_right))
        if not common.is_one():  # of reduced fractions the sum has no other divisors in common with its denominator
            shared = _gcd(above, common)
            above, rest_right = above / shared, right.below / shared
        return Quotient(above, self._times(rest_left, rest_right))

    def power_of(self, base: Quotient, exponent: int) -> Quotient:
        """Return a whole power."""
        if exponent < 0:
            if base.above.is_zero():
                raise ExpressionError("a denominator is zero.")
            base, exponent = Quotient(base.below, base.above), -exponent
            if self.relations or base.below.leading_coefficient() < 0:
                base = self.make(base.above, base.below)
        if exponent == 1 and not self.relations:
            self._charge(2 * _CALLING + 0.02 * (len(base.above) + len(base.below)))
            return base
        if exponent > _HIGHEST and not (len(base.above) == len(base.below) == 1):
            raise TooLarge(f"a sum to the power {exponent} would have too many terms.")
        above, below = self.one, self.one
        a, b = base.above, base.below
        while exponent:
            if exponent & 1:
                above, below = self._times(above, a), self._times(below, b)
            exponent >>= 1
            if exponent:
                a, b = self._times(a, a), self._times(b, b)
        return self.make(above, below) if self.relations else Quotient(above, below)

    def _charge(self, units: float) -> None:
        if self.meter is not None:
            self.meter.charge(units)

    def _times(self, left: Any, right: Any) -> Any:
        if len(left) * len(right) > 100 * self.most_terms:
            raise TooLarge("a normal form would have too many terms.")
        result = left * right
        if len(result) > self.most_terms:
            raise TooLarge("a normal form would have too many terms.")
        return result

    def number(self, value: Number) -> Quotient:
        """Return a constant."""
        return Quotient(self.ring.constant(value.numerator), self.ring.constant(value.denominator))

    # -- as a reader -----------------------------------------------------------------------------------------
    def leaf(self, node: Expr) -> Quotient:
        return self.number(node.data) if node.op == "number" else self._atom(node)

    def _atom(self, node: Expr) -> Quotient:
        """Read an atom: a power of its generator."""
        atom = self.generators.same(node)
        return Quotient(self.atoms[atom] ** self.generators.root_of_atom.get(atom, 1), self.one)

    def sum(self, node: Expr, terms: Sequence[Quotient]) -> Quotient:
        """Read a sum, terms over equal denominators first."""
        constant, coefficients = node.data
        groups: list[list[Any]] = []
        places: dict[int, list[int]] = {}  # of denominators by their lengths: to compare is far less than to write down
        for coefficient, term in zip(coefficients, terms, strict=True):
            below = term.below * coefficient.denominator
            if self.meter is not None:
                below.pay_text()
            above = term.above * coefficient.numerator
            alike = places.setdefault(len(below), [])
            for place in alike:
                if groups[place][1] == below:
                    groups[place] = [groups[place][0] + above, below]
                    break
            else:
                alike.append(len(groups))
                groups.append([above, below])
        result = self.number(constant)
        for above, below in groups:
            result = self.add(result, self.make(above, below))
        return result

    def product(self, node: Expr, bases: Sequence[Quotient]) -> Quotient:
        """Read a product; a root is a power of its generator."""
        result = Quotient(self.one, self.one)
        for base, exponent, argument in zip(bases, node.data, node.args, strict=True):
            result = self.multiply(result, self._raised(argument, base, exponent))
        return result

    def _raised(self, node: Expr, base: Quotient, exponent: Number) -> Quotient:
        if exponent.denominator == 1:
            return self.power_of(base, int(exponent))
        root = self.generators.same(node)
        if root in self.composite:
            degree, variable = dict(self.generators.composite)[root], self.composite[root]
        else:
            degree, variable = self.generators.root_of_atom.get(root, 1), self.atoms[root]
        times = exponent * degree
        if times.denominator != 1:
            raise ExpressionError(
                f"a field of other expressions has no root of '{node!r}' of degree {exponent.denominator}."
            )
        return self.power_of(Quotient(variable, self.one), int(times))

    def power(self, node: Expr, base: Quotient, exponent: Quotient) -> Quotient:
        return self._grown(node)

    def call(self, node: Expr, value: Quotient) -> Quotient:
        return self._grown(node) if node.data == "exp" else self._atom(node)

    def _grown(self, node: Expr) -> Quotient:
        """Read an exponential as powers of its parts."""
        result = Quotient(self.one, self.one)
        plain, items = self.generators.grown(node)
        for whole in plain:
            result = self.multiply(result, self.read(whole))
        for place, times in items:
            result = self.multiply(result, self.power_of(Quotient(self.growth[place], self.one), times))
        return result

    def jet(self, node: Expr, arguments: Sequence[Quotient]) -> Quotient:
        return self._atom(node)

    def sincos(self, node: Expr, angle: Quotient) -> Sequence[Quotient]:
        """Read sine and cosine by the half-angle tangents of the basis."""
        real, imaginary, below = self.one, self.ring.constant(0), self.one
        for turns, tangent in zip(self.generators.turns(node.args[0]), self.tangents, strict=True):
            cosine, sine = 1 - tangent * tangent, (2 if turns > 0 else -2) * tangent
            for _ in range(abs(turns)):
                real, imaginary = (
                    self._times(real, cosine) - self._times(imaginary, sine),
                    self._times(real, sine) + self._times(imaginary, cosine),
                )
                below = self._times(below, 1 + tangent * tangent)
        return self.make(imaginary, below), self.make(real, below)

    def factor(self, node: Expr, entries: Sequence[Quotient]) -> Any:
        return [list(entries[i : i + node.data]) for i in range(0, len(entries), node.data)]

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Quotient]) -> Sequence[Quotient]:
        """Eliminate, the shortest pivot first."""
        rows = [[*row, b] for row, b in zip(factor, rhs, strict=True)]
        size = len(rows)
        for k in range(size):
            usable = [i for i in range(k, size) if not rows[i][k].above.is_zero()]
            if not usable:
                raise ExpressionError("a matrix to be solved with is singular.")
            best = min(usable, key=lambda i: len(rows[i][k].above) + len(rows[i][k].below))
            rows[k], rows[best] = rows[best], rows[k]
            inverse = self.power_of(rows[k][k], -1)
            rows[k] = [*rows[k][: k + 1], *(self.multiply(entry, inverse) for entry in rows[k][k + 1 :])]
            for i in range(size):
                if i == k or rows[i][k].above.is_zero():
                    continue
                ratio = Quotient(-rows[i][k].above, rows[i][k].below)
                for j in range(k + 1, size + 1):
                    if not rows[k][j].above.is_zero():
                        rows[i][j] = self.add(rows[i][j], self.multiply(ratio, rows[k][j]))
        return [row[size] for row in rows]

    # -- back ------------------------------------------------------------------------------------------------
    def to_expr(self, polynomial: Any) -> Expr:
        """Return a polynomial as an expression."""
        return written(polynomial, self.generators.nodes())


def written(polynomial: Any, nodes: Sequence[Expr], known: dict[Any, Expr] | None = None) -> Expr:
    """Return a polynomial term by term, its variables standing for the given expressions.

    Monomials are kept in ``known``, by their exponents, for other polynomials in the same expressions.
    """
    known = {} if known is None else known
    terms = []
    for exponents, coefficient in polynomial.to_dict().items():
        monomial = known.get(exponents)
        if monomial is None:
            factors = [(n, int(e)) for n, e in zip(nodes, exponents, strict=False) if e]
            monomial = known[exponents] = product(factors) if factors else ONE
        terms.append((int(coefficient), monomial))
    return total(terms)
