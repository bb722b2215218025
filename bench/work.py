"""Prices beside time: the work that derivations of the gallery are charged, and the processor time they take.

    python bench/work.py                  all systems and formalisms, some minutes
    python bench/work.py snakeboard       some of them

A price need not be the time (a budget in work ends at the same place whatever it is), but where the two part by more
than the net allows (ten times), the net would strike. The last lines say how far the ratio goes and how often it did;
where it did the status is 1.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from time import process_time

from dalembert import gallery
from dalembert.errors import DalembertError
from dalembert.expr import work
from dalembert.expr.field import worker
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import formalism_names
from dalembert.present.json_export import answer

SMALL = 0.05
"""Below so many seconds a ratio says nothing."""


def worker_time() -> float:
    """Return the processor time of the worker so far."""
    process = worker._worker._process  # noqa: SLF001 - to be measured
    if process is None:
        return 0.0
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(names: list[str]) -> int:
    worker.wake()
    ratios = []
    print(f"{'system':28}{'formalism':16}{'program s':>10}{'worker s':>10}{'work':>8}{'s per work':>12}")
    for name in names or gallery.names():
        for how in formalism_names():
            begin, there, priced = process_time(), worker_time(), work.done()
            try:
                answer(derive(gallery.load(name), how))
            except DalembertError:
                continue
            here, there, priced = process_time() - begin, worker_time() - there, work.done() - priced
            ratio = f"{there / priced:12.2f}" if there > SMALL and priced > 0 else ""
            ratios += [there / priced] if ratio else []
            print(f"{name:28}{how:16}{here:10.2f}{there:10.2f}{priced:8.2f}{ratio}", flush=True)
    if ratios:
        print(f"worker seconds per unit of work: {min(ratios):.2f} to {max(ratios):.2f} over {len(ratios)} derivations")
    print(f"the net struck {len(work.stops())} times")
    return 1 if work.stops() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
