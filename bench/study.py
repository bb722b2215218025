"""How long ``dalembert study`` takes on every gallery system, and which part of it is the slowest.

Wall time is what a user waits, on a machine that does nothing else. CPU time counts all processes of a study; shared by
two cores it is what is needed at least, whatever else the machine does, and that is held against the budget: 8 s for
any system, 5 s for the rolling disc. Status 1 says that one is over its budget. Python's compiled
files are kept in a folder of the benchmark, made by a first run that is not counted: the installation is warm.

    python bench/study.py                                  every system
    python bench/study.py vertical-rolling-disc kepler     some of them
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from dalembert import gallery

CORES = 2
BUDGET = 8.0
BUDGETS = {"vertical-rolling-disc": 5.0}
_SUBREAPER = 36
"""Linux: processes whose parent is gone become ours, so that their time can be counted."""


@dataclass(frozen=True)
class Timed:
    """Seconds of one study, and of each of its parts."""

    name: str
    status: int
    wall: float
    cpu: float
    parts: dict[str, float]
    stopped: tuple[str, ...]
    ended: str
    """The last line it said."""

    @property
    def budget(self) -> float:
        """The seconds it may take."""
        return BUDGETS.get(self.name, BUDGET)

    @property
    def done(self) -> bool:
        """Whether there is a report; a refuted check is status 1, and so is a program that cannot start."""
        return bool(self.parts) and self.status in {0, 1}

    @property
    def kept(self) -> bool:
        """Whether it stays under its budget."""
        return self.done and not self.stopped and self.cpu / CORES < self.budget

    @property
    def line(self) -> str:
        """A line of the table."""
        slowest = max(self.parts, key=lambda name: self.parts[name], default="-")
        part = f"{slowest} {self.parts.get(slowest, 0.0):.1f} s"
        verdict = "yes" if self.kept else "NO"
        if self.status:
            verdict += f", status {self.status}: {self.ended}"
        if self.stopped:
            verdict += ", stopped: " + ", ".join(self.stopped)
        return f"| {self.name} | {self.wall:.1f} s | {self.cpu:.1f} s | {self.cpu / CORES:.1f} s | {part} | {verdict} |"


def timed(name: str, folder: Path) -> Timed:
    """Return the times of a study run as a user runs it."""
    said = folder / "said"
    command = [sys.executable, "-m", "dalembert.cli.main", "study", name, "-o", str(folder / "report.html")]
    began = time.perf_counter()
    with said.open("wb") as target:
        sink = [(os.POSIX_SPAWN_DUP2, target.fileno(), 1), (os.POSIX_SPAWN_DUP2, target.fileno(), 2)]
        process = os.posix_spawn(sys.executable, command, _warm(folder), file_actions=sink)
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - began
    cpu = used.ru_utime + used.ru_stime + _orphans()
    text = said.read_text(encoding="utf-8")
    parts = {part: float(seconds) for part, seconds in re.findall(r"^([a-z-]+): ([\d.]+) s$", text, re.MULTILINE)}
    stopped = tuple(re.findall(r"^([a-z-]+): nothing is said", text, re.MULTILINE))
    ended = (text.splitlines() or [""])[-1]
    return Timed(name, os.waitstatus_to_exitcode(status), wall, cpu, parts, stopped, ended)


def _warm(folder: Path) -> dict[str, str]:
    """Return an environment in which compiled files are kept, whatever the one around it says, and nothing else."""
    around = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return around | {"PYTHONPYCACHEPREFIX": str(folder / "compiled"), "DALEMBERT_CACHE": "off"}


def _orphans() -> float:
    """Return the CPU time of processes left behind, once they have ended."""
    spent = 0.0
    while True:
        try:
            _, _, used = os.wait4(-1, 0)
        except ChildProcessError:
            return spent
        spent += used.ru_utime + used.ru_stime


def main() -> None:
    """Print a line for each system."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("systems", nargs="*", help="all, unless some are named")
    chosen = options.parse_args().systems or gallery.names()
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    print(f"| system | wall | CPU | CPU over {CORES} cores | slowest part | under budget |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        timed(chosen[0], Path(folder))
        results = []
        for name in chosen:
            results.append(timed(name, Path(folder)))
            print(results[-1].line, flush=True)
    over = [result.name for result in results if not result.kept]
    print(
        f"\n{len(results) - len(over)} of {len(results)} under budget" + (f"; over: {', '.join(over)}" if over else "")
    )
    if over:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
