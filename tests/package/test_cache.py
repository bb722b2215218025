"""Machine code kept on disc: the same motion from it; nothing that is wrong with a folder or an entry is an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commanding import command

from dalembert import cache, derive, gallery
from dalembert.numerics.compile import machine
from dalembert.numerics.dop853.compiled import Dop853, _cached, _code, method
from dalembert.numerics.simulate import simulate


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder of its own, which is not there yet."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def made(monkeypatch):
    """Count what LLVM reads to compile it."""
    texts = []
    plain = machine._checked

    def counted(text):
        texts.append(text)
        return plain(text)

    monkeypatch.setattr(machine, "_checked", counted)
    return texts


NAME = cache.key("example", "from this")


def entry(folder):
    (found,) = folder.iterdir()
    return found


def test_a_hit_compiles_nothing_and_gives_the_same_bytes(folder, made):
    result = derive(gallery.load("two-wheeled-robot"), "nonholonomic")
    runs, counts = [], []
    for _ in range(2):
        _cached.cache_clear()
        _code.cache_clear()
        method.cache_clear()
        runs.append(simulate(result, time=2))
        counts.append(len(made))
    assert counts[0] > 0
    assert counts[1] == counts[0]
    assert runs[0].y.tobytes() == runs[1].y.tobytes()
    assert runs[0].knots.tobytes() == runs[1].knots.tobytes()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in folder.iterdir()} == {0o600}
    for file in folder.iterdir():  # what is damaged is made anew, and the same comes of it
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    _cached.cache_clear()
    _code.cache_clear()
    method.cache_clear()
    again = simulate(result, time=2)
    assert len(made) == 2 * counts[0]
    assert again.y.tobytes() == runs[0].y.tobytes()


@pytest.mark.usefixtures("folder")
def test_other_events_compile_no_equations_anew(made):
    equations = derive(gallery.load("two-wheeled-robot"), "nonholonomic").equations
    _code.cache_clear()
    Dop853(equations)
    first = [text for text in made if "@rates(" in text and "@advance(" not in text]
    before = len(made)
    Dop853(equations, [equations.state[0] - 1])
    assert any("define" in line and "@rates(" in line for text in first for line in text.splitlines())
    later = [line for text in made[before:] for line in text.splitlines() if line.startswith("define")]
    assert any("@events(" in line for line in later)
    assert not any("@rates(" in line for line in later)


def test_the_key_tells_everything_that_code_depends_on(monkeypatch):
    keys = []
    monkeypatch.setattr(cache, "look", lambda name: keys.append(name) or b"code")
    machine._compiled("a")
    machine._compiled("b")
    triple, processor, features = machine._host()
    for host in (
        ("other", processor, features),
        (triple, "other", features),
        (triple, processor, features + ",+other"),
    ):
        monkeypatch.setattr(machine, "_host", lambda host=host: host)
        machine._compiled("a")
    monkeypatch.setattr(machine, "_host", lambda: (triple, processor, features))
    monkeypatch.setattr(machine.llvmlite, "__version__", "other")
    machine._compiled("a")
    monkeypatch.setattr(machine.llvm, "llvm_version_info", (0, 0, 0))
    machine._compiled("a")
    with machine.quickly():
        machine._compiled("a")
    monkeypatch.setattr(cache, "_version", lambda: "other")
    machine._compiled("a")
    assert len(set(keys)) == len(keys) == 9


DAMAGE = {
    "cut off": lambda data: data[:-3],
    "longer": lambda data: data + b"x",
    "a bit": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
    "its checksum": lambda data: data[:20] + bytes([data[20] ^ 1]) + data[21:],
    "another version": lambda data: b"D" + data[1:],
    "empty": lambda data: data[:0],
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage_is_found_and_mended(folder, what):
    cache.keep(NAME, b"some code")
    assert cache.look(NAME) == b"some code"
    file = entry(folder)
    file.write_bytes(DAMAGE[what](file.read_bytes()))
    assert cache.look(NAME) is None
    cache.keep(NAME, b"some code")
    assert cache.look(NAME) == b"some code"


def test_a_folder_that_is_open_to_others_or_not_ours_is_not_used(folder, monkeypatch):
    cache.keep(NAME, b"code")
    for mode in (0o777, 0o750, 0o701):
        folder.chmod(mode)
        assert cache.look(NAME) is None
        cache.keep(cache.key("other"), b"more")
    folder.chmod(0o700)
    assert cache.look(NAME) == b"code"
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert cache.look(NAME) is None
    cache.keep(cache.key("other"), b"more")
    monkeypatch.undo()
    assert len(list(folder.iterdir())) == 1


def test_links_are_not_followed(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    cache.keep(NAME, b"code")
    assert not list(elsewhere.iterdir())
    folder.unlink()
    cache.keep(NAME, b"code")
    whole = entry(folder)
    outside = tmp_path / "outside"
    whole.rename(outside)
    whole.symlink_to(outside)
    assert cache.look(NAME) is None
    cache.keep(NAME, b"new")  # takes the place of the link, and leaves alone where that led
    assert cache.look(NAME) == b"new"
    assert outside.read_bytes().endswith(b"code")
    whole.unlink()
    os.mkfifo(whole, 0o600)  # which nobody writes to: it is not waited for
    assert cache.look(NAME) is None
    whole.unlink()
    outside.chmod(0o622)
    outside.rename(whole)  # an entry that others may write
    assert cache.look(NAME) is None


def test_a_disc_that_is_full_or_read_only_is_no_error(folder, monkeypatch, tmp_path):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        cache.keep(NAME, b"code")
    assert not list(folder.iterdir())  # nothing is left lying about
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", full)
        cache.keep(NAME, b"code")
        assert cache.look(NAME) is None
    monkeypatch.setenv(cache.VARIABLE, "/proc/nowhere/kept")
    cache.keep(NAME, b"code")
    (tmp_path / "file").touch()
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "file"))
    cache.keep(NAME, b"code")
    assert cache.look(NAME) is None


def test_room_is_bounded_and_what_was_used_lately_stays(folder, monkeypatch):
    monkeypatch.setattr(cache, "ROOM", 4000)
    names = [cache.key("entry", str(n)) for n in range(12)]
    for n, name in enumerate(names):
        cache.keep(name, bytes(500))
        if n:
            assert cache.look(names[0]) is not None  # used again and again
            for age, file in enumerate(sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime_ns)):
                os.utime(file, ns=(10**9 * age, 10**9 * age))
        assert sum(file.stat().st_size for file in folder.iterdir()) <= 4000
    assert cache.look(names[-1]) is not None
    assert cache.look(names[1]) is None


TWO = """
import sys
from dalembert import cache
data = sys.argv[1].encode() * 200_000
for _ in range(60):
    cache.keep("shared", data)
    found = cache.look("shared")
    assert found is not None and len(set(found)) == 1 and len(found) == 200_000
