"""What there is to say of a system in sentences, each with the verdict of the claim it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dalembert.expr.display import mathml
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import tree_size
from dalembert.mechanics.first_integrals import FirstIntegral
from dalembert.mechanics.formalisms import Result
from dalembert.model.claim import Claim
from dalembert.model.system import System

__all__ = ["Sentence", "constants", "kind_of_system", "sentences"]

_LONGEST = 90
"""A formula with more letters than this is not put into a sentence."""
_READABLE = 40
"""Nor is one with more nodes, as a tree, put behind it."""


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


_TOPICS = {
    "involutive": "constraints",
    "energy conserved": "conserved",
    "complement": "reduction",
    "alpha vanishes": "reduction",
    "Theorem 7.5": "reduction",
    "local density": "reduction",
    "Stanchenko's condition": "reduction",
    "Theorem 7.1": "reduction",
    "full equations": "reduction",
    "reduced system is symplectic": "reduction",
}
"""What a claim is about, where it is not about the kind of the system."""

_SAID = {
    "euler-lagrange": {
        "energy conserved": ("The energy is conserved.", "The energy is not conserved."),
    },
    "nonholonomic": {
        "energy conserved": ("The energy is conserved.", "The energy is not conserved."),
        "constraints put into L": (
            "Putting the constraints into the Lagrangian happens to give the right equations here.",
            "Putting the constraints into the Lagrangian first would give wrong equations.",
        ),
        "velocity is virtual": (
            "The constraint forces do no work.",
            "The velocity is no virtual displacement, so the constraint forces may do work.",
        ),
    },
    "chaplygin": {
        "complement": ("It is a generalized Chaplygin system: its symmetry reduces it to the base.", ""),
        "alpha vanishes": (
            "The reduced motion is that of a Lagrangian, without gyroscopic force.",
            "The reduced motion feels a gyroscopic force.",
        ),
        "Theorem 7.5": (
            "The reduced motion has an invariant volume.",
            "The reduced motion has no smooth positive invariant volume.",
        ),
        "local density": ("Locally, on the cover of the base, it has an invariant density.", ""),
        "Stanchenko's condition": ("The reduced motion becomes Hamiltonian in a new time.", ""),
        "Theorem 7.1": ("It is integrable by quadratures.", ""),
    },
    "routh": {
        "full equations": ("Fixing the momenta of its symmetry reduces it, and the motion is found again.", ""),
    },
    "vakonomic": {
        "main hypothesis": (
            "Vakonomic motions can be described without multipliers.",
            "Vakonomic motions need multipliers: the Main Hypothesis fails.",
        ),
    },
    "semisymplectic": {
        "jacobi": (
            "Its bracket satisfies Jacobi's identity: the constrained system is Hamiltonian.",
            "Its almost-Poisson bracket breaks Jacobi's identity: the constrained system is not Hamiltonian.",
        ),
        "involutive": (
            "The constraints are holonomic in disguise.",
            "The constraints are genuinely nonholonomic.",
        ),
        "reduced system is symplectic": ("After reduction by its symmetry it is Hamiltonian again.", ""),
    },
}
"""By formalism and claim: what to say where the claim holds, and where it is refuted; nothing where empty."""


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
    symmetry = f"; {len(system.symmetry)} generators of symmetry are stated" if system.symmetry else ""
    return Sentence(f"A system with {coordinates} and {bound}{symmetry}.")


def sentences(formalism: str, result: Result, objects: Mapping[str, object] | None = None) -> list[Sentence]:
    """Return what a formalism has to say of a system, most important first; ``objects`` where they are at hand."""
    found = list(_from_claims(formalism, result.claims))
    return [*found, *_conserved(formalism, result, result.objects() if objects is None else objects)]


def _from_claims(formalism: str, claims: tuple[Claim, ...]) -> Iterator[Sentence]:
    said = _SAID.get(formalism, {})
    seen = set()
    for claim in claims:
        if claim.name not in said or claim.name in seen or claim.verdict.holds is None:
            continue
        seen.add(claim.name)
        words = said[claim.name][0 if claim.verdict.holds else 1]
        if words:
            kind = claim.verdict.kind if claim.verdict.holds else _opposite(claim.verdict)
            yield Sentence(words, kind, _TOPICS.get(claim.name, "kind"))


def _opposite(verdict: Verdict) -> str:
    """Return how sure the opposite of what is refuted is: by its witness, by a rank with its bound, or by a proof."""
    if verdict.witness is not None:
        return "by a witness"
    return "proved" if verdict.error_bits is None else "certain"


def _conserved(formalism: str, result: Result, objects: Mapping[str, object]) -> Iterator[Sentence]:
    """Yield a sentence on momenta and integrals that are conserved, where they are short enough to be said."""
    kept = [c for c in result.claims if c.name.startswith("momentum ") and c.verdict.holds and c.role == "check"]
    names = [c.name.removeprefix("momentum of ").removeprefix("momentum ") for c in kept]
    if names and "equation" not in names:
        several = "momenta" if len(names) > 1 else "momentum"
        told = (
            f"The {several} of {', '.join(names)} {'are' if len(names) > 1 else 'is'} conserved ({formalism} motion)."
        )
        yield Sentence(told, _weakest(kept), "conserved")
    sure = [c for c in result.claims if c.name == "orphaned integral"]
    orphans = objects.get("orphaned_integrals")
    for expression in orphans if isinstance(orphans, list) else []:
        shown = text(expression)
        if len(shown) <= _LONGEST:
            told = f"{shown} is conserved; it comes from the symmetry, but from no generator."
            yield Sentence(told, _weakest(sure), "conserved")


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


def _weakest(claims: list[Claim]) -> str:
    return _least([claim.verdict.kind for claim in claims])


def _least(kinds: Sequence[str]) -> str:
    """Return how sure all of them are; nothing that is not said to be sure is."""
    return next((kind for kind in ("undecided", "measured", "certain", "proved") if kind in kinds), "undecided")
