"""The pages of a study: its summary, which a terminal prints as well, and the report with all of it.

At the top what there is to say in sentences, then the system as it was stated and the mechanism on its way, then each
formalism with its equations, and its claims, its motion and its objects folded behind titles; the model file, and
whom to cite.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.metadata import version

from dalembert.mechanics.registry import formalism
from dalembert.model.claim import Claim
from dalembert.model.stored_form import written
from dalembert.model.system import System
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.bibliography import bibtex
from dalembert.present.html_writer import document
from dalembert.present.motion import paths_picture
from dalembert.present.page import Block, Claims, Code, Listing, Picture, Section, Table, Words
from dalembert.present.part import Part, kind_of_system
from dalembert.present.results import checked_again, statement_blocks
from dalembert.present.text_writer import counted

__all__ = ["report", "report_page", "summary_page"]

_ONE_START = ", from one start"
"""So ends the name of a comparison of motions that begin differently where they are shown."""
_TOPICS = {
    "What it is": ("constraints", "kind"),
    "What is conserved": ("conserved",),
    "What it reduces to": ("reduction",),
}
_AGAINST = (
    "Nonholonomic against vakonomic, from the same coordinates and velocities, with the multipliers that [start] gives "
    "(zero where it is silent)."
)


def report(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return the report as one HTML file that opens offline, prints, and needs no download."""
    return document(report_page(system, parts, crossed), FILM_STYLE)


def report_page(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> Section:
    """Return the page with all that a study says."""
    summary = summary_page(system, parts, crossed)
    top = [block for block in summary.blocks if not (isinstance(block, Section) and block.anchor)]
    last = [block for block in summary.blocks if isinstance(block, Section) and block.anchor]
    cited = bibtex(system, [part.formalism for part in parts if part.applies])
    blocks = [
        *top,
        Section("The system", tuple(statement_blocks(system)), anchor="system"),
        *_motion(system, parts),
        *(part.page for part in parts if part.page is not None),
        *last,
        Section("The model file", (Code(written(system)),), anchor="model"),
        *([Section("Whom to cite", (Code(cited),), anchor="references")] if cited else []),
        Words(f"Made by dalembert {version('dalembert')}.", quiet=True),
    ]
    return Section(system.name, tuple(blocks), level=1)


def summary_page(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> Section:
    """Return what there is to say of a system in sentences, how the formalisms agree, and which do not apply."""
    blocks: list[Block] = [Words(kind_of_system(system).text)]
    for title, topics in _TOPICS.items():
        said = tuple(words for topic in topics for words in _sentences(parts, topic))
        blocks += [Section(title, said)] if said else []
    blocks.append(Section("How sure it is", tuple(_checked(parts, crossed))))
    rows = tuple(
        (Words(part.formalism), Words(_state(part)), Words(counted(part.claims) if part.claims else ""))
        for part in parts
    )
    blocks.append(Section("Formalisms", (Table(rows, ("formalism", "", "claims")),)))
    if crossed:
        claims = Claims(tuple(crossed), tuple(map(_again, crossed)), fold="none")
        blocks.append(Section("Formalisms against each other", (claims,), anchor="agreement"))
    left_out = tuple(row for part in parts for row in _left_out(part))
    if left_out:
        blocks.append(Section("Formalisms left out, and why", (Table(left_out),), anchor="apart"))
    return Section(system.name, tuple(blocks), level=1)


def _sentences(parts: Sequence[Part], topic: str) -> list[Words]:
    """Return the sentences on a topic, each once with the formalisms that say so."""
    found: dict[Words, list[str]] = {}
    for part in parts:
        for one in part.sentences:
            if one.topic == topic:
                found.setdefault(Words(one.text, one.verdict, one.formulas), []).append(part.formalism)
    return [replace(words, note=f"({', '.join(names)})") for words, names in found.items()]


def _checked(parts: Sequence[Part], crossed: Sequence[Claim]) -> Iterator[Words]:
    """Say how many claims were decided, and what failed, by name."""
    checks = [claim for part in parts for claim in part.claims if claim.role != "question"] + list(crossed)
    failed = [claim for claim in checks if claim.failed]
    undecided = sum(claim.verdict.holds is None for claim in checks)
    told = f"{len(checks)} hypotheses and checks were decided: "
    yield Words(told + (f"{len(failed)} refuted, {undecided} undecided." if failed or undecided else "all hold."))
    yield from (Words(claim.statement, verdict="refuted") for claim in failed)
    if crossed:
        same = sum(claim.verdict.holds is True for claim in crossed)
        yield Words(_compared(same, len(crossed)) + _begun(crossed))


def _compared(same: int, of: int) -> str:
    if same == of:
        many = f"{of} comparison{'s' * (of != 1)}"
        return f"Where formalisms describe the same motion they agree, as fields and along it: {many}."
    return f"{same} of {of} comparisons of fields and motions agree; see 'Formalisms against each other'."


def _begun(crossed: Sequence[Claim]) -> str:
    """Say of which formalisms the motions shown begin differently, so that they are not the same."""
    pairs = [c.name.removesuffix(_ONE_START) for c in crossed if c.name.endswith(_ONE_START)]
    if not pairs:
        return ""
    return f" The motions shown of {'; '.join(pairs)} begin differently; they are compared from one start."


def _state(part: Part) -> str:
    return "applies" if part.applies else "stopped" if part.stopped else "does not apply"


def _again(claim: Claim) -> str:
    """Return the command that compares anew: fields can be, by themselves; motions come with the study."""
    return checked_again(claim) if claim.name.endswith(" as fields") else "dalembert study MODEL"


def _motion(system: System, parts: Sequence[Part]) -> list[Block]:
    """Show the mechanism on its way and its main plots, and the vakonomic path beside it where there is one."""
    moving = next((part for part in parts if part.animation), None)
    paths = {part.formalism: part.path for part in parts if part.path}
    against = None
    if {"nonholonomic", "vakonomic"} <= paths.keys():
        against = paths_picture(system, paths["nonholonomic"], paths["vakonomic"], _AGAINST)
    pictures: list[Block] = [] if against is None else [against]
    if moving is not None:
        told = Words(f"{formalism(moving.formalism).title}, from the [start] of the model.", quiet=True)
        film = Picture(moving.animation, "[animation of the mechanism]")
        pictures = [told, film, *moving.pictures, *pictures]
    return [Section("The motion", tuple(pictures), anchor="motion")] if pictures else []


def _left_out(part: Part) -> Iterator[tuple[Block, Block]]:
    """Say why a formalism does not apply, and where the safety net ended something on the way."""
    if part.stopped:
        yield Words(part.formalism), Words(part.stopped)
    elif part.struck:
        told = f"in part: the safety net ended {', '.join(part.struck)}; formulas may be longer than need be."
        yield Words(part.formalism), Words(told)
    elif part.faults:
        reasons = tuple(Words(fault) for fault in part.faults)
        yield Words(part.formalism), Listing(reasons, form="plain")
