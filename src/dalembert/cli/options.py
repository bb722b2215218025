"""What the commands have in common: arguments, what a user may get wrong in them, help by example, the terminal."""

from __future__ import annotations

import codecs
import json
import math
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli import complete
from dalembert.cli.words import argument, echo, flag, option, printable
from dalembert.errors import DalembertError, TextError
from dalembert.model.outputs import check_output, refuse_twice

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.present.page import Block
    from dalembert.present.text_writer import Letters

SystemName = Annotated[
    str,
    argument("SYSTEM", "A gallery name or a model file.", complete.systems),
]
As = Annotated[
    str | None,
    option(
        "--as",
        "FORMALISM",
        "euler-lagrange, nonholonomic, reduced, chaplygin, routh, vakonomic or semisymplectic.",
        offers=complete.formalisms,
    ),
]
Symmetry = Annotated[
    str | None,
    option("--symmetry", "NAMES", "Names of symmetries (e1,e2), a file with [symmetry], 'found' or 'none'."),
]
PAGE = (".html",)
"""The ending of a page."""
Ascii = Annotated[bool, flag("--ascii", "Print formulas in ASCII, which dalembert can read.")]
Full = Annotated[bool, flag("--full", "Show everything, not 40 lines.")]
Why = Annotated[bool, flag("--why", "Show the evidence of each claim.")]
AsJson = Annotated[bool, flag("--json", "For programs.")]


def taught(sentence: str, *examples: str, more: str = "") -> str:
    r"""Return the help of a command: what it does, and lines to try. A backspace keeps Typer from joining the lines.

    >>> taught("Say yes.", "dalembert yes")
    'Say yes.\n\n\x08Examples:\n  dalembert yes'
    """
    lines = "\n".join(["\bExamples:", *(f"  {example}" for example in examples)])
    return "\n\n".join(part for part in (sentence, more, lines) if part)


def in_json(value: Any) -> str:
    """Return a value as JSON; numbers that are not finite, for which it has no word, are null.

    >>> in_json([1.0, float("nan")]).split()
    ['[', '1.0,', 'null', ']']
    """
    from dalembert.model.sizes import finite

    return json.dumps(finite(value), indent=1, allow_nan=False)


def load_system(name: str, *, wheels: bool = False, symmetry: str | None = None) -> System:
    """Return the system of a model file, or of the gallery; ``wheels`` of a robot roll where that is asked for.

    ``symmetry`` is what ``--symmetry`` says: names, a file, 'found' or 'none'. What was read once is not read again,
    unless there is more to it than a text: a robot has files of its own.
    """
    if symmetry is not None:
        from dalembert.mechanics.found_symmetries import with_symmetry

        in_file = symmetry.endswith(".toml") or "/" in symmetry or os.sep in symmetry
        return with_symmetry(load_system(name, wheels=wheels), Path(symmetry) if in_file else symmetry)
    from dalembert.model.remembered import come_from, recalled

    path = _model_file(name)
    text = None if path is None or path.suffix != ".toml" else _text(path)
    if path is not None and text is None:
        return _loaded(name, path, wheels=wheels)
    told = ("gallery", name) if path is None else ("file", path.stem, str(text))
    return come_from(recalled(("system", *told), lambda: _loaded(name, path, wheels=wheels)), *told)


def typed_model(name: str) -> str | None:
    """Return the text of a model file as it is, faults and all; None where SYSTEM is none that can be read."""
    path = _model_file(name)
    return None if path is None or path.suffix in {".urdf", ".mjcf", ".xml"} else _text(path)


def _text(path: Path) -> str | None:
    """Return the text of a model file; None where it is said elsewhere what is wrong with it."""
    from dalembert.model.sizes import MOST_BYTES

    try:
        return path.read_text(encoding="utf-8") if path.is_file() and path.stat().st_size <= MOST_BYTES else None
    except (OSError, ValueError):
        return None


def _loaded(name: str, path: Path | None, *, wheels: bool) -> System:
    if path is not None:
        from dalembert.model.files import load

        system = load(path, wheels=wheels)
        if path.suffix != ".toml":
            from dalembert.model.machine.xml import changed_angles

            for remark in changed_angles(str(system.metadata.get("notes", ""))):
                echo(f"{path.name}: {remark}", err=True)
        return system
    from dalembert import gallery

    if Path(name).is_dir() and name not in gallery.names():
        raise DalembertError(f"'{name}' is a folder; name a model file in it.")
    if name not in gallery.names() and Path(f"{name}.toml").is_file():
        raise DalembertError(f"the gallery has no system '{name}'; the model file is written {name}.toml.")
    return gallery.load(name)


def _model_file(name: str) -> Path | None:
    """Return the file that SYSTEM names, None for a system of the gallery."""
    path = Path(name)
    return (
        path
        if path.suffix in {".toml", ".urdf", ".mjcf", ".xml"} or "/" in name or os.sep in name or path.is_file()
        else None
    )


def known_formalism(name: str) -> str:
    """Return the name of a formalism, or say which there are."""
    from dalembert.mechanics.registry import formalism, is_own

    return name if is_own(name) else formalism(name).name


