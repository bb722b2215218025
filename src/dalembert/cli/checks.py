"""``dalembert check``: decide one claim anew; ``dalembert cite``: whom to cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli import complete
from dalembert.cli.options import As, AsJson, SystemName, in_json, known_formalism, load_system, taught, waiting

if TYPE_CHECKING:
    from dalembert.model.claim import Claim
    from dalembert.model.system import System

__all__ = ["register"]

_CHECK = taught(
    "Decide a claim anew, at other random points, and show its evidence: the point and the value, or the bound.",
    'dalembert check kepler "energy conserved" --as euler-lagrange',
    'dalembert check skateboard "nonholonomic and chaplygin as fields"',
    "dalembert check skateboard momentum --as vakonomic --json",
    "dalembert check kepler fact",
    more="The names of claims are in what derive and study print; a part of a name will do. 'fact' stands for all that "
    "the model states in [facts]. The status is 1 where a check is refuted; a question may be answered either way.",
)
_CITE = taught(
    "Print whom to cite for what is said of a system, as BibTeX.",
    "dalembert cite skateboard",
    "dalembert cite kepler --as routh > refs.bib",
    "dalembert cite heavy-top --as routh --json",
)


def register(app: typer.Typer) -> None:
    """Add the commands."""

    @app.command(help=_CHECK)
    def check(
        system: SystemName,
        claim: Annotated[
            str,
            typer.Argument(
                metavar="CLAIM", help="The name of a claim, or a part of it.", autocompletion=complete.claims
            ),
        ],
        formalism: As = None,
        as_json: AsJson = False,
    ) -> None:
        from dalembert.cli.derive import end_on_failures
        from dalembert.studies.checking import check as run

        stated = load_system(system)
        with waiting("deciding ..."):
            wanted = run(stated, claim, formalism)
        if as_json:
            typer.echo(in_json({name: [c.to_json() for c in claims] for name, claims in wanted.items()}))
        else:
            _tell(wanted)
        end_on_failures(one for claims in wanted.values() for one in claims)

    @app.command(help=_CITE)
    def cite(system: SystemName, formalism: As = None, as_json: AsJson = False) -> None:
        from dalembert.present.bibliography import bibtex

        names = None if formalism is None else [known_formalism(formalism)]
        stated = load_system(system)
        if as_json:
            typer.echo(in_json(_references(stated, names)))
            return
        entries = bibtex(stated, names)
        if entries:
            typer.echo(entries)
        else:
            typer.echo(
                "there is nothing to cite: no paper stands behind this, and the model names no source.", err=True
            )


def _tell(wanted: Mapping[str, Sequence[Claim]]) -> None:
    """Print each claim, its verdict and its evidence."""
    from dalembert.cli.terminal import say, table

    for name, claims in wanted.items():
        for one in claims:
            say(f"{name}, {one.name} ({one.role}): {one.statement}", hang="  ")
            table([[one.verdict.kind, one.verdict.evidence]], indent="  ")


def _references(system: System, names: list[str] | None) -> dict[str, Any]:
    from dalembert.present.bibliography import bibtex, cited

    return {
        "system": system.name,
        "source": system.metadata.get("source", ""),
        "papers": [asdict(paper) for paper in cited(system, names)],
        "bibtex": bibtex(system, names),
    }
