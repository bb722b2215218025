"""The living report: what the page integrates is the native motion; sliders, pointer, ghosts, clouds, files."""

import re
import tomllib

import numpy as np
import probes
import pytest

from dalembert import derive, gallery, simulate
from dalembert.expr.display import latex
from dalembert.expr.text import parse
from dalembert.expr.truth import equal
from dalembert.expr.vocabulary import Vocabulary
from dalembert.mechanics.registry import formalism as formalism_of
from dalembert.model.files import loads
from dalembert.present.figures import drawing_of
from dalembert.present.html_writer import document
from dalembert.present.living import STYLE, living_block, living_of
from dalembert.present.page import Formula, Picture, Section
from dalembert.present.scene import drawn_scene
from dalembert.present.widget import module_of


def page_of(name, folder, formalism="nonholonomic", ghosts=()):
    """Return the file of a page with one living system, of the gallery or of a text, and its result."""
    system = gallery.load(name) if "\n" not in name else loads(name)
    name = system.name
    result = derive(system, formalism)
    others = [derive(system, one) for one in ghosts]
    made = [living_of(result, simulate(result), formalism_of(formalism).mistaken(result))]
    for other in others:
        multipliers = {name: 0.0 for name in other.equations.monitors if name.startswith("multiplier")}
        made.append(living_of(other, simulate(other, multipliers)))
    page = Section(name, (Section("The motion", (Picture(living_block(made[0], made[1:]), ""),), anchor="m"),), level=1)
    file = folder / f"{name}-{formalism}-living.html"
    file.write_text(document(page, STYLE), encoding="utf-8")
    return file, result


@pytest.fixture(scope="module")
def board(folder):
    return page_of("snakeboard", folder)


@pytest.fixture(scope="module")
def disc(folder):
    return page_of("vertical-rolling-disc", folder, ghosts=("vakonomic",))


def ready(seen):
    seen.page.wait_for_selector(".living[data-milliseconds]")
    seen.page.locator(".living .play").click()  # still
    return seen.page


def states(page, times):
    """Return states of the motion on the page at some times."""
    ask = """times => {
        const live = document.querySelector('.living').living, y = new Float64Array(live.data.start.length);
        return times.map(t => { live.state.run.at(t, y); return Array.from(y); }); }"""
    return np.array(page.evaluate(ask, list(times)))


def set_field(page, name, value):
    """Type a number into the field of a name, and wait until the motion is there."""
    page.evaluate("() => { window.was = document.querySelector('.living').living.state.run; }")
    entry = page.get_by_label(f"{name}, a number", exact=True)
    entry.fill(str(value))
    entry.press("Tab")
    page.wait_for_function("() => document.querySelector('.living').living.state.run !== window.was")


def test_the_page_moves_as_the_native_engine_does(chromium, board):
    """As it is stated, and with a parameter and a start changed on the page."""
    file, result = board
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        for values, start in (({}, {}), ({"Jr": 0.2}, {"psi'": 2.5})):
            for name, value in (*values.items(), *start.items()):
                set_field(page, name, value)
            labels, begin = page.evaluate(
                "() => { const l = document.querySelector('.living').living; return [l.model.variables, l.state.y]; }"
            )
            stated = dict(zip(labels, begin, strict=True))
            assert stated["psi'"] == start.get("psi'", 2.0)
            run = simulate(result, stated, 2.0, values=values, tolerance=1e-12)
            times = np.linspace(0, 2, 5)
            np.testing.assert_allclose(states(page, times), run.at(times).y.T, rtol=0, atol=1e-10)
        assert probes.noises(seen) == []


