"""The report of a study: one HTML file that opens offline, prints, and needs no download.

At the top what there is to say in sentences, then the mechanism on its way, then each formalism with its equations, its
claims, its motion and its objects folded behind headings; the model file, and whom to cite.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.metadata import version

from dalembert.model.claim import Claim
from dalembert.model.files import dumps
from dalembert.model.system import System
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.badges import badge, claims_table
from dalembert.present.bibliography import bibtex
from dalembert.present.page import STYLE, statement_html
from dalembert.present.part import Part
from dalembert.present.plots import Line, line_plot
from dalembert.present.summary import Sentence, kind_of_system

__all__ = ["report", "summary_html"]

_EXTRA = """
.summary li { margin: .25rem 0; } nav { font: .92rem system-ui, sans-serif; } nav a { margin-right: 1rem; }
.apart { color: #777; } .witness { background: #1b7a3d; }
"""


def report(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return the page."""
    film = next((part.animation for part in parts if part.animation), "")
    body = [
        f"<h1>{escape(system.name)}</h1>",
        summary_html(system, parts, crossed),
        _contents(parts),
        '<h2 id="system">The system</h2>',
        statement_html(system),
        f'<h2 id="motion">The motion</h2>{film}' if film else "",
        _against(system, parts),
        *(_part(part) for part in parts),
        _agreement(crossed),
        f'<h2 id="model">The model file</h2><pre>{escape(dumps(system))}</pre>',
        _references(system, parts),
        f'<p class="evidence">Made by dalembert {version("dalembert")}.</p>',
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(system.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{FILM_STYLE}{_EXTRA}</style></head>\n'
        "<body>\n" + "\n".join(part for part in body if part) + "\n</body></html>\n"
    )


def summary_html(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return what there is to say of a system in sentences, each with its verdict."""
    said: dict[str, Sentence] = {}
    for sentence in (kind_of_system(system), *(s for part in parts for s in part.sentences)):
        said.setdefault(sentence.text, sentence)
    claims = [claim for part in parts for claim in part.claims] + list(crossed)
    checks = [claim for claim in claims if claim.role != "question"]
    failed = [claim for claim in checks if claim.failed]
    told = f"{len(checks)} hypotheses and checks were decided, {len(failed)} of them refuted."
    lines = [*said.values(), Sentence(told)]
    items = "".join(f"<li>{escape(s.text)} {badge(s.verdict)}</li>" for s in lines)
    return f'<ul class="summary">{items}</ul>'


def _contents(parts: Sequence[Part]) -> str:
    links = "".join(f'<a href="#{part.formalism}">{part.formalism}</a>' for part in parts if part.applies)
    return f'<nav><a href="#system">the system</a>{links}<a href="#model">model file</a></nav>'


def _part(part: Part) -> str:
    if part.applies:
        return part.html
    title = f'<h2 id="{part.formalism}">{escape(part.formalism)}</h2>'
    if part.stopped:
        return f"{title}<p>Nothing is said here: {escape(part.stopped)}</p>"
    reasons = "".join(f"<li>{escape(fault)}</li>" for fault in part.faults)
    return f'{title}<div class="apart"><p>This formalism does not apply:</p><ul>{reasons}</ul></div>'


def _against(system: System, parts: Sequence[Part]) -> str:
    """Draw the nonholonomic and the vakonomic path from the same start, where there are both."""
    by_name = {part.formalism: part for part in parts if part.path}
    if not {"nonholonomic", "vakonomic"} <= by_name.keys():
        return ""
    one, other = by_name["nonholonomic"].path, by_name["vakonomic"].path
    real = [
        q.data.label for q in system.q if q.data.domain != "angle" and q.data.label in one and q.data.label in other
    ]
    names = real if len(real) > 1 else [name for name in one if name in other]
    if len(names) < 2:
        return ""
    x, y = names[:2]
    lines = [Line(one[x], one[y], "nonholonomic", mark_start=True), Line(other[x], other[y], "vakonomic")]
    plot = line_plot(lines, f"paths of ({x}, {y})", x, y, equal=True)
    words = (
        "From the same coordinates and velocities, with the multipliers that [start] gives (zero where it is silent):"
    )
    return f'<h3>Nonholonomic against vakonomic</h3><p class="evidence">{words}</p><figure>{plot}</figure>'


def _agreement(crossed: Sequence[Claim]) -> str:
    if not crossed:
        return ""
    return f"<h2>Formalisms against each other</h2>{claims_table(crossed)}"


def _references(system: System, parts: Sequence[Part]) -> str:
    entries = bibtex(system, [part.formalism for part in parts if part.applies])
    return f'<h2 id="references">Whom to cite</h2><pre>{escape(entries)}</pre>' if entries else ""
