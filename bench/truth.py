"""Decide every identity of ``bench.identities`` and its false twin, and let SymPy's ``simplify`` try the same.

    python bench/truth.py [--seconds 10] [--repeats 20] [--only THEME] [--no-sympy] [--jobs 2] [--write]

Ours first, one after the other with nothing beside them, each decided ``--repeats`` times with new random numbers (the
first time is the one that is timed, the worst verdict is the one that counts); then SymPy in ``--jobs`` processes,
each expression once and with a time limit. ``--write`` puts the tables into docs/truth.md. The exit status is 1 if any
verdict of ours is wrong, any is missing inside the supported class, or one of the two promised times is not kept.
"""

from __future__ import annotations

import argparse
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.identities import IDENTITIES, Identity
from bench.tables import Ours, Peer, Row, report
from bench.worker import Answer, Fault, Worker, decide, simplify
from dalembert.expr.truth import is_zero

PAGE = Path(__file__).resolve().parents[1] / "docs" / "truth.md"
BEGIN, END = "<!-- written by bench/truth.py: begin -->", "<!-- written by bench/truth.py: end -->"
PATIENCE = 60.0
"""Seconds that ours and each conversion to SymPy may take at most; nothing is expected to come near."""
PROOF = 2.0
"""The effort for a proof by normal form: units of work, which are seconds more or less."""
PROMISES = {"snakeboard": 0.2, "snake of 15 links, absolute angles": 1.0}
"""Seconds in which the energy identity and its false twin must be decided."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and return the exit status."""
    options = _options(arguments)
    chosen = [i for i in IDENTITIES if not options.only or options.only in i.theme]
    if not chosen:
        themes = ", ".join(sorted({i.theme for i in IDENTITIES}))
        print(f"no theme is called '{options.only}'; there are {themes}.", file=sys.stderr)
        return 2
    ours: dict[str, Ours] = {}
    peers: dict[str, Peer] = {}
    ask, limits = partial(decide, options.repeats), (PATIENCE,) * (1 + options.repeats)
    _each(chosen, ask, limits, 1, lambda i, said: ours.__setitem__(i.name, _ours(i, said, options.repeats)))
    if not options.no_sympy:
        limits = (PATIENCE, options.seconds)
        _each(chosen, simplify, limits, options.jobs, lambda i, said: peers.__setitem__(i.name, _peer(i, said)))
    rows = [Row(i, ours[i.name], peers.get(i.name)) for i in chosen]
    text = report(rows, options.seconds) + "\n\n" + _proofs(chosen)
    print("\n" + text)
    if options.write:
        _write(text)
    faults = _faults(rows)
    for fault in faults:
        print("NOT AS PROMISED:", fault)
    return 1 if faults else 0


def _proofs(identities: Sequence[Identity]) -> str:
    """Say how many of the true ones are proved by a normal form, and that no false one is."""
    proved = [i for i in identities if is_zero(i.build(), effort=PROOF).kind == "proved"]
    right = sum(i.holds for i in proved)
    return (
        f"With `effort={PROOF:g}`, {right} of {sum(i.holds for i in identities)} true identities are `proved`, and "
        f"{len(proved) - right} false ones."
    )


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Decide identities of mechanics, and let SymPy try the same.")
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit for simplify, per expression")
    parser.add_argument("--repeats", type=int, default=20, help="how often ours decides each, with new random numbers")
    parser.add_argument("--only", metavar="THEME", help="only the themes whose name contains this")
    parser.add_argument("--no-sympy", action="store_true", help="ours only")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes of SymPy at a time")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/truth.md")
    return parser.parse_args(arguments)


def _each(
    identities: Sequence[Identity],
    answer: Answer,
    limits: tuple[float, ...],
    jobs: int,
    keep: Callable[[Identity, list[Any]], None],
) -> None:
    """Ask about every identity, in ``jobs`` processes."""
    waiting: queue.SimpleQueue[Identity] = queue.SimpleQueue()
    for identity in identities:
        waiting.put(identity)

    def drain() -> None:
        worker = Worker(answer)
        while True:
            try:
                identity = waiting.get_nowait()
            except queue.Empty:
                break
            keep(identity, worker.ask(identity.name, limits))
        worker.close()

    threads = [threading.Thread(target=drain) for _ in range(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _ours(identity: Identity, said: list[Any], repeats: int) -> Ours:
    """Return the worst of the verdicts with the time of the first."""
    build, *decisions = said if said and not isinstance(said[0], Fault) else [0.0, *said]
    if decisions and isinstance(decisions[-1], Fault):
        result = Ours(build, PATIENCE, "error", decisions[-1], None)
    elif len(decisions) < repeats:
        result = Ours(build, PATIENCE, "no answer", f"nothing came in {PATIENCE:g} s", None)
    else:
        first = decisions[0][0]
        verdicts = [Ours(build, first, kind, evidence, witness) for _, kind, evidence, witness in decisions]
        worst = {not identity.holds: 0, None: 1, identity.holds: 2}
        result = min(verdicts, key=lambda v: (worst[v.holds], v.holds is False and v.witness is not None))
    judged = _judged(identity, result.holds)
    print(f"ours  {result.seconds * 1000:10.1f} ms  {result.kind:9}  {judged}  {identity.name}", flush=True)
    return result


def _peer(identity: Identity, said: list[Any]) -> Peer:
    convert = said[0] if said and not isinstance(said[0], Fault) else PATIENCE
    match said:
        case [_, (seconds, zero)]:
            result = Peer(convert, seconds, "zero" if zero else "nonzero")
        case [*_, Fault() as fault]:
            result = Peer(convert, None, f"error: {fault}")
        case []:
            result = Peer(convert, None, "not converted")
        case _:
            result = Peer(convert, None, "no answer")
    shown = "         -" if result.seconds is None else f"{result.seconds * 1000:10.1f}"
    judged = _judged(identity, {"zero": True, "nonzero": False}.get(result.answer))
    print(f"sympy {shown} ms  {result.answer[:40]:9}  {judged}  {identity.name}", flush=True)
    return result


def _judged(identity: Identity, holds: bool | None) -> str:
    return "missing" if holds is None else "right  " if holds is identity.holds else "WRONG  "


def _faults(rows: Iterable[Row]) -> list[str]:
    """Return what the decision procedure promises and did not keep."""
    faults = []
    for row in rows:
        identity, ours = row.identity, row.ours
        if ours.holds is (not identity.holds):
            faults.append(f"wrong: {identity.name}: {ours.kind}: {ours.evidence}")
        elif ours.holds is None and identity.supported:
            faults.append(f"missing: {identity.name}: {ours.kind}: {ours.evidence}")
        if ours.holds is False and not ours.witness:
            faults.append(f"no witness: {identity.name}")
        promised = PROMISES.get(identity.pair)
        if promised and ours.seconds > promised:
            faults.append(f"slow: {identity.name}: {ours.seconds:.2f} s, promised {promised} s")
    return faults


def _write(text: str) -> None:
    """Put the tables between the two marks of the page."""
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{text}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
