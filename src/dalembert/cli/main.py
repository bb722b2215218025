"""``dalembert``: what there is, and what follows from a system.

Exit status: 0 done; 1 a hypothesis fails or a check is refuted; 2 bad input. Errors go to stderr, one sentence each.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.cli.checks import register as register_checks
from dalembert.cli.simulate import register as register_simulate
from dalembert.cli.sweep import register as register_sweep
from dalembert.errors import DalembertError, HypothesisError

if TYPE_CHECKING:
    from dalembert.model.system import System

__all__ = ["app", "main"]

_WHICH = "euler-lagrange, nonholonomic, chaplygin, routh, vakonomic or semisymplectic."

app = typer.Typer(
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="State a mechanical system once; get its equations, with a verdict on every claim.\n\n"
    "Try: dalembert gallery; then: dalembert derive vertical-rolling-disc --as nonholonomic",
)


@app.command()
def gallery() -> None:
    """List the systems that come with the package."""
    from dalembert import gallery as systems

    for name in systems.names():
        typer.echo(name)


@app.command()
def derive(
    system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
    formalism: Annotated[
        str, typer.Option("--as", help="euler-lagrange, nonholonomic, chaplygin, routh, vakonomic or semisymplectic.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Everything, for programs.")] = False,
    as_latex: Annotated[bool, typer.Option("--latex", help="The equations, for papers.")] = False,
    as_text: Annotated[bool, typer.Option("--text", help="The equations, for the terminal (the default).")] = False,
    language: Annotated[str | None, typer.Option("--code", help="Source code: c, jax, casadi or julia.")] = None,
) -> None:
    """Derive the equations of a system in a formalism, and say what is claimed of them.

    Example: dalembert derive disc.toml --as nonholonomic --json
    """
    from dalembert.mechanics.formalisms import FORMALISMS
    from dalembert.mechanics.formalisms import formalism as load_formalism
    from dalembert.present.answer import answer
    from dalembert.present.plain import in_latex, in_text

    if formalism not in FORMALISMS:
        raise DalembertError(f"there is no formalism '{formalism}'; use one of {', '.join(FORMALISMS)}.")
    if as_json + as_latex + as_text + (language is not None) > 1:
        raise DalembertError("choose one of --json, --latex, --text and --code.")
    result = load_formalism(formalism).derive(_load(system))
    if as_json:
        typer.echo(json.dumps(answer(result), indent=1))
    elif as_latex:
        typer.echo(in_latex(result))
    elif language is not None:
        from dalembert.numerics.codegen import code  # the compiler's libraries are not needed for anything else here

        typer.echo(code(result, language), nl=False)
    else:
        typer.echo(in_text(result))
    failed = [claim for claim in result.claims if claim.failed]
    for claim in failed:
        typer.echo(f"refuted: {claim.statement}: {claim.verdict.evidence}", err=True)
    if failed:
        raise typer.Exit(1)


@app.command()
def study(
    system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Where the page goes.")] = None,
    as_json: Annotated[Path | None, typer.Option("--json", help="Where the answers go, for programs.")] = None,
    seconds: Annotated[float, typer.Option("--seconds", help="How long each formalism may take.")] = 60.0,
) -> None:
    """Run every formalism on a system, cross-check them, and write one report about it.

    Example: dalembert study vertical-rolling-disc -o disc.html
    """
    from dalembert.study import study as run

    stated = _load(system)
    result = run(stated, lambda line: typer.echo(line, err=True), seconds=seconds)
    target = output or Path(f"{stated.name.replace(' ', '-')}.html")
    target.write_text(result.to_html(), encoding="utf-8")
    if as_json is not None:
        as_json.write_text(json.dumps(result.to_json(), indent=1), encoding="utf-8")
    for part in result.parts:
        if not part.applies:
            why = part.stopped or part.faults[0]
            typer.echo(f"{part.formalism}: {'nothing is said' if part.stopped else 'does not apply'} ({why})")
            continue
        kinds = [claim.verdict.kind for claim in part.claims]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
        typer.echo(f"{part.formalism}: {counts}")
        for sentence in part.sentences:
            typer.echo(f"  {sentence.text} [{sentence.verdict}]")
    typer.echo(f"the report is {target}")
    failed = [claim for claim in result.claims if claim.failed]
    for claim in failed:
        typer.echo(f"refuted: {claim.statement}: {claim.verdict.evidence}", err=True)
    if failed:
        raise typer.Exit(1)


def _load(system: str) -> System:
    """Return the system of a model file, or of the gallery."""
    from dalembert.model.files import load

    if system.endswith(".toml") or Path(system).exists():
        return load(Path(system))
    from dalembert import gallery as systems

    return systems.load(system)


register_simulate(app, _load)
register_sweep(app, _load)
register_checks(app, _load)


def main() -> None:
    """Run the command; a user's mistake ends in one sentence and a status, never in a traceback."""
    try:
        app()
    except HypothesisError as fault:
        typer.echo(str(fault), err=True)
        sys.exit(1)
    except DalembertError as fault:
        typer.echo(str(fault), err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
