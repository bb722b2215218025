"""The structure of a symmetry algebra that was found, and how its orbits lie.

Brackets are those of the fields, so that what is printed can be checked by hand. Fields are independent where a minor
of their components is not zero: the exceptional set is where all minors vanish. On a rotation the components are the
angular velocities in the body, so that minors are polynomials in the entries of its matrix. Entries that are numbers
are eliminated first: most fields are shifts, and then few minors are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, islice

from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.linear.exact import determinant
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.text.printer import signed_sum
from dalembert.expr.truth import Fact, Facts, Verdict, depends_on, generic_rank, never_zero, vanish, vanishing
from dalembert.expr.truth.signs import never_zero_on_sphere
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.levi import LeviDecomposition, levi_decomposition
from dalembert.geometry.groups.matrices import Vector
from dalembert.geometry.groups.named_bases import StandardBasis, standard_bases
from dalembert.geometry.groups.names import UNKNOWN
from dalembert.geometry.quaternions import body_rates
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator
from dalembert.model.system import System
from dalembert.records import dataclass

_MOST_MINORS = 40
_TIDY = 0.3


@dataclass(frozen=True)
class Structure:
    """A Lie algebra by the brackets of its fields, taken apart and named."""

    algebra: LieAlgebra
    """With the brackets of the fields: [X_a, X_b] = C_ab^c X_c."""

    @cached_property
    def parts(self) -> tuple[StandardBasis, ...]:
        """The direct summands, each with the basis that has the brackets of its name."""
        return standard_bases(self.algebra)

    @cached_property
    def levi(self) -> LeviDecomposition:
        """The radical, and a semisimple subalgebra beside it."""
        return levi_decomposition(self.algebra)

    @property
    def name(self) -> str:
        """What the algebra is called: its summands, those without a name by their Levi decomposition.

        >>> from dalembert.geometry.groups import lie_algebra
        >>> Structure(lie_algebra("zabc", {("z", "a"): {"a": 1}, ("z", "b"): {"b": 2}, ("z", "c"): {"c": 3}})).name
        'solvable of dimension 4'
        """
        return " + ".join(sorted(self._called(part) for part in self.parts)) or "0"

    def _called(self, part: StandardBasis) -> str:
        if part.name != UNKNOWN:
            return part.name
        inner = self.algebra.restricted(part.vectors)
        found = levi_decomposition(inner)
        if not found.levi:
            kind = "nilpotent" if inner.is_nilpotent else "solvable"
            return f"{kind} of dimension {inner.dimension}"
        if not found.radical:
            return f"semisimple of dimension {inner.dimension}"
        over, under = (Structure(inner.restricted(v)).name for v in (found.levi, found.radical))
        return f"({over} acting on {under})"

    @property
    def brackets(self) -> tuple[str, ...]:
        """The brackets that are not zero, in words."""
        names, C = self.algebra.names, self.algebra.constants
        return tuple(
            f"[{names[a]}, {names[b]}] = {self.written(C[a][b])}"
            for a, b in combinations(range(len(names)), 2)
            if any(c is not ZERO for c in C[a][b])
        )

    def written(self, vector: Vector) -> str:
        """Return a vector as a combination of the fields."""
        return signed_sum((c, name) for name, c in zip(self.algebra.names, vector, strict=True) if c is not ZERO)

    @property
    def said(self) -> Iterator[str]:
        """Sentences: brackets, standard bases, centre, derived series, Levi decomposition."""
        if len(self.algebra.names) < 2:
            return
        if self.algebra.is_abelian:
            yield "All brackets vanish."
            return
        yield f"Brackets: {', '.join(self.brackets)}; all others vanish."
        for part in self.parts:
            if part.labels and part.name[:1] != "R":
                pairs = zip(part.labels, part.vectors, strict=True)
                yield f"{part.name} by {', '.join(f'{label} = {self.written(v)}' for label, v in pairs)}."
        series = [len(step) for step in self.algebra.derived_series()]
        centre = ", ".join(self.written(v) for v in self.algebra.centre())
        yield f"Centre: {centre or 'none'}. Dimensions of the derived series: {', '.join(map(str, series))}."
        if self.levi.levi:
            over = ", ".join(self.written(v) for v in self.levi.levi)
            under = ", ".join(self.written(v) for v in self.levi.radical)
            yield f"Levi decomposition: semisimple {over}; radical {under or 'none'}."


# -- orbits ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Spread:
    """How many directions some fields span, and where these are fewer."""

    rank: int
    """At generic points."""
    wanted: int
    verdict: Verdict
    """Whether they span as many as are wanted at all points."""
    locus: tuple[Expr, ...] = ()
    """They span fewer where all of these vanish, and only there; empty where that was not written down."""

    @property
    def where(self) -> str:
        """In words, after "at"."""
        if self.rank < self.wanted:
            return "no point"
        if self.verdict.holds:
            return "all points"
        if not self.locus:
            return "generic points"
        return f"all points but where {' = '.join(text(e) for e in self.locus)} = 0"


@dataclass(frozen=True, slots=True)
class Orbits:
    """How the orbits of the symmetries that leave time alone lie in the configurations."""

    free: Spread
    """Are the fields independent? Then stabilisers are discrete."""
    spanning: Spread | None
    """Do they span all directions together with those that the constraints allow, D + V = TQ? None without constraints
    linear in the velocities."""
    common: int
    """The dimension of what orbits and constraints have in common at generic points."""
    velocities: int
    """The dimension of the configurations."""


def orbits_of(motions: Motions, generators: Sequence[Generator]) -> Orbits | None:
    """Return how the orbits of some fields lie; None where there are none, or where positions are constrained.

    >>> pen = System.of(name="pen", coordinates={"x": "real", "y": "real", "theta": "angle"},
    ...     lagrangian="x'^2 + y'^2 + theta'^2", constraints={"edge": "x'*sin(theta) = y'*cos(theta)"})
    >>> found = orbits_of(Motions(pen), [Generator({pen.q[0]: ONE})])
    >>> found.free.where, found.spanning.where, found.common
    ('all points', 'all points but where sin(theta) = 0', 0)
    """
    system, equations = motions.system, motions.names.equations
    held = [name for name in system.holonomic if name not in system.units]
    if not generators or held or equations.configuration or set(equations.kinematics) != set(system.q):
        return None
    size = len(system.q) - len(system.points)
    rows = [[one.components.get(q, ZERO) for q in system.q] for one in generators]
    free = _spread(system, rows, len(rows))
    speeds = list(equations.kinematics.values())
    slopes = jacobian(speeds, equations.velocities)
    place = {q: k for k, q in enumerate(equations.kinematics)}
    allowed = [[slopes[place[q]][a] for q in system.q] for a in range(len(equations.velocities))]
    flat = [e for row in allowed for e in row]
    bound = system.constraints.keys() - system.units
    if not bound or len(allowed) == size or depends_on(flat, [*equations.velocities, symbol(TIME)]):
        return Orbits(free, None, free.rank, size)
    spanning = _spread(system, [*rows, *allowed], size)
    return Orbits(free, spanning, free.rank + len(allowed) - spanning.rank, size)


def _spread(system: System, rows: Sequence[Sequence[Expr]], wanted: int) -> Spread:
    rank = generic_rank(rows)
    if rank.rank < wanted:
        return Spread(rank.rank, wanted, Verdict("refuted", f"there are {rank.rank} directions at generic points."))
    named, opened = _by_speeds(system, rows)
    named, left = _without_numbers(named, wanted, opened, facts_of(system))
    if not left:
        return Spread(rank.rank, wanted, Verdict("proved", "a minor is a number other than zero."))
    width = len(named[0])
    choices = ((r, c) for r in combinations(range(len(named)), left) for c in combinations(range(width), left))
    chosen = list(islice(choices, _MOST_MINORS + 1))
    locus: dict[Expr, None] = {}
    spheres = [point.components for point in system.points]
    for r, c in chosen[:_MOST_MINORS]:
        try:
            minor = determinant([[named[i][k] for k in c] for i in r])
            if minor.op not in {"number", "symbol"}:
                minor = tidy(minor, _TIDY)
        except ExpressionError:
            return Spread(rank.rank, wanted, Verdict("undecided", "a minor is large."))
        (value,) = substitute([minor], opened)
        if vanish([value], facts_of(system)):
            continue
        if never_zero(value).kind == "proved" or (spheres and never_zero_on_sphere(value, spheres)):
            return Spread(rank.rank, wanted, Verdict("proved", f"the minor {text(minor)} is never zero."))
        locus[_bare(minor)] = None
    if len(chosen) > _MOST_MINORS:
        return Spread(rank.rank, wanted, Verdict("undecided", "there are many minors."))
    zeros = tuple(dict.fromkeys(_entry(e, opened, facts_of(system)) for e in locus))
    squares = tidy(sum((substitute([e], opened)[0] ** 2 for e in zeros), start=ZERO), _TIDY)
    if len(zeros) > 1 and (
        never_zero(squares).kind == "proved" or (spheres and _never_zero_there(squares, spheres, facts_of(system)))
    ):
        return Spread(rank.rank, wanted, Verdict("proved", "the minors are never all zero."))
    return Spread(rank.rank, wanted, Verdict("undecided", "it fails where all minors vanish, if anywhere."), zeros)


def _entry(minor: Expr, opened: Mapping[Expr, Expr], facts: Sequence[Fact]) -> Expr:
    """Return the entry of a rotation that has the zeros of a minor, a multiple of it; the minor where there is none."""
    if minor in opened:
        return minor
    apply = Facts.of(facts).apply
    multiples = (
        name
        for name, e in opened.items()
        if any(row[0] for row in constant_null_space(apply([*substitute([minor], opened), e])).basis)
    )
    return next(multiples, minor)


def _without_numbers(
    rows: Sequence[Sequence[Expr]], wanted: int, opened: Mapping[Expr, Expr], facts: Sequence[Fact]
) -> tuple[list[list[Expr]], int]:
    """Return rows with a rank that is smaller by as many at every point as the number they are wanted to have.

    Entries that are numbers serve as pivots: each takes a row and a column off, and what is left has few minors, which
    are small. Of all such entries the one is taken that changes the fewest others.

    >>> x = symbol("x")
    >>> _without_numbers([[ONE, x, ZERO], [x, x**2 + 1, ZERO]], 2, {}, ())
    ([], 0)
    >>> _without_numbers([[ONE, x, ZERO], [x, x**2 + x, ZERO]], 2, {}, ())
    ([[x, 0]], 1)
    """
    left = [list(row) for row in rows]
    while wanted:
        weight = [sum(e is not ZERO for e in row) for row in left]
        height = [sum(e is not ZERO for e in column) for column in zip(*left, strict=True)]
        pivots = [
            ((weight[i] - 1) * (height[k] - 1), i, k)
            for i, row in enumerate(left)
            for k, e in enumerate(row)
            if e.op == "number" and e is not ZERO
        ]
        if not pivots:
            break
        _, i, k = min(pivots)
        wanted -= 1
        over = left.pop(i)
        inverse, others = ONE / over[k], over[:k] + over[k + 1 :]
        for n, row in enumerate(left):
            ratio = row.pop(k) * inverse
            if ratio is not ZERO:
                fresh = [tidy(a - ratio * b, _TIDY) for a, b in zip(row, others, strict=True)]
                zero = vanishing(substitute(fresh, opened), facts)
                left[n] = [ZERO if none else e for e, none in zip(fresh, zero, strict=True)]
    return (left, wanted) if wanted else ([], 0)


def _never_zero_there(value: Expr, spheres: Sequence[Sequence[Expr]], facts: Sequence[Fact]) -> bool:
    """Say whether a value has no zero on spheres: where it is 1 on them, or is shown not to vanish."""
    return vanish([value - 1], facts) or never_zero_on_sphere(value, spheres)


def _bare(minor: Expr) -> Expr:
    """Return a minor without what is never zero, and without powers."""
    if minor.op == "sum" and len(minor.args) == 1 and not minor.data[0]:
        minor = minor.args[0]
    if minor.op != "product":
        return minor
    kept = [base for base, e in zip(minor.args, minor.data, strict=True) if e > 0 and never_zero(base).kind != "proved"]
    found = ONE
    for base in kept:
        found = found * base
    return found


def _by_speeds(system: System, rows: Sequence[Sequence[Expr]]) -> tuple[list[list[Expr]], dict[Expr, Expr]]:
    """Return components of fields with angular velocities of bodies for quaternions, and what names in them are."""
    facts, opened = facts_of(system), dict[Expr, Expr]()
    place = {q: k for k, q in enumerate(system.q)}
    bodies = [point for point in system.points if point.is_rotation]
    found = []
    for row in rows:
        rest = [e for q, e in zip(system.q, row, strict=True) if all(q not in b.components for b in bodies)]
        for body in bodies:
            names = {symbol(name): e for name, e in body.entries.items()}
            opened |= names
            options = {ZERO: ZERO, ONE: ONE, -ONE: -ONE, **names, **{-s: -e for s, e in names.items()}}
            rates = body_rates(body.components, [row[place[q]] for q in body.components])
            rest += [next((s for s, e in options.items() if vanish([rate - e], facts)), rate) for rate in rates]
        found.append(rest)
    return found, opened
