"""Linear relations with constant coefficients: which combinations of some expressions vanish identically?

This is how an ansatz with unknown numbers is solved. The expressions are read at random points modulo a prime; the null
space of the numbers found is carried over to rational numbers, with more primes if need be; and then every relation is
checked on the expressions themselves.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import TypeAlias, overload

from flint import nmod_mat

from dalembert.errors import ExpressionError
from dalembert.expr.field import proved_zero
from dalembert.expr.graph import Expr, Operand, as_expr, number, total
from dalembert.expr.linear.parametric import Relations, relations_with_parameters
from dalembert.expr.linear.ring import leading_columns
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.decide import sample
from dalembert.expr.truth.modular import Modular, Plan, Unlucky, draw_for, is_made_of_roots, prime_for
from dalembert.expr.truth.radicals import Roots, take_squares_out
from dalembert.expr.walk import postorder, symbols
from dalembert.records import dataclass

_EXTRA = 20
"""So many further points have to confirm what the others gave."""
_MOST_PRIMES = 60
_FEW_PRIMES = 8
"""As many primes where roots of constants occur: a coefficient that is not found then is most likely no fraction."""
_MOST_ROOTS = 6
"""At 2^6 points one is left where the roots of so many functions exist; with more, points are read one by one."""
_MOST_NUMBERS = 30_000_000
"""How many numbers the arrays of one reading may hold."""
Residues: TypeAlias = "dict[tuple[int, int], int]"
"""Entries of a reduced echelon form by (pivot column, free column), those that are not zero."""


@overload
def constant_null_space(
    columns: Sequence[Operand | Sequence[Operand]], *, effort: float = 0.0, seed: int | None = None
) -> Relations[int]: ...
@overload
def constant_null_space(
    columns: Sequence[Operand | Sequence[Operand]],
    parameters: Sequence[Expr],
    *,
    effort: float = 0.0,
    seed: int | None = None,
) -> Relations[Expr]: ...
def constant_null_space(
    columns: Sequence[Operand | Sequence[Operand]],
    parameters: Sequence[Expr] | None = None,
    *,
    effort: float = 0.0,
    seed: int | None = None,
) -> Relations[int] | Relations[Expr]:
    """Return all constants c with ``c_1 e_1 + ... + c_N e_N = 0`` identically, for expressions or vectors of them.

    Without ``parameters`` the constants are numbers; with them, rational functions of these, and then everything is
    computed exactly and proved. ``effort`` is the work that may be spent on each relation between numbers to
    turn a ``certain`` yes into a ``proved`` one.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a = symbol("a", domain="angle")
    >>> found = constant_null_space([1, sin(a)**2, cos(a)**2, sin(2*a), sin(a)*cos(a)])
    >>> found.basis
    [[-1, 1, 1, 0, 0], [0, 0, 0, -1, 2]]
    >>> found.complete.kind, found.verdicts[0].kind
    ('proved', 'certain')

    >>> m = symbol("m", role="parameter", domain="positive")
    >>> constant_null_space([a, m*a, m**2*a + 1, 1], [m]).basis
    [[-m, 1, 0, 0], [m^2, 0, -1, 1]]
    """
    vectors = [
        [as_expr(e) for e in column] if isinstance(column, Sequence) else [as_expr(column)] for column in columns
    ]
    if any(len(vector) != len(vectors[0]) for vector in vectors):
        raise ExpressionError("the vectors between which relations are sought must all have the same length.")
    if not vectors or not vectors[0]:
        raise ExpressionError("at least one expression is needed to look for relations.")
    if parameters:
        return relations_with_parameters(vectors, parameters)
    found = _numbers(vectors, effort, seed)
    if parameters is None:
        return found
    return Relations(
        [list(map(number, r)) for r in found.basis], found.verdicts, found.complete, found.samples, found.primes
    )


def _numbers(vectors: Sequence[Sequence[Expr]], effort: float, seed: int | None) -> Relations[int]:
    """Return the relations with numbers as coefficients, from as many primes as they take."""
    sampler = Sampler(vectors, draw_for([entry for vector in vectors for entry in vector], seed))
    for used, found in enumerate(sampler.echelons(), 1):
        basis = found.rational()
        if basis is None:
            continue
        verdicts = _verdicts(vectors, basis, effort, seed)
        if verdicts is not None:
            return Relations(basis, verdicts, sampler.complete(), sampler.samples, used)
    bits = sampler.most_primes * sampler.bits // 2
    if sampler.most_primes < _MOST_PRIMES:
        raise ExpressionError(
            f"a coefficient of the relations is not a fraction of at most {bits} bits, because roots of constants "
            "occur; make them parameters, or give them rational values."
        )
    raise ExpressionError(
        f"the relations have coefficients of more than {bits} bits, or the expressions "
        "have parts with a relation that is not seen; take fewer expressions."
    )


def _verdicts(
    vectors: Sequence[Sequence[Expr]], basis: Sequence[Sequence[int]], effort: float, seed: int | None
) -> list[Verdict] | None:
    """Check every relation on the expressions with large primes; None when one of them does not hold."""
    height = len(vectors[0])
    sums = [
        [total([(c, v[k]) for c, v in zip(relation, vectors, strict=True)]) for k in range(height)]
        for relation in basis
    ]
    if not sums:
        return []
    try:
        samples = sample([e for rows in sums for e in rows], 2, seed)
    except ExpressionError as fault:
        return [Verdict("undecided", str(fault))] * len(sums)
    if any(map(any, samples.values)):
        return None
    bits = samples.error_bits
    certain = Verdict(
        "certain", f"zero at 2 random points; the probability of error is below 2^{math.ceil(bits)}.", bits
    )
    shown = Verdict("proved", "its normal form has the numerator 0.")
    return [shown if effort and all(proved_zero(e, effort / height) for e in rows) else certain for rows in sums]


class Sampler:
    """Reads all expressions at random points."""

    def __init__(self, vectors: Sequence[Sequence[Expr]], draw: Random) -> None:
        self.width, self.height, self.draw = len(vectors), len(vectors[0]), draw
        self.prepared: Roots = take_squares_out([vector[k] for k in range(self.height) for vector in vectors])
        self.plan = Plan.of(self.prepared.roots)
        self.size = len(postorder(self.prepared.roots))
        self.rational = not any(map(_is_more, postorder(self.prepared.roots)))
        roots = bool(self.plan.numbers) or any(map(is_made_of_roots, self.plan.radicands))
        self.fast = not roots and len(self.plan.radicands) <= _MOST_ROOTS
        self.bits = 31 if self.fast else 63
        self.most_primes = _FEW_PRIMES if roots else _MOST_PRIMES
        drawn = self.plan.drawn().values() if self.fast else ()
        self.constants = any(not symbols(arguments) for kind in drawn for arguments in kind)
        """Whether functions of constants occur, of which each reading draws a value."""
        self.samples = 0
        """At how many points the expressions were read."""

    def complete(self) -> Verdict:
        """Say whether there can be other relations: one that holds does so modulo every prime at every point."""
        unsure = any(
            n.op == "sincos" and any(inner.op in {"jet", "pi", "pick"} for inner in postorder(n.args))
            for n in postorder(self.prepared.roots)
        )
        if self.rational and not unsure:
            return Verdict("proved", "the other expressions are independent modulo a prime, so there is no more.")
        return Verdict(
            "undecided", "a relation that rests on one between roots, logarithms or nested functions may be missing."
        )

    def rows(self, prime: int, points: int) -> list[list[int]]:
        """Return the values at some points: a row for each point and each component."""
        if not self.fast:
            flat = [self._one(prime) for _ in range(points)]
            return [point[k : k + self.width] for point in flat for k in range(0, len(point), self.width)]
        from dalembert.expr.linear.lanes import Lanes

        rows: list[list[int]] = []
        most = max(_EXTRA, _MOST_NUMBERS // (self.size + 1))
        for start in range(0, points, most):
            values = Lanes(prime, min(most, points - start), self.draw, self.plan).read(self.prepared.roots)
            rows += values.reshape(-1, self.width).tolist()
        if not rows:
            raise ExpressionError("a denominator is identically zero, or two roots exist nowhere together.")
        return rows

    def _one(self, prime: int) -> list[int]:
        for _ in range(40 + 20 * 2 ** min(self.prepared.radicands, 9)):
            try:
                return Modular(prime, self.draw, self.plan).read(self.prepared.roots)
            except Unlucky:
                continue
        raise ExpressionError("no point was found where all roots exist and no denominator vanishes.")

    def prime(self) -> int:
        """Return a fresh prime that suits the expressions."""
        return prime_for(self.plan, self.draw, self.bits)

    def null_space(self) -> list[list[int]]:
        """Return whole null vectors from as many primes as it takes for one more to confirm them.

        What they are checked on is left to the caller.
        """
        before: list[list[int]] | None = None
        for found in self.echelons():
            basis = found.rational()
            if basis is not None and (not basis or basis == before):
                return basis
            before = basis
        raise ExpressionError("the coefficients of the relations are too large.")

    def echelons(self) -> Iterator[_Echelon]:
        """Yield the reduced echelon form modulo one prime, two, and so on, as long as that can become one of fractions.

        A coefficient that is a fraction has one residue modulo a prime. Where one has another when the values of
        functions of constants are drawn anew it contains these, and no number of primes is enough for it.
        """
        found: _Echelon | None = None
        for _ in range(self.most_primes):
            new = self.echelon(self.prime())
            found = new if found is None or new.better(found) else found.joined(new)
            yield found
            if found is new and self.constants and new.contradicts(self.echelon(new.modulus)):
                raise ExpressionError(
                    "the coefficients of the relations are no fractions: they contain functions of constants, as the "
                    "sine of a number or of a parameter; state a parameter in place of each, as s for sin(lat)."
                )

    def echelon(self, prime: int) -> _Echelon:
        """Return the reduced echelon form modulo a prime, of enough points that more make no difference."""
        count = -(-self.width // self.height)
        rows: list[list[int]] = []
        while True:
            new = self.rows(prime, count + _EXTRA)  # at once: a point more costs little, another reading much
            self.samples += count + _EXTRA
            cut = max(len(new) - _EXTRA * self.height, 1)
            reduced, pivots = leading_columns(nmod_mat(rows + new[:cut], prime))
            free = sorted(set(range(self.width)).difference(pivots))
            entries = {(p, f): v for i, p in enumerate(pivots) for f in free if (v := int(reduced[i, f]))}
            if new[cut:] and _annihilates(new[cut:], entries, free, self.width, prime):
                return _Echelon(prime, tuple(pivots), tuple(free), entries)
            # components may repeat each other: with too few points again and again most time goes into reductions
            count = max(-(-(self.width - len(pivots)) // self.height), 2 * count)
            rows = [[int(reduced[i, j]) for j in range(self.width)] for i in range(len(pivots))] + new[cut:]


def _is_more(node: Expr) -> bool:
    """Say whether a node is more than rational in symbols, sines, cosines and unspecified functions."""
    return node.op in {"call", "power"} or (node.op == "product" and any(e.denominator != 1 for e in node.data))


def _annihilates(rows: list[list[int]], entries: Residues, free: Sequence[int], width: int, prime: int) -> bool:
    """Say whether rows annihilate the null vectors of an echelon form."""
    if not free:
        return True
    null = [[0] * len(free) for _ in range(width)]
    place = {f: k for k, f in enumerate(free)}
    for f, k in place.items():
        null[f][k] = prime - 1
    for (p, f), value in entries.items():
        null[p][place[f]] = value
    values = nmod_mat(rows, prime) * nmod_mat(null, prime)
    return bool(values == nmod_mat(values.nrows(), values.ncols(), prime))


@dataclass(frozen=True, slots=True)
class _Echelon:
    """A reduced echelon form modulo a product of primes."""

    modulus: int
    pivots: tuple[int, ...]
    free: tuple[int, ...]
    entries: Residues

    def better(self, other: _Echelon) -> bool:
        """Say whether the other one came from an unlucky prime: fewer pivots, or later ones."""
        return (-len(self.pivots), self.pivots) < (-len(other.pivots), other.pivots)

    def joined(self, other: _Echelon) -> _Echelon:
        """Return the form modulo the product of the moduli (Chinese remainders); an unlucky one is left out."""
        if self.pivots != other.pivots or not self.modulus % other.modulus:
            return self
        inverse = pow(self.modulus, -1, other.modulus)
        entries = {}
        for key in self.entries.keys() | other.entries.keys():
            old = self.entries.get(key, 0)
            entries[key] = old + self.modulus * ((other.entries.get(key, 0) - old) * inverse % other.modulus)
        return _Echelon(self.modulus * other.modulus, self.pivots, self.free, entries)

    def contradicts(self, other: _Echelon) -> bool:
        """Say whether another one modulo the same prime has other entries in the same places."""
        return self.pivots == other.pivots and self.entries != other.entries

    def rational(self) -> list[list[int]] | None:
        """Return whole null vectors without common factors, or None when the modulus is too small for some entry."""
        width = len(self.pivots) + len(self.free)
        bound = math.isqrt(self.modulus // 2)
        rows: dict[int, dict[int, Fraction]] = {f: {f: Fraction(-1)} for f in self.free}
        for (p, f), value in self.entries.items():
            fraction = _rational(value, self.modulus, bound)
            if fraction is None:
                return None
            rows[f][p] = fraction
        basis = []
        for row in rows.values():
            scale = math.lcm(*(c.denominator for c in row.values()))
            whole = {j: int(c * scale) for j, c in row.items()}
            common = math.gcd(*whole.values())
            signs = [1 if whole[j] > 0 else -1 for j in sorted(whole)]
            if sum(signs) < 0 or (not sum(signs) and signs[-1] < 0):
                common = -common
            basis.append([whole.get(j, 0) // common for j in range(width)])
        return basis


def _rational(value: int, modulus: int, bound: int) -> Fraction | None:
    """Return the fraction with small numerator and denominator that a residue stands for, if there is one."""
    if value <= bound:
        return Fraction(value)
    if modulus - value <= bound:
        return Fraction(value - modulus)
    above, below = (modulus, value), (0, 1)
    while above[1] > bound:
        quotient = above[0] // above[1]
        above = (above[1], above[0] - quotient * above[1])
        below = (below[1], below[0] - quotient * below[1])
    if abs(below[1]) > bound or math.gcd(above[1], below[1]) != 1:
        return None
    return Fraction(above[1], below[1])
