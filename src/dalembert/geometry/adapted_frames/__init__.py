"""Frames of the directions that constraints allow, certified to fail only where the constraints lose rank.

============  ================================================================================
file          what
============  ================================================================================
``search``    the search, and the certificate rho
``turning``   bases of the velocities in which constraints are looked at
``symmetry``  the basis of fields that commute with the generators of a symmetry
``peeling``   elimination of constant pivots, and the blocks that are left
``circuits``  null vectors of least support of a block, and rho
``sieve``     a look at points in floating point, before anything is decided
``drift``     a solution of affine constraints that has no pole
``speeds``    what quasi-velocities mean: rows that read them off velocities, and their scale
``cost``      what it costs to evaluate expressions
============  ================================================================================
"""

from dalembert.geometry.adapted_frames.cost import cost, costs
from dalembert.geometry.adapted_frames.drift import certified_drift
from dalembert.geometry.adapted_frames.search import CertifiedFrame, certificate, certified, certified_frames, remainder
from dalembert.geometry.adapted_frames.speeds import Dual, frame_from_speeds, scaled_with_duals
from dalembert.geometry.adapted_frames.symmetry import invariant_basis

__all__ = [
    "CertifiedFrame", "Dual", "certificate", "certified", "certified_drift", "certified_frames", "cost", "costs",
    "frame_from_speeds", "invariant_basis", "remainder", "scaled_with_duals",
]  # fmt: skip
