"""A scene that plays on a page: SVG, one small script, a button and a slider; nothing to download.

Without a script, or on paper, the last frame is seen.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from dalembert.present.scene import Drawn, Scene

__all__ = ["STYLE", "animation"]

_WIDTH = 640

_SCRIPT = """
(function () {
  var box = document.currentScript.parentNode, data = JSON.parse(box.querySelector('.frames').textContent);
  var marks = box.querySelectorAll('[data-shape]');
  var slider = box.querySelector('input'), button = box.querySelector('button');
  var clock = box.querySelector('.clock'), n = data.t.length, k = 0, playing = false, began = 0;
  function text(p) { var s = ''; for (var i = 0; i < p.length; i += 2) { s += p[i] + ',' + p[i + 1] + ' '; } return s; }
  function show(frame) {
    k = frame; slider.value = frame; clock.textContent = 't = ' + data.t[frame];
    data.shapes.forEach(function (shape, i) {
      var mark = marks[i], p = shape.p[Math.min(frame, shape.p.length - 1)];
      if (shape.k === 'dot') { mark.setAttribute('transform', 'translate(' + p[0] + ' ' + p[1] + ')'); }
      else if (shape.k === 'trace') {
        var s = ''; for (var j = 0; j <= frame; j++) { s += shape.p[j][0] + ',' + shape.p[j][1] + ' '; }
        mark.setAttribute('points', s);
      } else { mark.setAttribute('points', text(p)); }
    });
    box.setAttribute('data-frame', frame);
  }
  function step(now) {
    if (!playing) { return; }
    show(Math.floor(Math.max(now - began, 0) / 33) % n);
    window.requestAnimationFrame(step);
  }
  function play(on) {
    playing = on; button.textContent = on ? 'pause' : 'play';
    if (on) { began = performance.now() - k * 33; window.requestAnimationFrame(step); }
  }
  button.addEventListener('click', function () { play(!playing); });
  slider.addEventListener('input', function () { play(false); show(Number(slider.value)); });
  show(0);
  if (!window.matchMedia('(prefers-reduced-motion: reduce)').matches) { play(true); }
})();
"""


def animation(scene: Scene, title: str = "the motion") -> str:
    """Return the part of a page in which a scene plays."""
    left, bottom, right, top = scene.bounds
    width, height = max(right - left, 1e-9), max(top - bottom, 1e-9)
    margin = 0.08 * max(width, height)
    scale = (_WIDTH - 20) / (max(width, height) + 2 * margin)
    drawn_height = (height + 2 * margin) * scale
    drawn_width = (width + 2 * margin) * scale

    def paper(shape: Drawn) -> list[list[float]]:
        x = (shape.points[..., 0] - left + margin) * scale
        y = drawn_height - (shape.points[..., 1] - bottom + margin) * scale
        flat = np.stack([x, y], axis=-1).reshape(len(shape.points), -1)
        still = flat[:1] if np.ptp(flat, axis=0).max(initial=0.0) < 0.05 else flat
        rows: list[list[float]] = np.round(still, 1).tolist()
        return rows

    shapes = [(shape, paper(shape)) for shape in scene.shapes]
    marks = "".join(_mark(shape, rows) for shape, rows in shapes)
    data: dict[str, Any] = {
        "t": np.round(scene.t, 3).tolist(),
        "shapes": [{"k": shape.kind, "p": rows} for shape, rows in shapes],
    }
    frames = json.dumps(data, separators=(",", ":")).replace("</", "<\\/")
    return (
        f'<div class="animation"><svg viewBox="0 0 {drawn_width:.0f} {drawn_height:.0f}" role="img" '
        f'aria-label="{escape(title)}" style="max-width:{drawn_width:.0f}px">{marks}</svg>'
        f'<div class="controls"><button type="button">play</button>'
        f'<input type="range" min="0" max="{len(scene.t) - 1}" value="0" aria-label="time">'
        f'<span class="clock"></span></div>'
        f'<script type="application/json" class="frames">{frames}</script><script>{_SCRIPT}</script></div>'
    )


def _mark(shape: Drawn, rows: list[list[float]]) -> str:
    """Return the element of a shape, as it stands in the last frame."""
    last = rows[-1]
    points = " ".join(f"{last[i]},{last[i + 1]}" for i in range(0, len(last), 2))
    name = f"<title>{escape(shape.label)}</title>" if shape.label else ""
    said = (
        f'<text class="label" x="{rows[0][0]}" y="{rows[0][1] - 8}">{escape(shape.label)}</text>' if shape.label else ""
    )
    match shape.kind:
        case "dot":
            moved = f'transform="translate({last[0]} {last[1]})"'
            return f'<circle data-shape="" class="dot" r="5" {moved}>{name}</circle>{said}'
        case "trace":
            whole = " ".join(f"{row[0]},{row[1]}" for row in rows)
            return f'<polyline data-shape="" class="trace" points="{whole}">{name}</polyline>'
        case "area":
            return f'<polygon data-shape="" class="area" points="{points}">{name}</polygon>'
        case _:
            return f'<polyline data-shape="" class="rod" points="{points}">{name}</polyline>{said}'


STYLE = """
.animation { max-width: 640px; }
.animation svg { width: 100%; height: auto; display: block; } .animation .controls { display: flex; gap: .6rem; }
.animation input { flex: 1; } .animation .clock { font: .85rem system-ui, sans-serif; min-width: 6rem; }
.animation .rod { fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
.animation .area { fill: #2f6fb333; stroke: currentColor; stroke-width: 1.6; }
.animation .trace { fill: none; stroke: #b3392f; stroke-width: 1.3; opacity: .8; }
.animation .dot { fill: #b3392f; } .animation .label { font: 13px system-ui, sans-serif; fill: currentColor; }
@media print { .animation .controls { display: none; } }
"""
"""What a page needs in its style sheet."""
