"""The state at the begin of a motion, found from the values that the user gives.

Values may be those of coordinates and velocities as stated, of state and lift variables, or of implicit unknowns. All
of them, the constraints and the residuals of implicit unknowns, must hold. The rest is completed in this order:

- a coordinate is zero if that is possible, else the coordinates are those nearest to zero in the metric at the point
  with the coordinates given and zeros. A guess at one ([start.near]) stands in for zero: so a mechanism is assembled
  from a rough start, and values that are given stay as they are;
- velocities are zero if that is possible, else as :mod:`dalembert.model.completed` has it. That rule is about the
  stated velocities (angular ones for rotations), whatever the variables of the formalism are;
- multipliers and other monitors that are given come last, for what is still open (costates); multipliers that are not
  given are zero there.

A start that this does not complete is refused, and the message names the velocities to give. Symbols are prepared once
for what is given (:class:`Start`); another start with values for the same names costs arithmetic only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr import truth
from dalembert.expr.calculus import define, tangent
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.lifting import evidently_affine
from dalembert.expr.readers.floats import Arrays
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import evaluate, symbols
from dalembert.model.faults import quoted
from dalembert.model.kept import Shelf
from dalembert.model.least import by_velocities, kinetic_matrix, kinetic_momenta, velocities_of
from dalembert.model.remembered import likeness_of, recalled, remembered, worked_out
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape
from dalembert.numerics.start_rows import ByStated, Rows, Wish, bending, related
from dalembert.numerics.start_values import moves
from dalembert.numerics.wording import NameResolver

# -- the state -----------------------------------------------------------------------------------------------
_GUESSES = 24
_MANY = 24
"""The kinetic matrix of so many velocities is known by its columns alone."""


def initial_state(
    words: NameResolver,
    parameters: Mapping[Expr, float],
    begin: float,
    given: Mapping[Expr, float],
    watched: Mapping[str, float] | None = None,
    near: Mapping[Expr, float] | None = None,
) -> tuple[Array, Array]:
    """Return the values of all state and lift variables, and those of the implicit unknowns.

    ``given`` are the values of variables and of stated coordinates and velocities, ``watched`` those of monitors,
    ``near`` guesses at coordinates.
    Raises ``EvaluationError`` where what is given contradicts the constraints (with the residual of each one by its
    name), cannot be reached in these equations, or does not say enough.
    """
    unturned = _unturned(given, words)
    if unturned:
        try:
            return _found(words, parameters, begin, {**given, **unturned}, watched or {}, near or {})
        except EvaluationError as refused:  # constraints on positions may ask for something else
            try:
                return _found(words, parameters, begin, given, watched or {}, near or {})
            except EvaluationError:
                raise refused from None
    return _found(words, parameters, begin, given, watched or {}, near or {})


def _unturned(given: Mapping[Expr, float], words: NameResolver) -> dict[Expr, float]:
    """Return the components of rotations and directions of which nothing is said: none, and that of z."""
    points = () if words.system is None else words.system.points
    free = [point for point in points if not any(q in given for q in point.components)]
    return {q: v for one in free if moves(one, words) for q, v in one.completed({}).items()}


def _found(
    words: NameResolver,
    parameters: Mapping[Expr, float],
    begin: float,
    given: Mapping[Expr, float],
    watched: Mapping[str, float],
    near: Mapping[Expr, float],
) -> tuple[Array, Array]:
    names_given = tuple(parameters), tuple(given), tuple(watched), tuple(near)
    key = ("start", *names_given)
    said = (begin, *parameters.values(), *given.values(), *watched.values(), *near.values())

    def search() -> tuple[float, ...]:
        from dalembert.numerics.start_search import Search, Unreachable

        def found(*, held: bool) -> tuple[float, ...]:
            start = words.kept((*key, held), lambda: Start(words, *names_given, held=held))
            try:
                return tuple(Search(start, list(parameters.values()), begin, given, watched, near).found().tolist())
            except Unreachable:
                if not start.momenta:
                    raise
                return found(held=False)  # the values given are of another level, and these equations allow it

        return found(held=True)

    def once() -> tuple[float, ...]:
        origins = [likeness_of(one) for one in (words.equations, words.system) if one is not None]
        known = tuple(one for one in origins if one is not None)
        if len(known) < len(origins):
            return search()
        names = [[repr(one.data) for one in table] for table in (parameters, given, near)]
        return recalled((*known, "start", repr((*names, [*watched], [float(one).hex() for one in said]))), search)

    full = np.array(words.kept(("starts",), lambda: Shelf(8))((key, said), once))
    count = len(words.equations.state) + len(words.equations.reconstruction)
    return full[:count], full[count:]


def _kinetic_matrix(system: System, *, angular: bool) -> list[list[Expr]] | None:
    return remembered(system, f"kinetic matrix {angular}", lambda: kinetic_matrix(system, angular=angular))


def _which_vanish(expressions: Sequence[Expr]) -> list[bool]:
    """Return which expressions are zero; mostly all of them are, and then one question is enough."""
    weights = [symbol(Symbol(f"weight {k}")) for k in range(len(expressions))]
    if truth.is_zero(total([(1, w * f) for w, f in zip(weights, expressions, strict=True)])).holds is True:
        return [True] * len(expressions)
    return [truth.is_zero(one).holds is True for one in expressions]


class Start:
    """What a start with values for some names has to meet: expressions, and their derivatives by what is free."""

    def __init__(
        self,
        words: NameResolver,
        parameters: Sequence[Expr],
        given: Sequence[Expr],
        watched: Sequence[str] = (),
        near: Sequence[Expr] = (),
        *,
        held: bool = True,
    ) -> None:
        self.words, self.given, self.variables, self.near = words, tuple(given), words.variables, tuple(near)
        self.inputs = [symbol(TIME), *self.variables, *parameters]
        self._check_names()
        self.places = self._places()
        self.usual = self._usual()
        self.momenta = self._momenta_held() if held else []
        self.speeds = [*self._speeds(), *self.momenta]
        self.velocities = self._velocities()
        monitors = words.equations.monitors
        self.monitors = [Wish(name, monitors[name], name) for name in watched]
        spare = [name for name in monitors if name.startswith("multiplier ") and name not in watched]
        self.spare = [Wish(name, monitors[name]) for name in spare]
        self.fixed = self._fixed()
        self.usual = [wish for wish in self.usual if wish.expression not in self.fixed]
        known = {*self.given, *self.fixed}
        self.free = tuple(v for v in self.variables if v not in known)

    @cached_property
    def at_places(self) -> Rows:
        """What is said of positions: what must hold, then what is usual."""
        return Rows([self.places, self.usual], self.free, self.inputs)

    @cached_property
    def at_speeds(self) -> Rows:
        """All that must hold, by positions and velocities, and the velocities."""
        return Rows([self.places, self.usual, self.speeds, self.velocities], self.free, self.inputs)

    @cached_property
    def at_monitors(self) -> Rows:
        """The same, and the monitors."""
        groups = [self.places, self.usual, self.speeds, self.velocities, self.monitors]
        return Rows(groups, self.free, self.inputs)

    @cached_property
    def at_spare(self) -> Rows:
        """The same, and the multipliers that are not given."""
        groups = [self.places, self.usual, self.speeds, self.velocities, self.monitors, self.spare]
        return Rows(groups, self.free, self.inputs)

    @property
    def is_decided(self) -> bool:
        """Whether all velocities are given."""
        return all(wish.key is not None for wish in self.velocities)

    # -- what is wanted ------------------------------------------------------------------------------------------
    def _check_names(self) -> None:
        for one in self.given:
            if self.words.meaning(one.data) is None:
                label = quoted(one.data.label)
                raise EvaluationError(
                    f"the start gives a value to {label}, which is not a variable of the "
                    f"{self.words.equations.formalism} equations; leave it out."
                )

    def _told(self, order: bool) -> list[Wish]:
        """Return what is given of stated coordinates, or of velocities and speeds, that are no variables here."""
        system = self.words.system
        moving = () if system is None else system.speeds
        outside = [one for one in self.given if one not in self.variables]
        outside = [one for one in outside if (bool(one.data.order) or one in moving) is order]
        return [Wish(one.data.label, self.words.translated(one), one) for one in outside]

    def _places(self) -> list[Wish]:
        """Return what must hold of positions: values given, constraints; and the residuals of implicit unknowns."""
        system, words = self.words.system, self.words
        held = {} if system is None else {n: f for n, f in self.constraints.items() if n in system.holonomic}
        unknowns = words.equations.implicit
        return [
            *self._told(order=False),
            *self._asking(held),
            *(Wish(f"the residual of {u.data.label}", f, residual=True) for u, f in unknowns.items()),
        ]

    def _speeds(self) -> list[Wish]:
        """Return what must hold of velocities."""
        system = self.words.system
        held = {} if system is None else {n: f for n, f in self.constraints.items() if n not in system.holonomic}
        return [*self._told(order=True), *self._asking(held), *related(self.words)]

    def _momenta_held(self) -> list[Wish]:
        """Return that momenta have the values of [momentum], as far as that does not hold by itself."""
        system = self.words.system
        if system is None or system.lagrangian is None or system.order > 1 or not system.momentum:
            return []
        fields = {name: [one.components.get(q, ZERO) for q in system.q] for name, one in system.symmetry.items()}
        rows = [c.expression for c in system.stated_constraints.values()]
        held: dict[str, Expr] = {}
        for name, mu in system.momentum.items():
            momentum = self.words.equations.monitors.get(f"momentum {name}")
            if system.stated_constraints:  # kept if the constraints allow the symmetry
                moved = tangent(rows, dict(zip(system.v, fields[name], strict=True)))
                momentum = tangent([system.lagrangian], dict(zip(system.v, fields[name], strict=True)))[0]
                momentum = momentum if truth.vanish(moved) else None
            if momentum is not None:
                held[f"the momentum of {name}"] = momentum - mu
        return self._asking(held)

    def _asking(self, held: Mapping[str, Expr]) -> list[Wish]:
        """Return constraints in the variables of the equations, without those that hold there by themselves.

        Their values and derivatives would be rounding, which must not be taken for something to meet.
        """
        meanings = self.words.all_translated(list(held.values()))
        zeros = worked_out("hold by themselves", meanings, lambda: _which_vanish(meanings))
        both = zip(held, meanings, zeros, strict=True)
        return [Wish(name, f) for name, f, vanishes in both if not vanishes]

    @cached_property
    def constraints(self) -> dict[str, Expr]:
        """The constraints on positions, then on velocities, as far as these equations know what is in them."""
        system = self.words.system
        if system is None:
            return {}
        stated = {name: equation.expression for name, equation in system.holonomic.items()}
        for name, constraint in system.constraints.items():
            stated[name if constraint.origin != "holonomic" else f"rate of {name}"] = constraint.expression
        return {
            name: f for name, f in stated.items() if all(self.words.meaning(one) is not None for one in symbols([f]))
        }

    def _usual(self) -> list[Wish]:
        """Return the coordinates that are not given, which are zero if they can be."""
        wishes = []
        for q in () if self.words.system is None else self.words.system.q:
            meaning = self.words.meaning(q.data)
            if q in self.given or meaning is None:
                continue
            if q.data.domain in {"positive", "negative", "nonzero"} and q not in self.near:
                label = q.data.label
                raise EvaluationError(f"'{label}' needs a start value: it is {q.data.domain} and cannot be zero.")
            wishes.append(Wish(q.data.label, meaning))
        return wishes

    def _velocities(self) -> list[Wish]:
        """Return the velocities that are completed; those given have their own name as a key."""
        system = self.words.system
        if system is None:
            return []
        names = {q.data.name for q in system.q}
        wanted: dict[Symbol, None] = dict.fromkeys([v.data for v in velocities_of(system)])
        wanted |= dict.fromkeys(s.data for s in self.variables if s.data.name in names and s.data.order)
        found = {one: self.words.meaning(one) for one in wanted}
        return [
            Wish(one.label, meaning, symbol(one) if symbol(one) in self.given else None)
            for one, meaning in found.items()
            if meaning is not None
        ]

    def _fixed(self) -> frozenset[Expr]:
        """Return the coordinates that are left out, are variables themselves, and that nothing else asks for."""
        asked = {symbol(one) for one in symbols([wish.expression for wish in self.places])}
        return frozenset(w.expression for w in self.usual if w.expression in self.variables) - asked - {*self.near}

    # -- stated velocities -----------------------------------------------------------------------------------------
    @cached_property
    def by_stated(self) -> ByStated | None:
        """The constraints on stated velocities, where all that is given is about what is stated."""
        system = self.words.system
        if system is None or self.is_decided or not self.constraints or not self._has_all:
            return None
        moving = list(velocities_of(system))
        told = [one for one in self.given if one in system.speeds and one not in moving]
        if not {*system.q, *moving, *told}.issuperset(self.given):
            return None
        if any(self.words.meaning(q.data) is None for q in system.q):
            return None
        held = [
            f for name, f in self.constraints.items() if name not in system.holonomic and name[8:] not in system.units
        ]
        held += [system.speeds[one] - one for one in told]
        plain = define(by_velocities(system, held), dict(self.words.definitions))
        if evidently_affine(plain, moving):  # they bend nowhere
            return None
        left = [v for v in moving if v not in self.given]
        parameters = self.inputs[1 + len(self.variables) :]
        places = Tape([self.words.translated(q) for q in system.q], self.inputs)
        return ByStated(plain, system.q, moving, left, [*parameters, *told], places, told)

    # -- the metric ----------------------------------------------------------------------------------------------
    @property
    def _has_all(self) -> bool:
        """Whether the equations know all velocities that are completed, and no other."""
        system = self.words.system
        return system is not None and [w.label for w in self.velocities] == [
            v.data.label for v in velocities_of(system)
        ]

    @cached_property
    def metric(self) -> Tape | None:
        """The kinetic matrix at a point of the equations; None where there is none in their terms."""
        system = self.words.system
        rows = None if system is None or not self._has_all else _kinetic_matrix(system, angular=True)
        if rows is None:
            return None
        try:
            return Tape(self.words.all_translated([entry for row in rows for entry in row]), self.inputs)
        except ExpressionError:  # a coordinate that these equations have lost
            return None

    def metric_at(self, point: Sequence[float]) -> Array | None:
        """Return the kinetic matrix at a point, None where there is none; a large one is not written down for that."""
        n = len(self.velocities)
        if n < _MANY:
            return None if self.metric is None else np.array(self.metric(point)).reshape(n, n)
        if self._momenta is None:
            return None
        along, momenta = self._momenta
        known = {**dict(zip(self.inputs, point, strict=True)), **dict(zip(along, np.eye(n), strict=True))}
        with np.errstate(all="ignore"):
            return np.array([np.broadcast_to(one, n) for one in evaluate(momenta, Arrays(known))])

    @cached_property
    def _momenta(self) -> tuple[list[Expr], list[Expr]] | None:
        """The products of the kinetic matrix with directions, by the variables of the equations."""
        system = self.words.system
        if system is None or system.lagrangian is None or system.order > 1 or not self._has_all:
            return None
        along, momenta = kinetic_momenta(system)
        try:
            return along, self.words.all_translated(momenta)
        except ExpressionError:  # a coordinate that these equations have lost
            return None

    @cached_property
    def stated_metric(self) -> Tape | None:
        """The kinetic matrix in the stated coordinates, as a function of time, these, and parameters."""
        system = self.words.system
        rows = None if system is None else _kinetic_matrix(system, angular=False)
        if rows is None or system is None:
            return None
        flat = define([entry for row in rows for entry in row], dict(self.words.definitions))
        return Tape(flat, [symbol(TIME), *system.q, *self.inputs[1 + len(self.variables) :]])

    # -- guesses and bending -------------------------------------------------------------------------------------
    @cached_property
    def first_guess(self) -> Array:
        """Where to begin: at zero, or beside it where there is nothing at zero."""
        kinds = [v.data.domain for v in self.free]
        return np.array([{"positive": 1.0, "negative": -1.0, "nonzero": 1.0}.get(kind, 0.0) for kind in kinds])

    @cached_property
    def guesses(self) -> list[Array]:
        """Where to begin next: at fixed places around the first guess."""
        kinds = [v.data.domain for v in self.free]
        if not self.free:
            return []
        others = np.random.default_rng(20).uniform(-1.5, 1.5, (_GUESSES, len(kinds)))
        for k, kind in enumerate(kinds):
            if kind == "angle":
                others[:, k] *= 2  # nearly all the way round
            if kind in {"positive", "negative"}:
                others[:, k] = np.abs(others[:, k]) * (1 if kind == "positive" else -1)
        return list(others)

    @cached_property
    def place_bending(self) -> Tape:
        """Second derivatives by what is free of what is said of positions, summed with weights."""
        return self._bending([*self.places, *self.usual])

    @cached_property
    def speed_bending(self) -> Tape:
        """The same of all that is said of positions and velocities."""
        return self._bending([*self.places, *self.usual, *self.speeds, *self.velocities])

    def _bending(self, wishes: Sequence[Wish]) -> Tape:
        return bending([wish.expression for wish in wishes], self.free, self.inputs)

    @property
    def signs(self) -> Array:
        """What sign each free variable has to have: 1, -1, or 0 for any."""
        return np.array([{"positive": 1.0, "negative": -1.0}.get(v.data.domain, 0.0) for v in self.free])
