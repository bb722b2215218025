"""An order of operations that keeps a processor busy: list scheduling.

A processor looks some hundred operations ahead for one that is ready. In the order in which a graph is read two long
chains may stand one behind the other, and are then computed one after the other: by that pendulums take a quarter
longer. Machine code and source code are both put in order so, for compilers change that within narrow bounds only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heapify, heappop, heappush

_WAITS = 0.5
"""Where the longest chain takes less than this part of a cycle for each operation there is always something to do.

It is 0.7 to 1 for pendulums and snakes, 0.3 for arms, whose values would only have to be kept for longer in another
order, and less than 0.1 for large linear systems.
"""


def order_of_need(needs: Sequence[Collection[int]], cycles: Sequence[int], work: Sequence[int]) -> list[int]:
    """Return the places of steps as a processor would take them that begins one operation in each cycle.

    Of those that are ready it is the one with the longest chain behind it, which all others would be waited for by; of
    several, the first. Where operations rarely have to wait for others the order stays as it is. ``needs`` has the
    earlier places that each step waits for, ``cycles`` how long it takes, ``work`` its operations.

    >>> order_of_need([(), (0,), (1,), (), (3,)], [4] * 5, [1] * 5)
    [0, 3, 1, 4, 2]
    """
    ends: list[int] = []  # when each is done if nothing but its own chain is waited for
    for known, taken in zip(needs, cycles, strict=True):
        ends.append(max((ends[k] for k in known), default=0) + taken)
    if max(ends, default=0) < _WAITS * sum(work):
        return list(range(len(needs)))
    users: list[list[int]] = [[] for _ in needs]
    for i, known in enumerate(needs):
        for k in known:
            users[k].append(i)
    missing = [len(known) for known in needs]
    behind = list(cycles)
    for i in reversed(range(len(needs))):
        behind[i] += max((behind[k] for k in users[i]), default=0)
    now, begins = 0, [0] * len(needs)
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
        now += work[done]
    return order
