"""Reading an expression modulo a random prime at a random point.

Points and primes are drawn by a generator that is seeded with the expressions in question: no two questions share their
primes, as they would with a fixed seed, and the same question is answered alike in every process. Only where a value
that is not zero is all that is asked for, or nothing is said, a few primes serve all (``drawn``).

The prime p is 3 modulo 4. Then -1 has no root, so ``1 + t^2`` never vanishes and half-angle tangents put every angle
on the circle; and the residues (the squares) are a group of odd order, in which every root exists once. Whatever is
positive is drawn as a residue and a root is always the root that is a residue, so roots multiply as they should. Parts
that are independent (unspecified functions at an argument, exponentials, logarithms) get independent values, keyed by
the *value* of their argument: ``f(x + y)`` and ``f(y + x)`` meet whatever their nodes look like.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain
from math import gcd, lcm, prod
from operator import mul
from random import Random
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.graph import ONE, ROOT, Expr, Number
from dalembert.expr.phases import Grown, Logarithm, growth, logarithm, phases
from dalembert.expr.walk import Reader, evaluate, postorder
from dalembert.records import dataclass, field, replace


def draw_for(roots: Iterable[Expr], seed: int | None = None) -> Random:
    """Return a generator for points at which some expressions are read; a seed is used as it is.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> draw_for([x + y]).random() == draw_for([y + x]).random(), draw_for([x]).random() == draw_for([y]).random()
    (True, False)
    """
    return Random(" ".join(str(root.stamp) for root in roots) if seed is None else seed)


SMALL_RESIDUE = 1_000
"""Up to here numbers are made residues by the choice of the prime's class, beyond by trying primes."""
_FEW_PRIMES = prod([3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47])
PLAIN = (1,) * 6
"""The exponents of a product of up to so many factors without powers."""
_PRIMES_EACH = 64
"""How many primes are tried for each pattern of residues that the roots of constants can make."""
_OF_OPPOSITES = {"atan": 0, "asin": 0, "acos": 1}
"""The functions of which those of an argument and of its opposite add up to so many times pi."""
_NO_NEWS = frozenset({"number", "pi", "symbol", "sum", "pick"})
"""What no angle, function or root is seen by."""


class Unlucky(Exception):
    """A point with a zero denominator, or with a root that does not exist modulo this prime: another will do."""


