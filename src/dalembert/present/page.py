"""The section of a formalism in a report: equations, claims, integrals, a motion and objects; formulas in MathML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from shlex import quote
from typing import Any

from dalembert.errors import DalembertError
from dalembert.expr.display import mathml, mathml_equations
from dalembert.expr.graph import Expr
from dalembert.expr.walk import count, tree_size, unroll
from dalembert.mechanics.first_integrals import FirstIntegral
from dalembert.mechanics.formalisms import Result
from dalembert.mechanics.shortening import Shortening
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.motion import Moved

__all__ = ["STYLE", "Section", "section_html", "statement_html"]

_MANY = 16
"""More claims than these are folded away."""
_LARGEST = 20_000
"""Formulas with more nodes are shown as they are."""
_LONG = 500
"""Nodes of a tree that still make a line in a table."""

STYLE = """
:root { color-scheme: light dark; }
body { font: 17px/1.55 Georgia, 'Times New Roman', serif; max-width: 62rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.9rem; margin-bottom: 0; } h2 { margin-top: 2.4rem; border-bottom: 1px solid #8886; }
.lead { color: #777; margin-top: .2rem; }
math { font-size: 1.08rem; } .formulas { overflow-x: auto; margin: .6rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
td, th { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #8884; }
.verdict { font: 600 .78rem/1.6 system-ui, sans-serif; padding: .1rem .5rem; border-radius: .6rem; color: #fff; }
.proved { background: #1b7a3d; } .certain { background: #2f6fb3; } .measured { background: #6a5acd; }
.refuted { background: #b3392f; } .undecided { background: #777; }
.evidence { color: #777; font-size: .86rem; overflow-wrap: anywhere; }
.plots { display: flex; flex-wrap: wrap; gap: .6rem; } figure { margin: 0; flex: 1 1 24rem; max-width: 36rem; }
svg.plot { width: 100%; height: auto; break-inside: avoid; }
details { margin: .5rem 0; } summary { cursor: pointer; } pre { overflow-x: auto; font-size: .85rem; }
@media print { details { display: block; } body { max-width: none; } }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """What one formalism has to say of a system."""

    formalism: str
    result: Result
    integrals: tuple[FirstIntegral, ...] = ()
    """What a search found to be constant along the motions."""
    motion: Moved | None = None
    """A motion with its plots and its audit, or why there is none."""


def statement_html(system: System) -> str:
    """Return the Lagrangian, equations and constraints of a system, typeset."""
    return _formulas(_statement(system))


def _statement(system: System) -> list[tuple[Any, Expr]]:
    lines: list[tuple[Any, Expr]] = [("L", system.lagrangian)] if system.lagrangian is not None else []
    lines += list(system.equations.items())
    lines += [(c.left, c.right) for c in system.constraints.values()]
    return lines


def _formulas(pairs: Sequence[tuple[Any, Expr]]) -> str:
    if not pairs:
        return ""
    try:
        return f'<div class="formulas">{mathml_equations(list(pairs))}</div>'
    except DalembertError as fault:
        return f'<p class="evidence">{escape(str(fault))}</p>'


def section_html(section: Section, seconds: float = 8.0) -> str:
    """Return the section of a formalism; at most ``seconds`` are spent on making formulas short."""
    short = Shortening(seconds, each=1.0, largest=_LARGEST)
    title = f'<h2 id="{section.formalism}">{escape(section.formalism)}</h2>'
    result = section.result
    rates = [(name.dot, short(rate)) for name, rate in result.equations.rates().items()]
    news = [(left, right) for left, right in rates if left is not right]
    lift = [(name.dot, short(rate)) for name, rate in result.equations.lift.items()]
    found = f"<p>The rest is found again by</p>{_formulas(lift)}" if lift else ""
    named = {name: value for name, value in result.objects().items() if name != "first_integrals"}
    objects = "".join(_object(name, value, short) for name, value in named.items())
    moved = section.motion.html() if section.motion is not None else ""
    claims = _claims(result.claims, section.formalism)
    return f"{title}{_formulas(news)}{found}{claims}{_integrals(section.integrals, short)}{moved}{objects}"


def _integrals(found: Sequence[FirstIntegral], short: Callable[[Expr], Expr]) -> str:
    """List what is constant, each with its verdict."""
    if not found:
        return ""
    rows = "".join(
        f'<tr><td><span class="verdict {i.verdict.kind}">{i.verdict.kind}</span></td>'
        f"<td>{_inline(short(i.expression))}</td><td>{escape(i.name)}</td></tr>"
        for i in found
    )
    return f"<h3>Constant along the motions</h3><table>{rows}</table>"


def _object(name: str, value: Any, short: Callable[[Expr], Expr]) -> str:
    """Fold an object away under its name."""
    rows = "".join(f"<tr><td>{escape(label)}</td><td>{_inline(short(e))}</td></tr>" for label, e in _flat(value))
    title = escape(name.replace("_", " "))
    return f"<details><summary>{title}</summary><table>{rows}</table></details>" if rows else ""


def _inline(expression: Expr) -> str:
    """Return a formula in the text, or say that it is too long to be read."""
    (plain,) = unroll([expression])
    if tree_size(plain) > _LONG:
        return f'<span class="evidence">{count([plain]).total} operations: see the JSON of derive</span>'
    return mathml(plain, block=False)


def _flat(value: Any, label: str = "") -> list[tuple[str, Expr]]:
    if isinstance(value, Expr):
        return [(label, value)]
    if isinstance(value, Mapping):
        return [row for key, part in value.items() for row in _flat(part, f"{label} {key}".strip())]
    if isinstance(value, list | tuple):
        return [row for k, part in enumerate(value, 1) for row in _flat(part, f"{label} {k}".strip())]
    return []


def _claims(claims: Sequence[Claim], formalism: str) -> str:
    """Fold the claims behind their count, each with the line that decides it anew."""
    rows = "".join(
        f'<tr><td><span class="verdict {c.verdict.kind}">{c.verdict.kind}</span></td>'
        f'<td>{escape(c.statement)}<br><span class="evidence">{escape(c.verdict.evidence)}</span><br>'
        f"<code>dalembert check MODEL {escape(quote(c.name))} --as {formalism}</code></td><td>{c.role}</td></tr>"
        for c in claims
    )
    kinds = [claim.verdict.kind for claim in claims]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    table = f"<table><tr><th>verdict</th><th>claim</th><th>role</th></tr>{rows}</table>"
    state = " open" if len(claims) <= _MANY else ""
    return f"<details{state}><summary>{len(claims)} claims: {counts}</summary>{table}</details>"
