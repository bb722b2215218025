"""``dalembert``: what there is, and what follows from a system.

Exit status: 0 done; 1 a hypothesis fails or a check is refuted; 2 bad input; 3 the safety net struck; 130 interrupted;
141 nobody reads on.
Errors go to stderr, one sentence each.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from dalembert import cache
from dalembert.cli.options import taught
from dalembert.errors import DalembertError, HypothesisError

_OFTEN = 50_000
"""So many new objects are made before those in cycles are looked for."""
_BAD_INPUT, _INTERRUPTED, _NO_READER = 2, 130, 141

_HELP = taught(
    "State a mechanical system once; get its equations in every formalism, with a verdict on every claim.",
    "dalembert gallery",
    "dalembert study vertical-rolling-disc",
    "dalembert derive vertical-rolling-disc --as nonholonomic",
    "dalembert simulate vertical-rolling-disc --as nonholonomic",
    "dalembert check vertical-rolling-disc energy --as nonholonomic",
    more="SYSTEM is a name of the gallery or a model file, and 'dalembert gallery NAME > mine.toml' makes one to begin "
    "with. The way: look at the gallery, study a system, derive equations, simulate a motion, check a claim.",
)


class _Commands(TyperGroup):
    """The commands, which may be interrupted at any time."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("stopped.", err=True)
            raise typer.Exit(_INTERRUPTED) from None


_NO_CACHE = "--no-cache"
_FORGET = "Neither use nor keep machine code and equations on disc."
_NAMES = ("gallery", "study", "derive", "simulate", "steady", "control", "discover", "sweep")
"""The commands that have files of their names; ``derive`` brings along those about claims."""


def _with_commands(names: Sequence[str]) -> typer.Typer:
    """Return the program with some commands; to make all of them ready takes as long as a small motion."""
    found = typer.Typer(
        cls=_Commands, add_completion=True, no_args_is_help=True, pretty_exceptions_enable=False, help=_HELP
    )

    @found.callback()
    def all_commands(*, no_cache: Annotated[bool, typer.Option(_NO_CACHE, help=_FORGET)] = False) -> None:
        """Do what holds for all commands."""
        if no_cache:
            cache.switch_off()

    for name in names:
        import_module(f"dalembert.cli.{name}").register(found)
    return found


@lru_cache
def _whole() -> typer.Typer:
    """Return the program with all commands."""
    found = _with_commands(_NAMES)
    from dalembert.cli import derive

    derive.register_claims(found)
    return found


def __getattr__(name: str) -> Any:
    """Return the program with all commands as ``app``."""
    if name != "app":
        raise AttributeError(name)
    return _whole()


def _named(words: Sequence[str]) -> typer.Typer:
    """Return the program with the one command that words begin with, or with all where they begin otherwise."""
    first = next((word for word in words if word != _NO_CACHE), "")
    asked = first in _NAMES and not any(name.endswith("_COMPLETE") for name in os.environ)
    return _with_commands([first]) if asked else _whole()


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its status; a user's mistake ends in a sentence, never in a traceback."""
    gc.set_threshold(_OFTEN, 20, 100)  # expressions have no cycles, and there are many
    try:
        given = list(sys.argv[1:] if words is None else words)
        if _NO_CACHE in given:  # behind a command, too
            given = [_NO_CACHE, *(word for word in given if word != _NO_CACHE)]
        status = _named(given)(given or ["--help"], prog_name="dalembert", standalone_mode=False)
        if sys.stdout is not None:  # as it is where the shell has closed it
            sys.stdout.flush()
    except HypothesisError as fault:
        return _refuse(str(fault), 1)
    except DalembertError as fault:
        return _refuse(str(fault), _BAD_INPUT)
    except BrokenPipeError:
        return _unread()
    except SystemExit as end:  # how Typer ends where nobody reads, and after completions
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return _unread()
    except OSError as fault:
        why = (fault.strerror or str(fault)).lower()
        return _refuse(f"{fault.filename or 'the output'} cannot be read or written: {why}.", _BAD_INPUT)
    except MemoryError:
        return _refuse("not enough memory; ask for less.", _BAD_INPUT)
    except KeyboardInterrupt:
        return _refuse("stopped.", _INTERRUPTED)
    except Exception as fault:
        if not hasattr(fault, "format_message"):  # not a word about how the command is called, but an error of ours
            raise
        return _refuse(_misused(fault), _BAD_INPUT)
    return status if isinstance(status, int) else 0


def _refuse(sentence: str, status: int) -> int:
    typer.echo(sentence + ("" if sentence.endswith((".", "?")) else "."), err=True)
    return status


def _misused(fault: Any) -> str:
    """Return the sentence about a wrong option or a missing argument, and where to read on."""
    said = str(fault.format_message()).strip().replace("\n", " ")
    context = getattr(fault, "ctx", None)
    path = context.command_path if context is not None else "dalembert"
    return f"{said.rstrip('.')}{'' if said.endswith('?') else '.'} See {path} --help."


def _unread() -> int:
    """Leave quietly: whoever read our output has had enough."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python still wants to write at its end
    return _NO_READER


if __name__ == "__main__":
    sys.exit(main())
