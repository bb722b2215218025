"""One part of a study: a formalism run on a system, its motion followed and measured, its section written.

Parts are made in a process of its own, so that one can be stopped, and can fail, without the others noticing.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any, TypeVar

import numpy as np

from dalembert.analysis.agreement import track_of
from dalembert.analysis.audit import audit
from dalembert.analysis.discovery.first_integrals import Integral
from dalembert.analysis.discovery.glance import Glance, glance
from dalembert.analysis.relative_equilibria import relative_equilibria_claims
from dalembert.errors import DalembertError, HypothesisError, alike
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.walk import substitute, tree_size
from dalembert.expr.work import stops
from dalembert.forking import by_itself
from dalembert.mechanics.dependence import Surface
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import Result, claims, formalism, formalism_names, obvious_formalism, read_home
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.numerics.compile.machine import quickly, thoroughly
from dalembert.numerics.outcome import TOO_MANY_STEPS
from dalembert.numerics.simulate import simulate
from dalembert.present.animation import animation
from dalembert.present.conserved import constants, kept_momenta
from dalembert.present.integrals import without_polynomials
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

_STEPS = 50_000
"""A motion that takes more steps than this is left to ``dalembert simulate``."""
_QUICK = 5_000
"""Up to so many steps code is faster made than run: it is optimised for motions that take more."""
_LONGEST = 40_000
"""Nodes, linear systems written out, of one object in the answers of a study; ``derive --json`` writes longer ones."""
_FOLLOWED = 20_000
"""Nodes, linear systems written out, of equations that are followed although they are not those a statement means."""
_TIME = 10.0
"""How long a motion is followed where the model says nothing of it."""
_FURTHER: Mapping[str, Callable[[Any], tuple[Claim, ...]]] = {"routh": relative_equilibria_claims}
"""What is asked beyond the theorems of a formalism, by its name: searches that need motions, or numbers."""

_Known = TypeVar("_Known", FirstIntegral, Integral)


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
        decided += _FURTHER[name](result)
    progress("first integrals")
    found = tuple(formalism(name).integrals(result)) or first_integrals_of(result)
    look = glance(system, derived=result.equations) if name == obvious_formalism(system) else None
    proved = _proved(result, decided)
    found = tuple(_surest(one, proved, result) for one in found)
    if look is not None:
        proved += [(one.expression, one.verdict) for one in found if one.verdict.kind == "proved"]
        look = replace(look, integrals=tuple(_surest(one, proved, result) for one in look.integrals))
        found = tuple(_as_seen(one, look, result) for one in found)
        found += _besides(look, result, decided, found)
    found = without_polynomials(found)
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


def _proved(result: Result, decided: Sequence[Claim]) -> list[tuple[Expr, Verdict]]:
    """Return what claims prove to be constant, each with its proof."""
    monitors = result.equations.monitors
    kept = [*kept_momenta(decided), *(c for c in decided if c.name == "energy conserved")]
    named = [(c.name.removesuffix(" conserved"), c.verdict) for c in kept if c.verdict.kind == "proved"]
    return [(monitors[name], verdict) for name, verdict in named if name in monitors]


def _surest(one: _Known, proved: Sequence[tuple[Expr, Verdict]], result: Result) -> _Known:
    """Return what is constant with the surest verdict on it: a claim may have proved what a search is certain of."""
    if one.verdict.kind == "proved":
        return one
    better = next((verdict for known, verdict in proved if _is_same(known, one.expression, result)), None)
    return one if better is None else replace(one, verdict=better)


def _is_same(one: Expr, other: Expr, result: Result) -> bool:
    """Decide that two functions are the same on what the constraints allow."""
    rates = {q.dot: rate for q, rate in result.equations.kinematics.items()}
    return vanish(substitute(substitute([one - other], result.equations.named), rates))


def _as_seen(one: FirstIntegral, look: Glance, result: Result) -> FirstIntegral:
    """Return an integral in the form in which a short look has it, if that is shorter: in the speeds of the state."""
    seen = next((other for other in look.integrals if one.name and other.name == one.name), None)
    if seen is None or tree_size(seen.shown) >= tree_size(one.expression):
        return one
    same = _is_same(seen.shown, one.expression, result)
    return FirstIntegral(seen.shown, one.verdict, one.name) if same else one


def _besides(
    look: Glance, result: Result, decided: Sequence[Claim], found: Sequence[FirstIntegral]
) -> tuple[FirstIntegral, ...]:
    """Return what a short look found beyond the momenta that are claimed to be kept, and beyond what is known.

    Components of a vector are told although its length is known. But where there would be more than the state has
    variables, what has no name is told if it is no function of what is told before it.
    """
    monitors = result.equations.monitors
    momenta = [monitors[claim.name] for claim in kept_momenta(decided) if claim.name in monitors]
    known = [*(one.expression for one in found), *momenta]
    fresh = [FirstIntegral(one.shown, one.verdict, one.name) for one in look.besides(known)]
    equations, told = result.equations, [one for one in fresh if one.name]
    if len(found) + len(fresh) <= len(equations.state):
        return tuple(fresh)
    there = Surface.of(equations, result.system)
    seen = [there.seen(e, equations) for e in (*known, *(one.expression for one in told))]
    before = [e for e in seen if e is not None]
    for one in (one for one in fresh if not one.name):
        new = there.seen(one.expression, equations)
        if new is None:
            told.append(one)
        elif not there.are_functions([new], before):
            before.append(new)
            told.append(one)
    return tuple(told)


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
        assumed = _TIME if result.system.run.time is None else None
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
