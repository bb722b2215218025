"""``controllability``: what can be steered where, with the brackets that do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalembert.analysis.control.chow import chow
from dalembert.analysis.control.control_system import ControlSystem, control_system
from dalembert.analysis.control.sussmann import sussmann
from dalembert.analysis.control.symmetric_products import controllable_from_rest, from_rest
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, jacobian
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Verdict, generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.records import dataclass
from dalembert.shown import Shown

_NAMES = {
    "allowed directions": "every nearby position can be reached along the allowed directions (Chow)",
    "linear part": "the linear part is controllable",
    "observed": "the linear part is observable",
    "no drift": "every nearby state can be reached (Chow)",
    "small time": "every nearby state can be reached in any time (Sussmann)",
    "from rest": "every nearby position can be reached in any time from rest (Lewis and Murray)",
}


@dataclass(frozen=True, slots=True)
class ControlAnswer(Shown):
    """One question on a control system, with its verdict."""

    name: str
    statement: str
    verdict: Verdict
    spanning: tuple[str, ...] = ()
    """Brackets or symmetric products that are independent at the point."""


@dataclass(frozen=True, slots=True, eq=False)
class Controllability(Shown):
    """What was decided of a control system at a point."""

    system: str
    formalism: str
    controls: tuple[str, ...]
    point: Mapping[str, Expr]
    """What is fixed; other variables, and parameters, have generic values."""
    generic: tuple[str, ...]
    answers: tuple[ControlAnswer, ...]

    def __getitem__(self, name: str) -> ControlAnswer:
        """Return an answer by its name."""
        for one in self.answers:
            if one.name == name:
                return one
        raise ExpressionError(f"'{name}' was not asked; there are {', '.join(one.name for one in self.answers)}.")


def controllability(
    result: Any,
    *,
    at: Mapping[str, Any] | None = None,
    controls: Sequence[str] | None = None,
    observe: Sequence[str] = (),
    values: Mapping[str, Any] | None = None,
) -> Controllability:
    """Return what can be reached by the controls of what a formalism derived, at a point.

    >>> from dalembert import System, derive
    >>> car = System.of(name="skate with two motors", coordinates={"x": "real", "y": "real", "h": "angle"},
    ...     parameters={"m": 1, "J": 1}, lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2",
    ...     speeds={"v": "x'*cos(h) + y'*sin(h)"}, constraints={"blade": "x'*sin(h) = y'*cos(h)"},
    ...     controls=["push", "turn"], forces={"v": "push", "h": "turn"})
    >>> found = controllability(derive(car, "nonholonomic"))
    >>> for one in found.answers:
    ...     print(one.name, one.verdict.kind, one.spanning)
    allowed directions proved ('v', "h'", "[v, h']")
    linear part refuted ()
    small time certain ('push', 'turn', '[drift, push]', '[drift, turn]', '[[drift, push], [drift, turn]]')
    from rest proved ('push', 'turn', '[push, turn]')

    Parameters
    ----------
    at
        Exact values of variables of the state; velocities are 0 unless they are given, positions generic.
    controls
        The inputs: all of [controls], unless equations by hand have parameters that are to be taken for some.
    observe
        What is measured, for the observability of the linear part.
    values
        Exact values of parameters; the others are generic.
    """
    system = control_system(result, at, controls, values)
    answers = [
        *_allowed(system),
        *(linear := _linear(system, observe)),
        *(_with_inputs(system, linear) if system.inputs else ()),
    ]
    if not answers:
        raise ExpressionError("there are neither constraints on velocities nor controls; state [controls].")
    equations = system.equations
    fixed = {v.data.label: e for v, e in system.point.items()}
    return Controllability(
        equations.system, equations.formalism, tuple(system.inputs), fixed, system.generic, tuple(answers)
    )


def _answer(name: str, verdict: Verdict, spanning: tuple[str, ...] = ()) -> ControlAnswer:
    return ControlAnswer(name, _NAMES[name], verdict, spanning)


def _allowed(system: ControlSystem) -> list[ControlAnswer]:
    """Decide whether motions with the allowed velocities, chosen at will, join all positions."""
    fields, names = system.allowed
    if not fields:
        return []
    positions = fields[0].chart.coordinates
    point = {v: e for v, e in system.point.items() if v in positions}
    return [_answer("allowed directions", *chow(fields, names, point, system.dimension(positions), system.facts))]


def _at(system: ControlSystem, roots: Sequence[Expr]) -> list[Expr]:
    return substitute(list(roots), dict(system.point))


def _is_still(system: ControlSystem) -> bool:
    return vanish(_at(system, system.drift.components), system.facts)


def _linear(system: ControlSystem, observe: Sequence[str]) -> list[ControlAnswer]:
    """Decide Kalman's conditions at an equilibrium."""
    if not _is_still(system):
        return []
    state = list(system.equations.state)
    rows = [_at(system, row) for row in jacobian(list(system.drift.components), state)]
    size = system.dimension(state)
    found = []
    if system.inputs:
        block = [_at(system, field.components) for field in system.inputs.values()]
        whole = list(block)
        for _ in range(size - 1):
            block = [[_dot(row, column) for row in rows] for column in block]
            whole += block
        found.append(_answer("linear part", _ranked(whole, size, system, "B, A B, ...")))
    if observe:
        block = [_at(system, gradient(system.words.observed(name), state)) for name in observe]
        whole = list(block)
        for _ in range(size - 1):
            block = [[_dot(line, [row[j] for row in rows]) for j in range(len(state))] for line in block]
            whole += block
        bound = [_at(system, row) for row in jacobian(list(system.relations), state)] if system.relations else []
        found.append(_answer("observed", _ranked([*bound, *whole], len(state), system, "C, C A, ...")))
    return found


