"""How large formulas are: the operations of each gallery system's field, in each formalism, against a kept baseline.

    python bench/sizes.py            says what has changed
    python bench/sizes.py --write    renews bench/baseline.json

Formulas may not grow unnoticed: the tests allow two per cent. What the baseline does not know yet is said, not refused.
They are counted as they come, before any of them is made short: how short a formula gets within its time depends on the
machine, and on what else it is doing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from inspect import signature
from pathlib import Path
from typing import Any

from dalembert import gallery
from dalembert.errors import DalembertError
from dalembert.expr.field import OutOfWork
from dalembert.expr.walk import count
from dalembert.mechanics.registry import formalism, formalism_names

BASELINE = Path(__file__).parent / "baseline.json"
ALLOWED = 1.02
Sizes = dict[str, dict[str, int]]


@contextmanager
def as_they_come() -> Iterator[None]:
    """Have no formula made short or brought to a normal form: the worker for that has no time for anything."""
    module = sys.modules["dalembert.expr.field.normal"]
    kept = {"ask": module.ask, "_known": module._known}  # noqa: SLF001 - to be put back

    def busy(*_asked: Any, **_options: Any) -> Any:
        raise OutOfWork("formulas are counted as they come.")

    vars(module).update(ask=busy, _known={})
    try:
        yield
    finally:
        vars(module).update(kept)


def size_of(name: str, how: str) -> int | None:
    """Return the operations of a system's field and lift in a formalism, or None where it does not apply."""
    derive = formalism(how).derive
    quick = {"effort": 0.0} if "effort" in signature(derive).parameters else {}  # sizes need no proofs
    try:
        with as_they_come():
            equations = derive(gallery.load(name), **quick).equations
        rates = [*equations.rates().values(), *equations.reconstruction.values(), *equations.implicit.values()]
    except DalembertError:
        return None
    return count(rates).total


def measured(names: Iterable[str], formalisms: Iterable[str] = tuple(formalism_names())) -> Sizes:
    """Return the sizes by system and formalism, where the formalism applies."""
    wanted = list(formalisms)
    found = {name: {how: size_of(name, how) for how in wanted} for name in names}
    return {name: {how: n for how, n in sizes.items() if n is not None} for name, sizes in found.items()}


def baseline() -> Sizes:
    """Return the kept sizes."""
    kept: Sizes = json.loads(BASELINE.read_text(encoding="utf-8"))
    return kept


def compared(now: Sizes, kept: Sizes) -> tuple[list[str], list[str]]:
    """Return (what has grown, what is worth a word: shrunk, or not in the baseline), each in a sentence."""
    grown, said = [], []
    for name, sizes in now.items():
        for how, size in sizes.items():
            before = kept.get(name, {}).get(how)
            if before is None:
                said.append(f"{name}, {how}: {size} operations; the baseline does not know it yet.")
            elif size > ALLOWED * before:
                grown.append(f"{name}, {how}: {size} operations, {before} before.")
            elif size < before:
                said.append(f"{name}, {how}: {size} operations, {before} before; renew the baseline.")
    return grown, said


def main() -> None:
    """Compare, or write."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="renew the baseline")
    now = measured(gallery.names()) if options.parse_args().write else None
    if now is not None:
        BASELINE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    grown, said = compared(measured(gallery.names()), baseline())
    for line in [*grown, *said]:
        print(line)
    if grown:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
