"""The worker process: stopped at its limit, started again, never mixed up, and gone with the program."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from places import TESTS

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import Expr, cos, sin, symbol, total, work
from dalembert.expr.field import OutOfWork, normal, proved_zero
from dalembert.expr.field import worker as module
from dalembert.expr.field.worker import ask, asked_of
from dalembert.processes import Worker

NAMES = [symbol(name) for name in "pqrsuvw"]
X = symbol("x")


def _powers(k: int) -> Expr:
    """Return a polynomial in seven variables with thousands of terms."""
    line = total([((k * (i + 2) + i * i) % 17 + 1, v ** ((i * k + k) % 3 + 1)) for i, v in enumerate(NAMES)], 1)
    return line**8 + NAMES[k % 7]


COMMON = _powers(1)
LONG = (COMMON * _powers(2) + COMMON) / (COMMON * _powers(3) + COMMON)
"""Its normal form needs the common divisor of millions of terms: minutes inside one call of FLINT."""


def ask_for_long(effort: float) -> None:
    """Ask for what takes minutes, with no guard against its size."""
    ask("normal", [LONG], effort, most_terms=10**12)


@pytest.fixture
def stalling(monkeypatch):
    """Have a worker that knows a task which works for nothing, forever, and one that spends all there is."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]))
    worker = Worker("stalling")
    yield worker
    worker.close()


def is_right(k: int) -> bool:
    """Ask something that only has one right answer for each k."""
    return normal((X + k) ** 2 - X**2 - 2 * k * X) is total((), k * k)


def ready() -> None:
    assert is_right(1)


def alive(pid: int) -> bool:
    """Say whether a process still runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def gone_within(pid: int, seconds: float) -> bool:
    """Wait for the end of a process; the limit is there for a test that would otherwise hang."""
    for _ in range(round(50 * seconds)):
        if not alive(pid):
            break
        time.sleep(0.02)
    return not alive(pid)


# -- limits --------------------------------------------------------------------------------------------------
def test_a_long_computation_ends_at_its_budget_and_its_process_goes_on():
    ready()
    process = module._worker._process
    for effort in (0.01, 0.1, 0.4):
        before = work.done()
        with pytest.raises(OutOfWork, match="limit of work"):
            ask_for_long(effort)
        assert 0 < work.done() - before < effort + 1e-5
        assert is_right(3)
    assert module._worker._process is process
    assert work.stops() == ()


def test_the_same_question_costs_the_same_work():
    def costs() -> float:
        before = work.done()
        normal(sin(X + 1) ** 6 / (1 + cos(X)) + X)
        return work.done() - before

    ready()
    first = costs()
    assert first > 0
    assert costs() == first


def test_what_is_priced_wrong_falls_into_the_net(stalling):
    known = len(work.stops())
    with pytest.raises(OutOfWork, match="far more time than its budget of work is worth"):
        asked_of(stalling, "stall", [X], 0.01, {})
    assert work.stops()[known:] == ("'stall' of 1 expressions",)
    with pytest.raises(OutOfWork, match="at its limit of work"):  # and the next question has an answer again
        asked_of(stalling, "spend", [X], 0.01, {})
    assert len(work.stops()) == known + 1
    work._clock.stops.clear()


def test_what_would_grow_too_large_is_given_up_at_once():
    ready()
    before = work.done()
    with pytest.raises(OutOfWork, match=r"^a normal form would have too many terms\.$"):
        normal(LONG, 30.0)
    assert work.done() - before < 5.0
    assert issubclass(OutOfWork, DalembertError)
    assert proved_zero(LONG, 30.0) is False


def test_nothing_is_left_behind_by_many_calls():
    def resident() -> int:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def held() -> tuple[int, int]:
        return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))

    for k in range(10):
        assert is_right(k)
    before, memory = held(), resident()
    for k in range(50):
        assert is_right(k)
        if k % 17 == 0:
            with pytest.raises(OutOfWork):
                ask_for_long(0.02)
    assert is_right(0)
    for _ in range(600):  # threads that listened to processes now dead end on their own, sooner or later
        if held() == before:
            break
        time.sleep(0.1)
    assert held() == before
    assert resident() - memory < 4 << 20


# -- faults --------------------------------------------------------------------------------------------------
def test_a_mistake_in_a_task_is_seen_and_is_not_taken_for_a_lack_of_time():
    with pytest.raises(RuntimeError, match="no_such_task") as caught:
        ask("no_such_task", [X], 5.0)
    assert not isinstance(caught.value, DalembertError)
    with pytest.raises(RuntimeError, match="most_terms"):
        ask("normal", [X], 5.0)
    assert is_right(2)


def test_an_expression_without_meaning_is_a_fault_of_its_own():
    with pytest.raises(ExpressionError, match="a denominator is zero"):
        normal(1 / (sin(2 * X) - 2 * sin(X) * cos(X)))
    assert is_right(3)


def test_a_worker_that_is_killed_between_calls_is_replaced():
    ready()
    for k in range(2):
        process = module._worker._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        assert gone_within(process.pid, 600.0)
        assert is_right(k)
        assert module._worker._process is not process


def test_a_worker_that_dies_during_a_call_is_replaced():
    ready()
    answered = threading.Event()

    def kill() -> None:
        """Again and again: one that was killed before it was asked is replaced, and asked."""
        while not answered.wait(0.2):
            if (process := module._worker._process) is not None:
                process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(OutOfWork, match="ran out of memory"):
        ask_for_long(2_000.0)
    answered.set()
    killer.join()
    assert is_right(4)


# -- sharing -------------------------------------------------------------------------------------------------
def test_two_threads_get_their_own_answers():
    right: list[bool] = []

    def work(first: int) -> None:
        right.extend([is_right(k) for k in range(first, first + 25)])

    threads = [threading.Thread(target=work, args=(first,)) for first in (0, 100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert right == [True] * 50


HEAD = """
import os, signal, sys, time
sys.path[:0] = sys.argv[1].split(os.pathsep)
from test_worker import ask_for_long, is_right
from dalembert.expr.field import OutOfWork
from dalembert.expr.field.worker import _worker
"""


def script(body: str, **options: object) -> subprocess.Popen[str]:
    """Start a program with a worker of its own."""
    command = [
        sys.executable,
        "-W",
        "default",
        "-W",
        "ignore::DeprecationWarning",
        "-c",
        HEAD + body,
        os.pathsep.join([str(Path(__file__).parent), str(TESTS)]),
    ]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def finished(body: str) -> list[str]:
    """Run a program to its end and return what it printed, which must not be any complaint."""
    out, err = script(body).communicate(timeout=600)
    assert err == ""
    return out.split()


@pytest.mark.thorough
def test_a_forked_program_does_not_take_the_answers_of_its_parent():
    body = """
