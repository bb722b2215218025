"""``dalembert``: what there is, and what follows from a system.

Exit status: 0 done; 1 a hypothesis or a check fails; 2 bad input; 3 the safety net struck; 130 interrupted;
141 nobody reads on.
Errors go to stderr, one sentence each.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from dalembert import cache
from dalembert.cli.options import taught
from dalembert.cli.words import INTERRUPTED, NO_CACHE, VERSION, Commands, Ended, echo, read, show_version
from dalembert.errors import DalembertError, HypothesisError
from dalembert.forking import by_itself
from dalembert.garbage import seldom
from dalembert.processes import NoProcess

if TYPE_CHECKING:
    import typer

_BAD_INPUT, _NO_READER = 2, 141
_NO_THREAD = "can't start new thread"
"""What Python says where the system starts no thread."""
atexit.register(gc.freeze)  # else Python looks through all expressions for cycles before it ends

_HELP = taught(
    "Derive, prove and simulate equations of motion of constrained mechanical systems.",
    "dalembert gallery",
    "dalembert study vertical-rolling-disc",
    "dalembert derive vertical-rolling-disc --as nonholonomic",
    "dalembert simulate vertical-rolling-disc --as nonholonomic",
    "dalembert check vertical-rolling-disc energy --as nonholonomic",
    more="SYSTEM is a name of the gallery or a model file, and 'dalembert gallery NAME > mine.toml' makes one to begin "
    "with. First look at the gallery; then study a system, derive its equations, simulate a motion, check a claim.",
)
_NAMES = (
    "gallery",
    "study",
    "derive",
    "simulate",
    "extremal",
    "steady",
    "control",
    "discover",
    "sweep",
    "schema",
    "lab",
    "mcp",
)
"""The commands that have files of their names."""
_CLAIMS = ("check", "expand", "cite")
"""Those about claims, which stand beside ``derive``."""
_BY_THEMSELVES = ("study", "derive", "check", "discover")
"""Those that have no threads but ours, so that their children may be forks."""


def _commands(names: Sequence[str]) -> Commands:
    """Return some commands; to make all of them ready takes as long as a small motion."""
    found = Commands()
    for name in names:
        if name in _NAMES:
            import_module(f"dalembert.cli.{name}").register(found)
    if any(name in _CLAIMS for name in names):
        from dalembert.cli import derive

        derive.register_claims(found)
    return found


@lru_cache
def _whole() -> typer.Typer:
    """Return the program with all commands."""
    from dalembert.cli.typed import program

    return program(_commands((*_NAMES, *_CLAIMS)), _HELP)


def __getattr__(name: str) -> Any:
    """Return the program with all commands as ``app``."""
    if name != "app":
        raise AttributeError(name)
    return _whole()


def _run(words: Sequence[str]) -> Any:
    """Run a command and return its status: at once where words are plain, else by Typer, which says what is wrong."""
    plain = [word for word in words if word != NO_CACHE]
    if plain[:1] == [VERSION]:
        return show_version()
    name = plain[0] if plain else ""
    if name not in (*_NAMES, *_CLAIMS) or any(name.endswith("_COMPLETE") for name in os.environ):
        return _whole()(words or ["--help"], prog_name="dalembert", standalone_mode=False)
    commands = _commands([name])
    values = read(commands[name].work, plain[1:])
    if values is None:
        from dalembert.cli.typed import program

        return program(commands, _HELP)(words, prog_name="dalembert", standalone_mode=False)
    if len(plain) < len(words):
        cache.switch_off()
    return commands[name].work(**values)


def main(words: Sequence[str] | None = None) -> int:
    """Run a command and return its status; a user's mistake ends in a sentence, never in a traceback."""
    seldom()
    try:
        given = list(sys.argv[1:] if words is None else words)
        if NO_CACHE in given:  # behind a command, too
            given = [NO_CACHE, *(word for word in given if word != NO_CACHE)]
        if words is None and {*given[:2]}.intersection(_BY_THEMSELVES):
            by_itself()
        status = _run(given)
        if sys.stdout is not None:  # as it is where the shell has closed it
            sys.stdout.flush()
    except Ended as end:
        return end.status
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
        return _refuse("stopped.", INTERRUPTED)
    except NoProcess as fault:
        return _refuse(str(fault), _BAD_INPUT)
    except Exception as fault:
        if isinstance(fault, RuntimeError) and str(fault) == _NO_THREAD:
            return _refuse(str(NoProcess(str(fault))), _BAD_INPUT)
        if not hasattr(fault, "format_message"):  # not a word about how the command is called, but an error of ours
            raise
        return _refuse(_misused(fault), _BAD_INPUT)
    return status if isinstance(status, int) else 0


def _refuse(sentence: str, status: int) -> int:
    echo(sentence + ("" if sentence.endswith((".", "?")) else "."), err=True)
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
