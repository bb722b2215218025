"""A trajectory on a page: its plots, what became of it, and its audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from dalembert.errors import expect
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.badges import claims_table
from dalembert.present.plots import Line, line_plot
from dalembert.present.style import STYLE
from dalembert.present.symbol_text import lettered

__all__ = ["Moved", "motion_page", "plots_of"]

_POINTS = 500
_TOGETHER = 4
"""So many coordinates share one plot."""
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_DRIFT = "share of the largest term"
_TOP = 4
"""No more plots than these stand at the top of a report."""
_MOST = 8
"""No more phase portraits than these."""


@np.errstate(all="ignore")  # a plot leaves out what is not finite
def plots_of(run: Trajectory, system: System | None = None, drifts: Sequence[Any] = ()) -> dict[str, str]:
    """Return SVG plots by title: the path, coordinates over time, phase portraits, and drifts on a logarithmic scale.

    ``drifts`` are those of an audit; what is a constant of the motion is drawn.
    """
    expect(run, Trajectory, "plots_of takes a motion")
    smooth = _smooth(run)
    names = [q.data.label for q in system.q if q.data.label in run] if system is not None else []
    names = names or [name for name in run.names if not name.endswith("'")]
    real = [q.data.label for q in system.q if q.data.domain != "angle"] if system is not None else names
    real = [name for name in real if name in run]
    found: dict[str, str] = {}
    if len(real) > 1:
        path = Line(smooth[real[0]], smooth[real[1]], mark_start=True)
        found["path"] = line_plot([path], f"path of ({real[0]}, {real[1]})", real[0], real[1], equal=True)
    for k in range(0, len(names), _TOGETHER):
        part = names[k : k + _TOGETHER]
        title = f"{', '.join(part)} over time"
        lines = [Line(smooth.t, smooth[n], n) for n in part]
        found[title] = line_plot(lines, title, "t", part[0] if len(part) == 1 else "")
    for name in [n for n in names if f"{n}'" in run][:_MOST]:
        portrait = Line(smooth[name], smooth[f"{name}'"], mark_start=True)
        found[f"phase portrait of {name}"] = line_plot([portrait], f"phase portrait of {name}", name, f"{name}'")
    kept = [d for d in drifts if d.conserved.holds is True and d.name in run]
    if kept:
        lines = [Line(run.t, (run[d.name] - d.first) / (d.scale or 1.0), d.name) for d in kept[:6]]
        found["drift"] = line_plot(
            lines, f"drift of {kept[0].name}" if len(kept) == 1 else "drift of what is constant", "t", _DRIFT, log=True
        )
    return found


def _smooth(run: Trajectory) -> Trajectory:
    """Return the motion at many even times, where it can be known there."""
    if run.dense is None or run.knots.size < 2:
        return run
    return run.at(np.linspace(run.knots[0], run.knots[-1], _POINTS))


@dataclass(frozen=True, slots=True)
class Moved:
    """A motion for a page, with its plots and what was measured; or the sentence that says why there is none."""

    why: str = ""
    run: Trajectory | None = None
    plots: Mapping[str, str] = field(default_factory=dict)
    claims: tuple[Claim, ...] = ()
    """How long it took, all in all."""

    def html(self, *, folded: bool = False) -> str:
        """Return the part of a page: plots, how the motion was computed, and what was measured along it."""
        if self.run is None:
            return f'<p class="evidence">No motion is shown: {escape(self.why)}</p>'
        told = self.run.provenance
        begin = ", ".join(f"{lettered(name)} = {value:.4g}" for name, value in dict(told.get("start", {})).items())
        words = (
            f"From {begin}; engine {told.get('engine')}, tolerance {told.get('tolerance', 0):g}, "
            f"{told.get('steps')} steps: {self.run.message}"
        )
        again = f"dalembert simulate MODEL --as {told.get('formalism')}"  # it measures all of them
        body = (
            f'<p class="evidence">{escape(words)}</p><div class="plots">{_figures(self.plots.values())}</div>'
            f"{claims_table(self.claims, lambda _: again)}"
        )
        if not folded:
            return body
        measured = f"; {len(self.claims)} claim{'s' * (len(self.claims) != 1)} measured along it" if self.claims else ""
        return f"<details><summary>Its motion to t = {self.run.t[-1]:g}{measured}</summary>{body}</details>"

    def pictures(self) -> str:
        """Return the plots that say most, for the top of a report: the path, coordinates over time, drifts."""
        first = [svg for name, svg in self.plots.items() if not name.startswith("phase portrait")]
        drift = [self.plots["drift"]] if "drift" in self.plots else []
        return _figures([*[svg for svg in first if svg not in drift][: _TOP - len(drift)], *drift])

    def to_json(self) -> dict[str, Any]:
        """Return what became of the motion, for programs."""
        if self.run is None:
            return {"why": self.why}
        return {
            "status": self.run.status,
            "message": self.run.message,
            "time": [float(self.run.t[0]), float(self.run.t[-1])],
            "claims": [claim.to_json() for claim in self.claims],
        }


def _figures(pictures: Iterable[str]) -> str:
    inside = (svg.replace(_NAMESPACE, "") for svg in pictures)  # in a page it goes without saying
    return "".join(f"<figure>{svg}</figure>" for svg in inside)


def motion_page(moved: Moved) -> str:
    """Return a page of its own about a motion."""
    told: Mapping[str, Any] = moved.run.provenance if moved.run is not None else {}
    title = escape(f"{told.get('system', 'motion')}, {told.get('formalism', '')}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>{moved.html()}</body></html>\n"
    )
