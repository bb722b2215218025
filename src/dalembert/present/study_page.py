"""The report with all that a study says.

The first screen shows the mechanism in motion, its equations in the stated coordinates, and what is conserved along
this motion. Below are the reductions, the system as it was stated, and each formalism with its equations and its main
objects; its claims, its motion and all its objects are folded behind titles. The model file and whom to cite come last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from itertools import combinations

from dalembert.expr.display.equations import avoiding
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.vocabulary import is_part
from dalembert.expr.walk import symbols, tree_size
from dalembert.mechanics.registry import formalism
from dalembert.model.claim import Claim
from dalembert.model.stored_form import written
from dalembert.model.system import System
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.bibliography import bibtex
from dalembert.present.html_writer import document, html
from dalembert.present.living import STYLE as LIVING_STYLE
from dalembert.present.living import Living, living_block
from dalembert.present.main_objects import SPEEDS
from dalembert.present.motion import paths_picture
from dalembert.present.motion_equations import MASSES
from dalembert.present.naming import names_used
from dalembert.present.page import Block, Code, Columns, Equations, Group, Picture, Section, Words, is_within
from dalembert.present.report import (
    FORMALISMS,
    HOW_IT_MOVES,
    Part,
    about_one_motion,
    front_of,
    kind_of_system,
    summary_page,
)  # fmt: skip
from dalembert.present.results import IN_A_MODEL, statement_blocks

_NOTES = 400
"""Letters of a paragraph about a system."""
_AGAINST = (
    "Nonholonomic against vakonomic, from the same coordinates and velocities, with the multipliers that [start] gives "
    "(zero where it is silent)."
)


def report(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> str:
    """Return the report as one HTML file that opens offline, prints, and needs no download."""
    pages = [(part.page.blocks, part.typeset) for part in parts if part.page is not None and part.typeset]
    made = {id(block): text for blocks, texts in pages for block, text in zip(blocks, texts, strict=True) if text}
    return document(report_page(system, parts, crossed), FILM_STYLE + LIVING_STYLE, made)


def typeset(page: Section, name: str) -> tuple[str, ...]:
    """Return the blocks of a section in HTML, with the names for parts that they would have in it.

    Equations that a report does not repeat, of some formalisms, are left until it is known whether they are shown.
    """
    left = name in _TOLD_ABOVE
    with avoiding(page.names):
        return tuple("" if left and isinstance(block, Equations) else html(block) for block in page.blocks)


def report_page(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> Section:
    """Return the page with all that a study says; what there is to know first is at its top, beside the mechanism."""
    front = front_of(system, parts)
    summary = summary_page(system, parts, crossed)
    moving = _moving(parts, front)
    drawn = () if moving is None else (Picture(_film(moving.animation, parts), "[animation of the mechanism]"),)
    there = _FIRST if drawn else (HOW_IT_MOVES, *_FIRST)
    first = [block for block in summary.blocks if isinstance(block, Section) and block.title in there]
    rest = [block for block in summary.blocks[1:] if block not in first]
    top = [block for block in rest if not (isinstance(block, Section) and (block.anchor or block.title == FORMALISMS))]
    table = [replace(b, anchor="formalisms") for b in rest if isinstance(b, Section) and b.title == FORMALISMS]
    last = [block for block in rest if isinstance(block, Section) and block.anchor]
    cited = bibtex(system, [part.formalism for part in parts if part.applies])
    blocks = [
        *map(Words, _about(system)),
        Words(kind_of_system(system).text, quiet=True),
        Columns((*_in_front(system, parts, front), *first), drawn),
        *top,
        Section("The system", tuple(statement_blocks(system)), anchor="system"),
        *table,
        *_pages(parts, front, _same_fields(parts, crossed)),
        *_motion(system, parts, moving),
        *(part.discovered for part in parts if part.discovered is not None),
        *last,
        Section("The model file", (Code(written(system)),), anchor="model"),
        *([Section("Whom to cite", (Code(cited),), anchor="references")] if cited else []),
        Words(f"Made by dalembert {version('dalembert')}.", quiet=True),
    ]
    names = names_used(system, [part.equations for part in parts if part.equations is not None])
    return Section(system.name, tuple(blocks), level=1, names=names)


_FIRST = ("What is conserved",)
"""What stands on the first screen, of the summary."""
_TOLD_ABOVE = frozenset({"semisymplectic"})
"""Formalisms whose equations of motion a report does not repeat where they are the field of others above."""
_HALF_A_SCREEN = 500
"""Letters of masses that stand on the first screen; longer ones would push the motion out of it."""
_SCREEN = 600
"""Shared nodes of equations that somebody reads on a screen; of longer ones there is the outline."""
_FORCES = ("f", "F", "Q")
"""Letters for forces that are too long for it."""
_MOTION = frozenset({"", "momentum equation", "motion", SPEEDS, "in the stated coordinates"})
"""The equations of motion, among all that a section shows of a formalism."""


def _about(system: System) -> list[str]:
    """Return what the model says of itself: the first paragraph of its notes, as far as it is words."""
    notes = str(system.metadata.get("notes", "")).strip().partition("\n\n")[0]
    told = " ".join(notes.split())
    return [told] if told and len(told) <= _NOTES else []


def _in_front(system: System, parts: Sequence[Part], front: str) -> list[Block]:
    """Return the equations of motion of a formalism for half a page; what it brings in besides the model is told."""
    shown = next((_equations(part) for part in parts if part.formalism == front), ())
    if not shown:
        return []
    kept = tuple(group for group in shown if group.title != MASSES or _ink([group]) <= _HALF_A_SCREEN)
    long = "" if kept == shown else "the masses"
    if not is_within(_sides(kept), _SCREEN) and (outline := _outlined(system, kept)):
        kept, long = (outline,), "the masses and forces"
    about = formalism(front)
    told_of = {p.data for p in system.parameters} | {side.data for side in _sides(shown) if side.op == "symbol"}
    brought = about.sentence and any(s.role == "parameter" and s not in told_of for s in symbols(_sides(kept)))
    told = (Words(f"{about.title}: {about.sentence[0].lower()}{about.sentence[1:]}", quiet=True),) if brought else ()
    part = next(part for part in parts if part.formalism == front)
    left = _left_out(part)
    many = left + sum(len(group.pairs) for group in shown)
    every = f"All {many} equations, with the formulas for {long}" if long else "More about these equations"
    below = Words(every, quiet=True, link=part.page.anchor if part.page is not None else "")
    return [Section("Equations of motion", (Equations(kept, narrow=True, more=left), *told, below))]


def _outlined(system: System, groups: Sequence[Group]) -> Group | None:
    """Return mass * acceleration = force with letters for the forces; nothing where accelerations are solved for."""
    taken = {re.split(r"[_.\d]", name, maxsplit=1)[0] for name in system.vocabulary}  # f1 is written as f_1 is
    letter = next((one for one in _FORCES if one not in taken), _FORCES[0])
    left = [one for group in groups if group.title in _MOTION for one, _ in group.pairs]
    wide = [one for one in left if isinstance(one, Expr) and one.op != "symbol" and one is not ZERO]
    pairs = [(one, symbol(Symbol(f"{letter}_{k}"))) for k, one in enumerate(wide, 1)]
    return Group("", tuple(pairs)) if pairs else None


def _pages(parts: Sequence[Part], front: str = "", same: Mapping[str, Words] | None = None) -> Iterator[Section]:
    """Yield the section of each formalism; symmetries that were found, and how a model states them, once.

    A section refers to equations of motion that stand above it. That of another motion than the front's has the facts
    about that motion.
    """
    said: set[Block] = set()
    known = about_one_motion(parts, front)
    for part in parts:
        if part.page is not None:
            blocks = [block for block in part.page.blocks if not (_is_found(block) and block in said)]
            told = (same or {}).get(part.formalism)
            facts = [] if part in known else [Words(one.text, one.verdict, one.formulas) for one in part.sentences]
            blocks = [*facts, *(blocks if told is None else _with_its_own(blocks, told))]
            yield replace(part.page, blocks=tuple(blocks), look="formalism")
            said |= {block for block in part.page.blocks if _is_found(block)}


def _same_fields(parts: Sequence[Part], crossed: Sequence[Claim]) -> dict[str, Words]:
    """Return of which formalisms the equations of motion are those of another above, in the same variables, and say so.

    That they are is decided of the fields; where it is not, each has its own.
    """
    verdicts = {claim.name: claim.verdict for claim in crossed}
    found: dict[str, Words] = {}
    for first, other in combinations([part for part in parts if _equations(part)], 2):
        names = [first.formalism, other.formalism]
        either = (verdicts.get(f"{a} and {b} as fields") for a, b in (names, reversed(names)))
        verdict = next((one for one in either if one is not None), None)
        if {*names} & {*found} or verdict is None or not verdict.holds or _left_out(other):
            continue
        mine, theirs = first.equations, other.equations
        if mine is not None and theirs is not None and mine.state == theirs.state:
            above = formalism(first.formalism).title
            told = f"The equations of motion are those of '{above}', above: both are the same field."
            found[other.formalism] = Words(told, verdict.kind)
    return found


def _with_its_own(blocks: Sequence[Block], told: Words) -> Iterator[Block]:
    """Yield what a section has beside equations of motion, and where these are told."""
    for block in blocks:
        if isinstance(block, Equations):
            yield told
            own = tuple(group for group in block.groups if not _is_motion(group) or group.title == SPEEDS)
            yield from [replace(block, groups=own)] if any(group.title != SPEEDS for group in own) else []
        else:
            yield block


def _is_found(block: Block) -> bool:
    return isinstance(block, Code) or (isinstance(block, Words) and block.text.endswith(IN_A_MODEL))


def _equations(part: Part) -> tuple[Group, ...]:
    """Return the equations of motion, with what their letters are: speeds, or what is reconstructed from them."""
    blocks = part.page.blocks if part.page is not None else ()
    groups = [group for block in blocks if isinstance(block, Equations) for group in block.groups]
    lifted = _has_bare_speeds(part)
    return tuple(group for group in groups if _is_motion(group) or (lifted and group.title == "reconstruction"))


def _is_motion(group: Group) -> bool:
    return group.title in _MOTION or group.title.startswith("with ")


def _left_out(part: Part) -> int:
    """Return how many equations of a formalism are too long to be shown."""
    blocks = part.page.blocks if part.page is not None else ()
    return sum(block.more for block in blocks if isinstance(block, Equations))


def _has_bare_speeds(part: Part) -> bool:
    """Say whether there are velocities that are no derivatives, and of which nothing but the reconstruction speaks."""
    if part.equations is None or not part.equations.reconstruction:
        return False
    quasi = [w for w in part.equations.velocities if not w.data.order and not is_part(w.data.name)]
    return any(w not in part.equations.speeds for w in quasi)


def _sides(groups: Sequence[Group]) -> list[Expr]:
    return [side for group in groups for pair in group.pairs for side in pair if isinstance(side, Expr)]


def _ink(groups: Sequence[Group]) -> int:
    return sum(map(tree_size, _sides(groups)))


def _moving(parts: Sequence[Part], front: str) -> Part | None:
    """Return the part whose motion is shown: that of the equations in front, if they can be followed."""
    return min((part for part in parts if part.animation), key=lambda part: part.formalism != front, default=None)


def _motion(system: System, parts: Sequence[Part], moving: Part | None) -> list[Block]:
    """Show the main plots, but for those that move at the top, and the vakonomic path if there is one."""
    paths = {part.formalism: part.path for part in parts if part.path}
    against = None
    if {"nonholonomic", "vakonomic"} <= paths.keys():
        against = paths_picture(system, paths["nonholonomic"], paths["vakonomic"], _AGAINST)
    pictures: list[Block] = [] if against is None else [against]
    if moving is not None:
        alive = isinstance(moving.animation, Living)
        shown = [one for one in moving.pictures if not alive or "drift" in one.words]
        told = Words(f"{formalism(moving.formalism).title}, from the [start] of the model.", quiet=True)
        pictures = [told, *shown, *pictures] if shown else pictures
    return [Section("The motion", tuple(pictures), anchor="motion")] if pictures else []


def _film(shown: Living | str, parts: Sequence[Part]) -> str:
    """Return the mechanism on its way, with what a variational principle makes of the same start as a ghost."""
    if isinstance(shown, str):
        return shown
    others = [part.animation for part in parts if formalism(part.formalism).variational]
    return living_block(shown, [one for one in others if isinstance(one, Living) and one is not shown])
