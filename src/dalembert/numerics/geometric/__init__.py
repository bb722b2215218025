"""Integrators of fixed step that keep a structure: the symplectic form and momenta, the constraints, or the energy.

``variational`` for systems without constraints, ``lagrange_dalembert`` for linear and affine nonholonomic ones,
``energy_preserving`` for any equations that keep an integral, ``lie_midpoint`` for any equations, with rotations or
without. Each makes a :class:`Scheme`, which is compiled (``scheme``) and followed (``march``).
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
