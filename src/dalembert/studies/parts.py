"""One part of a study: a formalism run on a system, its motion followed and measured, its section written.

Parts are made in a process of its own, so that one can be stopped, and can fail, without the others noticing.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np

from dalembert.analysis.agreement import track_of
from dalembert.analysis.audit import audit
from dalembert.analysis.relative_equilibria import relative_equilibria_claims
from dalembert.errors import DalembertError, HypothesisError, alike
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.work import stops
from dalembert.forking import by_itself
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import Result, claims, formalism, formalism_names, obvious_formalism, read_home
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim, Decided
from dalembert.model.parts import USUAL_TIME
from dalembert.model.system import System
from dalembert.numerics.compile.machine import quickly, thoroughly
from dalembert.numerics.outcome import TOO_MANY_STEPS
from dalembert.numerics.simulate import simulate
from dalembert.present.animation import animation
from dalembert.present.conserved import constants
from dalembert.present.json_export import answer
from dalembert.present.living import Living, living_of
from dalembert.present.motion import Moved, plots_of
from dalembert.present.page import size_written
from dalembert.present.report import Part, sentences
from dalembert.present.results import section_of
from dalembert.present.scene import scene_of
from dalembert.present.study_page import typeset
from dalembert.processes import serve
from dalembert.studies.discovery_page import discovery_json, discovery_section
from dalembert.studies.known_integrals import known_integrals

_STEPS = 50_000
"""A motion that takes more steps than this is left to ``dalembert simulate``."""
_QUICK = 5_000
"""Up to so many steps code is faster made than run: it is optimised for motions that take more."""
_LONGEST = 40_000
"""Nodes, linear systems written out, of one object in the answers of a study; ``derive --json`` writes longer ones."""
_FOLLOWED = 20_000
"""Nodes, linear systems written out, of equations that are followed although they are not those a statement means."""
_FURTHER: Mapping[str, Callable[[Any], tuple[Claim, ...]]] = {"routh": relative_equilibria_claims}
"""What is asked beyond the theorems of a formalism, by its name: searches that need motions, or numbers."""


def part_of(
    system: System,
    name: str,
    effort: float = 1.0,
    progress: Callable[[str], None] = lambda _: None,
    *,
    answers: bool = True,
    film: bool = True,
    html: bool = False,
) -> Part:
    """Return the part of a formalism; ``effort`` is the work for making its formulas short.

    ``progress`` is told what is done. Only with ``answers`` there are those of ``derive --json``, and with ``film`` the
    mechanism on its way. With ``html`` it is typeset here.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> part_of(ball, "nonholonomic").faults[0].partition(". ")[0]
    '[constraints]: there are none; use euler-lagrange'
    """
    struck = len(stops())
    progress("equations")
    try:
        result = derive(system, name)
    except HypothesisError as fault:
        return Part(name, faults=tuple(str(f) for f in alike(fault.faults)))
    progress("claims")
    decided = claims(result)
    if name in _FURTHER and result.form == "chart":  # they search in coordinates of one
        decided = Decided([*decided, *_FURTHER[name](result)])
    progress("first integrals")
    found, look = known_integrals(result, decided)
    progress("the motion")
    moved = _motion(result, first_integrals_of(result))
    progress("the page")
    objects = result.objects()  # asked for once: they are written down when they are asked for
    track = None if moved.run is None else track_of(result, moved.run, system)
    page = section_of(result, decided, found, moved.section(), objects, effort)
    return Part(
        name,
        page=page,
        typeset=typeset(page, name) if html else (),
        answer=answer(result, objects, decided, _LONGEST) if answers else None,
        equations=result.equations,
        claims=(*decided, *moved.claims),
        sentences=(
            *sentences(result, decided, objects),
            *constants(found, SimplificationBudget(effort / 4, largest=2_000)),
        ),
        integrals=tuple(
            {"name": i.name, "expression": _written(i.expression), "verdict": i.verdict.kind} for i in found
        ),
        motion=moved.to_json(),
        track=track,
        animation=_film(result, moved) if film else "",
        pictures=moved.pictures(),
        discovered=None if look is None else discovery_section(look),
        discovery={} if look is None else discovery_json(look),
        struck=stops()[struck:],
    )


def _written(expression: Expr) -> str:
    """Return an expression as text, or how large it is where the text would be too long."""
    try:
        return text(expression)
    except DalembertError:
        return repr(expression)


def _motion(result: Result, found: Sequence[FirstIntegral]) -> Moved:
    """Return the motion that the model asks for, with its audit, if it takes few steps; else say why not."""
    if not (result.system.start.values or result.system.start.near):
        return Moved("the model has no [start].")
    name, usual = result.equations.formalism, obvious_formalism(result.system)
    size = size_written([*result.equations.rates().values(), *result.equations.reconstruction.values()])
    if size > _FOLLOWED and name != usual:
        told = f"the equations have {size:,} nodes, too many to be followed beside those of {usual}"
        return Moved(f"{told}; use dalembert simulate --as {name}.")
    try:
        assumed = USUAL_TIME if result.system.run.time is None else None
        run = simulate(result, None, assumed, most_steps=_QUICK)
        if run.status == TOO_MANY_STEPS:
            thoroughly()
            run = simulate(result, None, assumed, most_steps=_STEPS)
        if run.status == TOO_MANY_STEPS:
            return Moved(f"{_STEPS} steps do not suffice for it; use dalembert simulate.")
        measured = audit(run, result, {f"integral {k}": i.expression for k, i in enumerate(found, 1) if not i.name})
    except DalembertError as fault:
        return Moved(str(fault))
    plots = plots_of(run, result.system, measured.drifts)
    return Moved(run=run, plots=plots, claims=measured.claims, assumed=assumed)


def _film(result: Result, moved: Moved) -> Living | str:
    """Return the mechanism on its way: moved by the page, or as pictures where that is too much for it."""
    run = moved.run
    if run is None or run.dense is None or len(run) < 2:
        return ""
    try:
        living = living_of(result, run, formalism(result.equations.formalism).mistaken(result))
        if living is not None:
            return living
        return animation(scene_of(run, result.system), f"{result.system.name}, {result.equations.formalism}")
    except DalembertError as fault:
        return f'<p class="evidence">The mechanism is not drawn: {escape(str(fault))}</p>'


@np.errstate(all="ignore")  # what is not finite is said where it is shown
def part_whatever_happens(
    system: System,
    name: str,
    effort: float = 1.0,
    progress: Callable[[str], None] = lambda _: None,
    *,
    answers: bool = True,
    film: bool = True,
    html: bool = False,
) -> Part:
    """Return a part, one that says so where the program fails."""
    try:
        with quickly():
            return part_of(system, name, effort, progress, answers=answers, film=film, html=html)
    except DalembertError as fault:
        return Part(name, stopped=str(fault))
    except Exception:  # noqa: BLE001 - one part failing never loses the others; the sentence says where
        last = traceback.format_exc().strip().splitlines()
        return Part(name, stopped=f"the program failed here, which is its fault: {last[-1]} ({last[-3].strip()})")


def main() -> None:
    """Answer requests until the input ends."""
    by_itself()
    serve(_asked)


def _asked(question: tuple[System, str, tuple[str, str] | None, float, bool, bool, bool]) -> Part:
    system, name, home, effort, answers, film, html = question
    if home is not None and name not in formalism_names():
        read_home(*home)
    return part_whatever_happens(system, name, effort, answers=answers, film=film, html=html)
