"""``dalembert discover``: symmetries and first integrals that nobody stated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.derive import end_on_net
from dalembert.cli.discovered_measures import (
    tell_gauged,
    tell_integrability,
    tell_measures,
    tell_poisson,
    tell_variational,
)
from dalembert.cli.discovered_tori import tell_torus, torus_in_json, torus_of
from dalembert.cli.options import (
    PAGE,
    As,
    AsJson,
    SystemName,
    in_json,
    known_formalism,
    load_system,
    paint,
    ready_to_write,
    say,
    table,
    taught,
    waiting,
    width,
)
from dalembert.cli.words import Commands, echo, flag, heard, option
from dalembert.model.outputs import write

if TYPE_CHECKING:
    from dalembert.analysis.discovery.discover import Discovery
    from dalembert.analysis.discovery.first_integrals import Integral
    from dalembert.model.system import System

_HELP = taught(
    "Find the symmetries and first integrals of a system, from its statement alone.",
    "dalembert discover heavy-top --json",
    "dalembert discover chaplygin-sleigh",
    more="Whatever is printed has been decided; what was searched is printed with it. Without --as "
    "motions are those of d'Alembert's principle.",
)
_MOST_SHOWN = 12
"""So many fields of one part of the statement are written down."""
_PARTS, _HAS = {"L": "L", "constraints": "The constraints"}, {"L": "has", "constraints": "have"}
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
                torus = torus_of(stated, found) if tori else None
            page = _page(stated, found) if output is not None else ""
            with heard() as said:
                if as_json:
                    from dalembert.studies.answers import discovery_answer

                    told = discovery_answer(found)
                    echo(in_json(told if torus is None else {**told, "torus": torus_in_json(torus)}))
                else:
                    _tell(found)
                    if torus is not None:
                        tell_torus(torus)
            if stops():  # by the net: that is found anew every time
                deliver(page, "".join(said))
                end_on_net()
            return page, "".join(said)

        from dalembert.mechanics.registry import is_own
        from dalembert.model.remembered import remembered

        how = [wanted, deep, exact, tori, as_json, output is not None, width(), paint("proved", "")]
        own = wanted is None or is_own(wanted)  # of one from elsewhere we do not know when it was changed
        deliver(*(remembered(stated, "a discovery", made, *map(str, how)) if own else made()))


def _page(stated: System, found: Discovery) -> str:
    from dalembert.present.discovered_page import discovered_page

    return discovered_page(stated, found)


# -- in words ----------------------------------------------------------------------------------------------------
def _tell(found: Discovery) -> None:
    say(f"{found.system}, {found.formalism}: {found.variables} state variables.")
    if found.values:
        say(found.values)
    if found.noether is not None:
        _tell_symmetries(found)
    if found.more:
        echo("")
        say("Symmetries of the equations besides" if found.noether is not None else "Symmetries of the equations")
        table([[one.written, one.verdict.kind, _factor(one.factor)] for one in found.more], indent="  ")
        say(f"Searched: {found.equations_space}.", indent="  ", hang="  ")
    echo("")
    say("First integrals")
    rows = [
        [found.called(one), one.name or "new", _shown(one), one.verdict.kind] for one in (*found.known, *found.found)
    ]
    if rows:
        table(rows, indent="  ")
        say(f"Independent as functions: {len(found.independent)}.", indent="  ")
        _tell_brackets(found)
    else:
        say("None was found." if found.searches else "They were not searched.", indent="  ")
    if found.gauge is not None:
        one = found.gauge
        said = f"Gauge momenta: {one.written} is kept ({one.integral.verdict.kind}) for every solution of"
        say(said, indent="  ", hang="  ")
        for equation in one.equations:
            say(equation, indent="    ", hang="      ")
        if (along := _along(found)) is not None:
            said = "Along the motion of [start] the solutions that are unit vectors at its least shape keep"
            say(f"{said} {along}.", indent="  ", hang="  ")
    for search in found.searches:
        say(f"Searched: {search.space}.", indent="  ", hang="  ")
    tell_measures(found.measures)
    if found.integrability is not None:
        tell_integrability(found.integrability)
    if found.poisson is not None:
        tell_poisson(found.poisson)
    if found.gauged is not None:
        tell_gauged(found.gauged)
    if found.variational is not None:
        tell_variational(found.variational)
    for note in found.notes:
        say(note, indent="  ", hang="  ")


def _along(found: Discovery) -> str | None:
    """Say what gauge momenta are along the motion that the model starts, by numbers; nothing where it starts none."""
    from dalembert.errors import DalembertError
    from dalembert.mechanics.derivation import derive
    from dalembert.numerics.simulate import simulate

    assert found.gauge is not None
    if not found.gauge.system.start.values:
        return None
    try:
        run = simulate(derive(found.gauge.system, found.formalism), tolerance=1e-12, samples=40)
        values = found.gauge.along(run)
    except DalembertError:
        return None
    spread = max(float(column.max() - column.min()) for column in values.T)
    first = ", ".join(f"{value:.9g}" for value in values[0])
    return f"{first}, but for {spread:.1g}"


def _tell_brackets(found: Discovery) -> None:
    algebra = found.brackets
    if algebra is None:
        return
    said = ", ".join(algebra.said)
    all_said = f"Poisson brackets: {said}; all others vanish." if said else "All Poisson brackets vanish."
    if not algebra.closes:
        open_ = [f"{{J{a + 1}, J{b + 1}}}" for (a, b), terms in algebra.brackets.items() if terms is None]
        all_said = (
            f"Poisson brackets: {', '.join([said] * bool(said))}; {', '.join(open_)} are no combinations of these."
        )
    say(all_said, indent="  ", hang="  ")
    for level, structure in algebra.algebras.items():
        where = f" where {level}" if level else ""
        say(f"{algebra.up_to} {structure.name}{where}.", indent="  ", hang="  ")
        for sentence in structure.said:
            if " by " in sentence:
                say(sentence, indent="    ", hang="    ")


def _tell_symmetries(found: Discovery) -> None:
    assert found.noether is not None
    echo("")
    algebra = found.noether
    say(f"Symmetries of what is stated: {algebra.name if algebra.basis else 'none was found'}")
    from dalembert.expr.text import text

    rows = [
        [
            f"X{k}",
            one.written,
            one.verdict.kind,
            "" if text(one.gauge) == "0" else f"L changes by the rate of {text(one.gauge)}",
        ]
        for k, one in enumerate(algebra.basis, 1)
    ]
    if rows:
        table(rows, indent="  ")
    for sentence in algebra.structure.said if algebra.structure is not None else ():
        say(sentence, indent="  ", hang="  ")
    _tell_orbits(found)
    for part, fields in found.alone.items():
        if fields:
            more = ", ".join(one.written for one in fields[:_MOST_SHOWN])
            rest = f" and {len(fields) - _MOST_SHOWN} more" if len(fields) > _MOST_SHOWN else ""
            say(f"{_PARTS[part]} alone {_HAS[part]} besides: {more}{rest}.", indent="  ", hang="  ")
    say(f"Searched: {algebra.space}.", indent="  ", hang="  ")
    lines = [f"{name} = {components}" for name, components in found.stated.items()]
    if lines:
        say("In a model:", indent="  ")
        for line in ("[symmetry]", *lines):
            echo(f"    {line}")


def _tell_orbits(found: Discovery) -> None:
    orbits = found.orbits
    if orbits is None:
        return
    free, spanning = orbits.free, orbits.spanning
    count = f"{free.rank} of {orbits.velocities} dimensions"
    if free.rank < free.wanted:
        said = f"Without time they act nowhere freely: orbits have {count}, with {free.wanted} fields"
    else:
        said = f"Without time they act locally freely at {free.where}: orbits have {count}"
    if spanning is not None:
        said += f"; orbits and constraints span all directions at {spanning.where}, with {orbits.common} in common"
    say(f"{said}.", indent="  ", hang="  ")


def _factor(factor: Any) -> str:
    from dalembert.expr.text import text

    shown = text(factor)
    return "" if shown == "0" else f"multiplies the action: its rate is {shown} times itself"


def _shown(one: Integral) -> str:
    from dalembert.errors import ExpressionError
    from dalembert.expr.text import text

    try:
        return text(one.shown)
    except ExpressionError:  # it is too long for a line
        return f"{one.shown!r}, in full with --json"
