"""C99: a struct of parameters with its defaults, and a function for each table of the equations."""

from __future__ import annotations

from dalembert.expr.readers.floats import NULL_PIVOT, SWEEPS
from dalembert.numerics.codegen.body import Dialect, LinearDialect
from dalembert.numerics.codegen.model import Function, Source

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool _Complex
_Imaginary asm bool true false main NULL NAN errno signbit I complex
acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma gamma ceil floor nearbyint rint lrint llrint
round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma j0 j1 jn y0 y1 yn
div abs index time
"""

_SOLVE = (
    "double {name}[{size}]; "
    "dalembert_substitute({size}, {rank}, {matrix}, {order}, (const double[]){{{right}}}, {name});"
)

DIALECT = Dialect(
    keywords=frozenset(_KEYWORDS.split()),
    assign="const double {name} = {value};",
    functions={name: name for name in ("sin", "cos", "exp", "log", "atan", "asin", "acos", "sqrt")},
    power="pow({base}, {exponent})",
    positive="{base} > 0 ? {value} : NAN",
    linear=LinearDialect(
        matrix="double {name}[{size}*({size} + 2)] = {{{rows}}}; int {order}[2*{size} + 1]; "
        "dalembert_factor({size}, {rank}, {name}, {order});",
        row="{entries}",
        between=", ",
        solve=_SOLVE,
        basic=_SOLVE,
        assembled="static const int {order}[] = {{{places}}}; double {name}[{size}]; "
        "dalembert_assembled({size}, {first}, (int)(sizeof {order}/sizeof *{order}/3), {order}, "
        "(const double[]){{{entries}}}, (const double[]){{{right}}}, {name});",
    ),
    weak="!(fabs({small}) > {bound}*fabs({large}))",
    sincos="double {sine}, {cosine}; dalembert_sincos({angle}, &{sine}, &{cosine});",
    library=frozenset(
        {"t", "y", "p", "u", "dy", "out", "dalembert_sincos", "dalembert_factor", "dalembert_substitute"}
        | {"dalembert_assembled"}
    ),
)

_SINCOS = """\
#ifndef DALEMBERT_SINCOS
#define DALEMBERT_SINCOS
/* Sine and cosine together: where the machine multiplies and adds in one operation, angles up to 2^40 are reduced by
   pi/2 in three parts, then two short polynomials (coefficients of fdlibm); else, and beyond, the library. */
static inline void dalembert_sincos(double x, double *sine, double *cosine) {
#ifdef FP_FAST_FMA
    if (fabs(x) < 1099511627776.0) {
        const double n = rint(x * 0.6366197723675814);
        double r = fma(-n, 1.5707963267948966, x);
        r = fma(-n, 6.123233995736766e-17, r);
        r = fma(-n, -1.4973849048591833e-33, r);
        const double z = r * r, w = z * z, half = 0.5 * z, lead = 1.0 - half;
        const double s = fma(w, fma(w, fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08),
                                    fma(z, 2.75573137070700676789e-06, -1.98412698298579493134e-04)),
                             fma(z, 8.33333333332248946124e-03, -1.66666666666666324348e-01));
        const double c = fma(w, fma(w, fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09),
                                    fma(z, -2.75573143513906633035e-07, 2.48015872894767294178e-05)),
                             fma(z, -1.38888888888741095749e-03, 4.16666666666666019037e-02));
        const double a = fma(z * r, s, r), b = lead + fma(w, c, (1.0 - lead) - half);
        const long long q = (long long)n;
        const double first = (q & 1) ? b : a, second = (q & 1) ? a : b;
        *sine = (q & 2) ? -first : first;
        *cosine = ((q + 1) & 2) ? -second : second;
        return;
    }
#endif
    *sine = sin(x);
    *cosine = cos(x);
}
#endif"""

