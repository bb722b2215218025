"""JavaScript: one object with a function for each table, for a classic script, a worker or Node."""

from __future__ import annotations

import json

from dalembert.expr.calculus import diff
from dalembert.expr.graph import Expr
from dalembert.expr.readers.floats import NULL_PIVOT, SWEEPS
from dalembert.numerics.codegen.body import Dialect, LinearDialect
from dalembert.numerics.codegen.model import Function, Source

_KEYWORDS = """
abstract arguments await boolean break byte case catch char class const continue debugger default delete do double else
enum eval export extends false final finally float for function goto if implements import in instanceof int interface
let long native new null package private protected public return short static super switch synchronized this throw
throws transient true try typeof undefined var void volatile while with yield
Array Int32Array Infinity JSON Math NaN Number Object String globalThis module self window
"""
_FUNCTIONS = ("sin", "cos", "exp", "log", "atan", "asin", "acos", "sqrt")
_SOLVE = "const {name} = substitute({size}, {rank}, {matrix}, {order}, [{right}]);"

DIALECT = Dialect(
    keywords=frozenset(_KEYWORDS.split()),
    assign="const {name} = {value};",
    functions={name: f"Math.{name}" for name in _FUNCTIONS},
    power="Math.pow({base}, {exponent})",
    positive="{base} > 0 ? {value} : NaN",
    weak="!(Math.abs({small}) > {bound}*Math.abs({large}))",
    linear=LinearDialect(
        matrix="const {name} = [{rows}], {order} = factor({size}, {rank}, {name});",
        row="{entries}",
        between=", ",
        solve=_SOLVE,
        basic=_SOLVE,
        assembled="const {name} = assembled({size}, {first}, [{places}], [{entries}], [{right}]);",
    ),
    library=frozenset({"t", "y", "p", "u", "out", "factor", "substitute", "assembled", "unknowns", "model"}),
    keeps=True,
)

_LINEAR = f"""\
// A linear system by elimination, rows and columns scaled, the largest entry that is left as the next pivot, no more
// pivots than the rank. a: the matrix by rows, then the scales of rows and columns; order: the rows of the pivots, the
// columns, their number. Unknowns without a pivot are zero; all are NaN where pivots are missing.
function factor(n, rank, a) {{
  const down = n*n, across = down + n, order = [];
  let size = 0.0;
  for (let i = 0; i < down; i++) size += Math.abs(a[i]);
  for (let i = 0; i < 2*n; i++) {{ order.push(i < n ? i : i - n); a.push(1.0); }}
  order.push(0);
  if (!(size < Infinity)) rank = 0;
  for (let sweep = 0; sweep < 2*{SWEEPS} && rank; sweep++) {{
    const step = sweep % 2 ? n : 1, next = sweep % 2 ? 1 : n, scale = sweep % 2 ? across : down;
    for (let i = 0; i < n; i++) {{
      const first = i*next, end = first + n*step;
      let most = 0.0;
      for (let j = first; j < end; j += step) {{ const entry = Math.abs(a[j]); if (entry > most) most = entry; }}
      if (most === 0.0 || most === 1.0) continue;
      most = 1.0/Math.sqrt(most);
      for (let j = first; j < end; j += step) a[j] *= most;
      a[scale + i] *= most;
    }}
  }}
  for (let k = 0; k < rank; k++) {{
    let best = {NULL_PIVOT!r}, r = -1, c = -1;
    for (let i = k; i < n; i++) {{
      const line = order[i]*n;
      for (let j = k; j < n; j++) {{
        const entry = Math.abs(a[line + order[n + j]]);
        if (entry > best) {{ best = entry; r = i; c = j; }}
      }}
    }}
    if (r < 0) return order;
    const row = order[r], column = order[n + c], pivot = row*n;
    order[r] = order[k]; order[n + c] = order[n + k]; order[k] = row; order[n + k] = column;
    for (let i = k + 1; i < n; i++) {{
      const other = order[i]*n;
      if (a[other + column] === 0.0) continue;
      const ratio = a[other + column] /= a[pivot + column];
      for (let j = k + 1; j < n; j++) {{ const at = order[n + j]; a[other + at] -= ratio*a[pivot + at]; }}
    }}
    order[2*n] = k + 1;
  }}
  return order;
}}
function substitute(n, rank, a, order, b) {{
  const down = n*n, across = down + n, x = b.slice();
  for (let k = 0; k < n; k++) {{
    const row = order[k];
    let value = order[2*n] < rank ? NaN : k < rank ? b[row]*a[down + row] : 0.0;
    for (let j = 0; j < k && k < rank; j++) value -= a[row*n + order[n + j]]*x[order[n + j]];
    x[order[n + k]] = value;
  }}
  for (let k = rank - 1; k >= 0; k--) {{
    const row = order[k], column = order[n + k];
    for (let j = k + 1; j < rank; j++) x[column] -= a[row*n + order[n + j]]*x[order[n + j]];
    x[column] /= a[row*n + column];
  }}
  for (let k = 0; k < n; k++) x[k] *= a[across + k];
  return x;
}}"""

