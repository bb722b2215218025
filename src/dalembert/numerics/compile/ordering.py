"""Operations in an order that keeps a processor busy.

A processor looks some hundred operations ahead for one that is ready. In the order in which a graph is read two long
chains may stand one behind the other, and are then computed one after the other: by that pendulums take a quarter
longer. LLVM mends it within a basic block; where blocks are cut it has to be done before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from heapq import heapify, heappop, heappush

_VALUE = re.compile(r"%v\d+(?:\.minus)?")
_CYCLES = {"fdiv": 14, "getelementptr": 0, "fneg": 0}
_MOST = 4
"""The cycles that other operations take."""
_WAITS = 0.5
"""Where the longest chain takes less than this part of a cycle for each operation there is always something to do.

It is 0.7 to 1 for pendulums and snakes, 0.3 for arms, whose values would only have to be kept for longer in another
order, and less than 0.1 for large linear systems.
"""
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
    """Return lines as a processor would do them that begins one in each cycle.

    Of those that are ready it is the one with the longest chain behind it, which all others would be waited for by; of
    several, the first. Where operations rarely have to wait for others the order stays as it is.
    """
    place: dict[str, int] = {}
    users: list[list[int]] = [[] for _ in lines]
    missing: list[int] = []
    cycles = [_CYCLES.get(line.split(maxsplit=3)[2], _MOST) for line in lines]
    ends: list[int] = []  # when each is done if nothing but its own chain is waited for
    for i, line in enumerate(lines):
        name, *used = _VALUE.findall(line)
        known = {place[one] for one in used if one in place}
        for k in known:
            users[k].append(i)
        missing.append(len(known))
        ends.append(max((ends[k] for k in known), default=0) + cycles[i])
        place[name] = i
    if max(ends, default=0) < _WAITS * len(lines):
        return list(lines)
    behind = list(cycles)
    for i in reversed(range(len(lines))):
        behind[i] += max((behind[k] for k in users[i]), default=0)
    now, begins = 0, [0] * len(lines)
    ready = [(-behind[i], i) for i, count in enumerate(missing) if not count]
    heapify(ready)
    later: list[tuple[int, int]] = []
    order: list[int] = []
    while ready or later:
        if not ready:
            now = max(now, later[0][0])
        while later and later[0][0] <= now:
            i = heappop(later)[1]
            heappush(ready, (-behind[i], i))
        _, done = heappop(ready)
        order.append(done)
        for user in users[done]:
            missing[user] -= 1
            begins[user] = max(begins[user], now + cycles[done])
            if not missing[user]:
                heappush(later, (begins[user], user))
        now += cycles[done] > 0
    return [lines[i] for i in order]
