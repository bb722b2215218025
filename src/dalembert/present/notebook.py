"""How things look in a notebook: typeset, tabulated, plotted and played.

Results show themselves by the hooks of ``shown.Shown``. After ``%load_ext dalembert`` lists, tables and records without
these hooks are shown too: one function is registered for all types with the formatter of the running notebook, and what
is not ours goes its usual way.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from dalembert.errors import EvaluationError, expect
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.animation import animation
from dalembert.present.frames import film_page, framed
from dalembert.present.html_writer import html
from dalembert.present.latex_writer import displayed
from dalembert.present.motion import system_of
from dalembert.present.page import formulas_in, is_within
from dalembert.present.scene import scene_of
from dalembert.present.style import STYLE
from dalembert.present.text_writer import brief
from dalembert.present.things import is_ours, page_of
from dalembert.records import dataclass

_READ = 1_000
"""Shared nodes of formulas that are still read as LaTeX."""
_FIRST = 50
"""So many entries of a list are looked at to see whose it is."""
_STYLE = """
h4 { margin: .4rem 0; font-size: 1.05rem; } p { margin: .3rem 0; }
table { width: auto; max-width: 100%; } td:first-child { width: auto; }
ol, ul { margin: .3rem 0; } figure { flex: 1 1 20rem; max-width: 30rem; }
container-type: inline-size;
.wide { overflow-x: auto; } td, th { text-align: left; overflow-wrap: normal; word-break: normal; }
@container (max-width: 42rem) {
  table:has(td:first-child > .verdict), table:has(td:first-child > .verdict) > tbody { display: block; }
  tr:has(> td:first-child > .verdict) { display: grid; grid-template-columns: auto 1fr; padding: .35rem 0; }
  tr:has(> td:first-child > .verdict) > td { border: 0; padding: .1rem .4rem .1rem 0; }
  tr:has(> td:first-child > .verdict) > td:nth-child(2) { order: 3; grid-column: 1 / -1; overflow-x: auto; }
}
"""
"""In a notebook things stand closer than in a report; in a narrow column a claim stands below its verdict."""


@dataclass(frozen=True, slots=True)
class Film:
    """A mechanism on its way, for the last line of a cell."""

    title: str
    page: str

    def _repr_html_(self) -> str:
        return framed(film_page(self.page), self.title)

    def __repr__(self) -> str:
        """Say what it is; the page is for a notebook."""
        return f"<film of {self.title}>"


def film(run: Trajectory, system: System | None = None) -> Film:
    """Return the animation of a motion, with play, pause and a slider; as the last line of a cell it is shown.

    A motion knows its system; another one may be given, with a drawing of its own. Each film is a page of its own, so
    there may be many in one notebook.

    >>> from dalembert import System, derive, simulate
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> film(simulate(derive(fall, "euler-lagrange"), {"z": 1}, time=1))
    <film of fall>
    """
    expect(run, Trajectory, "film takes a motion")
    drawn = system if system is not None else system_of(run)
    if drawn is None:
        raise EvaluationError("this motion does not know its system; give it as well: film(run, system).")
    return Film(drawn.name, animation(scene_of(run, drawn), drawn.name))


def bundle(thing: object) -> dict[str, str] | None:
    """Return what a notebook shows of a thing by kinds of text, or nothing where it knows no more than Python does.

    >>> from dalembert.expr.truth import Verdict
    >>> sorted(bundle(Verdict("proved", "it is the number 0.")))
    ['text/html', 'text/plain']
    >>> bundle(7) is None
    True
    """
    if isinstance(thing, Film) or not _shows(thing):  # a film says by itself how it looks
        return None
    page = page_of(thing)
    formulas = displayed(page) if is_within([right for _, right in formulas_in(page)], _READ) else ""
    shown = {"text/html": _inline(html(page)), "text/latex": formulas, "text/plain": brief(page)}
    return {kind: text for kind, text in shown.items() if text}


def html_of(thing: object) -> str | None:
    """Return what a notebook shows of a thing on its page."""
    return (bundle(thing) or {}).get("text/html")


def latex_of(thing: object) -> str | None:
    r"""Return the formula of a thing for print: equations, the statement of a system, a field, a form.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2 - g*z")
    >>> print(latex_of(fall))
    $\displaystyle \begin{aligned}
    L &= \dot{z}^2 - g z
    \end{aligned}$
    """
    return (bundle(thing) or {}).get("text/latex")


def register(shell: Any) -> None:
    """Tell the formatter of a notebook about all that is shown here; in a terminal only the plain text is made."""
    formatter = shell.display_formatter

    def show(thing: object) -> Any:
        shown = None
        if "text/html" in formatter.active_types:
            shown = bundle(thing)
        elif _shows(thing) and is_ours(thing):
            shown = {"text/plain": brief(page_of(thing))}
        if shown is not None:
            return shown
        theirs = getattr(type(thing), "_repr_mimebundle_", None)
        return None if theirs is None else theirs(thing, include=None, exclude=None)

    formatter.mimebundle_formatter.for_type(object, show)


def _shows(thing: object, depth: int = 0) -> bool:
    """Say whether a thing is ours, or a list or a table that begins with something of ours."""
    if isinstance(thing, BaseException | type) or depth > 3:
        return False
    parts = thing.values() if isinstance(thing, Mapping) else thing
    if isinstance(thing, Mapping | list | tuple | set | frozenset):
        return any(_shows(part, depth + 1) for part in islice(parts, _FIRST))  # type: ignore[call-overload]
    return is_ours(thing)


def _inline(body: str) -> str:
    """Return a part of a notebook with the style of a report, which stays inside it."""
    return f'<div class="dalembert"><style>.dalembert {{ {STYLE}{_STYLE} }}</style>{body}</div>'
