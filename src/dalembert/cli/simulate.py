"""``dalembert simulate``: follow a motion, say what became of it, and keep it in a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.analysis.audit import Audit
    from dalembert.expr.truth import Verdict
    from dalembert.model.system import System
    from dalembert.model.trajectory import Trajectory

__all__ = ["event_texts", "pairs", "register"]


def register(app: typer.Typer, load: Callable[[str], System]) -> None:
    """Add the command; ``load`` makes a system of a gallery name or a file."""

    @app.command()
    def simulate(
        system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
        formalism: Annotated[
            str | None, typer.Option("--as", help="Which equations; else what the model says.")
        ] = None,
        time: Annotated[str | None, typer.Option("--time", help="How long; else what the model says.")] = None,
        values: Annotated[list[str] | None, typer.Option("--set", help="A parameter, name=value.")] = None,
        start: Annotated[list[str] | None, typer.Option("--start", help="A start value, name=value.")] = None,
        functions: Annotated[list[str] | None, typer.Option("--let", help="A function or control, name=text.")] = None,
        engine: Annotated[str | None, typer.Option("--engine", help="native, stiff, taylor or scipy.")] = None,
        tolerance: Annotated[float | None, typer.Option("--tolerance", help="Error allowed per step.")] = None,
        event: Annotated[list[str] | None, typer.Option("--event", help="'x = 0 rising', or name: text.")] = None,
        samples: Annotated[int | None, typer.Option("--samples", help="How many even times to keep.")] = None,
        output: Annotated[Path | None, typer.Option("-o", "--output", help="run.nc, run.zarr or run.csv.")] = None,
        plot: Annotated[Path | None, typer.Option("--plot", help="A page with plots.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="Status and audit, for programs.")] = False,
    ) -> None:
        """Follow a motion of a system, and measure how well it keeps what it should.

        Example: dalembert simulate snakeboard --as nonholonomic --time 5 --event "theta = 1" -o run.nc
        """
        stated = load(system)
        wanted = formalism or stated.run.formalism
        if wanted is None:
            raise DalembertError("nothing says which equations; give --as FORMALISM, or [run] formalism in the model.")
        if output is not None and output.suffix not in {".nc", ".zarr", ".csv"}:
            raise DalembertError(f"a trajectory goes to a file in .nc, .zarr or .csv, not to '{output}'.")
        request = {
            "values": pairs(values, "--set"),
            "functions": pairs(functions, "--let"),
            "engine": engine,
            "tolerance": tolerance,
            "events": event_texts(event),
            "samples": samples,
        }
        run, measured, page = _work(stated, wanted, pairs(start, "--start"), time, request, plot is not None)
        if output is not None:
            run.save(output)
        if plot is not None:
            plot.write_text(page, encoding="utf-8")
        if as_json:
            typer.echo(json.dumps(_json(run, measured), indent=1))
        else:
            _tell(run, measured, [path for path in (output, plot) if path is not None])
        if not run.success:
            typer.echo(f"the motion did not reach its end: {run.message}", err=True)
            raise typer.Exit(1)


def _work(
    system: System, formalism: str, start: dict[str, str], time: str | None, request: dict[str, Any], draw: bool
) -> tuple[Trajectory, Audit, str]:
    """Derive, run, measure and draw."""
    from dalembert.analysis.audit import audit
    from dalembert.mechanics.formalisms import derive
    from dalembert.numerics.simulate import simulate
    from dalembert.present.motion import Moved, motion_page, plots_of

    result = derive(system, formalism)
    with _progress() as progress:
        run = simulate(result, start, time, progress=progress, **request)
    measured = audit(run, result)
    moved = Moved(run=run, plots=plots_of(run, system, measured.drifts), claims=measured.claims) if draw else Moved()
    return run, measured, motion_page(moved) if draw else ""


@contextmanager
def _progress() -> Iterator[Callable[[float], None]]:
    """Show a bar on the terminal as soon as something takes over a second."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("moving"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("moving", total=1.0)
    shown: list[bool] = []

    def progress(part: float) -> None:
        if not shown:
            shown.append(True)
            bar.start()
        bar.update(task, completed=part)

    try:
        yield progress
    finally:
        if shown:
            bar.stop()


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """Read ``name=value`` pairs."""
    found = {}
    for pair in given or ():
        name, sign, value = pair.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise DalembertError(f"{option} takes name=value, not '{pair}'.")
        found[name.strip()] = value.strip()
    return found


def event_texts(given: Sequence[str] | None) -> dict[str, str]:
    """Read events: ``name: text``, or a text that names itself."""
    found = {}
    for event in given or ():
        name, sign, text = event.partition(":")
        found[name.strip() if sign else event] = text.strip() if sign else event
    return found


def _json(run: Trajectory, measured: Audit) -> dict[str, Any]:
    told = {key: value for key, value in run.provenance.items() if key != "model"}
    return {
        **told,
        "status": run.status,
        "message": run.message,
        "end": {name: float(run[name][-1]) for name in (*run.names, *run.stated)} if len(run) else {},
        "events": {name: times.tolist() for name, times in run.events.items()},
        "audit": measured.to_json(),
    }


def _yes(verdict: Verdict) -> str:
    return "no" if verdict.holds is False else verdict.kind


def _tell(run: Trajectory, measured: Audit, files: Sequence[Path]) -> None:
    """Print status, where it ended, events and the audit as tables."""
    from rich.console import Console
    from rich.table import Table

    told = run.provenance
    console = Console(highlight=False, markup=False)
    console.print(f"{told['system']}, {told['formalism']}: {run.message}", soft_wrap=True)
    console.print(f"engine {told['engine']}, tolerance {told['tolerance']:g}, {told['steps']} steps")
    if len(run):
        ends = Table("variable", "begin", "end", box=None, pad_edge=False)
        for name in (*run.names, *run.stated):
            ends.add_row(name, f"{run[name][0]:.9g}", f"{run[name][-1]:.9g}")
        console.print(ends)
    for name, times in run.events.items():
        shown = ", ".join(f"{t:.9g}" for t in times[:8]) + (", ..." if len(times) > 8 else "")
        console.print(f"event {name}: {len(times)} times" + (f", at t = {shown}" if len(times) else ""), soft_wrap=True)
    drifts = Table("monitor", "begin", "drift", "of its largest term", "constant", box=None, pad_edge=False)
    for d in measured.drifts:
        drifts.add_row(d.name, f"{d.first:.6g}", f"{d.absolute:.1e}", f"{d.relative:.1e}", _yes(d.conserved))
    if measured.drifts:
        console.print(drifts)
    for name, size in measured.residuals.items():
        console.print(f"constraint {name}: residual at most {size:.1e}")
    if measured.defect is not None:
        console.print(f"dense output: misses the equations by at most {measured.defect:.1e}")
    for path in files:
        console.print(f"written: {path}", soft_wrap=True)
