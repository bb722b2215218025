"""``dalembert sweep``: many motions over values of parameters and starts, into a store that it can go on with."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.simulate import event_texts, pairs
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.numerics.sweep.runner import Progress, Swept

__all__ = ["register"]

_INTERRUPTED = 130
_BETWEEN_LINES = 30.0
"""Seconds."""


def register(app: typer.Typer, load: Callable[[str], System]) -> None:
    """Add the command; ``load`` makes a system of a gallery name or a file."""

    @app.command()
    def sweep(
        system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
        output: Annotated[Path, typer.Option("-o", "--output", help="The store, a folder in .zarr.")],
        formalism: Annotated[
            str | None, typer.Option("--as", help="Which equations; [run] formalism if left out.")
        ] = None,
        over: Annotated[list[str] | None, typer.Option("--over", help="A grid m=1:2:50 or a list x'=0.1,0.2.")] = None,
        sample: Annotated[list[str] | None, typer.Option("--sample", help="J~uniform(a, b) or J~normal(m, s).")] = None,
        count: Annotated[int | None, typer.Option("--count", help="How many samples.")] = None,
        seed: Annotated[int, typer.Option("--seed", help="Where the samples come from.")] = 0,
        observe: Annotated[
            list[str] | None, typer.Option("--observe", help="energy, max(x), name: mean(x^2), ...")
        ] = None,
        event: Annotated[list[str] | None, typer.Option("--event", help="'x = 0 rising', or name: text.")] = None,
        time: Annotated[str | None, typer.Option("--time", help="How long; [run] time if left out.")] = None,
        values: Annotated[list[str] | None, typer.Option("--set", help="A parameter, name=value.")] = None,
        start: Annotated[list[str] | None, typer.Option("--start", help="A start value, name=value.")] = None,
        functions: Annotated[list[str] | None, typer.Option("--let", help="A function or control, name=text.")] = None,
        engine: Annotated[str | None, typer.Option("--engine", help="native, scipy, taylor or stiff.")] = None,
        tolerance: Annotated[float | None, typer.Option("--tolerance", help="Error allowed per step.")] = None,
        samples: Annotated[int | None, typer.Option("--samples", help="How many even times to look at.")] = None,
        chunk: Annotated[int | None, typer.Option("--chunk", help="Members computed and kept together.")] = None,
        workers: Annotated[int | None, typer.Option("--workers", help="Threads; as many as cores if left out.")] = None,
        scheduler: Annotated[str | None, typer.Option("--scheduler", help="Address of a Dask scheduler.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="What became of it, for programs.")] = False,
    ) -> None:
        """Follow many motions of a system and keep what is observed; run again, it goes on where it was.

        Example: dalembert sweep pendulum --as euler-lagrange --over "phi'=0:3:100" --observe "max(phi)" -o out.zarr
        """
        stated = load(system)
        wanted = formalism or stated.run.formalism
        if wanted is None:
            raise DalembertError("nothing says which equations; give --as FORMALISM, or [run] formalism in the model.")
        if output.suffix != ".zarr":
            raise DalembertError(f"a sweep goes to a store in .zarr, not to '{output}'.")
        plan = {
            "events": event_texts(event),
            "time": time,
            "values": pairs(values, "--set"),
            "start": pairs(start, "--start"),
            "functions": pairs(functions, "--let"),
            "engine": engine,
            "tolerance": tolerance,
            "samples": samples,
            "count": count,
            "seed": seed,
            "size": chunk,
        }
        where = {"store": output, "workers": workers, "scheduler": scheduler}
        done = _work(stated, wanted, [*(over or ()), *(sample or ())], observe or [], {**plan, **where})
        if as_json:
            typer.echo(json.dumps(_json(done), indent=1))
        else:
            _tell(done)
        if done.failed:
            typer.echo(f"{done.failed} of {done.members} motions did not reach their end.", err=True)
        if done.failed == done.members:
            raise typer.Exit(1)


def _work(system: System, formalism: str, over: list[str], observables: list[str], request: dict[str, Any]) -> Swept:
    from dalembert.analysis.sweep import sweep as run

    try:
        with _progress() as progress:
            return run(system, formalism, over=over, observables=observables, progress=progress, **request)
    except KeyboardInterrupt:
        typer.echo(
            f"stopped; what is kept stays in {request['store']}, and the same command goes on from there.", err=True
        )
        raise typer.Exit(_INTERRUPTED) from None


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
            typer.echo(f"{now.done} of {now.total} members, {_left(now)}", err=True)

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
        "seconds": round(done.seconds, 3),
    }


def _tell(done: Swept) -> None:
    before = done.members - done.computed
    kept = f", {before} were kept before" if before else ""
    typer.echo(f"{done.members} members: {done.computed} computed in {done.seconds:.1f} s{kept}")
    for said, number in done.endings().items():
        typer.echo(f"{number}: {said}")
    typer.echo(f"written: {done.path} (in Python: xarray.open_zarr({str(done.path)!r}, consolidated=False))")
