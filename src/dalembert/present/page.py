"""One self-contained HTML page about a system: no script, no font, nothing to download; formulas in MathML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from time import monotonic
from typing import Any

from dalembert.errors import DalembertError, Fault
from dalembert.expr.display import mathml, mathml_equations
from dalembert.expr.field import tidy
from dalembert.expr.graph import Expr
from dalembert.expr.walk import count, tree_size, unroll
from dalembert.mechanics.first_integrals import FirstIntegral
from dalembert.mechanics.formalisms import Result
from dalembert.model.claim import Claim
from dalembert.model.files import dumps
from dalembert.model.system import System

__all__ = ["Section", "page"]

_LONG = 500
"""Nodes of a tree that still make a line in a table."""

_STYLE = """
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
details { margin: .5rem 0; } summary { cursor: pointer; } pre { overflow-x: auto; font-size: .85rem; }
@media print { details { display: block; } body { max-width: none; } }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """What one formalism has to say of a system: a result, or the reasons why there is none."""

    formalism: str
    result: Result | None
    faults: tuple[Fault, ...] = ()
    integrals: tuple[FirstIntegral, ...] = ()
    """What a search found to be constant along the motions."""


class _Shortening:
    """Makes formulas short as long as there is time left; after that they are shown as they are."""

    def __init__(self, seconds: float) -> None:
        self.end = monotonic() + seconds

    def __call__(self, expression: Expr) -> Expr:
        left = self.end - monotonic()
        return tidy(expression, min(left, 1.0)) if left > 0.1 else expression


def page(system: System, sections: Sequence[Section], seconds: float = 8.0) -> str:
    """Return the page; at most ``seconds`` are spent on making formulas short."""
    short = _Shortening(seconds)
    parts = [
        f"<h1>{escape(system.name)}</h1>",
        f'<p class="lead">{_lead(system)}</p>',
        "<h2>The system</h2>",
        _formulas(_statement(system)),
        *(_section(section, short) for section in sections),
        f"<h2>The model file</h2><pre>{escape(dumps(system))}</pre>",
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(system.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_STYLE}</style></head>\n<body>\n'
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _lead(system: System) -> str:
    count = len(system.q)
    held = len(system.constraints)
    words = f"{count} coordinate{'s' if count != 1 else ''}"
    return words + (f", {held} constraint{'s' if held != 1 else ''}" if held else ", no constraints")


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


def _section(section: Section, short: Callable[[Expr], Expr]) -> str:
    title = f"<h2>{escape(section.formalism)}</h2>"
    if section.result is None:
        reasons = "".join(f"<li>{escape(str(fault))}</li>" for fault in section.faults)
        return f"{title}<p>This formalism does not apply:</p><ul>{reasons}</ul>"
    result = section.result
    rates = [(name.dot, short(rate)) for name, rate in result.equations.rates().items()]
    news = [(left, right) for left, right in rates if left is not right]
    named = {name: value for name, value in result.objects().items() if name != "first_integrals"}
    objects = "".join(_object(name, value, short) for name, value in named.items())
    return f"{title}{_formulas(news)}{_claims(result.claims)}{_integrals(section.integrals, short)}{objects}"


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


def _claims(claims: Sequence[Claim]) -> str:
    rows = "".join(
        f'<tr><td><span class="verdict {c.verdict.kind}">{c.verdict.kind}</span></td>'
        f'<td>{escape(c.statement)}<br><span class="evidence">{escape(c.verdict.evidence)}</span></td>'
        f"<td>{c.role}</td></tr>"
        for c in claims
    )
    return f"<table><tr><th>verdict</th><th>claim</th><th>role</th></tr>{rows}</table>"
