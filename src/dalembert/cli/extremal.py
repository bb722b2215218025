"""``dalembert extremal``: conjugate points of a vakonomic motion, when it stops to be shortest, wave fronts."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from dalembert.cli.options import (
    Ascii,
    AsJson,
    Full,
    Symmetry,
    SystemName,
    blaming,
    in_json,
    load_system,
    pairs,
    positive,
    ready_to_write,
    show,
    taught,
)
from dalembert.cli.words import Commands, echo, flag, option
from dalembert.errors import DalembertError

if TYPE_CHECKING:
    from dalembert.analysis.extremals.conjugate_points import SecondVariation
    from dalembert.analysis.extremals.families import Family
    from dalembert.analysis.extremals.wave_fronts import CutTime, WaveFront
    from dalembert.model.claim import Claim

_HELP = taught(
    "Follow a vakonomic motion to its conjugate points, and say how long it is a minimum.",
    'dalembert extremal heisenberg --start "x\'=1" --start "multiplier area=1" --time 9',
    'dalembert extremal heisenberg --start "multiplier area=2" --time 4 --maxwell',
    'dalembert extremal heisenberg --start "multiplier area=2" --time 1 --front front.svg --vary area=-12:12',
    'dalembert extremal heisenberg --time 1 --start area=2 --sphere ball.svg --vary area=-12:12 --cut "2*pi/abs(area)"',
    more="The index of the second variation is counted by conjugate points and directly. --maxwell looks for another "
    "extremal as long that ends in the same point; --front draws where all extremals of this speed are in the end, "
    "--sphere those that are shortest up to there, --locus where they stop to be shortest: up to the time that --cut "
    "gives, else to the first at which another one was found to meet them.",
)
_START = "A value at the begin: a coordinate, a velocity, 'multiplier NAME', a costate."
_VARY = "The constraint whose multiplier varies over the front, and its range; others are those of the motion."
_CUT = "Up to when an extremal is shortest: by multipliers (names of constraints), parameters, speed and direction."
_FRONT, _RUN = "Wave fronts", "The motion"
_MAXWELL = "Look for another extremal as long that meets this one."
_GRID = (48, 25)
_MEASURED = (25, 13)
"""Of directions and multipliers, where the cut time of each member is measured."""


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
        sphere: Annotated[Path | None, option("--sphere", "FILE.svg", "Draw the sphere in it.", _FRONT)] = None,
        locus: Annotated[Path | None, option("--locus", "FILE.svg", "Draw the cut locus.", _FRONT)] = None,
        vary: Annotated[str | None, option("--vary", "NAME=LOW:HIGH", _VARY, _FRONT)] = None,
        cut: Annotated[str | None, option("--cut", "FORMULA", _CUT, _FRONT)] = None,
        axes: Annotated[str | None, option("--axes", "X,Y", "The two coordinates that are drawn.", _FRONT)] = None,
        full: Full = False,
        ascii_only: Ascii = False,
        as_json: AsJson = False,
    ) -> None:
        stated = load_system(system, symmetry=symmetry)
        asked = {"front": front, "sphere": sphere, "locus": locus}
        drawn = {name: path for name, path in asked.items() if path is not None}
        ready_to_write(system, [(path, (".svg",)) for path in drawn.values()])
        range_of = _range(vary) if vary is not None else None
        _refuse(drawn, vary, cut, axes)
        from dalembert.analysis.extremals import family_through, maxwell_time, second_variation
        from dalembert.mechanics.derivation import derive
        from dalembert.numerics.specialise import number_of

        given = pairs(values, "--set")
        with blaming({"--set": values, "--start": start}):
            numbers = {name: number_of(text) for name, text in given.items()}
            result: Any = derive(stated, "vakonomic")
            lasting = None if time is None else positive(time, "--time")
            found = second_variation(result, pairs(start, "--start") or None, lasting, values=numbers)
        claims = list(found.claims)
        seen: dict[str, WaveFront] = {}
        if maxwell or drawn:
            family, angle, multipliers = family_through(result, found.run, numbers)
            lasted = float(found.run.t[-1])
            if maxwell:
                met = maxwell_time(family, angle, multipliers, lasted)
                claims += [met.claim] if met is not None else []
            if range_of is not None:
                with blaming({"--cut": [cut] if cut is not None else None}):
                    given_cut = _cut_time(cut, family, range_of[0], multipliers) if cut is not None else None
                seen, more = _fronts(family, lasted, range_of, multipliers, list(drawn), given_cut)
                claims += more
        if as_json:
            echo(in_json(_json(found, claims) | {name: _points(one) for name, one in seen.items()}))
        else:
            from dalembert.present.analyses import extremal_page

            show(extremal_page(found, claims, full=full), ascii_only=ascii_only)
            if maxwell and all(claim.name != "Maxwell time" for claim in claims):
                echo("No other extremal as long was found that meets this one.")
        for name, one in seen.items():
            _draw(drawn[name], name, one, axes, measured=cut is None)


def _refuse(drawn: dict[str, Path], vary: str | None, cut: str | None, axes: str | None) -> None:
    if drawn and vary is None:
        raise DalembertError(f"--{next(iter(drawn))} needs the multiplier that varies: give --vary NAME=LOW:HIGH.")
    if not drawn and (vary is not None or axes is not None or cut is not None):
        raise DalembertError("--vary, --cut and --axes are for pictures: give --front, --sphere or --locus FILE.svg.")
    if cut is not None and not {"sphere", "locus"} & set(drawn):
        raise DalembertError("--cut is for a sphere or a cut locus: give --sphere or --locus FILE.svg.")


def _range(text: str) -> tuple[str, float, float]:
    name, _, ends = text.partition("=")
    low, _, high = ends.partition(":")
    try:
        return name.strip(), float(low), float(high)
    except ValueError:
        raise DalembertError(f"--vary takes NAME=LOW:HIGH with two numbers, not '{text}'.") from None


def _cut_time(text: str, family: Family, varied: str, multipliers: tuple[float, ...]) -> CutTime:
    """Return the time that a formula gives, by direction and multiplier; where it divides by zero, never."""
    import re

    from dalembert.errors import EvaluationError
    from dalembert.expr.readers import Floats
    from dalembert.expr.text import parse
    from dalembert.expr.vocabulary import Vocabulary
    from dalembert.expr.walk import evaluate

    held = [re.sub(r"\W", "_", name, flags=re.ASCII) for name in family.result.form.held]
    own = list(family.result.form.held).index(varied) if varied in family.result.form.held else 0
    angles = ["direction"] if family.rank == len("xy") else [f"direction{k}" for k in range(1, family.rank)]
    known = {p.data.name: value for p, value in family.parameters.items()} | {"speed": family.speed}
    known |= dict(zip(held, multipliers, strict=True))
    words = Vocabulary.of(" ".join(dict.fromkeys([*known, *angles])), "")
    formula = parse(text, words)

    def at(direction: Any, multiplier: float) -> float:
        turned = dict(zip(angles, direction if isinstance(direction, tuple) else [direction], strict=True))
        point = {words[name]: value for name, value in (known | {held[own]: multiplier} | turned).items()}
        try:
            (value,) = evaluate([formula], Floats(point))
        except (EvaluationError, ZeroDivisionError):
            return math.inf
        return float(value) if value > 0 else math.inf

    return at


def _fronts(
    family: Family,
    time: float,
    vary: tuple[str, float, float],
    multipliers: tuple[float, ...],
    wanted: list[str],
    cut: CutTime | None,
) -> tuple[dict[str, WaveFront], list[Claim]]:
    """Return what is drawn, by name, and what was measured of cut times."""
    from dalembert.analysis.extremals import wave_front

    rest = dict(zip(family.result.form.held, multipliers, strict=True))
    others = {name: value for name, value in rest.items() if name != vary[0]}
    measured = cut is None and wanted != ["front"]
    front = wave_front(family, time, vary=vary, multipliers=others, grid=_MEASURED if measured else _GRID)
    made = {"front": lambda: front, "sphere": lambda: front.sphere(cut), "locus": lambda: front.at_cuts(cut)}
    claims = [front.count_claim()] if measured else []
    if cut is not None:
        cuts = front.cuts(cut).ravel()
        finite = [k for k in range(len(cuts)) if math.isfinite(cuts[k])]
        claims = [front.check_cut(cut, finite[:: max(1, len(finite) // 3)][:3])] if finite else []
    return {name: made[name]() for name in wanted}, claims


_TITLES = {"front": "wave front at t = {}", "sphere": "sphere of radius {}", "locus": "cut locus, t up to {}"}


def _draw(path: Path, what: str, seen: WaveFront, axes: str | None, *, measured: bool) -> None:
    from dalembert.model.outputs import write
    from dalembert.present.fronts import front_plot

    system = seen.family.result.system
    names = [q.data.name for q in system.q]
    chosen = [one.strip() for one in axes.split(",")] if axes is not None else [names[0], names[-1]]
    if len(chosen) != 2:
        raise DalembertError(f"--axes takes two coordinates, as x,y, not '{axes}'.")
    size = seen.time * (seen.family.speed if what == "sphere" else 1)
    title = f"{system.name}: {_TITLES[what].format(f'{size:g}')}"
    title += ", by measured Maxwell times" * (measured and what != "front")
    x, y = seen.of(chosen[0]), seen.of(chosen[1])
    write(path, front_plot(title, (chosen[0], chosen[1]), x, y, seen.varied, loop=seen.loop))


def _points(seen: WaveFront) -> dict[str, Any]:
    names = [q.data.name for q in seen.family.result.system.q]
    return {
        "directions": seen.angles.tolist(),
        "multipliers": {seen.varied: seen.multipliers.tolist()},
        "points": {name: seen.of(name).tolist() for name in names},
    }


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
