"""The principle of Lagrange and d'Alembert whatever the constraints: the formalism ``nonholonomic``.

Linear and affine constraints under Chetaev's rule have the geometry of Sarlet, Cantrijn and Saunders; constraints that
are nonlinear in the velocities, or come with virtual displacements of their own, the equations of Patrick's section 6.
Constraints that repeat others leave no choice of independent velocities: these motions have the saddle-point form.
Rotations and directions are moved without charts. A system that states its equations instead of a Lagrangian has them,
and the geometry of its second-order field.
"""

from __future__ import annotations

from dalembert.errors import Fault, expect
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.nonholonomic import (
    general_constraints,
    given_equations,
    linear_constraints,
    on_spheres,
    saddle_point_form,
)
from dalembert.mechanics.nonholonomic.general_constraints import ConstrainedMotion
from dalembert.mechanics.nonholonomic.given_equations import StatedMotion
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.mechanics.nonholonomic.on_spheres import MotionOnSpheres
from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
from dalembert.model.repeated import repeated
from dalembert.model.system import System


def derive(system: System) -> Nonholonomic | ConstrainedMotion | StatedMotion | SaddlePointMotion | MotionOnSpheres:
    """Return the constrained dynamics, or raise ``HypothesisError`` with every reason why there is none.

    >>> pulley = System.of(name="pulley", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"rope": "z'^2 = x'^2 + y'^2"})
    >>> type(derive(pulley)).__name__
    'ConstrainedMotion'
    """
    expect(system, System, "a formalism takes a system")
    if system.lagrangian is None and system.equations:
        return given_equations.derive(system)
    if system.balances:
        return saddle_point_form.of_repeated(system)
    if system.points:
        return on_spheres.derive(system)
    if system.lagrangian is not None and repeated(system):
        return saddle_point_form.of_repeated(system)
    if len(system.constraints) >= len(system.q):  # none of them repeats others
        what = "they leave no direction to move in"
        remedy = "leave some of them out"
        if system.mechanism is not None:
            remedy = "the machine is a structure; leave a joint out, or give it more freedom"
        raise refusal("nonholonomic", [Fault("[constraints]", what, remedy, kind="directions")])
    general = system.virtual or any(system.kind_of(name) == "nonlinear" for name in system.constraints)
    return general_constraints.derive(system) if general else linear_constraints.derive(system)
