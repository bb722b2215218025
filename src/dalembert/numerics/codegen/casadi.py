"""CasADi: symbolic functions, ready for its optimisers and its own code generator."""

from __future__ import annotations

from keyword import kwlist, softkwlist

from dalembert.numerics.codegen.body import Dialect
from dalembert.numerics.codegen.jax import constants
from dalembert.numerics.codegen.model import Function, Source

__all__ = ["DIALECT", "write"]

DIALECT = Dialect(
    keywords=frozenset({*kwlist, *softkwlist}),
    assign="{name} = {value}",
    functions={n: f"ca.{n}" for n in ("sin", "cos", "exp", "log", "sqrt", "atan", "asin", "acos")},
    power="{base}**{exponent}",
    positive="ca.if_else({base} > 0, {value}, ca.DM.nan())",
    library=frozenset(
        {"t", "y", "p", "u", "ca", "field", "lift", "rates", "configuration", "monitors", "residuals"}
        | {"VARIABLES", "PARAMETERS", "STATE", "UNKNOWNS", "CONFIGURATION", "MONITORS"}
    ),
)


def write(source: Source) -> str:
    """Return a module whose functions are ``casadi.Function`` objects of (t, y, p) or (t, y, p, u)."""
    head = [f"{source.title}.", "", f"{source.provenance}.", *source.notes]
    head.append("Each function is a casadi.Function of t, y and p (and u), p in the order of PARAMETERS.")
    quoted = "\n".join(head).replace("\\", "\\\\").replace('"""', "'''")
    parts = [f'"""{quoted}\n"""', "import casadi as ca", constants(source)]
    parts += [_function(source, function) for function in source.functions]
    return "\n\n\n".join(parts) + "\n"


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    sizes = {"y": len(source.variables), "p": len(source.parameters)}
    sizes |= {"u": len(source.unknowns)} if source.unknowns else {}
    body = ['t = ca.SX.sym("t")', *(f'{a} = ca.SX.sym("{a}", {size})' for a, size in sizes.items())]
    body += [f"{n} = y[{i}]" for i, n in enumerate(source.variables.values()) if n in used]
    body += [f"{n} = p[{i}]" for i, n in enumerate(source.parameters.values()) if n in used]
    body += [f"{n} = u[{i}]" for i, n in enumerate(source.unknowns.values()) if n in used]
    arguments = ["t", "y", "p", *(["u"] if source.unknowns else [])]
    named = ", ".join(f'"{a}"' for a in arguments)
    body += lines.lines
    body.append(f"out = ca.vertcat({', '.join(lines.results)})")
    body.append(f'return ca.Function("{function.name}", [{", ".join(arguments)}], [out], [{named}], ["out"])')
    inside = "\n".join(f"    {line}" for line in body)
    says = f"{function.says}: {', '.join(function.results)}".replace("\\", "\\\\").replace('"', "'")
    return f'def _{function.name}():\n    """Return {says}."""\n{inside}\n\n\n{function.name} = _{function.name}()'
