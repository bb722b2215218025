"""The lab's work for assistants: tools of the Model Context Protocol, on standard input and output.

A model is a text, or the name of a system of the gallery; no file is opened or written. Workers and limits are those of
the lab. What is wrong is in ``faults``, in sentences with lines, so that a model can be put right and asked again.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Annotated, Any, Final

from dalembert import gallery
from dalembert.errors import DalembertError, MissingExtra
from dalembert.lab.limits import MODEL_BYTES, PHRASE_LETTERS
from dalembert.lab.pool import Pool, check_machine, refusal
from dalembert.lab.sessions import example

_ABOUT: Final = """\
dalembert derives the equations of motion of mechanical systems, and decides claims about them in exact arithmetic: each
has a verdict (proved, certain, refuted, measured, undecided). A system is stated in TOML:

name = "skate"
lagrangian = "m*(x'^2 + y'^2)/2 + J*th'^2/2"
[coordinates]
x = "real"
y = "real"
th = "angle"
[parameters]
m = 1
J = 1
[constraints]
blade = "x'*sin(th) = y'*cos(th)"
[start]
"x'" = 1
"th'" = 1

Use 'examples' to see others, 'state' to find what is wrong with a model, then derive, check, discover or simulate.
Where 'faults' is not empty, put these right first. Trust verdicts, not guesses: 'check' decides a claim of your own.
"""
_MODEL: Final = "The text of a model, or the name of a system of the gallery."
_AS: Final = (
    "A formalism: euler-lagrange, nonholonomic, reduced, chaplygin, routh, vakonomic or semisymplectic; by default the "
    "one that the statement means."
)
_THAT: Final = (
    'A claim: "EXPRESSION conserved", "EXPRESSION = EXPRESSION", "x d/dy - y d/dx symmetry" or '
    '"EXPRESSION density of dx dx\'".'
)
_MOST_SAMPLES: Final = 1_000
_INTERRUPTED: Final = 130
"""The status after Ctrl-C."""
Answer = dict[str, Any]


def server(pool: Pool) -> Any:
    """Return the server, which asks the workers of a pool."""
    try:
        from mcp.server.mcpserver import Context, MCPServer
    except ImportError:
        raise MissingExtra(
            "assistants need the package mcp (2 or newer), which is not installed; install it with: "
            "pip install 'dalembert[mcp]'."
        ) from None
    from pydantic import Field

    Model = Annotated[str, Field(description=_MODEL)]
    As = Annotated[str, Field(description=_AS)]
    told = MCPServer("dalembert", instructions=_ABOUT, version=version("dalembert"))

    async def ask(task: str, model: str, context: Any, **given: Any) -> Answer:
        """Ask a worker, and tell an assistant how far it is."""
        try:
            text = _text_of(model)
            _refuse_long(given)
        except DalembertError as fault:
            return refusal(str(fault))
        steps: list[asyncio.Task[None]] = []

        def progress(said: dict[str, Any]) -> None:
            steps.append(asyncio.create_task(context.report_progress(len(steps) + 1, None, said["said"])))

        if task == "look":
            return await pool.look(object(), text) or refusal("stopped.")
        answer = await pool.ask(task, {"text": text, **given}, progress)
        await asyncio.gather(*steps, return_exceptions=True)
        return answer

    # annotations are looked up by their names: these are local ones
    def tool(work: Callable[..., Any], **kinds: Any) -> None:
        work.__annotations__ = {**kinds, "context": Context, "return": Answer}
        told.tool()(work)

    async def state(model: str, context: Any) -> Answer:
        """Read a model: say what it states, and the formalism that it means, or every fault with its line."""
        return await ask("look", model, context)

    async def derive(model: str, context: Any, formalism: str = "") -> Answer:
        """Derive the equations of motion, and decide all claims of the formalism; expressions are text."""
        return await ask("derive", model, context, formalism=formalism)

    async def check(model: str, that: str, context: Any, formalism: str = "") -> Answer:
        """Decide a claim about the motions, with a proof or a witness."""
        return await ask("check", model, context, that=that, formalism=formalism)

    async def discover(model: str, context: Any, formalism: str = "") -> Answer:
        """Search for symmetries and first integrals that nobody stated; 'offers' could go into [symmetry]."""
        return await ask("discover", model, context, formalism=formalism)

    async def simulate(
        model: str, context: Any, formalism: str = "", time: str | float = "", samples: int = 0,
        start: dict[str, float] | None = None, values: dict[str, float] | None = None,
    ) -> Answer:  # fmt: skip
        """Follow a motion from [start], with other start values or parameters if given, and measure what it keeps."""
        given = {"formalism": formalism, "time": str(time), "samples": samples, "start": start, "values": values}
        return await ask("simulate", model, context, **given)

    async def examples(context: Any, name: str = "") -> Answer:
        """Return the model of a system of the gallery; without a name, the list of them."""
        del context
        try:
            return {"model": example(name)} if name else {one: gallery.about(one) for one in gallery.names()}
        except DalembertError as fault:
            return refusal(str(fault))

    numbers = Annotated[dict[str, float] | None, Field(description='Numbers by name, as {"th\'": 1.5}.')]
    tool(state, model=Model)
    tool(derive, model=Model, formalism=As)
    tool(check, model=Model, that=Annotated[str, Field(description=_THAT)], formalism=As)
    tool(discover, model=Model, formalism=As)
    tool(
        simulate,
        model=Model,
        formalism=As,
        time=Annotated[str | float, Field(description="How long, a number or text; by default as [run] says.")],
        samples=Annotated[int, Field(ge=0, le=_MOST_SAMPLES, description="Even times of the course to return.")],
        start=numbers,
        values=numbers,
    )
    tool(examples, name=Annotated[str, Field(description="A name, or nothing.")])
    return told


def _text_of(model: str) -> str:
    """Return the text of a model; a single word is the name of a system of the gallery."""
    if len(model.encode(errors="replace")) > MODEL_BYTES:
        raise DalembertError(f"a model has at most {MODEL_BYTES} bytes here.")
    name = model.strip()
    if "=" not in model and name and name not in gallery.names():
        raise DalembertError(
            "the gallery has no such system, and no file is opened here; give the text of a model, or a name that "
            "'examples' lists."
        )
    return model if "=" in model or not name else example(name)


def _refuse_long(given: dict[str, Any]) -> None:
    for name, value in given.items():
        if len(str(value)) > PHRASE_LETTERS:
            raise DalembertError(f"'{name}' has at most {PHRASE_LETTERS} letters.")


def serve() -> None:
    """Serve until the input ends, or Ctrl-C."""
    check_machine()

    async def run() -> None:
        pool = Pool()
        made = server(pool)
        interrupted = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, interrupted.set)
        async with pool:
            serving = asyncio.create_task(made.run_stdio_async())
            stopping = asyncio.create_task(interrupted.wait())
            await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if not serving.done():  # a thread waits for the next line of the input, and nothing but its end ends that
            sys.stderr.write("stopped.\n")
            sys.stderr.flush()
            os._exit(_INTERRUPTED)
        stopping.cancel()
        await serving

    asyncio.run(run())
