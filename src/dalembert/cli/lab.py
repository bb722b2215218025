"""``dalembert lab``: the living page with an editor of the model beside it, in a browser on this machine."""

from __future__ import annotations

from typing import Annotated

from dalembert.cli.complete import systems
from dalembert.cli.options import load_system, taught, typed_model
from dalembert.cli.words import Commands, argument, echo, option
from dalembert.errors import DalembertError

_HELP = taught(
    "Open the lab: edit a model in a browser, see what is wrong as you type, derive, drag, check, discover, save.",
    "dalembert lab",
    "dalembert lab chaplygin-sleigh",
    "dalembert lab mine.toml --port 8123",
    more="Open the address that is printed; it works on this machine alone. The file is read and never written: save "
    "the model from the page. Needs the extra: pip install 'dalembert[lab]'. Ctrl-C ends it.",
)
_FIRST = "vertical-rolling-disc"
"""What is there to begin with."""
_MOST_PORT = 65_535


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def lab(
        system: Annotated[str, argument("[SYSTEM]", "A system of the gallery, or a model file.", systems)] = _FIRST,
        port: Annotated[int, option("--port", "N", "Where to listen; any free port if left out.")] = 0,
    ) -> None:
        from dalembert.lab.server import check_extra, serve

        check_extra()
        if not 0 <= port <= _MOST_PORT:
            raise DalembertError(f"--port takes a number from 1 to {_MOST_PORT}, not {port}.")
        serve(_text_of(system), port, lambda address: echo(f"Open {address}"))


def _text_of(name: str) -> str:
    """Return the text of a model, as it was typed where there is one."""
    from dalembert import gallery
    from dalembert.model.stored_form import written

    typed = typed_model(name)
    if typed is not None:
        return typed
    return gallery.text(name) if name.partition(":")[0] in gallery.names() else written(load_system(name))
