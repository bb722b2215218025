"""The terminal: how wide it is, and whether it has colours. A pipe is as wide as one likes and has none."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence

import typer

from dalembert.present.lines import columns, paragraph

__all__ = ["paint", "say", "table", "width"]

_COLOURS = {"proved": "green", "certain": "cyan", "measured": "blue", "refuted": "red", "undecided": "yellow"}


def width() -> int | None:
    """Return how wide the terminal is; None if there is none."""
    return shutil.get_terminal_size().columns if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def paint(kind: str, text: str) -> str:
    """Return a text in the colour of a verdict, on a terminal that has not asked for none."""
    plain = not _is_terminal() or "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
    return text if plain or kind not in _COLOURS else typer.style(text, fg=_COLOURS[kind])


def say(sentence: str, indent: str = "", hang: str = "") -> None:
    """Print a sentence, wrapped on a terminal."""
    for line in paragraph(sentence, width(), indent, hang):
        typer.echo(line)


def table(rows: Sequence[Sequence[str]], indent: str = "", widest: int = 40) -> None:
    """Print rows in columns, nothing cut off; verdicts are in colour."""
    for line in columns(rows, width(), indent=indent, widest=widest, paint=lambda _, cell: paint(cell.strip(), cell)):
        typer.echo(line)