def test_a_slider_moves_a_snakeboard_to_20_at_once(chromium, board):
    """In processor time of the page, after it has warmed up; what is found is the native motion as far as errors grow.

    How they grow is measured: by native motions that begin 1e-9 beside, in each variable.
    """
    file, result = board
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        took = []
        meter = page.context.new_cdp_session(page)
        meter.send("Performance.enable", {"timeDomain": "threadTicks"})
        for rate in (2.1, 2.2, 2.3, 2.4, 2.5):
            before = script_time(meter)
            page.evaluate(
                """rate => { const live = document.querySelector('.living').living, y = live.state.y.slice();
                    y[live.model.variables.indexOf("psi'")] = rate;
                    const run = dalembert.motion(live.model, y, { parameters: live.state.p, end: 20,
                        tolerance: live.data.tolerance, unknowns: [] });
                    while (!run.advance(1000)) { /* on */ }
                    window.found = [y, run]; }""",
                rate,
            )
            took.append(script_time(meter) - before)
        assert 1e-4 < min(took) < 0.05, took  # a meter that says nothing is none
        names = page.evaluate("() => document.querySelector('.living').living.model.variables")
        start, at_2, at_20 = page.evaluate(
            """() => { const [y, run] = window.found; const at = t => { const z = new Float64Array(y.length);
                run.at(t, z); return Array.from(z); }; return [y, at(2), at(20)]; }"""
        )
        begin = dict(zip(names, start, strict=True))
        native = simulate(result, begin, 20.0, tolerance=1e-13)
        np.testing.assert_allclose(at_2, native.at([2.0]).y[:, 0], rtol=0, atol=1e-10)
        besides = [simulate(result, {**begin, name: begin[name] + 1e-9}, 20.0, tolerance=1e-13) for name in names]
        growth = max(np.abs(one.y[:, -1] - native.y[:, -1]).max() for one in besides) / 1e-9
        error = np.abs(np.array(at_20) - native.y[:, -1]).max()
        assert error < 1e-9 * growth, (error, growth)  # as if it had begun 1e-9 beside
        assert error < 1e-6


def script_time(meter):
    """Return the seconds of a processor that the thread of a page has taken, whatever else it did besides scripts."""
    return next(m["value"] for m in meter.send("Performance.getMetrics")["metrics"] if m["name"] == "ThreadTime")


def test_dragging_turning_and_the_wheel(chromium, board, disc):
    with probes.visit(chromium, board[0]) as seen:
        page = ready(seen)
        body = page.locator(".living .marks .rod").first.bounding_box()
        before = page.evaluate("() => document.querySelector('.living').living.state.y.slice()")
        page.evaluate("() => { window.was = document.querySelector('.living').living.state.run; }")
        page.locator(".living .time").fill("0")
        body = page.locator(".living .marks .rod").first.bounding_box()
        x, y = body["x"] + body["width"] / 2, body["y"] + body["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y - 30, steps=4)
        page.mouse.up()
        page.wait_for_function("() => document.querySelector('.living').living.state.run !== window.was")
        after = page.evaluate("() => document.querySelector('.living').living.state.y.slice()")
        assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 1e-3
        assert "constraints hold to" in page.inner_text(".living .telling")
        assert probes.noises(seen) == []
    with probes.visit(chromium, disc[0]) as seen:
        page = ready(seen)
        floor = page.locator(".living .stage path").first
        old, box = floor.get_attribute("d"), page.locator(".living .stage svg").bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 10)
        page.mouse.down()
        page.mouse.move(box["x"] + 90, box["y"] + 40, steps=3)
        page.mouse.up()
        assert floor.get_attribute("d") != old
        assert probes.noises(seen) == []


def test_what_is_dragged_follows_the_pointer_without_a_leap_and_stops_where_it_can_go_no_further(chromium, folder):
    """The coupler of a linkage, by its end: it cannot be pulled out of its loop, and did leap by turns."""
    now = "() => document.querySelector('.living').living.state.y.slice()"
    with probes.visit(chromium, page_of("four-bar", folder)[0], still=True) as seen:
        page = seen.page
        page.wait_for_selector(".living[data-milliseconds]")
        page.locator(".living .stage svg").scroll_into_view_if_needed()
        x, y = page.evaluate("""() => {
            const line = document.querySelector(".living .marks [data-figure='4']");
            const at = line.getPointAtLength(0.9 * line.getTotalLength());
            const p = at.matrixTransform(line.getScreenCTM()); return [p.x, p.y]; }""")
        path = [page.evaluate(now)]
        page.mouse.move(x, y)
        page.mouse.down()
        for step in range(1, 25):
            page.mouse.move(x + 5 * step, y + 2 * step)
            path.append(page.evaluate(now))
        page.mouse.up()
        moved = np.abs(np.diff(np.array(path)[:, :3], axis=0)).max(axis=1)
        assert moved[0] > 1e-3
        assert moved.max() < 0.4
        assert moved[-1] < 1e-9
        assert probes.noises(seen) == []


