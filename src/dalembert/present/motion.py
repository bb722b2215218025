"""A trajectory on a page: its plots, what became of it, and its audit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.present.badges import claims_table
from dalembert.present.plots import Line, line_plot

__all__ = ["Moved", "motion_page", "plots_of"]

_POINTS = 500
_TOGETHER = 4
"""So many coordinates share one plot."""
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_MOST = 8
"""No more phase portraits than these."""


def plots_of(run: Trajectory, system: System | None = None, drifts: Sequence[Any] = ()) -> dict[str, str]:
    """Return SVG plots by title: the path, coordinates over time, phase portraits, and drifts on a logarithmic scale.

    ``drifts`` are those of an audit; what is a constant of the motion is drawn.
    """
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
        found[title] = line_plot(
            [Line(smooth.t, smooth[n], n) for n in part], title, "t", part[0] if len(part) == 1 else ""
        )
    for name in [n for n in names if f"{n}'" in run][:_MOST]:
        portrait = Line(smooth[name], smooth[f"{name}'"], mark_start=True)
        found[f"phase portrait of {name}"] = line_plot([portrait], f"phase portrait of {name}", name, f"{name}'")
    kept = [d for d in drifts if d.conserved.holds is True and d.name in run]
    if kept:
        lines = [Line(run.t, (run[d.name] - d.first) / (d.scale or 1.0), d.name) for d in kept[:6]]
        found["drift"] = line_plot(
            lines, f"drift of {', '.join(d.name for d in kept[:6])}", "t", "of the largest term", log=True
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
    seconds: float = 0.0
    """How long it took, all in all."""

    def html(self) -> str:
        """Return the part of a page."""
        if self.run is None:
            return f'<h3>A motion</h3><p class="evidence">No motion is shown: {escape(self.why)}</p>'
        told = self.run.provenance
        begin = ", ".join(f"{name} = {value:.4g}" for name, value in dict(told.get("start", {})).items())
        words = (
            f"From {begin}; engine {told.get('engine')}, tolerance {told.get('tolerance', 0):g}, "
            f"{told.get('steps')} steps: {self.run.message}"
        )
        inside = [svg.replace(_NAMESPACE, "") for svg in self.plots.values()]  # in a page it goes without saying
        pictures = "".join(f"<figure>{svg}</figure>" for svg in inside)
        table = claims_table(self.claims)
        return f'<h3>A motion</h3><p class="evidence">{escape(words)}</p><div class="plots">{pictures}</div>{table}'

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


def motion_page(moved: Moved) -> str:
    """Return a page of its own about a motion."""
    from dalembert.present.page import STYLE

    told: Mapping[str, Any] = moved.run.provenance if moved.run is not None else {}
    title = escape(f"{told.get('system', 'motion')}, {told.get('formalism', '')}")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>\n'
        f"<body><h1>{title}</h1>{moved.html()}</body></html>\n"
    )
