"""Geometry on charts: fields, forms, tensors, frames, distributions, connections, flows. Groups are in ``groups``."""

from dalembert.geometry.connections import (
    AffineConnection,
    EhresmannConnection,
    PrincipalConnection,
    constraint_connection,
    levi_civita,
)
from dalembert.geometry.distributions import Distribution, curvature_forms, involutive
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field, push_forward
from dalembert.geometry.flows import flow
from dalembert.geometry.forms import (
    Form,
    coordinate_form,
    d,
    from_frame,
    function_form,
    interior,
    lie_derivative,
    on_frame,
    one_form,
    pull_back,
    wedge,
)
from dalembert.geometry.frames import (
    Frame,
    FrameEquations,
    change_frame,
    coframe_forms,
    coordinate_frame,
    d_on_frame,
    hamel_equations,
    projected_equations,
    quasi_velocities,
    structure_functions,
)
from dalembert.geometry.growth import derived_flag, growth_vector
from dalembert.geometry.potentials import closed, potential
from dalembert.geometry.tangent_bundle import (
    complete_lift,
    flip_invariant,
    flow_keeps,
    lies_in_flipped,
    liouville_field,
    tangent_chart,
    tangent_distribution,
    vertical_endomorphism,
    vertical_lift,
    within_tangent_bundle,
)
from dalembert.geometry.tensors import Endomorphism, lie_derivative_of_endomorphism, nijenhuis, nijenhuis_on

__all__ = [
    "AffineConnection", "Chart", "Distribution", "EhresmannConnection", "Endomorphism", "Form", "Frame",
    "FrameEquations", "PrincipalConnection", "VectorField", "bracket", "change_frame", "closed", "coframe_forms",
    "combination", "complete_lift", "constraint_connection", "coordinate_field", "coordinate_form", "coordinate_frame",
    "curvature_forms", "d", "d_on_frame", "derived_flag", "flip_invariant", "flow", "flow_keeps", "from_frame",
    "function_form", "growth_vector", "hamel_equations", "interior", "involutive", "levi_civita", "lie_derivative",
    "lie_derivative_of_endomorphism", "lies_in_flipped", "liouville_field", "nijenhuis", "nijenhuis_on", "on_frame",
    "one_form", "potential", "projected_equations", "pull_back", "push_forward", "quasi_velocities",
    "structure_functions", "tangent_chart", "tangent_distribution", "vertical_endomorphism", "vertical_lift", "wedge",
    "within_tangent_bundle",
]  # fmt: skip
