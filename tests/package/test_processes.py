"""Processes of ours run no file of the current folder, and a fork of the program neither hangs nor shares them."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import dalembert
from dalembert import Vocabulary, parse, processes
from dalembert.expr.walk import pack
from dalembert.forking import Forked
from dalembert.numerics.sweep.store import locked
from dalembert.processes import start

SOURCE = Path(dalembert.__file__).parent
PYTHON = [sys.executable, "-W", "default", "-W", "ignore::DeprecationWarning"]
MODEL = """
name = "fall"
lagrangian = "z'^2/2 - g*z"
[coordinates]
z = "real"
[parameters]
g = 10
[run]
formalism = "euler-lagrange"
"""
SPY = """
open({where!r}, "a").write({name!r} + "\\n")
raise SystemExit("a file of the current folder was run")
"""
NAMES = ("flint", "numpy", "lark", "sympy", "llvmlite", "tomllib", "typer", "rich", "pickle", "signal", "resource")
NORMAL = "from dalembert import normal, parse, Vocabulary; print(normal(parse('x*(x + 1) - x^2', Vocabulary.of('x'))))"
STUDY = """
from dalembert.studies.studying import System, study
print(study(System.of(name="z", coordinates="z", lagrangian="z"), formalisms=["routh"]))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder in which every library that we use has a namesake, which says so when it is run."""
    place = tmp_path / "here"
    place.mkdir()
    (place / "m.toml").write_text(MODEL)
    for name in NAMES:
        (place / f"{name}.py").write_text(SPY.format(where=str(tmp_path / "caught"), name=name))
    monkeypatch.setenv("PYTHONPATH", str(SOURCE.parent))
    return place


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, timeout=600)


# -- modules -------------------------------------------------------------------------------------------------
COMMANDS = {
    "command": [str(Path(sys.executable).with_name("dalembert")), "derive", "m.toml"],
    "module": [sys.executable, "-m", "dalembert", "derive", "m.toml"],
    "exact algebra": [sys.executable, "-P", "-c", NORMAL],
    "study": [sys.executable, "-P", "-c", STUDY],
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.thorough("module")
@pytest.mark.thorough("study")
@pytest.mark.thorough("command")
def test_nothing_in_the_current_folder_is_run(words, folder):
    done = run(words, folder)
    assert not (folder.parent / "caught").exists()
    assert (done.returncode, done.stderr.count("current folder")) == (0, 0)
    assert done.stdout


def test_these_files_would_be_seen(folder):
    """The wrong twin: Python left to itself, as the worker was once started."""
    done = run([sys.executable, "-c", "from dalembert.expr.field.worker import main; main()"], folder)
    assert done.returncode == 1
    assert (folder.parent / "caught").read_text() in {f"{name}\n" for name in NAMES}


@pytest.mark.parametrize(("path", "found"), [("{here}", True), ("", False), (":{src}:", False)])
def test_a_path_that_is_meant_is_followed_and_an_empty_one_is_not(path, found, folder, monkeypatch):
    (folder / "sitecustomize.py").write_text("import sys; sys.stderr.write('found')")
    monkeypatch.setenv("PYTHONPATH", path.format(here=folder, src=SOURCE.parent))
    program = f"import sys; sys.path.insert(0, {str(SOURCE.parent)!r})\nfrom dalembert.processes import start\n"
    for name in NAMES:
        (folder / f"{name}.py").unlink()
    done = run([sys.executable, "-I", "-c", program + "print(start('site').communicate()[0])"], folder)
    assert done.stdout == "b''\n"
    assert done.stderr == "", "a child of an isolated program looked at PYTHONPATH"
    done = run([sys.executable, "-c", program + "print(start('site').communicate()[0])"], folder)
    assert done.stdout == "b''\n"
    # of the program itself and of its child: an empty part of the path is the current folder for the former
    assert done.stderr.count("found") == (2 if found else 1 if path else 0)


def test_every_process_is_started_in_one_place():
    words = (
        "import subprocess",
        "from subprocess",
        "multiprocessing",
        "ProcessPool",
        "os.spawn",
        "os.system",
        "os.exec",
    )
    users = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    }
    assert users - {"lab/confined.py"} == {"processes.py"}  # the former names what it refuses


# -- forks ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("refused", ["fork", "pipe"])
def test_a_fork_that_the_system_refuses_leaves_nothing_open(refused, monkeypatch):
    pipes = [os.pipe]

    def refuse():
        if refused == "pipe" and pipes:
            return pipes.pop()()
        raise BlockingIOError

    monkeypatch.setattr(os, refused, refuse)
    before = [*Path("/proc/self/fd").iterdir()]
    with pytest.raises(BlockingIOError):
        Forked(list)
    assert [*Path("/proc/self/fd").iterdir()] == before


HEAD = """
import os, signal, sys, threading, time
def forked(work):
    "Return whether a forked program did its work; one that hangs is ended by its alarm."
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(0 if work() else 1)
    return os.waitpid(child, 0)[1] == 0
