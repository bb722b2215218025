"""``dalembert check``: decide one claim anew; ``dalembert cite``: whom to cite."""

from __future__ import annotations

import difflib
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli import complete
from dalembert.cli.options import As, AsJson, SystemName, in_json, known_formalism, load_system, taught, waiting
from dalembert.errors import DalembertError, HypothesisError

if TYPE_CHECKING:
    from dalembert.mechanics.registry import Result
    from dalembert.model.claim import Claim
    from dalembert.model.system import System

__all__ = ["register"]

_CHECK = taught(
    "Decide a claim anew, at other random points, and show its evidence: the point and the value, or the bound.",
    'dalembert check kepler "energy conserved" --as euler-lagrange',
    'dalembert check skateboard "constrained Lagrangian suffices" --as nonholonomic',
    'dalembert check skateboard "nonholonomic and chaplygin as fields"',
    "dalembert check skateboard momentum --as vakonomic --json",
    more="The names of claims are in what derive and study print; a part of a name will do. The status is 1 where a "
    "check is refuted; a question may be answered either way.",
)
_CITE = taught(
    "Print whom to cite for what is said of a system, as BibTeX.",
    "dalembert cite skateboard",
    "dalembert cite kepler --as routh > refs.bib",
    "dalembert cite heavy-top --as routh --json",
)
_MOST_NAMES = 12
"""Names of claims that are told in one sentence."""


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

        stated = load_system(system)
        with waiting("deciding ..."):
            found = _results(stated, formalism)
            wanted = _decided(stated, found, claim, alone=formalism is not None)
            if not wanted:
                every = _decided(stated, found, "", alone=formalism is not None)
                raise DalembertError(_no_claim(claim, [c.name for claims in every.values() for c in claims]))
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


def _tell(wanted: dict[str, list[Claim]]) -> None:
    """Print each claim, its verdict and its evidence."""
    from dalembert.cli.terminal import say, table

    for name, claims in wanted.items():
        for one in claims:
            say(f"{name}, {one.name} ({one.role}): {one.statement}", hang="  ")
            table([[one.verdict.kind, one.verdict.evidence]], indent="  ")


def _no_claim(asked: str, names: list[str]) -> str:
    """Return the sentence that says which claims there are: all, or those with a name like the one asked for."""
    known = list(dict.fromkeys(names))
    if len(known) > _MOST_NAMES:
        by_letters = {name.lower(): name for name in known}
        near = difflib.get_close_matches(asked.lower(), by_letters, n=4, cutoff=0.4)
        if near:
            like = ", ".join(f"'{by_letters[name]}'" for name in near)
            return f"no claim has a name like '{asked}'; did you mean {like}? derive prints them all."
    return f"no claim has a name like '{asked}'; there are: {', '.join(known) or 'none'}."


def _results(system: System, formalism: str | None) -> dict[str, Result]:
    """Return what one formalism derives, or what all do that apply."""
    from dalembert.mechanics.registry import derive, formalism_names

    if formalism is not None:
        return {formalism: derive(system, known_formalism(formalism))}
    found = {}
    for name in formalism_names():
        try:
            found[name] = derive(system, name)
        except HypothesisError:
            continue
    return found


def _decided(system: System, found: dict[str, Result], only: str, *, alone: bool) -> dict[str, list[Claim]]:
    """Return the claims of a name by formalism, and those between formalisms; no others are decided."""
    from dalembert.analysis.fields import meetings
    from dalembert.mechanics.registry import claims

    decided = {name: list(claims(result, only)) for name, result in found.items()}
    if not alone:
        between = meetings(system, {name: result.equations for name, result in found.items()})
        decided["agreement"] = [claim for claim in between if only.lower() in claim.name.lower()]
    return {name: several for name, several in decided.items() if several}


def _references(system: System, names: list[str] | None) -> dict[str, Any]:
    from dalembert.present.bibliography import bibtex, cited

    return {
        "system": system.name,
        "source": system.metadata.get("source", ""),
        "papers": [asdict(paper) for paper in cited(system, names)],
        "bibtex": bibtex(system, names),
    }
