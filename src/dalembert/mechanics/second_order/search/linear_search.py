"""The linear search behind symmetries, adjoint symmetries and first integrals: one search, and three rows that call it.

What is searched for has components, each a combination of functions of an ansatz with unknown constants. Its
determining equations are linear: they are written down for one function in one component at a time, ``relations``
solves for the constants, and each solution comes with the verdict on it.

An :class:`Ansatz` is a list of functions: monomials in velocities, time and coordinates, times sines and cosines of
whole combinations of the angles. :func:`relations` finds all constants, rational in the parameters, with which a
combination of columns vanishes: the parameters are given numbers, the null space for these is found modulo primes, and
each of its vectors tells which columns take part; between these few the relation is then solved and proved exactly, or,
where that is too large, its coefficients are read as monomials in the parameters and checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from itertools import product as cartesian
from math import comb
from random import Random
from typing import Any, Generic, Self, TypeVar

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import sincos
from dalembert.expr.field import TooLarge
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr, number, product, symbol, total
from dalembert.expr.linear import Relations, constant_null_space
from dalembert.expr.linear.parametric import common_field, relations_with_parameters
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Facts, Verdict, all_hold, is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.model.claim import Claim
from dalembert.records import dataclass, replace

_ATTEMPTS = 3
"""How often parameters are given other numbers when the first were special."""
_PROOF = 1.0
"""Effort for the proofs of all relations that are too large for an exact solution."""


@dataclass(frozen=True, slots=True)
class Ansatz:
    """Which functions are searched.

    ``harmonics`` bounds the sum of |k_i| in the sines and cosines of k_1 phi_1 + k_2 phi_2 + ...; ``bare_angles`` is
    the degree in the angles themselves: what contains one is a function on the cover, where angles are numbers.

    >>> Ansatz(velocity_degree=2, coordinate_degree=1, harmonics=1).description
    'degree 2 in velocities, 1 in coordinates, 0 in time, harmonics up to 1'
    """

    velocity_degree: int = 1
    coordinate_degree: int = 1
    time_degree: int = 0
    harmonics: int = 1
    bare_angles: int = 0
    homogeneous: bool = False
    """Whether only the highest degree in the velocities occurs."""
    most: int = 4_000
    """How many unknown constants there may be."""

    def __post_init__(self) -> None:
        """Refuse negative degrees."""
        degrees = (self.velocity_degree, self.coordinate_degree, self.time_degree, self.harmonics, self.bare_angles)
        if min(degrees) < 0:
            raise ExpressionError("the degrees of an ansatz must not be negative; use 0 to leave something out.")

    @property
    def description(self) -> str:
        """The ansatz in words."""
        exactly = "exactly " if self.homogeneous else ""
        bare = f", bare angles up to {self.bare_angles} (valid on the cover)" if self.bare_angles else ""
        return (
            f"degree {exactly}{self.velocity_degree} in velocities, {self.coordinate_degree} in coordinates, "
            f"{self.time_degree} in time, harmonics up to {self.harmonics}{bare}"
        )

    def among(self, field: SecondOrderField) -> str:
        """Return the ansatz in words, with the bounds that matter for a field: those of what it has.

        >>> x, phi = symbol("x"), symbol("phi", domain="angle")
        >>> Ansatz(2, 1, harmonics=2).among(SecondOrderField((x, phi), (), (), (), (x, x)))
        'degree at most 2 in velocities, at most 1 in x, without time, with harmonics of phi up to 2'
        >>> Ansatz(2, 1, harmonics=2).among(SecondOrderField((x,), (), (), (), (x,)))
        'degree at most 2 in velocities, at most 1 in x, without time'
        """
        angles, others = (", ".join(q.data.label for q in some) for some in _kinds(field))
        least = "exactly" if self.homogeneous else "at most"
        parts = [f"degree {least} {self.velocity_degree} in velocities"]
        parts += [f"at most {self.coordinate_degree} in {others}"] if others else []
        parts += [f"at most {self.time_degree} in time" if self.time_degree else "without time"]
        parts += [f"with harmonics of {angles} up to {self.harmonics}"] if angles else []
        if angles and self.bare_angles:
            parts += [f"and angles themselves up to degree {self.bare_angles} (valid on the cover)"]
        return ", ".join(parts)

    def size(self, field: SecondOrderField, more: int = 0) -> int:
        """Return how many functions :meth:`functions` gives, without making them."""
        angles, others = _kinds(field)
        speeds = len(field.velocities)
        degree = self.velocity_degree + more
        by_speed = comb(speeds + degree - 1, degree) if self.homogeneous else comb(speeds + degree, degree)
        # points with whole coordinates in a ball of the sum norm: k of them not zero, each with a sign
        waves = sum(comb(len(angles), k) * comb(self.harmonics, k) << k for k in range(len(angles) + 1))
        plain = comb(len(others) + self.coordinate_degree, self.coordinate_degree)
        bare = comb(len(angles) + self.bare_angles, self.bare_angles)
        return by_speed * waves * plain * bare * (self.time_degree + 1)

    def guard(self, unknowns: int) -> None:
        """Refuse a search that is too large."""
        if unknowns > self.most:
            raise ExpressionError(
                f"an ansatz of {self.description} has {unknowns} unknown constants, more than {self.most}; "
                "lower its degrees, or raise 'most' and be patient."
            )

    def functions(self, field: SecondOrderField, more: int = 0) -> list[Expr]:
        """Return the functions, simple ones first; ``more`` is added to the degree in the velocities."""
        angles, others = _kinds(field)
        degree = self.velocity_degree + more
        parts = [
            list(_monomials(field.velocities, degree, degree if self.homogeneous else 0)),
            list(_monomials(others, self.coordinate_degree)),
            list(_monomials(angles, self.bare_angles)),
            list(_monomials([symbol(TIME)], self.time_degree)),
            list(_waves(angles, self.harmonics)),
        ]
        choices = sorted(cartesian(*parts), key=lambda choice: (choice[0][0], sum(d for d, _ in choice)))
        return [product([(node, 1) for _, node in choice]) for choice in choices]


def _kinds(field: SecondOrderField) -> tuple[list[Expr], list[Expr]]:
    """Return the angles and the other coordinates."""
    angles = [q for q in field.coordinates if q.data.domain == "angle"]
    return angles, [q for q in field.coordinates if q.data.domain != "angle"]


def _monomials(variables: Sequence[Expr], most: int, least: int = 0) -> Iterator[tuple[int, Expr]]:
    """Yield the monomials with their degrees."""
    for degree in range(least, most + 1):
        for chosen in combinations_with_replacement(variables, degree):
            yield degree, product([(v, 1) for v in chosen])


def _waves(angles: Sequence[Expr], most: int) -> Iterator[tuple[int, Expr]]:
    """Yield one, and sine and cosine of each combination of the angles up to its sign, with the sum of its |k_i|."""
    yield 0, ONE
    span = range(-most, most + 1)
    for weights in cartesian(span, repeat=len(angles)) if angles else ():
        order = sum(map(abs, weights))
        first = next((k for k in weights if k), 0)
        if first > 0 and order <= most:
            for wave in sincos(total(list(zip(weights, angles, strict=True)))):
                yield order, wave


# -- solving for the constants -------------------------------------------------------------------------------
def relations(
    columns: Sequence[Sequence[Expr]], facts: Sequence[Fact] = (), *, effort: float = _PROOF, of_last: bool = False
) -> Relations[Expr]:
    """Return all constants, rational in the parameters, with which a combination of the columns vanishes.

    The basis is in echelon form: the last entry of each vector stands where all others have zeros. ``facts`` are
    equations that a system assumes: they are put into the columns first. The effort is for proofs of relations that are
    too large for an exact solution; who only takes the basis, and decides what it gives, needs none. Of who asks for
    what the last column is related to no others are solved: one vector of the basis contains it, or none.

    >>> x, R = symbol("x"), symbol("R", role="parameter", domain="positive")
    >>> relations([[x], [R * x], [x**2]]).basis
    [[-R, 1, 0]]
    >>> y = symbol("y")
    >>> relations([[x], [y]]).basis, relations([[x], [y]], [(y, 2 * x)]).basis
    ([], [[-2, 1]])
    >>> relations([[x], [2 * x], [y], [3 * y]], of_last=True).basis
    [[0, 0, -3, 1]]
    """
    known = Facts.of(facts)
    if facts:
        columns = _stacked(known.apply([e for column in columns for e in column]), len(columns[0]))
    names = sorted(symbols([e for column in columns for e in column]), key=lambda s: s.label)
    parameters = [symbol(s) for s in names if s.role == "parameter"]
    draw = Random(1_995)
    for _ in range(_ATTEMPTS):
        values = _values(parameters, draw)
        found = constant_null_space(_specialised(columns, values))
        if of_last:
            found = _with_last(found)
        exact = _exactly(columns, values, found, effort)
        if exact is not None:
            return replace(exact, complete=_missed()) if known.equations else exact
    if not parameters:  # then nothing was put in: numbers and formulas do not tell the same
        raise ExpressionError("the relations at random points are not shown to hold everywhere.")
    raise ExpressionError(
        "the relations for some values of the parameters do not come from relations for all of them; "
        "give the parameters values."
    )


def _with_last(found: Relations[int]) -> Relations[int]:
    """Return the relation in which the last column takes part, if there is one."""
    kept = [k for k, relation in enumerate(found.basis) if relation[-1]]
    return replace(found, basis=[found.basis[k] for k in kept], verdicts=[found.verdicts[k] for k in kept])


def _missed() -> Verdict:
    why = "what the assumptions on functions imply beyond what they say may give more relations."
    return Verdict("undecided", why)


def _values(parameters: Sequence[Expr], draw: Random) -> dict[Expr, int]:
    """Return a prime for each parameter, so that powers of it can be told in a number."""
    primes = draw.sample([n for n in range(31, 600) if all(n % k for k in range(2, 25))], len(parameters))
    return {p: -n if p.data.domain == "negative" else n for p, n in zip(parameters, primes, strict=True)}


def _specialised(columns: Sequence[Sequence[Expr]], values: dict[Expr, int]) -> Sequence[Sequence[Expr]]:
    if not values:
        return columns
    put = {p: number(n) for p, n in values.items()}
    return _stacked(substitute([e for column in columns for e in column], put), len(columns[0]))


def _stacked(flat: Sequence[Expr], height: int) -> list[Sequence[Expr]]:
    return [flat[i : i + height] for i in range(0, len(flat), height)]


def _exactly(
    columns: Sequence[Sequence[Expr]], values: dict[Expr, int], found: Relations[int], effort: float
) -> Relations[Expr] | None:
    """Solve again between the columns that take part in each relation, with the parameters as they are.

    There are never more relations for all values of the parameters than for some, so that as many are all.
    """
    basis, verdicts, proofs = [], [], ProofBudget(effort)
    taking_part = [j for j in range(len(columns)) if any(relation[j] for relation in found.basis)]
    field = common_field([columns[j] for j in taking_part], list(values)) if found.dimension > 1 else None
    for relation in found.basis:
        places = [j for j, c in enumerate(relation) if c]
        chosen = [columns[j] for j in places]
        try:
            again = relations_with_parameters(chosen, list(values), field)
        except ExpressionError:  # too large, or a parameter stands in a sine
            weights, verdict = _guessed(chosen, [relation[j] for j in places], values, proofs)
        else:
            if again.dimension != 1:  # the values of the parameters were special
                return None
            weights, verdict = again.basis[0], again.verdicts[0]
        entries = dict(zip(places, weights, strict=True))
        basis.append([entries.get(j, ZERO) for j in range(len(columns))])
        verdicts.append(verdict)
    return Relations(basis, verdicts, found.complete, found.samples, found.primes)


def _guessed(
    columns: Sequence[Sequence[Expr]], relation: Sequence[int], values: dict[Expr, int], proofs: ProofBudget
) -> tuple[list[Expr], Verdict]:
    """Read the ratios of a relation as numbers times powers of the parameters, and check what that gives."""
    weights = [_monomial(Fraction(c, relation[-1]), values) for c in relation]
    rest = [dot(weights, row) for row in zip(*columns, strict=True)]
    verdict = proofs.all_vanish({f"component {k + 1}": e for k, e in enumerate(rest)})
    if verdict.holds is True or not values:
        return weights, verdict
    raise TooLarge("the relations depend on the parameters in a way that is too large; give some of them values.")


def _monomial(ratio: Fraction, values: dict[Expr, int]) -> Expr:
    """Write a number by powers of the parameters whose values divide it."""
    powers = []
    for parameter, prime in values.items():
        power = 0
        while ratio and ratio.numerator % prime == 0:
            ratio, power = ratio / prime, power + 1
        while ratio.denominator % prime == 0:
            ratio, power = ratio * prime, power - 1
        powers.append((parameter, power))
    return product(powers, ratio)


def combination_of(vectors: Sequence[Sequence[Expr]], target: Sequence[Expr]) -> list[Expr] | None:
    """Return the constants with which independent vectors add up to a target, or None where it is not in their span.

    >>> x, y = symbol("x"), symbol("y")
    >>> combination_of([[x + y], [x - y]], [x])
    [1/2, 1/2]
    """
    found = relations([*vectors, target], effort=0.0, of_last=True).basis
    return [-c / found[0][-1] for c in found[0][:-1]] if found else None


One = TypeVar("One")
Search = TypeVar("Search", bound="LinearSearch[Any]")


@dataclass(frozen=True, slots=True)
class Components:
    """A vector field or 1-form along the constraint, by components that are functions of (t, q, v)."""

    across: tuple[Expr, ...]
    """For the independent coordinates."""
    along: tuple[Expr, ...] = ()
    """For the dependent ones."""

    @classmethod
    def of(cls, across: Sequence[Operand], along: Sequence[Operand] = ()) -> Self:
        """Return what has these components.

        >>> Components.of([1, 0]).across
        (1, 0)
        """
        return cls(tuple(map(as_expr, across)), tuple(map(as_expr, along)))

    @property
    def components(self) -> tuple[Expr, ...]:
        """All components."""
        return self.across + self.along

    def check_shape(self, field: SecondOrderField, what: str) -> None:
        """Refuse components that are not one for each independent and each dependent coordinate."""
        if len(self.across) != len(field.independent) or len(self.along) != len(field.dependent):
            raise ExpressionError(
                f"{what} here has {len(field.independent)} components for the independent coordinates and "
                f"{len(field.dependent)} for the dependent ones."
            )


@dataclass(frozen=True, slots=True)
class LinearSearch(Generic[One]):
    """All that an ansatz contains of what was searched for."""

    field: SecondOrderField
    ansatz: Ansatz
    basis: tuple[One, ...]
    components: tuple[list[Expr], ...]
    """The same by components, each a combination of functions of the ansatz."""
    verdicts: tuple[Verdict, ...]
    complete: Verdict
    """Whether the ansatz contains no others."""
    unknowns: int

    @property
    def dimension(self) -> int:
        """How many independent ones there are, with constant coefficients."""
        return len(self.basis)


def linear_search(
    kind: type[Search],
    field: SecondOrderField,
    ansatz: Ansatz,
    degrees: Sequence[int],
    residuals: Callable[[Sequence[Expr]], Sequence[Expr]],
    made: Callable[[Sequence[Expr], Verdict], object],
    trivial: Sequence[Expr] = (),
) -> Search:
    """Return all solutions of linear determining equations with components in an ansatz.

    ``degrees`` has an entry for each component: its degree in the velocities beyond that of the ansatz. ``residuals``
    are what determining equations leave of components, and ``made`` is what a solution is; functions that are
    ``trivial`` solutions take no part.
    """
    ansatz.guard(sum(ansatz.size(field, more) for more in degrees))
    places = [
        (function, k)
        for more in sorted(set(degrees))
        for function in ansatz.functions(field, more)
        if function not in trivial
        for k, degree in enumerate(degrees)
        if degree == more
    ]
    if not places:
        return kind(field, ansatz, (), (), (), Verdict("proved", "the ansatz contains constants only."), 0)
    candidates = [[function if j == k else ZERO for j in range(len(degrees))] for function, k in places]
    found = relations([residuals(candidate) for candidate in candidates], field.facts)
    functions, slots = [function for function, _ in places], [k for _, k in places]
    components = []
    for weights in found.basis:
        parts = [
            [w if slot == k else ZERO for w, slot in zip(weights, slots, strict=True)] for k in range(len(degrees))
        ]
        components.append([combined(part, functions) for part in parts])
    basis = tuple(map(made, components, found.verdicts))
    return kind(field, ansatz, basis, tuple(components), tuple(found.verdicts), found.complete, len(places))


def combined(weights: Sequence[Expr], functions: Sequence[Expr]) -> Expr:
    """Return a combination of functions, with products opened so that it reads well."""
    terms = [(w, f) for w, f in zip(weights, functions, strict=True) if w.value != 0]
    return total([(1, product([(w, 1), *_factors(f)])) for w, f in terms])


def _factors(node: Expr) -> list[tuple[Expr, int]]:
    return list(zip(node.args, node.data, strict=True)) if node.op == "product" else [(node, 1)]


def claims_of(
    what: str, intrinsic: str, field: SecondOrderField, rests: tuple[Sequence[Expr], Sequence[Expr]], effort: float
) -> tuple[Claim, ...]:
    """Decide whether what the component equations and the intrinsic equation leave, by coordinate, is zero."""
    name = what.partition(" ")[2]
    names = [f"the equation of {q.data.name}" for q in field.coordinates]
    ways = {f"{name} by components": f"the component equations of {what} hold", f"{name} intrinsically": intrinsic}
    claims = []
    for (way, said), rest in zip(ways.items(), rests, strict=True):
        decided = {n: is_zero(e, field.facts, effort=effort) for n, e in zip(names, rest, strict=True)}
        claims.append(Claim(way, said, "question", all_hold(decided)))
    return tuple(claims)
