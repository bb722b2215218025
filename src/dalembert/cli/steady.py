"""``dalembert steady``: the steady motions of a system, and whether they are stable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

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
    ready_to_write,
    say_found,
    show,
    taught,
)
from dalembert.cli.steady_json import form_json, motions_json
from dalembert.cli.words import Commands, Ended, echo, flag, option
from dalembert.errors import DalembertError

_HELP = taught(
    "Find the steady motions of a system, modulo its symmetry, and say whether they are stable.",
    "dalembert steady chaplygin-sleigh --as nonholonomic",
    "dalembert steady falling-rolling-disc --as nonholonomic --at theta=0",
    'dalembert steady falling-rolling-disc --as nonholonomic --at theta=0 --over "phi\'=0.5:5:10"',
    more="In closed form where the algebra allows it, with conditions on the parameters; along --over as numbers, with "
    "eigenvalues. The status is 1 if none is found.",
)
_AT = "What is held: a coordinate, velocity, speed, let or monitor; pi/2 is exact."
_OVER = "What labels the family, or a parameter: v=0:10:21, or v=1,2,3."
_PROVE = "Prove that each motion found as numbers exists."
_BRANCHES = "Follow what branches off along --over, too."
_MATRICES = "M, C and K of M q'' + C q' + K q = 0 about the family of --over, by powers of these names."
_PLOT = "Draw the eigenvalues along --over."
_WHICH, _OUT = "Which motions", "What is kept"


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def steady(
        system: SystemName,
        formalism: As = None,
        symmetry: Symmetry = None,
        at: Annotated[list[str] | None, option("--at", "NAME=VALUE", _AT, _WHICH)] = None,
        over: Annotated[str | None, option("--over", "NAME=VALUES", _OVER, _WHICH)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", "A parameter.", _WHICH)] = None,
        functions: Annotated[list[str] | None, option("--let", "NAME=TEXT", "A function or control.", _WHICH)] = None,
        prove: Annotated[bool, flag("--prove", _PROVE, _WHICH)] = False,
        branches: Annotated[bool, flag("--branches", _BRANCHES, _WHICH)] = False,
        observe: Annotated[list[str] | None, option("--observe", "TEXT", "A row of C.", _OUT)] = None,
        matrices: Annotated[str | None, option("--matrices", "NAME,...", _MATRICES, _OUT)] = None,
        plot: Annotated[Path | None, option("--plot", "FILE.svg", _PLOT, _OUT)] = None,
        full: Full = False,
        ascii_only: Ascii = False,
        as_json: AsJson = False,
    ) -> None:
        from dalembert.analysis.steady.steady import steady as find
        from dalembert.mechanics.derivation import derived_once

        stated, wanted = asked(system, formalism, symmetry=symmetry, obvious=True)
        label = _axis(over) if over is not None else None
        about_a_family = {"--matrices": matrices is not None, "--plot": plot is not None, "--branches": branches}
        if label is None and any(about_a_family.values()):
            name = next(name for name, wanted_too in about_a_family.items() if wanted_too)
            raise DalembertError(f"{name} needs a label: give --over NAME=VALUES.")
        if plot is not None:
            ready_to_write(system, [(plot, (".svg",))])
        with blaming({"--set": values, "--at": at, "--let": functions}):
            result = derived_once(stated, wanted)
            say_found(result.system)
            found = find(
                result,
                at=pairs(at, "--at"),
                over=label,
                values=pairs(values, "--set"),
                functions=pairs(functions, "--let"),
                observe=observe or [],
                prove=prove,
                branches=branches,
            )
            form = None
            if matrices is not None and label is not None:
                from dalembert.analysis.steady.second_order_form import second_order_form

                form = second_order_form(
                    result,
                    label=label[0],
                    at=pairs(at, "--at"),
                    values=pairs(values, "--set"),
                    functions=pairs(functions, "--let"),
                )
        powers = [name.strip() for name in (matrices or "").split(",") if name.strip()]
        if as_json:
            echo(in_json(motions_json(found) | ({} if form is None else {"second order": form_json(form, powers)})))
        else:
            from dalembert.present.steady_page import form_page, steady_page

            show(steady_page(found, full=full), ascii_only=ascii_only)
            if form is not None:
                echo()
                show(form_page(form, powers), ascii_only=ascii_only)
        if plot is not None:
            from dalembert.model.outputs import write
            from dalembert.present.spectra import picture_of

            write(plot, picture_of(found))
        if not found.families and not any(found.motions):
            raise Ended(1)


def _axis(text: str) -> tuple[str, list[float]]:
    """Return what ``NAME=a:b:n`` or ``NAME=a,b,c`` says."""
    from dalembert.numerics.sweep.axes import read_axis

    axis = read_axis(text)
    if axis.sampled:
        raise DalembertError(f"--over takes NAME=a:b:n or NAME=a,b,c, not '{text}'.")
    return axis.name, [float(v) for v in axis.values]
