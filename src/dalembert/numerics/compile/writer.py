"""A function in LLVM's language, written line by line, with loops and choices as Python blocks.

Text, since building LLVM's objects one by one costs ten times as much as parsing it. A line that was written before is
not written again: equal operations share one value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import count

from dalembert.numerics.compile.cutting import cut
from dalembert.numerics.compile.fusing import Sum, fuse
from dalembert.numerics.compile.lanes import CHUNK, Lanes


class Writer:
    """One function being written.

    >>> w = Writer("@twice", "double", [("double", "%x")])
    >>> w.give("double", w.one.mul("%x", w.one.constant(2)))
    >>> print(w.text)
    define double @twice(double %x) {
    entry:
      %v0 = fmul double %x, 0x4000000000000000
      ret double %v0
    }
    """

    def __init__(
        self,
        name: str,
        returns: str,
        parameters: Sequence[tuple[str, str]],
        *,
        width: int = 1,
        fused: bool = False,
        linkage: str = "",
    ) -> None:
        """Begin a function; ``width`` is how many trajectories run side by side.

        Where the machine has ``fused`` operations, a product that is added becomes one with the sum.
        """
        arguments = ", ".join(f"{kind} {value}" for kind, value in parameters)
        self.name = name
        self._head = f"define {linkage + ' ' if linkage else ''}{returns} {name}({arguments}) {{"
        self._lines: list[str] = []
        self._reserved: list[str] = []
        self._seen: dict[str, str] = {}
        self._names = count()
        self._block = "entry"
        self.fused = fused
        self.products: dict[str, tuple[str, str]] = {}
        """The factors of what is a product."""
        self.sums: dict[str, Sum] = {}
        """Sums that a product may become one operation with."""
        self.rounded: set[str] = set()
        """Values that are rounded for themselves, whatever is done with them."""
        self.declared: dict[str, str] = {}
        self.tables: dict[str, str] = {}
        """Rows of whole numbers that the function reads, by their names."""
        self.one = Lanes(self, 1)
        self.lanes = Lanes(self, width)
        self.chunks = Lanes(self, CHUNK)

    @property
    def text(self) -> str:
        """The whole function."""
        lines = fuse(self._lines, self.products, self.sums, self.rounded) if self.sums else self._lines
        return "\n".join([self._head, "entry:", *self._reserved, *cut(lines), "}"])

    # -- lines -----------------------------------------------------------------------------------------------
    def _name(self) -> str:
        return f"%v{next(self._names)}"

    def value(self, text: str) -> str:
        """Return the value of an operation without effects, the old one if it was written before."""
        known = self._seen.get(text)
        if known is None:
            known = self._seen[text] = self.fresh(text)
        return known

    def fresh(self, text: str) -> str:
        """Return the value of an operation, written anew."""
        name = self._name()
        self._lines.append(f"  {name} = {text}")
        return name

    def line(self, text: str) -> None:
        """Write an operation without value."""
        self._lines.append("  " + text)

    def call(self, returns: str, name: str, arguments: Sequence[tuple[str, str]], *, pure: bool = False) -> str:
        """Call another function, and have it declared."""
        self.declare(returns, name, [kind for kind, _ in arguments])
        text = f"call {returns} {name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"
        if returns == "void":
            self.line(text)
            return ""
        return self.value(text) if pure else self.fresh(text)

    def declare(self, returns: str, name: str, kinds: Sequence[str]) -> None:
        """Have a function declared that is called somewhere."""
        self.declared[name] = f"declare {returns} {name}({', '.join(kinds)})"

    def reserve(self, kind: str, size: int | str = 1) -> str:
        """Return the address of room on the stack, taken once, when the function is entered."""
        name = self._name()
        self._reserved.append(f"  {name} = alloca {kind}, i64 {size}, align 32")
        return name

    def table(self, numbers: Sequence[int]) -> str:
        """Return the address of a row of whole numbers, the same for the same numbers."""
        entries = ", ".join(f"i32 {number}" for number in numbers)
        name = f"@table.{sha256(entries.encode()).hexdigest()[:16]}"
        self.tables[name] = f"{name} = internal constant [{len(numbers)} x i32] [{entries}]"
        return name

    def give(self, kind: str, value: str) -> None:
        """Return from the function."""
        self.line(f"ret {kind} {value}" if value else "ret void")

    # -- blocks ----------------------------------------------------------------------------------------------
    def label(self, name: str) -> None:
        """Begin a block."""
        self._lines.append(f"{name}:")
        self._block = name

    def _fresh_label(self, what: str) -> str:
        return f"{what}{next(self._names)}"

    @contextmanager
    def when(self, truth: str) -> Iterator[None]:
        """Write lines that are passed over unless ``truth``; they may end by returning."""
        inside, after = self._fresh_label("then"), self._fresh_label("after")
        self.line(f"br i1 {truth}, label %{inside}, label %{after}")
        known = dict(self._seen)
        self.label(inside)
        yield
        if not self._lines[-1].startswith(("  ret ", "  br ")):
            self.line(f"br label %{after}")
        self._seen = known
        self.label(after)

    def unless(self, truth: str, kind: str, values: Sequence[str], otherwise: Callable[[], Sequence[str]]) -> list[str]:
        """Return ``values``, or where ``truth`` what is written ``otherwise``."""
        before, inside, after = self._block, self._fresh_label("else"), self._fresh_label("after")
        self.line(f"br i1 {truth}, label %{inside}, label %{after}")
        known = dict(self._seen)
        self.label(inside)
        others = otherwise()
        end = self._block
        self.line(f"br label %{after}")
        self._seen = known
        self.label(after)
        pairs = zip(values, others, strict=True)
        return [self.fresh(f"phi {kind} [ {value}, %{before} ], [ {other}, %{end} ]") for value, other in pairs]

    @contextmanager
    def loop(self, stop: int | str, start: int | str = 0) -> Iterator[str]:
        """Write lines that are run for a whole number from ``start`` up to, not including, ``stop``."""
        head, inside, after = (self._fresh_label(what) for what in ("head", "loop", "after"))
        before, index, following = self._block, self._name(), self._name()
        self.line(f"br label %{head}")
        self.label(head)
        place = len(self._lines)
        self._lines.append("")  # the phi, once it is known where the loop comes back from
        go = self.fresh(f"icmp slt i64 {index}, {stop}")
        self.line(f"br i1 {go}, label %{inside}, label %{after}")
        known = dict(self._seen)
        self.label(inside)
        yield index
        self.line(f"{following} = add i64 {index}, 1")
        self._lines[place] = f"  {index} = phi i64 [ {start}, %{before} ], [ {following}, %{self._block} ]"
        self.line(f"br label %{head}")
        self._seen = known
        self.label(after)

    @contextmanager
    def forever(self) -> Iterator[tuple[str, str]]:
        """Write lines that are run until they branch to the second of the labels given; the first starts anew."""
        head, after = self._fresh_label("head"), self._fresh_label("after")
        self.line(f"br label %{head}")
        known = dict(self._seen)
        self.label(head)
        yield head, after
        if not self._lines[-1].startswith(("  ret ", "  br ")):
            self.line(f"br label %{head}")
        self._seen = known
        self.label(after)

    def leave_to(self, label: str, truth: str) -> None:
        """Go on at a label if ``truth``, else with the next line."""
        after = self._fresh_label("on")
        self.line(f"br i1 {truth}, label %{label}, label %{after}")
        self.label(after)

    def each(self, size: int, few: int) -> Iterator[int | str]:
        """Run through whole numbers below ``size``: written out where there are few, else as a loop."""
        if size <= few:
            yield from range(size)
        else:
            with self.loop(size) as index:
                yield index
