"""Where to look: the table at the head of a folder names exactly the files and folders in it, each with what it is."""

from itertools import pairwise
from pathlib import Path

import pytest
from places import TESTS

import dalembert

SOURCE = Path(dalembert.__file__).parent


def folders(*names: str) -> list[Path]:
    return sorted(path.parent for name in names for path in (SOURCE / name).rglob("__init__.py"))


MAPPED = folders("analysis", "geometry", "lab", "mechanics", "numerics", "present")
LAZY = [SOURCE / "present", *folders("mechanics")]


def rows(text: str) -> list[list[str]]:
    """Return the rows of the simple table in a docstring, cut into columns where its rule has gaps."""
    lines = text.splitlines()
    rules = [n for n, line in enumerate(lines) if line.startswith("==")]
    assert len(rules) == 3, "a table has a rule above its head, one below, and one at its end"
    edges = [0]
    for width in map(len, lines[rules[0]].split()):
        edges.append(edges[-1] + width + 2)
    spans = list(pairwise(edges))
    return [[line[a:b].strip() for a, b in spans] for line in lines[rules[1] + 1 : rules[2]]]


def faults(named: list[str], there: set[str]) -> set[str]:
    """Return what is named twice, what is named and not there, and what is there and not named."""
    return {name for name in named if named.count(name) > 1} | (set(named) ^ there)


def inside(folder: Path) -> set[str]:
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"} | {path.name for path in folder.glob("*.js")}
    return files | {path.parent.name for path in folder.glob("*/__init__.py")}


@pytest.mark.parametrize("folder", MAPPED, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_the_table_of_a_folder_names_its_files_and_nothing_else(folder):
    table = rows((folder / "__init__.py").read_text())
    assert faults([file.strip("`") for *_, file, _ in table], inside(folder)) == set()
    assert all(all(row) for row in table)


def test_a_wrong_table_is_seen():
    assert faults(["a", "b"], {"a", "b"}) == set()
    assert faults(["a", "b", "b"], {"a", "b", "c"}) == {"b", "c"}
    assert faults(["a", "gone"], {"a"}) == {"gone"}


FRONT = "from dalembert._front import front\n\n__getattr__, __dir__ = front(__name__)"


@pytest.mark.parametrize("folder", LAZY, ids=lambda folder: str(folder.relative_to(SOURCE)))
def test_a_folder_loads_nothing(folder):
    """What it offers stands in a stub, and is loaded by the one front of all packages when it is asked for."""
    code = (folder / "__init__.py").read_text().split('"""')[2]
    assert code.strip() == (FRONT if (folder / "__init__.pyi").exists() else "")


def test_the_tests_have_the_folders_of_the_source():
    apart = {"browser", "formulas", "long", "package"}  # not of one layer, or helpers
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("test_*.py")}
    assert {folder for folder in folders if folder.parts[0] not in apart and not (SOURCE / folder).is_dir()} == set()
    assert not list(TESTS.glob("test_*.py"))
    theories = {path.name for path in (SOURCE / "mechanics").iterdir() if (path / "__init__.py").exists()}
    assert {path.name for path in (TESTS / "mechanics").iterdir() if path.is_dir()} - {"__pycache__"} == theories
