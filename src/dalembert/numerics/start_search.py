"""One start, found: positions, then velocities, then what monitors decide; or a sentence that says why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import symbols
from dalembert.model.completed import around, aside, completed
from dalembert.model.faults import quoted
from dalembert.model.least import CLOSE, RANK, Found, Task, least, nullspace
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape
from dalembert.numerics.not_free import not_free_at
from dalembert.numerics.outcome import AT_STOP, holds_already
from dalembert.numerics.start import Start
from dalembert.numerics.start_rows import Rows, Wish, at_guesses, stops_on_places

_NO_METRIC = "there is no kinetic energy here to complete a start by"
_SINGULAR = 1e8
"""Velocities that change so fast with the state, or are so large beside what is given, are so only beside a pole."""


class Unreachable(EvaluationError):
    """What must hold cannot hold at once."""


class Search:
    """The search for one start, with values."""

    def __init__(
        self,
        start: Start,
        parameters: Sequence[float],
        begin: float,
        given: Mapping[Expr, float],
        watched: Mapping[str, float],
        near: Mapping[Expr, float] | None = None,
    ) -> None:
        self.start, self.parameters, self.begin, self.given = start, list(parameters), begin, given
        self.near = dict(near or {})
        by_label = {q.data.label: value for q, value in self.near.items()}
        self._aims = np.array([by_label.get(wish.label, 0.0) for wish in start.usual])
        self.values: dict[Any, float] = {None: 0.0, **given, **watched}
        known = {**dict.fromkeys(start.fixed, 0.0), **given}
        self._whole = np.array([known.get(v, 0.0) for v in start.variables])
        self._free = [k for k, v in enumerate(start.variables) if v not in known]

    @np.errstate(invalid="ignore")  # what does not exist is not a number, and is told in words
    def found(self) -> Array:
        """Return the values of all variables, or say why there are none."""
        start = self.start
        z = np.array([self.near.get(v, x) for v, x in zip(start.free, start.first_guess, strict=True)])
        if not start.free:
            self._refuse_contradiction(z)
            return self._full(z)
        if start.places or start.usual:
            z = self._positions(z)
        return self._full(self._refuse_undetermined(self._monitors(self._velocities(z))))

    def _full(self, z: Array) -> Array:
        full = self._whole.copy()
        full[self._free] = z
        return full

    def _point(self, z: Array) -> list[float]:
        return [self.begin, *self._full(z).tolist(), *self.parameters]

    def _wanted(self, wishes: Sequence[Wish]) -> Array:
        return np.array([self.values[wish.key] for wish in wishes])

    # -- positions -----------------------------------------------------------------------------------------------
    def _positions(self, first: Array) -> Array:
        """Return where the positions are: those given, and of the others those nearest to the guesses, or to zero."""
        start = self.start
        wanted = self._wanted(start.places)

        def look(z: Array) -> tuple[Array, Array, Array, Array]:
            (values, slopes), (usual, usual_slopes) = start.at_places(self._point(z))
            return values - wanted, slopes, usual - self._aims, usual_slopes

        def bend(z: Array, *weights: Array) -> Array:
            found = start.place_bending([*self._point(z), *np.concatenate(weights).tolist()])
            return np.array(found).reshape(len(z), len(z))

        def search(matrix: Array) -> Found:
            task = Task(look, matrix, bend, np.abs(wanted), start.signs, self._turning(), self._admits)
            for one in (task, replace(task, admits=lambda _: True)):  # where nothing counts that is said later
                found = least(
                    one, first, lambda _: start.guesses, lambda z: z + start.guesses[0], decided=not start.usual
                )
                if found.kind != "unmet":
                    break
            return found

        first = at_guesses(look, first, [wish.key is not None for wish in start.places]) if self.near else first
        found = search(np.eye(len(start.usual)))
        if found.kind == "unmet":
            raise Unreachable(self._refusal(found.z))
        if np.abs(found.e).max(initial=0.0) > 1e-13:  # the aims would be the nearest in any metric
            metric = self._metric_of_places()
            if metric is not None:
                found = search(metric)
            elif found.moves.any():
                raise EvaluationError(self._asked(start.usual, found.moves, _NO_METRIC))
            self._refuse_open(found, start.usual, found.z)
        return found.z

    def _admits(self, z: Array) -> bool:
        """Say whether a motion may begin at some positions: its stops, as far as these are about them, are positive."""
        return all(value > 0 for value in self._stops(z).values())

    def _stops(self, z: Array) -> dict[str, float]:
        words, inputs = self.start.words, self.start.inputs
        names, tape = words.kept(("stops", *inputs), lambda: stops_on_places(words, inputs))
        return dict(zip(names, tape(self._point(z)), strict=True)) if names else {}

    def _turning(self) -> Array:
        system = self.start.words.system
        angles = {q.data.label for q in system.q if q.data.domain == "angle"} if system is not None else set()
        return np.array([wish.label in angles for wish in self.start.usual], dtype=bool)

    def _metric_of_places(self) -> Array | None:
        """Return the metric at the point given, with zeros for what is not, on the coordinates that are left out."""
        start, system = self.start, self.start.words.system
        if start.stated_metric is None or system is None:
            return None
        at = [self.given.get(q, self.near.get(q, 0.0)) for q in system.q]
        n = len(at)
        whole = np.array(start.stated_metric([self.begin, *at, *self.parameters])).reshape(n, n)
        labels = [wish.label for wish in start.usual]
        chosen = [k for k, q in enumerate(system.q) if q.data.label in labels]
        part: Array = whole[np.ix_(chosen, chosen)]
        return part if np.isfinite(part).all() else None

    # -- velocities ----------------------------------------------------------------------------------------------
    def _velocities(self, base: Array) -> Array:
        """Return the point with the velocities completed; positions stay."""
        start = self.start
        wanted = self._wanted(start.places), self._wanted(start.speeds)
        stated = self._stated(base)
        usual: Array | None = None
        ways = self._without_positions(base)

        def look(y: Array) -> tuple[Array, Array, Array, Array]:
            nonlocal usual
            places, positions, speeds, (e, slopes) = start.at_speeds(self._point(base + ways @ y))
            usual = positions[0] if usual is None else usual
            residual = [places[0] - wanted[0], positions[0] - usual, speeds[0] - wanted[1]]
            rows = [places[1], positions[1], speeds[1]]
            if stated is not None:
                residual, rows = [*residual, e - stated], [*rows, slopes]
            return np.concatenate(residual), np.vstack(rows) @ ways, e, slopes @ ways

        def bend(y: Array, *weights: Array) -> Array:
            point = self._point(base + ways @ y)
            found = start.speed_bending([*point, *np.concatenate(weights).tolist()])
            whole: Array = ways.T @ np.array(found).reshape(len(base), len(base)) @ ways
            return whole

        size, scale = ways.shape[1], 1 + max(map(abs, self.given.values()), default=0.0)
        sizes = np.concatenate([np.abs(wanted[0]), np.zeros(len(start.usual)), np.abs(wanted[1])])
        sizes = sizes if stated is None else np.concatenate([sizes, np.abs(stated)])
        task = Task(look, np.eye(len(start.velocities)), bend, sizes)

        if start.is_decided or stated is not None:
            guesses = around(size, scale)
            found = least(task, np.zeros(size), lambda _: guesses, lambda y: y + aside(size), decided=True)
        else:
            missing = np.array([wish.key is None for wish in start.velocities])
            found = completed(task, size, missing, lambda: self._metric(base), scale)
            self._refuse_open(found, start.velocities, base + ways @ found.z)
        z = base + ways @ found.z
        if found.kind == "unmet":
            raise Unreachable(self._refusal(z, stated))
        return z

    def _stated(self, base: Array) -> Array | None:
        """Return the stated velocities where constraints are bent in them; None where they are not, or nothing is open.

        Which velocities have the least energy is then a matter of the constraints alone, on all their sheets.
        """
        start, stated = self.start, self.start.by_stated
        if stated is None:
            return None
        head = [self.begin, *stated.places(self._point(base))]
        at = [k for k, v in enumerate(stated.speeds) if v in stated.left]
        first = np.array([self.given.get(v, 0.0) for v in stated.speeds])
        turn = np.eye(len(first))[:, at]

        def point(y: Array) -> list[float]:
            return [*head, *(first + turn @ y).tolist(), *self.parameters, *(self.given[one] for one in stated.told)]

        def look(y: Array) -> tuple[Array, Array, Array, Array]:
            return (*stated(point(y)), first + turn @ y, turn)

        def bend(y: Array, multipliers: Array, _: Array) -> Array:
            found = stated.bending([*point(y), *multipliers.tolist()])
            return np.array(found).reshape(len(y), len(y))

        here, there = (stated(point(np.random.default_rng(seed).uniform(0.5, 1.5, len(at))))[1] for seed in (22, 23))
        if (np.abs(here - there) <= 1e-11 * (1 + np.abs(here))).all():
            return None
        task = Task(look, np.eye(len(first)), bend, np.zeros(len(stated.held)))
        missing = np.array([v in stated.left for v in stated.speeds])
        scale = 1 + float(np.abs(first).max(initial=0.0))
        found = completed(task, len(at), missing, lambda: self._metric(base), scale)
        if found.kind == "unmet":
            return None  # what is wrong is said in the variables of the equations
        self._refuse_open(found, start.velocities, base)
        return found.e

    def _without_positions(self, z: Array) -> Array:
        """Return the directions in which no position changes."""
        start = self.start
        if not (start.places or start.usual) or not start.free:
            return np.eye(len(z))
        (_, slopes), (_, usual) = start.at_places(self._point(z))
        own = [k for k, wish in enumerate(start.places) if not wish.residual]
        rows = np.vstack([slopes[own], usual])
        if not np.isfinite(rows).all():
            raise EvaluationError(self._singular())
        return nullspace(rows)

    def _metric(self, z: Array) -> Array | None:
        """Return the kinetic matrix at the positions of a point, or None where there is none."""
        found = self.start.metric_at(self._point(z))
        return found if found is not None and np.isfinite(found).all() else None

    # -- monitors ------------------------------------------------------------------------------------------------
    def _monitors(self, z: Array) -> Array:
        """Return the point at which monitors have the values given, as far as all else leaves something open."""
        start = self.start
        if not start.monitors:
            return z
        z, off = self._met(z, start.at_monitors, start.monitors)
        if off is not None:
            raise EvaluationError(f"what the start says of monitors cannot be met: {off}.")
        return z

    def _met(self, z: Array, rows: Rows, wishes: Sequence[Wish]) -> tuple[Array, str | None]:
        """Return the point at which some wishes, the last of some rows, are met too; or those that cannot be."""
        wanted = self._wanted(wishes)
        *groups, (_, slopes) = rows(self._point(z))
        rest = nullspace(np.vstack([part for _, part in groups]))
        if not np.isfinite(slopes).all() or np.abs(slopes @ rest).max(initial=0.0) < RANK:
            return z, None
        aims = [values for values, _ in groups]

        def look(point: Array) -> tuple[Array, Array, Array, Array]:
            several = rows(self._point(point))
            residual = [values - aim for (values, _), aim in zip(several, (*aims, wanted), strict=True)]
            slopes = np.vstack([part for _, part in several])
            return np.concatenate(residual), slopes, np.zeros(0), np.zeros((0, len(z)))

        sizes = np.concatenate([*(np.zeros(len(aim)) for aim in aims), np.abs(wanted)])
        task = Task(look, np.zeros((0, 0)), lambda *_: np.zeros((0, 0)), sizes)
        guesses = [z + rest @ g[: rest.shape[1]] for g in self.start.guesses]
        found = least(task, z, lambda _: guesses, lambda y: y, decided=True)
        gaps = zip(wishes, wanted, rows(self._point(found.z))[-1][0] - wanted, strict=True)
        off = [
            f"'{w.label}' is {x + r:.6g} instead of {x:.6g}" for w, x, r in gaps if not abs(r) <= CLOSE * (1 + abs(x))
        ]
        return (z, ", ".join(off)) if off or found.kind == "unmet" else (found.z, None)

    # -- saying why not ------------------------------------------------------------------------------------------
    def _asked(self, wishes: Sequence[Wish], unclear: Array, why: str) -> str:
        """Return the sentence that asks for what a start leaves open."""
        labels = [quoted(w.label) for w, is_open in zip(wishes, unclear, strict=True) if is_open and w.key is None]
        labels = labels or [quoted(w.label) for w in wishes if w.key is None]
        are, value = ("is", "a value") if len(labels) == 1 else ("are", "values")
        return f"the start does not say what {', '.join(labels)} {are}, and {why}; give {value}."

    def _refuse_open(self, found: Found, wishes: Sequence[Wish], z: Array) -> None:
        """Refuse a start that the metric does not complete; on a stop no value that is asked for would help."""
        if found.kind == "open":
            for name, value in self._stops(z).items():
                if value < AT_STOP:
                    raise EvaluationError(holds_already(name, value))
            why = "the quadratic part of the Lagrangian is singular or indefinite on what is left open"
            if wishes is self.start.velocities and self._metric(z) is None:
                why = _NO_METRIC
            raise EvaluationError(self._asked(wishes, found.unclear, why))
        if found.kind == "several":
            what = "are as near to zero" if wishes is self.start.usual else "have the same least kinetic energy"
            raise EvaluationError(
                self._asked(wishes, found.unclear, f"several states that obey the constraints {what}")
            )

    def _refuse_undetermined(self, z: Array) -> Array:
        """Refuse a state that what is given does not determine, also with zeros for multipliers that are not given.

        Of lift variables the begin may be anything, say 0.
        """
        start = self.start
        rows = start.at_monitors if start.monitors else start.at_speeds
        unclear = self._open(z, rows)
        if unclear and start.spare:
            there, off = self._met(z, start.at_spare, start.spare)
            z, unclear = (z, unclear) if off is not None else (there, self._open(there, start.at_spare))
        if unclear:
            are = "is" if len(unclear) == 1 else "are"
            known = [name for name in start.words.equations.monitors if name.startswith("multiplier ")]
            more = f", or values of {', '.join(map(quoted, known))}" if known else ""
            open_ = f"the start does not say what {', '.join(unclear)} {are}; give a value{more}."
            raise EvaluationError(self._fixed() or open_)
        return z

    def _open(self, z: Array, rows: Rows) -> list[str]:
        """Return the variables that some rows do not determine."""
        start = self.start
        slopes = np.vstack([slopes for _, slopes in rows(self._point(z))])
        if not np.isfinite(slopes).all():
            raise EvaluationError(self._singular())
        loose = nullspace(slopes)
        lift = set(start.words.equations.reconstruction)
        return [
            quoted(v.data.label)
            for v, row in zip(start.free, loose, strict=True)
            if np.abs(row).max(initial=0.0) > 1e-6 and v not in lift
        ]

    def _refuse_contradiction(self, z: Array) -> None:
        """Refuse values that leave nothing open and do not obey what must hold."""
        start = self.start
        hard = [*start.places, *start.speeds]
        stated = self._stated(z)
        places, _, speeds, (e, _) = start.at_speeds(self._point(z))
        if not np.isfinite(e).all():
            raise Unreachable(self._refusal(z))
        wanted, found = self._wanted(hard), np.concatenate([places[0], speeds[0]])
        if stated is not None:
            wanted, found = np.concatenate([wanted, stated]), np.concatenate([found, e])
        if not (np.abs(found - wanted) <= CLOSE * (1 + np.abs(wanted))).all():
            raise Unreachable(self._refusal(z, stated))

    def _refusal(self, z: Array, stated: Array | None = None) -> str:
        """Return the sentence for a start that cannot be: each constraint that fails, with its residual."""
        start = self.start
        hard = [*start.places, *start.speeds]
        places, _, speeds, (e, _) = start.at_speeds(self._point(z))
        residual = np.concatenate([places[0], speeds[0]]) - self._wanted(hard)
        if not np.isfinite(residual).all():
            return self._fixed() or "the equations do not exist at the start; give values where they do."
        slopes = np.vstack([places[1], speeds[1]])
        sizes = slopes.ravel().tolist() + (e / (1 + max(map(abs, self.values.values())))).tolist()
        if not np.abs(sizes).max(initial=0.0) <= _SINGULAR:
            return self._singular()
        off = {name: r for name, r in self._constraint_residuals(z).items() if abs(r) > CLOSE}
        if off:
            return self._contradiction(off)
        rows = [(w.label, self.values[w.key], r) for w, r in zip(hard, residual, strict=True) if abs(r) > CLOSE]
        if stated is not None:
            gaps = zip(start.velocities, stated, e - stated, strict=True)
            rows += [(w.label, value, r) for w, value, r in gaps if abs(r) > CLOSE and w.key is None]
        listed = ", ".join(f"{label} is {value + r:.6g} instead of {value:.6g}" for label, value, r in rows)
        return (
            f"the start cannot be reached in the {start.words.equations.formalism} equations: at the nearest state "
            f"found, {listed}; change the start, or the values (of momenta, of parameters) that these equations hold "
            "fixed."
        )

    def _contradiction(self, off: Mapping[str, float]) -> str:
        """Return what is wrong with a start that misses constraints: of a machine, which joints and contacts."""
        system = self.start.words.system
        machine = None if system is None else system.mechanism
        remedy = f"change it, or leave out {self._could_follow(off)}"
        if system is not None and any(name in system.holonomic for name in off) and self._could_follow(off):
            remedy += ", or state it in [start.near], as a guess"
        told = [] if machine is None else machine.apart(off)
        others = {name: one for name, one in off.items() if machine is None or not machine.said(name)}
        listed = ", ".join(f"'{name}' by {one:.6g}" for name, one in others.items())
        told += [f"the start contradicts the constraints, {listed}"] if others else []
        return f"{'; '.join(told)}; {remedy}."

    def _could_follow(self, constraints: Iterable[str]) -> str:
        """Name the values given of which some follow from the others by constraints."""
        stated = [self.start.constraints[name] for name in constraints]
        by_place = any(not any(s.order for s in symbols([one])) for one in stated)
        given = [v for v in self.given if v.data in symbols(stated) and (by_place or v.data.order)]
        names = ", ".join(sorted(str(v.data.label) for v in given))
        return f"what follows from the rest of {names}" if len(given) > 1 else names or "values that follow"

    def _singular(self) -> str:
        name = self.start.words.equations.formalism
        plain = f"the {name} equations are singular at the start; start elsewhere, or use another formalism."
        return self._fixed() or plain

    def _fixed(self) -> str:
        """Return that the group that was divided out does not act freely at the start, where that is so."""
        start, words = self.start, self.start.words
        if words.system is None or not words.equations.reconstruction:
            return ""
        parameters = dict(zip(start.inputs[1 + len(start.variables) :], self.parameters, strict=True))
        told = not_free_at(words.system, self.given, parameters)
        name = words.equations.formalism
        return (
            told
            and f"the {name} equations do not exist at the start: {told}; begin elsewhere, or leave generators out."
        )

    def _constraint_residuals(self, z: Array) -> dict[str, float]:
        """Return the residual of each constraint at the values given, and at those found where none is given."""
        start, words = self.start, self.start.words
        stated = start.constraints
        present = sorted(symbols(stated.values()), key=lambda s: s.stamp)
        variables = [symbol(s) for s in present if s.role == "variable"]
        at = dict(zip(variables, Tape(words.all_translated(variables), start.inputs)(self._point(z)), strict=True))
        at |= {v: self.given[v] for v in variables if v in self.given}
        inputs = [symbol(TIME), *at, *start.inputs[1 + len(start.variables) :]]
        plain = define(list(stated.values()), dict(words.definitions))
        return dict(zip(stated, Tape(plain, inputs)([self.begin, *at.values(), *self.parameters]), strict=True))
