"""Values of equations at random points: in balls, by machine code, and by generated C.

A float is an exact number, so that "within 9 digits of the exact value" is decided by a ball and not by another float.
"""

from __future__ import annotations

import ctypes
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from dalembert.errors import EvaluationError
from dalembert.expr.calculus import define
from dalembert.expr.elementary import exp
from dalembert.expr.graph import Expr, number, symbol, total
from dalembert.expr.readers import Balls
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import rebuild, substitute, symbols
from dalembert.model.equations import Equations
from dalembert.model.outputs import write
from dalembert.model.trajectory import Array
from dalembert.numerics.codegen import code
from dalembert.numerics.compile import observer
from dalembert.numerics.field import all_rates
from dalembert.numerics.specialise import expressions_of, mapped
from dalembert.processes import run

_DIGITS = 1e-9
_BITS = 300
Values = Callable[[Equations, Sequence[Mapping[Expr, Fraction]]], Array]
"""Computes the rates of all variables of equations without functions: rows by variables, columns by points."""


def random_point(found: Iterable[Symbol], draw: Random) -> dict[Expr, Fraction]:
    """Return a value for each symbol, of the sign of its domain.

    >>> from dalembert.expr import symbol
    >>> random_point([symbol("m", domain="positive").data], Random(1)).keys()
    dict_keys([m])
    """
    at = {}
    for one in sorted(found, key=lambda s: s.label):
        size = Fraction(draw.randrange(100, 1900), 1009)
        free = one.domain in {"real", "angle", "nonzero"}
        sign = -1 if one.domain == "negative" or (free and draw.random() < 0.5) else 1
        at[symbol(one)] = sign * size
    return at


def concrete(roots: Sequence[Expr]) -> list[Expr]:
    """Return the roots with exp(u) + exp(2 u)/3 for each unspecified function, u a combination of its arguments."""

    def grown(node: Expr, arguments: Sequence[Expr]) -> Expr:
        function, orders = node.data
        slope: int = 2 ** sum(orders)
        draw = Random(function.name)
        rates = [Fraction(draw.randrange(20, 90), 101) for _ in arguments]
        scale = Fraction(prod(rate**times for rate, times in zip(rates, orders, strict=True)))
        grow = exp(total(zip(rates, arguments, strict=True)))
        return scale * (grow + slope * grow**2 / 3)

    return rebuild(list(roots), grown)


# -- exact values ------------------------------------------------------------------------------------------------
def near_exact(computed: Equations, exact: Equations, values: Values, points: int = 3) -> Verdict:
    """Decide whether rates that were computed are those of some equations, to 9 digits, at random points.

    >>> from dalembert import System, derive
    >>> fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z^3")
    >>> once = derive(fall, "euler-lagrange").equations
    >>> twice = derive(fall.but(lagrangian="z'^2/2 - 2*z^3"), "euler-lagrange").equations
    >>> near_exact(once, once, compiled_values).kind, near_exact(once, twice, compiled_values).kind
    ('measured', 'refuted')
    """
    mine, theirs = _plain(computed), _plain(exact)
    wanted = list(all_rates(theirs).values())
    places = _places(theirs, wanted, points)
    if not places:
        return Verdict("undecided", "the rates have no value at any of 12 random points.")
    found = values(mine, [at for at, _ in places])
    worst = 0.0
    for k, (at, scale) in enumerate(places):
        if not np.isfinite(found[:, k]).all():
            return Verdict("refuted", f"a rate is not finite at {_shown(at)}.")
        gaps = Balls(at, _BITS).read([e - Fraction(v) for e, v in zip(wanted, found[:, k], strict=True)])
        for name, gap in zip(all_rates(theirs), gaps, strict=True):
            off = float(abs(gap).lower()) / scale
            if off > _DIGITS:
                return Verdict("refuted", f"the rate of {name!r} is off by {off:.1e} of its size at {_shown(at)}.")
            worst = max(worst, off)
    return Verdict(
        "measured", f"rates are off by {worst:.0e} of their size at the worst of {len(places)} random points."
    )


def _shown(at: Mapping[Expr, Fraction]) -> str:
    return ", ".join(f"{x!r} = {v}" for x, v in at.items())


