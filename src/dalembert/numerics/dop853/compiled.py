"""Equations and method compiled together, and what it takes to call them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from dalembert.expr.graph import Expr
from dalembert.garbage import unsearched
from dalembert.model.equations import Equations
from dalembert.model.kept import Kept
from dalembert.model.remembered import likeness_of, worked_out
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.bounds import BLOCK, DEGREE, SEARCH
from dalembert.numerics.compile.machine import Machine, code_for, level
from dalembert.numerics.compile.observe import Kernels, observe_function
from dalembert.numerics.compile.rates import Prepared, prepare, rates_function
from dalembert.numerics.compile.reader import Call
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.dop853.dense import EVENTS, dense_function, locate_function, sample_function, step_function
from dalembert.numerics.dop853.memory import Layout, cleared_at
from dalembert.numerics.dop853.projecting import ITERATIONS, SETTLED, projection_functions
from dalembert.numerics.dop853.stepping import advance_function, begin_function
from dalembert.numerics.dop853.turns import turning
from dalembert.numerics.jets import reached

_ADDRESS, _COUNT, _STATUS = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32
_METHODS: Final = Kept()


class Dop853:
    """Compiled equations with their stepper; holds no state of any motion, so threads may share it."""

    def __init__(self, equations: Equations, events: Sequence[Expr] = ()) -> None:
        """Compile; the events are watched while stepping.

        The equations are compiled by themselves: a motion with events is followed by others without, which are compared
        with it.
        """
        alone = Key(equations, ())

        def told() -> tuple[tuple[Call, ...], int, tuple[int, ...]]:
            return _prepared(alone).calls, len(_prepared(alone).still), turning(equations)

        variables = (*equations.state, *equations.reconstruction)
        self.parameters = len(equations.parameters)
        self.calls, still, turned = worked_out("prepared", alone.told, told)
        self._first_address = self.parameters + still
        sizes = (len(equations.implicit), self._first_address + len(self.calls), len(events))
        self.bounded = tuple(k for k, event in enumerate(events) if reached(event, equations.implicit))
        sampled = tuple(k for k in range(len(events)) if k not in self.bounded)
        place = {variable: i for i, variable in enumerate(variables)}
        projected = tuple(tuple(place[v] for v in table) for table in equations.projection)
        self.layout = Layout(len(variables), *sizes, sampled, turned, projected)
        content = Key(equations, tuple(events)).told
        stepper = code_for("stepper", content, lambda: self._functions(_prepared(alone), events))
        machine = Machine(_code(alone, level()), stepper, method(len(variables), len(equations.implicit), level()))
        self.begin: Any = machine.function("begin", _STATUS, [_ADDRESS] * 2)
        self.advance: Any = machine.function("advance", _STATUS, [_ADDRESS] * 2)
        self._prepare = machine.function("prepare", _STATUS, [_ADDRESS] * 5)
        self._rates = machine.function("rates", _STATUS, [_ADDRESS] * 5)
        groups = [f"project.{group}" for group in range(len(projected))]
        self._corrections = [machine.function(name, _STATUS, [_ADDRESS] * 5) for name in groups]
        self._sample = machine.function("sample", _STATUS, [*[_ADDRESS] * 2, _COUNT, *[_ADDRESS] * 2, _COUNT])
        self._events = machine.function("events", _STATUS, [_ADDRESS] * 5) if events else None
        search = [_ADDRESS, _ADDRESS, ctypes.c_bool, _ADDRESS]
        names = (f"{SEARCH[1:]}.{index}" for index in range(len(self.bounded)))
        self._search = {k: machine.function(name, _COUNT, search) for k, name in zip(self.bounded, names, strict=True)}
        locate = [_ADDRESS, _COUNT, *[ctypes.c_double] * 3]
        self._locate = machine.function("locate", ctypes.c_double, locate) if events else None

    def _functions(self, prepared: Prepared, events: Sequence[Expr]) -> list[Writer]:
        """Return what is written for events."""
        functions = [advance_function(self.layout)]
        if events:
            functions.append(locate_function(self.layout))
            functions.append(observe_function(EVENTS, events, prepared.inputs, prepared.implicit))
        if self.bounded:
            from dalembert.numerics.dop853.watching import watching_functions

            functions += watching_functions(self.layout, [events[k] for k in self.bounded], prepared.inputs)
        return functions

    def memory(self, parameters: Array, start: Array, guess: Array, kernels: Kernels | None = None) -> Array:
        """Return a new block of memory with a state in it, and with the addresses of the functions that are called."""
        return self.memory_at(parameters, start, guess, kernels)[0]

    def memory_at(
        self, parameters: Array, start: Array, guess: Array, kernels: Kernels | None = None
    ) -> tuple[Array, int]:
        """Return the same and where it is."""
        layout = self.layout
        block, base = cleared_at(layout.total)
        block[layout.state : layout.state + layout.size] = start
        block[layout.parameter : layout.parameter + self.parameters] = parameters
        if layout.unknowns:
            block[layout.unknown : layout.unknown + layout.unknowns] = guess
        if kernels is not None:
            first = layout.parameter + self._first_address
            block.view(np.int64)[first : first + len(self.calls)] = kernels.addresses
        if self._first_address > self.parameters:  # something is made of parameters alone
            given = base + 8 * layout.parameter
            self._prepare(0, 0, given, 0, given + 8 * self.parameters)
        return block, base

    def rates(
        self, t: float, y: Array, parameters: Array, unknowns: Array | None = None, kernels: Kernels | None = None
    ) -> tuple[Array, int]:
        """Return the rates at a point, and a status that is 0 where they were found."""
        layout = self.layout
        block = self.memory(parameters, y, np.zeros(layout.unknowns) if unknowns is None else unknowns, kernels)
        block[layout.TIME] = t
        base = block.ctypes.data
        places = (layout.TIME, layout.state, layout.parameter, layout.unknown, layout.k(0))
        status = int(self._rates(*(base + 8 * place for place in places)))
        return block[layout.k(0) : layout.k(0) + layout.size].copy(), status

    def projected(
        self, t: float, y: Array, parameters: Array, kernels: Kernels | None = None
    ) -> tuple[Array, tuple[float, ...]]:
        """Return a state moved to where the constraints hold, and how far each group was moved, relative to 1."""
        layout, y = self.layout, y.copy()
        moved = []
        for correct, places in zip(self._corrections, layout.projected, strict=True):
            far, last = 0.0, 1.0
            for _ in range(ITERATIONS):
                block = self.memory(parameters, y, np.zeros(layout.unknowns), kernels)
                block[layout.TIME] = t
                at = (layout.TIME, layout.state, layout.parameter, layout.unknown, layout.stage)
                if correct(*(block.ctypes.data + 8 * place for place in at)):
                    far = np.inf
                steps, chosen = block[layout.stage : layout.stage + len(places)], list(places)
                last = float(np.max(np.abs(steps) / (1 + np.abs(y[chosen])), initial=0.0))
                far += last
                y[chosen] += steps
                if not last > SETTLED:
                    break
            moved.append(far if last <= SETTLED else np.inf)
        return y, tuple(moved)

    def sample(self, block: Array, record: Array, steps: int, times: Array) -> Array:
        """Return rows of the record at times between its steps, in any order; the block of memory is used up."""
        order = np.argsort(times, kind="stable")
        if steps > 1 and record[steps - 1, -1] < record[0, -1]:
            order = order[::-1]
        sorted_times = np.ascontiguousarray(times[order], dtype=np.float64)
        out = np.zeros((len(times), self.layout.row))
        if steps == 1:
            out[:] = record[0]
        else:
            addresses = (block.ctypes.data, record.ctypes.data, steps, sorted_times.ctypes.data, out.ctypes.data)
            self._sample(*addresses, len(times))
        rows = np.empty_like(out)
        rows[order] = out
        return rows

    def nested(self, block: Array, record: Array, steps: int, which: Any = None) -> Array:
        """Return the F_i of the dense output of steps, all or some: steps by i by variables; the block is used up."""
        layout = self.layout
        result = np.zeros((steps - 1, 7, layout.size))
        for k in range(steps - 1) if which is None else which:
            rows = record[k : k + 2]
            self.sample(block, rows, 2, rows[:1, -1])  # leaves the coefficients of its step in memory
            result[k] = block[layout.dense(0) : layout.dense(7)].reshape(7, layout.stride)[:, : layout.size]
        return result

    def slopes(self, block: Array, record: Array, steps: int, times: Array) -> Array:
        """Return the derivatives of the polynomials between steps, rows by variables, columns by times."""
        layout = self.layout
        result = np.zeros((layout.size, len(times)))
        for column, t in enumerate(times):
            self.sample(block, record, steps, np.array([t]))  # leaves the coefficients of its step in memory
            begin, h = block[layout.TIME], block[layout.STEP]
            rows = block[layout.dense(0) : layout.dense(7)].reshape(7, layout.stride)
            s = (t - begin) / h
            value, slope = rows[6], np.zeros(layout.stride)
            for index in reversed(range(6)):
                factor, sign = (s, 1) if index % 2 else (1 - s, -1)
                value, slope = factor * value + rows[index], factor * slope + sign * value
            result[:, column] = ((s * slope + value) / h)[: layout.size]
        return result

    def events(self, block: Array, row: Array) -> Array:
        """Return the values of the events at a row of the record."""
        layout = self.layout
        values = np.zeros(layout.events)
        point = row.copy()
        base, here = block.ctypes.data, point.ctypes.data
        time, unknowns = here + 8 * (layout.row - 1), here + 8 * layout.stride
        assert self._events is not None
        self._events(time, here, base + 8 * layout.parameter, unknowns, values.ctypes.data)
        return values

    def search(self, block: Array, event: int, *, fresh: bool) -> list[tuple[float, int]] | None:
        """Return where an event happens on the step that stopped the loop, with signs; None where more is needed.

        The first step of a motion is ``fresh``.
        """
        layout, base = self.layout, block.ctypes.data
        places = (base + 8 * place for place in (layout.polynomials, layout.parameter))
        found = self._search[event](*places, fresh, base + 8 * layout.found)
        if found < 0:
            return None
        pairs = block[layout.found : layout.found + 2 * found].reshape(-1, 2)
        return [(float(part), int(sign)) for part, sign in pairs]

    def polynomials(self, block: Array) -> Array:
        """Return the dense output on that step: variables by powers of the part of the step."""
        first = self.layout.polynomials
        rows = block[first : first + BLOCK * self.layout.size].reshape(-1, BLOCK)
        return rows[:, : DEGREE + 1]

    def locate(self, block: Array, event: int, left: float, right: float, *, rises: bool) -> float:
        """Return the part of the step in memory where an event reaches zero, between two where its signs differ."""
        assert self._locate is not None
        return float(self._locate(block.ctypes.data, event, left, right, 1.0 if rises else -1.0))


@lru_cache(maxsize=64)
def method(size: int, unknowns: int, _level: int) -> bytes:
    """Return the part of the stepper that is the same for all equations of a size, compiled; one for each level."""

    def functions() -> list[Writer]:
        layout = Layout(size, unknowns, parameters=0, events=0)
        return [make(layout) for make in (step_function, dense_function, begin_function, sample_function)]

    return code_for("method", (size, unknowns), functions)


@lru_cache(maxsize=64)
def _prepared(key: Key) -> Prepared:
    """Return equations as they are compiled."""
    return prepare(key.equations)


@lru_cache(maxsize=64)
def _code(key: Key, _level: int) -> bytes:
    """Return equations compiled, for all events that may be watched beside them; one code for each level."""

    def functions() -> list[Writer]:
        prepared = _prepared(key)
        still = observe_function("@prepare", list(prepared.still.values()), prepared.inputs)
        return [rates_function(prepared), *projection_functions(prepared), still]

    return code_for("equations", key.told, functions)


@lru_cache(maxsize=64)
@unsearched()
def _cached(key: Key, _level: int) -> Dop853:
    return Dop853(key.equations, key.events)


class Key:
    """Equations and events as a key: what decides the machine code, and not the values, names or monitors."""

    __slots__ = ("_hash", "content", "equations", "events")

    def __init__(self, equations: Equations, events: tuple[Expr, ...]) -> None:
        self.equations, self.events = equations, events
        solved = not equations.straight or bool(equations.guards)  # else the linear system is not in the code
        self.content = (
            tuple(equations.kinematics.items()),
            equations.velocities,
            equations.mass if solved else (),
            equations.force if solved else (),
            tuple(equations.implicit.items()),
            tuple(equations.reconstruction.items()),
            tuple(equations.parameters),
            equations.saddle if solved else None,
            tuple(equations.straight.items()),
            tuple(tuple(table.items()) for table in equations.projection),
            equations.guards,
            events,
        )
        self._hash = hash(self.content)

    @property
    def told(self) -> Any:
        """The content as names on disc are made of it: what the equations follow from, where that is known."""
        likeness = likeness_of(self.equations)
        return self.content if likeness is None else (likeness, self.events)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.content == other.content


def compiled(equations: Equations, events: Sequence[Expr] = ()) -> Dop853:
    """Return the compiled form of equations: made once for the same equations, whatever the values of parameters.

    It stays with its equations too, which are told sooner by being the same than a key is made of them.
    """
    watched, optimised = tuple(events), level()
    found: Dop853 = _METHODS(equations)((watched, optimised), lambda: _cached(Key(equations, watched), optimised))
    return found
