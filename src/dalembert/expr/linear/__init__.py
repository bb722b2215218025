"""Exact linear algebra: small systems over their field, case splits on parameters, relations with constant factors."""

from dalembert.expr.linear.cases import Case, rank_cases
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.linear.exact import (
    Contradiction,
    Solution,
    determinant,
    generic_kernel,
    inverse,
    null_space,
    rank,
    solve_exactly,
)
from dalembert.expr.linear.parametric import Relations

__all__ = [
    "Case", "Contradiction", "Relations", "Solution", "constant_null_space", "determinant", "generic_kernel",
    "inverse", "null_space", "rank", "rank_cases", "solve_exactly",
]  # fmt: skip
