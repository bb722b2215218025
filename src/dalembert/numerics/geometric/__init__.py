"""Integrators of fixed step that keep a structure: the symplectic form and momenta, the constraints, or the energy.

``variational`` for systems without constraints, ``lagrange_dalembert`` for linear and affine nonholonomic ones,
``energy_preserving`` for any equations that keep an integral. Each makes a :class:`Scheme` (``scheme``), which
``stepper`` compiles and ``march`` follows.
"""

from dalembert.numerics.geometric.march import METHODS, begin_march, march, prepared
from dalembert.numerics.geometric.scheme import STEP, Scheme, composed, step_jacobian
from dalembert.numerics.geometric.stepper import Stepper, stepper

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
