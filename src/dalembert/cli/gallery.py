"""``dalembert gallery``: what there is, and how one of them is stated."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from dalembert.cli import complete
from dalembert.cli.options import AsJson, in_json, say, table, taught
from dalembert.cli.words import Commands, argument, echo

_HELP = taught(
    "List the systems that come with the package, or print one as a model file to begin with.",
    "dalembert gallery",
    "dalembert gallery pendulum:2",
    "dalembert gallery kepler > mine.toml",
    "dalembert gallery snakeboard --json",
)


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def gallery(
        name: Annotated[
            str | None,
            argument("[NAME]", "A system of the gallery.", complete.systems),
        ] = None,
        as_json: AsJson = False,
    ) -> None:
        from dalembert import gallery as systems

        if name is not None:
            echo(in_json(_stated(name)) + "\n" if as_json else systems.text(name), nl=False)
        elif as_json:
            echo(in_json([_told(one) for one in systems.names()]))
        else:
            _list()


def _list() -> None:
    """Print a line about each system, and how to go on."""
    from dalembert import gallery as systems

    sizes = {name: systems.default_size(name) for name in systems.names()}
    table([[f"{name}:N" if size else name, systems.about(name)] for name, size in sizes.items()])
    families = [name for name, size in sizes.items() if size]
    bare = ", ".join(f"{name} {sizes[name]}" for name in families)
    echo()
    say(f"NAME:N has N links, 1 to {systems.MOST_LINKS}: {families[0]}:5; without :N there are: {bare}.")
    say("dalembert gallery NAME prints a model file; dalembert study NAME says everything about a system.")


def _told(name: str) -> dict[str, Any]:
    from dalembert import gallery as systems

    return {"name": name, "about": systems.about(name), "links": systems.default_size(name)}


def _stated(name: str) -> dict[str, Any]:
    from dalembert import gallery as systems
    from dalembert.model.stored_form import written

    stated = systems.load(name)
    source = stated.metadata.get("source", "")
    model = systems.text(name) if systems.default_size(name) is None else written(stated)
    return {**_told(name), "source": source, "model": model, "known": asdict(stated.known)}
