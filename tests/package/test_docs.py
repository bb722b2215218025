"""The site: every page is in its navigation, every block of code is run, and the names in the reference exist."""

import inspect
import re
import shlex
from functools import cache
from importlib import import_module

import pytest
from places import ROOT
from typer.testing import CliRunner

import dalembert
from dalembert.cli.main import app
from dalembert.mechanics import derivation, registry
from dalembert.model.files import dumps, loads
from docs import api

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(set(DOCS.rglob("*.md")) - {api.DOCUMENT})]  # its examples run in the source
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page, language):
    return [text for kind, text in FENCE.findall(page.read_text()) if kind == language]


def commands(page):
    """Return the command lines of a page: those in its shell blocks, and the indented ones of the README."""
    lines = "".join(blocks(page, "shell")).replace("\\\n", " ").splitlines()
    indented = re.findall(r"^    (dalembert .*)$", FENCE.sub("", page.read_text()), re.MULTILINE)
    return [*lines, *(re.split(r" {3,}", line)[0] for line in indented)]


def test_the_navigation_has_every_page():
    named = set(re.findall(r"^.+ <([\w/-]+\.md)>$", (DOCS / "index.md").read_text(), re.MULTILINE)) | {"index.md"}
    assert named == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


def test_every_file_that_the_design_names_is_there():
    """With what stands in it or without: `geometry/frames.projected` is in a file `frames` of a folder `geometry`."""
    there = ["/" + path.relative_to(ROOT).with_suffix("").as_posix() for path in ROOT.glob("[!.]*/**/*")]
    named = re.findall(r"`(\w+(?:/\w+)+)(?:\.\w+)?/?`", (DOCS / "design.md").read_text())
    assert len(named) > 30
    assert [name for name in named if not any(path.endswith(f"/{name}") for path in there)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_is_of_a_kind_that_is_run(page):
    """Python is run as doctests, in test_package; what has no fence would be run and shown as a quotation."""
    text = page.read_text()
    assert {kind for kind, _ in FENCE.findall(text)} <= {"python", "shell", "toml"}
    assert text.count("```") == 2 * len(FENCE.findall(text))
    assert all(">>>" in block for block in blocks(page, "python"))
    assert ">>>" not in FENCE.sub("", text)
    for block in blocks(page, "toml"):
        assert loads(block).q


@cache
def derived(model, formalism):
    return registry.formalism(formalism).derive(loads(model))


def once(system, formalism):
    return derived(dumps(system), formalism)


WITH_COMMANDS = [page for page in PAGES if commands(page)]


AT_ONCE_WORDS = ("derive", "simulate", "check", "cite")
AT_ONCE = [  # the commands of the other pages run in make long
    pytest.param(page, marks=[pytest.mark.thorough] * (page.name != "README.md"), id=str(page.relative_to(ROOT)))
    for page in WITH_COMMANDS
]


@pytest.mark.parametrize("page", AT_ONCE)
def test_the_commands_of_a_page_work(page, tmp_path, monkeypatch, request):
    """In order, in one folder that has the model file of the page; a study gets a second for each part.

    What several commands derive of one system is derived once: this is about the commands.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(derivation, "derive", once)
    monkeypatch.setattr("dalembert.lab.server.serve", lambda _model, _port, say: say("nowhere"))  # for ever, else
    is_long = request.config.getoption("--hypothesis-profile") == "thorough"
    at_once = page.name == "README.md" and not is_long
    for command in commands(page):
        if at_once and not (".toml" in command and command.split()[1] in AT_ONCE_WORDS):
            continue  # the others run in make long
        words = shlex.split(command.partition(" > ")[0])  # the shell writes the file
        assert words.pop(0) == "dalembert"
        for name in re.findall(r"\w+\.toml", command):
            (tmp_path / name).write_text(blocks(page, "toml")[0])
        result = CliRunner().invoke(app, [*words, *(["--seconds", "1"] if words[0] == "study" else [])])
        cut_off = words[0] == "study" and "stopped: " in result.output
        is_no = "--that" in words and result.stdout.lstrip().startswith("no ")  # an answer, of which scripts hear
        assert result.exit_code == (1 if cut_off or is_no else 0), (command, result.output, result.exception)
        assert result.stdout, command
        if "-o" in words:
            assert (tmp_path / words[words.index("-o") + 1]).exists(), command


def test_a_command_that_fails_is_seen():
    """The wrong twin: what a page must not say."""
    assert CliRunner().invoke(app, ["derive", "pendulum", "--as", "pendulous"]).exit_code != 0


def told(page):
    """Return the names in the first column of the tables of a page."""
    first = "".join(line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `"))
    return set(re.findall(r"`(\w+)`", first))


def test_the_reference_has_every_name():
    page = (DOCS / "reference.md").read_text().split("## Commands")[0]
    assert told(page) ^ set(dalembert.__all__) <= {"DalembertError"}
    assert told("| `is_zero`, `gone` | what is not there |") - set(dalembert.__all__) == {"gone"}


def test_every_verb_has_an_example():
    verbs = [getattr(dalembert, name) for name in dalembert.__all__]
    assert [verb.__name__ for verb in verbs if inspect.isfunction(verb) and ">>>" not in verb.__doc__] == []


def test_the_page_of_all_names_is_that_of_the_docstrings(monkeypatch):
    """Write it with ``make api``."""
    page = api.DOCUMENT.read_text()
    assert page == api.document()
    monkeypatch.setattr(dalembert.derive, "__doc__", "Return something else.")
    assert page != api.document()


def test_the_packages_of_the_reference_have_what_it_says():
    packages = (DOCS / "reference.md").read_text().split("## Packages")[1]
    for row in packages.strip().splitlines()[2:]:
        package, has = row.strip("| ").split(" | ")
        for name in re.findall(r"`(\w+)`", has):
            assert name in import_module(package.strip("`")).__all__, (package, name)


IMPORT = re.compile(r"from (dalembert[\w.]*) import")
DEEPER = {
    "dalembert.cli.main",  # that the command is what main is
    "dalembert.mechanics.chaplygin.connections.propositions",
    "dalembert.mechanics.routh.reconstruction.summary",
}
"""What no front has: the claims of these are on their way into the lists of theorems."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_imports_from_the_fronts(page):
    """What a page shows is for users, who need not know in which file it is."""
    assert set(IMPORT.findall(page.read_text())) - {*api.FRONTS, *DEEPER} == set()


def test_an_import_from_a_file_is_seen():
    assert IMPORT.findall(">>> from dalembert.analysis.sweep import sweep") == ["dalembert.analysis.sweep"]
    assert "dalembert.analysis.sweep" not in api.FRONTS
