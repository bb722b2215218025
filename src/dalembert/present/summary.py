"""What there is to say of a system in sentences, each with the verdict of the claim it rests on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.display import mathml
from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import tree_size
from dalembert.mechanics.chaplygin.chaplygin import Chaplygin
from dalembert.mechanics.chaplygin.hypotheses import HYPOTHESES
from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame
from dalembert.mechanics.registry import Result, claims, formalism
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = ["Sentence", "constants", "kind_of_system", "sentences"]

_LONGEST = 90
"""A formula with more letters than this is not put into a sentence."""
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
    formula: str = ""
    """What is typeset behind it, in MathML."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What to say where a claim holds, and where it is refuted; nothing where empty.

    ``given`` are claims that have to hold, and ``without`` ones that have to be refuted, for it to be said.
    """

    claim: str
    yes: str
    no: str = ""
    topic: str = "kind"
    given: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


_ENERGY = _Rule("energy conserved", "The energy is conserved.", "The energy is not conserved.", "conserved")
_RULES = {
    "euler-lagrange": (_ENERGY,),
    "nonholonomic": (
        _Rule(
            "constraints put into L",
            "Putting the constraints into the Lagrangian happens to give the right equations here.",
            "Putting the constraints into the Lagrangian first would give wrong equations.",
        ),
        _ENERGY,
        _Rule(
            "velocity is virtual",
            "The constraint forces do no work.",
            "The velocity is no virtual displacement, so the constraint forces may do work.",
        ),
    ),
    "chaplygin": (
        _Rule("Theorem 7.5", "The reduced motion has an invariant volume.", "", "reduction"),
        _Rule(
            "Theorem 7.5",
            "",
            "The reduced motion has no smooth positive invariant volume on T(Q/G).",
            "reduction",
            given=("pure kinetic energy",),
        ),
        _Rule(
            "Theorem 7.5",
            "",
            "The reduced motion has no invariant volume with a density that depends on the base only.",
            "reduction",
            without=("pure kinetic energy",),
        ),
        _Rule("local density", "Locally, on the cover of the base, it has an invariant density.", "", "reduction"),
        _Rule(
            "Stanchenko's condition",
            "The reduced motion becomes Hamiltonian in a new time.",
            "",
            "reduction",
            without=("alpha vanishes",),
        ),
        _Rule("Theorem 7.1", "The reduced motion is integrable by quadratures.", "", "reduction"),
    ),
    "routh": (
        _Rule(
            "full equations",
            "Fixing the momenta of its symmetry reduces it, and the motion is found again.",
            "",
            "reduction",
        ),
    ),
}
"""What each formalism says, most important first."""


def kind_of_system(system: System) -> Sentence:
    """Return what was stated, in words.

    >>> ball = System.of(name="ball", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> kind_of_system(ball).text
    'A system with 1 coordinate and no constraints.'
    """
    count, held = len(system.q), list(system.constraints)
    coordinates = f"{count} coordinate{'s' * (count != 1)}"
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
        *_constraints(result, by_name),
        *_chaplygin(result, by_name),
        *_by_theorems(result, by_name),
        *(_by_rules(name, by_name) if not formalism(name).theorems else ()),
        *_conserved(name, every),
    ]


def _by_theorems(result: Result, decided: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say what the rows of theorems have to say of their answers, where the answers that it rests on allow it."""
    for theorem in formalism(result.equations.formalism).theorems:
        claim = decided.get(theorem.name)
        if claim is None:
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


def _by_rules(formalism: str, claims: Mapping[str, Claim]) -> Iterator[Sentence]:
    def holds(name: str) -> bool | None:
        return claims[name].verdict.holds if name in claims else None

    for rule in _RULES.get(formalism, ()):
        if not all(holds(name) for name in rule.given) or any(holds(name) is not False for name in rule.without):
            continue
        answer = holds(rule.claim)
        words = rule.yes if answer else rule.no if answer is False else ""
        if words:
            others = [claims[name].verdict for name in (*rule.given, *rule.without)]
            yield Sentence(words, _weakest([claims[rule.claim].verdict, *others]), rule.topic)


def _constraints(result: Result, claims: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say how many constraints on velocities are integrable; of constraints on positions there is nothing to say."""
    claim = claims.get("integrable constraints")
    stated = [result.system.kind_of(name) for name in result.system.constraints]
    if claim is not None and claim.verdict.holds and set(stated) != {"holonomic"}:
        told = f"{claim.statement[0].upper()}{claim.statement[1:]}."
        many = stated.count("holonomic")
        told += f" {many} of them {'is' if many == 1 else 'are'} stated on positions." if many else ""
        yield Sentence(told, _weakest([claim.verdict]), "constraints")


def _chaplygin(result: Result, claims: Mapping[str, Claim]) -> Iterator[Sentence]:
    """Say for which group it is a Chaplygin system, where it is not, and whether the curvature is felt."""
    if not isinstance(result, Chaplygin | ChaplyginInFrame):
        return
    needed = [claims[name].verdict for name in HYPOTHESES if name in claims]
    if all(verdict.holds for verdict in needed):
        everywhere = claims["complement everywhere"]
        where = "" if everywhere.verdict.holds else f" at generic points{_bracketed(everywhere.statement)}"
        told = f"It is a generalized Chaplygin system for the group generated by {', '.join(result.group)}{where}."
        yield Sentence(told, _weakest(needed), "reduction")
    alpha = claims.get("alpha vanishes")
    if alpha is None or alpha.verdict.holds is None:
        return
    if not alpha.verdict.holds:
        told = "The reduced motion feels a gyroscopic force."
    elif result.system.forces:
        told = "The reduced motion feels no gyroscopic force."
    else:
        told = "The reduced motion feels no gyroscopic force: it is that of L*, and Hamiltonian as it stands."
    yield Sentence(told, _weakest([alpha.verdict]), "reduction")


def _bracketed(statement: str) -> str:
    """Return what stands in brackets at the end of a statement, with them."""
    found = _BRACKETS.search(statement)
    return found.group() if found else ""


def _conserved(formalism: str, claims: Sequence[Claim]) -> Iterator[Sentence]:
    """Yield sentences on momenta and integrals that are conserved, where they are short enough to be said."""
    kept = [c for c in claims if c.name.startswith("momentum ") and c.verdict.holds]
    kept = [c for c in kept if _BRACKETS.sub("", c.statement).endswith(" is conserved")]  # and not by work alone
    names = [c.name.removeprefix("momentum of ").removeprefix("momentum ") for c in kept]
    if names:
        several = "momenta" if len(names) > 1 else "momentum"
        told = (
            f"The {several} of {', '.join(names)} {'are' if len(names) > 1 else 'is'} conserved ({formalism} motion)."
        )
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
        typeset = ", ".join(mathml(formula, block=False) for formula in seen)
        yield Sentence(told, _least(kinds), "conserved", typeset)


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
