"""What each operation of the graph becomes in machine code.

Calls of unspecified functions go through addresses that are kept among the parameters.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeAlias

from dalembert.errors import EvaluationError
from dalembert.expr.graph import ZERO, Expr, product, symbol
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.walk import Reader, postorder
from dalembert.numerics.compile import linear
from dalembert.numerics.compile.assembling import solve_assembled
from dalembert.numerics.compile.elimination import products
from dalembert.numerics.compile.lanes import CHUNK, Lanes
from dalembert.numerics.compile.pivoting import solve_basic
from dalembert.numerics.late import DIVISION, FUNCTION, OPERATION, Known, Part, late_last

Call: TypeAlias = "tuple[Function, tuple[int, ...]]"
"""A function and how often it is differentiated by each argument."""


def calls_of(roots: Iterable[Expr]) -> tuple[Call, ...]:
    """Return the functions and derivatives that occur, in a fixed order.

    >>> from dalembert.expr import jet
    >>> V, x = Function("V", 1), symbol("x")
    >>> calls_of([jet(V, (x,), slots=(1,)) + jet(V, (x,))])
    ((Function(name='V', arity=1), (0,)), (Function(name='V', arity=1), (1,)))
    """
    found = {node.data for node in postorder(roots) if node.op == "jet"}
    return tuple(sorted(found, key=lambda call: (call[0].name, call[1])))


def place_of(call: Call) -> Expr:
    """Return the parameter that holds the address of a function."""
    function, orders = call
    return symbol(Symbol(f"address of {function.name} {orders}", role="parameter"))


class Code(Reader[str]):
    """Writes a graph into a function; values are what LLVM calls them.

    ``inputs`` says where symbols are: (address, index). ``status`` is the address of a number that becomes 1 where a
    linear system is singular.
    """

    def __init__(
        self, lanes: Lanes, inputs: Mapping[Expr, tuple[str, int]], status: str, roots: Sequence[Expr]
    ) -> None:
        """Look through the roots for denominators that are shared: those are inverted once."""
        self.lanes, self.inputs, self.status = lanes, inputs, status
        self.sines: dict[Expr, tuple[str, int, int]] = {}
        """Where sine and cosine of an angle are, if they are known."""
        self.known = Known()
        self.uses: Counter[Expr] = Counter(roots)
        divided: Counter[Expr] = Counter()
        for node in postorder(roots):
            self.uses.update(node.args)
            if node.op == "product":
                divided.update(base for base, exponent in zip(node.args, node.data, strict=True) if exponent < 0)
        self.shared = {base for base, times in divided.items() if times > 1}

    def leaf(self, node: Expr) -> str:
        """Read a number, pi, or load a symbol."""
        if node.op == "number":
            return self.lanes.constant(node.data)
        if node.op == "pi":
            return self.lanes.constant(3.141592653589793)
        if node not in self.inputs:
            raise EvaluationError(f"'{node.data.label}' has no value here: it is neither a variable nor a parameter.")
        base, index = self.inputs[node]
        return self.lanes.load(base, index)

    def sum(self, node: Expr, terms: Sequence[str]) -> str:
        """Add up, and take away; what is known last comes last."""
        lanes = self.lanes
        constant, coefficients = node.data
        parts = [Part(0, lanes.constant(constant))] if constant else []
        for argument, coefficient, term in zip(node.args, coefficients, terms, strict=True):
            known = self.known.of(argument)
            if abs(coefficient) == 1:
                alone = argument.op == "product" and self.uses[argument] == 1
                parts.append(Part(known, term, minus=coefficient < 0, fused=alone))
            else:
                parts.append(Part(known + OPERATION, lanes.mul(lanes.constant(coefficient), term), fused=True))
        whole = late_last(parts, lanes.add, lanes.sub)
        self.known[node] = whole.known
        return lanes.neg(whole.value) if whole.minus else whole.value

    def product(self, node: Expr, bases: Sequence[str]) -> str:
        """Multiply, and divide once by all that stands below; what is known last comes last."""
        lanes = self.lanes
        above: list[Part[str]] = []
        below: list[Part[str]] = []
        for argument, base, exponent in zip(node.args, bases, node.data, strict=True):
            known, size = self.known.of(argument), Fraction(abs(exponent))
            if exponent > 0:
                above.append(self._power(Part(known, base), size))
            elif argument in self.shared:
                inverse = lanes.div(lanes.constant(1), base)
                above.append(self._power(Part(known + DIVISION, inverse), size))
            else:
                below.append(self._power(Part(known, base), size))
        over = late_last(above or [Part(0, lanes.constant(1))], lanes.mul)
        if not below:
            self.known[node] = over.known
            return over.value
        under = late_last(below, lanes.mul)
        self.known[node] = max(over.known, under.known) + DIVISION
        return lanes.div(over.value, under.value)

    def _power(self, base: Part[str], exponent: Fraction) -> Part[str]:
        """Return a positive power, one value for all products it stands in: squares, and a root for a half."""
        lanes, known = self.lanes, base.known
        if exponent.denominator > 2 or exponent > 1024:
            return Part(known + FUNCTION, lanes.library("pow", base.value, lanes.constant(exponent)))
        parts = [Part(known + DIVISION, lanes.sqrt(base.value))] if exponent.denominator == 2 else []
        whole, square = int(exponent), base.value
        while whole:
            if whole & 1:
                parts.append(Part(known, square))
            whole >>= 1
            if whole:
                square, known = lanes.mul(square, square), known + OPERATION
        return late_last(parts, lanes.mul)

    def power(self, node: Expr, base: str, exponent: str) -> str:
        """Read a power whose exponent varies; there is none of what is not positive, also for a whole exponent."""
        self.known.slow(node)
        lanes = self.lanes
        none = lanes.either(lanes.compare("ule", base, lanes.constant(0)), lanes.compare("uno", exponent, exponent))
        return lanes.select(none, lanes.constant(math.nan), lanes.library("pow", base, exponent))

    def call(self, node: Expr, value: str) -> str:
        """Read one of ``exp log atan asin acos``, which the C library has under these names."""
        self.known.slow(node)
        return self.lanes.library(node.data, value)

    def jet(self, node: Expr, arguments: Sequence[str]) -> str:
        """Call the function whose address is among the inputs; one without a value cannot be run."""
        self.known.slow(node)
        place = place_of(node.data)
        if place not in self.inputs or self.lanes.width > 1:
            name = node.data[0].name
            raise EvaluationError(f"the function '{name}' has no value; give it one before it is integrated.")
        w, lanes = self.lanes.writer, self.lanes
        base, index = self.inputs[place]
        room, result = w.reserve("double", len(arguments)), w.reserve("double")
        for i, argument in enumerate(arguments):
            lanes.store(argument, room, i)
        address = w.fresh(f"inttoptr i64 {w.fresh(f'load i64, ptr {lanes.place(base, index)}')} to ptr")
        w.line(f"call i32 {address}(ptr null, ptr {room}, ptr {base}, ptr null, ptr {result})")
        return lanes.load(result)

    def sincos(self, node: Expr, angle: str) -> Sequence[str]:
        """Read sine and cosine by the polynomials, or where they are."""
        self.known.slow(node)
        if node.args[0] in self.sines:
            base, sine, cosine = self.sines[node.args[0]]
            return self.lanes.load(base, sine), self.lanes.load(base, cosine)
        return sincos(self.lanes, angle)

    def sines_together(self, angles: Sequence[Expr], values: Sequence[str]) -> None:
        """Compute the sines of many angles by a loop over chunks of them, once for all."""
        w, size = self.lanes.writer, linear.padded(len(angles))
        room = w.reserve("double", 3 * size)
        for i, value in enumerate([*values, *[w.one.constant(0)] * (size - len(values))]):
            w.one.store(value, room, i)
        count = size // CHUNK
        with w.loop(count) as index:
            pair = sincos(w.chunks, w.chunks.load(room, index))
            for k, part in enumerate(pair, 1):
                w.chunks.store(part, room, w.fresh(f"add i64 {index}, {k * count}"))
        self.sines = {angle: (room, size + i, 2 * size + i) for i, angle in enumerate(angles)}

    def factor(self, node: Expr, entries: Sequence[str]) -> linear.Factor:
        """Factorise a matrix, its zeros left out."""
        self.known.slow(node)
        known = [None if argument is ZERO else value for argument, value in zip(node.args, entries, strict=True)]
        return linear.factorise(self.lanes, known, node.data, self.status, *self._still(node.args, entries))

    def _stands_still(self, node: Expr) -> bool:
        return node.op in {"number", "pi"} or self.inputs.get(node, ("", 0))[0] == "%p"

    def _still(self, entries: Sequence[Expr], values: Sequence[str]) -> tuple[set[int], dict[str, str]]:
        """Return at which places a matrix is constant, and one over such entries where that is a parameter too."""
        places = {i for i, entry in enumerate(entries) if self._stands_still(entry)}
        known = {i: self.inputs.get(product([(entries[i], -1)])) for i in places if entries[i].op == "symbol"}
        return places, {values[i]: self.lanes.load(*found) for i, found in known.items() if found is not None}

    def solve(self, node: Expr, factor: linear.Factor, rhs: Sequence[str]) -> Sequence[str]:
        """Solve with a factorised matrix."""
        self.known.slow(node)
        known = [None if argument is ZERO else value for argument, value in zip(node.args[1:], rhs, strict=True)]
        return linear.solve(self.lanes, factor, known, self.status)

    def basic(self, node: Expr, values: Sequence[str]) -> Sequence[str]:
        """Solve with pivots chosen by size: of full rank only where those of an order fixed once are weak."""
        self.known.slow(node)
        known = [None if argument is ZERO else value for argument, value in zip(node.args, values, strict=True)]
        size, rank = node.data
        square = size * size

        def by_size() -> Sequence[str]:
            return solve_basic(self.lanes, known, size, rank, self.status)

        if rank < size or products(known[:square], size) > linear.MOST_WRITTEN_OUT:
            return by_size()
        still = self._still(node.args[:square], values)
        factor = linear.factorise(self.lanes, known[:square], size, self.status, *still, saddle=True)
        return linear.solve(self.lanes, factor, known[square:], self.status, by_size)

    def assembled(self, node: Expr, values: Sequence[str]) -> Sequence[str]:
        """Put in what is given, and solve the rest with pivots chosen by size: both by a loop."""
        self.known.slow(node)
        return solve_assembled(self.lanes, node.data, values, self.status)


# -- sine and cosine together --------------------------------------------------------------------------------
# Sine and cosine together, without a branch: reduction by pi/2 in three parts, then two short polynomials.
#
# With n the nearest whole number to 2x/pi, r = x - n (P1 + P2 + P3), where P1 is pi/2 rounded to a double, P2 the
# rest rounded again, and so on. A fused multiply-add makes x - n P1 exact, so r is right to its last bit or two for
# every |x| < 2^40; beyond, neighbouring doubles lie further apart than 1e-4 and an angle says nothing any more: not a
# number. Without fused operations the C library is faster.
_HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33)
_TWO_OVER_PI = 0.6366197723675814
_SHIFT = 1.5 * 2.0**52
"""Adding it rounds to a whole number and leaves that number in the lowest bits."""
_LARGEST = 2.0**40

# minimax on |r| <= pi/4: sin r = r + r^3 S(r^2), cos r = 1 - r^2/2 + r^4 C(r^2); constants of fdlibm (Sun, 1993)
_SINE = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COSINE = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sincos(lanes: Lanes, angle: str) -> tuple[str, str]:
    """Return sine and cosine of an angle."""
    if not lanes.writer.fused:
        return lanes.library("sin", angle), lanes.library("cos", angle)
    const = lanes.constant
    shifted = lanes.exactly("fadd", lanes.mul(angle, const(_TWO_OVER_PI)), const(_SHIFT))
    minus_n = lanes.exactly("fsub", const(_SHIFT), shifted)
    rest = angle
    for part in _HALF_PI:
        rest = lanes.fma(minus_n, const(part), rest)
    fits = lanes.compare("olt", lanes.magnitude(angle), const(_LARGEST))
    rest = lanes.select(fits, rest, const(float("nan")))
    sine, cosine = _near_zero(lanes, rest)

    quarter = lanes.bits(shifted)
    swapped = lanes.bits_differ(lanes.on_bits("and", quarter, lanes.whole(1)), lanes.whole(0))
    sign = lanes.whole(-(2**63))
    turn = lanes.on_bits("shl", quarter, lanes.whole(62))  # the second bit moves to the sign
    next_turn = lanes.on_bits("shl", lanes.on_bits("add", quarter, lanes.whole(1)), lanes.whole(62))
    pair = (lanes.select(swapped, cosine, sine), turn), (lanes.select(swapped, sine, cosine), next_turn)
    first, second = (
        lanes.from_bits(lanes.on_bits("xor", lanes.bits(value), lanes.on_bits("and", flip, sign)))
        for value, flip in pair
    )
    return first, second


def _near_zero(lanes: Lanes, r: str) -> tuple[str, str]:
    """Return sine and cosine of an angle between -pi/4 and pi/4."""
    const = lanes.constant
    z = lanes.mul(r, r)
    sine = lanes.fma(lanes.mul(z, r), _polynomial(lanes, z, _SINE), r)
    half = lanes.mul(z, const(0.5))
    leading = lanes.exactly("fsub", const(1), half)
    lost = lanes.exactly("fsub", lanes.exactly("fsub", const(1), leading), half)
    tail = lanes.fma(lanes.mul(z, z), _polynomial(lanes, z, _COSINE), lost)
    return sine, lanes.add(leading, tail)


def _polynomial(lanes: Lanes, z: str, coefficients: tuple[float, ...]) -> str:
    """Return a polynomial of degree five by pairs: a chain of four operations instead of six."""
    c0, c1, c2, c3, c4, c5 = map(lanes.constant, coefficients)
    square = lanes.mul(z, z)
    high = lanes.fma(square, lanes.fma(z, c5, c4), lanes.fma(z, c3, c2))
    return lanes.fma(square, high, lanes.fma(z, c1, c0))
