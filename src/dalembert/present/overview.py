"""What a terminal shows of a derivation and of a study: equations, results, agreement, the next command; 40 lines."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Final

from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth.verdict import weakest
from dalembert.expr.walk import postorder, tree_size
from dalembert.mechanics.registry import Result, formalism, obvious_formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model import equations as model
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.conserved import Sentence, constants
from dalembert.present.integrals import by_state, each_once
from dalembert.present.lines import breadth
from dalembert.present.main_objects import SPEEDS
from dalembert.present.motion_equations import Short, equations_blocks, shortening
from dalembert.present.naming import names_used
from dalembert.present.page import Block, Claims, Code, Equations, Group, Section, Table, Words, is_within, size_written
from dalembert.present.report import INTEGRABLE, Part, kind_in_brief, sentences
from dalembert.present.shortening import Tried
from dalembert.present.text_writer import counted, in_text
from dalembert.present.typeset import spoken_turns

LINES: Final = 40
"""Lines of an overview,"""
_AT: Final = 80
"""in a terminal of so many columns or more."""
_OF_EQUATIONS: Final = 16
"""Lines of equations of motion; longer ones are summed up,"""
_SHORT: Final = 6
"""with so many of those that take one line each."""
_NODES: Final = 2_000
"""Shared nodes of equations that are laid out to see how long they are."""
_BESIDE: Final = 44
"""Letters of a definition that stands at the right of a title."""
_FORMULA: Final = 64
"""Letters of a formula in a line of results,"""
_FORMULAS: Final = 200
"""and of all formulas in it."""
_FEWEST: Final = 3
"""Results are left out down to so many, if there are too many lines."""
_REASON: Final = 64
"""Letters of why a formalism does not apply, with what to do instead,"""
_LONGEST: Final = 100
"""and of the reason alone."""
_OTHER_MOTION: Final = "a different motion: the action is stationary"
_MOTION: Final = frozenset({"", "momentum equation", "motion", "in the stated coordinates"})
_TOPICS: Final = ("conserved", "constraints", "kind", "reduction", "found")


def derivation_overview(
    result: Result,
    decided: Sequence[Claim],
    found: Sequence[FirstIntegral],
    symmetries: Sequence[str] = (),
    command: str = "MODEL",
    effort: float = 3.0,
) -> Section:
    """Return the equations of motion of a result, what is known of them, and the next command.

    ``found`` are integrals, ``symmetries`` fields as text; ``command`` is the name of the system in a command.

    >>> from dalembert import System, derive
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> page = derivation_overview(derive(fall, "euler-lagrange"), (), ())
    >>> page.title, page.beside, page.blocks[0].title
    ('fall', '1 coordinate, no constraints', 'Equations of motion (euler-lagrange)')
    """
    system, equations = result.system, result.equations
    short = shortening(equations, effort, tried=Tried(effort))
    objects = result.objects()
    groups = equations_blocks(equations, short, system.named_parts)[1].groups
    usual = equations.formalism == (system.run.formalism or obvious_formalism(system))
    way = quote(command) + ("" if usual else f" --as {equations.formalism}")
    seen = by_state(equations, short)
    energy = next((one.expression for one in found if one.name == "energy"), None)
    told = [
        *_with_formula(sentences(result, decided, objects), None if energy is None else seen(energy), short),
        *constants(found, short),
        *_integrability(objects, system),
    ]
    rows = [*_failed(decided), *_rows(_ordered(told)), *_energy(told, decided), *_symmetries(symmetries)]

    def page(most: int) -> Section:
        blocks = [
            _motion(equations, groups, way),
            *_results(rows, most, list(_passed(decided))),
            _next(
                (f"dalembert derive {way} --full", "every object and every claim"),
                (f"dalembert check {way} --that {_quoted(_example(system, symmetries))}", "decide a claim of your own"),
                *([(f"dalembert simulate {way}", "compute the motion")] if _starts(system) else []),
            ),
        ]
        return _page(system, blocks, [equations])

    return _fitted(page, len(rows))


def study_overview(
    system: System, parts: Sequence[Part], crossed: Sequence[Claim] = (), command: str = "MODEL"
) -> Section:
    """Return the motion that a statement means, results, formalisms and how they agree, and the next command."""
    front = _front(system, parts)
    chosen = [part for part in parts if part.applies and (part is front or not formalism(part.formalism).variational)]
    chosen.sort(key=lambda part: part is not front)
    claims = [*(claim for part in parts for claim in part.claims), *crossed]
    rows = [*_failed(claims), *_rows(_told(system, chosen))]
    way = quote(command)
    applying, others = [part for part in parts if part.applies], [part for part in parts if not part.applies]
    counts = f"{len(applying)} formalisms derived, {len(others)} not applicable"
    equations = [part.equations for part in parts if part.equations is not None]
    symmetries = [one["field"] for part in parts for one in part.discovery.get("symmetries", ())]

    def page(most: int) -> Section:
        blocks: list[Block] = [Words(f"{counts}; {_checks(claims)}.")]
        if front is not None and front.equations is not None:
            groups = [g for block in _equations_of(front) for g in block.groups if _is_motion(g)]
            cut = any(block.more for block in _equations_of(front))
            blocks.append(_motion(front.equations, [] if cut else groups, f"{way} --as {front.formalism}"))
        blocks += _results(rows, most, [])
        if applying:
            blocks.append(Section("Formalisms", (Table(tuple(_row_of(part, front) for part in applying)),)))
        if others:
            blocks.append(Section("Not applicable", (Table(tuple(_reasons(others))),)))
        if agreed := [Words(said) for said in _agreement(parts, crossed)]:
            blocks.append(Section("", tuple(agreed), level=1))
        blocks.append(
            _next(
                (f"dalembert check {way} --that {_quoted(_example(system, symmetries))}", "decide a claim of your own"),
                (f"dalembert study {way} --full", "every claim; --why adds the evidence"),
            )
        )
        return _page(system, blocks, equations)

    return _fitted(page, len(rows))


def _page(system: System, blocks: Sequence[Block], equations: Sequence[model.Equations]) -> Section:
    return Section(
        system.name, tuple(blocks), level=1, beside=kind_in_brief(system), names=names_used(system, equations)
    )


def _fitted(page: Callable[[int], Section], rows: int) -> Section:
    """Return the page with as many results as it has lines for."""
    for most in range(rows, _FEWEST, -1):
        shown = page(most)
        if lines_taken(in_text(shown, _AT)) < LINES:  # where a report is, takes one more
            return shown
    return page(_FEWEST)


def grouped_claims(found: Mapping[str, Sequence[Claim]]) -> Section:
    """Return claims with their evidence, those of several formalisms with one answer as one.

    >>> from dalembert.expr.truth import Verdict
    >>> kept = Claim("energy", "the energy is conserved", "check", Verdict("proved", "it is 0."))
    >>> in_text(grouped_claims({"reduced": (kept,), "routh": (kept,)})).splitlines()
    ['  yes  The energy is conserved (reduced, routh).  proved', '       energy (check): it is 0.']
    """
    alike: dict[tuple[str, str, str, str], list[tuple[str, Claim]]] = {}
    for name, several in found.items():
        for one in several:
            alike.setdefault((one.name, one.sentence, one.answer, one.verdict.basis), []).append((name, one))
    shown = []
    for named in alike.values():
        first = named[0][1]
        names = f" ({', '.join(dict.fromkeys(name for name, _ in named))})"
        evidence = " ".join(dict.fromkeys(one.verdict.evidence for _, one in named))
        verdict = replace(first.verdict, evidence=evidence)
        shown.append(replace(first, statement=f"{first.sentence.removesuffix('.')}{names}", verdict=verdict))
    return Section("", tuple(Claims((one,)) for one in shown), level=1)


def lines_taken(shown: str, width: int = _AT) -> int:
    """Return how many lines a text takes in a terminal, which breaks those that are too long.

    >>> lines_taken("x" * 81)
    2
    """
    return sum(max(1, math.ceil(breadth(line) / width)) for line in shown.splitlines())


# -- equations -------------------------------------------------------------------------------------------------
def _motion(equations: model.Equations, groups: Sequence[Group], way: str) -> Section:
    """Return the equations of motion; long ones are summed up, and it is told where they are written."""
    beside, kept = _speeds_beside(groups)
    title = f"Equations of motion ({equations.formalism})"
    if kept and _lines(kept) <= _OF_EQUATIONS:
        return Section(title, (Equations(tuple(kept)),), beside=beside)
    first = [pair for group in kept[:1] if not group.title for pair in group.pairs if _lines([Group("", (pair,))]) == 1]
    shown: list[Block] = [Equations((Group("", tuple(first[:_SHORT])),))] if first else []
    return Section(title, (*shown, *_summed_up(equations, way)))


def _lines(groups: Sequence[Group]) -> int:
    """Return how many lines equations take, or too many where they are too large to be laid out."""
    sides = [side for group in groups for pair in group.pairs for side in pair if isinstance(side, Expr)]
    if not is_within(sides, _NODES) or size_written(sides) > _NODES:
        return LINES
    return len(in_text(Equations(tuple(groups)), _AT - 2).splitlines())


def _speeds_beside(groups: Sequence[Group]) -> tuple[str, list[Group]]:
    """Return what the speeds are as words for the right of the title, where they are short, and the other equations."""
    speeds = [pair for group in groups if group.title == SPEEDS for pair in group.pairs]
    said = ", ".join(f"{left} = {right}" for left, right in speeds)
    if not said or len(said) > _BESIDE:
        return "", list(groups)
    return f"with {said}", [group for group in groups if group.title != SPEEDS]


def _summed_up(equations: model.Equations, way: str) -> Iterator[Words]:
    """Say how many equations there are, for which variables, and in how many operations."""
    rates = {q: rate for q, rate in equations.kinematics.items() if rate is not q.dot}
    if equations.velocities:
        sides = [*equations.force, *(entry for row in equations.mass for entry in row)]
        names = _names([w.dot for w in equations.velocities])
        many = len(equations.velocities)
        yield Words(f"{many} equation{'s' * (many > 1)} M a = f for a = ({names}): {_operations(sides)} operations.")
    if rates:
        many = len(rates)
        told = f"{many} equation{'s' * (many > 1)} for {_names([q.dot for q in rates])}"
        yield Words(f"{told}: {_operations(list(rates.values()))} operations.")
    yield Words(f"Written out by: dalembert derive {way} --equations (or --json, --latex, --code c)")


def _names(variables: Sequence[Expr]) -> str:
    names = [str(one.data.label) for one in variables]
    return ", ".join(names if len(names) <= 2 * _SHORT else [*names[:_SHORT], "...", names[-1]])


def _operations(sides: Sequence[Expr]) -> str:
    """Return how many operations formulas take, what they share counted once."""
    return f"{size_written(sides) - sum(not node.args for node in postorder(sides)):,}"


def _equations_of(part: Part) -> list[Equations]:
    return [block for block in (part.page.blocks if part.page is not None else ()) if isinstance(block, Equations)]


def _is_motion(group: Group) -> bool:
    return group.title in {"", "momentum equation", "motion", "in the stated coordinates"} or group.title.startswith(
        "with "
    )


# -- results ---------------------------------------------------------------------------------------------------
def _results(rows: Sequence[Words], most: int, last: Sequence[Words]) -> list[Block]:
    left = len(rows) - most
    more = [Words(f"{left} more result{'s' * (left > 1)}: --full shows them.")] if left > 0 else []
    shown = (*rows[:most], *more, *last)
    return [Section("Results", shown)] if shown else []


def _rows(told: Sequence[Sentence]) -> list[Words]:
    """Return sentences as results: what denies a claim is the claim with a no."""
    found = dict.fromkeys(
        Words(one.text)
        if one.topic == "found"
        else Words(one.denied, one.verdict, answer="no")
        if one.denied
        else Words(one.text, one.verdict, _fitting(one), answer="yes")
        for one in told
        if one.verdict
    )
    return [row for row in found if row.formulas or not row.text.endswith(":")]


def _fitting(one: Sentence) -> tuple[Expr, ...]:
    letters = [len(text(formula)) if tree_size(formula) < _FORMULAS else _FORMULAS for formula in one.formulas]
    return one.formulas if sum(letters) < _FORMULAS else ()


def _ordered(told: Sequence[Sentence]) -> list[Sentence]:
    return sorted(told, key=lambda one: _TOPICS.index(one.topic))


def _with_formula(told: Sequence[Sentence], energy: Expr | None, short: Short) -> Iterator[Sentence]:
    """Yield sentences with the formulas of the energy and of the momenta that they name, where these are short."""
    for one in told:
        meant = one.meant if one.meant or energy is None or one.text != "The energy is conserved." else (energy,)
        formulas = tuple(map(short, meant)) if meant and not one.formulas and one.topic == "conserved" else ()
        if formulas and all(tree_size(e) < _FORMULAS and len(text(e)) <= _FORMULA for e in formulas):
            yield replace(one, text=f"{one.text.rstrip('.')}:", formulas=formulas)
        else:
            yield one


def _energy(told: Sequence[Sentence], decided: Sequence[Claim]) -> list[Words]:
    """Return the answer on the energy where no sentence gives it."""
    if any("energy is" in one.text for one in told):
        return []
    claim = next((claim for claim in decided if claim.name == "energy conserved"), None)
    return [] if claim is None else [Words(claim.sentence, claim.verdict.basis, answer=claim.answer)]


def _integrability(objects: Mapping[str, object], system: System) -> list[Sentence]:
    """Return whether the constraints are integrable, where their growth vector is known."""
    grown = objects.get("growth_vector")
    if not isinstance(grown, list) or not grown or not system.stated_constraints or system.holonomic:
        return []
    asked = INTEGRABLE[len(system.stated_constraints) > 1]
    if len(grown) > 1 and grown[-1] == len(system.q):
        return [Sentence(asked, "proved", "constraints", denied=asked)]
    return (
        [Sentence(asked.replace("Some combination of the", "All"), "certain", "constraints")] if len(grown) == 1 else []
    )


def _symmetries(fields: Sequence[str]) -> list[Words]:
    said = spoken_turns(", ".join(fields))
    if not said:
        return []
    return [Words(f"Symmetries: {said if len(said) <= _FORMULAS else f'{len(fields)} fields; discover shows them'}.")]


def _told(system: System, chosen: Sequence[Part]) -> list[Sentence]:
    """Return what formalisms of one motion say, the first of them first, each once."""
    once = each_once(chosen, system)
    told = [
        said
        for part in chosen
        for place, one in enumerate(part.sentences)
        if (said := once.get((part.formalism, place)) if one.topic == "conserved" else one) is not None
    ]
    return _ordered(told)


def _failed(claims: Sequence[Claim]) -> list[Words]:
    return [Words(claim.sentence, claim.verdict.basis, answer=claim.answer) for claim in claims if claim.failed]


def _passed(claims: Sequence[Claim]) -> Iterator[Words]:
    if claims:
        said = _checks(claims)
        yield Words(f"{said[:1].upper()}{said[1:]}.")


def _checks(claims: Sequence[Claim]) -> str:
    """Return how many hypotheses and checks hold, and how many claims are open."""
    checks = [claim for claim in claims if claim.role != "question"]
    passed, failed = (sum(claim.verdict.holds is answer for claim in checks) for answer in (True, False))
    undecided = sum(claim.verdict.holds is None for claim in claims)
    told = [f"{passed} check{'s' * (passed != 1)} passed", f"{failed} failed"]
    told += [f"{undecided} claim{'s' * (undecided != 1)} open"] if undecided else []
    return ", ".join(told)


# -- a study -----------------------------------------------------------------------------------------------------
def _front(system: System, parts: Sequence[Part]) -> Part | None:
    """Return the part of the formalism that the statement means, or else the first that applies."""
    there = {part.formalism: part for part in parts if part.applies}
    return there.get(obvious_formalism(system)) or next(iter(there.values()), None)


def _row_of(part: Part, front: Part | None) -> tuple[Block, ...]:
    about = formalism(part.formalism)
    other = about.variational and front is not None and not formalism(front.formalism).variational
    return Words(part.formalism), Words(counted(part.claims)), Words(_OTHER_MOTION if other else "")


def _reasons(parts: Sequence[Part]) -> Iterator[tuple[Block, ...]]:
    """Yield why formalisms do not apply, once for those that have the same reason."""
    found: dict[str, list[Part]] = {}
    for part in parts:
        found.setdefault(_reason(part).partition(";")[0], []).append(part)
    for several in found.values():
        yield Words(", ".join(part.formalism for part in several)), Words(_reason(several[0]))


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
        told.append(f"{_those(parts, fields)} define the same vector field ({sure})")
    if along:
        worst = max(claim.verdict.size or 0.0 for claim in along)
        last = min((float(part.track.times[-1]) for part in parts if part.track is not None), default=0.0)
        who = "their simulated motions" if fields else f"the simulated motions of {_those(parts, along)}"
        told.append(f"{who} agree to {worst:.1e} up to t = {last:.4g}")
    if told:
        yield f"Cross-checks: {'; '.join(told)}."
    if len(held) < len(crossed):
        left = len(crossed) - len(held)
        yield f"{left} comparison{'s' * (left > 1)} could not be decided; --full shows why."


def _those(parts: Sequence[Part], claims: Sequence[Claim]) -> str:
    names = [p.formalism for p in parts if any(p.formalism in re.split(r" and | as |, ", c.name) for c in claims)]
    return f"{', '.join(names[:-1])} and {names[-1]}"


# -- the next command --------------------------------------------------------------------------------------------
def _next(*commands: tuple[str, str]) -> Code:
    """Return commands to go on with, each with what it does."""
    size = max(len(command) for command, _ in commands)
    lines = [f"{'' if k else 'Next:':5}  {command:{size}}  {what}" for k, (command, what) in enumerate(commands)]
    return Code("\n".join(lines))


def _example(system: System, symmetries: Sequence[str]) -> str:
    """Return a claim about a system that can be decided: that what was found is a symmetry, or a speed is constant."""
    if symmetries:
        return f"{min(symmetries, key=lambda one: (one == 'd/dt', len(one)))} symmetry"
    named = [f"{point.name}.w3" for point in system.points if point.is_rotation]
    return f"{named[0] if named else system.q[0].dot.data.label} conserved"


def _quoted(words: str) -> str:
    r"""Return words for a shell, with quotation marks that people type where these do.

    >>> _quoted("x' conserved")
    '"x\' conserved"'
    """
    return quote(words) if re.search(r'["$`\\!]', words) else f'"{words}"'


def _starts(system: System) -> bool:
    return bool(system.start.values or system.start.near)
