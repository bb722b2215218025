"""The package as a whole: what it exports, what it costs to import, and that its documents are true."""

import doctest
import importlib
import linecache
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from places import ROOT, TESTS

import dalembert

SOURCES = sorted((ROOT / "src").rglob("*.py"))
MODULES = sorted(m.name for m in pkgutil.walk_packages(dalembert.__path__, "dalembert.") if "__main__" not in m.name)


def test_the_public_surface_is_what_the_list_says() -> None:
    listed = (TESTS / "surface.txt").read_text().split()
    assert listed == sorted(dalembert.__all__)
    assert len(listed) <= 80
    for name in listed:
        assert getattr(dalembert, name).__doc__
    with pytest.raises(AttributeError, match="no_such_name"):
        dalembert.no_such_name  # noqa: B018


def test_importing_is_cheap_and_leaves_sympy_alone() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(TESTS)!r}); from clock import quickly; "
        "quickly(0.25, lambda: __import__('dalembert')); "
        "assert 'sympy' not in sys.modules and 'flint' not in sys.modules"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


def test_deciding_something_leaves_sympy_alone() -> None:
    code = (
        "import sys; from dalembert import Vocabulary, is_zero, parse; v = Vocabulary.of(coordinates={'a': 'angle'}); "
        "assert is_zero(parse('sin(a)^2 + cos(a)^2 - 1', v)).holds; assert 'sympy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.thorough(
    "dalembert.analysis.steady.nonholonomic_energy_momentum",
    "dalembert.mechanics.chaplygin.without_charts.derived",
    "dalembert.mechanics.routh.without_charts.derived",
    "dalembert.mechanics.semisymplectic.without_charts.derived",
    "dalembert.studies.studying",
)
@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} does not say what it is for"
    told = [test for test in doctest.DocTestFinder().find(module, name) if test.examples]
    linecache.clearcache()  # a run looks at every file in it: with those of all modules that takes longer than examples
    runner = doctest.DocTestRunner()
    assert [test.name for test in told if runner.run(test).failed] == []


PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {ROOT / "docs" / "api.md"})]
"""All but the one that repeats the docstrings."""


@pytest.mark.thorough("docs/chaplygin.md", "docs/reconstruction.md", "docs/rotations.md", "docs/routh.md")
@pytest.mark.thorough("docs/steady.md", "docs/motion.md", "docs/semisymplectic.md")
@pytest.mark.thorough("docs/howto/mathematics.md", "docs/reduced.md", "docs/howto/teaching.md")
@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
@pytest.mark.thorough(
    "docs/measure.md",
    "docs/vakonomic.md",
    "docs/tutorials/semisymplectic.md",
    "docs/tutorials/chaplygin.md",
    "docs/discovery.md",
)
def test_examples_in_documents_are_true(path: Path) -> None:
    assert examples_failed(path.read_text(encoding="utf-8")) == 0


def examples_failed(page: str) -> int:
    """Return how many examples of a page fail; an empty line within what is printed stands as it is printed."""
    inside = re.sub(r"\n(?=\n(?!>>>|```)[^\n])", "\n<BLANKLINE>", page)
    blocks = re.findall(r"^```python\n(.*?)^```$", inside, re.DOTALL | re.MULTILINE)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {"__name__": "__main__"}, "page", None, 0)
    return doctest.DocTestRunner().run(test).failed


def test_a_wrong_example_fails() -> None:
    assert examples_failed("```python\n>>> print('a\\n\\nb')\na\n\nb\n\n```\n") == 0
    assert examples_failed("```python\n>>> print('a\\n\\nb')\na\n\nc\n\n```\n") == 1
    assert examples_failed("```python\n>>> print('a\\n\\nb')\na\n\n```\n") == 1


def test_the_example_runs_and_decides_both_ways() -> None:
    run = subprocess.run(
        [sys.executable, ROOT / "examples" / "snakeboard.py"], capture_output=True, text=True, check=True
    )
    assert "CERTAIN" in run.stdout or "PROVED" in run.stdout
    assert "REFUTED" in run.stdout


def test_no_text_is_ever_executed_and_nothing_is_simplified() -> None:
    forbidden = re.compile(r"(?<![\w.])(eval|exec|sympify|simplify|parse_expr)\s*\(")
    for path in SOURCES:
        assert not forbidden.search(path.read_text()), path


def test_files_stay_small() -> None:
    for path in SOURCES:
        assert len(path.read_text().splitlines()) <= 900, path


def test_the_halves_of_the_gate_share_no_test() -> None:
    """What is looked through by default is not ignored, so that the papers were tested twice."""
    told = (ROOT / "Makefile").read_text(encoding="utf-8")
    theory = re.search(r"^THEORY := (.*)$", told, re.MULTILINE)[1].split()
    named = re.search(r"^machinery:\n\t\S*pytest (.*?) *\$\(THEORY:%=--ignore=%\)", told, re.MULTILINE)[1].split()
    assert all((ROOT / folder).is_dir() for folder in theory)
    assert named
    assert not set(named) & set(theory)
    looked_through = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["testpaths"]
    assert set(looked_through) <= {*named, *theory}
