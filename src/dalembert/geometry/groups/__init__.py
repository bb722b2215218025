"""Lie algebras, actions of groups on charts, what they leave invariant, and ready groups."""

from dalembert.geometry.groups.actions import (
    Action,
    Freeness,
    action_from_generators,
    affine_field,
    checked_action,
    extended,
    is_invariant,
    linear_fields,
    local_freeness,
    prolonged,
    rotation,
    rotations,
    scaling,
    translations,
)
from dalembert.geometry.groups.algebra import LieAlgebra, lie_algebra
from dalembert.geometry.groups.invariant_fields import InvariantFields, invariant_fields
from dalembert.geometry.groups.isotropy import AdaptedBasis, adapted_basis, isotropy, isotropy_cases
from dalembert.geometry.groups.lie_group import Law, LieGroup, algebra_of_matrices, direct_product
from dalembert.geometry.groups.names import direct_summands, name_of
from dalembert.geometry.groups.standard_groups import heisenberg, quaternions, se2, se3, so2, so3, translation_group

__all__ = [
    "Action", "AdaptedBasis", "Freeness", "InvariantFields", "Law", "LieAlgebra", "LieGroup", "action_from_generators",
    "adapted_basis", "affine_field", "algebra_of_matrices", "checked_action", "direct_product", "direct_summands",
    "extended", "heisenberg", "invariant_fields", "is_invariant", "isotropy", "isotropy_cases", "lie_algebra",
    "linear_fields", "local_freeness", "name_of", "prolonged", "quaternions", "rotation", "rotations", "scaling", "se2",
    "se3", "so2", "so3", "translation_group", "translations",
]  # fmt: skip
