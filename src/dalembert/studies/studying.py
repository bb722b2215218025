"""The main job: run every formalism on a system, cross-check them, and put what they say in one report.

Each formalism is a part with a process and a limit of time of its own, as many at a time as there are cores; one that
fails or takes too long says so in its place and loses nothing of the others.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations
from time import monotonic
from typing import Any

from dalembert.analysis.agreement import compare_tracks, start_apart, track_of
from dalembert.analysis.fields import APART, meetings
from dalembert.errors import DalembertError, expect
from dalembert.forking import forks
from dalembert.mechanics.found_symmetries import Choice, with_symmetry
from dalembert.mechanics.registry import formalism, formalism_names, home_of, is_own, obvious_formalism
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Track
from dalembert.numerics.simulate import simulate
from dalembert.present.bibliography import bibtex
from dalembert.present.latex_document import latex_document
from dalembert.present.report import Part
from dalembert.present.study_page import report, report_page
from dalembert.processes import Ended, Worker
from dalembert.records import dataclass
from dalembert.shown import Shown

_FIRST = ("chaplygin", "routh", "semisymplectic", "vakonomic")
"""What tends to take longest is begun first, so that no core waits at the end; then the one that a statement means,"""
_LAST = ("reduced",)
"""which looks for more than the others do, and at last what takes least."""
_ALIKE = ("semisymplectic", "nonholonomic")
"""They have the same equations: one process that does both makes these short, and compiles them, once."""
_FEW = 2
"""On more cores than these they are done side by side all the same: it takes more work, and less time."""


@dataclass(frozen=True, slots=True)
class Study(Shown):
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

    def to_latex(self, references: str = "references.bib") -> tuple[str, str]:
        """Return a document of LaTeX with all that the report says, and the references for a file of that name."""
        cited = bibtex(self.system, [part.formalism for part in self.parts if part.applies])
        page = report_page(self.system, self.parts, self.crossed)
        return latex_document(page, cited, file=references), f"{cited}\n"

    def to_json(self) -> dict[str, Any]:
        """Return the answers by formalism, the motions, and the reasons of those that do not apply."""
        answers = {part.formalism: part.answer for part in self.parts if part.applies}
        if None in answers.values():
            raise DalembertError("this study was made without answers; leave answers=False out for its JSON.")
        return {
            "system": self.system.name,
            "sections": {name: dict(one) for name, one in answers.items() if one is not None},
            "first_integrals": [dict(i) for part in self.parts for i in part.integrals],
            "discovery": next((dict(part.discovery) for part in self.parts if part.discovery), {}),
            "motions": {part.formalism: dict(part.motion) for part in self.parts if part.motion is not None},
            "agreement": [claim.to_json() for claim in self.crossed],
            "not_applicable": {part.formalism: list(part.faults) for part in self.parts if part.faults},
            "stopped": self.stopped,
        }

    @property
    def stopped(self) -> dict[str, str]:
        """What was stopped, by formalism: a part as a whole, or computations within it by the safety net."""
        told = {part.formalism: part.stopped or _net(part.struck) for part in self.parts}
        return {formalism: why for formalism, why in told.items() if why}


def study(
    system: System,
    progress: Callable[[str], None] | None = None,
    *,
    formalisms: Sequence[str] | None = None,
    symmetry: Choice | None = None,
    effort: float = 1.0,
    seconds: float | None = None,
    answers: bool = True,
    html: bool = False,
) -> Study:
    """Return what every formalism says of a system.

    ``effort`` is the work for making the formulas of each part short; it is counted, so that the same study gives the
    same bytes. A part that takes more than ``seconds``, where that is given, is stopped, and the study says so.
    ``symmetry`` chooses another one than is stated or found, as ``derive`` takes it. Without ``answers`` it is cheaper,
    and has no ``to_json``. With ``html`` each part is typeset where it is made, so that ``to_html`` has little left to
    do.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> [part.applies for part in study(ball, formalisms=["euler-lagrange", "nonholonomic"]).parts]
    [True, False]
    """
    expect(system, System, "study takes a system")
    system = system if symmetry is None else with_symmetry(system, symmetry)
    if seconds is not None and not (seconds > 0 and math.isfinite(seconds)):
        raise DalembertError(f"seconds must be positive, not {seconds:g}.")
    names = list(formalism_names() if formalisms is None else formalisms)
    usual = obvious_formalism(system)
    order = [*_FIRST, usual, *(name for name in names if name not in _LAST), *_LAST]
    cores = os.cpu_count() or 1
    waiting = deque(_tasks(sorted(names, key=order.index), cores))
    workers: list[Worker] = []
    found: dict[str, Part] = {}

    def work() -> None:
        with part_worker() as worker:
            workers.append(worker)
            for name in _taken_from(waiting):
                if worker.ended:
                    return
                began = monotonic()
                film = name in {usual, *APART} or usual not in names or not is_own(name)  # no other one is shown
                asked = {"answers": answers, "film": film, "html": html}
                part = found[name] = asked_part(worker, system, name, effort, seconds, **asked)
                if progress is not None and not worker.ended:
                    state = "does not apply" if part.faults else part.stopped or f"{monotonic() - began:.1f} s"
                    progress(f"{name}: {state}")

    if forks():  # they have what we have loaded; else each would load the same formalisms for itself
        for name in filter(is_own, names):
            formalism(name)
    with ThreadPoolExecutor() as pool:
        try:
            for done in [pool.submit(work) for _ in range(min(len(waiting), cores))]:
                done.result()
        except BaseException:  # an interrupt, say: the threads end when their processes do
            waiting.clear()
            for worker in workers:
                worker.end()
            raise
    return crossed(system, [found[name] for name in names])


def _tasks(names: Sequence[str], cores: int) -> list[tuple[str, ...]]:
    """Return what one process does after the other, in order; where there are many cores no one waits for another.

    >>> _tasks(["chaplygin", "semisymplectic", "vakonomic", "nonholonomic"], 2)
    [('chaplygin',), ('semisymplectic', 'nonholonomic'), ('vakonomic',)]
    """
    if cores > _FEW or not {*_ALIKE} <= {*names}:
        return [(name,) for name in names]
    first = min(_ALIKE, key=names.index)
    return [_ALIKE if name == first else (name,) for name in names if name == first or name not in _ALIKE]


def _taken_from(waiting: deque[tuple[str, ...]]) -> Iterator[str]:
    """Yield the formalisms of one task after the other, as long as there are any."""
    while waiting:
        yield from waiting.popleft()


def crossed(system: System, parts: Sequence[Part]) -> Study:
    """Return the study that parts make together: those that describe the same motion are compared."""
    derived = {part.formalism: part.equations for part in parts if part.equations is not None}
    return Study(system, tuple(parts), (*meetings(system, derived), *_crossed(system, parts)))


def part_worker() -> Worker:
    """Return a process that makes parts, in a session of its own: an interrupt at the terminal is for us; we end it."""
    return Worker("dalembert.studies.parts", start_new_session=True)


def asked_part(
    worker: Worker,
    system: System,
    name: str,
    effort: float = 1.0,
    seconds: float | None = None,
    *,
    answers: bool = True,
    film: bool = True,
    html: bool = False,
) -> Part:
    """Return the part of a formalism, or one that says why there is none."""
    try:
        part: Part = worker.ask((system, name, home_of(name), effort, answers, film, html), seconds)
    except TimeoutError:
        return Part(name, stopped=f"it was stopped after {seconds:g} s; use dalembert derive --as {name}.")
    except Ended as end:
        return Part(name, stopped=f"its process ended with status {end.status}.")
    return part


def _net(struck: Sequence[str]) -> str:
    if not struck:
        return ""
    return (
        f"the safety net ended {len(struck)} computations ({', '.join(struck)}); formulas may be longer than need be."
    )


def _crossed(system: System, parts: Sequence[Part]) -> list[Claim]:
    """Compare the motions of the formalisms that describe the same one, in the stated coordinates, from one start.

    Where [start] leaves velocities open, each formalism does with them what it has to: they are zero, but in Routh's
    equations the momenta are held at what [momentum] says. Those are different motions of the same equations, and a
    model means the one with the momenta it states. So each part shows its own motion, the claim says where they begin
    differently, and what is compared begins in both as the one does that the other can follow.
    """
    moved = [part for part in parts if part.track is not None and part.formalism not in APART]
    return [_compared(system, first, other) for first, other in combinations(moved, 2) if {*first.path} & {*other.path}]


def _compared(system: System, first: Part, other: Part) -> Claim:
    assert first.track is not None
    assert other.track is not None
    names = (first.formalism, other.formalism)
    apart = start_apart(first.track, other.track, names)
    if apart:
        for leading, part in ((other, first), (first, other)):
            again = _from_start_of(system, part, leading)
            if again is not None:
                one, two = (again, other.track) if part is first else (first.track, again)
                said = f"{apart}; from the start of {leading.formalism}, followed by both, "
                return compare_tracks(one, two, names, said)
    return compare_tracks(first.track, other.track, names)


def _from_start_of(system: System, part: Part, leading: Part) -> Track | None:
    """Return the motion of a formalism from where another one begins; None where it cannot begin there."""
    assert leading.track is not None
    if part.equations is None or part.track is None:
        return None
    try:
        run = simulate(part.equations, leading.track.begin, system=system, tolerance=part.track.tolerance)
    except DalembertError:
        return None
    return track_of(part.equations, run, system)
