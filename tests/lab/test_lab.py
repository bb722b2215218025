"""The lab without a browser, with workers of its own: looks, jobs, strangers, and processes that are killed."""

import asyncio
import errno
import json
import os
import re
import signal
import subprocess
import sys
from base64 import b64encode
from contextlib import contextmanager
from hashlib import sha256

import hostile_messages
import pytest
from starlette.testclient import TestClient

from dalembert import gallery, processes
from dalembert.lab import pool as pool_module
from dalembert.lab.application import Lab
from dalembert.lab.confined import answered
from dalembert.lab.doors import Keys
from dalembert.lab.working import TASKS

KEYS = Keys(8123)
DISC = gallery.text("vertical-rolling-disc")
SLOW = (
    'lagrangian = "'
    + "+".join(f"x{k}'^2*exp(x{k + 1})" for k in range(40))
    + '"\n[coordinates]\n'
    + "\n".join(f'x{k} = "real"' for k in range(41))
)


@contextmanager
def opened(workers, folder):
    """Open a lab with so many workers, which end where what a stranger says reaches the system."""
    (folder / "sitecustomize.py").write_text(hostile_messages.SPY)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(pool_module, "WORKERS", workers)
        changed.setattr(pool_module, "LOOKERS", 1)
        changed.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
        one = Lab(KEYS, DISC)
        with TestClient(one.application, base_url=KEYS.origin) as client:
            client.get(KEYS.address)
            client.lab = one
            yield client


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A lab that looks at models, and does nothing else."""
    with opened(0, tmp_path_factory.mktemp("spies")) as one:
        yield one


@pytest.fixture(scope="module")
def whole_lab(tmp_path_factory):
    with opened(1, tmp_path_factory.mktemp("spies")) as one:
        yield one


class Line:
    """An open page."""

    def __init__(self, line):
        self.line = line
        self.hello = line.receive_json()

    def say(self, **what):
        self.line.send_text(json.dumps(what))

    def until(self, *keys):
        """Return the next message of a kind, and what came before it."""
        before = []
        while not set(keys) & set(said := self.line.receive_json()):
            before.append(said)
        return said, before

    def ask(self, do, **what):
        self.say(do=do, **what)
        return self.until("done", "refused")[0]

    def look(self, text, turn=1):
        self.say(do="look", turn=turn, text=text)
        return self.until("looked", "refused")[0]


def talking(lab):
    return lab.websocket_connect(f"ws://{KEYS.host}/talk", headers={"origin": KEYS.origin})


@pytest.fixture
def line(lab):
    with talking(lab) as one:
        yield Line(one)


@pytest.fixture
def working_line(whole_lab):
    with talking(whole_lab) as one:
        yield Line(one)


def test_a_look_says_what_is_wrong_under_its_line(line):
    assert line.hello["model"] == DISC
    assert {"coordinates", "symmetry", "facts"} <= set(line.hello["hello"]["tables"])
    assert line.hello["hello"]["tables"]["coordinates"]["values"][:2] == ["real", "angle"]
    good = line.look(DISC)
    assert (good["faults"], good["formalism"], good["looked"]) == ([], "nonholonomic", 1)
    bad = line.look(DISC.replace("= R*cos(psi)", "= R*cos(psj)"), turn=2)
    number = next(k for k, one in enumerate(DISC.splitlines(), 1) if "rolls_in_x = " in one)
    assert bad["looked"] == 2
    assert [fault["line"] for fault in bad["faults"]] == [number]
    assert "did you mean 'psi'?" in bad["faults"][0]["said"]
    assert "to begin with" in line.look("")["faults"][0]["said"]


FALL = """name = "<script>theirs()</script>"
lagrangian = "(x'^2 + z'^2)/2 - g*z"
[coordinates]
x = "real"
z = "real"
[parameters]
g = 1
[constraints]
"</script><script>theirs()</script>" = "z' = x'"
[start]
z = 1
[run]
time = 1
"""


def test_the_page_runs_the_scripts_that_we_wrote_and_no_others():
    done = answered(TASKS["page"], {"text": FALL})
    assert done["faults"] == []
    assert (done["formalism"], done["failed"]) == ("nonholonomic", 0)
    assert done["work"] > 0
    page, allowed = done["page"], done["scripts"]
    elements = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
    assert sorted({hashed(text) for text in ran(page)}) == allowed
    assert "theirs()" in page
    assert "<script" not in elements.sub("", page)
    assert hashed("theirs()") not in allowed


def hashed(text):
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def test_claims_are_decided_and_findings_put_into_the_model():
    def ask(task, **given):
        return answered(TASKS[task], given)

    claims = ask("check", text=DISC, that="psi' conserved")["claims"]
    assert [claim["verdict"] for claim in claims] == ["proved"]
    wrong = ask("check", text=DISC, that="x' conserved")["claims"]
    assert [claim["verdict"] for claim in wrong] == ["refuted"]
    assert ask("check", text=DISC, that="nonsense")["faults"][0]["said"].endswith(".")
    of = ask("look", text=DISC)["of"]
    assert {told["of"] for told in (ask("look", text=DISC), ask("check", text=DISC, that="psi' conserved"))} == {of}
    turn = {"e1": '{ psi = "1", x = "-y", y = "x" }'}
    put = ask("insert", text=DISC, kind="symmetry", entries=turn, of=of)
    assert put["inserted"] == 1
    assert 'e2 = { y = 1 }\ne3 = { psi = "1", x = "-y", y = "x" }\n\n[start]' in put["text"]
    again = ask("insert", text=put["text"], kind="symmetry", entries=turn, of=of)
    assert (again["inserted"], again["text"]) == (0, put["text"])
    more = ask("insert", text=DISC, kind="integrals", entries={"found": "m*phi'"}, of=of)
    assert 'found = "m*phi\'"' in more["text"].partition("[facts.integrals]")[2].partition("[facts.varying]")[0]
    bad = ask("insert", text=DISC, kind="symmetry", entries={"e9": "{ nobody = 1 }"}, of=of)
    assert bad["faults"]
    assert "text" not in bad


def test_findings_go_into_the_model_in_which_they_were_found_and_into_no_other():
    ball = FALL.partition("[constraints]")[0]
    pulled = ball.replace("- g*z", "- g*z - g*x^2/2")  # x' stays constant in the first alone
    of = {text: answered(TASKS["look"], {"text": text})["of"] for text in (ball, pulled)}
    given = {"kind": "integrals", "entries": {"found": "x'"}, "of": of[ball]}
    put = answered(TASKS["insert"], {"text": ball, **given})
    assert put["inserted"]
    more = {"kind": "symmetry", "entries": {"e1": "{ x = 1 }"}, "of": of[ball]}
    assert answered(TASKS["insert"], {"text": put["text"] + "# a remark", **more})["inserted"]
    assert answered(TASKS["discover"], {"text": put["text"]})["of"] == of[ball]
    for other in (pulled, ball.replace("g = 1", "g = 2"), "not TOML ["):
        refused = answered(TASKS["insert"], {"text": other, **given})
        assert "text" not in refused
        assert "of another model" in refused["faults"][0]["said"]


RUNNER = """
name = "runner"
lagrangian = "(x'^2 + y'^2 + k^2*th'^2)/2"
[coordinates]
x = "real"
y = "real"
th = "angle"
[parameters]
k = 2
[constraints]
edge = "x'*sin(th) = y'*cos(th)"
"""


@pytest.mark.thorough
@pytest.mark.thorough
def test_what_is_found_in_speeds_is_offered_in_velocities():
    told = answered(TASKS["discover"], {"text": RUNNER})
    (speed,) = told["discovery"]["speeds"]  # along the edge, which no model knows
    assert len(told["facts"]) == len(told["discovery"]["integrals"])
    for fact in told["facts"]:
        put = {"text": RUNNER, "kind": "integrals", "entries": {"f": fact}, "of": told["of"]}
        assert answered(TASKS["insert"], put)["inserted"]
        (claim,) = answered(TASKS["check"], {"text": RUNNER, "that": f"{fact} conserved"})["claims"]
        assert claim["verdict"] in {"proved", "certain"}
    assert any(speed in one["expression"] for one in told["discovery"]["integrals"])


@pytest.mark.thorough
def test_a_job_is_done_can_be_stopped_and_a_killed_worker_is_replaced(whole_lab, working_line):
    line = working_line
    line.say(do="derive", text=FALL, formalism="")
    done, before = line.until("done", "refused")
    said = [one["progress"]["said"] for one in before if "progress" in one]
    assert said[1:4] == ["nonholonomic: equations", "nonholonomic: claims", "nonholonomic: first integrals"]
    answer = whole_lab.get(done["page"])
    assert all(f"'{hashed(text)}'" in answer.headers["content-security-policy"] for text in ran(answer.text))
    line.say(do="discover", text=SLOW, deep=True)
    line.until("progress")
    refused = line.ask("check", text=DISC, that="x conserved", formalism="")
    assert refused == {"refused": "something is being done already; stop it first."}
    line.say(do="stop")
    done, _ = line.until("done")
    assert done["faults"] == [{"line": None, "said": "stopped."}]
    line.say(do="discover", text=SLOW, deep=True)
    line.until("progress")
    line.until("progress")
    (job,) = whole_lab.lab._pool._running
    os.kill(job.worker._process.pid, signal.SIGKILL)
    done, _ = line.until("done")
    assert "its process ended" in done["faults"][0]["said"]
    assert line.look(DISC)["faults"] == []
    assert line.ask("check", text=DISC, that="psi' conserved", formalism="")["claims"][0]["verdict"] == "proved"
    assert len(workers(whole_lab)) == 2


@pytest.mark.parametrize("refused", ["process", "thread"])
def test_a_worker_that_cannot_be_started_is_told_and_tried_again(monkeypatch, refused):
    """The system is out of processes, pipes or threads for a moment: one job is refused, the next is done."""
    faults = [BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable"), OSError(errno.EMFILE, "Too many")]
    if refused == "thread":
        faults = [RuntimeError("can't start new thread")] * 2
    name = {"process": "_started", "thread": "Thread"}[refused]
    starts = getattr(processes, name)

    def start(*given, **options):
        if faults:
            raise faults.pop(0)
        return starts(*given, **options)

    monkeypatch.setattr(processes, name, start)
    monkeypatch.setattr(pool_module, "WORKERS", 0)
    monkeypatch.setattr(pool_module, "LOOKERS", 1)

    async def talk():
        async with pool_module.Pool() as pool:
            return [await asyncio.wait_for(pool.look(k, FALL), 60) for k in range(2)]

    first, second = asyncio.run(talk())
    assert "starts no process now" in first["faults"][0]["said"]
    assert second["faults"] == []
    assert not faults


def ran(page):
    """Return the scripts of a page that run."""
    return [text for kind, text in re.findall(r"<script([^>]*)>(.*?)</script>", page, re.DOTALL) if "json" not in kind]


def test_two_hundred_hostile_messages(lab, line):
    """Every one is answered or superseded by the next; nothing reaches the system, and nobody is the worse for it."""
    spied = [sys.executable, "-c", f"open('/var/{hostile_messages.MARK}')"]
    assert subprocess.run(spied, check=False, capture_output=True).returncode == hostile_messages.STATUS
    assert line.look(DISC)["faults"] == []
    before = workers(lab)
    for said in hostile_messages.messages():
        line.line.send_text(said)
    line.line.send_bytes(b"\x00\xff" + hostile_messages.MARK.encode())
    line.say(do="look", turn=10_000, text=DISC)
    told = []
    while (said := line.line.receive_json()).get("looked") != 10_000:
        told.append(said)
    assert said["faults"] == []
    assert not [one for one in told if "process ended" in str(one) or "its fault" in str(one)]
    assert len([one for one in told if "refused" in one]) > 20
    assert workers(lab) == before
    for text in list(hostile_messages.models())[::5]:
        answer = line.look(text)
        assert "process ended" not in str(answer)
        assert "its fault" not in str(answer)
    assert workers(lab) == before


def workers(lab):
    """Return the processes of a lab."""
    pool = lab.lab._pool
    return sorted(worker._process.pid for worker in pool.workers)


def test_a_worker_opens_writes_and_starts_nothing(tmp_path):
    """The second wall, tried from within: whatever is not the program's own is refused."""
    tries = f"""
import os, subprocess, socket, sys
from pathlib import Path
from dalembert.lab.confined import confine, limited
limited(0)
confine()
import wave, dalembert.expr.field.worker as worker
worker.wake()
ours = [sys.executable, "-P", "-c", "", "dalembert.expr.field.worker"]
os.waitpid(os.posix_spawn(sys.executable, ours, os.environ), 0)  # as subprocess does from Python 3.13 on
for act in (lambda: open({str(tmp_path / "a")!r}, "w"), lambda: open("/etc/hostname"), lambda: os.listdir("/etc"),
            lambda: os.system("true"), lambda: subprocess.run(["true"]),
            lambda: subprocess.run([sys.executable, "-c", ""]),
            lambda: os.posix_spawn("/bin/true", ["true"], {{}}), lambda: os.posix_spawn("/bin/true", ours, {{}}),
            lambda: os.posix_spawn(sys.executable, [sys.executable, "-c", ""], {{}}),
            lambda: os.mkdir({str(tmp_path / "b")!r}), lambda: os.remove({__file__!r}), lambda: os.fork(),
            lambda: Path({__file__!r}).write_text(""), lambda: open(wave.__file__, "a"),
            lambda: os.open("/x", os.O_CREAT),
            lambda: socket.create_connection(("127.0.0.1", 9)), lambda: os.rename({__file__!r}, "/x")):
    try:
        act()
    except PermissionError as error:
        assert "a worker of the lab may not" in str(error), error
    else:
        raise SystemExit("it was let through")
open(wave.__file__).close()
"""
    done = subprocess.run([sys.executable, "-c", tries], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_limits_of_time_and_memory_end_in_a_sentence():
    """A worker that uses more than it may is ended by the system, and told so by its status."""
    tries = """
from dalembert.lab.confined import allow, answered, limited
limited(0)
print(answered(lambda: bytearray(4 << 30), {})["faults"][0]["said"])
allow(0)
while True:
    pass
"""
    done = subprocess.run([sys.executable, "-c", tries], check=False, capture_output=True, text=True)
    assert "more memory than the lab gives" in done.stdout
    assert done.returncode == -signal.SIGXCPU
    job = pool_module.Job("page", {}, print, 120, None)
    assert "more than 120 s of a processor" in pool_module._why(job, done.returncode)
