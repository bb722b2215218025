"""Processes of ours: how they are started, asked and killed, and what a fork of the program leaves of them.

A child runs our modules and those that we run with, never a file that happens to lie in the current folder. Its pipes
are not buffered: what a thread was about to write when the program was forked must not be written by both. A forked
program has none of them: it closes its copies at once, so that a child still ends when its parent does.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock, RLock, Thread
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Final, Self, TypeAlias
from weakref import WeakSet

from dalembert.forking import SINGLE, Forked, forks, starting

if TYPE_CHECKING:  # most programs start no process, and need not load what starts one
    import queue
    import subprocess

    Process: TypeAlias = subprocess.Popen[bytes] | Forked

LONGEST: Final = 1e9
"""Seconds to wait for an answer, where more are allowed: thirty years, which the clocks of all systems can count."""
_STARTING: Final = 600.0
"""Seconds that a child may take until it listens."""
_LOOKING: Final = 0.5
"""Seconds between two looks of a child whether its program is still there."""
_LENGTH: Final = 8
"""So many bytes say how long a message is."""
_ON_ITS_WAY: Final = b"..."
"""So begins a message that is no answer yet."""
_HOME: Final = str(Path(__file__).parents[1])
_PROGRAM: Final = """
import sys
from importlib import import_module
if sys.argv[1] not in sys.path:
    sys.path.insert(0, sys.argv[1])
import_module(sys.argv[2]).main()
"""


class NoProcess(Exception):
    """The system starts no process, or no thread that hears it: nothing is wrong with what was asked.

    It is no ``DalembertError``: what is tried without need must not go on without it, and be kept.
    """

    def __init__(self, why: str) -> None:
        """Say what the system says."""
        super().__init__(f"the system starts no process now: {why}; try again, or end other programs.")


def start(module: str, **options: Any) -> Process:
    """Start a child that runs ``main()`` of a module, and talks by its input and output; see ``forking``."""
    main = import_module(module).main if forks() else None
    with starting():
        try:
            process = _started(module, **options) if main is None else Forked(main, **options)
        except OSError as fault:  # not of a file: nobody above would know what of
            why = (fault.strerror or str(fault)).lower()
            raise NoProcess(why) from None
        not_for_forks(process)
    return process


def _started(module: str, **options: Any) -> Process:
    """Start Python anew for a child.

    It looks for modules as we do: where we were found, and where PYTHONPATH says unless we were told not to. ``-P``
    keeps Python from looking into the current folder, which an empty part of PYTHONPATH would ask for as well.
    """
    import subprocess

    told = {"-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site, "-I": sys.flags.isolated}
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    return subprocess.Popen(  # noqa: S603 - a module of ours
        [sys.executable, "-P", *(flag for flag, on in told.items() if on), "-c", _PROGRAM, _HOME, module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=SINGLE | os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        **options,
    )


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a program of the machine, as a compiler, to its end; return its exit status and what it complained of."""
    import subprocess

    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - named by its whole path
    return done.returncode, done.stderr


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write a message, all of it, before anything else is written."""
    rest = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while rest:
        rest = rest[pipe.write(rest) :]
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Return the next message, or raise EOFError."""
    return _exactly(pipe, int.from_bytes(_exactly(pipe, _LENGTH), "big"))


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    parts = []
    while size:
        part = pipe.read(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


# -- a child that is asked -------------------------------------------------------------------------------------
class Ended(Exception):
    """A worker ended before it answered."""

    def __init__(self, status: int) -> None:
        """Keep the status of its process."""
        super().__init__(status)
        self.status = status


class Worker:
    """A child that answers one question after the other, and can be killed over each of them.

    Its module calls ``serve``. It is started when it is first asked, and anew when it is gone.
    """

    def __init__(self, module: str, **options: Any) -> None:
        """Start nothing yet; options are those of ``subprocess``."""
        import queue
        import subprocess  # noqa: F401 - now: a thread that loads it must not meet one that forks

        self._module, self._options = module, options
        self._lock = Lock()
        self._process: Process | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._awake = False
        self.ended = False
        """Whether nothing more is wanted of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        """End the process."""
        self.close()

    def ask(self, question: Any, seconds: float | None = None, told: Callable[[Any], None] | None = None) -> Any:
        """Return the answer; raise ``Ended`` where there is none, and ``TimeoutError`` where it takes too long.

        Starting the process is not counted. ``told`` hears what the child tells on its way, each time in ``seconds``.
        """
        data = pickle.dumps(question)
        with self._lock:
            process = self._ready()
            if self.ended:
                self._kill(process)
            try:
                answer = self._answer(process, data, LONGEST if seconds is None else min(seconds, LONGEST), told)
            except BaseException:  # interrupted, say: its answer must not be taken for that of the next question
                self._stop()
                raise
            if answer is None:
                status = process.wait()
                self._stop()
                raise Ended(status)
        return pickle.loads(answer)  # noqa: S301 - from our own child

    def wake(self) -> None:
        """Start the process if there is none, and wait until it listens."""
        with self._lock:
            self._listens(self._ready())

    @property
    def is_awake(self) -> bool:
        """Whether there is a process that has begun to listen."""
        return self._process is not None and self._awake

    def end(self) -> None:
        """Kill the process, from another thread; a question that waits for its answer is told so."""
        self.ended = True
        if (process := self._process) is not None:
            self._kill(process)

    def close(self) -> None:
        """End the process when no question is open."""
        with self._lock:
            self._stop()

    def forget(self) -> None:
        """Leave the process, in a forked program, to its parent, and forget that a thread of it was asking."""
        self._lock = Lock()
        self._process = None

    def _answer(
        self, process: Process, data: bytes, seconds: float, told: Callable[[Any], None] | None
    ) -> bytes | None:
        """Return the answer to a question, or None where the process ended."""
        import queue

        assert process.stdin is not None
        if not self._listens(process):
            return None
        try:
            send(process.stdin, data)
        except (OSError, ValueError):  # its end is closed
            return None
        try:
            while (answer := self._answers.get(timeout=seconds)) is not None and answer.startswith(_ON_ITS_WAY):
                if told is not None:
                    told(pickle.loads(answer[len(_ON_ITS_WAY) :]))  # noqa: S301 - from our own child
        except queue.Empty:
            raise TimeoutError from None
        return answer

    def _listens(self, process: Process) -> bool:
        """Wait until the process listens, and say whether it does; one that never began to is killed."""
        import queue

        if not self._awake:
            try:
                self._awake = self._answers.get(timeout=_STARTING) is not None
            except queue.Empty:
                process.kill()
        return self._awake

    def _ready(self) -> Process:
        """Return a live process."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._process = start(self._module, **self._options)
            self._answers = type(self._answers)()
            self._awake = False
            try:
                Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True).start()
            except RuntimeError as fault:  # no more threads: nobody would hear the process, or close its pipe
                if self._process.stdout is not None:
                    self._process.stdout.close()
                self._stop()
                raise NoProcess(str(fault)) from None
        return self._process

    def _kill(self, process: Process) -> None:
        """Kill a process, and with it, where it leads a session of its own, those that it started."""
        if self._options.get("start_new_session") and hasattr(os, "killpg") and process.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._kill(process)  # it keeps nothing that could be lost
        process.wait()
        if process.stdin is not None:
            with suppress(OSError):
                process.stdin.close()