_ASSEMBLED = """\
// A linear system with few entries, of which places has rows, columns and which they are: the first unknowns are given
// by those before them and by the last ones, x[i] = sum + right[i]; put in, they make the last rows full.
function assembled(n, first, places, entries, right) {
  const rest = n - first, a = [];
  const rows = right.map(function (b, i) {
    const row = new Float64Array(rest + 1);
    row[rest] = i < first ? b : -b;
    return row;
  });
  for (let k = 0; k < places.length; k += 3) {
    const row = rows[places[k]], entry = entries[places[k + 2]];
    if (places[k + 1] >= first) { row[places[k + 1] - first] += entry; continue; }
    const given = rows[places[k + 1]];
    for (let j = 0; j <= rest; j++) row[j] += entry*given[j];
  }
  for (let i = first; i < n; i++) for (let j = 0; j < rest; j++) a.push(rows[i][j]);
  const order = factor(rest, rest, a);
  const last = substitute(rest, rest, a, order, rows.slice(first).map(row => -row[rest]));
  return rows.slice(0, first).map(row => last.reduce((sum, x, j) => sum + row[j]*x, row[rest])).concat(last);
}"""

_NEWTON = """\
// Newton's method for the unknowns u, from where they are; whether it ended.
function unknowns(t, y, p, u) {
  const n = u.length, rest = new Array(n), slope = new Array(n*n);
  for (let step = 0; step < 50; step++) {
    model.residuals(t, y, p, u, rest);
    model.slopes(t, y, p, u, slope);
    const a = slope.slice(0, n*n), order = factor(n, n, a);
    const x = substitute(n, n, a, order, rest);
    let moved = 0.0;
    for (let k = 0; k < n; k++) { u[k] -= x[k]; moved = Math.max(moved, Math.abs(x[k])/(1 + Math.abs(u[k]))); }
    if (!(moved > 1e-14)) return moved === moved;
  }
  return false;
}"""


_CHECKED = """\
(function (model) {{
  // Arrays of another length are refused: an index beyond their end would be a number that is none.
  const sizes = {sizes};
  for (const name of Object.keys(sizes).filter(name => model[name])) {{
    const inner = model[name];
    model[name] = function (t, y, p, u, out) {{
      [["y", y], ["p", p], ["u", u]].forEach(function ([what, values]) {{
        if (!values || !sizes[name][what].includes(values.length)) {{
          throw new RangeError(name + ": " + what + " needs " + sizes[name][what].join(" or ") + " values");
        }}
      }});
      return inner(t, y, p, u, out);
    }};
  }}
  return model;
}})({model})"""


