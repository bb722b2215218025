"""JAX: plain functions of arrays, to be given to ``jit``, ``vmap`` and ``grad``."""

from __future__ import annotations

from keyword import kwlist, softkwlist

from dalembert.expr.readers.floats import NULL_PIVOT
from dalembert.numerics.codegen.body import Dialect, LinearDialect
from dalembert.numerics.codegen.model import Function, Source

_RENAMED = {"atan": "arctan", "asin": "arcsin", "acos": "arccos"}
_SAME = ("sin", "cos", "exp", "log", "sqrt")

DIALECT = Dialect(
    keywords=frozenset({*kwlist, *softkwlist}),
    assign="{name} = {value}",
    functions={**{n: f"jnp.{n}" for n in _SAME}, **{n: f"jnp.{new}" for n, new in _RENAMED.items()}},
    power="{base}**{exponent}",
    positive="jnp.where({base} > 0, {value}, jnp.nan)",
    weak="jnp.logical_not(jnp.abs({small}) > {bound}*jnp.abs({large}))",
    linear=LinearDialect(
        matrix="{name} = jnp.array([{rows}])",
        row="[{entries}]",
        between=", ",
        solve="{name} = jnp.linalg.solve({matrix}, jnp.array([{right}]))",
        basic="{name} = _of_rank({rank}, {matrix}, jnp.array([{right}]))",
        assembled="{name} = _assembled({size}, {first}, [{places}], jnp.array([{entries}]), jnp.array([{right}]))",
    ),
    library=frozenset(
        {"t", "y", "p", "u", "jnp", "jax", "field", "lift", "rates", "configuration", "monitors", "residuals"}
        | {"weak", "field_by_size", "rates_by_size", "_sized"}
        | {"VARIABLES", "PARAMETERS", "STATE", "UNKNOWNS", "CONFIGURATION", "MONITORS"}
    ),
)

_OF_RANK = f'''\
def _of_rank(rank, a, b):
    """Return the solution of least norm, rows and columns scaled, of a system whose rank is less than its size.

    By the pseudo-inverse with as many singular values as the rank says, and its derivative at constant rank.
    """
    across = jax.lax.stop_gradient(_scales(jnp.sum(a * a, axis=0)))
    down = jax.lax.stop_gradient(_scales(jnp.sum((a * across) ** 2, axis=1)))
    a = a * across * down[:, None]
    sizes = jnp.linalg.svd(jax.lax.stop_gradient(a), compute_uv=False)
    sizes = sizes / sizes[0]
    least = jnp.sqrt(sizes[rank - 1] * jnp.maximum(sizes[rank], {NULL_PIVOT!r}))
    found = jnp.linalg.pinv(a, rtol=least) @ (down * b) * across
    return jnp.where(sizes[rank - 1] > {NULL_PIVOT!r}, found, jnp.nan)


def _scales(squares):
    return jnp.where(squares > 0, 1 / jnp.sqrt(jnp.where(squares > 0, squares, 1)), 1)'''


_ASSEMBLED = '''\
def _assembled(n, first, places, entries, right):
    """Return the solution of a system with few entries, of which places has rows, columns and which they are.

    The first unknowns are given by those before them and by the last ones, x[i] = sum + right[i]; put in, they make
    the last rows full.
    """
    a = jnp.zeros((n, n), entries.dtype)
    a = a.at[tuple(places[::3]), tuple(places[1::3])].add(entries[jnp.array(places[2::3])])
    below = jnp.eye(first, dtype=a.dtype) - a[:first, :first]
    beside = jnp.column_stack([a[:first, first:], right[:first]])
    given = jax.scipy.linalg.solve_triangular(below, beside, lower=True, unit_diagonal=True)
    left = jnp.column_stack([a[first:, first:], -right[first:]]) + a[first:, :first] @ given
    last = jnp.linalg.solve(left[:, :-1], -left[:, -1])
    return jnp.concatenate([given[:, :-1] @ last + given[:, -1], last])'''


_SIZED = '''\
def _sized(name, values, labels, *sizes):
    """Refuse an array of another length: a slice or an index would go on with what is not meant."""
    if not jnp.ndim(values) or jnp.shape(values)[0] not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise ValueError(f"{name} has the shape {jnp.shape(values)} and needs {wanted} values: {', '.join(labels)}")'''


def write(source: Source) -> str:
    """Return a module that needs nothing but JAX."""
    head = [f"{source.title}.", "", f"{source.provenance}.", *source.notes]
    head.append("Parameters are a dictionary, so that they can be batched and differentiated.")
    head.append('For double precision: jax.config.update("jax_enable_x64", True).')
    quoted = "\n".join(head).replace("\\", "\\\\").replace('"""', "'''")
    functions = [_function(source, function) for function in source.functions]
    lower, puts_in = (any(name in text for text in functions) for name in ("_of_rank(", "_assembled("))
    plain = lower or any("jax.lax." in text for text in functions)
    heads = ["import jax"] if plain or puts_in else []
    heads += ["import jax.numpy as jnp", *(["import jax.scipy.linalg"] if puts_in else [])]
    parts = [f'"""{quoted}\n"""', "\n".join(heads), constants(source)]
    parts += [_SIZED, *([_OF_RANK] if lower else []), *([_ASSEMBLED] if puts_in else []), *functions]
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
    sizes = source.sizes(used).items()
    body = [f'_sized("{a}", {a}, {kind}, {", ".join(map(str, several))})' for a, (kind, several) in sizes]
    body += [f"{n} = y[{i}]" for i, n in enumerate(source.variables.values()) if n in used]
    body += [f"{n} = p[{label!r}]" for label, n in source.parameters.items() if n in used]
    body += [f"{n} = u[{i}]" for i, n in enumerate(source.unknowns.values()) if n in used]
    body += lines.lines
    found = f"jnp.array([{', '.join(lines.results)}])"
    if lines.weak:
        given = "t, y, u, p" if source.unknowns else "t, y, p"
        body.append(f"weak = jnp.any(jnp.array([{', '.join(lines.weak)}]))")
        found = f"jax.lax.cond(weak, lambda: {function.instead}({given}), lambda: {found})"
    body.append(f"return {found}")
    inside = "\n".join(f"    {line}" for line in body)
    says = f"{function.says}: {', '.join(function.results)}".replace("\\", "\\\\").replace('"', "'")
    return f'def {function.name}({arguments}):\n    """Return {says}."""\n{inside}'
