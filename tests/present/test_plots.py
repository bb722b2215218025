"""Pictures: well-formed, with the right marks, gaps where nothing is, and a page that holds them."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dalembert import derive, gallery
from dalembert.analysis.audit import audit
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate
from dalembert.present.motion import Moved, motion_page, plots_of
from dalembert.present.plots import HEIGHT, WIDTH, Line, corners_of, line_plot, ticks
from dalembert.present.report import HOW_IT_MOVES
from dalembert.studies.studying import study

SVG = "{http://www.w3.org/2000/svg}"
t = np.linspace(0, 10, 50)


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0, 10, [0, 2, 4, 6, 8, 10]),
        (-0.31, 0.29, [-0.2, 0, 0.2]),
        (1e6, 1e6 + 3, [1e6, 1e6 + 1, 1e6 + 2, 1e6 + 3]),
        (0, 3e-9, [0, 1e-9, 2e-9, 3e-9]),
        (2, 2, [2]),
        (float("nan"), 1, []),
    ],
)
def test_ticks_are_round(low, high, wanted):
    assert ticks(low, high) == pytest.approx(wanted, rel=1e-12, abs=1e-18)


def drawn(picture):
    tree = ET.fromstring(picture)
    return tree, [p.get("d") for p in tree.iter(f"{SVG}path") if p.get("stroke-width") == "1.6"]


def test_a_curve_is_where_it_should_be():
    tree, paths = drawn(line_plot([Line(np.array([0.0, 1.0]), np.array([0.0, 1.0]), "up")], "a < b & c", "t", "y"))
    assert tree.find(f"{SVG}title").text == "a < b & c"
    (x0, y0), (x1, y1) = (map(float, part.split()) for part in paths[0][1:].split("L"))
    assert x0 < x1
    assert y0 > y1  # up is up
    assert min(x0, x1, y0, y1) > 0
    assert max(x0, x1) < WIDTH
    assert max(y0, y1) < HEIGHT


def test_gaps_constants_and_nothing():
    broken = np.where((t > 4) & (t < 5), np.nan, np.sin(t))
    _, paths = drawn(line_plot([Line(t, broken)], "gap", "t"))
    assert paths[0].count("M") == 2
    _, paths = drawn(line_plot([Line(t, 3 + 1e-15 * np.sin(t))], "constant", "t"))
    heights = {part.split()[1] for part in paths[0][1:].replace("M", "L").split("L")}
    assert len(heights) == 1  # rounding is not drawn as if it were motion
    tree, paths = drawn(line_plot([Line(t, t * np.nan)], "nothing", "t"))
    assert paths == []
    assert tree.find(f"{SVG}title").text == "nothing"
    drawn(line_plot([], "empty", "t"))


def test_a_logarithmic_scale_has_powers_of_ten():
    tree, paths = drawn(line_plot([Line(t, 10.0 ** (-t))], "log", "t", log=True))
    words = [e.text for e in tree.iter(f"{SVG}text")]
    assert "1e-10" in words
    assert "1e0" in words
    assert len(paths) == 1
    _, paths = drawn(line_plot([Line(t, 0 * t)], "zero", "t", log=True))
    assert paths == []


def test_zeros_are_drawn_below_the_powers_of_ten():
    """A drift that is zero at every other step is one curve, and one that is zero throughout a line at the bottom."""
    drift = np.where(np.arange(len(t)) % 2, 1e-15, 0.0)
    tree, (first, second) = drawn(line_plot([Line(t, drift, "a"), Line(t, 0 * t, "b")], "drift", "t", log=True))
    assert "0" in [e.text for e in tree.iter(f"{SVG}text")]
    assert first.count("M") == 1
    heights = {float(part.split()[1]) for part in second[1:].split("L")}
    assert heights == {max(float(part.split()[1]) for part in first[1:].split("L"))}


def test_equal_units():
    circle = Line(np.cos(t), np.sin(t))
    _, paths = drawn(line_plot([circle], "circle", "x", "y", equal=True))
    points = np.array([[float(v) for v in part.split()] for part in paths[0][1:].split("L")])
    assert np.ptp(points[:, 0]) == pytest.approx(np.ptp(points[:, 1]), rel=0.02)


def test_the_pictures_of_a_run():
    disc = derive(gallery.load("vertical-rolling-disc"), "nonholonomic")
    run = simulate(disc, time=3)
    measured = audit(run, disc)
    found = plots_of(run, disc.system, measured.drifts)
    assert {"path", "phase portrait of psi", "drift"} <= set(found)
    for picture in found.values():
        ET.fromstring(picture)
    tree, paths = drawn(found["path"])
    corners = np.array([word.split() for word in paths[0].lstrip("M").split("L")], dtype=float)
    along = np.diff(corners, axis=0)
    turns = np.abs(np.diff(np.unwrap(np.arctan2(along[:, 1], along[:, 0]))))
    assert turns.max() < 0.1 < turns.sum()  # smooth, though there are few steps
    assert len(list(tree.iter(f"{SVG}circle"))) == 1
    page = motion_page(Moved(run=run, plots=found, claims=measured.claims))
    assert page.count("<svg") == len(found)
    assert re.search(r"\d steps: reached <", page)
    assert "http" not in page.replace("http://www.w3.org", "")


@pytest.mark.thorough
def test_a_study_shows_a_motion_or_says_why_not():
    spring = System.of(
        name="spring", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2", start={"x": 1}, run={"time": 3}
    )
    shown = study(spring, formalisms=["euler-lagrange"])
    told = shown.to_json()["motions"]["euler-lagrange"]
    assert told["status"] == 0
    assert "drift of energy" in {claim["name"] for claim in told["claims"]}
    assert "<svg" in shown.to_html()
    assert "drift of energy" in {claim.name for claim in shown.claims}
    still = study(spring.but(start=None), formalisms=["euler-lagrange"])
    assert "No motion is shown: the model has no [start]." in still.to_html()
    open_ended = study(
        spring.but(parameters={"k": {}}, lagrangian="(x'^2 + y'^2 - k*x^2)/2"), formalisms=["euler-lagrange"]
    )
    assert open_ended.to_json()["motions"]["euler-lagrange"] == {
        "why": "'k' has no value; give one in values={...} or in the model."
    }


def test_what_does_not_move_is_said_at_once():
    spring = System.of(
        name="spring", coordinates="x y", lagrangian="(x'^2 + y'^2 - x^2 - y^2)/2", start={"x": 1}, run={"time": 3}
    )
    bound = spring.but(holonomic={"circle": "x^2 + y^2 = 4"}, start={"x": 1, "y": 1})
    away = spring.but(lagrangian="(x'^2 + y'^2)/2 + x^6", start={"x": 2})
    ways = [
        ("moves", spring, "euler-lagrange"),
        ("bound", bound, "nonholonomic"),
        ("away", away, "euler-lagrange"),
    ]
    told = {name: study(one, formalisms=[way]) for name, one, way in ways}
    first = {name: one.to_html().partition('id="system"')[0] for name, one in told.items()}
    assert HOW_IT_MOVES not in first["moves"]
    assert "No motion is shown: the start contradicts the constraints" in first["bound"]
    assert "The motion ends at" in first["away"]


def test_a_curve_is_drawn_by_the_points_that_it_needs():
    x = np.linspace(0, 400, 2000)
    y = 100 * np.sin(x / 20)
    few = corners_of(x, y, 0.06)
    assert len(few[0]) < 400
    assert np.abs(np.interp(x, *few) - y).max() < 0.4  # upwards; across the line it is 0.06
    back = np.concatenate([x, x[::-1]])  # a line that comes back on itself keeps its ends
    assert corners_of(back, 0 * back)[0].tolist() == [0, 400, 0]
    assert [len(one) for one in corners_of(x[:1], y[:1])] == [1, 1]


def test_zeros_on_a_logarithmic_scale_are_inside_the_frame():
    """A drift begins with zero: the axis of time begins there too, not where something is first seen."""
    _, (path,) = drawn(line_plot([Line(t, np.where(t > 2, 1e-12, 0.0))], "drift", "t", log=True))
    assert min(float(point.split()[0]) for point in path[1:].split("L")) >= 62


def test_no_mark_stands_on_that_of_zero():
    picture = line_plot([Line(t, np.where(t > 2, 10.0 ** (-18 + t), 0.0))], "drift", "t", log=True)
    heights = [
        float(one.get("y")) for one in ET.fromstring(picture).iter(f"{SVG}text") if one.get("text-anchor") == "end"
    ]
    assert len(heights) > 3
    assert min(a - b for a, b in zip(sorted(heights)[1:], sorted(heights), strict=False)) >= 12


def test_a_path_that_rests_is_not_drawn():
    system = System.of(name="spin", coordinates={"x": "real", "y": "real", "R": "rotation"},
                       lagrangian="x'^2 + y'^2 + R.w1^2 + 2*R.w2^2 + 3*R.w3^2", start={"R.w3": 1})  # fmt: skip
    names, still = ("x", "y", "R.q0", "R.q1", "R.q2", "R.q3"), 0 * t
    spinning, nodding = [np.cos(t), still, still, np.sin(t)], [np.cos(t), np.sin(t), still, still]
    resting, going = (
        plots_of(Trajectory(t, [x, still, *turned], names), system) for x, turned in ((still, spinning), (t, nodding))
    )
    paths = {"path", "path of the third axis of R"}
    assert paths.isdisjoint(resting)
    assert paths <= going.keys()
    assert any("angles" in name for name in resting)


def _one_line_after_the_other(xs: np.ndarray, ys: np.ndarray, off: float) -> list[int]:
    """Return the corners that are found when one line after the other is broken where the curve is farthest from it."""
    needed, waiting = {0, len(xs) - 1}, [(0, len(xs) - 1)]
    while waiting:
        a, b = waiting.pop()
        if b - a < 2:
            continue
        x, y, u, v = xs[a + 1 : b] - xs[a], ys[a + 1 : b] - ys[a], xs[b] - xs[a], ys[b] - ys[a]
        along = np.clip((x * u + y * v) / (u * u + v * v or 1.0), 0.0, 1.0)
        far = (x - along * u) ** 2 + (y - along * v) ** 2
        farthest = int(far.argmax())
        if far[farthest] > off * off:
            needed.add(a + 1 + farthest)
            waiting += [(a, a + 1 + farthest), (a + 1 + farthest, b)]
    return sorted(needed)


def test_lines_that_are_broken_together_have_the_corners_of_lines_broken_one_by_one():
    draw = np.random.default_rng(5)
    for k in range(40):
        t = np.linspace(0, 20, int(draw.integers(1, 400)))
        xs = 100 * np.cos(t) if k % 3 else 20 * t  # rounded: several points are as far from a line as each other
        ys = np.round(40 * np.sin(draw.uniform(0, 4) * t) * np.cos(draw.uniform(0, 9) * t), int(draw.integers(0, 6)))
        corners = _one_line_after_the_other(xs, ys, 0.06)
        there = np.column_stack(corners_of(xs, ys, 0.06))
        assert np.array_equal(there, np.column_stack([xs[corners], ys[corners]]))
    t = np.linspace(0, 20, 400)
    wrong = _one_line_after_the_other(20 * t, 40 * np.sin(t), 0.07)
    assert corners_of(20 * t, 40 * np.sin(t), 0.06)[0].tolist() != (20 * t)[wrong].tolist()
