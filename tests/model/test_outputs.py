"""Outputs: whatever stands in the way, what was there is whole, or what is new is; nothing that is not ours is touched.

The writing layer is tried with everything; each command once, for it calls the layer and nothing else.
"""

import os
import resource
import stat
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from commanding import command

import dalembert
from dalembert.analysis.sweep import plan_of
from dalembert.errors import DalembertError
from dalembert.model import outputs
from dalembert.model.files import dumps, load, save
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.sweep.runner import run as sweep
from dalembert.studies.studying import Study

SOURCE = Path(dalembert.__file__).parent
MODEL = """
name = "fall"
lagrangian = "z'^2/2 - g*z"
[coordinates]
z = "real"
[parameters]
g = 10
[start]
z = 1
[run]
time = 1
formalism = "euler-lagrange"
"""
OLD = "old and of value\n"
LARGE = 30_000
RUN = Trajectory(range(LARGE // 4), [range(LARGE // 4)], ("z",), provenance={"values": {}})


def _write(path):
    outputs.write(path, "x" * LARGE)


def _save_model(path):
    system = load(path.parent / "m.toml").but(notes="n" * LARGE)
    save(system, path)


WAYS = {
    "text": (_write, "a.txt"),
    "model": (_save_model, "a.toml"),
    "csv": (RUN.save, "a.csv"),
    "netCDF": (RUN.save, "a.nc"),
}
"""All that writes files from Python; commands write by these."""
ways = pytest.mark.parametrize(("verb", "name"), WAYS.values(), ids=WAYS)


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("m.toml").write_text(MODEL)


@contextmanager
def full_disc(most: int = 20_000):
    """Let no file become longer than this, as on a disc that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def here() -> list[str]:
    return sorted(str(path) for path in Path().rglob("*"))


def read_from(fifo: Path) -> tuple[threading.Thread, list[bytes]]:
    os.mkfifo(fifo)
    found: list[bytes] = []
    thread = threading.Thread(target=lambda: found.append(fifo.read_bytes()), daemon=True)
    thread.start()
    return thread, found


# -- the writing layer ---------------------------------------------------------------------------------------
@ways
def test_a_file_is_replaced_with_its_mode_kept(verb, name):
    path = Path(name)
    path.write_text(OLD)
    path.chmod(0o640)
    before = path.stat().st_ino
    verb(path)
    assert path.stat().st_size >= LARGE
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_ino != before, "it was written over, not replaced"
    assert here() == sorted(["m.toml", name])


def test_a_new_file_has_the_mode_that_new_files_have():
    Path("plain").touch()
    _write(Path("a.txt"))
    assert Path("a.txt").stat().st_mode == Path("plain").stat().st_mode


@ways
def test_a_link_is_followed_and_stays(verb, name):
    Path("deep").mkdir()
    Path("deep", "target").write_text(OLD)
    Path("between").symlink_to("deep/target")
    Path(name).symlink_to("between")
    verb(Path(name))
    assert Path(name).is_symlink()
    assert Path("between").is_symlink()
    assert Path("deep", "target").stat().st_size >= LARGE
    assert not Path("deep", "target").is_symlink()


@ways
def test_a_link_to_nothing_gets_its_target(verb, name):
    Path("deep").mkdir()
    Path(name).symlink_to("deep/later")
    outputs.check_output(Path(name), [Path(name).suffix])
    assert Path(name).is_symlink(), "asking whether it can be written removed it"
    assert not Path("deep", "later").exists()
    verb(Path(name))
    assert Path(name).is_symlink()
    assert Path("deep", "later").stat().st_size >= LARGE


@ways
@pytest.mark.parametrize("way", ["folder", "loop", "nowhere", "disc"])
def test_what_cannot_be_written_is_refused_and_left(verb, name, way):
    path = Path(name)
    sentence = {
        "folder": "it is a folder",
        "loop": "it is a link that leads to itself",
        "nowhere": "there is no such folder",
        "disc": "file too large",
    }
    match way:
        case "folder":
            path.mkdir()
        case "loop":
            path.symlink_to(path)
        case "nowhere":
            path.symlink_to("no/where")
        case "disc":
            path.write_text(OLD)
    before = here()
    with full_disc() if way == "disc" else full_disc(10 * LARGE), pytest.raises(DalembertError) as fault:
        verb(path)
    assert str(fault.value).startswith(f"'{name}' cannot be written: ")
    assert sentence[way] in str(fault.value)
    assert here() == before, "something half written was left"
    assert way != "disc" or path.read_text() == OLD


def test_the_disc_of_these_tests_is_full():
    """The wrong twin: what writes over a file in place loses it."""
    Path("a.txt").write_text(OLD)
    with full_disc(), pytest.raises(OSError, match="File too large"):
        Path("a.txt").write_text("x" * LARGE)
    assert Path("a.txt").read_text() != OLD


@ways
def test_a_pipe_is_written_directly(verb, name):
    thread, found = read_from(Path(name))
    outputs.check_output(Path(name), [Path(name).suffix])  # which would wait for ever if it opened the pipe
    verb(Path(name))
    thread.join(10)
    assert len(found[0]) >= LARGE
    assert stat.S_ISFIFO(Path(name).stat().st_mode)


def test_a_pipe_that_nobody_reads_on_is_told_to_the_caller():
    reader, writer = os.pipe()
    os.close(reader)
    try:
        with pytest.raises(BrokenPipeError):
            _write(Path(f"/dev/fd/{writer}"))
    finally:
        os.close(writer)


def test_a_device_is_written_directly():
    _write(Path("/dev/null"))
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    with pytest.raises(DalembertError, match=r"^'/dev/full' cannot be written: no space left on device\.$"):
        _write(Path("/dev/full"))


def test_what_is_open_is_written_to_where_it_stands():
    """As /dev/stdout is: a file that the shell has opened is not replaced behind its back, nor begun again."""
    with Path("printed").open("wb", buffering=0) as file:
        file.write(b"before, ")
        Path("link.txt").symlink_to(f"/dev/fd/{file.fileno()}")
        outputs.write(Path("link.txt"), "between, ")
        file.write(b"after")
    assert Path("printed").read_text() == "before, between, after"
    assert Path("link.txt").is_symlink()


@pytest.mark.parametrize("way", ["itself", "spelling", "link", "hard link", "link to the folder"])
def test_an_input_is_no_output(way):
    model = Path("m.html")
    model.write_text(MODEL)
    Path("sub").mkdir()
    path = {
        "itself": model,
        "spelling": Path("sub/../m.html"),
        "link": Path("link.html"),
        "hard link": Path("hard.html"),
        "link to the folder": Path("way/m.html"),
    }[way]
    Path("link.html").symlink_to("m.html")
    Path("hard.html").hardlink_to("m.html")
    Path("way").symlink_to(".")
    with pytest.raises(DalembertError, match="is the model that is read; choose another name for the output"):
        outputs.check_output(path, [".html"], [model])
    outputs.check_output(path, [".html"], [Path("m.toml")])  # the wrong twin: another model, and it may be written


def test_only_a_file_that_may_be_written_is_replaced():
    """Renaming over it would need no leave of the file, only of its folder."""
    Path("a.txt").write_text(OLD)
    real = os.open

    def read_only(path, flags, *more, **named):
        if os.fspath(path).endswith("a.txt") and flags & os.O_ACCMODE != os.O_RDONLY:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *more, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", read_only)
        with pytest.raises(DalembertError, match="cannot be written: permission denied"):
            outputs.check_output(Path("a.txt"), [".txt"])
    outputs.check_output(Path("a.txt"), [".txt"])
    assert Path("a.txt").read_text() == OLD


def test_endings_that_are_not_understood_are_refused_with_those_that_are():
    with pytest.raises(DalembertError, match=r"^the output must end in \.nc, \.zarr or \.csv, not 'k\.png'\.$"):
        outputs.check_output(Path("k.png"), [".nc", ".zarr", ".csv"])
    outputs.check_output(Path("k.CSV"), [".nc", ".zarr", ".csv"])
    with pytest.raises(DalembertError, match=r"^the output must end in \.toml, not 'm\.txt'\.$"):
        save(load("m.toml"), "m.txt")
    assert here() == ["m.toml"]


# -- folders -------------------------------------------------------------------------------------------------
def _spring(path: Path):
    return sweep(plan_of(dalembert.derive(load("m.toml"), "euler-lagrange"), ["g=1,2"], ["energy"]), path, workers=1)


FOLDERS = {"run": Trajectory([0, 1], [[0, 1]], ("z",), provenance={"values": {}}).save, "sweep": _spring}
folders = pytest.mark.parametrize("verb", FOLDERS.values(), ids=FOLDERS)


@folders
def test_a_store_is_made_behind_a_link(verb):
    Path("deep").mkdir()
    Path("s.zarr").symlink_to("deep/s.zarr")
    for _ in range(2):
        verb(Path("s.zarr"))
        assert Path("s.zarr").is_symlink()
        assert sorted(path.name for path in Path("deep").iterdir()) == ["s.zarr"]
        assert Path("deep", "s.zarr", "zarr.json").exists()


@folders
def test_a_folder_of_the_users_beside_a_store_is_left(verb):
    Path("s.zarr.partial").mkdir()
    Path("s.zarr.partial", "thesis.txt").write_text(OLD)
    with pytest.raises(DalembertError, match=r"s\.zarr\.partial' is in the way and was not made by dalembert; move it"):
        verb(Path("s.zarr"))
    assert Path("s.zarr.partial", "thesis.txt").read_text() == OLD
    assert not Path("s.zarr").exists()


@folders
def test_what_a_killed_process_left_beside_a_store_is_removed(verb):
    """The wrong twin of the test before: the marker makes the difference."""
    Path("s.zarr.partial", "new").mkdir(parents=True)
    Path("s.zarr.partial", "new", "zarr.json").write_text("half")
    Path("s.zarr.partial", outputs._MARKER).touch()
    verb(Path("s.zarr"))
    assert sorted(path.name for path in Path().iterdir()) == ["m.toml", "s.zarr"]


@folders
@pytest.mark.parametrize("way", ["file", "pipe", "folder", "disc", "nowhere"])
def test_a_store_that_cannot_be_made_is_refused_and_nothing_is_touched(verb, way):
    path = Path("s.zarr")
    match way:
        case "file":
            path.write_text(OLD)
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
            Path(path, "thesis.txt").write_text(OLD)
        case "nowhere":
            path = Path("m.toml/s.zarr")
    before = here()
    with full_disc(100) if way == "disc" else full_disc(), pytest.raises(DalembertError) as fault:
        verb(path)
    assert str(fault.value).startswith(f"'{path}' ")
    assert here() == before


def test_a_disc_that_fills_up_keeps_the_old_run():
    FOLDERS["run"](Path("s.zarr"))
    before = {path: Path(path).read_bytes() for path in here() if Path(path).is_file()}
    with full_disc(100), pytest.raises(DalembertError, match="cannot be written: file too large"):
        Trajectory([0, 1], [[2, 3]], ("z",), provenance={"values": {}}).save("s.zarr")
    assert {path: Path(path).read_bytes() for path in here() if Path(path).is_file()} == before


def test_a_process_killed_between_two_renames_loses_nothing():
    FOLDERS["run"](Path("s.zarr"))
    Path("s.zarr.partial").mkdir()
    Path("s.zarr.partial", outputs._MARKER).touch()
    Path("s.zarr").rename("s.zarr.partial/old")
    outputs.clear(Path("s.zarr"))
    assert Trajectory.load("s.zarr").names == ("z",)
    assert not Path("s.zarr.partial").exists()


CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir"}


def _made(path: Path, text: str):
    with outputs.making(path) as folder:
        folder.mkdir()
        for name in "abc":
            (folder / name).write_text(text)


def _killed_at(count: int, path: Path, text: str) -> bool:
    """Make a folder in a process that ends right before its next change of the disc; say whether it did."""
    child = os.fork()
    if not child:

        def watch(event, given):
            nonlocal count
            count -= event in CHANGES or (event == "open" and isinstance(given[2], int) and bool(given[2] & os.O_CREAT))
            if count < 0:
                os._exit(1)

        sys.addaudithook(watch)
        _made(path, text)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def _texts(path: Path) -> set[str]:
    assert sorted(one.name for one in path.iterdir()) == ["a", "b", "c"]
    return {one.read_text() for one in path.iterdir()}


@pytest.mark.parametrize("more", [0, 1, 2, 3])
def test_a_process_killed_at_any_moment_leaves_the_old_or_the_new_and_blocks_nothing(more):
    """And the one that clears up after it may be killed as well."""
    place, count = Path("s.zarr"), 0
    _made(place, "old")
    while _killed_at(count, place, "new"):
        for k in range(more):
            _killed_at(k, place, "new")
        outputs.clear(place)
        assert _texts(place) in ({"old"}, {"new"})
        assert not Path("s.zarr.partial").exists()
        _made(place, "old")
        assert _texts(place) == {"old"}
        count += 1
    assert count > 10
    assert _texts(place) == {"new"}
    assert here() == sorted(["m.toml", "s.zarr", *(f"s.zarr/{name}" for name in "abc")])


def test_a_run_replaces_a_run_and_nothing_else():
    FOLDERS["run"](Path("s.zarr"))
    FOLDERS["run"](Path("s.zarr"))
    Path("s.zarr", "thesis.txt").write_text(OLD)
    with pytest.raises(DalembertError, match=r"holds 'thesis\.txt', which is not part of a trajectory"):
        FOLDERS["run"](Path("s.zarr"))
    Path("s.zarr", "thesis.txt").unlink()
    Path("s.zarr", ".dalembert-0123456789abcdef.partial").touch()  # ours, of a process that was killed
    FOLDERS["run"](Path("s.zarr"))
    assert not [*Path("s.zarr").glob(".dalembert-*")]
    _spring(Path("kept.zarr"))
    before = here()
    with pytest.raises(DalembertError, match="exists already and is a sweep; choose another name"):
        FOLDERS["run"](Path("kept.zarr"))
    assert here() == before


@pytest.mark.parametrize("way", ["text", "link"])
def test_a_file_of_the_users_by_the_name_of_the_lock_is_left(way):
    Path("mine").write_text(OLD)
    if way == "text":
        Path("s.zarr.lock").write_text(OLD)
    else:
        Path("s.zarr.lock").symlink_to("mine")
    with pytest.raises(DalembertError, match=r"s\.zarr\.lock' is in the way and was not made by dalembert"):
        _spring(Path("s.zarr"))
    assert Path("s.zarr.lock").read_text() == OLD
    Path("s.zarr.lock").unlink()
    Path("s.zarr.lock").write_text("process 1 on another machine")  # the wrong twin: a lock that was left behind
    assert _spring(Path("s.zarr")).computed == 2


def test_files_of_the_users_in_a_sweep_stay():
    _spring(Path("s.zarr"))
    ours = Path("s.zarr", f"zarr.{'0' * 32}.partial")
    ours.write_text("half")
    Path("s.zarr", "notes.partial").write_text(OLD)
    _spring(Path("s.zarr"))
    assert Path("s.zarr", "notes.partial").read_text() == OLD
    assert not ours.exists()


def test_a_model_inside_of_a_store_is_not_lost_with_it():
    Path("s.zarr").mkdir()
    Path("s.zarr", "m.toml").write_text(MODEL)
    for words in (["simulate"], ["sweep", "--over", "g=1,2", "--observe", "energy"]):
        ended = command(words[0], "s.zarr/m.toml", *words[1:], "-o", "s.zarr")
        assert ended.status == 2
        assert ended.err == "'s.zarr' holds the model 's.zarr/m.toml'; choose another name for the output.\n"
    assert Path("s.zarr", "m.toml").read_text() == MODEL


# -- commands ------------------------------------------------------------------------------------------------
OUTPUTS = {
    "study -o": ("study {model} --seconds 60 -o", ".html"),
    "study --json": ("study {model} --seconds 60 -o other.html --json", ".json"),
    "simulate -o csv": ("simulate {model} -o", ".csv"),
    "simulate -o nc": ("simulate {model} -o", ".nc"),
    "simulate -o zarr": ("simulate {model} -o", ".zarr"),
    "simulate --plot": ("simulate {model} --plot", ".html"),
    "sweep -o": ("sweep {model} --over g=1,2 --observe energy -o", ".zarr"),
}
each_output = pytest.mark.parametrize(("words", "ending"), OUTPUTS.values(), ids=OUTPUTS)
WORK = ("dalembert.studies.studying.study", "dalembert.numerics.simulate.simulate", "dalembert.analysis.sweep.sweep")


@pytest.fixture
def _no_work(monkeypatch):
    def never(*_, **__):
        raise AssertionError("the work was begun.")

    for work in WORK:
        monkeypatch.setattr(work, never)


def ended(words: str, path: str, model: str = "m.toml"):
    return command(*words.format(model=model).split(), path)


@each_output
@pytest.mark.parametrize("way", ["input", "link", "hard link", "ending", "no ending", "folder", "nowhere", "loop"])
@pytest.mark.usefixtures("_no_work")
def test_a_command_refuses_before_the_work(words, ending, way):
    model = f"m{ending}"  # a model may be called anything
    Path(model).write_text(MODEL)
    path = f"out{ending}"
    match way:
        case "input":
            path = f"./{model}"
        case "link":
            Path(path).symlink_to(model)
        case "hard link":
            Path(path).hardlink_to(model)
        case "ending":
            path = "out.png"
        case "no ending":
            path = "out"
        case "folder":
            Path(path).mkdir()
            Path(path, "thesis.txt").write_text(OLD)
        case "nowhere":
            path = f"no/where{ending}" if ending != ".zarr" else f"{model}/out.zarr"
        case "loop":
            Path(path).symlink_to(path)
    before = here()
    end = ended(words, path, model)
    assert end.status == 2
    assert end.out == ""
    assert len(end.err.splitlines()) == 1
    assert path in end.err or model in end.err
    assert Path(model).read_text() == MODEL
    assert here() == before


@pytest.fixture
def _study_of_nothing(monkeypatch):
    """A study whose parts are made elsewhere: what is tried here is where it goes."""
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.setattr("dalembert.studies.studying.study", lambda system, *_, **__: Study(system, (), ()))


@each_output
@pytest.mark.parametrize("way", ["file", "link", "dangling", "pipe", "full disc"])
@pytest.mark.usefixtures("_study_of_nothing")
def test_a_command_writes_what_stands_in_its_way(words, ending, way):
    folder, path, far = ending == ".zarr", Path(f"out{ending}"), Path(f"far{ending}")
    match way:
        case "file" | "full disc":
            Path("old").touch() if folder else path.write_text(OLD)
        case "link":
            Path("old").touch() if folder else far.write_text(OLD)
            path.symlink_to(far)
        case "dangling":
            path.symlink_to(far)
        case "pipe":
            thread, found = read_from(path)
    before = here()
    with full_disc(90) if way == "full disc" else full_disc(10**6):
        end = ended(words, str(path))
    if way == "full disc":
        assert end.status == 2
        assert end.err.endswith(" cannot be written: file too large.\n")
        assert here() == before
        assert folder or path.read_text() == OLD
    elif way == "pipe" and folder:
        assert end.status == 2
        assert end.err == f"'{path}' cannot be written: a store is a folder, and this is a pipe or a device.\n"
        path.write_text("")  # so that whoever reads ends
    else:
        assert end.status == 0
        assert way not in {"link", "dangling"} or path.is_symlink()
        assert way != "pipe" or stat.S_ISFIFO(path.stat().st_mode)
        size = (len(found[0]) if not thread.join(10) else 0) if way == "pipe" else path.stat().st_size
        assert size > len(OLD)
        assert {"out", "far", "old", "other", "m"} >= {name.partition(".")[0] for name in here()}


def test_several_formats_have_no_ending_in_a_pipe():
    os.mkfifo("run")
    assert command("simulate", "m.toml", "-o", "run").err == "the output must end in .nc, .zarr or .csv, not 'run'.\n"


def test_nothing_is_written_past_the_layer():
    """What makes, renames or removes files is in one module, in the store of a sweep, and in the cache."""
    words = (
        "write_text(",
        "write_bytes(",
        ".unlink(",
        "rmtree",
        "os.replace",
        ".rename(",
        ".mkdir(",
        'open("w',
        'open("a',
    )
    allowed = {"cache.py", "model/outputs.py", "numerics/sweep/chunk_files.py", "numerics/sweep/store.py"}
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    }
    assert found == allowed


def test_dumps_and_save_say_the_same():
    system = load("m.toml")
    save(system, "again.toml")
    assert Path("again.toml").read_text() == dumps(system)
