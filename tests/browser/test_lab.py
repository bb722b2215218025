"""The lab in a browser: a newcomer's path from end to end, and everything that strangers try."""

import http.server
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import hostile_messages
import pytest
from conftest import FLAGS, found_chromium

from dalembert import gallery

SLEIGH = gallery.text("chaplygin-sleigh")
WAIT = 240_000
"""Milliseconds that something may take on a busy machine; nothing is measured here."""
GOOD, BAD = "#verdict.right", "#verdict.wrong"


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start a lab in an empty folder, whose processes end where the mark of a stranger reaches the system."""
    home, spies = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("spies")
    (spies / "sitecustomize.py").write_text(hostile_messages.SPY)
    paths = os.pathsep.join([str(spies), os.environ.get("PYTHONPATH", "")])
    program = subprocess.Popen(
        [sys.executable, "-m", "dalembert", "lab"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=home,
        env=os.environ | {"PYTHONPATH": paths, "HOME": str(home), "DALEMBERT_CACHE": str(home / "cache")},
    )
    program.address = program.stdout.readline().split()[-1]
    program.home = home
    yield program
    before = children(program.pid)
    program.send_signal(signal.SIGINT)
    program.wait(60)
    program.stdout.close()
    assert not [pid for pid in before if Path(f"/proc/{pid}").exists()], "processes were left behind"


def children(pid):
    """Return the processes that a process has started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout
    return [int(one) for one in found.split()]


@pytest.fixture
def seen(chromium, lab):
    """The lab as it opens, and what its console says."""
    context = chromium.new_context(viewport={"width": 1400, "height": 850}, accept_downloads=True)
    page = context.new_page()
    page.noises = []
    page.on("console", lambda one: page.noises.append(one.text) if one.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: page.noises.append(str(error)))
    page.goto(lab.address)
    page.wait_for_selector(GOOD, timeout=WAIT)
    yield page
    context.close()


def write(page, text):
    """Put a text into the editor, and wait until it has been looked at."""
    page.evaluate("() => { document.body.dataset.looked = ''; }")
    page.locator("textarea").fill(text)
    page.wait_for_selector("body[data-looked=now]", timeout=WAIT)


def do(page, what):
    """Press a button, and wait until it is done."""
    page.evaluate("() => { delete document.body.dataset.done; }")
    page.click(f"#{what}")
    page.wait_for_selector(f"body[data-done={what}]", timeout=WAIT)


def test_a_newcomer_finds_the_way(seen, lab, folder, chromium):
    page = seen
    assert page.url == lab.address.partition("?")[0]
    (cookie,) = page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert page.evaluate("() => document.cookie") == ""
    # the disc becomes a sleigh, with a slip of the pen on the way
    wrong = SLEIGH.replace("x'*sin(theta) - y'*cos(theta)", "x'*sin(thetta) - y'*cos(theta)")
    write(page, wrong)
    line = 1 + wrong[: wrong.index("blade =")].count("\n")
    fault = page.locator(f".fault[data-line='{line}']")
    assert "did you mean 'theta'?" in fault.inner_text()
    page.locator("#verdict li button").first.click()
    under, row = fault.bounding_box(), page.locator(".marks .bad").bounding_box()
    assert 0 <= under["y"] - (row["y"] + row["height"]) < 6
    assert page.locator(".numbers .bad").inner_text() == str(line)
    page.screenshot(path=folder / "lab-fault.png")
    write(page, SLEIGH)
    assert page.locator(".fault").count() == 0
    assert "3 coordinates and 1 linear constraint" in page.inner_text(GOOD)
    # derive, and drag the sleigh
    do(page, "derive")
    assert "units of work" in page.inner_text("#findings")
    frame = page.frame_locator("#page")
    frame.locator(".living[data-milliseconds]").wait_for(timeout=WAIT)
    assert "Chaplygin sleigh" in frame.locator("h1").inner_text()
    frame.locator(".living .play").click()
    frame.locator(".living .time").fill("0")
    inside = next(one for one in page.frames if "/page/" in one.url)
    before = inside.evaluate("() => document.querySelector('.living').living.state.y.slice()")
    mark = frame.locator(".living .marks .area").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 50, box["y"] + box["height"] / 2 - 30, steps=4)
    page.mouse.up()
    after = inside.evaluate("() => document.querySelector('.living').living.state.y.slice()")
    assert max(abs(a - b) for a, b in zip(before, after, strict=True)) > 1e-3
    frame.locator("input[data-cloud]").check()
    frame.locator(".living[data-cloud='1000']").wait_for(timeout=WAIT)
    assert (
        inside.evaluate("() => { try { return window.parent.document.title; } catch { return 'closed'; } }") == "closed"
    )
    # a claim, a search, and what was found goes into the model
    page.fill("#that", "theta' conserved")
    do(page, "check")
    assert re.search(r"^no$", page.inner_text("#findings"), re.MULTILINE)
    write(page, re.sub(r"\[symmetry\]\n(e\d.*\n)+\n|symmetries = .*\n|algebra = .*\n", "", SLEIGH))
    assert page.is_visible("#stale")
    do(page, "discover")
    found = page.inner_text("#findings")
    assert "d/dx" in found
    assert "what was searched" in found
    page.evaluate("() => { delete document.body.dataset.done; }")
    page.locator(".put").first.click()
    page.wait_for_selector("body[data-done=insert]", timeout=WAIT)
    assert "[symmetry]" in page.input_value("textarea")
    page.wait_for_selector(GOOD, timeout=WAIT)
    page.screenshot(path=folder / "lab-found.png")
    # the report is saved, and opens without the lab; so is the model
    with page.expect_download() as kept:
        page.click("#save-report")
    report = folder / "lab-report.html"
    kept.value.save_as(report)
    assert kept.value.suggested_filename == "chaplygin-sleigh.html"
    alone = chromium.new_page()
    alone.goto(report.as_uri())
    alone.wait_for_selector(".living[data-milliseconds]", timeout=WAIT)
    alone.close()
    with page.expect_download() as model:
        page.click("#save-model")
    assert Path(model.value.path()).read_text() == page.input_value("textarea")
    assert page.noises == []


