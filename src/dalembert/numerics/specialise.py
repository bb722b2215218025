"""Equations with every function, control and parameter given a value: what an engine can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, Number, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Function, Symbol
from dalembert.expr.text import parse
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.expr.walk import functions as functions_of
from dalembert.model.equations import Equations
from dalembert.model.faults import quoted, suggestion
from dalembert.model.kept import Kept
from dalembert.model.remembered import alike, come_from, origin_of
from dalembert.model.sizes import beyond_machine
from dalembert.model.system import System
from dalembert.model.table import LaterEntries, LaterRows, changed, waits
from dalembert.model.trajectory import Array
from dalembert.numerics.few_operations import in_few_operations
from dalembert.numerics.problem import Apart
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass, replace

_TOO_SMALL = "a number that is not zero is so small that it is zero for a machine; take other units."
_KEPT = Kept()
Definitions = dict[Function, tuple[tuple[Expr, ...], Expr]]


def expressions_of(equations: Equations) -> list[Expr]:
    """Return every expression of equations, in a fixed order; mass, force and monitors that wait are left to wait."""
    mass = () if waits(equations.mass) else equations.mass
    force = () if waits(equations.force) else equations.force
    found = [*equations.kinematics.values(), *(entry for row in mass for entry in row), *force]
    for table in (equations.implicit, equations.reconstruction, equations.configuration, _at_hand(equations)):
        found += table.values()
    if equations.saddle is not None:
        found += [e for row in (*equations.saddle.rows, *equations.saddle.virtual) for e in row]
        found += equations.saddle.right
    found += [e for table in equations.projection for e in table.values()]
    found += [one for pair in equations.guards for one in pair]
    return [*found, *equations.straight.values(), *equations.by_size]


@dataclass(frozen=True, slots=True)
class _Contents:
    """What occurs in equations, found in one walk."""

    symbols: set[Symbol]
    functions: set[Function]
    constants: list[Number]
    """Each number once, in the order in which they are met."""


def _contents(equations: Equations) -> _Contents:
    """Return what occurs in equations; it is looked for once."""

    def look() -> _Contents:
        here: set[Symbol] = set()
        called: set[Function] = set()
        constants: dict[Number, None] = {}
        for node in postorder(expressions_of(equations)):
            if node.op == "symbol":
                here.add(node.data)
            elif node.op == "jet":
                called.add(node.data[0])
            elif node.op == "number":
                constants[node.data] = None
            elif node.op == "sum":
                constants.update(dict.fromkeys((node.data[0], *node.data[1])))
        return _Contents(here, called, list(constants))

    found: _Contents = _KEPT(equations)("contents", look)
    return found


def _at_hand(equations: Equations) -> Mapping[str, Expr]:
    """Return the monitors, or none where they wait to be made."""
    return {} if waits(equations.monitors) else equations.monitors


def mapped(equations: Equations, change: Callable[[list[Expr]], Sequence[Expr]]) -> Equations:
    """Return equations with all expressions changed together, so that what they share stays shared."""
    new = iter(change(expressions_of(equations)))
    size = len(equations.velocities)
    kinematics = {q: next(new) for q in equations.kinematics}
    mass: Sequence[tuple[Expr, ...]] = equations.mass
    if waits(mass):
        mass = LaterRows(size, lambda: (change(list(row)) for row in equations.mass))
    else:
        mass = tuple(tuple(next(new) for _ in range(size)) for _ in range(size))
    force: Sequence[Expr] = equations.force
    if waits(force):
        force = LaterEntries(size, lambda: change(list(equations.force)))
    else:
        force = tuple(next(new) for _ in range(size))
    tables: list[dict[Any, Expr]] = [
        {key: next(new) for key in table}
        for table in (equations.implicit, equations.reconstruction, equations.configuration, _at_hand(equations))
    ]
    implicit, lift, configuration, monitors = tables
    saddle = equations.saddle
    if saddle is not None:
        rows, virtual = (
            tuple(tuple(next(new) for _ in row) for row in table) for table in (saddle.rows, saddle.virtual)
        )
        saddle = replace(saddle, rows=rows, virtual=virtual, right=tuple(next(new) for _ in saddle.right))
    projection = tuple({key: next(new) for key in table} for table in equations.projection)
    guards = tuple((next(new), next(new)) for _ in equations.guards)
    straight = {v: next(new) for v in equations.straight}
    return replace(
        equations,
        kinematics=kinematics,
        mass=mass,
        force=force,
        implicit=implicit,
        reconstruction=lift,
        configuration=configuration,
        monitors=monitors if _at_hand(equations) else changed(equations.monitors, change),
        saddle=saddle,
        projection=projection,
        straight=straight,
        guards=guards,
        by_size=tuple(new),
    )


def specialise(
    equations: Equations,
    system: System | None = None,
    values: Mapping[Any, Any] | None = None,
    functions: Mapping[Any, Any] | None = None,
) -> tuple[Equations, Array, Definitions]:
    """Return equations without functions and controls, the values of their parameters, and the definitions used.

    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> plain, numbers, _ = specialise(Equations("decay", "by hand", {x: -k * x}), values={"k": 2})
    >>> list(plain.parameters), numbers
    ([k], array([2.]))
    """
    plain = without_functions(equations, system, functions)
    numbers = plain.numbers(values or {})
    ready = with_values(plain.equations, numbers)
    return ready, np.array(list(numbers.values()), dtype=np.float64), plain.definitions


def with_values(equations: Equations, numbers: Mapping[Expr, float]) -> Equations:
    """Return equations with the values of their parameters."""
    made = replace(equations, parameters={p: Fraction(v) for p, v in numbers.items()})
    return alike(made, equations, lambda: [repr(p.data) for p in numbers])


@dataclass(frozen=True, eq=False)
class Plain:
    """Equations without functions and controls, whatever the values of their parameters are."""

    equations: Equations
    definitions: Definitions
    usual: Mapping[Expr, Any]
    """The parameters that occur or are stated, with their default values, or None."""
    occurring: frozenset[Symbol]
    """All symbols of the equations and of the values of functions."""
    controls: tuple[str, ...] = ()
    """The names of the controls that were put in."""

    def numbers(self, values: Mapping[Any, Any]) -> dict[Expr, float]:
        """Return the value of each parameter that occurs or has a default; all that are missing are named at once."""
        numbers = _parameters(self.usual, self.occurring, values, self.controls)
        bound = {
            *self.equations.state,
            *self.equations.reconstruction,
            *self.equations.implicit,
            *numbers,
            symbol(TIME),
        }
        free = sorted(s.label for s in self._free if symbol(s) not in bound)
        if free:
            names = ", ".join(map(quoted, free))
            raise EvaluationError(f"{names} occurs in the equations, but is not determined along a motion.")
        return numbers

    @cached_property
    def _free(self) -> list[Symbol]:
        return list(_contents(self.equations).symbols)


def without_functions(
    equations: Equations, system: System | None = None, functions: Mapping[Any, Any] | None = None
) -> Plain:
    """Return equations with the values of functions and controls put in."""
    origins = [origin_of(one) for one in (equations, system) if one is not None]
    equations = in_few_operations(equations)
    stated = dict(functions or {})
    definitions = _definitions(equations, system, stated)
    controlled = _without_controls(equations, system, stated, definitions)
    _refuse_unknown(stated, equations, system)
    plain = mapped(controlled, lambda roots: _defined(roots, definitions)) if definitions else controlled
    missing = sorted({f.name for f in _contents(plain).functions})
    if missing:
        names = ", ".join(f"'{name}'" for name in missing)
        word, need = ("functions", "need") if len(missing) > 1 else ("function", "needs")
        raise EvaluationError(
            f"the unspecified {word} {names} {need} a value for a simulation; give it in functions={{...}} or --let."
        )
    _refuse_constants(plain)
    usual: dict[Expr, Any] = dict(system.parameters) if system is not None else {}
    usual |= plain.parameters
    occurring = _contents(plain).symbols | symbols([body for _, body in definitions.values()])
    for one in sorted((s for s in occurring if s.role == "parameter"), key=lambda s: s.name):
        usual.setdefault(symbol(one), None)
    # the recipes are of equations with functions
    alone = replace(plain, functions={}, initial_state=None, saddle_form=None, lifting=None, atlas=None, elsewhere=None)
    _KEPT(alone)("contents", lambda: _contents(plain))  # its expressions are the same
    if not functions:
        known = [one for one in origins if one is not None]
        alone = come_from(alone, *known, "without functions") if len(known) == len(origins) else alone
    controls = () if system is None else tuple(u.data.name for u in system.controls)
    return Plain(alone, definitions, usual, frozenset(occurring), controls)


def with_functions_apart(
    equations: Equations,
    plain: Equations,
    system: System | None,
    functions: Mapping[Any, Any],
    definitions: Definitions,
) -> Apart | None:
    """Return equations in which functions are called instead of put in; None where there are none or none can be."""
    if plain.implicit:
        return None
    stated = {key: value for key, value in functions.items() if getattr(key, "name", key) not in _names(definitions)}
    called = _without_controls(equations, system, stated, definitions)
    called = replace(called, parameters=plain.parameters, functions={}, monitors={})
    roots = [
        *called.kinematics.values(),
        *called.force,
        *called.reconstruction.values(),
        *(e for row in called.mass for e in row),
        *called.rates().values(),
        *(e for table in called.projection for e in table.values()),
    ]
    return Apart(plain, called, definitions) if functions_of(roots) else None


def _names(definitions: Definitions) -> set[str]:
    return {function.name for function in definitions}


def number_of(value: Any, words: Vocabulary | None = None, known: Mapping[Expr, float] | None = None) -> float:
    """Return a number from a number, from text, or from an expression in parameters."""
    if isinstance(value, str):
        value = parse(value, words or Vocabulary())
    if isinstance(value, Expr):
        if value.value and not Floats({}).number(value.value):
            raise ExpressionError(_TOO_SMALL)
        try:
            return float(evaluate([value], Floats(dict(known or {})))[0])
        except EvaluationError as fault:
            raise EvaluationError(f"'{value!r}' is not a number: {fault}") from None
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ExpressionError(f"{value!r} is not a number.") from None
    except OverflowError:
        raise ExpressionError("a number is too large for double precision.") from None
    if not number and value != 0:
        raise ExpressionError(_TOO_SMALL)
    return number


def _definitions(equations: Equations, system: System | None, stated: dict[Any, Any]) -> Definitions:
    """Return the values of functions: those stated here, else those of the model. What is used leaves ``stated``."""
    found: Definitions = {f: value for f, value in equations.functions.items() if value is not None}
    formals: dict[Function, tuple[Expr, ...]] = {f: formal for f, (formal, _) in found.items()}
    if system is not None:
        found |= system.definitions
        formals |= {f: spec.formal for f, spec in system.functions.items()}
    known = {f.name: f for f in {*_contents(equations).functions, *equations.functions, *formals}}
    for key in [k for k in stated if getattr(k, "name", k) in known]:
        function = known[getattr(key, "name", key)]
        found[function] = _definition(function, stated.pop(key), formals.get(function), equations, system)
    return found


def _definition(
    function: Function, value: Any, formal: tuple[Expr, ...] | None, equations: Equations, system: System | None
) -> tuple[tuple[Expr, ...], Expr]:
    """Read the value of a function: text in its formal arguments, or a pair of their names and the text."""
    if isinstance(value, tuple | list):
        names, value = value
        formal = tuple(symbol(name) for name in (names.split() if isinstance(names, str) else names))
    if formal is None or len(formal) != function.arity:
        named = "its arguments are not named here"
        raise ExpressionError(
            f"the value of '{function.name}' cannot be read, for {named}; give a pair of their names and the text."
        )
    if isinstance(value, Expr):
        return formal, value
    parameters = {p.data.name: p.data.domain for p in equations.parameters}
    others = {f.name: f.arity for f in _contents(equations).functions if f is not function}
    if system is not None:
        parameters |= {p.data.name: p.data.domain for p in system.parameters}
    names = {f.data.label: f.data.domain for f in formal}
    words = Vocabulary(names, {n: d for n, d in parameters.items() if n not in names}, others)
    return formal, parse(str(value), words)


def _defined(roots: list[Expr], definitions: Definitions) -> list[Expr]:
    """Put values for functions, also within the values of others; no chain is longer than there are functions."""
    for _ in range(len(definitions)):
        if not functions_of(roots) & definitions.keys():
            break
        roots = define(roots, definitions)
    return roots


def _without_controls(
    equations: Equations, system: System | None, stated: dict[Any, Any], definitions: Definitions
) -> Equations:
    """Put the values of controls: what is stated here, else what the model says."""
    present = _contents(equations).symbols
    controls = {} if system is None else {u: v for u, v in system.controls.items() if u.data in present}
    if not controls:
        return equations
    words = NameResolver(equations, system, tuple(definitions.items()))
    table: dict[Expr, Expr] = {}
    missing = []
    for control, usual in controls.items():
        key = next((k for k in (control, control.data.name) if k in stated), None)
        value = stated.pop(key) if key is not None else usual
        if value is None:
            missing.append(f"'{control.data.name}'")
            continue
        table[control] = words.expression(value if isinstance(value, str | Expr) else repr(value))
    if missing:
        word, need = ("controls", "need") if len(missing) > 1 else ("control", "needs")
        raise EvaluationError(
            f"the {word} {', '.join(missing)} {need} a value for a simulation; give it in functions={{...}} or --let."
        )
    return mapped(equations, lambda roots: substitute(roots, table))


def _refuse_unknown(stated: Mapping[Any, Any], equations: Equations, system: System | None) -> None:
    known = [f.name for f in equations.functions]
    if system is not None:
        known += [u.data.name for u in system.controls]
    harmless = set(known)
    for key in stated:
        name = getattr(key, "name", None) or str(key)
        if name not in harmless:
            raise ExpressionError(
                f"there is no function or control '{name}'; {suggestion(name, known)}".removesuffix("; ")
            )


def _parameters(
    usual: Mapping[Expr, Any], occurring: frozenset[Symbol], values: Mapping[Any, Any], controls: Sequence[str]
) -> dict[Expr, float]:
    known = {p.data.name: p for p in usual}
    given: dict[Expr, float] = {}
    for key, value in values.items():
        name = key.data.name if isinstance(key, Expr) else str(key)
        if name in controls and name not in known:
            raise ExpressionError(f"'{name}' is a control, and no parameter; give it in functions={{...}} or --let.")
        if name not in known:
            raise ExpressionError(f"there is no parameter '{name}'; {suggestion(name, known)}".removesuffix("; "))
        given[known[name]] = number_of(value)
    result: dict[Expr, float] = {}
    missing = []
    for parameter, default in usual.items():
        if parameter in given:
            result[parameter] = given[parameter]
        elif default is not None:
            result[parameter] = number_of(default)
        elif parameter.data in occurring:
            missing.append(f"'{parameter.data.name}'")
    if missing:
        raise EvaluationError(f"{', '.join(missing)} has no value; give one in values={{...}} or in the model.")
    for parameter, value in result.items():
        _check_domain(parameter, value)
    return result


def _check_domain(parameter: Expr, value: float) -> None:
    domain = parameter.data.domain
    fits = {"positive": value > 0, "negative": value < 0, "nonzero": value != 0}.get(domain, True)
    if not fits or not np.isfinite(value):
        what = domain if np.isfinite(value) else "finite"
        raise EvaluationError(f"'{parameter.data.name}' = {value:g} is not {what}, as the equations assume.")


def _refuse_constants(equations: Equations) -> None:
    """Refuse numbers in the equations that are none for a machine."""
    for constant in _contents(equations).constants:
        if fault := beyond_machine(constant):
            raise ExpressionError(f"a constant of the equations {fault}; take other units.")