_LINEAR = f"""\
#ifndef DALEMBERT_LINEAR
#define DALEMBERT_LINEAR
/* A linear system by elimination, rows and columns scaled, the largest entry that is left as the next pivot, no more
   pivots than the rank. a: the matrix by rows, then room for the scales of rows and columns; order: the rows of the
   pivots, their columns, their number. Unknowns without a pivot are zero; all are NAN where pivots are missing. */
static void dalembert_factor(int n, int rank, double *a, int *order) {{
    double *down = a + n*n, *across = down + n, size = 0.0;
    int *rows = order, *columns = order + n;
    for (int i = 0; i < n; i++) {{
        down[i] = across[i] = 1.0;
        rows[i] = columns[i] = i;
    }}
    for (int i = 0; i < n*n; i++) size += fabs(a[i]);
    if (!(size < INFINITY)) rank = 0;
    for (int sweep = 0; sweep < 2*{SWEEPS} && rank; sweep++)
        for (int i = 0; i < n; i++) {{
            const int step = sweep % 2 ? n : 1;
            double *line = sweep % 2 ? a + i : a + i*n, *scale = sweep % 2 ? across + i : down + i, most = 0.0;
            for (int j = 0; j < n; j++) most = fmax(most, fabs(line[j*step]));
            most = most > 0.0 ? 1.0/sqrt(most) : 1.0;
            for (int j = 0; j < n; j++) line[j*step] *= most;
            *scale *= most;
        }}
    order[2*n] = 0;
    for (int k = 0; k < rank; k++) {{
        double best = {NULL_PIVOT!r};
        int r = -1, c = -1;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(a[rows[i]*n + columns[j]]) > best) {{
                    best = fabs(a[rows[i]*n + columns[j]]);
                    r = i;
                    c = j;
                }}
        if (r < 0) return;
        const int row = rows[r], column = columns[c];
        rows[r] = rows[k];
        columns[c] = columns[k];
        rows[k] = row;
        columns[k] = column;
        for (int i = k + 1; i < n; i++) {{
            double *other = a + rows[i]*n;
            const double ratio = other[column] /= a[row*n + column];
            if (ratio != 0.0)
                for (int j = k + 1; j < n; j++) other[columns[j]] -= ratio*a[row*n + columns[j]];
        }}
        order[2*n] = k + 1;
    }}
}}

static void dalembert_substitute(int n, int rank, const double *a, const int *order, const double *b, double *x) {{
    const double *down = a + n*n, *across = down + n;
    const int *rows = order, *columns = order + n;
    for (int k = 0; k < n; k++) {{
        x[columns[k]] = order[2*n] < rank ? NAN : k < rank ? b[rows[k]]*down[rows[k]] : 0.0;
        for (int j = 0; j < k && k < rank; j++) x[columns[k]] -= a[rows[k]*n + columns[j]]*x[columns[j]];
    }}
    for (int k = rank - 1; k >= 0; k--) {{
        for (int j = k + 1; j < rank; j++) x[columns[k]] -= a[rows[k]*n + columns[j]]*x[columns[j]];
        x[columns[k]] /= a[rows[k]*n + columns[k]];
    }}
    for (int k = 0; k < n; k++) x[k] *= across[k];
}}
#endif"""


_ASSEMBLED = """\
#ifndef DALEMBERT_ASSEMBLED
#define DALEMBERT_ASSEMBLED
/* A linear system with few entries, of which places has rows, columns and which they are: the first unknowns are given
   by those before them and by the last ones, x[i] = sum + right[i]; put in, they make the last rows full. All unknowns
   are NAN where there is no memory. */
static void dalembert_assembled(int n, int first, int many, const int *places, const double *entries,
                                const double *right, double *x) {
    const int rest = n - first, wide = rest + 1;
    const size_t room = (size_t)n*(size_t)wide + (size_t)rest*(size_t)(rest + 3);
    double *rows = calloc(room, sizeof(double));
    int *order = calloc((size_t)(2*rest + 1), sizeof(int));
    for (int i = 0; i < n; i++) x[i] = NAN;
    if (rows && order) {
        double *a = rows + n*wide, *b = a + rest*(rest + 2);
        for (int i = 0; i < n; i++) rows[i*wide + rest] = i < first ? right[i] : -right[i];
        for (int k = 0; k < many; k++, places += 3) {
            const double entry = entries[places[2]];
            double *row = rows + places[0]*wide;
            if (places[1] < first)
                for (int j = 0; j < wide; j++) row[j] += entry*rows[places[1]*wide + j];
            else
                row[places[1] - first] += entry;
        }
        for (int i = 0; i < rest; i++) {
            for (int j = 0; j < rest; j++) a[i*rest + j] = rows[(first + i)*wide + j];
            b[i] = -rows[(first + i)*wide + rest];
        }
        dalembert_factor(rest, rest, a, order);
        dalembert_substitute(rest, rest, a, order, b, x + first);
        for (int i = 0; i < first; i++) {
            x[i] = rows[i*wide + rest];
            for (int j = 0; j < rest; j++) x[i] += rows[i*wide + j]*x[first + j];
        }
    }
    free(order);
    free(rows);
}
#endif"""


