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

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

from dalembert.errors import DalembertError
from dalembert.model.holds import Hold
from dalembert.numerics.dop853.turns import with_turns
from dalembert.numerics.events import guards_of
from dalembert.numerics.problem import Motion, Problem

__all__ = ["ENGINES", "integrate"]

ENGINES = ("native", "scipy", "taylor", "stiff")
"""The default first."""


def is_rough(hold: Hold) -> bool:
    """Say whether rates have no Lipschitz bound where a condition fails: who goes across need not stop there."""
    return hold.power is not None


def integrate(problem: Problem, engine: str = "native", without: Callable[[Hold], bool] = is_rough) -> Motion:
    """Follow a motion with an engine, by its name, as far as its equations hold, ``without`` some conditions."""
    if engine not in ENGINES:
        raise DalembertError(f"there is no engine '{engine}'; use one of {', '.join(ENGINES)}.")
    if problem.turns is not None and engine != "native":  # the others carry angles as they are
        problem = replace(problem, start=with_turns(problem.start, problem.turns), turns=None)
    asked = len(problem.events)
    guards = [
        guard for guard in guards_of(problem.equations, problem.tolerance) if guard.hold and not without(guard.hold)
    ]
    guarded = replace(problem, events=(*problem.events, *guards)) if guards else problem
    motion: Motion = import_module(f"{__name__}.{engine}").integrate(guarded)
    if not guards:
        return motion
    ended = (times.size and motion.status < 0 and times[-1] == motion.t[-1] for times in motion.event_times[asked:])
    return replace(
        motion,
        event_times=motion.event_times[:asked],
        event_states=motion.event_states[:asked],
        event_notes=motion.event_notes[:asked],
        failed=next((guard.hold for guard, it_is in zip(guards, ended, strict=True) if it_is), None),
    )