def held(lock):
    "Have a thread hold a lock for good."
    def hold():
        lock.acquire()
        taken.set()
        time.sleep(600)
    taken = threading.Event()
    threading.Thread(target=hold, daemon=True).start()
    taken.wait()
"""


def printed(body: str, *words: str) -> str:
    done = subprocess.run(
        [*PYTHON, "-c", HEAD + body, *words], capture_output=True, text=True, check=False, timeout=600
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_fork_beside_a_thread_that_holds_the_lock_of_the_graph_makes_nodes():
    body = """
from dalembert.expr import graph, symbol
another = threading.Lock()
held(graph._lock)
held(another)
right = forked(lambda: symbol("new") * 2 + 1 is 1 + 2 * symbol("new"))
wrong = forked(lambda: another.acquire(timeout=0.2))  # the wrong twin: a lock that nobody renews is held for ever
print(right, wrong)
os._exit(0 if sys.stdout.flush() is None else 1)
"""
    assert printed(body) == "True False"


@pytest.mark.thorough
def test_a_program_forks_beside_threads_that_build_and_ask():
    """As programs do: by os.fork and by multiprocessing, while other threads build, decide and ask the worker."""
    body = """
import multiprocessing
from dalembert import System, Vocabulary, derive, is_zero, normal, parse
words = Vocabulary.of("x y")
def build(k):
    return parse(f"(x + {k}*y)^2 - x^2 - {2*k}*x*y - {k*k}*y^2", words)
def decided(k):
    return is_zero(build(k)).holds and normal(build(k)).value == 0
assert decided(1)
stop = threading.Event()
def busy(k):
    while not stop.is_set():
        build(k := k + 1)
        normal(build(k))
threads = [threading.Thread(target=busy, args=(1000 * k,)) for k in range(2)]
for thread in threads:
    thread.start()
done = [forked(lambda: decided(k)) for k in range(3)]
context = multiprocessing.get_context("fork")
children = [context.Process(target=decided, args=(k,)) for k in range(2)]
for child in children:
    child.start()
for child in children:
    child.join(60)
stop.set()
for thread in threads:
    thread.join()
print(all(done), [child.exitcode for child in children], decided(7))
"""
    assert printed(body) == "True [0, 0] True"


@pytest.mark.thorough
def test_a_fork_beside_a_thread_in_a_cached_property_reads_it():
    body = """
from functools import cached_property
from dalembert import System
system = System.of(name="fall", coordinates="z", lagrangian="z'^2/2")
own = [(name, one) for name, one in vars(System).items() if isinstance(one, cached_property)]
for _, one in own:
    if hasattr(one, "lock"):  # up to Python 3.11
        held(one.lock)
print(len(own) > 0, all(forked(lambda: [getattr(system, name)]) for name, _ in own))
os._exit(0 if sys.stdout.flush() is None else 1)
"""
    assert printed(body) == "True True"


def test_a_forked_program_has_no_pipe_of_the_worker():
    body = """
from dalembert.expr.field.worker import _worker, wake
wake()
pipes = [_worker._process.stdin.fileno(), _worker._process.stdout.fileno()]
def closed():
    for pipe in pipes:
        try:
            os.fstat(pipe)
        except OSError:
            continue
        return False
    return _worker._process is None
print(closed(), forked(closed))
"""
    assert printed(body) == "False True"


def test_the_worker_ends_with_the_program_though_a_fork_of_it_lives_on():
    body = """
from dalembert.expr.field.worker import _worker, wake
wake()
child = os.fork()
if not child:
    os.close(1)
    time.sleep(600)
    os._exit(0)
