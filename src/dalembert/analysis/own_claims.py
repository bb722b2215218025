"""A claim of one's own: a sentence of a user about a system, decided.

==================================  ===============================================================================
sentence                            what is decided
==================================  ===============================================================================
``x'^2 + y'^2 conserved``           the function is constant along every motion
``energy conserved``                the energy is, where no name of the model is ``energy``
``momentum of d/dx conserved``      the momentum of a field is, or of a stated generator
``x'' = -x``                        both sides are equal along every motion
``x d/dy - y d/dx symmetry``        the flow takes motions to motions; and what it leaves as it is: L, the constraints
``R right 3 symmetry``              the same of a turn of a rotation; a stated generator is named
``exp(x) density of dx dx'``        the volume with this density is preserved
==================================  ===============================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from dalembert.analysis.discovery.momenta import momenta_by
from dalembert.analysis.discovery.point_symmetries import PointSymmetry
from dalembert.analysis.motions import Motions
from dalembert.errors import DalembertError, ExpressionError, HypothesisError, ModelError
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.text import text as text_of
from dalembert.expr.truth import Verdict, depends_on, freed_from
from dalembert.expr.walk import symbols
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian.noether import action_factor, invariance
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.model.writing import tables_of
from dalembert.records import replace

_CONSERVED: Final = re.compile(r"(?P<function>.*?)\s+(?:is\s+|are\s+)?(?:conserved|constant)\s*")
_ENERGY: Final = re.compile(r"(?:the\s+)?(?:total\s+)?energy")
_DENIED: Final = re.compile(r".*\b(?:not|never|no)\s+(?:a\s+)?(?:conserved|constant|symmetry|density\b.*)\s*")
_MOMENTUM: Final = re.compile(r"(?:the\s+)?momentum\s+of\s+(?P<field>.*)")
_SYMMETRY: Final = re.compile(r"(?P<field>.*?)\s+(?:is\s+)?(?:a\s+)?symmetry\s*")
_DENSITY: Final = re.compile(r"(?P<density>.*?)\s+(?:is\s+)?(?:a\s+|the\s+)?density\s+of\s+(?P<volume>.*?)\s*")
_TERM: Final = re.compile(
    r"\bd\s*/\s*d(?P<name>[A-Za-z][\w.]*)|(?P<turned>[A-Za-z]\w*)\s+(?P<side>left|right)\s+(?P<axis>[123])"
)
_FACTOR: Final = re.compile(r"d([A-Za-z][\w.]*'*)")
_KINDS: Final = (
    '"EXPRESSION conserved", "EXPRESSION = EXPRESSION", "x d/dy - y d/dx symmetry" or "EXPRESSION density of dx dx\'"'
)
_VELOCITY: Final = re.compile(r"[A-Za-z]\w*(?:\.w[123]|'+)")
_CLAIMED: Final = "claimed"
"""The name of a generator that is stated for the time of a claim."""


def decide_claim(system: System, sentence: str, formalism: str | None = None) -> tuple[Claim, ...]:
    """Decide what a sentence claims of a system: the claim itself, then what else there is to know of it.

    >>> fall = System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z")
    >>> [claim.verdict.kind for claim in decide_claim(fall, "x'^2 conserved")]
    ['proved']
    >>> [claim.verdict.holds for claim in decide_claim(fall, "x d/dx + z d/dz + t/2 d/dt symmetry")]
    [True, False, False, True]
    >>> decide_claim(fall, "z' = 0")[0].verdict.kind
    'refuted'
    """
    text = " ".join(sentence.split())
    motions = Motions(system, formalism)
    if _DENIED.fullmatch(text):
        raise DalembertError(
            f"'{sentence}' denies something; claim it without 'not', and it is refuted where it fails."
        )
    if found := _DENSITY.fullmatch(text):
        return (_of_density(motions, found["density"], found["volume"]),)
    if found := _SYMMETRY.fullmatch(text):
        return tuple(_of_symmetry(motions, found["field"]))
    if found := _CONSERVED.fullmatch(text):
        if _ENERGY.fullmatch(found["function"]) and not _has_name(system, "energy"):
            return (_claim("conserved", "the energy is constant along the motions", _keep_energy, motions),)
        if (momentum := _MOMENTUM.fullmatch(found["function"])) and not _has_name(system, "momentum"):
            said = f"the momentum of {momentum['field']} is constant along the motions"
            return (_claim("conserved", said, _keep_momentum, motions, momentum["field"]),)
        return (
            _claim(
                "conserved", f"{found['function']} is constant along the motions", _keep, motions, found["function"]
            ),
        )
    if text.count("=") == 1 and all(side.strip() for side in text.split("=")):
        left, right = (side.strip() for side in text.split("="))
        return (_claim("equal", f"{left} = {right} along the motions", _equal, motions, left, right),)
    raise DalembertError(f"'{sentence}' is no claim that can be decided; write {_KINDS}.")


def _claim(name: str, statement: str, decide: Callable[..., Verdict], *about: Any) -> Claim:
    """Return a claim that is to hold; why a formalism or a proof fails is its evidence."""
    try:
        verdict = decide(*about)
    except HypothesisError as error:
        verdict = Verdict("undecided", str(error))
    return Claim(name, statement, "question", verdict)


def _equal(motions: Motions, left: str, right: str) -> Verdict:
    difference = motions.names.expression(left) - motions.names.expression(right)
    return _vanishes(motions, difference, "the difference of the sides")


def _keep(motions: Motions, function: str | Expr) -> Verdict:
    """Decide whether a function is constant; a counterexample is a value of its rate."""
    named = isinstance(function, str) and _VELOCITY.fullmatch(function)
    return _vanishes(motions, motions.rate(function), f"its rate {function}'" if named else "its rate")


def _keep_energy(motions: Motions) -> Verdict:
    return _of_value(motions.keep_energy(), "its rate")


def _vanishes(motions: Motions, function: Expr, name: str) -> Verdict:
    """Decide whether a function vanishes; a counterexample has a value only for what the function depends on."""
    facts = facts_of(motions.system)
    spare = [one for one in map(symbol, symbols([function])) if not depends_on([function], [one], facts)]
    (freed,) = freed_from([function], spare, facts) or [function]
    return _of_value(motions.vanishes(freed), name)


def _of_value(verdict: Verdict, name: str) -> Verdict:
    """Return a verdict whose counterexample names the quantity that has the value."""
    if verdict.witness is None:
        return verdict
    return replace(verdict, evidence=f"{name} is {verdict.witness.value_and_point}.")


def _has_name(system: System, name: str) -> bool:
    """Say whether a model has something of its own under a name."""
    return name in system.let or any(one.data.name == name for one in (*system.q, *system.parameters))


def _keep_momentum(motions: Motions, field: str) -> Verdict:
    """Decide whether the momentum of a field is constant, with the function that L changes by, where there is one."""
    system, name = _with_field(motions.system, field)
    if system.lagrangian is None or system.order > 1:
        raise ExpressionError("momenta are those of a Lagrangian of order 1.")
    one = PointSymmetry(system.symmetry[name], Verdict("undecided", ""), invariance(system, name)[1])
    (_, (value,)) = momenta_by(motions, [one])
    return _keep(motions, value)


# -- densities ---------------------------------------------------------------------------------------------------
def _of_density(motions: Motions, density: str, volume: str) -> Claim:
    variables = []
    for factor in re.split(r"[\s^*]+|/\\", volume):
        found = _FACTOR.fullmatch(factor)
        if found is None:
            raise DalembertError(f"'{factor}' is no factor of a volume; write one as dx or dx' for each variable.")
        variables.append(found[1])
    shown = " ".join(f"d{name}" for name in variables)
    return _claim("density", f"the motions preserve the volume {density} {shown}", motions.preserve, density, variables)


# -- symmetries --------------------------------------------------------------------------------------------------
def _of_symmetry(motions: Motions, field: str) -> Iterator[Claim]:
    """Decide whether a field is a symmetry of the equations, then whether it is one of what they come from."""
    system, name = _with_field(motions.system, field)
    generator = system.symmetry[name]
    yield _claim("symmetry", f"{field} takes motions to motions", motions.carried_by, generator)
    if system.lagrangian is not None and system.order == 1:
        for claim in invariance(system, name)[2]:
            more = claim.statement.removeprefix(f"L is invariant under {name}")
            yield Claim("symmetry of L" + more, f"L is invariant under {field}{more}", "question", claim.verdict)
        if (factor := action_factor(system, generator)) is not None:
            said = f"the action of a motion is multiplied under {field}: its rate is {text_of(factor)} times itself"
            yield Claim("symmetry of L up to a factor", said, "question", Verdict("proved", "solved for the factor."))
    if [c for c in system.constraints if c not in system.units]:
        said = f"{field} takes velocities that the constraints allow to such"
        yield Claim("symmetry of the constraints", said, "question", motions.keep_constraints(generator))


def _with_field(system: System, field: str) -> tuple[System, str]:
    """Return a system that states a field, with its name there: a stated generator is named."""
    if field in system.symmetry:
        return system, field
    try:
        several = {**tables_of(system).get("symmetry", {}), _CLAIMED: _components(field)}
        return system.but(symmetry=several, momentum=None), _CLAIMED
    except ModelError as error:  # told by the sentence, not by a table that nobody wrote
        told = re.sub(rf"\[symmetry\] {_CLAIMED}(?:\.\S+)?: ", "", str(error))
        raise DalembertError(f"in '{field}': {told}") from None


def _components(field: str) -> dict[str, str]:
    """Return the components of a field that is written as x d/dy - y d/dx, as a model states them."""
    components: dict[str, str] = {}
    place = 0
    for term in _TERM.finditer(field):
        factor = field[place : term.start()].strip().removesuffix("*").strip()
        if place and factor[:1] not in ("+", "-"):
            raise DalembertError(f"before '{term[0]}' in '{field}' a sign is missing; write + or - between the terms.")
        place = term.end()
        name = term["name"] or term["turned"]
        if name in components:
            raise DalembertError(f"d/d{name} stands twice in '{field}'; collect its components.")
        if term["turned"]:
            if factor.removeprefix("+").strip():
                raise DalembertError(f"'{term[0]}' in '{field}' has the factor 1 only; a rotation is turned as it is.")
            components[name] = f"{term['side']} {term['axis']}"
        else:
            components[name] = _factor(factor, term[0])
    if not components or field[place:].strip():
        shown = f" after '{field[:place]}'" if components else ""
        raise DalembertError(
            f"'{field}' is no field{shown}; write it as x d/dy - y d/dx, or as R left 3 for a rotation."
        )
    return components


def _factor(text: str, term: str) -> str:
    """Return a factor of d/dx; a sum has to stand in parentheses, so that it is no sum of terms."""
    sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text.removeprefix("+"))
    depth, before = 0, ""
    for letter in rest.strip():
        depth += (letter == "(") - (letter == ")")
        if letter in "+-" and not depth and before not in ("", "*", "/", "^", "e", "E"):
            raise DalembertError(f"'{text}' before {term} is a sum; put it in parentheses.")
        before = letter if letter != " " else before
    return f"{sign}({rest.strip() or 1})"
