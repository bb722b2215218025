"""What it takes to compile equations of motion: seconds of CPU by operations, the exponent of growth, and its price.

Run it with ``python -m bench.compiling``; ``--quick`` leaves out the largest. Seconds are those of writing the rates
and having LLVM compile them, the least of five, without deriving and without the stepper, the same for all sizes.
Operations are those of all that is compiled. Long functions are cut into basic blocks so that the exponent is near one;
beside it stand the seconds of the same functions left whole, and by how much an evaluation of the one takes longer than
one of the other. Both are evaluated in turns in one process, and the least time of each counts.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from unittest import mock

from bench.frame_speed import evaluation, nanoseconds
from bench.goals import Goal, fitted, told
from dalembert import cache, derive, gallery
from dalembert.expr.walk import count
from dalembert.model.system import System
from dalembert.numerics.compile import cutting
from dalembert.numerics.compile.machine import object_code
from dalembert.numerics.compile.rates import Prepared, prepare, rates_function
from dalembert.numerics.specialise import specialise
from tests.chains import hanging_chain

_CHAINS: dict[str, tuple[Callable[[int], System], str, tuple[int, ...]]] = {
    "pendulum": (partial(gallery.load, "pendulum"), "euler-lagrange", (12, 24, 48, 96)),
    "wheeled-snake": (partial(gallery.load, "wheeled-snake"), "nonholonomic", (12, 24, 48, 96)),
    "arm": (partial(gallery.load, "arm"), "euler-lagrange", (6, 12, 24, 48)),
    "loop": (hanging_chain, "nonholonomic", (6, 12, 24, 48)),
}
_EXPONENT = 1.1
_LONGER = 1.06
"""An evaluation may take so many times as long, as the geometric mean over the sizes of a chain."""
_PLACES = 3
"""So often is each compiled: where in memory long code lies makes a quarter of its time."""


@contextmanager
def whole() -> Iterator[None]:
    """Have functions compiled without being cut."""
    with mock.patch.object(cutting, "_BLOCK", 10**9):
        yield


def seconds(prepared: Prepared) -> tuple[float, float]:
    """Return the least time of five to write the rates and compile them, cut and whole; they take turns."""
    least = [math.inf, math.inf]
    for _ in range(5):
        for k in range(2):
            with whole() if k else nullcontext():
                began = time.process_time()
                object_code([rates_function(prepared)])
                least[k] = min(least[k], time.process_time() - began)
    return least[0], least[1]


def growth(name: str, *, quick: bool) -> list[Goal]:
    """Return the exponent by which seconds grow with operations, and what cutting costs of an evaluation."""
    make, formalism, sizes = _CHAINS[name]
    works, times, whole_times, ratios = [], [], [], []
    for n in sizes[:-1] if quick else sizes:
        system = make(n)
        equations = derive(system, formalism).equations
        prepared = prepare(specialise(equations, system, None, None)[0])
        works.append(count([*prepared.rates, *(e for pair in prepared.guards for e in pair), *prepared.guarded]).total)
        in_blocks, as_one = seconds(prepared)
        times.append(in_blocks)
        whole_times.append(as_one)
        sides = []
        for _ in range(_PLACES):
            sides.append(evaluation(equations, system))
            with whole():
                sides.append(evaluation(equations, system))
        taken = nanoseconds(sides)
        cut, uncut = min(taken[::2]), min(taken[1::2])
        ratios.append(cut / uncut)
        print(
            f"{name} {n}: {works[-1]} operations, {times[-1]:.3f} s (whole {whole_times[-1]:.3f}), "
            f"{cut:.0f} ns (whole {uncut:.0f}), ratio {ratios[-1]:.3f}",
            flush=True,
        )
    print(f"{name}: exponent {fitted(works, times):.2f}, whole {fitted(works, whole_times):.2f}", flush=True)
    longer = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return [
        Goal(f"exponent of compilation, {name}, {works[0]} to {works[-1]} operations", fitted(works, times), _EXPONENT),
        Goal(f"an evaluation by that of code that is not cut, {name}", longer, _LONGER),
    ]


def main() -> int:
    """Print what is timed, and the table; say whether all of it was met."""
    cache.switch_off()  # what is found there is not compiled
    goals = [goal for name in _CHAINS for goal in growth(name, quick="--quick" in sys.argv)]
    return told(goals)


if __name__ == "__main__":
    sys.exit(main())