def test_a_ghost_that_takes_long_is_said_to_be_computed(chromium, disc):
    with probes.visit(chromium, disc[0], still=True) as seen:
        seen.page.wait_for_selector(".living[data-milliseconds]")
        told = seen.page.evaluate("""() => {
            const box = document.querySelector('.living'), ghost = box.living.state.ghosts[0], said = () => {
                box.querySelector('.time').dispatchEvent(new Event('input'));
                return box.querySelector('.telling').textContent; };
            Object.assign(ghost, { on: true, under: { t: [0, 1.5] } });
            const during = said();
            ghost.under = null;
            return [during, said()]; }""")
        assert "the ghost is being computed: vakonomic motion, t = 1.50 of" in told[0]
        assert "being computed" not in told[1]


def test_the_vakonomic_ghost_begins_alike_and_parts(chromium, disc):
    with probes.visit(chromium, disc[0]) as seen:
        page = ready(seen)
        page.locator("[data-ghost]").check()
        page.wait_for_function("() => document.querySelector('.living').living.state.ghosts[0].run")
        found = page.evaluate("""() => {
            const live = document.querySelector('.living').living, g = live.state.ghosts[0];
            const names = g.model.variables, y = new Float64Array(names.length); g.run.at(0, y);
            return [names, Array.from(y), live.model.variables, Array.from(live.state.run.y[0])]; }""")
        ghost, main = dict(zip(*found[:2], strict=True)), dict(zip(*found[2:], strict=True))
        assert all(ghost[q] == main[q] for q in ("phi", "psi", "x", "y"))
        assert probes.noises(seen) == []


def test_the_wrong_motion_is_a_ghost_where_it_is_wrong(chromium, board, disc):
    """Constraints put into L: from the same start as on the page, by a solver of its own on Euler-Lagrange's equations.

    Of a disc that stands upright this happens to be right: no ghost.
    """
    file, result = board
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        set_field(page, "psi'", 2.5)
        box = page.locator("[data-ghost='constraints put into L']")
        assert "eliminated): wrong, as a ghost" in box.get_attribute("aria-label")
        box.check()
        page.wait_for_function("() => document.querySelector('.living').living.state.ghosts[0].run")
        names, start, end, found = page.evaluate("""() => {
            const g = document.querySelector('.living').living.state.ghosts[0], y = new Float64Array(g.run.y[0].length);
            const t = Math.min(1.5, g.run.end()) / 2; g.run.at(t, y);
            return [g.model.variables, Array.from(g.run.y[0]), t, Array.from(y)]; }""")
        wrong = formalism_of("nonholonomic").mistaken(result)
        run = simulate(wrong, dict(zip(names, start, strict=True)), end, tolerance=1e-12)
        np.testing.assert_allclose(found, run.y[:, -1], rtol=0, atol=1e-7)
        assert start[names.index("psi'")] == 2.5
        right = states(page, [end])[0]
        assert max(abs(a - b) for a, b in zip(found[:3], right[:3], strict=True)) > 1e-3
        assert probes.noises(seen) == []
    with probes.visit(chromium, disc[0]) as seen:
        assert ready(seen).locator("[data-ghost='constraints put into L']").count() == 0


def test_starts_are_completed_and_times_begin_where_they_do(chromium, folder):
    """A constraint on a Lagrangian of second order, which nothing projects on; a motion that begins at t = 1."""
    file, _ = page_of("elastica", folder, "vakonomic")
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        between = page.evaluate("""() => { const l = document.querySelector('.living').living, kept = [];
            const y = new Float64Array(l.data.start.length), out = [];
            const energy = l.model.results.monitors.indexOf('energy');
            for (let t = 0.0; t <= 6.0; t += 0.17) {
              const u = l.state.run.at(t, y);
              l.model.monitors(t, y, l.state.p, u, out);
              kept.push(out[energy]);
            } return kept; }""")
        np.testing.assert_allclose(between, 0.5, rtol=0, atol=1e-9)  # with the unknowns of that time, not of a knot
        set_field(page, "x'", 0.7)
        rest = page.evaluate("""() => { const l = document.querySelector('.living').living, out = [0];
            l.model.held(0, l.state.y, l.state.p, l.data.unknowns, out); return [out[0], l.state.y]; }""")
        assert abs(rest[0]) < 1e-10
        assert probes.noises(seen) == []
    file, result = page_of("affine-time", folder)
    run = simulate(result)
    assert run.t[0] == 1
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        assert page.evaluate("() => document.querySelector('.living').living.state.run.t[0]") == 1
        np.testing.assert_allclose(states(page, [run.t[-1]])[0], run.y[:, -1], rtol=0, atol=1e-8)
        page.locator(".living .time").fill("0")
        assert page.locator(".living .clock").inner_text() == "t = 1.00"


