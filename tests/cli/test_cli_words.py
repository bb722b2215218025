"""Plain words are read without Typer, as Typer reads them; all others are left to it."""

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert import cache
from dalembert.cli import words
from dalembert.cli.main import _CLAIMS, _NAMES, _commands
from dalembert.cli.typed import program
from dalembert.cli.words import Command, Commands, read, taken_by

COMMANDS = _commands((*_NAMES, *_CLAIMS))


RIGHT = {
    str: ["x=1", "x'=-2", "kepler", "a b"],
    Path: ["run.nc"],
    int: ["2", "007"],
    float: ["2", "0.5", "1e-3"],
    bool: [],
}
WRONG = ["-1", "", "--", "inf", "1_0", "+3", "²", "--nothing", "-z", "--help"]


def by_typer(work: Any, given: list[str]) -> dict[str, Any] | None:
    """Return the values that Typer gives to a command, None if it refuses the words."""
    found: list[dict[str, Any]] = []

    def spy(**values: Any) -> None:
        found.append(values)

    spy.__signature__ = words.signature(work)  # type: ignore[attr-defined]
    spy.__annotations__ = words.get_type_hints(work, include_extras=True)
    try:
        program(Commands(work=Command(spy, "")), "")(["work", *given], standalone_mode=False)
    except Exception as fault:
        if not hasattr(fault, "format_message"):  # not a word about how the command is called
            raise
    return found[0] if found else None


def lines(takes: list[words.Taken]) -> st.SearchStrategy[list[str]]:
    """Return words that a command might be given: most of them right, some wrong."""
    right = [(name, *one) for take in takes for name in take.word.names for one in zip(RIGHT[take.kind])]
    right += [(name,) for take in takes for name in take.word.names if take.kind is bool]
    wrong = [(name, value) for take in takes for name in take.word.names for value in WRONG]
    joined = [("=".join(one),) for one in [*right, *wrong]]
    joined += [("more",)]  # an argument
    parts = st.one_of(*[st.sampled_from(some) for some in (right, right, right, joined, wrong) if some])
    return st.lists(parts, max_size=3).map(lambda several: [word for part in several for word in part])


@pytest.mark.parametrize("name", COMMANDS)
def test_both_read_the_same(name):
    work = COMMANDS[name].work
    read_here = []
    first = ["kepler"] * any(not one.word.names for one in taken_by(work))  # some commands take no system

    @settings(max_examples=15)
    @given(lines(taken_by(work)))
    def same(some):
        values = read(work, [*first, *some])
        if values is not None:
            assert values == by_typer(work, [*first, *some])
            read_here.append(some)

    same()
    assert any(read_here) or not any(one.word.names for one in taken_by(work)), "only the bare command was read here"
    assert read_here


def test_what_leaves_no_doubt_is_read_here():
    given = shlex.split("kepler --as routh --start x=1 --start y=-2 --tolerance 1e-9 --samples 50 --json -o run.nc")
    values = read(COMMANDS["simulate"].work, given)
    assert values == by_typer(COMMANDS["simulate"].work, given)
    assert (values["start"], values["output"], values["tolerance"]) == (["x=1", "y=-2"], Path("run.nc"), 1e-9)


def test_a_reader_that_guesses_is_found_out(monkeypatch):
    """The wrong twin leaves every value as it stands."""
    given = ["kepler", "--samples", "50"]
    monkeypatch.setattr(words, "_plain", lambda _, value: value)
    assert read(COMMANDS["simulate"].work, given) != by_typer(COMMANDS["simulate"].work, given)


def test_plain_words_need_neither_typer_nor_pydantic():
    code = (
        "import sys; from dalembert.cli.main import main\n"
        "assert main(['derive', 'kepler', '--as', 'euler-lagrange', '--equations']) == 0\n"
        "assert not {'typer', 'pydantic', 'rich'} & set(sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_a_motion_seen_before_needs_no_algebra(tmp_path):
    """What decides takes longer to load than a small motion to compute, and FLINT is the larger part of it."""
    code = (
        "import sys; from dalembert.cli.main import main\n"
        "assert main(['simulate', 'kepler', '--as', 'euler-lagrange', '--time', sys.argv[1]]) == 0\n"
        "print('flint' in sys.modules, 'dalembert.expr.truth.decide' in sys.modules)\n"
    )
    said = []
    for length in ("1", "2"):  # a motion of its own each time: what was said of the first is kept too
        around = {**os.environ, cache.VARIABLE: str(tmp_path / "kept")}
        done = subprocess.run(
            [sys.executable, "-c", code, length], env=around, capture_output=True, text=True, check=True
        )
        said.append(done.stdout.splitlines()[-1])
    assert said == ["True True", "False False"]


def test_a_stream_of_ascii_gets_letters_of_utf8():
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", "from dalembert.cli.words import echo; echo('λ')"],
        env={"PYTHONIOENCODING": "ascii", "PYTHONPATH": str(Path(words.__file__).parents[2])},
        capture_output=True,
        check=True,
    )
    assert done.stdout == "λ\n".encode()
