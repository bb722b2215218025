"""``dalembert check``: decide one claim anew; ``dalembert cite``: whom to cite."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from dalembert.errors import DalembertError, HypothesisError

if TYPE_CHECKING:
    from dalembert.model.claim import Claim
    from dalembert.model.system import System

__all__ = ["register"]


def register(app: typer.Typer, load: Callable[[str], System]) -> None:
    """Add the commands; ``load`` makes a system of a gallery name or a file."""

    @app.command()
    def check(
        system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
        claim: Annotated[str, typer.Argument(help="The name of a claim, or a part of it.")],
        formalism: Annotated[str | None, typer.Option("--as", help="Only the claims of this formalism.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
    ) -> None:
        """Decide a claim anew, at other random points, and show its evidence: the point and the value, or the bound.

        Example: dalembert check snakeboard "energy conserved" --as nonholonomic
        """
        found = _claims(load(system), formalism)
        wanted = {name: [c for c in claims if claim.lower() in c.name.lower()] for name, claims in found.items()}
        wanted = {name: claims for name, claims in wanted.items() if claims}
        if not wanted:
            known = ", ".join(dict.fromkeys(c.name for claims in found.values() for c in claims))
            raise DalembertError(f"no claim has a name like '{claim}'; there are: {known or 'none'}.")
        if as_json:
            typer.echo(json.dumps({name: [c.to_json() for c in claims] for name, claims in wanted.items()}, indent=1))
        else:
            for name, claims in wanted.items():
                for one in claims:
                    typer.echo(f"{name}, {one.name} ({one.role}): {one.statement}")
                    typer.echo(f"  {one.verdict.kind}: {one.verdict.evidence}")
        if any(one.failed for claims in wanted.values() for one in claims):
            raise typer.Exit(1)

    @app.command()
    def cite(
        system: Annotated[str, typer.Argument(help="A gallery name or a model file.")],
        formalism: Annotated[str | None, typer.Option("--as", help="Only what this formalism rests on.")] = None,
    ) -> None:
        """Print whom to cite for what is said of a system, as BibTeX.

        Example: dalembert cite two-wheeled-robot
        """
        from dalembert.present.bibliography import bibtex

        names = None if formalism is None else [_known(formalism)]
        typer.echo(bibtex(load(system), names))


def _known(formalism: str) -> str:
    from dalembert.mechanics.formalisms import FORMALISMS

    if formalism not in FORMALISMS:
        raise DalembertError(f"there is no formalism '{formalism}'; use one of {', '.join(FORMALISMS)}.")
    return formalism


def _claims(system: System, formalism: str | None) -> dict[str, tuple[Claim, ...]]:
    """Return the claims of one formalism, or of all that apply."""
    from dalembert.mechanics.formalisms import FORMALISMS, derive

    if formalism is not None:
        return {formalism: derive(system, _known(formalism)).claims}
    found = {}
    for name in FORMALISMS:
        try:
            found[name] = derive(system, name).claims
        except HypothesisError:
            continue
    return found
