"""What a motion costs when the same result is moved again: the CPU of ``simulate`` beside that of its steps.

    python bench/repeat.py [name ...]

For every system of the gallery, in every formalism that moves it as stated. The first call prepares and compiles; the
next ones should cost arithmetic only. The steps alone are the reference, taken in the same run by the same engine on
the same problem: each number is the least of several, and each pair is measured in turns.
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable
from typing import Any

from dalembert import derive, gallery
from dalembert.errors import DalembertError
from dalembert.mechanics.registry import formalism_names
from dalembert.numerics.engines import ENGINES
from dalembert.numerics.simulate import living, motion_of, prepare, simulate

_TIMES = 7
ALLOWED = 2e-3
"""Seconds of CPU that a repeated call may cost beside its steps."""


def cpu(work: Callable[[], Any]) -> float:
    """Return the seconds of CPU that some work takes."""
    began = time.process_time()
    work()
    return time.process_time() - began


def measured(result: Any, formalism: str) -> tuple[float, float, float, int]:
    """Return the CPU of the first call, of a repeated one, of its steps alone, and how many steps there are.

    Vakonomic motions of order 1 begin with multipliers 0, for the gallery does not state them.
    """
    system = result.system
    vakonomic = formalism == "vakonomic" and system.order == 1
    start = {f"lambda.{name}": 0 for name in system.constraints} if vakonomic else None
    engine = system.run.engine or ENGINES[0]
    length = None if system.run.time is not None else 1.0
    first = cpu(lambda: simulate(result, start, length))
    result = living(result, start)
    problem, words, _ = prepare(result, start, length)
    steps = motion_of(result, problem, words, engine, (None, None)).steps
    pairs = [
        (
            cpu(lambda: simulate(result, start, length)),
            cpu(lambda: motion_of(result, problem, words, engine, (None, None))),
        )
        for _ in range(_TIMES)
    ]
    return first, min(whole for whole, _ in pairs), min(alone for _, alone in pairs), steps


def main(names: list[str]) -> None:
    """Print the table, and how many motions cost too much."""
    heads = ("first ms", "again ms", "steps ms", "beside ms", "ratio", "steps")
    print(f"{'system':<26}{'formalism':<16}" + "".join(f"{head:>11}" for head in heads))
    over = 0
    for name in names or gallery.names():
        for formalism in formalism_names():
            with contextlib.suppress(DalembertError):  # it does not apply, or the start as stated does not move it
                first, again, alone, steps = measured(derive(gallery.load(name), formalism), formalism)
                beside = again - alone
                over += beside > ALLOWED
                mark = " !" if beside > ALLOWED else ""
                numbers = "".join(f"{1e3 * one:>11.2f}" for one in (first, again, alone, beside))
                print(f"{name:<26}{formalism:<16}{numbers}{again / alone:>11.1f}{steps:>11}{mark}", flush=True)
    print(f"{over} beyond {1e3 * ALLOWED:g} ms")


if __name__ == "__main__":
    main(sys.argv[1:])
