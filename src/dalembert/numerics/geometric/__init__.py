"""Integrators of fixed step that keep a structure: the symplectic form and momenta, the constraints, or the energy.

======================  =====================================================================
file                    what
======================  =====================================================================
``variational``         discrete Hamilton's principle, for systems without constraints
``discrete_routh``      the same with the momentum of a commuting group put in, and the group divided out
``lagrange_dalembert``  the discrete principle for linear and affine nonholonomic constraints
``energy_preserving``   for any equations that keep an integral
``lie_midpoint``        for any equations, with rotations or without
``phase_space``         positions and momenta, as the discrete principles need them
``scheme``              one step as expressions, compositions of steps, their machine code
``march``               fixed steps from start to end, as a trajectory with names
======================  =====================================================================
"""

from dalembert.numerics.geometric.march import METHODS, begin_march, march, prepared
from dalembert.numerics.geometric.scheme import STEP, Scheme, Stepper, composed, step_jacobian, stepper

__all__ = [
    "METHODS",
    "STEP",
    "Scheme",
    "Stepper",
    "begin_march",
    "composed",
    "march",
    "prepared",
    "step_jacobian",
    "stepper",
]
