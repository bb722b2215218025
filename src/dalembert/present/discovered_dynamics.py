"""What a search says of measures, integrability, Hamiltonian forms, Lagrangians and tori, as blocks of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import depends_on
from dalembert.model.claim import sentence
from dalembert.present.integrals import speeds_in
from dalembert.present.page import (
    Block,
    Equations,
    Group,
    Listing,
    Section,
    Table,
    Words,
    formula_by_parts,
)

_ANSWERS = {"found": "yes", "exists": "yes", "absent": "no", "none": "no", "undecided": "open"}
MEASURES = "a smooth positive measure that does not depend on time"
"""What a search for measures looks for."""
_LAGRANGIAN = "a regular Lagrangian with these accelerations"


DETAIL = "detail"
"""The look of a section that is left out of a short page."""
LONGEST = 160
"""Functions with more letters are described where it is said what was searched."""


def modulo(fields: Sequence[str], labels: Mapping[str, str]) -> str:
    """Return the fields that are divided out, by their names in the table of symmetries."""
    return ", ".join(labels.get(one, one) for one in fields)


def _answered(answer: str, statement: str, verdict: Any) -> Words:
    """Return a statement with its answer, how that is known, and as small print why."""
    return Words(statement, verdict.basis, answer=_ANSWERS[answer], note=sentence(verdict.evidence))


def searched(space: str) -> Words:
    """Return what was searched, as a quiet sentence."""
    return Words(f"Searched: {space}.", quiet=True)


# -- measures ------------------------------------------------------------------------------------------------------
def measure_blocks(measures: Any, labels: Mapping[str, str], speeds: Mapping[Expr, Expr]) -> Iterator[Block]:
    """Say what is known of invariant measures, of the states and modulo the symmetries, which have labels."""
    volume, below = measures.volume, measures.reduced
    yield from _measure("The motion preserves", measures.full, measures)
    if below is not None:
        where = f"The motion modulo {modulo(measures.group, labels)} preserves"
        if below.density is not None and below.density == measures.full.density:
            yield _answered("found", f"{where} {MEASURES}, with the same density.", below.verdict)
        else:
            yield from _measure(where, below, None)
        if (measures.full.answer, below.answer) == ("undecided", "absent"):
            said = "That the reduced motion has none does not show that the motion itself has none"
            yield Words(f"{said}: the group is not compact, or not known to be so along a steady motion.", quiet=True)
    for one in measures.others:
        timed = "time-dependent " * depends_on([one.density], [symbol(TIME)])
        yield from _density(f"The motion preserves a {timed}measure{_where(one.zeros)}", "found", one, measures)
    shown = [one for one in (measures.full, *measures.others) if one.density is not None]
    used = [v for one in shown for v in _variables(one.density, measures)]
    if any(".q" in text(v) for v in used):
        yield Words("The volume of a rotation is the invariant one of its group.", quiet=True)
    if meant := speeds_in(speeds, used):
        yield from (Words("Here"), Equations((Group("", tuple(meant.items())),)))
    if volume is not None and measures.full.answer == "undecided":
        yield searched(volume.space(LONGEST))


def _where(zeros: Sequence[Expr]) -> str:
    return f" where {' and '.join(map(text, zeros))} {'is' if len(zeros) == 1 else 'are'} not 0" * bool(zeros)


def _variables(density: Expr, measures: Any) -> tuple[Expr, ...]:
    """Return the variables of the volume that a density is shown with."""
    return tuple(measures.stated.get(density, measures.volume).variables)


def _measure(which: str, measure: Any, measures: Any) -> Iterator[Block]:
    said = f"{which} {MEASURES}"
    if measure.density is None:
        yield _answered(measure.answer, f"{said}.", measure.verdict)
    else:
        yield from _density(said, measure.answer, measure, measures)


def _density(said: str, answer: str, one: Any, measures: Any) -> Iterator[Block]:
    """Show a density with its volume, in stated velocities if those of the states are others; below, without volume."""
    stated = None if measures is None else measures.stated.get(one.density)
    shown = one if stated is None else stated
    volume = ""
    if measures is not None:  # the components of a rotation stand for its invariant volume
        factors = dict.fromkeys(f"d{text(v).partition('.q')[0]}" for v in _variables(one.density, measures))
        over = measures.volume.over
        volume = " ".join(factors) + f" over that of what {', '.join(over)} set to zero" * bool(over)
        said += "" if stated is None else _where(stated.zeros)
    density = formula_by_parts(shown.density)
    if isinstance(density, Equations):  # its parts have names, which need lines of their own
        yield _answered(answer, f"{said}{f' on {volume}' if volume else ''}, with the density", shown.verdict)
        yield density
        return
    plain = shown.density is ONE
    rest = f": {volume}" if plain and volume else "." if plain else f": {volume} times" if volume else ", of density"
    formulas = () if plain else (shown.density,)
    yield Words(f"{said}{rest}", shown.verdict.basis, formulas=formulas, answer=_ANSWERS[answer])


# -- integrability -------------------------------------------------------------------------------------------------
def integrability_blocks(found: Any, labels: Mapping[str, str]) -> Iterator[Block]:
    """Say what integrals and measures say together."""
    if found is None:
        return
    asked, brackets = found.quadratures, found.involution
    if asked is not None:
        where = f", modulo {modulo(asked.modulo, labels)}" if asked.modulo else ""
        lacks = f" ({asked.missing} integral{'s' * (asked.missing != 1)} missing)" if asked.missing else ""
        said = f"The motion is integrable by quadratures (Euler and Jacobi){where}{lacks}."
        yield _answered("undecided" if asked.missing else "found", said, asked.verdict)
    if brackets is not None:
        name = "Liouville" if not brackets.rank else "Mishchenko and Fomenko"
        missing = brackets.missing
        lacks = f" ({missing} commuting integral{'s' * (missing != 1)} missing)" if missing else ""
        degrees = f"{brackets.degrees} degree{'s' * (brackets.degrees != 1)} of freedom"
        said = f"The motion is integrable in the sense of {name}, with {degrees}{lacks}."
        yield _answered("found" if brackets.verdict.holds is True else "undecided", said, brackets.verdict)


# -- Hamiltonian forms ---------------------------------------------------------------------------------------------
def hamiltonian_blocks(rank_two: Any, gauged: Any) -> Iterator[Section]:
    """Say by which brackets the reduced motion is Hamiltonian, a section for each."""
    if rank_two is not None:
        variables = rank_two.variables
        named = ", ".join(map(text, variables))
        pairs = [(i, j) for i in range(len(variables)) for j in range(i + 1, len(variables))]
        entries = [
            (f"{{{text(variables[i])}, {text(variables[j])}}}", rank_two.bracket[i][j])
            for i, j in pairs
            if rank_two.bracket[i][j] is not ZERO
        ]
        said = f"Of rank 2, in {named}, with the energy as Hamiltonian:"
        blocks = (Words(said), Equations((Group("", tuple(entries)),)), *_casimirs(rank_two))
        yield Section("Hamiltonian form", blocks, anchor="rank-two")
    if gauged is not None:
        title = "Hamiltonian form" if rank_two is None else "Another Hamiltonian form"
        yield Section(title, (*_gauged(gauged), *_casimirs(gauged)), anchor="gauged")


def _gauged(found: Any) -> Iterator[Block]:
    speeds = ", ".join(map(text, found.speeds))
    of = f"Of rank {found.rank} of {found.dimension}, linear in the momenta p of {speeds}."
    if found.factor is ONE:
        yield Words(f"{of} {{., .}} is a Poisson bracket, and F' = {{F, E}} for every function F.")
        return
    used = {text(v) for v in (*found.speeds, *found.functions)}
    f = next((letter for letter in ("f", "N") if not any(letter in v for v in used)), "factor")
    poisson = f"{of} {f} {{., .}} is a Poisson bracket, and F' = {{F, E}} for every function F"
    yield Words(f"{poisson}: in the time tau with dt = {f} dtau, with")
    yield Equations((Group("", ((f, found.factor),)),))


def _casimirs(found: Any) -> Iterator[Block]:
    if found.casimirs:
        yield Words(
            "Casimirs:" if len(found.casimirs) > 1 else "Casimir:", formulas=tuple(c.shown for c in found.casimirs)
        )
    yield Words("Jacobi's identity holds, and this is the motion.", found.verdict.basis, answer="yes")


# -- Lagrangians ---------------------------------------------------------------------------------------------------
def lagrangian_blocks(found: Any) -> Iterator[Section]:
    """Say whether the motions are those of a Lagrangian."""
    if found is not None:
        title = "Lagrangian of the associated system" if found.associated else "Lagrangian of the equations"
        yield Section(title, tuple(_lagrangian(found)), anchor="lagrangian")


def _lagrangian(found: Any) -> Iterator[Block]:
    problem = found.problem
    case = f" (Douglas' case {problem.case})" if problem.case else ""
    whose = "The associated system has" if found.associated else "The equations have"
    if problem.lagrangian is not None:
        yield Words(f"{whose} a Lagrangian{case}:", problem.verdict.basis, answer="yes")
        yield Table(((Words("L ="), formula_by_parts(problem.lagrangian)),))
    else:
        yield _answered(problem.answer, f"{whose} {_LAGRANGIAN}{case}.", problem.verdict)
    if problem.searched and problem.answer in {"found", "undecided"}:
        yield searched(problem.searched)
    if found.associated:
        pairs = zip(found.field.independent, found.field.acceleration, strict=True)
        yield Section("The associated system:", (Equations((Group("", tuple((q.dot.dot, f) for q, f in pairs)),)),),
                      level=3, look=DETAIL)  # fmt: skip
    if found.free is not None:
        said = "A Lagrangian without constraints has motions that begin on these and are the constrained ones:"
        yield Words(said, found.free.verdict.basis, answer="yes")
        yield Table(((Words("L ="), formula_by_parts(found.free.lagrangian)),))
    elif found.associated:
        said = "No Lagrangian without constraints was found whose motions on these are the constrained ones."
        yield Words(said, quiet=True)
    if found.second is not None:
        yield _answered(
            found.second.answer, f"The associated system of the second kind has {_LAGRANGIAN}.", found.second.verdict
        )


# -- tori ----------------------------------------------------------------------------------------------------------
def torus_blocks(torus: Any, why: str) -> Iterator[Block]:
    """Say how the motion of [start] winds around its torus, or why none is given."""
    if torus is None:
        yield from [Words(f"None is given: {why}")] * bool(why)
        return
    if torus.modulo:
        yield Words(f"Modulo {', '.join(torus.modulo)}.")
    first, second = torus.frequencies
    rows = [
        ("phi_1' = 2 pi / Phi", f"mean {first:.12g}"),
        ("phi_2' = 2 pi R / Phi", f"mean {second:.12g}"),
        ("R", f"{torus.rotation:.12g} +- {torus.rotation_error:.1g}"),
        ("mean of Phi", f"{torus.mean_return:.12g} +- {torus.mean_error:.1g}"),
        (f"R by {torus.returns} returns", f"{torus.measured_rotation:.12g}"),
        (f"mean of Phi by {torus.returns} returns", f"{torus.measured_return:.12g}"),
    ]
    if torus.actions is not None:
        rows.append(("actions", f"{torus.actions[0]:.12g}, {torus.actions[1]:.12g}"))
    yield Table(tuple((Words(name), Words(value)) for name, value in rows))
    said = f"phi_1 counts crossings of the curve {torus.curve}, phi_2 goes once round along it"
    yield Words(f"{said}; R is one modulo whole numbers.")
    yield Listing(tuple(Words(f"{name}: {v.evidence}", v.basis) for name, v in torus.hypotheses.items()), "plain")
    yield Words(f"The motion winds so: {torus.verdict.evidence}", torus.verdict.kind)
