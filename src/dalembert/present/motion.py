"""Motions on a page: their plots, what became of them, and what was measured along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, expect
from dalembert.expr.display.names import lettered
from dalembert.model.claim import Claim
from dalembert.model.stored_form import read_back
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Trajectory
from dalembert.present.html_writer import document
from dalembert.present.page import Block, Claims, Picture, Section, Words
from dalembert.present.plots import Line, line_plot
from dalembert.present.run_page import FORCES
from dalembert.records import dataclass, field, replace

_POINTS = 500
"""Even times of a smooth curve."""
_APART = 600
"""So many points of a curve can be told apart."""
_MEMBERS = 40
"""So many motions of an ensemble are drawn."""
_TOGETHER = 4
"""So many coordinates share one plot."""
_NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_DRIFT = "share of the largest term"
_RESTS = 1e-12
"""What moves by less of its size rests."""
_TOP = 4
"""No more plots than these stand at the top of a report."""
_MOST = 8
"""No more phase portraits than these."""


@np.errstate(all="ignore")  # a plot leaves out what is not finite
def plots_of(
    run: Trajectory, system: System | None = None, drifts: Sequence[Any] = (), angles: str = "ZXZ"
) -> dict[str, str]:
    """Return SVG plots by title: the path, coordinates over time, phase portraits, and drifts on a logarithmic scale.

    ``drifts`` are those of an audit; what is a constant of the motion is drawn. Rotations are drawn by the ``angles``
    of a sequence of axes, as ``Rotations.euler`` has them, by angular velocities and by the path of their third axis.
    """
    expect(run, Trajectory, "plots_of takes a motion")
    smooth = _smooth(run)
    points = () if system is None else tuple(p for p in system.points if all(q.data.label in run for q in p.components))
    parts = {q.data.label for point in points if point.is_rotation for q in point.components}
    names = [q.data.label for q in system.q if q.data.label in run] if system is not None else []
    names = names or [name for name in run.names if not name.endswith("'")]
    names = [name for name in names if name not in parts]
    real = [q.data.label for q in system.q if q.data.domain != "angle"] if system is not None else names
    real = [name for name in real if name in names]
    found: dict[str, str] = {}
    if len(real) > 1 and _goes_on(smooth[real[0]], smooth[real[1]]):
        path = Line(smooth[real[0]], smooth[real[1]], mark_start=True)
        found["path"] = line_plot([path], f"path of ({real[0]}, {real[1]})", real[0], real[1], equal=True)
    for point in points:
        found |= _turns(smooth, point.name, angles) if point.is_rotation else {}
    for k in range(0, len(names), _TOGETHER):
        part = names[k : k + _TOGETHER]
        title = f"{', '.join(part)} over time"
        lines = [Line(smooth.t, smooth[n], n) for n in part]
        found[title] = line_plot(lines, title, "t", part[0] if len(part) == 1 else "")
    moving = [n for n in names if f"{n}'" in run and np.ptp(smooth[n]) > 0]  # what rests has no portrait
    for name in moving[:_MOST]:
        portrait = Line(smooth[name], smooth[f"{name}'"], mark_start=True)
        found[f"phase portrait of {name}"] = line_plot([portrait], f"phase portrait of {name}", name, f"{name}'")
    kept = [d for d in drifts if d.conserved.holds is True and d.name in run and not d.name.startswith(FORCES)]
    if kept:
        lines = [Line(run.t, (run[d.name] - d.first) / (d.scale or 1.0), d.name) for d in kept[:6]]
        found["drift"] = line_plot(
            lines, f"drift of {kept[0].name}" if len(kept) == 1 else "drift of what is constant", "t", _DRIFT, log=True
        )
    return found


def _goes_on(x: Array, y: Array) -> bool:
    """Say whether a path leaves the point where it begins, by more than rounding: of others there is nothing to see."""
    return any(not float(np.ptp(one)) <= _RESTS * (1 + float(np.max(np.abs(one)))) for one in (x, y))


def _turns(run: Trajectory, name: str, sequence: str) -> dict[str, str]:
    """Return plots of a rotation: its angles without jumps, its angular velocity, and where its third axis goes."""
    turned = run.rotation(name)
    over = f"angles {sequence} of {name} over time"
    curves = np.unwrap(turned.euler(sequence), axis=0).T
    marks = [f"{letter}{k}" for k, letter in enumerate(sequence, 1)]
    found = {over: line_plot([Line(run.t, a, mark) for a, mark in zip(curves, marks, strict=True)], over, "t")}
    speeds = [f"{name}.w{k}" for k in (1, 2, 3)]
    if all(speed in run for speed in speeds):
        title = f"{', '.join(speeds)} over time"
        found[title] = line_plot([Line(run.t, run[speed], speed) for speed in speeds], title, "t")
    column, x, y = turned.matrix[:, :, 2], f"{name}.e3x", f"{name}.e3y"
    if not _goes_on(column[:, 0], column[:, 1]):
        return found
    axis = Line(column[:, 0], column[:, 1], mark_start=True)
    return {**found, f"path of the third axis of {name}": line_plot([axis], f"path of ({x}, {y})", x, y, equal=True)}


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
    assumed: float | None = None
    """How long it was followed, where the model says nothing of it."""

    def blocks(self) -> tuple[Block, ...]:
        """Return how the motion was computed, its plots, and what was measured along it."""
        if self.run is None:
            return (Words(f"No motion is shown: {self.why}", quiet=True),)
        told = self.run.provenance
        begin = ", ".join(f"{lettered(name)} = {value:.4g}" for name, value in dict(told.get("start", {})).items())
        words = (
            f"From {begin}; engine {told.get('engine')}, tolerance {told.get('tolerance', 0):g}, "
            f"{told.get('steps')} steps: {self.run.message}"
        )
        again = f"dalembert simulate MODEL --as {told.get('formalism')}"  # it measures all of them
        if self.assumed is not None:
            words += f" The model has no time in [run]; {self.assumed:g} is used."
            again += f" --time {self.assumed:g}"
        measured = (Claims(self.claims, (again,) * len(self.claims), fold="none"),) if self.claims else ()
        return (Words(words, quiet=True), *_pictures(self.plots), *measured)

    def section(self) -> Block:
        """Return it folded behind how long it is, and what was measured."""
        if self.run is None:
            return self.blocks()[0]
        measured = f"; {len(self.claims)} claim{'s' * (len(self.claims) != 1)} measured along it" if self.claims else ""
        return Section(f"Its motion to t = {self.run.t[-1]:g}{measured}", self.blocks(), folded=True, look="motion")

    def pictures(self) -> tuple[Picture, ...]:
        """Return the plots that say most, for the top of a report: the path, coordinates over time, drifts."""
        first = {name: svg for name, svg in self.plots.items() if not name.startswith("phase portrait")}
        drift = {"drift": first.pop("drift")} if "drift" in first else {}
        return _pictures({**dict(list(first.items())[: _TOP - len(drift)]), **drift})

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


def _pictures(plots: Mapping[str, str]) -> tuple[Picture, ...]:
    """Return plots by their titles; in a page the namespace goes without saying."""
    return tuple(Picture(svg.replace(_NAMESPACE, ""), f"[plot: {title}]") for title, svg in plots.items())


def motion_page(moved: Moved) -> str:
    """Return a page of its own about a motion."""
    told: Mapping[str, Any] = moved.run.provenance if moved.run is not None else {}
    title = f"{told.get('system', 'motion')}, {told.get('formalism', '')}"
    return document(Section(title, moved.blocks(), level=1))


# -- motions that a user has in hand -------------------------------------------------------------------------
def system_of(run: Trajectory) -> System | None:
    """Return the system that a motion is of, from what the motion knows of where it comes from."""
    stated = run.provenance.get("model")
    with suppress(DalembertError):
        return read_back(str(stated)) if stated else None
    return None


def trajectory_plots(run: Trajectory) -> tuple[Block, ...]:
    """Return the path and the coordinates over time; phase portraits folded."""
    plots = plots_of(_thinned(run), system_of(run))
    portraits = {title: svg for title, svg in plots.items() if title.startswith("phase portrait")}
    others = {title: svg for title, svg in plots.items() if title not in portraits}
    folded = (Section("phase portraits", _pictures(portraits), folded=True),) if portraits else ()
    return (*_pictures(others), *folded)


def _thinned(run: Trajectory) -> Trajectory:
    """Return a motion at no more times than can be told apart; between steps it is known anyway."""
    if run.dense is not None or len(run) <= _APART:
        return run
    kept = _picked(len(run))
    stated = {name: values[kept] for name, values in run.stated.items()}
    monitors = {name: values[kept] for name, values in run.monitors.items()}
    return replace(run, t=run.t[kept], y=run.y[:, kept], stated=stated, monitors=monitors)


def _picked(size: int, most: int = _APART) -> Any:
    """Return a few places among so many, the first and the last among them."""
    return np.unique(np.linspace(0, size - 1, min(size, most)).astype(int))


def ensemble_plots(runs: Any) -> tuple[Block, ...]:
    """Return the paths of a few members where they are known, one after the other in one line with gaps."""
    names = [name for name in runs.names if not name.endswith("'")][:2]
    if not runs.times.size or not names:
        return ()
    count = min(len(runs), _MEMBERS)
    kept = _picked(runs.times.size, 4 * _APART // count)
    columns = [np.tile(runs.times[kept], (count, 1)), *(runs[name][:count, kept] for name in names)]
    gap = np.full((count, 1), np.nan)
    x, y = (np.concatenate([values, gap], axis=1).ravel() for values in columns[-2:])
    axes = ["t", *names][-2:]
    title = f"the first {count} of {len(runs)} motions"
    return _pictures({title: line_plot([Line(x, y)], title, *axes)})


def two_motions_blocks(both: Any) -> tuple[Block, ...]:
    """Return the nonholonomic and the vakonomic path, how far apart they are, and the claim about it."""
    kept = _picked(len(both.t))
    one = {name: both.nonholonomic[name][kept] for name in both.by_coordinate}
    other = {name: both.vakonomic[name][kept] for name in both.by_coordinate}
    path = paths_picture(system_of(both.nonholonomic), one, other)
    title = "how far apart they are"
    apart = _pictures({title: line_plot([Line(both.t[kept], both.distance[kept])], title, "t", "distance")})
    return (*([path] if path is not None else []), *apart, Claims((both.claim,)))


def paths_picture(
    system: System | None, one: Mapping[str, Any], other: Mapping[str, Any], caption: str = ""
) -> Picture | None:
    """Draw the nonholonomic and the vakonomic path of two coordinates, where there are two."""
    both = [name for name in one if name in other]
    real = [q.data.label for q in system.q if q.data.domain != "angle"] if system is not None else []
    names = [name for name in real if name in both]
    names = names if len(names) > 1 else both
    if len(names) < 2:
        return None
    x, y = names[:2]
    lines = [Line(one[x], one[y], "nonholonomic", mark_start=True), Line(other[x], other[y], "vakonomic")]
    title = f"paths of ({x}, {y})"
    plot = line_plot(lines, title, x, y, equal=True).replace(_NAMESPACE, "")
    return Picture(plot, f"[plot: {title}]", caption)
