"""Arithmetic in LLVM's language on one number, or on several lanes of a vector at once: same calls, same text.

A value is the text by which LLVM knows it: ``%v7``, or a constant.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from dalembert.numerics.compile.fusing import Sum

if TYPE_CHECKING:
    from dalembert.numerics.compile.writer import Writer

CHUNK = 4
"""How many doubles the steppers load at once; arrays are padded to a multiple of it."""


class Lanes:
    """Operations on ``width`` doubles, written into a function."""

    def __init__(self, writer: Writer, width: int) -> None:
        """Write into ``writer``."""
        self.writer, self.width = writer, width
        self.type = self._of("double")
        self.integer = self._of("i64")
        self.truth = self._of("i1")
        self.suffix = "f64" if width == 1 else f"v{width}f64"

    def _of(self, scalar: str) -> str:
        return scalar if self.width == 1 else f"<{self.width} x {scalar}>"

    # -- constants -------------------------------------------------------------------------------------------
    def _splat(self, scalar: str, text: str) -> str:
        return text if self.width == 1 else "<" + ", ".join([f"{scalar} {text}"] * self.width) + ">"

    def constant(self, value: float | Fraction) -> str:
        """Return a constant, rounded once; what is too large is infinite."""
        try:
            number = float(value)
        except OverflowError:
            number = float("inf") if value > 0 else float("-inf")
        (bits,) = struct.unpack("<Q", struct.pack("<d", number))
        return self._splat("double", f"0x{bits:016X}")

    def whole(self, value: int) -> str:
        """Return a constant of 64 bits."""
        return self._splat("i64", str(value))

    # -- arithmetic ------------------------------------------------------------------------------------------
    def _two(self, op: str, a: str, b: str) -> str:
        return self.writer.value(f"{op} {self.type} {a}, {b}")

    def add(self, a: str, b: str) -> str:
        return self._added(self._two("fadd", a, b), a, b)

    def sub(self, a: str, b: str) -> str:
        return self._added(self._two("fsub", a, b), a, b, minus=True)

    def _added(self, value: str, a: str, b: str, *, minus: bool = False) -> str:
        """Note that a product may become one operation with this sum."""
        writer = self.writer
        if writer.fused and (a in writer.products or b in writer.products):
            writer.sums[value] = Sum(self._declared("fma", 3), self.type, a, b, minus)
        return value

    def mul(self, a: str, b: str) -> str:
        value = self._two("fmul", a, b)
        self.writer.products[value] = a, b
        return value

    def div(self, a: str, b: str) -> str:
        return self._two("fdiv", a, b)

    def neg(self, a: str) -> str:
        return self.writer.value(f"fneg {self.type} {a}")

    def exactly(self, op: str, a: str, b: str) -> str:
        """Return ``fadd``, ``fsub`` or ``fmul`` rounded once, never fused with anything: error terms live by it."""
        value = self._two(op, a, b)
        self.writer.rounded.add(value)
        return value

    def intrinsic(self, name: str, *values: str) -> str:
        """Return one of the functions that LLVM knows by name, for all lanes."""
        full = f"@llvm.{name}.{self.suffix}"
        return self.writer.call(self.type, full, [(self.type, v) for v in values], pure=True)

    def _declared(self, name: str, count: int) -> str:
        """Return the full name of such a function of so many values, which is called later."""
        full = f"@llvm.{name}.{self.suffix}"
        self.writer.declare(self.type, full, [self.type] * count)
        return full

    def fma(self, a: str, b: str, c: str) -> str:
        """Return ``a*b + c``, fused where the machine can, else rounded twice."""
        return self.intrinsic("fma", a, b, c) if self.writer.fused else self.add(self.mul(a, b), c)

    def sqrt(self, a: str) -> str:
        return self.intrinsic("sqrt", a)

    def magnitude(self, a: str) -> str:
        return self.intrinsic("fabs", a)

    def largest(self, a: str, b: str) -> str:
        return self.intrinsic("maxnum", a, b)

    def sum(self, terms: Sequence[str]) -> str:
        """Return the sum by halves, so that no long chain of additions waits for itself."""
        return self._by_halves(self.add, terms)

    @staticmethod
    def _by_halves(two: Callable[[str, str], str], parts: Sequence[str]) -> str:
        row = list(parts)
        while len(row) > 1:
            row = [two(row[i], row[i + 1]) if i + 1 < len(row) else row[i] for i in range(0, len(row), 2)]
        return row[0]

    # -- choices ---------------------------------------------------------------------------------------------
    def compare(self, relation: str, a: str, b: str) -> str:
        """Return a truth: ``olt`` and its kin are false for what is not a number, ``ult`` and its kin true."""
        return self.writer.value(f"fcmp {relation} {self.type} {a}, {b}")

    def either(self, a: str, b: str) -> str:
        return self.writer.value(f"or {self.truth} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        return self.writer.value(f"and {self.truth} {a}, {b}")

    def opposite(self, a: str) -> str:
        """Return whether it is not true, lane by lane."""
        ones = "true" if self.width == 1 else "<" + ", ".join(["i1 true"] * self.width) + ">"
        return self.writer.value(f"xor {self.truth} {a}, {ones}")

    def every(self, truths: Sequence[str]) -> str:
        """Return whether all are true, lane by lane."""
        return self._by_halves(lambda a, b: self.writer.value(f"and {self.truth} {a}, {b}"), truths)

    def select(self, truth: str, a: str, b: str) -> str:
        return self.writer.value(f"select {self.truth} {truth}, {self.type} {a}, {self.type} {b}")

    def any(self, truth: str) -> str:
        """Return whether it is true in any lane."""
        if self.width == 1:
            return truth
        name = f"@llvm.vector.reduce.or.v{self.width}i1"
        return self.writer.call("i1", name, [(self.truth, truth)], pure=True)

    # -- bits ------------------------------------------------------------------------------------------------
    def bits(self, a: str) -> str:
        return self.writer.value(f"bitcast {self.type} {a} to {self.integer}")

    def from_bits(self, a: str) -> str:
        return self.writer.value(f"bitcast {self.integer} {a} to {self.type}")

    def on_bits(self, op: str, a: str, b: str) -> str:
        return self.writer.value(f"{op} {self.integer} {a}, {b}")

    def bits_differ(self, a: str, b: str) -> str:
        return self.writer.value(f"icmp ne {self.integer} {a}, {b}")

    # -- memory ----------------------------------------------------------------------------------------------
    def place(self, base: str, index: int | str) -> str:
        """Return the address of the ``index``-th value after ``base``."""
        if index == 0:
            return base
        return self.writer.value(f"getelementptr {self.type}, ptr {base}, i64 {index}")

    def load(self, base: str, index: int | str = 0) -> str:
        return self.writer.fresh(f"load {self.type}, ptr {self.place(base, index)}, align 8")

    def store(self, value: str, base: str, index: int | str = 0) -> None:
        self.writer.line(f"store {self.type} {value}, ptr {self.place(base, index)}, align 8")

    def store_at_once(self, value: str, base: str, index: int | str = 0) -> None:
        """Store lanes that were just put together, in one operation.

        LLVM would store their halves, from which the processor cannot serve a load of the whole until both are in the
        cache; of what is volatile it makes as many stores as are written.
        """
        self.writer.line(f"store volatile {self.type} {value}, ptr {self.place(base, index)}, align 8")

    # -- one lane at a time ----------------------------------------------------------------------------------
    def lane(self, value: str, index: int) -> str:
        """Return one lane as a number."""
        return value if self.width == 1 else self.writer.value(f"extractelement {self.type} {value}, i64 {index}")

    def together(self, values: Sequence[str]) -> str:
        """Return numbers as lanes."""
        if self.width == 1:
            return values[0]
        result = "zeroinitializer"
        for index, value in enumerate(values):
            result = self.writer.value(f"insertelement {self.type} {result}, double {value}, i64 {index}")
        return result

    def spread(self, value: str) -> str:
        """Return one number in every lane."""
        if self.width == 1:
            return value
        first = self.writer.value(f"insertelement {self.type} zeroinitializer, double {value}, i64 0")
        mask = f"<{self.width} x i32> zeroinitializer"
        return self.writer.value(f"shufflevector {self.type} {first}, {self.type} zeroinitializer, {mask}")

    def library(self, name: str, *values: str) -> str:
        """Return a function of the C library, lane by lane."""
        parts = []
        for index in range(self.width):
            arguments = [("double", self.lane(v, index)) for v in values]
            parts.append(self.writer.call("double", f"@{name}", arguments, pure=True))
        return self.together(parts)