FOLDING = """
name = "a crank as long as its rod"
lagrangian = "(a'^2 + b'^2 + x'^2)/2"
[coordinates]
a = "angle"
b = "angle"
x = "real"
[holonomic]
along = "cos(a) + cos(b) = x"
aside = "sin(a) = sin(b)"
[start]
a = 0.4
"a'" = 1.0
[start.near]
b = 0.4
x = 1.8
[run]
time = 3.0
"""
HARMLESS = """
name = "a skate with a statement that fails"
lagrangian = "(x'^2 + y'^2 + th'^2)/2"
[coordinates]
x = "real"
y = "real"
th = "angle"
[constraints]
blade = "x*(y'*cos(th) - x'*sin(th)) = 0"
[start]
x = -1.0
th = 0.3
"x'" = 1.0
"th'" = 0.1
[run]
time = 3.0
"""


def test_rank_that_is_lost_is_told(chromium, folder):
    """At the time that the native motion tells; a statement that fails where the directions stay is passed over."""
    file, result = page_of(FOLDING, folder)
    native = simulate(result)
    assert "rank" in native.message
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        stop = page.evaluate("() => document.querySelector('.living').living.state.run.end()")
        assert stop == pytest.approx(native.t[-1], abs=0.02)
        assert "lose rank at t" in page.inner_text(".living .telling")
        assert probes.noises(seen) == []
    file, result = page_of(HARMLESS, folder)
    assert simulate(result).t[-1] == 3.0
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        assert page.evaluate("() => document.querySelector('.living').living.state.run.end()") == 3.0
        assert "rank" not in page.inner_text(".living .telling")


SOLIDS = """
name = "solids"
lagrangian = "(a'^2 + x'^2)/2 - x^2/2"
[coordinates]
a = "angle"
x = "real"
[parameters]
R = 0.4
[let]
high = "1 + R*x"
[start]
x = 0.5
a = 0.3
"a'" = 0.7
[run]
time = 4
[drawing]
floor = true
shapes = [
    { cylinder = [[-2, 0, 0], ["-2 + cos(a)", "sin(a)", "high"]], radius = "R" },
    { cone = [[0, 0, 0], ["0.8*cos(a)", "0.8*sin(a)", 1]], radius = "R" },
    { cone = [[1.4, 0, 1.3], ["1.4 + cos(a)", "sin(a)", 0.5]], radius = "R" },
    { mesh = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, 0, 1]], at = ["x", 0, 1], faces = [
        [0, 1, 2], [0, 2, 3], [1, 2, 3], [0, 1, 3]
    ] },
    { mesh = [[0.5, 0, 0], [-0.5, 0, 0], [0, 0.5, 0], [0, -0.5, 0.2]], at = [4.5, 0, 1] },
    { sphere = ["x", -1.5, 0.4], radius = "R", turn = [["cos(a)", 0, "sin(a)"], [0, 1, 0], ["-sin(a)", 0, "cos(a)"]] },
    { sphere = ["x", -1.5, 0.4] },
    { terrain = ["u", "v", "u*v/9"], u = [-1, 1], v = [-1, 1] },
]
"""


def test_the_page_draws_what_python_draws(chromium, folder):
    """Each outline, seen from the same place at the same time, by the two programs; the faulty shape is told."""
    file, result = page_of(SOLIDS, folder, "euler-lagrange")
    scene = drawn_scene(simulate(result).at([1.5]), drawing_of(result.system))
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        found = page.evaluate("""() => { const live = document.querySelector('.living').living, y = new Float64Array(4);
            const p = dalembert.pictures, eye = p.view(null, live.data.view, false), numbers = [];
            const u = live.state.run.at(1.5, y); live.model.scene(1.5, y, live.state.p, u, numbers);
            const all = p.vectors(live.data.figures, numbers, false);
            const lines = live.data.figures.flatMap((f, k) => p.polylines(f, all[k], eye));
            const owner = live.data.figures.flatMap((f, k) => p.polylines(f, all[k], eye).map(() => k));
            const near = p.order(live.data.figures, all, eye);
            const drawn = near.flatMap(k => owner.flatMap((o, i) => o === k ? [i] : []));
            return [lines.map(line => line[1].map(eye.seen)), drawn]; }""")
        found, order = found
        assert order == scene.order(0) != sorted(order)
        assert len(found) == len(scene.shapes)
        for mine, shape in zip(found, scene.shapes, strict=True):
            theirs = shape.points[0]
            np.testing.assert_allclose(np.min(mine, axis=0), theirs.min(axis=0), atol=1e-6)
            np.testing.assert_allclose(np.max(mine, axis=0), theirs.max(axis=0), atol=1e-6)
            if len(mine) == len(theirs):
                np.testing.assert_allclose(mine, theirs, atol=1e-6)
        assert "shapes 7, sphere: it lacks 'radius'" in page.inner_text(".living .evidence")
        assert probes.noises(seen) == []


