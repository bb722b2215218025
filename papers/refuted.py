"""Counts the wrong twins of every test that are refuted, in ``papers/refuted.txt``: ``python -m papers.refuted``.

A line has the folder and the name of a test, how many of its twins are refuted, how many are not, and what the test
said when they were counted, as a number; a test that says something else is counted anew.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from papers.twins import Outcome, Twin, all_tests, digest, outcome, passes, twins

__all__ = ["Count", "count", "files", "kept"]

HERE = Path(__file__).resolve().parent
RECORD = HERE / "refuted.txt"


@dataclass(frozen=True, slots=True)
class Count:
    """How many twins of a test are refuted, and how many are not."""

    refuted: int
    alive: int
    digest: str


def files() -> list[Path]:
    """Return the files of tests of all papers."""
    return sorted(HERE.glob("*_[0-9][0-9][0-9][0-9]/test_*.py"))


@cache
def kept() -> dict[tuple[str, str], Count]:
    """Return what was counted, by the folder of a paper and the name of a test."""
    found = {}
    for line in RECORD.read_text().splitlines():
        folder, test, refuted, alive, said = line.split()
        found[folder, test] = Count(int(refuted), int(alive), said)
    return found


def count(path: Path, test: str) -> tuple[Count, list[Twin]]:
    """Count the twins of a test, and return those that are not refuted.

    A change in a helper may not concern a test; it counts as not refuted where none of the tests that share it fails.
    """
    if not passes(_module(path), test):
        raise AssertionError(f"{test} does not pass as it stands, so that its twins cannot be counted")
    found = {twin: _outcome(path, test, twin) for twin in twins(path, test)}
    alive = [twin for twin, became in found.items() if became == "alive" and not _elsewhere(path, test, twin)]
    return Count(Counter(found.values())["refuted"], len(alive), digest(path, test)), alive


@cache
def _outcome(path: Path, test: str, twin: Twin) -> Outcome:
    return outcome(_module(path), path, test, twin)


def _module(path: Path) -> ModuleType:
    return import_module(f"papers.{path.parent.name}.{path.stem}")


def _elsewhere(path: Path, test: str, twin: Twin) -> bool:
    """Say whether another test of the file refutes a change in a helper."""
    others = [] if twin.function == test else [one for one in all_tests(path) if one != test]
    return any(_outcome(path, one, twin) == "refuted" for one in others if twin in twins(path, one))


def _counted(anew: bool) -> Iterator[str]:
    known = kept() if RECORD.exists() and not anew else {}
    for path in files():
        for test in all_tests(path):
            here = (path.parent.name, test)
            if here not in known or known[here].digest != digest(path, test):
                known[here], alive = count(path, test)
                for twin in alive:
                    print(f"not refuted: {path.name}:{twin.line} in {test}, {twin.kind}", file=sys.stderr)
            found = known[here]
            yield f"{' '.join(here)} {found.refuted} {found.alive} {found.digest}\n"


if __name__ == "__main__":
    RECORD.write_text("".join(_counted(anew="--all" in sys.argv[1:])))
