"""Every report in Chromium, wide and narrow, light and dark, on paper; pictures are kept with BROWSER_KEEP=folder."""

import os

import probes
import pytest
import reports

WIDTHS = (1280, 390)
every = pytest.mark.parametrize("name", reports.NAMES)


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_a_report_is_quiet_and_all_of_it_is_seen(chromium, report, name, width):
    with probes.visit(chromium, report(name), width) as seen:
        assert probes.cut(seen) == []
        assert probes.equations(seen) == []
        assert probes.plots(seen) == []
        assert probes.noises(seen) == []
    assert probes.size(report(name)) == []
    assert probes.told_by_size(report(name)) == []


@every
def test_the_mechanism_moves_and_obeys(chromium, report, name):
    with probes.visit(chromium, report(name)) as seen:
        assert probes.animation(seen) == []
        assert probes.noises(seen) == []


@every
def test_it_stands_still_for_who_asks_for_it(chromium, report, name):
    with probes.visit(chromium, report(name), still=True) as seen:
        assert "it does not play" in probes.animation(seen)


@every
def test_sections_unfold(chromium, report, name):
    with probes.visit(chromium, report(name)) as seen:
        assert probes.folds(seen) == []


@every
def test_it_prints(chromium, report, name):
    with probes.visit(chromium, report(name)) as seen:
        assert probes.printed(seen) == []
        assert probes.noises(seen) == []


@every
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_it(chromium, report, name, scheme):
    with probes.visit(chromium, report(name), scheme=scheme) as seen:
        assert probes.access(seen) == []
        assert probes.contrast(seen) == []


@every
@pytest.mark.parametrize("width", WIDTHS)
def test_pictures_are_taken(chromium, report, folder, name, width):
    with probes.visit(chromium, report(name), width) as seen:
        picture = seen.page.screenshot(full_page=True)
        assert len(picture) > 20_000  # more than an empty sheet
        if os.environ.get("BROWSER_KEEP"):
            (folder / f"{name}-{width}.png").write_bytes(picture)
