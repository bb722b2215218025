"""Initial data of vakonomic motions in the user's terms: q, an admissible q', and what the count asks for beyond.

For order 1 a motion is given by 2n numbers: n coordinates, n - k admissible velocities, and k more, as the multipliers
lambda by constraint or as costates p.x. For order r there are 2 r n - 2 (r - 1) k: derivatives up to q_(2r-1) that obey
f = 0, Df = 0, ..., and again the k multipliers. Derivatives and multipliers that are left out are zero if the
constraints and the costates allow that; velocities obey :mod:`dalembert.model.completed`, as for any motion. Where that
does not determine a derivative or a multiplier, the message names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import EvaluationError, Fault, HypothesisError, expect, kind_of
from dalembert.expr.calculus import define, time_derivative
from dalembert.expr.graph import ZERO, Expr, as_expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.text import parse
from dalembert.expr.walk import evaluate
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.mechanics.vakonomic.formulations import Formulations
from dalembert.model.completed import kinetic_part, solved
from dalembert.model.parts import State
from dalembert.model.system import System
from dalembert.records import dataclass

if TYPE_CHECKING:  # it builds on this file
    from dalembert.mechanics.vakonomic.vakonomic import Vakonomic


def data_count(result: Vakonomic) -> str:
    """Return in words which data a motion needs, and how many.

    >>> from dalembert.mechanics.vakonomic.vakonomic import derive
    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "x'*sin(phi) = y'*cos(phi)"})
    >>> data_count(derive(skate))
    '6 numbers: 3 coordinates, 2 admissible velocities (3 less 1), and 1 multiplier or costate (blade)'
    """
    return _data_count(result.system)


def _data_count(system: System) -> str:
    n, k, r = len(system.q), len(system.constraints), system.order
    names = ", ".join(system.constraints)
    extra = f"{k} multiplier{'s' if k > 1 else ''} or costate{'s' if k > 1 else ''} ({names})"
    size = 2 * r * n - 2 * (r - 1) * k
    if r == 1:
        return f"{size} numbers: {n} coordinates, {n - k} admissible velocities ({n} less {k}), and {extra}"
    jets = (2 * r - 1) * (n - k)
    return f"{size} numbers: {n} coordinates, {jets} admissible derivatives up to order {2 * r - 1}, and {extra}"


def initial_state(
    several: Formulations,
    values: Mapping[Any, Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    *,
    stated: bool = False,
) -> dict[Expr, float]:
    """Return the state (and unknowns that stay implicit) from q, q', ..., multipliers by name, costates p.x.

    ``values`` are by name: ``x``, ``x'``, the name of a constraint for its multiplier, ``p.x`` for a costate. Without
    them those in [start] are taken; with ``stated`` these stand where nothing else is given. Coordinates that are left
    out are 0, and so are velocities, higher derivatives and multipliers, unless constraints or costates bind them.
    """
    task, point = _solved(several, values, parameters, stated)
    form = several.form
    gauge = several.multipliers if form.order == 1 else [ZERO] * len(form.multiplier_names)
    wanted = dict(zip(form.positions, form.positions, strict=True))
    wanted |= dict(zip(form.costates, several.costates(), strict=True))
    if form.solved is None:  # in closed form the unknowns follow from the state and are no variables of the equations
        wanted |= dict(zip(form.unknowns, (*form.top, *gauge), strict=True))
    found = evaluate(task.concrete(list(wanted.values())), Floats(point))
    return dict(zip(wanted, map(float, found), strict=True))


def initial_jets(
    several: Formulations,
    values: Mapping[Any, Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    *,
    stated: bool = False,
) -> dict[Expr, float]:
    """Return q, q', ..., q_(2r-1) from the same data."""
    _, point = _solved(several, values, parameters, stated)
    system = several.form.system
    order = 2 * system.order
    return {x: point[x] for q in system.q for x in (derivative(q, k) for k in range(order))}


def _solved(
    several: Formulations, values: Mapping[Any, Any] | None, parameters: Mapping[Any, Any] | None, stated: bool
) -> tuple[_Task, dict[Expr, float]]:
    told = _named(several.form.system.start) if stated or values is None else {}
    task = _Task(several, told | _named(values or {}), parameters)
    return task, task.solve()


@dataclass(slots=True)
class _Unknown:
    variable: Expr
    label: str
    is_multiplier: bool


