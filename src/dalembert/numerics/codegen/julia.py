"""Julia: functions in place, with the arguments in the order that SciML has them."""

from __future__ import annotations

from dalembert.numerics.codegen.body import Dialect
from dalembert.numerics.codegen.model import Function, Source

__all__ = ["DIALECT", "write"]

_KEYWORDS = """
baremodule begin break catch const continue do else elseif end export false finally for function global if import let
local macro module quote return struct true try using while abstract mutable primitive type where in isa outer
sin cos tan exp log atan asin acos sqrt abs sum prod min max pi im e Inf NaN
"""

DIALECT = Dialect(
    keywords=frozenset(_KEYWORDS.split()),
    assign="{name} = {value}",
    functions={name: name for name in ("sin", "cos", "exp", "log", "atan", "asin", "acos", "sqrt")},
    power="{base}^{exponent}",
    positive="{base} > 0 ? {value} : NaN",
    library=frozenset({"t", "y", "p", "u", "out", "PARAMETERS", "VARIABLES", "STATE", "UNKNOWNS"}),
)


def write(source: Source) -> str:
    """Return a module with one function in place for each table."""
    head = [source.title + ".", source.provenance + ".", *source.notes]
    names = [f"VARIABLES = ({_tuple(source.variables)})", f"STATE = ({_tuple(list(source.variables)[: source.state])})"]
    if source.unknowns:
        names.append(f"UNKNOWNS = ({_tuple(source.unknowns)})")
    values = ", ".join(f"{n} = {source.defaults[label]!r}" for label, n in source.parameters.items())
    names.append(f"PARAMETERS = (; {values})")
    parts = ["\n".join(f"# {line}" for line in head), f"module {source.name}"]
    parts += ["\n".join(f"const {row}" for row in names)]
    parts += [_function(source, function) for function in source.functions]
    return "\n\n".join([*parts, f"end # module {source.name}"]) + "\n"


def _tuple(labels: object) -> str:
    from collections.abc import Iterable

    assert isinstance(labels, Iterable)
    quoted = ['"' + str(label).replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"' for label in labels]
    return "".join(f"{text}, " for text in quoted)


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    arguments = "out, y, p, t, u" if source.unknowns else "out, y, p, t"
    body = [f"{n} = y[{i}]" for i, n in enumerate(source.variables.values(), 1) if n in used]
    body += [f"{n} = p.{n}" for n in source.parameters.values() if n in used]
    body += [f"{n} = u[{i}]" for i, n in enumerate(source.unknowns.values(), 1) if n in used]
    body += lines.lines
    body += [f"out[{i}] = {text}" for i, text in enumerate(lines.results, 1)]
    inside = "\n".join(f"    {line}" for line in [*body, "return nothing"])
    return f"# {function.says}: {', '.join(function.results)}\nfunction {function.name}!({arguments})\n{inside}\nend"
