"""``dalembert study``: everything about a system, cross-checked, in one report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dalembert.cli.derive import NET_STRUCK, end_on_failures, in_letters
from dalembert.cli.options import (
    PAGE,
    Ascii,
    Full,
    Symmetry,
    SystemName,
    Why,
    in_json,
    letters,
    load_system,
    paint,
    positive,
    ready_to_write,
    taught,
    waiting,
    width,
)
from dalembert.cli.words import Commands, Ended, echo, option
from dalembert.errors import DalembertError
from dalembert.model.outputs import check_output, folder_for, write

if TYPE_CHECKING:
    from dalembert.present.page import Section
    from dalembert.studies.studying import Study

_HELP = taught(
    "Run every formalism on a system, cross-check them, and write one report about it.",
    "dalembert study vertical-rolling-disc",
    "dalembert study two-wheeled-robot -o robot.html --json robot.json",
    "dalembert study kepler --json - -o kepler.html",
    "dalembert study chaplygin-sleigh --latex paper",
    more="The report is one page that needs nothing from elsewhere. A formalism that does not apply is no failure. The "
    "status is 1 if a check FAILS or a formalism was stopped before its end.",
)


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def study(
        system: SystemName,
        output: Annotated[
            Path | None, option("--output", "FILE", "The report; NAME.html if left out.", short="-o")
        ] = None,
        as_json: Annotated[str | None, option("--json", "FILE", "The answers, for programs; - prints them.")] = None,
        as_latex: Annotated[
            Path | None, option("--latex", "FOLDER", "A document of LaTeX with its references, into a folder.")
        ] = None,
        effort: Annotated[
            float,
            option("--effort", "E", "How much work each formalism may put into short formulas."),
        ] = 1.0,
        seconds: Annotated[float | None, option("--seconds", "S", "Stop a formalism after so many seconds.")] = None,
        symmetry: Symmetry = None,
        full: Full = False,
        why: Why = False,
        ascii_only: Ascii = False,
    ) -> None:
        positive(effort, "--effort")
        if seconds is not None:
            positive(seconds, "--seconds")
        stated = load_system(system, symmetry=symmetry)
        target = output or Path(f"{_file_name(stated.name)}.html")
        answers = Path(as_json) if as_json not in {None, "-"} else None
        papers = () if as_latex is None else _papers(as_latex, stated.name)
        ready_to_write(system, [(target, PAGE), *([(answers, (".json",))] if answers is not None else [])])
        from dalembert.mechanics.registry import formalism_names, is_own
        from dalembert.model.remembered import remembered

        def deliver(texts: Sequence[str]) -> None:
            page, told, summary, *documents = texts
            write(target, page)
            if answers is not None:
                write(answers, told)
            for path, text in zip(papers, documents, strict=True):
                write(path, text)
            size = f"Report: {target} ({len(page.encode()) / 1000:.0f} kB)"
            if as_json == "-":
                echo(told)
                echo(size, err=True)
            else:
                title, _, rest = summary.partition("\n\n")
                echo(f"{title}\n{size}\n\n{rest}")
            if papers:
                echo(f"the document is {papers[0]}, its references are {papers[1]}", err=as_json == "-")

        def summary(result: Study) -> str:
            page = _everything(result, why=why) if full or why else _overview(result, system)
            return in_letters(page, letters(ascii_only=ascii_only))

        def made() -> tuple[str, ...]:
            from dalembert.studies.studying import study as run

            asked = as_json is not None
            with waiting("deriving ...") as say:
                result = run(stated, say, effort=effort, seconds=seconds, answers=asked, html=True)
            told = in_json(result.to_json()) if asked else ""
            documents = result.to_latex(papers[1].name) if papers else ()
            texts = (result.to_html(), told, summary(result), *documents)
            if result.stopped or any(claim.failed for claim in result.claims):
                deliver(texts)
                _end_unkept(result)
            return texts

        # the seconds are no part of the key: what was stopped is not kept
        how = [effort, as_json is not None, bool(papers), full, why, system]
        how += [width(), paint("proved", ""), letters(ascii_only=ascii_only).formula("*")]
        own = all(map(is_own, formalism_names()))  # of one from elsewhere we do not know when it was changed
        deliver(remembered(stated, "a study", made, *map(str, how)) if own else made())


def _end_unkept(result: Study) -> None:
    """End if a check fails, or a formalism or the net was stopped: that is found anew every time."""
    for formalism, why in result.stopped.items():
        echo(f"stopped: {formalism}: {why}", err=True)
    end_on_failures(result.claims)
    raise Ended(1 if any(part.stopped for part in result.parts) else NET_STRUCK)


def _papers(folder: Path, name: str) -> tuple[Path, Path]:
    """Return where a document and its references go; nothing that is there already is written over."""
    there = folder_for(folder)
    files = there / f"{_file_name(name)}.tex", there / "references.bib"
    for one in files:
        if one.exists():
            raise DalembertError(f"{one} is there already and is not written over; choose another folder for --latex.")
        check_output(one, (one.suffix,))
    return files


def _file_name(name: str) -> str:
    """Return a name that any file system takes.

    >>> _file_name("a/b: the disc")
    'a-b-the-disc'
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "study"


def _overview(result: Study, command: str) -> Section:
    """Return the motion, the results, and how the formalisms agree."""
    from dalembert.present.study_overview import study_overview

    return study_overview(result.system, result.parts, result.crossed, command, width())


def _everything(result: Study, *, why: bool) -> Section:
    """Return what the report says in sentences, and every claim."""
    from dalembert.present.page import Claims, Section
    from dalembert.present.report import summary_page

    page = summary_page(result.system, result.parts, result.crossed)
    every = [Section(part.formalism, (Claims(part.claims, brief=not why),)) for part in result.parts if part.claims]
    return replace(page, blocks=(*page.blocks, *every))
