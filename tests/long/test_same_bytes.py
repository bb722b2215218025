"""The same bytes at any load: every answer of the gallery, in one process after another, idle and beside others.

pytest tests/long/test_same_bytes.py     about fifteen minutes on two cores
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import formalism_names
from dalembert.present.json_export import answer

HERE = Path(__file__).parent
BUSY = 8


def written(name: str, how: str) -> str | None:
    """Return the answer as ``derive --json`` gives it, or None where the formalism does not apply."""
    try:
        return json.dumps(answer(derive(gallery.load(name), how)), indent=1)
    except HypothesisError:
        return None


def answers(*, backwards: bool, seed: str) -> Iterator[tuple[str, str | None]]:
    """Yield every answer of the gallery, all from one process."""
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); from test_same_bytes import tell; tell({backwards})"
    environment = os.environ | {"PYTHONHASHSEED": seed}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as child:
        assert child.stdout is not None
        for line in child.stdout:
            yield tuple(json.loads(line))
    assert child.wait() == 0


def tell(backwards: bool) -> None:
    cases = [(name, how) for name in gallery.names() for how in formalism_names()]
    for name, how in reversed(cases) if backwards else cases:
        sys.stdout.write(json.dumps([f"{name} as {how}", written(name, how)]) + "\n")
        sys.stdout.flush()


@contextmanager
def busy_neighbours() -> Iterator[None]:
    """Keep all cores busy with other things."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


@pytest.fixture(scope="module")
def idle() -> dict[str, str | None]:
    return dict(answers(backwards=False, seed="1"))


def test_order_seed_and_load_change_nothing(idle):
    assert sum(text is not None for text in idle.values()) > 80
    with busy_neighbours():
        differ = [case for case, text in answers(backwards=True, seed="4242") if text != idle[case]]
    assert differ == []


def test_a_process_of_its_own_says_the_same(idle):
    """Each answer from a process that derived nothing before, against one that derived the whole gallery."""
    code = f"import sys; sys.path.insert(0, {str(HERE)!r}); from test_same_bytes import written; "
    code += "sys.stdout.write(written(sys.argv[1], sys.argv[2]))"
    differ = []
    for case in (case for case, text in idle.items() if text is not None):
        words = [sys.executable, "-c", code, *case.split(" as ")]
        if subprocess.run(words, capture_output=True, text=True, check=True).stdout != idle[case]:
            differ.append(case)
    assert differ == []


def page(name: str, folder: Path, seed: str) -> str:
    """Return the report that ``study`` writes on a system; when it was written is left out."""
    path = folder / f"{name}.html"
    words = [sys.executable, "-m", "dalembert", "--no-cache", "study", name, "-o", str(path)]
    subprocess.run(words, check=True, capture_output=True, env=os.environ | {"PYTHONHASHSEED": seed})
    return without_dates(path.read_text())


def without_dates(text: str) -> str:
    return re.sub(r"\b\d{4}-\d\d-\d\d\b", "", text)


@pytest.mark.parametrize("name", ["heisenberg", "magnetic", "vertical-rolling-disc"])
def test_seed_and_load_change_no_page_of_a_study(name, tmp_path):
    for folder in ("idle", "busy"):
        (tmp_path / folder).mkdir()
    idle = page(name, tmp_path / "idle", "1")
    with busy_neighbours():
        assert page(name, tmp_path / "busy", "4242") == idle


def test_pages_that_differ_in_more_than_a_date_differ():
    assert without_dates("made 2026-11-16: a^2") == without_dates("made 2027-01-01: a^2")
    assert without_dates("made 2026-11-16: a^2") != without_dates("made 2026-11-16: a*a")
