"""Whether the values in a system are possible: of parameters, at the start and the end, and for a run."""

from __future__ import annotations

from dalembert.errors import EvaluationError
from dalembert.expr import truth
from dalembert.expr.calculus import define
from dalembert.expr.exact import Number
from dalembert.expr.graph import Constant, Expr, symbol
from dalembert.expr.readers import Balls, Floats
from dalembert.expr.walk import evaluate, functions, symbols
from dalembert.model.faults import Faults
from dalembert.model.parts import State
from dalembert.model.sizes import MOST_SAMPLES, beyond_machine
from dalembert.model.system import System


def check_values(system: System, faults: Faults) -> None:
    """Note values that are not in their domain, or that no machine computes with."""
    for parameter, value in system.parameters.items():
        path = ("parameters", parameter.data.name)
        if value is not None and (fault := beyond_machine(value)):
            faults.add(path, f"the value of '{parameter!r}' {fault}")
        elif fault := _sign_fault(parameter.data.domain, value):
            usual = parameter.data.domain == "positive"
            remedy = 'parameters are, unless { value = ..., sign = "any" } says otherwise' if usual else ""
            faults.add(path, f"the value of '{parameter!r}' is {fault}", remedy)
    for table, state in (("start", system.start), ("end", system.end)):
        _check_state(system, table, state, faults)
        _check_lengths(system, table, state, faults)
    for key, expression in (("time", system.run.time), ("begin", system.run.begin)):
        moment = None if expression is None else _value(system, expression)
        if moment is not None and (fault := beyond_machine(moment)):
            faults.add(("run", key), f"its value {fault}")
        elif moment is not None and key == "time" and moment <= 0:
            faults.add(("run", "time"), "the time of a run must be positive")
    samples = system.run.samples
    for key, what in (("tolerance", "the tolerance"), ("max_step", "the largest step")):
        size = getattr(system.run, key)
        if size is not None and (fault := beyond_machine(size)):
            faults.add(("run", key), f"its value {fault}")
        elif size is not None and _sign_fault("positive", size):
            faults.add(("run", key), f"{what} must be positive")
    if samples is not None and samples < 1:
        faults.add(("run", "samples"), "samples must be at least 1")
    elif samples is not None and samples > MOST_SAMPLES:
        faults.add(("run", "samples"), f"samples must be at most {MOST_SAMPLES}")


def _check_lengths(system: System, table: str, state: State, faults: Faults) -> None:
    """Note rotations and directions whose length is not 1."""
    for point in system.points:
        told = {q: _value(system, state.values[q]) for q in point.components if q in state.values}
        known = {q: float(value) for q, value in told.items() if value is not None}
        try:
            if told and len(known) == len(told):
                point.completed(known)
        except EvaluationError as error:
            faults.add((table, next(iter(told)).data.name), str(error).removesuffix("."))


def _check_state(system: System, table: str, state: State, faults: Faults) -> None:
    named = {q.data.label: value for q, value in state.values.items()}
    named |= state.multipliers
    named |= {f"p.{q.data.name}": value for q, value in state.costates.items()}
    named |= {f"near.{q.data.name}": value for q, value in state.near.items()}
    domains = {q.data.label: q.data.domain for q in system.q}
    for label, expression in named.items():
        value = _value(system, expression)
        if value is not None and (fault := beyond_machine(value)):
            faults.add((table, label), f"its value {fault}")
        elif fault := _sign_fault(domains.get(label, "real"), value):
            faults.add((table, label), f"the value of '{label}' is {fault}")


def _sign_fault(domain: str, value: Constant | float | None) -> str:
    """Return in what way a value is not in a domain."""
    signs = {"positive": (1,), "negative": (-1,), "nonzero": (1, -1)}.get(domain)
    if value is None or signs is None:
        return ""
    sign = _sign(value) if isinstance(value, Expr) else (value > 0) - (value < 0)
    if sign is None:
        return f"not known to be {domain}"
    return "" if sign in signs else f"not {domain}"


def _sign(value: Expr) -> int | None:
    """Return the sign of a constant, or None where it cannot be decided."""
    for bits in (64, 512, 4_096):
        ball = Balls({}, bits).read([value])[0]
        if not ball.contains(0):
            return 1 if ball > 0 else -1
    return 0 if truth.is_zero(value).holds else None


def _value(system: System, expression: Expr) -> Number | float | None:
    """Return what an expression in parameters comes to with their default values, if these are all known."""
    if expression.value is not None:
        return expression.value
    (expression,) = define([expression], system.definitions)
    known = {p: float(value) for p, value in system.defaults.items() if not beyond_machine(value)}
    if functions([expression]) or not {symbol(one) for one in symbols([expression])} <= known.keys():
        return None
    return float(evaluate([expression], Floats(known))[0])
