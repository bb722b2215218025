"""How a study ends where its parts do not, and what of a model survives it: status, empty tables, BibTeX."""

import os
import re
import signal
import threading
from pathlib import Path

import pytest
from commanding import command

from dalembert import System, dumps, loads
from dalembert.present.bibliography import bibtex, escaped
from dalembert.present.report import Part
from dalembert.studies.studying import Study, asked_part, part_worker

MODEL = """
name = "fall"
lagrangian = "z'^2/2"
[coordinates]
z = "real"
[start]
"z'" = 1
[run]
time = 1
formalism = "euler-lagrange"
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DALEMBERT_CACHE", "off")  # where what study says may be kept
    Path("m.toml").write_text(MODEL)


# -- parts that were killed ----------------------------------------------------------------------------------
@pytest.mark.parametrize("more", [[], ["--json", "-"]])
def test_a_study_with_a_part_that_was_killed_fails_and_says_which(more, monkeypatch):
    parts = (Part("euler-lagrange"), Part("routh", stopped="its process ended with status -9."))
    monkeypatch.setattr("dalembert.studies.studying.study", lambda system, *_, **__: Study(system, parts, ()))
    ended = command("study", "m.toml", *more)
    assert ended.status == 1
    assert "stopped: routh: its process ended with status -9.\n" in ended.err
    assert Path("fall.html").exists(), "what the others say is kept"
    parts = (parts[0], Part("routh", faults=("[symmetry]: there is none.",)))  # the wrong twin: it does not apply
    ended = command("study", "m.toml", *more)
    assert ended.status == 0
    assert "stopped" not in ended.err


@pytest.mark.thorough
def test_a_part_whose_process_is_killed_says_so():
    with part_worker() as worker:
        worker.wake()
        os.kill(worker._process.pid, signal.SIGSTOP)  # so that it cannot answer first
        killer = threading.Timer(0.2, worker._process.kill)
        killer.start()
        assert asked_part(worker, loads(MODEL), "euler-lagrange").stopped == "its process ended with status -9."
        killer.join()
        assert not asked_part(worker, loads(MODEL), "euler-lagrange").stopped, "another one answers the next question"


@pytest.mark.thorough
def test_parts_that_take_too_long_fail():
    ended = command("study", "m.toml", "--seconds", "0.001")
    assert ended.status == 1
    stopped = re.findall(r"^stopped: ([a-z-]+): it was stopped after 0\.001 s", ended.err, re.MULTILINE)
    assert stopped[0] == "euler-lagrange"


# -- tables that say nothing ---------------------------------------------------------------------------------
@pytest.mark.parametrize("table", ["notes", "drawing"])
def test_an_empty_table_is_kept_and_its_model_moves(table):
    stated = f"{MODEL}[{table}]\n"
    system = loads(stated)
    assert table in system.metadata
    assert loads(dumps(system)) == system
    assert system != loads(MODEL), "it was lost when it was read"
    Path("m.toml").write_text(stated)
    assert command("simulate", "m.toml").status == 0


@pytest.mark.parametrize("value", [{}, [], [{}], {"a": {}}, {"a": [{}, {"b": []}]}, "", [[]]])
@pytest.mark.parametrize("table", ["notes", "drawing", "references"])
def test_free_data_are_read_back_however_empty(table, value):
    value = {"shapes": [value]} if table == "drawing" else value
    system = System.of(name="m", coordinates="x", lagrangian="x'^2/2", **{table: value})
    assert loads(dumps(system)) == system


# -- BibTeX --------------------------------------------------------------------------------------------------
HOSTILE = [
    "a} , note = {b",
    r"\input{/etc/passwd}",
    r"\write18{rm x}",
    "50% & more_of $x^2$ ~ #1",
    "}}}",
    "{",
    "\\",
    "two\nlines\x00and\x1b[31mmore",
    '@article{x, title = "y"}',
]


def entry(text: str) -> tuple[str, dict[str, str]]:
    """Read one entry as BibTeX does: braces are counted, behind a backslash or not."""
    head = re.match(r"@misc\{([^,{}]*),\n", text)
    assert head is not None
    fields, rest = {}, text[head.end() :]
    while found := re.match(r"  (\w+) = \{", rest):
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(rest[at], 0)
            at += 1
        fields[found[1]] = rest[found.end() : at - 1]
        assert rest[at : at + 2] == ",\n"
        rest = rest[at + 2 :]
    assert rest == "}", "something of the user's stands outside of its field"
    return head[1], fields


COMMANDS = re.compile(r"\\(?:text(?:backslash|brace(?:left|right)|ascii(?:tilde|circum))\}|[#$%&_])")


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_the_users_is_a_command_of_tex(text):
    name = text if text.isprintable() else "one line"
    key, fields = entry(bibtex(System.of(name=name, coordinates="z", lagrangian="z'^2/2", source=text), []))
    assert re.fullmatch(r"[a-z0-9-]+", key)
    assert list(fields) == ["title", "note"]
    assert (fields["title"], fields["note"]) == (escaped(name), escaped(text))
    for value in fields.values():
        assert "\\" not in COMMANDS.sub("", value)
        assert "\n" not in value
        assert value.isprintable()


def test_the_reader_of_these_tests_sees_a_field_that_is_broken_out_of():
    """The wrong twin: the text as it stands."""
    with pytest.raises((AssertionError, IndexError)):
        entry("@misc{x,\n  title = {a} , note = {b},\n}")
    assert "\\" in COMMANDS.sub("", HOSTILE[1])


def test_the_key_is_none_of_a_paper():
    (key, _) = entry(bibtex(System.of(name="Patrick 2007", coordinates="z", lagrangian="z", source="x"), []))
    assert key == "patrick-2007-system"
