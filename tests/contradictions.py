"""What the claims and sentences of a study say, for a machine: of which object what, with which value; what clashes.

A claim or a sentence becomes some :class:`Says`. Two of them clash that give one property of one object two values, as
they stand or by what follows from them: ``FOLLOWS`` has the theorems. A sentence that is not in ``SENTENCES`` has no
meaning, and that is an error too, so that a new one cannot be added without saying what it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dalembert.errors import HypothesisError
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import symbols
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import claims, formalism_names
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.present.conserved import constants
from dalembert.present.report import Part, sentences

__all__ = ["Says", "clashes", "contradictions", "meanings", "told"]

Value = bool | int


@dataclass(frozen=True, slots=True)
class Says:
    """That a property of an object has a value, and who says so."""

    of: str
    what: str
    value: Value
    source: str


def told(system: System, formalisms: Iterable[str] = tuple(formalism_names())) -> list[Part]:
    """Return what formalisms say of a system, as ``study`` has it, without motions and pages."""
    return [_part(system, name) for name in formalisms]


def _part(system: System, name: str) -> Part:
    try:
        result = derive(system, name)
    except HypothesisError as fault:
        return Part(name, faults=tuple(map(str, fault.faults)))
    found = first_integrals_of(result)
    return Part(
        name,
        equations=result.equations,
        claims=claims(result),
        sentences=(*sentences(result), *constants(found, lambda formula: formula)),
        integrals=tuple({"name": i.name, "expression": repr(i.expression), "verdict": i.verdict.kind} for i in found),
    )


def motion_of(formalism: str) -> str:
    """Return which motion a formalism is about: that of d'Alembert's principle, or the vakonomic one."""
    return "vakonomic motion" if formalism == "vakonomic" else "motion"


# -- claims ----------------------------------------------------------------------------------------------------------
NAMED = {
    "involutive": ("D", "involutive"),
    "jacobi": ("bracket", "Jacobi"),
    "semi-Hamiltonian": ("bracket", "gives the motion"),
    "gyroscopic force vanishes": ("reduced motion", "without gyroscopic force"),
    "beta is closed": ("beta", "closed"),
    "beta is exact": ("beta", "exact"),
    "invariant measure exists": ("reduced motion", "density on the base"),
    "local invariant density": ("beta", "closed"),
    "pure kinetic energy": ("reduced motion", "pure kinetic energy"),
    "Stanchenko's condition": ("reduced motion", "Stanchenko"),
    "integrable by quadratures": ("reduced motion", "integrable by quadratures"),
    "complement everywhere": ("D", "complements the orbits everywhere"),
    "constrained Lagrangian suffices": ("motion", "constraints may be put into L"),
    "constraint forces do no work": ("motion", "velocity is virtual"),
    "main hypothesis": ("vakonomic motion", "Main Hypothesis"),
    "reduced system is symplectic": ("reduced bracket", "Jacobi"),
    "full equations": ("motion", "found again from its momenta"),
}
"""Claims with a meaning of their own, by name."""


def claim_says(formalism: str, claim: Claim) -> Iterator[Says]:
    """Yield what a claim says; one that is undecided says nothing, and a measurement decides nothing."""
    holds, source = claim.verdict.holds, f"{formalism}: {claim.statement} [{claim.verdict.kind}]"
    if holds is None or claim.verdict.kind == "measured":
        return
    motion = motion_of(formalism)
    plain = re.sub(r" \([^()]*(\([^()]*\)[^()]*)*\)$", "", claim.statement)
    if claim.name in NAMED:
        yield Says(*NAMED[claim.name], holds, source)
    if claim.name in {"energy conserved", "energy"} and plain.endswith("is conserved"):
        yield Says(motion, "energy conserved", holds, source)
    if (found := re.fullmatch(r"momentum (?:of )?(.*)", claim.name)) and plain.endswith("is conserved"):
        yield Says(motion, f"momentum of {found[1]} conserved", holds, source)
    kept = re.fullmatch(r"(?:invariance|symmetry) (\S+)", claim.name)
    if kept and (holds or claim.name.startswith("invariance")):  # what breaks a constraint may still keep L
        yield Says("L", f"invariant under {kept[1]}", holds, source)
    if claim.name == "regular":
        yield from _regular(claim, source)
    if claim.name == "integrable constraints" and holds:
        yield from _integrable(claim.statement, source)
    if claim.name == "first integrals" and holds:
        yield from _integrals(claim.statement, motion, source)
    if claim.role == "hypothesis":
        yield Says(formalism, f"the hypothesis '{claim.name}'", holds, source)
        yield Says(formalism, f"the hypothesis '{claim.name}'", True, f"{formalism} goes on after it")


def _regular(claim: Claim, source: str) -> Iterator[Says]:
    of = "L" if re.match(r"(the Lagrangian|L) is regular", claim.statement) else "L on D"
    if claim.statement.endswith("regular everywhere"):
        yield Says(of, "regular everywhere", True, source)
    elif "(it fails where" in claim.statement:
        yield Says(of, "regular everywhere", False, source)


def _integrable(statement: str, source: str) -> Iterator[Says]:
    """Yield how many constraints are integrable, and whether all or none are."""
    if found := re.match(r"(\d+) of the (\d+) constraints", statement):
        count, some, all_of_them = int(found[1]), True, False
    elif re.match(r"(all \d+ constraints are|the constraint is) integrable", statement):
        many = re.match(r"all (\d+)", statement)
        count, some, all_of_them = int(many[1]) if many else 1, True, True
    else:
        none = r"(no combination of the constraints is|the constraint is not) integrable"
        assert re.match(none, statement), statement
        count, some, all_of_them = 0, False, False
    yield Says("constraints", "how many are integrable", count, source)
    yield Says("constraints", "some are integrable", some, source)
    yield Says("constraints", "all are integrable", all_of_them, source)


def _integrals(statement: str, motion: str, source: str) -> Iterator[Says]:
    found = re.search(r"a space of dimension (\d+)", statement)
    assert found, statement
    yield Says(motion, "dimension of the searched integrals", int(found[1]), source)
    yield Says(motion, "an integral was searched and found", int(found[1]) > 0, source)
    if "the energy is" in statement:
        yield Says(motion, "energy conserved", True, source)
    if "the energy is among them" in statement:
        yield Says(motion, "an integral was searched and found", True, source)


# -- sentences -------------------------------------------------------------------------------------------------------
YES, NO = True, False
SENTENCES: dict[str, tuple[tuple[str, str, Value], ...]] = {
    r"No symmetry is stated; dalembert found and uses .*": (),
    r"Substituting the constraints .* gives the same motion\.": (("motion", "constraints may be put into L", YES),),
    r"Substituting the constraints .* gives a different motion\.": (("motion", "constraints may be put into L", NO),),
    r"The constraint forces do no work\.": (("motion", "velocity is virtual", YES),),
    r"The velocity is no virtual displacement, .*": (("motion", "velocity is virtual", NO),),
    r"It is a generalized Chaplygin system for the group generated by (?!.*, except where |.* at generic points).*": (
        ("D", "complements the orbits everywhere", YES),
    ),
    r"It is a generalized Chaplygin system for the group generated by .*(, except where | at generic points).*": (),
    r"The reduced motion feels a gyroscopic force\.": (("reduced motion", "without gyroscopic force", NO),),
    r"The reduced motion feels no gyroscopic force\.": (("reduced motion", "without gyroscopic force", YES),),
    r"The reduced motion feels no gyroscopic force: it is that of L\*, and Hamiltonian as it stands\.": (
        ("reduced motion", "without gyroscopic force", YES),
        ("reduced motion", "needs a new time", NO),
    ),
    r"The reduced motion has an invariant volume\.": (("reduced motion", "density on the base", YES),),
    r"The reduced motion has no smooth positive invariant volume on T\(Q/G\)\.": (
        ("reduced motion", "density on the base", NO),
        ("reduced motion", "pure kinetic energy", YES),
    ),
    r"The reduced motion has no invariant volume with a density that depends on the base only\.": (
        ("reduced motion", "density on the base", NO),
    ),
    r"Locally, on the cover of the base, it has an invariant density\.": (("beta", "closed", YES),),
    r"The reduced motion becomes Hamiltonian in a new time\.": (
        ("reduced motion", "Stanchenko", YES),
        ("reduced motion", "needs a new time", YES),
    ),
    r"The reduced motion is integrable by quadratures\.": (("reduced motion", "integrable by quadratures", YES),),
    r"Fixing the momenta of the symmetry reduces the motion, .*": (("motion", "found again from its momenta", YES),),
    r"Vakonomic motions can be described without multipliers, .*": (("vakonomic motion", "Main Hypothesis", YES),),
    r"The Main Hypothesis fails, .*": (("vakonomic motion", "Main Hypothesis", NO),),
    r"Its almost-Poisson bracket satisfies Jacobi's identity and gives the motion, which so is Hamiltonian\.": (
        ("bracket", "Jacobi", YES),
        ("bracket", "gives the motion", YES),
    ),
    r"Its almost-Poisson bracket satisfies Jacobi's identity, but does not give the motion by the energy\.": (
        ("bracket", "Jacobi", YES),
        ("bracket", "gives the motion", NO),
    ),
    r"Its almost-Poisson bracket does not satisfy Jacobi's identity: it is no Poisson bracket\.": (
        ("bracket", "Jacobi", NO),
    ),
    r"After reduction by its symmetry the bracket satisfies Jacobi's identity and gives a Hamiltonian motion\.": (
        ("reduced bracket", "Jacobi", YES),
    ),
    r"After reduction by its symmetry the bracket obeys Jacobi's identity and the motion is Hamiltonian\.": (
        ("reduced bracket", "Jacobi", YES),
        ("bracket", "gives the motion", YES),
    ),
    r"The motion is Hamiltonian for a Lie-Poisson bracket\.": (("Lie-Poisson bracket", "gives the motion", YES),),
    r"The problem is left-invariant: its momenta move by a Lie-Poisson bracket, .*": (
        ("Lie-Poisson bracket of the problem", "gives the motion", YES),
    ),
    r"Conserved momenta have the values put in that \[momentum\] states\.": (("level of the momenta", "kept", YES),),
    r"The moving energy is conserved\.": (("motion", "moving energy conserved", YES),),
}
"""What the sentences of a report say; those about energy, momenta and integrals are read by ``sentence_says``."""


DIVIDED = (
    r"The symmetry(?: along .*)?(?: \(algebra .*\))? "
    r"(?:reduces the motion from (\d+) (variables|dimensions) to (\d+)|leaves (\d+) variables), "
    r"with (no|\d+) moment(?:um|a) along the orbits\."
)


def _divided(found: re.Match[str], source: str) -> Iterator[Says]:
    """Yield how large a motion is once its symmetry is divided out, and how many momenta it has along the orbits."""
    whole, what, state, written, momenta = found.groups()
    if what != "dimensions":
        yield Says("reduced", "variables", int(state or written), source)
    if what == "variables":
        yield Says("reduced", "variables with what is reconstructed", int(whole), source)
    yield Says("reduced", "momenta along the orbits", 0 if momenta == "no" else int(momenta), source)


def sentence_says(formalism: str, words: str) -> list[Says]:
    """Return what a sentence says; one without a meaning is an error."""
    motion, source = motion_of(formalism), f"{formalism}, in a sentence: {words}"
    if words in {"The energy is conserved.", "The energy is not conserved."}:
        return [Says(motion, "energy conserved", "not" not in words, source)]
    if found := re.fullmatch(r"The moment(?:um|a) of (.*) (?:is|are) conserved \((.*) motion\)\.", words):
        assert found[2] == formalism
        return [Says(motion, f"momentum of {name} conserved", True, source) for name in found[1].split(", ")]
    if found := re.fullmatch(r"The moment(?:um|a) of (.*) (?:is|are) conserved[:.]", words):  # of what nobody stated
        return [Says(motion, f"momentum of {name} conserved", True, source) for name in found[1].split(", ")]
    if found := re.fullmatch(r"The moment(?:um|a) (p_.*) (?:is|are) conserved\.", words):  # along the orbits
        return [Says(motion, f"momentum of {name} conserved", True, source) for name in found[1].split(", ")]
    if found := re.fullmatch(r"The momenta of (\d+) symmetries are conserved(?:\.|, among them:)", words):
        return [Says(motion, "an integral was found", int(found[1]) > 0, source)]
    if found := re.fullmatch(DIVIDED, words):
        return list(_divided(found, source))
    if words.startswith("Constant along every motion") or "constant along every motion, too long" in words:
        return [Says(motion, "an integral was found", True, source)]
    if re.fullmatch(r".* is conserved; it comes from the symmetry, but from no generator\.", words):
        return [Says(motion, "an integral was found", True, source)]
    if "integrable" in words and "quadratures" not in words:
        return list(_integrable(words[0].lower() + words[1:], source))
    matching = [meaning for pattern, meaning in SENTENCES.items() if re.fullmatch(pattern, words)]
    assert len(matching) == 1, f"{len(matching)} meanings of a sentence: {words}"
    return [Says(of, what, value, source) for of, what, value in matching[0]]


# -- what follows ----------------------------------------------------------------------------------------------------
Fact = tuple[str, str, Value]


def follows(system: System) -> list[tuple[tuple[Fact, ...], Fact]]:
    """Return what follows from what, for a system: theorems, not habits."""
    kinds = {system.kind_of(name) for name in system.constraints}
    linear = bool(kinds) and kinds <= {"linear", "holonomic"} and not system.virtual
    stated = [system.lagrangian, *(c.expression for c in system.constraints.values())]
    still = not system.forces and TIME not in symbols([e for e in stated if e is not None])
    found: list[tuple[tuple[Fact, ...], Fact]] = [
        ((("beta", "exact", YES),), ("beta", "closed", YES)),
        ((("beta", "closed", NO),), ("beta", "exact", NO)),
        ((("beta", "exact", NO),), ("reduced motion", "density on the base", NO)),
        ((("beta", "exact", YES),), ("reduced motion", "density on the base", YES)),
        ((("reduced motion", "Stanchenko", YES),), ("beta", "exact", YES)),
        ((("reduced motion", "without gyroscopic force", YES),), ("reduced motion", "needs a new time", NO)),
        ((("reduced motion", "needs a new time", YES),), ("reduced motion", "without gyroscopic force", NO)),
        ((("reduced motion", "integrable by quadratures", YES),), ("beta", "closed", YES)),
        ((("D", "involutive", YES),), ("constraints", "all are integrable", YES)),
        ((("D", "involutive", NO),), ("constraints", "all are integrable", NO)),
        ((("constraints", "all are integrable", YES),), ("D", "involutive", YES)),
    ]
    if linear:
        found += [
            ((("D", "involutive", YES),), ("bracket", "Jacobi", YES)),
            ((("D", "involutive", NO),), ("bracket", "Jacobi", NO)),
            ((("bracket", "Jacobi", YES),), ("D", "involutive", YES)),
            ((("D", "involutive", YES),), ("motion", "constraints may be put into L", YES)),
            ((), ("bracket", "gives the motion", YES)),
        ]
    if still:
        found.append(((("motion", "velocity is virtual", YES),), ("motion", "energy conserved", YES)))
    return found


def clashes(said: Sequence[Says], rules: Iterable[tuple[tuple[Fact, ...], Fact]] = ()) -> list[str]:
    """Return, in words, where two values are given to one property, also by what follows from what is said."""
    rules = list(rules)
    known: dict[tuple[str, str, Value], str] = {}
    for one in said:
        known.setdefault((one.of, one.what, one.value), one.source)
    while True:
        new = {
            then: " and ".join(known[fact] for fact in given) or "a theorem"
            for given, then in rules
            if then not in known and all(fact in known for fact in given)
        }
        if not new:
            break
        known |= new
    values: dict[tuple[str, str], dict[Value, str]] = {}
    for (of, what, value), source in known.items():
        values.setdefault((of, what), {})[value] = source
    return [
        f"{of}, {what}: " + "; ".join(f"{value} by ({source})" for value, source in several.items())
        for (of, what), several in values.items()
        if len(several) > 1
    ]


def meanings(parts: Sequence[Part]) -> list[Says]:
    """Return all that the parts of a study say."""
    said: list[Says] = []
    for part in parts:
        if not part.applies:
            continue
        for claim in part.claims:
            said += claim_says(part.formalism, claim)
        for sentence in part.sentences:
            said += sentence_says(part.formalism, sentence.text)
        said += _counted(part)
    return said


def _counted(part: Part) -> Iterator[Says]:
    """Yield the number of velocities that are free, and whether integrals were found by the search that lists them.

    Where `chaplygin` keeps a rotation it keeps its three angular velocities, which the constraints relate.
    """
    assert part.equations is not None
    bound = part.formalism == "chaplygin" and any("." in v.data.label for v in part.equations.velocities)
    if not bound and part.formalism in {"nonholonomic", "chaplygin", "semisymplectic", "euler-lagrange"}:
        source = f"{part.formalism}: its equations"
        yield Says("motion", "degrees of freedom", len(part.equations.velocities), source)
    if part.formalism == "reduced":
        own, source = part.equations, "reduced: its equations"
        yield Says("reduced", "variables", len(own.state), source)
        yield Says("reduced", "variables with what is reconstructed", len(own.state) + len(own.reconstruction), source)
        along = sum(claim.name.startswith("momentum p_") for claim in part.claims)
        yield Says("reduced", "momenta along the orbits", along, "reduced: its claims")
    if part.integrals and any(not one["name"] for one in part.integrals):
        yield Says(motion_of(part.formalism), "an integral was searched and found", True, "the list of integrals")
    for one in part.integrals:
        if one["name"] == "energy":
            yield Says(motion_of(part.formalism), "energy conserved", True, "the list of integrals")


def too_many(parts: Sequence[Part]) -> list[str]:
    """Return where more integrals are listed than the space has dimensions that they were searched in."""
    found = []
    for part in parts:
        listed = sum(not one["name"] for one in part.integrals)
        for claim in part.claims:
            space = re.search(r"a space of dimension (\d+)", claim.statement)
            if claim.name == "first integrals" and space and claim.verdict.holds and listed > int(space[1]):
                found.append(f"{part.formalism}: {listed} integrals are listed, but {claim.statement}")
    return found


def contradictions(system: System, parts: Sequence[Part]) -> list[str]:
    """Return what contradicts itself in the parts of a study."""
    return [*clashes(meanings(parts), follows(system)), *too_many(parts)]
