"""What a terminal shows of a derivation, in 40 lines: equations, results, and the next command."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from shlex import quote
from typing import Final

from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.walk import postorder, tree_size
from dalembert.mechanics.registry import Result, obvious_formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model import equations as model
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.conserved import Sentence, constants
from dalembert.present.integrals import by_state
from dalembert.present.lines import breadth
from dalembert.present.main_objects import SPEEDS
from dalembert.present.motion_equations import Short, equations_blocks, shortening
from dalembert.present.naming import names_used
from dalembert.present.page import Block, Claims, Code, Equations, Group, Section, Words, is_within, size_written
from dalembert.present.report import INTEGRABLE, kind_in_brief, sentences
from dalembert.present.shortening import Tried
from dalembert.present.text_writer import in_text
from dalembert.present.typeset import spoken_turns

LINES: Final = 40
"""Lines of an overview,"""
_AT: Final = 80
"""Columns for equations,"""
_BROAD: Final = 100
"""and for a page if nobody knows how wide the terminal is."""
_FEWEST: Final = 3
"""Results that are never left out for the number of lines."""
_TRIED: Final = ((24, 5), (16, 5), (16, _FEWEST), (8, _FEWEST), (0, _FEWEST))
"""Lines of equations of motion beyond which they are summed up, with the least number of results beside them."""
_OF_SPEEDS: Final = 4
"""Lines of definitions of speeds beside a sum."""
_SHORT: Final = 6
"""with so many of those that take one line each."""
_SUM: Final = _SHORT + 3
"""Lines of such a sum: it takes the place of longer equations only."""
_NODES: Final = 2_000
"""Shared nodes of equations that are laid out to see how long they are."""
_BESIDE: Final = 44
"""Letters of a definition that stands at the right of a title."""
_FORMULA: Final = 64
"""Letters of a formula in a line of results,"""
_FORMULAS: Final = 200
"""and of all formulas in it."""
_NAMED: Final = 3
"""So many open claims are named."""
_TOPICS: Final = ("conserved", "constraints", "kind", "reduction", "found")


def derivation_overview(
    result: Result,
    decided: Sequence[Claim],
    found: Sequence[FirstIntegral],
    symmetries: Sequence[str] = (),
    command: str = "",
    columns: int | None = None,
    effort: float = 3.0,
) -> Section:
    """Return the equations of motion of a result, what is known of them, and the next command.

    ``found`` are integrals, ``symmetries`` fields as text; ``command`` is the name of the system in a command, without
    which no command is named; ``columns`` is the width of the terminal.

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
    way = quote(command or "MODEL") + ("" if usual else f" --as {equations.formalism}")
    seen = by_state(equations, short)
    energy = next((one.expression for one in found if one.name == "energy"), None)
    told = [
        *_with_formula(sentences(result, decided, objects), None if energy is None else seen(energy), short),
        *constants(found, short),
        *_integrability(objects, system),
    ]
    rows = [*failed(decided), *rows_of(ordered(told)), *_energy(told, decided), *_symmetries(symmetries)]

    def page(most: int, lines: int) -> Section:
        blocks = [
            motion_section(equations, groups, way, lines),
            *results_section(rows, most, list(_passed(decided))),
            *next_commands(
                command,
                (f"dalembert derive {way} --full", "every claim"),
                (f"dalembert check {way} --that {quoted(example_claim(system, rows))}", "decide a claim"),
                *([(f"dalembert simulate {way}", "compute the motion")] if _starts(system) else []),
                columns=columns,
            ),
        ]
        return overview_page(system, blocks, [equations])

    return fitted(page, len(rows), columns)


def overview_page(system: System, blocks: Sequence[Block], equations: Sequence[model.Equations]) -> Section:
    """Return blocks under the name of a system, with its kind at the right."""
    return Section(
        system.name, tuple(blocks), level=1, beside=kind_in_brief(system), names=names_used(system, equations)
    )


