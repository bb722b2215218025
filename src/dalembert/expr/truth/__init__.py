"""Statements decided in exact arithmetic: is it zero, are they equal, what is the rank, does it ever vanish?"""

from dalembert.expr.truth.decide import equal, is_zero
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.pivots import Rank, constant, generic_rank, never_zero
from dalembert.expr.truth.points import Inside, Where
from dalembert.expr.truth.verdict import Kind, Verdict, Witness, all_hold

__all__ = [
    "Fact",
    "Facts",
    "Inside",
    "Kind",
    "Rank",
    "Verdict",
    "Where",
    "Witness",
    "all_hold",
    "constant",
    "equal",
    "generic_rank",
    "is_zero",
    "never_zero",
]
