"""Assemble what Sphinx reads: the pages of this folder, the notebooks, and a page for every system of the gallery.

Tutorials get a figure of the motion that their own examples follow.

``make docs`` runs ``python docs/site.py build/pages`` before Sphinx. Beside its page each system has a living report,
made by ``dalembert study`` in a process of its own; a report that is newer than the program is kept.
``--without-reports`` leaves them out, for looking at the pages alone.
"""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from dalembert import Trajectory, derive, gallery, simulate
from dalembert.analysis.boundary import Boundary
from dalembert.errors import DalembertError
from dalembert.present import html_of
from dalembert.present.filming import film_bytes
from dalembert.present.motion import plots_of, system_of

HERE = Path(__file__).parent
ROOT = HERE.parent
ORDER = ("reduced", "nonholonomic", "euler-lagrange", "vakonomic")
"""The first of these that applies shows its equations; reduced ones are shortest."""


def main(target: Path, *, reports: bool = True) -> None:
    """Write everything into a folder, which is made anew but for its reports."""
    for old in target.glob("*"):
        if old.name != "extra":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copytree(HERE, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    notebooks = target / "notebooks"
    notebooks.mkdir()
    for notebook in sorted((ROOT / "examples").rglob("*.ipynb")):
        shutil.copy(notebook, notebooks)
    for page in sorted((target / "tutorials").glob("*.md")):
        with_figure(page)
        say(f"figure of {page.stem}")
    (target / "gallery").mkdir()
    (target / "extra" / "reports").mkdir(parents=True, exist_ok=True)
    names = gallery.names()
    if reports:
        make_reports(target / "extra" / "reports", names)
    cards = []
    for name in names:
        has_report = (target / "extra" / "reports" / f"{name}.html").exists()
        cards.append(gallery_page(target / "gallery", name, has_report=has_report))
        say(f"page of {name}")
    page = target / "gallery.md"
    page.write_text(
        page.read_text(encoding="utf-8") + f"::::{{container}} cards\n{''.join(cards)}::::\n", encoding="utf-8"
    )


def with_figure(page: Path) -> None:
    """Run the examples of a tutorial, and put a plot of the motion that they end with behind its first paragraph."""
    text = page.read_text(encoding="utf-8")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, clear_globs=False)
    runs = [thing for thing in test.globs.values() if isinstance(thing, Trajectory)]
    runs += [thing.best.trajectory for thing in test.globs.values() if isinstance(thing, Boundary)]
    if not runs or runner.summarize(verbose=False).failed:
        raise SystemExit(f"{page.name}: its examples fail, or follow no motion.")
    plot = next(iter(plots_of(runs[-1], system_of(runs[-1])).values()))
    title, first, rest = text.split("\n\n", 2)
    figure = f"```{{raw}} html\n<figure>{plot}</figure>\n```"
    page.write_text(f"{title}\n\n{first}\n\n{figure}\n\n{rest}", encoding="utf-8")


def make_reports(folder: Path, names: tuple[str, ...]) -> None:
    """Study every system whose report is not newer than the program, as many at once as there are processors."""
    newest = max(file.stat().st_mtime for file in (ROOT / "src").rglob("*") if file.is_file())

    def make(name: str) -> None:
        report = folder / f"{name}.html"
        if report.exists() and report.stat().st_mtime > newest:
            return
        words = [sys.executable, "-m", "dalembert", "study", name, "-o", str(report)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603
        if not report.exists():
            raise SystemExit(f"{name}: {done.stderr}")
        say(f"report on {name}")

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(make, names))


def gallery_page(folder: Path, name: str, *, has_report: bool) -> str:
    """Write the page of a system, with its picture, and return a card that leads to it."""
    system, about = gallery.load(name), gallery.about(name)
    equations, picture = "", ""
    for formalism in ORDER:
        try:
            result = derive(system, formalism)
        except DalembertError:
            continue
        equations = equations or f"## Equations\n\n```{{raw}} html\n{html_of(result.equations)}\n```\n"
        picture = picture or drawn(folder / f"{name}.svg", result)
        if picture:
            break
    alive = (
        f'<p><a href="../reports/{name}.html"><b>Open the living report</b></a>: its motion is integrated there.</p>\n'
    )
    title = name.replace("-", " ")
    image = f"![{title}]({picture})\n" if picture else ""
    model = f"## Model file\n\n`dalembert gallery {name}` prints it.\n\n```toml\n{gallery.text(name).strip()}\n```\n"
    parts = [f"# {title}\n", f"{about}\n", image, alive * has_report, equations, model]
    (folder / f"{name}.md").write_text("\n".join(part for part in parts if part), encoding="utf-8")
    front = f"[![{title}](gallery/{picture})](gallery/{name}.md)\n\n" if picture else ""
    return f":::{{container}} tile\n{front}[{title}](gallery/{name}.md)\n\n{about}\n:::\n"


def drawn(file: Path, result: object) -> str:
    """Draw where a motion ends, and return the name of the picture; nothing where nothing can be drawn."""
    try:
        run = simulate(result)
        file.write_bytes(film_bytes(".svg", run, result.system))  # type: ignore[attr-defined]
    except DalembertError:
        return ""
    return file.name


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(Path(sys.argv[1]), reports="--without-reports" not in sys.argv)