def fitted(page: Callable[[int, int], Section], rows: int, columns: int | None) -> Section:
    """Return the page with the equations in as many lines as there are, then with as many results as there are.

    ``page`` takes how many results it shows, and how many lines of equations it shows before it sums them up.
    """
    wide = columns or _BROAD
    for lines, least in _TRIED:
        for most in range(rows, min(rows, least) - 1, -1):
            shown = page(most, lines)
            if lines_taken(in_text(shown, wide), wide) < LINES:  # where a report is, takes one more
                return shown
    return page(min(rows, _FEWEST), 0)


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


def lines_taken(shown: str, width: int) -> int:
    """Return how many lines a text takes in a terminal, which breaks those that are too long.

    >>> lines_taken("x" * 81, 80)
    2
    """
    return sum(max(1, math.ceil(breadth(line) / width)) for line in shown.splitlines())


# -- equations -------------------------------------------------------------------------------------------------
def motion_section(equations: model.Equations, groups: Sequence[Group], way: str, most: int) -> Section:
    """Return the equations of motion; of more lines the short ones, a sum, and where all of them are written."""
    beside, kept = _speeds_beside(groups)
    title = f"Equations of motion ({equations.formalism})"
    if kept and _lines(kept) <= max(most, _SUM):
        return Section(title, (Equations(tuple(kept)),), beside=beside)
    first = [pair for group in kept[:1] if not group.title for pair in group.pairs if _lines([Group("", (pair,))]) == 1]
    speeds = [group for group in kept if group.title == SPEEDS]  # too long for the title
    named = _lines(speeds) <= _OF_SPEEDS if speeds else True
    first = first[:_SHORT] if named else []
    groups = [*([Group("", tuple(first))] if first else []), *(speeds if named else [])]
    shown: list[Block] = [Equations(tuple(groups))] if groups else []
    told = {left for left, _ in first}
    defined = (
        ""
        if named
        else f", with {_names([left for g in speeds for left, _ in g.pairs if isinstance(left, Expr)])} defined,"
    )
    return Section(title, (*shown, *_summed_up(equations, way, told, defined)), beside=beside)


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


def _summed_up(equations: model.Equations, way: str, told: Collection[object], defined: str) -> Iterator[Words]:
    """Say how many equations there are, for which variables, and in how many operations."""
    rates = {q: rate for q, rate in equations.kinematics.items() if rate is not q.dot and q.dot not in told}
    if equations.velocities:
        sides = [*equations.force, *(entry for row in equations.mass for entry in row)]
        names = _names([w.dot for w in equations.velocities])
        many = len(equations.velocities)
        yield Words(f"{many} equation{'s' * (many > 1)} M a = f for a = ({names}): {_operations(sides)} operations.")
    if rates:
        many = len(rates)
        those = f"{many} {'further ' * bool(told)}equation{'s' * (many > 1)} for {_names([q.dot for q in rates])}"
        yield Words(f"{those}: {_operations(list(rates.values()))} operations.")
    yield Words(f"Written out{defined} by: dalembert derive {way} --equations (or --json, --latex, --code c)")


def _names(variables: Sequence[Expr]) -> str:
    names = [str(one.data.label) for one in variables]
    return ", ".join(names if len(names) <= 2 * _SHORT else [*names[:_SHORT], "...", names[-1]])


def _operations(sides: Sequence[Expr]) -> str:
    """Return how many operations formulas take, what they share counted once."""
    return f"{size_written(sides) - sum(not node.args for node in postorder(sides)):,}"


# -- results ---------------------------------------------------------------------------------------------------
def results_section(rows: Sequence[Words], most: int, last: Sequence[Words]) -> list[Block]:
    """Return the first results, how many more there are, definitions, and what stands below; nothing if that is none.

    A single result more takes no more room than the line that counts it, and what defines a name is always shown.
    """
    left = [row for row in rows[most:] if row.answer]
    more = left if len(left) < 2 else [Words(f"{len(left)} more results: --full shows them.")]
    shown = (*rows[:most], *more, *(row for row in rows[most:] if not row.answer), *last)
    return [Section("Results", shown)] if shown else []