"""


def test_two_processes_at_once_see_whole_entries(folder):
    both = [subprocess.Popen([sys.executable, "-c", TWO, letter]) for letter in "ab"]
    assert [one.wait(60) for one in both] == [0, 0]
    assert [file.name for file in folder.iterdir()] == ["shared"]


def test_it_is_switched_off_and_never_in_the_users_own_folder_here(tmp_path, monkeypatch):
    assert cache.folder() == Path(os.environ["DALEMBERT_TESTS"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(cache.VARIABLE)
    assert cache.folder() == tmp_path / "dalembert"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache.folder() == tmp_path / ".cache" / "dalembert"
    for words in (["--no-cache", "gallery"], ["gallery", "--no-cache"]):
        monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
        assert command(*words).status == 0
        assert cache.folder() is None
    cache.keep(NAME, b"code")
    assert cache.look(NAME) is None
    assert not list(tmp_path.iterdir())


def test_a_function_from_kept_code_outlives_the_bytes_it_came_from(folder):
    equations = derive(gallery.load("vertical-rolling-disc"), "nonholonomic").equations
    first = Dop853(equations)
    start, values = [0.3] * first.layout.size, [1.0] * first.parameters
    rates = first.rates(0.0, start, values)[0].tobytes()
    again = Dop853(equations)
    del first
    for file in folder.iterdir():
        file.unlink()
    assert again.rates(0.0, start, values)[0].tobytes() == rates
