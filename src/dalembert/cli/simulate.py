"""``dalembert simulate``: follow a motion, say what became of it, and keep it in a file."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.complete import engines
from dalembert.cli.options import (
    PAGE,
    As,
    Ascii,
    Symmetry,
    SystemName,
    asked,
    blaming,
    in_json,
    letters,
    paint,
    pairs,
    ready_to_write,
    say,
    say_found,
    show,
    taught,
    width,
)
from dalembert.cli.words import Commands, Ended, echo, flag, heard, option
from dalembert.errors import DalembertError
from dalembert.model.outputs import write

if TYPE_CHECKING:
    from dalembert.analysis.audit import Audit
    from dalembert.model.system import System
    from dalembert.model.trajectory import Trajectory

_HELP = taught(
    "Simulate a motion of a system, and measure how well it conserves what is conserved.",
    "dalembert simulate kepler",
    'dalembert simulate skateboard --as nonholonomic --time 5 --event "y = 0"',
    "dalembert simulate pendulum:2 --as euler-lagrange --start q1=2 -o run.csv --film run.svg",
    "dalembert simulate kepler --as euler-lagrange --tolerance 1e-10 --json",
    more="Missing options are taken from the model: [start] and [run]. The default formalism is nonholonomic if there "
    "are constraints, else euler-lagrange; the default time is 10. The status is 1 if the motion does not reach its "
    "end.",
)
_MOTION, _STEPS, _OUT = "The motion", "Integration", "Output"
ENGINES = "native, stiff, taylor or scipy."
FORMS = "saddle: all velocities and constraints are kept."
THROUGH = "Go on smoothly where constraints lose rank."
FREE = "Let steps end beside the constraints."
_ENDINGS = {"output": (".nc", ".zarr", ".csv"), "plot": PAGE, "film": (".mp4", ".gif", ".svg", ".png")}
FILM = "The mechanism: .mp4 or .gif; as it ends: .svg or .png."
ANGLES = "How plots show rotations: ZXZ (axes of the body), xyz (of space)."
EVENTS = "'x = 0 rising', 'x = 0 stop', or name: text."


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def simulate(
        system: SystemName,
        formalism: As = None,
        symmetry: Symmetry = None,
        time: Annotated[str | None, option("--time", "T", "How long.", _MOTION)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", "A parameter.", _MOTION)] = None,
        start: Annotated[list[str] | None, option("--start", "NAME=VALUE", "A start value.", _MOTION)] = None,
        functions: Annotated[list[str] | None, option("--let", "NAME=TEXT", "A function or control.", _MOTION)] = None,
        event: Annotated[list[str] | None, option("--event", "TEXT", EVENTS, _MOTION)] = None,
        engine: Annotated[str | None, option("--engine", "ENGINE", ENGINES, _STEPS, offers=engines)] = None,
        tolerance: Annotated[float | None, option("--tolerance", "E", "Error allowed per step.", _STEPS)] = None,
        max_step: Annotated[float | None, option("--max-step", "H", "The largest step.", _STEPS)] = None,
        form: Annotated[str | None, option("--form", "FORM", FORMS, _STEPS)] = None,
        through: Annotated[bool, flag("--through", THROUGH, _STEPS)] = False,
        unprojected: Annotated[bool, flag("--no-projection", FREE, _STEPS)] = False,
        samples: Annotated[int | None, option("--samples", "N", "How many even times to keep.", _OUT)] = None,
        output: Annotated[
            Path | None, option("--output", "FILE", "run.nc, run.zarr or run.csv.", _OUT, short="-o")
        ] = None,
        plot: Annotated[Path | None, option("--plot", "FILE", "A page with plots, in .html.", _OUT)] = None,
        film: Annotated[Path | None, option("--film", "FILE", FILM, _OUT)] = None,
        angles: Annotated[str, option("--angles", "AXES", ANGLES, _OUT)] = "ZXZ",
        full: Annotated[bool, flag("--full", "All quantities, residuals and reasons.", _OUT)] = False,
        ascii_only: Ascii = False,
        as_json: Annotated[bool, flag("--json", "For programs.", _OUT)] = False,
    ) -> None:
        stated, wanted = asked(system, formalism, symmetry=symmetry, obvious=True)
        if time is None and stated.run.time is None:
            from dalembert.model.parts import USUAL_TIME

            time = f"{USUAL_TIME:g}"
            echo(f"Using --time {time} because the model has no time in [run].", err=True)
        files = {"output": output, "plot": plot, "film": film}
        ready_to_write(system, [(path, _ENDINGS[key]) for key, path in files.items() if path is not None])
        if output is not None:
            from dalembert.model.runs import check_target

            check_target(output)
        if film is not None:
            from dalembert.present.filming import check_extra

            check_extra(film)
        request = {
            "values": pairs(values, "--set"),
            "functions": pairs(functions, "--let"),
            "engine": engine,
            "tolerance": tolerance,
            "max_step": max_step,
            "form": form,
            "through": through,
            "projection": not unprojected,
            "events": event_texts(event),
            "samples": samples,
        }
        written = {key: str(path) for key, path in files.items() if path is not None}

        def followed() -> str:
            with blaming({"--set": values, "--start": start, "--let": functions, "--time": time and [time]}):
                run, measured, page, quiet = _work(
                    stated, wanted, starts(start), time, request, angles if plot is not None else ""
                )
            if output is not None:
                run.save(output)
            if plot is not None:
                write(plot, page)
            if film is not None:
                from dalembert.present.filming import film_bytes

                with _progress("filming") as progress:
                    write(film, film_bytes(film.suffix.lower(), run, stated, progress))
            with heard() as said:
                if as_json:
                    from dalembert.studies.answers import motion_answer

                    echo(in_json({**motion_answer(run, measured), "files": written}))
                else:
                    completed = _completed(run, stated, starts(start))
                    _tell(run, measured, list(written.values()), completed, full=full, ascii_only=ascii_only)
            _end_unkept("".join(said), run, quiet=quiet, as_json=as_json)
            return "".join(said)

        from dalembert.mechanics.registry import is_own
        from dalembert.model.remembered import remembered

        how = [
            wanted,
            start,
            time,
            values,
            functions,
            event,
            *request.values(),
            full,
            as_json,
            width(),
            paint("proved", ""),
            letters(ascii_only=ascii_only).formula("*"),
        ]
        own = is_own(wanted) and symmetry is None and not written
        told = remembered(stated, "a motion", followed, *map(str, how), *_installed()) if own else followed()
        echo(told, nl=False)


def _end_unkept(told: str, run: Trajectory, *, quiet: bool, as_json: bool) -> None:
    """Print what became of a motion and end where that is not kept.

    So it is where it did not reach its end, where more was said on stderr, and where the net struck.
    """
    from dalembert.expr.work import stops

    if run.success and quiet and not stops():
        return
    echo(told, nl=False)
    if run.success:
        raise Ended(0)
    why = f": {run.message}" if as_json else "."  # else it stands at the head of what was told
    echo(f"the motion did not reach its end{why}", err=True)
    raise Ended(1)


def _installed() -> list[str]:
    """Return what the digits of a motion depend on beside the program: this machine, and the libraries for numbers."""
    machine = platform.uname()  # not all of it: a process would be started to ask for the processor
    found = [machine.system, machine.node, machine.release, machine.version, machine.machine]
    for name in ("numpy", "llvmlite", "scipy", "heyoka"):
        spec = find_spec(name)
        found += [name, "none"] if spec is None or spec.origin is None else [name, str(Path(spec.origin).stat())]
    return found


def _work(
    system: System, formalism: str, start: dict[str, Any], time: str | None, request: dict[str, Any], angles: str
) -> tuple[Trajectory, Audit, str, bool]:
    """Derive, run, measure, and draw with some angles of rotations; the last says that nothing was said on the way."""
    from dalembert.analysis.audit import audit
    from dalembert.mechanics.derivation import derived_once
    from dalembert.numerics.simulate import simulate

    result = derived_once(system, formalism)
    quiet = not say_found(result.system)
    with _progress() as progress:
        run = simulate(result, start, time, progress=progress, **request)
    measured = audit(run, result)
    if not angles:
        return run, measured, "", quiet
    from dalembert.present.motion import Moved, motion_page, plots_of

    moved = Moved(run=run, plots=plots_of(run, system, measured.drifts, angles), claims=measured.claims)
    return run, measured, motion_page(moved), quiet


@contextmanager
def _progress(doing: str = "moving") -> Iterator[Callable[[float], None]]:
    """Show a bar as soon as it is told how far something is; only on a terminal."""
    bars: list[Any] = []
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return

    def progress(part: float) -> None:
        if not bars:
            bars.append(_bar(doing))
        bars[0].update(0, completed=part)

    try:
        yield progress
    finally:
        for bar in bars:
            bar.stop()


def _bar(doing: str) -> Any:
    """Return a bar on the terminal, begun."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn(doing), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    bar.add_task(doing, total=1.0)
    bar.start()
    return bar


