"""How long ``dalembert study``, ``derive`` and ``discover`` take on every gallery system, beside what they may.

Wall time is what a user waits, on a machine that does nothing else. CPU time counts all processes of a command, with
their start, nothing found on disc. Of a study it is shared by two cores, which is what is needed at least, and held
against 8 s, 5 s for the rolling disc, 30 s for a wheeled snake of 30 links; of ``derive``, in each formalism that
applies, against 3 s; of ``discover`` against 20 s. Status 1 says that one is over its limit. Python's compiled files
are kept in a folder of the benchmark, made by importing every module first: the installation is warm.

On a busy machine CPU time grows too, and what a machine gives may change within the hour: a fixed loop took 0.14 to
0.75 s on one kind of machine. So it is timed before each system, and CPU time is told in such loops as well, by which
tables of different hours can be compared.

    python bench/study.py                                  a study of every system
    python bench/study.py vertical-rolling-disc kepler     of some of them
    python bench/study.py --command derive kepler          every formalism
    python bench/study.py --command discover
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
from dalembert.mechanics.registry import formalism_names

CORES = 2
LIMITS = {"study": 8.0, "derive": 3.0, "discover": 20.0}
STUDIES = {"vertical-rolling-disc": 5.0, "wheeled-snake:30": 30.0}
_SUBREAPER = 36
"""Linux: processes whose parent is gone become ours, so that their time can be counted."""


@dataclass(frozen=True)
class Timed:
    """Seconds of one command, and of each part of a study."""

    command: str
    name: str
    formalism: str
    status: int
    wall: float
    cpu: float
    parts: dict[str, float]
    stopped: tuple[str, ...]
    ended: str
    """The last line it said."""
    applies: bool
    """Whether there is an answer; a formalism in which a system cannot be derived has none, and is no failure."""
    unit: float
    """Seconds of a fixed loop, shortly before."""

    @property
    def limit(self) -> float:
        """The seconds it may take."""
        return STUDIES.get(self.name, LIMITS["study"]) if self.command == "study" else LIMITS[self.command]

    @property
    def counted(self) -> float:
        """The seconds that are held against the limit."""
        return self.cpu / CORES if self.command == "study" else self.cpu

    @property
    def kept(self) -> bool:
        """Whether it ended, and stays under its limit; a refuted check is status 1, as is a failed start."""
        done = bool(self.parts) if self.command == "study" else True
        return done and self.status in {0, 1} and not self.stopped and self.counted < self.limit

    @property
    def line(self) -> str:
        """A line of the table."""
        slowest = max(self.parts, key=lambda name: self.parts[name], default="")
        part = f"{slowest} {self.parts[slowest]:.1f} s" if slowest else self.formalism or "-"
        verdict = "yes" if self.kept else "NO"
        if self.status:
            verdict += f", status {self.status}: {self.ended}"
        if self.stopped:
            verdict += ", stopped: " + ", ".join(self.stopped)
        seconds = f"{self.wall:.1f} s | {self.cpu:.1f} s | {self.cpu / self.unit:.0f}"
        seconds += f" | {self.counted:.1f} s of {self.limit:g}"
        return f"| {self.name} | {seconds} | {part} | {verdict} |"


def timed(command: str, name: str, folder: Path, unit: float, formalism: str = "") -> Timed:
    """Return the times of a command run as a user runs it; ``unit`` are the seconds of a fixed loop."""
    said = folder / "said"
    options = {"study": ["-o", str(folder / "report.html")], "derive": ["--as", formalism, "--json"], "discover": []}
    words = [sys.executable, "-m", "dalembert.cli.main", command, name, *options[command]]
    began = time.perf_counter()
    with said.open("wb") as target:
        sink = [(os.POSIX_SPAWN_DUP2, target.fileno(), 1), (os.POSIX_SPAWN_DUP2, target.fileno(), 2)]
        process = os.posix_spawn(sys.executable, words, _warm(folder), file_actions=sink)
    _, status, used = os.wait4(process, 0)
    wall = time.perf_counter() - began
    cpu = used.ru_utime + used.ru_stime + _orphans()
    text = said.read_text(encoding="utf-8")
    parts = {part: float(seconds) for part, seconds in re.findall(r"^([a-z-]+): ([\d.]+) s$", text, re.MULTILINE)}
    stopped = tuple(re.findall(r"^([a-z-]+): nothing is said", text, re.MULTILINE))
    ended = (text.splitlines() or [""])[-1]
    applies = command != "derive" or text.startswith("{")
    ended_as = os.waitstatus_to_exitcode(status)
    return Timed(command, name, formalism, ended_as, wall, cpu, parts, stopped, ended, applies, unit)


_EVERY_MODULE = """
import importlib, pkgutil, dalembert
for one in pkgutil.walk_packages(dalembert.__path__, "dalembert."):
    if not one.name.endswith("__main__"):
        try:
            importlib.import_module(one.name)
        except ImportError:  # of something that is optional
            pass
"""


def _compile(folder: Path) -> None:
    """Import every module once; this is not counted."""
    words = [sys.executable, "-c", _EVERY_MODULE]
    os.waitpid(os.posix_spawn(sys.executable, words, _warm(folder)), 0)


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


def loop() -> float:
    """Return the CPU time of a fixed loop, by which tables made under different load can be compared."""
    began, total = time.process_time(), 0
    for k in range(5_000_000):
        total += k * k
    return time.process_time() - began


def main() -> None:
    """Print a line for each system."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("systems", nargs="*", help="all, unless some are named")
    options.add_argument("--command", choices=list(LIMITS), default="study")
    told = options.parse_args()
    longest = ["wheeled-snake:30"] if told.command == "study" else []
    chosen = told.systems or [*gallery.names(), *longest]
    ways = formalism_names() if told.command == "derive" else [""]
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    print(f"{told.command}; a fixed loop takes {loop():.2f} s\n")
    print("| system | wall | CPU | loops | held against the limit | slowest part | under the limit |")
    print("|---|---|---|---|---|---|---|")
    results = []
    with tempfile.TemporaryDirectory() as folder:
        _compile(Path(folder))
        for name in chosen:
            unit = loop()
            for formalism in ways:
                result = timed(told.command, name, Path(folder), unit, formalism)
                if result.applies:
                    results.append(result)
                    print(result.line, flush=True)
    over = [f"{one.name} {one.formalism}".strip() for one in results if not one.kept]
    print(f"\n{len(results) - len(over)} of {len(results)} under the limit; a fixed loop takes {loop():.2f} s")
    if over:
        print(f"over: {', '.join(over)}")
        raise SystemExit(1)


if __name__ == "__main__":
    main()
