"""The state at the begin of a motion, found from whatever the user says of it.

What is said may be about coordinates and velocities as stated, about state and lift variables, or about implicit
unknowns. All of it, the constraints and the residuals of implicit unknowns, must hold; what is left out is as near to
zero as that allows. Positions come first: a coordinate that is not given is zero whatever the velocities are, and only
then the velocities. Multipliers and other monitors that are given come last, for what is still open (costates).
Equations for the variables come from ``configuration`` and its rate along the motions, with the exact Jacobian, and are
solved by the method of Gauss and Newton, level by level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import symbols
from dalembert.model.faults import quoted
from dalembert.model.trajectory import Array
from dalembert.numerics.tape import Tape
from dalembert.numerics.wording import Wording

__all__ = ["Start", "initial_state"]

_CLOSE = 1e-9
"""Residuals below this, relative to the values that go in, are rounding."""
_RANK = 1e-10
"""Singular values below this part of the largest count as zero."""
_SINGULAR = 1e8
"""Velocities that change so fast with the state do so only beside a pole."""
_GUESSES = 24
_ITERATIONS = 60


@dataclass(frozen=True, slots=True)
class _Wish:
    """Something that should be zero: an expression in the variables minus the value it should have."""

    label: str
    expression: Expr
    value: float = 0.0
    level: int = 3
    """1: positions and residuals that must hold, 2: usual positions, 3: velocities that must, 4: usual velocities,
    5: monitors, which must hold where something is left open for them."""


class _Rows:
    """Wishes as numbers: residuals and their Jacobian by the free variables."""

    def __init__(self, wishes: Sequence[_Wish], free: Sequence[Expr], inputs: Sequence[Expr]) -> None:
        self.wishes = list(wishes)
        self.roots = [wish.expression for wish in wishes]
        slopes = jacobian(self.roots, free) if self.roots and free else []
        self.program = [*self.roots, *(entry for row in slopes for entry in row)]
        self._tape, self._roots = Tape(self.program, inputs), Tape(self.roots, inputs)
        self._shape = (len(self.roots), len(free))
        self.values = np.array([wish.value for wish in wishes])

    def __call__(self, point: Sequence[float]) -> tuple[Array, Array]:
        """Return residuals and Jacobian; what does not exist is not a number."""
        return self.split(np.array(self._tape(point), dtype=np.float64))

    def split(self, found: Array) -> tuple[Array, Array]:
        """Return residuals and Jacobian from the values of the program."""
        rows = self._shape[0]
        return found[:rows] - self.values, found[rows:].reshape(self._shape)

    def residuals(self, point: Sequence[float]) -> Array:
        """Return the residuals alone, at a fraction of the cost."""
        found: Array = np.array(self._roots(point), dtype=np.float64) - self.values
        return found


class _Levels:
    """The rows of all levels, read together: what they share is computed once."""

    def __init__(self, levels: Sequence[_Rows], inputs: Sequence[Expr]) -> None:
        self._levels = levels
        self._whole = Tape([e for rows in levels for e in rows.program], inputs)
        self._roots = Tape([e for rows in levels for e in rows.roots], inputs)
        self._ends = np.cumsum([len(rows.program) for rows in levels])[:-1]
        self._root_ends = np.cumsum([len(rows.roots) for rows in levels])[:-1]

    def __call__(self, point: Sequence[float]) -> list[tuple[Array, Array]]:
        """Return residuals and Jacobian of each level; where something does not exist nothing is a number."""
        found = np.split(np.array(self._whole(point), dtype=np.float64), self._ends)
        return [rows.split(part) for rows, part in zip(self._levels, found, strict=True)]

    def residuals(self, point: Sequence[float]) -> list[Array]:
        """Return the residuals of each level alone."""
        found = np.split(np.array(self._roots(point), dtype=np.float64), self._root_ends)
        return [part - rows.values for rows, part in zip(self._levels, found, strict=True)]


def initial_state(
    words: Wording,
    parameters: Mapping[Expr, float],
    begin: float,
    given: Mapping[Expr, float],
    watched: Mapping[str, float] | None = None,
) -> tuple[Array, Array]:
    """Return the values of all state and lift variables, and those of the implicit unknowns.

    ``given`` are the values of variables and of stated coordinates and velocities, ``watched`` those of monitors.
    Raises ``EvaluationError`` where what is given contradicts the constraints (with the residual of each one by its
    name), cannot be reached in these equations, or does not say enough.
    """
    return Start(words, parameters, begin, given, watched or {}).found()


class Start:
    """One start to be found."""

    def __init__(
        self,
        words: Wording,
        parameters: Mapping[Expr, float],
        begin: float,
        given: Mapping[Expr, float],
        watched: Mapping[str, float],
    ) -> None:
        self.words, self.given, self.begin, self.parameters = words, dict(given), begin, dict(parameters)
        self.variables = words.variables
        self.free = [v for v in self.variables if v not in self.given]
        self.inputs = [symbol(TIME), *self.variables, *parameters]
        self._check_names()
        monitors = words.equations.monitors
        wishes = [*self._demands(), *self._usual(), *(_Wish(n, monitors[n], v, 5) for n, v in watched.items())]
        self.hard = _Rows([wish for wish in wishes if wish.level in {1, 3}], self.free, self.inputs)
        self.levels = [_Rows([w for w in wishes if w.level == k], self.free, self.inputs) for k in (1, 2, 3, 4, 5)]
        self.together = _Levels(self.levels, self.inputs)

    # -- what is wanted ------------------------------------------------------------------------------------------
    def _check_names(self) -> None:
        for one in self.given:
            if self.words.meaning(one.data) is None:
                label = quoted(one.data.label)
                raise EvaluationError(
                    f"the start gives a value to {label}, which is no variable of the "
                    f"{self.words.equations.formalism} equations; leave it out."
                )

    def _demands(self) -> list[_Wish]:
        """Return what must hold: values given, constraints, residuals."""
        words, system = self.words, self.words.system
        wishes = [
            _Wish(one.data.label, words.translated(one), value, 3 if one.data.order else 1)
            for one, value in self.given.items()
            if one not in self.variables
        ]
        if system is not None:
            wishes += [
                _Wish(name, words.translated(f), level=1 if name in system.holonomic else 3)
                for name, f in self._constraints().items()
            ]
        unknowns = words.equations.implicit
        return wishes + [_Wish(f"the residual of {u.data.label}", f, level=1) for u, f in unknowns.items()]

    def _constraints(self) -> dict[str, Expr]:
        """Return the constraints on positions, then on velocities, as far as these equations know what is in them."""
        system = self.words.system
        if system is None:
            return {}
        stated = {name: equation.expression for name, equation in system.holonomic.items()}
        for name, constraint in system.constraints.items():
            stated[name if constraint.origin != "holonomic" else f"rate of {name}"] = constraint.expression
        return {
            name: f for name, f in stated.items() if all(self.words.meaning(one) is not None for one in symbols([f]))
        }

    def _usual(self) -> list[_Wish]:
        """Return what is as near to zero as possible: the coordinates and velocities that are not given."""
        system = self.words.system
        if system is None:
            return []
        own = {s.data for s in self.variables}
        names = {q.data.name for q in system.q}
        wanted: dict[Symbol, None] = dict.fromkeys([q.data for q in system.q])
        wanted |= dict.fromkeys([v.data for v in system.v])
        wanted |= dict.fromkeys(s for s in own if s.name in names and s.order)
        wishes = []
        for one in wanted:
            meaning = self.words.meaning(one)
            if symbol(one) in self.given or meaning is None:
                continue
            if not one.order and one.domain in {"positive", "negative", "nonzero"}:
                raise EvaluationError(f"'{one.label}' needs a start value, for it is {one.domain} and cannot be zero.")
            wishes.append(_Wish(one.label, meaning, level=4 if one.order else 2))
        return wishes

    # -- finding it ----------------------------------------------------------------------------------------------
    def found(self) -> tuple[Array, Array]:
        """Return the values, or say why there are none."""
        best: Array | None = None
        least = (np.inf, np.inf)
        for guess in self.guesses():
            z = self._descend(guess)
            size = self._violation(z)
            if size < least:
                best, least = z, size
            if max(least) <= _CLOSE:
                break
        if best is None or max(least) > _CLOSE:
            raise EvaluationError(self._refusal(best))
        self._refuse_undetermined(best)
        full = self._full(best)
        count = len(self.words.equations.state) + len(self.words.equations.lift)
        return full[:count], full[count:]

    def guesses(self) -> list[Array]:
        """Return where to begin: at zero, then at fixed places around it."""
        random = np.random.default_rng(20)
        kinds = [v.data.domain for v in self.free]
        first = np.array([{"positive": 1.0, "negative": -1.0, "nonzero": 1.0}.get(kind, 0.0) for kind in kinds])
        others = random.uniform(-1.5, 1.5, (_GUESSES, len(kinds)))
        for k, kind in enumerate(kinds):
            if kind == "angle":
                others[:, k] *= 2  # nearly all the way round
            if kind in {"positive", "negative"}:
                others[:, k] = np.abs(others[:, k]) * (1 if kind == "positive" else -1)
        return [first, *others] if self.free else [first]

    def _full(self, z: Array) -> Array:
        free = dict(zip(self.free, z, strict=True))
        return np.array([free[v] if v in free else self.given[v] for v in self.variables], dtype=np.float64)

    def _point(self, z: Array) -> list[float]:
        return [self.begin, *self._full(z).tolist(), *self.parameters.values()]

    def _violation(self, z: Array) -> tuple[float, float]:
        """Return the largest residual of what must hold, of positions and of velocities, relative to what goes in."""
        point = self._point(z)
        signs = {"positive": 1, "negative": -1}
        if any(signs.get(v.data.domain, 0) * x < 0 for v, x in zip(self.free, z.tolist(), strict=True)):
            return np.inf, np.inf  # a root, but on the other sheet of the coordinates
        sizes = [1e-16, 1e-16]  # what is rounding is no reason to prefer one guess to another
        for k, rows in enumerate((self.levels[0], self.levels[2])):
            residual = rows.residuals(point)
            if not residual.size:
                continue
            if not np.isfinite(residual).all():
                return np.inf, np.inf
            weight = 1 + np.abs(rows.values) + float(np.max(np.abs(z), initial=0.0))
            size = float(np.max(np.abs(residual) / weight))
            sizes[k] = size if size > _CLOSE else 1e-16
        return sizes[0], sizes[1]

    def _descend(self, z: Array) -> Array:
        """Meet what must hold, and of all ways to do so take the one nearest to what is usual."""
        if not self.free:
            return z
        for _ in range(_ITERATIONS):
            point = self._point(z)
            levels = self.together(point)
            if not all(np.isfinite(array).all() for pair in levels for array in pair):
                break
            merit = _merit([residual for residual, _ in levels])
            step = _step(levels, len(self.free))
            part = self._room(z, step)
            while part > 1e-4 and not self._helps(z + part * step, merit):
                part /= 2
            z = z + part * step
            if np.abs(step).max() <= 1e-15 * (1 + np.abs(z).max()):
                break
        return z

    def _room(self, z: Array, step: Array) -> float:
        """Return how much of a step can be taken before a variable that has a sign would lose most of itself."""
        part = 1.0
        for v, value, change in zip(self.free, z.tolist(), step.tolist(), strict=True):
            if v.data.domain in {"positive", "negative"} and value * change < 0:
                part = min(part, 0.9 * abs(value / change))
        return part

    def _helps(self, z: Array, merit: float) -> bool:
        point = self._point(z)
        new = _merit(self.together.residuals(point))
        return new < merit or new <= 1e-9 * (1 + float(np.abs(z).max()))

    # -- saying why not ------------------------------------------------------------------------------------------
    def _refuse_undetermined(self, z: Array) -> None:
        """Refuse a state that what is given does not determine; of lift variables the begin may be anything, say 0."""
        if not self.free:
            return
        point = self._point(z)
        slopes = np.vstack([rows(point)[1] for rows in self.levels])
        if not np.isfinite(slopes).all():
            raise EvaluationError(self._singular())
        if slopes.size:
            _, sizes, directions = np.linalg.svd(slopes)
            rank = int(np.sum(sizes > _RANK * max(1.0, sizes[0]))) if sizes.size else 0
            loose = directions[rank:]
        else:
            loose = np.eye(len(self.free))
        lift = set(self.words.equations.lift)
        unclear = [
            quoted(v.data.label)
            for v, column in zip(self.free, loose.T, strict=True)
            if np.abs(column).max(initial=0.0) > 1e-6 and v not in lift
        ]
        if unclear:
            said = (
                f"the start does not say what {', '.join(unclear)} {'is' if len(unclear) == 1 else 'are'}; give a value"
            )
            known = [name for name in self.words.equations.monitors if name.startswith("multiplier ")]
            more = f", or values of {', '.join(map(quoted, known))}" if known else ""
            raise EvaluationError(f"{said}{more}.")
        self._refuse_unmet(point)

    def _refuse_unmet(self, point: list[float]) -> None:
        """Refuse values of monitors that do not come out, unless all else leaves nothing open for them."""
        rows = self.levels[4]
        if not rows.wishes:
            return
        above = np.vstack([level(point)[1] for level in self.levels[:4]])
        residual, slopes = rows(point)
        _, sizes, directions = np.linalg.svd(above)
        rank = int(np.sum(sizes > _RANK * max(1.0, sizes[0]))) if sizes.size else 0
        if rank == len(self.free) or np.abs(slopes @ directions[rank:].T).max(initial=0.0) < _RANK:
            return
        off = [(w, r) for w, r in zip(rows.wishes, residual, strict=True) if abs(r) > _CLOSE * (1 + abs(w.value))]
        if off:
            listed = ", ".join(f"'{w.label}' is {w.value + r:.6g} instead of {w.value:.6g}" for w, r in off)
            raise EvaluationError(f"what the start says of monitors cannot be met: {listed}.")

    def _refusal(self, z: Array | None) -> str:
        """Return the sentence for a start that cannot be: each constraint that fails, with its residual."""
        if z is None or not np.isfinite(self.hard(self._point(z))[0]).all():
            return "the equations do not exist at the start; give values where they do."
        formalism = self.words.equations.formalism
        if np.abs(self.hard(self._point(z))[1]).max(initial=0.0) > _SINGULAR:
            return self._singular()
        off = {name: r for name, r in self._constraint_residuals(z).items() if abs(r) > _CLOSE}
        if off:
            listed = ", ".join(f"'{name}' by {residual:.6g}" for name, residual in off.items())
            return f"the start contradicts the constraints, {listed}; change it, or leave out velocities that follow."
        residual, _ = self.hard(self._point(z))
        rows = [(w, r) for w, r in zip(self.hard.wishes, residual, strict=True) if abs(r) > _CLOSE]
        listed = ", ".join(f"{w.label} is {w.value + r:.6g} instead of {w.value:.6g}" for w, r in rows)
        return (
            f"the start cannot be reached in the {formalism} equations: at the nearest state found, {listed}; change "
            "the start, or the values (of momenta, of parameters) that these equations hold fixed."
        )

    def _singular(self) -> str:
        formalism = self.words.equations.formalism
        return f"the {formalism} equations are singular at the start; begin elsewhere, or in another formalism."

    def _constraint_residuals(self, z: Array) -> dict[str, float]:
        """Return the residual of each constraint at the values given, and at those found where none is given."""
        stated = self._constraints()
        present = sorted(symbols(stated.values()), key=lambda s: s.stamp)
        variables = [symbol(s) for s in present if s.role == "variable"]
        meanings = [self.words.translated(v) for v in variables]
        at = dict(zip(variables, Tape(meanings, self.inputs)(self._point(z)), strict=True))
        at |= {v: self.given[v] for v in variables if v in self.given}
        inputs = [symbol(TIME), *at, *self.parameters]
        values = Tape([self._plain(f) for f in stated.values()], inputs)(
            [self.begin, *at.values(), *self.parameters.values()]
        )
        return dict(zip(stated, values, strict=True))

    def _plain(self, expression: Expr) -> Expr:
        from dalembert.expr.calculus import define

        return define([expression], dict(self.words.definitions))[0]


def _merit(residuals: Sequence[Array]) -> float:
    """Return one number for all levels; each counts a thousand times as much as the next."""
    sizes = [float(np.linalg.norm(residual)) for residual in residuals]
    return sum(size * weight for size, weight in zip(sizes, (1e6, 1e3, 1.0, 1e-3, 1e-6), strict=True))


def _step(levels: Sequence[tuple[Array, Array]], size: int) -> Array:
    """Return the step that does the best for each level to first order, among those that are best for all before it."""
    step, free = np.zeros(size), np.eye(size)
    for residual, slopes in levels:
        if not residual.size or not free.shape[1]:
            continue
        left, sizes, right = np.linalg.svd(slopes @ free)
        rank = int(np.sum(sizes > _RANK * max(1.0, sizes[0]))) if sizes.size else 0
        wanted = left[:, :rank].T @ (residual + slopes @ step)
        step = step - free @ (right[:rank].T @ (wanted / sizes[:rank]))
        free = free @ right[rank:].T
    return step