assert is_right(1)
mine = _worker._process.pid
child = os.fork()
right = all(is_right(k) for k in range(30 if child else 100, 60 if child else 130))
if not child:
    os._exit(0 if right and _worker._process.pid != mine else 1)
print(right, os.waitpid(child, 0)[1], _worker._process.pid == mine)
"""
    assert finished(body) == ["True", "0", "True"]


@pytest.mark.thorough
def test_a_program_may_fork_while_a_thread_of_it_is_asking():
    body = """
import threading
assert is_right(1)
mine = _worker._process.pid
def wait():
    try:
        ask_for_long(2_000.0)
    except OutOfWork:
        pass
thread = threading.Thread(target=wait)
thread.start()
while not _worker._lock.locked():
    time.sleep(0.01)
child = os.fork()
if not child:
    os._exit(0 if is_right(7) else 1)
ended, meanwhile = os.waitpid(child, 0)[1], thread.is_alive()
os.kill(mine, signal.SIGKILL)
thread.join()
print(ended, meanwhile, is_right(8))
"""
    assert finished(body) == ["0", "True", "True"]


def test_an_interrupted_question_is_not_answered_later():
    body = """
assert is_right(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    ask_for_long(2_000.0)
except KeyboardInterrupt:
    print("interrupted", is_right(5))
"""
    assert finished(body) == ["interrupted", "True"]


def test_nothing_is_started_before_it_is_needed():
    body = """
from dalembert.expr import symbol
from dalembert.expr.truth import is_zero
x = symbol("x")
print(is_zero((x + 1)**2 - x**2 - 2*x - 1).kind, _worker._process)
"""
    assert finished(body) == ["certain", "None"]


# -- the end -------------------------------------------------------------------------------------------------
def test_the_worker_ends_with_the_program():
    body = """
assert is_right(1)
print(_worker._process.pid)
"""
    (pid,) = finished(body)
    assert not alive(int(pid))


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.thorough("idle")
def test_the_worker_ends_when_the_program_is_killed(busy):
    body = """
assert is_right(1)
print(_worker._process.pid, flush=True)
"""
    program = script(body + ("ask_for_long(200.0)" if busy else "time.sleep(600)"))
    assert program.stdout is not None
    pid = int(program.stdout.readline())
    time.sleep(0.2)
    program.kill()
    program.communicate()
    assert gone_within(pid, 600.0)