class _Task:
    """The equations that given values have to obey, and Newton's method for what is left open."""

    def __init__(self, several: Formulations, values: Mapping[str, Any], parameters: Mapping[Any, Any] | None) -> None:
        self.several, self.system = several, several.form.system
        self.point: dict[Expr, float] = {p: float(v) for p, v in self.system.defaults.items()}
        known = {p.data.name: p for p in self.system.parameters}
        for name, value in _named(parameters or {}).items():
            if name not in known:
                raise self._fault(name, f"'{name}' is not a parameter")
            self.point[known[name]] = self._number(name, value)
        self.point[symbol(TIME)] = self._number("[run] begin", self.system.run.begin)
        self.equations: list[Expr] = []
        self.asked: list[str] = []  # what the equations behind the constraints are about
        self._constrain()
        self._read(values)
        self.open = self._open()

    def _fault(self, where: str, what: str, remedy: str = "") -> HypothesisError:
        return refusal("vakonomic", [Fault(f"[start] {where}", what, remedy)])

    def concrete(self, expressions: list[Expr]) -> list[Expr]:
        """Put the values of unspecified functions in."""
        return define(expressions, self.system.definitions)

    def _constrain(self) -> None:
        """f, Df, ..., D^(2r-2) f vanish on derivatives up to q_(2r-1)."""
        several = [c.expression for c in self.system.constraints.values()]
        for _ in range(2 * self.system.order - 1):
            self.equations += several
            several = [time_derivative(f) for f in several]

    def _read(self, values: Mapping[str, Any]) -> None:
        jets = {derivative(q, k) for q in self.system.q for k in range(2 * self.system.order)}
        labels = {x.data.label: x for x in jets}
        held = dict(zip(self.system.constraints, self.several.multipliers, strict=True))
        costates = {f"p.{q.data.name}": p for q, p in zip(self.system.q, self.several.costates(), strict=False)}
        speeds = {speed.data.name: expression for speed, expression in self.system.speeds.items()}
        for name, value in values.items():
            number = self._number(name, value)
            multiplier = name.removeprefix("multiplier ").removeprefix("lambda.")
            if name in labels:
                self.point[labels[name]] = number
            elif multiplier in held:
                self.point[held[multiplier]] = number
            elif name in speeds:
                self._ask(speeds[name], number, "speeds")
            elif name in costates:
                self._ask(costates[name], number, "costates")
            else:
                raise self._fault(name, f"'{name}' is not a coordinate, derivative, speed, constraint or costate")
        for q in self.system.q:
            self.point.setdefault(q, 0.0)

    def _ask(self, expression: Expr, number: float, kind: str) -> None:
        """Note that an expression has a value at the start."""
        self.equations.append(expression - as_expr(Fraction(number)))
        self.asked.append(kind)

    def _number(self, name: str, value: Any) -> float:
        if isinstance(value, str):
            value = parse(value, self.system.vocabulary)
        if isinstance(value, Expr):
            try:
                return float(evaluate(self.concrete([value]), Floats(self.point))[0])
            except EvaluationError as error:
                raise self._fault(name, str(error).removesuffix(".")) from None
        try:
            return float(value)
        except (TypeError, ValueError):
            raise self._fault(name, f"{kind_of(value)} stands where a number is expected") from None

    def _open(self) -> list[_Unknown]:
        found = []
        for k in range(1, 2 * self.system.order):
            found += [
                _Unknown(derivative(q, k), derivative(q, k).data.label, is_multiplier=False)
                for q in self.system.q
                if derivative(q, k) not in self.point
            ]
        pairs = zip(self.system.constraints, self.several.multipliers, strict=True)
        return found + [_Unknown(m, name, is_multiplier=True) for name, m in pairs if m not in self.point]

    def solve(self) -> dict[Expr, float]:
        """Return values for everything: zeros, and what constraints and costates make of them."""
        equations, unknowns = self.concrete(self.equations), [u.variable for u in self.open]
        point, found = solved(equations, unknowns, self.point, lambda: kinetic_part(self.system, unknowns, self.point))
        self._judge(equations, point)
        if found.kind in {"open", "several"}:
            self._ask_for([u for u, unclear in zip(self.open, found.unclear, strict=True) if unclear], found.kind)
        return point

    def _ask_for(self, several: list[_Unknown], kind: str) -> None:
        """Refuse a start by the names of what it does not determine."""
        one = next((u for u in several if u.is_multiplier), None)
        if one is not None:
            remedy = f"add {one.label} = 0, or another value; a motion takes {_data_count(self.system)}"
            raise self._fault(one.label, f"the multiplier of '{one.label}' is missing", remedy)
        what = "the constraints leave it open, and the quadratic part of the Lagrangian is singular or indefinite on it"
        if self.system.order > 1:
            what = "the constraints leave it open, and do not allow 0"
        if kind == "several":
            what = "several velocities that the constraints allow have the same least kinetic energy"
        raise self._fault(", ".join(u.label for u in several), what, "give the value")

    def _judge(self, equations: list[Expr], point: dict[Expr, float]) -> None:
        """Refuse data that contradict the constraints."""
        defect = np.array(evaluate(equations, Floats(point)), float)
        size = 1 + max((abs(v) for v in point.values()), default=0.0)
        names = list(self.system.constraints)
        for i, value in enumerate(defect):
            if not abs(value) < 1e-9 * size:
                if i < len(names) * (2 * self.system.order - 1):
                    k = i // len(names)
                    what = f"the values do not obey the constraint '{names[i % len(names)]}'" + (
                        f", differentiated {k} times" if k else ""
                    )
                    raise self._fault(
                        "", f"{what}: it is {value:.3g}", "correct a derivative, or leave out one that follows"
                    )
                kind = self.asked[i - len(names) * (2 * self.system.order - 1)]
                raise self._fault("", f"the {kind} do not fit the velocities: they differ by {value:.3g}")


def _named(values: Mapping[Any, Any] | State) -> dict[str, Any]:
    """Return values by name, as texts have it."""
    if isinstance(values, State):
        named: dict[str, Any] = {x.data.label: v for x, v in values.values.items()}
        named |= dict(values.multipliers)
        return named | {f"p.{q.data.name}": v for q, v in values.costates.items()}
    expect(values, Mapping, "a start must be a table of values by name")
    return {str(getattr(getattr(key, "data", None), "label", key)): value for key, value in values.items()}
