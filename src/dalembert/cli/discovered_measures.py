"""What ``dalembert discover`` says of invariant measures, integrability, and Lagrangians that nobody stated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.cli.options import say, table
from dalembert.cli.words import echo

if TYPE_CHECKING:
    from dalembert.analysis.discovery.gauged_brackets import GaugedBracket
    from dalembert.analysis.discovery.integrability import Integrability
    from dalembert.analysis.discovery.measures import InvariantMeasures, Measure
    from dalembert.analysis.discovery.poisson_structures import RankTwo
    from dalembert.analysis.discovery.variational import Variational
    from dalembert.expr.graph import Expr
    from dalembert.expr.truth import Verdict


def tell_measures(measures: InvariantMeasures) -> None:
    """Say what is known of invariant measures."""
    echo("")
    say("Invariant measure")
    volume, below = measures.volume, measures.reduced
    # the components of a rotation stand for its invariant volume
    states = () if volume is None else dict.fromkeys(f"d{_text(v).partition('.q')[0]}" for v in volume.variables)
    _tell_measure("of the states", measures.full, " ".join(states))
    if below is not None:
        same = (below.answer, below.density) == (measures.full.answer, measures.full.density)
        _tell_measure(f"modulo {', '.join(measures.group)}", below, "", same=same)
        if (measures.full.answer, below.answer) == ("undecided", "absent"):
            said = "That the reduced motion has none does not show that the motion itself has none"
            say(
                f"{said}: the group is not compact, or not known to be so along a steady motion.",
                indent="  ",
                hang="  ",
            )
    if volume is not None and measures.full.answer in {"found", "undecided"}:
        say(f"Searched: {volume.space}.", indent="  ", hang="  ")


def _tell_measure(name: str, measure: Measure, volume: str, *, same: bool = False) -> None:
    words = {"found": "found", "exists": "there is one", "absent": "there is none", "undecided": "undecided"}
    why = "the same density" if measure.density is not None else "for the same reason"
    say(f"{name}: {words[measure.answer]}{', ' + why if same else ''}", indent="  ", hang="    ")
    if same:
        return
    if measure.density is not None:
        table([[f"{_text(measure.density)} {volume}".strip(), measure.verdict.kind]], indent="    ")
        return
    kind = "" if measure.verdict.kind == "undecided" else f"{measure.verdict.kind}: "
    say(f"{kind}{measure.verdict.evidence}", indent="    ", hang="    ")


def tell_integrability(found: Integrability) -> None:
    """Say what integrals and measures say together."""
    asked, brackets = found.quadratures, found.involution
    if asked is None and brackets is None:
        return
    echo("")
    say("Integrability")
    if asked is not None:
        where = f"modulo {', '.join(asked.modulo)}" if asked.modulo else "of the states"
        told = f"{asked.missing} integral{'s' * (asked.missing != 1)} missing" if asked.missing else "by quadratures"
        _tell_theorem(f"Euler and Jacobi, {where}: {told}", asked.verdict)
    if brackets is not None:
        name = "Liouville" if not brackets.rank else "Mishchenko and Fomenko"
        missing = brackets.missing
        lacks = f", {missing} commuting integral{'s' * (missing != 1)} missing" if missing else ""
        told = "integrable" if brackets.verdict.holds is True else f"not known to be integrable{lacks}"
        _tell_theorem(f"{name}, {brackets.degrees} degrees of freedom: {told}", brackets.verdict)


def _tell_theorem(said: str, verdict: Verdict) -> None:
    say(said, indent="  ", hang="    ")
    kind = "" if verdict.kind == "undecided" else f"{verdict.kind}: "
    say(f"{kind}{verdict.evidence}", indent="    ", hang="    ")


def tell_poisson(found: RankTwo) -> None:
    """Say by which bracket the reduced motion is Hamiltonian."""
    echo("")
    say(f"Hamiltonian form: rank 2, in {', '.join(map(_text, found.variables))}, with the energy as Hamiltonian")
    size = range(len(found.variables))
    pairs = [(i, j) for i in size for j in size if i < j and _text(found.bracket[i][j]) != "0"]
    name = [_text(v) for v in found.variables]
    table([[f"{{{name[i]}, {name[j]}}}", _text(found.bracket[i][j])] for i, j in pairs], indent="  ")
    if found.casimirs:
        say(f"Casimirs: {', '.join(_text(one.shown) for one in found.casimirs)}.", indent="  ", hang="  ")
    say(f"Jacobi's identity, and that this is the motion: {found.verdict.kind}.", indent="  ")


def tell_gauged(found: GaugedBracket) -> None:
    """Say by which bracket, times a function, the reduced motion is Hamiltonian."""
    echo("")
    speeds = ", ".join(map(_text, found.speeds))
    say(f"Hamiltonian form: rank {found.rank} of {found.dimension}, linear in the momenta p of {speeds}", hang="  ")
    say("f {., .} is a Poisson bracket, and y' = {y, E}: in the time tau with dt = f dtau, with", indent="  ")
    table([["f", "=", _text(found.factor)]], indent="    ")
    if found.casimirs:
        say(f"Casimirs: {', '.join(_text(one.shown) for one in found.casimirs)}.", indent="  ", hang="  ")
    say(f"Jacobi's identity, and that this is the motion: {found.verdict.kind}.", indent="  ")


def tell_variational(found: Variational) -> None:
    """Say whether the motions are those of a Lagrangian."""
    echo("")
    say("Lagrangian of the associated system" if found.associated else "Lagrangian of the equations")
    problem = found.problem
    words = {
        "found": "found",
        "exists": "there is one, which was not found",
        "none": "there is none",
        "undecided": "undecided",
    }
    case = f", Douglas' case {problem.case}" if problem.case else ""
    say(f"{words[problem.answer]}{case}", indent="  ")
    if problem.lagrangian is not None:
        table([[_text(problem.lagrangian), problem.verdict.kind]], indent="    ")
    else:
        kind = "" if problem.verdict.kind == "undecided" else f"{problem.verdict.kind}: "
        say(f"{kind}{problem.verdict.evidence}", indent="    ", hang="    ")
    if problem.searched and problem.answer in {"found", "undecided"}:
        say(f"Searched: {problem.searched}.", indent="  ", hang="  ")
    if found.associated:
        pairs = zip(found.field.independent, found.field.acceleration, strict=True)
        shown = ", ".join(f"{_text(q.dot.dot)} = {_text(f)}" for q, f in pairs)
        say(f"Associated: {shown}.", indent="  ", hang="  ")
    if found.free is not None:
        say("A Lagrangian without constraints whose motions that begin on these are the constrained ones:", indent="  ")
        table([[_text(found.free.lagrangian), found.free.verdict.kind]], indent="    ")
    elif found.associated:
        say("No Lagrangian without constraints was found whose motions on these are the constrained ones.", indent="  ")
    if found.second is not None:
        say(f"Of the associated system of the second kind: {words[found.second.answer]}.", indent="  ")
        say(found.second.verdict.evidence, indent="    ", hang="    ")


def _text(expression: Expr) -> str:
    from dalembert.expr.text import text

    return text(expression)
