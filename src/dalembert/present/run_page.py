"""What became of a motion, and what it keeps: the pages of ``simulate`` and ``sweep``, as text and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np

from dalembert.model.claim import sentence
from dalembert.model.trajectory import Trajectory
from dalembert.present.answers import answered, significant, size
from dalembert.present.page import Block, Section, Table, Words

FORCES: Final = ("multiplier ", "constraint force ")
"""What happens to be constant for a while, and may be made of rounding alone, is no constant that anybody asks for."""
_SMALL: Final = 1e-3
"""A smaller change is given as a part of the size of a quantity."""
_TIMES: Final = 8
"""So many times of an event are listed."""


def run_page(run: Trajectory, *, full: bool = False) -> Section:
    """Return how a motion ended, where it began and ended, its events, and where its constraints lost rank.

    >>> from dalembert.present.text_writer import in_text
    >>> print(in_text(run_page(Trajectory([0, 1], [[2, 3]], ("x",)))))
    motion
    <BLANKLINE>
         t = 0  t = 1
      x  2      3
    """
    told = run.provenance
    name = ", ".join(str(told[key]) for key in ("system", "formalism") if key in told) or "motion"
    how = [f"{told['engine']} engine"] if "engine" in told else []
    how += [f"tolerance {told['tolerance']:g}"] if "tolerance" in told else []
    how += [f"{told['steps']} steps"] if "steps" in told else []
    title = f"{name}: {run.message}" if run.message else name
    blocks: list[Block] = [
        *([Words(f"{', '.join(how)}.", quiet=True)] if how else []),
        *([_values(run, full=full)] if len(run) else []),
        *map(Words, _happenings(run, full=full)),
    ]
    return Section(title, tuple(blocks), level=1)


def _values(run: Trajectory, *, full: bool) -> Table:
    """Return the first and the last value of each variable and monitor; constraint forces where all is shown."""
    monitors = [name for name in run.monitors if full or not name.startswith("constraint force")]
    tolerance, ends = float(run.provenance.get("tolerance", 0.0)), (0, -1)[: len(run)]
    rows = []
    for name in (*run.names, *run.stated, *monitors):
        there = np.abs(run[name][np.isfinite(run[name])])
        scale = float(there.max(initial=0.0))
        rows.append((Words(name), *(Words(significant(float(run[name][k]), scale, tolerance)) for k in ends)))
    return Table(tuple(rows), ("", *(f"t = {run.t[k]:g}" for k in ends)))


def _happenings(run: Trajectory, *, full: bool) -> Iterator[str]:
    """Yield a sentence for each event, each loss of rank, and what projection moved."""
    for name, times in run.events.items():
        happened = zip(times[:_TIMES], run.event_kinds[name], run.event_values[name], strict=False)
        shown = ", ".join(_happened(*one) for one in happened) + (", ..." if len(times) > _TIMES else "")
        often = f"{len(times)} time{'s' * (len(times) != 1)}" if len(times) else "did not occur"
        yield f"Event {name}: {often}{f', at t = {shown}' if len(times) else ''}."
    for loss in run.provenance.get("rank_losses", ()):
        involved = ", ".join(loss["names"])
        moved = f"the projection behind it moved the state by {size(loss['moved'])}"
        yield f"The constraints lose rank at t = {loss['time']:.9g} ({involved}); {moved}."
    projected = run.provenance.get("projection", {}) if full else {}
    for what, one in projected.items():
        yield f"Projection onto the constraints moved {what} by at most {size(one)} at the end of a step."


def _happened(t: float, kind: str, value: float) -> str:
    """Return a time of an event; where it is no crossing, with what it is and the value there.

    >>> _happened(1.5, "crossing", 0.0), _happened(2.5, "touch", 1e-12)
    ('1.5', '2.5 (touch, value 1e-12)')
    """
    return f"{t:.9g}" if kind == "crossing" else f"{t:.9g} ({kind}, value {value:.2g})"


def audit_page(measured: Any, *, full: bool = False) -> Section:
    """Return what is constant along a motion, and in one sentence how accurate the motion is.

    Multipliers and constraint forces stand in it if they are constant, or if all is shown.
    """
    shown = [d for d in measured.drifts if full or d.conserved.holds is True or not d.name.startswith(FORCES)]
    rows = tuple(map(_row, shown))
    open_ = [d for d in shown if d.conserved.kind == "undecided"]
    blocks: list[Block] = [Section("Constant along the motion?", (Table(rows),), level=3)] if rows else []
    if full:
        reasons: dict[str, list[str]] = {}
        for d in open_:
            reasons.setdefault(d.conserved.evidence, []).append(d.name)
        blocks += [Words(f"Undecided for {', '.join(names)}: {why}") for why, names in reasons.items()]
    accuracy = list(_accuracy(measured))
    blocks += [Words(sentence(f"accuracy: {'; '.join(accuracy)}"))] if accuracy else []
    if full:
        blocks += [
            Words(f"Constraint {name}: residual at most {size(one)}.") for name, one in measured.residuals.items()
        ]
    return Section("", tuple(blocks), level=1)


def drift_page(one: Any) -> Table:
    """Return whether a quantity is constant, and how far it moved."""
    return Table((_row(one),))


def _row(drift: Any) -> tuple[Words, ...]:
    verdict = drift.conserved
    return Words(verdict.answer), Words(drift.name), Words(_moved(drift)), Words(verdict.basis)


def _moved(drift: Any) -> str:
    """Return how far a quantity moved, relative to its size if it is a constant."""
    if not np.isfinite(drift.first):
        return "no value"
    if drift.relative < _SMALL:
        return f"changed by {size(drift.relative)} of its size" if drift.relative else "did not change"
    return f"changed by {significant(drift.absolute, 0.0, _SMALL)}"


def _accuracy(measured: Any) -> Iterator[str]:
    if measured.conserved:
        yield f"constants change by at most {size(measured.worst)} of their size"
    if measured.residuals:
        worst = max(measured.residuals, key=lambda name: measured.residuals[name])
        yield f"constraints are violated by at most {size(measured.residuals[worst])} ({worst})"
    if measured.defect is not None:
        yield f"the largest sampled residual of the equations of motion is {size(measured.defect)} (relative)"


def ensemble_words(runs: Any) -> tuple[Block, ...]:
    """Return how many motions reached their end, and why others did not."""
    failed: Mapping[int, str] = runs.failures()
    why: dict[str, list[int]] = {}
    for member, message in failed.items():
        why.setdefault(message, []).append(member)
    ends = Table(tuple(
        (Words(name), *(Words(f"{f(values):.6g}") for f in (np.nanmin, np.nanmean, np.nanmax)))
        for name in (*runs.names, *runs.observables)
        if np.isfinite(values := np.asarray(runs[name], dtype=float)).any()
    ), ("", "least", "mean", "largest"))  # fmt: skip
    lost = (Words(f"{len(members)} failed: {message}") for message, members in why.items())
    where = "at all times" if runs.times.size else "at the end"
    return (Words(f"{len(runs) - len(failed)} of {len(runs)} motions reached their end. Values {where}:"), ends, *lost)


def swept_page(done: Any) -> Section:
    """Return how many members of a sweep ended how, and how to read its store."""
    before = done.members - done.computed
    kept = f", {before} were there already" if before else ""
    blocks = [
        *(Words(f"{number} of {done.members}: {ending}") for ending, number in done.endings().items()),
        *([Words(done.message)] if done.message else []),
        Words(f"Store: {done.path} (in Python: xarray.open_zarr({str(done.path)!r}, consolidated=False))"),
    ]
    return Section(
        f"{done.members} members: {done.computed} computed in {done.seconds:.1f} s{kept}", tuple(blocks), level=1
    )


def agreement_page(found: Any) -> Section:
    """Return whether two motions agree, and how far they are apart."""
    difference = (
        f"They differ by at most {size(found.difference)} ({found.where}); the expected error is {size(found.error)}."
    )
    return Section(" and ".join(found.names), (*answered([found.claim]), Words(difference)))
