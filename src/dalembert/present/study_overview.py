"""What a terminal shows of a study, in 40 lines: the motion that is meant, results, formalisms, and how they agree."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import Final

from dalembert.expr.truth.verdict import weakest
from dalembert.mechanics.registry import formalism, obvious_formalism
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.conserved import Sentence
from dalembert.present.integrals import each_once
from dalembert.present.overview import (
    checks_told,
    example_claim,
    failed,
    fitted,
    motion_section,
    next_commands,
    ordered,
    overview_page,
    quoted,
    results_section,
    rows_of,
)
from dalembert.present.page import Block, Equations, Group, Section, Table, Words
from dalembert.present.report import Part, motions_cut_short
from dalembert.present.text_writer import counted

_REASON: Final = 64
"""Letters of why a formalism does not apply, with what to do instead,"""
_LONGEST: Final = 100
"""and of the reason alone."""
_FAR: Final = 100.0
"""A formalism is named if it is so many times farther from the others than these are from each other, or than errors
allowed in a step."""
_OTHER_MOTION: Final = "a different motion: the action is stationary"
_MOTION: Final = frozenset({"", "momentum equation", "motion", "in the stated coordinates"})
"""Titles of the equations of motion, beside those that begin with "with"."""


def study_overview(
    system: System,
    parts: Sequence[Part],
    crossed: Sequence[Claim] = (),
    command: str = "",
    columns: int | None = None,
) -> Section:
    """Return the motion that a statement means, results, formalisms and how they agree, and the next command."""
    front = _front(system, parts)
    chosen = [part for part in parts if part.applies and (part is front or not formalism(part.formalism).variational)]
    chosen.sort(key=lambda part: part is not front)
    claims = [*(claim for part in parts for claim in part.claims), *crossed]
    rows = [*failed(claims), *rows_of(_told(system, chosen))]
    way = quote(command or "MODEL")
    cut_short = list(motions_cut_short([front] if front is not None else [])) or list(motions_cut_short(parts))
    applying, others = [part for part in parts if part.applies], [part for part in parts if not part.applies]
    counts = f"{len(applying)} formalism{'s' * (len(applying) != 1)} derived, {len(others)} not applicable"
    equations = [part.equations for part in parts if part.equations is not None]

    def page(most: int, lines: int) -> Section:
        blocks: list[Block] = [Words(f"{counts}; {checks_told(claims)}.")]
        if front is not None and front.equations is not None:
            groups = [g for block in _equations_of(front) for g in block.groups if _is_motion(g)]
            cut = any(block.more for block in _equations_of(front))
            usual = front.formalism == obvious_formalism(system)
            how = way if usual else f"{way} --as {front.formalism}"
            blocks.append(motion_section(front.equations, [] if cut else groups, how, lines))
        blocks += results_section(rows, most, [])
        blocks += [Section("", tuple(cut_short), level=1)] if cut_short else []
        table = [Table(tuple(_row_of(part, front) for part in applying))] if applying else []
        blocks.append(Section("Formalisms", (*table, *_reasons(others))))
        if agreed := [Words(said) for said in _agreement(parts, crossed)]:
            blocks.append(Section("", tuple(agreed), level=1))
        own = f"dalembert check {way} --that {quoted(example_claim(system, rows))}"
        blocks += next_commands(
            command,
            (own, "decide a claim"),
            (f"dalembert study {way} --full", "every claim"),
            columns=columns,
        )
        return overview_page(system, blocks, equations)

    return fitted(page, len(rows), columns)


def _told(system: System, chosen: Sequence[Part]) -> list[Sentence]:
    """Return what formalisms of one motion say, the first of them first, each once."""
    once = each_once(chosen, system)
    told = [
        said
        for part in chosen
        for place, one in enumerate(part.sentences)
        if (said := once.get((part.formalism, place)) if one.topic == "conserved" else one) is not None
    ]
    return ordered(told)


def _front(system: System, parts: Sequence[Part]) -> Part | None:
    """Return the part of the formalism that the statement means, or else the first that applies."""
    there = {part.formalism: part for part in parts if part.applies}
    return there.get(obvious_formalism(system)) or next(iter(there.values()), None)


def _row_of(part: Part, front: Part | None) -> tuple[Block, ...]:
    about = formalism(part.formalism)
    other = about.variational and front is not None and not formalism(front.formalism).variational
    return Words(part.formalism), Words(counted(part.claims)), Words(_OTHER_MOTION if other else "")


def _reasons(parts: Sequence[Part]) -> Iterator[Words]:
    """Yield a sentence on the formalisms that do not apply, and one on those that were stopped, with the reasons."""
    found: dict[str, list[Part]] = {}
    for part in parts:
        found.setdefault(_reason(part).partition(";")[0], []).append(part)
    for title, stopped in (("Not applicable", False), ("Stopped", True)):
        told = [
            f"{_listed([part.formalism for part in several])}{f' ({why})' * bool(why)}"
            for several in found.values()
            for why in (_reason(several[0]),)
            if bool(several[0].stopped) is stopped
        ]
        if told:
            yield Words(f"{title}: {', '.join(told)}.")


def _reason(part: Part) -> str:
    """Return the first words of why a formalism does not apply, as many as a line has room for.

    >>> _reason(Part("routh", faults=("[constraints]: there are none; use routh. The theorem asks for more.",)))
    'there are no constraints; use routh'
    """
    if part.stopped or not part.faults:
        return part.stopped
    table, _, why = part.faults[0].partition(": ")
    why = why.partition(". ")[0].replace("there are none", f"there are no {table.strip('[]')}")
    first, *others = re.split(r"(?<=[;:]) ", why)
    for one in others:
        if len(first) + len(one) + 1 > _REASON:
            break
        first += f" {one}"
    short = first if len(first) <= _LONGEST else first[:_LONGEST].rpartition(", ")[0] or first
    return short.rstrip(";:.")


def _agreement(parts: Sequence[Part], crossed: Sequence[Claim]) -> Iterator[str]:
    """Return how formalisms agree, as fields and along the motion, in one sentence."""
    held = [claim for claim in crossed if claim.verdict.holds]
    fields = [claim for claim in held if claim.name.endswith(" as fields")]
    along = [claim for claim in held if claim.verdict.size is not None]
    told = []
    if fields:
        bits = weakest([claim.verdict for claim in fields])[1]
        sure = "proved" if bits is None else f"error probability below 2^{math.ceil(bits)}"
        told.append(f"{_listed(_names(parts, fields))} define the same vector field ({sure})")
    if along:
        told.append(_along_the_motion(parts, along, _names(parts, fields)))
    if told:
        yield f"Cross-checks: {'; '.join(told)}."
    if len(held) < len(crossed):
        left = len(crossed) - len(held)
        yield f"{left} comparison{'s' * (left > 1)} could not be decided; --full shows why."


def _along_the_motion(parts: Sequence[Part], along: Sequence[Claim], fields: Sequence[str]) -> str:
    """Return how far simulated motions are apart; one formalism that is far from all others is named with its own."""
    names = _names(parts, along)
    without = {name: [claim for claim in along if name not in _compared(claim)] for name in names}
    worst, odd = _worst(along), min(names, key=lambda name: _worst(without[name]))
    those = fields if set(names) == set(fields) else names
    who = "their simulated motions" if those is fields else f"the simulated motions of {_listed(names)}"
    tracks = [part.track for part in parts if part.track is not None and part.formalism in names]
    last, step = min(float(one.times[-1]) for one in tracks), max(one.tolerance for one in tracks)
    apart = without[odd] and worst > _FAR * max(_worst(without[odd]), step)
    least = _worst(without[odd]) if apart else worst
    how = f"{f'to {least:.1e}' if least else 'in every digit'} up to t = {last:.4g}"
    how += f"; {odd} differs by {worst:.1e}" if apart else ""
    absent = [part.formalism for part in parts if part.formalism in fields and part.track is None]
    were = f" ({_listed(absent)} {'was' if len(absent) == 1 else 'were'} not simulated)" if absent else ""
    return f"{who} agree {how}{were}"


def _worst(claims: Sequence[Claim]) -> float:
    return max((claim.verdict.size or 0.0 for claim in claims), default=0.0)


def _compared(claim: Claim) -> set[str]:
    """Return the formalisms that a comparison is about, as its name lists them."""
    return set(re.split(r" and | as |, ", claim.name))


def _names(parts: Sequence[Part], claims: Sequence[Claim]) -> list[str]:
    return [part.formalism for part in parts if any(part.formalism in _compared(claim) for claim in claims)]


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> _listed(["reduced", "routh", "chaplygin"])
    'reduced, routh and chaplygin'
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _equations_of(part: Part) -> list[Equations]:
    return [block for block in (part.page.blocks if part.page is not None else ()) if isinstance(block, Equations)]


def _is_motion(group: Group) -> bool:
    return group.title in _MOTION or group.title.startswith("with ")
