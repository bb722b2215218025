"""One claim, decided anew in one formalism or in all that apply, and between them; no other claim is decided."""

from __future__ import annotations

import difflib

from dalembert.analysis.facts import check_facts
from dalembert.analysis.fields import meetings
from dalembert.analysis.own_claims import decide_claim
from dalembert.errors import DalembertError, HypothesisError, expect
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.found_symmetries import Choice, with_symmetry
from dalembert.mechanics.registry import Result, claims, formalism_names, obvious_formalism
from dalembert.model.claim import Decided
from dalembert.model.system import System
from dalembert.shown import Shown

_MOST_NAMES = 12
"""Names of claims that are told in one sentence."""


class Checked(dict[str, Decided], Shown):
    """Claims by formalism: a dictionary that prints as the answers of ``dalembert check``."""

    __slots__ = ()
    __str__, __repr__, _repr_pretty_ = Shown.__str__, Shown.__repr__, Shown._repr_pretty_  # a dictionary has its own

    def summary(self) -> str:
        """Return how many claims of which formalisms these are."""
        return f"claims by formalism: {', '.join(f'{name} {len(several)}' for name, several in self.items())}"


def check(
    system: System,
    claim: str = "",
    formalism: str | None = None,
    *,
    that: str | None = None,
    symmetry: Choice | None = None,
) -> Checked:
    """Decide the claims with a name, or a part of it, and return them by formalism.

    Without a formalism all that apply are asked; claims between them are under ``agreement``, and those that the model
    states itself under ``facts``. A name that no claim has is refused, with those there are.

    ``that`` is a claim of one's own, in place of a name: ``"x'^2 + y'^2 conserved"``, ``"x'' = -x"``,
    ``"x d/dy - y d/dx symmetry"`` or ``"exp(x) density of dx dx'"``, about the motions of the formalism, by default
    those of d'Alembert's principle. ``symmetry`` chooses another one than is stated or found, as ``derive`` takes it.

    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    >>> {name: [one.verdict.kind for one in found] for name, found in check(fall, "energy conserved").items()}
    {'euler-lagrange': ['proved']}
    >>> {name: [one.verdict.kind for one in found] for name, found in check(fall, that="z' conserved").items()}
    {'euler-lagrange': ['refuted']}
    """
    expect(system, System, "check takes a system")
    expect(claim, str, "the name of a claim is text")
    system = system if symmetry is None else with_symmetry(system, symmetry)
    if that is not None:
        expect(that, str, "a claim of one's own is text")
        if claim:
            raise DalembertError("give the name of a claim, or a claim of your own, not both.")
        return Checked({formalism or obvious_formalism(system): Decided(decide_claim(system, that, formalism))})
    if not claim:
        raise DalembertError(
            "give the name of a claim ('fact' for all of [facts]), or one of your own by --that (that=)."
        )
    if formalism is None and claim.lower().startswith("fact") and (facts := check_facts(system)):
        return Checked(facts=facts)  # they need none of the claims of formalisms
    results = _results(system, formalism)
    found = _decided(system, results, claim, alone=formalism is not None)
    if not found:
        every = _decided(system, results, "", alone=formalism is not None)
        raise DalembertError(_no_claim(claim, [one.name for several in every.values() for one in several]))
    return found


def _results(system: System, formalism: str | None) -> dict[str, Result]:
    """Return what one formalism derives, or what all do that apply."""
    if formalism is not None:
        return {formalism: derive(system, formalism)}
    found: dict[str, Result] = {}
    for name in formalism_names():
        try:
            found[name] = derive(system, name)
        except HypothesisError:
            continue
    return found


def _decided(system: System, found: dict[str, Result], only: str, *, alone: bool) -> Checked:
    """Return the claims of a name by formalism, and those between formalisms; no others are decided."""
    decided = {name: claims(result, only) for name, result in found.items()}
    if not alone:
        between = meetings(system, {name: result.equations for name, result in found.items()})
        for name, several in (("agreement", between), ("facts", check_facts(system))):
            decided[name] = Decided(one for one in several if only.lower() in one.name.lower())
    return Checked({name: several for name, several in decided.items() if several})


def _no_claim(asked: str, names: list[str]) -> str:
    """Return the sentence that says which claims there are: all, or those with a name like the one asked for."""
    known = list(dict.fromkeys(names))
    if len(known) > _MOST_NAMES:
        by_letters = {name.lower(): name for name in known}
        near = difflib.get_close_matches(asked.lower(), by_letters, n=4, cutoff=0.4)
        if near:
            like = ", ".join(f"'{by_letters[name]}'" for name in near)
            return f"no claim has a name like '{asked}'; did you mean {like}? derive prints them all."
    return f"no claim has a name like '{asked}'; there are: {', '.join(known) or 'none'}."
