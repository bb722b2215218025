"""One step of fixed length as expressions, compositions of such steps, and their machine code.

Every integrator of this package is a :class:`Scheme`: where the state goes, in terms of unknowns that make residuals
vanish. The residuals are solved by Newton's method with their exact Jacobian; the derivative of the step itself follows
from the same graph, so that what is claimed of it (it is symplectic, say) can be measured to rounding. A
compiled scheme takes many steps in one call, Newton's method included.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import TIME, Symbol
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.machine import Machine, fused
from dalembert.numerics.compile.observe import observe_function
from dalembert.numerics.compile.writer import Writer
from dalembert.records import dataclass, field, replace

STEP = symbol(Symbol("length of a step", role="parameter"))
"""The length of a step; no name in a text has blanks, so it is nobody else's."""


@dataclass(frozen=True, slots=True)
class Scheme:
    """A map from the state before a step to the state after it.

    Expressions are in time, ``state``, ``unknowns``, ``parameters`` and ``STEP``.
    """

    name: str
    order: int
    """The error at a fixed time falls as this power of the step."""
    state: tuple[Expr, ...]
    after: tuple[Expr, ...]
    residuals: Mapping[Expr, Expr] = field(default_factory=dict)
    """For each unknown a function that vanishes."""
    begin: Mapping[Expr, Expr] = field(default_factory=dict)
    """Where the unknowns are sought in the first step, in terms of the equations that move; later ones begin where the
    one before ended."""
    parameters: tuple[Expr, ...] = ()
    fractions: tuple[float, ...] = (1.0,)
    """The parts that a step is made of, in terms of its length."""


def refuse_odd(method: str, order: int) -> None:
    """Raise unless an order is one of 2, 4, 6, ..."""
    if order < 2 or order % 2:
        what = f"there is no scheme of order {order}, for they are symmetric and so of even order"
        raise HypothesisError(method, [Fault("order", what, "use 2, 4, 6, ...")])


def composed(scheme: Scheme, order: int) -> Scheme:
    """Return a symmetric scheme of order 2 composed with itself to any even order, as Suzuki does.

    Five steps of order 2k, with the parts s, s, 1 - 4s, s, s for s = 1/(4 - 4^(1/(2k+1))), make one of order 2k+2.
    Source: M. Suzuki, Phys. Lett. A 146 (1990) 319.

    >>> x = symbol("x")
    >>> [round(part, 6) for part in composed(Scheme("", 2, (x,), (x,)), 4).fractions]
    [0.414491, 0.414491, -0.657963, 0.414491, 0.414491]
    """
    if order < scheme.order or (order - scheme.order) % 2 or scheme.order % 2:
        raise ExpressionError(f"a scheme of order {scheme.order} can be composed to even orders above, not to {order}.")
    made = scheme
    while made.order < order:
        part = 1 / (4 - 4 ** (1 / (made.order + 1)))
        parts = (part, part, 1 - 4 * part, part, part)
        fractions = tuple(outer * inner for outer in parts for inner in made.fractions)
        made = replace(made, order=made.order + 2, fractions=fractions)
    return made


def step_jacobian(scheme: Scheme) -> list[list[Expr]]:
    """Return d(state after)/d(state before) of one part of a step, exact, unknowns taken along.

    >>> x, u = symbol("x"), symbol("u")
    >>> implicit = Scheme("backward Euler", 1, (x,), (x + STEP * u,), {u: u + (x + STEP * u)})
    >>> [[entry]] = step_jacobian(implicit)
    >>> from dalembert.expr.truth import is_zero
    >>> is_zero(entry - 1 / (1 + STEP)).holds
    True
    """
    unknowns, residuals = list(scheme.residuals), list(scheme.residuals.values())
    slopes = jacobian(residuals, unknowns) if unknowns else []
    columns = []
    for variable in scheme.state:
        moved = tangent(residuals, {variable: ONE})
        answer = solve(slopes, [-m for m in moved])
        columns.append(tangent(scheme.after, {variable: ONE, **dict(zip(unknowns, answer, strict=True))}))
    return [[column[i] for column in columns] for i in range(len(scheme.state))]


# -- machine code --------------------------------------------------------------------------------------------
_ADDRESS, _COUNT = ctypes.c_void_p, ctypes.c_int64


