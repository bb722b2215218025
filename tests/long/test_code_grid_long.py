"""Generated C, CasADi and JAX on the grid of angles, for every system of the gallery in every formalism.

And for linkages and a bicycle, of which no frame is shown to be good everywhere.
"""

import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from grids import EXCUSES, by_c, by_casadi, excused, grid_of, is_right, main_function, robust

from dalembert import derive, gallery
from dalembert.errors import DalembertError
from dalembert.mechanics.registry import formalism_names
from dalembert.model.files import load
from dalembert.numerics.codegen import code

pytestmark = pytest.mark.long

LINKAGES = {path.stem: path for path in (Path(__file__).parents[1] / "linkages").glob("*.toml")}
NAMES = (*gallery.names(), "wheeled-snake:5", "pendulum:4", *LINKAGES)
POINTS = 625
DOCS = Path(__file__).parents[2] / "docs" / "scale.md"


@cache
def derived(name):
    """Return what the formalisms make of a system, those that apply, each with its grid and the points to judge."""
    found = {}
    system = load(LINKAGES[name]) if name in LINKAGES else gallery.load(name)
    for formalism in ["nonholonomic"] if name in LINKAGES else formalism_names():
        try:
            result = derive(system, formalism)
        except DalembertError:
            continue
        grid = grid_of(result, POINTS)
        found[formalism] = (result, grid, reasons(result, grid))
    return found


def reasons(result, grid):
    """Return the excuses of the points; a statement without a Lagrangian of first order is compared as it is read."""
    if result.system.lagrangian is None or result.system.order > 1:
        return np.zeros((len(EXCUSES), len(grid.t)), dtype=bool)
    return excused(grid)


@pytest.mark.parametrize(("language", "run"), [("c", by_c), ("casadi", by_casadi)])
@pytest.mark.parametrize("name", NAMES)
def test_code_is_right_wherever_the_motion_is(name, language, run):
    assert derived(name)
    for result, grid, why in derived(name).values():
        free = ~why.any(axis=0)
        assert is_right(grid, run(code(robust(result), language), grid))[free].all()
        assert free.any()


def test_the_docs_name_what_is_excused():
    """And nothing is excused in most places."""
    found = {excuse: set() for excuse in EXCUSES}
    for name in gallery.names():
        for _, _, why in derived(name).values():
            assert why.any(axis=0).mean() <= 0.5
            for excuse, there in zip(EXCUSES, why, strict=True):
                found[excuse] |= {name} if there.any() else set()
    rows = [line.split("|")[1:3] for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| the ")]
    told = {
        excuse: set(re.findall(r"`([^`]+)`", names)) for what, names in rows for excuse in EXCUSES if excuse in what
    }
    assert told == found


JAX = """
import json, sys
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
for line in sys.stdin:
    job = json.loads(line)
    space = {}
    exec(compile(job["text"], "generated", "exec"), space)
    values = dict(zip(space["PARAMETERS"], job["p"]))
    unknowns = jnp.array(job["u"])
    rates = space[job["function"]]
    one = (lambda t, y, u: rates(t, y, u, values)) if job["u"][0] else (lambda t, y, u: rates(t, y, values))
    found = jax.jit(jax.vmap(one))(jnp.array(job["t"]), jnp.array(job["y"]), unknowns)
    print(json.dumps(found.T.tolist()), flush=True)
"""


@pytest.fixture(scope="module")
def jax():
    """A process of its own, for its threads do not go with the worker processes of the library."""
    told = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", JAX], **told) as process:
        yield process
        process.stdin.close()


@pytest.mark.parametrize("name", NAMES)
def test_jax_is_right_wherever_the_motion_is(name, jax):
    for result, grid, why in derived(name).values():
        job = {"text": code(robust(result), "jax"), "function": main_function(grid), "p": grid.parameters.tolist()}
        job |= {"t": grid.t.tolist(), "y": grid.y.T.tolist(), "u": grid.unknowns.T.tolist()}
        jax.stdin.write(json.dumps(job) + "\n")
        jax.stdin.flush()
        found = np.array(json.loads(jax.stdout.readline()), dtype=float)
        assert is_right(grid, found)[~why.any(axis=0)].all()
