"""``dalembert control``: what the controls of a system can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.options import (
    As,
    Ascii,
    AsJson,
    Full,
    Symmetry,
    SystemName,
    asked,
    blaming,
    in_json,
    pairs,
    show,
    taught,
)
from dalembert.cli.words import Commands, echo, option

if TYPE_CHECKING:
    from dalembert.analysis.control.controllability import Controllability

_HELP = taught(
    "Decide what the controls of a system can reach, with the brackets that do it.",
    "dalembert control snakeboard --as nonholonomic",
    "dalembert control snakeboard --as nonholonomic --at phi1=0.5 --at phi2=-0.5 --json",
    more="Of constraints on velocities: whether allowed motions join all positions. Of [controls]: the conditions of "
    "Kalman, Chow, Sussmann, and Lewis and Murray. Velocities are 0 and positions generic unless --at says more.",
)
_AT = "A variable of the state; pi/2 is exact."
_SET = "A parameter, exactly; the others are generic."
_WHERE = "Where"


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def control(
        system: SystemName,
        formalism: As = None,
        symmetry: Symmetry = None,
        at: Annotated[list[str] | None, option("--at", "NAME=VALUE", _AT, _WHERE)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", _SET, _WHERE)] = None,
        observe: Annotated[list[str] | None, option("--observe", "TEXT", "What is measured.", _WHERE)] = None,
        full: Full = False,
        ascii_only: Ascii = False,
        as_json: AsJson = False,
    ) -> None:
        from dalembert.analysis.control.controllability import controllability
        from dalembert.mechanics.derivation import derived_once

        stated, wanted = asked(system, formalism, symmetry=symmetry, obvious=True)
        with blaming({"--set": values, "--at": at}):
            found = controllability(
                derived_once(stated, wanted),
                at=pairs(at, "--at"),
                observe=observe or [],
                values=pairs(values, "--set"),
            )
        if as_json:
            echo(in_json(_json(found)))
        else:
            from dalembert.present.analyses import controllability_page

            show(controllability_page(found, full=full), ascii_only=ascii_only)


def _json(found: Controllability) -> dict[str, Any]:
    from dalembert.expr.text import text

    return {
        "system": found.system,
        "formalism": found.formalism,
        "controls": list(found.controls),
        "at": {name: text(value) for name, value in found.point.items()},
        "generic": list(found.generic),
        "answers": [
            {
                "name": one.name,
                "statement": one.statement,
                "verdict": one.verdict.kind,
                "evidence": one.verdict.evidence,
                "spanning": list(one.spanning),
            }
            for one in found.answers
        ],
    }
