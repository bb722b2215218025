"""The section of a formalism in a report: equations, what is constant, and folded claims, motion and objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.display import mathml, mathml_and_parts, mathml_equations
from dalembert.expr.field.simplification_budget import SimplificationBudget
from dalembert.expr.graph import Expr
from dalembert.mechanics.registry import Result, formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.badges import badge, claims_fold
from dalembert.present.displayed_equations import equations_to_show
from dalembert.present.motion import Moved
from dalembert.present.objects import formula, objects_html
from dalembert.present.style import STYLE
from dalembert.present.symbol_text import words_lettered

__all__ = ["STYLE", "Section", "formulas", "section_html", "statement_html", "title_of"]

_LARGEST = 250
"""Formulas with more nodes are shown as they are."""
_PARTS = 8
"""More named parts than these are folded away."""
_LINE = 68.0
"""Letters in a line of a formula."""


def title_of(name: str) -> str:
    """Return what a formalism is called on a page."""
    return formalism(name).title


@dataclass(frozen=True, slots=True)
class Section:
    """What one formalism has to say of a system."""

    formalism: str
    result: Result
    integrals: tuple[FirstIntegral, ...] = ()
    """What a search found to be constant along the motions."""
    motion: Moved | None = None
    """A motion with its plots and its audit, or why there is none."""
    objects: Mapping[str, object] | None = None
    """The objects of the result, where they are at hand."""
    claims: tuple[Claim, ...] = ()
    """What was decided of it."""


# -- what was stated -----------------------------------------------------------------------------------------
def statement_html(system: System) -> str:
    """Return the Lagrangian, equations, speeds and constraints of a system, typeset."""
    stated: list[tuple[Any, Expr]] = [("L", system.lagrangian)] if system.lagrangian is not None else []
    stated += [*system.equations.items(), *system.speeds.items()]
    held = "".join(
        f"<tr><td>{escape(name.replace('_', ' '))}</td><td>{_equation(c.left, c.right)}</td></tr>"
        for name, c in system.constraints.items()
    )
    table = f'<div class="wide"><table class="stated"><tr><th>constraint</th><th>equation</th></tr>{held}</table></div>'
    return f"{_symbols(system)}{formulas(stated)}{table if held else ''}"


def _equation(left: Expr, right: Expr) -> str:
    return mathml_equations([(left, right)], longest=_LINE).replace(' display="block"', "")


def _symbols(system: System) -> str:
    """Say what the letters are."""
    kinds = {"angle": "the angle", "positive": "the positive coordinate"}
    told = []
    for domain in dict.fromkeys(q.data.domain for q in system.q):
        several = [mathml(q, block=False) for q in system.q if q.data.domain == domain]
        told.append(f"{kinds.get(domain, 'the coordinate')}{'s' * (len(several) > 1)} {', '.join(several)}")
    values = [_valued(p, value) for p, value in system.parameters.items()]
    given = f" Parameters: {', '.join(values)}." if values else ""
    return f"<p>With {' and '.join(told)}.{given}</p>"


def _valued(parameter: Expr, value: Any) -> str:
    shown = mathml(parameter, block=False)
    return f'<span class="value">{shown} = {float(value):g}</span>' if value is not None else shown


def formulas(pairs: Sequence[tuple[Any, Expr]]) -> str:
    """Return equations on lines of their own; where many parts are named, these are folded."""
    if not pairs:
        return ""
    try:
        above, below, names = mathml_and_parts(pairs, longest=_LINE)
    except DalembertError as fault:
        return f'<p class="evidence">{escape(str(fault))}</p>'
    shown = f'<div class="formulas">{above}</div>'
    if not below:
        return shown
    state = " open" if names <= _PARTS else ""
    word = "part has a name" if names == 1 else "parts have names"
    parts = f'<div class="formulas">{below}</div>'
    return f"{shown}<details class='where'{state}><summary>where {names} {word}</summary>{parts}</details>"


# -- what a formalism says -----------------------------------------------------------------------------------
def section_html(section: Section, effort: float = 8.0) -> str:
    """Return the section of a formalism; ``effort`` is the work for making formulas short."""
    short = SimplificationBudget(effort, each=1.0, largest=_LARGEST)
    result, name = section.result, section.formalism
    title, lead = title_of(name), formalism(name).sentence
    objects = result.objects() if section.objects is None else section.objects
    named = {key: value for key, value in objects.items() if key != "first_integrals"}
    parts = [
        f'<h2 id="{escape(name)}">{escape(title)}</h2>',
        f'<p class="lead">{escape(lead)}</p>' if lead else "",
        *(f"{_said(title)}{formulas(p)}" for title, p in equations_to_show(result, short, narrow=True)),
        _integrals(section.integrals, short),
        claims_fold(section.claims, name),
        section.motion.html(folded=True) if section.motion is not None else "",
        objects_html(named, short),
    ]
    return f"<section>{''.join(parts)}</section>"


def _said(title: str) -> str:
    """Return the title of some equations as a line of its own."""
    return f"<p>{escape(words_lettered(title[:1].upper() + title[1:]))}</p>" if title else ""


def _integrals(found: Sequence[FirstIntegral], short: Callable[[Expr], Expr]) -> str:
    """List what is constant, each with its verdict."""
    if not found:
        return ""
    rows = "".join(
        f"<tr><td>{badge(i.verdict.kind)}</td><td>{formula(short(i.expression))}"
        f"{f' <span class=evidence>({escape(i.name)})</span>' if i.name else ''}</td></tr>"
        for i in found
    )
    return f'<h3>Constant along the motions</h3><div class="wide"><table>{rows}</table></div>'
