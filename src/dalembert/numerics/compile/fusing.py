"""A product that is added becomes one operation with the sum, rounded once, on machines that have it.

It is written down here and not left to LLVM, which does so within a basic block only, and only where it optimises: so
results have the same bits however code is cut and compiled.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

_VALUE = re.compile(r"%v\d+")
_ONCE = 2
"""How often the name of a value that is used once is written: where it is made, and where it is used."""


class Sum(NamedTuple):
    """``a + b`` or ``a - b``, by the name of LLVM's operation for the fused one."""

    fma: str
    type: str
    a: str
    b: str
    minus: bool


def fuse(
    lines: Sequence[str],
    products: Mapping[str, tuple[str, str]],
    sums: Mapping[str, Sum],
    rounded: Collection[str],
) -> list[str]:
    r"""Return the lines of a function in which every sum takes in a product that nothing else uses.

    The first of two; what is ``rounded`` stays as it is. A product that others use too would have to be kept beside the
    fused operation, and both its factors with it, which takes longer than it saves.

    >>> lines = ["  %v0 = fmul double %x, %y", "  %v1 = fsub double %z, %v0", "  ret double %v1"]
    >>> taken = {"%v1": Sum("@llvm.fma.f64", "double", "%z", "%v0", minus=True)}
    >>> print(*fuse(lines, {"%v0": ("%x", "%y")}, taken, ()), sep="\n")
      %v1.minus = fneg double %x
      %v1 = call double @llvm.fma.f64(double %v1.minus, double %y, double %z)
      ret double %v1
    """
    written = Counter(_VALUE.findall("\n".join(lines)))
    chosen: dict[str, str] = {}
    for name, one in sums.items():
        if name not in rounded:
            parts = [p for p in (one.a, one.b) if p in products and written[p] == _ONCE and p not in rounded]
            if parts:
                chosen[name] = parts[0]
    gone = set(chosen.values())
    made: list[str] = []
    for line in lines:
        name = line[2 : line.find(" = ")]
        if name in chosen:
            made += _fused(name, sums[name], chosen[name], products[chosen[name]])
        elif name not in gone:
            made.append(line)
    return made


def _fused(name: str, one: Sum, product: str, factors: tuple[str, str]) -> list[str]:
    """Return the lines of a sum with one of its parts as a product; a sign is part of LLVM's operation when it runs."""
    (x, y), kind, opposite = factors, one.type, f"{name}.minus"
    first = product == one.a
    other = one.b if first else one.a
    sign = [f"  {opposite} = fneg {kind} {other if first else x}"] if one.minus else []
    if one.minus:
        x, other = (x, opposite) if first else (opposite, other)
    return [*sign, f"  {name} = call {kind} {one.fma}({kind} {x}, {kind} {y}, {kind} {other})"]