def formalism_of(given: str | None, system: System) -> str:
    """Return the formalism asked for, or the one that the model asks for."""
    name = given or system.run.formalism
    if name is None:
        raise DalembertError("no formalism given; give --as FORMALISM, or [run] formalism in the model.")
    return known_formalism(name)


def asked(
    name: str, formalism: str | None, *, symmetry: str | None = None, obvious: bool = False
) -> tuple[System, str]:
    """Return the system and the formalism that a command is about; ``obvious`` takes one where none is asked for."""
    system = load_system(name, symmetry=symmetry)
    if obvious and formalism is None and system.run.formalism is None:
        formalism, why = _obvious(system)
        say(f"Using the {formalism} formalism because {why}. Choose another one with --as.", err=True)
    return system, formalism_of(formalism, system)


def _obvious(system: System) -> tuple[str, str]:
    """Return the formalism of the motion that nature follows, and why."""
    from dalembert.mechanics.registry import obvious_formalism

    name = obvious_formalism(system)
    if name == "vakonomic":
        return name, "the Lagrangian has higher derivatives and constraints"
    if system.algebra is not None:
        return name, "the velocities are those of a Lie algebra"
    if system.lagrangian is None:
        return name, f"the model states {'equations of motion' if system.bracket is None else 'a bracket'}"
    return name, f"the model has {'' if system.stated_constraints else 'no '}constraints"


@contextmanager
def blaming(options: Mapping[str, Sequence[str] | None]) -> Iterator[None]:
    """Say of a text that cannot be read which option it was in."""
    try:
        yield
    except TextError as error:
        for option, given in options.items():
            for words in given or ():
                if error.text and words.rpartition("=")[2].strip() == error.text.strip():
                    raise DalembertError(f"{option} {words}: {error}") from None
        raise


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=value`` pairs."""
    found = {}
    for pair in given or ():
        name, sign, value = pair.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise DalembertError(f"{option} takes name=value, not '{pair}'.")
        found[name.strip()] = value.strip()
    return found


def positive(value: float, option: str) -> float:
    """Return a positive number."""
    if not (value > 0 and math.isfinite(value)):
        raise DalembertError(f"{option} takes a positive number, not {value:g}.")
    return value


def ready_to_write(system: str, outputs: Sequence[tuple[Path, Sequence[str]]]) -> None:
    """Refuse outputs, with the endings they may have, that cannot be written or are the model, before the work."""
    model = _model_file(system)
    for path, endings in outputs:
        check_output(path, endings, [] if model is None else [model])
    refuse_twice(path for path, _ in outputs)


@contextmanager
def waiting(words: str) -> Iterator[Callable[[str], None]]:
    """Say on a terminal that something is going on, and what, where it is told; on stderr, and nowhere else."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(words) as status:
        yield lambda said: status.update(Text(printable(f"{said} ...")))


def say_found(system: System) -> bool:
    """Say on stderr that symmetries were found and taken, where they were; return whether it was so."""
    if system.found is None or not system.symmetry:
        return False
    echo(f"{system.found.statement}.", err=True)
    return True


# -- the terminal: how wide it is, and whether it has colours; a pipe is as wide as one likes and has none -----
_GREEN, _CYAN, _BLUE, _RED, _YELLOW = 32, 36, 34, 31, 33
_COLOURS = {"proved": _GREEN, "certain": _CYAN, "measured": _BLUE, "refuted": _RED, "undecided": _YELLOW}
_COLOURS |= {"yes": _GREEN, "FAILS": _RED, "open": _YELLOW}


def width() -> int | None:
    """Return how wide the terminal is; None if there is none."""
    return shutil.get_terminal_size().columns if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def letters(*, ascii_only: bool) -> Letters:
    """Return the letters of formulas: those of mathematics on a terminal that has them, else those of a keyboard."""
    from dalembert.present.text_writer import TYPED, UNICODE

    has = _is_terminal() and codecs.lookup(sys.stdout.encoding or "ascii").name == "utf-8"
    return UNICODE if has and not ascii_only and os.environ.get("TERM") != "dumb" else TYPED


def paint(kind: str, text: str) -> str:
    """Return a text in the colour of an answer, or of a verdict, on a terminal that has not asked for none."""
    plain = not _is_terminal() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain or kind not in _COLOURS else f"\x1b[{_COLOURS[kind]}m{text}\x1b[0m"


def show(page: Block, *, ascii_only: bool = False) -> None:
    """Print a page in the width and the letters of the terminal, answers in colour."""
    from dalembert.present.text_writer import in_text

    echo(in_text(page, width(), paint, letters(ascii_only=ascii_only)))


def say(sentence: str, indent: str = "", hang: str = "", *, err: bool = False) -> None:
    """Print a sentence, wrapped on a terminal."""
    from dalembert.present.lines import paragraph

    for line in paragraph(sentence, width(), indent, hang):
        echo(line, err=err)


def table(rows: Sequence[Sequence[str]], indent: str = "", widest: int = 40) -> None:
    """Print rows in columns, nothing cut off; verdicts are in colour."""
    from dalembert.present.lines import columns

    for line in columns(rows, width(), indent=indent, widest=widest, paint=lambda _, cell: paint(cell.strip(), cell)):
        echo(line)