def test_findings_of_another_model_are_marked_and_do_not_go_into_this_one(seen):
    page = seen
    free = 'lagrangian = "x\'^2/2"\n[coordinates]\nx = "real"\n'
    pulled = free.replace("/2", "/2 - x^2/2")
    write(page, free)
    do(page, "discover")
    button, note = page.locator("#findings .put:not([data-put])").last, page.locator("#findings p.other")
    assert button.is_enabled()
    assert not note.is_visible()
    write(page, free + "# a remark\n")
    assert button.is_enabled()
    write(page, pulled)
    assert button.is_disabled()
    assert "of another model" in note.inner_text()
    page.evaluate("() => { for (const one of document.querySelectorAll('#findings .put')) { one.disabled = false; } }")
    page.evaluate("() => { delete document.body.dataset.done; }")
    page.locator("#findings .put").last.click()
    page.wait_for_selector("body[data-done=insert]", timeout=WAIT)
    assert page.input_value("textarea") == pulled
    assert "of another model" in page.inner_text("#findings .fault")
    write(page, free)
    do(page, "discover")
    many = page.locator("#findings .put").count()
    page.evaluate("() => { delete document.body.dataset.done; }")
    page.locator("#findings .put").last.click()
    page.wait_for_selector("body[data-done=insert]", timeout=WAIT)
    page.wait_for_selector("body[data-looked=now]", timeout=WAIT)
    assert "[facts.integrals]" in page.input_value("textarea")
    assert page.locator("#findings .put:disabled").count() == 1 < many
    assert page.noises == []


def test_words_are_offered_and_links_have_the_model_and_no_token(seen, lab):
    page = seen
    write(page, 'lagrangian = "m*zeta\'^2/2"\n[parameters]\nm = 1\n')
    page.locator("textarea").press("Control+End")
    page.keyboard.type("[coord")
    assert page.locator(".offers li").first.inner_text().startswith("coordinates")
    page.keyboard.press("Tab")
    page.keyboard.type(']\nzeta = "an')
    assert page.locator(".offers li").first.inner_text().startswith("angle")
    page.keyboard.press("Enter")
    page.keyboard.type('"\n[constraints]\nc = "ze')
    assert page.locator(".offers li").first.inner_text().startswith("zeta")
    page.keyboard.press("Tab")
    page.keyboard.type("' = 1\"")
    page.wait_for_selector(GOOD, timeout=WAIT)
    text = page.input_value("textarea")
    assert text.endswith('[coordinates]\nzeta = "angle"\n[constraints]\nc = "zeta\' = 1"')
    page.click("#link")
    page.wait_for_function("() => window.location.hash.startsWith('#model=')")
    token = lab.address.partition("token=")[2]
    assert token not in page.url
    other = page.context.new_page()
    asked = []
    other.on("request", lambda one: asked.append(one.url))
    other.goto(page.url)
    other.wait_for_selector(GOOD, timeout=WAIT)
    assert other.input_value("textarea") == text
    assert not [one for one in asked if "model=" in one.partition("#")[0] or token in one]
    assert page.noises == []


def test_what_is_typed_survives_a_reload_and_a_link_opens_its_own(seen, lab):
    page = seen
    first = page.input_value("textarea")
    typed = first + "# mine\n"
    write(page, typed)
    page.click("#link")
    page.wait_for_function("() => window.location.hash.startsWith('#model=')")
    write(page, typed + "# more\n")
    page.reload()
    page.wait_for_selector(GOOD, timeout=WAIT)
    assert page.input_value("textarea") == typed + "# more\n"
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector(GOOD, timeout=WAIT)
    assert other.input_value("textarea") == typed
    other.goto(lab.address)  # another address in the same tab
    other.wait_for_selector(GOOD, timeout=WAIT)
    assert other.input_value("textarea") == first
    assert page.noises == []


