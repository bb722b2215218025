"""What a quick search finds of a nonholonomic motion: integrals, symmetries, adjoint symmetries and Lagrangians.

Each search takes the largest of a few ansatzes that is a matter of a second, and a claim says what was searched and
whether there is more in it; where even the smallest is too large, a claim says that nothing was searched. The searches
themselves, for an ansatz of one's own, are in ``first_integrals`` and ``symmetries``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar, runtime_checkable
from weakref import finalize

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ONE, Expr, total
from dalembert.expr.truth import Verdict, all_hold, generic_rank, is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import postorder, symbols
from dalembert.mechanics.common import optional, points_of
from dalembert.mechanics.second_order.field import Constrained, SecondOrderField, field_of
from dalembert.mechanics.second_order.search.alternative_lagrangians import Consequence, consequence, is_regular
from dalembert.mechanics.second_order.search.first_integrals import (
    FirstIntegral,
    FirstIntegralSearch,
    WithEnergy,
    find_first_integrals,
    is_proportional,
    moving_energies,
    search_quickly,
)
from dalembert.mechanics.second_order.search.linear_search import Ansatz, relations
from dalembert.mechanics.second_order.search.symmetries import (
    AdjointSearch,
    AdjointSymmetry,
    Symmetry,
    SymmetrySearch,
    find_adjoint_symmetries,
    find_symmetries,
)
from dalembert.mechanics.second_order.tensors import field_objects
from dalembert.mechanics.theorem import EFFORT
from dalembert.model.claim import Claim
from dalembert.model.system import System
from dalembert.records import dataclass, replace

TOO_LARGE = "there are too many coordinates, or the field is too large; ask for them one by one."
_UNKNOWNS = 400
_WORK = 15_000
"""Unknown constants times nodes of the field: so much is a matter of a second."""

_SYMMETRIES = (Ansatz(0, 1, 1, 1), Ansatz(0, 1, 0, 1), Ansatz(0, 1, 0, 0), Ansatz(0, 0, 0, 1), Ansatz(0, 0, 0, 0))
_ADJOINT = (
    Ansatz(0, 1, 0, 1, bare_angles=1),
    Ansatz(0, 1, 0, 1),
    Ansatz(0, 0, 0, 1),
    Ansatz(0, 1, 0, 0),
    Ansatz(0, 0, 0, 0),
)

Search = TypeVar("Search", SymmetrySearch, AdjointSearch)


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found, and what is claimed of it."""

    field: SecondOrderField | None
    """None where nothing was searched."""
    first_integrals: tuple[FirstIntegral, ...]
    symmetries: tuple[Symmetry, ...]
    """Modulo Gamma."""
    generators: tuple[dict[Expr, Expr], ...]
    """The same symmetries, by their components on the coordinate fields."""
    adjoint_symmetries: tuple[AdjointSymmetry, ...]
    consequences: tuple[Consequence, ...]
    """What each adjoint symmetry gives."""
    lagrangians: tuple[Expr, ...]
    """L* of section 5: Lagrangians of the second-order equations without constraint forces."""
    claims: tuple[Claim, ...]

    def objects(self) -> dict[str, object]:
        """Return what was found by the names of the JSON.

        A symmetry has its components mu on X_alpha and d_a, and its generator by coordinate; an adjoint symmetry its
        components a on theta^alpha and c on eta^a, and what it gives: an outcome in words and the function F.
        """
        names = [q.data.name for q in self.field.coordinates] if self.field else []
        free = len(self.field.independent) if self.field else 0
        given = zip(self.adjoint_symmetries, self.consequences, strict=True)
        return {
            "first_integrals": [integral.expression for integral in self.first_integrals],
            "symmetries": [
                {
                    "mu": dict(zip(names, symmetry.components, strict=True)),
                    "generator": {q.data.name: e for q, e in generator.items()},
                }
                for symmetry, generator in zip(self.symmetries, self.generators, strict=True)
            ],
            "adjoint_symmetries": [
                {
                    "a": dict(zip(names[:free], one.across, strict=True)),
                    "c": dict(zip(names[free:], one.along, strict=True)),
                    "outcome": what.outcome,
                    **({"function": what.function} if what.function is not None else {}),
                }
                for one, what in given
            ],
            "lagrangians": list(self.lagrangians),
        }


@runtime_checkable
class Searched(Constrained, Protocol):
    """What is searched: the field of a motion on the constraint."""

    @property
    def unsearched(self) -> str: ...


@runtime_checkable
class _WithRate(WithEnergy, Protocol):
    """One with an energy; what is stated by equations has none."""

    @property
    def energy_rate(self) -> Expr: ...


T = TypeVar("T")
_FOUND: dict[int, Findings] = {}
"""What was found of results that are still there, by their identity: nobody searches twice."""
_INTEGRALS: dict[int, tuple[SecondOrderField, tuple[FirstIntegral, ...], tuple[Claim, ...]]] = {}
"""The field, the integrals among it, and what is claimed of these: who asks for them need not wait for the rest."""


