"""The pages of a study: its summary, which a terminal prints as well, and the report with all of it.

At the top what there is to say in sentences, then the system as it was stated and the mechanism on its way, then each
formalism with its equations, and its claims, its motion and its objects folded behind titles; the model file, and
whom to cite. Before that: what one formalism contributes, and its sentences, each with the verdict it rests on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any

from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import tree_size
from dalembert.mechanics.registry import Result, claims, formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.stored_form import written
from dalembert.model.system import System
from dalembert.model.track import Track
from dalembert.model.trajectory import Array
from dalembert.present import page
from dalembert.present.animation import STYLE as FILM_STYLE
from dalembert.present.bibliography import bibtex
from dalembert.present.html_writer import document
from dalembert.present.living import STYLE as LIVING_STYLE
from dalembert.present.living import Living, living_block
from dalembert.present.motion import paths_picture
from dalembert.present.page import Block, Claims, Code, Columns, Listing, Picture, Section, Table, Words
from dalembert.present.results import checked_again, statement_blocks
from dalembert.present.text_writer import counted

_LONGEST = 90
"""A formula with more letters than this is not put into a sentence."""
_NOTES = 400
"""Letters of a paragraph about a system."""
_READABLE = 40
"""Nor is one with more nodes, as a tree, put behind it."""
_BRACKETS = re.compile(r" \([^()]*(\([^()]*\)[^()]*)*\)$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement for the top of a report; ``verdict`` is empty where it only counts what was stated.

    A sentence that says the opposite of a claim rests on the witness that refutes the claim.
    """

    text: str
    verdict: str = ""
    topic: str = "kind"
    """``constraints``, ``kind``, ``conserved`` or ``reduction``: what it is about."""
    formulas: tuple[Expr, ...] = ()
    """What is typeset behind it."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A formalism's section; it travels from the process that made it."""

    formalism: str
    faults: tuple[str, ...] = ()
    """Why it does not apply, in sentences."""
    stopped: str = ""
    """Why there is nothing although it may apply: out of time, or an error of the program."""
    page: Section | None = None
    """What is shown of it."""
    answer: Mapping[str, Any] = field(default_factory=dict)
    """The JSON of ``derive``."""
    equations: Equations | None = None
    claims: tuple[Claim, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    integrals: tuple[Mapping[str, str], ...] = ()
    motion: Mapping[str, Any] | None = None
    """What became of the motion, for programs."""
    track: Track | None = None
    """The motion as those of other formalisms are compared with it."""
    animation: Living | str = ""
    """The mechanism on its way: for the page to move, or as pictures."""
    pictures: tuple[Picture, ...] = ()
    """The plots that say most of the motion, for the top of the report."""
    discovered: Section | None = None
    """What a short look found beyond what was stated; of the formalism that the statement means."""
    discovery: Mapping[str, Any] = field(default_factory=dict)
    """The same for programs."""
    struck: tuple[str, ...] = ()
    """What the safety net ended while it was made: these formulas may be shorter, or proved, another time."""

    @property
    def applies(self) -> bool:
        """Whether the formalism has something to say."""
        return not self.faults and not self.stopped

    @property
    def path(self) -> Mapping[str, Array]:
        """The stated coordinates along the motion, by name; none where there is no motion."""
        return {} if self.track is None else self.track.path


def kind_of_system(system: System) -> Sentence:
    """Return what was stated, in words.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> kind_of_system(ball).text
    'A system with 1 coordinate and no constraints.'
    >>> coordinates = {"R": "rotation", "x": "real"}
    >>> kind_of_system(System.of(name="top", coordinates=coordinates, lagrangian="R.w1^2 + x'^2")).text
    'A system with 1 rotation, 1 coordinate and no constraints.'
    """
    held, kinds = list(system.stated_constraints), list(system.kinds.values())
    counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    counts["coordinate"] = len(system.q) - sum(map(len, system.spheres))
    if system.algebra is not None:
        brought = {
            "velocity of a Lie algebra": system.algebra.velocities,
            "advected parameter": system.algebra.advected,
        }
        counts["coordinate"] -= sum(map(len, brought.values()))
        counts = {kind: len(several) for kind, several in brought.items()} | counts
    told = [f"{count} {kind}{'s' * (count != 1)}" for kind, count in counts.items() if count or len(counts) == 1]
    coordinates = ", ".join(told).replace("velocity of a Lie algebras", "velocities of a Lie algebra")
    if not held:
        bound = "no constraints"
    else:
        kinds = [system.kind_of(name) for name in held]
        parts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
        bound = f"{' and '.join(parts)} constraint{'s' * (len(held) != 1)}"
    many = len(system.symmetry)
    stated = f"{many} generators of symmetry are" if many > 1 else "1 generator of symmetry is"
    symmetry = f"; {stated} stated" if many else ""
    return Sentence(f"A system with {coordinates} and {bound}{symmetry}.")


def sentences(result: Result, decided: Sequence[Claim] | None = None) -> list[Sentence]:
    """Return what a formalism has to say of a system, most important first, of claims that were decided."""
    every = claims(result) if decided is None else decided
    by_name: dict[str, Claim] = {}
    for claim in every:
        by_name.setdefault(claim.name, claim)
    name = result.equations.formalism
    return [
        *_found(result.system),
        *_constraints(result, by_name),
        *_by_theorems(result, by_name),
        *_conserved(name, every),
    ]


def _found(system: System) -> Iterator[Sentence]:
    """Say what symmetries were found where none is stated."""
    if system.found is not None and system.symmetry:
        told = f"{system.found.statement[0].upper()}{system.found.statement[1:]}."
        yield Sentence(told, _weakest([system.found.verdict]), "reduction")


def _by_theorems(result: Result, decided: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say what the rows of theorems have to say of their answers, where the answers that it rests on allow it."""
    for theorem in formalism(result.equations.formalism).theorems:
        claim = decided.get(theorem.name)
        if claim is None or not theorem.needs(result):  # rows of one name speak of different results
            continue
        for sentence in theorem.sentences(claim.verdict.holds):
            given = [decided[n].verdict for n in sentence.given if n in decided]
            without = [decided[n].verdict for n in sentence.without if n in decided]
            known = len(given) + len(without) == len(sentence.given) + len(sentence.without)
            if not known or not all(v.holds for v in given) or any(v.holds is not False for v in without):
                continue
            words = sentence.words if isinstance(sentence.words, str) else sentence.words(result, claim)
            if words:
                yield Sentence(words, _weakest([claim.verdict, *given, *without]), theorem.topic)


def _constraints(result: Result, claims: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say how many constraints on velocities are integrable; of constraints on positions there is nothing to say."""
    claim = claims.get("integrable constraints")
    stated = [result.system.kind_of(name) for name in result.system.stated_constraints]
    if claim is not None and claim.verdict.holds and set(stated) != {"holonomic"}:
        told = f"{claim.statement[0].upper()}{claim.statement[1:]}."
        many = stated.count("holonomic")
        told += f" {many} of them {'is' if many == 1 else 'are'} stated on positions." if many else ""
        yield Sentence(told, _weakest([claim.verdict]), "constraints")


def _conserved(formalism: str, claims: Sequence[Claim]) -> Iterator[Sentence]:
    """Yield sentences on momenta and integrals that are conserved, where they are short enough to be said."""
    kept = [c for c in claims if c.name.startswith("momentum ") and c.verdict.holds]
    kept = [c for c in kept if _BRACKETS.sub("", c.statement).endswith(" is conserved")]  # and not by work alone
    names = [c.name.removeprefix("momentum of ").removeprefix("momentum ") for c in kept]
    if names:
        several, are = ("momenta", "are") if len(names) > 1 else ("momentum", "is")
        of = "" if all(name.startswith("p_") for name in names) else " of"  # momenta, or what they are the momenta of
        told = f"The {several}{of} {', '.join(names)} {are} conserved ({formalism} motion)."
        yield Sentence(told, _weakest([c.verdict for c in kept]), "conserved")
    for claim in claims:
        shown = claim.statement.partition(" is conserved")[0]
        if claim.name == "orphaned integral" and claim.verdict.holds and len(shown) <= _LONGEST:
            told = f"{shown} is conserved; it comes from the symmetry, but from no generator."
            yield Sentence(told, _weakest([claim.verdict]), "conserved")


def constants(found: Sequence[FirstIntegral], short: Callable[[Expr], Expr]) -> Iterator[Sentence]:
    """Yield a sentence with what a search found to be constant, the energy apart, as far as it is short."""
    shown = [i for i in found if not i.name and i.verdict.holds]
    seen = [formula for formula in (short(i.expression) for i in shown) if tree_size(formula) <= _READABLE]
    if seen:
        kinds = [i.verdict.kind for i in shown]
        told = (
            "Constant along every motion:" if len(seen) == len(shown) else "Constant along every motion, among others:"
        )
        yield Sentence(told, _least(kinds), "conserved", tuple(seen))


def _weakest(verdicts: Sequence[Verdict]) -> str:
    """Return how sure all of what a sentence rests on is; a claim that is refuted shows its opposite."""
    return _least([_opposite(verdict) if verdict.holds is False else verdict.kind for verdict in verdicts])


def _opposite(verdict: Verdict) -> str:
    """Return how sure the opposite of what is refuted is: by its witness, by a rank with its bound, or by a proof."""
    if verdict.witness is not None:
        return "by a witness"
    return "proved" if verdict.error_bits is None else "certain"


def _least(kinds: Sequence[str]) -> str:
    """Return how sure all of them are; nothing that is not said to be sure is."""
    order = ("undecided", "measured", "certain", "by a witness", "proved")
    return next((kind for kind in order if kind in kinds), "undecided")


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
    return document(report_page(system, parts, crossed), FILM_STYLE + LIVING_STYLE)


def report_page(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> Section:
    """Return the page with all that a study says; what there is to know first is at its top, beside the mechanism."""
    summary = summary_page(system, parts, crossed)
    first = [block for block in summary.blocks if isinstance(block, Section) and block.title in _FIRST]
    rest = [block for block in summary.blocks[1:] if block not in first]
    top = [block for block in rest if not (isinstance(block, Section) and block.anchor)]
    last = [block for block in rest if isinstance(block, Section) and block.anchor]
    cited = bibtex(system, [part.formalism for part in parts if part.applies])
    blocks = [
        Words(" ".join([*_about(system), kind_of_system(system).text])),
        Columns((*_in_front(parts),), (*_moving(parts), *first)),
        *top,
        Section("The system", tuple(statement_blocks(system)), anchor="system"),
        *(part.page for part in parts if part.page is not None),
        *_motion(system, parts),
        *(part.discovered for part in parts if part.discovered is not None),
        *last,
        Section("The model file", (Code(written(system)),), anchor="model"),
        *([Section("Whom to cite", (Code(cited),), anchor="references")] if cited else []),
        Words(f"Made by dalembert {version('dalembert')}.", quiet=True),
    ]
    return Section(system.name, tuple(blocks), level=1)


_FIRST = ("What is conserved", "What it reduces to")
"""What stands on the first screen, of the summary."""
_MOTION = frozenset({"", "momentum equation", "motion", "with the speeds"})
"""The equations of motion, among all that a section shows of a formalism."""


def _about(system: System) -> list[str]:
    """Return what the model says of itself: the first paragraph of its notes, as far as it is words."""
    notes = str(system.metadata.get("notes", "")).strip().partition("\n\n")[0]
    told = " ".join(notes.split())
    return [told] if told and len(told) <= _NOTES else []


def _in_front(parts: Sequence[Part]) -> list[Block]:
    """Return the equations of motion in their best form: by momenta, where some have them, else in the fewest letters.

    Equations of a variational principle are those of another motion.
    """
    there = {part.formalism: found for part in parts if (found := _equations(part)) and not _is_variational(part)}
    by_momenta = [part.formalism for part in parts if part.equations is not None and part.equations.momenta]
    best = next((name for name in by_momenta if name in there), None)
    if best is None and there:
        best = min(there, key=lambda name: _ink(there[name]))
    if best is None:
        return []
    said = Words(f"{formalism(best).title}; more of it is below.", quiet=True)
    return [Section("Equations of motion", (page.Equations(there[best]), said))]


def _equations(part: Part) -> tuple[page.Group, ...]:
    blocks = part.page.blocks if part.page is not None else ()
    groups = [group for block in blocks if isinstance(block, page.Equations) for group in block.groups]
    return tuple(group for group in groups if group.title in _MOTION or group.title.startswith("with "))


def _ink(groups: Sequence[page.Group]) -> int:
    sides = [side for group in groups for pair in group.pairs for side in pair if isinstance(side, Expr)]
    return sum(tree_size(side) for side in sides)


def _is_variational(part: Part) -> bool:
    return formalism(part.formalism).variational


def _moving(parts: Sequence[Part]) -> list[Block]:
    """Return the mechanism on its way."""
    moving = next((part for part in parts if part.animation), None)
    return [Picture(_film(moving.animation, parts), "[animation of the mechanism]")] if moving is not None else []


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
    """Show the main plots, but for those that move at the top, and the vakonomic path where there is one."""
    moving = next((part for part in parts if part.animation), None)
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
