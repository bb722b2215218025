"""The answer of a formalism as JSON, stable and documented; expressions in the text syntax, shared parts named.

========================== ===============================================================================
system, formalism          names
parameters                 each parameter with its default
speeds                     what each speed of the state is, by coordinates and velocities, written out without lets;
                           only where there are some
controls                   each input in the forces with its value, where one is stated; only where there are some
state                      the names of the state variables
field, lift                the time derivative of each state and lift variable
configuration              each stated coordinate by state and lift variables
let                        [name, expression] pairs, in order, used by all the others; entries of rotations first
implicit                   unknowns and their residuals
saddle                     where constraints repeat others, or no velocities are shown to be independent everywhere: the
                           state has all velocities w, and mass w' = force + virtual^T lambda, rows w' = right, of this
                           rank
monitors, objects          what to watch; the geometric objects
linear                     where accelerations are too long: the velocities w with mass w' = force; the field
                           is then that of the others
left_out                   what is too long to be written down, with its nodes, linear systems written out
found_symmetry             where none is stated, and some are found: what is said of that, and the table [symmetry] that
                           a model could state
claims                     name, statement, role, verdict, evidence
stopped                    what the safety net ended on the way; only where it did
========================== ===============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.errors import expect
from dalembert.expr.graph import Constant, Expr, symbol
from dalembert.expr.text import program, text
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.expr.work import stops
from dalembert.mechanics.found_symmetries import symmetry_table
from dalembert.mechanics.registry import Result, claims
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations, Saddle, equations_and_system
from dalembert.model.repeated import repeated
from dalembert.model.system import System
from dalembert.numerics.forms import safest_form
from dalembert.present.page import WRITTEN, size_written


def answer(
    result: Result,
    objects: Mapping[str, object] | None = None,
    decided: Sequence[Claim] | None = None,
    most: int = WRITTEN,
) -> dict[str, Any]:
    """Return the JSON of a result; ``objects`` and ``decided`` are its objects and claims, where they are at hand.

    A monitor or an object of more than ``most`` nodes, linear systems written out, is named instead.

    >>> from dalembert.mechanics.lagrangian import euler_lagrange
    >>> from dalembert.model.system import System
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> answer(euler_lagrange.derive(fall))["field"]
    {'z': "z'", "z'": '-g'}
    """
    _, system = equations_and_system(result, "answer")
    expect(system, System, "answer needs a result with a system")
    equations = written_equations(result)
    rates, monitors = _written_out(equations, result.system)
    lift = dict(equations.reconstruction)
    stated = {q: equations.configuration.get(q, q) for q in result.system.q}
    whole = {"monitors": monitors, "objects": result.objects() if objects is None else objects}
    long = {f"{table} {name}": size for table, several in whole.items() for name, size in _too_long(several, most)}
    solved = equations.saddle is not None or size_written(rates.values()) <= most
    body: dict[str, Any] = {
        "field": {_name(s): e for s, e in rates.items() if solved or s not in equations.velocities},
        "lift": {_name(s): e for s, e in lift.items()},
        "configuration": {_name(q): e for q, e in stated.items()},
        "implicit": {_name(s): e for s, e in equations.implicit.items()},
        **{
            table: {name: e for name, e in several.items() if f"{table} {name}" not in long}
            for table, several in whole.items()
        },
    }
    if not solved:
        body["linear"] = _linear(equations)
    speeds = {**result.system.speeds, **equations.speeds}
    if result.system.controls:
        body["controls"] = {_name(u): value for u, value in result.system.controls.items()}
    if equations.saddle is not None:
        body["saddle"] = _saddle(equations)
    expressions, parts = _by_name(list(_expressions(body)), equations.named)
    lets, texts = program(expressions)
    written = iter(texts)
    shown = {key: _written(value, written) for key, value in body.items()}
    return {
        "system": equations.system,
        "formalism": equations.formalism,
        "parameters": {_name(p): _number(v) for p, v in equations.parameters.items()},
        "state": [_name(s) for s in equations.state],
        "let": [*([_name(one), text(whole)] for one, whole in parts.items()), *(list(pair) for pair in lets)],
        **shown,
        **({"speeds": {_name(s): text(e) for s, e in speeds.items()}} if speeds else {}),
        **({"left_out": long} if long else {}),
        **_found(result.system),
        "claims": [claim.to_json() for claim in (claims(result) if decided is None else decided)],
        **({"stopped": list(stopped)} if (stopped := stops()) else {}),
    }


def _found(system: System) -> dict[str, Any]:
    """Return what is said of symmetries that were found, and the table that a model could state."""
    if system.found is None or not system.symmetry:
        return {}
    return {"found_symmetry": {"said": system.found.statement, "symmetry": symmetry_table(system)}}


def written_equations(result: Result) -> Equations:
    """Return the equations that are written down: the derived ones, unless their choice of velocities may fail.

    Then all velocities are state, as in motions and in code, with all constraints kept. Speeds that were stated stay.
    """
    equations: Equations = result.equations
    return equations if result.system.speeds else safest_form(equations)


def _written_out(equations: Equations, system: System) -> tuple[dict[Expr, Expr], dict[str, Expr]]:
    """Return rates and monitors as expressions; monitors that numbers alone can solve for are left out.

    Where constraints repeat others, the accelerations are those under the others: the same wherever all hold.
    """
    saddle, monitors = equations.saddle, dict(equations.monitors)
    if saddle is None or saddle.rank == len(saddle.rows):
        return equations.rates(), monitors
    kept = [i for i, name in enumerate(saddle.names) if name not in repeated(system)]
    rows, virtual = (tuple(several[i] for i in kept) for several in (saddle.rows, saddle.virtual))
    others = Saddle((), rows, virtual, tuple(saddle.right[i] for i in kept), len(kept))
    moved = dict(zip(equations.velocities, others.solution(equations.mass, equations.force), strict=False))
    told = {name: e for name, e in monitors.items() if not any(n.op == "basic" for n in postorder([e]))}
    return {**equations.kinematics, **moved}, told


def _by_name(expressions: list[Expr], named: Mapping[Expr, Expr]) -> tuple[list[Expr], dict[Expr, Expr]]:
    """Return expressions with named parts by their names, and the parts that then occur."""
    short = substitute(expressions, {whole: one for one, whole in named.items()})
    there = {symbol(one) for one in symbols(short)} if named else set()
    return short, {one: whole for one, whole in named.items() if one in there}


def _too_long(several: Mapping[str, object], most: int) -> Iterator[tuple[str, int]]:
    """Yield the names of what has more nodes than so many, and how many; they are counted, not written."""
    for name, value in several.items():
        size = size_written(_expressions(value))
        if size > most:
            yield name, size


def _linear(equations: Equations) -> dict[str, Any]:
    return {
        "velocities": [_name(v) for v in equations.velocities],
        "mass": [list(row) for row in equations.mass],
        "force": list(equations.force),
    }


def _saddle(equations: Equations) -> dict[str, Any]:
    saddle = equations.saddle
    assert saddle is not None
    return {
        **_linear(equations),
        "constraints": list(saddle.names),
        "rows": [list(row) for row in saddle.rows],
        "virtual": [list(row) for row in saddle.virtual],
        "right": list(saddle.right),
        "rank": saddle.rank,
    }


def _name(symbol: Expr) -> str:
    return str(symbol.data.label)


def _number(value: Constant) -> int | float:
    return value if isinstance(value, int) else float(value)


def _expressions(value: Any) -> Iterator[Expr]:
    """Yield the expressions of a nested table, in order."""
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _expressions(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _expressions(part)


def _written(value: Any, texts: Iterator[str]) -> Any:
    """Return the same nested table with each expression replaced by its text, in the same order."""
    if isinstance(value, Expr):
        return next(texts)
    if isinstance(value, Mapping):
        return {str(key): _written(part, texts) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_written(part, texts) for part in value]
    return value
