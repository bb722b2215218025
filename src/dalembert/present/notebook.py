"""How things look in a notebook: after ``%load_ext dalembert`` they are typeset, tabulated, plotted and played.

The layers below know nothing of pages, so they have no ``_repr_html_``: what is here is registered with the formatter
of the running notebook, under the names of the types, which are not loaded for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from dalembert.expr.display import mathml_equations
from dalembert.expr.truth import Verdict
from dalembert.mechanics.formalisms import Result
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.animation import animation
from dalembert.present.badges import claims_table, verdict_html
from dalembert.present.motion import Moved, plots_of
from dalembert.present.page import STYLE, Section, section_html, statement_html
from dalembert.present.report import summary_html
from dalembert.present.scene import scene_of

__all__ = ["RESULTS", "Film", "film", "html_of", "register"]

_SHORT = 2.0
"""Seconds for making the formulas of a result short."""

RESULTS = {
    "dalembert.mechanics.euler_lagrange": "EulerLagrange",
    "dalembert.mechanics.nonholonomic": "Nonholonomic",
    "dalembert.mechanics.nonlinear": "ConstrainedMotion",
    "dalembert.mechanics.chaplygin": "Chaplygin",
    "dalembert.mechanics.chaplygin_frame": "ChaplyginInFrame",
    "dalembert.mechanics.routh": "Routh",
    "dalembert.mechanics.vakonomic": "Vakonomic",
    "dalembert.mechanics.semisymplectic": "SemiHamiltonian",
}
"""What ``derive`` returns, by the files it comes from."""


@dataclass(frozen=True, slots=True)
class Film:
    """A mechanism on its way, for the last line of a cell."""

    page: str

    def _repr_html_(self) -> str:
        return _framed(self.page)


def film(run: Trajectory, system: System) -> Film:
    """Return the animation of a motion, with play, pause and a slider."""
    return Film(animation(scene_of(run, system), system.name))


def html_of(thing: object) -> str | None:
    """Return what a notebook shows of a thing, or nothing where it knows no more than Python does.

    >>> "it is the number 0." in html_of(Verdict("proved", "it is the number 0."))
    True
    >>> html_of(7) is None
    True
    """
    show = _SHOWN.get((type(thing).__module__, type(thing).__name__))
    return None if show is None else show(thing)


def register(shell: Any) -> None:
    """Tell the formatter of a notebook about all that is shown here."""
    formatter = shell.display_formatter.formatters["text/html"]
    for (module, name), show in _SHOWN.items():
        formatter.for_type_by_name(module, name, show)


def _verdict(verdict: Verdict) -> str:
    return _inline(verdict_html(verdict))


def _claim(claim: Claim) -> str:
    return _inline(claims_table([claim]))


def _audit(measured: Any) -> str:
    return _inline(claims_table(measured.claims))


def _system(system: System) -> str:
    return _inline(f"<h3>{escape(system.name)}</h3>{statement_html(system)}")


def _equations(equations: Equations) -> str:
    rates = [(name.dot, rate) for name, rate in (*equations.rates().items(), *equations.lift.items())]
    return _inline(mathml_equations([(left, right) for left, right in rates if left is not right]))


def _result(result: Result) -> str:
    return _inline(section_html(Section(result.equations.formalism, result), _SHORT))


def _trajectory(run: Trajectory) -> str:
    return _inline(Moved(run=run, plots=plots_of(run)).html())


def _study(studied: Any) -> str:
    """Return the summary of a study and the mechanism; the rest is in the report."""
    shown = next((part.animation for part in studied.parts if part.animation), "")
    summary = summary_html(studied.system, studied.parts, studied.crossed)
    return _inline(f"<h3>{escape(studied.system.name)}</h3>{summary}") + (_framed(shown) if shown else "")


def _inline(body: str) -> str:
    """Return a part of a notebook with the style of a report, which stays inside it."""
    return f'<div class="dalembert"><style>.dalembert {{ {STYLE} }}</style>{body}</div>'


def _framed(body: str) -> str:
    """Return a page of its own inside a notebook, as high as it needs to be: scripts run there in every notebook."""
    page = f"<!DOCTYPE html><meta charset='utf-8'><style>{STYLE}{FILM_STYLE} body {{ margin: 0; }}</style>{body}"
    fit = "this.style.height = this.contentDocument.documentElement.scrollHeight + 8 + 'px'"
    look = "width: 100%; max-width: 680px; height: 480px; border: 0"
    return f'<iframe srcdoc="{escape(page)}" style="{look}" onload="{fit}" title="animation"></iframe>'


_SHOWN: dict[tuple[str, str], Callable[[Any], str]] = {
    (Verdict.__module__, "Verdict"): _verdict,
    (Claim.__module__, "Claim"): _claim,
    (System.__module__, "System"): _system,
    (Equations.__module__, "Equations"): _equations,
    (Trajectory.__module__, "Trajectory"): _trajectory,
    ("dalembert.analysis.audit", "Audit"): _audit,
    ("dalembert.study", "Study"): _study,
    **dict.fromkeys(RESULTS.items(), _result),
}
