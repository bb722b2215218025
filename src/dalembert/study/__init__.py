"""The main job: run every formalism on a system, cross-check them, and put what they say in one report.

Each formalism is a part with a process and a limit of time of its own, as many at a time as there are cores; one that
fails or takes too long says so in its place and loses nothing of the others.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from dalembert.analysis.fields import APART, meetings
from dalembert.errors import DalembertError
from dalembert.expr.truth import Verdict
from dalembert.mechanics.formalisms import FORMALISMS
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.part import Part
from dalembert.present.report import report
from dalembert.study.worker import Worker

__all__ = ["Study", "study"]

_FIRST = ("chaplygin", "routh", "semisymplectic", "vakonomic")
"""What tends to take longest is begun first, so that no core waits at the end."""
_AGREE = 1e-5
"""Motions in the same coordinates, each within its own error, agree to this; closer is said in the claim."""


@dataclass(frozen=True, slots=True)
class Study:
    """What all formalisms say of a system; those that do not apply say why."""

    system: System
    parts: tuple[Part, ...]
    crossed: tuple[Claim, ...]
    """That formalisms which describe the same motion are the same field, and agree along it."""

    @property
    def claims(self) -> list[Claim]:
        """All claims of all parts, and between them."""
        return [*(claim for part in self.parts for claim in part.claims), *self.crossed]

    def to_html(self) -> str:
        """Return the report."""
        return report(self.system, self.parts, self.crossed)

    def to_json(self) -> dict[str, Any]:
        """Return the answers by formalism, the motions, and the reasons of those that do not apply."""
        return {
            "system": self.system.name,
            "sections": {part.formalism: dict(part.answer) for part in self.parts if part.applies},
            "first_integrals": [dict(i) for part in self.parts for i in part.integrals],
            "motions": {part.formalism: dict(part.motion) for part in self.parts if part.motion is not None},
            "agreement": [claim.to_json() for claim in self.crossed],
            "not_applicable": {part.formalism: list(part.faults) for part in self.parts if part.faults},
            "stopped": {part.formalism: part.stopped for part in self.parts if part.stopped},
        }


def study(
    system: System,
    progress: Callable[[str], None] | None = None,
    *,
    formalisms: Sequence[str] | None = None,
    seconds: float = 60.0,
) -> Study:
    """Return what every formalism says of a system; each part is stopped after so many seconds.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> [part.applies for part in study(ball, formalisms=["euler-lagrange", "nonholonomic"]).parts]
    [True, False]
    """
    if not (seconds > 0 and math.isfinite(seconds)):
        raise DalembertError(f"a formalism may take a positive number of seconds, not {seconds:g}.")
    names = list(FORMALISMS if formalisms is None else formalisms)
    waiting = deque(sorted(names, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST)))
    workers: list[Worker] = []
    found: dict[str, Part] = {}

    def work() -> None:
        with Worker() as worker:
            workers.append(worker)
            while waiting:
                name = waiting.popleft()
                part = found[name] = worker.ask(system, name, seconds)
                if progress is not None and not worker.ended:
                    state = "does not apply" if part.faults else part.stopped or f"{part.seconds:.1f} s"
                    progress(f"{name}: {state}")

    with ThreadPoolExecutor() as pool:
        try:
            for done in [pool.submit(work) for _ in range(min(len(names), os.cpu_count() or 1))]:
                done.result()
        except BaseException:  # an interrupt, say: the threads end when their processes do
            waiting.clear()
            for worker in workers:
                worker.end()
            raise
    parts = tuple(found[name] for name in names)
    derived = {part.formalism: part.equations for part in parts if part.equations is not None}
    return Study(system, parts, (*meetings(system, derived), *_crossed(parts)))


def _crossed(parts: Sequence[Part]) -> list[Claim]:
    """Compare the motions of the formalisms that describe the same one, in the stated coordinates."""
    moved = [part for part in parts if part.times is not None and part.formalism not in APART]
    claims = []
    for first, other in combinations(moved, 2):
        names = [name for name in first.path if name in other.path]
        if not names or first.times is None or other.times is None or len(first.times) != len(other.times):
            continue
        apart = {name: _apart(first.path[name], other.path[name]) for name in names}
        worst = max(apart, key=lambda name: apart[name])
        evidence = f"the largest difference is {apart[worst]:.1e} of {worst}, to t = {first.times[-1]:g}."
        verdict = Verdict("measured" if apart[worst] < _AGREE else "undecided", evidence)  # a float cannot refute
        said = f"{first.formalism} and {other.formalism} give the same motion"
        claims.append(Claim(f"{first.formalism} and {other.formalism}", said, "check", verdict))
    return claims


def _apart(one: np.ndarray, other: np.ndarray) -> float:
    """Return how far two curves are apart; what is not finite agrees with nothing."""
    with np.errstate(all="ignore"):
        gap = float(np.max(np.abs(one - other)) / (1.0 + np.max(np.abs(one))))
    return gap if math.isfinite(gap) else math.inf