def test_the_view_of_a_notebook_lives_in_its_element(chromium, folder):
    """As anywidget does it: a module whose default has render, called with an element; the column is narrow."""
    module = module_of(derive(gallery.load("two-wheeled-robot"), "nonholonomic"))
    file = folder / "widget.html"
    begin = "view.render({ el: document.getElementById('cell') });"
    file.write_text(
        f"<!doctype html><html lang='en'><title>cell</title><style>{STYLE}</style>"
        "<div id='cell' style='width: 468px'></div>"
        f"<script type='module'>{module.replace('export default', 'const view =').replace('</', '<' + chr(92) + '/')}"
        f"{begin}</script></html>",
        encoding="utf-8",
    )
    with probes.visit(chromium, file, 800) as seen:
        page = ready(seen)
        set_field(page, page.evaluate("() => document.querySelector('.living').living.model.variables[0]"), 0.25)
        assert page.evaluate("() => document.querySelector('.living').living.state.y[0]") == 0.25
        page.locator(".living .time").focus()  # its keys are its own: what has the focus says so to JupyterLab
        assert page.locator(".living .time").get_attribute("data-lm-suppress-shortcuts") == "true"
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 800
        page.locator("input[data-cloud]").check()
        page.wait_for_function("() => Number(document.querySelector('.living').dataset.cloud) >= 25", timeout=60_000)
        assert [one for one in probes.noises(seen) if "blob:" not in one] == []


def test_a_section_goes_on_and_zeros_are_drawn(chromium, folder):
    """A Poincare section takes a motion far longer than the one shown; an energy that does not change is a line."""
    file, _ = page_of("pendulum", folder, "euler-lagrange")
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        page.locator(".living .curve select").nth(2).select_option("q1")
        page.wait_for_function("() => Number(document.querySelector('.living').dataset.section) > 30", timeout=60_000)
        assert page.locator(".living path.points").count() == 1
        assert probes.noises(seen) == []
    file, _ = page_of("heisenberg", folder)
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        drift = page.locator(".living .curve", has_text="change of the energy")
        lines = [line.get_attribute("d") for line in drift.locator("path.line").all()]
        assert len(lines) == 2
        assert all(d.count("L") > 10 and "NaN" not in d for d in lines)
        assert "0" in drift.locator("text.tick").all_text_contents()


def test_sliders_stay_in_declared_ranges(chromium, folder):
    """Under abs(r) with r positive, a start at -1 is refused; where r is any number, it is taken."""
    for domain, least in (("positive", 0.1), ("real", -1.0)):
        fall = f"""name = "fall {domain}"\nlagrangian = "r'^2/2 - sqrt(r^2)"\n[coordinates]\nr = "{domain}"\n"""
        file, _ = page_of(f"{fall}[start]\nr = 1\n[run]\ntime = 1\n", folder, "euler-lagrange")
        with probes.visit(chromium, file) as seen:
            page = ready(seen)
            assert float(page.locator(".living input[type=range][data-name=r]").get_attribute("min")) == least
            page.get_by_label("r, a number", exact=True).fill("-1")
            page.get_by_label("r, a number", exact=True).press("Tab")
            taken = page.evaluate("() => document.querySelector('.living').living.state.y[0]")
            assert taken == (1 if domain == "positive" else -1)


def test_a_thousand_nearby_starts_come_one_after_the_other(chromium, disc):
    with probes.visit(chromium, disc[0]) as seen:
        page = ready(seen)
        page.locator("input[data-cloud]").check()
        page.wait_for_function("() => Number(document.querySelector('.living').dataset.cloud) >= 50", timeout=60_000)
        assert [one for one in probes.noises(seen) if "blob:" not in one] == []


