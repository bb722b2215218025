"""Places in the space of parameters, where some polynomials vanish and others do not, and bases that are valid there.

A place is kept solved as far as possible: equations that are linear in a parameter, with a coefficient that does not
vanish, give that parameter; one more irreducible equation may stay implicit, since what is zero there is what it
divides. Whatever lies beyond that is kept as *unresolved*.
A basis of a null space is chosen so that it is valid at as many values of the parameters as possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, TypeAlias

from flint import nmod_poly

from dalembert.expr.field.meter import TooLarge
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import Expr
from dalembert.expr.linear.ring import NUMBER, OTHER, Ring, Row, choose_pivots, null_vectors
from dalembert.expr.linear.system import Space
from dalembert.expr.truth.modular import random_prime
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import substitute
from dalembert.records import dataclass, replace

Group: TypeAlias = "tuple[Any, ...]"
"""Polynomials in the parameters that do not all vanish together; a group of one does not vanish."""


@dataclass(frozen=True, slots=True)
class Place:
    """Conditions on the parameters."""

    space: Space
    solved: tuple[tuple[int, Any, Any], ...] = ()
    """(variable, A, B): the variable is A/B, B does not vanish, and both are free of the variables before."""
    implicit: Any = None
    unresolved: tuple[Any, ...] = ()
    nonzero: tuple[Group, ...] = ()
    equations: tuple[Any, ...] = ()
    """What was solved, as it was then."""

    # -- what is known here ----------------------------------------------------------------------------------
    def put(self, polynomial: Any, degree: int | None = None) -> Any:
        """Return a polynomial with what is solved put in, times a power of each denominator (of a given degree)."""
        for place, above, below in self.solved:
            if polynomial.is_zero():
                break
            powers = self.space.by_powers(polynomial, place)
            most = max(powers) if degree is None else degree
            polynomial = sum((c * above**p * below ** (most - p) for p, c in powers.items()), polynomial * 0)
        return polynomial if self.implicit is None else polynomial % self.implicit

    def factors(self, polynomial: Any) -> list[Any] | None:
        """Return the different factors of a polynomial that may vanish here; None when it is zero here."""
        polynomial = self.put(polynomial)
        if polynomial.is_zero():
            return None
        known = {str(group[0]) for group in self.nonzero if len(group) == 1}
        found = {}
        for factor, _ in factored(polynomial)[1]:
            factor = factor if factor.leading_coefficient() > 0 else -factor
            if str(factor) not in known and not self.space.never_zero(factor):
                found[str(factor)] = factor
        return list(found.values())

    def groups(self, polynomials: Iterable[Any]) -> list[Group] | None:
        """Return groups that say, together, that not all of the polynomials vanish; None when all do, here."""
        members: dict[frozenset[str], list[Any]] = {}
        waiting = list(polynomials)
        while waiting:
            polynomial = self.put(waiting.pop())
            for single in [factors[0] for factors in members.values() if len(factors) == 1]:
                polynomial = _shorter(polynomial, single)
            factors = self.factors(polynomial)
            if factors is None:
                continue
            if not factors:
                return []
            key = frozenset(map(str, factors))
            if any(old <= key for old in members):
                continue
            for old in [old for old in members if key < old]:
                del members[old]
            members[key] = factors
            if len(factors) == 1:  # what is left of the others where this one vanishes
                touched = [
                    old for old, m in members.items() if old != key and _shorter(w := _product(m), factors[0]) != w
                ]
                waiting += [_product(members.pop(old)) for old in touched]
        if not members:
            return None
        named = {str(factor): factor for factors in members.values() for factor in factors}
        found = []
        for part in _parts(set(members)):
            group = tuple(sorted((_product([named[f] for f in sorted(key)]) for key in part), key=self.space.order))
            if not any(_implies(known, group) for known in self.nonzero):
                found.append(group)
        return found

    # -- more conditions -------------------------------------------------------------------------------------
    def without(self, groups: Iterable[Group]) -> Place | None:
        """Return the part of this place where none of the groups vanishes; None when there is no such part."""
        return replace(self, nonzero=(*self.nonzero, *groups)).settled()

    def settled(self) -> Place | None:
        """Return the place with its conditions brought up to date, or None when they contradict each other."""
        kept: list[Group] = []
        for group in sorted(self.nonzero, key=len):
            found = replace(self, nonzero=tuple(kept)).groups(group)
            if found is None:
                return None
            kept = [old for old in kept if not any(_implies(new, old) for new in found)] + found
        place = replace(self, nonzero=tuple(kept))
        if any(place.put(below).is_zero() for _, _, below in self.solved):
            return None
        return place if place.signs_agree() else None

    def values(self) -> dict[Expr, Expr]:
        """Return the parameters that are solved for, in terms of the others."""
        answer: dict[Expr, Expr] = {}
        write = self.space.field.to_expr
        for place, above, below in reversed(self.solved):
            (value,) = substitute([write(above) / write(below)], answer)
            answer[self.space.parameters[place]] = value
        return answer

    def signs_agree(self) -> bool:
        """Say whether no parameter that is solved for has got a sign it must not have."""
        for parameter, value in self.values().items():
            have, may = ranges([value])[0], ranges([parameter])[0]
            if (may.low >= 0 and (have.high < 0 or (have.high == 0 and may.nonzero))) or (
                may.high <= 0 and (have.low > 0 or (have.low == 0 and may.nonzero))
            ):
                return False
        return True

    def point(self, prime: int, draw: Random) -> list[int] | None:
        """Return random values modulo a prime for all variables that are not solved for, on the implicit equation."""
        size = self.space.field.ring.nvars()
        values = [draw.randrange(1, prime) for _ in range(size)]
        if self.implicit is None:
            return values
        place = next(k for k, d in enumerate(self.implicit.degrees()) if d > 0)
        powers = self.space.by_powers(self.implicit, place)
        line = nmod_poly([int(powers[p](*values)) % prime if p in powers else 0 for p in range(max(powers) + 1)], prime)
        roots = line.roots() if line.degree() > 0 else []
        if not roots:
            return None
        values[place] = int(roots[0][0])
        return values


def _product(factors: Sequence[Any]) -> Any:
    result = factors[0]
    for factor in factors[1:]:
        result = result * factor
    return result


def _shorter(polynomial: Any, divisor: Any) -> Any:
    """Return the remainder by a divisor where it is simpler than what is divided, else that."""
    rest = polynomial % divisor
    simpler = rest.is_zero() or (rest.total_degree(), len(rest)) < (polynomial.total_degree(), len(polynomial))
    return rest if simpler else polynomial


def _implies(known: Group, group: Group) -> bool:
    """Say whether not all of a group vanish because not all of another do: each of these is a multiple of one of it."""
    return all(any((k % g).is_zero() for g in group) for k in known)


def _parts(members: set[frozenset[str]]) -> list[set[frozenset[str]]]:
    """Split a group that consists of all products of two groups: not all vanish if that is so in both."""
    for member in sorted(members, key=sorted):
        for factor in sorted(member) if len(member) > 1 else ():
            left, right = frozenset([factor]), member - {factor}
            lefts = {m - right for m in members if right < m}
            rights = {m - left for m in members if left < m}
            grid = {x | y for x in lefts for y in rights}
            if grid == members and len(grid) == len(lefts) * len(rights):
                return [*_parts(lefts), *_parts(rights)]
    return [members]


# -- equations ---------------------------------------------------------------------------------------------------
def vanishing(place: Place, equations: Sequence[Any], most: int, most_terms: int | None = None) -> list[Place]:
    """Return disjoint places that make up the part of a place where all equations hold.

    Where equations with more than ``most_terms`` terms altogether would be looked at, ``TooLarge`` is raised.
    """
    looked_at = 0
    found: list[Place] = []
    waiting: list[tuple[Place, list[Any]]] = [(place, list(equations))]
    while waiting and len(found) <= most:
        here, left = waiting.pop(0)
        looked_at += sum(map(len, left))
        if most_terms is not None and looked_at > most_terms:
            raise TooLarge(f"more than {most_terms} terms would be looked at to solve the equations.")
        open_equations = [f for f in map(here.factors, left) if f is not None]
        if not all(open_equations):
            continue  # one of them cannot vanish here
        if not open_equations:
            found.append(here)
            continue
        open_equations.sort(
            key=lambda factors: (len(factors), [(f.total_degree(), here.space.order(f)) for f in factors])
        )
        first, rest = open_equations[0], [_product(factors) for factors in open_equations[1:]]
        for k, factor in enumerate(first):  # this one vanishes, those before it do not
            part = here.without([(f,) for f in first[:k]])
            if part is not None:
                waiting += [(sub, rest + more) for sub, more in _assume(part, factor)]
    return found


def _assume(place: Place, equation: Any) -> list[tuple[Place, list[Any]]]:
    """Return the parts of a place where an irreducible equation holds, with the equations still to be used there."""
    terms = place.space.definite_terms(equation)
    if terms:
        return [(place, terms)]
    again = [] if place.implicit is None else [place.implicit]
    for candidate in (equation, *again):
        sure = _linear(place, candidate, sure=True)
        if sure is not None:
            others = [e for e in (equation, *again) if e is not candidate]
            return _solved(place, *sure, others)
    if place.implicit is None:
        fresh = replace(place, implicit=equation, equations=(*place.equations, equation)).settled()
        return [] if fresh is None else [(fresh, [])]
    for candidate in (equation, *again):
        split = _linear(place, candidate, sure=False)
        if split is not None:
            _, above, below = split
            others = [e for e in (equation, *again) if e is not candidate]
            bare = _forget(place)
            solvable = bare.without([(below,)])
            parts = [] if solvable is None else _solved(solvable, *split, others)
            return [*parts, (bare, [below, above, *others])]
    fresh = replace(place, unresolved=(*place.unresolved, equation), equations=(*place.equations, equation))
    return [(fresh, [])]


def _forget(place: Place) -> Place:
    """Return a place without its implicit equation, which is about to be used in another way."""
    if place.implicit is None:
        return place
    kept = tuple(e for e in place.equations if e is not place.implicit)
    return replace(place, implicit=None, equations=kept)


def _solved(place: Place, variable: int, above: Any, below: Any, others: list[Any]) -> list[tuple[Place, list[Any]]]:
    place = _forget(place)
    variable_itself = place.space.field.ring.gens()[variable]
    never = place.space.never_zero(variable_itself)
    fresh = replace(
        place,
        nonzero=(*place.nonzero, (above,)) if never else place.nonzero,
        solved=(*place.solved, (variable, above, below)),
        equations=(*place.equations, variable_itself * below - above),
    ).settled()
    return [] if fresh is None else [(fresh, others)]


def _linear(place: Place, equation: Any, *, sure: bool) -> tuple[int, Any, Any] | None:
    """Return (variable, A, B) where an equation says variable = A/B; ``sure`` means that B cannot vanish."""
    best = None
    for variable in reversed(place.space.parameters):
        powers = place.space.by_powers(equation, variable)
        if max(powers) != 1:
            continue
        above, below = -powers.get(0, equation * 0), powers[1]
        if below.is_constant() or (place.factors(below) == [] if sure else True):
            key = (not below.is_constant(), len(below), len(above))
            if best is None or key < best[0]:
                best = key, (variable, above, below if not above.is_zero() else below / below)
    return None if best is None else best[1]


def modulo(place: Place, ring: Ring) -> Ring:
    """Return the ring of polynomials on the implicit equation of a place."""
    return ring if place.implicit is None else Ring(ring.field, place.implicit, ring.work)


_MOST_STEPS = 24


def saturated(place: Place, ring: Ring, vectors: Sequence[Row], width: int, draw: Random) -> list[Row]:
    """Return vectors that span what the given ones do and are independent at more values of the parameters.

    Where a factor f divides all largest minors, the vectors are dependent modulo f: some combination of them is f times
    another null vector. That takes the place of one that occurs in it with a number as coefficient, and f is gone.
    """
    vectors = list(vectors)
    if place.implicit is not None:
        return vectors
    stuck: set[str] = set()
    for _ in range(_MOST_STEPS):
        minors = ring.minors(vectors, range(width)).values()
        groups = place.groups([c for minor in minors for c in place.space.coefficients(minor)]) or []
        factor = next((g[0] for g in groups if len(g) == 1 and str(g[0]) not in stuck), None)
        if factor is None:
            return vectors
        better = _divided(place, ring, vectors, factor, draw)
        if better is None:
            stuck.add(str(factor))
        else:
            vectors = better
    return vectors


def _divided(place: Place, ring: Ring, vectors: list[Row], factor: Any, draw: Random) -> list[Row] | None:
    """Return the vectors with one of them replaced by a combination divided by the factor."""
    on_factor = Ring(ring.field, factor, ring.work)
    width = 1 + max(j for vector in vectors for j in vector)
    turned = [{k: on_factor.reduced(v[j]) for k, v in enumerate(vectors) if j in v} for j in range(width)]
    turned = [{k: e for k, e in row.items() if not e.is_zero()} for row in turned]
    prime = random_prime(draw, 61)
    point = Place(place.space, implicit=factor).point(prime, draw)
    if point is None:
        return None
    values = [{k: v for k, e in row.items() if (v := int(e(*point)) % prime)} for row in turned]
    weights = [
        {k: (NUMBER if row[k].is_constant() else OTHER, len(row[k])) for k in value}
        for row, value in zip(turned, values, strict=True)
    ]
    pivots = choose_pivots(values, weights, prime)
    free = [k for k in range(len(vectors)) if k not in {c for _, c in pivots}]
    for relation in null_vectors(on_factor, turned, pivots, free):
        replaced = next((k for k, a in relation.items() if a.is_constant()), None)
        if replaced is None:
            continue
        columns = {j for k in relation for j in vectors[k]}
        combined = {
            j: sum((ring.times(a, vectors[k][j]) for k, a in relation.items() if j in vectors[k]), ring.zero)
            for j in columns
        }
        if any(not (entry % factor).is_zero() for entry in combined.values()):
            continue
        better = ring.primitive({j: entry / factor for j, entry in combined.items()})
        return [better if k == replaced else vector for k, vector in enumerate(vectors)]
    return None
