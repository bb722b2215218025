"""A scene that plays on a page: SVG, one small script, a button and a slider; nothing to download.

Without a script, or on paper, the last frame is seen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

import numpy as np

from dalembert.expr.display.names import words_lettered
from dalembert.model.trajectory import Array
from dalembert.present.ground import grid
from dalembert.present.scene import Drawn, Scene

WIDTH, HEIGHT = 800.0, 490.0
_MARGIN = 0.07
"""Air around it, of its larger side."""
_SHARE = 0.36
"""How much of the height of a sheet a mechanism takes that is followed."""

_SCRIPT = """
(function () {
  var box = document.currentScript.parentNode, data = JSON.parse(box.querySelector('.frames').textContent);
  var marks = box.querySelectorAll('[data-shape]');
  var slider = box.querySelector('input'), button = box.querySelector('button');
  var clock = box.querySelector('.clock'), n = data.t.length, k = 0, playing = false, began = 0, rest = 30;
  var world = box.querySelector('.world'), drawn = '';
  function text(p) { var s = ''; for (var i = 0; i < p.length; i += 2) { s += p[i] + ',' + p[i + 1] + ' '; } return s; }
  function show(frame) {
    k = frame; slider.value = frame; clock.textContent = 't = ' + data.t[frame].toFixed(2);
    slider.setAttribute('aria-valuetext', clock.textContent);
    data.shapes.forEach(function (shape, i) {
      var mark = marks[i], p = shape.p[Math.min(frame, shape.p.length - 1)];
      if (shape.k === 'dot') { mark.setAttribute('transform', 'translate(' + p[0] + ' ' + p[1] + ')'); }
      else if (shape.k === 'trace') {
        var s = ''; for (var j = 0; j <= Math.min(frame, shape.p.length - 1); j++) { s += text(shape.p[j]); }
        mark.setAttribute('points', s);
      } else { mark.setAttribute('points', text(p)); }
    });
    if (data.shifts) { world.setAttribute('transform', 'translate(' + data.shifts[frame].join(' ') + ')'); }
    if (data.orders && drawn !== String(data.orders[frame])) {
      drawn = String(data.orders[frame]);
      data.orders[frame].forEach(function (i) { marks[i].parentNode.appendChild(marks[i]); });
    }
    box.setAttribute('data-frame', frame);
  }
  function step(now) {
    if (!playing) { return; }
    show(Math.min(Math.floor(Math.max(now - began, 0) / 33) % (n + rest), n - 1));
    window.requestAnimationFrame(step);
  }
  function play(on) {
    playing = on; button.textContent = on ? 'Pause' : 'Play';
    if (on) { began = performance.now() - (k < n - 1 ? k : 0) * 33; window.requestAnimationFrame(step); }
  }
  button.addEventListener('click', function () { play(!playing); });
  slider.addEventListener('input', function () { play(false); show(Number(slider.value)); });
  window.addEventListener('beforeprint', function () { play(false); show(n - 1); });
  show(0);
  if (!window.matchMedia('(prefers-reduced-motion: reduce)').matches) { play(true); }
})();
"""


class Sheet:
    """From the plane of a scene to a sheet of paper, where up is down."""

    def __init__(self, scene: Scene) -> None:
        left, bottom, right, top = scene.bounds
        self.camera = scene.camera
        air = _MARGIN * max(right - left, top - bottom, 1e-9)
        if self.camera is None:
            self.scale = min(WIDTH / (right - left + 2 * air), HEIGHT / (top - bottom + 2 * air))
            left, right, bottom, top = *((left + right) / 2,) * 2, *((bottom + top) / 2,) * 2
        else:
            self.scale = _SHARE * HEIGHT / self.camera.size
        across, up = WIDTH / self.scale / 2, HEIGHT / self.scale / 2  # all pictures have one size, filled as it goes
        self.left, self.right, self.bottom, self.top = left - across, right + across, bottom - up, top + up

    def shift(self, frame: int) -> tuple[float, float]:
        """Return by how much the sheet is moved in a frame, so that the mechanism stays on it."""
        if self.camera is None:
            return 0.0, 0.0
        x, y = self.place(self.camera.places[frame])
        return round(WIDTH / 2 - float(x), 1), round(HEIGHT / 2 - float(y), 1)

    def place(self, points: Array) -> Array:
        """Return points (..., 2) on the sheet."""
        x = (points[..., 0] - self.left) * self.scale
        y = HEIGHT - (points[..., 1] - self.bottom) * self.scale
        return np.stack([x, y], axis=-1)

    def rows(self, shape: Drawn) -> list[list[float]]:
        """Return the numbers of each frame; one that never moves has one frame."""
        flat = self.place(shape.points).reshape(len(shape.points), -1)
        still = flat[:1] if np.ptp(flat, axis=0).max(initial=0.0) < 0.05 else flat
        rows: list[list[float]] = np.round(still, 1).tolist()
        return rows

    def lines(self, scene: Scene) -> Sequence[Array]:
        """Return what stands still below as polylines of the plane."""
        span = 0.0 if self.camera is None else WIDTH / self.scale
        return scene.ground or grid((self.left, self.bottom, self.right, self.top), span)

    def ground(self, scene: Scene) -> str:
        """Return what stands still below: a grid in the plane, or what the scene says."""
        path = "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in self.place(line)) for line in self.lines(scene))
        return f'<path class="{"axes" if scene.ground else "grid"}" d="{path}"/>'


def animation(scene: Scene, title: str = "the motion") -> str:
    """Return the part of a page in which a scene plays."""
    sheet = Sheet(scene)
    shapes = [(shape, sheet.rows(shape)) for shape in scene.shapes]
    ghosts = "".join(_ghost(rows) for shape, rows in shapes if shape.kind == "trace")
    last = len(scene.t) - 1
    drawn = "".join(_mark(shape, rows) for shape, rows in shapes)
    data: dict[str, Any] = {
        "t": np.round(scene.t, 3).tolist(),
        "shapes": [{"k": shape.kind, "p": rows} for shape, rows in shapes],
    }
    if scene.camera is not None:
        data["shifts"] = [sheet.shift(k) for k in range(last + 1)]
    orders = [scene.order(k) for k in range(last + 1)]
    if any(order != sorted(order) for order in orders):
        data["orders"] = orders
    frames = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<div class="animation"><svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" '
        f'aria-label="{escape(title)}">{_world(sheet, last, sheet.ground(scene) + ghosts + drawn)}</svg>'
        f'<div class="controls"><button type="button">Play</button>'
        f'<input type="range" min="0" max="{len(scene.t) - 1}" value="0" aria-label="time">'
        f'<span class="clock"></span></div>'
        f'<script type="application/json" class="frames">{frames}</script><script>{_SCRIPT}</script></div>'
    )


def still(scene: Scene, title: str = "the motion") -> str:
    """Return the picture of a scene as it ends, with all that it has passed."""
    sheet = Sheet(scene)
    last = len(scene.t) - 1
    marks = "".join(_mark(scene.shapes[k], sheet.rows(scene.shapes[k])) for k in scene.order(last))
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{escape(title)}">'
        f"{_world(sheet, last, sheet.ground(scene) + marks)}</svg>"
    )


def _world(sheet: Sheet, frame: int, drawn: str) -> str:
    """Return all that is drawn, moved under the camera."""
    x, y = sheet.shift(frame)
    return f'<g class="world" transform="translate({x} {y})">{drawn}</g>' if sheet.camera is not None else drawn


def _ghost(rows: list[list[float]]) -> str:
    """Return the whole way, faintly."""
    return f'<polyline class="ghost" points="{" ".join(f"{row[0]},{row[1]}" for row in rows)}"/>'


_CLASSES = {"area": "area", "wheel": "wheel", "tread": "tread", "net": "net"}


def _mark(shape: Drawn, rows: list[list[float]]) -> str:
    """Return the element of a shape, as it stands in the last frame."""
    last = rows[-1]
    points = " ".join(f"{last[i]},{last[i + 1]}" for i in range(0, len(last), 2))
    label = escape(words_lettered(shape.label))
    match shape.kind:
        case "dot":
            said = f'<text class="label" x="9" y="-8">{label}</text>' if label else ""
            return f'<g data-shape="" transform="translate({last[0]} {last[1]})"><circle class="dot" r="5"/>{said}</g>'
        case "trace":
            whole = " ".join(f"{row[0]},{row[1]}" for row in rows)
            return f'<polyline data-shape="" class="trace" points="{whole}"/>'
        case "area":
            return f'<polygon data-shape="" class="area" points="{points}"/>'
        case kind:
            said = _below(rows[0], label) if label else ""
            wide = f' stroke-width="{min(max(0.3 * _reach(last), 1.5), 9):.1f}"' if kind == "wheel" else ""
            return f'<polyline data-shape="" class="{_CLASSES.get(kind, "rod")}"{wide} points="{points}"/>{said}'


def _below(first: list[float], label: str) -> str:
    """Return the name of a hand below the dial that it sweeps."""
    below = first[1] + _reach(first) + 17
    return f'<text class="label" text-anchor="middle" x="{first[0]}" y="{below:.1f}">{label}</text>'


def _reach(points: list[float]) -> float:
    """Return how far the last point is from the first."""
    return float(np.hypot(points[-2] - points[0], points[-1] - points[1]))


STYLE = """
.animation { margin: .6rem 0 1.4rem; }
.animation svg { width: 100%; height: auto; display: block; border-radius: .4rem; background: #8881; }
.animation .controls { display: flex; gap: .7rem; align-items: center; margin-top: .5rem; }
.animation button { font: .88rem system-ui, sans-serif; min-width: 4.6rem; padding: .25rem .6rem; }
.animation input { flex: 1; min-width: 0; }
.animation .clock { font: .85rem system-ui, sans-serif; min-width: 4.6rem; font-variant-numeric: tabular-nums; }
.animation .grid, .animation .axes { fill: none; stroke: currentColor; stroke-opacity: .13; }
.animation .axes { stroke-opacity: .3; }
.animation .rod { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.animation .wheel { fill: none; stroke: currentColor; stroke-linecap: round; }
.animation .tread { fill: none; stroke: #9aa3ad; stroke-width: 1.5; }
.animation .net { fill: none; stroke: currentColor; stroke-opacity: .25; }
.animation .area { fill: #5b93cf; fill-opacity: .45; stroke: currentColor; stroke-width: 1.6; stroke-linejoin: round; }
.animation .trace { fill: none; stroke: #c8452f; stroke-width: 1.6; }
.animation .ghost { fill: none; stroke: #c8452f; stroke-width: 1.2; stroke-opacity: .28; }
.animation .dot { fill: #c8452f; } .animation .label { font: 14px system-ui, sans-serif; fill: currentColor; }
@media print { .animation .controls { display: none; } .animation svg { background: none; } }
"""
"""What a page needs in its style sheet."""
