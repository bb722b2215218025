"""A few workers for many: jobs wait in a row, can be stopped, and never take anything down with them.

A worker that ends, because a job was stopped or used more than it may, is replaced by a new one.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from dalembert.errors import MissingExtra
from dalembert.lab.limits import (
    JOB_SECONDS,
    JOBS_OF_A_WORKER,
    LOOK_SECONDS,
    LOOKERS,
    LOOKS_OF_A_WORKER,
    MOST_WAITING,
    WORKERS,
)
from dalembert.processes import Ended, NoProcess, Worker
from dalembert.records import dataclass, field

_NOT_NOW: Final = (NoProcess, RuntimeError, MemoryError)
"""How the system refuses a process or a thread."""
Told = Callable[[dict[str, Any]], None]


@dataclass(eq=False)
class Job:
    """Something that a worker is asked, or will be."""

    task: str
    given: dict[str, Any]
    told: Told
    seconds: int
    answer: asyncio.Future[dict[str, Any]]
    worker: Worker | None = None
    stopped: bool = False


@dataclass(eq=False)
class Crew:
    """Workers of one kind, and the jobs that wait for them."""

    module: str
    many: int
    lasts: int
    """So many jobs one of them does before it is replaced."""
    waiting: deque[Job] = field(default_factory=deque)
    come: asyncio.Condition = field(default_factory=asyncio.Condition)


def refusal(said: str) -> dict[str, Any]:
    """Return an answer that says why there is none."""
    return {"faults": [{"line": None, "said": said}], "work": 0.0, "stopped": []}


def check_machine() -> None:
    """Refuse machines on which processes cannot be limited."""
    if sys.platform == "win32":
        raise MissingExtra("the lab limits its workers as POSIX systems can, and this one cannot; use WSL.")


class Pool:
    """The workers of a lab, from ``async with`` to its end."""

    def __init__(self) -> None:
        """Start nothing yet."""
        check_machine()
        self._jobs = Crew("dalembert.lab.working", WORKERS, JOBS_OF_A_WORKER)
        self._looks = Crew("dalembert.lab.looking", LOOKERS, LOOKS_OF_A_WORKER)
        self._threads = ThreadPoolExecutor(WORKERS + LOOKERS)
        self._looking: dict[Hashable, Job] = {}
        self._serving: list[asyncio.Task[None]] = []
        self._running: set[Job] = set()
        self.workers: list[Worker] = []
        """Those that there are now."""

    async def __aenter__(self) -> Self:
        """Begin to serve; workers start at once, so that the first who asks need not wait long."""
        for crew in (self._looks, self._jobs):
            self._serving += [asyncio.create_task(self._serve(crew)) for _ in range(crew.many)]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        """End all of it."""
        for job in list(self._running):
            self.stop(job)
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)
        self._threads.shutdown(wait=True, cancel_futures=True)

    # -- asking --------------------------------------------------------------------------------------------------
    async def look(self, who: Hashable, text: str) -> dict[str, Any] | None:
        """Return what is wrong with a model; None where the same one has typed on since, so that nobody cares."""
        old = self._looking.pop(who, None)
        if old is not None and old.worker is None:
            self.stop(old)
        job = self._looking[who] = self._job("look", {"text": text}, lambda _: None, LOOK_SECONDS)
        await self._enter(self._looks, job)
        try:
            answer = await job.answer
        finally:
            if self._looking.get(who) is job:
                del self._looking[who]
        return None if job.stopped else answer

    async def begin(self, task: str, given: dict[str, Any], told: Told = lambda _: None) -> Job:
        """Have a job wait for a worker; ``job.answer`` comes when it is done."""
        job = self._job(task, given, told, JOB_SECONDS)
        if len(self._jobs.waiting) >= MOST_WAITING:
            job.answer.set_result(refusal("too many others wait for an answer; try again in a while."))
            return job
        before = len(self._jobs.waiting)
        await self._enter(self._jobs, job)
        told({"said": f"waiting behind {before} other{'s' * (before != 1)}" if before else "waiting", "work": 0.0})
        return job

    async def ask(self, task: str, given: dict[str, Any], told: Told = lambda _: None) -> dict[str, Any]:
        """Return the answer to a job; where nobody waits for it any longer it is stopped."""
        job = await self.begin(task, given, told)
        try:
            return await job.answer
        except asyncio.CancelledError:
            self.stop(job)
            raise

    def stop(self, job: Job) -> None:
        """Stop a job, whether it waits or runs."""
        job.stopped = True
        if job.worker is not None:
            job.worker.end()
            return
        for crew in (self._jobs, self._looks):
            if job in crew.waiting:
                crew.waiting.remove(job)
        if not job.answer.done():
            job.answer.set_result(refusal("stopped."))

    def _job(self, task: str, given: dict[str, Any], told: Told, seconds: int) -> Job:
        return Job(task, given, told, seconds, asyncio.get_running_loop().create_future())

    async def _enter(self, crew: Crew, job: Job) -> None:
        async with crew.come:
            crew.waiting.append(job)
            crew.come.notify()

    # -- serving -------------------------------------------------------------------------------------------------
    async def _serve(self, crew: Crew) -> None:
        """Give one worker job after job, and replace it where it is gone or has done enough."""
        loop = asyncio.get_running_loop()
        worker, jobs = self._new(crew), 0
        try:
            while True:
                if not worker.is_awake:  # it is new, or the one before has ended
                    with suppress(*_NOT_NOW):  # the next job tries again
                        await loop.run_in_executor(self._threads, worker.wake)
                async with crew.come:
                    await crew.come.wait_for(lambda: crew.waiting)
                    job = crew.waiting.popleft()
                    job.worker = worker
                self._running.add(job)
                try:
                    answer = await loop.run_in_executor(self._threads, self._asked, worker, job, loop)
                except _NOT_NOW as fault:
                    answer = refusal(str(fault if isinstance(fault, NoProcess) else NoProcess(str(fault))))
                self._running.discard(job)
                if not job.answer.done():
                    job.answer.set_result(answer)
                jobs += 1
                if worker.ended or jobs >= crew.lasts:
                    await loop.run_in_executor(self._threads, worker.close)
                    self.workers.remove(worker)
                    worker, jobs = self._new(crew), 0
        finally:
            worker.end()
            await asyncio.shield(asyncio.to_thread(worker.close))

    def _new(self, crew: Crew) -> Worker:
        worker = Worker(crew.module, start_new_session=True)
        self.workers.append(worker)
        return worker

    @staticmethod
    def _asked(worker: Worker, job: Job, loop: asyncio.AbstractEventLoop) -> dict[str, Any]:
        """Ask in a thread; whatever happens to the worker, there is an answer."""

        def told(said: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(job.told, said)

        try:
            answer: dict[str, Any] = worker.ask((job.task, job.given, job.seconds), told=told)
        except Ended as end:
            return refusal(_why(job, end.status))
        return answer


def _why(job: Job, status: int) -> str:
    """Say why a worker ended before it answered."""
    if job.stopped:
        return "stopped."
    if status == -getattr(signal, "SIGXCPU", 0):
        if job.task == "look":
            return "this is too large to be looked at while one types; derive it, or take it to the command line."
        return (
            f"this takes more than {job.seconds} s of a processor, which is all the lab gives; the command line waits."
        )
    return "its process ended before it was done, perhaps for want of memory; the command line gives all there is."
