"""Installed as others will: a wheel is built, put into an environment of its own, and the command works there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from places import ROOT

from dalembert import gallery

SOURCE = {
    path.relative_to(ROOT / "src").as_posix()
    for path in (ROOT / "src" / "dalembert").rglob("*")
    if path.is_file() and "__pycache__" not in path.parts
}
BALL = """name = "ball"
lagrangian = "z'^2/2 - g*z"
[coordinates]
z = "real"
[parameters]
g = 9.81
"""


def faults(names: Iterable[str]) -> list[str]:
    """What a wheel lacks, and what has no place in it."""
    inside = {name for name in names if not name.partition("/")[0].endswith(".dist-info")}
    return sorted(f"- {name}" for name in SOURCE - inside) + sorted(f"+ {name}" for name in inside - SOURCE)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the backend that is installed: nothing is fetched."""
    folder = tmp_path_factory.mktemp("wheel")
    quiet = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]
    words = ["-m", "pip", "wheel", *quiet, "--no-build-isolation", "--wheel-dir", folder, ROOT]
    subprocess.run([sys.executable, *words], check=True)
    (built,) = folder.glob("dalembert-*.whl")
    return built


Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program of a clean environment in an empty folder; of the one we are in it sees the dependencies only."""
    home, empty = tmp_path_factory.mktemp("clean"), tmp_path_factory.mktemp("empty")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True)
    python = home / "bin" / "python"
    words = ["-m", "pip", "--python", python, "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, *words, "--no-index", "--no-deps", "--no-compile", wheel], check=True)
    (site,) = home.glob("lib/python*/site-packages")
    # a folder named in a .pth file is searched, but .pth files in it, as that of an editable install, are not read
    ours = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (site / "dependencies.pth").write_text("\n".join(ours) + "\n", encoding="utf-8")
    plain = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}

    def program(name: str, *words: str) -> subprocess.CompletedProcess[str]:
        command = [home / "bin" / name, *words]
        return subprocess.run(command, cwd=empty, env=plain, capture_output=True, text=True, check=True)

    return program


def test_a_wheel_has_the_package_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert faults(names) == []
    models = {f"dalembert/gallery/{name}.toml" for name in gallery.names() if gallery.default_size(name) is None}
    assert len(models) > 30
    assert {*models, "dalembert/py.typed", "dalembert/expr/text/grammar.lark"} <= set(names)
    # the wrong twins: a wheel of Python files alone, and one with the tests in it
    assert faults(name for name in names if not name.endswith(".toml")) == sorted(f"- {name}" for name in models)
    assert faults([*names, "tests/test_wheel.py", "docs/model.md"]) == ["+ docs/model.md", "+ tests/test_wheel.py"]


@pytest.mark.thorough
def test_the_command_works_where_the_wheel_is_installed(run: Run) -> None:
    where = Path(run("python", "-c", "import dalembert; print(dalembert.__file__)").stdout.strip())
    assert where.parents[1].name == "site-packages"
    assert ROOT not in where.parents
    listed = run("dalembert", "gallery").stdout.splitlines()
    names = {line.split()[0].removesuffix(":N") for line in listed if line and not line.startswith(("NAME", "dalem"))}
    assert set(gallery.names()) <= names
    assert run("dalembert", "gallery", "kepler").stdout == gallery.text("kepler")
    run("python", "-c", f"import pathlib; pathlib.Path('ball.toml').write_text({BALL!r})")
    assert "the report is ball.html" in run("dalembert", "study", "ball.toml").stdout
    with pytest.raises(subprocess.CalledProcessError) as refused:
        run("dalembert", "study", "balls.toml")
    assert refused.value.returncode == 2


@pytest.mark.thorough
def test_the_sdist_has_all_that_a_clone_has(tmp_path: Path) -> None:
    """Who unpacks it can run both commands of the README."""
    code = "import sys; from hatchling.build import build_sdist; print(build_sdist(sys.argv[1]))"
    subprocess.run([sys.executable, "-P", "-c", code, tmp_path], check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    (archive,) = tmp_path.glob("dalembert-*.tar.gz")
    with tarfile.open(archive) as inside:
        names = {name.partition("/")[2] for name in inside.getnames()}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = set(listed.stdout.split())
    assert tracked - names == set()
    assert names - tracked == {"PKG-INFO"}


@pytest.mark.thorough
def test_the_lines_of_the_readme_install_a_wheel(tmp_path: Path) -> None:
    """As they stand, in a copy and an environment of its own; what it depends on is fetched."""
    lines = [
        line.strip() for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("    python -m pip")
    ]
    assert len(lines) == 2
    copy, home = tmp_path / "clone", tmp_path / "home"
    ignored = shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", "dist")
    shutil.copytree(ROOT, copy, ignore=ignored)
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    plain = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    plain["PATH"] = f"{home / 'bin'}{os.pathsep}{plain['PATH']}"
    for line in lines:
        subprocess.run(line, shell=True, cwd=copy, env=plain, check=True)  # noqa: S602
    where = subprocess.run(
        ["dalembert", "gallery"], cwd=tmp_path, env=plain, check=True, capture_output=True, text=True
    )
    assert "kepler" in where.stdout