def test_files_from_the_page(chromium, board):
    """The CSV is the motion; the model file, read back, gives the start that was on the page."""
    file, result = board
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        set_field(page, "psi'", 2.25)
        with page.expect_download() as got:
            page.get_by_role("button", name="Save CSV").click()
        rows = got.value.path().read_text().splitlines()
        assert rows[0].split(",")[:3] == ["t", "x", "y"]
        assert len(rows) == 602
        with page.expect_download() as got:
            page.get_by_role("button", name="Save model").click()
        text = got.value.path().read_text()
        assert tomllib.loads(text)["start"]["psi'"] == 2.25
        system = loads(text)
        run = simulate(derive(system, "nonholonomic"), None, 1.0)
        np.testing.assert_allclose(states(page, [1.0])[0], run.y[:, -1], rtol=0, atol=1e-7)
        assert result.system.name == system.name


def test_a_curve_is_read_off_enlarged_and_saved(chromium, board):
    with probes.visit(chromium, board[0]) as seen:
        page = ready(seen)
        curve = page.locator(".living .curve").first
        curve.scroll_into_view_if_needed()
        box = curve.locator("svg").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert curve.locator(".told").inner_text().startswith("t = ")
        line = curve.locator("path.line").first
        whole = line.get_attribute("d")
        page.mouse.down()
        page.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 0.8 * box["height"], steps=3)
        page.mouse.up()
        assert curve.locator("path.line").first.get_attribute("d") != whole
        curve.get_by_role("button", name="all").click()
        assert curve.locator("path.line").first.get_attribute("d") == whole
        for kind in ("SVG", "PNG"):
            with page.expect_download() as got:
                curve.get_by_role("button", name=kind).click()
            assert got.value.path().stat().st_size > 1000
        assert [one for one in probes.noises(seen) if "data:image" not in one and "blob:" not in one] == []


def test_formulas_are_copied(chromium, folder):
    """The text that is copied is read by our own grammar to the same expression; LaTeX is that of the library."""
    words = Vocabulary.of({"x": "real", "theta": "angle", "I1": "real"}, {"m": "positive", "alpha": "real"})
    texts = [
        "m*x'^2/2 - I1*sin(theta)^2/(1 + x^2) + sqrt(x)*theta''",
        "x^3*exp(-alpha*x)/3 - (x + 1)*(x - 2)*cos(2*theta + x)",
        "-x*theta'/(2*m) + atan(x)*log(m)",
    ]
    expressions = [parse(one, words) for one in texts]
    page = Section("copy", (Section("f", tuple(Formula(e) for e in expressions), anchor="f"),), level=1)
    file = folder / "copy.html"
    file.write_text(document(page), encoding="utf-8")
    with probes.visit(chromium, file) as seen:
        ask = """kind => Array.from(document.querySelectorAll('math'))
            .map(m => document.querySelector('.copier').written(m, kind))"""
        for found, expression in zip(seen.page.evaluate(ask, "text"), expressions, strict=True):
            assert equal(parse(found, words), expression).holds is True, found
        for found, expression in zip(seen.page.evaluate(ask, "latex"), expressions, strict=True):
            assert re.sub(r"\\,|\s|[{}]", "", found) == re.sub(r"\\[,!]|\s|[{}]|\\left|\\right", "", latex(expression))
        seen.page.locator("math").first.hover()
        seen.page.get_by_role("button", name="copy LaTeX").click()
        assert "frac" in seen.page.get_attribute(".copier", "data-copied")
        assert probes.noises(seen) == []


def test_what_rests_is_told_and_a_portrait_shows_what_moves(chromium, disc, board):
    """A disc turns at constant rates: no plot of them, and the first portrait is of its path."""
    file, _ = disc
    with probes.visit(chromium, file) as seen:
        page = ready(seen)
        told = page.locator(".living .resting").inner_text()
        assert told.startswith("constant: ")
        assert told.endswith("= 3, ψ̇ = 0.4")
        assert [one.input_value() for one in page.locator(".living .curve select").all()] == ["x", "y", "(none)"]
        assert page.locator(".living .curve").count() == 4  # angles, places, the energy, the portrait
    file, _ = board
    with probes.visit(chromium, file) as seen:
        assert ready(seen).locator(".living .resting").inner_text() == ""
