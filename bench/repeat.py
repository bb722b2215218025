"""What a motion costs when the same result is moved again: the CPU of ``simulate`` beside that of its steps.

    python bench/repeat.py [name ...]
    python bench/repeat.py --processes [name ...]

For every system of the gallery, in every formalism that moves it as stated. The first call prepares and compiles; the
next ones should cost arithmetic only. What the steps cost is taken within the same call, for the difference of two
calls is mostly noise where there are many steps; each number is the least of several.

``--processes`` measures processes instead: the CPU of a new one that imports NumPy and LLVM, and beyond that of one
that derives a system as nonholonomic, or else as Euler-Lagrange, and simulates its run, without machine code on disc,
then with what the one before it left there; then of the whole command ``simulate``, which audits the motion as well
and keeps equations and verdicts, when it is first and when it is next given, and of ``derive`` with all its claims in
the same way, each of the three with a folder of its own; at the end, of ``simulate`` for other times and with other
values of a parameter, which are motions that were not seen before of a system that was: the first begin where others
did, for the second a start is looked for. The ratio is that of whole processes.

Status 1 says that a repeated call costs more beside its steps than it may.
"""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from unittest import mock

from dalembert import cache, derive, gallery
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


_BARE = "import numpy, llvmlite.binding as llvm; llvm.initialize_native_target()"
_READY = """import sys
from dalembert import derive, gallery, simulate
simulate(derive(gallery.load(sys.argv[1]), sys.argv[2]))"""
_COMMAND = """import sys
from dalembert.cli.main import main
main([sys.argv[3], sys.argv[1], "--as", sys.argv[2], *sys.argv[4:]])"""


def process(program: str, *words: str) -> float:
    """Return the CPU of a process and of those that it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def other_value(name: str, k: int) -> str:
    """Return the first parameter of a system with a value near its own, another one for every k."""
    parameter, value = next((p, v) for p, v in gallery.load(name).defaults.items() if v)
    return f"{parameter.data.name}={float(value) * (1 + (k + 1) / 1000):.9g}"


def processes(names: list[str]) -> None:
    """Print what processes cost on systems that they see for the first and for the second time."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as where the library is installed
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/bytecode"
        process(_COMMAND, "kepler", "euler-lagrange", "simulate")
        bare = min(process(_BARE) for _ in range(3))
        print(f"NumPy and LLVM: {bare:.2f} s; beyond that, in seconds of CPU:")
        heads = "".join(f"{what:>10}{'seen':>7}{'ratio':>7}" for what in ("ready", "derive", "simulate"))
        print(f"{'system':<26}{heads}{'another time':>14}{'other values':>14}")
        for name in names or ["vertical-rolling-disc", "two-wheeled-robot", "snakeboard", "kepler", "bicycle"]:
            as_ = "nonholonomic" if gallery.load(name).constraints else "euler-lagrange"
            row = ""
            for program, *words in ((_READY,), (_COMMAND, "derive"), (_COMMAND, "simulate")):
                os.environ[cache.VARIABLE] = f"{folder}/{name}/{'-'.join(words)}"
                first, *again = (process(program, name, as_, *words) - bare for _ in range(3))
                row += f"{first:>10.2f}{min(again):>7.2f}{(first + bare) / (min(again) + bare):>7.1f}"
            for other in (
                [("--time", f"1.{k}") for k in range(5)],
                [("--set", other_value(name, k)) for k in range(5)],
            ):
                row += f"{min(process(_COMMAND, name, as_, 'simulate', *one) - bare for one in other):>14.2f}"
            print(f"{name:<26}{row}", flush=True)


def main(names: list[str]) -> int:
    """Print the table, and how many motions cost too much; say whether none does."""
    cache.switch_off()  # the first call compiles
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
    return 1 if over else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--processes"]:
        processes(sys.argv[2:])
    else:
        sys.exit(main(sys.argv[1:]))
