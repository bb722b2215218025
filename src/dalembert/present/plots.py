"""Small line plots as SVG, written by hand: no script, no font from the net, readable in the dark and on paper."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from dalembert.expr.display.names import lettered, words_lettered
from dalembert.model.trajectory import Array
from dalembert.records import dataclass

WIDTH, HEIGHT = 460, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 30, 42
_EDGE = 11.5
"""Where words at the left edge stand: beside the marks, which may have six digits."""
_LETTER = 7.2
"""About how wide a letter is."""
_COLOURS = ("#3f7fbf", "#d1605e", "#4f9d5d", "#b58a2a", "#8a6bbf", "#3aa6a6")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4", "4 4")
"""Lines differ in their dashes too, for paper without colours."""
_OFF = 0.06
"""How far a drawn line may be from its points, in pixels."""
_FLOOR = 1e-18
"""On a logarithmic scale nothing is drawn below this, but for zero at its lower end."""
_APART = 14
"""Words one below the other need so many pixels."""
_SAME = 1e-6
"""What changes by less, of itself, is drawn as a constant: its ticks could not be told apart."""


@dataclass(frozen=True, slots=True)
class Line:
    """A curve with its name; values that are not finite leave a gap."""

    x: Array
    y: Array
    label: str = ""
    mark_start: bool = False


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers between two ends, at most so many, in steps of 1, 2 or 5 times a power of ten.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    span = high - low
    if not (math.isfinite(span) and span > 0):
        return [low] if math.isfinite(low) else []
    rough = span / max(most - 1, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((m * power for m in (1, 2, 5, 10) if span / (m * power) <= most - 1 + 1e-9), 10 * power)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12 - math.floor(math.log10(step))) + 0.0 for k in range(first, last + 1)]


class _Axis:
    """From values to places on the page."""

    def __init__(
        self, low: float, high: float, begin: float, end: float, *, log: bool = False, zero: bool = False
    ) -> None:
        self.low, self.high, self.begin, self.end, self.log, self.zero = low, high, begin, end, log, zero

    def place(self, values: Array) -> Array:
        return self.begin + (values - self.low) / (self.high - self.low) * (self.end - self.begin)

    def marks(self) -> list[tuple[float, str]]:
        """Return where ticks are and what they say."""
        if self.log:
            step = max(1, math.ceil((self.high - self.low) / 7))
            powers = range(math.ceil(self.low) + self.zero, math.floor(self.high) + 1)
            zero = [(self._at(self.low), "0")] if self.zero else []
            marks = [(self._at(p), f"1e{p}") for p in powers if p % step == 0]
            return zero + [mark for mark in marks if not zero or abs(mark[0] - zero[0][0]) >= _APART]
        return [(self._at(v), f"{v:.6g}") for v in ticks(self.low, self.high)]

    def _at(self, value: float) -> float:
        return float(self.place(np.array([value]))[0])


def line_plot(
    lines: Sequence[Line],
    title: str,
    x_label: str,
    y_label: str = "",
    *,
    log: bool = False,
    equal: bool = False,
    shaded: Sequence[tuple[float, float]] = (),
) -> str:
    """Return an SVG picture of curves.

    ``log`` draws magnitudes on a logarithmic scale; ``equal`` gives both axes the same unit, as a path in a plane has.
    Ranges of the horizontal axis may be ``shaded``.
    """
    curves = [_Curve(line, log) for line in lines]
    legend, rows = _legend(curves)
    top = _TOP + 16 * rows
    across, up = _ranges(curves, log, equal, HEIGHT - top - _BOTTOM)
    x_axis = _Axis(*across, _LEFT, WIDTH - _RIGHT)
    zero = any(curve.zero.any() for curve in curves) and any(curve.there.any() for curve in curves)
    y_axis = _Axis(*up, HEIGHT - _BOTTOM, top, log=log, zero=zero)
    for curve in curves if zero else ():
        curve.stand_on(up[0])
    parts = [
        f'<svg class="plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" xmlns="http://www.w3.org/2000/svg"',
        f' font-family="system-ui, sans-serif" font-size="12" fill="currentColor"><title>{escape(title)}</title>',
        f'<text x="{_LEFT}" y="16" font-size="13" font-weight="600">{escape(words_lettered(title))}</text>',
        *(_shade(low, high, x_axis, y_axis) for low, high in shaded),
        *_frame(x_axis, y_axis, lettered(x_label), lettered(y_label)),
        *(part for k, curve in enumerate(curves) for part in _drawn(curve, k, x_axis, y_axis)),
        *legend,
        *_nothing(curves, log, top),
        "</svg>",
    ]
    return "".join(parts)


def _shade(low: float, high: float, x_axis: _Axis, y_axis: _Axis) -> str:
    left, right = sorted(x_axis.place(np.array([low, high])).tolist())
    top, bottom = y_axis.end, y_axis.begin
    size = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    return f'<rect class="shaded" {size} fill="currentColor" fill-opacity=".1"/>'


def _nothing(curves: Sequence[_Curve], log: bool, top: float) -> list[str]:
    """Say why there is no curve: on a logarithmic scale zero is nowhere."""
    if any(curve.there.any() for curve in curves):
        return []
    said = "zero to the last digit" if log and any(np.isfinite(c.x).any() for c in curves) else "nothing to be seen"
    middle, centre = (_LEFT + WIDTH - _RIGHT) / 2, (top + HEIGHT - _BOTTOM) / 2
    return [f'<text class="nothing" x="{middle}" y="{centre}" text-anchor="middle">{said}</text>']


class _Curve:
    """A line as it will be drawn: on a logarithmic scale by the exponents of its magnitudes."""

    def __init__(self, line: Line, log: bool) -> None:
        self.label, self.mark_start = line.label, line.mark_start
        self.x = np.asarray(line.x, dtype=np.float64)
        y = np.asarray(line.y, dtype=np.float64)
        if log:
            with np.errstate(divide="ignore", invalid="ignore"):
                y = np.where(np.abs(y) >= _FLOOR, np.log10(np.abs(y)), np.nan)
        self.y = y
        self.there = np.isfinite(self.x) & np.isfinite(self.y)
        self.zero = np.isfinite(self.x) & (np.abs(np.asarray(line.y, dtype=np.float64)) < _FLOOR) & log

    def stand_on(self, floor: float) -> None:
        """Draw zeros, which are nowhere on a logarithmic scale, at its lower end."""
        self.y = np.where(self.zero, floor, self.y)
        self.there = self.there | self.zero


def _ranges(
    curves: Sequence[_Curve], log: bool, equal: bool, height: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the ends of both axes, with a little air."""
    xs = np.concatenate([c.x[c.there | c.zero] for c in curves]) if curves else np.zeros(0)
    ys = np.concatenate([c.y[c.there] for c in curves]) if curves else np.zeros(0)
    across, up = _ends(xs, 0.02), _ends(ys, 0.06)
    if log:
        up = (math.floor(ys.min()), math.ceil(ys.max())) if ys.size else (-18.0, -12.0)
        up = up if up[1] - up[0] > 1 else (up[0] - 1, up[1] + 1)
        up = (up[0] - 1, up[1]) if any(c.zero.any() for c in curves) else up
    if equal:
        width = WIDTH - _LEFT - _RIGHT
        unit = max((across[1] - across[0]) / width, (up[1] - up[0]) / height)
        middle, centre = sum(across) / 2, sum(up) / 2
        across = (middle - unit * width / 2, middle + unit * width / 2)
        up = (centre - unit * height / 2, centre + unit * height / 2)
    return across, up