def random_prime(draw: Random, bits: int, coprime_to: int = 1, residues: Sequence[int] = ()) -> int:
    """Return a random prime of the given size, 3 modulo 4.

    Its group of residues has unique roots of the degree ``coprime_to``, and the numbers in ``residues`` belong to it.
    (Primality is by the BPSW test, which no composite is known to pass; a proof would take most of a decision's time.)
    """
    from flint import fmpz

    few = _FEW_PRIMES if bits > _FEW_PRIMES.bit_length() else 1
    start, step = _class_with_residues(draw, residues, coprime_to, bits // 2)
    low, high = (1 << (bits - 1)) // step, (1 << bits) // step
    spread = (high - low).bit_length()
    while True:
        drawn = draw.getrandbits(spread)  # the same numbers as by randrange, at a third of the price
        if drawn >= high - low:
            continue
        candidate = start + step * (low + drawn)
        half = (candidate - 1) // 2
        if (
            candidate.bit_length() == bits
            and gcd(candidate, few) == 1  # at a fifth of the price of the test
            and fmpz(candidate).is_probable_prime()
            and gcd(half, coprime_to) == 1
            and all(pow(n, half, candidate) == 1 for n in residues)
        ):
            return candidate


def _class_with_residues(draw: Random, residues: Sequence[int], coprime_to: int, most_bits: int) -> tuple[int, int]:
    """Return (start, step): primes of this class have many of the numbers as residues, by quadratic reciprocity.

    Among all primes only one in two to the number of the residues has them all: too few to find by trying.
    """
    start, step = (7, 8) if 2 in residues else (3, 4)
    for q in sorted(residues):
        if q == 2 or q > SMALL_RESIDUE or (step * q).bit_length() > most_bits:
            continue
        wanted = 1 if q % 4 == 1 else q - 1
        rest = 0
        while pow(rest, (q - 1) // 2, q) != wanted or (rest == 1 and coprime_to % q == 0):
            rest = draw.randrange(1, q)
        start += step * ((rest - start) * pow(step, -1, q) % q)
        step *= q
    return start, step


@dataclass(slots=True)
class Plan:
    """What has to be known of some expressions before they are read: the parts of angles and exponents."""

    turn: int = 1
    """Angles are counted in this fraction of each part, so that all multiples are whole."""
    root: int = 1
    """The least common multiple of all denominators of exponents."""
    radicands: list[Expr] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Whole numbers of which roots occur: the prime has to have those roots."""
    spread: dict[Expr, dict[Expr, Number]] = field(default_factory=dict)
    """The parts of each angle."""
    grown: dict[Expr, list[Grown]] = field(default_factory=dict)
    """Exponentials and symbolic powers, taken apart."""
    logs: dict[Expr, list[Logarithm]] = field(default_factory=dict)
    opaque: list[Expr] = field(default_factory=list)
    """Functions that have a value of its own for each argument."""

    @classmethod
    def of(cls, roots: Iterable[Expr]) -> Plan:
        """Look through the expressions once."""
        plan = cls()
        memo: dict[Expr, Any] = {}
        radicands: dict[Expr, None] = {}
        numbers: dict[int, None] = {}
        for node in postorder(roots):
            if node.op in _NO_NEWS or (node.op == "product" and not node.kinds & ROOT):  # most are
                continue
            if node.op == "sincos":
                parts = plan.spread[node.args[0]] = phases(node.args[0], memo)
                plan.turn = lcm(plan.turn, *(Fraction(c).denominator for c in parts.values()))
            elif node.op == "power" or (node.op == "call" and node.data == "exp"):
                grown = plan.grown[node] = growth(node)
                plan.root = lcm(plan.root, *(Fraction(c).denominator for _, _, c in grown))
            elif node.op == "call" and node.data == "log":
                plan.logs[node] = logarithm(node.args[0])
            elif node.op in {"call", "jet"}:
                plan.opaque.append(node)
            elif node.op == "product":
                for base, exponent in zip(node.args, node.data, strict=True):
                    if exponent.__class__ is not int and exponent.denominator != 1:
                        plan.root = lcm(plan.root, exponent.denominator)
                        if base.op == "number":
                            numbers[int(base.data)] = None
                        else:
                            radicands[base] = None
        plan.radicands, plan.numbers = list(radicands), list(numbers)
        return plan

    def drawn(self) -> dict[Any, dict[tuple[Expr, ...], None]]:
        """Return for each kind of function the arguments at which its value is drawn."""
        kinds: dict[Any, dict[tuple[Expr, ...], None]] = {}
        for node in self.opaque:
            kinds.setdefault(node.data, {})[node.args] = None
        for base, part, _ in chain.from_iterable(self.grown.values()):
            if base is None or part is not ONE:
                kinds.setdefault("power", {})[part if base is None else base, part] = None
        for _, _, argument in chain.from_iterable(self.logs.values()):
            if argument is not None:
                kinds.setdefault("log", {})[argument,] = None
        for part in chain.from_iterable(self.spread.values()):
            kinds.setdefault("circle", {})[part,] = None
        return kinds


def is_made_of_roots(expression: Expr) -> bool:
    """Say whether an expression is a number made of whole ones by arithmetic and roots."""
    return all(n.op in {"number", "sum", "product", "factor", "solve", "pick"} for n in postorder([expression]))


def prime_for(plan: Plan, draw: Random, bits: int) -> int:
    """Return a random prime that has the roots of all constants: whether it does, no choice of the point changes.

    >>> from dalembert.expr import number, sqrt
    >>> nested = sqrt(2 + sqrt(2 + sqrt(number(2))))
    >>> prime = prime_for(Plan.of([nested]), Random(1), 40)
    >>> (value,) = Modular(prime, Random(1), Plan.of([nested])).read([nested])
    >>> ((value**2 - 2)**2 - 2)**2 % prime
    2
    """
    if plan.root == 1:
        return random_prime(draw, bits)
    constants = [base for base in plan.radicands if is_made_of_roots(base)]
    for _ in range(_PRIMES_EACH * 2 ** len(constants)):
        prime = random_prime(draw, bits, plan.root, plan.numbers)
        try:
            Modular(prime, draw, replace(plan, radicands=constants)).read(())
        except Unlucky:
            continue
        return prime
    raise ExpressionError("no prime was found modulo which all roots of constants exist; write them with fewer roots.")


class Modular(Reader[int]):
    """One random point modulo one prime; where there are no roots, modulo each prime of a product."""

    def __init__(self, prime: int, draw: Random, plan: Plan) -> None:
        """Choose nothing yet: values are drawn when they are first needed."""
        self.prime, self.draw, self.plan = prime, draw, plan
        self.residues = (prime - 1) // 2
        self.values: dict[Expr, Any] = {}
        self.flipped: set[Expr] = set()
        """What stands under a root that is to be taken with the other sign."""
        self._free: dict[Any, Any] = {}

    def with_other_signs(self, radicands: Iterable[Expr], changes: Iterable[frozenset[Expr]] = ()) -> Modular:
        """Return the same point, with the other sign for the roots of some radicands, and of whatever equals them.

        Each of the ``changes`` turns around just the roots of what it contains.
        """
        other = Modular(self.prime, self.draw, self.plan)
        other._free = self._free
        values = {self.values[radicand] for radicand in radicands}
        other.flipped = {base for base in self.plan.radicands if self.values[base] in values}
        for change in changes:
            other.flipped ^= change
        return other

    def read(self, roots: Sequence[Expr]) -> list[int]:
        """Return the values, roots first so that an unlucky point is noticed early."""
        if self.plan.radicands:
            for base in self.plan.radicands:
                self._raised(evaluate([base], self, self.values)[0], Fraction(1, 2))
        return evaluate(roots, self, self.values, whole=True)

    # -- random values ---------------------------------------------------------------------------------------
    def _fresh(self, key: Any, *, residue: bool = False) -> int:
        """Return the value that belongs to a key, drawn the first time."""
        value = self._free.get(key)
        if value is None:
            value = self.draw.randrange(2, self.prime - 1)
            if residue:
                value = value * value % self.prime
            self._free[key] = value
        return int(value)

    def leaf(self, node: Expr) -> int:
        """Read a number, or draw a value that respects the declared sign."""
        if node.op == "number":
            return self._number(node.data)
        if node.op == "pi":
            return self._fresh("pi", residue=True)
        domain = node.data.domain
        value = self._fresh(node, residue=domain in {"positive", "negative"})
        return self.prime - value if domain == "negative" else value

    def _number(self, value: Number) -> int:
        if isinstance(value, int):
            return value % self.prime
        return value.numerator * pow(value.denominator, -1, self.prime) % self.prime

    # -- arithmetic ------------------------------------------------------------------------------------------
    def sum(self, node: Expr, terms: Sequence[int]) -> int:
        """Add up."""
        constant, coefficients = node.data
        result = sum(map(mul, coefficients, terms), constant)
        return result % self.prime if isinstance(result, int) else self._number(result)

    def product(self, node: Expr, bases: Sequence[int]) -> int:
        """Multiply."""
        prime = self.prime
        if node.data == PLAIN[: len(bases)]:  # most products: no powers
            return prod(bases) % prime
        above, below = 1, 1
        for base, exponent, argument in zip(bases, node.data, node.args, strict=True):
            if exponent == 1:
                above = above * base % prime
            elif exponent == -1:
                below = below * base % prime
            elif exponent.denominator != 1:
                root = self._raised(base, exponent)
                if argument in self.flipped and exponent.numerator % 2 and exponent.denominator % 2 == 0:
                    root = prime - root
                above = above * root % prime
            elif exponent > 0:
                above = above * pow(base, exponent, prime) % prime
            else:
                below = below * pow(base, -exponent, prime) % prime
        return above if below == 1 else above * self._inverse(below) % prime

    def _inverse(self, value: int) -> int:
        try:
            return pow(value, -1, self.prime)
        except ValueError as zero:  # modulo one of the primes, if they are several
            raise Unlucky from zero

    def _raised(self, base: int, exponent: Number) -> int:
        """Return a power; one with a denominator is the unique root among the residues."""
        if exponent.denominator == 1:
            power = pow(base, abs(int(exponent)), self.prime)
            return power if exponent > 0 else self._inverse(power)
        if not base:
            if exponent < 0:
                raise Unlucky
            return 0
        if pow(base, self.residues, self.prime) != 1:
            raise Unlucky
        power = exponent.numerator * pow(exponent.denominator, -1, self.residues) % self.residues
        return pow(base, power, self.prime)

    # -- angles ----------------------------------------------------------------------------------------------
    def sincos(self, node: Expr, angle: int) -> tuple[int, int]:
        """Turn by each part of the angle in turn: multiply numbers on the circle."""
        prime = self.prime
        cosine, sine = 1, 0
        for part, times in self.plan.spread[node.args[0]].items():
            c, s = self._unit(evaluate([part], self, self.values)[0])
            count = int(times * self.plan.turn)
            if count < 0:
                s, count = prime - s, -count
            while count:
                if count & 1:
                    cosine, sine = (cosine * c - sine * s) % prime, (cosine * s + sine * c) % prime
                c, s = (c * c - s * s) % prime, 2 * c * s % prime
                count >>= 1
        return sine, cosine

    def _unit(self, part: int) -> tuple[int, int]:
        """Return the point on the circle that belongs to one step of a part, by its half-angle tangent."""
        if 2 * part > self.prime:  # the opposite of an angle that may have been met
            cosine, sine = self._unit(self.prime - part)
            return cosine, -sine % self.prime
        key = ("turn", part)
        if key not in self._free:
            tangent = self._fresh(("tangent", part))
            below = pow(1 + tangent * tangent, -1, self.prime)
            self._free[key] = ((1 - tangent * tangent) * below % self.prime, 2 * tangent * below % self.prime)
        point: tuple[int, int] = self._free[key]
        return point

    # -- exponentials and logarithms -------------------------------------------------------------------------
    def call(self, node: Expr, value: int) -> int:
        """Read exp and log with their relations; anything else is a value of its own for each argument."""
        if node.data == "exp":
            return self._grown(node)
        if node.data == "log":
            return self._logarithm(node)
        if 2 * value > self.prime and node.data in _OF_OPPOSITES:  # of an argument that may have been met
            opposite = self.call(node, self.prime - value)
            return (_OF_OPPOSITES[node.data] * self._fresh("pi", residue=True) - opposite) % self.prime
        return self._fresh((node.data, value))

    def power(self, node: Expr, base: int, exponent: int) -> int:
        """Read a power as a product of independent ones."""
        return self._grown(node)

    def _grown(self, node: Expr) -> int:
        result = 1
        for base, part, times in self.plan.grown[node]:
            if base is None:
                value = self._fresh(("exp", self._value(part)), residue=True)
            elif part is ONE:
                value = self._value(base)
            else:
                value = self._fresh(("power", self._size(base), self._value(part)), residue=True)
            result = result * self._raised(value, times) % self.prime
        return result

    def _logarithm(self, node: Expr) -> int:
        result = 0
        for scale, others, argument in self.plan.logs[node]:
            term = 1 if argument is None else self._fresh(("log", self._size(argument)))
            for other in others:
                term = term * self._value(other) % self.prime
            result += self._number(scale) * term
        return result % self.prime

    def _size(self, node: Expr) -> int:
        """Return something that is the same for a value and its opposite."""
        value = self._value(node)
        return min(value, self.prime - value)

    def _value(self, node: Expr) -> int:
        return evaluate([node], self, self.values)[0]

    # -- the rest --------------------------------------------------------------------------------------------
    def jet(self, node: Expr, arguments: Sequence[int]) -> int:
        """Read an unspecified function: an independent value for each function, slot derivative and argument."""
        return self._fresh((*node.data, *arguments))

    def factor(self, node: Expr, entries: Sequence[int]) -> Any:
        """Factor a matrix into L U with row exchanges."""
        size, prime = node.data, self.prime
        rows = [list(entries[i : i + size]) for i in range(0, len(entries), size)]
        order = list(range(size))
        inverses = []
        for k in range(size):
            best = next((i for i in range(k, size) if rows[i][k]), None)
            if best is None:
                raise Unlucky
            rows[k], rows[best], order[k], order[best] = rows[best], rows[k], order[best], order[k]
            inverse = self._inverse(rows[k][k])
            inverses.append(inverse)
            tail = [(j, rows[k][j]) for j in range(k + 1, size) if rows[k][j]]
            for i in range(k + 1, size):
                row = rows[i]
                if row[k]:
                    ratio = row[k] = row[k] * inverse % prime
                    for j, entry in tail:
                        row[j] = (row[j] - ratio * entry) % prime
        return rows, order, inverses

    def solve(self, node: Expr, factor: Any, rhs: Sequence[int]) -> list[int]:
        """Substitute forward and back."""
        rows, order, inverses = factor
        size, prime = len(rows), self.prime
        x = [rhs[i] for i in order]
        for i in range(size):
            row = rows[i]
            x[i] = (x[i] - sum(row[j] * x[j] for j in range(i) if row[j])) % prime
        for i in range(size - 1, -1, -1):
            row = rows[i]
            x[i] = (x[i] - sum(row[j] * x[j] for j in range(i + 1, size) if row[j])) * inverses[i] % prime
        return x