def _places(equations: Equations, wanted: Sequence[Expr], points: int) -> list[tuple[dict[Expr, Fraction], float]]:
    """Return points where the rates have values, with the size of these."""
    draw, found = Random(1), []
    names = [s.data for s in (symbol(TIME), *equations.state, *equations.reconstruction)]
    for _ in range(12):
        at = {**random_point(names, draw), **{p: v for p, v in equations.parameters.items() if isinstance(v, Fraction)}}
        try:
            sharp = Balls(at, _BITS).read(wanted)
        except EvaluationError:  # for instance a root of something negative
            continue
        found.append((at, 1 + max(float(abs(value).upper()) for value in sharp)))
        if len(found) == points:
            break
    return found


def _plain(equations: Equations) -> Equations:
    """Return equations with a value for every function, and for every symbol that is neither time nor a variable."""
    known = {f: value for f, value in equations.functions.items() if value is not None}
    plain = mapped(equations, lambda roots: concrete(define(roots, known)))
    own = {s.data for s in (symbol(TIME), *plain.state, *plain.reconstruction, *plain.implicit)}
    free = random_point(symbols(expressions_of(plain)) - own, Random(2))
    put = {s: number(v) for s, v in free.items() if s.data.role != "parameter"}
    values = {s: v for s, v in free.items() if s not in put}
    return replace(mapped(plain, lambda roots: substitute(roots, put)), parameters=values, functions={})


# -- computed values ---------------------------------------------------------------------------------------------
def _inputs(equations: Equations, places: Sequence[Mapping[Expr, Fraction]]) -> tuple[Array, Array, Array]:
    """Return times, states and parameters as machines take them."""
    times = np.array([float(at[symbol(TIME)]) for at in places])
    variables = (*equations.state, *equations.reconstruction)
    states = np.array([[float(at[v]) for at in places] for v in variables])
    return times, states, np.array([float(v) for v in equations.parameters.values()])


def compiled_values(equations: Equations, places: Sequence[Mapping[Expr, Fraction]]) -> Array:
    """Return the rates as the machine code of the native engine computes them."""
    return observer(equations, list(all_rates(equations).values()))(*_inputs(equations, places))


def code_values(equations: Equations, places: Sequence[Mapping[Expr, Fraction]]) -> Array:
    """Return the rates as generated C computes them; raises ``EvaluationError`` where there is no compiler."""
    text = code(equations, "c")
    call = caller(compiled(text), text, equations)
    times, states, values = _inputs(equations, places)
    which = "rates" if equations.reconstruction else "field"
    return np.array([call(which, t, y, values) for t, y in zip(times, states.T, strict=True)]).T


def compiled(text: str, *flags: str) -> ctypes.CDLL:
    """Return C as a library that is loaded."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise EvaluationError("there is no C compiler on this machine (cc, gcc or clang).")
    with TemporaryDirectory() as folder:
        source, library = Path(folder) / "code.c", Path(folder) / "code.so"
        write(source, text)
        kept = ["-std=c99", *flags, "-O1", "-shared", "-fPIC", str(source), "-o", str(library), "-lm"]
        status, said = run([compiler, *kept])
        if status:
            raise EvaluationError(f"the C compiler refuses the code: {said}")
        return ctypes.CDLL(str(library))  # it stays loaded without its file


def caller(library: ctypes.CDLL, text: str, equations: Equations) -> Callable[..., Array]:
    """Return ``call(function, t, y, parameters, unknowns)`` for the functions of generated C."""
    found = re.search(r"(?:void|int) (\w+)_field\(", text)
    if found is None:
        raise EvaluationError("the code has no function for the field.")
    sizes = {
        "field": len(equations.state),
        "lift": len(equations.reconstruction),
        "rates": len(equations.state) + len(equations.reconstruction),
        "monitors": len(equations.monitors),
        "residuals": len(equations.implicit),
    }

    def call(name: str, t: float, y: Array, values: Array, unknowns: Array | None = None) -> Array:
        out = np.zeros(sizes[name])
        given = [np.ascontiguousarray(y), np.ascontiguousarray(values)]
        given += [np.ascontiguousarray(unknowns)] if equations.implicit else []
        addresses = [ctypes.c_void_p(array.ctypes.data) for array in (*given, out)]
        getattr(library, f"{found[1]}_{name}")(ctypes.c_double(t), *addresses)
        return out

    return call
