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
from dalembert.model.files import loads
from dalembert.present.html_writer import document
from dalembert.present.living import STYLE, living_block, living_of
from dalembert.present.page import Formula, Picture, Section


def page_of(name, folder, formalism="nonholonomic", ghosts=()):
    """Return the file of a page with one living system, and its result."""
    system = gallery.load(name)
    result = derive(system, formalism)
    others = [derive(system, one) for one in ghosts]
    made = [living_of(result, simulate(result))]
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
            np.testing.assert_allclose(states(page, times), run.at(times).y.T, rtol=0, atol=1e-9)
        assert probes.noises(seen) == []


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
