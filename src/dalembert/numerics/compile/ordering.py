"""The operations of a basic block in an order that keeps a processor busy: LLVM sees to it within a block only, and
long ones are cut.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dalembert.numerics.scheduling import order_of_need

_VALUE = re.compile(r"%v\d+(?:\.minus)?")
_CYCLES = {"fdiv": 14, "getelementptr": 0, "fneg": 0}
_MOST = 4
"""The cycles that other operations take."""
_STAYS = (" = call ", " = phi ", " = alloca ", " = atomicrmw ")
"""Operations that are more than their value, or have their place."""


def in_order(lines: Sequence[str]) -> list[str]:
    """Return the lines of a basic block in another order; nothing moves over what has an effect.

    >>> chain = [f"  %v{k} = fadd double %v{k - 1}, %v{k - 1}" for k in (1, 2)]
    >>> other = [f"  %v{k} = fmul double %v{k - 1}, %v{k - 1}" for k in (11, 12)]
    >>> [line.split()[0] for line in in_order([*chain, *other, "  ret double %v0"])]
    ['%v1', '%v11', '%v2', '%v12', 'ret']
    """
    made: list[str] = []
    free: list[str] = []
    for line in lines:
        if line.startswith("  %") and ("@llvm." in line or not any(word in line for word in _STAYS)):
            free.append(line)
        else:
            made += [*_busy(free), line]
            free = []
    return made + _busy(free)


def _busy(lines: Sequence[str]) -> list[str]:
    """Return lines in the order of need."""
    place: dict[str, int] = {}
    needs: list[set[int]] = []
    cycles = [_CYCLES.get(line.split(maxsplit=3)[2], _MOST) for line in lines]
    for i, line in enumerate(lines):
        name, *used = _VALUE.findall(line)
        needs.append({place[one] for one in used if one in place})
        place[name] = i
    return [lines[i] for i in order_of_need(needs, cycles, [int(taken > 0) for taken in cycles])]
