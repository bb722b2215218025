"""The report of a study: one HTML file that opens offline, prints, and needs no download.

At the top what there is to say in sentences, then the system as it was stated and the mechanism on its way, then each
formalism with its equations, and its claims, its motion and its objects folded behind headings; the model file, and
whom to cite.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.metadata import version

from dalembert.model.claim import Claim
from dalembert.model.stored_form import written
from dalembert.model.system import System
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.badges import LEGEND, badge, checked_again, claims_table
from dalembert.present.bibliography import bibtex
from dalembert.present.page import STYLE, statement_html, title_of
from dalembert.present.part import Part
from dalembert.present.plots import Line, line_plot
from dalembert.present.summary import Sentence, kind_of_system

__all__ = ["report", "summary_html"]

_EXTRA = """
.summary { display: grid; grid-template-columns: 10.5rem 1fr; gap: .9rem 1.2rem; margin: 1.2rem 0 .6rem; }
.summary dt { font: 600 .82rem/1.9 system-ui, sans-serif; opacity: .8; } .summary dd { margin: 0; }
.summary p { margin: 0 0 .3rem; } .summary .verdict { margin-left: .25rem; }
.stated td:first-child { padding-right: 2rem; } .stated math { display: inline math; } .value { white-space: nowrap; }
nav { font: .92rem/1.9 system-ui, sans-serif; margin: 1.4rem 0 0; } nav a { margin-right: 1.1rem; white-space: nowrap; }
.apart dt { font-weight: 600; margin-top: .7rem; } .apart dd { margin: .1rem 0 0 1.2rem; }
@media (max-width: 40rem) { .summary { grid-template-columns: 1fr; gap: .1rem; } .summary dt { margin-top: .7rem; } }
"""
_ONE_START = ", from one start"
"""So ends the name of a comparison of motions that begin differently where they are shown."""
_TOPICS = {
    "What it is": ("constraints", "kind"),
    "What is conserved": ("conserved",),
    "What it reduces to": ("reduction",),
}
_PRINTER = """<script>
window.addEventListener('beforeprint', function () {
  document.querySelectorAll('details').forEach(function (d) { d.open = true; });
});
</script>"""
"""Browsers that do not know how to print what is folded get it unfolded."""


def report(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return the page."""
    body = [
        f"<header><h1>{escape(system.name)}</h1>",
        summary_html(system, parts, crossed),
        LEGEND,
        _contents(parts, crossed),
        '</header><h2 id="system">The system</h2>',
        statement_html(system),
        _motion(system, parts),
        *(part.html for part in parts if part.applies),
        _agreement(crossed),
        _apart(parts),
        f'<h2 id="model">The model file</h2><pre>{escape(written(system))}</pre>',
        _references(system, parts),
        f'<p class="evidence">Made by dalembert {version("dalembert")}.</p>',
    ]
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(system.name)}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}{FILM_STYLE}{_EXTRA}</style></head>\n'
        "<body>\n" + "\n".join(part for part in body if part) + f"\n{_PRINTER}</body></html>\n"
    )