def test_what_is_wrong_empty_slow_or_too_large_is_said(seen):
    page = seen
    write(page, "")
    assert "nothing is stated yet" in page.inner_text(BAD)
    write(page, "this is [no model")
    assert "this is not TOML" in page.inner_text(BAD)
    page.locator("textarea").fill("# " + "x" * 70_000)
    page.wait_for_function("() => document.getElementById('verdict').textContent.includes('too large')", timeout=WAIT)
    page.click("#derive")
    assert page.locator("body[data-busy]").count() == 0
    write(page, gallery.text("bicycle"))
    page.evaluate("() => { delete document.body.dataset.done; }")
    page.click("#discover")
    page.wait_for_function(
        "() => /equations|searching/.test(document.getElementById('progress').textContent)", timeout=WAIT
    )
    assert page.is_disabled("#derive")
    page.click("#stop")
    page.wait_for_selector("body[data-done=discover]", timeout=WAIT)
    assert "stopped." in page.inner_text("#findings")
    assert page.noises == []


def test_hostile_messages_huge_ones_and_killed_workers_are_survived(seen, lab):
    """Sent from the lab's own page, as a script that got in would; nothing is opened, written or executed."""
    page = seen
    told = page.evaluate(
        """async messages => {
            const line = new WebSocket("ws://" + location.host + "/talk"), heard = [];
            await new Promise(done => { line.onopen = done; });
            const last = new Promise((done, lost) => {
                line.onclose = () => lost(new Error("the line was closed"));
                line.onmessage = event => {
                const said = JSON.parse(event.data); heard.push(said);
                if (said.looked === 99999) { done(); } }; });
            for (const one of messages) { line.send(one); }
            line.send(new Uint8Array([0, 255, 1]));
            line.send(JSON.stringify({ do: "look", turn: 99999, text: "" }));
            await last;
            line.onclose = null; line.close();
            return heard.filter(one => one.refused).length; }""",
        hostile_messages.messages(),
    )
    assert told > 20
    closed = page.evaluate(
        """() => new Promise(done => { const line = new WebSocket("ws://" + location.host + "/talk");
            line.onopen = () => line.send("x".repeat(2000000)); line.onclose = event => done(event.code); })"""
    )
    assert closed in {1006, 1009}  # it may be gone before it can say why
    for pid in children(lab.pid):
        os.kill(pid, signal.SIGKILL)
    write(page, SLEIGH)
    page.wait_for_selector(GOOD, timeout=WAIT)
    do(page, "derive")
    page.frame_locator("#page").locator("h1").wait_for(timeout=WAIT)
    assert lab.poll() is None
    assert not [path for path in lab.home.rglob("*") if path.is_file()], "something was written"
    assert page.noises == []


def test_other_origins_and_other_names_open_nothing(seen, lab):
    """A page of another server on this machine has the cookie sent with its requests: the origin tells them apart."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<title>evil</title>")

        def log_message(self, *_):
            pass

    port = lab.address.partition("/?")[0].rpartition(":")[2]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as evil:
        threading.Thread(target=evil.serve_forever, daemon=True).start()
        stranger = seen.context.new_page()
        stranger.goto(f"http://127.0.0.1:{evil.server_port}/")
        tried = stranger.evaluate(
            """async port => {
                const line = await new Promise(done => { const one = new WebSocket("ws://127.0.0.1:" + port + "/talk");
                    one.onopen = () => done("open"); one.onerror = () => done("refused"); });
                const asked = fetch("http://127.0.0.1:" + port + "/", { credentials: "include" });
                const read = await asked.then(() => "read", () => "refused");
                const framed = document.createElement("iframe");
                framed.src = "http://127.0.0.1:" + port + "/"; document.body.append(framed);
                await new Promise(done => { framed.onload = done; });
                return [line, read, framed.contentDocument ? "seen" : "closed"]; }""",
            port,
        )
        assert tried == ["refused", "refused", "closed"]
        evil.shutdown()
    from playwright.sync_api import Error

    rebound = seen.context.browser.browser_type.launch(
        executable_path=found_chromium(), args=[*FLAGS, "--host-resolver-rules=MAP evil.test 127.0.0.1"]
    )
    page = rebound.new_page()
    token = lab.address.partition("token=")[2]
    for path in ("/", f"/?token={token}", "/lab.js"):
        assert page.goto(f"http://evil.test:{port}{path}").status == 403
    with pytest.raises(Error):
        page.evaluate("() => fetch('/talk', { mode: 'same-origin' }).then(a => { if (!a.ok) throw new Error('no'); })")
    rebound.close()