def write(source: Source) -> str:
    """Return a file that compiles alone with any C99 compiler and ``-lm``."""
    functions = [_function(source, function) for function in source.functions]
    turns = any("dalembert_sincos(" in text for text in functions)
    puts_in = any("dalembert_assembled(" in text for text in functions)
    solves = puts_in or any("dalembert_factor(" in text for text in functions)
    shared = [_SINCOS if turns else "", _LINEAR if solves else "", _ASSEMBLED if puts_in else ""]
    heads = "#include <math.h>\n#include <stdlib.h>" if puts_in else "#include <math.h>"
    parts = [_head(source), heads, *shared, _sizes(source), _struct(source), *functions]
    return "\n\n".join(part for part in parts if part) + "\n"


def _comment(lines: list[str]) -> str:
    return "/* " + "\n   ".join(line.replace("*/", "* /") for line in lines) + " */"


def _head(source: Source) -> str:
    rows = [source.title + ".", source.provenance + ".", *source.notes]
    rows.append("y: " + ", ".join(source.variables))
    if source.unknowns:
        rows.append("u: " + ", ".join(source.unknowns) + " (to be found so that the residuals vanish)")
    return _comment(rows)


def _sizes(source: Source) -> str:
    upper = source.name.upper()
    sizes = {"STATE": source.state, "VARIABLES": len(source.variables), "UNKNOWNS": len(source.unknowns)}
    sizes |= {f.name.upper(): len(f.results) for f in source.functions if f.name in {"configuration", "monitors"}}
    return f"enum {{ {', '.join(f'{upper}_{key} = {value}' for key, value in sizes.items())} }};"


def _struct(source: Source) -> str:
    if not source.parameters:
        return f"typedef struct {{ char none; }} {source.name}_parameters;"
    fields = "\n".join(f"    double {field};" for field in source.parameters.values())
    values = ", ".join(repr(source.defaults[label]) for label in source.parameters)
    kind = f"{source.name}_parameters"
    upper = source.name.upper()
    return (
        f"typedef struct {{\n{fields}\n}} {kind};\n\n"
        f"/* the default values: {kind} p = {upper}_DEFAULTS; */\n#define {upper}_DEFAULTS {{ {values} }}"
    )


def _function(source: Source, function: Function) -> str:
    lines, used = source.lines(function, DIALECT)
    result = "dy" if function.name in {"field", "lift", "rates"} else "out"
    arguments = ["double t", "const double *y", f"const {source.name}_parameters *p"]
    arguments += ["const double *u"] if source.unknowns else []
    arguments.append(f"double *{result}")
    body = [f"const double {n} = y[{i}];" for i, n in enumerate(source.variables.values()) if n in used]
    body += [f"const double {n} = p->{n};" for n in source.parameters.values() if n in used]
    body += [f"const double {n} = u[{i}];" for i, n in enumerate(source.unknowns.values()) if n in used]
    body += lines.lines
    names = ", ".join(argument.split()[-1].lstrip("*") for argument in arguments)
    if lines.weak:
        body.append(f"if ({' || '.join(lines.weak)}) {{ {source.name}_{function.instead}({names}); return 1; }}")
    body += [f"{result}[{i}] = {text};" for i, text in enumerate(lines.results)]
    body += ["return 0;"] if lines.weak else []
    unused = "".join(f" (void){name};" for name in ["t", "y", "p", *(["u"] if source.unknowns else [])])
    about = [f"{function.says}: {', '.join(function.results)}"]
    about += [f"returns 1 where a pivot was weak and {function.instead} was called, else 0"] if lines.weak else []
    inside = "\n".join(f"    {line}" for line in [unused.strip(), *body])
    kind = "int" if lines.weak else "void"
    return f"{_comment(about)}\n{kind} {source.name}_{function.name}({', '.join(arguments)}) {{\n{inside}\n}}"
