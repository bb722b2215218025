"""``dalembert sweep``: many motions over values of parameters and starts, into a store that it can go on with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.complete import engines
from dalembert.cli.options import (
    As,
    AsJson,
    Symmetry,
    SystemName,
    asked,
    blaming,
    in_json,
    pairs,
    ready_to_write,
    show,
    taught,
)
from dalembert.cli.simulate import ENGINES, EVENTS, event_texts, starts
from dalembert.cli.words import INTERRUPTED, Commands, Ended, echo, option
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.numerics.sweep.runner import Progress, Swept

_BETWEEN_LINES = 30.0
"""Seconds."""


_HELP = taught(
    "Follow many motions of a system and keep what is observed; run again, it goes on where it was.",
    "dalembert sweep pendulum:1 --as euler-lagrange --over q1=0.1:3:30 \\\n"
    '      --observe "max(q1)" --time 5 -o swing.zarr',
    'dalembert sweep kepler --as euler-lagrange --sample "k~uniform(1, 2)" \\\n'
    "      --count 50 --observe energy --time 5 -o orbits.zarr --json",
    more="Members are all combinations of what is varied. The status is 1 if no member reaches its end.",
)
_AXES, _LAWS = "A grid m=1:2:50 or a list x'=0.1,0.2.", "J~uniform(a, b) or J~normal(m, s)."
_OBSERVABLES = "energy, max(x), name: mean(x^2), ..."
_VARIED, _OUT, _MOTION, _WORK = "What is varied", "What is observed", "The motions", "How they are followed"


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def sweep(
        system: SystemName,
        output: Annotated[Path, option("--output", "STORE", "A folder in .zarr.", short="-o")],
        formalism: As = None,
        symmetry: Symmetry = None,
        over: Annotated[list[str] | None, option("--over", "NAME=VALUES", _AXES, _VARIED)] = None,
        sample: Annotated[list[str] | None, option("--sample", "NAME~LAW", _LAWS, _VARIED)] = None,
        count: Annotated[int | None, option("--count", "N", "How many samples.", _VARIED)] = None,
        seed: Annotated[int, option("--seed", "N", "Where the samples come from.", _VARIED)] = 0,
        observe: Annotated[list[str] | None, option("--observe", "TEXT", _OBSERVABLES, _OUT)] = None,
        event: Annotated[list[str] | None, option("--event", "TEXT", EVENTS, _OUT)] = None,
        samples: Annotated[int | None, option("--samples", "N", "How many even times to look at.", _OUT)] = None,
        time: Annotated[str | None, option("--time", "T", "How long.", _MOTION)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", "A parameter.", _MOTION)] = None,
        start: Annotated[list[str] | None, option("--start", "NAME=VALUE", "A start value.", _MOTION)] = None,
        functions: Annotated[list[str] | None, option("--let", "NAME=TEXT", "A function or control.", _MOTION)] = None,
        engine: Annotated[str | None, option("--engine", "ENGINE", ENGINES, _WORK, offers=engines)] = None,
        tolerance: Annotated[float | None, option("--tolerance", "E", "Error allowed per step.", _WORK)] = None,
        chunk: Annotated[int | None, option("--chunk", "N", "Members computed and kept together.", _WORK)] = None,
        workers: Annotated[
            int | None, option("--workers", "N", "Threads; as many as cores if left out.", _WORK)
        ] = None,
        scheduler: Annotated[str | None, option("--scheduler", "ADDRESS", "Of a Dask scheduler.", _WORK)] = None,
        as_json: AsJson = False,
    ) -> None:
        stated, wanted = asked(system, formalism, symmetry=symmetry)
        ready_to_write(system, [(output, (".zarr",))])
        if output.exists():
            from dalembert.numerics.sweep.store import attributes_of

            attributes_of(output)
        if scheduler is not None and ":" not in scheduler:
            raise DalembertError(f"--scheduler takes an address such as tcp://127.0.0.1:8786, not '{scheduler}'.")
        plan = {
            "events": event_texts(event),
            "time": time,
            "values": pairs(values, "--set"),
            "start": starts(start),
            "functions": pairs(functions, "--let"),
            "engine": engine,
            "tolerance": tolerance,
            "samples": samples,
            "count": count,
            "seed": seed,
            "size": chunk,
        }
        where = {"store": output, "workers": workers, "scheduler": scheduler}
        with blaming({"--set": values, "--start": start, "--let": functions, "--time": time and [time]}):
            done = _work(stated, wanted, [*(over or ()), *(sample or ())], observe or [], {**plan, **where})
        if as_json:
            echo(in_json(_json(done)))
        else:
            from dalembert.present.run_page import swept_page

            show(swept_page(done))
        if done.failed:
            echo(f"{done.failed} of {done.members} motions did not reach their end.", err=True)
        if done.failed == done.members:
            raise Ended(1)


def _work(system: System, formalism: str, over: list[str], observables: list[str], request: dict[str, Any]) -> Swept:
    from dalembert.analysis.sweep import sweep as run

    try:
        with _progress() as progress:
            return run(system, formalism, over=over, observables=observables, progress=progress, **request)
    except KeyboardInterrupt:
        echo(f"stopped; what is kept stays in {request['store']}, and the same command goes on from there.", err=True)
        raise Ended(INTERRUPTED) from None


@contextmanager
def _progress() -> Iterator[Callable[[Progress], None]]:
    """Show members done, failures and an estimate: a bar on a terminal, a line now and then in a log."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _lines()
        return
    columns = (TextColumn("sweeping"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda now: bar.update(task, completed=now.done, total=now.total, description=_left(now))


def _lines() -> Callable[[Progress], None]:
    last = monotonic()

    def progress(now: Progress) -> None:
        nonlocal last
        if monotonic() - last > _BETWEEN_LINES:
            last = monotonic()
            echo(f"{now.done} of {now.total} members, {_left(now)}", err=True)

    return progress


def _left(now: Progress) -> str:
    left = "no estimate yet" if now.remaining is None else f"{_clock(now.remaining)} left"
    return left + (f", {now.failed} failed" if now.failed else "")


def _clock(seconds: float) -> str:
    """Return a time for people: ``1:05`` or ``2:03:10``.

    >>> _clock(65), _clock(7390)
    ('1:05', '2:03:10')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _json(done: Swept) -> dict[str, Any]:
    return {
        "store": str(done.path),
        "members": done.members,
        "computed": done.computed,
        "failed": done.failed,
        "endings": done.endings(),
        "message": done.message,
        "seconds": round(done.seconds, 3),
    }