def _ends(values: Array, air: float) -> tuple[float, float]:
    if not values.size:
        return 0.0, 1.0
    low, high = float(values.min()), float(values.max())
    if high - low <= _SAME * max(abs(low), abs(high), 1e-300):  # a constant must not look like noise
        half = max(abs(low), 1.0) / 2
        return low - half, high + half
    more = air * (high - low)
    return low - more, high + more


def _frame(x_axis: _Axis, y_axis: _Axis, x_label: str, y_label: str) -> list[str]:
    top, bottom, right = y_axis.end, HEIGHT - _BOTTOM, WIDTH - _RIGHT
    parts = ['<g stroke="currentColor" stroke-opacity=".16">']
    x_marks, y_marks = x_axis.marks(), y_axis.marks()
    parts += [f'<path d="M{x:.1f} {top:.0f}V{bottom}"/>' for x, _ in x_marks]
    parts += [f'<path d="M{_LEFT} {y:.1f}H{right}"/>' for y, _ in y_marks]
    parts.append("</g>")
    parts.append(
        f'<path d="M{_LEFT} {top:.0f}V{bottom}H{right}" fill="none" stroke="currentColor" stroke-opacity=".55"/>'
    )
    parts += [f'<text x="{x:.1f}" y="{bottom + 15}" text-anchor="middle">{label}</text>' for x, label in x_marks]
    parts += [f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>' for y, label in y_marks]
    parts.append(f'<text x="{(_LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x_label)}</text>')
    if y_label:
        middle = (top + bottom) / 2
        turned = f'transform="rotate(-90 {_EDGE} {middle})"'
        parts.append(f'<text x="{_EDGE}" y="{middle}" text-anchor="middle" {turned}>{escape(y_label)}</text>')
    return parts


def _drawn(curve: _Curve, k: int, x_axis: _Axis, y_axis: _Axis) -> list[str]:
    """Return a curve as paths, a new one after each gap."""
    xs = x_axis.place(curve.x)
    ys = y_axis.place(curve.y)
    words: list[str] = []
    there = np.flatnonzero(curve.there)
    for piece in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
        corners = zip(*(one.tolist() for one in corners_of(xs[piece], ys[piece])), strict=True)
        words += [f"{'L' if i else 'M'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(corners)]
    dash = f' stroke-dasharray="{_DASHES[k % 6]}"' if _DASHES[k % 6] else ""
    colour = _COLOURS[k % 6]
    parts = (
        [f'<path class="curve" d="{"".join(words)}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>']
        if words
        else []
    )
    if curve.mark_start and curve.there.any():
        first = int(np.argmax(curve.there))
        parts.append(f'<circle cx="{xs[first]:.1f}" cy="{ys[first]:.1f}" r="3.2" fill="{colour}"/>')
    return parts


def corners_of(xs: Array, ys: Array, off: float = _OFF) -> tuple[Array, Array]:
    """Return the points of a curve that its picture needs: no other one is farther from it than ``off``.

    >>> corners_of(np.array([0.0, 1.0, 2.0, 2.0]), np.array([0.0, 0.01, 0.0, 3.0]))
    (array([0., 2., 2.]), array([0., 0., 3.]))
    """
    needed = np.zeros(len(xs), dtype=bool)
    needed[:1] = needed[-1:] = True
    starts, ends = np.array([0]), np.array([len(xs) - 1])
    while True:  # all lines between neighbouring corners at once: there are thousands, most of them short
        open_ = ends - starts > 1
        starts, ends = starts[open_], ends[open_]
        if not len(starts):
            break
        inner = ends - starts - 1
        first = np.cumsum(inner) - inner
        at = np.arange(int(inner.sum())) + np.repeat(starts + 1 - first, inner)
        u, v = xs[ends] - xs[starts], ys[ends] - ys[starts]
        square = u * u + v * v
        square[square == 0.0] = 1.0
        x, y, u, v, square = xs[at], ys[at], *(np.repeat(one, inner) for one in (u, v, square))
        x, y = x - np.repeat(xs[starts], inner), y - np.repeat(ys[starts], inner)
        along = np.minimum(np.maximum((x * u + y * v) / square, 0.0), 1.0)  # clip takes as long again
        across, up = x - along * u, y - along * v
        far = across * across + up * up
        most = np.maximum.reduceat(far, first)
        places = np.flatnonzero(far == np.repeat(most, inner))
        farthest = at[places[np.searchsorted(places, first)]]  # the first one, where several are as far
        bent = most > off * off
        middle = farthest[bent]
        needed[middle] = True
        starts, ends = np.concatenate([starts[bent], middle]), np.concatenate([middle, ends[bent]])
    return xs[needed], ys[needed]


def _legend(curves: Sequence[_Curve]) -> tuple[list[str], int]:
    """Return the names of the curves below the title, and the rows that they take."""
    if len(curves) < 2:
        return [], 0
    parts = []
    place, row = float(_LEFT), 1
    for k, curve in enumerate(curves):
        label = lettered(curve.label)
        wide = 24 + _LETTER * len(label) + 16
        if place + wide > WIDTH and place > _LEFT:
            place, row = float(_LEFT), row + 1
        dash = f' stroke-dasharray="{_DASHES[k % 6]}"' if _DASHES[k % 6] else ""
        y = 16 + 16 * row
        parts.append(
            f'<path d="M{place:.0f} {y - 4}h20" stroke="{_COLOURS[k % 6]}" stroke-width="2"{dash}/>'
            f'<text x="{place + 24:.0f}" y="{y}">{escape(label)}</text>'
        )
        place += wide
    return parts, row
