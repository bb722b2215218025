"""``dalembert schema``: the shape of model files and of what commands answer, for editors and for other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.options import in_json, taught

_HELP = taught(
    "Print the JSON Schema of a model file, or of what a command answers with --json.",
    "dalembert schema > model.schema.json",
    "dalembert schema derive",
    more="An editor that knows TOML completes tables and keys of a model file whose first line is "
    "'#:schema ./model.schema.json'.",
)


def register(app: typer.Typer) -> None:
    """Add the command."""

    @app.command(help=_HELP)
    def schema(
        what: Annotated[
            str, typer.Argument(metavar="[WHAT]", help="model, derive, check, study or simulate.", show_default=False)
        ] = "model",
    ) -> None:
        from dalembert.present.answer_schema import schema_of

        typer.echo(in_json(schema_of(what)))
