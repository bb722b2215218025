"""The fronts of the packages: what a stub offers is there, has a docstring, and is hidden by no file of its name."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dalembert
from dalembert._front import front, homes

SOURCE = Path(dalembert.__file__).parent
STUBS = sorted(SOURCE.rglob("__init__.pyi"))
FRONTS = [".".join(["dalembert", *stub.parent.relative_to(SOURCE).parts]) for stub in STUBS]


def hidden(offered: dict[str, str], package: str, files: set[str]) -> set[str]:
    """Return the names that importing a file or folder of the same name would put something else under."""
    return {name for name, home in offered.items() if name in files and home != package}


def inside(package: str) -> set[str]:
    folder = Path(import_module(package).__file__).parent
    return {path.stem for path in (*folder.glob("*.py"), *(path.parent for path in folder.glob("*/__init__.py")))}


@pytest.mark.parametrize("package", FRONTS)
def test_what_a_front_offers_is_there_and_says_what_it_is(package):
    module, offered = import_module(package), homes(package)
    assert sorted(offered) == module.__all__
    assert set(offered) <= set(dir(module))
    for name in offered:
        assert getattr(module, name).__doc__, name
    assert hidden(offered, package, inside(package)) == set()


@pytest.mark.parametrize("stub", STUBS, ids=FRONTS)
def test_a_stub_has_nothing_but_names_that_are_loaded(stub):
    """A line that the front does not read would be a promise to a type checker that nobody keeps."""
    for line in ast.parse(stub.read_text()).body:
        if isinstance(line, ast.ImportFrom) and line.module != "typing":
            assert all(name.asname == name.name for name in line.names), ast.unparse(line)
        else:
            assert stub.parent == SOURCE, ast.unparse(line)


def test_a_name_that_a_file_would_hide_is_seen():
    """The wrong twin: a package that offers ``study`` and has a folder ``study``."""
    assert hidden({"study": "a.study.run", "b": "a.c"}, "a", {"study", "c"}) == {"study"}
    assert hidden({"gallery": "a"}, "a", {"gallery"}) == set()


def test_a_name_that_is_not_offered_is_refused():
    look, _ = front("dalembert.studies")
    with pytest.raises(AttributeError, match=r"module 'dalembert.studies' has no attribute 'no_such_name'"):
        look("no_such_name")


def test_a_front_costs_nothing_before_it_is_asked():
    code = (
        "import sys, dalembert.mechanics.routh, dalembert.studies; print([m for m in sys.modules if 'alembert' in m])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    loaded = {"dalembert", "dalembert._front", "dalembert.mechanics", "dalembert.mechanics.routh", "dalembert.studies"}
    assert set(ast.literal_eval(done.stdout)) == loaded


def test_the_verbs_of_the_front_are_the_verbs():
    """Also after the modules of the same names were imported."""
    import_module("dalembert.studies.studying")
    import_module("dalembert.analysis.compare")
    for verb in ("study", "check", "compare", "sweep", "section", "phases", "holonomy", "simulate"):
        assert type(getattr(dalembert, verb)).__name__ == "function"
    assert "kepler" in dalembert.gallery.names()
