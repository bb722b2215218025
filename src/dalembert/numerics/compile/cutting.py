"""Long runs of operations as several basic blocks, so that the time to compile them grows as their length.

LLVM selects instructions and finds registers in a time that grows faster than the length of a basic block. Values stay
values, nothing goes through memory for it. What is cut is put in order before, since LLVM does that within blocks only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from dalembert.numerics.compile.ordering import in_order

_BLOCK = 500
"""About so many operations stand in a block; what is less than twice as long stays whole."""
_GO_ON = 'callbr void asm sideeffect "", ""() to label %{} []'
"""Goes on at a label, by no instruction at all; LLVM would put blocks together again that a plain branch connects."""
_FROM = re.compile(r", %([\w.]+) \]")
"""Where a value that depends on the block that was left last names that block."""


def cut(lines: Sequence[str]) -> list[str]:
    """Return the lines of a function, whose first block is ``entry``, with long blocks cut into equal parts."""
    if len(lines) < 2 * _BLOCK:
        return list(lines)
    made: list[str] = []
    last: dict[str, str] = {}  # the last part of each block that was cut
    label = "entry"
    run: list[str] = []
    for line in [*lines, ""]:
        if line.startswith(" "):
            run.append(line)
            continue
        first, *others = _parts(run)
        made += first
        for k, part in enumerate(others, 1):
            last[label] = f"{label}.{k}"
            made += ["  " + _GO_ON.format(last[label]), f"{last[label]}:", *part]
        made.append(line)
        label, run = line[:-1], []
    made.pop()
    return [_FROM.sub(lambda at: f", %{last.get(at[1], at[1])} ]", one) if " = phi " in one else one for one in made]


def _parts(run: Sequence[str]) -> list[Sequence[str]]:
    """Return the lines of a block in parts of about one length; those that have to begin a block stay in the first."""
    many = len(run) // _BLOCK
    if many < 2:
        return [run]
    head = sum(" = phi " in line for line in run)
    ends = [0, *(head + (len(run) - head) * k // many for k in range(1, many + 1))]
    ordered = in_order(run)
    return [ordered[begin:end] for begin, end in pairwise(ends)]
