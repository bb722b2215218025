"""``dalembert mcp``: the lab's work for assistants, by the Model Context Protocol."""

from __future__ import annotations

from dalembert.cli.options import taught
from dalembert.cli.words import Commands

_HELP = taught(
    "Serve an assistant on standard input and output: state, derive, check, discover and simulate, by MCP.",
    "dalembert mcp",
    "dalembert mcp < /dev/null",
    more="A program that talks the Model Context Protocol starts it; there is nothing to type. Models are texts; no "
    "file is opened or written, and the limits are those of the lab. Needs the extra: pip install 'dalembert[mcp]'.",
)


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def mcp() -> None:
        from dalembert.lab.assistants import serve

        serve()
