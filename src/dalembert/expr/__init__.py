"""Expressions: exact, shared, differentiable, and decided.

Everything here is layer zero: it knows nothing of mechanics.
"""

from dalembert.expr.calculus import (
    define,
    diff,
    gradient,
    hessian,
    jacobian,
    partial_time,
    tangent,
    time_derivative,
)
from dalembert.expr.elementary import (
    absolute,
    acos,
    asin,
    atan,
    cos,
    cosh,
    exp,
    jet,
    log,
    power,
    sin,
    sincos,
    sinh,
    solve,
    sqrt,
    tan,
    tanh,
)
from dalembert.expr.graph import ONE, PI, ZERO, Expr, number, product, symbol, total
from dalembert.expr.symbols import TIME, Function, Symbol
from dalembert.expr.walk import (
    Operations,
    Reader,
    count,
    evaluate,
    functions,
    map_leaves,
    substitute,
    symbols,
    tree_size,
    unroll,
)

__all__ = [
    "ONE", "PI", "TIME", "ZERO", "Expr", "Function", "Operations", "Reader", "Symbol", "absolute", "acos", "asin",
    "atan", "cos", "cosh", "count", "define", "diff", "evaluate", "exp", "functions", "gradient", "hessian", "jacobian",
    "jet", "log", "map_leaves", "number", "partial_time", "power", "product", "sin", "sincos", "sinh", "solve", "sqrt",
    "substitute", "symbol", "symbols", "tan", "tangent", "tanh", "time_derivative", "total", "tree_size", "unroll",
]  # fmt: skip
