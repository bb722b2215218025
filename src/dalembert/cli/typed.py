"""The commands as Typer knows them: for help, for completion, and for words that are not plain."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Annotated, Any, get_args, get_type_hints

import typer
from typer.core import TyperGroup

from dalembert import cache
from dalembert.cli.words import INTERRUPTED, NO_CACHE, VERSION, Commands, Ended, Word, echo, show_version

_VERSION = "Show the version and exit."
_FORGET = "Neither use nor keep machine code and equations on disc."


class _Group(TyperGroup):
    """The commands, which may be interrupted at any time."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            echo("stopped.", err=True)
            raise typer.Exit(INTERRUPTED) from None


def program(commands: Commands, words: str) -> typer.Typer:
    """Return a program with some commands and some help."""
    found = typer.Typer(
        cls=_Group, add_completion=True, no_args_is_help=True, pretty_exceptions_enable=False, help=_as_it_stands(words)
    )

    @found.callback()
    def all_commands(
        *,
        no_cache: Annotated[bool, typer.Option(NO_CACHE, help=_FORGET)] = False,
        version: Annotated[bool, typer.Option(VERSION, help=_VERSION, is_eager=True, callback=_version)] = False,  # noqa: ARG001
    ) -> None:
        """Do what holds for all commands."""
        if no_cache:
            cache.switch_off()

    for name, one in commands.items():
        found.command(name, help=_as_it_stands(one.help))(_typed(one.work))
    return found


def _version(*, asked: bool) -> None:
    if asked:
        show_version()
        raise typer.Exit


def _as_it_stands(words: str) -> str:
    """Return help in which names of tables, as [start], are no marks of a terminal's look."""
    return re.sub(r"\[(?=[a-z])", r"\\[", words)


def _typed(work: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose annotations are those of Typer, and whose status is told to it."""
    hints = get_type_hints(work, include_extras=True)

    @wraps(work)
    def done(**given: Any) -> None:
        try:
            work(**given)
        except Ended as end:
            raise typer.Exit(end.status) from None

    told = {name: _annotated(hint) for name, hint in hints.items() if name != "return"}
    parameters = [
        one.replace(annotation=told[name], kind=Parameter.KEYWORD_ONLY)
        for name, one in signature(work).parameters.items()
    ]
    done.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    done.__annotations__ = told
    del done.__wrapped__
    return done


def _annotated(hint: Any) -> Any:
    kind, word = get_args(hint)
    return Annotated[kind, _info(word)]


def _info(word: Word) -> Any:
    if not word.names:
        return typer.Argument(metavar=word.metavar, help=_as_it_stands(word.help), autocompletion=word.offers)
    return typer.Option(
        *word.names,
        metavar=word.metavar,
        help=_as_it_stands(word.help),
        rich_help_panel=word.panel,
        autocompletion=word.offers,
    )
