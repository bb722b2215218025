"""What assistants get: the tools and their answers, faults in sentences; by a client in the process and over stdio."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys

import pytest
from mcp import Client, StdioServerParameters

from dalembert import gallery
from dalembert.errors import MissingExtra
from dalembert.lab import assistants
from dalembert.lab.confined import answered
from dalembert.lab.working import TASKS

TOOLS = ["state", "derive", "check", "discover", "simulate", "examples"]
SKATE = assistants._ABOUT.partition("in TOML:\n\n")[2].partition("\n\nUse")[0]


class InProcess:
    """Does what the workers of a pool do, here and now."""

    async def ask(self, task, given, told):
        told({"said": task, "work": 0.0})
        return answered(TASKS[task], given)

    async def look(self, _, text):
        return answered(TASKS["look"], {"text": text})


async def asked(client, tool, **given):
    """Return what a tool answers."""
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    return answer.structured_content


def test_the_tools_and_what_they_answer():
    heard = []

    async def hear(progress, total, message):
        heard.append((progress, total, message))

    async def talk():
        async with Client(assistants.server(InProcess())) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == TOOLS
            assert all(tool.description and "context" not in tool.input_schema["properties"] for tool in tools)
            said = await asked(client, "state", model=SKATE)
            assert (said["faults"], said["formalism"]) == ([], "nonholonomic")
            wrong = await asked(client, "state", model=SKATE.replace("sin(th)", "sin(thh)"))
            assert [fault["line"] for fault in wrong["faults"]] == [11]
            answer = await client.call_tool("check", {"model": SKATE, "that": "th' conserved"}, progress_callback=hear)
            assert [claim["verdict"] for claim in answer.structured_content["claims"]] == ["proved"]
            no = await asked(client, "check", model=SKATE, that="x' conserved")
            assert [claim["verdict"] for claim in no["claims"]] == ["refuted"]
            given = {"formalism": "nonholonomic", "time": "2", "samples": 3, "start": {"th'": 2.0}}
            moved = await asked(client, "simulate", model=SKATE, **given)
            assert moved["motion"]["end"]["th"] == pytest.approx(4.0)
            assert moved["course"]["t"] == [0.0, 1.0, 2.0]
            model = (await asked(client, "examples", name="kepler"))["model"]
            assert model == gallery.text("kepler")
            assert set(await asked(client, "examples")) == set(gallery.names())
            by_number = await asked(client, "simulate", model=SKATE, **given | {"time": 2})
            assert by_number["motion"]["span"] == moved["motion"]["span"]
            for path in ("/etc/passwd", "../mine.toml", "file:///x", "mine.toml"):
                for tool, more in (("state", {}), ("check", {"that": "x conserved"})):
                    refused = await asked(client, tool, model=path, **more)
                    assert "no file is opened here; give the text of a model" in refused["faults"][0]["said"]
                assert (await asked(client, "examples", name=path))["faults"]
            long = await asked(client, "state", model="x = 1\n" * 20_000)
            assert "at most" in long["faults"][0]["said"]
            assert (await client.call_tool("simulate", {"model": SKATE, "samples": 10**9})).is_error

    asyncio.run(talk())
    assert heard == [(1.0, None, "check")]


@pytest.mark.thorough
def test_a_session_over_stdio():
    """The command itself: it answers, and it ends with its input, and all its processes with it."""
    program = StdioServerParameters(command=sys.executable, args=["-m", "dalembert", "mcp"], env=dict(os.environ))

    async def talk():
        async with Client(program) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            assert (await asked(client, "state", model="kepler"))["faults"] == []
            derived = await asked(client, "derive", model=SKATE, formalism="nonholonomic")
            assert derived["derived"]["formalism"] == "nonholonomic"
            assert all(claim["verdict"] != "undecided" for claim in derived["derived"]["claims"])
            found = await asked(client, "discover", model=SKATE)
            assert found["offers"]
            both = [asked(client, "check", model=SKATE, that=f"{one} conserved") for one in ("th'", "x'")]
            assert [one["claims"][0]["verdict"] for one in await asyncio.gather(*both)] == ["proved", "refuted"]

    asyncio.run(talk())
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", "mcp"], input="", capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_tools_that_are_spoken_of_are_there():
    assert set(re.findall("'([a-z]+)'", assistants._ABOUT.partition("Use")[2])) <= {*TOOLS, "faults"}


def test_an_interrupt_ends_it_while_nothing_is_said():
    hello = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    asked = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    with subprocess.Popen(
        [sys.executable, "-m", "dalembert", "mcp"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as program:  # fmt: skip
        program.stdin.write(asked + "\n")
        program.stdin.flush()
        assert json.loads(program.stdout.readline())["id"] == 1
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130  # its input is open still
        assert program.stderr.read() == "stopped.\n"


def test_without_the_package_one_sentence_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dalembert\[mcp\]'"):
        assistants.server(InProcess())