print(_worker._process.pid, child, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([*PYTHON, "-c", HEAD + body], stdout=subprocess.PIPE, text=True, check=False, timeout=600)
    worker, child = map(int, done.stdout.split())
    try:
        for _ in range(200):
            if not Path(f"/proc/{worker}").exists() or ") Z " in Path(f"/proc/{worker}/stat").read_text():
                break
            signal.sigtimedwait([], 0.05)
        else:
            pytest.fail("the worker goes on")
        assert Path(f"/proc/{child}").exists()
    finally:
        os.kill(child, signal.SIGKILL)


@pytest.mark.thorough
def test_a_fork_does_not_hold_the_store_of_a_sweep(tmp_path):
    body = """
from pathlib import Path
from dalembert.numerics.sweep.store import locked
with locked(Path(sys.argv[1])):
    child = os.fork()
    if not child:
        os.close(1)
        os.close(2)
        time.sleep(600)
    print(child, flush=True)
    os._exit(0)
"""
    child = int(printed(body, str(tmp_path / "s.zarr")))
    try:
        assert (tmp_path / "s.zarr.lock").exists()
        with locked(tmp_path / "s.zarr"):
            assert Path(f"/proc/{child}").exists()
    finally:
        os.kill(child, signal.SIGKILL)


# -- pipes ---------------------------------------------------------------------------------------------------
class Late:
    """The output of a child whose reader is held up, when told so, as it is about to read the next message."""

    def __init__(self, pipe):
        self.pipe, self.held, self.gone_on = pipe, threading.Event(), threading.Event()
        self.gone_on.set()

    def read(self, size):
        number = self.pipe.fileno()
        if size == processes._LENGTH and not self.gone_on.is_set():
            self.held.set()
            self.gone_on.wait()
        return os.read(number, size)

    def close(self):
        self.pipe.close()


def test_the_reader_of_a_child_that_is_gone_takes_no_words_of_the_next_one(monkeypatch):
    """Were the pipe closed under its reader, the next child's pipe would have its number, and its words be lost."""
    outputs = []

    def late(module, **options):
        process = start(module, **options)
        process.stdout = Late(process.stdout)
        outputs.append(process.stdout)
        return process

    monkeypatch.setattr(processes, "start", late)
    question = ("vanishes", pack([parse("x - y", Vocabulary.of("x y"))]), 1.0, {"most_terms": 9})
    with processes.Worker("dalembert.expr.field.worker") as worker:
        worker.wake()
        outputs[0].gone_on.clear()
        worker.ask(question)
        outputs[0].held.wait()
        number = outputs[0].pipe.fileno()
        worker._process.kill()
        worker._process.wait()
        following = threading.Thread(target=worker.wake, daemon=True)
        following.start()
        while len(outputs) < 2:
            following.join(0.01)
        assert outputs[1].pipe.fileno() != number
        outputs[0].gone_on.set()
        following.join()
        assert worker.ask(question)[:2] == ("done", [False])


# -- forks of our own ----------------------------------------------------------------------------------------
OWN = """
from dalembert.forking import Forked, by_itself, forks
if "apart" not in sys.argv:
    by_itself()
"""


def test_children_of_a_program_of_ours_are_forks_of_it_and_those_of_others_are_not():
    body = """
from dalembert import Vocabulary, normal, parse
from dalembert.expr.field.worker import _worker
sys.stdout.write("once ")
def asked(k):
    return normal(parse(f"(x + {k})^2 - x^2 - {2*k}*x", Vocabulary.of("x"))).value == k*k
right = asked(2)
kind = type(_worker._process).__name__
_worker._process.kill()
_worker._process.wait()
status = _worker._process.returncode
print(right, kind, status, asked(3), forks())
"""
    assert printed(OWN + body) == "once True Forked -9 True True"
    assert printed(OWN + body, "apart") == "once True Popen -9 True False"


def test_a_fork_of_ours_has_its_own_input_and_output_though_the_shell_has_closed_them():
    body = """
os.close(0)
def work():
    sys.stdout.write(sys.stdin.readline().upper())
    sys.stdout.flush()
one = Forked(work)
one.stdin.write(b"heard\\n")
sys.stdout.write(f"{one.stdout.readline()} {one.wait()}")
print("", Forked(lambda: 1 / 0).wait())
"""
    done = subprocess.run([*PYTHON, "-c", HEAD + OWN + body], capture_output=True, text=True, check=False, timeout=600)
    assert done.stdout == "b'HEARD\\n' 0 1\n"
    assert done.stderr.count("ZeroDivisionError") == 1
