"""Sentences on what is conserved, each with the verdict it rests on: momenta by name, and what a search found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import tree_size
from dalembert.mechanics.registry import Result
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.claim import Claim
from dalembert.present.integrals import shown_of
from dalembert.records import dataclass

_LONGEST = 90
"""A formula with more letters than this is not put into a sentence."""
_READABLE, _OF_A_SYMMETRY = 60, 40
"""Nor is one with more nodes, as a tree, put behind it; momenta have names, and need not be written down."""
_FEW = 5
"""Nor are there more formulas than these: all of them stand in the section of their formalism."""
_BRACKETS = re.compile(r" \([^()]*(\([^()]*\)[^()]*)*\)$")

_MOMENTUM = "momentum of "
_MOVING = "moving energy"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A statement for the top of a report; ``verdict`` is empty where it only counts what was stated.

    A sentence that denies a claim has the claim in ``denied``, to be shown as a question whose answer is no.
    """

    text: str
    verdict: str = ""
    topic: str = "kind"
    """``constraints``, ``kind``, ``conserved``, ``found`` or ``reduction``: what it is about."""
    formulas: tuple[Expr, ...] = ()
    """What is typeset behind it."""
    meant: tuple[Expr, ...] = ()
    """What it speaks of by name: other sentences may have told it."""
    denied: str = ""


def meanings_of(result: Result, objects: Mapping[str, object]) -> dict[str, Expr]:
    """Return what claims on momenta are about, by their names, and orphaned integrals by how they are written."""
    equations = result.equations
    found = {name: e for name, e in equations.monitors.items() if name.startswith("momentum ")}
    found |= {f"momentum {p.data.name}": meaning for p, (meaning, _) in equations.momenta.items()}
    mapped, orphaned = objects.get("momentum_map"), objects.get("orphaned_integrals")
    if isinstance(mapped, Mapping):
        found |= {f"momentum of {name}": e for name, e in mapped.items() if isinstance(e, Expr)}
    if isinstance(orphaned, list):
        found |= {repr(e): e for e in orphaned if isinstance(e, Expr)}
    return found


def momenta_told(claims: Sequence[Claim], meanings: Mapping[str, Expr]) -> Iterator[Sentence]:
    """Yield sentences on momenta and integrals that are conserved, where they are short enough to be said."""
    kept = kept_momenta(claims)
    names = [c.name.removeprefix("momentum of ").removeprefix("momentum ") for c in kept]
    if names:
        several, are = ("momenta", "are") if len(names) > 1 else ("momentum", "is")
        of = "" if all(name.startswith("p_") for name in names) else " of"  # momenta, or what they are the momenta of
        told = f"The {several}{of} {', '.join(names)} {are} conserved."
        known = all(c.name in meanings for c in kept)
        meant = tuple(meanings[c.name] for c in kept) if known else ()
        yield Sentence(told, weakest([c.verdict for c in kept]), "conserved", meant=meant)
    for claim in claims:
        shown = claim.statement.partition(" is conserved")[0]
        if claim.name == "orphaned integral" and claim.verdict.holds and len(shown) <= _LONGEST:
            told = f"{shown} is conserved; it comes from the symmetry, but from no generator."
            meant = (meanings[shown],) if shown in meanings else ()
            yield Sentence(told, weakest([claim.verdict]), "conserved", meant=meant)


def kept_momenta(claims: Sequence[Claim]) -> list[Claim]:
    """Return the claims that say that a momentum is conserved, and not that it changes by the work of forces alone."""
    kept = [c for c in claims if c.name.startswith("momentum ") and c.verdict.holds]
    return [c for c in kept if _BRACKETS.sub("", c.statement).endswith(" is conserved")]


def constants(found: Sequence[FirstIntegral], short: Callable[[Expr], Expr]) -> Iterator[Sentence]:
    """Yield sentences with what is constant, the energy apart: momenta of symmetries, and what else a search found.

    Formulas stand behind them as far as they are short; that there is something longer is said.
    """
    held = [one for one in found if one.verdict.holds]
    for one in held:
        if one.name == _MOVING:
            yield Sentence(f"The {one.name} is conserved.", one.verdict.kind, "conserved", meant=(one.expression,))
    formulas = {one: shown_of(one, short) for one in held if _is_momentum(one) or not one.name}
    most = {one: _OF_A_SYMMETRY if one.name else _READABLE for one in formulas}
    seen = {one: formula for one, formula in formulas.items() if tree_size(formula) <= most[one]}
    momenta = [one for one in formulas if one.name]
    if momenta:
        of = ", ".join(one.name.removeprefix(_MOMENTUM) for one in momenta)
        of = of if len(momenta) <= _FEW else f"{len(momenta)} symmetries"
        told = f"The momenta of {of} are conserved" if len(momenta) > 1 else f"The momentum of {of} is conserved"
        shown = tuple(seen[one] for one in momenta if one in seen)
        if len(momenta) > _FEW and shown:
            told, shown = f"{told}, among them:", shown[:_FEW]
        elif len(shown) == len(momenta):
            told += ":"
        else:
            told, shown = f"{told}.", ()
        meant = tuple(one.expression for one in momenta if formulas[one] not in shown)
        yield Sentence(told, _least([one.verdict.kind for one in momenta]), "conserved", shown, meant)
    others = [one for one in formulas if not one.name]
    shown = tuple(seen[one] for one in others if one in seen)[:_FEW]
    if shown:
        more = "" if len(shown) == len(others) else ", among others"
        kinds = [one.verdict.kind for one in others]
        yield Sentence(f"Constant along every motion{more}:", _least(kinds), "conserved", shown)
    elif others:
        what, are = ("A function is", "it is") if len(others) == 1 else (f"{len(others)} functions are", "they are")
        told = f"{what} constant along every motion, too long for this place; {are} below."
        meant = tuple(one.expression for one in others)
        yield Sentence(told, _least([one.verdict.kind for one in others]), "conserved", meant=meant)


def _is_momentum(one: FirstIntegral) -> bool:
    return one.name.startswith(_MOMENTUM)


def weakest(verdicts: Sequence[Verdict]) -> str:
    """Return how the least sure of all that a sentence rests on is known."""
    return _least([verdict.basis for verdict in verdicts])


def _least(kinds: Sequence[str]) -> str:
    """Return how sure all of them are; nothing that is not said to be sure is."""
    order = ("undecided", "measured", "certain", "counterexample", "proved")
    return next((kind for kind in order if kind in kinds), "undecided")


def strongest(kinds: Sequence[str]) -> str:
    """Return the surest of several verdicts on the same statement.

    >>> strongest(["certain", "proved", "measured"]), strongest([""])
    ('proved', '')
    """
    return next((kind for kind in kinds if all(_least([kind, other]) == other for other in kinds)), "")