def findings(result: Searched) -> Findings:
    """Return what a quick search finds; of one result it is searched for once.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive
    >>> from dalembert.model.system import System
    >>> skate = System.of(name="skate", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"})
    >>> found = findings(derive(skate))
    >>> [integral.expression for integral in found.first_integrals[1:3]]
    [y', x'*y^2 + x' - y'*z]
    """
    return _once(_FOUND, result, _found)


def _once(kept: dict[int, T], result: Searched, search: Callable[[Searched], T]) -> T:
    """Return what was kept of a result, or is searched for now."""
    key = id(result)
    if key not in kept:
        kept[key] = search(result)
        finalize(result, kept.pop, key, None)
    return kept[key]


def geometry_of(result: Searched) -> dict[str, object]:
    """Return the geometry of the field and what is found of it, by the names of the JSON; nothing of a large one."""
    if result.unsearched:
        return {}
    return {
        **optional("second_order_field", lambda: field_objects(result.second_order_field())),
        **optional("symmetries", lambda: findings(result).objects()),
    }


def said_of(result: Searched, name: str) -> list[Claim]:
    """Return what is claimed of what was searched for under a name."""
    return [claim for claim in findings(result).claims if claim.name == name]


def first_integrals_of(result: object, ansatz: Ansatz | None = None) -> tuple[FirstIntegral, ...]:
    """Return the energy and moving energies where they are kept, and what a search finds; none of what is not searched.

    What the search finds is reduced to functions that do not depend on each other; that the energy may depend on
    them, or they on it, is left as it is. Without an ansatz these are the first integrals among the findings of the
    result, whose claims say what was searched and what was not.
    """
    if not isinstance(result, Searched):
        return ()
    if ansatz is None:
        return _nothing(result).first_integrals if result.unsearched else _once(_INTEGRALS, result, _integrals_of)[1]
    field, known = field_of(result), _known(result)
    found = find_first_integrals(field, ansatz).independent(field)
    return (*known, *(i for i in found if not any(is_proportional(i.expression, k.expression) for k in known)))


def _found(result: Searched) -> Findings:
    if result.unsearched:
        return _nothing(result)
    return _beside_integrals(*_once(_INTEGRALS, result, _integrals_of))


def _integrals_of(result: Searched) -> tuple[SecondOrderField, tuple[FirstIntegral, ...], tuple[Claim, ...]]:
    """Return the field that is searched, first integrals, and what is claimed of them."""
    claims: list[Claim] = []
    try:
        known = _known(result)
    except ExpressionError as error:
        known = []
        claims.append(_not_searched("moving energies", str(error)))
    field = field_of(result)
    held = [equation.left - equation.right for equation in result.system.holonomic.values()]
    named = [_named(i, field, held) for i in _integrals(known, field, claims)]
    return field, tuple(_beside_energy(named, field, result.system)), tuple(claims)


def _beside_energy(found: Sequence[FirstIntegral], field: SecondOrderField, system: System) -> list[FirstIntegral]:
    """Leave out functions of the energy where constraints on positions leave one degree of freedom.

    The states that obey them have two dimensions there, on which all that motions keep are functions of each other.
    """
    kinds = {system.kind_of(name) for name in system.stated_constraints}
    energy = any(one.name == "energy" and one.verdict.holds for one in found)
    if kinds != {"holonomic"} or len(field.velocities) != 1 or not energy:
        return list(found)
    return [one for one in found if one.name or any(s.role == "time" for s in symbols([one.expression]))]


def _known(result: Searched) -> list[FirstIntegral]:
    """Return the energy if the motion keeps it, else a moving energy if there is one."""
    return _kept_energy(result) or (moving_energies(result) if isinstance(result, _WithRate) else [])


def _kept_energy(result: Searched) -> list[FirstIntegral]:
    """Return the energy if there is one and it is conserved."""
    if not isinstance(result, _WithRate):
        return []
    verdict = ProofBudget(EFFORT).is_zero(result.energy_rate, points_of(result.system))
    return [FirstIntegral(result.energy, verdict, "energy")] if verdict.holds else []


def _beside_integrals(field: SecondOrderField, integrals: tuple[FirstIntegral, ...], said: Sequence[Claim]) -> Findings:
    """Return what a quick search finds of a field whose first integrals are known, and what is said of these."""
    claims = list(said)
    symmetric = _search(
        field, "symmetries modulo Gamma", _SYMMETRIES, find_symmetries, lambda a: _symmetry_size(field, a), claims
    )
    adjoint = _search(
        field, "adjoint symmetries", _ADJOINT, find_adjoint_symmetries, lambda a: _adjoint_size(field, a), claims
    )
    forms = adjoint.basis if adjoint else ()
    consequences = tuple(consequence(field, one) for one in forms)
    return Findings(
        field,
        integrals,
        symmetric.basis if symmetric else (),
        symmetric.generators if symmetric else (),
        forms,
        consequences,
        _lagrangians(field, consequences),
        tuple(claims),
    )