def summary_html(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return what there is to say of a system in sentences, each with its verdict, by what they are about."""
    said: dict[str, Sentence] = {}
    for sentence in (s for part in parts for s in part.sentences):
        said.setdefault(sentence.text, sentence)
    groups = [
        (title, "".join(_sentence(s) for topic in topics for s in said.values() if s.topic == topic))
        for title, topics in _TOPICS.items()
    ]
    groups.append(("How sure it is", _checked(parts, crossed)))
    rows = "".join(f"<dt>{title}</dt><dd>{lines}</dd>" for title, lines in groups if lines)
    return f'<p class="lead">{escape(kind_of_system(system).text)}</p><dl class="summary">{rows}</dl>'


def _sentence(sentence: Sentence) -> str:
    return f"<p>{escape(sentence.text)} {sentence.formula} {badge(sentence.verdict)}</p>"


def _checked(parts: Sequence[Part], crossed: Sequence[Claim]) -> str:
    """Say how many claims were decided, and what failed, by name."""
    checks = [claim for part in parts for claim in part.claims if claim.role != "question"] + list(crossed)
    failed = [claim for claim in checks if claim.failed]
    open_ones = sum(claim.verdict.holds is None for claim in checks)
    told = f"{len(checks)} hypotheses and checks were looked at: "
    told += f"{len(failed)} refuted, {open_ones} undecided." if failed or open_ones else "all hold."
    names = "".join(f"<p>{badge('refuted')} {escape(claim.statement)}</p>" for claim in failed)
    same = [claim for claim in crossed if claim.verdict.holds]
    agreed = f"<p>{_compared(len(same), len(crossed))}{_begun(crossed)}</p>" if crossed else ""
    return f"<p>{told}</p>{names}{agreed}"


def _begun(crossed: Sequence[Claim]) -> str:
    """Say of which formalisms the motions shown begin differently, so that they are not the same."""
    pairs = [c.name.removesuffix(_ONE_START) for c in crossed if c.name.endswith(_ONE_START)]
    if not pairs:
        return ""
    return f" The motions shown of {escape('; '.join(pairs))} begin differently; they are compared from one start."


def _compared(same: int, of: int) -> str:
    if same == of:
        many = f"{of} comparison{'s' * (of != 1)}"
        return f"Where formalisms describe the same motion they agree, as fields and along it: {many}."
    return f'{same} of {of} comparisons of fields and motions agree: see <a href="#agreement">which do not</a>.'


def _contents(parts: Sequence[Part], crossed: Sequence[Claim]) -> str:
    links = [("system", "The system")]
    links += [("motion", "The motion")] if any(part.animation for part in parts) else []
    links += [(part.formalism, title_of(part.formalism)) for part in parts if part.applies and part.html]
    links += [("agreement", "Agreement")] if crossed else []
    links += [("model", "Model file")]
    shown = "".join(f'<a href="#{escape(name)}">{escape(title)}</a>' for name, title in links)
    return f'<nav aria-label="contents">{shown}</nav>'


def _motion(system: System, parts: Sequence[Part]) -> str:
    """Show the mechanism on its way and its main plots, and the vakonomic path beside it where there is one."""
    moving = next((part for part in parts if part.animation), None)
    against = _against(system, parts)
    pictures = f'<div class="plots">{moving.pictures if moving else ""}{against}</div>'
    if moving is None:
        return pictures if against else ""
    told = f'<p class="evidence">{title_of(moving.formalism)}, from the [start] of the model.</p>'
    return f'<h2 id="motion">The motion</h2>{told}{moving.animation}{pictures}'


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
        "Nonholonomic against vakonomic, from the same coordinates and velocities, with the multipliers that [start] "
        "gives (zero where it is silent)."
    )
    return f'<figure>{plot}<figcaption class="evidence">{words}</figcaption></figure>'


def _agreement(crossed: Sequence[Claim]) -> str:
    if not crossed:
        return ""
    return f'<h2 id="agreement">Formalisms against each other</h2>{claims_table(crossed, _again)}'


def _again(claim: Claim) -> str:
    """Return the line that compares anew: fields can be, by themselves; motions come with the study."""
    return checked_again(claim) if claim.name.endswith(" as fields") else "dalembert study MODEL"


def _apart(parts: Sequence[Part]) -> str:
    """Say which formalisms do not apply, and why, and where the safety net ended something on the way."""
    rows = "".join(_why(part) for part in parts if not part.applies or part.struck)
    return f'<h2 id="apart">Formalisms left out</h2><dl class="apart">{rows}</dl>' if rows else ""


def _why(part: Part) -> str:
    title = escape(title_of(part.formalism))
    if part.stopped:
        return f"<dt>{title}: nothing is said</dt><dd>{escape(part.stopped)}</dd>"
    if part.struck:
        told = f"the safety net ended {', '.join(part.struck)}; formulas may be longer than need be."
        return f"<dt>{title}: said in part</dt><dd>{escape(told)}</dd>"
    reasons = "".join(f"<dd>{escape(fault)}</dd>" for fault in part.faults)
    return f"<dt>{title}: this does not apply</dt>{reasons}"


def _references(system: System, parts: Sequence[Part]) -> str:
    entries = bibtex(system, [part.formalism for part in parts if part.applies])
    return f'<h2 id="references">Whom to cite</h2><pre>{escape(entries)}</pre>' if entries else ""
