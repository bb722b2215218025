"""From a system back to the tables that state it, and from these to what a model file can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from dalembert.expr.calculus import tangent
from dalembert.expr.exact import Number
from dalembert.expr.graph import ONE, ZERO, Constant, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.text import text
from dalembert.expr.walk import substitute, symbols
from dalembert.model.bracket import HAMILTONIAN
from dalembert.model.decimals import decimal_of
from dalembert.model.declarations import SIGNS
from dalembert.model.facts import facts_of
from dalembert.model.parts import Bundle, Generator, State
from dalembert.model.system import System

_SIGN_OF: Final = {domain: sign for sign, domain in SIGNS.items()}


def tables_of(system: System) -> dict[str, Any]:
    """Return the statement of a system: tables as in a model file, with expressions in them; empty ones left out."""
    tables = {
        "name": system.name,
        "lagrangian": system.lagrangian,
        **system.metadata,
        "coordinates": _coordinates(system),
        "parameters": {p.data.name: _parameter(p, value) for p, value in system.parameters.items()},
        "functions": {
            function.name: {"of": _labels(spec.formal)} | ({} if spec.value is None else {"value": spec.value})
            for function, spec in system.functions.items()
        },
        "let": dict(system.let),
        "speeds": _labelled(system.stated_speeds),
        "equations": _labelled(system.equations),
        "constraints": {c.name: (c.left, c.right) for c in system.constraints.values() if c.origin == "stated"},
        "holonomic": {
            name: (equation.left, equation.right)
            for name, equation in system.holonomic.items()
            if name not in system.units
        },
        "forces": _labelled(system.stated_forces),
        "controls": {u.data.name: {} if value is None else _plain(value) for u, value in system.controls.items()},
        "virtual": {name: _labelled(form) for name, form in system.virtual.items()},
        "fibration": {
            key: _labels(some)
            for key, some in (("dependent", system.dependent), ("other", system.other_dependent))
            if some
        },
        "bundle": None if system.bundle is None else _bundle(system.bundle),
        "symmetry": {name: _generator(generator) for name, generator in system.symmetry.items()},
        "momentum": {name: _plain(value) for name, value in system.momentum.items()},
        "assume": {name: (equation.left, equation.right) for name, equation in system.assume.items()},
        "start": _state(system.start, system),
        "end": _state(system.end, system),
        "run": _run(system),
        "stops": dict(system.stops),
        "subsystem": dict(system.subsystem),
        "facts": facts_of(system.known),
    }
    if system.bracket is not None:
        pairs = {f"{x.data.label}, {y.data.label}": e for (x, y), e in system.bracket.entries.items()}
        tables["bracket"] = {**pairs, HAMILTONIAN: system.bracket.hamiltonian}
    if system.algebra is not None:
        brought = {one.data.label for one in (*system.algebra.coordinates, *system.algebra.advected)}
        tables["coordinates"] = {name: one for name, one in tables["coordinates"].items() if name not in brought}
        tables["algebra"] = dict(system.algebra.stated)
    kept = {"bundle", *system.metadata}  # which say something even when they are empty
    return {key: value for key, value in tables.items() if value is not None and (value != {} or key in kept)}


def _coordinates(system: System) -> dict[str, str]:
    """Return the coordinates with their domains; rotations and directions by their kind."""
    whole = {q: point for point in system.points for q in point.components}
    return {
        whole[q].name if q in whole else q.data.label: whole[q].kind if q in whole else domain
        for q, domain in system.coordinates.items()
    }


def _labelled(table: Mapping[Expr, Any]) -> dict[str, Any]:
    return {key.data.label: value for key, value in table.items()}


def _labels(several: Sequence[Expr]) -> list[str]:
    return [one.data.label for one in several]


def _generator(generator: Generator) -> dict[str, Any]:
    """Return the components of a generator; rotations that it turns as they are stated."""
    turns = {name: f"{side} {axis}" for name, (side, axis) in generator.turns.items()}
    rest = {q: e for q, e in generator.components.items() if q.data.name.partition(".")[0] not in turns}
    return turns | _labelled(rest) | ({} if generator.time is ZERO else {"t": generator.time})


def _plain(value: Expr) -> Expr | Number:
    """Return the number that an expression is, if it is one."""
    return value if value.value is None else value.value


def _parameter(parameter: Expr, value: Constant | None) -> Any:
    domain = parameter.data.domain
    if value is not None and domain == "positive":
        return value
    sign = {} if domain == "positive" else {"sign": _SIGN_OF.get(domain, "any")}
    return ({} if value is None else {"value": value}) | sign


def _bundle(bundle: Bundle) -> dict[str, Any]:
    connection: Any = bundle.connection
    if isinstance(connection, Mapping):
        connection = {name: _labelled(form) for name, form in connection.items()}
    adapted = {
        new.data.name: old if new.data.domain == "real" else {"value": old, "domain": new.data.domain}
        for new, old in bundle.adapted.items()
    }
    adapted |= {new.data.name: {"domain": new.data.domain} for new in bundle.unsolved}
    stated = {
        "base": _labels(bundle.base),
        "fibre": _labels(bundle.fibre),
        "connection": connection,
        "adapted": adapted,
        "inverse": _labelled(bundle.inverse),
        "loops": {name: _labelled(curve) for name, curve in bundle.loops.items()},
    }
    return {key: value for key, value in stated.items() if value}


def _state(state: State, system: System) -> dict[str, Expr | Number]:
    names = {one.data.name for one in (*system.q, *system.speeds)}
    stated = _labelled(state.values)
    for name, value in state.multipliers.items():
        plain = name.rstrip("'") not in names and "." not in name
        stated[name if plain else f"lambda.{name}"] = value
    stated |= {f"p.{q.data.name}": value for q, value in state.costates.items()}
    stated |= {f"near.{q.data.name}": value for q, value in state.near.items()}
    return {label: _plain(value) for label, value in stated.items()}


def _run(system: System) -> dict[str, Any]:
    run = system.run
    stated = {
        "time": None if run.time is None else _plain(run.time),
        "begin": None if run.begin is ZERO else _plain(run.begin),
        "tolerance": run.tolerance,
        "max_step": run.max_step,
        "samples": run.samples,
        "engine": run.engine,
        "formalism": run.formalism,
        "events": dict(run.events) or None,
    }
    return {key: value for key, value in stated.items() if value is not None}


# -- text ----------------------------------------------------------------------------------------------------
def tables_in_text(system: System) -> dict[str, Any]:
    """Return the statement of a system as TOML holds it: expressions as text, numbers as decimals where they are some.

    Lets, their rates and speeds are called by name where they occur, so that what they keep short stays short.
    """
    tables = tables_of(system)
    names = _named_speeds(system)
    lets = {}
    for (name, expression), rate in zip(system.let.items(), _rates(list(system.let.values())), strict=True):
        lets[name] = _text(expression, names)
        for node, called in ((expression, Symbol(name)), (rate, Symbol(name, order=1))):
            if node.args:
                names.setdefault(node, symbol(called))
    # The value of a function is in names of its own, so lets do not occur there.
    written = {table: _written(value, {} if table == "functions" else names) for table, value in tables.items()}
    return written | ({"let": lets} if lets else {}) | ({"speeds": _speeds(system)} if system.stated_speeds else {})


def _named_speeds(system: System) -> dict[Expr, Expr]:
    """Return the symbols by which speeds are called where what they are occurs; velocities keep their own names."""
    named: dict[Expr, Expr] = dict(system.named_parts)
    for one, expression in system.speeds.items():
        if expression.args:
            named.setdefault(expression, one)
    return named


def _speeds(system: System) -> dict[str, str]:
    """Return the speeds as text: with lets, and the speeds before each, by name."""
    names = {expression: symbol(Symbol(name)) for name, expression in system.let.items() if expression.args}
    names |= system.named_parts
    texts = {}
    for one, expression in system.stated_speeds.items():
        known = {node: name for node, name in names.items() if node is not expression}
        texts[one.data.name] = _text(expression, known)
        names[expression] = one
    return texts


def _rates(expressions: Sequence[Expr]) -> list[Expr]:
    """Return the time derivatives of several expressions in one pass."""
    found = symbols(expressions)
    seed = {symbol(one): symbol(one.dot) for one in found if one.role == "variable"}
    return tangent(expressions, seed | {symbol(one): ONE for one in found if one.role == "time"})


def _text(expression: Expr, names: Mapping[Expr, Expr]) -> str:
    return text(substitute([expression], names)[0])


def _written(value: Any, names: Mapping[Expr, Expr]) -> Any:
    if isinstance(value, Expr):
        return _text(value, names)
    if isinstance(value, Mapping):
        return {key: _written(entry, names) for key, entry in value.items()}
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], Expr):
        return f"{_text(value[0], names)} = {_text(value[1], names)}"
    if isinstance(value, tuple | list):
        return [_written(entry, names) for entry in value]
    if isinstance(value, Fraction) or (isinstance(value, int) and value.bit_length() > 63):
        decimal = decimal_of(value)
        return str(value) if decimal is None else decimal
    return value
