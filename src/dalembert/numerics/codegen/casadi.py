"""CasADi: symbolic functions, ready for its optimisers and its own code generator."""

from __future__ import annotations

from keyword import kwlist, softkwlist

from dalembert.expr.readers.floats import NULL_PIVOT
from dalembert.numerics.codegen.body import Dialect, LinearDialect
from dalembert.numerics.codegen.jax import constants
from dalembert.numerics.codegen.model import Function, Source

DIALECT = Dialect(
    keywords=frozenset({*kwlist, *softkwlist}),
    assign="{name} = {value}",
    functions={n: f"ca.{n}" for n in ("sin", "cos", "exp", "log", "sqrt", "atan", "asin", "acos")},
    power="{base}**{exponent}",
    positive="ca.if_else({base} > 0, {value}, ca.DM.nan())",
    linear=LinearDialect(
        matrix="{name} = ca.vertcat({rows})",
        row="ca.horzcat({entries})",
        between=", ",
        solve="{name} = _solved({matrix}, ca.vertcat({right}))",
        basic="{name} = _of_rank({rank}, {matrix}, ca.vertcat({right}))",
        assembled="{name} = _assembled({size}, {first}, [{places}], [{entries}], [{right}])",
    ),
    library=frozenset(
        {"t", "y", "p", "u", "ca", "field", "lift", "rates", "configuration", "monitors", "residuals"}
        | {"VARIABLES", "PARAMETERS", "STATE", "UNKNOWNS", "CONFIGURATION", "MONITORS"}
    ),
)

_SOLVED = '''\
def _solved(a, b):
    """Return the solution of a linear system, rows and columns scaled: masses are no measure of lengths."""
    across, a = _scaled(a, b)
    size = a.shape[0]
    return ca.solve(a[:, :size], a[:, size]) * ca.vertcat(*across)'''

_SCALED = '''\
def _scaled(a, b):
    """Return the scales of columns, and a matrix with columns and rows of length 1; right-hand sides go along."""
    across = [_scale(ca.sumsqr(a[:, j])) for j in range(a.shape[1])]
    a = ca.horzcat(*(a[:, j] * s for j, s in enumerate(across)))
    down = [_scale(ca.sumsqr(a[i, :])) for i in range(a.shape[0])]
    return across, ca.vertcat(*(ca.horzcat(a[i, :], b[i]) * s for i, s in enumerate(down)))


def _scale(square):
    return ca.if_else(square > 0, 1 / ca.sqrt(square), 1)'''

_OF_RANK = f'''\
def _of_rank(rank, a, b):
    """Return the solution of least norm, rows and columns scaled, of a system whose rank is less than its size.

    Rows are made orthogonal, the longest that is left first (Gram and Schmidt), as many as the rank says.
    """
    across, a = _scaled(a, b)
    size = a.shape[0]
    rows, found = [a[i, :] for i in range(size)], ca.SX.zeros(1, size)
    for _ in range(rank):
        squares = [ca.sumsqr(row[:size]) for row in rows]
        most, chosen, free = ca.mmax(ca.vertcat(*squares)), [], 1
        for square in squares:  # the first of the longest
            chosen.append(free * (square >= most))
            free = free * (square < most)
        row = sum(c * r for c, r in zip(chosen, rows))
        row = row * ca.if_else(most > {NULL_PIVOT**2!r}, 1 / ca.sqrt(most), ca.DM.nan())
        rows = [(1 - c) * (r - ca.dot(r[:size], row[:size]) * row) for c, r in zip(chosen, rows)]
        found += (row[size] - ca.dot(found, row[:size])) * row[:size]
    return found.T * ca.vertcat(*across)'''

_ASSEMBLED = '''\
def _assembled(n, first, places, entries, right):
    """Return the solution of a system with few entries, of which places has rows, columns and which they are.

    The first unknowns are given by those before them and by the last ones, x[i] = sum + right[i]; put in, they make
    the last rows full.
    """
    rest = n - first
    rows = [ca.SX(1, rest + 1) for _ in range(n)]
    for i, b in enumerate(right):
        rows[i][0, rest] = b if i < first else -b
    for i, j, k in zip(places[::3], places[1::3], places[2::3]):
        if j < first:
            rows[i] += entries[k] * rows[j]
        else:
            rows[i][0, j - first] += entries[k]
    a = ca.vertcat(*rows)
    last = _solved(a[first:, :rest], -a[first:, rest])
    return ca.vertcat(ca.mtimes(a[:first, :rest], last) + a[:first, rest], last)'''

_SOLVERS = {"_assembled": _ASSEMBLED, "_solved": _SOLVED, "_of_rank": _OF_RANK}


def write(source: Source) -> str:
    """Return a module whose functions are ``casadi.Function`` objects of (t, y, p) or (t, y, p, u)."""
    head = [f"{source.title}.", "", f"{source.provenance}.", *source.notes]
    head.append("Each function is a casadi.Function of t, y and p (and u), p in the order of PARAMETERS.")
    quoted = "\n".join(head).replace("\\", "\\\\").replace('"""', "'''")
    functions = [_function(source, function) for function in source.functions]
    named = {name for name in _SOLVERS if any(f"{name}(" in function for function in functions)}
    used = [text for name, text in _SOLVERS.items() if name in named or any(f"{name}(" in _SOLVERS[n] for n in named)]
    shared = [_SCALED, *used] if used else []
    parts = [f'"""{quoted}\n"""', "import casadi as ca", constants(source), *shared, *functions]
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
