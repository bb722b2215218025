"""Writes ``docs/papers.md``, the table of all formulas, from the lists beside the tests: ``python -m papers.table``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from unicodedata import normalize

from dalembert.mechanics.registry import PAPERS
from papers.record import DEFINITION, Formula
from papers.refuted import kept
from papers.sources import Source, cited, named_in, sources

__all__ = [
    "DOCUMENT",
    "count_line",
    "document",
    "folder",
    "formulas",
    "keys",
    "sources_for",
    "sources_of",
    "twin_line",
]

HERE = Path(__file__).resolve().parent
DOCUMENT = HERE.parent / "docs" / "papers.md"

_HEAD = """\
# The papers as tests

Every displayed formula of the papers that this software is built on, in order: what became of it, the test that shows
it, and where the library has it, in files below `src/dalembert`: what derives or decides it, where it says so by the
number of the formula or of the theorem, else the objects that the test is about. The lists and the tests are in
`papers/`; this page is written from them by `make papers`.

A formula is named by its section and its place among the displays of that section, followed by the paper's own number
where it has one. *Reproduced* means that it holds as printed, decided in exact arithmetic unless the test is one of
motions. *Misprint* means that the corrected form holds and that the printed one is refuted by a test, where it says
anything at all; `ERRATA.md` beside the list has the details. *As stated* is a definition or data of an example, of
which the test sees no more than that the library has it so. *Not checked* comes with the reason. Where no file is
named, the test computes with plain expressions.

*Twins* is the number of wrong twins of the test that are refuted: each sign, each factor and each pair of neighbouring
indices in what the test states is changed, one at a time, as a misprint would, and so is the sign of a side that is not
zero; the test must fail of every one (`papers/twins.py`). It counts for all formulas of a test together. A line on
which a change leaves the statement true, as the sign of a free constant does, says so. Where the number is 0 the test
states that something vanishes or has a rank; what it refutes is then written in it.

What rests on other work names it where it is described and is not counted here: discrete Routh reduction is that of
Jalnapurkar, Leok, Marsden and West (2006), in [geometric integrators](geometric.md).
"""


def folder(key: str) -> str:
    """Return the name of a paper's folder: its key as Python has it."""
    return key.replace("-", "_")


def keys() -> list[str]:
    """Return the keys of the papers that have a list, in the order of the bibliography."""
    return [key for key in PAPERS if (HERE / folder(key) / "formulas.py").exists()]


def formulas(key: str) -> Sequence[Formula]:
    """Return the list of a paper."""
    found: Sequence[Formula] = import_module(f"papers.{folder(key)}.formulas").FORMULAS
    return found


def count_line(key: str) -> str:
    """Return how many formulas of a paper there are, and what became of them."""
    listed = formulas(key)
    count = Counter(formula.status for formula in listed)
    named = sum(formula.note == DEFINITION for formula in listed)
    return (
        f"{len(listed)} formulas: {count['reproduced']} reproduced, {count['misprint']} misprints corrected, "
        f"{count['as stated']} as stated, {count['not checked']} not checked (of these {named} are definitions)"
    )


def twin_line(key: str) -> str:
    """Return how many wrong twins the tests of a paper refute, and how many of its formulas have none."""
    here = {test: one for (home, test), one in kept().items() if home == folder(key)}
    shown = [one for one in formulas(key) if one.status == "reproduced"]
    none = sum(not here[one.test].refuted for one in shown)
    refuted = sum(one.refuted for one in here.values())
    return f"{refuted} wrong twins refuted, {none} reproduced formulas without any"


def document() -> str:
    """Return the text of the page."""
    parts = [_HEAD, *(f"- {_reference(key)} {count_line(key)}; {twin_line(key)}." for key in keys())]
    for key in keys():
        parts += ["", f"## {PAPERS[key].title}", "", f"{_reference(key)} Tests: `papers/{folder(key)}/`.", ""]
        parts += ["| formula | status | test | twins | in the library |", "|---|---|---|---|---|"]
        parts += [_row(key, formula, _shown(sources_for(key, formula))) for formula in formulas(key)]
    return "\n".join(parts) + "\n"


def sources_for(key: str, formula: Formula) -> tuple[Source, ...]:
    """Return what derives or decides a formula: as the library says itself, else what its test is about."""
    statements = {place for place in named_in(f"{formula.where} {formula.name}") if not place.startswith("(")}
    places = statements or ({} if formula.where.startswith("A") else named_in(formula.where))  # an appendix counts anew
    found = {source: None for place in sorted(places) for source in cited(key).get(place, ())}
    return tuple(sorted(found)) if formula.test and found else sources_of(key).get(formula.test, ())


@cache
def sources_of(key: str) -> dict[str, tuple[Source, ...]]:
    """Return what each test of a paper is about: as its list states it, else as the test itself says."""
    home = f"papers.{folder(key)}.formulas"
    stated: dict[str, str] = getattr(import_module(home), "SOURCES", {})
    found = {test: (Source(*told.split(":")),) for test, told in stated.items()}
    for path in sorted((HERE / folder(key)).glob("test_*.py")):
        names = re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)
        found |= {name: sources(path, name) for name in names if name not in stated}
    return found


def _shown(found: Sequence[Source]) -> str:
    """Return files with the objects in them, each by its own name."""
    files: dict[str, list[str]] = {}
    for source in found:
        files.setdefault(source.file, []).append(source.name.rpartition(".")[2])
    return "; ".join(
        f"`{file}`: {', '.join(f'`{name}`' for name in dict.fromkeys(names))}" for file, names in files.items()
    )


def _row(key: str, formula: Formula, source: str) -> str:
    note = f": {formula.note}" if formula.note else ""
    shown = f"`{formula.test}`" if formula.test else ""
    twins = str(kept()[folder(key), formula.test].refuted) if formula.test else ""
    said = _literal(f"{formula.where} {formula.name}"), _literal(formula.status + note)
    return f"| {' | '.join([*said, shown, twins, source])} |"


def _literal(text: str) -> str:
    """Return text that Markdown shows as it is."""
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def _reference(key: str) -> str:
    """Return the reference of a paper, with accents as letters: BibTeX has them as commands."""
    return re.sub(r"\{\\'(\w)\}", lambda found: normalize("NFC", found[1] + "\u0301"), str(PAPERS[key]))


if __name__ == "__main__":
    DOCUMENT.write_text(document())
    for one in keys():
        print(f"{one}: {count_line(one)}; {twin_line(one)}")
