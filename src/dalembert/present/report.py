"""What one formalism contributes to a study, its sentences, each with the verdict it rests on, and the summary."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.expr.together import from_bytes, to_bytes
from dalembert.mechanics.registry import Result, claims, formalism, obvious_formalism
from dalembert.model import equations as model
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.trajectory import Array, Track
from dalembert.present.conserved import Sentence, meanings_of, momenta_told, strongest, weakest
from dalembert.present.integrals import each_once, momenta_told_of, speeds_told_of
from dalembert.present.living import Living
from dalembert.present.page import (
    WRITTEN,
    Block,
    Claims,
    Equations,
    Listing,
    Picture,
    Section,
    Table,
    Words,
    blocks_in,
)  # fmt: skip
from dalembert.present.results import checked_again
from dalembert.present.text_writer import counted
from dalembert.records import dataclass, field, fields, replace
from dalembert.shown import Shown


@dataclass(frozen=True, slots=True, eq=False)
class Part(Shown):
    """A formalism's section; it travels from the process that made it."""

    formalism: str
    faults: tuple[str, ...] = ()
    """Why it does not apply, in sentences."""
    stopped: str = ""
    """Why there is nothing although it may apply: out of time, or an error of the program."""
    page: Section | None = None
    """What is shown of it."""
    typeset: tuple[str, ...] = ()
    """Its blocks in HTML, where the process that made them has typeset them too; nothing of one that it has not."""
    answer: Mapping[str, Any] | None = field(default_factory=dict)
    """The JSON of ``derive``."""
    equations: model.Equations | None = None
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

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel with one graph of all expressions: what many of them share goes once."""
        return _arrived, (to_bytes([getattr(self, one.name) for one in fields(self)]),)

    @property
    def applies(self) -> bool:
        """Whether the formalism has something to say."""
        return not self.faults and not self.stopped

    @property
    def path(self) -> Mapping[str, Array]:
        """The stated coordinates along the motion, by name; none where there is no motion."""
        return {} if self.track is None else self.track.path


def _arrived(data: bytes) -> Part:
    return Part(*from_bytes(data))


def kind_of_system(system: System) -> Sentence:
    """Return what was stated, in words.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> kind_of_system(ball).text
    'A system with 1 coordinate and no constraints.'
    >>> coordinates = {"R": "rotation", "x": "real"}
    >>> kind_of_system(System.of(name="top", coordinates=coordinates, lagrangian="R.w1^2 + x'^2")).text
    'A system with 1 rotation, 1 coordinate and no constraints.'
    """
    coordinates, bound = _coordinates(system), _constraints_stated(system)
    many = len(system.symmetry)
    stated = f"{many} generators of symmetry are" if many > 1 else "1 generator of symmetry is"
    symmetry = f"; {stated} stated" if many else ""
    return Sentence(f"A system with {coordinates} and {bound}{symmetry}.")


def kind_in_brief(system: System) -> str:
    """Return what was stated in a few words.

    >>> kind_in_brief(System.of(name="free", coordinates="x y", lagrangian="x'^2 + y'^2", symmetry={"e": {"x": 1}}))
    '2 coordinates, no constraints, 1 symmetry'
    """
    many = len(system.symmetry) if system.found is None else 0
    symmetry = [f"{many} symmetr{'ies' if many > 1 else 'y'}"] if many else []
    return ", ".join([_coordinates(system), _constraints_stated(system), *symmetry])


def _coordinates(system: System) -> str:
    kinds = list(system.kinds.values())
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
    return ", ".join(told).replace("velocity of a Lie algebras", "velocities of a Lie algebra")


def _constraints_stated(system: System) -> str:
    held = list(system.stated_constraints)
    if not held:
        return "no constraints"
    kinds = [system.kind_of(name) for name in held]
    parts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return f"{' and '.join(parts)} constraint{'s' * (len(held) != 1)}"


def sentences(
    result: Result, decided: Sequence[Claim] | None = None, objects: Mapping[str, object] | None = None
) -> list[Sentence]:
    """Return what a formalism has to say of a system, most important first, of claims that were decided.

    With its objects a sentence knows what the momenta are that it names.
    """
    every = claims(result) if decided is None else decided
    by_name: dict[str, Claim] = {}
    for claim in every:
        by_name.setdefault(claim.name, claim)
    return [
        *_found(result.system),
        *_constraints(result, by_name),
        *_by_theorems(result, by_name),
        *momenta_told(every, meanings_of(result, objects or {})),
    ]


def _found(system: System) -> Iterator[Sentence]:
    """Say what symmetries were found where none is stated; long ones by their names, for the section has them."""
    if system.found is not None and system.symmetry:
        told = f"{system.found.statement[0].upper()}{system.found.statement[1:]}."
        if len(told) > _LONGEST_FOUND:
            names = ", ".join(system.symmetry)
            told = f"No symmetry is stated; dalembert found and uses {names}, which are defined below."
        yield Sentence(told, weakest([system.found.verdict]), "found")


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
                denied = theorem.yes if isinstance(theorem.yes, str) and theorem.yes else claim.sentence
                yield Sentence(
                    words,
                    weakest([claim.verdict, *given, *without]),
                    theorem.topic,
                    denied="" if claim.verdict.holds else denied,
                )


def _constraints(result: Result, claims: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say how many constraints on velocities are integrable; of constraints on positions there is nothing to say."""
    claim = claims.get("integrable constraints")
    stated = [result.system.kind_of(name) for name in result.system.stated_constraints]
    if claim is not None and claim.verdict.holds and set(stated) != {"holonomic"}:
        told = f"{claim.statement[0].upper()}{claim.statement[1:]}."
        many = 0 if result.system.points else stated.count("holonomic")  # beside rotations these are not counted
        told += f" {many} of them {'is' if many == 1 else 'are'} stated on positions." if many else ""
        denied = INTEGRABLE[len(stated) > 1] if _REACHED in claim.statement else ""
        yield Sentence(told, weakest([claim.verdict]), "constraints", denied=denied)