def _listen(pipe: IO[bytes], answers: queue.SimpleQueue[bytes | None]) -> None:
    """Put every answer in the queue, and None when there are no more.

    The pipe is closed here and nowhere else: were it closed while this thread is about to read, the system would give
    its number to the pipe of the next process, whose first words would be read here and be lost.
    """
    try:
        while True:
            answers.put(receive(pipe))
    except (EOFError, OSError, ValueError):
        answers.put(None)
    finally:
        with suppress(OSError):
            pipe.close()


_asking: list[IO[bytes]] = []
"""Where a child that serves sends its answers."""


def tell(said: Any) -> None:
    """Tell the one who asked something on the way to the answer; nobody hears it in a process that serves nobody."""
    for target in _asking:
        send(target, _ON_ITS_WAY + pickle.dumps(said))


def serve(answer: Callable[[Any], Any]) -> None:
    """Answer what a ``Worker`` asks, until the other end is closed.

    An interrupt is for the program, which then ends this process. What is printed does not get between the answers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with(os.getppid())
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.stdout = sys.stderr
    _asking[:] = [target]
    try:
        send(target, b"")  # it listens
        while True:
            try:
                asked = receive(source)
            except EOFError:
                return
            send(target, pickle.dumps(answer(pickle.loads(asked))))  # noqa: S301 - from our own parent
    except BrokenPipeError:  # nobody is left who wants to know; leave without another try to tell
        os._exit(0)


def _end_with(parent: int) -> None:
    """Have this process end soon after the program that started it, even during a task: one that was killed is mute."""

    def look(*_signal: Any) -> None:
        if os.getppid() != parent:
            os._exit(0)

    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, _LOOKING, _LOOKING)


# -- forks ---------------------------------------------------------------------------------------------------
_open: WeakSet[Any] = WeakSet()


def not_for_forks(held: Any) -> None:
    """Have a forked program close its copy of a file, or of the pipes of a child."""
    _open.add(held)


def in_forks(renew: Callable[[], None]) -> None:
    """Have something done in every forked program: a thread that held a lock is not there to give it back."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=renew)


def _close_copies() -> None:
    for held in list(_open):
        is_child = hasattr(held, "returncode")
        parts: tuple[Any, ...] = (held.stdin, held.stdout) if is_child else (held,)
        for one in parts:
            with suppress(OSError):
                one.close()
        if is_child:
            held.returncode = 0  # it is the child of somebody else, who will wait for it
    _open.clear()


in_forks(_close_copies)


def _renew_properties() -> None:
    """Give our cached properties new locks: up to Python 3.11 each has one, which a thread may have held."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == __package__]
    for kind in {one for module in ours for one in vars(module).values() if isinstance(one, type)}:
        for member in vars(kind).values():
            if isinstance(member, cached_property):
                member.lock = RLock()  # type: ignore[attr-defined]


if sys.version_info < (3, 12):
    in_forks(_renew_properties)
