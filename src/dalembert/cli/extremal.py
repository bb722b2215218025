"""``dalembert extremal``: conjugate points of a vakonomic motion, when it stops to be shortest, wave fronts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.options import (
    AsJson,
    Symmetry,
    SystemName,
    blaming,
    in_json,
    load_system,
    paint,
    pairs,
    positive,
    ready_to_write,
    say,
    taught,
)
from dalembert.cli.words import Commands, echo, flag, option
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.analysis.extremals.conjugate_points import SecondVariation
    from dalembert.analysis.extremals.wave_fronts import Family

_HELP = taught(
    "Follow a vakonomic motion to its conjugate points, and say how long it is a minimum.",
    'dalembert extremal heisenberg --start "x\'=1" --start "multiplier area=1" --time 9',
    'dalembert extremal heisenberg --start "multiplier area=2" --time 4 --maxwell',
    'dalembert extremal heisenberg --start "multiplier area=2" --time 1 --front front.svg --vary area=-12:12',
    more="The index of the second variation is counted by conjugate points and directly. --maxwell looks for another "
    "extremal as long that ends in the same point; --front draws where all extremals of this speed are in the end.",
)
_START = "A value at the begin: a coordinate, a velocity, 'multiplier NAME', a costate."
_VARY = "The constraint whose multiplier varies over the front, and its range."
_FRONT, _RUN = "Wave fronts", "The motion"
_MAXWELL = "Look for another extremal as long that meets this one."


def register(app: Commands) -> None:
    """Add the command."""

    @app.command(_HELP)
    def extremal(
        system: SystemName,
        symmetry: Symmetry = None,
        start: Annotated[list[str] | None, option("--start", "NAME=VALUE", _START, _RUN)] = None,
        time: Annotated[float | None, option("--time", "T", "How long.", _RUN)] = None,
        values: Annotated[list[str] | None, option("--set", "NAME=VALUE", "A parameter.", _RUN)] = None,
        maxwell: Annotated[bool, flag("--maxwell", _MAXWELL, _RUN)] = False,
        front: Annotated[Path | None, option("--front", "FILE.svg", "Draw the wave front.", _FRONT)] = None,
        vary: Annotated[str | None, option("--vary", "NAME=LOW:HIGH", _VARY, _FRONT)] = None,
        axes: Annotated[str | None, option("--axes", "X,Y", "The two coordinates that are drawn.", _FRONT)] = None,
        as_json: AsJson = False,
    ) -> None:
        from dalembert.analysis.extremals.conjugate_points import second_variation
        from dalembert.analysis.extremals.wave_fronts import family_through, maxwell_time
        from dalembert.mechanics.derivation import derive
        from dalembert.numerics.specialise import number_of

        stated = load_system(system, symmetry=symmetry)
        range_of = _range(vary) if vary is not None else None
        if front is not None:
            ready_to_write(system, [(front, (".svg",))])
            if range_of is None:
                raise DalembertError("--front needs the multiplier that varies: give --vary NAME=LOW:HIGH.")
        elif vary is not None or axes is not None:
            raise DalembertError("--vary and --axes are for a wave front: give --front FILE.svg.")
        given = pairs(values, "--set")
        with blaming({"--set": values, "--start": start}):
            numbers = {name: number_of(text) for name, text in given.items()}
            result: Any = derive(stated, "vakonomic")
            lasting = None if time is None else positive(time, "--time")
            found = second_variation(result, pairs(start, "--start") or None, lasting, values=numbers)
        claims = list(found.claims)
        family: Family | None = None
        if maxwell or front is not None:
            family, angle, multipliers = family_through(result, found.run, numbers)
            if maxwell:
                met = maxwell_time(family, angle, multipliers, float(found.run.t[-1]))
                claims += [met.claim] if met is not None else []
        if as_json:
            echo(in_json(_json(found, claims)))
        else:
            _tell(stated.name, found, claims, maxwell)
        if front is not None and family is not None and range_of is not None:
            _draw(front, family, float(found.run.t[-1]), range_of, axes)


def _range(text: str) -> tuple[str, float, float]:
    name, _, ends = text.partition("=")
    low, _, high = ends.partition(":")
    try:
        return name.strip(), float(low), float(high)
    except ValueError:
        raise DalembertError(f"--vary takes NAME=LOW:HIGH with two numbers, not '{text}'.") from None


def _draw(path: Path, family: Family, time: float, vary: tuple[str, float, float], axes: str | None) -> None:
    from dalembert.analysis.extremals.wave_fronts import wave_front
    from dalembert.model.outputs import write
    from dalembert.present.fronts import front_plot

    names = [q.data.name for q in family.result.system.q]
    chosen = [one.strip() for one in axes.split(",")] if axes is not None else [names[0], names[-1]]
    if len(chosen) != 2:
        raise DalembertError(f"--axes takes two coordinates, as x,y, not '{axes}'.")
    seen = wave_front(family, time, vary=vary)
    title = f"{family.result.system.name}: wave front at t = {time:g}"
    picture = front_plot(title, (chosen[0], chosen[1]), seen.of(chosen[0]), seen.of(chosen[1]), vary[0])
    write(path, picture)


def _tell(name: str, found: SecondVariation, claims: list[Any], maxwell: bool) -> None:
    say(f"{name}, vakonomic, up to t = {found.run.t[-1]:g}.")
    if not found.points:
        say("No conjugate points.")
    for one in found.points:
        many = f", {one.multiplicity} times" if one.multiplicity > 1 else ""
        say(f"Conjugate point at t = {one.time:.10g}{many}.")
    for claim in claims:
        say(f"{paint(claim.verdict.kind, claim.verdict.kind)}: {claim.statement}.", indent="  ", hang="    ")
        say(claim.verdict.evidence, indent="    ", hang="    ")
    if maxwell and all(claim.name != "Maxwell time" for claim in claims):
        say("No other extremal as long was found that meets this one.")


def _json(found: SecondVariation, claims: list[Any]) -> dict[str, Any]:
    return {
        "time": float(found.run.t[-1]),
        "conjugate_points": [{"time": one.time, "multiplicity": one.multiplicity} for one in found.points],
        "index": found.index,
        "convex": found.convex,
        "claims": [
            {"name": c.name, "statement": c.statement, "verdict": c.verdict.kind, "evidence": c.verdict.evidence}
            for c in claims
        ],
    }
