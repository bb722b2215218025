"""JAX: plain functions of arrays, to be given to ``jit``, ``vmap`` and ``grad``."""

from __future__ import annotations

from keyword import kwlist, softkwlist

from dalembert.numerics.codegen.body import Dialect
from dalembert.numerics.codegen.model import Function, Source

__all__ = ["DIALECT", "write"]

_RENAMED = {"atan": "arctan", "asin": "arcsin", "acos": "arccos"}
_SAME = ("sin", "cos", "exp", "log", "sqrt")

DIALECT = Dialect(
    keywords=frozenset({*kwlist, *softkwlist}),
    assign="{name} = {value}",
    functions={**{n: f"jnp.{n}" for n in _SAME}, **{n: f"jnp.{new}" for n, new in _RENAMED.items()}},
    power="{base}**{exponent}",
    positive="jnp.where({base} > 0, {value}, jnp.nan)",
    library=frozenset(
        {"t", "y", "p", "u", "jnp", "jax", "field", "lift", "rates", "configuration", "monitors", "residuals"}
        | {"VARIABLES", "PARAMETERS", "STATE", "UNKNOWNS", "CONFIGURATION", "MONITORS"}
    ),
)


def write(source: Source) -> str:
    """Return a module that needs nothing but JAX."""
    head = [f"{source.title}.", "", f"{source.provenance}.", *source.notes]
    head.append("Parameters are a dictionary, so that they can be batched and differentiated.")
    head.append('For double precision: jax.config.update("jax_enable_x64", True).')
    quoted = "\n".join(head).replace("\\", "\\\\").replace('"""', "'''")
    parts = [f'"""{quoted}\n"""', "import jax.numpy as jnp", constants(source)]
    parts += [_function(source, function) for function in source.functions]
    return "\n\n\n".join(parts) + "\n"


def constants(source: Source) -> str:
    """Return the names of everything, and the default values, as constants of a Python module."""
    variables = list(source.variables)
    rows = [f"STATE = {tuple(variables[: source.state])!r}", f"VARIABLES = {tuple(variables)!r}"]
    if source.unknowns:
        rows.append(f"UNKNOWNS = {tuple(source.unknowns)!r}")
    rows.append(f"PARAMETERS = {source.defaults!r}")
    rows += [
        f"{f.name.upper()} = {tuple(f.results)!r}" for f in source.functions if f.name in {"configuration", "monitors"}
    ]
    return "\n".join(rows)


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    arguments = "t, y, u, p=PARAMETERS" if source.unknowns else "t, y, p=PARAMETERS"
    body = [f"{n} = y[{i}]" for i, n in enumerate(source.variables.values()) if n in used]
    body += [f"{n} = p[{label!r}]" for label, n in source.parameters.items() if n in used]
    body += [f"{n} = u[{i}]" for i, n in enumerate(source.unknowns.values()) if n in used]
    body += [*lines.lines, f"return jnp.array([{', '.join(lines.results)}])"]
    inside = "\n".join(f"    {line}" for line in body)
    says = f"{function.says}: {', '.join(function.results)}".replace("\\", "\\\\").replace('"', "'")
    return f'def {function.name}({arguments}):\n    """Return {says}."""\n{inside}'
