"""``dalembert schema``: the shape of model files and of what commands answer, for editors and for other programs."""

from __future__ import annotations

from typing import Annotated

from dalembert.cli import complete
from dalembert.cli.options import in_json, taught
from dalembert.cli.words import Commands, argument, echo

_HELP = taught(
    "Print the JSON Schema of a model file, or of what a command answers with --json.",
    "dalembert schema > model.schema.json",
    "dalembert schema derive",
    more="An editor that knows TOML completes tables and keys of a model file whose first line is "
    "'#:schema ./model.schema.json'.",
)


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def schema(
        what: Annotated[
            str, argument("[WHAT]", "model, derive, check, study or simulate.", complete.schemas)
        ] = "model",
    ) -> None:
        from dalembert.present.answer_schema import schema_of

        echo(in_json(schema_of(what)))
