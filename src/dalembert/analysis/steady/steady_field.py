"""The equations of steady motions: F(z) = xi^a X_a(z) on the manifold of states.

F is the motion and X_a are symmetries of it. Where that holds at one state z, with constants xi, the motion from there
is the one-parameter group of xi: both sides commute with the symmetries. Its linear part modulo the symmetry is that of
F - xi^a X_a, of which z is an equilibrium, between the tangent space of the manifold and that of the orbit through z.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.steady.symmetries import StateSymmetry, state_symmetries
from dalembert.errors import DalembertError, EvaluationError, ExpressionError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import ZERO, Expr, number, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, excludes_zero
from dalembert.expr.walk import substitute, symbols
from dalembert.model.equations import Equations, equations_and_system
from dalembert.model.kept import Kept
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.compile.observe import Observer
from dalembert.numerics.field import Tape, inputs_of
from dalembert.numerics.forms import valid_where
from dalembert.numerics.problem import Problem
from dalembert.numerics.state_manifold import StateManifold, state_manifold
from dalembert.numerics.wording import NameResolver
from dalembert.numerics.words_in_use import said_of, wording_of
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.analysis.steady.nonholonomic_energy_momentum import Transport

_KEPT = Kept()
_NEAR = 1e-6
"""How near to a zero of what is divided by a solution counts as one there, beside its size."""
_MANY = 40
"""After so many calls it is worth to compile."""


class Values:
    """Expressions as a function of numbers: read at first, compiled where they are asked for many times.

    What was asked last is kept, since a step, its slopes and what is said of a solution all look at the same point.
    """

    def __init__(self, expressions: Sequence[Expr], inputs: Sequence[Expr]) -> None:
        """Keep the expressions."""
        self._expressions, self._inputs = list(expressions), list(inputs)
        self._tape: Tape | None = None
        self._code: Observer | None = None
        self._calls = 0
        self._last: tuple[bytes, Array] = (b"", np.zeros(0))

    def __call__(self, values: Sequence[float]) -> Array:
        """Return the values at a point; what does not exist is not a number."""
        point = np.array(values, dtype=np.float64)
        key = point.tobytes()
        if key != self._last[0]:
            self._calls += 1
            self._last = key, self._read(point)
        return self._last[1]

    def _read(self, point: Array) -> Array:
        if self._calls <= _MANY:
            if self._tape is None:
                self._tape = Tape(self._expressions, self._inputs)
            return np.array(self._tape(point.tolist()))
        if self._code is None:
            self._code = Observer(self._expressions, {v: ("%y", i) for i, v in enumerate(self._inputs)})
        return self._code(np.zeros(1), point[:, None], np.zeros(0))[:, 0].copy()


@dataclass(frozen=True, eq=False)
class SteadyField:
    """Motion, symmetries and relations of a problem as expressions, and their values and slopes as numbers.

    The unknowns y are the state variables, then implicit unknowns, then xi.
    """

    problem: Problem
    words: NameResolver
    manifold: StateManifold
    symmetries: tuple[StateSymmetry, ...]

    @cached_property
    def xi(self) -> tuple[Expr, ...]:
        """The constants, one for each symmetry."""
        return tuple(symbol(f"xi.{k}") for k in range(1, len(self.symmetries) + 1))

    @property
    def state(self) -> tuple[Expr, ...]:
        """The state variables."""
        return self.problem.equations.state

    @cached_property
    def unknowns(self) -> tuple[Expr, ...]:
        """All that is sought."""
        return (*self.state, *self.problem.equations.implicit, *self.xi)

    @cached_property
    def ends(self) -> tuple[Expr, ...]:
        """What does not vanish where the equations are valid, but for what has no zero at the given parameters."""
        equations = self.problem.equations
        found = self.words.all_translated(valid_where(equations))
        given = {
            p: number(Fraction(float(x)))
            for p, x in zip(equations.parameters, self.problem.parameters, strict=True)
            if np.isfinite(x)
        }
        return tuple(e for e, here in zip(found, substitute(found, given), strict=True) if excludes_zero(here) is None)

    def is_valid(self, y: Array, parameters: Array) -> bool:
        """Say whether the equations are valid at a point: it is at a distance from all zeros of what they divide by."""
        size, count = len(self.state), len(self.ends)
        signs = {"positive": 1.0, "negative": -1.0}
        if any(signs.get(v.data.domain, 0.0) * x < 0 for v, x in zip(self.state, y, strict=False)):
            return False
        if not count:
            return True
        values = self._ending(self.full(y, parameters))
        near = _NEAR * (1 + float(np.abs(y[:size]).max(initial=0.0)))
        slopes = np.linalg.norm(values[count:].reshape(count, size), axis=1)
        return bool(np.all(np.abs(values[:count]) > near * slopes))

    @cached_property
    def _ending(self) -> Values:
        slopes = jacobian(list(self.ends), list(self.state))
        return Values([*self.ends, *(e for row in slopes for e in row)], self.inputs)

    @cached_property
    def defects(self) -> tuple[Expr, ...]:
        """F - xi^a X_a, by state variables."""
        rates = self.problem.equations.rates()
        return tuple(
            total(
                [
                    (1, rates[v]),
                    *((-1, x * one.components.get(v, ZERO)) for x, one in zip(self.xi, self.symmetries, strict=True)),
                ]
            )
            for v in self.state
        )

    @cached_property
    def relations(self) -> tuple[Expr, ...]:
        """What else vanishes: residuals of implicit unknowns, and relations between state variables."""
        return (*self.problem.equations.implicit.values(), *self.manifold.relations)

    @cached_property
    def conserved(self) -> dict[str, Expr]:
        """What the motion conserves, by name."""
        from dalembert.analysis.steady.conserved import conserved

        return conserved(self)

    @cached_property
    def transport(self) -> Transport | None:
        """The momentum equation, where it is transport along shapes."""
        from dalembert.analysis.steady.nonholonomic_energy_momentum import transport

        return transport(self)

    @cached_property
    def inputs(self) -> list[Expr]:
        """What expressions depend on."""
        return [*inputs_of(self.problem.equations), *self.xi]

    @cached_property
    def _values(self) -> Values:
        roots = [*self.defects, *self.relations]
        slopes = jacobian(roots, list(self.unknowns))
        fields = [one.components.get(v, ZERO) for one in self.symmetries for v in self.state]
        return Values([*roots, *(e for row in slopes for e in row), *fields], self.inputs)

    def full(self, y: Array, parameters: Array) -> list[float]:
        """Return the values of all inputs."""
        size, equations = len(self.state), self.problem.equations
        unknown = size + len(equations.implicit)
        rest = self.problem.start[size:]
        return [0.0, *y[:size], *rest, *y[size:unknown], *parameters, *y[unknown:]]

    def look(self, y: Array, parameters: Array) -> tuple[Array, Array, Array]:
        """Return defects and relations, their slopes by the unknowns, and the symmetries as columns by state."""
        values = self._values(self.full(y, parameters))
        rows, width, size = len(self.defects) + len(self.relations), len(self.unknowns), len(self.state)
        slopes = values[rows : rows + rows * width].reshape(rows, width)
        return values[:rows], slopes, values[rows + rows * width :].reshape(-1, size).T

    # -- labels ------------------------------------------------------------------------------------------------
    def label(self, name: str) -> Expr:
        """Return what a name of a label means: any speed, let, monitor or expression of the state.

        The name of a symmetry that is nothing else means how fast the motion goes along it.
        """
        try:
            found = self.words.observed(name)
        except DalembertError:
            rates = {one.name: x for one, x in zip(self.symmetries, self.xi, strict=True)}
            if name not in rates:
                raise
            return rates[name]
        known = {v.data for v in self.inputs}
        strange = [one.label for one in symbols([found]) if one not in known]
        beside = {v.data for v in self.problem.equations.reconstruction} | {TIME}
        strange += [one.label for one in symbols([found]) if one in beside]
        if strange:
            raise ExpressionError(f"'{name}' depends on '{strange[0]}', which is no part of a steady motion.")
        return found

    def parameter(self, name: str) -> int | None:
        """Return the place of a parameter, or None where the name is none."""
        names = [p.data.name for p in self.problem.equations.parameters]
        return names.index(name) if name in names else None

    @cached_property
    def _labels(self) -> dict[tuple[Expr, ...], Values]:
        return {}

    def labelled(self, labels: Sequence[Expr], y: Array, parameters: Array) -> tuple[Array, Array]:
        """Return the values of labels and their slopes by the unknowns."""
        key = tuple(labels)
        if key not in self._labels:
            slopes = jacobian(list(key), list(self.unknowns)) if key else []
            self._labels[key] = Values([*key, *(e for row in slopes for e in row)], self.inputs)
        values = self._labels[key](self.full(y, parameters))
        return values[: len(key)], values[len(key) :].reshape(len(key), len(self.unknowns))


def steady_field(result: Any, **more: Any) -> SteadyField:
    """Return the equations of the steady motions of what a formalism derived; no start is needed.

    It is made once for the same values, and kept as long as the equations: symmetries are decided, code is compiled.
    """
    plain, system = equations_and_system(result, "steady", more.pop("system", None))
    values, functions = more.pop("values", None), more.pop("functions", None)
    said = said_of(values), said_of(functions)

    def make() -> tuple[System | None, SteadyField]:
        return system, _steady_field(plain, system, values, functions)

    if None in said:
        return make()[1]
    # a system with the same id is the same one, for the shelf holds on to it
    found: SteadyField = _KEPT(plain)((id(system), said), make)[1]
    return found


def _steady_field(plain: Equations, system: System | None, values: Any, functions: Any) -> SteadyField:
    words, numbers, _ = wording_of(plain, system, values, functions)
    equations = words.equations
    if depends_on(list(equations.rates().values()), [symbol(TIME)]):
        raise EvaluationError("the equations contain time, so they have no steady motions.")
    begin = np.zeros(len(equations.state) + len(equations.reconstruction))
    problem = Problem(equations, begin, (0.0, 1.0), numbers, np.zeros(len(equations.implicit)))
    return SteadyField(problem, words, state_manifold(problem, words), state_symmetries(equations, words))
