"""Julia: functions in place, with the arguments in the order that SciML has them."""

from __future__ import annotations

from dalembert.expr.readers.floats import NULL_PIVOT
from dalembert.numerics.codegen.body import Dialect, LinearDialect
from dalembert.numerics.codegen.model import Function, Source

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
    weak="!(abs({small}) > {bound}*abs({large}))",
    linear=LinearDialect(
        matrix="{name} = permutedims(reshape([{rows}], {size}, {size}))",
        row="{entries}",
        between=", ",
        solve="{name} = {matrix} \\ [{right}]",
        basic="{name} = of_rank({rank}, {matrix}, [{right}])",
        assembled="{name} = assembled({size}, {first}, [{places}], [{entries}], [{right}])",
        first=1,
    ),
    library=frozenset(
        {
            "assembled",
            "of_rank",
            "scale",
            "LinearAlgebra",
            "t",
            "y",
            "p",
            "u",
            "out",
            "PARAMETERS",
            "VARIABLES",
            "STATE",
            "UNKNOWNS",
        }
    ),
)

_OF_RANK = f"""\
# The solution of least norm, rows and columns scaled, of a system whose rank is less than its size: by as many singular
# values as the rank says.
function of_rank(rank, a, b)
    across = [scale(column) for column in eachcol(a)]
    a = a .* across'
    down = [scale(row) for row in eachrow(a)]
    found = LinearAlgebra.svd(a .* down)
    found.S[rank] > {NULL_PIVOT!r}*found.S[1] || return fill(NaN, length(b))
    kept = 1:rank
    return across .* (found.V[:, kept]*((found.U[:, kept]'*(down .* b)) ./ found.S[kept]))
end

scale(line) = all(iszero, line) ? one(eltype(line)) : 1/sqrt(sum(abs2, line))"""


_ASSEMBLED = """\
# A linear system with few entries, of which places has rows, columns and which they are, from 0 on: the first unknowns
# are given by those before them and by the last ones, x[i] = sum + right[i]; put in, they make the last rows full.
function assembled(n, first, places, entries, right)
    rest = n - first
    rows = zeros(promote_type(eltype(entries), eltype(right)), rest + 1, n)
    for i in 1:n
        rows[end, i] = i <= first ? right[i] : -right[i]
    end
    for k in 1:3:length(places)
        i, j, entry = places[k] + 1, places[k + 1] + 1, entries[places[k + 2] + 1]
        if j <= first
            for c in 1:rest + 1
                rows[c, i] += entry*rows[c, j]
            end
        else
            rows[j - first, i] += entry
        end
    end
    last = permutedims(rows[1:rest, first + 1:n]) \\ (-rows[end, first + 1:n])
    return [permutedims(rows[1:rest, 1:first])*last + rows[end, 1:first]; last]
end"""


def write(source: Source) -> str:
    """Return a module with one function in place for each table."""
    head = [source.title + ".", source.provenance + ".", *source.notes]
    names = [f"VARIABLES = ({_tuple(source.variables)})", f"STATE = ({_tuple(list(source.variables)[: source.state])})"]
    if source.unknowns:
        names.append(f"UNKNOWNS = ({_tuple(source.unknowns)})")
    values = ", ".join(f"{n} = {source.defaults[label]!r}" for label, n in source.parameters.items())
    names.append(f"PARAMETERS = (; {values})")
    parts = ["\n".join(f"# {line}" for line in head), f"module {source.name}"]
    functions = [_function(source, function) for function in source.functions]
    lower = any("of_rank(" in text for text in functions)
    parts += ["import LinearAlgebra"] if lower else []
    shared = [_OF_RANK] if lower else []
    shared += [_ASSEMBLED] if any(" assembled(" in text for text in functions) else []
    parts += ["\n".join(f"const {row}" for row in names), *shared, *functions]
    return "\n\n".join([*parts, f"end # module {source.name}"]) + "\n"


def _tuple(labels: object) -> str:
    from collections.abc import Iterable

    assert isinstance(labels, Iterable)
    quoted = ['"' + str(label).replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$") + '"' for label in labels]
    return "".join(f"{text}, " for text in quoted)


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    arguments = "out, y, p, t, u" if source.unknowns else "out, y, p, t"
    body, given = [], {"out": ("this function", [len(function.results)]), **source.sizes(used)}
    for name, (kind, several) in given.items():
        fits = " || ".join(f"length({name}) == {size}" for size in several)
        needs = " or ".join(map(str, several))
        body.append(f'{fits} || throw(DimensionMismatch("{name} needs {needs} values, as {kind} has them"))')
    body += [f"{n} = y[{i}]" for i, n in enumerate(source.variables.values(), 1) if n in used]
    body += [f"{n} = p.{n}" for n in source.parameters.values() if n in used]
    body += [f"{n} = u[{i}]" for i, n in enumerate(source.unknowns.values(), 1) if n in used]
    body += lines.lines
    if lines.weak:
        body += [f"if {' || '.join(lines.weak)}", f"    {function.instead}!({arguments})", "    return true", "end"]
    body += [f"out[{i}] = {text}" for i, text in enumerate(lines.results, 1)]
    inside = "\n".join(f"    {line}" for line in [*body, "return false" if lines.weak else "return nothing"])
    return f"# {function.says}: {', '.join(function.results)}\nfunction {function.name}!({arguments})\n{inside}\nend"