INTEGRABLE = ("The constraint is integrable.", "Some combination of the constraints is integrable.")
"""What is asked of one constraint, and of several."""
_REACHED = "brackets of the allowed directions reach all others"
"""So a claim says that no constraint is integrable."""
_LONGEST_FOUND = 400
"""Letters of a sentence on symmetries that were found, on the first screen."""
_ONE_START = ", from one start"
"""So ends the name of a comparison of motions that begin differently where they are shown."""
FORMALISMS = "Formalisms"
"""The title of the table of all formalisms."""
HOW_IT_MOVES = "How it moves"
"""The title of what is said where there is no motion, or none to its end."""
_TOPICS = {
    "What it is": ("constraints", "kind"),
    "What is conserved": ("conserved",),
    "What it reduces to": ("found", "reduction"),
}


def front_of(system: System, parts: Sequence[Part]) -> str:
    """Return the formalism that the statement means, if it applies; else the first one that does."""
    there = [part.formalism for part in parts if part.page is not None]
    usual = obvious_formalism(system)
    return usual if usual in there else next(iter(there), "")


def about_one_motion(parts: Sequence[Part], front: str) -> list[Part]:
    """Return the parts whose facts are about the same motion as those of a formalism: all of one principle."""
    if not front:
        return list(parts)
    return [part for part in parts if formalism(part.formalism).variational is formalism(front).variational]


def summary_page(system: System, parts: Sequence[Part], crossed: Sequence[Claim] = ()) -> Section:
    """Return facts about the motion that the statement means, how the formalisms agree, and which do not apply.

    Facts about another motion, as that of a variational principle, stand with the formalism that defines it. Momenta
    are defined where a sentence names them, but for those of the formalism whose equations are beside it.
    """
    blocks: list[Block] = [Words(kind_of_system(system).text)]
    front = front_of(system, parts)
    about = about_one_motion(parts, front)
    for title, topics in _TOPICS.items():
        said = tuple(words for topic in topics for words in _sentences(system, about, topic, front))
        blocks += [Section(title, said)] if said else []
    cut_short = tuple(motions_cut_short(parts))
    blocks += [Section(HOW_IT_MOVES, cut_short)] if cut_short else []
    blocks.append(Section("How sure it is", tuple(_checked(parts, crossed, system))))
    rows = tuple(
        (
            Words(part.formalism, link=part.page.anchor if part.page is not None else ""),
            Words(_state(part)),
            Words(counted(part.claims) if part.claims else ""),
        )
        for part in parts
        if not part.faults
    )
    others = ", ".join(part.formalism for part in parts if part.faults)
    left = (Words(f"Not applicable: {others}. The reasons are below.", quiet=True),) if others else ()
    blocks.append(Section(FORMALISMS, (*([Table(rows, ("formalism", "", "claims"))] if rows else ()), *left)))
    if crossed:
        claims = Claims(tuple(crossed), tuple(map(_again, crossed)))
        blocks.append(Section("Formalisms against each other", (claims,), anchor="agreement"))
    left_out = tuple(row for part in parts for row in _left_out(part))
    if left_out:
        blocks.append(Section("Formalisms left out, and why", (Table(left_out),), anchor="apart"))
    long = tuple((Words(part.formalism), told) for part in parts for told in (_unshown(part), _unwritten(part)) if told)
    if long:
        blocks.append(Section("Left out for their size", (Table(long),), anchor="size"))
    return Section(system.name, tuple(blocks), level=1)


def motions_cut_short(parts: Sequence[Part]) -> Iterator[Words]:
    """Say why there is no motion of a formalism that applies, or none to the end, once for all that say the same."""
    told: dict[str, list[str]] = {}
    for part in parts:
        motion = part.motion or {}
        if "why" in motion:
            told.setdefault(f"No motion is shown: {motion['why']}", []).append(part.formalism)
        elif motion.get("status", 0) < 0:
            said = f"The motion ends at t = {motion['time'][-1]:.4g}: {motion['message']}"
            told.setdefault(said, []).append(part.formalism)
    yield from (Words(said, note=f"({', '.join(names)})") for said, names in told.items())


