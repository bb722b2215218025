"""In which order the lifted system is eliminated, so that it stays sparse and pivots are known not to vanish.

Lifts go from the last to the first, each with the equation that gives it, by a pivot that is -1; velocities when no
lift that is left needs them: this is the recursion from the tips of a tree to its root, and what is divided by is the
inertia that a part shows to the one before it. Multipliers of constraints that are kept go last: what is divided by is
then A M^-1 A^T, which is definite wherever the constraints are independent. Of many loops in a row some have to go
before, or operations would not grow as the loops do: those that most velocities were eliminated for. What they divide
by may vanish where the whole is regular, so it is watched.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.polynomials import Polynomial
from dalembert.expr.sparse import SparseSystem

_FRONT = 3
"""The most multipliers that velocities are eliminated beside: of more, some are eliminated before."""
_SLACK = 2
"""How many more velocities than constraints must have been eliminated for that."""


class EliminationOrder:
    """The order of elimination: lifts from the last to the first, velocities when no lift that is left needs them."""

    def __init__(
        self,
        system: SparseSystem,
        lifts: Sequence[tuple[Expr, Expr]],
        velocities: Mapping[Expr, bool],
        multipliers: Sequence[Expr],
    ) -> None:
        """Take lifts with their momenta, velocities and whether they are free, and multipliers of constraints."""
        self.system = system
        self._pairs = lifts
        self._momenta = {w for _, w in self._pairs}
        self._multipliers = set(multipliers)
        self._waiting = dict(velocities)
        """Velocities that are left, and whether they are free."""
        self.kept = all(self._waiting.values())
        """Whether the constraints are kept by their multipliers."""
        self._slack = dict.fromkeys(multipliers, 0)
        """How many more velocities than multipliers have been eliminated that a multiplier was coupled to."""
        self.sure = True
        """Whether no multiplier was eliminated before velocities that it is coupled to."""
        self._whole: dict[Expr, Expr] = {}
        """The diagonal entries of multipliers when all velocities had been eliminated."""
        self.guards: list[tuple[Expr, Expr]] = []
        """What must not be small beside what."""

    def run(self) -> bool:
        """Eliminate; say whether nothing is left."""
        if self.kept:  # what only constraints know of: the more velocities are gone, the stronger are their pivots
            self._look([one for one in self._waiting if self._multipliers.issuperset({*self.system.rows[one]} - {one})])
        for one, other in reversed(self._pairs):
            near = self._near(one, other)
            self.system.put_in(one, other)
            self._look(near)
        while self._look(list(self._waiting)):
            pass
        return not self.system.rows

    def _near(self, *names: Expr) -> list[Expr]:
        """Return what is coupled to some unknowns, the last first."""
        near = {c for name in names for c in self.system.rows[name]} - set(names)
        return sorted(near, key=self.system.ring.place, reverse=True)

    def _look(self, names: Iterable[Expr]) -> bool:
        """Eliminate what can be among some unknowns, and then among their neighbours; say whether there was any."""
        left, done = list(names), False
        while left:
            name = left.pop(0)
            near = self._eliminated(name)
            if near is not None:
                left, done = [*near, *left], True
        return done

    def _eliminated(self, name: Expr) -> list[Expr] | None:
        """Eliminate a velocity or a multiplier if that can be done; return its neighbours."""
        row = self.system.rows.get(name)
        if row is None or not self._momenta.isdisjoint(row):
            return None
        if name in self._multipliers:
            if not self.kept or name not in row or not self._multipliers.issuperset(row):
                return None
            self._compare(name)
        elif name not in self._waiting:
            return None
        elif not self._waiting[name]:
            return self._given(name)
        elif name not in row or not (self.kept or self._multipliers.isdisjoint(row)):
            return None
        else:
            self._relieve(row)
        return self._divided(name)

    def _relieve(self, row: Mapping[Expr, Polynomial]) -> None:
        """Eliminate multipliers of a row that has many, those first that most velocities have been eliminated for.

        The diagonal entry of a multiplier is minus the sum of what these velocities make of its constraint: with more
        of them than constraints they share it vanishes at some points only.
        """
        while len(held := self._multipliers.intersection(row)) > _FRONT:
            best = max(held, key=lambda c: (self._slack[c], self.system.ring.place(c)))
            if self._slack[best] < _SLACK or not self._momenta.isdisjoint(self.system.rows[best]):
                return
            self.sure = False
            self._guard(best)
            self._divided(best)

    def _compare(self, name: Expr) -> None:
        """Note what is left of the pivot of a multiplier beside what it was when all velocities had been eliminated.

        Where constraints nearly lose rank that is little, and a linear system with pivots by size keeps more digits.
        """
        ring, rows = self.system.ring, self.system.rows
        for one in rows[name]:
            if one not in self._whole and one in rows[one] and self._multipliers.issuperset(rows[one]):
                rows[one][one] = ring.named(rows[one][one])
                self._whole[one] = ring.expression(rows[one][one])
        left = ring.expression(rows[name][name])
        if left is not self._whole[name]:
            self.guards.append((left, self._whole[name]))

    def _guard(self, name: Expr) -> None:
        """Note what makes a pivot d weak: c^2/|d| beside the entry that it is added to, for an entry c of its row."""
        ring, rows = self.system.ring, self.system.rows
        near = [c for c in rows[name] if c not in self._multipliers and c in rows[c]]
        if near:
            c = min(near, key=lambda c: (len(rows[name][c]), len(rows[c][c]), ring.place(c)))
            rows[c][c], rows[name][name] = ring.named(rows[c][c]), ring.named(rows[name][name])
            side = ring.named(rows[name][c])
            small, large = ring.times(rows[name][name], rows[c][c]), ring.times(side, side)
            self.guards.append((ring.expression(small), ring.expression(large)))

    def _divided(self, name: Expr) -> list[Expr]:
        """Eliminate an unknown by its diagonal entry; return its neighbours."""
        near = self._near(name)
        for one in near:
            if one in self._multipliers:
                self._slack[one] += -1 if name in self._multipliers else 1
        self._waiting.pop(name, None)
        self.system.divide(name)
        return near

    def _given(self, name: Expr) -> list[Expr] | None:
        """Eliminate a velocity that a constraint gives, by a factor that is a number or made of parameters."""
        row = self.system.rows[name]
        found = [c for c in row if c in self._multipliers and self._is_constant(row[c])]
        if not found:
            return None
        best = min(found, key=lambda c: (len(self.system.rows[c]), self.system.ring.place(c)))
        near = self._near(name, best)
        del self._waiting[name]
        self.system.put_in(name, best, short=True)
        return near

    def _is_constant(self, entry: Polynomial) -> bool:
        """Say whether an entry is a number or a product of parameters."""
        parts = [self.system.ring.parts[place] for monomial in entry for place, _ in monomial]
        return len(entry) == 1 and all(part.op == "symbol" and part.data.role == "parameter" for part in parts)