class Stepper:
    """A compiled scheme; holds no state of any motion."""

    def __init__(self, scheme: Scheme) -> None:
        """Compile one part of a step and the loop around it."""
        self.scheme = scheme
        self.size, self.unknowns = len(scheme.state), len(scheme.residuals)
        step = observe_function("@step", scheme.after, _inputs(scheme), scheme.residuals)
        machine = Machine([step, _march(self.size, len(scheme.parameters))])
        arguments = [*[_ADDRESS] * 6, _COUNT, _COUNT, _COUNT]
        self._march: Any = machine.function("march", _COUNT, arguments)
        self._slopes: Any = None

    def march(self, run: March, steps: int) -> int:
        """Make some steps; return 0, or the number of the step that was not found, counted from 1."""
        arrays = (run.clock, run.state, run.parameters, run.unknowns, run.room, run.fractions)
        failed = int(self._march(*(a.ctypes.data for a in arrays), run.fractions.size, run.done, steps))
        run.done += steps if not failed else failed - 1
        return failed

    def begin(self, t: float, state: Array, parameters: Array, unknowns: Array, step: float) -> March:
        """Return the memory of a motion at its begin."""
        return March(
            np.array([t, t, step]),
            np.array(state, dtype=np.float64),
            np.array([*parameters, step], dtype=np.float64),
            np.array(unknowns, dtype=np.float64),
            np.zeros(max(self.size, 1)),
            np.array(self.scheme.fractions),
        )

    def jacobian(self, t: float, state: Array, parameters: Array, unknowns: Array, step: float) -> Array:
        """Return the derivative of a whole step by the state before it, exact up to rounding."""
        if self._slopes is None:
            entries = [entry for row in step_jacobian(self.scheme) for entry in row]
            roots = [*self.scheme.after, *entries]
            function = observe_function("@slopes", roots, _inputs(self.scheme), self.scheme.residuals)
            self._slopes = Machine([function]).function("slopes", ctypes.c_int32, [_ADDRESS] * 5)
        run = self.begin(t, state, parameters, unknowns, step)
        matrix = np.eye(self.size)
        out = np.zeros(self.size * (self.size + 1))
        for part in self.scheme.fractions:
            run.parameters[-1] = part * step
            arrays = (run.clock, run.state, run.parameters, run.unknowns, out)
            self._slopes(*(a.ctypes.data for a in arrays))
            run.state[:] = out[: self.size]
            run.clock[0] += part * step
            matrix = out[self.size :].reshape(self.size, self.size) @ matrix
        return matrix


class March:
    """The memory of a motion on its way."""

    __slots__ = ("clock", "done", "fractions", "parameters", "room", "state", "unknowns")

    def __init__(
        self, clock: Array, state: Array, parameters: Array, unknowns: Array, room: Array, fractions: Array
    ) -> None:
        """Keep the arrays: ``clock`` is time, begin and length of a step; the last parameter is that of a part."""
        self.clock, self.state, self.parameters = clock, state, parameters
        self.unknowns, self.room, self.fractions = unknowns, room, fractions
        self.done = 0

    @property
    def time(self) -> float:
        """Where the motion is, counted in whole steps so that nothing adds up."""
        return float(self.clock[1] + self.done * self.clock[2])


def _inputs(scheme: Scheme) -> dict[Expr, tuple[str, int]]:
    return {
        symbol(TIME): ("%t", 0),
        **{v: ("%y", i) for i, v in enumerate(scheme.state)},
        **{v: ("%p", i) for i, v in enumerate((*scheme.parameters, STEP))},
        **{v: ("%u", i) for i, v in enumerate(scheme.residuals)},
    }


def _march(size: int, parameters: int) -> Writer:
    """Return ``(clock, y, p, u, room, fractions, parts, done, steps) -> 0 or the number of the step that failed``."""
    names = ("%t", "%y", "%p", "%u", "%room", "%fractions")
    counts = [("i64", name) for name in ("%parts", "%done", "%steps")]
    w = Writer("@march", "i64", [*(("ptr", name) for name in names), *counts], fused=fused())
    one = w.one
    begin, length = one.load("%t", 1), one.load("%t", 2)
    with w.loop("%steps") as k:
        number = w.fresh(f"sitofp i64 {w.fresh(f'add i64 %done, {k}')} to double")
        one.store(one.add(begin, one.mul(number, length)), "%t")
        with w.loop("%parts") as part:
            advance = one.mul(length, one.load("%fractions", part))
            one.store(advance, "%p", parameters)
            status = w.call("i32", "@step", [("ptr", name) for name in names[:5]])
            with w.when(w.fresh(f"icmp ne i32 {status}, 0")):
                w.give("i64", w.fresh(f"add i64 {k}, 1"))
            for i in range(size):
                one.store(one.load("%room", i), "%y", i)
            one.store(one.add(one.load("%t"), advance), "%t")
    w.give("i64", "0")
    return w


@lru_cache(maxsize=32)
def _cached(key: _Key) -> Stepper:
    return Stepper(key.scheme)


class _Key:
    """A scheme as a key, by what decides its machine code."""

    __slots__ = ("_content", "scheme")

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        parts = (scheme.name, scheme.state, scheme.after, tuple(scheme.residuals.items()), scheme.parameters)
        self._content = (*parts, scheme.fractions)

    def __hash__(self) -> int:
        return hash(self._content)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._content == other._content


def stepper(scheme: Scheme) -> Stepper:
    """Return the compiled form of a scheme, made once."""
    return _cached(_Key(scheme))
