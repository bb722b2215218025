"""The engines by name. Each is a file with ``integrate(problem) -> Motion``; same arguments, same results."""

from __future__ import annotations

from importlib import import_module

from dalembert.errors import DalembertError
from dalembert.numerics.problem import Motion, Problem

__all__ = ["ENGINES", "integrate"]

ENGINES = ("native", "scipy", "taylor", "stiff")
"""The default first."""


def integrate(problem: Problem, engine: str = "native") -> Motion:
    """Follow a motion with an engine, by its name."""
    if engine not in ENGINES:
        raise DalembertError(f"there is no engine '{engine}'; use one of {', '.join(ENGINES)}.")
    motion: Motion = import_module(f"{__name__}.{engine}").integrate(problem)
    return motion