def _sizes(source: Source) -> str:
    """Return how many values each function is given, by argument."""
    found = {}
    for function in source.functions:
        sizes = {name: several for name, (_, several) in source.sizes(source.lines(function, DIALECT)[1]).items()}
        found[function.name] = {"p": [len(source.parameters)], "u": [len(source.unknowns)], **sizes}
    return _quoted(found)


def write(source: Source) -> str:
    """Return a classic script that defines one object; in Node it is what ``require`` gives."""
    head = [source.title + ".", source.provenance + ".", *source.notes]
    head.append("Functions are called as f(t, y, p, u, out): y the variables, p the parameters in their order, u the")
    head.append("unknowns (an empty array where there are none); results go into out.")
    return (
        "\n".join(f"// {' '.join(line.split())}" for line in head)
        + f"\nvar {source.name} = {_CHECKED.format(model=write_object(source), sizes=_sizes(source))};\n"
        + f'if (typeof module !== "undefined") {{ module.exports = {source.name}; }}\n'
    )


def write_object(source: Source) -> str:
    """Return the object as an expression."""
    functions = [_function(source, function) for function in [*source.functions, *_slopes(source)]]
    puts_in = any("assembled(" in text for text in functions)
    solves = puts_in or bool(source.unknowns) or any("factor(" in text for text in functions)
    places = {label: k for k, label in enumerate(source.variables)}
    tables: dict[str, object] = {
        "title": source.title,
        "variables": list(source.variables),
        "state": source.state,
        "parameters": list(source.parameters),
        "defaults": [source.defaults[label] for label in source.parameters],
        "unknowns": list(source.unknowns),
        "results": {function.name: list(function.results) for function in source.functions},
        "projection": [
            {"name": function.name, "places": [places[label] for label in function.results]}
            for function in source.functions
            if function.name.startswith("correction_")
        ],
    }
    shared = [_LINEAR] if solves else []
    shared += [_ASSEMBLED] if puts_in else []
    shared += [_NEWTON] if source.unknowns else []
    keys = [f"  {key}: {_quoted(value)}" for key, value in tables.items()]
    keys += ["  solve: unknowns"] if source.unknowns else []
    model = "const model = {\n" + ",\n".join([*keys, *functions]) + "\n};"
    return "\n".join(["(function () {", '"use strict";', *shared, model, "return model;", "})()"])


def _quoted(value: object) -> str:
    """Return a value as JSON that may stand inside a page."""
    return json.dumps(value, ensure_ascii=True).replace("</", "<\\/").replace("<!--", "<\\!--")


def _slopes(source: Source) -> list[Function]:
    """Return how residuals change with unknowns, row by row."""
    residuals = next((f for f in source.functions if f.name == "residuals"), None)
    if residuals is None:
        return []
    unknown: list[Expr] = [node for node, name in source.symbols.items() if name in source.unknowns.values()]
    entries = {f"{label} by {u.data.label}": diff(e, u) for label, e in residuals.results.items() for u in unknown}
    return [Function("slopes", "how the residuals change with the unknowns, row by row", entries)]


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    places = {"y": source.variables, "p": source.parameters, "u": source.unknowns}
    body = [
        f"const {name} = {array}[{i}];"
        for array, labels in places.items()
        for i, name in enumerate(labels.values())
        if name in used
    ]
    body += lines.lines
    if lines.weak:  # a state that is not brought back now is brought back after the next step
        rest = (
            "out.fill(0);" if function.name.startswith("correction_") else f"model.{function.instead}(t, y, p, u, out);"
        )
        body.append(f"if ({' || '.join(lines.weak)}) {{ {rest} return true; }}")
    body += [f"out[{i}] = {text};" for i, text in enumerate(lines.results)]
    inside = "\n".join(f"    {line}" for line in body)
    about = f"// {function.says}: {' '.join(', '.join(function.results).split())}"
    return f"  {about}\n  {function.name}: function (t, y, p, u, out) {{\n{inside}\n  }}"