def _nothing(result: Searched) -> Findings:
    """Return what is known without a search, and say that there was none."""
    said = "the geometry of the field, its first integrals, symmetries and adjoint symmetries are listed"
    claim = Claim("searches", said, "question", Verdict("undecided", result.unsearched))
    return Findings(None, tuple(_kept_energy(result)), (), (), (), (), (), (claim,))


def _symmetry_size(field: SecondOrderField, ansatz: Ansatz) -> int:
    return len(field.coordinates) * ansatz.size(field)


def _adjoint_size(field: SecondOrderField, ansatz: Ansatz) -> int:
    return len(field.independent) * ansatz.size(field) + len(field.dependent) * ansatz.size(field, 1)


def _search(
    field: SecondOrderField,
    what: str,
    ladder: Sequence[Ansatz],
    search: Callable[[SecondOrderField, Ansatz], Search],
    size: Callable[[Ansatz], int],
    claims: list[Claim],
) -> Search | None:
    """Return what the first ansatz gives that is small enough, and say what was searched."""
    nodes = len(postorder([*field.acceleration, *field.dependent_velocities]))
    small = (a for a in ladder if size(a) <= _UNKNOWNS and size(a) * nodes <= _WORK)
    chosen = next(small, None)
    if chosen is None:
        claims.append(_not_searched(what, f"the field has {nodes} nodes, too many for a quick search."))
        return None
    try:
        found = search(field, chosen)
    except ExpressionError as error:
        claims.append(_not_searched(what, str(error)))
        return None
    verdict = all_hold({f"number {k}": v for k, v in enumerate(found.verdicts, 1)} | {"no others": found.complete})
    said = f"the {what} with components of {chosen.among(field)}, form {_space(found.dimension)}"
    claims.append(Claim(what, said, "question", verdict))
    return found


def _space(dimension: int) -> str:
    return f"a space of dimension {dimension}"


def _not_searched(what: str, why: str) -> Claim:
    return Claim(what, f"the {what} that are listed are all of a simple kind", "question", Verdict("undecided", why))


def _integrals(
    known: Sequence[FirstIntegral], field: SecondOrderField, claims: list[Claim]
) -> tuple[FirstIntegral, ...]:
    """Return first integrals that are known, and what a search finds beside them."""
    try:
        found = search_quickly(field)
    except ExpressionError as error:
        claims.append(_not_searched("first integrals", str(error)))
        return tuple(known)
    verdict = all_hold(
        {f"number {k}": one.verdict for k, one in enumerate(found.basis, 1)} | {"no others": found.complete}
    )
    said = f"the first integrals of {found.ansatz.among(field)}, form, but for constants, {_space(found.dimension)}"
    claims.append(Claim("first integrals", said + _beside(known, found), "question", verdict))
    new = [i for i in found.independent(field) if not any(is_proportional(i.expression, k.expression) for k in known)]
    return (*known, *new)


def _named(integral: FirstIntegral, field: SecondOrderField, held: Sequence[Expr]) -> FirstIntegral:
    """Return an integral under the name ``constraint`` if it depends on what constraints on positions hold fixed."""
    rows = [gradient(f, [*field.coordinates, *field.velocities]) for f in (*held, integral.expression)]
    known = not integral.name and bool(held) and generic_rank(rows).rank == generic_rank(rows[:-1]).rank
    return replace(integral, name="constraint") if known else integral


def _beside(known: Sequence[FirstIntegral], found: FirstIntegralSearch) -> str:
    """Say of the energy that is conserved whether it is one of those found, or is not of their form."""
    basis = [[i.expression] for i in found.basis]
    words = []
    for one in known:
        try:
            within = bool(relations([*basis, [ONE], [one.expression]], effort=0.0, of_last=True).basis)
        except ExpressionError:
            words.append(f"whether the {one.name} is of this form was not found out")
            continue
        words.append(f"the {one.name} is {'among them' if within else 'conserved too, but is not of this form'}")
    return "".join(f"; {each}" for each in words)


def _lagrangians(field: SecondOrderField, consequences: Sequence[Consequence]) -> tuple[Expr, ...]:
    """Return the regular L*, each once; where none is regular, the sum of all, if that is."""
    stars = [(c.outcome, c.lagrangian) for c in consequences if c.lagrangian is not None]
    regular = [star for outcome, star in stars if outcome == "lagrangian"]
    if regular:
        chosen: list[Expr] = []
        for star in regular:
            if not any(is_zero(star - other, field.facts).holds for other in chosen):
                chosen.append(star)
        return tuple(chosen)
    degenerate = [star for outcome, star in stars if outcome == "degenerate"]
    if len(degenerate) < 2:
        return ()
    together = total([(1, star) for star in degenerate])  # the Euler-Lagrange equations are linear in L*
    return (together,) if is_regular(field, together).holds else ()
