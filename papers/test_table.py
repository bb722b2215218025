"""The lists of formulas are whole: every test exists, every reason is given, and the page in docs/ is up to date."""

import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from papers.record import DEFINITION
from papers.refuted import files, kept
from papers.sources import Source, cited, defined_in, named_in, sources
from papers.table import DOCUMENT, HERE, document, folder, formulas, keys, sources_for, sources_of
from papers.twins import all_tests, digest


def shown_in(key):
    modules = [
        import_module(f"papers.{folder(key)}.{path.stem}") for path in sorted((HERE / folder(key)).glob("test_*.py"))
    ]
    return {name: f for m in modules for name, f in vars(m).items() if name.startswith("test_") and callable(f)}


def test_the_page_is_up_to_date():
    assert DOCUMENT.read_text() == document(), "run make papers"


def test_the_folders_are_keys_of_the_bibliography():
    folders = {path.name for path in HERE.iterdir() if (path / "formulas.py").exists()}
    assert folders == {folder(key) for key in keys()}


def test_pytest_collects_the_papers():
    stated = tomllib.loads((HERE.parent / "pyproject.toml").read_text())
    assert "papers" in stated["tool"]["pytest"]["testpaths"]


def test_the_changelog_counts_the_misprints():
    told = re.search(r"(\d+) misprints", (HERE.parent / "CHANGELOG.md").read_text())
    assert int(told[1]) == sum(one.status == "misprint" for key in keys() for one in formulas(key))


@pytest.mark.parametrize("key", keys())
def test_every_formula_has_its_test_or_its_reason(key):
    there = shown_in(key)
    for formula in formulas(key):
        if formula.status == "not checked":
            assert not formula.test, formula
            assert formula.note, formula
        else:
            assert formula.test in there, formula
        if formula.status == "misprint":
            assert formula.note not in {"", DEFINITION}, formula


@pytest.mark.parametrize("key", keys())
def test_every_test_shows_a_formula_and_is_not_skipped(key):
    there = shown_in(key)
    assert set(there) == {formula.test for formula in formulas(key) if formula.test}
    for name, function in there.items():
        marks = {mark.name for mark in getattr(function, "pytestmark", [])}
        assert marks.isdisjoint({"skip", "skipif", "xfail"}), name


def test_every_twin_of_every_test_is_refuted():
    known = kept()
    assert set(known) == {(path.parent.name, test) for path in files() for test in all_tests(path)}, "run make papers"
    for path in files():
        for test in all_tests(path):
            assert known[path.parent.name, test].digest == digest(path, test), f"{test}: run make papers"
    assert [here for here, count in known.items() if count.alive] == []


@pytest.mark.parametrize("key", keys())
def test_no_place_is_listed_twice(key):
    places = [formula.where for formula in formulas(key)]
    assert len(places) == len(set(places))


@pytest.mark.parametrize("key", keys())
def test_every_misprint_is_in_the_errata_with_its_test(key):
    path = HERE / folder(key) / "ERRATA.md"
    text = path.read_text() if path.exists() else ""
    for formula in formulas(key):
        if formula.status == "misprint":
            assert f"`{formula.test}`" in text, formula
            assert f"**{formula.where}**" in text, formula


def test_files_stay_small():
    for path in Path(HERE).rglob("*.py"):
        assert len(path.read_text().splitlines()) <= 420, path


@pytest.mark.parametrize("key", keys())
def test_the_library_has_what_a_formula_is_said_to_be(key):
    found = sources_of(key)
    assert set(found) == set(shown_in(key))
    assert {source for several in found.values() for source in several if not defined_in(source)} == set()
    bare = {test for test, several in found.items() if not several}
    assert len(bare) <= len(found) // 10, bare


def test_what_is_not_in_a_file_is_not_said_to_be_there():
    assert defined_in(Source("mechanics/routh/level_set.py", "LevelSet.routhian"))
    assert not defined_in(Source("mechanics/routh/level_set.py", "LevelSet.gone"))
    assert not defined_in(Source("mechanics/routh/gone.py", "LevelSet.routhian"))


@pytest.mark.parametrize("key", keys())
def test_the_library_says_itself_what_it_decides(key):
    assert {source for several in cited(key).values() for source in several if not defined_in(source)} == set()


def test_what_the_library_says_by_number_comes_before_what_a_test_uses():
    found = {f.where: {s.file for s in sources_for("garcia-rodrigo-2004", f)} for f in formulas("garcia-rodrigo-2004")}
    assert found["2.8 (12)"] == {"mechanics/vakonomic/projector.py"}
    assert named_in("stated after (2), as in Theorem 7.5") == {"Theorem 7.5"}


def test_a_source_is_what_the_test_names(tmp_path):
    path = tmp_path / "test_it.py"
    path.write_text(
        "from dalembert.mechanics.routh.wong_equations import wong\nfrom dalembert import derive\n"
        "def helper(): return wong\ndef test_near(): helper()\ndef test_by_name(x): derive(x, 'chaplygin')\n"
        "def test_plain(): 1 + 1\n"
    )
    assert sources(path, "test_near") == (Source("mechanics/routh/wong_equations.py", "wong"),)
    assert sources(path, "test_by_name") == (Source("mechanics/chaplygin/chaplygin.py", "derive"),)
    assert sources(path, "test_plain") == ()
