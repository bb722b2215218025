"""Probes bite: a page with one thing broken gets a complaint, and the same page unbroken gets none."""

import probes
import pytest

NOISY = [
    ("a script that fails", "</body>", "<script>no_such_thing()</script></body>", "error"),
    ("a warning", "</body>", "<script>console.warn('oh')</script></body>", "console warning: oh"),
    ("a picture from the net", "</body>", '<img src="http://example.invalid/a.png" alt="a"></body>', "asks for http"),
    ("a broken film", "const box = document.currentScript.parentNode", "const box = null", "error"),
]
HIDDEN = "details > :not(summary) { display: none !important; }"
DEAF = "<script>document.querySelector('.living .time').onkeydown = e => e.preventDefault();</script>"
BROKEN = [
    (probes.equations, "</style>", "math { display: none !important; }</style>", "no box"),
    (
        probes.equations,
        "</style>",
        "math { margin-left: 3000px; } * { overflow: visible !important; }</style>",
        "sticks",
    ),
    (probes.equations, "</style>", ".formulas { width: 3000px; }</style>", "its box sticks out"),
    (probes.equations, "</body>", '<div style="min-width: 5000px">wide</div></body>', "the page is"),
    (probes.cut, "</style>", ".formulas math { font-size: 60px !important; }</style>", "cut by"),
    (probes.plots, 'class="curve" d="M', 'class="curve" d="" data-was="', "an empty curve"),
    (probes.plots, 'class="curve" d="M', 'class="curve" d="MNaN', "d=MNaN"),
    (probes.plots, 'class="curve"', 'class="other"', "has no curve"),
    (probes.plots, "</style>", "svg.plot { visibility: hidden; }</style>", "is not seen"),
    (probes.plots, "</style>", "svg.plot { font-size: 4px; }</style>", "too small"),
    (probes.plots, "</style>", "svg.plot { font-size: 60px; }</style>", "words"),
    (probes.animation, "window.requestAnimationFrame(frame);\n  }\n  function play", "}\n  function play", "not play"),
    (probes.animation, '"translate(" + s[0]', '"translate(" + (s[0] + 3000)', "leaves the picture"),
    (
        probes.animation,
        "figures.forEach(function (figure, owner)",
        "[].forEach(function (figure, owner)",
        "nothing moves",
    ),
    (probes.animation, "play(!state.playing)", "play(true)", "does not stop"),
    (probes.animation, 'slider.addEventListener("input"', 'slider.addEventListener("nothing"', "slider does not set"),
    (probes.animation, "</body>", f"{DEAF}</body>", "no keys"),
    (probes.animation, 'class="living"', 'class="livings"', "nothing is alive"),
    (probes.folds, "</style>", f"{HIDDEN}</style>", "does not turn"),
    (probes.folds, "<details", '<div class="details"', "nothing is folded"),
    (
        probes.printed,
        "</body>",
        '<details class="where"><summary>where</summary><p style="display: none">a1 = 2</p></details></body>',
        "folded away on paper",
    ),
    (
        probes.printed,
        "</style>",
        "@media print { .claims::details-content { content-visibility: visible; display: block; } }</style>",
        "claims on paper",
    ),
    (
        probes.printed,
        "</style>",
        "@media print { .living .controls { display: flex !important; } }</style>",
        "to be pressed",
    ),
    (
        probes.printed,
        "</style>",
        "@media print { table { width: 1500px !important; } }</style>",
        "wider than the paper",
    ),
    (probes.access, '<html lang="en">', "<html>", "no language"),
    (probes.access, "<title>", "<title></title><title hidden>", "no title"),
    (probes.access, "<h2", "<h1>again</h1><h2", "not one first heading"),
    (probes.access, "<h2", "<h4>deep</h4><h2", "a heading too deep"),
    (probes.access, '"aria-label": "time", ', "", "a nameless control"),
    (probes.access, 'role="img"', "", "a nameless picture"),
    (probes.access, 'href="#model"', 'href="#nowhere"', "a link to nowhere"),
    (probes.access, 'id="model"', 'id="system"', "an id twice"),
    (probes.contrast, "</style>", "p { color: #999 !important; }</style>", "p."),
    (probes.contrast, "</style>", "svg.plot { fill: #999; }</style>", "text."),
]


def broken(report, folder, old, new):
    text = report("made-up").read_text(encoding="utf-8")
    assert old in text
    twin = folder / "twin.html"
    twin.write_text(text.replace(old, new), encoding="utf-8")
    return twin


@pytest.mark.parametrize(("what", "old", "new", "complaint"), NOISY)
def test_noise_is_heard(chromium, report, tmp_path, what, old, new, complaint):
    with probes.visit(chromium, broken(report, tmp_path, old, new)) as seen:
        assert any(complaint in said for said in probes.noises(seen)), what


@pytest.mark.parametrize(("probe", "old", "new", "complaint"), BROKEN)
def test_a_probe_bites(chromium, report, tmp_path, probe, old, new, complaint):
    with probes.visit(chromium, broken(report, tmp_path, old, new)) as seen:
        assert any(complaint in said for said in probe(seen))


def test_a_size_is_no_formula(report, tmp_path):
    assert probes.told_by_size(broken(report, tmp_path, "</body>", "<p>131 operations</p></body>")) == [
        "131 operations"
    ]
    assert probes.told_by_size(report("made-up")) == []


def test_a_file_may_be_too_large(report, tmp_path):
    assert probes.size(broken(report, tmp_path, "</body>", f"<!--{' ' * probes.LARGEST}--></body>"))
