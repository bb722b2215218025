"""A mechanism on the page is moved by what the pointer takes hold of."""

import probes
import pytest
from test_living import page_of, ready


@pytest.mark.parametrize("name", ["heavy-top", "free-rigid-body"])
def test_a_body_is_turned_by_what_is_taken_hold_of(chromium, folder, name):
    """Lengths of quaternions are no way to move, and a body about its middle is held elsewhere."""
    with probes.visit(chromium, page_of(name, folder, "euler-lagrange")[0]) as seen:
        page = ready(seen)
        page.locator(".living .time").fill("0")
        began = "() => Array.from(document.querySelector('.living').living.state.y.slice(0, 4))"
        before = page.evaluate(began)
        x, y = page.evaluate(
            """() => { const e = document.querySelectorAll('.living .marks [data-figure]');
                const one = Array.from(e).find(m => !m.matches('.trace'));
                const a = one.getPointAtLength(0.4 * one.getTotalLength());
                const p = one.ownerSVGElement.createSVGPoint(); p.x = a.x; p.y = a.y;
                const q = p.matrixTransform(one.getScreenCTM()); return [q.x, q.y]; }"""
        )
        page.evaluate("() => { window.was = document.querySelector('.living').living.state.run; }")
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 30, y - 20, steps=4)
        page.mouse.up()
        page.wait_for_function("() => document.querySelector('.living').living.state.run !== window.was")
        after = page.evaluate(began)
        assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 1e-2
        assert sum(a * a for a in after) == pytest.approx(1, abs=1e-12)
        assert probes.noises(seen) == []
