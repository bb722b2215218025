"""Help that teaches: its examples work. Completion: what a shell offers, and that it comes at once."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from commanding import command

from dalembert import gallery
from dalembert.cli import complete
from dalembert.cli.main import app
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import claims, formalism_names
from dalembert.numerics.codegen import LANGUAGES
from dalembert.numerics.engines import ENGINES

GROUP = typer.main.get_command(app)
LONG = {"study", "lab", "mcp"}


def examples_in(text):
    """Return the lines with commands; a backslash joins two."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line.strip() for line in joined.splitlines() if line.startswith("  dalembert ")]


def test_every_command_has_examples_and_the_whole_shows_the_way():
    assert list(GROUP.commands) == [
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
        "check",
        "expand",
        "cite",
    ]
    for name, one in GROUP.commands.items():
        found = examples_in(one.help)
        assert 2 <= len(found) <= 4, name
        assert all(shlex.split(example)[1] == name for example in found)
    way = [shlex.split(example)[1] for example in examples_in(GROUP.help)]
    assert way == ["gallery", "study", "derive", "simulate", "check"]


EXAMPLES = list(dict.fromkeys(e for one in (GROUP, *GROUP.commands.values()) for e in examples_in(one.help)))
SHORT = [example for example in EXAMPLES if shlex.split(example)[1] not in LONG]


@pytest.mark.parametrize("example", SHORT, ids=lambda text: text.removeprefix("dalembert "))
@pytest.mark.thorough("derive snakeboard --as nonholonomic --equations")
@pytest.mark.thorough(
    "derive vertical-rolling-disc --as nonholonomic",
    "steady falling-rolling-disc --as nonholonomic --at theta=0",
    'steady falling-rolling-disc --as nonholonomic --at theta=0 --over "phi\'=0.5:5:10"',
    "discover heavy-top --json",
    "discover chaplygin-sleigh",
    'sweep pendulum:1 --as euler-lagrange --over q1=0.1:3:30 --observe "max(q1)" --time 5 -o swing.zarr',
    "expand gyroscope > plain.toml",
    'extremal heisenberg --start "multiplier area=2" --time 4 --maxwell',
    'extremal heisenberg --time 1 --start area=2 --sphere ball.svg --vary area=-12:12 --cut "2*pi/abs(area)"',
    'extremal heisenberg --start "x\'=1" --start "multiplier area=1" --time 9',
)
def test_the_examples_of_the_help_work(example, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, _, target = example.partition(" > ")
    ended = command(*shlex.split(words)[1:])
    assert ended.status == 0, ended.err
    assert ended.out.strip()
    if target.endswith(".toml"):
        Path(target).write_text(ended.out)
        assert command("derive", target, "--as", "euler-lagrange").status == 0


def test_long_examples_are_at_least_understood(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for example in (e for e in EXAMPLES if e not in SHORT):
        words = shlex.split(example)[1:]
        if words[0] in ("lab", "mcp"):  # they end when they are told to: tests/lab serves them
            continue
        ended = command(*words, "--seconds", "-1")  # refused before any work
        assert (ended.status, "--seconds takes a positive number" in ended.err) == (2, True), ended.err


def test_help_fits_the_terminal_and_groups_its_options(monkeypatch):
    monkeypatch.setenv("TERMINAL_WIDTH", "80")
    shown = command("sweep", "--help")
    assert shown.status == 0
    assert max(map(len, shown.out.splitlines())) <= 80
    for title in ("What is varied", "What is observed", "The motions", "How they are followed"):
        assert f"─ {title} ─" in shown.out
    assert all(example in shown.out for example in ("--over q1=0.1:3:30 \\", '--sample "k~uniform(1, 2)" \\'))
    assert command().out == command("--help").out


# -- completion ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("st", ["study", "steady"]),
        ("derive ve", ["vertical-rolling-disc", "veselova", "veselova-chart"]),
        ("study ./mo", ["./models/"]),
        ("study models/", ["models/disc.toml"]),
        ("gallery kep", ["kepler"]),
        ("derive kepler --as ", list(formalism_names())),
        ("check kepler energy", ["energy conserved", "energy balance"]),
        ("derive kepler --code ", list(LANGUAGES)),
        ("simulate kepler --engine s", ["scipy", "stiff"]),
    ],
)
def test_a_shell_is_offered(line, offered, tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "disc.toml").touch()
    (tmp_path / "models" / "notes.txt").touch()
    monkeypatch.chdir(tmp_path)
    words = f"dalembert {line}"
    monkeypatch.setenv("_DALEMBERT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    ended = command()
    assert (ended.status, ended.out.split("\n")[:-1], ended.err) == (0, offered, "")


def test_completion_knows_what_there_is():
    assert tuple(complete.systems("")[: len(gallery.names())]) == gallery.names()
    assert tuple(complete.formalisms("")) == formalism_names()
    assert complete.LANGUAGES == LANGUAGES
    assert complete.ENGINES == ENGINES
    found = claims(derive(gallery.load("skateboard"), "nonholonomic"))
    assert set(complete.CLAIMS) <= {claim.name for claim in found}


def test_completion_reads_nothing_that_takes_time():
    code = (
        "import sys; from dalembert.cli.main import main\n"
        "try: main([])\n"
        "except SystemExit: pass\n"
        "slow = {'numpy', 'flint', 'lark', 'sympy', 'llvmlite', 'rich', 'dalembert.expr', 'dalembert.gallery'}\n"
        "print(*sorted(slow & set(sys.modules)), file=sys.stderr)"
    )
    asked = {"_DALEMBERT_COMPLETE": "complete_bash", "COMP_WORDS": "dalembert study kep", "COMP_CWORD": "2"}
    ended = subprocess.run(
        [sys.executable, "-P", "-c", code], env=os.environ | asked, capture_output=True, text=True, check=True
    )
    assert (ended.stdout.split(), ended.stderr.split()) == (["kepler"], [])


def test_what_derive_prints_needs_no_compiler():
    needed = "dalembert.analysis.discovery.glance, dalembert.studies.discovery_page, dalembert.present.text_writer"
    code = f"import sys, {needed}; print(*sorted({{'llvmlite', 'dalembert.present.html_writer'}} & set(sys.modules)))"
    ended = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shells_are_told_how_to_ask(shell, monkeypatch):
    monkeypatch.setenv("_DALEMBERT_COMPLETE", f"source_{shell}")
    shown = command()
    assert shown.status == 0
    assert "_DALEMBERT_COMPLETE=complete_" in shown.out


def test_names_of_tables_in_brackets_are_shown():
    shown = " ".join(command("simulate", "--help").out.split())
    assert "from the model: [start] and [run]." in shown
    assert "states in [facts]" in " ".join(command("check", "--help").out.split())