def starts(given: Sequence[str] | None) -> dict[str, Any]:
    """Read start values; one in brackets is a table or list as in a model: ``R={ axis = [0, 0, 1], angle = 0.5 }``."""
    found: dict[str, Any] = dict(pairs(given, "--start"))
    for name, value in found.items():
        if value[0] in "{[":
            import tomllib

            try:
                found[name] = tomllib.loads(f"value = {value}")["value"]
            except (tomllib.TOMLDecodeError, RecursionError) as fault:
                said = f"--start {name} is no table or list as in a model file: {str(fault).partition(' (at')[0]}."
                raise DalembertError(said) from None
    return found


def event_texts(given: Sequence[str] | None) -> dict[str, str]:
    """Read events: ``name: text``, or a text that names itself."""
    found = {}
    for event in given or ():
        name, sign, text = event.partition(":")
        found[name.strip() if sign else event] = text.strip() if sign else event
    return found


def _completed(run: Trajectory, system: System, given: dict[str, Any]) -> list[str]:
    """Return the lines on initial values that nobody gave: velocities that are not 0, and what a vakonomic start takes.

    A missing velocity is not 0 only if constraints, given values or a momentum require that.
    """
    from dalembert.mechanics.registry import formalism
    from dalembert.model.least import velocities_of

    if not len(run) or system.lagrangian is None:
        return []
    stated = system.start
    said = {*given, *(one.data.label for one in stated.values)}
    moving = {v.data.label: float(run[v.data.label][0]) for v in velocities_of(system) if v.data.label not in said}
    largest = max((abs(run[name][0]) for name in run.names), default=0.0)
    lines = {
        "Initial velocities computed from constraints and given values": {
            n: x for n, x in moving.items() if abs(x) > 1e-12 * largest
        }
    }
    if system.constraints and formalism(run.provenance["formalism"]).variational:
        high = [name for name in (*run.names, *run.stated) if name.endswith("''") and name not in said]
        free = [
            n for n in system.constraints if not {n, f"lambda.{n}", f"multiplier {n}"} & {*said, *stated.multipliers}
        ]
        free = [] if stated.costates or any(name.startswith("p.") for name in said) else free
        names = [*high, *(f"multiplier {n}" for n in free if f"multiplier {n}" in run.monitors)]
        values = {name: float(run[name][0]) for name in names}
        lines["Initial values that were not given"] = {
            n: x if abs(x) > 1e-12 * largest else 0 for n, x in values.items()
        }
    return [
        f"{what}: {', '.join(f'{name} = {x + 0.0:.9g}' for name, x in several.items())}"
        for what, several in lines.items()
        if several
    ]


def _tell(
    run: Trajectory, measured: Audit, files: Sequence[str], completed: Sequence[str], *, full: bool, ascii_only: bool
) -> None:
    """Print what became of the motion, what it keeps, and what was written."""
    from dalembert.present.run_page import audit_page, run_page

    show(run_page(run, full=full), ascii_only=ascii_only)
    for line in completed:
        say(line, hang="  ")
    echo()
    show(audit_page(measured, full=full), ascii_only=ascii_only)
    for path in files:
        echo(f"written: {path}")