def rows_of(told: Sequence[Sentence]) -> list[Words]:
    """Return sentences as results: what denies a claim is the claim with a no."""
    found = dict.fromkeys(
        Words(one.text)
        if one.topic == "found"
        else Words(one.denied, one.verdict, answer="no")
        if one.denied
        else Words(_without(one.text), one.verdict, answer="yes")
        if one.text.endswith(":") and not _fit(one.formulas)
        else Words(one.text, one.verdict, one.formulas if _fit(one.formulas) else (), answer="yes")
        for one in told
        if one.verdict
    )
    return list(found)


def _fit(formulas: Sequence[Expr]) -> bool:
    letters = [len(text(formula)) if tree_size(formula) < _FORMULAS else _FORMULAS for formula in formulas]
    return 0 < sum(letters) < _FORMULAS


def _without(words: str) -> str:
    """Return a sentence without the formulas that are too long for it.

    >>> _without("The momenta of 6 symmetries are conserved, among them:")
    'The momenta of 6 symmetries are conserved.'
    """
    if words.startswith("Constant"):
        return "Other functions are constant along every motion; --full shows them."
    return re.sub(r"(, among [a-z]+)?:$", ".", words)


def ordered(told: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences by topic: what is conserved first."""
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


def failed(claims: Sequence[Claim]) -> list[Words]:
    """Return the checks and hypotheses that fail."""
    return [Words(claim.sentence, claim.verdict.basis, answer=claim.answer) for claim in claims if claim.failed]


def _passed(claims: Sequence[Claim]) -> Iterator[Words]:
    if claims:
        said = checks_told(claims)
        yield Words(f"{said[:1].upper()}{said[1:]}.")


def checks_told(claims: Sequence[Claim]) -> str:
    """Return how many hypotheses and checks hold, and how many claims are open."""
    checks = [claim for claim in claims if claim.role != "question"]
    passed, failed = (sum(claim.verdict.holds is answer for claim in checks) for answer in (True, False))
    undecided = [claim.name for claim in claims if claim.verdict.holds is None]
    names = f": {', '.join(dict.fromkeys(undecided))}" if len(undecided) <= _NAMED else ""
    told = [f"{passed} check{'s' * (passed != 1)} passed", f"{failed} failed"]
    told += [f"{len(undecided)} claim{'s' * (len(undecided) != 1)} open{names}"] if undecided else []
    return ", ".join(told)


# -- the next command --------------------------------------------------------------------------------------------
def next_commands(system: str, *commands: tuple[str, str], columns: int | None = None) -> list[Block]:
    """Return commands to go on with, each with what it does; nothing without the name of a system for them.

    Descriptions that have no room in the terminal are left out.
    """
    if not system:
        return []
    wide = columns or _BROAD
    size = max(len(command) for command, _ in commands)
    lines = []
    for k, (command, what) in enumerate(commands):
        line = f"{'' if k else 'Next:':5}  {command}"
        full = f"{line:{size + 7}}  {what}"
        lines.append(full if len(full) <= wide else line)
    return [Code("\n".join(lines))]


def example_claim(system: System, shown: Sequence[Words]) -> str:
    """Return a claim that can be decided and is not shown: that the first velocity is constant of which nothing is."""
    turning = [f"{point.name}.w{k}" for point in system.points if point.is_rotation for k in (1, 2, 3)]
    names = turning or [str(q.dot.data.label) for q in system.q]
    known = {text(formula) for row in shown for formula in row.formulas}
    return f"{next((name for name in names if name not in known), names[0])} conserved"


def quoted(words: str) -> str:
    r"""Return words for a shell, with quotation marks that people type where these do.

    >>> quoted("x' conserved")
    '"x\' conserved"'
    """
    return quote(words) if re.search(r'["$`\\!]', words) else f'"{words}"'


def _starts(system: System) -> bool:
    return bool(system.start.values or system.start.near)
