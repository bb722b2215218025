"""The level set N_mu of momentum with rotations, the Routhian and the equations on it (sections III, VI).

With H_s the lifts of the velocities v^s of Q/G and F_a = B_a^b E_b fields along the orbits, chosen for short formulas,
u = v^s H_s + iota^a F_a. On N_mu F_a(dl/du) = nu_a = B_a^b mu_b, which gives iota where l is quadratic in u (where L
changes along E_b by the rate of a function, this is added to mu_b, and nu depends on more of Q):

    g_ab iota^b = nu_a - F_a (M H v + b),    g_ab = F_a M F_b,    dl/du = M u + b.

Hamel's equations M u' = F along the lifts are Routh's: H_s M (du/dv^t) is the Hessian of R^mu = l - nu_a iota^a, and
the equations along the orbits say that the momenta are constant, which they are. Where the v are rates of unit vectors
n, n n' = 0 is kept: n v' = -v n'; and where they are at right angles to the orbits, E v = 0: E v' = -v E'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.expr.truth import vanish
from dalembert.expr.walk import divisors, substitute, symbols, tree_size
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.groups.matrices import dot, mirrored
from dalembert.mechanics.lagrangian.tangent_frame import FreeMotion, TangentFrame, free_motion
from dalembert.mechanics.routh.without_charts.base import Matrix, Velocities
from dalembert.records import dataclass

_EFFORT = 0.5
"""The work that goes into short formulas."""


@dataclass(frozen=True)
class LevelSetWithoutCharts:
    """N_mu by coordinates, entries and the velocities of Q/G."""

    frame: TangentFrame
    generators: Mapping[str, Sequence[Expr]]
    """E_a by all velocities u."""
    momentum: tuple[Expr, ...]
    """mu_a, by the stated generators."""
    base: Velocities
    gauges: tuple[Expr, ...]
    """F_a, by whose rates L changes: zero where it is invariant."""

    @cached_property
    def short(self) -> SimplificationBudget:
        """Makes formulas shorter where matrices are orthogonal."""
        return SimplificationBudget(_EFFORT, each=0.15, largest=120, modulo=self.frame.relations)

    @cached_property
    def free(self) -> FreeMotion:
        """The motion without further ado: Hamel's equations of l = u M u/2 + b u - V."""
        u = self.frame.velocities
        parts = [
            (Fraction(1, 2), m * x * y)
            for row, x in zip(self.mass, u, strict=True)
            for m, y in zip(row, u, strict=True)
        ]
        parts += [(Fraction(1), b * x) for b, x in zip(self.offset, u, strict=True)]
        (rest,) = substitute([self.frame.lagrangian], self._at_rest)
        return free_motion(self.frame, total([*parts, (Fraction(1), rest)]))

    @property
    def _at_rest(self) -> dict[Expr, Expr]:
        return dict.fromkeys(self.frame.velocities, ZERO)

    @cached_property
    def mass(self) -> list[list[Expr]]:
        """M, symmetric."""
        rows = hessian(self.frame.lagrangian, self.frame.velocities)
        return mirrored([self._written(substitute(row[: i + 1], self._at_rest)) for i, row in enumerate(rows)])

    def _written(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return parts of l by u in short form."""
        return self.read(expressions)

    @cached_property
    def offset(self) -> list[Expr]:
        """What dl/du is at rest, b."""
        return self.short.all(substitute(gradient(self.frame.lagrangian, self.frame.velocities), self._at_rest))

    # -- along the group -----------------------------------------------------------------------------------------
    @cached_property
    def _moving(self) -> tuple[list[list[Expr]], list[Expr], list[list[Expr]]]:
        """F_a by u, nu_a and g_ab, for the shortest g among the stated basis and ones that turn with a rotation."""
        found = []
        levels = [mu + f for mu, f in zip(self.momentum, self.gauges, strict=True)]
        for turned in self.changes():
            rows = [self.short.all([dot(row, column) for column in zip(*self.rows, strict=True)]) for row in turned]
            nu = [dot(row, levels) for row in turned]
            lowered = [[dot(row, line) for line in self.mass] for row in rows]
            upper = [self.short.all([dot(low, other) for other in rows[i:]]) for i, low in enumerate(lowered)]
            size = range(len(rows))
            inner = [[upper[min(i, j)][abs(i - j)] for j in size] for i in size]  # it is symmetric, as the mass is
            found.append((cost([e for row in (*inner, *rows) for e in row]), rows, nu, inner))
        _, rows, nu, inner = min(found, key=lambda one: one[0])
        return rows, nu, inner

    @property
    def rows(self) -> list[list[Expr]]:
        """E_a by u."""
        return [list(row) for row in self.generators.values()]

    def changes(self) -> list[list[list[Expr]]]:
        """Return matrices B: 1, and transposed rotations on three generators, or on two times three."""
        size = len(self.generators)
        whole = [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]
        threes = [three for three in combinations(range(size), 3) if self._is_triple(three)]
        found = [whole]
        for point in self.frame.rotations:
            columns = list(zip(*self.frame.rows(point), strict=True))
            for count in range(1, len(threes) + 1):
                for some in combinations(threes, count):
                    if len({k for three in some for k in three}) == 3 * count:
                        changed = [list(row) for row in whole]
                        for three in some:
                            for i, column in zip(three, columns, strict=True):
                                changed[i] = [ZERO] * size
                                for k, entry in zip(three, column, strict=True):
                                    changed[i][k] = entry
                        found.append(changed)
        return found

    def _is_triple(self, three: Sequence[int]) -> bool:
        """Say whether three generators could be the components of a vector: all turn on the left, or none turns."""
        several = [self.frame.system.symmetry[list(self.generators)[k]] for k in three]
        sides = {tuple(sorted(g.turns.items())) for g in several}
        if not any(g.turns for g in several):
            return three[2] - three[0] == 2
        axes = [[axis for side, axis in g.turns.values() if side == "left"] for g in several]
        return len(sides) == 3 and all(set(found) == {k} for k, found in enumerate(axes, 1))

    @property
    def fields(self) -> list[list[Expr]]:
        """F_a."""
        return self._moving[0]

    @property
    def moving_momentum(self) -> list[Expr]:
        """nu_a."""
        return self._moving[1]

    @property
    def inertia(self) -> list[list[Expr]]:
        """g_ab."""
        return self._moving[2]

    @cached_property
    def horizontal(self) -> list[Expr]:
        """v^s H_s by u."""
        v, lifts = self.base.names, self.base.lifts
        return [
            total([(1, x * h[k]) for x, h in zip(v, lifts, strict=True)]) for k in range(len(self.frame.velocities))
        ]

    @cached_property
    def iota(self) -> list[Expr]:
        """The velocities along F_a."""
        moved = [dot(row, self.horizontal) + b for row, b in zip(self.mass, self.offset, strict=True)]
        right = [nu - dot(row, moved) for nu, row in zip(self.moving_momentum, self.fields, strict=True)]
        return self.read(solve(self.inertia, self.short.all(right)))

    @cached_property
    def velocities(self) -> dict[Expr, Expr]:
        """All velocities u by coordinates, entries and v."""
        found = [
            total([(1, h), *((1, x * row[k]) for x, row in zip(self.iota, self.fields, strict=True))])
            for k, h in enumerate(self.horizontal)
        ]
        return dict(zip(self.frame.velocities, self.short.all(found), strict=True))

    def on(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in u on N_mu."""
        return substitute(expressions, self.velocities)

    def read(self, expressions: Sequence[Expr], *, on_states: bool = False) -> list[Expr]:
        """Return functions in short form, by functions on Q/G alone where they are such.

        ``on_states`` they need only be equal where rates of unit vectors are at right angles to these.
        """
        return [self._read(e, on_states) for e in expressions]

    def _read(self, expression: Expr, on_states: bool) -> Expr:
        section, facts = self.base.section, self.frame.facts
        at = self._states if on_states else {}
        if vanish(substitute([expression], at), facts):
            return ZERO
        if not symbols([expression]).isdisjoint(m.data for m in (*self.base.functions, *section)):
            (there,) = substitute([expression], section)
            found = self._short_on_base[on_states](there)
            poles = set(divisors(section.values()))
            left = not symbols([found]).isdisjoint(m.data for m in section)
            good = not left and poles.isdisjoint(divisors([found]))
            if good and vanish(substitute([found - expression], at), facts):  # else it is no function on Q/G
                return found
        return self.short(expression)

    @cached_property
    def _states(self) -> dict[Expr, Expr]:
        """Velocities by free variables, so that n n' = 0 and those at right angles to orbits are."""
        return {v: total([(1, v), (1, change)]) for v, change in self.turned_back.items()}

    @cached_property
    def turned_back(self) -> dict[Expr, Expr]:
        """What has to be added to velocities that are to be rates of unit vectors, or at right angles to orbits."""
        v, base = self.base.names, self.base
        parts: dict[Expr, list[tuple[int, Expr]]] = {}
        for places, normal in zip(base.spheres, base.normals, strict=True):
            off = total([(1, normal[k] * v[k]) for k in places])
            for k in places:
                parts.setdefault(v[k], []).append((-1, normal[k] * off))
        if base.orbits:
            inner = [[dot(one, other) for other in base.orbits] for one in base.orbits]
            along = solve(inner, [dot(row, v) for row in base.orbits])
            for c, row in zip(along, base.orbits, strict=True):
                for one, e in zip(v, row, strict=True):
                    parts.setdefault(one, []).append((-1, c * e))
        return {one: total(terms) for one, terms in parts.items()}

    @cached_property
    def _short_on_base(self) -> tuple[SimplificationBudget, SimplificationBudget]:
        """Shorten by what holds on Q/G; and on T(Q/G)."""
        units, tangents = [], []
        for places, normal in zip(self.base.spheres, self.base.normals, strict=True):
            units.append(total([(1, normal[k] ** 2) for k in places], -1))
            tangents.append(total([(1, normal[k] * self.base.names[k]) for k in places]))
        relations = (*self.base.there, *units)
        return (
            SimplificationBudget(_EFFORT, each=0.4, largest=300, modulo=relations),
            SimplificationBudget(_EFFORT, each=0.4, largest=300, modulo=(*relations, *tangents)),
        )

    # -- the Routhian and the equations --------------------------------------------------------------------------
    @cached_property
    def routhian(self) -> Expr:
        """R^mu = l - nu_a iota^a, by coordinates, entries and v."""
        (lagrangian,) = self.on([self.free.lagrangian])
        return total([(1, lagrangian), *((-1, n * x) for n, x in zip(self.moving_momentum, self.iota, strict=True))])

    @cached_property
    def energy(self) -> Expr:
        """E on N_mu."""
        return self.read(self.on([self.free.energy]), on_states=True)[0]

    @cached_property
    def reduced_mass(self) -> list[list[Expr]]:
        """H_s M du/dv^t, without what keeps unit vectors.

        It is symmetric: at zero momentum u is linear in v and at right angles to the orbits, by M.
        """
        slopes = jacobian(list(self.velocities.values()), self.base.names)  # by u, then by v
        lowered = [[dot(h, column) for column in zip(*self.mass, strict=True)] for h in self.base.lifts]
        whole = [[dot(low, column) for column in zip(*slopes, strict=True)] for low in lowered]
        half = [self.read(row[: s + 1]) for s, row in enumerate(whole)]
        # where no search makes it short, the entry across may have been made shorter
        return mirrored([[min(e, whole[t][s], key=_length) for t, e in enumerate(row)] for s, row in enumerate(half)])

    @cached_property
    def moving(self) -> dict[Expr, Expr]:
        """The rates of coordinates, entries and time at states of N_mu: of functions on Q/G they have a name."""
        found = dict(zip(self.frame.drive, self.on(list(self.frame.drive.values())), strict=True))
        return found | {x: x.dot for x in self.base.functions if x.dot in self.base.names}

    @cached_property
    def equations(self) -> tuple[list[list[Expr]], list[Expr]]:
        """Mass and force of the accelerations v'."""
        mass, v = [list(row) for row in self.reduced_mass], self.base.names
        bias = tangent(list(self.velocities.values()), self.moving)
        pushed = self.on(list(self.free.force))
        rest = [total([(1, f), (-1, dot(row, bias))]) for f, row in zip(pushed, self.mass, strict=True)]
        force = [dot(h, rest) for h in self.base.lifts]
        for row in self.base.orbits:
            bent = dot(tangent(row, self.moving), v)
            for i, one in enumerate(row):
                mass[i] = [total([(1, m), (1, one * other)]) for m, other in zip(mass[i], row, strict=True)]
                force[i] = total([(1, force[i]), (-1, one * bent)])
        for places, normal in zip(self.base.spheres, self.base.normals, strict=True):
            rates = tangent([normal[k] for k in places], self.moving)
            square = total([(1, v[k] * rate) for k, rate in zip(places, rates, strict=True)])
            scale, even = self._scale(mass, places, normal) if not self.base.orbits else (ONE, None)
            for i in places:
                for j in places:
                    added = total([(1, mass[i][j]), (1, normal[i] * normal[j])])
                    mass[i][j] = added if even is None else even if i == j else ZERO
                force[i] = total([(1, force[i]), (-1, scale * normal[i] * square)])
        return mass, self.read(force, on_states=True)

    def _scale(self, mass: Matrix, places: Sequence[int], normal: Sequence[Expr]) -> tuple[Expr, Expr | None]:
        """Return s with which s n n^T is added, and s again where that makes the mass a multiple of 1."""
        half = self._read(total([(1, mass[k][k]) for k in places]) / 2, False)
        off = [
            total([(1, mass[i][j]), (1, half * normal[i] * normal[j]), (-1, half if i == j else ZERO)])
            for i in places
            for j in places
        ]
        even = vanish(off, self.frame.facts) and not vanish([half], self.frame.facts)
        return (half, half) if even else (ONE, None)


def _length(expression: Expr) -> tuple[int, int]:
    return cost([expression]), tree_size(expression)
