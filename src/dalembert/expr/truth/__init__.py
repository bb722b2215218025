"""Statements decided in exact arithmetic: is it zero, are they equal, what is the rank, does it ever vanish?"""

from dalembert.expr.truth.decide import equal, is_zero, nonzero_at, seems_zero
from dalembert.expr.truth.facts import Fact, Facts
from dalembert.expr.truth.pivots import (
    Rank,
    constant,
    excludes_zero,
    full_rank,
    generic_rank,
    in_span,
    is_constant,
    negated,
    never_zero,
)
from dalembert.expr.truth.points import Inside, Where
from dalembert.expr.truth.residues import cleared, depends_on, depends_on_velocities, freed_from, vanish, vanishing
from dalembert.expr.truth.spheres import Embedded, RotationMatrix, Sphere
from dalembert.expr.truth.verdict import Kind, Verdict, Witness, agreement, all_hold, weakest

__all__ = [
    "Embedded",
    "Fact",
    "Facts",
    "Inside",
    "Kind",
    "Rank",
    "RotationMatrix",
    "Sphere",
    "Verdict",
    "Where",
    "Witness",
    "agreement",
    "all_hold",
    "cleared",
    "constant",
    "depends_on",
    "depends_on_velocities",
    "equal",
    "excludes_zero",
    "freed_from",
    "full_rank",
    "generic_rank",
    "in_span",
    "is_constant",
    "is_zero",
    "negated",
    "never_zero",
    "nonzero_at",
    "seems_zero",
    "vanish",
    "vanishing",
    "weakest",
]
