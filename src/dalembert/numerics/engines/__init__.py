"""The engines by name. Each is a file with ``integrate(problem) -> Motion``; same arguments, same results.

============  ================================================================
file          what
============  ================================================================
``native``    the default: DOP853 in machine code
``scipy``     the reference: SciPy's DOP853 on the graph read in Python floats
``taylor``    Taylor's method with heyoka: machine precision and beyond
``stiff``     Radau IIA with the exact Jacobian
``stepping``  what engines that take steps in Python have in common
============  ================================================================
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from dalembert.errors import DalembertError
from dalembert.numerics.dop853.turns import with_turns
from dalembert.numerics.problem import Motion, Problem

__all__ = ["ENGINES", "integrate"]

ENGINES = ("native", "scipy", "taylor", "stiff")
"""The default first."""


def integrate(problem: Problem, engine: str = "native") -> Motion:
    """Follow a motion with an engine, by its name."""
    if engine not in ENGINES:
        raise DalembertError(f"there is no engine '{engine}'; use one of {', '.join(ENGINES)}.")
    if problem.turns is not None and engine != "native":  # the others carry angles as they are
        problem = replace(problem, start=with_turns(problem.start, problem.turns), turns=None)
    motion: Motion = import_module(f"{__name__}.{engine}").integrate(problem)
    return motion
