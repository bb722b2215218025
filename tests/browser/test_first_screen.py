"""The first screen of a report in Chromium: the size of the mechanism, a layout that stays, and the first sheet."""

import probes
import pytest

NAMES = ("chaplygin-sleigh", "made-up")
every = pytest.mark.parametrize("name", NAMES)


@every
@pytest.mark.parametrize(("width", "height", "least"), [(1440, 900, 0.35), (1280, 720, 0.33), (1920, 1080, 0.35)])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_mechanism_takes_a_third_of_the_screen(chromium, report, name, width, height, least, scheme):
    with probes.visit(chromium, report(name), width, height=height, scheme=scheme) as seen:
        left, top, wide, high, beside = seen.ask("""() => {
          const [r, b] = ['.stage > svg', '.beside'].map(one => document.querySelector(one).getBoundingClientRect());
          return [r.left, r.top, r.width, r.height, b.left]; }""")
        assert wide * high >= least * width * height
        assert left >= 0
        assert top + high <= height
        assert left + wide <= beside


@every
def test_on_a_phone_the_mechanism_follows_the_title(chromium, report, name):
    with probes.visit(chromium, report(name), 390, height=844) as seen:
        tops = seen.ask("""() => ['h1', '.stage', '.controls', '.beside section', '.panel', '.plots']
          .map(one => document.querySelector(one).getBoundingClientRect().top)""")
        assert tops == sorted(tops)
        assert tops[2] < 844
        assert probes.cut(seen) == []


@every
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (390, 844)])
def test_the_layout_is_the_same_at_every_load_and_while_it_moves(chromium, report, name, width, height):
    found = []
    for wait, slow in ((0, 1), (700, 1), (700, 20)):
        with probes.visit(chromium, report(name), width, height=height, slow=slow) as seen:
            found.append(probes.places(seen))
            seen.page.wait_for_selector(".living[data-milliseconds]")
            seen.page.wait_for_timeout(wait)
            found.append(probes.places(seen))
            assert probes.shifts(seen) == []
    assert len(found[0]) > 6
    assert all(one == found[0] for one in found)


@every
def test_the_mechanism_is_printed(chromium, report, folder, name):
    with probes.visit(chromium, report(name)) as seen:
        seen.page.wait_for_selector(".living[data-milliseconds]")
        assert probes.on_paper(seen, folder) == []