def _dot(left: Sequence[Expr], right: Sequence[Expr]) -> Expr:
    return total([(1, a * b) for a, b in zip(left, right, strict=True)])


def _ranked(rows: Sequence[Sequence[Expr]], size: int, system: ControlSystem, said: str) -> Verdict:
    rank = generic_rank(rows, system.facts)
    evidence = f"{said} have rank {rank.rank} of {size}: {rank.verdict.evidence}"
    if rank.verdict.holds is None:
        return Verdict("undecided", evidence)
    return Verdict("proved" if rank.rank == size else "refuted", evidence)


def _with_inputs(system: ControlSystem, linear: Sequence[ControlAnswer]) -> list[ControlAnswer]:
    """Decide nonlinear controllability: without drift, with drift at an equilibrium, and from rest."""
    equations = system.equations
    state, names, inputs = list(equations.state), tuple(system.inputs), list(system.inputs.values())
    size = system.dimension(state)
    if vanish(list(system.drift.components), system.facts):
        return [_answer("no drift", *chow(inputs, names, system.point, size, system.facts))]
    found = []
    if any(one.name == "linear part" and one.verdict.kind == "proved" for one in linear):
        found.append(_answer("small time", Verdict("proved", "the linear part is controllable.")))
    elif _is_still(system):
        found.append(_answer("small time", *sussmann(system.drift, inputs, names, system.point, size, system.facts)))
    else:
        moving = next(
            v.data.label
            for v, e in zip(state, system.drift.components, strict=True)
            if not vanish(_at(system, [e]), system.facts)
        )
        why = f"the point is no equilibrium: '{moving}' moves; fix one by at, or the value of a control."
        found.append(_answer("small time", Verdict("undecided", why)))
    drift = dict(zip(state, system.drift.components, strict=True))
    mechanical = from_rest(
        {v: drift[v] for v in equations.kinematics},
        {w: drift[w] for w in equations.velocities},
        [dict(zip(state, one.components, strict=True)) for one in inputs],
    )
    if isinstance(mechanical, str):
        found.append(_answer("from rest", Verdict("undecided", f"symmetric products do not apply: {mechanical}")))
    else:
        where = system.dimension(system.positions)
        found.append(
            _answer("from rest", *controllable_from_rest(mechanical, names, system.point, where, system.facts))
        )
    return found
