"""Statements decided in exact arithmetic: is it zero, are they equal, what is the rank, does it ever vanish?"""

from dalembert.expr.truth.decide import equal, is_zero
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.pivots import Rank, constant, generic_rank, never_zero
from dalembert.expr.truth.residues import (
    cleared,
    depends_on,
    depends_on_velocities,
    freed_from,
    vanish,
    vanishing,
)
from dalembert.expr.truth.verdict import Kind, Verdict, Witness, all_hold

__all__ = [
    "Fact",
    "Facts",
    "Kind",
    "Rank",
    "Verdict",
    "Witness",
    "all_hold",
    "cleared",
    "constant",
    "depends_on",
    "depends_on_velocities",
    "equal",
    "freed_from",
    "generic_rank",
    "is_zero",
    "never_zero",
    "vanish",
    "vanishing",
]