def _sentences(system: System, parts: Sequence[Part], topic: str, front: str) -> list[Words]:
    """Return the sentences on a topic, each once with its surest verdict; integrals in one form, and defined."""
    found: dict[Words, list[str]] = {}
    kinds: dict[Words, list[str]] = {}
    once = each_once(parts, system) if topic == "conserved" else {}
    for part in parts:
        for place, one in enumerate(part.sentences):
            told = once.get((part.formalism, place)) if topic == "conserved" else one
            if told is not None and told.topic == topic:
                said = Words(told.text, formulas=told.formulas)
                found.setdefault(said, []).append(part.formalism)
                kinds.setdefault(said, []).append(told.verdict)
    equations = {part.formalism: part.equations for part in parts if part.equations is not None}
    noted = []
    for words, names in found.items():
        own = equations.get(names[0])
        where = speeds_told_of(own.speeds, words.formulas) if own is not None else ""
        if own is not None and topic == "conserved" and front not in names:
            where = where or momenta_told_of(own, words.text)
        letters = "" if not where else f"Here {where}." if words.text.endswith(".") else f"with {where}"
        noted.append(replace(words, verdict=strongest(kinds[words]), note=letters, source=", ".join(names)))
    return noted


def _checked(parts: Sequence[Part], crossed: Sequence[Claim], system: System) -> Iterator[Words]:
    """Say how many claims were decided, and what failed, by name."""
    checks = [claim for part in parts for claim in part.claims if claim.role != "question"] + list(crossed)
    failed = [claim for claim in checks if claim.failed]
    undecided = sum(claim.verdict.holds is None for claim in checks)
    many = f"{len(checks)} hypotheses and checks" if len(checks) > 1 else "1 hypothesis or check"
    if failed:
        told = f"{many}: {len(failed)} failed, {undecided} undecided, the others hold."
    elif undecided:
        told = f"{len(checks) - undecided} of {len(checks)} hypotheses and checks hold; {undecided} undecided."
    elif len(checks) < 2:
        told = f"{many} was decided: it holds." if checks else "Nothing was decided."
    else:
        told = f"{many} were decided: all hold."
    asked = [claim for part in parts for claim in part.claims if claim.role == "question"]
    yield Words(told + ("" if failed else _generic(asked, system)))
    yield from (Words(claim.sentence, claim.verdict.basis, answer=claim.answer) for claim in failed)
    if crossed:
        yield Words(_compared(crossed) + _begun(crossed))


def _generic(asked: Sequence[Claim], system: System) -> str:
    """Say of which parameters a no was shown at other values than those of the model, which may be special ones."""
    shown = [claim.verdict.evidence for claim in asked if claim.verdict.holds is False]
    names = [p.data.name for p in system.parameters]
    named = [name for name in names if any(re.search(rf"(?<![\w.']){re.escape(name)} = ", one) for one in shown)]
    if not named:
        return ""
    told = "the parameters" if named == names and len(names) > 1 else ", ".join(named)
    return f" A counterexample holds for generic values of {told}. Special values can behave differently."


def _compared(crossed: Sequence[Claim]) -> str:
    same, of = sum(claim.verdict.holds is True for claim in crossed), len(crossed)
    if same < of:
        return f"{same} of {of} comparisons of fields and motions agree; see 'Formalisms against each other'."
    fields = sum(map(_of_fields, crossed))
    ways = " and ".join(["as fields"] * (fields > 0) + ["along it"] * (fields < of))
    return f"Where formalisms describe the same motion they agree, {ways}: {of} comparison{'s' * (of != 1)}."


def _of_fields(claim: Claim) -> bool:
    return claim.name.endswith(" as fields")


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
    return checked_again(claim) if _of_fields(claim) else "dalembert study MODEL"


def _unshown(part: Part) -> Words | None:
    """Say what the page does not show of a formalism because it is too long."""
    there = list(blocks_in(part.page)) if part.page is not None else []
    listed = any(isinstance(one, Section) and one.look == "listed" for one in there)
    equations = 0 if listed else sum(block.more for block in there if isinstance(block, Equations))
    sections = [one for one in there if isinstance(one, Section) and one.look == "object"]
    titles = [one.title for one in sections if any(isinstance(b, Words) and b.unshown for b in one.blocks)]
    names = [*([f"{equations} equations of motion"] if equations else []), *titles]
    if not names:
        return None
    has = f"derive --as {part.formalism} --json has what is no longer than {WRITTEN:,} nodes"
    return Words(f"too long to be shown: {', '.join(names)}; {has}.")


def _unwritten(part: Part) -> Words | None:
    """Say what the answers of a formalism do not have because it is too long."""
    sizes = (part.answer or {}).get("left_out")
    if not sizes:
        return None
    names = sorted({name.rstrip("0123456789").removeprefix("monitors ") for name in sizes})
    most, least = max(sizes.values()), min(sizes.values())
    nodes = f"{least:,}" if most == least else f"{least:,} to {most:,}"
    told = f"{len(sizes)} formulas of {nodes} nodes each, linear systems written out, are not written down:"
    has = "has them" if most <= WRITTEN else f"has those of up to {WRITTEN:,} nodes"
    return Words(f"{told} {', '.join(names)}; derive --as {part.formalism} --json {has}.")


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
