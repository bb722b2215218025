"""``dalembert discover``: symmetries and first integrals that nobody stated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from dalembert.cli.derive import end_on_net
from dalembert.cli.discovered_tori import torus_in_json, torus_of
from dalembert.cli.options import (
    PAGE,
    As,
    Ascii,
    AsJson,
    Full,
    SystemName,
    in_json,
    known_formalism,
    letters,
    load_system,
    paint,
    ready_to_write,
    taught,
    waiting,
    width,
)
from dalembert.cli.words import Commands, echo, flag, option
from dalembert.model.outputs import write

if TYPE_CHECKING:
    from dalembert.analysis.discovery.discover import Discovery
    from dalembert.analysis.discovery.tori import InvariantTorus
    from dalembert.model.system import System

_HELP = taught(
    "Find the symmetries and first integrals of a system, from its statement alone.",
    "dalembert discover heavy-top --json",
    "dalembert discover chaplygin-sleigh",
    more="Whatever is printed has been decided; what was searched is printed with it. Without --as "
    "motions are those of d'Alembert's principle.",
)
_EXACT = "Take the given values of the parameters for what they are, instead of generic ones."
_TORI = "Follow the motion of [start] on its torus: angles, ratio of frequencies and Phi by quadrature."
_DEEP = "Search larger spaces: integrals up to degree 4 in the speeds."


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def discover(
        system: SystemName,
        formalism: As = None,
        deep: Annotated[bool, flag("--deep", _DEEP)] = False,
        exact: Annotated[bool, flag("--exact-parameters", _EXACT)] = False,
        tori: Annotated[bool, flag("--tori", _TORI)] = False,
        output: Annotated[Path | None, option("--output", "FILE", "A page with all that is found.", short="-o")] = None,
        full: Full = False,
        ascii_only: Ascii = False,
        as_json: AsJson = False,
    ) -> None:
        stated = load_system(system)
        wanted = None if formalism is None else known_formalism(formalism)
        if output is not None:
            ready_to_write(system, [(output, PAGE)])

        def deliver(page: str, told: str) -> None:
            if output is not None:
                write(output, page)
            echo(told, nl=False)

        def made() -> tuple[str, str]:
            from dalembert.analysis.discovery.discover import discover as find
            from dalembert.expr.work import stops

            with waiting("searching ...") as progress:
                found = find(stated, wanted, deep=deep, exact_parameters=exact, progress=progress)
                torus, why = torus_of(stated, found) if tori else (None, "")
            page, said = "", ""
            if output is not None or not as_json:
                page, said = _written(
                    stated,
                    found,
                    torus,
                    why,
                    page=output is not None,
                    lines=not as_json,
                    full=full,
                    ascii_only=ascii_only,
                )
            if as_json:
                from dalembert.studies.answers import discovery_answer

                more = {"torus": torus_in_json(torus, why)} if tori else {}
                said = f"{in_json({**discovery_answer(found), **more})}\n"
            if stops():  # by the net: that is found anew every time
                deliver(page, said)
                end_on_net()
            return page, said

        from dalembert.mechanics.registry import is_own
        from dalembert.model.remembered import remembered

        how = [wanted, deep, exact, tori, full, as_json, output is not None, width(), paint("proved", "")]
        how.append(letters(ascii_only=ascii_only).formula("*"))
        own = wanted is None or is_own(wanted)  # of one from elsewhere we do not know when it was changed
        deliver(*(remembered(stated, "a discovery", made, *map(str, how)) if own else made()))


def _written(
    stated: System,
    found: Discovery,
    torus: InvariantTorus | None,
    why: str,
    *,
    page: bool,
    lines: bool,
    full: bool,
    ascii_only: bool,
) -> tuple[str, str]:
    """Return what is found as a page and as lines of a terminal, of the same blocks; what is not wanted is empty."""
    from dalembert.present.discovered_page import discovered_blocks, discovered_page
    from dalembert.present.page import Section
    from dalembert.present.text_writer import in_text

    along = _along(found) if found.gauge is not None else ""
    html = discovered_page(stated, found, torus, why, along) if page else ""
    if not lines:
        return html, ""
    whole = Section(found.system, discovered_blocks(found, torus, why, along, full=full), level=1)
    return html, f"{in_text(whole, width(), paint, letters(ascii_only=ascii_only))}\n"


def _along(found: Discovery) -> str:
    """Say what gauge momenta are along the motion that the model starts, by numbers; nothing where it starts none."""
    from dalembert.errors import DalembertError
    from dalembert.mechanics.derivation import derive
    from dalembert.numerics.simulate import simulate

    assert found.gauge is not None
    if not found.gauge.system.start.values:
        return ""
    try:
        run = simulate(derive(found.gauge.system, found.formalism), tolerance=1e-12, samples=40)
        values = found.gauge.along(run)
    except DalembertError:
        return ""
    spread = max(float(column.max() - column.min()) for column in values.T)
    first = ", ".join(f"{value:.9g}" for value in values[0])
    return f"{first}, but for {spread:.1g}"
