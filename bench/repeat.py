"""What a motion costs when the same result is moved again: the CPU of ``simulate`` beside that of its steps.

    python bench/repeat.py [name ...]

For every system of the gallery, in every formalism that moves it as stated. The first call prepares and compiles; the
next ones should cost arithmetic only. What the steps cost is taken within the same call, for the difference of two
calls is mostly noise where there are many steps; each number is the least of several.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from unittest import mock

from dalembert import derive, gallery
from dalembert.errors import DalembertError
from dalembert.mechanics.registry import formalism_names
from dalembert.numerics.simulate import motion_of, simulate

simulating = import_module("dalembert.numerics.simulate")
_TIMES = 7
ALLOWED = 2e-3
"""Seconds of CPU that a repeated call may cost beside its steps."""


def cpu(work: Callable[[], Any]) -> float:
    """Return the seconds of CPU that some work takes; to free what it returns is not part of it."""
    began = time.process_time()
    kept = work()
    spent = time.process_time() - began
    del kept
    return spent


def measured(result: Any, formalism: str) -> tuple[float, float, float, int]:
    """Return the CPU of the first call, of the steps of a repeated one, of all else in it, and the number of steps.

    Vakonomic motions of order 1 begin with multipliers 0, for the gallery does not state them.
    """
    system = result.system
    vakonomic = formalism == "vakonomic" and system.order == 1
    start = {f"lambda.{name}": 0 for name in system.constraints} if vakonomic else None
    length = None if system.run.time is not None else 1.0
    first = cpu(lambda: simulate(result, start, length))
    spent: list[float] = []
    counted: list[int] = []

    def timed(*given: Any, **more: Any) -> Any:
        began = time.process_time()
        motion = motion_of(*given, **more)
        spent.append(time.process_time() - began)
        counted.append(motion.steps)
        return motion

    with mock.patch.object(simulating, "motion_of", timed):
        whole = [cpu(lambda: simulate(result, start, length)) for _ in range(_TIMES)]
    beside = min(both - alone for both, alone in zip(whole, spent, strict=True))
    return first, min(spent), beside, counted[0]


def main(names: list[str]) -> None:
    """Print the table, and how many motions cost too much."""
    heads = ("first ms", "again ms", "steps ms", "beside ms", "ratio", "steps")
    print(f"{'system':<26}{'formalism':<16}" + "".join(f"{head:>11}" for head in heads))
    over = 0
    for name in names or gallery.names():
        for formalism in formalism_names():
            with contextlib.suppress(DalembertError):  # it does not apply, or the start as stated does not move it
                first, alone, beside, steps = measured(derive(gallery.load(name), formalism), formalism)
                again = alone + beside
                over += beside > ALLOWED
                mark = " !" if beside > ALLOWED else ""
                numbers = "".join(f"{1e3 * one:>11.2f}" for one in (first, again, alone, beside))
                print(f"{name:<26}{formalism:<16}{numbers}{again / alone:>11.1f}{steps:>11}{mark}", flush=True)
    print(f"{over} beyond {1e3 * ALLOWED:g} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
